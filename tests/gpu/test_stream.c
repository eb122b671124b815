// Streams and events: order within and between them, what overlaps, simulated time.
#include "activity/mem.h"
#include "activity/sm.h"
#include "test_gpu.h"

#include "warpwatt.h"

#include <math.h>

static const char add_one[] =
    ".version 4.0\n.target sm_20\n.address_size 64\n"
    // x[i] = x[i] * 3 + k, `spin` times over to take time
    ".visible .entry step(.param .u64 x, .param .u32 k, .param .u32 spin)\n{\n"
    ".reg .pred %p;\n.reg .b32 %v, %k, %t, %n, %b, %s;\n.reg .b64 %a, %o;\n"
    "ld.param.u64 %a, [x];\nld.param.u32 %k, [k];\nld.param.u32 %n, [spin];\n"
    "mov.u32 %t, %tid.x;\nmov.u32 %b, %ctaid.x;\nmov.u32 %s, %ntid.x;\nmad.lo.u32 %t, %b, %s, %t;\n"
    "mul.wide.u32 %o, %t, 4;\nadd.s64 %a, %a, %o;\n"
    "ld.global.u32 %v, [%a];\n"
    "LOOP:\nmad.lo.u32 %v, %v, 3, %k;\nsub.u32 %n, %n, 1;\nsetp.ne.u32 %p, %n, 0;\n@%p bra LOOP;\n"
    "st.global.u32 [%a], %v;\nret;\n}\n";

static void push_step(struct bench *b, struct gpu_stream *s, uint64_t x, uint32_t k, uint32_t spin,
                      uint32_t ctas) {
    struct gpu_kernel *kernel;
    bench_ok(b, gpu_kernel_find(b->module, "step", &b->diags, &kernel));
    struct { uint64_t x; uint32_t k, spin; } params = {x, k, spin};
    const struct gpu_launch l = {.grid = {ctas, 1, 1}, .block = {64, 1, 1}, .params = &params,
                                 .param_bytes = sizeof params};
    bench_ok(b, gpu_launch(b->gpu, s, kernel, &l, &b->diags, NULL));
}

static void open_step(struct bench *b) {
    bench_open(b, "gtx480", NULL, NULL);
    bench_text(b, "step.ptx", add_one);
}

static void one_stream_keeps_order(void **state) {
    (void)state;
    struct bench b;
    open_step(&b);
    uint32_t v[64] = {0}, got[64];
    const uint64_t x = bench_buffer(&b, v, sizeof v);
    struct gpu_stream *s;
    bench_ok(&b, gpu_stream_create(b.gpu, false, 0, &b.diags, &s));
    uint32_t want = 0;
    for (uint32_t k = 1; k <= 5; k++) {
        push_step(&b, s, x, k, 1, 1);
        want = want * 3 + k;
    }
    const struct gpu_copy back = {.src = x, .dst_host = got, .width = sizeof got};
    bench_ok(&b, gpu_copy_async(b.gpu, s, &back, &b.diags));
    bench_ok(&b, gpu_stream_synchronize(b.gpu, s, &b.diags));
    for (int i = 0; i < 64; i++) assert_int_equal(got[i], want);
    assert_int_equal(gpu_result_count(b.gpu), 5);
    for (uint32_t i = 1; i < 5; i++) {
        const struct gpu_result *a = gpu_result_at(b.gpu, i - 1), *c = gpu_result_at(b.gpu, i);
        assert_true(a->end_cycle <= c->start_cycle);
        assert_true(c->start_cycle - a->end_cycle >= b.config.launch_latency_cycles);
        assert_int_equal(a->overlapped, 0);
    }
    bench_close(&b);
}

