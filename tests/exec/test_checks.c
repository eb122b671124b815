// The optional checks: reads of bytes never written, shared-memory races; on a chip whose warps
// have a stack and on one whose threads are independent.
#include "test_asm.h"

static struct minst *access_(struct prog *p, bool is_store, uint8_t space, struct opnd a) {
    struct minst *m = is_store ? emit(p, OP_ST, ITYPE_U32, NONE_, a, R(8), NONE_)
                               : emit(p, OP_LD, ITYPE_U32, R(9), a, NONE_, NONE_);
    m->space = space;
    m->vec = 1;
    return m;
}
static void uninitialised(void **state) {
    (void)state;
    for (uint32_t logged = 0; logged < 2; logged++) {
        struct prog *p = prog_new();
        assert_true(devmem_track_writes(p->mem));
        p->args.options.check_uninitialised = true;
        p->im.shared_bytes = 256;
        const uint64_t buf = devmem_alloc(p->mem, 4096, 256, "buf");
        devmem_mark_written(p->mem, buf, 130); // 32 words and two bytes
        access_(p, false, SPACE_GLOBAL, RD(2));
        access_(p, true, SPACE_GLOBAL, RD(4));
        access_(p, false, SPACE_GLOBAL, RD(4));
        access_(p, true, SPACE_SHARED, R(6));
        access_(p, false, SPACE_SHARED, R(6));
        struct minst *m = emit(p, OP_LD, ITYPE_U32, R(9), RD(2), NONE_, NONE_);
        m->space = SPACE_GLOBAL;
        m->vec = 1;
        m->offset = 4;
        emit_exit(p);
        if (logged) p->env.log = exec_log_create();
        prog_start(p);
        for (uint32_t i = 0; i < 32; i++) {
            set64(p, 2, i, buf + 4 * i);
            set64(p, 4, i, buf + 1024 + 4 * i);
            reg(p, 6)[i] = 4 * i;
        }
        for (int k = 0; k < 5; k++) assert_int_equal(exec_step(&p->env, warp0(p)), EXEC_MEMORY);
        assert_int_equal(exec_step(&p->env, warp0(p)), EXEC_FAULT);
        assert_int_equal(p->env.fault.kind, FAULT_UNINITIALISED);
        assert_int_equal(p->env.fault.lane, 31);
        assert_non_null(strstr(p->env.fault.text, "was never written"));
        char byte[40];
        snprintf(byte, sizeof byte, "byte 0x%llx was", (unsigned long long)buf + 130);
        assert_non_null(strstr(p->env.fault.text, byte));
        if (logged) {
            struct exec_fault f;
            assert_true(exec_commit(p->mem, &p->env.log, 1, &f));
            warp0(p)->pc = 2; // written now for everyone
            assert_int_equal(exec_step(&p->env, warp0(p)), EXEC_MEMORY);
        }
        // freed memory is unwritten again
        devmem_free(p->mem, buf);
        const uint64_t again = devmem_alloc(p->mem, 4096, 256, "again");
        warp0(p)->pc = 0;
        for (uint32_t i = 0; i < 32; i++) set64(p, 2, i, again);
        assert_int_equal(exec_step(&p->env, warp0(p)), EXEC_FAULT);
        exec_log_destroy(p->env.log);
        p->env.log = NULL;
        prog_free(p);
    }
    struct prog *p = prog_new();
    p->args.options.check_uninitialised = true;
    p->im.shared_bytes = 256;
    access_(p, false, SPACE_SHARED, R(6));
    emit_exit(p);
    prog_start(p);
    assert_int_equal(exec_step(&p->env, warp0(p)), EXEC_FAULT);
    assert_non_null(
        strstr(p->env.fault.text,
               "shared read of 4 bytes at offset 0x0, of which byte 0x0 was never written"));
    prog_free(p);
}

static const enum target_gen gens[] = {GEN_FERMI, GEN_VOLTA};

