// Register allocation and the optimiser: random programs do the same before and after.
#include "test_random.h"

static void check_ranges(const struct mfunc *f, uint32_t max_regs, uint64_t seed) {
    for (uint32_t i = 0; i < f->inst.n; i++) {
        const struct minst *m = &f->inst.at[i];
        for (unsigned j = 0; j < 6; j++) {
            const struct opnd *o = j < 2 ? &m->dst[j] : &m->src[j - 2];
            if (o->kind == OPND_PRED) assert_true(o->reg < MAX_PREDS || o->reg == PRED_CARRY);
            if (o->kind != OPND_GPR) continue;
            if (o->reg % o->words || o->reg + o->words > max_regs || o->sub)
                fail_msg("seed %llu: R%u with %u words", (unsigned long long)seed, o->reg,
                         o->words);
        }
        assert_true(m->guard < MAX_PREDS);
    }
    assert_true(f->n_regs <= max_regs);
}

static enum target_gen tested = GEN_FERMI;

static void allocate_and_compare(struct shape s, uint32_t max_regs, uint32_t n_preds, uint64_t from,
                                 uint64_t to, bool optimise) {
    for (uint64_t seed = from; seed < to; seed++) {
        struct builder b;
        build_init(&b, seed);
        b.target.n_preds = n_preds;
        b.target.gen = tested;
        random_program(&b, s);
        struct machine *before = arena_alloc(&b.arena, sizeof *before);
        machine_init(before, &b.f, &b.arena, 5);
        machine_run(before);
        if (before->wrong) fail_msg("seed %llu: %s", (unsigned long long)seed, before->wrong);
        struct diags d;
        diags_init(&d);
        if (optimise) {
            opt_run(&b.f);
            same_behaviour(before, &b.f, &b.arena, seed);
        }
        ra_run(&b.f, max_regs, &d);
        if (d.errors) fail_msg("seed %llu: %s", (unsigned long long)seed, d.list.at[0].text);
        check_ranges(&b.f, max_regs, seed);
        same_behaviour(before, &b.f, &b.arena, seed);
        diags_free(&d);
        build_free(&b);
    }
}

static const struct shape small = {.blocks = 4, .ops = 8, .words = 5, .pairs = 1, .preds = 3};
static const struct shape middle = {
    .blocks = 10, .ops = 14, .words = 10, .pairs = 3, .quads = 2, .preds = 5};
static const struct shape large = {
    .blocks = 20, .ops = 20, .words = 30, .pairs = 8, .quads = 4, .preds = 12};

static void with_enough_registers(void **state) {
    (void)state;
    allocate_and_compare(small, 63, 7, 1, 400, false);
    allocate_and_compare(middle, 63, 7, 1, 400, false);
}
static void with_few_registers(void **state) {
    (void)state;
    allocate_and_compare(small, 8, 7, 1, 400, false);
    allocate_and_compare(middle, 20, 7, 1, 300, false);
    allocate_and_compare(middle, 12, 7, 300, 600, false);
}
static void with_few_predicates(void **state) {
    (void)state;
    allocate_and_compare(middle, 63, 4, 1, 300, false);
    allocate_and_compare(large, 63, 7, 1, 200, false);
    allocate_and_compare(large, 16, 7, 200, 300, false);
}
static void over_calls(void **state) {
    (void)state;
    struct shape s = middle;
    s.calls = true;
    allocate_and_compare(s, 63, 7, 1, 300, false);
    allocate_and_compare(s, 14, 5, 300, 500, false);
}

// A value that lives over a call of a known function stays in a register above what that takes, as
// long as there are some; calls of others stand between.
static void over_calls_of_known_functions(void **state) {
    (void)state;
    struct mfunc leaf = {.allocated = true, .takes_regs = 9, .takes_preds = 2};
    struct mfunc *const callee[] = {&leaf};
    struct shape s = middle;
    s.calls = true;
    uint32_t fewer = 0;
    for (uint64_t seed = 1; seed < 400; seed++) {
        uint32_t spilled[2] = {0};
        for (unsigned known = 0; known < 3; known++) { // no call, every call, every other one
            struct builder b;
            build_init(&b, seed);
            random_program(&b, s);
            b.f.callee = callee;
            uint32_t calls = 0;
            for (uint32_t i = 0; i < b.f.inst.n; i++)
                if (b.f.inst.at[i].op == OP_CALL && known && calls++ % known == 0)
                    b.f.inst.at[i].target = 0;
            struct machine *before = arena_alloc(&b.arena, sizeof *before);
            machine_init(before, &b.f, &b.arena, 5);
            machine_run(before);
            const uint32_t max_regs = seed % 2 ? 63 : 24;
            ra_run(&b.f, max_regs, NULL);
            assert_true(b.f.allocated);
            check_ranges(&b.f, max_regs, seed);
            same_behaviour(before, &b.f, &b.arena, seed);
            if (known < 2) spilled[known] = b.f.spilled_regs;
            if (known == 1 && calls) assert_true(b.f.takes_regs >= leaf.takes_regs);
            build_free(&b);
        }
        assert_true(spilled[1] <= spilled[0] || seed % 2 == 0);
        fewer += spilled[1] < spilled[0];
    }
    assert_true(fewer > 100);
}

static void optimised(void **state) {
    (void)state;
    allocate_and_compare(small, 63, 7, 1, 600, true);
    allocate_and_compare(middle, 63, 7, 1, 600, true);
    allocate_and_compare(large, 40, 7, 1, 100, true);
    allocate_and_compare(middle, 14, 5, 600, 900, true);
    struct shape s = middle;
    s.calls = true;
    allocate_and_compare(s, 20, 7, 1, 300, true);
}

