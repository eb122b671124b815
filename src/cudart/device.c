// Devices: there is one. Properties, limits, versions, peers.
#include "cudart/cudart.h"

// ---- which --------------------------------------------------------------------------------------
CUDART_API cudaError_t cudaGetDeviceCount(int *n) {
    if (!n) return cudart_error(cudaErrorInvalidValue);
    const CUresult r = cuInit(0);
    return cudart_done(r == CUDA_SUCCESS ? cuDeviceGetCount(n) : r);
}
static bool is_device(int d) {
    int n = 0;
    return d >= 0 && cudaGetDeviceCount(&n) == cudaSuccess && d < n;
}
CUDART_API cudaError_t cudaSetDevice(int device) {
    if (!is_device(device)) return cudart_error(cudaErrorInvalidDevice);
    CUDART_READY();
    return cudaSuccess;
}
CUDART_API cudaError_t cudaInitDevice(int device, unsigned device_flags, unsigned flags) {
    (void)device_flags, (void)flags;
    return cudaSetDevice(device);
}
CUDART_API cudaError_t cudaGetDevice(int *device) {
    if (!device) return cudart_error(cudaErrorInvalidValue);
    *device = 0;
    return cudaSuccess;
}
CUDART_API cudaError_t cudaSetValidDevices(int *list, int n) {
    for (int i = 0; i < n; i++)
        if (!is_device(list[i])) return cudart_error(cudaErrorInvalidDevice);
    return cudaSuccess;
}
CUDART_API cudaError_t cudaChooseDevice(int *device, const void *wish) {
    (void)wish;
    return cudaGetDevice(device);
}
CUDART_API cudaError_t cudaSetDeviceFlags(unsigned flags) {
    (void)flags; // how a host thread waits: simulated time does not pass for it
    return cudaSuccess;
}
CUDART_API cudaError_t cudaGetDeviceFlags(unsigned *flags) {
    CUDART_READY();
    return cudart_done(cuCtxGetFlags(flags));
}
CUDART_API cudaError_t cudaDeviceSynchronize(void) {
    CUDART_READY();
    return cudart_done(cuCtxSynchronize());
}
CUDART_API cudaError_t cudaThreadSynchronize(void) { return cudaDeviceSynchronize(); }
CUDART_API cudaError_t cudaDeviceReset(void) {
    CUDART_READY();
    CUresult r = cuCtxSynchronize();
    cudart_forget_modules();
    const CUresult reset = cuDevicePrimaryCtxReset(0);
    cuCtxSetCurrent(NULL);
    if (r == CUDA_SUCCESS) r = reset;
    return cudart_done(r);
}
CUDART_API cudaError_t cudaThreadExit(void) { return cudaDeviceReset(); }

// ---- versions -----------------------------------------------------------------------------------
CUDART_API cudaError_t cudaRuntimeGetVersion(int *version) {
    *version = cudart_major == 11 ? 11080 : cudart_major == 12 ? 12090 : cudart_major * 1000;
    return cudaSuccess;
}
CUDART_API cudaError_t cudaDriverGetVersion(int *version) {
    return cudart_done(cuDriverGetVersion(version));
}

// ---- properties ---------------------------------------------------------------------------------
CUDART_API cudaError_t cudaDeviceGetAttribute(int *value, int attribute, int device) {
    const CUresult r = cuInit(0);
    return cudart_done(
        r == CUDA_SUCCESS ? cuDeviceGetAttribute(value, (CUdevice_attribute)attribute, device) : r);
}

