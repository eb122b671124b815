// Phases: what warp folding and the Origami scheduler decide anew each time, they decide at the same
// times.
#include "savings/savings_int.h"

// clang-format off
static const struct savings_option options[] = {
    {.name = "phase", .value = 300, .low = 10, .high = 1000000, .unit = "cycles",
     .what = "between two decisions on what to fold and which group issues first",
     .source = "dissertation, 4.3.1.1"},
};
// clang-format on

const struct savings_part part_phases = {
    .options = {PART_ROWS(options)},
};
