// Which handler an instruction gets: rows of forms (forms.def), asked once for an instruction of a
// launch. An operation's rows stand together, so that it finds them by its number.
#include "exec/forms.h"

#include "exec/bulk_int.h"
#include "exec/cvt.h"
#include "exec/decode.h"
#include "exec/handlers.h"
#include "exec/matrix.h"
#include "exec/mem.h"
#include "exec/tex.h"
#include "exec/warp.h"
#include "isa/op.h"

// ---- operands: what an operation makes of those that the decoder laid out -----------------------

static void as_is(const struct minst *m, struct xinst *x) { (void)m, (void)x; }
static void second_result(const struct minst *m, struct xinst *x) {
    if (m->dst[1].kind == OPND_NONE) x->d1 = PRED_TRUE;
}
// An addition without a carry-in has one all the same where a summand is inverted: x->c of a sum,
// x->e of a product with a summand.
static void carry_in(const struct minst *m, uint32_t *in, bool inverts) {
    if (!isa_takes_carry(m)) *in = (uint32_t)PRED_TRUE | (inverts ? 0u : (uint32_t)X_PRED_NOT);
}
static void sum(const struct minst *m, struct xinst *x) {
    carry_in(m, &x->c, (x->mods[0] | x->mods[1]) & OPND_NEG);
}
static void product_and_sum(const struct minst *m, struct xinst *x) {
    carry_in(m, &x->e, x->mods[2] & OPND_NEG);
}
// Two operations with one handler: bop says whether it is the second.
static void either(const struct minst *m, struct xinst *x) {
    x->bop = m->op == OP_IREM || m->op == OP_HTANH || m->op == OP_IADDMNMX;
}
static void selection(const struct minst *m, struct xinst *x) {
    if (m->src[2].kind == OPND_NONE) x->bop = MBOP_NONE;
}
// Comparisons into predicates: a result that is not wanted goes nowhere.
static void comparison(const struct minst *m, struct xinst *x) {
    if (m->dst[0].kind == OPND_NONE) x->d = PRED_TRUE;
    second_result(m, x);
    selection(m, x);
}
static void predicates(const struct minst *m, struct xinst *x) {
    x->aux8 = m->src[1].kind != OPND_NONE;
    if (!x->aux8) x->b = x->a;
}
// What words say beside their modifiers (mproduct, mhalf).
static void with_aux(const struct minst *m, struct xinst *x) { x->bytes = (uint8_t)m->aux; }
static void fused_halves(const struct minst *m, struct xinst *x) {
    with_aux(m, x);
    x->sub = (m->aux & MHALF_CROSSED) != 0;
}
static void half_comparison(const struct minst *m, struct xinst *x) {
    comparison(m, x);
    with_aux(m, x);
}
static void half_selection(const struct minst *m, struct xinst *x) {
    selection(m, x);
    with_aux(m, x);
}
static void half_special(const struct minst *m, struct xinst *x) {
    either(m, x);
    with_aux(m, x);
}
// A product without the predicate F always counts C; that of a warp group, if it has one.
static void guarded_product(const struct minst *m, struct xinst *x) {
    with_aux(m, x);
    if (m->src[4].kind == OPND_NONE) x->f = PRED_TRUE;
}
static void group_product(const struct minst *m, struct xinst *x) {
    guarded_product(m, x);
    if (m->src[2].kind != OPND_GPR) x->f = (uint32_t)PRED_TRUE | X_PRED_NOT;
}
static void special_register(const struct minst *m, struct xinst *x) { x->a = m->aux; }
static void minimum(const struct minst *m, struct xinst *x) {
    x->aux8 = m->src[2].kind != OPND_NONE ? 3 : 2;
}

