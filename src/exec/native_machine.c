// Integers in lines beyond what one instruction of the host computes (native_ops.c has that): sums of
// three, shifted sums and products with carries, pairs, bytes, comparisons of pairs, logic of
// predicates, special registers. A row computes what the handler of int_machine_simd.c, int_simd.c,
// int64_simd.c or warp.c does.
#include "exec/native_int.h"

#include "exec/handlers.h"

#if defined(__x86_64__)
// ---- operands -----------------------------------------------------------------------------------
static struct source word_of(struct compiler *c, uint32_t o, uint32_t word) {
    const struct source s = source_of(c, o, word);
    source_look(c, &s);
    return s;
}
static struct source word_in_registers(struct compiler *c, uint32_t o, uint32_t word,
                                       uint32_t temp) {
    const struct source s = source_in_registers(c, o, word, temp);
    source_look(c, &s);
    return s;
}
static bool is_inverted(const struct xinst *x, uint32_t k) {
    return x->mods[k] & (OPND_NEG | OPND_NOT);
}
// Ones that negated words add to their complements.
static uint32_t ones_of(const struct xinst *x, uint32_t n) {
    uint32_t ones = 0;
    for (uint32_t k = 0; k < n; k++) ones += x->mods[k] & OPND_NEG ? 1 : 0;
    return ones;
}
static void put_all_ones(struct emitter *m, uint32_t v) {
    put_vector_imm(m, V_PTERNLOGD, v, v, vec_reg(v), 0xff);
}
// A copy in `to`, perhaps its complement.
static void put_copy(struct emitter *m, uint32_t to, struct vec from, bool inverted) {
    put_vector(m, V_MOVE, to, 0, from);
    if (inverted) put_vector_imm(m, V_PTERNLOGD, to, to, vec_reg(to), 0x55);
}
// Masks of two halves, one after the other, become a word in RAX; RSI is lost.
static void put_mask_half(struct emitter *m, uint32_t h, uint32_t k) {
    put_mask_to(m, h ? RAX : RSI, k);
    if (!h) return;
    put_shift(m, 0, true, RAX, 16);
    put_rr(m, 0, G_OR, RAX, RSI);
}

// What is added beside words: a number and up to two predicates, in GPRs from R8 on.
struct more {
    uint32_t ones, n;
};
static struct more put_more_begin(struct compiler *c, uint32_t ones, const uint32_t *in,
                                  uint32_t n) {
    struct more a = {.ones = ones};
    for (uint32_t k = 0; k < n; k++)
        if (!is_false(in[k])) put_predicate(c, R8 + a.n++, in[k]);
    return a;
}
static bool has_more(const struct more *a) { return a->ones || a->n; }
// To vector `to` for the next half; `temp` and mask 3 are lost.
static void put_more(struct emitter *m, const struct more *a, uint32_t to, uint32_t temp) {
    if (a->ones) {
        put_const(m, RAX, a->ones);
        put_vector(m, V_SPREAD_GPR, to, 0, vec_reg(RAX));
    } else {
        put_vector(m, V_PXORD, to, to, vec_reg(to));
    }
    if (a->n) put_all_ones(m, temp);
    for (uint32_t k = 0; k < a->n; k++) {
        put_mask_from(m, 3, R8 + k);
        put_shift(m, 0, false, R8 + k, 16);
        put_vector_masked(m, V_PSUBD, to, to, vec_reg(temp), 3);
    }
}
// Vector v plus `more` in `added`; mask 2 gets the lanes that carry beside what it has.
static void put_sum_more(struct emitter *m, uint32_t v, uint32_t added, bool carries) {
    put_vector(m, V_PADDD, v, v, vec_reg(added));
    if (!carries) return;
    put_vector_imm(m, V_CMPUD, 1, v, vec_reg(added), CMP_LT);
    put_mask_or(m, 2, 2, 1);
}

