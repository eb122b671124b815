// Accesses to register rows by active mask (dissertation, 5.4). A row's word line is divided into
// one part a lane; the mask of the instruction opens the parts, so that bit lines, sense amplifiers
// and outputs of the other lanes stay quiet. The mask is written into a table with an entry a
// collector when the instruction takes one; each row that is read, and each that is written, looks
// it up.
//
// With savings.coma=arrays word lines are whole, and an array of a bank that serves no lane of the
// mask is not accessed: the register files of lanes in groups of four with rows of 16 bytes, or the
// 32 banks of a word (sm.rf_array_lanes), for which the dissertation names the control alone.
//
// The mask here is that of the threads that execute: active and not guarded out. It changes no
// time.
#include "sm/config.h"
#include "activity/sm.h"
#include "savings/savings_int.h"

enum { // numbers of its own counters, from the first
    OWN_rf_read_lanes_spared,
    OWN_rf_write_lanes_spared,
    OWN_rf_divided_reads,
    OWN_rf_divided_writes,
    OWN_mask_table_writes,
    OWN_mask_table_reads,
    OWN_divided_cycles,
    OWN_rf_read_arrays_spared,
    OWN_rf_write_arrays_spared,
    OWN_masked_array_cycles,
};

// What the mask opens: names of the option `coma`, in their order.
enum { COMA_LINES, COMA_ARRAYS };

struct coma {
    bool by_arrays;
    uint32_t array_lanes;
    uint64_t read_arrays_spared, write_arrays_spared;
    uint64_t reads, writes, read_lanes_spared, write_lanes_spared, instructions;
};

// Arrays of a row without a lane of the mask.
static uint32_t quiet_arrays(const struct coma *k, uint32_t lanes) {
    const uint32_t of_one = (uint32_t)((1ull << k->array_lanes) - 1);
    uint32_t n = 0;
    for (uint32_t first = 0; first < WARP_LANES; first += k->array_lanes)
        n += (lanes >> first & of_one) == 0;
    return n;
}

static uint32_t read_rows(void *self, const struct sm_row_access *a) {
    struct coma *const k = self;
    k->instructions++;
    k->reads += a->n;
    k->read_lanes_spared += (uint64_t)a->n * (WARP_LANES - bits_count32(a->lanes));
    if (k->by_arrays) k->read_arrays_spared += (uint64_t)a->n * quiet_arrays(k, a->lanes);
    return 0;
}

static uint32_t write_rows(void *self, const struct sm_row_access *a) {
    struct coma *const k = self;
    k->writes += a->n;
    k->write_lanes_spared += (uint64_t)a->n * (WARP_LANES - bits_count32(a->lanes));
    if (k->by_arrays) k->write_arrays_spared += (uint64_t)a->n * quiet_arrays(k, a->lanes);
    return 0;
}

static void count(const void *self, const struct sm_view *v, struct activity *a, uint64_t now) {
    (void)v, (void)now;
    uint64_t *const c = savings_own(a, SAVINGS_coma);
    const struct coma *const k = self;
    c[OWN_mask_table_writes] += k->instructions;
    c[OWN_mask_table_reads] += k->reads + k->writes;
    if (k->by_arrays) {
        c[OWN_rf_read_arrays_spared] += k->read_arrays_spared;
        c[OWN_rf_write_arrays_spared] += k->write_arrays_spared;
        c[OWN_masked_array_cycles] += a->c[ACT_sm_busy_cycles];
        return;
    }
    c[OWN_rf_read_lanes_spared] += k->read_lanes_spared;
    c[OWN_rf_write_lanes_spared] += k->write_lanes_spared;
    c[OWN_rf_divided_reads] += k->reads;
    c[OWN_rf_divided_writes] += k->writes;
    c[OWN_divided_cycles] += a->c[ACT_sm_busy_cycles];
}

static enum ww_status check(const struct savings *s, const struct sm_config *c, struct diags *d) {
    if (savings_value(s, "coma") == COMA_LINES && c->rf_array_lanes == 1)
        return diag_add(d, WW_ERROR_CONFIG,
                        "coma divides the word lines of a row, but with sm.rf_array_lanes 1 each "
                        "lane has a word line of its own: -s savings.coma=arrays");
    return WW_OK;
}

static bool make(struct savings_sm *s, void *self, struct sm_technique *t) {
    (void)t;
    struct coma *const k = self;
    k->by_arrays = savings_value(&s->set, "coma") == COMA_ARRAYS;
    k->array_lanes = s->c->rf_array_lanes != 0 ? s->c->rf_array_lanes : WARP_LANES;
    return true;
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
    {.at = OWN_rf_read_arrays_spared, .name = "rf_read_arrays_spared", .unit = "arrays",
     .component = "rf",
     .prose = "arrays by active mask: those of the rows read that served no lane"},
    {.at = OWN_rf_write_arrays_spared, .name = "rf_write_arrays_spared", .unit = "arrays",
     .component = "rf",
     .prose = "arrays by active mask: those of the rows written that served no lane"},
    {.at = OWN_masked_array_cycles, .name = "masked_array_cycles", .unit = "SM cycles",
     .component = "rf", .prose = "arrays by active mask: cycles in which SMs held work"},
};
static const struct savings_option options[] = {
    {.name = "coma", .names = "lines arrays", .value = COMA_LINES, .unit = "",
     .what = "what the active mask opens: lines, the parts of divided word lines; arrays, whole "
             "arrays of sm.rf_array_lanes lanes, whose word lines are not divided",
     .source = "dissertation, 5.4.1: divided word lines; for files of narrow rows the control alone"},
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
    {.line = "rf_access", .counter = "rf_read_arrays_spared", .component = "rf_banks",
     .sign = SAVES, .price = {.kind = PRICE_ARRAY, .event = "rf_reads"},
     .why = "an array without a lane of the mask is not accessed", .source = MASKED},
    {.line = "rf_access", .counter = "rf_write_arrays_spared", .component = "rf_banks",
     .sign = SAVES, .price = {.kind = PRICE_ARRAY, .event = "rf_writes"}, .why = "as a read",
     .source = MASKED},
    {.line = "masks", .counter = "masked_array_cycles", .component = "rf_banks", .sign = COSTS,
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
    {.line = "masks", .counter = "masked_array_cycles", .component = "rf_banks",
     .size = {.kind = SIZE_TABLE, .n = 16, .bits = 32}, .what = "table of active masks",
     .source = MASKED},
    {.line = "masks", .counter = "masked_array_cycles", .component = "rf_banks",
     .size = {.kind = SIZE_NANDS, .per = PER_SM, .n = 32 * 16},
     .what = "enables of the arrays of 16 banks, a gate a lane at most", .source = MASKED},
};
// clang-format on

const struct savings_part part_coma = {
    .name = "coma",
    .what = "register rows are read and written in the lanes of active threads only, by divided "
            "word lines or by arrays of few lanes",
    .paper = "dissertation, 5.4",
    .roles = ROLE_ACCESS,
    .counters = {PART_ROWS(counters)},
    .options = {PART_ROWS(options)},
    .lines = {PART_ROWS(lines)},
    .effects = {PART_ROWS(effects)},
    .areas = {PART_ROWS(areas)},
    .check = check,
    .state_bytes = sizeof(struct coma),
    .ports = {.rows = &rows, .count = count},
    .make = make,
};