// Optional operands of warp-wide operations: bit 0 of aux8 says that it is there.
static void optional(const struct minst *m, struct xinst *x, uint32_t source) {
    x->aux8 = m->src[source].kind != OPND_NONE;
    second_result(m, x);
}
static void optional_a(const struct minst *m, struct xinst *x) { optional(m, x, 0); }
static void optional_b(const struct minst *m, struct xinst *x) { optional(m, x, 1); }
static void block_barrier(const struct minst *m, struct xinst *x) {
    optional_b(m, x);
    if (m->aux) x->aux8 |= BAR_PACKED;
}
static void optional_e(const struct minst *m, struct xinst *x) { optional(m, x, 3); }

static bool is_small(const struct minst *m) { return isa_type_bits(m->type) < 32; }
static void memory(const struct minst *m, struct xinst *x) { // aux8: words in registers
    x->aux8 = (uint8_t)(is_small(m) ? x->vec : x->bytes / 4);
}
static void copy(const struct minst *m, struct xinst *x) { x->bytes = (uint8_t)m->aux; }
static void texel(const struct minst *m, struct xinst *x) { x->vec = m->dst[0].words; }
static void texel_parts(const struct minst *m, struct xinst *x) {
    x->vec = (uint8_t)bits_count32(m->aux >> TEX_WANTED_AT);
}
static void surface_load(const struct minst *m, struct xinst *x) {
    x->aux8 = (uint8_t)(m->flags & MF_WIDE ? x->vec : (x->bytes + 3) / 4);
}
static void surface_reduction(const struct minst *m, struct xinst *x) {
    x->stype = m->sub;
    x->sub = m->cop;
    x->vec = 1;
    x->d = X_NONE;
}

// The target in d, the meeting point in a, the index or address in b, a predicate beside the guard
// in c.
static void control(const struct minst *m, struct xinst *x) {
    x->advance = 0;
    x->c = m->src[0].kind == OPND_PRED ? x->a : (uint32_t)PRED_TRUE;
    x->d = m->target < 0 ? X_NONE : (uint32_t)m->target;
    x->a = m->reconv < 0 ? X_NONE : (uint32_t)m->reconv;
}
static void indirect_control(const struct minst *m, struct xinst *x) {
    x->b = x->a;
    x->awords = m->src[0].words;
    control(m, x);
}

// Barrier registers: which one in sub, a predicate beside the guard in c (converge_bar.h).
static void barrier_register(const struct minst *m, struct xinst *x) {
    const bool enters = m->dst[0].kind == OPND_BARRIER;
    const struct opnd *const p = enters ? &m->src[0] : &m->src[1];
    x->sub = (uint8_t)(enters ? m->dst[0].reg : m->src[0].reg);
    x->c = p->kind == OPND_PRED ? (enters ? x->a : x->b) : (uint32_t)PRED_TRUE;
    x->d = m->target < 0 ? X_NONE : (uint32_t)m->target;
}
static void barrier_move(const struct minst *m, struct xinst *x) {
    x->aux8 = m->sub;
    x->sub = (uint8_t)(m->dst[0].kind == OPND_BARRIER ? m->dst[0].reg : m->src[0].reg);
}
static void apart(const struct minst *m, struct xinst *x) {
    x->cmp = m->sub ? MCMP_EQ : MCMP_NE;
    x->d = m->target < 0 ? X_NONE : (uint32_t)m->target;
}
static void gathering(const struct minst *m, struct xinst *x) {
    optional_a(m, x);
    x->d = m->target < 0 ? X_NONE : (uint32_t)m->target;
}
static void jump(const struct minst *m, struct xinst *x) {
    x->awords = m->src[0].words;
    x->c = m->src[1].kind == OPND_PRED ? x->b : (uint32_t)PRED_TRUE;
}

// Sums of machine code: what carries into them is false, and out of them dropped, unless named.
static void carries(const struct minst *m, struct xinst *x) {
    if (m->src[3].kind == OPND_NONE) x->e = (uint32_t)PRED_TRUE | X_PRED_NOT;
    x->aux8 = m->src[2].kind == OPND_NONE; // LEA: the sign stands above A
    second_result(m, x);
}
static void tables(const struct minst *m, struct xinst *x) {
    x->stype = (uint8_t)m->aux;
    second_result(m, x);
}
static void optional_predicate(const struct minst *m, struct xinst *x) {
    if (m->src[1].kind == OPND_NONE) x->b = (uint32_t)PRED_TRUE | X_PRED_NOT;
    second_result(m, x);
}
static void bits_of_predicates(const struct minst *m, struct xinst *x) {
    x->aux8 = (uint8_t)m->aux;
}

