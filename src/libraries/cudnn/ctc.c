// Connectionist temporal classification: its cost and the gradient, of single precision.
#include "cudnn.h"

#include <stdlib.h>

struct ctc_kind {
    int type, norm, gradient,
        longest; // longest: label, where labels lie on the device; 0: not said
};
enum { NORM_NONE, NORM_SOFTMAX }; // cudnnLossNormalizationMode_t

API(cudnnCreateCTCLossDescriptor, struct ctc_kind **out) {
    if (!out) return DNN_BAD_PARAM;
    *out = calloc(1, sizeof **out);
    return *out ? DNN_SUCCESS : DNN_ALLOC_FAILED;
}
API(cudnnDestroyCTCLossDescriptor, struct ctc_kind *c) {
    free(c);
    return DNN_SUCCESS;
}
API(cudnnSetCTCLossDescriptor_v9, struct ctc_kind *c, int type, int norm, int gradient,
    int longest) {
    if (!c || norm < NORM_NONE || norm > NORM_SOFTMAX || longest < 0) return DNN_BAD_PARAM;
    if (type != DNN_FLOAT)
        return dnn_refuse("cudnnSetCTCLossDescriptor_v9", "sums of type %d (cudnnDataType_t)",
                          type);
    *c = (struct ctc_kind){type, norm, gradient, longest};
    return DNN_SUCCESS;
}
API(cudnnSetCTCLossDescriptor_v8, struct ctc_kind *c, int type, int norm, int nan, int longest) {
    return cudnnSetCTCLossDescriptor_v9(c, type, norm, nan, longest);
}
API(cudnnSetCTCLossDescriptorEx, struct ctc_kind *c, int type, int norm, int nan) {
    return cudnnSetCTCLossDescriptor_v9(c, type, norm, nan, 0);
}
API(cudnnSetCTCLossDescriptor, struct ctc_kind *c, int type) {
    return cudnnSetCTCLossDescriptor_v9(c, type, NORM_NONE, 0, 0);
}
API(cudnnGetCTCLossDescriptor_v9, const struct ctc_kind *c, int *type, int *norm, int *gradient,
    int *longest) {
    if (!c) return DNN_BAD_PARAM;
    if (type) *type = c->type;
    if (norm) *norm = c->norm;
    if (gradient) *gradient = c->gradient;
    if (longest) *longest = c->longest;
    return DNN_SUCCESS;
}
API(cudnnGetCTCLossDescriptor_v8, const struct ctc_kind *c, int *type, int *norm, int *nan,
    int *longest) {
    return cudnnGetCTCLossDescriptor_v9(c, type, norm, nan, longest);
}
API(cudnnGetCTCLossDescriptorEx, const struct ctc_kind *c, int *type, int *norm, int *nan) {
    return cudnnGetCTCLossDescriptor_v9(c, type, norm, nan, NULL);
}
API(cudnnGetCTCLossDescriptor, const struct ctc_kind *c, int *type) {
    return cudnnGetCTCLossDescriptor_v9(c, type, NULL, NULL, NULL);
}

