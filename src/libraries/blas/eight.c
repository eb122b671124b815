// Products of numbers of eight bits with a fraction. Where the chip multiplies them as they are (compute capability 8.9 by copies, 9.0 by
// wgmma; both matrices walked along k), it does. The tensor core's sums of them have fewer digits than single precision: where the
// call allows fast sums they stay in it, elsewhere they are added up in single precision, on 8.9 after each instruction (32 of k),
// on 9.0 after each slice (128 of k). Other chips and matrices have them widened to halves, which hold each of them, and multiplied as
// those. Sums go through memory, and a second kernel scales and rounds them.
#include "eight.h"

#include "blas.h"
#include "plan.h"
#include "room.h"

#include <stdio.h>

static bool is_eight(int type) { return type == TYPE_R_8F_E4M3 || type == TYPE_R_8F_E5M2; }
static int type_of(int type) {
    switch (type) {
    case TYPE_R_32F: return EIGHT_F32;
    case TYPE_R_16F: return EIGHT_F16;
    case TYPE_R_16BF: return EIGHT_BF16;
    case TYPE_R_8F_E4M3: return EIGHT_E4M3;
    case TYPE_R_8F_E5M2: return EIGHT_E5M2;
    default: return -1;
    }
}
bool blas_eight_has(int a, int b, int c, int d) {
    return is_eight(a) && is_eight(b) && (a == TYPE_R_8F_E4M3 || b == TYPE_R_8F_E4M3) &&
           type_of(c) >= 0 && type_of(d) >= 0;
}

// A kernel that a matrix of so many rows and columns is shared out to (eight.cu).
static blas_status launch(struct blas_handle *h, CUstream stream, const char *name, int64_t rows,
                          int64_t columns, uint32_t count, const void *params, size_t bytes) {
    enum { ROUNDS = 16 }; // blocks of a multiprocessor, beyond which threads have several columns
    CUfunction kernel;
    const uint32_t across = eight_across(rows);
    const int64_t x = ((rows - 1) >> across) + 1, of_block = EIGHT_THREADS >> across,
                  all = (columns + of_block - 1) / of_block, most = (h->sms * ROUNDS - 1) / x + 1,
                  y = all < most ? all : most;
    const blas_status s = blas_kernel(h, BLAS_w8, name, &kernel);
    return s ? s
             : blas_launch(kernel, (const uint32_t[3]){(uint32_t)x, (uint32_t)y, count},
                           EIGHT_THREADS, params, bytes, stream);
}
static bool is_even(const struct gemm_matrix *x, uint32_t count) {
    return (x->at + (uint64_t)x->first) % 16 == 0 && x->lead % 16 == 0 &&
           (count == 1 || x->step % 16 == 0);
}
// Modules for types of A and B: by copies or groups, with fast sums or others.
static enum blas_module module_of(enum way way, bool is_fast, int type_a, int type_b) {
    static const enum blas_module modules[2][2][3] = {
        {{BLAS_o8aa, BLAS_o8ab, BLAS_o8ba}, {BLAS_a8aa, BLAS_a8ab, BLAS_a8ba}},
        {{BLAS_p8aa, BLAS_p8ab, BLAS_p8ba}, {BLAS_g8aa, BLAS_g8ab, BLAS_g8ba}}};
    const int types = type_a != TYPE_R_8F_E4M3 ? 2 : type_b != TYPE_R_8F_E4M3 ? 1 : 0;
    return modules[way != BY_COPIES][is_fast][types];
}
static blas_status as_they_are(struct blas_handle *h, CUstream stream, enum way way,
                               const struct blas_eight *e, struct gemm *g, uint32_t count) {
    CUfunction kernel;
    struct plan plan;
    struct blas_room *room = NULL;
    for (int may_split = 1; may_split >= 0; may_split--) {
        char name[32];
        plan = (struct plan){0};
        plan_consider(&plan, h, way, 1, g, count, may_split);
        snprintf(name, sizeof name, "tensor_%s_tn", plan.tile);
        const blas_status s =
            blas_kernel(h, module_of(way, e->is_fast, e->type_a, e->type_b), name, &kernel);
        if (s) return s;
        if (plan.splits == 1) break;
        if (way != BY_COPIES ? hopper_has_room(kernel, plan.m, plan.splits)
                             : (room = blas_room_take(h, stream, &g->part, &g->turns)) != NULL)
            break;
    }
    g->splits = plan.splits;
    if (way != BY_COPIES)
        return hopper_launch(kernel, stream, OPERATION_T, OPERATION_N, TYPE_R_8F_E4M3, g, count,
                             plan.m);
    const uint32_t grid[3] = {((uint32_t)g->m + plan.m - 1) / plan.m,
                              ((uint32_t)g->n + plan.n - 1) / plan.n, count * plan.splits};
    const blas_status s =
        blas_launch_shared(kernel, grid, plan.threads, plan.shared, g, sizeof *g, stream);
    const blas_status left = blas_room_leave(room, stream);
    return s ? s : left;
}
static blas_status widen(struct blas_handle *h, CUstream stream, struct gemm_matrix *x, int type,
                         int64_t rows, int64_t columns, uint32_t count, uint64_t to) {
    const struct eight_widen w = {.from = x->at + (uint64_t)x->first,
                                  .to = to,
                                  .lead = x->lead,
                                  .step_from = x->step,
                                  .rows = (int32_t)rows,
                                  .columns = (int32_t)columns,
                                  .is_e5m2 = type == TYPE_R_8F_E5M2,
                                  .across = eight_across(rows)};
    *x = (struct gemm_matrix){.at = to, .lead = rows, .step = rows * columns};
    return launch(h, stream, "widen_eight", rows, columns, count, &w, sizeof w);
}

