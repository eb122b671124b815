// Modules, globals, functions, every way to launch, occupancy, libraries, linking.
#include "driver_test.h"

static const char saxpy_ptx[] = PTX(
    ".global .align 4 .u32 counter = 7;\n"
    ".global .align 4 .f32 table[4] = {0f3f800000, 0f40000000, 0f40400000, 0f40800000};\n"
    ".const .align 4 .f32 factor = 0f40000000;\n"
    ".visible .entry saxpy(.param .u64 y, .param .u64 x, .param .f32 a, .param .u32 n) {\n"
    "  .reg .pred %p; .reg .u32 %r<6>; .reg .u64 %d<5>; .reg .f32 %f<5>;\n"
    "  ld.param.u64 %d0, [y]; ld.param.u64 %d1, [x]; ld.param.f32 %f0, [a]; ld.param.u32 %r0, "
    "[n];\n"
    "  cvta.to.global.u64 %d0, %d0; cvta.to.global.u64 %d1, %d1;\n"
    "  mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;\n"
    "  mad.lo.u32 %r4, %r1, %r2, %r3;\n"
    "  setp.ge.u32 %p, %r4, %r0; @%p bra done;\n"
    "  mul.wide.u32 %d2, %r4, 4; add.u64 %d3, %d0, %d2; add.u64 %d4, %d1, %d2;\n"
    "  ld.global.f32 %f1, [%d3]; ld.global.f32 %f2, [%d4]; ld.const.f32 %f3, [factor];\n"
    "  mul.f32 %f2, %f2, %f3; fma.rn.f32 %f1, %f0, %f2, %f1; st.global.f32 [%d3], %f1;\n"
    "done: ret;\n}\n"
    ".visible .entry count() {\n"
    "  .reg .u32 %r; atom.global.add.u32 %r, [counter], 1; ret;\n}\n"
    // small parameters before large ones: offsets 0, 8, 16, 17
    ".visible .entry pack(.param .u8 a, .param .u64 out, .param .u8 b, .param .u8 c) {\n"
    "  .reg .u32 %r<4>; .reg .u64 %d;\n"
    "  ld.param.u64 %d, [out]; ld.param.u8 %r0, [a]; ld.param.u8 %r1, [b]; ld.param.u8 %r2, [c];\n"
    "  mad.lo.u32 %r0, %r0, 100, %r1; mad.lo.u32 %r0, %r0, 100, %r2; st.global.u32 [%d], %r0; "
    "ret;\n}\n"
    ".visible .entry shared(.param .u64 out) {\n"
    "  .reg .u32 %r<3>; .reg .u64 %d; .shared .align 4 .b8 room[1024];\n"
    "  ld.param.u64 %d, [out]; mov.u32 %r0, %tid.x; shl.b32 %r1, %r0, 2;\n"
    "  mov.u32 %r2, room; add.u32 %r1, %r1, %r2; st.shared.u32 [%r1], %r0; bar.sync 0;\n"
    "  ld.shared.u32 %r2, [%r1]; st.global.u32 [%d], %r2; ret;\n}\n");

enum { N = 1000 };
static float x[N], y[N];

static void fill_inputs(CUdeviceptr dx, CUdeviceptr dy) {
    for (int i = 0; i < N; i++) {
        x[i] = (float)i;
        y[i] = 1.0f;
    }
    OK(cuMemcpyHtoD(dx, x, sizeof x));
    OK(cuMemcpyHtoD(dy, y, sizeof y));
}
static void check_saxpy(CUdeviceptr dy, float a) {
    OK(cuMemcpyDtoH(y, dy, sizeof y));
    for (int i = 0; i < N; i++) CHECK(y[i] == a * 2 * (float)i + 1.0f);
}

