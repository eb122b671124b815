// Factors on a matrix's own pattern, tridiagonal systems, sparse vectors, and rows without their small elements.
#include "sparse.h"

#include <stdlib.h>
#include <string.h>

#define NEED(condition)                                                                            \
    if (!blas_is_handle(h)) return SPARSE_NOT_INITIALIZED;                                         \
    if (!(condition)) return SPARSE_INVALID_VALUE;

// ---- incomplete factors ---------------------------------------------------------------------------------------
struct incomplete {
    CUdeviceptr flag; // the first row without a pivot, or -1
    int base;
    bool has_boost;
    double tolerance;
    const void *boost; // on the device, or a copy of the host's number below
    CUdeviceptr copy;
};
#define INFO(name)                                                                                 \
    API(cusparseCreate##name##Info, struct incomplete **out) {                                     \
        if (!out) return SPARSE_INVALID_VALUE;                                                     \
        *out = calloc(1, sizeof **out);                                                            \
        return *out ? SPARSE_SUCCESS : SPARSE_ALLOC_FAILED;                                        \
    }                                                                                              \
    API(cusparseDestroy##name##Info, struct incomplete *i) {                                       \
        if (i && i->flag) cuMemFree_v2(i->flag);                                                   \
        if (i && i->copy) cuMemFree_v2(i->copy);                                                   \
        free(i);                                                                                   \
        return SPARSE_SUCCESS;                                                                     \
    }
INFO(Csrilu02)
INFO(Csric02)
#define ZERO_PIVOT(name)                                                                           \
    API(cusparseX##name##_zeroPivot, blas_handle_t h, struct incomplete *i, int *place) {          \
        NEED(i)                                                                                    \
        return sparse_zero_pivot(h, i->flag, 1, i->base, place);                                   \
    }
ZERO_PIVOT(csrilu02)
ZERO_PIVOT(csric02)
static sparse_status incomplete(blas_handle_t h, int type, const char *kernel, int m, int count,
                                const struct description *d, void *values, const int *offsets,
                                const int *column, struct incomplete *i) {
    NEED(d && i && m >= 0 && count >= 0)
    const sparse_status bad = sparse_flag(h, &i->flag);
    if (bad) return bad;
    i->base = d->base;
    const struct sparse s = {.a = sparse_older(m, m, count, d, values, offsets, column),
                             .flag = i->flag,
                             .has_boost = i->has_boost,
                             .boost_at = i->copy,
                             .tolerance = i->tolerance};
    return sparse_of(sparse_block_launch(h, type, kernel, m > 0, 32, &s, sizeof s));
}
#define INCOMPLETE(name, kernel, type)                                                             \
    API(cusparse##name##_bufferSize, blas_handle_t h, int m, int count,                            \
        const struct description *d, void *values, const int *offsets, const int *column,          \
        struct incomplete *i, int *bytes) {                                                        \
        (void)m, (void)count, (void)d, (void)values, (void)offsets, (void)column;                  \
        NEED(i &&bytes)                                                                            \
        *bytes = 16;                                                                               \
        return SPARSE_SUCCESS;                                                                     \
    }                                                                                              \
    API(cusparse##name##_analysis, blas_handle_t h, int m, int count, const struct description *d, \
        const void *values, const int *offsets, const int *column, struct incomplete *i,           \
        int policy, void *work) {                                                                  \
        (void)m, (void)count, (void)values, (void)offsets, (void)column, (void)policy, (void)work; \
        NEED(d &&i)                                                                                \
        i->base = d->base;                                                                         \
        return sparse_flag(h, &i->flag);                                                           \
    }                                                                                              \
    API(cusparse##name, blas_handle_t h, int m, int count, const struct description *d,            \
        void *values, const int *offsets, const int *column, struct incomplete *i, int policy,     \
        void *work) {                                                                              \
        (void)policy, (void)work;                                                                  \
        return incomplete(h, type, kernel, m, count, d, values, offsets, column, i);               \
    }
