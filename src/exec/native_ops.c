// What operations become in a line (native.h): a row a handler, by the table and number that the
// decoder chose it by (forms.def), and beside it which of the host's instructions computes it.
#include "exec/native_int.h"

#include "exec/handlers.h"
#include "exec/log.h"
#include "exec/warp.h"

#if defined(__x86_64__)
// ---- integers -----------------------------------------------------------------------------------
// d = a OP b by one instruction.
static bool emit_binary(struct compiler *c, const struct xinst *x, uint32_t op) {
    const struct source a = source_in_registers(c, x->a, 0, TEMP), b = source_of(c, x->b, 0);
    source_look(c, &a);
    source_look(c, &b);
    const uint32_t d = result_pair(c);
    for (uint32_t h = 0; h < 2; h++)
        put_vector(&c->s.m, (enum vector_op)op, pair_half(d, h), a.half[h].reg, b.half[h]);
    result_is(c, d, x->d, false);
    return true;
}
static bool emit_move(struct compiler *c, const struct xinst *x, uint32_t words) {
    if (c->guarded && words > 1) return false;
    uint32_t d[2];
    struct source a[2];
    for (uint32_t k = 0; k < words; k++) {
        a[k] = source_of(c, x->a, k);
        source_look(c, &a[k]);
    }
    for (uint32_t k = 0; k < words; k++) {
        d[k] = result_pair(c);
        for (uint32_t h = 0; h < 2; h++)
            put_vector(&c->s.m, V_MOVE, pair_half(d[k], h), 0, a[k].half[h]);
    }
    for (uint32_t k = 0; k < words; k++) result_is(c, d[k], x->d + k * VEC_BYTES, false);
    return true;
}
// d = a * b + c
static bool emit_imad(struct compiler *c, const struct xinst *x, uint32_t kind) {
    (void)kind;
    const struct source a = source_in_registers(c, x->a, 0, TEMP), b = source_of(c, x->b, 0),
                        s = source_of(c, x->c, 0);
    source_look(c, &a);
    source_look(c, &b);
    source_look(c, &s);
    const uint32_t d = result_pair(c);
    for (uint32_t h = 0; h < 2; h++) {
        put_vector(&c->s.m, V_PMULLD, pair_half(d, h), a.half[h].reg, b.half[h]);
        put_vector(&c->s.m, V_PADDD, pair_half(d, h), pair_half(d, h), s.half[h]);
    }
    result_is(c, d, x->d, false);
    return true;
}
// d = (a << sub) + b
static bool emit_scale_add(struct compiler *c, const struct xinst *x, uint32_t kind) {
    (void)kind;
    const struct source a = source_in_registers(c, x->a, 0, TEMP), b = source_of(c, x->b, 0);
    source_look(c, &a);
    source_look(c, &b);
    const uint32_t d = result_pair(c);
    for (uint32_t h = 0; h < 2; h++) {
        put_shift_by(&c->s.m, SHIFT_LEFT, pair_half(d, h), a.half[h], x->sub & 31);
        put_vector(&c->s.m, V_PADDD, pair_half(d, h), pair_half(d, h), b.half[h]);
    }
    result_is(c, d, x->d, false);
    return true;
}
static bool emit_iadd3(struct compiler *c, const struct xinst *x, uint32_t kind) {
    (void)kind;
    const struct source a = source_in_registers(c, x->a, 0, TEMP), b = source_of(c, x->b, 0),
                        s = source_of(c, x->c, 0);
    source_look(c, &a);
    source_look(c, &b);
    source_look(c, &s);
    const uint32_t d = result_pair(c);
    for (uint32_t h = 0; h < 2; h++) {
        put_vector(&c->s.m, V_PADDD, pair_half(d, h), a.half[h].reg, b.half[h]);
        put_vector(&c->s.m, V_PADDD, pair_half(d, h), pair_half(d, h), s.half[h]);
    }
    result_is(c, d, x->d, false);
    return true;
}
static bool emit_lop3(struct compiler *c, const struct xinst *x, uint32_t kind) {
    (void)kind;
    const struct source a = source_of(c, x->a, 0), b = source_in_registers(c, x->b, 0, TEMP),
                        s = source_of(c, x->c, 0);
    source_look(c, &a);
    source_look(c, &b);
    source_look(c, &s);
    const uint32_t d = result_pair(c);
    for (uint32_t h = 0; h < 2; h++) {
        put_vector(&c->s.m, V_MOVE, pair_half(d, h), 0, a.half[h]);
        put_vector_imm(&c->s.m, V_PTERNLOGD, pair_half(d, h), b.half[h].reg, s.half[h], x->sub);
    }
    result_is(c, d, x->d, false);
    return true;
}

void put_upper(struct emitter *m, enum vector_op product, uint32_t to, struct vec a,
                      struct vec b) {
    const uint32_t even = TEMP + 3, odd_a = TEMP + 4, odd_b = TEMP + 5;
    put_vector_imm(m, V_SHIFT_Q, SHIFT_RIGHT, odd_a, a, 32);
    put_vector_imm(m, V_SHIFT_Q, SHIFT_RIGHT, odd_b, b, 32);
    put_vector(m, product, odd_a, odd_a, vec_reg(odd_b)); // of odd lanes: the upper word is in place
    put_vector(m, V_MOVE, even, 0, a);
    put_vector(m, product, even, even, b);
    put_vector_imm(m, V_SHUFD, even, 0, vec_reg(even), 0xf5);
    put_const(m, RAX, 0xaaaa);
    put_mask_from(m, 1, RAX);
    put_vector_masked(m, V_MOVE, even, 0, vec_reg(odd_a), 1);
    put_vector(m, V_MOVE, to, 0, vec_reg(even));
}
static bool emit_mulhi(struct compiler *c, const struct xinst *x, uint32_t product) {
    const struct source a = source_of(c, x->a, 0), b = source_of(c, x->b, 0);
    source_look(c, &a);
    source_look(c, &b);
    const uint32_t d = result_pair(c);
    for (uint32_t h = 0; h < 2; h++)
        put_upper(&c->s.m, (enum vector_op)product, pair_half(d, h), a.half[h], b.half[h]);
    result_is(c, d, x->d, false);
    return true;
}

void put_predicate(struct compiler *c, uint32_t to, uint32_t p) {
    put_rm(&c->s.m, 0, G_LOAD, to, WARP,
           (int32_t)(offsetof(struct exec_warp, pred) + 4 * (p % PRED_FILE)));
    if (p & X_PRED_NOT) put_not(&c->s.m, to);
}
// Masks k and k + 1 of RAX's halves.
static void put_masks(struct compiler *c, uint32_t k, uint32_t from) {
    put_mask_from(&c->s.m, k, from);
    put_shift(&c->s.m, 0, false, from, 16);
    put_mask_from(&c->s.m, k + 1, from);
}

