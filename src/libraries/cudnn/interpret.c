// Graphs of any kind (graph.h): operations one after another, each as soon as what it takes is there. What lies between two of them is
// single precision, packed, in the stream's memory until the last one has taken it. Here: products of matrices, reductions, functions,
// comparisons and choices of elements, matrices seen the other way, bands, and attention, which is two products with the softmax between
// them: its scores are written out.
#include "graph.h"

enum { VALUES = 128, INPUTS = 8, INT64 = 10 }; // INT64: of cudnnDataType_t

// ---- what operations take and leave ---------------------------------------------------------------------
struct step {
    const struct descriptor *in[INPUTS], *out[2];
};
static void step_of(const struct descriptor *op, struct step *s) {
    static const struct {
        int kind, in[INPUTS], out[2];
    } rows[] = {
        {KIND_OPERATION_POINTWISE, {POINT_X, POINT_B, POINT_T, POINT_DY}, {POINT_Y, POINT_DX}},
        {KIND_OPERATION_PRODUCT, {PRODUCT_A, PRODUCT_B}, {PRODUCT_C}},
        {KIND_OPERATION_REDUCTION, {REDUCTION_X}, {REDUCTION_Y}},
        {KIND_OPERATION_RESHAPE, {RESHAPE_X}, {RESHAPE_Y}},
        {KIND_OPERATION_SOFTMAX, {SOFTMAX_X}, {SOFTMAX_Y, SOFTMAX_STATS}},
        {KIND_OPERATION_RANDOM, {RANDOM_SEED, RANDOM_OFFSET}, {RANDOM_Y}},
        {KIND_OPERATION_BAND,
         {BAND_X, BAND_B, BAND_LENGTH_Q, BAND_LENGTH_K, BAND_LEFT, BAND_RIGHT},
         {BAND_Y}},
        {KIND_OPERATION_ATTENTION,
         {ATTENTION_Q, ATTENTION_K, ATTENTION_V, ATTENTION_SCALE, ATTENTION_LENGTH_Q,
          ATTENTION_LENGTH_K, ATTENTION_SEED, ATTENTION_OFFSET},
         {ATTENTION_O, ATTENTION_STATS}},
    };
    *s = (struct step){0};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        if (rows[r].kind != op->kind) continue;
        for (int i = 0; i < INPUTS; i++)
            s->in[i] = rows[r].in[i] ? find_descriptor(op, rows[r].in[i]) : NULL;
        for (int i = 0; i < 2; i++)
            s->out[i] = rows[r].out[i] ? find_descriptor(op, rows[r].out[i]) : NULL;
    }
    // since version 9.21 the softmax of attention has a description of its own
    const struct descriptor *const softmax = find_descriptor(op, ATTENTION_SOFTMAX);
    if (softmax && !s->out[1]) s->out[1] = find_descriptor(softmax, SOFTMAX_STATS);
}
static int mode_of(const struct descriptor *op) {
    return (int)whole(find_descriptor(op, POINT_FUNCTION), POINTWISE_MODE, -1);
}
static bool is_choice(int mode) {
    return (mode >= CHOICE_EQ && mode <= CHOICE_LE) || (mode >= CHOICE_AND && mode <= CHOICE_NOT) ||
           mode == CHOICE_INDEX || mode == CHOICE_SELECT;
}
static const struct descriptor *const *operations(const struct descriptor *graph, int64_t *count) {
    const struct attribute *const ops = find(graph, GRAPH_OPERATIONS);
    *count = ops ? ops->count : 0;
    return ops ? (const struct descriptor *const *)ops->values : NULL;
}
bool graph_is_general(const struct descriptor *graph) {
    int64_t count;
    const struct descriptor *const *const ops = operations(graph, &count);
    bool is_general = false;
    for (int64_t i = 0; i < count; i++) {
        if (ops[i]->kind >= KIND_OPERATION_FORWARD && ops[i]->kind <= KIND_OPERATION_DATA)
            return false;
        is_general |= ops[i]->kind != KIND_OPERATION_POINTWISE || is_choice(mode_of(ops[i]));
    }
    return is_general;
}

