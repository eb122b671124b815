// Activity of an SM. What follows from how often each machine instruction issued, and with how many
// lanes, is not counted as it happens but added up here; what depends on when is in sm.act; state
// times come from timestamps, cut at the cycle that is asked for.
#include "activity/sm.h"
#include "isa/operands.h"
#include "sm/sm_state.h"
#include "sm/units.h"

static bool has_scoreboard(const struct sm *s) { return s->c.dependences == SM_SCOREBOARD; }

// What rows read say. `is_sent`: to a pipeline.
static void add_reads(uint64_t *c, const struct sm_inst *in, const struct inst_runs *n,
                      bool has_scoreboard, bool is_sent) {
    c[ACT_rf_reads] += n->issues * in->n_src;
    c[ACT_rf_read_lanes] += n->lanes * in->n_src;
    if (!is_sent) return;
    c[ACT_collector_moves] += n->issues * in->n_src;
    if (!has_scoreboard && in->is_cached) c[ACT_reuse_keeps] += n->issues * bits_count32(in->keep);
}

static void add_instruction(uint64_t *c, const struct sm_inst *in, const struct inst_runs *n,
                            bool has_scoreboard) {
    const uint64_t issues = n->issues, lanes = n->lanes;
    c[ACT_warp_instructions] += issues;
    c[ACT_thread_instructions] += lanes;
    c[ACT_warp_by_class + in->klass] += issues;
    c[ACT_thread_by_class + in->klass] += op_class_unit[in->klass] == UNIT_UNIFORM ? issues : lanes;
    c[ACT_ibuffer_reads] += issues;
    add_reads(c, in, n, has_scoreboard, in->unit != UNIT_NONE);
    c[ACT_const_operands] += issues * in->n_const;
    c[ACT_const_reads] += issues * in->n_const;
    if (in->flags & SI_FILLER) c[ACT_filler_instructions] += issues;
    if (in->flags & SI_JUMP) c[ACT_branches] += issues;
    if (in->flags & SI_BARRIER) c[ACT_barriers] += issues;
    if (in->flags & SI_SHUFFLE) c[ACT_shuffles] += issues;
    if (in->unit == UNIT_NONE) return;
    c[ACT_collector_allocations] += issues;
    c[ACT_collector_dispatches] += issues;
    if (!(in->flags & SI_RESULT)) return;
    if (has_scoreboard) c[ACT_scoreboard_writes] += 2 * issues;
    c[ACT_rf_writes] += issues * in->n_dst;
    c[ACT_rf_write_lanes] += lanes * in->n_dst;
    c[ACT_result_bus_moves] += issues * in->n_dst;
}

// Rows of the registers that are accessed most.
static void add_top(uint64_t *c, const uint64_t accesses[MAX_GPRS], uint32_t n_regs) {
    uint64_t top[5] = {0};
    for (uint32_t r = 0; r < n_regs; r++) {
        uint64_t x = accesses[r];
        for (uint32_t i = 0; i < WW_COUNT(top); i++) {
            const uint64_t less = min64(x, top[i]);
            top[i] = max64(x, top[i]);
            x = less;
        }
    }
    c[ACT_rf_top3] += top[0] + top[1] + top[2];
    c[ACT_rf_top4] += top[0] + top[1] + top[2] + top[3];
    c[ACT_rf_top5] += top[0] + top[1] + top[2] + top[3] + top[4];
}

// Words that one issue reads or writes of the uniform register file.
static uint64_t uniform_words(const struct isa_ref *ref, uint32_t n) {
    uint64_t words = 0;
    for (uint32_t i = 0; i < n; i++) words += ref[i].file == REF_UGPR;
    return words;
}
static void add_uniform(uint64_t *c, const struct minst *m, uint64_t issues) {
    struct isa_ref ref[ISA_MAX_REFS];
    c[ACT_uniform_reads] += issues * uniform_words(ref, isa_reads(m, true, ref));
    c[ACT_uniform_writes] += issues * uniform_words(ref, isa_writes(m, true, ref));
}

