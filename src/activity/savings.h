// What techniques count.
#ifndef WW_ACTIVITY_SAVINGS_H
#define WW_ACTIVITY_SAVINGS_H

#include "activity/activity.h"

enum act_savings {
    ACT_SAVINGS_BEFORE = ACT_SAVINGS_FIRST - 1,
#include "activity/rows.h"
#include "activity/savings_rows.def"
#include "activity/savings_units.def"
#include "activity/savings_lines.def"
#include "activity/savings_meters.def"
#include "activity/rows_end.h"
    ACT_SAVINGS_END
};
static_assert(ACT_SAVINGS_END <= ACT_SAVINGS_FIRST + ACT_SAVINGS_ROOM, "the numbers of this room suffice");

#endif
