// What deviceQuery printed on boards that are simulated, and whole cudaDeviceProps of chips of the
// same capability (gpus/*.yaml and src/gpu/limits.c name where they were published): each GPU file
// answers the same. A child for each, since a process has one GPU.
//
// Not compared: clocks of the SMs (boards print what they may boost to; programs are told the clock
// that is simulated, in which clock() counts), the time limit of kernels (boards that drive a
// screen have one), places on the bus.
#include "driver_test.h"
#include <sys/wait.h>

struct answer {
    CUdevice_attribute attribute;
    int value;
};
#define A(name, value)                                                                             \
    { CU_DEVICE_ATTRIBUTE_##name, value }

// Every board from capability 6.0 to 7.5.
static const struct answer all[] = {A(MAX_THREADS_PER_BLOCK, 1024),
                                    A(MAX_BLOCK_DIM_X, 1024),
                                    A(MAX_BLOCK_DIM_Y, 1024),
                                    A(MAX_BLOCK_DIM_Z, 64),
                                    A(MAX_GRID_DIM_X, 2147483647),
                                    A(MAX_GRID_DIM_Y, 65535),
                                    A(MAX_GRID_DIM_Z, 65535),
                                    A(MAX_SHARED_MEMORY_PER_BLOCK, 49152),
                                    A(TOTAL_CONSTANT_MEMORY, 65536),
                                    A(WARP_SIZE, 32),
                                    A(MAX_PITCH, 2147483647),
                                    A(MAX_REGISTERS_PER_BLOCK, 65536),
                                    A(MAX_REGISTERS_PER_MULTIPROCESSOR, 65536),
                                    A(TEXTURE_ALIGNMENT, 512),
                                    A(TEXTURE_PITCH_ALIGNMENT, 32),
                                    A(SURFACE_ALIGNMENT, 512),
                                    A(GPU_OVERLAP, 1),
                                    A(INTEGRATED, 0),
                                    A(CAN_MAP_HOST_MEMORY, 1),
                                    A(COMPUTE_MODE, 0),
                                    A(CONCURRENT_KERNELS, 1),
                                    A(TCC_DRIVER, 0),
                                    A(UNIFIED_ADDRESSING, 1),
                                    A(STREAM_PRIORITIES_SUPPORTED, 1),
                                    A(GLOBAL_L1_CACHE_SUPPORTED, 1),
                                    A(LOCAL_L1_CACHE_SUPPORTED, 1),
                                    A(MANAGED_MEMORY, 1),
                                    A(MULTI_GPU_BOARD, 0),
                                    A(HOST_NATIVE_ATOMIC_SUPPORTED, 0),
                                    A(PAGEABLE_MEMORY_ACCESS, 0),
                                    A(CONCURRENT_MANAGED_ACCESS, 1),
                                    A(COMPUTE_PREEMPTION_SUPPORTED, 1),
                                    A(CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM, 1),
                                    A(COOPERATIVE_LAUNCH, 1),
                                    A(COOPERATIVE_MULTI_DEVICE_LAUNCH, 1),
                                    A(DIRECT_MANAGED_MEM_ACCESS_FROM_HOST, 0),
                                    A(MAX_PERSISTING_L2_CACHE_SIZE, 0),
                                    A(CLUSTER_LAUNCH, 0),
                                    A(MAXIMUM_TEXTURE1D_WIDTH, 131072),
                                    A(MAXIMUM_TEXTURE1D_LINEAR_WIDTH, 268435456),
                                    A(MAXIMUM_TEXTURE2D_WIDTH, 131072),
                                    A(MAXIMUM_TEXTURE2D_HEIGHT, 65536),
                                    A(MAXIMUM_TEXTURE2D_MIPMAPPED_WIDTH, 32768),
                                    A(MAXIMUM_TEXTURE2D_MIPMAPPED_HEIGHT, 32768),
                                    A(MAXIMUM_TEXTURE2D_LINEAR_WIDTH, 131072),
                                    A(MAXIMUM_TEXTURE2D_LINEAR_HEIGHT, 65000),
                                    A(MAXIMUM_TEXTURE2D_LINEAR_PITCH, 2097120),
                                    A(MAXIMUM_TEXTURE2D_GATHER_WIDTH, 32768),
                                    A(MAXIMUM_TEXTURE2D_GATHER_HEIGHT, 32768),
                                    A(MAXIMUM_TEXTURE3D_WIDTH, 16384),
                                    A(MAXIMUM_TEXTURE3D_HEIGHT, 16384),
                                    A(MAXIMUM_TEXTURE3D_DEPTH, 16384),
                                    A(MAXIMUM_TEXTURE3D_WIDTH_ALTERNATE, 8192),
                                    A(MAXIMUM_TEXTURE3D_HEIGHT_ALTERNATE, 8192),
                                    A(MAXIMUM_TEXTURE3D_DEPTH_ALTERNATE, 32768),
                                    A(MAXIMUM_TEXTURECUBEMAP_WIDTH, 32768),
                                    A(MAXIMUM_TEXTURE1D_LAYERED_WIDTH, 32768),
                                    A(MAXIMUM_TEXTURE1D_LAYERED_LAYERS, 2048),
                                    A(MAXIMUM_TEXTURE2D_LAYERED_WIDTH, 32768),
                                    A(MAXIMUM_TEXTURE2D_LAYERED_HEIGHT, 32768),
                                    A(MAXIMUM_TEXTURE2D_LAYERED_LAYERS, 2048),
                                    A(MAXIMUM_TEXTURECUBEMAP_LAYERED_WIDTH, 32768),
                                    A(MAXIMUM_TEXTURECUBEMAP_LAYERED_LAYERS, 2046),
                                    A(MAXIMUM_SURFACE1D_WIDTH, 32768),
                                    A(MAXIMUM_SURFACE2D_WIDTH, 131072),
                                    A(MAXIMUM_SURFACE2D_HEIGHT, 65536),
                                    A(MAXIMUM_SURFACE3D_WIDTH, 16384),
                                    A(MAXIMUM_SURFACE3D_HEIGHT, 16384),
                                    A(MAXIMUM_SURFACE3D_DEPTH, 16384),
                                    A(MAXIMUM_SURFACE1D_LAYERED_WIDTH, 32768),
                                    A(MAXIMUM_SURFACE1D_LAYERED_LAYERS, 2048),
                                    A(MAXIMUM_SURFACE2D_LAYERED_WIDTH, 32768),
                                    A(MAXIMUM_SURFACE2D_LAYERED_HEIGHT, 32768),
                                    A(MAXIMUM_SURFACE2D_LAYERED_LAYERS, 2048),
                                    A(MAXIMUM_SURFACECUBEMAP_WIDTH, 32768),
                                    A(MAXIMUM_SURFACECUBEMAP_LAYERED_WIDTH, 32768),
                                    A(MAXIMUM_SURFACECUBEMAP_LAYERED_LAYERS, 2046)};

static const struct board {
    const char *gpu, *name;
    size_t memory;
    int memory_mhz; // within 0.2 %: files have round numbers
    struct answer own[16];
} boards[] = {
    {"v100",
     "Tesla V100-PCIE-16GB",
     16936927232,
     877,
     {A(COMPUTE_CAPABILITY_MAJOR, 7), A(COMPUTE_CAPABILITY_MINOR, 0), A(MULTIPROCESSOR_COUNT, 80),
      A(CLOCK_RATE, 1380000), A(GLOBAL_MEMORY_BUS_WIDTH, 4096), A(L2_CACHE_SIZE, 6291456),
      A(MAX_THREADS_PER_MULTIPROCESSOR, 2048), A(MAX_BLOCKS_PER_MULTIPROCESSOR, 32),
      A(MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, 98304), A(MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, 98304),
      A(ASYNC_ENGINE_COUNT, 7), A(ECC_ENABLED, 1), A(SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO, 2),
      A(MAXIMUM_TEXTURE1D_MIPMAPPED_WIDTH, 32768)}},
    {"qv100",
     "Quadro GV100",
     34359738368,
     850,
     {A(COMPUTE_CAPABILITY_MAJOR, 7), A(COMPUTE_CAPABILITY_MINOR, 0), A(MULTIPROCESSOR_COUNT, 80),
      A(GLOBAL_MEMORY_BUS_WIDTH, 4096), A(L2_CACHE_SIZE, 6291456),
      A(MAX_THREADS_PER_MULTIPROCESSOR, 2048), A(MAX_BLOCKS_PER_MULTIPROCESSOR, 32),
      A(MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, 98304), A(MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, 98304),
      A(SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO, 2)}},
    {"titanx-pascal",
     "TITAN X (Pascal)",
     12780175360,
     5005,
     {A(COMPUTE_CAPABILITY_MAJOR, 6), A(COMPUTE_CAPABILITY_MINOR, 1), A(MULTIPROCESSOR_COUNT, 28),
      A(GLOBAL_MEMORY_BUS_WIDTH, 384), A(L2_CACHE_SIZE, 3145728),
      A(MAX_THREADS_PER_MULTIPROCESSOR, 2048), A(MAX_BLOCKS_PER_MULTIPROCESSOR, 32),
      A(MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, 98304), A(MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, 49152),
      A(ASYNC_ENGINE_COUNT, 2), A(ECC_ENABLED, 0), A(SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO, 32),
      A(MAXIMUM_TEXTURE1D_MIPMAPPED_WIDTH, 16384)}},
    {"t4",
     "Tesla T4",
     15843721216,
     5001,
     {A(COMPUTE_CAPABILITY_MAJOR, 7), A(COMPUTE_CAPABILITY_MINOR, 5), A(MULTIPROCESSOR_COUNT, 40),
      A(CLOCK_RATE, 1590000), A(GLOBAL_MEMORY_BUS_WIDTH, 256), A(L2_CACHE_SIZE, 4194304),
      A(MAX_THREADS_PER_MULTIPROCESSOR, 1024), A(MAX_BLOCKS_PER_MULTIPROCESSOR, 16),
      A(MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, 65536), A(MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, 65536),
      A(ECC_ENABLED, 1), A(SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO, 32)}},
    {"rtx2060s",
     "GeForce RTX 2060 SUPER",
     8361672704,
     7001,
     {A(COMPUTE_CAPABILITY_MAJOR, 7), A(COMPUTE_CAPABILITY_MINOR, 5), A(MULTIPROCESSOR_COUNT, 34),
      A(GLOBAL_MEMORY_BUS_WIDTH, 256), A(L2_CACHE_SIZE, 4194304),
      A(MAX_THREADS_PER_MULTIPROCESSOR, 1024), A(MAX_BLOCKS_PER_MULTIPROCESSOR, 16),
      A(MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, 65536), A(MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, 65536),
      A(ASYNC_ENGINE_COUNT, 3), A(ECC_ENABLED, 0), A(SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO, 32),
      A(MAXIMUM_TEXTURE1D_MIPMAPPED_WIDTH, 32768)}},
};

static int compare(const char *gpu, const struct answer *a, size_t n) {
    int wrong = 0;
    for (size_t i = 0; i < n && a[i].attribute; i++) {
        int v = -1;
        OK(cuDeviceGetAttribute(&v, a[i].attribute, 0));
        if (v == a[i].value) continue;
        printf("%s: attribute %d is %d, the board's is %d\n", gpu, a[i].attribute, v, a[i].value);
        wrong++;
    }
    return wrong;
}

// What an occupancy calculator says of a kernel with few registers and no shared memory, and of one
// whose blocks take a quarter of an SM's.
static const char ptx[] =
    PTX(".extern .shared .align 4 .b8 room[];\n"
        ".visible .entry few(.param .u64 p) {\n"
        "  .reg .u64 %d; ld.param.u64 %d, [p]; st.global.u32 [%d], 1; ret;\n}\n");
static void occupancy(const struct board *b) {
    CUcontext c;
    CUmodule m;
    CUfunction f;
    int threads, most, shared, sms, n, grid, block;
    size_t room;
    OK(cuCtxCreate(&c, 0, 0));
    OK(cuModuleLoadData(&m, ptx));
    OK(cuModuleGetFunction(&f, m, "few"));
    OK(cuDeviceGetAttribute(&threads, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, 0));
    OK(cuDeviceGetAttribute(&most, CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR, 0));
    OK(cuDeviceGetAttribute(&shared, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, 0));
    OK(cuDeviceGetAttribute(&sms, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0));
    for (int size = 32; size <= 1024; size *= 2) {
        OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&n, f, size, 0));
        CHECK(n == (threads / size < most ? threads / size : most));
    }
    OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&n, f, 128, (size_t)shared / 4));
    CHECK(n == 4);
    OK(cuOccupancyMaxPotentialBlockSize(&grid, &block, f, NULL, 0, 0));
    CHECK(grid * block == sms * threads);
    OK(cuOccupancyAvailableDynamicSMemPerBlock(&room, f, 4, 128));
    CHECK(room == (size_t)shared / 4);
    // shared memory that no block of the chip can have: the driver's error, and a sentence
    int optin;
    OK(cuDeviceGetAttribute(&optin, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, 0));
    OK(cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, optin));
    IS(cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, optin + 4),
       CUDA_ERROR_INVALID_VALUE);
    OK(cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, 100));
    IS(cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, 101),
       CUDA_ERROR_INVALID_VALUE);
    OK(cuCtxDestroy(c));
    (void)b;
}

