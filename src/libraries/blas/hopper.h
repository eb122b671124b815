// What the kernels of hopper.cu are handed. Read by C and by CUDA C: the layouts are alike.
#ifndef WW_LIBRARIES_HOPPER_H
#define WW_LIBRARIES_HOPPER_H

#include "gemm.h"

enum {
    HOPPER_M = 256, // of D, that a block makes
    HOPPER_N = 128,
    HOPPER_DEEP = 128,   // bytes along k of a slice, and along l of a box where l lies together
    HOPPER_BOX = 128,    // lines of a box where k lies together
    HOPPER_STAGES = 4,
    HOPPER_STAGE = HOPPER_DEEP * (HOPPER_M + HOPPER_N),
    HOPPER_CLUSTER = 2,  // blocks that share a slice of op(A)
    HOPPER_THREADS = 384 // a group of warps that brings, two that multiply
};
// Slices begin at multiples of 1,024 bytes; barriers follow them.
enum { HOPPER_SHARED = HOPPER_STAGES * HOPPER_STAGE + 1024 + 128 };

struct hopper_gemm {
    _Alignas(64) uint64_t map_a[16]; // CUtensorMap of A and of B: along their lines, across them, along the batch
    uint64_t map_b[16];
    struct gemm g;
    uint32_t batch_a, batch_b; // 1, or 0 where all products of a batch have the same matrix
};

#endif
