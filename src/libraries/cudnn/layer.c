// Element-wise calls, activations, reductions, batch normalisation, pooling and softmax.
#include "cudnn.h"

#include <stdlib.h>

#define DESCRIPTION(name, type)                                                                    \
    API(cudnnCreate##name##Descriptor, struct type **out) {                                        \
        if (!out) return DNN_BAD_PARAM;                                                            \
        *out = calloc(1, sizeof **out);                                                            \
        return *out ? DNN_SUCCESS : DNN_ALLOC_FAILED;                                              \
    }                                                                                              \
    API(cudnnDestroy##name##Descriptor, struct type *d) {                                          \
        free(d);                                                                                   \
        return DNN_SUCCESS;                                                                        \
    }

static int sum_type(const struct dnn_tensor *t) { return t->type; }
static bool is_floating(const struct dnn_tensor *t) { return is_floating_type(t->type); }
static bool are_alike(const struct dnn_tensor *a, const struct dnn_tensor *b) {
    if (a->rank != b->rank || a->type != b->type) return false;
    for (int i = 0; i < a->rank; i++)
        if (a->size[i] != b->size[i]) return false;
    return true;
}

// ---- element by element -------------------------------------------------------------------------------
API(cudnnAddTensor, blas_handle_t h, const void *alpha, const struct dnn_tensor *a,
    const void *a_at, const void *beta, const struct dnn_tensor *c, void *c_at) {
    if (!blas_is_handle(h) || !alpha || !beta || !a || !c) return DNN_BAD_PARAM;
    struct point p = {.mode = POINT_IDENTITY,
                      .a = (uintptr_t)a_at,
                      .y = (uintptr_t)c_at,
                      .alpha = dnn_factor(a, alpha),
                      .alpha_a = 1,
                      .beta = dnn_factor(c, beta)};
    return dnn_points(h, "cudnnAddTensor", &p, a, NULL, c);
}
API(cudnnTransformTensor, blas_handle_t h, const void *alpha, const struct dnn_tensor *x,
    const void *x_at, const void *beta, const struct dnn_tensor *y, void *y_at) {
    return cudnnAddTensor(h, alpha, x, x_at, beta, y, y_at);
}
API(cudnnScaleTensor, blas_handle_t h, const struct dnn_tensor *y, void *y_at, const void *alpha) {
    if (!blas_is_handle(h) || !alpha || !y) return DNN_BAD_PARAM;
    struct point p = {.mode = POINT_IDENTITY,
                      .a = (uintptr_t)y_at,
                      .y = (uintptr_t)y_at,
                      .alpha = dnn_factor(y, alpha),
                      .alpha_a = 1};
    return dnn_points(h, "cudnnScaleTensor", &p, y, NULL, y);
}
struct operation {
    int mode, type, nan;
};
DESCRIPTION(OpTensor, operation)
API(cudnnSetOpTensorDescriptor, struct operation *o, int mode, int type, int nan) {
    if (!o || mode < 0 || mode > 5) return DNN_BAD_PARAM;
    *o = (struct operation){mode, type, nan};
    return DNN_SUCCESS;
}
API(cudnnOpTensor, blas_handle_t h, const struct operation *o, const void *alpha1,
    const struct dnn_tensor *a, const void *a_at, const void *alpha2, const struct dnn_tensor *b,
    const void *b_at, const void *beta, const struct dnn_tensor *c, void *c_at) {
    static const int mode[] = {POINT_ADD, POINT_MUL, POINT_MIN, POINT_MAX, POINT_SQRT, -1};
    if (!blas_is_handle(h) || !o || !alpha1 || !a || !beta || !c) return DNN_BAD_PARAM;
    if (mode[o->mode] < 0)
        return dnn_refuse("cudnnOpTensor", "operation %d (cudnnOpTensorOp_t)", o->mode);
    const bool is_binary = o->mode != 4;
    if (is_binary && (!b || !alpha2)) return DNN_BAD_PARAM;
    struct point p = {.mode = mode[o->mode],
                      .a = (uintptr_t)a_at,
                      .b = is_binary ? (uintptr_t)b_at : 0,
                      .y = (uintptr_t)c_at,
                      .alpha = 1,
                      .alpha_a = dnn_factor(a, alpha1),
                      .alpha_b = is_binary ? dnn_factor(b, alpha2) : 0,
                      .beta = dnn_factor(c, beta)};
    return dnn_points(h, "cudnnOpTensor", &p, a, is_binary ? b : NULL, c);
}
API(cudnnActivationForward, blas_handle_t h, const struct activation *f, const void *alpha,
    const struct dnn_tensor *x, const void *x_at, const void *beta, const struct dnn_tensor *y,
    void *y_at) {
    if (!blas_is_handle(h) || !f || !alpha || !beta || !x || !y) return DNN_BAD_PARAM;
    struct point p = {.a = (uintptr_t)x_at,
                      .y = (uintptr_t)y_at,
                      .alpha = dnn_factor(x, alpha),
                      .alpha_a = 1,
                      .beta = dnn_factor(y, beta)};
    activation_point(f, false, &p);
    return dnn_points(h, "cudnnActivationForward", &p, x, NULL, y);
}
API(cudnnActivationBackward, blas_handle_t h, const struct activation *f, const void *alpha,
    const struct dnn_tensor *y, const void *y_at, const struct dnn_tensor *dy, const void *dy_at,
    const struct dnn_tensor *x, const void *x_at, const void *beta, const struct dnn_tensor *dx,
    void *dx_at) {
    (void)y, (void)y_at;
    if (!blas_is_handle(h) || !f || !alpha || !beta || !dy || !x || !dx) return DNN_BAD_PARAM;
    struct point p = {.a = (uintptr_t)dy_at,
                      .b = (uintptr_t)x_at,
                      .y = (uintptr_t)dx_at,
                      .alpha = dnn_factor(x, alpha),
                      .alpha_a = 1,
                      .alpha_b = 1,
                      .beta = dnn_factor(dx, beta)};
    activation_point(f, true, &p);
    return dnn_points(h, "cudnnActivationBackward", &p, dy, x, dx);
}

