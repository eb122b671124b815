// Code that nobody needs: operations none of whose results are read and that do nothing else,
// results that are not read, the last components of a texel. Fillers go with
// their operation.
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

// A texture fetch returns only the components that its mask names (Fermi's and Kepler's TEX has the
// mask in its encoding, and cuobjdump's listings of one-component fetches show one register). Here
// components go from the last, to two or one, as registers come in fours, twos and ones.
static bool trim_texel(const struct live *l, struct minst *m, const struct slot_set *now) {
    if ((m->op != OP_TEX && m->op != OP_TLD4) || m->dst[0].kind != OPND_GPR) return false;
    uint32_t slot[LIVE_MAX_WRITES];
    const uint32_t n = live_writes(l, m, 0, slot);
    uint32_t wanted = n;
    while (wanted > 1 && !slot_set_has(now, slot[wanted - 1])) wanted--;
    if (wanted == 3) wanted = 4;
    if (wanted >= n) return false;
    m->dst[0].words = m->vec = (uint8_t)wanted;
    return true;
}

// Registers of which only the first words are named become as small as that.
static void narrow_registers(struct mfunc *f, struct arena *a) {
    uint8_t *top = arena_alloc(a, (size_t)f->vreg_words.n + 1); // zeroed
    for (uint32_t i = 0; i < f->inst.n; i++) {
        const struct minst *m = &f->inst.at[i];
        for (unsigned k = 0; k < MINST_SRCS + MINST_DSTS; k++) {
            const struct opnd *o = k < MINST_SRCS ? &m->src[k] : &m->dst[k - MINST_SRCS];
            if (o->kind == OPND_GPR && o->sub + o->words > top[o->reg])
                top[o->reg] = (uint8_t)(o->sub + o->words);
        }
    }
    for (uint32_t i = 0; i < f->inst.n; i++) {
        const struct minst *m = &f->inst.at[i];
        if (m->op != OP_TEX && m->op != OP_TLD4) continue;
        const uint32_t v = m->dst[0].reg;
        if (top[v] < f->vreg_words.at[v]) f->vreg_words.at[v] = top[v] == 3 ? 4 : top[v];
    }
}

bool opt_dead(struct mfunc *f, struct arena *a) {
    struct cfg *c = cfg_build(a, f);
    const struct live *l = live_build(a, f, c);
    struct slot_set now;
    slot_set_init(&now, a, l->n_slots);
    uint8_t *dead = arena_alloc(a, (size_t)f->inst.n + 1);
    bool any = false, trimmed = false, texel = false;
    for (uint32_t b = 0; b < c->n; b++) {
        const struct cfg_block *block = &c->block[b];
        live_block_end(l, b, &now);
        for (uint32_t i = block->first + block->n; i-- > block->first;) {
            struct minst *m = &f->inst.at[i];
            if (minst_is_filler(m)) {
                live_step_back(l, i, &now);
                continue;
            }
            const bool first = any_live(l, m, 0, &now), second = any_live(l, m, 1, &now);
            if (!first && !second && !has_effect(f, m)) {
                dead[i] = 1;
                any = true;
                for (uint32_t j = i + 1; j < f->inst.n && minst_is_filler(&f->inst.at[j]); j++)
                    dead[j] = 1;
                continue;
            }
            if (!second && m->dst[1].kind == OPND_PRED) {
                m->dst[1] = (struct opnd){.kind = OPND_NONE};
                m->flags &= ~(uint32_t)MF_CMP3;
                trimmed = true;
            }
            texel |= trim_texel(l, m, &now);
            live_step_back(l, i, &now);
        }
    }
    if (any) edit_delete(f, dead);
    if (texel) narrow_registers(f, a);
    return any || trimmed || texel;
}
