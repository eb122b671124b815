// Operations of one word, of two words, and comparisons on known operands: a row an operation.
#include "isa/eval.h"

#include "isa/lane64.h"
#include "isa/op.h"

const uint32_t eval_prmt_selector[7][4] = {
    [MPRMT_F4E] = {0x3210, 0x4321, 0x5432, 0x6543}, [MPRMT_B4E] = {0x5670, 0x6701, 0x7012, 0x0123},
    [MPRMT_RC8] = {0x0000, 0x1111, 0x2222, 0x3333}, [MPRMT_ECL] = {0x3210, 0x3211, 0x3222, 0x3333},
    [MPRMT_ECR] = {0x0000, 0x1110, 0x2210, 0x3210}, [MPRMT_RC16] = {0x1010, 0x3232, 0x1010, 0x3232},
};

// An instruction and the words of its sources, not yet modified.
struct known {
    const struct minst *m;
    uint32_t a, b, c, e;
};
static bool has(const struct known *k, uint32_t flag) { return k->m->flags & flag; }
static bool is_signed(const struct known *k) { return isa_type_is_signed(k->m->type); }
static bool is16(const struct known *k) { return isa_type_bits(k->m->type) == 16; }
static bool is_packed(const struct known *k) {
    return k->m->type == ITYPE_U16X2 || k->m->type == ITYPE_S16X2;
}
static uint32_t mod(const struct known *k, uint32_t source, uint32_t which) {
    return k->m->src[source].mods & which ? ~0u : 0;
}

static uint32_t mov(const struct known *k) { return k->a; }
static uint32_t iadd(const struct known *k) {
    const uint32_t na = mod(k, 0, OPND_NEG), nb = mod(k, 1, OPND_NEG);
    if (has(k, MF_SAT)) return lane_add_sat(k->a, k->b, na, nb);
    if (is16(k) || is_packed(k)) return lane_add16(k->a, k->b, na, nb, is_packed(k));
    return lane_negate(k->a, na) + lane_negate(k->b, nb);
}
static uint32_t product(const struct known *k) {
    const bool half = is16(k), sign = is_signed(k);
    const int64_t a = lane_extend(k->a, half, sign), b = lane_extend(k->b, half, sign);
    return lane_product(mod(k, 0, OPND_NEG) ? -a : a, mod(k, 1, OPND_NEG) ? -b : b, half, sign,
                        has(k, MF_HI));
}
static uint32_t imad(const struct known *k) {
    const uint32_t r = product(k), nc = mod(k, 2, OPND_NEG);
    return has(k, MF_SAT) ? lane_add_sat(r, k->c, false, nc) : r + lane_negate(k->c, nc);
}
static uint32_t imul24(const struct known *k) {
    return lane_mul24(k->a, k->b, is_signed(k), has(k, MF_HI));
}
static uint32_t imad24(const struct known *k) {
    const uint32_t r = imul24(k), c = lane_negate(k->c, mod(k, 2, OPND_NEG));
    return has(k, MF_SAT) ? lane_add_sat(r, c, false, false) : r + c;
}
static uint32_t iscadd(const struct known *k) {
    return lane_negate(lane_scale_add(k->a, 0, k->m->sub), mod(k, 0, OPND_NEG)) +
           lane_negate(k->b, mod(k, 1, OPND_NEG));
}
static uint32_t imnmx(const struct known *k) {
    const bool sign = is_signed(k), max = k->m->sub, relu = has(k, MF_RELU);
    if (is16(k) || is_packed(k)) return lane_minmax16(k->a, k->b, sign, max, relu, is_packed(k));
    return lane_minmax(k->a, k->b, sign, max, relu);
}
static uint32_t iabs(const struct known *k) { return lane_abs(k->a, is16(k)); }
static uint32_t isad(const struct known *k) {
    return is16(k) ? lane_sad16(k->a, k->b, k->c, is_signed(k))
                   : lane_sad(k->a, k->b, k->c, is_signed(k));
}
static uint32_t shl(const struct known *k) {
    return is16(k) ? lane_shl16(k->a, k->b) : lane_shl(k->a, k->b);
}
static uint32_t shr(const struct known *k) {
    if (is16(k)) return is_signed(k) ? lane_shr16_s(k->a, k->b) : lane_shr16_u(k->a, k->b);
    return is_signed(k) ? lane_shr_s(k->a, k->b) : lane_shr_u(k->a, k->b);
}
static uint32_t shf(const struct known *k) {
    return lane_funnel(k->a, k->b, k->c, has(k, MF_LEFT), has(k, MF_WRAP));
}
static uint32_t lop(const struct known *k) {
    const uint32_t a = k->a ^ mod(k, 0, OPND_NOT), b = k->b ^ mod(k, 1, OPND_NOT);
    switch (k->m->sub) {
    case MLOGIC_AND: return a & b;
    case MLOGIC_OR: return a | b;
    case MLOGIC_XOR: return a ^ b;
    default: return b;
    }
}
static uint32_t lop3(const struct known *k) {
    uint32_t t[8];
    lane_lop3_table(t, k->m->sub);
    return lane_lop3(t, k->a ^ mod(k, 0, OPND_NOT), k->b ^ mod(k, 1, OPND_NOT),
                     k->c ^ mod(k, 2, OPND_NOT));
}
static uint32_t bfe(const struct known *k) { return lane_bfe(k->a, k->b, k->c, is_signed(k)); }
static uint32_t bfi(const struct known *k) { return lane_bfi(k->a, k->b, k->c, k->e); }
static uint32_t flo(const struct known *k) {
    return LANE_FLO(k->a ^ mod(k, 0, OPND_NOT), is_signed(k), has(k, MF_SHIFTAMT));
}
static uint32_t brev(const struct known *k) { return lane_brev(k->a); }
static uint32_t popc(const struct known *k) { return lane_popc(k->a ^ mod(k, 0, OPND_NOT)); }
static uint32_t clz(const struct known *k) { return lane_clz(k->a); }
static uint32_t fns(const struct known *k) { return lane_fns(k->a, k->b, k->c); }
static uint32_t prmt(const struct known *k) {
    const uint32_t s = k->m->sub == MPRMT_INDEX ? k->c : eval_prmt_selector[k->m->sub][k->c & 3];
    return lane_pick_bytes(k->a, k->b, s);
}
static uint32_t bmsk(const struct known *k) { return lane_bmsk(k->a, k->b, has(k, MF_WRAP)); }
static uint32_t szext(const struct known *k) {
    return lane_szext(k->a, k->b, is_signed(k), has(k, MF_WRAP));
}
static uint32_t dp4a(const struct known *k) {
    return lane_dp4a(k->a, k->b, k->c, is_signed(k), isa_type_is_signed(k->m->stype));
}
static uint32_t dp2a(const struct known *k) {
    return lane_dp2a(k->a, k->b, k->c, is_signed(k), isa_type_is_signed(k->m->stype),
                     has(k, MF_HI) ? 2 : 0);
}

