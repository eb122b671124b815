// What is folded and what is executed agree: every operation that eval.h evaluates, on edges and
// random words, with every type, modifier, flag and sub-operation that it takes, against its
// handlers at each vector level. What the values must be, test_int.c says from elsewhere.
#include "test_asm.h"

#include "isa/eval.h"

struct take {
    enum mop op;
    uint8_t sources, subs; // how many; sub-operations 0 .. subs
    uint8_t mods;          // of its sources
    uint32_t flags;
    const uint8_t *types; // ending with ITYPE_NONE
};
static const uint8_t words[] = {ITYPE_U32, ITYPE_S32, ITYPE_NONE};
static const uint8_t small[] = {ITYPE_U32, ITYPE_S32, ITYPE_U16, ITYPE_S16, ITYPE_NONE};
static const uint8_t packed[] = {ITYPE_U32,   ITYPE_S32,   ITYPE_U16, ITYPE_S16,
                                 ITYPE_U16X2, ITYPE_S16X2, ITYPE_NONE};
static const uint8_t bits[] = {ITYPE_B32, ITYPE_NONE};
static const struct take takes[] = {
    {OP_MOV, 1, 0, 0, 0, bits},
    {OP_IADD, 2, 0, OPND_NEG, 0, packed},
    {OP_IADD, 2, 0, OPND_NEG, MF_SAT, words},
    {OP_IMUL, 2, 0, OPND_NEG, MF_HI, small},
    {OP_IMAD, 3, 0, OPND_NEG, MF_HI | MF_SAT, small},
    {OP_IMUL24, 2, 0, 0, MF_HI, words},
    {OP_IMAD24, 3, 0, 0, MF_HI | MF_SAT, words},
    {OP_ISCADD, 2, 31, OPND_NEG, 0, words},
    {OP_IMNMX, 2, 1, 0, MF_RELU, packed},
    {OP_IABS, 1, 0, 0, 0, small},
    {OP_ISAD, 3, 0, 0, 0, small},
    {OP_SHL, 2, 0, 0, 0, small},
    {OP_SHR, 2, 0, 0, 0, small},
    {OP_SHF, 3, 0, 0, MF_LEFT | MF_WRAP, bits},
    {OP_LOP, 2, 3, OPND_NOT, 0, bits},
    {OP_LOP3, 3, 255, OPND_NOT, 0, bits},
    {OP_BFE, 3, 0, 0, 0, words},
    {OP_BFI, 4, 0, 0, 0, bits},
    {OP_FLO, 1, 0, 0, MF_SHIFTAMT, words},
    {OP_BREV, 1, 0, 0, 0, bits},
    {OP_POPC, 1, 0, 0, 0, bits},
    {OP_CLZ, 1, 0, 0, 0, bits},
    {OP_FNS, 3, 0, 0, 0, bits},
    {OP_PRMT, 3, MPRMT_RC16, 0, 0, bits},
    {OP_BMSK, 2, 0, 0, MF_WRAP, bits},
    {OP_SZEXT, 2, 0, 0, MF_WRAP, words},
    {OP_DP4A, 3, 0, 0, 0, words},
    {OP_DP2A, 3, 0, 0, MF_HI, words},
};

static uint32_t word(uint64_t *s) {
    static const uint32_t edge[] = {0,      1,      2,           31,          32,  33,
                                    15,     16,     17,          64,          255, 256,
                                    0x7fff, 0x8000, 0x7fffffffu, 0x80000000u, ~0u, 0xffff0000u};
    const uint64_t r = rnd64(s);
    if (r % 3 == 0) return edge[(r >> 8) % (sizeof edge / sizeof edge[0])];
    return (uint32_t)(r >> 20) >> (r % 3 == 1 ? r >> 56 & 31 : 0);
}
// An instruction that `t` describes: any of its types, flags, modifiers, sub-operations.
static struct minst *any_of(struct prog *p, const struct take *t, uint64_t *s) {
    uint32_t n = 0;
    while (t->types[n] != ITYPE_NONE) n++;
    const enum isa_type type = t->types[rnd64(s) % n];
    struct minst *m = emit(p, t->op, type, R(10), R(1), R(2), R(3));
    m->stype = words[rnd64(s) % 2];
    m->flags = (uint32_t)rnd64(s) & t->flags;
    m->sub = (uint8_t)(rnd64(s) % (t->subs + 1u));
    m->src[3] = R(4);
    for (uint32_t k = 0; k < 4; k++) {
        if (k >= t->sources) m->src[k] = NONE_;
        if (k < t->sources) m->src[k].mods = (uint8_t)rnd64(s) & t->mods;
    }
    return m;
}

