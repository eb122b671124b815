// Making values anew where they are read (Briggs, Cooper, Torczon 1992), so that they hold no
// register in between and need no memory: address arithmetic, mostly. (What reads nothing but
// constants is made anew by ra_spill.c.)
//
// A register qualifies when one unguarded instruction writes it, on every way to each of its reads,
// and so it is with that instruction's sources: those then still have the values that they had. It
// pays where the sources live at every read anyway, or can be made anew there themselves.
#include "code/ra.h"

enum {
    MAX_DEPTH = 3,     // instructions of a chain
    LEAST_LENGTH = 12, // a value that lives for less holds its register for its reads
    WINDOW = 6         // instructions over which reads share a copy
};
enum { NOWHERE = UINT32_MAX, SEVERAL = UINT32_MAX - 1 };

struct ra_recipes {
    uint32_t *made_at; // word slot -> the one instruction that writes it, NOWHERE, SEVERAL
    bool *is_strict;   // register -> one unguarded definition that dominates all reads
    bool *pays;        // register -> sources are at hand at every read
    uint8_t *anew;     // register -> sources of its definition that do not live at some read
};

// ---- which can be made anew -----------------------------------------------------------
static bool is_cheap(const struct minst *m) {
    static const uint16_t cheap[] = {OP_MOV, OP_S2R, OP_IADD, OP_ISCADD, OP_IMAD, OP_SHL,
                                     OP_SHR, OP_SHF, OP_LOP,  OP_LOP3,   OP_BFE,  OP_PRMT};
    for (size_t i = 0; i < WW_COUNT(cheap); i++)
        if (m->op == cheap[i]) return true;
    return false;
}

static void find_makers(struct ra *r, struct ra_recipes *k) {
    uint32_t slot[LIVE_MAX_WRITES];
    for (uint32_t i = 0; i < r->live->n_words; i++) k->made_at[i] = NOWHERE;
    for (uint32_t i = 0; i < r->f->inst.n; i++) {
        const struct minst *m = &r->f->inst.at[i];
        for (unsigned which = 0; which < MINST_DSTS; which++) {
            const uint32_t n = live_writes(r->live, m, which, slot);
            for (uint32_t s = 0; s < n; s++)
                if (ra_has(r, slot[s]))
                    k->made_at[slot[s]] =
                        k->made_at[slot[s]] == NOWHERE && m->guard == VPRED_TRUE ? i : SEVERAL;
        }
    }
}

static bool comes_before(const struct ra *r, uint32_t maker, uint32_t reader) {
    const uint32_t a = r->cfg->block_of[maker], b = r->cfg->block_of[reader];
    if (r->cfg->block[a].rpo == UINT32_MAX || r->cfg->block[b].rpo == UINT32_MAX) return false;
    return a == b ? maker < reader : cfg_dominates(r->cfg, a, b);
}

static void find_strict(struct ra *r, struct ra_recipes *k) {
    uint32_t slot[LIVE_MAX_READS];
    for (uint32_t v = 0; v < r->n; v++) {
        k->is_strict[v] = r->used[v] && !ra_is_temp(r, v);
        for (uint32_t w = r->live->word_base[v]; w < r->live->word_base[v + 1]; w++)
            if (k->made_at[w] >= SEVERAL) k->is_strict[v] = false;
    }
    for (uint32_t i = 0; i < r->f->inst.n; i++) {
        const uint32_t n = live_reads(r->live, &r->f->inst.at[i], slot);
        for (uint32_t s = 0; s < n; s++) {
            if (!ra_has(r, slot[s]) || k->made_at[slot[s]] >= SEVERAL) continue;
            if (!comes_before(r, k->made_at[slot[s]], i))
                k->is_strict[ra_node_of(r, slot[s])] = false;
        }
    }
    if (mfunc_has_sp(r->f)) k->is_strict[r->f->sp_vreg] = false;
}

