// What allocation must know of each register: how often it is accessed, how long it lives, whether
// it lives over a call, whether it can be made anew; and, when registers are short, which go to
// memory.
#include "code/ra.h"

#include <stdlib.h>

static const double depth_weight[] = {1, 10, 100, 1000, 10000};
double ra_weight_at(const struct cfg *c, uint32_t block) {
    const uint32_t depth = c->block[block].loop_depth;
    return depth_weight[depth < WW_COUNT(depth_weight) ? depth : WW_COUNT(depth_weight) - 1];
}

uint32_t ra_node_of(const struct ra *r, uint32_t slot) {
    return r->cls == RA_GPR ? r->live->vreg_of[slot] : slot - r->live->pred_base;
}

static void init_nodes(struct ra *r) {
    const struct mfunc *f = r->f;
    r->n = r->cls == RA_GPR ? f->vreg_words.n : f->n_vpreds;
    const size_t n = (size_t)r->n + 1;
    r->words = arena_alloc(r->arena, n);
    r->crosses = arena_alloc(r->arena, n * sizeof *r->crosses);
    r->floor = arena_alloc(r->arena, n * sizeof *r->floor);
    r->cost = arena_alloc(r->arena, n * sizeof *r->cost);
    r->length = arena_alloc(r->arena, n * sizeof *r->length);
    r->remat = arena_alloc(r->arena, n * sizeof *r->remat);
    r->parent = arena_alloc(r->arena, n * sizeof *r->parent);
    r->next_member = arena_alloc(r->arena, n * sizeof *r->next_member);
    r->last_member = arena_alloc(r->arena, n * sizeof *r->last_member);
    r->offset = arena_alloc(r->arena, n);
    r->used = arena_alloc(r->arena, n * sizeof *r->used);
    r->color = arena_alloc(r->arena, n * sizeof *r->color);
    for (uint32_t v = 0; v < r->n; v++) {
        r->words[v] = r->cls == RA_GPR ? f->vreg_words.at[v] : 1;
        if (r->words[v] > OPND_MOST_WORDS) r->words[v] = 1; // sums, which have their place
        r->parent[v] = r->last_member[v] = v;
        r->next_member[v] = UINT32_MAX;
    }
}

static void count_use(struct ra *r, uint32_t slot, double weight) {
    if (!ra_has(r, slot)) return;
    r->cost[ra_node_of(r, slot)] += weight;
    r->used[ra_node_of(r, slot)] = true;
}

static void count_accesses(struct ra *r, const struct minst *m, double weight) {
    uint32_t slot[LIVE_MAX_READS];
    for (unsigned which = 0; which < MINST_DSTS; which++) {
        const uint32_t n = live_writes(r->live, m, which, slot);
        for (uint32_t i = 0; i < n; i++) count_use(r, slot[i], weight);
    }
    const uint32_t n = live_reads(r->live, m, slot);
    for (uint32_t i = 0; i < n; i++) count_use(r, slot[i], weight);
    if (m->guard != VPRED_TRUE) count_use(r, r->live->pred_base + m->guard, weight);
}

static bool is_constant(const struct minst *m) {
    if (m->op == OP_S2R) return !(m->flags & MF_VOLATILE);
    return m->op == OP_MOV && !(m->flags & MF_FRAME) && !m->src[0].mods &&
           (m->src[0].kind == OPND_IMM || m->src[0].kind == OPND_CONST);
}

// A register is made anew, rather than stored and loaded, when every word of it has one unguarded
// definition that reads nothing but a constant, or a special register that does not change.
static void find_rematerialisable(struct ra *r) {
    if (r->cls != RA_GPR) return;
    uint8_t *defined = arena_alloc(r->arena, (size_t)r->n + 1);
    for (uint32_t v = 0; v < r->n; v++) r->remat[v] = r->used[v] && !ra_is_temp(r, v);
    for (uint32_t i = 0; i < r->f->inst.n; i++) {
        const struct minst *m = &r->f->inst.at[i];
        if (minst_is_filler(m)) continue;
        for (unsigned which = 0; which < MINST_DSTS; which++) {
            const struct opnd *d = &m->dst[which];
            if (d->kind != OPND_GPR || !ra_has(r, r->live->word_base[d->reg])) continue;
            const uint8_t words = (uint8_t)(((1u << d->words) - 1) << d->sub);
            if (!is_constant(m) || m->guard != VPRED_TRUE || (defined[d->reg] & words) ||
                d->words != 1)
                r->remat[d->reg] = false;
            defined[d->reg] |= words;
        }
    }
    for (uint32_t v = 0; v < r->n; v++)
        r->remat[v] = r->remat[v] && defined[v] == (1u << r->words[v]) - 1;
    if (mfunc_has_sp(r->f)) r->remat[r->f->sp_vreg] = false;
}

