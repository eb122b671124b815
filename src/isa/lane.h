// What integer operations of one word compute in one lane: said here once, for handlers over 32
// lanes (exec/int_simd.c), for known operands (eval.h) and for tests. Plain functions of words and
// of what an instruction says: no instruction record, no state. Any bits give a value.
//
// Sources: PTX ISA 9.0, integer, logic and shift, and bit-field instructions; ops.def for what the
// machine's operations do beyond them. Two words, and divisions: lane64.h.
#ifndef WW_LANE_H
#define WW_LANE_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/isa.h"

// A call must cost less than what it computes: everything is inlined.
#define LANE_FN static inline __attribute__((always_inline))

// ---- sums and products ----------------------------------------------------------------------
// Negation: `n` all ones, or 0 for none.
LANE_FN uint32_t lane_negate(uint32_t a, uint32_t n) { return (a ^ n) - n; }
LANE_FN uint32_t lane_sat_s32(int64_t v) {
    const int64_t top = v > INT32_MAX ? INT32_MAX : v;
    return (uint32_t)(top < INT32_MIN ? INT32_MIN : top);
}
// A sum of two signed words, clamped; na, nb: of the negated words.
LANE_FN uint32_t lane_add_sat(uint32_t a, uint32_t b, bool na, bool nb) {
    const int64_t x = na ? -(int64_t)(int32_t)a : (int32_t)a;
    const int64_t y = nb ? -(int64_t)(int32_t)b : (int32_t)b;
    return lane_sat_s32(x + y);
}
// Sums of low halves, or of both; na, nb as in lane_negate.
LANE_FN uint32_t lane_add16(uint32_t a, uint32_t b, uint32_t na, uint32_t nb, bool is_packed) {
    const uint32_t low = (lane_negate(a, na) + lane_negate(b, nb)) & 0xffff;
    const uint32_t high = lane_negate(a >> 16, na) + lane_negate(b >> 16, nb);
    return is_packed ? low | high << 16 : low;
}
LANE_FN uint32_t lane_mulhi_s(uint32_t a, uint32_t b) {
    return (uint32_t)((uint64_t)((int64_t)(int32_t)a * (int32_t)b) >> 32);
}
LANE_FN uint32_t lane_mulhi_u(uint32_t a, uint32_t b) { return (uint32_t)((uint64_t)a * b >> 32); }
LANE_FN uint32_t lane_scale_add(uint32_t a, uint32_t b, uint32_t shift) {
    return (a << (shift & 31)) + b;
}
// A word, or its low half, as a number.
LANE_FN int64_t lane_extend(uint32_t v, bool is16, bool is_signed) {
    if (is16) return is_signed ? (int16_t)v : (int64_t)(uint16_t)v;
    return is_signed ? (int32_t)v : (int64_t)v;
}
// One word of a product of words or of low halves (a whole product then, or with `hi` that >> 16).
LANE_FN uint32_t lane_product(int64_t a, int64_t b, bool is16, bool is_signed, bool hi) {
    const uint64_t p = (uint64_t)a * (uint64_t)b;
    if (!hi) return (uint32_t)p;
    if (!is16) return (uint32_t)(p >> 32);
    return is_signed ? (uint32_t)((int32_t)(uint32_t)p >> 16) : (uint32_t)p >> 16;
}
LANE_FN uint32_t lane_mul24(uint32_t a, uint32_t b, bool is_signed, bool hi) {
    const int64_t sa = is_signed ? (int32_t)(a << 8) >> 8 : (int64_t)(a & 0xffffff);
    const int64_t sb = is_signed ? (int32_t)(b << 8) >> 8 : (int64_t)(b & 0xffffff);
    const uint64_t p = (uint64_t)(sa * sb);
    return (uint32_t)(hi ? p >> 16 : p);
}
LANE_FN uint32_t lane_abs(uint32_t v, bool is16) {
    const uint32_t a = is16 ? (uint32_t)(int16_t)v : v;
    const uint32_t r = (int32_t)a < 0 ? 0u - a : a;
    return is16 ? r & 0xffff : r;
}
LANE_FN bool lane_less(uint32_t a, uint32_t b, bool is_signed) {
    return is_signed ? (int32_t)a < (int32_t)b : a < b;
}
// |a - b| + c, of words and of low halves.
LANE_FN uint32_t lane_sad(uint32_t a, uint32_t b, uint32_t c, bool is_signed) {
    return (lane_less(a, b, is_signed) ? b - a : a - b) + c;
}
LANE_FN uint32_t lane_sad16(uint32_t a, uint32_t b, uint32_t c, bool is_signed) {
    const uint32_t x = (uint32_t)lane_extend(a, true, is_signed);
    const uint32_t y = (uint32_t)lane_extend(b, true, is_signed);
    return lane_sad(x, y, c, true) & 0xffff;
}
LANE_FN int32_t lane_byte(uint32_t v, uint32_t k, bool is_signed) {
    const uint32_t b = v >> (8 * k) & 255;
    return is_signed ? (int8_t)b : (int32_t)b;
}
LANE_FN int32_t lane_half(uint32_t v, uint32_t k, bool is_signed) {
    const uint32_t h = v >> (16 * k) & 0xffff;
    return is_signed ? (int16_t)h : (int32_t)h;
}
LANE_FN uint32_t lane_dp4a(uint32_t a, uint32_t b, uint32_t c, bool sa, bool sb) {
    for (uint32_t k = 0; k < 4; k++) c += (uint32_t)(lane_byte(a, k, sa) * lane_byte(b, k, sb));
    return c;
}
// Halves of a with the bytes of b from `first` on.
LANE_FN uint32_t lane_dp2a(uint32_t a, uint32_t b, uint32_t c, bool sa, bool sb, uint32_t first) {
    for (uint32_t k = 0; k < 2; k++)
        c += (uint32_t)lane_half(a, k, sa) * (uint32_t)lane_byte(b, first + k, sb);
    return c;
}

