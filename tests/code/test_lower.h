// Lowers PTX text and writes what came of it: opcode by opcode, or in full.
#ifndef WW_TEST_LOWER_H
#define WW_TEST_LOWER_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "code/code.h"
#include "code/lower.h"

struct lowered {
    struct arena arena;
    struct diags d;
    struct ptx_module *m;
    struct code_target target;
    struct lower_shared shared;
    uint64_t *addr;
    struct mfunc *func; // one for each function of the module, in its order
};

static inline bool lowered_parse(struct lowered *t, const char *name, const char *text,
                                 size_t len) {
    *t = (struct lowered){0};
    arena_init(&t->arena, NULL);
    diags_init(&t->d);
    return ptx_parse(name, text, len, NULL, &t->d, &t->m) == WW_OK;
}

static inline void lowered_run(struct lowered *t, enum target_gen gen) {
    static const uint32_t max_regs[GEN_N] = {124, 63, 255};
    t->target = (struct code_target){.gen = gen, .max_regs = max_regs[gen], .n_preds = 7};
    t->addr = arena_alloc(&t->arena, (t->m->n_vars + 1) * sizeof *t->addr);
    uint64_t at[2] = {0x10000000, 0};
    for (uint32_t k = 0; k < t->m->n_vars; k++) {
        const struct ptx_var *const v = t->m->vars[k];
        uint64_t *const here = &at[v->space == PTX_SPACE_CONST];
        *here = bits_align_up(*here, v->align ? v->align : 1);
        t->addr[k] = *here;
        *here += v->bytes;
    }
    const struct code_symbols s = {.addr = t->addr, .const_base = 0x20000000};
    t->func = arena_alloc(&t->arena, (t->m->n_funcs + 1) * sizeof *t->func);
    for (uint32_t k = 0; k < t->m->n_funcs; k++) {
        if (!t->m->funcs[k]->has_body) continue;
        t->func[k] = (struct mfunc){
            .arena = &t->arena, .module = t->m, .ptx = t->m->funcs[k], .target = &t->target};
        lower_func(&t->func[k], &s, &t->d);
    }
}

static inline void lowered_free(struct lowered *t) {
    if (t->m) ptx_free(t->m);
    diags_free(&t->d);
    arena_free(&t->arena);
}

struct text {
    char at[2000];
    size_t n;
};
static inline void text_add(struct text *t, const char *fmt, ...) WW_PRINTF(2, 3);
static inline void text_add(struct text *t, const char *fmt, ...) {
    va_list args;
    va_start(args, fmt);
    const int n = vsnprintf(t->at + t->n, sizeof t->at - t->n, fmt, args);
    va_end(args);
    if (n > 0) t->n += (size_t)n < sizeof t->at - t->n ? (size_t)n : sizeof t->at - t->n - 1;
}

// "IADD.CC"; fillers are "+INT_ADD", those that run before it "<INT_ADD".
static inline void text_opcode(struct text *t, const struct minst *m) {
    static const struct {
        uint32_t flag;
        const char *text;
    } flags[] = {{MF_HI, ".HI"},       {MF_FTZ, ".FTZ"},    {MF_SAT, ".SAT"},
                 {MF_FRAME, ".FRAME"}, {MF_INTRND, ".INT"}, {MF_VOLATILE, ".STRONG"}};
    if (minst_is_filler(m)) {
        text_add(t, "%s%s", minst_is_lead(m) ? "<" : "+", op_class_text(m->klass));
        return;
    }
    static const char *const space[] = {"", ".C", ".G", ".L", ".P", ".S", ".T"};
    text_add(t, "%s", mop_info[m->op].text);
    if (mop_info[m->op].flags & (OPF_LOAD | OPF_STORE)) text_add(t, "%s", space[m->space]);
    for (size_t k = 0; k < WW_COUNT(flags); k++)
        if (m->flags & flags[k].flag) text_add(t, "%s", flags[k].text);
    if (isa_takes_carry(m)) text_add(t, ".X");
    if (isa_leaves_carry(m)) text_add(t, ".CC");
}

static inline void text_opnd(struct text *t, const struct opnd *o) {
    const char *const sign = o->mods & OPND_NEG ? "-" : o->mods & OPND_NOT ? "!" : "";
    switch (o->kind) {
    case OPND_GPR:
        text_add(t, "%sr%u", sign, o->reg);
        if (o->sub) text_add(t, ".%u", o->sub);
        if (o->words > 1) text_add(t, ":%u", o->words);
        break;
    case OPND_PRED:
        if (o->reg == VPRED_TRUE)
            text_add(t, "%sPT", sign);
        else if (o->reg == VPRED_CARRY)
            text_add(t, "%sCC", sign);
        else
            text_add(t, "%sp%u", sign, o->reg);
        break;
    case OPND_IMM: text_add(t, "%s0x%llx", sign, (unsigned long long)o->imm); break;
    case OPND_CONST: text_add(t, "%sc[%u][0x%x]", sign, o->bank, o->reg); break;
    default: text_add(t, "_");
    }
}

static inline void text_inst(struct text *t, const struct minst *m) {
    if (m->guard != VPRED_TRUE) text_add(t, "@%sp%u ", m->guard_not ? "!" : "", m->guard);
    text_opcode(t, m);
    const char *sep = " ";
    for (unsigned k = 0; k < MINST_DSTS; k++) {
        if (m->dst[k].kind == OPND_NONE) continue;
        text_add(t, "%s", sep);
        text_opnd(t, &m->dst[k]);
        sep = ", ";
    }
    unsigned last = MINST_SRCS;
    while (last && m->src[last - 1].kind == OPND_NONE) last--;
    for (unsigned k = 0; k < last; k++) {
        text_add(t, "%s", sep);
        text_opnd(t, &m->src[k]);
        sep = ", ";
    }
    if (m->offset) text_add(t, " +%lld", (long long)m->offset);
    if (m->target >= 0) text_add(t, " ->%d", m->target);
}

#endif