static void streams_overlap(void **state) {
    (void)state;
    struct bench b;
    open_step(&b);
    uint32_t v[4][64] = {{0}};
    struct gpu_stream *s[4];
    uint64_t x[4];
    for (int i = 0; i < 4; i++) {
        bench_ok(&b, gpu_stream_create(b.gpu, true, 0, &b.diags, &s[i]));
        x[i] = bench_buffer(&b, v[i], sizeof v[i]);
        push_step(&b, s[i], x[i], 1, 300, 1);
    }
    bench_ok(&b, gpu_synchronize(b.gpu, &b.diags));
    uint64_t longest = 0, sum = 0;
    for (uint32_t i = 0; i < 4; i++) {
        const struct gpu_result *r = gpu_result_at(b.gpu, i);
        assert_int_equal(r->overlapped, 3);
        sum += r->cycles;
        if (r->cycles > longest) longest = r->cycles;
    }
    struct gpu_totals t;
    gpu_totals(b.gpu, &t);
    assert_int_equal(t.launches, 4);
    assert_true(t.kernel_cycles < sum && t.kernel_cycles >= longest);
    assert_int_equal(t.activity.c[ACT_warp_instructions], t.warp_instructions / 4);
    for (int i = 0; i < 4; i++) {
        uint32_t got;
        bench_read(&b, &got, x[i], 4);
        uint32_t want = 0;
        for (int k = 0; k < 300; k++) want = want * 3 + 1;
        assert_int_equal(got, want);
        gpu_stream_destroy(b.gpu, s[i]);
    }
    bench_close(&b);
}

static void the_default_stream_waits_and_is_waited_for(void **state) {
    (void)state;
    struct bench b;
    open_step(&b);
    uint32_t v[64] = {0}, got;
    const uint64_t x = bench_buffer(&b, v, sizeof v);
    struct gpu_stream *p, *q;
    bench_ok(&b, gpu_stream_create(b.gpu, false, 0, &b.diags, &p));
    bench_ok(&b, gpu_stream_create(b.gpu, false, 0, &b.diags, &q));
    push_step(&b, p, x, 1, 50, 1);
    push_step(&b, NULL, x, 2, 1, 1);
    push_step(&b, q, x, 3, 1, 1);
    bench_ok(&b, gpu_stream_synchronize(b.gpu, q, &b.diags));
    uint32_t want = 0;
    for (int k = 0; k < 50; k++) want = want * 3 + 1;
    want = (want * 3 + 2) * 3 + 3;
    bench_read(&b, &got, x, 4);
    assert_int_equal(got, want);
    bench_close(&b);
}

static void events_order_and_time(void **state) {
    (void)state;
    struct bench b;
    open_step(&b);
    uint32_t v[64] = {0}, got;
    const uint64_t x = bench_buffer(&b, v, sizeof v);
    struct gpu_stream *p, *q;
    struct gpu_event *e, *first, *last, *never;
    bench_ok(&b, gpu_stream_create(b.gpu, true, 0, &b.diags, &p));
    bench_ok(&b, gpu_stream_create(b.gpu, true, 0, &b.diags, &q));
    bench_ok(&b, gpu_event_create(b.gpu, &b.diags, &e));
    bench_ok(&b, gpu_event_create(b.gpu, &b.diags, &first));
    bench_ok(&b, gpu_event_create(b.gpu, &b.diags, &last));
    bench_ok(&b, gpu_event_create(b.gpu, &b.diags, &never));
    assert_true(gpu_event_is_done(b.gpu, never));
    double took;
    assert_false(gpu_event_elapsed_s(b.gpu, never, never, &took));
    bench_ok(&b, gpu_event_record(b.gpu, first, p, &b.diags));
    push_step(&b, p, x, 1, 200, 1);
    bench_ok(&b, gpu_event_record(b.gpu, e, p, &b.diags));
    bench_ok(&b, gpu_stream_wait(b.gpu, q, e, &b.diags));
    push_step(&b, q, x, 2, 1, 1);
    bench_ok(&b, gpu_event_record(b.gpu, last, q, &b.diags));
    int polls = 0;
    while (!gpu_event_is_done(b.gpu, last)) polls++;
    assert_true(polls < 1000);
    uint32_t want = 0;
    for (int k = 0; k < 200; k++) want = want * 3 + 1;
    want = want * 3 + 2;
    bench_read(&b, &got, x, 4);
    assert_int_equal(got, want);
    const struct gpu_result *r = gpu_result_at(b.gpu, 0), *r2 = gpu_result_at(b.gpu, 1);
    assert_false(gpu_event_elapsed_s(b.gpu, first, never, &took));
    assert_true(gpu_event_elapsed_s(b.gpu, first, last, &took));
    const double least = r->seconds + r2->seconds + 2.0 * b.config.launch_latency_cycles / 700e6;
    assert_true(took >= least && took < least * 1.2);
    gpu_event_destroy(b.gpu, e);
    gpu_event_destroy(b.gpu, first);
    gpu_event_destroy(b.gpu, last);
    gpu_event_destroy(b.gpu, never);
    bench_close(&b);
}

