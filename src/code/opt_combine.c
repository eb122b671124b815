// Two operations into one: a shift or product and the addition behind it, an addition and the
// address that it feeds, a sign change and the operand that it makes.
#include "isa/eval.h"
#include "code/opt.h"

static bool used_once(const struct opt *o, const struct opnd *x) {
    return o->uses[opt_slot(o, x)] == 1;
}
static bool is_word(const struct opnd *x) { return x->kind == OPND_GPR && x->words == 1; }
static bool is_imm(const struct opnd *x) { return x->kind == OPND_IMM && !x->mods; }

static bool has_fillers(const struct opt *o, uint32_t at) {
    return at + 1 < o->f->inst.n && minst_is_filler(&o->f->inst.at[at + 1]);
}

// ---- addresses ----------------------------------------------------------------------------------
static bool offset_fits(int64_t v) { return v >= INT32_MIN && v <= INT32_MAX; }

// [a + imm] with a = b + imm2: one word. The machine adds modulo 2^32 there as well.
static bool fold_word_address(struct opt *o, uint32_t at) {
    struct minst m = o->f->inst.at[at];
    uint32_t from = 0;
    const struct minst *add = opt_source(o, &m.src[0], at, &from);
    if (!add) return false;
    if (add->op == OP_MOV && is_imm(&add->src[0])) { // an address known as a number
        if (!offset_fits(m.offset + (int32_t)add->src[0].imm)) return false;
        m.offset = (int64_t)(uint32_t)(m.offset + (int64_t)add->src[0].imm);
        m.src[0] = (struct opnd){.kind = OPND_NONE};
        opt_rewrite(o, at, &m);
        return true;
    }
    if (add->op != OP_IADD || isa_has_carry(add) || (add->flags & MF_SAT)) return false;
    const unsigned i = is_imm(&add->src[1]) ? 1 : 0;
    const struct opnd base = add->src[1 - i];
    if (!is_imm(&add->src[i]) || !is_word(&base) || base.mods) return false;
    if (o->uses[opt_slot(o, &m.src[0])] != o->address_uses[opt_slot(o, &m.src[0])]) return false;
    if (!opt_unchanged(o, &base, from, at)) return false;
    const int64_t offset = m.offset + (int32_t)add->src[i].imm;
    if (!offset_fits(offset)) return false;
    m.offset = offset;
    m.src[0] = base;
    opt_rewrite(o, at, &m);
    return true;
}

// The low and the high half of a 64-bit addition: low + carry out, high + carry in, nothing
// touching the carry in between.
static bool is_add64(const struct opt *o, const struct minst *low, uint32_t at_low,
                     const struct minst *high, uint32_t at_high) {
    if (low->op != OP_IADD || high->op != OP_IADD || at_high <= at_low) return false;
    if (isa_takes_carry(low) || !isa_leaves_carry(low)) return false;
    if (!isa_takes_carry(high) || isa_leaves_carry(high)) return false;
    if (o->cfg->block_of[at_low] != o->cfg->block_of[at_high] || at_high - at_low > 16)
        return false;
    for (uint32_t i = at_low + 1; i < at_high; i++)
        if (isa_has_carry(&o->f->inst.at[i])) return false;
    return true;
}

static bool fold_pair_address(struct opt *o, uint32_t at) {
    struct minst m = o->f->inst.at[at];
    struct opnd low_word = m.src[0], high_word = m.src[0];
    low_word.words = high_word.words = 1;
    high_word.sub++;
    uint32_t at_low = 0, at_high = 0;
    const struct minst *low = opt_source(o, &low_word, at, &at_low),
                       *high = opt_source(o, &high_word, at, &at_high);
    if (!low || !high || !is_add64(o, low, at_low, high, at_high)) return false;
    const unsigned i = low->src[1].kind == OPND_IMM ? 1 : 0;
    if (low->src[i].kind != OPND_IMM || high->src[i].kind != OPND_IMM) return false;
    if (low->src[i].mods != high->src[i].mods || (low->src[i].mods & ~OPND_NEG)) return false;
    struct opnd base = low->src[1 - i];
    const struct opnd *above = &high->src[1 - i];
    if (!is_word(&base) || !is_word(above) || base.mods || above->mods || above->reg != base.reg ||
        above->sub != base.sub + 1 || base.sub % 2)
        return false;
    base.words = 2;
    if (o->uses[opt_slot(o, &low_word)] != o->address_uses[opt_slot(o, &low_word)]) return false;
    if (!opt_unchanged(o, &base, at_low, at)) return false;
    int64_t imm = (int64_t)(low->src[i].imm | high->src[i].imm << 32);
    if (!offset_fits(imm)) return false;
    if (low->src[i].mods) imm = -imm;
    if (!offset_fits(m.offset + imm)) return false;
    m.offset += imm;
    m.src[0] = base;
    opt_rewrite(o, at, &m);
    return true;
}