static void add_kernel(struct activity *a, const struct kernel_slot *ks, bool has_scoreboard) {
    if (ks->kernel == NULL) return;
    const struct code_image *const im = ks->kernel->image;
    const uint32_t n_regs = im->n_regs;
    uint64_t accesses[MAX_GPRS];
    memset(accesses, 0, n_regs * sizeof *accesses);
    for (uint32_t i = 0; i < im->n_insts; i++) {
        const uint64_t issues = ks->runs[i].issues;
        const struct sm_inst *const in = &ks->kernel->inst[i];
        if (issues == 0) continue;
        add_instruction(a->c, in, &ks->runs[i], has_scoreboard);
        const struct sm_inst *const more = kernel_more_rows(ks->kernel, in);
        if (more != NULL)
            add_reads(a->c, more, &ks->runs[i], has_scoreboard, in->unit != UNIT_NONE);
        for (uint32_t k = 0; more != NULL && k < more->n_src; k++) accesses[more->src[k]] += issues;
        if (im->uses_uniform) add_uniform(a->c, &im->inst[i], issues);
        for (uint32_t k = 0; k < in->n_src; k++) accesses[in->src[k]] += issues;
        for (uint32_t k = 0; k < in->n_dst; k++) accesses[in->dst_first + k] += issues;
    }
    add_top(a->c, accesses, n_regs);
}

static uint64_t busy_until_now(const struct sm_pipe *p, uint64_t now) {
    if (p->busy_until <= now) return p->busy_cycles;
    return p->busy_cycles - (p->busy_until - max64(p->busy_from, now));
}

static void add_pipes(struct activity *a, const struct sm *s, uint64_t now) {
    const struct sm_pipe *const p = s->v.pipe;
    uint64_t *const c = a->c;
    for (uint32_t i = 0; i < SM_MAX_LANE_GROUPS; i++) {
        c[ACT_int_busy_cycles + i] += busy_until_now(&p[SM_PIPE_INT + i], now);
        c[ACT_fp_busy_cycles + i] += busy_until_now(&p[SM_PIPE_FP + i], now);
        c[ACT_int_issues + i] += p[SM_PIPE_INT + i].issues;
        c[ACT_fp_issues + i] += p[SM_PIPE_FP + i].issues;
    }
    for (uint32_t i = 0; i < 8; i++) {
        c[ACT_sfu_busy_cycles] += busy_until_now(&p[SM_PIPE_SFU + i], now);
        c[ACT_dp_busy_cycles] += busy_until_now(&p[SM_PIPE_DP + i], now);
        c[ACT_tensor_busy_cycles] += busy_until_now(&p[SM_PIPE_TENSOR + i], now);
        c[ACT_tensor_issues] += p[SM_PIPE_TENSOR + i].issues;
        c[ACT_sfu_issues] += p[SM_PIPE_SFU + i].issues;
        c[ACT_dp_issues] += p[SM_PIPE_DP + i].issues;
    }
    c[ACT_ldst_busy_cycles] += busy_until_now(&p[SM_PIPE_LDST], now);
    c[ACT_ldst_issues] += p[SM_PIPE_LDST].issues + p[SM_PIPE_TEX].issues;
}

static void add_collectors(struct activity *a, const struct collectors *k) {
    for (uint32_t i = 0; i < ACT_MAX_BANKS; i++) {
        a->c[ACT_rf_bank_reads + i] += k->reads[i];
        a->c[ACT_rf_bank_writes + i] += k->writes[i];
    }
    a->c[ACT_rf_reads] -= k->reuse_hits;
    a->c[ACT_reuse_hits] += k->reuse_hits;
    a->c[ACT_rf_read_lanes] -= k->reuse_lanes;
    a->c[ACT_rf_bank_conflicts] += k->conflicts;
    a->c[ACT_result_bus_conflicts] += k->bus_conflicts;
}

