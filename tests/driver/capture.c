// Streams that record what they are given, and graphs, through the driver's calls: what a launch of
// the graph computes, how streams fork and join by events, and what each illegal call answers.
#include "driver_test.h"

#include <pthread.h>

static const char ptx[] =
    PTX(".visible .entry add(.param .u64 p, .param .u32 n) {\n"
        "  .reg .u32 %r<4>; .reg .u64 %d<3>;\n"
        "  ld.param.u64 %d0, [p]; ld.param.u32 %r0, [n];\n"
        "  mov.u32 %r1, %tid.x; mul.wide.u32 %d1, %r1, 4; add.u64 %d0, %d0, %d1;\n"
        "  ld.global.u32 %r2, [%d0]; add.u32 %r2, %r2, %r0; st.global.u32 [%d0], %r2; ret;\n}\n");

enum { N = 32, BYTES = 4 * N };
static CUlibrary library;
static CUkernel add;
static CUfunction f;
static CUstream s, t; // both non-blocking
static CUdeviceptr p, q;

static CUresult launch(CUstream in, CUdeviceptr at, unsigned n) {
    void *params[] = {&at, &n};
    return cuLaunchKernel((CUfunction)add, 1, 1, 1, N, 1, 1, 0, in, params, NULL);
}
static unsigned word(CUdeviceptr at, unsigned i) {
    unsigned v;
    OK(cuMemcpyDtoH(&v, at + 4 * i, 4));
    return v;
}
static void clear(void) {
    OK(cuMemsetD32(p, 0, N));
    OK(cuMemsetD32(q, 0, N));
}
static CUstreamCaptureStatus status_of(CUstream in) {
    CUstreamCaptureStatus status;
    OK(cuStreamIsCapturing(in, &status));
    return status;
}
// The graph's launches in a stream, waited for; both are gone then.
static void run_graph(CUgraph g, unsigned times) {
    CUgraphExec x;
    OK(cuGraphInstantiate(&x, g, 0));
    OK(cuGraphDestroy(g)); // the executable one stands alone
    for (unsigned i = 0; i < times; i++) OK(cuGraphLaunch(x, s));
    OK(cuStreamSynchronize(s));
    OK(cuGraphExecDestroy(x));
}

static unsigned called;
static void count(void *user) { called += *(unsigned *)user; }

static void everything(void) {
    unsigned in[N], out[N] = {0}, two = 2;
    CUgraph g;
    clear();
    for (unsigned i = 0; i < N; i++) in[i] = i;
    OK(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL));
    CHECK(status_of(s) == CU_STREAM_CAPTURE_STATUS_ACTIVE && status_of(t) == 0);
    OK(cuMemcpyHtoDAsync(p, in, BYTES, s));
    OK(launch(s, p, 100));
    OK(cuMemcpyDtoDAsync(q, p, BYTES, s));
    OK(cuMemsetD32Async(p, 7, N / 2, s));
    OK(cuMemsetD2D8Async(p + BYTES / 2, BYTES / 8, 1, 4, 4, s)); // one word a row
    CUlaunchConfig c = {.gridDimX = 1,
                        .gridDimY = 1,
                        .gridDimZ = 1,
                        .blockDimX = 1,
                        .blockDimY = 1,
                        .blockDimZ = 1,
                        .hStream = s};
    unsigned char packed[16];
    size_t size = 12;
    memcpy(packed, &q, 8);
    memcpy(packed + 8, &two, 4);
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &size,
                     CU_LAUNCH_PARAM_END};
    OK(cuLaunchKernelEx(&c, f, NULL, extra)); // arguments in one piece
    OK(cuMemcpyAsync((CUdeviceptr)(uintptr_t)out, q, BYTES, s));
    OK(cuLaunchHostFunc(s, count, &two));
    OK(cuStreamEndCapture(s, &g));
    CHECK(status_of(s) == CU_STREAM_CAPTURE_STATUS_NONE);
    CHECK(word(p, 3) == 0 && !called); // nothing has run
    size_t n = 0;
    OK(cuGraphGetNodes(g, NULL, &n));
    CHECK(n == 8);
    CUgraphNode node[8];
    CUgraphNodeType type;
    static const CUgraphNodeType kinds[] = {CU_GRAPH_NODE_TYPE_MEMCPY, CU_GRAPH_NODE_TYPE_KERNEL,
                                            CU_GRAPH_NODE_TYPE_MEMCPY, CU_GRAPH_NODE_TYPE_MEMSET,
                                            CU_GRAPH_NODE_TYPE_MEMSET, CU_GRAPH_NODE_TYPE_KERNEL,
                                            CU_GRAPH_NODE_TYPE_MEMCPY, CU_GRAPH_NODE_TYPE_HOST};
    OK(cuGraphGetNodes(g, node, &n));
    for (unsigned i = 0; i < n; i++) {
        OK(cuGraphNodeGetType(node[i], &type));
        CHECK(type == kinds[i]);
    }
    in[5] = 1000;                     // a graph's copy reads host memory when it runs
    memset(packed, 0, sizeof packed); // a kernel's arguments are those of the capture
    run_graph(g, 2);
    CHECK(out[0] == 102 && out[1] == 101 && out[5] == 1100 && out[31] == 131 && called == 4);
    CHECK(word(p, 0) == 7 && word(p, 15) == 7 && word(p, 16) == 0x01010101 && word(p, 17) == 117);
}

