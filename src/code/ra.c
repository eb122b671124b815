// Register allocation by graph colouring (Chaitin 1982, Briggs et al. 1994), in rounds:
//
//   measure      costs, lifetimes, pressure                          ra_measure.c
//   graph        which words of which registers conflict             ra_graph.c
//   coalesce     registers tied by moves share one place
//   colour       smallest degree first, lowest place first           ra_color.c
//   make anew    what found no place and is cheap to compute again;
//                next round, without counting this one               ra_remake.c
//   spill        what found no place goes to memory; next round      ra_spill.c
//
// Predicates first, since those that find no place become general registers. Rounds keep spilled
// values in registers for ever fewer instructions, in the end for one, so that they end.
//
// A function takes its registers from 0 on, and those that it calls have been allocated before it:
// what lives over a call has its place above what the callee takes. What is called through a
// register, or by itself on some way, keeps registers from CODE_FIRST_KEPT on for its callers
// (ra_save.c). Predicates that live over such a call are spilled in the first round.
//
// From Fermi on the calling convention keeps R1 for the stack pointer in every kernel, called
// functions or not (ptxas's code for sm_20 to sm_90 begins with MOV R1, c[..]), so nothing else
// goes there.
#include "code/ra.h"

struct allocation {
    uint32_t n_colors;
    enum ra_class cls;
    struct ra_spill spill;
    uint32_t round, remade; // rounds of spilling, of making values anew
    bool never_remakes;
    struct mfunc before; // the function before values were made anew
    bool done, failed;
    // result, in the function's arena
    uint32_t *place; // register -> colour
    uint32_t used;
};

enum { MAX_ROUNDS = 60, MAX_REMADE = 8, GRAPH_SLACK = 96 };
// For how many instructions a reloaded value stays in its register.
enum { WINDOW_AT_CALLS = 32, LAST_WINDOW = 2 };
static const uint32_t window_of_round[LAST_WINDOW + 1] = {6, 2, 0};

static void keep_result(struct allocation *al, struct ra *r) {
    al->place = arena_alloc(r->f->arena, ((size_t)r->n + 1) * sizeof *al->place);
    for (uint32_t v = 0; v < r->n; v++) {
        uint32_t offset;
        const int32_t c = r->color[ra_root(r, v, &offset)];
        al->place[v] = c == RA_UNCOLORED ? 0 : (uint32_t)c + offset;
    }
    al->used = ra_colors_used(r);
    al->done = true;
}

// Colours with moves coalesced; should that fail, without. Once values have gone to memory it does
// not matter whether a few more do, and the second try is left out.
static bool color_either_way(struct ra *r, uint32_t round) {
    ra_join_graph(r);
    if (ra_color(r)) return true;
    if (round) return false;
    const struct ra grouped = *r;
    r->parent = arena_alloc(r->arena, ((size_t)r->n + 1) * sizeof *r->parent);
    r->offset = arena_alloc(r->arena, (size_t)r->n + 1);
    r->color = arena_alloc(r->arena, ((size_t)r->n + 1) * sizeof *r->color);
    for (uint32_t v = 0; v < r->n; v++) r->parent[v] = v;
    ra_join_graph(r);
    if (ra_color(r)) return true;
    *r = grouped;
    return false;
}

uint32_t ra_taken_by(const struct ra *r, const struct minst *m) {
    const struct mfunc *const f = r->f;
    if (f->callee == NULL || (m->op == OP_CALL && m->target < 0)) return r->n_colors;
    const struct mfunc *const callee = m->op == OP_CALL ? f->callee[m->target] : NULL;
    const bool keeps = m->op == OP_CALLI || (callee && callee->keeps);
    if (!keeps && (callee == NULL || !callee->allocated)) return r->n_colors;
    uint32_t taken = r->n_colors;
    if (r->cls == RA_GPR)
        taken = keeps ? CODE_FIRST_KEPT : callee->takes_regs;
    else if (!keeps)
        taken = callee->takes_preds;
    return taken < r->n_colors ? taken : r->n_colors;
}

// What a call of the function may change: what it takes itself, and what those take that it calls.
static void sum_up_takes(struct mfunc *f) {
    f->takes_regs = f->n_regs;
    f->takes_preds = f->n_preds;
    const struct ra gpr = {.f = f, .cls = RA_GPR, .n_colors = MAX_GPRS};
    const struct ra pred = {.f = f, .cls = RA_PRED, .n_colors = MAX_PREDS};
    for (uint32_t i = 0; i < f->inst.n; i++) {
        const struct minst *const m = &f->inst.at[i];
        if (m->op != OP_CALL && m->op != OP_CALLI) continue;
        const uint32_t regs = ra_taken_by(&gpr, m), preds = ra_taken_by(&pred, m);
        if (regs > f->takes_regs) f->takes_regs = regs;
        if (preds > f->takes_preds) f->takes_preds = preds;
    }
    if (f->keeps && f->takes_regs > CODE_FIRST_KEPT) f->takes_regs = CODE_FIRST_KEPT;
}