static bool fold_address(struct opt *o, uint32_t at) {
    const struct minst *m = &o->f->inst.at[at];
    const struct opnd *a = &m->src[0];
    if (a->kind != OPND_GPR || a->mods || (m->flags & MF_FRAME)) return false;
    if (mfunc_has_sp(o->f) && a->reg == o->f->sp_vreg) return false;
    return a->words == 2 ? fold_pair_address(o, at) : fold_word_address(o, at);
}

// ---- additions ------------------------------------------------------------------------------
static bool has(const struct opt *o, enum gen_trait t) { return gen_has(o->f->target->gen, t); }

// d = (a << n) + b, and d = a * b + c, where the shift or product has no other reader.
static bool fold_addend(struct opt *o, uint32_t at, unsigned s) {
    struct minst m = o->f->inst.at[at];
    uint32_t from = 0;
    const struct opnd x = m.src[s], rest = m.src[1 - s];
    if (!is_word(&x) || isa_has_carry(&m) || (m.flags & MF_SAT) || rest.mods) return false;
    const struct minst *d = opt_source(o, &x, at, &from);
    if (!d || !used_once(o, &x) || has_fillers(o, from)) return false;
    if (d->op == OP_SHL && is_imm(&d->src[1]) && d->src[1].imm >= 1 && d->src[1].imm < 32 &&
        is_word(&d->src[0]) && !d->src[0].mods && isa_type_bits(d->type) == 32) {
        if (!has(o, TRAIT_SCALED_ADD) || !opt_unchanged(o, &d->src[0], from, at)) return false;
        m.op = OP_ISCADD;
        m.klass = mop_info[OP_ISCADD].klass;
        m.sub = (uint8_t)d->src[1].imm;
        m.src[0] = d->src[0];
        m.src[0].mods = x.mods;
        m.src[1] = rest;
        if (!isa_fits(&m, 1, &m.src[1])) return false;
        opt_rewrite(o, at, &m);
        return true;
    }
    if (d->op == OP_IMUL && !(d->flags & (MF_HI | MF_WIDE)) && !x.mods &&
        isa_type_bits(d->type) == 32 && !d->src[0].mods && !d->src[1].mods) {
        if (!has(o, TRAIT_CHEAP_PRODUCT) || !opt_unchanged(o, &d->src[0], from, at) ||
            !opt_unchanged(o, &d->src[1], from, at))
            return false;
        m.op = OP_IMAD;
        m.klass = mop_info[OP_IMAD].klass;
        m.type = d->type;
        m.flags = d->flags;
        m.src[0] = d->src[0];
        m.src[1] = d->src[1];
        m.src[2] = rest;
        for (unsigned k = 0; k < 3; k++)
            if (!isa_fits(&m, k, &m.src[k])) return false;
        opt_rewrite(o, at, &m);
        return true;
    }
    return false;
}

// a - (-b) and the like: the operand is itself 0 - b.
static bool fold_negation(struct opt *o, uint32_t at, unsigned s) {
    struct minst m = o->f->inst.at[at];
    uint32_t from = 0;
    if (!is_word(&m.src[s]) || isa_has_carry(&m) || (m.flags & MF_SAT)) return false;
    const struct minst *d = opt_source(o, &m.src[s], at, &from);
    if (!d || d->op != OP_IADD || isa_has_carry(d) || (d->flags & MF_SAT)) return false;
    const unsigned i = d->src[0].mods == OPND_NEG ? 0 : 1;
    const struct opnd *zero = &d->src[1 - i];
    if (d->src[i].mods != OPND_NEG || !is_word(&d->src[i]) || !is_imm(zero) || zero->imm)
        return false;
    if (m.src[1 - s].mods || !opt_unchanged(o, &d->src[i], from, at)) return false;
    const uint8_t mods = m.src[s].mods ^ OPND_NEG;
    m.src[s] = d->src[i];
    m.src[s].mods = mods;
    opt_rewrite(o, at, &m);
    return true;
}

// The high half of a 64-bit addition whose other side is a product or shift of one word, in full:
//     t.lo = a * b         t.hi = high(a * b)          t.lo = a << n    t.hi = a >> (32 - n)
//     d.lo = t.lo + c.lo, carry                        d.hi = t.hi + c.hi + carry
// becomes two multiply-adds, as the assemblers for Fermi and Kepler write it.
struct widened {
    struct opnd a, b;
    enum isa_type type;
};

