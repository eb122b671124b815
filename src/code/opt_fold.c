// What the assemblers of later generations fold besides (TRAIT_FOLDS): products and sums of numbers
// that are known, and a constant inside of a sum that is an address of one word, which leaves it
// for the access's offset:
//     t = x + 12;  a = (t << 2) + y;  [a + 4]   becomes   a' = (x << 2) + y;  [a' + 52]
// Addresses of one word are added modulo 2^32 here and there. Accesses whose addresses differ in a
// constant then share a sum (opt_value.c).
#include "isa/eval.h"
#include "code/opt.h"

static bool is_word(const struct opnd *x) { return x->kind == OPND_GPR && x->words == 1; }
static bool is_plain_word(const struct opnd *x) { return is_word(x) && !x->mods; }
static bool is_imm(const struct opnd *x) { return x->kind == OPND_IMM && !x->mods; }
static bool has_fillers(const struct opt *o, uint32_t at) {
    return at + 1 < o->f->inst.n && minst_is_filler(&o->f->inst.at[at + 1]);
}
static bool no_sum(const struct minst *m) {
    return isa_has_carry(m) || m->flags & (MF_SAT | MF_HI | MF_WIDE | MF_FRAME);
}

// Whether the word is a number that is known.
static bool known(const struct opt *o, const struct opnd *x, uint32_t at, uint32_t *value) {
    *value = (uint32_t)x->imm;
    if (is_imm(x)) return true;
    uint32_t from = 0;
    const struct minst *const d = is_plain_word(x) ? opt_source(o, x, at, &from) : NULL;
    if (d == NULL || d->op != OP_MOV || !is_imm(&d->src[0])) return false;
    const uint32_t word = x->sub - d->dst[0].sub;
    *value = word < 2 ? (uint32_t)(d->src[0].imm >> 32 * word) : 0;
    return true;
}

// What the operation makes of two words, in the type and with the count of `m`.
static bool value_of(enum mop op, const struct minst *m, uint32_t a, uint32_t b, uint32_t *value) {
    const struct minst known = {.op = (uint16_t)op, .type = m->type, .sub = m->sub};
    const uint32_t v[4] = {a, b};
    return eval_word(&known, v, value);
}

// number + c in the place of an operation of 32 bits.
static bool become_sum(struct opt *o, uint32_t at, uint32_t number, struct opnd c) {
    struct minst m = o->f->inst.at[at];
    const struct opnd imm = {.kind = OPND_IMM, .words = 1, .imm = number};
    uint32_t other, sum = 0;
    const bool is_known = known(o, &c, at, &other) && value_of(OP_IADD, &m, number, other, &sum);
    m.op = is_known || number == 0 ? OP_MOV : OP_IADD;
    m.klass = mop_info[m.op].klass;
    m.sub = 0;
    m.flags = 0;
    m.type = m.stype = m.op == OP_MOV ? ITYPE_B32 : m.type;
    m.src[0] = is_known ? imm : c;
    if (is_known) m.src[0].imm = sum;
    m.src[1] = m.op == OP_MOV ? (struct opnd){.kind = OPND_NONE} : imm;
    m.src[2] = m.src[3] = (struct opnd){.kind = OPND_NONE};
    if (!isa_fits(&m, 0, &m.src[0]) || (m.op == OP_IADD && !isa_fits(&m, 1, &m.src[1])))
        return false;
    opt_rewrite(o, at, &m);
    return true;
}

bool opt_fold_known(struct opt *o, uint32_t at) {
    const struct minst *const m = &o->f->inst.at[at];
    if (no_sum(m) || has_fillers(o, at) || m->dst[0].kind != OPND_GPR || m->dst[0].words != 1 ||
        isa_type_bits(m->type) != 32)
        return false;
    uint32_t a, b, value;
    if (m->op == OP_IMAD && known(o, &m->src[0], at, &a) && known(o, &m->src[1], at, &b) &&
        !m->src[2].mods && value_of(OP_IMUL, m, a, b, &value))
        return become_sum(o, at, value, m->src[2]);
    if (m->op == OP_ISCADD && known(o, &m->src[0], at, &a) && !m->src[1].mods &&
        value_of(OP_ISCADD, m, a, 0, &value))
        return become_sum(o, at, value, m->src[1]);
    return false;
}

// ---- constants in addresses ---------------------------------------------------------------------
// The word is base + *number, both where `seen_by` reads it and at `at`.
static bool splits(const struct opt *o, const struct opnd *x, uint32_t seen_by, uint32_t at,
                   struct opnd *base, uint32_t *number) {
    uint32_t from = 0;
    const struct minst *const d = is_plain_word(x) ? opt_source(o, x, seen_by, &from) : NULL;
    if (d == NULL || d->op != OP_IADD || no_sum(d)) return false;
    if (!opt_unchanged(o, x, seen_by, at)) return false; // else a later definition was found
    const unsigned i = is_imm(&d->src[1]) ? 1 : 0;
    if (!is_imm(&d->src[i]) || !is_plain_word(&d->src[1 - i])) return false;
    *base = d->src[1 - i];
    *number = (uint32_t)d->src[i].imm;
    return opt_unchanged(o, base, from, at);
}

static bool has_one_definition(const struct opt *o, const struct opnd *x) {
    return x->kind != OPND_GPR || (opt_knows(o, x) && o->def[opt_slot(o, x)] >= 0);
}

bool opt_fold_sum(struct opt *o, uint32_t at) {
    struct minst m = o->f->inst.at[at];
    const struct opnd a = m.src[0];
    if (!is_plain_word(&a) || (m.flags & MF_FRAME)) return false;
    if (mfunc_has_sp(o->f) && a.reg == o->f->sp_vreg) return false;
    uint32_t from = 0;
    const struct minst *const d = opt_source(o, &a, at, &from);
    if (d == NULL || no_sum(d) || has_fillers(o, from)) return false;
    const bool is_sum = d->op == OP_IADD || d->op == OP_ISCADD;
    if (!is_sum && d->op != OP_IMAD) return false;
    const uint32_t slot = opt_slot(o, &a);
    if (o->uses[slot] != o->address_uses[slot]) return false;
    struct minst sum = *d;
    bool is_split = false, is_single = true;
    uint32_t number = 0;
    for (unsigned s = is_sum ? 0 : 2; s < (is_sum ? 2u : 3u) && !is_split; s++)
        if (splits(o, &d->src[s], from, at, &sum.src[s], &number)) {
            is_split = true;
            if (d->op == OP_ISCADD && s == 0 && !value_of(OP_ISCADD, d, number, 0, &number))
                return false;
        }
    if (!is_split) return false;
    for (unsigned s = 0; s < 3; s++) {
        if (sum.src[s].kind == OPND_GPR && !opt_unchanged(o, &sum.src[s], from, at)) return false;
        is_single &= has_one_definition(o, &sum.src[s]);
    }
    // Other accesses get a sum of their own each, which only equal values make one again.
    if (o->uses[slot] != 1 && !is_single) return false;
    const int64_t offset = m.offset + (int32_t)number;
    if (offset < INT32_MIN || offset > INT32_MAX) return false;
    sum.ptx_line = m.ptx_line;
    sum.src_line = m.src_line;
    sum.src_file = m.src_file;
    sum.dst[0] = (struct opnd){.kind = OPND_GPR, .words = 1, .reg = edit_new_vreg(o->f, 1)};
    opt_insert_before(o, at, false, &sum);
    m.src[0] = sum.dst[0];
    m.offset = offset;
    opt_rewrite(o, at, &m);
    return true;
}
