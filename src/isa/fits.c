// Which operands the machine takes where. One source slot of an instruction reads the constant
// bank or holds an immediate (Fermi and Kepler: the B slot; constants of three-source operations
// also in C; Tesla likewise has one of either an instruction). An immediate has 20 bits (an
// integer with its sign, or the top of a float or double), but for the operations with a long form
// (MOV32I, IADD32I, IMUL32I, LOP32I, FADD32I, FMUL32I), which hold 32. Source: NVIDIA's listings of
// sm_20 and sm_35 code (cuobjdump), and the operand forms that they use.
#include "isa/isa.h"

struct slots {
    uint8_t imm, con; // bit s: src[s] may be an immediate, a constant
    uint8_t control;  // bit s: a short field of the encoding: any immediate, and it counts for none
    bool long_imm;
    bool listed; // else `usual`
};

enum { A = 1, B = 2, C = 4, E = 8 };

static const struct slots usual = {B, B, 0, false, true};

static const struct slots table[OP_N] = {
    [OP_MOV] = {A, A, 0, true, true},
    [OP_IADD] = {B, B, 0, true, true},
    [OP_IMUL] = {B, B, 0, true, true},
    [OP_LOP] = {B, B, 0, true, true},
    [OP_FADD] = {B, B, 0, true, true},
    [OP_FMUL] = {B, B, 0, true, true},
    [OP_IMAD] = {B, B | C, 0, false, true},
    [OP_IMAD24] = {B, B | C, 0, false, true},
    [OP_ISAD] = {B, B | C, 0, false, true},
    [OP_IMAD64] = {B, B | C, 0, false, true},
    [OP_ISAD64] = {B, B | C, 0, false, true},
    [OP_FFMA] = {B, B | C, 0, false, true},
    [OP_FMAD] = {B, B | C, 0, false, true},
    [OP_DFMA] = {B, B | C, 0, false, true},
    [OP_HFMA] = {B, B | C, 0, false, true},
    [OP_LOP3] = {B, B | C, 0, false, true},
    [OP_SLCT] = {B, B | C, 0, false, true},
    [OP_DP4A] = {B, B | C, 0, false, true},
    [OP_DP2A] = {B, B | C, 0, false, true},
    [OP_PRMT] = {C, B | C, 0, false, true},
    [OP_SHF] = {0, B, C, false, true},
    [OP_BFE] = {0, 0, B | C, false, true},
    [OP_BFI] = {0, B, C | E, false, true},
    [OP_VIDEO] = {B, 0, E, false, true},
    [OP_FABSNEG] = {A, A, 0, false, true},
    [OP_DABSNEG] = {A, A, 0, false, true},
    [OP_HABSNEG] = {A, A, 0, false, true},
    [OP_MUFU] = {0, 0, 0, false, true},
    [OP_HMMA_884] = {0, 0, 0, false, true},
    [OP_HMMA_1688] = {0, 0, 0, false, true},
    [OP_IMMA_8816] = {0, 0, 0, false, true},
    [OP_IMMA_8832] = {0, 0, 0, false, true},
    [OP_BMMA_88128] = {0, 0, 0, false, true},
    [OP_LDSM] = {0, 0, 0, false, true},
    [OP_MOVM] = {0, 0, 0, false, true},
    [OP_CVT] = {0, A, 0, false, true},
    [OP_CVTPACK] = {0, 0, 0, false, true},
    [OP_S2R] = {0, 0, 0, false, true},
    [OP_LD] = {0, 0, 0, false, true},
    [OP_LDC] = {0, 0, 0, false, true},
    [OP_ST] = {0, 0, 0, false, true},
    [OP_ATOM] = {0, 0, 0, false, true},
    [OP_PREFETCH] = {0, 0, 0, false, true},
    [OP_CPASYNC] = {0, 0, C, false, true},
    [OP_CVTA] = {0, 0, 0, false, true},
    [OP_ISSPACE] = {0, 0, 0, false, true},
    [OP_TEX] = {0, A, A, false, true},
    [OP_TLD4] = {0, A, A, false, true},
    [OP_TXQ] = {0, A, A | B, false, true},
    [OP_SULD] = {0, A, A, false, true},
    [OP_SUST] = {0, A, A, false, true},
    [OP_SURED] = {0, A, A, false, true},
    [OP_VOTE] = {0, 0, A | B, false, true},
    [OP_MATCH] = {0, 0, B, false, true},
    [OP_REDUX] = {0, 0, B, false, true},
    [OP_SHFL] = {0, 0, B | C | E, false, true},
    [OP_ELECT] = {0, 0, A, false, true},
    [OP_WARPSYNC] = {0, 0, A, false, true},
    [OP_BRX] = {0, 0, 0, false, true},
    [OP_CALLI] = {0, 0, 0, false, true},
    [OP_BAR] = {0, 0, A | B, false, true},
    [OP_NANOSLEEP] = {0, A, A, false, true},
    [OP_SYSCALL] = {0, 0, C, false, true},
    [OP_NOP] = {0, 0, A | B | C | E, false, true},
};

