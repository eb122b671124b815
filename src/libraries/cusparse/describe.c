// Handles and descriptions, and matrices turned so that their rows lie together.
#include "sparse.h"

#include <stdlib.h>
#include <string.h>

sparse_status sparse_of(blas_status s) {
    switch (s) {
    case CUBLAS_SUCCESS: return SPARSE_SUCCESS;
    case CUBLAS_NOT_INITIALIZED: return SPARSE_NOT_INITIALIZED;
    case CUBLAS_ALLOC_FAILED: return SPARSE_ALLOC_FAILED;
    case CUBLAS_INVALID_VALUE: return SPARSE_INVALID_VALUE;
    case CUBLAS_NOT_SUPPORTED: return SPARSE_NOT_SUPPORTED;
    case CUBLAS_INTERNAL_ERROR: return SPARSE_INTERNAL_ERROR;
    default: return SPARSE_EXECUTION_FAILED;
    }
}

// ---- handles ----------------------------------------------------------------------------------------------
API(cusparseCreate, blas_handle_t *h) {
    return h ? sparse_of(blas_handle_new(h)) : SPARSE_INVALID_VALUE;
}
API(cusparseDestroy, blas_handle_t h) { return sparse_of(blas_handle_delete(h)); }
#define SETTING(name, T, field)                                                                    \
    API(cusparseSet##name, blas_handle_t h, T value) {                                             \
        if (!blas_is_handle(h)) return SPARSE_NOT_INITIALIZED;                                     \
        h->field = value;                                                                          \
        return SPARSE_SUCCESS;                                                                     \
    }                                                                                              \
    API(cusparseGet##name, blas_handle_t h, T *value) {                                            \
        if (!blas_is_handle(h)) return SPARSE_NOT_INITIALIZED;                                     \
        if (!value) return SPARSE_INVALID_VALUE;                                                   \
        *value = h->field;                                                                         \
        return SPARSE_SUCCESS;                                                                     \
    }
SETTING(Stream, CUstream, stream)
SETTING(PointerMode, int, pointer_mode)
static const int version[3] = {LIBRARY_MAJOR, LIBRARY_MINOR, 0};
API(cusparseGetVersion, blas_handle_t h, int *out) {
    if (!blas_is_handle(h) || !out) return SPARSE_INVALID_VALUE;
    *out = version[0] * 1000 + version[1] * 100;
    return SPARSE_SUCCESS;
}
API(cusparseGetProperty, int which, int *out) {
    if (which < 0 || which > 2 || !out) return SPARSE_INVALID_VALUE;
    *out = version[which];
    return SPARSE_SUCCESS;
}
BLAS_API const char *cusparseGetErrorName(int s);
const char *cusparseGetErrorName(int s) {
    static const char *const names[] = {"CUSPARSE_STATUS_SUCCESS",
                                        "CUSPARSE_STATUS_NOT_INITIALIZED",
                                        "CUSPARSE_STATUS_ALLOC_FAILED",
                                        "CUSPARSE_STATUS_INVALID_VALUE",
                                        "CUSPARSE_STATUS_ARCH_MISMATCH",
                                        "CUSPARSE_STATUS_MAPPING_ERROR",
                                        "CUSPARSE_STATUS_EXECUTION_FAILED",
                                        "CUSPARSE_STATUS_INTERNAL_ERROR",
                                        "CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED",
                                        "CUSPARSE_STATUS_ZERO_PIVOT",
                                        "CUSPARSE_STATUS_NOT_SUPPORTED",
                                        "CUSPARSE_STATUS_INSUFFICIENT_RESOURCES"};
    return s >= 0 && s < (int)(sizeof names / sizeof *names) ? names[s] : "CUSPARSE_STATUS_UNKNOWN";
}
BLAS_API const char *cusparseGetErrorString(int s);
const char *cusparseGetErrorString(int s) { return cusparseGetErrorName(s); }

