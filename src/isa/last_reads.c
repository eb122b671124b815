// Which reads of a register are its last: liveness of physical registers over a whole image,
// backwards over its blocks, thread by thread. A register cache drops what no later instruction
// reads (savings/rf_cache.c). Where this cannot tell, a register counts as live: at calls and
// returns all of them do, and a guarded write ends nothing.
#include "isa/cfg.h"

enum { REG_WORDS = MAX_GPRS / 64 };
struct regs {
    uint64_t bit[REG_WORDS];
};

static bool has(const struct regs *s, uint32_t r) { return s->bit[r / 64] >> (r % 64) & 1; }

static void put(struct regs *s, const struct opnd *o, bool is_live) {
    for (uint32_t i = 0; o->kind == OPND_GPR && i < o->words && o->reg + i < MAX_GPRS; i++) {
        const uint64_t bit = 1ull << (o->reg + i) % 64;
        uint64_t *const word = &s->bit[(o->reg + i) / 64];
        *word = is_live ? *word | bit : *word & ~bit;
    }
}

// From what is live behind an instruction to what it leaves of that: all but what it writes.
static void take_writes(struct regs *s, const struct minst *m) {
    if (m->op == OP_CALL || m->op == OP_CALLI || m->op == OP_RET) {
        memset(s, 0xff, sizeof *s);
        return;
    }
    if ((m->flags & MF_FILLER) || minst_is_guarded(m, true)) return;
    if (m->op == OP_EXIT) *s = (struct regs){0};
    for (unsigned i = 0; i < WW_COUNT(m->dst); i++) put(s, &m->dst[i], false);
}

// Of the distinct registers that it reads, in their order, those that are not in `after`.
static uint16_t last_reads(const struct regs *after, const struct minst *m) {
    struct regs seen = {0};
    uint32_t n = 0, mask = 0;
    for (unsigned i = 0; i < WW_COUNT(m->src); i++) {
        const struct opnd *const o = &m->src[i];
        for (uint32_t w = 0; o->kind == OPND_GPR && w < o->words; w++) {
            const struct opnd one = {.kind = OPND_GPR, .words = 1, .reg = o->reg + w};
            if (one.reg >= MAX_GPRS || has(&seen, one.reg)) continue;
            put(&seen, &one, true);
            mask |= (uint32_t)!has(after, one.reg) << n++;
        }
    }
    return (uint16_t)mask;
}

// Steps back over a block; `out`, if it is not NULL, gets the masks of its instructions.
static void step_back(const struct code_image *im, const struct cfg_block *b, struct regs *s,
                      uint16_t *out) {
    for (uint32_t pc = b->first + b->n; pc-- > b->first;) {
        const struct minst *const m = &im->inst[pc];
        take_writes(s, m);
        if (out != NULL) out[pc] = last_reads(s, m);
        for (unsigned i = 0; i < WW_COUNT(m->src); i++) put(s, &m->src[i], true);
    }
}

void image_last_reads(struct code_image *im, struct arena *scratch) {
    const struct cfg *c = cfg_build_image(scratch, im);
    struct regs *const in = arena_alloc(scratch, (size_t)c->n * sizeof *in);
    im->last_reads = arena_alloc(&im->arena, (size_t)im->n_insts * sizeof *im->last_reads);
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t b = c->n; b-- > 0;) {
            const struct cfg_block *const block = &c->block[b];
            struct regs s = {0};
            for (uint32_t i = 0; i < block->n_succ; i++)
                for (unsigned w = 0; w < REG_WORDS; w++)
                    s.bit[w] |= in[c->edge[block->succ + i]].bit[w];
            step_back(im, block, &s, im->last_reads);
            changed |= memcmp(&s, &in[b], sizeof s) != 0;
            in[b] = s; // the last round, in which nothing changes, leaves the masks right
        }
    }
}