static void launches(CUmodule m) {
    CUfunction f = kernel(m, "saxpy");
    CUdeviceptr dx = alloc(sizeof x), dy = alloc(sizeof y);
    float a = 3;
    unsigned n = N;
    void *params[] = {&dy, &dx, &a, &n};
    fill_inputs(dx, dy);
    OK(run(f, 8, 128, params));
    check_saxpy(dy, a);

    struct {
        CUdeviceptr y, x;
        float a;
        unsigned n;
    } block = {dy, dx, 4, N};
    size_t size = sizeof block;
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &block, CU_LAUNCH_PARAM_BUFFER_SIZE, &size,
                     CU_LAUNCH_PARAM_END};
    fill_inputs(dx, dy);
    OK(cuLaunchKernel(f, 4, 1, 1, 256, 1, 1, 0, NULL, NULL, extra));
    check_saxpy(dy, 4);

    fill_inputs(dx, dy); // the interface before CUDA 4
    OK(cuFuncSetBlockShape(f, 64, 1, 1));
    OK(cuParamSetv(f, 0, &dy, sizeof dy));
    OK(cuParamSetv(f, 8, &dx, sizeof dx));
    OK(cuParamSetf(f, 16, 5));
    OK(cuParamSeti(f, 20, N));
    OK(cuParamSetSize(f, 24));
    OK(cuLaunchGrid(f, 16, 1));
    check_saxpy(dy, 5);

    fill_inputs(dx, dy);
    a = 6;
    CUlaunchConfig config = {.gridDimX = 8,
                             .gridDimY = 1,
                             .gridDimZ = 1,
                             .blockDimX = 128,
                             .blockDimY = 1,
                             .blockDimZ = 1};
    OK(cuLaunchKernelEx(&config, f, params, NULL));
    check_saxpy(dy, 6);

    fill_inputs(dx, dy);
    OK(cuLaunchCooperativeKernel(f, 8, 1, 1, 128, 1, 1, 0, NULL, params));
    check_saxpy(dy, 6);
    OK(cuMemFree(dx));
    OK(cuMemFree(dy));
}

static void refused_launches(CUmodule m) {
    CUfunction f = kernel(m, "saxpy");
    CUdeviceptr p = alloc(4096);
    float a = 1;
    unsigned n = 1;
    void *params[] = {&p, &p, &a, &n};
    struct capture c = capture_begin(2);
    IS(cuLaunchKernel(f, 0, 1, 1, 32, 1, 1, 0, NULL, params, NULL), CUDA_ERROR_INVALID_VALUE);
    const char *said = capture_end(c);
    CHECK(occurrences(said, "\n") == 1); // one sentence
    c = capture_begin(2);
    IS(cuLaunchKernel(f, 1, 1, 1, 0, 1, 1, 0, NULL, params, NULL), CUDA_ERROR_INVALID_VALUE);
    IS(cuLaunchKernel(f, 1, 1, 1, 1025, 1, 1, 0, NULL, params, NULL), CUDA_ERROR_INVALID_VALUE);
    IS(cuLaunchKernel(f, 1, 1, 1, 1, 1, 65, 0, NULL, params, NULL), CUDA_ERROR_INVALID_VALUE);
    IS(cuLaunchKernel(f, 65536, 1, 1, 32, 1, 1, 0, NULL, params, NULL), CUDA_ERROR_INVALID_VALUE);
    IS(cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 1 << 20, NULL, params, NULL), CUDA_ERROR_INVALID_VALUE);
    IS(cuLaunchCooperativeKernel(f, 60000, 1, 1, 1024, 1, 1, 0, NULL, params),
       CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
    said = capture_end(c);
    CHECK(occurrences(said, "\n") == 6);
    IS(cuLaunchKernel(NULL, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL), CUDA_ERROR_INVALID_HANDLE);
    IS(cuLaunchKernel((CUfunction)params, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL),
       CUDA_ERROR_INVALID_HANDLE);
    IS(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, (CUstream)params, params, NULL),
       CUDA_ERROR_INVALID_HANDLE);
    IS(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL), CUDA_ERROR_INVALID_VALUE);
    params[2] = NULL;
    IS(run(f, 1, 1, params), CUDA_ERROR_INVALID_VALUE);
    OK(cuCtxSynchronize()); // none of this is sticky
    OK(cuMemFree(p));
}

static void globals(CUmodule m) {
    CUdeviceptr p;
    size_t bytes;
    unsigned v;
    float four[4], factor;
    OK(cuModuleGetGlobal(&p, &bytes, m, "counter"));
    CHECK(bytes == 4);
    OK(cuMemcpyDtoH(&v, p, 4));
    CHECK(v == 7);
    OK(run(kernel(m, "count"), 3, 50, NULL));
    OK(cuMemcpyDtoH(&v, p, 4));
    CHECK(v == 157);
    OK(cuModuleGetGlobal(&p, &bytes, m, "table"));
    CHECK(bytes == 16);
    OK(cuMemcpyDtoH(four, p, 16));
    for (int i = 0; i < 4; i++) CHECK(four[i] == (float)(i + 1));
    OK(cuModuleGetGlobal(&p, NULL, m, "factor")); // constants can be read and set
    OK(cuMemcpyDtoH(&factor, p, 4));
    CHECK(factor == 2);
    struct capture c = capture_begin(2);
    IS(cuModuleGetGlobal(&p, &bytes, m, "nothing"), CUDA_ERROR_NOT_FOUND);
    CUfunction f;
    IS(cuModuleGetFunction(&f, m, "nothing"), CUDA_ERROR_NOT_FOUND);
    CHECK(!*capture_end(c)); // answers, no errors to speak of
    IS(cuMemFree(p), CUDA_ERROR_INVALID_VALUE);
}

