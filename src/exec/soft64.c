// See soft64.h. Finite non-zero values are sign, 128-bit significand and exponent; the result is
// formed exactly but for a sticky lowest bit, far below the place of rounding, and rounded once.
#include "exec/soft64.h"
#include "exec/exec_int.h"

typedef unsigned __int128 u128;

struct parts {
    bool negative;
    uint64_t sig; // 53 bits with the highest set, also for subnormals
    int exp;      // of the lowest bit of sig
};

static bool is_special(uint64_t a) { return (a & 0x7fffffffffffffffull) >= 0x7ff0000000000000ull; }
static bool is_zero(uint64_t a) { return !(a << 1); }

static struct parts unpack(uint64_t a) { // finite, not zero
    struct parts p = {.negative = a >> 63, .sig = a & 0x000fffffffffffffull};
    const int e = (int)(a >> 52 & 0x7ff);
    p.exp = (e ? e : 1) - 1075;
    if (e) p.sig |= 1ull << 52;
    const int up = __builtin_clzll(p.sig) - 11;
    p.sig <<= up;
    p.exp -= up;
    return p;
}

static int top_bit(u128 v) {
    const uint64_t hi = (uint64_t)(v >> 64);
    return hi ? 127 - __builtin_clzll(hi) : 63 - __builtin_clzll((uint64_t)v);
}
static u128 shift_jam(u128 v, int n) { // right, remembering whether anything fell off
    if (n <= 0) return v;
    if (n > 127) return v != 0;
    return v >> n | ((v & (((u128)1 << n) - 1)) != 0);
}

struct soft_rounded soft_round(bool negative, u128 sig, int exp, int digits, int least,
                               uint8_t rnd) {
    struct soft_rounded r = {0, least};
    if (!sig) return r;
    int ulp = exp + top_bit(sig) - (digits - 1);
    if (ulp < least) ulp = least;
    const int drop = ulp - exp;
    r.exp = ulp;
    if (drop <= 0) {
        r.sig = (uint64_t)(sig << -drop);
        return r;
    }
    const u128 rest = drop > 127 ? sig : sig & (((u128)1 << drop) - 1);
    const u128 half = drop > 128 ? 0 : (u128)1 << (drop - 1);
    r.sig = drop > 127 ? 0 : (uint64_t)(sig >> drop);
    bool up = false;
    switch (rnd) {
    case MRND_RZ: break;
    case MRND_RM: up = negative && rest; break;
    case MRND_RP: up = !negative && rest; break;
    case MRND_RNA: up = half && rest >= half; break;
    default: up = half && (rest > half || (rest == half && (r.sig & 1))); break;
    }
    r.sig += up;
    if (r.sig >> digits) {
        r.sig >>= 1;
        r.exp++;
    }
    return r;
}

static uint64_t round_pack(bool negative, u128 sig, int exp, uint8_t rnd) {
    const struct soft_rounded r = soft_round(negative, sig, exp, 53, -1074, rnd);
    const uint64_t sign = (uint64_t)negative << 63;
    if (r.exp > 971) {
        const bool to_max =
            rnd == MRND_RZ || (rnd == MRND_RM && !negative) || (rnd == MRND_RP && negative);
        return sign | (to_max ? 0x7fefffffffffffffull : 0x7ff0000000000000ull);
    }
    if (!(r.sig >> 52)) return sign | r.sig; // subnormal or zero
    return sign | (uint64_t)(r.exp + 1075) << 52 | (r.sig & 0x000fffffffffffffull);
}

// Exact sum of two non-zero values, each with its top bit moved to bit 125.
static uint64_t sum(bool na, u128 a, int ea, bool nb, u128 b, int eb, uint8_t rnd) {
    const int ua = 125 - top_bit(a), ub = 125 - top_bit(b);
    a <<= ua;
    ea -= ua;
    b <<= ub;
    eb -= ub;
    if (ea < eb || (ea == eb && a < b)) {
        const u128 t = a;
        const int te = ea;
        const bool tn = na;
        a = b, ea = eb, na = nb;
        b = t, eb = te, nb = tn;
    }
    b = shift_jam(b, ea - eb);
    const u128 s = na == nb ? a + b : a - b;
    if (!s) return rnd == MRND_RM ? 1ull << 63 : 0;
    return round_pack(na, s, ea, rnd);
}

uint64_t soft64_fma(uint64_t a, uint64_t b, uint64_t c, uint8_t rnd) {
    if (is_special(a) || is_special(b) || is_special(c) || is_zero(a) || is_zero(b)) {
        // A product with a zero or special factor is exact; but it may be NaN only by its own
        // right.
        const uint64_t p = as_u64(as_f64(a) * as_f64(b));
        if (is_special(p) || is_special(c)) {
            if (!is_special(a) && !is_special(b)) return as_u64(as_f64(c) + 0.0);
            return as_u64(as_f64(p) + as_f64(c));
        }
        if (!is_zero(c)) return c;
        return rnd == MRND_RM ? p | c : p & c; // of zeros: the sign
    }
    const struct parts p = unpack(a), q = unpack(b);
    const bool negative = p.negative != q.negative;
    const u128 product = (u128)p.sig * q.sig;
    if (is_zero(c)) return round_pack(negative, product, p.exp + q.exp, rnd);
    const struct parts r = unpack(c);
    return sum(negative, product, p.exp + q.exp, r.negative, r.sig, r.exp, rnd);
}

double soft64_fma_nearest(double a, double b, double c) {
    return as_f64(soft64_fma(as_u64(a), as_u64(b), as_u64(c), MRND_RN));
}
