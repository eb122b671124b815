// What the 32 lanes of a pipeline do at once, compiled for each vector level of the host (cmake/rooms.cmake). Every
// lane goes through the same steps, without a branch: which lanes an instruction uses and which of them are off
// follows no pattern that a host could guess.
//
// Cycles are kept as their low 32 bits, and compared by the sign of their difference: all that are compared lie
// within 2^31 of each other (lane_pg.c: trim).
#include "base/simd.h"
#include "savings/lane.h"

// Masks of a lane: all bits or none. The sign of a difference fills them, so that a compiler sees no condition.
static inline uint32_t is_less(uint32_t a, uint32_t b) { return (uint32_t)((int32_t)(a - b) >> 31); }
static inline uint32_t is_same(uint32_t a, uint32_t b) { return ~(uint32_t)((int32_t)((a - b) | (b - a)) >> 31); }
static inline uint32_t pick(uint32_t mask, uint32_t yes, uint32_t no) { return no ^ ((yes ^ no) & mask); }
// Which lanes are in a mask. Apart from the loop that uses it, or the compiler would branch on each.
struct lane_masks { _Alignas(64) uint32_t of[LANE_MAX]; };
static inline struct lane_masks spread(uint32_t lanes) {
    struct lane_masks m;
    LANES m.of[i] = LANE_IN(lanes) ? UINT32_MAX : 0;
    return m;
}

static inline uint32_t behind(uint32_t a, uint32_t b) { return (a - b) & ~is_less(a, b); } // 0: a is not later
static inline uint32_t later(uint32_t a, uint32_t b) { return pick(is_less(a, b), b, a); }

// First cycle in which a lane that is on, idle since `idle` and not to go off before `not_before` is off. Upper lanes
// go off in their first idle cycle while it is one of those in which they do.
static inline uint32_t due(const struct lane_plan *p, uint32_t is_upper, uint32_t idle, uint32_t not_before) {
    const uint32_t at = later(idle + p->window, not_before);
    const uint32_t eager = later(later(idle, not_before), p->eager_from);
    return pick(is_upper & is_less(eager, p->eager_to) & is_less(eager, at), eager, at);
}

// What the SM has booked becomes the lanes', then an instruction holds some of them. `*is_alike`: all these were to be
// idle before it ends, and so go on alike. Answers in how many cycles from when it was sent time changes one of the
// other lanes (`all`: those that there are).
static uint32_t work(struct lane_pipe *x, const struct lane_booked *b, const struct lane_work *w, uint32_t all,
                     uint32_t window, bool *is_alike) {
    const uint32_t at = w->at, to = w->to, sent = w->sent, lanes = w->lanes, k = bits_first32(lanes);
    const uint32_t old_until = b->until, old_from = b->from;
    const uint32_t first = behind(at, b->lanes >> k & 1 ? old_until : x->until[k]);
    uint32_t length[LANE_MAX] __attribute__((aligned(64)));
    uint32_t idle = 0, busy = 0, same = 0, longer = 0;
    int32_t next = INT32_MAX;
    const struct lane_masks in_lanes = spread(lanes), in_booked = spread(b->lanes), in_begun = spread(b->begun),
                            in_waking = spread(x->waking), in_on = spread(all & ~(x->off | x->waking | lanes));
    LANES {
        const uint32_t booked = in_booked.of[i], in = in_lanes.of[i];
        const uint32_t until = pick(booked, old_until, x->until[i]), from = pick(in_begun.of[i], old_from, x->from[i]);
        const uint32_t since = pick(booked, old_until, x->since[i]);
        const uint32_t not_before = pick(booked, old_until, x->not_before[i]);
        const uint32_t off_from = pick(booked, old_until + window, x->off_from[i]);
        const uint32_t gap = behind(at, until), more = behind(to, until) & in;
        const uint32_t works = is_less(until, to) & in, has_gap = is_less(until, at) & in;
        length[i] = gap;
        idle += gap & in;
        busy += more - (gap & in);
        same |= is_same(gap, first) & lane_bit[i];
        longer |= ~is_less(until, to) & lane_bit[i];
        x->from[i] = pick(has_gap, at, from);
        x->until[i] = until + more;
        x->since[i] = pick(works, to, since);
        x->not_before[i] = pick(works, to, not_before);
        x->off_from[i] = pick(works, to + window, off_from);
        const uint32_t waits = in_on.of[i], wakes = in_waking.of[i];
        const int32_t when = (int32_t)((wakes & (since - sent)) | (waits & (off_from - sent)) |
                                       (~(wakes | waits) & (uint32_t)INT32_MAX));
        next = when < next ? when : next;
    }
    x->idle += idle;
    x->busy += busy;
    for (uint32_t rest = lanes, n = first;;) {
        same &= rest;
        x->periods[n < ACT_IDLE_LENGTHS - 1 ? n : ACT_IDLE_LENGTHS - 1] += bits_count32(same);
        rest &= ~same;
        if (rest == 0) break;
        n = length[bits_first32(rest)];
        same = 0;
        LANES same |= is_same(length[i], n) & lane_bit[i];
    }
    *is_alike = (longer & lanes) == 0;
    return (uint32_t)next;
}

