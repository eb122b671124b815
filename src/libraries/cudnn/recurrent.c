// Descriptions of recurrent networks, and where their weights and what they keep lie.
#include "recurrent.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

API(cudnnCreateRNNDescriptor, struct network **out) {
    if (!out) return DNN_BAD_PARAM;
    *out = calloc(1, sizeof **out);
    return *out ? DNN_SUCCESS : DNN_ALLOC_FAILED;
}
API(cudnnDestroyRNNDescriptor, struct network *r) {
    free(r);
    return DNN_SUCCESS;
}
API(cudnnSetRNNDescriptor_v8, struct network *r, int algorithm, int mode, int bias, int direction,
    int input_mode, int type, int sum_type, int math, int32_t input, int32_t hidden,
    int32_t projection, int32_t layers, const struct dropout_kind *dropout, uint32_t flags) {
    static const char call[] = "cudnnSetRNNDescriptor_v8";
    if (!r || mode < RNN_RELU || mode > RNN_GRU || bias < BIAS_NONE || bias > BIAS_OF_STATE ||
        direction < 0 || direction > 1 || input < 1 || hidden < 1 || layers < 1 || projection < 0 ||
        projection > hidden || (projection && projection != hidden && mode != RNN_LSTM))
        return DNN_BAD_PARAM;
    if (input_mode != 0) return dnn_refuse(call, "an input without weights (CUDNN_SKIP_INPUT)");
    if (!is_floating_type(type))
        return dnn_refuse(call, "elements of type %d (cudnnDataType_t)", type);
    *r = (struct network){.algorithm = algorithm,
                          .mode = mode,
                          .bias = bias,
                          .input_mode = input_mode,
                          .type = type,
                          .sum_type = sum_type,
                          .math = math,
                          .input = input,
                          .hidden = hidden,
                          .projection = projection ? projection : hidden,
                          .layers = layers,
                          .directions = direction + 1,
                          .flags = flags};
    if (dropout) r->dropout = *dropout;
    return DNN_SUCCESS;
}
API(cudnnGetRNNDescriptor_v8, const struct network *r, int *algorithm, int *mode, int *bias,
    int *direction, int *input_mode, int *type, int *sum_type, int *math, int32_t *input,
    int32_t *hidden, int32_t *projection, int32_t *layers, struct dropout_kind **dropout,
    uint32_t *flags) {
    if (!r) return DNN_BAD_PARAM;
    int *const to[] = {algorithm, mode, bias,  direction, input_mode, type,
                       sum_type,  math, input, hidden,    projection, layers};
    const int from[] = {r->algorithm,  r->mode,   r->bias,       r->directions - 1,
                        r->input_mode, r->type,   r->sum_type,   r->math,
                        r->input,      r->hidden, r->projection, r->layers};
    for (size_t i = 0; i < sizeof to / sizeof *to; i++)
        if (to[i]) *to[i] = from[i];
    if (dropout) *dropout = (struct dropout_kind *)(uintptr_t)&r->dropout;
    if (flags) *flags = r->flags;
    return DNN_SUCCESS;
}
API(cudnnRNNSetClip_v9, struct network *r, int mode, double low, double high) {
    if (!r || mode < 0 || mode > 1) return DNN_BAD_PARAM;
    if (mode && low != -high)
        return dnn_refuse("cudnnRNNSetClip_v9", "bounds of the state that are not symmetrical");
    r->clip_mode = mode;
    r->clip_low = low, r->clip_high = high;
    return DNN_SUCCESS;
}
API(cudnnRNNSetClip_v8, struct network *r, int mode, int nan, double low, double high) {
    const dnn_status s = cudnnRNNSetClip_v9(r, mode, low, high);
    if (!s) r->clip_nan = nan;
    return s;
}
API(cudnnRNNGetClip_v9, const struct network *r, int *mode, double *low, double *high) {
    if (!r) return DNN_BAD_PARAM;
    if (mode) *mode = r->clip_mode;
    if (low) *low = r->clip_low;
    if (high) *high = r->clip_high;
    return DNN_SUCCESS;
}
API(cudnnRNNGetClip_v8, const struct network *r, int *mode, int *nan, double *low, double *high) {
    const dnn_status s = cudnnRNNGetClip_v9(r, mode, low, high);
    if (!s && nan) *nan = r->clip_nan;
    return s;
}
// There is nothing to compile ahead.
API(cudnnBuildRNNDynamic, blas_handle_t h, const struct network *r, int batch) {
    return blas_is_handle(h) && r && batch > 0 ? DNN_SUCCESS : DNN_BAD_PARAM;
}