static const char *tensor_lacks(const struct descriptor *d) {
    struct dnn_tensor t;
    if (!tensor_of(d, &t) || t.rank > LAYER_AXES) return "a tensor of which something is not said";
    if (whole(d, TENSOR_VECTOR, 1) != 1) return "tensors of vectors";
    // what only the graph itself reads may lie in any order, as the sum of a query's gradient is said to
    const int64_t order = whole(d, TENSOR_ORDER, 0);
    if (order != TENSOR_ORDER_NONE && order != TENSOR_ORDER_F16) return "tensors in another order";
    for (int i = 0; i < d->count; i++)
        if (d->attributes[i].name > TENSOR_ORDER && d->attributes[i].count)
            return "tensors whose rows differ in length, or of one constant";
    if (!whole(d, TENSOR_IS_VIRTUAL, 0) && !is_floating_type(t.type) && t.type != DNN_INT32 &&
        t.type != DNN_INT8 && t.type != INT64)
        return "elements of other types";
    return NULL;
}
static const char *softmax_lacks(const struct descriptor *softmax) {
    for (int name = SOFTMAX_STATS + 1; name <= SOFTMAX_SINK; name++)
        if (find_descriptor(softmax, name))
            return "more of a softmax than the logarithm of its sum";
    return NULL;
}
static const char *attention_lacks(const struct descriptor *op) {
    for (int i = 0; i < op->count; i++) {
        const int name = op->attributes[i].name;
        if (op->attributes[i].count &&
            (name == ATTENTION_BLOCKS || name == ATTENTION_PAGES_K || name == ATTENTION_PAGES_V ||
             name == ATTENTION_DUMP || name > ATTENTION_UNFUSED))
            return "attention with blocks, pages or eight bits";
    }
    const char *const lacks = softmax_lacks(find_descriptor(op, ATTENTION_SOFTMAX));
    if (lacks) return lacks;
    const struct descriptor *const part = find_descriptor(op, ATTENTION_GRAPH);
    return part ? graph_general_lacks(part) : NULL;
}
const char *graph_general_lacks(const struct descriptor *graph) {
    int64_t count;
    const struct descriptor *const *const ops = operations(graph, &count);
    for (int64_t i = 0; i < count; i++) {
        const struct descriptor *const op = ops[i];
        const char *lacks = NULL;
        struct step s;
        step_of(op, &s);
        if (!s.out[0] && !s.out[1]) return "an operation that is none of those that are here";
        for (int k = 0; k < INPUTS && !lacks; k++)
            if (s.in[k]) lacks = tensor_lacks(s.in[k]);
        for (int k = 0; k < 2 && !lacks; k++)
            if (s.out[k]) lacks = tensor_lacks(s.out[k]);
        if (lacks) return lacks;
        if (op->kind == KIND_OPERATION_POINTWISE && !is_choice(mode_of(op)) &&
            !is_point_here(mode_of(op)))
            return "a function of elements";
        if (op->kind == KIND_OPERATION_PRODUCT &&
            (find(op, PRODUCT_ROWS) || find(op, PRODUCT_COLUMNS) || find(op, PRODUCT_LENGTH)))
            return "products of a part of their matrices";
        if (op->kind == KIND_OPERATION_RANDOM &&
            (!s.in[0] || !s.in[1] ||
             whole(find_descriptor(op, RANDOM_HOW), RANDOM_DISTRIBUTION, 0)))
            return "random numbers that are not ones and zeros, or have no seed on the device";
        if (op->kind == KIND_OPERATION_SOFTMAX && (lacks = softmax_lacks(op)) != NULL) return lacks;
        if (op->kind == KIND_OPERATION_ATTENTION && (lacks = attention_lacks(op)) != NULL)
            return lacks;
    }
    return NULL;
}

// ---- values -----------------------------------------------------------------------------------------------
struct value {
    int64_t uid;
    struct dnn_tensor t;
    uint64_t at;
    bool is_own; // memory of the stream
    int uses;    // operations that have not taken it yet
};
struct run {
    blas_handle_t h;
    const struct descriptor *pack;
    struct value value[VALUES];
    int count;
};

