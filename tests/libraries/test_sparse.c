// cuSPARSE of our own against loops over dense matrices on the host: products by vectors and matrices in each form and direction,
// products and sums of sparse matrices, triangles, sorting, transposition; blocks, factors on the matrix's pattern, tridiagonal systems, sparse vectors.
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda.h"

typedef struct handle *handle_t;
typedef void *desc_t;
typedef CUdeviceptr at_t;
int cusparseCreate(handle_t *), cusparseDestroy(handle_t);
int cusparseCreateCsr(desc_t *, int64_t, int64_t, int64_t, at_t, at_t, at_t, int, int, int, int),
    cusparseCreateCsc(desc_t *, int64_t, int64_t, int64_t, at_t, at_t, at_t, int, int, int, int),
    cusparseCreateCoo(desc_t *, int64_t, int64_t, int64_t, at_t, at_t, at_t, int, int, int), cusparseDestroySpMat(desc_t);
int cusparseCreateDnVec(desc_t *, int64_t, at_t, int), cusparseCreateDnMat(desc_t *, int64_t, int64_t, int64_t, at_t, int, int);
int cusparseSpMV_bufferSize(handle_t, int, const void *, desc_t, desc_t, const void *, desc_t, int, int, size_t *),
    cusparseSpMV(handle_t, int, const void *, desc_t, desc_t, const void *, desc_t, int, int, at_t);
int cusparseSpMM_bufferSize(handle_t, int, int, const void *, desc_t, desc_t, const void *, desc_t, int, int, size_t *),
    cusparseSpMM(handle_t, int, int, const void *, desc_t, desc_t, const void *, desc_t, int, int, at_t);
int cusparseSpSV_createDescr(desc_t *), cusparseSpSV_bufferSize(handle_t, int, const void *, desc_t, desc_t, desc_t, int, int, desc_t, size_t *),
    cusparseSpSV_analysis(handle_t, int, const void *, desc_t, desc_t, desc_t, int, int, desc_t, at_t),
    cusparseSpSV_solve(handle_t, int, const void *, desc_t, desc_t, desc_t, int, int, desc_t), cusparseSpMatSetAttribute(desc_t, int, const void *, size_t);
int cusparseSpGEMM_createDescr(desc_t *),
    cusparseSpGEMM_workEstimation(handle_t, int, int, const void *, desc_t, desc_t, const void *, desc_t, int, int, desc_t, size_t *, at_t),
    cusparseSpGEMM_compute(handle_t, int, int, const void *, desc_t, desc_t, const void *, desc_t, int, int, desc_t, size_t *, at_t),
    cusparseSpGEMM_copy(handle_t, int, int, const void *, desc_t, desc_t, const void *, desc_t, int, int, desc_t);
int cusparseSpMatGetSize(desc_t, int64_t *, int64_t *, int64_t *), cusparseCsrSetPointers(desc_t, at_t, at_t, at_t);
int cusparseSparseToDense(handle_t, desc_t, desc_t, int, at_t), cusparseDenseToSparse_bufferSize(handle_t, desc_t, desc_t, int, size_t *),
    cusparseDenseToSparse_analysis(handle_t, desc_t, desc_t, int, at_t), cusparseDenseToSparse_convert(handle_t, desc_t, desc_t, int, at_t);
int cusparseXcoosort_bufferSizeExt(handle_t, int, int, int, at_t, at_t, size_t *), cusparseXcoosortByRow(handle_t, int, int, int, at_t, at_t, at_t, at_t),
    cusparseCreateIdentityPermutation(handle_t, int, at_t), cusparseXcoo2csr(handle_t, at_t, int, int, at_t, int);
int cusparseCreateMatDescr(desc_t *), cusparseSetMatFillMode(desc_t, int), cusparseSetMatIndexBase(desc_t, int);
int cusparseDbsrmv(handle_t, int, int, int, int, int, const double *, desc_t, at_t, at_t, at_t, int, at_t, const double *, at_t);
int cusparseCreateBsrsm2Info(desc_t *), cusparseDestroyBsrsm2Info(desc_t),
    cusparseDbsrsm2_analysis(handle_t, int, int, int, int, int, int, desc_t, at_t, at_t, at_t, int, desc_t, int, at_t),
    cusparseDbsrsm2_solve(handle_t, int, int, int, int, int, int, const double *, desc_t, at_t, at_t, at_t, int, desc_t, at_t, int, at_t, int, int, at_t),
    cusparseXbsrsm2_zeroPivot(handle_t, desc_t, int *);
