// Clusters by the driver's API: attributes of launches and functions, what is refused and how, graphs,
// occupancy; programmatic dependent launches.
#include "driver_test.h"

static const char *const ptx =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    // Each block leaves its rank and the number of blocks of its cluster.
    ".visible .entry ranks(.param .u64 out) {\n"
    "  .reg .u64 %o, %d; .reg .u32 %r<4>;\n"
    "  ld.param.u64 %o, [out];\n"
    "  mov.u32 %r0, %ctaid.x; mul.wide.u32 %d, %r0, 8; add.u64 %d, %o, %d;\n"
    "  mov.u32 %r1, %cluster_ctarank; mov.u32 %r2, %cluster_nctarank;\n"
    "  barrier.cluster.arrive; barrier.cluster.wait;\n"
    "  st.global.v2.u32 [%d], {%r1, %r2};\n"
    "  ret;\n}\n"
    // 2000 turns of a loop, of which the first half is before the wait for the grid before.
    ".visible .entry depends(.param .u64 out) {\n"
    "  .reg .u64 %o; .reg .u32 %r<4>; .reg .pred %p;\n"
    "  ld.param.u64 %o, [out];\n"
    "  griddepcontrol.launch_dependents;\n"
    "  mov.u32 %r0, 1000; mov.u32 %r1, %tid.x;\n"
    "BEFORE: mad.lo.u32 %r1, %r1, %r1, 3; sub.u32 %r0, %r0, 1; setp.ne.u32 %p, %r0, 0; @%p bra BEFORE;\n"
    "  griddepcontrol.wait;\n"
    "  ld.global.u32 %r2, [%o]; add.u32 %r2, %r2, 1; mov.u32 %r0, 1000;\n"
    "BEHIND: mad.lo.u32 %r1, %r1, %r1, 3; sub.u32 %r0, %r0, 1; setp.ne.u32 %p, %r0, 0; @%p bra BEHIND;\n"
    "  setp.eq.u32 %p, %r1, 5; @%p add.u32 %r2, %r2, 9;\n"
    "  st.global.u32 [%o], %r2;\n"
    "  ret;\n}\n"
    ".visible .entry fixed(.param .u64 out) .explicitcluster .reqnctapercluster 4, 2, 1 { ret; }\n"
    ".visible .entry asks(.param .u64 out) .explicitcluster { ret; }\n"
    ".visible .entry most(.param .u64 out) .maxclusterrank 4 { ret; }\n";

static CUdeviceptr out;
static CUresult launch(CUfunction f, unsigned blocks, unsigned cluster) {
    void *params[] = {&out};
    CUlaunchAttribute a = {.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION};
    a.value.clusterDim.x = cluster;
    a.value.clusterDim.y = a.value.clusterDim.z = 1;
    const CUlaunchConfig c = {.gridDimX = blocks,
                              .gridDimY = 1,
                              .gridDimZ = 1,
                              .blockDimX = 32,
                              .blockDimY = 1,
                              .blockDimZ = 1,
                              .attrs = &a,
                              .numAttrs = cluster ? 1 : 0};
    return cuLaunchKernelEx(&c, f, params, NULL);
}
static void ranks_are(unsigned blocks, unsigned cluster) {
    uint32_t got[64];
    OK(cuMemcpyDtoH(got, out, sizeof got));
    for (unsigned i = 0; i < blocks; i++)
        CHECK(got[2 * i] == i % cluster && got[2 * i + 1] == cluster);
    OK(cuMemsetD32(out, 99, 64));
}
static int attribute(CUfunction f, CUfunction_attribute what) {
    int value = -1;
    OK(cuFuncGetAttribute(&value, what, f));
    return value;
}

static void launches(CUmodule m) {
    const CUfunction f = kernel(m, "ranks");
    OK(launch(f, 16, 0));
    ranks_are(16, 1);
    OK(launch(f, 16, 4));
    ranks_are(16, 4);
    IS(launch(f, 15, 4), CUDA_ERROR_INVALID_CLUSTER_SIZE); // does not divide the grid
    IS(launch(f, 16, 16), CUDA_ERROR_INVALID_CLUSTER_SIZE);
    CHECK(attribute(f, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED) == 0);
    OK(cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1));
    CHECK(attribute(f, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED) == 1);
    OK(launch(f, 16, 16));
    ranks_are(16, 16);
    IS(launch(f, 32, 32), CUDA_ERROR_INVALID_CLUSTER_SIZE);
    IS(cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH, 2),
       CUDA_ERROR_INVALID_VALUE);
    OK(cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE,
                          CU_CLUSTER_SCHEDULING_POLICY_SPREAD));
    CHECK(attribute(f, CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE) == 1);
}

