// A tiny reference machine: one thread, the operations that the fuzz tests generate, virtual or
// physical registers. What a program did is the log of its global stores and calls.
#ifndef WW_TEST_INTERP_H
#define WW_TEST_INTERP_H

#include "test_build.h"

enum { LOG_SIZE = 4096, LOCAL_BYTES = 1 << 16, INTERP_STEPS = 20000, CELLS = 1 << 13 };

struct machine {
    const struct mfunc *f;
    uint32_t *gpr, *word_base, n_gpr;
    uint8_t *pred;
    uint32_t n_pred;
    uint32_t carry;
    uint8_t *local;
    struct cell {
        uint64_t at;
        uint32_t value;
        bool used;
    } * cell; // global memory, by word
    uint64_t log[LOG_SIZE];
    uint32_t n_log, steps;
    bool ended;
    const char *wrong; // something that the test does not know
};

static inline uint32_t junk(uint32_t x) { return x * 2654435761u ^ 0xdeadbeef; }

static inline void machine_init(struct machine *m, const struct mfunc *f, struct arena *a,
                                uint32_t seed) {
    memset(m, 0, sizeof *m);
    m->f = f;
    m->word_base = arena_alloc(a, (f->vreg_words.n + 1) * sizeof *m->word_base);
    uint32_t n = 0;
    for (uint32_t v = 0; v < f->vreg_words.n; v++) {
        m->word_base[v] = n;
        n += f->vreg_words.at[v];
    }
    m->n_gpr = f->allocated ? MAX_GPRS : n;
    m->n_pred = f->allocated ? MAX_PREDS : f->n_vpreds;
    m->gpr = arena_alloc(a, (m->n_gpr + 4) * sizeof *m->gpr);
    m->pred = arena_alloc(a, m->n_pred + 1);
    m->local = arena_alloc(a, LOCAL_BYTES);
    m->cell = arena_alloc(a, CELLS * sizeof *m->cell);
    for (uint32_t i = 0; i < m->n_gpr; i++) m->gpr[i] = junk(seed + i);
    for (uint32_t i = 0; i < m->n_pred; i++) m->pred[i] = junk(seed + i) >> 9 & 1;
}

static inline void machine_log(struct machine *m, uint64_t x) {
    if (m->n_log < LOG_SIZE) m->log[m->n_log++] = x;
}

static inline uint32_t const_word(uint32_t bank, uint32_t offset) {
    return junk(bank * 1000 + offset) >> (offset & 8); // large and small ones
}

static inline uint32_t *machine_gpr(struct machine *m, const struct opnd *o, uint32_t w) {
    return &m->gpr[m->f->allocated ? o->reg + w : m->word_base[o->reg] + o->sub + w];
}

static inline uint32_t machine_word(struct machine *m, const struct opnd *o, uint32_t w) {
    switch (o->kind) {
    case OPND_GPR: return *machine_gpr(m, o, w);
    case OPND_IMM: return (uint32_t)(o->imm >> (32 * (w & 1)));
    case OPND_CONST:
        if (o->bank == CB_LITERAL && o->reg + 4 * w + 4 <= m->f->literals.n) {
            uint32_t x;
            memcpy(&x, m->f->literals.at + o->reg + 4 * w, 4);
            return x;
        }
        return const_word(o->bank, o->reg + 4 * w);
    default: return 0;
    }
}
static inline bool machine_pred(struct machine *m, const struct opnd *o) {
    bool x = true;
    if (o->kind == OPND_PRED && o->reg != (m->f->allocated ? (uint32_t)PRED_TRUE : VPRED_TRUE))
        x = m->pred[o->reg];
    return x != !!(o->mods & OPND_NOT);
}
static inline uint32_t machine_src(struct machine *m, const struct opnd *o) {
    uint32_t x = machine_word(m, o, 0);
    if (o->mods & OPND_ABS) x = (int32_t)x < 0 ? 0 - x : x;
    if (o->mods & OPND_NEG) x = 0 - x;
    if (o->mods & OPND_NOT) x = ~x;
    return x;
}
static inline void machine_put(struct machine *m, const struct opnd *d, uint64_t x) {
    if (d->kind == OPND_PRED) {
        if (d->reg != (m->f->allocated ? (uint32_t)PRED_TRUE : VPRED_TRUE)) m->pred[d->reg] = x & 1;
    } else if (d->kind == OPND_GPR) {
        *machine_gpr(m, d, 0) = (uint32_t)x;
        if (d->words == 2) *machine_gpr(m, d, 1) = (uint32_t)(x >> 32);
    }
}