static bool find_widened(const struct opt *o, const struct minst *lo, const struct minst *hi,
                         uint32_t at_lo, uint32_t at_hi, uint32_t at, struct widened *w) {
    if (lo->op == OP_SHL && hi->op == OP_SHR && is_imm(&lo->src[1]) && is_imm(&hi->src[1]) &&
        lo->src[1].imm && lo->src[1].imm < 31 && lo->src[1].imm + hi->src[1].imm == 32) {
        w->a = lo->src[0];
        w->b = (struct opnd){.kind = OPND_IMM, .words = 1, .imm = 1ull << lo->src[1].imm};
    } else if (lo->op == OP_IMUL && hi->op == OP_IMUL && !(lo->flags & (MF_HI | MF_WIDE)) &&
               (hi->flags & MF_HI) && opnd_equal(&lo->src[1], &hi->src[1])) {
        w->a = lo->src[0];
        w->b = lo->src[1];
    } else {
        return false;
    }
    const struct opnd *a = &hi->src[0];
    if (!is_word(&w->a) || !is_word(a) || w->a.mods || a->mods || w->b.mods || hi->src[1].mods ||
        a->reg != w->a.reg || a->sub != w->a.sub)
        return false;
    if (isa_type_bits(hi->type) != 32) return false;
    w->type = isa_type_is_signed(hi->type) ? ITYPE_S32 : ITYPE_U32;
    return opt_unchanged(o, &w->a, at_lo, at) && opt_unchanged(o, &w->a, at_hi, at) &&
           opt_unchanged(o, &w->b, at_lo, at) && opt_unchanged(o, &w->b, at_hi, at);
}

static void make_mad(struct minst *m, const struct widened *w, struct opnd c, uint32_t flags) {
    m->op = OP_IMAD;
    m->klass = mop_info[OP_IMAD].klass;
    m->type = (uint8_t)w->type;
    m->flags = flags;
    m->src[0] = w->a;
    m->src[1] = w->b;
    m->src[2] = c;
}

// In front of which instruction an immediate that `at` needs is put into a register: within loops,
// in front of them.
static uint32_t place_for_immediate(const struct opt *o, uint32_t at, bool *above) {
    uint32_t b = o->cfg->block_of[at];
    *above = false;
    if (!o->cfg->block[b].loop_depth) return at;
    while (o->cfg->block[b].loop_depth) {
        const uint32_t head = (uint32_t)o->cfg->block[b].loop_head;
        if (o->cfg->block[head].idom < 0) return at;
        b = (uint32_t)o->cfg->block[head].idom;
    }
    const struct cfg_block *before = &o->cfg->block[b];
    const uint32_t last = before->first + before->n - 1;
    if (minst_ends_block(&o->f->inst.at[last], false)) return last;
    *above = true; // it falls through: behind its last instruction
    return before->first + before->n;
}

// The inserts from i on copy all words of x to a register.
static bool is_copied_from(const struct opt *o, uint32_t i, const struct opnd *x) {
    if (i + x->words > o->n_inserts) return false;
    const struct opt_insert *const first = &o->insert_at[i];
    for (uint32_t w = 0; w < x->words; w++) {
        const struct opt_insert *const e = &first[w];
        const struct opnd *const have = &e->inst.src[0], *const to = &e->inst.dst[0];
        const struct opnd want = opnd_word(*x, w);
        if (!opnd_equal(have, &want)) return false;
        if (to->reg != first->inst.dst[0].reg || to->sub != w) return false;
        if (e->before != first->before || e->above != first->above) return false;
    }
    return true;
}

struct opnd opt_in_register(struct opt *o, uint32_t at, struct opnd x) {
    bool above;
    const uint32_t place = place_for_immediate(o, at, &above);
    const uint8_t mods = x.mods;
    x.mods = 0;
    for (uint32_t i = o->n_inserts; i-- > 0 && i + 16 > o->n_inserts;) {
        if (!is_copied_from(o, i, &x)) continue;
        const struct opt_insert *e = &o->insert_at[i];
        const bool same_block = !e->above && !above && place == at &&
                                o->cfg->block_of[e->before] == o->cfg->block_of[at];
        if ((e->before != place || e->above != above) && !same_block) continue;
        struct opnd found = e->inst.dst[0];
        found.words = x.words;
        found.mods = mods;
        return found;
    }
    struct opnd r = {.kind = OPND_GPR, .words = x.words, .reg = edit_new_vreg(o->f, x.words)};
    opt_move_before(o, place, above, r, x);
    r.mods = mods;
    return r;
}

