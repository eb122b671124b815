// What integer operations of two words compute in one lane, and divisions of every width: the sisters
// of lane.h, with the same rules and the same readers (exec/int64_simd.c, eval.h, tests).
//
// Sources: as lane.h. Division by zero gives all ones and leaves the dividend as remainder, as
// NVIDIA's machines have it.
#ifndef WW_LANE64_H
#define WW_LANE64_H

#include "isa/lane.h"

// ---- sums and products ----------------------------------------------------------------------
LANE_FN uint64_t lane_negate64(uint64_t a, uint64_t n) { return (a ^ n) - n; }
// High half of a product out of four products of words.
LANE_FN uint64_t lane_mulhi64_u(uint64_t a, uint64_t b) {
    const uint64_t al = (uint32_t)a, ah = a >> 32, bl = (uint32_t)b, bh = b >> 32;
    const uint64_t mid = ah * bl + (al * bl >> 32), low = (uint32_t)mid + al * bh;
    return ah * bh + (mid >> 32) + (low >> 32);
}
LANE_FN uint64_t lane_mulhi64_s(uint64_t a, uint64_t b) {
    return lane_mulhi64_u(a, b) - ((int64_t)a < 0 ? b : 0) - ((int64_t)b < 0 ? a : 0);
}
// The whole product of two words.
LANE_FN uint64_t lane_wide_u(uint32_t a, uint32_t b) { return (uint64_t)a * b; }
LANE_FN uint64_t lane_wide_s(uint32_t a, uint32_t b) {
    return (uint64_t)((int64_t)(int32_t)a * (int32_t)b);
}
LANE_FN uint64_t lane_abs64(uint64_t a) { return (int64_t)a < 0 ? 0 - a : a; }
LANE_FN uint64_t lane_sad64_s(uint64_t a, uint64_t b, uint64_t c) {
    return ((int64_t)a < (int64_t)b ? b - a : a - b) + c;
}
LANE_FN uint64_t lane_sad64_u(uint64_t a, uint64_t b, uint64_t c) {
    return (a < b ? b - a : a - b) + c;
}
// A quotient or, with `want_rem`, a remainder. The least number over -1 is itself, remainder 0.
LANE_FN uint64_t lane_divide(uint64_t a, uint64_t b, bool is_signed, bool want_rem) {
    if (b == 0) return want_rem ? a : ~0ull;
    if (!is_signed) return want_rem ? a % b : a / b;
    if (b == ~0ull) return want_rem ? 0 : 0 - a;
    return want_rem ? (uint64_t)((int64_t)a % (int64_t)b) : (uint64_t)((int64_t)a / (int64_t)b);
}

// ---- the smaller and the larger, comparisons --------------------------------------------------
LANE_FN uint64_t lane_min64_s(uint64_t a, uint64_t b) { return (int64_t)a < (int64_t)b ? a : b; }
LANE_FN uint64_t lane_max64_s(uint64_t a, uint64_t b) { return (int64_t)a > (int64_t)b ? a : b; }
LANE_FN uint64_t lane_min64_u(uint64_t a, uint64_t b) { return a < b ? a : b; }
LANE_FN uint64_t lane_max64_u(uint64_t a, uint64_t b) { return a > b ? a : b; }
LANE_FN bool lane_less64(uint64_t a, uint64_t b, bool is_signed) {
    return is_signed ? (int64_t)a < (int64_t)b : a < b;
}
LANE_FN bool lane_compare64(enum mcmp cmp, uint64_t a, uint64_t b, bool is_signed) {
    return lane_order(cmp, lane_less64(a, b, is_signed), a == b) & 1;
}

// ---- shifts: counts beyond the width shift everything out -------------------------------------
LANE_FN uint64_t lane_shl64(uint64_t a, uint32_t n) { return n > 63 ? 0 : a << (n & 63); }
LANE_FN uint64_t lane_shr64_u(uint64_t a, uint32_t n) { return n > 63 ? 0 : a >> (n & 63); }
LANE_FN uint64_t lane_shr64_s(uint64_t a, uint32_t n) {
    return (uint64_t)((int64_t)a >> (n > 63 ? 63 : n));
}

// ---- bits and bit fields, as lane.h has them --------------------------------------------------
LANE_FN uint32_t lane_clz64(uint64_t v) { return v ? (uint32_t)__builtin_clzll(v) : 64; }
LANE_FN uint32_t lane_popc64(uint64_t v) { return (uint32_t)__builtin_popcountll(v); }
LANE_FN uint32_t lane_flo64(uint64_t v, bool is_signed, bool shift) {
    const uint32_t z = lane_clz64(is_signed && (int64_t)v < 0 ? ~v : v);
    return z == 64 ? ~0u : shift ? z : 63 - z;
}
LANE_FN uint64_t lane_brev64(uint64_t v) {
    return (uint64_t)lane_brev((uint32_t)v) << 32 | lane_brev((uint32_t)(v >> 32));
}
LANE_FN uint64_t lane_bfe64(uint64_t a, uint32_t b, uint32_t c, bool is_signed) {
    const uint32_t pos = b & 255, len = c & 255;
    const uint32_t last = pos + len - 1 > 63 ? 63 : pos + len - 1;
    const uint64_t fill = is_signed && len ? 0 - (a >> (last & 63) & 1) : 0;
    const uint64_t body = pos > 63 ? 0 : a >> (pos & 63);
    const uint32_t have = pos > 63 ? 0 : 64 - pos, n = len < have ? len : have;
    const uint64_t keep = n > 63 ? ~0ull : (1ull << (n & 63)) - 1;
    return (body & keep) | (fill & ~keep);
}
LANE_FN uint64_t lane_bfi64(uint64_t a, uint64_t b, uint32_t pos, uint32_t len) {
    pos &= 255;
    len &= 255;
    const uint64_t ones = len > 63 ? ~0ull : (1ull << (len & 63)) - 1;
    const uint64_t keep = pos > 63 ? 0 : ones << (pos & 63);
    return (b & ~keep) | ((a << (pos & 63)) & keep);
}

#endif