static bool keeps_r1(const struct mfunc *f) {
    return mfunc_has_sp(f) || gen_has(f->target->gen, TRAIT_STACK_REGISTER);
}

static struct mfunc copy_of(const struct mfunc *f) {
    struct mfunc c = *f;
    c.inst.at = arena_copy(f->arena, f->inst.at, f->inst.n * sizeof *f->inst.at);
    c.inst.cap = f->inst.n;
    c.label_at.at = arena_copy(f->arena, f->label_at.at, f->label_at.n * sizeof *f->label_at.at);
    c.label_at.cap = f->label_at.n;
    c.vreg_words.at = arena_copy(f->arena, f->vreg_words.at, f->vreg_words.n);
    c.vreg_words.cap = f->vreg_words.n;
    return c;
}

static void run_round(struct mfunc *f, struct arena *scratch, void *context) {
    struct allocation *al = context;
    struct ra r = {.f = f,
                   .arena = scratch,
                   .cls = al->cls,
                   .n_colors = al->n_colors,
                   .home = al->spill.home.at,
                   .n_homes = al->spill.home.n};
    r.keeps_r1 = al->cls == RA_GPR && keeps_r1(f);
    const uint32_t room = r.n_colors > r.keeps_r1 ? r.n_colors - r.keeps_r1 : 1;
    r.cfg = cfg_build(scratch, f);
    cfg_dominators(r.cfg);
    cfg_loops(r.cfg);
    r.live = live_build(scratch, f, r.cfg);
    ra_measure(&r);
    bool *victim = arena_alloc(scratch, (size_t)r.n + 1);
    bool found = false;
    const bool too_large = r.pressure > r.n_colors + GRAPH_SLACK;
    if (!too_large) {
        ra_build_graph(&r);
        ra_coalesce(&r);
    }
    for (uint32_t v = 0; v < r.n; v++)
        if (r.crosses[v] && r.parent[v] == v) victim[v] = found = true;
    al->spill.window = found ? WINDOW_AT_CALLS
                             : window_of_round[al->round < LAST_WINDOW ? al->round : LAST_WINDOW];
    // alignment may keep a few words empty: late rounds make more room
    const uint32_t late = al->round > 3 ? (al->round - 3) / 2 : 0;
    const uint32_t limit = late * 2 < room ? room - late : room / 2;
    const bool may_remake = al->round == 0 && al->remade < MAX_REMADE && !al->never_remakes;
    if (may_remake && (found || r.pressure > room + 2)) ra_find_recipes(&r);
    // copies of one value count as two in the pressure: a little more than the limit may do
    if (!found && r.pressure > room + 2) found = ra_relieve(&r, limit, victim);
    if (!found && !too_large) {
        if (color_either_way(&r, al->round)) {
            keep_result(al, &r);
            return;
        }
        if (may_remake) ra_find_recipes(&r);
        found = ra_relieve(&r, limit, victim) || ra_evict(&r, victim);
    }
    if (!found) {
        al->failed = true;
        return;
    }
    if (may_remake && ra_can_remake(&r, victim)) {
        if (al->remade++ == 0) al->before = copy_of(f);
        ra_remake(&r, victim);
        return;
    }
    ra_spill(&r, &al->spill, victim);
    al->round++;
}

// Instructions by how often they are likely to execute, an access of memory for a spilled value as
// several.
static void add_up_cost(struct mfunc *f, struct arena *scratch, void *context) {
    double *cost = context;
    struct cfg *c = cfg_build(scratch, f);
    cfg_dominators(c);
    cfg_loops(c);
    for (uint32_t i = 0; i < f->inst.n; i++)
        *cost +=
            ra_weight_at(c, c->block_of[i]) * (f->inst.at[i].flags & MF_SPILL ? RA_ACCESS_COST : 1);
}

static void run_rounds(struct mfunc *f, struct allocation *al) {
    while (al->round < MAX_ROUNDS && !al->done && !al->failed) edit_with_scratch(f, run_round, al);
}

// What is made anew keeps its sources in registers, so that others may go to memory: without it the
// function may be cheaper.
static void try_without_remaking(struct mfunc *f, struct allocation *al) {
    struct allocation plain = {.cls = al->cls, .n_colors = al->n_colors, .never_remakes = true};
    const struct mfunc with = copy_of(f);
    double cost_with = 0, cost_without = 0;
    edit_with_scratch(f, add_up_cost, &cost_with);
    *f = al->before;
    run_rounds(f, &plain);
    edit_with_scratch(f, add_up_cost, &cost_without);
    if (plain.done && (!al->done || cost_without <= cost_with))
        *al = plain;
    else
        *f = with;
}

static bool allocate(struct mfunc *f, struct allocation *al, struct diags *d) {
    run_rounds(f, al);
    if (al->remade) try_without_remaking(f, al);
    if (al->done) return true;
    if (d)
        diag_at(d, DIAG_ERROR, WW_ERROR_UNSUPPORTED, f->module ? f->module->name : NULL,
                f->module ? f->module->text : NULL, f->ptx ? f->ptx->line : 0,
                f->ptx ? f->ptx->col : 0, "'%s' cannot be compiled for %u %s", f->name,
                al->n_colors, al->cls == RA_GPR ? "registers" : "predicates");
    return false;
}

