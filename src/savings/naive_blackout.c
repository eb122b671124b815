// Naive Blackout (Warped Gates 5): switched off as conventionally, but then a unit stays off for
// the break-even time at least; no instruction wakes it before.
#include "savings/gating.h"

static const struct gate_rule rule = {.has_blackout = true};

const struct savings_part part_naive_blackout = {
    .name = "naive-blackout",
    .what = "power gating in which a unit that is off stays off for the break-even time at least",
    .paper = "Warped Gates, MICRO-46, 5",
    .roles = ROLE_GATING,
    .uses = {&part_gating},
    .gate_rule = &rule,
};