// Pivots whose size is at most *tolerance become *boost.
static sparse_status boost(blas_handle_t h, int type, struct incomplete *i, int is_on,
                           const double *tolerance, const void *number) {
    NEED(i && (!is_on || (tolerance && number)))
    i->has_boost = is_on != 0;
    if (!is_on) return SPARSE_SUCCESS;
    const size_t bytes = blas_type_bytes(type);
    blas_status s = i->copy ? CUBLAS_SUCCESS : blas_of(cuMemAlloc_v2(&i->copy, 16));
    if (!s && h->pointer_mode == POINTER_DEVICE) {
        s = blas_of(cuMemcpyDtoH_v2(&i->tolerance, (uintptr_t)tolerance, sizeof i->tolerance));
        if (!s) s = blas_of(cuMemcpyDtoD_v2(i->copy, (uintptr_t)number, bytes));
    } else if (!s) {
        i->tolerance = *tolerance;
        s = blas_of(cuMemcpyHtoD_v2(i->copy, number, bytes));
    }
    return sparse_of(s);
}

// ---- tridiagonal systems ----------------------------------------------------------------------------------------
static size_t tridiagonal_bytes(int type, int64_t n, int64_t systems) {
    return (size_t)(5 * n * systems) * blas_type_bytes(type) + 16;
}
static sparse_status tridiagonal(blas_handle_t h, int type, const struct tridiagonal *t) {
    NEED(t->n >= 0 && t->sides >= 0 && t->systems >= 0)
    if (!t->n || !t->sides || !t->systems) return SPARSE_SUCCESS;
    const int64_t all = t->systems * t->sides;
    blas_status s = sparse_block_launch(h, type, "tridiagonal_factors",
                                        (uint32_t)((t->systems + 63) / 64), 64, t, sizeof *t);
    if (!s)
        s = sparse_block_launch(h, type, "tridiagonal_solve", (uint32_t)((all + 63) / 64), 64, t,
                                sizeof *t);
    return sparse_of(s);
}
#define SYSTEM(below_, middle_, above_, x_)                                                        \
    .below = (uintptr_t)(below_), .middle = (uintptr_t)(middle_), .above = (uintptr_t)(above_),    \
    .x = (uintptr_t)(x_), .work = (uintptr_t)work
#define DIAGONALS const void *below, const void *middle, const void *above
#define TRIDIAGONAL(L, type, name)                                                                 \
    API(cusparse##L##name##_bufferSizeExt, blas_handle_t h, int m, int n, DIAGONALS,               \
        const void *x, int lead, size_t *bytes) {                                                  \
        (void)n, (void)below, (void)middle, (void)above, (void)x, (void)lead;                      \
        NEED(bytes &&m >= 0)                                                                       \
        *bytes = tridiagonal_bytes(type, m, 1);                                                    \
        return SPARSE_SUCCESS;                                                                     \
    }                                                                                              \
    API(cusparse##L##name, blas_handle_t h, int m, int n, DIAGONALS, void *x, int lead,            \
        void *work) {                                                                              \
        const struct tridiagonal t = {.n = m,                                                      \
                                      .sides = n,                                                  \
                                      .systems = 1,                                                \
                                      .step = 1,                                                   \
                                      .lead = lead,                                                \
                                      SYSTEM(below, middle, above, x)};                            \
        return tridiagonal(h, type, &t);                                                           \
    }
