// Special functions in lines: the expressions of sfu_lane.h by the host's instructions, in the same
// order, eight lanes of double precision a vector. Which NaN comes in makes no difference, and what
// comes out is the one NaN that handlers make.
#include "exec/native_int.h"

#include "exec/sfu_lane.h"

#if defined(__x86_64__)
// ---- numbers ------------------------------------------------------------------------------------
#define NUMBER(c) c,
enum { EX2_N = 6, LG2_N = 11, SIN_N = 6 };
static const struct {
    double ex2[EX2_N], lg2[LG2_N], sin[SIN_N];
    double magic, one, ex2_least, ex2_most;
    double turn, whole, quarter, half, minus_quarter, minus_half;
    double tanh_scale, tanh_least, tanh_most, cube, near;
    uint64_t magnitude, to_root, float_of_integer;
    double integer_bias;
    uint32_t below, large, span;
} numbers = {.ex2 = {SFU_EX2(NUMBER, NUMBER)},
             .lg2 = {SFU_LG2(NUMBER, NUMBER)},
             .sin = {SFU_SIN(NUMBER, NUMBER)},
             .magic = 0x1.8p52,
             .one = 1.0,
             .ex2_least = -300.0,
             .ex2_most = 300.0,
             .turn = SFU_TURN,
             .whole = 0x1p51,
             .quarter = 0.25,
             .half = 0.5,
             .minus_quarter = -0.25,
             .minus_half = -0.5,
             .tanh_scale = SFU_TANH_SCALE,
             .tanh_least = -20.0,
             .tanh_most = 20.0,
             .cube = SFU_TANH_CUBE,
             .near = 0x1p-7,
             .magnitude = 0x7fffffffffffffffull,
             .to_root = 0x3ff0000000000000ull - SFU_HALF_ROOT,
             .float_of_integer = 0x4330000000000000ull,
             .integer_bias = 0x1p52 + 1023.0,
             .below = 0xff800000u, // minus infinity
             .large = 0x7e800001u,
             .span = 0x7f800000u - 0x7e800001u};
// All lanes of an operand are this one.
#define OF(name) ((struct vec){VEC_ONE, R11, (int32_t)offsetof(__typeof__(numbers), name)})
#define AT(name) vec_mem(R11, (int32_t)offsetof(__typeof__(numbers), name))
static void put_numbers(struct emitter *m) { put_const64(m, R11, (uintptr_t)&numbers); }

// ---- two vectors of eight doubles beside each other ---------------------------------------------
// What lanes 0 to 7 and 8 to 15 of a half become: in X, with Q and N to compute with.
enum { X = TEMP, Q = TEMP + 2, N = TEMP + 4 };
#define EACH for (uint32_t g = 0; g < 2; g++)
static void put2(struct emitter *m, enum vector_op op, uint32_t dst, uint32_t a, uint32_t b) {
    EACH put_vector(m, op, dst + g, a + g, vec_reg(b + g));
}
static void put2_by(struct emitter *m, enum vector_op op, uint32_t dst, uint32_t a, struct vec b) {
    EACH put_vector(m, op, dst + g, a + g, b);
}
static void put2_spread(struct emitter *m, uint32_t dst, struct vec one) {
    EACH put_vector(m, V_SPREAD_Q, dst + g, 0, one);
}
static void put2_shift(struct emitter *m, uint32_t way, uint32_t v, uint32_t by) {
    EACH put_vector_imm(m, V_SHIFT_Q, way, v + g, vec_reg(v + g), by);
}
static void put_widen(struct emitter *m, uint32_t from) {
    put_vector_imm(m, V_EXTRACT_HALF, from, 0, vec_reg(X + 1), 1);
    put_vector(m, V_CVTPS2PD, X, 0, vec_reg(from));
    put_vector(m, V_CVTPS2PD, X + 1, 0, vec_reg(X + 1));
}
static void put_narrow(struct emitter *m, uint32_t from) { // to X
    EACH put_vector(m, V_CVTPD2PS, X + g, 0, vec_reg(from + g));
    put_vector_imm(m, V_INSERT_HALF, X, X, vec_reg(X + 1), 1);
}
// Q = the polynomial at `at`
static void put_polynomial(struct emitter *m, uint32_t at, int32_t first, uint32_t n) {
    put2_spread(m, Q, vec_mem(R11, first));
    for (uint32_t k = 1; k < n; k++) {
        put2(m, V_MULPD, Q, Q, at);
        put2_by(m, V_ADDPD, Q, Q, (struct vec){VEC_ONE, R11, first + 8 * (int32_t)k});
    }
}
#define POLYNOMIAL(m, at, name)                                                                    \
    put_polynomial(m, at, (int32_t)offsetof(__typeof__(numbers), name), WW_COUNT(numbers.name))

// Lanes of float vector v that are NaN have the NaN in `to`.
static void put_nan_of(struct emitter *m, uint32_t to, uint32_t v) {
    put_vector_imm(m, V_CMPPS, 1, v, vec_reg(v), CMPF_UNORD);
    put_vector_masked(m, V_MOVE, to, 0, vec_reg(NAN_WORD), 1);
}

