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
// lanes.pipe[] has the SM's numbers of the INT and FP pipes, which are the first.
static_assert((int)SM_PIPE_INT == 0 && (int)SM_PIPE_FP == SM_MAX_CLUSTERS && (int)SM_PIPE_SFU == LANE_PIPES,
              "INT, FP, then others");

// As bits_count32; of all lanes and of halves it is known.
static inline uint32_t count_lanes(uint32_t mask) {
    if (mask == UINT32_MAX) return LANE_MAX;
    if (mask == LANES_LOWER || mask == LANES_UPPER) return LANE_MAX / 2;
    return bits_count32(mask);
}

static inline bool folds_now(const struct lanes *l, uint32_t type, uint64_t t) {
    return t >= l->fold[type].from && t < l->fold[type].to;
}

// Lanes that take no instruction now. Without a wakeup delay one that is off takes what wakes it.
static uint32_t blocked(const struct lanes *l, const struct lane_pipe *x) {
    return l->times.wakeup_delay == 0 ? 0 : x->not_on;
}

// What a group's domain has counted becomes its lanes'.
static void credit(struct lane_pipe *x, struct lane_group *g) {
    const uint64_t lanes = count_lanes(g->mask);
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
    x->not_on = x->off = x->asked = 0;
    for (uint32_t i = 0; i < x->n; i++) {
        struct lane_group *const g = &x->group[i];
        const enum gate_state was = g->d.state;
        if (was == GATE_OFF) { // until somebody wakes it
            x->off |= g->mask;
            continue;
        }
        domain_awake(&g->d, t);
        uint64_t next = due(l, g, type);
        if (next <= t) {
            domain_gate(&g->d, next);
            next = DOMAIN_NEVER;
        }
        if (g->d.state != was) credit(x, g);
        if (g->d.state == GATE_OFF) x->off |= g->mask;
        if (g->d.state == GATE_WAKING) x->not_on |= g->mask;
        if (g->d.state == GATE_WAKING) next = g->d.on_at;
        if (next < look_at) look_at = next;
    }
    x->not_on |= x->off;
    x->look_at = look_at;
}

// What schedulers see of a pipe in cycle t.
static void look_at_pipe(struct lanes *l, uint32_t pipe, uint64_t t) {
    const uint32_t no = l->pipe[pipe].not_on;
    const uint32_t full = l->all & (folds_now(l, type_of(pipe), t) ? LANES_LOWER : UINT32_MAX);
    l->part = (l->part & ~(1ull << pipe)) | (uint64_t)(no != 0) << pipe;
    l->lacking = (l->lacking & ~(1ull << pipe)) | (uint64_t)((blocked(l, &l->pipe[pipe]) & full) != 0) << pipe;
}

static void settle(struct lanes *l, uint64_t t) {
    l->settled = t;
    if (t < l->look_at) return;
    l->look_at = DOMAIN_NEVER;
    FOR_EACH_BIT64(p, l->pipes) {
        const uint32_t type = type_of((uint32_t)p);
        if (!l->type_gated[type]) continue;
        struct lane_pipe *const x = &l->pipe[p];
        if (t >= x->look_at) {
            settle_pipe(l, x, type, t);
            look_at_pipe(l, (uint32_t)p, t);
            if (t < l->fold[type].to && l->fold[type].to < x->look_at) x->look_at = l->fold[type].to;
        }
        if (x->look_at < l->look_at) l->look_at = x->look_at;
    }
}