// first + second + carry, `carry_out` and all as ADD_CARRY has it (int_simd.c).
static bool add_with_carry(struct compiler *c, const struct xinst *x, const struct source *a,
                           const struct source *b, bool invert_a, bool invert_b, uint32_t in) {
    struct emitter *const m = &c->s.m;
    const bool wants_carry = x->d1 != X_NONE, has_in = !is_false(in);
    const uint32_t d = result_pair(c);
    if (has_in) {
        put_predicate(c, RAX, in);
        put_masks(c, 2, RAX);
    }
    for (uint32_t h = 0; h < 2; h++) {
        const uint32_t va = TEMP + 1, vb = TEMP + 2, sum = pair_half(d, h);
        put_vector(m, V_MOVE, va, 0, a->half[h]);
        put_vector(m, V_MOVE, vb, 0, b->half[h]);
        if (invert_a) put_vector_imm(m, V_PTERNLOGD, va, va, vec_reg(va), 0x55);
        if (invert_b) put_vector_imm(m, V_PTERNLOGD, vb, vb, vec_reg(vb), 0x55);
        put_vector(m, V_PADDD, sum, va, vec_reg(vb));
        if (has_in) { // one more: minus all ones
            put_vector_imm(m, V_PTERNLOGD, TEMP + 3, TEMP + 3, vec_reg(TEMP + 3), 0xff);
            put_vector_masked(m, V_PSUBD, sum, sum, vec_reg(TEMP + 3), 2 + h);
        }
        if (wants_carry) { // (a & b) | ((a | b) & ~sum)
            put_vector_imm(m, V_PTERNLOGD, va, vb, vec_reg(sum), 0xd4);
            put_vector(m, V_SIGNS_D, h ? 3 : 1, 0, vec_reg(va));
            if (!h) put_mask_to(m, RSI, 1);
        }
    }
    if (wants_carry) {
        put_mask_to(m, RAX, 3);
        put_shift(m, 0, true, RAX, 16);
        put_rr(m, 0, G_OR, RAX, RSI);
    }
    result_is(c, d, x->d, false);
    if (wants_carry) predicate_is(c, x->d1 % PRED_FILE);
    return true;
}
static bool emit_iadd_carry(struct compiler *c, const struct xinst *x, uint32_t kind) {
    (void)kind;
    const bool na = x->mods[0] & OPND_NEG, nb = x->mods[1] & OPND_NEG;
    if ((x->flags & MF_SAT) || (na && nb)) return false;
    const struct source a = source_of(c, x->a, 0), b = source_of(c, x->b, 0);
    source_look(c, &a);
    source_look(c, &b);
    return add_with_carry(c, x, &a, &b, na, nb, x->c);
}
// A product's lower or upper words and c.
static bool emit_imad_carry(struct compiler *c, const struct xinst *x, uint32_t product) {
    struct source a = source_in_registers(c, x->a, 0, TEMP), b = source_of(c, x->b, 0),
                  s = source_of(c, x->c, 0);
    source_look(c, &a);
    source_look(c, &b);
    source_look(c, &s);
    const uint32_t p = result_pair(c);
    for (uint32_t h = 0; h < 2; h++) {
        if (product == V_PMULLD)
            put_vector(&c->s.m, V_PMULLD, pair_half(p, h), a.half[h].reg, b.half[h]);
        else
            put_upper(&c->s.m, (enum vector_op)product, pair_half(p, h), a.half[h], b.half[h]);
    }
    const struct source of_product = {{vec_reg(pair_half(p, 0)), vec_reg(pair_half(p, 1))}, PAIRS};
    return add_with_carry(c, x, &of_product, &s, false, false, x->e);
}

// ---- comparisons and choices ------------------------------------------------------------------
void put_setp(struct compiler *c, const struct xinst *x) {
    struct emitter *const m = &c->s.m;
    put_mask_join(m, 1, 2, 1);
    put_mask_to(m, RSI, 1);
    const bool combines = x->bop == MBOP_AND ? !is_true(x->c)
                          : x->bop == MBOP_OR || x->bop == MBOP_XOR ? !is_false(x->c)
                                                                    : false;
    const uint32_t op = x->bop == MBOP_AND ? G_AND : x->bop == MBOP_OR ? G_OR : G_XOR;
    if (combines) put_predicate(c, RDI, x->c);
    const uint32_t to[2] = {x->d % PRED_FILE, x->d1 % PRED_FILE};
    for (uint32_t k = 0; k < 2; k++) {
        if (pred_is_true(to[k])) continue;
        put_rr(m, 0, G_LOAD, RAX, RSI);
        if (k) put_not(m, RAX);
        if (combines) put_rr(m, 0, op, RAX, RDI);
        predicate_is(c, to[k]);
    }
}
// kind: enum vector_op of the comparison, and above it which one.
#define COMPARE(op, how) ((op) | (how) << 8)
static bool emit_setp(struct compiler *c, const struct xinst *x, uint32_t kind) {
    const struct source a = source_in_registers(c, x->a, 0, TEMP), b = source_of(c, x->b, 0);
    if ((kind & 255) != V_CMPPS) {
        source_look(c, &a);
        source_look(c, &b);
    }
    for (uint32_t h = 0; h < 2; h++)
        put_vector_imm(&c->s.m, (enum vector_op)(kind & 255), 1 + h, a.half[h].reg, b.half[h],
                       kind >> 8);
    put_setp(c, x);
    return true;
}
// A float with modifiers.
static bool emit_fsetp_any(struct compiler *c, const struct xinst *x, uint32_t kind) {
    (void)kind;
    static const uint8_t how[] = {
        [MCMP_EQ] = CMPF_EQ + 1,   [MCMP_NE] = CMPF_NE + 1,   [MCMP_LT] = CMPF_LT + 1,
        [MCMP_LE] = CMPF_LE + 1,   [MCMP_GT] = CMPF_GT + 1,   [MCMP_GE] = CMPF_GE + 1,
        [MCMP_EQU] = CMPF_EQU + 1, [MCMP_NEU] = CMPF_NEU + 1, [MCMP_LTU] = CMPF_LTU + 1,
        [MCMP_LEU] = CMPF_LEU + 1, [MCMP_GTU] = CMPF_GTU + 1, [MCMP_GEU] = CMPF_GEU + 1,
        [MCMP_NUM] = CMPF_ORD + 1, [MCMP_NAN] = CMPF_UNORD + 1};
    if (x->cmp >= WW_COUNT(how) || !how[x->cmp]) return false;
    const struct tweaks t = tweaks_of(x, GENERAL);
    const struct source a = source_in_registers(c, x->a, 0, TEMP), b = source_of(c, x->b, 0);
    for (uint32_t h = 0; h < 2; h++) {
        // (Flushing uses mask 1 before the comparison of its half is there.)
        const uint32_t k = 2 - h;
        const struct vec va = put_float_source(&c->s.m, &t, a.half[h], 0, TEMP + 1),
                         vb = put_float_source(&c->s.m, &t, b.half[h], 1, TEMP + 2);
        put_vector_imm(&c->s.m, V_CMPPS, k, va.reg, vb, how[x->cmp] - 1u);
        if (!h) put_mask_move(&c->s.m, 3, k);
    }
    put_mask_move(&c->s.m, 2, 1);
    put_mask_move(&c->s.m, 1, 3);
    put_setp(c, x);
    return true;
}
static bool emit_select(struct compiler *c, const struct xinst *x, uint32_t kind) {
    (void)kind;
    const struct source a = source_of(c, x->a, 0), b = source_in_registers(c, x->b, 0, TEMP);
    source_look(c, &a);
    source_look(c, &b);
    const uint32_t d = result_pair(c);
    put_predicate(c, RAX, x->c);
    put_masks(c, 1, RAX);
    for (uint32_t h = 0; h < 2; h++)
        put_vector_masked(&c->s.m, V_BLENDMD, pair_half(d, h), b.half[h].reg, a.half[h], 1 + h);
    result_is(c, d, x->d, false);
    return true;
}

