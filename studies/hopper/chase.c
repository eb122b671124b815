// 4000 dependent loads out of a buffer of so many KB, a line of 128 bytes each in random order: chase KB. All SMs have read
// the buffer before. For the latency curves of studies hopper and ampere:
//   cc -o chase studies/hopper/chase.c -Iinclude -Lbuild -l:libcuda.so.1
#include <stdint.h>
#include <stdlib.h>

#include "cuda.h"

enum { LINE = 128, STEPS = 4000 };
static const char *const ptx =
    ".version 7.0\n.target sm_80\n.address_size 64\n"
    // Each thread reads lines a grid's threads apart.
    ".visible .entry touch(.param .u64 at, .param .u64 n) {\n"
    "  .reg .u64 %a, %n, %i, %d; .reg .u32 %r<4>; .reg .u64 %v, %s; .reg .pred %p;\n"
    "  ld.param.u64 %a, [at]; ld.param.u64 %n, [n];\n"
    "  mov.u32 %r0, %ctaid.x; mov.u32 %r1, %tid.x; mad.lo.u32 %r0, %r0, 1024, %r1;\n"
    "  mov.u32 %r2, %nctaid.x; shl.b32 %r2, %r2, 10;\n"
    "  cvt.u64.u32 %i, %r0; cvt.u64.u32 %d, %r2; mov.u64 %s, 0;\n"
    "LOOP: setp.ge.u64 %p, %i, %n; @%p bra DONE;\n"
    "  mad.lo.u64 %v, %i, 128, %a; ld.global.u64 %v, [%v]; add.u64 %s, %s, %v; add.u64 %i, %i, %d; bra LOOP;\n"
    "DONE: setp.eq.u64 %p, %s, 1; @%p st.global.u64 [%a], %s; ret;\n}\n"
    ".visible .entry chase(.param .u64 at, .param .u32 n, .param .u64 out) {\n"
    "  .reg .u64 %a, %o; .reg .u32 %n; .reg .pred %p;\n"
    "  ld.param.u64 %a, [at]; ld.param.u32 %n, [n]; ld.param.u64 %o, [out];\n"
    "LOOP: ld.global.u64 %a, [%a]; ld.global.u64 %a, [%a]; ld.global.u64 %a, [%a]; ld.global.u64 %a, [%a];\n"
    "  sub.u32 %n, %n, 4; setp.ne.u32 %p, %n, 0; @%p bra LOOP;\n"
    "  st.global.u64 [%o], %a; ret;\n}\n";

int main(int argc, char **argv) {
    if (argc != 2) return 2;
    uint64_t lines = strtoull(argv[1], NULL, 10) * 1024 / LINE, state = 34;
    CUcontext context;
    CUmodule module;
    CUfunction touch, chase;
    CUdeviceptr at, out;
    int sms;
    if (cuInit(0) || cuDevicePrimaryCtxRetain(&context, 0) || cuCtxSetCurrent(context) || cuModuleLoadData(&module, ptx) ||
        cuModuleGetFunction(&touch, module, "touch") || cuModuleGetFunction(&chase, module, "chase") ||
        cuMemAlloc(&at, lines * LINE) || cuMemAlloc(&out, 8) ||
        cuDeviceGetAttribute(&sms, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0))
        return 1;
    // Sattolo's shuffle makes one cycle of all lines.
    uint64_t *const next = malloc(lines * sizeof *next), *const image = calloc(lines, LINE);
    if (!next || !image) return 1;
    for (uint64_t i = 0; i < lines; i++) next[i] = i;
    for (uint64_t i = lines - 1; i > 0; i--) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        const uint64_t j = (state >> 33) % i, x = next[i];
        next[i] = next[j];
        next[j] = x;
    }
    for (uint64_t i = 0; i < lines; i++) image[i * (LINE / 8)] = at + next[i] * LINE;
    unsigned n = STEPS;
    void *touched[] = {&at, &lines}, *chased[] = {&at, &n, &out};
    const int r = cuMemcpyHtoD(at, image, lines * LINE) ||
                  cuLaunchKernel(touch, (unsigned)sms * 2, 1, 1, 1024, 1, 1, 0, NULL, touched, NULL) ||
                  cuLaunchKernel(chase, 1, 1, 1, 1, 1, 1, 0, NULL, chased, NULL) || cuCtxSynchronize();
    free(next);
    free(image);
    return r;
}
