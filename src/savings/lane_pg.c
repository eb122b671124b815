// Power gating of single lanes (dissertation, 4.3 and 2.3). Lanes, their states and what these are
// worth are lanes.c's; SFUs and the load/store unit, where they are gated beside them, are
// gating.c's.
#include "savings/gating.h"
#include "savings/lane.h"

const struct savings_part part_lane_pg = {
    .name = "lane-pg",
    .what = "power gating of single lanes of the INT and FP pipelines: off after idle_detect idle "
            "cycles, woken whenever a warp needs them",
    .paper = "Abdel-Majeed's dissertation (2016), 4.3 and 2.3",
    .roles = ROLE_GATING,
    .uses = {&part_lanes, &part_gating},
};