// ---- reductions ---------------------------------------------------------------------------------------
struct reduction {
    int mode, type, nan, indices, index_type;
};
DESCRIPTION(ReduceTensor, reduction)
API(cudnnSetReduceTensorDescriptor, struct reduction *r, int mode, int type, int nan, int indices,
    int index_type) {
    if (!r || mode < 0 || mode > 8) return DNN_BAD_PARAM;
    *r = (struct reduction){mode, type, nan, indices, index_type};
    return DNN_SUCCESS;
}
API(cudnnGetReductionIndicesSize, blas_handle_t h, const struct reduction *r,
    const struct dnn_tensor *a, const struct dnn_tensor *c, size_t *bytes) {
    (void)h, (void)a;
    if (!r || !c || !bytes) return DNN_BAD_PARAM;
    *bytes = r->indices ? (size_t)dnn_elements(c) * 4 : 0;
    return DNN_SUCCESS;
}
API(cudnnGetReductionWorkspaceSize, blas_handle_t h, const struct reduction *r,
    const struct dnn_tensor *a, const struct dnn_tensor *c, size_t *bytes) {
    (void)h, (void)a;
    if (!r || !c || !bytes) return DNN_BAD_PARAM;
    *bytes = 0;
    return DNN_SUCCESS;
}
API(cudnnReduceTensor, blas_handle_t h, const struct reduction *r, void *indices,
    size_t indices_bytes, void *area, size_t area_bytes, const void *alpha,
    const struct dnn_tensor *a, const void *a_at, const void *beta, const struct dnn_tensor *c,
    void *c_at) {
    static const char call[] = "cudnnReduceTensor";
    (void)indices, (void)indices_bytes, (void)area, (void)area_bytes;
    if (!blas_is_handle(h) || !r || !alpha || !beta || !a || !c || a->rank != c->rank)
        return DNN_BAD_PARAM;
    if (r->indices && (r->mode == 2 || r->mode == 3 || r->mode == 4))
        return dnn_refuse(call, "indices of a reduction");
    if (a->rank > LAYER_AXES || !is_floating(a) || !is_floating(c))
        return dnn_refuse(call, "tensors of this type or of %d axes", a->rank);
    struct reduce k = {.mode = r->mode,
                       .kept_all = dnn_elements(c),
                       .gone_all = dnn_elements(a) / dnn_elements(c),
                       .x = (uintptr_t)a_at,
                       .y = (uintptr_t)c_at,
                       .alpha = dnn_factor(a, alpha),
                       .beta = dnn_factor(c, beta),
                       .type_x = a->type,
                       .type_y = c->type};
    for (int i = 0; i < LAYER_AXES; i++) {
        k.kept[i] = k.gone[i] = 1;
        if (i >= a->rank) continue;
        if (c->size[i] != 1 && c->size[i] != a->size[i]) return DNN_BAD_PARAM;
        const bool is_kept = c->size[i] == a->size[i];
        *(is_kept ? &k.kept[i] : &k.gone[i]) = (int32_t)a->size[i];
        *(is_kept ? &k.x_kept[i] : &k.x_gone[i]) = a->step[i];
        if (is_kept) k.y_kept[i] = c->step[i];
    }
    const uint32_t blocks = (uint32_t)(k.kept_all > 65535 ? 65535 : k.kept_all);
    return dnn_launch(h, DNN_LAYER, a->type == DNN_DOUBLE ? DNN_DOUBLE : DNN_FLOAT, "reductions",
                      (const uint32_t[3]){blocks, 1, 1}, 0, &k, sizeof k);
}

