// The cycle with policies of any kind (step.inc.h).
#define STEP_HOOKS 3
#define STEP_CYCLE step_cycle_hooked
#include "sm/step.inc.h"
