// Passes through recurrent networks. Forward, a layer's input is multiplied for all steps at once; then each step multiplies
// the state and computes the cells (dnn/recurrent.cu). Backward goes the same way back and leaves the gradients of the gates'
// sums, from which the weights' gradients are one product each. Lengths are those that the description has: those on the
// device are the same by the vendor's documentation.
#include "recurrent.h"

#include <math.h>

// A pass: the handle and where its parts lie. `kept` is what a forward pass leaves for backward ones.
struct pass {
    blas_handle_t h;
    const struct network *r;
    struct places p;
    int steps, batch;
    int64_t rows;        // steps * batch
    size_t element, sum; // bytes
    uint64_t weights, work, kept;
};

static uint64_t of(const struct pass *a, size_t first, size_t each, int pseudo) {
    return a->kept + first + each * (size_t)pseudo;
}
static dnn_status launch(const struct pass *a, const char *kernel, int64_t threads,
                         const void *params, size_t bytes) {
    return dnn_launch(a->h, DNN_RECURRENT, a->r->type, kernel,
                      (const uint32_t[3]){dnn_blocks(threads), 1, 1}, 0, params, bytes);
}

// ---- products -------------------------------------------------------------------------------------
// C = op(A) op(B) + beta C of matrices whose rows follow one another: op transposes where the flag says so; C has elements or
// sums. For the column-major products of blas/ these are C' = op(B)' op(A)'.
struct matrix {
    uint64_t at;
    int64_t width; // elements of a row
    bool is_turned;
};
static dnn_status multiply(const struct pass *a, int64_t rows, int64_t columns, int64_t inner,
                           struct matrix x, struct matrix y, uint64_t to, bool to_sums,
                           double beta) {
    static const int of_dnn[] = {[DNN_FLOAT] = TYPE_R_32F,
                                 [DNN_DOUBLE] = TYPE_R_64F,
                                 [DNN_HALF] = TYPE_R_16F,
                                 [DNN_BFLOAT16] = TYPE_R_16BF};
    const int element = of_dnn[a->r->type], sum = a->sum == 8 ? TYPE_R_64F : TYPE_R_32F;
    const struct blas_types t = {.ab = element,
                                 .cd = to_sums ? sum : element,
                                 .scale = sum,
                                 .may_round = a->r->math != MATH_FMA};
    struct gemm g = {.m = (int32_t)columns,
                     .n = (int32_t)rows,
                     .k = (int32_t)inner,
                     .a = {.at = y.at, .lead = y.width},
                     .b = {.at = x.at, .lead = x.width},
                     .c = {.at = to, .lead = columns},
                     .d = {.at = to, .lead = columns},
                     .alpha = {1},
                     .beta = {beta}};
    return dnn_of(blas_product(a->h, "cudnnRNNForward", y.is_turned ? OPERATION_T : OPERATION_N,
                               x.is_turned ? OPERATION_T : OPERATION_N, &t, &g, 1));
}
static struct matrix plain(uint64_t at, int64_t width) { return (struct matrix){at, width, false}; }
static struct matrix turned(uint64_t at, int64_t width) { return (struct matrix){at, width, true}; }

static dnn_status convert(const struct pass *a, uint64_t from, bool from_sums, uint64_t to,
                          bool to_sums, int64_t all) {
    const struct recurrent_convert k = {from, to, all, from_sums, to_sums};
    return launch(a, "rnn_convert", all, &k, sizeof k);
}
static uint64_t advanced(uint64_t at, int64_t elements, size_t bytes) {
    return at ? at + (uint64_t)elements * bytes : 0;
}

