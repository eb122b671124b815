// Tensor cores: wmma of halves, bytes, 4-bit integers and bits in its shapes, mma and ldmatrix. Sums are of
// small whole numbers, so that every order of adding gives the same.
// expect stdout ok
#include "check.h"
#include <cuda_fp16.h>
#include <mma.h>
#include <vector>
using namespace nvcuda::wmma;

template <int M, int N, int K, class T, class C, class LA, class LB>
__global__ void product(const T *a, const T *b, C *c) {
    fragment<matrix_a, M, N, K, T, LA> fa;
    fragment<matrix_b, M, N, K, T, LB> fb;
    fragment<accumulator, M, N, K, C> fc;
    fill_fragment(fc, C(1));
    load_matrix_sync(fa, a, std::is_same<LA, row_major>::value ? K : M);
    load_matrix_sync(fb, b, std::is_same<LB, row_major>::value ? N : K);
    mma_sync(fc, fa, fb, fc);
    store_matrix_sync(c, fc, N, mem_row_major);
}
static float number(float v) { return v; }
static float number(__half v) { return __half2float(v); }
template <int M, int N, int K, class T, class C, class LA, class LB> void check() {
    const bool ra = std::is_same<LA, row_major>::value, rb = std::is_same<LB, row_major>::value;
    std::vector<T> a(M * K), b(K * N);
    std::vector<C> c(M * N);
    for (int i = 0; i < M * K; i++) a[i] = T(float(i * 7 % 11));
    for (int i = 0; i < K * N; i++) b[i] = T(float(i * 5 % 13));
    T *da, *db;
    C *dc;
    OK(cudaMalloc(&da, sizeof(T) * M * K));
    OK(cudaMalloc(&db, sizeof(T) * K * N));
    OK(cudaMalloc(&dc, sizeof(C) * M * N));
    OK(cudaMemcpy(da, a.data(), sizeof(T) * M * K, cudaMemcpyHostToDevice));
    OK(cudaMemcpy(db, b.data(), sizeof(T) * K * N, cudaMemcpyHostToDevice));
    product<M, N, K, T, C, LA, LB><<<1, 32>>>(da, db, dc);
    OK(cudaMemcpy(c.data(), dc, sizeof(C) * M * N, cudaMemcpyDeviceToHost));
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            float sum = 1;
            for (int k = 0; k < K; k++) sum += number(a[ra ? i * K + k : k * M + i]) * number(b[rb ? k * N + j : j * K + k]);
            CHECK(number(c[i * N + j]) == number(C(sum)));
        }
}

// 4-bit integers and bits: A by rows, B by columns.
__global__ void nibbles(const int *a, const int *b, int *c, int *d) {
    fragment<matrix_a, 8, 8, 32, experimental::precision::s4, row_major> fa;
    fragment<matrix_b, 8, 8, 32, experimental::precision::s4, col_major> fb;
    fragment<accumulator, 8, 8, 32, int> fc;
    fill_fragment(fc, 0);
    load_matrix_sync(fa, a, 32);
    load_matrix_sync(fb, b, 32);
    mma_sync(fc, fa, fb, fc);
    store_matrix_sync(c, fc, 8, mem_row_major);
    fragment<matrix_a, 8, 8, 128, experimental::precision::b1, row_major> ba;
    fragment<matrix_b, 8, 8, 128, experimental::precision::b1, col_major> bb;
    fragment<accumulator, 8, 8, 128, int> bc;
    fill_fragment(bc, 0);
    load_matrix_sync(ba, a, 128);
    load_matrix_sync(bb, b, 128);
    bmma_sync(bc, ba, bb, bc, experimental::bmmaBitOpXOR);
    store_matrix_sync(d, bc, 8, mem_row_major);
}
// 16x8 by 8x8 with A from shared memory by ldmatrix.
__global__ void by_hand(const __half *a, const __half *b, float *c) {
    __shared__ __align__(16) __half s[16 * 8];
    for (int i = threadIdx.x; i < 128; i += 32) s[i] = a[i];
    __syncwarp();
    const unsigned at = unsigned(__cvta_generic_to_shared(s + threadIdx.x % 16 * 8));
    unsigned r0, r1, r2;
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];" : "=r"(r0), "=r"(r1) : "r"(at));
    const int g = threadIdx.x / 4, t = threadIdx.x % 4;
    const __half2 h = __halves2half2(b[2 * t * 8 + g], b[(2 * t + 1) * 8 + g]);
    r2 = reinterpret_cast<const unsigned &>(h);
    float d[4];
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%7, %7, %7, %7};"
                 : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3]) : "r"(r0), "r"(r1), "r"(r2), "f"(2.0f));
    for (int e = 0; e < 4; e++) c[(g + e / 2 * 8) * 8 + 2 * t + e % 2] = d[e];
}

int main() {
    check<16, 16, 16, __half, float, row_major, col_major>();
    check<16, 16, 16, __half, float, col_major, row_major>();
    check<32, 8, 16, __half, float, row_major, row_major>();
    check<8, 32, 16, __half, __half, col_major, col_major>();
    check<16, 16, 16, signed char, int, row_major, col_major>();
    check<32, 8, 16, unsigned char, int, col_major, col_major>();
    check<8, 32, 16, signed char, int, row_major, row_major>();
    int *p, h[64 + 64], c[64], d[64];
    OK(cudaMalloc(&p, 4096));
    for (int i = 0; i < 128; i++) h[i] = int(0x9e3779b9u * unsigned(i + 1));
    OK(cudaMemcpy(p, h, sizeof h, cudaMemcpyHostToDevice));
    nibbles<<<1, 32>>>(p, p + 64, p + 128, p + 192);
    OK(cudaMemcpy(c, p + 128, 256, cudaMemcpyDeviceToHost));
    OK(cudaMemcpy(d, p + 192, 256, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j++) {
            int sum = 0, bits = 0;
            for (int w = 0; w < 4; w++) {
                const unsigned x = h[i * 4 + w], y = h[64 + j * 4 + w];
                for (int k = 0; k < 32; k += 4) sum += (int(x << (28 - k)) >> 28) * (int(y << (28 - k)) >> 28);
                bits += __builtin_popcount(x ^ y);
            }
            CHECK(c[i * 8 + j] == sum && d[i * 8 + j] == bits);
        }
    std::vector<__half> a(128), b(64);
    std::vector<float> f(128);
    for (int i = 0; i < 128; i++) a[i] = __float2half(float(i % 9));
    for (int i = 0; i < 64; i++) b[i] = __float2half(float(i % 7) - 3);
    OK(cudaMemcpy(p, a.data(), 256, cudaMemcpyHostToDevice));
    OK(cudaMemcpy(p + 64, b.data(), 128, cudaMemcpyHostToDevice));
    by_hand<<<1, 32>>>((__half *)p, (__half *)(p + 64), (float *)(p + 128));
    OK(cudaMemcpy(f.data(), p + 128, 512, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 16; i++)
        for (int j = 0; j < 8; j++) {
            float sum = 2;
            for (int k = 0; k < 8; k++) sum += __half2float(a[i * 8 + k]) * __half2float(b[k * 8 + j]);
            CHECK(f[i * 8 + j] == sum);
        }
    std::puts("ok");
    return 0;
}
