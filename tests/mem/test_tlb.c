// Address translation, cycles by hand. Numbers of rig_config (test_timing.c); the TLBs here:
// 2 entries of 4 KB for each pair of SMs, 2 entries of 16 KB for each of two L2 TLBs, 8 cycles to an
// L2 TLB, walks of 50 and 200 cycles.
#include "test_rig.h"

enum { HIT_32 = 20 + 30 + 40 + 1, MISS_32 = HIT_32 + 10 + 11 + 12 + 2, L2 = 8, NEAR = 50, COLD = 200, RCD = 11 };

static struct mem_config tlb_rig(uint32_t walks) {
    struct mem_config c = rig_config();
    c.tlb = (struct tlb_config){.l1_entries = 2,
                                .l1_page_bytes = 4096,
                                .l1_sms = 2,
                                .l2_count = 2,
                                .l2_entries = 2,
                                .l2_page_bytes = 16384,
                                .l2_latency = L2,
                                .walk_latency = NEAR,
                                .cold_walk_latency = COLD,
                                .walks = walks,
                                .near_pages = 8};
    return c;
}

static void run_until(struct rig *r, uint64_t cycle) {
    while (r->now + r->quantum <= cycle) rig_memory(r);
}

static void send(struct rig *r, uint32_t sm, uint64_t cycle, uint64_t addr) {
    rig_send(r, sm, cycle, MEM_READ, addr, 32, 1);
}

// A read that is sent alone: cycles to its reply.
static uint64_t takes(struct rig *r, uint32_t sm, uint64_t cycle, uint64_t addr) {
    run_until(r, cycle);
    send(r, sm, cycle, addr);
    return rig_wait(r, sm).cycle - cycle;
}

static void each_level_has_its_latency(void **state) {
    (void)state;
    struct rig r = rig_make(tlb_rig(1), 4, 1000);
    assert_int_equal(takes(&r, 0, 100, 0), L2 + COLD + MISS_32);
    assert_int_equal(rig_count(&r, ACT_tlb_stalls), L2 + COLD);
    assert_int_equal(takes(&r, 0, 1000, 0), HIT_32);
    assert_int_equal(takes(&r, 1, 1500, 0), HIT_32);             // the neighbour's TLB is the same
    assert_int_equal(takes(&r, 2, 2000, 0), L2 + NEAR + HIT_32); // another L2 TLB
    assert_int_equal(rig_count(&r, ACT_tlb_walks), 2);
    takes(&r, 2, 3000, 4096); // data into L2
    assert_int_equal(takes(&r, 0, 4000, 4096), L2 + HIT_32);
    assert_int_equal(rig_count(&r, ACT_tlb_reads), 6);
    assert_int_equal(rig_count(&r, ACT_tlb_misses), 4);
    assert_int_equal(rig_count(&r, ACT_tlb_l2_misses), 2);
    assert_int_equal(rig_count(&r, ACT_tlb_merges), 0);
    rig_free(&r);
}

static void the_least_used_page_goes(void **state) {
    (void)state;
    struct rig r = rig_make(tlb_rig(1), 2, 1000);
    for (uint64_t page = 0; page < 3; page++) takes(&r, 0, 1000 * page + 100, page * 4096);
    // Pages 1 and 2 are in the L1 TLB, all of the 16 KB in the L2 TLB.
    assert_int_equal(takes(&r, 0, 4000, 4096), HIT_32);
    assert_int_equal(takes(&r, 0, 5000, 0), L2 + HIT_32); // takes the place of page 2
    assert_int_equal(takes(&r, 0, 6000, 4096), HIT_32);
    assert_int_equal(takes(&r, 0, 7000, 2 * 4096), L2 + HIT_32);
    // The L2 TLB keeps two of three pages of 16 KB; the walker still knows the first.
    takes(&r, 0, 8000, 16384);
    takes(&r, 0, 9000, 2 * 16384);
    assert_int_equal(takes(&r, 0, 10000, 0), L2 + NEAR + HIT_32);
    rig_free(&r);
}

