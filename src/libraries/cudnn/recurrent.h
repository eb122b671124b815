// Recurrent networks: what a program describes, and where things lie. A network of L layers has L pseudo layers, 2 L where it
// runs both ways: forward and backward of a layer beside each other.
#ifndef WW_LIBRARIES_CUDNN_RECURRENT_H
#define WW_LIBRARIES_CUDNN_RECURRENT_H

#include "cudnn.h"

enum { BIAS_NONE, BIAS_OF_INPUT, BIAS_BOTH, BIAS_OF_STATE }; // cudnnRNNBiasMode_t

struct network {
    int algorithm, mode, bias, input_mode, type, sum_type, math;
    int input, hidden, projection,
        layers;     // widths; projection: of the output, `hidden` where there is none
    int directions; // 1 or 2
    uint32_t flags;
    struct dropout_kind dropout;
    int clip_mode, clip_nan;
    double clip_low, clip_high;
};
struct sequences { // cudnnRNNDataDescriptor_t
    int type, layout, steps, batch, width;
    int32_t *lengths; // of the members
    double fill;
};

static inline int network_gates(const struct network *r) {
    return r->mode == RNN_LSTM ? 4 : r->mode == RNN_GRU ? 3 : 1;
}
static inline bool network_projects(const struct network *r) { return r->projection != r->hidden; }
static inline int network_pseudo_layers(const struct network *r) {
    return r->layers * r->directions;
}
static inline int network_input(const struct network *r, int layer) {
    return layer ? r->projection * r->directions : r->input;
}

// Elements from the weights' begin: matrices of the input, of the state and of the projection of a pseudo layer, each gate's
// behind the other's, for one pseudo layer after the other; then biases of the input and of the state in the same order.
// -1: there is none.
struct weights {
    int64_t input, state, projection, bias_input, bias_state, all;
};
struct weights network_weights(const struct network *r, int pseudo);

// Bytes from the begin of the area that forward passes leave for backward ones (kept), and of the work area.
struct places {
    size_t x, joined, mask, gates, q, c, h, m, dg, ds, total,
        kept; // one for each pseudo layer or layer, by `_each`
    size_t joined_each, mask_each, gates_each, q_each, c_each, h_each, m_each;
    size_t lengths, rows, state_gates, dh, dc, dm, dx[2], dy, work;
};
struct places network_places(const struct network *r, const struct sequences *x, bool is_training);

#endif
