// CTAs: occupancy as NVIDIA's calculator has it, slots that are used again, barriers.
#include "test_rig.h"

// ---- occupancy ----------------------------------------------------------------------------------
// Limits of a compute capability: "occupancy:" rows of the vendor's calculator data and of the CUDA
// occupancy header (CC 1.3, 2.0, 3.5).
static struct sm_config cc13(void) {
    return (struct sm_config){.max_warps = 32, .max_ctas = 8, .max_threads = 1024,
                              .registers = 16384, .shared_bytes = 16384, .reg_alloc_unit = 512,
                              .reg_alloc_per_cta = true, .warp_alloc_unit = 2,
                              .shared_alloc_unit = 512};
}
static struct sm_config cc20(void) {
    return (struct sm_config){.max_warps = 48, .max_ctas = 8, .max_threads = 1536,
                              .registers = 32768, .shared_bytes = 49152, .reg_alloc_unit = 64,
                              .warp_alloc_unit = 2, .shared_alloc_unit = 128};
}
static struct sm_config cc35(void) {
    return (struct sm_config){.max_warps = 64, .max_ctas = 16, .max_threads = 2048,
                              .registers = 65536, .shared_bytes = 49152, .reg_alloc_unit = 256,
                              .warp_alloc_unit = 4, .shared_alloc_unit = 256};
}

static void occupancy(void **state) {
    (void)state;
    const struct {
        struct sm_config c;
        uint32_t threads, regs, shared, ctas;
        const char *limit;
    } row[] = {
        // CC 1.3: 8 warps * 32 * 17 = 4352, rounded to 4608; 16384 / 4608 = 3.
        {cc13(), 256, 17, 0, 3, "registers"},
        {cc13(), 256, 16, 0, 4, "warps"}, // 4096 each: 4; warps 32 / 8 = 4
        // 3 warps count as 4: 4 * 32 * 20 = 2560; 6 CTAs. Unrounded it would be 8.
        {cc13(), 96, 20, 0, 6, "registers"},
        {cc13(), 64, 10, 2049, 6, "shared memory"}, // 2560 each
        {cc13(), 32, 10, 0, 8, "CTA slots"},
        // CC 2.0: a warp takes 20 * 32 = 640; 8 warps 5120; 6 CTAs; warps 48 / 8 = 6.
        {cc20(), 256, 20, 0, 6, "warps"},
        {cc20(), 256, 32, 0, 4, "registers"},       // 1024 * 8 = 8192
        {cc20(), 256, 33, 0, 3, "registers"},       // 1056 -> 1088 * 8 = 8704
        {cc20(), 192, 20, 0, 8, "warps"},           // 48 / 6 = 8
        {cc20(), 128, 20, 12289, 3, "shared memory"}, // 12416
        {cc20(), 64, 20, 0, 8, "CTA slots"},
        {cc20(), 1024, 63, 0, 0, "registers"},      // 2016 -> 2048 * 32 > 32768
        // The two parts of the file hold 12 warps of 1280 each; 3 warps a CTA need no even number.
        {cc20(), 96, 40, 0, 8, "registers"}, // the CTA slots are as many
        {cc20(), 160, 40, 0, 4, "registers"}, // 24 warps / 5
        {cc20(), 224, 40, 0, 3, "registers"}, // 24 warps / 7: as many as of 8
        {cc20(), 288, 63, 0, 1, "registers"}, // 8 of 2048 a part, 16 warps / 9
        // CC 3.5: 37 * 32 = 1184 -> 1280; a part of 16384 holds 12 warps, the SM 48.
        {cc35(), 96, 37, 0, 16, "registers"},
        {cc35(), 256, 37, 0, 6, "registers"},       // 10240
        {cc35(), 256, 32, 0, 8, "warps"},           // 1024 * 8 = 8192: 8 as well
        {cc35(), 64, 16, 0, 16, "CTA slots"},
        {cc35(), 1000, 32, 0, 2, "warps"},          // 32 warps
    };
    for (size_t i = 0; i < WW_COUNT(row); i++) {
        const struct code_image im = {.n_regs = row[i].regs};
        const struct sm_occupancy o =
            sm_kernel_occupancy(&row[i].c, &im, row[i].threads, row[i].shared);
        assert_int_equal(o.ctas, row[i].ctas);
        assert_string_equal(o.limit, row[i].limit);
        assert_int_equal(o.warps, o.ctas * ((row[i].threads + 31) / 32));
    }
}

