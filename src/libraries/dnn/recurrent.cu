// Recurrent networks and dropout (recurrent.h). Products of matrices are blas/gemm.cu's; here is what lies between them. The
// file is compiled once for each type.
#include "element.h"
#include "recurrent.h"
#include "../random/draw.h"

static __device__ inline A bias_at(uint64_t at, int i) { return at ? get(at, i) : 0; }
static __device__ inline void set(uint64_t at, int64_t i, A v) { narrow(&((T *)at)[i], v); }
static __device__ inline bool is_over(uint64_t lengths, int member, int step) { return step >= ((const int32_t *)lengths)[member]; }

// ---- rows -----------------------------------------------------------------------------------------
extern "C" __global__ void rnn_lengths(const recurrent_lengths p) {
    EACH(i, p.count) ((int32_t *)p.to)[p.first + i] = p.value[i];
}
extern "C" __global__ void rnn_rows(const recurrent_rows p) {
    const int32_t *const lengths = (const int32_t *)p.lengths;
    EACH(step, p.steps) {
        int32_t before = 0; // rows of earlier steps, where members that have ended have none
        if (p.layout == RNN_STEPS_PACKED)
            for (int n = 0; n < p.batch; n++) before += lengths[n] < step ? lengths[n] : (int32_t)step;
        for (int n = 0; n < p.batch; n++) {
            const bool over = step >= lengths[n];
            const int32_t padded = p.layout == RNN_MEMBERS_PADDED ? n * p.steps + (int32_t)step : (int32_t)step * p.batch + n;
            ((int32_t *)p.rows)[step * p.batch + n] = p.layout == RNN_STEPS_PACKED ? (over ? RECURRENT_NO_ROW : before + n)
                                                      : over                       ? ~padded
                                                                                   : padded;
        }
    }
}
extern "C" __global__ void rnn_pack(const recurrent_move p) {
    EACH(i, p.all) {
        const int32_t row = ((const int32_t *)p.rows)[i / p.width];
        set(p.to, i, row < 0 ? 0 : get(p.from, (int64_t)row * p.width + i % p.width));
    }
}
extern "C" __global__ void rnn_unpack(const recurrent_move p) {
    EACH(i, p.all) {
        const int32_t row = ((const int32_t *)p.rows)[i / p.width];
        if (row == RECURRENT_NO_ROW) continue;
        const int64_t to = (int64_t)(row < 0 ? ~row : row) * p.width + i % p.width;
        ((T *)p.to)[to] = row >= 0 ? ((const T *)p.from)[i] : T{};
    }
}

// ---- dropout --------------------------------------------------------------------------------------
// Element i has word i % 4 of block i / 4 behind those that were drawn before.
static __device__ inline bool is_kept(const dropout_states *s, int64_t i, double rate) {
    uint32_t words[4];
    random_philox(s->blocks + (uint64_t)i / 4, 0, s->key, words);
    return words[i % 4] * 0x1p-32 >= rate;
}
static __device__ inline A dropout_scale(double rate) { return rate < 1 ? (A)(1 / (1 - rate)) : 0; }
extern "C" __global__ void dropout(const struct dropout p) {
    const A scale = dropout_scale(p.rate);
    EACH(i, p.all) {
        uint8_t *const mask = &((uint8_t *)p.mask)[i];
        if (p.states) *mask = is_kept((const dropout_states *)p.states, i, p.rate);
        set(p.to, i, *mask ? get(p.from, i) * scale : 0);
    }
}
extern "C" __global__ void dropout_advance(const struct dropout_advance p) {
    dropout_states *const s = (dropout_states *)p.states;
    if (thread_x || block_x) return;
    if (p.is_new) s->key = p.key;
    s->blocks = p.is_new ? p.blocks : s->blocks + p.blocks;
}

