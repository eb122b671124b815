// Power gating of single lanes, and their meters (lane-pg, lane-meter). Conventional gating: a lane
// goes off after idle_detect idle cycles and is woken when a warp needs it; with folding on, the upper
// lanes of each cluster go off in their first idle cycle instead (eager gating, 4.3.3). A warp may
// issue to a pipeline all of whose lanes that it needs are on; which these are follows from its active
// mask, which the scheduler sees, not from its guard.
//
// A lane is idle while no instruction that uses it is in the pipeline's stages or, issued, on its way
// there. The two stages of the shift network lie before and behind the lanes and stay on. An
// instruction of the second half-warp is on the lanes one interval after the first.
#include <assert.h>

#include "savings/savings_int.h"

// ---- time ---------------------------------------------------------------------------------------
static uint32_t type_of(uint32_t pipe) { return pipe >= SM_PIPE_FP; }
static uint32_t index_of(uint32_t pipe) {
    return pipe >= SM_PIPE_FP ? pipe - SM_PIPE_FP + SM_MAX_CLUSTERS : pipe - SM_PIPE_INT;
}
static uint32_t pipe_of(uint32_t index) {
    return index < SM_MAX_CLUSTERS ? SM_PIPE_INT + index : SM_PIPE_FP + index - SM_MAX_CLUSTERS;
}

// What a group's domain has counted becomes its lanes'.
static void credit(struct lane_pipe *x, struct lane_group *g) {
    const uint64_t lanes = bits_count32(g->mask);
    x->sum.uncompensated += lanes * g->d.n.uncompensated;
    x->sum.compensated += lanes * g->d.n.compensated;
    x->sum.wakeup += lanes * g->d.n.wakeup;
    x->sum.events += lanes * g->d.n.events;
    x->sum.wakeups += lanes * g->d.n.wakeups;
    x->sum.early_wakeups += lanes * g->d.n.early_wakeups;
    g->d.n = (struct gate_counts){0};
}

// When a group goes off if nothing happens.
static uint64_t due(const struct lanes *l, const struct lane_group *g, uint32_t type) {
    const uint64_t at = domain_due(&g->d, g->busy_until, l->idle_detect);
    if (!l->is_eager || !(g->mask & LANES_UPPER) || g->d.state != GATE_ON) return at;
    const uint64_t eager = domain_max(domain_due(&g->d, g->busy_until, 0), l->fold[type].from);
    return eager < l->fold[type].to && eager < at ? eager : at;
}

// What time alone does up to and with cycle t.
static void settle_pipe(const struct lanes *l, struct lane_pipe *x, uint32_t type, uint64_t t) {
    uint64_t look_at = DOMAIN_NEVER;
    x->not_on = 0;
    for (uint32_t i = 0; i < x->n; i++) {
        struct lane_group *const g = &x->group[i];
        domain_awake(&g->d, t);
        uint64_t next = due(l, g, type);
        if (next <= t) {
            domain_gate(&g->d, next);
            next = DOMAIN_NEVER;
        }
        credit(x, g);
        if (g->d.state != GATE_ON) x->not_on |= g->mask;
        if (g->d.state == GATE_WAKING) next = g->d.on_at;
        if (next < look_at) look_at = next;
    }
    x->look_at = look_at;
}

static void settle(struct lanes *l, uint64_t t) {
    l->settled = t;
    if (t < l->look_at) return;
    l->look_at = DOMAIN_NEVER;
    FOR_EACH_BIT64(p, l->pipes) {
        const uint32_t type = type_of((uint32_t)p);
        if (!l->type_gated[type]) continue;
        struct lane_pipe *const x = &l->pipe[index_of((uint32_t)p)];
        if (t >= x->look_at) settle_pipe(l, x, type, t);
        if (x->look_at < l->look_at) l->look_at = x->look_at;
        l->part = (l->part & ~(1ull << p)) | (uint64_t)(x->not_on != 0) << p;
    }
}

static void cycle(void *self, const struct sm_view *v) {
    struct lanes *const l = self;
    l->claimed = 0;
    if (l->is_busy) settle(l, v->cycle);
}

// Where folding ends the lanes that a warp needs are others.
static uint64_t next_event(void *self, const struct sm_view *v) {
    const struct lanes *const l = self;
    uint64_t next = UINT64_MAX;
    for (uint32_t type = 0; type < LANE_TYPES; type++)
        if (l->fold[type].to > v->cycle && l->fold[type].to < next) next = l->fold[type].to;
    return next;
}

