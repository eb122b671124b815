// What the 32 lanes of a pipeline do at once, and the functions of the lanes' port (lanes.c)
// that come often, compiled for each vector level of the host (cmake/rooms.cmake). Every lane goes
// through the same steps, without a branch: which lanes an instruction uses and which of them are
// off follows no pattern that a host could guess.
//
// Cycles are kept as their low 32 bits, and compared by the sign of their difference: all that are
// compared lie within 2^31 of each other (lanes.c: trim).
#include "base/simd.h"
#include "savings/lane.h"

// Masks of a lane: all bits or none. The sign of a difference fills them, so that a compiler sees
// no condition.
static inline uint32_t is_less(uint32_t a, uint32_t b) {
    return (uint32_t)((int32_t)(a - b) >> 31);
}
static inline uint32_t pick(uint32_t mask, uint32_t yes, uint32_t no) {
    return no ^ ((yes ^ no) & mask);
}
// Which lanes are in a mask. Apart from the loop that uses it, or the compiler would branch on
// each.
struct lane_masks { _Alignas(64) uint32_t of[LANE_MAX]; };
static inline uint32_t lanes_in(const struct lane_masks *m) { return lanes_signs(m->of); }
static inline struct lane_masks spread(uint32_t lanes) {
    struct lane_masks m;
    LANES m.of[i] = LANE_IN(lanes) ? UINT32_MAX : 0;
    return m;
}

static inline uint32_t later(uint32_t a, uint32_t b) { return pick(is_less(a, b), b, a); }

// First cycle in which a lane that is on, idle since `idle` and not to go off before `not_before`,
// is off. An upper lane goes off in its first idle cycle if that lies in the plan's eager cycles.
static inline uint32_t due(const struct lane_plan *p, uint32_t is_upper, uint32_t idle,
                           uint32_t not_before) {
    const uint32_t at = later(idle + p->window, not_before);
    const uint32_t eager = later(later(idle, not_before), p->eager_from);
    return pick(is_upper & is_less(eager, p->eager_to) & is_less(eager, at), eager, at);
}

// When lanes go off: what was booked becomes the lanes', then an instruction holds some of
// them up to `to`.
static inline void hold(struct lane_pipe *x, const struct lane_entry *e, uint32_t window) {
    const uint32_t to = e->to, booked_until = e->until;
    const struct lane_masks in_lanes = spread(e->lanes), in_booked = spread(e->booked);
    LANES {
        const uint32_t booked = in_booked.of[i],
                       idle_from = pick(booked, booked_until, x->idle_from[i]);
        const uint32_t works = in_lanes.of[i] & is_less(idle_from, to), moves = booked | works;
        const uint32_t until = pick(works, to, idle_from);
        x->idle_from[i] = until;
        x->not_before[i] = pick(moves, until, x->not_before[i]);
        x->off_from[i] = pick(moves, until + window, x->off_from[i]);
    }
}

// Counts what stands in the log, in its order: idle times of lanes, one by one and together.
static __attribute__((noinline)) void account(struct lane_pipe *x) {
    enum { LONGEST = ACT_IDLE_LENGTHS - 1 };
    struct lane_masks idle = spread(0), length, has_gap, others;
    for (uint32_t k = 0; k < x->n_log; k++) {
        const struct lane_entry e = x->log[k];
        const struct lane_masks in_lanes = spread(e.lanes), in_booked = spread(e.booked),
                                in_begun = spread(e.begun);
        LANES {
            const uint32_t in = in_lanes.of[i], until = pick(in_booked.of[i], e.until, x->until[i]);
            const uint32_t gap = is_less(until, e.at) & in, n = (e.at - until) & gap;
            has_gap.of[i] = gap;
            idle.of[i] += n;
            length.of[i] = n < LONGEST ? n : LONGEST;
            x->from[i] = pick(gap, e.at, pick(in_begun.of[i], e.from, x->from[i]));
            x->until[i] = pick(in, later(until, e.to), until);
        }
        // Lanes that have been idle for as long are counted at once.
        for (uint32_t gaps = lanes_in(&has_gap); gaps != 0;) {
            const uint32_t n = length.of[bits_first32(gaps)];
            LANES others.of[i] = (length.of[i] - n) | (n - length.of[i]);
            const uint32_t same = gaps & ~lanes_in(&others);
            x->periods[n] += bits_count32(same);
            gaps ^= same;
        }
    }
    uint32_t sum = 0; // fits: no lane has been idle for much longer than lanes.c trims
    LANES sum += idle.of[i];
    x->idle += sum;
    x->n_log = 0;
}

