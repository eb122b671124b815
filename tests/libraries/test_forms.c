// cuBLAS's matrices of every form (full, band, packed; triangular, symmetric, Hermitian) and its rotations against what their
// definitions say, computed in long double on the host: sizes off the edges of blocks, larger leading dimensions, steps of either
// sign, factors on either side, and NaN wherever nothing may be read. OpenBLAS is asked in tests/clients/blas.sh.
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
typedef const void *factor_t;
typedef long double complex wide;
int cublasCreate_v2(handle_t *), cublasDestroy_v2(handle_t), cublasSetPointerMode_v2(handle_t, int);
// The calls of two types: double precision, and complex single precision.
#define BOTH(name, ...) int cublasD##name(__VA_ARGS__), cublasC##name(__VA_ARGS__);
#define REAL_AND_COMPLEX(d, c, ...) int cublasD##d(__VA_ARGS__), cublasC##c(__VA_ARGS__);
BOTH(gbmv_v2, handle_t, int, int, int, int, int, factor_t, at_t, int, at_t, int, factor_t, at_t, int)
BOTH(gemv_v2_64, handle_t, int, int64_t, int64_t, factor_t, at_t, int64_t, at_t, int64_t, factor_t, at_t, int64_t)
REAL_AND_COMPLEX(symv_v2, hemv_v2, handle_t, int, int, factor_t, at_t, int, at_t, int, factor_t, at_t, int)
REAL_AND_COMPLEX(sbmv_v2, hbmv_v2, handle_t, int, int, int, factor_t, at_t, int, at_t, int, factor_t, at_t, int)
REAL_AND_COMPLEX(spmv_v2, hpmv_v2, handle_t, int, int, factor_t, at_t, at_t, int, factor_t, at_t, int)
BOTH(trmv_v2, handle_t, int, int, int, int, at_t, int, at_t, int)
BOTH(trsv_v2, handle_t, int, int, int, int, at_t, int, at_t, int)
BOTH(tbmv_v2, handle_t, int, int, int, int, int, at_t, int, at_t, int)
BOTH(tbsv_v2, handle_t, int, int, int, int, int, at_t, int, at_t, int)
BOTH(tpmv_v2, handle_t, int, int, int, int, at_t, at_t, int)
BOTH(tpsv_v2, handle_t, int, int, int, int, at_t, at_t, int)
REAL_AND_COMPLEX(syr_v2, her_v2, handle_t, int, int, factor_t, at_t, int, at_t, int)
REAL_AND_COMPLEX(spr2_v2, hpr2_v2, handle_t, int, int, factor_t, at_t, int, at_t, int, at_t)
REAL_AND_COMPLEX(symm_v2, hemm_v2, handle_t, int, int, int, int, factor_t, at_t, int, at_t, int, factor_t, at_t, int)
REAL_AND_COMPLEX(syrk_v2, herk_v2, handle_t, int, int, int, int, factor_t, at_t, int, factor_t, at_t, int)
REAL_AND_COMPLEX(syr2k_v2, her2k_v2, handle_t, int, int, int, int, factor_t, at_t, int, at_t, int, factor_t, at_t, int)
BOTH(trmm_v2, handle_t, int, int, int, int, int, int, factor_t, at_t, int, at_t, int, at_t, int)
BOTH(geam, handle_t, int, int, int, int, factor_t, at_t, int, factor_t, at_t, int, at_t, int)
BOTH(dgmm, handle_t, int, int, int, at_t, int, at_t, int, at_t, int)
BOTH(gemm_v2, handle_t, int, int, int, int, int, factor_t, at_t, int, at_t, int, factor_t, at_t, int)
BOTH(rot_v2, handle_t, int, at_t, int, at_t, int, factor_t, factor_t)
BOTH(rotg_v2, handle_t, void *, void *, void *, void *)
int cublasDrotmg_v2(handle_t, double *, double *, double *, const double *, double *);
int cublasDrotm_v2(handle_t, int, at_t, int, at_t, int, const double *);
int cublasDznrm2_v2(handle_t, int, at_t, int, double *), cublasDscal_v2(handle_t, int, factor_t, at_t, int);
#define CALL(d, c, ...) (is_complex ? cublasC##c(__VA_ARGS__) : cublasD##d(__VA_ARGS__))

