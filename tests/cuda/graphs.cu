// Graphs: captured, built by hand, looked at, changed, launched again.
// expect stdout ok
#include "check.h"

__global__ void scale(float *p, float f, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] *= f;
}
static int called;
static void CUDART_CB call(void *user) { called += *static_cast<int *>(user); }

static cudaError_t instantiate(cudaGraphExec_t *x, cudaGraph_t g) {
#if CUDART_VERSION >= 12000
    return cudaGraphInstantiate(x, g, 0);
#else
    return cudaGraphInstantiate(x, g, nullptr, nullptr, 0);
#endif
}

int main() {
    enum { N = 256 };
    float *d, h[N];
    cudaStream_t s, t;
    cudaEvent_t fork, join;
    OK(cudaStreamCreate(&s));
    OK(cudaStreamCreate(&t));
    OK(cudaEventCreate(&fork));
    OK(cudaEventCreate(&join));
    OK(cudaMalloc(&d, sizeof h));
    for (float &x : h) x = 1;
    // capture over two streams
    cudaGraph_t g;
    cudaGraphExec_t x;
    int five = 5;
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    OK(cudaMemcpyAsync(d, h, sizeof h, cudaMemcpyHostToDevice, s));
    OK(cudaEventRecord(fork, s));
    OK(cudaStreamWaitEvent(t, fork, 0));
    scale<<<1, N / 2, 0, s>>>(d, 2, N / 2);
    scale<<<1, N / 2, 0, t>>>(d + N / 2, 3, N / 2);
    OK(cudaEventRecord(join, t));
    OK(cudaStreamWaitEvent(s, join, 0));
    OK(cudaMemcpyAsync(h, d, sizeof h, cudaMemcpyDeviceToHost, s));
    OK(cudaLaunchHostFunc(s, call, &five));
    cudaStreamCaptureStatus status;
    OK(cudaStreamIsCapturing(s, &status));
    CHECK(status == cudaStreamCaptureStatusActive);
    OK(cudaStreamEndCapture(s, &g));
    CHECK(h[0] == 1 && called == 0);
    size_t n = 0, roots = 0, edges = 0;
    OK(cudaGraphGetNodes(g, nullptr, &n));
    OK(cudaGraphGetRootNodes(g, nullptr, &roots));
    CHECK(n == 5 && roots == 1);
#if CUDART_VERSION >= 13000
    OK(cudaGraphGetEdges(g, nullptr, nullptr, nullptr, &edges));
#else
    OK(cudaGraphGetEdges(g, nullptr, nullptr, &edges));
#endif
    CHECK(edges == 5); // copy to two kernels, both to the copy back, that to the call
    OK(instantiate(&x, g));
    OK(cudaGraphLaunch(x, s));
    OK(cudaGraphLaunch(x, s));
    OK(cudaStreamSynchronize(s));
    CHECK(h[0] == 4 && h[N - 1] == 9 && called == 10);
    OK(cudaGraphExecDestroy(x));
    OK(cudaGraphDestroy(g));
    // by hand
    OK(cudaGraphCreate(&g, 0));
    cudaGraphNode_t fill, kernel, copy, host;
    cudaMemsetParams f = {};
    f.dst = d, f.value = 0x40000000, f.elementSize = 4, f.width = N, f.height = 1; // 2.0f
    OK(cudaGraphAddMemsetNode(&fill, g, nullptr, 0, &f));
    cudaKernelNodeParams k = {};
    float factor = 10;
    int count = N;
    void *args[] = {&d, &factor, &count};
    k.func = (void *)scale, k.gridDim = dim3(2), k.blockDim = dim3(N / 2), k.kernelParams = args;
    OK(cudaGraphAddKernelNode(&kernel, g, &fill, 1, &k));
    factor = 99; // its value was taken
    OK(cudaGraphAddMemcpyNode1D(&copy, g, &kernel, 1, h, d, sizeof h, cudaMemcpyDeviceToHost));
    cudaHostNodeParams c = {};
    c.fn = call, c.userData = &five;
    OK(cudaGraphAddHostNode(&host, g, &copy, 1, &c));
    cudaGraphNodeType type;
    OK(cudaGraphNodeGetType(kernel, &type));
    CHECK(type == cudaGraphNodeTypeKernel);
    cudaGraphNode_t before[2];
    n = 2;
#if CUDART_VERSION >= 13000
    OK(cudaGraphNodeGetDependencies(kernel, before, nullptr, &n));
#else
    OK(cudaGraphNodeGetDependencies(kernel, before, &n));
#endif
    CHECK(n == 1 && before[0] == fill);
    OK(instantiate(&x, g));
    called = 0;
    OK(cudaGraphLaunch(x, s));
    OK(cudaStreamSynchronize(s));
    CHECK(h[0] == 20 && h[N - 1] == 20 && called == 5);
    // changed in place, then by a graph of the same shape
    factor = 7;
    OK(cudaGraphExecKernelNodeSetParams(x, kernel, &k));
    OK(cudaGraphLaunch(x, s));
    OK(cudaStreamSynchronize(s));
    CHECK(h[0] == 14);
    factor = 4;
    OK(cudaGraphKernelNodeSetParams(kernel, &k));
#if CUDART_VERSION >= 12000
    cudaGraphExecUpdateResultInfo info;
    OK(cudaGraphExecUpdate(x, g, &info));
    CHECK(info.result == cudaGraphExecUpdateSuccess);
#else
    cudaGraphNode_t bad;
    cudaGraphExecUpdateResult info;
    OK(cudaGraphExecUpdate(x, g, &bad, &info));
    CHECK(info == cudaGraphExecUpdateSuccess);
#endif
    OK(cudaGraphLaunch(x, s));
    OK(cudaStreamSynchronize(s));
    CHECK(h[0] == 8);
    // another shape cannot be an update
    cudaGraphNode_t empty;
    OK(cudaGraphAddEmptyNode(&empty, g, &host, 1));
#if CUDART_VERSION >= 12000
    IS(cudaGraphExecUpdate(x, g, &info), cudaErrorGraphExecUpdateFailure);
    CHECK(info.result == cudaGraphExecUpdateErrorTopologyChanged);
#endif
    cudaGetLastError();
#if CUDART_VERSION >= 12000
    // one call for any node
    cudaGraphNode_t any;
    cudaGraphNodeParams p = {};
    p.type = cudaGraphNodeTypeKernel;
    p.kernel.func = (void *)scale, p.kernel.gridDim = dim3(2), p.kernel.blockDim = dim3(N / 2), p.kernel.kernelParams = args;
#if CUDART_VERSION >= 13000
    OK(cudaGraphAddNode(&any, g, &empty, nullptr, 1, &p));
#else
    OK(cudaGraphAddNode(&any, g, &empty, 1, &p));
#endif
    OK(cudaGraphAddMemcpyNode1D(&copy, g, &any, 1, h, d, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaGraphExecDestroy(x));
    OK(cudaGraphInstantiateWithFlags(&x, g, 0));
    OK(cudaGraphLaunch(x, s));
    OK(cudaStreamSynchronize(s));
    CHECK(h[0] == 32); // 2 * 4 * 4
#endif
    cudaGraph_t clone;
    OK(cudaGraphClone(&clone, g));
    OK(cudaGraphDestroy(clone));
    OK(cudaGraphExecDestroy(x));
    OK(cudaGraphDestroy(g));
    std::puts("ok");
    return 0;
}
