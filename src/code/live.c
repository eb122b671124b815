// Liveness, backwards over blocks, on the slots that are read before they are written in some
// block; all others live inside one block, so the bit rows stay short on large kernels.
//
// A guarded write does not by itself end what lived before, and taken plainly that makes a register
// written only under a guard live from the kernel's first instruction. Two things put it right:
//   - within a block a slot is dead, live, or live only under a predicate. `@p r = a; @!p r = b` is
//     then a whole definition, and so is a guarded one whose readers all stand under its guard;
//   - a slot is live only where some write of it has been passed (forward reachability).
#include "code/live.h"

#include <assert.h>

// State of a slot within a block. Live only where predicate p holds (or not): COND + 2 p (+ 1).
enum { DEAD, FULL, COND };
static uint32_t under(const struct minst *m) { return COND + 2 * m->guard + m->guard_not; }

static bool guarded(const struct minst *m) { return m->guard != VPRED_TRUE; }

static uint32_t slot_of(const struct live *l, const struct isa_ref *ref) {
    if (ref->file == REF_GPR) return l->word_base[ref->reg] + ref->word;
    return ref->reg == VPRED_CARRY ? l->pred_end : l->pred_base + ref->reg;
}

uint32_t live_reads(const struct live *l, const struct minst *m, uint32_t slot[LIVE_MAX_READS]) {
    if (minst_is_filler(m)) return 0;
    struct isa_ref ref[ISA_MAX_REFS];
    const uint32_t n_refs = isa_reads(m, false, ref);
    uint32_t n = 0;
    for (uint32_t i = 0; i < n_refs; i++)
        if (ref[i].place != REF_GUARD) slot[n++] = slot_of(l, &ref[i]);
    // the stack pointer reaches the callee and the caller in its register
    if ((m->op == OP_CALL || m->op == OP_CALLI || m->op == OP_RET) && mfunc_has_sp(l->f))
        slot[n++] = l->word_base[l->f->sp_vreg];
    return n;
}

uint32_t live_writes(const struct live *l, const struct minst *m, unsigned which,
                     uint32_t slot[LIVE_MAX_WRITES]) {
    if (minst_is_filler(m) || m->dst[which].kind == OPND_NONE) return 0;
    struct isa_ref ref[ISA_MAX_REFS];
    const uint32_t n_refs = isa_writes(m, false, ref);
    uint32_t n = 0;
    for (uint32_t i = 0; i < n_refs; i++)
        if (ref[i].place == which) slot[n++] = slot_of(l, &ref[i]);
    return n;
}

void slot_set_init(struct slot_set *s, struct arena *a, uint32_t n_slots) {
    s->dense = arena_alloc(a, ((size_t)n_slots + 1) * sizeof *s->dense);
    s->sparse = arena_alloc(a, ((size_t)n_slots + 1) * sizeof *s->sparse);
    s->n = 0;
}

// ---- one block backwards ------------------------------------------------------
// Two states a slot: what it is at this point if nothing is live behind the block (`least`), and if
// everything is (`most`). The block's transfer function of a slot is one of three: live whatever
// follows, dead whatever follows, or as what follows says.
struct walk {
    struct live *l;
    uint32_t *least, *most, *stamp, epoch;
    VEC(uint32_t) touched;
    VEC(uint32_t) conditional; // slots that may be in a COND state
    struct arena *arena;
};

static void touch(struct walk *w, uint32_t slot) {
    if (w->stamp[slot] == w->epoch) return;
    w->stamp[slot] = w->epoch;
    w->least[slot] = DEAD;
    w->most[slot] = FULL;
    vec_push(w->arena, &w->touched, slot);
}

// A predicate gets its value here: above, its name means something else.
static void predicate_written(struct walk *w, uint32_t p) {
    uint32_t kept = 0;
    const uint32_t code = COND + 2 * p;
    for (uint32_t i = 0; i < w->conditional.n; i++) {
        const uint32_t s = w->conditional.at[i];
        if ((w->least[s] & ~1u) == (code & ~1u) && w->least[s] >= COND) w->least[s] = FULL;
        if ((w->most[s] & ~1u) == (code & ~1u) && w->most[s] >= COND) w->most[s] = FULL;
        if (w->least[s] >= COND || w->most[s] >= COND) w->conditional.at[kept++] = s;
    }
    w->conditional.n = kept;
}

