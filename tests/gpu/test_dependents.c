// Programmatic dependent launch: a grid begins when all blocks of the one before it in its stream let
// it, or have ended, and griddepcontrol.wait waits for that grid and its stores. As PTX and as machine code.
#include "test_gpu.h"

#include "gpu/device.h"

enum { BLOCK = 64, BLOCKS = 3, N = BLOCK * BLOCKS, LATENCY = 1000 };
static bool is_machine_code;

struct step {
    uint32_t tells, pre, waits, post;
    bool serial; // without the attribute
    bool tells_event, at_start; // the next one waits, in a stream of its own, for the event that it records
};
static void open_ones(struct bench *b, bool functional, uint32_t threads) {
    struct gpu_options o;
    gpu_options_init(&o);
    o.host_threads = threads;
    o.functional = functional;
    bench_open(b, "h100", &o, (const char *[]){"launch_latency_cycles=1000", NULL});
    char *image;
    size_t len;
    bench_ok(b, file_read(&b->arena,
                          is_machine_code ? WW_SOURCE_DIR "/tests/gpu/dependents_sm_90.cubin"
                                          : WW_SOURCE_DIR "/tests/gpu/dependents.ptx",
                          1 << 20, &image, &len, &b->diags));
    bench_ok(b, gpu_module_load(b->gpu, "dependents", image, len, NULL, &b->diags, &b->module));
}

static void push_with(struct bench *b, struct gpu_stream *s, const struct step *x, uint64_t in, uint64_t out,
                      struct gpu_event *event) {
    struct gpu_kernel *k;
    bench_ok(b, gpu_kernel_find(b->module, "step", &b->diags, &k));
    struct {
        uint64_t in, out;
        uint32_t tells, pre, waits, post;
    } params = {in, out, x->tells, x->pre, x->waits, x->post};
    const struct gpu_launch l = {.grid = {BLOCKS, 1, 1},
                                 .block = {BLOCK, 1, 1},
                                 .programmatic = !x->serial,
                                 .event = event,
                                 .event_at_start = x->at_start,
                                 .params = &params,
                                 .param_bytes = sizeof params};
    bench_ok(b, gpu_launch(b->gpu, s, k, &l, &b->diags, NULL));
}
static void push(struct bench *b, struct gpu_stream *s, const struct step *x, uint64_t in, uint64_t out) {
    push_with(b, s, x, in, out, NULL);
}

// Runs the steps in one stream, each on what the one before made; checks what the last made where
// all wait; answers when each began and ended. Launches before are not counted.
struct times {
    uint64_t start, end;
    uint32_t overlapped;
};
static void run(const struct step *x, uint32_t n, bool functional, uint32_t threads, struct times *out) {
    struct bench b;
    open_ones(&b, functional, threads);
    uint32_t v[N], got[N];
    for (uint32_t i = 0; i < N; i++) v[i] = i * 5;
    uint64_t at[8];
    at[0] = bench_buffer(&b, v, sizeof v);
    for (uint32_t k = 1; k <= n; k++) at[k] = bench_buffer(&b, v, sizeof v);
    struct gpu_stream *s;
    bench_ok(&b, gpu_stream_create(b.gpu, true, 0, &b.diags, &s));
    const struct step first = {.serial = true};
    push(&b, s, &first, at[0], at[0]); // has the code in the SMs
    bench_ok(&b, gpu_stream_synchronize(b.gpu, s, &b.diags));
    for (uint32_t k = 0; k < n; k++) {
        struct gpu_event *e = NULL;
        if (x[k].tells_event) bench_ok(&b, gpu_event_create(b.gpu, &b.diags, &e));
        push_with(&b, s, &x[k], at[k], at[k + 1], e);
        if (!e) continue;
        bench_ok(&b, gpu_stream_create(b.gpu, true, 0, &b.diags, &s));
        bench_ok(&b, gpu_stream_wait(b.gpu, s, e, &b.diags));
        gpu_event_destroy(b.gpu, e); // who waits for it keeps it
    }
    bench_ok(&b, gpu_synchronize(b.gpu, &b.diags));
    assert_int_equal(gpu_result_count(b.gpu), n + 1);
    bool all_wait = true;
    for (uint32_t k = 0; k < n; k++) {
        all_wait &= k == 0 || x[k].waits || x[k].serial;
        for (uint32_t i = 0; i <= n; i++) {
            const struct gpu_result *const r = gpu_result_at(b.gpu, i);
            if (r->id == k + 2) out[k] = (struct times){r->start_cycle, r->end_cycle, r->overlapped};
        }
    }
    bench_read(&b, got, at[n], sizeof got);
    for (uint32_t i = 0; all_wait && i < N; i++) {
        uint32_t want = i * 15 + 1;
        for (uint32_t k = 0; k < n; k++) want = want * 3 + 1;
        assert_int_equal(got[i], want);
    }
    bench_close(&b);
}

enum { ALL = 7, LONG = 2000, QUANTUM = 104 };

