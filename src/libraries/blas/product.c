// Which kernel runs a product, and in which grid.
#include "blas.h"
#include "hopper.h"
#include "plan.h"
#include "room.h"

#include <stdio.h>
#include <string.h>

struct tensor {
    uint32_t from,
        to; // compute capability: the first, and the first that does otherwise; 0, 0: none
    enum blas_module module;
};
enum { LATER = UINT32_MAX };

// A row for each pair of types that there is a module for, and the type of its factors: that of the module's sums, or halves.
static const struct {
    int ab, cd, scale;
    enum blas_module module;
    bool is_wide;       // its sums are wider than a word
    bool tensor_rounds; // tensor cores only where a program lets operands be rounded
    struct tensor tensor[WAYS];
} rows[] = {
    {TYPE_R_32F,
     TYPE_R_32F,
     TYPE_R_32F,
     BLAS_s,
     false,
     true,
     {[BY_WARPS] = {80, LATER, BLAS_qt},
      [BY_COPIES] = {80, LATER, BLAS_at},
      [BY_GROUPS] = {90, 100, BLAS_gt}}},
    {TYPE_R_64F, TYPE_R_64F, TYPE_R_64F, BLAS_d, true, false, {{0}}},
    {TYPE_C_32F, TYPE_C_32F, TYPE_C_32F, BLAS_c, true, false, {{0}}},
    {TYPE_C_64F, TYPE_C_64F, TYPE_C_64F, BLAS_z, true, false, {{0}}},
    {TYPE_R_16F,
     TYPE_R_16F,
     TYPE_R_16F,
     BLAS_h,
     false,
     false,
     {[BY_WARPS] = {70, LATER, BLAS_qh},
      [BY_QUADS] = {70, 75, BLAS_vh},
      [BY_COPIES] = {80, LATER, BLAS_ah},
      [BY_GROUPS] = {90, 100, BLAS_gh}}},
    {TYPE_R_16F,
     TYPE_R_16F,
     TYPE_R_32F,
     BLAS_h,
     false,
     false,
     {[BY_WARPS] = {70, LATER, BLAS_qh},
      [BY_QUADS] = {70, 75, BLAS_vh},
      [BY_COPIES] = {80, LATER, BLAS_ah},
      [BY_GROUPS] = {90, 100, BLAS_gh}}},
    {TYPE_R_16F,
     TYPE_R_32F,
     TYPE_R_32F,
     BLAS_hs,
     false,
     false,
     {[BY_WARPS] = {70, LATER, BLAS_qhs},
      [BY_QUADS] = {70, 75, BLAS_vhs},
      [BY_COPIES] = {80, LATER, BLAS_ahs},
      [BY_GROUPS] = {90, 100, BLAS_ghs}}},
    {TYPE_R_16BF,
     TYPE_R_16BF,
     TYPE_R_32F,
     BLAS_b,
     false,
     false,
     {[BY_WARPS] = {80, LATER, BLAS_qb},
      [BY_COPIES] = {80, LATER, BLAS_ab},
      [BY_GROUPS] = {90, 100, BLAS_gb}}},
    {TYPE_R_16BF,
     TYPE_R_32F,
     TYPE_R_32F,
     BLAS_bs,
     false,
     false,
     {[BY_WARPS] = {80, LATER, BLAS_qbs},
      [BY_COPIES] = {80, LATER, BLAS_abs},
      [BY_GROUPS] = {90, 100, BLAS_gbs}}},
    {TYPE_R_8I,
     TYPE_R_32I,
     TYPE_R_32I,
     BLAS_i,
     false,
     false,
     {[BY_WARPS] = {75, LATER, BLAS_qi},
      [BY_COPIES] = {80, LATER, BLAS_ai},
      [BY_GROUPS] = {90, 100, BLAS_gi}}},
    {TYPE_R_8I, TYPE_R_32F, TYPE_R_32F, BLAS_is, false, false, {{0}}},
};

enum { ROWS = sizeof rows / sizeof *rows };

size_t blas_type_bytes(int type) {
    switch (type) {
    case TYPE_R_8I:
    case TYPE_R_8F_E4M3:
    case TYPE_R_8F_E5M2: return 1;
    case TYPE_R_16F:
    case TYPE_R_16BF: return 2;
    case TYPE_R_32F:
    case TYPE_R_32I: return 4;
    case TYPE_R_64F:
    case TYPE_C_32F: return 8;
    case TYPE_C_64F: return 16;
    default: return 0;
    }
}

static double half_value(const void *at) {
    uint16_t u;
    memcpy(&u, at, sizeof u);
    const double sign = u >> 15 ? -1 : 1;
    const int exponent = u >> 10 & 31, fraction = u & 1023;
    if (exponent == 31) return sign * (fraction ? __builtin_nan("") : __builtin_inf());
    return exponent ? sign * __builtin_ldexp(1024 + fraction, exponent - 25)
                    : sign * __builtin_ldexp(fraction, -24);
}

