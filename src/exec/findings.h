// What executing checks beyond what always faults, and what the checks found.
#ifndef WW_EXEC_FINDINGS_H
#define WW_EXEC_FINDINGS_H

#include "base/base.h"

struct exec_options {
    bool check_uninitialised; // report reads of shared and global bytes never written
    bool check_races;         // report races of a block in shared memory, of blocks in global memory
    bool check_bounds;        // keep allocations apart, so that one past the end is found out
    bool open_pages;          // no fault beside an allocation in its page of 2 MB (devmem_open_pages)
    bool check_sync;          // report barriers that only part of a warp's lanes reach, and shfl.sync
                              // from lanes outside the member mask
    bool check_control;       // report control bits that let an operand be read before it is there
    bool check_leaks;         // report what the program has not freed at its end (gpu_leaks)
    struct exec_findings *findings; // what the checks find, without end; NULL: the first is a fault
};

// What the checks find: each place once, with its first occurrence in order of launch, block, warp,
// lane, so that the number of host threads changes nothing. Safe from several threads.
struct exec_findings *exec_findings_create(void); // NULL: out of memory
void exec_findings_destroy(struct exec_findings *f);
// Writes down what was found in a kernel's code without running it; a place that is known is not
// written again.
void exec_findings_add(struct exec_findings *f, const char *kernel, uint32_t pc, const char *text);
// Places; `times` gets how often the i-th came (a lane each time), answers its sentence.
uint32_t exec_findings_count(const struct exec_findings *f);
const char *exec_findings_at(struct exec_findings *f, uint32_t i, uint64_t *times);

#endif
