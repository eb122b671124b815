// A product and a sum into one fused operation. PTX lets an add, sub or mul that names no rounding
// be fused ("no rounding modifier defaults to .rn and may be optimized aggressively", PTX ISA,
// add), and the vendor's assembler does so wherever it can, so that bits depend on where that is.
// Which it is was found by compiling thousands of random kernels with ptxas 11.8, 12.9 and 13.0 for
// compute capabilities 3.5 to 10.0, which agree; Tesla and Fermi are assumed to do the same:
//
//   - a product is fused into all sums that read it, or into none: if something else reads it, or
//     it leaves its block, it is computed and stays what it is
//   - such a sum names no rounding either and flushes subnormals as the product does; it may be
//     guarded, clamp its result and take the product with a minus sign; the product may not be
//     guarded or clamped. A product added to itself is no such sum
//   - a product with several readers is left alone if one of them is a sum with a product that has
//     no other reader, and from where it has become the addend of a fused sum
//   - of two products that are left a sum takes the one with fewer readers, of equals the first
//
// These rules make the same operations as ptxas of five thousand random kernels without equal
// products, which ptxas finds first.
//
// What comes out is FFMA, DFMA or HFMA, and FMAD in modules for compute capability 1.x, whose
// hardware cuts the product off (CUDA C Programming Guide 5.5, F.2; PTX ISA, mad).
#include "code/opt.h"

enum { NO_NODE = UINT32_MAX };

// What reads a value: source s of an instruction.
struct reader {
    uint32_t at, next;
    uint8_t s;
};
// The readers, behind the instruction in hand, of what a slot holds there.
struct value {
    uint32_t stamp, head, n;
    bool leaves; // its block; or a guarded definition may take its place
};
struct product {
    uint32_t at, head, n;
    bool fits; // all its readers are sums that could take it
    bool is_left;
    struct opnd copy[2];
};
struct fuser {
    struct opt *o;
    const struct live *live;
    struct value *value; // by slot
    VEC(struct reader) readers;
    VEC(struct product) products; // of the block
    uint32_t *reads[2];           // instruction, source -> product, or NO_NODE
};

struct fusion {
    uint16_t product, sum, fused;
};
static const struct fusion fusions[] = {
    {OP_FMUL, OP_FADD, OP_FFMA}, {OP_DMUL, OP_DADD, OP_DFMA}, {OP_HMUL, OP_HADD, OP_HFMA}};

static const struct fusion *fusion_of(uint16_t product) {
    for (size_t i = 0; i < WW_COUNT(fusions); i++)
        if (fusions[i].product == product) return &fusions[i];
    return NULL;
}

// An operation with fillers is emulated, and so would the fused one be.
static bool is_whole(const struct opt *o, uint32_t at) {
    return at + 1 >= o->f->inst.n || !minst_is_filler(&o->f->inst.at[at + 1]);
}

static bool is_product(const struct opt *o, uint32_t at) {
    const struct minst *const m = &o->f->inst.at[at];
    return fusion_of(m->op) && m->flags & MF_CONTRACT && !(m->flags & MF_SAT) && opt_plain(m) &&
           is_whole(o, at) && (m->src[0].kind == OPND_GPR || m->src[1].kind == OPND_GPR);
}

static bool takes(const struct opt *o, const struct reader *r, const struct minst *product) {
    const struct minst *const m = &o->f->inst.at[r->at];
    const struct opnd *const d = &product->dst[0], *const x = &m->src[r->s];
    if (m->op != fusion_of(product->op)->sum || !(m->flags & MF_CONTRACT) || r->s > 1) return false;
    if (m->type != product->type || (m->flags ^ product->flags) & MF_FTZ || !is_whole(o, r->at))
        return false;
    if (x->kind != d->kind || x->reg != d->reg || x->sub != d->sub || x->words != d->words ||
        x->mods & OPND_ABS)
        return false;
    const struct opnd *const other = &m->src[1 - r->s];
    return other->kind != OPND_GPR || other->reg != d->reg || other->sub != d->sub;
}

// ---- readers, from the end of the block ------------------------------------------------------
static struct value *value_at(struct fuser *u, uint32_t block, uint32_t slot) {
    struct value *const v = &u->value[slot];
    if (v->stamp == block + 1) return v;
    const uint32_t bit = u->live->global_of[slot];
    const uint64_t *const out = u->live->out + (size_t)block * u->live->row_words;
    *v = (struct value){
        .stamp = block + 1, .head = NO_NODE, .leaves = bit != UINT32_MAX && live_bit(out, bit)};
    return v;
}