// ---- matrices and vectors ---------------------------------------------------------------------------------
static sparse_status make_sparse(struct sparse_matrix **out, const struct sparse_matrix *m) {
    const bool has_index = (m->offsets_type == INDEX_32 || m->offsets_type == INDEX_64) &&
                           (m->index_type == INDEX_32 || m->index_type == INDEX_64);
    if (!out || m->rows < 0 || m->columns < 0 || m->count < 0 || !has_index || m->base < 0 ||
        m->base > 1)
        return SPARSE_INVALID_VALUE;
    *out = malloc(sizeof **out);
    if (!*out) return SPARSE_ALLOC_FAILED;
    **out = *m;
    return SPARSE_SUCCESS;
}
#define COMPRESSED(name, FORMAT)                                                                   \
    API(name, struct sparse_matrix **out, int64_t rows, int64_t columns, int64_t count,            \
        const void *offsets, const void *index, const void *values, int offsets_type,              \
        int index_type, int base, int type) {                                                      \
        return make_sparse(out, &(struct sparse_matrix){FORMAT, type, rows, columns, count,        \
                                                        offsets, index, values, offsets_type,      \
                                                        index_type, base, 0, 0, 1, 0, 0});         \
    }
COMPRESSED(cusparseCreateCsr, FORMAT_CSR)
COMPRESSED(cusparseCreateConstCsr, FORMAT_CSR)
COMPRESSED(cusparseCreateCsc, FORMAT_CSC)
COMPRESSED(cusparseCreateConstCsc, FORMAT_CSC)
#define COORDINATES(name)                                                                          \
    API(name, struct sparse_matrix **out, int64_t rows, int64_t columns, int64_t count,            \
        const void *row, const void *column, const void *values, int index_type, int base,         \
        int type) {                                                                                \
        return make_sparse(out, &(struct sparse_matrix){FORMAT_COO, type, rows, columns, count,    \
                                                        row, column, values, index_type,           \
                                                        index_type, base, 0, 0, 1, 0, 0});         \
    }
