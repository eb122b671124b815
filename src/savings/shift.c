// The shift stages of Origami, with their result buffers and detectors of full masks: what folding
// and shifting of threads add to INT and FP pipelines. lanes.c counts their uses.
//
// Their energy is published: 0.64 mW a SIMT lane "every time the logic is activated by issuing a
// warp to one of the SP units", and 0.055 mm2 for an SM of a GTX 480 (two SPs) beside 32.7 mm2 of
// execution units; synthesised in 45 nm. It is taken as published, all 32 lanes for each pass; the
// cycle is the 700 MHz of 4.4.1. Their leakage is not published: assumed to be the units' own, by
// area. Both areas are an SM's: the SM of the sister paper, by the same tool, has 48.1 mm2.
#include "savings/gating.h"
#include "savings/savings_int.h"

enum { // numbers of its own counters, from the first
    OWN_shift_logic_uses,
    OWN_shift_logic_cycles = OWN_shift_logic_uses + 2,
};

// clang-format off
static const struct act_own counters[] = {
    {.at = OWN_shift_logic_uses, .n = 2, .name = "shift_logic_uses",
     .unit = "half-warps", .component = "exu",
     .prose = "INT and FP instructions that went through the shift stages, two of a folded one"},
    {.at = OWN_shift_logic_cycles, .name = "shift_logic_cycles",
     .unit = "SM cycles", .component = "exu",
     .prose = "busy SM cycles with shift stages in the pipelines"},
};
// clang-format on

// clang-format off
static const struct savings_option options[] = {
    {.name = "shift_stages", .value = 2, .high = 100, .unit = "stages",
     .what = "of INT and FP pipelines for shifting and shifting back, folded or not",
     .source = "dissertation, 4.3.4"},
};
// clang-format on
#define SHIFT "dissertation, 4.4.1 and 4.4.5"
// clang-format off
static const struct savings_line lines[] = {
    {.key = "shift_logic", .name = "lanes", .kind = LINE_ADDED, .note = " (shift stages)",
     .what = "shift stages, result buffers, detectors of Origami"},
};
static const struct savings_effect effects[] = {
    {.line = "shift_logic", .counter = "shift_logic_uses", .first = GATE_TYPE_INT,
     .component = "int", .sign = COSTS,
     .price = {.kind = PRICE_JOULES, .joules = 0.64e-3 / 700e6 * 32},
     .why = "a pass through the shift stages of 32 lanes", .source = SHIFT},
    {.line = "shift_logic", .counter = "shift_logic_cycles", .component = "int", .sign = COSTS,
     .price = {.kind = PRICE_LEAK, .per = PER_SM, .share = 0.055 / 32.7},
     .why = "the stages leak as the lanes do, by area", .source = SHIFT},
    {.line = "shift_logic", .counter = "shift_logic_uses", .first = GATE_TYPE_FP, .component = "fp",
     .sign = COSTS, .price = {.kind = PRICE_JOULES, .joules = 0.64e-3 / 700e6 * 32},
     .why = "as INT", .source = SHIFT},
    {.line = "shift_logic", .counter = "shift_logic_cycles", .component = "fp", .sign = COSTS,
     .price = {.kind = PRICE_LEAK, .per = PER_SM, .share = 0.055 / 32.7}, .why = "as INT",
     .source = SHIFT},
};
static const struct savings_area areas[] = {
    {.line = "shift_logic", .counter = "shift_logic_cycles", .component = "int",
     .size = {.kind = SIZE_MUXES, .per = PER_EACH, .n = 4 * 32},
     .what = "three operands and a result of a lane come from one of four", .source = SHIFT,
     .published = "0.055 mm2 an SM"},
    {.line = "shift_logic", .counter = "shift_logic_cycles", .component = "int",
     .size = {.kind = SIZE_FLIPS, .per = PER_EACH, .n = 4 * 32},
     .what = "registers of the two shift stages", .source = SHIFT},
};
// clang-format on

const struct savings_part part_shift = {
    .counters = {PART_ROWS(counters)},
    .options = {PART_ROWS(options)},
    .lines = {PART_ROWS(lines)},
    .effects = {PART_ROWS(effects)},
    .areas = {PART_ROWS(areas)},
};