// ---- single precision ---------------------------------------------------------------------------
struct tweaks tweaks_of(const struct xinst *x, uint32_t kind) {
    if (!(kind & GENERAL)) return (struct tweaks){0};
    return (struct tweaks){x->flags & MF_FTZ, x->flags & MF_SAT, {x->mods[0], x->mods[1], x->mods[2]}};
}
struct vec put_float_source(struct emitter *m, const struct tweaks *t, struct vec v, uint32_t k,
                                   uint32_t temp) {
    if (!(t->mods[k] & (OPND_ABS | OPND_NEG)) && !t->flushes) return v;
    put_vector(m, V_MOVE, temp, 0, v);
    if (t->mods[k] & OPND_ABS) put_vector(m, V_PANDD, temp, temp, TABLE_WORD(magnitude));
    if (t->mods[k] & OPND_NEG) put_vector(m, V_PXORD, temp, temp, TABLE_WORD(sign));
    if (t->flushes) {
        put_vector(m, V_TESTNMD, 1, temp, TABLE_WORD(exponent));
        put_vector_masked(m, V_PANDD, temp, temp, TABLE_WORD(sign), 1);
    }
    return vec_reg(temp);
}
void put_float_result(struct emitter *m, const struct tweaks *t, uint32_t v) {
    if (t->flushes) {
        put_vector(m, V_TESTNMD, 1, v, TABLE_WORD(exponent));
        put_vector_masked(m, V_PANDD, v, v, TABLE_WORD(sign), 1);
    }
    if (t->saturates) { // of a NaN and zero MAXPS takes the second
        put_vector(m, V_MAXPS, v, v, TABLE_WORD(zero));
        put_vector(m, V_MINPS, v, v, TABLE_WORD(one));
    }
}
// d = a OP b; c beside them for FMADD231PS. A NaN operand with its sign changed is still one.
static bool emit_float(struct compiler *c, const struct xinst *x, uint32_t kind) {
    const enum vector_op op = kind & (GENERAL - 1u);
    const bool is_fused = op == V_FMADD231PS;
    const struct tweaks t = tweaks_of(x, kind);
    const uint32_t n = is_fused ? 3 : 2, at[3] = {x->a, x->b, x->c};
    struct source s[3];
    for (uint32_t k = 0; k < n; k++) s[k] = source_of(c, at[k], 0);
    if (t.saturates)
        for (uint32_t k = 0; k < n; k++) source_look(c, &s[k]);
    const uint32_t d = result_pair(c);
    struct emitter *const m = &c->s.m;
    for (uint32_t h = 0; h < 2; h++) {
        const uint32_t v = pair_half(d, h);
        struct vec a = put_float_source(m, &t, s[0].half[h], 0, TEMP);
        const struct vec b = put_float_source(m, &t, s[1].half[h], 1, TEMP + 1);
        if (a.kind != VEC_REG) {
            put_vector(m, V_MOVE, TEMP, 0, a);
            a = vec_reg(TEMP);
        }
        if (is_fused)
            put_vector(m, V_MOVE, v, 0, put_float_source(m, &t, s[2].half[h], 2, TEMP + 2));
        put_vector(m, op, v, a.reg, b);
        put_float_result(m, &t, v);
    }
    if (!t.saturates)
        for (uint32_t k = 0; k < n; k++) source_taken(c, &s[k]);
    result_is(c, d, x->d, !t.saturates);
    return true;
}
// Reciprocals and roots: square root, then 1 over it, or one of the two.
enum { ROOT = 1, RECIPROCAL = 2 };
static bool emit_root(struct compiler *c, const struct xinst *x, uint32_t kind) {
    const struct tweaks t = tweaks_of(x, kind);
    if (t.saturates) return false;
    struct emitter *const m = &c->s.m;
    const struct source a = source_of(c, x->a, 0);
    const uint32_t d = result_pair(c);
    for (uint32_t h = 0; h < 2; h++) {
        const uint32_t v = pair_half(d, h);
        const struct vec from = put_float_source(m, &t, a.half[h], 0, TEMP);
        put_vector(m, kind & ROOT ? V_SQRTPS : V_MOVE, v, 0, from);
        if (kind & RECIPROCAL) {
            const struct vec one = vec_mem(TABLE, offsetof(struct native_table, one));
            put_vector(m, V_SPREAD, TEMP + 1, 0, one);
            put_vector(m, V_DIVPS, v, TEMP + 1, vec_reg(v));
        }
        put_float_result(m, &t, v);
    }
    source_taken(c, &a);
    result_is(c, d, x->d, true);
    return true;
}

// ---- double precision ---------------------------------------------------------------------------
// The low and the high words of 16 lanes become doubles in vectors v and v + 1, in an order that
// put_words undoes.
static void put_doubles(struct emitter *m, uint32_t v, struct vec lows, struct vec highs) {
    put_vector(m, V_MOVE, v, 0, lows);
    put_vector(m, V_UNPACK_HIGH, v + 1, v, highs);
    put_vector(m, V_UNPACK_LOW, v, v, highs);
}
static void put_words(struct emitter *m, uint32_t lows, uint32_t highs, uint32_t v) {
    put_vector_imm(m, V_SHUFPS, lows, v, vec_reg(v + 1), 0x88);
    put_vector_imm(m, V_SHUFPS, highs, v, vec_reg(v + 1), 0xdd);
}
struct double_source {
    struct source word[2];
};
static struct double_source double_source_of(struct compiler *c, uint32_t o) {
    const struct double_source w = {{source_of(c, o, 0), source_of(c, o, 1)}};
    for (uint32_t k = 0; k < 2; k++) source_look(c, &w.word[k]);
    return w;
}
// Which NaN comes of one or two depends on their order, which a line does not follow: it leaves them,
// and infinities, to handlers.
static void look_at_double(struct compiler *c, uint32_t highs, uint32_t half) {
    struct emitter *const m = &c->s.m;
    put_vector(m, V_PANDD, TEMP, highs, TABLE_WORD(exponent64));
    put_vector_imm_masked(m, V_CMPD, 1, TEMP, TABLE_WORD(exponent64), CMP_EQ, lanes_mask(c, half));
    leave_if_nan(c);
}
// d = a OP b, or a * b + c.
static bool emit_double(struct compiler *c, const struct xinst *x, uint32_t op) {
    if (c->guarded) return false;
    const bool is_fused = op == V_FMADD231PD;
    const struct double_source a = double_source_of(c, x->a), b = double_source_of(c, x->b),
                      s = is_fused ? double_source_of(c, x->c) : a;
    const uint32_t low = result_pair(c), high = result_pair(c);
    struct emitter *const m = &c->s.m;
    for (uint32_t h = 0; h < 2; h++) {
        const uint32_t va = TEMP, vb = TEMP + 2, v = TEMP + 4;
        put_doubles(m, va, a.word[0].half[h], a.word[1].half[h]);
        put_doubles(m, vb, b.word[0].half[h], b.word[1].half[h]);
        if (is_fused) put_doubles(m, v, s.word[0].half[h], s.word[1].half[h]);
        for (uint32_t k = 0; k < 2; k++)
            put_vector(m, (enum vector_op)op, v + k, va + k, vec_reg(vb + k));
        put_words(m, pair_half(low, h), pair_half(high, h), v);
        look_at_double(c, pair_half(high, h), h);
    }
    result_is(c, low, x->d, false);
    result_is(c, high, x->d + VEC_BYTES, false);
    return true;
}
static bool emit_widen(struct compiler *c, const struct xinst *x, uint32_t kind) {
    (void)kind;
    if (c->guarded) return false;
    const struct source a = source_of(c, x->a, 0);
    source_look(c, &a);
    const uint32_t low = result_pair(c), high = result_pair(c);
    struct emitter *const m = &c->s.m;
    for (uint32_t h = 0; h < 2; h++) {
        // Lanes 0, 1, 4, 5, 8 ... in front, so that put_words brings them into order.
        put_vector(m, V_MOVE, TEMP, 0, vec_mem(TABLE, offsetof(struct native_table, part)));
        put_vector(m, V_PERMQ, TEMP, TEMP, a.half[h]);
        put_vector_imm(m, V_EXTRACT_HALF, TEMP, 0, vec_reg(TEMP + 1), 1);
        put_vector(m, V_CVTPS2PD, TEMP, 0, vec_reg(TEMP));
        put_vector(m, V_CVTPS2PD, TEMP + 1, 0, vec_reg(TEMP + 1));
        put_words(m, pair_half(low, h), pair_half(high, h), TEMP);
    }
    result_is(c, low, x->d, false);
    result_is(c, high, x->d + VEC_BYTES, false);
    return true;
}
static bool emit_narrow(struct compiler *c, const struct xinst *x, uint32_t kind) {
    (void)kind;
    const struct double_source a = double_source_of(c, x->a);
    const uint32_t d = result_pair(c);
    struct emitter *const m = &c->s.m;
    for (uint32_t h = 0; h < 2; h++) {
        put_doubles(m, TEMP, a.word[0].half[h], a.word[1].half[h]);
        put_vector(m, V_CVTPD2PS, TEMP, 0, vec_reg(TEMP));
        put_vector(m, V_CVTPD2PS, TEMP + 1, 0, vec_reg(TEMP + 1));
        put_vector_imm(m, V_INSERT_HALF, TEMP, TEMP, vec_reg(TEMP + 1), 1);
        put_vector(m, V_MOVE, pair_half(d, h), 0, vec_mem(TABLE, offsetof(struct native_table, join)));
        put_vector(m, V_PERMQ, pair_half(d, h), pair_half(d, h), vec_reg(TEMP));
    }
    result_is(c, d, x->d, true);
    return true;
}
// d = OP a
static bool emit_unary(struct compiler *c, const struct xinst *x, uint32_t op) {
    const struct source a = source_of(c, x->a, 0);
    source_look(c, &a);
    const uint32_t d = result_pair(c);
    for (uint32_t h = 0; h < 2; h++)
        put_vector(&c->s.m, (enum vector_op)op, pair_half(d, h), 0, a.half[h]);
    result_is(c, d, x->d, false);
    return true;
}

