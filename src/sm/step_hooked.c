// The cycle with policies (step.inc.h).
#define STEP_HOOKS 1
#define STEP_CYCLE step_cycle_hooked
#include "sm/step.inc.h"