static inline uint64_t machine_add(struct machine *m, const struct minst *i, uint32_t a, uint32_t b,
                                   bool neg_a, bool neg_b) {
    const uint32_t cf = isa_takes_carry(i) ? m->carry : neg_a || neg_b;
    const uint64_t r = (uint64_t)(neg_a ? ~a : a) + (neg_b ? ~b : b) + cf;
    if (isa_leaves_carry(i)) m->carry = r >> 32 & 1;
    return (uint32_t)r;
}

static inline uint64_t machine_product(const struct minst *i, uint32_t a, uint32_t b) {
    const uint64_t p =
        i->type == ITYPE_S32 ? (uint64_t)((int64_t)(int32_t)a * (int32_t)b) : (uint64_t)a * b;
    if (i->flags & MF_WIDE) return p;
    return i->flags & MF_HI ? p >> 32 : (uint32_t)p;
}

static inline bool machine_compare(const struct minst *i, uint32_t a, uint32_t b) {
    const bool s = i->type == ITYPE_S32;
    const bool less = s ? (int32_t)a < (int32_t)b : a < b;
    switch (i->cmp) {
    case MCMP_EQ: return a == b;
    case MCMP_NE: return a != b;
    case MCMP_LT: return less;
    case MCMP_GE: return !less;
    case MCMP_LE: return less || a == b;
    default: return !less && a != b;
    }
}
static inline bool machine_combine(uint8_t bop, bool a, bool b) {
    switch (bop) {
    case MBOP_AND: return a && b;
    case MBOP_OR: return a || b;
    case MBOP_XOR: return a != b;
    default: return a;
    }
}

// Words moved by a memory operation.
static inline uint32_t machine_words(const struct minst *i) {
    return (i->vec ? i->vec : 1) * (i->type == ITYPE_B64 ? 2 : 1);
}

// The place of a word: there are more cells than stores that fit into the log.
static inline struct cell *machine_cell(struct machine *m, uint64_t at) {
    uint32_t i = (uint32_t)(at * 0x9e3779b97f4a7c15ull >> 40) % CELLS;
    while (m->cell[i].used && m->cell[i].at != at) i = (i + 1) % CELLS;
    return &m->cell[i];
}
static inline uint32_t machine_load(struct machine *m, uint64_t at) {
    const struct cell *c = machine_cell(m, at);
    return c->used ? c->value : junk((uint32_t)(at ^ at >> 32));
}

static inline void machine_memory(struct machine *m, const struct minst *i) {
    const uint32_t words = machine_words(i);
    const uint32_t base = i->src[0].kind == OPND_NONE ? 0 : machine_src(m, &i->src[0]);
    // an address of one word is taken modulo 2^32, of two modulo 2^64
    uint64_t at = base + (uint32_t)i->offset;
    if (i->src[0].words == 2)
        at = (base | (uint64_t)machine_word(m, &i->src[0], 1) << 32) + (uint64_t)i->offset;
    if (i->space == SPACE_LOCAL) {
        const uint32_t place = (uint32_t)at % (LOCAL_BYTES - 16);
        if (place % (4 * words)) m->wrong = "misaligned local access";
        for (uint32_t w = 0; w < words; w++) {
            if (i->op == OP_LD) {
                memcpy(machine_gpr(m, &i->dst[0], w), m->local + place + 4 * w, 4);
            } else {
                const uint32_t x = machine_word(m, &i->src[1], w);
                memcpy(m->local + place + 4 * w, &x, 4);
            }
        }
        return;
    }
    at &= ~3ull;
    uint32_t x[4];
    for (uint32_t w = 0; w < words; w++)
        x[w] = i->op == OP_ST ? machine_word(m, &i->src[1], w) : machine_load(m, at + 4 * w);
    for (uint32_t w = 0; w < words; w++) {
        if (i->op == OP_ST) {
            *machine_cell(m, at + 4 * w) = (struct cell){at + 4 * w, x[w], true};
            machine_log(m, at * 0x9e3779b97f4a7c15ull ^ (uint64_t)w << 32 ^ x[w]);
        } else {
            *machine_gpr(m, &i->dst[0], w) = x[w];
        }
    }
}

// A callee that is known changes what it takes, any other all but the stack pointer.
static inline void machine_call(struct machine *m, const struct minst *i) {
    machine_log(m, ~0ull);
    const uint32_t sp = 1;
    const struct mfunc *const callee = i->target < 0 ? NULL : m->f->callee[i->target];
    const uint32_t regs = callee ? callee->takes_regs : m->n_gpr;
    const uint32_t preds = callee ? callee->takes_preds : m->n_pred;
    for (uint32_t r = 0; m->f->allocated && r < m->n_gpr && r < regs; r++)
        if (r != sp) m->gpr[r] = junk(m->gpr[r] + r);
    for (uint32_t p = 0; m->f->allocated && p < m->n_pred && p < preds; p++) m->pred[p] ^= 1;
    m->carry ^= m->f->allocated;
}

