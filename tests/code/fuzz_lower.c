// libFuzzer: whatever the parser lets through, lowering takes or refuses.
#include "code/code.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct diags d;
    diags_init(&d);
    struct ptx_module *m = NULL;
    if (ptx_parse("fuzz.ptx", (const char *)data, size, NULL, &d, &m) == WW_OK) {
        for (unsigned gen = 0; gen < GEN_N; gen++) {
            const struct code_target target = {
                .gen = (enum target_gen)gen, .max_regs = 63, .n_preds = 7};
            for (uint32_t k = 0; k < m->n_funcs; k++) {
                if (!m->funcs[k]->has_body) continue;
                struct arena a;
                arena_init(&a, NULL);
                struct mfunc f = {.arena = &a, .module = m, .ptx = m->funcs[k], .target = &target};
                lower_func(&f, NULL, &d);
                for (uint32_t i = 0; i < f.inst.n; i++) { // every register and label exists
                    const struct minst *const x = &f.inst.at[i];
                    for (unsigned o = 0; o < MINST_DSTS + MINST_SRCS; o++) {
                        const struct opnd *const p =
                            o < MINST_DSTS ? &x->dst[o] : &x->src[o - MINST_DSTS];
                        if (p->kind == OPND_GPR && (p->reg >= f.vreg_words.n ||
                                                    p->sub + p->words > f.vreg_words.at[p->reg]))
                            __builtin_trap();
                        if (p->kind == OPND_PRED && p->reg < VPRED_CARRY && p->reg >= f.n_vpreds)
                            __builtin_trap();
                    }
                    if (x->op == OP_BRA && (x->target < 0 || (uint32_t)x->target >= f.label_at.n ||
                                            f.label_at.at[x->target] < 0))
                        __builtin_trap();
                }
                arena_free(&a);
            }
        }
        ptx_free(m);
    }
    diags_free(&d);
    return 0;
}
