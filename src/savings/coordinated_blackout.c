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
    const uint32_t first = g->first[type], end = first + g->n[type];
    uint32_t on = 0;
    uint64_t last_off = 0;
    for (uint32_t p = first; p < end; p++) {
        domain_awake(&g->domain[p], t);
        on += g->domain[p].state != GATE_OFF;
        if (g->domain[p].state == GATE_OFF) last_off = domain_max(last_off, g->domain[p].since);
    }
    uint64_t quiet = DOMAIN_NEVER;
    while (on != 0) {
        const bool is_last = on == 1;
        uint64_t due = DOMAIN_NEVER;
        uint32_t next = end;
        for (uint32_t p = first; p < end; p++) {
            uint64_t at = domain_due(&g->domain[p], savings_idle_from(v, p),
                                     is_last ? 0 : g->idle_detect[type]);
            // The counter is known from the cycle after the last look on; the others went off earlier.
            if (is_last && at != DOMAIN_NEVER)
                at = domain_max(at, domain_max(g->settled + 1, last_off));
            if (at > due) continue;
            due = at;
            next = p;
        }
        quiet = due;
        if (quiet > t) break;
        if (is_last && g->actv[type] != 0) { // until the counter falls
            g->kept |= g->unit_of[type];
            quiet = DOMAIN_NEVER;
            break;
        }
        domain_gate(&g->domain[next], due);
        last_off = domain_max(last_off, due);
        on--;
        quiet = DOMAIN_NEVER;
    }
    for (uint32_t p = first; p < end; p++)
        if (g->domain[p].state == GATE_WAKING && g->domain[p].on_at < quiet) quiet = g->domain[p].on_at;
    return quiet;
}

const struct gate_rule rule_coordinated_blackout = {
    .settle = settle, .has_blackout = true, .counts_active = true};
