// Sampling (gpu/sample.h) seen through the device: which launches are estimated, and from what.
#include "test_gpu.h"

static const char head[] =
    ".version 4.0\n.target sm_20\n.address_size 64\n"
    ".visible .entry step(.param .u64 x, .param .u32 spin)\n{\n"
    ".reg .pred %p;\n.reg .b32 %v, %t, %n;\n.reg .b64 %a, %o;\n"
    "ld.param.u64 %a, [x];\nld.param.u32 %n, [spin];\nmov.u32 %t, %tid.x;\n"
    "mul.wide.u32 %o, %t, 4;\nadd.s64 %a, %a, %o;\nld.global.u32 %v, [%a];\nLOOP:\n";
static const char tail[] = "sub.u32 %n, %n, 1;\nsetp.ne.u32 %p, %n, 0;\n@%p bra LOOP;\n"
                           "st.global.u32 [%a], %v;\nret;\n}\n";
static const char *const body[] = {"add.u32 %v, %v, 1;\n",
                                   "div.u32 %v, %v, 3;\ndiv.u32 %v, %v, 5;\nadd.u32 %v, %v, 1;\n"};

static void open_sampled(struct bench *b) {
    struct gpu_options o;
    gpu_options_init(&o);
    o.host_threads = 1;
    o.sample_error = 0.03;
    bench_open(b, "gtx480", &o, NULL);
}
static void load(struct bench *b, uint32_t which) {
    char text[2048];
    snprintf(text, sizeof text, "%s%s%s", head, body[which], tail);
    bench_text(b, "step.ptx", text);
}
static void launch_blocks(struct bench *b, const char *name, uint32_t blocks, uint64_t x, uint32_t spin) {
    struct gpu_kernel *kernel;
    bench_ok(b, gpu_kernel_find(b->module, name, &b->diags, &kernel));
    struct { uint64_t x; uint32_t spin; } params = {x, spin};
    const struct gpu_launch l = {
        .grid = {blocks, 1, 1}, .block = {64, 1, 1}, .params = &params, .param_bytes = 12};
    bench_ok(b, gpu_launch(b->gpu, NULL, kernel, &l, &b->diags, NULL));
    bench_ok(b, gpu_synchronize(b->gpu, &b->diags));
}
static void launch_named(struct bench *b, const char *name, uint64_t x, uint32_t spin) {
    launch_blocks(b, name, 1, x, spin);
}
static void launch(struct bench *b, uint64_t x, uint32_t spin) { launch_named(b, "step", x, spin); }
static const struct gpu_result *last(const struct bench *b) {
    return gpu_result_at(b->gpu, gpu_result_count(b->gpu) - 1);
}

// The first finds cold caches, three more are simulated; then cycles follow the instructions, and the results are there.
static void later_launches_are_estimated(void **state) {
    (void)state;
    struct bench b;
    open_sampled(&b);
    load(&b, 0);
    uint32_t v[64] = {0};
    const uint64_t x = bench_buffer(&b, v, sizeof v);
    for (uint32_t i = 0; i < 4; i++) {
        launch(&b, x, 1000);
        assert_false(last(&b)->estimate.is);
    }
    const uint64_t cycles = last(&b)->cycles, warps = last(&b)->warp_instructions;
    launch(&b, x, 1000);
    assert_true(last(&b)->estimate.is);
    assert_int_equal(last(&b)->warp_instructions, warps);
    assert_in_range(last(&b)->cycles, cycles * 99 / 100, cycles * 101 / 100);
    launch(&b, x, 3000);
    assert_true(last(&b)->estimate.is);
    assert_in_range(last(&b)->cycles, cycles * 28 / 10, cycles * 32 / 10);
    bench_ok(&b, gpu_read(b.gpu, v, x, sizeof v, &b.diags));
    for (uint32_t i = 0; i < 64; i++) assert_int_equal(v[i], 8000);
    bench_close(&b);
}

// Of two kinds of launches that which is a hundredth of all cycles needs two samples, the other one three.
static void what_is_little_of_the_run_needs_less(void **state) {
    (void)state;
    struct bench b;
    open_sampled(&b);
    load(&b, 0);
    uint32_t v[64] = {0};
    const uint64_t x = bench_buffer(&b, v, sizeof v);
    for (uint32_t i = 1; i <= 6; i++) {
        launch_blocks(&b, "step", 1, x, 4000);
        assert_int_equal(last(&b)->estimate.is, i > 4);
        launch_blocks(&b, "step", 4, x, 10);
        assert_int_equal(last(&b)->estimate.is, i > 3);
    }
    bench_close(&b);
}