COORDINATES(cusparseCreateCoo)
COORDINATES(cusparseCreateConstCoo)
API(cusparseDestroySpMat, struct sparse_matrix *m) {
    free(m);
    return SPARSE_SUCCESS;
}
static sparse_status set_pointers(struct sparse_matrix *m, int format, const void *offsets,
                                  const void *index, const void *values) {
    if (!m || m->format != format) return SPARSE_INVALID_VALUE;
    m->offsets = offsets;
    m->index = index;
    m->values = values;
    return SPARSE_SUCCESS;
}
API(cusparseCsrSetPointers, struct sparse_matrix *m, void *offsets, void *index, void *values) {
    return set_pointers(m, FORMAT_CSR, offsets, index, values);
}
API(cusparseCscSetPointers, struct sparse_matrix *m, void *offsets, void *index, void *values) {
    return set_pointers(m, FORMAT_CSC, offsets, index, values);
}
API(cusparseCooSetPointers, struct sparse_matrix *m, void *row, void *column, void *values) {
    return set_pointers(m, FORMAT_COO, row, column, values);
}
API(cusparseSpMatGetSize, const struct sparse_matrix *m, int64_t *rows, int64_t *columns,
    int64_t *count) {
    if (!m || !rows || !columns || !count) return SPARSE_INVALID_VALUE;
    *rows = m->rows;
    *columns = m->columns;
    *count = m->count;
    return SPARSE_SUCCESS;
}
API(cusparseSpMatGetFormat, const struct sparse_matrix *m, int *format) {
    if (!m || !format) return SPARSE_INVALID_VALUE;
    *format = m->format;
    return SPARSE_SUCCESS;
}
API(cusparseSpMatGetIndexBase, const struct sparse_matrix *m, int *base) {
    if (!m || !base) return SPARSE_INVALID_VALUE;
    *base = m->base;
    return SPARSE_SUCCESS;
}
API(cusparseSpMatGetValues, struct sparse_matrix *m, const void **values) {
    if (!m || !values) return SPARSE_INVALID_VALUE;
    *values = m->values;
    return SPARSE_SUCCESS;
}
API(cusparseSpMatSetValues, struct sparse_matrix *m, void *values) {
    if (!m) return SPARSE_INVALID_VALUE;
    m->values = values;
    return SPARSE_SUCCESS;
}
enum { ATTRIBUTE_FILL, ATTRIBUTE_DIAGONAL };
API(cusparseSpMatSetAttribute, struct sparse_matrix *m, int attribute, const void *data,
    size_t bytes) {
    int value;
    if (!m || !data || bytes < sizeof value || attribute < ATTRIBUTE_FILL ||
        attribute > ATTRIBUTE_DIAGONAL)
        return SPARSE_INVALID_VALUE;
    memcpy(&value, data, sizeof value);
    *(attribute == ATTRIBUTE_FILL ? &m->is_upper : &m->is_unit) = value;
    return SPARSE_SUCCESS;
}
API(cusparseSpMatGetAttribute, const struct sparse_matrix *m, int attribute, void *data,
    size_t bytes) {
    if (!m || !data || bytes < sizeof(int) || attribute < ATTRIBUTE_FILL ||
        attribute > ATTRIBUTE_DIAGONAL)
        return SPARSE_INVALID_VALUE;
    memcpy(data, attribute == ATTRIBUTE_FILL ? &m->is_upper : &m->is_unit, sizeof(int));
    return SPARSE_SUCCESS;
}
API(cusparseCsrSetStridedBatch, struct sparse_matrix *m, int batch, int64_t step_offsets,
    int64_t step_values) {
    if (!m || m->format != FORMAT_CSR || batch < 1) return SPARSE_INVALID_VALUE;
    m->batch = batch;
    m->step_offsets = step_offsets;
    m->step_values = step_values;
    return SPARSE_SUCCESS;
}
#define DENSE(name)                                                                                \
    API(name, struct dense_matrix **out, int64_t rows, int64_t columns, int64_t lead,              \
        const void *at, int type, int order) {                                                     \
        const bool is_order = order == ORDER_COLUMNS || order == ORDER_ROWS;                       \
        if (!out || rows < 0 || columns < 0 || !is_order ||                                        \
            lead < (order == ORDER_ROWS ? columns : rows))                                         \
            return SPARSE_INVALID_VALUE;                                                           \
        *out = malloc(sizeof **out);                                                               \
        if (!*out) return SPARSE_ALLOC_FAILED;                                                     \
        **out = (struct dense_matrix){rows, columns, lead, at, type, order, 1, 0};                 \
        return SPARSE_SUCCESS;                                                                     \
    }
DENSE(cusparseCreateDnMat)
DENSE(cusparseCreateConstDnMat)
API(cusparseDestroyDnMat, struct dense_matrix *m) {
    free(m);
    return SPARSE_SUCCESS;
}
API(cusparseDnMatSetStridedBatch, struct dense_matrix *m, int batch, int64_t step) {
    if (!m || batch < 1) return SPARSE_INVALID_VALUE;
    m->batch = batch;
    m->step = step;
    return SPARSE_SUCCESS;
}
API(cusparseDnMatSetValues, struct dense_matrix *m, void *at) {
    if (!m) return SPARSE_INVALID_VALUE;
    m->at = at;
    return SPARSE_SUCCESS;
}
#define VECTOR(name)                                                                               \
    API(name, struct dense_vector **out, int64_t size, const void *at, int type) {                 \
        if (!out || size < 0) return SPARSE_INVALID_VALUE;                                         \
        *out = malloc(sizeof **out);                                                               \
        if (!*out) return SPARSE_ALLOC_FAILED;                                                     \
        **out = (struct dense_vector){size, at, type};                                             \
        return SPARSE_SUCCESS;                                                                     \
    }
