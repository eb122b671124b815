// Machine instructions come into being here: with guard and lines of the PTX instruction in hand,
// operands that the machine takes in their slots, and the fillers of the cost table.
#include "code/edit.h"
#include "code/lower_priv.h"

#include <assert.h>

#define SEQ(...)                                                                                   \
    { __VA_ARGS__ }
#define SIDE(klass, count)                                                                         \
    { klass, count, .side = true }
#define LEAD(klass, count)                                                                         \
    { klass, count, .lead = true }
#define SIDE_LEAD(klass, count)                                                                    \
    { klass, count, .side = true, .lead = true }
#define AS_FERMI SEQ({0})
const struct lower_cost_info lower_cost_info[LOWER_COST_N] = {
#define LOWER_COST(name, tesla, fermi, kepler, source) {#name, source, {tesla, fermi, kepler}},
#include "code/lower_cost.def"
#undef LOWER_COST
};
#define AS_KEPLER SEQ({0})
const struct lower_cost_later lower_cost_later[LOWER_COST_N] = {
#define LATER_COST(name, pascal, volta, source) [LOWER_COST_##name] = {source, {pascal, volta}},
#include "code/lower_cost_later.def"
#undef LATER_COST
};
#undef SEQ
#undef SIDE
#undef LEAD
#undef SIDE_LEAD
#undef AS_FERMI
#undef AS_KEPLER
static_assert(COSTS_TESLA == 0 && COSTS_FERMI == 1 && COSTS_KEPLER == 2 && COSTS_PASCAL == 3 &&
                  COSTS_VOLTA == 4,
              "order of the columns");

// Generations after Kepler do as Kepler where their table says nothing, and that and Tesla as
// Fermi.
static const struct lower_step *steps_of(enum lower_cost c, enum gen_costs column) {
    if (column >= COSTS_PASCAL) {
        const struct lower_step *const later = lower_cost_later[c].step[column - COSTS_PASCAL];
        if (later[0].count) return later;
        column = COSTS_KEPLER;
    }
    const struct lower_step *const step = lower_cost_info[c].step[column];
    return step[0].count ? step : lower_cost_info[c].step[COSTS_FERMI];
}

struct opnd lower_temp(struct lower *l, unsigned words) {
    vec_push(l->arena, &l->f->vreg_words, (uint8_t)words);
    return opnd_gpr(l->f->vreg_words.n - 1, words);
}

struct opnd lower_temp_pred(struct lower *l) {
    return opnd_pred(l->f->n_vpreds++);
}

struct minst lower_new(const struct lower *l, enum mop op, enum isa_type type) {
    struct minst m = {.op = (uint16_t)op,
                      .klass = mop_info[op].klass,
                      .type = (uint8_t)type,
                      .guard = VPRED_TRUE,
                      .target = -1,
                      .reconv = -1};
    if (l->at) {
        if (l->at->guard >= 0) {
            m.guard = l->reg[l->at->guard].vreg;
            m.guard_not = l->at->guard_not;
        }
        m.ptx_line = l->at->loc.line;
        m.src_line = l->at->loc.src_line;
        m.src_file = l->at->loc.src_file;
    }
    return m;
}

// ---- operands -----------------------------------------------------------------------------

struct opnd lower_literal(struct lower *l, uint64_t v, unsigned words) {
    return edit_literal(l->f, v, words);
}

static void push(struct lower *l, const struct minst *m) { vec_push(l->arena, &l->f->inst, *m); }

struct opnd lower_in_reg(struct lower *l, struct opnd o) {
    if (o.kind == OPND_GPR || o.kind == OPND_NONE || o.kind == OPND_PRED) return o;
    const unsigned mods = o.mods;
    o.mods = 0;
    struct opnd t = lower_temp(l, o.words);
    for (unsigned w = 0; w < o.words; w++) {
        struct minst m = lower_new(l, OP_MOV, ITYPE_B32);
        m.dst[0] = opnd_word(t, w);
        m.src[0] = opnd_word(o, w);
        push(l, &m);
    }
    t.mods = (uint8_t)mods;
    return t;
}

static bool is_extra(const struct opnd *o) { return o->kind == OPND_IMM || o->kind == OPND_CONST; }

