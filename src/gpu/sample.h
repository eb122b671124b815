// Sampling: of launches that are alike only some are simulated cycle by cycle, and of a grid of many waves only stretches;
// the rest is computed without time, with the same results, and gets an estimate with an interval.
//
// The estimate of both is a ratio: cycles for each warp instruction. What is computed without time has its instructions
// counted, so a launch of another size, or blocks with more work, cost more. The interval is Student's, of 95 %, from how
// the ratio varies between what was simulated. All counters grow by the same ratio, so that energies follow. What is
// computed without time in front of what is simulated leaves L2 and TLBs as if it had been simulated too (sample_heard_from,
// mem/warm.c), and its code where its like left it; L1 begins empty in each launch.
//
// - Launches (sample.c): alike are those of one kernel with the same block and dynamic shared memory, grids about as large,
//   and about as much work. The first finds cold caches and is no sample; the next ones are simulated until the interval
//   of their line is narrow enough for the part of all cycles that they are, later ones at ordinals 16, 32, 64 ... or 16, 64, 256 ... again.
// - Blocks (sample_inside.c): stretches of a few waves all along a grid. A wave is as many blocks as the chip holds.
//
// Cooperative launches are simulated whole, and launches of clusters inside. So is what runs beside another kernel, or could: an estimate says
// nothing of how two would share the chip. The totals count these launches.
//
// Compared with: Principal Kernel Analysis (MICRO 2021: launches in clusters, inside them until the rate is steady), Sieve
// (ISPASS 2023: by kernel and instruction counts), TBPoint (IPDPS 2014: inside a launch), STEM (HPCA 2025: errors from the
// spread). Those need a profile first; this decides while the program runs, as its results cannot be had twice.
#ifndef WW_GPU_SAMPLE_H
#define WW_GPU_SAMPLE_H

#include "gpu/device.h"

void sample_destroy(struct gpu *g);
// Blocks [first, end) of a run are about to be computed without time: from which of them on caches hear what blocks touch.
uint64_t sample_heard_from(struct gpu *g, const struct flight *r, uint64_t first, uint64_t end);
// A module is unloaded: another's kernels, which may come to lie in its place, are not like its own.
void sample_forget(struct gpu *g, const struct gpu_module *m);
// Whether a launch that is about to start is simulated in time. Always without sampling.
bool sample_times(struct gpu *g, const struct order *o);

// Of a run that is simulated: it begins; a quantum has gone by, which may end its dispatch (flight.last_cta) or, when the
// chip is empty, compute the blocks of a gap, whose fault is the answer; whether it has or will have gaps.
void sample_begin(struct gpu *g, struct flight *r);
enum ww_status sample_quantum(struct gpu *g, struct flight *r);
bool sample_has_gaps(const struct flight *r);
// It has ended: what its gaps would have taken is added to the result. Answers by how many cycles that is more, or less,
// than were simulated.
int64_t sample_rest(struct gpu *g, struct flight *r);
// What it took is learned; the result is whole.
void sample_learn(struct gpu *g, const struct flight *r);

// The result of a run that was computed without time, as its like would have taken; answers the cycles.
uint64_t sample_estimate(struct gpu *g, struct flight *r);

// Half of the interval of all cycles that were estimated so far.
double sample_half_cycles(const struct gpu *g);

#endif
