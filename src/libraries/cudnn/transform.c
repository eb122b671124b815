// Spatial transformers: grids made of matrices, tensors sampled at a grid's places, and the gradients of both. As documented, of two
// directions, between the four elements around.
#include "cudnn.h"

#include <stdlib.h>

struct transformer {
    int type, rank;
    int size[4]; // of the result: images, channels, rows, columns
};
API(cudnnCreateSpatialTransformerDescriptor, struct transformer **out) {
    if (!out) return DNN_BAD_PARAM;
    *out = calloc(1, sizeof **out);
    return *out ? DNN_SUCCESS : DNN_ALLOC_FAILED;
}
API(cudnnDestroySpatialTransformerDescriptor, struct transformer *d) {
    free(d);
    return DNN_SUCCESS;
}
API(cudnnSetSpatialTransformerNdDescriptor, struct transformer *d, int sampler, int type, int rank,
    const int *size) {
    if (!d || sampler || !size || !is_floating_type(type)) return DNN_BAD_PARAM;
    if (rank != 4)
        return dnn_refuse("cudnnSetSpatialTransformerNdDescriptor",
                          "tensors of %d axes (the vendor's has four)", rank);
    *d = (struct transformer){.type = type, .rank = rank};
    for (int i = 0; i < rank; i++) {
        if (size[i] < 1) return DNN_BAD_PARAM;
        d->size[i] = size[i];
    }
    return DNN_SUCCESS;
}

static struct transform begin(const struct transformer *d) {
    return (struct transform){.all = (int64_t)d->size[0] * d->size[2] * d->size[3],
                              .out = {d->size[2], d->size[3]},
                              .channels = d->size[1]};
}
API(cudnnSpatialTfGridGeneratorForward, blas_handle_t h, const struct transformer *d,
    const void *theta, void *grid) {
    if (!blas_is_handle(h) || !d || !d->rank || !theta || !grid) return DNN_BAD_PARAM;
    struct transform t = begin(d);
    t.theta = (uintptr_t)theta;
    t.grid = (uintptr_t)grid;
    return dnn_launch(h, DNN_LAYER, d->type, "grid_make",
                      (const uint32_t[3]){dnn_blocks(t.all), 1, 1}, 0, &t, sizeof t);
}
API(cudnnSpatialTfGridGeneratorBackward, blas_handle_t h, const struct transformer *d,
    const void *dgrid, void *dtheta) {
    if (!blas_is_handle(h) || !d || !d->rank || !dgrid || !dtheta) return DNN_BAD_PARAM;
    struct transform t = begin(d);
    t.theta = (uintptr_t)dtheta;
    t.grid = (uintptr_t)dgrid;
    return dnn_launch(h, DNN_LAYER, d->type, "grid_back",
                      (const uint32_t[3]){6 * (uint32_t)d->size[0], 1, 1}, 0, &t, sizeof t);
}

// Whether a call's tensors are those of its transformer; their steps.
static bool takes(struct transform *t, const struct transformer *d, const struct dnn_tensor *x,
                  const struct dnn_tensor *y) {
    if (!d || !d->rank || !x || !y || x->rank != 4 || y->rank != 4) return false;
    if (x->type != d->type || y->type != d->type || x->size[0] != d->size[0] ||
        x->size[1] != d->size[1])
        return false;
    *t = begin(d);
    for (int i = 0; i < 4; i++) {
        if (y->size[i] != d->size[i]) return false;
        t->x_step[i] = x->step[i];
        t->y_step[i] = y->step[i];
    }
    t->in[0] = (int32_t)x->size[2];
    t->in[1] = (int32_t)x->size[3];
    return true;
}
API(cudnnSpatialTfSamplerForward, blas_handle_t h, const struct transformer *d, const void *alpha,
    const struct dnn_tensor *x, const void *x_at, const void *grid, const void *beta,
    const struct dnn_tensor *y, void *y_at) {
    struct transform t;
    if (!blas_is_handle(h) || !alpha || !beta || !takes(&t, d, x, y)) return DNN_BAD_PARAM;
    t.x = (uintptr_t)x_at;
    t.grid = (uintptr_t)grid;
    t.y = (uintptr_t)y_at;
    t.alpha = dnn_factor(x, alpha);
    t.beta = dnn_factor(y, beta);
    return dnn_launch(h, DNN_LAYER, d->type, "grid_sample",
                      (const uint32_t[3]){dnn_blocks(t.all), 1, 1}, 0, &t, sizeof t);
}
API(cudnnSpatialTfSamplerBackward, blas_handle_t h, const struct transformer *d, const void *alpha,
    const struct dnn_tensor *x, const void *x_at, const void *beta, const struct dnn_tensor *dx,
    void *dx_at, const void *alpha_grid, const struct dnn_tensor *dy, const void *dy_at,
    const void *grid, const void *beta_grid, void *dgrid) {
    struct transform t;
    if (!blas_is_handle(h) || !alpha || !beta || !alpha_grid || !beta_grid || !dx ||
        !takes(&t, d, x, dy) || dx->rank != 4 || dx->type != x->type)
        return DNN_BAD_PARAM;
    for (int i = 0; i < 4; i++) {
        if (dx->size[i] != x->size[i]) return DNN_BAD_PARAM;
        if (dx->step[i] != x->step[i])
            return dnn_refuse("cudnnSpatialTfSamplerBackward",
                              "a gradient in another order than the tensor's");
    }
    t.x = (uintptr_t)x_at;
    t.dx = (uintptr_t)dx_at;
    t.dy = (uintptr_t)dy_at;
    t.grid = (uintptr_t)grid;
    t.dgrid = (uintptr_t)dgrid;
    t.alpha = dnn_factor(x, alpha);
    t.alpha_grid = dnn_factor(x, alpha_grid);
    t.beta_grid = dnn_factor(x, beta_grid);
    // threads add to dx: it is beta dx before
    struct point p = {.mode = POINT_IDENTITY,
                      .a = t.dx,
                      .y = t.dx,
                      .alpha = dnn_factor(x, beta),
                      .alpha_a = dnn_factor(x, beta) != 0};
    const dnn_status s =
        dx_at ? dnn_points(h, "cudnnSpatialTfSamplerBackward", &p, dx, NULL, dx) : DNN_SUCCESS;
    return s ? s
             : dnn_launch(h, DNN_LAYER, d->type, "grid_sample_back",
                          (const uint32_t[3]){dnn_blocks(t.all), 1, 1}, 0, &t, sizeof t);
}