// ---- idle times ---------------------------------------------------------------------------------
static uint32_t domain_of(uint32_t pipe) {
    if (pipe < SM_PIPE_FP) return ACT_INT_DOMAIN + pipe - SM_PIPE_INT;
    if (pipe < SM_PIPE_SFU) return ACT_FP_DOMAIN + pipe - SM_PIPE_FP;
    if (pipe < SM_PIPE_DP) return ACT_SFU_DOMAIN;
    if (pipe < SM_PIPE_LDST) return ACT_DP_DOMAIN;
    if (pipe >= SM_PIPE_TENSOR) return ACT_TENSOR_DOMAIN;
    return pipe == SM_PIPE_LDST ? ACT_LDST_DOMAIN : ACT_TEX_DOMAIN;
}
static_assert(ACT_FP_DOMAIN == ACT_INT_DOMAIN + SM_MAX_LANE_GROUPS &&
                  ACT_SFU_DOMAIN == ACT_FP_DOMAIN + SM_MAX_LANE_GROUPS,
              "a domain for each lane group's pipelines");

// All but the uniform datapath's, whose idle times nothing asks for.
#define FOR_EACH_PIPE(p, v)                                                                        \
    for (uint32_t u_ = UNIT_NONE + 1; u_ < UNIT_UNIFORM; u_++)                                     \
        for (uint32_t p = (v)->pipe_first[u_];                                                     \
             p < (v)->pipe_first[u_] + (uint32_t)(v)->pipe_n[u_]; p++)

// Up to where an idle period that is still open at `now` reaches: an access that the LD/ST or the
// texture unit works on is told to its pipe only when it is done.
static uint64_t idle_end(const struct sm *s, uint32_t pipe, uint64_t now) {
    const struct lsu_queue *const u = pipe == SM_PIPE_LDST  ? &s->lsu.ldst
                                      : pipe == SM_PIPE_TEX ? &s->lsu.tex
                                                            : NULL;
    if (u == NULL || u->n == 0 || !lsu_queue_first(u)->started) return now;
    return min64(now, lsu_queue_first(u)->begun);
}

void count_open(struct sm *s, uint64_t cycle) {
    FOR_EACH_PIPE(p, &s->v) {
        struct sm_pipe *const x = &s->v.pipe[p];
        if (x->busy_until < cycle) x->busy_from = x->busy_until = cycle;
    }
    s->active_since = cycle;
    s->active_n = count_warps(s->v.active);
}

void count_close(struct sm *s, uint64_t cycle) {
    FOR_EACH_PIPE(p, &s->v) {
        struct sm_pipe *const x = &s->v.pipe[p];
        const uint64_t end = idle_end(s, p, cycle);
        if (x->busy_until < end) units_idle(s, p, end - x->busy_until, 0);
        if (x->busy_until < cycle) x->busy_from = x->busy_until = cycle;
    }
    count_active(s, cycle);
}

void count_active(struct sm *s, uint64_t t) {
    if (t > s->active_since) {
        s->act.c[ACT_active_set_cycles + s->active_n] += t - s->active_since;
        s->active_since = t;
    }
    s->active_n = count_warps(s->v.active);
}

static void add_idle(struct activity *a, const struct sm *s, uint64_t now) {
    FOR_EACH_PIPE(p, &s->v) {
        const uint32_t d = domain_of(p);
        a->c[ACT_idle_cycles + d] += s->idle[p].cycles;
        a->c[ACT_idle_sent + d] += s->idle[p].sent;
        a->c[ACT_bubble_cycles + d] += s->v.pipe[p].bubbles;
        const uint64_t end = idle_end(s, p, now);
        if (s->is_busy && s->v.pipe[p].busy_until < end)
            a->c[ACT_idle_cycles + d] += end - s->v.pipe[p].busy_until;
    }
    if (s->is_busy && now > s->active_since)
        a->c[ACT_active_set_cycles + s->active_n] += now - s->active_since;
}

