// Bulk copies of Hopper as nvcc compiles them: a pipeline of tiles through shared memory with barriers that
// count bytes, boxes of a tensor with a swizzle and beyond its edge, im2col, reductions, a map that the kernel
// edits, and what the driver says of maps that break a rule. Results against the host.
// expect stdout ok
#include "check.h"
#include <cuda.h>
#include <cstdint>
#include <vector>

static __device__ uint32_t at(const void *p) { return uint32_t(__cvta_generic_to_shared(p)); }
static __device__ void init(uint64_t *bar, uint32_t n) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(at(bar)), "r"(n));
}
static __device__ void expect(uint64_t *bar, uint32_t bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(at(bar)), "r"(bytes) : "memory");
}
static __device__ void arrive(uint64_t *bar) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(at(bar)) : "memory");
}
static __device__ void wait(uint64_t *bar, uint32_t parity) {
    asm volatile("{\n.reg .pred done;\nAGAIN:\nmbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
                 "@!done bra AGAIN;\n}" ::"r"(at(bar)), "r"(parity) : "memory");
}
static __device__ void fence() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }
static __device__ void commit_and_wait() {
    asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" ::: "memory");
}

// ---- tiles of 32 x 32 words through two stages: a warp brings them, four add one and send them back
enum { TILE = 32, STAGES = 2, CONSUMERS = 128 };
__global__ void pipeline(const __grid_constant__ CUtensorMap in, const __grid_constant__ CUtensorMap out, int tiles) {
    __shared__ alignas(1024) uint32_t stage[STAGES][TILE * TILE];
    __shared__ alignas(8) uint64_t full[STAGES], empty[STAGES];
    const int t = threadIdx.x;
    if (t == 0) {
        for (int i = 0; i < STAGES; i++) init(&full[i], 1), init(&empty[i], CONSUMERS);
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncthreads();
    if (t >= CONSUMERS) {
        if (t == CONSUMERS)
            for (int k = 0; k < tiles; k++) {
                const int s = k % STAGES;
                wait(&empty[s], (k / STAGES & 1) ^ 1);
                expect(&full[s], sizeof stage[s]);
                asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
                             "[%0], [%1, {%2, %3}], [%4];" ::"r"(at(stage[s])), "l"(&in), "r"(k * TILE),
                             "r"(int(blockIdx.x) * TILE), "r"(at(&full[s])) : "memory");
            }
        return;
    }
    for (int k = 0; k < tiles; k++) {
        const int s = k % STAGES;
        wait(&full[s], k / STAGES & 1);
        for (int i = t; i < TILE * TILE; i += CONSUMERS) stage[s][i] += 1;
        fence();
        asm volatile("bar.sync 1, 128;" ::: "memory");
        if (t == 0) {
            asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];" ::"l"(&out),
                         "r"(k * TILE), "r"(int(blockIdx.x) * TILE), "r"(at(stage[s])) : "memory");
            commit_and_wait();
        }
        asm volatile("bar.sync 1, 128;" ::: "memory");
        arrive(&empty[s]);
    }
}

// ---- one box to where the host sees its swizzle
__global__ void box(const __grid_constant__ CUtensorMap map, uint32_t *out, int x, int y, int words) {
    extern __shared__ __align__(1024) uint32_t s[];
    __shared__ alignas(8) uint64_t bar;
    if (threadIdx.x == 0) {
        init(&bar, 1);
        asm volatile("fence.proxy.async;" ::: "memory");
        expect(&bar, words * 4);
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], "
                     "[%4];" ::"r"(at(s)), "l"(&map), "r"(x), "r"(y), "r"(at(&bar)) : "memory");
    }
    __syncthreads();
    wait(&bar, 0);
    for (int i = threadIdx.x; i < words; i += blockDim.x) out[i] = s[i];
}

