// Nothing but meters (dissertation, 4.2): single lanes are looked at (lanes.c) and never switched
// off.
#include "savings/lane.h"

const struct savings_part part_lane_meter = {
    .name = "lane-meter",
    .what = "nothing but meters: busy and idle times of single lanes, the bound on what gating "
            "them could save",
    .paper = "Abdel-Majeed's dissertation (2016), 4.2",
    .uses = {&part_lanes},
};
