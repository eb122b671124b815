// PTX operands to machine operands: registers and their words, literals in the type that the
// instruction works in, special registers, addresses of variables as values; and the modifiers
// that many instructions share.
#include "code/lower_priv.h"

#include <assert.h>

unsigned lower_words(enum isa_type t) {
    const unsigned bits = isa_type_bits(t);
    return t == ITYPE_PRED ? 0 : bits <= 32 ? 1 : bits / 32;
}

enum isa_type lower_type(const struct lower *l, const struct ptx_inst *i, unsigned n) {
    const enum isa_type t = n < i->n_types ? from_type(i->types[n]) : ITYPE_NONE;
    return t == ITYPE_F64 && l->f64_as_f32 ? ITYPE_F32 : t;
}

enum isa_type lower_unsigned(enum isa_type t) {
    switch (isa_type_bits(t)) {
    case 8: return ITYPE_U8;
    case 16: return ITYPE_U16;
    case 64: return ITYPE_U64;
    case 128: return ITYPE_B128;
    default: return ITYPE_U32;
    }
}

// ---- literals -----------------------------------------------------------------------------

// Round to nearest even into a format of `exp` exponent and `man` fraction bits.
static uint16_t narrow_float(double v, unsigned exp, unsigned man) {
    uint64_t u;
    memcpy(&u, &v, sizeof u);
    const uint16_t sign = (uint16_t)(u >> 48 & 0x8000);
    const int bias = (1 << (exp - 1)) - 1, e = (int)(u >> 52 & 0x7ff) - 1023;
    const uint64_t fraction = u & 0xfffffffffffffull;
    const uint16_t inf = (uint16_t)(((1u << exp) - 1u) << man);
    if (e == 1024 && fraction) return (uint16_t)((unsigned)sign | inf | 1u << (man - 1));
    if (e > bias) return (uint16_t)(sign | inf);
    const bool normal = e >= 1 - bias;
    const unsigned shift = 52 - man + (normal ? 0u : (unsigned)(1 - bias - e));
    if (shift > 53) return sign;
    const uint64_t whole = fraction | 1ull << 52, half = 1ull << (shift - 1);
    uint64_t units = whole >> shift;
    const uint64_t rest = whole & (2 * half - 1);
    if (rest > half || (rest == half && (units & 1))) units++;
    // The hidden bit in `units` adds the last one to the exponent.
    const uint64_t bits = units + (normal ? (uint64_t)(e + bias - 1) << man : 0);
    return (uint16_t)(sign | (bits >= inf ? inf : bits));
}

uint16_t lower_f16_bits(double v) { return narrow_float(v, 5, 10); }
uint16_t lower_bf16_bits(double v) { return narrow_float(v, 8, 7); }

static uint32_t f32_bits(float f) {
    uint32_t u;
    memcpy(&u, &f, sizeof u);
    return u;
}
static double f64_of(const struct ptx_operand *o) {
    double d;
    if (o->kind == PTX_OPERAND_INT) return (double)o->imm;
    if (o->is_f32) {
        float f;
        const uint32_t u = (uint32_t)o->imm;
        memcpy(&f, &u, sizeof f);
        return (double)f;
    }
    memcpy(&d, &o->imm, sizeof d);
    return d;
}

static struct opnd float_literal(const struct ptx_operand *o, enum isa_type t) {
    const double v = f64_of(o);
    switch (t) {
    case ITYPE_F16:
    case ITYPE_F16X2: {
        const uint32_t h = lower_f16_bits(v);
        return opnd_imm(t == ITYPE_F16 ? h : h << 16 | h);
    }
    case ITYPE_BF16:
    case ITYPE_BF16X2: {
        const uint32_t h = lower_bf16_bits(v);
        return opnd_imm(t == ITYPE_BF16 ? h : h << 16 | h);
    }
    case ITYPE_F64:
    case ITYPE_B64:
    case ITYPE_U64:
    case ITYPE_S64: {
        uint64_t u;
        if (o->kind == PTX_OPERAND_FLOAT && !o->is_f32)
            u = (uint64_t)o->imm;
        else
            memcpy(&u, &v, sizeof u);
        return opnd_imm64(u);
    }
    default:
        if (o->kind == PTX_OPERAND_FLOAT && o->is_f32) return opnd_imm((uint32_t)o->imm);
        return opnd_imm(f32_bits((float)v));
    }
}

