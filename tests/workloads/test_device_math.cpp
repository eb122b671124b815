// The accurate functions of workloads/device.h against double precision, in units in the last
// place. The emulated ex2 is correctly rounded; ex2.approx may add one more ulp to expf and powf.
#include "device.h"

#include <float.h>
#include <stdio.h>

// The host's library under other names: device.h has taken the usual ones.
static double exp_of(double x) { return __builtin_exp(x); }
static double log_of(double x) { return __builtin_log(x); }
static double sin_of(double x) { return __builtin_sin(x); }
static double cos_of(double x) { return __builtin_cos(x); }
static float device_exp(float x) { return expf(x); }
static float device_log(float x) { return logf(x); }
static float device_sin(float x) { return sinf(x); }
static float device_cos(float x) { return cosf(x); }

struct row {
    const char *name;
    float (*got)(float);
    double (*want)(double);
    float low, high;
    double ulp, absolute; // allowed
};
static const row rows[] = {
    {"expf", device_exp, exp_of, -87.0f, 88.7f, 2, 0},
    {"expf, small results", device_exp, exp_of, -103.0f, -87.0f, 0, 1.5e-45},
    {"logf", device_log, log_of, 1e-38f, 3e38f, 1, 0},
    {"logf near 1", device_log, log_of, 0.5f, 2.0f, 1, 0},
    // Near a zero other than 0 an ulp is small; there the error is that of the reduction.
    {"sinf", device_sin, sin_of, -100.0f, 100.0f, 2, 1e-8},
    {"sinf, large", device_sin, sin_of, -1e5f, 1e5f, 2, 1e-7},
    {"cosf", device_cos, cos_of, -100.0f, 100.0f, 2, 1e-8},
    {"cosf, large", device_cos, cos_of, -1e5f, 1e5f, 2, 1e-7},
};

static double ulp_of(double x) {
    const double size = __builtin_fabs(x);
    if (size < FLT_MIN) return 0x1p-149;
    return __builtin_ldexp(1, __builtin_ilogb(size) - 23);
}

static int failures;

static void expect(const char *name, float x, float got, double want, double allowed) {
    if (__builtin_fabs((double)got - want) <= allowed) return;
    if (got == (float)want || (got != got && want != want)) return; // infinities and NaN
    if (failures++ < 20)
        printf("%s(%.9g) is %.9g, expected %.9g within %.3g\n", name, (double)x, (double)got, want,
               allowed);
}

int main() {
    const int points = 200000;
    for (const row &r : rows) {
        for (int i = 0; i <= points; i++) {
            float x = r.low + (r.high - r.low) * (float)i / (float)points;
            if (r.want == log_of && r.low < 0.1f) // over the exponents
                x = (float)__builtin_exp2(-126 + 253.9 * i / points);
            const double want = r.want((double)x);
            expect(r.name, x, r.got(x), want, r.ulp * ulp_of(want) + r.absolute);
        }
    }

    const float inf = __builtin_inff(), nan = __builtin_nanf("");
    expect("expf", inf, expf(inf), (double)inf, 0);
    expect("expf", -inf, expf(-inf), 0, 0);
    expect("expf", 1000, expf(1000), (double)inf, 0);
    expect("expf", -1000, expf(-1000), 0, 0);
    expect("expf", nan, expf(nan), (double)nan, 0);
    expect("logf", 0, logf(0), -(double)inf, 0);
    expect("logf", -1, logf(-1), (double)nan, 0);
    expect("logf", inf, logf(inf), (double)inf, 0);
    expect("logf", 1e-42f, logf(1e-42f), log_of((double)1e-42f), 1e-5);
    for (int i = 1; i < 100; i++) {
        const float x = (float)i * 0.37f, y = (float)(i % 13) - 6.5f;
        const double want = __builtin_pow((double)x, (double)y);
        expect("powf", x, powf(x, y), want, 32 * ulp_of(want));
    }
    if (failures) printf("%d results are off.\n", failures);
    return failures != 0;
}
