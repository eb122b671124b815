// Graphs: branches side by side, nodes that allocate and free, what nodes say of themselves, kept objects.
// expect stdout ok
#include "check.h"
#include <cstring>

__global__ void spin(float *p, int n) {
    float x = *p;
    for (int i = 0; i < n; i++) x = x * 1.0001f + 0.5f;
    *p = x;
}
__global__ void set(int *p, int v) { p[threadIdx.x] = v + (int)threadIdx.x; }
__global__ void add(int *to, const int *a, const int *b) { to[threadIdx.x] = a[threadIdx.x] + b[threadIdx.x]; }
__constant__ int table[4];

static cudaGraphExec_t instantiate(cudaGraph_t g) {
    cudaGraphExec_t x;
    OK(cudaGraphInstantiateWithFlags(&x, g, 0));
    return x;
}

// Simulated milliseconds of a graph of `n` kernels that do not wait for each other, with one that waits for all.
static float branches(int n, float *d, cudaStream_t s) {
    cudaGraph_t g;
    OK(cudaGraphCreate(&g, 0));
    cudaGraphNode_t node[8], last;
    int rounds = 3000;
    for (int i = 0; i <= n; i++) {
        float *p = d + i;
        void *args[] = {&p, &rounds};
        cudaKernelNodeParams k = {};
        k.func = (void *)spin, k.gridDim = dim3(1), k.blockDim = dim3(1), k.kernelParams = args;
        if (i == n) rounds = 1;
        OK(cudaGraphAddKernelNode(i < n ? &node[i] : &last, g, i < n ? nullptr : node, i < n ? 0 : n, &k));
    }
    cudaGraphExec_t x = instantiate(g);
    cudaEvent_t a, b;
    OK(cudaEventCreate(&a));
    OK(cudaEventCreate(&b));
    float ms = 0;
    for (int i = 0; i < 2; i++) { // the second launch has its streams already
        OK(cudaEventRecord(a, s));
        OK(cudaGraphLaunch(x, s));
        OK(cudaEventRecord(b, s));
    }
    OK(cudaStreamSynchronize(s));
    OK(cudaEventElapsedTime(&ms, a, b));
    OK(cudaGraphExecDestroy(x));
    OK(cudaGraphDestroy(g));
    return ms;
}

static int destroyed;