static void small_parameters(CUmodule m) {
    CUfunction f = kernel(m, "pack");
    CUdeviceptr out = alloc(4);
    unsigned char a = 12, b = 34, c = 56;
    unsigned v;
    size_t offset, bytes;
    OK(run(f, 1, 1, (void *[]){&a, &out, &b, &c}));
    OK(cuMemcpyDtoH(&v, out, 4));
    CHECK(v == 123456);
    static const size_t want[][2] = {{0, 1}, {8, 8}, {16, 1}, {17, 1}};
    for (size_t i = 0; i < 4; i++) {
        OK(cuFuncGetParamInfo(f, i, &offset, &bytes));
        CHECK(offset == want[i][0] && bytes == want[i][1]);
    }
    IS(cuFuncGetParamInfo(f, 4, &offset, &bytes), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemFree(out));
}

// The most that CUDA 12.1 allows, read at both ends and in the middle by a computed index.
static void large_parameters(void) {
    static const char *const heads[] = {".version 8.1\n.target sm_70\n",
                                        ".version 8.0\n.target sm_70\n",
                                        ".version 8.1\n.target sm_60\n"};
    static struct {
        CUdeviceptr out;
        uint32_t at, v[8188];
    } p;
    const CUdeviceptr out = alloc(12);
    p.out = out;
    p.at = 5000;
    for (uint32_t i = 0; i < 8188; i++) p.v[i] = scramble(i);
    for (size_t i = 0; i < COUNT(heads); i++) {
        char text[1024];
        snprintf(text, sizeof text,
                 "%s.address_size 64\n"
                 ".visible .entry big(.param .align 8 .b8 p[32764]) {\n"
                 "  .reg .u32 %%r<4>; .reg .u64 %%d<4>;\n"
                 "  ld.param.u64 %%d0, [p]; ld.param.u32 %%r0, [p+8]; mul.wide.u32 %%d1, %%r0, 4;\n"
                 "  mov.u64 %%d2, p; add.u64 %%d2, %%d2, %%d1; ld.param.u32 %%r1, [%%d2+12];\n"
                 "  ld.param.u32 %%r2, [p+12]; ld.param.u32 %%r3, [p+32760];\n"
                 "  st.global.u32 [%%d0], %%r2; st.global.u32 [%%d0+4], %%r1;\n"
                 "  st.global.u32 [%%d0+8], %%r3; ret;\n}\n",
                 heads[i]);
        CUmodule m = load(text);
        CUfunction f = kernel(m, "big");
        OK(cuMemsetD32(out, 0, 3));
        void *params[] = {&p};
        size_t bytes = 32764;
        void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &p, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes,
                         CU_LAUNCH_PARAM_END};
        for (int way = 0; way < 2; way++) {
            const struct capture c = capture_begin(2);
            const CUresult r = cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, way ? NULL : params,
                                              way ? extra : NULL);
            const char *said = capture_end(c);
            uint32_t got[3] = {0};
            OK(cuMemcpyDtoH(got, out, sizeof got));
            if (i) { // a refusal comes with a sentence, once
                IS(r, CUDA_ERROR_INVALID_VALUE);
                CHECK(occurrences(said, "its parameters take 32764 bytes") == !way);
                continue;
            }
            OK(r);
            CHECK(got[0] == scramble(0) && got[1] == scramble(5000) && got[2] == scramble(8187));
            OK(cuMemsetD32(out, 0, 3));
        }
        OK(cuModuleUnload(m));
    }
    OK(cuMemFree(out));
}