static void book(struct lane_pipe *x, const struct lane_booked *b, uint32_t window) {
    const uint32_t lanes = b->lanes, begun = b->begun, from = b->from, until = b->until;
    LANES {
        x->from[i] = LANE_IN(begun) ? from : x->from[i];
        x->until[i] = LANE_IN(lanes) ? until : x->until[i];
        x->since[i] = LANE_IN(lanes) ? until : x->since[i];
        x->not_before[i] = LANE_IN(lanes) ? until : x->not_before[i];
        x->off_from[i] = LANE_IN(lanes) ? until + window : x->off_from[i];
    }
}

// What time alone does up to and with cycle t. Answers in how many cycles more it does something, to lanes other
// than `but`.
static uint32_t settle(struct lane_pipe *x, uint32_t all, uint32_t but, uint32_t t, uint32_t wakeup_delay) {
    const uint32_t waking = x->waking, on = all & ~(x->off | waking);
    uint32_t sleepy = 0, gone = 0;
    int32_t next = INT32_MAX;
    const struct lane_masks in_waking = spread(waking), in_on = spread(on | waking), in_but = spread(but);
    LANES {
        const uint32_t wakes = x->since[i] - t, goes = x->off_from[i] - t;
        const uint32_t still = in_waking.of[i] & is_less(t, x->since[i]), stays = in_on.of[i] & ~still;
        const uint32_t is_due = stays & ~is_less(t, x->off_from[i]), waits = stays & ~is_due & ~in_but.of[i];
        sleepy |= still & lane_bit[i];
        gone |= is_due & lane_bit[i];
        const int32_t at = (int32_t)((still & wakes) | (waits & goes) | (~(still | waits) & (uint32_t)INT32_MAX));
        next = at < next ? at : next;
    }
    x->sum.wakeup += (uint64_t)bits_count32(waking & ~sleepy) * wakeup_delay;
    x->sum.events += bits_count32(gone);
    x->waking = sleepy;
    x->off |= gone;
    return (uint32_t)next;
}

// Of `lanes`, those that are off wake in cycle t, and all stay on up to on_at.
static void wake(struct lane_pipe *x, const struct lane_plan *p, uint32_t lanes, uint32_t t, uint32_t on_at,
                 uint32_t break_even) {
    const uint32_t off = lanes & x->off, waking = x->waking;
    uint32_t before = 0, all = 0, early = 0;
    const struct lane_masks in_off = spread(off), in_lanes = spread(lanes), in_waking = spread(waking),
                            in_upper = spread(LANES_UPPER);
    LANES {
        const uint32_t wakes = in_off.of[i], slept = (t - x->off_from[i]) & wakes;
        const uint32_t is_early = is_less(slept, break_even);
        before += pick(is_early, slept, break_even & wakes);
        all += slept;
        early |= is_early & wakes & lane_bit[i];
        const uint32_t works_on = ~in_waking.of[i] & is_less(on_at, x->until[i]);
        const uint32_t is_kept = wakes | (in_lanes.of[i] & ~works_on);
        const uint32_t since = pick(wakes, on_at, x->since[i]), not_before = pick(is_kept, on_at + 1, x->not_before[i]);
        x->since[i] = since;
        x->not_before[i] = not_before;
        x->off_from[i] = pick(is_kept, due(p, in_upper.of[i], later(x->until[i], since), not_before), x->off_from[i]);
    }
    x->sum.uncompensated += before;
    x->sum.compensated += all - before;
    x->sum.early_wakeups += bits_count32(early);
    x->sum.wakeups += bits_count32(off);
    x->off &= ~off;
}

// The plan has changed: when lanes that are not off will be.
static void plan(struct lane_pipe *x, const struct lane_plan *p) {
    const struct lane_masks in_off = spread(x->off), in_upper = spread(LANES_UPPER);
    LANES {
        const uint32_t at = due(p, in_upper.of[i], later(x->until[i], x->since[i]), x->not_before[i]);
        x->off_from[i] = pick(in_off.of[i], x->off_from[i], at);
    }
}

// The warps that need none of the lanes that are off.
static uint64_t warps_on(const uint32_t needed[SM_MAX_WARPS], uint32_t off) {
    uint32_t half[2] = {0, 0};
    for (uint32_t h = 0; h < 2; h++) {
        const uint32_t *const of = needed + h * 32;
        uint32_t on = 0;
        LANES on |= (of[i] & off) == 0 ? lane_bit[i] : 0;
        half[h] = on;
    }
    return half[0] | (uint64_t)half[1] << 32;
}

const struct lane_steps AT_LEVEL(lane_steps) = {
    .work = work, .book = book, .settle = settle, .wake = wake, .plan = plan, .warps_on = warps_on};
