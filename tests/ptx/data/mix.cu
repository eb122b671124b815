// Source of mix_sm*.ptx: what a compiler makes of device functions, recursion, calls through
// pointers, structures passed by value, printf, assert, shared memory of both kinds, atomics,
// warp functions, half precision, textures, surfaces and a switch.
#include <cuda_fp16.h>
#include <cstdio>
#include <cassert>

struct pair {
    double weight;
    int index[3];
};

__constant__ float table[8] = {1.f, 2.f, 4.f, 8.f};
__device__ int counter = 7;
__device__ int *counter_at = &counter;
__managed__ float managed_scale = 0.5f;

__device__ __noinline__ pair step(pair p, int n) {
    p.weight *= n;
    p.index[n % 3] += 1;
    return p;
}

__device__ __noinline__ unsigned fib(unsigned n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }

typedef float (*binary)(float, float);
__device__ float plus(float a, float b) { return a + b; }
__device__ float times(float a, float b) { return a * b; }
__device__ binary operations[2] = {plus, times};

struct shape {
    __device__ virtual float area() const { return 0; }
};
struct square : shape {
    float side;
    __device__ float area() const override { return side * side; }
};

extern __shared__ double dynamic_memory[];

__global__ void __launch_bounds__(256, 2) calls(pair *out, float *values, pair by_value, int n) {
    __shared__ float tile[32][33];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    tile[threadIdx.x % 32][threadIdx.x / 32] = values[i];
    __syncthreads();
    dynamic_memory[threadIdx.x] = tile[threadIdx.x / 32][threadIdx.x % 32];
    out[i] = step(by_value, i);
    values[i] = operations[i & 1](values[i], table[i & 7]) * managed_scale;
    counter_at[0] += (int)fib((unsigned)i % 10);
    square s;
    s.side = values[i];
    const shape *generic = i & 2 ? &s : new square;
    values[i] += generic->area();
    assert(values[i] == values[i]);
    if (i == 0) printf("%d %f\n", n, dynamic_memory[0]);
}

__global__ void warps(unsigned *out, const unsigned *in, unsigned long long *wide) {
    const unsigned v = in[threadIdx.x];
    unsigned r = __shfl_xor_sync(~0u, v, 1) + __popc(__ballot_sync(~0u, v & 1));
    r += __any_sync(~0u, v > 3) + __clz(v) + __ffs(v) + __brev(v);
    r ^= __byte_perm(v, r, 0x3210) + __funnelshift_l(v, r, 5);
    atomicAdd(out, r);
    atomicCAS(&out[1], v, r);
    atomicMax(&out[2], v);
    atomicAdd(wide, (unsigned long long)v * r);
    __threadfence();
    switch (v) {
    case 0: r = 17; break;
    case 1: r = r * 3; break;
    case 2: r = in[r & 7]; break;
    case 3: r /= 7; break;
    case 4: r = __umulhi(r, v); break;
    case 5: r = 99; break;
    case 6: r -= v; break;
    }
    out[threadIdx.x] = r;
}

__global__ void numbers(double *d, float *f, __half *h, long long *l, int n) {
    const int i = threadIdx.x;
    f[i] = sinf(f[i]) + __expf(f[i]) + rsqrtf(f[i]) + f[i] / 3.f + fmaf(f[i], 2.f, 1.f);
    d[i] = sqrt(d[i]) / d[i + 1] + (double)f[i];
    h[i] = __hadd(h[i], __float2half((float)d[i]));
    l[i] = l[i] / n + (long long)d[i];
    float4 *q = (float4 *)f;
    q[i] = make_float4(q[i].x, q[i].y, q[i].z, 1.f);
    for (int k = 0; k < n; k++) d[k] += f[k] * k;
}

__global__ void images(cudaTextureObject_t t, cudaSurfaceObject_t s, float4 *out) {
    const int i = threadIdx.x;
    out[i] = tex2D<float4>(t, i + 0.5f, i * 0.5f);
    out[i].x += tex1Dfetch<float>(t, i) + tex3D<float>(t, i, i, i);
    surf2Dwrite(out[i], s, i * 16, 3);
    out[i].y += surf2Dread<float>(s, i * 4, 2);
}
