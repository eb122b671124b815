// Convolutions on tensor cores of compute capability 8.0 on (conv_copies.cu): which can be run so, tensors put in the order that its
// kernels want where they do not lie in it, and the product.
#include "conv_copies.h"

#include <stdio.h>

#include "blas/plan.h"
#include "blas/room.h"
#include "dnn.h"

enum { IMAGES, CHANNELS, ROWS, COLUMNS, AXES };
// A tensor in two directions of space.
struct plane {
    uint64_t at;
    int64_t size[AXES], step[AXES];
};
static struct plane plane_of(const struct dnn_tensor *t, uint64_t at) {
    struct plane p = {.at = at};
    for (int i = 0; i < AXES; i++) {
        const int from = i == COLUMNS ? t->rank - 1 : i == ROWS && t->rank == 3 ? -1 : i;
        p.size[i] = from < 0 ? 1 : t->size[from];
        p.step[i] = from < 0 ? 0 : t->step[from];
    }
    return p;
}

struct move {
    struct conv_order order;
    bool is_out;
};
enum { MOVES = 4 };
struct job {
    size_t bytes; // of an element
    int64_t groups;
    uint64_t next; // of the work area
    struct move move[MOVES];
    int moves;
    struct conv_copies c;
};

static int64_t rounded(int64_t n, int64_t to) { return (n + to - 1) / to * to; }

// A place in the work area for a tensor with channels together: of each group rounded up to whole pieces, groups next to each other.
// With `turned`, groups follow one another instead, as those of filters do.
static struct plane place(struct job *j, const struct plane *like, int64_t groups, bool turned) {
    const int64_t piece = 16 / (int64_t)j->bytes,
                  channels = turned ? rounded(like->size[CHANNELS], piece)
                                    : rounded(like->size[CHANNELS] / groups, piece) * groups;
    struct plane p = {.at = j->next};
    for (int i = 0; i < AXES; i++) p.size[i] = like->size[i];
    p.step[CHANNELS] = 1;
    p.step[COLUMNS] = channels;
    p.step[ROWS] = channels * p.size[COLUMNS];
    p.step[IMAGES] = p.step[ROWS] * p.size[ROWS];
    j->next += (uint64_t)rounded(p.step[IMAGES] * p.size[IMAGES] * (int64_t)j->bytes, 256);
    return p;
}
static void move(struct job *j, const struct plane *loose, const struct plane *packed,
                 int64_t groups, int64_t group, int64_t packed_group, bool is_out) {
    struct conv_order *const o = &j->move[j->moves].order;
    j->move[j->moves++].is_out = is_out;
    *o = (struct conv_order){
        .loose = loose->at, .packed = packed->at, .group = group, .packed_group = packed_group};
    for (int i = 0; i < AXES; i++) {
        o->step[i] = loose->step[i];
        o->packed_step[i] = packed->step[i];
    }
    o->images = (int32_t)loose->size[IMAGES];
    o->channels = (int32_t)(loose->size[CHANNELS] / groups);
    o->pieces = dnn_divisor(rounded(o->channels, 16 / (int64_t)j->bytes) * (int64_t)j->bytes / 16);
    o->rows = dnn_divisor(loose->size[ROWS]);
    o->columns = dnn_divisor(loose->size[COLUMNS]);
}

// Whether copies of sixteen bytes take a tensor as it lies; `in_lines`: and a step leads from each place to the next.
static bool lies_well(const struct job *j, const struct plane *p, bool in_lines) {
    const int64_t piece = 16 / (int64_t)j->bytes;
    if (p->step[CHANNELS] != 1 || p->at % 16 || (p->size[CHANNELS] / j->groups) % piece)
        return false;
    for (int i = 0; i < AXES; i++)
        if (i != CHANNELS && p->size[i] > 1 && p->step[i] % piece) return false;
    return !in_lines ||
           ((p->size[ROWS] == 1 || p->step[ROWS] == p->step[COLUMNS] * p->size[COLUMNS]) &&
            (p->size[IMAGES] == 1 ||
             p->step[IMAGES] == p->step[COLUMNS] * p->size[COLUMNS] * p->size[ROWS]));
}
// The tensor as it lies, or moved to where it lies well.
static struct plane brought(struct job *j, const struct plane *p, bool in_lines) {
    if (lies_well(j, p, in_lines)) return *p;
    const struct plane to = place(j, p, j->groups, false);
    const int64_t channels = p->size[CHANNELS] / j->groups;
    move(j, p, &to, j->groups, channels * p->step[CHANNELS], to.step[COLUMNS] / j->groups, false);
    return to;
}

