// Which reads of a register are its last: liveness of physical registers over a whole image,
// backwards over its blocks, thread by thread. A register cache drops what no later instruction
// reads (savings/rf_cache.c). Where this cannot tell, a register counts as live: at calls and
// returns all of them do, and a guarded write ends nothing.
#include "isa/cfg.h"
#include "isa/operands.h"

enum { REG_WORDS = MAX_GPRS / 64 };
struct regs {
    uint64_t bit[REG_WORDS];
};

static bool has(const struct regs *s, uint32_t r) { return s->bit[r / 64] >> (r % 64) & 1; }

static void put(struct regs *s, uint32_t r, bool is_live) {
    const uint64_t bit = 1ull << r % 64;
    s->bit[r / 64] = is_live ? s->bit[r / 64] | bit : s->bit[r / 64] & ~bit;
}

// The registers among what an instruction reads or writes.
static void put_all(struct regs *s, const struct isa_ref *ref, uint32_t n, bool is_live) {
    for (uint32_t i = 0; i < n; i++)
        if (ref[i].file == REF_GPR) put(s, ref[i].reg + ref[i].word, is_live);
}

// From what is live behind an instruction to what it leaves of that: all but what it writes.
static void take_writes(struct regs *s, const struct minst *m) {
    if (m->op == OP_CALL || m->op == OP_CALLI || m->op == OP_RET) {
        memset(s, 0xff, sizeof *s);
        return;
    }
    if (minst_is_filler(m) || minst_is_guarded(m, true)) return;
    if (m->op == OP_EXIT) *s = (struct regs){0};
    struct isa_ref ref[ISA_MAX_REFS];
    put_all(s, ref, isa_writes(m, true, ref), false);
}

// Of the distinct registers that it reads, in their order, those that are not in `after`.
static uint16_t last_reads(const struct regs *after, const struct isa_ref *ref, uint32_t n_refs) {
    struct regs seen = {0};
    uint32_t n = 0, mask = 0;
    for (uint32_t i = 0; i < n_refs; i++) {
        const uint32_t r = ref[i].reg + ref[i].word;
        if (ref[i].file != REF_GPR || has(&seen, r)) continue;
        put(&seen, r, true);
        mask |= (uint32_t)!has(after, r) << n++;
    }
    return (uint16_t)mask;
}

// Steps back over a block; `out`, if it is not NULL, gets the masks of its instructions.
static void step_back(const struct code_image *im, const struct cfg_block *b, struct regs *s,
                      uint16_t *out) {
    for (uint32_t pc = b->first + b->n; pc-- > b->first;) {
        const struct minst *const m = &im->inst[pc];
        take_writes(s, m);
        struct isa_ref ref[ISA_MAX_REFS];
        const uint32_t n = isa_reads(m, true, ref);
        if (out != NULL) out[pc] = last_reads(s, ref, n);
        put_all(s, ref, n, true);
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
