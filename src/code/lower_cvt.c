// Conversions. Between integers they are moves, masks and sign extensions of words; with a
// floating-point type on either side they are the conversion unit's.
#include "code/lower_priv.h"

static unsigned bits_of(enum isa_type t) { return isa_type_bits(t); }
static bool is_fp8(enum isa_type t) {
    return t == ITYPE_E4M3 || t == ITYPE_E5M2 || t == ITYPE_E4M3X2 || t == ITYPE_E5M2X2;
}
static bool is_integer(enum isa_type t) { return !isa_type_is_float(t); }

// Whether the source register's word already holds the extension of type t.
static bool is_extended(const struct lower *l, const struct ptx_operand *o, enum isa_type t) {
    const struct lower_reg *const r = lower_reg_of(l, o);
    if (o->kind == PTX_OPERAND_SREG)
        return !isa_type_is_signed(t) && lower_sreg_is_short(l, o->sreg);
    if (!r || bits_of(t) != 16) return false;
    return isa_type_is_signed(t) ? r->sext : r->zext;
}

// The source as a word, or a pair, extended from its type.
static struct opnd extended_source(struct lower *l, const struct ptx_operand *o, enum isa_type t,
                                   struct opnd into) {
    const struct opnd a = lower_src(l, o, t);
    if (bits_of(t) >= 32 || a.kind == OPND_IMM || is_extended(l, o, t)) return a;
    lower_extend(l, into, a, bits_of(t), isa_type_is_signed(t));
    return into;
}

// Integer to integer, wrapping.
static void cvt_int(struct lower *l, const struct ptx_inst *i, enum isa_type dt, enum isa_type st) {
    const struct ptx_operand *const dst = &i->operand[0], *const src = &i->operand[1];
    const struct lower_reg *const r = lower_reg_of(l, dst);
    const unsigned reg_bits = r ? r->bits : bits_of(dt);
    const enum isa_type narrow =
        bits_of(dt) <= bits_of(st) ? dt : st; // what survives, and its sign
    const struct opnd d = lower_whole(l, dst);
    const struct opnd low = opnd_word(d, 0);
    if (bits_of(narrow) == 64) { // 64 to 64
        lower_mov(l, d, lower_src(l, src, st));
        return;
    }
    if (bits_of(dt) < 32 && reg_bits <= bits_of(dt) && bits_of(st) >= bits_of(dt)) {
        // Cut to the register's own width: what stands above is nobody's.
        lower_mov(l, low, opnd_word(lower_src(l, src, st), 0));
        return;
    }
    // Extend from the narrower of both to a word. A destination narrower than its register is
    // extended by its own sign.
    if (bits_of(narrow) < 32) {
        struct opnd a;
        if (narrow == st) {
            a = extended_source(l, src, st, low);
        } else {
            a = opnd_word(lower_src(l, src, st), 0);
            if (a.kind != OPND_IMM) {
                lower_extend(l, low, a, bits_of(narrow), isa_type_is_signed(narrow));
                a = low;
            } else {
                const uint32_t v = (uint32_t)a.imm & ((1u << bits_of(narrow)) - 1);
                const bool minus = isa_type_is_signed(narrow) && v >> (bits_of(narrow) - 1);
                a = opnd_imm(minus ? v | ~0u << bits_of(narrow) : v);
            }
        }
        if (narrow == st && bits_of(dt) < reg_bits && bits_of(dt) < 32 && isa_type_is_signed(st) &&
            !isa_type_is_signed(dt)) {
            // s8 to u16 in a 32-bit register: sign-extended to 16, then zero-extended
            lower_extend(l, low, a, bits_of(dt), false);
            a = low;
        }
        lower_mov(l, low, a);
    } else {
        lower_mov(l, low, opnd_word(lower_src(l, src, st), 0));
    }
    if (d.words < 2) return;
    const bool is_signed = bits_of(dt) == 64 ? isa_type_is_signed(st) : isa_type_is_signed(dt);
    if (is_signed)
        lower_shift(l, OP_SHR, ITYPE_S32, opnd_word(d, 1), low, 31);
    else
        lower_mov(l, opnd_word(d, 1), opnd_imm(0));
}

static enum lower_cost unit_cost(enum isa_type dt, enum isa_type st) {
    if (is_fp8(dt) || is_fp8(st)) return LOWER_COST_CVT_FP8;
    if (dt == ITYPE_F64 || st == ITYPE_F64) return LOWER_COST_CVT_DP;
    if (bits_of(dt) == 64 || bits_of(st) == 64) return LOWER_COST_CVT_I64;
    if (dt == ITYPE_BF16 || st == ITYPE_BF16) return LOWER_COST_CVT_BF16;
    return is_integer(dt) || is_integer(st) ? LOWER_COST_CVT : LOWER_COST_CVT_FP;
}

