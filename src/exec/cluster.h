// Blocks of a cluster: addresses in each other's shared memory, and the barrier of all.
//
// Addresses. A 32-bit address of shared memory has the offset in its low 24 bits and above them which
// block is meant: in machine code of real compilers its rank in the cluster, also in a block's own
// addresses; in code of ours 0 for the own block and its rank plus one otherwise (MAPA). Generic
// addresses of another block's shared memory lie in a window of 4 GB, EXEC_CLUSTER_WINDOW, with the
// rank as it is. Real compilers' code puts its own block's there too (SR_SWINHI).
//
// Order. With time, an access of another block's memory acts like one of global memory: its stores
// and atomics are logged and take effect at the end of the quantum, and its loads read then, since
// the other block's SM runs beside this one. Without time the blocks of a cluster take turns on one
// thread, and everything takes effect at once (exec_env.remote_waits).
//
// The barrier. A thread comes to it once a phase, and waits for the phase's end later. Threads that
// have ended count as having come (PTX ISA, barrier.cluster). A warp that waits is released by
// exec_barrier_release, its barrier being EXEC_CLUSTER_BARRIER.
#ifndef WW_EXEC_CLUSTER_H
#define WW_EXEC_CLUSTER_H

#include "exec/exec_int.h"

enum { CLUSTER_RANK_AT = 24, CLUSTER_OFFSET = (1 << CLUSTER_RANK_AT) - 1 };

// The lanes come to the barrier of their cluster; they end.
void cluster_arrive(struct exec_warp *w, uint32_t lanes);
void cluster_exit(struct exec_warp *w, uint32_t lanes);

// Whose shared memory a 32-bit address is in: a rank, which the cluster may not have.
static inline uint32_t cluster_rank_of(const struct exec_cta *c, uint32_t address) {
    const uint32_t block = address >> CLUSTER_RANK_AT;
    if (c->launch->im->is_machine_code) return block;
    return block ? block - 1 : c->rank;
}
// The address in block `rank` that has this offset.
static inline uint32_t cluster_address(const struct exec_cta *c, uint32_t rank, uint32_t offset) {
    const uint32_t block = c->launch->im->is_machine_code ? rank : rank + 1;
    return block << CLUSTER_RANK_AT | (offset & CLUSTER_OFFSET);
}
// Block `rank` of the cluster; NULL: there is none.
static inline struct exec_cta *cluster_block(struct exec_cta *c, uint32_t rank) {
    if (rank == c->rank) return c;
    return c->cluster && rank < c->cluster->n ? c->cluster->cta[rank] : NULL;
}

#endif
