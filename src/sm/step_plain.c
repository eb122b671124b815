// The cycle without techniques, of one sub-core (step.inc.h).
#define STEP_FULL  0
#define STEP_MANY  0
#define STEP_CYCLE step_cycle_plain
#include "sm/step.inc.h"
