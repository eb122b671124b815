// The ranges that a program names (NVTX), and which of them are open when it asks the GPU for work.
//
// A thread opens and closes ranges like brackets (push, pop); a range of the other kind may be closed by any thread (start,
// end). Work belongs to all ranges that are open for the thread that asks for it: those that it pushed, those that were
// started, and those that the program's first thread pushed. The last rule is for libraries that have threads of their own
// work while the first one waits, as PyTorch does for the backward pass. The ranges are levels, in the order in which they
// were opened.
//
// A mark is such a list of open ranges; a range that is opened again makes other marks. A node is the list's names, so the
// rounds of a loop share their nodes. Marks tell the timeline where a range ends, nodes are what the account adds up by.
//
// Any thread may call. Names are kept until the process ends.
#ifndef WW_PROCESS_RANGE_H
#define WW_PROCESS_RANGE_H

#include "base/base.h"

enum {
    RANGE_LEVELS = 32,  // deeper ones belong to the last of these
    RANGE_NODES = 65536 // later ones belong to their parents
};

// `domain` NULL: the default one. Domains have stacks of their own. Answers the level, from 0.
int range_push(const char *domain, const char *name);
int range_pop(
    const char *domain); // the level that was closed; -2 (NVTX_NO_PUSH_POP_TRACKING): there is none
uint64_t range_start(const char *domain, const char *name); // from 1
void range_end(uint64_t id);

uint32_t range_mark(void);             // of the calling thread, now; 0: no range is open
uint32_t range_node_of(uint32_t mark); // 0: none

struct range_node {
    uint32_t parent;  // 0: none
    const char *name; // with the domain before it, "domain: name"
    const char *path; // the names of its levels, `/` between
    uint64_t times;   // ranges of it that had work
};
uint32_t range_nodes(void); // nodes are numbered from 1 to this, parents first
struct range_node range_node(uint32_t node);
// The marks of a mark's levels, outermost first. Answers how many.
uint32_t range_levels_of(uint32_t mark, uint32_t level[RANGE_LEVELS]);

void range_before_fork(void);
void range_after_fork(bool is_child); // a child begins without ranges

#endif
