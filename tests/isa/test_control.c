// Control bits: by hand where a page can say what they must be, and on random programs with the
// verifier, which is told of a missing cycle, a missing wait and a missing counter.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "code/link.h"
#include "isa/control.h"
#include "test_latencies.h"

enum { N = 40, REGS = 12 };
static uint32_t seed;
static uint32_t draw(uint32_t n) {
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % n;
}
static struct opnd reg(uint32_t r) { return (struct opnd){.kind = OPND_GPR, .words = 1, .reg = r}; }
static struct opnd pair(uint32_t r) {
    return (struct opnd){.kind = OPND_GPR, .words = 2, .reg = r};
}
static struct minst inst(enum mop op) {
    return (struct minst){.op = (uint16_t)op,
                          .klass = mop_info[op].klass,
                          .guard = PRED_TRUE,
                          .target = -1,
                          .reconv = -1};
}
static struct minst op3(enum mop op, uint32_t d, uint32_t a, uint32_t b) {
    struct minst m = inst(op);
    m.dst[0] = reg(d);
    m.src[0] = reg(a);
    m.src[1] = reg(b);
    return m;
}
static struct minst load(uint32_t d, uint32_t a) {
    struct minst m = inst(OP_LD);
    m.dst[0] = reg(d);
    m.src[0] = reg(a);
    return m;
}
static struct minst store(uint32_t a, uint32_t b) {
    struct minst m = inst(OP_ST);
    m.src[0] = reg(a);
    m.src[1] = reg(b);
    return m;
}
static struct minst branch(int32_t to, uint32_t guard) {
    struct minst m = inst(OP_BRA);
    m.target = to;
    m.guard = guard;
    return m;
}

struct sample {
    struct code_image im;
    uint32_t func_pc[1];
};
static struct sample *set(struct minst *m, uint32_t n, struct code_latencies l) {
    struct sample *const s = calloc(1, sizeof *s);
    s->im = (struct code_image){.inst = m,
                                .n_insts = n,
                                .n_regs = MAX_GPRS,
                                .n_funcs = 1,
                                .func_pc = s->func_pc,
                                .target = {.gen = GEN_VOLTA, .latencies = l},
                                .name = "test"};
    arena_init(&s->im.arena, NULL);
    struct arena scratch;
    arena_init(&scratch, NULL);
    control_set(&s->im, &scratch);
    arena_free(&scratch);
    return s;
}
static void drop(struct sample *s) {
    arena_free(&s->im.arena);
    free(s);
}
static void count(void *user, uint32_t pc, const char *what) {
    (void)pc, (void)what;
    ++*(uint32_t *)user;
}
static uint32_t faults(const struct sample *s) {
    struct arena scratch;
    arena_init(&scratch, NULL);
    uint32_t n = 0;
    control_verify(&s->im, &scratch, count, &n);
    arena_free(&scratch);
    return n;
}

// ---- by hand ------------------------------------------------------------------------------------
static void fixed_latencies_become_stalls(void **state) {
    (void)state;
    struct minst m[] = {
        op3(OP_IADD, 1, 0, 0), // R1, needed by the next: 4
        op3(OP_IADD, 2, 1, 1), // needed three instructions on: 4 - 1 - 1 of the two between
        op3(OP_IADD, 3, 0, 0), op3(OP_IADD, 4, 0, 0),
        op3(OP_IADD, 5, 2, 0), op3(OP_DADD, 6, 0, 0), // 8, and the next writes R6 after 4: 5
        op3(OP_IADD, 6, 0, 0), inst(OP_EXIT),
    };
    struct sample *const s = set(m, WW_COUNT(m), test_latencies());
    static const uint8_t stall[] = {4, 1, 1, 2, 1, 5, 1, 1};
    for (uint32_t i = 0; i < WW_COUNT(m); i++) {
        assert_int_equal(s->im.control[i].stall, stall[i]);
        assert_int_equal(s->im.control[i].write, CONTROL_NONE);
        assert_int_equal(s->im.control[i].read, CONTROL_NONE);
        assert_int_equal(s->im.control[i].wait, 0);
    }
    assert_int_equal(faults(s), 0);
    drop(s);
}