// The instruction that makes the whole of v, NULL where there is none that can be had twice.
static const struct minst *recipe(const struct ra *r, const struct ra_recipes *k, uint32_t v) {
    if (!k->is_strict[v]) return NULL;
    const uint32_t at = k->made_at[r->live->word_base[v]];
    const struct minst *m = &r->f->inst.at[at];
    if (!is_cheap(m) || m->dst[0].reg != v || m->dst[0].words != r->words[v]) return NULL;
    if (m->dst[1].kind != OPND_NONE) return NULL;
    if (m->flags & (MF_FRAME | MF_VOLATILE)) return NULL;
    if (at + 1 < r->f->inst.n && minst_is_filler(&r->f->inst.at[at + 1])) return NULL;
    for (unsigned s = 0; s < MINST_SRCS; s++) {
        if (m->src[s].kind == OPND_PRED) return NULL;
        if (m->src[s].kind == OPND_GPR && !k->is_strict[m->src[s].reg]) return NULL;
    }
    return m;
}

static bool lives(const struct ra *r, const struct opnd *o, const struct slot_set *now) {
    const uint32_t first = r->live->word_base[o->reg] + o->sub;
    for (uint32_t w = 0; w < o->words; w++)
        if (!slot_set_has(now, first + w)) return false;
    return true;
}

// Whether v can be made from what lives `now`; notes which sources must be made for it.
static bool is_at_hand(const struct ra *r, const struct ra_recipes *k, uint32_t v,
                       const struct slot_set *now, unsigned depth) {
    const struct minst *m = recipe(r, k, v);
    if (m == NULL || depth == MAX_DEPTH) return false;
    for (unsigned s = 0; s < MINST_SRCS; s++) {
        if (m->src[s].kind != OPND_GPR || lives(r, &m->src[s], now)) continue;
        if (!is_at_hand(r, k, m->src[s].reg, now, depth + 1)) return false;
        k->anew[v] |= (uint8_t)(1u << s);
    }
    return true;
}

static void find_paying(struct ra *r, struct ra_recipes *k) {
    for (uint32_t v = 0; v < r->n; v++)
        k->pays[v] = !r->remat[v] && r->length[v] >= LEAST_LENGTH && recipe(r, k, v) != NULL;
    struct slot_set now;
    slot_set_init(&now, r->arena, r->live->n_slots);
    for (uint32_t b = 0; b < r->cfg->n; b++) {
        const struct cfg_block *block = &r->cfg->block[b];
        live_block_end(r->live, b, &now);
        for (uint32_t i = block->first + block->n; i-- > block->first;) {
            live_step_back(r->live, i, &now);
            uint32_t slot[LIVE_MAX_READS];
            const uint32_t n = live_reads(r->live, &r->f->inst.at[i], slot);
            for (uint32_t s = 0; s < n; s++) {
                if (!ra_has(r, slot[s])) continue;
                const uint32_t v = ra_node_of(r, slot[s]);
                k->pays[v] = k->pays[v] && is_at_hand(r, k, v, &now, 0);
            }
        }
    }
}

void ra_find_recipes(struct ra *r) {
    if (r->cls != RA_GPR || r->recipes) return;
    struct ra_recipes *k = arena_alloc(r->arena, sizeof *k);
    k->made_at = arena_alloc(r->arena, ((size_t)r->live->n_words + 1) * sizeof *k->made_at);
    k->is_strict = arena_alloc(r->arena, (size_t)r->n + 1);
    k->pays = arena_alloc(r->arena, (size_t)r->n + 1);
    k->anew = arena_alloc(r->arena, (size_t)r->n + 1);
    find_makers(r, k);
    find_strict(r, k);
    find_paying(r, k);
    r->recipes = k;
}

uint32_t ra_recipe_length(const struct ra *r, uint32_t root) {
    const bool is_alone = r->parent[root] == root && r->next_member[root] == UINT32_MAX;
    if (!r->recipes || !is_alone || !r->recipes->pays[root]) return 0;
    uint32_t n = 1;
    for (uint8_t left = r->recipes->anew[root]; left; left &= (uint8_t)(left - 1)) n++;
    return n;
}

// ---- making them -------------------------------------------------------------------------
struct remaker {
    struct ra *r;
    const bool *victim;
    struct edit edit;
    struct copy {
        uint32_t of, in, used; // the register, its copy, the operation that last read it
    } copy[WINDOW * 4];
    uint32_t n_copies, operation;
};

// A victim's definition goes, so its copies read nothing that goes too.
static void keep_sources(const struct ra *r, bool *victim, uint32_t v, unsigned depth) {
    const struct minst *m = recipe(r, r->recipes, v);
    if (m == NULL || depth == MAX_DEPTH) return;
    for (unsigned s = 0; s < MINST_SRCS; s++) {
        if (m->src[s].kind != OPND_GPR) continue;
        victim[m->src[s].reg] = false;
        keep_sources(r, victim, m->src[s].reg, depth + 1);
    }
}