static void what_wants_a_page_on_its_way_waits_for_it(void **state) {
    (void)state;
    struct rig r = rig_make(tlb_rig(1), 2, 1000);
    run_until(&r, 1000);
    send(&r, 0, 1000, 0);
    send(&r, 1, 1003, 0);
    send(&r, 0, 1004, 4096); // another page of the same 16 KB
    assert_int_equal(rig_wait(&r, 0).cycle, 1000 + L2 + COLD + MISS_32);
    // In the same cycle at the slice; its two flits leave behind the first's.
    assert_int_equal(rig_wait(&r, 1).cycle, 1000 + L2 + COLD + MISS_32 + 2);
    rig_wait(&r, 0);
    assert_int_equal(rig_count(&r, ACT_tlb_walks), 1);
    assert_int_equal(rig_count(&r, ACT_tlb_merges), 1);
    assert_int_equal(rig_count(&r, ACT_tlb_l2_misses), 2);
    assert_int_equal(rig_count(&r, ACT_tlb_stalls), 3 * (L2 + COLD) - 3 - 4);
    // A later quantum finds the walk under way in the L2 TLB.
    run_until(&r, 3000);
    send(&r, 0, 3000, 16384);
    run_until(&r, 3100);
    send(&r, 0, 3100, 16384 + 4096);
    assert_int_equal(rig_wait(&r, 0).cycle, 3000 + L2 + COLD + MISS_32 - RCD); // its row is open
    rig_wait(&r, 0);
    assert_int_equal(rig_count(&r, ACT_tlb_walks), 2);
    assert_int_equal(rig_count(&r, ACT_tlb_l2_misses), 4);
    rig_free(&r);
}

// Constants are not translated here.
static void open_row_0(struct rig *r) {
    const struct mem_request q = {.addr = 128, .bytes = 32, .kind = MEM_READ, .client = CLIENT_CONST};
    mem_port_send(mem_system_port(r->m, 0), 0, q);
    rig_wait(r, 0);
}

static void walks_take_turns(void **state) {
    (void)state;
    for (uint32_t walks = 1; walks <= 2; walks++) {
        struct rig r = rig_make(tlb_rig(walks), 4, 1000);
        open_row_0(&r);
        run_until(&r, 1000);
        send(&r, 2, 1000, 16384); // told first, but SM 0 goes first
        send(&r, 0, 1000, 0);
        const uint64_t first = 1000 + L2 + COLD + MISS_32 - RCD;
        // Two walks end at once; in that quantum SM 2 goes first, columns are ccd_l apart.
        assert_int_equal(rig_wait(&r, 0).cycle, first + (walks == 2 ? 3 : 0));
        assert_int_equal(rig_wait(&r, 2).cycle, first + (walks == 1 ? COLD : 0));
        rig_free(&r);
    }
}

// Two L2 TLBs that walk for the same page read its table once.
static void a_walk_behind_another_ends_with_it(void **state) {
    (void)state;
    struct rig r = rig_make(tlb_rig(2), 4, 1000);
    run_until(&r, 1000);
    send(&r, 0, 1000, 0);
    send(&r, 2, 1010, 0);
    // In quantum 30 of 40 cycles SM 2 goes first in a tie; the second reply leaves two flits later.
    assert_int_equal(rig_wait(&r, 2).cycle, 1000 + L2 + COLD + MISS_32);
    assert_int_equal(rig_wait(&r, 0).cycle, 1000 + L2 + COLD + MISS_32 + 2);
    assert_int_equal(rig_count(&r, ACT_tlb_walks), 2);
    rig_free(&r);
}

static void a_known_page_passes_a_waiting_one(void **state) {
    (void)state;
    struct rig r = rig_make(tlb_rig(1), 2, 1000);
    takes(&r, 0, 100, 0);
    run_until(&r, 1000);
    rig_send(&r, 0, 1000, MEM_WRITE, 16384, 32, 7); // stores wait as well
    send(&r, 0, 1001, 0);
    assert_int_equal(rig_wait(&r, 0).cycle, 1001 + HIT_32);
    const struct mem_reply late = rig_wait(&r, 0);
    assert_int_equal(late.tag, 7);
    assert_int_equal(late.cycle, 1000 + L2 + COLD + 20 + 1 + 30 + 40);
    rig_free(&r);
}

static void instructions_and_constants_have_their_own(void **state) {
    (void)state;
    struct rig r = rig_make(tlb_rig(1), 2, 1000);
    run_until(&r, 100);
    struct mem_request q = {.addr = 0, .bytes = 32, .kind = MEM_READ, .client = CLIENT_CONST};
    assert_int_equal(mem_port_send(mem_system_port(r.m, 0), 100, q), 100);
    assert_int_equal(rig_wait(&r, 0).cycle, 100 + MISS_32);
    assert_int_equal(rig_count(&r, ACT_tlb_reads), 0);
    rig_free(&r);
}

