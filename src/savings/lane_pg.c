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
static_assert((int)SM_PIPE_INT == 0 && (int)SM_PIPE_FP == SM_MAX_CLUSTERS && LANE_PIPES == 2 * SM_MAX_CLUSTERS,
              "INT, FP, then others");

// Of all lanes and of halves it is known.
static inline uint8_t count_lanes(uint32_t mask) {
    if (mask == UINT32_MAX) return LANE_MAX;
    if (mask == LANES_LOWER || mask == LANES_UPPER) return LANE_MAX / 2;
    return (uint8_t)bits_count32(mask);
}

static inline bool folds_now(const struct lanes *l, uint32_t type, uint64_t t) {
    return t >= l->fold[type].from && t < l->fold[type].to;
}

// When a group that is on goes off if nothing happens.
static inline uint64_t due(const struct lanes *l, const struct lane_group *g, uint32_t type) {
    const uint64_t idle = domain_max(g->busy_until, g->since);
    const uint64_t at = domain_max(idle + l->idle_detect, g->not_before);
    if (!l->is_eager || !(g->mask & LANES_UPPER)) return at;
    const uint64_t eager = domain_max(domain_max(idle, g->not_before), l->fold[type].from);
    return eager < l->fold[type].to && eager < at ? eager : at;
}

static void switch_off(struct lane_pipe *x, uint32_t i) {
    struct lane_group *const g = &x->group[i];
    x->live &= ~(1u << i);
    x->off |= g->mask;
    x->sum.events += g->lanes;
    g->since = g->next;
}

// Lanes are of group i from now on.
static inline void join(struct lane_pipe *x, uint32_t lanes, uint32_t i) {
    if (lanes == UINT32_MAX) {
        memset(x->group_of, (int)i, sizeof x->group_of);
        return;
    }
    FOR_EACH_BIT32(lane, lanes) x->group_of[lane] = (uint8_t)i;
}

// Puts some lanes of group i into a group of their own, if there are others; answers which. Both go on as before.
static uint32_t split(struct lane_pipe *x, uint32_t i, uint32_t lanes) {
    struct lane_group *const g = &x->group[i];
    if (g->mask == lanes) return i;
    assert(x->used != UINT32_MAX && "each group has a lane");
    const uint32_t k = bits_first32(~x->used);
    struct lane_group *const own = &x->group[k];
    *own = *g;
    own->mask = lanes;
    own->lanes = count_lanes(lanes);
    g->mask &= ~lanes;
    g->lanes = (uint8_t)(g->lanes - own->lanes);
    x->used |= 1u << k;
    x->live |= (x->live >> i & 1) << k;
    join(x, lanes, k);
    return k;
}

// The group of the first of some lanes, which are taken out of `*lanes`; `*part`: those of them that are in it.
static inline uint32_t take_group(const struct lane_pipe *x, uint32_t *lanes, uint32_t *part) {
    const uint32_t i = x->group_of[bits_first32(*lanes)];
    *part = x->group[i].mask & *lanes;
    *lanes &= ~*part;
    return i;
}

// `lanes` lanes have been off from `since` until t.
static inline void add_off(const struct lanes *l, struct lane_pipe *x, uint32_t lanes, uint64_t since, uint64_t t) {
    const uint64_t off = t - since, before = off < l->times.break_even ? off : l->times.break_even;
    x->sum.uncompensated += lanes * before;
    x->sum.compensated += lanes * (off - before);
}

static inline void set_work(const struct lanes *l, struct lane_group *g, uint32_t type, uint64_t from, uint64_t to) {
    g->busy_from = from;
    g->busy_until = to;
    g->since = g->not_before = 0; // work counts now
    g->next = due(l, g, type);
}

// The run's work so far becomes its groups'. They are whole, and worked without a gap.
static void book_run(const struct lanes *l, struct lane_pipe *x, uint32_t pipe) {
    const uint64_t before = l->with_sm[pipe].before, until = before - 1 + l->before;
    if (before == 0 || before == x->booked) return;
    x->booked = before;
    for (uint32_t left = x->run_lanes, part; left != 0;) {
        struct lane_group *const g = &x->group[take_group(x, &left, &part)];
        x->busy += (until - g->busy_until) * g->lanes;
        set_work(l, g, type_of(pipe), g->busy_from, until);
    }
}

static void end_run(struct lanes *l, uint32_t pipe) {
    struct sm_lane_pipe *const f = &l->with_sm[pipe];
    book_run(l, &l->pipe[pipe], pipe);
    l->issues[type_of(pipe)] += f->issues;
    if (f->is_folded) l->folded[type_of(pipe)] += f->issues;
    f->before = f->issues = 0;
}

