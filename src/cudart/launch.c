// Kernels: the stack of configurations between <<<>>> and a stub, launches of every major version,
// attributes, occupancy, libraries.
#include "cudart/cudart.h"
#include "driver_private.h"

// ---- configuration ------------------------------------------------------------------------------
struct configuration {
    dim3 grid, block;
    size_t shared;
    cudaStream_t stream;
    // calls of before CUDA 9.2 put arguments one by one
    unsigned char argument[4096];
    size_t bytes;
};
enum { MAX_DEPTH = 8 }; // arguments of a launch may themselves launch
static _Thread_local struct configuration *stack;
static _Thread_local unsigned depth;

static struct configuration *push(void) {
    if (!stack) stack = calloc(MAX_DEPTH, sizeof *stack);
    if (!stack || depth == MAX_DEPTH) return NULL;
    struct configuration *c = &stack[depth++];
    c->bytes = 0;
    return c;
}

CUDART_API unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared,
                                                cudaStream_t stream) {
    struct configuration *c = push();
    if (!c) return (unsigned)cudart_error(cudaErrorLaunchOutOfResources);
    c->grid = grid, c->block = block, c->shared = shared, c->stream = stream;
    return 0;
}

CUDART_API cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared,
                                                  void *stream) {
    if (!depth) return cudart_error(cudaErrorMissingConfiguration);
    const struct configuration *c = &stack[--depth];
    *grid = c->grid, *block = c->block, *shared = c->shared;
    *(cudaStream_t *)stream = c->stream;
    return cudaSuccess;
}

// ---- launches -----------------------------------------------------------------------------------
// A driver's "invalid value" of a launch is a shape, for which the runtime has a word of its own,
// or too much shared memory, for which it has none.
static cudaError_t launch_error(CUresult r, CUfunction f, size_t shared) {
    if (r != CUDA_ERROR_INVALID_VALUE) return cudart_error((cudaError_t)r);
    int most = 0;
    cuFuncGetAttribute(&most, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, f);
    return cudart_error(shared > (size_t)most ? cudaErrorInvalidValue
                                              : cudaErrorInvalidConfiguration);
}

static cudaError_t launch(CUfunction f, dim3 grid, dim3 block, void **args, size_t shared,
                          cudaStream_t stream, bool cooperative) {
    if (shared > UINT32_MAX) return cudart_error(cudaErrorInvalidValue);
    const unsigned bytes = (unsigned)shared;
    return launch_error(cooperative
                            ? cuLaunchCooperativeKernel(f, grid.x, grid.y, grid.z, block.x, block.y,
                                                        block.z, bytes, stream, args)
                            : cuLaunchKernel(f, grid.x, grid.y, grid.z, block.x, block.y, block.z,
                                             bytes, stream, args, NULL),
                        f, shared);
}

CUDART_API cudaError_t cudaLaunchKernel(const void *host, dim3 grid, dim3 block, void **args,
                                        size_t shared, cudaStream_t stream) {
    CUfunction f;
    const cudaError_t e = cudart_function(host, &f);
    return e != cudaSuccess ? cudart_error(e) : launch(f, grid, block, args, shared, stream, false);
}

CUDART_API cudaError_t __cudaLaunchKernel(cudaKernel_t k, dim3 grid, dim3 block, void **args,
                                          size_t shared, cudaStream_t stream) {
    return cudaLaunchKernel(k, grid, block, args, shared, stream);
}

CUDART_API cudaError_t cudaLaunchCooperativeKernel(const void *host, dim3 grid, dim3 block,
                                                   void **args, size_t shared,
                                                   cudaStream_t stream) {
    CUfunction f;
    const cudaError_t e = cudart_function(host, &f);
    return e != cudaSuccess ? cudart_error(e) : launch(f, grid, block, args, shared, stream, true);
}

// One device: more than one launch can be none of its kind.
CUDART_API cudaError_t cudaLaunchCooperativeKernelMultiDevice(struct cudaLaunchParams *list,
                                                              unsigned devices, unsigned flags) {
    if (!list || devices != 1 || flags > 3) return cudart_error(cudaErrorInvalidValue);
    return cudaLaunchCooperativeKernel(list->func, list->gridDim, list->blockDim, list->args,
                                       list->sharedMem, list->stream);
}

