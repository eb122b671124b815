// Lane shifting (dissertation, 4.3.2): the active threads of an INT or FP instruction move to the
// lowest lanes of their quad, four neighbours (there: a cluster), so that the upper ones are idle
// together. What that does to lanes and times is done by lanes.c, which has the lanes.
#include "savings/lane.h"
#include "savings/savings_int.h"

enum { // numbers of its own counters, from the first
    OWN_lane_shifts,
};

static enum ww_status check(const struct savings *s, const struct sm_config *c, struct diags *d) {
    return lanes_check(s, c, "lane-shifting", d);
}

// clang-format off
static const struct act_own counters[] = {
    {.at = OWN_lane_shifts, .name = "lane_shifts", .unit = "warp instructions", .component = "exu",
     .prose = "lane shifting: instructions of which it moved a thread",
     .free = "a part of lane_issues"},
};
// clang-format on

const struct savings_part part_lane_shifting = {
    .name = "lane-shifting",
    .what = "active threads of INT and FP instructions move to the lowest lanes of their quad",
    .paper = "Abdel-Majeed's dissertation (2016), 4.3.2",
    .uses = {&part_shift},
    .counters = {PART_ROWS(counters)},
    .check = check,
};
