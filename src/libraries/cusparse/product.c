// Products of sparse matrices with vectors, with dense matrices and with each other, products of dense ones where a sparse one has
// elements, and triangles.
#include "sparse.h"

#include <stdlib.h>

static bool is_op(int op) { return op >= OPERATION_N && op <= OPERATION_C; }
static struct sparse_dense dense_of(const struct dense_matrix *m, int op) {
    struct sparse_dense d = {.at = (uintptr_t)m->at,
                             .row = m->order == ORDER_ROWS ? m->lead : 1,
                             .column = m->order == ORDER_ROWS ? 1 : m->lead,
                             .batch = m->step,
                             .is_conj = op == OPERATION_C};
    if (op != OPERATION_N) {
        const int64_t row = d.row;
        d.row = d.column;
        d.column = row;
    }
    return d;
}
static struct sparse_dense vector_of(const struct dense_vector *v) {
    return (struct sparse_dense){.at = (uintptr_t)v->at, .row = 1, .column = v->size};
}
static int64_t rows_of(const struct dense_matrix *m, int op) {
    return op == OPERATION_N ? m->rows : m->columns;
}
static int64_t columns_of(const struct dense_matrix *m, int op) {
    return op == OPERATION_N ? m->columns : m->rows;
}
static sparse_status refuse_types(const char *call, int a, int b, int c) {
    return sparse_of(blas_refuse(call, "elements of types %d, %d, %d (cudaDataType)", a, b, c));
}
#define NEED(condition)                                                                            \
    if (!blas_is_handle(h)) return SPARSE_NOT_INITIALIZED;                                         \
    if (!(condition)) return SPARSE_INVALID_VALUE;

