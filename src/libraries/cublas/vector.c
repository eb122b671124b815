// Entry points of vectors.
#include "cublas.h"

#include <stdio.h>
#include <string.h>

#include "blas/rotate.h"

enum { THREADS = 256 }; // of vector.cu

static enum blas_module module_of(int type) {
    switch (type) {
    case TYPE_R_64F: return BLAS_vd;
    case TYPE_C_32F: return BLAS_vc;
    case TYPE_C_64F: return BLAS_vz;
    case TYPE_R_16F: return BLAS_vf;
    case TYPE_R_16BF: return BLAS_vb;
    default: return BLAS_vs;
    }
}

static blas_status launch(struct blas_handle *h, int type, const char *name, uint32_t blocks,
                          uint32_t threads, const void *params, size_t bytes) {
    CUfunction kernel;
    const blas_status s = blas_kernel(h, module_of(type), name, &kernel);
    return s ? s
             : blas_launch(kernel, (const uint32_t[3]){blocks, 1, 1}, threads, params, bytes,
                           h->stream);
}

static uint32_t blocks_of(int64_t n) {
    const int64_t blocks = (n + THREADS - 1) / THREADS;
    return blocks > BLAS_PARTS ? BLAS_PARTS : (uint32_t)blocks;
}

// Where the first element of a vector lies.
static uint64_t start(const void *x, int64_t n, int64_t step, int type) {
    return (uintptr_t)x + (uint64_t)vector_at(x, n, step).first * (uint64_t)blas_type_bytes(type);
}
static struct vector vectors(int type, int64_t n, const void *x, int64_t step_x, const void *y,
                             int64_t step_y) {
    return (struct vector){.n = n,
                           .x = start(x, n, step_x, type),
                           .step_x = step_x,
                           .y = start(y, n, step_y, type),
                           .step_y = step_y};
}

// `scale`: the type of the factor, which may be a real number of complex elements, or half of single precision's sums.
static blas_status map(struct blas_handle *h, int type, const char *name, struct vector v,
                       int scale, const void *alpha) {
    if (!blas_is_handle(h)) return CUBLAS_NOT_INITIALIZED;
    if (v.n <= 0) return CUBLAS_SUCCESS;
    if (alpha && h->pointer_mode == POINTER_DEVICE) {
        if (scale == TYPE_R_16BF) return blas_refuse(name, "a factor of bfloat16 on the device");
        v.alpha_at = (uintptr_t)alpha;
        v.alpha_is_narrow = scale == TYPE_R_16F || is_real(scale) != is_real(type);
    } else if (alpha) {
        blas_factor(v.alpha, scale, alpha);
    }
    return launch(h, type, name, blocks_of(v.n), THREADS, &v, sizeof v);
}

// `bytes` of the result; where the call's pointers lead to the host it is waited for.
static blas_status reduce(struct blas_handle *h, int type, const char *name, struct vector v,
                          void *result, size_t bytes) {
    char end[16];
    if (!blas_is_handle(h)) return CUBLAS_NOT_INITIALIZED;
    if (!result) return CUBLAS_INVALID_VALUE;
    v.parts = h->parts;
    v.n_parts = v.n > 0 ? blocks_of(v.n) : 0;
    const CUdeviceptr here = h->parts + (CUdeviceptr)VECTOR_PART * BLAS_PARTS;
    v.out = h->pointer_mode == POINTER_DEVICE ? (uintptr_t)result : here;
    blas_status s =
        v.n_parts ? launch(h, type, name, v.n_parts, THREADS, &v, sizeof v) : CUBLAS_SUCCESS;
    snprintf(end, sizeof end, "%s_end", name);
    if (s == CUBLAS_SUCCESS) s = launch(h, type, end, 1, THREADS, &v, sizeof v);
    if (s != CUBLAS_SUCCESS || h->pointer_mode == POINTER_DEVICE) return s;
    CUresult r = cuMemcpyDtoHAsync_v2(result, here, bytes, h->stream);
    if (r == CUDA_SUCCESS) r = cuStreamSynchronize(h->stream);
    return blas_of(r);
}
static blas_status dot(struct blas_handle *h, int type, int64_t n, const void *x, int64_t sx,
                       const void *y, int64_t sy, bool is_conj, void *result) {
    struct vector v = vectors(type, n, x, sx, y, sy);
    v.conj = is_conj;
    return reduce(h, type, "dot", v, result, blas_type_bytes(type));
}
// Of one vector, which has no elements where its step is not positive, as in the reference BLAS.
static struct vector forward(int type, int64_t n, const void *x, int64_t sx) {
    return vectors(type, sx > 0 ? n : 0, x, sx, x, sx);
}
static blas_status sum(struct blas_handle *h, int type, const char *name, int64_t n, const void *x,
                       int64_t sx, void *result) {
    return reduce(h, type, name, forward(type, n, x, sx), result, blas_type_bytes(real_of(type)));
}
static blas_status place(struct blas_handle *h, int type, bool is_least, bool is_long, int64_t n,
                         const void *x, int64_t sx, void *result) {
    struct vector v = forward(type, n, x, sx);
    v.wants_least = is_least;
    v.is_long = is_long;
    return reduce(h, type, "amax", v, result, is_long ? 8 : 4);
}