// ---- the functions: of the floats in v, whose doubles are in X, to the floats in X --------------
typedef void put_function(struct emitter *m, uint32_t v, uint32_t kind);

static void put_ex2(struct emitter *m) { // to Q
    put2_by(m, V_ADDPD, N, X, OF(magic));
    put2_by(m, V_SUBPD, Q, N, OF(magic));
    put2(m, V_SUBPD, X, X, Q);
    POLYNOMIAL(m, X, ex2);
    put2(m, V_MULPD, Q, Q, X);
    put2_by(m, V_ADDPD, Q, Q, OF(one));
    put2_by(m, V_PSUBQ, N, N, OF(magic));
    put2_shift(m, SHIFT_LEFT, N, 52);
    put2(m, V_PADDQ, Q, Q, N);
}
static void put_power(struct emitter *m, uint32_t v, uint32_t kind) {
    (void)kind;
    put2_by(m, V_MINPD, X, X, OF(ex2_most));
    put2_by(m, V_MAXPD, X, X, OF(ex2_least));
    put_ex2(m);
    put_narrow(m, Q);
    put_nan_of(m, X, v);
}
static void put_logarithm(struct emitter *m, uint32_t v, uint32_t kind) {
    (void)kind;
    put2_by(m, V_PADDQ, N, X, OF(to_root));
    put2_shift(m, SHIFT_RIGHT, N, 52); // the exponent, biased
    EACH put_vector(m, V_PORQ, Q + g, N + g, OF(float_of_integer));
    put2_by(m, V_SUBPD, Q, Q, OF(integer_bias));
    put2_shift(m, SHIFT_LEFT, N, 52);
    put2(m, V_PSUBQ, X, X, N);
    put2_by(m, V_PADDQ, X, X, OF(one));
    put2_by(m, V_SUBPD, X, X, OF(one)); // t
    EACH put_vector(m, V_MOVE, N + g, 0, vec_reg(Q + g)); // the exponent
    POLYNOMIAL(m, X, lg2);
    put2(m, V_MULPD, Q, Q, X);
    put2(m, V_ADDPD, Q, Q, N);
    put_narrow(m, Q);
    put_vector_imm(m, V_CMPD, 1, v, TABLE_WORD(exponent), CMP_EQ); // infinity
    put_vector_masked(m, V_MOVE, X, 0, vec_reg(v), 1);
    put_vector_imm(m, V_CMPUD, 1, v, TABLE_WORD(exponent), CMP_GT); // negative or NaN
    put_vector_masked(m, V_MOVE, X, 0, vec_reg(NAN_WORD), 1);
    put_vector(m, V_TESTNMD, 1, v, TABLE_WORD(magnitude)); // zeros
    put_vector_masked(m, V_SPREAD, X, 0, AT(below), 1);
}
// Beyond `quarter` turns become `half` less them.
static void put_beyond(struct emitter *m, uint32_t how, struct vec quarter, struct vec half) {
    put2_spread(m, N, half);
    EACH {
        put_vector_imm(m, V_CMPPD, 1, X + g, quarter, how);
        put_vector_masked(m, V_SUBPD, X + g, N + g, vec_reg(X + g), 1);
    }
}
static void put_angle(struct emitter *m, uint32_t v, uint32_t kind) {
    if (!(kind & TURNS)) put2_by(m, V_MULPD, X, X, OF(turn));
    // Less the nearest whole number; beyond 2^51 turns less itself.
    put2_by(m, V_ADDPD, N, X, OF(magic));
    put2_by(m, V_SUBPD, N, N, OF(magic));
    put2_by(m, V_PANDQ, Q, X, OF(magnitude));
    EACH {
        put_vector_imm(m, V_CMPPD, 1, Q + g, OF(whole), CMPF_GEU);
        put_vector_masked(m, V_MOVE_Q, N + g, 0, vec_reg(X + g), 1);
    }
    put2(m, V_SUBPD, X, X, N);
    if (kind & COSINE) {
        put2_by(m, V_PANDQ, X, X, OF(magnitude));
        put2_spread(m, N, AT(quarter));
        put2(m, V_SUBPD, X, N, X);
    } else {
        put_beyond(m, CMPF_GT, OF(quarter), AT(half));
        put_beyond(m, CMPF_LT, OF(minus_quarter), AT(minus_half));
    }
    put2(m, V_MULPD, N, X, X);
    POLYNOMIAL(m, N, sin);
    put2(m, V_MULPD, Q, X, Q);
    put_narrow(m, Q);
    if (!(kind & COSINE)) { // zeros keep their sign
        put_vector(m, V_TESTNMD, 1, v, TABLE_WORD(magnitude));
        put_vector_masked(m, V_MOVE, X, 0, vec_reg(v), 1);
    }
    put_vector(m, V_PANDD, Q, v, TABLE_WORD(exponent)); // infinity or NaN
    put_vector_imm(m, V_CMPD, 1, Q, TABLE_WORD(exponent), CMP_EQ);
    put_vector_masked(m, V_MOVE, X, 0, vec_reg(NAN_WORD), 1);
}
static void put_tangent(struct emitter *m, uint32_t v, uint32_t kind) {
    (void)kind;
    put2_by(m, V_MINPD, X, X, OF(tanh_most));
    put2_by(m, V_MAXPD, X, X, OF(tanh_least));
    put2_by(m, V_MULPD, X, X, OF(tanh_scale));
    put_ex2(m);
    put2_by(m, V_SUBPD, N, Q, OF(one));
    put2_by(m, V_ADDPD, Q, Q, OF(one));
    put2(m, V_DIVPD, N, N, Q); // far from zero
    put_widen(m, v);
    put2(m, V_MULPD, Q, X, X);
    put2(m, V_MULPD, Q, Q, X);
    put2_by(m, V_MULPD, Q, Q, OF(cube));
    put2(m, V_SUBPD, Q, X, Q); // near it
    put2_by(m, V_PANDQ, X, X, OF(magnitude));
    EACH {
        put_vector_imm(m, V_CMPPD, 1, X + g, OF(near), CMPF_LT);
        put_vector_masked(m, V_MOVE_Q, N + g, 0, vec_reg(Q + g), 1);
    }
    put_narrow(m, N);
    put_vector(m, V_TESTNMD, 1, v, TABLE_WORD(magnitude)); // zeros keep their sign
    put_vector_masked(m, V_MOVE, X, 0, vec_reg(v), 1);
    put_nan_of(m, X, v);
}