// ---- pipelines ----------------------------------------------------------------------------------
static struct minst add(uint32_t d, uint32_t a, uint32_t b) {
    struct minst m = op3(OP_IADD, d, a, b);
    m.type = ITYPE_U32;
    return m;
}
static struct opnd immediate(uint64_t imm) {
    return (struct opnd){.kind = OPND_IMM, .words = 1, .imm = imm};
}

// Marks the multiply-adds of a block of instructions, as a word of bits.
static uint32_t balanced(struct minst *m, uint32_t n) {
    struct code_image im = {.inst = m, .n_insts = n, .n_funcs = 1, .func_pc = (uint32_t[1]){0}};
    struct arena scratch;
    arena_init(&scratch, NULL);
    pipes_balance(&im, &scratch);
    arena_free(&scratch);
    uint32_t marks = 0;
    for (uint32_t i = 0; i < n; i++) marks |= (uint32_t)((m[i].flags & MF_AS_MAD) != 0) << i;
    return marks;
}

// What ptxas 11.8 makes of such blocks for sm_70 (pipes.c).
static void pipelines_are_evened_out(void **state) {
    (void)state;
    const struct minst e = inst(OP_EXIT);
    struct minst alone[] = {
        add(1, 0, 2), add(2, 0, 1), add(1, 0, 2), add(2, 0, 1), add(1, 0, 2), add(2, 0, 1), e};
    assert_int_equal(balanced(alone, 7), 0x2a);
    struct minst xors[] = {add(1, 0, 2), op3(OP_LOP, 2, 0, 1), add(1, 0, 2), op3(OP_LOP, 2, 0, 1),
                           e};
    assert_int_equal(balanced(xors, 5), 0x05);
    struct minst two[] = {add(1, 0, 2),
                          add(3, 0, 2),
                          op3(OP_LOP, 2, 0, 1),
                          add(1, 0, 2),
                          add(3, 0, 2),
                          op3(OP_LOP, 2, 0, 1),
                          e};
    assert_int_equal(balanced(two, 7), 0x1a); // three of four
    struct minst fmas[] = {add(1, 0, 2), op3(OP_FFMA, 4, 5, 6), add(1, 0, 2), op3(OP_FFMA, 4, 5, 6),
                           e};
    assert_int_equal(balanced(fmas, 5), 0);
    struct minst constants[] = {add(1, 0, 2), add(2, 0, 1), op3(OP_LOP, 2, 0, 1), e};
    constants[0].src[1] = immediate(7);
    constants[1].dst[1] = (struct opnd){.kind = OPND_PRED, .reg = PRED_CARRY};
    assert_int_equal(balanced(constants, 4), 0);
    struct minst carries[] = {add(1, 0, 2), add(2, 0, 1), op3(OP_LOP, 2, 0, 1), e};
    carries[0].src[2] = carries[1].src[2] = (struct opnd){.kind = OPND_PRED, .reg = PRED_CARRY};
    assert_int_equal(balanced(carries, 4), 0);
    struct minst others[] = {
        inst(OP_MOV),         op3(OP_SHL, 2, 1, 0), op3(OP_ISCADD, 3, 1, 2), op3(OP_SHL, 2, 1, 3),
        op3(OP_LOP, 2, 0, 1), op3(OP_LOP, 2, 0, 1), op3(OP_LOP, 2, 0, 1),    e};
    others[0].dst[0] = reg(1);
    others[0].src[0] = immediate(5);
    others[1].src[1] = immediate(3);
    others[1].type = others[3].type = ITYPE_B32;
    assert_int_equal(balanced(others, 8), 0x07); // but the shift by a register
}