// Two branches that another stream takes part in, and the graph's shape.
static void fork_and_join(void) {
    CUevent fork, join;
    CUgraph g, of;
    CUstreamCaptureStatus status;
    cuuint64_t id, other;
    const CUgraphNode *front;
    size_t n;
    clear();
    OK(cuEventCreate(&fork, CU_EVENT_DISABLE_TIMING));
    OK(cuEventCreate(&join, CU_EVENT_DISABLE_TIMING));
    OK(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
    OK(launch(s, p, 1));
    OK(cuEventRecord(fork, s));
    OK(cuStreamWaitEvent(t, fork, 0));
    CHECK(status_of(t) == CU_STREAM_CAPTURE_STATUS_ACTIVE);
    OK(launch(s, p, 10));
    OK(launch(t, q, 5));
    OK(cuStreamGetCaptureInfo(t, &status, &id, &of, &front, NULL, &n));
    CHECK(n == 1 && of);
    OK(cuStreamGetCaptureInfo(s, &status, &other, &g, NULL, NULL, NULL));
    CHECK(id == other && g == of);
    OK(cuEventRecord(join, t));
    OK(cuStreamWaitEvent(s, join, 0));
    OK(cuStreamGetCaptureInfo(s, &status, NULL, NULL, &front, NULL, &n));
    CHECK(n == 2); // both branches
    OK(cuMemcpyDtoDAsync(q + 4, p, 4, s));
    OK(cuStreamEndCapture(s, &g));
    CHECK(g == of && status_of(t) == CU_STREAM_CAPTURE_STATUS_NONE);
    size_t nodes = 0, roots = 0, edges = 0;
    OK(cuGraphGetNodes(g, NULL, &nodes));
    OK(cuGraphGetRootNodes(g, NULL, &roots));
    OK(cuGraphGetEdges(g, NULL, NULL, NULL, &edges));
    CHECK(nodes == 4 && roots == 1 && edges == 4);
    run_graph(g, 3);
    CHECK(word(p, 9) == 33 && word(q, 9) == 15 && word(q, 1) == 33);
    // the events still stand for nodes of that capture
    IS(cuEventQuery(join), CUDA_ERROR_CAPTURED_EVENT);
    IS(cuEventSynchronize(fork), CUDA_ERROR_CAPTURED_EVENT);
    OK(cuEventRecord(join, s));
    OK(cuEventSynchronize(join));
    OK(cuEventDestroy(fork));
    OK(cuEventDestroy(join));
}

// Into a graph of the program's own, with its dependencies changed on the way.
static void to_graph(void) {
    CUgraph g;
    CUgraphNode first, node[8];
    CUgraphExec x;
    const CUgraphNode *front;
    CUstreamCaptureStatus status;
    size_t n;
    clear();
    OK(cuGraphCreate(&g, 0));
    CUDA_MEMSET_NODE_PARAMS fill = {
        .dst = p, .value = 50, .elementSize = 4, .width = N, .height = 1};
    OK(cuGraphAddMemsetNode(&first, g, NULL, 0, &fill, NULL));
    OK(cuStreamBeginCaptureToGraph(s, g, &first, NULL, 1, CU_STREAM_CAPTURE_MODE_RELAXED));
    IS(cuGraphInstantiate(&x, g, 0), CUDA_ERROR_INVALID_VALUE); // not before its end
    IS(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_RELAXED), CUDA_ERROR_ILLEGAL_STATE);
    OK(launch(s, p, 1));
    OK(cuStreamUpdateCaptureDependencies(s, &first, NULL, 1, CU_STREAM_SET_CAPTURE_DEPENDENCIES));
    OK(cuStreamGetCaptureInfo(s, &status, NULL, NULL, &front, NULL, &n));
    CHECK(n == 1 && front[0] == first);
    OK(launch(s, q, 2));
    n = 8;
    OK(cuGraphGetNodes(g, node, &n));
    CHECK(n == 3);
    OK(cuStreamUpdateCaptureDependencies(s, &node[1], NULL, 1, CU_STREAM_ADD_CAPTURE_DEPENDENCIES));
    OK(cuMemcpyDtoDAsync(q + 4, p, 4, s));
    CUgraph end;
    OK(cuStreamEndCapture(s, &end));
    CHECK(end == g);
    n = 8;
    OK(cuGraphGetNodes(g, node, &n));
    CHECK(n == 4);
    OK(cuGraphNodeGetDependencies(node[3], NULL, NULL, &n));
    CHECK(n == 2);
    run_graph(g, 1);
    CHECK(word(p, 4) == 51 && word(q, 4) == 2 && word(q, 1) == 51);
    IS(cuStreamUpdateCaptureDependencies(s, NULL, NULL, 0, 0), CUDA_ERROR_ILLEGAL_STATE);
}