static inline void machine_step(struct machine *m, const struct minst *i) {
    const uint32_t a = machine_src(m, &i->src[0]), b = machine_src(m, &i->src[1]);
    const uint32_t raw_a = machine_word(m, &i->src[0], 0), raw_b = machine_word(m, &i->src[1], 0);
    const struct opnd *d = &i->dst[0];
    switch (i->op) {
    case OP_MOV:
        if (d->words == 1)
            machine_put(m, d, a);
        else
            machine_put(m, d, a | (uint64_t)machine_word(m, &i->src[0], 1) << 32);
        break;
    case OP_S2R: machine_put(m, d, junk(i->aux)); break;
    case OP_SEL: machine_put(m, d, machine_pred(m, &i->src[2]) ? a : b); break;
    case OP_IADD:
        machine_put(
            m, d,
            machine_add(m, i, raw_a, raw_b, i->src[0].mods & OPND_NEG, i->src[1].mods & OPND_NEG));
        break;
    case OP_IMUL: machine_put(m, d, machine_product(i, a, b)); break;
    case OP_IMAD: {
        const uint64_t p = machine_product(i, a, b);
        const uint64_t c =
            machine_word(m, &i->src[2], 0) |
            (i->flags & MF_WIDE ? (uint64_t)machine_word(m, &i->src[2], 1) << 32 : 0);
        if (i->flags & MF_WIDE)
            machine_put(m, d, p + c);
        else
            machine_put(
                m, d,
                machine_add(m, i, (uint32_t)p, (uint32_t)c, false, i->src[2].mods & OPND_NEG));
        break;
    }
    case OP_ISCADD:
        machine_put(m, d,
                    (i->src[0].mods & OPND_NEG ? 0 - (raw_a << i->sub) : raw_a << i->sub) + b);
        break;
    case OP_LOP:
        machine_put(m, d,
                    i->sub == MLOGIC_AND   ? a & b
                    : i->sub == MLOGIC_OR  ? a | b
                    : i->sub == MLOGIC_XOR ? a ^ b
                                           : b);
        break;
    case OP_SHL: machine_put(m, d, b >= 32 ? 0 : a << b); break;
    case OP_SHR:
        if (i->type == ITYPE_S32)
            machine_put(m, d, (uint32_t)((int32_t)a >> (b > 31 ? 31 : b)));
        else
            machine_put(m, d, b >= 32 ? 0 : a >> b);
        break;
    case OP_IMNMX: machine_put(m, d, i->sub ? (a > b ? a : b) : (a < b ? a : b)); break;
    case OP_ISETP: {
        const bool c = machine_compare(i, a, b);
        const bool with = i->src[2].kind == OPND_NONE || machine_pred(m, &i->src[2]);
        const uint8_t bop = i->src[2].kind == OPND_NONE ? MBOP_NONE : i->bop;
        const bool p = machine_combine(bop, c, with), q = machine_combine(bop, !c, with);
        machine_put(m, d, p);
        if (i->dst[1].kind == OPND_PRED) machine_put(m, &i->dst[1], q);
        break;
    }
    case OP_PSETP: {
        const bool pa = machine_pred(m, &i->src[0]), pb = machine_pred(m, &i->src[1]);
        machine_put(m, d,
                    i->src[1].kind == OPND_NONE ? pa
                    : i->sub == MLOGIC_AND      ? pa && pb
                    : i->sub == MLOGIC_OR       ? pa || pb
                                                : pa != pb);
        break;
    }
    case OP_LD:
    case OP_ST: machine_memory(m, i); break;
    case OP_CALL: machine_call(m, i); break;
    case OP_NOP: break;
    default: m->wrong = mop_info[i->op].text;
    }
}

static inline uint32_t machine_target(const struct mfunc *f, int32_t label) {
    return (uint32_t)f->label_at.at[label];
}

static inline void machine_run(struct machine *m) {
    const struct mfunc *f = m->f;
    uint32_t pc = 0;
    while (!m->wrong && m->steps++ < INTERP_STEPS && m->n_log < LOG_SIZE) {
        if (pc >= f->inst.n) {
            m->wrong = "ran off the end";
            return;
        }
        const struct minst *i = &f->inst.at[pc++];
        if (minst_is_guarded(i, f->allocated) && m->pred[i->guard] == i->guard_not) continue;
        if (minst_is_filler(i)) continue;
        if (i->op == OP_EXIT) {
            m->ended = true;
            return;
        }
        if (i->op == OP_BRA) {
            pc = machine_target(f, i->target);
        } else if (i->op == OP_BRX) {
            const struct branch_table *t = &f->tables[i->aux];
            pc = machine_target(f, t->label[machine_src(m, &i->src[0]) % t->n]);
        } else {
            machine_step(m, i);
        }
    }
}

#endif
