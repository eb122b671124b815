// BlackScholes, host: 480 blocks of 128 threads over all options, CALLS times.
#include <math.h>
#include <stdlib.h>

#include "host.h"
#include "sizes.h"

enum { BLOCKS = 480, THREADS = 128 };

static const struct host_param params[] = {
    {"OPTIONS", 1, 1 << 26, "options to price"},
    {"CALLS", 1, 1000, "launches"},
};
static const struct host_program program = {"BlackScholes", params, HOST_COUNT(params), host_sizes,
                                            HOST_COUNT(host_sizes)};

// The formula in double with the library's error function in place of the polynomial; the put from
// its own formula, not from the call.
static double normal(double d) { return 0.5 * erfc(-d * M_SQRT1_2); }

int main(int argc, char **argv) {
    struct host h;
    host_open(&h, argc, argv, &program);
    int options = (int)h.arg[0];
    float rate = 0.02f, volatility = 0.30f;
    const size_t count = (size_t)options, bytes = count * sizeof(float);

    float *price = host_memory(count, sizeof *price);
    float *strike = host_memory(count, sizeof *strike);
    float *years = host_memory(count, sizeof *years);
    float *got = host_memory(count, sizeof *got);
    double *want_call = host_memory(count, sizeof *want_call);
    double *want_put = host_memory(count, sizeof *want_put);
    for (size_t i = 0; i < count; i++) {
        price[i] = host_random_float(&h, 5, 30);
        strike[i] = host_random_float(&h, 1, 100);
        years[i] = host_random_float(&h, 0.25f, 10);
    }

    CUdeviceptr call_dev = host_alloc(&h, bytes);
    CUdeviceptr put_dev = host_alloc(&h, bytes);
    CUdeviceptr price_dev = host_upload(&h, price, bytes);
    CUdeviceptr strike_dev = host_upload(&h, strike, bytes);
    CUdeviceptr years_dev = host_upload(&h, years, bytes);
    const CUfunction kernel = host_kernel(&h, "BlackScholes");
    for (int64_t call = 0; call < h.arg[1]; call++)
        host_launch(kernel, (struct dim){BLOCKS}, (struct dim){THREADS}, 0, &call_dev, &put_dev,
                    &price_dev, &strike_dev, &years_dev, &rate, &volatility, &options);

    for (size_t i = 0; i < count; i++) {
        const double s = price[i], x = strike[i], t = years[i];
        const double root = (double)volatility * sqrt(t);
        const double d1 =
            (log(s) - log(x) + ((double)rate + (double)volatility * (double)volatility / 2) * t) /
            root;
        const double d2 = d1 - root;
        const double discount = exp(-(double)rate * t);
        want_call[i] = s * normal(d1) - x * discount * normal(d2);
        want_put[i] = x * discount * normal(-d2) - s * normal(-d1);
    }

    // Prices up to 100, each the difference of two terms of that size. A term is off by the normal
    // distribution's polynomial (7.5e-8), about ten roundings (10 * 2^-24 = 6e-7) and the fast
    // exponentials and divisions (2 ulp each): together below 2e-6 of 100.
    host_read(got, call_dev, bytes);
    host_check_float(&h, "call", got, want_call, count, 0, 2e-4);
    host_read(got, put_dev, bytes);
    host_check_float(&h, "put", got, want_put, count, 0, 2e-4);

    free(price);
    free(strike);
    free(years);
    free(got);
    free(want_call);
    free(want_put);
    return host_close(&h);
}
