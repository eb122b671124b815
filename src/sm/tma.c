// The tensor memory accelerator: one an SM. It takes copies in order of issue, fetches their maps,
// walks their rows in requests of a line of L2 at most, one in so many cycles, and counts the answers
// in. Bytes of shared memory are paid for as accesses to it are; they take no bank from the lanes (not
// published; the accelerator writes 128 bytes a cycle at most). The bytes themselves moved when the
// instruction executed (exec/bulk.h); what comes here is when a copy is done.
//
// Waits for barriers stand here too. A try that fails keeps its result: the predicate gets it when the
// phase is over, or when the time of the wait is, and until then nothing that reads it issues.
//
// Times: config.def, keys tma_ and mbarrier_; their sources are in the GPU files.
#include <stdlib.h>

#include "activity/sm.h"
#include "exec/devmem.h"
#include "isa/policy.h"
#include "sm/caches.h"
#include "sm/ready.h"
#include "sm/sm_state.h"
#include "sm/wheel.h"

enum { LINE = 128, MAP_BYTES = 128 };

void tma_init(struct tma *m) {
    m->free = m->first = m->last = TMA_NO_JOB;
    for (uint32_t i = 0; i < TMA_SLOTS; i++) m->slot[i] = TMA_NO_JOB;
}
void tma_destroy(struct tma *m) {
    for (uint32_t i = 0; i < m->n_jobs; i++) free(m->job[i].row);
    for (uint32_t i = 0; i < m->n_arrivals; i++) free(m->arrival[i].ops);
    free(m->job);
    free(m->arrival);
}

static void alarm_by(struct sm *s, uint64_t t) {
    s->alarms.at[ALARM_TMA] = min64(s->alarms.at[ALARM_TMA], t);
}

// ---- jobs ---------------------------------------------------------------------------------------
static struct tma_job *new_job(struct sm *s, uint32_t *index) {
    struct tma *const m = &s->tma;
    if (m->free == TMA_NO_JOB) {
        const uint32_t n = m->n_jobs ? 2 * m->n_jobs : 16;
        struct tma_job *const p = realloc(m->job, n * sizeof *p);
        if (p == NULL) return NULL;
        m->job = p;
        memset(p + m->n_jobs, 0, (n - m->n_jobs) * sizeof *p);
        for (uint32_t i = n; i-- > m->n_jobs;) {
            p[i].next = m->free;
            m->free = i;
        }
        m->n_jobs = n;
    }
    *index = m->free;
    m->free = m->job[*index].next;
    return &m->job[*index];
}

static bool is_kept(const struct tma *m, uint64_t map) {
    for (uint32_t i = 0; i < m->n_maps; i++)
        if (m->map[i] == map) return true;
    return false;
}
static void keep_map(struct tma *m, uint64_t map, uint32_t most) {
    if (most > TMA_MAPS) most = TMA_MAPS;
    if (most == 0 || is_kept(m, map)) return;
    if (m->n_maps < most) m->n_maps++;
    memmove(m->map + 1, m->map, (m->n_maps - 1) * sizeof *m->map);
    m->map[0] = map;
}
void tma_forget_map(struct sm *s, uint64_t map) {
    struct tma *const m = &s->tma;
    for (uint32_t i = 0; i < m->n_maps;) {
        if (m->map[i] == map)
            m->map[i] = m->map[--m->n_maps];
        else
            i++;
    }
}
// Where the map lies for L2: parameters and constants of a kernel where its constant banks do.
static uint64_t map_address(const struct sm *s, uint32_t w, uint64_t map) {
    const struct sm_kernel *const k = s->res.kernel[s->res.warp[w].kslot].kernel;
    const bool is_param = map >= EXEC_PARAM_WINDOW && map < EXEC_WINDOW_END;
    return is_param ? k->const_address + (map - EXEC_PARAM_WINDOW) : map;
}

static bool is_store(const struct tma_job *j) {
    return j->copy.kind == BULK_STORE || j->copy.kind == BULK_REDUCE;
}

