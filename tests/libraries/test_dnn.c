// cuDNN of our own against loops on the host in double precision: convolutions and their gradients (groups, strides, dilation,
// both orders of elements, one to three directions), batch normalisation, pooling, softmax, activations, reductions.
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda.h"

typedef struct handle *handle_t;
typedef void *desc_t;
int cudnnCreate(handle_t *), cudnnDestroy(handle_t);
int cudnnCreateTensorDescriptor(desc_t *), cudnnDestroyTensorDescriptor(desc_t), cudnnCreateFilterDescriptor(desc_t *),
    cudnnDestroyFilterDescriptor(desc_t), cudnnCreateConvolutionDescriptor(desc_t *), cudnnDestroyConvolutionDescriptor(desc_t);
int cudnnSetTensorNdDescriptorEx(desc_t, int, int, int, const int *), cudnnSetFilterNdDescriptor(desc_t, int, int, int, const int *);
int cudnnSetConvolutionNdDescriptor(desc_t, int, const int *, const int *, const int *, int, int), cudnnSetConvolutionGroupCount(desc_t, int);
int cudnnGetConvolutionNdForwardOutputDim(desc_t, desc_t, desc_t, int, int *);
int cudnnGetConvolutionForwardWorkspaceSize(handle_t, desc_t, desc_t, desc_t, desc_t, int, size_t *);
int cudnnGetConvolutionBackwardFilterWorkspaceSize(handle_t, desc_t, desc_t, desc_t, desc_t, int, size_t *);
int cudnnConvolutionForward(handle_t, const void *, desc_t, CUdeviceptr, desc_t, CUdeviceptr, desc_t, int, CUdeviceptr, size_t,
                            const void *, desc_t, CUdeviceptr);
int cudnnConvolutionBackwardData(handle_t, const void *, desc_t, CUdeviceptr, desc_t, CUdeviceptr, desc_t, int, CUdeviceptr, size_t,
                                 const void *, desc_t, CUdeviceptr);
int cudnnConvolutionBackwardFilter(handle_t, const void *, desc_t, CUdeviceptr, desc_t, CUdeviceptr, desc_t, int, CUdeviceptr, size_t,
                                   const void *, desc_t, CUdeviceptr);
int cudnnConvolutionBiasActivationForward(handle_t, const void *, desc_t, CUdeviceptr, desc_t, CUdeviceptr, desc_t, int, CUdeviceptr, size_t,
                                          const void *, desc_t, CUdeviceptr, desc_t, CUdeviceptr, desc_t, desc_t, CUdeviceptr);
int cudnnBatchNormalizationForwardTraining(handle_t, int, const void *, const void *, desc_t, CUdeviceptr, desc_t, CUdeviceptr, desc_t,
                                           CUdeviceptr, CUdeviceptr, double, CUdeviceptr, CUdeviceptr, double, CUdeviceptr, CUdeviceptr);
int cudnnBatchNormalizationBackward(handle_t, int, const void *, const void *, const void *, const void *, desc_t, CUdeviceptr, desc_t,
                                    CUdeviceptr, desc_t, CUdeviceptr, desc_t, CUdeviceptr, CUdeviceptr, CUdeviceptr, double,
                                    CUdeviceptr, CUdeviceptr);
int cudnnCreatePoolingDescriptor(desc_t *), cudnnSetPooling2dDescriptor(desc_t, int, int, int, int, int, int, int, int);
int cudnnPoolingForward(handle_t, desc_t, const void *, desc_t, CUdeviceptr, const void *, desc_t, CUdeviceptr);
int cudnnPoolingBackward(handle_t, desc_t, const void *, desc_t, CUdeviceptr, desc_t, CUdeviceptr, desc_t, CUdeviceptr, const void *,
                         desc_t, CUdeviceptr);
int cudnnSoftmaxForward(handle_t, int, int, const void *, desc_t, CUdeviceptr, const void *, desc_t, CUdeviceptr);
int cudnnCreateActivationDescriptor(desc_t *), cudnnSetActivationDescriptor(desc_t, int, int, double);
int cudnnActivationForward(handle_t, desc_t, const void *, desc_t, CUdeviceptr, const void *, desc_t, CUdeviceptr);
int cudnnCreateReduceTensorDescriptor(desc_t *), cudnnSetReduceTensorDescriptor(desc_t, int, int, int, int, int);
int cudnnReduceTensor(handle_t, desc_t, CUdeviceptr, size_t, CUdeviceptr, size_t, const void *, desc_t, CUdeviceptr, const void *, desc_t,
                      CUdeviceptr);
int cudnnCreateAttnDescriptor(desc_t *);
int cudnnCreateSpatialTransformerDescriptor(desc_t *), cudnnDestroySpatialTransformerDescriptor(desc_t),
    cudnnSetSpatialTransformerNdDescriptor(desc_t, int, int, int, const int *);
int cudnnSpatialTfGridGeneratorForward(handle_t, desc_t, CUdeviceptr, CUdeviceptr), cudnnSpatialTfGridGeneratorBackward(handle_t, desc_t, CUdeviceptr, CUdeviceptr);
int cudnnSpatialTfSamplerForward(handle_t, desc_t, const void *, desc_t, CUdeviceptr, CUdeviceptr, const void *, desc_t, CUdeviceptr);
int cudnnSpatialTfSamplerBackward(handle_t, desc_t, const void *, desc_t, CUdeviceptr, const void *, desc_t, CUdeviceptr, const void *, desc_t, CUdeviceptr,
                                  CUdeviceptr, const void *, CUdeviceptr);
int cudnnBackendCreateDescriptor(int, desc_t *), cudnnBackendSetAttribute(desc_t, int, int, int64_t, const void *),
    cudnnBackendFinalize(desc_t), cudnnBackendGetAttribute(desc_t, int, int, int64_t, int64_t *, void *), cudnnBackendDestroyDescriptor(desc_t),
    cudnnBackendExecute(handle_t, desc_t, desc_t);

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
    return (double)(int32_t)(seed >> 8 & 0xfff) / 2048 - 1;
}