// ---- the smaller and the larger -------------------------------------------------------------
LANE_FN uint32_t lane_min_s(uint32_t a, uint32_t b) { return (int32_t)a < (int32_t)b ? a : b; }
LANE_FN uint32_t lane_max_s(uint32_t a, uint32_t b) { return (int32_t)a > (int32_t)b ? a : b; }
LANE_FN uint32_t lane_min_u(uint32_t a, uint32_t b) { return a < b ? a : b; }
LANE_FN uint32_t lane_max_u(uint32_t a, uint32_t b) { return a > b ? a : b; }
// Of words, which is not below 0 with `relu`.
LANE_FN uint32_t lane_minmax(uint32_t a, uint32_t b, bool is_signed, bool is_max, bool relu) {
    const uint32_t r = lane_less(a, b, is_signed) != is_max ? a : b;
    return relu && is_signed && (int32_t)r < 0 ? 0 : r;
}
// Of low halves, or of both.
LANE_FN uint32_t lane_minmax16(uint32_t a, uint32_t b, bool is_signed, bool is_max, bool relu,
                               bool is_packed) {
    uint32_t r = 0;
    for (uint32_t k = 0; k < 2; k++) {
        const int32_t x = lane_half(a, k, is_signed), y = lane_half(b, k, is_signed);
        int32_t v = is_max ? (x > y ? x : y) : (x < y ? x : y);
        v = relu && v < 0 ? 0 : v;
        if (k == 0 || is_packed) r |= ((uint32_t)v & 0xffff) << (16 * k);
    }
    return r;
}

// ---- comparisons ----------------------------------------------------------------------------
// What a comparison says, by what is less and what is equal: one bit or a mask of lanes. Numbers are
// always ordered, so that the U forms are the others.
LANE_FN uint32_t lane_order(enum mcmp cmp, uint32_t less, uint32_t equal) {
    switch (cmp) {
    case MCMP_EQ:
    case MCMP_EQU: return equal;
    case MCMP_NE:
    case MCMP_NEU: return ~equal;
    case MCMP_LT:
    case MCMP_LTU: return less;
    case MCMP_LE:
    case MCMP_LEU: return less | equal;
    case MCMP_GT:
    case MCMP_GTU: return ~(less | equal);
    case MCMP_GE:
    case MCMP_GEU: return ~less;
    default: return cmp == MCMP_NUM ? ~0u : 0;
    }
}
LANE_FN bool lane_compare(enum mcmp cmp, uint32_t a, uint32_t b, bool is_signed) {
    return lane_order(cmp, lane_less(a, b, is_signed), a == b) & 1;
}
// What a result becomes with a predicate beside it (`bop`), bits or masks.
LANE_FN uint32_t lane_combine(enum mbop bop, uint32_t t, uint32_t c) {
    switch (bop) {
    case MBOP_AND: return t & c;
    case MBOP_OR: return t | c;
    case MBOP_XOR: return t ^ c;
    default: return t;
    }
}