static bool take_copy(struct sm *s, const struct exec_bulks *all, const struct exec_bulk *b,
                      uint32_t w, uint64_t at, uint64_t policy) {
    struct tma *const m = &s->tma;
    uint32_t index;
    struct tma_job *const j = new_job(s, &index);
    if (j == NULL) return false;
    const uint32_t cta = s->res.warp[w].cta;
    *j = (struct tma_job){.copy = *b,
                          .begin_at = at,
                          .done_at = NEVER,
                          .policy = policy,
                          .window = sm_window_of(s, w),
                          .map = b->has_map ? map_address(s, w, b->map) : 0,
                          .next = TMA_NO_JOB,
                          .generation = m->generation[cta],
                          .warp = (uint8_t)w,
                          .cta = (uint8_t)cta};
    if (b->rows != 0) {
        j->row = malloc(b->rows * sizeof *j->row);
        if (j->row == NULL) return false;
        memcpy(j->row, all->row + b->first, b->rows * sizeof *j->row);
    }
    if (is_store(j)) {
        j->group = (uint8_t)pending_add(&s->pending, PENDING_bulk, w);
        j->read_group = (uint8_t)pending_add(&s->pending, PENDING_bulk_read, w);
    }
    if (m->last == TMA_NO_JOB)
        m->first = index;
    else
        m->job[m->last].next = index;
    m->last = index;
    m->under_way++;
    s->act.c[ACT_tma_copies]++;
    return true;
}

// ---- shared memory ------------------------------------------------------------------------------
// What the engine reads or writes there, in passes of all banks.
static void count_shared(struct sm *s, const struct tma_job *j) {
    uint64_t *const n = s->act.c;
    const uint32_t bytes = j->copy.bytes, passes = (bytes + LINE - 1) / LINE;
    const bool twice = j->copy.kind == BULK_SHARED;
    if (j->copy.kind == BULK_PREFETCH) return;
    n[is_store(j) ? ACT_shared_reads : ACT_shared_writes] += passes;
    if (twice) n[ACT_shared_reads] += passes;
    n[ACT_shared_passes] += twice ? 2 * passes : passes;
    n[ACT_shared_lanes] += (twice ? 2 : 1) * (bytes / 4);
    if (s->n_subs > 1) {
        n[ACT_shared_words] += (twice ? 2 : 1) * (bytes / 4);
        n[ACT_shared_lane_words] += (twice ? 2 : 1) * (bytes / 4);
    }
    n[ACT_tma_shared_bytes] += (twice ? 2 : 1) * bytes;
}

// ---- requests -----------------------------------------------------------------------------------
static uint32_t free_slot(const struct tma *m) {
    uint32_t i = 0;
    while (i < TMA_SLOTS && m->slot[i] != TMA_NO_JOB) i++;
    return i;
}
static uint32_t slot_of(const struct tma *m, uint32_t job) {
    uint32_t i = 0;
    while (i < TMA_SLOTS && m->slot[i] != job) i++;
    return i;
}

// The next request of a job's rows: up to the end of a line. Whole sectors, of which L2 knows no finer.
static struct mem_request next_request(const struct tma_job *j, uint32_t *bytes) {
    const struct exec_bulk_row *const r = &j->row[j->at];
    const uint64_t first = r->at + j->at_byte;
    const uint32_t left = r->bytes - j->at_byte, to_line = LINE - (uint32_t)(first % LINE);
    *bytes = left < to_line ? left : to_line;
    const uint64_t begin = first & ~31ull, end = (first + *bytes + 31) & ~31ull;
    struct mem_request q = {.addr = begin,
                            .bytes = (uint32_t)(end - begin),
                            .client = CLIENT_L1D,
                            .kind = j->copy.kind == BULK_REDUCE     ? MEM_REDUCE
                                    : j->copy.kind == BULK_STORE    ? MEM_WRITE
                                    : j->copy.kind == BULK_PREFETCH ? MEM_PREFETCH
                                                                    : MEM_READ};
    q.hint = sm_priority(j->policy, j->window, begin);
    for (uint32_t k = (uint32_t)(first - begin) / 4; k < (first + *bytes - begin + 3) / 4; k++)
        q.touched |= 1ull << k;
    if (q.kind == MEM_WRITE || q.kind == MEM_REDUCE) { // partly written sectors at both ends
        const uint32_t shift = (uint32_t)(begin % LINE) / 4;
        q.words = (uint32_t)(q.touched << shift);
        if (first % 32 != 0) q.byte_mask_sectors |= 1u << (begin % LINE) / 32;
        if ((first + *bytes) % 32 != 0) q.byte_mask_sectors |= 1u << ((end - 1) % LINE) / 32;
    }
    if (q.kind == MEM_REDUCE) {
        q.lanes = (uint8_t)(*bytes / 4 < 32 ? *bytes / 4 : 32);
        q.rounds = 1;
    }
    return q;
}