static bool fold_wide_addend(struct opt *o, uint32_t at, unsigned s) {
    if (!has(o, TRAIT_CHEAP_PRODUCT)) return false;
    struct minst high = o->f->inst.at[at];
    if (high.op != OP_IADD || !isa_takes_carry(&high) || !is_word(&high.src[s])) return false;
    // the low half is the last writer of the carry
    uint32_t at_low = at;
    const uint32_t first = o->cfg->block[o->cfg->block_of[at]].first;
    do {
        if (at_low == first || at - at_low > 16) return false;
        at_low--;
    } while (!isa_has_carry(&o->f->inst.at[at_low]));
    struct minst low = o->f->inst.at[at_low];
    if (!is_add64(o, &low, at_low, &high, at) || !opt_plain(&low) || !opt_plain(&high))
        return false;
    if (has_fillers(o, at) || has_fillers(o, at_low)) return false;
    // the same side of both halves, the product in the slot where a multiply-add has it
    unsigned t = s;
    const struct opnd *x = &low.src[t];
    if (!is_word(x) || x->reg != high.src[s].reg) {
        t = 1 - s;
        x = &low.src[t];
        if (!is_word(x) || x->reg != high.src[s].reg) return false;
    }
    if (x->mods || high.src[s].mods || low.src[1 - t].mods || high.src[1 - s].mods) return false;
    if (x->sub + 1 != high.src[s].sub) return false;
    // as the low half saw it: its definition must be the same still
    uint32_t at_lo = 0, at_hi = 0;
    const struct minst *lo = opt_source(o, x, at, &at_lo),
                       *hi = opt_source(o, &high.src[s], at, &at_hi);
    if (!lo || !hi || at_lo > at_low || !opt_plain(lo) || !opt_plain(hi)) return false;
    struct widened w;
    if (!find_widened(o, lo, hi, at_lo, at_hi, at, &w)) return false;
    if (has_fillers(o, at_lo) || has_fillers(o, at_hi)) return false;
    const struct opnd c_low = low.src[1 - t], c_high = high.src[1 - s];
    struct minst mad_low = low, mad_high = high;
    make_mad(&mad_low, &w, c_low, 0);
    make_mad(&mad_high, &w, c_high, MF_HI);
    mad_high.src[isa_carry_source(&mad_high)] = high.src[isa_carry_source(&high)];
    if (low.dst[0].reg == w.a.reg && low.dst[0].sub == w.a.sub) return false;
    if (!isa_fits(&mad_low, 2, &c_low) || !isa_fits(&mad_high, 2, &c_high) ||
        !isa_fits(&mad_low, 1, &w.b) || !isa_fits(&mad_high, 1, &w.b)) {
        if (w.b.kind != OPND_IMM) return false;
        mad_low.src[1] = mad_high.src[1] = opt_in_register(o, at_low, w.b);
        if (!isa_fits(&mad_low, 2, &c_low) || !isa_fits(&mad_high, 2, &c_high)) return false;
    }
    // the register of the immediate is new: no counts to keep
    opt_count(o, &o->f->inst.at[at_low], false);
    opt_count(o, &o->f->inst.at[at], false);
    o->f->inst.at[at_low] = mad_low;
    o->f->inst.at[at] = mad_high;
    o->changed = true;
    return true;
}

// ---- signs
// -----------------------------------------------------------------------------------------
// The sign and absolute value that sources of an operation take.
static uint8_t float_mods(const struct opt *o, uint16_t op) {
    switch (op) {
    case OP_FADD:
    case OP_FMNMX:
    case OP_FSETP:
    case OP_FSET:
    case OP_MUFU:
    case OP_DADD:
    case OP_DMNMX:
    case OP_DSETP:
    case OP_FABSNEG:
    case OP_DABSNEG:
    case OP_HADD:
    case OP_HMUL: return OPND_NEG | OPND_ABS;
    case OP_FMUL:
    case OP_FFMA:
    case OP_FMAD:
    case OP_DMUL:
    case OP_DFMA:
    case OP_HFMA: return has(o, TRAIT_ABS_PRODUCTS) ? OPND_NEG | OPND_ABS : OPND_NEG;
    default: return 0;
    }
}

