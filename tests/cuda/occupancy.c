// Rows of tests/sm/occupancy.def, as the toolkit's own calculator has them: its output is that file
// from the first row on.
#include <cuda_occupancy.h>
#include <stdio.h>

static int row(const cudaOccDeviceProp *p, int threads, int registers, int shared) {
    const cudaOccFuncAttributes f = {.maxThreadsPerBlock = 1024,
                                     .numRegs = registers,
                                     .maxDynamicSharedSizeBytes = (size_t)shared};
    const cudaOccDeviceState state = {.cacheConfig = CACHE_PREFER_SHARED,
                                      .carveoutConfig = SHAREDMEM_CARVEOUT_MAX_SHARED};
    cudaOccResult r;
    if (cudaOccMaxActiveBlocksPerMultiprocessor(&r, p, &f, &state, threads, (size_t)shared) !=
        CUDA_OCC_SUCCESS)
        return 1;
    printf("CASE(%d, %d, %4d, %3d, %5d, %2d)\n", p->computeMajor, p->computeMinor, threads,
           registers, shared, r.activeBlocksPerMultiprocessor);
    return 0;
}

int main(void) {
    // capability, threads and bytes of shared memory of an SM
    static const int sm[][4] = {
        {3, 5, 2048, 49152}, {6, 1, 2048, 98304}, {7, 0, 2048, 98304}, {7, 5, 1024, 65536}};
    static const int threads[] = {32, 96, 160, 224, 300, 320, 480, 1000};
    static const int registers[] = {24, 40, 64, 65, 80, 96, 255};
    static const int shared[] = {1, 257, 9000, 12289, 49152};
    int failed = 0;
    for (size_t i = 0; i < sizeof sm / sizeof *sm; i++) {
        const cudaOccDeviceProp p = {.computeMajor = sm[i][0],
                                     .computeMinor = sm[i][1],
                                     .maxThreadsPerBlock = 1024,
                                     .maxThreadsPerMultiprocessor = sm[i][2],
                                     .regsPerBlock = 65536,
                                     .regsPerMultiprocessor = 65536,
                                     .warpSize = 32,
                                     .sharedMemPerBlock = 49152,
                                     .sharedMemPerMultiprocessor = (size_t)sm[i][3],
                                     .sharedMemPerBlockOptin = (size_t)sm[i][3],
                                     .numSms = 1};
        for (size_t t = 0; t < sizeof threads / sizeof *threads; t++)
            for (size_t r = 0; r < sizeof registers / sizeof *registers; r++)
                failed += row(&p, threads[t], registers[r], 0);
        for (size_t s = 0; s < sizeof shared / sizeof *shared; s++)
            failed += row(&p, 256, 32, shared[s]);
    }
    return failed != 0;
}
