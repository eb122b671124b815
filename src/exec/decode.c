// An image's instructions as exec runs them. Every immediate and constant-bank operand becomes a
// vector of 32 equal words in the launch's pool (equal values share one), so that handlers see
// nothing but vectors.
#include <stdlib.h>

#include "exec/decode.h"
#include "exec/early.h"
#include "exec/its.h"
#include "exec/uniform.h"
#include "isa/operands.h"

enum { MOST_WORDS = 16 }; // of an operand (DMMA_16)
struct pool {
    uint32_t *value; // a vector's word
    uint32_t n, cap;
    uint32_t *slot; // hash of (words, values) -> first vector + 1
    uint32_t cap_slots, used;
    uint8_t *words; // by vector: how many belong to the constant that begins there
    bool out_of_memory;
};

static uint64_t pool_hash(const uint32_t *v, uint32_t words) {
    uint64_t h = words;
    for (uint32_t k = 0; k < words; k++) h = (h ^ v[k]) * 0x9e3779b97f4a7c15ull;
    return h >> 20;
}
static bool pool_grow(struct pool *p) {
    if (p->n + MOST_WORDS > p->cap) {
        const uint32_t cap = p->cap ? p->cap * 2 : 256;
        uint32_t *v = realloc(p->value, cap * sizeof *v);
        if (v) p->value = v;
        uint8_t *w = realloc(p->words, cap);
        if (w) p->words = w;
        if (!v || !w) return false;
        p->cap = cap;
    }
    if (p->used * 2 < p->cap_slots) return true;
    const uint32_t cap = p->cap_slots ? p->cap_slots * 2 : 256;
    uint32_t *slot = calloc(cap, sizeof *slot);
    if (!slot) return false;
    for (uint32_t k = 0; k < p->cap_slots; k++) {
        if (!p->slot[k]) continue;
        const uint32_t first = p->slot[k] - 1;
        uint64_t h = pool_hash(p->value + first, p->words[first]);
        while (slot[h & (cap - 1)]) h++;
        slot[h & (cap - 1)] = p->slot[k];
    }
    free(p->slot);
    p->slot = slot;
    p->cap_slots = cap;
    return true;
}
// Operand of `words` vectors that hold v[0..words).
static uint32_t pool_get(struct pool *p, const uint32_t *v, uint32_t words) {
    if (!pool_grow(p)) {
        p->out_of_memory = true;
        return X_POOL;
    }
    uint64_t h = pool_hash(v, words);
    for (;; h++) {
        uint32_t *s = &p->slot[h & (p->cap_slots - 1)];
        if (!*s) {
            *s = p->n + 1;
            p->used++;
            for (uint32_t k = 0; k < words; k++) {
                p->words[p->n] = (uint8_t)(k ? 0 : words);
                p->value[p->n++] = v[k];
            }
            return (*s - 1) * VEC_BYTES + X_POOL;
        }
        const uint32_t first = *s - 1;
        if (p->words[first] == words && !memcmp(p->value + first, v, words * 4))
            return first * VEC_BYTES + X_POOL;
    }
}

// Behind the kernel's registers of machine code: see X_SINK.
static uint32_t sink_at(const struct exec_launch *l) {
    const uint32_t own = l->im->n_regs ? l->im->n_regs : 1;
    return own * VEC_BYTES;
}
static uint32_t uniform_at(const struct exec_launch *l, uint32_t reg) {
    return sink_at(l) + (X_UNIFORM + reg) * VEC_BYTES;
}
static uint32_t result_at(const struct exec_launch *l) {
    return sink_at(l) + X_RESULT * VEC_BYTES;
}
static uint32_t predicate(uint32_t reg) { return reg >= PRED_FILE ? PRED_TRUE : reg; }