static struct conv_steps steps_of(const struct plane *p) {
    return (struct conv_steps){p->step[IMAGES], p->step[CHANNELS], p->step[ROWS], p->step[COLUMNS]};
}

// What lies where, and the product. The work area begins at `work`; `next` says how much of it there is.
static void prepare(const struct dnn_conv *c, uint64_t work, struct job *j) {
    const struct plane x = plane_of(&c->x, c->direction == DNN_FORWARD     ? c->from[0]
                                           : c->direction == DNN_TO_FILTER ? c->from[0]
                                                                           : c->to),
                       w = plane_of(&c->w, c->direction == DNN_FORWARD   ? c->from[1]
                                           : c->direction == DNN_TO_DATA ? c->from[0]
                                                                         : c->to),
                       y = plane_of(&c->y, c->direction == DNN_FORWARD ? c->to : c->from[1]);
    const int64_t groups = x.size[CHANNELS] / w.size[CHANNELS], in = w.size[CHANNELS],
                  out = w.size[IMAGES] / groups, piece = 16 / (int64_t)dnn_type_bytes(c->x.type);
    *j = (struct job){.bytes = dnn_type_bytes(c->x.type), .groups = groups, .next = work};
    struct gemm *const g = &j->c.g;
    struct conv_gather *const of = &j->c.of;
    *g = (struct gemm){.splits = 1,
                       .is_even = 1,
                       .alpha = {c->alpha},
                       .beta = {c->beta},
                       .bias = c->bias,
                       .epilogue = (c->bias ? GEMM_BIAS : 0u) | (c->has_relu ? GEMM_RELU : 0u)};
    const bool to_filter = c->direction == DNN_TO_FILTER, to_data = c->direction == DNN_TO_DATA;
    const struct plane *const other = to_data ? &x : &y;
    const struct plane gathered = to_data ? brought(j, &y, false) : brought(j, &x, false);
    const int64_t channels = rounded(to_data ? out : in, piece);
    for (int i = 0; i < 2; i++) {
        const int at = i - (2 - (c->x.rank - 2)), sign = c->is_flipped ? -1 : 1;
        const int32_t pad = at < 0 ? 0 : (int32_t)c->pad[at],
                      stride = at < 0 ? 1 : (int32_t)c->stride[at],
                      dilation = at < 0 ? 1 : (int32_t)c->dilation[at],
                      flip = c->is_flipped ? (int32_t)(w.size[ROWS + i] - 1) * dilation : 0;
        of->mul[i] = to_data ? 1 : stride;
        of->add[i] = to_data ? pad - flip : flip - pad;
        of->step[i] = (to_data ? -sign : sign) * dilation;
        of->down[i] = dnn_divisor(to_data ? stride : 1);
        of->limit[i] = (int32_t)gathered.size[ROWS + i];
        of->size[i] = dnn_divisor(other->size[ROWS + i]);
    }
    of->image = (int32_t)gathered.step[IMAGES];
    of->row = (int32_t)gathered.step[ROWS];
    of->column = (int32_t)gathered.step[COLUMNS];
    of->channels = dnn_divisor(channels);
    of->across = dnn_divisor(w.size[COLUMNS]);
    const struct gemm_matrix from = {.at = gathered.at, .step = channels};
    const int32_t places =
                      (int32_t)(other->size[IMAGES] * other->size[ROWS] * other->size[COLUMNS]),
                  along = (int32_t)(w.size[ROWS] * w.size[COLUMNS] * channels);
    // filters, the gathered tensor's channels together
    const struct plane *target = to_filter ? &w : other;
    struct plane d = *target;
    if (to_filter) {
        const struct plane lines = brought(j, &y, true);
        g->m = along, g->n = (int32_t)out, g->k = places;
        g->a = from;
        g->b = (struct gemm_matrix){
            .at = lines.at, .lead = lines.step[COLUMNS], .step = rounded(out, piece)};
        if (w.step[CHANNELS] != 1 || in != channels || w.step[COLUMNS] != in ||
            w.step[ROWS] != in * w.size[COLUMNS])
            d = place(j, &w, 1, true);
        g->d =
            (struct gemm_matrix){.at = d.at, .lead = d.step[IMAGES], .step = out * d.step[IMAGES]};
    } else {
        struct plane filters = w; // images: rows of D; channels: what is gathered
        if (to_data) {
            filters.size[IMAGES] = in, filters.size[CHANNELS] = out;
            filters.step[IMAGES] = w.step[CHANNELS], filters.step[CHANNELS] = w.step[IMAGES];
        }
        if (to_data || w.step[CHANNELS] != 1 || in != channels || w.at % 16 ||
            (w.size[COLUMNS] > 1 && w.step[COLUMNS] != in) ||
            (w.size[ROWS] > 1 && w.step[ROWS] != in * w.size[COLUMNS]) || w.step[IMAGES] % piece) {
            struct plane all = filters;
            all.size[IMAGES] *= to_data ? groups : 1;
            const struct plane to = place(j, &all, 1, true);
            move(j, &filters, &to, 1, to_data ? out * w.step[IMAGES] : 0,
                 to_data ? in * to.step[IMAGES] : 0, false);
            filters.at = to.at, filters.step[IMAGES] = to.step[IMAGES];
        }
        g->m = (int32_t)(to_data ? in : out), g->n = places, g->k = along;
        g->a = (struct gemm_matrix){
            .at = filters.at, .lead = filters.step[IMAGES], .step = g->m * filters.step[IMAGES]};
        g->b = from;
        const bool in_lines =
            d.step[CHANNELS] == 1 &&
            (d.size[ROWS] == 1 || d.step[ROWS] == d.step[COLUMNS] * d.size[COLUMNS]) &&
            (d.size[IMAGES] == 1 ||
             d.step[IMAGES] == d.step[COLUMNS] * d.size[COLUMNS] * d.size[ROWS]);
        j->c.is_loose = !in_lines;
        g->d = (struct gemm_matrix){
            .at = d.at, .lead = d.step[COLUMNS], .step = g->m * d.step[CHANNELS]};
    }
    g->c = g->d;
    // what beta is the factor of comes from where the result goes, or from a tensor of its own
    const struct plane z = c->z ? plane_of(&c->z_like, c->z) : *target;
    if (j->c.is_loose) {
        j->c.c = steps_of(&z), j->c.d = steps_of(&d);
        g->c = (struct gemm_matrix){.at = z.at, .step = g->m * z.step[CHANNELS]};
        return;
    }
    const int64_t of_group = to_filter ? 1 : groups,
                  loose_group =
                      to_filter ? 0 : target->size[CHANNELS] / groups * target->step[CHANNELS],
                  packed_group = to_filter ? 0 : g->d.step;
    const bool is_moved = d.at != target->at;
    if (c->beta != 0 && (is_moved || c->z)) {
        struct plane packed = d;
        if (!is_moved) {
            packed = place(j, target, groups, false);
            g->c = (struct gemm_matrix){.at = packed.at,
                                        .lead = packed.step[COLUMNS],
                                        .step = packed.step[COLUMNS] / groups};
        }
        move(j, &z, &packed, of_group, to_filter ? 0 : z.size[CHANNELS] / groups * z.step[CHANNELS],
             is_moved ? packed_group : g->c.step, false);
    }
    if (is_moved) move(j, target, &d, of_group, loose_group, packed_group, true);
}