static struct opnd int_literal(int64_t v, enum isa_type t) {
    const unsigned bits = isa_type_bits(t);
    if (bits > 32) return opnd_imm64((uint64_t)v);
    if (bits == 32 || bits < 8) return opnd_imm((uint64_t)v);
    const uint32_t low = (uint32_t)v & ((1u << bits) - 1);
    if (isa_type_is_signed(t) && low >> (bits - 1)) return opnd_imm(low | ~0u << bits);
    return opnd_imm(low);
}

bool lower_int_literal(const struct ptx_operand *o, uint64_t *v) {
    if (o->kind != PTX_OPERAND_INT) return false;
    *v = (uint64_t)o->imm;
    return true;
}

// ---- registers ----------------------------------------------------------------------------

const struct lower_reg *lower_reg_of(const struct lower *l, const struct ptx_operand *o) {
    return o->kind == PTX_OPERAND_REG && o->reg >= 0 ? &l->reg[o->reg] : NULL;
}

static unsigned element_words(const struct lower_reg *r) {
    return r->bits <= 32 ? 1 : r->bits / 32u;
}

static struct opnd reg_words(const struct lower *l, const struct ptx_operand *o, unsigned words) {
    const struct lower_reg *const r = lower_reg_of(l, o);
    if (r->words == 0) return opnd_pred(r->vreg);
    const unsigned have = o->component >= 0 ? element_words(r) : r->words;
    struct opnd g = opnd_gpr(r->vreg, words < have ? words : have);
    g.sub = r->sub;
    if (o->component >= 0) g.sub = (uint8_t)((unsigned)o->component * element_words(r));
    return g;
}

struct opnd lower_whole(struct lower *l, const struct ptx_operand *o) {
    return lower_reg_of(l, o) ? reg_words(l, o, 4) : lower_src(l, o, ITYPE_B32);
}

struct opnd lower_src(struct lower *l, const struct ptx_operand *o, enum isa_type t) {
    switch (o->kind) {
    case PTX_OPERAND_REG: {
        const struct opnd g = reg_words(l, o, lower_words(t));
        return o->neg ? opnd_mod(g, OPND_NEG) : o->not ? opnd_mod(g, OPND_NOT) : g;
    }
    case PTX_OPERAND_INT:
        return isa_type_is_float(t) ? float_literal(o, t) : int_literal(o->imm, t);
    case PTX_OPERAND_FLOAT: return float_literal(o, t);
    case PTX_OPERAND_SREG: return lower_sreg(l, (enum ptx_sreg)o->sreg, t);
    case PTX_OPERAND_VAR: return lower_address_of(l, o->var, o->imm, lower_words(t));
    case PTX_OPERAND_FUNC: {
        lower_call_function(l, (uint32_t)o->func);
        const uint64_t a = CODE_FUNC_ADDRESS(o->func);
        return lower_words(t) == 2 ? opnd_imm64(a) : opnd_imm(a);
    }
    default: lower_refuse(l, "an operand of this kind cannot stand here"); return opnd_imm(0);
    }
}

struct opnd lower_dst(struct lower *l, const struct ptx_operand *o, enum isa_type t) {
    if (o->kind == PTX_OPERAND_REG) return reg_words(l, o, lower_words(t));
    return t == ITYPE_PRED ? lower_temp_pred(l) : lower_temp(l, lower_words(t));
}

