// The general memory path: its pieces for textures, system calls and checks.
#ifndef WW_EXEC_MEM_H
#define WW_EXEC_MEM_H

#include "exec/log.h"

enum mem_fn {
    MEM_LOAD,
    MEM_STORE,
    MEM_CONST,
    MEM_ATOMIC,
    MEM_PREFETCH,
    MEM_FENCE,
    MEM_CCTL,
    MEM_CVTA,
    MEM_ISSPACE,
    MEM_CPASYNC,
    MEM_GROUP,
    MEM_LOAD_IF,
    MEM_ATOMIC_IF_GLOBAL,
    MEM_MAPA,
    MEM_STAS
};

struct mem_lanes {
    uint8_t *host[WARP_LANES];
    uint8_t space[WARP_LANES];
    uint32_t global, shared, local; // lanes in each
    uint32_t remote;                // in shared memory of another block of the cluster
};
// Host addresses of the lanes in mask, checked; fills e->access (all but n_dst). `operand` and
// `words` say where the addresses are; x->space and x->offset apply. False: e->fault says why.
bool mem_resolve(struct exec_env *e, struct exec_warp *w, const struct xinst *x, uint32_t mask,
                 uint32_t operand, uint32_t words, uint32_t bytes, bool is_store,
                 struct mem_lanes *out);

// `bytes` bytes that one lane sees at a generic address, own stores included. False: e->fault.
bool mem_read_lane(struct exec_env *e, struct exec_warp *w, const struct xinst *x, uint32_t lane,
                   uint64_t addr, uint32_t bytes, void *out);

// check.c: the optional checks; nothing is done unless the launch asked. x->bytes bytes a lane.
bool check_reads(struct exec_env *e, struct exec_warp *w, const struct xinst *x, uint32_t mask,
                 const struct mem_lanes *r);
bool check_writes(struct exec_env *e, struct exec_warp *w, const struct xinst *x, uint32_t mask,
                  const struct mem_lanes *r);
// Lanes that access global memory, `bytes` bytes each; `data` is what a store writes, 16 bytes a lane, else NULL.
void check_global(struct exec_env *e, struct exec_warp *w, const struct xinst *x, uint32_t lanes, uint32_t bytes,
                  bool is_store, const uint8_t *data);
// The same of what the commit does in shared memory of other blocks of a cluster. False: *f.
void check_remote_written(struct exec_cluster *k, const uint8_t *host, uint32_t bytes);
bool check_remote_read(struct devmem *m, struct exec_warp *w, const struct xinst *x, uint32_t mask,
                       uint8_t *const *host, struct exec_fault *f);
// What a bulk copy of one lane does to shared memory, through the asynchronous proxy.
struct bulk_span {
    uint32_t read_at, write_at, bytes;
    uint32_t barrier; // whose waiters see the copy; UINT32_MAX: none
    bool reads, writes;
};
bool check_bulk(struct exec_env *e, struct exec_warp *w, const struct xinst *x, uint32_t lane,
                const struct bulk_span *s);
void check_proxy_fence(struct exec_warp *w, uint32_t lanes); // fence.proxy.async
size_t check_bytes(const struct exec_launch *l); // shadow of one CTA's shared memory
void check_cta_init(struct exec_cta *c, void *memory);

#endif
