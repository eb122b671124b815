// Which handler an instruction gets: the plain one when nothing special is asked for, the general
// one of its operation otherwise.
#include "exec/decode.h"
#include "exec/handlers.h"
#include "exec/matrix.h"
#include "exec/mem.h"
#include "exec/tex.h"
#include "exec/warp.h"

static bool any_mods(const struct xinst *x, uint32_t n) {
    uint8_t m = 0;
    for (uint32_t k = 0; k < n; k++) m |= x->mods[k];
    return m;
}
static bool is_nearest(const struct xinst *x) { return x->rnd == MRND_NONE || x->rnd == MRND_RN; }
static bool is16(uint8_t t) { return t == ITYPE_U16 || t == ITYPE_S16 || t == ITYPE_B16; }
static bool is16x2(uint8_t t) { return t == ITYPE_U16X2 || t == ITYPE_S16X2; }
static bool is_signed(uint8_t t) { return isa_type_is_signed(t); }
static bool is64(uint8_t t) { return isa_type_bits(t) == 64; }

static void swap_ab(struct xinst *x) {
    const uint32_t t = x->a;
    x->a = x->b;
    x->b = t;
    const uint8_t m = x->mods[0];
    x->mods[0] = x->mods[1];
    x->mods[1] = m;
}

static exec_fn choose_iadd(const struct exec_level *v, struct xinst *x) {
    if (is64(x->type)) return any_mods(x, 2) ? v->int64_[H_iadd64_g] : v->int64_[H_iadd64];
    if (x->flags & (MF_CC_IN | MF_CC_OUT | MF_SAT)) return v->int_[H_iadd_g];
    if (is16(x->type) || is16x2(x->type)) return v->int_[H_iadd16];
    const uint8_t na = x->mods[0] & OPND_NEG, nb = x->mods[1] & OPND_NEG;
    if (na && nb) return v->int_[H_iadd_g];
    if (na) swap_ab(x);
    return na || nb ? v->int_[H_isub] : v->int_[H_iadd];
}
static exec_fn choose_imul(const struct exec_level *v, struct xinst *x) {
    const bool mad = x->op == OP_IMAD, s = is_signed(x->type);
    const bool simple = !is16(x->type) && !any_mods(x, mad ? 3 : 2) &&
                        !(x->flags & (MF_CC_IN | MF_CC_OUT | MF_SAT));
    if (simple && x->flags & MF_WIDE)
        return v->int_[mad ? s ? H_imadwide_s : H_imadwide_u : s ? H_imulwide_s : H_imulwide_u];
    if (simple && x->flags & MF_HI && !mad) return v->int_[s ? H_imulhi_s : H_imulhi_u];
    if (simple && !(x->flags & MF_HI)) return v->int_[mad ? H_imad : H_imul];
    if (mad && !is16(x->type) && !any_mods(x, 3) && !(x->flags & (MF_WIDE | MF_SAT)))
        return v->int_[!(x->flags & MF_HI) ? H_imad_c : s ? H_imadhi_s : H_imadhi_u];
    return v->int_[H_imad_g];
}
static exec_fn choose_imnmx(const struct exec_level *v, struct xinst *x) {
    if (is64(x->type))
        return v->int64_[x->sub               ? is_signed(x->type) ? H_imax64_s : H_imax64_u
                         : is_signed(x->type) ? H_imin64_s
                                              : H_imin64_u];
    if (x->flags & MF_RELU || is16(x->type) || is16x2(x->type)) return v->int_[H_imnmx_g];
    return v->int_[x->sub               ? is_signed(x->type) ? H_imax_s : H_imax_u
                   : is_signed(x->type) ? H_imin_s
                                        : H_imin_u];
}
static exec_fn choose_isetp(const struct exec_level *v, struct xinst *x) {
    const bool s = is_signed(x->type);
    if (is64(x->type)) {
        switch (x->cmp) {
        case MCMP_EQ: return v->int64_[H_isetp64_eq];
        case MCMP_NE: return v->int64_[H_isetp64_ne];
        case MCMP_LT: return v->int64_[s ? H_isetp64_lt_s : H_isetp64_lt_u];
        case MCMP_LE: return v->int64_[s ? H_isetp64_le_s : H_isetp64_le_u];
        case MCMP_GT: return v->int64_[s ? H_isetp64_gt_s : H_isetp64_gt_u];
        case MCMP_GE: return v->int64_[s ? H_isetp64_ge_s : H_isetp64_ge_u];
        default: return v->int_[H_isetp_g];
        }
    }
    if (isa_type_bits(x->type) != 32) return v->int_[H_isetp_g];
    switch (x->cmp) {
    case MCMP_EQ: return v->int_[H_isetp_eq];
    case MCMP_NE: return v->int_[H_isetp_ne];
    case MCMP_LT: return v->int_[s ? H_isetp_lt_s : H_isetp_lt_u];
    case MCMP_LE: return v->int_[s ? H_isetp_le_s : H_isetp_le_u];
    case MCMP_GT: return v->int_[s ? H_isetp_gt_s : H_isetp_gt_u];
    case MCMP_GE: return v->int_[s ? H_isetp_ge_s : H_isetp_ge_u];
    default: return v->int_[H_isetp_g];
    }
}
static exec_fn choose_shift(const struct exec_level *v, struct xinst *x) {
    const bool s = is_signed(x->type), left = x->op == OP_SHL;
    if (is64(x->type)) return v->int64_[left ? H_shl64 : s ? H_shr64_s : H_shr64_u];
    if (is16(x->type)) return v->int_[left ? H_shl16 : s ? H_shr16_s : H_shr16_u];
    return v->int_[left ? H_shl : s ? H_shr_s : H_shr_u];
}
static exec_fn choose_lop(const struct exec_level *v, struct xinst *x) {
    if (x->aux8 == 1 && !any_mods(x, 2)) {
        if (x->sub == MLOGIC_AND) return v->int_[H_and];
        if (x->sub == MLOGIC_OR) return v->int_[H_or];
        if (x->sub == MLOGIC_XOR) return v->int_[H_xor];
    }
    return v->int_[H_lop_n];
}

