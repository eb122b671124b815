// Registers of the sums of warp groups' products (GMMA), before allocation.
//
// Sums take up to 128 registers side by side, which colouring does not handle: it knows groups of
// four. They are placed here, as wholes, in a block behind all registers that colouring gives out.
// Compilers give each product in a chain names of its own for its sums and copy a hundred words from
// one to the next, so copies decide what is placed where:
//
//   join     sums that copies tie word by word share their registers, if no word of one is in use
//            while the same word of the other holds something else; then single registers that
//            copies tie to a word of sums
//   place    sums that are in use at the same time lie apart; others may lie over each other
//
// What is in use when follows from liveness, as colouring has it (ra_graph.c).
#include "code/ra.h"

#include <assert.h>

// A node is a word that takes part: of sums, or a register of one word that a copy ties to one.
struct sums {
    struct mfunc *f;
    struct arena *arena;
    struct live *live;
    uint32_t *node_of; // slot -> node, UINT32_MAX: takes no part
    uint32_t *slot;    // node -> slot
    uint32_t n, row_words;
    uint32_t *parent;   // node -> the node that it is one with
    uint64_t *conflict; // rows of nodes: in use at the same time, a bit each
    VEC(struct tie) tie;
};
struct tie {
    uint32_t to, from; // slots
};

static bool is_sums(const struct mfunc *f, uint32_t vreg) {
    return f->vreg_words.at[vreg] > OPND_MOST_WORDS;
}
static uint32_t find(const struct sums *s, uint32_t x) {
    while (s->parent[x] != x) x = s->parent[x];
    return x;
}
static uint64_t *row(const struct sums *s, uint32_t x) {
    return s->conflict + (size_t)x * s->row_words;
}

// ---- who takes part -----------------------------------------------------------------------------
static bool is_copy(const struct minst *m) {
    return m->op == OP_MOV && !(m->flags & MF_FRAME) && m->guard == VPRED_TRUE &&
           m->dst[0].kind == OPND_GPR && m->src[0].kind == OPND_GPR && !m->src[0].mods &&
           m->dst[0].words == 1 && m->src[0].words == 1;
}
static uint32_t slot_of(const struct sums *s, const struct opnd *o) {
    return s->live->word_base[o->reg] + o->sub;
}
static bool may_take_part(const struct sums *s, uint32_t slot) {
    const uint32_t v = s->live->vreg_of[slot];
    return is_sums(s->f, v) || (s->f->vreg_words.at[v] == 1 && v != s->f->sp_vreg);
}
static void take_part(struct sums *s, uint32_t slot) {
    if (s->node_of[slot] == UINT32_MAX) s->node_of[slot] = s->n++;
}

static void find_nodes(struct sums *s) {
    const struct mfunc *const f = s->f;
    s->node_of = arena_alloc(s->arena, s->live->n_slots * sizeof *s->node_of);
    memset(s->node_of, 0xff, s->live->n_slots * sizeof *s->node_of);
    for (uint32_t v = 0; v < f->vreg_words.n; v++)
        for (uint32_t w = 0; is_sums(f, v) && w < f->vreg_words.at[v]; w++)
            take_part(s, s->live->word_base[v] + w);
    for (uint32_t before = 0; before != s->n;) { // chains of copies
        before = s->n;
        s->tie.n = 0;
        for (uint32_t i = 0; i < f->inst.n; i++) {
            const struct minst *const m = &f->inst.at[i];
            if (!is_copy(m)) continue;
            const struct tie t = {slot_of(s, &m->dst[0]), slot_of(s, &m->src[0])};
            if (!may_take_part(s, t.to) || !may_take_part(s, t.from)) continue;
            if (s->node_of[t.to] == UINT32_MAX && s->node_of[t.from] == UINT32_MAX) continue;
            take_part(s, t.to);
            take_part(s, t.from);
            vec_push(s->arena, &s->tie, t);
        }
    }
    // A product that takes its sums from other registers is as good as a copy.
    for (uint32_t i = 0; i < f->inst.n; i++) {
        const struct minst *const m = &f->inst.at[i];
        if (m->op != OP_GMMA || m->src[2].kind != OPND_GPR) continue;
        for (uint32_t w = 0; w < m->dst[0].words; w++) {
            const struct tie t = {slot_of(s, &m->dst[0]) + w, slot_of(s, &m->src[2]) + w};
            if (t.to != t.from && s->node_of[t.to] != UINT32_MAX &&
                s->node_of[t.from] != UINT32_MAX)
                vec_push(s->arena, &s->tie, t);
        }
    }
    s->slot = arena_alloc(s->arena, (s->n + 1ul) * sizeof *s->slot);
    for (uint32_t k = 0; k < s->live->n_slots; k++)
        if (s->node_of[k] != UINT32_MAX) s->slot[s->node_of[k]] = k;
}