// ---- times dense ------------------------------------------------------------------------------------------
static blas_status times(struct blas_handle *h, const struct sparse_matrix *m, int op,
                         uint64_t work, struct sparse *s, uint32_t batch) {
    const blas_status r = sparse_rows_of(h, m, op, work, &s->a);
    if (r || !s->a.rows || !s->n) return r;
    if (s->n == 1) {
        const int64_t blocks = (s->a.rows + 7) / 8;
        return sparse_launch(h, m->type, "times_vector",
                             (uint32_t)(blocks > 65535 ? 65535 : blocks), 256, batch, s);
    }
    const int64_t blocks = (s->a.rows * s->n + 255) / 256;
    return sparse_launch(h, m->type, "times_matrix",
                         (uint32_t)(blocks > INT32_MAX ? INT32_MAX : blocks), 256, batch, s);
}
API(cusparseSpMV_bufferSize, blas_handle_t h, int op, const void *alpha,
    const struct sparse_matrix *a, const struct dense_vector *x, const void *beta,
    const struct dense_vector *y, int compute, int algo, size_t *bytes) {
    (void)alpha, (void)beta, (void)compute, (void)algo;
    NEED(a && x && y && bytes && is_op(op))
    *bytes = sparse_rows_bytes(a, op);
    return SPARSE_SUCCESS;
}
API(cusparseSpMV_preprocess, blas_handle_t h, int op, const void *alpha,
    const struct sparse_matrix *a, const struct dense_vector *x, const void *beta,
    const struct dense_vector *y, int compute, int algo, void *work) {
    (void)alpha, (void)beta, (void)compute, (void)algo, (void)work;
    NEED(a && x && y && is_op(op))
    return SPARSE_SUCCESS;
}
sparse_status sparse_times_vector(struct blas_handle *h, const char *call, int op,
                                  const void *alpha, const struct sparse_matrix *a,
                                  const struct dense_vector *x, const void *beta,
                                  const struct dense_vector *y, uint64_t work) {
    NEED(a && x && y && alpha && beta && is_op(op))
    if (!sparse_has_type(a->type) || x->type != a->type || y->type != a->type)
        return refuse_types(call, a->type, x->type, y->type);
    if (x->size != (op == OPERATION_N ? a->columns : a->rows) ||
        y->size != (op == OPERATION_N ? a->rows : a->columns))
        return SPARSE_INVALID_VALUE;
    struct sparse s = {.n = 1, .x = vector_of(x), .y = vector_of(y)};
    sparse_factors(h, a->type, alpha, beta, &s);
    return sparse_of(times(h, a, op, work, &s, 1));
}
API(cusparseSpMV, blas_handle_t h, int op, const void *alpha, const struct sparse_matrix *a,
    const struct dense_vector *x, const void *beta, const struct dense_vector *y, int compute,
    int algo, void *work) {
    (void)compute, (void)algo;
    return sparse_times_vector(h, "cusparseSpMV", op, alpha, a, x, beta, y, (uintptr_t)work);
}
API(cusparseSpMM_bufferSize, blas_handle_t h, int op_a, int op_b, const void *alpha,
    const struct sparse_matrix *a, const struct dense_matrix *b, const void *beta,
    const struct dense_matrix *c, int compute, int algo, size_t *bytes) {
    (void)alpha, (void)beta, (void)compute, (void)algo;
    NEED(a && b && c && bytes && is_op(op_a) && is_op(op_b))
    *bytes = sparse_rows_bytes(a, op_a);
    return SPARSE_SUCCESS;
}
API(cusparseSpMM_preprocess, blas_handle_t h, int op_a, int op_b, const void *alpha,
    const struct sparse_matrix *a, const struct dense_matrix *b, const void *beta,
    const struct dense_matrix *c, int compute, int algo, void *work) {
    (void)alpha, (void)beta, (void)compute, (void)algo, (void)work;
    NEED(a && b && c && is_op(op_a) && is_op(op_b))
    return SPARSE_SUCCESS;
}
sparse_status sparse_times_matrix(struct blas_handle *h, const char *call, int op_a, int op_b,
                                  const void *alpha, const struct sparse_matrix *a,
                                  const struct dense_matrix *b, const void *beta,
                                  const struct dense_matrix *c, uint64_t work) {
    NEED(a && b && c && alpha && beta && is_op(op_a) && is_op(op_b))
    if (!sparse_has_type(a->type) || b->type != a->type || c->type != a->type)
        return refuse_types(call, a->type, b->type, c->type);
    const int64_t inner = op_a == OPERATION_N ? a->columns : a->rows;
    if (c->rows != (op_a == OPERATION_N ? a->rows : a->columns) || rows_of(b, op_b) != inner ||
        columns_of(b, op_b) != c->columns)
        return SPARSE_INVALID_VALUE;
    struct sparse s = {.n = c->columns, .x = dense_of(b, op_b), .y = dense_of(c, OPERATION_N)};
    sparse_factors(h, a->type, alpha, beta, &s);
    if (a->batch <= 1) return sparse_of(times(h, a, op_a, work, &s, (uint32_t)c->batch));
    // a matrix for each product
    blas_status r = CUBLAS_SUCCESS;
    struct sparse_matrix part = *a;
    for (int i = 0; !r && i < a->batch; i++) {
        r = times(h, &part, op_a, work, &s, 1);
        part.offsets =
            (const char *)part.offsets + a->step_offsets * (a->offsets_type == INDEX_64 ? 8 : 4);
        part.index =
            (const char *)part.index + a->step_values * (a->index_type == INDEX_64 ? 8 : 4);
        part.values = (const char *)part.values + (size_t)a->step_values * blas_type_bytes(a->type);
        s.x.at += (uint64_t)b->step * blas_type_bytes(a->type);
        s.y.at += (uint64_t)c->step * blas_type_bytes(a->type);
    }
    return sparse_of(r);
}
API(cusparseSpMM, blas_handle_t h, int op_a, int op_b, const void *alpha,
    const struct sparse_matrix *a, const struct dense_matrix *b, const void *beta,
    const struct dense_matrix *c, int compute, int algo, void *work) {
    (void)compute, (void)algo;
    return sparse_times_matrix(h, "cusparseSpMM", op_a, op_b, alpha, a, b, beta, c,
                               (uintptr_t)work);
}

