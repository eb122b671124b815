// Coordinated Blackout (Warped Gates 5): the lane groups of a type are switched off after
// idle_detect idle cycles as long as another one is on. The last one looks at the type's counter of
// active warps (INT_ACTV, FP_ACTV) instead: with a warp there it stays on however long it is idle,
// without one it goes off in its first idle cycle. So whenever a warp of a type is active, a unit
// for it is on or was switched off before that warp came. The paper has two lane groups; of more,
// the last that is on is the one that looks. A waking unit counts as on.
//
// When several are due in one cycle the highest-numbered goes first: schedulers fill low numbers.
//
// The paper has it on top of GATES, whose counters of active warps it reads. On another scheduler
// these counters are its own.
#include "savings/gating.h"
#include "savings/savings_int.h"
#include "sm/config.h"

// Of `n` lane groups: for two, the paper's number, the loops are laid out flat.
static inline __attribute__((always_inline)) uint64_t
settle_of(struct gating *g, const struct sm_view *v, uint32_t type, uint64_t t, uint32_t n) {
    const uint32_t first = g->first[type];
    struct gate_domain *const d = &g->domain[first];
    uint32_t on = 0;
    uint64_t last_off = 0, awake_at = DOMAIN_NEVER;
    for (uint32_t i = 0; i < n; i++) {
        domain_awake(&d[i], t);
        const bool is_off = d[i].state == GATE_OFF, is_waking = d[i].state == GATE_WAKING;
        on += !is_off;
        last_off = max64(last_off, d[i].since & (0 - (uint64_t)is_off));
        awake_at = min64(awake_at, d[i].on_at | ((uint64_t)is_waking - 1));
    }
    for (; on != 0; on--) {
        const bool is_last = on == 1;
        const uint32_t window = is_last ? 0 : g->idle_detect[type];
        // Every lane group has been decided on up to g->settled, so the next one goes off later.
        // The last lane group is the last from the cycle on in which the lane group before it went
        // off.
        const uint64_t not_before = max64(g->settled + 1, is_last ? last_off : 0);
        uint64_t due = DOMAIN_NEVER;
        uint32_t next = SM_PIPES;
        for (uint32_t i = 0; i < n; i++) {
            const bool is_on = d[i].state == GATE_ON;
            const uint64_t idle_from = v->pipe[first + i].busy_until;
            const uint64_t at = max64(domain_due_idle(&d[i], idle_from, window), not_before);
            const bool is_next = is_on & (at <= due);
            due = is_next ? at : due;
            next = is_next ? first + i : next;
        }
        const bool stays = (due > t) | (is_last & (g->actv[type] != 0));
        if (stays) {
            // The last lane group stays on until it is idle and the type's counter is 0.
            if (is_last & (next != SM_PIPES)) g->kept |= 1u << type;
            break;
        }
        domain_gate(&g->domain[next], due);
        last_off = max64(last_off, due);
    }
    return awake_at;
}

static uint64_t settle(struct gating *g, const struct sm_view *v, uint32_t type, uint64_t t) {
    return g->n[type] == 2 ? settle_of(g, v, type, t, 2) : settle_of(g, v, type, t, g->n[type]);
}

static enum ww_status check(const struct savings *s, const struct sm_config *c, struct diags *d) {
    (void)s;
    if (c->lane_groups < 2)
        return diag_add(
            d, WW_ERROR_CONFIG,
            "coordinated-blackout needs two lane groups of INT and FP pipelines, the GPU has "
            "%u: there is nothing to coordinate, naive-blackout does it",
            c->lane_groups);
    return WW_OK;
}

static const struct gate_rule rule = {
    .settle = settle, .has_blackout = true, .counts_active = true};

const struct savings_part part_coordinated_blackout = {
    .name = "coordinated-blackout",
    .what =
        "blackout in which the last lane group of a type goes off only when no active warp is of "
        "that type, and then at once",
    .paper = "Warped Gates, MICRO-46, 5",
    .roles = ROLE_GATING,
    .uses = {&part_gating},
    .gate_rule = &rule,
    .check = check,
};
