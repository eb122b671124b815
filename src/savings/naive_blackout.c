// Naive Blackout (Warped Gates 5): switched off as conventionally, but then a unit stays off for
// the break-even time at least; no instruction wakes it before.
#include "savings/savings_int.h"

const struct gate_rule rule_naive_blackout = {.has_blackout = true};