// The work area: norms, paths and a ring of two rows, then labels and lengths that the host knows.
struct areas {
    size_t norm, paths, labels, label_lengths, input_lengths, all;
};
static struct areas areas_of(const struct dnn_tensor *x, int64_t longest, int64_t labels) {
    const size_t steps = (size_t)x->size[0], batch = (size_t)x->size[1],
                 states = 2 * (size_t)longest + 1;
    struct areas a = {0};
    a.paths = steps * batch * 4;
    a.labels = a.paths + batch * states * (steps + 2) * 4;
    a.label_lengths = a.labels + (size_t)labels * 4;
    a.input_lengths = a.label_lengths + batch * 4;
    a.all = a.input_lengths + batch * 4;
    return a;
}
static bool is_sequence(const struct dnn_tensor *x) {
    return x && x->rank == 3 && (x->size[2] == 1 || x->step[2] == 1);
}
static dnn_status send(blas_handle_t h, const int32_t *from, int64_t count, uint64_t to) {
    dnn_status s = DNN_SUCCESS;
    for (int64_t first = 0; !s && first < count; first += RECURRENT_LENGTHS) {
        const int64_t left = count - first;
        struct recurrent_lengths k = {.to = to, .first = (int32_t)first};
        k.count = (int32_t)(left < RECURRENT_LENGTHS ? left : RECURRENT_LENGTHS);
        for (int i = 0; i < k.count; i++) k.value[i] = from[first + i];
        s = dnn_launch(h, DNN_RECURRENT, DNN_FLOAT, "rnn_lengths", (const uint32_t[3]){2, 1, 1}, 0,
                       &k, sizeof k);
    }
    return s;
}
static dnn_status run(blas_handle_t h, const struct dnn_tensor *x, struct ctc *k) {
    const int64_t rows = x->size[0] * x->size[1];
    dnn_status s = DNN_SUCCESS;
    if (!k->is_normal)
        s = dnn_launch(h, DNN_RECURRENT, DNN_FLOAT, "ctc_norm",
                       (const uint32_t[3]){dnn_blocks(rows), 1, 1}, 0, k, sizeof *k);
    if (!s)
        s = dnn_launch(h, DNN_RECURRENT, DNN_FLOAT, "ctc_paths",
                       (const uint32_t[3]){(uint32_t)x->size[1], 1, 1}, 0, k, sizeof *k);
    if (!s && k->dx)
        s = dnn_launch(h, DNN_RECURRENT, DNN_FLOAT, "ctc_gradient",
                       (const uint32_t[3]){dnn_blocks(rows * x->size[2]), 1, 1}, 0, k, sizeof *k);
    return s;
}
static dnn_status prepare(const char *call, blas_handle_t h, const struct ctc_kind *c,
                          const struct dnn_tensor *x, const void *x_at, void *costs,
                          const struct dnn_tensor *dx, void *dx_at, struct ctc *k) {
    if (!blas_is_handle(h) || !c || !x_at || !costs || !is_sequence(x) ||
        (dx_at && (!is_sequence(dx) || dx->size[0] != x->size[0] || dx->size[1] != x->size[1] ||
                   dx->size[2] != x->size[2])))
        return DNN_BAD_PARAM;
    if (x->type != DNN_FLOAT || (dx_at && dx->type != DNN_FLOAT))
        return dnn_refuse(call, "elements of type %d (cudnnDataType_t)", x->type);
    *k = (struct ctc){.x = (uintptr_t)x_at,
                      .dx = (uintptr_t)dx_at,
                      .costs = (uintptr_t)costs,
                      .x_step = x->step[0],
                      .x_member = x->step[1],
                      .dx_step = dx_at ? dx->step[0] : 0,
                      .dx_member = dx_at ? dx->step[1] : 0,
                      .steps = (int32_t)x->size[0],
                      .batch = (int32_t)x->size[1],
                      .classes = (int32_t)x->size[2],
                      .is_normal = c->norm == NORM_NONE};
    return DNN_SUCCESS;
}