// ---- batch normalisation ------------------------------------------------------------------------------
enum { PER_ACTIVATION, SPATIAL, SPATIAL_PERSISTENT };
enum { OPS_NORM, OPS_NORM_ACTIVATION, OPS_NORM_ADD_ACTIVATION };

API(cudnnDeriveBNTensorDescriptor, struct dnn_tensor *to, const struct dnn_tensor *x, int mode) {
    if (!to || !x || x->rank < 2) return DNN_BAD_PARAM;
    *to = (struct dnn_tensor){.type = x->type == DNN_DOUBLE ? DNN_DOUBLE : DNN_FLOAT,
                              .rank = x->rank};
    for (int i = 0; i < x->rank; i++)
        to->size[i] = i == 0 || (i > 1 && mode != PER_ACTIVATION) ? 1 : x->size[i];
    dnn_pack(to);
    return DNN_SUCCESS;
}

// Places of a tensor as one axis: false where their steps do not let them be. `step` of image, channel, place.
static bool flatten(const struct dnn_tensor *t, int64_t step[3]) {
    step[0] = t->step[0];
    step[1] = t->step[1];
    step[2] = 0;
    int64_t next = 0;
    for (int i = t->rank - 1; i >= 2; i--) {
        if (t->size[i] == 1) continue;
        if (!step[2])
            step[2] = t->step[i];
        else if (t->step[i] != next)
            return false;
        next = t->step[i] * t->size[i];
    }
    if (!step[2]) step[2] = 1;
    return true;
}