// Sends a request under the job's slot. False: there is no room.
static bool send(struct sm *s, uint32_t job, struct mem_request q, uint64_t t) {
    struct tma *const m = &s->tma;
    if (!mem_port_can_send(s->caches.port, q.addr, mem_port_flits(s->caches.port, q.kind, q.bytes)))
        return false;
    q.tag = TAG_NO_ANSWER;
    if (q.kind != MEM_PREFETCH) {
        uint32_t slot = slot_of(m, job);
        if (slot == TMA_SLOTS) slot = free_slot(m);
        if (slot == TMA_SLOTS) return false;
        m->slot[slot] = job;
        m->job[job].left++;
        q.tag = (uint16_t)(TAG_TMA | slot);
    }
    caches_send(&s->caches, t, q);
    s->act.c[ACT_tma_requests]++;
    return true;
}

// What a copy takes longer whose bytes go to other blocks of the cluster.
static uint64_t remote_cycles(const struct sm *s, const struct tma_job *j) {
    const uint32_t own = 1u << s->res.cta[j->cta].cta.rank;
    if ((j->copy.blocks & ~own) == 0) return 0;
    const bool puts = j->copy.kind == BULK_SHARED && s->c.tma_remote_bytes != 0;
    return s->c.tma_remote + (puts ? j->copy.bytes / s->c.tma_remote_bytes : 0);
}

// All requests of the first job have left.
static void leave(struct sm *s, struct tma_job *j, uint64_t t) {
    struct tma *const m = &s->tma;
    j->has_sent = true;
    m->first = j->next;
    if (m->first == TMA_NO_JOB) m->last = TMA_NO_JOB;
    count_shared(s, j);
    if (is_store(j) || j->copy.kind == BULK_SHARED)
        shared_port_take(&s->shared_port, (j->copy.bytes + LINE - 1) / LINE, t);
    if (is_store(j) && pending_done(&s->pending, &s->v, PENDING_bulk_read, j->warp, j->read_group))
        s->ready->look(s, j->warp, t);
    // A box outside its tensor, or within shared memory, takes the time of its bytes.
    const bool is_short = j->copy.kind == BULK_SHARED || j->copy.rows == 0;
    if (j->left == 0)
        j->done_at = t + s->c.tma_finish + remote_cycles(s, j) +
                     (is_short ? (j->copy.bytes + LINE - 1) / LINE : 0);
}

// The first job's next step. False: it must wait, until *again or for an answer.
static bool go_on(struct sm *s, uint64_t t, uint64_t *again) {
    struct tma *const m = &s->tma;
    struct tma_job *const j = &m->job[m->first];
    if (j->at == 0 && j->at_byte == 0 && t < max64(j->begin_at, m->start_at)) {
        *again = max64(j->begin_at, m->start_at);
        return false;
    }
    if (t < m->send_at) {
        *again = m->send_at;
        return false;
    }
    if (j->map != 0 && !is_kept(m, j->map)) {
        if (j->left != 0) return false; // it is on its way
        const struct mem_request q = {
            .addr = j->map & ~31ull, .bytes = MAP_BYTES, .client = CLIENT_L1D, .kind = MEM_READ};
        m->is_blocked = !send(s, m->first, q, t);
        if (!m->is_blocked) s->act.c[ACT_tma_maps]++;
        return false;
    }
    if (j->at == 0 && j->at_byte == 0) m->start_at = t + s->c.tma_interval;
    if (j->at < j->copy.rows) {
        uint32_t bytes;
        const struct mem_request q = next_request(j, &bytes);
        m->is_blocked = !send(s, m->first, q, t);
        if (m->is_blocked) return false;
        m->send_at = t + s->c.tma_request_cycles;
        j->at_byte += bytes;
        if (j->at_byte < j->row[j->at].bytes) return true;
        j->at++;
        j->at_byte = 0;
        if (j->at < j->copy.rows) return true;
    }
    leave(s, j, t);
    return true;
}

// ---- done ---------------------------------------------------------------------------------------
static void finish(struct sm *s, uint32_t index, uint64_t t) {
    struct tma *const m = &s->tma;
    struct tma_job *const j = &m->job[index];
    const uint32_t slot = slot_of(m, index);
    if (slot < TMA_SLOTS) m->slot[slot] = TMA_NO_JOB;
    if (is_store(j) && pending_done(&s->pending, &s->v, PENDING_bulk, j->warp, j->group))
        s->ready->look(s, j->warp, t);
    if (j->copy.barrier != BULK_NO_BARRIER && j->generation == m->generation[j->cta] &&
        s->res.cta[j->cta].is_used && exec_bulk_done(&s->env, &s->res.cta[j->cta].cta, &j->copy))
        tma_look(s, j->cta, t);
    free(j->row);
    *j = (struct tma_job){.next = m->free};
    m->free = index;
    m->under_way--;
    s->progress = t;
}