int main() {
    cudaStream_t s;
    OK(cudaStreamCreate(&s));
    float *f;
    OK(cudaMalloc(&f, 64));
    OK(cudaMemset(f, 0, 64));
    const float one = branches(1, f, s), four = branches(4, f, s);
    CHECK(one > 0 && four < 1.5f * one);

    // a diamond that allocates: two kernels side by side, a third adds, a copy back, then both are freed
    cudaGraph_t g;
    OK(cudaGraphCreate(&g, 0));
    cudaMemAllocNodeParams m = {};
    m.poolProps.allocType = cudaMemAllocationTypePinned;
    m.poolProps.location.type = cudaMemLocationTypeDevice;
    m.bytesize = 128;
    cudaGraphNode_t alloc, left, right, sum, back, freed;
    OK(cudaGraphAddMemAllocNode(&alloc, g, nullptr, 0, &m));
    CHECK(m.dptr);
    int *a = (int *)m.dptr, *b, *c, h[32] = {}, v = 1;
    OK(cudaMalloc(&b, 128));
    OK(cudaMalloc(&c, 128));
    cudaKernelNodeParams k = {};
    void *first[] = {&a, &v}, *second[] = {&b, &v}, *third[] = {&c, &a, &b};
    k.func = (void *)set, k.gridDim = dim3(1), k.blockDim = dim3(32), k.kernelParams = first;
    OK(cudaGraphAddKernelNode(&left, g, &alloc, 1, &k));
    v = 100, k.kernelParams = second;
    OK(cudaGraphAddKernelNode(&right, g, nullptr, 0, &k));
    k.func = (void *)add, k.kernelParams = third;
    cudaGraphNode_t both[] = {left, right};
    OK(cudaGraphAddKernelNode(&sum, g, both, 2, &k));
    OK(cudaGraphAddMemcpyNode1D(&back, g, &sum, 1, h, c, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaGraphAddMemFreeNode(&freed, g, &sum, 1, a));
    cudaGraphExec_t x = instantiate(g);
    for (int i = 0; i < 3; i++) OK(cudaGraphLaunch(x, s));
    OK(cudaStreamSynchronize(s));
    for (int i = 0; i < 32; i++) CHECK(h[i] == 101 + 2 * i);
    // what nodes say
    cudaMemcpy3DParms p;
    OK(cudaGraphMemcpyNodeGetParams(back, &p));
    CHECK(p.srcPtr.ptr == c && p.dstPtr.ptr == h && p.extent.width == sizeof h && p.extent.height == 1 && p.extent.depth == 1);
    cudaMemAllocNodeParams said;
    void *address;
    OK(cudaGraphMemAllocNodeGetParams(alloc, &said));
    OK(cudaGraphMemFreeNodeGetParams(freed, &address));
    CHECK(said.bytesize == 128 && said.dptr == a && address == a);
    cudaGraphNodeType type;
    OK(cudaGraphNodeGetType(alloc, &type));
    CHECK(type == cudaGraphNodeTypeMemAlloc);
    size_t used = 1, reserved = 0;
    OK(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &used));
    OK(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrReservedMemCurrent, &reserved));
    CHECK(used == 0 && reserved == 128);

    // an object that lives as long as the graphs that hold it
    cudaUserObject_t object;
    OK(cudaUserObjectCreate(&object, &destroyed, [](void *n) { ++*(int *)n; }, 1, cudaUserObjectNoDestructorSync));
    OK(cudaGraphRetainUserObject(g, object, 1, cudaGraphUserObjectMove));
    cudaGraphExec_t holds = instantiate(g);
    OK(cudaGraphExecDestroy(x));
    OK(cudaGraphDestroy(g));
    CHECK(destroyed == 0);
    OK(cudaGraphExecDestroy(holds));
    CHECK(destroyed == 1);
    OK(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrReservedMemCurrent, &reserved));
    CHECK(reserved == 0);

    // captured: memory in stream order becomes nodes; it is in use after a launch until somebody frees it
    int *q;
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    OK(cudaMallocAsync(&q, 128, s));
    set<<<1, 32, 0, s>>>(q, 7);
    OK(cudaStreamEndCapture(s, &g));
    x = instantiate(g);
    OK(cudaGraphLaunch(x, s));
    OK(cudaMemcpyAsync(h, q, sizeof h, cudaMemcpyDeviceToHost, s));
    OK(cudaStreamSynchronize(s));
    CHECK(h[31] == 38);
    IS(cudaGraphLaunch(x, s), cudaErrorInvalidValue); // still in use
    OK(cudaFreeAsync(q, s));
    OK(cudaGraphLaunch(x, s));
    OK(cudaStreamSynchronize(s));
    OK(cudaFree(q));
    // memory in use outlives its graphs, until it is freed
    OK(cudaGraphLaunch(x, s));
    OK(cudaGraphExecDestroy(x));
    OK(cudaGraphDestroy(g));
    OK(cudaMemcpyAsync(h, q, sizeof h, cudaMemcpyDeviceToHost, s));
    OK(cudaStreamSynchronize(s));
    CHECK(h[31] == 38);
    OK(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrReservedMemCurrent, &reserved));
    CHECK(reserved == 128);
    OK(cudaFree(q));
    OK(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrReservedMemCurrent, &reserved));
    CHECK(reserved == 0);
    IS(cudaFree(q), cudaErrorInvalidValue);

    // parameters as the node answers them, with one that is new; attributes stay
    OK(cudaGraphCreate(&g, 0));
    v = 3, k.func = (void *)set, k.kernelParams = second;
    OK(cudaGraphAddKernelNode(&left, g, nullptr, 0, &k));
    cudaKernelNodeAttrValue is_whole = {};
    is_whole.cooperative = 1;
    OK(cudaGraphKernelNodeSetAttribute(left, cudaKernelNodeAttributeCooperative, &is_whole));
    OK(cudaGraphKernelNodeGetParams(left, &k));
    CHECK(k.func == (void *)set);
    k.blockDim = dim3(16);
    OK(cudaGraphKernelNodeSetParams(left, &k));
    is_whole.cooperative = 0;
    OK(cudaGraphKernelNodeGetAttribute(left, cudaKernelNodeAttributeCooperative, &is_whole));
    CHECK(is_whole.cooperative == 1);
    OK(cudaMemset(b, 0, 128));
    x = instantiate(g);
    OK(cudaGraphLaunch(x, s));
    OK(cudaStreamSynchronize(s));
    OK(cudaMemcpy(h, b, sizeof h, cudaMemcpyDeviceToHost));
    CHECK(h[0] == 3 && h[15] == 18 && h[16] == 0);

    // new parameters: to a symbol
    cudaGraph_t t;
    cudaGraphNode_t copy;
    int values[] = {1, 2, 3, 4}, others[] = {5, 6, 7, 8}, got[4];
    OK(cudaGraphCreate(&t, 0));
    OK(cudaGraphAddMemcpyNodeToSymbol(&copy, t, nullptr, 0, table, values, sizeof values, 0, cudaMemcpyHostToDevice));
    cudaGraphExec_t y = instantiate(t);
    OK(cudaGraphExecMemcpyNodeSetParamsToSymbol(y, copy, table, others, 8, 8, cudaMemcpyHostToDevice));
    OK(cudaMemcpyToSymbol(table, values, sizeof values));
    OK(cudaGraphLaunch(y, s));
    OK(cudaStreamSynchronize(s));
    OK(cudaMemcpyFromSymbol(got, table, sizeof got));
    CHECK(got[0] == 1 && got[1] == 2 && got[2] == 5 && got[3] == 6);
    std::puts("ok");
    return 0;
}