static void attributes(CUmodule m) {
    CUfunction f = kernel(m, "shared");
    int v, blocks, grid, block;
    size_t room;
    const char *name;
    CUmodule of;
    OK(cuFuncGetAttribute(&v, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, f));
    CHECK(v >= 1024 && v < 1024 + 256);
    OK(cuFuncGetAttribute(&v, CU_FUNC_ATTRIBUTE_NUM_REGS, f));
    CHECK(v > 0 && v <= 63);
    OK(cuFuncGetAttribute(&v, CU_FUNC_ATTRIBUTE_PTX_VERSION, f));
    CHECK(v == 20); // "virtual architecture version" of the manual: of .target, not of .version
    OK(cuFuncGetAttribute(&v, CU_FUNC_ATTRIBUTE_BINARY_VERSION, f));
    CHECK(v == 20);
    IS(cuFuncGetAttribute(&v, (CUfunction_attribute)99, f), CUDA_ERROR_INVALID_VALUE);
    OK(cuFuncGetName(&name, f));
    CHECK(strcmp(name, "shared") == 0);
    OK(cuFuncGetModule(&of, f));
    CHECK(of == m);
    CHECK(kernel(m, "shared") == f); // the same handle each time
    OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, f, 256, 0));
    CHECK(blocks == 6); // 1536 threads
    OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, f, 256, 20 << 10));
    CHECK(blocks == 2);
    OK(cuOccupancyMaxPotentialBlockSize(&grid, &block, f, NULL, 0, 0));
    CHECK(grid % 15 == 0 && block * (grid / 15) == 1536);
    OK(cuOccupancyAvailableDynamicSMemPerBlock(&room, f, 2, 256));
    CHECK(room > 20 << 10 && room <= 24 << 10);
    OK(cuModuleGetFunctionCount((unsigned *)&v, m));
    CHECK(v == 4);
    CUfunction all[4];
    OK(cuModuleEnumerateFunctions(all, 4, m));
    CHECK(all[3] == f);
}

static void bad_modules(void) {
    CUmodule m;
    char log[512] = "x";
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, (void *)sizeof log};
    struct capture c = capture_begin(2);
    IS(cuModuleLoadDataEx(&m, PTX(".entry f() { nonsense; }"), 2, options, values),
       CUDA_ERROR_INVALID_PTX);
    CHECK(strstr(capture_end(c), "nonsense")); // the line it is in
    CHECK(strstr(log, "nonsense") && strlen(log) == (size_t)values[1]);
    c = capture_begin(2);
    IS(cuModuleLoadData(&m, "\177ELF..."), CUDA_ERROR_NO_BINARY_FOR_GPU);
    IS(cuModuleLoad(&m, FATBIN_DIR "/machine-code.fatbin"), CUDA_ERROR_NO_BINARY_FOR_GPU);
    IS(cuModuleLoad(&m, FATBIN_DIR "/machine-code-packed.fatbin"), CUDA_ERROR_NO_BINARY_FOR_GPU);
    const char *said = capture_end(c);
    CHECK(occurrences(said, "machine code") == 3);
    CHECK(strstr(said, "nvcc -gencode arch=compute_80,code=compute_80"));
    c = capture_begin(2);
    CHECK(cuModuleLoadData(&m, "") != CUDA_SUCCESS);
    IS(cuModuleLoad(&m, "/no/such/file.ptx"), CUDA_ERROR_FILE_NOT_FOUND);
    capture_end(c);
    IS(cuModuleLoadData(&m, NULL), CUDA_ERROR_INVALID_VALUE);
    IS(cuModuleUnload((CUmodule)log), CUDA_ERROR_INVALID_HANDLE);
}

// What nvcc makes: the PTX in it that suits the GPU is found, however it is packed.
static void fat_binaries(void) {
    static const char *const file[] = {FATBIN_DIR "/none.fatbin", FATBIN_DIR "/speed.fatbin",
                                       FATBIN_DIR "/size.fatbin"};
    for (size_t i = 0; i < COUNT(file); i++) {
        CUmodule m;
        CUfunction f;
        CUdeviceptr p;
        int v[4] = {0}, value = 7;
        OK(cuModuleLoad(&m, file[i]));
        OK(cuModuleGetFunction(&f, m, "fill"));
        OK(cuMemAlloc(&p, sizeof v));
        void *params[] = {&p, &value};
        OK(cuLaunchKernel(f, 1, 1, 1, 4, 1, 1, 0, NULL, params, NULL));
        OK(cuMemcpyDtoH(v, p, sizeof v));
        CHECK(v[0] == 7 && v[3] == 7);
        OK(cuMemFree(p));
        OK(cuModuleUnload(m));
    }
}

