// Convolutions: from descriptions to the product that conv.cu makes.
#include "dnn.h"

#include <stdio.h>

struct divisor dnn_divisor(int64_t by) {
    uint32_t shift = 0;
    while ((INT64_C(1) << shift) < by) shift++;
    const uint64_t magic =
        ((UINT64_C(1) << 32) * ((UINT64_C(1) << shift) - (uint64_t)by)) / (uint64_t)by + 1;
    return (struct divisor){(uint32_t)by, (uint32_t)magic, shift};
}
static int64_t divided(int64_t a, int64_t b) { return (a + b - 1) / b; }

static bool has_type(const struct dnn_conv *c) {
    const int t = c->x.type;
    return (t == DNN_FLOAT || t == DNN_DOUBLE || t == DNN_HALF || t == DNN_BFLOAT16) &&
           c->w.type == t && c->y.type == t;
}
static bool is_far(const struct dnn_tensor *t) { // an index of the kernels has 31 bits
    return dnn_bytes(t) / dnn_type_bytes(t->type) > INT32_MAX || dnn_elements(t) > INT32_MAX;
}

const char *dnn_conv_lacks(const struct dnn_conv *c) {
    if (!has_type(c))
        return "a convolution of these types (single, double, half, bfloat16, all alike, are here)";
    if (c->x.rank < 3 || c->x.rank > 5 || c->w.rank != c->x.rank || c->y.rank != c->x.rank)
        return "a convolution in these directions (one to three are here)";
    if (is_far(&c->x) || is_far(&c->w) || is_far(&c->y))
        return "a tensor of more than 2147483647 elements";
    return NULL;
}

// Whether sizes fit one another; beyond the last place of y, x may be left over.
static bool fits(const struct dnn_conv *c) {
    const struct dnn_tensor *const x = &c->x, *const w = &c->w, *const y = &c->y;
    if (x->size[0] != y->size[0] || w->size[0] != y->size[1] || w->size[1] < 1 ||
        x->size[1] % w->size[1] || w->size[0] % (x->size[1] / w->size[1]))
        return false;
    for (int i = 0; i < x->rank - 2; i++)
        if (c->stride[i] < 1 || c->dilation[i] < 1 || y->size[2 + i] < 1) return false;
    return true;
}

// The three directions of space; those that a tensor lacks have one place.
struct space {
    int32_t size[3], step[3];
};
static struct space space_of(const struct dnn_tensor *t) {
    struct space s;
    for (int i = 0; i < 3; i++) {
        const int from = i - (3 - (t->rank - 2));
        s.size[i] = from < 0 ? 1 : (int32_t)t->size[2 + from];
        s.step[i] = from < 0 ? 0 : (int32_t)t->step[2 + from];
    }
    return s;
}
static struct conv_index index_of(int64_t c0, const struct space *s, bool is_inner) {
    return (struct conv_index){{dnn_divisor(c0), dnn_divisor(s->size[0]), dnn_divisor(s->size[1]),
                                dnn_divisor(s->size[2])},
                               is_inner};
}
static void steps_of(int32_t to[4], int64_t first, const struct space *s) {
    to[0] = (int32_t)first;
    for (int i = 0; i < 3; i++) to[1 + i] = s->step[i];
}
static int64_t places(const struct space *s) {
    return (int64_t)s->size[0] * s->size[1] * s->size[2];
}

struct way {
    const char *tiles; // n: neighbours along m or n, t: along k
    bool swaps_a, swaps_b;
};