static struct value *look(struct run *r, int64_t uid) {
    for (int i = 0; i < r->count; i++)
        if (r->value[i].uid == uid) return &r->value[i];
    return NULL;
}
static struct value *add(struct run *r, int64_t uid) {
    if (r->count == VALUES) return NULL;
    r->value[r->count] = (struct value){.uid = uid};
    return &r->value[r->count++];
}
static dnn_status own(struct run *r, struct value *v) {
    CUdeviceptr at = 0;
    const dnn_status s = dnn_of(blas_of(cuMemAllocAsync(&at, dnn_bytes(&v->t) + 16, r->h->stream)));
    v->at = at;
    v->is_own = !s;
    return s;
}
static void let_go(struct run *r, struct value *v) {
    if (v->is_own) cuMemFreeAsync(v->at, r->h->stream);
    v->is_own = false;
}
// Axes from the one of the largest step to that of the smallest.
static void order_of(const struct dnn_tensor *t, int order[DNN_AXES]) {
    for (int i = 0; i < t->rank; i++) {
        int k = i;
        for (; k && t->step[order[k - 1]] < t->step[i]; k--) order[k] = order[k - 1];
        order[k] = i;
    }
}
static void pack_in_order(struct dnn_tensor *t) {
    int order[DNN_AXES];
    int64_t step = 1;
    order_of(t, order);
    for (int i = t->rank - 1; i >= 0; i--) {
        t->step[order[i]] = step;
        step *= t->size[order[i]];
    }
}
static const void *address_in(const struct descriptor *pack, int64_t uid) {
    const struct attribute *const uids = find(pack, PACK_UIDS), *const at =
                                                                    find(pack, PACK_ADDRESSES);
    for (int64_t i = 0; uids && at && i < uids->count && i < at->count; i++)
        if (((const int64_t *)uids->values)[i] == uid) return ((void *const *)at->values)[i];
    return NULL;
}
// A number that the program handed in by its address on the host.
static dnn_status take_number(struct run *r, struct value *v, const void *at) {
    const size_t bytes = v->t.type == INT64 ? 8 : dnn_type_bytes(v->t.type);
    uint32_t word[2] = {0};
    dnn_status s = own(r, v);
    memcpy(word, at, bytes < 8 ? bytes : 8);
    for (size_t i = 0; i < (bytes + 3) / 4 && !s; i++)
        s = dnn_of(blas_of(cuMemsetD32Async(v->at + 4 * i, word[i], 1, r->h->stream)));
    return s;
}
// The value of a tensor that is there: known before, or the program's. Absent: NULL in `out`.
static dnn_status value_of(struct run *r, const struct descriptor *d, struct value **out) {
    const int64_t uid = whole(d, TENSOR_UID, 0);
    *out = look(r, uid);
    if (*out || whole(d, TENSOR_IS_VIRTUAL, 0)) return DNN_SUCCESS;
    const void *const at = address_in(r->pack, uid);
    struct value *const v = add(r, uid);
    if (!v || !tensor_of(d, &v->t) || !at) return DNN_BAD_PARAM;
    v->at = (uintptr_t)at;
    *out = v;
    return whole(d, TENSOR_IS_VALUE, 0) ? take_number(r, v, at) : DNN_SUCCESS;
}
// Where an operation's result goes: to the program's memory, or to a value of its own. The steps of a value that is only seen otherwise
// are its order; those of others are often an operand's, which may lie in another order or be repeated.
static dnn_status result_of(struct run *r, const struct descriptor *d, bool is_view,
                            struct value **out) {
    const int64_t uid = whole(d, TENSOR_UID, 0);
    *out = look(r, uid);
    if (*out) return DNN_SUCCESS;
    struct value *const v = add(r, uid);
    if (!v || !tensor_of(d, &v->t)) return DNN_BAD_PARAM;
    *out = v;
    if (whole(d, TENSOR_IS_VIRTUAL, 0)) {
        v->t.type = DNN_FLOAT;
        if (is_view)
            pack_in_order(&v->t);
        else
            dnn_pack(&v->t);
        return own(r, v);
    }
    v->at = (uintptr_t)address_in(r->pack, uid);
    return v->at ? DNN_SUCCESS : DNN_BAD_PARAM;
}
static dnn_status copy(struct run *r, const struct value *from, const struct value *to) {
    struct point p = {.mode = POINT_IDENTITY, .a = from->at, .y = to->at, .alpha = 1, .alpha_a = 1};
    return dnn_points(r->h, "cudnnBackendExecute", &p, &from->t, NULL, &to->t);
}

