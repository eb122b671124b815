// Which lines of L2 stay, by the driver's API: the limit, windows of streams, launches and graphs, what is
// refused. A chase through 64 lines takes less time where they stayed in an L2 of 512 lines.
#include "driver_test.h"

enum { LINES = 64, STREAM = 4096, LINE = 128, L2 = 65536 };
static const char *const ptx =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    // One thread reads n lines, each when the one before has come.
    ".visible .entry chase(.param .u64 at, .param .u32 n) {\n"
    "  .reg .u64 %a, %d; .reg .u32 %n, %v; .reg .pred %p;\n"
    "  ld.param.u64 %a, [at]; ld.param.u32 %n, [n];\n"
    "LOOP: ld.global.L1::no_allocate.u32 %v, [%a];\n"
    "  cvt.u64.u32 %d, %v; add.u64 %a, %a, %d; add.u64 %a, %a, 128;\n"
    "  sub.u32 %n, %n, 1; setp.ne.u32 %p, %n, 0; @%p bra LOOP;\n"
    "  st.global.u32 [%a-128], %v; ret;\n}\n";

static CUdeviceptr few, many;
static CUfunction f;

static void chase(CUstream s, CUdeviceptr at, unsigned n, CUlaunchAttribute *a) {
    void *params[] = {&at, &n};
    const CUlaunchConfig c = {.gridDimX = 1,
                              .gridDimY = 1,
                              .gridDimZ = 1,
                              .blockDimX = 1,
                              .blockDimY = 1,
                              .blockDimZ = 1,
                              .hStream = s,
                              .attrs = a,
                              .numAttrs = a ? 1 : 0};
    OK(cuLaunchKernelEx(&c, f, params, NULL));
}
static CUlaunchAttribute window(float ratio, CUaccessProperty hit, CUaccessProperty miss) {
    CUlaunchAttribute a = {.id = CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW};
    a.value.accessPolicyWindow = (CUaccessPolicyWindow){.base_ptr = (void *)(uintptr_t)few,
                                                        .num_bytes = LINES * LINE,
                                                        .hitRatio = ratio,
                                                        .hitProp = hit,
                                                        .missProp = miss};
    return a;
}
// Microseconds of a chase through the few behind one through the many; no window.
static float after_stream(void) {
    CUevent from, to;
    float ms = 0;
    OK(cuEventCreate(&from, 0));
    OK(cuEventCreate(&to, 0));
    chase(NULL, many, STREAM, NULL);
    OK(cuEventRecord(from, NULL));
    chase(NULL, few, LINES, NULL);
    OK(cuEventRecord(to, NULL));
    OK(cuCtxSynchronize());
    OK(cuEventElapsedTime(&ms, from, to));
    return ms * 1000;
}

static void limits(void) {
    size_t bytes = 0;
    CUdevice d;
    int n = 0;
    OK(cuCtxGetDevice(&d));
    OK(cuDeviceGetAttribute(&n, CU_DEVICE_ATTRIBUTE_MAX_PERSISTING_L2_CACHE_SIZE, d));
    CHECK(n == L2 * 10 / 16);
    OK(cuDeviceGetAttribute(&n, CU_DEVICE_ATTRIBUTE_MAX_ACCESS_POLICY_WINDOW_SIZE, d));
    CHECK(n == 128 << 20);
    OK(cuCtxGetLimit(&bytes, CU_LIMIT_PERSISTING_L2_CACHE_SIZE));
    CHECK(bytes == L2 * 3 / 16);
    OK(cuCtxSetLimit(CU_LIMIT_PERSISTING_L2_CACHE_SIZE, L2));
    OK(cuCtxGetLimit(&bytes, CU_LIMIT_PERSISTING_L2_CACHE_SIZE));
    CHECK(bytes == L2 * 10 / 16);
}