static bool is_fourth(void *user, uint64_t id, const char *kernel) {
    (void)user;
    (void)kernel;
    return id == 4;
}

// Programs divide by what they measure. Where a launch with time is among them only its time counts.
static void launches_without_time_count_ten_milliseconds(void **state) {
    (void)state;
    struct bench b;
    const struct gpu_options options = {.time_launch = is_fourth};
    bench_open(&b, "gtx480", &options, NULL);
    bench_text(&b, "step.ptx", add_one);
    uint32_t v[64] = {0};
    const uint64_t x = bench_buffer(&b, v, sizeof v);
    struct gpu_event *e[4];
    for (int i = 0; i < 4; i++) bench_ok(&b, gpu_event_create(b.gpu, &b.diags, &e[i]));
    bench_ok(&b, gpu_event_record(b.gpu, e[0], NULL, &b.diags));
    bench_ok(&b, gpu_event_record(b.gpu, e[1], NULL, &b.diags));
    for (int i = 0; i < 3; i++) push_step(&b, NULL, x, 1, 1, 1);
    bench_ok(&b, gpu_event_record(b.gpu, e[2], NULL, &b.diags));
    push_step(&b, NULL, x, 1, 1, 1);
    bench_ok(&b, gpu_event_record(b.gpu, e[3], NULL, &b.diags));
    double s;
    assert_true(gpu_event_elapsed_s(b.gpu, e[0], e[1], &s) && s == 0);
    assert_true(gpu_event_elapsed_s(b.gpu, e[1], e[2], &s) && fabs(s - 0.03) < 1e-9);
    assert_true(gpu_event_elapsed_s(b.gpu, e[2], e[1], &s) && fabs(s + 0.03) < 1e-9);
    assert_true(gpu_event_elapsed_s(b.gpu, e[1], e[3], &s) && s > 0 && s < 0.001);
    for (int i = 0; i < 4; i++) gpu_event_destroy(b.gpu, e[i]);
    bench_close(&b);
}