// ---- products ---------------------------------------------------------------------------------------------
static int blas_type_of(int type) {
    return type == DNN_FLOAT    ? TYPE_R_32F
           : type == DNN_DOUBLE ? TYPE_R_64F
           : type == DNN_HALF   ? TYPE_R_16F
                                : TYPE_R_16BF;
}
// One matrix of the last two axes, as an operand of a product whose matrices are column major: rows are axis `rows`.
static bool operand(const struct dnn_tensor *t, bool is_turned, int *op, struct gemm_matrix *m) {
    const int last = t->rank - 1, rows = is_turned ? last : last - 1,
              columns = is_turned ? last - 1 : last;
    const int64_t i = t->size[rows] > 1 ? t->step[rows] : 1,
                  j = t->size[columns] > 1 ? t->step[columns] : 1;
    const bool is_plain = i == 1 && (j >= t->size[rows] || t->size[columns] == 1),
               is_other = j == 1 && (i >= t->size[columns] || t->size[rows] == 1);
    if (!is_plain && !is_other) return false;
    *op = is_plain ? OPERATION_N : OPERATION_T;
    const int64_t least = t->size[is_plain ? rows : columns],
                  lead = is_plain ? t->step[columns] : t->step[rows];
    m->lead = lead > least ? lead : least;
    return true;
}
static dnn_status as_type(struct run *r, const struct value *v, int type, struct value *out) {
    *out = *v;
    out->is_own = false;
    out->t.type = type;
    pack_in_order(&out->t);
    const dnn_status s = own(r, out);
    return s ? s : copy(r, v, out);
}
// c = alpha a b of the last two axes, for each of the others; of those an operand may have fewer, each for several in a row.
static dnn_status multiply(struct run *r, double alpha, struct value a, struct value b,
                           const struct value *c) {
    const int rank = c->t.rank;
    if (rank < 2 || a.t.rank != rank || b.t.rank != rank) return DNN_BAD_PARAM;
    struct value made[3] = {{0}}, to = *c;
    dnn_status s = DNN_SUCCESS;
    struct blas_types types = {blas_type_of(a.t.type), blas_type_of(c->t.type),
                               c->t.type == DNN_DOUBLE ? TYPE_R_64F : TYPE_R_32F, false};
    const int sum = c->t.type == DNN_DOUBLE ? DNN_DOUBLE : DNN_FLOAT;
    if (a.t.type != b.t.type || !is_floating_type(a.t.type) || !blas_has_product(&types)) {
        types = (struct blas_types){blas_type_of(sum), blas_type_of(sum), blas_type_of(sum), false};
        if (a.t.type != sum && !(s = as_type(r, &a, sum, &made[0]))) a = made[0];
        if (!s && b.t.type != sum && !(s = as_type(r, &b, sum, &made[1]))) b = made[1];
    }
    int op[2];
    struct gemm g = {.alpha = {alpha}};
    // matrices whose lines cannot be walked are packed first
    if (!s && !operand(&a.t, false, &op[0], &g.a) && !(s = as_type(r, &a, a.t.type, &made[0])))
        a = made[0];
    if (!s && !operand(&b.t, false, &op[0], &g.b) && !(s = as_type(r, &b, b.t.type, &made[1])))
        b = made[1];
    if (!s && (types.cd != blas_type_of(c->t.type) || !operand(&c->t, false, &op[0], &g.c))) {
        made[2] = *c;
        made[2].t.type = types.cd == TYPE_R_64F ? DNN_DOUBLE : DNN_FLOAT;
        types.cd = blas_type_of(made[2].t.type);
        pack_in_order(&made[2].t);
        if (!(s = own(r, &made[2]))) to = made[2];
    }
    int op_c = OPERATION_N;
    if (!s && !operand(&to.t, false, &op_c, &g.c)) s = DNN_BAD_PARAM;
    // a result whose rows lie together is the product of both turned, in the other order
    const bool is_turned = op_c == OPERATION_T;
    const struct value *const first = is_turned ? &b : &a, *const second = is_turned ? &a : &b;
    if (!s &&
        (!operand(&first->t, is_turned, &op[0], &g.a) ||
         !operand(&second->t, is_turned, &op[1], &g.b) || !operand(&to.t, is_turned, &op_c, &g.c)))
        s = DNN_BAD_PARAM;
    g.m = (int32_t)to.t.size[is_turned ? rank - 1 : rank - 2];
    g.n = (int32_t)to.t.size[is_turned ? rank - 2 : rank - 1];
    g.k = (int32_t)a.t.size[rank - 1];
    const int inner = rank - 3; // the axis whose products are one launch
    const int64_t batch = inner >= 0 ? to.t.size[inner] : 1;
    const bool alike = inner < 0 || ((a.t.size[inner] == batch || a.t.size[inner] == 1) &&
                                     (b.t.size[inner] == batch || b.t.size[inner] == 1));
    int64_t outer = 1;
    for (int i = 0; i < inner; i++) outer *= to.t.size[i];
    for (int64_t o = 0; o < outer * (alike ? 1 : batch) && !s; o++) {
        struct gemm_matrix *const matrix[3] = {&g.a, &g.b, &g.c};
        const struct value *const of[3] = {first, second, &to};
        for (int k = 0; k < 3; k++) {
            const struct dnn_tensor *const t = &of[k]->t;
            int64_t rest = alike ? o : o / batch, at = 0;
            for (int i = inner - 1; i >= 0; i--) {
                const int64_t e = rest % to.t.size[i];
                at += e / (to.t.size[i] / t->size[i]) * t->step[i];
                rest /= to.t.size[i];
            }
            if (!alike) at += o % batch / (batch / t->size[inner]) * t->step[inner];
            matrix[k]->at = of[k]->at + (uint64_t)at * dnn_type_bytes(t->type);
            matrix[k]->step = alike && inner >= 0 && t->size[inner] > 1 ? t->step[inner] : 0;
        }
        g.d = g.c;
        struct gemm part = g;
        s = dnn_of(blas_product(r->h, "cudnnBackendExecute", op[0], op[1], &types, &part,
                                alike ? (uint32_t)batch : 1));
    }
    if (!s && made[2].is_own) s = copy(r, &made[2], c);
    for (int i = 0; i < 3; i++) let_go(r, &made[i]);
    return s;
}

