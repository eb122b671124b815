// Random programs over virtual registers: structured enough that every value read was written, wild
// enough for loops, guards, tables, pairs, quads, carries, calls and fillers.
#ifndef WW_TEST_RANDOM_H
#define WW_TEST_RANDOM_H

#include "test_interp.h"

struct shape {
    uint32_t blocks, ops, words, pairs, quads, preds; // registers that live everywhere
    bool calls;
};

struct pool {
    struct builder *b;
    struct shape s;
    uint32_t word[64], pair[32], quad[16], pred[32];
    uint32_t n_word, n_pair, n_quad, n_pred; // those that may be read now
};

static inline struct opnd any_word(struct pool *p) {
    struct builder *b = p->b;
    switch (build_random(b, 8)) {
    case 0:
        return p->n_pair ? gpr_sub(p->pair[build_random(b, p->n_pair)], build_random(b, 2), 1)
                         : gpr(p->word[build_random(b, p->n_word)]);
    case 1:
        return p->n_quad ? gpr_sub(p->quad[build_random(b, p->n_quad)], build_random(b, 4), 1)
                         : gpr(p->word[build_random(b, p->n_word)]);
    default: return gpr(p->word[build_random(b, p->n_word)]);
    }
}
static inline struct opnd any_pair(struct pool *p) {
    struct builder *b = p->b;
    if (p->n_quad && build_random(b, 4) == 0)
        return gpr_sub(p->quad[build_random(b, p->n_quad)], 2 * build_random(b, 2), 2);
    return gpr_sub(p->pair[build_random(b, p->n_pair)], 0, 2);
}
static inline struct opnd any_source(struct pool *p) {
    switch (build_random(p->b, 8)) {
    case 0:
        return imm(build_random(p->b, 2) ? build_random(p->b, 40) : junk(build_random(p->b, 99)));
    case 1: return cbank(CB_LAUNCH, 4 * build_random(p->b, 16));
    default: return any_word(p);
    }
}
static inline uint32_t any_pred(struct pool *p) { return p->pred[build_random(p->b, p->n_pred)]; }

static inline struct minst *random_guard(struct pool *p, struct minst *m) {
    if (build_random(p->b, 5) == 0) {
        m->guard = any_pred(p);
        m->guard_not = build_random(p->b, 2);
    }
    return m;
}

static inline struct opnd fresh_word(struct pool *p) { return gpr(vreg(p->b, 1)); }

