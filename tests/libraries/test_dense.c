// cuSOLVER of our own, and cuBLAS's factorisations of batches: solutions by their residuals, factors by their product and shape,
// vectors by their orthogonality, all in long double on the host.
#include <complex.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda.h"

typedef struct handle *handle_t;
typedef CUdeviceptr at_t;
int cusolverDnCreate(handle_t *), cusolverDnDestroy(handle_t), cublasCreate_v2(handle_t *), cublasDestroy_v2(handle_t);
// The calls of two types: double precision, and complex single precision.
#define BOTH(D, C, arguments) \
    int D arguments;          \
    int C arguments;
BOTH(cusolverDnDgetrf, cusolverDnCgetrf, (handle_t, int, int, at_t, int, at_t, at_t, at_t))
BOTH(cusolverDnDgetrs, cusolverDnCgetrs, (handle_t, int, int, int, at_t, int, at_t, at_t, int, at_t))
BOTH(cusolverDnDpotrf, cusolverDnCpotrf, (handle_t, int, int, at_t, int, at_t, int, at_t))
BOTH(cusolverDnDpotrs, cusolverDnCpotrs, (handle_t, int, int, int, at_t, int, at_t, int, at_t))
BOTH(cusolverDnDgeqrf, cusolverDnCgeqrf, (handle_t, int, int, at_t, int, at_t, at_t, int, at_t))
BOTH(cusolverDnDorgqr_bufferSize, cusolverDnCungqr_bufferSize, (handle_t, int, int, int, at_t, int, at_t, int *))
BOTH(cusolverDnDorgqr, cusolverDnCungqr, (handle_t, int, int, int, at_t, int, at_t, at_t, int, at_t))
BOTH(cusolverDnDsyevd_bufferSize, cusolverDnCheevd_bufferSize, (handle_t, int, int, int, at_t, int, at_t, int *))
BOTH(cusolverDnDsyevd, cusolverDnCheevd, (handle_t, int, int, int, at_t, int, at_t, at_t, int, at_t))
BOTH(cusolverDnDgesvd_bufferSize, cusolverDnCgesvd_bufferSize, (handle_t, int, int, int *))
BOTH(cusolverDnDgesvd, cusolverDnCgesvd,
     (handle_t, signed char, signed char, int, int, at_t, int, at_t, at_t, int, at_t, int, at_t, int, at_t, at_t))
BOTH(cusolverDnDgesvdaStridedBatched_bufferSize, cusolverDnCgesvdaStridedBatched_bufferSize,
     (handle_t, int, int, int, int, at_t, int, long long, at_t, long long, at_t, int, long long, at_t, int, long long, int *, int))
BOTH(cusolverDnDgesvdaStridedBatched, cusolverDnCgesvdaStridedBatched,
     (handle_t, int, int, int, int, at_t, int, long long, at_t, long long, at_t, int, long long, at_t, int, long long, at_t, int, at_t,
      double *, int))
BOTH(cublasDgetrfBatched, cublasCgetrfBatched, (handle_t, int, at_t, int, at_t, at_t, int))
BOTH(cublasDgetriBatched, cublasCgetriBatched, (handle_t, int, at_t, int, at_t, at_t, int, at_t, int))
BOTH(cublasDtrsm_v2, cublasCtrsm_v2, (handle_t, int, int, int, int, int, int, const void *, at_t, int, at_t, int))
BOTH(cusolverDnDsytrf, cusolverDnCsytrf, (handle_t, int, int, at_t, int, at_t, at_t, int, at_t))
BOTH(cusolverDnDpotri, cusolverDnCpotri, (handle_t, int, int, at_t, int, at_t, int, at_t))
BOTH(cusolverDnDsygvd, cusolverDnChegvd, (handle_t, int, int, int, int, at_t, int, at_t, int, at_t, at_t, int, at_t))
int cusolverDnDsyevdx(handle_t, int, int, int, int, at_t, int, double, double, int, int, int *, at_t, at_t, int, at_t);
int cusolverDnCheevdx(handle_t, int, int, int, int, at_t, int, float, float, int, int, int *, at_t, at_t, int, at_t);
BOTH(cusolverDnDDgesv, cusolverDnCCgesv,
     (handle_t, int, int, at_t, int, at_t, at_t, int, at_t, int, at_t, size_t, int *, at_t))
BOTH(cusolverDnDDgels, cusolverDnCCgels,
     (handle_t, int, int, int, at_t, int, at_t, int, at_t, int, at_t, size_t, int *, at_t))
int cusolverDnXsytrs(handle_t, int, int64_t, int64_t, int, at_t, int64_t, at_t, int, at_t, int64_t, at_t, size_t, void *, size_t, at_t);
int cusolverDnXgetrf(handle_t, void *, int64_t, int64_t, int, at_t, int64_t, at_t, int, at_t, size_t, void *, size_t, at_t);
int cusolverDnXgetrs(handle_t, void *, int, int64_t, int64_t, int, at_t, int64_t, at_t, int, at_t, int64_t, at_t);
int cusolverDnXtrtri(handle_t, int, int, int64_t, int, at_t, int64_t, at_t, size_t, void *, size_t, at_t);
BOTH(cusolverDnDsytrd, cusolverDnChetrd,
     (handle_t, int, int, at_t, int, at_t, at_t, at_t, at_t, int, at_t))
BOTH(cusolverDnDorgtr, cusolverDnCungtr, (handle_t, int, int, at_t, int, at_t, at_t, int, at_t))
BOTH(cusolverDnDormtr, cusolverDnCunmtr,
     (handle_t, int, int, int, int, int, at_t, int, at_t, at_t, int, at_t, int, at_t))
BOTH(cusolverDnDgebrd, cusolverDnCgebrd,
     (handle_t, int, int, at_t, int, at_t, at_t, at_t, at_t, at_t, int, at_t))
BOTH(cusolverDnDorgbr, cusolverDnCungbr,
     (handle_t, int, int, int, int, at_t, int, at_t, at_t, int, at_t))
int cusolverDnXgeev_bufferSize(handle_t, void *, int, int, int64_t, int, at_t, int64_t, int, at_t,
                               int, at_t, int64_t, int, at_t, int64_t, int, size_t *, size_t *);
int cusolverDnXgeev(handle_t, void *, int, int, int64_t, int, at_t, int64_t, int, at_t, int, at_t,
                    int64_t, int, at_t, int64_t, int, at_t, size_t, void *, size_t, at_t);