// ---- the others -------------------------------------------------------------------------------------------
// Steps of a tensor along y's axes, whose last ones are its own; an axis of one element is repeated.
static bool steps_along(const struct dnn_tensor *t, const struct dnn_tensor *y,
                        int64_t step[LAYER_AXES]) {
    for (int i = 0; i < LAYER_AXES; i++) step[i] = 0;
    if (t->rank > y->rank) return false;
    for (int i = 0; i < t->rank; i++) {
        const int64_t size = y->size[y->rank - t->rank + i];
        if (t->size[i] != 1 && t->size[i] != size) return false;
        step[LAYER_AXES - t->rank + i] = t->size[i] == 1 ? 0 : t->step[i];
    }
    return true;
}
static dnn_status choose(struct run *r, struct selection *p, const struct value *const in[3],
                         const struct value *y) {
    int64_t *const steps[3] = {p->step_a, p->step_b, p->step_c};
    uint64_t *const at[3] = {&p->a, &p->b, &p->c};
    int32_t *const type[3] = {&p->type_a, &p->type_b, &p->type_c};
    for (int i = 0; i < 3; i++) {
        if (!in[i]) continue;
        if (!steps_along(&in[i]->t, &y->t, steps[i])) return DNN_BAD_PARAM;
        *at[i] = in[i]->at;
        *type[i] = in[i]->t.type;
    }
    for (int i = 0; i < LAYER_AXES; i++) {
        const int from = i - (LAYER_AXES - y->t.rank);
        p->size[i] = from < 0 ? 1 : (int32_t)y->t.size[from];
        p->step_y[i] = from < 0 ? 0 : y->t.step[from];
    }
    p->all = dnn_elements(&y->t);
    p->y = y->at;
    p->type_y = y->t.type;
    return dnn_launch(r->h, DNN_LAYER, y->t.type == DNN_DOUBLE ? DNN_DOUBLE : DNN_FLOAT, "choices",
                      (const uint32_t[3]){dnn_blocks(p->all), 1, 1}, 0, p, sizeof *p);
}
static dnn_status run_point(struct run *r, const struct descriptor *op, struct value *const in[],
                            const struct value *y) {
    const int mode = mode_of(op);
    if (is_choice(mode)) {
        const int64_t axis = whole(find_descriptor(op, POINT_FUNCTION), POINTWISE_AXIS, 0);
        struct selection p = {.mode = mode, .axis = (int32_t)axis + LAYER_AXES - y->t.rank};
        return choose(r, &p, (const struct value *const[3]){in[0], in[1], in[2]}, y);
    }
    struct point p;
    descriptor_t unused[3];
    if (!point_of(op, &p, unused)) return DNN_BAD_PARAM;
    const struct value *const a = mode >= POINT_RELU_BACK ? in[3] : in[0],
                              *const b = mode >= POINT_RELU_BACK ? in[0] : in[1];
    p.a = a->at;
    p.b = b ? b->at : 0;
    p.y = y->at;
    return dnn_points(r->h, "cudnnBackendExecute", &p, &a->t, b ? &b->t : NULL, &y->t);
}
static dnn_status run_band(struct run *r, const struct descriptor *op, struct value *const in[],
                           const struct value *y) {
    struct selection p = {.mode = CHOICE_BAND,
                          .comparison = (int32_t)whole(op, BAND_COMPARISON, CHOICE_GE),
                          .length_q = in[2] ? in[2]->at : 0,
                          .length_k = in[3] ? in[3]->at : 0,
                          .left = in[4] ? in[4]->at : 0,
                          .right = in[5] ? in[5]->at : 0,
                          .type_left = in[4] ? in[4]->t.type : 0,
                          .type_right = in[5] ? in[5]->t.type : 0};
    return choose(r, &p, (const struct value *const[3]){in[0], in[1], NULL}, y);
}
static dnn_status run_reduction(struct run *r, const struct descriptor *op, const struct value *x,
                                const struct value *y) {
    struct reduce d = {.mode =
                           (int32_t)whole(find_descriptor(op, REDUCTION_HOW), REDUCTION_MODE, 0),
                       .kept_all = 1,
                       .gone_all = 1,
                       .x = x->at,
                       .y = y->at,
                       .alpha = 1,
                       .type_x = x->t.type,
                       .type_y = y->t.type};
    if (x->t.rank != y->t.rank) return DNN_BAD_PARAM;
    for (int i = 0; i < LAYER_AXES; i++) {
        const bool is_axis = i < x->t.rank;
        // of an axis a result has one element, or one for several in a row
        const int64_t kept = is_axis ? y->t.size[i] : 1, each = is_axis ? x->t.size[i] / kept : 1;
        if (is_axis && kept * each != x->t.size[i]) return DNN_BAD_PARAM;
        d.kept[i] = (int32_t)kept;
        d.gone[i] = (int32_t)each;
        d.x_kept[i] = is_axis ? x->t.step[i] * each : 0;
        d.x_gone[i] = is_axis ? x->t.step[i] : 0;
        d.y_kept[i] = is_axis ? y->t.step[i] : 0;
        d.kept_all *= kept;
        d.gone_all *= each;
    }
    return dnn_launch(r->h, DNN_LAYER, x->t.type == DNN_DOUBLE ? DNN_DOUBLE : DNN_FLOAT,
                      "reductions",
                      (const uint32_t[3]){d.kept_all > 65535 ? 65535 : (uint32_t)d.kept_all, 1, 1},
                      0, &d, sizeof d);
}
static dnn_status run_random(struct run *r, const struct descriptor *op, struct value *const in[],
                             const struct value *y) {
    struct ones p = {.all = dnn_elements(&y->t),
                     .y = y->at,
                     .seed = in[0]->at,
                     .offset = in[1]->at,
                     .type_y = y->t.type,
                     .probability = real(find_descriptor(op, RANDOM_HOW), RANDOM_PROBABILITY, 0.5)};
    for (int i = 0; i < LAYER_AXES; i++) {
        const int from = i - (LAYER_AXES - y->t.rank);
        p.size[i] = from < 0 ? 1 : (int32_t)y->t.size[from];
        p.step_y[i] = from < 0 ? 0 : y->t.step[from];
    }
    return dnn_launch(r->h, DNN_LAYER, y->t.type == DNN_DOUBLE ? DNN_DOUBLE : DNN_FLOAT,
                      "draw_ones", (const uint32_t[3]){dnn_blocks(p.all), 1, 1}, 0, &p, sizeof p);
}
// Axes of more than one element, from the outermost one in.
static int order_of_more(const struct dnn_tensor *t, int order[DNN_AXES]) {
    int all[DNN_AXES], count = 0;
    order_of(t, all);
    for (int i = 0; i < t->rank; i++)
        if (t->size[all[i]] != 1) order[count++] = all[i];
    return count;
}
// Elements in the order of memory, under another description. Where that one is not in the order of its axes, a value between two
// operations is in the order of its own.
static dnn_status run_reshape(struct run *r, const struct descriptor *of_x, const struct value *x,
                              const struct value *y) {
    struct value from = *x, to = *y;
    struct dnn_tensor seen;
    int order_x[DNN_AXES], order_y[DNN_AXES];
    bool is_turned = false;
    if (x->t.rank != y->t.rank || !tensor_of(of_x, &seen)) return DNN_BAD_PARAM;
    const int count = order_of_more(&y->t, order_y);
    for (int i = 1; i < count; i++) is_turned |= order_y[i] < order_y[i - 1];
    if (is_turned && whole(of_x, TENSOR_IS_VIRTUAL, 0)) dnn_pack(&seen);
    if (order_of_more(&seen, order_x) != count) return DNN_NOT_SUPPORTED;
    for (int i = 0; i < x->t.rank; i++) from.t.size[i] = to.t.size[i] = 1;
    for (int i = 0; i < count; i++) {
        from.t.size[i] = x->t.size[order_x[i]], from.t.step[i] = x->t.step[order_x[i]];
        to.t.size[i] = y->t.size[order_y[i]], to.t.step[i] = y->t.step[order_y[i]];
        if (from.t.size[i] != to.t.size[i]) return DNN_NOT_SUPPORTED;
    }
    return copy(r, &from, &to);
}