// ---- shifts: counts beyond the width shift everything out -------------------------------------
LANE_FN uint32_t lane_shl(uint32_t a, uint32_t n) { return n > 31 ? 0 : a << (n & 31); }
LANE_FN uint32_t lane_shr_u(uint32_t a, uint32_t n) { return n > 31 ? 0 : a >> (n & 31); }
LANE_FN uint32_t lane_shr_s(uint32_t a, uint32_t n) {
    return (uint32_t)((int32_t)a >> (n > 31 ? 31 : n));
}
LANE_FN uint32_t lane_shl16(uint32_t a, uint32_t n) { return n > 15 ? 0 : a << (n & 15) & 0xffff; }
LANE_FN uint32_t lane_shr16_u(uint32_t a, uint32_t n) {
    return n > 15 ? 0 : (a & 0xffff) >> (n & 15);
}
LANE_FN uint32_t lane_shr16_s(uint32_t a, uint32_t n) {
    return (uint32_t)((int32_t)(int16_t)a >> (n > 15 ? 15 : n)) & 0xffff;
}
// The high word of b:a << n, or the low word of b:a >> n.
LANE_FN uint32_t lane_funnel(uint32_t a, uint32_t b, uint32_t n, bool left, bool wrap) {
    const uint64_t v = a | (uint64_t)b << 32;
    const uint32_t by = wrap ? n & 31 : n > 32 ? 32 : n;
    return (uint32_t)(left ? v << by >> 32 : v >> by);
}
// The high word of c:a << n, n below 32.
LANE_FN uint32_t lane_shift_up(uint32_t a, uint32_t c, uint32_t n) {
    return c << n | a >> 1 >> (31 - n);
}
// c:a shifted by a count that ends at `bits` (32 or 64), or is modulo it: its low or its high word.
LANE_FN uint32_t lane_shift_pair(uint32_t a, uint32_t c, uint32_t count, uint32_t bits, bool wrap,
                                 bool left, bool is_signed, bool high) {
    const uint64_t v = a | (uint64_t)c << 32;
    const uint32_t n = wrap ? count & (bits - 1) : count > bits ? bits : count;
    const uint64_t up = n > 63 ? 0 : v << (n & 63), down = n > 63 ? 0 : v >> (n & 63);
    const uint64_t signed_down = (uint64_t)((int64_t)v >> (n > 63 ? 63 : n));
    const uint64_t r = left ? up : is_signed ? signed_down : down;
    return (uint32_t)(high ? r >> 32 : r);
}

// ---- logic ----------------------------------------------------------------------------------
// Any function of three bits. The table is indexed by the bits of a, b, c with a the highest; each
// of its bits becomes a word.
LANE_FN void lane_lop3_table(uint32_t t[8], uint32_t lut) {
    t[0] = 0u - (lut & 1), t[1] = 0u - (lut >> 1 & 1);
    t[2] = 0u - (lut >> 2 & 1), t[3] = 0u - (lut >> 3 & 1);
    t[4] = 0u - (lut >> 4 & 1), t[5] = 0u - (lut >> 5 & 1);
    t[6] = 0u - (lut >> 6 & 1), t[7] = 0u - (lut >> 7 & 1);
}
LANE_FN uint32_t lane_lop3(const uint32_t t[8], uint32_t a, uint32_t b, uint32_t c) {
    const uint32_t r00 = (t[1] & c) | (t[0] & ~c), r01 = (t[3] & c) | (t[2] & ~c);
    const uint32_t r10 = (t[5] & c) | (t[4] & ~c), r11 = (t[7] & c) | (t[6] & ~c);
    const uint32_t r0 = (r01 & b) | (r00 & ~b), r1 = (r11 & b) | (r10 & ~b);
    return (r1 & a) | (r0 & ~a);
}