int cusolverDnXsyevBatched_bufferSize(handle_t, void *, int, int, int64_t, int, at_t, int64_t, int, at_t, int, size_t *, size_t *, int64_t);
int cusolverDnXsyevBatched(handle_t, void *, int, int, int64_t, int, at_t, int64_t, int, at_t, int, at_t, size_t, void *, size_t, at_t, int64_t);
int cusolverDnXlarft(handle_t);
#define CALL(name_d, name_c, ...) (is_complex ? name_c(__VA_ARGS__) : name_d(__VA_ARGS__))

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

typedef long double complex wide;
static bool is_complex;
static double tolerance;

static uint32_t seed = 1;
static long double number(void) {
    seed = seed * 1664525 + 1013904223;
    return (long double)(int32_t)(seed >> 8 & 0xfff) / 2048 - 1;
}

struct matrix {
    wide *v;
    at_t at;
    int m, n;
};
static void send(const struct matrix *a) {
    double *const d = malloc((size_t)a->m * (size_t)a->n * 8);
    float *const f = (float *)d;
    for (int i = 0; i < a->m * a->n; i++) {
        if (is_complex) {
            f[2 * i] = (float)creall(a->v[i]), f[2 * i + 1] = (float)cimagl(a->v[i]);
            a->v[i] = f[2 * i] + I * f[2 * i + 1];
        } else {
            d[i] = (double)creall(a->v[i]);
            a->v[i] = d[i];
        }
    }
    cuMemcpyHtoD(a->at, d, (size_t)a->m * (size_t)a->n * 8);
    free(d);
}
static void fetch(const struct matrix *a) {
    double *const d = malloc((size_t)a->m * (size_t)a->n * 8);
    const float *const f = (float *)d;
    cuMemcpyDtoH(d, a->at, (size_t)a->m * (size_t)a->n * 8);
    for (int i = 0; i < a->m * a->n; i++) a->v[i] = is_complex ? (wide)f[2 * i] + I * (wide)f[2 * i + 1] : (wide)d[i];
    free(d);
}
static struct matrix make(int m, int n) {
    struct matrix a = {.v = calloc((size_t)(m * n), sizeof(wide)), .m = m, .n = n};
    for (int i = 0; i < m * n; i++) {
        a.v[i] = number();
        if (is_complex) a.v[i] += I * number();
    }
    cuMemAlloc(&a.at, (size_t)m * (size_t)n * 8);
    send(&a);
    return a;
}
static struct matrix product(const struct matrix *a, bool adjoint_a, const struct matrix *b, bool adjoint_b) {
    const int m = adjoint_a ? a->n : a->m, k = adjoint_a ? a->m : a->n, n = adjoint_b ? b->m : b->n;
    struct matrix c = {.v = calloc((size_t)(m * n), sizeof(wide)), .m = m, .n = n};
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++)
            for (int e = 0; e < k; e++)
                c.v[i + j * m] += (adjoint_a ? conjl(a->v[e + i * a->m]) : a->v[i + e * a->m]) *
                                  (adjoint_b ? conjl(b->v[j + e * b->m]) : b->v[e + j * b->m]);
    return c;
}
static void same(const char *what, const struct matrix *a, const struct matrix *b) {
    long double worst = 0, most = 1;
    for (int i = 0; i < a->m * a->n; i++) {
        const long double e = cabsl(a->v[i] - b->v[i]);
        if (!(e <= worst)) worst = isnan(e) ? HUGE_VALL : e;
        most = fmaxl(most, cabsl(b->v[i]));
    }
    CHECK(worst <= tolerance * most, "%s: off by %Lg of %Lg", what, worst, most);
}
static struct matrix identity(int n) {
    struct matrix a = {.v = calloc((size_t)(n * n), sizeof(wide)), .m = n, .n = n};
    for (int i = 0; i < n; i++) a.v[i + i * n] = 1;
    return a;
}
static void orthogonal(const char *what, const struct matrix *q) {
    const struct matrix p = product(q, true, q, false), one = identity(q->n);
    same(what, &p, &one);
}
static at_t memory(int doubles) {
    at_t at;
    cuMemAlloc(&at, (size_t)doubles * 8);
    return at;
}
static int integer(at_t at, int i) {
    int v;
    cuMemcpyDtoH(&v, at + 4 * (size_t)i, 4);
    return v;
}
// Real numbers of a type.
static void reals(at_t at, int n, long double *to) {
    double d[64];
    cuMemcpyDtoH(d, at, (size_t)n * (is_complex ? 4 : 8));
    for (int i = 0; i < n; i++) to[i] = is_complex ? (long double)((float *)d)[i] : (long double)d[i];
}