// ---- dense products where a sparse matrix has elements --------------------------------------------------------
API(cusparseSDDMM_bufferSize, blas_handle_t h, int op_a, int op_b, const void *alpha,
    const struct dense_matrix *a, const struct dense_matrix *b, const void *beta,
    const struct sparse_matrix *c, int compute, int algo, size_t *bytes) {
    (void)alpha, (void)beta, (void)compute, (void)algo;
    NEED(a && b && c && bytes && is_op(op_a) && is_op(op_b))
    *bytes = 0;
    return SPARSE_SUCCESS;
}
API(cusparseSDDMM_preprocess, blas_handle_t h, int op_a, int op_b, const void *alpha,
    const struct dense_matrix *a, const struct dense_matrix *b, const void *beta,
    const struct sparse_matrix *c, int compute, int algo, void *work) {
    (void)alpha, (void)beta, (void)compute, (void)algo, (void)work;
    NEED(a && b && c && is_op(op_a) && is_op(op_b))
    return SPARSE_SUCCESS;
}
API(cusparseSDDMM, blas_handle_t h, int op_a, int op_b, const void *alpha,
    const struct dense_matrix *a, const struct dense_matrix *b, const void *beta,
    const struct sparse_matrix *c, int compute, int algo, void *work) {
    (void)compute, (void)algo, (void)work;
    NEED(a && b && c && alpha && beta && is_op(op_a) && is_op(op_b))
    if (!sparse_has_type(c->type) || a->type != c->type || b->type != c->type)
        return refuse_types("cusparseSDDMM", a->type, b->type, c->type);
    if (c->format == FORMAT_CSC || c->batch > 1)
        return sparse_of(blas_refuse("cusparseSDDMM", "a result of this form"));
    if (rows_of(a, op_a) != c->rows || columns_of(b, op_b) != c->columns ||
        columns_of(a, op_a) != rows_of(b, op_b))
        return SPARSE_INVALID_VALUE;
    struct sparse s = {.c = sparse_stored(c),
                       .x = dense_of(a, op_a),
                       .y = dense_of(b, op_b),
                       .k = columns_of(a, op_a)};
    sparse_factors(h, c->type, alpha, beta, &s);
    return sparse_of(sparse_each(h, c->type, "sampled_product", c->count, &s));
}

// ---- triangles ----------------------------------------------------------------------------------------------
// What is known of a triangle beforehand: where its rows lie, if the work area holds them.
struct triangle {
    uint64_t work;
};
#define TRIANGLE_DESCR(Name)                                                                       \
    API(cusparse##Name##_createDescr, struct triangle **out) {                                     \
        if (!out) return SPARSE_INVALID_VALUE;                                                     \
        *out = calloc(1, sizeof **out);                                                            \
        return *out ? SPARSE_SUCCESS : SPARSE_ALLOC_FAILED;                                        \
    }                                                                                              \
    API(cusparse##Name##_destroyDescr, struct triangle *t) {                                       \
        free(t);                                                                                   \
        return SPARSE_SUCCESS;                                                                     \
    }