extern "C" __global__ void rnn_join(const recurrent_join p) {
    const A scale = dropout_scale(p.rate);
    const int wide = p.width * p.directions;
    EACH(i, p.all) {
        const int64_t row = i / wide;
        const int column = (int)(i % wide), direction = column >= p.width;
        int64_t to = i;
        bool is_fill = false;
        if (p.rows) {
            const int32_t r = ((const int32_t *)p.rows)[row];
            if (r == RECURRENT_NO_ROW) continue;
            is_fill = r < 0;
            to = (int64_t)(is_fill ? ~r : r) * wide + column;
        }
        T v = ((const T *)p.h[direction])[row * p.width + column - direction * p.width];
        if (is_fill) narrow(&v, (A)p.fill);
        if (p.mask) {
            const bool kept = is_kept((const dropout_states *)p.states, i, p.rate);
            ((uint8_t *)p.mask)[i] = kept;
            narrow(&v, kept ? widen(v, A{}) * scale : (A)0);
        }
        ((T *)p.to)[to] = v;
    }
}

// ---- cells ----------------------------------------------------------------------------------------
extern "C" __global__ void rnn_cell(const recurrent_cell p) {
    const int64_t all = (int64_t)p.batch * p.hidden;
    EACH(i, all) {
        const int member = (int)(i / p.hidden), unit = (int)(i % p.hidden);
        if (is_over(p.lengths, member, p.step)) {
            ((T *)p.h)[i] = p.h_before ? ((const T *)p.h_before)[i] : T{};
            if (p.mode == RNN_LSTM) ((A *)p.c)[i] = ((const A *)p.c_before)[i];
            continue;
        }
        const int count = p.mode == RNN_LSTM ? 4 : p.mode == RNN_GRU ? 3 : 1;
        A *const gates = (A *)p.gates + (int64_t)member * count * p.hidden + unit;
        A x[4] = {}, h[4] = {};
#pragma unroll
        for (int k = 0; k < 4; k++)
            if (k < count) {
                x[k] = gates[k * p.hidden] + bias_at(p.bias_x, k * p.hidden + unit);
                h[k] = bias_at(p.bias_h, k * p.hidden + unit);
                if (p.mode == RNN_GRU) h[k] += ((const A *)p.state_gates)[(int64_t)member * count * p.hidden + k * p.hidden + unit];
            }
        if (p.mode == RNN_LSTM) {
            const A in = sigmoid(x[0] + h[0]), forget = sigmoid(x[1] + h[1]), fresh = tangent(x[2] + h[2]), out = sigmoid(x[3] + h[3]);
            A c = forget * ((const A *)p.c_before)[i] + in * fresh;
            c = c > (A)p.clip ? (A)p.clip : c < -(A)p.clip ? -(A)p.clip : c;
            gates[0] = in, gates[p.hidden] = forget, gates[2 * p.hidden] = fresh, gates[3 * p.hidden] = out;
            ((A *)p.c)[i] = c;
            set(p.h, i, out * tangent(c));
        } else if (p.mode == RNN_GRU) {
            const A reset = sigmoid(x[0] + h[0]), update = sigmoid(x[1] + h[1]), fresh = tangent(x[2] + reset * h[2]);
            gates[0] = reset, gates[p.hidden] = update, gates[2 * p.hidden] = fresh;
            ((A *)p.q)[i] = h[2];
            set(p.h, i, (1 - update) * fresh + update * get(p.h_before, i));
        } else {
            const A v = x[0] + h[0], y = p.mode == RNN_TANH ? tangent(v) : v > 0 ? v : 0;
            gates[0] = y;
            set(p.h, i, y);
        }
    }
}
extern "C" __global__ void rnn_keep(const recurrent_keep p) {
    EACH(i, (int64_t)p.batch * p.width)
        if (is_over(p.lengths, (int)(i / p.width), p.step)) ((T *)p.h)[i] = ((const T *)p.h_before)[i];
}
extern "C" __global__ void rnn_total(const recurrent_total p) {
    EACH(i, (int64_t)p.batch * p.width) {
        const int member = (int)(i / p.width);
        A *const dh = (A *)p.dh + i;
        if (is_over(p.lengths, member, p.step)) {
            set(p.to, i, 0);
        } else {
            set(p.to, i, *dh + get(p.dy, member * p.dy_step + i % p.width));
            *dh = 0;
        }
    }
}
extern "C" __global__ void rnn_back(const recurrent_back p) {
    const int count = p.mode == RNN_LSTM ? 4 : p.mode == RNN_GRU ? 3 : 1;
    EACH(i, (int64_t)p.batch * p.hidden) {
        const int member = (int)(i / p.hidden), unit = (int)(i % p.hidden);
        const int64_t first = (int64_t)member * count * p.hidden + unit;
        if (is_over(p.lengths, member, p.step)) {
            for (int k = 0; k < count; k++) {
                set(p.dg, first + k * p.hidden, 0);
                if (p.mode == RNN_GRU) set(p.ds, first + k * p.hidden, 0);
            }
            continue;
        }
        const A *const gates = (const A *)p.gates + first;
        A *const handed = (A *)p.dh + i;
        const A dh = p.dy ? *handed + get(p.dy, member * p.dy_step + unit) : ((const A *)p.dm)[i];
        A left = 0;
        if (p.mode == RNN_LSTM) {
            const A in = gates[0], forget = gates[p.hidden], fresh = gates[2 * p.hidden], out = gates[3 * p.hidden];
            const A t = tangent(((const A *)p.c)[i]), dc = ((const A *)p.dc)[i] + dh * out * (1 - t * t);
            set(p.dg, first, dc * fresh * in * (1 - in));
            set(p.dg, first + p.hidden, dc * ((const A *)p.c_before)[i] * forget * (1 - forget));
            set(p.dg, first + 2 * p.hidden, dc * in * (1 - fresh * fresh));
            set(p.dg, first + 3 * p.hidden, dh * t * out * (1 - out));
            ((A *)p.dc)[i] = dc * forget;
        } else if (p.mode == RNN_GRU) {
            const A reset = gates[0], update = gates[p.hidden], fresh = gates[2 * p.hidden], q = ((const A *)p.q)[i];
            const A d_fresh = dh * (1 - update) * (1 - fresh * fresh), d_reset = d_fresh * q * reset * (1 - reset),
                    d_update = dh * (get(p.h_before, i) - fresh) * update * (1 - update);
            set(p.dg, first, d_reset), set(p.ds, first, d_reset);
            set(p.dg, first + p.hidden, d_update), set(p.ds, first + p.hidden, d_update);
            set(p.dg, first + 2 * p.hidden, d_fresh), set(p.ds, first + 2 * p.hidden, d_fresh * reset);
            left = dh * update;
        } else {
            const A y = gates[0];
            set(p.dg, first, p.mode == RNN_TANH ? dh * (1 - y * y) : y > 0 ? dh : 0);
        }
        if (p.dy) *handed = left;
    }
}
// A block has 32 columns: its eight warps take every eighth row.
extern "C" __global__ __launch_bounds__(256) void rnn_bias(const recurrent_bias p) {
    __shared__ A held[256];
    const int column = block_x * 32 + thread_x % 32;
    A sum = 0;
    if (column < p.width)
        for (int row = thread_x / 32; row < p.rows; row += 8) sum += get(p.from, (int64_t)row * p.width + column);
    held[thread_x] = sum;
    barrier();
    if (thread_x >= 32 || column >= p.width) return;
    for (int k = 1; k < 8; k++) sum += held[thread_x + 32 * k];
    put(p.to, column, sum, 1, p.beta);
}
extern "C" __global__ void rnn_convert(const recurrent_convert p) {
    EACH(i, p.all) {
        const A v = !p.from ? 0 : p.from_sums ? ((const A *)p.from)[i] : get(p.from, i);
        if (p.to_sums)
            ((A *)p.to)[i] = v;
        else
            set(p.to, i, v);
    }
}