// What the vendor's own calculator says for boards of capability 3.5 and later.
static void occupancy_of_boards(void **state) {
    (void)state;
    const struct {
        uint32_t major, minor, gen;
        struct sm_config c;
    } board[] = {
        {3, 5, GEN_KEPLER, cc35()},
        {6, 1, GEN_PASCAL, cc35()},
        {7, 0, GEN_VOLTA, cc35()},
        {7, 5, GEN_TURING, cc35()},
    };
    static const struct {
        uint32_t major, minor, threads, regs, shared, ctas;
    } row[] = {
#define CASE(...) {__VA_ARGS__},
#include "occupancy.def"
#undef CASE
    };
    for (size_t i = 0; i < WW_COUNT(row); i++) {
        size_t b = 0;
        while (board[b].major != row[i].major || board[b].minor != row[i].minor)
            assert_true(++b < WW_COUNT(board));
        struct sm_config c = board[b].c;
        if (row[i].major >= 6) c.max_ctas = 32, c.shared_bytes = 98304;
        if (row[i].major == 7 && row[i].minor == 5)
            c.max_ctas = 16, c.shared_bytes = 65536, c.max_warps = 32, c.max_threads = 1024;
        const enum target_gen gen = (enum target_gen)board[b].gen;
        const struct code_image im = {.target.gen = gen,
                                      .n_regs = row[i].regs - register_file_kept(gen)};
        assert_int_equal(image_registers(&im), row[i].regs);
        const struct sm_occupancy o = sm_kernel_occupancy(&c, &im, row[i].threads, row[i].shared);
        if (o.ctas != row[i].ctas)
            fail_msg("capability %u.%u, %u threads, %u registers, %u bytes: %u CTAs, not %u",
                     row[i].major, row[i].minor, row[i].threads, row[i].regs, row[i].shared, o.ctas,
                     row[i].ctas);
        // the compiler's question is the same one the other way round
        const struct register_file file = sm_register_file(&c);
        const uint32_t warps = (row[i].threads + 31) / 32;
        if (!row[i].shared && o.ctas)
            assert_true(register_file_share(&file, o.ctas, warps) >= row[i].regs);
        if (!row[i].shared && strcmp(o.limit, "registers") == 0)
            assert_true(register_file_share(&file, o.ctas + 1, warps) < row[i].regs);
    }
}

// An SM takes as many CTAs as that says, and no more until one is done.
static void slots_are_filled_and_used_again(void **state) {
    (void)state;
    struct rig *g = rig_new();
    g->c.warp_alloc_unit = 2;
    g->im.n_regs = 33; // 1088 a warp, 8704 a CTA of 8 warps: 3 CTAs
    g->args.block[0] = 256;
    g->ctas = 10;
    for (uint32_t i = 0; i < 20; i++) iaddi(g, 1, 1, 1);
    exit_(g);
    rig_make(g);
    uint64_t taken = 0;
    while (sm_can_take(g->sm, 0)) sm_take_cta(g->sm, 0, taken++, 0);
    assert_int_equal(taken, 3);
    uint64_t t = 0;
    while (g->done < 10) {
        sm_run(g->sm, t, t + 50);
        t += 50;
        while (taken < 10 && sm_can_take(g->sm, 0)) sm_take_cta(g->sm, 0, taken++, t);
    }
    assert_int_equal(act(g, ACT_cta_launches), 10);
    assert_int_equal(act(g, ACT_warp_launches), 80);
    assert_int_equal(act(g, ACT_warp_instructions), 80 * 21);
    sm_run(g->sm, t, t + 100);
    assert_true(sm_is_idle(g->sm));
    assert_int_equal(sm_next_event(g->sm, t + 100), UINT64_MAX);
    rig_free(g);
}