static void of_kernels(CUmodule m) {
    const CUfunction fixed = kernel(m, "fixed"), asks = kernel(m, "asks"), most = kernel(m, "most");
    CHECK(attribute(fixed, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH) == 4);
    CHECK(attribute(fixed, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT) == 2);
    CHECK(attribute(fixed, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH) == 1);
    CHECK(attribute(fixed, CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET) == 0);
    CHECK(attribute(asks, CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET) == 1);
    IS(launch(asks, 8, 0), CUDA_ERROR_INVALID_CLUSTER_SIZE);
    OK(launch(asks, 8, 2));
    IS(launch(fixed, 8, 2), CUDA_ERROR_INVALID_CLUSTER_SIZE);
    IS(launch(most, 8, 8), CUDA_ERROR_INVALID_CLUSTER_SIZE);
    OK(launch(most, 8, 4));
    OK(cuCtxSynchronize());
}

static void occupancy(CUmodule m) {
    const CUfunction f = kernel(m, "ranks"), fixed = kernel(m, "fixed");
    CUlaunchAttribute a = {.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION};
    a.value.clusterDim.x = 4;
    a.value.clusterDim.y = a.value.clusterDim.z = 1;
    OK(cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 200 << 10));
    CUlaunchConfig c = {.gridDimX = 4,
                        .gridDimY = 1,
                        .gridDimZ = 1,
                        .blockDimX = 128,
                        .blockDimY = 1,
                        .blockDimZ = 1,
                        .sharedMemBytes = 200 << 10,
                        .attrs = &a,
                        .numAttrs = 1};
    int n = 0;
    OK(cuOccupancyMaxActiveClusters(&n, f, &c));
    CHECK(n == 32); // six GPCs of 16 SMs, two of 18, of which each holds a block
    c.numAttrs = 0;
    OK(cuOccupancyMaxPotentialClusterSize(&n, f, &c));
    CHECK(n == 16);
    OK(cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 0));
    OK(cuOccupancyMaxPotentialClusterSize(&n, f, &c));
    CHECK(n == 8);
    OK(cuOccupancyMaxPotentialClusterSize(&n, fixed, &c));
    CHECK(n == 8);
    CUdevice d;
    OK(cuCtxGetDevice(&d));
    OK(cuDeviceGetAttribute(&n, CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH, d));
    CHECK(n == 1);
}

// A stream that is captured keeps the clusters of its launches.
static void graphs(CUmodule m) {
    const CUfunction f = kernel(m, "ranks");
    CUstream s;
    CUgraph g;
    CUgraphExec e;
    OK(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
    void *params[] = {&out};
    CUlaunchAttribute a = {.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION};
    a.value.clusterDim.x = 8;
    a.value.clusterDim.y = a.value.clusterDim.z = 1;
    const CUlaunchConfig c = {.gridDimX = 16,
                              .gridDimY = 1,
                              .gridDimZ = 1,
                              .blockDimX = 32,
                              .blockDimY = 1,
                              .blockDimZ = 1,
                              .hStream = s,
                              .attrs = &a,
                              .numAttrs = 1};
    OK(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL));
    OK(cuLaunchKernelEx(&c, f, params, NULL));
    OK(cuStreamEndCapture(s, &g));
    OK(cuGraphInstantiate(&e, g, 0));
    OK(cuGraphLaunch(e, s));
    OK(cuStreamSynchronize(s));
    ranks_are(16, 8);
}

