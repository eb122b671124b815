// Issue slots that were lost to each instruction, by windows of a launch: which lines of the source were waited
// for when.
//
// Windows end where intervals end. Adding up the counts of all SMs costs some ten nanoseconds a machine instruction
// and SM, simulating a busy SM for a cycle some thousand (`run -o` of hotspot, Zen 4): a window holds at least
// WAITS_CYCLES cycles an instruction, so that adding up costs less than a hundredth of a launch that keeps the SMs
// busy. Of WAITS_WINDOWS windows two each are made one.
#ifndef WW_GPU_WAITS_H
#define WW_GPU_WAITS_H

#include "gpu/result.h"

enum { WAITS_WINDOWS = 32, WAITS_CYCLES = 2 };

struct flight;
struct waits; // of a flight, in its arena

// A launch begins whose windows hold at least `cycles`. NULL: out of memory, or an image without instructions.
struct waits *waits_begin(struct flight *r, uint64_t cycles);
// The counters of all SMs are complete up to `cycle` of the launch. Nothing while the window is not full.
void waits_look(struct gpu *g, struct flight *r, uint64_t cycle);
// The launch has ended; `counts` are those of its instructions. Fills in r->result.waits.
void waits_end(struct flight *r, const struct sm_inst_counts *counts);

#endif
