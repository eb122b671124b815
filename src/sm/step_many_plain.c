// The cycle without techniques, of several sub-cores (step.inc.h).
#define STEP_FULL  0
#define STEP_MANY  1
#define STEP_CYCLE step_cycle_many_plain
#include "sm/step.inc.h"
