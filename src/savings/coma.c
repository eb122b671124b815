// Accesses to register rows by active mask (dissertation, 5.4). A row's word line is divided into
// one part a lane; the mask of the instruction opens the parts, so that bit lines, sense amplifiers
// and outputs of the other lanes stay quiet. The mask is written into a table with an entry a
// collector when the instruction takes one; each row that is read, and each that is written, looks
// it up.
//
// The mask here is that of the threads that execute: active and not guarded out. It changes no
// time.
#include "savings/savings_int.h"

enum { // numbers of its own counters, from the first
    OWN_rf_read_lanes_spared,
    OWN_rf_write_lanes_spared,
    OWN_rf_divided_reads,
    OWN_rf_divided_writes,
    OWN_mask_table_writes,
    OWN_mask_table_reads,
    OWN_divided_cycles,
};

struct coma {
    uint64_t reads, writes, read_lanes_spared, write_lanes_spared, instructions;
};

static uint32_t read_rows(void *self, const struct sm_row_access *a) {
    struct coma *const k = self;
    k->instructions++;
    k->reads += a->n;
    k->read_lanes_spared += (uint64_t)a->n * (WARP_LANES - bits_count32(a->lanes));
    return 0;
}

static uint32_t write_rows(void *self, const struct sm_row_access *a) {
    struct coma *const k = self;
    k->writes += a->n;
    k->write_lanes_spared += (uint64_t)a->n * (WARP_LANES - bits_count32(a->lanes));
    return 0;
}

static void count(const void *self, const struct sm_view *v, struct activity *a, uint64_t now) {
    (void)v, (void)now;
    uint64_t *const c = savings_own(a, SAVINGS_coma);
    const struct coma *const k = self;
    c[OWN_rf_read_lanes_spared] += k->read_lanes_spared;
    c[OWN_rf_write_lanes_spared] += k->write_lanes_spared;
    c[OWN_rf_divided_reads] += k->reads;
    c[OWN_rf_divided_writes] += k->writes;
    c[OWN_mask_table_writes] += k->instructions;
    c[OWN_mask_table_reads] += k->reads + k->writes;
    c[OWN_divided_cycles] += a->c[ACT_sm_busy_cycles];
}

static const struct sm_row_port rows = {.read = read_rows, .write = write_rows};

// ---- what it is --------------------------------------------------------------------------------
// clang-format off
static const struct act_own counters[] = {
    {.at = OWN_rf_read_lanes_spared, .name = "rf_read_lanes_spared",
     .unit = "lane registers", .component = "rf",
     .prose = "divided word lines: lanes of the rows read that were not switched"},
    {.at = OWN_rf_write_lanes_spared, .name = "rf_write_lanes_spared",
     .unit = "lane registers", .component = "rf",
     .prose = "divided word lines: lanes of the rows written that were not switched"},
    {.at = OWN_rf_divided_reads, .name = "rf_divided_reads",
     .unit = "warp registers", .component = "rf",
     .prose = "divided word lines: rows read through them"},
    {.at = OWN_rf_divided_writes, .name = "rf_divided_writes",
     .unit = "warp registers", .component = "rf",
     .prose = "divided word lines: rows written through them"},
    {.at = OWN_mask_table_writes, .name = "mask_table_writes", .unit = "masks", .component = "rf",
     .prose = "divided word lines: active masks written into the table, one an instruction that "
              "takes a collector"},
    {.at = OWN_mask_table_reads, .name = "mask_table_reads", .unit = "masks", .component = "rf",
     .prose = "divided word lines: masks read, one a row"},
    {.at = OWN_divided_cycles, .name = "divided_cycles", .unit = "SM cycles", .component = "rf",
     .prose = "divided word lines: cycles in which SMs held work"},
};
// clang-format on

// The gates of divided word lines and the lines to them are paid by every access through them,
// whatever is switched.
#define MASKED "dissertation, 5.4"
// clang-format off
static const struct savings_line lines[] = {
    {.key = "masks", .name = "masks", .kind = LINE_ADDED, .note = " (tables of active masks)",
     .what = "tables of active masks"},
};
static const struct savings_effect effects[] = {
    {.line = "rf", .counter = "divided_cycles", .component = "rf_banks", .sign = COSTS,
     .price = {.kind = PRICE_GATES_LEAK, .per = PER_SM},
     .why = "the gates of divided word lines leak", .source = MASKED},
    {.line = "rf_access", .counter = "rf_read_lanes_spared", .component = "rf_banks", .sign = SAVES,
     .price = {.kind = PRICE_WORD_PART, .event = "rf_reads"},
     .why = "word line, bit lines, sense amplifiers and outputs of a lane stay quiet",
     .source = MASKED},
    {.line = "rf_access", .counter = "rf_write_lanes_spared", .component = "rf_banks",
     .sign = SAVES, .price = {.kind = PRICE_WORD_PART, .event = "rf_writes"},
     .why = "word line and bit lines of a lane stay quiet", .source = MASKED},
    {.line = "rf_access", .counter = "rf_divided_reads", .component = "rf_banks", .sign = COSTS,
     .price = {.kind = PRICE_WORD_GATES, .event = "rf_reads"},
     .why = "gates of a divided word line", .source = MASKED},
    {.line = "rf_access", .counter = "rf_divided_writes", .component = "rf_banks", .sign = COSTS,
     .price = {.kind = PRICE_WORD_GATES, .event = "rf_writes"}, .why = "as a read",
     .source = MASKED},
    {.line = "masks", .counter = "divided_cycles", .component = "rf_banks", .sign = COSTS,
     .price = {.kind = PRICE_TABLE_LEAK, .entries = 16, .bits = 32}, .why = "the table's leakage",
     .source = MASKED},
    {.line = "masks", .counter = "mask_table_writes", .component = "rf_banks", .sign = COSTS,
     .price = {.kind = PRICE_TABLE_WRITE, .entries = 16, .bits = 32},
     .why = "the mask of an instruction that takes a collector", .source = MASKED},
    {.line = "masks", .counter = "mask_table_reads", .component = "rf_banks", .sign = COSTS,
     .price = {.kind = PRICE_TABLE_READ, .entries = 16, .bits = 32},
     .why = "the mask of a row's access", .source = MASKED},
};
static const struct savings_area areas[] = {
    {.line = "rf_access", .counter = "divided_cycles", .component = "rf_banks",
     .size = {.kind = SIZE_DIVIDED}, .what = "gates of divided word lines", .source = MASKED},
    {.line = "masks", .counter = "divided_cycles", .component = "rf_banks",
     .size = {.kind = SIZE_TABLE, .n = 16, .bits = 32}, .what = "table of active masks",
     .source = MASKED},
};
// clang-format on

const struct savings_part part_coma = {
    .name = "coma",
    .what = "register rows are read and written in the lanes of active threads only, by divided "
            "word lines",
    .paper = "dissertation, 5.4",
    .roles = ROLE_ACCESS,
    .counters = {PART_ROWS(counters)},
    .lines = {PART_ROWS(lines)},
    .effects = {PART_ROWS(effects)},
    .areas = {PART_ROWS(areas)},
    .state_bytes = sizeof(struct coma),
    .ports = {.rows = &rows, .count = count},
};