// What a V100 adds for those who are not of the maker's pipeline.
static struct code_latencies by_taker(void) {
    struct code_latencies l = test_latencies();
    for (uint32_t k = 0; k < OPC_N; k++) l.pipe[k] = op_class_unit[k];
    l.across = 1;
    l.to_queue = 2;
    l.to_memory = 4;
    return l;
}
static void takers_see_a_result_later_or_earlier(void **state) {
    (void)state;
    struct minst mufu = inst(OP_MUFU), half = op3(OP_HADD, 9, 1, 1), exit = inst(OP_EXIT);
    mufu.dst[0] = reg(9);
    mufu.src[0] = reg(1);
    const struct {
        struct minst maker, taker;
        uint8_t stall;
    } row[] = {
        {op3(OP_IADD, 1, 0, 0), op3(OP_IADD, 9, 1, 1), 4},
        {op3(OP_IADD, 1, 0, 0), op3(OP_FADD, 9, 1, 1), 5},
        {op3(OP_FADD, 1, 0, 0), op3(OP_IADD, 9, 1, 1), 5},
        {op3(OP_FADD, 1, 0, 0), mufu, 6},
        {op3(OP_IADD, 1, 0, 0), half, 6},
        {op3(OP_HADD, 1, 0, 0), half, 6},
        {op3(OP_HADD, 1, 0, 0), op3(OP_FADD, 9, 1, 1), 8},
        {op3(OP_IADD, 1, 0, 0), load(9, 1), 8},
        {op3(OP_FADD, 1, 0, 0), store(2, 1), 8},
        {op3(OP_IADD, 1, 0, 0), op3(OP_IADD, 1, 0, 0), 1},
    };
    for (uint32_t i = 0; i < WW_COUNT(row); i++) {
        struct minst m[] = {row[i].maker, row[i].taker, exit};
        struct sample *const s = set(m, WW_COUNT(m), by_taker());
        if (s->im.control[0].stall != row[i].stall) print_message("row %u\n", i);
        assert_int_equal(s->im.control[0].stall, row[i].stall);
        assert_int_equal(faults(s), 0);
        if (row[i].stall > 1) {
            s->im.control[0].stall--;
            assert_int_not_equal(faults(s), 0);
        }
        drop(s);
    }
}

// What an A100 adds (docs/machine-code-distances.csv, sm_80): functions see results at once, halves a
// cycle later, doubles two; latencies are those of test_latencies.
static void later_chips_add_less(void **state) {
    (void)state;
    struct code_latencies l = by_taker();
    l.to_queue = 0;
    l.to_memory = l.more_half = 1;
    l.more_double = 2;
    struct minst mufu = inst(OP_MUFU), half = op3(OP_HADD, 9, 1, 1), exit = inst(OP_EXIT);
    mufu.dst[0] = reg(9);
    mufu.src[0] = reg(1);
    const struct {
        struct minst maker, taker;
        uint8_t stall;
    } row[] = {
        {op3(OP_IADD, 1, 0, 0), op3(OP_FADD, 9, 1, 1), 5},
        {op3(OP_FADD, 1, 0, 0), mufu, 4},
        {op3(OP_IADD, 1, 0, 0), half, 5},
        {op3(OP_HADD, 1, 0, 0), half, 6},
        {op3(OP_HADD, 1, 0, 0), op3(OP_IADD, 9, 1, 1), 7},
        {op3(OP_IADD, 1, 0, 0), op3(OP_DADD, 9, 1, 1), 6},
        {op3(OP_IADD, 1, 0, 0), load(9, 1), 5},
    };
    for (uint32_t i = 0; i < WW_COUNT(row); i++) {
        struct minst m[] = {row[i].maker, row[i].taker, exit};
        struct sample *const s = set(m, WW_COUNT(m), l);
        if (s->im.control[0].stall != row[i].stall) print_message("row %u\n", i);
        assert_int_equal(s->im.control[0].stall, row[i].stall);
        assert_int_equal(faults(s), 0);
        s->im.control[0].stall--;
        assert_int_not_equal(faults(s), 0);
        drop(s);
    }
}

// Its result is there when a multiply-add's would be.
static void a_multiply_add_takes_its_time(void **state) {
    (void)state;
    struct code_latencies l = test_latencies();
    l.cycles[OPC_INT_MAD] = 5;
    struct minst m[] = {add(1, 0, 0), add(2, 1, 1), inst(OP_EXIT)};
    m[0].flags = MF_AS_MAD;
    struct sample *const s = set(m, WW_COUNT(m), l);
    assert_int_equal(s->im.control[0].stall, 5);
    assert_int_equal(faults(s), 0);
    drop(s);
}

