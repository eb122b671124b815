// How a product is made: by which kernels, in tiles of which size, k cut into how many parts.
#ifndef WW_LIBRARIES_PLAN_H
#define WW_LIBRARIES_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct blas_handle;
struct gemm;

// By the lanes' own arithmetic, of words or of what is wider (gemm.cu); on tensor cores any sizes and alignment, by warps (tensor.cu),
// or lines that begin at multiples of sixteen bytes: by quad pairs (volta.cu), by asynchronous copies (ampere.cu), by groups of warps
// (hopper.cu), with sums of slices added up in registers (its PROMOTES).
enum way {
    BY_LANES,
    BY_WIDE_LANES,
    BY_WARPS,
    BY_QUADS,
    BY_COPIES,
    BY_GROUPS,
    BY_PROMOTING_GROUPS,
    WAYS
};

struct plan {
    enum way way;
    const char *tile; // in the kernel's name; NULL: there is no plan yet
    uint32_t m, n;    // of D, that a block makes
    uint32_t threads, shared;
    uint32_t splits;
    double cycles; // that the product is expected to take
};

// Puts the best of a way's tiles and numbers of parts in the place of `best` if it is expected to take fewer cycles. `bytes` is the size
// of an element of A and B; with `may_split` unset k stays whole.
__attribute__((visibility("default"))) void plan_consider(struct plan *best,
                                                          const struct blas_handle *h, enum way way,
                                                          size_t bytes, const struct gemm *g,
                                                          uint32_t count, bool may_split);
// Bytes that parts' sums of any plan take on a chip, and counters of tiles.
size_t plan_room(const struct blas_handle *h);
size_t plan_turns(const struct blas_handle *h);

#endif
