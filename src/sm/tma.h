// The engine of bulk copies (tensor memory accelerator), and those who wait for barriers in shared
// memory (tma.c).
#ifndef WW_SM_TMA_H
#define WW_SM_TMA_H

#include "exec/bulk.h"
#include "sm/kernel.h"

enum { TMA_SLOTS = 64, TMA_MAPS = 64, TMA_NO_JOB = UINT32_MAX };

// A copy, in the order of issue.
struct tma_job {
    struct exec_bulk copy;
    struct exec_bulk_row *row; // of its own
    uint64_t begin_at;         // its first request leaves no sooner
    uint64_t done_at;          // NEVER: answers are still to come
    uint64_t map;              // address of its map; 0: it has none, or the engine has it
    uint64_t policy;           // of L2; 0: none
    const struct policy_window *window; // of its launch; NULL: none
    uint32_t at, at_byte;      // row and byte of the next request
    uint32_t left;             // answers that it waits for
    uint32_t next;             // in the queue, or free
    uint32_t generation;       // of its CTA's place
    uint8_t warp, cta, group, read_group;
    bool has_sent;
};
// A warp whose try_wait has no answer yet.
struct tma_wait {
    const struct sm_inst *in; // NULL: the warp sleeps (NANOSLEEP.SYNCS)
    struct exec_wait_for what;
    uint64_t until;
    uint8_t cta;
};
// An arrival that waits for copies of its warp (cp.async.mbarrier.arrive).
struct tma_arrival {
    struct exec_wait_for what;
    uint64_t *ops; // a bit each, of the pending-request table; 0: the place is free
    uint32_t left, generation;
    uint8_t cta;
};
struct tma {
    struct tma_job *job;
    uint32_t n_jobs, free, first, last; // first: whose requests leave now
    uint32_t slot[TMA_SLOTS];           // of those with answers to come, by tag: job or TMA_NO_JOB
    uint32_t under_way;                 // jobs that are not done
    uint64_t start_at, send_at;         // the next job, the next request
    uint64_t map[TMA_MAPS];             // maps that the engine has, the latest first
    uint32_t n_maps;
    bool is_blocked; // by the network, or by slots
    struct tma_wait wait[SM_MAX_WARPS];
    uint64_t waiting; // warps, a bit each
    struct tma_arrival *arrival;
    uint32_t n_arrivals, arrivals; // places, of which are taken
    uint32_t generation[SM_MAX_CTAS];
};

struct sm;
struct issue;
// The warp sleeps until cycle `until` at most, less where the phase that it waits for is over.
void tma_sleep(struct sm *s, uint32_t w, const struct exec_wait_for *phase, uint64_t until);
// Accesses of kinds ACCESS_BULK, ACCESS_WAIT and ACCESS_ARRIVE_LATER.
void tma_accept(struct sm *s, const struct issue *o, uint64_t t);
void tma_step(struct sm *s, uint64_t t);                  // ALARM_TMA
void tma_answer(struct sm *s, uint32_t slot, uint64_t t); // one answer came
void tma_retry(struct sm *s, uint64_t t);
// A barrier of the CTA has changed: waits for it may be over.
void tma_look(struct sm *s, uint32_t cta, uint64_t t);
// A quantum begins: the commit before it may have changed barriers that warps wait for.
void tma_begin(struct sm *s, uint64_t from);
void tma_op_done(struct sm *s, uint16_t op, uint64_t t); // of the pending-request table
void tma_forget_map(struct sm *s, uint64_t map);
void tma_cta_begins(struct sm *s, uint32_t cta);
static inline bool tma_is_idle(const struct tma *m) {
    return m->under_way == 0 && m->arrivals == 0;
}
void tma_init(struct tma *m);
void tma_destroy(struct tma *m);

#endif