// It holds up the multiply-adds' pipeline and not that of its own class.
static void a_multiply_add_takes_its_pipeline(void **state) {
    (void)state;
    struct code_latencies l = test_latencies();
    l.unit[OPC_INT_ADD] = UNIT_INT;
    l.unit[OPC_INT_MAD] = l.unit[OPC_FP_ADD] = UNIT_FP;
    l.interval[OPC_INT_ADD] = l.interval[OPC_INT_MAD] = l.interval[OPC_FP_ADD] = 2;
    struct minst m[] = {add(1, 0, 0), add(2, 0, 0), add(3, 0, 0), op3(OP_FADD, 4, 0, 0),
                        add(5, 0, 0), add(6, 0, 0), inst(OP_EXIT)};
    m[1].flags = m[4].flags = MF_AS_MAD;
    struct sample *const s = set(m, WW_COUNT(m), l);
    static const uint8_t stalls[] = {1, 1, 1, 2, 1};
    for (uint32_t i = 0; i < WW_COUNT(stalls); i++)
        assert_int_equal(s->im.control[i].stall, stalls[i]);
    assert_int_equal(faults(s), 0);
    drop(s);
}

// ---- counters -----------------------------------------------------------------------------------
static void variable_latencies_become_counters(void **state) {
    (void)state;
    struct minst m[] = {
        load(1, 0),
        load(2, 0),            // both are needed by 3: one counter
        op3(OP_MUFU, 3, 0, 0), // needed by 4: its own
        op3(OP_IADD, 4, 1, 2),
        op3(OP_IADD, 5, 3, 4),
        store(0, 5), // its operand is overwritten by 6: a counter of reads
        op3(OP_IADD, 5, 0, 0),
        store(0, 5),
        inst(OP_EXIT), // never overwritten: none
    };
    struct sample *const s = set(m, WW_COUNT(m), test_latencies());
    const struct code_control *const k = s->im.control;
    assert_true(k[0].write < CONTROL_COUNTERS);
    assert_int_equal(k[0].write, k[1].write);
    assert_true(k[2].write < CONTROL_COUNTERS && k[2].write != k[0].write);
    assert_int_equal(k[3].wait, 1u << k[0].write);
    assert_int_equal(k[4].wait, 1u << k[2].write);
    assert_true(k[5].read < CONTROL_COUNTERS && k[5].write == CONTROL_NONE);
    assert_int_equal(k[6].wait, 1u << k[5].read);
    assert_int_equal(k[5].stall, 2); // a counter is up a cycle after the issue
    assert_int_equal(k[7].read, CONTROL_NONE);
    for (uint32_t i = 0; i < 2; i++) assert_int_equal(k[i].read, CONTROL_NONE);
    assert_int_equal(faults(s), 0);
    drop(s);
}

// A load in a loop, whose value the next iteration needs, and what follows the loop.
static void paths_meet(void **state) {
    (void)state;
    struct minst m[] = {
        load(1, 0),            // on the way in
        op3(OP_IADD, 2, 1, 2), // the loop: waits for either load
        load(1, 0),
        op3(OP_FADD, 3, 0, 0),
        branch(1, 0),
        op3(OP_FADD, 4, 3, 1), // behind it, for the second
        inst(OP_EXIT),
    };
    struct sample *const s = set(m, WW_COUNT(m), test_latencies());
    const struct code_control *const k = s->im.control;
    assert_int_equal(k[1].wait, 1u << k[0].write | 1u << k[2].write);
    assert_true(k[5].wait >> k[2].write & 1);
    assert_int_equal(k[4].stall, 1); // a branch takes longer than the addition before it
    assert_int_equal(faults(s), 0);
    drop(s);
    struct code_latencies quick = test_latencies();
    quick.branch = 1;
    struct sample *const q = set(m, WW_COUNT(m), quick);
    assert_int_equal(q->im.control[4].stall, 3);
    assert_int_equal(faults(q), 0);
    drop(q);
}

// A guard sees a predicate later than an operand does.
static void guards_wait_longer(void **state) {
    (void)state;
    struct code_latencies l = test_latencies();
    l.guard = 13;
    struct minst m[] = {op3(OP_ISETP, 0, 1, 2), op3(OP_SEL, 3, 1, 2),  op3(OP_IADD, 4, 1, 2),
                        op3(OP_ISETP, 0, 3, 4), op3(OP_FADD, 5, 1, 2), inst(OP_EXIT)};
    m[0].dst[0] = m[3].dst[0] = m[1].src[2] = (struct opnd){.kind = OPND_PRED};
    m[4].guard = 0;
    struct sample *const s = set(m, WW_COUNT(m), l);
    assert_int_equal(s->im.control[0].stall, 4);  // to SEL
    assert_int_equal(s->im.control[2].stall, 4);  // IADD to ISETP
    assert_int_equal(s->im.control[3].stall, 13); // to the guard
    assert_int_equal(faults(s), 0);
    s->im.control[3].stall = 12;
    assert_int_equal(faults(s), 1);
    drop(s);
}

