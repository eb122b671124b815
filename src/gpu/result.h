// What came out of launches.
#ifndef WW_GPU_RESULT_H
#define WW_GPU_RESULT_H

#include "activity/activity.h"
#include "exec/fault.h"
#include "sm/result.h"
#include "sm/watch.h"

struct code_image;
struct gpu;

struct gpu_interval {
    uint64_t from, to; // core cycles since the launch began
    struct activity activity; // of these cycles, whole chip
};

// Of a result that was not simulated whole: the interval of 95 % is cycles +- half_cycles (sample.h).
struct gpu_estimate {
    bool is;
    uint64_t ctas_timed; // blocks that were simulated, 0: none
    double half_cycles;
};

// The warps of an SM in cycles [from, to) of a launch (sm/watch.h).
struct gpu_watch {
    uint32_t sm;
    uint64_t from, to;
};

// Issue slots lost to instructions by windows of a launch (waits.h): `to` are the cycles at which windows end; a
// window and instruction that lost none to a reason (enum stall_reason) has no row.
struct gpu_wait {
    uint32_t window, pc, reason;
    uint64_t slots;
};
struct gpu_waits {
    const uint64_t *to;
    uint32_t n_windows, n;
    const struct gpu_wait *at; // [n] by window, instruction, reason
};

struct gpu_result {
    uint32_t stream; // number of the stream it came from, 0: the default one
    uint64_t id, tag; // tag: gpu_options.tag's answer when it was queued
    const char *kernel, *module;
    uint32_t grid[3], block[3];
    uint32_t dynamic_shared;
    const struct code_image *image;
    enum ww_status status; // WW_OK, or why it is partial
    const char *text;      // sentence when it is not OK, else NULL
    struct exec_fault fault;   // kind FAULT_NONE when there is none
    bool functional;       // no time: cycles and timing counts are 0
    uint32_t overlapped; // other launches that ran beside it for a while: their activity is in ours
    uint64_t start_cycle, end_cycle; // device time
    uint64_t cycles;       // end - start
    double start_s, seconds;
    struct gpu_estimate estimate;
    uint64_t warp_instructions, thread_instructions;
    uint64_t ctas, ctas_done;
    struct sm_occupancy occupancy;   // possible
    double achieved_warps;           // resident warps, mean over busy SM cycles
    struct activity activity;        // whole chip: SMs + partitions; ACT_cycles = cycles
    const struct activity *sm;       // [n_sms]
    uint32_t n_sms;
    const struct activity *partition; // [n_partitions]
    uint32_t n_partitions;
    const struct gpu_interval *interval;
    uint32_t n_intervals;
    // Warps that were watched (gpu_options.watch), cycles as those of the device: what each did. NULL:
    // this launch was not watched. Lives as long as the GPU.
    const struct sm_watch *watched;
    struct gpu_watch watch; // where
    const struct sm_inst_counts *inst; // [image->n_insts], summed over SMs; NULL when not counted
    const struct sm_inst_memory *inst_memory; // what they asked of memory; NULL like `inst`
    struct gpu_waits waits; // of `inst`; no windows: not counted, or the result was kept
    double host_seconds;   // what simulating it took
};
uint32_t gpu_result_count(const struct gpu *g);                       // with keep_results
const struct gpu_result *gpu_result_at(const struct gpu *g, uint32_t i); // in order of completion
void gpu_results_clear(struct gpu *g);

// Everything since gpu_create, overlaps counted once. Idle cycles between launches are in `cycles`
// of the totals, not in its activity.
struct gpu_totals {
    double estimate_half_cycles; // of kernel_cycles, 95 %; 0: nothing was estimated
    double sampling_error;       // that was asked for; 0: nothing is sampled
    // Launches that were estimated, whole or in part; that ran beside others and were simulated whole for that.
    uint64_t launches_estimated, launches_beside;
    uint64_t launches, cycles, kernel_cycles, warp_instructions, thread_instructions;
    uint64_t copies, copied_bytes;
    double seconds, kernel_seconds, copy_seconds;
    struct activity activity;
};
void gpu_totals(const struct gpu *g, struct gpu_totals *out);

#endif