// ---- calls with 32 and 64 bits ------------------------------------------------------------------
#define VECTORS(suffix, N)                                                                         \
    VECTOR_CALLS(S, float, TYPE_R_32F, suffix, N)                                                  \
    VECTOR_CALLS(D, double, TYPE_R_64F, suffix, N)                                                 \
    VECTOR_CALLS(C, struct pair32, TYPE_C_32F, suffix, N)                                          \
    VECTOR_CALLS(Z, struct pair64, TYPE_C_64F, suffix, N)                                          \
    SCALE(Csscal, struct pair32, float, TYPE_C_32F, TYPE_R_32F, suffix, N)                         \
    SCALE(Zdscal, struct pair64, double, TYPE_C_64F, TYPE_R_64F, suffix, N)                        \
    DOT(Sdot, float, TYPE_R_32F, 0, suffix, N)                                                     \
    DOT(Ddot, double, TYPE_R_64F, 0, suffix, N)                                                    \
    DOT(Cdotu, struct pair32, TYPE_C_32F, 0, suffix, N)                                            \
    DOT(Cdotc, struct pair32, TYPE_C_32F, 1, suffix, N)                                            \
    DOT(Zdotu, struct pair64, TYPE_C_64F, 0, suffix, N)                                            \
    DOT(Zdotc, struct pair64, TYPE_C_64F, 1, suffix, N)                                            \
    SUM(Snrm2, nrm2, float, float, TYPE_R_32F, suffix, N)                                          \
    SUM(Dnrm2, nrm2, double, double, TYPE_R_64F, suffix, N)                                        \
    SUM(Scnrm2, nrm2, struct pair32, float, TYPE_C_32F, suffix, N)                                 \
    SUM(Dznrm2, nrm2, struct pair64, double, TYPE_C_64F, suffix, N)                                \
    SUM(Sasum, asum, float, float, TYPE_R_32F, suffix, N)                                          \
    SUM(Dasum, asum, double, double, TYPE_R_64F, suffix, N)                                        \
    SUM(Scasum, asum, struct pair32, float, TYPE_C_32F, suffix, N)                                 \
    SUM(Dzasum, asum, struct pair64, double, TYPE_C_64F, suffix, N)                                \
    PLACES(s, float, TYPE_R_32F, suffix, N)                                                        \
    PLACES(d, double, TYPE_R_64F, suffix, N)                                                       \
    PLACES(c, struct pair32, TYPE_C_32F, suffix, N)                                                \
    PLACES(z, struct pair64, TYPE_C_64F, suffix, N)                                                \
    ROTATION(Srot, float, float, TYPE_R_32F, TYPE_R_32F, suffix, N)                                \
    ROTATION(Drot, double, double, TYPE_R_64F, TYPE_R_64F, suffix, N)                              \
    ROTATION(Crot, struct pair32, struct pair32, TYPE_C_32F, TYPE_C_32F, suffix, N)                \
    ROTATION(Csrot, struct pair32, float, TYPE_C_32F, TYPE_R_32F, suffix, N)                       \
    ROTATION(Zrot, struct pair64, struct pair64, TYPE_C_64F, TYPE_C_64F, suffix, N)                \
    ROTATION(Zdrot, struct pair64, double, TYPE_C_64F, TYPE_R_64F, suffix, N)                      \
    MODIFIED(S, float, TYPE_R_32F, suffix, N)                                                      \
    MODIFIED(D, double, TYPE_R_64F, suffix, N)                                                     \
    EXTENDED(suffix, N)