// Two loads from far away, which the loop's next round needs, share a counter; ten loads from
// nearby, each needed a little later, never wait for it, nor for more than their turn.
static void slow_loads_keep_a_counter_to_themselves(void **state) {
    (void)state;
    enum { NEAR = 10, FIRST = 6 };
    struct minst m[FIRST + 2 * NEAR + 2];
    m[0] = load(1, 0);
    m[1] = load(2, 0);
    m[2] = op3(OP_IADD, 3, 1, 2); // the loop
    m[3] = op3(OP_IADD, 3, 3, 3);
    m[4] = load(1, 0);
    m[5] = load(2, 0);
    for (uint32_t i = 0; i < NEAR; i++) {
        m[FIRST + i] = load(10 + i, 0);
        m[FIRST + i].klass = OPC_LD_SHARED;
        m[FIRST + NEAR + i] = op3(OP_IADD, 30, 10 + i, 30);
    }
    m[FIRST + 2 * NEAR] = branch(2, 0);
    m[FIRST + 2 * NEAR + 1] = inst(OP_EXIT);
    for (uint32_t i = 0; i < 2; i++) m[4 + i].klass = m[i].klass = OPC_LD_GLOBAL;
    struct sample *const s = set(m, WW_COUNT(m), test_latencies());
    const struct code_control *const k = s->im.control;
    assert_int_equal(k[4].write, k[5].write);
    uint8_t used = 0, most = 0;
    for (uint32_t i = 0; i < NEAR; i++) {
        assert_int_not_equal(k[FIRST + i].write, k[4].write);
        assert_false(k[FIRST + NEAR + i].wait >> k[4].write & 1);
        used |= (uint8_t)(1u << k[FIRST + i].write);
        uint8_t n = 0;
        for (uint32_t j = 0; j < NEAR; j++) n += k[FIRST + j].write == k[FIRST + i].write;
        most = n > most ? n : most;
    }
    assert_true(bits_count32(used) >= 4); // all that are left, but for one perhaps
    assert_true(most <= NEAR / 2);
    assert_int_equal(faults(s), 0);
    drop(s);
}

// Nothing crosses a call.
static void calls_wait_for_all(void **state) {
    (void)state;
    struct minst m[] = {load(1, 0), op3(OP_DADD, 2, 0, 0), inst(OP_CALL), op3(OP_IADD, 3, 1, 2),
                        inst(OP_EXIT)};
    m[2].target = 3;
    struct sample *const s = set(m, WW_COUNT(m), test_latencies());
    assert_int_equal(s->im.control[2].wait, 1u << s->im.control[0].write);
    assert_int_equal(s->im.control[1].stall, 8);
    assert_int_equal(s->im.control[3].wait, 0);
    assert_int_equal(faults(s), 0);
    drop(s);
}

static void operands_that_come_again_are_kept(void **state) {
    (void)state;
    struct minst m[] = {
        op3(OP_FADD, 4, 1, 2), // R1 again in the same place: kept; R2 not: another place
        op3(OP_FADD, 5, 1, 3),
        op3(OP_FADD, 1, 1, 2), // R1 is written: not kept
        op3(OP_FADD, 6, 1, 2), // R2 again
        load(7, 2),
        op3(OP_FADD, 8, 7, 2),
        inst(OP_EXIT), // loads read past the operand cache
    };
    struct sample *const s = set(m, WW_COUNT(m), test_latencies());
    static const uint8_t reuse[] = {1, 1, 2, 0, 0, 0, 0};
    for (uint32_t i = 0; i < WW_COUNT(m); i++) assert_int_equal(s->im.control[i].reuse, reuse[i]);
    drop(s);
}

// ---- random programs ----------------------------------------------------------------------------
static const enum mop mix[] = {OP_IADD, OP_FFMA, OP_IMAD,  OP_DADD, OP_MUFU, OP_LD,   OP_LD,
                               OP_ST,   OP_SHFL, OP_ISETP, OP_HADD, OP_BRA,  OP_CALL, OP_HMMA_884};