void tma_answer(struct sm *s, uint32_t slot, uint64_t t) {
    struct tma *const m = &s->tma;
    const uint32_t index = m->slot[slot];
    if (index == TMA_NO_JOB) {
        sm_break(s, "an answer came for a copy that is done");
        return;
    }
    struct tma_job *const j = &m->job[index];
    if (j->copy.kind == BULK_LOAD) shared_port_take(&s->shared_port, 1, t);
    j->left--;
    if (j->map != 0 && !is_kept(m, j->map) && !j->has_sent) {
        keep_map(m, j->map, s->c.tma_maps);
        if (s->c.tma_maps == 0) j->map = 0;
    }
    if (j->left == 0 && j->has_sent)
        j->done_at = t + s->c.reply_extra + s->c.tma_finish + remote_cycles(s, j);
    alarm_by(s, t);
}

void tma_retry(struct sm *s, uint64_t t) {
    if (s->tma.is_blocked) alarm_by(s, t);
}

// ---- waits for barriers -------------------------------------------------------------------------
// `more`: cycles that the news of the phase's end takes to come here.
static void answer_wait(struct sm *s, uint32_t w, bool is_over, uint32_t more, uint64_t t) {
    struct tma_wait *const x = &s->tma.wait[w];
    s->tma.waiting &= ~BIT64(w);
    if (x->in == NULL) {
        wheel_add(&s->wheel, t, t + more + (is_over ? s->c.mbarrier_wake : 1), EVENT_WAKE, NULL, w, 0);
        return;
    }
    exec_wait_answer(s->res.warp[w].exec, x->what.pred, x->what.lanes, is_over);
    wheel_add(&s->wheel, t, t + more + (is_over ? s->c.mbarrier_wake : 1), EVENT_RESULT, x->in,
              (uint8_t)w, x->what.lanes);
}
static void look(struct sm *s, uint32_t cta, uint32_t more, uint64_t t) {
    FOR_EACH_BIT64(w, s->tma.waiting) {
        const struct tma_wait *const x = &s->tma.wait[w];
        if (x->cta == cta && exec_phase_over(&s->res.cta[cta].cta, x->what.barrier, x->what.parity))
            answer_wait(s, (uint32_t)w, true, more, t);
    }
}
void tma_look(struct sm *s, uint32_t cta, uint64_t t) { look(s, cta, 0, t); }

// What the commit has changed came from other blocks of the cluster, as far as a copy's bytes do.
void tma_begin(struct sm *s, uint64_t from) {
    const uint64_t before = s->tma.waiting;
    uint32_t ctas = 0;
    FOR_EACH_BIT64(w, before) ctas |= 1u << s->tma.wait[w].cta;
    FOR_EACH_BIT32(cta, ctas) look(s, cta, s->c.tma_remote, from);
    if (s->tma.waiting != before) s->alarms.wake = min64(s->alarms.wake, from);
}
static void give_up(struct sm *s, uint64_t t, uint64_t *again) {
    FOR_EACH_BIT64(w, s->tma.waiting) {
        const uint64_t until = s->tma.wait[w].until;
        if (until <= t)
            answer_wait(s, (uint32_t)w, false, 0, t);
        else
            *again = min64(*again, until);
    }
}

