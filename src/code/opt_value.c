// Copies and constants: a source that is a copy of another register reads that one; one that is an
// immediate or a constant-bank word becomes that where the machine takes it (isa_fits). Equal
// values are found once.
#include "code/opt.h"

static struct opnd no_operand(void) { return (struct opnd){.kind = OPND_NONE}; }

// The value behind one word of a register at instruction `at`, or nothing.
static struct opnd word_value(const struct opt *o, uint32_t reg, uint32_t sub, uint32_t at) {
    const uint32_t slot = o->word_base[reg] + sub;
    const int32_t j = opt_definition(o, slot, at);
    if (j < 0) return no_operand();
    const struct minst *m = &o->f->inst.at[j];
    if (m->op == OP_MOV && !m->src[0].mods) {
        const uint32_t w = sub - m->dst[0].sub;
        struct opnd v = m->src[0];
        v.words = 1;
        if (v.kind == OPND_GPR) {
            v.sub = (uint8_t)(v.sub + w);
            return opt_unchanged(o, &v, (uint32_t)j, at) ? v : no_operand();
        }
        if (v.kind == OPND_CONST) v.reg += 4 * w;
        if (v.kind == OPND_IMM) v.imm = w >= 2 ? 0 : (uint32_t)(v.imm >> (32 * w));
        return v;
    }
    const uint32_t same = o->same_as[slot];
    if (same == UINT32_MAX) return no_operand();
    // both have one definition; that of `same` dominates this one
    uint32_t v = 0, high = o->n_vregs; // the register that holds word `same`
    while (high - v > 1) {
        const uint32_t mid = (v + high) / 2;
        if (o->word_base[mid] <= same)
            v = mid;
        else
            high = mid;
    }
    return (struct opnd){
        .kind = OPND_GPR, .words = 1, .reg = v, .sub = (uint8_t)(same - o->word_base[v])};
}

// The words of an operand put together again, if they stand side by side.
static struct opnd value_of(const struct opt *o, const struct opnd *x, uint32_t at) {
    if (x->words > OPND_MOST_WORDS) return no_operand(); // sums stay where they are
    struct opnd v = word_value(o, x->reg, x->sub, at);
    if (v.kind == OPND_NONE || x->words == 1) return v;
    for (uint32_t w = 1; w < x->words; w++) {
        const struct opnd n = word_value(o, x->reg, x->sub + w, at);
        if (n.kind != v.kind) return no_operand();
        switch (v.kind) {
        case OPND_GPR:
            if (n.reg != v.reg || n.sub != v.sub + w) return no_operand();
            break;
        case OPND_CONST:
            if (n.bank != v.bank || n.reg != v.reg + 4 * w) return no_operand();
            break;
        default:
            if (x->words > 2) return no_operand();
            v.imm |= n.imm << 32;
        }
    }
    v.words = x->words;
    if (v.kind == OPND_GPR && v.sub % v.words) return no_operand();
    if (v.kind == OPND_CONST && v.reg % (4u * v.words)) return no_operand();
    return v;
}

// A constant as source s, or as its partner of a commuting operation.
static void place_constant(struct opt *o, uint32_t at, unsigned s, struct opnd v) {
    struct minst *m = &o->f->inst.at[at];
    if (v.kind == OPND_IMM && v.mods && m->op == OP_IADD && !isa_has_carry(m) &&
        v.mods == OPND_NEG) {
        v.imm = (uint32_t)(0 - v.imm);
        v.mods = 0;
    }
    if (isa_fits(m, s, &v)) {
        opt_replace(o, at, s, v);
        return;
    }
    if (s > 1 || m->src[1 - s].kind != OPND_GPR) return;
    struct minst turned = *m;
    turned.src[s] = v;
    if (!isa_commute(&turned) || !isa_fits(&turned, 1 - s, &v)) return;
    opt_replace(o, at, s, v); // keeps count of the uses, which commuting does not change
    isa_commute(m);
}

static bool is_mirror_of_itself(const struct minst *m) { // already what it would become
    return m->op == OP_MOV && (m->src[0].kind == OPND_IMM || m->src[0].kind == OPND_CONST);
}

void opt_propagate(struct opt *o, uint32_t at) {
    struct minst *m = &o->f->inst.at[at];
    if (is_mirror_of_itself(m) || ((m->flags & MF_FRAME) && !opt_is_memory(m))) return;
    for (unsigned s = 0; s < MINST_SRCS; s++) {
        const struct opnd x = m->src[s];
        if (x.kind != OPND_GPR || !opt_knows(o, &x)) continue;
        struct opnd v = value_of(o, &x, at);
        if (v.kind == OPND_NONE) continue;
        v.mods = x.mods;
        if (v.kind == OPND_GPR)
            opt_replace(o, at, s, v);
        else
            place_constant(o, at, s, v);
    }
}

// ---- equal values ---------------------------------------------------------------------------
// Only what lowering makes anew each time: the PTX's compiler has done the rest. Cheap operations
// are shared over a short distance alone, since a register held is dearer than an addition.
enum { NEAR = 48, NEAR_FOLDED = 256, TABLE = 4096 };

