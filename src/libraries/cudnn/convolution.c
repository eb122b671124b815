// Convolutions by the calls that name each step. There is one way to compute each, whichever algorithm a program picks.
#include "cudnn.h"

#include <string.h>

API(cudnnSetConvolutionNdDescriptor, struct convolution *c, int rank, const int *pad,
    const int *stride, const int *dilation, int mode, int type) {
    if (!c || rank < 1 || rank > 3 || !pad || !stride || !dilation) return DNN_BAD_PARAM;
    *c = (struct convolution){.rank = rank, .mode = mode, .type = type, .groups = 1};
    for (int i = 0; i < rank; i++) {
        if (pad[i] < 0 || stride[i] < 1 || dilation[i] < 1) return DNN_BAD_PARAM;
        c->pad[i] = pad[i];
        c->stride[i] = stride[i];
        c->dilation[i] = dilation[i];
    }
    return DNN_SUCCESS;
}
API(cudnnSetConvolution2dDescriptor, struct convolution *c, int pad_h, int pad_w, int stride_h,
    int stride_w, int dilation_h, int dilation_w, int mode, int type) {
    return cudnnSetConvolutionNdDescriptor(c, 2, (const int[]){pad_h, pad_w},
                                           (const int[]){stride_h, stride_w},
                                           (const int[]){dilation_h, dilation_w}, mode, type);
}
API(cudnnGetConvolutionNdDescriptor, const struct convolution *c, int wanted, int *rank, int *pad,
    int *stride, int *dilation, int *mode, int *type) {
    if (!c) return DNN_BAD_PARAM;
    if (rank) *rank = c->rank;
    for (int i = 0; i < c->rank && i < wanted; i++) {
        if (pad) pad[i] = c->pad[i];
        if (stride) stride[i] = c->stride[i];
        if (dilation) dilation[i] = c->dilation[i];
    }
    if (mode) *mode = c->mode;
    if (type) *type = c->type;
    return DNN_SUCCESS;
}
API(cudnnGetConvolution2dDescriptor, const struct convolution *c, int *pad_h, int *pad_w,
    int *stride_h, int *stride_w, int *dilation_h, int *dilation_w, int *mode, int *type) {
    if (!c || c->rank != 2) return DNN_BAD_PARAM;
    int *const out[3][2] = {{pad_h, pad_w}, {stride_h, stride_w}, {dilation_h, dilation_w}};
    for (int i = 0; i < 2; i++) {
        if (out[0][i]) *out[0][i] = c->pad[i];
        if (out[1][i]) *out[1][i] = c->stride[i];
        if (out[2][i]) *out[2][i] = c->dilation[i];
    }
    if (mode) *mode = c->mode;
    if (type) *type = c->type;
    return DNN_SUCCESS;
}
#define SETTING(name, field)                                                                       \
    API(cudnnSetConvolution##name, struct convolution *c, int value) {                             \
        if (!c) return DNN_BAD_PARAM;                                                              \
        c->field = value;                                                                          \
        return DNN_SUCCESS;                                                                        \
    }                                                                                              \
    API(cudnnGetConvolution##name, const struct convolution *c, int *value) {                      \
        if (!c || !value) return DNN_BAD_PARAM;                                                    \
        *value = c->field;                                                                         \
        return DNN_SUCCESS;                                                                        \
    }
SETTING(MathType, math)
SETTING(GroupCount, groups)
SETTING(ReorderType, reorder)

API(cudnnGetConvolutionNdForwardOutputDim, const struct convolution *c, const struct dnn_tensor *x,
    const struct dnn_tensor *w, int rank, int *out) {
    if (!c || !x || !w || !out || x->rank != c->rank + 2 || w->rank != x->rank || rank < x->rank)
        return DNN_BAD_PARAM;
    out[0] = (int)x->size[0];
    out[1] = (int)w->size[0];
    for (int i = 0; i < c->rank; i++)
        out[2 + i] = (int)(1 + (x->size[2 + i] + 2 * c->pad[i] -
                                ((w->size[2 + i] - 1) * c->dilation[i] + 1)) /
                                   c->stride[i]);
    return DNN_SUCCESS;
}
API(cudnnGetConvolution2dForwardOutputDim, const struct convolution *c, const struct dnn_tensor *x,
    const struct dnn_tensor *w, int *n, int *k, int *h, int *v) {
    int size[4];
    if (!n || !k || !h || !v) return DNN_BAD_PARAM;
    const dnn_status s = cudnnGetConvolutionNdForwardOutputDim(c, x, w, 4, size);
    if (s) return s;
    *n = size[0], *k = size[1], *h = size[2], *v = size[3];
    return DNN_SUCCESS;
}

