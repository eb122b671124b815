// AES: encryption and decryption of 16-byte states independently of each other (ECB), by tables
// that join a round's substitution and mixing. Four threads have a state, a word (column) each, and
// read the bytes of the others' words in shared memory; a block of 256 threads has 64 states. The
// tables come from constant memory, at an index that differs from lane to lane, into shared memory
// first. Rounds are unrolled; there is a barrier after each, and two buffers for the states.
//
// Words hold a column's bytes from the lowest. Round keys come through a one-dimensional texture,
// four addresses a warp.
#include "device.h"

#define THREADS 256
CONSTANT(unsigned, tables[4 * 256]); // of the direction in hand
CONSTANT(unsigned, inverse[256]);    // of the substitution, for the last round of decryption
TEXTURE(keys);

// Byte r of the word that `column` takes it from: rows turn left, or right to undo it.
template <bool ENCRYPT>
DEVICE_FN unsigned byte_for(const unsigned *state, unsigned column, unsigned r) {
    const unsigned from = (ENCRYPT ? column + r : column + 4 - r) & 3;
    return ((const uint8_t *)state)[((threadIdx.x & ~3u) + from) * 4 + r];
}

template <bool ENCRYPT, int ROUNDS> DEVICE_FN void cipher(const unsigned *in, unsigned *out) {
    __shared__ unsigned table[4][256], buffer[2][THREADS], last[ENCRYPT ? 1 : 256];
    const unsigned t = threadIdx.x, column = t & 3;
    const unsigned at = blockIdx.x * THREADS + t;

    table[0][t] = tables[t];
    table[1][t] = tables[256 + t];
    table[2][t] = tables[512 + t];
    table[3][t] = tables[768 + t];
    if (!ENCRYPT) last[t] = inverse[t];
    buffer[0][t] = in[at] ^ tex_1d_u32(keys, column).x;
    __syncthreads();

#pragma unroll
    for (int round = 1; round < ROUNDS; round++) {
        const unsigned *state = buffer[(round - 1) & 1];
        buffer[round & 1][t] = table[0][byte_for<ENCRYPT>(state, column, 0)] ^
                               table[1][byte_for<ENCRYPT>(state, column, 1)] ^
                               table[2][byte_for<ENCRYPT>(state, column, 2)] ^
                               table[3][byte_for<ENCRYPT>(state, column, 3)] ^
                               tex_1d_u32(keys, 4 * round + column).x;
        __syncthreads();
    }

    // No mixing in the last round. When encrypting, the substitution alone is a byte of a table.
    const unsigned *state = buffer[(ROUNDS - 1) & 1];
    unsigned word = 0;
#pragma unroll
    for (unsigned r = 0; r < 4; r++) {
        const unsigned byte = byte_for<ENCRYPT>(state, column, r);
        word |= (ENCRYPT ? table[0][byte] >> 8 & 0xffu : last[byte]) << (8 * r);
    }
    out[at] = word ^ tex_1d_u32(keys, 4 * ROUNDS + column).x;
}

#define CIPHER(name, encrypt, rounds)                                                              \
    extern "C" __global__ void name(const unsigned *in, unsigned *out) {                           \
        cipher<encrypt, rounds>(in, out);                                                          \
    }
CIPHER(aesEncrypt128, true, 10)
CIPHER(aesDecrypt128, false, 10)
CIPHER(aesEncrypt256, true, 14)
CIPHER(aesDecrypt256, false, 14)
