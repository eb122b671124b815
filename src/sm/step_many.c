// The cycle of several sub-cores (step.inc.h).
#define STEP_FULL  1
#define STEP_MANY  1
#define STEP_CONTROL(s) ((s)->is_control)
#define STEP_CYCLE step_cycle_many
#include "sm/step.inc.h"