// ---- sequences ----------------------------------------------------------------------------------
API(cudnnCreateRNNDataDescriptor, struct sequences **out) {
    if (!out) return DNN_BAD_PARAM;
    *out = calloc(1, sizeof **out);
    return *out ? DNN_SUCCESS : DNN_ALLOC_FAILED;
}
API(cudnnDestroyRNNDataDescriptor, struct sequences *s) {
    if (s) free(s->lengths);
    free(s);
    return DNN_SUCCESS;
}
static double number_at(int type, const void *at) {
    switch (type) {
    case DNN_DOUBLE: return *(const double *)at;
    case DNN_FLOAT: return (double)*(const float *)at;
    default: return 0; // of two bytes: only 0 is taken
    }
}
API(cudnnSetRNNDataDescriptor, struct sequences *s, int type, int layout, int steps, int batch,
    int width, const int *lengths, const void *fill) {
    static const char call[] = "cudnnSetRNNDataDescriptor";
    if (!s || steps < 1 || batch < 1 || width < 1 || !lengths || layout < RNN_STEPS_PADDED ||
        layout > RNN_MEMBERS_PADDED)
        return DNN_BAD_PARAM;
    if (!is_floating_type(type))
        return dnn_refuse(call, "elements of type %d (cudnnDataType_t)", type);
    for (int i = 0; i < batch; i++)
        if (lengths[i] < 0 || lengths[i] > steps ||
            (layout == RNN_STEPS_PACKED && i && lengths[i] > lengths[i - 1]))
            return DNN_BAD_PARAM;
    uint16_t half = 0;
    const bool is_half = type == DNN_HALF || type == DNN_BFLOAT16;
    if (fill && is_half) memcpy(&half, fill, sizeof half);
    if (half & 0x7fff) return dnn_refuse(call, "padding of two bytes that is not 0");
    int32_t *const copy = malloc((size_t)batch * sizeof *copy);
    if (!copy) return DNN_ALLOC_FAILED;
    memcpy(copy, lengths, (size_t)batch * sizeof *copy);
    free(s->lengths);
    *s = (struct sequences){.type = type,
                            .layout = layout,
                            .steps = steps,
                            .batch = batch,
                            .width = width,
                            .lengths = copy,
                            .fill = fill ? number_at(type, fill) : 0};
    return DNN_SUCCESS;
}
API(cudnnGetRNNDataDescriptor, const struct sequences *s, int *type, int *layout, int *steps,
    int *batch, int *width, int wanted, int *lengths, void *fill) {
    if (!s || !s->lengths || wanted < 0) return DNN_BAD_PARAM;
    if (type) *type = s->type;
    if (layout) *layout = s->layout;
    if (steps) *steps = s->steps;
    if (batch) *batch = s->batch;
    if (width) *width = s->width;
    for (int i = 0; lengths && i < wanted && i < s->batch; i++) lengths[i] = s->lengths[i];
    if (fill && s->type == DNN_DOUBLE) *(double *)fill = s->fill;
    if (fill && s->type == DNN_FLOAT) *(float *)fill = (float)s->fill;
    if (fill && s->type != DNN_DOUBLE && s->type != DNN_FLOAT) memset(fill, 0, 2);
    return DNN_SUCCESS;
}

// ---- weights ------------------------------------------------------------------------------------
struct weights network_weights(const struct network *r, int pseudo) {
    const int64_t gates = network_gates(r), H = r->hidden, P = r->projection;
    const int64_t biases = r->bias == BIAS_NONE ? 0 : r->bias == BIAS_BOTH ? 2 : 1;
    struct weights w = {-1, -1, -1, -1, -1, 0};
    int64_t at = 0;
    for (int i = 0; i < network_pseudo_layers(r); i++) {
        const int64_t D = network_input(r, i / r->directions);
        if (i == pseudo) {
            w.input = at;
            w.state = at + gates * H * D;
            if (network_projects(r)) w.projection = w.state + gates * H * P;
        }
        at += gates * H * (D + P) + (network_projects(r) ? P * H : 0);
    }
    const int64_t own = at + pseudo * biases * gates * H;
    if (r->bias == BIAS_OF_INPUT || r->bias == BIAS_BOTH) w.bias_input = own;
    if (r->bias == BIAS_OF_STATE) w.bias_state = own;
    if (r->bias == BIAS_BOTH) w.bias_state = own + gates * H;
    w.all = at + network_pseudo_layers(r) * biases * gates * H;
    return w;
}
API(cudnnGetRNNWeightSpaceSize, blas_handle_t h, const struct network *r, size_t *bytes) {
    if (!blas_is_handle(h) || !r || !bytes) return DNN_BAD_PARAM;
    *bytes = (size_t)network_weights(r, 0).all * dnn_type_bytes(r->type);
    return DNN_SUCCESS;
}
static void describe(struct dnn_tensor *t, int type, int64_t rows, int64_t columns) {
    if (!t) return;
    *t = (struct dnn_tensor){.type = type, .rank = 3, .size = {1, rows, columns}};
    dnn_pack(t);
}
API(cudnnGetRNNWeightParams, blas_handle_t h, const struct network *r, int32_t pseudo, size_t bytes,
    const void *space, int32_t which, struct dnn_tensor *matrix, void **matrix_at,
    struct dnn_tensor *bias, void **bias_at) {
    if (!blas_is_handle(h) || !r || pseudo < 0 || pseudo >= network_pseudo_layers(r))
        return DNN_BAD_PARAM;
    const int gates = network_gates(r);
    const struct weights w = network_weights(r, pseudo);
    const size_t size = dnn_type_bytes(r->type);
    if (which < 0 || which > 2 * gates || (which == 2 * gates && r->mode != RNN_LSTM) ||
        (space && bytes < (size_t)w.all * size))
        return DNN_BAD_PARAM;
    const bool is_state = which >= gates, is_projection = which == 2 * gates;
    const int64_t H = r->hidden, gate = which % gates,
                  columns = is_projection ? H
                            : is_state    ? r->projection
                                          : network_input(r, pseudo / r->directions),
                  rows = is_projection ? r->projection : H;
    int64_t at =
        is_projection ? w.projection : (is_state ? w.state : w.input) + gate * rows * columns;
    describe(matrix, r->type, rows, columns);
    if (at < 0) describe(matrix, r->type, 0, 0);
    if (matrix_at) *matrix_at = at < 0 ? NULL : (char *)(uintptr_t)space + (size_t)at * size;
    at = is_projection ? -1 : is_state ? w.bias_state : w.bias_input;
    describe(bias, r->type, at < 0 ? 0 : H, at < 0 ? 0 : 1);
    if (bias_at)
        *bias_at = at < 0 ? NULL : (char *)(uintptr_t)space + (size_t)(at + gate * H) * size;
    return DNN_SUCCESS;
}