enum { FLOAT, DOUBLE, HALF, BFLOAT16 = 9 }; // cudnnDataType_t
// An array of a type: on the device, and as the host computes with it.
struct array {
    double *v;
    CUdeviceptr at;
    long n;
    int type;
};
static size_t element_of(int type) { return type == DOUBLE ? 8 : type == FLOAT ? 4 : 2; }
static size_t bytes_of(const struct array *a) { return (size_t)a->n * element_of(a->type); }
// A number of at most 4 and a multiple of 2^-11 in its type, rounded toward zero, and back.
static uint16_t to_short(double v, int type) {
    const float f = (float)v;
    uint32_t bits;
    memcpy(&bits, &f, 4);
    if (type == BFLOAT16) return (uint16_t)(bits >> 16);
    const int exponent = (int)(bits >> 23 & 255) - 127 + 15;
    return (uint16_t)(bits >> 16 & 0x8000) | (uint16_t)(f == 0 ? 0 : exponent << 10 | (int)(bits >> 13 & 1023));
}
static double from_short(uint16_t v, int type) {
    const uint32_t bits = (uint32_t)v << 16;
    float f;
    memcpy(&f, &bits, 4);
    const int exponent = v >> 10 & 31, fraction = v & 1023;
    if (type == BFLOAT16) return f;
    return (v >> 15 ? -1 : 1) * (exponent == 31 ? HUGE_VAL : exponent ? ldexp(1024 + fraction, exponent - 25) : ldexp(fraction, -24));
}
static void put(void *to, int type, long i, double v) {
    if (type == DOUBLE) ((double *)to)[i] = v;
    else if (type == FLOAT) ((float *)to)[i] = (float)v;
    else ((uint16_t *)to)[i] = to_short(v, type);
}
static double get(const void *from, int type, long i) {
    return type == DOUBLE ? ((const double *)from)[i] : type == FLOAT ? (double)((const float *)from)[i] : from_short(((const uint16_t *)from)[i], type);
}
static void send(struct array *a) {
    void *const held = malloc(bytes_of(a));
    for (long i = 0; i < a->n; i++) {
        put(held, a->type, i, a->v[i]);
        a->v[i] = get(held, a->type, i);
    }
    cuMemcpyHtoD(a->at, held, bytes_of(a));
    free(held);
}
static struct array make(long n, int type) {
    struct array a = {.v = calloc((size_t)n, sizeof(double)), .n = n, .type = type};
    for (long i = 0; i < n; i++) a.v[i] = number();
    cuMemAlloc(&a.at, bytes_of(&a) + 16);
    send(&a);
    return a;
}
static void drop(struct array *a) {
    cuMemFree(a->at);
    free(a->v);
}
// The array holds what is expected; the device what came out.
static void compare(const char *what, const struct array *a, double tolerance) {
    void *const got = malloc(bytes_of(a));
    cuMemcpyDtoH(got, a->at, bytes_of(a));
    double worst = 0, largest = 1;
    for (long i = 0; i < a->n; i++) {
        const double g = get(got, a->type, i);
        if (!(fabs(g - a->v[i]) <= worst)) worst = isnan(g) ? HUGE_VAL : fabs(g - a->v[i]);
        largest = fmax(largest, fabs(a->v[i]));
    }
    CHECK(worst <= tolerance * largest, "%s: off by %g of %g", what, worst, largest);
    free(got);
}

// ---- convolutions -------------------------------------------------------------------------------------
struct shape {
    int rank, n, c, k, groups, in[3], window[3], stride[3], pad[3], dilation[3];
    bool is_last, is_flipped; // is_last: channels last
    int type;
};
static const struct shape shapes[] = {
    {2, 2, 3, 8, 1, {9, 11}, {3, 3}, {1, 1}, {1, 1}, {1, 1}, false, false, FLOAT},
    {2, 2, 4, 6, 2, {9, 10}, {3, 5}, {2, 1}, {1, 2}, {1, 1}, false, false, FLOAT},
    {2, 2, 8, 6, 1, {7, 9}, {3, 3}, {2, 2}, {0, 1}, {1, 1}, true, false, FLOAT},
    {2, 1, 6, 6, 6, {9, 9}, {3, 3}, {1, 1}, {2, 2}, {2, 2}, false, true, DOUBLE},
    {3, 2, 2, 3, 1, {5, 6, 7}, {2, 3, 2}, {1, 2, 1}, {1, 0, 1}, {1, 1, 2}, false, false, DOUBLE},
    {2, 2, 40, 72, 1, {13, 12}, {3, 3}, {1, 1}, {1, 1}, {1, 1}, false, false, FLOAT},
    // on tensor cores, of bfloat16 from compute capability 8.0 on
    {2, 2, 20, 36, 1, {9, 10}, {3, 3}, {1, 1}, {1, 1}, {1, 1}, false, false, HALF},
    {2, 1, 64, 68, 2, {9, 8}, {3, 2}, {2, 1}, {1, 1}, {1, 2}, true, false, HALF},
    {2, 1, 24, 70, 1, {7, 11}, {3, 3}, {1, 1}, {0, 1}, {1, 1}, false, true, BFLOAT16},
    {1, 4, 17, 130, 1, {75}, {5}, {1}, {2}, {1}, true, false, HALF},
    // groups of whole pieces of channels as they lie, steps of two; single precision, rounded from 8.0 on
    {2, 2, 32, 48, 2, {9, 8}, {3, 3}, {2, 2}, {1, 1}, {1, 1}, true, false, HALF},
    {2, 2, 24, 32, 1, {9, 7}, {3, 2}, {1, 2}, {1, 0}, {1, 1}, true, false, FLOAT},
    // planes of channels: at multiples of four places and of none, with groups, steps and filters of one place
    {2, 2, 32, 48, 2, {8, 10}, {3, 3}, {1, 1}, {1, 1}, {1, 1}, false, false, HALF},
    {2, 3, 64, 40, 1, {7, 9}, {1, 1}, {1, 1}, {0, 0}, {1, 1}, false, false, BFLOAT16},
    {2, 1, 72, 136, 1, {12, 14}, {3, 3}, {2, 1}, {1, 1}, {1, 1}, false, false, HALF},
    {2, 2, 24, 40, 1, {12, 8}, {3, 3}, {1, 1}, {1, 1}, {1, 1}, false, false, FLOAT},
};
static long index_of(const int size[5], bool is_last, const int i[5]) {
    return is_last ? (((((long)i[0] * size[2] + i[2]) * size[3] + i[3]) * size[4]) + i[4]) * size[1] + i[1]
                   : ((((long)i[0] * size[1] + i[1]) * size[2] + i[2]) * size[3] + i[3]) * size[4] + i[4];
}
static void describe(desc_t d, bool is_filter, const struct shape *s, const int size[5]) {
    int packed[5] = {size[0], size[1]};
    for (int i = 0; i < s->rank; i++) packed[2 + i] = size[5 - s->rank + i];
    const int type = s->type, format = s->is_last;
    CHECK(!(is_filter ? cudnnSetFilterNdDescriptor(d, type, format, s->rank + 2, packed)
                      : cudnnSetTensorNdDescriptorEx(d, format, type, s->rank + 2, packed)),
          "a description");
}
static void convolve(handle_t h, const struct shape *s) {
    int in[3] = {1, 1, 1}, window[3] = {1, 1, 1}, stride[3] = {1, 1, 1}, pad[3] = {0}, dilation[3] = {1, 1, 1}, out[3];
    for (int i = 0; i < s->rank; i++) {
        const int to = 3 - s->rank + i;
        in[to] = s->in[i], window[to] = s->window[i], stride[to] = s->stride[i], pad[to] = s->pad[i], dilation[to] = s->dilation[i];
    }
    for (int i = 0; i < 3; i++) out[i] = 1 + (in[i] + 2 * pad[i] - ((window[i] - 1) * dilation[i] + 1)) / stride[i];
    const int cg = s->c / s->groups, kg = s->k / s->groups;
    const int x_size[5] = {s->n, s->c, in[0], in[1], in[2]}, w_size[5] = {s->k, cg, window[0], window[1], window[2]},
              y_size[5] = {s->n, s->k, out[0], out[1], out[2]};
    long nx = 1, nw = 1, ny = 1;
    for (int i = 0; i < 5; i++) nx *= x_size[i], nw *= w_size[i], ny *= y_size[i];
    struct array x = make(nx, s->type), w = make(nw, s->type), y = make(ny, s->type), dy = make(ny, s->type),
                 dx = make(nx, s->type), dw = make(nw, s->type);
    double *const want_y = calloc((size_t)ny, 8), *const want_dx = calloc((size_t)nx, 8), *const want_dw = calloc((size_t)nw, 8);
    for (int n = 0; n < s->n; n++)
        for (int k = 0; k < s->k; k++)
            for (int c = 0; c < cg; c++)
                for (int o = 0; o < out[0] * out[1] * out[2]; o++)
                    for (int r = 0; r < window[0] * window[1] * window[2]; r++) {
                        const int at[3] = {o / (out[1] * out[2]), o / out[2] % out[1], o % out[2]};
                        const int f[3] = {r / (window[1] * window[2]), r / window[2] % window[1], r % window[2]};
                        int i[3];
                        bool inside = true;
                        for (int d = 0; d < 3; d++) {
                            const int tap = s->is_flipped ? window[d] - 1 - f[d] : f[d];
                            i[d] = at[d] * stride[d] - pad[d] + tap * dilation[d];
                            inside = inside && i[d] >= 0 && i[d] < in[d];
                        }
                        if (!inside) continue;
                        const long ix = index_of(x_size, s->is_last, (int[]){n, k / kg * cg + c, i[0], i[1], i[2]}),
                                   iw = index_of(w_size, s->is_last, (int[]){k, c, f[0], f[1], f[2]}),
                                   iy = index_of(y_size, s->is_last, (int[]){n, k, at[0], at[1], at[2]});
                        want_y[iy] += x.v[ix] * w.v[iw];
                        want_dx[ix] += dy.v[iy] * w.v[iw];
                        want_dw[iw] += dy.v[iy] * x.v[ix];
                    }
    const double alpha = 1.5, beta = -0.5;
    const float alpha_f = 1.5f, beta_f = -0.5f;
    const bool is_double = s->type == DOUBLE;
    const void *const a = is_double ? (const void *)&alpha : &alpha_f, *const b = is_double ? (const void *)&beta : &beta_f;
    for (long i = 0; i < ny; i++) y.v[i] = alpha * want_y[i] + beta * y.v[i];
    for (long i = 0; i < nx; i++) dx.v[i] = alpha * want_dx[i] + beta * dx.v[i];
    for (long i = 0; i < nw; i++) dw.v[i] = alpha * want_dw[i] + beta * dw.v[i];
    desc_t tx, tw, ty, tc;
    cudnnCreateTensorDescriptor(&tx), cudnnCreateTensorDescriptor(&ty), cudnnCreateFilterDescriptor(&tw), cudnnCreateConvolutionDescriptor(&tc);
    describe(tx, false, s, x_size), describe(tw, true, s, w_size), describe(ty, false, s, y_size);
    CHECK(!cudnnSetConvolutionNdDescriptor(tc, s->rank, s->pad, s->stride, s->dilation, s->is_flipped ? 0 : 1, is_double), "a convolution");
    cudnnSetConvolutionGroupCount(tc, s->groups);
    int asked[5];
    CHECK(!cudnnGetConvolutionNdForwardOutputDim(tc, tx, tw, s->rank + 2, asked) && asked[1 + s->rank] == out[2], "the size of a result");
    size_t bytes = 0, bytes_w = 0;
    CHECK(!cudnnGetConvolutionForwardWorkspaceSize(h, tx, tw, tc, ty, 1, &bytes), "a work area");
    CHECK(!cudnnGetConvolutionBackwardFilterWorkspaceSize(h, tx, ty, tc, tw, 1, &bytes_w), "a work area");
    CUdeviceptr area = 0;
    if (bytes_w > bytes) bytes = bytes_w;
    if (bytes) cuMemAlloc(&area, bytes);
    // one rounding of the result: to 11 or 8 digits
    const double tolerance = is_double ? 1e-13 : s->type == HALF ? 0x1p-11 : s->type == BFLOAT16 ? 0x1p-8 : 1e-5;
    CHECK(!cudnnConvolutionForward(h, a, tx, x.at, tw, w.at, tc, 1, area, bytes, b, ty, y.at), "forward");
    compare("forward", &y, tolerance);
    CHECK(!cudnnConvolutionBackwardData(h, a, tw, w.at, ty, dy.at, tc, 1, area, bytes, b, tx, dx.at), "to the data");
    compare("to the data", &dx, tolerance);
    CHECK(!cudnnConvolutionBackwardFilter(h, a, tx, x.at, ty, dy.at, tc, 1, area, bytes, b, tw, dw.at), "to the filters");
    compare("to the filters", &dw, tolerance);
    if (area) cuMemFree(area);
    cudnnDestroyTensorDescriptor(tx), cudnnDestroyTensorDescriptor(ty), cudnnDestroyFilterDescriptor(tw), cudnnDestroyConvolutionDescriptor(tc);
    free(want_y), free(want_dx), free(want_dw);
    drop(&x), drop(&w), drop(&y), drop(&dy), drop(&dx), drop(&dw);
}