static double bfloat_value(const void *at) {
    uint16_t u;
    float f;
    memcpy(&u, at, sizeof u);
    const uint32_t bits = (uint32_t)u << 16;
    memcpy(&f, &bits, sizeof f);
    return f;
}

void blas_factor(double to[2], int scale, const void *at) {
    const float *const f = at;
    const double *const d = at;
    const int32_t *const i = at;
    to[1] = 0;
    switch (scale) {
    case TYPE_R_16F: to[0] = half_value(at); break;
    case TYPE_R_16BF: to[0] = bfloat_value(at); break;
    case TYPE_R_32I: to[0] = *i; break;
    case TYPE_C_32F: to[0] = f[0], to[1] = f[1]; break;
    case TYPE_R_64F: to[0] = d[0]; break;
    case TYPE_C_64F: to[0] = d[0], to[1] = d[1]; break;
    default: to[0] = f[0];
    }
}

void blas_factors(struct gemm *g, int pointer_mode, int scale, const void *alpha,
                  const void *beta) {
    if (pointer_mode == POINTER_DEVICE) {
        g->alpha_at = (uintptr_t)alpha;
        g->beta_at = (uintptr_t)beta;
        g->factors = scale == TYPE_R_16F ? GEMM_ALPHA_NARROW | GEMM_BETA_NARROW : 0;
        return;
    }
    blas_factor(g->alpha, scale, alpha);
    blas_factor(g->beta, scale, beta);
}

static uint32_t tiles(int32_t length, uint32_t side) {
    return ((uint32_t)length + side - 1) / side;
}

static void advance(struct gemm_matrix *x, int type, uint32_t products) {
    x->at += x->is_list ? (uint64_t)8 * products
                        : (uint64_t)(x->step * (int64_t)products) * blas_type_bytes(type);
}

// A grid has at most 65,535 blocks in its second and third direction.
static blas_status launch_all(CUstream stream, CUfunction kernel, const struct plan *plan,
                              const struct blas_types *t, const struct gemm *g, uint32_t count) {
    enum { MOST = 65535 };
    const uint32_t tiles_of[2] = {tiles(g->m, plan->m), tiles(g->n, plan->n)};
    struct gemm part = *g;
    for (uint32_t done = 0; done < count; done += MOST) {
        const uint32_t now = count - done < MOST ? count - done : MOST;
        for (uint32_t from = 0; from < tiles_of[1]; from += MOST) {
            const uint32_t columns = tiles_of[1] - from < MOST ? tiles_of[1] - from : MOST;
            part.first_column = (int32_t)(from * plan->n);
            const blas_status s = blas_launch_shared(
                kernel, (const uint32_t[3]){tiles_of[0], columns, now * plan->splits},
                plan->threads, plan->shared, &part, sizeof part, stream);
            if (s != CUBLAS_SUCCESS) return s;
        }
        advance(&part.a, t->ab, now);
        advance(&part.b, t->ab, now);
        advance(&part.c, t->cd, now);
        advance(&part.d, t->cd, now);
    }
    return CUBLAS_SUCCESS;
}

bool blas_swaps(int op) { return op == OPERATION_T || op == OPERATION_C; }
static bool is_conj(int op) { return op == OPERATION_C || op == OPERATION_CONJG; }

// Fewer rows or columns leave most of a tensor core's square empty.
enum { TENSOR_LEAST = 16 };

// Whether lines of a matrix, and its first elements, lie at multiples of sixteen bytes. Of a list nobody knows here.
static bool is_even(const struct gemm_matrix *x, int type, uint32_t count) {
    const uint64_t bytes = blas_type_bytes(type), lead = (uint64_t)x->lead * bytes,
                   step = (uint64_t)x->step * bytes;
    return !x->is_list && (x->at + (uint64_t)x->first * bytes) % 16 == 0 && lead % 16 == 0 &&
           (count == 1 || step % 16 == 0);
}

static size_t row_of(const struct blas_types *t) {
    size_t row = 0;
    while (row < ROWS &&
           (rows[row].ab != t->ab || rows[row].cd != t->cd || rows[row].scale != t->scale))
        row++;
    return row;
}

enum {
    FAR = 1 << 24
}; // elements from a line to the next, whose 32 lines are fewer than 2^32 bytes

// Bytes are multiplied by copies and by groups only as they lie when both are walked along k.
static bool fits(enum way way, int op_a, int op_b, const struct blas_types *t, const struct gemm *g,
                 uint32_t count) {
    if (way == BY_WARPS) return true;
    if (way == BY_QUADS && (g->a.lead > FAR || g->b.lead > FAR)) return false;
    if (way == BY_GROUPS && !hopper_fits(op_a, op_b, g, count)) return false;
    return g->is_even && g->k && (t->ab != TYPE_R_8I || (blas_swaps(op_a) && !blas_swaps(op_b)));
}

