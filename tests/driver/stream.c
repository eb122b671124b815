// Streams, events, simulated times, host functions in order.
#include "append.h"

static void put(CUstream s, unsigned tag, unsigned spin) {
    OK(cuLaunchKernel(append, 1, 1, 1, 32, 1, 1, 0, s, (void *[]){&list, &tag, &spin}, NULL));
}
static CUstream stream(unsigned flags) {
    CUstream s;
    OK(cuStreamCreate(&s, flags));
    return s;
}
static CUevent event(void) {
    CUevent e;
    OK(cuEventCreate(&e, 0));
    return e;
}
static float between(CUevent a, CUevent b) {
    float ms;
    OK(cuEventElapsedTime(&ms, a, b));
    return ms;
}

static void in_order(void) {
    CUstream s = stream(CU_STREAM_NON_BLOCKING);
    clear();
    put(s, 1, 3000);
    put(s, 2, 10);
    put(s, 3, 0);
    OK(cuStreamSynchronize(s));
    expect(3, (unsigned[]){1, 2, 3});
    uint32_t *copy;
    OK(cuMemAllocHost((void **)&copy, 8));
    OK(cuMemsetD32Async(list, 0, 64, s)); // fills, kernels and copies of a stream
    put(s, 9, 100);
    OK(cuMemcpyDtoHAsync(copy, list, 8, s));
    OK(cuMemsetD32Async(list, 5, 2, s));
    OK(cuStreamSynchronize(s));
    CHECK(copy[0] == 1 && copy[1] == 9);
    OK(cuMemFreeHost(copy));
    OK(cuStreamDestroy(s));
}

static void side_by_side(void) {
    CUstream a = stream(CU_STREAM_NON_BLOCKING), b = stream(CU_STREAM_NON_BLOCKING);
    clear();
    put(a, 1, 4000);
    put(b, 2, 10); // overtakes
    OK(cuCtxSynchronize());
    expect(2, (unsigned[]){2, 1});

    clear(); // unless it must wait
    CUevent e = event();
    put(a, 1, 4000);
    OK(cuEventRecord(e, a));
    OK(cuStreamWaitEvent(b, e, 0));
    put(b, 2, 10);
    OK(cuStreamSynchronize(b));
    expect(2, (unsigned[]){1, 2});

    CUstream c = stream(CU_STREAM_DEFAULT); // waits for the default stream, and it for this
    clear();
    put(c, 1, 4000);
    put(NULL, 2, 2000);
    put(c, 3, 10);
    OK(cuCtxSynchronize());
    expect(3, (unsigned[]){1, 2, 3});
    OK(cuEventDestroy(e));
    OK(cuStreamDestroy(a));
    OK(cuStreamDestroy(b));
    OK(cuStreamDestroy(c));
}

static void times(void) {
    CUevent a = event(), b = event(), c = event(), never = event();
    CUstream s = stream(CU_STREAM_NON_BLOCKING);
    float ms;
    clear();
    OK(cuEventRecord(a, s));
    put(s, 1, 1000);
    OK(cuEventRecord(b, s));
    put(s, 2, 10000);
    OK(cuEventRecord(c, s));
    OK(cuEventSynchronize(c));
    const float one = between(a, b), ten = between(b, c);
    CHECK(one > 0 && ten > 5 * one && ten < 11 * one);
    CHECK(fabsf(between(a, c) - one - ten) < 1e-4f * ten);
    CHECK(fabsf(between(c, a) + between(a, c)) < 1e-6f);
    usleep(20000); // host time is no simulated time
    OK(cuEventRecord(a, s));
    OK(cuEventRecord(b, s));
    OK(cuEventSynchronize(b));
    CHECK(between(a, b) < 1e-3f);
    // a copy over the link takes what its bytes take
    static char host[1 << 20];
    CUdeviceptr d = alloc(sizeof host);
    OK(cuEventRecord(a, s));
    OK(cuMemcpyHtoDAsync(d, host, sizeof host, s));
    OK(cuEventRecord(b, s));
    OK(cuEventSynchronize(b));
    CHECK(between(a, b) > 0.05f && between(a, b) < 2); // 0.5 to 20 GB/s
    OK(cuMemFree(d));

    IS(cuEventElapsedTime(&ms, a, never), CUDA_ERROR_INVALID_HANDLE);
    OK(cuEventQuery(never));
    OK(cuEventSynchronize(never));
    CUevent untimed;
    OK(cuEventCreate(&untimed, CU_EVENT_DISABLE_TIMING));
    OK(cuEventRecord(untimed, s));
    IS(cuEventElapsedTime(&ms, a, untimed), CUDA_ERROR_INVALID_HANDLE);
    IS(cuEventElapsedTime(NULL, a, b), CUDA_ERROR_INVALID_VALUE);
    IS(cuEventElapsedTime(&ms, NULL, b), CUDA_ERROR_INVALID_HANDLE);
    CUevent all[] = {a, b, c, never, untimed};
    for (size_t i = 0; i < COUNT(all); i++) OK(cuEventDestroy(all[i]));
    IS(cuEventDestroy(a), CUDA_ERROR_INVALID_HANDLE);
    IS(cuEventRecord(a, s), CUDA_ERROR_INVALID_HANDLE);
    OK(cuStreamDestroy(s));
}