static bool emit_function(struct compiler *c, const struct xinst *x, put_function *put,
                          uint32_t kind, bool flushes) {
    const struct tweaks t = tweaks_of(x, GENERAL);
    struct emitter *const m = &c->s.m;
    const struct source a = source_of(c, x->a, 0);
    const uint32_t d = result_pair(c);
    put_numbers(m);
    for (uint32_t h = 0; h < 2; h++) {
        const uint32_t v = pair_half(d, h);
        put_vector(m, V_MOVE, v, 0, put_float_source(m, &t, a.half[h], 0, TEMP));
        if (flushes) {
            put_vector(m, V_TESTNMD, 1, v, TABLE_WORD(exponent));
            put_vector_masked(m, V_PANDD, v, v, TABLE_WORD(sign), 1);
        }
        put_widen(m, v);
        put(m, v, kind);
        put_vector(m, V_MOVE, v, 0, vec_reg(X));
        put_float_result(m, &t, v);
    }
    result_is(c, d, x->d, false);
    return true;
}
bool emit_power(struct compiler *c, const struct xinst *x, uint32_t kind) {
    return emit_function(c, x, put_power, kind, false);
}
bool emit_logarithm(struct compiler *c, const struct xinst *x, uint32_t kind) {
    return emit_function(c, x, put_logarithm, kind, false);
}
bool emit_angle(struct compiler *c, const struct xinst *x, uint32_t kind) {
    return emit_function(c, x, put_angle, kind, !(kind & COSINE));
}
bool emit_tangent(struct compiler *c, const struct xinst *x, uint32_t kind) {
    return emit_function(c, x, put_tangent, kind, false);
}

// The quotient of fdiv_fast: by a large divisor it is zero, or NaN where the dividend is infinite.
bool emit_quotient(struct compiler *c, const struct xinst *x, uint32_t kind) {
    (void)kind;
    const struct tweaks t = tweaks_of(x, GENERAL);
    struct emitter *const m = &c->s.m;
    const struct source a = source_of(c, x->a, 0), b = source_of(c, x->b, 0);
    const uint32_t d = result_pair(c);
    put_numbers(m);
    for (uint32_t h = 0; h < 2; h++) {
        const uint32_t v = pair_half(d, h), va = TEMP, vb = TEMP + 1, none = TEMP + 2, size = TEMP + 3;
        put_vector(m, V_MOVE, va, 0, put_float_source(m, &t, a.half[h], 0, TEMP));
        put_vector(m, V_MOVE, vb, 0, put_float_source(m, &t, b.half[h], 1, TEMP + 1));
        put_vector(m, V_DIVPS, v, va, vec_reg(vb));
        put_nan_of(m, v, v);
        put_vector(m, V_PANDD, size, vb, TABLE_WORD(magnitude));
        put_vector(m, V_PSUBD, size, size, OF(large));
        put_vector_imm(m, V_CMPUD, 2, size, OF(span), CMP_LT);
        put_vector(m, V_PXORD, none, va, vec_reg(vb));
        put_vector(m, V_PANDD, none, none, TABLE_WORD(sign));
        put_vector(m, V_PANDD, va, va, TABLE_WORD(magnitude));
        put_vector_imm(m, V_CMPUD, 1, va, TABLE_WORD(exponent), CMP_GE);
        put_vector_masked(m, V_MOVE, none, 0, vec_reg(NAN_WORD), 1);
        put_vector_masked(m, V_MOVE, v, 0, vec_reg(none), 2);
        put_float_result(m, &t, v);
    }
    result_is(c, d, x->d, false);
    return true;
}
#endif
