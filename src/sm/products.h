// Products of warp groups (wgmma): each warp's part runs in the tensor core of its sub-core beside the
// warp, which goes on. Parts of one core follow each other without a gap; so do products of a warp
// (mma.sync), which wait for those before them. A part's sums are read and written as it runs. What is
// waited for are groups of products (pending.h).
//
// Left out: how many products a core queues (the warp never waits to issue one), and that other
// accesses to shared memory take cycles from those of A and B.
#ifndef WW_SM_PRODUCTS_H
#define WW_SM_PRODUCTS_H

#include "activity/sm.h"
#include "sm/pending.h"
#include "sm/ready.h"
#include "sm/units.h"
#include "sm/wheel.h"

enum { PRODUCT_WARPS = 4 }; // of a group

// Rows of the warp's sums, read and written once.
static inline void products_count_rows(struct sm *s, struct collectors *k,
                                       const struct sm_product *p, uint32_t number) {
    for (uint32_t i = 0; i < p->sums; i++) {
        const uint32_t bank = k->bank_of[p->first + i + number];
        k->reads[bank] += p->adds;
        k->writes[bank]++;
    }
    uint64_t *const c = s->act.c;
    const uint64_t lanes = WARP_LANES;
    c[ACT_rf_reads] += p->adds ? p->sums : 0;
    c[ACT_rf_read_lanes] += p->adds ? lanes * p->sums : 0;
    c[ACT_rf_writes] += p->sums;
    c[ACT_rf_write_lanes] += lanes * p->sums;
    c[ACT_result_bus_moves] += p->sums;
}

// What shared memory gives to all warps of the group counts with its first one.
static inline void products_count_shared(struct sm *s, const struct warp *warp,
                                         const struct sm_product *p) {
    enum { WORD = 4 };
    if (warp->exec->warp_in_cta % PRODUCT_WARPS != 0) return;
    uint64_t *const c = s->act.c; // (passes are those of the load/store unit)
    c[ACT_product_shared_bytes] += p->shared_bytes;
    c[ACT_shared_lanes] += p->shared_bytes / WORD;
    c[ACT_shared_words] += p->shared_bytes / WORD;
    c[ACT_shared_lane_words] += p->shared_bytes / WORD;
}

static inline void products_begin(struct sm *s, struct sub_core *sub, uint32_t w,
                                  const struct sm_inst *in, uint32_t number, uint64_t t) {
    const struct warp *const warp = &s->res.warp[w];
    const struct sm_product *const p = &s->res.kernel[warp->kslot].kernel->product[in->aux];
    struct units *const x = &sub->units;
    const uint32_t pipe = x->first[UNIT_TENSOR];
    const uint64_t start = max64(t, s->v.pipe[pipe].free_at);
    const uint32_t cycles = p->cycles + (uint32_t)(s->shared_port.owed - sub->paid);
    sub->paid = s->shared_port.owed;
    units_book(s, x, UNIT_TENSOR, pipe, start, cycles, true);
    const uint64_t at = units_enter(s, pipe, start, start, cycles, cycles, true);
    if (warp->exec->warp_in_cta % PRODUCT_WARPS == 0)
        shared_port_book(&s->shared_port, at, at + cycles, p->spare);
    products_count_rows(s, &sub->collectors, p, number);
    products_count_shared(s, warp, p);
    s->act.c[ACT_product_columns + in->klass - OPC_GMMA_16] += p->columns;
    const uint32_t group = pending_add(&s->pending, PENDING_products, w);
    wheel_add(&s->wheel, t, at + cycles + in->latency, EVENT_PRODUCT, NULL, w, group);
}

static inline void products_done(const struct readiness *r, struct sm *s, uint32_t w,
                                 uint32_t group, uint64_t t) {
    if (pending_done(&s->pending, &s->v, PENDING_products, w, group)) r->look(s, w, t);
}

#endif