enum { N = 45, M = 50, SIDES = 3, BATCH = 3 }; // more than a panel, and more than a block of rows
static void systems(handle_t h) {
    const at_t pivots = memory(N), info = memory(1);
    struct matrix a = make(N, N), b = make(N, SIDES), x = make(N, SIDES);
    for (int op = 0; op < 3; op += 2) {
        send(&a), memcpy(x.v, b.v, N * SIDES * sizeof(wide)), send(&x);
        CHECK(!CALL(cusolverDnDgetrf, cusolverDnCgetrf, h, N, N, a.at, N, 0, pivots, info) && integer(info, 0) == 0, "LU");
        CHECK(!CALL(cusolverDnDgetrs, cusolverDnCgetrs, h, op, N, SIDES, a.at, N, pivots, x.at, N, info), "LU's solution");
        fetch(&x);
        const struct matrix ax = product(&a, op == 2, &x, false);
        same("a x", &ax, &b);
    }
    // a singular one: its third column is its second
    struct matrix s = make(N, N);
    for (int i = 0; i < N; i++) s.v[i + 2 * N] = s.v[i + N];
    for (int i = 0; i < N; i++)
        for (int j = 0; j < 3; j++) s.v[i + j * N] = roundl(creall(s.v[i + j * N]));
    s.v[0] = 1;
    for (int i = 1; i < N; i++) s.v[i] = 0;
    send(&s);
    CHECK(!CALL(cusolverDnDgetrf, cusolverDnCgetrf, h, N, N, s.at, N, 0, pivots, info) && integer(info, 0) == 3, "a pivot of zero");
    for (int fill = 0; fill < 2; fill++) {
        struct matrix p = product(&a, true, &a, false);
        for (int i = 0; i < N; i++) p.v[i + i * N] = creall(p.v[i + i * N]) + 1;
        p.at = memory(N * N), send(&p);
        memcpy(x.v, b.v, N * SIDES * sizeof(wide)), send(&x);
        CHECK(!CALL(cusolverDnDpotrf, cusolverDnCpotrf, h, fill, N, p.at, N, 0, 0, info) && integer(info, 0) == 0, "Cholesky");
        CHECK(!CALL(cusolverDnDpotrs, cusolverDnCpotrs, h, fill, N, SIDES, p.at, N, x.at, N, info), "its solution");
        fetch(&x);
        const struct matrix px = product(&p, false, &x, false);
        same("p x", &px, &b);
        struct matrix before = p;
        before.v = malloc(N * N * sizeof(wide)), memcpy(before.v, p.v, N * N * sizeof(wide));
        fetch(&p);
        for (int j = 0; j < N; j++)
            for (int i = 0; i < N; i++)
                if (fill == 0 ? i < j : i > j) CHECK(p.v[i + j * N] == before.v[i + j * N], "the other triangle stays (%d, %d)", i, j);
        before.v[20 + 20 * N] = -1, send(&before);
        CHECK(!CALL(cusolverDnDpotrf, cusolverDnCpotrf, h, fill, N, before.at, N, 0, 0, info) && integer(info, 0) == 21, "not positive");
    }
}
static void decompositions(handle_t h) {
    const at_t info = memory(1), tau = memory(N), values = memory(M);
    int size = 0;
    struct matrix a = make(M, N), r = identity(N);
    CHECK(!CALL(cusolverDnDgeqrf, cusolverDnCgeqrf, h, M, N, a.at, M, tau, 0, 0, info), "QR");
    struct matrix q = {malloc(M * N * sizeof(wide)), a.at, M, N};
    fetch(&q);
    for (int j = 0; j < N; j++)
        for (int i = 0; i <= j; i++) r.v[i + j * N] = q.v[i + j * M];
    CHECK(!CALL(cusolverDnDorgqr_bufferSize, cusolverDnCungqr_bufferSize, h, M, N, N, q.at, M, tau, &size), "a work area");
    CHECK(!CALL(cusolverDnDorgqr, cusolverDnCungqr, h, M, N, N, q.at, M, tau, memory(size), size, info), "Q");
    fetch(&q);
    orthogonal("Q", &q);
    const struct matrix qr = product(&q, false, &r, false);
    same("Q R", &qr, &a);

    struct matrix s = product(&a, true, &a, false), v = identity(N);
    s.at = memory(N * N), send(&s), v.at = s.at;
    CHECK(!CALL(cusolverDnDsyevd_bufferSize, cusolverDnCheevd_bufferSize, h, 1, 1, N, s.at, N, values, &size), "a work area");
    CHECK(!CALL(cusolverDnDsyevd, cusolverDnCheevd, h, 1, 1, N, s.at, N, values, memory(size), size, info) && integer(info, 0) == 0, "eigenvalues");
    long double w[N];
    reals(values, N, w), fetch(&v);
    orthogonal("eigenvectors", &v);
    const struct matrix sv = product(&s, false, &v, false);
    struct matrix vw = make(N, N);
    for (int i = 0; i < N * N; i++) vw.v[i] = v.v[i] * w[i / N];
    same("s v = v w", &sv, &vw);
    for (int i = 1; i < N; i++) CHECK(w[i] >= w[i - 1], "eigenvalues ascend");

    // two columns alike: a singular value of zero
    memcpy(a.v + 3 * M, a.v + 7 * M, M * sizeof(wide)), send(&a);
    struct matrix u = make(M, M), vt = make(N, N), us = make(M, N);
    CHECK(!CALL(cusolverDnDgesvd_bufferSize, cusolverDnCgesvd_bufferSize, h, M, N, &size), "a work area");
    CHECK(!CALL(cusolverDnDgesvd, cusolverDnCgesvd, h, 'A', 'A', M, N, a.at, M, values, u.at, M, vt.at, N, memory(size), size, 0, info) &&
              integer(info, 0) == 0,
          "singular values");
    reals(values, N, w), fetch(&u), fetch(&vt);
    orthogonal("left vectors", &u), orthogonal("right vectors", &vt);
    for (int i = 0; i < M * N; i++) us.v[i] = u.v[i] * w[i / M];
    const struct matrix usv = product(&us, false, &vt, false);
    same("u s v", &usv, &a);
    for (int i = 1; i < N; i++) CHECK(w[i] <= w[i - 1] && w[i] >= 0, "singular values descend");
    CHECK(w[N - 1] < 1e2 * tolerance, "the last one is zero, not %Lg", w[N - 1]);
}
// Columns all alike have one singular value; values of matrices whose squares overflow or vanish are those of the matrix near 1,
// times its power of two.
static void extremes(handle_t h) {
    const at_t info = memory(1), values = memory(M);
    const int e = is_complex ? 90 : 800; // squares of 2^e are no floats, no doubles
    int size = 0;
    struct matrix a = make(M, N), u = make(M, M), vt = make(N, N);
    long double w[3][N];
    for (int j = 0; j < N; j++) memcpy(a.v + j * M, a.v, M * sizeof(wide));
    send(&a);
    CALL(cusolverDnDgesvd_bufferSize, cusolverDnCgesvd_bufferSize, h, M, N, &size);
    CHECK(!CALL(cusolverDnDgesvd, cusolverDnCgesvd, h, 'A', 'A', M, N, a.at, M, values, u.at, M, vt.at, N, memory(size), size, 0, info) &&
              integer(info, 0) == 0,
          "columns alike");
    reals(values, N, w[0]), fetch(&u), fetch(&vt);
    CHECK(w[0][0] > 1 && w[0][1] < 1e2 * tolerance, "one value, not %Lg and %Lg", w[0][0], w[0][1]);
    orthogonal("left vectors", &u), orthogonal("right vectors", &vt);
    struct matrix f = make(M, N), g = {malloc(M * N * sizeof(wide)), a.at, M, N};
    struct matrix s = product(&f, true, &f, false), t = {malloc(N * N * sizeof(wide)), memory(N * N), N, N};
    for (int k = 0; k < 3; k++) {
        const long double by = ldexpl(1, k == 0 ? 0 : k == 1 ? e : -e);
        for (int i = 0; i < M * N; i++) g.v[i] = f.v[i] * by;
        send(&g);
        CHECK(!CALL(cusolverDnDgesvd, cusolverDnCgesvd, h, 'A', 'A', M, N, g.at, M, values, u.at, M, vt.at, N, memory(size), size, 0, info),
              "singular values");
        reals(values, N, w[k]);
        for (int i = 0; i < N; i++)
            CHECK(fabsl(w[k][i] / by - w[0][i]) <= tolerance * w[0][0], "singular value %d times 2^%d: %Lg, not %Lg", i, k ? e : 0, w[k][i] / by, w[0][i]);
    }
    for (int k = 0; k < 3; k++) {
        const long double by = ldexpl(1, k == 0 ? 0 : k == 1 ? e : -e);
        int room = 0;
        for (int i = 0; i < N * N; i++) t.v[i] = s.v[i] * by;
        send(&t);
        CALL(cusolverDnDsyevd_bufferSize, cusolverDnCheevd_bufferSize, h, 1, 1, N, t.at, N, values, &room);
        CHECK(!CALL(cusolverDnDsyevd, cusolverDnCheevd, h, 1, 1, N, t.at, N, values, memory(room), room, info) && integer(info, 0) == 0, "eigenvalues");
        reals(values, N, w[k]);
        for (int i = 0; i < N; i++)
            CHECK(fabsl(w[k][i] / by - w[0][i]) <= tolerance * w[0][N - 1], "eigenvalue %d times 2^%d: %Lg, not %Lg", i, k ? e : 0, w[k][i] / by, w[0][i]);
    }
}
// Norms of a - u s v^H, of tall and of wide matrices. They are roundings, which the device's sums have a part in: they must be of
// the size that the host finds for the same factors, and follow the matrices' size where squares are no numbers of the type.
static void residuals(handle_t h) {
    enum { TALL = 23, THIN = 10, COUNT = 4, ALL = TALL * THIN };
    const at_t info = memory(COUNT), values = memory(THIN * COUNT);
    for (int wide_one = 0; wide_one < 2; wide_one++) {
        const int m = wide_one ? THIN : TALL, n = wide_one ? TALL : THIN;
        struct matrix a = make(ALL, COUNT), u = make(m * THIN, COUNT), v = make(n * THIN, COUNT);
        double norm[COUNT] = {-1, -1, -1, -1};
        int size = 0;
        // the third matrix is very large, the last one very small
        for (int i = 0; i < 2 * ALL; i++) a.v[i + 2 * ALL] *= ldexpl(1, (i < ALL ? 1 : -1) * (is_complex ? 90 : 800));
        send(&a);
        CHECK(!CALL(cusolverDnDgesvdaStridedBatched_bufferSize, cusolverDnCgesvdaStridedBatched_bufferSize, h, 1, THIN, m, n, a.at, m, ALL,
                    values, THIN, u.at, m, m * THIN, v.at, n, n * THIN, &size, COUNT),
              "a work area");
        const at_t work = memory(size);
        CHECK(!CALL(cusolverDnDgesvdaStridedBatched, cusolverDnCgesvdaStridedBatched, h, 1, THIN, m, n, a.at, m, ALL, values, THIN, u.at, m,
                    m * THIN, v.at, n, n * THIN, work, size, info, norm, COUNT),
              "singular values with residuals");
        long double s[THIN * COUNT];
        reals(values, THIN * COUNT, s), fetch(&u), fetch(&v);
        for (int k = 0; k < COUNT; k++) {
            struct matrix us = {calloc((size_t)(m * THIN), sizeof(wide)), 0, m, THIN}, vk = {v.v + k * n * THIN, 0, n, THIN};
            for (int i = 0; i < m * THIN; i++) us.v[i] = u.v[i + k * m * THIN] * s[k * THIN + i / m];
            const struct matrix p = product(&us, false, &vk, true);
            long double sum = 0;
            for (int i = 0; i < ALL; i++) {
                const long double e = cabsl(p.v[i] - a.v[i + k * ALL]);
                sum += e * e;
            }
            const long double expected = sqrtl(sum);
            CHECK(expected > 0 && norm[k] > expected / 2 && norm[k] < expected * 2, "residual %d of %d x %d: %g, not about %Lg", k, m, n,
                  norm[k], expected);
            free(us.v), free(p.v);
        }
        CHECK(!CALL(cusolverDnDgesvdaStridedBatched, cusolverDnCgesvdaStridedBatched, h, 0, THIN, m, n, a.at, m, ALL, values, THIN, 0, m, 0,
                    0, n, 0, work, size, info, norm, COUNT) &&
                  isnan(norm[0]) && isnan(norm[COUNT - 1]),
              "no residual without vectors");
    }
}
static void batches(handle_t h) {
    struct matrix a[BATCH], c[BATCH];
    at_t lists[2][BATCH], la = memory(BATCH), lc = memory(BATCH);
    const at_t pivots = memory(N * BATCH), info = memory(BATCH);
    for (int i = 0; i < BATCH; i++) {
        a[i] = make(N, N), c[i] = make(N, N);
        lists[0][i] = a[i].at, lists[1][i] = c[i].at;
    }
    cuMemcpyHtoD(la, lists[0], sizeof lists[0]), cuMemcpyHtoD(lc, lists[1], sizeof lists[1]);
    CHECK(!CALL(cublasDgetrfBatched, cublasCgetrfBatched, h, N, la, N, pivots, info, BATCH), "LU of a batch");
    CHECK(!CALL(cublasDgetriBatched, cublasCgetriBatched, h, N, la, N, pivots, lc, N, info, BATCH), "inverses");
    const struct matrix one = identity(N);
    for (int i = 0; i < BATCH; i++) {
        fetch(&c[i]);
        const struct matrix p = product(&a[i], false, &c[i], false);
        same("a times its inverse", &p, &one);
    }
    // x op(a) = alpha b, for each triangle, operation and kind of diagonal
    const double alpha_d = 2;
    const float alpha_c[2] = {2, 0};
    for (int e = 0; e < 24; e++) {
        const int side = e & 1, fill = e >> 1 & 1, diagonal = e >> 2 & 1, op = e >> 3;
        struct matrix t = make(N, N), b = make(side ? SIDES : N, side ? N : SIDES);
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++) t.v[i + j * N] = i == j ? t.v[i + j * N] + 4 : t.v[i + j * N] / N;
        send(&t);
        const void *const alpha = is_complex ? (const void *)alpha_c : &alpha_d;
        CHECK(!CALL(cublasDtrsm_v2, cublasCtrsm_v2, h, side, fill, op, diagonal, b.m, b.n, alpha, t.at, N, b.at, b.m), "a triangle");
        struct matrix x = make(b.m, b.n), o = identity(N);
        x.at = b.at, fetch(&x);
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++) {
                const bool is_there = i == j || (fill == 0 ? i > j : i < j);
                const wide v = i == j && diagonal ? 1 : is_there ? t.v[i + j * N] : 0;
                if (op == 0) o.v[i + j * N] = v;
                else o.v[j + i * N] = op == 2 ? conjl(v) : v;
            }
        const struct matrix p = side ? product(&x, false, &o, false) : product(&o, false, &x, false);
        for (int i = 0; i < b.m * b.n; i++) b.v[i] *= 2;
        same("a triangle's product", &p, &b);
    }
}

