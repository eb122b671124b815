// Textures and surfaces: what tex.c and surf.c share.
#ifndef WW_EXEC_TEX_H
#define WW_EXEC_TEX_H

#include "exec/mem.h"

enum tex_fn { TEX_SAMPLE, TEX_GATHER, TEX_QUERY, TEX_SULD, TEX_SUST, TEX_SURED,
              TEX_SAMPLE_PARTS, TEX_GATHER_PARTS };

static inline uint32_t texel_bytes(const struct exec_texture *t) {
    return t->channels * t->channel_bits / 8u;
}
// The handle of operand `at` (one, two or four words; four: texture, then sampler).
static inline uint64_t texture_handle(const struct exec_warp *w, const struct xinst *x,
                                      uint32_t words, uint32_t lane) {
    const uint32_t *p = x_src(w, x->a);
    return words >= 2 ? x_get64(p, lane) : p[lane];
}
const struct exec_texture *texture_or_fault(struct exec_env *e, struct exec_warp *w,
                                            const struct xinst *x, uint64_t handle, uint32_t lane);

// surf.c
enum exec_outcome surf_load(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
                            uint32_t mask);
enum exec_outcome surf_store(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
                             uint32_t mask);
enum exec_outcome surf_reduce(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
                              uint32_t mask);

#endif
