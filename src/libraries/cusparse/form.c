// From one form to another: offsets and rows, sorting, dense and sparse, transposition, sums. Calls of the older interface have
// numbers of 32 bits and a description of the matrix in place of its address.
#include "sparse.h"

#include <stdlib.h>

#define NEED(condition)                                                                            \
    if (!blas_is_handle(h)) return SPARSE_NOT_INITIALIZED;                                         \
    if (!(condition)) return SPARSE_INVALID_VALUE;

API(cusparseCreateMatDescr, struct description **out) {
    if (!out) return SPARSE_INVALID_VALUE;
    *out = calloc(1, sizeof **out);
    return *out ? SPARSE_SUCCESS : SPARSE_ALLOC_FAILED;
}
API(cusparseDestroyMatDescr, struct description *d) {
    free(d);
    return SPARSE_SUCCESS;
}
#define SETTING(name, field)                                                                       \
    API(cusparseSetMat##name, struct description *d, int value) {                                  \
        if (!d) return SPARSE_INVALID_VALUE;                                                       \
        d->field = value;                                                                          \
        return SPARSE_SUCCESS;                                                                     \
    }                                                                                              \
    BLAS_API int cusparseGetMat##name(const struct description *d);                                \
    int cusparseGetMat##name(const struct description *d) { return d ? d->field : 0; }
SETTING(Type, type)
SETTING(FillMode, fill)
SETTING(DiagType, diagonal)
SETTING(IndexBase, base)

// ---- offsets and rows ---------------------------------------------------------------------------------------
API(cusparseXcoo2csr, blas_handle_t h, const int *row, int count, int rows, int *offsets,
    int base) {
    NEED(count >= 0 && rows >= 0 && offsets)
    const struct sparse s = {.a = {.rows = rows, .count = count, .row = sparse_ints(row, base)},
                             .c = {.offsets = sparse_ints(offsets, base)}};
    return sparse_of(sparse_each(h, TYPE_R_32F, "find_offsets", rows + 1, &s));
}
API(cusparseXcsr2coo, blas_handle_t h, const int *offsets, int count, int rows, int *row,
    int base) {
    NEED(count >= 0 && rows >= 0 && offsets)
    const struct sparse s = {
        .a = {.rows = rows, .count = count, .offsets = sparse_ints(offsets, base)},
        .c = {.row = sparse_ints(row, base)}};
    return sparse_of(sparse_each(h, TYPE_R_32F, "spread_offsets", count, &s));
}
API(cusparseCreateIdentityPermutation, blas_handle_t h, int n, int *p) {
    NEED(n >= 0 && p)
    const struct sparse s = {.n = n, .c = {.column = sparse_ints(p, 0)}};
    return sparse_of(sparse_each(h, TYPE_R_32F, "count_up", n, &s));
}