// relu(1.5 conv(x, w) - 0.5 z + bias), filters of one place, x and y by planes, z in the order that `z_last` says.
static void with_bias(handle_t h, bool z_last) {
    enum { N_ = 2, C_ = 40, K_ = 28, H_ = 9, W_ = 12, PLACES_ = H_ * W_ };
    struct array x = make(N_ * C_ * PLACES_, HALF), w = make(K_ * C_, HALF), z = make(N_ * K_ * PLACES_, HALF), b = make(K_, HALF),
                 y = make(N_ * K_ * PLACES_, HALF);
    const float alpha = 1.5f, beta = -0.5f;
    for (int i = 0; i < N_ * K_ * PLACES_; i++) {
        const int n = i / (K_ * PLACES_), k = i / PLACES_ % K_, p = i % PLACES_;
        double sum = 0;
        for (int c = 0; c < C_; c++) sum += x.v[(n * C_ + c) * PLACES_ + p] * w.v[k * C_ + c];
        y.v[i] = fmax(0, alpha * sum + beta * z.v[z_last ? (n * PLACES_ + p) * K_ + k : i] + b.v[k]);
    }
    desc_t tx, ty, tz, tb, tw, tc, relu;
    cudnnCreateTensorDescriptor(&tx), cudnnCreateTensorDescriptor(&ty), cudnnCreateTensorDescriptor(&tz), cudnnCreateTensorDescriptor(&tb);
    cudnnCreateFilterDescriptor(&tw), cudnnCreateConvolutionDescriptor(&tc), cudnnCreateActivationDescriptor(&relu);
    cudnnSetTensorNdDescriptorEx(tx, 0, HALF, 4, (const int[]){N_, C_, H_, W_});
    cudnnSetTensorNdDescriptorEx(ty, 0, HALF, 4, (const int[]){N_, K_, H_, W_});
    cudnnSetTensorNdDescriptorEx(tz, z_last, HALF, 4, (const int[]){N_, K_, H_, W_});
    cudnnSetTensorNdDescriptorEx(tb, 0, HALF, 4, (const int[]){1, K_, 1, 1});
    cudnnSetFilterNdDescriptor(tw, HALF, 0, 4, (const int[]){K_, C_, 1, 1});
    cudnnSetConvolutionNdDescriptor(tc, 2, (const int[]){0, 0}, (const int[]){1, 1}, (const int[]){1, 1}, 1, 0);
    cudnnSetActivationDescriptor(relu, 1, 0, 0);
    size_t bytes = 0;
    cudnnGetConvolutionForwardWorkspaceSize(h, tx, tw, tc, ty, 1, &bytes);
    CUdeviceptr area = 0;
    if (bytes) cuMemAlloc(&area, bytes);
    CHECK(!cudnnConvolutionBiasActivationForward(h, &alpha, tx, x.at, tw, w.at, tc, 1, area, bytes, &beta, tz, z.at, tb, b.at, relu, ty, y.at),
          "with a bias");
    compare("with a bias", &y, 0x1p-11);
    if (area) cuMemFree(area);
    drop(&x), drop(&w), drop(&z), drop(&b), drop(&y);
}