// Beside what lives over it a call takes so many from the room that there is: R1 and, of what
// lives, the stack pointer are not part of that.
static uint32_t call_needs(const struct ra *r, uint32_t taken) {
    const uint32_t counted_twice = r->cls == RA_GPR ? 2 : 0;
    return taken > counted_twice ? taken - counted_twice : 0;
}

// `now` lives behind a call.
static void step_over_call(struct ra *r, const struct minst *m, const struct slot_set *now) {
    const uint32_t taken = ra_taken_by(r, m);
    uint32_t alive = 0;
    for (uint32_t j = 0; j < now->n; j++) {
        if (!ra_has(r, now->dense[j])) continue;
        const uint32_t v = ra_node_of(r, now->dense[j]);
        if (taken + r->words[v] > r->n_colors) r->crosses[v] = true;
        if (taken > r->floor[v]) r->floor[v] = taken;
        alive++;
    }
    const uint32_t words = alive + call_needs(r, taken);
    if (taken < r->n_colors && words > r->pressure) r->pressure = words;
}

void ra_measure(struct ra *r) {
    init_nodes(r);
    struct slot_set now;
    slot_set_init(&now, r->arena, r->live->n_slots);
    for (uint32_t b = 0; b < r->cfg->n; b++) {
        const struct cfg_block *block = &r->cfg->block[b];
        const double weight = ra_weight_at(r->cfg, b);
        live_block_end(r->live, b, &now);
        for (uint32_t i = block->first + block->n; i-- > block->first;) {
            const struct minst *m = &r->f->inst.at[i];
            if (m->op == OP_CALL || m->op == OP_CALLI) step_over_call(r, m, &now);
            count_accesses(r, m, weight);
            live_step_back(r->live, i, &now);
            uint32_t alive = 0;
            for (uint32_t j = 0; j < now.n; j++)
                if (ra_has(r, now.dense[j])) {
                    r->length[ra_node_of(r, now.dense[j])]++;
                    alive++;
                }
            if (alive > r->pressure) r->pressure = alive;
        }
    }
    if (r->cls == RA_GPR && mfunc_has_sp(r->f)) {
        r->crosses[r->f->sp_vreg] = false;
        r->floor[r->f->sp_vreg] = 0;
    }
    find_rematerialisable(r);
}

// ---- whom to spill --------------------------------------------------------------
static bool may_spill(const struct ra *r, uint32_t root) {
    if (r->cls == RA_GPR && mfunc_has_sp(r->f) && root == r->f->sp_vreg) return false;
    return !(root < r->n_homes && r->home[root].pinned);
}

// What spilling costs for each instruction over which it frees a register. Making a value anew
// costs an instruction, fetching it from local memory a trip to L1.
static double price(const struct ra *r, uint32_t root) {
    const uint32_t anew = r->remat[root] ? 1 : ra_recipe_length(r, root);
    const double access = anew ? anew : RA_ACCESS_COST;
    return access * r->cost[root] / (double)(1 + r->length[root]);
}

// At one point of the code: what lives there, and what the instruction itself touches, which needs
// a register also when it is spilled.
struct point {
    const struct slot_set *now;
    uint32_t *touched, epoch; // root -> epoch of the point that touches it
};

static uint32_t cheapest_live(struct ra *r, const struct point *at, const bool *victim) {
    uint32_t best = UINT32_MAX;
    double least = 0;
    for (uint32_t j = 0; j < at->now->n; j++) {
        if (!ra_has(r, at->now->dense[j])) continue;
        uint32_t offset;
        const uint32_t root = ra_root(r, ra_node_of(r, at->now->dense[j]), &offset);
        if (victim[root] || at->touched[root] == at->epoch || !may_spill(r, root)) continue;
        const double p = price(r, root);
        if (best == UINT32_MAX || p < least || (p == least && root < best)) {
            best = root;
            least = p;
        }
    }
    return best;
}

