// Policies of L2: what createpolicy makes, which lines stay and which go, what discard leaves of what was
// written. An L2 of 512 lines; what a stream of eight times as many leaves of 64 lines. As PTX and as machine code.
#include "activity/mem.h"
#include "test_gpu.h"

#include "isa/policy.h"

enum { LINES = 64, STREAM = 4096, LINE = 128, L2 = 65536, SETS = 32 };
#define FIRST 0x12F0000000000000ull
#define LAST  0x14F0000000000000ull
enum how { READ, POLICY, WRITE, DISCARD, DEMOTE, PREFETCH, STORE, ADD };
static bool is_machine_code;

static void open_l2(struct bench *b) {
    bench_open(b, "h100", NULL,
               (const char *[]){"sm_count=2", "mem.partitions=1", "mem.tlb.l2_count=1",
                                "mem.l2.bytes=32768", "mem.l2.ways=16", "mem.l2_far_latency=0", "mem.l2.dirty_ways=0", NULL});
    char *image;
    size_t len;
    bench_ok(b, file_read(&b->arena,
                          is_machine_code ? WW_SOURCE_DIR "/tests/gpu/policies_sm_90.cubin"
                                          : WW_SOURCE_DIR "/tests/gpu/policies.ptx",
                          1 << 20, &image, &len, &b->diags));
    bench_ok(b, gpu_module_load(b->gpu, "policies", image, len, NULL, &b->diags, &b->module));
    // Ten of a set's sixteen ways for lines that go last; the program's limit is three.
    assert_int_equal(gpu_l2_set_aside(b->gpu), L2 * 3 / 16);
    bench_ok(b, gpu_l2_set_set_aside(b->gpu, L2, &b->diags));
    assert_int_equal(gpu_l2_set_aside(b->gpu), L2 * 10 / 16);
}

// Counts of a pass over n lines, in a window.
static const uint64_t *touch_in(struct bench *b, uint64_t at, uint32_t n, enum how how,
                                uint64_t policy, const struct policy_window *window) {
    struct gpu_kernel *k;
    bench_ok(b, gpu_kernel_find(b->module, "touch", &b->diags, &k));
    struct {
        uint64_t at, policy;
        uint32_t n, how;
    } params = {at, policy, n, (uint32_t)how};
    const struct gpu_launch l = {.grid = {1, 1, 1},
                                 .block = {1, 1, 1},
                                 .window = *window,
                                 .params = &params,
                                 .param_bytes = sizeof params};
    bench_ok(b, gpu_launch(b->gpu, NULL, k, &l, &b->diags, NULL));
    bench_ok(b, gpu_synchronize(b->gpu, &b->diags));
    return bench_last(b)->activity.c;
}
static const uint64_t *touch(struct bench *b, uint64_t at, uint32_t n, enum how how, uint64_t policy) {
    return touch_in(b, at, n, how, policy, &(struct policy_window){0});
}

struct buffers {
    uint64_t few, many;
};
static struct buffers make(struct bench *b) {
    open_l2(b);
    return (struct buffers){bench_buffer(b, NULL, LINES * LINE), bench_buffer(b, NULL, STREAM * LINE)};
}
// Lines that a second pass finds.
static uint64_t kept(struct bench *b, uint64_t few) {
    return touch(b, few, LINES, READ, 0)[ACT_l2_read_hits];
}

// The values that ptxas 12.9 makes, and cutlass names two of (EVICT_FIRST, EVICT_LAST).
static void policies_are_ptxas_s(void **state) {
    (void)state;
    struct bench b;
    open_l2(&b);
    const uint64_t out = bench_buffer(&b, NULL, 64), at = 0x123456000;
    bench_ok(&b, bench_try(&b, "values", 1, 1, 1, 1, "88f44", out, at, 0.5, 1048576u, 4194304u));
    // 64 KB: units of 4 KB, the first 0x56 of 128, one of them. 4 MB: units of 32 KB (bit 15), the first
    // 0x123456000 >> 15 = 0x2468a, of which 128 leave 0x0a, and 33 of them, as it begins within one.
    const uint64_t want[8] = {FIRST,
                              LAST,
                              0x16E0000000000000,
                              0x1530000000000000,
                              0x1470000000000000,
                              (uint64_t)(0x1C000000 | 0x56u << 12 | 1u << 5) << 32,
                              (uint64_t)(0x1D300000 | 0x0Au << 12 | 33u << 5) << 32,
                              at};
    uint64_t got[8];
    bench_read(&b, got, out, sizeof got);
    for (int i = 0; i < 8; i++) assert_int_equal(got[i], want[i]);
    bench_close(&b);
}