static void unloading(void) {
    CUmodule m = load(saxpy_ptx);
    CUfunction f = kernel(m, "count");
    OK(run(f, 1, 1, NULL));
    OK(cuModuleUnload(m));
    IS(cuModuleUnload(m), CUDA_ERROR_INVALID_HANDLE);
    IS(run(f, 1, 1, NULL), CUDA_ERROR_INVALID_HANDLE);
}

static void libraries(void) {
    CUlibrary l, of;
    CUkernel k, again, all[4];
    CUfunction f;
    CUmodule m;
    CUdeviceptr p;
    size_t bytes;
    unsigned n;
    const char *name;
    OK(cuLibraryLoadData(&l, saxpy_ptx, NULL, NULL, 0, NULL, NULL, 0));
    OK(cuLibraryGetKernel(&k, l, "count"));
    OK(cuLibraryGetKernel(&again, l, "count"));
    CHECK(k == again);
    IS(cuLibraryGetKernel(&again, l, "nothing"), CUDA_ERROR_NOT_FOUND);
    OK(cuKernelGetFunction(&f, k));
    OK(cuKernelGetName(&name, k));
    CHECK(strcmp(name, "count") == 0);
    OK(cuKernelGetLibrary(&of, k));
    CHECK(of == l);
    OK(run(f, 1, 32, NULL));
    OK(cuLibraryGetGlobal(&p, &bytes, l, "counter"));
    OK(cuMemcpyDtoH(&n, p, 4));
    CHECK(n == 39);
    OK(cuLibraryGetKernelCount(&n, l));
    CHECK(n == 4);
    OK(cuLibraryEnumerateKernels(all, 4, l));
    CHECK(all[1] == k);
    OK(cuLibraryGetModule(&m, l));
    CHECK(kernel(m, "count") == f);
    OK(cuLibraryUnload(l));
    IS(cuLibraryUnload(l), CUDA_ERROR_INVALID_HANDLE);
    IS(cuKernelGetFunction(&f, k), CUDA_ERROR_INVALID_HANDLE);
}

static void linking(void) {
    CUlinkState s;
    CUmodule m;
    void *image;
    size_t size;
    OK(cuLinkCreate(0, NULL, NULL, &s));
    IS(cuLinkComplete(s, &image, &size), CUDA_ERROR_INVALID_VALUE); // nothing added
    OK(cuLinkAddData(s, CU_JIT_INPUT_PTX, (void *)saxpy_ptx, sizeof saxpy_ptx, "saxpy", 0, NULL,
                     NULL));
    struct capture c = capture_begin(2);
    IS(cuLinkAddData(s, CU_JIT_INPUT_CUBIN, (void *)saxpy_ptx, 8, "b", 0, NULL, NULL),
       CUDA_ERROR_NO_BINARY_FOR_GPU);
    capture_end(c);
    OK(cuLinkComplete(s, &image, &size));
    OK(cuModuleLoadData(&m, image));
    OK(cuModuleUnload(m));
    // a second unit calls what a third defines
    static const char caller[] =
        PTX(".extern .func (.reg .u32 r) seven();\n"
            ".entry call7(.param .u64 p) { .reg .u32 a; .reg .u64 d;\n"
            "ld.param.u64 d, [p]; call (a), seven; st.global.u32 [d], a; ret; }"),
                      callee[] = PTX(".visible .func (.reg .u32 r) seven() { mov.u32 r, 7; ret; }");
    OK(cuLinkAddData(s, CU_JIT_INPUT_PTX, (void *)caller, sizeof caller, "a", 0, NULL, NULL));
    OK(cuLinkAddData(s, CU_JIT_INPUT_PTX, (void *)callee, sizeof callee, "b", 0, NULL, NULL));
    OK(cuLinkComplete(s, &image, &size));
    CHECK(strlen(image) + 1 == size);
    OK(cuModuleLoadData(&m, image));
    CUfunction call7;
    CUdeviceptr p7;
    unsigned seven = 0;
    OK(cuModuleGetFunction(&call7, m, "call7"));
    OK(cuMemAlloc(&p7, 4));
    void *p7s[] = {&p7};
    OK(cuLaunchKernel(call7, 1, 1, 1, 1, 1, 1, 0, NULL, p7s, NULL));
    OK(cuMemcpyDtoH(&seven, p7, 4));
    CHECK(seven == 7);
    OK(cuMemFree(p7));
    OK(cuLinkDestroy(s));
    IS(cuLinkDestroy(s), CUDA_ERROR_INVALID_HANDLE);
    OK(run(kernel(m, "count"), 1, 1, NULL));
    OK(cuModuleUnload(m));
}