static bool may_share(const struct opt *o, const struct minst *m) {
    if (!opt_plain(m) || (m->flags & MF_VOLATILE)) return false;
    if (m->dst[0].kind != OPND_GPR || m->dst[1].kind != OPND_NONE) return false;
    switch (m->op) {
    case OP_BFE: return gen_has(o->f->target->gen, TRAIT_FOLDS); // parts of addresses there
    case OP_S2R:
    case OP_SHL:
    case OP_SHR:
    case OP_IADD:
    case OP_LOP:
    case OP_IMUL:
    case OP_IMAD:
    case OP_CVT:
    case OP_ISCADD:
    case OP_CVTA: return true;
    default: return false;
    }
}

static bool same_operation(const struct minst *a, const struct minst *b) {
    if (a->op != b->op || a->type != b->type || a->stype != b->stype || a->cmp != b->cmp ||
        a->bop != b->bop || a->rnd != b->rnd || a->sub != b->sub || a->vec != b->vec ||
        a->space != b->space || a->flags != b->flags || a->aux != b->aux ||
        a->dst[0].words != b->dst[0].words)
        return false;
    for (unsigned s = 0; s < MINST_SRCS; s++)
        if (!opnd_equal(&a->src[s], &b->src[s])) return false;
    return true;
}

static uint32_t operation_hash(const struct minst *m) {
    uint64_t h = m->op * 31u + m->aux;
    for (unsigned s = 0; s < 3; s++) {
        const struct opnd *x = &m->src[s];
        const unsigned part = x->kind == OPND_CONST ? 64u * x->bank : 8u * x->sub;
        const uint64_t value = x->kind == OPND_IMM ? x->imm : x->reg;
        h = (h ^ (x->kind + part)) * 0x9e3779b97f4a7c15ull;
        h = (h ^ value) * 0x9e3779b97f4a7c15ull;
    }
    return (uint32_t)(h >> 40);
}

// All sources have one definition, so the value is the same wherever it is computed in one turn.
static bool is_stable(const struct opt *o, const struct minst *m) {
    for (unsigned s = 0; s < MINST_SRCS; s++) {
        const struct opnd *x = &m->src[s];
        if (x->kind == OPND_PRED) return false;
        for (uint32_t w = 0; x->kind == OPND_GPR && w < x->words; w++) {
            const int32_t j = o->def[opt_slot(o, x) + w];
            if (j < 0 || o->f->inst.at[j].guard != VPRED_TRUE) return false;
        }
    }
    for (uint32_t w = 0; w < m->dst[0].words; w++)
        if (o->def[opt_slot(o, &m->dst[0]) + w] < 0) return false;
    return true;
}

// Whether a source is defined between the two: the first read the value of a loop's earlier turn.
static bool is_renewed(const struct opt *o, const struct minst *m, uint32_t first, uint32_t at) {
    for (unsigned s = 0; s < MINST_SRCS; s++)
        for (uint32_t w = 0; m->src[s].kind == OPND_GPR && w < m->src[s].words; w++) {
            const uint32_t j = (uint32_t)o->def[opt_slot(o, &m->src[s]) + w];
            if (j >= first && j < at) return true;
        }
    return false;
}

void opt_find_equal(struct opt *o) {
    // Where constants fold out of addresses, what then is equal lies further apart.
    const uint32_t reach = gen_has(o->f->target->gen, TRAIT_FOLDS) ? NEAR_FOLDED : NEAR;
    int32_t *head = arena_alloc(o->arena, TABLE * sizeof *head);
    int32_t *next = arena_alloc(o->arena, ((size_t)o->f->inst.n + 1) * sizeof *next);
    memset(head, 0xff, TABLE * sizeof *head);
    for (uint32_t i = 0; i < o->cfg->n_order; i++) {
        const struct cfg_block *b = &o->cfg->block[o->cfg->order[i]];
        for (uint32_t at = b->first; at < b->first + b->n; at++) {
            const struct minst *m = &o->f->inst.at[at];
            if (!may_share(o, m) || !is_stable(o, m)) continue;
            const uint32_t h = operation_hash(m) % TABLE;
            bool found = false;
            unsigned tries = 0;
            for (int32_t j = head[h]; j >= 0 && tries < 8 && !found; j = next[j], tries++) {
                const struct minst *e = &o->f->inst.at[j];
                const uint32_t from = o->cfg->block_of[j];
                if (!same_operation(e, m)) continue;
                const bool near = from == o->cfg->block_of[at] && at - (uint32_t)j <= reach;
                if (m->op == OP_S2R ? !cfg_dominates(o->cfg, from, o->cfg->block_of[at]) : !near)
                    continue;
                if (is_renewed(o, m, (uint32_t)j, at)) continue;
                for (uint32_t w = 0; w < m->dst[0].words; w++)
                    o->same_as[opt_slot(o, &m->dst[0]) + w] = opt_slot(o, &e->dst[0]) + w;
                found = true;
            }
            if (found) continue;
            next[at] = head[h];
            head[h] = (int32_t)at;
        }
    }
}