// ---- what is in use when ------------------------------------------------------------------------
static void conflict(struct sums *s, uint32_t x, uint32_t y) {
    row(s, x)[y / 64] |= 1ull << y % 64;
    row(s, y)[x / 64] |= 1ull << x % 64;
}
static void conflicts_of(struct sums *s, uint32_t i, const struct slot_set *now) {
    const struct minst *const m = &s->f->inst.at[i];
    const uint32_t copied = is_copy(m) ? slot_of(s, &m->src[0]) : UINT32_MAX;
    uint32_t slot[LIVE_MAX_WRITES];
    for (unsigned which = 0; which < MINST_DSTS; which++) {
        const uint32_t n = live_writes(s->live, m, which, slot);
        for (uint32_t k = 0; k < n; k++) {
            if (slot[k] >= s->live->n_words || s->node_of[slot[k]] == UINT32_MAX) continue;
            const uint32_t x = s->node_of[slot[k]];
            for (uint32_t j = 0; j < now->n; j++) {
                const uint32_t other = now->dense[j];
                if (other == slot[k] || other == copied || other >= s->live->n_words) continue;
                if (s->node_of[other] != UINT32_MAX) conflict(s, x, s->node_of[other]);
            }
            for (uint32_t j = 0; j < n; j++) // written together
                if (j != k && slot[j] < s->live->n_words && s->node_of[slot[j]] != UINT32_MAX)
                    conflict(s, x, s->node_of[slot[j]]);
        }
    }
}
static void find_conflicts(struct sums *s, const struct cfg *c) {
    s->row_words = (s->n + 63) / 64;
    s->conflict = arena_alloc(s->arena, ((size_t)s->n * s->row_words + 1) * sizeof *s->conflict);
    struct slot_set now;
    slot_set_init(&now, s->arena, s->live->n_slots);
    for (uint32_t b = 0; b < c->n; b++) {
        live_block_end(s->live, b, &now);
        for (uint32_t i = c->block[b].first + c->block[b].n; i-- > c->block[b].first;) {
            conflicts_of(s, i, &now);
            live_step_back(s->live, i, &now);
        }
    }
}

// ---- joining ------------------------------------------------------------------------------------
static bool may_join(const struct sums *s, uint32_t a, uint32_t b) {
    const uint32_t x = find(s, a), y = find(s, b);
    return x == y || !(row(s, x)[y / 64] >> y % 64 & 1);
}
// The node of `a` stands for both: sums, if one of them is.
static void join(struct sums *s, uint32_t a, uint32_t b) {
    const uint32_t x = find(s, a), y = find(s, b);
    if (x == y) return;
    s->parent[y] = x;
    for (uint32_t k = 0; k < s->n; k++) // whatever met y meets x
        if (row(s, y)[k / 64] >> k % 64 & 1) conflict(s, x, k);
}
static uint32_t vreg_of(const struct sums *s, uint32_t node) {
    return s->live->vreg_of[s->slot[find(s, node)]];
}
static uint32_t word_in(const struct sums *s, uint32_t node) {
    const uint32_t slot = s->slot[find(s, node)];
    return slot - s->live->word_base[s->live->vreg_of[slot]];
}

// Sums of as many words, as wholes.
static bool join_sums(struct sums *s, uint32_t v, uint32_t u) {
    const uint32_t words = s->f->vreg_words.at[v];
    if (v == u || words != s->f->vreg_words.at[u]) return false;
    const uint32_t a = s->node_of[s->live->word_base[v]], b = s->node_of[s->live->word_base[u]];
    for (uint32_t w = 0; w < words; w++)
        if (!may_join(s, a + w, b + w)) return false;
    for (uint32_t w = 0; w < words; w++) join(s, a + w, b + w);
    return true;
}

// Single registers keep what their node was until they are one with a word of sums; registers that
// are tied to each other only are left to colouring.
static bool join_ties(struct sums *s, bool wholes) {
    bool any = false;
    for (uint32_t i = 0; i < s->tie.n; i++) {
        const uint32_t a = s->node_of[s->tie.at[i].to], b = s->node_of[s->tie.at[i].from];
        if (find(s, a) == find(s, b)) continue;
        const uint32_t v = vreg_of(s, a), u = vreg_of(s, b);
        if (is_sums(s->f, v) && is_sums(s->f, u)) {
            if (wholes && word_in(s, a) == word_in(s, b)) any |= join_sums(s, v, u);
        } else if (!wholes && (is_sums(s->f, v) || is_sums(s->f, u)) && may_join(s, a, b)) {
            if (is_sums(s->f, v))
                join(s, a, b);
            else
                join(s, b, a);
            any = true;
        }
    }
    return any;
}

// ---- rewriting ----------------------------------------------------------------------------------
static void rename_word(const struct sums *s, struct opnd *o) {
    if (o->kind != OPND_GPR) return;
    const uint32_t node = s->node_of[slot_of(s, o)];
    if (node == UINT32_MAX) return;
    o->reg = vreg_of(s, node);
    o->sub = (uint8_t)word_in(s, node);
}