// Halves only where they are not emulated, and no bfloat16, which ptxas leaves.
static bool is_sign_of(const struct opt *o, uint32_t at, const struct minst *d) {
    const struct minst *const m = &o->f->inst.at[at];
    if (d->op == OP_FABSNEG || d->op == OP_DABSNEG) return true;
    return d->op == OP_HABSNEG && d->type == m->type && !has_fillers(o, at) &&
           (m->type == ITYPE_F16 || m->type == ITYPE_F16X2);
}

static bool fold_sign(struct opt *o, uint32_t at, unsigned s) {
    struct minst m = o->f->inst.at[at];
    const uint8_t takes = float_mods(o, m.op);
    uint32_t from = 0;
    if (!takes || m.src[s].kind != OPND_GPR) return false;
    if ((m.op == OP_FSETP || m.op == OP_FSET) && m.stype != ITYPE_F32 && m.type != ITYPE_F32)
        return false;
    if (m.op == OP_FMNMX && (m.flags & MF_ABS)) return false;
    const struct minst *d = opt_source(o, &m.src[s], at, &from);
    if (!d || !is_sign_of(o, at, d)) return false;
    if (d->dst[0].words != m.src[s].words || d->dst[0].sub != m.src[s].sub) return false;
    if (d->src[0].kind != OPND_GPR || d->src[0].words != m.src[s].words) return false;
    if ((d->flags & (MF_SAT | MF_RELU)) || ((d->flags & MF_FTZ) && !(m.flags & MF_FTZ)))
        return false;
    if (m.src[s].words == 2) { // both words from there
        struct opnd second = m.src[s];
        second.sub++;
        uint32_t other = 0;
        if (opt_source(o, &second, at, &other) != d) return false;
    }
    uint8_t mods = m.src[s].mods & OPND_ABS ? m.src[s].mods & (OPND_ABS | OPND_NEG)
                                            : m.src[s].mods ^ (d->src[0].mods & OPND_NEG);
    mods |= d->src[0].mods & OPND_ABS;
    if (mods & ~takes || !opt_unchanged(o, &d->src[0], from, at)) return false;
    m.src[s] = d->src[0];
    m.src[s].mods = mods;
    opt_rewrite(o, at, &m);
    return true;
}

// ~ into the operand of and, or, xor.
static bool fold_not(struct opt *o, uint32_t at, unsigned s) {
    struct minst m = o->f->inst.at[at];
    uint32_t from = 0;
    if (!is_word(&m.src[s])) return false;
    const struct minst *d = opt_source(o, &m.src[s], at, &from);
    if (!d || d->op != OP_LOP || d->sub != MLOGIC_PASS_B || !is_word(&d->src[1])) return false;
    if (!opt_unchanged(o, &d->src[1], from, at)) return false;
    const uint8_t mods = m.src[s].mods ^ d->src[1].mods;
    m.src[s] = d->src[1];
    m.src[s].mods = mods;
    opt_rewrite(o, at, &m);
    return true;
}

// ---- predicates
// -------------------------------------------------------------------------------------- A
// predicate that copies or negates another: that one is read.
static bool fold_predicate(struct opt *o, uint32_t at, unsigned s) {
    struct minst m = o->f->inst.at[at];
    uint32_t from = 0;
    const struct minst *d = opt_source(o, &m.src[s], at, &from);
    if (!d || d->op != OP_PSETP || d->src[1].kind != OPND_NONE || d->src[0].kind != OPND_PRED)
        return false;
    if (d->src[0].reg == VPRED_TRUE || !opt_unchanged(o, &d->src[0], from, at)) return false;
    const uint8_t mods = m.src[s].mods ^ d->src[0].mods;
    if (mods && (m.op == OP_BAR || m.op == OP_CPASYNC)) return false; // take no NOT
    m.src[s] = d->src[0];
    m.src[s].mods = mods;
    opt_rewrite(o, at, &m);
    return true;
}

static uint8_t opposite(uint8_t cmp, bool is_float) {
    static const uint8_t ordered[] = {
        [MCMP_EQ] = MCMP_NE, [MCMP_NE] = MCMP_EQ, [MCMP_LT] = MCMP_GE,
        [MCMP_LE] = MCMP_GT, [MCMP_GT] = MCMP_LE, [MCMP_GE] = MCMP_LT};
    static const uint8_t floats[] = {
        [MCMP_EQ] = MCMP_NEU,  [MCMP_NE] = MCMP_EQU, [MCMP_LT] = MCMP_GEU, [MCMP_LE] = MCMP_GTU,
        [MCMP_GT] = MCMP_LEU,  [MCMP_GE] = MCMP_LTU, [MCMP_EQU] = MCMP_NE, [MCMP_NEU] = MCMP_EQ,
        [MCMP_LTU] = MCMP_GE,  [MCMP_LEU] = MCMP_GT, [MCMP_GTU] = MCMP_LE, [MCMP_GEU] = MCMP_LT,
        [MCMP_NUM] = MCMP_NAN, [MCMP_NAN] = MCMP_NUM};
    if (is_float) return cmp < WW_COUNT(floats) ? floats[cmp] : MCMP_NONE;
    return cmp < WW_COUNT(ordered) ? ordered[cmp] : MCMP_NONE;
}