static void memory(void) {
    CUgraph g;
    CUgraphExec x;
    CUdeviceptr m = 0;
    cuuint64_t used, reserved;
    clear();
    OK(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL));
    OK(cuMemAllocAsync(&m, BYTES, s));
    CHECK(m);
    OK(cuMemsetD32Async(m, 3, N, s));
    OK(launch(s, m, 4));
    OK(cuMemcpyDtoDAsync(p, m, BYTES, s));
    OK(cuMemFreeAsync(m, s));
    OK(cuStreamEndCapture(s, &g));
    CUgraphNode node[8];
    size_t n = 8;
    CUgraphNodeType type;
    OK(cuGraphGetNodes(g, node, &n));
    CHECK(n == 5);
    OK(cuGraphNodeGetType(node[0], &type));
    CHECK(type == CU_GRAPH_NODE_TYPE_MEM_ALLOC);
    CUDA_MEM_ALLOC_NODE_PARAMS params;
    OK(cuGraphMemAllocNodeGetParams(node[0], &params));
    CHECK(params.bytesize == BYTES && params.dptr == m);
    OK(cuDeviceGetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT, &reserved));
    CHECK(reserved == BYTES);
    OK(cuGraphInstantiate(&x, g, 0));
    for (int i = 0; i < 2; i++) OK(cuGraphLaunch(x, s));
    OK(cuStreamSynchronize(s));
    CHECK(word(p, 30) == 7);
    OK(cuDeviceGetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT, &used));
    CHECK(used == 0);
    OK(cuGraphExecDestroy(x));
    OK(cuGraphDestroy(g));
    OK(cuDeviceGetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT, &reserved));
    CHECK(reserved == 0);
}

