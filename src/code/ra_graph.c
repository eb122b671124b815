// Interference between virtual registers, word by word, and the grouping of those that moves tie
// together.
//
// Two registers conflict not as wholes but in words: a quad whose first word has been consumed
// leaves a hole that a single word may fill, and a pair may be built from two words in place. An
// edge therefore carries a 4 x 4 bit mask of words that may not share a register.
#include "code/ra.h"

#include <assert.h>
#include <stdlib.h>

// ---- table of edges -----------------------------------------------------------
static uint64_t table_hash(uint64_t key) { return key * 0x9e3779b97f4a7c15ull >> 20; }

static void table_init(struct ra_table *t, struct arena *a, uint32_t cap) {
    t->n = 0;
    t->cap = cap;
    t->key = arena_alloc(a, (size_t)cap * sizeof *t->key);
    t->mask = arena_alloc(a, (size_t)cap * sizeof *t->mask);
}

static uint32_t table_slot(const struct ra_table *t, uint64_t key) {
    uint32_t i = (uint32_t)table_hash(key) & (t->cap - 1);
    while (t->key[i] && t->key[i] != key) i = (i + 1) & (t->cap - 1);
    return i;
}

// Keys are (lower << 32 | higher) + 1, never 0.
static uint64_t table_key(uint32_t lower, uint32_t higher) {
    return ((uint64_t)lower << 32 | higher) + 1;
}

static void table_add(struct ra_table *t, struct arena *a, uint32_t x, uint32_t y, uint16_t mask) {
    if (t->n * 4 >= t->cap * 3) {
        const struct ra_table old = *t;
        table_init(t, a, old.cap * 2);
        t->n = old.n;
        for (uint32_t i = 0; i < old.cap; i++)
            if (old.key[i]) {
                const uint32_t at = table_slot(t, old.key[i]);
                t->key[at] = old.key[i];
                t->mask[at] = old.mask[i];
            }
    }
    const uint64_t key = table_key(x, y);
    const uint32_t at = table_slot(t, key);
    if (!t->key[at]) {
        t->key[at] = key;
        t->n++;
    }
    t->mask[at] |= mask;
}

static uint16_t transpose(uint16_t m) {
    if (m == 1) return m; // two single words
    uint16_t t = 0;
    for (unsigned i = 0; i < 4; i++)
        for (unsigned j = 0; j < 4; j++)
            if (m >> (4 * i + j) & 1) t |= (uint16_t)(1u << (4 * j + i));
    return t;
}

static void add_conflict(struct ra *r, uint32_t x, unsigned word_x, uint32_t y, unsigned word_y) {
    if (x == y) return;
    if (x < y)
        table_add(&r->table, r->arena, x, y, (uint16_t)(1u << (4 * word_x + word_y)));
    else
        table_add(&r->table, r->arena, y, x, (uint16_t)(1u << (4 * word_y + word_x)));
}

// ---- building -------------------------------------------------------------------
static uint32_t word_of(const struct ra *r, uint32_t slot) {
    return r->cls == RA_GPR ? slot - r->live->word_base[r->live->vreg_of[slot]] : 0;
}

bool ra_is_move(const struct ra *r, const struct minst *m, struct opnd *d, struct opnd *s) {
    const uint16_t op = r->cls == RA_GPR ? OP_MOV : OP_PSETP;
    const uint8_t kind = r->cls == RA_GPR ? OPND_GPR : OPND_PRED;
    if (m->op != op || (m->flags & MF_FRAME)) return false;
    *d = m->dst[0];
    *s = m->src[0];
    if (d->kind != kind || s->kind != kind || s->mods || d->words != s->words) return false;
    if (r->cls == RA_GPR) return true;
    return m->src[1].kind == OPND_NONE && d->reg != VPRED_TRUE && s->reg != VPRED_TRUE;
}

// The result written into `slot` conflicts with everything else that lives on, but for the word
// that a move has just copied.
static void conflicts_of_write(struct ra *r, uint32_t slot, uint32_t copied,
                               const struct slot_set *now) {
    const uint32_t x = ra_node_of(r, slot), wx = word_of(r, slot);
    for (uint32_t i = 0; i < now->n; i++) {
        const uint32_t other = now->dense[i];
        if (other == copied || other == slot || !ra_has(r, other)) continue;
        add_conflict(r, x, wx, ra_node_of(r, other), word_of(r, other));
    }
}