static void describe(const struct dnn_conv *c, struct conv *g, struct way *way) {
    const struct dnn_tensor *const x = &c->x, *const w = &c->w, *const y = &c->y;
    const struct space sx = space_of(x), sw = space_of(w), sy = space_of(y);
    const int64_t groups = x->size[1] / w->size[1], in = w->size[1], out = w->size[0] / groups;
    *g = (struct conv){.groups = (int32_t)groups,
                       .splits = 1,
                       .alpha = c->alpha,
                       .beta = c->beta,
                       .has_relu = c->has_relu};
    int64_t pad[3], stride[3], dilation[3], flip[3];
    for (int i = 0; i < 3; i++) {
        const int from = i - (3 - (x->rank - 2));
        pad[i] = from < 0 ? 0 : c->pad[from];
        stride[i] = from < 0 ? 1 : c->stride[from];
        dilation[i] = from < 0 ? 1 : c->dilation[from];
        flip[i] = c->is_flipped ? (sw.size[i] - 1) * dilation[i] : 0;
        g->down[i] = dnn_divisor(c->direction == DNN_TO_DATA ? stride[i] : 1);
    }
    const int sign = c->is_flipped ? -1 : 1;
    bool k_inner = false, n_inner = false;
    switch (c->direction) {
    case DNN_FORWARD:
        g->m = (int32_t)out;
        g->n = (int32_t)(x->size[0] * places(&sy));
        g->k = (int32_t)(in * places(&sw));
        k_inner = x->step[1] == 1 && in > 1;
        g->of_n = index_of(x->size[0], &sy, false);
        g->of_k = index_of(in, &sw, k_inner);
        g->a = c->from[1], g->b = c->from[0];
        g->a_m = (int32_t)w->step[0];
        steps_of(g->a_k, w->step[1], &sw);
        g->b_n = (int32_t)x->step[0], g->b_k = (int32_t)x->step[1];
        g->d_m = (int32_t)y->step[1];
        steps_of(g->d_n, y->step[0], &sy);
        g->a_group = out * w->step[0], g->b_group = in * x->step[1], g->d_group = out * y->step[1];
        for (int i = 0; i < 3; i++) {
            g->b_space[i] = sx.step[i], g->limit[i] = sx.size[i];
            g->n_mul[i] = (int32_t)stride[i], g->n_add[i] = (int32_t)(flip[i] - pad[i]);
            g->k_mul[i] = (int32_t)(sign * dilation[i]);
        }
        way->swaps_b = k_inner;
        break;
    case DNN_TO_DATA:
        g->m = (int32_t)in;
        g->n = (int32_t)(x->size[0] * places(&sx));
        g->k = (int32_t)(out * places(&sw));
        k_inner = y->step[1] == 1 && out > 1;
        g->of_n = index_of(x->size[0], &sx, false);
        g->of_k = index_of(out, &sw, k_inner);
        g->a = c->from[0], g->b = c->from[1];
        g->a_m = (int32_t)w->step[1];
        steps_of(g->a_k, w->step[0], &sw);
        g->b_n = (int32_t)y->step[0], g->b_k = (int32_t)y->step[1];
        g->d_m = (int32_t)x->step[1];
        steps_of(g->d_n, x->step[0], &sx);
        g->a_group = out * w->step[0], g->b_group = out * y->step[1], g->d_group = in * x->step[1];
        for (int i = 0; i < 3; i++) {
            g->b_space[i] = sy.step[i], g->limit[i] = sy.size[i];
            g->n_mul[i] = 1, g->n_add[i] = (int32_t)(pad[i] - flip[i]);
            g->k_mul[i] = (int32_t)(-sign * dilation[i]);
        }
        way->swaps_b = k_inner;
        break;
    case DNN_TO_FILTER:
        g->m = (int32_t)out;
        g->n = (int32_t)(in * places(&sw));
        g->k = (int32_t)(x->size[0] * places(&sy));
        n_inner = x->step[1] == 1 && in > 1;
        g->of_n = index_of(in, &sw, n_inner);
        g->of_k = index_of(x->size[0], &sy, false);
        g->a = c->from[1], g->b = c->from[0];
        g->a_m = (int32_t)y->step[1];
        steps_of(g->a_k, y->step[0], &sy);
        g->b_n = (int32_t)x->step[1], g->b_k = (int32_t)x->step[0];
        g->d_m = (int32_t)w->step[0];
        steps_of(g->d_n, w->step[1], &sw);
        g->a_group = out * y->step[1], g->b_group = in * x->step[1], g->d_group = out * w->step[0];
        for (int i = 0; i < 3; i++) {
            g->b_space[i] = sx.step[i], g->limit[i] = sx.size[i];
            g->n_mul[i] = (int32_t)(sign * dilation[i]), g->n_add[i] = (int32_t)(flip[i] - pad[i]);
            g->k_mul[i] = (int32_t)stride[i];
        }
        way->swaps_b = !n_inner;
        break;
    }
    g->d = c->to;
    g->z = c->z ? c->z : c->to;
    g->z_m = g->d_m, g->z_group = g->d_group;
    for (int i = 0; i < 4; i++) g->z_n[i] = g->d_n[i];
    if (c->z) {
        const struct space sz = space_of(&c->z_like);
        g->z_m = (int32_t)c->z_like.step[1], g->z_group = out * c->z_like.step[1];
        steps_of(g->z_n, c->z_like.step[0], &sz);
    }
    g->bias = c->bias;
    way->swaps_a = g->a_m != 1;
}

