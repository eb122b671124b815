// Names of the values of keys that are choices, in the order of their enums.
#ifndef WW_CONFIG_NAMES_H
#define WW_CONFIG_NAMES_H

#include <assert.h>

#include "gpu/fields.h"

static const char *const gen_names[] = {
#define GENERATION(id, name, ...) name,
#include "isa/generation.def"
};
static const char *const dp_pipe_names[] = {"dp", "int", "fp"};
static const char *const int_mul_pipe_names[] = {"int", "sfu", "fp"};
static const char *const fp_cmp_pipe_names[] = {"fp", "int"};
static const char *const cvt_pipe_names[] = {"lanes", "sfu"};
static const char *const lane_group_at_names[] = {"issue", "entry"};
static_assert(LANE_GROUP_AT_ISSUE == 0 && LANE_GROUP_AT_ENTRY == 1, "order of sm_lane_group_at");
static const char *const dependences_names[] = {"scoreboard", "control"};
static_assert(SM_SCOREBOARD == 0 && SM_CONTROL == 1, "order of sm_dependences");
static const char *const scheduler_names[] = {
#define SCHEDULER(id, name, ...) #name,
#include "sm/scheduler.def"
};
static const char *const coalesce_names[] = {"tesla10", "tesla12", "line128", "sector32",
                                             "line128_warp", "sector32_warp"};
static_assert(COALESCE_TESLA10 == 0 && COALESCE_SECTOR32_WARP == 5, "order of coalesce_kind");
static const char *const net_names[] = {"crossbar", "mesh"};
static_assert(NET_CROSSBAR == 0 && NET_MESH == 1, "order of net_kind");
static const char *const dram_names[] = {
#define DRAM_KIND(id, name, ...) name,
#include "mem/dram_kind.def"
#undef DRAM_KIND
};
static const char *const device_names[] = {"hp", "lstp", "lop"};
static_assert(GPU_DEVICE_HP == 0 && GPU_DEVICE_LOP == 2, "order of gpu_device");

#endif