// ---- layers -------------------------------------------------------------------------------------------
enum { N = 3, C = 5, H = 6, W = 7, PLACES = H * W, ALL = N * C * PLACES };
static const float one = 1, zero = 0;
static desc_t tensor(int n, int c, int h, int w) {
    desc_t t;
    cudnnCreateTensorDescriptor(&t);
    cudnnSetTensorNdDescriptorEx(t, 0, 0, 4, (const int[]){n, c, h, w});
    return t;
}
static void normalise(handle_t h) {
    struct array x = make(ALL, false), y = make(ALL, false), dy = make(ALL, false), dx = make(ALL, false);
    struct array scale = make(C, false), bias = make(C, false), mean = make(C, false), variance = make(C, false), saved = make(C, false),
                 inverse = make(C, false), d_scale = make(C, false), d_bias = make(C, false);
    const desc_t t = tensor(N, C, H, W), p = tensor(1, C, 1, 1);
    const double epsilon = 1e-3, factor = 0.25;
    for (int c = 0; c < C; c++) {
        const int m = N * PLACES;
        double sum = 0, squares = 0, sum_dy = 0, sum_dx = 0;
#define EACH(i) for (int i##_ = 0, i; i = (i##_ / PLACES * C + c) * PLACES + i##_ % PLACES, i##_ < m; i##_++)
        EACH(i) sum += x.v[i];
        EACH(i) squares += (x.v[i] - sum / m) * (x.v[i] - sum / m);
        saved.v[c] = sum / m;
        inverse.v[c] = 1 / sqrt(squares / m + epsilon);
        mean.v[c] = (1 - factor) * mean.v[c] + factor * sum / m;
        variance.v[c] = (1 - factor) * variance.v[c] + factor * squares / (m - 1);
        EACH(i) y.v[i] = (x.v[i] - saved.v[c]) * inverse.v[c] * scale.v[c] + bias.v[c];
        EACH(i) sum_dy += dy.v[i];
        EACH(i) sum_dx += dy.v[i] * (x.v[i] - saved.v[c]) * inverse.v[c];
        d_bias.v[c] = sum_dy;
        d_scale.v[c] = sum_dx;
        EACH(i) dx.v[i] = scale.v[c] * inverse.v[c] * (dy.v[i] - sum_dy / m - (x.v[i] - saved.v[c]) * inverse.v[c] * sum_dx / m);
    }
    CHECK(!cudnnBatchNormalizationForwardTraining(h, 1, &one, &zero, t, x.at, t, y.at, p, scale.at, bias.at, factor, mean.at, variance.at,
                                                  epsilon, saved.at, inverse.at),
          "batch normalisation");
    compare("normalised", &y, 1e-5), compare("mean", &mean, 1e-6), compare("variance", &variance, 1e-6);
    compare("saved mean", &saved, 1e-6), compare("saved inverse", &inverse, 1e-5);
    CHECK(!cudnnBatchNormalizationBackward(h, 1, &one, &zero, &one, &zero, t, x.at, t, dy.at, t, dx.at, p, scale.at, d_scale.at, d_bias.at,
                                           epsilon, saved.at, inverse.at),
          "its gradient");
    compare("gradient", &dx, 1e-5), compare("of scale", &d_scale, 1e-5), compare("of bias", &d_bias, 1e-5);
    cudnnDestroyTensorDescriptor(t), cudnnDestroyTensorDescriptor(p);
    drop(&x), drop(&y), drop(&dy), drop(&dx), drop(&scale), drop(&bias), drop(&mean), drop(&variance), drop(&saved), drop(&inverse),
        drop(&d_scale), drop(&d_bias);
}
static void pool(handle_t h, int mode) {
    enum { OH = (H + 2 - 3) / 2 + 1, OW = (W + 2 - 3) / 2 + 1 };
    struct array x = make(ALL, false), y = make(N * C * OH * OW, false), dy = make(N * C * OH * OW, false), dx = make(ALL, false);
    memset(dx.v, 0, ALL * sizeof *dx.v);
    for (int i = 0; i < N * C; i++)
        for (int o = 0; o < OH * OW; o++) {
            const double *const from = x.v + i * PLACES;
            double sum = 0, best = -HUGE_VAL;
            int at = 0, inside = 0;
            for (int r = 0; r < 9; r++) {
                const int a = o / OW * 2 - 1 + r / 3, b = o % OW * 2 - 1 + r % 3;
                if (a < 0 || a >= H || b < 0 || b >= W) continue;
                inside++;
                sum += from[a * W + b];
                if (from[a * W + b] > best) best = from[a * W + b], at = a * W + b;
            }
            const int all = mode == 1 ? 9 : inside;
            y.v[i * OH * OW + o] = mode == 0 ? best : sum / all;
            if (mode == 0) {
                dx.v[i * PLACES + at] += dy.v[i * OH * OW + o];
                continue;
            }
            for (int r = 0; r < 9; r++) {
                const int a = o / OW * 2 - 1 + r / 3, b = o % OW * 2 - 1 + r % 3;
                if (a >= 0 && a < H && b >= 0 && b < W) dx.v[i * PLACES + a * W + b] += dy.v[i * OH * OW + o] / all;
            }
        }
    desc_t p;
    const desc_t t = tensor(N, C, H, W), o = tensor(N, C, OH, OW);
    cudnnCreatePoolingDescriptor(&p);
    cudnnSetPooling2dDescriptor(p, mode, 0, 3, 3, 1, 1, 2, 2);
    CHECK(!cudnnPoolingForward(h, p, &one, t, x.at, &zero, o, y.at), "pooling");
    compare("pooled", &y, 1e-6);
    CHECK(!cudnnPoolingBackward(h, p, &one, o, y.at, o, dy.at, t, x.at, &zero, t, dx.at), "its gradient");
    compare("gradient of pooling", &dx, 1e-6);
    cudnnDestroyTensorDescriptor(t), cudnnDestroyTensorDescriptor(o);
    drop(&x), drop(&y), drop(&dy), drop(&dx);
}
static void others(handle_t h) {
    struct array x = make(ALL, false), y = make(ALL, false), sums = make(C, false);
    const desc_t t = tensor(N, C, H, W), c = tensor(1, C, 1, 1);
    for (int i = 0; i < N * PLACES; i++) {
        double *const to = y.v + i / PLACES * C * PLACES + i % PLACES, *const from = x.v + (to - y.v);
        double sum = 0;
        for (int k = 0; k < C; k++) sum += exp(from[k * PLACES]);
        for (int k = 0; k < C; k++) to[k * PLACES] = exp(from[k * PLACES]) / sum;
    }
    CHECK(!cudnnSoftmaxForward(h, 1, 1, &one, t, x.at, &zero, t, y.at), "softmax");
    compare("softmax", &y, 1e-6);
    desc_t a, r;
    cudnnCreateActivationDescriptor(&a);
    cudnnSetActivationDescriptor(a, 2, 0, 0);
    for (int i = 0; i < ALL; i++) y.v[i] = tanh(x.v[i]);
    CHECK(!cudnnActivationForward(h, a, &one, t, x.at, &zero, t, y.at), "tanh");
    compare("tanh", &y, 1e-6);
    cudnnCreateReduceTensorDescriptor(&r);
    cudnnSetReduceTensorDescriptor(r, 7, 0, 0, 0, 0);
    for (int k = 0; k < C; k++) {
        double s = 0;
        for (int i = 0; i < ALL; i++)
            if (i / PLACES % C == k) s += x.v[i] * x.v[i];
        sums.v[k] = sqrt(s);
    }
    CHECK(!cudnnReduceTensor(h, r, 0, 0, 0, 0, &one, t, x.at, &zero, c, sums.at), "a norm");
    compare("norm", &sums, 1e-6);
    cudnnDestroyTensorDescriptor(t), cudnnDestroyTensorDescriptor(c);
    drop(&x), drop(&y), drop(&sums);
}

