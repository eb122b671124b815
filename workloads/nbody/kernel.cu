// nbody: gravity between all pairs of bodies, after Nyland, Harris and Prins, "Fast N-Body
// Simulation with CUDA" (GPU Gems 3, chapter 31, 2007). A thread owns a body. The block walks over
// all bodies in tiles: each thread loads one into shared memory, then every thread adds the pull of
// all of them.
//
//   integrateBodies     blocks of p x 1 threads
//   integrateBodiesMT   blocks of p x q threads: q threads share a body, each taking every q-th
//   tile;
//                       their sums are added through shared memory at the end. For few bodies.
//
// Positions carry the mass in w. The step is Euler's, with the velocity first.
#include "device.h"

CONSTANT(float, softening_squared);

// acceleration += m_j r / (|r|^2 + softening^2)^(3/2)
DEVICE_FN float3 add_pull(float3 a, float4 me, float4 other) {
    const float x = other.x - me.x, y = other.y - me.y, z = other.z - me.z;
    const float d2 = x * x + y * y + z * z + softening_squared;
    const float inverse = rsqrtf(d2);
    const float s = other.w * (inverse * inverse * inverse);
    return make_float3(a.x + x * s, a.y + y * s, a.z + z * s);
}

DEVICE_FN float3 add_tile(float3 a, float4 me, const float4 *tile) {
#pragma unroll 4
    for (unsigned j = 0; j < blockDim.x; j++) a = add_pull(a, me, tile[j]);
    return a;
}

DEVICE_FN void move(float4 *new_pos, float4 *vel, unsigned i, float4 me, float3 a, float dt,
                    float damping) {
    float4 v = vel[i];
    v.x = (v.x + a.x * dt) * damping;
    v.y = (v.y + a.y * dt) * damping;
    v.z = (v.z + a.z * dt) * damping;
    new_pos[i] = make_float4(me.x + v.x * dt, me.y + v.y * dt, me.z + v.z * dt, me.w);
    vel[i] = v;
}

extern "C" __global__ void integrateBodies(float4 *new_pos, const float4 *old_pos, float4 *vel,
                                           float dt, float damping, unsigned bodies) {
    DYNAMIC_SHARED(float4, tile);
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    const float4 me = old_pos[i];
    float3 a = make_float3(0.0f, 0.0f, 0.0f);
    for (unsigned first = 0; first < bodies; first += blockDim.x) {
        tile[threadIdx.x] = old_pos[first + threadIdx.x];
        __syncthreads();
        a = add_tile(a, me, tile);
        __syncthreads();
    }
    move(new_pos, vel, i, me, a, dt, damping);
}

extern "C" __global__ void integrateBodiesMT(float4 *new_pos, const float4 *old_pos, float4 *vel,
                                             float dt, float damping, unsigned bodies) {
    DYNAMIC_SHARED(float4, tiles);
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned slot = threadIdx.y * blockDim.x + threadIdx.x;
    const unsigned together = blockDim.x * blockDim.y;
    const float4 me = old_pos[i];
    float3 a = make_float3(0.0f, 0.0f, 0.0f);
    for (unsigned first = 0; first < bodies; first += together) {
        tiles[slot] = old_pos[first + slot];
        __syncthreads();
        a = add_tile(a, me, tiles + threadIdx.y * blockDim.x);
        __syncthreads();
    }

    tiles[slot] = make_float4(a.x, a.y, a.z, 0.0f);
    __syncthreads();
    if (threadIdx.y != 0) return;
    for (unsigned y = 1; y < blockDim.y; y++) {
        const float4 part = tiles[y * blockDim.x + threadIdx.x];
        a = make_float3(a.x + part.x, a.y + part.y, a.z + part.z);
    }
    move(new_pos, vel, i, me, a, dt, damping);
}