// ---- connectionist temporal classification ----------------------------------------------------------
static __device__ inline A log_add(A a, A b) {
    const A high = a > b ? a : b, low = a > b ? b : a;
    return low == -(A)__builtin_inf() ? high : high + logarithm(1 + exponential(low - high));
}
static __device__ inline A log_of_class(const ctc &p, int step, int member, int k) {
    const A v = get(p.x, step * p.x_step + member * p.x_member + k);
    return p.is_normal ? logarithm(v) : v - ((const A *)p.norm)[(int64_t)step * p.batch + member];
}
extern "C" __global__ void ctc_norm(const ctc p) {
    EACH(i, (int64_t)p.steps * p.batch) {
        const int64_t first = i / p.batch * p.x_step + i % p.batch * p.x_member;
        A most = get(p.x, first), sum = 0;
        for (int k = 1; k < p.classes; k++) {
            const A v = get(p.x, first + k);
            most = v > most ? v : most;
        }
        for (int k = 0; k < p.classes; k++) sum += exponential(get(p.x, first + k) - most);
        ((A *)p.norm)[i] = most + logarithm(sum);
    }
}
// A member is a block's. States 0, 2, ... are blanks, state 2 i + 1 is label i. `paths` gets the logarithm of the share of all
// paths of the label that are in a state at a step.
extern "C" __global__ __launch_bounds__(256) void ctc_paths(const ctc p) {
    const int member = block_x;
    const int32_t *const lengths = (const int32_t *)p.label_lengths, *labels = (const int32_t *)p.labels;
    for (int i = 0; i < member; i++) labels += lengths[i];
    const int length = lengths[member], states = 2 * length + 1, steps = ((const int32_t *)p.input_lengths)[member];
    const A none = -(A)__builtin_inf();
    A *const paths = (A *)p.paths + (int64_t)member * p.steps * p.states;
    __shared__ A all;
    for (int t = 0; t < steps; t++) {
        for (int s = thread_x; s < states; s += threads_x) {
            const int k = s % 2 ? labels[s / 2] : 0;
            A sum = t ? paths[(t - 1) * p.states + s] : s < 2 ? 0 : none;
            if (t && s) sum = log_add(sum, paths[(t - 1) * p.states + s - 1]);
            if (t && s % 2 && s > 2 && labels[s / 2 - 1] != k) sum = log_add(sum, paths[(t - 1) * p.states + s - 2]);
            paths[t * p.states + s] = sum + log_of_class(p, t, member, k);
        }
        barrier();
    }
    if (!thread_x) {
        const A *const last = paths + (int64_t)(steps - 1) * p.states;
        all = !steps ? (length ? none : 0) : length ? log_add(last[states - 1], last[states - 2]) : last[0];
        ((A *)p.costs)[member] = -all;
    }
    barrier();
    if (!p.dx) return;
    // What follows a state at a step, in a ring of two rows behind the paths.
    A *const behind = (A *)p.paths + (int64_t)p.batch * p.steps * p.states + (int64_t)member * 2 * p.states;
    for (int t = steps - 1; t >= 0; t--) {
        const A *const later = behind + (t + 1) % 2 * p.states;
        for (int s = thread_x; s < states; s += threads_x) {
            A sum = none;
            if (t == steps - 1) {
                sum = s >= states - 2 ? 0 : none;
            } else {
                const int k = s % 2 ? labels[s / 2] : 0;
                sum = later[s] + log_of_class(p, t + 1, member, k);
                if (s + 1 < states) sum = log_add(sum, later[s + 1] + log_of_class(p, t + 1, member, s % 2 ? 0 : labels[s / 2]));
                if (s % 2 && s + 2 < states && labels[s / 2 + 1] != k)
                    sum = log_add(sum, later[s + 2] + log_of_class(p, t + 1, member, labels[s / 2 + 1]));
            }
            behind[t % 2 * p.states + s] = sum;
            paths[t * p.states + s] += sum - all;
        }
        barrier();
    }
}
// Of the numbers before softmax: the class's probability less its share of the paths. Zeros behind a member's end, and where no
// path has the label.
extern "C" __global__ void ctc_gradient(const ctc p) {
    EACH(i, (int64_t)p.steps * p.batch * p.classes) {
        const int k = (int)(i % p.classes), member = (int)(i / p.classes % p.batch), step = (int)(i / p.classes / p.batch);
        const int32_t *const lengths = (const int32_t *)p.label_lengths, *labels = (const int32_t *)p.labels;
        A d = 0;
        if (step < ((const int32_t *)p.input_lengths)[member] && ((const A *)p.costs)[member] < (A)__builtin_inf()) {
            for (int n = 0; n < member; n++) labels += lengths[n];
            const A *const paths = (const A *)p.paths + ((int64_t)member * p.steps + step) * p.states;
            d = exponential(log_of_class(p, step, member, k));
            for (int s = 0; s <= 2 * lengths[member]; s++)
                if ((s % 2 ? labels[s / 2] : 0) == k) d -= exponential(paths[s]);
        }
        set(p.dx, step * p.dx_step + member * p.dx_member + k, d);
    }
}