// ---- a graph: y = relu(x * w + bias), of 1 x 1 filters -------------------------------------------------
// Attributes follow as name, type, count, values.
static desc_t node(int kind, int n, ...) {
    desc_t d = NULL;
    CHECK(!cudnnBackendCreateDescriptor(kind, &d), "kind %d", kind);
    va_list list;
    va_start(list, n);
    for (int i = 0; i < n; i++) {
        const int name = va_arg(list, int), type = va_arg(list, int), count = va_arg(list, int);
        CHECK(!cudnnBackendSetAttribute(d, name, type, count, va_arg(list, const void *)), "attribute %d", name);
    }
    va_end(list);
    CHECK(!cudnnBackendFinalize(d), "kind %d is whole", kind);
    return d;
}
static desc_t graph_tensor(int64_t uid, const int64_t size[4], bool is_virtual) {
    const int64_t step[4] = {size[1] * size[2] * size[3], size[2] * size[3], size[3], 1}, align = 16;
    const int type = 0;
    return node(17, 6, 901, 1, 1, &type, 902, 3, 4, size, 903, 3, 4, step, 906, 3, 1, &uid, 900, 3, 1, &align, 907, 2, 1, &is_virtual);
}
static void graph(handle_t h) {
    enum { K = 4 };
    struct array x = make(ALL, false), w = make(K * C, false), b = make(K, false), y = make(N * K * PLACES, false);
    for (int i = 0; i < N * K * PLACES; i++) {
        const int n = i / (K * PLACES), k = i / PLACES % K, p = i % PLACES;
        double sum = b.v[k];
        for (int c = 0; c < C; c++) sum += x.v[(n * C + c) * PLACES + p] * w.v[k * C + c];
        y.v[i] = fmax(sum, 0);
    }
    const desc_t tx = graph_tensor('x', (const int64_t[]){N, C, H, W}, false), tw = graph_tensor('w', (const int64_t[]){K, C, 1, 1}, false),
                 tb = graph_tensor('b', (const int64_t[]){1, K, 1, 1}, false), ty = graph_tensor('y', (const int64_t[]){N, K, H, W}, false),
                 tv = graph_tensor('v', (const int64_t[]){N, K, H, W}, true), tu = graph_tensor('u', (const int64_t[]){N, K, H, W}, true);
    const int single = 0, correlation = 1, add = 0, relu = 100;
    const int64_t two = 2, ones[2] = {1, 1}, none[2] = {0}, first = 0;
    const desc_t c = node(1, 7, 100, 1, 1, &single, 101, 7, 1, &correlation, 102, 3, 2, ones, 103, 3, 2, ones, 104, 3, 2, none, 105, 3, 2,
                          none, 106, 3, 1, &two);
    const desc_t f = node(0, 2, 0, 14, 1, &add, 1, 1, 1, &single), g = node(0, 2, 0, 14, 1, &relu, 1, 1, 1, &single);
    const desc_t ops[] = {node(10, 6, 702, 15, 1, &c, 703, 15, 1, &tw, 704, 15, 1, &tx, 705, 15, 1, &tv, 700, 4, 1, &one, 701, 4, 1, &zero),
                          node(13, 4, 750, 15, 1, &f, 751, 15, 1, &tv, 752, 15, 1, &tb, 753, 15, 1, &tu),
                          node(13, 3, 750, 15, 1, &g, 751, 15, 1, &tu, 753, 15, 1, &ty)};
    const desc_t whole = node(15, 2, 800, 0, 1, &h, 801, 15, 3, ops);
    const desc_t engine = node(2, 2, 1300, 15, 1, &whole, 1301, 3, 1, &first), config = node(3, 1, 300, 15, 1, &engine),
                 plan = node(5, 2, 400, 0, 1, &h, 401, 15, 1, &config), bare = node(5, 1, 401, 15, 1, &config);
    // a plan keeps what it was made of
    for (int i = 0; i < 3; i++) cudnnBackendDestroyDescriptor(ops[i]);
    cudnnBackendDestroyDescriptor(whole), cudnnBackendDestroyDescriptor(engine), cudnnBackendDestroyDescriptor(config);
    int64_t bytes = 0, count = 0;
    CHECK(!cudnnBackendGetAttribute(plan, 402, 3, 1, &count, &bytes) && count == 1 && bytes == 0, "a plan brings its own work area");
    int64_t of_bare = 0; // a plan that names no handle
    CHECK(!cudnnBackendGetAttribute(bare, 402, 3, 1, &count, &of_bare) && of_bare == bytes, "%ld bytes", (long)of_bare);
    const int64_t uids[] = {'x', 'w', 'b', 'y'};
    const CUdeviceptr at[] = {x.at, w.at, b.at, y.at};
    const desc_t pack = node(16, 2, 1000, 3, 4, uids, 1001, 6, 4, at);
    CHECK(!cudnnBackendExecute(h, plan, pack), "a graph runs");
    compare("graph", &y, 1e-5);
    cudnnBackendDestroyDescriptor(plan), cudnnBackendDestroyDescriptor(bare), cudnnBackendDestroyDescriptor(pack);
    drop(&x), drop(&w), drop(&b), drop(&y);
}