// p = a < b; q = p and r  ->  q = (a < b) and r
static bool fold_comparison(struct opt *o, uint32_t at, unsigned s) {
    static const uint8_t bop[] = {
        [MLOGIC_AND] = MBOP_AND, [MLOGIC_OR] = MBOP_OR, [MLOGIC_XOR] = MBOP_XOR};
    const struct minst m = o->f->inst.at[at];
    if (m.sub >= WW_COUNT(bop) || m.src[1].kind != OPND_PRED || m.src[0].kind != OPND_PRED)
        return false;
    const struct opnd *x = &m.src[s], *other = &m.src[1 - s];
    uint32_t from = 0;
    const struct minst *d = opt_source(o, x, at, &from);
    if (!d || x->reg == other->reg || !used_once(o, x) || has_fillers(o, from)) return false;
    if (d->op != OP_ISETP && d->op != OP_FSETP && d->op != OP_DSETP) return false;
    if (d->dst[1].kind != OPND_NONE || d->src[2].kind != OPND_NONE) return false;
    if (!opt_unchanged(o, &d->src[0], from, at) || !opt_unchanged(o, &d->src[1], from, at))
        return false;
    struct minst set = *d;
    if (x->mods & OPND_NOT) set.cmp = opposite(d->cmp, d->op != OP_ISETP);
    if (set.cmp == MCMP_NONE) return false;
    set.bop = bop[m.sub];
    set.src[2] = *other;
    set.dst[0] = m.dst[0];
    set.guard = m.guard;
    set.guard_not = m.guard_not;
    set.ptx_line = m.ptx_line;
    set.src_line = m.src_line;
    set.src_file = m.src_file;
    opt_rewrite(o, at, &set);
    return true;
}

static bool fold_guard(struct opt *o, uint32_t at) {
    struct minst m = o->f->inst.at[at];
    if (m.guard == VPRED_TRUE || has_fillers(o, at)) return false;
    const struct opnd g = {.kind = OPND_PRED, .reg = m.guard};
    uint32_t from = 0;
    const struct minst *d = opt_source(o, &g, at, &from);
    if (!d || d->op != OP_PSETP || d->src[1].kind != OPND_NONE || d->src[0].kind != OPND_PRED)
        return false;
    if (d->src[0].reg == VPRED_TRUE || !opt_unchanged(o, &d->src[0], from, at)) return false;
    m.guard = d->src[0].reg;
    m.guard_not ^= (d->src[0].mods & OPND_NOT) != 0;
    opt_rewrite(o, at, &m);
    return true;
}

// ---- constants and identities
// --------------------------------------------------------------------------
static bool become_move(struct opt *o, uint32_t at, struct opnd of) {
    struct minst m = o->f->inst.at[at];
    m.op = OP_MOV;
    m.klass = mop_info[OP_MOV].klass;
    m.type = m.stype = ITYPE_B32;
    m.flags = 0;
    m.sub = 0;
    m.src[0] = of;
    m.src[1] = m.src[2] = m.src[3] = (struct opnd){.kind = OPND_NONE};
    opt_rewrite(o, at, &m);
    return true;
}

// What the operation makes of two known words; operands that the instruction has are not looked at.
static bool compute(const struct minst *m, uint32_t a, uint32_t b, uint32_t *r) {
    const struct minst plain = {
        .op = m->op, .type = m->type, .sub = m->sub, .flags = m->flags & (MF_HI | MF_WIDE)};
    const uint32_t v[4] = {a, b};
    const bool any_width = m->op == OP_IADD || m->op == OP_LOP;
    if ((!any_width && isa_type_bits(m->type) != 32) || m->flags & MF_HI) return false;
    return eval_word(&plain, v, r);
}