// ---- areas --------------------------------------------------------------------------------------
static size_t take(size_t *at, size_t bytes) {
    const size_t from = *at;
    *at += (bytes + 255) / 256 * 256;
    return from;
}
struct places network_places(const struct network *r, const struct sequences *x, bool is_training) {
    const size_t E = dnn_type_bytes(r->type), S = r->type == DNN_DOUBLE ? 8 : 4;
    const size_t N = (size_t)x->batch, R = (size_t)x->steps * N, H = (size_t)r->hidden,
                 P = (size_t)r->projection, G = (size_t)network_gates(r),
                 all = (size_t)network_pseudo_layers(r), wide = P * (size_t)r->directions,
                 D = (size_t)r->input;
    const bool projects = network_projects(r);
    struct places p = {0};
    size_t at = 0;
    p.joined_each = (R * wide * E + 255) / 256 * 256;
    p.mask_each = is_training && r->dropout.rate > 0 ? (R * wide + 255) / 256 * 256 : 0;
    p.gates_each = (R * G * H * S + 255) / 256 * 256;
    p.q_each = r->mode == RNN_GRU ? (R * H * S + 255) / 256 * 256 : 0;
    p.c_each = r->mode == RNN_LSTM ? ((R + N) * H * S + 255) / 256 * 256 : 0;
    p.h_each = ((R + N) * P * E + 255) / 256 * 256;
    p.m_each = projects ? (R * H * E + 255) / 256 * 256 : 0;
    p.x = take(&at, R * D * E);
    p.joined = take(&at, p.joined_each * (size_t)(r->layers - 1));
    p.mask = take(&at, p.mask_each * (size_t)(r->layers - 1));
    p.gates = take(&at, p.gates_each * all);
    p.q = take(&at, p.q_each * all);
    p.c = take(&at, p.c_each * all);
    p.h = take(&at, p.h_each * all);
    p.m = take(&at, p.m_each * all);
    if (is_training) { // gradients, at the same distances
        p.dg = take(&at, p.gates_each * all);
        p.ds = r->mode == RNN_GRU ? take(&at, p.gates_each * all) : p.dg;
        p.total = projects ? take(&at, p.h_each * all) : 0;
        p.kept = at;
        at = 0;
    }
    p.lengths = take(&at, N * 4);
    p.rows = take(&at, R * 4);
    p.state_gates = take(&at, N * G * H * S);
    p.dh = take(&at, N * P * S);
    p.dc = take(&at, N * H * S);
    p.dm = take(&at, N * H * S);
    for (int i = 0; is_training && i < 2; i++) p.dx[i] = take(&at, R * (D > wide ? D : wide) * E);
    if (is_training) p.dy = take(&at, R * wide * E);
    p.work = at;
    return p;
}
API(cudnnGetRNNTempSpaceSizes, blas_handle_t h, const struct network *r, int is_training,
    const struct sequences *x, size_t *work, size_t *kept) {
    if (!blas_is_handle(h) || !r || !x || !x->lengths) return DNN_BAD_PARAM;
    const struct places p = network_places(r, x, is_training);
    if (work) *work = p.work;
    if (kept) *kept = p.kept;
    return DNN_SUCCESS;
}
