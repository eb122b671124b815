// The cycle of SMs without a scoreboard and without techniques (step.inc.h).
#define STEP_FULL  0
#define STEP_MANY  1
#define STEP_CONTROL(s) true
#define STEP_CYCLE step_cycle_control
#include "sm/step.inc.h"