struct opnd lower_src_pred(struct lower *l, const struct ptx_operand *o) {
    struct opnd p = opnd_pred(VPRED_TRUE);
    if (o->kind == PTX_OPERAND_INT) return o->imm ? p : opnd_mod(p, OPND_NOT);
    if (o->kind == PTX_OPERAND_SREG) { // %is_explicit_cluster
        if (!gen_has(l->gen, TRAIT_CLUSTER)) return opnd_mod(p, OPND_NOT);
        struct minst m = lower_new(l, OP_ISETP, ITYPE_U32);
        m.cmp = MCMP_NE;
        m.dst[0] = lower_temp_pred(l);
        m.src[0] = lower_in_reg(l, lower_sreg(l, (enum ptx_sreg)o->sreg, ITYPE_U32));
        m.src[1] = opnd_imm(0);
        lower_put(l, &m);
        return m.dst[0];
    }
    const struct lower_reg *const r = lower_reg_of(l, o);
    if (!r || r->words) {
        lower_refuse(l, "expected a predicate");
        return p;
    }
    p.reg = r->vreg;
    return o->not ? opnd_mod(p, OPND_NOT) : p;
}

struct opnd lower_dst_pred(struct lower *l, const struct ptx_operand *o) {
    const struct lower_reg *const r = lower_reg_of(l, o);
    return r && !r->words ? opnd_pred(r->vreg) : lower_temp_pred(l);
}

struct opnd lower_second_pred(struct lower *l, const struct ptx_operand *o) {
    return o->reg2 < 0 ? opnd_none() : opnd_pred(l->reg[o->reg2].vreg);
}

struct opnd lower_narrow_dst(struct lower *l, const struct ptx_operand *o, enum isa_type t) {
    if (o->kind != PTX_OPERAND_REG) return lower_temp(l, lower_words(t));
    return reg_words(l, o, lower_words(t));
}

void lower_widen(struct lower *l, const struct ptx_operand *o, enum isa_type t, struct opnd value) {
    if (o->kind != PTX_OPERAND_REG) return;
    const struct opnd d = reg_words(l, o, 4);
    lower_mov(l, opnd_words(d, 0, value.words), value);
    if (d.words != 2 || value.words != 1 || (l->f64_as_f32 && t == ITYPE_F32)) return;
    if (isa_type_is_signed(t))
        lower_shift(l, OP_SHR, ITYPE_S32, opnd_word(d, 1), opnd_word(d, 0), 31);
    else
        lower_mov(l, opnd_word(d, 1), opnd_imm(0));
}

struct opnd lower_gather(struct lower *l, const struct opnd *o, unsigned n) {
    if (n == 1) return lower_in_reg(l, o[0]);
    const unsigned words = n == 2 ? 2 : 4;
    bool in_place = o[0].kind == OPND_GPR && o[0].sub == 0 && !o[0].mods &&
                    l->f->vreg_words.at[o[0].reg] == words;
    for (unsigned k = 1; in_place && k < n; k++)
        in_place = opnd_same_reg(o[0], o[k]) && o[k].sub == k && !o[k].mods;
    if (in_place) return opnd_gpr(o[0].reg, words);
    const struct opnd t = lower_temp(l, words);
    for (unsigned k = 0; k < n; k++) lower_mov(l, opnd_word(t, k), o[k]);
    return t;
}

// ---- special registers --------------------------------------------------------------------

