// Two neighbouring words of constants, read by one register, become one load of two words (LDC.64),
// as the vendor's assembler has it: ptxas 11.8 (compute capabilities 3.5 to 7.0) and 13.0 (7.5
// to 9.0) join such loads in one block, however far apart and in either order, where the address is
// known to be a multiple of eight. They never join four words, nor guarded loads, nor halves of
// words.
//
// What is known of addresses: how many low bits of a register are zero, over all its definitions.
// Each register is first taken to be aligned, and what is found not to be takes others along, so
// that a loop's counter that goes up by sixteen counts as aligned if it starts so.
#include "code/opt.h"

enum { PAIR_BITS = 3, OPEN = 32 };

struct pairer {
    struct opt *o;
    uint8_t *zeros; // by slot: low bits that are zero, up to PAIR_BITS
};

static unsigned at_most(unsigned zeros) { return zeros < PAIR_BITS ? zeros : PAIR_BITS; }
static unsigned fewer(unsigned a, unsigned b) { return a < b ? a : b; }

static unsigned zeros_of(const struct pairer *p, const struct opnd *x) {
    if (x->mods & ~OPND_NEG) return 0;
    if (x->kind == OPND_IMM)
        return (uint32_t)x->imm == 0 ? PAIR_BITS : at_most(bits_first32((uint32_t)x->imm));
    return x->kind == OPND_GPR ? p->zeros[opt_slot(p->o, x)] : 0;
}

// Of word w of the result.
static unsigned zeros_made(const struct pairer *p, const struct minst *m, uint32_t w) {
    const unsigned a = zeros_of(p, &m->src[0]), b = zeros_of(p, &m->src[1]),
                   c = zeros_of(p, &m->src[2]);
    const bool is_product = m->op == OP_IMUL || m->op == OP_IMAD;
    if (m->flags & (MF_HI | MF_SAT | MF_FRAME) || isa_takes_carry(m) || w > 0) return 0;
    if (m->dst[0].words > 1 && !(is_product && m->flags & MF_WIDE)) return 0;
    if (isa_type_bits((enum isa_type)m->type) < 32 && !(m->flags & MF_WIDE)) return 0;
    switch (m->op) {
    case OP_MOV: return m->src[0].words == 1 ? a : 0;
    case OP_SHL:
        return m->src[1].kind == OPND_IMM && m->src[1].imm < 32
                   ? at_most(a + (unsigned)m->src[1].imm)
                   : a;
    case OP_IADD: return fewer(a, b);
    case OP_IMUL: return at_most(a + b);
    case OP_IMAD: return fewer(at_most(a + b), c);
    case OP_ISCADD: return fewer(at_most(a + m->sub), b);
    case OP_LOP:
        return m->sub == MLOGIC_PASS_B ? b : m->sub == MLOGIC_AND ? (a > b ? a : b) : fewer(a, b);
    default: return 0;
    }
}

static void find_zeros(struct pairer *p) {
    const struct opt *const o = p->o;
    p->zeros = arena_alloc(o->arena, (size_t)o->n_slots + 1);
    for (uint32_t s = 0; s < o->n_words; s++) p->zeros[s] = o->def[s] == OPT_NONE ? 0 : PAIR_BITS;
    if (mfunc_has_sp(o->f)) p->zeros[o->word_base[o->f->sp_vreg]] = 0;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i < o->f->inst.n; i++) {
            const struct minst *const m = &o->f->inst.at[i];
            if (minst_is_filler(m)) continue;
            for (unsigned d = 0; d < MINST_DSTS; d++)
                for (uint32_t w = 0; m->dst[d].kind == OPND_GPR && w < m->dst[d].words; w++) {
                    uint8_t *const z = &p->zeros[opt_slot(o, &m->dst[d]) + w];
                    const unsigned made = d == 0 ? zeros_made(p, m, w) : 0;
                    if (made >= *z) continue;
                    *z = (uint8_t)made;
                    changed = true;
                }
        }
    }
}

static bool is_word_load(const struct opt *o, uint32_t at) {
    const struct minst *const m = &o->f->inst.at[at];
    return m->op == OP_LDC && opt_plain(m) && m->vec == 1 && m->src[0].kind == OPND_GPR &&
           m->src[0].words == 1 && !m->src[0].mods && m->dst[0].kind == OPND_GPR &&
           m->dst[0].words == 1 && isa_type_bits((enum isa_type)m->type) == 32 &&
           !(at + 1 < o->f->inst.n && minst_is_filler(&o->f->inst.at[at + 1]));
}

static bool are_neighbours(const struct pairer *p, uint32_t first, uint32_t at) {
    const struct minst *const a = &p->o->f->inst.at[first], *const b = &p->o->f->inst.at[at];
    return a->sub == b->sub && a->offset == (b->offset ^ 4) && a->offset % 4 == 0 &&
           a->src[0].reg == b->src[0].reg && a->src[0].sub == b->src[0].sub &&
           zeros_of(p, &a->src[0]) >= PAIR_BITS && opt_unchanged(p->o, &a->src[0], first, at);
}

static void join(struct opt *o, uint32_t first, uint32_t at) {
    const struct minst one = o->f->inst.at[first], two = o->f->inst.at[at];
    const struct opnd pair = {.kind = OPND_GPR, .words = 2, .reg = edit_new_vreg(o->f, 2)};
    struct minst load = one, move = two;
    load.type = load.stype = ITYPE_B32;
    load.vec = 2;
    load.offset = one.offset & ~(int64_t)4;
    load.dst[0] = pair;
    opt_rewrite(o, first, &load);
    opt_move_before(o, first + 1, false, one.dst[0], opnd_word(pair, one.offset >> 2 & 1));
    move.op = OP_MOV;
    move.klass = mop_info[OP_MOV].klass;
    move.type = move.stype = ITYPE_B32;
    move.space = move.sub = move.vec = 0;
    move.offset = 0;
    move.src[0] = opnd_word(pair, two.offset >> 2 & 1);
    opt_rewrite(o, at, &move);
}

static void pair_block(struct pairer *p, const struct cfg_block *b) {
    struct opt *const o = p->o;
    uint32_t open[OPEN], n = 0; // loads that have no neighbour yet
    o->epoch++;
    for (uint32_t at = b->first; at < b->first + b->n; at++) {
        if (is_word_load(o, at)) {
            uint32_t k = 0;
            while (k < n && !are_neighbours(p, open[k], at)) k++;
            if (k < n) {
                join(o, open[k], at);
                open[k] = open[--n];
            } else {
                open[n < OPEN ? n++ : at % OPEN] = at;
            }
        }
        opt_remember(o, at);
    }
}

bool opt_pair(struct mfunc *f, struct arena *a) {
    uint32_t loads = 0;
    for (uint32_t i = 0; i < f->inst.n; i++) loads += f->inst.at[i].op == OP_LDC;
    if (loads < 2) return false;
    struct cfg *const c = cfg_build(a, f);
    cfg_dominators(c);
    struct pairer p = {.o = opt_index(f, a)};
    p.o->cfg = c;
    find_zeros(&p);
    for (uint32_t i = 0; i < c->n_order; i++) pair_block(&p, &c->block[c->order[i]]);
    opt_put_inserts(p.o);
    return p.o->changed;
}
