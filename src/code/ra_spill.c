// Taking values out of registers: a general register goes to a slot of the function's frame or is
// made anew where it is used; a predicate goes to a general register (SEL and ISETP), which may go
// to memory in its turn.
//
// Each access gets a temporary of its own, shared by accesses that stand close together.
#include "code/ra.h"

struct cached {
    uint32_t place, words, temp, bundle; // bytes, words, the register that holds them, last use
};
enum { CACHE_SIZE = 24 };

struct spiller {
    struct ra *r;
    struct ra_spill *s;
    const bool *victim;
    struct edit edit;
    VEC(struct ra_home) made; // homes of the temporaries of this round, from `first_new` on
    uint32_t first_new;
    uint32_t *place;   // victim root -> place
    uint32_t *made_by; // word slot -> instruction that makes it, for rematerialisation
    struct cached cache[CACHE_SIZE];
    uint32_t n_cached, bundle;
    // the last operation's operands before and after, for the fillers behind it, and its stores,
    // which come behind those
    struct {
        struct opnd was, is;
    } renamed[MINST_SRCS + MINST_DSTS];
    uint32_t n_renamed;
    struct pending_store {
        struct opnd value;
        uint32_t place, guard;
        bool guard_not;
    } store[MINST_DSTS];
    uint32_t n_stores;
    uint32_t guard_was, guard_is; // of the last guarded instruction, before and after this round
    const struct minst *at;       // the instruction being rewritten: lines and guard of new ones
    // A move of the stack pointer to the callee's frame, kept back until the call's own reloads
    // stand before it: behind it they would find another frame.
    struct minst held;
    uint8_t held_tag;
    bool is_holding;
};

static uint32_t new_temp(struct spiller *sp, uint32_t words, uint32_t place) {
    struct mfunc *f = sp->r->f;
    const uint32_t v = sp->r->cls == RA_GPR ? edit_new_vreg(f, (uint8_t)words) : f->n_vpreds++;
    vec_push(sp->r->arena, &sp->made,
             ((struct ra_home){.place = place, .is_temp = true, .pinned = sp->s->window == 0}));
    return v;
}

static struct opnd as_opnd(const struct spiller *sp, uint32_t v, uint32_t sub, uint32_t words) {
    if (sp->r->cls == RA_PRED) return (struct opnd){.kind = OPND_PRED, .reg = v};
    return (struct opnd){.kind = OPND_GPR, .words = (uint8_t)words, .reg = v, .sub = (uint8_t)sub};
}

static struct minst fresh(const struct minst *at, enum mop op) {
    return (struct minst){.op = (uint16_t)op,
                          .klass = mop_info[op].klass,
                          .type = ITYPE_B32,
                          .stype = ITYPE_B32,
                          .guard = VPRED_TRUE,
                          .target = -1,
                          .reconv = -1,
                          .ptx_line = at->ptx_line,
                          .src_line = at->src_line,
                          .src_file = at->src_file};
}

// ---- memory and predicates --------------------------------------------------------
struct minst ra_local_access(const struct mfunc *f, const struct minst *at, enum mop op,
                             uint32_t place, uint32_t words) {
    struct minst m = fresh(at, op);
    m.klass = op == OP_LD ? OPC_LD_LOCAL : OPC_ST_LOCAL;
    m.space = SPACE_LOCAL;
    m.cop = op == OP_LD ? MCOP_CA : MCOP_WB;
    m.type = words == 2 ? ITYPE_B64 : ITYPE_B32;
    m.vec = words == 4 ? 4 : 1;
    if (mfunc_has_sp(f)) m.src[0] = (struct opnd){.kind = OPND_GPR, .words = 1, .reg = f->sp_vreg};
    m.offset = (int64_t)bits_align_up(f->frame_bytes, 16) + place;
    m.flags |= MF_SPILL;
    return m;
}

