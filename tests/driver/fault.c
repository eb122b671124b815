// What kernels do wrong: error codes, one sentence each, sticky until the context ends. Printed
// text.
#include "driver_test.h"

static const char ptx[] = PTX(
    ".extern .func __assertfail(.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d, .param "
    ".b64 e);\n"
    ".extern .func (.param .b32 r) vprintf(.param .b64 format, .param .b64 args);\n"
    ".global .align 1 .b8 word[8] = {120, 32, 62, 32, 48, 0, 0, 0};\n" // "x > 0"
    ".global .align 1 .b8 format[20] = "
    "{116,104,114,101,97,100,32,37,100,32,115,97,121,115,32,37,115,10,0,0};\n"
    ".visible .entry store(.param .u64 p) {\n"
    "  .reg .u64 %d; .reg .u32 %r; ld.param.u64 %d, [p]; mov.u32 %r, 1; st.global.u32 [%d], %r; "
    "ret;\n}\n"
    ".visible .entry load(.param .u64 p) {\n"
    "  .reg .u64 %d; .reg .u32 %r; ld.param.u64 %d, [p]; ld.global.u32 %r, [%d]; st.global.u32 "
    "[%d+4], %r; ret;\n}\n"
    ".visible .entry atom(.param .u64 p) {\n"
    "  .reg .u64 %d; .reg .u32 %r; ld.param.u64 %d, [p]; atom.global.add.u32 %r, [%d], 1; ret;\n}\n"
    ".visible .entry shared(.param .u32 at) {\n"
    "  .shared .align 4 .b8 room[64]; .reg .u32 %r<3>; ld.param.u32 %r0, [at]; mov.u32 %r1, room;\n"
    "  add.u32 %r0, %r0, %r1; st.shared.u32 [%r0], %r1; ret;\n}\n"
    ".visible .entry stop() { trap; }\n"
    ".visible .entry check(.param .u64 unused) {\n"
    "  .reg .u64 %d; .param .b64 a; .param .b64 b; .param .b32 c; .param .b64 d; .param .b64 e;\n"
    "  mov.u64 %d, word; cvta.global.u64 %d, %d;\n"
    "  st.param.b64 [a], %d; st.param.b64 [b], %d; st.param.b32 [c], 42; st.param.b64 [d], %d; "
    "st.param.b64 [e], 1;\n"
    "  call.uni __assertfail, (a, b, c, d, e); ret;\n}\n"
    ".visible .entry spin() {\n  again: bra again;\n}\n"
    ".visible .entry print() {\n"
    "  .local .align 8 .b8 room[16]; .reg .u64 %d<5>; .reg .u32 %r<3>;\n"
    "  .param .b64 f; .param .b64 a; .param .b32 r;\n"
    "  mov.u64 %d0, room; cvta.local.u64 %d1, %d0; mov.u32 %r0, %tid.x;\n"
    "  mov.u64 %d2, word; cvta.global.u64 %d2, %d2; st.local.u32 [%d0], %r0; st.local.u64 [%d0+8], "
    "%d2;\n"
    "  mov.u64 %d3, format; cvta.global.u64 %d3, %d3;\n"
    "  st.param.b64 [f], %d3; st.param.b64 [a], %d1; call.uni (r), vprintf, (f, a); ret;\n}\n");

static CUcontext context;
static CUmodule module;

static void begin(void) {
    OK(cuCtxCreate(&context, 0, 0));
    module = load(ptx);
}

// One fault: its code, at the call that waits; then at every call of the context; gone with it.
static void faults(const char *name, uint64_t argument, CUresult code, const char *word) {
    begin();
    CUdeviceptr p = alloc(4), q;
    size_t bytes;
    CUstream s;
    CUfunction f = kernel(module, name);
    OK(cuStreamCreate(&s, 0));
    if (argument == 1) argument = p + 1;
    if (argument == 4) argument = p + 4;
    OK(run(f, 2, 32, (void *[]){&argument}));
    struct capture c = capture_begin(2);
    const CUresult first = cuCtxSynchronize();
    const char *said = capture_end(c);
    if (first != code || !strstr(said, name) || !strstr(said, word))
        printf("%s said: %s\n", name, said);
    IS(first, code);
    CHECK(strstr(said, name) && strstr(said, word)); // names the kernel and what is wrong
    c = capture_begin(2);
    IS(cuMemAlloc(&q, 4), code);
    IS(cuMemFree(p), code);
    IS(cuStreamSynchronize(s), code);
    IS(cuStreamDestroy(s), code);
    IS(cuModuleUnload(module), code);
    IS(run(f, 1, 1, (void *[]){&argument}), code);
    IS(cuCtxSynchronize(), code);
    CHECK(!*capture_end(c)); // said once
    OK(cuCtxDestroy(context));
    begin(); // and all is well again
    CUdeviceptr r = alloc(4);
    OK(run(kernel(module, "store"), 1, 1, (void *[]){&r}));
    OK(cuMemcpyDtoH(&bytes, r, 4));
    CHECK((unsigned)bytes == 1);
    OK(cuCtxDestroy(context));
}

