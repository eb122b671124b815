// Compiled against the vendor's header, whatever its version: the symbols that its macros choose
// are there, and structures mean the same. Not part of the tests where that header is not
// installed.
#include <cuda.h>
#include <stdio.h>
#include <string.h>

#define OK(call)                                                                                   \
    do {                                                                                           \
        const CUresult r_ = (call);                                                                \
        if (r_ != CUDA_SUCCESS) {                                                                  \
            printf("%s:%d: `%s` answers %d\n", __FILE__, __LINE__, #call, (int)r_);                \
            return 1;                                                                              \
        }                                                                                          \
    } while (0)

static const char ptx[] =
    ".version 4.2\n.target sm_20\n.address_size 64\n"
    ".visible .entry twice(.param .u64 p) {\n"
    "  .reg .u32 %r<3>; .reg .u64 %d<3>; ld.param.u64 %d0, [p]; mov.u32 %r0, %tid.x;\n"
    "  mul.wide.u32 %d1, %r0, 4; add.u64 %d2, %d0, %d1;\n"
    "  ld.global.u32 %r1, [%d2]; shl.b32 %r1, %r1, 1; st.global.u32 [%d2], %r1; ret;\n}\n";

int main(void) {
    CUcontext c;
    CUmodule m;
    CUfunction f;
    CUdeviceptr p;
    CUstream s;
    CUevent a, b;
    CUarray array;
    float ms;
    unsigned v[32], w[32];
    int n;
    OK(cuInit(0));
    OK(cuDeviceGetAttribute(&n, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0));
#if CUDA_VERSION >= 13000
    OK(cuCtxCreate(&c, NULL, 0, 0));
    CUctxCreateParams none = {0};
    CUcontext second;
    OK(cuCtxCreate(&second, &none, 0, 0));
    OK(cuCtxDestroy(second));
#else
    OK(cuCtxCreate(&c, 0, 0));
#endif
    OK(cuModuleLoadData(&m, ptx));
    OK(cuModuleGetFunction(&f, m, "twice"));
    OK(cuMemAlloc(&p, sizeof v));
    OK(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
    OK(cuEventCreate(&a, CU_EVENT_DEFAULT));
    OK(cuEventCreate(&b, CU_EVENT_DEFAULT));
    for (unsigned i = 0; i < 32; i++) v[i] = i;
    OK(cuMemcpyHtoD(p, v, sizeof v));
    void *params[] = {&p};
    OK(cuEventRecord(a, s));
    OK(cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, s, params, NULL));
    OK(cuEventRecord(b, s));
    OK(cuStreamSynchronize(s));
    OK(cuEventElapsedTime(&ms, a, b));
    OK(cuMemcpyDtoH(v, p, sizeof v));
    for (unsigned i = 0; i < 32; i++)
        if (v[i] != 2 * i) return printf("%u at %u\n", v[i], i), 1;
#if CUDA_VERSION >= 12000
    CUgraph g;
    CUgraphExec x;
    CUgraphNode node[2];
    size_t nodes = 2;
    CUDA_KERNEL_NODE_PARAMS k;
    OK(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL));
    OK(cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, s, params, NULL));
    OK(cuMemcpyDtoHAsync(w, p, sizeof w, s));
    OK(cuStreamEndCapture(s, &g));
    OK(cuGraphGetNodes(g, node, &nodes));
    OK(cuGraphKernelNodeGetParams(node[0], &k));
    if (nodes != 2 || k.func != f || k.blockDimX != 32 || k.kern) return puts("another graph"), 1;
    OK(cuGraphInstantiate(&x, g, 0));
    for (int i = 0; i < 2; i++) OK(cuGraphLaunch(x, s));
    OK(cuStreamSynchronize(s));
    for (unsigned i = 0; i < 32; i++)
        if (w[i] != 8 * i) return printf("the graph: %u at %u\n", w[i], i), 1;
    CUgraphNodeParams any = {.type = CU_GRAPH_NODE_TYPE_MEMSET};
    any.memset.dst = p, any.memset.elementSize = 4, any.memset.width = 32, any.memset.height = 1;
    CUgraphNode fill;
#if CUDA_VERSION >= 13000
    OK(cuGraphAddNode(&fill, g, &node[1], NULL, 1, &any));
#else
    OK(cuGraphAddNode(&fill, g, &node[1], 1, &any));
#endif
    OK(cuGraphExecDestroy(x));
    OK(cuGraphInstantiate(&x, g, 0));
    OK(cuGraphLaunch(x, s));
    OK(cuStreamSynchronize(s));
    OK(cuMemcpyDtoH(w, p, sizeof w));
    if (w[31] != 0) return puts("the graph has not filled"), 1;
    OK(cuGraphExecDestroy(x));
    OK(cuGraphDestroy(g));
    OK(cuMemcpyHtoD(p, v, sizeof v));
#endif
    const CUDA_ARRAY_DESCRIPTOR d = {
        .Width = 8, .Height = 4, .Format = CU_AD_FORMAT_UNSIGNED_INT32, .NumChannels = 1};
    OK(cuArrayCreate(&array, &d));
    CUDA_MEMCPY2D in = {.srcMemoryType = CU_MEMORYTYPE_DEVICE,
                        .srcDevice = p,
                        .srcPitch = 32,
                        .dstMemoryType = CU_MEMORYTYPE_ARRAY,
                        .dstArray = array,
                        .WidthInBytes = 32,
                        .Height = 4};
    OK(cuMemcpy2D(&in));
    CUDA_MEMCPY2D out = {.srcMemoryType = CU_MEMORYTYPE_ARRAY,
                         .srcArray = array,
                         .dstMemoryType = CU_MEMORYTYPE_HOST,
                         .dstHost = w,
                         .dstPitch = 32,
                         .WidthInBytes = 32,
                         .Height = 4};
    OK(cuMemcpy2D(&out));
    if (memcmp(v, w, sizeof v) != 0) return puts("the array is not what was copied"), 1;
    void *entry = NULL;
#if CUDA_VERSION >= 12000
    OK(cuGetProcAddress("cuLaunchKernel", &entry, CUDA_VERSION, 0, NULL));
    if (!entry) return puts("cuLaunchKernel was not found"), 1;
#endif
    OK(cuArrayDestroy(array));
    OK(cuEventDestroy(a));
    OK(cuEventDestroy(b));
    OK(cuStreamDestroy(s));
    OK(cuMemFree(p));
    OK(cuModuleUnload(m));
    OK(cuCtxDestroy(c));
    return 0;
}
