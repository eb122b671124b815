// Registers for the steps of an expansion. A division is one operation that computes and a chain of
// fillers that stand for the rest of its instructions; on the machine those pass their intermediate
// values through registers of their own. After allocation each chain gets up to four that are free
// there, so that a kernel's register count and the register file's traffic include them. Where the
// registers are full the chain stays on the result's register.
#include "code/ra.h"

struct taken {
    uint64_t bit[MAX_GPRS / 64];
};
static bool is_taken(const struct taken *t, uint32_t reg, uint32_t words) {
    for (uint32_t w = 0; w < words; w++)
        if (t->bit[(reg + w) / 64] >> ((reg + w) % 64) & 1) return true;
    return false;
}
static void take(struct taken *t, uint32_t reg, uint32_t words) {
    for (uint32_t w = 0; w < words; w++) t->bit[(reg + w) / 64] |= 1ull << ((reg + w) % 64);
}

// Steps of a chain to registers: what the expansions of division and square root for sm_20 need
// beyond their operands, roughly one for every five instructions.
static uint32_t temps_for(uint32_t steps) {
    const uint32_t n = (steps + 3) / 5;
    return steps < 2 ? 0 : n < 1 ? 1 : n > 4 ? 4 : n;
}

static uint32_t lowest_free(const struct taken *t, uint32_t words, uint32_t limit) {
    for (uint32_t r = 0; r + words <= limit; r += words)
        if (!is_taken(t, r, words)) return r;
    return UINT32_MAX;
}

static void take_operand(const uint32_t *place, const struct opnd *o, struct taken *t) {
    if (o->kind == OPND_GPR) take(t, place[o->reg] + o->sub, o->words);
}

// What stands before the operation scales its operands where the result will be.
static bool passes_on(const struct minst *filler) {
    return filler->dst[0].kind == OPND_GPR && !minst_is_lead(filler);
}

static void give(struct ra_temps *c, const struct live *l, uint32_t op, uint32_t end,
                 const struct slot_set *after) {
    struct mfunc *f = c->f;
    uint32_t steps = 0, words = 1;
    for (uint32_t i = op + 1; i < end; i++)
        if (passes_on(&f->inst.at[i])) {
            steps++;
            words = f->inst.at[i].dst[0].words;
        }
    const uint32_t n = temps_for(steps);
    if (!n) return;
    struct taken t = {{0}};
    for (uint32_t i = 0; i < after->n; i++)
        if (after->dense[i] < l->n_words) {
            const uint32_t v = l->vreg_of[after->dense[i]];
            take(&t, c->place[v] + after->dense[i] - l->word_base[v], 1);
        }
    const struct minst *m = &f->inst.at[op];
    for (unsigned d = 0; d < MINST_DSTS; d++) take_operand(c->place, &m->dst[d], &t);
    for (unsigned s = 0; s < MINST_SRCS; s++) take_operand(c->place, &m->src[s], &t);
    if (c->keeps_r1) take(&t, RA_SP, 1);
    uint32_t temp[4], have = 0;
    while (have < n) {
        const uint32_t r = lowest_free(&t, words, c->max_regs);
        if (r == UINT32_MAX) break;
        take(&t, r, words);
        if (r + words > c->used) c->used = r + words;
        temp[have++] = r;
    }
    if (!have) return;
    uint32_t step = 0, before = UINT32_MAX;
    for (uint32_t i = op + 1; i < end; i++) {
        struct minst *filler = &f->inst.at[i];
        if (!passes_on(filler)) continue;
        step++;
        if (before != UINT32_MAX) {
            filler->src[0] =
                (struct opnd){.kind = OPND_GPR, .words = (uint8_t)words, .reg = before};
            c->fixed[i] |= RA_FIXED_SRC;
        }
        if (step == steps) break; // the last one delivers the result
        before = temp[step % have];
        filler->dst[0].reg = before;
        filler->dst[0].sub = 0;
        filler->dst[0].words = (uint8_t)words;
        c->fixed[i] |= RA_FIXED_DST;
    }
}

void ra_give_temps(struct mfunc *f, struct arena *scratch, void *context) {
    struct ra_temps *c = context;
    const struct cfg *graph = cfg_build(scratch, f);
    const struct live *l = live_build(scratch, f, graph);
    struct slot_set now;
    slot_set_init(&now, scratch, l->n_slots);
    for (uint32_t b = 0; b < graph->n; b++) {
        const struct cfg_block *block = &graph->block[b];
        live_block_end(l, b, &now);
        uint32_t end = block->first + block->n;
        for (uint32_t i = end; i-- > block->first;) {
            if (!minst_is_filler(&f->inst.at[i])) {
                if (end > i + 1) give(c, l, i, end, &now);
                end = i;
            }
            live_step_back(l, i, &now);
        }
    }
}
