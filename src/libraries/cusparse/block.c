// Matrices in blocks (BSR): products, triangles, and from and to rows. A call writes their rows out (in memory of its own) and goes
// on as with CSR.
#include "sparse.h"

#include <stdlib.h>

#define NEED(condition)                                                                            \
    if (!blas_is_handle(h)) return SPARSE_NOT_INITIALIZED;                                         \
    if (!(condition)) return SPARSE_INVALID_VALUE;
enum { BLOCKS_BY_ROWS = 0, BLOCKS_BY_COLUMNS = 1 }; // cusparseDirection_t

struct blocks {
    int direction, rows, columns, count, side; // in blocks
    const struct description *d;
    const void *values;
    const int *offsets, *index;
};
static bool is_whole(const struct blocks *b) {
    return b->d && b->side > 0 && b->rows >= 0 && b->columns >= 0 && b->count >= 0 &&
           (int64_t)b->rows * b->side <= INT32_MAX && (int64_t)b->columns * b->side <= INT32_MAX &&
           (b->direction == BLOCKS_BY_ROWS || b->direction == BLOCKS_BY_COLUMNS);
}
static struct sparse_rows stored(const struct blocks *b) {
    return (struct sparse_rows){.rows = b->rows,
                                .columns = b->columns,
                                .count = b->count,
                                .offsets = sparse_ints(b->offsets, b->d->base),
                                .column = sparse_ints(b->index, b->d->base),
                                .values = (uintptr_t)b->values};
}
static int64_t elements(const struct blocks *b) { return (int64_t)b->count * b->side * b->side; }
// Writes the rows to lists and values that s->c describes.
static blas_status write_rows(struct blas_handle *h, int type, const struct blocks *b,
                              const struct sparse_rows *to) {
    const struct sparse s = {.a = stored(b),
                             .c = *to,
                             .side = (uint32_t)b->side,
                             .blocks_by_rows = b->direction == BLOCKS_BY_ROWS};
    const blas_status r =
        sparse_block_each(h, type, "blocks_to_offsets", (int64_t)b->rows * b->side + 1, &s);
    return r ? r : sparse_block_each(h, type, "blocks_to_rows", elements(b), &s);
}
// The rows as a matrix of their own, in memory that rows_end gives back.
static blas_status rows_begin(struct blas_handle *h, int type, const struct blocks *b,
                              struct sparse_matrix *out, CUdeviceptr *held) {
    const int64_t rows = (int64_t)b->rows * b->side, count = elements(b);
    const size_t bytes = blas_type_bytes(type), lists = (size_t)(rows + 1 + count) * 8;
    blas_status s = blas_of(cuMemAllocAsync(held, lists + (size_t)count * bytes, h->stream));
    if (s) return s;
    *out = (struct sparse_matrix){.format = FORMAT_CSR,
                                  .type = type,
                                  .rows = rows,
                                  .columns = (int64_t)b->columns * b->side,
                                  .count = count,
                                  .offsets = (void *)(uintptr_t)*held,
                                  .index = (void *)(uintptr_t)(*held + (uint64_t)(rows + 1) * 8),
                                  .values = (void *)(uintptr_t)(*held + lists),
                                  .offsets_type = INDEX_64,
                                  .index_type = INDEX_64,
                                  .is_upper = b->d->fill == 1,
                                  .is_unit = b->d->diagonal == 1,
                                  .batch = 1};
    const struct sparse_rows to = sparse_stored(out);
    s = write_rows(h, type, b, &to);
    if (s) cuMemFreeAsync(*held, h->stream);
    return s;
}
static sparse_status rows_end(struct blas_handle *h, CUdeviceptr held, sparse_status s) {
    const blas_status freed = blas_of(cuMemFreeAsync(held, h->stream));
    return s ? s : sparse_of(freed);
}

// ---- products ---------------------------------------------------------------------------------------------
static sparse_status times_vector(blas_handle_t h, const char *call, int type, int op,
                                  const struct blocks *b, const void *alpha, const void *x,
                                  const void *beta, void *y) {
    NEED(is_whole(b) && alpha && beta)
    if (op != OPERATION_N) return sparse_of(blas_refuse(call, "a transposed matrix"));
    struct sparse_matrix m;
    CUdeviceptr held;
    const blas_status s = rows_begin(h, type, b, &m, &held);
    if (s) return sparse_of(s);
    const struct dense_vector vx = {m.columns, x, type}, vy = {m.rows, y, type};
    return rows_end(h, held, sparse_times_vector(h, call, op, alpha, &m, &vx, beta, &vy, 0));
}
static sparse_status times_matrix(blas_handle_t h, const char *call, int type, int op_a, int op_b,
                                  const struct blocks *b, int n, const void *alpha, const void *x,
                                  int ldx, const void *beta, void *y, int ldy) {
    NEED(is_whole(b) && alpha && beta && n >= 0)
    if (op_a != OPERATION_N || op_b == OPERATION_C)
        return sparse_of(blas_refuse(call, "a transposed sparse matrix, or an adjoint dense one"));
    struct sparse_matrix m;
    CUdeviceptr held;
    const blas_status s = rows_begin(h, type, b, &m, &held);
    if (s) return sparse_of(s);
    const bool swaps = op_b == OPERATION_T;
    const struct dense_matrix
        dx = {swaps ? n : m.columns, swaps ? m.columns : n, ldx, x, type, ORDER_COLUMNS, 1, 0},
        dy = {m.rows, n, ldy, y, type, ORDER_COLUMNS, 1, 0};
    return rows_end(h, held,
                    sparse_times_matrix(h, call, op_a, op_b, alpha, &m, &dx, beta, &dy, 0));
}