// What time alone does up to and with cycle t. Answers before which later cycle it does nothing.
static uint64_t settle_pipe(const struct lanes *l, struct lane_pipe *x, uint32_t pipe, uint64_t t) {
    const uint32_t type = type_of(pipe);
    book_run(l, x, pipe);
    uint64_t look_at = DOMAIN_NEVER;
    uint32_t now = 0; // groups in which something changes
    FOR_EACH_BIT32(i, x->live) {
        const uint64_t next = x->group[i].next;
        now |= (uint32_t)(next <= t) << i;
        look_at = next > t && next < look_at ? next : look_at;
    }
    FOR_EACH_BIT32(i, now) {
        struct lane_group *const g = &x->group[i];
        if (x->waking & g->mask) {
            x->waking &= ~g->mask;
            x->sum.wakeup += (uint64_t)g->lanes * l->times.wakeup_delay;
            g->since = g->next;
            g->not_before = domain_max(g->not_before, g->since + 1); // the cycle for which it was woken
            g->next = due(l, g, type);
        }
        if (g->next <= t)
            switch_off(x, i);
        else if (g->next < look_at)
            look_at = g->next;
    }
    return look_at;
}

// What schedulers see of a pipe in cycle t.
static void look_at_pipe(struct lanes *l, uint32_t pipe, uint64_t t) {
    const struct lane_pipe *const x = &l->pipe[pipe];
    struct sm_lane_pipe *const f = &l->with_sm[pipe];
    // Without a wakeup delay a lane that is off takes what wakes it.
    const uint32_t off = l->times.wakeup_delay == 0 ? 0 : x->off | x->waking;
    const bool folds = folds_now(l, type_of(pipe), t);
    if (off == f->off && f->needed == l->need[folds]) return;
    f->off = off;
    f->needed = l->need[folds];
    f->is_short = (off & l->all & (folds ? LANES_LOWER : UINT32_MAX)) != 0;
    f->known = f->on = off == 0 ? ~0ull : 0;
    l->part &= ~(1ull << pipe);
    if (off != 0) l->part |= 1ull << pipe;
}

// Of a pipe of which lanes are gated.
static void settle_now(struct lanes *l, uint32_t pipe, uint64_t t) {
    struct lane_pipe *const x = &l->pipe[pipe];
    const uint64_t fold_to = l->fold[type_of(pipe)].to;
    uint64_t next = settle_pipe(l, x, pipe, t);
    if (t < fold_to && fold_to < next) next = fold_to; // what a warp needs changes then
    struct sm_lane_pipe *const f = &l->with_sm[pipe];
    if ((x->run_lanes & x->off) || f->is_folded != folds_now(l, type_of(pipe), t)) end_run(l, pipe);
    f->look_at = next;
    look_at_pipe(l, pipe, t);
}

static void settle(struct lanes *l, uint64_t t) {
    l->settled = t;
    if (t < l->look_at) return;
    uint64_t look_at = DOMAIN_NEVER;
    FOR_EACH_BIT64(p, l->gated) {
        if (t >= l->with_sm[p].look_at) settle_now(l, (uint32_t)p, t);
        if (l->with_sm[p].look_at < look_at) look_at = l->with_sm[p].look_at;
    }
    l->look_at = look_at;
}

// Something will change in cycle t.
static inline void look_before(struct lanes *l, uint32_t pipe, uint64_t t) {
    if (t < l->with_sm[pipe].look_at) l->with_sm[pipe].look_at = t;
    if (t < l->look_at) l->look_at = t;
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
    FOR_EACH_BIT64(p, l->pipes) {
        struct lane_pipe *const x = &l->pipe[p];
        end_run(l, (uint32_t)p);
        FOR_EACH_BIT32(i, x->live)
            if (!(x->waking & x->group[i].mask)) x->group[i].next = due(l, &x->group[i], type_of((uint32_t)p));
        x->asked = 0;
        l->with_sm[p].look_at = 0;
    }
    l->look_at = 0;
    settle(l, now);
}

uint64_t lanes_folded(const struct lanes *l, uint32_t type) {
    uint64_t n = l->folded[type];
    FOR_EACH_BIT64(p, l->pipes)
        if (type_of((uint32_t)p) == type && l->with_sm[p].is_folded) n += l->with_sm[p].issues;
    return n;
}