// Does what time alone does to lanes up to and with cycle t; `hot` lanes, which are booked together,
// go off in hot_off_from. Each place of `next` becomes at most the number of cycles, from t + 1 on,
// until time changes its lane again; `next_wake`, until it wakes the lane.
static inline void pass(struct lane_pipe *x, uint32_t all, uint32_t hot, uint32_t hot_off_from,
                        uint32_t t, uint32_t wakeup_delay, struct lane_masks *next,
                        struct lane_masks *next_wake) {
    const uint32_t now = t + 1, hot_goes = hot_off_from - now;
    struct lane_masks goes, wakes;
    const struct lane_masks in_hot = spread(hot);
    LANES {
        // Cycles from the next one on; what is past is below zero, and as an unsigned number
        // farther than all else.
        goes.of[i] = pick(in_hot.of[i], hot_goes, x->off_from[i] - now);
        wakes.of[i] = x->wakes[i] - now;
        const uint32_t first = goes.of[i] < wakes.of[i] ? goes.of[i] : wakes.of[i];
        next->of[i] = first < next->of[i] ? first : next->of[i];
        next_wake->of[i] = wakes.of[i] < next_wake->of[i] ? wakes.of[i] : next_wake->of[i];
    }
    const uint32_t off = all & lanes_in(&goes), waking = ~lanes_in(&wakes);
    x->sum.wakeup += (uint64_t)bits_count32(x->waking & ~waking) * wakeup_delay;
    x->sum.events += bits_count32(off & ~x->off);
    x->waking = waking;
    x->off = off;
}

static void settle(struct lane_pipe *x, uint32_t all, uint32_t t, uint32_t wakeup_delay) {
    struct lane_masks next = spread(UINT32_MAX), next_wake = next;
    pass(x, all, 0, 0, t, wakeup_delay, &next, &next_wake);
}

// Of `lanes`, those that are off wake in cycle t, and all stay on up to on_at. Lanes that go off
// eagerly are not among them: no warp needs those.
static inline void wake(struct lane_pipe *x, uint32_t lanes, uint32_t t, uint32_t on_at,
                        uint32_t window, uint32_t break_even) {
    const uint32_t off = lanes & x->off, not_before = on_at + 1;
    uint32_t before = 0, all = 0;
    struct lane_masks early;
    const struct lane_masks in_off = spread(off), in_lanes = spread(lanes);
    LANES {
        const uint32_t wakes = in_off.of[i], slept = (t - x->off_from[i]) & wakes;
        const uint32_t is_early = is_less(slept, break_even) & wakes;
        before += pick(is_early, slept, break_even & wakes);
        all += slept;
        early.of[i] = is_early;
        const uint32_t works_on = ~is_less(t, x->wakes[i]) & is_less(on_at, x->idle_from[i]);
        const uint32_t is_kept = wakes | (in_lanes.of[i] & ~works_on);
        const uint32_t idle_from = pick(wakes, on_at, x->idle_from[i]);
        x->wakes[i] = pick(wakes, on_at, x->wakes[i]);
        x->idle_from[i] = idle_from;
        x->not_before[i] = pick(is_kept, not_before, x->not_before[i]);
        x->off_from[i] = pick(is_kept, later(idle_from + window, not_before), x->off_from[i]);
    }
    x->sum.uncompensated += before;
    x->sum.compensated += all - before;
    x->sum.early_wakeups += bits_count32(lanes_in(&early));
    x->sum.wakeups += bits_count32(off);
    x->off &= ~off;
}

