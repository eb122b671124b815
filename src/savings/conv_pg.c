// Conventional power gating (Hu et al., ISLPED 2004; Warped Gates 2.2): a unit is switched off
// after idle_detect idle cycles, and woken as soon as an instruction comes for it, before the
// break-even time too.
#include "savings/gating.h"

const struct gate_rule rule_conv_pg = {.has_blackout = false};

const struct savings_part part_conv_pg = {
    .name = "conv-pg",
    .what = "power gating of idle units: off after idle_detect idle cycles, woken whenever an "
            "instruction comes for it",
    .paper = "Hu et al., ISLPED 2004; Warped Gates, MICRO-46, 2.2",
    .roles = ROLE_GATING,
    .uses = {&part_gating},
    .gate_rule = &rule_conv_pg,
};
