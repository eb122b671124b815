// Every call that takes a function takes a kernel of a library in its place (since CUDA 12.0), and
// answers the same. What is set of a kernel and of its function: the function's counts, whichever
// was set first, and the kernel goes on answering its own.
#include "driver_test.h"

static const char ptx[] =
    PTX(".visible .global .u32 counter;\n"
        ".visible .entry add(.param .u32 n) {\n"
        "  .reg .u32 %r<3>; .reg .u64 %d<2>;\n"
        "  ld.param.u32 %r0, [n]; mov.u64 %d0, counter; red.global.add.u32 [%d0], %r0; ret;\n}\n"
        ".visible .entry pair(.param .u64 p, .param .u32 n) { ret; }\n");

static CUlibrary library;
static CUkernel kern, pair;
static CUfunction as_function, function; // the kernel's handle, and the function behind it

static unsigned counted(void) {
    CUdeviceptr p;
    unsigned n, zero = 0;
    OK(cuLibraryGetGlobal(&p, NULL, library, "counter"));
    OK(cuMemcpyDtoH(&n, p, 4));
    OK(cuMemcpyHtoD(p, &zero, 4));
    return n;
}

static void launches(void) {
    unsigned n = 3;
    void *params[] = {&n};
    OK(cuLaunchKernel(as_function, 2, 1, 1, 4, 1, 1, 0, NULL, params, NULL));
    CHECK(counted() == 24);
    CUlaunchAttribute cooperative = {.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE, .value.cooperative = 1};
    CUlaunchConfig c = {.gridDimX = 1,
                        .gridDimY = 1,
                        .gridDimZ = 1,
                        .blockDimX = 5,
                        .blockDimY = 1,
                        .blockDimZ = 1,
                        .attrs = &cooperative,
                        .numAttrs = 1};
    OK(cuLaunchKernelEx(&c, as_function, params, NULL));
    CHECK(counted() == 15);
    OK(cuLaunchCooperativeKernel(as_function, 1, 1, 1, 7, 1, 1, 0, NULL, params));
    CHECK(counted() == 21);
    CUDA_LAUNCH_PARAMS one = {.function = as_function,
                              .gridDimX = 1,
                              .gridDimY = 1,
                              .gridDimZ = 1,
                              .blockDimX = 2,
                              .blockDimY = 1,
                              .blockDimZ = 1,
                              .kernelParams = params};
    OK(cuLaunchCooperativeKernelMultiDevice(&one, 1, 0));
    CHECK(counted() == 6);
    // the interface before CUDA 4
    OK(cuFuncSetBlockShape(as_function, 8, 1, 1));
    OK(cuFuncSetSharedSize(as_function, 16));
    OK(cuParamSetSize(as_function, 4));
    OK(cuParamSeti(as_function, 0, 9));
    OK(cuLaunchGrid(as_function, 1, 1));
    CHECK(counted() == 72);
    OK(cuParamSetv(as_function, 0, &n, 4));
    OK(cuLaunch(function)); // the same function
    CHECK(counted() == 24);
    CUtexref t;
    OK(cuTexRefCreate(&t));
    OK(cuParamSetTexRef(as_function, CU_PARAM_TR_DEFAULT, t));
    OK(cuTexRefDestroy(t));
}

static void facts(void) {
    int a = -1, b = -2;
    for (int i = 0; i < 10; i++) {
        OK(cuFuncGetAttribute(&a, (CUfunction_attribute)i, as_function));
        OK(cuFuncGetAttribute(&b, (CUfunction_attribute)i, function));
        CHECK(a == b);
        OK(cuKernelGetAttribute(&a, (CUfunction_attribute)i, kern, 0));
        CHECK(a == b);
    }
    IS(cuKernelGetAttribute(&a, CU_FUNC_ATTRIBUTE_NUM_REGS, kern, 1), CUDA_ERROR_INVALID_DEVICE);
    OK(cuFuncSetCacheConfig(as_function, CU_FUNC_CACHE_PREFER_L1));
    IS(cuFuncSetCacheConfig(as_function, (CUfunc_cache)9), CUDA_ERROR_INVALID_VALUE);
    OK(cuKernelSetCacheConfig(kern, CU_FUNC_CACHE_PREFER_SHARED, 0));
    IS(cuKernelSetCacheConfig(kern, CU_FUNC_CACHE_PREFER_SHARED, 1), CUDA_ERROR_INVALID_DEVICE);
    OK(cuFuncSetSharedMemConfig(as_function, CU_SHARED_MEM_CONFIG_DEFAULT_BANK_SIZE));
    CUmodule of, own;
    OK(cuFuncGetModule(&of, as_function));
    OK(cuLibraryGetModule(&own, library));
    CHECK(of == own);
    const char *name;
    OK(cuFuncGetName(&name, as_function));
    CHECK(strcmp(name, "add") == 0);
    OK(cuKernelGetName(&name, pair));
    CHECK(strcmp(name, "pair") == 0);
    size_t offset, bytes;
    OK(cuFuncGetParamInfo((CUfunction)pair, 1, &offset, &bytes));
    CHECK(offset == 8 && bytes == 4);
    OK(cuKernelGetParamInfo(pair, 0, &offset, &bytes));
    CHECK(offset == 0 && bytes == 8);
    IS(cuKernelGetParamInfo(pair, 2, &offset, &bytes), CUDA_ERROR_INVALID_VALUE);
    CUfunctionLoadingState state;
    OK(cuFuncLoad(as_function));
    OK(cuFuncIsLoaded(&state, as_function));
    CHECK(state == CU_FUNCTION_LOADING_STATE_LOADED);
    CUlibrary l;
    OK(cuKernelGetLibrary(&l, kern));
    CHECK(l == library);
}