// ---- sums ---------------------------------------------------------------------------------------
// a + b + c and what is added beside them. kind: whether a carry goes out.
bool emit_sum3(struct compiler *c, const struct xinst *x, uint32_t kind) {
    const bool carries = kind && !pred_is_true(x->d1 % PRED_FILE);
    if (kind && !pred_is_true(x->d2 % PRED_FILE)) return false; // a carry of two
    const struct source s[3] = {word_of(c, x->a, 0), word_of(c, x->b, 0), word_of(c, x->c, 0)};
    const uint32_t d = result_pair(c), in[2] = {x->e, x->f};
    const struct more more = put_more_begin(c, ones_of(x, 3), in, 2);
    struct emitter *const m = &c->s.m;
    for (uint32_t h = 0; h < 2; h++) {
        const uint32_t v = pair_half(d, h), a = TEMP;
        for (uint32_t k = 0; k < 3; k++) put_copy(m, a + k, s[k].half[h], is_inverted(x, k));
        put_vector(m, V_PADDD, v, a, vec_reg(a + 1));
        if (carries) put_vector_imm(m, V_CMPUD, 2, v, vec_reg(a), CMP_LT);
        put_sum_more(m, v, a + 2, carries);
        if (has_more(&more)) {
            put_more(m, &more, TEMP + 3, TEMP + 4);
            put_sum_more(m, v, TEMP + 3, carries);
        }
        if (carries) put_mask_half(m, h, 2);
    }
    result_is(c, d, x->d, false);
    if (carries) predicate_is(c, x->d1 % PRED_FILE);
    return true;
}
// a, shifted up and perhaps the high word of that, plus b.
bool emit_lea(struct compiler *c, const struct xinst *x, uint32_t kind) {
    const bool is_general = kind & LEA_GENERAL;
    const bool high = is_general ? (x->flags & MF_HI) != 0 : (kind & LEA_HIGH) != 0;
    const bool carries = kind & (LEA_GENERAL | LEA_CARRIES) && !pred_is_true(x->d1 % PRED_FILE);
    const bool extends = x->aux8, has_in = kind & (LEA_GENERAL | LEA_IN);
    const uint32_t n = x->sub & 31u;
    const struct source a = word_of(c, x->a, 0), b = word_of(c, x->b, 0);
    const struct source above = high && !extends ? word_of(c, x->c, 0) : a;
    const uint32_t d = result_pair(c);
    const struct more more =
        put_more_begin(c, is_general ? ones_of(x, 2) : 0, &x->e, has_in ? 1 : 0);
    struct emitter *const m = &c->s.m;
    for (uint32_t h = 0; h < 2; h++) {
        const uint32_t v = pair_half(d, h), va = TEMP, vb = TEMP + 1, low = TEMP + 2;
        if (high) {
            put_vector(m, V_MOVE, va, 0, above.half[h]);
            if (extends) put_shift_by(m, SHIFT_ARITHMETIC, va, vec_reg(va), 31);
            put_shift_by(m, SHIFT_LEFT, va, vec_reg(va), n);
            if (n) {
                put_shift_by(m, SHIFT_RIGHT, low, a.half[h], 32 - n);
                put_vector(m, V_PORD, va, va, vec_reg(low));
            }
        } else {
            put_shift_by(m, SHIFT_LEFT, va, a.half[h], n);
        }
        if (is_general && is_inverted(x, 0)) put_copy(m, va, vec_reg(va), true);
        put_copy(m, vb, b.half[h], is_general && is_inverted(x, 1));
        put_vector(m, V_PADDD, v, va, vec_reg(vb));
        if (carries) put_vector_imm(m, V_CMPUD, 2, v, vec_reg(va), CMP_LT);
        if (has_more(&more)) {
            put_more(m, &more, TEMP + 3, TEMP + 4);
            put_sum_more(m, v, TEMP + 3, carries);
        }
        if (carries) put_mask_half(m, h, 2);
    }
    result_is(c, d, x->d, false);
    if (carries) predicate_is(c, x->d1 % PRED_FILE);
    return true;
}

