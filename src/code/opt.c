// The optimiser. PTX comes from a compiler that has done the large things; what is left is what the
// machine's own assembler does with it:
//
//   opt_flow     unreachable code, jumps to jumps, branches to the next instruction
//   opt_value    copies and constants into the operands that can hold them, equal values once
//   opt_combine  shifts and products into additions, additions into addresses, signs into operands
//   opt_fold     constants in sums, for later generations
//   opt_fuse     products into sums that name no rounding
//   opt_pair     neighbouring constants with one load
//   opt_dead     what nobody reads
//   opt_hoist    out of loops what they do not change, for later generations
//   opt_if       short branches into guards
//   opt_sched    an order that needs few registers (sched_press.c), then loads early
//
// Values are looked up by their definition: the last one in the block, or the only one of the whole
// function where it dominates. That is all that near-SSA code needs.
#include "code/opt.h"

// ---- index of definitions and uses --------------------------------------------------------
static void count_slot(struct opt *o, uint32_t slot, bool add) {
    if (add)
        o->uses[slot]++;
    else
        o->uses[slot]--;
}

void opt_count(struct opt *o, const struct minst *m, bool add) {
    if (minst_is_filler(m)) return;
    for (unsigned s = 0; s < MINST_SRCS; s++) {
        const struct opnd *x = &m->src[s];
        if (x->kind == OPND_PRED && x->reg != VPRED_TRUE) count_slot(o, opt_slot(o, x), add);
        if (x->kind != OPND_GPR || !opt_knows(o, x)) continue;
        for (uint32_t w = 0; w < x->words; w++) {
            count_slot(o, opt_slot(o, x) + w, add);
            if (s == 0 && opt_is_memory(m)) o->address_uses[opt_slot(o, x) + w] += add ? 1u : ~0u;
        }
    }
    if (m->guard != VPRED_TRUE) count_slot(o, o->n_words + m->guard, add);
}

static void note_definition(struct opt *o, uint32_t slot, uint32_t at) {
    o->def[slot] = o->def[slot] == OPT_NONE ? (int32_t)at : OPT_MANY;
}

struct opt *opt_index(struct mfunc *f, struct arena *a) {
    struct opt *o = arena_alloc(a, sizeof *o);
    o->f = f;
    o->arena = a;
    o->n_vregs = f->vreg_words.n;
    o->word_base = arena_alloc(a, ((size_t)f->vreg_words.n + 1) * sizeof *o->word_base);
    for (uint32_t v = 0; v < f->vreg_words.n; v++) {
        o->word_base[v] = o->n_words;
        o->n_words += f->vreg_words.at[v];
    }
    o->n_slots = o->n_words + f->n_vpreds + 1;
    const size_t n = (size_t)o->n_slots + 1;
    o->def = arena_alloc(a, n * sizeof *o->def);
    o->uses = arena_alloc(a, n * sizeof *o->uses);
    o->address_uses = arena_alloc(a, n * sizeof *o->address_uses);
    o->last = arena_alloc(a, n * sizeof *o->last);
    o->stamp = arena_alloc(a, n * sizeof *o->stamp);
    o->same_as = arena_alloc(a, n * sizeof *o->same_as);
    memset(o->def, 0xff, n * sizeof *o->def);
    memset(o->same_as, 0xff, n * sizeof *o->same_as);
    if (mfunc_has_sp(f)) o->def[o->word_base[f->sp_vreg]] = OPT_MANY;
    for (uint32_t i = 0; i < f->inst.n; i++) {
        const struct minst *m = &f->inst.at[i];
        if (minst_is_filler(m)) continue;
        opt_count(o, m, true);
        for (unsigned d = 0; d < MINST_DSTS; d++) {
            const struct opnd *x = &m->dst[d];
            if (x->kind == OPND_PRED && x->reg != VPRED_TRUE) note_definition(o, opt_slot(o, x), i);
            for (uint32_t w = 0; x->kind == OPND_GPR && w < x->words; w++)
                note_definition(o, opt_slot(o, x) + w, i);
        }
    }
    return o;
}

int32_t opt_definition(const struct opt *o, uint32_t slot, uint32_t at) {
    int32_t j = OPT_NONE;
    if (o->stamp[slot] == o->epoch) {
        j = (int32_t)o->last[slot];
    } else {
        j = o->def[slot];
        if (j < 0) return -1;
        const uint32_t from = o->cfg->block_of[j], to = o->cfg->block_of[at];
        if (from == to || !cfg_dominates(o->cfg, from, to)) return -1;
    }
    return opt_plain(&o->f->inst.at[j]) ? j : -1;
}