static int answers_as(const struct board *b) {
    char name[64];
    size_t memory;
    int mhz, least, greatest;
    CUcontext c;
    setenv("WARPWATT_GPU", b->gpu, 1);
    OK(cuInit(0));
    OK(cuDeviceGetName(name, sizeof name, 0));
    CHECK(strcmp(name, b->name) == 0);
    OK(cuDeviceTotalMem(&memory, 0));
    CHECK(memory == b->memory);
    OK(cuDeviceGetAttribute(&mhz, CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE, 0));
    CHECK(fabs(mhz / 1000.0 - b->memory_mhz) <= 0.002 * b->memory_mhz);
    OK(cuCtxCreate(&c, 0, 0));
    OK(cuCtxGetStreamPriorityRange(&least, &greatest));
    CHECK(least == 0 && greatest < 0);
    OK(cuCtxDestroy(c));
    occupancy(b);
    return compare(b->gpu, all, COUNT(all)) + compare(b->gpu, b->own, COUNT(b->own));
}

int main(void) {
    int wrong = 0;
    for (size_t i = 0; i < COUNT(boards); i++) {
        const pid_t child = fork();
        if (child == 0) exit(answers_as(&boards[i]) != 0);
        int status;
        CHECK(child > 0 && waitpid(child, &status, 0) == child);
        wrong += !(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    CHECK(wrong == 0);
    return 0;
}