// A product adds to its own sums: where it could not be joined with those that it takes, these are
// copied first.
static void copy_sums(struct mfunc *f, struct arena *scratch) {
    struct edit e;
    edit_start(&e, f, scratch);
    for (uint32_t i = 0; i < f->inst.n; i++) {
        struct minst m = f->inst.at[i];
        edit_at(&e, i);
        const bool is_apart =
            m.op == OP_GMMA && m.src[2].kind == OPND_GPR && m.src[2].reg != m.dst[0].reg;
        for (uint32_t w = 0; is_apart && w < m.dst[0].words; w++) {
            struct minst copy = {.op = OP_MOV,
                                 .klass = mop_info[OP_MOV].klass,
                                 .type = ITYPE_B32,
                                 .stype = ITYPE_B32,
                                 .guard = m.guard,
                                 .guard_not = m.guard_not,
                                 .target = -1,
                                 .reconv = -1,
                                 .ptx_line = m.ptx_line,
                                 .src_line = m.src_line,
                                 .src_file = m.src_file};
            copy.dst[0] = opnd_word(m.dst[0], w);
            copy.src[0] = opnd_word(m.src[2], w);
            edit_put(&e, &copy, 0);
        }
        if (is_apart) m.src[2] = m.dst[0];
        edit_put(&e, &m, 0);
    }
    edit_finish(&e);
}

static struct sums look(struct mfunc *f, struct arena *scratch) {
    struct sums s = {.f = f, .arena = scratch};
    struct cfg *const c = cfg_build(scratch, f);
    cfg_dominators(c);
    cfg_loops(c);
    s.live = live_build(scratch, f, c);
    find_nodes(&s);
    s.parent = arena_alloc(scratch, (s.n + 1ul) * sizeof *s.parent);
    for (uint32_t k = 0; k < s.n; k++) s.parent[k] = k;
    find_conflicts(&s, c);
    return s;
}

static void join_all(struct mfunc *f, struct arena *scratch, void *unused) {
    (void)unused;
    struct sums s = look(f, scratch);
    while (join_ties(&s, true)) {
    }
    while (join_ties(&s, false)) {
    }
    while (join_ties(&s, true)) {
    }
    for (uint32_t i = 0; i < f->inst.n; i++) {
        struct minst *const m = &f->inst.at[i];
        for (unsigned k = 0; k < MINST_DSTS; k++) rename_word(&s, &m->dst[k]);
        for (unsigned k = 0; k < MINST_SRCS; k++) rename_word(&s, &m->src[k]);
    }
    copy_sums(f, scratch);
}

// ---- places -------------------------------------------------------------------------------------
static bool conflict_anywhere(const struct sums *s, uint32_t v, uint32_t u) {
    const uint32_t a = s->node_of[s->live->word_base[v]], b = s->node_of[s->live->word_base[u]];
    for (uint32_t w = 0; w < s->f->vreg_words.at[v]; w++)
        for (uint32_t k = 0; k < s->f->vreg_words.at[u]; k++)
            if (row(s, a + w)[(b + k) / 64] >> (b + k) % 64 & 1) return true;
    return false;
}
static bool is_named(const struct mfunc *f, uint32_t vreg) {
    for (uint32_t i = 0; i < f->inst.n; i++) {
        const struct minst *const m = &f->inst.at[i];
        for (unsigned k = 0; k < MINST_DSTS; k++)
            if (m->dst[k].kind == OPND_GPR && m->dst[k].reg == vreg) return true;
        for (unsigned k = 0; k < MINST_SRCS; k++)
            if (m->src[k].kind == OPND_GPR && m->src[k].reg == vreg) return true;
    }
    return false;
}

// The first place, in steps of SUMS_ALIGN, at which no sums in use at the same time lie.
static void place_one(const struct sums *s, uint32_t v, const uint32_t *placed, uint32_t n) {
    struct mfunc *const f = s->f;
    uint32_t at = 0;
    for (bool moved = true; moved;) {
        moved = false;
        for (uint32_t k = 0; k < n; k++) {
            const uint32_t u = placed[k], from = f->sum_at[u];
            const bool is_over = at < from + f->vreg_words.at[u] && from < at + f->vreg_words.at[v];
            if (!is_over || !conflict_anywhere(s, v, u)) continue;
            at = (uint32_t)bits_align_up(from + f->vreg_words.at[u], SUMS_ALIGN);
            moved = true;
        }
    }
    f->sum_at[v] = at;
    if (at + f->vreg_words.at[v] > f->sum_words) f->sum_words = at + f->vreg_words.at[v];
}

static void place_all(struct mfunc *f, struct arena *scratch, void *unused) {
    (void)unused;
    const struct sums s = look(f, scratch);
    uint32_t *const placed = arena_alloc(scratch, (f->vreg_words.n + 1ul) * sizeof *placed), n = 0;
    f->sum_at = arena_alloc(f->arena, (f->vreg_words.n + 1ul) * sizeof *f->sum_at);
    for (uint32_t v = 0; v < f->vreg_words.n; v++) {
        if (!is_sums(f, v) || !is_named(f, v)) continue;
        place_one(&s, v, placed, n);
        placed[n++] = v;
    }
}

void ra_place_sums(struct mfunc *f) {
    bool any = false;
    for (uint32_t v = 0; v < f->vreg_words.n && !any; v++) any = is_sums(f, v);
    if (!any) return;
    edit_with_scratch(f, join_all, NULL);
    edit_with_scratch(f, place_all, NULL);
}
