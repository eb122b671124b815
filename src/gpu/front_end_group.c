// Front-end groups: SMs that share a front end (sm/group.h), made with the device, formed when a
// kernel starts, and the dispatch of CTAs to them.
//
// A front-end group that shares takes CTAs in sets, one for each member, when all have finished the
// set before in that place. What is left of a grid when less than a set is cannot be shared: "an
// equal number of blocks" is what keeps a front-end group correct (section II-B). So one front-end
// group is ungrouped, the next in turn that has room, unless one is apart already, and its SMs take
// what is left one by one; the other front-end groups go on sharing.
#include "gpu/device.h"

static uint32_t sms_of(const struct gpu_options *o, const struct gpu_config *c) {
    if (savings_shares_front_end(&o->savings))
        return savings_value(&o->savings, "front_end_group_sms");
    const uint32_t least = o->group_sms != 0 ? o->group_sms : 1, tlb = mem_tlb_sms(&c->mem);
    return tlb > 1 ? (least + tlb - 1) / tlb * tlb : least;
}

enum ww_status front_end_group_check(const struct gpu_config *c, const struct savings *s,
                                     struct diags *d) {
    if (!savings_shares_front_end(s)) return WW_OK;
    const uint32_t tlb = mem_tlb_sms(&c->mem), sms = savings_value(s, "front_end_group_sms");
    if (tlb != 0 && sms % tlb != 0)
        return diag_add(
            d, WW_ERROR_CONFIG,
            "front-end-sharing: front-end groups of %u SMs cut the %u SMs of %s that share a TLB; "
            "-s savings.front_end_group_sms=... or -s mem.tlb.l1_sms=... decides",
            sms, tlb, c->name);
    if (c->sm_count % sms == 0) return WW_OK;
    return diag_add(d, WW_ERROR_CONFIG,
                    "front-end-sharing: front-end groups of %u SMs do not divide the %u SMs of %s; "
                    "-s savings.front_end_group_sms=... or -s sm_count=... decides",
                    sms, c->sm_count, c->name);
}

enum ww_status front_end_group_build(struct gpu *g, struct diags *d) {
    const struct savings *const s = &g->options.savings;
    const struct gpu_config *const c = &g->config;
    g->group_sms = sms_of(&g->options, &g->config);
    if (!savings_shares_front_end(s)) return WW_OK;
    enum ww_status status = front_end_group_check(c, s, d);
    if (status != WW_OK) return status;
    const uint32_t n = c->sm_count / g->group_sms;
    g->front_end_group = device_alloc(g, n * sizeof *g->front_end_group);
    if (!g->front_end_group)
        return diag_add(d, WW_ERROR_MEMORY, "out of memory for front-end groups of SMs");
    struct sm_group_config group = savings_group(s, c->clocks.core_mhz);
    group.columns = c->sm_columns;
    group.pitch_um = c->sm_pitch_um;
    for (uint32_t i = 0; i < n && status == WW_OK; i++)
        status = sm_group_create(&group, &g->sm[i * g->group_sms], g->group_sms, d,
                                 &g->front_end_group[i]);
    return status;
}

void front_end_group_tear_down(struct gpu *g) {
    for (uint32_t i = 0; g->front_end_group && i < g->config.sm_count / g->group_sms; i++)
        sm_group_destroy(g->front_end_group[i]);
    device_free(g, g->front_end_group);
    g->front_end_group = NULL;
}

void front_end_group_form(struct gpu *g) {
    for (uint32_t i = 0; g->front_end_group && i < g->config.sm_count / g->group_sms; i++)
        sm_group_form(g->front_end_group[i], g->now);
}

// ---- dispatch -------------------------------------------------------------------------------
static enum sm_group_state state_of(const struct gpu *g, uint32_t sm) {
    return sm_group_state(g->front_end_group[sm / g->group_sms]);
}

static bool is_ramping(const struct gpu *g) {
    for (uint32_t i = 0; i < g->config.sm_count; i += g->group_sms)
        if (state_of(g, i) == SM_GROUP_RAMP) return true;
    return false;
}

// CTAs that SM i may be given now, with the others of its front-end group: a set, one, or none.
static uint32_t may_take(const struct gpu *g, const struct flight *r, uint32_t i) {
    const uint32_t n = g->group_sms;
    const uint64_t left = r->last_cta - r->next_cta;
    if (left == 0) return 0;
    switch (state_of(g, i)) {
    case SM_GROUP_APART: return sm_can_take(g->sm[i], r->slot);
    case SM_GROUP_SHARED:
        return i % n == 0 && left >= n && sm_group_can_take(g->front_end_group[i / n], r->slot) ? n
                                                                                                : 0;
    default: return 0;
    }
}

// Less than a set is left, and no SM that runs alone has room: the front-end group that is
// ungrouped for it; NO_GROUP: none may be now.
static const uint32_t NO_GROUP = UINT32_MAX;
static uint32_t tail_group(const struct gpu *g, const struct flight *r) {
    const uint32_t n = g->group_sms, sms = g->config.sm_count;
    const uint64_t left = r->last_cta - r->next_cta;
    if (left == 0 || left >= n || is_ramping(g)) return NO_GROUP;
    const uint32_t first = g->next_sm - g->next_sm % n;
    for (uint32_t k = 0; k < sms; k += n) {
        const uint32_t i = (first + k) % sms;
        if (state_of(g, i) == SM_GROUP_SHARED &&
            sm_group_can_take(g->front_end_group[i / n], r->slot))
            return i / n;
    }
    return NO_GROUP;
}

bool front_end_group_can_dispatch(const struct gpu *g, const struct flight *r) {
    for (uint32_t i = 0; i < g->config.sm_count; i++)
        if (may_take(g, r, i) != 0) return true;
    return tail_group(g, r) != NO_GROUP;
}

void front_end_group_dispatch(struct gpu *g, struct flight *r) {
    const uint32_t n = g->config.sm_count;
    uint32_t idle = 0; // SMs in a row that took none
    for (uint32_t i = g->next_sm; idle < n && r->next_cta < r->last_cta;) {
        const uint32_t take = may_take(g, r, i);
        for (uint32_t k = 0; k < take; k++) run_give_cta(g, r, i + k, r->next_cta);
        idle = take != 0 ? 0 : idle + 1;
        if (take != 0) g->next_sm = (i + take) % n;
        i = (i + (take != 0 ? take : 1)) % n;
    }
    const uint32_t tail = tail_group(g, r);
    if (tail == NO_GROUP) return;
    sm_group_ungroup(g->front_end_group[tail], g->now);
    for (uint32_t i = 0; i < g->group_sms; i++) g->side[tail * g->group_sms + i].next = 0;
}

// ---- a quantum ------------------------------------------------------------------------------
void front_end_group_run(struct gpu *g, uint32_t number) {
    const uint32_t first = number * g->group_sms;
    struct sm_group *const group = g->front_end_group[number];
    bool sleeps = sm_group_is_idle(group);
    for (uint32_t i = first; i < first + g->group_sms; i++) {
        if (g->delivered < g->from) mem_system_deliver(g->mem, i, g->delivered, g->from);
        sleeps &= g->side[i].next == UINT64_MAX;
    }
    if (sleeps && sm_group_is_idle(group)) return;
    sm_group_run(group, g->from, g->to);
    for (uint32_t i = first; i < first + g->group_sms; i++) {
        g->side[i].next = sm_next_event(g->sm[i], g->to);
        if (g->config.mem.tlb.l1_entries != 0) mem_port_release(g->ports[i], g->to);
    }
}