// Graphs of other operations. Steps are given for an order of the axes, from the largest step on.
static desc_t ordered_tensor(int64_t uid, const int64_t size[4], const int order[4], bool is_virtual, bool is_value) {
    const int64_t align = 16;
    const int type = 0;
    int64_t step[4], all = 1;
    for (int i = 3; i >= 0; i--) step[order[i]] = all, all *= size[order[i]];
    return node(17, 7, 901, 1, 1, &type, 902, 3, 4, size, 903, 3, 4, step, 906, 3, 1, &uid, 900, 3, 1, &align, 907, 2, 1, &is_virtual, 908, 2, 1, &is_value);
}
static void run_graph(handle_t h, const desc_t *ops, int count, const int64_t *uids, const CUdeviceptr *at, int n) {
    const int64_t first = 0;
    const desc_t whole = node(15, 2, 800, 0, 1, &h, 801, 15, count, ops), engine = node(2, 2, 1300, 15, 1, &whole, 1301, 3, 1, &first),
                 config = node(3, 1, 300, 15, 1, &engine), plan = node(5, 2, 400, 0, 1, &h, 401, 15, 1, &config),
                 pack = node(16, 2, 1000, 3, n, uids, 1001, 6, n, at);
    cudnnBackendDestroyDescriptor(whole), cudnnBackendDestroyDescriptor(engine), cudnnBackendDestroyDescriptor(config);
    // what runs is the plan as another process would read it; of a part of its text none is made
    int64_t length = 0, again = 0;
    CHECK(!cudnnBackendGetAttribute(plan, 405, 24, 0, &length, NULL) && length > 100, "the length of a plan's text");
    char *const text = malloc((size_t)length);
    CHECK(!cudnnBackendGetAttribute(plan, 405, 24, length, &again, text) && again == length, "a plan's text");
    cudnnBackendDestroyDescriptor(plan);
    for (int64_t part = 0; part < length - 2; part += 1 + length / 50) {
        desc_t cut;
        cudnnBackendCreateDescriptor(5, &cut);
        CHECK(!cudnnBackendSetAttribute(cut, 405, 24, part, text) && cudnnBackendFinalize(cut), "%ld bytes of %ld are no plan", (long)part, (long)length);
        cudnnBackendDestroyDescriptor(cut);
    }
    const desc_t kept = node(5, 2, 400, 0, 1, &h, 405, 24, (int)length, text);
    CHECK(!cudnnBackendExecute(h, kept, pack), "a graph runs");
    cudnnBackendDestroyDescriptor(kept), cudnnBackendDestroyDescriptor(pack);
    free(text);
}
enum { B = 2, Q_HEADS = 4, K_HEADS = 2, ROWS_Q = 5, ROWS_K = 7, DEPTH = 8, DEEP = 6 };
// Attention as one operation, with fewer heads of keys than of queries, keys that lie with their heads inside, a scale by value, and a
// band as the program's own function of scores.
static void attention(handle_t h) {
    struct array q = make(B * Q_HEADS * ROWS_Q * DEPTH, FLOAT), k = make(B * K_HEADS * ROWS_K * DEPTH, FLOAT), v = make(B * K_HEADS * ROWS_K * DEEP, FLOAT),
                 o = make(B * Q_HEADS * ROWS_Q * DEEP, FLOAT), stats = make(B * Q_HEADS * ROWS_Q, FLOAT);
    const float scale = 0.4f, none = -HUGE_VALF;
    const int plain[4] = {0, 1, 2, 3}, inside[4] = {0, 2, 1, 3}, last[4] = {1, 2, 3, 0}; // as what is repeated for each image has it
    const int64_t scores[4] = {B, Q_HEADS, ROWS_Q, ROWS_K}, one_number[4] = {1, 1, 1, 1}, in = 's', out = 't';
    const int at_least = 303;
    const desc_t tq = ordered_tensor('q', (const int64_t[]){B, Q_HEADS, ROWS_Q, DEPTH}, plain, false, false),
                 tk = ordered_tensor('k', (const int64_t[]){B, K_HEADS, ROWS_K, DEPTH}, inside, false, false),
                 tv = ordered_tensor('v', (const int64_t[]){B, K_HEADS, ROWS_K, DEEP}, plain, false, false),
                 to = ordered_tensor('o', (const int64_t[]){B, Q_HEADS, ROWS_Q, DEEP}, inside, false, false),
                 tz = ordered_tensor('z', (const int64_t[]){B, Q_HEADS, ROWS_Q, 1}, plain, false, false), tc = ordered_tensor('c', one_number, plain, false, true),
                 tn = ordered_tensor('n', one_number, plain, false, true), ts = ordered_tensor('s', scores, plain, true, false),
                 tt = ordered_tensor('t', scores, last, true, false);
    const desc_t band = node(44, 4, 3000, 15, 1, &ts, 3005, 15, 1, &tn, 3006, 15, 1, &tt, 3007, 14, 1, &at_least), part = node(15, 1, 801, 15, 1, &band);
    const desc_t op = node(41, 9, 2800, 15, 1, &tq, 2801, 15, 1, &tk, 2802, 15, 1, &tv, 2803, 15, 1, &to, 2804, 15, 1, &tz, 2805, 15, 1, &tc, 2811, 15, 1, &part,
                           2812, 3, 1, &in, 2813, 3, 1, &out);
    const int64_t uids[] = {'q', 'k', 'v', 'o', 'z', 'c', 'n'};
    const CUdeviceptr at[] = {q.at, k.at, v.at, o.at, stats.at, (CUdeviceptr)&scale, (CUdeviceptr)&none};
    run_graph(h, &op, 1, uids, at, 7);
    for (int i = 0; i < B * Q_HEADS * ROWS_Q; i++) {
        const int b = i / (Q_HEADS * ROWS_Q), head = i / ROWS_Q % Q_HEADS, r = i % ROWS_Q, key = head / (Q_HEADS / K_HEADS);
        double p[ROWS_K], sum = 0;
        for (int c = 0; c <= r; c++) {
            double s = 0;
            for (int d = 0; d < DEPTH; d++) s += q.v[i * DEPTH + d] * k.v[((b * ROWS_K + c) * K_HEADS + key) * DEPTH + d];
            sum += p[c] = exp(s * (double)scale);
        }
        stats.v[i] = log(sum);
        for (int d = 0; d < DEEP; d++) {
            double s = 0;
            for (int c = 0; c <= r; c++) s += p[c] / sum * v.v[((b * K_HEADS + key) * ROWS_K + c) * DEEP + d];
            o.v[((b * ROWS_Q + r) * Q_HEADS + head) * DEEP + d] = s;
        }
    }
    compare("attention", &o, 1e-5), compare("logarithms of its sums", &stats, 1e-5);
    // a row whose only score is no number is none
    const float no_number = NAN;
    cuMemcpyHtoD(q.at, &no_number, 4);
    run_graph(h, &op, 1, uids, at, 7);
    float first[2 * Q_HEADS * DEEP];
    cuMemcpyDtoH(first, o.at, sizeof first);
    CHECK(isnan(first[0]) && isnan(first[DEEP - 1]) && !isnan(first[DEEP]) && !isnan(first[Q_HEADS * DEEP]), "attention of no number: %g %g %g %g", first[0],
          first[DEEP - 1], first[DEEP], first[Q_HEADS * DEEP]);
    drop(&q), drop(&k), drop(&v), drop(&o), drop(&stats);
}
// A gradient as programs write it out: products, a matrix seen the other way, a largest element that is a result and is taken again,
// a choice by numbers of rows and columns, a sum over heads in pairs. Operations stand in the wrong order.
static void pieces(handle_t h) {
    struct array a = make(B * Q_HEADS * ROWS_Q * DEPTH, FLOAT), b = make(B * Q_HEADS * DEPTH * ROWS_K, FLOAT), g = make(B * Q_HEADS * ROWS_Q * DEEP, FLOAT),
                 most = make(B * Q_HEADS * ROWS_Q, FLOAT), y = make(B * K_HEADS * ROWS_K * DEEP, FLOAT);
    const int plain[4] = {0, 1, 2, 3}, turned[4] = {0, 1, 3, 2}, inside[4] = {0, 2, 1, 3}, last[4] = {1, 2, 3, 0};
    const int64_t scores[4] = {B, Q_HEADS, ROWS_Q, ROWS_K}, other[4] = {B, Q_HEADS, ROWS_K, ROWS_Q}, rows = 2, columns = 3;
    const float none = 0;
    const int single = 0, modes[6] = {9, 13, 501, 501, 303, 601}, largest = 3, sum = 0;
    const desc_t ta = ordered_tensor('a', (const int64_t[]){B, Q_HEADS, ROWS_Q, DEPTH}, inside, false, false),
                 tb = ordered_tensor('b', (const int64_t[]){B, Q_HEADS, DEPTH, ROWS_K}, turned, false, false),
                 tg = ordered_tensor('g', (const int64_t[]){B, Q_HEADS, ROWS_Q, DEEP}, plain, false, false),
                 tm = ordered_tensor('m', (const int64_t[]){B, Q_HEADS, ROWS_Q, 1}, plain, false, false),
                 ty = ordered_tensor('y', (const int64_t[]){B, K_HEADS, ROWS_K, DEEP}, plain, false, false),
                 tn = ordered_tensor('n', (const int64_t[]){1, 1, 1, 1}, plain, false, true),
                 tw = ordered_tensor('w', (const int64_t[]){B, Q_HEADS, ROWS_K, DEEP}, plain, true, false), tu = ordered_tensor('u', other, turned, true, false);
    desc_t t[8], f[6];
    for (int i = 0; i < 8; i++) t[i] = ordered_tensor('0' + i, scores, i < 5 ? plain : last, true, false);
    for (int i = 0; i < 6; i++) f[i] = node(0, 3, 0, 14, 1, &modes[i], 1, 1, 1, &single, 9, 3, 1, i == 2 ? &rows : &columns);
    const desc_t product = node(18, 1, 1500, 1, 1, &single), max = node(21, 2, 1600, 18, 1, &largest, 1601, 1, 1, &single),
                 add = node(21, 2, 1600, 18, 1, &sum, 1601, 1, 1, &single);
    const desc_t ops[] = {node(22, 3, 1610, 15, 1, &tw, 1611, 15, 1, &ty, 1612, 15, 1, &add),
                          node(19, 4, 1520, 15, 1, &tu, 1521, 15, 1, &tg, 1522, 15, 1, &tw, 1523, 15, 1, &product),
                          node(31, 2, 2200, 15, 1, &t[6], 2201, 15, 1, &tu),
                          node(13, 5, 750, 15, 1, &f[5], 751, 15, 1, &t[2], 752, 15, 1, &tn, 758, 15, 1, &t[5], 753, 15, 1, &t[6]),
                          node(13, 4, 750, 15, 1, &f[4], 751, 15, 1, &t[3], 752, 15, 1, &t[4], 753, 15, 1, &t[5]),
                          node(13, 3, 750, 15, 1, &f[3], 751, 15, 1, &t[0], 753, 15, 1, &t[4]),
                          node(13, 3, 750, 15, 1, &f[2], 751, 15, 1, &t[0], 753, 15, 1, &t[3]),
                          node(13, 3, 750, 15, 1, &f[1], 751, 15, 1, &t[1], 753, 15, 1, &t[2]),
                          node(13, 4, 750, 15, 1, &f[0], 751, 15, 1, &t[0], 752, 15, 1, &tm, 753, 15, 1, &t[1]),
                          node(22, 3, 1610, 15, 1, &t[0], 1611, 15, 1, &tm, 1612, 15, 1, &max),
                          node(19, 4, 1520, 15, 1, &ta, 1521, 15, 1, &tb, 1522, 15, 1, &t[0], 1523, 15, 1, &product)};
    const int64_t uids[] = {'a', 'b', 'g', 'm', 'y', 'n'};
    const CUdeviceptr at[] = {a.at, b.at, g.at, most.at, y.at, (CUdeviceptr)&none};
    run_graph(h, ops, sizeof ops / sizeof *ops, uids, at, 6);
    for (int i = 0; i < B * K_HEADS * ROWS_K * DEEP; i++) y.v[i] = 0;
    for (int i = 0; i < B * Q_HEADS * ROWS_Q; i++) {
        const int image = i / (Q_HEADS * ROWS_Q), head = i / ROWS_Q % Q_HEADS, r = i % ROWS_Q;
        double s[ROWS_K] = {0};
        most.v[i] = -HUGE_VAL;
        for (int c = 0; c < ROWS_K; c++) {
            for (int d = 0; d < DEPTH; d++)
                s[c] += a.v[((image * ROWS_Q + r) * Q_HEADS + head) * DEPTH + d] * b.v[((image * Q_HEADS + head) * ROWS_K + c) * DEPTH + d];
            most.v[i] = fmax(most.v[i], s[c]);
        }
        for (int c = 0; c <= r; c++)
            for (int d = 0; d < DEEP; d++)
                y.v[((image * K_HEADS + head / 2) * ROWS_K + c) * DEEP + d] += exp(s[c] - most.v[i]) * g.v[i * DEEP + d];
    }
    compare("largest scores", &most, 1e-5), compare("a gradient in pieces", &y, 1e-5);
    drop(&a), drop(&b), drop(&g), drop(&most), drop(&y);
}

