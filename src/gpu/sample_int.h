// What the two halves of sampling share (sample.c: launches; sample_inside.c: blocks of a launch).
#ifndef WW_GPU_SAMPLE_INT_H
#define WW_GPU_SAMPLE_INT_H

#include "activity/sm.h"
#include "gpu/sample.h"

struct code_image;
struct sample {
    // The blocks of the launch that runs: the chip's counts at the begin and end of the stretch that is counted, and sums
    // over stretches that are over, and over what lies between two of them and takes longer than it should.
    struct activity begin, end, counted, between;
    struct sample_group *group;
    struct arena arena;
    uint64_t launches;   // that were asked about, of all groups
    uint64_t silent_at;  // ordinal of the last one that caches have not heard of; 0: none
    bool looks, listens; // groups are being looked at again; caches hear of launches without time
    bool has_estimates; // a launch was computed without time
    double cycles;      // of all launches that were asked about, simulated or estimated
    double variance; // of what is simulated: of gaps inside launches, of launches behind others without time; cycles squared
    double course;   // of them, half of the interval by SAMPLE_COURSE
};

// Half of the interval of the cycles of a launch with gaps that no sample shows, as a part of them: which of many courses it takes.
// hotspot (size paper, gtx480 with 4 SMs), simulated whole with launch latencies of 700 to 811 cycles, takes 517,000 to
// 532,000: a standard deviation of 1.3 %.
#define SAMPLE_COURSE 0.03

// Whether a block can wait for what another one stores.
bool sample_may_wait(const struct code_image *im);
// Blocks, as such by which the chip counted `a` were `blocks`, that leave nothing in L2 of what was there before them, or
// touch it again.
double sample_blocks_to_fill(const struct gpu *g, const struct activity *a, double blocks);
// Of a gap that is about to be computed.
double sample_gap_to_fill(const struct gpu *g, const struct flight *r);
// Student's t, two-sided 95 %, by degrees of freedom.
double sample_student(uint32_t freedom);
// The counters of `x` warp instructions, of which `from` has `of`, added to `a`.
void sample_extrapolate(struct activity *a, const struct activity *from, double of, double x);
// Counts of every instruction, `by` times those of `from`, added.
void sample_grow_instructions(struct sm_inst_counts *to, const struct sm_inst_counts *from,
                              uint32_t n, double by);
void sample_grow_memory(struct sm_inst_memory *to, const struct sm_inst_memory *from, uint32_t n,
                        double by);
// What of a result is known, and what follows from its cycles.
void sample_settle(const struct gpu *g, struct gpu_result *out);

#endif
