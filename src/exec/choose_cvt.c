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
static bool is32(uint8_t t) { return t == PTX_S32 || t == PTX_U32 || t == PTX_B32; }

static exec_fn choose_integral(const struct exec_level *v, const struct xinst *x) {
    switch (x->rnd) {
    case MRND_RM: return v->cvt[H_cvt_floor];
    case MRND_RP: return v->cvt[H_cvt_ceil];
    case MRND_RZ: return v->cvt[H_cvt_trunc];
    case MRND_RN:
    case MRND_NONE: return v->cvt[H_cvt_rint];
    default: return NULL;
    }
}

// Plain conversions with nothing but a rounding; NULL when there is none of this kind.
static exec_fn choose_fast(const struct exec_level *v, struct xinst *x) {
    const bool rn = x->rnd == MRND_RN || x->rnd == MRND_NONE, rz = x->rnd == MRND_RZ;
    const uint8_t to = x->type, from = x->stype;
    if (is_int(to) && is_int(from)) {
        if (x->flags & MF_SAT || ptx_type_bits(from) == 64) return NULL;
        if (ptx_type_bits(to) == 64) return v->cvt[H_cvt_int_pair];
        if (ptx_type_bits(to) < 32 && ptx_type_is_signed(to)) return NULL;
        x->aux8 = (uint8_t)(ptx_type_bits(to) < 32 ? ptx_type_bits(to) : 0);
        return v->cvt[H_cvt_int];
    }
    if (to == PTX_F32 && from == PTX_F32 && x->flags & MF_INTRND) return choose_integral(v, x);
    if (x->flags & (MF_FTZ | MF_SAT | MF_INTRND | MF_SATFINITE | MF_RELU) || x->mods[0])
        return NULL;
    if (to == PTX_F32) {
        if (from == PTX_F16) return v->cvt[H_cvt_f32_f16];
        if (from == PTX_BF16) return v->cvt[H_cvt_f32_bf16];
        if (!rn) return NULL;
        if (from == PTX_S32) return v->cvt[H_cvt_f32_s32];
        if (from == PTX_U32) return v->cvt[H_cvt_f32_u32];
        if (from == PTX_S64) return v->cvt[H_cvt_f32_s64];
        if (from == PTX_U64) return v->cvt[H_cvt_f32_u64];
        return from == PTX_F64 ? v->cvt[H_cvt_f32_f64] : NULL;
    }
    if (to == PTX_F64) {
        if (from == PTX_F32) return v->cvt[H_cvt_f64_f32];
        if (from == PTX_S32) return v->cvt[H_cvt_f64_s32];
        if (from == PTX_U32) return v->cvt[H_cvt_f64_u32];
        if (!rn) return NULL;
        if (from == PTX_S64) return v->cvt[H_cvt_f64_s64];
        return from == PTX_U64 ? v->cvt[H_cvt_f64_u64] : NULL;
    }
    if (from == PTX_F32 && rn && to == PTX_F16) return v->cvt[H_cvt_f16_f32];
    if (from == PTX_F32 && rn && to == PTX_BF16) return v->cvt[H_cvt_bf16_f32];
    if (rz && (from == PTX_F32 || from == PTX_F64)) {
        if (to == PTX_S64) return v->cvt[from == PTX_F32 ? H_cvt_s64_f32_rz : H_cvt_s64_f64_rz];
        if (to == PTX_U64) return v->cvt[from == PTX_F32 ? H_cvt_u64_f32_rz : H_cvt_u64_f64_rz];
    }
    if (!is32(to) || !(rn || rz)) return NULL;
    if (from == PTX_F32 && to == PTX_S32) return v->cvt[rz ? H_cvt_s32_f32_rz : H_cvt_s32_f32_rn];
    if (from == PTX_F32) return v->cvt[rz ? H_cvt_u32_f32_rz : H_cvt_u32_f32_rn];
    if (from == PTX_F64 && to == PTX_S32) return v->cvt[rz ? H_cvt_s32_f64_rz : H_cvt_s32_f64_rn];
    return NULL;
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