int cusparseXcsr2bsrNnz(handle_t, int, int, int, desc_t, at_t, at_t, int, desc_t, at_t, int *),
    cusparseDcsr2bsr(handle_t, int, int, int, desc_t, at_t, at_t, at_t, int, desc_t, at_t, at_t, at_t),
    cusparseDbsr2csr(handle_t, int, int, int, desc_t, at_t, at_t, at_t, int, desc_t, at_t, at_t, at_t);
int cusparseCreateCsrilu02Info(desc_t *), cusparseDestroyCsrilu02Info(desc_t),
    cusparseDcsrilu02(handle_t, int, int, desc_t, at_t, at_t, at_t, desc_t, int, at_t), cusparseXcsrilu02_zeroPivot(handle_t, desc_t, int *);
int cusparseCreateCsric02Info(desc_t *), cusparseDestroyCsric02Info(desc_t),
    cusparseDcsric02(handle_t, int, int, desc_t, at_t, at_t, at_t, desc_t, int, at_t);
int cusparseDgtsv2_bufferSizeExt(handle_t, int, int, at_t, at_t, at_t, at_t, int, size_t *),
    cusparseDgtsv2(handle_t, int, int, at_t, at_t, at_t, at_t, int, at_t);
int cusparseCreateSpVec(desc_t *, int64_t, int64_t, at_t, at_t, int, int, int), cusparseDestroySpVec(desc_t), cusparseGather(handle_t, desc_t, desc_t),
    cusparseScatter(handle_t, desc_t, desc_t), cusparseAxpby(handle_t, const double *, desc_t, const double *, desc_t),
    cusparseSpVV(handle_t, int, desc_t, desc_t, double *, int, at_t);
int cusparseDnnz_compress(handle_t, int, desc_t, at_t, at_t, at_t, int *, double),
    cusparseDcsr2csr_compress(handle_t, int, int, desc_t, at_t, at_t, at_t, int, at_t, at_t, at_t, at_t, double);
int cusparseScsrcolor(handle_t);

static int failed;
#define CHECK(what, ...)                                                                           \
    do {                                                                                           \
        if (!(what)) {                                                                             \
            failed++;                                                                              \
            printf("FAILED %s:%d: ", __FILE__, __LINE__);                                          \
            printf(__VA_ARGS__);                                                                   \
            puts("");                                                                              \
        }                                                                                          \
    } while (0)

enum { R32 = 0, R64 = 1, INDEX_32 = 2, INDEX_64 = 3, CSR = 0, CSC = 1, COO = 2 };
enum { M = 70, N = 90, SIDES = 5 };
static uint32_t seed = 1;
static uint32_t bits(void) { return (seed = seed * 1664525 + 1013904223) >> 8; }
static double number(void) { return (double)(bits() % 17) - 8; } // whole, so that every sum is exact

