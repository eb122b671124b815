// Which handler a conversion gets.
#include "exec/cvt.h"
#include "exec/decode.h"
#include "exec/handlers.h"

static bool is_int(uint8_t t) { return !isa_type_is_float(t); }
static uint8_t element(uint8_t t) {
    switch (t) {
    case ITYPE_F16X2: return ITYPE_F16;
    case ITYPE_BF16X2: return ITYPE_BF16;
    case ITYPE_E4M3X2: return ITYPE_E4M3;
    case ITYPE_E5M2X2: return ITYPE_E5M2;
    default: return ITYPE_NONE;
    }
}
static exec_fn choose_integral(const struct exec_level *v, const struct xinst *x, bool wide) {
    switch (x->rnd) {
    case MRND_RM: return v->cvt[wide ? H_cvt_floor64 : H_cvt_floor];
    case MRND_RP: return v->cvt[wide ? H_cvt_ceil64 : H_cvt_ceil];
    case MRND_RZ: return v->cvt[wide ? H_cvt_trunc64 : H_cvt_trunc];
    case MRND_RN:
    case MRND_NONE: return v->cvt[wide ? H_cvt_rint64 : H_cvt_rint];
    default: return NULL;
    }
}

static_assert(MRND_RZ == MRND_RN + 1 && MRND_RM == MRND_RN + 2 && MRND_RP == MRND_RN + 3,
              "EXEC_CVT_MODES");

// Plain conversions with nothing but a rounding: which handler to nearest, which in another mode
// (the first of a mode each where both are the same); none where the result is exact.
struct plain_cvt {
    uint8_t to, from;
    uint16_t nearest, directed;
};
static const struct plain_cvt plain[] = {
    {ITYPE_F32, ITYPE_F16, H_cvt_f32_f16, H_cvt_f32_f16},
    {ITYPE_F32, ITYPE_BF16, H_cvt_f32_bf16, H_cvt_f32_bf16},
    {ITYPE_F32, ITYPE_S32, H_cvt_f32_s32, H_cvt_f32_s32_r},
    {ITYPE_F32, ITYPE_U32, H_cvt_f32_u32, H_cvt_f32_u32_r},
    {ITYPE_F32, ITYPE_S64, H_cvt_f32_s64, H_cvt_f32_s64_r},
    {ITYPE_F32, ITYPE_U64, H_cvt_f32_u64, H_cvt_f32_u64_r},
    {ITYPE_F32, ITYPE_F64, H_cvt_f32_f64, H_cvt_f32_f64_r},
    {ITYPE_F64, ITYPE_F32, H_cvt_f64_f32, H_cvt_f64_f32},
    {ITYPE_F64, ITYPE_S32, H_cvt_f64_s32, H_cvt_f64_s32},
    {ITYPE_F64, ITYPE_U32, H_cvt_f64_u32, H_cvt_f64_u32},
    {ITYPE_F64, ITYPE_S64, H_cvt_f64_s64, H_cvt_f64_s64_r},
    {ITYPE_F64, ITYPE_U64, H_cvt_f64_u64, H_cvt_f64_u64_r},
    {ITYPE_F16, ITYPE_F32, H_cvt_f16_f32, H_cvt_f16_f32_r},
    {ITYPE_BF16, ITYPE_F32, H_cvt_bf16_f32, H_cvt_bf16_f32_r},
};
// Floats to integers, by mode.
static const struct plain_cvt to_integer[] = {
    {ITYPE_S32, ITYPE_F32, H_cvt_s32_f32_rn, 0}, {ITYPE_U32, ITYPE_F32, H_cvt_u32_f32_rn, 0},
    {ITYPE_B32, ITYPE_F32, H_cvt_u32_f32_rn, 0}, {ITYPE_S32, ITYPE_F64, H_cvt_s32_f64_rn, 0},
    {ITYPE_U32, ITYPE_F64, H_cvt_u32_f64_rn, 0}, {ITYPE_S64, ITYPE_F32, H_cvt_s64_f32_rn, 0},
    {ITYPE_U64, ITYPE_F32, H_cvt_u64_f32_rn, 0}, {ITYPE_S64, ITYPE_F64, H_cvt_s64_f64_rn, 0},
    {ITYPE_U64, ITYPE_F64, H_cvt_u64_f64_rn, 0},
};
static exec_fn choose_plain(const struct exec_level *v, const struct xinst *x) {
    const bool nearest = x->rnd == MRND_RN || x->rnd == MRND_NONE;
    if (x->rnd > MRND_RP) return NULL;
    for (size_t k = 0; k < WW_COUNT(plain); k++)
        if (plain[k].to == x->type && plain[k].from == x->stype)
            return v->cvt[nearest ? plain[k].nearest : plain[k].directed];
    for (size_t k = 0; k < WW_COUNT(to_integer); k++)
        if (to_integer[k].to == x->type && to_integer[k].from == x->stype)
            return v->cvt[to_integer[k].nearest + (nearest ? 0 : x->rnd - MRND_RN)];
    return NULL;
}
// The fast conversions; NULL when there is none of this kind.
static exec_fn choose_fast(const struct exec_level *v, struct xinst *x) {
    const uint8_t to = x->type, from = x->stype;
    if (is_int(to) && is_int(from)) {
        if (x->flags & MF_SAT || isa_type_bits(from) == 64) return NULL;
        if (isa_type_bits(to) == 64) return v->cvt[H_cvt_int_pair];
        if (isa_type_bits(to) < 32 && isa_type_is_signed(to)) return NULL;
        x->aux8 = (uint8_t)(isa_type_bits(to) < 32 ? isa_type_bits(to) : 0);
        return v->cvt[H_cvt_int];
    }
    if (to == ITYPE_F32 && from == ITYPE_F32 && x->flags & MF_INTRND)
        return choose_integral(v, x, false);
    // A subnormal becomes the integer 0 in these modes, flushed or not.
    const bool forgets = is_int(to) && (x->rnd == MRND_RZ || x->rnd == MRND_RN);
    const uint32_t flags = x->flags & ~(forgets ? MF_FTZ : 0u);
    if (flags & (MF_FTZ | MF_SAT | MF_SATFINITE | MF_RELU) || x->mods[0]) return NULL;
    if (x->flags & MF_INTRND)
        return to == ITYPE_F64 && from == ITYPE_F64 ? choose_integral(v, x, true) : NULL;
    return choose_plain(v, x);
}

exec_fn choose_cvt(const struct minst *m, struct xinst *x) {
    if (m->op == OP_CVTPACK) return cvt_any_fns[CVT_PACK];
    const uint8_t pair_to = element(m->type), pair_from = element(m->stype);
    if (pair_to && pair_from) {
        x->vec = pair_to;
        x->bytes = pair_from;
        return cvt_any_fns[CVT_FROM_PAIR];
    }
    if (pair_to) {
        x->vec = pair_to;
        return cvt_any_fns[CVT_PAIR];
    }
    // A float becomes an integer towards zero unless it says how; everything else to nearest.
    if (x->rnd == MRND_NONE && is_int(m->type) && !is_int(m->stype)) x->rnd = MRND_RZ;
    const exec_fn f = choose_fast(exec_level(), x);
    return f ? f : cvt_any_fns[CVT_ANY];
}
