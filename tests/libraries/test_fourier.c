// cuFFT of our own against sums that the host makes in long double: every kind and direction, lengths with each radix, primes, long
// lines, one to three axes, batches, strides, in place and not. Of long transforms some elements, the energy and the way back.
#include <complex.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda.h"

int cufftCreate(int *), cufftDestroy(int), cufftPlan1d(int *, int, int, int), cufftPlan2d(int *, int, int, int);
int cufftPlan3d(int *, int, int, int, int), cufftMakePlan1d(int, int, int, int, size_t *);
int cufftPlanMany(int *, int, int *, int *, int, int, int *, int, int, int, int);
int cufftXtMakePlanMany(int, int, long long *, long long *, long long, long long, int, long long *, long long, long long, int, long long,
                        size_t *, int);
int cufftXtExec(int, void *, void *, int), cufftGetSize(int, size_t *), cufftSetAutoAllocation(int, int);
int cufftSetWorkArea(int, void *), cufftGetVersion(int *), cufftEstimate1d(int, int, int, size_t *), cufftSetStream(int, CUstream);
int cufftExecC2C(int, void *, void *, int), cufftExecZ2Z(int, void *, void *, int), cufftExecR2C(int, void *, void *);
int cufftExecD2Z(int, void *, void *), cufftExecC2R(int, void *, void *), cufftExecZ2D(int, void *, void *);
int cufftXtSetCallback(int, void **, int, void **);

enum { C2C = 0x29, R2C = 0x2a, C2R = 0x2c, DOUBLE = 0x40, FORWARD = -1, INVERSE = 1 };
typedef long double complex wide;

static int failed;
#define CHECK(what, ...)                                                                           \
    do {                                                                                           \
        if (!(what)) {                                                                             \
            failed++;                                                                              \
            printf("FAILED %s:%d: ", __FILE__, __LINE__);                                          \
            printf(__VA_ARGS__);                                                                   \
            puts("");                                                                              \
        }                                                                                          \
    } while (0)

static uint32_t seed = 1;
static double number(void) {
    seed = seed * 1664525 + 1013904223;
    return (double)(int32_t)(seed & 0xffffff00) / 2147483648.0;
}
static wide root(int64_t k, int64_t n, int sign) {
    const long double angle = 2 * acosl(-1) * (long double)(k % n) / (long double)n;
    return cosl(angle) + sign * I * sinl(angle);
}
// x[n0][n1][n2], all axes of it, by the definition.
static void transform(wide *x, const int n[3], int sign) {
    for (int axis = 0; axis < 3; axis++) {
        const int64_t step = axis == 2 ? 1 : axis == 1 ? n[2] : (int64_t)n[1] * n[2], count = n[axis];
        const int64_t all = (int64_t)n[0] * n[1] * n[2];
        wide *const roots = malloc((size_t)count * sizeof *roots), *const line = malloc((size_t)count * sizeof *line);
        for (int64_t k = 0; k < count; k++) roots[k] = root(k, count, sign);
        for (int64_t first = 0; first < all; first++) {
            if (first / step % count) continue;
            for (int64_t k = 0; k < count; k++) {
                line[k] = 0;
                for (int64_t j = 0; j < count; j++) line[k] += x[first + j * step] * roots[j * k % count];
            }
            for (int64_t k = 0; k < count; k++) x[first + k * step] = line[k];
        }
        free(roots);
        free(line);
    }
}

static wide get(const void *p, bool is_double, bool is_real, int64_t i) {
    if (is_real) return is_double ? ((const double *)p)[i] : (double)((const float *)p)[i];
    return is_double ? ((const double *)p)[2 * i] + I * (wide)((const double *)p)[2 * i + 1]
                     : ((const float *)p)[2 * i] + I * (wide)((const float *)p)[2 * i + 1];
}
static void put(void *p, bool is_double, bool is_real, int64_t i, wide x) {
    const int64_t at = is_real ? i : 2 * i;
    if (is_double) {
        ((double *)p)[at] = (double)creall(x);
        if (!is_real) ((double *)p)[at + 1] = (double)cimagl(x);
    } else {
        ((float *)p)[at] = (float)creall(x);
        if (!is_real) ((float *)p)[at + 1] = (float)cimagl(x);
    }
}
static int run(int plan, int type, CUdeviceptr in, CUdeviceptr out, int direction) {
    switch (type) {
    case C2C: return cufftExecC2C(plan, (void *)in, (void *)out, direction);
    case C2C | DOUBLE: return cufftExecZ2Z(plan, (void *)in, (void *)out, direction);
    case R2C: return cufftExecR2C(plan, (void *)in, (void *)out);
    case R2C | DOUBLE: return cufftExecD2Z(plan, (void *)in, (void *)out);
    case C2R: return cufftExecC2R(plan, (void *)in, (void *)out);
    default: return cufftExecZ2D(plan, (void *)in, (void *)out);
    }
}

