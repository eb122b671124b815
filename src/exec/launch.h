// A launch: a kernel with its arguments, decoded for execution.
#ifndef WW_EXEC_LAUNCH_H
#define WW_EXEC_LAUNCH_H

#include "exec/findings.h"

struct code_image;
struct devmem;

// printf, malloc, free: `print` gets device printf output whole, in deterministic order.
struct exec_callbacks {
    void (*print)(void *user, const char *text, size_t len);
    void *user;
};

// A kernel decoded for execution: handlers resolved, immediates and constants laid out as 32-lane
// vectors. Made once a launch (constants depend on it).
struct exec_launch_args {
    uint32_t grid[3], block[3];
    uint32_t cluster[3]; // blocks of a cluster, which divide the grid; 0: no clusters
    uint32_t dynamic_shared;
    const void *params;     // image->param_bytes bytes
    uint64_t const_segment; // device address of the module's c[3], 0 none
    uint64_t const_bytes;
    uint32_t max_warps_hint;
    struct exec_options options;
    const struct exec_callbacks *callbacks;
    uint32_t sm_count; // %nsmid
    uint64_t grid_id;
    double clock_hz; // for %globaltimer
    uint32_t clock_ticks; // of %clock in a cycle: 2 where the shader clock is twice the core's
                          // (Fermi and before); 0: 1
    uint32_t envreg[32];
};
struct exec_launch;
enum ww_status exec_launch_create(const struct code_image *im, struct devmem *m,
                                  const struct exec_launch_args *a, struct diags *d,
                                  struct exec_launch **out);
void exec_launch_destroy(struct exec_launch *l);

#endif