static bool fold_constants(struct opt *o, uint32_t at) {
    const struct minst *m = &o->f->inst.at[at];
    if (isa_has_carry(m) || (m->flags & (MF_SAT | MF_FRAME)) || has_fillers(o, at)) return false;
    if (m->dst[0].kind != OPND_GPR || m->dst[0].words != 1) return false;
    const struct opnd *a = &m->src[0], *b = &m->src[1];
    uint32_t r;
    // one side may be known through a move that the machine's one immediate left in a register
    struct opnd known[2] = {*a, *b};
    for (unsigned s = 0; s < 2; s++) {
        uint32_t from = 0;
        if (!is_word(&known[s]) || known[s].mods) continue;
        const struct minst *d = opt_source(o, &known[s], at, &from);
        if (d && d->op == OP_MOV && is_imm(&d->src[0])) known[s] = d->src[0];
    }
    if (is_imm(&known[0]) && is_imm(&known[1]) &&
        compute(m, (uint32_t)known[0].imm, (uint32_t)known[1].imm, &r))
        return become_move(o, at, (struct opnd){.kind = OPND_IMM, .words = 1, .imm = r});
    if (!is_imm(b) || !is_word(a) || a->mods) {
        if (m->op == OP_IADD && is_imm(a) && !a->imm && is_word(b) && !b->mods)
            return become_move(o, at, *b);
        return false;
    }
    switch (m->op) {
    case OP_IADD:
    case OP_SHL:
    case OP_SHR:
        if (b->imm || (m->op != OP_IADD && isa_type_bits(m->type) != 32)) return false;
        return become_move(o, at, *a);
    case OP_LOP:
        if (m->sub == MLOGIC_AND && (uint32_t)b->imm == UINT32_MAX) return become_move(o, at, *a);
        if (m->sub == MLOGIC_AND && !b->imm) return become_move(o, at, *b);
        if ((m->sub == MLOGIC_OR || m->sub == MLOGIC_XOR) && !b->imm) return become_move(o, at, *a);
        return false;
    default: return false;
    }
}

// ---- products that are shifts or nothing
// -----------------------------------------------------------
static int power_of_two(const struct opnd *x) {
    if (!is_imm(x) || !bits_is_pow2((uint32_t)x->imm)) return -1;
    return (int)bits_first32((uint32_t)x->imm);
}

static bool fold_product(struct opt *o, uint32_t at) {
    struct minst m = o->f->inst.at[at];
    if (isa_has_carry(&m) || (m.flags & (MF_HI | MF_WIDE | MF_SAT)) || has_fillers(o, at) ||
        isa_type_bits(m.type) != 32 || m.dst[0].words != 1)
        return false;
    if (is_imm(&m.src[0]) && is_word(&m.src[1])) isa_commute(&m);
    const struct opnd a = m.src[0], b = m.src[1], c = m.src[2];
    if (a.kind != OPND_GPR || a.mods) return false;
    if (m.op == OP_IMAD && is_imm(&c) && !c.imm) {
        m.op = OP_IMUL;
        m.klass = mop_info[OP_IMUL].klass;
        m.src[2] = (struct opnd){.kind = OPND_NONE};
        opt_rewrite(o, at, &m);
        return true;
    }
    const int n = power_of_two(&b);
    if (n < 0) return false;
    if (m.op == OP_IMUL) {
        m.op = OP_SHL;
        m.type = m.stype = ITYPE_B32;
        m.src[1].imm = (uint32_t)n;
    } else if (n == 0 && !c.mods) {
        m.op = OP_IADD;
        m.src[1] = c;
    } else if (has(o, TRAIT_SCALED_ADD) && !c.mods) {
        m.op = OP_ISCADD;
        m.sub = (uint8_t)n;
        m.src[1] = c;
    } else {
        return false;
    }
    m.klass = mop_info[m.op].klass;
    if (m.op != OP_SHL) m.src[2] = (struct opnd){.kind = OPND_NONE};
    if (!isa_fits(&m, 1, &m.src[1])) return false;
    opt_rewrite(o, at, &m);
    return true;
}

// Without a carry-in an addition starts at 0, a subtraction, which adds the complement, at 1.
static bool subtracts(const struct minst *m) {
    return m->src[0].mods == OPND_NEG || m->src[1].mods == OPND_NEG;
}

