// Clusters of SMs that share a front end (sm/group.h): made with the device, formed when a kernel
// starts, and the dispatch of CTAs to them.
//
// A cluster that shares takes CTAs in sets, one for each member, when all have finished the set
// before in that place. What is left of a grid when less than a set is cannot be shared: "an equal
// number of blocks" is what keeps a cluster correct (section II-B). So one cluster is ungrouped,
// the next in turn that has room, unless one is apart already, and its SMs take what is left one by
// one; the other clusters go on sharing.
#include "gpu/device.h"

static uint32_t sms_of(const struct gpu_options *o, const struct gpu_config *c) {
    if (savings_shares_front_end(&o->savings)) return savings_value(&o->savings, "cluster_sms");
    const uint32_t least = o->group_sms != 0 ? o->group_sms : 1, tlb = mem_tlb_sms(&c->mem);
    return tlb > 1 ? (least + tlb - 1) / tlb * tlb : least;
}

enum ww_status cluster_check(const struct gpu_config *c, const struct savings *s, struct diags *d) {
    if (!savings_shares_front_end(s)) return WW_OK;
    const uint32_t tlb = mem_tlb_sms(&c->mem), sms = savings_value(s, "cluster_sms");
    if (tlb != 0 && sms % tlb != 0)
        return diag_add(d, WW_ERROR_CONFIG,
                        "front-end-sharing: clusters of %u SMs cut the %u SMs of %s that share a TLB; "
                        "-s savings.cluster_sms=... or -s mem.tlb.l1_sms=... decides",
                        sms, tlb, c->name);
    if (c->sm_count % sms == 0) return WW_OK;
    return diag_add(d, WW_ERROR_CONFIG,
                    "front-end-sharing: clusters of %u SMs do not divide the %u SMs of %s; "
                    "-s savings.cluster_sms=... or -s sm_count=... decides",
                    sms, c->sm_count, c->name);
}

enum ww_status cluster_build(struct gpu *g, struct diags *d) {
    const struct savings *const s = &g->options.savings;
    const struct gpu_config *const c = &g->config;
    g->cluster_sms = sms_of(&g->options, &g->config);
    if (!savings_shares_front_end(s)) return WW_OK;
    enum ww_status status = cluster_check(c, s, d);
    if (status != WW_OK) return status;
    const uint32_t n = c->sm_count / g->cluster_sms;
    g->cluster = device_alloc(g, n * sizeof *g->cluster);
    if (!g->cluster) return diag_add(d, WW_ERROR_MEMORY, "out of memory for clusters of SMs");
    struct sm_group_config group = savings_group(s, c->clocks.core_mhz);
    group.columns = c->sm_columns;
    group.pitch_um = c->sm_pitch_um;
    for (uint32_t i = 0; i < n && status == WW_OK; i++)
        status =
            sm_group_create(&group, &g->sm[i * g->cluster_sms], g->cluster_sms, d, &g->cluster[i]);
    return status;
}

void cluster_tear_down(struct gpu *g) {
    for (uint32_t i = 0; g->cluster && i < g->config.sm_count / g->cluster_sms; i++)
        sm_group_destroy(g->cluster[i]);
    device_free(g, g->cluster);
    g->cluster = NULL;
}

void cluster_form(struct gpu *g) {
    for (uint32_t i = 0; g->cluster && i < g->config.sm_count / g->cluster_sms; i++)
        sm_group_form(g->cluster[i], g->now);
}

// ---- dispatch -------------------------------------------------------------------------------
static enum sm_group_state state_of(const struct gpu *g, uint32_t sm) {
    return sm_group_state(g->cluster[sm / g->cluster_sms]);
}

static bool is_ramping(const struct gpu *g) {
    for (uint32_t i = 0; i < g->config.sm_count; i += g->cluster_sms)
        if (state_of(g, i) == SM_GROUP_RAMP) return true;
    return false;
}

// CTAs that SM i may be given now, with the others of its cluster: a set, one, or none.
static uint32_t may_take(const struct gpu *g, const struct flight *r, uint32_t i) {
    const uint32_t n = g->cluster_sms;
    const uint64_t left = r->n_ctas - r->next_cta;
    if (left == 0) return 0;
    switch (state_of(g, i)) {
    case SM_GROUP_APART: return sm_can_take(g->sm[i], r->slot);
    case SM_GROUP_SHARED:
        return i % n == 0 && left >= n && sm_group_can_take(g->cluster[i / n], r->slot) ? n : 0;
    default: return 0;
    }
}

// Less than a set is left, and no SM that runs alone has room: the cluster that is ungrouped for
// it; NO_CLUSTER: none may be now.
static const uint32_t NO_CLUSTER = UINT32_MAX;
static uint32_t tail_cluster(const struct gpu *g, const struct flight *r) {
    const uint32_t n = g->cluster_sms, sms = g->config.sm_count;
    const uint64_t left = r->n_ctas - r->next_cta;
    if (left == 0 || left >= n || is_ramping(g)) return NO_CLUSTER;
    const uint32_t first = g->next_sm - g->next_sm % n;
    for (uint32_t k = 0; k < sms; k += n) {
        const uint32_t i = (first + k) % sms;
        if (state_of(g, i) == SM_GROUP_SHARED && sm_group_can_take(g->cluster[i / n], r->slot))
            return i / n;
    }
    return NO_CLUSTER;
}

bool cluster_can_dispatch(const struct gpu *g, const struct flight *r) {
    for (uint32_t i = 0; i < g->config.sm_count; i++)
        if (may_take(g, r, i) != 0) return true;
    return tail_cluster(g, r) != NO_CLUSTER;
}

void cluster_dispatch(struct gpu *g, struct flight *r) {
    const uint32_t n = g->config.sm_count;
    uint32_t idle = 0; // SMs in a row that took none
    for (uint32_t i = g->next_sm; idle < n && r->next_cta < r->n_ctas;) {
        const uint32_t take = may_take(g, r, i);
        for (uint32_t k = 0; k < take; k++) run_give_cta(g, r, i + k);
        idle = take != 0 ? 0 : idle + 1;
        if (take != 0) g->next_sm = (i + take) % n;
        i = (i + (take != 0 ? take : 1)) % n;
    }
    const uint32_t tail = tail_cluster(g, r);
    if (tail == NO_CLUSTER) return;
    sm_group_ungroup(g->cluster[tail], g->now);
    for (uint32_t i = 0; i < g->cluster_sms; i++) g->side[tail * g->cluster_sms + i].next = 0;
}

// ---- a quantum ------------------------------------------------------------------------------
void cluster_run(struct gpu *g, uint32_t cluster) {
    const uint32_t first = cluster * g->cluster_sms;
    struct sm_group *const group = g->cluster[cluster];
    bool sleeps = sm_group_is_idle(group);
    for (uint32_t i = first; i < first + g->cluster_sms; i++) {
        if (g->delivered < g->from) mem_system_deliver(g->mem, i, g->delivered, g->from);
        sleeps &= g->side[i].next == UINT64_MAX;
    }
    if (sleeps && sm_group_is_idle(group)) return;
    sm_group_run(group, g->from, g->to);
    for (uint32_t i = first; i < first + g->cluster_sms; i++) {
        g->side[i].next = sm_next_event(g->sm[i], g->to);
        if (g->config.mem.tlb.l1_entries != 0) mem_port_release(g->ports[i], g->to);
    }
}