static void agree(void **state) {
    (void)state;
    struct prog *p = prog_new();
    uint64_t seed = 20261128;
    for (size_t k = 0; k < sizeof takes / sizeof takes[0]; k++)
        for (int n = 0; n < 256; n++) {
            prog_clear(p);
            const struct minst m = *any_of(p, &takes[k], &seed);
            emit_exit(p);
            uint32_t v[32][4];
            for (uint32_t i = 0; i < 32; i++)
                for (uint32_t j = 0; j < 4; j++) v[i][j] = word(&seed);
            LEVELS(level) {
                prog_start(p);
                for (uint32_t i = 0; i < 32; i++)
                    for (uint32_t j = 0; j < 4; j++) reg(p, 1 + j)[i] = v[i][j];
                assert_int_equal(run_warp0(p), EXEC_EXITED);
                for (uint32_t i = 0; i < 32; i++) {
                    uint32_t value = 0;
                    if (!eval_word(&m, v[i], &value) || value != reg(p, 10)[i])
                        fail_msg("%s.%s sub %u flags 0x%x mods %u %u %u of 0x%x 0x%x 0x%x 0x%x: "
                                 "folded 0x%x, executed 0x%x",
                                 mop_info[m.op].text, isa_type_text(m.type), m.sub, m.flags,
                                 m.src[0].mods, m.src[1].mods, m.src[2].mods, v[i][0], v[i][1],
                                 v[i][2], v[i][3], value, reg(p, 10)[i]);
                }
            }
        }
    exec_simd_force(NULL);
    prog_free(p);
}
// ---- pairs --------------------------------------------------------------------------------------
static const uint8_t longs[] = {ITYPE_U64, ITYPE_S64, ITYPE_NONE};
static const uint8_t bits64[] = {ITYPE_B64, ITYPE_NONE};
static const uint8_t divided[] = {ITYPE_U16, ITYPE_S16, ITYPE_U32, ITYPE_S32,
                                  ITYPE_U64, ITYPE_S64, ITYPE_NONE};