enum { LOWER, UPPER };
enum { N = 37, LEAD = 41, ALL = LEAD * 48 };
static bool is_complex, is_there; // is_there: factors lie on the device
static handle_t h;
static int failed;
static uint32_t seed = 3;

static long double eighth(void) {
    seed = seed * 1664525 + 1013904223;
    return (long double)((int)(seed >> 16) % 33 - 16) / 8;
}
static wide number(void) {
    const long double re = eighth();
    return is_complex ? re + I * eighth() : re;
}

// Elements on the host (`v`, as they should be after the call) and on the device. What was never put holds NaN.
struct buffer {
    wide v[ALL];
    bool holds[ALL];
    at_t at;
};
static size_t element(void) { return 8; } // a double, or two floats
static void encode(void *to, wide v) {
    const float f[2] = {(float)creall(v), (float)cimagl(v)};
    const double d = (double)creall(v);
    memcpy(to, is_complex ? (const void *)f : &d, 8);
}
static struct buffer *made(void) {
    struct buffer *const b = calloc(1, sizeof *b);
    cuMemAlloc(&b->at, ALL * element());
    return b;
}
static void put(struct buffer *b, int i, wide v) {
    b->v[i] = v;
    b->holds[i] = true;
}
static void send(const struct buffer *b) {
    char *const host = malloc(ALL * element());
    for (int i = 0; i < ALL; i++) encode(host + 8 * i, b->holds[i] ? b->v[i] : NAN + (is_complex ? I * NAN : 0));
    cuMemcpyHtoD(b->at, host, ALL * element());
    free(host);
}
// Compares all of the buffer with `v`, also what must have stayed NaN.
static void check(const struct buffer *b, const char *what, int status) {
    char *const host = malloc(ALL * element());
    cuMemcpyDtoH(host, b->at, ALL * element());
    const long double tolerance = is_complex ? 2e-4L : 1e-11L;
    for (int i = 0; i < ALL; i++) {
        float f[2];
        double d;
        memcpy(f, host + 8 * i, 8);
        memcpy(&d, host + 8 * i, 8);
        const wide got = is_complex ? f[0] + I * f[1] : (wide)d;
        const bool is_right = b->holds[i] ? cabsl(got - b->v[i]) <= tolerance * (1 + cabsl(b->v[i])) : isnan(creall(got));
        if (is_right && !status) continue;
        failed++;
        printf("FAILED %s (complex %d, there %d): status %d, element %d is %Lg%+Lgi, should be %Lg%+Lgi\n", what, is_complex, is_there, status,
               i, creall(got), cimagl(got), creall(b->v[i]), cimagl(b->v[i]));
        break;
    }
    free(host);
}
static void drop(struct buffer *b) {
    cuMemFree(b->at);
    free(b);
}
// A factor where the handle expects it; as a real number for calls that say so.
static factor_t factor(wide v, int slot, bool is_real) {
    static char host[2][8];
    static at_t there;
    const float f = (float)creall(v);
    if (is_real && is_complex)
        memcpy(host[slot], &f, 4);
    else
        encode(host[slot], v);
    if (!is_there) return host[slot];
    if (!there) cuMemAlloc(&there, 64);
    cuMemcpyHtoD(there + 8 * (size_t)slot, host[slot], 8);
    return (factor_t)(uintptr_t)(there + 8 * (size_t)slot);
}

static int place(int i, int step) { return step > 0 ? i * step : (i - N + 1) * step; }
static void vector(struct buffer *b, wide v[N], int step) {
    for (int i = 0; i < N; i++) put(b, place(i, step), v[i] = number());
    send(b);
}
static wide taken(wide a[N][N], int op, int i, int j) { return op == 0 ? a[i][j] : op == 1 ? a[j][i] : conjl(a[j][i]); }

enum form { FULL, BAND, PACKED };
enum { DIAGONALS = 3 };
// Stores one triangle of a Hermitian or triangular matrix, and fills in the whole of it.
static struct buffer *stored(enum form form, bool is_hermitian, bool is_unit, int fill, wide whole[N][N]) {
    struct buffer *const b = made();
    memset(whole, 0, sizeof(wide[N][N]));
    for (int j = 0; j < N; j++)
        for (int i = fill == LOWER ? j : 0; i < (fill == LOWER ? N : j + 1); i++) {
            if (form == BAND && abs(i - j) > DIAGONALS) continue;
            wide v = is_hermitian ? number() : i == j ? 2 + number() / 16 : number() / 64;
            const int at = form == FULL     ? i + j * LEAD
                           : form == BAND   ? (fill == UPPER ? DIAGONALS : 0) + i - j + j * (DIAGONALS + 2)
                           : fill == UPPER ? i + j * (j + 1) / 2
                                           : i + (2 * N - j - 1) * j / 2;
            if (!is_unit || i != j) put(b, at, v);
            if (is_hermitian && i == j) v = creall(v);
            if (is_unit && i == j) v = 1;
            whole[i][j] = v;
            if (is_hermitian) whole[j][i] = conjl(v);
        }
    send(b);
    return b;
}