static void note_product(struct fuser *u, uint32_t block, uint32_t at) {
    const struct minst *const m = &u->o->f->inst.at[at];
    const uint32_t slot = opt_slot(u->o, &m->dst[0]);
    const struct value *const first = value_at(u, block, slot);
    struct product p = {.at = at, .head = first->head, .n = first->n, .fits = first->n > 0};
    for (uint32_t w = 0; w < m->dst[0].words; w++) {
        const struct value *const v = value_at(u, block, slot + w);
        p.fits &= !v->leaves && v->n == p.n;
    }
    for (uint32_t r = p.head; r != NO_NODE && p.fits; r = u->readers.at[r].next)
        p.fits = takes(u->o, &u->readers.at[r], m);
    if (!p.fits) return;
    for (uint32_t r = p.head; r != NO_NODE; r = u->readers.at[r].next)
        u->reads[u->readers.at[r].s][u->readers.at[r].at] = u->products.n;
    vec_push(u->o->arena, &u->products, p);
}

static void find_products(struct fuser *u, uint32_t block) {
    const struct cfg_block *const b = &u->o->cfg->block[block];
    for (uint32_t at = b->first + b->n; at-- > b->first;) {
        const struct minst *const m = &u->o->f->inst.at[at];
        if (minst_is_filler(m)) continue;
        if (is_product(u->o, at)) note_product(u, block, at);
        for (unsigned d = 0; d < MINST_DSTS; d++)
            for (uint32_t w = 0; m->dst[d].kind == OPND_GPR && w < m->dst[d].words; w++) {
                struct value *const v = value_at(u, block, opt_slot(u->o, &m->dst[d]) + w);
                v->leaves = m->guard != VPRED_TRUE;
                if (!v->leaves) v->head = NO_NODE, v->n = 0;
            }
        for (uint8_t s = 0; s < MINST_SRCS; s++)
            for (uint32_t w = 0; m->src[s].kind == OPND_GPR && w < m->src[s].words; w++) {
                struct value *const v = value_at(u, block, opt_slot(u->o, &m->src[s]) + w);
                const struct reader r = {.at = at, .s = s, .next = v->head};
                v->head = u->readers.n;
                v->n++;
                vec_push(u->o->arena, &u->readers, r);
            }
    }
}

// ---- which -------------------------------------------------------------------------------------
static void rank_products(struct fuser *u) {
    for (uint32_t i = 0; i < u->products.n; i++) {
        struct product *const p = &u->products.at[i];
        for (uint32_t r = p->head; r != NO_NODE; r = u->readers.at[r].next) {
            const struct reader *const x = &u->readers.at[r];
            const uint32_t other = u->reads[1 - x->s][x->at];
            p->is_left |= other != NO_NODE && p->n > 1 && u->products.at[other].n == 1;
        }
    }
}

// The source of a sum that is fused; 2: none.
static unsigned choose(const struct fuser *u, uint32_t at) {
    unsigned best = 2;
    uint32_t least = UINT32_MAX;
    for (unsigned s = 0; s < 2; s++) {
        if (u->reads[s][at] == NO_NODE) continue;
        const struct product *const p = &u->products.at[u->reads[s][at]];
        if (!p->is_left && p->n < least) best = s, least = p->n;
    }
    return best;
}

// ---- fusing ------------------------------------------------------------------------------------
// Source s of a product as it was there, at the later instruction `at`. A copy is made in front of
// the product if the register has another value by then; it goes again if the product was all that
// stood between.
static struct opnd source_at(struct fuser *u, struct product *p, unsigned s, uint32_t at) {
    struct opt *const o = u->o;
    const struct opnd x = o->f->inst.at[p->at].src[s];
    if (x.kind != OPND_GPR || opt_unchanged(o, &x, p->at, at)) return x;
    struct opnd *const copy = &p->copy[s];
    if (copy->kind == OPND_NONE) {
        *copy = x;
        copy->reg = edit_new_vreg(o->f, x.words);
        copy->sub = 0;
        opt_move_before(o, p->at, false, *copy, x);
    }
    return *copy;
}