#define TRIDIAGONALS(L, type)                                                                      \
    TRIDIAGONAL(L, type, gtsv2)                                                                    \
    TRIDIAGONAL(L, type, gtsv2_nopivot)                                                            \
    API(cusparse##L##gtsv2StridedBatch_bufferSizeExt, blas_handle_t h, int m, DIAGONALS,           \
        const void *x, int systems, int step, size_t *bytes) {                                     \
        (void)below, (void)middle, (void)above, (void)x, (void)step;                               \
        NEED(bytes &&m >= 0 && systems >= 0)                                                       \
        *bytes = tridiagonal_bytes(type, m, systems);                                              \
        return SPARSE_SUCCESS;                                                                     \
    }                                                                                              \
    API(cusparse##L##gtsv2StridedBatch, blas_handle_t h, int m, DIAGONALS, void *x, int systems,   \
        int step, void *work) {                                                                    \
        const struct tridiagonal t = {.n = m,                                                      \
                                      .sides = 1,                                                  \
                                      .systems = systems,                                          \
                                      .step = 1,                                                   \
                                      .batch = step,                                               \
                                      SYSTEM(below, middle, above, x)};                            \
        return tridiagonal(h, type, &t);                                                           \
    }                                                                                              \
    API(cusparse##L##gtsvInterleavedBatch_bufferSizeExt, blas_handle_t h, int algo, int m,         \
        DIAGONALS, const void *x, int systems, size_t *bytes) {                                    \
        (void)algo, (void)below, (void)middle, (void)above, (void)x;                               \
        NEED(bytes &&m >= 0 && systems >= 0)                                                       \
        *bytes = tridiagonal_bytes(type, m, systems);                                              \
        return SPARSE_SUCCESS;                                                                     \
    }                                                                                              \
    API(cusparse##L##gtsvInterleavedBatch, blas_handle_t h, int algo, int m, void *below,          \
        void *middle, void *above, void *x, int systems, void *work) {                             \
        (void)algo;                                                                                \
        const struct tridiagonal t = {.n = m,                                                      \
                                      .sides = 1,                                                  \
                                      .systems = systems,                                          \
                                      .step = systems,                                             \
                                      .batch = 1,                                                  \
                                      SYSTEM(below, middle, above, x)};                            \
        return tridiagonal(h, type, &t);                                                           \
    }

// ---- rows without their small elements --------------------------------------------------------------------------
static sparse_status count_larger(blas_handle_t h, int type, int m, const struct description *d,
                                  const void *values, const int *offsets, int *each, int *all,
                                  double tolerance) {
    NEED(d && m >= 0 && each && all)
    CUdeviceptr work;
    blas_status r = blas_of(cuMemAllocAsync(&work, (size_t)(m + 1) * 8, h->stream));
    if (r) return sparse_of(r);
    struct sparse s = {.a = sparse_older(m, 0, 0, d, values, offsets, NULL),
                       .c = {.column = sparse_ints(each, 0)},
                       .order = work,
                       .offsets = work,
                       .tolerance = tolerance,
                       .n = m};
    int64_t count = 0;
    r = sparse_block_each(h, type, "count_larger", m, &s);
    if (!r) r = sparse_each(h, TYPE_R_32F, "list_out", m, &s);
    if (!r) r = sparse_scan(h, &s, m, &count);
    const blas_status freed = blas_of(cuMemFreeAsync(work, h->stream));
    const int number = (int)count;
    if (!r && h->pointer_mode == POINTER_DEVICE)
        r = blas_of(cuMemcpyHtoD_v2((uintptr_t)all, &number, sizeof number));
    else if (!r)
        *all = number;
    return sparse_of(r ? r : freed);
}
static sparse_status take_larger(blas_handle_t h, int type, int m, int n,
                                 const struct description *d, const void *values, const int *column,
                                 const int *offsets, int count, void *to_values, int *to_column,
                                 int *to_offsets, double tolerance) {
    NEED(d && m >= 0 && count >= 0)
    CUdeviceptr work;
    blas_status r = blas_of(cuMemAllocAsync(&work, (size_t)(m + 1) * 8, h->stream));
    if (r) return sparse_of(r);
    struct sparse s = {.a = sparse_older(m, n, count, d, values, offsets, column),
                       .c = sparse_older(m, n, 0, d, to_values, to_offsets, to_column),
                       .offsets = work,
                       .tolerance = tolerance};
    int64_t all = 0;
    r = sparse_block_each(h, type, "count_larger", m, &s);
    if (!r) r = sparse_scan(h, &s, m, &all);
    s.n = m + 1;
    if (!r) r = sparse_each(h, TYPE_R_32F, "offsets_out", m + 1, &s);
    if (!r) r = sparse_block_each(h, type, "take_larger", m, &s);
    const blas_status freed = blas_of(cuMemFreeAsync(work, h->stream));
    return sparse_of(r ? r : freed);
}
// Elements of each row or column of a dense matrix that are not zero, and of all.
static sparse_status count_nonzero(blas_handle_t h, int type, int by_columns, int m, int n,
                                   const void *a, int lead, int *each, int *all) {
    NEED(m >= 0 && n >= 0 && each && all)
    const int64_t lines = by_columns ? n : m;
    const struct sparse s = {.x = {(uintptr_t)a, 1, lead, 0, 0},
                             .n = lines,
                             .k = by_columns ? m : n,
                             .keys_are_rows = !by_columns,
                             .offsets = (uintptr_t)each};
    blas_status r = sparse_block_each(h, type, "count_nonzero", lines, &s);
    int *const held = malloc((size_t)(lines + 1) * sizeof *held);
    if (!held) return SPARSE_ALLOC_FAILED;
    if (!r && lines)
        r = blas_of(cuMemcpyDtoHAsync_v2(held, (uintptr_t)each, (size_t)lines * 4, h->stream));
    if (!r) r = blas_of(cuStreamSynchronize(h->stream));
    int number = 0;
    for (int64_t i = 0; !r && i < lines; i++) number += held[i];
    free(held);
    if (!r && h->pointer_mode == POINTER_DEVICE)
        r = blas_of(cuMemcpyHtoD_v2((uintptr_t)all, &number, sizeof number));
    else if (!r)
        *all = number;
    return sparse_of(r);
}

