// SMs in front-end groups: any number of them on one host thread gives the same run; a front-end
// group that shares a front end computes the same on any number of threads, takes CTAs in sets,
// leaves the tail to one front-end group.
#include "activity/sm.h"
#include "test_gpu.h"

enum { CTAS_MOST = 67, BLOCK = 128 };
struct outcome {
    uint64_t cycles;
    struct activity sum, sm[16];
    float z[CTAS_MOST * BLOCK];
};

static struct gpu_options options_with(uint32_t threads, uint32_t group, uint32_t shares,
                                       const char *lock_step) {
    struct gpu_options o;
    gpu_options_init(&o);
    o.host_threads = threads;
    o.group_sms = group;
    if (shares == 0) return o;
    char sms[12];
    snprintf(sms, sizeof sms, "%u", shares);
    struct savings_request r = {
        .mechanism = {{"front-end-sharing", "test"}},
        .option =
            {{.name = "front_end_group_sms", .value = sms, .where = "test", .must_be_used = true},
             {.name = "lock_step", .value = lock_step, .where = "test"}},
        .n_mechanisms = 1,
        .n_options = 2};
    struct diags d;
    diags_init(&d);
    const struct sm_config c = {.lane_groups = 2};
    assert_int_equal(savings_make(&r, &c, &d, &o.savings), WW_OK);
    diags_free(&d);
    return o;
}

static struct gpu_options options_of(uint32_t threads, uint32_t group, uint32_t shares) {
    return options_with(threads, group, shares, "1");
}

// vecadd of `n` elements in so many CTAs: the last CTA's lanes beyond n leave by a branch.
static void run(uint32_t ctas, uint32_t n, const struct gpu_options *o, struct outcome *out) {
    struct bench b;
    static const char *const keys[] = {"sm.scheduler=gto", NULL};
    bench_open(&b, "gtx480-16sm", o, keys);
    bench_file(&b, WW_TEST_DIR "/kernels.ptx");
    static float x[CTAS_MOST * BLOCK];
    for (uint32_t i = 0; i < WW_COUNT(x); i++) x[i] = (float)i * 0.5f;
    const uint64_t dx = bench_buffer(&b, x, sizeof x), dz = bench_buffer(&b, NULL, sizeof x);
    bench_ok(&b, bench_try(&b, "vecadd", ctas, 1, BLOCK, 1, "8884", dx, dx, dz, n));
    memset(out, 0, sizeof *out);
    bench_read(&b, out->z, dz, n * sizeof(float));
    for (uint32_t i = 0; i < n; i++) assert_true(out->z[i] == 2 * x[i]);
    const struct gpu_result *const r = bench_last(&b);
    out->cycles = r->cycles;
    out->sum = r->activity;
    for (uint32_t i = 0; i < 16; i++) out->sm[i] = r->sm[i];
    bench_close(&b);
}

static void any_group_is_the_same(void **state) {
    (void)state;
    static struct outcome one, more;
    struct gpu_options o = options_of(1, 0, 0);
    run(CTAS_MOST, CTAS_MOST * BLOCK - 5, &o, &one);
    for (uint32_t group = 2; group <= 16; group += group < 5 ? 1 : 11) { // 2, 3, 4, 5, 16
        o = options_of(1 + group % 3, group, 0);
        run(CTAS_MOST, CTAS_MOST * BLOCK - 5, &o, &more);
        assert_memory_equal(&one, &more, sizeof one);
    }
}

static void threads_do_not_matter(void **state) {
    (void)state;
    static struct outcome one, more;
    for (uint32_t shares = 2; shares <= 4; shares += 2) {
        struct gpu_options o = options_of(1, 0, shares);
        run(CTAS_MOST, CTAS_MOST * BLOCK - 5, &o, &one);
        assert_true(one.sum.c[ACT_shared_cycles] > 0);
        for (uint32_t threads = 2; threads <= 4; threads *= 2) {
            o = options_of(threads, 0, shares);
            run(CTAS_MOST, CTAS_MOST * BLOCK - 5, &o, &more);
            assert_memory_equal(&one, &more, sizeof one);
        }
    }
}