// ---- labels and lengths of the host -------------------------------------------------------------------
static bool sizes(const struct dnn_tensor *x, const int *labels, const int *label_lengths,
                  const int *input_lengths, int64_t *longest, int64_t *all) {
    *longest = *all = 0;
    if (!is_sequence(x) || !label_lengths || !input_lengths) return false;
    for (int64_t i = 0; i < x->size[1]; i++) {
        if (label_lengths[i] < 0 || input_lengths[i] < 0 || input_lengths[i] > x->size[0])
            return false;
        if (label_lengths[i] > *longest) *longest = label_lengths[i];
        *all += label_lengths[i];
    }
    for (int64_t i = 0; i < *all; i++)
        if (!labels || labels[i] < 0 || labels[i] >= x->size[2]) return false;
    return true;
}
API(cudnnGetCTCLossWorkspaceSize, blas_handle_t h, const struct dnn_tensor *x,
    const struct dnn_tensor *dx, const int *labels, const int *label_lengths,
    const int *input_lengths, int algorithm, const struct ctc_kind *c, size_t *bytes) {
    (void)dx, (void)algorithm;
    int64_t longest, all;
    if (!blas_is_handle(h) || !c || !bytes ||
        !sizes(x, labels, label_lengths, input_lengths, &longest, &all))
        return DNN_BAD_PARAM;
    *bytes = areas_of(x, longest, all).all;
    return DNN_SUCCESS;
}
API(cudnnCTCLoss, blas_handle_t h, const struct dnn_tensor *x, const void *x_at, const int *labels,
    const int *label_lengths, const int *input_lengths, void *costs, const struct dnn_tensor *dx,
    void *dx_at, int algorithm, const struct ctc_kind *c, void *work, size_t bytes) {
    (void)algorithm;
    struct ctc k;
    int64_t longest, all;
    dnn_status s = prepare("cudnnCTCLoss", h, c, x, x_at, costs, dx, dx_at, &k);
    if (s) return s;
    if (!sizes(x, labels, label_lengths, input_lengths, &longest, &all)) return DNN_BAD_PARAM;
    const struct areas a = areas_of(x, longest, all);
    if (!work || bytes < a.all) return DNN_BAD_PARAM;
    const uint64_t at = (uintptr_t)work;
    k.norm = at + a.norm, k.paths = at + a.paths, k.labels = at + a.labels;
    k.label_lengths = at + a.label_lengths, k.input_lengths = at + a.input_lengths;
    k.states = (int32_t)(2 * longest + 1);
    s = send(h, labels, all, k.labels);
    if (!s) s = send(h, label_lengths, x->size[1], k.label_lengths);
    if (!s) s = send(h, input_lengths, x->size[1], k.input_lengths);
    return s ? s : run(h, x, &k);
}

// ---- labels and lengths on the device -----------------------------------------------------------------
// Programs hand lengths on the host over too (PyTorch 2.5 does): those are sent.
static bool is_host(const void *at) {
    unsigned kind = 0;
    return cuPointerGetAttribute(&kind, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (uintptr_t)at) !=
           CUDA_SUCCESS;
}
static dnn_status place(blas_handle_t h, const int *from, int64_t count, uint64_t area,
                        uint64_t *at) {
    *at = is_host(from) ? area : (uintptr_t)from;
    return *at == area ? send(h, from, count, area) : DNN_SUCCESS;
}
API(cudnnGetCTCLossWorkspaceSize_v8, blas_handle_t h, int algorithm, const struct ctc_kind *c,
    const struct dnn_tensor *x, const struct dnn_tensor *dx, size_t *bytes) {
    (void)dx, (void)algorithm;
    if (!blas_is_handle(h) || !c || !bytes || !is_sequence(x)) return DNN_BAD_PARAM;
    *bytes = areas_of(x, c->longest, x->size[1] * c->longest).all;
    return DNN_SUCCESS;
}
API(cudnnCTCLoss_v8, blas_handle_t h, int algorithm, const struct ctc_kind *c,
    const struct dnn_tensor *x, const void *x_at, const int *labels, const int *label_lengths,
    const int *input_lengths, void *costs, const struct dnn_tensor *dx, void *dx_at, size_t bytes,
    void *work) {
    (void)algorithm;
    struct ctc k;
    dnn_status s = prepare("cudnnCTCLoss_v8", h, c, x, x_at, costs, dx, dx_at, &k);
    if (s) return s;
    const struct areas a = areas_of(x, c->longest, x->size[1] * c->longest);
    if (!work || bytes < a.all || !label_lengths || !input_lengths) return DNN_BAD_PARAM;
    const uint64_t at = (uintptr_t)work;
    int64_t all = 0;
    if (labels && is_host(labels)) { // how many there are, only lengths on the host say
        if (!is_host(label_lengths)) return DNN_BAD_PARAM;
        for (int64_t i = 0; i < x->size[1]; i++) all += label_lengths[i];
        if (all > x->size[1] * c->longest) return DNN_BAD_PARAM;
    }
    k.norm = at + a.norm, k.paths = at + a.paths;
    k.states = 2 * c->longest + 1;
    s = labels ? place(h, labels, all, at + a.labels, &k.labels) : DNN_SUCCESS; // no label at all
    if (!s) s = place(h, label_lengths, x->size[1], at + a.label_lengths, &k.label_lengths);
    if (!s) s = place(h, input_lengths, x->size[1], at + a.input_lengths, &k.input_lengths);
    return s ? s : run(h, x, &k);
}