enum sreg_kind { SREG_READ, SREG_C0, SREG_VALUE, SREG_CHANGES };
// Those that are not simply read. Before compute capability 9.0 each block is a cluster of its own.
static const struct {
    uint8_t sreg, kind, value;
} sreg_table[] = {
    {PTX_SREG_ntid_x, SREG_C0, CB0_NTID_X},
    {PTX_SREG_ntid_y, SREG_C0, CB0_NTID_Y},
    {PTX_SREG_ntid_z, SREG_C0, CB0_NTID_Z},
    {PTX_SREG_nctaid_x, SREG_C0, CB0_NCTAID_X},
    {PTX_SREG_nctaid_y, SREG_C0, CB0_NCTAID_Y},
    {PTX_SREG_nctaid_z, SREG_C0, CB0_NCTAID_Z},
    {PTX_SREG_tid_w, SREG_VALUE, 0},
    {PTX_SREG_ntid_w, SREG_VALUE, 0},
    {PTX_SREG_ctaid_w, SREG_VALUE, 0},
    {PTX_SREG_nctaid_w, SREG_VALUE, 0},
    {PTX_SREG_nclusterid_x, SREG_C0, CB0_NCTAID_X},
    {PTX_SREG_nclusterid_y, SREG_C0, CB0_NCTAID_Y},
    {PTX_SREG_nclusterid_z, SREG_C0, CB0_NCTAID_Z},
    {PTX_SREG_nclusterid_w, SREG_VALUE, 0},
    {PTX_SREG_clusterid_w, SREG_VALUE, 0},
    {PTX_SREG_cluster_ctaid_x, SREG_VALUE, 0},
    {PTX_SREG_cluster_ctaid_y, SREG_VALUE, 0},
    {PTX_SREG_cluster_ctaid_z, SREG_VALUE, 0},
    {PTX_SREG_cluster_ctaid_w, SREG_VALUE, 0},
    {PTX_SREG_cluster_nctaid_x, SREG_VALUE, 1},
    {PTX_SREG_cluster_nctaid_y, SREG_VALUE, 1},
    {PTX_SREG_cluster_nctaid_z, SREG_VALUE, 1},
    {PTX_SREG_cluster_nctaid_w, SREG_VALUE, 0},
    {PTX_SREG_cluster_ctarank, SREG_VALUE, 0},
    {PTX_SREG_cluster_nctarank, SREG_VALUE, 1},
    {PTX_SREG_clock, SREG_CHANGES, 0},
    {PTX_SREG_clock_hi, SREG_CHANGES, 0},
    {PTX_SREG_clock64, SREG_CHANGES, 0},
    {PTX_SREG_globaltimer, SREG_CHANGES, 0},
    {PTX_SREG_globaltimer_lo, SREG_CHANGES, 0},
    {PTX_SREG_globaltimer_hi, SREG_CHANGES, 0},
};

// Registers of clusters that real ones are read for.
static bool is_read(const struct lower *l, enum ptx_sreg s) {
    return gen_has(l->gen, TRAIT_CLUSTER) && from_sreg(s) != SREG_N;
}
static enum ptx_sreg sreg_alias(const struct lower *l, enum ptx_sreg s) {
    if (is_read(l, s)) return s;
    switch (s) {
    case PTX_SREG_clusterid_x: return PTX_SREG_ctaid_x;
    case PTX_SREG_clusterid_y: return PTX_SREG_ctaid_y;
    case PTX_SREG_clusterid_z: return PTX_SREG_ctaid_z;
    default: return s;
    }
}

// A special register that is no instruction: a word of c[0], or a value. NONE otherwise.
static struct opnd sreg_operand(const struct lower *l, enum ptx_sreg s, bool *changes) {
    *changes = s >= PTX_SREG_pm0 && s <= PTX_SREG_pm7_64;
    if (s >= PTX_SREG_clusterid_x && s <= PTX_SREG_is_explicit_cluster && is_read(l, s))
        return opnd_none();
    for (size_t k = 0; k < WW_COUNT(sreg_table); k++) {
        if (sreg_table[k].sreg != s) continue;
        switch (sreg_table[k].kind) {
        case SREG_C0: return opnd_const(CB_LAUNCH, sreg_table[k].value, 1);
        case SREG_VALUE: return opnd_imm(sreg_table[k].value);
        default: *changes = true; return opnd_none();
        }
    }
    return opnd_none();
}

void lower_sreg_into(struct lower *l, enum ptx_sreg s, struct opnd d) {
    s = sreg_alias(l, s);
    bool changes;
    const struct opnd value = sreg_operand(l, s, &changes);
    const unsigned words = ptx_type_bits(ptx_sreg_type(s)) == 64 ? 2 : 1;
    if (value.kind != OPND_NONE) {
        lower_mov(l, opnd_word(d, 0), value);
    } else {
        struct minst m = lower_new(l, OP_S2R, words == 2 ? ITYPE_U64 : ITYPE_U32);
        m.aux = (uint16_t)from_sreg(s);
        if (changes) m.flags = MF_VOLATILE;
        m.dst[0] = d.words < words ? lower_temp(l, words) : opnd_words(d, 0, words);
        lower_put(l, &m);
        if (d.words < words) lower_mov(l, d, opnd_words(m.dst[0], 0, d.words));
    }
    if (d.words == 2 && words == 1) lower_mov(l, opnd_word(d, 1), opnd_imm(0));
}