// How a case lies in memory.
enum way { BASIC, IN_PLACE, STRIDED };
struct array { // [batch][n0][n1][row] of elements `stride` apart
    int64_t row, stride, distance;
};
static int64_t place(const struct array *a, const int n[3], int64_t b, int64_t i0, int64_t i1, int64_t i2) {
    return b * a->distance + ((i0 * n[1] + i1) * a->row + i2) * a->stride;
}

static void one(int rank, const int n[3], int batch, int type, int direction, enum way way) {
    const int kind = type & ~DOUBLE;
    const bool is_double = type & DOUBLE, in_real = kind == R2C, out_real = kind == C2R;
    const int64_t all = (int64_t)n[0] * n[1] * n[2], half = n[2] / 2 + 1;
    struct array in = {.row = kind == C2R ? half : n[2], .stride = 1}, out = {.row = kind == R2C ? half : n[2], .stride = 1};
    if (way == IN_PLACE && in_real) in.row = 2 * half;
    if (way == IN_PLACE && out_real) out.row = 2 * half;
    if (way == STRIDED) in.row += 3, out.row += 2, in.stride = 2, out.stride = 3;
    in.distance = (int64_t)n[0] * n[1] * in.row * in.stride + (way == STRIDED ? 5 : 0);
    out.distance = (int64_t)n[0] * n[1] * out.row * out.stride + (way == STRIDED ? 1 : 0);
    const int sign = kind == R2C ? -1 : kind == C2R ? 1 : direction;

    // the input, and what must come of it
    const size_t unit = is_double ? 16 : 8, bytes = (size_t)((in.distance > out.distance ? in.distance : out.distance) * batch + 8) * unit;
    void *const host = calloc(1, bytes), *const after = malloc(bytes);
    wide *const x = calloc((size_t)(all * batch), sizeof *x);
    for (int64_t b = 0; b < batch; b++) {
        wide *const v = x + b * all;
        for (int64_t i = 0; i < all; i++) {
            // of an inverse transform to real numbers: the transform of real ones, so that it has its symmetry
            v[i] = (float)number();
            if (kind == C2C) v[i] += I * (float)number();
        }
        if (kind == C2R) transform(v, n, -1);
        for (int64_t i = 0; i < all; i++)
            if (kind != C2R || i % n[2] < half)
                put(host, is_double, in_real, place(&in, n, b, i / n[2] / n[1], i / n[2] % n[1], i % n[2]), v[i]);
        transform(v, n, sign);
    }
    CUdeviceptr from, to;
    cuMemAlloc(&from, bytes);
    cuMemAlloc(&to, bytes);
    cuMemcpyHtoD(from, host, bytes);
    cuMemsetD8(to, 0x55, bytes);
    if (way == IN_PLACE) {
        cuMemFree(to);
        to = from;
    }
    int plan = 0, lengths[3], in_embed[3] = {n[0], n[1], (int)in.row}, out_embed[3] = {n[0], n[1], (int)out.row};
    memcpy(lengths, n, sizeof lengths);
    const int skip = 3 - rank;
    CHECK(!cufftPlanMany(&plan, rank, lengths + skip, way == STRIDED ? in_embed + skip : NULL, (int)in.stride, (int)in.distance,
                         way == STRIDED ? out_embed + skip : NULL, (int)out.stride, (int)out.distance, type, batch), "no plan");
    const int s = run(plan, type, from, to, direction);
    CHECK(!s, "a transform answers %d", s);
    cuMemcpyDtoH(after, to, bytes);
    long double error = 0, size = 0;
    for (int64_t b = 0; b < batch; b++)
        for (int64_t i = 0; i < all; i++) {
            const int64_t i2 = i % n[2];
            if (kind == R2C && i2 >= half) continue;
            const wide got = get(after, is_double, out_real, place(&out, n, b, i / n[2] / n[1], i / n[2] % n[1], i2)), want = x[b * all + i];
            const long double off = cabsl(got - want);
            if (!(off <= error)) error = off;
            size += cabsl(want) * cabsl(want);
        }
    size = sqrtl(size / (long double)(all * batch));
    // a length with a large prime factor goes through two transforms of up to four times as many elements
    bool is_chirp = false;
    for (int axis = 0; axis < 3; axis++) {
        int rest = n[axis];
        for (int f = 2; f < 8; f++)
            while (rest % f == 0) rest /= f;
        is_chirp |= rest > 1;
    }
    const long double bound = (is_double ? 0x1p-52L : 0x1p-23L) * (is_chirp ? 24 : 8) * size;
    CHECK(error <= bound, "%d x %d x %d, batch %d, type %x, direction %d, way %d: %Lg off, of %Lg", n[0], n[1], n[2], batch, type, direction, way, error, size);
    // nothing is written beside the rows
    if (way == STRIDED) {
        const size_t element = unit / (out_real ? 2 : 1);
        for (size_t k = 0; k < element; k++)
            CHECK(((unsigned char *)after)[element + k] == 0x55, "written between elements");
    }
    CHECK(!cufftDestroy(plan), "a plan stays");
    if (to != from) cuMemFree(to);
    cuMemFree(from);
    free(host), free(after), free(x);
}