struct pair32 {
    float x, y;
};
struct pair64 {
    double x, y;
};
// The size below which elements are dropped: the real part of the call's number.
static double real_of(float x) { return x; }
#define CALLS(L, T, type, tolerance)                                                               \
    INCOMPLETE(L##csrilu02, "incomplete_lu", type)                                                 \
    INCOMPLETE(L##csric02, "incomplete_cholesky", type)                                            \
    API(cusparse##L##csrilu02_numericBoost, blas_handle_t h, struct incomplete *i, int is_on,      \
        double *least, void *number) {                                                             \
        return boost(h, type, i, is_on, least, number);                                            \
    }                                                                                              \
    TRIDIAGONALS(L, type)                                                                          \
    API(cusparse##L##nnz_compress, blas_handle_t h, int m, const struct description *d,            \
        const void *values, const int *offsets, int *each, int *all, T least) {                    \
        return count_larger(h, type, m, d, values, offsets, each, all, tolerance);                 \
    }                                                                                              \
    API(cusparse##L##csr2csr_compress, blas_handle_t h, int m, int n, const struct description *d, \
        const void *values, const int *column, const int *offsets, int count, const int *each,     \
        void *to_values, int *to_column, int *to_offsets, T least) {                               \
        (void)each;                                                                                \
        return take_larger(h, type, m, n, d, values, column, offsets, count, to_values, to_column, \
                           to_offsets, tolerance);                                                 \
    }                                                                                              \
    API(cusparse##L##nnz, blas_handle_t h, int by_columns, int m, int n,                           \
        const struct description *d, const void *a, int lead, int *each, int *all) {               \
        (void)d;                                                                                   \
        return count_nonzero(h, type, by_columns, m, n, a, lead, each, all);                       \
    }
CALLS(S, float, TYPE_R_32F, real_of(least))
CALLS(D, double, TYPE_R_64F, least)
CALLS(C, struct pair32, TYPE_C_32F, real_of(least.x))
CALLS(Z, struct pair64, TYPE_C_64F, least.x)

// ---- sparse vectors ---------------------------------------------------------------------------------------------
#define VECTOR(name)                                                                               \
    API(name, struct sparse_vector **out, int64_t size, int64_t count, const void *index,          \
        const void *values, int index_type, int base, int type) {                                  \
        if (!out || size < 0 || count < 0 || count > size || base < 0 || base > 1 ||               \
            (index_type != INDEX_32 && index_type != INDEX_64))                                    \
            return SPARSE_INVALID_VALUE;                                                           \
        *out = malloc(sizeof **out);                                                               \
        if (!*out) return SPARSE_ALLOC_FAILED;                                                     \
        **out = (struct sparse_vector){size, count, index, values, index_type, base, type};        \
        return SPARSE_SUCCESS;                                                                     \
    }
VECTOR(cusparseCreateSpVec)
VECTOR(cusparseCreateConstSpVec)
API(cusparseDestroySpVec, struct sparse_vector *v) {
    free(v);
    return SPARSE_SUCCESS;
}
#define GIVE(to, what)                                                                             \
    if (to) *(to) = what
#define VECTOR_GET(name)                                                                           \
    API(name, const struct sparse_vector *v, int64_t *size, int64_t *count, const void **index,    \
        const void **values, int *index_type, int *base, int *type) {                              \
        if (!v) return SPARSE_INVALID_VALUE;                                                       \
        GIVE(size, v->size);                                                                       \
        GIVE(count, v->count);                                                                     \
        GIVE(index, v->index);                                                                     \
        GIVE(values, v->values);                                                                   \
        GIVE(index_type, v->index_type);                                                           \
        GIVE(base, v->base);                                                                       \
        GIVE(type, v->type);                                                                       \
        return SPARSE_SUCCESS;                                                                     \
    }
VECTOR_GET(cusparseSpVecGet)
VECTOR_GET(cusparseConstSpVecGet)
API(cusparseSpVecGetIndexBase, const struct sparse_vector *v, int *base) {
    if (!v || !base) return SPARSE_INVALID_VALUE;
    *base = v->base;
    return SPARSE_SUCCESS;
}
#define VECTOR_VALUES(name)                                                                        \
    API(name, const struct sparse_vector *v, const void **values) {                                \
        if (!v || !values) return SPARSE_INVALID_VALUE;                                            \
        *values = v->values;                                                                       \
        return SPARSE_SUCCESS;                                                                     \
    }
VECTOR_VALUES(cusparseSpVecGetValues)
VECTOR_VALUES(cusparseConstSpVecGetValues)
API(cusparseSpVecSetValues, struct sparse_vector *v, void *values) {
    if (!v) return SPARSE_INVALID_VALUE;
    v->values = values;
    return SPARSE_SUCCESS;
}
static sparse_status two(blas_handle_t h, const char *call, const struct sparse_vector *x,
                         const struct dense_vector *y, struct sparse *s) {
    NEED(x && y && y->size == x->size)
    if (!sparse_has_blocks(x->type) || y->type != x->type)
        return sparse_of(
            blas_refuse(call, "vectors of types %d and %d (cudaDataType)", x->type, y->type));
    *s = (struct sparse){.a = {.count = x->count,
                               .column = {(uintptr_t)x->index, x->index_type == INDEX_64, x->base},
                               .values = (uintptr_t)x->values},
                         .x = {(uintptr_t)y->at, 1, y->size, 0, 0},
                         .n = y->size};
    return SPARSE_SUCCESS;
}
API(cusparseGather, blas_handle_t h, const struct dense_vector *y, const struct sparse_vector *x) {
    struct sparse s;
    const sparse_status r = two(h, "cusparseGather", x, y, &s);
    return r ? r : sparse_of(sparse_block_each(h, x->type, "gather", x->count, &s));
}
API(cusparseScatter, blas_handle_t h, const struct sparse_vector *x, const struct dense_vector *y) {
    struct sparse s;
    const sparse_status r = two(h, "cusparseScatter", x, y, &s);
    return r ? r : sparse_of(sparse_block_each(h, x->type, "scatter", x->count, &s));
}
API(cusparseAxpby, blas_handle_t h, const void *alpha, const struct sparse_vector *x,
    const void *beta, const struct dense_vector *y) {
    struct sparse s;
    const sparse_status r = two(h, "cusparseAxpby", x, y, &s);
    if (r) return r;
    if (!alpha || !beta) return SPARSE_INVALID_VALUE;
    sparse_factors(h, x->type, alpha, beta, &s);
    const blas_status q = sparse_block_each(h, x->type, "scale_dense", y->size, &s);
    return sparse_of(q ? q : sparse_block_each(h, x->type, "add_sparse", x->count, &s));
}
API(cusparseRot, blas_handle_t h, const void *cosine, const void *sine,
    const struct sparse_vector *x, const struct dense_vector *y) {
    struct sparse s;
    const sparse_status r = two(h, "cusparseRot", x, y, &s);
    if (r) return r;
    if (!cosine || !sine) return SPARSE_INVALID_VALUE;
    sparse_factors(h, x->type, cosine, sine, &s);
    return sparse_of(sparse_block_each(h, x->type, "rotate_sparse", x->count, &s));
}
API(cusparseSpVV_bufferSize, blas_handle_t h, int op, const struct sparse_vector *x,
    const struct dense_vector *y, const void *result, int compute, size_t *bytes) {
    (void)op, (void)x, (void)y, (void)result, (void)compute;
    NEED(bytes)
    *bytes = 16;
    return SPARSE_SUCCESS;
}
API(cusparseSpVV, blas_handle_t h, int op, const struct sparse_vector *x,
    const struct dense_vector *y, void *result, int compute, void *work) {
    (void)compute;
    struct sparse s;
    const sparse_status r = two(h, "cusparseSpVV", x, y, &s);
    if (r) return r;
    const bool is_there = h->pointer_mode == POINTER_DEVICE;
    if (!result || (!is_there && !work)) return SPARSE_INVALID_VALUE;
    s.a.is_conj = op == OPERATION_C;
    s.values_out = is_there ? (uintptr_t)result : (uintptr_t)work;
    blas_status q = sparse_block_launch(h, x->type, "dot_sparse", 1, 256, &s, sizeof s);
    if (q || is_there) return sparse_of(q);
    q = blas_of(cuMemcpyDtoHAsync_v2(result, (uintptr_t)work, blas_type_bytes(x->type), h->stream));
    return sparse_of(q ? q : blas_of(cuStreamSynchronize(h->stream)));
}

// ---- what descriptions hold ---------------------------------------------------------------------------------------
#define COMPRESSED_GET(name, kind)                                                                 \
    API(name, const struct sparse_matrix *m, int64_t *rows, int64_t *columns, int64_t *count,      \
        const void **offsets, const void **index, const void **values, int *offsets_type,          \
        int *index_type, int *base, int *type) {                                                   \
        if (!m || m->format != (kind)) return SPARSE_INVALID_VALUE;                                \
        GIVE(rows, m->rows);                                                                       \
        GIVE(columns, m->columns);                                                                 \
        GIVE(count, m->count);                                                                     \
        GIVE(offsets, m->offsets);                                                                 \
        GIVE(index, m->index);                                                                     \
        GIVE(values, m->values);                                                                   \
        GIVE(offsets_type, m->offsets_type);                                                       \
        GIVE(index_type, m->index_type);                                                           \
        GIVE(base, m->base);                                                                       \
        GIVE(type, m->type);                                                                       \
        return SPARSE_SUCCESS;                                                                     \
    }
COMPRESSED_GET(cusparseCsrGet, FORMAT_CSR)
COMPRESSED_GET(cusparseConstCsrGet, FORMAT_CSR)
COMPRESSED_GET(cusparseCscGet, FORMAT_CSC)
COMPRESSED_GET(cusparseConstCscGet, FORMAT_CSC)
#define COO_GET(name)                                                                              \
    API(name, const struct sparse_matrix *m, int64_t *rows, int64_t *columns, int64_t *count,      \
        const void **row, const void **column, const void **values, int *index_type, int *base,    \
        int *type) {                                                                               \
        if (!m || m->format != FORMAT_COO) return SPARSE_INVALID_VALUE;                            \
        GIVE(rows, m->rows);                                                                       \
        GIVE(columns, m->columns);                                                                 \
        GIVE(count, m->count);                                                                     \
        GIVE(row, m->offsets);                                                                     \
        GIVE(column, m->index);                                                                    \
        GIVE(values, m->values);                                                                   \
        GIVE(index_type, m->index_type);                                                           \
        GIVE(base, m->base);                                                                       \
        GIVE(type, m->type);                                                                       \
        return SPARSE_SUCCESS;                                                                     \
    }
COO_GET(cusparseCooGet)
COO_GET(cusparseConstCooGet)
API(cusparseConstSpMatGetValues, const struct sparse_matrix *m, const void **values) {
    if (!m || !values) return SPARSE_INVALID_VALUE;
    *values = m->values;
    return SPARSE_SUCCESS;
}
API(cusparseSpMatGetStridedBatch, const struct sparse_matrix *m, int *batch) {
    if (!m || !batch) return SPARSE_INVALID_VALUE;
    *batch = m->batch;
    return SPARSE_SUCCESS;
}
API(cusparseCooSetStridedBatch, struct sparse_matrix *m, int batch, int64_t step) {
    if (!m || batch < 1 || m->format != FORMAT_COO) return SPARSE_INVALID_VALUE;
    m->batch = batch;
    m->step_offsets = m->step_values = step;
    return SPARSE_SUCCESS;
}
#define DENSE_GET(name)                                                                            \
    API(name, const struct dense_matrix *m, int64_t *rows, int64_t *columns, int64_t *lead,        \
        const void **values, int *type, int *order) {                                              \
        if (!m) return SPARSE_INVALID_VALUE;                                                       \
        GIVE(rows, m->rows);                                                                       \
        GIVE(columns, m->columns);                                                                 \
        GIVE(lead, m->lead);                                                                       \
        GIVE(values, m->at);                                                                       \
        GIVE(type, m->type);                                                                       \
        GIVE(order, m->order);                                                                     \
        return SPARSE_SUCCESS;                                                                     \
    }
DENSE_GET(cusparseDnMatGet)
DENSE_GET(cusparseConstDnMatGet)
API(cusparseDnMatGetStridedBatch, const struct dense_matrix *m, int *batch, int64_t *step) {
    if (!m) return SPARSE_INVALID_VALUE;
    GIVE(batch, m->batch);
    GIVE(step, m->step);
    return SPARSE_SUCCESS;
}
#define VALUES_OF(name, S)                                                                         \
    API(name, const struct S *m, const void **values) {                                            \
        if (!m || !values) return SPARSE_INVALID_VALUE;                                            \
        *values = m->at;                                                                           \
        return SPARSE_SUCCESS;                                                                     \
    }
VALUES_OF(cusparseDnMatGetValues, dense_matrix)
VALUES_OF(cusparseConstDnMatGetValues, dense_matrix)
VALUES_OF(cusparseDnVecGetValues, dense_vector)
VALUES_OF(cusparseConstDnVecGetValues, dense_vector)
#define DENSE_VECTOR_GET(name)                                                                     \
    API(name, const struct dense_vector *v, int64_t *size, const void **values, int *type) {       \
        if (!v) return SPARSE_INVALID_VALUE;                                                       \
        GIVE(size, v->size);                                                                       \
        GIVE(values, v->at);                                                                       \
        GIVE(type, v->type);                                                                       \
        return SPARSE_SUCCESS;                                                                     \
    }
DENSE_VECTOR_GET(cusparseDnVecGet)
DENSE_VECTOR_GET(cusparseConstDnVecGet)
