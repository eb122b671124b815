// Functions of single precision beside the host's of double precision: no further off than OpenCL 1.2 allows (7.4). Results
// that are denormal, or that no bound is given for, are not looked at.
#include "check.h"

enum { N = 1024 };

#define ROWS1(X)                                                                                   \
    X(sin, 4)                                                                                      \
    X(cos, 4) X(tan, 5) X(asin, 4) X(acos, 4) X(atan, 5) X(sinh, 4) X(cosh, 4) X(tanh, 5)          \
        X(asinh, 4) X(acosh, 4) X(atanh, 5) X(exp, 4) X(exp2, 4) X(expm1, 3) X(log, 3) X(log2, 3)  \
            X(log10, 3) X(log1p, 2) X(sqrt, 0.5) X(cbrt, 2) X(erf, 16) X(erfc, 16) X(tgamma, 16)   \
                X(floor, 0) X(round, 0) X(rint, 0) X(trunc, 0)
#define ROWS2(X) X(pow, 16) X(fmod, 0) X(remainder, 0) X(atan2, 6) X(hypot, 4) X(fmin, 0) X(fmax, 0)

struct row {
    const char *name;
    double (*of_one)(double), (*of_two)(double, double);
    double most_ulp;
};
static const struct row rows[] = {
#define ROW(name, ulp) {#name, name, NULL, ulp},
    ROWS1(ROW)
#undef ROW
#define ROW(name, ulp) {#name, NULL, name, ulp},
        ROWS2(ROW)
#undef ROW
};
static const char source[] =
#define ROW(name, ulp)                                                                             \
    "__kernel void k_" #name                                                                       \
    "(__global const float *x, __global const float *y, __global float *r) "                       \
    "{ int i = get_global_id(0); r[i] = " #name "(x[i]); }\n"
    ROWS1(ROW)
#undef ROW
#define ROW(name, ulp)                                                                             \
    "__kernel void k_" #name                                                                       \
    "(__global const float *x, __global const float *y, __global float *r) "                       \
    "{ int i = get_global_id(0); r[i] = " #name "(x[i], y[i]); }\n"
        ROWS2(ROW)
#undef ROW
    ;

// Small, middling and large arguments of both signs, and powers of two of a wide range.
static void fill(float *x, float *y) {
    srand(7);
    for (int i = 0; i < N; i++) {
        const double u = rand() / (double)RAND_MAX, v = rand() / (double)RAND_MAX;
        x[i] = (float)(i % 4 == 0   ? u * 2 - 1
                       : i % 4 == 1 ? (u - 0.5) * 20
                       : i % 4 == 2 ? (u - 0.5) * 170
                                    : ldexp(u + 1, (int)(v * 60) - 30));
        y[i] = (float)(i % 4 == 3 ? ldexp(v + 1, (int)(u * 20) - 10) : (v - 0.2) * 4);
    }
}

static void compare(const struct row *row, const float *x, const float *y, const float *r) {
    for (int i = 0; i < N; i++) {
        const double wanted =
            row->of_one ? row->of_one((double)x[i]) : row->of_two((double)x[i], (double)y[i]);
        const float rounded = (float)wanted;
        bool is_right;
        if (isnan(wanted) || isinf(rounded))
            is_right = isnan(wanted) ? isnan(r[i]) : r[i] == rounded;
        else if (fabs(wanted) < 1.2e-38 && wanted != 0)
            continue;
        else {
            int exponent;
            frexp(wanted, &exponent);
            is_right =
                fabs((double)r[i] - wanted) <= (row->most_ulp + 1e-6) * ldexp(1, exponent - 24);
        }
        if (is_right) continue;
        printf("%s of %a and %a is %a, not %a\n", row->name, (double)x[i], (double)y[i],
               (double)r[i], wanted);
        wrong++;
        return;
    }
}

int main(void) {
    begin(0);
    cl_program p = build(source, NULL);
    static float x[N], y[N], r[N];
    fill(x, y);
    cl_mem in[2] = {buffer(CL_MEM_COPY_HOST_PTR, sizeof x, x),
                    buffer(CL_MEM_COPY_HOST_PTR, sizeof y, y)},
           out = buffer(CL_MEM_READ_WRITE, sizeof r, NULL);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char name[32];
        snprintf(name, sizeof name, "k_%s", rows[i].name);
        cl_kernel k = kernel_of(p, name);
        ARG(k, 0, in[0]);
        ARG(k, 1, in[1]);
        ARG(k, 2, out);
        const size_t n = N;
        DONE(clEnqueueNDRangeKernel(queue, k, 1, NULL, &n, NULL, 0, NULL, NULL));
        DONE(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof r, r, 0, NULL, NULL));
        compare(&rows[i], x, y, r);
        DONE(clReleaseKernel(k));
    }
    DONE(clReleaseMemObject(in[0]));
    DONE(clReleaseMemObject(in[1]));
    DONE(clReleaseMemObject(out));
    DONE(clReleaseProgram(p));
    return end();
}