const struct minst *opt_source(const struct opt *o, const struct opnd *x, uint32_t at,
                               uint32_t *from) {
    if (x->kind != OPND_GPR && x->kind != OPND_PRED) return NULL;
    if ((x->kind == OPND_PRED && x->reg == VPRED_TRUE) || !opt_knows(o, x)) return NULL;
    const int32_t j = opt_definition(o, opt_slot(o, x), at);
    if (j < 0) return NULL;
    *from = (uint32_t)j;
    return &o->f->inst.at[j];
}

bool opt_unchanged(const struct opt *o, const struct opnd *x, uint32_t from, uint32_t at) {
    if (x->kind != OPND_GPR && x->kind != OPND_PRED) return true;
    if (!opt_knows(o, x)) return false;
    const uint32_t words = x->kind == OPND_GPR ? x->words : 1;
    const bool near = o->cfg->block_of[from] == o->cfg->block_of[at];
    if (x->kind == OPND_PRED && x->reg == VPRED_TRUE) return true;
    for (uint32_t w = 0; w < words; w++) {
        const uint32_t slot = opt_slot(o, x) + w;
        if (near) {
            if (o->stamp[slot] == o->epoch && o->last[slot] >= from) return false;
            continue;
        }
        const int32_t j = o->def[slot];
        if (j == OPT_NONE) continue;
        if (j == OPT_MANY) return false;
        const uint32_t made = o->cfg->block_of[j], seen = o->cfg->block_of[from];
        if (made == seen ? (uint32_t)j >= from : !cfg_dominates(o->cfg, made, seen)) return false;
    }
    return true;
}

void opt_replace(struct opt *o, uint32_t at, unsigned s, struct opnd by) {
    struct minst *m = &o->f->inst.at[at];
    const struct opnd was = m->src[s];
    opt_count(o, m, false);
    m->src[s] = by;
    opt_count(o, m, true);
    o->changed = true;
    for (uint32_t i = at + 1; i < o->f->inst.n && minst_is_filler(&o->f->inst.at[i]); i++)
        for (unsigned k = 0; k < MINST_SRCS; k++) {
            struct opnd *x = &o->f->inst.at[i].src[k];
            if (x->kind != was.kind || was.kind != OPND_GPR || x->reg != was.reg ||
                x->sub < was.sub || x->sub + x->words > was.sub + was.words)
                continue;
            if (by.kind == OPND_GPR) {
                x->sub = (uint8_t)(x->sub - was.sub + by.sub);
                x->reg = by.reg;
            } else {
                *x = (struct opnd){.kind = OPND_NONE};
            }
        }
}

void opt_rewrite(struct opt *o, uint32_t at, const struct minst *by) {
    opt_count(o, &o->f->inst.at[at], false);
    o->f->inst.at[at] = *by;
    opt_count(o, by, true);
    o->changed = true;
}

void opt_insert_before(struct opt *o, uint32_t at, bool above, const struct minst *m) {
    if (o->n_inserts == o->cap_inserts)
        o->insert_at = arena_grow(o->arena, o->insert_at, &o->cap_inserts, sizeof *o->insert_at);
    o->insert_at[o->n_inserts++] = (struct opt_insert){at, above, *m};
}

void opt_move_before(struct opt *o, uint32_t at, bool above, struct opnd to, struct opnd from) {
    const struct minst *user = &o->f->inst.at[at];
    for (uint32_t w = 0; w < to.words; w++) {
        struct minst mov = {.op = OP_MOV,
                            .klass = mop_info[OP_MOV].klass,
                            .type = ITYPE_B32,
                            .stype = ITYPE_B32,
                            .guard = VPRED_TRUE,
                            .target = -1,
                            .reconv = -1,
                            .ptx_line = user->ptx_line,
                            .src_line = user->src_line,
                            .src_file = user->src_file};
        mov.dst[0] = opnd_word(to, w);
        mov.src[0] = opnd_word(from, w);
        mov.src[0].mods = 0;
        opt_insert_before(o, at, above, &mov);
    }
}

// ---- one sweep over the values ---------------------------------------------------------------
void opt_remember(struct opt *o, uint32_t at) {
    const struct minst *m = &o->f->inst.at[at];
    if (minst_is_filler(m)) return;
    for (unsigned d = 0; d < MINST_DSTS; d++) {
        const struct opnd *x = &m->dst[d];
        if (x->kind == OPND_PRED && x->reg == VPRED_TRUE) continue;
        const uint32_t n = x->kind == OPND_GPR ? x->words : x->kind == OPND_PRED;
        for (uint32_t w = 0; w < n; w++) {
            const uint32_t slot = opt_slot(o, x) + w;
            o->stamp[slot] = o->epoch;
            o->last[slot] = at;
        }
    }
}

static int by_place(const struct opt_insert *a, const struct opt_insert *b) {
    return a->before < b->before ? -1 : a->before > b->before;
}