// What lowering makes of indexed addresses, negations, constants in registers.
static inline void random_idiom(struct pool *p, struct opnd d) {
    struct builder *b = p->b;
    struct minst *m;
    const struct opnd x = any_word(p), t = fresh_word(p), u = fresh_word(p);
    switch (build_random(b, 11)) {
    case 0:
        emit(b, OP_SHL, t, x, imm(1 + build_random(b, 31)));
        m = emit(b, OP_IADD, d, any_source(p), nothing);
        m->src[1] = t;
        if (build_random(b, 3) == 0) m->src[1].mods = OPND_NEG;
        break;
    case 1:
        emit(b, OP_IMUL, t, x, any_source(p))->type = ITYPE_S32;
        emit(b, OP_IADD, d, t, any_source(p));
        break;
    case 2: // a shared address with a constant part
        emit(b, OP_MOV, u, imm(0x400), nothing);
        emit(b, OP_IADD, t, x, u);
        for (uint32_t i = 0; i < 2; i++) {
            m = emit(b, i ? OP_ST : OP_LD, i ? nothing : d, t, i ? d : nothing);
            m->space = SPACE_GLOBAL;
            m->type = ITYPE_B32;
            m->vec = 1;
            m->offset = 4 * build_random(b, 9) - 16;
        }
        break;
    case 3:
    case 4: { // base + index * size, in 64 bits, and perhaps a constant on top
        const uint32_t w = vreg(b, 2), s = vreg(b, 2);
        const bool from_constants = build_random(b, 2);
        const uint32_t n = 1 + build_random(b, 30);
        if (build_random(b, 2)) {
            emit(b, OP_SHL, gpr_sub(w, 0, 1), x, imm(n));
            emit(b, OP_SHR, gpr_sub(w, 1, 1), x, imm(32 - n))->type = ITYPE_S32;
        } else {
            const struct opnd y = any_source(p);
            emit(b, OP_IMUL, gpr_sub(w, 0, 1), x, y)->type = ITYPE_S32;
            m = emit(b, OP_IMUL, gpr_sub(w, 1, 1), x, y);
            m->type = ITYPE_S32;
            m->flags = MF_HI;
        }
        const uint32_t c = vreg(b, 2);
        for (uint8_t i = 0; i < 2; i++)
            emit(b, OP_MOV, gpr_sub(c, i, 1),
                 from_constants ? cbank(CB_LAUNCH, 0x20 + 4 * i) : any_word(p), nothing);
        for (uint8_t i = 0; i < 2; i++) {
            m = emit(b, OP_IADD, gpr_sub(s, i, 1), gpr_sub(c, i, 1), gpr_sub(w, i, 1));
            set_half(m, i);
        }
        const uint32_t e = vreg(b, 2);
        const uint32_t k = 4 * build_random(b, 100);
        for (uint8_t i = 0; i < 2; i++) {
            m = emit(b, OP_IADD, gpr_sub(e, i, 1), gpr_sub(s, i, 1), imm(i ? 0 : k));
            set_half(m, i);
        }
        m = emit(b, OP_LD, d, gpr_sub(e, 0, 2), nothing);
        m->space = SPACE_GLOBAL;
        m->type = ITYPE_B32;
        m->vec = 1;
        m->offset = 8;
        if (build_random(b, 2))
            emit(b, OP_LOP, d, gpr_sub(s, 0, 1), gpr_sub(s, 1, 1))->sub = MLOGIC_XOR;
        break;
    }
    case 5:
        emit(b, OP_IADD, t, imm(0), x)->src[1].mods = OPND_NEG;
        emit(b, OP_IADD, d, t, any_source(p));
        break;
    case 6:
        m = emit(b, OP_LOP, t, nothing, x);
        m->sub = MLOGIC_PASS_B;
        m->src[1].mods = OPND_NOT;
        emit(b, OP_LOP, d, t, any_word(p))->sub = MLOGIC_AND;
        break;
    case 7: { // a negated predicate as a guard and as an operand
        const uint32_t q = vpred(b);
        emit(b, OP_PSETP, pred(q), pred(any_pred(p)), nothing)->src[0].mods = OPND_NOT;
        m = emit(b, OP_IADD, d, x, any_source(p));
        m->guard = q;
        m->guard_not = build_random(b, 2);
        emit(b, OP_SEL, d, d, any_word(p))->src[2] = pred(q);
        break;
    }
    case 8: { // a 64-bit sum of which parts are known
        const uint32_t e = vreg(b, 2), c = vreg(b, 2);
        for (uint8_t i = 0; i < 2; i++) {
            static const uint32_t known[] = {0, 1, 0xfffffff0, 0x30};
            if (build_random(b, 2))
                emit(b, OP_MOV, gpr_sub(c, i, 1), imm(known[build_random(b, 4)]), nothing);
            else
                emit(b, OP_MOV, gpr_sub(c, i, 1), any_word(p), nothing);
        }
        const bool minus = build_random(b, 3) == 0;
        for (uint8_t i = 0; i < 2; i++) {
            m = emit(b, OP_IADD, gpr_sub(e, i, 1), gpr_sub(c, i, 1),
                     imm(i ? build_random(b, 2) : 16 * build_random(b, 2)));
            set_half(m, i);
            if (minus) m->src[1].mods = OPND_NEG;
        }
        emit(b, OP_LOP, d, gpr_sub(e, 0, 1), gpr_sub(e, 1, 1))->sub = MLOGIC_XOR;
        break;
    }
    case 9: { // a constant inside of a scaled sum that is an address; parts of it may be renewed
        const struct opnd part = build_random(b, 2) ? t : any_word(p), y = any_word(p);
        emit(b, OP_IADD, part, x, imm(build_random(b, 2) ? build_random(b, 100) : junk(7)));
        if (build_random(b, 3) != 0) {
            emit(b, OP_SHL, u, part, imm(1 + build_random(b, 31)));
        } else {
            emit(b, OP_IMUL, u, any_word(p), any_source(p))->type = ITYPE_S32;
        }
        const struct opnd a = fresh_word(p), again = build_random(b, 2) ? part : any_word(p);
        emit(b, OP_IADD, a, u, build_random(b, 2) ? part : y);
        for (uint32_t i = build_random(b, 3); i-- > 0;)
            random_guard(p, emit(b, OP_IADD, i ? any_word(p) : again, any_word(p),
                                 build_random(b, 2) ? imm(32) : any_source(p)));
        for (uint32_t i = 0; i < 2; i++) {
            m = random_guard(p, emit(b, OP_LD, i ? u : d, a, nothing));
            m->space = SPACE_GLOBAL;
            m->type = ITYPE_B32;
            m->vec = 1;
            m->offset = 4 * build_random(b, 9) - 16;
        }
        if (build_random(b, 3) == 0) emit(b, OP_LOP, d, d, u)->sub = MLOGIC_XOR;
        break;
    }
    default: // constants that meet
        emit(b, OP_MOV, t, imm(build_random(b, 100)), nothing);
        emit(b, OP_SHL, u, t, imm(build_random(b, 5)));
        emit(b, OP_IADD, d, u, any_source(p));
        emit(b, OP_S2R, fresh_word(p), nothing, nothing)->aux = 3;
        break;
    }
}

