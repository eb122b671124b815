// What the GPU of this process has spent so far, for programs that ask while they run (NVML). It is the account's own model
// on the counters since the start (report/account.h): the answer after the last launch is the energy of the run.
#ifndef WW_PROCESS_ENERGY_H
#define WW_PROCESS_ENERGY_H

#include "base/base.h"

struct process_energy {
    double seconds; // of simulated time since the start
    double kernel_s,
        dram_s; // of it: a kernel ran; memory's buses were busy, were they used one after the other
    double joules; // of all of it, gaps between kernels included
    double idle_w; // of a chip that waits
};
// With the lock held (process.h). A GPU that is not open has spent nothing. False: there is no power model of it.
bool process_energy(struct process_energy *out);
void process_energy_forget(void); // the GPU goes
// Bytes of device memory that copies wrote and read since the start (process.c counts them).
struct process_copied {
    double writes, reads;
};
struct process_copied process_copied(void);

#endif
