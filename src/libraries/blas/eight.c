// Products of numbers of eight bits with a fraction. Where the call allows fast sums and wgmma takes the matrices (compute capability
// 9.0, both walked along k, enough tiles) it multiplies them as they are, with the sums of fewer digits that it has for them;
// elsewhere they are widened to halves, which hold each of them, and multiplied as those, with single precision's sums. Sums go
// through memory, and a second kernel scales and rounds them.
#include "eight.h"

#include "blas.h"
#include "plan.h"

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

static blas_status launch(struct blas_handle *h, CUstream stream, const char *name,
                          int64_t elements, uint32_t count, const void *params, size_t bytes) {
    enum { MOST = 65535 };
    CUfunction kernel;
    const int64_t blocks = (elements + 255) / 256;
    const blas_status s = blas_kernel(h, BLAS_w8, name, &kernel);
    return s ? s
             : blas_launch(kernel,
                           (const uint32_t[3]){(uint32_t)(blocks > MOST ? MOST : blocks), 1, count},
                           256, params, bytes, stream);
}
static bool is_even(const struct gemm_matrix *x, uint32_t count) {
    return (x->at + (uint64_t)x->first) % 16 == 0 && x->lead % 16 == 0 &&
           (count == 1 || x->step % 16 == 0);
}
static blas_status by_groups(struct blas_handle *h, CUstream stream, int type_a, int type_b,
                             struct gemm *g, uint32_t count) {
    CUfunction kernel;
    struct plan plan;
    const enum blas_module module = type_a != TYPE_R_8F_E4M3   ? BLAS_g8ba
                                    : type_b != TYPE_R_8F_E4M3 ? BLAS_g8ab
                                                               : BLAS_g8aa;
    for (int may_split = 1; may_split >= 0; may_split--) {
        char name[32];
        plan = (struct plan){0};
        plan_consider(&plan, h, BY_GROUPS, 1, g, count, may_split);
        snprintf(name, sizeof name, "tensor_%s_tn", plan.tile);
        const blas_status s = blas_kernel(h, module, name, &kernel);
        if (s) return s;
        if (plan.splits == 1 || hopper_has_room(kernel, plan.m, plan.splits)) break;
    }
    g->splits = plan.splits;
    return hopper_launch(kernel, stream, OPERATION_T, OPERATION_N, TYPE_R_8F_E4M3, g, count, plan.m);
}
static blas_status widen(struct blas_handle *h, CUstream stream, struct gemm_matrix *x, int type,
                         int64_t rows, int64_t columns, uint32_t count, uint64_t to) {
    const struct eight_widen w = {.from = x->at + (uint64_t)x->first,
                                  .to = to,
                                  .lead = x->lead,
                                  .step_from = x->step,
                                  .rows = (int32_t)rows,
                                  .columns = (int32_t)columns,
                                  .is_e5m2 = type == TYPE_R_8F_E5M2};
    *x = (struct gemm_matrix){.at = to, .lead = rows, .step = rows * columns};
    return launch(h, stream, "widen_eight", rows * columns, count, &w, sizeof w);
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
    const bool grouped = e->is_fast && h->capability >= 90 && h->capability < 100 && blas_swaps(op_a) &&
                         !blas_swaps(op_b) && g->k && is_even(&g->a, count) &&
                         is_even(&g->b, count) && hopper_fits(op_a, op_b, g, count);
    CUdeviceptr work;
    const uint64_t room = (sums + 255) / 256 * 256, room_a = (halves_a + 255) / 256 * 256;
    blas_status s =
        blas_of(cuMemAllocAsync(&work, room + (grouped ? 0 : room_a + halves_b + 16), stream));
    if (s) return s;
    product.c = product.d =
        (struct gemm_matrix){.at = work, .lead = g->m, .step = (int64_t)g->m * g->n};
    if (grouped) {
        s = by_groups(h, stream, e->type_a, e->type_b, &product, count);
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
    if (!s) s = launch(h, stream, "finish_eight", (int64_t)g->m * g->n, count, &f, sizeof f);
    const blas_status freed = blas_of(cuMemFreeAsync(work, stream));
    return s ? s : freed;
}
