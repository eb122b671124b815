// Shared memory of a block by board: what one may have without asking, what at most, and what each
// call answers beyond it (a launch, the attributes, occupancy), with one sentence for a person. A
// child for each board, since a process has one GPU.
//
// Up to capability 4 a block may have all of an SM's, from 5.0 on 48 KB, from 7.0 on more for
// kernels that ask (CUDA C++ Programming Guide 12.3, technical specifications). What occupancy
// counts: cuda_occupancy.h of CUDA 13.
#include "driver_test.h"
#include <sys/wait.h>

static const char ptx[] =
    PTX(".extern .shared .align 4 .b8 room[];\n"
        ".visible .entry touch(.param .u32 at) {\n"
        "  .reg .u32 %r<3>; ld.param.u32 %r0, [at]; mov.u32 %r1, room;\n"
        "  add.u32 %r0, %r0, %r1; st.shared.u32 [%r0], %r1; ret;\n}\n"
        ".visible .entry both(.param .u32 at) {\n" // 8 KB of its own
        "  .shared .align 4 .b8 own[8192];\n"
        "  .reg .u32 %r<3>; ld.param.u32 %r0, [at]; mov.u32 %r1, room;\n"
        "  add.u32 %r0, %r0, %r1; st.shared.u32 [%r0], %r1; mov.u32 %r2, own;\n"
        "  st.shared.u32 [%r2], %r1; ret;\n}\n"
        ".visible .entry large() {\n" // 60 KB of its own: more than any kernel declares
        "  .shared .align 4 .b8 own[61440];\n"
        "  .reg .u32 %r; mov.u32 %r, own; st.shared.u32 [%r], %r; ret;\n}\n");

static const struct board {
    const char *name;
    int usual, most, an_sm, threads;
} boards[] = {
    {"gtx480", 49152, 49152, 49152, 1024},        {"gtx780", 49152, 49152, 49152, 1024},
    {"titanx-pascal", 49152, 49152, 98304, 1024}, {"rtx2060s", 49152, 65536, 65536, 1024},
    {"v100", 49152, 98304, 98304, 1024},
};

#define DYNAMIC   CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
#define CARVE_OUT CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT

static CUresult touch(CUfunction f, int bytes) {
    uint32_t at = bytes >= 4 ? (uint32_t)bytes - 4 : 0;
    void *params[] = {&at};
    const CUresult r = cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, (unsigned)bytes, NULL, params, NULL);
    return r != CUDA_SUCCESS ? r : cuCtxSynchronize();
}

static int asked(CUfunction f, CUfunction_attribute a) {
    int value = -2;
    OK(cuFuncGetAttribute(&value, a, f));
    return value;
}

static int blocks(CUfunction f, int threads, size_t bytes) {
    int n = -1;
    OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&n, f, threads, bytes));
    return n;
}

static void says(struct capture c, const char *sentence, const char *board) {
    const char *const text = capture_end(c);
    if (strstr(text, sentence)) return;
    printf("%s: `%s` is not in: %s\n", board, sentence, text);
    fflush(stdout);
    _exit(1);
}

static size_t all_there_is(int threads) { return threads ? 1 << 20 : 0; }

// Launches and what a kernel may ask for.
static void launches(const struct board *b, CUfunction f, int own) {
    char sentence[160];
    const int usual = b->usual - own, most = b->most - own;
    CHECK(asked(f, DYNAMIC) == usual);
    OK(touch(f, usual));
    struct capture c = capture_begin(2);
    IS(touch(f, usual + 4), CUDA_ERROR_INVALID_VALUE);
    if (most > usual)
        snprintf(sentence, sizeof sentence,
                 "%d bytes of dynamic shared memory, which the kernel must ask for first",
                 usual + 4);
    else
        snprintf(sentence, sizeof sentence, "a block needs %d bytes of shared memory; %s has %d",
                 b->most + 4, b->name, b->most);
    says(c, sentence, b->name);
    c = capture_begin(2);
    IS(cuFuncSetAttribute(f, DYNAMIC, most + 8), CUDA_ERROR_INVALID_VALUE);
    snprintf(sentence, sizeof sentence, "a block needs %d bytes of shared memory; %s has %d",
             b->most + 8, b->name, b->most);
    says(c, sentence, b->name);
    CHECK(asked(f, DYNAMIC) == usual); // what was refused changes nothing
    OK(cuFuncSetAttribute(f, DYNAMIC, most));
    CHECK(asked(f, DYNAMIC) == most);
    OK(touch(f, most));
    IS(touch(f, most + 4), CUDA_ERROR_INVALID_VALUE);
    IS(touch(f, INT32_MAX), CUDA_ERROR_INVALID_VALUE);
    OK(touch(f, 4));                          // the launches that were refused left nothing behind
    OK(cuFuncSetAttribute(f, DYNAMIC, 1024)); // less than usual is a limit too
    CHECK(asked(f, DYNAMIC) == 1024);
    OK(touch(f, 1024));
    IS(touch(f, 1028), CUDA_ERROR_INVALID_VALUE);
    CHECK(blocks(f, 32, 1024) > 0 && blocks(f, 32, 1028) == 0);
}