static bool fits_31(const struct plane *p) { // indices of the kernels, with channels rounded up
    return p->size[IMAGES] * p->size[ROWS] * p->size[COLUMNS] * (p->size[CHANNELS] + 8) <
           INT32_MAX / 2;
}

bool conv_copies_takes(const struct blas_handle *h, const struct dnn_conv *c) {
    enum { LEAST = 16, MOST = 65535 };
    const int type = c->x.type;
    if (h->capability < 80 ||
        (type != DNN_HALF && type != DNN_BFLOAT16 && (type != DNN_FLOAT || !c->may_round)) ||
        c->x.rank > 4 || (c->z && c->z_like.rank != c->y.rank))
        return false;
    const int64_t groups = c->x.size[1] / c->w.size[1], in = c->w.size[1],
                  out = c->w.size[0] / groups, piece = 16 / (int64_t)dnn_type_bytes(type);
    if (groups > 1 && (in % piece || out % piece || c->bias || groups > MOST / 16)) return false;
    const struct plane x = plane_of(&c->x, 0), w = plane_of(&c->w, 0), y = plane_of(&c->y, 0);
    const int64_t columns = c->direction == DNN_TO_FILTER ? out
                            : c->direction == DNN_TO_DATA
                                ? x.size[IMAGES] * x.size[ROWS] * x.size[COLUMNS]
                                : y.size[IMAGES] * y.size[ROWS] * y.size[COLUMNS];
    return (c->direction == DNN_TO_DATA ? in : out) >= LEAST && columns < (int64_t)64 * MOST &&
           fits_31(&x) && fits_31(&w) && fits_31(&y);
}