// cudaDeviceProp by version, field after field in memory order (CUDA Runtime API references
// of 11.8, 12.9 and 13.0). F(kind, name, count, first major, last major, attribute): kind i int, z
// size_t, c bytes; an attribute of 0 stays zero or is filled in by hand below.
#define A(x) CU_DEVICE_ATTRIBUTE_##x
#define PROPERTIES(F)                                                                              \
    F(c, name, 256, 11, 13, 0)                                                                     \
    F(c, uuid, 16, 11, 13, 0)                                                                      \
    F(c, luid, 8, 11, 13, 0)                                                                       \
    F(i, luidDeviceNodeMask, 1, 11, 13, 0)                                                         \
    F(z, totalGlobalMem, 1, 11, 13, 0)                                                             \
    F(z, sharedMemPerBlock, 1, 11, 13, A(MAX_SHARED_MEMORY_PER_BLOCK))                             \
    F(i, regsPerBlock, 1, 11, 13, A(MAX_REGISTERS_PER_BLOCK))                                      \
    F(i, warpSize, 1, 11, 13, A(WARP_SIZE))                                                        \
    F(z, memPitch, 1, 11, 13, A(MAX_PITCH))                                                        \
    F(i, maxThreadsPerBlock, 1, 11, 13, A(MAX_THREADS_PER_BLOCK))                                  \
    F(i, maxThreadsDim, 3, 11, 13, A(MAX_BLOCK_DIM_X))                                             \
    F(i, maxGridSize, 3, 11, 13, A(MAX_GRID_DIM_X))                                                \
    F(i, clockRate, 1, 11, 12, A(CLOCK_RATE))                                                      \
    F(z, totalConstMem, 1, 11, 13, A(TOTAL_CONSTANT_MEMORY))                                       \
    F(i, major, 1, 11, 13, A(COMPUTE_CAPABILITY_MAJOR))                                            \
    F(i, minor, 1, 11, 13, A(COMPUTE_CAPABILITY_MINOR))                                            \
    F(z, textureAlignment, 1, 11, 13, A(TEXTURE_ALIGNMENT))                                        \
    F(z, texturePitchAlignment, 1, 11, 13, A(TEXTURE_PITCH_ALIGNMENT))                             \
    F(i, deviceOverlap, 1, 11, 12, A(GPU_OVERLAP))                                                 \
    F(i, multiProcessorCount, 1, 11, 13, A(MULTIPROCESSOR_COUNT))                                  \
    F(i, kernelExecTimeoutEnabled, 1, 11, 12, A(KERNEL_EXEC_TIMEOUT))                              \
    F(i, integrated, 1, 11, 13, A(INTEGRATED))                                                     \
    F(i, canMapHostMemory, 1, 11, 13, A(CAN_MAP_HOST_MEMORY))                                      \
    F(i, computeMode, 1, 11, 12, A(COMPUTE_MODE))                                                  \
    F(i, maxTexture1D, 1, 11, 13, A(MAXIMUM_TEXTURE1D_WIDTH))                                      \
    F(i, maxTexture1DMipmap, 1, 11, 13, A(MAXIMUM_TEXTURE1D_MIPMAPPED_WIDTH))                      \
    F(i, maxTexture1DLinear, 1, 11, 12, A(MAXIMUM_TEXTURE1D_LINEAR_WIDTH))                         \
    F(i, maxTexture2D, 2, 11, 13, A(MAXIMUM_TEXTURE2D_WIDTH))                                      \
    F(i, maxTexture2DMipmap, 2, 11, 13, A(MAXIMUM_TEXTURE2D_MIPMAPPED_WIDTH))                      \
    F(i, maxTexture2DLinear, 3, 11, 13, A(MAXIMUM_TEXTURE2D_LINEAR_WIDTH))                         \
    F(i, maxTexture2DGather, 2, 11, 13, A(MAXIMUM_TEXTURE2D_GATHER_WIDTH))                         \
    F(i, maxTexture3D, 3, 11, 13, A(MAXIMUM_TEXTURE3D_WIDTH))                                      \
    F(i, maxTexture3DAlt, 3, 11, 13, A(MAXIMUM_TEXTURE3D_WIDTH_ALTERNATE))                         \
    F(i, maxTextureCubemap, 1, 11, 13, A(MAXIMUM_TEXTURECUBEMAP_WIDTH))                            \
    F(i, maxTexture1DLayered, 2, 11, 13, A(MAXIMUM_TEXTURE1D_LAYERED_WIDTH))                       \
    F(i, maxTexture2DLayered, 3, 11, 13, A(MAXIMUM_TEXTURE2D_LAYERED_WIDTH))                       \
    F(i, maxTextureCubemapLayered, 2, 11, 13, A(MAXIMUM_TEXTURECUBEMAP_LAYERED_WIDTH))             \
    F(i, maxSurface1D, 1, 11, 13, A(MAXIMUM_SURFACE1D_WIDTH))                                      \
    F(i, maxSurface2D, 2, 11, 13, A(MAXIMUM_SURFACE2D_WIDTH))                                      \
    F(i, maxSurface3D, 3, 11, 13, A(MAXIMUM_SURFACE3D_WIDTH))                                      \
    F(i, maxSurface1DLayered, 2, 11, 13, A(MAXIMUM_SURFACE1D_LAYERED_WIDTH))                       \
    F(i, maxSurface2DLayered, 3, 11, 13, A(MAXIMUM_SURFACE2D_LAYERED_WIDTH))                       \
    F(i, maxSurfaceCubemap, 1, 11, 13, A(MAXIMUM_SURFACECUBEMAP_WIDTH))                            \
    F(i, maxSurfaceCubemapLayered, 2, 11, 13, A(MAXIMUM_SURFACECUBEMAP_LAYERED_WIDTH))             \
    F(z, surfaceAlignment, 1, 11, 13, A(SURFACE_ALIGNMENT))                                        \
    F(i, concurrentKernels, 1, 11, 13, A(CONCURRENT_KERNELS))                                      \
    F(i, ECCEnabled, 1, 11, 13, A(ECC_ENABLED))                                                    \
    F(i, pciBusID, 1, 11, 13, A(PCI_BUS_ID))                                                       \
    F(i, pciDeviceID, 1, 11, 13, A(PCI_DEVICE_ID))                                                 \
    F(i, pciDomainID, 1, 11, 13, A(PCI_DOMAIN_ID))                                                 \
    F(i, tccDriver, 1, 11, 13, A(TCC_DRIVER))                                                      \
    F(i, asyncEngineCount, 1, 11, 13, A(ASYNC_ENGINE_COUNT))                                       \
    F(i, unifiedAddressing, 1, 11, 13, A(UNIFIED_ADDRESSING))                                      \
    F(i, memoryClockRate, 1, 11, 12, A(MEMORY_CLOCK_RATE))                                         \
    F(i, memoryBusWidth, 1, 11, 13, A(GLOBAL_MEMORY_BUS_WIDTH))                                    \
    F(i, l2CacheSize, 1, 11, 13, A(L2_CACHE_SIZE))                                                 \
    F(i, persistingL2CacheMaxSize, 1, 11, 13, A(MAX_PERSISTING_L2_CACHE_SIZE))                     \
    F(i, maxThreadsPerMultiProcessor, 1, 11, 13, A(MAX_THREADS_PER_MULTIPROCESSOR))                \
    F(i, streamPrioritiesSupported, 1, 11, 13, A(STREAM_PRIORITIES_SUPPORTED))                     \
    F(i, globalL1CacheSupported, 1, 11, 13, A(GLOBAL_L1_CACHE_SUPPORTED))                          \
    F(i, localL1CacheSupported, 1, 11, 13, A(LOCAL_L1_CACHE_SUPPORTED))                            \
    F(z, sharedMemPerMultiprocessor, 1, 11, 13, A(MAX_SHARED_MEMORY_PER_MULTIPROCESSOR))           \
    F(i, regsPerMultiprocessor, 1, 11, 13, A(MAX_REGISTERS_PER_MULTIPROCESSOR))                    \
    F(i, managedMemory, 1, 11, 13, A(MANAGED_MEMORY))                                              \
    F(i, isMultiGpuBoard, 1, 11, 13, A(MULTI_GPU_BOARD))                                           \
    F(i, multiGpuBoardGroupID, 1, 11, 13, A(MULTI_GPU_BOARD_GROUP_ID))                             \
    F(i, hostNativeAtomicSupported, 1, 11, 13, A(HOST_NATIVE_ATOMIC_SUPPORTED))                    \
    F(i, singleToDoublePrecisionPerfRatio, 1, 11, 12, A(SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO))    \
    F(i, pageableMemoryAccess, 1, 11, 13, A(PAGEABLE_MEMORY_ACCESS))                               \
    F(i, concurrentManagedAccess, 1, 11, 13, A(CONCURRENT_MANAGED_ACCESS))                         \
    F(i, computePreemptionSupported, 1, 11, 13, A(COMPUTE_PREEMPTION_SUPPORTED))                   \
    F(i, canUseHostPointerForRegisteredMem, 1, 11, 13, A(CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM)) \
    F(i, cooperativeLaunch, 1, 11, 13, A(COOPERATIVE_LAUNCH))                                      \
    F(i, cooperativeMultiDeviceLaunch, 1, 11, 12, A(COOPERATIVE_MULTI_DEVICE_LAUNCH))              \
    F(z, sharedMemPerBlockOptin, 1, 11, 13, A(MAX_SHARED_MEMORY_PER_BLOCK_OPTIN))                  \
    F(i, pageableMemoryAccessUsesHostPageTables, 1, 11, 13, 0)                                     \
    F(i, directManagedMemAccessFromHost, 1, 11, 13, A(DIRECT_MANAGED_MEM_ACCESS_FROM_HOST))        \
    F(i, maxBlocksPerMultiProcessor, 1, 11, 13, A(MAX_BLOCKS_PER_MULTIPROCESSOR))                  \
    F(i, accessPolicyMaxWindowSize, 1, 11, 13, A(MAX_ACCESS_POLICY_WINDOW_SIZE))                  \
    F(z, reservedSharedMemPerBlock, 1, 11, 13, 0)                                                  \
    F(i, hostRegisterSupported, 1, 12, 13, A(HOST_REGISTER_SUPPORTED))                             \
    F(i, sparseCudaArraySupported, 1, 12, 13, 0)                                                   \
    F(i, hostRegisterReadOnlySupported, 1, 12, 13, 0)                                              \
    F(i, timelineSemaphoreInteropSupported, 1, 12, 13, 0)                                          \
    F(i, memoryPoolsSupported, 1, 12, 13, A(MEMORY_POOLS_SUPPORTED))                               \
    F(i, gpuDirectRDMASupported, 1, 12, 13, 0)                                                     \
    F(i, gpuDirectRDMAFlushWritesOptions, 1, 12, 13, 0)                                            \
    F(i, gpuDirectRDMAWritesOrdering, 1, 12, 13, 0)                                                \
    F(i, memoryPoolSupportedHandleTypes, 1, 12, 13, 0)                                             \
    F(i, deferredMappingCudaArraySupported, 1, 12, 13, 0)                                          \
    F(i, ipcEventSupported, 1, 12, 13, 0)                                                          \
    F(i, clusterLaunch, 1, 12, 13, A(CLUSTER_LAUNCH))                                                              \
    F(i, unifiedFunctionPointers, 1, 12, 13, 0)                                                    \
    F(i, reserved_12, 63, 12, 12, 0)                                                               \
    F(i, deviceNumaConfig, 1, 13, 13, 0)                                                           \
    F(i, deviceNumaId, 1, 13, 13, 0)                                                               \
    F(i, mpsEnabled, 1, 13, 13, 0)                                                                 \
    F(i, hostNumaId, 1, 13, 13, 0)                                                                 \
    F(i, gpuPciDeviceID, 1, 13, 13, 0)                                                             \
    F(i, gpuPciSubsystemID, 1, 13, 13, 0)                                                          \
    F(i, hostNumaMultinodeIpcSupported, 1, 13, 13, 0)                                              \
    F(i, reserved_13, 56, 13, 13, 0)