// The first lets the second begin at once: its launch is ready 1000 cycles after that of the first,
// which is 10 quanta, and it ends when the first has and it has gone on from its wait.
static void a_grid_begins_early_and_waits(void **state) {
    (void)state;
    struct times serial[2], early[2], alone[2];
    const struct step first = {.tells = ALL, .pre = LONG};
    const struct step steps[2] = {first, {.pre = LONG / 4, .waits = 1, .serial = true}};
    run(steps, 2, false, 1, serial);
    assert_int_equal(serial[1].overlapped, 0);
    assert_true(serial[1].start >= serial[0].end + LATENCY);

    const struct step tail = {.waits = 1, .serial = true};
    run((struct step[]){first, tail}, 2, false, 1, alone);
    const uint64_t rest = alone[1].end - alone[1].start; // of the second without its loop

    struct step dependent = steps[1];
    dependent.serial = false;
    run((struct step[]){first, dependent}, 2, false, 1, early);
    assert_int_equal(early[1].overlapped, 1);
    assert_int_equal(early[1].start - early[0].start, (LATENCY + QUANTUM - 1) / QUANTUM * QUANTUM);
    // Beside another grid the end is when memory has the stores, by the quantum.
    assert_in_range(early[0].end, serial[0].end, serial[0].end + QUANTUM);
    // It stands in its wait when the first ends; nothing of its beginning is left to do.
    assert_true(early[1].end > early[0].end);
    assert_in_range(early[1].end - early[0].end, 1, rest + 3 * QUANTUM);
    // What is saved: the launch, and the loop that ran beside the first.
    assert_true(serial[1].end - early[1].end >=
                LATENCY + (serial[1].end - serial[1].start - rest) - 3 * QUANTUM);
    for (uint32_t threads = 2; threads <= 4; threads += 2) {
        struct times again[2];
        run((struct step[]){first, dependent}, 2, false, threads, again);
        for (int k = 0; k < 2; k++) {
            assert_int_equal(again[k].start, early[k].start);
            assert_int_equal(again[k].end, early[k].end);
        }
    }
}

// A block that says nothing lets it begin by its end: the last of them decides.
static void the_last_block_decides(void **state) {
    (void)state;
    struct times t[2];
    for (uint32_t tells = 0; tells < ALL; tells++) {
        const struct step steps[2] = {{.tells = tells, .pre = LONG}, {.waits = 1}};
        run(steps, 2, false, 1, t);
        // The launch was ready long before; the first ends with the answers to its stores, some of the far half of L2.
        assert_in_range(t[1].start, t[0].end - 6 * QUANTUM, t[0].end + 2 * QUANTUM);
    }
}

// A wait holds for all grids before: the third begins when the second, which waits for nothing, has
// ended, and its wait lasts until the first has.
static void a_wait_is_for_all_before(void **state) {
    (void)state;
    struct times t[3];
    const struct step steps[3] = {{.tells = ALL, .pre = 4 * LONG}, {.tells = ALL}, {.waits = 1}};
    run(steps, 3, false, 1, t);
    assert_true(t[1].end < t[0].end);
    assert_true(t[2].start < t[0].end && t[2].end > t[0].end);
    const struct step right[3] = {
        {.tells = ALL, .pre = 4 * LONG}, {.tells = ALL, .waits = 1}, {.tells = ALL, .waits = 1}};
    run(right, 3, false, 1, t); // checks values
    assert_true(t[2].start < t[0].end && t[1].end <= t[2].end);
}

// A launch's event lets a kernel of another stream begin when all blocks have said so, have ended, or, if it is
// asked for, have begun; that kernel's wait is for the end of the launch.
static void an_event_tells_another_stream(void **state) {
    (void)state;
    struct times t[2], in_order[2];
    const struct step behind = {.pre = LONG / 4, .waits = 1, .serial = true};
    const struct step says = {.tells = ALL, .pre = LONG, .serial = true, .tells_event = true};
    run((struct step[]){says, behind}, 2, false, 1, t);
    assert_int_equal(t[1].overlapped, 1);
    // The launch is made when the event is there; it is when the first block's quantum is over.
    assert_in_range(t[1].start - t[0].start, LATENCY, LATENCY + 4 * QUANTUM);
    assert_true(t[1].start < t[0].end && t[1].end > t[0].end);
    // Blocks that say nothing: by their ends, unless beginning is enough.
    const struct step silent = {.pre = LONG, .serial = true, .tells_event = true};
    run((struct step[]){silent, behind}, 2, false, 1, t);
    assert_in_range(t[1].start, t[0].end + LATENCY - 4 * QUANTUM, t[0].end + LATENCY + 2 * QUANTUM);
    struct step begins = silent;
    begins.at_start = true;
    run((struct step[]){begins, behind}, 2, false, 1, t);
    assert_in_range(t[1].start - t[0].start, LATENCY, LATENCY + 4 * QUANTUM);
    assert_true(t[1].end > t[0].end);
    for (uint32_t threads = 2; threads <= 4; threads += 2) {
        run((struct step[]){begins, behind}, 2, false, threads, in_order);
        for (int k = 0; k < 2; k++) assert_int_equal(in_order[k].end, t[k].end);
    }
    run((struct step[]){says, behind}, 2, true, 1, t); // without time the event is at the end
}

// Where the attribute is missing, or there is no time, grids run one after the other.
static void without_time_grids_follow_each_other(void **state) {
    (void)state;
    struct times t[3];
    const struct step steps[3] = {
        {.tells = ALL, .pre = 10}, {.tells = ALL, .waits = 1}, {.tells = ALL, .waits = 1, .post = 5}};
    run(steps, 3, true, 1, t);
    const struct step plain[2] = {{.tells = ALL, .pre = LONG}, {.waits = 1, .serial = true}};
    run(plain, 2, false, 1, t);
    assert_true(t[1].start >= t[0].end + LATENCY);
}

int main(int argc, char **argv) {
    (void)argc, (void)argv;
    int failed = 0;
    for (int machine = 0; machine < 2; machine++) {
        is_machine_code = machine;
        const struct CMUnitTest tests[] = {cmocka_unit_test(a_grid_begins_early_and_waits),
                                           cmocka_unit_test(the_last_block_decides),
                                           cmocka_unit_test(a_wait_is_for_all_before),
                                           cmocka_unit_test(an_event_tells_another_stream),
                                           cmocka_unit_test(without_time_grids_follow_each_other)};
        failed += cmocka_run_group_tests(tests, NULL, NULL);
    }
    return failed;
}
