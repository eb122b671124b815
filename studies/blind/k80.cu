// Eight kernels of public suites as they were measured on a K80 (README.md): PolyBench/GPU's 2DCONV, ATAX, MVT and GEMM,
// two five-point stencils and k-means, written anew with the same accesses and the same arithmetic. Global memory is read
// and written wherever the originals do, sums in memory too: their compiler could not know that arrays do not overlap.
// All take the same parameters, so that one table can hold their launches; N is the width of the problem.
#include "device.h"

extern "C" {
// Nine weights over neighbours.
__global__ void conv2d(const float *a, float *b, float *, uint64_t n) {
    const int j = (int)(blockIdx.x * blockDim.x + threadIdx.x), i = (int)(blockIdx.y * blockDim.y + threadIdx.y);
    const uint64_t row = (uint64_t)i, column = (uint64_t)j;
    if (!(row < n - 1 && column < n - 1 && i > 0 && j > 0)) return;
    const float *const above = a + (row - 1) * n + column, *const here = a + row * n + column,
                *const below = a + (row + 1) * n + column;
    b[row * n + column] = 0.2f * above[-1] + 0.5f * above[0] - 0.8f * above[1] - 0.3f * here[-1] + 0.6f * here[0] -
                          0.9f * here[1] + 0.4f * below[-1] + 0.7f * below[0] + 0.1f * below[1];
}

__global__ void gemm(float *a, float *b, float *c, uint64_t n) {
    const uint64_t j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= n || j >= n) return;
    c[i * n + j] *= 2123.0f;
    for (int k = 0; (uint64_t)k < n; k++) c[i * n + j] += 32412.0f * a[i * n + (uint64_t)k] * b[(uint64_t)k * n + j];
}

// A row a thread, and a column a thread: ATAX's two kernels and MVT's.
__global__ void rows(float *a, float *x, float *sum, uint64_t n) {
    const uint64_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    for (int j = 0; (uint64_t)j < n; j++) sum[i] += a[i * n + (uint64_t)j] * x[j];
}
__global__ void columns(float *a, float *x, float *sum, uint64_t n) {
    const uint64_t j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= n) return;
    for (int i = 0; (uint64_t)i < n; i++) sum[j] += a[(uint64_t)i * n + j] * x[i];
}

DEVICE_FN float clamped(float v) {
    if (v > 127) v = 127;
    if (v < 0) v = 0;
    return v;
}

// Threads go on by the threads of a block and the blocks of the grid added, as the original does, so that nearly all of
// them compute every point, one after the other.
__global__ void stencil(float *old, float *result, float *, uint64_t width) {
    const int n = (int)width;
    for (int id = (int)(blockIdx.x * blockDim.x + threadIdx.x); id < (n - 2) * (n - 2);
         id += (int)(blockDim.x + gridDim.x)) {
        const int at = id + 1 + n + id / (n - 2) * 2;
        result[at] = clamped(old[at] + 0.24f * (-4 * old[at] + old[at + 1] + old[at - 1] + old[at + n] + old[at - n]));
    }
}

// A column a thread, the four latest rows in shared memory.
__global__ void stencil_opt(float *old, float *result, float *, uint64_t width) {
    DYNAMIC_SHARED(float, row);
    const int n = (int)width, y = (int)(blockIdx.x * (blockDim.x - 2) + threadIdx.x), wide = (int)blockDim.x;
    float mine[4];
    if (y >= n - 1) return;
    for (int x = 0; x < n; x++) {
        const int east = x % 4, centre = (x + 3) % 4, west = (x + 2) % 4, t = (int)threadIdx.x;
        mine[east] = old[x + y * n];
        row[east * wide + t] = mine[east];
        __syncthreads();
        if (x > 1 && t != 0 && t != wide - 1)
            result[x - 1 + y * n] = clamped(mine[centre] + 0.24f * (-4 * mine[centre] + row[east * wide + t] + row[west * wide + t] +
                                                                   row[centre * wide + t - 1] + row[centre * wide + t + 1]));
        __syncthreads();
    }
}

// k-means of points in two dimensions, three clusters. N points.
enum { CLUSTERS = 3, DIMENSIONS = 2 };
__global__ void kmeans_assign(const float *data, int *cluster, const float *centre, uint64_t n) {
    const int t = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (t >= (int)n) return;
    float least = __builtin_inff();
    int best = -1;
    for (int c = 0; c < CLUSTERS; c++) {
        float distance = 0;
        for (int d = 0; d < DIMENSIONS; d++) {
            const float off = data[t * DIMENSIONS + d] - centre[c * DIMENSIONS + d];
            distance += off * off;
        }
        distance = sqrtf(distance);
        if (distance < least) least = distance, best = c;
    }
    cluster[t] = best;
}
__global__ void kmeans_sum(const float *data, const int *cluster, float *centre, uint64_t n) {
    DYNAMIC_SHARED(float, points);
    int *const own = (int *)(points + blockDim.x * DIMENSIONS);
    const int t = (int)(blockIdx.x * blockDim.x + threadIdx.x), k = (int)threadIdx.x;
    if (t >= (int)n) return;
    for (int d = 0; d < DIMENSIONS; d++) points[k * DIMENSIONS + d] = data[t * DIMENSIONS + d];
    own[k] = cluster[t];
    __syncthreads();
    if (k >= CLUSTERS * DIMENSIONS) return;
    float sum = 0;
    int count = 0;
    for (int i = 0; i < (int)blockDim.x; i++)
        if (own[i] == k / DIMENSIONS) count++, sum += points[i * DIMENSIONS + k % DIMENSIONS];
    atomicAdd(&centre[k], sum);
    if (k % DIMENSIONS == 0) atomicAdd((int *)centre + 64 + k / DIMENSIONS, count);
}
__global__ void kmeans_update(const float *, const int *, float *centre, uint64_t) {
    const int k = (int)threadIdx.x;
    if (k < CLUSTERS * DIMENSIONS) centre[k] /= (float)((int *)centre)[64 + k / DIMENSIONS];
}
}