static void matrix_vector(void) {
    static wide a[N][N], x[N], y[N];
    const wide alpha = number() + 3, beta = number() + 5;
    for (int form = FULL; form <= PACKED; form++)
        for (int fill = LOWER; fill <= UPPER; fill++) {
            struct buffer *const m = stored((enum form)form, true, false, fill, a), *const bx = made(), *const by = made();
            vector(bx, x, -2);
            vector(by, y, 3);
            for (int i = 0; i < N; i++) {
                wide sum = 0;
                for (int j = 0; j < N; j++) sum += a[i][j] * x[j];
                put(by, place(i, 3), alpha * sum + beta * y[i]);
            }
            const factor_t f = factor(alpha, 0, false), g = factor(beta, 1, false);
            const int s = form == FULL   ? CALL(symv_v2, hemv_v2, h, fill, N, f, m->at, LEAD, bx->at, -2, g, by->at, 3)
                          : form == BAND ? CALL(sbmv_v2, hbmv_v2, h, fill, N, DIAGONALS, f, m->at, DIAGONALS + 2, bx->at, -2, g, by->at, 3)
                                         : CALL(spmv_v2, hpmv_v2, h, fill, N, f, m->at, bx->at, -2, g, by->at, 3);
            check(by, form == FULL ? "symv" : form == BAND ? "sbmv" : "spmv", s);
            drop(m), drop(bx), drop(by);
        }
    for (int op = 0; op < 3; op++) { // general, and banded with 2 below and 1 above
        struct buffer *const m = made(), *const band = made(), *const bx = made(), *const by = made(), *const bz = made();
        memset(a, 0, sizeof a);
        vector(bx, x, 1);
        for (int j = 0; j < N; j++)
            for (int i = 0; i < N; i++) {
                put(m, i + j * LEAD, a[i][j] = number());
                if (i - j <= 2 && j - i <= 1) put(band, 1 + i - j + j * 5, a[i][j]);
            }
        send(m), send(band);
        // what is to be overwritten holds NaN: beta is zero
        for (int i = 0; i < N; i++) {
            wide sum = 0, banded = 0;
            for (int j = 0; j < N; j++) {
                sum += taken(a, op, i, j) * x[j];
                const int below = op ? j - i : i - j;
                if (below <= 2 && -below <= 1) banded += taken(a, op, i, j) * x[j];
            }
            put(by, place(i, -1), alpha * sum), put(bz, place(i, 1), alpha * banded);
        }
        char *const nothing = malloc(ALL * element());
        memset(nothing, 0xff, ALL * element());
        cuMemcpyHtoD(by->at, nothing, ALL * element()), cuMemcpyHtoD(bz->at, nothing, ALL * element());
        free(nothing);
        const factor_t f = factor(alpha, 0, false), g = factor(0, 1, false);
        check(by, "gemv", CALL(gemv_v2_64, gemv_v2_64, h, op, N, N, f, m->at, LEAD, bx->at, 1, g, by->at, -1));
        check(bz, "gbmv", CALL(gbmv_v2, gbmv_v2, h, op, N, N, 2, 1, f, band->at, 5, bx->at, 1, g, bz->at, 1));
        drop(m), drop(band), drop(bx), drop(by), drop(bz);
    }
}

