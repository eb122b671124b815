// Which loops wait for other threads: those of which a branch hangs on an atomic or a volatile load
// in them. Others have their turn at once when such a loop goes round.
#include "exec/its.h"
#include "isa/operands.h"

// Registers and predicates that hold what another thread may change, or what was made of that.
struct taint {
    uint64_t reg[MAX_GPRS / 64];
    uint64_t pred; // and uniform registers and barrier registers as one each
};
enum { TAINT_UNIFORM = PRED_FILE, TAINT_BARRIER };
static uint32_t taint_bit(const struct isa_ref *ref) {
    switch (ref->file) {
    case REF_UGPR: return TAINT_UNIFORM;
    case REF_BARRIER: return TAINT_BARRIER;
    default: return ref->reg;
    }
}
static uint64_t *taint_word(struct taint *t, const struct isa_ref *ref, uint64_t *bit) {
    if (ref->file != REF_GPR) {
        *bit = 1ull << taint_bit(ref);
        return &t->pred;
    }
    const uint32_t r = ref->reg + ref->word;
    *bit = 1ull << r % 64;
    return &t->reg[r / 64];
}
static bool has_taint(struct taint *t, const struct isa_ref *ref) {
    uint64_t bit;
    return (*taint_word(t, ref, &bit) & bit) != 0;
}
static void set_taint(struct taint *t, const struct isa_ref *ref, bool on, bool clear) {
    uint64_t bit, *const word = taint_word(t, ref, &bit);
    if (on) *word |= bit;
    if (!on && clear) *word &= ~bit;
}
// A load that asks memory each time.
static bool reads_anew(const struct minst *m) {
    return m->op == OP_LD && (m->flags & MF_VOLATILE || m->cop == MCOP_CV);
}
// Whether a branch of the loop [first, last] hangs on an atomic or a volatile load in it.
static bool waits_for_others(const struct code_image *im, uint32_t first, uint32_t last) {
    struct taint t = {0};
    for (uint32_t pass = 0; pass < 2; pass++) {
        for (uint32_t i = first; i <= last; i++) {
            const struct minst *const m = &im->inst[i];
            if (minst_is_filler(m)) continue;
            const bool fresh = (m->op == OP_ATOM && m->dst[0].kind != OPND_NONE) || reads_anew(m);
            bool on = fresh;
            struct isa_ref ref[ISA_MAX_REFS];
            uint32_t n = isa_reads(m, true, ref);
            for (uint32_t k = 0; k < n; k++) {
                const bool is_tainted = has_taint(&t, &ref[k]);
                if (ref[k].place != REF_GUARD)
                    on |= is_tainted;
                else if ((m->op == OP_BRA || m->op == OP_EXIT) && is_tainted)
                    return true;
            }
            n = isa_writes(m, true, ref);
            for (uint32_t k = 0; k < n; k++) set_taint(&t, &ref[k], on, pred_is_true(m->guard));
        }
    }
    return false;
}
void its_mark(struct exec_launch *l) {
    const struct code_image *const im = l->im;
    for (uint32_t i = 0; i < im->n_insts; i++) {
        const struct minst *const m = &im->inst[i];
        if (m->op != OP_BRA || m->target < 0 || (uint32_t)m->target > i) continue;
        l->code[i].aux8 = waits_for_others(im, (uint32_t)m->target, i);
    }
}

void its_mark_loads(struct exec_launch *l) {
    const struct code_image *const im = l->im;
    for (uint32_t i = 0; i < im->n_insts; i++) {
        const struct minst *const m = &im->inst[i];
        if (m->op != OP_BRA || m->target < 0 || (uint32_t)m->target > i) continue;
        if (!waits_for_others(im, (uint32_t)m->target, i)) continue;
        for (uint32_t k = (uint32_t)m->target; k < i; k++)
            if (reads_anew(&im->inst[k])) l->code[k].flags |= X_WAITS;
    }
}
