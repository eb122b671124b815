// The uniform file: what an instruction writes there all active lanes have, those that have parted
// from them keep theirs, and nothing is written where its guard is false.
#include "test_ops.h"

#include "exec/exec_int.h"

enum { LANES_ACTIVE = 0x00ff0130, LOWEST = 4 };

static struct opnd UR(uint32_t r, uint8_t words) {
    return (struct opnd){.kind = OPND_UGPR, .words = words, .reg = r};
} static struct opnd UP(uint32_t p) {
    return P(PRED_UNIFORM + p);
} static uint32_t *ureg(struct prog *p, uint32_t r) {
    return reg(p, ASM_REGS + X_UNIFORM + r);
}

static struct prog *start(struct minst m) {
    struct prog *const p = prog_new();
    p->im.is_machine_code = p->im.uses_uniform = true;
    m.target = m.reconv = -1;
    if (!m.vec) m.vec = 1;
    p->inst[p->im.n_insts++] = m;
    emit_exit(p);
    prog_start(p);
    for (uint32_t r = 0; r < MAX_UGPRS; r++)
        for (uint32_t i = 0; i < 32; i++) ureg(p, r)[i] = 100 * r;
    for (uint32_t i = 0; i < 32; i++) reg(p, RA)[i] = 7000 + i;
    warp0(p)->active = LANES_ACTIVE;
    return p;
}
static void step(struct prog *p) { assert_int_equal(exec_step(&p->env, warp0(p)), EXEC_NEXT); }
static void assert_register(struct prog *p, uint32_t r, uint32_t want) {
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(ureg(p, r)[i], (uint32_t)LANES_ACTIVE >> i & 1 ? want : 100 * r);
}

static void words(void **state) {
    (void)state;
    LEVELS(v) {
        struct prog *p = start(MI(.op = OP_IADD3, .type = ITYPE_U32, .guard = PRED_TRUE,
                                  .dst = {UR(4, 1), UP(2)}, .src = {UR(5, 1), I(~0u), UR(6, 1)}));
        warp0(p)->pred[PRED_UNIFORM + 2] = 0;
        step(p);
        assert_register(p, 4, 500 - 1 + 600);
        assert_int_equal(warp0(p)->pred[PRED_UNIFORM + 2], LANES_ACTIVE);
        assert_register(p, 3, 300);
        assert_register(p, 5, 500);
        prog_free(p);
        p = start(MI(.op = OP_IMUL, .type = ITYPE_U32, .flags = MF_WIDE, .guard = UPRED_TRUE,
                     .dst = {UR(8, 2)}, .src = {UR(9, 1), I(0x80000000u)}));
        step(p);
        assert_register(p, 8, 0);
        assert_register(p, 9, 450);
        prog_free(p);
    }
    exec_simd_force(NULL);
}
static void guards(void **state) {
    (void)state;
    for (uint32_t k = 0; k < 4; k++) {
        const bool holds = k & 1, negated = k & 2;
        struct prog *p = start(MI(.op = OP_MOV, .type = ITYPE_B32, .guard = PRED_UNIFORM + 3,
                                  .guard_not = negated, .dst = {UR(4, 1)}, .src = {I(77)}));
        warp0(p)->pred[PRED_UNIFORM + 3] = holds ? ~0u : 0;
        step(p);
        assert_register(p, 4, holds != negated ? 77 : 400);
        prog_free(p);
    }
}
// From lanes that differ the lowest active one is taken; a vote is one of the active lanes.
static void from_lanes(void **state) {
    (void)state;
    struct prog *p = start(MI(.op = OP_MOV, .type = ITYPE_B32, .guard = PRED_TRUE,
                              .dst = {UR(62, 1)}, .src = {R(RA)}));
    step(p);
    assert_register(p, 62, 7000 + LOWEST);
    assert_int_equal(reg(p, RA)[LOWEST + 1], 7000 + LOWEST + 1);
    prog_free(p);
    // Lanes 4, 8 and 16 to 23; 16 and 20 hold what 4 does, and lane 8 was found to differ before.
    for (uint32_t joins = 0; joins < 2; joins++) {
        p = start(MI(.op = OP_R2UR, .type = ITYPE_B32, .guard = PRED_TRUE, .dst = {UR(9, 1), P(2)},
                     .src = {R(RA), joins ? P(3) : NONE_}));
        for (uint32_t i = 0; i < 32; i++) reg(p, RA)[i] = i % 4 == 0 && i != 8 ? 5 : 6 + i;
        warp0(p)->pred[2] = 0x00000010;
        warp0(p)->pred[3] = 0x00100000;
        step(p);
        assert_register(p, 9, 5);
        assert_int_equal(warp0(p)->pred[2], joins ? 0x00fe0120 : 0x00ee0120);
        prog_free(p);
    }
    p = start(MI(.op = OP_VOTED, .type = ITYPE_PRED, .sub = MVOTE_ALL, .guard = PRED_TRUE,
                 .dst = {UR(4, 1), UP(0)}, .src = {P(1)}));
    warp0(p)->pred[1] = 0x0f0f0f1fu;
    warp0(p)->pred[PRED_UNIFORM] = ~0u;
    step(p);
    assert_register(p, 4, 0x0f0f0f1fu & LANES_ACTIVE);
    assert_int_equal(warp0(p)->pred[PRED_UNIFORM], ~(uint32_t)LANES_ACTIVE);
    prog_free(p);
    p = start(MI(.op = OP_R2PM, .type = ITYPE_B32, .aux = PRED_UNIFORM, .guard = UPRED_TRUE,
                 .src = {UR(3, 1), I(0x7f)}));
    warp0(p)->pred[1] = 0x1234;
    step(p);
    for (uint32_t k = 0; k < 7; k++)
        assert_int_equal(warp0(p)->pred[PRED_UNIFORM + k], 300u >> k & 1 ? LANES_ACTIVE : 0);
    assert_int_equal(warp0(p)->pred[1], 0x1234);
    prog_free(p);
}
// Lanes read the file as they read registers of their own.
static void to_lanes(void **state) {
    (void)state;
    struct prog *p = start(MI(.op = OP_SEL, .type = ITYPE_B32, .guard = PRED_TRUE, .dst = {R(RES)},
                              .src = {R(RA), UR(7, 1), UP(1)}));
    warp0(p)->pred[PRED_UNIFORM + 1] = 0;
    step(p);
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(reg(p, RES)[i], (uint32_t)LANES_ACTIVE >> i & 1 ? 700 : 0);
    prog_free(p);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(words), cmocka_unit_test(guards),
                                       cmocka_unit_test(from_lanes), cmocka_unit_test(to_lanes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