static uint32_t put_copy(struct remaker *k, uint32_t v, const struct minst *at, unsigned depth) {
    const struct ra *r = k->r;
    struct minst m = *recipe(r, r->recipes, v);
    for (unsigned s = 0; s < MINST_SRCS; s++)
        if (m.src[s].kind == OPND_GPR && r->recipes->anew[v] >> s & 1 && depth + 1 < MAX_DEPTH)
            m.src[s].reg = put_copy(k, m.src[s].reg, at, depth + 1);
    m.dst[0].reg = edit_new_vreg(r->f, r->words[v]);
    m.ptx_line = at->ptx_line;
    m.src_line = at->src_line;
    m.src_file = at->src_file;
    edit_put(&k->edit, &m, RA_TAG_NONE);
    return m.dst[0].reg;
}

static struct copy *find_copy(struct remaker *k, uint32_t v) {
    for (uint32_t i = 0; i < k->n_copies; i++)
        if (k->copy[i].of == v) return &k->copy[i];
    return NULL;
}

static uint32_t copy_for(struct remaker *k, uint32_t v, const struct minst *at) {
    struct copy *c = find_copy(k, v);
    if (c == NULL) {
        if (k->n_copies == WW_COUNT(k->copy)) k->copy[0] = k->copy[--k->n_copies];
        c = &k->copy[k->n_copies++];
        *c = (struct copy){.of = v, .used = k->operation};
        c->in = put_copy(k, v, at, 0);
    } else if (k->operation - c->used > WINDOW) {
        c->in = put_copy(k, v, at, 0);
    }
    c->used = k->operation;
    return c->in;
}

static bool is_victim(const struct remaker *k, const struct opnd *o) {
    return o->kind == OPND_GPR && o->reg < k->r->n && k->victim[o->reg];
}

// A filler reads the copy that its operation has read; others of its operands are left out.
static void rename_filler(struct remaker *k, struct opnd *o) {
    if (!is_victim(k, o)) return;
    const struct copy *c = find_copy(k, o->reg);
    if (c && c->used == k->operation)
        o->reg = c->in;
    else
        *o = (struct opnd){.kind = OPND_NONE};
}

static void remake_reads(struct remaker *k, const struct minst *old) {
    struct minst m = *old;
    if (minst_is_filler(old)) {
        for (unsigned d = 0; d < MINST_DSTS; d++) rename_filler(k, &m.dst[d]);
        for (unsigned s = 0; s < MINST_SRCS; s++) rename_filler(k, &m.src[s]);
        edit_put(&k->edit, &m, RA_TAG_NONE);
        return;
    }
    k->operation++;
    if (is_victim(k, &m.dst[0])) return;
    for (unsigned s = 0; s < MINST_SRCS; s++)
        if (is_victim(k, &m.src[s])) m.src[s].reg = copy_for(k, m.src[s].reg, old);
    edit_put(&k->edit, &m, RA_TAG_NONE);
    if (m.op == OP_CALL || m.op == OP_CALLI) k->n_copies = 0;
}

bool ra_can_remake(const struct ra *r, bool *victim) {
    if (!r->recipes) return false;
    bool *mine = arena_alloc(r->arena, (size_t)r->n + 1), found = false;
    for (uint32_t v = 0; v < r->n; v++) mine[v] = victim[v] && ra_recipe_length(r, v);
    for (uint32_t v = r->n; v-- > 0;)
        if (mine[v]) keep_sources(r, mine, v, 0);
    for (uint32_t v = 0; v < r->n; v++) found |= mine[v];
    if (found) memcpy(victim, mine, r->n);
    return found;
}

void ra_remake(struct ra *r, const bool *victim) {
    struct remaker k = {.r = r, .victim = victim};
    edit_start(&k.edit, r->f, r->arena);
    for (uint32_t i = 0; i < r->f->inst.n; i++) {
        if (r->cfg->block[r->cfg->block_of[i]].first == i) k.n_copies = 0;
        edit_at(&k.edit, i);
        remake_reads(&k, &r->f->inst.at[i]);
    }
    edit_finish(&k.edit);
}
