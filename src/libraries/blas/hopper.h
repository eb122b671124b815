// What the kernels of hopper.cu are handed. Read by C and by CUDA C: the layouts are alike.
#ifndef WW_LIBRARIES_HOPPER_H
#define WW_LIBRARIES_HOPPER_H

#include "gemm.h"

enum {
    HOPPER_N = 128,    // columns of D that a block makes; rows are 256 or 128
    HOPPER_DEEP = 128, // bytes along k of a slice, and along l of a box where l lies together
    HOPPER_STAGES = 4,
    HOPPER_PAIR = 2,     // blocks that share a slice of op(A)
    HOPPER_PARTS = 4,    // of k at most: clusters have eight blocks
    HOPPER_THREADS = 384 // a group of warps that brings, two that multiply
};
#define HOPPER_STAGE(m) (HOPPER_DEEP * ((m) + HOPPER_N)) // bytes of the slices of both matrices
// Slices begin at multiples of 1,024 bytes; barriers follow them.
#define HOPPER_SHARED(m) (HOPPER_STAGES * HOPPER_STAGE(m) + 1024 + 128)

struct hopper_gemm {
    _Alignas(64) uint64_t map_a[16]; // CUtensorMap of A and of B: along their lines, across them, along the batch
    uint64_t map_b[16];
    struct gemm g;
    uint32_t batch_a, batch_b; // 1, or 0 where all products of a batch have the same matrix
};

// A matrix of words whose lines run along l, written down with lines along k (turn_lines): `lead` elements from one k to the next,
// `turned_lead`, a multiple of four, from one l to the next. Steps lead to the next of a batch.
enum { HOPPER_TURN = 64, HOPPER_TURN_THREADS = 256 }; // l and k of a block's square
struct hopper_turn {
    uint64_t from, to;
    int64_t lead, turned_lead, step, turned_step;
    int32_t along_l, along_k;
};

#endif