// ---- columns of im2col
__global__ void column(const __grid_constant__ CUtensorMap map, uint32_t *out, int w, int h, int n, unsigned short ow,
                       unsigned short oh, int words) {
    extern __shared__ __align__(1024) uint32_t s[];
    __shared__ alignas(8) uint64_t bar;
    if (threadIdx.x == 0) {
        init(&bar, 1);
        asm volatile("fence.proxy.async;" ::: "memory");
        expect(&bar, words * 4);
        asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%0], "
                     "[%1, {%2, %3, %4, %5}], [%6], {%7, %8};" ::"r"(at(s)), "l"(&map), "r"(0), "r"(w), "r"(h), "r"(n),
                     "r"(at(&bar)), "h"(ow), "h"(oh) : "memory");
    }
    __syncthreads();
    wait(&bar, 0);
    for (int i = threadIdx.x; i < words; i += blockDim.x) out[i] = s[i];
}

// The same with one direction of space, and with three and a policy of L2.
__global__ void column_3(const __grid_constant__ CUtensorMap map, uint32_t *out, int w, int n, unsigned short ow, int words) {
    extern __shared__ __align__(1024) uint32_t s[];
    __shared__ alignas(8) uint64_t bar;
    if (threadIdx.x == 0) {
        init(&bar, 1);
        asm volatile("fence.proxy.async;" ::: "memory");
        expect(&bar, words * 4);
        asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%0], "
                     "[%1, {%2, %3, %4}], [%5], {%6};" ::"r"(at(s)), "l"(&map), "r"(0), "r"(w), "r"(n), "r"(at(&bar)),
                     "h"(ow) : "memory");
    }
    __syncthreads();
    wait(&bar, 0);
    for (int i = threadIdx.x; i < words; i += blockDim.x) out[i] = s[i];
}
__global__ void column_5(const __grid_constant__ CUtensorMap map, uint32_t *out, int w, int h, int d, int n, unsigned short ow,
                         unsigned short oh, unsigned short od, int words) {
    extern __shared__ __align__(1024) uint32_t s[];
    __shared__ alignas(8) uint64_t bar;
    if (threadIdx.x == 0) {
        uint64_t policy;
        asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
        init(&bar, 1);
        asm volatile("fence.proxy.async;" ::: "memory");
        expect(&bar, words * 4);
        asm volatile("cp.async.bulk.tensor.5d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes.L2::cache_hint [%0], "
                     "[%1, {%2, %3, %4, %5, %6}], [%7], {%8, %9, %10}, %11;" ::"r"(at(s)), "l"(&map), "r"(0), "r"(w), "r"(h),
                     "r"(d), "r"(n), "r"(at(&bar)), "h"(ow), "h"(oh), "h"(od), "l"(policy) : "memory");
    }
    __syncthreads();
    wait(&bar, 0);
    for (int i = threadIdx.x; i < words; i += blockDim.x) out[i] = s[i];
}

// ---- reductions of blocks: each block of threads adds its own
__global__ void sums(uint32_t *total, float *least) {
    __shared__ alignas(128) uint32_t a[256];
    __shared__ alignas(128) float f[256];
    a[threadIdx.x] = threadIdx.x + blockIdx.x;
    f[threadIdx.x] = 0.5f * float(threadIdx.x);
    fence();
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%0], [%1], 1024;" ::"l"(total), "r"(at(a)) : "memory");
        asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%0], [%1], 1024;" ::"l"(least), "r"(at(f)) : "memory");
        commit_and_wait();
    }
}

// ---- two blocks of a cluster: each brings half a tile for both, then sends the other a part of its own and
// adds to a part of the other's
__global__ void __cluster_dims__(2, 1, 1) halves(const __grid_constant__ CUtensorMap map, uint32_t *out) {
    __shared__ alignas(1024) uint32_t s[32 * 32], got[256];
    __shared__ alignas(8) uint64_t bar, sent;
    uint32_t rank;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    if (threadIdx.x == 0) {
        init(&bar, 1);
        init(&sent, 2);
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    got[threadIdx.x] = threadIdx.x;
    fence();
    asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
    if (threadIdx.x == 0) {
        expect(&bar, 4096);
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster "
                     "[%0], [%1, {%2, %3}], [%4], %5;" ::"r"(at(s) + 2048 * rank), "l"(&map), "r"(0), "r"(16 * int(rank)),
                     "r"(at(&bar)), "h"((unsigned short)3) : "memory");
    }
    wait(&bar, 0);
    fence();
    __syncthreads();
    if (threadIdx.x == 0) {
        uint32_t there, told;
        asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(at(got)), "r"(rank ^ 1));
        asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(told) : "r"(at(&sent)), "r"(rank ^ 1));
        expect(&sent, 1024);
        asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], 512, [%2];" ::"r"(there),
                     "r"(at(s) + 2048 * rank), "r"(told) : "memory");
        asm volatile("cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.u32 [%0], [%1], 512, [%2];"
                     ::"r"(there + 512), "r"(at(s)), "r"(told) : "memory");
        asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(told) : "memory");
    }
    wait(&sent, 0);
    for (int i = threadIdx.x; i < 1024; i += blockDim.x) out[rank * 1280 + i] = s[i];
    out[rank * 1280 + 1024 + threadIdx.x] = got[threadIdx.x];
    asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}