static uint32_t state_after_write(uint32_t state, const struct minst *m) {
    if (!guarded(m) || state == DEAD || state == under(m)) return DEAD;
    if (state == FULL) return under(m) ^ 1u;
    return state;
}
static uint32_t state_after_read(uint32_t state, uint32_t how) {
    return state == DEAD || state == how ? how : FULL;
}
static_assert(COND % 2 == 0, "the low bit of a conditional state is the predicate's sense");

static void read_slot(struct walk *w, uint32_t slot, uint32_t how) {
    touch(w, slot);
    w->least[slot] = state_after_read(w->least[slot], how);
    w->most[slot] = state_after_read(w->most[slot], how);
    if (how >= COND) vec_push(w->arena, &w->conditional, slot);
}

// Steps over one instruction. Answers the `kills` bits as seen from `least`.
static uint8_t walk_back(struct walk *w, const struct minst *m) {
    struct live *l = w->l;
    uint32_t slot[LIVE_MAX_READS];
    uint8_t kills = 0;
    for (unsigned which = 0; which < MINST_DSTS; which++)
        if (m->dst[which].kind == OPND_PRED && live_writes(l, m, which, slot))
            predicate_written(w, slot[0] - l->pred_base);
    for (unsigned which = 0; which < MINST_DSTS; which++) {
        const uint32_t n = live_writes(l, m, which, slot);
        bool all = true;
        for (uint32_t i = 0; i < n; i++) {
            touch(w, slot[i]);
            w->least[slot[i]] = state_after_write(w->least[slot[i]], m);
            w->most[slot[i]] = state_after_write(w->most[slot[i]], m);
            if (w->least[slot[i]] >= COND || w->most[slot[i]] >= COND)
                vec_push(w->arena, &w->conditional, slot[i]);
            all &= w->least[slot[i]] == DEAD;
        }
        if (all) kills |= (uint8_t)(1u << which);
    }
    const uint32_t n = live_reads(l, m, slot);
    const uint32_t how = guarded(m) ? under(m) : FULL;
    for (uint32_t i = 0; i < n; i++) read_slot(w, slot[i], how);
    if (guarded(m)) read_slot(w, l->pred_base + m->guard, FULL);
    return kills;
}

static void walk_start(struct walk *w) {
    w->epoch++;
    w->touched.n = w->conditional.n = 0;
}

// ---- whole function -------------------------------------------------------------
static void number_slots(struct live *l) {
    const struct mfunc *f = l->f;
    l->word_base = arena_alloc(l->arena, ((size_t)f->vreg_words.n + 1) * sizeof *l->word_base);
    uint32_t at = 0;
    for (uint32_t v = 0; v < f->vreg_words.n; v++) {
        l->word_base[v] = at;
        at += f->vreg_words.at[v];
    }
    l->word_base[f->vreg_words.n] = at;
    l->vreg_of = arena_alloc(l->arena, ((size_t)at + 1) * sizeof *l->vreg_of);
    for (uint32_t v = 0; v < f->vreg_words.n; v++)
        for (uint32_t w = l->word_base[v]; w < l->word_base[v + 1]; w++) l->vreg_of[w] = v;
    l->n_words = l->pred_base = at;
    l->pred_end = at + f->n_vpreds;
    l->n_slots = l->pred_end + 1;
}

struct block_sets {
    uint64_t *gen, *kill, *defined, *reached;
};

static void number_globals(struct live *l, struct walk *w) {
    const struct cfg *c = l->cfg;
    l->global_of = arena_alloc(l->arena, l->n_slots * sizeof *l->global_of);
    memset(l->global_of, 0xff, l->n_slots * sizeof *l->global_of);
    VEC(uint32_t) list = {0};
    for (uint32_t b = 0; b < c->n; b++) {
        walk_start(w);
        for (uint32_t i = c->block[b].n; i-- > 0;)
            walk_back(w, &l->f->inst.at[c->block[b].first + i]);
        for (uint32_t i = 0; i < w->touched.n; i++) {
            const uint32_t s = w->touched.at[i];
            if (w->least[s] == DEAD || l->global_of[s] != UINT32_MAX) continue;
            l->global_of[s] = list.n;
            vec_push(l->arena, &list, s);
        }
    }
    l->slot_of = list.at;
    l->n_global = list.n;
    l->row_words = (list.n + 63) / 64;
}