static at_t send(const void *from, size_t bytes) {
    at_t at;
    cuMemAlloc(&at, bytes + 16);
    cuMemcpyHtoD(at, from, bytes);
    return at;
}
static at_t numbers(const double *v, int n, int type) {
    float *const f = malloc((size_t)n * 4);
    for (int i = 0; i < n; i++) f[i] = (float)v[i];
    const at_t at = type == R64 ? send(v, (size_t)n * 8) : send(f, (size_t)n * 4);
    free(f);
    return at;
}
static at_t indices(const int *v, int n, int type, int base) {
    int64_t *const w = malloc((size_t)n * 8);
    int32_t *const s = (int32_t *)w;
    for (int i = 0; i < n; i++)
        if (type == INDEX_64) w[i] = v[i] + base;
        else s[i] = v[i] + base;
    const at_t at = send(w, (size_t)n * (type == INDEX_64 ? 8 : 4));
    free(w);
    return at;
}
static void compare(const char *what, at_t at, const double *want, int n, int type) {
    double d[M * N];
    const float *const f = (float *)d;
    cuMemcpyDtoH(d, at, (size_t)n * (type == R64 ? 8 : 4));
    int wrong = 0;
    for (int i = 0; i < n; i++) wrong += !((type == R64 ? d[i] : (double)f[i]) == want[i]);
    CHECK(!wrong, "%s: %d of %d differ", what, wrong, n);
}
// Every element with probability a ninth; one row is empty, one full.
static void random_matrix(double *dense, int m, int n) {
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) dense[i * n + j] = i == 3 ? 0 : i == 5 || bits() % 9 == 0 ? number() : 0;
}
// A description of a dense matrix (by rows) in a form, and how many elements it has.
static desc_t sparse(const double *dense, int m, int n, int form, int index, int base, int type, int *count) {
    int *const first = calloc((size_t)(m * n), sizeof(int)), *const second = calloc((size_t)(m * n), sizeof(int)), offsets[M + N + 1] = {0};
    double *const values = calloc((size_t)(m * n), sizeof(double));
    int e = 0;
    for (int i = 0; i < (form == CSC ? n : m); i++) {
        for (int j = 0; j < (form == CSC ? m : n); j++) {
            const double v = form == CSC ? dense[j * n + i] : dense[i * n + j];
            if (v == 0) continue;
            first[e] = i, second[e] = j, values[e++] = v;
        }
        offsets[i + 1] = e;
    }
    desc_t d;
    const at_t v = numbers(values, e, type), s = indices(second, e, index, base);
    const at_t o = form == COO ? indices(first, e, index, base) : indices(offsets, (form == CSC ? n : m) + 1, index, base);
    CHECK(!(form == COO   ? cusparseCreateCoo(&d, m, n, e, o, s, v, index, base, type)
            : form == CSR ? cusparseCreateCsr(&d, m, n, e, o, s, v, index, index, base, type)
                          : cusparseCreateCsc(&d, m, n, e, o, s, v, index, index, base, type)),
          "a description");
    if (count) *count = e;
    free(first), free(second), free(values);
    return d;
}
static at_t memory(size_t bytes) {
    at_t at;
    cuMemAlloc(&at, bytes + 16);
    return at;
}