// ---- the arrival of a thread's own copies
__global__ void copies(const uint32_t *in, uint32_t *out) {
    __shared__ alignas(16) uint32_t s[1024];
    __shared__ alignas(8) uint64_t bar;
    if (threadIdx.x == 0) init(&bar, blockDim.x);
    __syncthreads();
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(at(&s[4 * threadIdx.x])), "l"(in + 4 * threadIdx.x) : "memory");
    asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(at(&bar)) : "memory");
    wait(&bar, 0);
    for (int k = 0; k < 4; k++) out[4 * threadIdx.x + k] = s[1023 - 4 * threadIdx.x - k];
}

typedef CUresult encode_tiled(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *, const cuuint64_t *, const cuuint64_t *,
                              const cuuint32_t *, const cuuint32_t *, CUtensorMapInterleave, CUtensorMapSwizzle,
                              CUtensorMapL2promotion, CUtensorMapFloatOOBfill);
typedef CUresult encode_im2col(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *, const cuuint64_t *, const cuuint64_t *,
                               const int *, const int *, cuuint32_t, cuuint32_t, const cuuint32_t *, CUtensorMapInterleave,
                               CUtensorMapSwizzle, CUtensorMapL2promotion, CUtensorMapFloatOOBfill);
static void *entry(const char *name) {
    void *f = nullptr;
    cudaDriverEntryPointQueryResult found;
#if CUDART_VERSION >= 12050
    OK(cudaGetDriverEntryPointByVersion(name, &f, 12000, cudaEnableDefault, &found));
#else
    OK(cudaGetDriverEntryPoint(name, &f, cudaEnableDefault, &found));
#endif
    CHECK(found == cudaDriverEntryPointSuccess && f);
    return f;
}
static encode_tiled *tiled;
static CUresult encode(CUtensorMap *m, void *p, cuuint64_t w, cuuint64_t h, cuuint32_t bw, cuuint32_t bh,
                       CUtensorMapSwizzle s, CUtensorMapFloatOOBfill fill = CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE,
                       CUtensorMapDataType type = CU_TENSOR_MAP_DATA_TYPE_UINT32) {
    const cuuint64_t dim[] = {w, h}, stride[] = {w * 4};
    const cuuint32_t size[] = {bw, bh}, step[] = {1, 1};
    return tiled(m, type, 2, p, dim, stride, size, step, CU_TENSOR_MAP_INTERLEAVE_NONE, s, CU_TENSOR_MAP_L2_PROMOTION_L2_128B, fill);
}