// ---- triangles ----------------------------------------------------------------------------------------------
sparse_status sparse_flag(struct blas_handle *h, CUdeviceptr *flag) {
    if (*flag) return SPARSE_SUCCESS;
    const blas_status s = blas_of(cuMemAlloc_v2(flag, 4));
    return s ? sparse_of(s)
             : sparse_of(blas_of(cuMemsetD32Async(*flag, (unsigned)-1, 1, h->stream)));
}
sparse_status sparse_zero_pivot(struct blas_handle *h, CUdeviceptr flag, int side, int base,
                                int *place) {
    int row = -1;
    if (!blas_is_handle(h)) return SPARSE_NOT_INITIALIZED;
    if (!place) return SPARSE_INVALID_VALUE;
    blas_status s = CUBLAS_SUCCESS;
    if (flag) s = blas_of(cuMemcpyDtoHAsync_v2(&row, flag, sizeof row, h->stream));
    if (!s) s = blas_of(cuStreamSynchronize(h->stream));
    if (s) return sparse_of(s);
    if (row >= 0) row = row / side + base;
    if (h->pointer_mode == POINTER_DEVICE)
        s = blas_of(cuMemcpyHtoD_v2((uintptr_t)place, &row, sizeof row));
    else
        *place = row;
    return s ? sparse_of(s) : row >= 0 ? SPARSE_ZERO_PIVOT : SPARSE_SUCCESS;
}
// What analysis found: on the device the first row with a zero on its diagonal, or -1.
struct triangle_of_blocks {
    CUdeviceptr flag;
    int side, base;
};
static sparse_status analyse(blas_handle_t h, int type, const struct blocks *b,
                             struct triangle_of_blocks *t) {
    NEED(is_whole(b) && t)
    sparse_status r = sparse_flag(h, &t->flag);
    if (r) return r;
    t->side = b->side;
    t->base = b->d->base;
    struct sparse_matrix m;
    CUdeviceptr held;
    const blas_status s = rows_begin(h, type, b, &m, &held);
    if (s) return sparse_of(s);
    const struct sparse look = {
        .a = sparse_stored(&m), .flag = t->flag, .is_unit = (uint32_t)m.is_unit};
    return rows_end(
        h, held, sparse_of(sparse_block_launch(h, type, "find_zero", 1, 32, &look, sizeof look)));
}
static sparse_status solve(blas_handle_t h, const char *call, int type, int op_a, int op_b,
                           const struct blocks *b, int n, const void *alpha, const void *x, int ldx,
                           void *y, int ldy) {
    NEED(is_whole(b) && alpha && n >= 0)
    struct sparse_matrix m;
    CUdeviceptr held, work = 0;
    blas_status s = rows_begin(h, type, b, &m, &held);
    if (s) return sparse_of(s);
    const size_t bytes = sparse_rows_bytes(&m, op_a);
    s = blas_of(cuMemAllocAsync(&work, bytes + 16, h->stream));
    if (s) return rows_end(h, held, sparse_of(s));
    // op_b of both, x and y
    const bool swaps = op_b != OPERATION_N;
    const struct sparse_dense from = {(uintptr_t)x, swaps ? ldx : 1, swaps ? 1 : ldx, 0,
                                      op_b == OPERATION_C},
                              to = {(uintptr_t)y, swaps ? ldy : 1, swaps ? 1 : ldy, 0,
                                    op_b == OPERATION_C};
    sparse_status r = op_b == OPERATION_C
                          ? sparse_of(blas_refuse(call, "adjoint right-hand sides"))
                          : sparse_solve(h, call, &m, op_a, alpha, type, type, &from, &to, n, work);
    s = blas_of(cuMemFreeAsync(work, h->stream));
    return rows_end(h, held, r ? r : sparse_of(s));
}
#define INFO(name)                                                                                 \
    API(cusparseCreate##name##Info, struct triangle_of_blocks **out) {                             \
        if (!out) return SPARSE_INVALID_VALUE;                                                     \
        *out = calloc(1, sizeof **out);                                                            \
        return *out ? SPARSE_SUCCESS : SPARSE_ALLOC_FAILED;                                        \
    }                                                                                              \
    API(cusparseDestroy##name##Info, struct triangle_of_blocks *t) {                               \
        if (t && t->flag) cuMemFree_v2(t->flag);                                                   \
        free(t);                                                                                   \
        return SPARSE_SUCCESS;                                                                     \
    }