#define SCALE(name, T, F, type, scale, suffix, N)                                                  \
    API(cublas##name##_v2##suffix, blas_handle_t h, N n, const F *alpha, T *x, N sx) {             \
        if (!alpha) return CUBLAS_INVALID_VALUE;                                                   \
        return map(h, type, "scal", forward(type, n, x, sx), scale, alpha);                        \
    }
#define VECTOR_CALLS(letter, T, type, suffix, N)                                                   \
    API(cublas##letter##axpy_v2##suffix, blas_handle_t h, N n, const T *alpha, const T *x, N sx,   \
        T *y, N sy) {                                                                              \
        if (!alpha) return CUBLAS_INVALID_VALUE;                                                   \
        return map(h, type, "axpy", vectors(type, n, x, sx, y, sy), type, alpha);                  \
    }                                                                                              \
    SCALE(letter##scal, T, T, type, type, suffix, N)                                               \
    API(cublas##letter##copy_v2##suffix, blas_handle_t h, N n, const T *x, N sx, T *y, N sy) {     \
        return map(h, type, "copy", vectors(type, n, x, sx, y, sy), type, NULL);                   \
    }                                                                                              \
    API(cublas##letter##swap_v2##suffix, blas_handle_t h, N n, T *x, N sx, T *y, N sy) {           \
        return map(h, type, "swap", vectors(type, n, x, sx, y, sy), type, NULL);                   \
    }
#define DOT(name, T, type, is_conj, suffix, N)                                                     \
    API(cublas##name##_v2##suffix, blas_handle_t h, N n, const T *x, N sx, const T *y, N sy,       \
        T *result) {                                                                               \
        return dot(h, type, n, x, sx, y, sy, is_conj, result);                                     \
    }
#define SUM(name, kernel, T, R, type, suffix, N)                                                   \
    API(cublas##name##_v2##suffix, blas_handle_t h, N n, const T *x, N sx, R *result) {            \
        return sum(h, type, #kernel, n, x, sx, result);                                            \
    }
// cublasIsamax_v2 and the like: the letter is a small one, and the place has the size's type.
#define PLACES(letter, T, type, suffix, N)                                                         \
    API(cublasI##letter##amax_v2##suffix, blas_handle_t h, N n, const T *x, N sx, N *result) {     \
        return place(h, type, false, sizeof(N) == 8, n, x, sx, result);                            \
    }                                                                                              \
    API(cublasI##letter##amin_v2##suffix, blas_handle_t h, N n, const T *x, N sx, N *result) {     \
        return place(h, type, true, sizeof(N) == 8, n, x, sx, result);                             \
    }

// ---- rotations ------------------------------------------------------------------------------------
static struct rotation rotated(int type, int64_t n, const void *x, int64_t sx, const void *y,
                               int64_t sy) {
    return (struct rotation){
        .n = n, .x = start(x, n, sx, type), .step_x = sx, .y = start(y, n, sy, type), .step_y = sy};
}
// The cosine is a real number, the sine one of `scale`.
static blas_status rotate(struct blas_handle *h, int type, int scale, struct rotation r,
                          const void *c, const void *s) {
    if (!blas_is_handle(h)) return CUBLAS_NOT_INITIALIZED;
    if (!c || !s) return CUBLAS_INVALID_VALUE;
    if (r.n <= 0) return CUBLAS_SUCCESS;
    r.sine_is_real = is_real(scale);
    if (h->pointer_mode == POINTER_DEVICE) {
        r.cosine_at = (uintptr_t)c;
        r.sine_at = (uintptr_t)s;
    } else {
        double value[2];
        blas_factor(value, real_of(scale), c);
        r.cosine = value[0];
        blas_factor(r.sine, scale, s);
    }
    return launch(h, type, "rot", blocks_of(r.n), THREADS, &r, sizeof r);
}
static blas_status rotate_flags(struct blas_handle *h, int type, int scale, struct rotation r,
                                const void *flags) {
    if (!blas_is_handle(h)) return CUBLAS_NOT_INITIALIZED;
    if (!flags) return CUBLAS_INVALID_VALUE;
    if (r.n <= 0) return CUBLAS_SUCCESS;
    for (size_t i = 0; i < 5 && h->pointer_mode == POINTER_HOST; i++) {
        double value[2];
        blas_factor(value, scale, (const char *)flags + i * blas_type_bytes(scale));
        r.flags[i] = value[0];
    }
    if (h->pointer_mode == POINTER_DEVICE) r.flags_at = (uintptr_t)flags;
    return launch(h, type, "rotm", blocks_of(r.n), THREADS, &r, sizeof r);
}
#define ROTATION(name, T, F, type, scale, suffix, N)                                               \
    API(cublas##name##_v2##suffix, blas_handle_t h, N n, T *x, N sx, T *y, N sy, const void *c,    \
        const F *s) {                                                                              \
        return rotate(h, type, scale, rotated(type, n, x, sx, y, sy), c, s);                       \
    }
#define MODIFIED(letter, T, type, suffix, N)                                                       \
    API(cublas##letter##rotm_v2##suffix, blas_handle_t h, N n, T *x, N sx, T *y, N sy,             \
        const T *flags) {                                                                          \
        return rotate_flags(h, type, type, rotated(type, n, x, sx, y, sy), flags);                 \
    }

static void write_number(void *to, int type, const double v[2]) {
    const float f[2] = {(float)v[0], (float)v[1]};
    const bool is_double = type == TYPE_R_64F || type == TYPE_C_64F;
    memcpy(to, is_double ? (const void *)v : f, blas_type_bytes(type));
}
static blas_status make_rotation(struct blas_handle *h, int type, void *a, void *b, void *c,
                                 void *s) {
    if (!blas_is_handle(h)) return CUBLAS_NOT_INITIALIZED;
    if (!a || !b || !c || !s) return CUBLAS_INVALID_VALUE;
    if (h->pointer_mode == POINTER_DEVICE) {
        const struct rotation_of r = {
            .a = (uintptr_t)a, .b = (uintptr_t)b, .c = (uintptr_t)c, .s = (uintptr_t)s};
        return launch(h, type, "rotg", 1, 1, &r, sizeof r);
    }
    double x[2], y[2], cosine[2] = {0}, sine[2] = {0};
    blas_factor(x, type, a);
    blas_factor(y, type, b);
    if (is_real(type)) {
        rotate_real(&x[0], &y[0], &cosine[0], &sine[0]);
        write_number(b, type, y);
    } else {
        rotate_complex(x, y, &cosine[0], sine);
    }
    write_number(a, type, x);
    write_number(c, real_of(type), cosine);
    write_number(s, type, sine);
    return CUBLAS_SUCCESS;
}
static blas_status make_flags(struct blas_handle *h, int type, void *d1, void *d2, void *x,
                              const void *y, void *flags) {
    if (!blas_is_handle(h)) return CUBLAS_NOT_INITIALIZED;
    if (!d1 || !d2 || !x || !y || !flags) return CUBLAS_INVALID_VALUE;
    if (h->pointer_mode == POINTER_DEVICE) {
        const struct rotation_of r = {.a = (uintptr_t)d1,
                                      .b = (uintptr_t)d2,
                                      .c = (uintptr_t)x,
                                      .s = (uintptr_t)y,
                                      .flags = (uintptr_t)flags};
        return launch(h, type, "rotmg", 1, 1, &r, sizeof r);
    }
    void *const of[] = {d1, d2, x};
    double v[3][2], last[2], p[5];
    const size_t bytes = blas_type_bytes(type);
    for (int i = 0; i < 3; i++) blas_factor(v[i], type, of[i]);
    blas_factor(last, type, y);
    for (size_t i = 0; i < 5; i++) {
        double value[2];
        blas_factor(value, type, (char *)flags + i * bytes);
        p[i] = value[0];
    }
    rotate_modified(&v[0][0], &v[1][0], &v[2][0], last[0], p);
    for (int i = 0; i < 3; i++) write_number(of[i], type, v[i]);
    for (size_t i = 0; i < 5; i++)
        write_number((char *)flags + i * bytes, type, (const double[2]){p[i], 0});
    return CUBLAS_SUCCESS;
}
#define MAKE(letter, T, R, type)                                                                   \
    API(cublas##letter##rotg_v2, blas_handle_t h, T *a, T *b, R *c, T *s) {                        \
        return make_rotation(h, type, a, b, c, s);                                                 \
    }
MAKE(S, float, float, TYPE_R_32F)
MAKE(D, double, double, TYPE_R_64F)
MAKE(C, struct pair32, float, TYPE_C_32F)
MAKE(Z, struct pair64, double, TYPE_C_64F)
API(cublasSrotmg_v2, blas_handle_t h, float *d1, float *d2, float *x, const float *y, float *p) {
    return make_flags(h, TYPE_R_32F, d1, d2, x, y, p);
}
API(cublasDrotmg_v2, blas_handle_t h, double *d1, double *d2, double *x, const double *y,
    double *p) {
    return make_flags(h, TYPE_R_64F, d1, d2, x, y, p);
}

// ---- types as arguments -----------------------------------------------------------------------------
// Both vectors have one type; halves have factors and sums of single precision, and factors of their own type, too.
static bool has_type(int type) {
    return type == TYPE_R_32F || type == TYPE_R_64F || type == TYPE_C_32F || type == TYPE_C_64F ||
           type == TYPE_R_16F || type == TYPE_R_16BF;
}
static bool is_short(int type) { return type == TYPE_R_16F || type == TYPE_R_16BF; }
static blas_status check(const char *call, int x, int y, int factor, int sums) {
    const bool factor_fits =
        factor == x || factor == real_of(x) || (is_short(x) && factor == TYPE_R_32F);
    const bool sums_fit = sums == x || (is_short(x) && sums == TYPE_R_32F);
    if (has_type(x) && x == y && factor_fits && sums_fit) return CUBLAS_SUCCESS;
    return blas_refuse(call,
                       "vectors of types %d and %d with a factor or result of type %d, computed in "
                       "type %d (cudaDataType)",
                       x, y, factor, sums);
}
#define CHECK(call, suffix, x, y, factor, sums)                                                    \
    const blas_status bad = check(#call #suffix, x, y, factor, sums);                              \
    if (bad) return bad
#define EXTENDED(suffix, N)                                                                        \
    API(cublasAxpyEx##suffix, blas_handle_t h, N n, const void *alpha, int alpha_type,             \
        const void *x, int x_type, N sx, void *y, int y_type, N sy, int sums) {                    \
        if (!alpha) return CUBLAS_INVALID_VALUE;                                                   \
        CHECK(cublasAxpyEx, suffix, x_type, y_type, alpha_type, sums);                             \
        return map(h, x_type, "axpy", vectors(x_type, n, x, sx, y, sy), alpha_type, alpha);        \
    }                                                                                              \
    API(cublasScalEx##suffix, blas_handle_t h, N n, const void *alpha, int alpha_type, void *x,    \
        int x_type, N sx, int sums) {                                                              \
        if (!alpha) return CUBLAS_INVALID_VALUE;                                                   \
        CHECK(cublasScalEx, suffix, x_type, x_type, alpha_type, sums);                             \
        return map(h, x_type, "scal", forward(x_type, n, x, sx), alpha_type, alpha);               \
    }                                                                                              \
    API(cublasCopyEx##suffix, blas_handle_t h, N n, const void *x, int x_type, N sx, void *y,      \
        int y_type, N sy) {                                                                        \
        CHECK(cublasCopyEx, suffix, x_type, y_type, x_type, x_type);                               \
        return map(h, x_type, "copy", vectors(x_type, n, x, sx, y, sy), x_type, NULL);             \
    }                                                                                              \
    API(cublasSwapEx##suffix, blas_handle_t h, N n, void *x, int x_type, N sx, void *y,            \
        int y_type, N sy) {                                                                        \
        CHECK(cublasSwapEx, suffix, x_type, y_type, x_type, x_type);                               \
        return map(h, x_type, "swap", vectors(x_type, n, x, sx, y, sy), x_type, NULL);             \
    }                                                                                              \
    API(cublasDotEx##suffix, blas_handle_t h, N n, const void *x, int x_type, N sx, const void *y, \
        int y_type, N sy, void *result, int result_type, int sums) {                               \
        CHECK(cublasDotEx, suffix, x_type, y_type, result_type, sums);                             \
        if (result_type != x_type)                                                                 \
            return blas_refuse("cublasDotEx" #suffix, "a result of another type");                 \
        return dot(h, x_type, n, x, sx, y, sy, false, result);                                     \
    }                                                                                              \
    API(cublasDotcEx##suffix, blas_handle_t h, N n, const void *x, int x_type, N sx,               \
        const void *y, int y_type, N sy, void *result, int result_type, int sums) {                \
        CHECK(cublasDotcEx, suffix, x_type, y_type, result_type, sums);                            \
        if (result_type != x_type)                                                                 \
            return blas_refuse("cublasDotcEx" #suffix, "a result of another type");                \
        return dot(h, x_type, n, x, sx, y, sy, true, result);                                      \
    }                                                                                              \
    API(cublasNrm2Ex##suffix, blas_handle_t h, N n, const void *x, int x_type, N sx, void *result, \
        int result_type, int sums) {                                                               \
        CHECK(cublasNrm2Ex, suffix, x_type, x_type, result_type,                                   \
              sums == result_type ? x_type : sums);                                                \
        if (result_type != real_of(x_type))                                                        \
            return blas_refuse("cublasNrm2Ex" #suffix, "a result of another type");                \
        return sum(h, x_type, "nrm2", n, x, sx, result);                                           \
    }                                                                                              \
    API(cublasAsumEx##suffix, blas_handle_t h, N n, const void *x, int x_type, N sx, void *result, \
        int result_type, int sums) {                                                               \
        CHECK(cublasAsumEx, suffix, x_type, x_type, result_type,                                   \
              sums == result_type ? x_type : sums);                                                \
        if (result_type != real_of(x_type))                                                        \
            return blas_refuse("cublasAsumEx" #suffix, "a result of another type");                \
        return sum(h, x_type, "asum", n, x, sx, result);                                           \
    }                                                                                              \
    API(cublasIamaxEx##suffix, blas_handle_t h, N n, const void *x, int x_type, N sx, N *result) { \
        CHECK(cublasIamaxEx, suffix, x_type, x_type, x_type, x_type);                              \
        return place(h, x_type, false, sizeof(N) == 8, n, x, sx, result);                          \
    }                                                                                              \
    API(cublasIaminEx##suffix, blas_handle_t h, N n, const void *x, int x_type, N sx, N *result) { \
        CHECK(cublasIaminEx, suffix, x_type, x_type, x_type, x_type);                              \
        return place(h, x_type, true, sizeof(N) == 8, n, x, sx, result);                           \
    }                                                                                              \
    API(cublasRotEx##suffix, blas_handle_t h, N n, void *x, int x_type, N sx, void *y, int y_type, \
        N sy, const void *c, const void *s, int cs_type, int sums) {                               \
        CHECK(cublasRotEx, suffix, x_type, y_type, cs_type, sums);                                 \
        if (is_short(x_type) && cs_type != x_type)                                                 \
            return blas_refuse("cublasRotEx" #suffix, "a cosine of another type");                 \
        return rotate(h, x_type, cs_type, rotated(x_type, n, x, sx, y, sy), c, s);                 \
    }                                                                                              \
    API(cublasRotmEx##suffix, blas_handle_t h, N n, void *x, int x_type, N sx, void *y,            \
        int y_type, N sy, const void *flags, int flags_type, int sums) {                           \
        CHECK(cublasRotmEx, suffix, x_type, y_type, flags_type, sums);                             \
        if (!is_real(x_type) || flags_type != x_type)                                              \
            return blas_refuse("cublasRotmEx" #suffix,                                             \
                               "complex elements, or flags of another type");                      \
        return rotate_flags(h, x_type, flags_type, rotated(x_type, n, x, sx, y, sy), flags);       \
    }
VECTORS(, int)
VECTORS(_64, int64_t)

API(cublasRotgEx, blas_handle_t h, void *a, void *b, int type, void *c, void *s, int cs_type,
    int sums) {
    if (is_short(type) || (cs_type != type && cs_type != real_of(type)))
        return blas_refuse("cublasRotgEx", "elements of type %d with a cosine of type %d", type,
                           cs_type);
    CHECK(cublasRotgEx, , type, type, cs_type, sums);
    return make_rotation(h, type, a, b, c, s);
}
API(cublasRotmgEx, blas_handle_t h, void *d1, int d1_type, void *d2, int d2_type, void *x,
    int x_type, const void *y, int y_type, void *flags, int flags_type, int sums) {
    if (is_short(x_type) || !is_real(x_type) || d1_type != x_type || d2_type != x_type ||
        flags_type != x_type)
        return blas_refuse("cublasRotmgEx", "numbers of other types than single or double");
    CHECK(cublasRotmgEx, , x_type, y_type, flags_type, sums);
    return make_flags(h, x_type, d1, d2, x, y, flags);
}