struct property {
    const char *name;
    char kind;
    unsigned n;
    int first, last;
    int attribute;
};
static const struct property properties[] = {
#define F(kind, name, n, first, last, attribute) {#name, #kind[0], n, first, last, attribute},
    PROPERTIES(F)
#undef F
};

// Writes the properties as programs of `major` expect them; answers the structure's size. The
// caller's structure must be that large. `find` and `offset` (for tests): where a field lies.
size_t cudart_properties(void *to, int major, int device, const char *find, size_t *offset) {
    size_t at = 0;
    for (size_t i = 0; i < COUNT(properties); i++) {
        const struct property *p = &properties[i];
        if (major < p->first || major > p->last) continue;
        const size_t size = p->kind == 'z' ? sizeof(size_t) : p->kind == 'i' ? sizeof(int) : 1;
        at = (at + size - 1) / size * size;
        if (find && strcmp(find, p->name) == 0) *offset = at;
        for (unsigned k = 0; k < p->n && to; k++) {
            int v = 0;
            if (p->attribute)
                cuDeviceGetAttribute(&v, (CUdevice_attribute)(p->attribute + (int)k), device);
            char *const field = (char *)to + at + k * size;
            if (p->kind == 'z') *(size_t *)field = (size_t)v;
            else if (p->kind == 'i') *(int *)field = v;
            else *field = 0;
        }
        if (to && strcmp(p->name, "name") == 0) cuDeviceGetName((char *)to + at, 256, device);
        if (to && strcmp(p->name, "uuid") == 0)
            cuDeviceGetUuid((CUuuid *)((char *)to + at), device);
        if (to && strcmp(p->name, "totalGlobalMem") == 0)
            cuDeviceTotalMem((size_t *)(void *)((char *)to + at), device);
        at += p->n * size;
    }
    return (at + 7) / 8 * 8;
}