// ---- floats: copies, the larger, whole numbers --------------------------------------------------
static bool emit_float_move(struct compiler *c, const struct xinst *x, uint32_t kind) {
    (void)kind;
    const struct tweaks t = tweaks_of(x, GENERAL);
    const struct source a = source_of(c, x->a, 0);
    source_look(c, &a); // a NaN keeps its bits
    const uint32_t d = result_pair(c);
    struct emitter *const m = &c->s.m;
    for (uint32_t h = 0; h < 2; h++) {
        const uint32_t v = pair_half(d, h);
        put_vector(m, V_MOVE, v, 0, put_float_source(m, &t, a.half[h], 0, TEMP));
        put_float_result(m, &t, v);
    }
    result_is(c, d, x->d, false);
    return true;
}
// Sign and magnitude as one ordered number, to `to`.
static void put_ordered(struct emitter *m, uint32_t to, uint32_t from) {
    put_shift_by(m, SHIFT_ARITHMETIC, to, vec_reg(from), 31);
    put_vector(m, V_PANDD, to, to, TABLE_WORD(magnitude));
    put_vector(m, V_PXORD, to, to, vec_reg(from));
}
// As fminmax without NAN. kind: the larger. No NaN goes through as it is.
static bool emit_float_extreme(struct compiler *c, const struct xinst *x, uint32_t kind) {
    const struct source a = source_in_registers(c, x->a, 0, TEMP),
                        b = source_in_registers(c, x->b, 0, TEMP + 1);
    const uint32_t d = result_pair(c);
    struct emitter *const m = &c->s.m;
    for (uint32_t h = 0; h < 2; h++) {
        const uint32_t v = pair_half(d, h), va = a.half[h].reg, vb = b.half[h].reg;
        put_ordered(m, TEMP + 2, va);
        put_ordered(m, TEMP + 3, vb);
        put_vector_imm(m, V_CMPD, 1, TEMP + 2, vec_reg(TEMP + 3), kind ? CMP_GT : CMP_LT);
        put_vector_masked(m, V_BLENDMD, v, vb, vec_reg(va), 1);
        put_vector_imm(m, V_CMPPS, 1, va, vec_reg(va), CMPF_UNORD);
        put_vector_masked(m, V_MOVE, v, 0, vec_reg(vb), 1);
        put_vector_imm(m, V_CMPPS, 2, vb, vec_reg(vb), CMPF_UNORD);
        put_vector_masked(m, V_MOVE, v, 0, vec_reg(va), 2);
        put_vector_imm_masked(m, V_CMPPS, 1, vb, vec_reg(vb), CMPF_UNORD, 1); // both
        put_vector_masked(m, V_MOVE, v, 0, vec_reg(NAN_WORD), 1);
    }
    result_is(c, d, x->d, false);
    return true;
}
// As quotient_is_hard.
static bool emit_hard_quotient(struct compiler *c, const struct xinst *x, uint32_t kind) {
    (void)kind;
    const struct source a = source_of(c, x->a, 0), b = source_of(c, x->b, 0);
    struct emitter *const m = &c->s.m;
    // Outside [low, high]: an unsigned difference.
    static const struct {
        uint32_t low, high; // of exponents: of a, of b, and b's less a's
    } easy[] = {{31, 254}, {1, 249}, {-99u, 99}};
    for (uint32_t h = 0; h < 2; h++) {
        const uint32_t v[3] = {TEMP, TEMP + 1, TEMP + 2};
        for (uint32_t k = 0; k < 2; k++) {
            put_shift_by(m, SHIFT_LEFT, v[k], k ? b.half[h] : a.half[h], 1);
            put_shift_by(m, SHIFT_RIGHT, v[k], vec_reg(v[k]), 24);
        }
        put_vector(m, V_PSUBD, v[2], v[1], vec_reg(v[0]));
        for (uint32_t k = 0; k < 3; k++) {
            put_const(m, RAX, easy[k].low);
            put_vector(m, V_SPREAD_GPR, TEMP + 3, 0, vec_reg(RAX));
            put_vector(m, V_PSUBD, v[k], v[k], vec_reg(TEMP + 3));
            put_const(m, RAX, easy[k].high - easy[k].low);
            put_vector(m, V_SPREAD_GPR, TEMP + 3, 0, vec_reg(RAX));
            put_vector_imm(m, V_CMPUD, k ? 3 : 1 + h, v[k], vec_reg(TEMP + 3), CMP_GT);
            if (k) put_mask_or(m, 1 + h, 1 + h, 3);
        }
    }
    put_setp(c, x);
    return true;
}
// Roundings as RNDSCALEPS has them, without an exception.
enum { ROUND_NEAREST = 8, ROUND_DOWN, ROUND_UP, ROUND_CUT, TO_SIGNED = 16 };
static bool emit_round(struct compiler *c, const struct xinst *x, uint32_t how) {
    const struct tweaks t = tweaks_of(x, GENERAL);
    if (t.saturates) return false;
    const struct source a = source_of(c, x->a, 0);
    const uint32_t d = result_pair(c);
    struct emitter *const m = &c->s.m;
    for (uint32_t h = 0; h < 2; h++) {
        const uint32_t v = pair_half(d, h);
        put_vector_imm(m, V_RNDSCALEPS, v, 0, put_float_source(m, &t, a.half[h], 0, TEMP), how);
        put_float_result(m, &t, v);
    }
    source_taken(c, &a);
    result_is(c, d, x->d, true);
    return true;
}
// Numbers beyond the integer's are its ends, NaN is 0. The host makes 2^31 of what is no signed one,
// and 2^32 - 1 of what is no unsigned one.
static bool emit_to_integer(struct compiler *c, const struct xinst *x, uint32_t kind) {
    const struct source a = source_of(c, x->a, 0);
    const uint32_t d = result_pair(c), how = kind & (TO_SIGNED - 1u);
    struct emitter *const m = &c->s.m;
    put_vector(m, V_PXORD, TEMP + 1, TEMP + 1, vec_reg(TEMP + 1));
    for (uint32_t h = 0; h < 2; h++) {
        const uint32_t v = pair_half(d, h);
        if (how == ROUND_CUT)
            put_vector(m, V_MOVE, TEMP, 0, a.half[h]);
        else
            put_vector_imm(m, V_RNDSCALEPS, TEMP, 0, a.half[h], how);
        if (kind & TO_SIGNED) {
            put_vector(m, V_CVTTPS2DQ, v, 0, vec_reg(TEMP));
            put_vector_imm(m, V_CMPPS, 1, TEMP, TABLE_WORD(two31), CMPF_GE);
            put_vector_masked(m, V_SPREAD, v, 0,
                              vec_mem(TABLE, offsetof(struct native_table, magnitude)), 1);
            put_vector_imm(m, V_CMPPS, 1, TEMP, vec_reg(TEMP), CMPF_UNORD);
        } else {
            put_vector(m, V_CVTTPS2UDQ, v, 0, vec_reg(TEMP));
            put_vector_imm(m, V_CMPPS, 1, TEMP, vec_reg(TEMP + 1), CMPF_LEU);
        }
        put_vector_masked(m, V_MOVE, v, 0, vec_reg(TEMP + 1), 1);
    }
    result_is(c, d, x->d, false);
    return true;
}
// Of a byte or a half of a word.
static bool emit_float_of_part(struct compiler *c, const struct xinst *x, uint32_t kind) {
    (void)kind;
    const struct source a = source_of(c, x->a, 0);
    source_look(c, &a);
    const uint32_t d = result_pair(c), bits = isa_type_bits(x->stype);
    const bool is_signed = x->stype == ITYPE_S8 || x->stype == ITYPE_S16;
    for (uint32_t h = 0; h < 2; h++) {
        const uint32_t v = pair_half(d, h);
        put_shift_by(&c->s.m, SHIFT_LEFT, v, a.half[h], 32 - bits - bits * (x->bytes & MCVT_PART));
        put_shift_by(&c->s.m, is_signed ? SHIFT_ARITHMETIC : SHIFT_RIGHT, v, vec_reg(v), 32 - bits);
        put_vector(&c->s.m, V_CVTDQ2PS, v, 0, vec_reg(v));
    }
    result_is(c, d, x->d, false);
    return true;
}

