// The configuration of an SM, from the GPU file (config.def).
#ifndef WW_SM_CONFIG_H
#define WW_SM_CONFIG_H

#include "isa/op_class.h"
#include "mem/config.h"
#include "sm/sizes.h"

enum sm_dp_pipe { DP_PIPE_DP, DP_PIPE_INT, DP_PIPE_FP };
enum sm_int_mul_pipe { INT_MUL_PIPE_INT, INT_MUL_PIPE_SFU, INT_MUL_PIPE_FP };
enum sm_fp_cmp_pipe { FP_CMP_PIPE_FP, FP_CMP_PIPE_INT };
enum sm_cvt_pipe { CVT_PIPE_LANES, CVT_PIPE_SFU };
enum sm_dependences { SM_SCOREBOARD, SM_CONTROL };
enum sm_lane_group_at { LANE_GROUP_AT_ISSUE, LANE_GROUP_AT_ENTRY };
enum sm_scheduler_kind {
#define SCHEDULER(id, ...) SCHED_##id,
#include "sm/scheduler.def"
    SCHED_KINDS
};
enum { SCHED_HAS_SET = 1, SCHED_HAS_GROUPS = 2, SCHED_MAY_SHARE = 4 }; // see scheduler.def
struct sm_scheduler_info {
    const char *name;
    uint32_t traits;
    const char *prose, *source;
};
extern const struct sm_scheduler_info sm_scheduler_info[SCHED_KINDS];
static inline bool sm_scheduler_is(uint32_t kind, uint32_t trait) {
    return kind < SCHED_KINDS && (sm_scheduler_info[kind].traits & trait) != 0;
}

// A dependent instruction issues `read_latency + latency + write_latency` cycles after its producer
// when no bank, collector or bus is in the way: that sum is what dependent-chain measurements give.
// For LD/ST and texture classes other than SHFL `latency` is the time before the access begins (0:
// it is part of the caches' and shared memory's latencies). CTRL's latency is the barriers': from
// the issue of the last warp that comes to one until its warps may issue. CTRL's interval, if it is
// more than 1 or with ctrl_on_lanes, is the time that it takes from the INT lanes.
struct class_timing {
#include "base/keys_begin.h"
#define KEYS_timing
#include "sm/config.def"
#undef KEYS_timing
#include "base/keys_end.h"
};

// From the GPU file. "Core cycle" is the scheduler's clock (GTX 480: 700 MHz, half of the hot
// clock; a 16-lane double-clocked group takes a warp instruction a core cycle). Where a chip
// issues a warp over several cycles (GT200: 8 lanes, 4 hot cycles) the intervals say so.
struct sm_config {
#include "base/keys_begin.h"
#define KEYS_sm
#include "sm/config.def"
#undef KEYS_sm
#include "base/keys_end.h"
    // no keys: what tests and owners set
    uint32_t icache_prefetch; // lines behind a missing one that are asked for with it
    double core_clock_mhz;
};

#endif