// Where one source stands. False: a constant outside its bank.
static bool source(const struct exec_launch *l, struct pool *p, const struct opnd *o,
                   uint32_t *out) {
    uint32_t v[MOST_WORDS] = {(uint32_t)o->imm, (uint32_t)(o->imm >> 32)};
    const uint32_t words = o->words ? o->words : 1;
    switch (o->kind) {
    case OPND_GPR: *out = o->reg * VEC_BYTES; return true;
    case OPND_UGPR: *out = uniform_at(l, o->reg); return true;
    case OPND_RESULT: *out = result_at(l); return true;
    case OPND_PRED:
        *out = predicate(o->reg) | (o->mods & OPND_NOT ? X_PRED_NOT : 0);
        return true;
    case OPND_IMM: *out = pool_get(p, v, words); return true;
    case OPND_CONST: {
        if (o->bank >= CB_N || !l->bank[o->bank].at ||
            o->reg + 4ull * words > l->bank[o->bank].bytes)
            return false;
        memcpy(v, l->bank[o->bank].at + o->reg, words * 4);
        *out = pool_get(p, v, words);
        return true;
    }
    default: *out = X_POOL; return true; // MOST_WORDS vectors of zeros
    }
}

uint64_t exec_policy(const struct exec_warp *w) {
    const struct exec_launch *const l = w->cta->launch;
    const struct opnd *const o = &l->im->inst[w->pc].src[MINST_POLICY];
    const uint32_t at = o->kind == OPND_UGPR ? uniform_at(l, o->reg) : o->reg * VEC_BYTES;
    const uint32_t lane = w->active ? bits_first32(w->active) : 0;
    return x_get64(x_src(w, at), lane);
}

static uint32_t destination(const struct exec_launch *l, const struct opnd *o) {
    switch (o->kind) {
    case OPND_GPR: return o->reg * VEC_BYTES;
    case OPND_UGPR: return uniform_at(l, o->reg);
    case OPND_ZERO: return sink_at(l);
    case OPND_RESULT: return result_at(l);
    case OPND_PRED: return predicate(o->reg);
    default: return X_NONE;
    }
}

static struct code_place place_of(const struct exec_launch *l, const struct minst *m) {
    return code_place(l->im, (uint32_t)(m - l->im->inst));
}

static bool decode_one(const struct exec_launch *l, struct pool *p, const struct minst *m,
                       struct xinst *x, struct diags *d) {
    uint32_t src[X_SRCS + 1];
    for (uint32_t k = 0; k < WW_COUNT(src); k++) {
        if (!source(l, p, &m->src[k], &src[k])) {
            diag_add(d, WW_ERROR_LAUNCH,
                     "%s: %s reads c[%u][0x%x], which the launch does not provide",
                     l->im->name ? l->im->name : "kernel", place_of(l, m).text, m->src[k].bank,
                     m->src[k].reg);
            return false;
        }
    }
    *x = (struct xinst){.a = src[0],
                        .b = src[1],
                        .c = src[2],
                        .e = src[3],
                        .d = destination(l, &m->dst[0]),
                        .d1 = destination(l, &m->dst[1]),
                        .guard = (uint8_t)predicate(m->guard),
                        .guard_xor = m->guard_not ? ~0u : 0,
                        .advance = 1,
                        .op = (uint8_t)m->op,
                        .aux8 = m->dst[0].words,
                        .flags = m->flags,
                        .type = m->type,
                        .stype = m->stype,
                        .sub = m->sub,
                        .vec = m->vec ? m->vec : 1,
                        .offset = m->offset};
    for (uint32_t k = 0; k < X_SRCS; k++) x->mods[k] = m->src[k].mods;
    const bool is_access = (mop_info[m->op].flags & (OPF_LOAD | OPF_STORE)) != 0; // F is a policy
    if ((!is_access && operand_rows[m->op].src[X_SRCS]) || operand_rows[m->op].dst[2]) {
        const bool has_f = m->src[X_SRCS].kind != OPND_NONE, has_d2 = m->dst[2].kind != OPND_NONE;
        x->f = has_f ? src[X_SRCS] : (uint32_t)PRED_TRUE | X_PRED_NOT;
        x->d2 = has_d2 ? destination(l, &m->dst[2]) : (uint32_t)PRED_TRUE;
    }
    const uint8_t flags = mop_info[m->op].flags;
    if (flags & (OPF_LOAD | OPF_STORE) || m->op == OP_PREFETCH || m->op == OP_CVTA ||
        m->op == OP_ISSPACE || m->op == OP_MAPA) {
        x->space = m->space;
        x->cop = m->cop;
        x->awords = m->src[0].kind == OPND_NONE ? 2 : m->src[0].words;
        x->bytes = (uint8_t)(x->vec * isa_type_bits(m->type) / 8);
    } else {
        x->cmp = m->cmp;
        x->bop = m->bop;
        x->rnd = m->rnd;
    }
    x->fn = choose_handler(l, m, x);
    if (x->fn) return true;
    diag_add(d, WW_ERROR_INTERNAL, "%s: %s: machine operation %s cannot be executed",
             l->im->name ? l->im->name : "kernel", place_of(l, m).text, mop_info[m->op].text);
    return false;
}
static_assert(OP_N <= 256, "xinst.op");