static void put_reload(struct spiller *sp, uint32_t temp, uint32_t place, uint32_t words) {
    if (sp->r->cls == RA_GPR) {
        struct minst m = ra_local_access(sp->r->f, sp->at, OP_LD, place, words);
        m.dst[0] = as_opnd(sp, temp, 0, words);
        edit_put(&sp->edit, &m, RA_TAG_RELOAD);
        sp->r->f->spill_loads++;
        return;
    }
    struct minst m = fresh(sp->at, OP_ISETP);
    m.type = m.stype = ITYPE_U32;
    m.cmp = MCMP_NE;
    m.dst[0] = as_opnd(sp, temp, 0, 0);
    m.src[0] = (struct opnd){.kind = OPND_GPR, .words = 1, .reg = place / 4};
    m.src[1] = (struct opnd){.kind = OPND_IMM, .words = 1};
    edit_put(&sp->edit, &m, RA_TAG_RELOAD);
}

static void put_store(struct spiller *sp, struct opnd value, uint32_t place, uint32_t guard,
                      bool guard_not) {
    struct minst m;
    if (sp->r->cls == RA_GPR) {
        m = ra_local_access(sp->r->f, sp->at, OP_ST, place, value.words);
        m.src[1] = value;
        sp->r->f->spill_stores++;
    } else {
        m = fresh(sp->at, OP_SEL);
        m.dst[0] = (struct opnd){.kind = OPND_GPR, .words = 1, .reg = place / 4};
        m.src[0] = (struct opnd){.kind = OPND_IMM, .words = 1, .imm = 0};
        m.src[1] = (struct opnd){.kind = OPND_IMM, .words = 1, .imm = 1};
        m.src[2] = value;
        m.src[2].mods = OPND_NOT;
    }
    m.guard = guard;
    m.guard_not = guard_not;
    edit_put(&sp->edit, &m, RA_TAG_STORE);
}

// ---- temporaries at hand ------------------------------------------------------------
static void forget(struct spiller *sp, uint32_t place, uint32_t words) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < sp->n_cached; i++) {
        const struct cached *c = &sp->cache[i];
        if (c->place < place + 4 * words && place < c->place + 4 * c->words) continue;
        sp->cache[kept++] = *c;
    }
    sp->n_cached = kept;
}

static void remember(struct spiller *sp, uint32_t place, uint32_t words, uint32_t temp) {
    forget(sp, place, words);
    if (sp->n_cached == CACHE_SIZE) {
        memmove(sp->cache, sp->cache + 1, (CACHE_SIZE - 1) * sizeof sp->cache[0]);
        sp->n_cached--;
    }
    sp->cache[sp->n_cached++] = (struct cached){place, words, temp, sp->bundle};
}

static struct cached *recall(struct spiller *sp, uint32_t place, uint32_t words) {
    for (uint32_t i = 0; i < sp->n_cached; i++) {
        struct cached *c = &sp->cache[i];
        if (place < c->place || place + 4 * words > c->place + 4 * c->words) continue;
        if (sp->bundle - c->bundle > sp->s->window) return NULL;
        c->bundle = sp->bundle;
        return c;
    }
    return NULL;
}

// ---- operands ------------------------------------------------------------------------
// Whether the operand stands for a spilled value; then where that lies, in bytes.
static bool is_spilled(struct spiller *sp, const struct opnd *o, uint32_t *place) {
    const uint8_t kind = sp->r->cls == RA_GPR ? OPND_GPR : OPND_PRED;
    if (o->kind != kind || (kind == OPND_PRED && o->reg == VPRED_TRUE)) return false;
    if (o->reg >= sp->r->n) return false; // made in this round, or the carry
    uint32_t offset;
    const uint32_t root = ra_root(sp->r, o->reg, &offset);
    if (!sp->victim[root]) return false;
    *place = sp->place[root] + 4 * (offset + o->sub);
    return true;
}

// A rematerialised value: a copy of each word's definition. These live in negative "places", one
// space above all others, so that they are cached like the rest.
enum { REMAT_PLACES = 0x40000000 };