static uint32_t count_live(struct ra *r, const struct point *at, const bool *victim) {
    uint32_t n = 0;
    for (uint32_t j = 0; j < at->now->n; j++) {
        uint32_t offset;
        if (!ra_has(r, at->now->dense[j])) continue;
        const uint32_t root = ra_root(r, ra_node_of(r, at->now->dense[j]), &offset);
        n += !victim[root] || at->touched[root] == at->epoch;
    }
    return n;
}

static void touch_slots(struct ra *r, struct point *at, const uint32_t *slot, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        uint32_t offset;
        if (ra_has(r, slot[i]))
            at->touched[ra_root(r, ra_node_of(r, slot[i]), &offset)] = at->epoch;
    }
}

// Where a slot of a marked register lives.
struct stretch {
    uint32_t from, to; // points, both included
    uint32_t next;     // of the same root
};
struct relief {
    struct ra *r;
    struct point at;
    bool *victim, found;
    int32_t *room; // point -> words that may still live there
    VEC(struct stretch) stretch;
    uint32_t *open;  // slot -> its last stretch
    uint32_t *lives; // root -> its first stretch
};
typedef void visit_point(struct relief *rl, uint32_t point, uint32_t limit);

static void relieve_point(struct relief *rl, uint32_t point, uint32_t limit) {
    (void)point;
    if (rl->at.now->n <= limit) return;
    for (uint32_t n = count_live(rl->r, &rl->at, rl->victim); n > limit;) {
        const uint32_t v = cheapest_live(rl->r, &rl->at, rl->victim);
        if (v == UINT32_MAX) break;
        rl->victim[v] = rl->found = true;
        n = count_live(rl->r, &rl->at, rl->victim);
    }
}

// What lives over a call shares what the callee leaves.
static void visit_call(struct relief *rl, const struct minst *m, uint32_t point, uint32_t limit,
                       visit_point *visit) {
    const uint32_t taken = ra_taken_by(rl->r, m);
    if (taken >= rl->r->n_colors) return; // those have gone already
    const uint32_t needs = call_needs(rl->r, taken);
    visit(rl, point, limit > needs ? limit - needs : 0);
}

// Visits the points behind (2 i + 1) and before (2 i) each instruction i, with the words that may
// live there. Points of a block come from its end.
static void visit_points(struct relief *rl, uint32_t limit, visit_point *visit) {
    struct ra *const r = rl->r;
    struct slot_set now;
    slot_set_init(&now, r->arena, r->live->n_slots);
    rl->at = (struct point){.now = &now};
    rl->at.touched = arena_alloc(r->arena, ((size_t)r->n + 1) * sizeof *rl->at.touched);
    for (uint32_t b = 0; b < r->cfg->n; b++) {
        const struct cfg_block *block = &r->cfg->block[b];
        live_block_end(r->live, b, &now);
        for (uint32_t i = block->first + block->n; i-- > block->first;) {
            const struct minst *m = &r->f->inst.at[i];
            uint32_t slot[LIVE_MAX_READS];
            rl->at.epoch++; // behind the instruction, with its results
            for (unsigned which = 0; which < MINST_DSTS; which++)
                touch_slots(r, &rl->at, slot, live_writes(r->live, m, which, slot));
            visit(rl, 2 * i + 1, limit);
            if (m->op == OP_CALL || m->op == OP_CALLI) visit_call(rl, m, 2 * i + 1, limit, visit);
            live_step_back(r->live, i, &now);
            rl->at.epoch++; // before it, with its sources
            touch_slots(r, &rl->at, slot, live_reads(r->live, m, slot));
            visit(rl, 2 * i, limit);
        }
    }
}

