// The operands of ops.def, and what they say: whether an instruction's operands are right, and
// which the machine takes where.
#include "isa/operands.h"

// The words of ops.def.
enum { A = 1, B = 2, C = 4, E = 8 };
enum { SHORT, LONG };
enum {
    _ = 0,
    W = SLOT_W | SLOT_VALUE,
    T = SLOT_T | SLOT_VALUE,
    S = SLOT_S | SLOT_VALUE,
    X = SLOT_X | SLOT_VALUE,
    V = SLOT_V | SLOT_VALUE,
    PACKED = SLOT_PACKED | SLOT_VALUE,
    ADDRESS = SLOT_ADDRESS | SLOT_VALUE | SLOT_OPTIONAL,
    PAIR = SLOT_PAIR | SLOT_VALUE,
    N = SLOT_N | SLOT_VALUE,
    SUMS = SLOT_SUMS | SLOT_VALUE,
    T4 = SLOT_T4 | SLOT_VALUE,
    V2 = SLOT_V2 | SLOT_VALUE,
    P = SLOT_PREDICATE,
    WP = W | P,
    NP = N | P,
    BARRIER = SLOT_BARRIER,
    WB = W | BARRIER
};
#define OPT(slot) (slot | SLOT_OPTIONAL)
#define ROW(d, d1, a, b, c, e, imm_, con_, field_, ...)                                            \
    {                                                                                              \
        .dst[0] = d, .dst[1] = d1, .src[0] = a, .src[1] = b, .src[2] = c, .src[3] = e,             \
        .imm = imm_, .con = con_, .field = field_, .long_imm = __VA_ARGS__                         \
    }
#define MORE(d2, f, g) LONG, .dst[2] = d2, .src[4] = f, .src[5] = g
const struct operand_row operand_rows[OP_N] = {
#define OP(op, text, class, flags, operands, prose) [OP_##op] = ROW operands,
#include "isa/ops.def"
#undef OP
};
#undef MORE
#undef ROW
#undef OPT

const char *slot_words_text(enum slot_words w) {
    static const char *const text[] = {
        [SLOT_NONE] = "",       [SLOT_W] = "word",       [SLOT_T] = "type",
        [SLOT_S] = "stype",     [SLOT_X] = "type, WIDE", [SLOT_V] = "vec type",
        [SLOT_PACKED] = "vec type, packed",              [SLOT_ADDRESS] = "address",
        [SLOT_PAIR] = "1 or 2", [SLOT_N] = "1, 2 or 4", [SLOT_SUMS] = "sums",
        [SLOT_T4] = "4 type",   [SLOT_V2] = "2 vec type"};
    return text[w];
}

// ---- are they right? ----------------------------------------------------------------------------
static unsigned words_of(unsigned type) {
    const unsigned bits = isa_type_bits((enum isa_type)type);
    return bits > 32 ? bits / 32 : 1;
}

static bool words_fit(const struct minst *m, enum slot_words rule, unsigned words) {
    const unsigned own = words_of(m->type), vec = m->vec > 1 ? m->vec : 1;
    const bool wide = m->flags & MF_WIDE && isa_type_bits((enum isa_type)m->type) >= 32;
    switch (rule) {
    case SLOT_W: return words == 1;
    case SLOT_T: return words == own;
    case SLOT_S: return words == words_of(m->stype);
    case SLOT_X: return words == (wide ? 2 : 1) * own;
    case SLOT_V: return words == vec * own;
    case SLOT_PACKED: {
        const unsigned bits = vec * isa_type_bits((enum isa_type)m->type);
        return words == (bits > 32 ? bits / 32 : 1);
    }
    case SLOT_ADDRESS:
    case SLOT_PAIR: return words == 1 || words == 2;
    case SLOT_N: return words == 1 || words == 2 || words == 4;
    case SLOT_SUMS: return words >= 1 && words <= ISA_MAX_SUMS;
    case SLOT_T4: return words == 4 * own;
    case SLOT_V2: return words == 2 * vec * own;
    default: return false;
    }
}

static const char *slot_fault(const struct minst *m, uint8_t slot, const struct opnd *o) {
    if (o->kind == OPND_NONE)
        return slot == 0 || slot & SLOT_OPTIONAL ? NULL : "lacks an operand";
    if (o->kind == OPND_PRED)
        return slot & SLOT_PREDICATE ? NULL : "has a predicate where none can be";
    if (o->kind == OPND_BARRIER)
        return slot & SLOT_BARRIER ? NULL : "has a barrier register where none can be";
    if (!(slot & SLOT_VALUE)) return "has a value where none can be";
    return words_fit(m, slot_words(slot), o->words) ? NULL : "has an operand of wrong size";
}

// Whether an operand is the one immediate or constant that an instruction can have: zeros and short
// fields are none.
static bool takes_the_one(const struct operand_row *row, unsigned s, const struct opnd *o) {
    if (o->kind == OPND_CONST) return true;
    return o->kind == OPND_IMM && o->imm != 0 && !(row->field >> s & 1);
}
// Whether another source than src[s] is.
static bool has_the_one(const struct minst *m, const struct operand_row *row, unsigned s) {
    for (unsigned k = 0; k < MINST_SRCS; k++)
        if (k != s && takes_the_one(row, k, &m->src[k])) return true;
    return false;
}

const char *isa_operands_fault(const struct minst *m, bool is_placed) {
    const struct operand_row *const row = &operand_rows[m->op];
    const char *fault = NULL;
    for (unsigned d = 0; d < MINST_DSTS && !fault; d++) {
        fault = slot_fault(m, row->dst[d], &m->dst[d]);
        if (m->dst[d].kind == OPND_IMM || m->dst[d].kind == OPND_CONST)
            fault = "writes what is no register";
    }
    for (unsigned s = 0; s < MINST_SRCS && !fault; s++) {
        const struct opnd *const o = &m->src[s];
        fault = slot_fault(m, row->src[s], o);
        if (!is_placed) continue;
        const bool is_zero = o->kind == OPND_IMM && o->imm == 0;
        if (o->kind == OPND_IMM && !is_zero && !((row->imm | row->field) >> s & 1))
            fault = "has an immediate where none can be";
        if (o->kind == OPND_CONST && !(row->con >> s & 1))
            fault = "has a constant where none can be";
        if (takes_the_one(row, s, o) && has_the_one(m, row, s))
            fault = "has more than one immediate or constant";
    }
    return fault;
}

// ---- what fits where ----------------------------------------------------------------------------
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
    const struct operand_row *const row = &operand_rows[i->op];
    if (o->kind == OPND_IMM && o->imm == 0 && o->words < 4 &&
        slot_words(row->src[s]) != SLOT_ADDRESS)
        return true;
    const unsigned bit = 1u << s;
    if (o->kind == OPND_IMM && row->field & bit) return true;
    if (!((o->kind == OPND_IMM ? row->imm : row->con) & bit)) return false;
    if (has_the_one(i, row, s)) return false;
    return o->kind == OPND_CONST || (row->long_imm && o->words == 1) || short_imm(i, o);
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