// ---- products -----------------------------------------------------------------------------------
// Both words of a * b, and perhaps c added. kind: PMULDQ or PMULUDQ, and WIDE_ADDS.
bool emit_wide(struct compiler *c, const struct xinst *x, uint32_t kind) {
    const bool adds = kind & WIDE_ADDS;
    const enum vector_op product = kind & (WIDE_ADDS - 1u);
    const struct source a = word_in_registers(c, x->a, 0, TEMP), b = word_of(c, x->b, 0);
    const struct source s[2] = {adds ? word_of(c, x->c, 0) : a, adds ? word_of(c, x->c, 1) : a};
    const uint32_t d[2] = {result_pair(c), result_pair(c)};
    struct emitter *const m = &c->s.m;
    for (uint32_t h = 0; h < 2; h++) {
        const uint32_t low = pair_half(d[0], h), high = pair_half(d[1], h);
        put_upper(m, product, high, a.half[h], b.half[h]);
        put_vector(m, V_PMULLD, low, a.half[h].reg, b.half[h]);
        if (!adds) continue;
        put_vector(m, V_PADDD, low, low, s[0].half[h]);
        put_vector(m, V_PADDD, high, high, s[1].half[h]);
        put_vector_imm(m, V_CMPUD, 1, low, s[0].half[h], CMP_LT);
        put_all_ones(m, TEMP + 3);
        put_vector_masked(m, V_PSUBD, high, high, vec_reg(TEMP + 3), 1);
    }
    results_are(c, d, 2, x->d);
    return true;
}
// The low word of a * b, plus c and what is added beside it. kind: c is subtracted, nothing else.
bool emit_product_sum(struct compiler *c, const struct xinst *x, uint32_t kind) {
    const struct source a = word_in_registers(c, x->a, 0, TEMP), b = word_of(c, x->b, 0),
                        s = word_of(c, x->c, 0);
    const uint32_t d = result_pair(c);
    struct emitter *const m = &c->s.m;
    const struct more more =
        put_more_begin(c, kind || !(x->mods[2] & OPND_NEG) ? 0 : 1, &x->e, kind ? 0 : 1);
    for (uint32_t h = 0; h < 2; h++) {
        const uint32_t v = pair_half(d, h);
        put_vector(m, V_PMULLD, v, a.half[h].reg, b.half[h]);
        if (kind) {
            put_vector(m, V_PSUBD, v, v, s.half[h]);
            continue;
        }
        put_copy(m, TEMP + 1, s.half[h], is_inverted(x, 2));
        put_vector(m, V_PADDD, v, v, vec_reg(TEMP + 1));
        if (!has_more(&more)) continue;
        put_more(m, &more, TEMP + 3, TEMP + 4);
        put_sum_more(m, v, TEMP + 3, false);
    }
    result_is(c, d, x->d, false);
    return true;
}

// ---- shifts, bytes, fields ----------------------------------------------------------------------
// A permutation of bytes that is the same in all lanes: from each word those that it gives.
bool emit_bytes(struct compiler *c, const struct xinst *x, uint32_t kind) {
    (void)kind;
    if (!(x->c & X_POOL)) return false;
    const uint32_t selector = pool_word(c, x->c);
    uint32_t from[2] = {0, 0}; // by word, its byte for each of the result; 128: none
    for (uint32_t k = 0; k < 4; k++) {
        const uint32_t n = selector >> 4 * k & 15;
        for (uint32_t w = 0; w < 2; w++) from[w] |= (n >> 2 == w ? n & 3 : 128) << 8 * k;
    }
    const struct source s[2] = {word_in_registers(c, x->a, 0, TEMP),
                                word_in_registers(c, x->b, 0, TEMP + 1)};
    const uint32_t d = result_pair(c), none = 0x80808080u;
    struct emitter *const m = &c->s.m;
    for (uint32_t w = 0; w < 2; w++) {
        put_const(m, RAX, from[w]);
        put_vector(m, V_SPREAD_GPR, TEMP + 2 + w, 0, vec_reg(RAX));
        put_vector(m, V_PORD, TEMP + 2 + w, TEMP + 2 + w,
                   vec_mem(TABLE, offsetof(struct native_table, quads)));
    }
    for (uint32_t h = 0; h < 2; h++) {
        const uint32_t v = pair_half(d, h), first = from[0] == none ? 1 : 0;
        put_vector(m, V_SHUFFLE_BYTES, v, s[first].half[h].reg, vec_reg(TEMP + 2 + first));
        if (first || from[1] == none) continue;
        put_vector(m, V_SHUFFLE_BYTES, TEMP + 4, s[1].half[h].reg, vec_reg(TEMP + 3));
        put_vector(m, V_PORD, v, v, vec_reg(TEMP + 4));
    }
    result_is(c, d, x->d, false);
    return true;
}
// A word of b:a, shifted by a constant.
bool emit_funnel(struct compiler *c, const struct xinst *x, uint32_t kind) {
    (void)kind;
    if (!(x->c & X_POOL)) return false;
    const uint32_t count = pool_word(c, x->c);
    const uint32_t n = x->flags & MF_WRAP ? count & 31 : count > 32 ? 32 : count;
    // By how much each of the words goes which way; the host's shifts by 32 leave nothing.
    const bool left = x->flags & MF_LEFT;
    const uint32_t up = left ? n : 32 - n, down = left ? 32 - n : n;
    const struct source a = word_of(c, x->a, 0), b = word_of(c, x->b, 0);
    const uint32_t d = result_pair(c);
    struct emitter *const m = &c->s.m;
    for (uint32_t h = 0; h < 2; h++) {
        put_shift_by(m, SHIFT_LEFT, pair_half(d, h), b.half[h], up);
        put_shift_by(m, SHIFT_RIGHT, TEMP, a.half[h], down);
        put_vector(m, V_PORD, pair_half(d, h), pair_half(d, h), vec_reg(TEMP));
    }
    result_is(c, d, x->d, false);
    return true;
}
bool emit_absolute(struct compiler *c, const struct xinst *x, uint32_t kind) {
    (void)kind;
    if (isa_type_bits(x->type) != 32) return false;
    const struct source a = word_of(c, x->a, 0);
    const uint32_t d = result_pair(c);
    for (uint32_t h = 0; h < 2; h++)
        put_vector(&c->s.m, V_PABSD, pair_half(d, h), 0, a.half[h]);
    result_is(c, d, x->d, false);
    return true;
}
// The field of a whose place and length are constants. kind: signed.
bool emit_field(struct compiler *c, const struct xinst *x, uint32_t kind) {
    if (!(x->b & X_POOL) || !(x->c & X_POOL)) return false;
    const uint32_t at = pool_word(c, x->b) & 255, length = pool_word(c, x->c) & 255;
    if (!length || at > 31) return false;
    const uint32_t n = at + length > 32 ? 32 - at : length;
    const struct source a = word_of(c, x->a, 0);
    const uint32_t d = result_pair(c);
    for (uint32_t h = 0; h < 2; h++) {
        const uint32_t v = pair_half(d, h);
        put_shift_by(&c->s.m, SHIFT_LEFT, v, a.half[h], 32 - n - at);
        put_shift_by(&c->s.m, kind ? SHIFT_ARITHMETIC : SHIFT_RIGHT, v, vec_reg(v), 32 - n);
    }
    result_is(c, d, x->d, false);
    return true;
}

