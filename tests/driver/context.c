// Contexts, handles that are not, use after the end, what is not supported, finding entry points.
#include "driver_test.h"

#include <dlfcn.h>

static const char ptx[] = PTX(".visible .entry nothing() { ret; }\n");

static void current(void) {
    CUcontext a, b, c;
    CUdevice d;
    unsigned flags, version;
    unsigned long long id_a, id_b;
    IS(cuCtxGetDevice(&d), CUDA_ERROR_INVALID_CONTEXT);
    IS(cuCtxSynchronize(), CUDA_ERROR_INVALID_CONTEXT);
    OK(cuCtxCreate(&a, CU_CTX_SCHED_YIELD, 0));
    OK(cuCtxCreate(&b, 0, 0));
    OK(cuCtxGetCurrent(&c));
    CHECK(c == b);
    OK(cuCtxPopCurrent(&c));
    CHECK(c == b);
    OK(cuCtxGetFlags(&flags));
    CHECK(flags == CU_CTX_SCHED_YIELD);
    OK(cuCtxPushCurrent(b));
    OK(cuCtxSetCurrent(a));
    OK(cuCtxGetId(NULL, &id_a));
    OK(cuCtxGetId(b, &id_b));
    CHECK(id_a != id_b);
    OK(cuCtxGetApiVersion(a, &version));
    OK(cuCtxDestroy(a)); // it stood twice on the stack
    OK(cuCtxGetCurrent(&c));
    CHECK(c == NULL);
    IS(cuCtxDestroy(a), CUDA_ERROR_INVALID_CONTEXT);
    IS(cuCtxPushCurrent(a), CUDA_ERROR_INVALID_CONTEXT);
    IS(cuCtxSetCurrent(a), CUDA_ERROR_INVALID_CONTEXT);
    OK(cuCtxPushCurrent(b));
    OK(cuCtxSetCurrent(NULL));
    IS(cuCtxPopCurrent(&c), CUDA_ERROR_INVALID_CONTEXT);
    OK(cuCtxDestroy(b));
    IS(cuCtxCreate(&a, 0, 3), CUDA_ERROR_INVALID_DEVICE);
    IS(cuCtxCreate(NULL, 0, 0), CUDA_ERROR_INVALID_VALUE);
    IS(cuCtxCreate(&a, 1 << 20, 0), CUDA_ERROR_INVALID_VALUE);
    IS(cuCtxDestroy(NULL), CUDA_ERROR_INVALID_CONTEXT);
    // what CUDA 13 calls cuCtxCreate: a structure of zeros asks for nothing
    CUctxCreateParams params = {0};
    OK(cuCtxCreate_v4(&a, &params, CU_CTX_SCHED_YIELD, 0));
    OK(cuCtxGetFlags(&flags));
    CHECK(flags == CU_CTX_SCHED_YIELD);
    OK(cuCtxDestroy(a));
    params.numExecAffinityParams = 1;
    IS(cuCtxCreate_v4(&a, &params, 0, 0), CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY);
    params = (CUctxCreateParams){.cigParams = (void *)&params};
    IS(cuCtxCreate_v4(&a, &params, 0, 0), CUDA_ERROR_NOT_SUPPORTED);
}

static void primary(void) {
    CUcontext a, b;
    int active;
    unsigned flags;
    OK(cuDevicePrimaryCtxSetFlags(0, CU_CTX_SCHED_SPIN));
    OK(cuDevicePrimaryCtxGetState(0, &flags, &active));
    CHECK(!active && flags == CU_CTX_SCHED_SPIN);
    IS(cuDevicePrimaryCtxRelease(0), CUDA_ERROR_INVALID_CONTEXT);
    OK(cuDevicePrimaryCtxRetain(&a, 0));
    OK(cuDevicePrimaryCtxRetain(&b, 0));
    CHECK(a == b);
    IS(cuCtxDestroy(a), CUDA_ERROR_INVALID_CONTEXT);
    OK(cuCtxSetCurrent(a));
    CUdeviceptr p = alloc(4);
    OK(cuDevicePrimaryCtxRelease(0));
    OK(cuMemsetD32(p, 0, 1));
    OK(cuDevicePrimaryCtxRelease(0)); // the last: its memory goes
    OK(cuDevicePrimaryCtxRetain(&a, 0));
    struct capture c = capture_begin(2);
    IS(cuMemFree(p), CUDA_ERROR_INVALID_VALUE);
    capture_end(c);
    OK(cuDevicePrimaryCtxRelease(0));
    OK(cuCtxSetCurrent(NULL));
}

