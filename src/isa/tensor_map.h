// Maps of tensors (CUtensorMap): 128 bytes that say how a tensor lies in global memory and which box
// of it one instruction copies.
//
// The object is opaque to programs. Where ptxas 12.9 makes loads and stores of tensormap.replace (sm_90a)
// its fields lie where that code has them; the others, marked "ours", lie where that code touches nothing.
//
//   word 0, 1    global address
//   word 2       4..6 rank - 1, 7..10 and 16 element type, 11..12 interleave, 13..14 swizzle,
//                15 out of bounds is NaN; ours: 24 im2col, 25..26 L2 promotion
//   word 3..6    global strides of dimensions 1 to 4, in units of 16 bytes, bits 0..31
//   word 7       bits 32..35 of those, four bits each from bit 0
//   word 8..12   global dimensions - 1
//   word 13      0..14 element strides - 1, three bits each; 24..31 box dimension 0 - 1
//   word 14      box dimensions 1 to 4, each - 1, a byte each
//   word 15..17  ours: of im2col the lower and then the upper corner, 16 bits each, W first
//   word 18      ours: of im2col pixels of a column
#ifndef WW_ISA_TENSOR_MAP_H
#define WW_ISA_TENSOR_MAP_H

#include "base/base.h"

enum {
    TENSOR_RANK = 5, // at most
    TENSOR_MAP_WORDS = 32,
    TENSOR_MAP_BYTES = 4 * TENSOR_MAP_WORDS,
    TENSOR_CORNERS = TENSOR_RANK - 2, // dimensions between channels and images
    TENSOR_BOX = 256,                 // most elements of a box along a dimension
    TENSOR_STEP = 8,                  // largest element stride
    TENSOR_COLUMN = 1024              // most pixels of a column of im2col
};

// Types of elements, by the number that tensormap.replace.elemtype has (PTX ISA 9.0, table of
// tensormap.replace): X(name, bytes, is_float)
#define TENSOR_TYPES(X)                                                                            \
    X(u8, 1, false)                                                                                \
    X(u16, 2, false)                                                                               \
    X(u32, 4, false)                                                                               \
    X(s32, 4, false)                                                                               \
    X(u64, 8, false)                                                                               \
    X(s64, 8, false)                                                                               \
    X(f16, 2, true)                                                                                \
    X(f32, 4, true)                                                                                \
    X(f32_ftz, 4, true)                                                                            \
    X(f64, 8, true)                                                                                \
    X(bf16, 2, true)                                                                               \
    X(tf32, 4, true)                                                                               \
    X(tf32_ftz, 4, true)
enum tensor_type {
#define X(name, bytes, is_float) TENSOR_##name,
    TENSOR_TYPES(X)
#undef X
        TENSOR_TYPE_N
};
enum tensor_interleave { TENSOR_PLAIN, TENSOR_SLICES_16, TENSOR_SLICES_32 };
enum tensor_swizzle {
    TENSOR_SWIZZLE_NONE,
    TENSOR_SWIZZLE_32,
    TENSOR_SWIZZLE_64,
    TENSOR_SWIZZLE_128
};
struct tensor_map {
    uint64_t address;
    uint64_t stride[TENSOR_RANK]; // bytes from one element to the next; [0] the size of one
    uint64_t dim[TENSOR_RANK];    // elements, 1 where the rank is less
    uint32_t box[TENSOR_RANK];    // elements that are traversed (im2col: [0] channels of a pixel)
    uint32_t step[TENSOR_RANK];   // of which each step-th is copied
    int32_t lower[TENSOR_CORNERS], upper[TENSOR_CORNERS]; // im2col: corners, W first
    uint32_t column;                                      // im2col: pixels
    uint8_t rank, type, interleave, swizzle, promotion;
    bool is_im2col, nan_fill;
};

static inline uint32_t tensor_type_bytes(enum tensor_type t) {
    static const uint8_t bytes[TENSOR_TYPE_N] = {
#define X(name, bytes, is_float) bytes,
        TENSOR_TYPES(X)
#undef X
    };
    return bytes[t];
}
static inline bool tensor_type_is_float(enum tensor_type t) {
    static const bool is_float[TENSOR_TYPE_N] = {
#define X(name, bytes, is_float) is_float,
        TENSOR_TYPES(X)
#undef X
    };
    return is_float[t];
}

// The 128 bytes of a map; every field must fit its place (cuTensorMapEncode checks).
void tensor_map_write(const struct tensor_map *m, uint32_t word[TENSOR_MAP_WORDS]);
// Reads a map. What is wrong with it, in one phrase; NULL: nothing.
const char *tensor_map_read(const uint32_t word[TENSOR_MAP_WORDS], struct tensor_map *m);
// Elements that are copied along a dimension (the driver API's rule, ceil(box / step)).
static inline uint32_t tensor_count(const struct tensor_map *m, uint32_t i) {
    return (m->box[i] + m->step[i] - 1) / m->step[i];
}
// Bytes that one copy writes to or reads from shared memory.
uint64_t tensor_map_box_bytes(const struct tensor_map *m);
// Where in shared memory the byte at `at` of a box really lies: with a swizzle of 2^n times 16 bytes
// bits 4.. of its address are exchanged by exclusive or with bits 7.. (PTX ISA 9.0, swizzling modes).
static inline uint32_t tensor_swizzled(enum tensor_swizzle s, uint32_t at) {
    const uint32_t mask = (1u << (uint32_t)s) - 1;
    return at ^ ((at >> 7 & mask) << 4);
}

#endif
