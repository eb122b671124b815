// gemm: C = alpha A B' + beta C of single precision, 4096 x 4096, in blocks of MWG x NWG sums. A block has MDIMC x NDIMC
// threads, each MWG/MDIMC by NWG/NDIMC sums, and goes on along K in steps of KWG, of which KWI are unrolled. SA and SB keep
// the step's part of A and B in shared memory, which the threads fill as MDIMA (NDIMB) columns. VWM and VWN are the widths
// of vectors of A and C, and of B. A thread's vectors are neighbours.
//
// The parameters and what they mean are those of CLBlast's kernel, as it was measured (README.md); the program is written
// anew. K is an argument, so that a part of it can stand for all; of 4096/K blocks one then stores its sums, so that they
// are as large a part of the time as in the whole.
#include "device.h"

enum {
    SIZE = 4096,
    KWG = 32,
    KWI = 2,
    THREADS = MDIMC * NDIMC,
    MWI = MWG / MDIMC, // sums of a thread
    NWI = NWG / NDIMC,
    KDIMA = THREADS / MDIMA, // rows of a step that the threads fill at once
    KDIMB = THREADS / NDIMB
};

template <int N> struct alignas(N * 4 > 16 ? 16 : N * 4) vector { float at[N]; };
typedef vector<VWM> vector_m;
typedef vector<VWN> vector_n;

extern "C" __global__ void __launch_bounds__(THREADS)
    gemm(int k_size, float alpha, float beta, const vector_m *__restrict__ a, const vector_n *__restrict__ b, vector_m *c) {
    const int tx = (int)threadIdx.x, ty = (int)threadIdx.y, thread = ty * MDIMC + tx;
    const int block_m = (int)blockIdx.x * (MWG / VWM), block_n = (int)blockIdx.y * (NWG / VWN);
#if SA
    __shared__ vector_m tile_a[KWG * MWG / VWM];
#endif
#if SB
    __shared__ vector_n tile_b[KWG * NWG / VWN];
#endif
    vector_m sum[NWI][MWI / VWM];
#pragma unroll
    for (int n = 0; n < NWI; n++)
#pragma unroll
        for (int m = 0; m < MWI / VWM; m++)
#pragma unroll
            for (int v = 0; v < VWM; v++) sum[n][m].at[v] = 0;

    for (int step = 0; step < k_size; step += KWG) {
#if SA
        {
            const int column = thread % MDIMA, row = thread / MDIMA;
#pragma unroll
            for (int m = 0; m < MWG / MDIMA / VWM; m++)
#pragma unroll
                for (int k = 0; k < KWG / KDIMA; k++) {
                    const int at = m + column * (MWG / MDIMA / VWM), at_k = k + row * (KWG / KDIMA);
                    tile_a[at_k * (MWG / VWM) + at] = a[(step + at_k) * (SIZE / VWM) + block_m + at];
                }
        }
#endif
#if SB
        {
            const int column = thread % NDIMB, row = thread / NDIMB;
#pragma unroll
            for (int k = 0; k < KWG / KDIMB; k++)
#pragma unroll
                for (int n = 0; n < NWG / NDIMB / VWN; n++) {
                    const int at = n + column * (NWG / NDIMB / VWN), at_k = k + row * (KWG / KDIMB);
                    tile_b[at_k * (NWG / VWN) + at] = b[(step + at_k) * (SIZE / VWN) + block_n + at];
                }
        }
#endif
#if SA || SB
        __syncthreads();
#endif
#pragma clang loop unroll(disable)
        for (int part = 0; part < KWG; part += KWI) {
#pragma unroll
            for (int i = 0; i < KWI; i++) {
                const int k = part + i;
                vector_m va[MWI / VWM];
                vector_n vb[NWI / VWN];
#pragma unroll
                for (int m = 0; m < MWI / VWM; m++) {
                    const int at = m + tx * (MWI / VWM);
#if SA
                    va[m] = tile_a[k * (MWG / VWM) + at];
#else
                    va[m] = a[(step + k) * (SIZE / VWM) + block_m + at];
#endif
                }
#pragma unroll
                for (int n = 0; n < NWI / VWN; n++) {
                    const int at = n + ty * (NWI / VWN);
#if SB
                    vb[n] = tile_b[k * (NWG / VWN) + at];
#else
                    vb[n] = b[(step + k) * (SIZE / VWN) + block_n + at];
#endif
                }
#pragma unroll
                for (int n = 0; n < NWI; n++)
#pragma unroll
                    for (int m = 0; m < MWI / VWM; m++)
#pragma unroll
                        for (int v = 0; v < VWM; v++)
                            sum[n][m].at[v] += va[m].at[v] * vb[n / VWN].at[n % VWN];
            }
        }
#if SA || SB
        __syncthreads();
#endif
    }
    if ((blockIdx.x + blockIdx.y) % (unsigned)(SIZE / k_size) != 0) return;
#pragma unroll
    for (int n = 0; n < NWI; n++)
#pragma unroll
        for (int m = 0; m < MWI / VWM; m++) {
            const int at_n = n + ty * NWI + (int)blockIdx.y * NWG;
            vector_m *const out = &c[at_n * (SIZE / VWM) + block_m + m + tx * (MWI / VWM)];
            vector_m result = *out;
#pragma unroll
            for (int v = 0; v < VWM; v++) result.at[v] = alpha * sum[n][m].at[v] + beta * result.at[v];
            *out = result;
        }
}