// The place of a CTA stands empty for cta_turnover cycles before the next one's first fetch there, other
// places do not. Of a CTA whose first fetch is in cycle 0: move in 1, additions in 11 and 21, exit in 31 with their result.
static uint64_t of_turnover(uint32_t turnover, uint32_t latency, uint32_t places, uint64_t ctas) {
    struct rig *g = rig_new();
    g->c.cta_turnover = turnover;
    g->c.cta_launch_latency = latency;
    g->c.max_ctas = places;
    g->ctas = ctas;
    movi(g, 1, 1);
    iaddi(g, 1, 1, 1);
    iaddi(g, 1, 1, 1);
    exit_(g);
    const uint64_t end = rig_run(g) - 1;
    rig_free(g);
    return end;
}
static void places_stand_empty(void **state) {
    (void)state;
    enum { ALONE = 31 };
    assert_int_equal(of_turnover(0, 0, 1, 1), ALONE);
    assert_int_equal(of_turnover(300, 0, 1, 1), ALONE); // the first one waits for none
    for (uint64_t n = 2; n < 5; n++)
        assert_int_equal(of_turnover(300, 0, 1, n), ALONE + (n - 1) * (300 + ALONE));
    // Given in cycle 100, when a quantum ends: what takes longer counts, the turnover from 31 or the launch from 100.
    assert_int_equal(of_turnover(300, 250, 1, 2), 250 + ALONE + 300 + ALONE);
    assert_int_equal(of_turnover(50, 0, 1, 2), 100 + ALONE);
    // Two places: their second CTAs come as if each had the SM, but for the one cycle that they share.
    assert_in_range(of_turnover(300, 0, 2, 4), ALONE + 300 + ALONE, ALONE + 300 + ALONE + 3);
}

// A kernel that can never fit is refused with a sentence.
static void too_large(void **state) {
    (void)state;
    struct rig *g = rig_new();
    g->im.n_regs = 63;
    g->args.block[0] = 1024;
    exit_(g);
    g->im.inst = g->inst;
    g->im.n_insts = g->n;
    assert_int_equal(exec_launch_create(&g->im, g->memory, &g->args, &g->d, &g->launch), WW_OK);
    assert_int_equal(sm_kernel_create(&g->c, &g->im, &exec_computes, g->launch, 0, &g->d, &g->kernel),
                     WW_ERROR_LAUNCH);
    char text[300];
    diags_first(&g->d, text, sizeof text);
    assert_non_null(strstr(text, "65536 registers of 32768"));
    exec_launch_destroy(g->launch);
    devmem_destroy(g->memory);
    diags_free(&g->d);
    free(g->inst);
    free(g->port);
    free(g);
}

// ---- barriers -----------------------------------------------------------------------------------
// Warp 1 does five dependent adds before the barrier, warp 0 jumps over them:
//   1, 2 S2R; 11, 12 ISETP; 21, 22 BRA (warp 0 takes it: fetched in 25, decoded in 26)
//   26 warp 0 at the barrier; warp 1 adds in 27, 37, 47, 57, 67 and comes to the barrier in 68
//   68 + 20 (timing of CTRL): moves in 88 and 89; results in 98 and 99
static void skewed_barrier(void **state) {
    (void)state;
    struct rig *g = rig_new();
    g->c.timing[OPC_CTRL].latency = 20;
    g->args.block[0] = 64;
    s2r(g, 1, SREG_tid_x);
    setp_lt(g, 0, 1, 32);
    struct minst *b = bra(g, 8);
    b->guard = 0;
    b->reconv = 8;
    for (uint32_t i = 0; i < 5; i++) iaddi(g, 2, 2, 1);
    bar(g);
    movi(g, 3, 1);
    exit_(g);
    rig_run(g);
    assert_int_equal(g->done_at, 89 + 10);
    assert_int_equal(act(g, ACT_barriers), 2);
    // Waiting for the adds is 'alu' as long as warp 1 does; 69..87 are the barrier's.
    assert_int_equal(act(g, ACT_issue_slots + STALL_barrier), 19);
    rig_free(g);
}

