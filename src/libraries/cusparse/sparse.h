// Descriptions that programs make for cuSPARSE, and what its files share. Types and numbers are those of the vendor's documented
// interface (cuSPARSE 11 and 12).
#ifndef WW_LIBRARIES_CUSPARSE_H
#define WW_LIBRARIES_CUSPARSE_H

#include "blas/blas.h"
#include "sparse/call.h"

typedef enum {
    SPARSE_SUCCESS = 0,
    SPARSE_NOT_INITIALIZED = 1,
    SPARSE_ALLOC_FAILED = 2,
    SPARSE_INVALID_VALUE = 3,
    SPARSE_EXECUTION_FAILED = 6,
    SPARSE_INTERNAL_ERROR = 7,
    SPARSE_ZERO_PIVOT = 9,
    SPARSE_NOT_SUPPORTED = 10
} sparse_status;
#define API(name, ...)                                                                             \
    BLAS_API sparse_status name(__VA_ARGS__);                                                      \
    sparse_status name(__VA_ARGS__)

enum { FORMAT_CSR = 1, FORMAT_CSC = 2, FORMAT_COO = 3 };
enum { ORDER_COLUMNS = 1, ORDER_ROWS = 2 };
enum { INDEX_32 = 2, INDEX_64 = 3 };

struct sparse_matrix {
    int format, type; // type: cudaDataType
    int64_t rows, columns, count;
    const void *offsets, *index, *values; // COO: rows in place of offsets
    int offsets_type, index_type, base;
    int is_upper, is_unit;
    int batch;
    int64_t step_offsets, step_values;
};
// Of a matrix of the older interface, whose lists have numbers of 32 bits.
struct description {
    int type, fill, diagonal, base;
};
// Some elements of a dense vector.
struct sparse_vector {
    int64_t size, count;
    const void *index, *values;
    int index_type, base, type;
};
struct dense_matrix {
    int64_t rows, columns, lead;
    const void *at;
    int type, order, batch;
    int64_t step;
};
struct dense_vector {
    int64_t size;
    const void *at;
    int type;
};

sparse_status sparse_of(blas_status s);
bool sparse_has_type(int type);
// Runs a kernel for `all` items with 256 threads a block, or in `blocks` blocks of `threads`.
blas_status sparse_each(struct blas_handle *h, int type, const char *kernel, int64_t all,
                        const struct sparse *s);
blas_status sparse_launch(struct blas_handle *h, int type, const char *kernel, uint32_t blocks,
                          uint32_t threads, uint32_t batch, const struct sparse *s);
// The same of the kernels of block.cu, which halves do not have.
bool sparse_has_blocks(int type);
blas_status sparse_block_each(struct blas_handle *h, int type, const char *kernel, int64_t all,
                              const struct sparse *s);
blas_status sparse_block_launch(struct blas_handle *h, int type, const char *kernel,
                                uint32_t blocks, uint32_t threads, const void *params,
                                size_t bytes);
// Factors of a call, of the type of its sums.
void sparse_factors(const struct blas_handle *h, int type, const void *alpha, const void *beta,
                    struct sparse *s);

static inline struct sparse_list sparse_ints(const void *at, int base) {
    return (struct sparse_list){(uintptr_t)at, 0, base};
}
static inline struct sparse_list sparse_wides(uint64_t at) {
    return (struct sparse_list){at, 1, 0};
}

// A matrix of the older interface by its rows.
static inline struct sparse_rows sparse_older(int m, int n, int count, const struct description *d,
                                              const void *values, const int *offsets,
                                              const int *column) {
    return (struct sparse_rows){.rows = m,
                                .columns = n,
                                .count = count,
                                .offsets = sparse_ints(offsets, d->base),
                                .column = sparse_ints(column, d->base),
                                .values = (uintptr_t)values};
}
// y = alpha op(a) x + beta y, and op(a) y = alpha x for a triangle. `work` of sparse_rows_bytes.
sparse_status sparse_times_vector(struct blas_handle *h, const char *call, int op,
                                  const void *alpha, const struct sparse_matrix *a,
                                  const struct dense_vector *x, const void *beta,
                                  const struct dense_vector *y, uint64_t work);
sparse_status sparse_times_matrix(struct blas_handle *h, const char *call, int op_a, int op_b,
                                  const void *alpha, const struct sparse_matrix *a,
                                  const struct dense_matrix *b, const void *beta,
                                  const struct dense_matrix *c, uint64_t work);
sparse_status sparse_solve(struct blas_handle *h, const char *call, const struct sparse_matrix *a,
                           int op, const void *alpha, int type_x, int type_y,
                           const struct sparse_dense *x, const struct sparse_dense *y,
                           int64_t sides, uint64_t work);
// The number of a row without a pivot, -1 at first, on the device; and what a call says about it, which waits for the stream.
sparse_status sparse_flag(struct blas_handle *h, CUdeviceptr *flag);
sparse_status sparse_zero_pivot(struct blas_handle *h, CUdeviceptr flag, int side, int base,
                                int *place);
// A matrix by its rows as it is stored: of CSC the rows are its columns.
struct sparse_rows sparse_stored(const struct sparse_matrix *m);
// The rows of op(m), offsets and all, and the bytes of work area that this takes.
size_t sparse_rows_bytes(const struct sparse_matrix *m, int op);
blas_status sparse_rows_of(struct blas_handle *h, const struct sparse_matrix *m, int op,
                           uint64_t work, struct sparse_rows *out);
// Sorts the elements of s->a into n buckets, by columns, or where `by_rows` by rows and then by columns. `work` of
// sparse_bucket_bytes: afterwards offsets, order and the other key lie where s says.
size_t sparse_bucket_bytes(int64_t n, int64_t count);
blas_status sparse_bucket(struct blas_handle *h, int64_t n, bool by_rows, uint64_t work,
                          struct sparse *s);
// Numbers at s->offsets become sums of those before them; the sum of all comes back, which waits for the stream.
blas_status sparse_scan(struct blas_handle *h, struct sparse *s, int64_t n, int64_t *all);

#endif