// ---- sorting ------------------------------------------------------------------------------------------------
// Lists in their new order: rows or columns, and the permutation that the caller began.
static blas_status reorder(struct blas_handle *h, const struct sparse *s, int *list,
                           int *permutation, uint64_t spare) {
    blas_status r = CUBLAS_SUCCESS;
    int *const lists[] = {list, permutation};
    for (int i = 0; !r && i < 2; i++) {
        if (!lists[i]) continue;
        const struct sparse pick = {.n = s->a.count,
                                    .order = s->order_out,
                                    .b = {.column = sparse_ints(lists[i], 0)},
                                    .c = {.column = {spare, 0, 0}}};
        r = sparse_each(h, TYPE_R_32F, "pick_list", s->a.count, &pick);
        if (!r)
            r = blas_of(cuMemcpyDtoDAsync_v2((uintptr_t)lists[i], spare, (size_t)s->a.count * 4,
                                             h->stream));
    }
    return r;
}
static sparse_status sort(blas_handle_t h, struct sparse_rows a, int64_t n, int *second,
                          int *permutation, int *row, void *work) {
    struct sparse s = {.a = a};
    if (!a.count) return SPARSE_SUCCESS;
    if (!work) return SPARSE_INVALID_VALUE;
    blas_status r = sparse_bucket(h, n, true, (uintptr_t)work, &s);
    const uint64_t spare = (uintptr_t)work + sparse_bucket_bytes(n, a.count);
    if (!r) r = reorder(h, &s, second, permutation, spare);
    if (!r && row) r = reorder(h, &s, row, NULL, spare);
    return sparse_of(r);
}
API(cusparseXcsrsort_bufferSizeExt, blas_handle_t h, int m, int n, int count, const int *offsets,
    const int *column, size_t *bytes) {
    (void)n, (void)offsets, (void)column;
    NEED(bytes && m >= 0 && count >= 0)
    *bytes = sparse_bucket_bytes(m, count) + (size_t)count * 4;
    return SPARSE_SUCCESS;
}
API(cusparseXcsrsort, blas_handle_t h, int m, int n, int count, const struct description *d,
    const int *offsets, int *column, int *permutation, void *work) {
    NEED(d && m >= 0 && n >= 0 && count >= 0)
    return sort(h,
                (struct sparse_rows){.rows = m,
                                     .columns = n,
                                     .count = count,
                                     .offsets = sparse_ints(offsets, d->base),
                                     .column = sparse_ints(column, d->base)},
                m, column, permutation, NULL, work);
}
// Columns in place of rows.
API(cusparseXcscsort_bufferSizeExt, blas_handle_t h, int m, int n, int count, const int *offsets,
    const int *row, size_t *bytes) {
    return cusparseXcsrsort_bufferSizeExt(h, n, m, count, offsets, row, bytes);
}
API(cusparseXcscsort, blas_handle_t h, int m, int n, int count, const struct description *d,
    const int *offsets, int *row, int *permutation, void *work) {
    return cusparseXcsrsort(h, n, m, count, d, offsets, row, permutation, work);
}
API(cusparseXcoosort_bufferSizeExt, blas_handle_t h, int m, int n, int count, const int *row,
    const int *column, size_t *bytes) {
    (void)row, (void)column;
    NEED(bytes && m >= 0 && n >= 0 && count >= 0)
    *bytes = sparse_bucket_bytes(m > n ? m : n, count) + (size_t)count * 4;
    return SPARSE_SUCCESS;
}
API(cusparseXcoosortByRow, blas_handle_t h, int m, int n, int count, int *row, int *column,
    int *permutation, void *work) {
    NEED(m >= 0 && n >= 0 && count >= 0)
    return sort(h,
                (struct sparse_rows){.rows = m,
                                     .columns = n,
                                     .count = count,
                                     .row = sparse_ints(row, 0),
                                     .column = sparse_ints(column, 0)},
                m, column, permutation, row, work);
}
API(cusparseXcoosortByColumn, blas_handle_t h, int m, int n, int count, int *row, int *column,
    int *permutation, void *work) {
    NEED(m >= 0 && n >= 0 && count >= 0)
    return sort(h,
                (struct sparse_rows){.rows = n,
                                     .columns = m,
                                     .count = count,
                                     .row = sparse_ints(column, 0),
                                     .column = sparse_ints(row, 0)},
                n, row, permutation, column, work);
}

// ---- transposition --------------------------------------------------------------------------------------------
API(cusparseCsr2cscEx2_bufferSize, blas_handle_t h, int m, int n, int count, const void *values,
    const int *offsets, const int *column, void *out_values, int *out_offsets, int *out_row,
    int type, int copies, int base, int algo, size_t *bytes) {
    (void)m, (void)values, (void)offsets, (void)column, (void)out_values, (void)out_offsets,
        (void)out_row, (void)type, (void)copies, (void)base, (void)algo;
    NEED(bytes && n >= 0 && count >= 0)
    *bytes = sparse_bucket_bytes(n, count);
    return SPARSE_SUCCESS;
}
API(cusparseCsr2cscEx2, blas_handle_t h, int m, int n, int count, const void *values,
    const int *offsets, const int *column, void *out_values, int *out_offsets, int *out_row,
    int type, int copies, int base, int algo, void *work) {
    (void)algo;
    NEED(m >= 0 && n >= 0 && count >= 0 && work)
    if (copies && !sparse_has_type(type))
        return sparse_of(
            blas_refuse("cusparseCsr2cscEx2", "elements of type %d (cudaDataType)", type));
    struct sparse s = {.a = {.rows = m,
                             .columns = n,
                             .count = count,
                             .offsets = sparse_ints(offsets, base),
                             .column = sparse_ints(column, base),
                             .values = (uintptr_t)values}};
    blas_status r = sparse_bucket(h, n, false, (uintptr_t)work, &s);
    s.c = (struct sparse_rows){.offsets = sparse_ints(out_offsets, base),
                               .column = sparse_ints(out_row, base),
                               .values = (uintptr_t)out_values};
    s.n = n + 1;
    if (!r) r = sparse_each(h, TYPE_R_32F, "offsets_out", n + 1, &s);
    s.n = count;
    s.order = s.rows_out;
    if (!r) r = sparse_each(h, TYPE_R_32F, "list_out", count, &s);
    s.order = s.order_out;
    if (!r && copies) r = sparse_each(h, type, "pick_values", count, &s);
    return sparse_of(r);
}