static void copies_take_the_link_s_time(void **state) {
    (void)state;
    struct bench b;
    open_step(&b);
    enum { BYTES = 1 << 20 };
    uint8_t *host = arena_alloc(&b.arena, BYTES), *back = arena_alloc(&b.arena, BYTES);
    for (int i = 0; i < BYTES; i++) host[i] = (uint8_t)(i * 7);
    const uint64_t x = bench_buffer(&b, NULL, BYTES), y = bench_buffer(&b, NULL, BYTES);
    const double t0 = gpu_now_s(b.gpu);
    const struct gpu_copy in = {.src_host = host, .dst = x, .width = BYTES};
    bench_ok(&b, gpu_copy(b.gpu, NULL, &in, &b.diags));
    const double t1 = gpu_now_s(b.gpu);
    const double want = b.config.pcie_latency_us * 1e-6 + BYTES / (b.config.pcie_gbps * 1e9);
    assert_true(t1 - t0 > want * 0.999 && t1 - t0 < want * 1.001);
    const struct gpu_copy over = {.src = x, .dst = y, .width = BYTES};
    bench_ok(&b, gpu_copy(b.gpu, NULL, &over, &b.diags));
    const double t2 = gpu_now_s(b.gpu);
    assert_true(t2 - t1 < want / 5 && t2 > t1);
    bench_ok(&b, gpu_fill_async(b.gpu, NULL, y + 1024, 64, 0x01020304, 4, 8, 4, &b.diags));
    const struct gpu_copy out = {.src = y, .dst_host = back, .width = BYTES};
    bench_ok(&b, gpu_copy(b.gpu, NULL, &out, &b.diags));
    for (int row = 0; row < 4; row++)
        for (int i = 0; i < 8; i++) {
            uint32_t v;
            memcpy(&v, back + 1024 + row * 64 + i * 4, 4);
            assert_int_equal(v, 0x01020304);
            memcpy(back + 1024 + row * 64 + i * 4, host + 1024 + row * 64 + i * 4, 4);
        }
    assert_memory_equal(host, back, BYTES);
    // rows and slices: a 2D tile out of a wider image
    const struct gpu_copy tile = {.src = x + 100, .src_pitch = 1000, .dst_host = back, .width = 50,
                                  .height = 20};
    bench_ok(&b, gpu_copy(b.gpu, NULL, &tile, &b.diags));
    for (int r = 0; r < 20; r++) assert_memory_equal(back + r * 50, host + 100 + r * 1000, 50);
    const struct gpu_copy wrong = {.src = x, .dst_host = back, .width = BYTES + 1};
    assert_int_equal(gpu_copy(b.gpu, NULL, &wrong, &b.diags), WW_ERROR_USAGE);
    const struct gpu_copy none = {.src = x, .width = 4};
    assert_int_equal(gpu_copy(b.gpu, NULL, &none, &b.diags), WW_ERROR_USAGE);
    bench_close(&b);
}

// What memory refreshes while the host copies is no launch's: each has the clocks of its own time and
// the refreshes that are due in those, to one a channel.
static void a_launch_pays_for_its_own_refreshes(void **state) {
    (void)state;
    enum { BYTES = 8 << 20, APART = 1000 };
    static const char *const set[] = {"mem.dram.refi=1000", NULL};
    struct bench b;
    bench_open(&b, "gtx480", NULL, set);
    bench_text(&b, "step.ptx", add_one);
    uint8_t *host = arena_alloc(&b.arena, BYTES);
    memset(host, 0, BYTES);
    const uint64_t x = bench_buffer(&b, NULL, BYTES);
    const struct gpu_copy in = {.src_host = host, .dst = x, .width = BYTES};
    for (int i = 0; i < 3; i++) {
        bench_ok(&b, gpu_copy(b.gpu, NULL, &in, &b.diags));
        push_step(&b, NULL, x, 1, 2000, 15);
        bench_ok(&b, gpu_synchronize(b.gpu, &b.diags));
    }
    const double channels = b.config.mem.partitions * b.config.mem.dram.channels_per_partition,
                 clocks_a_cycle = b.config.clocks.dram_mhz / b.config.clocks.core_mhz;
    for (uint32_t i = 0; i < 3; i++) {
        const struct gpu_result *const r = gpu_result_at(b.gpu, i);
        const double clocks = (double)r->cycles * clocks_a_cycle * channels;
        const double counted = (double)r->activity.c[ACT_dram_cycles],
                     refreshes = (double)r->activity.c[ACT_dram_refreshes];
        assert_true(clocks > 20 * APART * channels);
        assert_true(counted > clocks * 0.99 && counted < clocks * 1.01);
        assert_true(refreshes >= clocks / APART - channels);
        assert_true(refreshes <= clocks / APART + channels);
    }
    bench_close(&b);
}

static void on_call(void *user) { ++*(int *)user; }