static uint8_t element(uint8_t t) {
    switch (t) {
    case ITYPE_F16X2: return ITYPE_F16;
    case ITYPE_BF16X2: return ITYPE_BF16;
    case ITYPE_E4M3X2: return ITYPE_E4M3;
    case ITYPE_E5M2X2: return ITYPE_E5M2;
    default: return ITYPE_NONE;
    }
}
static void conversion(const struct minst *m, struct xinst *x) {
    const uint8_t pair_to = element(m->type), pair_from = element(m->stype);
    with_aux(m, x);
    if (pair_to) {
        x->vec = pair_to;
        if (pair_from) {
            x->bytes = pair_from;
            x->sub = (uint8_t)(m->aux & MCVT_PART);
        }
        return;
    }
    const bool to_int = !isa_type_is_float(m->type), from_int = !isa_type_is_float(m->stype);
    if (to_int && from_int) x->aux8 = (uint8_t)(is_small(m) ? isa_type_bits(m->type) : 0);
    // A float becomes an integer towards zero unless it says how; everything else to nearest.
    if (x->rnd == MRND_NONE && to_int && !from_int) x->rnd = MRND_RZ;
}

// ---- the rows -------------------------------------------------------------------------------

static_assert(MF_CONTRACT == 1 << 29, "flags are bits 0 to 29 of a set");
static_assert(FACT_N <= 64 && ITYPE_N <= 64 && MCMP_NAN < 16 && MRND_RNA < 8, "bits of sets");
static_assert(MRND_RZ == MRND_RN + 1 && MRND_RM == MRND_RN + 2 && MRND_RP == MRND_RN + 3,
              "EXEC_CVT_MODES");

#define T(name)     (1ull << ITYPE_##name)
#define ONE(value)  (1ull << (value))
#define UP_TO(last) ((2ull << (last)) - 1)
#define ANY         (~0ull)
#define SIGNED      (T(S8) | T(S16) | T(S32) | T(S64) | T(S16X2))
#define T16         (T(U16) | T(S16) | T(B16))
#define T16X2       (T(U16X2) | T(S16X2))
#define T32         (T(U32) | T(S32) | T(B32))
#define WORD_ATOMS  (T(U32) | T(S32) | T(B32) | T(F32))
#define T64         (T(U64) | T(S64) | T(B64) | T(F64) | T(F32X2))
#define BFLOATS     (T(BF16) | T(BF16X2))
#define HALVES      (T(F16) | T(F16X2) | BFLOATS)
#define PAIRS       (T(F16X2) | T(BF16X2) | T(E4M3X2) | T(E5M2X2))
#define FLOATS      (HALVES | PAIRS | T(TF32) | T(F32) | T(F64) | T(F32X2) | T(E4M3) | T(E5M2))
#define INTS        (~FLOATS)
#define SMALL_INTS  (T(U8) | T(S8) | T(U16) | T(S16))
#define NEAR        (ONE(MRND_NONE) | ONE(MRND_RN))
#define DIRECTED    (ONE(MRND_RZ) | ONE(MRND_RM) | ONE(MRND_RP))