// The passes of later generations too.
static void optimised_for_volta(void **state) {
    tested = GEN_VOLTA;
    with_enough_registers(state);
    with_few_registers(state);
    optimised(state);
    tested = GEN_FERMI;
}

// @p LD t, [x];  @p MOV v, t: the value is loaded where it stays, unless something looks at v
// before.
static void guarded_values_are_made_in_place(void **state) {
    (void)state;
    for (uint32_t which = 0; which < 5; which++) {
        struct builder b;
        build_init(&b, 1);
        b.target.gen = which == 1 ? GEN_FERMI : GEN_VOLTA;
        const uint32_t x = vreg(&b, 1), v = vreg(&b, 1), t = vreg(&b, 1), p = vpred(&b);
        emit(&b, OP_S2R, gpr(x), nothing, nothing);
        emit(&b, OP_S2R, gpr(v), nothing, nothing)->aux = 1;
        emit(&b, OP_ISETP, pred(p), gpr(x), imm(10))->cmp = MCMP_LT;
        emit(&b, OP_LD, gpr(t), gpr(x), nothing)->guard = p;
        if (which == 2) emit(&b, OP_ST, nothing, gpr(x), gpr(v));
        if (which == 3) emit(&b, OP_ISETP, pred(p), gpr(x), imm(12))->cmp = MCMP_LT;
        struct minst *const m = emit(&b, OP_MOV, gpr(v), gpr(t), nothing);
        m->guard = p;
        m->guard_not = which == 4;
        emit(&b, OP_ST, nothing, gpr(x), gpr(v));
        emit(&b, OP_EXIT, nothing, nothing, nothing);
        ra_run(&b.f, 63, NULL);
        uint32_t moves = 0;
        for (uint32_t i = 0; i < b.f.inst.n; i++) moves += b.f.inst.at[i].op == OP_MOV;
        assert_int_equal(moves, which != 0);
        build_free(&b);
    }
}

// A kernel without any room says so.
static void an_impossible_demand_is_refused(void **state) {
    (void)state;
    struct builder b;
    build_init(&b, 1);
    const uint32_t q = vreg(&b, 4), w = vreg(&b, 1);
    emit(&b, OP_MOV, gpr(w), imm(1), nothing);
    for (uint8_t i = 0; i < 4; i++) emit(&b, OP_MOV, gpr_sub(q, i, 1), imm(i), nothing);
    struct minst *m = emit(&b, OP_ST, nothing, gpr(w), gpr_sub(q, 0, 4));
    m->space = SPACE_GLOBAL;
    m->vec = 4;
    emit(&b, OP_EXIT, nothing, nothing, nothing);
    struct diags d;
    diags_init(&d);
    ra_run(&b.f, 4, &d);
    assert_int_equal(d.errors, 1);
    assert_int_equal(diags_status(&d), WW_ERROR_UNSUPPORTED);
    diags_free(&d);
    build_free(&b);
}

// Values that come one after another share registers; a loop's copies vanish.
static void moves_of_a_loop_are_coalesced(void **state) {
    (void)state;
    struct builder b;
    build_init(&b, 1);
    b.target.gen = GEN_TESLA; // keeps no register for a stack pointer
    const uint32_t i = vreg(&b, 1), next = vreg(&b, 1), p = vpred(&b);
    const int32_t head = label(&b);
    emit(&b, OP_S2R, gpr(i), nothing, nothing);
    place(&b, head);
    emit(&b, OP_IADD, gpr(next), gpr(i), imm(1));
    emit(&b, OP_ISETP, pred(p), gpr(next), imm(10))->cmp = MCMP_LT;
    emit(&b, OP_MOV, gpr(i), gpr(next), nothing);
    emit_branch(&b, head, p, false);
    emit(&b, OP_EXIT, nothing, nothing, nothing);
    ra_run(&b.f, 63, NULL);
    assert_int_equal(b.f.inst.n, 5);
    assert_int_equal(b.f.n_regs, 1);
    build_free(&b);
}

// A quad is built in place from its words, and its first word's register is free once that is read.
static void vectors_are_built_in_place(void **state) {
    (void)state;
    struct builder b;
    build_init(&b, 1);
    b.target.gen = GEN_TESLA; // keeps no register for a stack pointer
    const uint32_t q = vreg(&b, 4);
    for (uint8_t i = 0; i < 4; i++) {
        const uint32_t w = vreg(&b, 1);
        emit(&b, OP_S2R, gpr(w), nothing, nothing)->aux = i;
        emit(&b, OP_MOV, gpr_sub(q, i, 1), gpr(w), nothing);
    }
    struct minst *m = emit(&b, OP_ST, nothing, nothing, gpr_sub(q, 0, 4));
    m->space = SPACE_GLOBAL;
    m->vec = 4;
    emit(&b, OP_EXIT, nothing, nothing, nothing);
    ra_run(&b.f, 63, NULL);
    assert_int_equal(b.f.inst.n, 6);
    assert_int_equal(b.f.n_regs, 4);
    build_free(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(with_enough_registers),
        cmocka_unit_test(with_few_registers),
        cmocka_unit_test(with_few_predicates),
        cmocka_unit_test(over_calls),
        cmocka_unit_test(over_calls_of_known_functions),
        cmocka_unit_test(optimised),
        cmocka_unit_test(optimised_for_volta),
        cmocka_unit_test(guarded_values_are_made_in_place),
        cmocka_unit_test(an_impossible_demand_is_refused),
        cmocka_unit_test(moves_of_a_loop_are_coalesced),
        cmocka_unit_test(vectors_are_built_in_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