static uint32_t (*const rows[OP_N])(const struct known *k) = {
    [OP_MOV] = mov,       [OP_IADD] = iadd,     [OP_IMUL] = product,  [OP_IMAD] = imad,
    [OP_IMUL24] = imul24, [OP_IMAD24] = imad24, [OP_ISCADD] = iscadd, [OP_IMNMX] = imnmx,
    [OP_IABS] = iabs,     [OP_ISAD] = isad,     [OP_SHL] = shl,       [OP_SHR] = shr,
    [OP_SHF] = shf,       [OP_LOP] = lop,       [OP_LOP3] = lop3,     [OP_BFE] = bfe,
    [OP_BFI] = bfi,       [OP_FLO] = flo,       [OP_BREV] = brev,     [OP_POPC] = popc,
    [OP_CLZ] = clz,       [OP_FNS] = fns,       [OP_PRMT] = prmt,     [OP_BMSK] = bmsk,
    [OP_SZEXT] = szext,   [OP_DP4A] = dp4a,     [OP_DP2A] = dp2a};

bool eval_word(const struct minst *m, const uint32_t v[4], uint32_t *out) {
    if (!rows[m->op] || m->dst[0].words > 1 || m->dst[1].kind != OPND_NONE) return false;
    if (isa_has_carry(m) || m->flags & (MF_WIDE | MF_FRAME)) return false;
    if (isa_type_bits(m->type) > 32 || (m->op == OP_PRMT && m->sub > MPRMT_RC16)) return false;
    *out = rows[m->op](&(const struct known){m, v[0], v[1], v[2], v[3]});
    return true;
}

