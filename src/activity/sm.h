// What SMs count, and the GPU of its SMs.
#ifndef WW_ACTIVITY_SM_H
#define WW_ACTIVITY_SM_H

#include "activity/activity.h"
#include "activity/stall.h"
#include "isa/op_class.h"

enum act_sm {
    ACT_SM_BEFORE = ACT_SM_FIRST - 1,
#include "activity/rows.h"
#include "activity/sm_issue.def"
#include "activity/sm_front.def"
#include "activity/sm_registers.def"
#include "activity/sm_units.def"
#include "activity/sm_group.def"
#include "activity/sm_memory.def"
#include "activity/sm_toggle.def"
#include "activity/sm_sub_cores.def"
#include "activity/rows_end.h"
    ACT_SM_END
};
static_assert(ACT_SM_END <= ACT_SM_FIRST + ACT_SM_ROOM, "the numbers of this room suffice");

#endif