static dnn_status norm_tensors(const char *call, struct norm *n, int mode,
                               const struct dnn_tensor *x, const struct dnn_tensor *y,
                               const struct dnn_tensor *d, const struct dnn_tensor *params) {
    int64_t sx[3], sy[3], sd[3];
    if (!x || !y || !params || x->rank < 2 || !are_alike(x, y) || (d && !are_alike(x, d)))
        return DNN_BAD_PARAM;
    if (!is_floating(x) || params->type != (x->type == DNN_DOUBLE ? DNN_DOUBLE : DNN_FLOAT))
        return dnn_refuse(call, "elements of type %d with parameters of type %d (cudnnDataType_t)",
                          x->type, params->type);
    if (!flatten(x, sx) || !flatten(y, sy) || !flatten(d ? d : x, sd))
        return dnn_refuse(call, "places that no single step leads through");
    int64_t places = 1;
    for (int i = 2; i < x->rank; i++) places *= x->size[i];
    if (mode == PER_ACTIVATION) {
        // each place of a channel has parameters of its own: they are channels of one place
        if (sx[2] != 1 || sy[2] != 1 || sd[2] != 1 || sx[1] != places || sy[1] != places ||
            sd[1] != places)
            return dnn_refuse(call, "parameters for each place of tensors that are not packed");
        n->channels = (int32_t)(x->size[1] * places);
        n->places = 1;
        sx[1] = sy[1] = sd[1] = 1;
    } else {
        n->channels = (int32_t)x->size[1];
        n->places = (int32_t)places;
    }
    n->images = (int32_t)x->size[0];
    n->x_image = sx[0], n->x_channel = sx[1], n->x_place = sx[2];
    n->y_image = sy[0], n->y_channel = sy[1], n->y_place = sy[2];
    n->d_image = sd[0], n->d_channel = sd[1], n->d_place = sd[2];
    return DNN_SUCCESS;
}
static dnn_status norm_run(blas_handle_t h, const struct norm *n, int type, const char *kernel) {
    return dnn_launch(h, DNN_LAYER, type, kernel, (const uint32_t[3]){(uint32_t)n->channels, 1, 1},
                      0, n, sizeof *n);
}
static dnn_status norm_activation(const char *call, struct norm *n, int ops,
                                  const struct activation *f) {
    if (ops == OPS_NORM) return DNN_SUCCESS;
    if (!f) return DNN_BAD_PARAM;
    if (f->mode != ACTIVATION_RELU && f->mode != ACTIVATION_IDENTITY)
        return dnn_refuse(call, "activation %d (cudnnActivationMode_t)", f->mode);
    n->has_relu = f->mode == ACTIVATION_RELU;
    return DNN_SUCCESS;
}