int main() {
    OK(cudaFree(nullptr));
    tiled = (encode_tiled *)entry("cuTensorMapEncodeTiled");
    encode_im2col *im2col = (encode_im2col *)entry("cuTensorMapEncodeIm2col");
    enum { W = 256, H = 128 };
    std::vector<uint32_t> a(W * H), b(W * H);
    for (int i = 0; i < W * H; i++) a[i] = uint32_t(i) * 2654435761u;
    uint32_t *da, *db;
    OK(cudaMalloc(&da, W * H * 4));
    OK(cudaMalloc(&db, W * H * 4));
    OK(cudaMemcpy(da, a.data(), W * H * 4, cudaMemcpyHostToDevice));

    CUtensorMap in, out;
    CHECK(encode(&in, da, W, H, TILE, TILE, CU_TENSOR_MAP_SWIZZLE_128B) == CUDA_SUCCESS);
    CHECK(encode(&out, db, W, H, TILE, TILE, CU_TENSOR_MAP_SWIZZLE_128B) == CUDA_SUCCESS);
    pipeline<<<H / TILE, CONSUMERS + 32>>>(in, out, W / TILE);
    OK(cudaDeviceSynchronize());
    OK(cudaMemcpy(b.data(), db, W * H * 4, cudaMemcpyDeviceToHost));
    for (int i = 0; i < W * H; i++) CHECK(b[i] == a[i] + 1);

    // A box over the corner: what is outside is NaN; chunks of 16 bytes change places by their row.
    CUtensorMap corner;
    CHECK(encode(&corner, da, W, H, 32, 16, CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA,
                 CU_TENSOR_MAP_DATA_TYPE_FLOAT32) == CUDA_SUCCESS);
    box<<<1, 64, 2048>>>(corner, db, W - 20, -5, 512);
    OK(cudaDeviceSynchronize());
    OK(cudaMemcpy(b.data(), db, 2048, cudaMemcpyDeviceToHost));
    for (int y = 0; y < 16; y++)
        for (int x = 0; x < 32; x++) {
            const int place = y * 32 + ((x / 4) ^ (y % 8)) * 4 + x % 4;
            const bool inside = x < 20 && y >= 5;
            CHECK(b[place] == (inside ? a[(y - 5) * W + W - 20 + x] : 0x7fffffffu));
        }

    // An image of 8 x 8 pixels of 4 channels, a window of 3 x 3 with a margin of one.
    const cuuint64_t dim[] = {4, 8, 8, 2}, stride[] = {16, 128, 1024};
    const cuuint32_t step[] = {1, 1, 1, 1};
    const int lower[] = {-1, -1}, upper[] = {-1, -1};
    CUtensorMap image;
    CHECK(im2col(&image, CU_TENSOR_MAP_DATA_TYPE_UINT32, 4, da, dim, stride, lower, upper, 4, 64, step,
                 CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                 CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS);
    for (int oh = 0; oh < 3; oh++)
        for (int ow = 0; ow < 3; ow++) {
            column<<<1, 64, 1024>>>(image, db, -1, -1, 1, (unsigned short)ow, (unsigned short)oh, 256);
            OK(cudaDeviceSynchronize());
            OK(cudaMemcpy(b.data(), db, 1024, cudaMemcpyDeviceToHost));
            for (int p = 0; p < 64; p++)
                for (int c = 0; c < 4; c++) {
                    const int x = p % 8 - 1 + ow, y = p / 8 - 1 + oh;
                    const bool inside = x >= 0 && x < 8 && y >= 0 && y < 8;
                    CHECK(b[p * 4 + c] == (inside ? a[256 + (y * 8 + x) * 4 + c] : 0u));
                }
        }

    // Lines of 20 pixels, every second of which is a place, and bodies of 4 x 3 x 3 pixels: window 3, margin 1.
    const cuuint64_t dim_3[] = {4, 20, 4}, stride_3[] = {16, 320};
    const cuuint32_t step_3[] = {1, 2, 1};
    CUtensorMap lines;
    CHECK(im2col(&lines, CU_TENSOR_MAP_DATA_TYPE_UINT32, 3, da, dim_3, stride_3, lower, upper, 4, 32, step_3,
                 CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                 CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS);
    for (int ow = 0; ow < 3; ow++) {
        column_3<<<1, 64, 512>>>(lines, db, -1 + 2 * 7, 0, (unsigned short)ow, 128);
        OK(cudaDeviceSynchronize());
        OK(cudaMemcpy(b.data(), db, 512, cudaMemcpyDeviceToHost));
        for (int p = 0; p < 32; p++) // ten places a line, the column begins at the eighth
            for (int c = 0; c < 4; c++) {
                const int x = (p + 7) % 10 * 2 - 1 + ow, n = (p + 7) / 10;
                CHECK(b[p * 4 + c] == (x >= 0 && x < 20 ? a[(n * 20 + x) * 4 + c] : 0u));
            }
    }
    const cuuint64_t dim_5[] = {4, 4, 3, 3, 2}, stride_5[] = {16, 64, 192, 576};
    const cuuint32_t step_5[] = {1, 1, 1, 1, 1};
    const int lower_5[] = {-1, -1, -1}, upper_5[] = {-1, -1, -1};
    CUtensorMap bodies;
    CHECK(im2col(&bodies, CU_TENSOR_MAP_DATA_TYPE_UINT32, 5, da, dim_5, stride_5, lower_5, upper_5, 4, 48, step_5,
                 CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                 CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS);
    for (int r = 0; r < 27; r++) {
        const int ow = r % 3, oh = r / 3 % 3, od = r / 9;
        column_5<<<1, 64, 768>>>(bodies, db, -1 + 2, -1 + 1, -1 + 1, 0, (unsigned short)ow, (unsigned short)oh, (unsigned short)od, 192);
        OK(cudaDeviceSynchronize());
        OK(cudaMemcpy(b.data(), db, 768, cudaMemcpyDeviceToHost));
        for (int p = 0; p < 48; p++) // 36 places a body; the column begins at place (2, 1, 1)
            for (int c = 0; c < 4; c++) {
                const int q = p + 2 + 4 * 1 + 12 * 1, x = q % 4 - 1 + ow, y = q / 4 % 3 - 1 + oh, z = q / 12 % 3 - 1 + od, n = q / 36;
                const bool inside = x >= 0 && x < 4 && y >= 0 && y < 3 && z >= 0 && z < 3 && n < 2;
                CHECK(b[p * 4 + c] == (inside ? a[(((n * 3 + z) * 3 + y) * 4 + x) * 4 + c] : 0u));
            }
    }

    OK(cudaMemset(db, 0, 2048));
    sums<<<20, 256>>>(db, (float *)(db + 256));
    OK(cudaDeviceSynchronize());
    OK(cudaMemcpy(b.data(), db, 2048, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 256; i++) {
        float f;
        memcpy(&f, &b[256 + i], 4);
        CHECK(b[i] == uint32_t(20 * i + 190) && f == 10.0f * float(i));
    }

    CUtensorMap half;
    CHECK(encode(&half, da, W, H, 32, 16, CU_TENSOR_MAP_SWIZZLE_NONE) == CUDA_SUCCESS);
    halves<<<2, 256>>>(half, db);
    OK(cudaDeviceSynchronize());
    OK(cudaMemcpy(b.data(), db, 2560 * 4, cudaMemcpyDeviceToHost));
    for (int r = 0; r < 2; r++) {
        const uint32_t *t = &b[r * 1280], *got = t + 1024;
        for (int i = 0; i < 1024; i++) CHECK(t[i] == a[i / 32 * W + i % 32]);
        for (int i = 0; i < 128; i++) CHECK(got[i] == t[512 * (1 - r) + i]);
        for (int i = 0; i < 128; i++) CHECK(got[128 + i] == 128u + uint32_t(i) + t[i]);
    }

    copies<<<1, 256>>>(da, db);
    OK(cudaDeviceSynchronize());
    OK(cudaMemcpy(b.data(), db, 4096, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 1024; i++) CHECK(b[i] == a[1023 - i]);

    // Rules of maps.
    CHECK(encode(&in, (char *)da + 8, W, H, TILE, TILE, CU_TENSOR_MAP_SWIZZLE_NONE) == CUDA_ERROR_INVALID_VALUE);
    CHECK(encode(&in, da, W, H, 257, 1, CU_TENSOR_MAP_SWIZZLE_NONE) == CUDA_ERROR_INVALID_VALUE);
    CHECK(encode(&in, da, W, H, 3, 1, CU_TENSOR_MAP_SWIZZLE_NONE) == CUDA_ERROR_INVALID_VALUE);
    CHECK(encode(&in, da, W + 1, H, 32, 1, CU_TENSOR_MAP_SWIZZLE_NONE) == CUDA_ERROR_INVALID_VALUE);
    CHECK(encode(&in, da, W, H, 64, 1, CU_TENSOR_MAP_SWIZZLE_128B) == CUDA_ERROR_INVALID_VALUE);
    CHECK(encode(&in, da, W, H, 32, 1, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA) == CUDA_ERROR_INVALID_VALUE);
    std::puts("ok");
}