// A softmax whose results are dropped by a draw of ones: the draw is a result too. The same seed and offset give the same ones, whole
// blocks of four further on others.
static void drawn(handle_t h) {
    enum { ROWS = 40, COLUMNS = 50, COUNT = ROWS * COLUMNS };
    struct array x = make(COUNT, FLOAT), mask = make(COUNT, FLOAT), y = make(COUNT, FLOAT), stats = make(ROWS, FLOAT);
    const int plain[4] = {0, 1, 2, 3}, single = 0, mul = 1, bernoulli = 0, whole_number = 10;
    const int64_t size[4] = {1, 1, ROWS, COLUMNS}, ones[4] = {1, 1, 1, 1}, align = 16, uid_seed = 'd', uid_offset = 'f';
    const double share = 0.75;
    const bool no = false;
    const desc_t tx = ordered_tensor('x', size, plain, false, false), tm = ordered_tensor('m', size, plain, false, false), ty = ordered_tensor('y', size, plain, false, false),
                 tp = ordered_tensor('p', size, plain, true, false), tz = ordered_tensor('z', (const int64_t[]){1, 1, ROWS, 1}, plain, false, false);
    desc_t number[2];
    for (int i = 0; i < 2; i++)
        number[i] = node(17, 6, 901, 1, 1, &whole_number, 902, 3, 4, ones, 903, 3, 4, ones, 906, 3, 1, i ? &uid_offset : &uid_seed, 900, 3, 1, &align, 907, 2, 1, &no);
    const desc_t how = node(32, 2, 2300, 29, 1, &bernoulli, 2305, 5, 1, &share), f = node(0, 2, 0, 14, 1, &mul, 1, 1, 1, &single);
    const desc_t ops[] = {node(45, 3, 3100, 15, 1, &tx, 3101, 15, 1, &tp, 3102, 15, 1, &tz),
                          node(13, 4, 750, 15, 1, &f, 751, 15, 1, &tp, 752, 15, 1, &tm, 753, 15, 1, &ty),
                          node(33, 4, 2310, 15, 1, &tm, 2312, 15, 1, &how, 2311, 15, 1, &number[0], 2313, 15, 1, &number[1])};
    CUdeviceptr words;
    cuMemAlloc(&words, 16);
    float *const held = malloc(3 * COUNT * 4);
    for (int time = 0; time < 3; time++) {
        const int64_t seed_offset[2] = {1234567890123, time == 2 ? 40 : 8};
        cuMemcpyHtoD(words, seed_offset, 16);
        run_graph(h, ops, 3, (const int64_t[]){'x', 'm', 'y', 'z', 'd', 'f'}, (const CUdeviceptr[]){x.at, mask.at, y.at, stats.at, words, words + 8}, 6);
        cuMemcpyDtoH(held + time * COUNT, mask.at, COUNT * 4);
    }
    int count = 0, shifted = 0;
    for (int i = 0; i < COUNT; i++) {
        CHECK(held[i] == 0 || held[i] == 1, "a draw of %g", (double)held[i]);
        CHECK(held[i] == held[COUNT + i], "another draw at %d", i);
        CHECK(i + 32 >= COUNT || held[2 * COUNT + i] == held[i + 32], "the draw 32 further on at %d", i);
        count += held[i] == 1, shifted += held[i] != held[2 * COUNT + i];
    }
    CHECK(fabs(count / (double)COUNT - share) < 4 * sqrt(share * (1 - share) / COUNT) && shifted > COUNT / 5, "%d ones, %d others", count, shifted);
    for (int r = 0; r < ROWS; r++) {
        double sum = 0;
        for (int c = 0; c < COLUMNS; c++) sum += exp(x.v[r * COLUMNS + c]);
        stats.v[r] = log(sum);
        for (int c = 0; c < COLUMNS; c++) y.v[r * COLUMNS + c] = (double)held[2 * COUNT + r * COLUMNS + c] * exp(x.v[r * COLUMNS + c]) / sum;
    }
    compare("a softmax with some dropped", &y, 1e-6), compare("logarithms of sums", &stats, 1e-5);
    cuMemFree(words), free(held);
    drop(&x), drop(&mask), drop(&y), drop(&stats);
}

