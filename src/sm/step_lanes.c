// The cycle with policies that look at single lanes, order units, group and prefer warps
// (step.inc.h).
#define STEP_HOOKS 2
#define STEP_CYCLE step_cycle_lanes
#include "sm/step.inc.h"