struct opnd lower_sreg(struct lower *l, enum ptx_sreg s, enum isa_type t) {
    bool changes;
    const struct opnd value = sreg_operand(l, sreg_alias(l, s), &changes);
    if (value.kind != OPND_NONE && lower_words(t) == 1) return value;
    const struct opnd d = lower_temp(l, lower_words(t));
    lower_sreg_into(l, s, d);
    return d;
}

bool lower_sreg_is_short(const struct lower *l, unsigned sreg) {
    return sreg <= (l->m->version < 20 ? PTX_SREG_nctaid_w : PTX_SREG_ntid_w);
}

// ---- modifiers ----------------------------------------------------------------------------

struct mod_value {
    uint16_t mod;
    uint8_t value;
};
static unsigned first_of(const struct ptx_inst *i, const struct mod_value *table, size_t n) {
    for (size_t k = 0; k < n; k++)
        if (ptx_has(i, (enum ptx_mod)table[k].mod)) return table[k].value;
    return 0;
}
static_assert(PTX_MOD_N <= UINT16_MAX, "a modifier fits mod_value");

enum mrnd lower_rounding(const struct ptx_inst *i) {
    static const struct mod_value table[] = {
        {PTX_MOD_rn, MRND_RN},  {PTX_MOD_rz, MRND_RZ},   {PTX_MOD_rm, MRND_RM},
        {PTX_MOD_rp, MRND_RP},  {PTX_MOD_rna, MRND_RNA}, {PTX_MOD_rni, MRND_RN},
        {PTX_MOD_rzi, MRND_RZ}, {PTX_MOD_rmi, MRND_RM},  {PTX_MOD_rpi, MRND_RP}};
    return (enum mrnd)first_of(i, table, WW_COUNT(table));
}

enum mcmp lower_comparison(const struct ptx_inst *i) {
    static const struct mod_value table[] = {
        {PTX_MOD_eq, MCMP_EQ},   {PTX_MOD_ne, MCMP_NE},   {PTX_MOD_lt, MCMP_LT},
        {PTX_MOD_le, MCMP_LE},   {PTX_MOD_gt, MCMP_GT},   {PTX_MOD_ge, MCMP_GE},
        {PTX_MOD_lo, MCMP_LT},   {PTX_MOD_ls, MCMP_LE},   {PTX_MOD_hi, MCMP_GT},
        {PTX_MOD_hs, MCMP_GE},   {PTX_MOD_equ, MCMP_EQU}, {PTX_MOD_neu, MCMP_NEU},
        {PTX_MOD_ltu, MCMP_LTU}, {PTX_MOD_leu, MCMP_LEU}, {PTX_MOD_gtu, MCMP_GTU},
        {PTX_MOD_geu, MCMP_GEU}, {PTX_MOD_num, MCMP_NUM}, {PTX_MOD_nan, MCMP_NAN}};
    return (enum mcmp)first_of(i, table, WW_COUNT(table));
}

enum mbop lower_bool_op(const struct ptx_inst *i) {
    static const struct mod_value table[] = {
        {PTX_MOD_and, MBOP_AND}, {PTX_MOD_or, MBOP_OR}, {PTX_MOD_xor, MBOP_XOR}};
    return (enum mbop)first_of(i, table, WW_COUNT(table));
}

uint32_t lower_fp_flags(const struct lower *l, const struct ptx_inst *i, enum isa_type t) {
    uint32_t flags = 0;
    if (ptx_has(i, PTX_MOD_ftz) || (l->ftz && t == ITYPE_F32)) flags |= MF_FTZ;
    if (ptx_has(i, PTX_MOD_sat)) flags |= MF_SAT;
    if (ptx_has(i, PTX_MOD_NaN)) flags |= MF_NAN;
    if (ptx_has(i, PTX_MOD_relu)) flags |= MF_RELU;
    if (ptx_has(i, PTX_MOD_xorsign)) flags |= MF_ABS;
    if (ptx_has(i, PTX_MOD_satfinite)) flags |= MF_SATFINITE;
    return flags;
}