INFO(Bsrsv2)
INFO(Bsrsm2)
#define ZERO_PIVOT(name)                                                                           \
    API(cusparseX##name##_zeroPivot, blas_handle_t h, struct triangle_of_blocks *t, int *place) {  \
        NEED(t)                                                                                    \
        return sparse_zero_pivot(h, t->flag, t->side ? t->side : 1, t->base, place);               \
    }
ZERO_PIVOT(bsrsv2)
ZERO_PIVOT(bsrsm2)

// How many blocks there are stands at the end of their offsets, on the device.
static sparse_status to_rows(blas_handle_t h, int type, struct blocks *b,
                             const struct description *to, void *values, int *offsets, int *index) {
    int last = 0;
    NEED(is_whole(b))
    blas_status s =
        blas_of(cuMemcpyDtoHAsync_v2(&last, (uintptr_t)(b->offsets + b->rows), 4, h->stream));
    if (!s) s = blas_of(cuStreamSynchronize(h->stream));
    if (s) return sparse_of(s);
    b->count = last - b->d->base;
    const struct sparse_rows rows =
        sparse_older(b->rows * b->side, b->columns * b->side, 0, to, values, offsets, index);
    return sparse_of(write_rows(h, type, b, &rows));
}

// ---- the calls of each type -----------------------------------------------------------------------------------
#define BLOCKS                                                                                     \
    const struct description *d, const void *values, const int *offsets, const int *index, int side
#define BLOCKS_OF(rows, columns, count)                                                            \
    const struct blocks b = {direction, rows, columns, count, side, d, values, offsets, index}