static void forgotten_pages_are_walked_anew(void **state) {
    (void)state;
    struct rig r = rig_make(tlb_rig(1), 1, 1000);
    takes(&r, 0, 100, 0);
    run_until(&r, 1000);
    mem_system_forget(r.m, 1000);
    assert_int_equal(takes(&r, 0, 1100, 0), L2 + COLD + MISS_32 - RCD); // its row is open
    rig_free(&r);
}

// Idle quanta may be left out up to the cycle in which a request goes on.
static void the_next_event_is_a_page_that_comes(void **state) {
    (void)state;
    struct rig r = rig_make(tlb_rig(1), 1, 1000);
    run_until(&r, 1000);
    send(&r, 0, 1000, 0);
    while (r.now < 1100) rig_memory(&r);
    assert_int_equal(mem_system_next_event(r.m, r.now), 1000 + L2 + COLD);
    rig_wait(&r, 0);
    assert_true(mem_system_next_event(r.m, r.now) == UINT64_MAX);
    rig_free(&r);
}

// Random traffic over more pages than fit, in both orders of the memory phase: the same replies, one
// for each request, and counts that add up.
static uint64_t traffic(bool backwards, uint32_t *answered) {
    struct mem_config c = rig_fermi();
    c.tlb = tlb_rig(2).tlb;
    c.tlb.walk_latency = 80;
    struct rig r = rig_make(c, 6, 700);
    r.backwards = backwards;
    uint32_t random = 12345, sent = 0;
    uint64_t hash = 0;
    *answered = 0;
    while (sent < 6000 || *answered < sent) {
        for (uint32_t sm = 0; sm < 6; sm++) {
            struct mem_port *const p = mem_system_port(r.m, sm);
            while (mem_port_peek(p) && mem_port_peek(p)->cycle < r.now + r.quantum) {
                const struct mem_reply *const x = mem_port_peek(p);
                hash = (hash ^ x->cycle ^ x->addr << 20 ^ sm) * 0x9E3779B97F4A7C15u;
                mem_port_pop(p);
                ++*answered;
            }
            for (uint32_t k = 0; k < 8 && sent < 6000; k++) {
                const uint64_t addr = (uint64_t)(rig_random(&random) % 3000) * 64;
                const uint8_t kind = rig_random(&random) % 4 == 0 ? MEM_WRITE : MEM_READ;
                if (!mem_port_can_send(p, addr, mem_port_flits(p, kind, 32))) break;
                rig_send(&r, sm, r.now + k * 3, kind, addr, 32, 1);
                sent++;
            }
        }
        rig_memory(&r);
        assert_true(r.now < 10000000);
    }
    for (uint32_t sm = 0; sm < 6; sm++)
        assert_int_equal(mem_port_outstanding(mem_system_port(r.m, sm)), 0);
    assert_int_equal(rig_count(&r, ACT_net_request_packets), sent);
    assert_int_equal(rig_count(&r, ACT_tlb_reads), sent);
    assert_true(rig_count(&r, ACT_tlb_misses) >= rig_count(&r, ACT_tlb_l2_misses));
    assert_true(rig_count(&r, ACT_tlb_l2_misses) > rig_count(&r, ACT_tlb_walks));
    assert_true(rig_count(&r, ACT_tlb_walks) > 100 && rig_count(&r, ACT_tlb_merges) > 100);
    rig_free(&r);
    return hash;
}

static void random_traffic_is_answered_once(void **state) {
    (void)state;
    uint32_t a, b;
    assert_true(traffic(false, &a) == traffic(true, &b));
    assert_int_equal(a, b);
}

static void refused(struct mem_config c, const char *words) {
    struct diags d;
    diags_init(&d);
    struct mem_system *m;
    assert_int_equal(mem_system_create(&c, 4, 1000, &d, &m), WW_ERROR_CONFIG);
    char text[512];
    diags_first(&d, text, sizeof text);
    assert_non_null(strstr(text, words));
    diags_free(&d);
}

