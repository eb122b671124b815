// What code of nvcc for sm_90a does beside its matrices: it waits for barriers with a limit of its own, makes
// bytes of floats four at a time, takes all of a block's shared memory, and comes as two texts of PTX of which
// the one for this GPU alone is the right one. Results against the host.
// expect stdout ok
#include "check.h"
#include <cstdint>

// ---- two texts: of compute_90 and of compute_90a
__global__ void which(int *out) {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
    *out = 90;
#else
    *out = 1;
#endif
}

// ---- shared memory: 1 KB of a block is the system's, and no program sees it
extern __shared__ uint32_t room[];
__global__ void touch(uint32_t *out, uint32_t words) {
    for (uint32_t i = threadIdx.x; i < words; i += blockDim.x) room[i] = i + blockIdx.x;
    __syncthreads();
    if (threadIdx.x == 0) out[blockIdx.x] = room[0] + room[words - 1];
}
static void shared_memory() {
    enum { DEFAULT = 48 << 10, MOST = 227 << 10, HALF_SM = 113 << 10 };
    cudaFuncAttributes a;
    OK(cudaFuncGetAttributes(&a, touch));
    CHECK(a.sharedSizeBytes == 0 && a.maxDynamicSharedSizeBytes == DEFAULT);
    uint32_t *out, got[2];
    OK(cudaMalloc(&out, sizeof got));
    touch<<<2, 128, DEFAULT>>>(out, DEFAULT / 4); // which no kernel asks for first
    OK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    CHECK(got[0] == DEFAULT / 4 - 1 && got[1] == DEFAULT / 4 + 1);
    OK(cudaFuncSetAttribute(touch, cudaFuncAttributeMaxDynamicSharedMemorySize, MOST));
    touch<<<2, 128, MOST>>>(out, MOST / 4);
    OK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    CHECK(got[0] == MOST / 4 - 1 && got[1] == MOST / 4 + 1);
    int blocks;
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, touch, 128, HALF_SM));
    CHECK(blocks == 2);
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, touch, 128, HALF_SM + 128));
    CHECK(blocks == 1);
    OK(cudaFree(out));
}

// ---- barriers: the last warp arrives late, the others wait with a limit of 10 ms; then a try that must fail
__global__ void wait_with_limit(int *out) {
    __shared__ alignas(8) uint64_t bar;
    __shared__ int value;
    const uint32_t at = uint32_t(__cvta_generic_to_shared(&bar));
    if (threadIdx.x == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(at));
    __syncthreads();
    if (threadIdx.x / 32 == 3) {
        __nanosleep(20000);
        if (threadIdx.x % 32 == 0) {
            value = 7;
            asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(at) : "memory");
        }
    } else {
        asm volatile("{\n.reg .pred done;\nAGAIN:\n"
                     "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], 0, 10000000;\n@!done bra AGAIN;\n}" ::"r"(at)
                     : "memory");
        out[threadIdx.x] = value;
    }
    int over;
    asm volatile("{\n.reg .pred done;\nmbarrier.try_wait.parity.shared::cta.b64 done, [%1], 1, 1000;\n"
                 "selp.s32 %0, 1, 0, done;\n}"
                 : "=r"(over) : "r"(at) : "memory");
    if (threadIdx.x == 96) out[96] = over;
}

// ---- floats of 8 bits: two pairs beside each other in a word, and a pair below what was there
__global__ void bytes(uint32_t *out, const float *f) {
    uint16_t low, high;
    asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(low) : "f"(f[1]), "f"(f[0]));
    asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(high) : "f"(f[3]), "f"(f[2]));
    out[0] = low | uint32_t(high) << 16;
    asm("cvt.rn.satfinite.e5m2x2.f32 %0, %1, %2;" : "=h"(low) : "f"(f[1]), "f"(f[0]));
    out[1] = (out[1] & 0xffff0000) | low;
    asm("cvt.rn.satfinite.e5m2x2.f32 %0, %1, %2;" : "=h"(low) : "f"(f[3]), "f"(f[2]));
    out[2] = out[2] << 16 | low;
}

int main() {
    int *n, got[97];
    OK(cudaMalloc(&n, sizeof got));
    which<<<1, 1>>>(n);
    OK(cudaMemcpy(got, n, 4, cudaMemcpyDeviceToHost));
    CHECK(got[0] == 90);
    shared_memory();
    wait_with_limit<<<1, 128>>>(n);
    OK(cudaMemcpy(got, n, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 96; i++) CHECK(got[i] == 7);
    CHECK(got[96] == 0);
    const float f[] = {1, 2, 0.5f, -1000};
    const uint32_t before[] = {0, 0x12345678, 0x12345678};
    uint32_t *w, after[3];
    float *in;
    OK(cudaMalloc(&w, sizeof after));
    OK(cudaMalloc(&in, sizeof f));
    OK(cudaMemcpy(in, f, sizeof f, cudaMemcpyHostToDevice));
    OK(cudaMemcpy(w, before, sizeof before, cudaMemcpyHostToDevice));
    bytes<<<1, 1>>>(w, in);
    OK(cudaMemcpy(after, w, sizeof after, cudaMemcpyDeviceToHost));
    // e4m3: sign, four bits of exponent (bias 7), three of mantissa, -448 the least; e5m2: bias 15, two of mantissa
    CHECK(after[0] == 0xfe304038);
    CHECK(after[1] == 0x1234403c);
    CHECK(after[2] == 0x5678e438);
    puts("ok");
}