// The plan has changed: when lanes that are not off will be.
static void plan(struct lane_pipe *x, const struct lane_plan *p) {
    const struct lane_masks in_off = spread(x->off), in_upper = spread(LANES_UPPER);
    LANES {
        const uint32_t at = due(p, in_upper.of[i], x->idle_from[i], x->not_before[i]);
        x->off_from[i] = pick(in_off.of[i], x->off_from[i], at);
    }
}

// The warps that need none of the lanes that are off.
static inline uint64_t warps_on(const uint32_t needed[SM_MAX_WARPS], uint32_t off) {
    struct lane_masks no[2]; // below zero: it needs some
    for (uint32_t h = 0; h < 2; h++) {
        const uint32_t *const of = needed + h * 32;
        LANES no[h].of[i] = (of[i] & off) | (0 - (of[i] & off));
    }
    return ~(lanes_in(&no[0]) | (uint64_t)lanes_in(&no[1]) << 32);
}

// Does what time does up to and with cycle t to all pipelines of a type, and shows it to schedulers.
// Answers the pipelines whose booked lanes are off. *next: cycles from t + 1 on until time changes a
// lane again; *next_wake: until it wakes one.
static inline uint64_t look(struct lanes *l, uint32_t type, const uint32_t *needed, uint32_t t,
                            uint32_t *next, uint32_t *next_wake) {
    const uint32_t shows =
        l->times.wakeup_delay == 0 ? 0 : UINT32_MAX; // else a lane that is off takes what wakes it
    struct lane_masks first = spread(UINT32_MAX), first_wake = first;
    uint64_t gone = 0;
    const uint32_t begin = type * SM_MAX_LANE_GROUPS;
    for (uint32_t pipe = begin; pipe < begin + l->lane_groups; pipe++) {
        struct lane_pipe *const x = &l->pipe[pipe];
        struct lane_book *const f = &l->book[pipe];
        pass(x, l->all, x->hot, (uint32_t)f->off_from, t, l->times.wakeup_delay, &first,
             &first_wake);
        gone |= (uint64_t)((x->hot & x->off) != 0) << pipe;
        f->off = (x->off | x->waking) & shows;
        f->asleep = x->off;
        f->needed = needed;
        if (!l->finds) l->shown.on[pipe] = warps_on(needed, f->off);
        l->part = (l->part & ~(1ull << pipe)) | (uint64_t)(f->off != 0) << pipe;
    }
    *next = *next_wake = UINT32_MAX;
    LANES *next = first.of[i] < *next ? first.of[i] : *next;
    LANES *next_wake = first_wake.of[i] < *next_wake ? first_wake.of[i] : *next_wake;
    return gone;
}

static inline void note(struct lane_pipe *x, const struct lane_entry *e) {
    x->log[x->n_log++] = *e;
    if (x->n_log == LANE_LOG) account(x);
}

// Nothing is booked from now on.
static void stop_booking(struct lanes *l, uint32_t type, struct lane_pipe *x, struct lane_book *f) {
    l->issues[type] += f->issues;
    l->folded[type] += f->folded & f->issues;
    l->shifted += x->is_shifted * f->issues;
    x->idle += f->idle * f->n;
    f->idle = 0;
    f->issues = f->folded = 0;
    x->last_to = f->until > x->last_to ? f->until : x->last_to;
    x->hot = 0;
    f->lanes = UINT64_MAX;
    f->off_from = DOMAIN_NEVER;
}

// ... and what was booked becomes the lanes'.
static void end_booking(struct lanes *l, uint32_t pipe) {
    struct lane_pipe *const x = &l->pipe[pipe];
    struct lane_book *const f = &l->book[pipe];
    if (x->hot != 0) {
        const struct lane_entry e = lane_booked(x, f);
        if (l->type_gated[lane_type(pipe)]) hold(x, &e, l->idle_detect);
        note(x, &e);
    }
    stop_booking(l, lane_type(pipe), x, f);
}