// One random operation into a register that anybody may read.
static inline void random_op(struct pool *p) {
    struct builder *b = p->b;
    const struct opnd d = any_word(p), x = any_word(p), y = any_source(p);
    struct minst *m;
    switch (build_random(b, 24)) {
    case 0: random_guard(p, emit(b, OP_MOV, d, any_source(p), nothing)); break;
    case 1:
    case 2: random_guard(p, emit(b, OP_IADD, d, x, y)); break;
    case 3:
        m = random_guard(p, emit(b, OP_IADD, d, x, y));
        m->src[build_random(b, 2)].mods = OPND_NEG;
        break;
    case 4:
        m = random_guard(p, emit(b, OP_IMUL, d, x, y));
        m->flags = build_random(b, 2) ? MF_HI : 0;
        if (build_random(b, 2)) m->type = ITYPE_S32;
        break;
    case 5:
        m = random_guard(p, emit(b, OP_IMAD, d, x, y));
        m->src[2] = any_word(p);
        break;
    case 6:
    case 7:
        m = random_guard(p, emit(b, OP_LOP, d, x, y));
        m->sub = (uint8_t)build_random(b, 3);
        if (build_random(b, 4) == 0) m->src[0].mods = OPND_NOT;
        break;
    case 8: random_guard(p, emit(b, OP_SHL, d, x, imm(build_random(b, 34)))); break;
    case 9:
        random_guard(p, emit(b, OP_SHR, d, x, y))->type = build_random(b, 2) ? ITYPE_S32 : ITYPE_U32;
        break;
    case 10:
        m = random_guard(p, emit(b, OP_SEL, d, x, y));
        m->src[2] = pred(any_pred(p));
        if (build_random(b, 2)) m->src[2].mods = OPND_NOT;
        break;
    case 11:
    case 12: {
        const struct opnd q = pred(any_pred(p));
        m = random_guard(p, emit(b, OP_ISETP, q, x, y));
        m->cmp = (uint8_t)(MCMP_EQ + build_random(b, 6));
        if (build_random(b, 2)) {
            m->src[2] = pred(any_pred(p));
            m->bop = (uint8_t)(MBOP_AND + build_random(b, 3));
        }
        const uint32_t other = any_pred(p);
        if (other != q.reg && build_random(b, 2)) {
            m->dst[1] = pred(other);
            m->flags |= MF_CMP3;
        }
        break;
    }
    case 13:
        m = random_guard(p, emit(b, OP_PSETP, pred(any_pred(p)), pred(any_pred(p)), nothing));
        if (build_random(b, 3)) {
            m->src[1] = pred(any_pred(p));
            m->sub = (uint8_t)build_random(b, 3);
        }
        break;
    case 14: { // a 64-bit addition
        if (!p->n_pair) break;
        const struct opnd e = any_pair(p), f = any_pair(p), g = any_pair(p);
        const uint32_t t = vreg(b, 2);
        for (uint8_t i = 0; i < 2; i++)
            set_half(emit(b, OP_IADD, gpr_sub(t, i, 1), gpr_sub(f.reg, (uint8_t)(f.sub + i), 1),
                          gpr_sub(g.reg, (uint8_t)(g.sub + i), 1)),
                     i);
        emit(b, OP_MOV, gpr_sub(e.reg, e.sub, 1), gpr_sub(t, 0, 1), nothing);
        emit(b, OP_MOV, gpr_sub(e.reg, e.sub + 1, 1), gpr_sub(t, 1, 1), nothing);
        break;
    }
    case 15: { // a vector load or store
        const uint32_t words = p->n_quad ? 1u << build_random(b, 3) : 1;
        struct opnd v = gpr(p->word[build_random(b, p->n_word)]);
        if (words == 2 && p->n_pair) v = any_pair(p);
        if (words == 4) v = gpr_sub(p->quad[build_random(b, p->n_quad)], 0, 4);
        const bool load = build_random(b, 2);
        m = random_guard(p, emit(b, load ? OP_LD : OP_ST, nothing, x, nothing));
        m->type = ITYPE_B32;
        m->vec = v.words;
        m->space = SPACE_GLOBAL;
        m->offset = build_random(b, 3) * 16;
        m->klass = load ? OPC_LD_GLOBAL : OPC_ST_GLOBAL;
        if (load)
            m->dst[0] = v;
        else
            m->src[1] = v;
        break;
    }
    case 16: { // a wide product, with fillers behind
        if (!p->n_pair) break;
        const struct opnd e = any_pair(p);
        m = random_guard(p, emit(b, OP_IMUL, e, x, y));
        m->flags = MF_WIDE;
        m->type = ITYPE_S32;
        const uint32_t guard = m->guard;
        for (uint32_t i = build_random(b, 3); i-- > 0;) {
            m = emit(b, OP_FILLER, i ? e : nothing, e, x);
            m->guard = guard;
        }
        break;
    }
    case 17: { // a value that exists under one guard only
        const uint32_t t = vreg(b, 1), g = any_pred(p);
        const bool not = build_random(b, 2);
        m = emit(b, OP_IADD, gpr(t), x, y);
        m->guard = g, m->guard_not = not ;
        const uint32_t q = any_pred(p);
        switch (build_random(b, 8)) { // what may look at where the value goes
        case 0: random_guard(p, emit(b, OP_LOP, any_word(p), d, x))->sub = MLOGIC_XOR; break;
        case 1: random_guard(p, emit(b, OP_IADD, d, any_word(p), x)); break;
        case 2:
            if (q != g) random_guard(p, emit(b, OP_ISETP, pred(q), x, y))->cmp = MCMP_LT;
            break;
        case 3: random_guard(p, emit(b, OP_IADD, any_word(p), any_word(p), y)); break;
        default: break;
        }
        if (build_random(b, 2))
            m = emit(b, OP_MOV, d, gpr(t), nothing);
        else
            m = emit(b, OP_IADD, d, gpr(t), imm(7));
        m->guard = g, m->guard_not = not ;
        break;
    }
    case 18: { // one of two values
        const uint32_t t = vreg(b, 1), g = any_pred(p);
        m = emit(b, OP_MOV, gpr(t), x, nothing);
        m->guard = g;
        m = emit(b, OP_IADD, gpr(t), y.kind == OPND_GPR ? y : x, imm(3));
        m->guard = g, m->guard_not = true;
        emit(b, OP_LOP, d, gpr(t), any_word(p))->sub = MLOGIC_XOR;
        break;
    }
    case 19:
    case 20:
    case 21: random_idiom(p, d); break;
    default: { // a chain through fresh registers, as compilers write
        struct opnd last = x;
        for (uint32_t i = build_random(b, 4); i-- > 0;) {
            const uint32_t t = vreg(b, 1);
            emit(b, build_random(b, 2) ? OP_IADD : OP_IMUL, gpr(t), last, any_source(p));
            last = gpr(t);
        }
        emit(b, OP_MOV, d, last, nothing);
        break;
    }
    }
}