// ---- values under a guard -----------------------------------------------------------------------
//     @p LDG t, [a];  ...  @p MOV d, t
// Where p does not hold d keeps its value, and where it holds d takes t's, so that t may lie in d
// if nothing between the two looks at d or changes p. What a short branch prefetched into a
// register else waits behind the load at once (opt_if.c).
enum { GUARD_REACH = 64 };

static bool has_slot(const uint32_t *slot, uint32_t n, uint32_t x) {
    for (uint32_t i = 0; i < n; i++)
        if (slot[i] == x) return true;
    return false;
}

// Whether the instruction reads or writes the word, or writes the predicate.
static bool meddles(const struct ra *r, const struct minst *m, uint32_t word, uint32_t guard) {
    uint32_t slot[LIVE_MAX_READS > LIVE_MAX_WRITES ? LIVE_MAX_READS : LIVE_MAX_WRITES];
    if (has_slot(slot, live_reads(r->live, m, slot), word)) return true;
    for (unsigned which = 0; which < MINST_DSTS; which++) {
        const uint32_t n = live_writes(r->live, m, which, slot);
        if (has_slot(slot, n, word) || has_slot(slot, n, r->live->pred_base + guard)) return true;
    }
    return false;
}

static void find_same_guard(struct ra *r) {
    const struct mfunc *const f = r->f;
    uint32_t slot[LIVE_MAX_READS > LIVE_MAX_WRITES ? LIVE_MAX_READS : LIVE_MAX_WRITES];
    uint8_t *const reads = arena_alloc(r->arena, r->live->n_slots + 1u);
    uint8_t *const writes = arena_alloc(r->arena, r->live->n_slots + 1u);
    uint32_t *const made = arena_alloc(r->arena, (r->live->n_slots + 1u) * sizeof *made);
    r->same_guard = arena_alloc(r->arena, (r->live->n_slots + 1u) * sizeof *r->same_guard);
    memset(r->same_guard, 0xff, (r->live->n_slots + 1u) * sizeof *r->same_guard);
    for (uint32_t i = 0; i < f->inst.n; i++) {
        uint32_t n = live_reads(r->live, &f->inst.at[i], slot);
        for (uint32_t k = 0; k < n; k++)
            reads[slot[k]] = (uint8_t)(reads[slot[k]] + (reads[slot[k]] < 2));
        for (unsigned which = 0; which < MINST_DSTS; which++) {
            n = live_writes(r->live, &f->inst.at[i], which, slot);
            for (uint32_t k = 0; k < n; k++) {
                writes[slot[k]] = (uint8_t)(writes[slot[k]] + (writes[slot[k]] < 2));
                made[slot[k]] = i;
            }
        }
    }
    struct opnd d = {0}, s = {0};
    for (uint32_t i = 0; i < f->inst.n; i++) {
        const struct minst *const m = &f->inst.at[i];
        if (m->guard == VPRED_TRUE || !ra_is_move(r, m, &d, &s)) continue;
        for (uint32_t w = 0; w < d.words; w++) {
            const uint32_t from = r->live->word_base[s.reg] + s.sub + w,
                           to = r->live->word_base[d.reg] + d.sub + w;
            if (reads[from] != 1 || writes[from] != 1 || made[from] >= i ||
                i - made[from] > GUARD_REACH || r->cfg->block_of[made[from]] != r->cfg->block_of[i])
                continue;
            const struct minst *const maker = &f->inst.at[made[from]];
            bool is_free = maker->guard == m->guard && maker->guard_not == m->guard_not;
            for (uint32_t at = made[from]; at < i && is_free; at++)
                is_free = !meddles(r, &f->inst.at[at], to, m->guard);
            if (is_free) r->same_guard[from] = to;
        }
    }
}