TRIANGLE_DESCR(SpSV)
TRIANGLE_DESCR(SpSM)
sparse_status sparse_solve(struct blas_handle *h, const char *call, const struct sparse_matrix *a,
                           int op, const void *alpha, int type_x, int type_y,
                           const struct sparse_dense *x, const struct sparse_dense *y,
                           int64_t sides, uint64_t work) {
    if (!sparse_has_type(a->type) || type_x != a->type || type_y != a->type)
        return refuse_types(call, a->type, type_x, type_y);
    if (a->rows != a->columns) return SPARSE_INVALID_VALUE;
    // op turns a lower triangle into an upper one
    struct sparse s = {.x = *x,
                       .y = *y,
                       .is_upper = a->is_upper != (op != OPERATION_N),
                       .is_unit = (uint32_t)a->is_unit};
    sparse_factors(h, a->type, alpha, alpha, &s);
    const blas_status r = sparse_rows_of(h, a, op, work, &s.a);
    return sparse_of(
        r ? r
          : sparse_launch(h, a->type, "solve_rows", (uint32_t)(a->rows ? sides : 0), 32, 1, &s));
}
API(cusparseSpSV_bufferSize, blas_handle_t h, int op, const void *alpha,
    const struct sparse_matrix *a, const struct dense_vector *x, const struct dense_vector *y,
    int compute, int algo, struct triangle *t, size_t *bytes) {
    (void)alpha, (void)compute, (void)algo;
    NEED(a && x && y && t && bytes && is_op(op))
    *bytes = sparse_rows_bytes(a, op);
    return SPARSE_SUCCESS;
}
API(cusparseSpSV_analysis, blas_handle_t h, int op, const void *alpha,
    const struct sparse_matrix *a, const struct dense_vector *x, const struct dense_vector *y,
    int compute, int algo, struct triangle *t, void *work) {
    (void)alpha, (void)compute, (void)algo;
    NEED(a && x && y && t && is_op(op))
    t->work = (uintptr_t)work;
    return SPARSE_SUCCESS;
}
API(cusparseSpSV_solve, blas_handle_t h, int op, const void *alpha, const struct sparse_matrix *a,
    const struct dense_vector *x, const struct dense_vector *y, int compute, int algo,
    struct triangle *t) {
    (void)compute, (void)algo;
    NEED(a && x && y && t && alpha && is_op(op))
    const struct sparse_dense vx = vector_of(x), vy = vector_of(y);
    return sparse_solve(h, "cusparseSpSV_solve", a, op, alpha, x->type, y->type, &vx, &vy, 1,
                        t->work);
}
API(cusparseSpSM_bufferSize, blas_handle_t h, int op_a, int op_b, const void *alpha,
    const struct sparse_matrix *a, const struct dense_matrix *b, const struct dense_matrix *c,
    int compute, int algo, struct triangle *t, size_t *bytes) {
    (void)alpha, (void)compute, (void)algo;
    NEED(a && b && c && t && bytes && is_op(op_a) && is_op(op_b))
    *bytes = sparse_rows_bytes(a, op_a);
    return SPARSE_SUCCESS;
}
API(cusparseSpSM_analysis, blas_handle_t h, int op_a, int op_b, const void *alpha,
    const struct sparse_matrix *a, const struct dense_matrix *b, const struct dense_matrix *c,
    int compute, int algo, struct triangle *t, void *work) {
    (void)alpha, (void)compute, (void)algo;
    NEED(a && b && c && t && is_op(op_a) && is_op(op_b))
    t->work = (uintptr_t)work;
    return SPARSE_SUCCESS;
}
API(cusparseSpSM_solve, blas_handle_t h, int op_a, int op_b, const void *alpha,
    const struct sparse_matrix *a, const struct dense_matrix *b, const struct dense_matrix *c,
    int compute, int algo, struct triangle *t) {
    (void)compute, (void)algo;
    NEED(a && b && c && t && alpha && is_op(op_a) && is_op(op_b) && rows_of(b, op_b) == a->rows &&
         c->rows == a->rows && columns_of(b, op_b) == c->columns)
    const struct sparse_dense x = dense_of(b, op_b), y = dense_of(c, OPERATION_N);
    return sparse_solve(h, "cusparseSpSM_solve", a, op_a, alpha, b->type, c->type, &x, &y,
                        c->columns, t->work);
}