static void lines_that_go_last_stay(void **state) {
    (void)state;
    static const struct {
        enum how how;
        uint64_t policy;
        bool stay;
    } row[] = {{READ, 0, false},    {POLICY, LAST, true}, {POLICY, FIRST, false},  {PREFETCH, 0, true},
               {STORE, LAST, true}, {ADD, LAST, true},    {STORE, FIRST, false}};
    for (size_t k = 0; k < WW_COUNT(row); k++) {
        struct bench b;
        const struct buffers x = make(&b);
        touch(&b, x.few, LINES, row[k].how, row[k].policy);
        touch(&b, x.many, STREAM, READ, 0);
        const uint64_t n = kept(&b, x.few);
        assert_in_range(n, row[k].stay ? LINES : 0, row[k].stay ? LINES : 2);
        bench_close(&b);
    }
}

// A stream that goes first takes the places of its own lines.
static void a_stream_that_goes_first_pushes_nothing_out(void **state) {
    (void)state;
    struct bench b;
    const struct buffers x = make(&b);
    touch(&b, x.few, LINES, READ, 0);
    touch(&b, x.many, STREAM, POLICY, FIRST);
    // An SM's first misses of the stream find empty ways; then lines that go first.
    assert_int_equal(kept(&b, x.few), LINES);
    bench_close(&b);
}

static void priorities_end(void **state) {
    (void)state;
    struct bench b;
    const struct buffers x = make(&b);
    touch(&b, x.few, LINES, POLICY, LAST);
    touch(&b, x.few, LINES, DEMOTE, 0);
    touch(&b, x.many, STREAM, READ, 0);
    assert_in_range(kept(&b, x.few), 0, 2);
    // evict_unchanged leaves what goes last as it is, evict_normal does not.
    touch(&b, x.few, LINES, POLICY, LAST);
    touch(&b, x.few, LINES, POLICY, 0x10F0000000000000);
    touch(&b, x.many, STREAM, READ, 0);
    assert_int_equal(kept(&b, x.few), LINES);
    touch(&b, x.few, LINES, POLICY, 0x16F0000000000000);
    touch(&b, x.many, STREAM, READ, 0);
    assert_in_range(kept(&b, x.few), 0, 2);
    bench_close(&b);
}

// Of each of 32 sets as many ways go last as are set aside: 4096 lines leave 10 * 32 of 512, and others
// still come and go; with one way 32, with none none.
static void not_all_can_go_last(void **state) {
    (void)state;
    struct bench b;
    const struct buffers x = make(&b);
    touch(&b, x.many, STREAM, POLICY, LAST);
    touch(&b, x.few, LINES, READ, 0);
    // The last lines of `many` to come are gone behind `few`, but for those that went last.
    assert_in_range(touch(&b, x.few, LINES, READ, 0)[ACT_l2_read_hits], LINES / 2, LINES);
    assert_in_range(touch(&b, x.many, STREAM, READ, 0)[ACT_l2_read_hits], 10 * SETS, 16 * SETS);
    for (uint64_t ways = 0; ways < 2; ways++) {
        bench_ok(&b, gpu_l2_reset_priorities(b.gpu, &b.diags));
        bench_ok(&b, gpu_l2_set_set_aside(b.gpu, ways * L2 / 16, &b.diags));
        touch(&b, x.many, STREAM / 2, POLICY, LAST);
        touch(&b, x.many + STREAM / 2 * LINE, STREAM / 2, READ, 0);
        assert_int_equal(touch(&b, x.many, STREAM / 2, READ, 0)[ACT_l2_read_hits], ways * SETS);
    }
    bench_close(&b);
}

