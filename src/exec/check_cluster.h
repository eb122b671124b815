// The race check between blocks of a cluster (check_cluster.c). Nothing is done unless the launch has clusters and
// asked for that check.
#ifndef WW_EXEC_CHECK_CLUSTER_H
#define WW_EXEC_CHECK_CLUSTER_H

#include "exec/cluster.h"

struct exec_shared_check;

size_t check_cluster_bytes(const struct exec_launch *l); // of a block
void check_cluster_init(struct exec_shared_check *c, const struct exec_launch *l, void *memory);
// A lane's access of its own block's memory, of another block's at `host`. False: a finding that ends the launch.
bool check_cluster_own(struct exec_env *e, struct exec_warp *w, const struct xinst *x, uint32_t lane, uint64_t first,
                       uint32_t bytes, bool writes, bool strong);
bool check_cluster_other(struct exec_env *e, struct exec_warp *w, const struct xinst *x, uint32_t lane,
                         const uint8_t *host, bool writes, bool strong);
// The block looks at something that may synchronise; a phase of the cluster's barrier is over.
void check_cluster_hear(struct exec_cta *c);
void check_cluster_meet(struct exec_cluster *k);

#endif
