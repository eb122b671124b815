// fastWalshTransform: the Walsh (Hadamard) transform of 2^n numbers, in place: n levels, at each of
// which a and b become a + b and a - b, for pairs that lie a stride apart. fwtBatch2Kernel does two
// levels at once, four elements a thread, in memory; fwtBatch1Kernel the last eleven in shared
// memory, a block for 2048 elements.
#include "device.h"

#define BLOCK_LOG2 11
#define BLOCK      (1 << BLOCK_LOG2)
#define THREADS    (BLOCK / 4)

struct four {
    float x0, x1, x2, x3;
};
// Two levels on four elements that lie a stride apart.
DEVICE_FN four two_levels(four v) {
    const float s = v.x0 + v.x2, t = v.x1 + v.x3, p = v.x0 - v.x2, q = v.x1 - v.x3;
    return four{s + t, s - t, p + q, p - q};
}

extern "C" __global__ void fwtBatch2Kernel(float *data, int stride) {
    const int at = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    const int low = at & (stride - 1);
    float *p = data + ((at - low) << 2) + low;
    const four v = two_levels(four{p[0], p[stride], p[2 * stride], p[3 * stride]});
    p[0] = v.x0;
    p[stride] = v.x1;
    p[2 * stride] = v.x2;
    p[3 * stride] = v.x3;
}

// `log2` is BLOCK_LOG2, which the sample's kernel does not know either when it is compiled: strides and
// trips are computed at run time.
extern "C" __global__ void __launch_bounds__(THREADS)
    fwtBatch1Kernel(float *out, const float *in, int log2) {
    __shared__ float x[BLOCK];
    const int t = (int)threadIdx.x, n = 1 << log2, base = (int)blockIdx.x << log2;
    for (int i = t; i < n; i += (int)blockDim.x) x[i] = in[base + i];

    for (int stride = n >> 2; stride > 0; stride >>= 2) {
        __syncthreads();
        const int low = t & (stride - 1);
        float *p = x + ((t - low) << 2) + low;
        const four v = two_levels(four{p[0], p[stride], p[2 * stride], p[3 * stride]});
        p[0] = v.x0;
        p[stride] = v.x1;
        p[2 * stride] = v.x2;
        p[3 * stride] = v.x3;
    }
    // Where the logarithm is odd one level of neighbours is left.
    if (log2 & 1) {
        __syncthreads();
        for (int pair = t; pair < n / 2; pair += (int)blockDim.x) {
            const float a = x[2 * pair], b = x[2 * pair + 1];
            x[2 * pair] = a + b;
            x[2 * pair + 1] = a - b;
        }
    }
    __syncthreads();
    for (int i = t; i < n; i += (int)blockDim.x) out[base + i] = x[i];
}