// {mode, types...}: cvt.pack.sat.{u16,s16}.s32 d, a, b; cvt.pack.sat.{u8,...}.s32.b32 d, a, b, c
static void cvt_pack_int(struct lower *l, const struct ptx_inst *i) {
    const enum isa_type dt = lower_type(l, i, 0), st = lower_type(l, i, 1);
    struct minst m = lower_new(l, OP_CVTPACK, dt);
    m.stype = (uint8_t)st;
    m.aux = (uint16_t)bits_of(dt);
    m.flags = MF_SAT;
    m.dst[0] = lower_dst(l, &i->operand[0], ITYPE_B32);
    for (unsigned s = 0; s + 1 < i->n_operands; s++)
        m.src[s] = lower_src(l, &i->operand[s + 1], s < 2 ? st : ITYPE_B32);
    lower_put_cost(l, &m, LOWER_COST_CVT_PACK_INT);
}

// cvt.rn.f16x2.f32 d, a, b and its like; cvt.rn.f16x2.e4m3x2 d, a
static void cvt_pack_fp(struct lower *l, const struct ptx_inst *i, enum isa_type dt,
                        enum isa_type st) {
    struct minst m = lower_new(l, OP_CVT, dt);
    m.stype = (uint8_t)st;
    m.rnd = (uint8_t)lower_rounding(i);
    m.flags = lower_fp_flags(l, i, st);
    m.dst[0] = lower_narrow_dst(l, &i->operand[0], dt);
    for (unsigned s = 0; s + 1 < i->n_operands && s < 2; s++)
        m.src[s] = lower_in_reg(l, lower_src(l, &i->operand[s + 1], st));
    if (i->n_operands > 3) lower_refuse(l, "stochastic rounding is not modelled");
    if (gen_has(l->gen, TRAIT_PACKS) && st == ITYPE_F32 && !is_fp8(dt)) {
        m.klass = OPC_FP_CMP;
        lower_put(l, &m);
        return;
    }
    lower_put_cost(l, &m, is_fp8(dt) || is_fp8(st) ? LOWER_COST_CVT_FP8 : LOWER_COST_CVT_PACK_FP);
}

void lower_cvt_cvt(struct lower *l, const struct ptx_inst *i, unsigned unused) {
    (void)unused;
    const enum isa_type dt = lower_type(l, i, 0), st = lower_type(l, i, 1);
    if (ptx_has(i, PTX_MOD_pack)) {
        cvt_pack_int(l, i);
        return;
    }
    if (ptx_has(i, PTX_MOD_rs)) {
        lower_refuse(l, "stochastic rounding is not modelled");
        return;
    }
    if (ptx_has(i, PTX_MOD_narrow) || ptx_has(i, PTX_MOD_other)) {
        lower_refuse(l, "conversions of the narrow float formats of sm_100 are not modelled");
        return;
    }
    if (dt == ITYPE_F16X2 || dt == ITYPE_BF16X2 || dt == ITYPE_E4M3X2 || dt == ITYPE_E5M2X2) {
        cvt_pack_fp(l, i, dt, st);
        return;
    }
    const bool sat = ptx_has(i, PTX_MOD_sat);
    if (is_integer(dt) && is_integer(st) && !sat) {
        cvt_int(l, i, dt, st);
        return;
    }
    const enum mrnd rnd = lower_rounding(i);
    const uint32_t flags =
        lower_fp_flags(l, i, dt == ITYPE_F32 || st == ITYPE_F32 ? ITYPE_F32 : dt);
    const bool to_integral = ptx_has(i, PTX_MOD_rni) || ptx_has(i, PTX_MOD_rzi) ||
                             ptx_has(i, PTX_MOD_rmi) || ptx_has(i, PTX_MOD_rpi);
    const bool changes = to_integral || sat || (dt == ITYPE_F32 && ptx_has(i, PTX_MOD_ftz)) ||
                         (flags & ~(uint32_t)MF_FTZ);
    if (dt == st && !changes) {
        lower_mov(l, lower_dst(l, &i->operand[0], dt), lower_src(l, &i->operand[1], st));
        return;
    }
    struct minst m = lower_new(l, OP_CVT, dt);
    m.stype = (uint8_t)st;
    m.flags = flags;
    m.rnd = (uint8_t)rnd;
    if (rnd == MRND_NONE) m.rnd = is_integer(dt) && !is_integer(st) ? MRND_RZ : MRND_RN;
    if (to_integral && !is_integer(dt)) m.flags |= MF_INTRND;
    m.dst[0] = lower_narrow_dst(l, &i->operand[0], dt);
    m.src[0] = lower_src(l, &i->operand[1], st);
    if (m.src[0].kind == OPND_IMM) m.src[0] = lower_in_reg(l, m.src[0]);
    lower_put_cost(l, &m, unit_cost(dt, st));
    lower_widen(l, &i->operand[0], dt, m.dst[0]);
}