// ---- rows -----------------------------------------------------------------------------------------
static dnn_status find_rows(const struct pass *a, const struct sequences *x) {
    dnn_status s = DNN_SUCCESS;
    for (int first = 0; !s && first < x->batch; first += RECURRENT_LENGTHS) {
        const int left = x->batch - first;
        struct recurrent_lengths k = {.to = a->work + a->p.lengths,
                                      .first = first,
                                      .count = left < RECURRENT_LENGTHS ? left : RECURRENT_LENGTHS};
        for (int i = 0; i < k.count; i++) k.value[i] = x->lengths[first + i];
        s = launch(a, "rnn_lengths", k.count, &k, sizeof k);
    }
    const struct recurrent_rows k = {.lengths = a->work + a->p.lengths,
                                     .rows = a->work + a->p.rows,
                                     .steps = x->steps,
                                     .batch = x->batch,
                                     .layout = x->layout};
    return s ? s : launch(a, "rnn_rows", x->steps, &k, sizeof k);
}
// Whether rows of the program's lie as inner ones, none of them padding, which may hold anything.
static bool lies_so(const struct sequences *x) {
    for (int i = 0; i < x->batch; i++)
        if (x->lengths[i] != x->steps) return false;
    return x->layout != RNN_MEMBERS_PADDED;
}
// Rows of the program's as inner ones. `to` becomes where they are if they lie so already.
static dnn_status pack(const struct pass *a, const struct sequences *x, const void *at,
                       uint64_t *to) {
    if (lies_so(x)) {
        *to = (uintptr_t)at;
        return DNN_SUCCESS;
    }
    const struct recurrent_move k = {.from = (uintptr_t)at,
                                     .to = *to,
                                     .rows = a->work + a->p.rows,
                                     .all = a->rows * x->width,
                                     .width = x->width};
    return launch(a, "rnn_pack", k.all, &k, sizeof k);
}

static dnn_status begin(struct pass *a, blas_handle_t h, const struct network *r,
                        const struct sequences *x, const struct sequences *y, size_t weight_bytes,
                        const void *weights, size_t work_bytes, void *work, size_t kept_bytes,
                        void *kept, bool is_training) {
    if (!blas_is_handle(h) || !r || !x || !y || !x->lengths || !y->lengths || !weights || !work ||
        x->type != r->type || y->type != r->type || x->width != r->input ||
        y->width != r->projection * r->directions || x->steps != y->steps || x->batch != y->batch ||
        x->layout != y->layout)
        return DNN_BAD_PARAM;
    *a = (struct pass){.h = h,
                       .r = r,
                       .p = network_places(r, x, is_training),
                       .steps = x->steps,
                       .batch = x->batch,
                       .rows = (int64_t)x->steps * x->batch,
                       .element = dnn_type_bytes(r->type),
                       .sum = r->type == DNN_DOUBLE ? 8 : 4,
                       .weights = (uintptr_t)weights,
                       .work = (uintptr_t)work,
                       .kept = (uintptr_t)kept};
    if (weight_bytes < (size_t)network_weights(r, 0).all * a->element || work_bytes < a->p.work ||
        (is_training && (!kept || kept_bytes < a->p.kept)))
        return DNN_BAD_PARAM;
    return find_rows(a, x);
}

// What a pseudo layer has. `h` and `c` have a place for the state before the first step, which is the last place of a layer
// that runs backward.
struct lane {
    int pseudo, width; // width: of the input
    bool is_back;
    struct weights w;
    uint64_t x, gates, q, c, h, m, dg, ds, total;
};
static struct lane lane_of(const struct pass *a, int pseudo, uint64_t x0) {
    const struct network *const r = a->r;
    const struct places *const p = &a->p;
    const int layer = pseudo / r->directions;
    return (struct lane){.pseudo = pseudo,
                         .width = network_input(r, layer),
                         .is_back = pseudo % r->directions != 0,
                         .w = network_weights(r, pseudo),
                         .x = layer ? of(a, p->joined, p->joined_each, layer - 1) : x0,
                         .gates = of(a, p->gates, p->gates_each, pseudo),
                         .q = of(a, p->q, p->q_each, pseudo),
                         .c = of(a, p->c, p->c_each, pseudo),
                         .h = of(a, p->h, p->h_each, pseudo),
                         .m = of(a, p->m, p->m_each, pseudo),
                         .dg = of(a, p->dg, p->gates_each, pseudo),
                         .ds = of(a, p->ds, p->gates_each, pseudo),
                         .total = of(a, p->total, p->h_each, pseudo)};
}
static uint64_t weight(const struct pass *a, int64_t at) {
    return at < 0 ? 0 : a->weights + (uint64_t)at * a->element;
}
// The state behind a step, or before it.
static uint64_t state(const struct pass *a, const struct lane *l, uint64_t states, int step,
                      bool is_before, int width, size_t bytes) {
    const int place = step + (l->is_back == is_before ? 1 : 0);
    return states + (uint64_t)place * (uint64_t)a->batch * (uint64_t)width * bytes;
}
static int first_step(const struct pass *a, const struct lane *l) {
    return l->is_back ? a->steps - 1 : 0;
}
static int last_step(const struct pass *a, const struct lane *l) {
    return l->is_back ? 0 : a->steps - 1;
}