// `words`: of the sources, a decimal digit each, the first highest; 0: as the type has.
static const struct pair_take {
    struct take is;
    uint32_t always, words, results;
} pairs[] = {
    {{OP_MOV, 1, 0, 0, 0, bits64}, 0, 2000, 2},
    {{OP_IADD, 2, 0, OPND_NEG, 0, longs}, 0, 2200, 2},
    {{OP_IADD64, 2, 0, OPND_NEG, 0, longs}, 0, 2200, 2},
    {{OP_IMUL64, 2, 0, 0, MF_HI, longs}, 0, 2200, 2},
    {{OP_IMAD64, 3, 0, 0, MF_HI, longs}, 0, 2220, 2},
    {{OP_IMUL, 2, 0, 0, 0, words}, MF_WIDE, 1100, 2},
    {{OP_IMAD, 3, 0, 0, 0, words}, MF_WIDE, 1120, 2},
    {{OP_SHL, 2, 0, 0, 0, bits64}, 0, 2100, 2},
    {{OP_SHL64, 2, 0, 0, 0, bits64}, 0, 2100, 2},
    {{OP_SHR, 2, 0, 0, 0, longs}, 0, 2100, 2},
    {{OP_SHR64, 2, 0, 0, 0, longs}, 0, 2100, 2},
    {{OP_IMNMX, 2, 1, 0, 0, longs}, 0, 2200, 2},
    {{OP_IMNMX64, 2, 1, 0, 0, longs}, 0, 2200, 2},
    {{OP_IABS, 1, 0, 0, 0, longs}, 0, 2000, 2},
    {{OP_IABS64, 1, 0, 0, 0, longs}, 0, 2000, 2},
    {{OP_ISAD, 3, 0, 0, 0, longs}, 0, 2220, 2},
    {{OP_ISAD64, 3, 0, 0, 0, longs}, 0, 2220, 2},
    {{OP_BFE, 3, 0, 0, 0, longs}, 0, 2110, 2},
    {{OP_BFI, 4, 0, 0, 0, bits64}, 0, 2211, 2},
    {{OP_FLO, 1, 0, 0, MF_SHIFTAMT, longs}, 0, 2000, 1},
    {{OP_BREV, 1, 0, 0, 0, bits64}, 0, 2000, 2},
    {{OP_POPC, 1, 0, 0, 0, bits64}, 0, 2000, 1},
    {{OP_CLZ, 1, 0, 0, 0, bits64}, 0, 2000, 1},
    {{OP_IDIV, 2, 0, 0, 0, divided}, 0, 0, 0},
    {{OP_IREM, 2, 0, 0, 0, divided}, 0, 0, 0},
};
static struct opnd group(uint32_t at, uint32_t n) { return n == 2 ? RD(at) : R(at); }
static struct minst *any_pair(struct prog *p, const struct pair_take *t, uint64_t *s) {
    struct minst *const m = any_of(p, &t->is, s);
    const uint32_t own = isa_type_bits(m->type) == 64 ? 2 : 1;
    uint32_t w = t->words ? t->words : 1100 * own;
    m->flags |= t->always;
    m->dst[0] = group(10, t->results ? t->results : own);
    for (uint32_t k = 4; k-- > 0; w /= 10) {
        const uint8_t mods = m->src[k].mods;
        if (m->src[k].kind == OPND_NONE) continue;
        m->src[k] = group(2 * k, w % 10);
        m->src[k].mods = mods;
    }
    return m;
}
static void pairs_agree(void **state) {
    (void)state;
    struct prog *p = prog_new();
    uint64_t seed = 64;
    for (size_t k = 0; k < sizeof pairs / sizeof pairs[0]; k++)
        for (int n = 0; n < 96; n++) {
            prog_clear(p);
            const struct minst m = *any_pair(p, &pairs[k], &seed);
            emit_exit(p);
            uint32_t v[32][8];
            for (uint32_t i = 0; i < 32; i++)
                for (uint32_t j = 0; j < 8; j++) v[i][j] = word(&seed);
            LEVELS(level) {
                prog_start(p);
                for (uint32_t i = 0; i < 32; i++)
                    for (uint32_t j = 0; j < 8; j++) reg(p, j)[i] = v[i][j];
                assert_int_equal(run_warp0(p), EXEC_EXITED);
                for (uint32_t i = 0; i < 32; i++) {
                    uint64_t in[4], value = 0;
                    for (uint32_t j = 0; j < 4; j++)
                        in[j] = v[i][2 * j] |
                                (m.src[j].words == 2 ? (uint64_t)v[i][2 * j + 1] << 32 : 0);
                    const uint64_t have = m.dst[0].words == 2 ? get64(p, 10, i) : reg(p, 10)[i];
                    if (!eval_pair(&m, in, &value) || value != have)
                        fail_msg("%s.%s sub %u flags 0x%x of 0x%llx 0x%llx 0x%llx: folded 0x%llx, "
                                 "executed 0x%llx",
                                 mop_info[m.op].text, isa_type_text(m.type), m.sub, m.flags,
                                 (unsigned long long)in[0], (unsigned long long)in[1],
                                 (unsigned long long)in[2], (unsigned long long)value,
                                 (unsigned long long)have);
                }
            }
        }
    exec_simd_force(NULL);
    prog_free(p);
}