static size_t no_shared(int threads) { return (size_t)(threads * 0); }
static void occupancies(void) {
    int a, b, grid;
    OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&a, as_function, 192, 4096));
    OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&b, function, 192, 4096));
    CHECK(a == b && a == 8); // compute capability 2.0: 1536 threads, 8 blocks, 48 KB
    OK(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&a, as_function, 512, 0, 0));
    CHECK(a == 3);
    OK(cuOccupancyMaxPotentialBlockSize(&grid, &a, as_function, no_shared, 0, 0));
    CHECK(a == 768 && grid == 2 * 15);
    OK(cuOccupancyMaxPotentialBlockSizeWithFlags(&grid, &a, as_function, NULL, 0, 256, 0));
    CHECK(a == 256 && grid == 6 * 15);
    size_t bytes;
    OK(cuOccupancyAvailableDynamicSMemPerBlock(&bytes, as_function, 4, 64));
    CHECK(bytes == 12288);
}

static CUresult launch_with(CUfunction f, unsigned shared) {
    unsigned n = 0;
    void *params[] = {&n};
    return cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, shared, NULL, params, NULL);
}
static int dynamic_of(CUfunction f) {
    int v;
    OK(cuFuncGetAttribute(&v, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, f));
    return v;
}
static int dynamic_of_kernel(CUkernel k) {
    int v;
    OK(cuKernelGetAttribute(&v, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, k, 0));
    return v;
}
static void wishes(void) {
    const CUfunction_attribute dynamic = CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                               carve_out = CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT;
    CHECK(dynamic_of(function) == 49152 && dynamic_of_kernel(kern) == 49152);
    OK(cuKernelSetAttribute(dynamic, 1000, kern, 0)); // of the kernel, so of every launch
    CHECK(dynamic_of(function) == 1000 && dynamic_of_kernel(kern) == 1000);
    const struct capture c = capture_begin(2);
    IS(launch_with(as_function, 2000), CUDA_ERROR_INVALID_VALUE);
    IS(launch_with(function, 2000), CUDA_ERROR_INVALID_VALUE);
    capture_end(c);
    OK(launch_with(as_function, 1000));
    OK(cuFuncSetAttribute(function, dynamic, 3000)); // of the function: it counts
    OK(launch_with(as_function, 2000));
    CHECK(dynamic_of(as_function) == 3000 && dynamic_of_kernel(kern) == 1000);
    OK(cuKernelSetAttribute(dynamic, 500, kern, 0)); // ... also when the kernel's is set later
    CHECK(dynamic_of(function) == 3000 && dynamic_of_kernel(kern) == 500);
    OK(launch_with(function, 2000));
    int v;
    OK(cuKernelSetAttribute(carve_out, 40, kern, 0));
    OK(cuFuncGetAttribute(&v, carve_out, function));
    CHECK(v == 40);
    OK(cuFuncSetAttribute(as_function, carve_out, 60));
    OK(cuFuncGetAttribute(&v, carve_out, function));
    CHECK(v == 60);
    OK(cuKernelGetAttribute(&v, carve_out, kern, 0));
    CHECK(v == 40);
    IS(cuKernelSetAttribute(CU_FUNC_ATTRIBUTE_NUM_REGS, 3, kern, 0), CUDA_ERROR_INVALID_VALUE);
    IS(cuKernelSetAttribute(dynamic, 3, kern, 7), CUDA_ERROR_INVALID_DEVICE);
}

// A handle that is gone, or of something else, is no function.
static void others(void) {
    int v;
    IS(cuFuncGetAttribute(&v, CU_FUNC_ATTRIBUTE_NUM_REGS, NULL), CUDA_ERROR_INVALID_HANDLE);
    IS(cuFuncGetAttribute(&v, CU_FUNC_ATTRIBUTE_NUM_REGS, (CUfunction)library),
       CUDA_ERROR_INVALID_HANDLE);
    IS(cuKernelGetFunction(&as_function, (CUkernel)function), CUDA_ERROR_INVALID_HANDLE);
    OK(cuLibraryUnload(library));
    IS(launch_with((CUfunction)kern, 0), CUDA_ERROR_INVALID_HANDLE);
    IS(cuFuncGetAttribute(&v, CU_FUNC_ATTRIBUTE_NUM_REGS, (CUfunction)kern),
       CUDA_ERROR_INVALID_HANDLE);
    IS(cuOccupancyMaxActiveBlocksPerMultiprocessor(&v, (CUfunction)kern, 32, 0),
       CUDA_ERROR_INVALID_HANDLE);
}

int main(void) {
    CUcontext c = start();
    OK(cuLibraryLoadData(&library, ptx, NULL, NULL, 0, NULL, NULL, 0));
    OK(cuLibraryGetKernel(&kern, library, "add"));
    OK(cuLibraryGetKernel(&pair, library, "pair"));
    as_function = (CUfunction)kern;
    OK(cuKernelGetFunction(&function, kern));
    CHECK(function != as_function);
    launches();
    facts();
    occupancies();
    wishes();
    others();
    OK(cuCtxDestroy(c));
    return 0;
}