// Barriers with a count: warps 0 and 1 meet at barrier 1 with 64 threads, warps 2 and 3 go on.
// A warp arrives without waiting (MBAR_ARRIVE) and another waits for it.
static void counted_barrier(void **state) {
    (void)state;
    struct rig *g = rig_new();
    g->args.block[0] = 128;
    s2r(g, 1, SREG_tid_x);
    setp_lt(g, 0, 1, 64);
    struct minst *m = emit(g, OP_BAR, OPC_CTRL, ITYPE_U32, NIL(), IMM(1), IMM(64), NIL());
    m->guard = 0;
    setp_lt(g, 1, 1, 96);
    m = emit(g, OP_BAR, OPC_CTRL, ITYPE_U32, NIL(), IMM(2), IMM(128), NIL());
    m->guard = 1; // warps 0, 1, 2 arrive at barrier 2 ...
    m->sub = MBAR_ARRIVE;
    m = emit(g, OP_BAR, OPC_CTRL, ITYPE_U32, NIL(), IMM(2), IMM(128), NIL());
    m->guard = 1; // ... and warp 3 waits there
    m->guard_not = true;
    exit_(g);
    rig_run(g);
    assert_int_equal(g->done, 1);
    rig_free(g);
}

// A reducing barrier: bar.red.popc over a predicate that holds in 40 of 64 threads.
static void reducing_barrier(void **state) {
    (void)state;
    struct rig *g = rig_new();
    g->args.block[0] = 64;
    s2r(g, 1, SREG_tid_x);
    setp_lt(g, 0, 1, 40);
    struct minst *m = emit(g, OP_BAR, OPC_CTRL, ITYPE_U32, R(5), IMM(0), NIL(), P(0));
    m->sub = MBAR_RED_POPC;
    address(g, 2);
    store(g, SPACE_GLOBAL, 2, 5, 0);
    exit_(g);
    rig_run(g);
    uint32_t n;
    memcpy(&n, devmem_host(g->memory, g->buffer, 4), 4);
    assert_int_equal(n, 40);
    rig_free(g);
}

// Warps that have exited are not waited for.
static void exited_warps_count_out(void **state) {
    (void)state;
    struct rig *g = rig_new();
    g->args.block[0] = 96;
    s2r(g, 1, SREG_tid_x);
    setp_lt(g, 0, 1, 32);
    struct minst *m = exit_(g);
    m->guard = 0; // warp 0 leaves
    bar(g);
    exit_(g);
    rig_run(g);
    assert_int_equal(g->done, 1);
    rig_free(g);
}

// A divergent branch: both sides are executed, and the sides meet again.
static void divergence(void **state) {
    (void)state;
    struct rig *g = rig_new();
    s2r(g, 1, SREG_tid_x);
    setp_lt(g, 0, 1, 16);
    struct minst *m = bra(g, 5);
    m->guard = 0;
    m->reconv = 6;
    movi(g, 2, 1); // 3: lanes 16..31
    bra(g, 6);
    movi(g, 2, 2); // 5: lanes 0..15
    address(g, 3); // 6: all
    exit_(g);
    rig_run(g);
    assert_int_equal(act(g, ACT_divergent_branches), 1);
    // Half a warp: both moves, the branch between them, and the split itself (its guard holds in
    // 16).
    assert_int_equal(act(g, ACT_lanes_active + 16), 4);
    assert_int_equal(act(g, ACT_warp_instructions), 8);
    assert_int_equal(act(g, ACT_simt_pushes), act(g, ACT_simt_pops));
    rig_free(g);
}

