// What a loop does not change leaves it, for generations whose assembler does so (TRAIT_FOLDS): PTX
// comes from a compiler that has done this for what PTX says, but not for what lowering makes of
// it, such as the lane's part of a matrix's address, which nvcc's SASS has in one register in front
// of the loop.
//
// Only sums, shifts and fields move, whose operands have one definition each. A value that the loop
// still needs stays in a register all the way through, so that only BUDGET words of them move.
#include "code/opt.h"

enum { BUDGET = 8, NESTS = 2 };

struct hoist {
    struct mfunc *f;
    struct arena *arena;
    struct cfg *cfg;
    struct opt *opt;
    uint8_t *early; // by instruction: some reader may come before it
    uint8_t *fits;  // ... the loop that it is in does not change it
    uint8_t *moves; // ... and it moves
    uint32_t left;  // words of the budget
};

static bool may_move(const struct opt *o, uint32_t at) {
    const struct minst *const m = &o->f->inst.at[at];
    if (!opt_plain(m) || (m->flags & MF_VOLATILE)) return false;
    if (m->dst[0].kind != OPND_GPR || m->dst[1].kind != OPND_NONE) return false;
    if (at + 1 < o->f->inst.n && minst_is_filler(&o->f->inst.at[at + 1])) return false;
    for (uint32_t w = 0; w < m->dst[0].words; w++)
        if (o->def[opt_slot(o, &m->dst[0]) + w] != (int32_t)at) return false;
    switch (m->op) {
    case OP_S2R:
    case OP_BFE:
    case OP_SHL:
    case OP_SHR:
    case OP_IADD:
    case OP_LOP:
    case OP_IMUL:
    case OP_IMAD:
    case OP_ISCADD: return true;
    default: return false;
    }
}

// Whether all of the instruction's sources are there in front of the loop of `head`, or move there.
static bool is_fixed(const struct hoist *h, uint32_t at, uint32_t head) {
    const struct minst *const m = &h->f->inst.at[at];
    for (unsigned s = 0; s < MINST_SRCS; s++) {
        const struct opnd *const x = &m->src[s];
        if (x->kind == OPND_PRED) return false;
        for (uint32_t w = 0; x->kind == OPND_GPR && w < x->words; w++) {
            const int32_t j = h->opt->def[opt_slot(h->opt, x) + w];
            if (j < 0 || h->f->inst.at[j].guard != VPRED_TRUE) return false;
            const uint32_t b = h->cfg->block_of[j];
            const bool is_before = b != head && cfg_dominates(h->cfg, b, head);
            const bool comes_along = h->fits[j] && h->cfg->block[b].loop_head == (int32_t)head;
            if (!is_before && !comes_along) return false;
        }
    }
    return true;
}

// A reader that may come before the definition sees the value of an earlier turn of some loop, or
// of the loop's earlier run, which another value must not replace.
static void find_early(struct hoist *h) {
    for (uint32_t at = 0; at < h->f->inst.n; at++) {
        const struct minst *const m = &h->f->inst.at[at];
        if (minst_is_filler(m)) continue;
        for (unsigned s = 0; s < MINST_SRCS; s++)
            for (uint32_t w = 0; m->src[s].kind == OPND_GPR && w < m->src[s].words; w++) {
                const int32_t j = h->opt->def[opt_slot(h->opt, &m->src[s]) + w];
                if (j < 0) continue;
                const uint32_t made = h->cfg->block_of[j], seen = h->cfg->block_of[at];
                if (made == seen ? (uint32_t)j >= at : !cfg_dominates(h->cfg, made, seen))
                    h->early[j] = 1;
            }
    }
}

static void find_fixed(struct hoist *h) {
    for (uint32_t i = 0; i < h->cfg->n_order; i++) {
        const struct cfg_block *const b = &h->cfg->block[h->cfg->order[i]];
        if (b->loop_head < 0 || h->cfg->block[b->loop_head].idom < 0) continue;
        for (uint32_t at = b->first; at < b->first + b->n; at++)
            h->fits[at] =
                !h->early[at] && may_move(h->opt, at) && is_fixed(h, at, (uint32_t)b->loop_head);
    }
}

