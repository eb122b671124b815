// 4000 dependent loads out of a buffer of so many KB, a line of 128 bytes each in an order that jumps about: chase KB. The
// same SM has read all of the buffer in that order before, as the measured program goes round and round. For the latency curves of studies hopper and ampere:
//   cc -o chase studies/hopper/chase.c -Iinclude -Lbuild -l:libcuda.so.1
#include <stdint.h>
#include <stdlib.h>

#include "cuda.h"

enum { LINE = 128, STEPS = 4000 };
static const char *const ptx =
    ".version 7.0\n.target sm_80\n.address_size 64\n"
    // A block's threads read lines 0, step, 2 step and so on, modulo n, a thread every 1024th of them.
    ".visible .entry touch(.param .u64 at, .param .u64 n, .param .u64 step) {\n"
    "  .reg .u64 %a, %n, %i, %j, %k; .reg .u32 %r0; .reg .u64 %v, %s; .reg .pred %p;\n"
    "  ld.param.u64 %a, [at]; ld.param.u64 %n, [n]; ld.param.u64 %k, [step];\n"
    "  mov.u32 %r0, %tid.x; cvt.u64.u32 %i, %r0; mov.u64 %s, 0;\n"
    "LOOP: setp.ge.u64 %p, %i, %n; @%p bra DONE;\n"
    "  mul.lo.u64 %j, %i, %k; rem.u64 %j, %j, %n;\n"
    "  mad.lo.u64 %v, %j, 128, %a; ld.global.u64 %v, [%v]; add.u64 %s, %s, %v; add.u64 %i, %i, 1024; bra LOOP;\n"
    "DONE: setp.eq.u64 %p, %s, 1; @%p st.global.u64 [%a], %s; ret;\n}\n"
    ".visible .entry chase(.param .u64 at, .param .u32 n, .param .u64 out) {\n"
    "  .reg .u64 %a, %o; .reg .u32 %n; .reg .pred %p;\n"
    "  ld.param.u64 %a, [at]; ld.param.u32 %n, [n]; ld.param.u64 %o, [out];\n"
    "LOOP: ld.global.u64 %a, [%a]; ld.global.u64 %a, [%a]; ld.global.u64 %a, [%a]; ld.global.u64 %a, [%a];\n"
    "  sub.u32 %n, %n, 4; setp.ne.u32 %p, %n, 0; @%p bra LOOP;\n"
    "  st.global.u64 [%o], %a; ret;\n}\n";

static uint64_t gcd(uint64_t a, uint64_t b) {
    while (b != 0) {
        const uint64_t r = a % b;
        a = b;
        b = r;
    }
    return a;
}

int main(int argc, char **argv) {
    if (argc != 2) return 2;
    uint64_t lines = strtoull(argv[1], NULL, 10) * 1024 / LINE;
    CUcontext context;
    CUmodule module;
    CUfunction touch, chase;
    CUdeviceptr at, out;
    if (lines == 0 || cuInit(0) || cuDevicePrimaryCtxRetain(&context, 0) || cuCtxSetCurrent(context) ||
        cuModuleLoadData(&module, ptx) || cuModuleGetFunction(&touch, module, "touch") ||
        cuModuleGetFunction(&chase, module, "chase") || cuMemAlloc(&at, lines * LINE) || cuMemAlloc(&out, 8))
        return 1;
    // A step near the golden section of all lines that makes one cycle of them.
    uint64_t step = (uint64_t)(0.6180339887 * (double)lines) | 1;
    while (gcd(step, lines) != 1) step++;
    uint64_t *const image = calloc(lines, LINE);
    if (!image) return 1;
    for (uint64_t i = 0; i < lines; i++) image[i * (LINE / 8)] = at + (i + step) % lines * LINE;
    unsigned n = STEPS;
    void *touched[] = {&at, &lines, &step}, *chased[] = {&at, &n, &out};
    const int r = cuMemcpyHtoD(at, image, lines * LINE) ||
                  cuLaunchKernel(touch, 1, 1, 1, 1024, 1, 1, 0, NULL, touched, NULL) ||
                  cuLaunchKernel(chase, 1, 1, 1, 1, 1, 1, 0, NULL, chased, NULL) || cuCtxSynchronize();
    free(image);
    return r;
}