// Recursion runs out of the stack that there is, and not of a larger one.
static void deep_calls(void) {
    static const char recursive[] =
        PTX(".visible .func (.param .u32 r) sum(.param .u32 n);\n"
            ".visible .func (.param .u32 r) sum(.param .u32 n) {\n"
            "  .reg .pred %p; .reg .u32 %a<4>; .param .u32 in; .param .u32 out;\n"
            "  ld.param.u32 %a0, [n]; setp.eq.u32 %p, %a0, 0; mov.u32 %a2, 0; @%p bra done;\n"
            "  sub.u32 %a1, %a0, 1; st.param.u32 [in], %a1; call (out), sum, (in); ld.param.u32 "
            "%a2, [out];\n"
            "  add.u32 %a2, %a2, %a0;\n"
            "done: st.param.u32 [r], %a2; ret;\n}\n"
            ".visible .entry deep(.param .u64 p, .param .u32 n) {\n"
            "  .reg .u32 %a<2>; .reg .u64 %d; .param .u32 in; .param .u32 out;\n"
            "  ld.param.u32 %a0, [n]; st.param.u32 [in], %a0; call (out), sum, (in); ld.param.u32 "
            "%a1, [out];\n"
            "  ld.param.u64 %d, [p]; st.global.u32 [%d], %a1; ret;\n}\n");
    unsigned n = 200, v = 0;
    for (int large = 0; large < 2; large++) {
        OK(cuCtxCreate(&context, 0, 0));
        module = load(recursive);
        CUdeviceptr p = alloc(4);
        CUfunction f = kernel(module, "deep");
        if (large) OK(cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 64 << 10));
        OK(run(f, 1, 32, (void *[]){&p, &n}));
        struct capture c = capture_begin(2);
        const CUresult r = cuCtxSynchronize();
        CHECK(large || strstr(capture_end(c), "stack"));
        if (large) capture_end(c);
        IS(r, large ? CUDA_SUCCESS : CUDA_ERROR_HARDWARE_STACK_ERROR);
        if (large) OK(cuMemcpyDtoH(&v, p, 4));
        OK(cuCtxDestroy(context));
    }
    CHECK(v == 200 * 201 / 2);
}

// With the primary context, a reset mends.
static void reset(void) {
    CUcontext c;
    uint64_t bad = 64;
    OK(cuDevicePrimaryCtxRetain(&c, 0));
    OK(cuCtxSetCurrent(c));
    module = load(ptx);
    OK(run(kernel(module, "store"), 1, 1, (void *[]){&bad}));
    struct capture say = capture_begin(2);
    IS(cuStreamQuery(NULL), CUDA_ERROR_ILLEGAL_ADDRESS);
    IS(cuModuleUnload(module), CUDA_ERROR_ILLEGAL_ADDRESS);
    capture_end(say);
    OK(cuDevicePrimaryCtxReset(0));
    IS(cuModuleUnload(module), CUDA_ERROR_INVALID_HANDLE); // went with what the context had
    OK(cuCtxSynchronize());
    OK(cuDevicePrimaryCtxRelease(0));
    OK(cuCtxSetCurrent(NULL));
}

static void printing(void) {
    begin();
    struct capture c = capture_begin(1);
    OK(run(kernel(module, "print"), 1, 3, NULL));
    OK(cuCtxSynchronize());
    const char *said = capture_end(c);
    if (strcmp(said, "thread 0 says x > 0\nthread 1 says x > 0\nthread 2 says x > 0\n") != 0)
        printf("said: %s\n", said);
    CHECK(strcmp(said, "thread 0 says x > 0\nthread 1 says x > 0\nthread 2 says x > 0\n") == 0);
    OK(cuCtxDestroy(context));
}

int main(void) {
    setenv("WARPWATT_MAX_CYCLES", "1000000", 1);
    OK(cuInit(0));
    faults("store", 64, CUDA_ERROR_ILLEGAL_ADDRESS, "0x40");
    faults("store", 4, CUDA_ERROR_ILLEGAL_ADDRESS, "store");
    faults("load", 0, CUDA_ERROR_ILLEGAL_ADDRESS, "load");
    faults("atom", 64, CUDA_ERROR_ILLEGAL_ADDRESS, "0x40");
    faults("store", 1, CUDA_ERROR_MISALIGNED_ADDRESS, "multiple of 4");
    faults("shared", 1 << 20, CUDA_ERROR_ILLEGAL_ADDRESS, "shared");
    faults("stop", 0, CUDA_ERROR_LAUNCH_FAILED, "trap");
    faults("check", 0, CUDA_ERROR_ASSERT, "x > 0");
    faults("spin", 0, CUDA_ERROR_LAUNCH_TIMEOUT, "spin");
    deep_calls();
    reset();
    printing();
    return 0;
}