// ---- attention --------------------------------------------------------------------------------------------
static dnn_status run_all(struct run *r, const struct descriptor *graph);

// Of packed scores of single precision; `a` says the rest.
static dnn_status softmax(struct run *r, struct attention *a, const struct value *scores,
                          const struct value *p, const struct value *stats) {
    a->all = scores->t.size[0] * scores->t.size[1] * scores->t.size[2];
    a->heads = (int32_t)scores->t.size[1];
    a->rows = (int32_t)scores->t.size[2];
    a->columns = (int32_t)scores->t.size[3];
    a->scores = scores->at;
    a->probabilities = p->at;
    a->stats = stats ? stats->at : 0;
    if (stats) {
        a->stats_image = stats->t.step[0];
        a->stats_head = stats->t.step[1];
        a->stats_row = stats->t.step[2];
    }
    return dnn_launch(r->h, DNN_LAYER, p->t.type, "attention_softmax",
                      (const uint32_t[3]){a->all > 65535 ? 65535 : (uint32_t)a->all, 1, 1}, 0, a,
                      sizeof *a);
}
static dnn_status run_softmax(struct run *r, const struct value *x, const struct value *y,
                              const struct value *stats) {
    if (x->t.rank != 4 || y->t.rank != 4) return DNN_NOT_SUPPORTED;
    struct value scores = *x, p = *y;
    struct attention a = {0};
    scores.is_own = p.is_own = false;
    scores.t.type = DNN_FLOAT;
    dnn_pack(&scores.t);
    dnn_pack(&p.t);
    dnn_status s = own(r, &scores);
    if (!s) s = own(r, &p);
    if (!s) s = copy(r, x, &scores);
    if (!s) s = softmax(r, &a, &scores, &p, stats);
    if (!s) s = copy(r, &p, y);
    let_go(r, &scores);
    let_go(r, &p);
    return s;
}