static void visit(struct ra *r, uint32_t at, const struct slot_set *now) {
    const struct minst *m = &r->f->inst.at[at];
    struct opnd d = {0}, s = {0};
    const bool move = ra_is_move(r, m, &d, &s);
    uint32_t slot[MINST_DSTS * LIVE_MAX_WRITES], n = 0;
    for (unsigned which = 0; which < MINST_DSTS; which++)
        n += live_writes(r->live, m, which, slot + n);
    for (uint32_t i = 0; i < n; i++) {
        if (!ra_has(r, slot[i])) continue;
        uint32_t copied = UINT32_MAX;
        if (move && r->cls == RA_GPR) copied = r->live->word_base[s.reg] + s.sub + i;
        if (move && r->cls == RA_PRED) copied = r->live->pred_base + s.reg;
        if (r->same_guard != NULL && r->same_guard[slot[i]] != UINT32_MAX)
            copied = r->same_guard[slot[i]];
        conflicts_of_write(r, slot[i], copied, now);
        for (uint32_t j = 0; j < i; j++) // results of one instruction, dead ones too
            if (ra_has(r, slot[j]))
                add_conflict(r, ra_node_of(r, slot[i]), word_of(r, slot[i]), ra_node_of(r, slot[j]),
                             word_of(r, slot[j]));
    }
}

void ra_build_graph(struct ra *r) {
    table_init(&r->table, r->arena, 1024);
    r->same_guard = NULL;
    if (r->cls == RA_GPR && gen_has(r->f->target->gen, TRAIT_FOLDS)) find_same_guard(r);
    struct slot_set now;
    slot_set_init(&now, r->arena, r->live->n_slots);
    for (uint32_t b = 0; b < r->cfg->n; b++) {
        const struct cfg_block *block = &r->cfg->block[b];
        live_block_end(r->live, b, &now);
        for (uint32_t i = block->first + block->n; i-- > block->first;) {
            visit(r, i, &now);
            live_step_back(r->live, i, &now);
        }
    }
}

// ---- groups -----------------------------------------------------------------------
uint32_t ra_root(struct ra *r, uint32_t node, uint32_t *offset) {
    uint32_t root = node, total = 0;
    while (r->parent[root] != root) {
        total += r->offset[root];
        root = r->parent[root];
    }
    // shorten the path
    uint32_t left = total;
    while (r->parent[node] != node) {
        const uint32_t up = r->parent[node], step = r->offset[node];
        r->parent[node] = root;
        r->offset[node] = (uint8_t)left;
        left -= step;
        node = up;
    }
    *offset = total;
    return root;
}

static uint16_t conflict_mask(const struct ra *r, uint32_t x, uint32_t y) {
    const uint32_t at = table_slot(&r->table, x < y ? table_key(x, y) : table_key(y, x));
    if (!r->table.key[at]) return 0;
    return x < y ? r->table.mask[at] : transpose(r->table.mask[at]);
}

// Would the members of group b conflict with those of group a if b's root lay `delta` words into
// a's?
static bool groups_conflict(struct ra *r, uint32_t a, uint32_t b, uint32_t delta) {
    uint32_t pairs = 0;
    for (uint32_t x = a; x != UINT32_MAX; x = r->next_member[x]) {
        uint32_t ox;
        ra_root(r, x, &ox);
        for (uint32_t y = b; y != UINT32_MAX; y = r->next_member[y]) {
            if (++pairs > 4096) return true; // not worth the search
            uint32_t oy;
            ra_root(r, y, &oy);
            const uint16_t mask = conflict_mask(r, x, y);
            if (!mask) continue;
            for (uint32_t i = 0; i < r->words[x]; i++) {
                const uint32_t at = ox + i; // in a's words; y's word there:
                if (at < delta + oy || at >= delta + oy + r->words[y]) continue;
                if (mask >> (4 * i + (at - delta - oy)) & 1) return true;
            }
        }
    }
    return false;
}