void lanes_fold_in(struct lanes *l, uint64_t now, const uint64_t to[LANE_TYPES]) {
    if (now > l->settled + 1) settle(l, now - 1);
    for (uint32_t type = 0; type < LANE_TYPES; type++) {
        if (l->fold[type].to > l->fold[type].from)
            l->fold_cycles[type] +=
                (l->fold[type].to < now ? l->fold[type].to : now) - l->fold[type].from;
        l->fold[type].from = now;
        l->fold[type].to = to[type];
    }
    for (uint32_t i = 0; i < LANE_PIPES; i++) l->pipe[i].look_at = 0;
    l->look_at = 0;
    settle(l, now);
}

// ---- groups ---------------------------------------------------------------------------------------
// Lanes of one half of the clusters, on, that hold work in [from, until).
static void join(struct lane_pipe *x, uint32_t mask, uint64_t from, uint64_t until) {
    if (mask == 0) return;
    for (uint32_t i = 0; i < x->n; i++) {
        struct lane_group *const g = &x->group[i];
        if (g->busy_until != until || g->busy_from != from || g->d.state != GATE_ON) continue;
        if ((g->mask & LANES_UPPER) != 0 && (mask & LANES_UPPER) == 0) continue;
        if ((g->mask & LANES_UPPER) == 0 && (mask & LANES_UPPER) != 0) continue;
        g->mask |= mask;
        return;
    }
    assert(x->n < LANE_MAX && "a lane is in one group");
    x->group[x->n++] = (struct lane_group){.mask = mask, .busy_from = from, .busy_until = until};
}

static void leave(struct lane_pipe *x, uint32_t *i, uint32_t mask) {
    x->group[*i].mask &= ~mask;
    if (x->group[*i].mask == 0) x->group[(*i)--] = x->group[--x->n];
}

// Counts work of a group's lanes in [at, to) and the idle period that it ends. Answers since when they
// hold work without a gap (0: since `now` or longer).
static uint64_t add_work(struct lane_pipe *x, const struct lane_group *g, uint32_t lanes, uint64_t now,
                         uint64_t at, uint64_t to) {
    if (at <= g->busy_until) {
        x->busy += (to - g->busy_until) * lanes;
        return g->busy_from > now ? g->busy_from : 0;
    }
    const uint64_t idle = at - g->busy_until;
    x->periods[idle < ACT_IDLE_LENGTHS - 1 ? idle : ACT_IDLE_LENGTHS - 1] += lanes;
    x->idle += idle * lanes;
    x->busy += (to - at) * lanes;
    return at;
}

// Lanes that are on get work in [at, to); `now` is the cycle of issue.
static void hold(struct lanes *l, struct lane_pipe *x, uint32_t type, uint32_t mask, uint64_t now,
                 uint64_t at, uint64_t to) {
    const uint32_t lower = l->folds ? LANES_LOWER : UINT32_MAX;
    bool whole = x->n == (l->folds ? 2 : 1); // the usual case: each half one group, all of it or nothing
    for (uint32_t i = 0; whole && i < x->n; i++)
        whole = (x->group[i].mask & mask) == 0 || (x->group[i].mask & ~mask) == 0;
    struct { uint32_t mask; uint64_t from; } part[LANE_MAX];
    uint32_t n = 0;
    for (uint32_t i = 0; i < x->n; i++) {
        struct lane_group *const g = &x->group[i];
        const uint32_t m = g->mask & mask;
        if (m == 0 || g->busy_until >= to) continue;
        const uint64_t from = add_work(x, g, bits_count32(m), now, at, to);
        if (whole) {
            *g = (struct lane_group){.mask = m, .busy_from = from, .busy_until = to};
            continue;
        }
        part[n].mask = m;
        part[n++].from = from;
        leave(x, &i, m);
    }
    for (uint32_t i = 0; i < n; i++) {
        join(x, part[i].mask & lower, part[i].from, to);
        join(x, part[i].mask & ~lower, part[i].from, to);
    }
    if (!l->type_gated[type]) return;
    const uint64_t next = to + (l->is_eager && l->fold[type].to > to ? 0 : l->idle_detect);
    if (next < x->look_at) x->look_at = next;
    if (next < l->look_at) l->look_at = next;
}