// A graph that is launched into a capture becomes a node of it; nodes by hand, changed in place.
static void by_hand(void) {
    CUgraph g, child, clone;
    CUgraphExec x;
    CUgraphNode kernel, copy, inner, found;
    unsigned n = 6;
    void *params[] = {&p, &n};
    clear();
    OK(cuGraphCreate(&child, 0));
    CUDA_KERNEL_NODE_PARAMS k = {.kern = add,
                                 .gridDimX = 1,
                                 .gridDimY = 1,
                                 .gridDimZ = 1,
                                 .blockDimX = N,
                                 .blockDimY = 1,
                                 .blockDimZ = 1,
                                 .kernelParams = params};
    OK(cuGraphAddKernelNode(&kernel, child, NULL, 0, &k));
    n = 99;
    CUDA_KERNEL_NODE_PARAMS got;
    OK(cuGraphKernelNodeGetParams(kernel, &got));
    CHECK(got.func == f && got.blockDimX == N && *(unsigned *)got.kernelParams[1] == 6);
    OK(cuGraphInstantiate(&x, child, 0));
    OK(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL));
    OK(launch(s, p, 1));
    OK(cuGraphLaunch(x, s));
    OK(cuStreamEndCapture(s, &g));
    CHECK(word(p, 0) == 0);
    run_graph(g, 1);
    CHECK(word(p, 0) == 7);
    // in the executable graph: its parameters, and whether it runs
    OK(cuGraphExecKernelNodeSetParams(x, kernel, &k)); // n is 99 now
    OK(cuGraphLaunch(x, s));
    OK(cuStreamSynchronize(s));
    CHECK(word(p, 0) == 106);
    OK(cuGraphNodeSetEnabled(x, kernel, 0));
    OK(cuGraphLaunch(x, s));
    OK(cuStreamSynchronize(s));
    CHECK(word(p, 0) == 106);
    OK(cuGraphExecDestroy(x));
    // a child, a copy after it, a clone, an update
    OK(cuGraphCreate(&g, 0));
    OK(cuGraphAddChildGraphNode(&inner, g, NULL, 0, child));
    CUDA_MEMCPY3D box = {.srcMemoryType = CU_MEMORYTYPE_DEVICE,
                         .srcDevice = p,
                         .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                         .dstDevice = q,
                         .WidthInBytes = 8,
                         .Height = 1,
                         .Depth = 1};
    OK(cuGraphAddMemcpyNode(&copy, g, &inner, 1, &box, NULL));
    OK(cuGraphClone(&clone, g));
    OK(cuGraphNodeFindInClone(&found, copy, clone));
    CHECK(found && found != copy);
    OK(cuGraphDestroy(child));
    OK(cuGraphInstantiate(&x, g, 0));
    OK(cuGraphLaunch(x, s));
    OK(cuStreamSynchronize(s));
    CHECK(word(q, 0) == 112 && word(q, 1) == 112 && word(q, 2) == 0);
    box.WidthInBytes = 12;
    OK(cuGraphMemcpyNodeSetParams(found, &box));
    CUgraphExecUpdateResultInfo info;
    OK(cuGraphExecUpdate(x, clone, &info));
    OK(cuGraphLaunch(x, s));
    OK(cuStreamSynchronize(s));
    CHECK(word(q, 0) == 118 && word(q, 2) == 118);
    CUgraphNode empty;
    OK(cuGraphAddEmptyNode(&empty, clone, NULL, 0));
    IS(cuGraphExecUpdate(x, clone, &info), CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
    CHECK(info.result == CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED);
    // what is gone, or is none
    OK(cuGraphDestroy(clone));
    IS(cuGraphDestroy(clone), CUDA_ERROR_INVALID_VALUE);
    IS(cuGraphNodeGetType(empty, &(CUgraphNodeType){0}), CUDA_ERROR_INVALID_VALUE);
    IS(cuGraphAddEmptyNode(&empty, g, &found, 1), CUDA_ERROR_INVALID_VALUE);
    IS(cuGraphLaunch((CUgraphExec)g, s), CUDA_ERROR_INVALID_VALUE);
    OK(cuGraphExecDestroy(x));
    OK(cuGraphDestroy(g));
}