// ---- loads --------------------------------------------------------------------------------------
// A jump where no lane executes an instruction with a guard; NULL: there is none.
static uint8_t *put_jump_if_none(struct compiler *c) {
    if (!c->guarded) return NULL;
    put_mask_test(&c->s.m, GUARD_MASK, GUARD_MASK + 1);
    return put_jump_if(&c->s.m, IF_ZERO);
}
// Elements of n words, where load_words would have all it needs, to pairs d. Of a half: the same
// one for all lanes, elements that follow each other, or each word of each lane for itself.
static void put_load_elements(struct compiler *c, const uint32_t *d, uint32_t n) {
    struct emitter *const m = &c->s.m;
    const uint32_t mask = lanes_mask(c, 0), first = TEMP + 4, want = TEMP + 5;
    const struct vec part = n == 2 ? TABLE_WORD(seven) : TABLE_WORD(fifteen);
    for (uint32_t h = 0; h < 2; h++) {
        put_unfit(m, TEMP + h, first, mask ? mask + h : 0, part);
        if (!h) put_mask_move(m, 2, 1);
    }
    put_mask_test(m, 1, 2);
    leave_if(c, IF_NOT_ZERO);
    for (uint32_t h = 0; h < 2; h++) {
        const uint32_t offset = TEMP + h, v = TEMP + 2;
        uint8_t *one = NULL, *run = NULL;
        if (!mask) {
            put_first_lane(m, R8, offset);
            put_vector(m, V_SPREAD, first, 0, vec_reg(offset));
            put_vector_imm(m, V_CMPD, 1, offset, vec_reg(first), CMP_NE);
            put_mask_test(m, 1, 1);
            uint8_t *const unlike = put_jump_if(m, IF_NOT_ZERO);
            put_rr(m, 1, G_ADD, R8, RAX);
            for (uint32_t k = 0; k < n; k++)
                put_vector(m, V_SPREAD, pair_half(d[k], h), 0, vec_mem(R8, (int32_t)(4 * k)));
            one = put_jump(m);
            land_here(m, unlike);
            put_shift_by(m, SHIFT_LEFT, want, vec_reg(LANE_BYTES), n / 2);
            put_vector(m, V_PADDD, want, want, vec_reg(first));
            put_vector_imm(m, V_CMPD, 1, offset, vec_reg(want), CMP_NE);
            put_mask_test(m, 1, 1);
            uint8_t *const apart = put_jump_if(m, IF_NOT_ZERO);
            put_rm(m, 1, G_LEA, R9, R8, (int32_t)(60 * n)); // not beyond 2^32
            put_rr(m, 1, G_CMP, R9, RCX);
            uint8_t *const wraps = put_jump_if(m, IF_ABOVE);
            put_rr(m, 1, G_ADD, R8, RAX);
            for (uint32_t k = 0; k < n; k++)
                put_vector(m, V_LOADU, v + k, 0, vec_mem(R8, (int32_t)(64 * k)));
            for (uint32_t k = 0; k < n; k++) { // word k of each element
                const uint32_t to = pair_half(d[k], h);
                const struct vec pick =
                    vec_mem(TABLE, (int32_t)(n == 2 ? offsetof(struct native_table, pick2)
                                                    : offsetof(struct native_table, pick4)) +
                                       64 * (int32_t)k);
                put_vector(m, V_MOVE, to, 0, pick);
                put_vector(m, V_PICK, to, v, vec_reg(v + 1));
                if (n == 2) continue;
                put_vector(m, V_MOVE, offset, 0, pick);
                put_vector(m, V_PICK, offset, v + 2, vec_reg(v + 3));
                put_vector_imm(m, V_INSERT_HALF, to, to, vec_reg(offset), 1);
            }
            run = put_jump(m);
            land_here(m, apart);
            land_here(m, wraps);
        }
        put_const(m, R8, 0x80000000u); // a gather's offsets have a sign
        put_rr(m, 1, G_ADD, R8, RAX);
        put_vector(m, V_PXORD, want, offset, TABLE_WORD(sign));
        for (uint32_t k = 0; k < n; k++) {
            if (mask)
                put_mask_move(m, 1, mask + h);
            else
                put_mask_ones(m, 1);
            put_gather(m, pair_half(d[k], h), R8, want, 1);
            put_ri(m, 1, I_ADD, R8, 4);
        }
        if (one) land_here(m, one);
        if (run) land_here(m, run);
    }
}
// The words of the lanes that execute, where load_words has all it needs, to pair d.
static void put_load(struct compiler *c, uint32_t d) {
    const struct native_shared *const shared = native_shared(c->native);
    const uint32_t mask = lanes_mask(c, 0);
    for (uint32_t h = 0; mask && h < 2; h++) put_mask_move(&c->s.m, 2 + h, mask + h);
    put_call(&c->s.m, mask ? shared->load_words_masked : shared->load_words);
    leave_if(c, IF_BELOW);
    for (uint32_t h = 0; h < 2; h++)
        put_vector(&c->s.m, V_MOVE, pair_half(d, h), 0, vec_reg(TEMP + 2 + h));
}
// A byte or a half, extended: out of the aligned word that it lies in, which no page ends in.
static void put_load_small(struct compiler *c, const struct xinst *x, uint32_t d) {
    struct emitter *const m = &c->s.m;
    const uint32_t mask = lanes_mask(c, 0), more = TEMP + 2, at = TEMP + 3;
    const uint32_t drop = 32 - 8u * x->bytes;
    const bool is_signed = x->type == ITYPE_S8 || x->type == ITYPE_S16;
    for (uint32_t h = 0; h < 2; h++) {
        put_unfit(m, TEMP + h, more, mask ? mask + h : 0,
                  x->bytes == 1 ? TABLE_WORD(zero) : TABLE_WORD(bit));
        if (!h) put_mask_move(m, 2, 1);
    }
    put_mask_test(m, 1, 2);
    leave_if(c, IF_NOT_ZERO);
    // What the base has above a word's goes to the offsets.
    put_rr(m, 1, G_LOAD, R9, RAX);
    put_ri(m, 1, I_AND, R9, 3);
    put_rr(m, 1, G_SUB, RAX, R9);
    put_rm(m, 1, G_LEA, RCX, RCX, 3);
    put_shift(m, 1, false, RCX, 32);
    leave_if(c, IF_NOT_ZERO); // offsets might not hold it
    put_vector(m, V_SPREAD_GPR, more, 0, vec_reg(R9));
    put_const(m, R8, 0x80000000u); // a gather's offsets have a sign
    put_rr(m, 1, G_ADD, R8, RAX);
    for (uint32_t h = 0; h < 2; h++) {
        const uint32_t v = pair_half(d, h), offset = TEMP + h;
        put_vector(m, V_PADDD, offset, offset, vec_reg(more));
        put_vector(m, V_PANDD, at, offset, TABLE_WORD(three));
        put_vector(m, V_PSUBD, offset, offset, vec_reg(at));
        put_shift_by(m, SHIFT_LEFT, at, vec_reg(at), 3);
        put_vector(m, V_PXORD, offset, offset, TABLE_WORD(sign));
        if (mask)
            put_mask_move(m, 1, mask + h);
        else
            put_mask_ones(m, 1);
        put_gather(m, v, R8, offset, 1);
        put_vector(m, V_PSRLVD, v, v, vec_reg(at));
        put_shift_by(m, SHIFT_LEFT, v, vec_reg(v), drop);
        put_shift_by(m, is_signed ? SHIFT_ARITHMETIC : SHIFT_RIGHT, v, vec_reg(v), drop);
    }
}
static void put_loads(struct compiler *c, const struct xinst *x, const uint32_t *d) {
    if (x->bytes < 4)
        put_load_small(c, x, d[0]);
    else if (x->aux8 == 1)
        put_load(c, d[0]);
    else
        put_load_elements(c, d, x->aux8);
}
static bool is_loaded(const struct xinst *x) {
    if (x->aux8 == 1 && x->bytes < 4) return true;
    return (x->aux8 == 1 || x->aux8 == 2 || x->aux8 == 4) && x->bytes == 4 * x->aux8;
}
// Up to four words of shared memory a lane, or a part of one.
static bool emit_load_shared(struct compiler *c, const struct xinst *x, uint32_t kind) {
    (void)kind;
    struct emitter *const m = &c->s.m;
    if (!is_loaded(x) || x->e != X_POOL || (x->awords == 2 && x->a != X_POOL)) return false;
    const struct source a = source_of(c, x->a, 0);
    source_look(c, &a);
    uint32_t d[4];
    for (uint32_t k = 0; k < x->aux8; k++) d[k] = result_pair(c);
    uint8_t *const none = put_jump_if_none(c);
    put_rm(m, 1, G_LOAD, RDI, WARP, offsetof(struct exec_warp, cta));
    put_const(m, R8, (uint32_t)x->offset);
    put_rm(m, 0, G_SUB, R8, RDI, offsetof(struct exec_cta, window));
    put_vector(m, V_SPREAD_GPR, TEMP + 2, 0, vec_reg(R8));
    for (uint32_t h = 0; h < 2; h++) {
        struct vec from = a.half[h];
        if (x_scale(x)) {
            put_shift_by(m, SHIFT_LEFT, TEMP + h, from, x_scale(x));
            from = vec_reg(TEMP + h);
        }
        put_vector(m, V_PADDD, TEMP + h, TEMP + 2, from);
    }
    put_rr(m, 0, G_XOR, RDX, RDX);
    put_rm(m, 0, G_LOAD, RCX, RDI, offsetof(struct exec_cta, shared_bytes));
    put_ri(m, 0, 5, RCX, x->bytes);
    leave_if(c, IF_BELOW);
    put_rm(m, 1, G_LOAD, RAX, RDI, offsetof(struct exec_cta, shared));
    put_loads(c, x, d);
    if (none) land_here(m, none);
    results_are(c, d, x->aux8, x->d);
    return true;
}

