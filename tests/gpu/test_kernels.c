// Whole kernels on whole GPUs: results that the CPU agrees with, on every GPU file, timed and
// functional; the same bits for any number of host threads; intervals that add up.
#include "activity/mem.h"
#include "activity/sm.h"
#include "test_gpu.h"

#include <math.h>

static const char *const gpus[] = {"gt240", "gtx480", "gtx580", "gtx780"};

static void open_kernels(struct bench *b, const char *gpu, const struct gpu_options *o) {
    bench_open(b, gpu, o, NULL);
    bench_file(b, WW_TEST_DIR "/kernels.ptx");
}

static float *random_floats(struct bench *b, uint32_t n, uint32_t seed, float from, float to) {
    float *p = arena_alloc(&b->arena, n * sizeof *p);
    for (uint32_t i = 0; i < n; i++) p[i] = from + (to - from) * bench_random(&seed);
    return p;
}

static void do_vecadd(struct bench *b, uint32_t n) {
    float *x = random_floats(b, n, 1, 0, 1), *y = random_floats(b, n, 2, 0, 1);
    const uint64_t dx = bench_buffer(b, x, n * 4), dy = bench_buffer(b, y, n * 4),
                   dz = bench_buffer(b, NULL, n * 4);
    bench_ok(b, bench_try(b, "vecadd", (n + 255) / 256, 1, 256, 1, "8884", dx, dy, dz, n));
    float *z = arena_alloc(&b->arena, n * sizeof *z);
    bench_read(b, z, dz, n * 4);
    for (uint32_t i = 0; i < n; i++)
        if (z[i] != x[i] + y[i]) fail_msg("element %u: %g is not %g", i, z[i], x[i] + y[i]);
}

static void do_reduce(struct bench *b, uint32_t n) {
    float *x = random_floats(b, n, 3, 0, 1);
    const uint32_t blocks = (n + 511) / 512;
    const uint64_t dx = bench_buffer(b, x, n * 4), dz = bench_buffer(b, NULL, blocks * 4);
    bench_ok(b, bench_try(b, "reduce", blocks, 1, 256, 1, "884", dx, dz, n));
    float *z = arena_alloc(&b->arena, blocks * sizeof *z);
    bench_read(b, z, dz, blocks * 4);
    for (uint32_t k = 0; k < blocks; k++) {
        float part[256];
        for (uint32_t t = 0; t < 256; t++) {
            const uint32_t i = k * 512 + t;
            part[t] = (i < n ? x[i] : 0) + (i + 256 < n ? x[i + 256] : 0);
        }
        for (uint32_t half = 128; half; half /= 2)
            for (uint32_t t = 0; t < half; t++) part[t] += part[t + half];
        if (z[k] != part[0]) fail_msg("block %u: %.9g is not %.9g", k, z[k], part[0]);
    }
}

static void do_stencil(struct bench *b, uint32_t w, uint32_t h, uint32_t times) {
    const uint32_t n = w * h;
    float *in = random_floats(b, n, 4, 0, 1), *p = random_floats(b, n, 5, 0, 1);
    float *out = arena_alloc(&b->arena, n * sizeof *out),
          *got = arena_alloc(&b->arena, n * sizeof *got);
    uint64_t da = bench_buffer(b, in, n * 4), dp = bench_buffer(b, p, n * 4),
             dc = bench_buffer(b, NULL, n * 4);
    for (uint32_t k = 0; k < times; k++) {
        bench_ok(b, bench_try(b, "stencil5", (w + 15) / 16, (h + 15) / 16, 16, 16, "88844f", da, dp,
                              dc, w, h, 0.1));
        for (uint32_t y = 0; y < h; y++)
            for (uint32_t x = 0; x < w; x++) {
                const float c = in[y * w + x];
                const float l = x ? in[y * w + x - 1] : c, r = x + 1 < w ? in[y * w + x + 1] : c;
                const float u = y ? in[(y - 1) * w + x] : c,
                            d = y + 1 < h ? in[(y + 1) * w + x] : c;
                const float s = fmaf(c, -4.0f, l + r + u + d);
                out[y * w + x] = fmaf(p[y * w + x], 0.001f, fmaf(s, 0.1f, c));
            }
        float *t = in;
        in = out;
        out = t;
        const uint64_t dt = da;
        da = dc;
        dc = dt;
    }
    bench_read(b, got, da, n * 4);
    for (uint32_t i = 0; i < n; i++)
        if (got[i] != in[i]) fail_msg("cell %u: %.9g is not %.9g", i, got[i], in[i]);
}