API(cudnnBatchNormalizationForwardTrainingEx, blas_handle_t h, int mode, int ops, const void *alpha,
    const void *beta, const struct dnn_tensor *x, const void *x_at, const struct dnn_tensor *z,
    const void *z_at, const struct dnn_tensor *y, void *y_at, const struct dnn_tensor *params,
    const void *scale, const void *bias, double factor, void *mean, void *variance, double epsilon,
    void *saved_mean, void *saved_inverse, const struct activation *f, void *area,
    size_t area_bytes, void *kept, size_t kept_bytes) {
    static const char call[] = "cudnnBatchNormalizationForwardTrainingEx";
    (void)area, (void)area_bytes, (void)kept, (void)kept_bytes;
    if (!blas_is_handle(h) || !alpha || !beta || !scale || !bias) return DNN_BAD_PARAM;
    struct norm n = {.x = (uintptr_t)x_at,
                     .y = (uintptr_t)y_at,
                     .scale = (uintptr_t)scale,
                     .bias = (uintptr_t)bias,
                     .mean = (uintptr_t)mean,
                     .variance = (uintptr_t)variance,
                     .saved_mean = (uintptr_t)saved_mean,
                     .saved_inverse = (uintptr_t)saved_inverse,
                     .epsilon = epsilon,
                     .factor = factor};
    dnn_status s = norm_tensors(call, &n, mode, x, y, NULL, params);
    if (!s) s = norm_activation(call, &n, ops, f);
    if (s) return s;
    if (ops == OPS_NORM_ADD_ACTIVATION) {
        int64_t sz[3];
        if (!z || !z_at || !are_alike(y, z) || !flatten(z, sz)) return DNN_BAD_PARAM;
        if (sz[0] != n.y_image || sz[1] != n.y_channel || sz[2] != n.y_place)
            return dnn_refuse(call, "a z that lies otherwise than y");
        n.z = (uintptr_t)z_at;
    }
    n.alpha = dnn_factor(x, alpha);
    n.beta = dnn_factor(x, beta);
    return norm_run(h, &n, sum_type(x), "norm_train");
}
API(cudnnBatchNormalizationForwardTraining, blas_handle_t h, int mode, const void *alpha,
    const void *beta, const struct dnn_tensor *x, const void *x_at, const struct dnn_tensor *y,
    void *y_at, const struct dnn_tensor *params, const void *scale, const void *bias, double factor,
    void *mean, void *variance, double epsilon, void *saved_mean, void *saved_inverse) {
    return cudnnBatchNormalizationForwardTrainingEx(
        h, mode, OPS_NORM, alpha, beta, x, x_at, NULL, NULL, y, y_at, params, scale, bias, factor,
        mean, variance, epsilon, saved_mean, saved_inverse, NULL, NULL, 0, NULL, 0);
}
API(cudnnBatchNormalizationForwardInference, blas_handle_t h, int mode, const void *alpha,
    const void *beta, const struct dnn_tensor *x, const void *x_at, const struct dnn_tensor *y,
    void *y_at, const struct dnn_tensor *params, const void *scale, const void *bias,
    const void *mean, const void *variance, double epsilon) {
    if (!blas_is_handle(h) || !alpha || !beta || !scale || !bias || !mean || !variance)
        return DNN_BAD_PARAM;
    struct norm n = {.x = (uintptr_t)x_at,
                     .y = (uintptr_t)y_at,
                     .scale = (uintptr_t)scale,
                     .bias = (uintptr_t)bias,
                     .mean = (uintptr_t)mean,
                     .variance = (uintptr_t)variance,
                     .epsilon = epsilon};
    const dnn_status s =
        norm_tensors("cudnnBatchNormalizationForwardInference", &n, mode, x, y, NULL, params);
    if (s) return s;
    n.alpha = dnn_factor(x, alpha);
    n.beta = dnn_factor(x, beta);
    return norm_run(h, &n, sum_type(x), "norm_infer");
}
API(cudnnBatchNormalizationBackwardEx, blas_handle_t h, int mode, int ops, const void *alpha,
    const void *beta, const void *alpha_p, const void *beta_p, const struct dnn_tensor *x,
    const void *x_at, const struct dnn_tensor *y, const void *y_at, const struct dnn_tensor *dy,
    const void *dy_at, const struct dnn_tensor *dz, void *dz_at, const struct dnn_tensor *dx,
    void *dx_at, const struct dnn_tensor *params, const void *scale, const void *bias,
    void *d_scale, void *d_bias, double epsilon, const void *saved_mean, const void *saved_inverse,
    const struct activation *f, void *area, size_t area_bytes, void *kept, size_t kept_bytes) {
    static const char call[] = "cudnnBatchNormalizationBackwardEx";
    (void)bias, (void)area, (void)area_bytes, (void)kept, (void)kept_bytes;
    if (!blas_is_handle(h) || !alpha || !beta || !alpha_p || !beta_p || !x || !dy || !dx ||
        !scale || !d_scale || !d_bias)
        return DNN_BAD_PARAM;
    struct norm n = {.x = (uintptr_t)x_at,
                     .y = (uintptr_t)y_at,
                     .dy = (uintptr_t)dy_at,
                     .dx = (uintptr_t)dx_at,
                     .scale = (uintptr_t)scale,
                     .saved_mean = (uintptr_t)saved_mean,
                     .saved_inverse = (uintptr_t)saved_inverse,
                     .d_scale = (uintptr_t)d_scale,
                     .d_bias = (uintptr_t)d_bias,
                     .epsilon = epsilon};
    dnn_status s = norm_tensors(call, &n, mode, x, dy, dx, params);
    if (!s) s = norm_activation(call, &n, ops, f);
    if (s) return s;
    for (int i = 0; i < dy->rank; i++) {
        if (n.has_relu && (!y || !y_at || y->step[i] != dy->step[i]))
            return dnn_refuse(call, "a y that lies otherwise than dy");
        if (ops == OPS_NORM_ADD_ACTIVATION && (!dz || !dz_at || dz->step[i] != dy->step[i]))
            return dnn_refuse(call, "a dz that lies otherwise than dy");
    }
    if (ops == OPS_NORM_ADD_ACTIVATION) n.dz = (uintptr_t)dz_at;
    n.alpha = dnn_factor(x, alpha);
    n.beta = dnn_factor(x, beta);
    n.alpha_p = dnn_factor(x, alpha_p);
    n.beta_p = dnn_factor(x, beta_p);
    return norm_run(h, &n, sum_type(x), "norm_back");
}
API(cudnnBatchNormalizationBackward, blas_handle_t h, int mode, const void *alpha, const void *beta,
    const void *alpha_p, const void *beta_p, const struct dnn_tensor *x, const void *x_at,
    const struct dnn_tensor *dy, const void *dy_at, const struct dnn_tensor *dx, void *dx_at,
    const struct dnn_tensor *params, const void *scale, void *d_scale, void *d_bias, double epsilon,
    const void *saved_mean, const void *saved_inverse) {
    return cudnnBatchNormalizationBackwardEx(h, mode, OPS_NORM, alpha, beta, alpha_p, beta_p, x,
                                             x_at, NULL, NULL, dy, dy_at, NULL, NULL, dx, dx_at,
                                             params, scale, NULL, d_scale, d_bias, epsilon,
                                             saved_mean, saved_inverse, NULL, NULL, 0, NULL, 0);
}
// Nothing is kept beside what the calls name.
static dnn_status none(size_t *bytes) {
    if (!bytes) return DNN_BAD_PARAM;
    *bytes = 0;
    return DNN_SUCCESS;
}
#define TENSOR const struct dnn_tensor *
API(cudnnGetBatchNormalizationForwardTrainingExWorkspaceSize, blas_handle_t h, int mode, int ops,
    TENSOR x, TENSOR z, TENSOR y, TENSOR params, const struct activation *f, size_t *bytes) {
    (void)h, (void)mode, (void)ops, (void)x, (void)z, (void)y, (void)params, (void)f;
    return none(bytes);
}
API(cudnnGetBatchNormalizationBackwardExWorkspaceSize, blas_handle_t h, int mode, int ops, TENSOR x,
    TENSOR y, TENSOR dy, TENSOR dz, TENSOR dx, TENSOR params, const struct activation *f,
    size_t *bytes) {
    (void)h, (void)mode, (void)ops, (void)x, (void)y, (void)dy, (void)dz, (void)dx, (void)params,
        (void)f;
    return none(bytes);
}
API(cudnnGetBatchNormalizationTrainingExReserveSpaceSize, blas_handle_t h, int mode, int ops,
    const struct activation *f, TENSOR x, size_t *bytes) {
    (void)h, (void)mode, (void)ops, (void)f, (void)x;
    return none(bytes);
}