static void triangles(void) {
    static wide a[N][N], x[N];
    for (int form = FULL; form <= PACKED; form++)
        for (int way = 0; way < 12; way++) {
            const int fill = way & 1, unit = way >> 1 & 1, op = way / 4;
            struct buffer *const m = stored((enum form)form, false, unit, fill, a), *const b = made();
            vector(b, x, -1);
            for (int i = 0; i < N; i++) {
                wide sum = 0;
                for (int j = 0; j < N; j++) sum += taken(a, op, i, j) * x[j];
                put(b, place(i, -1), sum);
            }
            const int s = form == FULL   ? CALL(trmv_v2, trmv_v2, h, fill, op, unit, N, m->at, LEAD, b->at, -1)
                          : form == BAND ? CALL(tbmv_v2, tbmv_v2, h, fill, op, unit, N, DIAGONALS, m->at, DIAGONALS + 2, b->at, -1)
                                         : CALL(tpmv_v2, tpmv_v2, h, fill, op, unit, N, m->at, b->at, -1);
            check(b, form == FULL ? "trmv" : form == BAND ? "tbmv" : "tpmv", s);
            for (int i = 0; i < N; i++) put(b, place(i, -1), x[i]); // solved, it is there again
            const int t = form == FULL   ? CALL(trsv_v2, trsv_v2, h, fill, op, unit, N, m->at, LEAD, b->at, -1)
                          : form == BAND ? CALL(tbsv_v2, tbsv_v2, h, fill, op, unit, N, DIAGONALS, m->at, DIAGONALS + 2, b->at, -1)
                                         : CALL(tpsv_v2, tpsv_v2, h, fill, op, unit, N, m->at, b->at, -1);
            check(b, form == FULL ? "trsv" : form == BAND ? "tbsv" : "tpsv", t);
            drop(m), drop(b);
        }
}

// The elements of a triangle of buffer b become those of `whole`; a Hermitian diagonal is real.
static void expect(struct buffer *b, enum form form, int fill, wide whole[N][N]) {
    for (int j = 0; j < N; j++)
        for (int i = fill == LOWER ? j : 0; i < (fill == LOWER ? N : j + 1); i++)
            put(b, form == FULL ? i + j * LEAD : fill == UPPER ? i + j * (j + 1) / 2 : i + (2 * N - j - 1) * j / 2,
                i == j ? creall(whole[i][j]) : whole[i][j]);
}
static void updates(void) {
    static wide a[N][N], x[N], y[N], p[N][N], q[N][N];
    enum { K = 9 };
    for (int fill = LOWER; fill <= UPPER; fill++) {
        struct buffer *const full = stored(FULL, true, false, fill, a), *const bx = made(), *const by = made();
        const wide alpha = number() + 3;
        const long double real = creall(alpha);
        vector(bx, x, -1), vector(by, y, 2);
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++) a[i][j] += real * x[i] * conjl(x[j]);
        expect(full, FULL, fill, a);
        check(full, "syr", CALL(syr_v2, her_v2, h, fill, N, factor(real, 0, true), bx->at, -1, full->at, LEAD));
        drop(full);
        struct buffer *const packed = stored(PACKED, true, false, fill, a);
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++) a[i][j] += alpha * x[i] * conjl(y[j]) + conjl(alpha) * y[i] * conjl(x[j]);
        expect(packed, PACKED, fill, a);
        check(packed, "spr2", CALL(spr2_v2, hpr2_v2, h, fill, N, factor(alpha, 0, false), bx->at, -1, by->at, 2, packed->at));
        drop(packed), drop(bx), drop(by);
        for (int swaps = 0; swaps < 2; swaps++) { // p and q: N x K, or K x N where they are taken transposed
            struct buffer *const bp = made(), *const bq = made();
            for (int i = 0; i < N; i++)
                for (int k = 0; k < K; k++) {
                    const int at = swaps ? k + i * LEAD : i + k * LEAD;
                    put(bp, at, p[i][k] = number()), put(bq, at, q[i][k] = number());
                    if (swaps) p[i][k] = conjl(p[i][k]), q[i][k] = conjl(q[i][k]);
                }
            send(bp), send(bq);
            const int op = !swaps ? 0 : is_complex ? 2 : 1;
            struct buffer *const c = stored(FULL, true, false, fill, a), *const d = stored(FULL, true, false, fill, a);
            static wide once[N][N], twice[N][N];
            for (int i = 0; i < N; i++)
                for (int j = 0; j < N; j++) {
                    wide pp = 0, pq = 0, qp = 0;
                    for (int k = 0; k < K; k++) pp += p[i][k] * conjl(p[j][k]), pq += p[i][k] * conjl(q[j][k]), qp += q[i][k] * conjl(p[j][k]);
                    twice[i][j] = alpha * pq + conjl(alpha) * qp + 2 * a[i][j];
                    once[i][j] = real * pp; // beta is zero: c is overwritten
                }
            expect(d, FULL, fill, twice);
            check(d, "syr2k", CALL(syr2k_v2, her2k_v2, h, fill, op, N, K, factor(alpha, 0, false), bp->at, LEAD, bq->at, LEAD, factor(2, 1, true), d->at, LEAD));
            expect(c, FULL, fill, once);
            check(c, "syrk", CALL(syrk_v2, herk_v2, h, fill, op, N, K, factor(real, 0, true), bp->at, LEAD, factor(0, 1, true), c->at, LEAD));
            drop(bp), drop(bq), drop(c), drop(d);
        }
    }
}

