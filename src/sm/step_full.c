// The cycle with techniques, or with clusters that are chosen at entry, of one sub-core (step.inc.h).
#define STEP_FULL  1
#define STEP_MANY  0
#define STEP_CYCLE step_cycle_full
#include "sm/step.inc.h"