// An SM without work, whose pipes are done, counts nothing until it gets some; binding a kernel to
// a slot and unbinding it only moves counts.
static bool is_settled(const struct sm *s, uint64_t now) {
    if (s->res.n_ctas != 0 || s->v.resident != 0 || !sm_is_idle(s)) return false;
    for (uint32_t i = 0; i < SM_PIPES; i++)
        if (s->v.pipe[i].busy_until > now) return false;
    return true;
}

const struct activity *sm_activity(struct sm *s, uint64_t now) {
    if (s->is_summed) return &s->sum;
    // Lines of caches that lapse do so without work, too.
    s->is_summed = s->tech.lapses == NULL && !s->tech.counts_idle && is_settled(s, now);
    s->sum_number++;
    stall_flush_all(s, now);
    struct activity *const a = &s->sum;
    activity_set_sum(a, &s->act, mem_port_activity(s->caches.port)); // its links' waits
    for (uint32_t i = 0; i < SM_KERNEL_SLOTS; i++)
        add_kernel(a, &s->res.kernel[i], has_scoreboard(s));
    for (uint32_t i = 0; i < s->n_subs; i++) add_collectors(a, &s->sub[i].collectors);
    add_pipes(a, s, now);
    add_idle(a, s, now);
    if (s->is_busy && now > s->busy_since) a->c[ACT_sm_busy_cycles] += now - s->busy_since;
    for (uint32_t i = 0; i < s->n_subs; i++)
        a->c[ACT_lane_on_cycles] += s->sub[i].lanes_on_area + s->sub[i].lanes_on * now;
    for (uint32_t i = 0; i < s->tech.all.n; i++) {
        const struct sm_technique *const t = s->tech.all.t[i];
        if (t->count != NULL) t->count(t->self, &s->v, a, now);
    }
    if (now > s->res.since) {
        a->c[ACT_warp_slots_cycles] += bits_count64(s->v.resident) * (now - s->res.since);
        a->c[ACT_cta_slots_cycles] += s->res.n_ctas * (now - s->res.since);
        a->c[ACT_rf_granted_cycles] += s->res.regs_used * (now - s->res.since);
    }
    if (ww_unlikely(s->group != NULL)) group_count(s, a, now);
    a->c[ACT_decodes] = a->c[ACT_ibuffer_writes];
    for (uint32_t i = 0; i < SM_MAX_CTAS; i++) {
        if (!s->res.cta[i].is_used) continue;
        FOR_EACH_BIT64(w, s->res.cta[i].left) {
            a->c[ACT_simt_pushes] += s->res.warp[w].exec->pushes;
            a->c[ACT_simt_pops] += s->res.warp[w].exec->pops;
        }
    }
    return a;
}

uint64_t sm_activity_number(const struct sm *s) { return s->sum_number; }

void sm_add_inst_counts(const struct sm *s, uint32_t slot, struct sm_inst_counts *sum) {
    const struct kernel_slot *const ks = &s->res.kernel[slot];
    for (uint32_t i = 0; ks->kernel != NULL && i < ks->kernel->image->n_insts; i++) {
        sum[i].issues += ks->runs[i].issues;
        sum[i].lanes += ks->runs[i].lanes;
        for (uint32_t r = 0; ks->stalls != NULL && r < STALL_N; r++)
            sum[i].stall[r] += ks->stalls[i].cycles[r];
    }
}

const struct sm_inst_memory *sm_inst_memory(const struct sm *s, uint32_t slot) {
    return s->res.kernel[slot].asked;
}

// A kernel leaves its slot: what its instructions counted stays.
void count_keep(struct sm *s, uint32_t slot) {
    add_kernel(&s->act, &s->res.kernel[slot], has_scoreboard(s));
}