static double normal(double d) { return 0.5 * erfc(-d / sqrt(2)); }

static void do_blackscholes(struct bench *b, uint32_t n) {
    float *s = random_floats(b, n, 6, 5, 30), *x = random_floats(b, n, 7, 1, 100),
          *t = random_floats(b, n, 8, 0.25f, 10);
    const uint64_t ds = bench_buffer(b, s, n * 4), dx = bench_buffer(b, x, n * 4),
                   dt = bench_buffer(b, t, n * 4), dc = bench_buffer(b, NULL, n * 4);
    bench_ok(b, bench_try(b, "blackscholes", (n + 127) / 128, 1, 128, 1, "8888ff4", ds, dx, dt, dc,
                          0.02, 0.3, n));
    float *c = arena_alloc(&b->arena, n * sizeof *c);
    bench_read(b, c, dc, n * 4);
    for (uint32_t i = 0; i < n; i++) {
        const double q = 0.3 * sqrt(t[i]);
        const double d1 = (log(s[i] / x[i]) + (0.02 + 0.045) * t[i]) / q;
        const double want = s[i] * normal(d1) - x[i] * exp(-0.02 * t[i]) * normal(d1 - q);
        if (fabs(c[i] - want) > 1e-4) fail_msg("option %u: %g is not %g", i, c[i], want);
    }
}

static void do_count(struct bench *b) {
    uint32_t zero[8] = {0}, got[8];
    const uint64_t d = bench_buffer(b, zero, sizeof zero);
    bench_ok(b, bench_try(b, "count", 40, 1, 192, 1, "8", d));
    bench_read(b, got, d, sizeof got);
    assert_int_equal(got[0], 40 * 192);
    for (uint32_t m = 0; m < 7; m++) assert_int_equal(got[1 + m] % 7, m);
    for (uint32_t m = 0; m < 7; m++) assert_true(got[1 + m] >= 40 * 192 - 7);
}

static void run_all(struct bench *b) {
    do_vecadd(b, 10000);
    do_reduce(b, 20000);
    do_stencil(b, 100, 70, 2);
    do_blackscholes(b, 3000);
    if (b->config.cc_major > 1) do_count(b);
}

static void right_on_every_gpu(void **state) {
    (void)state;
    for (size_t i = 0; i < WW_COUNT(gpus); i++) {
        struct bench b;
        open_kernels(&b, gpus[i], NULL);
        run_all(&b);
        for (uint32_t k = 0; k < gpu_result_count(b.gpu); k++) {
            const struct gpu_result *r = gpu_result_at(b.gpu, k);
            assert_int_equal(r->status, WW_OK);
            assert_int_equal(r->ctas_done, r->ctas);
            assert_true(r->cycles > 100 && r->warp_instructions > 100);
            assert_int_equal(r->activity.c[ACT_cta_launches], r->ctas);
            assert_int_equal(r->activity.c[ACT_cycles], r->cycles);
        }
        bench_close(&b);
    }
}

static void right_without_time(void **state) {
    (void)state;
    struct gpu_options o;
    gpu_options_init(&o);
    o.functional = true;
    struct bench timed, b;
    open_kernels(&b, "gtx480", &o);
    open_kernels(&timed, "gtx480", NULL);
    run_all(&b);
    run_all(&timed);
    for (uint32_t k = 0; k < gpu_result_count(b.gpu); k++) {
        const struct gpu_result *x = gpu_result_at(b.gpu, k), *y = gpu_result_at(timed.gpu, k);
        assert_int_equal(x->warp_instructions, y->warp_instructions);
        assert_int_equal(x->thread_instructions, y->thread_instructions);
        assert_int_equal(x->cycles, 0);
    }
    bench_close(&b);
    bench_close(&timed);
}

