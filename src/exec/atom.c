// Read-modify-write on one location, by type. Arithmetic on floats is to nearest; atom.add.f32 on
// global memory flushes subnormals, on shared memory it does not (PTX ISA, atom).
#include "exec/half_lane.h"
#include "exec/log.h"
#include "isa/mbarrier.h"

uint32_t atomic_bytes(const struct xinst *x) { return x->vec * isa_type_bits(x->type) / 8; }

static uint32_t flush(uint32_t v, bool fz) { return fz ? flush32(v, 0x7fffffffu) : v; }

uint32_t atomic32_float_add(uint32_t old, uint32_t b, bool is_global) {
    const uint32_t u = flush(old, is_global), v = flush(b, is_global);
    return flush(canon32(as_f32(u) + as_f32(v)), is_global);
}

static uint32_t add_halves(uint32_t a, uint32_t b, bool bf, bool two) {
    uint32_t r = 0;
    for (uint32_t k = 0; k < (two ? 2 : 1); k++) {
        const double s = add_odd(half_widen(a >> (16 * k), bf), half_widen(b >> (16 * k), bf));
        r |= (half_from_f64(s, bf) & 0xffff) << (16 * k);
    }
    return r;
}
static uint32_t minmax_halves(uint32_t a, uint32_t b, bool bf, bool two, bool is_max) {
    uint32_t r = 0;
    for (uint32_t k = 0; k < (two ? 2 : 1); k++) {
        const uint32_t x = a >> (16 * k) & 0xffff, y = b >> (16 * k) & 0xffff;
        const double dx = half_widen(x, bf), dy = half_widen(y, bf);
        const bool less = dx < dy || (dx == dy && x >> 15 > y >> 15);
        uint32_t v = less != is_max ? x : y;
        if (dx != dx)
            v = dy != dy ? 0x7fff : y;
        else if (dy != dy)
            v = x;
        r |= v << (16 * k);
    }
    return r;
}

static uint64_t compute(const struct xinst *x, uint64_t old, uint64_t b, uint64_t c, bool global) {
    const bool is_signed = x->type == ITYPE_S32 || x->type == ITYPE_S64;
    const bool wide = isa_type_bits(x->type) == 64;
    const int64_t so = wide ? (int64_t)old : (int32_t)(uint32_t)old;
    const int64_t sb = wide ? (int64_t)b : (int32_t)(uint32_t)b;
    switch (x->sub) {
    case MATOM_ADD:
        switch (x->type) {
        case ITYPE_F32: return atomic32_float_add((uint32_t)old, (uint32_t)b, global);
        case ITYPE_F64: {
            const double r = as_f64(old) + as_f64(b);
            return r != r ? F64_NAN : as_u64(r);
        }
        case ITYPE_F16: return add_halves((uint32_t)old, (uint32_t)b, false, false);
        case ITYPE_BF16: return add_halves((uint32_t)old, (uint32_t)b, true, false);
        case ITYPE_F16X2: return add_halves((uint32_t)old, (uint32_t)b, false, true);
        case ITYPE_BF16X2: return add_halves((uint32_t)old, (uint32_t)b, true, true);
        default: return old + b;
        }
    case MATOM_MIN:
    case MATOM_MAX: {
        const bool is_max = x->sub == MATOM_MAX;
        switch (x->type) {
        case ITYPE_F16: return minmax_halves((uint32_t)old, (uint32_t)b, false, false, is_max);
        case ITYPE_BF16: return minmax_halves((uint32_t)old, (uint32_t)b, true, false, is_max);
        case ITYPE_F16X2: return minmax_halves((uint32_t)old, (uint32_t)b, false, true, is_max);
        case ITYPE_BF16X2: return minmax_halves((uint32_t)old, (uint32_t)b, true, true, is_max);
        default: break;
        }
        const bool less = is_signed ? so < sb : old < b;
        return less != is_max ? old : b;
    }
    case MATOM_INC: return old >= b ? 0 : old + 1;
    case MATOM_DEC: return old == 0 || old > b ? b : old - 1;
    case MATOM_AND: return old & b;
    case MATOM_OR: return old | b;
    case MATOM_XOR: return old ^ b;
    case MATOM_EXCH: return b;
    case MATOM_ARRIVE: return mbarrier_arrive(old, (uint32_t)b);
    case MATOM_ARRIVE_TX: return mbarrier_arrive_tx(old, (uint32_t)b, (int32_t)(b >> 32));
    default: return old == b ? c : old;
    }
}

static void apply_element(uint8_t *p, const struct xinst *x, const uint8_t *b, const uint8_t *c,
                          uint32_t bytes, bool is_global) {
    uint64_t old = 0, vb = 0, vc = 0;
    memcpy(&old, p, bytes);
    memcpy(&vb, b, bytes);
    memcpy(&vc, c, bytes);
    const uint64_t now = compute(x, old, vb, vc, is_global);
    memcpy(p, &now, bytes);
}

struct wide atomic_apply(uint8_t *p, const struct xinst *x, const struct wide *b,
                         const struct wide *c, bool is_global) {
    const uint32_t bytes = atomic_bytes(x), each = bytes / x->vec;
    struct wide old = {{0, 0}};
    memcpy(&old, p, bytes);
    if (each == 16) { // exchange, compare and swap
        const bool swap = x->sub == MATOM_EXCH || !memcmp(&old, b, 16);
        if (swap) memcpy(p, x->sub == MATOM_EXCH ? b : c, 16);
        return old;
    }
    for (uint32_t k = 0; k < bytes; k += each)
        apply_element(p + k, x, (const uint8_t *)b + k, (const uint8_t *)c + k, each, is_global);
    return old;
}

void atomic_result(struct exec_warp *w, const struct xinst *x, uint32_t lane,
                   const struct wide *old) {
    if (x->d == X_NONE) return;
    uint32_t *pd = x_dst(w, x->d) + lane;
    const uint32_t bytes = atomic_bytes(x);
    for (uint32_t k = 0; k < bytes; k += 4, pd += WARP_LANES)
        memcpy(pd, (const uint8_t *)old + k, 4); // what stands above a narrow value is nobody's
}

void heap_result(struct exec_warp *w, const struct xinst *x, uint32_t lane, uint64_t pointer) {
    if (x->d == X_NONE) return;
    x_dst(w, x->d)[lane] = (uint32_t)pointer;
    if (x->aux8 == 2) x_dst(w, x->d)[lane + WARP_LANES] = (uint32_t)(pointer >> 32);
}
