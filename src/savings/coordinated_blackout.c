// Coordinated Blackout (Warped Gates 5): the clusters of a type are switched off after idle_detect idle
// cycles as long as another one is on. The last one looks at the type's counter of active warps
// (INT_ACTV, FP_ACTV) instead: with a warp there it stays on however long it is idle, without one it
// goes off in its first idle cycle. So whenever a warp of a type is active, a unit for it is on or was
// switched off before that warp came. The paper has two clusters; of more, the last that is on is the
// one that looks. A waking unit counts as on.
//
// When several are due in one cycle the highest-numbered goes first: schedulers fill low numbers.
#include "savings/savings_int.h"

static uint64_t settle(struct gating *g, const struct sm_view *v, uint32_t type, uint64_t t) {
    struct gate_domain *const first = &g->domain[g->first[type]], *const end = first + g->n[type];
    uint32_t on = 0;
    uint64_t last_off = 0, awake_at = DOMAIN_NEVER;
    for (struct gate_domain *d = first; d != end; d++) {
        domain_awake(d, t);
        on += d->state != GATE_OFF;
        if (d->state == GATE_OFF) last_off = domain_max(last_off, d->since);
        if (d->state == GATE_WAKING && d->on_at < awake_at) awake_at = d->on_at;
    }
    for (; on != 0; on--) {
        const bool is_last = on == 1;
        const uint32_t window = is_last ? 0 : g->idle_detect[type];
        // The counter is known from the cycle after the last look on, and so is that another cluster has been
        // woken beside one that had been kept on; the others went off earlier.
        const uint64_t not_before = is_last ? domain_max(g->settled + 1, last_off) : g->settled + 1;
        uint64_t due = DOMAIN_NEVER;
        uint32_t next = SM_PIPES;
        for (struct gate_domain *d = first; d != end; d++) {
            if (d->state != GATE_ON) continue;
            const uint32_t p = (uint32_t)(d - g->domain);
            const uint64_t at = domain_max(domain_due(d, savings_idle_from(v, p), window), not_before);
            if (at > due) continue;
            due = at;
            next = p;
        }
        const bool stays = due > t || (is_last && g->actv[type] != 0);
        if (stays && is_last && next != SM_PIPES) { // until its work is done and the counter falls
            g->kept |= g->unit_of[type];
            g->last_pipe[type == GATE_TYPE_INT ? UNIT_INT : UNIT_FP] = (uint8_t)next;
        }
        if (stays) break;
        domain_gate(&g->domain[next], due);
        last_off = domain_max(last_off, due);
    }
    return awake_at;
}

const struct gate_rule rule_coordinated_blackout = {
    .settle = settle, .has_blackout = true, .counts_active = true};