void lower_put(struct lower *l, struct minst *m) {
    if (is_extra(&m->src[0]) && m->src[1].kind == OPND_GPR && !isa_fits(m, 0, &m->src[0]))
        isa_commute(m);
    for (unsigned s = 0; s < MINST_SRCS; s++) {
        struct opnd *const o = &m->src[s];
        if (!is_extra(o) || isa_fits(m, s, o)) continue;
        if (o->kind == OPND_IMM) {
            // A long immediate where a constant may stand is a literal; integers of two words are
            // cheaper as two moves, of which each may be shared.
            const bool is_float = isa_type_is_float((enum isa_type)m->type) ||
                                  isa_type_is_float((enum isa_type)m->stype);
            struct opnd c = opnd_const(CB_LITERAL, 0, o->words);
            if ((o->words == 1 || is_float) && isa_fits(m, s, &c)) {
                const uint8_t mods = o->mods;
                *o = lower_literal(l, o->imm, o->words);
                o->mods = mods;
                continue;
            }
        }
        *o = lower_in_reg(l, *o);
    }
    push(l, m);
}

// ---- fillers ------------------------------------------------------------------------------

static bool reads_two(unsigned klass) {
    switch (klass) {
    case OPC_CVT:
    case OPC_CVT_FP:
    case OPC_DP_CVT:
    case OPC_SFU_RCP:
    case OPC_SFU_TRIG:
    case OPC_MOV:
    case OPC_INT_BIT:
    case OPC_INT_SHIFT: return false;
    default: return true;
    }
}

static bool is_double(unsigned klass) { return op_class_unit[klass] == UNIT_DP; }

// Fillers read and write one word, but for the double-precision ones.
static struct opnd filler_opnd(struct opnd o, unsigned klass) {
    o.mods = 0;
    if (o.kind == OPND_GPR && o.words > 1 && !(o.words == 2 && is_double(klass)))
        o = opnd_word(o, o.words - 1u);
    return o;
}

// `begins`: the chain begins here, on the operation's sources.
static void put_filler(struct lower *l, const struct minst *of, const struct lower_step *step,
                       bool begins) {
    struct minst m = lower_new(l, OP_FILLER, (enum isa_type)of->type);
    m.klass = step->klass;
    m.sub = step->lead;
    const struct opnd result = filler_opnd(of->dst[0], step->klass);
    if (op_class_unit[step->klass] != UNIT_NONE) {
        struct opnd a = of->src[0].kind == OPND_GPR ? of->src[0] : opnd_none();
        const struct opnd b = of->src[1].kind == OPND_GPR ? of->src[1] : a;
        if (!step->side && of->dst[0].kind != OPND_NONE) {
            m.dst[0] = result;
            if (!begins) a = of->dst[0];
        }
        m.src[0] = filler_opnd(a, step->klass);
        if (reads_two(step->klass)) m.src[1] = filler_opnd(b, step->klass);
    }
    for (unsigned n = 0; n < step->count; n++) {
        push(l, &m);
        if (begins && m.dst[0].kind != OPND_NONE) m.src[0] = result;
    }
}

void lower_put_cost(struct lower *l, struct minst *m, enum lower_cost c) {
    const struct lower_step *const step = steps_of(c, gen_info[l->gen].costs);
    m->klass = step[0].klass;
    lower_put(l, m);
    const struct minst of = *m;
    struct lower_step rest = step[0];
    rest.count--;
    put_filler(l, &of, &rest, false);
    bool begins = true; // the part of the chain before the operation
    for (unsigned s = 1; s < LOWER_MAX_STEPS && step[s].count; s++) {
        put_filler(l, &of, &step[s], begins && step[s].lead);
        begins &= !step[s].lead || step[s].side;
    }
}

// ---- common shapes ------------------------------------------------------------------------

void lower_put1(struct lower *l, enum mop op, enum isa_type t, struct opnd d, struct opnd a) {
    struct minst m = lower_new(l, op, t);
    m.dst[0] = d;
    m.src[0] = a;
    lower_put(l, &m);
}

void lower_put2(struct lower *l, enum mop op, enum isa_type t, struct opnd d, struct opnd a,
                struct opnd b) {
    struct minst m = lower_new(l, op, t);
    m.dst[0] = d;
    m.src[0] = a;
    m.src[1] = b;
    lower_put(l, &m);
}

void lower_mov(struct lower *l, struct opnd d, struct opnd a) {
    const unsigned words = d.words < a.words ? d.words : a.words;
    if (opnd_same_reg(d, a) && d.sub == a.sub) return;
    for (unsigned w = 0; w < words; w++)
        lower_put1(l, OP_MOV, ITYPE_B32, opnd_word(d, w), opnd_word(a, w));
}

