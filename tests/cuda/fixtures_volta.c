// The fat binaries of those programs of this folder that need compute capability 7.0, as nvcc 13.0
// wrote them, on a v100 and an rtx2060s: independent threads, tensor cores, large grids,
// cooperative launches, shared memory beyond 48 KB. Host sides are written here again, so expected
// values are those of the .cu files.
#include "fixture.h"

cudaError_t cudaMemset(void *, int, size_t);
cudaError_t cudaDeviceGetAttribute(int *, int, int);
cudaError_t cudaFuncSetAttribute(const void *, int, int);

// Names of product<M, N, K, T, C, LA, LB> as the compiler writes them.
#define ROW_COL "N6nvcuda4wmma9row_majorENS2_9col_majorE"
struct fixture fixtures[] = {
    {"independent",
     {"_Z4lockPiS_", "_Z9hand_overPViPi", "_Z5masksPj", "_Z5atomsPdP7__half2P6__halfPyPt"}},
    {"large_grid", {"_Z5countPyPj"}},
    {"launches", {"_Z4meetPi", "_Z5plainPii"}},
    {"shared_memory", {"_Z7reversePii", "_Z5smallPi"}},
    {"tensor",
     {"_Z7nibblesPKiS0_PiS1_", "_Z7by_handPK6__halfS1_Pf",
      "_Z7productILi16ELi16ELi16E6__halff" ROW_COL "EvPKT2_S7_PT3_",
      "_Z7productILi16ELi16ELi16EaiN6nvcuda4wmma9row_majorENS1_9col_majorEEvPKT2_S6_PT3_"}},
};
enum { FIXTURES = sizeof fixtures / sizeof fixtures[0] };
const int n_fixtures = FIXTURES;

static void *zeroed(size_t bytes) {
    void *p;
    OK(cudaMalloc(&p, bytes));
    OK(cudaMemset(p, 0, bytes));
    return p;
}
static void read_back(void *to, const void *from, size_t bytes) {
    OK(cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToHost));
}
static void *copy_of(const void *from, size_t bytes) {
    void *p = zeroed(bytes);
    OK(cudaMemcpy(p, from, bytes, cudaMemcpyHostToDevice));
    return p;
}

// A small whole number as a half.
static unsigned short half_of(int v) {
    const unsigned sign = v < 0 ? 0x8000 : 0, n = (unsigned)abs(v);
    unsigned exponent = 0;
    while (n >> exponent > 1) exponent++;
    return n ? (unsigned short)(sign | (exponent + 15) << 10 | (n << (10 - exponent) & 0x3ff)) : 0;
}

static void independent(void) {
    int *m = zeroed(4096), *count = m + 1, *flag = m + 2, *out = m + 16, h[16];
    unsigned o[35];
    LAUNCH("independent", 0, 3, 64, &m, &count);
    read_back(h, m, 8);
    CHECK(h[0] == 0 && h[1] == 192);
    LAUNCH("independent", 1, 1, 32, &flag, &out);
    read_back(h, out, sizeof h);
    for (int i = 0; i < 16; i++) CHECK(h[i] == 7);
    LAUNCH("independent", 2, 1, 32, &m);
    read_back(o, m, sizeof o);
    for (unsigned l = 1; l < 32; l += 2) CHECK(o[l] == (l ^ 2) + 5 + 8);
    for (unsigned l = 0; l < 32; l += 2) CHECK(o[l] == 0x55u << l / 8 * 8);
    CHECK(o[32] == 0xffffffffu && o[33] == 1);
    double *d = zeroed(128), sum;
    unsigned *h2 = (unsigned *)d + 4, *one = h2 + 1;
    unsigned long long *u = (unsigned long long *)(d + 8), w[3];
    unsigned short *c = (unsigned short *)(h2 + 2) + 1, halves[6];
    LAUNCH("independent", 3, 4, 64, &d, &h2, &one, &u, &c);
    read_back(&sum, d, sizeof sum);
    read_back(halves, h2, sizeof halves);
    read_back(w, u, sizeof w);
    CHECK(sum == 128 && halves[0] == half_of(256) && halves[1] == half_of(512));
    CHECK(halves[2] == half_of(256) && halves[4] == 0 && halves[5] == 8);
    CHECK(w[0] == (1ull << 40 | 63) && w[1] == 256 && w[2] == 512);
}

static void grids(void) {
    unsigned long long *n = zeroed(8), h;
    unsigned *far = zeroed(4), last;
    LAUNCH("large_grid", 0, 200000, 32, &n, &far);
    read_back(&h, n, 8);
    read_back(&last, far, 4);
    CHECK(h == 196 && last == 199999);
    int *p = zeroed(512), v[128], nine = 9;
    void *args[] = {&p};
    OK(cudaLaunchCooperativeKernel(kernel("launches", 0), (dim3){8, 1, 1}, (dim3){64, 1, 1}, args,
                                   0, NULL));
    read_back(v, p, sizeof v);
    for (int i = 0; i < 8; i++) CHECK(v[i] == i && v[64 + i] == (i + 1) % 8);
    LAUNCH("launches", 1, 1, 64, &p, &nine);
    read_back(v, p, sizeof v);
    CHECK(v[0] == 9 && v[63] == 9 && v[64] == 1);
}

