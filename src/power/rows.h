// The rows of all parts of techniques (savings/worth.h) as a tree of the power model has them: with
// counters and components looked up, and prices worked out.
#ifndef WW_POWER_ROWS_H
#define WW_POWER_ROWS_H

#include "savings/worth.h"

enum {
    POWER_MAX_LINES = 64,
    POWER_MAX_EFFECTS = 192,
    POWER_MAX_AREAS = 96,
    POWER_MAX_BOUNDS = 16,
    POWER_MAX_SHOWN = 48
};

// `n` counters from the number `act` on; n 0: none.
struct power_run {
    uint32_t act, n;
};

struct power_rows {
    struct power_line {
        const struct savings_line *is;
        int component; // -1: none
    } line[POWER_MAX_LINES];
    struct power_effect { // in the order in which they are added up
        const struct savings_effect *is;
        uint32_t mechanisms; // bit mask: whose doing the counts may be
        uint32_t line;
        struct power_run run[2];
        int component; // -1: the GPU lacks it
        double price_j;
        double sub_share, gate_share; // of a price that is leakage (power_leak_shares)
    } effect[POWER_MAX_EFFECTS];
    struct power_area {
        const struct savings_area *is;
        uint32_t mechanisms, line;
        uint32_t on; // of lines that are put away: the counter of those that are on
        struct power_run run;
    } area[POWER_MAX_AREAS];
    struct power_bound {
        uint32_t line, periods; // first counter of the histogram
        struct power_run cycles, less, overhead, events;
        enum savings_per per;
    } bound[POWER_MAX_BOUNDS];
    struct power_shown {
        uint32_t line;
        struct power_run run;
    } shown[POWER_MAX_SHOWN];
    uint32_t lines, effects, areas, bounds, shows;
};

#endif