// A context takes with it all that was made in it, and leaves what another has.
static void ends(void) {
    CUcontext a, b;
    size_t before, after;
    CUstream s;
    CUevent e;
    CUarray array;
    CUmodule m;
    CUdeviceptr p, q;
    CUtexref t;
    void *host;
    const CUDA_ARRAY_DESCRIPTOR d = {.Width = 64, .Format = CU_AD_FORMAT_FLOAT, .NumChannels = 1};
    OK(cuCtxCreate(&b, 0, 0));
    q = alloc(64);
    OK(cuMemGetInfo(&before, NULL));
    OK(cuCtxCreate(&a, 0, 0));
    OK(cuStreamCreate(&s, 0));
    OK(cuEventCreate(&e, 0));
    OK(cuArrayCreate(&array, &d));
    OK(cuTexRefCreate(&t));
    OK(cuMemHostAlloc(&host, 64, 0));
    p = alloc(1 << 20);
    m = load(ptx);
    CUfunction f = kernel(m, "nothing");
    OK(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, s, NULL, NULL));
    OK(cuEventRecord(e, s));
    OK(cuCtxDestroy(a));
    OK(cuMemGetInfo(&after, NULL));
    CHECK(after == before);
    IS(cuStreamSynchronize(s), CUDA_ERROR_INVALID_HANDLE);
    IS(cuEventSynchronize(e), CUDA_ERROR_INVALID_HANDLE);
    IS(cuArrayDestroy(array), CUDA_ERROR_INVALID_HANDLE);
    IS(cuTexRefDestroy(t), CUDA_ERROR_INVALID_HANDLE);
    IS(run(f, 1, 1, NULL), CUDA_ERROR_INVALID_HANDLE);
    IS(cuModuleUnload(m), CUDA_ERROR_INVALID_HANDLE);
    IS(cuMemFreeHost(host), CUDA_ERROR_INVALID_VALUE);
    struct capture c = capture_begin(2);
    IS(cuMemFree(p), CUDA_ERROR_INVALID_VALUE);
    capture_end(c);
    OK(cuMemFree(q));
    OK(cuCtxDestroy(b));
}

static void limits(void) {
    CUcontext c;
    size_t v;
    CUfunc_cache cache;
    OK(cuCtxCreate(&c, 0, 0));
    OK(cuCtxGetLimit(&v, CU_LIMIT_STACK_SIZE));
    CHECK(v == 1024);
    OK(cuCtxSetLimit(CU_LIMIT_PRINTF_FIFO_SIZE, 4 << 20));
    OK(cuCtxGetLimit(&v, CU_LIMIT_PRINTF_FIFO_SIZE));
    CHECK(v == 4 << 20);
    OK(cuCtxSetLimit(CU_LIMIT_MALLOC_HEAP_SIZE, 1 << 20));
    IS(cuCtxSetLimit(CU_LIMIT_STACK_SIZE, (size_t)1 << 40), CUDA_ERROR_INVALID_VALUE);
    IS(cuCtxSetLimit(CU_LIMIT_PERSISTING_L2_CACHE_SIZE, 1), CUDA_ERROR_UNSUPPORTED_LIMIT);
    IS(cuCtxSetLimit((CUlimit)77, 1), CUDA_ERROR_INVALID_VALUE);
    OK(cuCtxSetCacheConfig(CU_FUNC_CACHE_PREFER_L1));
    OK(cuCtxGetCacheConfig(&cache));
    CHECK(cache == CU_FUNC_CACHE_PREFER_L1);
    IS(cuCtxEnablePeerAccess(c, 0), CUDA_ERROR_PEER_ACCESS_UNSUPPORTED);
    OK(cuCtxDestroy(c));
}