static void put_definitions(struct spiller *sp, uint32_t temp, uint32_t vreg, uint32_t sub,
                            uint32_t words) {
    for (uint32_t w = 0; w < words; w++) {
        struct minst m = sp->r->f->inst.at[sp->made_by[sp->r->live->word_base[vreg] + sub + w]];
        m.dst[0] = as_opnd(sp, temp, w, 1);
        m.ptx_line = sp->at->ptx_line;
        m.src_line = sp->at->src_line;
        m.src_file = sp->at->src_file;
        edit_put(&sp->edit, &m, RA_TAG_RELOAD);
    }
}

static void rewrite_read(struct spiller *sp, struct opnd *o) {
    uint32_t place = 0;
    if (!is_spilled(sp, o, &place)) return;
    const uint32_t words = sp->r->cls == RA_PRED ? 1 : o->words;
    const struct cached *c = recall(sp, place, words);
    uint32_t temp, sub = 0;
    if (c) {
        temp = c->temp;
        sub = (place - c->place) / 4;
    } else {
        temp = new_temp(sp, words, place);
        if (place >= REMAT_PLACES)
            put_definitions(sp, temp, o->reg, o->sub, words);
        else
            put_reload(sp, temp, place, words);
        remember(sp, place, words, temp);
    }
    const uint8_t mods = o->mods;
    *o = as_opnd(sp, temp, sub, words);
    o->mods = mods;
}

// A filler names operands of its operation, for their timing alone: they follow it, or are left
// out.
static void rewrite_filler_operand(struct spiller *sp, struct opnd *o) {
    uint32_t place = 0;
    if (!is_spilled(sp, o, &place)) return;
    for (uint32_t i = 0; i < sp->n_renamed; i++) {
        const struct opnd *was = &sp->renamed[i].was;
        if (was->kind != o->kind || was->reg != o->reg || o->sub < was->sub ||
            o->sub + o->words > was->sub + was->words)
            continue;
        const uint8_t sub = (uint8_t)(o->sub - was->sub + sp->renamed[i].is.sub);
        o->reg = sp->renamed[i].is.reg;
        o->sub = sub;
        return;
    }
    *o = (struct opnd){.kind = OPND_NONE};
}

static void rename_operand(struct spiller *sp, const struct opnd *was, const struct opnd *is) {
    if (was->kind == OPND_NONE || was->reg == is->reg) return;
    sp->renamed[sp->n_renamed].was = *was;
    sp->renamed[sp->n_renamed++].is = *is;
}

static bool overwrites_its_guard(const struct minst *m) {
    for (unsigned i = 0; i < MINST_DSTS; i++)
        if (m->dst[i].kind == OPND_PRED && m->dst[i].reg == m->guard) return true;
    return false;
}

static void rewrite_write(struct spiller *sp, struct opnd *o, const struct minst *m) {
    uint32_t place = 0;
    if (!is_spilled(sp, o, &place)) return;
    const uint32_t words = sp->r->cls == RA_PRED ? 1 : o->words;
    const uint32_t temp = new_temp(sp, words, place);
    const struct opnd was = *o;
    *o = as_opnd(sp, temp, 0, words);
    rename_operand(sp, &was, o);
    struct pending_store *st = &sp->store[sp->n_stores++];
    *st = (struct pending_store){
        .value = *o, .place = place, .guard = m->guard, .guard_not = m->guard_not};
    if (m->guard == VPRED_TRUE) {
        remember(sp, place, words, temp);
        return;
    }
    forget(sp, place, words);
    if (overwrites_its_guard(m)) { // the guard is gone when the store comes
        put_reload(sp, temp, place, words);
        st->guard = VPRED_TRUE;
        st->guard_not = false;
    }
}