// Attributes have the driver's numbers and values.
static CUlaunchConfig driver_config(const cudaLaunchConfig_t *c) {
    return (CUlaunchConfig){.gridDimX = c->gridDim.x,
                            .gridDimY = c->gridDim.y,
                            .gridDimZ = c->gridDim.z,
                            .blockDimX = c->blockDim.x,
                            .blockDimY = c->blockDim.y,
                            .blockDimZ = c->blockDim.z,
                            .sharedMemBytes = (unsigned)c->dynamicSmemBytes,
                            .hStream = c->stream,
                            .attrs = (CUlaunchAttribute *)(uintptr_t)c->attrs,
                            .numAttrs = c->numAttrs};
}

CUDART_API cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *c, const void *host,
                                           void **args) {
    if (!c) return cudart_error(cudaErrorInvalidValue);
    CUfunction f;
    const cudaError_t e = cudart_function(host, &f);
    if (e != cudaSuccess) return cudart_error(e);
    if (c->dynamicSmemBytes > UINT32_MAX) return cudart_error(cudaErrorInvalidValue);
    const CUlaunchConfig driver = driver_config(c);
    return launch_error(cuLaunchKernelEx(&driver, f, args, NULL), f, c->dynamicSmemBytes);
}

// The interface before CUDA 9.2.
CUDART_API cudaError_t cudaConfigureCall(dim3 grid, dim3 block, size_t shared,
                                         cudaStream_t stream) {
    return (cudaError_t)__cudaPushCallConfiguration(grid, block, shared, stream);
}
CUDART_API cudaError_t cudaSetupArgument(const void *arg, size_t bytes, size_t offset) {
    if (!depth) return cudart_error(cudaErrorMissingConfiguration);
    struct configuration *c = &stack[depth - 1];
    if (offset > sizeof c->argument || bytes > sizeof c->argument - offset)
        return cudart_error(cudaErrorInvalidValue);
    memcpy(c->argument + offset, arg, bytes);
    if (offset + bytes > c->bytes) c->bytes = offset + bytes;
    return cudaSuccess;
}
CUDART_API cudaError_t cudaLaunch(const void *host) {
    if (!depth) return cudart_error(cudaErrorMissingConfiguration);
    struct configuration *c = &stack[--depth];
    CUfunction f;
    const cudaError_t e = cudart_function(host, &f);
    if (e != cudaSuccess) return cudart_error(e);
    void *args[COUNT(c->argument)]; // each has a byte or more
    size_t offset, bytes;
    for (size_t i = 0; cuFuncGetParamInfo(f, i, &offset, &bytes) == CUDA_SUCCESS; i++) {
        if (offset + bytes > c->bytes) return cudart_error(cudaErrorInvalidConfiguration);
        args[i] = c->argument + offset;
    }
    return launch(f, c->grid, c->block, args, c->shared, c->stream, false);
}

// ---- handles of kernels -------------------------------------------------------------------------
CUDART_API cudaError_t __cudaGetKernel(cudaKernel_t *out, const void *host) {
    return cudart_error(cudart_kernel(host, out));
}
CUDART_API cudaError_t cudaGetKernel(cudaKernel_t *out, const void *host) {
    return __cudaGetKernel(out, host);
}
CUDART_API cudaError_t cudaGetFuncBySymbol(cudaFunction_t *out, const void *host) {
    return cudart_error(cudart_function(host, out));
}
CUDART_API cudaError_t cudaFuncGetName(const char **name, const void *host) {
    struct cudart_function *k;
    if (!name) return cudart_error(cudaErrorInvalidValue);
    if (cudart_kernel(host, &k) == cudaSuccess && *k->name) {
        *name = k->name;
        return cudaSuccess;
    }
    CUfunction f;
    const cudaError_t e = cudart_function(host, &f);
    return e != cudaSuccess ? cudart_error(e) : cudart_done(cuFuncGetName(name, f));
}
CUDART_API cudaError_t cudaFuncGetParamInfo(const void *host, size_t index, size_t *offset,
                                            size_t *bytes) {
    CUfunction f;
    const cudaError_t e = cudart_function(host, &f);
    return e != cudaSuccess ? cudart_error(e)
                            : cudart_done(cuFuncGetParamInfo(f, index, offset, bytes));
}