// ---- spatial transformers -----------------------------------------------------------------------------
// Each element of a tensor counts for a place of the grid by a tent of width two around it. Some places lie outside.
static void transform(handle_t h, int type, bool is_last) {
    enum { IMAGES = 2, CHANNELS = 3, ROWS = 6, COLUMNS = 4, HIGH = 5, WIDE = 7, SPOTS = HIGH * WIDE };
    const int size_x[4] = {IMAGES, CHANNELS, ROWS, COLUMNS}, size_y[4] = {IMAGES, CHANNELS, HIGH, WIDE};
    const double factor[4] = {1.5, -0.5, 0.75, 2}; // alpha, beta, and those of the grid
    const float factor_f[4] = {1.5f, -0.5f, 0.75f, 2};
    const void *f[4];
    for (int i = 0; i < 4; i++) f[i] = type == DOUBLE ? (const void *)&factor[i] : &factor_f[i];
    struct array theta = make(IMAGES * 6, type), grid = make(IMAGES * SPOTS * 2, type), x = make(IMAGES * CHANNELS * ROWS * COLUMNS, type),
                 y = make(IMAGES * CHANNELS * SPOTS, type), dy = make(y.n, type), dx = make(x.n, type), dgrid = make(grid.n, type),
                 dtheta = make(theta.n, type);
    desc_t d, tx, ty;
    cudnnCreateSpatialTransformerDescriptor(&d), cudnnCreateTensorDescriptor(&tx), cudnnCreateTensorDescriptor(&ty);
    CHECK(!cudnnSetSpatialTransformerNdDescriptor(d, 0, type, 4, size_y), "a transformer");
    cudnnSetTensorNdDescriptorEx(tx, is_last, type, 4, size_x), cudnnSetTensorNdDescriptorEx(ty, is_last, type, 4, size_y);
    const double tolerance = type == DOUBLE ? 1e-13 : type == HALF ? 4 * 0x1p-11 : type == BFLOAT16 ? 4 * 0x1p-8 : 1e-5;

    struct array made = make(grid.n, type);
    CHECK(!cudnnSpatialTfGridGeneratorForward(h, d, theta.at, made.at), "a grid");
    CHECK(!cudnnSpatialTfGridGeneratorBackward(h, d, grid.at, dtheta.at), "the gradient of its matrices");
    for (int i = 0; i < IMAGES * 6; i++) dtheta.v[i] = 0;
    for (int n = 0; n < IMAGES; n++)
        for (int e = 0; e < SPOTS; e++) {
            const double at[3] = {-1 + 2.0 * (e % WIDE) / (WIDE - 1), -1 + 2.0 * (e / WIDE) / (HIGH - 1), 1};
            for (int i = 0; i < 2; i++) {
                const int to = (n * SPOTS + e) * 2 + i;
                made.v[to] = 0;
                for (int k = 0; k < 3; k++) {
                    made.v[to] += theta.v[n * 6 + i * 3 + k] * at[k];
                    dtheta.v[n * 6 + i * 3 + k] += grid.v[to] * at[k];
                }
            }
        }
    compare("a grid", &made, tolerance), compare("the gradient of its matrices", &dtheta, tolerance);

    for (long i = 0; i < grid.n; i++) grid.v[i] *= 1.25; // beyond the corners, too
    send(&grid);
    CHECK(!cudnnSpatialTfSamplerForward(h, d, f[0], tx, x.at, grid.at, f[1], ty, y.at), "samples");
    CHECK(!cudnnSpatialTfSamplerBackward(h, d, f[0], tx, x.at, f[1], tx, dx.at, f[2], ty, dy.at, grid.at, f[3], dgrid.at), "gradients of samples");
    for (long i = 0; i < y.n; i++) y.v[i] *= factor[1];
    for (long i = 0; i < dx.n; i++) dx.v[i] *= factor[1];
    for (long i = 0; i < dgrid.n; i++) dgrid.v[i] *= factor[3];
    for (int n = 0; n < IMAGES; n++)
        for (int e = 0; e < SPOTS; e++)
            for (int c = 0; c < CHANNELS; c++)
                for (int i = 0; i < ROWS * COLUMNS; i++) {
                    const long g = (n * SPOTS + e) * 2;
                    const double off_x = (grid.v[g] + 1) / 2 * (COLUMNS - 1) - i % COLUMNS, off_y = (grid.v[g + 1] + 1) / 2 * (ROWS - 1) - i / COLUMNS;
                    if (fabs(off_x) >= 1 || fabs(off_y) >= 1) continue;
                    const int from_x[5] = {IMAGES, CHANNELS, 1, ROWS, COLUMNS}, from_y[5] = {IMAGES, CHANNELS, 1, HIGH, WIDE};
                    const long ix = index_of(from_x, is_last, (int[]){n, c, 0, i / COLUMNS, i % COLUMNS}), iy = index_of(from_y, is_last, (int[]){n, c, 0, e / WIDE, e % WIDE});
                    const double tent_x = 1 - fabs(off_x), tent_y = 1 - fabs(off_y);
                    y.v[iy] += factor[0] * tent_x * tent_y * x.v[ix];
                    dx.v[ix] += factor[0] * tent_x * tent_y * dy.v[iy];
                    dgrid.v[g] += factor[2] * (off_x > 0 ? -1 : 1) * tent_y * (COLUMNS - 1) / 2.0 * x.v[ix] * dy.v[iy];
                    dgrid.v[g + 1] += factor[2] * (off_y > 0 ? -1 : 1) * tent_x * (ROWS - 1) / 2.0 * x.v[ix] * dy.v[iy];
                }
    compare("samples", &y, tolerance), compare("their gradient", &dx, 4 * tolerance), compare("the grid's gradient", &dgrid, tolerance);
    CHECK(!cudnnDestroySpatialTransformerDescriptor(d), "the end of a transformer");
    cudnnDestroyTensorDescriptor(tx), cudnnDestroyTensorDescriptor(ty);
    drop(&theta), drop(&grid), drop(&x), drop(&y), drop(&dy), drop(&dx), drop(&dgrid), drop(&dtheta), drop(&made);
}

// Handles and matrices live until the program ends: the sanitizers look for wrong accesses here, not for leaks.
__attribute__((visibility("default"))) int __lsan_is_turned_off(void);
int __lsan_is_turned_off(void) { return 1; }

int main(int argc, char **argv) {
    const bool is_small = argc > 1 && !strcmp(argv[1], "small"), is_refused = argc > 1 && !strcmp(argv[1], "refused");
    CUcontext context;
    CUdevice device;
    handle_t h;
    cuInit(0), cuDeviceGet(&device, 0), cuCtxCreate(&context, 0, device);
    CHECK(!cudnnCreate(&h), "a handle");
    if (is_refused) {
        desc_t d;
        return cudnnCreateAttnDescriptor(&d) != 3000;
    }
    const bool is_short = argc > 1 && !strcmp(argv[1], "halves");
    for (size_t i = 0; i < (is_small ? 2 : sizeof shapes / sizeof *shapes); i++) {
        const int before = failed;
        if (is_short && element_of(shapes[i].type) != 2) continue;
        convolve(h, &shapes[i]);
        if (failed > before) printf("... of shape %zu\n", i);
    }
    if (!is_small) with_bias(h, false), with_bias(h, true);
    if (is_short) return failed != 0;
    normalise(h);
    for (int mode = 0; mode < (is_small ? 1 : 3); mode++) pool(h, mode);
    others(h);
    const int types[] = {FLOAT, DOUBLE, HALF, BFLOAT16};
    for (int i = 0; i < (is_small ? 2 : 4); i++) transform(h, types[i], i % 2);
    graph(h);
    attention(h), pieces(h), drawn(h);
    CHECK(!cudnnDestroy(h), "the end of a handle");
    if (!failed) puts("ok");
    return failed != 0;
}