#define CALLS(L, type)                                                                             \
    API(cusparse##L##bsrmv, blas_handle_t h, int direction, int op, int rows, int columns,         \
        int count, const void *alpha, BLOCKS, const void *x, const void *beta, void *y) {          \
        BLOCKS_OF(rows, columns, count);                                                           \
        return times_vector(h, "cusparse" #L "bsrmv", type, op, &b, alpha, x, beta, y);            \
    }                                                                                              \
    API(cusparse##L##bsrmm, blas_handle_t h, int direction, int op_a, int op_b, int rows, int n,   \
        int columns, int count, const void *alpha, BLOCKS, const void *x, int ldx,                 \
        const void *beta, void *y, int ldy) {                                                      \
        BLOCKS_OF(rows, columns, count);                                                           \
        return times_matrix(h, "cusparse" #L "bsrmm", type, op_a, op_b, &b, n, alpha, x, ldx,      \
                            beta, y, ldy);                                                         \
    }                                                                                              \
    API(cusparse##L##bsrsv2_bufferSize, blas_handle_t h, int direction, int op, int rows,          \
        int count, BLOCKS, struct triangle_of_blocks *t, int *bytes) {                             \
        (void)direction, (void)op, (void)rows, (void)count, (void)d, (void)values, (void)offsets;  \
        (void)index, (void)side;                                                                   \
        NEED(t &&bytes)                                                                            \
        *bytes = 16;                                                                               \
        return SPARSE_SUCCESS;                                                                     \
    }                                                                                              \
    API(cusparse##L##bsrsv2_analysis, blas_handle_t h, int direction, int op, int rows, int count, \
        BLOCKS, struct triangle_of_blocks *t, int policy, void *work) {                            \
        (void)op, (void)policy, (void)work;                                                        \
        BLOCKS_OF(rows, rows, count);                                                              \
        return analyse(h, type, &b, t);                                                            \
    }                                                                                              \
    API(cusparse##L##bsrsv2_solve, blas_handle_t h, int direction, int op, int rows, int count,    \
        const void *alpha, BLOCKS, struct triangle_of_blocks *t, const void *x, void *y,           \
        int policy, void *work) {                                                                  \
        (void)t, (void)policy, (void)work;                                                         \
        BLOCKS_OF(rows, rows, count);                                                              \
        const int lead = rows * side;                                                              \
        return solve(h, "cusparse" #L "bsrsv2_solve", type, op, OPERATION_N, &b, 1, alpha, x,      \
                     lead, y, lead);                                                               \
    }                                                                                              \
    API(cusparse##L##bsrsm2_bufferSize, blas_handle_t h, int direction, int op_a, int op_b,        \
        int rows, int n, int count, BLOCKS, struct triangle_of_blocks *t, int *bytes) {            \
        (void)direction, (void)op_a, (void)op_b, (void)rows, (void)n, (void)count, (void)d;        \
        (void)values, (void)offsets, (void)index, (void)side;                                      \
        NEED(t &&bytes)                                                                            \
        *bytes = 16;                                                                               \
        return SPARSE_SUCCESS;                                                                     \
    }                                                                                              \
    API(cusparse##L##bsrsm2_analysis, blas_handle_t h, int direction, int op_a, int op_b,          \
        int rows, int n, int count, BLOCKS, struct triangle_of_blocks *t, int policy,              \
        void *work) {                                                                              \
        (void)op_a, (void)op_b, (void)n, (void)policy, (void)work;                                 \
        BLOCKS_OF(rows, rows, count);                                                              \
        return analyse(h, type, &b, t);                                                            \
    }                                                                                              \
    API(cusparse##L##bsrsm2_solve, blas_handle_t h, int direction, int op_a, int op_b, int rows,   \
        int n, int count, const void *alpha, BLOCKS, struct triangle_of_blocks *t, const void *x,  \
        int ldx, void *y, int ldy, int policy, void *work) {                                       \
        (void)t, (void)policy, (void)work;                                                         \
        BLOCKS_OF(rows, rows, count);                                                              \
        return solve(h, "cusparse" #L "bsrsm2_solve", type, op_a, op_b, &b, n, alpha, x, ldx, y,   \
                     ldy);                                                                         \
    }                                                                                              \
    API(cusparse##L##bsr2csr, blas_handle_t h, int direction, int rows, int columns,               \
        const struct description *d, const void *values, const int *offsets, const int *index,     \
        int side, const struct description *to, void *to_values, int *to_offsets, int *to_index) { \
        NEED(d &&to)                                                                               \
        return to_rows(                                                                            \
            h, type,                                                                               \
            &(struct blocks){direction, rows, columns, 0, side, d, values, offsets, index}, to,    \
            to_values, to_offsets, to_index);                                                      \
    }                                                                                              \
    API(cusparse##L##csr2bsr, blas_handle_t h, int direction, int m, int n,                        \
        const struct description *d, const void *values, const int *offsets, const int *index,     \
        int side, const struct description *to, void *to_values, int *to_offsets, int *to_index) { \
        NEED(d &&to &&m >= 0 && n >= 0 && side > 0)                                                \
        const struct sparse s = {.a = sparse_older(m, n, 0, d, values, offsets, index),            \
                                 .c = sparse_older(m, n, 0, to, to_values, to_offsets, to_index),  \
                                 .n = (m + side - 1) / side,                                       \
                                 .side = (uint32_t)side,                                           \
                                 .blocks_by_rows = direction == BLOCKS_BY_ROWS};                   \
        return sparse_of(sparse_block_each(h, type, "rows_to_blocks", s.n, &s));                   \
    }
CALLS(S, TYPE_R_32F)
CALLS(D, TYPE_R_64F)
CALLS(C, TYPE_C_32F)
CALLS(Z, TYPE_C_64F)
// Offsets of the blocks that rows fall into, and how many there are, which waits for the stream.
API(cusparseXcsr2bsrNnz, blas_handle_t h, int direction, int m, int n, const struct description *d,
    const int *offsets, const int *index, int side, const struct description *to, int *to_offsets,
    int *all) {
    (void)direction;
    NEED(d && to && m >= 0 && n >= 0 && side > 0 && to_offsets)
    const int64_t rows = (m + side - 1) / side;
    CUdeviceptr work;
    blas_status r = blas_of(cuMemAllocAsync(&work, (size_t)(rows + 1) * 8, h->stream));
    if (r) return sparse_of(r);
    struct sparse s = {.a = sparse_older(m, n, 0, d, NULL, offsets, index),
                       .c = {.offsets = sparse_ints(to_offsets, to->base)},
                       .offsets = work,
                       .n = rows,
                       .side = (uint32_t)side};
    int64_t count = 0;
    r = sparse_block_each(h, TYPE_R_32F, "count_blocks", rows, &s);
    if (!r) r = sparse_scan(h, &s, rows, &count);
    s.n = rows + 1;
    if (!r) r = sparse_each(h, TYPE_R_32F, "offsets_out", rows + 1, &s);
    const blas_status freed = blas_of(cuMemFreeAsync(work, h->stream));
    const int number = (int)count;
    if (!r && all && h->pointer_mode == POINTER_DEVICE)
        r = blas_of(cuMemcpyHtoD_v2((uintptr_t)all, &number, sizeof number));
    else if (!r && all)
        *all = number;
    return sparse_of(r ? r : freed);
}
