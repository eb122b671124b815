// Which handler a conversion gets.
#include "exec/cvt.h"
#include "exec/decode.h"
#include "exec/handlers.h"

static bool is_int(uint8_t t) { return !ptx_type_is_float(t); }
static uint8_t element(uint8_t t) {
    switch (t) {
    case PTX_F16X2: return PTX_F16;
    case PTX_BF16X2: return PTX_BF16;
    case PTX_E4M3X2: return PTX_E4M3;
    case PTX_E5M2X2: return PTX_E5M2;
    default: return PTX_NONE;
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
    {PTX_F32, PTX_F16, H_cvt_f32_f16, H_cvt_f32_f16},
    {PTX_F32, PTX_BF16, H_cvt_f32_bf16, H_cvt_f32_bf16},
    {PTX_F32, PTX_S32, H_cvt_f32_s32, H_cvt_f32_s32_r},
    {PTX_F32, PTX_U32, H_cvt_f32_u32, H_cvt_f32_u32_r},
    {PTX_F32, PTX_S64, H_cvt_f32_s64, H_cvt_f32_s64_r},
    {PTX_F32, PTX_U64, H_cvt_f32_u64, H_cvt_f32_u64_r},
    {PTX_F32, PTX_F64, H_cvt_f32_f64, H_cvt_f32_f64_r},
    {PTX_F64, PTX_F32, H_cvt_f64_f32, H_cvt_f64_f32},
    {PTX_F64, PTX_S32, H_cvt_f64_s32, H_cvt_f64_s32},
    {PTX_F64, PTX_U32, H_cvt_f64_u32, H_cvt_f64_u32},
    {PTX_F64, PTX_S64, H_cvt_f64_s64, H_cvt_f64_s64_r},
    {PTX_F64, PTX_U64, H_cvt_f64_u64, H_cvt_f64_u64_r},
    {PTX_F16, PTX_F32, H_cvt_f16_f32, H_cvt_f16_f32_r},
    {PTX_BF16, PTX_F32, H_cvt_bf16_f32, H_cvt_bf16_f32_r},
};
// Floats to integers, by mode.
static const struct plain_cvt to_integer[] = {
    {PTX_S32, PTX_F32, H_cvt_s32_f32_rn, 0}, {PTX_U32, PTX_F32, H_cvt_u32_f32_rn, 0},
    {PTX_B32, PTX_F32, H_cvt_u32_f32_rn, 0}, {PTX_S32, PTX_F64, H_cvt_s32_f64_rn, 0},
    {PTX_U32, PTX_F64, H_cvt_u32_f64_rn, 0}, {PTX_S64, PTX_F32, H_cvt_s64_f32_rn, 0},
    {PTX_U64, PTX_F32, H_cvt_u64_f32_rn, 0}, {PTX_S64, PTX_F64, H_cvt_s64_f64_rn, 0},
    {PTX_U64, PTX_F64, H_cvt_u64_f64_rn, 0},
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
        if (x->flags & MF_SAT || ptx_type_bits(from) == 64) return NULL;
        if (ptx_type_bits(to) == 64) return v->cvt[H_cvt_int_pair];
        if (ptx_type_bits(to) < 32 && ptx_type_is_signed(to)) return NULL;
        x->aux8 = (uint8_t)(ptx_type_bits(to) < 32 ? ptx_type_bits(to) : 0);
        return v->cvt[H_cvt_int];
    }
    if (to == PTX_F32 && from == PTX_F32 && x->flags & MF_INTRND)
        return choose_integral(v, x, false);
    // A subnormal becomes the integer 0 in these modes, flushed or not.
    const bool forgets = is_int(to) && (x->rnd == MRND_RZ || x->rnd == MRND_RN);
    const uint32_t flags = x->flags & ~(forgets ? MF_FTZ : 0u);
    if (flags & (MF_FTZ | MF_SAT | MF_SATFINITE | MF_RELU) || x->mods[0]) return NULL;
    if (x->flags & MF_INTRND)
        return to == PTX_F64 && from == PTX_F64 ? choose_integral(v, x, true) : NULL;
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