// The carry out of `low`, where it is known: 0 or 1, else -1.
static int known_carry(const struct opt *o, const struct minst *low, uint32_t at_low) {
    struct opnd x[2] = {low->src[0], low->src[1]};
    for (unsigned s = 0; s < 2; s++) {
        uint32_t from = 0;
        const struct minst *d = is_word(&x[s]) ? opt_source(o, &x[s], at_low, &from) : NULL;
        if (!d || from >= at_low || d->op != OP_MOV || !is_imm(&d->src[0])) continue;
        const uint8_t mods = x[s].mods;
        x[s] = d->src[0];
        x[s].mods = mods;
    }
    for (unsigned s = 0; s < 2; s++) // x + 0, x - 0
        if (x[s].kind == OPND_IMM && !x[s].imm && !x[1 - s].mods) return x[s].mods == OPND_NEG;
    if (x[0].kind != OPND_IMM || x[1].kind != OPND_IMM) return -1;
    uint64_t sum = subtracts(low);
    for (unsigned s = 0; s < 2; s++) sum += (uint32_t)(x[s].mods ? ~x[s].imm : x[s].imm);
    return sum >> 32 & 1;
}

// Whether something behind the high half at `at` reads the same carry.
static bool carry_is_read_behind(const struct opt *o, uint32_t at) {
    for (uint32_t i = at + 1; i < o->f->inst.n; i++) {
        const struct minst *const m = &o->f->inst.at[i];
        if (o->cfg->block_of[i] != o->cfg->block_of[at]) break;
        if (isa_takes_carry(m)) return true;
        if (isa_leaves_carry(m) && m->guard == VPRED_TRUE) return false;
    }
    return o->carry_crosses;
}

// A 64-bit addition whose halves have nothing to say to each other.
static bool fold_carry(struct opt *o, uint32_t at) {
    struct minst high = o->f->inst.at[at];
    if (!isa_takes_carry(&high) || isa_leaves_carry(&high) || !opt_plain(&high)) return false;
    uint32_t at_low = at;
    const uint32_t first = o->cfg->block[o->cfg->block_of[at]].first;
    do {
        if (at_low == first || at - at_low > 16) return false;
        at_low--;
    } while (!isa_has_carry(&o->f->inst.at[at_low]));
    struct minst *low = &o->f->inst.at[at_low];
    if (!is_add64(o, low, at_low, &high, at) || !opt_plain(low)) return false;
    // nothing else may read this carry: not before `at`, as is_add64 saw, and not behind it
    if (carry_is_read_behind(o, at)) return false;
    const int carry = known_carry(o, low, at_low);
    if (carry < 0) return false;
    const int more = carry - subtracts(&high);
    if (more) {
        const unsigned s = high.src[1].kind == OPND_IMM ? 1 : 0;
        if (high.src[s].kind != OPND_IMM) return false;
        high.src[s].imm = (uint32_t)(high.src[s].imm + (uint32_t)(high.src[s].mods ? -more : more));
        if (!isa_fits(&high, s, &high.src[s])) return false;
    }
    low->dst[1] = (struct opnd){.kind = OPND_NONE};
    high.src[isa_carry_source(&high)] = (struct opnd){.kind = OPND_NONE};
    opt_rewrite(o, at, &high);
    return true;
}

// ---- all of them
// -------------------------------------------------------------------------------------------
bool opt_combine(struct opt *o, uint32_t at) {
    const struct minst *m = &o->f->inst.at[at];
    if (fold_guard(o, at)) return true;
    for (unsigned s = 0; s < MINST_SRCS; s++) {
        if (m->src[s].kind == OPND_PRED && fold_predicate(o, at, s)) return true;
        if (m->src[s].kind == OPND_GPR && fold_sign(o, at, s)) return true;
    }
    if (m->flags & MF_FRAME) return false;
    switch (m->op) {
    case OP_LD:
    case OP_ST:
    case OP_ATOM:
    case OP_PREFETCH:
    case OP_LDC: return fold_address(o, at) || (has(o, TRAIT_FOLDS) && opt_fold_sum(o, at));
    case OP_IADD:
        if (fold_constants(o, at) || fold_carry(o, at)) return true;
        for (unsigned s = 0; s < 2; s++) {
            if (fold_negation(o, at, s)) return true;
            if (fold_addend(o, at, s)) return true;
            if (fold_wide_addend(o, at, s)) return true;
        }
        return false;
    case OP_LOP:
        if (fold_constants(o, at)) return true;
        for (unsigned s = 0; s < 2; s++)
            if (fold_not(o, at, s)) return true;
        return false;
    case OP_IMUL: return fold_constants(o, at) || fold_product(o, at);
    case OP_IMAD: return fold_product(o, at) || (has(o, TRAIT_FOLDS) && opt_fold_known(o, at));
    case OP_ISCADD: return has(o, TRAIT_FOLDS) && opt_fold_known(o, at);
    case OP_PSETP: return fold_comparison(o, at, 0) || fold_comparison(o, at, 1);
    case OP_SHL:
    case OP_SHR: return fold_constants(o, at);
    default: return false;
    }
}