// What a stuck CTA waits for can be told.
static void waits_are_described(void **state) {
    (void)state;
    struct rig *g = rig_new();
    g->args.block[0] = 64;
    s2r(g, 1, SREG_tid_x);
    setp_lt(g, 0, 1, 32);
    struct minst *m = emit(g, OP_BAR, OPC_CTRL, ITYPE_U32, NIL(), IMM(1), IMM(64), NIL());
    m->guard = 0;
    m->ptx_line = 77;
    bar(g);
    exit_(g);
    rig_make(g);
    sm_take_cta(g->sm, 0, 0, 0);
    sm_run(g->sm, 0, 1000);
    assert_int_equal(sm_next_event(g->sm, 1000), UINT64_MAX);
    assert_false(sm_is_idle(g->sm));
    assert_true(sm_last_progress(g->sm) < 100);
    char text[2000] = "";
    FILE *f = fmemopen(text, sizeof text, "w");
    sm_describe_waits(g->sm, f);
    fclose(f);
    assert_non_null(strstr(text, "warp 0: waits at a barrier, PTX line 77"));
    assert_non_null(strstr(text, "warp 1: waits at a barrier"));
    // Not unbound: the CTA is stuck. Tear down without the checks of a finished run.
    sm_destroy(g->sm);
    sm_kernel_destroy(g->kernel);
    exec_launch_destroy(g->launch);
    devmem_destroy(g->memory);
    diags_free(&g->d);
    free(g->inst);
    free(g->port);
    free(g);
}

// A fault stops the SM at once and says where.
static void faults_stop(void **state) {
    (void)state;
    struct rig *g = rig_new();
    movi(g, 1, 16);
    load(g, SPACE_GLOBAL, 2, 1, 0);
    exit_(g);
    rig_make(g);
    sm_take_cta(g->sm, 0, 0, 0);
    sm_run(g->sm, 0, 1000);
    assert_non_null(sm_fault(g->sm));
    assert_int_equal(sm_fault(g->sm)->pc, 1);
    assert_int_equal(sm_next_event(g->sm, 1000), UINT64_MAX);
    assert_false(sm_can_take(g->sm, 0));
    g->done_at = 11;
    rig_free(g);
}

// A CTA for which there is no room: the SM says so and stops, and is no program's fault.
static void test_broken(void **state) {
    (void)state;
    struct rig *g = rig_new();
    exit_(g);
    g->ctas = 100;
    rig_make(g);
    uint32_t n = 0;
    while (sm_can_take(g->sm, 0)) sm_take_cta(g->sm, 0, n++, 0);
    assert_int_equal(n, g->c.max_ctas);
    assert_null(sm_broken(g->sm));
    sm_take_cta(g->sm, 0, n, 0);
    assert_non_null(sm_broken(g->sm));
    sm_run(g->sm, 0, 1000);
    assert_null(sm_fault(g->sm));
    assert_int_equal(g->done, 0);
    sm_unbind(g->sm, 0);
    sm_destroy(g->sm);
    sm_kernel_destroy(g->kernel);
    exec_launch_destroy(g->launch);
    devmem_destroy(g->memory);
    diags_free(&g->d);
    free(g->inst);
    free(g->port);
    free(g);
}

// As many results on their way as registers: 64 warps issue 240 moves each, eight a cycle, and none
// is written before cycle 2000.
static void test_results_in_flight(void **state) {
    (void)state;
    struct rig *g = rig_new();
    struct sm_config *c = &g->c;
    c->max_warps = 64;
    c->max_threads = 2048;
    c->registers = 1 << 20;
    c->schedulers = c->lane_groups = 8;
    c->timing[OPC_MOV] = (struct class_timing){.latency = 2000, .interval = 1};
    g->im.n_regs = 250;
    g->args.block[0] = 1024;
    g->ctas = 2;
    for (uint32_t r = 0; r < 240; r++) movi(g, r, r);
    exit_(g);
    const uint64_t cycles = rig_run(g);
    assert_null(sm_broken(g->sm));
    assert_int_equal(act(g, ACT_warp_instructions), 64 * 241);
    assert_in_range(cycles, 64 * 240 / 8 + 2000, 64 * 240 / 8 + 2100);
    rig_free(g);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(occupancy),
        cmocka_unit_test(occupancy_of_boards),
        cmocka_unit_test(slots_are_filled_and_used_again),
        cmocka_unit_test(places_stand_empty),
        cmocka_unit_test(too_large),
        cmocka_unit_test(skewed_barrier),
        cmocka_unit_test(counted_barrier),
        cmocka_unit_test(reducing_barrier),
        cmocka_unit_test(exited_warps_count_out),
        cmocka_unit_test(divergence),
        cmocka_unit_test(waits_are_described),
        cmocka_unit_test(faults_stop),
        cmocka_unit_test(test_broken),
        cmocka_unit_test(test_results_in_flight),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