// Running off the end of the code is our own bug or a kernel without an exit; it becomes a fault.
static enum exec_outcome off_the_end(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
                                     uint32_t mask) {
    return fault_raise(e, w, x, FAULT_BAD_BRANCH, mask ? bits_first32(mask) : 0, 0, 0,
                       "the code ran off its end");
}

// Control flow, and what lanes do together, as the launch's body of the port has it.
static bool choose_converge(struct exec_launch *l) {
    const struct converge *const c = l->converge;
    l->usual = c->is_independent ? calloc(l->im->n_insts + 1ul, sizeof *l->usual) : NULL;
    if (c->is_independent && !l->usual) return false;
    for (uint32_t k = 0; k < l->im->n_insts; k++) {
        struct xinst *const x = &l->code[k];
        if (l->usual) l->usual[k] = x->fn;
        const exec_fn other = c->choose(&l->im->inst[k], x, x->fn);
        if (other) x->fn = other;
    }
    if (c->is_independent) its_mark(l);
    return true;
}

static bool find_control(struct exec_launch *l) {
    const uint32_t n = l->im->n_insts;
    l->control = malloc((n + 1ul) * sizeof *l->control);
    if (!l->control) return false;
    l->control[n] = n;
    for (uint32_t k = n; k-- > 0;) l->control[k] = l->code[k].advance ? l->control[k + 1] : k;
    return true;
}

enum ww_status decode_image(struct exec_launch *l, struct diags *d) {
    const struct code_image *im = l->im;
    struct pool p = {0};
    const uint32_t zeros[MOST_WORDS] = {0};
    pool_get(&p, zeros, MOST_WORDS); // X_POOL
    l->code = ww_alloc_aligned((im->n_insts + 1ul) * sizeof *l->code);
    bool ok = l->code != NULL;
    for (uint32_t k = 0; ok && k < im->n_insts; k++)
        ok = decode_one(l, &p, &im->inst[k], &l->code[k], d);
    if (ok) p.out_of_memory |= !uniform_choose(l) || !choose_converge(l);
    if (ok && l->args.options.check_races) {
        its_mark_loads(l);
        p.out_of_memory |= !early_choose(l);
    }
    enum ww_status s = ok ? WW_OK : diags_status(d);
    if (ok) {
        l->code[im->n_insts] = (struct xinst){.fn = off_the_end, .guard = PRED_TRUE};
        p.out_of_memory |= !find_control(l);
        l->pool = ww_alloc_aligned((size_t)p.n * VEC_BYTES);
        if (l->pool)
            for (uint32_t k = 0; k < p.n; k++)
                for (uint32_t i = 0; i < WARP_LANES; i++)
                    ((uint32_t *)(void *)l->pool)[k * WARP_LANES + i] = p.value[k];
    }
    if (p.out_of_memory || !l->code || (ok && !l->pool)) s = WW_ERROR_MEMORY;
    free(p.value);
    free(p.words);
    free(p.slot);
    return s;
}
