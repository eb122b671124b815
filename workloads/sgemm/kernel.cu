// sgemm: C = alpha A B^T + beta C in single precision, A and C by columns, B by rows of its
// transpose. A thread has one row of A and 16 columns of C, whose sums it keeps in registers; a
// block of 16 x 8 threads has 128 rows. A's elements go straight from memory to a register, an
// 8 x 16 tile of B through shared memory, where all threads read the same word at a time, or with
// WW_VOLTA the same four words, all eight steps in a row, as nvcc has compiled it since.
#include "device.h"

#define TILE_N 16
#define TILE_K 8
#define TILE_M (TILE_N * TILE_K) // threads

extern "C" __global__ void sgemm(const float *a, int lda, const float *b, int ldb, float *c,
                                 int ldc, int k, float alpha, float beta) {
#ifdef WW_VOLTA
    __shared__ __attribute__((aligned(16))) float tile[TILE_K][TILE_N];
#else
    __shared__ float tile[TILE_K][TILE_N];
#endif
    float sum[TILE_N];
#pragma unroll
    for (int n = 0; n < TILE_N; n++) sum[n] = 0.0f;

    const int tx = (int)threadIdx.x, ty = (int)threadIdx.y;
    const int m = (int)blockIdx.x * TILE_M + ty * TILE_N + tx;
    const int n0 = (int)blockIdx.y * TILE_N;
    for (int i = 0; i < k; i += TILE_K) {
        tile[ty][tx] = b[n0 + tx + (i + ty) * ldb];
        __syncthreads();
#ifdef WW_VOLTA
#pragma unroll
        for (int j = 0; j < TILE_K; j++) {
            const float mine = a[m + (i + j) * lda];
            const float4 *const row = (const float4 *)tile[j];
#pragma unroll
            for (int n = 0; n < TILE_N; n += 4) {
                const float4 four = row[n / 4];
                sum[n] += mine * four.x;
                sum[n + 1] += mine * four.y;
                sum[n + 2] += mine * four.z;
                sum[n + 3] += mine * four.w;
            }
        }
#else
        for (int j = 0; j < TILE_K; j++) {
            const float mine = a[m + (i + j) * lda];
#pragma unroll
            for (int n = 0; n < TILE_N; n++) sum[n] += mine * tile[j][n];
        }
#endif
        __syncthreads();
    }
#pragma unroll
    for (int n = 0; n < TILE_N; n++) {
        float *at = c + m + (n0 + n) * ldc;
        *at = *at * beta + alpha * sum[n];
    }
}