// Behind the operation and its fillers.
static void flush_stores(struct spiller *sp) {
    for (uint32_t i = 0; i < sp->n_stores; i++) {
        const struct pending_store *st = &sp->store[i];
        put_store(sp, st->value, st->place, st->guard, st->guard_not);
    }
    sp->n_stores = sp->n_renamed = 0;
}

// A move between a spilled value and a register is the load or store itself. Answers whether m was
// dealt with.
static bool rewrite_move(struct spiller *sp, const struct minst *m) {
    struct opnd d = {0}, s = {0};
    if (sp->r->cls != RA_GPR || !ra_is_move(sp->r, m, &d, &s)) return false;
    uint32_t to = 0, from = 0;
    const bool store = is_spilled(sp, &d, &to), load = is_spilled(sp, &s, &from);
    if (store && load) return to == from;
    if (store) {
        forget(sp, to, d.words);
        put_store(sp, s, to, m->guard, m->guard_not);
        sp->edit.tag.at[sp->edit.out.n - 1] = RA_TAG_NONE; // s is no temporary of that place
        return true;
    }
    if (!load || from >= REMAT_PLACES || recall(sp, from, s.words)) return false;
    put_reload(sp, d.reg, from, d.words);
    struct minst *ld = &sp->edit.out.at[sp->edit.out.n - 1];
    ld->dst[0] = d;
    ld->guard = m->guard;
    ld->guard_not = m->guard_not;
    sp->edit.tag.at[sp->edit.out.n - 1] = RA_TAG_NONE;
    return true;
}

static bool defines_remat(struct spiller *sp, const struct minst *m) {
    uint32_t place = 0;
    return (m->op == OP_MOV || m->op == OP_S2R) && is_spilled(sp, &m->dst[0], &place) &&
           place >= REMAT_PLACES;
}

// A store made by an earlier round keeps the guard of the write that it belongs to, and a filler
// that of its operation: the place that the guard came from may be the one that the write has
// changed.
static void rewrite_guard(struct spiller *sp, struct minst *m, uint8_t tag) {
    if (sp->r->cls != RA_PRED || m->guard == VPRED_TRUE) return;
    const bool follows = tag == RA_TAG_STORE || minst_is_filler(m);
    if (follows && m->guard == sp->guard_was) {
        m->guard = sp->guard_is;
        return;
    }
    struct opnd g = {.kind = OPND_PRED, .reg = m->guard};
    rewrite_read(sp, &g);
    if (!follows) {
        sp->guard_was = m->guard;
        sp->guard_is = g.reg;
    }
    m->guard = g.reg;
}

// Whether m, an instruction of f, makes the stack pointer the callee's: a call follows at once.
static bool moves_sp_up(const struct mfunc *f, const struct minst *m) {
    const bool is_last = m + 1 == f->inst.at + f->inst.n;
    return mfunc_has_sp(f) && m->dst[0].kind == OPND_GPR && m->dst[0].reg == f->sp_vreg &&
           !is_last && (m[1].op == OP_CALL || m[1].op == OP_CALLI);
}

static void put_held(struct spiller *sp) {
    if (!sp->is_holding) return;
    edit_put(&sp->edit, &sp->held, sp->held_tag);
    sp->is_holding = false;
}