// ---- predicates ---------------------------------------------------------------------------------
bool emit_predicates(struct compiler *c, const struct xinst *x, uint32_t kind) {
    (void)kind;
    const uint32_t op = x->sub == MLOGIC_AND   ? G_AND
                        : x->sub == MLOGIC_OR  ? G_OR
                        : x->sub == MLOGIC_XOR ? G_XOR
                                               : 0;
    put_predicate(c, RAX, op || !x->aux8 ? x->a : x->b);
    if (op) {
        put_predicate(c, RDI, x->b);
        put_rr(&c->s.m, 0, op, RAX, RDI);
    }
    predicate_is(c, x->d % PRED_FILE);
    return true;
}
// Any two functions of three predicates.
bool emit_predicate3(struct compiler *c, const struct xinst *x, uint32_t kind) {
    (void)kind;
    struct emitter *const m = &c->s.m;
    const uint32_t in[3] = {x->a, x->b, x->c}, to[2] = {x->d % PRED_FILE, x->d1 % PRED_FILE};
    const uint8_t function[2] = {x->sub, x->stype};
    for (uint32_t k = 0; k < 3; k++) {
        put_predicate(c, RAX, in[k]);
        put_vector(m, V_SPREAD_GPR, TEMP + k, 0, vec_reg(RAX));
    }
    for (uint32_t k = 0; k < 2; k++) {
        if (pred_is_true(to[k])) continue;
        put_vector(m, V_MOVE, TEMP + 3, 0, vec_reg(TEMP));
        put_vector_imm(m, V_PTERNLOGD, TEMP + 3, TEMP + 1, vec_reg(TEMP + 2), function[k]);
        put_first_lane(m, k ? RDI : RSI, TEMP + 3);
    }
    for (uint32_t k = 0; k < 2; k++) {
        if (pred_is_true(to[k])) continue;
        put_rr(m, 0, G_LOAD, RAX, k ? RDI : RSI);
        predicate_is(c, to[k]);
    }
    return true;
}
// Comparisons of pairs. kind: enum mcmp, and COMPARE_SIGNED.
bool emit_compare64(struct compiler *c, const struct xinst *x, uint32_t kind) {
    const enum mcmp cmp = kind & (COMPARE_SIGNED - 1u);
    const bool swaps = cmp == MCMP_GT || cmp == MCMP_GE, equal = cmp == MCMP_EQ || cmp == MCMP_NE;
    const uint32_t first = swaps ? x->b : x->a, second = swaps ? x->a : x->b;
    const struct source p[2] = {word_in_registers(c, first, 0, TEMP),
                                word_in_registers(c, first, 1, TEMP + 1)};
    const struct source q[2] = {word_of(c, second, 0), word_of(c, second, 1)};
    const enum vector_op high = kind & COMPARE_SIGNED ? V_CMPD : V_CMPUD;
    struct emitter *const m = &c->s.m;
    for (uint32_t h = 0; h < 2; h++) {
        const uint32_t k = 1 + h, p0 = p[0].half[h].reg, p1 = p[1].half[h].reg;
        const struct vec q0 = q[0].half[h], q1 = q[1].half[h];
        if (equal) {
            put_vector_imm(m, V_CMPD, k, p0, q0, CMP_EQ);
            put_vector_imm_masked(m, V_CMPD, k, p1, q1, CMP_EQ, k);
            if (cmp == MCMP_NE) put_mask_not(m, k, k);
            continue;
        }
        put_vector_imm(m, high, k, p1, q1, CMP_LT);
        put_vector_imm(m, V_CMPD, 3, p1, q1, CMP_EQ);
        put_vector_imm_masked(m, V_CMPUD, 3, p0, q0,
                              cmp == MCMP_LE || cmp == MCMP_GE ? CMP_LE : CMP_LT, 3);
        put_mask_or(m, k, k, 3);
    }
    put_setp(c, x);
    return true;
}
// The comparison of high words behind that of low ones, which is predicate e.
bool emit_compare_chain(struct compiler *c, const struct xinst *x, uint32_t kind) {
    (void)kind;
    static const uint8_t how[] = {[MCMP_EQ] = CMP_FALSE, [MCMP_NE] = CMP_NE, [MCMP_LT] = CMP_LT,
                                  [MCMP_LE] = CMP_LT,    [MCMP_GT] = CMP_GT, [MCMP_GE] = CMP_GT};
    if (x->cmp != MCMP_EQ && (x->cmp >= WW_COUNT(how) || !how[x->cmp])) return false;
    const struct source a = word_in_registers(c, x->a, 0, TEMP), b = word_of(c, x->b, 0);
    const enum vector_op compare = x->type == ITYPE_S32 ? V_CMPD : V_CMPUD;
    struct emitter *const m = &c->s.m;
    put_predicate(c, RDI, x->e);
    for (uint32_t h = 0; h < 2; h++) {
        put_vector_imm(m, compare, 1 + h, a.half[h].reg, b.half[h], how[x->cmp]);
        put_mask_from(m, 3, RDI);
        put_shift(m, 0, false, RDI, 16);
        put_vector_imm_masked(m, V_CMPD, 3, a.half[h].reg, b.half[h], CMP_EQ, 3);
        put_mask_or(m, 1 + h, 1 + h, 3);
    }
    put_setp(c, x);
    return true;
}
// Words, halves or bytes; numbers are always ordered.
bool emit_compare_any(struct compiler *c, const struct xinst *x, uint32_t kind) {
    (void)kind;
    static const uint8_t how[] = {
        [MCMP_EQ] = CMP_EQ + 1, [MCMP_NE] = CMP_NE + 1,  [MCMP_LT] = CMP_LT + 1,
        [MCMP_LE] = CMP_LE + 1, [MCMP_GT] = CMP_GT + 1,  [MCMP_GE] = CMP_GE + 1,
        [MCMP_EQU] = CMP_EQ + 1, [MCMP_NEU] = CMP_NE + 1, [MCMP_LTU] = CMP_LT + 1,
        [MCMP_LEU] = CMP_LE + 1, [MCMP_GTU] = CMP_GT + 1, [MCMP_GEU] = CMP_GE + 1};
    const uint32_t bits = isa_type_bits(x->type);
    if (bits > 32 || x->type == ITYPE_U16X2 || x->type == ITYPE_S16X2) return false;
    if (x->cmp >= WW_COUNT(how) || !how[x->cmp]) return false;
    const bool is_signed = x->type == ITYPE_S32 || x->type == ITYPE_S16 || x->type == ITYPE_S8;
    if (bits == 32 && !is_signed && x->type != ITYPE_U32 && x->type != ITYPE_B32) return false;
    const struct source a = word_of(c, x->a, 0), b = word_of(c, x->b, 0);
    struct emitter *const m = &c->s.m;
    for (uint32_t h = 0; h < 2; h++) {
        put_shift_by(m, SHIFT_LEFT, TEMP, a.half[h], 32 - bits);
        put_shift_by(m, SHIFT_LEFT, TEMP + 1, b.half[h], 32 - bits);
        put_vector_imm(m, is_signed ? V_CMPD : V_CMPUD, 1 + h, TEMP, vec_reg(TEMP + 1),
                       how[x->cmp] - 1u);
    }
    put_setp(c, x);
    return true;
}