// The same of global memory, from the allocation that the instruction hit last, of which
// nothing is in the own log.
static bool emit_load_global(struct compiler *c, const struct xinst *x, uint32_t kind) {
    (void)kind;
    struct emitter *const m = &c->s.m;
    const bool fits = x->offset >= INT32_MIN && x->offset <= INT32_MAX;
    if (!is_loaded(x) || x->e != X_POOL || x->awords != 2 || (x->a & X_POOL) || !fits ||
        native_is_heard(c->native))
        return false;
    const struct source a = source_of(c, x->a, 0), upper = source_of(c, x->a, 1);
    source_look(c, &a);
    source_look(c, &upper);
    uint32_t d[4];
    for (uint32_t k = 0; k < x->aux8; k++) d[k] = result_pair(c);
    // All upper words are the first lane's.
    const uint32_t mask = lanes_mask(c, 0);
    uint8_t *const none = put_jump_if_none(c);
    if (mask) {
        put_vector_masked(m, V_COMPRESS, upper.half[1].reg, 0, vec_reg(TEMP), mask + 1);
        put_mask_test(m, mask, mask);
        uint8_t *const high = put_jump_if(m, IF_ZERO);
        put_vector_masked(m, V_COMPRESS, upper.half[0].reg, 0, vec_reg(TEMP), mask);
        land_here(m, high);
        put_first_lane(m, R8, TEMP);
    } else {
        put_first_lane(m, R8, upper.half[0].reg);
    }
    put_vector(m, V_SPREAD_GPR, TEMP, 0, vec_reg(R8));
    for (uint32_t h = 0; h < 2; h++)
        put_vector_imm_masked(m, V_CMPD, 1 + h, TEMP, upper.half[h], CMP_NE, mask ? mask + h : 0);
    put_mask_test(m, 1, 2);
    leave_if(c, IF_NOT_ZERO);
    put_shift(m, 1, true, R8, 32);
    put_ri(m, 1, 0, R8, (uint32_t)(int32_t)x->offset);
    put_test_imm(m, R8, x->bytes - 1u);
    leave_if(c, IF_NOT_ZERO);
    const int32_t hit = (int32_t)(offsetof(struct exec_env, hit) +
                                  c->pc % EXEC_HITS * sizeof(struct exec_range));
    put_rm(m, 1, G_LOAD, RSI, ENV, offsetof(struct exec_env, memory));
    put_rm(m, 0, G_LOAD, RAX, RSI, 0); // devmem_epoch_of
    put_rm(m, 0, G_CMP, RAX, ENV, hit + (int32_t)offsetof(struct exec_range, epoch));
    leave_if(c, IF_NOT_ZERO);
    // RDX = first - base; RCX = end - base - bytes: what is added to the base lies between.
    put_rm(m, 1, G_LOAD, R9, ENV, hit + (int32_t)offsetof(struct exec_range, first));
    put_rm(m, 1, G_LOAD, RCX, ENV, hit + (int32_t)offsetof(struct exec_range, end));
    put_rr(m, 1, G_LOAD, R10, RCX); // end
    put_rr(m, 1, G_SUB, RCX, R8);
    put_ri(m, 1, 5, RCX, x->bytes);
    put_rr(m, 1, G_LOAD, RDX, R9);
    put_rr(m, 1, G_SUB, RDX, R8);
    // RAX = the base on the host.
    put_rm(m, 1, G_LOAD, RDI, ENV, hit + (int32_t)offsetof(struct exec_range, host));
    put_rr(m, 1, G_LOAD, RAX, RDI);
    put_rr(m, 1, G_SUB, RAX, RDX);
    put_rr(m, 1, G_XOR, RSI, RSI);
    put_rr(m, 1, G_CMP, RDX, RSI);
    uint8_t *const positive = put_jump_if(m, IF_NOT_LESS);
    put_rr(m, 1, G_LOAD, RDX, RSI);
    land_here(m, positive);
    put_const(m, RSI, ~0u);
    put_rr(m, 1, G_CMP, RDX, RSI);
    leave_if(c, IF_GREATER);
    put_rr(m, 1, G_CMP, RCX, RDX);
    leave_if(c, IF_LESS);
    put_rr(m, 1, G_CMP, RCX, RSI);
    uint8_t *const narrow = put_jump_if(m, IF_NOT_GREATER);
    put_rr(m, 1, G_LOAD, RCX, RSI);
    land_here(m, narrow);
    // The log: none, none written, or only elsewhere.
    put_rm(m, 1, G_LOAD, RSI, ENV, offsetof(struct exec_env, log));
    put_rr(m, 1, 0x85, RSI, RSI);
    uint8_t *const no_log = put_jump_if(m, IF_ZERO);
    put_byte(m, 0x80); // CMP byte [RSI + is_busy], 0
    put_modrm_mem(m, 7, RSI, offsetof(struct exec_log, is_busy));
    put_byte(m, 0);
    uint8_t *const idle = put_jump_if(m, IF_ZERO);
    put_rm(m, 1, G_CMP, RDI, RSI, offsetof(struct exec_log, high));
    uint8_t *const above = put_jump_if(m, IF_ABOVE);
    put_rr(m, 1, G_SUB, R10, R9);
    put_rr(m, 1, G_ADD, R10, RDI);
    put_rm(m, 1, G_CMP, R10, RSI, offsetof(struct exec_log, low));
    leave_if(c, IF_ABOVE);
    land_here(m, no_log);
    land_here(m, idle);
    land_here(m, above);
    for (uint32_t h = 0; h < 2; h++) put_vector(m, V_MOVE, TEMP + h, 0, a.half[h]);
    put_loads(c, x, d);
    if (none) land_here(m, none);
    results_are(c, d, x->aux8, x->d);
    return true;
}