// ---- dense and sparse -------------------------------------------------------------------------------------------
static struct sparse_dense dense_of(const struct dense_matrix *m, bool is_turned) {
    const bool is_rows = (m->order == ORDER_ROWS) != is_turned;
    return (struct sparse_dense){
        .at = (uintptr_t)m->at, .row = is_rows ? m->lead : 1, .column = is_rows ? 1 : m->lead};
}
API(cusparseSparseToDense_bufferSize, blas_handle_t h, const struct sparse_matrix *a,
    const struct dense_matrix *b, int algo, size_t *bytes) {
    (void)algo;
    NEED(a && b && bytes)
    *bytes = 0;
    return SPARSE_SUCCESS;
}
API(cusparseSparseToDense, blas_handle_t h, const struct sparse_matrix *a,
    const struct dense_matrix *b, int algo, void *work) {
    (void)algo, (void)work;
    NEED(a && b && a->rows == b->rows && a->columns == b->columns)
    if (!sparse_has_type(a->type) || b->type != a->type)
        return sparse_of(blas_refuse("cusparseSparseToDense",
                                     "elements of types %d and %d (cudaDataType)", a->type,
                                     b->type));
    const struct sparse s = {.a = sparse_stored(a), .y = dense_of(b, a->format == FORMAT_CSC)};
    const blas_status r = sparse_each(h, a->type, "fill_dense", a->rows * a->columns, &s);
    return sparse_of(r ? r : sparse_each(h, a->type, "to_dense", a->count, &s));
}
API(cusparseDenseToSparse_bufferSize, blas_handle_t h, const struct dense_matrix *a,
    const struct sparse_matrix *b, int algo, size_t *bytes) {
    (void)algo;
    NEED(a && b && bytes)
    *bytes = (size_t)((a->rows > a->columns ? a->rows : a->columns) + 1) * 8;
    return SPARSE_SUCCESS;
}
static sparse_status from_dense(blas_handle_t h, const char *call, const struct dense_matrix *a,
                                const struct sparse_matrix *b, const void *work, struct sparse *s) {
    NEED(a && b && work && a->rows == b->rows && a->columns == b->columns)
    if (!sparse_has_type(a->type) || b->type != a->type)
        return sparse_of(
            blas_refuse(call, "elements of types %d and %d (cudaDataType)", a->type, b->type));
    *s = (struct sparse){.c = sparse_stored(b),
                         .x = dense_of(a, b->format == FORMAT_CSC),
                         .offsets = (uintptr_t)work};
    return SPARSE_SUCCESS;
}
API(cusparseDenseToSparse_analysis, blas_handle_t h, const struct dense_matrix *a,
    struct sparse_matrix *b, int algo, void *work) {
    struct sparse s;
    (void)algo;
    const sparse_status t = from_dense(h, "cusparseDenseToSparse_analysis", a, b, work, &s);
    if (t) return t;
    const int64_t rows = s.c.rows;
    blas_status r = sparse_each(h, a->type, "count_dense", rows, &s);
    if (!r) r = sparse_scan(h, &s, rows, &b->count);
    return sparse_of(r);
}
API(cusparseDenseToSparse_convert, blas_handle_t h, const struct dense_matrix *a,
    struct sparse_matrix *b, int algo, void *work) {
    struct sparse s;
    (void)algo;
    const sparse_status t = from_dense(h, "cusparseDenseToSparse_convert", a, b, work, &s);
    if (t) return t;
    s.n = s.c.rows + 1;
    const blas_status r =
        b->format == FORMAT_COO ? CUBLAS_SUCCESS : sparse_each(h, a->type, "offsets_out", s.n, &s);
    return sparse_of(r ? r : sparse_each(h, a->type, "take_dense", s.c.rows, &s));
}