// ---- special registers --------------------------------------------------------------------------
// A word of the block in RAX. False: the register is no such word.
static bool put_block_word(struct compiler *c, uint32_t r) {
    struct emitter *const m = &c->s.m;
    const struct exec_launch_args *const a = &c->l->args;
    switch (r) {
    case SREG_ctaid_x:
    case SREG_ctaid_y:
    case SREG_ctaid_z:
        put_rm(m, 1, G_LOAD, RAX, WARP, offsetof(struct exec_warp, cta));
        put_rm(m, 0, G_LOAD, RAX, RAX,
               (int32_t)(offsetof(struct exec_cta, id) + 4 * (r - SREG_ctaid_x)));
        return true;
    case SREG_ntid_x:
    case SREG_ntid_y:
    case SREG_ntid_z: put_const(m, RAX, a->block[r - SREG_ntid_x]); return true;
    case SREG_nctaid_x:
    case SREG_nctaid_y:
    case SREG_nctaid_z: put_const(m, RAX, a->grid[r - SREG_nctaid_x]); return true;
    default: return false;
    }
}
// Where a thread's place along an axis stands in its number: bits from `at` on, all those above if
// there is no mask. False: the block's sides are no powers of two.
static bool place_of(const uint32_t block[3], uint32_t axis, uint32_t *at, uint32_t *mask) {
    *at = 0;
    for (uint32_t k = 0; k < axis; k++) {
        const uint32_t shift = bits_first32(block[k]);
        if (block[k] != 1u << shift) return false;
        *at += shift;
    }
    *mask = ~0u;
    for (uint32_t k = axis + 1; k < 3; k++) {
        if (block[k] == 1) continue; // nothing lies above
        if (block[axis] != 1u << bits_first32(block[axis])) return false;
        *mask = block[axis] - 1;
    }
    return *at < 32;
}
bool emit_special_register(struct compiler *c, const struct xinst *x, uint32_t kind) {
    (void)kind;
    if (x->aux8 == 2) return false;
    struct emitter *const m = &c->s.m;
    const uint32_t r = x->a;
    const bool is_lane = r == SREG_laneid;
    if (is_lane || r == SREG_tid_x || r == SREG_tid_y || r == SREG_tid_z) {
        uint32_t at = 0, mask = ~0u;
        if (!is_lane && !place_of(c->l->args.block, r - SREG_tid_x, &at, &mask)) return false;
        const uint32_t d = result_pair(c);
        put_rr(m, 0, G_XOR, RAX, RAX);
        if (!is_lane) put_rm(m, 0, G_LOAD, RAX, WARP, offsetof(struct exec_warp, warp_in_cta));
        put_shift(m, 0, true, RAX, 5);
        for (uint32_t h = 0; h < 2; h++) {
            const uint32_t v = pair_half(d, h);
            if (h) put_ri(m, 0, 0, RAX, 16);
            put_vector(m, V_SPREAD_GPR, TEMP, 0, vec_reg(RAX));
            put_shift_by(m, SHIFT_RIGHT, v, vec_reg(LANE_BYTES), 2);
            put_vector(m, V_PADDD, v, v, vec_reg(TEMP));
            if (at) put_shift_by(m, SHIFT_RIGHT, v, vec_reg(v), at);
            if (mask == ~0u) continue;
            put_const(m, R8, mask);
            put_vector(m, V_SPREAD_GPR, TEMP, 0, vec_reg(R8));
            put_vector(m, V_PANDD, v, v, vec_reg(TEMP));
        }
        result_is(c, d, x->d, false);
        return true;
    }
    if (!put_block_word(c, r)) return false;
    const uint32_t d = result_pair(c);
    for (uint32_t h = 0; h < 2; h++)
        put_vector(m, V_SPREAD_GPR, pair_half(d, h), 0, vec_reg(RAX));
    result_is(c, d, x->d, false);
    return true;
}
#endif
