// Naive Blackout (Warped Gates 5): switched off as conventionally, but then a unit stays off for the
// break-even time at least; no instruction wakes it before.
#include "savings/savings_int.h"

static uint64_t may_wake(const struct gating *g, const struct gate_domain *d) {
    return d->since + g->times.break_even;
}

const struct gate_rule rule_naive_blackout = {.settle = gating_by_idle_detect, .may_wake = may_wake};