static void all_ways(int rank, const int n[3], int batch) {
    static const int kinds[] = {C2C, R2C, C2R};
    for (int is_double = 0; is_double < 2; is_double++)
        for (int k = 0; k < 3; k++)
            for (enum way way = BASIC; way <= STRIDED; way++) {
                const int type = kinds[k] | (is_double ? DOUBLE : 0);
                one(rank, n, batch, type, FORWARD, way);
                if (k == 0) one(rank, n, batch, type, INVERSE, way);
            }
}

// A long line: some elements by the definition, the energy, and the way back.
static void long_line(int n, bool is_double) {
    const size_t unit = is_double ? 16 : 8;
    void *const host = malloc((size_t)n * unit), *const after = malloc((size_t)n * unit);
    for (int64_t i = 0; i < n; i++) {
        const double re = number();
        put(host, is_double, false, i, (float)re + I * (float)number());
    }
    CUdeviceptr d;
    cuMemAlloc(&d, (size_t)n * unit);
    cuMemcpyHtoD(d, host, (size_t)n * unit);
    int plan;
    const int type = C2C | (is_double ? DOUBLE : 0);
    CHECK(!cufftPlan1d(&plan, n, type, 1) && !run(plan, type, d, d, FORWARD), "%d elements", n);
    cuMemcpyDtoH(after, d, (size_t)n * unit);
    long double before = 0, energy = 0;
    for (int64_t i = 0; i < n; i++) {
        const wide a = get(host, is_double, false, i), b = get(after, is_double, false, i);
        before += creall(a * conjl(a));
        energy += creall(b * conjl(b));
    }
    const long double ulp = is_double ? 0x1p-52L : 0x1p-23L, size = sqrtl(before);
    CHECK(fabsl(energy / before / n - 1) < 16 * ulp, "%d elements: the energy is %Lg of what it was", n, energy / before / n);
    for (int t = 0; t < 5; t++) {
        const int64_t k = t == 0 ? 0 : t == 1 ? n - 1 : (int64_t)(fabs(number()) * (n - 1));
        wide sum = 0;
        for (int64_t i = 0; i < n; i++) sum += get(host, is_double, false, i) * root(i * k % n, n, -1);
        CHECK(cabsl(sum - get(after, is_double, false, k)) < 12 * ulp * size, "%d elements: element %lld is %Lg off", n, (long long)k,
              cabsl(sum - get(after, is_double, false, k)));
    }
    CHECK(!run(plan, type, d, d, INVERSE), "back");
    cuMemcpyDtoH(after, d, (size_t)n * unit);
    long double error = 0;
    for (int64_t i = 0; i < n; i++) {
        const long double off = cabsl(get(after, is_double, false, i) / n - get(host, is_double, false, i));
        if (!(off <= error)) error = off;
    }
    CHECK(error < 24 * ulp, "%d elements: %Lg off after the way back", n, error);
    cufftDestroy(plan);
    cuMemFree(d);
    free(host), free(after);
}