static void products(void) {
    enum { COLUMNS = 5 };
    static wide a[N][N], b[N][N];
    for (int way = 0; way < 24; way++) {
        const int side = way & 1, fill = way >> 1 & 1, unit = way >> 2 & 1, op = way / 8;
        const int m = side ? COLUMNS : N, n = side ? N : COLUMNS;
        const wide alpha = number() + 3, beta = number() + 5;
        struct buffer *const t = stored(FULL, false, unit, fill, a), *const c = made(), *const bb = made(), *const out = made();
        for (int j = 0; j < n; j++)
            for (int i = 0; i < m; i++) put(c, i + j * LEAD, b[i][j] = number()), put(bb, i + j * LEAD, b[i][j]);
        send(c), send(bb), send(out);
        for (int j = 0; j < n; j++)
            for (int i = 0; i < m; i++) {
                wide sum = 0;
                for (int k = 0; k < N; k++) sum += side ? b[i][k] * taken(a, op, k, j) : taken(a, op, i, k) * b[k][j];
                put(c, i + j * LEAD, alpha * sum), put(out, i + j * LEAD, alpha * sum);
            }
        check(c, "trmm in place",
              CALL(trmm_v2, trmm_v2, h, side, fill, op, unit, m, n, factor(alpha, 0, false), t->at, LEAD, c->at, LEAD, c->at, LEAD));
        check(out, "trmm",
              CALL(trmm_v2, trmm_v2, h, side, fill, op, unit, m, n, factor(alpha, 0, false), t->at, LEAD, bb->at, LEAD, out->at, LEAD));
        drop(t), drop(c);
        if (!op && !unit) {
            struct buffer *const s = stored(FULL, true, false, fill, a);
            for (int j = 0; j < n; j++)
                for (int i = 0; i < m; i++) {
                    wide sum = 0;
                    for (int k = 0; k < N; k++) sum += side ? b[i][k] * a[k][j] : a[i][k] * b[k][j];
                    put(out, i + j * LEAD, alpha * sum + beta * out->v[i + j * LEAD]);
                }
            check(out, "symm", CALL(symm_v2, hemm_v2, h, side, fill, m, n, factor(alpha, 0, false), s->at, LEAD, bb->at, LEAD,
                                    factor(beta, 1, false), out->at, LEAD));
            drop(s);
        }
        drop(bb), drop(out);
    }
}

static void sums(void) {
    static wide a[N][N], b[N][N], x[N];
    for (int op = 0; op < 3; op++) {
        struct buffer *const ba = made(), *const bb = made(), *const bc = made(), *const bx = made(), *const bd = made(), *const none = made();
        const wide alpha = number() + 3, beta = number() + 5;
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++) put(ba, i + j * LEAD, a[i][j] = number()), put(bb, i + j * LEAD, b[i][j] = number());
        vector(bx, x, -1), send(ba), send(bb), send(bc), send(bd), send(none);
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++)
                put(bc, i + j * LEAD, alpha * taken(a, op, i, j) + beta * taken(b, (op + 1) % 3, i, j)), put(bd, i + j * LEAD, a[i][j] * x[j]);
        check(bc, "geam", CALL(geam, geam, h, op, (op + 1) % 3, N, N, factor(alpha, 0, false), ba->at, LEAD, factor(beta, 1, false), bb->at, LEAD, bc->at, LEAD));
        check(bd, "dgmm", CALL(dgmm, dgmm, h, 1, N, N, ba->at, LEAD, bx->at, -1, bd->at, LEAD));
        // a factor of zero: what it belongs to holds NaN, and is not read
        for (int i = 0; i < ALL; i++) if (bb->holds[i]) put(bb, i, beta * bb->v[i]);
        check(bb, "gemm with alpha = 0", CALL(gemm_v2, gemm_v2, h, 0, 1, N, N, N, factor(0, 0, false), none->at, LEAD, none->at, LEAD,
                                             factor(beta, 1, false), bb->at, LEAD));
        drop(ba), drop(bb), drop(bc), drop(bx), drop(bd), drop(none);
    }
}