static void impossible_tlbs_are_refused(void **state) {
    (void)state;
    struct mem_config c = tlb_rig(1);
    c.tlb.walk_latency = 31; // 8 + 31 < 40
    refused(c, "quantum");
    c = tlb_rig(1);
    c.tlb.l2_page_bytes = 2048;
    refused(c, "l2_page_bytes");
    c = tlb_rig(1);
    c.tlb.l1_page_bytes = 5000;
    refused(c, "l1_page_bytes");
    c = tlb_rig(1);
    c.tlb.cold_walk_latency = 49;
    refused(c, "cold_walk_latency");
    c = tlb_rig(0);
    refused(c, "walks");
}

// What work without time touched is in L2 and in the TLBs, and nothing was counted for it; what it did not touch is not.
static void what_is_kept_warm_is_found(void **state) {
    (void)state;
    struct rig r = rig_make(tlb_rig(1), 4, 1000);
    run_until(&r, 100);
    mem_system_warm(r.m, 0, 128, 0xFFFF, false, r.now); // two sectors
    mem_system_warm(r.m, 0, 8192, 0xFFFFFFFF, true, r.now);
    assert_int_equal(takes(&r, 0, 200, 128), HIT_32);
    assert_int_equal(takes(&r, 1, 600, 160), HIT_32);      // its neighbour has the same TLB
    assert_int_equal(takes(&r, 0, 1000, 8192 + 96), HIT_32); // written is known too
    assert_int_equal(rig_count(&r, ACT_tlb_misses), 0);
    assert_int_equal(rig_count(&r, ACT_l2_read_misses), 0);
    assert_int_equal(rig_count(&r, ACT_l2_writes), 0);
    assert_int_equal(rig_count(&r, ACT_dram_reads), 0);
    takes(&r, 0, 2000, 192); // a sector of the line that was not touched
    assert_int_equal(rig_count(&r, ACT_l2_read_misses), 1);
    assert_true(takes(&r, 2, 3000, 128) > HIT_32); // another TLB
    assert_int_equal(rig_count(&r, ACT_tlb_misses), 1);
    rig_free(&r);
}

// A sector of which words alone were written has to be fetched by who loads it, until the last of its words is written.
static void what_is_written_in_part_is_fetched(void **state) {
    (void)state;
    struct rig r = rig_make(tlb_rig(1), 4, 1000);
    run_until(&r, 100);
    mem_system_warm(r.m, 0, 4096, 0x0000007F, true, r.now); // seven words of the first sector
    mem_system_warm(r.m, 0, 8192, 0x00000F0F, true, r.now); // half of each of two
    mem_system_warm(r.m, 0, 8192, 0x000000F0, true, r.now); // the rest of the first
    assert_int_equal(takes(&r, 0, 200, 8192), HIT_32);
    assert_int_equal(rig_count(&r, ACT_l2_read_misses), 0);
    takes(&r, 0, 1000, 8192 + 32);
    assert_int_equal(rig_count(&r, ACT_l2_read_misses), 1);
    takes(&r, 0, 2000, 4096);
    assert_int_equal(rig_count(&r, ACT_l2_read_misses), 2);
    rig_free(&r);
}

// Lines that are written without time are dirty: they go to DRAM when others take their place.
static void what_is_kept_warm_is_written_back(void **state) {
    (void)state;
    struct mem_config c = rig_config();
    struct rig r = rig_make(c, 1, 1000);
    for (uint64_t line = 0; line < 64 * 1024 / 128; line++)
        mem_system_warm(r.m, 0, line * 128, 0xFFFFFFFF, true, r.now);
    assert_int_equal(takes(&r, 0, 100, 1 << 20), MISS_32);
    run_until(&r, 3000);
    assert_int_equal(rig_count(&r, ACT_l2_writebacks), 4); // sectors of the line that went
    rig_free(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_kept_warm_is_found),
        cmocka_unit_test(what_is_kept_warm_is_written_back),
        cmocka_unit_test(what_is_written_in_part_is_fetched),
        cmocka_unit_test(each_level_has_its_latency),
        cmocka_unit_test(the_least_used_page_goes),
        cmocka_unit_test(what_wants_a_page_on_its_way_waits_for_it),
        cmocka_unit_test(walks_take_turns),
        cmocka_unit_test(a_walk_behind_another_ends_with_it),
        cmocka_unit_test(a_known_page_passes_a_waiting_one),
        cmocka_unit_test(instructions_and_constants_have_their_own),
        cmocka_unit_test(forgotten_pages_are_walked_anew),
        cmocka_unit_test(the_next_event_is_a_page_that_comes),
        cmocka_unit_test(random_traffic_is_answered_once),
        cmocka_unit_test(impossible_tlbs_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