// ---- sparse times sparse ----------------------------------------------------------------------------------------
struct sparse_product {
    uint64_t first;   // work area: offsets of the rows' products, and of c's rows
    uint64_t second;  // ... and the products
    int64_t products; // all of them
};
API(cusparseSpGEMM_createDescr, struct sparse_product **out) {
    if (!out) return SPARSE_INVALID_VALUE;
    *out = calloc(1, sizeof **out);
    return *out ? SPARSE_SUCCESS : SPARSE_ALLOC_FAILED;
}
API(cusparseSpGEMM_destroyDescr, struct sparse_product *p) {
    free(p);
    return SPARSE_SUCCESS;
}
API(cusparseSpGEMM_getNumProducts, const struct sparse_product *p, int64_t *products) {
    if (!p || !products) return SPARSE_INVALID_VALUE;
    *products = p->products;
    return SPARSE_SUCCESS;
}
static sparse_status describe(blas_handle_t h, const char *call, int op_a, int op_b,
                              const void *alpha, const struct sparse_matrix *a,
                              const struct sparse_matrix *b, const void *beta,
                              const struct sparse_matrix *c, const struct sparse_product *p,
                              struct sparse *s) {
    NEED(a && b && c && p && alpha && beta && a->columns == b->rows && c->rows == a->rows &&
         c->columns == b->columns)
    if (op_a != OPERATION_N || op_b != OPERATION_N || a->format != FORMAT_CSR ||
        b->format != FORMAT_CSR || c->format != FORMAT_CSR)
        return sparse_of(
            blas_refuse(call, "a product of transposed matrices, or of others than CSR"));
    if (!sparse_has_type(a->type) || b->type != a->type || c->type != a->type)
        return refuse_types(call, a->type, b->type, c->type);
    *s = (struct sparse){.a = sparse_stored(a), .b = sparse_stored(b), .c = sparse_stored(c)};
    sparse_factors(h, a->type, alpha, beta, s);
    if (s->beta_at || s->beta[0] != 0 || s->beta[1] != 0)
        return sparse_of(blas_refuse(call, "a sum with the matrix that was there"));
    const uint64_t n = (uint64_t)p->products * 8;
    s->offsets = p->first;
    s->cursors = p->first + (uint64_t)(a->rows + 1) * 8;
    s->order = p->second;
    s->order_out = p->second + n;
    s->rows_out = p->second + 2 * n;
    s->values_out = p->second + 3 * n;
    return SPARSE_SUCCESS;
}
#define PRODUCT                                                                                    \
    blas_handle_t h, int op_a, int op_b, const void *alpha, const struct sparse_matrix *a,         \
        const struct sparse_matrix *b, const void *beta, struct sparse_matrix *c, int compute,     \
        int algo, struct sparse_product *p
API(cusparseSpGEMM_workEstimation, PRODUCT, size_t *bytes, void *work) {
    struct sparse s;
    (void)compute, (void)algo;
    NEED(p && bytes)
    if (work) p->first = (uintptr_t)work;
    const sparse_status r =
        describe(h, "cusparseSpGEMM_workEstimation", op_a, op_b, alpha, a, b, beta, c, p, &s);
    if (r) return r;
    *bytes = (size_t)(2 * (a->rows + 1)) * 8;
    if (!work) return SPARSE_SUCCESS;
    s.cursors = 0;
    const blas_status q = sparse_each(h, a->type, "count_products", a->rows, &s);
    return sparse_of(q ? q : sparse_scan(h, &s, a->rows, &p->products));
}
API(cusparseSpGEMM_compute, PRODUCT, size_t *bytes, void *work) {
    struct sparse s;
    (void)compute, (void)algo;
    NEED(p && bytes)
    if (work) p->second = (uintptr_t)work;
    const sparse_status r =
        describe(h, "cusparseSpGEMM_compute", op_a, op_b, alpha, a, b, beta, c, p, &s);
    if (r) return r;
    *bytes = (size_t)p->products * (3 * 8 + 16) + 16;
    if (!work) return SPARSE_SUCCESS;
    blas_status q = sparse_each(h, a->type, "list_products", a->rows, &s);
    if (!q)
        q = sparse_launch(h, a->type, "rank_products",
                          (uint32_t)(a->rows > 65535 ? 65535 : a->rows), 32, 1, &s);
    struct sparse rows = {.offsets = s.cursors};
    return sparse_of(q ? q : sparse_scan(h, &rows, a->rows, &c->count));
}
API(cusparseSpGEMM_copy, PRODUCT) {
    struct sparse s;
    (void)compute, (void)algo;
    const sparse_status r =
        describe(h, "cusparseSpGEMM_copy", op_a, op_b, alpha, a, b, beta, c, p, &s);
    return r ? r : sparse_of(sparse_each(h, a->type, "add_products", a->rows + 1, &s));
}