// ---- pooling ------------------------------------------------------------------------------------------
struct pooling {
    int mode, rank, window[3], pad[3], stride[3];
};
DESCRIPTION(Pooling, pooling)
API(cudnnSetPoolingNdDescriptor, struct pooling *p, int mode, int nan, int rank, const int *window,
    const int *pad, const int *stride) {
    (void)nan; // NaN is the largest of its window
    if (!p || mode < 0 || mode > 3 || rank < 1 || rank > 3 || !window || !pad || !stride)
        return DNN_BAD_PARAM;
    *p = (struct pooling){.mode = mode, .rank = rank};
    for (int i = 0; i < rank; i++) {
        if (window[i] < 1 || pad[i] < 0 || pad[i] >= window[i] || stride[i] < 1)
            return DNN_BAD_PARAM;
        p->window[i] = window[i];
        p->pad[i] = pad[i];
        p->stride[i] = stride[i];
    }
    return DNN_SUCCESS;
}
API(cudnnSetPooling2dDescriptor, struct pooling *p, int mode, int nan, int window_h, int window_w,
    int pad_h, int pad_w, int stride_h, int stride_w) {
    return cudnnSetPoolingNdDescriptor(p, mode, nan, 2, (const int[]){window_h, window_w},
                                       (const int[]){pad_h, pad_w},
                                       (const int[]){stride_h, stride_w});
}
API(cudnnGetPoolingNdForwardOutputDim, const struct pooling *p, const struct dnn_tensor *x,
    int rank, int *out) {
    if (!p || !x || !out || x->rank != p->rank + 2 || rank < x->rank) return DNN_BAD_PARAM;
    out[0] = (int)x->size[0];
    out[1] = (int)x->size[1];
    for (int i = 0; i < p->rank; i++)
        out[2 + i] = (int)(1 + (x->size[2 + i] + 2 * p->pad[i] - p->window[i]) / p->stride[i]);
    return DNN_SUCCESS;
}
API(cudnnGetPooling2dForwardOutputDim, const struct pooling *p, const struct dnn_tensor *x, int *n,
    int *c, int *h, int *w) {
    int size[4];
    if (!n || !c || !h || !w) return DNN_BAD_PARAM;
    const dnn_status s = cudnnGetPoolingNdForwardOutputDim(p, x, 4, size);
    if (s) return s;
    *n = size[0], *c = size[1], *h = size[2], *w = size[3];
    return DNN_SUCCESS;
}
static void pool_steps(int64_t to[5], const struct dnn_tensor *t) {
    to[0] = t->step[0];
    to[1] = t->step[1];
    for (int i = 0; i < 3; i++) {
        const int from = i - (3 - (t->rank - 2));
        to[2 + i] = from < 0 ? 0 : t->step[2 + from];
    }
}
static dnn_status pool_of(const char *call, const struct pooling *p, const struct dnn_tensor *x,
                          const struct dnn_tensor *y, struct pool *k) {
    if (!p || !x || !y || x->rank != p->rank + 2 || y->rank != x->rank || x->type != y->type ||
        x->size[0] != y->size[0] || x->size[1] != y->size[1])
        return DNN_BAD_PARAM;
    if (!is_floating(x)) return dnn_refuse(call, "elements of type %d (cudnnDataType_t)", x->type);
    k->mode = p->mode == 1 ? POOL_MEAN_ALL : p->mode == 2 ? POOL_MEAN_INSIDE : POOL_MAX;
    k->channels = (int32_t)x->size[1];
    for (int i = 0; i < 3; i++) {
        const int from = i - (3 - p->rank);
        k->in[i] = from < 0 ? 1 : (int32_t)x->size[2 + from];
        k->out[i] = from < 0 ? 1 : (int32_t)y->size[2 + from];
        k->window[i] = from < 0 ? 1 : p->window[from];
        k->pad[i] = from < 0 ? 0 : p->pad[from];
        k->stride[i] = from < 0 ? 1 : p->stride[from];
        if (k->out[i] != 1 + (k->in[i] + 2 * k->pad[i] - k->window[i]) / k->stride[i])
            return DNN_BAD_PARAM;
    }
    pool_steps(k->x_step, x);
    pool_steps(k->y_step, y);
    return DNN_SUCCESS;
}
API(cudnnPoolingForward, blas_handle_t h, const struct pooling *p, const void *alpha,
    const struct dnn_tensor *x, const void *x_at, const void *beta, const struct dnn_tensor *y,
    void *y_at) {
    if (!blas_is_handle(h) || !alpha || !beta) return DNN_BAD_PARAM;
    struct pool k = {.x = (uintptr_t)x_at, .y = (uintptr_t)y_at};
    const dnn_status s = pool_of("cudnnPoolingForward", p, x, y, &k);
    if (s) return s;
    k.all = dnn_elements(y);
    k.alpha = dnn_factor(x, alpha);
    k.beta = dnn_factor(x, beta);
    return dnn_launch(h, DNN_LAYER, x->type, "pool_forward",
                      (const uint32_t[3]){dnn_blocks(k.all), 1, 1}, 0, &k, sizeof k);
}
API(cudnnPoolingBackward, blas_handle_t h, const struct pooling *p, const void *alpha,
    const struct dnn_tensor *y, const void *y_at, const struct dnn_tensor *dy, const void *dy_at,
    const struct dnn_tensor *x, const void *x_at, const void *beta, const struct dnn_tensor *dx,
    void *dx_at) {
    if (!blas_is_handle(h) || !alpha || !beta || !dy || !dx) return DNN_BAD_PARAM;
    struct pool k = {
        .x = (uintptr_t)x_at, .y = (uintptr_t)y_at, .dy = (uintptr_t)dy_at, .dx = (uintptr_t)dx_at};
    const dnn_status s = pool_of("cudnnPoolingBackward", p, x, y, &k);
    if (s) return s;
    if (!are_alike(y, dy) || !are_alike(x, dx)) return DNN_BAD_PARAM;
    pool_steps(k.dy_step, dy);
    pool_steps(k.dx_step, dx);
    k.all = dnn_elements(x);
    k.alpha = dnn_factor(x, alpha);
    k.beta = dnn_factor(x, beta);
    return dnn_launch(h, DNN_LAYER, x->type, "pool_back",
                      (const uint32_t[3]){dnn_blocks(k.all), 1, 1}, 0, &k, sizeof k);
}