CUDART_API cudaError_t cudaLibraryLoadData(cudaLibrary_t *out, const void *code, CUjit_option *jit,
                                           void **jit_values, unsigned n_jit,
                                           CUlibraryOption *options, void **values, unsigned n) {
    CUDART_READY();
    return cudart_done(cuLibraryLoadData(out, code, jit, jit_values, n_jit, options, values, n));
}
CUDART_API cudaError_t cudaLibraryLoadFromFile(cudaLibrary_t *out, const char *path,
                                               CUjit_option *jit, void **jit_values, unsigned n_jit,
                                               CUlibraryOption *options, void **values,
                                               unsigned n) {
    CUDART_READY();
    return cudart_done(
        cuLibraryLoadFromFile(out, path, jit, jit_values, n_jit, options, values, n));
}
CUDART_API cudaError_t cudaLibraryUnload(cudaLibrary_t l) {
    return cudart_done(cuLibraryUnload(l));
}
CUDART_API cudaError_t cudaLibraryGetKernel(cudaKernel_t *out, cudaLibrary_t l, const char *name) {
    CUkernel k;
    CUfunction f;
    CUDART_READY();
    CUresult r = cuLibraryGetKernel(&k, l, name);
    if (r == CUDA_SUCCESS) r = cuKernelGetFunction(&f, k);
    if (r == CUDA_SUCCESS) *out = cudart_function_of_library(f);
    return cudart_done(r);
}
CUDART_API cudaError_t cudaLibraryGetGlobal(void **address, size_t *bytes, cudaLibrary_t l,
                                            const char *name) {
    CUDART_READY();
    return cudart_done(cuLibraryGetGlobal((CUdeviceptr *)address, bytes, l, name));
}
CUDART_API cudaError_t cudaLibraryEnumerateKernels(cudaKernel_t *out, unsigned n, cudaLibrary_t l) {
    CUDART_READY();
    if (!out) return cudart_error(cudaErrorInvalidValue);
    unsigned all = 0;
    CUresult r = cuLibraryGetKernelCount(&all, l);
    if (n > all) n = all;
    CUkernel *const kernel = calloc(n + 1, sizeof *kernel);
    if (!kernel) return cudart_error(cudaErrorMemoryAllocation);
    if (r == CUDA_SUCCESS) r = cuLibraryEnumerateKernels(kernel, n, l);
    for (unsigned i = 0; i < n && r == CUDA_SUCCESS; i++) {
        CUfunction f;
        r = cuKernelGetFunction(&f, kernel[i]);
        if (r == CUDA_SUCCESS) out[i] = cudart_function_of_library(f);
    }
    free(kernel);
    return cudart_done(r);
}
CUDART_API cudaError_t cudaLibraryGetKernelCount(unsigned *count, cudaLibrary_t l) {
    return cudart_done(cuLibraryGetKernelCount(count, l));
}

// ---- attributes ---------------------------------------------------------------------------------
CUDART_API cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *a, const void *host) {
    CUfunction f;
    const cudaError_t e = cudart_function(host, &f);
    if (e != cudaSuccess) return cudart_error(e);
    int shared = 0, constant = 0, local = 0;
    CUresult r = cuFuncGetAttribute(&shared, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, f);
    if (r == CUDA_SUCCESS) r = cuFuncGetAttribute(&constant, CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES, f);
    if (r == CUDA_SUCCESS) r = cuFuncGetAttribute(&local, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, f);
    const struct {
        int *to;
        CUfunction_attribute what;
    } ints[] = {{&a->maxThreadsPerBlock, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK},
                {&a->numRegs, CU_FUNC_ATTRIBUTE_NUM_REGS},
                {&a->ptxVersion, CU_FUNC_ATTRIBUTE_PTX_VERSION},
                {&a->binaryVersion, CU_FUNC_ATTRIBUTE_BINARY_VERSION},
                {&a->cacheModeCA, CU_FUNC_ATTRIBUTE_CACHE_MODE_CA},
                {&a->maxDynamicSharedSizeBytes, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES},
                {&a->preferredShmemCarveout, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT},
                // 12 and later:
                {&a->clusterDimMustBeSet, CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET},
                {&a->requiredClusterWidth, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH},
                {&a->requiredClusterHeight, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT},
                {&a->requiredClusterDepth, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH},
                {&a->clusterSchedulingPolicyPreference,
                 CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE},
                {&a->nonPortableClusterSizeAllowed,
                 CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED}};
    enum { LATER = 6 };
    memset(a, 0,
           cudart_major >= 12 ? sizeof *a
                              : offsetof(struct cudaFuncAttributes, clusterDimMustBeSet));
    const size_t n = COUNT(ints) - (cudart_major >= 12 ? 0 : LATER);
    for (size_t i = 0; i < n && r == CUDA_SUCCESS; i++)
        r = cuFuncGetAttribute(ints[i].to, ints[i].what, f);
    a->sharedSizeBytes = (size_t)shared, a->constSizeBytes = (size_t)constant,
    a->localSizeBytes = (size_t)local;
    return cudart_done(r);
}

