// L2 of two halves: latencies by hand (test_timing.c has the parts), which half keeps what, and that any traffic ends.
//
// Two slices of one partition, of 256 bytes in turn: addresses whose bit 8 is clear live in half 0, the others in half 1.
// SMs 0 and 1 lie beside half 0, 2 and 3 beside half 1. What crosses takes 24 cycles longer.
#include "test_traffic.h"

enum { REQUEST = 20, HIT = 30, CONTROLLER = 10, RCD = 11, CL = 12, BURST = 2, REPLY = 40, FAR = 24, ATOMIC = 4 };
enum { HIT_32 = REQUEST + HIT + REPLY + 1, MISS_32 = HIT_32 + CONTROLLER + RCD + CL + BURST };
enum { WRITTEN = REQUEST + HIT + REPLY, FLIT = 1 }; // a write's packet has two flits, its answer one

static struct mem_config two_halves(void) {
    struct mem_config c = rig_config();
    c.slices_per_partition = c.dram.channels_per_partition = 2;
    c.l2_far_latency = FAR;
    return c;
}

// What an access of an SM takes alone.
static uint64_t takes(struct rig *r, uint32_t sm, uint8_t kind, uint64_t addr) {
    const uint64_t cycle = r->now + r->quantum - r->now % r->quantum;
    while (r->now < cycle) rig_memory(r);
    rig_send(r, sm, cycle, kind, addr, 32, 1);
    return rig_wait(r, sm).cycle - cycle;
}

static void a_line_is_copied_into_the_half_that_reads_it(void **state) {
    (void)state;
    struct rig r = rig_make(two_halves(), 4, 1000);
    assert_int_equal(takes(&r, 0, MEM_READ, 0), MISS_32);
    assert_int_equal(takes(&r, 1, MEM_READ, 0), HIT_32);
    assert_int_equal(rig_count(&r, ACT_l2_far_sectors), 0);
    assert_int_equal(takes(&r, 2, MEM_READ, 0), HIT_32 + FAR);
    assert_int_equal(takes(&r, 3, MEM_READ, 0), HIT_32);
    assert_int_equal(rig_count(&r, ACT_l2_far_sectors), 1);
    assert_int_equal(rig_count(&r, ACT_dram_reads), 1);
    // what neither half has comes from where it lives, and stays there too: the row is another one
    assert_int_equal(takes(&r, 2, MEM_READ, 64 * 1024), MISS_32 + FAR + 13);
    assert_int_equal(takes(&r, 0, MEM_READ, 64 * 1024), HIT_32);
    assert_int_equal(rig_count(&r, ACT_l2_reads), 6);
    assert_int_equal(rig_count(&r, ACT_l2_read_hits), 4);
    assert_int_equal(rig_count(&r, ACT_l2_read_misses), 2);
    rig_free(&r);
}

static void writes_go_where_data_live_and_end_copies(void **state) {
    (void)state;
    struct rig r = rig_make(two_halves(), 4, 1000);
    takes(&r, 2, MEM_READ, 0);
    assert_int_equal(takes(&r, 2, MEM_READ, 0), HIT_32);
    assert_int_equal(takes(&r, 0, MEM_WRITE, 0), WRITTEN + FLIT);
    assert_int_equal(takes(&r, 2, MEM_READ, 0), HIT_32 + FAR);
    assert_int_equal(takes(&r, 2, MEM_WRITE, 0), WRITTEN + FLIT + FAR);
    assert_int_equal(takes(&r, 0, MEM_READ, 0), HIT_32);
    assert_int_equal(takes(&r, 2, MEM_READ, 0), HIT_32 + FAR);
    assert_int_equal(takes(&r, 2, MEM_READ, 0), HIT_32);
    assert_int_equal(takes(&r, 2, MEM_ATOMIC, 0), HIT_32 + FLIT + ATOMIC + FAR);
    assert_int_equal(takes(&r, 2, MEM_READ, 0), HIT_32 + FAR);
    rig_free(&r);
}

// A half has 64 KB. Reads of one SM, round and round: all of 64 KB is near it, own lines and copies. Of 128 KB nothing
// stays near, but each far line lives in a half that holds no copies. Of 256 KB nothing stays anywhere.
static void one_sm_sees_two_steps(void **state) {
    (void)state;
    static const struct {
        uint32_t bytes, near_misses, far_misses; // of each 512 bytes: lines of 128
    } step[] = {{64 << 10, 0, 0}, {128 << 10, 2, 0}, {256 << 10, 2, 2}};
    for (size_t k = 0; k < WW_COUNT(step); k++) {
        struct rig r = rig_make(two_halves(), 1, 1000);
        for (uint64_t at = 0; at < step[k].bytes; at += 128) takes(&r, 0, MEM_READ, at);
        const uint64_t before = rig_count(&r, ACT_dram_reads), crossed = rig_count(&r, ACT_l2_far_sectors);
        for (uint64_t at = 0; at < step[k].bytes; at += 128) takes(&r, 0, MEM_READ, at);
        const uint64_t rounds = step[k].bytes / 512;
        assert_int_equal(rig_count(&r, ACT_dram_reads) - before, rounds * (step[k].near_misses + step[k].far_misses));
        assert_int_equal(rig_count(&r, ACT_l2_far_sectors) - crossed, k == 0 ? 0 : rounds * 2);
        rig_free(&r);
    }
}

// Both halves' registers are full of lines that live in the other.
static void halves_do_not_wait_for_each_other(void **state) {
    (void)state;
    struct mem_config c = two_halves();
    c.l2.mshrs = c.l2.mshr_merge = 1;
    c.l2.bytes = 4096;
    c.dram.queue = 1;
    for (uint32_t backwards = 0; backwards < 2; backwards++) {
        static uint64_t hash[2];
        struct rig r = rig_make(c, 4, 1000);
        r.backwards = backwards;
        const struct traffic t = {.seed = 7, .requests = 4000, .window = 60, .span_blocks = 300, .writes = 20, .atomics = 5};
        const struct result x = drive(&r, t);
        check_counts(&x, &c);
        assert_true(x.sum.c[ACT_l2_far_sectors] > 500);
        hash[backwards] = x.hash;
        if (backwards) assert_int_equal(hash[0], hash[1]);
        rig_free(&r);
    }
}

static void what_cannot_have_halves_is_refused(void **state) {
    (void)state;
    struct mem_config c = two_halves();
    for (uint32_t k = 0; k < 2; k++) {
        c = two_halves();
        if (k == 0) c.slices_per_partition = 1;
        if (k == 1) c.net.kind = NET_MESH;
        struct diags d;
        struct mem_system *m;
        diags_init(&d);
        assert_int_equal(mem_system_create(&c, 1, 1000, &d, &m), WW_ERROR_CONFIG);
        assert_non_null(strstr(d.list.at[0].text, "l2_far_latency"));
        diags_free(&d);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_line_is_copied_into_the_half_that_reads_it),
                                       cmocka_unit_test(writes_go_where_data_live_and_end_copies),
                                       cmocka_unit_test(one_sm_sees_two_steps),
                                       cmocka_unit_test(halves_do_not_wait_for_each_other),
                                       cmocka_unit_test(what_cannot_have_halves_is_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