// ---- arrivals that wait for copies --------------------------------------------------------------
static void arrive(struct sm *s, const struct exec_wait_for *a, uint32_t cta, uint64_t t) {
    if (exec_arrive_now(&s->res.cta[cta].cta, a->barrier, a->lanes, a->arrival))
        tma_look(s, cta, t);
}
static void arrive_later(struct sm *s, const struct exec_wait_for *a, uint32_t w, uint64_t t) {
    struct tma *const m = &s->tma;
    const uint32_t cta = s->res.warp[w].cta, words = (s->lsu.n_ops + 63) / 64;
    uint32_t i = 0;
    while (i < m->n_arrivals && m->arrival[i].left != 0) i++;
    if (i == m->n_arrivals) {
        const uint32_t n = m->n_arrivals ? 2 * m->n_arrivals : 8;
        struct tma_arrival *const p = realloc(m->arrival, n * sizeof *p);
        if (p == NULL) {
            sm_break(s, "no memory for arrivals at barriers");
            return;
        }
        m->arrival = p;
        memset(p + m->n_arrivals, 0, (n - m->n_arrivals) * sizeof *p);
        m->n_arrivals = n;
    }
    struct tma_arrival *const x = &m->arrival[i];
    if (x->ops == NULL) x->ops = calloc(words, sizeof *x->ops);
    if (x->ops == NULL) {
        sm_break(s, "no memory for arrivals at barriers");
        return;
    }
    // Free operations are on a list; what is none of those and copies for this warp is waited for.
    uint32_t left = 0;
    for (uint32_t op = 0; op < s->lsu.n_ops; op++) {
        const struct mem_op *const o = &s->lsu.op[op];
        if (!(o->flags & OP_ASYNC) || o->warp != w) continue;
        x->ops[op / 64] |= 1ull << op % 64;
        left++;
    }
    if (left == 0) {
        arrive(s, a, cta, t);
        return;
    }
    x->what = *a;
    x->left = left;
    x->generation = m->generation[cta];
    x->cta = (uint8_t)cta;
    m->arrivals++;
}
void tma_op_done(struct sm *s, uint16_t op, uint64_t t) {
    struct tma *const m = &s->tma;
    for (uint32_t i = 0; m->arrivals != 0 && i < m->n_arrivals; i++) {
        struct tma_arrival *const x = &m->arrival[i];
        if (x->left == 0 || !(x->ops[op / 64] >> op % 64 & 1)) continue;
        x->ops[op / 64] &= ~(1ull << op % 64);
        if (--x->left != 0) continue;
        m->arrivals--;
        if (x->generation == m->generation[x->cta]) arrive(s, &x->what, x->cta, t);
    }
}

// ---- the ports ----------------------------------------------------------------------------------
void tma_sleep(struct sm *s, uint32_t w, const struct exec_wait_for *phase, uint64_t until) {
    s->tma.wait[w] =
        (struct tma_wait){.what = *phase, .until = until, .cta = s->res.warp[w].cta};
    s->tma.waiting |= BIT64(w);
    alarm_by(s, until);
}
void tma_cta_begins(struct sm *s, uint32_t cta) { s->tma.generation[cta]++; }

void tma_accept(struct sm *s, const struct issue *o, uint64_t t) {
    const struct exec_access *const a = o->access;
    struct tma *const m = &s->tma;
    const uint64_t ready = o->operands_at + o->in->latency;
    if (a->kind == ACCESS_WAIT) {
        // Without a time to wait the answer stays as it is: not over.
        const double ns = a->wait.has_limit ? a->wait.nanoseconds : s->c.mbarrier_limit;
        const uint64_t cycles = (uint64_t)(ns * s->c.core_clock_mhz * 1e-3);
        s->act.c[ACT_shared_reads]++;
        s->act.c[ACT_shared_passes]++;
        s->act.c[ACT_shared_lanes] += count_lanes(a->mask);
        m->wait[o->warp] = (struct tma_wait){.in = o->in,
                                             .what = a->wait,
                                             .until = ready + s->c.shared_latency + cycles,
                                             .cta = s->res.warp[o->warp].cta};
        m->waiting |= BIT64(o->warp);
        alarm_by(s, m->wait[o->warp].until);
        return;
    }
    if (a->kind == ACCESS_ARRIVE_LATER) {
        s->act.c[ACT_shared_atomics]++;
        s->act.c[ACT_shared_passes]++;
        s->act.c[ACT_shared_lanes] += count_lanes(a->mask);
        arrive_later(s, &a->wait, o->warp, t);
        return;
    }
    for (uint32_t i = 0; i < s->env.bulks->n; i++) {
        const struct exec_bulk *const b = &s->env.bulks->copy[i];
        if (b->kind == BULK_FORGET) {
            tma_forget_map(s, map_address(s, o->warp, b->map));
        } else if (!take_copy(s, s->env.bulks, b, o->warp, ready + s->c.tma_start, a->policy)) {
            sm_break(s, "no memory for bulk copies");
            return;
        }
    }
    alarm_by(s, max64(ready + s->c.tma_start, t + 1));
}

void tma_step(struct sm *s, uint64_t t) {
    struct tma *const m = &s->tma;
    uint64_t again = NEVER;
    for (uint32_t i = 0; m->under_way != 0 && i < m->n_jobs; i++)
        if (m->job[i].has_sent && m->job[i].done_at <= t) finish(s, i, t);
    m->is_blocked = false;
    while (m->first != TMA_NO_JOB && go_on(s, t, &again)) continue;
    for (uint32_t i = 0; m->under_way != 0 && i < m->n_jobs; i++) {
        if (!m->job[i].has_sent) continue;
        if (m->job[i].done_at <= t)
            again = t + 1; // came to its end in this cycle
        else
            again = min64(again, m->job[i].done_at);
    }
    give_up(s, t, &again);
    s->alarms.at[ALARM_TMA] = again;
}