// Whether planes of a tensor lie together and are large enough to be turned in squares.
static bool has_planes(const struct conv_order *o) {
    enum { LEAST = 32 };
    const int64_t columns = o->columns.by;
    return (columns == 1 || o->step[COLUMNS] == 1) &&
           (o->rows.by == 1 || o->step[ROWS] == columns) && columns * o->rows.by >= LEAST &&
           o->packed_step[ROWS] == columns * o->packed_step[COLUMNS];
}
static dnn_status launch(struct blas_handle *h, enum blas_module module, const char *name,
                         const uint32_t grid[3], uint32_t threads, uint32_t shared,
                         const void *params, size_t bytes) {
    CUfunction kernel;
    const blas_status s = blas_kernel(h, module, name, &kernel);
    return dnn_of(s ? s
                    : blas_launch_shared(kernel, grid, threads, shared, params, bytes, h->stream));
}

static dnn_status order(struct blas_handle *h, enum blas_module module, bool out,
                        const struct conv_order *o, uint32_t groups) {
    const int64_t pieces = (int64_t)o->images * o->pieces.by * o->rows.by * o->columns.by;
    return launch(h, module, out ? "conv_unpack" : "conv_pack",
                  (const uint32_t[3]){dnn_blocks(pieces), 1, o->packed_group ? groups : 1}, 256, 0,
                  o, sizeof *o);
}
static dnn_status turn_planes(struct blas_handle *h, enum blas_module module, size_t bytes,
                              const struct conv_order *o, uint32_t groups) {
    const int32_t places = (int32_t)(o->columns.by * o->rows.by),
                  squares = (places + CONV_TURN_PLACES - 1) / CONV_TURN_PLACES,
                  channels = CONV_TURN_BYTES / (int32_t)bytes;
    const struct conv_turn t = {.loose = o->loose,
                                .packed = o->packed,
                                .places = places,
                                .channels = o->channels,
                                .squares = dnn_divisor(squares),
                                .image = o->step[IMAGES],
                                .channel = o->step[CHANNELS],
                                .packed_image = o->packed_step[IMAGES],
                                .packed_place = o->packed_step[COLUMNS],
                                .group = o->group,
                                .packed_group = o->packed_group};
    return launch(h, module, "conv_turn_planes",
                  (const uint32_t[3]){(uint32_t)(o->images * squares),
                                      (uint32_t)((o->channels + channels - 1) / channels),
                                      o->packed_group ? groups : 1},
                  CONV_TURN_THREADS, 0, &t, sizeof t);
}

dnn_status conv_copies_run(struct blas_handle *h, const struct dnn_conv *c) {
    const enum blas_module module = c->x.type == DNN_HALF       ? BLAS_yh
                                    : c->x.type == DNN_BFLOAT16 ? BLAS_yb
                                                                : BLAS_yt;
    struct job j;
    CUdeviceptr work = 0;
    prepare(c, 0, &j);
    if (j.next) {
        const dnn_status s = dnn_of(blas_of(cuMemAllocAsync(&work, j.next, h->stream)));
        if (s) return s;
        prepare(c, work, &j);
    }
    struct gemm *const g = &j.c.g;
    struct plan plan = {0};
    plan_consider(&plan, h, BY_COPIES, j.bytes, g, (uint32_t)j.groups, true);
    struct blas_room *room = NULL;
    if (plan.splits > 1 && !(room = blas_room_take(h, h->stream, &g->part, &g->turns))) {
        plan = (struct plan){0};
        plan_consider(&plan, h, BY_COPIES, j.bytes, g, (uint32_t)j.groups, false);
    }
    g->splits = plan.splits;
    char name[32];
    snprintf(name, sizeof name, "%s_%s", c->direction == DNN_TO_FILTER ? "filters" : "places",
             plan.tile);
    dnn_status s = DNN_SUCCESS;
    for (int out = 0; out < 2 && !s; out++) {
        for (int i = 0; i < j.moves && !s; i++) {
            const struct conv_order *const o = &j.move[i].order;
            if (j.move[i].is_out != out) continue;
            s = out || !has_planes(o) ? order(h, module, out, o, (uint32_t)j.groups)
                                      : turn_planes(h, module, j.bytes, o, (uint32_t)j.groups);
        }
        if (!out && !s)
            s = launch(h, module, name,
                       (const uint32_t[3]){((uint32_t)g->m + plan.m - 1) / plan.m,
                                           ((uint32_t)g->n + plan.n - 1) / plan.n,
                                           (uint32_t)j.groups * plan.splits},
                       plan.threads, plan.shared, &j.c, sizeof j.c);
    }
    const dnn_status left = dnn_of(blas_room_leave(room, h->stream));
    if (!s) s = left;
    if (work) {
        const dnn_status freed = dnn_of(blas_of(cuMemFreeAsync(work, h->stream)));
        if (!s) s = freed;
    }
    return s;
}
