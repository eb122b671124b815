// What allocation must know of each register: how often it is accessed, how long it lives, whether
// it lives over a call, whether it can be made anew; and, when registers are short, which go to
// memory.
#include "code/ra.h"

static const double depth_weight[] = {1, 10, 100, 1000, 10000};
static double weight_at(const struct ra *r, uint32_t block) {
    const uint32_t depth = r->cfg->block[block].loop_depth;
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
    for (unsigned which = 0; which < 2; which++) {
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
        for (unsigned which = 0; which < 2; which++) {
            const struct opnd *d = &m->dst[which];
            if (d->kind != OPND_GPR) continue;
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
        const double weight = weight_at(r, b);
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
    const double access = r->remat[root] ? 1 : 4;
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

static bool relieve_point(struct ra *r, const struct point *at, uint32_t limit, bool *victim) {
    bool found = false;
    if (at->now->n <= limit) return false;
    for (uint32_t n = count_live(r, at, victim); n > limit;) {
        const uint32_t v = cheapest_live(r, at, victim);
        if (v == UINT32_MAX) break;
        victim[v] = found = true;
        n = count_live(r, at, victim);
    }
    return found;
}

// What lives over a call shares what the callee leaves.
static bool relieve_call(struct ra *r, const struct point *at, const struct minst *m,
                         uint32_t limit, bool *victim) {
    const uint32_t taken = ra_taken_by(r, m);
    if (taken >= r->n_colors) return false; // those have gone already
    const uint32_t needs = call_needs(r, taken);
    return relieve_point(r, at, limit > needs ? limit - needs : 0, victim);
}

static void touch_slots(struct ra *r, struct point *at, const uint32_t *slot, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        uint32_t offset;
        if (ra_has(r, slot[i]))
            at->touched[ra_root(r, ra_node_of(r, slot[i]), &offset)] = at->epoch;
    }
}

bool ra_relieve(struct ra *r, uint32_t limit, bool *victim) {
    struct slot_set now;
    slot_set_init(&now, r->arena, r->live->n_slots);
    struct point at = {.now = &now};
    at.touched = arena_alloc(r->arena, ((size_t)r->n + 1) * sizeof *at.touched);
    bool found = false;
    for (uint32_t b = 0; b < r->cfg->n; b++) {
        const struct cfg_block *block = &r->cfg->block[b];
        live_block_end(r->live, b, &now);
        for (uint32_t i = block->first + block->n; i-- > block->first;) {
            const struct minst *m = &r->f->inst.at[i];
            uint32_t slot[LIVE_MAX_READS];
            at.epoch++; // behind the instruction, with its results
            for (unsigned which = 0; which < 2; which++)
                touch_slots(r, &at, slot, live_writes(r->live, m, which, slot));
            found |= relieve_point(r, &at, limit, victim);
            if (m->op == OP_CALL || m->op == OP_CALLI) found |= relieve_call(r, &at, m, limit, victim);
            live_step_back(r->live, i, &now);
            at.epoch++; // before it, with its sources
            touch_slots(r, &at, slot, live_reads(r->live, m, slot));
            found |= relieve_point(r, &at, limit, victim);
        }
    }
    return found;
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