// Constants that the fused operation takes no longer.
static void place_constants(struct opt *o, uint32_t at, struct minst *m) {
    const bool two = m->src[1].kind != OPND_GPR && m->src[2].kind != OPND_GPR;
    if (two && !isa_fits(m, 2, &m->src[2])) m->src[1] = opt_in_register(o, at, m->src[1]);
    for (unsigned s = 1; s < 3; s++) {
        struct opnd *const x = &m->src[s];
        if (isa_fits(m, s, x)) continue;
        struct opnd c = {.kind = OPND_CONST, .words = x->words, .bank = CB_LITERAL};
        if (x->kind == OPND_IMM && isa_fits(m, s, &c)) {
            c = edit_literal(o->f, x->imm, x->words);
            c.mods = x->mods;
            *x = c;
        } else {
            *x = opt_in_register(o, at, *x);
        }
    }
}

static void fuse(struct fuser *u, uint32_t at, unsigned s, struct product *p) {
    struct opt *const o = u->o;
    const struct minst sum = o->f->inst.at[at];
    struct minst m = sum;
    const bool truncates = sum.op == OP_FADD && o->f->module && o->f->module->target < 20;
    m.op = truncates ? (uint16_t)OP_FMAD : fusion_of(o->f->inst.at[p->at].op)->fused;
    if (sum.op != OP_HADD) m.klass = mop_info[m.op].klass;
    m.flags &= ~(uint32_t)MF_CONTRACT;
    for (unsigned k = 0; k < 2; k++) m.src[k] = source_at(u, p, k, at);
    m.src[2] = sum.src[1 - s];
    if (m.src[0].kind != OPND_GPR) isa_commute(&m);
    m.src[0].mods ^= sum.src[s].mods & OPND_NEG;
    place_constants(o, at, &m);
    opt_rewrite(o, at, &m);
}

static bool is_number(const struct opt *o, const struct opnd *x, uint32_t at) {
    uint32_t from;
    if (x->kind == OPND_GPR) {
        const struct minst *const d = opt_source(o, x, at, &from);
        return d && d->op == OP_MOV && d->src[0].kind == OPND_IMM;
    }
    return x->kind == OPND_IMM;
}

// The assembler computes a product of two numbers, with its rounding.
static void leave_numbers(struct opt *o, const struct cfg_block *b) {
    o->epoch++;
    for (uint32_t at = b->first; at < b->first + b->n; at++) {
        struct minst *const m = &o->f->inst.at[at];
        if (fusion_of(m->op) && is_number(o, &m->src[0], at) && is_number(o, &m->src[1], at))
            m->flags &= ~(uint32_t)MF_CONTRACT;
        opt_remember(o, at);
    }
}

static void fuse_block(struct fuser *u, uint32_t block) {
    const struct cfg_block *const b = &u->o->cfg->block[block];
    leave_numbers(u->o, b);
    u->readers.n = u->products.n = 0;
    find_products(u, block);
    if (u->products.n == 0) return;
    rank_products(u);
    u->o->epoch++;
    for (uint32_t at = b->first; at < b->first + b->n; at++) {
        const unsigned s = choose(u, at);
        if (s < 2) {
            fuse(u, at, s, &u->products.at[u->reads[s][at]]);
            const uint32_t other = u->reads[1 - s][at];
            if (other != NO_NODE) u->products.at[other].is_left = true;
        }
        opt_remember(u->o, at);
    }
}

static bool find_and_fuse(struct mfunc *f, struct arena *a) {
    struct cfg *const c = cfg_build(a, f);
    cfg_dominators(c);
    cfg_loops(c);
    struct opt *const o = opt_index(f, a);
    o->cfg = c;
    struct fuser u = {.o = o, .live = live_build(a, f, c)};
    u.value = arena_alloc(a, ((size_t)o->n_slots + 1) * sizeof *u.value);
    for (unsigned s = 0; s < 2; s++) {
        u.reads[s] = arena_alloc(a, (size_t)f->inst.n * sizeof *u.reads[s]);
        memset(u.reads[s], 0xff, (size_t)f->inst.n * sizeof *u.reads[s]);
    }
    for (uint32_t i = 0; i < c->n_order; i++) fuse_block(&u, c->order[i]);
    opt_put_inserts(o);
    return o->changed;
}

bool opt_fuse(struct mfunc *f, struct arena *a) {
    bool any = false;
    for (uint32_t i = 0; i < f->inst.n && !any; i++)
        any = fusion_of(f->inst.at[i].op) && f->inst.at[i].flags & MF_CONTRACT;
    const bool changed = any && find_and_fuse(f, a);
    for (uint32_t i = 0; i < f->inst.n; i++) f->inst.at[i].flags &= ~(uint32_t)MF_CONTRACT;
    return changed;
}