// ---- running ----------------------------------------------------------------------------------------
static dnn_status describe(enum dnn_direction direction, const struct convolution *c,
                           const struct dnn_tensor *x, const struct dnn_tensor *w,
                           const struct dnn_tensor *y, struct dnn_conv *out) {
    if (!c || !x || !w || !y || x->rank != c->rank + 2 || w->rank != x->rank || y->rank != x->rank)
        return DNN_BAD_PARAM;
    if (x->size[1] != w->size[1] * c->groups) return DNN_BAD_PARAM;
    *out = (struct dnn_conv){.direction = direction,
                             .x = *x,
                             .w = *w,
                             .y = *y,
                             .is_flipped = c->mode == MODE_CONVOLUTION,
                             .may_round = c->math != MATH_FMA,
                             .alpha = 1};
    for (int i = 0; i < c->rank; i++) {
        out->pad[i] = c->pad[i];
        out->stride[i] = c->stride[i];
        out->dilation[i] = c->dilation[i];
        const int64_t places =
            1 + (x->size[2 + i] + 2 * c->pad[i] - ((w->size[2 + i] - 1) * c->dilation[i] + 1)) /
                    c->stride[i];
        if (y->size[2 + i] != places) return DNN_BAD_PARAM;
    }
    return DNN_SUCCESS;
}