// ---- schedulers ask -----------------------------------------------------------------------------
static bool folds_now(const struct lanes *l, uint32_t type, uint64_t t) {
    return t >= l->fold[type].from && t < l->fold[type].to;
}

static uint32_t needs(const struct lanes *l, const struct sm_view *v, uint32_t warp, uint32_t type) {
    const struct lane_use u = lanes_use(v->lanes[warp], v->lanes[warp], l->shifts, folds_now(l, type, v->cycle));
    return lanes_of_threads(u.first | u.second, l->width);
}

// Lanes that take no instruction now. Without a wakeup delay one that is off takes what wakes it.
static uint32_t blocked(const struct lanes *l, const struct lane_pipe *x) {
    return l->times.wakeup_delay == 0 ? 0 : x->not_on;
}

static uint64_t lanes_on(void *self, const struct sm_view *v, uint32_t pipe, uint64_t warps) {
    const struct lanes *const l = self;
    const uint32_t no = blocked(l, &l->pipe[index_of(pipe)]), type = type_of(pipe);
    if (no == 0) return warps;
    uint64_t on = 0;
    FOR_EACH_BIT64(w, warps)
        if ((needs(l, v, (uint32_t)w, type) & no) == 0) on |= 1ull << w;
    return on;
}

// Group i keeps `mask` of its lanes, the others go on as before in a group of their own.
static void split(struct lane_pipe *x, uint32_t i, uint32_t mask) {
    struct lane_group *const g = &x->group[i];
    if (g->mask == mask) return;
    assert(x->n < LANE_MAX && "a lane is in one group");
    x->group[x->n] = *g;
    x->group[x->n++].mask = g->mask & ~mask;
    g->mask = mask;
}

// Wakes lanes of a pipe that are off; answers when all of `mask` are on. Until then those that are on
// stay so: lanes that a warp waits for do not go off one after the other while the rest wakes.
static uint64_t wake(struct lanes *l, struct lane_pipe *x, uint32_t mask, uint64_t t) {
    uint64_t on_at = t;
    const uint32_t n = x->n; // what is split off comes behind and has none of `mask`
    for (uint32_t i = 0; i < n; i++) {
        struct lane_group *const g = &x->group[i];
        if ((g->mask & mask) == 0) continue;
        if (g->d.state == GATE_OFF) {
            split(x, i, g->mask & mask);
            domain_wake(&g->d, &l->times, t);
            credit(x, g);
        }
        if (g->d.state == GATE_WAKING) on_at = domain_max(on_at, g->d.on_at);
    }
    const uint32_t all = x->n;
    for (uint32_t i = 0; i < all; i++) {
        struct lane_group *const g = &x->group[i];
        if ((g->mask & mask) == 0 || (g->d.state == GATE_ON && g->busy_until > on_at)) continue;
        split(x, i, g->mask & mask);
        g->d.not_before = on_at + 1;
    }
    if (on_at < x->look_at) x->look_at = on_at;
    if (on_at < l->look_at) l->look_at = on_at;
    return on_at;
}

// Of the pipes, the first that has not been asked for in this cycle; one whose missing lanes are all
// waking already comes before one that would have to be woken.
static uint64_t lanes_wanted(void *self, const struct sm_view *v, uint32_t warp, uint64_t pipes) {
    struct lanes *const l = self;
    uint64_t choice = SM_PIPES;
    FOR_EACH_BIT64(p, pipes & ~l->claimed) {
        const struct lane_pipe *const x = &l->pipe[index_of((uint32_t)p)];
        const uint32_t need = needs(l, v, warp, type_of((uint32_t)p));
        uint32_t off = 0;
        for (uint32_t i = 0; i < x->n; i++)
            if (x->group[i].d.state == GATE_OFF) off |= x->group[i].mask & need;
        if (choice == SM_PIPES) choice = p;
        if (off != 0) continue;
        choice = p;
        break;
    }
    if (choice == SM_PIPES) return UINT64_MAX; // who asked first has set the time
    l->claimed |= 1ull << choice;
    const uint64_t on_at = wake(l, &l->pipe[index_of((uint32_t)choice)],
                                needs(l, v, warp, type_of((uint32_t)choice)), v->cycle);
    return on_at > v->cycle ? on_at : v->cycle + 1;
}

