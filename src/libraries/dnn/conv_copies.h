// Convolutions in two directions of space as products by asynchronous copies (conv_copies.cu). Tensors lie with channels together, so
// that a copy brings sixteen bytes of them. Read by C and by CUDA C: the layouts are alike.
//
//              rows m                      columns n         k                         A             B             D
//   forward    filter                      place of y        filter's place, channel   w             x, gathered   y
//   data       channel                     place of x        filter's place, filter    w turned      dy, gathered  dx
//   filter     filter's place and channel  filter            place of y                x, gathered   dy            dw
#ifndef WW_LIBRARIES_CONV_COPIES_H
#define WW_LIBRARIES_CONV_COPIES_H

#include "../blas/gemm.h"
#include "divisor.h"

// Where elements of the gathered tensor lie. Of a place (h, w) of the other one and (r, s) of the filter:
// (h mul + add + r step) / down, if that is whole and in 0...limit, and likewise of w and s.
struct conv_gather {
    int32_t image, row, column; // elements from one to the next
    int32_t mul[2], add[2], step[2], limit[2];
    struct divisor down[2];
    struct divisor size[2];          // h and w of the other tensor
    struct divisor channels, across; // elements of a place of the filter; its places in a row
};
// Elements of a tensor from one to the next.
struct conv_steps {
    int64_t image, channel, row, column;
};
struct conv_copies {
    struct gemm g; // of which b (by the filter: a) is the gathered tensor; a product for each group of channels
    struct conv_gather of;
    uint32_t is_loose;      // bool: elements of C and D lie by the steps below, g has no lines of them
    struct conv_steps c, d; // rows of D are channels, columns its places
};

// A tensor of images whose planes lie together (rows and columns of each channel), into pieces as below: squares of places and channels
// go through shared memory.
enum { CONV_TURN_PLACES = 64, CONV_TURN_BYTES = 128, CONV_TURN_THREADS = 256 }; // of a square: places, channels' bytes
struct conv_turn {
    uint64_t loose, packed;
    int32_t places, channels;   // of a plane; of a group
    struct divisor squares;     // of a plane; blocks along x are these of each image
    int64_t image, channel, packed_image, packed_place; // elements from one to the next
    int64_t group, packed_group; // blocks along z
};

// A tensor of images, or of filters, into pieces of sixteen bytes of neighbouring channels (conv_pack), what lacks to whole ones zeros,
// or out of these (conv_unpack): steps in elements of images, channels, rows and columns.
struct conv_order {
    uint64_t loose, packed;
    int32_t images, channels;
    struct divisor pieces, rows, columns; // of channels; of an image
    int64_t step[4], packed_step[4];
    int64_t group, packed_group; // from one group of channels to the next, each a block along z
};

#endif