static void is_at(CUlimit limit, size_t wanted) {
    size_t value = 0;
    OK(cuCtxGetLimit(&value, limit));
    CHECK(value == wanted);
}
// What a context has set goes with it, also where that was nothing; so does what the primary one has.
static void limits_go_with_contexts(CUcontext c) {
    CUdevice d;
    OK(cuCtxGetDevice(&d));
    for (size_t set = 0; set < 2; set++) {
        is_at(CU_LIMIT_PERSISTING_L2_CACHE_SIZE, set ? L2 * 3 / 16 : L2 * 10 / 16); // limits() has set it
        OK(cuCtxSetLimit(CU_LIMIT_PERSISTING_L2_CACHE_SIZE, 0));
        OK(cuCtxSetLimit(CU_LIMIT_MALLOC_HEAP_SIZE, 1 << 20));
        OK(cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 4096));
        is_at(CU_LIMIT_PERSISTING_L2_CACHE_SIZE, 0);
        OK(cuCtxDestroy(c));
        OK(cuCtxCreate(&c, 0, d));
    }
    OK(cuCtxDestroy(c));
    OK(cuDevicePrimaryCtxRetain(&c, d));
    OK(cuCtxSetCurrent(c));
    OK(cuCtxSetLimit(CU_LIMIT_PERSISTING_L2_CACHE_SIZE, L2 / 2));
    OK(cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 4096));
    OK(cuDevicePrimaryCtxReset(d));
    is_at(CU_LIMIT_PERSISTING_L2_CACHE_SIZE, L2 * 3 / 16);
    is_at(CU_LIMIT_MALLOC_HEAP_SIZE, 8 << 20);
    is_at(CU_LIMIT_STACK_SIZE, 1024);
}

int main(void) {
    setenv("WARPWATT_GPU", FATBIN_DIR "/../../../gpus/h100.yaml", 1);
    setenv("WARPWATT_SET",
           "sm_count=2\nmem.partitions=1\nmem.tlb.l2_count=1\nmem.l2.bytes=32768\nmem.l2.ways=16\nmem.l2.dirty_ways=0", 1);
    const CUcontext c = start();
    OK(cuMemAlloc(&few, LINES * LINE));
    OK(cuMemAlloc(&many, STREAM * LINE));
    OK(cuMemsetD32(few, 0, LINES * LINE / 4));
    OK(cuMemsetD32(many, 0, STREAM * LINE / 4));
    f = kernel(load(ptx), "chase");
    limits();

    after_stream(); // has the code in the SM
    const float gone = after_stream();
    CUlaunchAttribute stays = window(1, CU_ACCESS_PROPERTY_PERSISTING, CU_ACCESS_PROPERTY_STREAMING);
    chase(NULL, few, LINES, &stays); // of a launch
    const float there = after_stream();
    CHECK(there < 0.8f * gone);
    OK(cuCtxResetPersistingL2Cache());
    CHECK(after_stream() > 0.95f * gone);

    CUstream s; // of a stream, and of what a graph has of it
    CUgraph g;
    CUgraphExec e;
    CUstreamAttrValue none = {0};
    OK(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
    OK(cuStreamSetAttribute(s, CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW, &stays.value));
    chase(s, few, LINES, NULL);
    OK(cuStreamSynchronize(s));
    CHECK(after_stream() < 1.05f * there);
    OK(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL));
    chase(s, few, LINES, NULL);
    OK(cuStreamEndCapture(s, &g));
    OK(cuStreamSetAttribute(s, CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW, &none));
    OK(cuCtxResetPersistingL2Cache());
    CHECK(after_stream() > 0.95f * gone);
    OK(cuGraphInstantiate(&e, g, 0));
    OK(cuGraphLaunch(e, s));
    OK(cuStreamSynchronize(s));
    CHECK(after_stream() < 1.05f * there);
    OK(cuCtxResetPersistingL2Cache());
    chase(s, few, LINES, NULL); // the stream has none any more
    OK(cuStreamSynchronize(s));
    CHECK(after_stream() > 0.95f * gone);
    OK(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL)); // nor has a graph that of the stream it is launched into
    chase(s, few, LINES, NULL);
    OK(cuStreamEndCapture(s, &g));
    OK(cuStreamSetAttribute(s, CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW, &stays.value));
    OK(cuGraphInstantiate(&e, g, 0));
    OK(cuGraphLaunch(e, s));
    OK(cuStreamSynchronize(s));
    CHECK(after_stream() > 0.95f * gone);

    CUlaunchAttribute bad = window(1.5f, CU_ACCESS_PROPERTY_PERSISTING, CU_ACCESS_PROPERTY_NORMAL);
    IS(cuStreamSetAttribute(s, CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW, &bad.value),
       CUDA_ERROR_INVALID_VALUE);
    bad = window(1, CU_ACCESS_PROPERTY_PERSISTING, CU_ACCESS_PROPERTY_PERSISTING); // misses cannot persist
    IS(cuStreamSetAttribute(s, CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW, &bad.value),
       CUDA_ERROR_INVALID_VALUE);
    limits_go_with_contexts(c);
    return 0;
}