// Arithmetic of floats: to nearest plain and general, then the same directed.
static exec_fn choose_f32(const struct exec_level *v, struct xinst *x, uint32_t sources,
                          const uint16_t form[4]) {
    const bool is_plain = !any_mods(x, sources) && !(x->flags & (MF_FTZ | MF_SAT));
    return v->fp32[form[(is_nearest(x) ? 0 : 2) + (is_plain ? 0 : 1)]];
}
#define FORMS(name)                                                                                \
    (const uint16_t[4]) { H_##name, H_##name##_g, H_##name##_p, H_##name##_r }
static exec_fn choose_fp32(const struct exec_level *v, struct xinst *x) {
    switch (x->op) {
    case OP_FADD:
        if (is_nearest(x) && !(x->flags & (MF_FTZ | MF_SAT)) && !x->mods[0] &&
            x->mods[1] == OPND_NEG)
            return v->fp32[H_fsub];
        return choose_f32(v, x, 2, FORMS(fadd));
    case OP_FMUL: return choose_f32(v, x, 2, FORMS(fmul));
    case OP_FFMA: return choose_f32(v, x, 3, FORMS(ffma));
    case OP_FMAD: return v->fp32[H_fmad];
    case OP_FMNMX:
        if (!any_mods(x, 3) && !(x->flags & (MF_FTZ | MF_SAT | MF_NAN | MF_ABS)) && x->aux8 != 3)
            return v->fp32[x->sub ? H_fmax : H_fmin];
        return v->fp32[H_fmnmx_g];
    case OP_FABSNEG: return v->fp32[H_fmov];
    case OP_FSETP:
        if (any_mods(x, 2) || x->flags & MF_FTZ) return v->fp32[H_fsetp_g];
        switch (x->cmp) {
        case MCMP_EQ: return v->fp32[H_fsetp_eq];
        case MCMP_LT: return v->fp32[H_fsetp_lt];
        case MCMP_LE: return v->fp32[H_fsetp_le];
        case MCMP_GT: return v->fp32[H_fsetp_gt];
        case MCMP_GE: return v->fp32[H_fsetp_ge];
        case MCMP_NEU: return v->fp32[H_fsetp_neu];
        default: return v->fp32[H_fsetp_g];
        }
    case OP_FCOPYSIGN: return v->fp32[H_fcopysign];
    case OP_FDIV:
        if (x->flags & MF_APPROX) return v->fp32[H_fdiv_approx];
        return choose_f32(v, x, 2, FORMS(fdiv));
    case OP_FRCP: return choose_f32(v, x, 1, FORMS(frcp));
    default: return choose_f32(v, x, 1, FORMS(fsqrt));
    }
}
static exec_fn choose_f64(const struct exec_level *v, const struct xinst *x, uint32_t sources,
                          uint32_t plain, uint32_t general, uint32_t directed) {
    if (!is_nearest(x)) return v->fp64[directed];
    return v->fp64[any_mods(x, sources) ? general : plain];
}
static exec_fn choose_fp64(const struct exec_level *v, struct xinst *x) {
    switch (x->op) {
    case OP_DADD: return choose_f64(v, x, 2, H_dadd, H_dadd_g, H_dadd_r);
    case OP_DMUL: return choose_f64(v, x, 2, H_dmul, H_dmul_g, H_dmul_r);
    case OP_DFMA: return choose_f64(v, x, 3, H_dfma, H_dfma_g, H_dfma_r);
    case OP_DDIV: return choose_f64(v, x, 2, H_ddiv, H_ddiv_g, H_ddiv_r);
    case OP_DRCP: return choose_f64(v, x, 1, H_drcp, H_drcp_g, H_drcp_r);
    case OP_DSQRT: return choose_f64(v, x, 1, H_dsqrt, H_dsqrt_g, H_dsqrt_r);
    case OP_DMNMX: return v->fp64[x->sub ? H_dmax : H_dmin];
    case OP_DABSNEG: return v->fp64[H_dmov];
    case OP_DCOPYSIGN: return v->fp64[H_dcopysign];
    default: break;
    }
    if (any_mods(x, 3)) return v->fp64[H_dsetp_g];
    switch (x->cmp) {
    case MCMP_EQ: return v->fp64[H_dsetp_eq];
    case MCMP_LT: return v->fp64[H_dsetp_lt];
    case MCMP_LE: return v->fp64[H_dsetp_le];
    case MCMP_GT: return v->fp64[H_dsetp_gt];
    case MCMP_GE: return v->fp64[H_dsetp_ge];
    case MCMP_NEU: return v->fp64[H_dsetp_neu];
    default: return v->fp64[H_dsetp_g];
    }
}
static exec_fn choose_fset(const struct exec_level *v, struct xinst *x) {
    switch (x->stype) {
    case ITYPE_F64: return v->fp64[H_dset];
    case ITYPE_F16:
    case ITYPE_F16X2:
    case ITYPE_BF16:
    case ITYPE_BF16X2: return v->half[H_hset];
    default: return v->fp32[H_fset];
    }
}
static exec_fn choose_mufu(const struct exec_level *v, const struct xinst *x) {
    static const uint8_t row[] = {
        [MUFU_RCP] = H_mufu_rcp,    [MUFU_RSQ] = H_mufu_rsq,   [MUFU_SQRT] = H_mufu_sqrt,
        [MUFU_EX2] = H_mufu_ex2,    [MUFU_LG2] = H_mufu_lg2,   [MUFU_SIN] = H_mufu_sin,
        [MUFU_COS] = H_mufu_cos,    [MUFU_TANH] = H_mufu_tanh, [MUFU_RCP64] = H_mufu_rcp64,
        [MUFU_RSQ64] = H_mufu_rsq64};
    return x->sub < WW_COUNT(row) ? v->sfu[row[x->sub]] : NULL;
}
static exec_fn choose_half(const struct exec_level *v, const struct xinst *x) {
    const bool bf = x->type == ITYPE_BF16 || x->type == ITYPE_BF16X2;
    switch (x->op) {
    case OP_HADD: return v->half[bf ? H_hadd_bf : H_hadd];
    case OP_HMUL: return v->half[bf ? H_hmul_bf : H_hmul];
    case OP_HFMA: return v->half[bf ? H_hfma_bf : H_hfma];
    case OP_HMNMX: return v->half[H_hmnmx];
    case OP_HABSNEG: return v->half[H_hmov];
    case OP_HSETP: return v->half[H_hsetp];
    case OP_HSET: return v->half[H_hset];
    default: return v->half[H_hspecial];
    }
}

// Loads and stores of whole aligned words without checks have fast forms.
static exec_fn choose_memory(const struct exec_level *v, const struct exec_launch *l,
                             const struct minst *m, struct xinst *x) {
    const bool load = m->op == OP_LD;
    const uint32_t element = isa_type_bits(m->type) / 8;
    x->aux8 = (uint8_t)(element >= 4 ? x->bytes / 4 : x->vec); // words in registers
    const exec_fn general = mem_fns[load ? MEM_LOAD : MEM_STORE];
    if (l->args.options.check_races || l->args.options.check_uninitialised) return general;
    if (load && x->d == X_NONE) return general;
    if (element < 4) {
        if (!load || x->vec != 1) return general;
        if (m->space == SPACE_SHARED) return v->mem[H_ld_small_shared];
        if (m->space == SPACE_GLOBAL || m->space == SPACE_GENERIC)
            return v->mem[H_ld_small_global];
        return general;
    }
    switch (m->space) {
    case SPACE_GENERIC:
    case SPACE_GLOBAL: return v->mem[load ? H_ld32_global : H_st32_global];
    case SPACE_SHARED: return v->mem[load ? H_ld32_shared : H_st32_shared];
    // Spills and scalars have fixed places, arrays have a place a lane.
    case SPACE_LOCAL:
        if (m->src[0].kind == OPND_GPR) return v->mem[load ? H_ld32_local_any : H_st32_local_any];
        return v->mem[load ? H_ld32_local : H_st32_local];
    default: return general;
    }
}

// The target in d, the meeting point in a, the index or address in b. Which handler it gets is for
// the launch's body of the port to say (converge.h).
static exec_fn choose_control(const struct minst *m, struct xinst *x) {
    x->advance = 0;
    x->d = m->target < 0 ? X_NONE : (uint32_t)m->target;
    if (m->op == OP_BRX || m->op == OP_CALLI) {
        x->b = x->a;
        x->awords = m->src[0].words;
    }
    x->a = m->reconv < 0 ? X_NONE : (uint32_t)m->reconv;
    return warp_fns[WARP_NOP];
}

// Optional operands of the warp-wide operations: bit 0 of aux8 says that it is there.
static exec_fn choose_warp(const struct minst *m, struct xinst *x) {
    static const uint8_t row[OP_N][2] = {
        [OP_VOTE] = {WARP_VOTE, 1},         [OP_MATCH] = {WARP_MATCH, 1},
        [OP_REDUX] = {WARP_REDUX, 1},       [OP_SHFL] = {WARP_SHFL, 3},
        [OP_ACTIVEMASK] = {WARP_ACTIVE, 0}, [OP_ELECT] = {WARP_ELECT, 0},
        [OP_WARPSYNC] = {WARP_SYNC, 0},     [OP_BAR] = {WARP_BAR, 1},
        [OP_TRAP] = {WARP_TRAP, 0},         [OP_BRKPT] = {WARP_NOP, 0},
        [OP_NANOSLEEP] = {WARP_SLEEP, 0}};
    x->aux8 = m->src[row[m->op][1]].kind != OPND_NONE;
    if (m->dst[1].kind == OPND_NONE) x->d1 = PRED_TRUE;
    return warp_fns[row[m->op][0]];
}

static exec_fn choose_ldc(const struct exec_level *v, const struct minst *m, struct xinst *x) {
    x->aux8 = (uint8_t)(isa_type_bits(m->type) >= 32 ? x->bytes / 4 : x->vec);
    return isa_type_bits(m->type) >= 32 && x->awords == 1 && x->sub < CB_N && x->d != X_NONE
               ? v->mem[H_ldc32]
               : mem_fns[MEM_CONST];
}
static exec_fn choose_atom(const struct exec_level *v, const struct exec_launch *l,
                           const struct minst *m, const struct xinst *x) {
    if (x->vec == 1 && !l->args.options.check_races && !l->args.options.check_uninitialised &&
        (m->type == ITYPE_U32 || m->type == ITYPE_S32 || m->type == ITYPE_B32 || m->type == ITYPE_F32)) {
        if (m->space == SPACE_SHARED) return v->mem[H_atom32_shared];
        if (m->space == SPACE_GLOBAL || m->space == SPACE_GENERIC)
            return v->mem[H_atom32_global];
    }
    return mem_fns[MEM_ATOMIC];
}

// Comparisons into predicates: a result that is not wanted goes nowhere.
static void complete_setp(const struct minst *m, struct xinst *x) {
    if (m->dst[0].kind == OPND_NONE) x->d = PRED_TRUE;
    if (m->dst[1].kind == OPND_NONE) x->d1 = PRED_TRUE;
    if (m->src[2].kind == OPND_NONE) x->bop = MBOP_NONE;
}

// ---- by family: NULL for an operation of another, and for what no handler computes --------------
static exec_fn choose_move(const struct exec_level *v, const struct minst *m, struct xinst *x) {
    switch ((enum mop)m->op) {
    case OP_MOV: return v->int_[x->aux8 == 1 ? H_mov1 : x->aux8 == 2 ? H_mov2 : H_mov4];
    case OP_SEL: return v->int_[x->aux8 == 1 ? H_sel1 : H_sel_n];
    case OP_SLCT: return v->int_[H_slct];
    case OP_P2R: return v->int_[H_p2r];
    case OP_R2P: return v->int_[H_r2p];
    case OP_PSETP:
        if (m->src[1].kind == OPND_NONE) x->b = x->a;
        x->aux8 = m->src[1].kind != OPND_NONE;
        return v->int_[H_psetp];
    default: return NULL;
    }
}
static exec_fn choose_integer(const struct exec_level *v, const struct minst *m, struct xinst *x) {
    switch ((enum mop)m->op) {
    case OP_IADD: return choose_iadd(v, x);
    case OP_IMUL:
    case OP_IMAD: return choose_imul(v, x);
    case OP_IMUL24:
    case OP_IMAD24: return v->int_[H_imad24];
    case OP_ISCADD: return v->int_[any_mods(x, 2) ? H_iscadd_g : H_iscadd];
    case OP_IMNMX:
    case OP_IMNMX64: return choose_imnmx(v, x);
    case OP_IABS:
    case OP_IABS64: return is64(m->type) ? v->int64_[H_iabs64] : v->int_[H_iabs];
    case OP_ISAD:
    case OP_ISAD64:
        return is64(m->type) ? v->int64_[is_signed(m->type) ? H_isad64_s : H_isad64_u]
                             : v->int_[H_isad];
    case OP_SHL:
    case OP_SHR: return choose_shift(v, x);
    case OP_SHL64: return v->int64_[H_shl64];
    case OP_SHR64: return v->int64_[is_signed(m->type) ? H_shr64_s : H_shr64_u];
    case OP_SHF: return v->int_[H_shf];
    case OP_LOP: return choose_lop(v, x);
    case OP_LOP3:
        if (m->dst[1].kind == OPND_NONE) x->d1 = PRED_TRUE;
        return v->int_[any_mods(x, 3) || x->d == X_NONE || x->d1 != PRED_TRUE ? H_lop3_g : H_lop3];
    case OP_BFE:
        return is64(m->type) ? v->int64_[H_bfe64] : v->int_[is_signed(m->type) ? H_bfe_s : H_bfe_u];
    case OP_BFI: return is64(m->type) ? v->int64_[H_bfi64] : v->int_[H_bfi];
    case OP_FLO: return is64(m->type) ? v->int64_[H_flo64] : v->int_[H_flo];
    case OP_BREV: return is64(m->type) ? v->int64_[H_brev64] : v->int_[H_brev];
    case OP_POPC: return is64(m->type) ? v->int64_[H_popc64] : v->int_[H_popc];
    case OP_CLZ: return is64(m->type) ? v->int64_[H_clz64] : v->int_[H_clz];
    case OP_FNS: return v->int_[H_fns];
    case OP_PRMT: return m->sub <= MPRMT_RC16 ? v->int_[H_prmt] : NULL;
    case OP_BMSK: return v->int_[H_bmsk];
    case OP_SZEXT: return v->int_[H_szext];
    case OP_DP4A: return v->int_[H_dp4a];
    case OP_DP2A: return v->int_[H_dp2a];
    case OP_VIDEO: return video_fns[0];
    case OP_ISETP: complete_setp(m, x); return choose_isetp(v, x);
    case OP_ISET:
        if (m->src[2].kind == OPND_NONE) x->bop = MBOP_NONE;
        return v->int_[H_iset];
    case OP_IMUL64:
        if (m->flags & MF_HI) return v->int64_[is_signed(m->type) ? H_imulhi64_s : H_imulhi64_u];
        return v->int64_[H_imul64];
    case OP_IMAD64:
        if (m->flags & MF_HI) return v->int64_[is_signed(m->type) ? H_imadhi64_s : H_imadhi64_u];
        return v->int64_[H_imad64];
    case OP_IADD64: return choose_iadd(v, x);
    case OP_IDIV:
    case OP_IREM:
        return v->int64_[m->type == ITYPE_S32 || m->type == ITYPE_U32 || m->type == ITYPE_B32 ? H_idiv32
                                                                                        : H_idiv_g];
    default: return NULL;
    }
}
static exec_fn choose_float(const struct exec_level *v, const struct minst *m, struct xinst *x) {
    switch ((enum mop)m->op) {
    case OP_FSETP: complete_setp(m, x); return choose_fp32(v, x);
    case OP_DSETP: complete_setp(m, x); return choose_fp64(v, x);
    case OP_HSETP: complete_setp(m, x); return v->half[H_hsetp];
    case OP_FTESTP:
        complete_setp(m, x);
        return is64(m->type) ? v->fp64[H_ftestp64] : v->fp32[H_ftestp32];
    case OP_FSET:
    case OP_HSET:
        if (m->src[2].kind == OPND_NONE) x->bop = MBOP_NONE;
        return choose_fset(v, x);
    case OP_FMNMX: x->aux8 = m->src[2].kind != OPND_NONE ? 3 : 2; return choose_fp32(v, x);
    case OP_FADD:
    case OP_FMUL:
    case OP_FFMA:
    case OP_FMAD:
    case OP_FABSNEG:
    case OP_FCOPYSIGN:
    case OP_FDIV:
    case OP_FRCP:
    case OP_FSQRT: return choose_fp32(v, x);
    case OP_MUFU: return choose_mufu(v, x);
    case OP_DADD:
    case OP_DMUL:
    case OP_DFMA:
    case OP_DMNMX:
    case OP_DABSNEG:
    case OP_DCOPYSIGN:
    case OP_DDIV:
    case OP_DRCP:
    case OP_DSQRT: return choose_fp64(v, x);
    case OP_HADD:
    case OP_HMUL:
    case OP_HFMA:
    case OP_HMNMX:
    case OP_HABSNEG:
    case OP_HEX2:
    case OP_HTANH: return choose_half(v, x);
    case OP_CVT:
    case OP_CVTPACK: return choose_cvt(m, x);
    default: return NULL;
    }
}
static exec_fn choose_data(const struct exec_level *v, const struct exec_launch *l,
                           const struct minst *m, struct xinst *x) {
    switch ((enum mop)m->op) {
    case OP_LD:
    case OP_ST: return choose_memory(v, l, m, x);
    case OP_LDC: return choose_ldc(v, m, x);
    case OP_ATOM: return choose_atom(v, l, m, x);
    case OP_PREFETCH: return mem_fns[MEM_PREFETCH];
    case OP_MEMBAR: return mem_fns[MEM_FENCE];
    case OP_CPASYNC:
        x->bytes = (uint8_t)m->aux;
        return m->aux == 4 || m->aux == 8 || m->aux == 16 ? mem_fns[MEM_CPASYNC] : NULL;
    case OP_CPCOMMIT:
    case OP_CPWAIT: return mem_fns[MEM_GROUP];
    case OP_CVTA: return mem_fns[MEM_CVTA];
    case OP_ISSPACE: return mem_fns[MEM_ISSPACE];
    case OP_TEX: x->vec = m->dst[0].words; return tex_fns[TEX_SAMPLE];
    case OP_TLD4: x->vec = m->dst[0].words; return tex_fns[TEX_GATHER];
    case OP_TXQ: return tex_fns[TEX_QUERY];
    case OP_SULD:
        x->aux8 = (uint8_t)(m->flags & MF_WIDE ? x->vec : (x->bytes + 3) / 4);
        return tex_fns[TEX_SULD];
    case OP_SUST: return tex_fns[TEX_SUST];
    case OP_SURED:
        x->stype = m->sub;
        x->sub = m->cop;
        x->vec = 1;
        x->d = X_NONE;
        return tex_fns[TEX_SURED];
    default: return NULL;
    }
}
static exec_fn choose_flow(const struct minst *m, struct xinst *x) {
    switch ((enum mop)m->op) {
    case OP_S2R: x->a = m->aux; return warp_fns[WARP_S2R];
    case OP_VOTE:
    case OP_MATCH:
    case OP_REDUX:
    case OP_SHFL:
    case OP_ACTIVEMASK:
    case OP_ELECT:
    case OP_WARPSYNC:
    case OP_BAR:
    case OP_TRAP:
    case OP_BRKPT:
    case OP_NANOSLEEP: return choose_warp(m, x);
    case OP_BRA:
    case OP_BRX:
    case OP_CALL:
    case OP_CALLI:
    case OP_RET:
    case OP_EXIT: return choose_control(m, x);
    case OP_SYSCALL: return sys_fns[SYS_CALL];
    case OP_NOP: return warp_fns[WARP_NOP];
    default: return NULL;
    }
}

static exec_fn choose_matrix(const struct exec_level *v, const struct minst *m,
                             const struct xinst *x) {
    switch ((enum mop)m->op) {
    case OP_HMMA_884: return v->mma[H_hmma_884];
    case OP_HMMA_1688: return v->mma[H_hmma_1688];
    case OP_IMMA_8816: return matrix_fns[MATRIX_8816];
    case OP_IMMA_8832: return matrix_fns[MATRIX_8832];
    case OP_BMMA_88128: return matrix_fns[MATRIX_88128];
    case OP_LDSM: return x->d == X_NONE ? NULL : matrix_fns[MATRIX_LOAD];
    case OP_MOVM: return matrix_fns[MATRIX_TURN];
    default: return NULL;
    }
}

exec_fn choose_handler(const struct exec_launch *l, const struct minst *m, struct xinst *x) {
    const struct exec_level *v = exec_level();
    if (m->flags & MF_FILLER) return warp_fns[WARP_NOP];
    exec_fn f = choose_move(v, m, x);
    if (!f) f = choose_integer(v, m, x);
    if (!f) f = choose_float(v, m, x);
    if (!f) f = choose_data(v, l, m, x);
    if (!f) f = choose_matrix(v, m, x);
    return f ? f : choose_flow(m, x);
}
