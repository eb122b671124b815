// What a warp waits for later: one list (pending.def) of all that can keep it from issuing but its
// operands. Two functions change who waits for what, pending_begin and pending_end; whoever calls
// them has the warp looked at again (ready.h).
//
// Some of it is work that the warp has begun and that runs beside it: stores that memory has not
// acknowledged, copies into shared memory (cp.async). Such work is counted in groups. A group is
// closed by an instruction (cp.async.commit_group), and a warp waits until all but the `keep`
// youngest groups are done, the open one being the youngest. A fence waits for all stores: they are
// never closed, and keep is 0.
#ifndef WW_SM_PENDING_H
#define WW_SM_PENDING_H

#include "sm/view.h"

enum pending_kind {
#define PENDING(...)
#define PENDING_WORK(id, ...) PENDING_##id,
#include "sm/pending.def"
#undef PENDING_WORK
#undef PENDING
    PENDING_WORK_N,
    PENDING_WORK_LAST = PENDING_WORK_N - 1, // the other kinds' numbers follow
#define PENDING_WORK(...)
#define PENDING(id, ...) PENDING_##id,
#include "sm/pending.def"
#undef PENDING
#undef PENDING_WORK
    PENDING_N
};
static_assert(PENDING_N <= 16, "sixteen bits of kinds a warp");
enum { PENDING_GROUPS = 8 };

struct pending_work {
    uint32_t left[PENDING_GROUPS];  // not done, by group
    uint8_t closed[PENDING_GROUPS]; // how often it was closed: above 1 where several grew together
    uint8_t open;                   // group that new work joins
    uint8_t keep;                   // while its warp waits: groups that need not be done
};
struct pending {
    uint64_t any;               // warps that wait for something
    uint64_t of[PENDING_N];     // ... by what
    uint16_t what[SM_MAX_WARPS]; // the same by warp, a bit each
    uint32_t pc[SM_MAX_WARPS];  // instruction in which a warp waits
    struct pending_work work[SM_MAX_WARPS][PENDING_WORK_N];
};

// ---- traits of the kinds, a bit each -----------------------------------------------------------
#define PENDING_WORK(id, ...)            | 1 << PENDING_##id
#define PENDING(id, stall, is_long, ...) | (is_long) << PENDING_##id
enum {
    PENDING_IS_LONG = 0
#include "sm/pending.def"
};
#undef PENDING
#define PENDING(id, stall, is_long, is_inside, ...) | (is_inside) << PENDING_##id
enum {
    PENDING_IS_INSIDE = 0
#include "sm/pending.def"
};
#undef PENDING
#undef PENDING_WORK

// Warps that wait for what has this owner of lost issue slots.
static inline uint64_t pending_by(const struct pending *p, enum stall_reason why) {
    uint64_t warps = 0;
#define PENDING_WORK(id, stall, ...) warps |= why == STALL_##stall ? p->of[PENDING_##id] : 0;
#define PENDING                      PENDING_WORK
#include "sm/pending.def"
#undef PENDING
#undef PENDING_WORK
    return warps;
}

// ---- waiting -----------------------------------------------------------------------------------
// The masks of warp w follow from what it waits for.
static inline void pending_sum_up(struct pending *p, struct sm_view *v, uint32_t w) {
    const uint64_t bit = 1ull << w;
    p->any = (p->any & ~bit) | (uint64_t)(p->what[w] != 0) << w;
    v->stops = (v->stops & ~bit) | (uint64_t)((p->what[w] & PENDING_IS_LONG) != 0) << w;
}

static inline void pending_begin(struct pending *p, struct sm_view *v, enum pending_kind kind,
                                 uint32_t w) {
    p->of[kind] |= 1ull << w;
    p->what[w] |= (uint16_t)(1u << kind);
    pending_sum_up(p, v, w);
}

static inline void pending_end(struct pending *p, struct sm_view *v, enum pending_kind kind,
                               uint32_t w) {
    p->of[kind] &= ~(1ull << w);
    p->what[w] &= (uint16_t) ~(1u << kind);
    pending_sum_up(p, v, w);
}

// The warp is gone; its stores may still be on their way.
static inline void pending_forget(struct pending *p, struct sm_view *v, uint32_t w) {
    for (uint32_t kind = 0; kind < PENDING_N; kind++) p->of[kind] &= ~(1ull << w);
    for (uint32_t kind = 0; kind < PENDING_WORK_N; kind++)
        p->work[w][kind].closed[p->work[w][kind].open] = 0;
    p->what[w] = 0;
    pending_sum_up(p, v, w);
}

static inline bool pending_has(const struct pending *p, enum pending_kind kind, uint32_t w) {
    return p->of[kind] >> w & 1;
}

// ---- work that runs beside a warp --------------------------------------------------------------
// Work of a warp begins; answers its group.
static inline uint32_t pending_add(struct pending *p, enum pending_kind kind, uint32_t w) {
    struct pending_work *const x = &p->work[w][kind];
    x->left[x->open]++;
    return x->open;
}

// Closes the open group. While the next one in turn is not done both grow together.
static inline void pending_close(struct pending *p, enum pending_kind kind, uint32_t w) {
    struct pending_work *const x = &p->work[w][kind];
    const uint32_t next = (x->open + 1u) % PENDING_GROUPS;
    if (x->closed[x->open] != UINT8_MAX) x->closed[x->open]++;
    if (x->left[next] != 0) return;
    x->open = (uint8_t)next;
    x->closed[next] = 0;
}

// Whether other groups than the `keep` youngest, the open one among them, are not done.
static inline bool pending_is_open(const struct pending_work *x, uint32_t keep) {
    for (uint32_t age = keep; age < PENDING_GROUPS; age++)
        if (x->left[(x->open + PENDING_GROUPS - age) % PENDING_GROUPS] != 0) return true;
    return false;
}

// The warp is to wait until all but `keep` groups are done, as the program counts them: of those
// that grew together all may stay or none. False: they are.
static inline bool pending_must_wait(struct pending *p, enum pending_kind kind, uint32_t w,
                                     uint32_t keep) {
    struct pending_work *const x = &p->work[w][kind];
    uint32_t stay = 0, closed = 0;
    for (; keep != 0 && stay < PENDING_GROUPS; stay++) {
        closed += x->closed[(x->open + PENDING_GROUPS - stay) % PENDING_GROUPS];
        if (closed > keep - 1) break;
    }
    x->keep = (uint8_t)stay;
    return pending_is_open(x, x->keep);
}

// Work of a group is done. True: the warp, which waited for that, waits no longer.
static inline bool pending_done(struct pending *p, struct sm_view *v, enum pending_kind kind,
                                uint32_t w, uint32_t group) {
    struct pending_work *const x = &p->work[w][kind];
    if (x->left[group] != 0) x->left[group]--;
    if (!pending_has(p, kind, w) || pending_is_open(x, x->keep)) return false;
    pending_end(p, v, kind, w);
    return true;
}

#endif