static void occupancy(const struct board *b, CUfunction f) {
    size_t bytes;
    int grid, threads;
    CHECK(blocks(f, 64, (size_t)b->usual) >= 1 && blocks(f, 64, (size_t)b->usual + 4) == 0);
    CHECK(blocks(f, 64, (size_t)1 << 33) == 0);
    CHECK(blocks(f, b->threads, 0) >= 1 && blocks(f, b->threads + 32, 0) == 0);
    OK(cuOccupancyAvailableDynamicSMemPerBlock(&bytes, f, 1, 64));
    CHECK(bytes == (size_t)b->usual);
    OK(cuFuncSetAttribute(f, DYNAMIC, b->most));
    CHECK(blocks(f, 64, (size_t)b->most) == b->an_sm / b->most);
    CHECK(blocks(f, 64, (size_t)b->most + 4) == 0);
    OK(cuOccupancyAvailableDynamicSMemPerBlock(&bytes, f, 1, 64));
    CHECK(bytes == (size_t)b->most);
    OK(cuOccupancyAvailableDynamicSMemPerBlock(&bytes, f, 4, 64));
    CHECK(bytes == (size_t)b->an_sm / 4);
    IS(cuOccupancyAvailableDynamicSMemPerBlock(&bytes, f, 1000, 64), CUDA_ERROR_INVALID_VALUE);
    OK(cuOccupancyMaxPotentialBlockSize(&grid, &threads, f, NULL, (size_t)b->most, 0));
    CHECK(grid > 0 && threads == b->threads);
    OK(cuOccupancyMaxPotentialBlockSize(&grid, &threads, f, all_there_is, 0, 0));
    CHECK(grid == 0 && threads == 0); // no size of block fits
}

static void carve_outs(const struct board *b, CUfunction f) {
    CHECK(asked(f, CARVE_OUT) == -1);
    static const int good[] = {0, 50, 100, -1};
    for (size_t i = 0; i < COUNT(good); i++) {
        OK(cuFuncSetAttribute(f, CARVE_OUT, good[i]));
        CHECK(asked(f, CARVE_OUT) == good[i]);
        OK(touch(f, 4096)); // a hint, on boards that have no carve-out too
    }
    OK(cuFuncSetAttribute(f, CARVE_OUT, 50));
    static const int bad[] = {101, -2, INT32_MIN, INT32_MAX};
    for (size_t i = 0; i < COUNT(bad); i++) {
        char sentence[80];
        const struct capture c = capture_begin(2);
        IS(cuFuncSetAttribute(f, CARVE_OUT, bad[i]), CUDA_ERROR_INVALID_VALUE);
        snprintf(sentence, sizeof sentence, "a preferred carve-out of %d percent", bad[i]);
        says(c, sentence, b->name);
    }
    CHECK(asked(f, CARVE_OUT) == 50);
    const struct capture c = capture_begin(2);
    IS(cuFuncSetAttribute(f, DYNAMIC, -4), CUDA_ERROR_INVALID_VALUE);
    says(c, "asks for -4 bytes", b->name);
}

// What it declares itself is 48 KB at most everywhere: the vendor's compiler refuses more.
static void declared(const struct board *b, CUmodule m) {
    CUfunction f = kernel(m, "large");
    CHECK(asked(f, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES) == 61440 && asked(f, DYNAMIC) == 0);
    char sentence[160];
    const struct capture c = capture_begin(2);
    IS(run(f, 1, 32, NULL), CUDA_ERROR_INVALID_PTX);
    snprintf(sentence, sizeof sentence,
             "declares 61440 bytes of shared memory; on %s a kernel "
             "declares at most %d%s",
             b->name, b->usual,
             b->most >= 61440 ? "; as dynamic shared memory a block may have" : "\n");
    says(c, sentence, b->name);
    CHECK(blocks(f, 32, 0) == 0);
}

static void test(const struct board *b) {
    CUdevice device;
    int value;
    CHECK(setenv("WARPWATT_GPU", b->name, 1) == 0);
    const CUcontext context = start();
    OK(cuCtxGetDevice(&device));
    OK(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, device));
    CHECK(value == b->usual);
    OK(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, device));
    CHECK(value == b->most);
    OK(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR,
                            device));
    CHECK(value == b->an_sm);
    CUmodule m = load(ptx);
    occupancy(b, kernel(m, "touch"));
    CUmodule again = load(ptx); // attributes are a function's, whose module this one is not
    launches(b, kernel(again, "touch"), 0);
    launches(b, kernel(again, "both"), 8192);
    CUmodule third = load(ptx);
    carve_outs(b, kernel(third, "touch"));
    declared(b, third);
    OK(cuCtxDestroy(context));
}

int main(void) {
    for (size_t i = 0; i < COUNT(boards); i++) {
        fflush(NULL);
        const pid_t child = fork();
        CHECK(child >= 0);
        if (child == 0) {
            test(&boards[i]);
            return 0;
        }
        int status;
        CHECK(waitpid(child, &status, 0) == child);
        if (status != 0) printf("on a %s\n", boards[i].name);
        CHECK(status == 0);
    }
    return 0;
}