// ---- groups ---------------------------------------------------------------------------------------
// Counts work of lanes of a group in [at, to) and the idle period that it ends. Answers since when they
// hold work without a gap (0: since `now` or longer).
static inline uint64_t add_work(struct lane_pipe *x, const struct lane_group *g, uint32_t lanes, uint64_t now,
                                uint64_t at, uint64_t to) {
    const uint64_t start = domain_max(at, g->busy_until), idle = start - g->busy_until;
    x->periods[idle < ACT_IDLE_LENGTHS - 1 ? idle : ACT_IDLE_LENGTHS - 1] += lanes;
    x->idle += idle * lanes;
    x->busy += (to - start) * lanes;
    const uint64_t since = g->busy_from > now ? g->busy_from : 0;
    return idle != 0 ? at : since;
}

// Those that hold work since the same cycle, and lie in one half of the clusters, are one group from then on.
// Whether all hold work until `to`, and no lane else in their groups.
static bool hold_some(const struct lanes *l, struct lane_pipe *x, uint32_t type, uint32_t mask, uint64_t now,
                      uint64_t at, uint64_t to) {
    const uint32_t upper = l->folds ? LANES_UPPER : 0;
    struct lane_group *into[2] = {NULL, NULL};
    bool all = true;
    for (uint32_t m; mask != 0;) {
        uint32_t i = take_group(x, &mask, &m);
        struct lane_group *g = &x->group[i];
        if (g->busy_until >= to) {
            all = false;
            continue;
        }
        const uint8_t lanes = m == g->mask ? g->lanes : count_lanes(m);
        const uint64_t from = add_work(x, g, lanes, now, at, to);
        struct lane_group **const half = &into[(m & upper) != 0];
        if (*half == NULL || (*half)->busy_from != from) {
            x->held = i = split(x, i, m);
            *half = &x->group[i];
            set_work(l, *half, type, from, to);
            continue;
        }
        (*half)->mask |= m;
        (*half)->lanes = (uint8_t)((*half)->lanes + lanes);
        join(x, m, (uint32_t)(*half - x->group));
        g->mask &= ~m;
        g->lanes = (uint8_t)(g->lanes - lanes);
        if (g->mask != 0) continue;
        x->used &= ~(1u << i);
        x->live &= ~(1u << i);
    }
    return all;
}

// Lanes that are on get work in [at, to); `now` is the cycle of issue. The usual case: they are those that got
// work last. Answers what hold_some does.
static inline bool hold(struct lanes *l, struct lane_pipe *x, uint32_t type, uint32_t mask, uint64_t now,
                        uint64_t at, uint64_t to) {
    assert((mask & (x->off | x->waking)) == 0 && "a lane that is off does not work");
    struct lane_group *const g = &x->group[x->held];
    if (g->mask != mask) return hold_some(l, x, type, mask, now, at, to);
    if (g->busy_until >= to) return false;
    set_work(l, g, type, add_work(x, g, g->lanes, now, at, to), to);
    return true;
}

// ---- schedulers ask -----------------------------------------------------------------------------
// Threads of a warp change seldom, so the lanes that it needs are kept.
static void lanes_changed(void *self, const struct sm_view *v, uint32_t warp) {
    struct lanes *const l = self;
    const uint32_t threads = v->lanes[warp];
    for (uint32_t folds = 0; folds <= l->folds; folds++) {
        const struct lane_use u = lanes_use(threads, threads, l->shifts, folds);
        l->need[folds][warp] = lanes_of_threads(u.first | u.second, l->width);
    }
    FOR_EACH_BIT64(p, l->part) {
        l->with_sm[p].known &= ~(1ull << warp);
        l->with_sm[p].on &= ~(1ull << warp);
    }
}

// Lanes that are off begin to wake in cycle t.
static void wake_off(const struct lanes *l, struct lane_pipe *x, uint32_t type, uint32_t lanes, uint64_t t) {
    const uint64_t on_at = t + l->times.wakeup_delay;
    x->off &= ~lanes;
    if (on_at != t) x->waking |= lanes;
    for (uint32_t part; lanes != 0;) {
        const uint32_t of = take_group(x, &lanes, &part), i = split(x, of, part);
        struct lane_group *const g = &x->group[i];
        add_off(l, x, g->lanes, g->since, t);
        x->sum.wakeups += g->lanes;
        x->sum.early_wakeups += t < g->since + l->times.break_even ? g->lanes : 0;
        x->live |= 1u << i;
        g->since = on_at;
        g->not_before = on_at + 1;
        g->next = on_at != t ? on_at : due(l, g, type);
    }
}