static void draw_program(struct minst *m, uint32_t n, bool is_straight) {
    for (uint32_t i = 0; i < n; i++) {
        enum mop op = mix[draw(WW_COUNT(mix))];
        if (is_straight && (op == OP_BRA || op == OP_CALL)) op = OP_IADD;
        m[i] = inst(op);
        m[i].src[0] = draw(4) == 0 ? pair(draw(REGS / 2) * 2) : reg(draw(REGS));
        m[i].src[1] = reg(draw(REGS));
        if (op == OP_ISETP)
            m[i].dst[0] = (struct opnd){.kind = OPND_PRED, .reg = draw(3)};
        else if (op == OP_LD && draw(2))
            m[i].dst[0] = pair(draw(REGS / 2) * 2);
        else if (op != OP_ST && op != OP_BRA && op != OP_CALL)
            m[i].dst[0] = reg(draw(REGS));
        if (draw(4) == 0) m[i].guard = draw(3);
        if (op == OP_CALL) m[i] = inst(OP_CALL);
        if (op == OP_BRA) {
            m[i] = inst(OP_BRA);
            m[i].guard = draw(3) == 0 ? PRED_TRUE : draw(3);
        }
        if (op == OP_BRA || op == OP_CALL) m[i].target = (int32_t)draw(n);
    }
    m[n - 1] = inst(OP_EXIT);
}

static void random_programs_wait_for_everything(void **state) {
    (void)state;
    const struct code_latencies known = by_taker(), unknown = {0};
    struct code_latencies quick = known; // where a branch hides nothing
    quick.branch = 1;
    quick.guard = 13;
    for (uint32_t round = 0; round < 1500; round++) {
        seed = round;
        struct minst m[N];
        draw_program(m, N, false);
        struct sample *const s = set(m, N,
                                     round % 3 == 0   ? known
                                     : round % 3 == 1 ? quick
                                                      : unknown);
        if (faults(s) != 0) fail_msg("program %u: %u places are too early", round, faults(s));
        drop(s);
    }
}

// In straight-line code every cycle and every wait is needed: the verifier misses each.
static void what_is_taken_away_is_missed(void **state) {
    (void)state;
    uint32_t taken = 0;
    for (uint32_t round = 0; round < 150; round++) {
        seed = 77 + round;
        struct minst m[N];
        draw_program(m, N, true);
        struct sample *const s = set(m, N, test_latencies());
        for (uint32_t i = 0; i < N; i++) {
            struct code_control *const k = &s->im.control[i], kept = *k;
            if (kept.stall > 1) {
                k->stall--;
                if (faults(s) == 0) fail_msg("program %u, %u: a cycle less", round, i);
                taken++;
            }
            *k = kept;
            for (uint32_t c = 0; c < CONTROL_COUNTERS; c++) {
                if (!(kept.wait >> c & 1)) continue;
                k->wait = (uint8_t)(kept.wait & ~(1u << c));
                if (faults(s) == 0) fail_msg("program %u, %u: a wait less", round, i);
                taken++;
            }
            *k = kept;
            if (kept.write != CONTROL_NONE) {
                k->write = CONTROL_NONE;
                if (faults(s) == 0) fail_msg("program %u, %u: a counter less", round, i);
                taken++;
            }
            *k = kept;
        }
        drop(s);
    }
    assert_true(taken > 1000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fixed_latencies_become_stalls),
        cmocka_unit_test(takers_see_a_result_later_or_earlier),
        cmocka_unit_test(later_chips_add_less),
        cmocka_unit_test(pipelines_are_evened_out),
        cmocka_unit_test(a_multiply_add_takes_its_time),
        cmocka_unit_test(a_multiply_add_takes_its_pipeline),
        cmocka_unit_test(variable_latencies_become_counters),
        cmocka_unit_test(paths_meet),
        cmocka_unit_test(guards_wait_longer),
        cmocka_unit_test(slow_loads_keep_a_counter_to_themselves),
        cmocka_unit_test(calls_wait_for_all),
        cmocka_unit_test(operands_that_come_again_are_kept),
        cmocka_unit_test(random_programs_wait_for_everything),
        cmocka_unit_test(what_is_taken_away_is_missed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