// ---- the result ----------------------------------------------------------------------
static void place_operand(struct opnd *o, const struct allocation *gpr,
                          const struct allocation *pred) {
    if (o->kind == OPND_GPR) {
        o->reg = gpr->place[o->reg] + o->sub;
        o->sub = 0;
    } else if (o->kind == OPND_PRED) {
        o->reg = o->reg == VPRED_TRUE    ? PRED_TRUE
                 : o->reg == VPRED_CARRY ? PRED_CARRY
                                         : pred->place[o->reg];
    }
}

static bool moves_nothing(const struct minst *m) {
    const bool copy = m->op == OP_MOV || (m->op == OP_PSETP && m->src[1].kind == OPND_NONE);
    if (!copy || m->src[0].mods || (m->flags & MF_FRAME)) return false;
    return m->dst[0].kind == m->src[0].kind && m->dst[0].reg == m->src[0].reg &&
           (m->dst[0].kind == OPND_GPR || m->dst[0].kind == OPND_PRED);
}

// Fillers that run before their operation have stood behind it so far, since all passes know an
// operation by its place before its fillers. They write its result's registers, so that it waits
// for them. A label of the operation stays at its first filler.
static void put_leads_first(struct mfunc *f) {
    for (uint32_t i = 0, n; i < f->inst.n; i += n + 1) {
        const struct minst op = f->inst.at[i];
        for (n = 0; i + n + 1 < f->inst.n && minst_is_lead(&f->inst.at[i + n + 1]); n++)
            f->inst.at[i + n] = f->inst.at[i + n + 1];
        f->inst.at[i + n] = op;
    }
}

static void place_all(struct mfunc *f, const struct allocation *gpr,
                      const struct allocation *pred) {
    uint8_t *dead = arena_alloc(f->arena, (size_t)f->inst.n + 1);
    struct ra_temps temps = {.f = f,
                             .place = gpr->place,
                             .max_regs = gpr->n_colors,
                             .used = gpr->used,
                             .keeps_r1 = keeps_r1(f),
                             .fixed = arena_alloc(f->arena, (size_t)f->inst.n + 1)};
    edit_with_scratch(f, ra_give_temps, &temps);
    for (uint32_t i = 0; i < f->inst.n; i++) {
        struct minst *m = &f->inst.at[i];
        for (unsigned j = 0; j < MINST_DSTS; j++)
            if (j || !(temps.fixed[i] & RA_FIXED_DST)) place_operand(&m->dst[j], gpr, pred);
        for (unsigned j = 0; j < MINST_SRCS; j++)
            if (j || !(temps.fixed[i] & RA_FIXED_SRC)) place_operand(&m->src[j], gpr, pred);
        m->guard = m->guard == VPRED_TRUE ? PRED_TRUE : pred->place[m->guard];
        dead[i] = moves_nothing(m);
    }
    edit_delete(f, dead);
    put_leads_first(f);
    f->n_regs = temps.used;
    f->n_preds = pred->used;
    if (f->keeps) edit_with_scratch(f, ra_save, NULL);
    sum_up_takes(f);
    f->allocated = true;
}

// The block of sums lies behind all registers that the function and what it calls take.
static void put_sums_behind(struct mfunc *f, struct allocation *gpr) {
    const struct ra r = {.f = f, .cls = RA_GPR, .n_colors = gpr->n_colors};
    uint32_t first = gpr->used;
    for (uint32_t i = 0; i < f->inst.n; i++) {
        const struct minst *const m = &f->inst.at[i];
        if (m->op != OP_CALL && m->op != OP_CALLI) continue;
        const uint32_t taken = ra_taken_by(&r, m);
        if (taken > first) first = taken;
    }
    first = (uint32_t)bits_align_up(first, SUMS_ALIGN);
    for (uint32_t v = 0; v < f->vreg_words.n; v++)
        if (f->vreg_words.at[v] > OPND_MOST_WORDS) gpr->place[v] = first + f->sum_at[v];
    gpr->used = first + f->sum_words;
}

void ra_run(struct mfunc *f, uint32_t max_regs, struct diags *d) {
    if (!f->inst.n) {
        f->allocated = true;
        return;
    }
    ra_place_sums(f);
    const uint32_t sums = f->sum_words ? (uint32_t)bits_align_up(f->sum_words, SUMS_ALIGN) : 0;
    max_regs = (max_regs < MAX_GPRS ? max_regs : MAX_GPRS) & ~(sums ? SUMS_ALIGN - 1u : 0);
    if (sums >= max_regs) max_regs = sums + 1; // which fails, and says so
    struct allocation pred = {.cls = RA_PRED, .n_colors = f->target->n_preds};
    struct allocation gpr = {.cls = RA_GPR, .n_colors = max_regs - sums};
    if (!allocate(f, &pred, d) || !allocate(f, &gpr, d)) return;
    if (sums) put_sums_behind(f, &gpr);
    place_all(f, &gpr, &pred);
}