static void expect_number(const char *what, double got, double want, double tolerance) {
    if (fabs(got - want) <= tolerance * (1 + fabs(want))) return;
    failed++;
    printf("FAILED %s: %.17g, should be %.17g\n", what, got, want);
}
static void rotations(void) {
    static wide x[N], y[N];
    struct buffer *const bx = made(), *const by = made();
    vector(bx, x, 1), vector(by, y, -2);
    const wide c = .6L, s = is_complex ? .48L - .64L * I : .8L;
    for (int i = 0; i < N; i++) put(bx, place(i, 1), c * x[i] + s * y[i]), put(by, place(i, -2), c * y[i] - conjl(s) * x[i]);
    const int status = CALL(rot_v2, rot_v2, h, N, bx->at, 1, by->at, -2, factor(c, 0, true), factor(s, 1, false));
    check(bx, "rot", status), check(by, "rot", status);
    drop(bx), drop(by);
    // made on the host: the second of two numbers vanishes
    cublasSetPointerMode_v2(h, 0);
    if (is_complex) {
        float a[2] = {3, -4}, b[2] = {1, 2}, cosine, sine[2];
        const float complex p = 3 - 4 * I, q = 1 + 2 * I;
        expect_number("rotg's status", cublasCrotg_v2(h, a, b, &cosine, sine), 0, 0);
        const float complex r = a[0] + I * a[1], t = sine[0] + I * sine[1];
        expect_number("crotg: r", (double)cabsf(cosine * p + t * q - r), 0, 1e-6);
        expect_number("crotg: 0", (double)cabsf(cosine * q - conjf(t) * p), 0, 1e-6);
        expect_number("crotg: length", (double)cabsf(r), sqrt(30), 1e-6);
    } else {
        double a = 3e200, b = -4e200, cosine, sine, d1 = 2, d2 = 3, px = 5, flags[5] = {0};
        const double py = 7;
        cublasDrotg_v2(h, &a, &b, &cosine, &sine);
        expect_number("rotg: r", a / 1e200, -5, 1e-14), expect_number("rotg: c", cosine, -.6, 1e-14);
        expect_number("rotg: s", sine, .8, 1e-14), expect_number("rotg: z", b, 1 / -.6, 1e-14);
        cublasDrotmg_v2(h, &d1, &d2, &px, &py, flags);
        struct buffer *const v = made(), *const w = made();
        put(v, 0, 5), put(w, 0, 7), send(v), send(w);
        put(v, 0, px), put(w, 0, 0); // the second one vanishes, the first is what rotmg says
        const int ended = cublasDrotm_v2(h, 1, v->at, 1, w->at, 1, flags);
        check(v, "rotm", ended), check(w, "rotm", ended);
        expect_number("rotmg: d1 x^2", d1 * px * px, 2 * 25 + 3 * 49, 1e-14);
        drop(v), drop(w);
        // squares that would overflow, or vanish
        at_t at;
        double norm, pairs[4] = {3e200, 0, 0, 4e200};
        cuMemAlloc(&at, sizeof pairs);
        for (int small = 0; small < 2; small++) {
            for (int i = 0; i < 4 && small; i++) pairs[i] = pairs[i] * 1e-250 * 1e-150;
            cuMemcpyHtoD(at, pairs, sizeof pairs);
            expect_number("nrm2's status", cublasDznrm2_v2(h, 2, at, 1, &norm), 0, 0);
            expect_number("nrm2", norm / (small ? 1e-200 : 1e200), 5, 1e-14);
        }
        cuMemFree(at);
    }
}

int main(void) {
    CUcontext context;
    cuInit(0);
    cuDevicePrimaryCtxRetain(&context, 0);
    cuCtxSetCurrent(context);
    if (cublasCreate_v2(&h)) return 1;
    for (int way = 0; way < 3; way++) {
        is_complex = way != 1;
        is_there = way == 2;
        cublasSetPointerMode_v2(h, is_there);
        matrix_vector();
        if (!is_there) triangles();
        updates();
        products();
        sums();
        rotations();
    }
    cublasDestroy_v2(h);
    if (!failed) puts("all forms are right");
    return failed != 0;
}