// ---- softmax ------------------------------------------------------------------------------------------
enum { SOFTMAX_FAST, SOFTMAX_ACCURATE, SOFTMAX_LOG };
enum { OVER_INSTANCE, OVER_CHANNELS };

static dnn_status softmax_of(const char *call, int algo, int mode, const struct dnn_tensor *t,
                             struct softmax *k, uint32_t *lines) {
    int64_t step[3], places = 1;
    if (!t || t->rank < 2 || algo < SOFTMAX_FAST || algo > SOFTMAX_LOG) return DNN_BAD_PARAM;
    if (!is_floating(t)) return dnn_refuse(call, "elements of type %d (cudnnDataType_t)", t->type);
    if (!flatten(t, step)) return dnn_refuse(call, "places that no single step leads through");
    for (int i = 2; i < t->rank; i++) places *= t->size[i];
    k->is_log = algo == SOFTMAX_LOG;
    k->has_no_max = algo == SOFTMAX_FAST;
    k->step_outer = step[0];
    if (mode == OVER_CHANNELS) {
        k->length = (int32_t)t->size[1];
        k->inner = (int32_t)places;
        k->step = step[1];
        k->step_inner = step[2];
    } else {
        if (places > 1 && (step[2] != 1 || step[1] != places) &&
            (step[1] != 1 || step[2] != t->size[1]))
            return dnn_refuse(call, "images that are not packed");
        k->length = (int32_t)(t->size[1] * places);
        k->inner = 1;
        k->step = places > 1 ? 1 : step[1];
    }
    *lines = (uint32_t)(t->size[0] * k->inner);
    return DNN_SUCCESS;
}
static bool lie_alike(const struct dnn_tensor *a, const struct dnn_tensor *b) {
    if (!are_alike(a, b)) return false;
    for (int i = 0; i < a->rank; i++)
        if (a->size[i] > 1 && a->step[i] != b->step[i]) return false;
    return true;
}
API(cudnnSoftmaxForward, blas_handle_t h, int algo, int mode, const void *alpha,
    const struct dnn_tensor *x, const void *x_at, const void *beta, const struct dnn_tensor *y,
    void *y_at) {
    static const char call[] = "cudnnSoftmaxForward";
    if (!blas_is_handle(h) || !alpha || !beta || !x || !y) return DNN_BAD_PARAM;
    if (!lie_alike(x, y)) return dnn_refuse(call, "a y that lies otherwise than x");
    struct softmax k = {.x = (uintptr_t)x_at,
                        .y = (uintptr_t)y_at,
                        .alpha = dnn_factor(x, alpha),
                        .beta = dnn_factor(x, beta)};
    uint32_t lines;
    const dnn_status s = softmax_of(call, algo, mode, x, &k, &lines);
    return s ? s
             : dnn_launch(h, DNN_LAYER, x->type, "softmax_forward",
                          (const uint32_t[3]){lines, 1, 1}, 0, &k, sizeof k);
}
API(cudnnSoftmaxBackward, blas_handle_t h, int algo, int mode, const void *alpha,
    const struct dnn_tensor *y, const void *y_at, const struct dnn_tensor *dy, const void *dy_at,
    const void *beta, const struct dnn_tensor *dx, void *dx_at) {
    static const char call[] = "cudnnSoftmaxBackward";
    if (!blas_is_handle(h) || !alpha || !beta || !y || !dy || !dx) return DNN_BAD_PARAM;
    if (!lie_alike(y, dy) || !lie_alike(y, dx))
        return dnn_refuse(call, "gradients that lie otherwise than y");
    struct softmax k = {.y = (uintptr_t)y_at,
                        .dy = (uintptr_t)dy_at,
                        .dx = (uintptr_t)dx_at,
                        .alpha = dnn_factor(y, alpha),
                        .beta = dnn_factor(y, beta)};
    uint32_t lines;
    const dnn_status s = softmax_of(call, algo, mode, y, &k, &lines);
    return s ? s
             : dnn_launch(h, DNN_LAYER, y->type, "softmax_back", (const uint32_t[3]){lines, 1, 1},
                          0, &k, sizeof k);
}
