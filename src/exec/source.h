// Where an SM's instructions come from, and what they do. exec computes them (exec_computes); a
// trace of machine instructions, or a test, may stand in its place. An SM asks for one instruction
// of a warp at a time and times what it is told:
//
//   of a launch  bytes of a CTA; a CTA that begins: its warps, threads, shared memory
//   of a step    how it ended (enum exec_outcome); in the environment the lanes that executed it,
//                what it accessed, the fault; in the warp where it stands now, its active lanes
//                and, at a barrier, the bar_ fields
//   of a log     what is not seen by other SMs before the quantum is committed
//
// Besides, an SM reads a warp's registers and predicates for techniques that look at values. It
// sets the warp's lane_slot and local_base and the environment's cycle, and nothing else. Launches
// and logs are opaque: only their source looks into them.
//
// The calls go through pointers, one a warp instruction: that costs no measurable time.
#ifndef WW_EXEC_SOURCE_H
#define WW_EXEC_SOURCE_H

#include "exec/exec.h"

struct code_image;
struct diags;
struct exec_launch_args;

struct exec_source {
    // A launch, see exec_launch_create.
    enum ww_status (*launch_create)(const struct code_image *im, struct devmem *m,
                                    const struct exec_launch_args *a, struct diags *d,
                                    struct exec_launch **out);
    void (*launch_destroy)(struct exec_launch *l);
    // A CTA of it in `memory` of so many bytes, see exec_cta_init.
    size_t (*cta_bytes)(const struct exec_launch *l);
    void (*cta_init)(struct exec_cta *c, struct exec_launch *l, void *memory, uint64_t linear_id,
                     uint32_t sm_id);
    // Clusters, see exec_cluster_blocks.
    uint32_t (*cluster_blocks)(const struct exec_launch *l);
    uint64_t (*cluster_cta)(const struct exec_launch *l, uint64_t n);
    void (*cluster_join)(struct exec_cluster *k, struct exec_cta *c, uint32_t rank);
    bool (*cluster_opens)(struct exec_cluster *k);
    // The instruction at w->pc, see exec_step; what a warp gets from a barrier that opens.
    enum exec_outcome (*step)(struct exec_env *e, struct exec_warp *w);
    void (*barrier_release)(struct exec_warp *w, uint32_t value);
    // The policy of L2 that the instruction at w->pc names, see exec_policy.
    uint64_t (*policy)(const struct exec_warp *w);
    // The log of an SM, and the end of a quantum of all SMs, see exec_commit.
    struct exec_log *(*log_create)(void);
    void (*log_destroy)(struct exec_log *log);
    bool (*log_is_empty)(const struct exec_log *log);
    bool (*commit)(struct devmem *m, struct exec_log *const *logs, uint32_t n,
                   struct exec_fault *f);
};
extern const struct exec_source exec_computes;

#endif