static inline void random_program(struct builder *b, struct shape s) {
    struct pool p = {.b = b, .s = s};
    int32_t labels[64];
    b->f.tables = arena_alloc(&b->arena, (s.blocks + 1) * sizeof *b->f.tables);
    b->f.sp_vreg = vreg(b, 1);
    for (uint32_t i = 0; i < s.blocks; i++) labels[i] = label(b);
    if (s.calls) {
        b->f.has_calls = true;
        emit(b, OP_MOV, gpr(b->f.sp_vreg), imm(256), nothing);
    }
    for (; p.n_word < s.words; p.n_word++) {
        p.word[p.n_word] = vreg(b, 1);
        if (build_random(b, 3))
            emit(b, OP_MOV, gpr(p.word[p.n_word]), imm(junk(p.n_word)), nothing);
        else
            emit(b, OP_S2R, gpr(p.word[p.n_word]), nothing, nothing)->aux = (uint16_t)p.n_word;
    }
    for (; p.n_pair < s.pairs; p.n_pair++) {
        p.pair[p.n_pair] = vreg(b, 2);
        for (uint8_t w = 0; w < 2; w++)
            emit(b, OP_MOV, gpr_sub(p.pair[p.n_pair], w, 1), cbank(CB_LAUNCH, 8 * p.n_pair + 4 * w),
                 nothing);
    }
    for (; p.n_quad < s.quads; p.n_quad++) {
        p.quad[p.n_quad] = vreg(b, 4);
        for (uint8_t w = 0; w < 4; w++)
            emit(b, OP_MOV, gpr_sub(p.quad[p.n_quad], w, 1), gpr(p.word[w % p.n_word]), nothing);
    }
    for (; p.n_pred < s.preds; p.n_pred++) {
        p.pred[p.n_pred] = vpred(b);
        emit(b, OP_ISETP, pred(p.pred[p.n_pred]), gpr(p.word[0]), imm(p.n_pred))->cmp = MCMP_GT;
    }
    for (uint32_t i = 0; i < s.blocks; i++) {
        place(b, labels[i]);
        const uint32_t ops = 1 + build_random(b, s.ops);
        for (uint32_t j = 0; j < ops; j++) random_op(&p);
        struct minst *m = emit(b, OP_ST, nothing, any_word(&p), any_word(&p));
        m->space = SPACE_GLOBAL;
        m->type = ITYPE_B32;
        m->vec = 1;
        if (s.calls && build_random(b, 3) == 0) emit(b, OP_CALL, nothing, nothing, nothing);
        switch (build_random(b, 8)) {
        case 0: emit_branch(b, labels[build_random(b, s.blocks)], VPRED_TRUE, false); break;
        case 1: {
            m = emit(b, OP_BRX, nothing, any_word(&p), nothing);
            struct branch_table *t = &b->f.tables[b->f.n_tables];
            m->aux = (uint16_t)b->f.n_tables++;
            t->n = 1 + build_random(b, 4);
            t->label = arena_alloc(&b->arena, t->n * sizeof *t->label);
            for (uint32_t j = 0; j < t->n; j++) t->label[j] = labels[build_random(b, s.blocks)];
            break;
        }
        case 2: emit(b, OP_EXIT, nothing, nothing, nothing)->guard = any_pred(&p); break;
        default:
            emit_branch(b, labels[build_random(b, s.blocks)], any_pred(&p), build_random(b, 2));
        }
    }
    // everything that lives everywhere is looked at in the end
    for (uint32_t i = 0; i < p.n_word; i++) {
        struct minst *m = emit(b, OP_ST, nothing, imm(4 * i), gpr(p.word[i]));
        m->space = SPACE_GLOBAL;
        m->type = ITYPE_B32;
        m->vec = 1;
    }
    emit(b, OP_EXIT, nothing, nothing, nothing);
}

// Runs f and compares with what `before` did.
static inline void same_behaviour(const struct machine *before, const struct mfunc *f,
                                  struct arena *a, uint64_t seed) {
    struct machine *after = arena_alloc(a, sizeof *after);
    machine_init(after, f, a, 77);
    machine_run(after);
    if (after->wrong) fail_msg("seed %llu: %s", (unsigned long long)seed, after->wrong);
    const uint32_t n = before->n_log < after->n_log ? before->n_log : after->n_log;
    for (uint32_t i = 0; i < n; i++)
        if (before->log[i] != after->log[i])
            fail_msg("seed %llu: entry %u is %llx, was %llx", (unsigned long long)seed, i,
                     (unsigned long long)after->log[i], (unsigned long long)before->log[i]);
    if (before->ended && after->steps < INTERP_STEPS) {
        if (!after->ended && after->n_log < LOG_SIZE)
            fail_msg("seed %llu: does not end", (unsigned long long)seed);
        assert_int_equal(before->n_log, after->n_log);
    }
}

#endif
