// binomialOptions, host: one launch, a block an option.
#include <math.h>
#include <stdlib.h>

#include "host.h"
#include "sizes.h"

enum { THREADS = 256, LEVELS = 32, MAX_OPTIONS = 1024, VOLTA_THREADS = 128, VOLTA_STEPS = 2048 };

static const struct host_param params[] = {
    {"OPTIONS", 1, MAX_OPTIONS, "options to price"},
    {"STEPS", LEVELS, 1 << 14, "levels of the tree, a multiple of 32"},
};
static const struct host_program program = {"binomialOptions", params, HOST_COUNT(params),
                                            host_sizes, HOST_COUNT(host_sizes)};

struct option {
    float price, strike, drift, up, down;
};

int main(int argc, char **argv) {
    struct host h;
    host_open(&h, argc, argv, &program);
    const size_t count = (size_t)h.arg[0];
    int steps = (int)h.arg[1];
    host_require(&h, steps % LEVELS == 0, "STEPS must be a multiple of %d.", LEVELS);
    host_require(&h, !h.volta || steps <= VOLTA_STEPS, "With --volta STEPS must be at most %d.",
                 VOLTA_STEPS); // a thread has sixteen values

    const double rate = 0.02, volatility = 0.3; // a year
    struct option options[MAX_OPTIONS] = {{0}};
    for (size_t i = 0; i < count; i++) {
        struct option *o = &options[i];
        const double years = (double)host_random_float(&h, 0.25f, 10);
        const double step = years / steps, growth = exp(rate * step);
        o->price = host_random_float(&h, 5, 30);
        o->strike = host_random_float(&h, 1, 30);
        o->drift = (float)(volatility * sqrt(step));
        const double u = exp(volatility * sqrt(step)), d = 1 / u;
        o->up = (float)((growth - d) / (u - d) / growth);
        o->down = (float)((u - growth) / (u - d) / growth);
    }

    host_write_symbol(&h, "options", options, sizeof options);
    CUdeviceptr result_dev = host_alloc(&h, count * sizeof(float));
    CUdeviceptr levels_dev = host_alloc(&h, count * ((size_t)steps + 16) * sizeof(float));
    host_launch(host_kernel(&h, "binomialOptions"), (struct dim){(unsigned)count},
                (struct dim){h.volta ? VOLTA_THREADS : THREADS}, 0, &result_dev, &levels_dev,
                &steps);
    float got[MAX_OPTIONS];
    host_read(got, result_dev, count * sizeof *got);

    // No tree: the payoffs weighed with the number of paths to each, by logarithms of factorials.
    double want[MAX_OPTIONS] = {0};
    for (size_t i = 0; i < count; i++) {
        const struct option *o = &options[i];
        for (int k = 0; k <= steps; k++) {
            const double payoff = o->price * exp((double)o->drift * (2 * k - steps)) - o->strike;
            if (payoff <= 0) continue;
            const double paths = lgamma(steps + 1.0) - lgamma(k + 1.0) - lgamma(steps - k + 1.0);
            want[i] +=
                payoff * exp(paths + k * log((double)o->up) + (steps - k) * log((double)o->down));
        }
    }
    // All terms are positive: two roundings a level. A payoff's exponential has an argument below
    // 8 for the paths that count, so 2^-21 of the price, and four of its own roundings.
    host_check_float(&h, "prices", got, want, count, 2.0 * steps * 0x1p-24, 30 * 0x1p-20);
    return host_close(&h);
}
