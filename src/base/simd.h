// Loops over the 32 lanes of a warp for files that are compiled once for each vector level
// (*_simd.c, cmake/rooms.cmake).
#ifndef WW_BASE_SIMD_H
#define WW_BASE_SIMD_H

#include <stdbool.h>
#include <stdint.h>
#if defined(__SSE2__)
#include <immintrin.h>
#endif

#define SIMD_CAT2(a, b) a##_##b
#define SIMD_CAT(a, b)  SIMD_CAT2(a, b)
#define AT_LEVEL(name)  SIMD_CAT(name, WW_SIMD_LEVEL)

// A destination is either exactly a source or apart from it, lane i needs nothing of lane j.
#ifdef __clang__
#define LANES _Pragma("clang loop vectorize(assume_safety)") for (uint32_t i = 0; i < 32; i++)
#else
#define LANES _Pragma("GCC ivdep") for (uint32_t i = 0; i < 32; i++)
#endif

static const uint32_t lane_bit[32] __attribute__((aligned(64))) = {
    1u << 0,  1u << 1,  1u << 2,  1u << 3,  1u << 4,  1u << 5,  1u << 6,  1u << 7,
    1u << 8,  1u << 9,  1u << 10, 1u << 11, 1u << 12, 1u << 13, 1u << 14, 1u << 15,
    1u << 16, 1u << 17, 1u << 18, 1u << 19, 1u << 20, 1u << 21, 1u << 22, 1u << 23,
    1u << 24, 1u << 25, 1u << 26, 1u << 27, 1u << 28, 1u << 29, 1u << 30, 1u << 31};

// The sign bits of 32 numbers, aligned to 64 bytes. Compilers know no way to make a mask of a
// comparison.
static inline uint32_t lanes_signs(const uint32_t v[32]) {
    uint32_t m = 0;
#if defined(__AVX512DQ__)
    m = (uint32_t)_mm512_movepi32_mask(_mm512_load_si512(v)) |
        (uint32_t)_mm512_movepi32_mask(_mm512_load_si512(v + 16)) << 16;
#elif defined(__AVX2__)
    for (uint32_t i = 0; i < 32; i += 8)
        m |= (uint32_t)_mm256_movemask_ps(
                 _mm256_castsi256_ps(_mm256_load_si256((const __m256i *)(v + i))))
             << i;
#elif defined(__SSE2__)
    for (uint32_t i = 0; i < 32; i += 4)
        m |= (uint32_t)_mm_movemask_ps(_mm_castsi128_ps(_mm_load_si128((const __m128i *)(v + i))))
             << i;
#else
    for (uint32_t i = 0; i < 32; i++) m |= v[i] >> 31 << i;
#endif
    return m;
}

// Whether 16 numbers, aligned to 64 bytes, are v[0], v[0] + step, v[0] + 2 step ...
static inline bool lanes_follow(const uint32_t v[16], uint32_t step) {
#if defined(__AVX512F__)
    const __m512i lane = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    const __m512i want = _mm512_add_epi32(_mm512_set1_epi32((int)v[0]),
                                          _mm512_mullo_epi32(lane, _mm512_set1_epi32((int)step)));
    return _mm512_cmpneq_epi32_mask(_mm512_load_si512(v), want) == 0;
#else
    uint32_t apart = 0;
    for (uint32_t i = 0; i < 16; i++) apart |= v[i] ^ (v[0] + i * step);
    return apart == 0;
#endif
}

// Which of 32 numbers, aligned to 64 bytes, lie outside [least, most] or have one of `bits` set.
static inline uint32_t lanes_unfit(const uint32_t v[32], uint32_t least, uint32_t most,
                                   uint32_t bits) {
    uint32_t m = 0;
#if defined(__AVX512F__)
    const __m512i l = _mm512_set1_epi32((int)least), h = _mm512_set1_epi32((int)most);
    const __m512i b = _mm512_set1_epi32((int)bits);
    for (uint32_t i = 0; i < 32; i += 16) {
        const __m512i a = _mm512_load_si512(v + i);
        const uint32_t outside = (uint32_t)_mm512_cmplt_epu32_mask(a, l) |
                                 (uint32_t)_mm512_cmpgt_epu32_mask(a, h) |
                                 (uint32_t)_mm512_test_epi32_mask(a, b);
        m |= outside << i;
    }
#else
    uint32_t unfit[32] __attribute__((aligned(64)));
    LANES unfit[i] = ((v[i] < least) | (v[i] > most) | ((v[i] & bits) != 0)) ? ~0u : 0;
    m = lanes_signs(unfit);
#endif
    return m;
}

// Lane i of mask m as all ones or zero.
#define LANE_IN(m)   (((m)&lane_bit[i]) != 0)

#endif