// The plan of least time: by the lanes, or on tensor cores by the best way that is there and one that takes any matrices.
static struct plan plan_of(const struct blas_handle *h, size_t row, int op_a, int op_b,
                           const struct blas_types *t, const struct gemm *g, uint32_t count,
                           bool may_split) {
    const size_t bytes = blas_type_bytes(t->ab);
    const bool by_tensor =
        g->m >= TENSOR_LEAST && g->n >= TENSOR_LEAST && (!rows[row].tensor_rounds || t->may_round);
    struct plan best = {0};
    for (int way = WAYS - 1; by_tensor && way >= BY_WARPS; way--) {
        const struct tensor *const r = &rows[row].tensor[way];
        if (h->capability < r->from || h->capability >= r->to ||
            !fits((enum way)way, op_a, op_b, t, g, count))
            continue;
        if (way == BY_WARPS && best.tile) continue; // which the others do better
        plan_consider(&best, h, (enum way)way, bytes, g, count, may_split);
        if (way == BY_GROUPS && t->ab == TYPE_R_32F)
            best.cycles += hopper_turn_cycles(h, op_a, op_b, g, count);
    }
    if (!best.tile)
        plan_consider(&best, h, rows[row].is_wide ? BY_WIDE_LANES : BY_LANES, bytes, g, count,
                      may_split);
    return best;
}

static blas_status kernel_of(struct blas_handle *h, size_t row, int op_a, int op_b,
                             const struct plan *plan, CUfunction *kernel) {
    const bool by_tensor = plan->way >= BY_WARPS;
    char name[32];
    if (plan->way == BY_GROUPS && rows[row].ab == TYPE_R_32F)
        op_a = OPERATION_T, op_b = OPERATION_N;
    snprintf(name, sizeof name, "%s_%s_%c%c", by_tensor ? "tensor" : "gemm", plan->tile,
             blas_swaps(op_a) ? 't' : 'n', blas_swaps(op_b) ? 't' : 'n');
    return blas_kernel(h, by_tensor ? rows[row].tensor[plan->way].module : rows[row].module, name,
                       kernel);
}

bool blas_has_product(const struct blas_types *t) { return row_of(t) < ROWS; }

blas_status blas_product(struct blas_handle *h, const char *call, int op_a, int op_b,
                         const struct blas_types *t, struct gemm *g, uint32_t count) {
    return blas_product_in(h, h->stream, call, op_a, op_b, t, g, count);
}

blas_status blas_product_in(struct blas_handle *h, CUstream stream, const char *call, int op_a,
                            int op_b, const struct blas_types *t, struct gemm *g, uint32_t count) {
    if (g->m < 0 || g->n < 0 || g->k < 0 || op_a < 0 || op_a > OPERATION_CONJG || op_b < 0 ||
        op_b > OPERATION_CONJG)
        return CUBLAS_INVALID_VALUE;
    if (!g->m || !g->n || !count) return CUBLAS_SUCCESS;
    const size_t row = row_of(t);
    if (row == ROWS)
        return blas_refuse(call,
                           "no product of matrices of type %d into type %d with factors of type %d "
                           "is here (cudaDataType)",
                           t->ab, t->cd, t->scale);
    // A and B are not read where alpha is zero, as in the reference BLAS: they may hold anything
    if (!g->alpha_at && g->alpha[0] == 0 && g->alpha[1] == 0) g->k = 0;
    g->a.conj = is_conj(op_a);
    g->b.conj = is_conj(op_b);
    g->is_even = is_even(&g->a, t->ab, count) && is_even(&g->b, t->ab, count);
    CUfunction kernel;
    struct plan plan = plan_of(h, row, op_a, op_b, t, g, count, true);
    blas_status s = kernel_of(h, row, op_a, op_b, &plan, &kernel);
    struct blas_room *room = NULL;
    if (s == CUBLAS_SUCCESS && plan.splits > 1 &&
        !(plan.way == BY_GROUPS
              ? hopper_has_room(kernel, plan.m, plan.splits)
              : (room = blas_room_take(h, stream, &g->part, &g->turns)) != NULL)) {
        plan = plan_of(h, row, op_a, op_b, t, g, count, false);
        s = kernel_of(h, row, op_a, op_b, &plan, &kernel);
    }
    if (s != CUBLAS_SUCCESS) return s;
    g->splits = plan.splits;
    if (plan.way == BY_GROUPS)
        s = t->ab == TYPE_R_32F ? hopper_launch_turned(h, kernel, stream, op_a, op_b, g, count, plan.m)
                                : hopper_launch(kernel, stream, op_a, op_b, t->ab, g, count, plan.m);
    else
        s = launch_all(stream, kernel, &plan, t, g, count);
    const blas_status left = blas_room_leave(room, stream);
    return s ? s : left;
}