static void calls(void) {
    int plan = 0, version = 0;
    size_t bytes = 1, estimated = 0;
    CUdeviceptr d, area;
    cuMemAlloc(&d, 16 * 8192);
    cuMemAlloc(&area, 1 << 20);
    CHECK(!cufftGetVersion(&version) && version == 11900, "version %d", version);
    CHECK(cufftExecC2C(99, (void *)d, (void *)d, FORWARD) == 1, "no plan is run");
    CHECK(cufftPlan1d(&plan, 0, C2C, 1) == 8, "a length of zero is taken");
    CHECK(cufftPlan1d(&plan, 8, 7, 1) == 3, "a type 7 is taken");
    CHECK(!cufftPlan2d(&plan, 4, 6, R2C) && cufftExecC2C(plan, (void *)d, (void *)d, FORWARD) == 1, "another kind is run");
    CHECK(!cufftDestroy(plan) && cufftDestroy(plan) == 1, "destroyed twice");
    CHECK(!cufftPlan3d(&plan, 2, 3, 4, C2R) && !cufftDestroy(plan), "three axes");
    // a work area of the program's
    CHECK(!cufftCreate(&plan) && !cufftSetAutoAllocation(plan, 0) && !cufftMakePlan1d(plan, 8192, C2C, 1, &bytes), "by hand");
    CHECK(!cufftEstimate1d(8192, C2C, 1, &estimated) && estimated == bytes && bytes == 2 * 8 * 8192, "%zu, %zu bytes", bytes, estimated);
    CHECK(cufftExecC2C(plan, (void *)d, (void *)d, FORWARD) == 13, "runs without a work area");
    CHECK(!cufftSetWorkArea(plan, (void *)area) && !cufftExecC2C(plan, (void *)d, (void *)d, FORWARD), "with an area");
    CHECK(!cufftDestroy(plan), "destroyed");
    // types by cudaDataType
    long long n = 16;
    CHECK(!cufftCreate(&plan) && !cufftXtMakePlanMany(plan, 1, &n, NULL, 1, 1, 4, NULL, 1, 1, 4, 1, &bytes, 4) && bytes == 0, "Xt");
    CHECK(!cufftXtExec(plan, (void *)d, (void *)d, FORWARD) && !cufftDestroy(plan), "Xt runs");
    cuMemFree(d);
    cuMemFree(area);
}