// ---- forward --------------------------------------------------------------------------------------
static dnn_status step_forward(const struct pass *a, const struct lane *l, int step) {
    const struct network *const r = a->r;
    const int gates = network_gates(r), H = r->hidden, P = r->projection, N = a->batch;
    const bool projects = network_projects(r), is_gru = r->mode == RNN_GRU;
    const uint64_t own_gates =
                       l->gates + (uint64_t)step * (uint64_t)N * (uint64_t)(gates * H) * a->sum,
                   h_before = state(a, l, l->h, step, true, P, a->element),
                   h = state(a, l, l->h, step, false, P, a->element),
                   m = l->m + (uint64_t)step * (uint64_t)N * (uint64_t)H * a->element,
                   state_gates = a->work + a->p.state_gates;
    dnn_status s =
        multiply(a, N, gates * H, P, plain(h_before, P), turned(weight(a, l->w.state), P),
                 is_gru ? state_gates : own_gates, true, is_gru ? 0 : 1);
    const struct recurrent_cell k = {.lengths = a->work + a->p.lengths,
                                     .gates = own_gates,
                                     .state_gates = state_gates,
                                     .q =
                                         l->q + (uint64_t)step * (uint64_t)N * (uint64_t)H * a->sum,
                                     .bias_x = weight(a, l->w.bias_input),
                                     .bias_h = weight(a, l->w.bias_state),
                                     .h_before = projects ? 0 : h_before,
                                     .h = projects ? m : h,
                                     .c_before = state(a, l, l->c, step, true, H, a->sum),
                                     .c = state(a, l, l->c, step, false, H, a->sum),
                                     .mode = r->mode,
                                     .batch = N,
                                     .hidden = H,
                                     .step = step,
                                     .clip = r->clip_mode ? r->clip_high : HUGE_VAL};
    if (!s) s = launch(a, "rnn_cell", (int64_t)N * H, &k, sizeof k);
    if (s || !projects) return s;
    s = multiply(a, N, P, H, plain(m, H), turned(weight(a, l->w.projection), H), h, false, 0);
    const struct recurrent_keep keep = {k.lengths, h_before, h, N, P, step};
    return s ? s : launch(a, "rnn_keep", (int64_t)N * P, &keep, sizeof keep);
}
static dnn_status layer_forward(const struct pass *a, const struct lane *l, uint64_t hx,
                                uint64_t cx, uint64_t hy, uint64_t cy) {
    const struct network *const r = a->r;
    const int gates = network_gates(r), H = r->hidden, P = r->projection, first = first_step(a, l),
              last = last_step(a, l);
    const int64_t h_all = (int64_t)a->batch * P, c_all = (int64_t)a->batch * H;
    const bool is_lstm = r->mode == RNN_LSTM;
    dnn_status s = convert(a, advanced(hx, h_all * l->pseudo, a->element), false,
                           state(a, l, l->h, first, true, P, a->element), false, h_all);
    if (!s && is_lstm)
        s = convert(a, advanced(cx, c_all * l->pseudo, a->element), false,
                    state(a, l, l->c, first, true, H, a->sum), true, c_all);
    if (!s)
        s = multiply(a, a->rows, gates * H, l->width, plain(l->x, l->width),
                     turned(weight(a, l->w.input), l->width), l->gates, true, 0);
    for (int i = 0; !s && i < a->steps; i++)
        s = step_forward(a, l, l->is_back ? a->steps - 1 - i : i);
    if (!s && hy)
        s = convert(a, state(a, l, l->h, last, false, P, a->element), false,
                    advanced(hy, h_all * l->pseudo, a->element), false, h_all);
    if (!s && cy && is_lstm)
        s = convert(a, state(a, l, l->c, last, false, H, a->sum), true,
                    advanced(cy, c_all * l->pseudo, a->element), false, c_all);
    return s;
}
// Outputs of all steps of a layer, its directions side by side: y, or what the next layer takes.
static dnn_status join(const struct pass *a, int layer, const struct sequences *y, void *y_at,
                       bool drops) {
    const struct network *const r = a->r;
    const int P = r->projection;
    struct recurrent_join k = {.width = P,
                               .directions = r->directions,
                               .all = a->rows * P * r->directions,
                               .rate = r->dropout.rate};
    for (int i = 0; i < r->directions; i++) {
        const struct lane l = lane_of(a, layer * r->directions + i, 0);
        k.h[i] = state(a, &l, l.h, 0, false, P, a->element);
    }
    if (layer == r->layers - 1) {
        k.to = (uintptr_t)y_at;
        k.rows = a->work + a->p.rows;
        k.fill = y->fill;
    } else {
        k.to = of(a, a->p.joined, a->p.joined_each, layer);
        if (drops) {
            k.mask = of(a, a->p.mask, a->p.mask_each, layer);
            k.states = r->dropout.states;
        }
    }
    const dnn_status s = launch(a, "rnn_join", k.all, &k, sizeof k);
    return s || !k.mask ? s : dropout_drawn(a->h, &r->dropout, k.all);
}
API(cudnnRNNForward, blas_handle_t h, const struct network *r, int mode, const int32_t *lengths,
    const struct sequences *x, const void *x_at, const struct sequences *y, void *y_at,
    const struct dnn_tensor *h_like, const void *hx, void *hy, const struct dnn_tensor *c_like,
    const void *cx, void *cy, size_t weight_bytes, const void *weights, size_t work_bytes,
    void *work, size_t kept_bytes, void *kept) {
    (void)lengths, (void)h_like, (void)c_like;
    struct pass a;
    const bool is_training = mode != 0;
    dnn_status s = begin(&a, h, r, x, y, weight_bytes, weights, work_bytes, work, kept_bytes, kept,
                         is_training);
    if (s) return s;
    if (!x_at || !y_at) return DNN_BAD_PARAM;
    const bool drops = is_training && r->dropout.rate > 0;
    if (drops && r->layers > 1 && !r->dropout.states) return DNN_BAD_PARAM;
    if (!is_training) a.kept = a.work; // nothing is left for later
    uint64_t x0 = a.kept + a.p.x;
    s = pack(&a, x, x_at, &x0);
    for (int layer = 0; !s && layer < r->layers; layer++) {
        for (int i = 0; !s && i < r->directions; i++) {
            const struct lane l = lane_of(&a, layer * r->directions + i, x0);
            s = layer_forward(&a, &l, (uintptr_t)hx, (uintptr_t)cx, (uintptr_t)hy, (uintptr_t)cy);
        }
        if (!s) s = join(&a, layer, y, y_at, drops);
    }
    return s;
}