// Attributes have the driver's numbers.
CUDART_API cudaError_t cudaFuncSetAttribute(const void *host, int attribute, int value) {
    CUfunction f;
    const cudaError_t e = cudart_function(host, &f);
    return e != cudaSuccess
               ? cudart_error(e)
               : cudart_done(cuFuncSetAttribute(f, (CUfunction_attribute)attribute, value));
}
CUDART_API cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t k, int attribute, int value,
                                                       int device) {
    const struct ww_driver_table *driver;
    CUfunction f;
    cudaError_t e = device == 0 ? cudart_function(k, &f) : cudaErrorInvalidDevice;
    if (e == cudaSuccess)
        e = (cudaError_t)cuGetExportTable((const void **)&driver, &WW_DRIVER_TABLE);
    if (e == cudaSuccess)
        e = (cudaError_t)driver->set_of_kernel(f, (CUfunction_attribute)attribute, value);
    return cudart_error(e);
}
CUDART_API cudaError_t cudaFuncSetCacheConfig(const void *host, int config) {
    CUfunction f;
    const cudaError_t e = cudart_function(host, &f);
    return e != cudaSuccess ? cudart_error(e)
                            : cudart_done(cuFuncSetCacheConfig(f, (CUfunc_cache)config));
}
CUDART_API cudaError_t cudaFuncSetSharedMemConfig(const void *host, int config) {
    CUfunction f;
    const cudaError_t e = cudart_function(host, &f);
    return e != cudaSuccess ? cudart_error(e)
                            : cudart_done(cuFuncSetSharedMemConfig(f, (CUsharedconfig)config));
}

// ---- occupancy ----------------------------------------------------------------------------------
CUDART_API cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *blocks, const void *host, int threads, size_t shared, unsigned flags) {
    CUfunction f;
    const cudaError_t e = cudart_function(host, &f);
    if (e != cudaSuccess) return cudart_error(e);
    return cudart_done(
        cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, f, threads, shared, flags));
}
CUDART_API cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *host,
                                                                     int threads, size_t shared) {
    return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, host, threads, shared, 0);
}
CUDART_API cudaError_t cudaOccupancyMaxActiveClusters(int *clusters, const void *host,
                                                      const cudaLaunchConfig_t *c) {
    CUfunction f;
    if (!c) return cudart_error(cudaErrorInvalidValue);
    const cudaError_t e = cudart_function(host, &f);
    if (e != cudaSuccess) return cudart_error(e);
    const CUlaunchConfig driver = driver_config(c);
    return cudart_done(cuOccupancyMaxActiveClusters(clusters, f, &driver));
}
CUDART_API cudaError_t cudaOccupancyMaxPotentialClusterSize(int *blocks, const void *host,
                                                            const cudaLaunchConfig_t *c) {
    CUfunction f;
    if (!c) return cudart_error(cudaErrorInvalidValue);
    const cudaError_t e = cudart_function(host, &f);
    if (e != cudaSuccess) return cudart_error(e);
    const CUlaunchConfig driver = driver_config(c);
    return cudart_done(cuOccupancyMaxPotentialClusterSize(blocks, f, &driver));
}
CUDART_API cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, const void *host,
                                                                 int blocks, int threads) {
    CUfunction f;
    const cudaError_t e = cudart_function(host, &f);
    if (e != cudaSuccess) return cudart_error(e);
    return cudart_done(cuOccupancyAvailableDynamicSMemPerBlock(bytes, f, blocks, threads));
}
