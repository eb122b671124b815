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
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(agree), cmocka_unit_test(refuses)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
