// A small assembler for tests of exec: code images by hand, a launch, and one warp or a whole
// kernel. Registers are numbers; a 64-bit value in R4 is the pair R4, R5.
#ifndef TEST_ASM_H
#define TEST_ASM_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "isa/image.h"
#include "exec/devmem.h"
#include "exec/exec.h"
#include "exec/functional.h"
#include "exec/launch.h"
#include "exec/level.h"
#include "isa/op.h"

enum { ASM_MAX = 4096, ASM_REGS = 96 };

struct prog {
    struct code_image im;
    struct minst inst[ASM_MAX];
    uint8_t literals[4096];
    struct devmem *mem;
    struct diags diags;
    struct exec_launch *launch;
    struct exec_cta cta;
    void *cta_memory;
    struct exec_env env;
    struct exec_launch_args args;
    uint64_t params[32];
};

static inline struct opnd R(uint32_t r) {
    return (struct opnd){.kind = OPND_GPR, .words = 1, .reg = r};
} static inline struct opnd RD(uint32_t r) {
    return (struct opnd){.kind = OPND_GPR, .words = 2, .reg = r};
} static inline struct opnd RQ(uint32_t r) {
    return (struct opnd){.kind = OPND_GPR, .words = 4, .reg = r};
} static inline struct opnd P(uint32_t p) {
    return (struct opnd){.kind = OPND_PRED, .reg = p};
} static inline struct opnd I(uint32_t v) {
    return (struct opnd){.kind = OPND_IMM, .words = 1, .imm = v};
} static inline struct opnd ID(uint64_t v) {
    return (struct opnd){.kind = OPND_IMM, .words = 2, .imm = v};
} static inline struct opnd C0(uint32_t at, uint8_t words) {
    return (struct opnd){.kind = OPND_CONST, .words = words, .bank = CB_LAUNCH, .reg = at};
} static inline struct opnd MOD(struct opnd o, uint8_t mods) {
    o.mods |= mods;
    return o;
}
#define NEG(o) MOD(o, OPND_NEG)
#define ABS(o) MOD(o, OPND_ABS)
#define NOT(o) MOD(o, OPND_NOT)
#define NONE_  ((struct opnd){0})

static inline struct prog *
prog_new(void) {
    struct prog *p = calloc(1, sizeof *p);
    assert_non_null(p);
    diags_init(&p->diags);
    p->im.inst = p->inst;
    p->im.name = "test";
    p->im.n_regs = ASM_REGS;
    p->im.literals = p->literals;
    p->im.literal_bytes = sizeof p->literals;
    p->im.param_bytes = sizeof p->params;
    p->mem = devmem_create(64u << 20);
    assert_non_null(p->mem);
    p->args = (struct exec_launch_args){.grid = {1, 1, 1}, .block = {32, 1, 1}, .sm_count = 4};
    return p;
}
static inline void prog_stop(struct prog *p) {
    exec_launch_destroy(p->launch);
    ww_free_aligned(p->cta_memory);
    p->launch = NULL;
    p->cta_memory = NULL;
}
static inline void prog_free(struct prog *p) {
    prog_stop(p);
    devmem_destroy(p->mem);
    diags_free(&p->diags);
    free(p);
}
// Appends an instruction; the answer may be touched up until the next call.
static inline struct minst *emit(struct prog *p, enum mop op, enum isa_type type, struct opnd d,
                                 struct opnd a, struct opnd b, struct opnd c) {
    struct minst *m = &p->inst[p->im.n_insts++];
    *m = (struct minst){.op = (uint16_t)op,
                        .type = (uint8_t)type,
                        .guard = PRED_TRUE,
                        .dst = {d},
                        .src = {a, b, c},
                        .target = -1,
                        .reconv = -1,
                        .ptx_line = p->im.n_insts};
    return m;
}
static inline struct minst *emit_exit(struct prog *p) {
    return emit(p, OP_EXIT, ITYPE_NONE, NONE_, NONE_, NONE_, NONE_);
}
static inline void prog_clear(struct prog *p) {
    prog_stop(p);
    p->im.n_insts = 0;
}

// Launches and sets up CTA 0 for stepping.
static inline void prog_start(struct prog *p) {
    prog_stop(p);
    p->args.params = p->params;
    const enum ww_status s = exec_launch_create(&p->im, p->mem, &p->args, &p->diags, &p->launch);
    if (s != WW_OK) diags_print(&p->diags, stderr);
    assert_int_equal(s, WW_OK);
    p->cta_memory = ww_alloc_aligned(exec_cta_bytes(p->launch));
    assert_non_null(p->cta_memory);
    exec_cta_init(&p->cta, p->launch, p->cta_memory, 0, 0);
    struct exec_log *log = p->env.log;
    p->env = (struct exec_env){.memory = p->mem, .log = log};
}
static inline struct exec_warp *warp0(struct prog *p) { return &p->cta.warps[0]; }
static inline uint32_t *reg(struct prog *p, uint32_t r) { return warp0(p)->regs + 32 * r; }
static inline void set64(struct prog *p, uint32_t r, uint32_t lane, uint64_t v) {
    reg(p, r)[lane] = (uint32_t)v;
    reg(p, r + 1)[lane] = (uint32_t)(v >> 32);
}
static inline uint64_t get64(struct prog *p, uint32_t r, uint32_t lane) {
    return reg(p, r)[lane] | (uint64_t)reg(p, r + 1)[lane] << 32;
}
// Steps warp 0 until something other than plain progress comes of it.
static inline enum exec_outcome run_warp0(struct prog *p) {
    for (int n = 0; n < 1000000; n++) {
        const enum exec_outcome o = exec_step(&p->env, warp0(p));
        if (o != EXEC_NEXT && o != EXEC_MEMORY) return o;
    }
    fail_msg("no end");
    return EXEC_FAULT;
}

// xorshift, seeded per test: the same numbers every time.
static inline uint64_t rnd64(uint64_t *s) {
    *s ^= *s << 13;
    *s ^= *s >> 7;
    *s ^= *s << 17;
    return *s * 0x2545f4914f6cdd1dull;
}
static inline float bits_f32(uint32_t u) {
    float f;
    memcpy(&f, &u, 4);
    return f;
}
static inline uint32_t f32_bits(float f) {
    uint32_t u;
    memcpy(&u, &f, 4);
    return u;
}
static inline double bits_f64(uint64_t u) {
    double f;
    memcpy(&f, &u, 8);
    return f;
}
static inline uint64_t f64_bits(double f) {
    uint64_t u;
    memcpy(&u, &f, 8);
    return u;
}
#define LEVELS(name)                                                                               \
    static const char *const levels_[] = {"base", "v3", "v4"};                                     \
    for (int level_ = 0; level_ < 3; level_++)                                                     \
        if (exec_simd_force(levels_[level_]))

#endif