static void issue(void *self, const struct sm_view *v, struct sm_issue *i) {
    struct lanes *const l = self;
    if (i->pipe >= SM_PIPES || !(l->pipes >> i->pipe & 1)) return;
    const uint32_t type = type_of(i->pipe);
    struct lane_pipe *const x = &l->pipe[index_of(i->pipe)];
    const struct lane_use u =
        lanes_use(i->lanes, v->lanes[i->warp], l->shifts, folds_now(l, type, i->cycle));
    const uint32_t behind = u.is_folded ? i->interval : 0, before = l->stages / 2 + l->stages % 2;
    i->extra_latency += l->stages + behind;
    i->extra_interval += behind;
    l->issues[type]++;
    l->folded[type] += u.is_folded;
    l->spared[type] += u.is_spared;
    l->passes[type] += 1u + u.is_folded;
    l->shifted += l->shifts && lanes_shift(i->lanes) != i->lanes;
    const uint32_t first = lanes_of_threads(u.first, l->width), second = lanes_of_threads(u.second, l->width);
    if (l->times.wakeup_delay == 0 && x->not_on & (first | second)) {
        wake(l, x, first | second, i->cycle);
        settle_pipe(l, x, type, i->cycle);
        l->part = (l->part & ~(1ull << i->pipe)) | (uint64_t)(x->not_on != 0) << i->pipe;
    }
    const uint64_t at = domain_max(i->operands_at, v->pipe[i->pipe].enter_at) + before;
    const uint64_t latency = i->latency != 0 ? i->latency : 1;
    if (first != 0) hold(l, x, type, first, i->cycle, at, at + latency);
    if (second != 0) hold(l, x, type, second, i->cycle, at + behind, at + behind + latency);
}

// ---- busy times and counts ------------------------------------------------------------------------
static void begin(struct lanes *l, struct lane_pipe *x, uint64_t t) {
    x->n = 0;
    x->not_on = 0;
    x->look_at = 0;
    const uint32_t lower = l->folds ? LANES_LOWER : UINT32_MAX, half[2] = {l->all & lower, l->all & ~lower};
    for (uint32_t i = 0; i < 2; i++) {
        if (half[i] == 0) continue;
        struct lane_group *const g = &x->group[x->n++];
        *g = (struct lane_group){.mask = half[i], .busy_until = t};
        domain_begin(&g->d, t);
    }
}

// Closes all times at cycle t: nothing is counted from there on, or of what lies ahead.
static void end(const struct lanes *l, struct lane_pipe *x, uint64_t t) {
    for (uint32_t i = 0; i < x->n; i++) {
        struct lane_group *const g = &x->group[i];
        const uint64_t lanes = bits_count32(g->mask);
        if (g->busy_until < t) {
            x->idle += lanes * (t - g->busy_until);
        } else {
            const uint64_t from = domain_max(g->busy_from, t);
            x->busy -= lanes * (g->busy_until - from);
            x->idle -= lanes * (from - t);
        }
        domain_end(&g->d, &l->times, t);
        credit(x, g);
    }
}

static void work(void *self, const struct sm_view *v, bool begins, uint64_t t) {
    (void)v;
    struct lanes *const l = self;
    l->is_busy = begins;
    l->settled = t;
    l->part = l->look_at = 0;
    FOR_EACH_BIT64(p, l->pipes) {
        struct lane_pipe *const x = &l->pipe[index_of((uint32_t)p)];
        if (begins) {
            begin(l, x, t);
            continue;
        }
        if (l->type_gated[type_of((uint32_t)p)]) settle_pipe(l, x, type_of((uint32_t)p), t - 1);
        for (uint32_t i = 0; i < x->n; i++) {
            const struct lane_group *const g = &x->group[i];
            const uint64_t idle = g->busy_until < t ? t - g->busy_until : 0;
            if (idle != 0)
                x->periods[idle < ACT_IDLE_LENGTHS - 1 ? idle : ACT_IDLE_LENGTHS - 1] += bits_count32(g->mask);
        }
        end(l, x, t);
        x->n = 0;
    }
    if (begins) return;
    for (uint32_t type = 0; type < LANE_TYPES; type++) {
        const uint64_t to = l->fold[type].to < t ? l->fold[type].to : t;
        if (to > l->fold[type].from) l->fold_cycles[type] += to - l->fold[type].from;
        l->fold[type].from = l->fold[type].to = 0;
    }
}

