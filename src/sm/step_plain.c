// The cycle without policies (step.inc.h).
#define STEP_HOOKS 0
#define STEP_CYCLE step_cycle_plain
#include "sm/step.inc.h"