// ---- backward -------------------------------------------------------------------------------------
static dnn_status step_back(const struct pass *a, const struct lane *l, int step, uint64_t dy) {
    const struct network *const r = a->r;
    const int gates = network_gates(r), H = r->hidden, P = r->projection, N = a->batch;
    const uint64_t of_gates = (uint64_t)step * (uint64_t)N * (uint64_t)(gates * H),
                   lengths = a->work + a->p.lengths, dh = a->work + a->p.dh, dm = a->work + a->p.dm;
    const int64_t dy_step = (int64_t)P * r->directions;
    dy += ((uint64_t)step * (uint64_t)N * (uint64_t)dy_step + (l->is_back ? (uint64_t)P : 0)) *
          a->element;
    dnn_status s = DNN_SUCCESS;
    if (network_projects(r)) {
        const struct recurrent_total k = {.lengths = lengths,
                                          .dy = dy,
                                          .dh = dh,
                                          .to = l->total +
                                                (uint64_t)step * (uint64_t)(N * P) * a->element,
                                          .dy_step = dy_step,
                                          .batch = N,
                                          .width = P,
                                          .step = step};
        s = launch(a, "rnn_total", (int64_t)N * P, &k, sizeof k);
        if (!s)
            s = multiply(a, N, H, P, plain(k.to, P), plain(weight(a, l->w.projection), H), dm, true,
                         0);
    }
    const struct recurrent_back k = {.lengths = lengths,
                                     .gates = l->gates + of_gates * a->sum,
                                     .q =
                                         l->q + (uint64_t)step * (uint64_t)N * (uint64_t)H * a->sum,
                                     .c_before = state(a, l, l->c, step, true, H, a->sum),
                                     .c = state(a, l, l->c, step, false, H, a->sum),
                                     .h_before = state(a, l, l->h, step, true, P, a->element),
                                     .dy = network_projects(r) ? 0 : dy,
                                     .dh = dh,
                                     .dc = a->work + a->p.dc,
                                     .dm = dm,
                                     .dg = l->dg + of_gates * a->element,
                                     .ds = l->ds + of_gates * a->element,
                                     .dy_step = dy_step,
                                     .mode = r->mode,
                                     .batch = N,
                                     .hidden = H,
                                     .step = step};
    if (!s) s = launch(a, "rnn_back", (int64_t)N * H, &k, sizeof k);
    return s ? s
             : multiply(a, N, P, gates * H, plain(r->mode == RNN_GRU ? k.ds : k.dg, gates * H),
                        plain(weight(a, l->w.state), P), dh, true, 1);
}
static dnn_status layer_back(const struct pass *a, const struct lane *l, uint64_t dy, uint64_t dhy,
                             uint64_t dcy, uint64_t dhx, uint64_t dcx, uint64_t dx) {
    const struct network *const r = a->r;
    const int gates = network_gates(r), H = r->hidden, P = r->projection;
    const int64_t h_all = (int64_t)a->batch * P, c_all = (int64_t)a->batch * H;
    const uint64_t dh = a->work + a->p.dh, dc = a->work + a->p.dc;
    dnn_status s = convert(a, advanced(dhy, h_all * l->pseudo, a->element), false, dh, true, h_all);
    if (!s) s = convert(a, advanced(dcy, c_all * l->pseudo, a->element), false, dc, true, c_all);
    for (int i = 0; !s && i < a->steps; i++)
        s = step_back(a, l, l->is_back ? i : a->steps - 1 - i, dy);
    if (!s && dhx)
        s = convert(a, dh, true, advanced(dhx, h_all * l->pseudo, a->element), false, h_all);
    if (!s && dcx && r->mode == RNN_LSTM)
        s = convert(a, dc, true, advanced(dcx, c_all * l->pseudo, a->element), false, c_all);
    return s ? s
             : multiply(a, a->rows, l->width, gates * H, plain(l->dg, gates * H),
                        plain(weight(a, l->w.input), l->width), dx, false, l->is_back ? 1 : 0);
}
API(cudnnRNNBackwardData_v8, blas_handle_t h, const struct network *r, const int32_t *lengths,
    const struct sequences *y, const void *y_at, const void *dy_at, const struct sequences *x,
    void *dx_at, const struct dnn_tensor *h_like, const void *hx, const void *dhy, void *dhx,
    const struct dnn_tensor *c_like, const void *cx, const void *dcy, void *dcx,
    size_t weight_bytes, const void *weights, size_t work_bytes, void *work, size_t kept_bytes,
    void *kept) {
    (void)lengths, (void)y_at, (void)h_like, (void)hx, (void)c_like, (void)cx;
    struct pass a;
    dnn_status s =
        begin(&a, h, r, x, y, weight_bytes, weights, work_bytes, work, kept_bytes, kept, true);
    if (s) return s;
    if (!dy_at || !dx_at) return DNN_BAD_PARAM;
    if (r->clip_mode)
        return dnn_refuse("cudnnRNNBackwardData_v8", "gradients of a state that is clipped");
    uint64_t dy = a.work + a.p.dy, dx = 0;
    s = pack(&a, y, dy_at, &dy);
    for (int layer = r->layers - 1; !s && layer >= 0; layer--) {
        const bool is_direct = !layer && lies_so(x);
        dx = is_direct ? (uintptr_t)dx_at : a.work + a.p.dx[layer % 2];
        for (int i = 0; !s && i < r->directions; i++) {
            const struct lane l = lane_of(&a, layer * r->directions + i, 0);
            s = layer_back(&a, &l, dy, (uintptr_t)dhy, (uintptr_t)dcy, (uintptr_t)dhx,
                           (uintptr_t)dcx, dx);
        }
        if (!s && layer && r->dropout.rate > 0) {
            const struct dropout k = {.from = dx,
                                      .to = dx,
                                      .mask = of(&a, a.p.mask, a.p.mask_each, layer - 1),
                                      .all = a.rows * r->projection * r->directions,
                                      .rate = r->dropout.rate};
            s = launch(&a, "dropout", k.all, &k, sizeof k);
        }
        dy = dx;
    }
    const struct recurrent_move k = {.from = dx,
                                     .to = (uintptr_t)dx_at,
                                     .rows = a.work + a.p.rows,
                                     .all = a.rows * x->width,
                                     .width = x->width};
    return s || lies_so(x) ? s : launch(&a, "rnn_unpack", k.all, &k, sizeof k);
}