static dnn_status run_attention(struct run *r, const struct descriptor *op,
                                struct value *const in[], const struct value *o,
                                const struct value *stats) {
    const struct value *const q = in[0], *const v = in[2], *const scale = in[3];
    const struct descriptor *const part = find_descriptor(op, ATTENTION_GRAPH);
    if (q->t.rank != 4) return DNN_NOT_SUPPORTED;
    struct value k = *in[1], scores = {.t = {.type = DNN_FLOAT, .rank = 4}}, p;
    // keys as columns
    for (int i = 2; i < 4; i++)
        k.t.size[i] = in[1]->t.size[5 - i], k.t.step[i] = in[1]->t.step[5 - i];
    const int64_t sizes[4] = {q->t.size[0], q->t.size[1], q->t.size[2], k.t.size[3]};
    memcpy(scores.t.size, sizes, sizeof sizes);
    dnn_pack(&scores.t);
    p = scores;
    p.t.type = q->t.type;
    dnn_status s = own(r, &scores);
    if (!s) s = multiply(r, 1, *q, k, &scores);
    if (!s && scale) {
        struct point m = {.mode = POINT_MUL,
                          .a = scores.at,
                          .b = scale->at,
                          .y = scores.at,
                          .alpha = 1,
                          .alpha_a = 1,
                          .alpha_b = 1};
        s = dnn_points(r->h, "cudnnBackendExecute", &m, &scores.t, &scale->t, &scores.t);
    }
    struct value last = scores;
    if (!s && part) {
        // what the program does to scores: its first tensor is theirs, its last one takes their place
        struct value *const first = add(r, whole(op, ATTENTION_GRAPH_IN, 0));
        if (!first) s = DNN_NOT_SUPPORTED;
        if (!s) {
            const int64_t uid = first->uid;
            *first = scores;
            first->uid = uid;
            first->is_own = false;
            s = run_all(r, part);
        }
        const struct value *const done = s ? NULL : look(r, whole(op, ATTENTION_GRAPH_OUT, 0));
        if (!s && (!done || done->t.type != DNN_FLOAT)) s = DNN_BAD_PARAM;
        if (!s) last = *done;
    }
    if (!s) s = own(r, &p);
    struct attention a = {.seed = in[6] && in[7] ? in[6]->at : 0,
                          .offset = in[6] && in[7] ? in[7]->at : 0,
                          .keep = 1 - real(op, ATTENTION_PROBABILITY, 0),
                          .length_q = in[4] ? in[4]->at : 0,
                          .length_k = in[5] ? in[5]->at : 0};
    if (!s) s = softmax(r, &a, &last, &p, stats);
    if (!s) s = multiply(r, 1, p, *v, o);
    let_go(r, &p);
    let_go(r, &scores);
    return s;
}

