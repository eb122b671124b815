// MersenneTwister: uniform numbers by many small Mersenne twisters of 19 words of state, each with
// parameters of its own, one a thread; then normal ones from pairs of them after Box and Muller, in
// place. The state is an array that is indexed as it turns, so it lies in local memory.
#include "device.h"

#define WORDS  19
#define MIDDLE 9
#define TWO_PI 6.28318530717958647692f

struct twister {
    unsigned matrix, mask_b, mask_c, seed;
};

extern "C" __global__ void randomNumbers(const twister *twisters, float *out, int each) {
    const int t = (int)(blockDim.x * blockIdx.x + threadIdx.x);
    const int count = (int)(blockDim.x * gridDim.x);
    const unsigned matrix = twisters[t].matrix;
    const unsigned mask_b = twisters[t].mask_b, mask_c = twisters[t].mask_c;

    unsigned state[WORDS];
    state[0] = twisters[t].seed;
    for (int i = 1; i < WORDS; i++)
        state[i] = 1812433253u * (state[i - 1] ^ (state[i - 1] >> 30)) + (unsigned)i;

    int at = 0;
    unsigned next = state[0];
    for (int i = 0; i < each; i++) {
        int after = at + 1, middle = at + MIDDLE;
        if (after >= WORDS) after -= WORDS;
        if (middle >= WORDS) middle -= WORDS;
        const unsigned here = next;
        next = state[after];
        unsigned x = (here & 0xfffffffeu) | (next & 1u);
        x = state[middle] ^ (x >> 1) ^ ((x & 1u) ? matrix : 0u);
        state[at] = x;
        at = after;

        x ^= x >> 12;
        x ^= (x << 7) & mask_b;
        x ^= (x << 15) & mask_c;
        x ^= x >> 18;
        out[t + i * count] = ((float)x + 1.0f) / 4294967296.0f;
    }
}

extern "C" __global__ void boxMuller(float *numbers, int each) {
    const int t = (int)(blockDim.x * blockIdx.x + threadIdx.x);
    const int count = (int)(blockDim.x * gridDim.x);
    for (int i = 0; i < each; i += 2) {
        float *first = numbers + t + i * count, *second = first + count;
        const float radius = sqrtf(-2.0f * logf(*first)), angle = TWO_PI * *second;
        *first = radius * __cosf(angle);
        *second = radius * __sinf(angle);
    }
}