static dnn_status add_bias(const struct pass *a, uint64_t from, uint64_t to, double beta) {
    const struct recurrent_bias k = {.from = from,
                                     .to = to,
                                     .rows = (int32_t)a->rows,
                                     .width = network_gates(a->r) * a->r->hidden,
                                     .beta = beta};
    return to ? launch(a, "rnn_bias", ((int64_t)k.width + 31) / 32 * 256, &k, sizeof k)
              : DNN_SUCCESS;
}
static dnn_status layer_weights(const struct pass *a, const struct lane *l, double beta) {
    const struct network *const r = a->r;
    const int G = network_gates(r) * r->hidden, H = r->hidden, P = r->projection;
    const uint64_t ds = r->mode == RNN_GRU ? l->ds : l->dg;
    dnn_status s = multiply(a, G, l->width, a->rows, turned(l->dg, G), plain(l->x, l->width),
                            weight(a, l->w.input), false, beta);
    if (!s)
        s = multiply(a, G, P, a->rows, turned(ds, G),
                     plain(state(a, l, l->h, 0, true, P, a->element), P), weight(a, l->w.state),
                     false, beta);
    if (!s && network_projects(r))
        s = multiply(a, P, H, a->rows, turned(l->total, P), plain(l->m, H),
                     weight(a, l->w.projection), false, beta);
    if (!s) s = add_bias(a, l->dg, weight(a, l->w.bias_input), beta);
    return s ? s : add_bias(a, ds, weight(a, l->w.bias_state), beta);
}
API(cudnnRNNBackwardWeights_v8, blas_handle_t h, const struct network *r, int is_new,
    const int32_t *lengths, const struct sequences *x, const void *x_at,
    const struct dnn_tensor *h_like, const void *hx, const struct sequences *y, const void *y_at,
    size_t weight_bytes, void *d_weights, size_t work_bytes, void *work, size_t kept_bytes,
    void *kept) {
    (void)lengths, (void)h_like, (void)hx, (void)y_at;
    struct pass a;
    dnn_status s =
        begin(&a, h, r, x, y, weight_bytes, d_weights, work_bytes, work, kept_bytes, kept, true);
    if (s) return s;
    if (!x_at) return DNN_BAD_PARAM;
    uint64_t x0 = a.kept + a.p.x;
    s = pack(&a, x, x_at, &x0);
    for (int i = 0; !s && i < network_pseudo_layers(r); i++) {
        const struct lane l = lane_of(&a, i, x0);
        s = layer_weights(&a, &l, is_new ? 0 : 1);
    }
    return s;
}