// The same of a constant bank.
static bool emit_load_constant(struct compiler *c, const struct xinst *x, uint32_t kind) {
    (void)kind;
    struct emitter *const m = &c->s.m;
    const uint8_t *const base = c->l->bank[x->sub].at;
    const uint64_t size = c->l->bank[x->sub].bytes;
    if (!is_loaded(x) || !base || size < x->bytes || size > UINT32_MAX) return false;
    const struct source a = source_of(c, x->a, 0);
    source_look(c, &a);
    uint32_t d[4];
    for (uint32_t k = 0; k < x->aux8; k++) d[k] = result_pair(c);
    uint8_t *const none = put_jump_if_none(c);
    put_const(m, R8, (uint32_t)x->offset);
    put_vector(m, V_SPREAD_GPR, TEMP + 2, 0, vec_reg(R8));
    for (uint32_t h = 0; h < 2; h++) put_vector(m, V_PADDD, TEMP + h, TEMP + 2, a.half[h]);
    put_rr(m, 0, G_XOR, RDX, RDX);
    put_const(m, RCX, (uint32_t)size - x->bytes);
    put_const64(m, RAX, (uintptr_t)base);
    put_loads(c, x, d);
    if (none) land_here(m, none);
    results_are(c, d, x->aux8, x->d);
    return true;
}

// What computes nothing.
static bool emit_nothing(struct compiler *c, const struct xinst *x, uint32_t kind) {
    (void)c, (void)x, (void)kind;
    return true;
}