// The instruction and what it needs of its loop.
static void move(struct hoist *h, uint32_t at, uint32_t depth) {
    if (h->moves[at] || depth > 32) return;
    const struct minst *const m = &h->f->inst.at[at];
    for (unsigned s = 0; s < MINST_SRCS; s++)
        for (uint32_t w = 0; m->src[s].kind == OPND_GPR && w < m->src[s].words; w++) {
            const int32_t j = h->opt->def[opt_slot(h->opt, &m->src[s]) + w];
            if (h->fits[j]) move(h, (uint32_t)j, depth + 1);
        }
    h->moves[at] = 1;
}

// What an instruction that stays reads is worth a register.
static void choose(struct hoist *h) {
    for (uint32_t at = 0; at < h->f->inst.n; at++) {
        const struct minst *const m = &h->f->inst.at[at];
        if (h->fits[at] || minst_is_filler(m)) continue;
        for (unsigned s = 0; s < MINST_SRCS; s++) {
            if (m->src[s].kind != OPND_GPR) continue;
            const int32_t j = h->opt->def[opt_slot(h->opt, &m->src[s])];
            if (j < 0 || !h->fits[j] || h->moves[j]) continue;
            const struct minst *const made = &h->f->inst.at[j];
            if (made->op == OP_S2R || made->dst[0].words > h->left) continue;
            h->left -= made->dst[0].words;
            move(h, (uint32_t)j, 0);
        }
    }
}

// In front of which instruction what leaves the loop of `head` goes; `*above`: of its labels too.
static uint32_t place_before(const struct hoist *h, uint32_t head, bool *above) {
    const struct cfg_block *const b = &h->cfg->block[h->cfg->block[head].idom];
    const uint32_t last = b->first + b->n - 1;
    *above = !minst_ends_block(&h->f->inst.at[last], false);
    return *above ? last + 1 : last;
}

static bool hoist_once(struct hoist *h) {
    struct mfunc *const f = h->f;
    h->cfg = cfg_build(h->arena, f);
    cfg_dominators(h->cfg);
    cfg_loops(h->cfg);
    h->opt = opt_index(f, h->arena);
    h->opt->cfg = h->cfg;
    h->early = arena_alloc(h->arena, (size_t)f->inst.n + 1);
    h->fits = arena_alloc(h->arena, (size_t)f->inst.n + 1);
    h->moves = arena_alloc(h->arena, (size_t)f->inst.n + 1);
    find_early(h);
    find_fixed(h);
    choose(h);
    // A list for each place, in an order in which what is read comes first.
    int32_t *const first = arena_alloc(h->arena, ((size_t)f->inst.n + 1) * sizeof *first);
    int32_t *const next = arena_alloc(h->arena, ((size_t)f->inst.n + 1) * sizeof *next);
    uint8_t *const is_above = arena_alloc(h->arena, (size_t)f->inst.n + 1);
    memset(first, 0xff, ((size_t)f->inst.n + 1) * sizeof *first);
    bool any = false;
    for (uint32_t i = h->cfg->n_order; i-- > 0;) {
        const struct cfg_block *const b = &h->cfg->block[h->cfg->order[i]];
        for (uint32_t at = b->first + b->n; at-- > b->first;) {
            if (!h->moves[at]) continue;
            bool above;
            const uint32_t place = place_before(h, (uint32_t)b->loop_head, &above);
            is_above[place] = above;
            next[at] = first[place];
            first[place] = (int32_t)at;
            any = true;
        }
    }
    if (!any) return false;
    struct edit e;
    edit_start(&e, f, h->arena);
    for (uint32_t i = 0; i < f->inst.n; i++) {
        if (!is_above[i]) edit_at(&e, i);
        for (int32_t j = first[i]; j >= 0; j = next[j]) edit_put(&e, &f->inst.at[j], 0);
        if (is_above[i]) edit_at(&e, i);
        if (!h->moves[i]) edit_put(&e, &f->inst.at[i], 0);
    }
    edit_finish(&e);
    return true;
}

bool opt_hoist(struct mfunc *f, struct arena *a) {
    struct hoist h = {.f = f, .arena = a, .left = BUDGET};
    bool any = false;
    for (uint32_t nest = 0; nest < NESTS && hoist_once(&h); nest++) any = true;
    return any;
}