VECTOR(cusparseCreateDnVec)
VECTOR(cusparseCreateConstDnVec)
API(cusparseDestroyDnVec, struct dense_vector *v) {
    free(v);
    return SPARSE_SUCCESS;
}
API(cusparseDnVecSetValues, struct dense_vector *v, void *at) {
    if (!v) return SPARSE_INVALID_VALUE;
    v->at = at;
    return SPARSE_SUCCESS;
}

// ---- launches ---------------------------------------------------------------------------------------------
static const struct {
    int type, scale;
    enum blas_module module, blocks; // of sparse.cu and of block.cu, which halves do not have
} types[] = {
    {TYPE_R_32F, TYPE_R_32F, BLAS_ps, BLAS_ts},
    {TYPE_R_64F, TYPE_R_64F, BLAS_pd, BLAS_td},
    {TYPE_C_32F, TYPE_C_32F, BLAS_pc, BLAS_tc},
    {TYPE_C_64F, TYPE_C_64F, BLAS_pz, BLAS_tz},
    {TYPE_R_16F, TYPE_R_32F, BLAS_ph, BLAS_MODULES},
    {TYPE_R_16BF, TYPE_R_32F, BLAS_pb, BLAS_MODULES},
};
enum { TYPES = sizeof types / sizeof *types };
static int row_of(int type) {
    int i = 0;
    while (i < TYPES && types[i].type != type) i++;
    return i;
}
bool sparse_has_type(int type) { return row_of(type) < TYPES; }

blas_status sparse_launch(struct blas_handle *h, int type, const char *kernel, uint32_t blocks,
                          uint32_t threads, uint32_t batch, const struct sparse *s) {
    CUfunction f;
    const int row = row_of(type);
    if (!blocks) return CUBLAS_SUCCESS;
    const blas_status r = blas_kernel(h, types[row < TYPES ? row : 0].module, kernel, &f);
    return r ? r
             : blas_launch(f, (const uint32_t[3]){blocks, 1, batch}, threads, s, sizeof *s,
                           h->stream);
}
blas_status sparse_each(struct blas_handle *h, int type, const char *kernel, int64_t all,
                        const struct sparse *s) {
    const int64_t blocks = (all + 255) / 256;
    return sparse_launch(h, type, kernel, (uint32_t)(blocks > 65535 ? 65535 : blocks), 256, 1, s);
}
bool sparse_has_blocks(int type) {
    return sparse_has_type(type) && types[row_of(type)].blocks != BLAS_MODULES;
}
blas_status sparse_block_launch(struct blas_handle *h, int type, const char *kernel,
                                uint32_t blocks, uint32_t threads, const void *params,
                                size_t bytes) {
    CUfunction f;
    if (!blocks) return CUBLAS_SUCCESS;
    const blas_status r = blas_kernel(h, types[row_of(type)].blocks, kernel, &f);
    return r ? r
             : blas_launch(f, (const uint32_t[3]){blocks, 1, 1}, threads, params, bytes, h->stream);
}
blas_status sparse_block_each(struct blas_handle *h, int type, const char *kernel, int64_t all,
                              const struct sparse *s) {
    const int64_t blocks = (all + 255) / 256;
    return sparse_block_launch(h, type, kernel, (uint32_t)(blocks > 65535 ? 65535 : blocks), 256, s,
                               sizeof *s);
}
void sparse_factors(const struct blas_handle *h, int type, const void *alpha, const void *beta,
                    struct sparse *s) {
    struct gemm g = {.m = 0};
    blas_factors(&g, h->pointer_mode, types[row_of(type)].scale, alpha, beta);
    memcpy(s->alpha, g.alpha, sizeof s->alpha);
    memcpy(s->beta, g.beta, sizeof s->beta);
    s->alpha_at = g.alpha_at;
    s->beta_at = g.beta_at;
}