#define INT(name, kind, emit)     {TABLE_INT, H_##name, kind, emit},
#define MACHINE(name, kind, emit) {TABLE_INT_MACHINE, H_##name, kind, emit},
#define INT64(name, kind, emit)   {TABLE_INT64, H_##name, kind, emit},
#define FP32(name, kind, emit)    {TABLE_FP32, H_##name, kind, emit},
#define FP64(name, kind, emit)    {TABLE_FP64, H_##name, kind, emit},
#define CVT(name, kind, emit)     {TABLE_CVT, H_##name, kind, emit},
#define SFU(name, kind, emit)     {TABLE_SFU, H_##name, kind, emit},
#define MEM(name, kind, emit)     {TABLE_LEVEL_MEM, H_##name, kind, emit},
static const struct native_row rows[] = {
    INT(mov1, 1, emit_move)
    INT(mov2, 2, emit_move)
    INT(sel1, 0, emit_select)
    INT(iadd, V_PADDD, emit_binary)
    INT(isub, V_PSUBD, emit_binary)
    INT(imul, V_PMULLD, emit_binary)
    INT(and, V_PANDD, emit_binary)
    INT(or, V_PORD, emit_binary)
    INT(xor, V_PXORD, emit_binary)
    INT(imin_s, V_PMINSD, emit_binary)
    INT(imax_s, V_PMAXSD, emit_binary)
    INT(imin_u, V_PMINUD, emit_binary)
    INT(imax_u, V_PMAXUD, emit_binary)
    INT(shl, V_PSLLVD, emit_binary)
    INT(shr_u, V_PSRLVD, emit_binary)
    INT(shr_s, V_PSRAVD, emit_binary)
    INT(imad, 0, emit_imad)
    INT(iscadd, 0, emit_scale_add)
    INT(lop3, 0, emit_lop3)
    INT(imulhi_s, V_PMULDQ, emit_mulhi)
    INT(imulhi_u, V_PMULUDQ, emit_mulhi)
    INT(iadd_g, 0, emit_iadd_carry)
    INT(imad_c, V_PMULLD, emit_imad_carry)
    INT(imadhi_s, V_PMULDQ, emit_imad_carry)
    INT(imadhi_u, V_PMULUDQ, emit_imad_carry)
    INT(isetp_eq, COMPARE(V_CMPD, CMP_EQ), emit_setp)
    INT(isetp_ne, COMPARE(V_CMPD, CMP_NE), emit_setp)
    INT(isetp_lt_s, COMPARE(V_CMPD, CMP_LT), emit_setp)
    INT(isetp_le_s, COMPARE(V_CMPD, CMP_LE), emit_setp)
    INT(isetp_gt_s, COMPARE(V_CMPD, CMP_GT), emit_setp)
    INT(isetp_ge_s, COMPARE(V_CMPD, CMP_GE), emit_setp)
    INT(isetp_lt_u, COMPARE(V_CMPUD, CMP_LT), emit_setp)
    INT(isetp_le_u, COMPARE(V_CMPUD, CMP_LE), emit_setp)
    INT(isetp_gt_u, COMPARE(V_CMPUD, CMP_GT), emit_setp)
    INT(isetp_ge_u, COMPARE(V_CMPUD, CMP_GE), emit_setp)
    INT(isetp_g, 0, emit_compare_any)
    INT(psetp, 0, emit_predicates)
    INT(imulwide_s, V_PMULDQ, emit_wide)
    INT(imulwide_u, V_PMULUDQ, emit_wide)
    INT(imadwide_s, WIDE_ADDS | V_PMULDQ, emit_wide)
    INT(imadwide_u, WIDE_ADDS | V_PMULUDQ, emit_wide)
    INT(shf, 0, emit_funnel)
    INT(iabs, 0, emit_absolute)
    INT(bfe_u, 0, emit_field)
    INT(bfe_s, 1, emit_field)
    MACHINE(iadd3, 0, emit_iadd3)
    MACHINE(iadd3_x, 0, emit_sum3)
    MACHINE(iadd3_c, 1, emit_sum3)
    MACHINE(lea_hi, LEA_HIGH, emit_lea)
    MACHINE(lea_hi_x, LEA_HIGH | LEA_IN, emit_lea)
    MACHINE(lea_c, LEA_CARRIES, emit_lea)
    MACHINE(lea_g, LEA_GENERAL, emit_lea)
    MACHINE(imsub, 1, emit_product_sum)
    MACHINE(imadx, 0, emit_product_sum)
    MACHINE(prmt_same, 0, emit_bytes)
    MACHINE(isetp_ex, 0, emit_compare_chain)
    MACHINE(plop3, 0, emit_predicate3)
    INT64(isetp64_eq, MCMP_EQ, emit_compare64)
    INT64(isetp64_ne, MCMP_NE, emit_compare64)
    INT64(isetp64_lt_s, COMPARE_SIGNED | MCMP_LT, emit_compare64)
    INT64(isetp64_le_s, COMPARE_SIGNED | MCMP_LE, emit_compare64)
    INT64(isetp64_gt_s, COMPARE_SIGNED | MCMP_GT, emit_compare64)
    INT64(isetp64_ge_s, COMPARE_SIGNED | MCMP_GE, emit_compare64)
    INT64(isetp64_lt_u, MCMP_LT, emit_compare64)
    INT64(isetp64_le_u, MCMP_LE, emit_compare64)
    INT64(isetp64_gt_u, MCMP_GT, emit_compare64)
    INT64(isetp64_ge_u, MCMP_GE, emit_compare64)
    FP32(fadd, V_ADDPS, emit_float)
    FP32(fsub, V_SUBPS, emit_float)
    FP32(fmul, V_MULPS, emit_float)
    FP32(fdiv, V_DIVPS, emit_float)
    FP32(ffma, V_FMADD231PS, emit_float)
    FP32(fadd_g, GENERAL | V_ADDPS, emit_float)
    FP32(fmul_g, GENERAL | V_MULPS, emit_float)
    FP32(fdiv_g, GENERAL | V_DIVPS, emit_float)
    FP32(ffma_g, GENERAL | V_FMADD231PS, emit_float)
    FP32(frcp, RECIPROCAL, emit_root)
    FP32(fsqrt, ROOT, emit_root)
    FP32(frcp_g, GENERAL | RECIPROCAL, emit_root)
    FP32(fsqrt_g, GENERAL | ROOT, emit_root)
    FP32(fsetp_eq, COMPARE(V_CMPPS, CMPF_EQ), emit_setp)
    FP32(fsetp_lt, COMPARE(V_CMPPS, CMPF_LT), emit_setp)
    FP32(fsetp_le, COMPARE(V_CMPPS, CMPF_LE), emit_setp)
    FP32(fsetp_gt, COMPARE(V_CMPPS, CMPF_GT), emit_setp)
    FP32(fsetp_ge, COMPARE(V_CMPPS, CMPF_GE), emit_setp)
    FP32(fsetp_neu, COMPARE(V_CMPPS, CMPF_NEU), emit_setp)
    FP32(fsetp_g, 0, emit_fsetp_any)
    FP32(fmov, 0, emit_float_move)
    FP32(fmin, 0, emit_float_extreme)
    FP32(fmax, 1, emit_float_extreme)
    FP32(fchk, 0, emit_hard_quotient)
    FP64(dadd, V_ADDPD, emit_double)
    FP64(dmul, V_MULPD, emit_double)
    FP64(dfma, V_FMADD231PD, emit_double)
    CVT(cvt_f64_f32, 0, emit_widen)
    CVT(cvt_f32_f64, 0, emit_narrow)
    CVT(cvt_f32_s32, V_CVTDQ2PS, emit_unary)
    CVT(cvt_f32_u32, V_CVTUDQ2PS, emit_unary)
    CVT(cvt_f32_small, 0, emit_float_of_part)
    CVT(cvt_floor, ROUND_DOWN, emit_round)
    CVT(cvt_ceil, ROUND_UP, emit_round)
    CVT(cvt_trunc, ROUND_CUT, emit_round)
    CVT(cvt_rint, ROUND_NEAREST, emit_round)
    CVT(cvt_s32_f32_rz, TO_SIGNED | ROUND_CUT, emit_to_integer)
    CVT(cvt_s32_f32_rn, TO_SIGNED | ROUND_NEAREST, emit_to_integer)
    CVT(cvt_s32_f32_rm, TO_SIGNED | ROUND_DOWN, emit_to_integer)
    CVT(cvt_s32_f32_rp, TO_SIGNED | ROUND_UP, emit_to_integer)
    CVT(cvt_u32_f32_rz, ROUND_CUT, emit_to_integer)
    CVT(cvt_u32_f32_rn, ROUND_NEAREST, emit_to_integer)
    CVT(cvt_u32_f32_rm, ROUND_DOWN, emit_to_integer)
    CVT(cvt_u32_f32_rp, ROUND_UP, emit_to_integer)
    SFU(mufu_rcp, GENERAL | RECIPROCAL, emit_root)
    SFU(mufu_sqrt, GENERAL | ROOT, emit_root)
    SFU(mufu_rsq, GENERAL | ROOT | RECIPROCAL, emit_root)
    SFU(mufu_ex2, 0, emit_power)
    SFU(mufu_lg2, 0, emit_logarithm)
    SFU(mufu_sin, SINE, emit_angle)
    SFU(mufu_cos, COSINE, emit_angle)
    SFU(mufu_sin_turn, TURNS | SINE, emit_angle)
    SFU(mufu_cos_turn, TURNS | COSINE, emit_angle)
    SFU(mufu_tanh, 0, emit_tangent)
    FP32(fdiv_approx, 0, emit_quotient)
    MEM(ld32_shared, 0, emit_load_shared)
    MEM(ld32_global, 0, emit_load_global)
    MEM(ld_small_shared, 0, emit_load_shared)
    MEM(ld_small_global, 0, emit_load_global)
    MEM(ldc32, 0, emit_load_constant)
};

// A handler's address is what an instruction keeps of the decoder's choice.
const struct native_row *native_row_of(exec_fn fn) {
    static const struct native_row nothing = {.emit = emit_nothing};
    static const struct native_row special = {.emit = emit_special_register};
    if (fn == warp_fns[WARP_NOP]) return &nothing;
    if (fn == warp_fns[WARP_S2R]) return &special;
    const struct exec_level *const level = exec_level();
    for (size_t k = 0; k < WW_COUNT(rows); k++)
        if (level->table[rows[k].table][rows[k].handler] == fn) return &rows[k];
    return NULL;
}
#else
const struct native_row *native_row_of(exec_fn fn) {
    (void)fn;
    return NULL;
}
#endif
