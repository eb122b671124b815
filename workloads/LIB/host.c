// LIB, host: the kernel that prices, then the one that also differentiates.
#include <math.h>
#include <stdlib.h>

#include "host.h"
#include "sizes.h"

enum { THREADS = 64, RATES = 80, SWAP = 40, OPTIONS = 15 };

static const struct host_param params[] = {
    {"PATHS", 1, 1 << 20, "simulated"},
    {"BLOCKS", 1, 65535, "of 64 threads"},
    {"MATURITIES", 1, RATES - SWAP, "before the swaps start; the rates are 40 more"},
};
static const struct host_program program = {"LIB", params, HOST_COUNT(params), host_sizes,
                                            HOST_COUNT(host_sizes)};

static const int32_t ends[16] = {4, 4, 4, 8, 8, 8, 20, 20, 20, 28, 28, 28, 40, 40, 40};
static const float fixed[16] = {0.045f, 0.05f,  0.055f, 0.045f, 0.05f,  0.055f, 0.045f, 0.05f,
                                0.055f, 0.045f, 0.05f,  0.055f, 0.045f, 0.05f,  0.055f};

// A number and its derivative by the last initial rate.
struct dual {
    double v, d;
};
static struct dual plus(struct dual a, struct dual b) {
    return (struct dual){a.v + b.v, a.d + b.d};
}
static struct dual times(struct dual a, struct dual b) {
    return (struct dual){a.v * b.v, a.d * b.v + a.v * b.d};
}
static struct dual scaled(struct dual a, double by) { return (struct dual){a.v * by, a.d * by}; }
static struct dual inverse(struct dual a) { return (struct dual){1 / a.v, -a.d / (a.v * a.v)}; }
static struct dual exponential(struct dual a) { return (struct dual){exp(a.v), a.d * exp(a.v)}; }

static double variate(uint32_t path, uint32_t n) {
    uint32_t x = path * 64 + n;
    x = (x ^ x >> 16) * 0x7feb352dU;
    x = (x ^ x >> 15) * 0x846ca68bU;
    x ^= x >> 16;
    return ((double)(x >> 8) / (1 << 24) - 0.5) * sqrt(12.0);
}

int main(int argc, char **argv) {
    struct host h;
    host_open(&h, argc, argv, &program);
    int paths = (int)h.arg[0], maturities = (int)h.arg[2], rates = maturities + SWAP;
    int options = OPTIONS;
    float delta = 0.25f, volatility[RATES], first[RATES];
    for (int i = 0; i < RATES; i++) {
        volatility[i] = host_random_float(&h, 0.18f, 0.22f);
        first[i] = host_random_float(&h, 0.048f, 0.052f);
    }
    host_write_symbol(&h, "rates", &rates, sizeof rates);
    host_write_symbol(&h, "maturities", &maturities, sizeof maturities);
    host_write_symbol(&h, "options", &options, sizeof options);
    host_write_symbol(&h, "delta", &delta, sizeof delta);
    host_write_symbol(&h, "option_end", ends, sizeof ends);
    host_write_symbol(&h, "option_rate", fixed, sizeof fixed);
    host_write_symbol(&h, "volatility", volatility, sizeof volatility);
    host_write_symbol(&h, "first_rates", first, sizeof first);

    const size_t count = (size_t)paths;
    float *alone = host_memory(count, sizeof *alone), *price = host_memory(count, sizeof *price);
    float *slope = host_memory(count, sizeof *slope);
    CUdeviceptr price_dev = host_alloc(&h, count * sizeof *price);
    CUdeviceptr slope_dev = host_alloc(&h, count * sizeof *slope);
    const struct dim grid = {(unsigned)h.arg[1]}, block = {THREADS};
    host_launch(host_kernel(&h, "Pathcalc_Portfolio_KernelGPU"), grid, block, 0, &price_dev,
                &paths);
    host_read(alone, price_dev, count * sizeof *alone);
    host_launch(host_kernel(&h, "Pathcalc_Portfolio_KernelGPU2"), grid, block, 0, &price_dev,
                &slope_dev, &paths);
    host_read(price, price_dev, count * sizeof *price);
    host_read(slope, slope_dev, count * sizeof *slope);

    // In double precision and forwards: every number carries its derivative along.
    double *want = host_memory(count, sizeof *want), *want_slope = host_memory(count, sizeof *want);
    for (size_t path = 0; path < count; path++) {
        struct dual rate[RATES];
        for (int i = 0; i < rates; i++) rate[i] = (struct dual){(double)first[i], i == rates - 1};
        for (int n = 0; n < maturities; n++) {
            const double z = variate((uint32_t)path, (uint32_t)n);
            struct dual drift = {0, 0};
            for (int i = n + 1; i < rates; i++) {
                const double lambda = (double)volatility[i - n - 1], dt = (double)delta;
                const struct dual growth = plus((struct dual){1, 0}, scaled(rate[i], dt));
                drift = plus(drift, scaled(times(rate[i], inverse(growth)), lambda * dt));
                const struct dual noise = {lambda * sqrt(dt) * z - lambda * lambda * dt / 2, 0};
                rate[i] = times(rate[i], exponential(plus(scaled(drift, lambda * dt), noise)));
            }
        }
        struct dual sum = {0, 0};
        bool near = false; // to where an option starts to be worth something
        for (int o = 0; o < OPTIONS; o++) {
            struct dual swap = {-1, 0}, bond = {1, 0};
            for (int n = 0; n < ends[o]; n++) {
                const struct dual growth =
                    plus((struct dual){1, 0}, scaled(rate[maturities + n], (double)delta));
                bond = times(bond, inverse(growth));
                swap = plus(swap, scaled(bond, (double)delta * (double)fixed[o]));
            }
            swap = plus(swap, bond);
            near = near || fabs(swap.v) < 1e-5;
            if (swap.v < 0) sum = plus(sum, scaled(swap, -100));
        }
        for (int n = 0; n < maturities; n++)
            sum = times(sum, inverse(plus((struct dual){1, 0}, scaled(rate[n], (double)delta))));
        want[path] = sum.v;
        want_slope[path] = near ? (double)slope[path] : sum.d; // there it jumps: not compared
    }
    // A rate is multiplied 40 times by an approximate exponential, right to 2^-22 at these
    // exponents: 2^-19 in the end, as errors have either sign. A swap depends on it by at most its
    // length, ten years, times the rate, which is 1 here or less; 15 options of 100 then make
    // 2^-9. The slopes have no such difference: relative to themselves they are as good as a rate.
    host_check_float(&h, "prices", alone, want, count, 0x1p-18, 0x1p-9);
    host_check_float(&h, "prices with slopes", price, want, count, 0x1p-18, 0x1p-9);
    host_check_float(&h, "slopes", slope, want_slope, count, 0x1p-18, 0x1p-12);

    free(alone);
    free(price);
    free(slope);
    free(want);
    free(want_slope);
    return host_close(&h);
}