// In cycle t the first of the type's lanes that wake is on, or folding ends, behind which warps
// need other lanes.
static void wake_at(struct lanes *l, uint32_t type, uint64_t t) {
    for (uint32_t p = type * SM_MAX_LANE_GROUPS; p < type * SM_MAX_LANE_GROUPS + l->lane_groups;
         p++)
        l->book[p].wake_at = t;
}

static void settle_type(struct lanes *l, uint32_t type, uint64_t t) {
    const uint64_t fold_to = l->fold[type].to;
    const bool folds = lanes_fold_now(l, type, t);
    uint32_t next, next_wake;
    if (l->folds && !folds)
        for (uint32_t p = type * SM_MAX_LANE_GROUPS; p < type * SM_MAX_LANE_GROUPS + l->lane_groups;
             p++)
            if (l->book[p].folded != 0) end_booking(l, p);
    FOR_EACH_BIT64(p, look(l, type, l->need[folds], (uint32_t)t, &next, &next_wake))
        end_booking(l, (uint32_t)p);
    uint64_t at = t < fold_to ? fold_to : DOMAIN_NEVER; // what a warp needs changes then
    wake_at(l, type, next_wake < INT32_MAX && t + 1 + next_wake < at ? t + 1 + next_wake : at);
    if (next < INT32_MAX && t + 1 + next < at) at = t + 1 + next;
    l->shown.look_at[type] = at;
}

static void lanes_look(void *self, const struct sm_view *v, uint32_t type) {
    settle_type(self, type, v->cycle);
}

// ---- schedulers ask ----------------------------------------------------------------------------
// Lanes of a pipeline that an instruction of a warp with `active` threads needs.
static inline uint32_t lanes_needed(const struct lanes *l, uint32_t active, bool folds) {
    const struct lane_use u = lanes_use(active, active, l->shifts, folds);
    return lanes_of_threads(u.first | u.second, l->width);
}

// Threads of a warp change seldom, so the lanes that it needs are kept.
static void lanes_changed(void *self, const struct sm_view *v, uint32_t warp) {
    struct lanes *const l = self;
    const uint32_t threads = v->lanes[warp];
    if (l->finds) return;
    for (uint32_t folds = 0; folds <= l->folds; folds++)
        l->need[folds][warp] = lanes_needed(l, threads, folds);
    FOR_EACH_BIT64(p, l->part) {
        const struct lane_book *const f = &l->book[p];
        const uint64_t is_on = (f->needed[warp] & f->off) == 0;
        l->shown.on[p] = (l->shown.on[p] & ~(1ull << warp)) | is_on << warp;
    }
}

// Wakes lanes of a pipe that are off. Until all of `mask` are on, those that are stay so: lanes
// that a warp waits for do not go off one after the other while the rest wakes.
static void wake_lanes(struct lanes *l, uint32_t pipe, uint32_t mask, uint64_t t) {
    struct lane_pipe *const x = &l->pipe[pipe];
    struct lane_book *const f = &l->book[pipe];
    end_booking(l, pipe);
    const uint32_t off = mask & x->off;
    uint32_t wait = off != 0 ? l->times.wakeup_delay : 0;
    if (off == 0)
        FOR_EACH_BIT32(i, mask & x->waking) {
            const uint32_t left = x->wakes[i] - (uint32_t)t;
            wait = left > wait ? left : wait;
        }
    const uint64_t on_at = t + wait;
    wake(x, mask, (uint32_t)t, (uint32_t)on_at, l->idle_detect, l->times.break_even);
    if (on_at != t) x->waking |= off;
    lanes_look_at(l, lane_type(pipe), on_at);
    if (on_at < f->wake_at) wake_at(l, lane_type(pipe), on_at);
    f->asleep = x->off;
    f->asked = mask;
    f->asked_on_at = on_at;
}