// Everything that a run gives is a function of program, inputs and configuration.
static void assert_same(const struct bench *a, const struct bench *b) {
    assert_int_equal(gpu_result_count(a->gpu), gpu_result_count(b->gpu));
    for (uint32_t k = 0; k < gpu_result_count(a->gpu); k++) {
        const struct gpu_result *x = gpu_result_at(a->gpu, k), *y = gpu_result_at(b->gpu, k);
        assert_int_equal(x->cycles, y->cycles);
        assert_memory_equal(&x->activity, &y->activity, sizeof x->activity);
        assert_memory_equal(x->sm, y->sm, x->n_sms * sizeof *x->sm);
        assert_memory_equal(x->partition, y->partition, x->n_partitions * sizeof *x->partition);
    }
}

static void same_for_any_threads(void **state) {
    (void)state;
    struct bench first = {0};
    for (uint32_t threads = 1; threads <= 4; threads *= 2)
        for (int twice = 0; twice < 2; twice++) {
            struct gpu_options o;
            gpu_options_init(&o);
            o.host_threads = threads;
            struct bench b;
            open_kernels(&b, "gtx480", &o);
            run_all(&b);
            if (!first.gpu) {
                first = b;
                continue;
            }
            assert_same(&first, &b);
            bench_close(&b);
        }
    bench_close(&first);
}

static void two_gpus_in_one_process(void **state) {
    (void)state;
    struct bench alone, a, b;
    open_kernels(&alone, "gtx480", NULL);
    do_vecadd(&alone, 10000);
    do_reduce(&alone, 20000);
    open_kernels(&a, "gtx480", NULL);
    open_kernels(&b, "gtx780", NULL);
    do_vecadd(&a, 10000);
    do_stencil(&b, 64, 64, 1);
    do_reduce(&a, 20000);
    assert_same(&alone, &a);
    bench_close(&alone);
    bench_close(&a);
    bench_close(&b);
}

static void intervals_add_up(void **state) {
    (void)state;
    struct gpu_options o;
    gpu_options_init(&o);
    o.host_threads = 1;
    o.interval_cycles = 500;
    o.count_instructions = true;
    struct bench b, plain;
    open_kernels(&b, "gtx480", &o);
    open_kernels(&plain, "gtx480", NULL);
    do_vecadd(&b, 50000);
    do_vecadd(&plain, 50000);
    assert_same(&plain, &b); // measuring changes nothing
    const struct gpu_result *r = bench_last(&b);
    assert_true(r->n_intervals > 3);
    struct activity sum = {0};
    uint64_t at = 0;
    for (uint32_t i = 0; i < r->n_intervals; i++) {
        assert_int_equal(r->interval[i].from, at);
        at = r->interval[i].to;
        assert_true(i + 1 == r->n_intervals || at - r->interval[i].from >= 500);
        activity_add(&sum, &r->interval[i].activity);
    }
    assert_int_equal(at, r->cycles);
    for (uint32_t i = 0; i < ACT_N; i++)
        if (i != ACT_sm_idle_cycles) assert_int_equal(sum.c[i], r->activity.c[i]);
    uint64_t issues = 0, lanes = 0;
    for (uint32_t i = 0; i < r->image->n_insts; i++) {
        issues += r->inst[i].issues;
        lanes += r->inst[i].lanes;
    }
    assert_int_equal(issues, r->warp_instructions);
    assert_int_equal(lanes, r->thread_instructions);
    assert_null(bench_last(&plain)->inst_memory);
    bench_close(&b);
    bench_close(&plain);
}