static void host_calls_come_in_order(void **state) {
    (void)state;
    struct bench b;
    open_step(&b);
    uint32_t v[64] = {0};
    const uint64_t x = bench_buffer(&b, v, sizeof v);
    int called = 0;
    push_step(&b, NULL, x, 1, 1, 1);
    bench_ok(&b, gpu_host_call(b.gpu, NULL, on_call, &called, &b.diags));
    assert_int_equal(called, 0);
    assert_false(gpu_stream_is_done(b.gpu, NULL) && called == 0);
    bench_ok(&b, gpu_synchronize(b.gpu, &b.diags));
    assert_int_equal(called, 1);
    assert_true(gpu_stream_is_done(b.gpu, NULL));
    bench_close(&b);
}

// The public header, end to end.
static void the_public_header(void **state) {
    (void)state;
    struct ww_options o;
    ww_options_init(&o);
    o.host_threads = 1;
    ww_gpu *gpu = NULL;
    assert_int_equal(ww_gpu_open("gtx48", &o, &gpu), WW_ERROR_CONFIG);
    assert_non_null(strstr(ww_last_error(NULL), "did you mean gtx480?"));
    assert_int_equal(ww_gpu_open("gtx480", &o, &gpu), WW_OK);
    char value[32];
    assert_int_equal(ww_gpu_value(gpu, "sm.max_warps", value, sizeof value), 2);
    assert_string_equal(value, "48");
    ww_module *m;
    ww_kernel *k;
    assert_int_equal(ww_module_load(gpu, "step.ptx", add_one, sizeof add_one - 1, &m), WW_OK);
    assert_int_equal(ww_kernel_find(m, "stepp", &k), WW_ERROR_USAGE);
    assert_non_null(strstr(ww_last_error(gpu), "did you mean step?"));
    assert_int_equal(ww_kernel_find(m, "step", &k), WW_OK);
    struct ww_kernel_info info = {.size = sizeof info};
    assert_int_equal(ww_kernel_describe(k, &info), WW_OK);
    assert_int_equal(info.param_bytes, 16);
    assert_int_equal(info.param_count, 3);
    uint32_t v[64] = {0};
    uint64_t x;
    assert_int_equal(ww_alloc(gpu, sizeof v, &x), WW_OK);
    assert_int_equal(ww_write(gpu, x, v, sizeof v), WW_OK);
    struct { uint64_t x; uint32_t k, spin; } params = {x, 5, 1};
    const uint32_t grid[3] = {1, 1, 1}, block[3] = {64, 1, 1};
    assert_int_equal(ww_launch(gpu, k, grid, block, 0, &params, sizeof params), WW_OK);
    assert_int_equal(ww_read(gpu, v, x, sizeof v), WW_OK);
    assert_int_equal(v[63], 5);
    assert_int_equal(ww_result_count(gpu), 1);
    struct ww_result r = {.size = sizeof r};
    assert_int_equal(ww_result_get(gpu, 0, &r), WW_OK);
    assert_string_equal(r.kernel, "step");
    uint64_t n;
    assert_int_equal(ww_result_counter(gpu, 0, "warp_instructions", 0, &n), WW_OK);
    assert_int_equal(n, r.warp_instructions);
    assert_string_equal(ww_status_name(WW_ERROR_INTERNAL), "WW_ERROR_INTERNAL");
    ww_gpu_close(gpu);
}

int main(void) {
    setenv("WARPWATT_GPUS", WW_SOURCE_DIR "/gpus", 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_stream_keeps_order),
        cmocka_unit_test(streams_overlap),
        cmocka_unit_test(the_default_stream_waits_and_is_waited_for),
        cmocka_unit_test(events_order_and_time),
        cmocka_unit_test(launches_without_time_count_ten_milliseconds),
        cmocka_unit_test(copies_take_the_link_s_time),
        cmocka_unit_test(a_launch_pays_for_its_own_refreshes),
        cmocka_unit_test(host_calls_come_in_order),
        cmocka_unit_test(the_public_header),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
