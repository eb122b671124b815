// What products of numbers of eight bits with a fraction need around them: e4m3 and e5m2 widened to halves, and their sums scaled and
// rounded.
#include "device.h"
#include "eight.h"
#include "finish.h"

enum { THREADS = EIGHT_THREADS };
// Rows and columns of a matrix: 2^across threads of a block lie along rows, its other ones along columns, of which a thread has several.
#define EACH(row, column, shape, rows, columns)                                                                                 \
    const int row = (block_x << (shape)) + (thread_x & ((1 << (shape)) - 1));                                                   \
    if (row < (rows))                                                                                                           \
        for (int column = (block_y * THREADS + thread_x) >> (shape); column < (columns); column += blocks_y * THREADS >> (shape))

// e4m3: the bits of a float's exponent and fraction, 2^120 too small; 0x7f is no number. e5m2: the upper half of a half.
DEVICE float from_e4m3(uint8_t v) {
    const uint32_t bits = (v & 0x7f) == 0x7f ? 0x7fc00000 : (uint32_t)(v & 0x7f) << 20;
    const float x = __builtin_bit_cast(float, bits) * 0x1p120f;
    return v & 0x80 ? -x : x;
}
DEVICE uint16_t half_of_e5m2(uint8_t v) { return (uint16_t)(v << 8); }
DEVICE float from_e5m2(uint8_t v) { return (float)__builtin_bit_cast(__fp16, half_of_e5m2(v)); }
// Rounds to the nearest, to even between two, at most to the largest number. FRACTION bits, exponents from 1 - BIAS on.
template <int FRACTION, int BIAS, int LARGEST, int NAN_> DEVICE uint8_t to_eight(float x) {
    const uint32_t bits = __builtin_bit_cast(uint32_t, x), sign = bits >> 24 & 0x80, size = bits & 0x7fffffff;
    if (x != x) return NAN_;
    const float a = __builtin_bit_cast(float, size);
    uint32_t code;
    if (a < 2 / (float)(1 << BIAS)) { // a multiple of the smallest number
        const float by = (float)(1 << (BIAS - 1 + FRACTION)), even = 12582912.0f; // 1.5 2^23
        float n;
        asm("add.rn.f32 %0, %1, %2;" : "=f"(n) : "f"(a * by), "f"(even));
        code = __builtin_bit_cast(uint32_t, n) & 0xff;
    } else {
        const uint32_t cut = 23 - FRACTION, rounded = size + (1u << (cut - 1)) - 1 + (size >> cut & 1);
        code = (rounded >> cut) - ((127 - BIAS) << FRACTION);
        if (size >= 0x7f800000 || code > LARGEST) code = LARGEST;
    }
    return (uint8_t)(sign | code);
}
DEVICE uint8_t to_e4m3(float x) { return to_eight<3, 7, 0x7e, 0x7f>(x); }
DEVICE uint8_t to_e5m2(float x) { return to_eight<2, 15, 0x7b, 0x7f>(x); }

extern "C" __global__ __launch_bounds__(THREADS) void widen_eight(const eight_widen w) {
    const uint8_t *const from = (const uint8_t *)w.from + block_z * w.step_from;
    uint16_t *const to = (uint16_t *)w.to + (int64_t)block_z * w.rows * w.columns;
    EACH(row, column, w.across, w.rows, w.columns) {
        const uint8_t v = from[row + column * w.lead];
        to[row + (int64_t)column * w.rows] = w.is_e5m2 ? half_of_e5m2(v) : __builtin_bit_cast(uint16_t, (__fp16)from_e4m3(v));
    }
}
DEVICE float read(uint64_t at, uint32_t type, int64_t i) {
    switch (type) {
    case EIGHT_F16: return widen(((const f16 *)at)[i], 0.f);
    case EIGHT_BF16: return widen(((const bf16 *)at)[i], 0.f);
    case EIGHT_E4M3: return from_e4m3(((const uint8_t *)at)[i]);
    case EIGHT_E5M2: return from_e5m2(((const uint8_t *)at)[i]);
    default: return ((const float *)at)[i];
    }
}
DEVICE void write(uint64_t at, uint32_t type, int64_t i, float x) {
    switch (type) {
    case EIGHT_F16: narrow(&((f16 *)at)[i], x); break;
    case EIGHT_BF16: narrow(&((bf16 *)at)[i], x); break;
    case EIGHT_E4M3: ((uint8_t *)at)[i] = to_e4m3(x); break;
    case EIGHT_E5M2: ((uint8_t *)at)[i] = to_e5m2(x); break;
    default: ((float *)at)[i] = x;
    }
}
DEVICE float at_or(uint64_t at, float otherwise) { return at ? *(const float *)at : otherwise; }
extern "C" __global__ __launch_bounds__(THREADS) void finish_eight(const eight_finish f) {
    __shared__ float held[THREADS];
    const float alpha = at_or(f.alpha_at, f.alpha) * at_or(f.scale_a, 1) * at_or(f.scale_b, 1),
                beta = at_or(f.beta_at, f.beta) * at_or(f.scale_c, 1), scale_d = at_or(f.scale_d, 1);
    float largest = 0;
    EACH(row, column, f.across, f.m, f.n) {
        float v = times(alpha, ((const float *)f.sums)[row + ((int64_t)block_z * f.n + column) * f.m]);
        if (beta != 0) v += beta * read(f.c.at, f.c.type, row + column * f.c.lead + block_z * f.c.step);
        if (f.epilogue & GEMM_BIAS) v += read(f.bias, f.bias_type, row);
        if (f.epilogue & GEMM_RELU) v = v < 0 ? 0 : v;
        if (f.epilogue & GEMM_GELU) v = gelu(v);
        const float size = v < 0 ? -v : v;
        if (size > largest) largest = size;
        write(f.d.at, f.d.type, row + column * f.d.lead + block_z * f.d.step, v * scale_d);
    }
    if (!f.largest) return;
    held[thread_x] = largest;
    barrier();
    for (int half = THREADS / 2; half; half /= 2) {
        if (thread_x < half && held[thread_x + half] > held[thread_x]) held[thread_x] = held[thread_x + half];
        barrier();
    }
    // floats that are not negative are ordered as their bits are
    if (thread_x == 0) __nvvm_atom_max_gen_i((int *)f.largest, __builtin_bit_cast(int, held[0]));
}