// Of `open` pipes, none of which has all of `lanes` on, the one to ask for them: the first, but one
// whose missing lanes are all waking already comes before one that would have to be woken. Of two
// lane groups, foremost and last are all that there are.
static inline uint32_t ask(const struct lane_book *x, uint32_t lanes, uint64_t open) {
    const uint32_t a = bits_first64(open), b = bits_last64(open);
    const bool a_wakes = (x[a].asleep & lanes) == 0, b_wakes = (x[b].asleep & lanes) == 0;
    FOR_EACH_BIT64(p, open & ~(1ull << a | 1ull << b)) // never, with two lane groups
        if (!a_wakes && (x[p].asleep & lanes) == 0) return (uint32_t)p;
    return a ^ ((a ^ b) & (0 - (uint32_t)(!a_wakes & b_wakes)));
}

// A pipe is asked once a cycle, and not again while what was asked of it wakes. Lanes that wake for
// another instruction may be what this one lacks.
static inline uint64_t want_lanes(struct lanes *l, uint32_t lanes, uint64_t pipes, uint64_t t) {
    l->claimed &= 0 - (uint64_t)(l->claimed_at == t);
    l->claimed_at = t;
    const uint64_t open = pipes & ~l->claimed, wake_at = l->book[bits_first64(pipes)].wake_at;
    const uint64_t again = wake_at > t ? wake_at : DOMAIN_NEVER;
    if (open == 0) return again;
    const uint32_t pipe = ask(l->book, lanes, open);
    const struct lane_book *const x = &l->book[pipe];
    l->claimed |= 1ull << pipe;
    if (x->asked != lanes || x->asked_on_at <= t) wake_lanes(l, pipe, lanes, t);
    const uint64_t woken_at = l->book[bits_first64(pipes)].wake_at;
    return min64(woken_at > t ? woken_at : DOMAIN_NEVER, max64(x->asked_on_at, t + 1));
}

static uint64_t lanes_wanted(void *self, const struct sm_view *v, uint32_t warp, uint64_t pipes) {
    struct lanes *const l = self;
    return want_lanes(l, l->book[bits_first64(pipes)].needed[warp], pipes, v->cycle);
}

static uint32_t lanes_find(void *self, const struct sm_view *v, uint32_t active, uint64_t pipes,
                           uint64_t *again) {
    struct lanes *const l = self;
    const uint64_t t = v->cycle;
    const uint32_t type = lane_type(bits_first64(pipes));
    if (l->shown.look_at[type] <= t) settle_type(l, type, t);
    const uint32_t lanes = lanes_needed(l, active, l->folds && lanes_fold_now(l, type, t));
    FOR_EACH_BIT64(p, pipes)
        if ((l->book[p].off & lanes) == 0) return (uint32_t)p;
    *again = want_lanes(l, lanes, pipes, t);
    return SM_PIPES;
}

// ---- work --------------------------------------------------------------------------------------
// From now on what these lanes execute is booked: nothing else changes, and how they are used is
// known from which they are. Where folding is on, only a full warp is sure to be folded whatever
// its guard says.
static void begin_booking(struct lanes *l, uint32_t pipe, uint32_t lanes, const struct lane_use *u,
                          uint64_t to) {
    struct lane_pipe *const x = &l->pipe[pipe];
    struct lane_book *const f = &l->book[pipe];
    x->hot = u->first;
    f->lanes = lanes;
    f->n = bits_count32(u->first);
    f->until = to;
    f->from = 0;
    f->folded = u->is_folded ? UINT32_MAX : 0;
    if (l->type_gated[lane_type(pipe)]) f->off_from = to + l->idle_detect;
}