static void by_dense(handle_t h, int form, int op, int index, int base, int type) {
    double a[M * N], x[M * N], y[M * N], want[M * N];
    random_matrix(a, M, N);
    const int rows = op ? N : M, inner = op ? M : N;
    const double alpha = 2, beta = -3;
    const float alpha_f = 2, beta_f = -3;
    const void *const pa = type == R64 ? (const void *)&alpha : &alpha_f, *const pb = type == R64 ? (const void *)&beta : &beta_f;
    const desc_t d = sparse(a, M, N, form, index, base, type, NULL);
    size_t bytes = 0;
    for (int sides = 1; sides <= SIDES; sides += SIDES - 1) {
        for (int i = 0; i < inner * sides; i++) x[i] = number();
        for (int i = 0; i < rows * sides; i++) y[i] = number();
        for (int i = 0; i < rows; i++)
            for (int s = 0; s < sides; s++) {
                double sum = 0;
                for (int k = 0; k < inner; k++) sum += (op ? a[k * N + i] : a[i * N + k]) * x[k * sides + s];
                want[i + s * rows] = alpha * sum + beta * y[i + s * rows];
            }
        const at_t ax = numbers(x, inner * sides, type), ay = numbers(y, rows * sides, type);
        desc_t dx, dy;
        if (sides == 1) {
            cusparseCreateDnVec(&dx, inner, ax, type), cusparseCreateDnVec(&dy, rows, ay, type);
            CHECK(!cusparseSpMV_bufferSize(h, op, pa, d, dx, pb, dy, type, 0, &bytes), "a work area");
            CHECK(!cusparseSpMV(h, op, pa, d, dx, pb, dy, type, 0, memory(bytes)), "a vector");
        } else { // x by rows, y by columns
            cusparseCreateDnMat(&dx, inner, sides, sides, ax, type, 2), cusparseCreateDnMat(&dy, rows, sides, rows, ay, type, 1);
            CHECK(!cusparseSpMM_bufferSize(h, op, 0, pa, d, dx, pb, dy, type, 0, &bytes), "a work area");
            CHECK(!cusparseSpMM(h, op, 0, pa, d, dx, pb, dy, type, 0, memory(bytes)), "a matrix");
        }
        compare(sides == 1 ? "a x" : "a X", ay, want, rows * sides, type);
    }
    cusparseDestroySpMat(d);
}
static void by_sparse(handle_t h) {
    double a[M * N], b[N * M], want[M * M];
    random_matrix(a, M, N), random_matrix(b, N, M);
    for (int i = 0; i < M; i++)
        for (int j = 0; j < M; j++) {
            want[i * M + j] = 0;
            for (int k = 0; k < N; k++) want[i * M + j] += 2 * a[i * N + k] * b[k * M + j];
        }
    const double alpha = 2, beta = 0;
    const desc_t da = sparse(a, M, N, CSR, INDEX_32, 0, R64, NULL), db = sparse(b, N, M, CSR, INDEX_32, 0, R64, NULL);
    desc_t dc, p, dense;
    cusparseCreateCsr(&dc, M, M, 0, memory((M + 1) * 4), 0, 0, INDEX_32, INDEX_32, 0, R64);
    cusparseSpGEMM_createDescr(&p);
    size_t bytes = 0;
    CHECK(!cusparseSpGEMM_workEstimation(h, 0, 0, &alpha, da, db, &beta, dc, R64, 0, p, &bytes, 0), "its work");
    CHECK(!cusparseSpGEMM_workEstimation(h, 0, 0, &alpha, da, db, &beta, dc, R64, 0, p, &bytes, memory(bytes)), "its work");
    CHECK(!cusparseSpGEMM_compute(h, 0, 0, &alpha, da, db, &beta, dc, R64, 0, p, &bytes, 0), "its sums");
    CHECK(!cusparseSpGEMM_compute(h, 0, 0, &alpha, da, db, &beta, dc, R64, 0, p, &bytes, memory(bytes)), "its sums");
    int64_t rows, columns, count;
    cusparseSpMatGetSize(dc, &rows, &columns, &count);
    int64_t least = 0;
    for (int i = 0; i < M * M; i++) least += want[i] != 0;
    CHECK(count >= least && count <= M * M, "%ld elements, at least %ld", (long)count, (long)least);
    cusparseCsrSetPointers(dc, memory((M + 1) * 4), memory((size_t)count * 4), memory((size_t)count * 8));
    CHECK(!cusparseSpGEMM_copy(h, 0, 0, &alpha, da, db, &beta, dc, R64, 0, p), "its result");
    const at_t out = memory(sizeof want);
    cusparseCreateDnMat(&dense, M, M, M, out, R64, 2);
    CHECK(!cusparseSparseToDense(h, dc, dense, 0, 0), "made dense");
    compare("a b", out, want, M * M, R64);
    // and back to a sparse one, by columns
    desc_t back, again;
    cusparseCreateCsc(&back, M, M, 0, memory((M + 1) * 8), 0, 0, INDEX_64, INDEX_64, 1, R64);
    CHECK(!cusparseDenseToSparse_bufferSize(h, dense, back, 0, &bytes), "a work area");
    const at_t work = memory(bytes);
    CHECK(!cusparseDenseToSparse_analysis(h, dense, back, 0, work), "made sparse");
    cusparseSpMatGetSize(back, &rows, &columns, &count);
    CHECK(count == least, "%ld elements, not %ld", (long)least, (long)count);
    cusparseCreateCsc(&again, M, M, count, memory((M + 1) * 8), memory((size_t)count * 8), memory((size_t)count * 8), INDEX_64, INDEX_64, 1, R64);
    CHECK(!cusparseDenseToSparse_convert(h, dense, again, 0, work), "made sparse");
    cuMemsetD8(out, 0xff, sizeof want);
    CHECK(!cusparseSparseToDense(h, again, dense, 0, 0), "made dense");
    compare("there and back", out, want, M * M, R64);
}
static void triangles(handle_t h) {
    for (int e = 0; e < 8; e++) {
        const int fill = e & 1, unit = e >> 1 & 1, op = e >> 2;
        double a[M * M], x[M], b[M];
        random_matrix(a, M, M); // the other triangle is there, and not to be read
        for (int i = 0; i < M; i++) a[i * M + i] = 1 << bits() % 4, x[i] = number();
        for (int i = 0; i < M; i++) {
            b[i] = 0;
            for (int k = 0; k < M; k++) {
                const int r = op ? k : i, c = op ? i : k;
                const double v = r == c && unit ? 1 : r == c || (fill ? c > r : c < r) ? a[r * M + c] : 0;
                b[i] += v * x[k];
            }
        }
        const double alpha = 1;
        const desc_t d = sparse(a, M, M, CSR, INDEX_32, 0, R64, NULL);
        cusparseSpMatSetAttribute(d, 0, &fill, sizeof fill), cusparseSpMatSetAttribute(d, 1, &unit, sizeof unit);
        const at_t ab = numbers(b, M, R64), ax = memory(sizeof x);
        desc_t db, dx, s;
        size_t bytes = 0;
        cusparseCreateDnVec(&db, M, ab, R64), cusparseCreateDnVec(&dx, M, ax, R64), cusparseSpSV_createDescr(&s);
        CHECK(!cusparseSpSV_bufferSize(h, op, &alpha, d, db, dx, R64, 0, s, &bytes), "a work area");
        CHECK(!cusparseSpSV_analysis(h, op, &alpha, d, db, dx, R64, 0, s, memory(bytes)), "a triangle");
        CHECK(!cusparseSpSV_solve(h, op, &alpha, d, db, dx, R64, 0, s), "a triangle");
        compare("a triangle's solution", ax, x, M, R64);
    }
}
static void sorting(handle_t h) {
    enum { COUNT = 200 };
    int row[COUNT], column[COUNT], got[3][COUNT], offsets[M + 1], want_offsets[M + 1] = {0};
    for (int i = 0; i < COUNT; i++) row[i] = (int)(bits() % M), column[i] = (int)(bits() % N), want_offsets[row[i] + 1]++;
    for (int i = 0; i < M; i++) want_offsets[i + 1] += want_offsets[i];
    const at_t lists[3] = {send(row, sizeof row), send(column, sizeof column), memory(sizeof row)};
    size_t bytes = 0;
    CHECK(!cusparseCreateIdentityPermutation(h, COUNT, lists[2]), "a permutation");
    CHECK(!cusparseXcoosort_bufferSizeExt(h, M, N, COUNT, lists[0], lists[1], &bytes), "a work area");
    CHECK(!cusparseXcoosortByRow(h, M, N, COUNT, lists[0], lists[1], lists[2], memory(bytes)), "sorting");
    for (int i = 0; i < 3; i++) cuMemcpyDtoH(got[i], lists[i], sizeof got[i]);
    bool seen[COUNT] = {false};
    for (int i = 0; i < COUNT; i++) {
        const int p = got[2][i];
        CHECK(p >= 0 && p < COUNT && !seen[p] && got[0][i] == row[p] && got[1][i] == column[p], "place %d", i);
        if (p >= 0 && p < COUNT) seen[p] = true;
        if (i) CHECK(got[0][i - 1] < got[0][i] || (got[0][i - 1] == got[0][i] && got[1][i - 1] <= got[1][i]), "order at %d", i);
    }
    const at_t o = memory(sizeof offsets);
    CHECK(!cusparseXcoo2csr(h, lists[0], COUNT, M, o, 0), "offsets");
    cuMemcpyDtoH(offsets, o, sizeof offsets);
    CHECK(!memcmp(offsets, want_offsets, sizeof offsets), "the offsets");
}