// ---- sums -------------------------------------------------------------------------------------------------------
API(cusparseXcsrgeam2Nnz, blas_handle_t h, int m, int n, const struct description *da, int count_a,
    const int *offsets_a, const int *column_a, const struct description *db, int count_b,
    const int *offsets_b, const int *column_b, const struct description *dc, int *offsets_c,
    int *all, void *work) {
    NEED(da && db && dc && offsets_c && all && work && m >= 0)
    struct sparse s = {.a = sparse_older(m, n, count_a, da, NULL, offsets_a, column_a),
                       .b = sparse_older(m, n, count_b, db, NULL, offsets_b, column_b),
                       .c = {.offsets = sparse_ints(offsets_c, dc->base)},
                       .offsets = (uintptr_t)work};
    int64_t count = 0;
    blas_status r = sparse_each(h, TYPE_R_32F, "count_sum", m, &s);
    if (!r) r = sparse_scan(h, &s, m, &count);
    s.n = m + 1;
    if (!r) r = sparse_each(h, TYPE_R_32F, "offsets_out", m + 1, &s);
    const int number = (int)count;
    if (!r && h->pointer_mode == POINTER_DEVICE)
        r = blas_of(cuMemcpyHtoD_v2((uintptr_t)all, &number, sizeof number));
    else if (!r)
        *all = number;
    return sparse_of(r);
}
static sparse_status sum(blas_handle_t h, int type, int m, int n, const void *alpha,
                         const void *beta, const struct sparse_rows *a, const struct sparse_rows *b,
                         const struct sparse_rows *c) {
    NEED(m >= 0 && n >= 0 && alpha && beta)
    struct sparse s = {.a = *a, .b = *b, .c = *c};
    sparse_factors(h, type, alpha, beta, &s);
    return sparse_of(sparse_each(h, type, "make_sum", m, &s));
}
#define SUM(letter, type)                                                                          \
    API(cusparse##letter##csrgeam2_bufferSizeExt, blas_handle_t h, int m, int n,                   \
        const void *alpha, const struct description *da, int count_a, const void *a,               \
        const int *offsets_a, const int *column_a, const void *beta, const struct description *db, \
        int count_b, const void *b, const int *offsets_b, const int *column_b,                     \
        const struct description *dc, const void *c, const int *offsets_c, const int *column_c,    \
        size_t *bytes) {                                                                           \
        (void)n, (void)alpha, (void)da, (void)count_a, (void)a, (void)offsets_a, (void)column_a,   \
            (void)beta, (void)db, (void)count_b, (void)b, (void)offsets_b, (void)column_b,         \
            (void)dc, (void)c, (void)offsets_c, (void)column_c;                                    \
        NEED(bytes &&m >= 0)                                                                       \
        *bytes = (size_t)(m + 1) * 8;                                                              \
        return SPARSE_SUCCESS;                                                                     \
    }                                                                                              \
    API(cusparse##letter##csrgeam2, blas_handle_t h, int m, int n, const void *alpha,              \
        const struct description *da, int count_a, const void *a, const int *offsets_a,            \
        const int *column_a, const void *beta, const struct description *db, int count_b,          \
        const void *b, const int *offsets_b, const int *column_b, const struct description *dc,    \
        void *c, int *offsets_c, int *column_c, void *work) {                                      \
        (void)work;                                                                                \
        if (!da || !db || !dc) return SPARSE_INVALID_VALUE;                                        \
        const struct sparse_rows ra = sparse_older(m, n, count_a, da, a, offsets_a, column_a),     \
                                 rb = sparse_older(m, n, count_b, db, b, offsets_b, column_b),     \
                                 rc = sparse_older(m, n, 0, dc, c, offsets_c, column_c);           \
        return sum(h, type, m, n, alpha, beta, &ra, &rb, &rc);                                     \
    }
SUM(S, TYPE_R_32F)
SUM(D, TYPE_R_64F)
SUM(C, TYPE_C_32F)
SUM(Z, TYPE_C_64F)
