// The cycle with policies that only listen, and have register rows timed (step.inc.h).
#define STEP_HOOKS 0
#define STEP_LISTENS 1
#define STEP_CYCLE step_cycle_rows
#include "sm/step.inc.h"