struct grid {
    bool is_tensor, is_big;
    uint32_t tiles_m, tiles_n, threads;
};
enum { SLICES_LEAST = 16, SPLITS_MOST = 64 };
// Tiles of the lanes (conv.cu) and of tensor cores (conv_tensor.cu), and k of a slice.
static const struct {
    int big, small, slice;
    uint32_t threads_big, threads_small;
} tiles[] = {{64, 32, 16, 128, 64}, {128, 64, 32, 256, 128}};

// Tensor cores take halves where a square of theirs would not be mostly empty; what conv_copies.c takes does not come here.
static bool is_of_tensors(const struct blas_handle *h, const struct conv *g, int type) {
    enum { LEAST = 16 };
    const uint32_t from = type == DNN_HALF ? 70 : UINT32_MAX;
    return h->capability >= from && g->m >= LEAST && g->n >= LEAST && g->k >= LEAST;
}

// Which tile, and into how many parts k is cut so that most of the chip has a block.
static struct grid plan(struct blas_handle *h, struct conv *g, size_t bytes, int type) {
    struct grid r = {.is_tensor = is_of_tensors(h, g, type)};
    const size_t element = type == DNN_DOUBLE ? 8 : 4;
    const int big = tiles[r.is_tensor].big, small = tiles[r.is_tensor].small,
              slice = tiles[r.is_tensor].slice;
    r.is_big = divided(g->m, big) * divided(g->n, big) * g->groups >= h->sms && g->m > small;
    r.threads = r.is_big ? tiles[r.is_tensor].threads_big : tiles[r.is_tensor].threads_small;
    const int side = r.is_big ? big : small;
    r.tiles_m = (uint32_t)divided(g->m, side);
    r.tiles_n = (uint32_t)divided(g->n, side);
    const int64_t blocks = (int64_t)r.tiles_m * r.tiles_n * g->groups;
    int64_t splits = divided((int64_t)2 * h->sms, blocks);
    if (splits > g->k / (slice * SLICES_LEAST)) splits = g->k / (slice * SLICES_LEAST);
    if (splits > SPLITS_MOST) splits = SPLITS_MOST;
    const int64_t fit = (int64_t)(bytes / element / (size_t)((int64_t)g->m * g->n * g->groups));
    if (splits > fit) splits = fit;
    if (splits * 2 > 65535 / g->groups) splits = 1;
    if (splits < 2) splits = 1;
    g->split = (int32_t)(divided(divided(g->k, splits), slice) * slice);
    g->splits = (int32_t)divided(g->k, g->split);
    return r;
}

size_t dnn_conv_workspace(struct blas_handle *h, const struct dnn_conv *c) {
    struct conv g;
    struct way way;
    if (!fits(c) || conv_copies_takes(h, c)) return 0;
    describe(c, &g, &way);
    const size_t element = c->x.type == DNN_DOUBLE ? 8 : 4;
    plan(h, &g, SIZE_MAX / 2, c->x.type);
    return g.splits > 1 ? (size_t)g.splits * (size_t)g.m * (size_t)g.n * (size_t)g.groups * element
                        : 0;
}

dnn_status dnn_convolve(struct blas_handle *h, const struct dnn_conv *c, uint64_t workspace,
                        size_t bytes) {
    struct conv g;
    struct way way;
    if (!fits(c)) return DNN_BAD_PARAM;
    describe(c, &g, &way);
    if (!g.m || !g.n || !g.groups) return DNN_SUCCESS;
    if (conv_copies_takes(h, c)) return conv_copies_run(h, c);
    const struct grid grid = plan(h, &g, workspace ? bytes : 0, c->x.type);
    if (grid.tiles_m > 65535 || g.groups > 65535)
        return dnn_refuse("convolution", "more than 65535 groups or tiles");
    g.part = workspace;
    char name[32];
    snprintf(name, sizeof name, "conv_%s_%c%c", grid.is_big ? "big" : "small",
             way.swaps_a ? 't' : 'n', way.swaps_b ? 't' : 'n');
    const uint32_t blocks[3] = {grid.tiles_n, grid.tiles_m, (uint32_t)(g.groups * g.splits)};
    dnn_status s = dnn_launch(h, grid.is_tensor ? DNN_CONV_TENSOR : DNN_CONV, c->x.type, name,
                              blocks, grid.threads, &g, sizeof g);
    if (s == DNN_SUCCESS && g.splits > 1)
        s = dnn_launch(h, DNN_CONV, c->x.type, "conv_end",
                       (const uint32_t[3]){dnn_blocks((int64_t)g.groups * g.m * g.n), 1, 1}, 0, &g,
                       sizeof g);
    return s;
}
