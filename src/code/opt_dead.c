// Code that nobody needs: operations none of whose results are read and that do nothing else,
// results that are not read, carries that are not. Fillers go with their operation.
#include "code/opt.h"

static bool has_effect(const struct mfunc *f, const struct minst *m) {
    // spill code will need the stack pointer
    if (mfunc_has_sp(f) && m->dst[0].kind == OPND_GPR && m->dst[0].reg == f->sp_vreg) return true;
    const uint8_t flags = mop_info[m->op].flags;
    if (flags & (OPF_BRANCH | OPF_SIDE)) return true;
    if (m->flags & (MF_VOLATILE | MF_ACQUIRE | MF_SC)) return m->op != OP_S2R;
    return false;
}

static bool any_live(const struct live *l, const struct minst *m, unsigned which,
                     const struct slot_set *now) {
    uint32_t slot[LIVE_MAX_READS];
    const uint32_t n = live_writes(l, m, which, slot);
    for (uint32_t i = 0; i < n; i++)
        if (slot_set_has(now, slot[i])) return true;
    return false;
}

bool opt_dead(struct mfunc *f, struct arena *a) {
    struct cfg *c = cfg_build(a, f);
    const struct live *l = live_build(a, f, c);
    struct slot_set now;
    slot_set_init(&now, a, l->n_slots);
    uint8_t *dead = arena_alloc(a, (size_t)f->inst.n + 1);
    bool any = false, trimmed = false;
    for (uint32_t b = 0; b < c->n; b++) {
        const struct cfg_block *block = &c->block[b];
        live_block_end(l, b, &now);
        for (uint32_t i = block->first + block->n; i-- > block->first;) {
            struct minst *m = &f->inst.at[i];
            if (m->flags & MF_FILLER) {
                live_step_back(l, i, &now);
                continue;
            }
            const bool first = any_live(l, m, 0, &now), second = any_live(l, m, 1, &now),
                       carry = any_live(l, m, 2, &now);
            if (!first && !second && !carry && !has_effect(f, m)) {
                dead[i] = 1;
                any = true;
                for (uint32_t j = i + 1; j < f->inst.n && (f->inst.at[j].flags & MF_FILLER); j++)
                    dead[j] = 1;
                continue;
            }
            if (!carry && (m->flags & MF_CC_OUT)) {
                m->flags &= ~(uint32_t)MF_CC_OUT;
                trimmed = true;
            }
            if (!second && m->dst[1].kind == OPND_PRED) {
                m->dst[1] = (struct opnd){.kind = OPND_NONE};
                m->flags &= ~(uint32_t)MF_CMP3;
                trimmed = true;
            }
            live_step_back(l, i, &now);
        }
    }
    if (any) edit_delete(f, dead);
    return any || trimmed;
}