static dnn_status run(blas_handle_t h, const char *call, enum dnn_direction direction,
                      const void *alpha, const void *beta, const struct convolution *c,
                      const struct dnn_tensor *x, const struct dnn_tensor *w,
                      const struct dnn_tensor *y, const void *first, const void *second, void *to,
                      void *workspace, size_t bytes) {
    struct dnn_conv conv;
    if (!blas_is_handle(h) || !alpha || !beta || !first || !second || !to) return DNN_BAD_PARAM;
    const dnn_status s = describe(direction, c, x, w, y, &conv);
    if (s) return s;
    const char *const lacks = dnn_conv_lacks(&conv);
    if (lacks) return dnn_refuse(call, "%s", lacks);
    conv.from[0] = (uintptr_t)first;
    conv.from[1] = (uintptr_t)second;
    conv.to = (uintptr_t)to;
    conv.alpha = dnn_factor(x, alpha);
    conv.beta = dnn_factor(x, beta);
    return dnn_convolve(h, &conv, (uintptr_t)workspace, bytes);
}
API(cudnnConvolutionForward, blas_handle_t h, const void *alpha, const struct dnn_tensor *x,
    const void *x_at, const struct dnn_tensor *w, const void *w_at, const struct convolution *c,
    int algo, void *workspace, size_t bytes, const void *beta, const struct dnn_tensor *y,
    void *y_at) {
    (void)algo;
    return run(h, "cudnnConvolutionForward", DNN_FORWARD, alpha, beta, c, x, w, y, x_at, w_at, y_at,
               workspace, bytes);
}
API(cudnnConvolutionBackwardData, blas_handle_t h, const void *alpha, const struct dnn_tensor *w,
    const void *w_at, const struct dnn_tensor *dy, const void *dy_at, const struct convolution *c,
    int algo, void *workspace, size_t bytes, const void *beta, const struct dnn_tensor *dx,
    void *dx_at) {
    (void)algo;
    return run(h, "cudnnConvolutionBackwardData", DNN_TO_DATA, alpha, beta, c, dx, w, dy, w_at,
               dy_at, dx_at, workspace, bytes);
}
API(cudnnConvolutionBackwardFilter, blas_handle_t h, const void *alpha, const struct dnn_tensor *x,
    const void *x_at, const struct dnn_tensor *dy, const void *dy_at, const struct convolution *c,
    int algo, void *workspace, size_t bytes, const void *beta, const struct dnn_tensor *dw,
    void *dw_at) {
    (void)algo;
    return run(h, "cudnnConvolutionBackwardFilter", DNN_TO_FILTER, alpha, beta, c, x, dw, dy, x_at,
               dy_at, dw_at, workspace, bytes);
}
API(cudnnConvolutionBiasActivationForward, blas_handle_t h, const void *alpha1,
    const struct dnn_tensor *x, const void *x_at, const struct dnn_tensor *w, const void *w_at,
    const struct convolution *c, int algo, void *workspace, size_t bytes, const void *alpha2,
    const struct dnn_tensor *z, const void *z_at, const struct dnn_tensor *bias,
    const void *bias_at, const struct activation *a, const struct dnn_tensor *y, void *y_at) {
    static const char call[] = "cudnnConvolutionBiasActivationForward";
    (void)algo;
    struct dnn_conv conv;
    if (!blas_is_handle(h) || !alpha1 || !alpha2 || !x_at || !w_at || !y_at || !z || !bias || !a)
        return DNN_BAD_PARAM;
    const dnn_status s = describe(DNN_FORWARD, c, x, w, y, &conv);
    if (s) return s;
    const char *const lacks = dnn_conv_lacks(&conv);
    if (lacks) return dnn_refuse(call, "%s", lacks);
    if (bias->type != y->type || dnn_elements(bias) != y->size[1] || z->type != y->type ||
        z->rank != y->rank)
        return dnn_refuse(call, "a bias or a z of another kind than y");
    if (a->mode != ACTIVATION_RELU && a->mode != ACTIVATION_IDENTITY)
        return dnn_refuse(call, "activation %d (cudnnActivationMode_t)", a->mode);
    conv.from[0] = (uintptr_t)x_at;
    conv.from[1] = (uintptr_t)w_at;
    conv.to = (uintptr_t)y_at;
    conv.z = (uintptr_t)z_at;
    conv.z_like = *z;
    conv.bias = (uintptr_t)bias_at;
    conv.has_relu = a->mode == ACTIVATION_RELU;
    conv.alpha = dnn_factor(x, alpha1);
    conv.beta = dnn_factor(x, alpha2);
    return dnn_convolve(h, &conv, (uintptr_t)workspace, bytes);
}
// The sum of dy over all but the channels.
API(cudnnConvolutionBackwardBias, blas_handle_t h, const void *alpha, const struct dnn_tensor *dy,
    const void *dy_at, const void *beta, const struct dnn_tensor *db, void *db_at) {
    if (!blas_is_handle(h) || !alpha || !beta || !dy || !db || dy->rank < 3 ||
        dy->rank > LAYER_AXES || db->rank < 2 || db->size[1] != dy->size[1] ||
        dnn_elements(db) != db->size[1])
        return DNN_BAD_PARAM;
    struct reduce r = {.kept_all = dy->size[1],
                       .gone_all = dnn_elements(dy) / dy->size[1],
                       .x = (uintptr_t)dy_at,
                       .y = (uintptr_t)db_at,
                       .alpha = dnn_factor(dy, alpha),
                       .beta = dnn_factor(dy, beta),
                       .type_x = dy->type,
                       .type_y = db->type};
    for (int i = 0; i < LAYER_AXES; i++) {
        const bool is_axis = i < dy->rank;
        r.kept[i] = is_axis && i == 1 ? (int32_t)dy->size[1] : 1;
        r.gone[i] = is_axis && i != 1 ? (int32_t)dy->size[i] : 1;
        r.x_kept[i] = is_axis && i == 1 ? dy->step[1] : 0;
        r.x_gone[i] = is_axis && i != 1 ? dy->step[i] : 0;
        r.y_kept[i] = i == 1 ? db->step[1] : 0;
    }
    const uint32_t blocks = (uint32_t)(r.kept_all > 65535 ? 65535 : r.kept_all);
    return dnn_launch(h, DNN_LAYER, dy->type == DNN_DOUBLE ? DNN_DOUBLE : DNN_FLOAT, "reductions",
                      (const uint32_t[3]){blocks, 1, 1}, 0, &r, sizeof r);
}