// Questions do not wait, but time goes on with each.
static void polling(void) {
    CUstream s = stream(CU_STREAM_NON_BLOCKING);
    CUevent e = event();
    clear();
    put(s, 1, 100000);
    OK(cuEventRecord(e, s));
    IS(cuStreamQuery(s), CUDA_ERROR_NOT_READY);
    unsigned n = 0;
    while (cuEventQuery(e) == CUDA_ERROR_NOT_READY) CHECK(++n < 1000);
    CHECK(n > 2);
    OK(cuStreamQuery(s));
    OK(cuEventDestroy(e));
    OK(cuStreamDestroy(s));
}

// The same program takes the same time, to the bit, however often.
static void repeatable(void) {
    float first[2] = {0};
    for (int round = 0; round < 3; round++) {
        CUevent a = event(), b = event();
        OK(cuEventRecord(a, NULL));
        for (unsigned i = 0; i < 4; i++) put(NULL, i, 500);
        OK(cuEventRecord(b, NULL));
        OK(cuEventSynchronize(b));
        if (round == 1) first[0] = between(a, b); // caches are warm from here on
        if (round == 2) CHECK(fabsf(between(a, b) - first[0]) < 0.02f * first[0]);
        OK(cuEventDestroy(a));
        OK(cuEventDestroy(b));
        clear();
    }
}

static unsigned calls[8], n_calls;
static CUresult inside;
static void note(void *user) {
    CUdeviceptr p;
    calls[n_calls++] = *(unsigned *)user;
    inside = cuMemAlloc(&p, 4);
}
static void note_stream(CUstream s, CUresult status, void *user) {
    CHECK(status == CUDA_SUCCESS && s);
    OK(cuMemcpyDtoH(got, 0, 0) == CUDA_ERROR_NOT_PERMITTED ? CUDA_SUCCESS : CUDA_ERROR_UNKNOWN);
    calls[n_calls++] = *(unsigned *)user;
}

static void host_functions(void) {
    CUstream s = stream(CU_STREAM_NON_BLOCKING);
    static unsigned tags[] = {10, 11, 12};
    clear();
    put(s, 1, 1000);
    OK(cuLaunchHostFunc(s, note, &tags[0]));
    put(s, 2, 10);
    OK(cuStreamAddCallback(s, note_stream, &tags[1], 0));
    OK(cuLaunchHostFunc(s, note, &tags[2]));
    CHECK(n_calls == 0);
    OK(cuStreamSynchronize(s));
    CHECK(n_calls == 3);
    for (unsigned i = 0; i < 3; i++) CHECK(calls[i] == tags[i]);
    IS(inside, CUDA_ERROR_NOT_PERMITTED);
    IS(cuLaunchHostFunc(s, NULL, NULL), CUDA_ERROR_INVALID_VALUE);
    OK(cuStreamDestroy(s));
    IS(cuLaunchHostFunc(s, note, NULL), CUDA_ERROR_INVALID_HANDLE);
}

static void properties(void) {
    CUstream s;
    unsigned flags;
    int priority, least, greatest;
    unsigned long long id, other;
    CUcontext c, current;
    CUdevice d;
    CUstreamAttrValue v = {.syncPolicy = CU_SYNC_POLICY_SPIN};
    CUstreamCaptureStatus capturing;
    OK(cuCtxGetStreamPriorityRange(&least, &greatest));
    OK(cuStreamCreateWithPriority(&s, CU_STREAM_NON_BLOCKING, greatest));
    OK(cuStreamGetFlags(s, &flags));
    CHECK(flags == CU_STREAM_NON_BLOCKING);
    OK(cuStreamGetPriority(s, &priority));
    CHECK(priority == greatest);
    OK(cuStreamGetId(s, &id));
    OK(cuStreamGetId(NULL, &other));
    CHECK(id != other);
    OK(cuStreamGetCtx(s, &c));
    OK(cuCtxGetCurrent(&current));
    CHECK(c == current);
    OK(cuStreamGetDevice(s, &d));
    CHECK(d == 0);
    OK(cuStreamSetAttribute(s, CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY, &v));
    memset(&v, 0, sizeof v);
    OK(cuStreamGetAttribute(s, CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY, &v));
    CHECK(v.syncPolicy == CU_SYNC_POLICY_SPIN);
    IS(cuStreamGetAttribute(s, CU_LAUNCH_ATTRIBUTE_COOPERATIVE, &v), CUDA_ERROR_INVALID_VALUE);
    OK(cuStreamIsCapturing(s, &capturing));
    CHECK(capturing == CU_STREAM_CAPTURE_STATUS_NONE);
    OK(cuStreamQuery(s));
    OK(cuStreamQuery(CU_STREAM_LEGACY));
    OK(cuStreamSynchronize(CU_STREAM_PER_THREAD));
    IS(cuStreamDestroy(NULL), CUDA_ERROR_INVALID_HANDLE);
    OK(cuStreamDestroy(s));
    IS(cuStreamDestroy(s), CUDA_ERROR_INVALID_HANDLE);
    IS(cuStreamQuery(s), CUDA_ERROR_INVALID_HANDLE);
    IS(cuStreamCreate(&s, 7), CUDA_ERROR_INVALID_VALUE);
    IS(cuStreamCreate(NULL, 0), CUDA_ERROR_INVALID_VALUE);
}

int main(void) {
    CUcontext c = start();
    append_start();
    in_order();
    side_by_side();
    times();
    polling();
    repeatable();
    host_functions();
    properties();
    OK(cuCtxDestroy(c));
    return 0;
}