// With `refused`: a call that is not here. With another argument: some small transforms.
// Numbers of sixteen bits: whole ones, so that each type holds them; one rounding of the result.
static uint16_t to_short(double v, bool is_bf16) {
    const float f = (float)v;
    uint32_t bits;
    memcpy(&bits, &f, 4);
    if (is_bf16) return (uint16_t)(bits >> 16);
    return (uint16_t)((bits >> 16 & 0x8000) | (f == 0 ? 0 : ((bits >> 23 & 255) - 112) << 10 | (bits >> 13 & 1023)));
}
static double from_short(uint16_t v, bool is_bf16) {
    const uint32_t bits = (uint32_t)v << 16;
    float f;
    memcpy(&f, &bits, 4);
    if (is_bf16) return f;
    const int exponent = v >> 10 & 31, fraction = v & 1023;
    return (v >> 15 ? -1 : 1) * (exponent ? ldexp(1024 + fraction, exponent - 25) : ldexp(fraction, -24));
}
static void halves(int n, int kind, bool is_bf16) {
    enum { BATCH = 2 };
    const int real = is_bf16 ? 14 : 2, complex_ = is_bf16 ? 15 : 6, half = n / 2 + 1;
    const int per_in = kind == R2C ? n : 2 * (kind == C2R ? half : n), per_out = kind == C2R ? n : 2 * (kind == R2C ? half : n);
    wide *const x = calloc((size_t)(BATCH * n), sizeof *x);
    uint16_t *const host = calloc((size_t)(BATCH * per_in), 2), *const got = calloc((size_t)(BATCH * per_out), 2);
    for (int b = 0; b < BATCH; b++) {
        wide *const v = x + b * n;
        for (int i = 0; i < n; i++) v[i] = rint(8 * number()) + (kind == R2C ? 0 : I * rint(8 * number()));
        if (kind == C2R) { // the transform of real numbers has this symmetry
            v[0] = creal(v[0]);
            if (n % 2 == 0) v[n / 2] = creal(v[n / 2]);
            for (int i = half; i < n; i++) v[i] = conj(v[n - i]);
        }
        for (int i = 0; i < per_in; i++) {
            const wide e = v[kind == R2C ? i : i / 2];
            host[b * per_in + i] = to_short(kind == R2C || i % 2 == 0 ? (double)creal(e) : (double)cimag(e), is_bf16);
        }
        transform(v, (const int[3]){1, 1, n}, kind == C2R ? 1 : -1);
    }
    CUdeviceptr in, out;
    cuMemAlloc(&in, (size_t)(2 * BATCH * per_in)), cuMemAlloc(&out, (size_t)(2 * BATCH * per_out));
    cuMemcpyHtoD(in, host, (size_t)(2 * BATCH * per_in));
    int plan;
    long long length = n;
    size_t bytes;
    CHECK(!cufftCreate(&plan) && !cufftXtMakePlanMany(plan, 1, &length, NULL, 1, 1, kind == R2C ? real : complex_, NULL, 1, 1,
                                                     kind == C2R ? real : complex_, BATCH, &bytes, complex_),
          "a plan of halves");
    CHECK(!cufftXtExec(plan, (void *)in, (void *)out, FORWARD) && !cufftDestroy(plan), "halves run");
    cuMemcpyDtoH(got, out, (size_t)(2 * BATCH * per_out));
    double worst = 0, most = 0;
    for (int i = 0; i < BATCH * per_out; i++) {
        const int at = i % per_out;
        const wide e = x[i / per_out * n + (kind == C2R ? at : at / 2)];
        const double want = kind == C2R || at % 2 == 0 ? (double)creal(e) : (double)cimag(e), off = fabs(from_short(got[i], is_bf16) - want);
        worst = off > worst ? off : worst;
        most = fabs(want) > most ? fabs(want) : most;
    }
    CHECK(worst <= most * (is_bf16 ? 0x1p-8 : 0x1p-11), "%d halves of kind %x (bfloat16 %d): off by %g of %g", n, (unsigned)kind, is_bf16, worst, most);
    cuMemFree(in), cuMemFree(out);
    free(x), free(host), free(got);
}

int main(int argc, char **argv) {
    int plan;
    if (argc > 1 && !strcmp(argv[1], "refused")) return cufftXtSetCallback(1, NULL, 0, NULL) != 16;
    if (cufftPlan1d(&plan, 4, C2C, 1)) return puts("no plan"), 1;
    const bool is_small = argc > 1;
    static const int lengths[] = {1, 2, 3, 4, 5, 7, 8, 11, 12, 30, 64, 210};
    const size_t count = is_small ? 3 : sizeof lengths / sizeof *lengths;
    for (size_t i = 0; i < count; i++) all_ways(1, (const int[3]){1, 1, lengths[i]}, 3);
    all_ways(2, (const int[3]){1, 6, 10}, 2);
    all_ways(3, (const int[3]){3, 4, 6}, 2);
    if (!is_small) {
        all_ways(1, (const int[3]){1, 1, 121}, 2);
        one(1, (const int[3]){1, 1, 1331}, 1, R2C | DOUBLE, FORWARD, STRIDED);
        one(1, (const int[3]){1, 1, 1331}, 2, C2C, INVERSE, IN_PLACE);
        all_ways(2, (const int[3]){1, 13, 22}, 3);
        all_ways(3, (const int[3]){5, 11, 9}, 1);
        one(1, (const int[3]){1, 1, 2401}, 1, C2C, FORWARD, STRIDED);
        one(2, (const int[3]){1, 2187, 2}, 1, R2C, FORWARD, BASIC);
        one(2, (const int[3]){1, 3, 1200}, 1, C2R | DOUBLE, INVERSE, BASIC);
        static const int lines[] = {2048, 4096, 100000, 10007};
        for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
            for (int is_double = 0; is_double < 2; is_double++) long_line(lines[i], is_double);
        calls();
        for (int way = 0; way < 12; way++) halves(way % 2 ? 64 : 15, way / 4 == 0 ? C2C : way / 4 == 1 ? R2C : C2R, way / 2 % 2);
    }
    CHECK(!cufftDestroy(plan), "the first plan stays"); // it held the kernels for all
    return failed ? 1 : 0;
}