// ---- comparisons --------------------------------------------------------------------------------
static void comparisons_agree(void **state) {
    (void)state;
    static const uint8_t types[] = {ITYPE_U16, ITYPE_S16, ITYPE_U32,
                                    ITYPE_S32, ITYPE_U64, ITYPE_S64};
    struct prog *p = prog_new();
    uint64_t seed = 6;
    for (size_t t = 0; t < sizeof types; t++)
        for (unsigned cmp = MCMP_EQ; cmp <= MCMP_NAN; cmp++)
            for (unsigned bop = MBOP_NONE; bop <= MBOP_XOR; bop++) {
                prog_clear(p);
                const uint32_t own = isa_type_bits(types[t]) == 64 ? 2 : 1;
                struct minst *m = emit(p, OP_ISETP, types[t], P(0), group(0, own), group(2, own),
                                       bop ? P(2) : NONE_);
                m->cmp = (uint8_t)cmp;
                m->bop = (uint8_t)bop;
                const struct minst is = *m;
                emit_exit(p);
                LEVELS(level) {
                    prog_start(p);
                    uint32_t v[32][4];
                    const uint32_t beside = (uint32_t)rnd64(&seed);
                    for (uint32_t i = 0; i < 32; i++)
                        for (uint32_t j = 0; j < 4; j++)
                            reg(p, j)[i] = v[i][j] =
                                j > 1 && i % 3 == 0 ? v[i][j - 2] : word(&seed);
                    warp0(p)->pred[2] = beside;
                    assert_int_equal(run_warp0(p), EXEC_EXITED);
                    for (uint32_t i = 0; i < 32; i++) {
                        const uint64_t a = v[i][0] | (own == 2 ? (uint64_t)v[i][1] << 32 : 0),
                                       b = v[i][2] | (own == 2 ? (uint64_t)v[i][3] << 32 : 0);
                        bool value = false;
                        assert_true(eval_compare(&is, a, b, beside >> i & 1, &value));
                        if (value != (warp0(p)->pred[0] >> i & 1))
                            fail_msg("%s cmp %u bop %u of 0x%llx 0x%llx: %d",
                                     isa_type_text(types[t]), cmp, bop, (unsigned long long)a,
                                     (unsigned long long)b, value);
                    }
                }
            }
    exec_simd_force(NULL);
    prog_free(p);
}

// What it does not evaluate, it says.
static void refuses(void **state) {
    (void)state;
    const uint32_t v[4] = {1, 2, 3, 4};
    uint32_t value = 77;
    struct minst m = {.op = OP_IADD, .type = ITYPE_U32, .dst = {R(1)}, .src = {R(1), R(2)}};
    assert_true(eval_word(&m, v, &value));
    assert_int_equal(value, 3);
    m.dst[1] = P(PRED_CARRY);
    assert_false(eval_word(&m, v, &value));
    m.dst[1] = (struct opnd){.kind = OPND_NONE};
    m.src[2] = P(PRED_CARRY);
    assert_false(eval_word(&m, v, &value));
    m = (struct minst){.op = OP_IMUL, .type = ITYPE_U32, .flags = MF_WIDE, .dst = {RD(2)}};
    assert_false(eval_word(&m, v, &value));
    m = (struct minst){.op = OP_FADD, .type = ITYPE_F32, .dst = {R(1)}};
    assert_false(eval_word(&m, v, &value));
    m = (struct minst){.op = OP_SHL, .type = ITYPE_B64, .dst = {RD(2)}};
    assert_false(eval_word(&m, v, &value));
    m = (struct minst){.op = OP_PRMT, .type = ITYPE_B32, .sub = MPRMT_RC16 + 1, .dst = {R(1)}};
    assert_false(eval_word(&m, v, &value));
    m = (struct minst){.op = OP_LOP3, .type = ITYPE_B32, .dst = {R(1), P(2)}};
    assert_false(eval_word(&m, v, &value));
    assert_int_equal(value, 3);
    const uint64_t pair[4] = {1, 2, 3, 4};
    uint64_t whole = 0;
    m = (struct minst){.op = OP_SHL, .type = ITYPE_B64, .dst = {RD(2)}};
    assert_true(eval_pair(&m, pair, &whole));
    assert_int_equal(whole, 4);
    m = (struct minst){.op = OP_SHL, .type = ITYPE_B32, .dst = {R(2)}};
    assert_false(eval_pair(&m, pair, &whole));
    m = (struct minst){.op = OP_DADD, .type = ITYPE_F64, .dst = {RD(2)}};
    assert_false(eval_pair(&m, pair, &whole));
    m = (struct minst){.op = OP_IADD, .type = ITYPE_S64, .flags = MF_SAT, .dst = {RD(2)}};
    assert_false(eval_pair(&m, pair, &whole));
    bool is = false;
    assert_false(eval_compare(&m, 1, 2, false, &is));
    assert_int_equal(whole, 4);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(agree), cmocka_unit_test(pairs_agree),
                                       cmocka_unit_test(comparisons_agree),
                                       cmocka_unit_test(refuses)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
