// Many host threads in the API at once: each with memory, a stream, launches, results of its own;
// and threads that share a context's handles.
#include "driver_test.h"

#include <pthread.h>

static const char ptx[] =
    PTX(".visible .entry scale(.param .u64 p, .param .u32 by) {\n"
        "  .reg .u32 %r<5>; .reg .u64 %d<3>;\n"
        "  ld.param.u64 %d0, [p]; ld.param.u32 %r4, [by];\n"
        "  mov.u32 %r0, %ctaid.x; mov.u32 %r1, %ntid.x; mov.u32 %r2, %tid.x;\n"
        "  mad.lo.u32 %r0, %r0, %r1, %r2; mul.wide.u32 %d1, %r0, 4; add.u64 %d1, %d0, %d1;\n"
        "  ld.global.u32 %r3, [%d1]; mul.lo.u32 %r3, %r3, %r4; st.global.u32 [%d1], %r3; ret;\n}\n"
        ".visible .entry count(.param .u64 p) {\n"
        "  .reg .u32 %r; .reg .u64 %d; ld.param.u64 %d, [p]; atom.global.add.u32 %r, [%d], 1; "
        "ret;\n}\n");

enum { THREADS = 8, ROUNDS = 20, N = 256 };
static CUcontext shared_context;
static CUmodule shared_module;
static CUdeviceptr counter;

static void *alone(void *number) {
    const uint32_t by = 3 + (uint32_t)(uintptr_t)number;
    CUcontext c;
    OK(cuCtxCreate(&c, 0, 0));
    CUfunction f = kernel(load(ptx), "scale");
    for (int round = 0; round < ROUNDS; round++) {
        uint32_t host[N];
        CUstream s;
        CUdeviceptr p = alloc(sizeof host);
        OK(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
        for (uint32_t i = 0; i < N; i++) host[i] = i;
        OK(cuMemcpyHtoDAsync(p, host, sizeof host, s));
        OK(cuLaunchKernel(f, N / 64, 1, 1, 64, 1, 1, 0, s, (void *[]){&p, (void *)&by}, NULL));
        OK(cuMemcpyDtoHAsync(host, p, sizeof host, s));
        OK(cuStreamSynchronize(s));
        for (uint32_t i = 0; i < N; i++) CHECK(host[i] == i * by);
        OK(cuStreamDestroy(s));
        OK(cuMemFree(p));
    }
    OK(cuCtxDestroy(c));
    return NULL;
}

static void *together(void *unused) {
    (void)unused;
    OK(cuCtxSetCurrent(shared_context));
    CUfunction f = kernel(shared_module, "count"); // one handle for all
    for (int round = 0; round < ROUNDS; round++) OK(run(f, 2, 32, (void *[]){&counter}));
    OK(cuCtxSynchronize());
    return NULL;
}

static void spawn(void *(*body)(void *)) {
    pthread_t t[THREADS];
    for (uintptr_t i = 0; i < THREADS; i++)
        CHECK(pthread_create(&t[i], NULL, body, (void *)i) == 0);
    for (int i = 0; i < THREADS; i++) CHECK(pthread_join(t[i], NULL) == 0);
}

int main(void) {
    shared_context = start();
    shared_module = load(ptx);
    counter = alloc(4);
    OK(cuMemsetD32(counter, 0, 1));
    spawn(alone);
    spawn(together);
    uint32_t n;
    OK(cuMemcpyDtoH(&n, counter, 4));
    CHECK(n == THREADS * ROUNDS * 64);
    OK(cuCtxDestroy(shared_context));
    return 0;
}
