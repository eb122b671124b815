// Dropout. Which elements go is a function of the seed and of how many were asked for before; the vendor's own sequence is
// not public, so this one is Philox's.
#include "cudnn.h"

#include <stdlib.h>

API(cudnnCreateDropoutDescriptor, struct dropout_kind **out) {
    if (!out) return DNN_BAD_PARAM;
    *out = calloc(1, sizeof **out);
    return *out ? DNN_SUCCESS : DNN_ALLOC_FAILED;
}
API(cudnnDestroyDropoutDescriptor, struct dropout_kind *d) {
    free(d);
    return DNN_SUCCESS;
}
API(cudnnDropoutGetStatesSize, blas_handle_t h, size_t *bytes) {
    if (!blas_is_handle(h) || !bytes) return DNN_BAD_PARAM;
    *bytes = sizeof(struct dropout_states);
    return DNN_SUCCESS;
}

static dnn_status advance(blas_handle_t h, const struct dropout_advance *a) {
    return dnn_launch(h, DNN_RECURRENT, DNN_FLOAT, "dropout_advance", (const uint32_t[3]){1, 1, 1},
                      32, a, sizeof *a);
}
dnn_status dropout_drawn(blas_handle_t h, const struct dropout_kind *d, int64_t elements) {
    const struct dropout_advance a = {.states = d->states, .blocks = (uint64_t)(elements + 3) / 4};
    return advance(h, &a);
}
API(cudnnRestoreDropoutDescriptor, struct dropout_kind *d, blas_handle_t h, float rate,
    void *states, size_t bytes, unsigned long long seed) {
    if (!d || !blas_is_handle(h) || !(rate >= 0 && rate <= 1) ||
        (states && bytes < sizeof(struct dropout_states)))
        return DNN_BAD_PARAM;
    *d = (struct dropout_kind){.rate = (double)rate, .states = (uintptr_t)states, .key = seed};
    return DNN_SUCCESS;
}
API(cudnnSetDropoutDescriptor, struct dropout_kind *d, blas_handle_t h, float rate, void *states,
    size_t bytes, unsigned long long seed) {
    const dnn_status s = cudnnRestoreDropoutDescriptor(d, h, rate, states, bytes, seed);
    if (s || !states) return s;
    const struct dropout_advance a = {.states = d->states, .key = seed, .is_new = 1};
    return advance(h, &a);
}
API(cudnnGetDropoutDescriptor, const struct dropout_kind *d, blas_handle_t h, float *rate,
    void **states, unsigned long long *seed) {
    if (!d || !blas_is_handle(h)) return DNN_BAD_PARAM;
    if (rate) *rate = (float)d->rate;
    if (states) *states = (void *)(uintptr_t)d->states;
    if (seed) *seed = d->key;
    return DNN_SUCCESS;
}

API(cudnnDropoutGetReserveSpaceSize, const struct dnn_tensor *x, size_t *bytes) {
    if (!x || !bytes) return DNN_BAD_PARAM;
    *bytes = (size_t)dnn_elements(x); // a byte each: whether it stays
    return DNN_SUCCESS;
}
static bool lie_alike_packed(const struct dnn_tensor *a, const struct dnn_tensor *b) {
    if (a->rank != b->rank || a->type != b->type) return false;
    for (int i = 0; i < a->rank; i++)
        if (a->size[i] != b->size[i] || (a->size[i] > 1 && a->step[i] != b->step[i])) return false;
    return dnn_bytes(a) == (size_t)dnn_elements(a) * dnn_type_bytes(a->type);
}
static dnn_status run(const char *call, blas_handle_t h, const struct dropout_kind *d,
                      const struct dnn_tensor *from, const void *from_at,
                      const struct dnn_tensor *to, void *to_at, void *mask, size_t bytes,
                      bool is_forward) {
    if (!blas_is_handle(h) || !d || !from || !to || !mask) return DNN_BAD_PARAM;
    if (!is_floating_type(from->type))
        return dnn_refuse(call, "elements of type %d (cudnnDataType_t)", from->type);
    if (!lie_alike_packed(from, to))
        return dnn_refuse(call, "tensors that are not packed, or not both in one order");
    const int64_t all = dnn_elements(from);
    if (bytes < (size_t)all || (is_forward && !d->states)) return DNN_BAD_PARAM;
    const struct dropout k = {.from = (uintptr_t)from_at,
                              .to = (uintptr_t)to_at,
                              .mask = (uintptr_t)mask,
                              .states = is_forward ? d->states : 0,
                              .all = all,
                              .rate = d->rate};
    const dnn_status s = dnn_launch(h, DNN_RECURRENT, from->type, "dropout",
                                    (const uint32_t[3]){dnn_blocks(all), 1, 1}, 0, &k, sizeof k);
    return s || !is_forward ? s : dropout_drawn(h, d, all);
}
API(cudnnDropoutForward, blas_handle_t h, const struct dropout_kind *d, const struct dnn_tensor *x,
    const void *x_at, const struct dnn_tensor *y, void *y_at, void *mask, size_t bytes) {
    return run("cudnnDropoutForward", h, d, x, x_at, y, y_at, mask, bytes, true);
}
API(cudnnDropoutBackward, blas_handle_t h, const struct dropout_kind *d,
    const struct dnn_tensor *dy, const void *dy_at, const struct dnn_tensor *dx, void *dx_at,
    void *mask, size_t bytes) {
    return run("cudnnDropoutBackward", h, d, dy, dy_at, dx, dx_at, mask, bytes, false);
}