// Two warps on shared words, at addresses of R6, with a barrier between or not.
static enum exec_outcome pair(enum target_gen gen, bool first_store, bool second_store,
                              uint32_t second_offset, int barrier, const char **text) {
    static struct exec_fault fault;
    struct prog *p = prog_new();
    p->im.target.gen = gen;
    p->args.options.check_races = true;
    p->args.block[0] = 96;
    p->im.shared_bytes = 1024;
    access_(p, first_store, SPACE_SHARED, R(6));
    emit(p, OP_BAR, ITYPE_NONE, NONE_, I(barrier == 2 ? 3 : 0), barrier == 2 ? I(64) : NONE_, NONE_)
        ->sub = MBAR_SYNC;
    access_(p, second_store, SPACE_SHARED, R(6));
    emit_exit(p);
    prog_start(p);
    struct exec_warp *a = &p->cta.warps[0], *b = &p->cta.warps[1];
    for (uint32_t i = 0; i < 32; i++) {
        a->regs[6 * 32 + i] = 4 * i;
        b->regs[6 * 32 + i] = 4 * i + second_offset;
    }
    assert_int_equal(exec_step(&p->env, a), EXEC_MEMORY);
    if (barrier) {
        assert_int_equal(exec_step(&p->env, a), EXEC_BARRIER);
        b->pc = 1;
        assert_int_equal(exec_step(&p->env, b), EXEC_BARRIER);
        exec_barrier_release(a, 0);
        exec_barrier_release(b, 0);
    }
    b->pc = 2;
    const enum exec_outcome o = exec_step(&p->env, b);
    fault = p->env.fault;
    *text = fault.text;
    prog_free(p);
    return o;
}
static void races(void **state) {
    (void)state;
    const char *text;
    for (size_t g = 0; g < WW_COUNT(gens); g++) {
        assert_int_equal(pair(gens[g], true, false, 0, 0, &text), EXEC_FAULT);
        assert_non_null(strstr(text,
                               "shared-memory race: warp 1 reads the byte at offset 0x0, which "
                               "warp 0 wrote with no barrier between"));
        assert_int_equal(pair(gens[g], true, true, 4, 0, &text), EXEC_FAULT);
        assert_non_null(strstr(text, "warp 1 writes the byte at offset 0x4, which warp 0 wrote"));
        assert_int_equal(pair(gens[g], false, true, 0, 0, &text), EXEC_FAULT);
        assert_non_null(strstr(text, "warp 1 writes the byte at offset 0x0, which warp 0 read"));
        assert_int_equal(pair(gens[g], false, false, 0, 0, &text), EXEC_MEMORY);
        assert_int_equal(pair(gens[g], true, true, 128, 0, &text), EXEC_MEMORY);
        for (int barrier = 1; barrier < 3; barrier++) {
            assert_int_equal(pair(gens[g], true, false, 0, barrier, &text), EXEC_MEMORY);
            assert_int_equal(pair(gens[g], true, true, 0, barrier, &text), EXEC_MEMORY);
            assert_int_equal(pair(gens[g], false, true, 0, barrier, &text), EXEC_MEMORY);
        }
    }
}
static void atomics_do_not_race(void **state) {
    (void)state;
    for (size_t g = 0; g < WW_COUNT(gens); g++) {
        struct prog *p = prog_new();
        p->im.target.gen = gens[g];
        p->args.options.check_races = true;
        p->args.block[0] = 64;
        p->im.shared_bytes = 256;
        struct minst *m = emit(p, OP_ATOM, ITYPE_U32, NONE_, R(6), I(1), NONE_);
        m->space = SPACE_SHARED;
        m->sub = MATOM_ADD;
        m->vec = 1;
        access_(p, false, SPACE_SHARED, R(6));
        emit_exit(p);
        prog_start(p);
        assert_int_equal(exec_step(&p->env, &p->cta.warps[0]), EXEC_MEMORY);
        assert_int_equal(exec_step(&p->env, &p->cta.warps[1]), EXEC_MEMORY);
        assert_int_equal(exec_step(&p->env, &p->cta.warps[0]),
                         EXEC_FAULT); // a plain read does race
        prog_free(p);
    }
}

// Lanes of one warp: a store, what may order them, a load of the neighbour's word.
static enum exec_outcome lanes(enum target_gen gen, enum mop between, const char **text) {
    static struct exec_fault fault;
    struct prog *p = prog_new();
    p->im.target.gen = gen;
    p->args.options.check_races = true;
    p->im.shared_bytes = 256;
    access_(p, true, SPACE_SHARED, R(6));
    if (between == OP_SHFL) {
        struct minst *const m = emit(p, OP_SHFL, ITYPE_B32, R(5), R(8), I(1), I(31));
        m->sub = MSHFL_BFLY;
        m->src[3] = I(~0u);
    } else {
        emit(p, between, ITYPE_U32, NONE_, I(~0u), NONE_, NONE_);
    }
    access_(p, false, SPACE_SHARED, R(7));
    emit_exit(p);
    prog_start(p);
    for (uint32_t i = 0; i < 32; i++) {
        reg(p, 6)[i] = 4 * i;
        reg(p, 7)[i] = 4 * (i ^ 1);
    }
    assert_int_equal(exec_step(&p->env, warp0(p)), EXEC_MEMORY);
    assert_int_equal(exec_step(&p->env, warp0(p)), EXEC_NEXT);
    const enum exec_outcome o = exec_step(&p->env, warp0(p));
    fault = p->env.fault;
    *text = fault.text;
    prog_free(p);
    return o;
}
static void lanes_race(void **state) {
    (void)state;
    const char *text;
    assert_int_equal(lanes(GEN_FERMI, OP_SHFL, &text), EXEC_MEMORY); // in step
    assert_int_equal(lanes(GEN_VOLTA, OP_WARPSYNC, &text), EXEC_MEMORY);
    assert_int_equal(lanes(GEN_VOLTA, OP_SHFL, &text), EXEC_FAULT); // orders no memory
    assert_non_null(strstr(text,
                           "shared-memory race: lane 0 of warp 0 reads the byte at offset 0x4, "
                           "which lane 1 wrote with no bar.warp.sync (__syncwarp) between"));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(uninitialised), cmocka_unit_test(races),
                                       cmocka_unit_test(atomics_do_not_race),
                                       cmocka_unit_test(lanes_race)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