// Milliseconds of four kernels, of which each adds to what the one before left.
static float chain(CUfunction f, int is_allowed) {
    CUstream s;
    CUevent from, to;
    float ms = 0;
    uint32_t got = 0;
    OK(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
    OK(cuEventCreate(&from, 0));
    OK(cuEventCreate(&to, 0));
    void *params[] = {&out};
    CUlaunchAttribute a = {.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION};
    a.value.programmaticStreamSerializationAllowed = is_allowed;
    const CUlaunchConfig c = {.gridDimX = 1,
                              .gridDimY = 1,
                              .gridDimZ = 1,
                              .blockDimX = 1,
                              .blockDimY = 1,
                              .blockDimZ = 1,
                              .hStream = s,
                              .attrs = &a,
                              .numAttrs = 1};
    OK(cuMemsetD32(out, 100, 1));
    OK(cuEventRecord(from, s));
    for (int i = 0; i < 4; i++) OK(cuLaunchKernelEx(&c, f, params, NULL));
    OK(cuEventRecord(to, s));
    OK(cuStreamSynchronize(s));
    OK(cuEventElapsedTime(&ms, from, to));
    OK(cuMemcpyDtoH(&got, out, sizeof got));
    CHECK(got == 104);
    OK(cuStreamDestroy(s));
    return ms;
}
// A chain whose halves overlap takes the launch of the first and five halves, serially four of both.
static void dependents(CUmodule m) {
    const CUfunction f = kernel(m, "depends");
    chain(f, 0);
    const float serial = chain(f, 0), early = chain(f, 1);
    CHECK(early > 0.25f * serial && early < 0.75f * serial);
}

// The event of a launch lets the other stream's kernel begin before the launch ends; both add, one after the other.
static float two_streams(CUfunction f, CUlaunchAttributeID id) {
    CUstream s[2];
    CUevent from, to, told;
    float ms = 0;
    uint32_t got = 0;
    for (int i = 0; i < 2; i++) OK(cuStreamCreate(&s[i], CU_STREAM_NON_BLOCKING));
    OK(cuEventCreate(&from, 0));
    OK(cuEventCreate(&to, 0));
    OK(cuEventCreate(&told, CU_EVENT_DISABLE_TIMING));
    void *params[] = {&out};
    CUlaunchAttribute a = {.id = id};
    if (id == CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT)
        a.value.programmaticEvent.event = told;
    else
        a.value.launchCompletionEvent.event = told;
    CUlaunchConfig c = {.gridDimX = 1,
                        .gridDimY = 1,
                        .gridDimZ = 1,
                        .blockDimX = 1,
                        .blockDimY = 1,
                        .blockDimZ = 1,
                        .hStream = s[0],
                        .attrs = &a,
                        .numAttrs = id != CU_LAUNCH_ATTRIBUTE_IGNORE};
    OK(cuMemsetD32(out, 100, 1));
    OK(cuEventRecord(from, s[0]));
    OK(cuLaunchKernelEx(&c, f, params, NULL));
    if (!c.numAttrs) OK(cuEventRecord(told, s[0]));
    OK(cuStreamWaitEvent(s[1], told, 0));
    OK(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, s[1], params, NULL));
    OK(cuEventRecord(to, s[1]));
    OK(cuCtxSynchronize());
    OK(cuEventElapsedTime(&ms, from, to));
    OK(cuMemcpyDtoH(&got, out, sizeof got));
    CHECK(got == 102);
    a.value.programmaticEvent.event = from; // has a time
    c.numAttrs = 1;
    a.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT;
    IS(cuLaunchKernelEx(&c, f, params, NULL), CUDA_ERROR_INVALID_VALUE);
    return ms;
}
static void events(CUmodule m) {
    const CUfunction f = kernel(m, "depends");
    const float serial = two_streams(f, CU_LAUNCH_ATTRIBUTE_IGNORE);
    CHECK(two_streams(f, CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT) < 0.9f * serial);
    CHECK(two_streams(f, CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT) < 0.9f * serial);
}

int main(void) {
    setenv("WARPWATT_GPU", FATBIN_DIR "/../../../gpus/h100.yaml", 1);
    start();
    OK(cuMemAlloc(&out, 64 * 4));
    OK(cuMemsetD32(out, 99, 64));
    const CUmodule m = load(ptx);
    launches(m);
    of_kernels(m);
    graphs(m);
    occupancy(m);
    dependents(m);
    events(m);
    return 0;
}