static void set_bit(uint64_t *row, uint32_t bit) { row[bit / 64] |= 1ull << (bit % 64); }

static void summarise_blocks(struct live *l, struct walk *w, struct block_sets *k) {
    const struct cfg *c = l->cfg;
    uint32_t slot[LIVE_MAX_READS];
    for (uint32_t b = 0; b < c->n; b++) {
        const size_t row = (size_t)b * l->row_words;
        walk_start(w);
        for (uint32_t i = c->block[b].n; i-- > 0;) {
            const struct minst *m = &l->f->inst.at[c->block[b].first + i];
            walk_back(w, m);
            for (unsigned which = 0; which < MINST_DSTS; which++) {
                const uint32_t n = live_writes(l, m, which, slot);
                for (uint32_t j = 0; j < n; j++)
                    if (l->global_of[slot[j]] != UINT32_MAX)
                        set_bit(k->defined + row, l->global_of[slot[j]]);
            }
        }
        for (uint32_t i = 0; i < w->touched.n; i++) {
            const uint32_t s = w->touched.at[i], bit = l->global_of[s];
            if (bit == UINT32_MAX) continue;
            if (w->least[s] != DEAD) set_bit(k->gen + row, bit);
            if (w->most[s] == DEAD) set_bit(k->kill + row, bit);
        }
    }
}

static void solve(struct live *l, const struct block_sets *k) {
    const struct cfg *c = l->cfg;
    const uint32_t words = l->row_words;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t o = c->n_order; o-- > 0;) {
            const uint32_t b = c->order[o];
            const size_t row = (size_t)b * words;
            for (uint32_t i = 0; i < c->block[b].n_succ; i++) {
                const size_t from = (size_t)c->edge[c->block[b].succ + i] * words;
                for (uint32_t x = 0; x < words; x++) l->out[row + x] |= l->in[from + x];
            }
            for (uint32_t x = 0; x < words; x++) {
                const uint64_t in = k->gen[row + x] | (l->out[row + x] & ~k->kill[row + x]);
                changed |= in != l->in[row + x];
                l->in[row + x] = in;
            }
        }
    }
    // where some write has been passed: `reached` at a block's start
    if (mfunc_has_sp(l->f) && c->n_order) {
        const uint32_t bit = l->global_of[l->word_base[l->f->sp_vreg]];
        if (bit != UINT32_MAX) set_bit(k->reached, bit);
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t o = 0; o < c->n_order; o++) {
            const uint32_t b = c->order[o];
            const size_t row = (size_t)b * words;
            for (uint32_t i = 0; i < c->block[b].n_pred; i++) {
                const uint32_t p = c->pred_edge[c->block[b].pred + i];
                if (c->block[p].rpo == UINT32_MAX) continue;
                const size_t from = (size_t)p * words;
                for (uint32_t x = 0; x < words; x++) {
                    const uint64_t r =
                        k->reached[row + x] | k->reached[from + x] | k->defined[from + x];
                    changed |= r != k->reached[row + x];
                    k->reached[row + x] = r;
                }
            }
        }
    }
    for (uint32_t b = 0; b < c->n; b++) {
        const size_t row = (size_t)b * words;
        for (uint32_t x = 0; x < words; x++) {
            l->in[row + x] &= k->reached[row + x];
            l->out[row + x] &= k->reached[row + x] | k->defined[row + x];
        }
    }
}