static cudaError_t get_properties(void *to, int major, int device) {
    if (!to) return cudart_error(cudaErrorInvalidValue);
    if (!is_device(device)) return cudart_error(cudaErrorInvalidDevice);
    cudart_properties(to, major, device, NULL, NULL);
    return cudaSuccess;
}
// Programs of 12 call the second name; the first keeps the layout of 11 there.
CUDART_API cudaError_t cudaGetDeviceProperties(void *to, int device) {
    return get_properties(to, cudart_major == 12 ? 11 : cudart_major, device);
}
CUDART_API cudaError_t cudaGetDeviceProperties_v2(void *to, int device) {
    return get_properties(to, 12, device);
}

CUDART_API cudaError_t cudaDeviceGetPCIBusId(char *id, int len, int device) {
    CUDART_READY();
    return cudart_done(cuDeviceGetPCIBusId(id, len, device));
}
CUDART_API cudaError_t cudaDeviceGetByPCIBusId(int *device, const char *id) {
    CUDART_READY();
    return cudart_done(cuDeviceGetByPCIBusId(device, id));
}

// ---- limits -------------------------------------------------------------------------------------
CUDART_API cudaError_t cudaDeviceSetLimit(int limit, size_t value) {
    CUDART_READY();
    return cudart_done(cuCtxSetLimit((CUlimit)limit, value));
}
CUDART_API cudaError_t cudaDeviceGetLimit(size_t *value, int limit) {
    CUDART_READY();
    return cudart_done(cuCtxGetLimit(value, (CUlimit)limit));
}
CUDART_API cudaError_t cudaDeviceSetCacheConfig(int config) {
    CUDART_READY();
    return cudart_done(cuCtxSetCacheConfig((CUfunc_cache)config));
}
CUDART_API cudaError_t cudaDeviceGetCacheConfig(int *config) {
    CUDART_READY();
    return cudart_done(cuCtxGetCacheConfig((CUfunc_cache *)config));
}
CUDART_API cudaError_t cudaThreadSetCacheConfig(int config) {
    return cudaDeviceSetCacheConfig(config);
}
CUDART_API cudaError_t cudaDeviceSetSharedMemConfig(int config) {
    CUDART_READY();
    return cudart_done(cuCtxSetSharedMemConfig((CUsharedconfig)config));
}
CUDART_API cudaError_t cudaDeviceGetSharedMemConfig(int *config) {
    CUDART_READY();
    return cudart_done(cuCtxGetSharedMemConfig((CUsharedconfig *)config));
}
CUDART_API cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest) {
    CUDART_READY();
    return cudart_done(cuCtxGetStreamPriorityRange(least, greatest));
}