// ---- bits and bit fields --------------------------------------------------------------------
// The field of a at b of length c.
LANE_FN uint32_t lane_bfe(uint32_t a, uint32_t b, uint32_t c, bool is_signed) {
    const uint32_t pos = b & 255, len = c & 255;
    const uint32_t last = pos + len - 1 > 31 ? 31 : pos + len - 1; // wraps only when len is 0
    const uint32_t fill = is_signed && len ? 0u - (a >> (last & 31) & 1) : 0;
    const uint32_t body = pos > 31 ? 0 : a >> (pos & 31);
    const uint32_t have = pos > 31 ? 0 : 32 - pos; // bits that body holds
    const uint32_t n = len < have ? len : have;
    const uint32_t keep = n > 31 ? ~0u : (1u << (n & 31)) - 1;
    return (body & keep) | (fill & ~keep);
}
// b with the low bits of a in a field.
LANE_FN uint32_t lane_bfi(uint32_t a, uint32_t b, uint32_t pos, uint32_t len) {
    pos &= 255;
    len &= 255;
    const uint32_t ones = len > 31 ? ~0u : (1u << (len & 31)) - 1;
    const uint32_t keep = pos > 31 ? 0 : ones << (pos & 31);
    return (b & ~keep) | ((a << (pos & 31)) & keep);
}
LANE_FN uint32_t lane_clz(uint32_t v) { return v ? (uint32_t)__builtin_clz(v) : 32; }
// Where the first bit is that is not the sign's; with `shift` how far it is from the top. A macro:
// of a function gcc 12 makes a loop that takes a fifth longer.
#define LANE_FLO(v, is_signed, shift)                                                              \
    ({                                                                                             \
        const uint32_t a_ = (is_signed) && (int32_t)(v) < 0 ? ~(v) : (v), z_ = lane_clz(a_);       \
        z_ == 32 ? ~0u : (shift) ? z_ : 31 - z_;                                                   \
    })
LANE_FN uint32_t lane_brev(uint32_t v) {
    v = (v >> 1 & 0x55555555u) | (v & 0x55555555u) << 1;
    v = (v >> 2 & 0x33333333u) | (v & 0x33333333u) << 2;
    v = (v >> 4 & 0x0f0f0f0fu) | (v & 0x0f0f0f0fu) << 4;
    v = (v >> 8 & 0x00ff00ffu) | (v & 0x00ff00ffu) << 8;
    return v >> 16 | v << 16;
}
LANE_FN uint32_t lane_popc(uint32_t v) {
    v -= v >> 1 & 0x55555555u;
    v = (v & 0x33333333u) + (v >> 2 & 0x33333333u);
    v = (v + (v >> 4)) & 0x0f0f0f0fu;
    return v * 0x01010101u >> 24;
}
// The place of the offset-th set bit, counted from `base` up, or down when it is negative.
LANE_FN uint32_t lane_fns(uint32_t bits, uint32_t base, uint32_t offset) {
    const int32_t n = (int32_t)offset;
    if (n == 0) return base < 32 && bits >> base & 1 ? base : ~0u;
    int64_t left = n < 0 ? -(int64_t)n : n;
    for (int64_t p = base; p >= 0 && p<32; p += n> 0 ? 1 : -1)
        if (bits >> p & 1 && --left == 0) return (uint32_t)p;
    return ~0u;
}
// A byte of b:a. Bit 3 of its number spreads its sign.
LANE_FN uint32_t lane_pick_byte(uint32_t a, uint32_t b, uint32_t nibble) {
    const uint32_t from = nibble & 4 ? b : a, v = from >> ((nibble & 3) * 8) & 255;
    return nibble & 8 ? (v & 128 ? 255 : 0) : v;
}
LANE_FN uint32_t lane_pick_bytes(uint32_t a, uint32_t b, uint32_t s) {
    return lane_pick_byte(a, b, s) | lane_pick_byte(a, b, s >> 4) << 8 |
           lane_pick_byte(a, b, s >> 8) << 16 | lane_pick_byte(a, b, s >> 12) << 24;
}
// The same when bytes come in order from words that their selectors have chosen: p[k] >> n[k].
LANE_FN uint32_t lane_join_bytes(uint32_t p0, uint32_t p1, uint32_t p2, uint32_t p3,
                                 const uint32_t n[4]) {
    return (p0 >> n[0] & 255) | (p1 >> n[1] & 255) << 8 | (p2 >> n[2] & 255) << 16 |
           (p3 >> n[3] & 255) << 24;
}
LANE_FN uint32_t lane_bmsk(uint32_t a, uint32_t b, bool wrap) {
    const uint32_t from = wrap ? a & 31 : a > 32 ? 32 : a, n = wrap ? b & 31 : b > 32 ? 32 : b;
    return (uint32_t)((((uint64_t)1 << n) - 1) << from);
}
LANE_FN uint32_t lane_szext(uint32_t a, uint32_t b, bool is_signed, bool wrap) {
    const uint32_t n = wrap ? b & 31 : b > 32 ? 32 : b, drop = (32 - n) & 31, up = a << drop;
    const uint32_t r = is_signed ? (uint32_t)((int32_t)up >> drop) : up >> drop;
    return n == 0 ? 0 : r;
}

#endif