// Rows of a dense matrix as lists on the device, counted from `base` on; how many elements there are comes back.
struct rows {
    at_t offsets, column, values;
    int count;
};
static struct rows rows_of(const double *dense, int m, int n, int base) {
    int *const column = calloc((size_t)(m * n), sizeof(int)), *const offsets = calloc((size_t)m + 1, sizeof(int));
    double *const v = calloc((size_t)(m * n), sizeof(double));
    int e = 0;
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < n; j++)
            if (dense[i * n + j] != 0) column[e] = j, v[e++] = dense[i * n + j];
        offsets[i + 1] = e;
    }
    const struct rows r = {indices(offsets, m + 1, INDEX_32, base), indices(column, e, INDEX_32, base), numbers(v, e, R64), e};
    free(column), free(offsets), free(v);
    return r;
}
static void dense_of(const struct rows *r, double *dense, int m, int n, int base) {
    int *const column = calloc((size_t)r->count, sizeof(int)), *const offsets = calloc((size_t)m + 1, sizeof(int));
    double *const v = calloc((size_t)r->count, sizeof(double));
    cuMemcpyDtoH(column, r->column, (size_t)r->count * 4), cuMemcpyDtoH(offsets, r->offsets, ((size_t)m + 1) * 4);
    cuMemcpyDtoH(v, r->values, (size_t)r->count * 8);
    memset(dense, 0, (size_t)(m * n) * sizeof(double));
    for (int i = 0; i < m; i++)
        for (int e = offsets[i] - base; e < offsets[i + 1] - base; e++) dense[i * n + column[e] - base] = v[e];
    free(column), free(offsets), free(v);
}
// A matrix to blocks and back, its products, and its triangles.
static void blocks(handle_t h) {
    enum { SIDE = 3, ROWS = 8, L = SIDE * ROWS };
    double dense[L * L], back[L * L], x[L], want[L], solved[2 * L];
    const double alpha = 2, beta = -1;
    desc_t d, one;
    cusparseCreateMatDescr(&d), cusparseCreateMatDescr(&one);
    cusparseSetMatIndexBase(one, 1);
    for (int i = 0; i < L * L; i++) dense[i] = bits() % 7 == 0 ? number() : 0;
    for (int i = 0; i < L; i++) dense[i * L + i] = 1 << i % 3;
    const struct rows r = rows_of(dense, L, L, 0);
    for (int direction = 0; direction < 2; direction++) {
        int count = 0;
        const at_t offsets = memory((ROWS + 1) * 4);
        CHECK(!cusparseXcsr2bsrNnz(h, direction, L, L, d, r.offsets, r.column, SIDE, one, offsets, &count) && count > 0, "how many blocks");
        const at_t index = memory((size_t)count * 4), v = memory((size_t)count * SIDE * SIDE * 8);
        CHECK(!cusparseDcsr2bsr(h, direction, L, L, d, r.values, r.offsets, r.column, SIDE, one, v, offsets, index), "blocks");
        const struct rows whole = {memory((L + 1) * 4), memory((size_t)count * SIDE * SIDE * 4), memory((size_t)count * SIDE * SIDE * 8), count * SIDE * SIDE};
        CHECK(!cusparseDbsr2csr(h, direction, ROWS, ROWS, one, v, offsets, index, SIDE, d, whole.values, whole.offsets, whole.column), "rows of blocks");
        dense_of(&whole, back, L, L, 0);
        CHECK(!memcmp(dense, back, sizeof dense), "blocks and back");
        for (int i = 0; i < L; i++) x[i] = number(), want[i] = number();
        const at_t ax = numbers(x, L, R64), ay = numbers(want, L, R64);
        for (int i = 0; i < L; i++) {
            double sum = 0;
            for (int j = 0; j < L; j++) sum += dense[i * L + j] * x[j];
            want[i] = alpha * sum + beta * want[i];
        }
        CHECK(!cusparseDbsrmv(h, direction, 0, ROWS, ROWS, count, &alpha, one, v, offsets, index, SIDE, ax, &beta, ay), "a product of blocks");
        compare("a product of blocks", ay, want, L, R64);
        for (int way = 0; way < 4; way++) { // op(triangle) y = 2 x of two right-hand sides
            const int fill = way & 1, op = way >> 1;
            double right[2 * L];
            for (int i = 0; i < 2 * L; i++) solved[i] = number();
            for (int k = 0; k < 2; k++)
                for (int i = 0; i < L; i++) {
                    double sum = 0;
                    for (int j = 0; j < L; j++)
                        if (fill == (op ? j < i : j > i) || i == j) sum += (op ? dense[j * L + i] : dense[i * L + j]) * solved[k * L + j];
                    right[k * L + i] = sum / 2;
                }
            desc_t info;
            int zero = 7;
            cusparseSetMatFillMode(one, fill), cusparseCreateBsrsm2Info(&info);
            const at_t ab = numbers(right, 2 * L, R64), as = memory(2 * L * 8);
            CHECK(!cusparseDbsrsm2_analysis(h, direction, op, 0, ROWS, 2, count, one, v, offsets, index, SIDE, info, 0, 0), "analysis");
            CHECK(!cusparseXbsrsm2_zeroPivot(h, info, &zero) && zero == -1, "no pivot is zero");
            CHECK(!cusparseDbsrsm2_solve(h, direction, op, 0, ROWS, 2, count, &alpha, one, v, offsets, index, SIDE, info, ab, L, as, L, 0, 0),
                  "a triangle of blocks");
            double got[2 * L];
            cuMemcpyDtoH(got, as, sizeof got);
            for (int i = 0; i < 2 * L; i++) CHECK(fabs(got[i] - solved[i]) <= 1e-6 * (1 + fabs(solved[i])), "%d of triangle %d: %g, not %g", i, way, got[i], solved[i]);
            cusparseDestroyBsrsm2Info(info);
        }
    }
}
// On a tridiagonal pattern nothing is left out: the factors' product is the matrix, and its systems are solved. Elsewhere the product is
// the matrix where that has elements.
static void factors(handle_t h) {
    enum { L = 40 };
    double a[L * L], f[L * L], below[L] = {0}, middle[L], above[L] = {0}, x[2 * L], right[2 * L], got[2 * L];
    desc_t d, info;
    int zero = 7;
    cusparseCreateMatDescr(&d);
    for (int pattern = 0; pattern < 2; pattern++) {
        memset(a, 0, sizeof a);
        for (int i = 0; i < L; i++)
            for (int j = 0; j < i; j++)
                if (pattern ? bits() % 6 == 0 : j == i - 1) a[i * L + j] = a[j * L + i] = number() / 8 + .0625;
        for (int i = 0; i < L; i++) a[i * L + i] = 9;
        struct rows r = rows_of(a, L, L, 0);
        cusparseCreateCsrilu02Info(&info);
        CHECK(!cusparseDcsrilu02(h, L, r.count, d, r.values, r.offsets, r.column, info, 0, 0), "incomplete LU");
        CHECK(!cusparseXcsrilu02_zeroPivot(h, info, &zero) && zero == -1, "no pivot is zero");
        cusparseDestroyCsrilu02Info(info);
        dense_of(&r, f, L, L, 0);
        for (int i = 0; i < L; i++)
            for (int j = 0; j < L; j++) {
                double sum = 0;
                for (int k = 0; k <= i && k <= j; k++) sum += (k == i ? 1 : f[i * L + k]) * f[k * L + j];
                if (a[i * L + j] != 0) CHECK(fabs(sum - a[i * L + j]) < 1e-12, "L U at %d, %d: %g, not %g", i, j, sum, a[i * L + j]);
            }
        r = rows_of(a, L, L, 0);
        cusparseCreateCsric02Info(&info);
        CHECK(!cusparseDcsric02(h, L, r.count, d, r.values, r.offsets, r.column, info, 0, 0), "incomplete Cholesky");
        cusparseDestroyCsric02Info(info);
        dense_of(&r, f, L, L, 0);
        for (int i = 0; i < L; i++)
            for (int j = 0; j <= i; j++) {
                double sum = 0;
                for (int k = 0; k <= j; k++) sum += f[i * L + k] * f[j * L + k];
                if (a[i * L + j] != 0) CHECK(fabs(sum - a[i * L + j]) < 1e-12, "L L^T at %d, %d: %g, not %g", i, j, sum, a[i * L + j]);
                if (i != j) CHECK(f[j * L + i] == a[j * L + i], "what lies above stays");
            }
    }
    // a row without a pivot: the sixth
    memset(a, 0, sizeof a);
    for (int i = 0; i < L; i++) a[i * L + i] = i == 5 ? 0 : 1, a[i * L + 0] = 1;
    const struct rows r = rows_of(a, L, L, 0);
    cusparseCreateCsrilu02Info(&info);
    cusparseDcsrilu02(h, L, r.count, d, r.values, r.offsets, r.column, info, 0, 0);
    CHECK(cusparseXcsrilu02_zeroPivot(h, info, &zero) == 9 && zero == 5, "the pivot of zero is %d", zero);
    cusparseDestroyCsrilu02Info(info);
    // zeros on the diagonal: rows must be exchanged
    for (int i = 0; i < L; i++) below[i] = i ? 2 + number() / 16 : 0, middle[i] = i % 3 ? 0 : 1, above[i] = i + 1 < L ? 3 + number() / 16 : 0;
    for (int i = 0; i < 2 * L; i++) x[i] = number();
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < L; i++)
            right[k * L + i] = middle[i] * x[k * L + i] + (i ? below[i] * x[k * L + i - 1] : 0) + (i + 1 < L ? above[i] * x[k * L + i + 1] : 0);
    size_t bytes = 0;
    const at_t b = numbers(right, 2 * L, R64), dl = numbers(below, L, R64), dm = numbers(middle, L, R64), du = numbers(above, L, R64);
    CHECK(!cusparseDgtsv2_bufferSizeExt(h, L, 2, dl, dm, du, b, L, &bytes), "a work area");
    CHECK(!cusparseDgtsv2(h, L, 2, dl, dm, du, b, L, memory(bytes)), "a tridiagonal system");
    cuMemcpyDtoH(got, b, sizeof got);
    for (int i = 0; i < 2 * L; i++) CHECK(fabs(got[i] - x[i]) < 1e-6 * (1 + fabs(x[i])), "%d of a tridiagonal system: %g, not %g", i, got[i], x[i]);
}
static void vectors(handle_t h) {
    enum { L = 50, COUNT = 7 };
    const int places[COUNT] = {3, 0, 49, 17, 18, 30, 5};
    double y[L], v[COUNT], want[L], picked[COUNT], dot = 0, got = 0;
    const double alpha = 3, beta = 0;
    for (int i = 0; i < L; i++) y[i] = number();
    for (int i = 0; i < COUNT; i++) v[i] = number(), picked[i] = y[places[i]], dot += v[i] * picked[i];
    const at_t ay = numbers(y, L, R64), av = numbers(v, COUNT, R64);
    desc_t sparse_one, taken, dense_one;
    cusparseCreateSpVec(&sparse_one, L, COUNT, indices(places, COUNT, INDEX_64, 1), av, INDEX_64, 1, R64);
    const at_t at = memory(COUNT * 8);
    cusparseCreateSpVec(&taken, L, COUNT, indices(places, COUNT, INDEX_32, 0), at, INDEX_32, 0, R64);
    cusparseCreateDnVec(&dense_one, L, ay, R64);
    CHECK(!cusparseGather(h, dense_one, taken), "gather");
    compare("gathered", at, picked, COUNT, R64);
    CHECK(!cusparseSpVV(h, 0, sparse_one, dense_one, &got, R64, memory(16)) && got == dot, "a sum of products: %g, not %g", got, dot);
    memcpy(want, y, sizeof y);
    for (int i = 0; i < COUNT; i++) want[places[i]] = v[i];
    CHECK(!cusparseScatter(h, sparse_one, dense_one), "scatter");
    compare("scattered", ay, want, L, R64);
    memset(want, 0, sizeof want);
    for (int i = 0; i < COUNT; i++) want[places[i]] = alpha * v[i];
    CHECK(!cusparseAxpby(h, &alpha, sparse_one, &beta, dense_one), "a sum");
    compare("a sum", ay, want, L, R64);
    // elements that are not larger than 3 are dropped
    double dense[9 * 9], back[9 * 9];
    desc_t d;
    int each[9], all = 0;
    for (int i = 0; i < 81; i++) dense[i] = bits() % 3 ? 0 : number();
    const struct rows r = rows_of(dense, 9, 9, 0);
    const at_t counts = memory(9 * 4);
    cusparseCreateMatDescr(&d);
    CHECK(!cusparseDnnz_compress(h, 9, d, r.values, r.offsets, counts, &all, 3), "how many are larger");
    cuMemcpyDtoH(each, counts, sizeof each);
    const struct rows to = {memory(10 * 4), memory((size_t)all * 4), memory((size_t)all * 8), all};
    CHECK(!cusparseDcsr2csr_compress(h, 9, 9, d, r.values, r.column, r.offsets, r.count, counts, to.values, to.column, to.offsets, 3), "the larger ones");
    dense_of(&to, back, 9, 9, 0);
    for (int i = 0, n = 0; i < 81; n = i % 9 == 8 ? 0 : n, i++) {
        n += fabs(dense[i]) > 3;
        CHECK(back[i] == (fabs(dense[i]) > 3 ? dense[i] : 0), "element %d of the larger ones", i);
        if (i % 9 == 8) CHECK(each[i / 9] == n, "row %d has %d, not %d", i / 9, n, each[i / 9]);
    }
}

// Handles and matrices live until the program ends: the sanitizers look for wrong accesses here, not for leaks.
__attribute__((visibility("default"))) int __lsan_is_turned_off(void);
int __lsan_is_turned_off(void) { return 1; }

int main(int argc, char **argv) {
    CUcontext context;
    CUdevice device;
    handle_t h;
    cuInit(0), cuDeviceGet(&device, 0), cuCtxCreate(&context, 0, device);
    CHECK(!cusparseCreate(&h), "a handle");
    if (argc > 1 && !strcmp(argv[1], "refused")) return cusparseScsrcolor(h) != 10;
    for (int form = CSR; form <= COO; form++)
        for (int op = 0; op < 2; op++) by_dense(h, form, op, form == CSC ? INDEX_64 : INDEX_32, form == COO, op ? R64 : R32);
    if (argc == 1) {
        by_sparse(h);
        triangles(h);
        sorting(h);
        blocks(h);
        factors(h);
        vectors(h);
    }
    CHECK(!cusparseDestroy(h), "the end");
    if (!failed) puts("ok");
    return failed != 0;
}