void opt_put_inserts(struct opt *o) {
    if (!o->n_inserts) return;
    // the walk goes by blocks in reverse post-order: nearly sorted already
    for (uint32_t i = 1; i < o->n_inserts; i++) {
        const struct opt_insert x = o->insert_at[i];
        uint32_t j = i;
        for (; j && by_place(&x, &o->insert_at[j - 1]) < 0; j--)
            o->insert_at[j] = o->insert_at[j - 1];
        o->insert_at[j] = x;
    }
    struct edit e;
    edit_start(&e, o->f, o->arena);
    uint32_t next = 0;
    for (uint32_t i = 0; i < o->f->inst.n; i++) {
        uint32_t end = next;
        for (; end < o->n_inserts && o->insert_at[end].before == i; end++)
            if (o->insert_at[end].above) edit_put(&e, &o->insert_at[end].inst, 0);
        edit_at(&e, i);
        for (; next < end; next++)
            if (!o->insert_at[next].above) edit_put(&e, &o->insert_at[next].inst, 0);
        edit_put(&e, &o->f->inst.at[i], 0);
    }
    edit_finish(&e);
}

static bool carry_crosses(const struct mfunc *f, const struct cfg *c) {
    for (uint32_t b = 0; b < c->n; b++) {
        for (uint32_t i = 0; i < c->block[b].n; i++) {
            const struct minst *const m = &f->inst.at[c->block[b].first + i];
            if (isa_takes_carry(m)) return true;
            if (isa_leaves_carry(m) && m->guard == VPRED_TRUE) break;
        }
    }
    return false;
}

static bool sweep(struct mfunc *f, struct arena *a) {
    struct cfg *c = cfg_build(a, f);
    cfg_dominators(c);
    cfg_loops(c);
    struct opt *o = opt_index(f, a);
    o->cfg = c;
    o->carry_crosses = carry_crosses(f, c);
    opt_find_equal(o);
    for (uint32_t i = 0; i < c->n_order; i++) {
        const struct cfg_block *b = &c->block[c->order[i]];
        o->epoch++;
        for (uint32_t at = b->first; at < b->first + b->n; at++) {
            if (minst_is_filler(&f->inst.at[at])) continue;
            opt_propagate(o, at);
            for (unsigned times = 0; times < 4 && opt_combine(o, at); times++) opt_propagate(o, at);
            opt_remember(o, at);
        }
    }
    opt_put_inserts(o);
    return o->changed;
}

// ---- everything --------------------------------------------------------------------------------
static void one_round(struct mfunc *f, struct arena *scratch, void *context) {
    bool *again = context;
    const bool values = sweep(f, scratch);
    const bool dead = opt_dead(f, scratch);
    *again = values || dead;
}

static void clean_flow(struct mfunc *f, struct arena *scratch, void *context) {
    (void)context;
    opt_flow(f, scratch);
}

static void guard_branches(struct mfunc *f, struct arena *scratch, void *context) {
    bool *again = context;
    *again = opt_if(f, scratch);
    if (*again) opt_flow(f, scratch);
}

static void schedule(struct mfunc *f, struct arena *scratch, void *context) {
    (void)context;
    opt_schedule(f, scratch);
}

static void leave_loops(struct mfunc *f, struct arena *scratch, void *context) {
    bool *again = context;
    *again = opt_hoist(f, scratch);
}

static void fuse_products(struct mfunc *f, struct arena *scratch, void *context) {
    bool *again = context;
    *again = opt_fuse(f, scratch);
}

static void pair_constants(struct mfunc *f, struct arena *scratch, void *context) {
    bool *again = context;
    *again = opt_pair(f, scratch);
}

enum { MAX_ROUNDS = 4, MORE_ROUNDS = 8 };

void opt_run(struct mfunc *f) {
    if (!f->inst.n) return;
    edit_with_scratch(f, clean_flow, NULL);
    bool again = true;
    const bool folds = gen_has(f->target->gen, TRAIT_FOLDS);
    for (unsigned round = 0; round < (folds ? MORE_ROUNDS : MAX_ROUNDS) && again; round++)
        edit_with_scratch(f, one_round, &again);
    edit_with_scratch(f, clean_flow, NULL);
    bool fused, paired = false;
    edit_with_scratch(f, fuse_products, &fused);
    if (gen_has(f->target->gen, TRAIT_PAIRED_CONSTANTS))
        edit_with_scratch(f, pair_constants, &paired);
    again = fused || paired;
    for (unsigned round = 0; round < MAX_ROUNDS && again; round++)
        edit_with_scratch(f, one_round, &again);
    edit_with_scratch(f, guard_branches, &again);
    if (again) edit_with_scratch(f, one_round, &again);
    if (folds) edit_with_scratch(f, leave_loops, &again);
    edit_with_scratch(f, schedule, NULL);
}