#define FACT(name)  (1ull << FACT_##name)
#define MOD_A       FACT(MOD_A)
#define MOD_B       FACT(MOD_B)
#define MOD_AB      (MOD_A | MOD_B)
#define MODS        (MOD_AB | FACT(MOD_C))
#define NEG_A       FACT(NEG_A)
#define NEG_B       FACT(NEG_B)
#define MINUS_B     FACT(MINUS_B)
#define SUB         FACT(SUB)
#define AUX         FACT(AUX)
#define NEAREST     FACT(NEAREST)
#define CARRY       FACT(CARRY)
#define HAS_C       FACT(HAS_C)
#define DROPS       FACT(DROPS)
#define TWO_RESULTS FACT(TWO_RESULTS)
#define ONE_WORD    FACT(ONE_WORD)
#define TWO_WORDS   FACT(TWO_WORDS)
#define CHECKED     FACT(CHECKED)
#define SMALL       FACT(SMALL)
#define ONE_ELEMENT FACT(ONE_ELEMENT)
#define A_REGISTER  FACT(A_REGISTER)
#define A_WORD      FACT(A_WORD)
#define IN_GLOBAL   FACT(IN_GLOBAL)
#define IN_SHARED   FACT(IN_SHARED)
#define IN_LOCAL    FACT(IN_LOCAL)
#define COPY_SIZE   FACT(COPY_SIZE)
#define ZERO_C      FACT(ZERO_C)
#define HAS_E       FACT(HAS_E)
#define THIRD       FACT(THIRD_RESULT)
#define PLAIN_BYTES FACT(PLAIN_BYTES)
#define HALF_MOVE   FACT(HALF_MOVE)
#define CARRIES     (HAS_E | TWO_RESULTS)
#define CLAMPS      (MF_SAT | MF_SATFINITE | MF_RELU | MOD_A | AUX)
#define TWEAKS      (MF_FTZ | CLAMPS)

#define INT(name)       .table = TABLE_INT, .handler = H_##name
#define MACHINE(name)   .table = TABLE_INT_MACHINE, .handler = H_##name
#define INT64(name)     .table = TABLE_INT64, .handler = H_##name
#define FP32(name)      .table = TABLE_FP32, .handler = H_##name
#define FP64(name)      .table = TABLE_FP64, .handler = H_##name
#define SFU(name)       .table = TABLE_SFU, .handler = H_##name
#define HALF(name)      .table = TABLE_HALF, .handler = H_##name
#define CVT(name)       .table = TABLE_CVT, .handler = H_##name
#define LEVEL_MEM(name) .table = TABLE_LEVEL_MEM, .handler = H_##name
#define MMA(name)       .table = TABLE_MMA, .handler = H_##name
#define GMMA(name)      .table = TABLE_GMMA, .handler = H_##name
#define CONVERT(name)   .table = TABLE_CONVERT, .handler = CVT_##name
#define MEMORY(name)    .table = TABLE_MEMORY, .handler = MEM_##name
#define BARRIER(name)   .table = TABLE_BARRIER, .handler = MBARRIER_##name
#define BULK(name)      .table = TABLE_BULK, .handler = BULK_##name
#define TEXTURE(name)   .table = TABLE_TEXTURE, .handler = TEX_##name
#define SYSTEM(name)    .table = TABLE_SYSTEM, .handler = SYS_##name
#define VIDEO(number)   .table = TABLE_VIDEO, .handler = number
#define MATRIX(name)    .table = TABLE_MATRIX, .handler = MATRIX_##name
#define WARP(name)      .table = TABLE_WARP, .handler = WARP_##name
#define NO_HANDLER      .is_none = true
#define REST            .is_rest = true