// Symmetric matrices that are not definite (no conjugates, zeros on the diagonal), inverses, eigenvalues of pairs and some of them,
// numbers of 64 bits, and solutions that may be refined.
static struct matrix copied(const struct matrix *a) {
    struct matrix c = {malloc((size_t)(a->m * a->n) * sizeof(wide)), memory(a->m * a->n), a->m, a->n};
    memcpy(c.v, a->v, (size_t)(a->m * a->n) * sizeof(wide)), send(&c);
    return c;
}
static void more(handle_t h) {
    const int type = is_complex ? 4 : 1; // cudaDataType
    const at_t info = memory(1), values = memory(N), work = memory(8 * N * N), pivots = memory(N), wides = memory(N);
    const size_t room = 8 * 8 * N * N;
    const struct matrix b = make(N, SIDES);
    for (int fill = 0; fill < 2; fill++) {
        struct matrix a = make(N, N);
        for (int j = 0; j < N; j++)
            for (int i = 0; i <= j; i++) a.v[j + i * N] = a.v[i + j * N] = i == j ? 0 : a.v[i + j * N];
        send(&a);
        struct matrix f = copied(&a), x = copied(&b);
        CHECK(!CALL(cusolverDnDsytrf, cusolverDnCsytrf, h, fill, N, f.at, N, pivots, work, 1, info) && integer(info, 0) == 0, "L D L^T");
        int held[N];
        int64_t numbers[N];
        bool has_pair = false;
        cuMemcpyDtoH(held, pivots, sizeof held);
        for (int i = 0; i < N; i++) numbers[i] = held[i], has_pair |= held[i] < 0;
        CHECK(has_pair, "zeros on the diagonal make pairs");
        cuMemcpyHtoD(wides, numbers, sizeof numbers);
        CHECK(!cusolverDnXsytrs(h, fill, N, SIDES, type, f.at, N, wides, type, x.at, N, 0, 0, NULL, 0, info), "its solution");
        fetch(&x);
        const struct matrix ax = product(&a, false, &x, false);
        same("a x of a symmetric one", &ax, &b);

        const struct matrix r = make(N, N);
        struct matrix p = product(&r, true, &r, false);
        for (int i = 0; i < N; i++) p.v[i + i * N] = creall(p.v[i + i * N]) + 1;
        p.at = memory(N * N), send(&p);
        struct matrix inverse = copied(&p), l = identity(N);
        CHECK(!CALL(cusolverDnDpotrf, cusolverDnCpotrf, h, fill, N, inverse.at, N, 0, 0, info), "Cholesky");
        struct matrix factor = copied(&inverse);
        cuMemcpyDtoD(factor.at, inverse.at, (size_t)(N * N) * 8), fetch(&factor);
        for (int j = 0; j < N; j++)
            for (int i = 0; i < N; i++) l.v[i + j * N] = (fill ? i <= j : i >= j) ? factor.v[i + j * N] : 0;
        CHECK(!CALL(cusolverDnDpotri, cusolverDnCpotri, h, fill, N, inverse.at, N, work, N * N, info), "its inverse");
        fetch(&inverse);
        for (int j = 0; j < N; j++)
            for (int i = 0; i < N; i++)
                if (fill ? i > j : i < j) inverse.v[i + j * N] = conjl(inverse.v[j + i * N]);
        const struct matrix one = identity(N), pi = product(&p, false, &inverse, false);
        same("p times its inverse", &pi, &one);
        CHECK(!cusolverDnXtrtri(h, fill, 0, N, type, factor.at, N, work, room, NULL, 0, info), "a triangle's inverse");
        fetch(&factor);
        for (int j = 0; j < N; j++)
            for (int i = 0; i < N; i++)
                if (fill ? i > j : i < j) factor.v[i + j * N] = 0;
        const struct matrix li = product(&l, false, &factor, false);
        same("a triangle times its inverse", &li, &one);

        struct matrix s = product(&r, false, &r, true); // Hermitian
        s.at = memory(N * N);
        for (int kind = 1; kind <= 3; kind++) {
            struct matrix q = copied(&p), v = copied(&s);
            CHECK(!CALL(cusolverDnDsygvd, cusolverDnChegvd, h, kind, 1, fill, N, v.at, N, q.at, N, values, work, 4 * N * N, info) && integer(info, 0) == 0,
                  "eigenvalues of a pair");
            long double w[N];
            reals(values, N, w), fetch(&v);
            struct matrix vw = copied(&v);
            for (int i = 0; i < N * N; i++) vw.v[i] *= w[i / N];
            const struct matrix pv = product(kind == 3 ? &s : &p, false, &v, false), sv = product(kind == 3 ? &p : &s, false, kind == 1 ? &v : &pv, false),
                                right = kind == 1 ? product(&p, false, &vw, false) : vw;
            // the vectors grow with the pair's numbers: so does what roundings leave
            const double before = tolerance;
            tolerance *= 50 * (double)(1 + w[N - 1]);
            same("a pair's vectors", &sv, &right);
            tolerance = before;
        }
        // a batch: the matrix, and twice of it
        struct matrix both = make(N, 2 * N);
        long double of_both[2 * N];
        const at_t values_of_both = memory(2 * N), infos = memory(2);
        size_t bytes = 0, on_host = 1;
        for (int i = 0; i < N * N; i++) both.v[i] = s.v[i], both.v[i + N * N] = 2 * s.v[i];
        send(&both);
        const int type_w = is_complex ? 0 : 1;
        CHECK(!cusolverDnXsyevBatched_bufferSize(h, NULL, 1, fill, N, type, both.at, N, type_w, values_of_both, type, &bytes, &on_host, 2) && !on_host,
              "a work area of a batch");
        CHECK(!cusolverDnXsyevBatched(h, NULL, 1, fill, N, type, both.at, N, type_w, values_of_both, type, memory((int)(bytes / 8) + 1), bytes, NULL, 0, infos, 2) &&
                  integer(infos, 0) == 0 && integer(infos, 1) == 0,
              "eigenvalues of a batch");
        reals(values_of_both, N, of_both), reals(values_of_both + N * (is_complex ? 4 : 8), N, of_both + N), fetch(&both);
        for (int of = 0; of < 2; of++) {
            struct matrix v = {both.v + of * N * N, 0, N, N}, vw = make(N, N);
            orthogonal("vectors of a batch", &v);
            for (int i = 0; i < N * N; i++) vw.v[i] = v.v[i] * of_both[of * N + i / N] / (of + 1);
            const struct matrix sv = product(&s, false, &v, false);
            same("a batch's vectors", &sv, &vw);
        }
        struct matrix some = copied(&s), all = copied(&s);
        int found = 0;
        long double w[N], part[N];
        CALL(cusolverDnDsyevd, cusolverDnCheevd, h, 0, fill, N, all.at, N, values, work, 4 * N * N, info);
        reals(values, N, w);
        CHECK(!CALL(cusolverDnDsyevdx, cusolverDnCheevdx, h, 1, 1002, fill, N, some.at, N, 0, 0, 3, 7, &found, values, work, 4 * N * N, info) && found == 5,
              "numbers 3 to 7");
        reals(values, N, part);
        for (int i = 0; i < 5; i++) CHECK(fabsl(part[i] - w[i + 2]) <= 10 * tolerance * w[N - 1], "number %d", i + 3);
        some = copied(&s);
        CHECK(!CALL(cusolverDnDsyevdx, cusolverDnCheevdx, h, 0, 1003, fill, N, some.at, N, (w[1] + w[2]) / 2, (w[4] + w[5]) / 2, 0, 0, &found, values, work,
                    4 * N * N, info) && found == 3,
              "values in a range");
    }
    struct matrix a = make(N, N), f = copied(&a), x = copied(&b), y = copied(&b);
    CHECK(!cusolverDnXgetrf(h, NULL, N, N, type, f.at, N, wides, type, work, room, NULL, 0, info), "LU with numbers of 64 bits");
    CHECK(!cusolverDnXgetrs(h, NULL, 0, N, SIDES, type, f.at, N, wides, type, x.at, N, info), "its solution");
    fetch(&x);
    const struct matrix ax = product(&a, false, &x, false);
    same("a x", &ax, &b);
    int steps = -1;
    CHECK(!CALL(cusolverDnDDgesv, cusolverDnCCgesv, h, N, SIDES, a.at, N, pivots, b.at, N, y.at, N, work, room, &steps, info) && steps == 0, "a solution");
    fetch(&y);
    const struct matrix ay = product(&a, false, &y, false);
    same("a y", &ay, &b);
    // least squares: what is left is orthogonal to the columns
    struct matrix t = make(M, N), c = make(M, SIDES), z = make(N, SIDES), zero = make(N, SIDES);
    CHECK(!CALL(cusolverDnDDgels, cusolverDnCCgels, h, M, N, SIDES, t.at, M, c.at, M, z.at, N, work, room, &steps, info), "least squares");
    fetch(&z);
    const struct matrix tz = product(&t, false, &z, false);
    for (int i = 0; i < M * SIDES; i++) tz.v[i] -= c.v[i];
    const struct matrix left = product(&t, true, &tz, false);
    memset(zero.v, 0, N * SIDES * sizeof(wide));
    same("t^H (t z - c)", &left, &zero);
}