static void unsupported(void) {
    CUcontext c;
    CUdeviceptr p;
    OK(cuCtxCreate(&c, 0, 0));
    struct capture say = capture_begin(2);
    CUipcMemHandle handle;
    IS(cuIpcGetMemHandle(&handle, 0), CUDA_ERROR_NOT_SUPPORTED);
    IS(cuIpcGetMemHandle(&handle, 0), CUDA_ERROR_NOT_SUPPORTED);
    CUresult (*range)(void *, CUdeviceptr, size_t, int, unsigned long long);
    CUdriverProcAddressQueryResult status;
    OK(cuGetProcAddress("cuMemGetHandleForAddressRange", (void **)&range, 12000, 0, &status));
    CHECK(status == CU_GET_PROC_ADDRESS_SUCCESS);
    IS(range(&p, 4096, 4096, 1, 0), CUDA_ERROR_NOT_SUPPORTED);
    IS(range(&p, 4096, 4096, 1, 0), CUDA_ERROR_NOT_SUPPORTED);
    const char *said = capture_end(say);
    CHECK(occurrences(said, "cuIpcGetMemHandle") == 1); // once each
    CHECK(occurrences(said, "cuMemGetHandleForAddressRange") == 1);
    CHECK(occurrences(said, "\n") == 2);
    OK(cuCtxDestroy(c));
}

static void *address(const char *name, int version, cuuint64_t flags) {
    void *p = &p;
    OK(cuGetProcAddress(name, &p, version, flags, NULL));
    return p;
}

static void entry_points(void) {
    void *self = dlopen("libcuda.so.1", RTLD_NOW), *p;
    CHECK(self);
    CUdriverProcAddressQueryResult status;
    CHECK(address("cuMemAlloc", 12000, 0) == dlsym(self, "cuMemAlloc_v2"));
    CHECK(address("cuMemAlloc", 3010, 0) == dlsym(self, "cuMemAlloc"));
    CHECK(address("cuCtxCreate", 3020, 0) == dlsym(self, "cuCtxCreate_v2"));
    CHECK(address("cuCtxCreate", 11040, 0) == dlsym(self, "cuCtxCreate_v3"));
    CHECK(address("cuCtxCreate", 13000, 0) == dlsym(self, "cuCtxCreate_v4"));
    CHECK(address("cuCtxCreate", 13000, 0) != address("cuCtxCreate", 11040, 0));
    CHECK(address("cuLaunchKernel", 12000, CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM) ==
          dlsym(self, "cuLaunchKernel_ptsz"));
    CHECK(address("cuMemcpyHtoD", 12000, CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM) ==
          dlsym(self, "cuMemcpyHtoD_v2_ptds"));
    CHECK(address("cuInit", 2000, CU_GET_PROC_ADDRESS_LEGACY_STREAM) == (void *)cuInit);
    OK(cuGetProcAddress("cuMemAllocAsync", &p, 11010, 0, &status));
    CHECK(!p && status == CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT);
    OK(cuGetProcAddress("cuMemAlloc_v2", &p, 12000, 0, &status)); // base names only
    CHECK(!p && status == CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
    IS(cuGetProcAddress(NULL, &p, 12000, 0, &status), CUDA_ERROR_INVALID_VALUE);
    IS(cuGetProcAddress("cuInit", &p, 12000, 9, &status), CUDA_ERROR_INVALID_VALUE);
    CUresult (*first)(const char *, void **, int, cuuint64_t); // its first version
    *(void **)&first = dlsym(self, "cuGetProcAddress");
    OK(first("cuInit", &p, 12000, 0));
    CHECK(p == (void *)cuInit);
    IS(first("cuNothing", &p, 12000, 0), CUDA_ERROR_NOT_FOUND);
    const void *table;
    CUuuid id = {{1}};
    IS(cuGetExportTable(&table, &id), CUDA_ERROR_NOT_FOUND);
    // what the library is loaded for a second time is the same device
    CHECK(dlclose(self) == 0);
    self = dlopen("libcuda.so.1", RTLD_NOW);
    CHECK(self && dlsym(self, "cuInit") == (void *)cuInit);
    dlclose(self);
}

int main(void) {
    OK(cuInit(0));
    current();
    primary();
    ends();
    limits();
    unsupported();
    entry_points();
    return 0;
}