#define BY_SIGN(set, level, name, ...)                                                             \
    {level(name##_s), .types = (set)&SIGNED, __VA_ARGS__}, {                                       \
        level(name##_u), .types = (set) & ~SIGNED, __VA_ARGS__                                     \
    }
#define ROUNDED_BUT(level, name, mods, but)                                                        \
    {level(name), .all = NEAREST, .none = (but) | (mods)},                                         \
        {level(name##_g), .all = NEAREST, .none = (but), .any = (mods)},                           \
        {level(name##_p), .none = NEAREST | (but) | (mods)}, {                                     \
        level(name##_r), .none = NEAREST | (but), .any = (mods)                                    \
    }
#define ROUNDED(level, name, mods) ROUNDED_BUT(level, name, mods, 0)
#define DOUBLE(name, mods)                                                                         \
    {FP64(name), .all = NEAREST, .none = (mods)}, {FP64(name##_g), .all = NEAREST, .any = (mods)}, \
    {                                                                                              \
        FP64(name##_r), .none = NEAREST                                                            \
    }
#define WHOLE(type, name, ...)                                                                     \
    { CVT(name), .types = (type), .stypes = (type), __VA_ARGS__ }
#define TO_FLOAT(to, from, name, modes)                                                            \
    { CVT(name), .types = T(to), .stypes = T(from), .rnds = (modes), .none = TWEAKS | MF_INTRND }
// A subnormal becomes the integer 0 to nearest and towards zero, flushed or not.
#define TO_INT(to, from, name)                                                                     \
    {CVT(name),                                                                                    \
     .types = (to),                                                                                \
     .stypes = T(from),                                                                            \
     .by_mode = true,                                                                              \
     .rnds = ONE(MRND_RN) | ONE(MRND_RZ),                                                          \
     .none = CLAMPS | MF_INTRND},                                                                  \
    {                                                                                              \
        CVT(name), .types = (to), .stypes = T(from), .by_mode = true,                              \
                   .rnds = ONE(MRND_RM) | ONE(MRND_RP), .none = TWEAKS | MF_INTRND                 \
    }

#define FORMS(op, operands, ...) static const struct form rows_##op[] = {__VA_ARGS__};
#include "exec/forms.def"
#undef FORMS
#define FORMS(op, operands, ...) [OP_##op] = {rows_##op, WW_COUNT(rows_##op), operands},
static const struct forms forms[OP_N] = {
#include "exec/forms.def"
};
#undef FORMS

const struct forms *forms_of(enum mop op) { return &forms[op]; }

// ---- choosing -------------------------------------------------------------------------------

static inline bool in_set(uint64_t set, uint32_t bit) { return !set || set >> bit & 1; }
bool form_takes(const struct form *f, const struct form_key *k) {
    return in_set(f->types, k->type) && in_set(f->stypes, k->stype) && in_set(f->cmps, k->cmp) &&
           in_set(f->rnds, k->rnd) && in_set(f->subs, k->sub < 63 ? k->sub : 63) &&
           (k->facts & f->all) == f->all && !(k->facts & f->none) && (!f->any || k->facts & f->any);
}

// ptxas makes a constant of -0 times 0 and the constant, where the unit of halves has less to do than others.
static bool is_half_move(const struct minst *m) {
    const struct opnd *const a = &m->src[0], *const b = &m->src[1], *const c = &m->src[2];
    if (m->op != OP_HFMA || (m->type != ITYPE_F16X2 && m->type != ITYPE_BF16X2) || m->aux || m->flags) return false;
    if (a->kind != OPND_ZERO || b->kind != OPND_ZERO || c->kind != OPND_IMM || c->mods) return false;
    if ((a->mods ^ b->mods) != OPND_NEG) return false; // +0 would make +0 of -0
    const uint32_t inf = m->type == ITYPE_F16X2 ? 0x7c00 : 0x7f80;
    return (c->imm & 0x7fff) <= inf && (c->imm >> 16 & 0x7fff) <= inf; // a NaN would be another one
}
static uint64_t fact(bool is, enum form_fact f) { return (uint64_t)is << f; }
static uint64_t facts_of(const struct exec_launch *l, const struct minst *m,
                         const struct xinst *x) {
    const struct exec_options *const o = &l->args.options;
    const bool is_nearest = m->op == OP_CVT || x->rnd == MRND_NONE || x->rnd == MRND_RN;
    return m->flags | fact(x->mods[0], FACT_MOD_A) | fact(x->mods[1], FACT_MOD_B) |
           fact(x->mods[2], FACT_MOD_C) | fact(x->mods[0] & OPND_NEG, FACT_NEG_A) |
           fact(x->mods[1] & OPND_NEG, FACT_NEG_B) | fact(x->mods[1] == OPND_NEG, FACT_MINUS_B) |
           fact(x->sub, FACT_SUB) | fact(is_nearest, FACT_NEAREST) |
           fact(isa_has_carry(m), FACT_CARRY) | fact(m->src[2].kind != OPND_NONE, FACT_HAS_C) |
           fact(x->d == X_NONE, FACT_DROPS) | fact(x->d1 != PRED_TRUE, FACT_TWO_RESULTS) |
           fact(m->dst[0].words == 1, FACT_ONE_WORD) | fact(m->dst[0].words == 2, FACT_TWO_WORDS) |
           fact(o->check_races || o->check_uninitialised, FACT_CHECKED) |
           fact(is_small(m), FACT_SMALL) | fact(x->vec == 1, FACT_ONE_ELEMENT) |
           fact(m->src[0].kind == OPND_GPR, FACT_A_REGISTER) | fact(x->awords == 1, FACT_A_WORD) |
           fact(m->space == SPACE_GENERIC || m->space == SPACE_GLOBAL, FACT_IN_GLOBAL) |
           fact(m->space == SPACE_SHARED, FACT_IN_SHARED) |
           fact(m->space == SPACE_LOCAL, FACT_IN_LOCAL) |
           fact(m->aux == 4 || m->aux == 8 || m->aux == 16, FACT_COPY_SIZE) |
           fact(m->src[2].kind == OPND_ZERO, FACT_ZERO_C) |
           fact(m->src[3].kind != OPND_NONE, FACT_HAS_E) |
           fact(m->dst[2].kind != OPND_NONE, FACT_THIRD_RESULT) |
           fact(m->src[2].kind == OPND_IMM && !(m->src[2].imm & 0x8888), FACT_PLAIN_BYTES) |
           fact(m->aux, FACT_AUX) | fact(is_half_move(m), FACT_HALF_MOVE);
}

static const struct form *find(const struct forms *f, const struct form_key *k) {
    const struct form *rest = NULL;
    for (uint32_t i = 0; i < f->n; i++) {
        if (f->row[i].is_rest)
            rest = &f->row[i];
        else if (form_takes(&f->row[i], k))
            return &f->row[i];
    }
    return rest;
}
static void swap_ab(struct xinst *x) {
    const uint32_t a = x->a;
    x->a = x->b;
    x->b = a;
    const uint8_t mods = x->mods[0];
    x->mods[0] = x->mods[1];
    x->mods[1] = mods;
}

exec_fn choose_handler(const struct exec_launch *l, const struct minst *m, struct xinst *x) {
    static const exec_fn *const everywhere[TABLES] = {
        [TABLE_CONVERT] = cvt_any_fns, [TABLE_MEMORY] = mem_fns, [TABLE_BARRIER] = mbarrier_fns, [TABLE_BULK] = bulk_fns,  [TABLE_TEXTURE] = tex_fns,
        [TABLE_SYSTEM] = sys_fns,      [TABLE_VIDEO] = video_fns, [TABLE_MATRIX] = matrix_fns,
        [TABLE_WARP] = warp_fns};
    const struct forms *const f = forms_of(m->op);
    if (!f->n) return NULL;
    f->operands(m, x);
    const struct form_key k = {.type = m->type,
                               .stype = m->stype,
                               .cmp = x->cmp,
                               .rnd = x->rnd,
                               .sub = m->sub,
                               .facts = facts_of(l, m, x)};
    const struct form *const row = find(f, &k);
    if (!row || row->is_none) return NULL;
    if (row->swaps) swap_ab(x);
    if (row->takes_c) {
        x->a = x->c;
        x->mods[0] = x->mods[2];
    }
    const exec_fn *const table =
        row->table < LEVEL_TABLES ? exec_level()->table[row->table] : everywhere[row->table];
    return table[row->handler + (row->by_mode ? x->rnd - MRND_RN : 0)];
}