static void cycle(void *self, const struct sm_view *v) {
    struct lanes *const l = self;
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
// Counts work of a group's lanes in [at, to) and the idle period that it ends. Answers since when they
// hold work without a gap (0: since `now` or longer).
static inline uint64_t add_work(struct lane_pipe *x, const struct lane_group *g, uint32_t lanes, uint64_t now,
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

// The group goes; the last one takes its place.
static void drop(struct lane_pipe *x, uint32_t i) {
    if (i != --x->n) x->group[i] = x->group[x->n];
}

// Those that hold work since the same cycle, and lie in one half of the clusters, are one group from then on.
static void hold_some(const struct lanes *l, struct lane_pipe *x, uint32_t mask, uint64_t now, uint64_t at,
                      uint64_t to) {
    const uint32_t upper = l->folds ? LANES_UPPER : 0;
    uint32_t into[2] = {LANE_MAX, LANE_MAX};
    for (uint32_t i = 0; i < x->n; i++) {
        struct lane_group *g = &x->group[i];
        const uint32_t m = g->mask & mask;
        if (m == 0 || g->busy_until >= to) continue;
        const uint64_t from = add_work(x, g, count_lanes(m), now, at, to);
        uint32_t *const half = &into[(m & upper) != 0];
        const bool joins = *half != LANE_MAX && x->group[*half].busy_from == from;
        g->mask &= ~m;
        if (joins) {
            x->group[*half].mask |= m;
            if (g->mask == 0) {
                drop(x, i);
                if (into[0] == x->n) into[0] = i; // it was the last
                if (into[1] == x->n) into[1] = i;
                i--;
            }
            continue;
        }
        uint32_t k = i;
        if (g->mask != 0) { // the others go on as they are
            assert(x->n < LANE_MAX && "a lane is in one group");
            k = x->n++;
            g = &x->group[k];
        }
        g->mask = m;
        g->busy_from = from;
        g->busy_until = to;
        g->d.state = GATE_ON;
        g->d.since = g->d.not_before = 0; // work counts now
        *half = k;
    }
}

// The usual case: the lanes, or each half of them, are one group, all of which gets work or nothing.
static inline bool hold_whole(const struct lanes *l, struct lane_pipe *x, uint32_t mask, uint64_t now,
                              uint64_t at, uint64_t to) {
    struct lane_group *const a = &x->group[0], *const b = &x->group[1];
    const uint32_t in_a = a->mask & mask;
    uint32_t in_b = 0;
    if (l->folds) {
        in_b = b->mask & mask;
        if (x->n != 2 || (in_b != 0 && in_b != b->mask)) return false;
    } else if (x->n != 1) {
        return false;
    }
    if (in_a != 0 && in_a != a->mask) return false;
    if (in_a != 0 && a->busy_until < to) {
        a->busy_from = add_work(x, a, count_lanes(in_a), now, at, to);
        a->busy_until = to;
        a->d.not_before = 0; // `since` lies before `to`
    }
    if (in_b != 0 && b->busy_until < to) {
        b->busy_from = add_work(x, b, count_lanes(in_b), now, at, to);
        b->busy_until = to;
        b->d.not_before = 0;
    }
    return true;
}

// Lanes that are on get work in [at, to); `now` is the cycle of issue.
static inline void hold(struct lanes *l, struct lane_pipe *x, uint32_t type, uint32_t mask, uint64_t now,
                        uint64_t at, uint64_t to) {
    x->asked = 0;
    if (!hold_whole(l, x, mask, now, at, to)) hold_some(l, x, mask, now, at, to);
    if (!l->type_gated[type]) return;
    const uint64_t next = to + (l->is_eager && l->fold[type].to > to ? 0 : l->idle_detect);
    if (next < x->look_at) x->look_at = next;
    if (next < l->look_at) l->look_at = next;
}

// ---- schedulers ask -----------------------------------------------------------------------------
// The lanes that the next instruction of a warp needs. Threads change seldom, so the answer is kept.
static inline uint32_t needs(struct lanes *l, const struct sm_view *v, uint32_t warp, uint32_t type) {
    const uint32_t threads = v->lanes[warp];
    struct lane_need *const n = &l->need[warp];
    if (n->threads != threads) {
        n->threads = threads;
        for (uint32_t folds = 0; folds < 2; folds++) {
            const struct lane_use u = lanes_use(threads, threads, l->shifts, folds);
            n->lanes[folds] = lanes_of_threads(u.first | u.second, l->width);
        }
    }
    return n->lanes[folds_now(l, type, v->cycle)];
}

static uint64_t lanes_on(void *self, const struct sm_view *v, uint32_t pipe, uint64_t warps) {
    struct lanes *const l = self;
    const uint32_t no = blocked(l, &l->pipe[pipe]), type = type_of(pipe);
    if (no == 0) return warps;
    if (no == l->all) return 0; // every warp needs a lane
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
    if (x->asked == mask && x->asked_on_at > t) return x->asked_on_at;
    uint64_t on_at = t;
    const uint32_t n = x->n; // what is split off comes behind and has none of `mask`
    for (uint32_t i = 0; i < n; i++) {
        struct lane_group *const g = &x->group[i];
        if ((g->mask & mask) == 0) continue;
        if (g->d.state == GATE_OFF) {
            split(x, i, g->mask & mask);
            x->off &= ~g->mask;
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
    x->asked = mask;
    x->asked_on_at = on_at;
    return on_at;
}

// Of the pipes, the first that has not been asked for in this cycle; one whose missing lanes are all
// waking already comes before one that would have to be woken.
static uint64_t lanes_wanted(void *self, const struct sm_view *v, uint32_t warp, uint64_t pipes) {
    struct lanes *const l = self;
    uint64_t choice = SM_PIPES;
    if (l->claimed_at != v->cycle) {
        l->claimed_at = v->cycle;
        l->claimed = 0;
    }
    FOR_EACH_BIT64(p, pipes & ~l->claimed) {
        const struct lane_pipe *const x = &l->pipe[p];
        const uint32_t need = needs(l, v, warp, type_of((uint32_t)p));
        if (choice == SM_PIPES) choice = p;
        if ((x->off & need) != 0) continue;
        choice = p;
        break;
    }
    if (choice == SM_PIPES) return UINT64_MAX; // who asked first has set the time
    l->claimed |= 1ull << choice;
    const uint64_t on_at = wake(l, &l->pipe[choice],
                                needs(l, v, warp, type_of((uint32_t)choice)), v->cycle);
    return on_at > v->cycle ? on_at : v->cycle + 1;
}

static void issue(void *self, const struct sm_view *v, struct sm_issue *i) {
    struct lanes *const l = self;
    l->instructions++;
    if (i->pipe >= LANE_PIPES) return;
    const uint32_t type = type_of(i->pipe);
    struct lane_pipe *const x = &l->pipe[i->pipe];
    uint32_t first = i->lanes, second = 0, behind = 0;
    uint64_t at = domain_max(i->operands_at, v->pipe[i->pipe].enter_at);
    l->issues[type]++;
    if (l->folds || l->shifts) {
        const struct lane_use u =
            lanes_use(first, v->lanes[i->warp], l->shifts, folds_now(l, type, i->cycle));
        l->shifted += l->shifts && lanes_shift(first) != first;
        first = u.first;
        second = u.second;
        behind = u.is_folded ? i->interval : 0;
        l->folded[type] += u.is_folded;
        l->spared[type] += u.is_spared;
        i->extra_latency += l->stages + behind;
        i->extra_interval += behind;
        at += l->stages / 2 + l->stages % 2;
    }
    if (l->width != LANE_MAX) {
        first = lanes_of_threads(first, l->width);
        second = lanes_of_threads(second, l->width);
    }
    if (l->times.wakeup_delay == 0 && x->not_on & (first | second)) {
        wake(l, x, first | second, i->cycle);
        settle_pipe(l, x, type, i->cycle);
        look_at_pipe(l, i->pipe, i->cycle);
    }
    const uint64_t latency = i->latency != 0 ? i->latency : 1;
    if (first != 0) hold(l, x, type, first, i->cycle, at, at + latency);
    if (second != 0) hold(l, x, type, second, i->cycle, at + behind, at + behind + latency);
}

// ---- busy times and counts ------------------------------------------------------------------------
static void begin(struct lanes *l, struct lane_pipe *x, uint64_t t) {
    x->n = 0;
    x->not_on = x->off = x->asked = 0;
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
        const uint64_t lanes = count_lanes(g->mask);
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
    l->part = l->lacking = l->look_at = 0;
    FOR_EACH_BIT64(p, l->pipes) {
        struct lane_pipe *const x = &l->pipe[p];
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
    const uint32_t type = type_of(index), k = l->weight;
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
    FOR_EACH_BIT64(p, l->pipes) count_pipe(l, (uint32_t)p, c, now);
    for (uint32_t type = 0; type < LANE_TYPES; type++) {
        c[ACT_lane_issues + type] += l->issues[type];
        c[ACT_folded + type] += l->folded[type];
        c[ACT_fold_spared + type] += l->spared[type];
        if (l->stages != 0) c[ACT_shift_logic_uses + type] += l->issues[type] + l->folded[type];
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
    const uint64_t clusters = (1ull << s->c.clusters) - 1;
    l->pipes = clusters << SM_PIPE_INT | clusters << SM_PIPE_FP;
    *p = (struct sm_policy){.name = "lanes", .self = l, .issue = issue, .work = work, .count = count};
    if (!l->is_gated) return;
    p->cycle = cycle;
    p->cycle_at = &l->look_at;
    p->next_event = l->folds ? next_event : NULL;
    p->pipes_part = &l->part;
    p->pipes_short = &l->lacking;
    p->lanes_on = lanes_on;
    p->lanes_wanted = lanes_wanted;
}