// What goes on as expected is looked at at twice the ordinal of the look before, at four times where it is little of the run.
static void looks_become_rare(void **state) {
    (void)state;
    struct bench b;
    open_sampled(&b);
    load(&b, 0);
    uint32_t v[64] = {0};
    const uint64_t x = bench_buffer(&b, v, sizeof v);
    for (uint32_t i = 1; i <= 70; i++) {
        launch_blocks(&b, "step", 1, x, 1000);
        assert_int_equal(last(&b)->estimate.is, i > 4 && i != 16 && i != 32 && i != 64);
        launch_blocks(&b, "step", 4, x, 10);
        assert_int_equal(last(&b)->estimate.is, i > 3 && i != 16 && i != 64);
    }
    bench_close(&b);
}

// A kernel of the same name in a module that comes after another is not like the one that was there.
static void another_module_is_learned_anew(void **state) {
    (void)state;
    struct bench b;
    open_sampled(&b);
    uint32_t v[64] = {0};
    const uint64_t x = bench_buffer(&b, v, sizeof v);
    for (uint32_t which = 0; which < 2; which++) {
        load(&b, which);
        for (uint32_t i = 0; i < 5; i++) {
            launch(&b, x, 500);
            if (i < 4) assert_false(last(&b)->estimate.is);
        }
        assert_true(last(&b)->estimate.is);
        gpu_module_unload(b.gpu, b.module);
    }
    bench_close(&b);
}

// Kernels of two streams overlap: each is simulated whole, and the totals say how many were.
static void what_overlaps_is_simulated_whole(void **state) {
    (void)state;
    struct bench b;
    open_sampled(&b);
    load(&b, 0);
    uint32_t v[64] = {0};
    const uint64_t x = bench_buffer(&b, v, sizeof v), y = bench_buffer(&b, v, sizeof v);
    struct gpu_kernel *kernel;
    bench_ok(&b, gpu_kernel_find(b.module, "step", &b.diags, &kernel));
    struct gpu_stream *stream[2];
    for (uint32_t s = 0; s < 2; s++)
        bench_ok(&b, gpu_stream_create(b.gpu, true, 0, &b.diags, &stream[s]));
    for (uint32_t i = 0; i < 20; i++) {
        struct { uint64_t x; uint32_t spin; } params = {i & 1 ? y : x, 1000};
        const struct gpu_launch l = {
            .grid = {1, 1, 1}, .block = {64, 1, 1}, .params = &params, .param_bytes = 12};
        bench_ok(&b, gpu_launch(b.gpu, stream[i & 1], kernel, &l, &b.diags, NULL));
    }
    bench_ok(&b, gpu_synchronize(b.gpu, &b.diags));
    struct gpu_totals t;
    gpu_totals(b.gpu, &t);
    assert_int_equal(t.launches, 20);
    assert_int_equal(t.launches_estimated, 0);
    assert_int_equal(t.launches_beside, 20);
    for (uint32_t s = 0; s < 2; s++) gpu_stream_destroy(b.gpu, stream[s]);
    for (uint32_t i = 0; i < 8; i++) launch(&b, x, 1000); // alone, they are estimated
    assert_true(last(&b)->estimate.is);
    gpu_totals(b.gpu, &t);
    assert_int_equal(t.launches_beside, 20);
    bench_close(&b);
}

// Two kernels whose code fills the instruction cache together more than once: what the second takes behind the first,
// which is estimated where there is sampling, and then behind itself.
enum { LONG = 5000 }; // instructions of 16 bytes; the cache has 128 KB
static void behind_another(double error, bool *estimated, uint64_t *other, uint64_t *itself) {
    struct bench b;
    struct gpu_options o;
    gpu_options_init(&o);
    o.host_threads = 1;
    o.sample_error = error;
    bench_open(&b, "v100", &o, NULL);
    static char text[2 * LONG * 40];
    int n = snprintf(text, sizeof text, ".version 6.0\n.target sm_70\n.address_size 64\n");
    for (uint32_t k = 0; k < 2; k++) {
        n += snprintf(text + n, sizeof text - (size_t)n,
                      ".visible .entry k%u(.param .u64 x, .param .u32 spin)\n{\n.reg .b32 %%v, %%n;\n"
                      ".reg .b64 %%a;\nld.param.u64 %%a, [x];\nld.param.u32 %%n, [spin];\n"
                      "ld.global.u32 %%v, [%%a];\n",
                      k);
        for (uint32_t i = 0; i < LONG; i++)
            n += snprintf(text + n, sizeof text - (size_t)n, "mad.lo.u32 %%v, %%v, %%v, %%n;\n");
        n += snprintf(text + n, sizeof text - (size_t)n, "st.global.u32 [%%a], %%v;\nret;\n}\n");
    }
    bench_text(&b, "long.ptx", text);
    const uint32_t zero[1] = {0};
    const uint64_t x = bench_buffer(&b, zero, sizeof zero);
    launch_named(&b, "k1", x, 1);
    for (uint32_t i = 0; i < 6; i++) launch_named(&b, "k0", x, 1);
    *estimated = last(&b)->estimate.is;
    launch_named(&b, "k1", x, 1);
    assert_false(last(&b)->estimate.is);
    *other = last(&b)->cycles;
    launch_named(&b, "k1", x, 1);
    assert_false(last(&b)->estimate.is);
    *itself = last(&b)->cycles;
    bench_close(&b);
}
static void an_estimate_leaves_its_code(void **state) {
    (void)state;
    bool whole, sampled;
    uint64_t other[2], itself[2];
    behind_another(0, &whole, &other[0], &itself[0]);
    behind_another(0.03, &sampled, &other[1], &itself[1]);
    assert_false(whole);
    assert_true(sampled);
    assert_true(other[0] > itself[0] * 11 / 10);
    assert_in_range(other[1], other[0] * 99 / 100, other[0] * 101 / 100);
    assert_in_range(itself[1], itself[0] * 99 / 100, itself[0] * 101 / 100);
}

