// What techniques of the register file share: its lines of the savings table, and a whole file near
// threshold, which partition and rf-cache may have. Its leakage is the slow partition's by the power
// law of size through the points of table 6.4 (power/declared.c).
#include "savings/savings_int.h"

// clang-format off
static const struct savings_option options[] = {
    {.name = "srf_latency", .value = 3, .low = 1, .high = 100, .unit = "cycles",
     .what = "an access near threshold", .source = "dissertation, 6.6.3; also 4 and 5 (6.6.4)"},
};
// clang-format on
#define PARTS "dissertation, table 6.4"
// clang-format off
static const struct savings_line lines[] = {
    {.key = "rf", .name = "RF", .kind = LINE_LEAKAGE, .component = "rf_banks",
     .what = "banks of the register file"},
    {.key = "rf_access", .name = "RF use", .kind = LINE_EVENTS, .component = "rf_banks",
     .what = "reads and writes of the register file"},
};
static const struct savings_effect effects[] = {
    {.line = "rf", .counter = "slow_file_cycles", .component = "rf_banks", .sign = SAVES,
     .price = {.kind = PRICE_PARTS_LEAK, .file = FILE_LEAK_ALL_SLOW},
     .why = "a whole file near threshold", .source = PARTS},
};
// clang-format on

const struct savings_part part_registers = {
    .options = {PART_ROWS(options)},
    .lines = {PART_ROWS(lines)},
    .effects = {PART_ROWS(effects)},
};