static void shared_memory(void) {
    enum { MOST_A_BLOCK = 97, MOST_DYNAMIC = 8 }; // cudaDevAttr..., cudaFuncAttribute...
    const void *reverse = kernel("shared_memory", 0);
    int most, h[256];
    OK(cudaDeviceGetAttribute(&most, MOST_A_BLOCK, 0));
    CHECK(most == 65536 || most == 98304);
    int *p = zeroed((size_t)most), n = most / 4;
    void *args[] = {&p, &n};
    const dim3 grid = {2, 1, 1}, block = {256, 1, 1};
    IS(cudaLaunchKernel(reverse, grid, block, args, (size_t)most, NULL), cudaErrorInvalidValue);
    IS(cudaFuncSetAttribute(reverse, MOST_DYNAMIC, most + 4), cudaErrorInvalidValue);
    cudaGetLastError();
    OK(cudaFuncSetAttribute(reverse, MOST_DYNAMIC, most));
    OK(cudaLaunchKernel(reverse, grid, block, args, (size_t)most, NULL));
    read_back(h, p, 8);
    CHECK(h[0] == n - 1 && h[1] == n - 2);
    LAUNCH("shared_memory", 1, 1, 256, &p);
    read_back(h, p, sizeof h);
    for (int i = 0; i < 256; i++) CHECK(h[i] == 255 - i);
}

static void tensor(void) {
    int h[128], c[64], d[64];
    for (int i = 0; i < 128; i++) h[i] = (int)(0x9e3779b9u * (unsigned)(i + 1));
    int *a = copy_of(h, 256), *b = copy_of(h + 64, 256), *dc = zeroed(256), *dd = zeroed(256);
    LAUNCH("tensor", 0, 1, 32, &a, &b, &dc, &dd);
    read_back(c, dc, sizeof c);
    read_back(d, dd, sizeof d);
    for (int i = 0; i < 64; i++) {
        int sum = 0, bits = 0;
        for (int w = 0; w < 4; w++) {
            const unsigned x = (unsigned)h[i / 8 * 4 + w], y = (unsigned)h[64 + i % 8 * 4 + w];
            for (int k = 0; k < 32; k += 4)
                sum += ((int)(x << (28 - k)) >> 28) * ((int)(y << (28 - k)) >> 28);
            bits += __builtin_popcount(x ^ y);
        }
        CHECK(c[i] == sum && d[i] == bits);
    }
    unsigned short ha[256], hb[256];
    signed char ba[256], bb[256];
    int sums[256];
    float f[256];
    for (int i = 0; i < 256; i++) {
        ba[i] = (signed char)(i * 7 % 11), bb[i] = (signed char)(i * 5 % 13);
        ha[i] = half_of(ba[i]), hb[i] = half_of(bb[i]);
    }
    void *pa = copy_of(ha, sizeof ha), *pb = copy_of(hb, sizeof hb), *pf = zeroed(sizeof f);
    LAUNCH("tensor", 2, 1, 32, &pa, &pb, &pf);
    read_back(f, pf, sizeof f);
    void *qa = copy_of(ba, sizeof ba), *qb = copy_of(bb, sizeof bb), *qs = zeroed(sizeof sums);
    LAUNCH("tensor", 3, 1, 32, &qa, &qb, &qs);
    read_back(sums, qs, sizeof sums);
    for (int i = 0; i < 256; i++) {
        int sum = 1;
        for (int k = 0; k < 16; k++) sum += ba[i / 16 * 16 + k] * bb[i % 16 * 16 + k];
        CHECK(sums[i] == sum && f[i] == (float)sum);
    }
    // 16x8 by 8x8, A by ldmatrix
    LAUNCH("tensor", 1, 1, 32, &pa, &pb, &pf);
    read_back(f, pf, 512);
    for (int i = 0; i < 128; i++) {
        int sum = 2;
        for (int k = 0; k < 8; k++) sum += ba[i / 8 * 8 + k] * bb[k * 8 + i % 8];
        CHECK(f[i] == (float)sum);
    }
}

int main(void) {
    setvbuf(stdout, NULL, _IONBF, 0);
    for (int i = 0; i < FIXTURES; i++) {
        add(&fixtures[i]);
        __cudaRegisterFatBinaryEnd(fixtures[i].handle);
    }
    independent();
    grids();
    shared_memory();
    tensor();
    for (int i = 0; i < FIXTURES; i++) __cudaUnregisterFatBinary(fixtures[i].handle);
    puts("ok");
    return 0;
}
