// The cycle with policies that deal with whole pipelines and the order of units only (step.inc.h).
#define STEP_HOOKS 1
#define STEP_CYCLE step_cycle_units
#include "sm/step.inc.h"