// ---- what is not allowed ------------------------------------------------------------------------
static void begin(CUstreamCaptureMode mode) { OK(cuStreamBeginCapture(s, mode)); }
static void is_invalid(void) {
    CUgraph g = (CUgraph)s;
    CHECK(status_of(s) == CU_STREAM_CAPTURE_STATUS_INVALIDATED);
    IS(launch(s, p, 1), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    IS(cuStreamEndCapture(s, &g), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    CHECK(!g && status_of(s) == CU_STREAM_CAPTURE_STATUS_NONE);
    OK(cuStreamSynchronize(s)); // it goes on as any stream
}
static void is_valid(void) {
    CUgraph g;
    OK(cuStreamEndCapture(s, &g));
    OK(cuGraphDestroy(g));
}

static void nothing(CUstream in, CUresult r, void *user) { (void)in, (void)r, (void)user; }

static void illegal_calls(void) {
    CUdeviceptr m;
    CUgraph g;
    CUevent e, before;
    unsigned v;
    OK(cuEventCreate(&e, 0));
    OK(cuEventCreate(&before, 0));
    OK(cuEventRecord(before, t));
    IS(cuStreamBeginCapture(NULL, CU_STREAM_CAPTURE_MODE_GLOBAL),
       CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    IS(cuStreamBeginCapture(CU_STREAM_LEGACY, CU_STREAM_CAPTURE_MODE_GLOBAL),
       CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    IS(cuStreamBeginCapture(s, (CUstreamCaptureMode)3), CUDA_ERROR_INVALID_VALUE);
    IS(cuStreamEndCapture(s, &g), CUDA_ERROR_ILLEGAL_STATE);
    // questions of the stream and waits for it
    begin(CU_STREAM_CAPTURE_MODE_RELAXED);
    IS(cuStreamSynchronize(s), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    is_invalid();
    begin(CU_STREAM_CAPTURE_MODE_RELAXED);
    IS(cuStreamQuery(s), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    is_invalid();
    begin(CU_STREAM_CAPTURE_MODE_RELAXED);
    IS(cuStreamAddCallback(s, nothing, NULL, 0), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    is_invalid();
    begin(CU_STREAM_CAPTURE_MODE_RELAXED);
    IS(cuCtxSynchronize(), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    is_invalid();
    // events of the capture, and of before
    begin(CU_STREAM_CAPTURE_MODE_RELAXED);
    OK(cuEventRecord(e, s));
    IS(cuEventQuery(e), CUDA_ERROR_CAPTURED_EVENT);
    is_invalid();
    begin(CU_STREAM_CAPTURE_MODE_RELAXED);
    IS(cuStreamWaitEvent(s, before, 0), CUDA_ERROR_STREAM_CAPTURE_ISOLATION);
    is_invalid();
    begin(CU_STREAM_CAPTURE_MODE_RELAXED);
    OK(cuStreamWaitEvent(s, before, CU_EVENT_WAIT_EXTERNAL)); // a node of its own
    OK(cuEventRecordWithFlags(before, s, CU_EVENT_RECORD_EXTERNAL));
    is_valid();
    IS(cuStreamWaitEvent(s, before, CU_EVENT_WAIT_EXTERNAL), CUDA_ERROR_INVALID_VALUE);
    OK(cuEventQuery(before));
    // memory and copies that wait, by modes
    begin(CU_STREAM_CAPTURE_MODE_GLOBAL);
    IS(cuMemAlloc(&m, 16), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    is_invalid();
    begin(CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
    IS(cuMemcpyDtoH(&v, p, 4), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    is_invalid();
    begin(CU_STREAM_CAPTURE_MODE_RELAXED);
    OK(cuMemAlloc(&m, 16));
    OK(cuMemFree(m));
    is_valid();
    CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
    OK(cuThreadExchangeStreamCaptureMode(&mode));
    CHECK(mode == CU_STREAM_CAPTURE_MODE_GLOBAL);
    begin(CU_STREAM_CAPTURE_MODE_GLOBAL);
    OK(cuMemcpyDtoH(&v, p, 4)); // the thread says that it knows what it does
    is_valid();
    OK(cuThreadExchangeStreamCaptureMode(&mode));
    CHECK(mode == CU_STREAM_CAPTURE_MODE_RELAXED);
    OK(cuEventDestroy(e));
    OK(cuEventDestroy(before));
}

static void illegal_shapes(void) {
    CUevent e, other;
    CUgraph g;
    OK(cuEventCreate(&e, 0));
    OK(cuEventCreate(&other, 0));
    // a fork that does not come back
    begin(CU_STREAM_CAPTURE_MODE_GLOBAL);
    OK(cuEventRecord(e, s));
    OK(cuStreamWaitEvent(t, e, 0));
    OK(launch(t, p, 1));
    IS(cuStreamEndCapture(s, &g), CUDA_ERROR_STREAM_CAPTURE_UNJOINED);
    CHECK(!g && status_of(t) == CU_STREAM_CAPTURE_STATUS_NONE);
    // ended in the stream that joined
    begin(CU_STREAM_CAPTURE_MODE_GLOBAL);
    OK(cuEventRecord(e, s));
    OK(cuStreamWaitEvent(t, e, 0));
    IS(cuStreamEndCapture(t, &g), CUDA_ERROR_STREAM_CAPTURE_UNMATCHED);
    is_invalid();
    // two captures that would become one
    begin(CU_STREAM_CAPTURE_MODE_GLOBAL);
    OK(cuStreamBeginCapture(t, CU_STREAM_CAPTURE_MODE_GLOBAL));
    OK(cuEventRecord(e, s));
    IS(cuStreamWaitEvent(t, e, 0), CUDA_ERROR_STREAM_CAPTURE_MERGE);
    IS(cuStreamEndCapture(t, &g), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    is_invalid();
    // the default stream waits for blocking streams, not for others
    CUstream blocking;
    CUstreamCaptureStatus status;
    OK(cuStreamCreate(&blocking, CU_STREAM_DEFAULT));
    OK(cuStreamBeginCapture(blocking, CU_STREAM_CAPTURE_MODE_RELAXED));
    IS(cuStreamIsCapturing(NULL, &status), CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
    OK(cuStreamIsCapturing(blocking, &status));
    CHECK(status == CU_STREAM_CAPTURE_STATUS_ACTIVE); // a question does no harm
    IS(launch(NULL, p, 1), CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
    IS(cuStreamEndCapture(blocking, &g), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    OK(launch(NULL, p, 1));
    begin(CU_STREAM_CAPTURE_MODE_RELAXED);
    OK(launch(NULL, p, 1));
    OK(cuStreamIsCapturing(NULL, &status));
    CHECK(status == CU_STREAM_CAPTURE_STATUS_NONE);
    is_valid();
    // a stream that has joined may go, if what it did is waited for
    for (int waited = 0; waited < 2; waited++) {
        CUstream helper;
        OK(cuStreamCreate(&helper, CU_STREAM_NON_BLOCKING));
        begin(CU_STREAM_CAPTURE_MODE_GLOBAL);
        OK(cuEventRecord(e, s));
        OK(cuStreamWaitEvent(helper, e, 0));
        OK(launch(helper, p, 1));
        OK(cuEventRecord(other, helper));
        if (waited) OK(cuStreamWaitEvent(s, other, 0));
        OK(cuStreamDestroy(helper));
        IS(cuStreamEndCapture(s, &g), waited ? CUDA_SUCCESS : CUDA_ERROR_STREAM_CAPTURE_UNJOINED);
        if (waited) OK(cuGraphDestroy(g));
    }
    // the stream that began a capture takes it with it
    OK(cuStreamBeginCapture(blocking, CU_STREAM_CAPTURE_MODE_GLOBAL));
    OK(launch(blocking, p, 1));
    OK(cuStreamDestroy(blocking));
    OK(launch(NULL, p, 1));
    OK(cuStreamSynchronize(NULL));
    OK(cuEventDestroy(e));
    OK(cuEventDestroy(other));
}

static CUcontext context;
static CUresult of_thread[3];
static void *another(void *unused) {
    CUgraph g;
    CUdeviceptr m;
    OK(cuCtxSetCurrent(context));
    of_thread[0] = cuStreamEndCapture(s, &g);
    of_thread[1] = cuMemAlloc(&m, 16);
    if (of_thread[1] == CUDA_SUCCESS) OK(cuMemFree(m));
    CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_THREAD_LOCAL;
    OK(cuThreadExchangeStreamCaptureMode(&mode));
    of_thread[2] = cuMemAlloc(&m, 16);
    if (of_thread[2] == CUDA_SUCCESS) OK(cuMemFree(m));
    return unused;
}
static void in_another_thread(void) {
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, another, NULL) == 0);
    CHECK(pthread_join(thread, NULL) == 0);
}
static void threads(void) {
    begin(CU_STREAM_CAPTURE_MODE_GLOBAL);
    in_another_thread();
    CHECK(of_thread[0] == CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD);
    CHECK(of_thread[1] == CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED && of_thread[2] == CUDA_SUCCESS);
    is_invalid();
    begin(CU_STREAM_CAPTURE_MODE_THREAD_LOCAL); // which other threads need not heed
    in_another_thread();
    CHECK(of_thread[0] == CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD && of_thread[1] == CUDA_SUCCESS);
    is_valid();
    begin(CU_STREAM_CAPTURE_MODE_RELAXED); // any thread may end it
    in_another_thread();
    CHECK(of_thread[0] == CUDA_SUCCESS && of_thread[1] == CUDA_SUCCESS);
    CHECK(status_of(s) == CU_STREAM_CAPTURE_STATUS_NONE);
}

static unsigned destroyed;
static void destroy(void *user) { destroyed += *(unsigned *)user; }
// What the host's own memory holds when an object ends.
static void look(void *user) { destroyed = *(volatile unsigned *)user; }
// An object lives as long as what was launched of its graph runs.
static void objects_in_use(void) {
    enum { FILL = 0x1234567 };
    CUgraph g;
    CUgraphExec x;
    CUuserObject o;
    unsigned *held;
    CUdeviceptr at;
    OK(cuMemHostAlloc((void **)&held, 1 << 20, CU_MEMHOSTALLOC_DEVICEMAP));
    OK(cuMemHostGetDevicePointer(&at, held, 0));
    held[0] = 0;
    OK(cuUserObjectCreate(&o, held, look, 1, 1));
    OK(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_RELAXED));
    OK(cuMemsetD32Async(at, FILL, 1 << 18, s));
    OK(cuStreamEndCapture(s, &g));
    OK(cuGraphRetainUserObject(g, o, 1, CU_GRAPH_USER_OBJECT_MOVE));
    OK(cuGraphInstantiate(&x, g, 0));
    OK(cuGraphDestroy(g));
    OK(cuGraphLaunch(x, s));
    OK(cuGraphExecDestroy(x));
    CHECK(destroyed == FILL);
    OK(cuMemFreeHost(held));
}
static void objects(void) {
    CUgraph g;
    CUgraphExec x;
    CUuserObject o;
    unsigned one = 1;
    OK(cuUserObjectCreate(&o, &one, destroy, 1, 1));
    OK(cuGraphCreate(&g, 0));
    OK(cuGraphRetainUserObject(g, o, 1, CU_GRAPH_USER_OBJECT_MOVE));
    OK(cuGraphInstantiate(&x, g, 0));
    OK(cuGraphDestroy(g));
    CHECK(destroyed == 0);
    OK(cuGraphExecDestroy(x));
    CHECK(destroyed == 1);
    IS(cuUserObjectRetain(o, 1), CUDA_ERROR_INVALID_VALUE);
    objects_in_use();
}

int main(void) {
    context = start();
    OK(cuLibraryLoadData(&library, ptx, NULL, NULL, 0, NULL, NULL, 0));
    OK(cuLibraryGetKernel(&add, library, "add"));
    OK(cuKernelGetFunction(&f, add));
    OK(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
    OK(cuStreamCreate(&t, CU_STREAM_NON_BLOCKING));
    p = alloc(BYTES), q = alloc(BYTES);
    everything();
    fork_and_join();
    to_graph();
    memory();
    by_hand();
    illegal_calls();
    illegal_shapes();
    threads();
    objects();
    OK(cuCtxDestroy(context));
    return 0;
}