// A grid that waits for itself through the calls in which the device runtime ends: each thread of eight blocks reads, three times
// in turn, what another block's thread has left in the row before.
static void grid_waits(void) {
    enum { BLOCKS = 8, THREADS = 64, CELLS = BLOCKS * THREADS, ROWS = 4 };
    static const char waits[] = PTX(
        ".extern .func (.param .b64 r) __cuda_syscall_CGS_get_intrinsic_handle(.param .b32 a);\n"
        ".extern .func (.param .b32 r) __cuda_syscall_CGS_sync(.param .b64 a, .param .b32 b);\n"
        ".visible .entry rows(.param .u64 p) {\n"
        ".reg .b32 %r<9>;\n.reg .b64 %d<5>;\n.reg .pred %q;\n"
        "{ .param .b32 one; .param .b64 grid; st.param.b32 [one], 1;\n"
        "call.uni (grid), __cuda_syscall_CGS_get_intrinsic_handle, (one);\n"
        "ld.param.b64 %d0, [grid]; }\n"
        "ld.param.u64 %d1, [p];\nmov.u32 %r0, %ctaid.x;\nmov.u32 %r1, %tid.x;\n"
        "mad.lo.u32 %r0, %r0, 64, %r1;\nsub.u32 %r1, 511, %r0;\nmov.u32 %r2, 1;\n"
        "next:\n"
        "mad.lo.u32 %r3, %r2, 512, %r0;\nmad.lo.u32 %r4, %r2, 512, %r1;\nsub.u32 %r4, %r4, 512;\n"
        "mul.wide.u32 %d2, %r3, 4;\nadd.u64 %d2, %d2, %d1;\n"
        "mul.wide.u32 %d3, %r4, 4;\nadd.u64 %d3, %d3, %d1;\n"
        "ld.volatile.global.u32 %r5, [%d3];\nadd.u32 %r5, %r5, 1;\nst.global.u32 [%d2], %r5;\n"
        "{ .param .b64 grid; .param .b32 flags; .param .b32 error;\n"
        "st.param.b64 [grid], %d0; st.param.b32 [flags], 0;\n"
        "call.uni (error), __cuda_syscall_CGS_sync, (grid, flags);\nld.param.b32 %r6, [error]; }\n"
        "add.u32 %r2, %r2, 1;\nadd.u32 %r2, %r2, %r6;\n"
        "setp.lt.u32 %q, %r2, 4;\n@%q bra next;\nret;\n}\n");
    static const char other[] = PTX(".visible .func nothing() { ret; }\n");
    static unsigned rows[ROWS][CELLS];
    CUlinkState s;
    CUmodule m;
    void *image;
    size_t size;
    OK(cuLinkCreate(0, NULL, NULL, &s));
    OK(cuLinkAddData(s, CU_JIT_INPUT_PTX, (void *)waits, sizeof waits, "waits", 0, NULL, NULL));
    OK(cuLinkAddData(s, CU_JIT_INPUT_PTX, (void *)other, sizeof other, "other", 0, NULL, NULL));
    OK(cuLinkComplete(s, &image, &size));
    OK(cuModuleLoadData(&m, image));
    OK(cuLinkDestroy(s));
    CUdeviceptr p = alloc(sizeof rows);
    for (unsigned i = 0; i < CELLS; i++) rows[0][i] = 1000 * i;
    OK(cuMemcpyHtoD(p, rows, sizeof rows));
    void *params[] = {&p};
    OK(cuLaunchCooperativeKernel(kernel(m, "rows"), BLOCKS, 1, 1, THREADS, 1, 1, 0, NULL, params));
    OK(cuMemcpyDtoH(rows, p, sizeof rows));
    for (unsigned k = 1; k < ROWS; k++)
        for (unsigned i = 0; i < CELLS; i++)
            CHECK(rows[k][i] == 1000 * (k % 2 ? CELLS - 1 - i : i) + k);
    OK(cuMemFree(p));
    OK(cuModuleUnload(m));
}

int main(void) {
    CUcontext c = start();
    grid_waits();
    CUmodule m = load(saxpy_ptx);
    launches(m);
    refused_launches(m);
    globals(m);
    small_parameters(m);
    large_parameters();
    attributes(m);
    bad_modules();
    fat_binaries();
    unloading();
    libraries();
    linking();
    OK(cuModuleUnload(m));
    OK(cuCtxDestroy(c));
    return 0;
}