// Unites the groups of two nodes so that word dw of d and word sw of s are the same register.
static bool unite(struct ra *r, uint32_t d, uint32_t dw, uint32_t s, uint32_t sw) {
    uint32_t od, os;
    uint32_t a = ra_root(r, d, &od), b = ra_root(r, s, &os);
    if (a == b) return od + dw == os + sw;
    int32_t delta = (int32_t)(od + dw) - (int32_t)(os + sw); // of b's root within a's
    if (r->words[b] > r->words[a]) {
        const uint32_t t = a;
        a = b;
        b = t;
        delta = -delta;
    }
    if (delta < 0 || delta + r->words[b] > r->words[a] || delta % r->words[b]) return false;
    if (r->crosses[a] != r->crosses[b] || r->remat[a] || r->remat[b]) return false;
    if (ra_is_temp(r, a) || ra_is_temp(r, b)) return false;
    if (groups_conflict(r, a, b, (uint32_t)delta)) return false;
    r->parent[b] = a;
    r->offset[b] = (uint8_t)delta;
    r->next_member[r->last_member[a]] = b;
    r->last_member[a] = r->last_member[b];
    if (r->floor[b] > r->floor[a]) r->floor[a] = r->floor[b];
    r->cost[a] += r->cost[b];
    r->length[a] += r->length[b];
    return true;
}

struct move {
    uint32_t inst, depth;
};
static int by_depth(const void *x, const void *y) {
    const struct move *a = x, *b = y;
    if (a->depth != b->depth) return a->depth > b->depth ? -1 : 1;
    return a->inst < b->inst ? -1 : a->inst > b->inst;
}

void ra_coalesce(struct ra *r) {
    VEC(struct move) moves = {0};
    struct opnd d = {0}, s = {0};
    for (uint32_t i = 0; i < r->f->inst.n; i++)
        if (ra_is_move(r, &r->f->inst.at[i], &d, &s))
            vec_push(r->arena, &moves,
                     ((struct move){i, r->cfg->block[r->cfg->block_of[i]].loop_depth}));
    if (moves.n) qsort(moves.at, moves.n, sizeof *moves.at, by_depth);
    const uint32_t sp = r->cls == RA_GPR && mfunc_has_sp(r->f) ? r->f->sp_vreg : UINT32_MAX;
    for (uint32_t i = 0; i < moves.n; i++) {
        ra_is_move(r, &r->f->inst.at[moves.at[i].inst], &d, &s);
        if (d.reg == sp || s.reg == sp || d.reg == s.reg) continue;
        unite(r, d.reg, d.sub, s.reg, s.sub);
    }
}

// ---- edges between roots ------------------------------------------------------------
static uint16_t shift_mask(uint16_t mask, uint32_t by_x, uint32_t by_y) {
    if (!by_x && !by_y) return mask;
    uint16_t out = 0;
    for (uint32_t i = 0; i + by_x < 4; i++)
        for (uint32_t j = 0; j + by_y < 4; j++)
            if (mask >> (4 * i + j) & 1) out |= (uint16_t)(1u << (4 * (i + by_x) + j + by_y));
    return out;
}

// Two groups may share several edges, one for each pair of members: their masks add up.
void ra_join_graph(struct ra *r) {
    const struct ra_table *t = &r->table;
    r->edge_at = arena_alloc(r->arena, ((size_t)r->n + 2) * sizeof *r->edge_at);
    r->edge = arena_alloc(r->arena, 2 * (size_t)t->n * sizeof *r->edge);
    uint32_t ox, oy;
    for (uint32_t i = 0; i < t->cap; i++) {
        if (!t->key[i]) continue;
        const uint64_t key = t->key[i] - 1;
        const uint32_t x = ra_root(r, (uint32_t)(key >> 32), &ox),
                       y = ra_root(r, (uint32_t)key, &oy);
        if (x == y) continue;
        r->edge_at[x + 2]++;
        r->edge_at[y + 2]++;
    }
    for (uint32_t v = 2; v <= r->n + 1; v++) r->edge_at[v] += r->edge_at[v - 1];
    for (uint32_t i = 0; i < t->cap; i++) {
        if (!t->key[i]) continue;
        const uint64_t key = t->key[i] - 1;
        const uint32_t x = ra_root(r, (uint32_t)(key >> 32), &ox),
                       y = ra_root(r, (uint32_t)key, &oy);
        if (x == y) continue;
        const uint16_t mask = shift_mask(t->mask[i], ox, oy);
        r->edge[r->edge_at[x + 1]++] = (struct ra_edge){.to = y, .mask = mask};
        r->edge[r->edge_at[y + 1]++] = (struct ra_edge){.to = x, .mask = transpose(mask)};
    }
    // edge_at[v + 1] has moved to the end of v's edges, which is where v + 1's begin
}
