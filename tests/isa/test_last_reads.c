// Last reads of registers in an image, against their definition: no way through the code leads from
// the instruction to another read of the register before an unguarded write of it. The way is
// looked for instruction by instruction, without blocks.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "isa/image.h"
#include "isa/op.h"

enum { N = 40, REGS = 6 };
static uint32_t seed;
static uint32_t draw(uint32_t n) {
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % n;
}
static struct opnd reg(uint32_t r, uint8_t words) {
    return (struct opnd){.kind = OPND_GPR, .words = words, .reg = r};
}
static struct minst inst(enum mop op) {
    return (struct minst){.op = (uint16_t)op, .guard = PRED_TRUE, .target = -1, .reconv = -1};
}

static struct code_image image_of(struct minst *inst, uint32_t n) {
    struct code_image im = {.inst = inst, .n_insts = n, .n_regs = REGS};
    arena_init(&im.arena, NULL);
    struct arena scratch;
    arena_init(&scratch, NULL);
    image_last_reads(&im, &scratch);
    arena_free(&scratch);
    return im;
}

static bool names(const struct opnd *o, uint32_t r) {
    return o->kind == OPND_GPR && r >= o->reg && r < o->reg + o->words;
}
static bool reads(const struct minst *m, uint32_t r) {
    for (uint32_t i = 0; i < MINST_SRCS; i++)
        if (names(&m->src[i], r)) return true;
    return false;
}
static bool ends(const struct minst *m, uint32_t r) {
    return m->guard == PRED_TRUE && !minst_is_filler(m) && names(&m->dst[0], r);
}

// A later read of r on some way that begins at pc.
static bool wanted(const struct minst *m, uint32_t n, uint32_t pc, uint32_t r, bool *seen) {
    if (pc >= n || seen[pc]) return false;
    seen[pc] = true;
    const struct minst *const i = &m[pc];
    if (i->op == OP_CALL || i->op == OP_RET || reads(i, r)) return true;
    if (i->op == OP_EXIT && i->guard == PRED_TRUE) return false;
    if (ends(i, r)) return false;
    if (i->op == OP_BRA && wanted(m, n, (uint32_t)i->target, r, seen)) return true;
    if (i->op == OP_BRA && i->guard == PRED_TRUE) return false;
    return wanted(m, n, pc + 1, r, seen);
}

static void check(struct minst *m, uint32_t n) {
    struct code_image im = image_of(m, n);
    for (uint32_t pc = 0; pc < n; pc++) {
        uint32_t at = 0, done = 0;
        for (uint32_t i = 0; i < MINST_SRCS; i++) {
            for (uint32_t w = 0; m[pc].src[i].kind == OPND_GPR && w < m[pc].src[i].words; w++) {
                const uint32_t r = m[pc].src[i].reg + w;
                if (done >> r & 1) continue;
                done |= 1u << r;
                bool seen[N] = {false};
                const bool more = m[pc].op == OP_CALL || m[pc].op == OP_RET ||
                                  (!ends(&m[pc], r) && wanted(m, n, pc + 1, r, seen));
                assert_int_equal(im.last_reads[pc] >> at++ & 1, !more);
            }
        }
        assert_int_equal(im.last_reads[pc] >> at, 0);
    }
    arena_free(&im.arena);
}

// R0 = R1 + R2; R1 = R0 + R2; store [R0], R1
static void by_hand(void **state) {
    (void)state;
    struct minst m[4] = {inst(OP_IADD), inst(OP_IADD), inst(OP_ST), inst(OP_EXIT)};
    m[0].dst[0] = reg(0, 1), m[0].src[0] = reg(1, 1), m[0].src[1] = reg(2, 1);
    m[1].dst[0] = reg(1, 1), m[1].src[0] = reg(0, 1), m[1].src[1] = reg(2, 1);
    m[2].src[0] = reg(0, 1), m[2].src[1] = reg(1, 1);
    struct code_image im = image_of(m, 4);
    static const uint16_t want[] = {1, 2, 3, 0}; // R1; R2; both; none
    for (uint32_t i = 0; i < 4; i++) assert_int_equal(im.last_reads[i], want[i]);
    arena_free(&im.arena);
    m[1].guard = 0; // R1 may keep its first value: the store reads either
    im = image_of(m, 4);
    static const uint16_t guarded[] = {0, 2, 3, 0};
    for (uint32_t i = 0; i < 4; i++) assert_int_equal(im.last_reads[i], guarded[i]);
    arena_free(&im.arena);
}

static void random_code(void **state) {
    (void)state;
    for (uint32_t number = 1; number < 400; number++) {
        seed = number;
        struct minst m[N];
        for (uint32_t pc = 0; pc < N; pc++) {
            m[pc] = inst(OP_IADD);
            if (draw(6) == 0) m[pc].op = OP_BRA, m[pc].target = (int32_t)draw(N);
            if (draw(20) == 0) m[pc].op = OP_EXIT;
            if (draw(60) == 0) m[pc].op = OP_CALL, m[pc].target = 0;
            if (draw(60) == 0) m[pc].op = OP_RET;
            if (draw(3) == 0 && m[pc].op != OP_RET && m[pc].op != OP_CALL) m[pc].guard = 1;
            if (m[pc].op != OP_IADD) continue;
            m[pc].dst[0] = reg(2 * draw(REGS / 2), (uint8_t)(1 + draw(2)));
            for (uint32_t i = 0; i < 3; i++)
                if (draw(2)) m[pc].src[i] = reg(2 * draw(REGS / 2), (uint8_t)(1 + draw(2)));
            if (draw(10) == 0) m[pc].op = OP_FILLER;
        }
        m[N - 1] = inst(OP_EXIT);
        check(m, N);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(by_hand), cmocka_unit_test(random_code)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