// The final pass: which guarded writes end what lived above them.
static void find_kills(struct live *l, struct walk *w, const struct block_sets *k) {
    const struct cfg *c = l->cfg;
    uint32_t slot[LIVE_MAX_READS];
    for (uint32_t b = 0; b < c->n; b++) {
        const struct cfg_block *block = &c->block[b];
        const uint64_t *reached = k->reached + (size_t)b * l->row_words;
        walk_start(w); // forwards: nothing has been written before, so nothing lived above
        for (uint32_t i = block->first; i < block->first + block->n; i++) {
            const struct minst *m = &l->f->inst.at[i];
            for (unsigned which = 0; which < MINST_DSTS; which++) {
                const uint32_t n = live_writes(l, m, which, slot);
                bool first = true;
                for (uint32_t j = 0; j < n; j++) {
                    const uint32_t bit = l->global_of[slot[j]];
                    first &= w->stamp[slot[j]] != w->epoch &&
                             (bit == UINT32_MAX || !live_bit(reached, bit));
                    touch(w, slot[j]);
                }
                if (first || !guarded(m)) l->kills[i] |= (uint8_t)(1u << which);
            }
        }
        walk_start(w);
        const uint64_t *out = l->out + (size_t)b * l->row_words;
        for (uint32_t x = 0; x < l->row_words; x++) FOR_EACH_BIT64(bit, out[x]) {
                const uint32_t s = l->slot_of[x * 64 + (uint32_t)bit];
                touch(w, s);
                w->least[s] = FULL;
            }
        for (uint32_t i = block->first + block->n; i-- > block->first;)
            l->kills[i] |= walk_back(w, &l->f->inst.at[i]);
    }
}

struct live *live_build(struct arena *a, const struct mfunc *f, const struct cfg *c) {
    struct live *l = arena_alloc(a, sizeof *l);
    l->arena = a;
    l->f = f;
    l->cfg = c;
    number_slots(l);
    struct walk w = {.l = l, .arena = a};
    w.least = arena_alloc(a, l->n_slots * sizeof *w.least);
    w.most = arena_alloc(a, l->n_slots * sizeof *w.most);
    w.stamp = arena_alloc(a, l->n_slots * sizeof *w.stamp);
    number_globals(l, &w);
    const size_t rows = (size_t)c->n * l->row_words * sizeof(uint64_t);
    l->in = arena_alloc(a, rows);
    l->out = arena_alloc(a, rows);
    struct block_sets k = {.gen = arena_alloc(a, rows),
                           .kill = arena_alloc(a, rows),
                           .defined = arena_alloc(a, rows),
                           .reached = arena_alloc(a, rows)};
    summarise_blocks(l, &w, &k);
    solve(l, &k);
    l->kills = arena_alloc(a, (size_t)f->inst.n + 1);
    find_kills(l, &w, &k);
    return l;
}

// ---- walking ----------------------------------------------------------------------
void live_block_end(const struct live *l, uint32_t block, struct slot_set *now) {
    now->n = 0;
    const uint64_t *out = l->out + (size_t)block * l->row_words;
    for (uint32_t x = 0; x < l->row_words; x++)
        FOR_EACH_BIT64(bit, out[x]) slot_set_add(now, l->slot_of[x * 64 + (uint32_t)bit]);
}

void live_step_back(const struct live *l, uint32_t inst, struct slot_set *now) {
    const struct minst *m = &l->f->inst.at[inst];
    uint32_t slot[LIVE_MAX_READS];
    for (unsigned which = 0; which < MINST_DSTS; which++) {
        if (!(l->kills[inst] >> which & 1)) continue;
        const uint32_t n = live_writes(l, m, which, slot);
        for (uint32_t i = 0; i < n; i++) slot_set_remove(now, slot[i]);
    }
    const uint32_t n = live_reads(l, m, slot);
    for (uint32_t i = 0; i < n; i++) slot_set_add(now, slot[i]);
    if (guarded(m)) slot_set_add(now, l->pred_base + m->guard);
}

struct live_pressure live_max_pressure(const struct live *l) {
    struct live_pressure most = {0};
    struct slot_set now;
    slot_set_init(&now, l->arena, l->n_slots);
    for (uint32_t b = 0; b < l->cfg->n; b++) {
        live_block_end(l, b, &now);
        for (uint32_t i = l->cfg->block[b].n; i-- > 0;) {
            live_step_back(l, l->cfg->block[b].first + i, &now);
            uint32_t preds = 0;
            for (uint32_t j = 0; j < now.n; j++) preds += now.dense[j] >= l->pred_base;
            if (now.n - preds > most.words) most.words = now.n - preds;
            if (preds > most.preds) most.preds = preds;
        }
    }
    return most;
}