void lower_iadd(struct lower *l, struct opnd d, struct opnd a, struct opnd b, uint32_t flags) {
    struct minst m = lower_new(l, OP_IADD, ITYPE_U32);
    m.dst[0] = d;
    m.src[0] = a;
    m.src[1] = b;
    m.flags = flags;
    lower_put(l, &m);
}

void lower_shift(struct lower *l, enum mop op, enum isa_type t, struct opnd d, struct opnd a,
                 unsigned n) {
    if (n == 0)
        lower_mov(l, d, a);
    else
        lower_put2(l, op, t, d, a, opnd_imm(n));
}

void lower_logic(struct lower *l, enum mlogic f, struct opnd d, struct opnd a, struct opnd b) {
    if (a.kind == OPND_IMM && b.kind != OPND_IMM) {
        const struct opnd t = a;
        a = b;
        b = t;
    }
    if (b.kind == OPND_IMM && b.words == 1 && !a.mods && !b.mods) {
        const uint32_t v = (uint32_t)b.imm;
        const bool keeps = f == MLOGIC_AND ? v == UINT32_MAX : v == 0;
        if (keeps) {
            lower_mov(l, d, a);
            return;
        }
        if ((f == MLOGIC_AND && v == 0) || (f == MLOGIC_OR && v == UINT32_MAX)) {
            lower_mov(l, d, b);
            return;
        }
    }
    struct minst m = lower_new(l, OP_LOP, ITYPE_B32);
    m.sub = (uint8_t)f;
    m.dst[0] = d;
    m.src[0] = a;
    m.src[1] = b;
    lower_put(l, &m);
}

void lower_extend(struct lower *l, struct opnd d, struct opnd a, unsigned bits, bool is_signed) {
    if (!is_signed) {
        lower_logic(l, MLOGIC_AND, d, a, opnd_imm((1ull << bits) - 1));
        return;
    }
    struct minst m = lower_new(l, OP_CVT, ITYPE_S32);
    m.stype = bits == 8 ? ITYPE_S8 : ITYPE_S16;
    m.dst[0] = d;
    m.src[0] = a;
    lower_put(l, &m);
}

// ---- pairs --------------------------------------------------------------------------------

struct opnd lower_dst_begin(struct lower *l, struct opnd d, const struct opnd *src, unsigned n) {
    for (unsigned s = 0; s < n; s++)
        if (opnd_same_reg(d, src[s])) return lower_temp(l, d.words);
    return d;
}

void lower_dst_end(struct lower *l, struct opnd d, struct opnd via) {
    if (!opnd_same_reg(d, via)) lower_mov(l, d, via);
}

void lower_add64(struct lower *l, struct opnd d, struct opnd a, struct opnd b, bool sub,
                 bool carry_in, bool carry_out) {
    if (sub && b.kind == OPND_IMM && !b.mods && !carry_in && !carry_out)
        b.imm = 0 - b.imm;
    else if (sub)
        b = opnd_mod(b, OPND_NEG);
    const bool keep_carry = l->carry_live && l->carry_live[l->at_index] && !carry_in && !carry_out;
    if (keep_carry) { // the PTX's own carry waits for its reader: add without touching it
        struct minst m = lower_new(l, OP_IADD64, ITYPE_U64);
        m.dst[0] = d;
        m.src[0] = a;
        m.src[1] = b;
        lower_put_cost(l, &m, LOWER_COST_IADD64);
        return;
    }
    const struct opnd src[2] = {a, b};
    const bool crossed =
        (opnd_same_reg(d, a) && d.sub != a.sub) || (opnd_same_reg(d, b) && d.sub != b.sub);
    const struct opnd to = crossed ? lower_dst_begin(l, d, src, 2) : d;
    for (unsigned w = 0; w < 2; w++) {
        struct minst m = lower_new(l, OP_IADD, ITYPE_U32);
        m.dst[0] = opnd_word(to, w);
        m.src[0] = opnd_word(a, w);
        m.src[1] = opnd_word(b, w);
        if (w == 1 || carry_in) lower_carry(&m, CARRY_IN);
        if (w == 0 || carry_out) lower_carry(&m, CARRY_OUT);
        lower_put(l, &m);
    }
    lower_dst_end(l, d, to);
}
