// What power gating saves and costs, from the states that a technique counted (gate_* in
// activity.def).
//
// A domain is a unit's share of one cluster: the integer lanes of a cluster, its floating-point
// lanes, all SFU lanes of an SM, the address units of an SM. While it is off (uncompensated or
// compensated) it does not leak; each time that it is switched off costs its leakage over the
// break-even time, by the definition of that time (Hu et al., ISLPED 2004); waking, it leaks as
// when it is on. The pipeline registers around the lanes stay on. Where single lanes are gated
// (lane_* in activity.def) a lane has a 32nd of its pipeline's leakage. So for each component
//
//     static energy with the technique = without it - saved + overhead + what the technique adds
//     leaks
//
// and power_run gives out the left side: its static energies of int, fp, sfu, agu have this in
// them, the regulator its share, the scheduler the technique's own counters.
#ifndef WW_POWER_SAVINGS_H
#define WW_POWER_SAVINGS_H

#include "power/power.h"

enum power_saving_unit {
    POWER_SAVING_INT,
    POWER_SAVING_FP,
    POWER_SAVING_SFU,
    POWER_SAVING_LDST,
    POWER_SAVING_UNITS
};

struct power_saving {
    int component;      // -1: the GPU has none
    bool is_gated;      // a technique gated it, or measured its lanes
    bool by_lanes;      // these figures, the oracle too, are of single lanes
    double still_j;     // that the component would have leaked
    double saved_j, overhead_j;
    double oracle_j; // net: what a gating that knows the idle periods' lengths would save of them
    double logic_dynamic_j,
        logic_static_j; // INT, FP: shift stages and what belongs to them (Origami)
};

struct power_savings {
    bool any; // something was gated, or counters ran
    struct power_saving unit[POWER_SAVING_UNITS];
    // The counters that gates and blackout add to an SM (Warped Gates, MICRO-46, 7.5: synthesised
    // in 45 nm, at 700 MHz), of SMs that hold work; taken as published, not scaled to the node.
    double counters_dynamic_j, counters_static_j, counters_mm2;
    double logic_mm2; // of all shift stages
};

// Of `a` over `seconds`. Needs the tree that power_build made.
void power_savings(const struct power_tree *tree, const struct activity *a, double seconds,
                   struct power_savings *out);
// Puts them into the own energies of `usage`; without the regulator's part. Answers what the static
// energy of all components falls by.
double power_savings_apply(const struct power_tree *tree, const struct activity *a,
                           struct power_usage *usage);
const char *power_saving_name(enum power_saving_unit u); // "INT"

#endif