// Householder's forms: what they make, taken back by Q (and P), is the matrix; and a product with Q is that with Q made.
static void forms(handle_t h) {
    const at_t info = memory(1), d = memory(N), e = memory(N), tau = memory(N), tau_p = memory(N),
               work = memory(M * N);
    for (int fill = 0; fill < 2; fill++) {
        const struct matrix r = make(N, N);
        struct matrix a = product(&r, false, &r, true), t = make(N, N), f = copied(&a);
        // what lies in the other triangle is nobody's
        for (int j = 0; j < N; j++)
            for (int i = 0; i < N; i++)
                if (fill ? i > j : i < j) f.v[i + j * N] = 1e9L;
        send(&f);
        CHECK(!CALL(cusolverDnDsytrd, cusolverDnChetrd, h, fill, N, f.at, N, d, e, tau, work, N,
                    info) &&
                  integer(info, 0) == 0,
              "a tridiagonal form");
        struct matrix held = copied(&f);
        cuMemcpyDtoD(held.at, f.at, N * N * 8), fetch(&held);
        for (int j = 0; j < N; j++)
            for (int i = 0; i < N; i++)
                if (fill ? i > j : i < j)
                    CHECK(held.v[i + j * N] == 1e9L, "the other triangle stays (%d, %d)", i, j);
        long double diagonal[N], line[N];
        reals(d, N, diagonal), reals(e, N - 1, line);
        for (int i = 0; i < N * N; i++) t.v[i] = 0;
        for (int i = 0; i < N; i++) {
            t.v[i + i * N] = diagonal[i];
            if (i) t.v[i + (i - 1) * N] = t.v[i - 1 + i * N] = line[i - 1];
        }
        CHECK(
            !CALL(cusolverDnDorgtr, cusolverDnCungtr, h, fill, N, f.at, N, tau, work, M * N, info),
            "its Q");
        fetch(&f);
        orthogonal("Q of a tridiagonal form", &f);
        const struct matrix qt = product(&f, false, &t, false),
                            back = product(&qt, false, &f, true);
        same("Q T Q^H", &back, &a);
        for (int side = 0; side < 2; side++)
            for (int op = 0; op < 3; op += 2) {
                const struct matrix c = make(side ? SIDES : N, side ? N : SIDES);
                struct matrix to = copied(&c);
                CHECK(!CALL(cusolverDnDormtr, cusolverDnCunmtr, h, side, fill, op, c.m, c.n,
                            held.at, N, tau, to.at, c.m, work, 1, info),
                      "Q applied");
                fetch(&to);
                const struct matrix expected =
                    side ? product(&c, false, &f, op == 2) : product(&f, op == 2, &c, false);
                same("Q applied", &to, &expected);
            }
    }
    for (int rows = N; rows <= M; rows += M - N) {
        const struct matrix a = make(rows, N);
        struct matrix b = make(N, N), q = copied(&a), p = make(N, N);
        CHECK(!CALL(cusolverDnDgebrd, cusolverDnCgebrd, h, rows, N, q.at, rows, d, e, tau, tau_p,
                    work, 1, info) &&
                  integer(info, 0) == 0,
              "a bidiagonal form");
        long double diagonal[N], line[N];
        reals(d, N, diagonal), reals(e, N - 1, line);
        for (int i = 0; i < N * N; i++) b.v[i] = 0;
        for (int i = 0; i < N; i++) {
            b.v[i + i * N] = diagonal[i];
            if (i) b.v[i - 1 + i * N] = line[i - 1];
        }
        for (int j = 0; j < N; j++)
            cuMemcpyDtoD(p.at + (size_t)(j * N) * 8, q.at + (size_t)(j * rows) * 8, N * 8);
        CHECK(!CALL(cusolverDnDorgbr, cusolverDnCungbr, h, 0, rows, N, N, q.at, rows, tau, work,
                    M * N, info),
              "its Q");
        CHECK(!CALL(cusolverDnDorgbr, cusolverDnCungbr, h, 1, N, N, rows, p.at, N, tau_p, work,
                    M * N, info),
              "its P");
        fetch(&q), fetch(&p);
        orthogonal("Q of a bidiagonal form", &q), orthogonal("P", &p);
        const struct matrix qb = product(&q, false, &b, false),
                            back = product(&qb, false, &p, false);
        same("Q B P^H", &back, &a);
    }
}