// Books an instruction that just these lanes execute: it enters the pipe in cycle `enters` and
// holds the lanes for `cycles`. Whether there is a gap before it follows no pattern, so nothing
// branches on it.
static inline void book(struct lane_pipe *x, struct lane_book *f, uint64_t at, uint64_t cycles) {
    const uint64_t to = at + cycles, idle = at > f->until ? at - f->until : 0;
    x->periods[idle < ACT_IDLE_LENGTHS - 1 ? idle : ACT_IDLE_LENGTHS - 1] += f->n;
    f->idle += idle;
    f->from = idle != 0 ? at : f->from;
    f->issues++;
    f->until = to > f->until ? to : f->until;
    f->off_from = f->until + f->window;
}

static struct sm_delay lanes_issued(void *self, const struct sm_view *v, uint32_t active,
                                    uint32_t pipe, uint32_t lanes, uint64_t at, uint32_t latency,
                                    uint32_t interval) {
    struct lanes *const l = self;
    const uint32_t type = lane_type(pipe);
    struct lane_pipe *const x = &l->pipe[pipe];
    struct lane_book *const f = &l->book[pipe];
    const uint32_t booked_behind = f->folded & interval;
    if (ww_likely((lanes == f->lanes) & (booked_behind <= latency))) {
        book(x, f, at + l->before, booked_behind + latency);
        return (struct sm_delay){l->stages + booked_behind, booked_behind};
    }
    const bool is_gated = l->type_gated[type],
               folds = l->folds && lanes_fold_now(l, type, v->cycle);
    struct lane_use u = {.first = lanes};
    struct lane_entry e = lane_booked(x, f);
    stop_booking(l, type, x, f);
    l->issues[type]++;
    x->is_shifted = false;
    if (l->folds || l->shifts) {
        u = lanes_use(lanes, active, l->shifts, folds);
        x->is_shifted = l->shifts && lanes_shift(lanes) != lanes;
        l->shifted += x->is_shifted;
        l->folded[type] += u.is_folded;
        l->spared[type] += u.is_spared;
    }
    if (l->width != LANE_MAX) {
        u.first = lanes_of_threads(u.first, l->width);
        u.second = lanes_of_threads(u.second, l->width);
    }
    if (l->times.wakeup_delay == 0 && x->off & (u.first | u.second)) {
        wake_lanes(l, pipe, u.first | u.second, v->cycle); // nothing is booked then
        settle_type(l, type, v->cycle);
    }
    l->worked_off |= (u.first | u.second) & (x->off | x->waking);
    const uint32_t behind = u.is_folded ? interval : 0;
    const uint64_t from = at + l->before, first_to = from + latency, to = first_to + behind;
    // All lanes were to be idle before it ends, so they go on alike, and how they are used is
    // known.
    bool is_alike =
        (first_to > x->last_to) & (u.first != 0) & ((l->times.wakeup_delay != 0) | !is_gated);
    is_alike &= u.is_folded
                    ? (u.first == u.second) & (behind <= latency) & is_gated & (lanes == UINT32_MAX)
                    : !folds;
    f->asked = 0;
    x->last_to = to > x->last_to ? to : x->last_to;
    e.lanes = u.first;
    e.at = (uint32_t)from;
    e.to = (uint32_t)first_to;
    if (is_gated) hold(x, &e, l->idle_detect);
    note(x, &e);
    if (u.second != 0) {
        e = (struct lane_entry){
            .lanes = u.second, .at = (uint32_t)from + behind, .to = (uint32_t)to};
        if (is_gated) hold(x, &e, l->idle_detect);
        note(x, &e);
    }
    if (is_alike) begin_booking(l, pipe, lanes, &u, to);
    if (is_gated) lanes_look_at(l, type, (u.first != 0 ? first_to : to) + l->idle_detect);
    return (struct sm_delay){l->stages + behind, behind};
}

const struct lane_steps AT_LEVEL(lane_steps) = {.port = {.look = lanes_look,
                                                         .wanted = lanes_wanted,
                                                         .find = lanes_find,
                                                         .changed = lanes_changed,
                                                         .issued = lanes_issued},
                                                .settle_type = settle_type,
                                                .settle = settle,
                                                .end_booking = end_booking,
                                                .hold = hold,
                                                .account = account,
                                                .plan = plan};
