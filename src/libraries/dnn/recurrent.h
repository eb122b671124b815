// Recurrent networks and dropout, as their kernels take them. Read by C and by CUDA C: the layouts are alike.
//
// Inside, a sequence of T steps for N members is a matrix of T * N rows, the rows of a step beside each other. A member whose
// sequence has ended keeps its state: its rows are computed, and what they hold is never used. "sum" is the type in which the
// tensors' elements are added up: single precision, double of double.
#ifndef WW_LIBRARIES_RECURRENT_H
#define WW_LIBRARIES_RECURRENT_H

#include <stdint.h>

enum recurrent_mode { RNN_RELU, RNN_TANH, RNN_LSTM, RNN_GRU }; // cudnnRNNMode_t
enum recurrent_layout {
    RNN_STEPS_PADDED,
    RNN_STEPS_PACKED,
    RNN_MEMBERS_PADDED
}; // cudnnRNNDataLayout_t

// Whole numbers that the host knows, as parameters of a launch: a captured graph keeps them.
enum { RECURRENT_LENGTHS = 512 };
struct recurrent_lengths {
    uint64_t to;
    int32_t first, count;
    int32_t value[RECURRENT_LENGTHS];
};

// Which row of the program's tensor each inner row is. A row of padding that the tensor has is stored as its complement.
enum { RECURRENT_NO_ROW = INT32_MIN };
struct recurrent_rows {
    uint64_t lengths, rows;
    int32_t steps, batch, layout;
};

// Rows of the program's tensor to inner rows and back: padding becomes zeros.
struct recurrent_move {
    uint64_t from, to, rows;
    int64_t all; // inner elements
    int32_t width;
};

// The outputs of one or two directions side by side: into the program's tensor (`rows`), whose padding becomes `fill`, or into
// the next layer's input, where dropout leaves a byte for each element in `mask`.
struct recurrent_join {
    uint64_t h[2], to, rows, mask, states;
    double fill;
    int64_t all;
    int32_t width, directions; // width: of a direction
    double rate;
};

// A dropout of its own. Without `states` it is the gradient: the mask is read.
struct dropout {
    uint64_t from, to, mask, states;
    int64_t all;
    double rate;
};
// What lies at a descriptor's states: the key and the number of blocks of four words drawn so far.
struct dropout_states {
    uint64_t key, blocks;
};
struct dropout_advance {
    uint64_t states, key, blocks;
    uint32_t is_new; // bool: key and blocks are set, not added to
};

// A step of a layer in one direction, a thread for each unit of a member.
struct recurrent_cell {
    uint64_t lengths;
    uint64_t
        gates; // sums [batch][gates * hidden]: of input, and but for GRU of state too; then the gates
    uint64_t state_gates,
        q; // GRU's sums of the state; its part of the new state before the reset gate is kept in q
    uint64_t bias_x, bias_h; // elements, or 0
    uint64_t h_before,
        h; // elements [batch][hidden]; with a projection h is what is projected, and h_before 0
    uint64_t c_before, c; // sums
    int32_t mode, batch, hidden, step;
    double clip; // bound of LSTM's state; infinity: none
};
struct recurrent_back {
    uint64_t lengths, gates, q, c_before, c, h_before;
    uint64_t dy;     // elements, of the layer's output; 0 where `dm` is the whole gradient of h
    uint64_t dh, dc; // sums that steps hand on
    uint64_t dm;     // sums [batch][hidden], with a projection
    uint64_t dg, ds; // elements: gradients of the gates' sums, and of GRU's sums of the state
    int64_t dy_step; // elements from a member's dy to the next one's
    int32_t mode, batch, hidden, step;
};
// With a projection: dh of this step as elements, and what is left of it for the step before.
struct recurrent_total {
    uint64_t lengths, dy, dh, to;
    int64_t dy_step;
    int32_t batch, width, step;
};
// Members that have ended keep their state: of a projection.
struct recurrent_keep {
    uint64_t lengths, h_before, h;
    int32_t batch, width, step;
};
// Columns added up.
struct recurrent_bias {
    uint64_t from, to;
    int32_t rows, width;
    double beta;
};
// Elements or sums into elements or sums; zeros from 0.
struct recurrent_convert {
    uint64_t from, to;
    int64_t all;
    uint32_t from_sums, to_sums; // bool
};

// Connectionist temporal classification (A. Graves et al., 2006): class 0 is the blank. `paths` has, for each member and step,
// a place for each of 2 L + 1 states, L the longest label; `norm` the logarithm of what a step's classes add up to.
struct ctc {
    uint64_t x, dx, costs; // dx: 0, no gradient is asked for
    uint64_t labels, label_lengths,
        input_lengths; // whole numbers on the device; labels follow one another
    uint64_t norm, paths;
    int64_t x_step, x_member, dx_step, dx_member; // elements
    int32_t steps, batch, classes, states;
    uint32_t is_normal; // bool: x holds probabilities, not numbers that softmax makes into such
};

#endif
