// The owner of an issue slot that was not used. In every cycle in which an SM holds a CTA each
// scheduler has one owner: `issued`, or the reason that holds. A reason is charged when it gives
// way to another or to an issue, for all the cycles that it held, so neither skipped nor idle
// simulated cycles cost much. Of the warps that could not issue the one that is farthest along
// counts: ready for a busy unit, then waiting for an arithmetic result, for memory, for a branch,
// for instructions, at a barrier, in a fence, asleep. Among equals the lowest slot is blamed, and
// the instruction that it waits at is charged.
#include "activity/sm.h"
#include "sm/ready.h"

enum { NO_WARP = 0xff };

// What the warp's instruction at `pc` is charged with; NULL: not counted, or behind the last.
static struct inst_stalls *stalls_at(const struct sm *s, uint32_t w, uint32_t pc) {
    const struct kernel_slot *const ks = &s->res.kernel[s->res.warp[w].kslot];
    return ks->stalls != NULL && pc < ks->kernel->image->n_insts ? &ks->stalls[pc] : NULL;
}

static void change(struct sm *s, uint32_t sc, enum stall_reason r, uint32_t w,
                   struct inst_stalls *blame, uint64_t t) {
    stall_flush(s, sc, t);
    s->sched[sc].reason = (uint8_t)r;
    s->sched[sc].blamed = (uint8_t)w;
    s->sched[sc].blame = blame;
}

void stall_hold(struct sm *s, uint32_t sc, enum stall_reason r, uint64_t warps, uint64_t t) {
    const uint32_t w = warps == 0 ? NO_WARP : bits_first64(warps);
    // The same warp has not issued since, or the reason would have been given up.
    if (s->sched[sc].reason == r && s->sched[sc].blamed == w) return;
    const bool is_charged = s->counts_instructions && warps != 0;
    change(s, sc, r, w, is_charged ? stalls_at(s, w, s->res.warp[w].exec->pc) : NULL, t);
}

// A warp that waits in an instruction (barrier, fence, sleep, branch) stands behind it already.
static void hold_in(struct sm *s, uint32_t sc, enum stall_reason r, uint64_t warps, uint64_t t) {
    const uint32_t w = bits_first64(warps);
    if (s->sched[sc].reason == r && s->sched[sc].blamed == w) return;
    change(s, sc, r, w, stalls_at(s, w, s->pending.pc[w]), t);
}

void stall_classify(struct sm *s, uint32_t sc, uint64_t t) {
    const struct sm_view *const v = &s->v;
    const uint64_t m = v->mine[sc] & v->resident;
    const struct pending *const p = &s->pending;
    uint64_t x;
    if (m == 0)
        stall_hold(s, sc, STALL_no_warp, 0, t);
    else if ((x = m & s->stalls.all & ~p->any) != 0)
        stall_hold(s, sc, STALL_stall_count, x, t);
    else if ((x = m & v->decoded & ~v->go & ~v->wait_mem & ~p->any) != 0)
        stall_hold(s, sc, s->ready->no_operands, x, t);
    else if ((x = m & (v->wait_mem | pending_by(p, STALL_memory))) != 0)
        stall_hold(s, sc, STALL_memory, x, t);
    else if ((x = m & pending_by(p, STALL_control)) != 0)
        hold_in(s, sc, STALL_control, x, t);
    else if ((x = m & ~v->decoded & ~p->any) != 0)
        stall_hold(s, sc, STALL_fetch, x, t);
    else if ((x = m & pending_by(p, STALL_barrier)) != 0)
        hold_in(s, sc, STALL_barrier, x, t);
    else if ((x = m & pending_by(p, STALL_fence)) != 0)
        hold_in(s, sc, STALL_fence, x, t);
    else if ((x = m & pending_by(p, STALL_sleep)) != 0)
        hold_in(s, sc, STALL_sleep, x, t);
    else
        stall_hold(s, sc, STALL_fetch, m, t);
}

void stall_flush(struct sm *s, uint32_t sc, uint64_t t) {
    const uint64_t since = s->sched[sc].since;
    if (t <= since) return;
    s->sched[sc].since = t;
    if (!s->is_busy) return;
    const uint32_t r = s->sched[sc].reason;
    s->act.c[ACT_issue_slots + r] += t - since;
    if (s->sched[sc].blame != NULL) s->sched[sc].blame->cycles[r] += t - since;
}

void stall_flush_all(struct sm *s, uint64_t t) {
    for (uint32_t sc = 0; sc < s->c.schedulers; sc++) stall_flush(s, sc, t);
}

void stall_issued(struct sm *s, uint32_t sc, uint64_t t) {
    stall_flush(s, sc, t);
    s->sched[sc].since = t + 1;
    s->sched[sc].reason = STALL_issued; // the next cycle finds the next reason
    s->sched[sc].blame = NULL;
    s->act.c[ACT_issue_slots + STALL_issued]++;
}

void stall_follow(struct sm *s, uint32_t sc, const struct sm *other, uint64_t t) {
    const struct scheduler *const x = &other->sched[sc];
    if (s->sched[sc].reason == x->reason && s->sched[sc].blamed == x->blamed) return;
    struct inst_stalls *blame = NULL;
    if (x->blame != NULL)
        blame = stalls_at(s, x->blamed, (uint32_t)(x->blame - stalls_at(other, x->blamed, 0)));
    change(s, sc, (enum stall_reason)x->reason, x->blamed, blame, t);
}