// ---- eigenvalues of any matrix
// Values and right vectors, whose residuals are compared with the matrix's size. Without vectors the values are those with them.
static void find(handle_t h, const char *what, const struct matrix *a, wide *w, wide *v) {
    const int n = a->n, type = is_complex ? 4 : 1, type_w = is_complex ? 4 : 5; // cudaDataType
    struct matrix values = {w, memory(2 * n), n, 1};
    const struct matrix vectors = {v, memory(n * n), n, n};
    const at_t info = memory(1);
    size_t device = 0, host = 1;
    wide alone[N];
    for (int has_vectors = 1; has_vectors >= 0; has_vectors--) {
        const struct matrix f = copied(a);
        CHECK(!cusolverDnXgeev_bufferSize(h, NULL, 0, has_vectors, n, type, f.at, n, type_w,
                                          values.at, type, 0, n, type, vectors.at, n, type, &device,
                                          &host) &&
                  !host,
              "%s: a work area", what);
        const at_t work = memory((int)(device / 8) + 1);
        CHECK(!cusolverDnXgeev(h, NULL, 0, has_vectors, n, type, f.at, n, type_w, values.at, type,
                               0, n, type, vectors.at, n, type, work, device, NULL, 0, info) &&
                  integer(info, 0) == 0,
              "%s: eigenvalues", what);
        double d[2 * N];
        const float *const e = (float *)d;
        cuMemcpyDtoH(d, values.at, (size_t)n * (is_complex ? 8 : 16));
        for (int i = 0; i < n; i++)
            (has_vectors ? w : alone)[i] = is_complex ? (wide)e[2 * i] + I * (wide)e[2 * i + 1]
                                                      : (wide)d[2 * i] + I * (wide)d[2 * i + 1];
    }
    fetch(&vectors);
    for (int k = 0; !is_complex && k < n; k++) // a pair's columns are its real and imaginary part
        if (cimagl(w[k]) > 0) {
            CHECK(k + 1 < n && w[k + 1] == conjl(w[k]),
                  "%s: pairs lie beside each other and are exact", what);
            for (int i = 0; i < n; i++)
                v[i + k * n] += I * v[i + (k + 1) * n], v[i + (k + 1) * n] = conjl(v[i + k * n]);
            k++;
        }
    long double most = 0;
    for (int i = 0; i < n * n; i++) most = fmaxl(most, cabsl(a->v[i]));
    const struct matrix av = product(a, false, &vectors, false);
    for (int k = 0; k < n; k++) {
        long double norm = 0, off = 0, largest = 0, imaginary = 1;
        for (int i = 0; i < n; i++) {
            norm += creall(v[i + k * n] * conjl(v[i + k * n]));
            off = fmaxl(off, cabsl(av.v[i + k * n] - w[k] * v[i + k * n]));
            if (cabsl(v[i + k * n]) > largest * (1 + 1e-6L))
                largest = cabsl(v[i + k * n]), imaginary = cimagl(v[i + k * n]);
            else if (cabsl(v[i + k * n]) > largest * (1 - 1e-6L) && cimagl(v[i + k * n]) == 0)
                imaginary = 0;
        }
        CHECK(fabsl(norm - 1) < tolerance && imaginary == 0,
              "%s: vector %d has length %Lg and largest element with %Lg i", what, k, norm,
              imaginary);
        CHECK(off <= tolerance * most, "%s: A v - w v of vector %d is %Lg, where A has %Lg", what,
              k, off, most);
        CHECK(cabsl(alone[k] - w[k]) <= tolerance * (most + cabsl(w[k])),
              "%s: value %d without vectors", what, k);
    }
}
// Each expected value has one that is found, as near as `within` says.
static void expect_values(const char *what, const wide *w, const wide *expected, int n,
                          long double within) {
    bool taken[N] = {false};
    for (int k = 0; k < n; k++) {
        int best = -1;
        for (int i = 0; i < n; i++)
            if (!taken[i] && (best < 0 || cabsl(w[i] - expected[k]) < cabsl(w[best] - expected[k])))
                best = i;
        taken[best] = true;
        CHECK(cabsl(w[best] - expected[k]) <= within,
              "%s: %Lg + %Lg i is not among the values, but %Lg + %Lg i", what, creall(expected[k]),
              cimagl(expected[k]), creall(w[best]), cimagl(w[best]));
    }
}
static void general(handle_t h) {
    static wide v[N * N], w[N], expected[N];
    const long double pi = acosl(-1);
    for (int n = 1; n <= N;
         n = n < 5 ? n + 1 : n * 3) { // any matrix: sums of powers of its values are traces
        for (int e = -30; e <= 30; e += 30) {
            const long double by = powl(10, e);
            struct matrix a = make(n, n);
            for (int i = 0; i < n * n; i++) a.v[i] *= by;
            send(&a);
            find(h, "any matrix", &a, w, v);
            wide first = 0, second = 0, values = 0, squares = 0;
            for (int i = 0; i < n; i++) {
                first += a.v[i + i * n] / by;
                values += w[i] / by, squares += w[i] / by * (w[i] / by);
                for (int j = 0; j < n; j++) second += a.v[i + j * n] / by * (a.v[j + i * n] / by);
            }
            CHECK(cabsl(first - values) <= tolerance * n &&
                      cabsl(second - squares) <= tolerance * n * n,
                  "traces of %d rows times 1e%d", n, e);
        }
    }
    // A circle of seven has the roots of one; blocks of a quarter turn repeat a pair; and with ones above them it has too few vectors.
    enum { SEVEN = 7, EIGHT = 8 };
    struct matrix circle = make(SEVEN, SEVEN), turns = make(EIGHT, EIGHT),
                  jordan = make(EIGHT, EIGHT), none = make(EIGHT, EIGHT);
    for (int i = 0; i < SEVEN * SEVEN; i++) circle.v[i] = i % SEVEN == (i / SEVEN + 1) % SEVEN;
    for (int i = 0; i < SEVEN; i++)
        expected[i] = cosl(2 * pi * i / SEVEN) + I * sinl(2 * pi * i / SEVEN);
    send(&circle), find(h, "a circle", &circle, w, v),
        expect_values("a circle", w, expected, SEVEN, tolerance);
    for (int has_ones = 0; has_ones < 2; has_ones++) {
        for (int i = 0; i < EIGHT * EIGHT; i++) turns.v[i] = 0;
        for (int i = 0; i < EIGHT; i += 2) {
            turns.v[i + 1 + i * EIGHT] = 1, turns.v[i + (i + 1) * EIGHT] = -1;
            if (has_ones && i) turns.v[i - 2 + i * EIGHT] = turns.v[i - 1 + (i + 1) * EIGHT] = 1;
            expected[i] = I, expected[i + 1] = -I;
        }
        send(&turns), find(h, "quarter turns", &turns, w, v);
        // four times the same value: a rounding moves it by its fourth root
        expect_values("quarter turns", w, expected, EIGHT,
                      has_ones ? powl(is_complex ? 1e-6L : 1e-15L, 0.25L) : tolerance);
    }
    for (int value = 0; value < 3; value += 2) {
        for (int i = 0; i < EIGHT * EIGHT; i++)
            jordan.v[i] = i % EIGHT == i / EIGHT ? value : i % EIGHT == i / EIGHT - 1;
        for (int i = 0; i < EIGHT; i++) expected[i] = value;
        send(&jordan), find(h, "Jordan's block", &jordan, w, v),
            expect_values("Jordan's block", w, expected, EIGHT, 0);
    }
    for (int i = 0; i < EIGHT * EIGHT; i++) none.v[i] = 0;
    for (int i = 0; i < EIGHT; i++) expected[i] = 0;
    send(&none), find(h, "nothing", &none, w, v), expect_values("nothing", w, expected, EIGHT, 0);
    // a companion matrix: the zeros of its polynomial, (x - 1) (x - 2) ... (x - 6)
    const int factors[7] = {1, -21, 175, -735, 1624, -1764, 720};
    struct matrix companion = make(6, 6);
    for (int i = 0; i < 36; i++)
        companion.v[i] = i % 6 == 0 ? -factors[i / 6 + 1] : i % 6 == i / 6 + 1;
    for (int i = 0; i < 6; i++) expected[i] = i + 1;
    send(&companion), find(h, "a polynomial", &companion, w, v),
        expect_values("a polynomial", w, expected, 6, is_complex ? 0.05L : 1e-9L);
    // values as all real parts, then all imaginary ones; no number has none
    if (!is_complex) {
        const at_t values = memory(2 * SEVEN), info = memory(1), work = memory(400);
        double d[2 * SEVEN];
        send(&circle);
        CHECK(!cusolverDnXgeev(h, NULL, 0, 0, SEVEN, 1, circle.at, SEVEN, 1, values, 1, 0, SEVEN, 1,
                               0, SEVEN, 1, work, 3200, NULL, 0, info),
              "real parts apart");
        cuMemcpyDtoH(d, values, sizeof d);
        for (int i = 0; i < SEVEN; i++) {
            w[i] = d[i] + I * (wide)d[SEVEN + i];
            expected[i] = cosl(2 * pi * i / SEVEN) + I * sinl(2 * pi * i / SEVEN);
        }
        expect_values("real parts apart", w, expected, SEVEN, tolerance);
        circle.v[3] = NAN, send(&circle);
        CHECK(!cusolverDnXgeev(h, NULL, 0, 0, SEVEN, 1, circle.at, SEVEN, 1, values, 1, 0, SEVEN, 1,
                               0, SEVEN, 1, work, 3200, NULL, 0, info) &&
                  integer(info, 0) == SEVEN,
              "what is no number has no values");
    }
}

// Handles and matrices live until the program ends: the sanitizers look for wrong accesses here, not for leaks.
__attribute__((visibility("default"))) int __lsan_is_turned_off(void);
int __lsan_is_turned_off(void) { return 1; }

int main(int argc, char **argv) {
    CUcontext context;
    CUdevice device;
    handle_t solver, blas;
    cuInit(0), cuDeviceGet(&device, 0), cuCtxCreate(&context, 0, device);
    CHECK(!cusolverDnCreate(&solver) && !cublasCreate_v2(&blas), "handles");
    if (argc > 1 && !strcmp(argv[1], "refused")) {
        return cusolverDnXlarft(solver) != 9;
    }
    for (int type = 0; type < 2; type++) {
        is_complex = type;
        tolerance = is_complex ? 2e-4 : 1e-11;
        systems(solver), decompositions(solver), extremes(solver), residuals(solver), batches(blas), more(solver);
        forms(solver), general(solver);
    }
    CHECK(!cusolverDnDestroy(solver) && !cublasDestroy_v2(blas), "the end");
    if (!failed) puts("ok");
    return failed != 0;
}