// 64 CTAs divide: all share to the end, each SM has four. 67: three are left for front-end groups
// of four, one for front-end groups of two; one front-end group is ungrouped for them.
static void sets_and_tail(void **state) {
    (void)state;
    static struct outcome x;
    for (uint32_t shares = 2; shares <= 4; shares += 2) {
        const struct gpu_options o = options_of(1, 0, shares);
        run(64, 64 * BLOCK, &o, &x);
        assert_int_equal(x.sum.c[ACT_ungroups], 0);
        assert_int_equal(x.sum.c[ACT_shared_cycles], x.sum.c[ACT_sm_busy_cycles]);
        for (uint32_t i = 0; i < 16; i++) {
            assert_int_equal(x.sm[i].c[ACT_cta_launches], 4);
            assert_int_equal(x.sm[i].c[ACT_fetches] != 0, i % shares == 0);
        }
        run(67, 67 * BLOCK, &o, &x);
        assert_int_equal(x.sum.c[ACT_ungroups], 1);
        assert_int_equal(x.sum.c[ACT_cta_launches], 67);
        uint32_t uneven = 0;
        for (uint32_t i = 0; i < 16; i += shares) {
            bool same = true;
            for (uint32_t k = 1; k < shares; k++)
                same &= x.sm[i + k].c[ACT_cta_launches] == x.sm[i].c[ACT_cta_launches];
            uneven += !same;
            assert_true(x.sm[i].c[ACT_ungroups] <= 1);
            assert_true(same || x.sm[i].c[ACT_ungroups] == 1);
        }
        assert_int_equal(uneven, 1);
        run(1, BLOCK, &o, &x); // a grid that is all tail
        assert_int_equal(x.sum.c[ACT_cta_launches], 1);
    }
}

// Sets alone: every SM has a front end of its own, and the CTAs of a front-end group's SMs are as
// many.
static void sets_without_lock_step(void **state) {
    (void)state;
    static struct outcome x;
    for (uint32_t shares = 2; shares <= 4; shares += 2) {
        const struct gpu_options o = options_with(2, 0, shares, "0");
        run(67, 67 * BLOCK, &o, &x);
        assert_int_equal(x.sum.c[ACT_ungroups] + x.sum.c[ACT_shared_cycles] +
                             x.sum.c[ACT_shared_instructions] + x.sum.c[ACT_cluster_inst_packets] +
                             x.sum.c[ACT_front_off_cycles] + x.sum.c[ACT_master_cycles],
                         0);
        uint32_t uneven = 0;
        for (uint32_t i = 0; i < 16; i += shares) {
            bool same = true;
            for (uint32_t k = 0; k < shares; k++) {
                same &= x.sm[i + k].c[ACT_cta_launches] == x.sm[i].c[ACT_cta_launches];
                assert_true(x.sm[i + k].c[ACT_fetches] != 0);
            }
            uneven += !same;
        }
        assert_int_equal(uneven, 1); // it has what is left
    }
}

static void refused(void **state) {
    (void)state;
    struct gpu_config c;
    struct gpu_options o = options_of(1, 0, 2);
    struct diags d;
    struct gpu *g = NULL;
    diags_init(&d);
    assert_int_equal(gpu_config_load("gtx480", NULL, 0, &d, &c), WW_OK);
    assert_int_equal(gpu_create(&c, &o, &d, &g), WW_ERROR_CONFIG);
    char text[256];
    diags_first(&d, text, sizeof text);
    assert_non_null(strstr(text, "front-end groups of 2 SMs do not divide the 15 SMs of gtx480"));
    diags_free(&d);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_group_is_the_same),
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(sets_and_tail),
        cmocka_unit_test(sets_without_lock_step),
        cmocka_unit_test(refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