static void rewrite(struct spiller *sp, const struct minst *old, uint8_t tag) {
    uint32_t place = 0;
    sp->at = old;
    if (moves_sp_up(sp->r->f, old)) {
        put_held(sp);
        sp->held = *old;
        for (unsigned i = 0; i < MINST_SRCS; i++) rewrite_read(sp, &sp->held.src[i]);
        sp->held_tag = tag;
        sp->is_holding = true;
        return;
    }
    if (tag == RA_TAG_RELOAD && is_spilled(sp, &old->dst[0], &place)) return;
    if (tag == RA_TAG_STORE)
        for (unsigned i = 0; i < MINST_SRCS; i++)
            if (is_spilled(sp, &old->src[i], &place)) return;
    if (defines_remat(sp, old)) return;
    if (!minst_is_filler(old) && rewrite_move(sp, old)) { // has no fillers
        sp->bundle++;
        return;
    }
    struct minst m = *old;
    rewrite_guard(sp, &m, tag);
    if (minst_is_filler(&m)) {
        for (unsigned i = 0; i < MINST_DSTS; i++) rewrite_filler_operand(sp, &m.dst[i]);
        for (unsigned i = 0; i < MINST_SRCS; i++) rewrite_filler_operand(sp, &m.src[i]);
        edit_put(&sp->edit, &m, tag);
        return;
    }
    for (unsigned i = 0; i < MINST_SRCS; i++) {
        rewrite_read(sp, &m.src[i]);
        rename_operand(sp, &old->src[i], &m.src[i]);
    }
    put_held(sp);
    if (m.op == OP_CALL || m.op == OP_CALLI) sp->n_cached = 0;
    for (unsigned i = 0; i < MINST_DSTS; i++) rewrite_write(sp, &m.dst[i], &m);
    edit_put(&sp->edit, &m, tag);
    sp->bundle++;
}

static void find_definitions(struct spiller *sp) {
    const struct ra *r = sp->r;
    if (r->cls != RA_GPR) return;
    sp->made_by = arena_alloc(r->arena, ((size_t)r->live->n_words + 1) * sizeof *sp->made_by);
    for (uint32_t i = 0; i < r->f->inst.n; i++) {
        const struct minst *m = &r->f->inst.at[i];
        if (m->dst[0].kind == OPND_GPR && !minst_is_filler(m))
            sp->made_by[r->live->word_base[m->dst[0].reg] + m->dst[0].sub] = i;
    }
}

static void give_places(struct spiller *sp) {
    struct ra *r = sp->r;
    struct mfunc *f = r->f;
    sp->place = arena_alloc(r->arena, ((size_t)r->n + 1) * sizeof *sp->place);
    for (uint32_t v = 0; v < r->n; v++) {
        if (!sp->victim[v]) continue;
        if (ra_is_temp(r, v)) {
            sp->place[v] = r->home[v].place;
        } else if (r->remat[v]) {
            sp->place[v] = REMAT_PLACES + 4 * r->live->word_base[v];
        } else if (r->cls == RA_PRED) {
            sp->place[v] = 4 * edit_new_vreg(f, 1);
        } else {
            f->spill_bytes = (uint32_t)bits_align_up(f->spill_bytes, 4u * r->words[v]);
            sp->place[v] = f->spill_bytes;
            f->spill_bytes += 4u * r->words[v];
            f->spilled_regs += r->words[v];
        }
    }
}

void ra_spill(struct ra *r, struct ra_spill *s, const bool *victim) {
    struct spiller sp = {.r = r, .s = s, .victim = victim};
    give_places(&sp);
    find_definitions(&sp);
    const uint32_t n_old = r->n;
    edit_start(&sp.edit, r->f, r->arena);
    for (uint32_t i = 0; i < r->f->inst.n; i++) {
        if (!minst_is_filler(&r->f->inst.at[i])) flush_stores(&sp);
        if (r->cfg->block[r->cfg->block_of[i]].first == i) {
            sp.n_cached = 0;
            sp.guard_was = VPRED_TRUE;
        }
        edit_at(&sp.edit, i);
        rewrite(&sp, &r->f->inst.at[i], s->tag ? s->tag[i] : RA_TAG_NONE);
    }
    put_held(&sp);
    flush_stores(&sp);
    edit_finish(&sp.edit);
    // homes of the new registers; predicates' holders are made in between in the other class
    while (s->home.n < n_old) vec_push(r->f->arena, &s->home, (struct ra_home){.is_temp = false});
    for (uint32_t i = 0; i < sp.made.n; i++) vec_push(r->f->arena, &s->home, sp.made.at[i]);
    s->tag = arena_copy(r->f->arena, sp.edit.tag.at, sp.edit.tag.n);
}