// Wakes lanes of a pipe that are off; answers when all of `mask` are on. Until then those that are on
// stay so: lanes that a warp waits for do not go off one after the other while the rest wakes.
static uint64_t wake(struct lanes *l, uint32_t pipe, uint32_t mask, uint64_t t) {
    struct lane_pipe *const x = &l->pipe[pipe];
    const uint32_t type = type_of(pipe), off = mask & x->off;
    if (x->asked == mask && x->asked_on_at > t) return x->asked_on_at;
    end_run(l, pipe);
    uint64_t on_at = t;
    if (off != 0) {
        wake_off(l, x, type, off, t);
        on_at = t + l->times.wakeup_delay;
    } else {
        for (uint32_t left = mask & x->waking, part; left != 0;)
            on_at = domain_max(on_at, x->group[take_group(x, &left, &part)].next);
    }
    for (uint32_t left = mask & ~off, part; left != 0;) {
        uint32_t i = take_group(x, &left, &part);
        const bool is_on = !(x->waking & part);
        if (x->group[i].not_before == on_at + 1 || (is_on && x->group[i].busy_until > on_at)) continue;
        i = split(x, i, part);
        struct lane_group *const g = &x->group[i];
        g->not_before = on_at + 1;
        if (is_on) g->next = due(l, g, type);
    }
    look_before(l, pipe, on_at);
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
        if (choice == SM_PIPES) choice = p;
        if ((l->pipe[p].off & l->with_sm[p].needed[warp]) != 0) continue;
        choice = p;
        break;
    }
    if (choice == SM_PIPES) return UINT64_MAX; // who asked first has set the time
    l->claimed |= 1ull << choice;
    const uint64_t on_at = wake(l, (uint32_t)choice, l->with_sm[choice].needed[warp], v->cycle);
    return on_at > v->cycle ? on_at : v->cycle + 1;
}

static struct sm_delay lanes_issue(void *self, const struct sm_view *v, uint32_t warp, uint32_t pipe, uint32_t lanes,
                                   uint64_t at, uint32_t latency, uint32_t interval) {
    struct lanes *const l = self;
    const uint32_t type = type_of(pipe);
    struct lane_pipe *const x = &l->pipe[pipe];
    struct sm_lane_pipe *const f = &l->with_sm[pipe];
    struct lane_use u = {.first = lanes};
    end_run(l, pipe);
    l->issues[type]++;
    bool is_shifted = false;
    if (l->folds || l->shifts) {
        u = lanes_use(lanes, v->lanes[warp], l->shifts, folds_now(l, type, v->cycle));
        is_shifted = l->shifts && lanes_shift(lanes) != lanes;
        l->shifted += is_shifted;
        l->folded[type] += u.is_folded;
        l->spared[type] += u.is_spared;
    }
    if (l->width != LANE_MAX) {
        u.first = lanes_of_threads(u.first, l->width);
        u.second = lanes_of_threads(u.second, l->width);
    }
    if (l->times.wakeup_delay == 0 && x->off & (u.first | u.second)) {
        wake(l, pipe, u.first | u.second, v->cycle);
        settle_now(l, pipe, v->cycle);
    }
    const uint32_t behind = u.is_folded ? interval : 0;
    const uint64_t from = at + l->before, to = from + behind + latency;
    bool works_on = true;
    x->asked = 0;
    if (u.first != 0) works_on &= hold(l, x, type, u.first, v->cycle, from, from + latency);
    if (u.second != 0) works_on &= hold(l, x, type, u.second, v->cycle, from + behind, to);
    if (l->type_gated[type])
        look_before(l, pipe, to + (l->is_eager && l->fold[type].to > to ? 0 : l->idle_detect));
    // The next instruction that these lanes execute does the same: nothing is left to count, and while folding
    // is on, which settle_now ends runs with, only a full warp is sure to be folded whatever is active.
    const bool is_alike = !l->folds || (l->type_gated[type] && (lanes == UINT32_MAX || !folds_now(l, type, v->cycle)));
    if (works_on && u.first != 0 && !is_shifted && is_alike) {
        x->run_lanes = u.first;
        x->booked = f->before = to + 1 - l->before;
        f->lanes = lanes;
        f->is_folded = u.is_folded;
    }
    return (struct sm_delay){l->stages + behind, behind};
}

// ---- busy times and counts ------------------------------------------------------------------------
static void begin(struct lanes *l, struct lane_pipe *x, uint32_t type, uint64_t t) {
    x->used = x->live = x->held = 0;
    x->off = x->waking = x->asked = 0;
    const uint32_t lower = l->folds ? LANES_LOWER : UINT32_MAX, half[2] = {l->all & lower, l->all & ~lower};
    for (uint32_t i = 0; i < LANE_MAX; i++) x->group[i].mask = 0;
    for (uint32_t i = 0; i < 2; i++) {
        if (half[i] == 0) continue;
        struct lane_group *const g = &x->group[i];
        *g = (struct lane_group){.mask = half[i], .lanes = count_lanes(half[i]), .busy_until = t, .since = t,
                                 .not_before = t};
        g->next = due(l, g, type);
        x->used = x->live |= 1u << i;
        join(x, half[i], i);
    }
}