// A kernel that reads one of four buffers in turn, each two thirds of L2: it finds nothing of its own there. Later launches
// are computed without time and most of them unheard; one that is looked at again still finds L2 as a whole run leaves it.
enum { RING = 4, RING_BYTES = 512 << 10, KNOWN = 8, RING_LAUNCHES = 20 };
struct ring_launch {
    uint64_t cycles;
    bool is_estimated;
};
static void read_ring(double error, struct ring_launch out[RING_LAUNCHES]) {
    struct bench b;
    struct gpu_options o;
    gpu_options_init(&o);
    o.host_threads = 1;
    o.sample_error = error;
    bench_open(&b, "gtx480", &o, NULL);
    bench_text(&b, "ring.ptx",
               ".version 4.0\n.target sm_20\n.address_size 64\n"
               ".visible .entry ring(.param .u64 x)\n{\n"
               ".reg .pred %p;\n.reg .b32 %t, %c, %n, %v, %s;\n.reg .b64 %a, %o;\n"
               "ld.param.u64 %a, [x];\nmov.u32 %t, %tid.x;\nmov.u32 %c, %ctaid.x;\n"
               "mad.lo.u32 %t, %c, 256, %t;\nmul.wide.u32 %o, %t, 4;\nadd.s64 %a, %a, %o;\n"
               "mov.u64 %o, %a;\nmov.u32 %n, 8;\nmov.u32 %s, 0;\nLOOP:\n"
               "ld.global.u32 %v, [%a];\nadd.u32 %s, %s, %v;\nadd.s64 %a, %a, 65536;\n"
               "sub.u32 %n, %n, 1;\nsetp.ne.u32 %p, %n, 0;\n@%p bra LOOP;\n"
               "st.global.u32 [%o], %s;\nret;\n}\n");
    struct gpu_kernel *kernel;
    bench_ok(&b, gpu_kernel_find(b.module, "ring", &b.diags, &kernel));
    static uint32_t zeros[RING_BYTES / 4];
    uint64_t x[RING];
    for (uint32_t i = 0; i < RING; i++) x[i] = bench_buffer(&b, zeros, sizeof zeros);
    for (uint32_t i = 0; i < RING_LAUNCHES; i++) {
        const struct gpu_launch l = {
            .grid = {64, 1, 1}, .block = {256, 1, 1}, .params = &x[i % RING], .param_bytes = 8};
        bench_ok(&b, gpu_launch(b.gpu, NULL, kernel, &l, &b.diags, NULL));
        bench_ok(&b, gpu_synchronize(b.gpu, &b.diags));
        out[i] = (struct ring_launch){last(&b)->cycles, last(&b)->estimate.is};
    }
    bench_close(&b);
}
static void a_launch_looked_at_finds_caches_as_in_a_whole_run(void **state) {
    (void)state;
    struct ring_launch whole[RING_LAUNCHES], sampled[RING_LAUNCHES];
    read_ring(0, whole);
    read_ring(0.1, sampled);
    uint64_t sum = 0;
    uint32_t looks = 0;
    for (uint32_t i = KNOWN; i < RING_LAUNCHES; i++) {
        assert_false(whole[i].is_estimated);
        sum += whole[i].cycles;
    }
    const uint64_t mean = sum / (RING_LAUNCHES - KNOWN); // single launches differ by 5 %
    for (uint32_t i = KNOWN; i < RING_LAUNCHES; i++) {
        if (sampled[i].is_estimated) continue;
        assert_in_range(sampled[i].cycles, mean * 95 / 100, mean * 105 / 100);
        looks++;
    }
    assert_in_range(looks, 1, 3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_overlaps_is_simulated_whole),
        cmocka_unit_test(later_launches_are_estimated),
                                       cmocka_unit_test(what_is_little_of_the_run_needs_less),
                                       cmocka_unit_test(looks_become_rare),
        cmocka_unit_test(an_estimate_leaves_its_code),
        cmocka_unit_test(a_launch_looked_at_finds_caches_as_in_a_whole_run),
        cmocka_unit_test(another_module_is_learned_anew)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
