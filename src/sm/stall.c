// Who owns an issue slot that was not used. In every cycle in which an SM holds a CTA each scheduler
// has one owner: `issued`, or the reason that holds. A reason is found once and charged for as long
// as nothing changes, so skipped cycles cost nothing. Of the warps that could not issue the one that
// is farthest along counts: ready for a busy unit, then waiting for an arithmetic result, for memory,
// for a branch, for instructions, at a barrier, in a fence, asleep. Among equals the lowest slot is
// blamed, and the instruction that it waits at is charged.
#include "sm/sm_state.h"

void stall_hold(struct sm *s, uint32_t sc, enum stall_reason r, uint64_t warps) {
    s->sched[sc].reason = (uint8_t)r;
    s->sched[sc].blame = NULL;
    if (warps == 0) return;
    const struct warp *const W = &s->warp[bits_first64(warps)];
    const uint32_t n = s->kernel[W->kslot].kernel->image->n_insts;
    if (W->ew->pc < n) s->sched[sc].blame = &W->counts[W->ew->pc];
}

// A warp that waits in an instruction (barrier, fence, sleep, branch) stands behind it already.
static void hold_in(struct sm *s, uint32_t sc, enum stall_reason r, uint64_t warps) {
    const struct warp *const W = &s->warp[bits_first64(warps)];
    s->sched[sc].reason = (uint8_t)r;
    s->sched[sc].blame = &W->counts[W->pc_of_wait];
}

void stall_classify(struct sm *s, uint32_t sc) {
    const struct sm_view *const v = &s->v;
    const uint64_t m = v->mine[sc] & v->resident;
    uint64_t x;
    if (m == 0) {
        stall_hold(s, sc, STALL_no_warp, 0);
    } else if ((x = m & v->decoded & ~v->go & ~v->wait_mem & ~s->blocked) != 0) {
        stall_hold(s, sc, STALL_alu, x);
    } else if ((x = m & (v->wait_mem | v->wait_const)) != 0) {
        stall_hold(s, sc, STALL_memory, x);
    } else if ((x = m & v->wait_branch) != 0) {
        hold_in(s, sc, STALL_control, x);
    } else if ((x = m & ~v->decoded & ~s->blocked) != 0) {
        stall_hold(s, sc, STALL_fetch, x);
    } else if ((x = m & v->wait_bar) != 0) {
        hold_in(s, sc, STALL_barrier, x);
    } else if ((x = m & v->wait_fence) != 0) {
        hold_in(s, sc, STALL_fence, x);
    } else if ((x = m & v->wait_sleep) != 0) {
        hold_in(s, sc, STALL_sleep, x);
    } else {
        stall_hold(s, sc, STALL_fetch, m);
    }
}

void stall_account(struct sm *s, uint64_t t) {
    if (t <= s->time) return;
    if (s->is_busy) {
        const uint64_t n = t - s->time;
        for (uint32_t sc = 0; sc < s->c.schedulers; sc++) {
            s->act.c[ACT_issue_slots + s->sched[sc].reason] += n;
            if (s->sched[sc].blame != NULL)
                s->sched[sc].blame->stall[s->sched[sc].reason] += n;
        }
    }
    s->time = t;
}