static void count_pipe(const struct lanes *l, uint32_t index, uint64_t *c, uint64_t now) {
    struct lane_pipe x = l->pipe[index]; // the open times are closed in a copy
    const uint32_t type = type_of(pipe_of(index)), k = l->weight;
    if (l->is_busy && now > 0) {
        if (l->type_gated[type] && now - 1 > l->settled) settle_pipe(l, &x, type, now - 1);
        end(l, &x, now);
    }
    c[ACT_lane_busy_cycles + index] += k * x.busy;
    c[ACT_lane_idle_cycles + index] += k * x.idle;
    const uint32_t periods = type == 0 ? ACT_lane_idle_periods_int : ACT_lane_idle_periods_fp;
    for (uint32_t i = 0; i < ACT_IDLE_LENGTHS; i++) c[periods + i] += k * x.periods[i];
    if (!l->type_gated[type]) return;
    const uint64_t off = x.sum.uncompensated + x.sum.compensated;
    c[ACT_lane_on_idle + index] += k * (x.idle - off - x.sum.wakeup);
    c[ACT_lane_uncompensated + index] += k * x.sum.uncompensated;
    c[ACT_lane_compensated + index] += k * x.sum.compensated;
    c[ACT_lane_wakeup + index] += k * x.sum.wakeup;
    c[ACT_lane_events + index] += k * x.sum.events;
    c[ACT_lane_overhead + index] += k * x.sum.events * l->times.break_even;
    c[ACT_lane_wakeups + index] += k * x.sum.wakeups;
    c[ACT_lane_early_wakeups + index] += k * x.sum.early_wakeups;
}

static void count(const void *self, const struct sm_view *v, struct activity *a, uint64_t now) {
    (void)v;
    const struct lanes *const l = self;
    uint64_t *const c = a->c;
    FOR_EACH_BIT64(p, l->pipes) count_pipe(l, index_of((uint32_t)p), c, now);
    for (uint32_t type = 0; type < LANE_TYPES; type++) {
        c[ACT_lane_issues + type] += l->issues[type];
        c[ACT_folded + type] += l->folded[type];
        c[ACT_fold_spared + type] += l->spared[type];
        if (l->stages != 0) c[ACT_shift_logic_uses + type] += l->passes[type];
        c[ACT_fold_cycles + type] += l->fold_cycles[type];
        const uint64_t to = l->fold[type].to < now ? l->fold[type].to : now;
        if (l->is_busy && to > l->fold[type].from) c[ACT_fold_cycles + type] += to - l->fold[type].from;
    }
    c[ACT_lane_shifts] += l->shifted;
    if (l->folds || l->shifts) c[ACT_shift_logic_cycles] = c[ACT_sm_busy_cycles];
}

// ---- making -------------------------------------------------------------------------------------
void lanes_init(struct savings_sm *s, struct sm_policy *p) {
    struct lanes *const l = &s->lanes;
    const struct savings_options *const o = &s->set.o;
    l->is_gated = savings_has(s, SAVINGS_LANE_PG);
    l->folds = savings_has(s, SAVINGS_WARP_FOLDING);
    l->shifts = savings_has(s, SAVINGS_LANE_SHIFTING);
    l->is_eager = l->is_gated && l->folds && o->eager_gating;
    l->type_gated[0] = l->is_gated && o->gate_int;
    l->type_gated[1] = l->is_gated && o->gate_fp;
    l->times = (struct gate_times){o->break_even, o->wakeup_delay};
    l->idle_detect = o->idle_detect;
    l->width = savings_lane_width(&s->c);
    l->all = l->width == LANE_MAX ? UINT32_MAX : (1u << l->width) - 1;
    l->weight = LANE_MAX / l->width;
    l->stages = l->folds || l->shifts ? o->shift_stages : 0;
    l->clusters = s->c.clusters;
    const uint64_t clusters = (1ull << s->c.clusters) - 1;
    l->pipes = clusters << SM_PIPE_INT | clusters << SM_PIPE_FP;
    *p = (struct sm_policy){.name = "lanes", .self = l, .issue = issue, .work = work, .count = count};
    if (!l->is_gated) return;
    p->cycle = cycle;
    p->next_event = l->folds ? next_event : NULL;
    p->pipes_part = &l->part;
    p->lanes_on = lanes_on;
    p->lanes_wanted = lanes_wanted;
}