// ---- two words ----------------------------------------------------------------------------------
struct known_pair {
    const struct minst *m;
    uint64_t a, b, c, e;
    bool is_signed, is_high;
};
static uint64_t pair_mod(const struct known_pair *k, uint32_t source, uint32_t which) {
    return k->m->src[source].mods & which ? ~0ull : 0;
}
static uint64_t mov_pair(const struct known_pair *k) { return k->a; }
static uint64_t add_pair(const struct known_pair *k) {
    return lane_negate64(k->a, pair_mod(k, 0, OPND_NEG)) +
           lane_negate64(k->b, pair_mod(k, 1, OPND_NEG));
}
// A product of pairs, or the whole product of words.
static uint64_t mul_pair(const struct known_pair *k) {
    if (isa_type_bits(k->m->type) < 64)
        return k->is_signed ? lane_wide_s((uint32_t)k->a, (uint32_t)k->b)
                            : lane_wide_u((uint32_t)k->a, (uint32_t)k->b);
    if (!k->is_high) return k->a * k->b;
    return k->is_signed ? lane_mulhi64_s(k->a, k->b) : lane_mulhi64_u(k->a, k->b);
}
static uint64_t mad_pair(const struct known_pair *k) { return mul_pair(k) + k->c; }
static uint64_t shl_pair(const struct known_pair *k) { return lane_shl64(k->a, (uint32_t)k->b); }
static uint64_t shr_pair(const struct known_pair *k) {
    return k->is_signed ? lane_shr64_s(k->a, (uint32_t)k->b) : lane_shr64_u(k->a, (uint32_t)k->b);
}
static uint64_t minmax_pair(const struct known_pair *k) {
    if (k->m->sub) return k->is_signed ? lane_max64_s(k->a, k->b) : lane_max64_u(k->a, k->b);
    return k->is_signed ? lane_min64_s(k->a, k->b) : lane_min64_u(k->a, k->b);
}
static uint64_t abs_pair(const struct known_pair *k) { return lane_abs64(k->a); }
static uint64_t sad_pair(const struct known_pair *k) {
    return k->is_signed ? lane_sad64_s(k->a, k->b, k->c) : lane_sad64_u(k->a, k->b, k->c);
}
static uint64_t bfe_pair(const struct known_pair *k) {
    return lane_bfe64(k->a, (uint32_t)k->b, (uint32_t)k->c, k->is_signed);
}
static uint64_t bfi_pair(const struct known_pair *k) {
    return lane_bfi64(k->a, k->b, (uint32_t)k->c, (uint32_t)k->e);
}
static uint64_t flo_pair(const struct known_pair *k) {
    return lane_flo64(k->a, k->is_signed, k->m->flags & MF_SHIFTAMT);
}
static uint64_t brev_pair(const struct known_pair *k) { return lane_brev64(k->a); }
static uint64_t popc_pair(const struct known_pair *k) { return lane_popc64(k->a); }
static uint64_t clz_pair(const struct known_pair *k) { return lane_clz64(k->a); }

// A value of a type as a number of 64 bits.
static uint64_t extend(uint64_t v, enum isa_type t) {
    const unsigned drop = 64 - isa_type_bits(t);
    v <<= drop;
    return isa_type_is_signed(t) ? (uint64_t)((int64_t)v >> drop) : v >> drop;
}
static uint64_t quotient(const struct known_pair *k) {
    const enum isa_type t = k->m->type;
    const unsigned drop = 64 - isa_type_bits(t);
    const uint64_t r =
        lane_divide(extend(k->a, t), extend(k->b, t), k->is_signed, k->m->op == OP_IREM);
    return r << drop >> drop;
}

static uint64_t (*const pair_rows[OP_N])(const struct known_pair *k) = {
    [OP_MOV] = mov_pair,        [OP_IADD] = add_pair,   [OP_IADD64] = add_pair,
    [OP_IMUL] = mul_pair,       [OP_IMUL64] = mul_pair, [OP_IMAD] = mad_pair,
    [OP_IMAD64] = mad_pair,     [OP_SHL] = shl_pair,    [OP_SHL64] = shl_pair,
    [OP_SHR] = shr_pair,        [OP_SHR64] = shr_pair,  [OP_IMNMX] = minmax_pair,
    [OP_IMNMX64] = minmax_pair, [OP_IABS] = abs_pair,   [OP_IABS64] = abs_pair,
    [OP_ISAD] = sad_pair,       [OP_ISAD64] = sad_pair, [OP_BFE] = bfe_pair,
    [OP_BFI] = bfi_pair,        [OP_FLO] = flo_pair,    [OP_BREV] = brev_pair,
    [OP_POPC] = popc_pair,      [OP_CLZ] = clz_pair,    [OP_IDIV] = quotient,
    [OP_IREM] = quotient};

bool eval_pair(const struct minst *m, const uint64_t v[4], uint64_t *out) {
    if (!pair_rows[m->op] || isa_has_carry(m) || m->dst[0].words > 2) return false;
    const unsigned bits = isa_type_bits(m->type);
    const bool divides = m->op == OP_IDIV || m->op == OP_IREM;
    const bool is_wide = m->flags & MF_WIDE && (m->op == OP_IMUL || m->op == OP_IMAD);
    if (divides ? bits < 16 : is_wide ? bits != 32 : bits != 64 || isa_type_is_float(m->type))
        return false;
    if (m->flags & (MF_FRAME | MF_SAT | MF_RELU)) return false;
    const bool may_negate = m->op == OP_IADD || m->op == OP_IADD64;
    for (uint32_t s = 0; s < 4; s++)
        if (m->src[s].mods && !(may_negate && m->src[s].mods == OPND_NEG)) return false;
    *out = pair_rows[m->op](&(const struct known_pair){
        m, v[0], v[1], v[2], v[3], isa_type_is_signed(m->type), (m->flags & MF_HI) != 0});
    return true;
}

// ---- comparisons --------------------------------------------------------------------------------
bool eval_compare(const struct minst *m, uint64_t a, uint64_t b, bool c, bool *out) {
    if (m->op != OP_ISETP || isa_type_is_float(m->type)) return false;
    a = extend(a, m->type), b = extend(b, m->type);
    const bool t = lane_compare64(m->cmp, a, b, isa_type_is_signed(m->type));
    *out = lane_combine(m->src[2].kind == OPND_NONE ? MBOP_NONE : m->bop, t, c) & 1;
    return true;
}