blas_status blas_eight(struct blas_handle *h, CUstream stream, const char *call, int op_a, int op_b,
                       const struct blas_eight *e, struct gemm *g, uint32_t count) {
    const int64_t rows_a = blas_swaps(op_a) ? g->k : g->m,
                  columns_a = blas_swaps(op_a) ? g->m : g->k,
                  rows_b = blas_swaps(op_b) ? g->n : g->k,
                  columns_b = blas_swaps(op_b) ? g->k : g->n;
    const size_t sums = (size_t)g->m * (size_t)g->n * 4 * count,
                 halves_a = (size_t)(rows_a * columns_a) * 2 * count,
                 halves_b = (size_t)(rows_b * columns_b) * 2 * count;
    if (!g->m || !g->n || !count) return CUBLAS_SUCCESS;
    if (count > 65535) return blas_refuse(call, "more than 65535 products of eight-bit numbers");
    struct gemm product = {.m = g->m, .n = g->n, .k = g->k, .a = g->a, .b = g->b, .alpha = {1}};
    enum { MOST = 65535, LEAST = 16 };
    const bool even = blas_swaps(op_a) && !blas_swaps(op_b) && g->k && is_even(&g->a, count) &&
                      is_even(&g->b, count),
               grouped = even && h->capability >= 90 && h->capability < 100 &&
                         hopper_fits(op_a, op_b, g, count),
               whole = grouped || (even && h->capability == 89 && g->m >= LEAST && g->n >= LEAST &&
                                   g->n < 64 * MOST && count < MOST / 16);
    CUdeviceptr work;
    const uint64_t room = (sums + 255) / 256 * 256, room_a = (halves_a + 255) / 256 * 256;
    blas_status s =
        blas_of(cuMemAllocAsync(&work, room + (whole ? 0 : room_a + halves_b + 16), stream));
    if (s) return s;
    product.c = product.d =
        (struct gemm_matrix){.at = work, .lead = g->m, .step = (int64_t)g->m * g->n};
    if (whole) {
        product.is_even = 1;
        s = as_they_are(h, stream,
                        !grouped     ? BY_COPIES
                        : e->is_fast ? BY_GROUPS
                                     : BY_PROMOTING_GROUPS,
                        e, &product, count);
    } else {
        if (g->k)
            s = widen(h, stream, &product.a, e->type_a, rows_a, columns_a, count, work + room);
        if (!s && g->k)
            s = widen(h, stream, &product.b, e->type_b, rows_b, columns_b, count,
                      work + room + room_a);
        if (!s)
            s = blas_product_in(h, stream, call, op_a, op_b,
                                &(struct blas_types){TYPE_R_16F, TYPE_R_32F, TYPE_R_32F, false},
                                &product, count);
    }
    const struct eight_finish f = {
        .m = g->m,
        .n = g->n,
        .across = eight_across(g->m),
        .sums = work,
        .c = {g->c.at + (uint64_t)g->c.first, g->c.lead, g->c.step, (uint32_t)type_of(e->type_c)},
        .d = {g->d.at + (uint64_t)g->d.first, g->d.lead, g->d.step, (uint32_t)type_of(e->type_d)},
        .bias = g->bias,
        .bias_type = (uint32_t)type_of(e->type_bias),
        .epilogue = g->epilogue,
        .alpha_at = g->alpha_at,
        .beta_at = g->beta_at,
        .alpha = (float)g->alpha[0],
        .beta = (float)g->beta[0],
        .scale_a = e->scale_a,
        .scale_b = e->scale_b,
        .scale_c = e->scale_c,
        .scale_d = e->scale_d,
        .largest = e->largest};
    if (!s && e->largest) s = blas_of(cuMemsetD32Async(e->largest, 0, 1, stream));
    if (!s) s = launch(h, stream, "finish_eight", g->m, g->n, count, &f, sizeof f);
    const blas_status freed = blas_of(cuMemFreeAsync(work, stream));
    return s ? s : freed;
}