// ---- rows ---------------------------------------------------------------------------------------------------
struct sparse_rows sparse_stored(const struct sparse_matrix *m) {
    const struct sparse_list first = {(uintptr_t)m->offsets, m->offsets_type == INDEX_64, m->base},
                             second = {(uintptr_t)m->index, m->index_type == INDEX_64, m->base};
    struct sparse_rows r = {.rows = m->rows,
                            .columns = m->columns,
                            .count = m->count,
                            .column = second,
                            .values = (uintptr_t)m->values};
    if (m->format == FORMAT_COO)
        r.row = first;
    else
        r.offsets = first;
    if (m->format == FORMAT_CSC) {
        r.rows = m->columns;
        r.columns = m->rows;
    }
    return r;
}

static size_t wides(int64_t n) { return (size_t)n * 8; }
size_t sparse_bucket_bytes(int64_t n, int64_t count) { return wides(2 * n + 1 + 3 * count); }
blas_status sparse_bucket(struct blas_handle *h, int64_t n, bool by_rows, uint64_t work,
                          struct sparse *s) {
    const int64_t count = s->a.count;
    s->n = n;
    s->keys_are_rows = by_rows;
    s->offsets = work;
    s->cursors = s->offsets + wides(n + 1);
    s->order = s->cursors + wides(n);
    s->order_out = s->order + wides(count);
    s->rows_out = s->order_out + wides(count);
    blas_status r = sparse_each(h, TYPE_R_32F, "clear_list", n, s);
    if (!r) r = sparse_each(h, TYPE_R_32F, "bucket_count", count, s);
    if (!r) r = sparse_launch(h, TYPE_R_32F, "scan", 1, 256, 1, s);
    if (!r) r = sparse_each(h, TYPE_R_32F, "bucket_fill", count, s);
    return r ? r
             : sparse_launch(h, TYPE_R_32F, "bucket_sort", (uint32_t)(n > 65535 ? 65535 : n), 32, 1,
                             s);
}
blas_status sparse_scan(struct blas_handle *h, struct sparse *s, int64_t n, int64_t *all) {
    s->n = n;
    blas_status r = sparse_launch(h, TYPE_R_32F, "scan", 1, 256, 1, s);
    if (!r) r = blas_of(cuMemcpyDtoHAsync_v2(all, s->offsets + wides(n), sizeof *all, h->stream));
    return r ? r : blas_of(cuStreamSynchronize(h->stream));
}

static bool is_turned(const struct sparse_matrix *m, int op) { // whether rows of op(m) lie apart
    return m->format == FORMAT_COO ? op != OPERATION_N
                                   : (op != OPERATION_N) != (m->format == FORMAT_CSC);
}
size_t sparse_rows_bytes(const struct sparse_matrix *m, int op) {
    if (is_turned(m, op))
        return sparse_bucket_bytes(op == OPERATION_N ? m->rows : m->columns, m->count);
    return m->format == FORMAT_COO ? wides(m->rows + 1) : 0;
}
blas_status sparse_rows_of(struct blas_handle *h, const struct sparse_matrix *m, int op,
                           uint64_t work, struct sparse_rows *out) {
    struct sparse s = {.a = sparse_stored(m)};
    blas_status r = CUBLAS_SUCCESS;
    *out = s.a;
    out->is_conj = op == OPERATION_C;
    if (!work && sparse_rows_bytes(m, op)) return CUBLAS_INVALID_VALUE;
    if (is_turned(m, op)) {
        r = sparse_bucket(h, s.a.columns, false, work, &s);
        out->rows = s.a.columns;
        out->columns = s.a.rows;
        out->offsets = sparse_wides(s.offsets);
        out->column = sparse_wides(s.rows_out);
        out->row = (struct sparse_list){0, 0, 0};
        out->order = s.order_out;
    } else if (m->format == FORMAT_COO) {
        s.c.offsets = out->offsets = sparse_wides(work);
        r = sparse_each(h, TYPE_R_32F, "find_offsets", m->rows + 1, &s);
    }
    return r;
}