static const struct slots *slots_of(unsigned op) { return table[op].listed ? &table[op] : &usual; }

static bool is_memory(unsigned op) {
    return (mop_info[op].flags & (OPF_LOAD | OPF_STORE)) != 0 || op == OP_PREFETCH;
}

static bool short_imm(const struct minst *i, const struct opnd *o) {
    const bool compares = i->op == OP_ISETP || i->op == OP_ISET || i->op == OP_FSETP ||
                          i->op == OP_FSET || i->op == OP_DSETP;
    const bool is_float = isa_type_is_float((enum isa_type)(compares ? i->stype : i->type));
    if (o->words == 2) {
        if (is_float) return (o->imm & 0xfffffffffffull) == 0;
        const int64_t v = (int64_t)o->imm;
        return v >= -(1 << 19) && v < 1 << 19;
    }
    const uint32_t bits = (uint32_t)o->imm;
    const int32_t v = (int32_t)bits;
    if (v >= -(1 << 19) && v < 1 << 19) return true;
    return is_float && (bits & 0xfff) == 0;
}

bool isa_fits(const struct minst *i, unsigned s, const struct opnd *o) {
    if (o->kind != OPND_IMM && o->kind != OPND_CONST) return true;
    if (o->kind == OPND_IMM && o->imm == 0 && o->words < 4 && !(s == 0 && is_memory(i->op)))
        return true;
    const struct slots *const slots = slots_of(i->op);
    const unsigned bit = 1u << s;
    if (o->kind == OPND_IMM && slots->control & bit) return true;
    if (!((o->kind == OPND_IMM ? slots->imm : slots->con) & bit)) return false;
    for (unsigned k = 0; k < 4; k++) {
        if (k == s) continue;
        const struct opnd *const other = &i->src[k];
        if (other->kind == OPND_CONST) return false;
        if (other->kind == OPND_IMM && other->imm != 0 && !(slots->control & 1u << k)) return false;
    }
    return o->kind == OPND_CONST || (slots->long_imm && o->words == 1) || short_imm(i, o);
}

bool isa_commute(struct minst *m) {
    static const uint8_t mirror[] = {
        [MCMP_EQ] = MCMP_EQ,   [MCMP_NE] = MCMP_NE,   [MCMP_LT] = MCMP_GT,   [MCMP_LE] = MCMP_GE,
        [MCMP_GT] = MCMP_LT,   [MCMP_GE] = MCMP_LE,   [MCMP_EQU] = MCMP_EQU, [MCMP_NEU] = MCMP_NEU,
        [MCMP_LTU] = MCMP_GTU, [MCMP_LEU] = MCMP_GEU, [MCMP_GTU] = MCMP_LTU, [MCMP_GEU] = MCMP_LEU,
        [MCMP_NUM] = MCMP_NUM, [MCMP_NAN] = MCMP_NAN};
    switch (m->op) {
    case OP_ISETP:
    case OP_ISET:
    case OP_FSETP:
    case OP_FSET:
    case OP_DSETP:
    case OP_HSETP:
    case OP_HSET: m->cmp = mirror[m->cmp]; break;
    case OP_SEL:
        if (m->src[2].kind != OPND_PRED) return false;
        m->src[2].mods ^= OPND_NOT;
        break;
    case OP_IMAD:
    case OP_IMAD24:
    case OP_IMAD64:
    case OP_FFMA:
    case OP_FMAD:
    case OP_DFMA:
    case OP_HFMA: break;
    case OP_LOP:
        if (m->sub == MLOGIC_PASS_B) return false;
        break;
    default:
        if (!(mop_info[m->op].flags & OPF_COMMUTES)) return false;
    }
    const struct opnd a = m->src[0];
    m->src[0] = m->src[1];
    m->src[1] = a;
    return true;
}
