// A kernel that notes the order in which its launches run, and what two programs do with it.
#ifndef APPEND_H
#define APPEND_H

#include "driver_test.h"

// append: log[counter++] = tag by one thread, after `spin` rounds that keep a warp busy
static const char append_ptx[] =
    PTX(".visible .entry append(.param .u64 log, .param .u32 tag, .param .u32 spin) {\n"
        "  .reg .pred %p; .reg .u32 %r<5>; .reg .u64 %d<3>;\n"
        "  ld.param.u64 %d0, [log]; ld.param.u32 %r0, [tag]; ld.param.u32 %r1, [spin];\n"
        "again: setp.eq.u32 %p, %r1, 0; @%p bra out; sub.u32 %r1, %r1, 1; bra again;\n"
        "out: mov.u32 %r4, %tid.x; setp.ne.u32 %p, %r4, 0; @%p bra done;\n"
        "  atom.global.add.u32 %r2, [%d0], 1; add.u32 %r2, %r2, 1;\n"
        "  mul.wide.u32 %d1, %r2, 4; add.u64 %d2, %d0, %d1; st.global.u32 [%d2], %r0;\n"
        "done: ret;\n}\n");

static CUfunction append;
static CUdeviceptr list; // a count, then tags
static uint32_t got[64];

static inline void append_start(void) {
    append = kernel(load(append_ptx), "append");
    list = alloc(sizeof got);
}
static inline void clear(void) { OK(cuMemsetD32(list, 0, COUNT(got))); }
static inline void expect(unsigned n, const unsigned *want) {
    OK(cuMemcpyDtoH(got, list, sizeof got));
    CHECK(got[0] == n);
    for (unsigned i = 0; i < n; i++) CHECK(got[i + 1] == want[i]);
}

#endif