// Accesses in a launch's window say what the window says; those that name a policy say that.
static void windows_of_launches(void **state) {
    (void)state;
    struct bench b;
    const struct buffers x = make(&b);
    enum { HALF = LINES / 2 };
    const struct policy_window half = {x.few, HALF * LINE, 16, PRIORITY_LAST, PRIORITY_FIRST};
    touch_in(&b, x.few, LINES, READ, 0, &half);
    touch(&b, x.many, STREAM, READ, 0);
    assert_int_equal(kept(&b, x.few), HALF);
    bench_ok(&b, gpu_l2_reset_priorities(b.gpu, &b.diags));
    touch(&b, x.many, STREAM, READ, 0);
    assert_int_equal(kept(&b, x.few), 0);
    // Four sixteenths of the lines hit.
    struct policy_window quarter = {x.few, LINES * LINE, 4, PRIORITY_LAST, PRIORITY_FIRST};
    uint32_t hits = 0;
    for (uint32_t i = 0; i < LINES; i++) hits += policy_sixteenth(x.few + (uint64_t)i * LINE) < 4;
    assert_in_range(hits, LINES / 8, LINES / 2);
    touch_in(&b, x.few, LINES, READ, 0, &quarter);
    touch(&b, x.many, STREAM, READ, 0);
    assert_int_equal(kept(&b, x.few), hits);
    bench_ok(&b, gpu_l2_reset_priorities(b.gpu, &b.diags));
    touch(&b, x.many, STREAM, READ, 0);
    touch_in(&b, x.few, LINES, POLICY, FIRST, &half);
    touch(&b, x.many, STREAM, READ, 0);
    assert_int_equal(kept(&b, x.few), 0);
    bench_close(&b);
}

// A quarter of lines, and those of a range.
static void parts_have_a_priority(void **state) {
    (void)state;
    struct bench b;
    const struct buffers x = make(&b);
    const uint64_t quarter = 0x1430000000000000;
    uint32_t want = 0;
    for (uint32_t i = 0; i < LINES; i++)
        want += policy_priority(quarter, x.few + (uint64_t)i * LINE) == PRIORITY_LAST;
    assert_in_range(want, LINES / 8, LINES / 2);
    touch(&b, x.few, LINES, POLICY, quarter);
    touch(&b, x.many, STREAM, READ, 0);
    assert_in_range(kept(&b, x.few), want, want + 2);
    bench_close(&b);

    const struct buffers y = make(&b); // one unit of 4 KB from the first on: 32 lines or, within a unit, two units
    const uint64_t unit = y.few >> 12 & 127;
    touch(&b, y.few, LINES, POLICY, (uint64_t)(0x1C000000 | unit << 12 | 1u << 5) << 32);
    touch(&b, y.many, STREAM, READ, 0);
    const uint64_t in_unit = (4096 - y.few % 4096) / LINE;
    assert_in_range(kept(&b, y.few), in_unit < LINES ? in_unit : LINES, in_unit + 2);
    bench_close(&b);
}

// What is written and discarded is not written back, and memory keeps what was stored.
static void what_is_discarded_is_not_written_back(void **state) {
    (void)state;
    for (int discards = 0; discards < 2; discards++) {
        struct bench b;
        const struct buffers x = make(&b);
        uint64_t back = touch(&b, x.few, LINES, WRITE, 0)[ACT_l2_writebacks];
        if (discards) back += touch(&b, x.few, LINES, DISCARD, 0)[ACT_l2_writebacks];
        back += touch(&b, x.many, STREAM, READ, 0)[ACT_l2_writebacks];
        assert_int_equal(back, discards ? 0 : LINES);
        uint32_t got = 1;
        bench_read(&b, &got, x.few + 5 * LINE, 4);
        assert_int_equal(got, 0);
        bench_close(&b);
    }
}

int main(int argc, char **argv) {
    (void)argc, (void)argv;
    int failed = 0;
    for (int machine = 0; machine < 2; machine++) {
        is_machine_code = machine;
        const struct CMUnitTest tests[] = {
            cmocka_unit_test(policies_are_ptxas_s),
            cmocka_unit_test(lines_that_go_last_stay),
            cmocka_unit_test(a_stream_that_goes_first_pushes_nothing_out),
            cmocka_unit_test(priorities_end),
            cmocka_unit_test(not_all_can_go_last),
            cmocka_unit_test(parts_have_a_priority),
            cmocka_unit_test(windows_of_launches),
            cmocka_unit_test(what_is_discarded_is_not_written_back),
        };
        failed += cmocka_run_group_tests(tests, NULL, NULL);
    }
    return failed;
}