// ---- the choice of an algorithm: one, of which all is known -------------------------------------------
struct choice {
    int algo, status;
    float time;
    size_t memory;
    int determinism, math, reserved[3];
};
static dnn_status choose(blas_handle_t h, enum dnn_direction direction, const struct convolution *c,
                         const struct dnn_tensor *x, const struct dnn_tensor *w,
                         const struct dnn_tensor *y, int wanted, int *found, struct choice *out) {
    struct dnn_conv conv;
    if (!blas_is_handle(h) || wanted < 1 || !found || !out) return DNN_BAD_PARAM;
    const dnn_status s = describe(direction, c, x, w, y, &conv);
    if (s) return s;
    const bool is_there = !dnn_conv_lacks(&conv);
    *found = is_there;
    // number 1 is each direction's that computes the same each time
    *out = (struct choice){.algo = 1,
                           .status = is_there ? DNN_SUCCESS : DNN_NOT_SUPPORTED,
                           .time = -1,
                           .determinism = 1};
    if (is_there) out->memory = dnn_conv_workspace(h, &conv);
    return is_there ? DNN_SUCCESS : DNN_NOT_SUPPORTED;
}
static dnn_status workspace(blas_handle_t h, enum dnn_direction direction,
                            const struct convolution *c, const struct dnn_tensor *x,
                            const struct dnn_tensor *w, const struct dnn_tensor *y, size_t *bytes) {
    struct choice choice;
    int found;
    if (!bytes) return DNN_BAD_PARAM;
    const dnn_status s = choose(h, direction, c, x, w, y, 1, &found, &choice);
    *bytes = s ? 0 : choice.memory;
    return s;
}
// CHOICE(direction in names, direction, count, parameters in the order of the vendor, x, w, y)
#define TENSOR   const struct dnn_tensor *
#define CONV     const struct convolution *c
#define CHOSEN   int wanted, int *found, struct choice *out
#define AT(name) const void *name
#define CHOICE(Name, direction, P1, P2, P3)                                                        \
    API(cudnnGetConvolution##Name##AlgorithmMaxCount, blas_handle_t h, int *count) {               \
        (void)h;                                                                                   \
        if (!count) return DNN_BAD_PARAM;                                                          \
        *count = 1;                                                                                \
        return DNN_SUCCESS;                                                                        \
    }                                                                                              \
    API(cudnnGetConvolution##Name##Algorithm_v7, blas_handle_t h, TENSOR P1, TENSOR P2, CONV,      \
        TENSOR P3, CHOSEN) {                                                                       \
        return choose(h, direction, c, x, w, y, wanted, found, out);                               \
    }                                                                                              \
    API(cudnnFindConvolution##Name##Algorithm, blas_handle_t h, TENSOR P1, TENSOR P2, CONV,        \
        TENSOR P3, CHOSEN) {                                                                       \
        return choose(h, direction, c, x, w, y, wanted, found, out);                               \
    }                                                                                              \
    API(cudnnFindConvolution##Name##AlgorithmEx, blas_handle_t h, TENSOR P1, AT(a1), TENSOR P2,    \
        AT(a2), CONV, TENSOR P3, void *a3, CHOSEN, void *area, size_t bytes) {                     \
        (void)a1, (void)a2, (void)a3, (void)area, (void)bytes;                                     \
        return choose(h, direction, c, x, w, y, wanted, found, out);                               \
    }                                                                                              \
    API(cudnnGetConvolution##Name##WorkspaceSize, blas_handle_t h, TENSOR P1, TENSOR P2, CONV,     \
        TENSOR P3, int algo, size_t *bytes) {                                                      \
        (void)algo;                                                                                \
        return workspace(h, direction, c, x, w, y, bytes);                                         \
    }
CHOICE(Forward, DNN_FORWARD, x, w, y)
CHOICE(BackwardData, DNN_TO_DATA, w, y, x)
CHOICE(BackwardFilter, DNN_TO_FILTER, x, y, w)
