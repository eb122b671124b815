// sad: sums of absolute differences for the motion search of an H.264 encoder. Every 4x4 block of
// the frame is compared with the reference frame at 33x33 displacements; the sums of larger blocks,
// from 8x4 up to the macroblock of 16x16, are added up from those.
//
// In the first kernel 61 threads have a 4x4 block, 18 displacements each, three side by side at a
// time, which share 24 pixels of the reference. Sums are 16 bits wide and gathered in shared
// memory, to be written eight bytes at once. The others add two sums packed in a word: 16 x 16 x
// 255 is still below 2^16. The reference is a texture whose edges clamp.
//
// Sums lie by shape (in the order below), macroblock, block in it and displacement.
#include "device.h"

#define RANGE     16
#define SIDE      (2 * RANGE + 1)
#define POSITIONS (SIDE * SIDE)
#define STRIDE    1096 // of a block's sums, POSITIONS and seven zeros
#define THREADS   61
#define EACH      18 // displacements of a thread

// Where a shape's sums start, in blocks of a macroblock; times the number of macroblocks.
#define AT_16X16 0
#define AT_16X8  1
#define AT_8X16  3
#define AT_8X8   5
#define AT_8X4   9
#define AT_4X8   17
#define AT_4X4   25

TEXTURE(reference);
DEVICE_FN unsigned distance(int a, int b) { return (unsigned)(a < b ? b - a : a - b); }

extern "C" __global__ void mb_sad_calc(uint16_t *sums, const uint16_t *frame, int width) {
    __shared__ uint16_t block[16];
    DYNAMIC_SHARED(uint2, staged);
    uint16_t *mine = (uint16_t *)staged;
    const int t = (int)threadIdx.x, left = 4 * (int)blockIdx.x, top = 4 * (int)blockIdx.y;

    if (t < 16) block[t] = frame[(top + t / 4) * width + left + t % 4];
    __syncthreads();
    for (int k = 0; k < EACH; k += 3) {
        const int at = t * EACH + k;
        unsigned s0 = 0, s1 = 0, s2 = 0;
        if (at < POSITIONS) {
            const int x = left + at % SIDE - RANGE, y = top + at / SIDE - RANGE;
#pragma unroll
            for (int r = 0; r < 4; r++) {
#pragma unroll
                for (int c = 0; c < 6; c++) {
                    const int pixel = (int)tex_2d_u32(reference, x + c, y + r).x;
                    if (c < 4) s0 += distance(block[4 * r + c], pixel);
                    if (c > 0 && c < 5) s1 += distance(block[4 * r + c - 1], pixel);
                    if (c > 1) s2 += distance(block[4 * r + c - 2], pixel);
                }
            }
        }
        if (at < STRIDE) mine[at] = (uint16_t)s0;
        if (at + 1 < STRIDE) mine[at + 1] = (uint16_t)s1;
        if (at + 2 < STRIDE) mine[at + 2] = (uint16_t)s2;
    }
    __syncthreads();

    const int across = (int)gridDim.x / 4, count = across * ((int)gridDim.y / 4);
    const int macroblock = (int)(blockIdx.y / 4) * across + (int)(blockIdx.x / 4);
    const int within = (int)(blockIdx.y % 4 * 4 + blockIdx.x % 4);
    uint2 *out = (uint2 *)(sums + (AT_4X4 * count + 16 * macroblock + within) * STRIDE);
#ifdef WW_VOLTA // one warp alone writes, as the counts of the measured program say
    if (t < 32)
        for (int i = t; i < STRIDE / 4; i += 32) out[i] = staged[i];
#else
    for (int i = t; i < STRIDE / 4; i += THREADS) out[i] = staged[i];
#endif
}

// A block's sums, two in a word.
DEVICE_FN unsigned *sums_at(uint16_t *sums, int start, int blocks, int within) {
    const int count = (int)(gridDim.x * gridDim.y);
    const int macroblock = (int)(blockIdx.y * gridDim.x + blockIdx.x);
    return (unsigned *)(sums + (start * count + blocks * macroblock + within) * STRIDE);
}

// Four rows of threads, a quarter of the macroblock each.
extern "C" __global__ void larger_sad_calc_8(uint16_t *sums) {
    const int quarter = (int)threadIdx.y;
    const int first = quarter / 2 * 8 + quarter % 2 * 2; // its 4x4 block at the upper left
    const unsigned *in = sums_at(sums, AT_4X4, 16, first);
    const unsigned *below = sums_at(sums, AT_4X4, 16, first + 4);
    unsigned *wide = sums_at(sums, AT_8X4, 8, 2 * quarter);
    unsigned *tall = sums_at(sums, AT_4X8, 8, 2 * quarter);
    unsigned *whole = sums_at(sums, AT_8X8, 4, quarter);
    for (int i = (int)threadIdx.x; i < (POSITIONS + 1) / 2; i += 32) {
        const unsigned a = in[i], b = in[i + STRIDE / 2];
        const unsigned c = below[i], d = below[i + STRIDE / 2];
        wide[i] = a + b;
        wide[i + STRIDE / 2] = c + d;
        tall[i] = a + c;
        tall[i + STRIDE / 2] = b + d;
        whole[i] = a + b + (c + d);
    }
}

extern "C" __global__ void larger_sad_calc_16(uint16_t *sums) {
    const unsigned *in = sums_at(sums, AT_8X8, 4, 0);
    unsigned *wide = sums_at(sums, AT_16X8, 2, 0);
    unsigned *tall = sums_at(sums, AT_8X16, 2, 0);
    unsigned *whole = sums_at(sums, AT_16X16, 1, 0);
    for (int i = (int)threadIdx.x; i < (POSITIONS + 1) / 2; i += 32) {
        const unsigned a = in[i], b = in[i + STRIDE / 2];
        const unsigned c = in[i + STRIDE], d = in[i + 3 * STRIDE / 2];
        wide[i] = a + b;
        wide[i + STRIDE / 2] = c + d;
        tall[i] = a + c;
        tall[i + STRIDE / 2] = b + d;
        whole[i] = a + b + (c + d);
    }
}