// What instructions asked of memory adds up to what the SMs' and the partitions' counters say.
static void memory_by_instruction_adds_up(void **state) {
    (void)state;
    struct gpu_options o;
    gpu_options_init(&o);
    o.count_instructions = true;
    for (size_t g = 0; g < WW_COUNT(gpus); g++) {
        struct bench b;
        open_kernels(&b, gpus[g], &o);
        run_all(&b);
        bool any_shared = false;
        for (uint32_t k = 0; k < gpu_result_count(b.gpu); k++) {
            const struct gpu_result *r = gpu_result_at(b.gpu, k);
            const uint64_t *c = r->activity.c;
            struct sm_inst_memory sum = {0};
            uint64_t operands = 0;
            for (uint32_t i = 0; i < r->image->n_insts; i++) {
#define INST_MEMORY(name, unit, prose) sum.name += r->inst_memory[i].name;
#include "sm/inst_memory.def"
#undef INST_MEMORY
                const uint8_t klass = r->image->inst[i].klass;
                if (op_class_unit[klass] != UNIT_LDST && op_class_unit[klass] != UNIT_TEX)
                    assert_true(r->inst_memory[i].accesses + r->inst_memory[i].passes == 0);
            }
            operands = c[ACT_const_operands];
            assert_int_equal(sum.passes, c[ACT_shared_passes]);
            assert_int_equal(sum.conflicts, c[ACT_shared_conflicts]);
            assert_int_equal(sum.lookups + operands,
                             c[ACT_l1_reads] + c[ACT_const_reads] + c[ACT_tex_reads]);
            assert_in_range(sum.misses, c[ACT_l1_read_misses] + c[ACT_l1_read_merges],
                            c[ACT_l1_read_misses] + c[ACT_l1_read_merges] + c[ACT_tex_misses] +
                                c[ACT_const_misses]);
            assert_true(sum.transactions >= c[ACT_coalescer_transactions]);
            assert_true(sum.requests <= c[ACT_net_request_packets]);
            if (sum.transactions) assert_true(sum.requests != 0 && sum.request_bytes != 0);
            assert_true(sum.dram_bytes <= c[ACT_dram_read_bytes]);
            any_shared = any_shared || sum.passes != 0;
        }
        assert_true(any_shared);
        bench_close(&b);
    }
}

// What every finished launch must satisfy, whatever the kernel.
static void counts_are_conserved(void **state) {
    (void)state;
    for (size_t g = 0; g < WW_COUNT(gpus); g++) {
        struct bench b;
        open_kernels(&b, gpus[g], NULL);
        run_all(&b);
        for (uint32_t k = 0; k < gpu_result_count(b.gpu); k++) {
            const struct gpu_result *r = gpu_result_at(b.gpu, k);
            const uint64_t *c = r->activity.c;
            uint64_t slots = 0, by_class = 0, lanes = 0;
            for (uint32_t i = 0; i < OPC_N; i++) by_class += c[ACT_warp_by_class + i];
            for (uint32_t i = 0; i <= 32; i++) lanes += i * c[ACT_lanes_active + i];
            for (uint32_t i = 0; i < STALL_N; i++)
                if (i != STALL_dual) slots += c[ACT_issue_slots + i];
            assert_int_equal(by_class, c[ACT_warp_instructions]);
            assert_int_equal(lanes, c[ACT_thread_instructions]);
            assert_int_equal(c[ACT_issue_slots + STALL_issued] + c[ACT_issue_slots + STALL_dual],
                             c[ACT_warp_instructions]);
            assert_int_equal(slots, c[ACT_sm_busy_cycles] * b.config.sm.schedulers);
            assert_int_equal(c[ACT_sm_busy_cycles] + c[ACT_sm_idle_cycles],
                             r->cycles * b.config.sm_count);
            assert_int_equal(c[ACT_warp_launches],
                             r->ctas * ((r->block[0] * r->block[1] * r->block[2] + 31) / 32));
        }
        bench_close(&b);
    }
}

int main(void) {
    setenv("WARPWATT_GPUS", WW_SOURCE_DIR "/gpus", 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(right_on_every_gpu),
        cmocka_unit_test(right_without_time),
        cmocka_unit_test(same_for_any_threads),
        cmocka_unit_test(two_gpus_in_one_process),
        cmocka_unit_test(intervals_add_up),
        cmocka_unit_test(memory_by_instruction_adds_up),
        cmocka_unit_test(counts_are_conserved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
