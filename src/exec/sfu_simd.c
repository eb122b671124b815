// The special-function unit: approximations of reciprocals, roots, powers and angles.
#include "exec/sfu_lane.h"

#define MUFU(name, body)                                                                           \
    FN(name) {                                                                                     \
        UNUSED_ENV;                                                                                \
        SOURCES1;                                                                                  \
        const struct fmode m = fmode_of(x);                                                        \
        uint32_t *const pd = x_dst(w, x->d);                                                       \
        LANES {                                                                                    \
            const uint32_t A = fsource(pa[i], &m, 0);                                              \
            const uint32_t r = fresult(body, &m);                                                  \
            pd[i] = PICK(r, pd[i]);                                                                \
        }                                                                                          \
        return EXEC_NEXT;                                                                          \
    }
MUFU(mufu_rcp, canon32(1.0f / as_f32(A)))
MUFU(mufu_rsq, sfu_rsq_32(A))
MUFU(mufu_sqrt, canon32(__builtin_sqrtf(as_f32(A))))
MUFU(mufu_ex2, sfu_ex2_32(A))
MUFU(mufu_lg2, sfu_lg2_32(A))
MUFU(mufu_sin, sfu_sin_32(A, false))
MUFU(mufu_cos, sfu_cos_32(A, false))
MUFU(mufu_sin_turn, sfu_sin_32(A, true))
MUFU(mufu_cos_turn, sfu_cos_32(A, true))
MUFU(mufu_tanh, sfu_tanh_32(A))

// rcp.approx.ftz.f64 and rsqrt.approx.ftz.f64 see the upper words only and make upper words;
// subnormals are zeros on both sides (PTX ISA).
LANE_FN uint32_t flush_hi(uint32_t hi) { return hi & 0x7ff00000u ? hi : hi & 0x80000000u; }
LANE_FN uint32_t gross64(uint32_t hi, bool root, uint32_t and_mask, uint32_t xor_mask) {
    const uint32_t a = flush_hi((hi & and_mask) ^ xor_mask);
    const double d = as_f64((uint64_t)a << 32);
    const double r = root ? 1.0 / __builtin_sqrt(d) : 1.0 / d;
    return r != r ? 0x7fffffffu : flush_hi((uint32_t)(as_u64(r) >> 32));
}
#define GROSS(name, root)                                                                          \
    FN(name) {                                                                                     \
        UNUSED_ENV;                                                                                \
        SOURCES1;                                                                                  \
        uint32_t *const pd = x_dst(w, x->d);                                                       \
        const uint32_t keep = x->mods[0] & OPND_ABS ? 0x7fffffffu : ~0u;                           \
        const uint32_t flip = x->mods[0] & OPND_NEG ? 0x80000000u : 0;                             \
        LANES STORE64((uint64_t)gross64(pa[i + 32], root, keep, flip) << 32);                      \
        return EXEC_NEXT;                                                                          \
    }
GROSS(mufu_rcp64, false)
GROSS(mufu_rsq64_hi, true)
// From a high word to a high word.
#define GROSS_WORD(name, root)                                                                     \
    FN(name) {                                                                                     \
        UNUSED_ENV;                                                                                \
        SOURCES1;                                                                                  \
        uint32_t *const pd = x_dst(w, x->d);                                                       \
        const uint32_t keep = x->mods[0] & OPND_ABS ? 0x7fffffffu : ~0u;                           \
        const uint32_t flip = x->mods[0] & OPND_NEG ? 0x80000000u : 0;                             \
        LANES {                                                                                    \
            const uint32_t r = gross64(pa[i], root, keep, flip);                                   \
            pd[i] = PICK(r, pd[i]);                                                                \
        }                                                                                          \
        return EXEC_NEXT;                                                                          \
    }
GROSS_WORD(mufu_rcp64h, false)
GROSS_WORD(mufu_rsq64h, true)

// rsqrt.approx.f64: what the hardware refines from the upper word, subnormals included.
LANE_FN uint64_t rsq64(uint64_t a) {
    const uint64_t quiet = 0x0008000000000000ull;
    const double r = 1.0 / __builtin_sqrt(as_f64(a));
    const bool is_nan = (a & 0x7fffffffffffffffull) > 0x7ff0000000000000ull;
    return is_nan ? a | quiet : r != r ? F64_NAN : as_u64(r);
}
FN(mufu_rsq64) {
    if (x->flags & MF_FTZ) return x_mufu_rsq64_hi(e, w, x, mask);
    SOURCES1;
    uint32_t *const pd = x_dst(w, x->d);
    const uint64_t keep = x->mods[0] & OPND_ABS ? ~(1ull << 63) : ~0ull;
    const uint64_t flip = x->mods[0] & OPND_NEG ? 1ull << 63 : 0;
    LANES {
        LANE1_64;
        STORE64(rsq64((A & keep) ^ flip));
    }
    return EXEC_NEXT;
}

const exec_fn AT_LEVEL(sfu_fns)[] = {EXEC_SFU_HANDLERS(HANDLER_ROW)};
