#include "device.h"
// Pairs of kernels: X_bad has a defect, X_good does the same work without it.
extern "C" {
__global__ void coalesce_bad(const float *in, float *out, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < 8; k++) {
        unsigned i = (unsigned)(t * 33 + k * 4097) & (unsigned)(n - 1);
        out[t + k * 4096] = in[i];
    }
}
__global__ void coalesce_good(const float *in, float *out, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < 8; k++) {
        unsigned i = (unsigned)(t + k * 4096) & (unsigned)(n - 1);
        out[t + k * 4096] = in[i];
    }
}
__global__ void banks_bad(const float *in, float *out, int n) {
    __shared__ float tile[4096];
    int t = threadIdx.x;
    float sum = 0;
    for (int k = 0; k < 16; k++) tile[t * 16 + k] = in[t + k];
    __syncthreads();
    for (int r = 0; r < n; r++)
        for (int k = 0; k < 16; k++) sum += tile[((t * 16 + k * 17) ^ r) & 4095];
    out[blockIdx.x * blockDim.x + t] = sum;
}
__global__ void banks_good(const float *in, float *out, int n) {
    __shared__ float tile[4096];
    int t = threadIdx.x;
    float sum = 0;
    for (int k = 0; k < 16; k++) tile[t + k * 256] = in[t + k];
    __syncthreads();
    for (int r = 0; r < n; r++)
        for (int k = 0; k < 16; k++) sum += tile[((t + k * 256) ^ r) & 4095];
    out[blockIdx.x * blockDim.x + t] = sum;
}
__global__ void diverge_bad(const float *in, float *out, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    float x = in[t & 255];
    switch (t & 3) {
    case 0:
        for (int k = 0; k < n; k++) x = x * 1.01f + 0.5f;
        break;
    case 1:
        for (int k = 0; k < n; k++) x = x * 0.99f + 0.25f;
        break;
    case 2:
        for (int k = 0; k < n; k++) x = x * 1.02f - 0.5f;
        break;
    default:
        for (int k = 0; k < n; k++) x = x * 0.98f - 0.25f;
        break;
    }
    out[t] = x;
}
__global__ void diverge_good(const float *in, float *out, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    float x = in[t & 255];
    switch (t >> 5 & 3) {
    case 0:
        for (int k = 0; k < n; k++) x = x * 1.01f + 0.5f;
        break;
    case 1:
        for (int k = 0; k < n; k++) x = x * 0.99f + 0.25f;
        break;
    case 2:
        for (int k = 0; k < n; k++) x = x * 1.02f - 0.5f;
        break;
    default:
        for (int k = 0; k < n; k++) x = x * 0.98f - 0.25f;
        break;
    }
    out[t] = x;
}
__global__ void atomics_bad(const float *in, int *out, int n) {
    for (int k = 0; k < n; k++) __atomic_fetch_add(&out[0], 1, __ATOMIC_RELAXED);
}
__global__ void atomics_good(const float *in, int *out, int n) {
    int lane = threadIdx.x & 31;
    for (int k = 0; k < n; k++)
        if (lane == 0) __atomic_fetch_add(&out[0], 32, __ATOMIC_RELAXED);
}
__global__ void tail(const float *in, float *out, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    float x = in[t & 255];
    for (int k = 0; k < n; k++) x = x * 1.01f + 0.5f;
    out[t] = x;
}
// 24 KB of shared memory a block of two warps: two blocks an SM
__global__ void occupancy_bad(const float *in, float *out, int n) {
    __shared__ volatile float pad[6144];
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned at = (unsigned)t;
    float sum = 0;
    pad[threadIdx.x] = 1;
    for (int k = 0; k < n; k++) {
        sum += in[at & 1048575u] * pad[threadIdx.x];
        at += 15360u;
    }
    out[t] = sum;
}
__global__ void occupancy_good(const float *in, float *out, int n) {
    __shared__ volatile float pad[64];
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned at = (unsigned)t;
    float sum = 0;
    pad[threadIdx.x & 63] = 1;
    for (int k = 0; k < n; k++) {
        sum += in[at & 1048575u] * pad[threadIdx.x & 63];
        at += 15360u;
    }
    out[t] = sum;
}
__global__ void launches(const float *in, float *out, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    float x = in[t & 255];
    for (int k = 0; k < n; k++) x = x * 1.01f + 0.5f;
    out[t] = x;
}
// Sixteen sums a thread: with a limit of registers (advice.sh sets one) some live in local memory.
__global__ void spills(const float *in, float *out, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    float s[16];
#pragma unroll
    for (int j = 0; j < 16; j++) s[j] = in[(t & 255) + 32 * j];
    for (int k = 0; k < n; k++) {
        float x = in[(t + 32 * k) & 4095];
#pragma unroll
        for (int j = 0; j < 16; j++) s[j] = s[j] * x + s[(j + 1) & 15];
    }
    float sum = 0;
#pragma unroll
    for (int j = 0; j < 16; j++) sum += s[j];
    out[t] = sum;
}
// Thirty values wait in registers for the end of a loop that only waits for memory; with a limit of
// registers they wait in local memory.
__global__ void registers(const volatile float *in, float *out, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    float keep[30], sum = 0;
    unsigned at = (unsigned)t;
#pragma unroll
    for (int j = 0; j < 30; j++) keep[j] = in[t + 32 * j];
    for (int k = 0; k < n; k++) {
        sum += in[at & 1048575u];
        at += 15360u;
    }
#pragma unroll
    for (int j = 0; j < 30; j++) sum = sum * keep[j] + 1;
    out[t] = sum;
}
// Rows of a matrix that lie 384 KB apart: in a GTX 480 that is one bank of each channel, another row
// of it for each row of the matrix. Blocks go through rows of their own, or all side by side.
__global__ void rows_bad(const float *in, float *out, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned at = blockIdx.x * 98304u + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < n; k++) {
        sum += in[at];
        at += blockDim.x;
    }
    out[t] = sum;
}
__global__ void rows_good(const float *in, float *out, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned at = (unsigned)t, step = gridDim.x * blockDim.x;
    float sum = 0;
    for (int k = 0; k < n; k++) {
        sum += in[at];
        at += step;
    }
    out[t] = sum;
}
// Two warps an SM that wait for their own results, or sixteen that do an eighth each.
__global__ void latency(const float *in, float *out, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    float x = in[t & 255];
    for (int k = 0; k < n; k++) x = x * 1.01f + 0.5f;
    out[t] = x;
}
// Between barriers one warp of eight does all the work, or each an eighth of it.
__global__ void barriers_bad(const float *in, float *out, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    float x = in[t & 255], y = x, z = x, w = x;
    for (int k = 0; k < n; k++) {
        if ((threadIdx.x >> 5) == (k & 7))
            for (int j = 0; j < 64; j++) {
                x = x * 1.01f + 0.5f, y = y * 1.02f + 0.5f, z = z * 1.03f + 0.5f;
                w = w * 1.04f + 0.5f;
            }
        __syncthreads();
    }
    out[t] = x + y + z + w;
}
__global__ void barriers_good(const float *in, float *out, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    float x = in[t & 255], y = x, z = x, w = x;
    for (int k = 0; k < n; k++) {
        for (int j = 0; j < 8; j++) {
            x = x * 1.01f + 0.5f, y = y * 1.02f + 0.5f, z = z * 1.03f + 0.5f;
            w = w * 1.04f + 0.5f;
        }
        __syncthreads();
    }
    out[t] = x + y + z + w;
}
// Roots in the special-function units, or as many operations of the lanes.
__global__ void busy_bad(const float *in, float *out, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    float x = in[t & 255], y = x + 1, z = x + 2, w = x + 3;
    for (int k = 0; k < n; k++) {
        x = __nvvm_sqrt_approx_f(x), y = __nvvm_sqrt_approx_f(y);
        z = __nvvm_sqrt_approx_f(z), w = __nvvm_sqrt_approx_f(w);
    }
    out[t] = x + y + z + w;
}
__global__ void busy_good(const float *in, float *out, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    float x = in[t & 255], y = x + 1, z = x + 2, w = x + 3;
    for (int k = 0; k < n; k++) {
        x = x * 1.01f + 0.5f, y = y * 1.02f + 0.5f;
        z = z * 1.03f + 0.5f, w = w * 1.04f + 0.5f;
    }
    out[t] = x + y + z + w;
}
// The same operations as a body that the instruction cache does not hold, and as one that it does.
__global__ void fetch_bad(const float *in, float *out, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    float x = in[t & 255], y = x + 1;
    for (int k = 0; k < n; k++)
#pragma unroll
        for (int j = 0; j < 512; j++) x = x * y + 0.5f, y = y * 1.01f + x;
    out[t] = x + y;
}
__global__ void fetch_good(const float *in, float *out, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    float x = in[t & 255], y = x + 1;
    for (int k = 0; k < 16 * n; k++)
#pragma unroll
        for (int j = 0; j < 32; j++) x = x * y + 0.5f, y = y * 1.01f + x;
    out[t] = x + y;
}
}