static void note_room(struct relief *rl, uint32_t point, uint32_t limit) {
    struct ra *const r = rl->r;
    const int32_t room = (int32_t)limit - (int32_t)count_live(r, &rl->at, rl->victim);
    if (room < rl->room[point]) rl->room[point] = room;
    for (uint32_t j = 0; j < rl->at.now->n; j++) {
        const uint32_t slot = rl->at.now->dense[j];
        uint32_t offset;
        if (!ra_has(r, slot)) continue;
        const uint32_t root = ra_root(r, ra_node_of(r, slot), &offset), at = rl->open[slot];
        if (!rl->victim[root]) continue;
        if (at != UINT32_MAX && rl->stretch.at[at].from <= point + 1 &&
            rl->stretch.at[at].to >= point) {
            rl->stretch.at[at].from = point;
            continue;
        }
        rl->open[slot] = rl->stretch.n;
        vec_push(r->arena, &rl->stretch, ((struct stretch){point, point, rl->lives[root]}));
        rl->lives[root] = rl->open[slot];
    }
}

// Takes so many words from where the root lives; false: they are not there.
static bool take_room(struct relief *rl, uint32_t root, int32_t words) {
    bool fits = true;
    for (uint32_t s = rl->lives[root]; s != UINT32_MAX; s = rl->stretch.at[s].next)
        for (uint32_t p = rl->stretch.at[s].from; p <= rl->stretch.at[s].to; p++)
            fits &= (rl->room[p] -= words) >= 0;
    return fits;
}

// The walk marks what is cheapest at each point without knowing what it has to mark at the next:
// where many values replace one another (sums in an unrolled loop) all go in the end, though it
// takes a few at a time. Those that fit after all keep their registers, the dearest first.
struct priced {
    double price;
    uint32_t root;
};
static int by_price(const void *x, const void *y) {
    const struct priced *a = x, *b = y;
    if (a->price != b->price) return a->price > b->price ? -1 : 1;
    return a->root < b->root ? -1 : a->root > b->root;
}

static void restore(struct relief *rl, uint32_t limit) {
    struct ra *const r = rl->r;
    const size_t n_points = 2 * (size_t)r->f->inst.n;
    rl->room = arena_alloc(r->arena, (n_points + 1) * sizeof *rl->room);
    for (size_t p = 0; p < n_points; p++) rl->room[p] = INT32_MAX;
    rl->open = arena_alloc(r->arena, ((size_t)r->live->n_slots + 1) * sizeof *rl->open);
    rl->lives = arena_alloc(r->arena, ((size_t)r->n + 1) * sizeof *rl->lives);
    memset(rl->open, 0xff, ((size_t)r->live->n_slots + 1) * sizeof *rl->open);
    memset(rl->lives, 0xff, ((size_t)r->n + 1) * sizeof *rl->lives);
    visit_points(rl, limit, note_room);
    VEC(struct priced) order = {0};
    for (uint32_t v = 0; v < r->n; v++)
        if (rl->victim[v]) vec_push(r->arena, &order, ((struct priced){price(r, v), v}));
    if (order.n) qsort(order.at, order.n, sizeof *order.at, by_price);
    for (uint32_t i = 0; i < order.n; i++) {
        const uint32_t v = order.at[i].root;
        if (take_room(rl, v, 1))
            rl->victim[v] = false;
        else
            take_room(rl, v, -1);
    }
}

bool ra_relieve(struct ra *r, uint32_t limit, bool *victim) {
    struct relief rl = {.r = r, .victim = victim};
    visit_points(&rl, limit, relieve_point);
    if (!rl.found) return false;
    restore(&rl, limit);
    for (uint32_t v = 0; v < r->n; v++)
        if (victim[v]) return true;
    return false;
}

bool ra_evict(struct ra *r, bool *victim) {
    bool found = false;
    for (uint32_t v = 0; v < r->n; v++) {
        if (r->parent[v] != v || !r->used[v] || r->color[v] != RA_UNCOLORED) continue;
        uint32_t best = may_spill(r, v) ? v : UINT32_MAX;
        bool helped = victim[v];
        for (uint32_t e = r->edge_at[v]; e < r->edge_at[v + 1]; e++) {
            const uint32_t y = r->edge[e].to;
            helped |= victim[y];
            if (!may_spill(r, y)) continue;
            if (best == UINT32_MAX || price(r, y) < price(r, best)) best = y;
        }
        if (helped) continue; // a neighbour goes already; perhaps that is enough
        if (best == UINT32_MAX) return found;
        victim[best] = found = true;
    }
    return found;
}
