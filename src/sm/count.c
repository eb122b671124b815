// Activity of an SM. What follows from how often each machine instruction issued, and with how many
// lanes, is not counted as it happens but added up here; what depends on when is in sm.act; state
// times come from timestamps, cut at the cycle that is asked for.
#include "sm/sm_state.h"

static void add_instruction(uint64_t *c, const struct sm_inst *in, const struct sm_inst_counts *n) {
    const uint64_t issues = n->issues, lanes = n->lanes;
    c[ACT_warp_instructions] += issues;
    c[ACT_thread_instructions] += lanes;
    c[ACT_warp_by_class + in->klass] += issues;
    c[ACT_thread_by_class + in->klass] += lanes;
    c[ACT_ibuffer_reads] += issues;
    c[ACT_rf_reads] += issues * in->n_src;
    c[ACT_rf_read_lanes] += lanes * in->n_src;
    c[ACT_const_operands] += issues * in->n_const;
    c[ACT_const_reads] += issues * in->n_const;
    if (in->flags & SI_FILLER) c[ACT_filler_instructions] += issues;
    if (in->flags & SI_JUMP) c[ACT_branches] += issues;
    if (in->flags & SI_BARRIER) c[ACT_barriers] += issues;
    if (in->flags & SI_SHUFFLE) c[ACT_shuffles] += issues;
    if (in->unit == UNIT_NONE) return;
    c[ACT_collector_allocations] += issues;
    c[ACT_collector_dispatches] += issues;
    c[ACT_collector_moves] += issues * in->n_src;
    if (!(in->flags & SI_RESULT)) return;
    c[ACT_scoreboard_writes] += 2 * issues;
    c[ACT_rf_writes] += issues * in->n_dst;
    c[ACT_rf_write_lanes] += lanes * in->n_dst;
    c[ACT_result_bus_moves] += issues * in->n_dst;
}

static void add_kernel(struct activity *a, const struct kernel_slot *ks) {
    if (ks->kernel == NULL) return;
    for (uint32_t i = 0; i < ks->kernel->image->n_insts; i++)
        if (ks->counts[i].issues != 0)
            add_instruction(a->c, &ks->kernel->inst[i], &ks->counts[i]);
}

static uint64_t busy_until_now(const struct sm_pipe *p, uint64_t now) {
    if (p->busy_until <= now) return p->busy_cycles;
    return p->busy_cycles - (p->busy_until - max64(p->busy_from, now));
}

static void add_pipes(struct activity *a, const struct sm *s, uint64_t now) {
    const struct sm_pipe *const p = s->v.pipe;
    uint64_t *const c = a->c;
    for (uint32_t i = 0; i < SM_MAX_CLUSTERS; i++) {
        c[ACT_int_busy_cycles + i] += busy_until_now(&p[SM_PIPE_INT + i], now);
        c[ACT_fp_busy_cycles + i] += busy_until_now(&p[SM_PIPE_FP + i], now);
        c[ACT_int_issues + i] += p[SM_PIPE_INT + i].issues;
        c[ACT_fp_issues + i] += p[SM_PIPE_FP + i].issues;
    }
    for (uint32_t i = 0; i < 8; i++) {
        c[ACT_sfu_busy_cycles] += busy_until_now(&p[SM_PIPE_SFU + i], now);
        c[ACT_dp_busy_cycles] += busy_until_now(&p[SM_PIPE_DP + i], now);
        c[ACT_sfu_issues] += p[SM_PIPE_SFU + i].issues;
        c[ACT_dp_issues] += p[SM_PIPE_DP + i].issues;
    }
    c[ACT_ldst_busy_cycles] += busy_until_now(&p[SM_PIPE_LDST], now);
    c[ACT_ldst_issues] += p[SM_PIPE_LDST].issues + p[SM_PIPE_TEX].issues;
}

const struct activity *sm_activity(struct sm *s, uint64_t now) {
    stall_flush_all(s, now);
    s->sum = s->act;
    struct activity *const a = &s->sum;
    for (uint32_t i = 0; i < SM_KERNEL_SLOTS; i++) add_kernel(a, &s->kernel[i]);
    add_pipes(a, s, now);
    if (s->is_busy && now > s->busy_since) a->c[ACT_sm_busy_cycles] += now - s->busy_since;
    if (now > s->warps_since)
        a->c[ACT_warp_slots_cycles] += bits_count64(s->v.resident) * (now - s->warps_since);
    a->c[ACT_decodes] = a->c[ACT_ibuffer_writes];
    activity_add(a, mem_port_activity(s->port)); // its links' waits
    for (uint32_t i = 0; i < SM_MAX_CTAS; i++) {
        if (!s->cta[i].is_used) continue;
        FOR_EACH_BIT64(w, s->cta[i].left) {
            a->c[ACT_simt_pushes] += s->warp[w].ew->pushes;
            a->c[ACT_simt_pops] += s->warp[w].ew->pops;
        }
    }
    return a;
}

const struct sm_inst_counts *sm_inst_counts(const struct sm *s, uint32_t slot) {
    return s->kernel[slot].counts;
}

// A kernel leaves its slot: what its instructions counted stays.
void count_keep(struct sm *s, uint32_t slot) { add_kernel(&s->act, &s->kernel[slot]); }