// ---- peers: there are none ----------------------------------------------------------------------
CUDART_API cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer) {
    if (!is_device(device) || !is_device(peer)) return cudart_error(cudaErrorInvalidDevice);
    *can = 0;
    return cudaSuccess;
}
CUDART_API cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags) {
    (void)peer, (void)flags;
    return cudart_error(cudaErrorInvalidDevice);
}
CUDART_API cudaError_t cudaDeviceDisablePeerAccess(int peer) {
    (void)peer;
    return cudart_error(cudaErrorPeerAccessNotEnabled);
}
CUDART_API cudaError_t cudaDeviceGetP2PAttribute(int *value, int attribute, int from, int to) {
    CUDART_READY();
    return cudart_done(cuDeviceGetP2PAttribute(value, (CUdevice_P2PAttribute)attribute, from, to));
}

// ---- the profiler: every run is measured; `run --profiled` times what lies between these two ----
CUDART_API cudaError_t cudaProfilerInitialize(const char *config, const char *out, int mode) {
    (void)config, (void)out, (void)mode;
    return cudaSuccess;
}
CUDART_API cudaError_t cudaProfilerStart(void) { return cudart_done(cuProfilerStart()); }
CUDART_API cudaError_t cudaProfilerStop(void) { return cudart_done(cuProfilerStop()); }

// ---- the driver's entry points ------------------------------------------------------------------
CUDART_API cudaError_t cudaGetDriverEntryPointByVersion(const char *name, void **out,
                                                        unsigned version, unsigned long long flags,
                                                        int *found) {
    CUDART_READY();
    CUdriverProcAddressQueryResult q = CU_GET_PROC_ADDRESS_SUCCESS;
    const CUresult r = cuGetProcAddress_v2(name, out, (int)version, flags, &q);
    if (found) *found = (int)q;
    return cudart_done(r == CUDA_ERROR_NOT_FOUND && found ? CUDA_SUCCESS : r);
}
CUDART_API cudaError_t cudaGetDriverEntryPoint(const char *name, void **out,
                                               unsigned long long flags, int *found) {
    int version = 0;
    cudaRuntimeGetVersion(&version);
    return cudaGetDriverEntryPointByVersion(name, out, (unsigned)version, flags,
                                            cudart_major >= 12 ? found : NULL);
}
