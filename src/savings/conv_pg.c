// Conventional power gating (Hu et al., ISLPED 2004; Warped Gates 2.2): a unit is switched off
// after idle_detect idle cycles, and woken as soon as an instruction comes for it, before the
// break-even time too.
#include "savings/savings_int.h"

const struct gate_rule rule_conv_pg = {.has_blackout = false};