// ---- running ----------------------------------------------------------------------------------------------
static dnn_status run_step(struct run *r, const struct descriptor *op, struct value *const in[],
                           const struct step *s) {
    struct value *out[2] = {NULL, NULL};
    dnn_status bad = DNN_SUCCESS;
    for (int i = 0; i < 2 && !bad; i++)
        if (s->out[i]) bad = result_of(r, s->out[i], op->kind == KIND_OPERATION_RESHAPE, &out[i]);
    if (bad) return bad;
    const struct value *const y = out[0] ? out[0] : out[1];
    switch (op->kind) {
    case KIND_OPERATION_POINTWISE: return run_point(r, op, in, y);
    case KIND_OPERATION_PRODUCT: return multiply(r, 1, *in[0], *in[1], y);
    case KIND_OPERATION_REDUCTION: return run_reduction(r, op, in[0], y);
    case KIND_OPERATION_RESHAPE: return run_reshape(r, s->in[0], in[0], y);
    case KIND_OPERATION_BAND: return run_band(r, op, in, y);
    case KIND_OPERATION_RANDOM: return run_random(r, op, in, y);
    case KIND_OPERATION_SOFTMAX: return run_softmax(r, in[0], out[0], out[1]);
    default: return run_attention(r, op, in, out[0], out[1]);
    }
}
// How many operations of a graph take a tensor.
static int uses_of(const struct descriptor *graph, int64_t uid) {
    int64_t count;
    int uses = 0;
    const struct descriptor *const *const ops = operations(graph, &count);
    for (int64_t i = 0; i < count; i++) {
        struct step s;
        step_of(ops[i], &s);
        for (int k = 0; k < INPUTS; k++) uses += s.in[k] && whole(s.in[k], TENSOR_UID, 0) == uid;
    }
    return uses;
}
// Whether an operation that has not run yet makes a tensor.
static bool is_to_come(const struct descriptor *graph, const bool *is_done, int64_t uid) {
    int64_t count;
    const struct descriptor *const *const ops = operations(graph, &count);
    for (int64_t i = 0; i < count; i++) {
        struct step s;
        if (is_done[i]) continue;
        step_of(ops[i], &s);
        for (int k = 0; k < 2; k++)
            if (s.out[k] && whole(s.out[k], TENSOR_UID, 0) == uid) return true;
    }
    return false;
}
// Operations stand in any order: those are next whose tensors are there.
static dnn_status run_all(struct run *r, const struct descriptor *graph) {
    int64_t count;
    const struct descriptor *const *const ops = operations(graph, &count);
    bool *const is_done = calloc((size_t)count + 1, sizeof *is_done);
    dnn_status bad = is_done ? DNN_SUCCESS : DNN_ALLOC_FAILED;
    for (int64_t done = 0, moved = 1; !bad && done < count;) {
        if (!moved) bad = DNN_BAD_PARAM; // a circle
        moved = 0;
        for (int64_t i = 0; i < count && !bad; i++) {
            struct value *in[INPUTS] = {NULL};
            struct step s;
            bool is_ready = !is_done[i];
            step_of(ops[i], &s);
            for (int k = 0; k < INPUTS && is_ready && !bad; k++) {
                if (!s.in[k]) continue;
                is_ready = !is_to_come(graph, is_done, whole(s.in[k], TENSOR_UID, 0));
                if (is_ready) bad = value_of(r, s.in[k], &in[k]);
                is_ready = is_ready && in[k];
            }
            if (bad || !is_ready) continue;
            bad = run_step(r, ops[i], in, &s);
            is_done[i] = true;
            moved++, done++;
            for (int k = 0; k < INPUTS; k++) {
                if (!in[k]) continue;
                if (!in[k]->uses) in[k]->uses = uses_of(graph, in[k]->uid);
                if (!--in[k]->uses) let_go(r, in[k]);
            }
        }
    }
    free(is_done);
    return bad;
}
dnn_status graph_general_run(struct blas_handle *h, const struct descriptor *graph,
                             const struct descriptor *pack) {
    struct run *const r = calloc(1, sizeof *r);
    if (!r) return DNN_ALLOC_FAILED;
    r->h = h;
    r->pack = pack;
    const dnn_status s = run_all(r, graph);
    for (int i = 0; i < r->count; i++) let_go(r, &r->value[i]);
    free(r);
    return s == DNN_NOT_SUPPORTED ? dnn_refuse("cudnnBackendExecute", "tensors of another form")
                                  : s;
}
