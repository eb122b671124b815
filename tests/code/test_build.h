// Machine functions by hand, for the tests of this room.
#ifndef WW_TEST_BUILD_H
#define WW_TEST_BUILD_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "isa/cfg.h"
#include "code/code.h"

struct builder {
    struct arena arena;
    struct code_target target;
    struct mfunc f;
    uint64_t random;
};

static inline void build_init(struct builder *b, uint64_t seed) {
    *b = (struct builder){.random = seed * 2654435761u + 88172645463325252ull};
    arena_init(&b->arena, NULL);
    b->target = (struct code_target){.gen = GEN_FERMI,
                                     .max_regs = 63,
                                     .n_preds = 7,
                                     .max_threads_per_cta = 1024};
    b->f = (struct mfunc){.arena = &b->arena,
                          .target = &b->target,
                          .name = "test",
                          .is_entry = true,
                          .sp_vreg = UINT32_MAX};
}
static inline void build_free(struct builder *b) { arena_free(&b->arena); }

static inline uint32_t build_random(struct builder *b, uint32_t below) {
    b->random ^= b->random << 13;
    b->random ^= b->random >> 7;
    b->random ^= b->random << 17;
    return (uint32_t)(b->random >> 20) % below;
}

static inline uint32_t vreg(struct builder *b, uint8_t words) {
    vec_push(&b->arena, &b->f.vreg_words, words);
    return b->f.vreg_words.n - 1;
}
static inline uint32_t vpred(struct builder *b) { return b->f.n_vpreds++; }
static inline int32_t label(struct builder *b) {
    vec_push(&b->arena, &b->f.label_at, -1);
    return (int32_t)b->f.label_at.n - 1;
}
static inline void place(struct builder *b, int32_t l) {
    b->f.label_at.at[l] = (int32_t)b->f.inst.n;
}

static inline struct opnd gpr_sub(uint32_t reg, uint8_t sub, uint8_t words) {
    return (struct opnd){.kind = OPND_GPR, .words = words, .reg = reg, .sub = sub};
}
static inline struct opnd gpr(uint32_t reg) { return gpr_sub(reg, 0, 1); }
static inline struct opnd imm(uint32_t x) {
    return (struct opnd){.kind = OPND_IMM, .words = 1, .imm = x};
}
static inline struct opnd cbank(uint8_t bank, uint32_t offset) {
    return (struct opnd){.kind = OPND_CONST, .words = 1, .bank = bank, .reg = offset};
}
static inline struct opnd pred(uint32_t p) { return (struct opnd){.kind = OPND_PRED, .reg = p}; }
static const struct opnd nothing = {.kind = OPND_NONE};

// Appends and gives the place for what the three operands do not say.
static inline struct minst *emit(struct builder *b, enum mop op, struct opnd d, struct opnd a,
                                 struct opnd c) {
    const struct minst m = {.op = (uint16_t)op,
                            .klass = mop_info[op].klass,
                            .type = ITYPE_U32,
                            .stype = ITYPE_U32,
                            .dst = {d},
                            .src = {a, c},
                            .guard = VPRED_TRUE,
                            .target = -1,
                            .reconv = -1,
                            .ptx_line = b->f.inst.n + 1};
    vec_push(&b->arena, &b->f.inst, m);
    return &b->f.inst.at[b->f.inst.n - 1];
}
// The low half of a 64-bit addition leaves a carry, the high half takes it.
static inline void set_half(struct minst *m, unsigned half) {
    if (half == 0)
        m->dst[1] = pred(VPRED_CARRY);
    else
        m->src[isa_carry_source(m)] = pred(VPRED_CARRY);
}
static inline struct minst *emit_branch(struct builder *b, int32_t to, uint32_t guard, bool not ) {
    struct minst *m = emit(b, OP_BRA, nothing, nothing, nothing);
    m->target = to;
    m->guard = guard;
    m->guard_not = not ;
    return m;
}

#endif