// Closes all times at cycle t: nothing is counted from there on, or of what lies ahead.
static void end(const struct lanes *l, struct lane_pipe *x, uint64_t t) {
    FOR_EACH_BIT32(i, x->used) {
        const struct lane_group *const g = &x->group[i];
        if (g->busy_until < t) {
            x->idle += g->lanes * (t - g->busy_until);
        } else {
            const uint64_t from = domain_max(g->busy_from, t);
            x->busy -= g->lanes * (g->busy_until - from);
            x->idle -= g->lanes * (from - t);
        }
        if (x->waking & g->mask) x->sum.wakeup += g->lanes * (t - (g->next - l->times.wakeup_delay));
        if ((x->off & g->mask) && t > g->since) add_off(l, x, g->lanes, g->since, t);
    }
}

static void add_period(struct lane_pipe *x, uint32_t lanes, uint64_t busy_until, uint64_t t) {
    const uint64_t idle = busy_until < t ? t - busy_until : 0;
    if (idle != 0) x->periods[idle < ACT_IDLE_LENGTHS - 1 ? idle : ACT_IDLE_LENGTHS - 1] += lanes;
}

static void work(void *self, const struct sm_view *v, bool begins, uint64_t t) {
    (void)v;
    struct lanes *const l = self;
    l->is_busy = begins;
    l->settled = t;
    l->part = l->look_at = 0;
    FOR_EACH_BIT64(p, l->pipes) {
        struct lane_pipe *const x = &l->pipe[p];
        l->with_sm[p].look_at = l->with_sm[p].off = 0;
        l->with_sm[p].needed = l->need[0];
        l->with_sm[p].known = l->with_sm[p].on = ~0ull;
        if (begins) {
            begin(l, x, type_of((uint32_t)p), t);
            continue;
        }
        end_run(l, (uint32_t)p);
        if (l->gated >> p & 1) settle_pipe(l, x, (uint32_t)p, t - 1);
        FOR_EACH_BIT32(i, x->used) add_period(x, x->group[i].lanes, x->group[i].busy_until, t);
        end(l, x, t);
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
        book_run(l, &x, index);
        if (l->type_gated[type] && now - 1 > l->settled) settle_pipe(l, &x, index, now - 1);
        end(l, &x, now);
    }
    c[ACT_lane_busy_cycles + index] += k * x.busy;
    c[ACT_lane_idle_cycles + index] += k * x.idle;
    const uint32_t periods = type == 0 ? ACT_lane_idle_periods_int : ACT_lane_idle_periods_fp;
    for (uint32_t i = 1; i < ACT_IDLE_LENGTHS; i++) c[periods + i] += k * x.periods[i];
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
        const uint64_t folded = lanes_folded(l, type);
        uint64_t issues = l->issues[type];
        FOR_EACH_BIT64(p, l->pipes)
            if (type_of((uint32_t)p) == type) issues += l->with_sm[p].issues;
        c[ACT_lane_issues + type] += issues;
        c[ACT_folded + type] += folded;
        c[ACT_fold_spared + type] += l->spared[type];
        if (l->stages != 0) c[ACT_shift_logic_uses + type] += issues + folded;
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
    l->before = l->stages / 2 + l->stages % 2;
    const uint64_t clusters = (1ull << s->c.clusters) - 1;
    l->pipes = clusters << SM_PIPE_INT | clusters << SM_PIPE_FP;
    l->gated = (l->type_gated[0] ? clusters << SM_PIPE_INT : 0) | (l->type_gated[1] ? clusters << SM_PIPE_FP : 0);
    for (uint32_t i = 0; i < LANE_PIPES; i++) l->with_sm[i].latency = (uint16_t)l->stages;
    *p = (struct sm_policy){.name = "lanes",
                            .self = l,
                            .lanes_changed = lanes_changed,
                            .lanes_issue = lanes_issue,
                            .lane_pipe = l->with_sm,
                            .work = work,
                            .count = count};
    if (!l->is_gated) return;
    p->cycle = cycle;
    p->cycle_at = &l->look_at;
    p->next_event = l->folds ? next_event : NULL;
    p->pipes_part = &l->part;
    p->lanes_wanted = lanes_wanted;
}
