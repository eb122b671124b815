// dedispersion: of a radio telescope's samples, 25,000 of each frequency, the sums over frequencies for 2048 trial
// dispersions, each of which delays a frequency by as many samples as its shift says. A thread computes tile_size_x samples
// of tile_size_y dispersions, which are neighbours (tile_stride 0) or lie a block apart (1), one sum after the other.
//
// The parameters and what they mean are those of the kernel that was measured (README.md); the program is written anew.
// A part of the 1536 channels can stand for all (on a GPU whose caches are as much smaller, README.md); of so many blocks as often
// as the part goes into all one then stores its sums, so that storing is as large a part of the time as in the whole. The number is
// known to the compiler, as it was there: nvcc then makes eight channels of a turn of the loop, and four where it is an argument.
// How many of its sums a thread computes is an argument.
#include "device.h"

enum { CHANNELS = 1536, SAMPLES = 25000, DISPERSIONS = 2048, A_CHANNEL = SAMPLES + 650 };

DEVICE_FN void sums_of(int channels, const uint8_t *input, float *output, const float *shift, int sums) {
    const int step_x = tile_stride_x ? block_size_x : 1, step_y = tile_stride_y ? block_size_y : 1;
    const int x = (int)blockIdx.x * block_size_x * tile_size_x + (int)threadIdx.x * (tile_stride_x ? 1 : tile_size_x);
    const int y = (int)blockIdx.y * block_size_y * tile_size_y + (int)threadIdx.y * (tile_stride_y ? 1 : tile_size_y);
    const bool stores = (blockIdx.x + blockIdx.y) % (unsigned)(CHANNELS / channels) == 0;
    for (int i = 0; i < tile_size_x; i++) {
        const int sample = x + i * step_x;
        if (sample >= SAMPLES) continue;
        for (int j = 0; j < tile_size_y; j++) {
            const int dispersion = y + j * step_y;
            if (dispersion >= DISPERSIONS) continue;
            if (sums-- == 0) return;
            float sum = 0;
            for (int c = 0; c < channels; c++) {
                const unsigned delay = (unsigned)(0.02f * (float)dispersion * shift[c]);
                sum += (float)input[(unsigned)(c * A_CHANNEL) + (unsigned)sample + delay];
            }
            if (stores) output[dispersion * SAMPLES + sample] = sum;
            else asm volatile("" ::"f"(sum)); // it is computed all the same
        }
    }
}

extern "C" __global__ void dedispersion_192(const uint8_t *input, float *output, const float *shift, int sums) {
    sums_of(192, input, output, shift, sums);
}
extern "C" __global__ void dedispersion_768(const uint8_t *input, float *output, const float *shift, int sums) {
    sums_of(768, input, output, shift, sums);
}
