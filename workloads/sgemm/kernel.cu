// sgemm: C = alpha A B^T + beta C in single precision, A and C by columns, B by rows of its
// transpose. A thread has one row of A and 16 columns of C, whose sums it keeps in registers; a
// block of 16 x 8 threads has 128 rows. A's elements go straight from memory to a register, an
// 8 x 16 tile of B through shared memory, where all threads read the same word at a time.
#include "device.h"

#define TILE_N 16
#define TILE_K 8
#define TILE_M (TILE_N * TILE_K) // threads

extern "C" __global__ void sgemm(const float *a, int lda, const float *b, int ldb, float *c,
                                 int ldc, int k, float alpha, float beta) {
    __shared__ float tile[TILE_K][TILE_N];
    float sum[TILE_N];
#pragma unroll
    for (int n = 0; n < TILE_N; n++) sum[n] = 0.0f;

    const int tx = (int)threadIdx.x, ty = (int)threadIdx.y;
    const int m = (int)blockIdx.x * TILE_M + ty * TILE_N + tx;
    const int n0 = (int)blockIdx.y * TILE_N;
    for (int i = 0; i < k; i += TILE_K) {
        tile[ty][tx] = b[n0 + tx + (i + ty) * ldb];
        __syncthreads();
        for (int j = 0; j < TILE_K; j++) {
            const float mine = a[m + (i + j) * lda];
#pragma unroll
            for (int n = 0; n < TILE_N; n++) sum[n] += mine * tile[j][n];
        }
        __syncthreads();
    }
#pragma unroll
    for (int n = 0; n < TILE_N; n++) {
        float *at = c + m + (n0 + n) * ldc;
        *at = *at * beta + alpha * sum[n];
    }
}
