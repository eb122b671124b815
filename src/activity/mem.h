// What the memory system counts.
#ifndef WW_ACTIVITY_MEM_H
#define WW_ACTIVITY_MEM_H

#include "activity/activity.h"

enum act_mem {
    ACT_MEM_BEFORE = ACT_MEM_FIRST - 1,
#include "activity/rows.h"
#include "activity/mem_net.def"
#include "activity/mem_l2.def"
#include "activity/mem_dram.def"
#include "activity/rows_end.h"
    ACT_MEM_END
};
static_assert(ACT_MEM_END <= ACT_MEM_FIRST + ACT_MEM_ROOM, "the numbers of this room suffice");

#endif
