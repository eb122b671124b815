// Cycles by hand. With rig_config all clocks are equal and nothing refreshes, so that
//   request 20, L2 hit 30, controller 10, ACT-to-column 11, column-to-data 12, burst 2, reply 40.
#include "test_rig.h"

enum { REQUEST = 20, HIT = 30, CONTROLLER = 10, RCD = 11, CL = 12, BURST = 2, REPLY = 40 };
// What a lone read of one sector takes, and what 128 bytes add: 4 bursts instead of one, ccd_l
// apart (one bank), and 5 flits of reply instead of 2.
enum { HIT_32 = REQUEST + HIT + REPLY + 1, MISS_32 = HIT_32 + CONTROLLER + RCD + CL + BURST };

static void a_read_that_misses_and_then_hits(void **state) {
    (void)state;
    struct rig r = rig_make(rig_config(), 1, 1000);
    assert_int_equal(rig_one(&r, 100, MEM_READ, 0x1000, 32), 100 + MISS_32);
    assert_int_equal(rig_one(&r, 1000, MEM_READ, 0x1000, 32), 1000 + HIT_32);
    assert_int_equal(rig_count(&r, ACT_l2_reads), 2);
    assert_int_equal(rig_count(&r, ACT_l2_read_hits), 1);
    assert_int_equal(rig_count(&r, ACT_l2_read_misses), 1);
    assert_int_equal(rig_count(&r, ACT_l2_fills), 1);
    assert_int_equal(rig_count(&r, ACT_dram_reads), 1);
    assert_int_equal(rig_count(&r, ACT_dram_read_bytes), 32);
    assert_int_equal(rig_count(&r, ACT_dram_activates), 1);
    assert_int_equal(rig_count(&r, ACT_net_request_flits), 2);
    assert_int_equal(rig_count(&r, ACT_net_reply_flits), 4);
    rig_free(&r);
}

static void a_whole_line(void **state) {
    (void)state;
    struct rig r = rig_make(rig_config(), 1, 1000);
    // Bursts of one bank are ccd_l = 3 clocks apart; the reply's 5 flits end 4 cycles later.
    const uint64_t miss = REQUEST + CONTROLLER + RCD + 3 * 3 + CL + BURST + HIT + REPLY + 4;
    assert_int_equal(rig_one(&r, 100, MEM_READ, 0, 128), 100 + miss);
    assert_int_equal(rig_one(&r, 1000, MEM_READ, 0, 128), 1000 + REQUEST + HIT + REPLY + 4);
    rig_free(&r);
}

static void sectors_of_a_line_are_fetched_alone(void **state) {
    (void)state;
    struct rig r = rig_make(rig_config(), 1, 1000);
    rig_one(&r, 100, MEM_READ, 0, 32);
    // Row 0 of bank 0 is open: no activation.
    assert_int_equal(rig_one(&r, 1000, MEM_READ, 32, 32), 1000 + MISS_32 - RCD);
    assert_int_equal(rig_one(&r, 2000, MEM_READ, 0, 64),
                     2000 + REQUEST + HIT + REPLY + 2 /* 3 flits */);
    assert_int_equal(rig_count(&r, ACT_dram_row_hits), 1);
    assert_int_equal(rig_count(&r, ACT_dram_row_misses), 1);
    rig_free(&r);
}

static void row_hit_and_row_conflict(void **state) {
    (void)state;
    struct rig r = rig_make(rig_config(), 1, 1000);
    // 256 bytes of a bank, then the next: bank 0 row 0 is [0,256) + k * 4096 for k < 8.
    rig_one(&r, 100, MEM_READ, 0, 32);
    assert_int_equal(rig_one(&r, 1000, MEM_READ, 4096, 32), 1000 + MISS_32 - RCD);
    // Row 1 of bank 0 starts at 8 * 4096: precharge (rp 13) and activate first.
    assert_int_equal(rig_one(&r, 2000, MEM_READ, 8 * 4096, 32), 2000 + MISS_32 + 13);
    assert_int_equal(rig_count(&r, ACT_dram_precharges), 1);
    assert_int_equal(rig_count(&r, ACT_dram_activates), 2);
    rig_free(&r);
}

static void early_precharge_waits_for_ras(void **state) {
    (void)state;
    struct rig r = rig_make(rig_config(), 1, 1000);
    rig_send(&r, 0, 0, MEM_READ, 0, 32, 1);
    rig_send(&r, 0, 0, MEM_READ, 8 * 4096, 32, 2);
    // First ACT at 20 + 10 = 30; its PRE at 30 + ras = 58 (the read's rtp would allow 43); ACT at
    // 58 + rp = 71 = 30 + rc; read at 82, data until 96, out at 126, there at 126 + 40 + 1.
    assert_int_equal(rig_wait(&r, 0).cycle, 20 + 10 + 11 + 12 + 2 + 30 + 40 + 1);
    assert_int_equal(rig_wait(&r, 0).cycle, 30 + 28 + 13 + 11 + 12 + 2 + 30 + 40 + 1);
    rig_free(&r);
}

static void bank_groups_space_columns(void **state) {
    (void)state;
    struct mem_config c = rig_config();
    c.dram.rrd = 1;
    // Two banks, both rows opened beforehand; then two reads in the same cycle, one flit each.
    for (int same_group = 0; same_group < 2; same_group++) {
        struct rig r = rig_make(c, 2, 1000);
        const uint64_t second = same_group ? 4 * 256 : 256; // banks 0 and 4, or 0 and 1
        rig_one(&r, 0, MEM_READ, 0, 32);
        rig_one(&r, 1000, MEM_READ, second, 32);
        while (r.now < 2000) rig_memory(&r);
        rig_send(&r, 0, 2000, MEM_READ, 64, 32, 1);
        rig_send(&r, 1, 2000, MEM_READ, second + 64, 32, 2);
        const uint64_t a = rig_wait(&r, 0).cycle, b = rig_wait(&r, 1).cycle;
        // SM 1's request passes the slice's port a cycle later; columns are 2 or 3 clocks apart.
        assert_int_equal(a, 2000 + MISS_32 - RCD);
        assert_int_equal(b - a, same_group ? 3 : 2);
        rig_free(&r);
    }
}

static void activates_obey_rrd_and_faw(void **state) {
    (void)state;
    struct rig r = rig_make(rig_config(), 5, 1000);
    for (uint32_t i = 0; i < 5; i++) rig_send(&r, i, 0, MEM_READ, i * 256, 32, 1);
    // ACTs at 30, 36, 42, 48 (rrd 6); the fifth not before 30 + faw 23 = 53 and 48 + 6 = 54.
    const uint64_t first = MISS_32;
    for (uint32_t i = 0; i < 5; i++) assert_int_equal(rig_wait(&r, i).cycle, first + i * 6);
    rig_free(&r);
    struct mem_config c = rig_config();
    c.dram.faw = 40;
    r = rig_make(c, 5, 1000);
    for (uint32_t i = 0; i < 5; i++) rig_send(&r, i, 0, MEM_READ, i * 256, 32, 1);
    for (uint32_t i = 0; i < 4; i++) assert_int_equal(rig_wait(&r, i).cycle, first + i * 6);
    assert_int_equal(rig_wait(&r, 4).cycle, first + 40);
    rig_free(&r);
}

static void a_refresh_closes_rows_and_delays(void **state) {
    (void)state;
    struct mem_config c = rig_config();
    c.dram.refi = 1000;
    c.dram.rfc = 100;
    struct rig r = rig_make(c, 1, 1000);
    assert_int_equal(rig_one(&r, 100, MEM_READ, 0, 32), 100 + MISS_32);
    // Refresh due at 1000: the row closes at 1000, refresh at 1013, next activation at 1113. A
    // request that reaches the controller's window at 1000 + 20 + 10 waits until then.
    assert_int_equal(rig_one(&r, 1000, MEM_READ, 32, 32),
                     1113 + RCD + CL + BURST + HIT + REPLY + 1);
    // 2000 finds the bank open again (closed by the refresh at 2000 itself).
    assert_int_equal(rig_one(&r, 1990, MEM_READ, 64, 32),
                     2113 + RCD + CL + BURST + HIT + REPLY + 1);
    while (r.now < 10000) rig_memory(&r);
    assert_int_equal(rig_count(&r, ACT_dram_refreshes), 10);
    assert_int_equal(rig_count(&r, ACT_dram_cycles), 10000);
    // Open from the ACT at 130 to 1000, from 1113 to 2000, from 2113 to 3000.
    assert_int_equal(rig_count(&r, ACT_dram_open_cycles), 870 + 887 + 887);
    rig_free(&r);
}

// Bank b is refreshed at 100 (b + 1), and every 1600 from then on; the others do not notice.
static void banks_refresh_in_turn(void **state) {
    (void)state;
    struct mem_config c = rig_config();
    c.dram.refi = 1600;
    c.dram.rfc = 300;
    c.dram.rfc_one = 100;
    struct rig r = rig_make(c, 2, 1000);
    while (r.now < 1640) rig_memory(&r);
    // Both reach the window at 1700; bank 0 opens a hundred clocks later.
    rig_send(&r, 0, 1670, MEM_READ, 0, 32, 1);
    rig_send(&r, 1, 1670, MEM_READ, 256, 32, 2);
    assert_int_equal(rig_wait(&r, 1).cycle, 1670 + MISS_32);
    assert_int_equal(rig_wait(&r, 0).cycle, 1800 + RCD + CL + BURST + HIT + REPLY + 1);
    // Bank 0 is closed at 3300, bank 2 not before 3500.
    rig_one(&r, 2000, MEM_READ, 512, 32);
    assert_int_equal(rig_one(&r, 3450, MEM_READ, 544, 32), 3450 + MISS_32 - RCD);
    assert_int_equal(rig_one(&r, 3640, MEM_READ, 32, 32), 3640 + MISS_32);
    while (r.now < 10000) rig_memory(&r);
    assert_int_equal(rig_count(&r, ACT_dram_refreshes), 100);
    r.now = 1000000; // idle quanta left out
    rig_memory(&r);
    assert_int_equal(rig_count(&r, ACT_dram_refreshes), 10000);
    rig_free(&r);
}

static void a_read_waits_for_a_write_to_turn_round(void **state) {
    (void)state;
    struct mem_config c = rig_config();
    c.l2.bytes = 0; // straight to DRAM
    struct rig r = rig_make(c, 2, 1000);
    rig_one(&r, 0, MEM_READ, 0, 32); // opens the row
    while (r.now < 1000) rig_memory(&r);
    rig_send(&r, 0, 1000, MEM_WRITE, 32, 32, 1); // 2 flits
    rig_send(&r, 1, 1002, MEM_READ, 64, 32, 2);
    // The write is whole at 1021, in the window at 1031; its column goes at once: no read is there.
    // The read's only flit passes the port at 1022; window 1032; column at 1031 + wl 4 + 2 + wtr 5.
    assert_int_equal(rig_wait(&r, 0).cycle, 1021 + REPLY);
    assert_int_equal(rig_wait(&r, 1).cycle, 1031 + 4 + 2 + 5 + CL + BURST + REPLY + 1);
    rig_free(&r);
    // The other way round: read column at 1030, write's not before rtw 12 later; with a read that
    // follows 40 cycles later the write does not disturb.
    r = rig_make(c, 2, 1000);
    rig_one(&r, 0, MEM_READ, 0, 32);
    while (r.now < 1000) rig_memory(&r);
    rig_send(&r, 0, 1000, MEM_READ, 64, 32, 1);
    rig_send(&r, 1, 1001, MEM_WRITE, 32, 32, 2);
    assert_int_equal(rig_wait(&r, 0).cycle, 1030 + CL + BURST + REPLY + 1);
    while (r.now < 2000) rig_memory(&r);
    assert_int_equal(rig_count(&r, ACT_dram_writes), 1);
    rig_free(&r);
}

static void a_write_is_answered_and_makes_its_sectors_readable(void **state) {
    (void)state;
    struct rig r = rig_make(rig_config(), 1, 1000);
    // 128 bytes and header: 5 flits in, one back.
    assert_int_equal(rig_one(&r, 0, MEM_WRITE, 0, 128), REQUEST + 4 + HIT + REPLY);
    assert_int_equal(rig_one(&r, 1000, MEM_READ, 64, 32), 1000 + HIT_32);
    assert_int_equal(rig_count(&r, ACT_dram_reads), 0);
    assert_int_equal(rig_count(&r, ACT_l2_write_misses), 1);
    rig_free(&r);
}

static uint64_t write_words(struct rig *r, uint64_t cycle, uint64_t addr, uint32_t words) {
    while (r->now + r->quantum <= cycle) rig_memory(r);
    const uint32_t sector = (uint32_t)(addr / 32 % 4);
    mem_port_send(mem_system_port(r->m, 0), cycle,
                  (struct mem_request){.addr = addr,
                                       .bytes = 32,
                                       .kind = MEM_WRITE,
                                       .byte_mask_sectors = 1u << sector,
                                       .words = words << sector * 8});
    return rig_wait(r, 0).cycle;
}

static void a_partly_written_sector_is_fetched_unless_completed(void **state) {
    (void)state;
    struct rig r = rig_make(rig_config(), 1, 1000);
    write_words(&r, 0, 32, 0x0F);
    assert_int_equal(rig_one(&r, 1000, MEM_READ, 32, 32), 1000 + MISS_32);
    write_words(&r, 2000, 96, 0x0F);
    write_words(&r, 3000, 96, 0xF0);
    assert_int_equal(rig_one(&r, 4000, MEM_READ, 96, 32), 4000 + HIT_32);
    assert_int_equal(rig_count(&r, ACT_dram_reads), 1);
    assert_int_equal(rig_count(&r, ACT_l2_write_hits), 2);
    rig_free(&r);
}

static void dirty_victims_are_written_back(void **state) {
    (void)state;
    struct mem_config c = rig_config();
    c.l2.bytes = 128 * 2; // one set of two lines
    c.l2.ways = 2;
    struct rig r = rig_make(c, 1, 1000);
    rig_one(&r, 0, MEM_WRITE, 0, 64);
    rig_one(&r, 1000, MEM_READ, 256, 32);
    assert_int_equal(rig_count(&r, ACT_l2_evictions), 0);
    rig_one(&r, 2000, MEM_READ, 512, 32);
    assert_int_equal(rig_count(&r, ACT_l2_evictions), 1);
    assert_int_equal(rig_count(&r, ACT_l2_writebacks), 2);
    rig_one(&r, 3000, MEM_READ, 768, 32);
    assert_int_equal(rig_count(&r, ACT_l2_evictions), 2);
    while (r.now < 4000) rig_memory(&r);
    assert_int_equal(rig_count(&r, ACT_dram_writes), 2);
    assert_int_equal(rig_count(&r, ACT_dram_write_bytes), 64);
    rig_free(&r);
}

// A miss of sector 1 brings sector 0 with it, one of sectors 1 and 2 of another line all four; what
// has been written there is not fetched again.
static void a_miss_brings_its_block(void **state) {
    (void)state;
    struct mem_config c = rig_config();
    c.l2.fetch_bytes = 64;
    struct rig r = rig_make(c, 1, 1000);
    rig_one(&r, 0, MEM_READ, 32, 32);
    assert_int_equal(rig_count(&r, ACT_l2_fetched_along), 1);
    assert_int_equal(rig_one(&r, 1000, MEM_READ, 0, 32), 1000 + HIT_32);
    assert_int_equal(rig_count(&r, ACT_dram_reads), 2);
    rig_one(&r, 2000, MEM_READ, 128 + 32, 64);
    assert_int_equal(rig_count(&r, ACT_l2_fetched_along), 3);
    assert_int_equal(rig_count(&r, ACT_dram_reads), 6);
    assert_int_equal(rig_one(&r, 3000, MEM_READ, 128 + 96, 32), 3000 + HIT_32);
    rig_one(&r, 4000, MEM_WRITE, 256, 32);
    rig_one(&r, 5000, MEM_READ, 256 + 32, 32);
    assert_int_equal(rig_count(&r, ACT_l2_fetched_along), 3);
    assert_int_equal(rig_count(&r, ACT_dram_reads), 7);
    assert_int_equal(rig_count(&r, ACT_l2_fills), 7);
    assert_int_equal(rig_count(&r, ACT_l2_read_sectors), 1 + 1 + 2 + 1 + 1 + 3);
    assert_int_equal(rig_count(&r, ACT_l2_read_hit_sectors), 2);
    rig_free(&r);
}

// One set of four ways, two of which may be dirty: the third dirty line has the oldest written back,
// which stays readable; a line that is dirty already changes nothing.
static void a_set_has_a_bound_of_dirty_lines(void **state) {
    (void)state;
    struct mem_config c = rig_config();
    c.l2.bytes = 128 * 4;
    c.l2.ways = 4;
    c.l2.dirty_ways = 2;
    struct rig r = rig_make(c, 1, 1000);
    rig_one(&r, 0, MEM_WRITE, 0, 64);
    rig_one(&r, 1000, MEM_WRITE, 256, 32);
    rig_one(&r, 2000, MEM_WRITE, 0, 32);
    assert_int_equal(rig_count(&r, ACT_l2_writebacks), 0);
    rig_one(&r, 3000, MEM_WRITE, 512, 32); // 256 is the oldest
    assert_int_equal(rig_count(&r, ACT_l2_writebacks), 1);
    rig_one(&r, 4000, MEM_WRITE, 768, 32); // 0 goes: two sectors
    assert_int_equal(rig_count(&r, ACT_l2_writebacks), 3);
    assert_int_equal(rig_count(&r, ACT_l2_evictions), 0);
    assert_int_equal(rig_one(&r, 5000, MEM_READ, 0, 64), 5000 + HIT_32 + 1);
    while (r.now < 6000) rig_memory(&r);
    assert_int_equal(rig_count(&r, ACT_dram_writes), 3);
    assert_int_equal(rig_count(&r, ACT_dram_reads), 0);
    rig_free(&r);
}

static void atomics_hold_the_unit(void **state) {
    (void)state;
    struct rig r = rig_make(rig_config(), 2, 1000);
    rig_one(&r, 0, MEM_READ, 0, 32);
    while (r.now < 1000) rig_memory(&r);
    rig_send(&r, 0, 1000, MEM_ATOMIC, 0, 32, 1); // 2 flits: whole at 1021, done at 1025
    rig_send(&r, 1, 1001, MEM_ATOMIC, 0, 32, 2); // whole at 1023, done at 1029
    rig_send(&r, 1, 1001, MEM_READ, 0, 32, 3);   // enters at 1003, its port is free at 1024
    // The read overtakes both: ready at 1054, two flits; then 1055 (out at 1056) and 1059.
    assert_int_equal(rig_wait(&r, 0).cycle, 1056 + REPLY + 1);
    const struct mem_reply a = rig_wait(&r, 1), b = rig_wait(&r, 1);
    assert_int_equal(a.tag, 3);
    assert_int_equal(a.cycle, 1024 + HIT + REPLY + 1);
    assert_int_equal(b.tag, 2);
    assert_int_equal(b.cycle, 1021 + 4 + 4 + HIT + REPLY + 1);
    assert_int_equal(rig_count(&r, ACT_l2_atomics), 2);
    rig_free(&r);
}

static void two_sms_share_a_slice_port(void **state) {
    (void)state;
    struct rig r = rig_make(rig_config(), 2, 1000);
    rig_one(&r, 0, MEM_READ, 0, 128);
    while (r.now < 1000) rig_memory(&r);
    // Writes of 5 flits from both: the second waits for the port for 5 cycles.
    rig_send(&r, 0, 1000, MEM_WRITE, 0, 128, 1);
    rig_send(&r, 1, 1000, MEM_WRITE, 0, 128, 2);
    const uint64_t a = rig_wait(&r, 0).cycle, b = rig_wait(&r, 1).cycle;
    const uint64_t lone = 1000 + REQUEST + 4 + HIT + REPLY;
    assert_int_equal(a < b ? a : b, lone);
    assert_int_equal(a < b ? b : a, lone + 5);
    // Replies of 5 flits to both: the second leaves 5 cycles later.
    while (r.now < 2000) rig_memory(&r);
    rig_send(&r, 0, 2000, MEM_READ, 0, 128, 1);
    rig_send(&r, 1, 2000, MEM_READ, 0, 128, 2);
    const uint64_t x = rig_wait(&r, 0).cycle, y = rig_wait(&r, 1).cycle;
    assert_int_equal(x < y ? x : y, 2000 + REQUEST + HIT + REPLY + 4);
    assert_int_equal(x < y ? y - x : x - y, 5);
    assert_int_equal(rig_count(&r, ACT_net_stalls), 5 + 1 + 4);
    rig_free(&r);
}

static void an_sm_ejects_one_flit_a_clock(void **state) {
    (void)state;
    struct mem_config c = rig_config();
    c.partitions = 2;
    struct rig r = rig_make(c, 1, 1000);
    rig_one(&r, 0, MEM_READ, 0, 128);
    rig_one(&r, 1000, MEM_READ, 256, 128);
    while (r.now < 2000) rig_memory(&r);
    rig_send(&r, 0, 2000, MEM_READ, 0, 128, 1);
    rig_send(&r, 0, 2000, MEM_READ, 256, 128, 2); // enters at 2001: arrives at 2001 + 20 + 30 + 40
    assert_int_equal(rig_wait(&r, 0).cycle, 2000 + REQUEST + HIT + REPLY + 4);
    assert_int_equal(rig_wait(&r, 0).cycle, 2000 + REQUEST + HIT + REPLY + 4 + 5);
    rig_free(&r);
}

static void clocks_that_do_not_divide(void **state) {
    (void)state;
    // Core 700, DRAM 924: 25 core cycles are 33 command clocks.
    struct mem_config c = rig_config();
    c.l2_clock_mhz = c.net.clock_mhz = 700;
    c.dram.clock_mhz = 924;
    struct rig r = rig_make(c, 1, 700);
    // Port at 120 core cycles: 158.4 clocks, so 159; controller 10 cycles: 13.2, so 14 clocks; data
    // at 159 + 14 + 11 + 12 + 2 = 198 clocks = 150 cycles; then 30, 40 and a flit.
    assert_int_equal(rig_one(&r, 100, MEM_READ, 0, 32), 150 + 30 + 40 + 1);
    // Much later nothing has drifted: 25 * 10^9 cycles on, the same phase.
    r.now = 25000000000u;
    assert_int_equal(rig_one(&r, 25000000100u, MEM_READ, 4096, 32),
                     25000000000u + /* 198 - 11 clocks = 141.7 cycles */ 142 + 30 + 40 + 1);
    rig_free(&r);
}

static void a_mesh_counts_hops(void **state) {
    (void)state;
    struct mem_config c = rig_config();
    c.net.kind = NET_MESH;
    c.net.mesh_width = 2; // SM 0, slice 0 / SM 1, SM 2: the slice stands at router 2 of 4
    struct rig r = rig_make(c, 3, 1000);
    assert_int_equal(r.quantum, 20);
    rig_one(&r, 0, MEM_READ, 0, 32);
    const uint64_t flits = 1 + 2;
    const uint64_t hops = rig_count(&r, ACT_net_hops) / flits - 1; // links on the way
    assert_int_equal(rig_count(&r, ACT_net_hops), (hops + 1) * flits);
    assert_true(hops >= 1 && hops <= 2);
    assert_int_equal(rig_one(&r, 1000, MEM_READ, 0, 32), 1000 + HIT_32 + 2 * hops * 3);
    rig_free(&r);
}

static void without_l2_everything_goes_to_dram(void **state) {
    (void)state;
    struct mem_config c = rig_config();
    c.l2.bytes = 0;
    struct rig r = rig_make(c, 1, 1000);
    const uint64_t miss = REQUEST + CONTROLLER + RCD + CL + BURST + REPLY + 1;
    assert_int_equal(rig_one(&r, 0, MEM_READ, 0, 32), miss);
    assert_int_equal(rig_one(&r, 1000, MEM_READ, 0, 32), 1000 + miss - RCD);
    rig_one(&r, 2000, MEM_ATOMIC, 0, 32);
    while (r.now < 3000) rig_memory(&r);
    assert_int_equal(rig_count(&r, ACT_dram_reads), 3);
    assert_int_equal(rig_count(&r, ACT_dram_writes), 1);
    assert_int_equal(rig_count(&r, ACT_l2_reads), 0);
    rig_free(&r);
    // An L2 for textures alone.
    c = rig_config();
    c.l2_clients = 1u << CLIENT_TEX;
    r = rig_make(c, 1, 1000);
    for (int i = 0; i < 2; i++) {
        mem_port_send(
            mem_system_port(r.m, 0), r.now,
            (struct mem_request){.addr = 0, .bytes = 32, .kind = MEM_READ, .client = CLIENT_TEX});
        rig_wait(&r, 0);
        rig_one(&r, r.now, MEM_READ, 0, 32);
    }
    assert_int_equal(rig_count(&r, ACT_l2_read_hits), 1);
    assert_int_equal(rig_count(&r, ACT_dram_reads), 3);
    rig_free(&r);
}

// ---- what listeners hear --------------------------------------------------------------------
struct heard {
    struct cache_event e[64];
    uint32_t n, extra;
};
static uint32_t hear(void *self, const struct cache_event *e) {
    struct heard *h = self;
    assert_true(h->n < WW_COUNT(h->e));
    h->e[h->n++] = *e;
    return h->extra;
}
// The next event that was heard must be this.
static void expect(struct heard *h, uint32_t *at, enum cache_what what, uint64_t addr,
                   uint64_t words, uint32_t sectors, uint32_t lanes) {
    assert_true(*at < h->n);
    const struct cache_event *e = &h->e[(*at)++];
    assert_int_equal(e->what, what);
    assert_int_equal(e->array, ARRAY_L2);
    assert_int_equal(e->addr, addr);
    assert_int_equal(e->words, words);
    assert_int_equal(e->sectors, sectors);
    assert_int_equal(e->lanes, lanes);
    assert_int_equal(e->slice, 0);
}
static void send_touching(struct rig *r, uint8_t kind, uint64_t addr, uint32_t bytes,
                          uint64_t touched, uint32_t wanting, uint32_t client) {
    mem_port_send(mem_system_port(r->m, 0), r->now,
                  (struct mem_request){.addr = addr,
                                       .bytes = bytes,
                                       .kind = kind,
                                       .lanes = 1,
                                       .touched = touched,
                                       .wanting = wanting,
                                       .client = (uint8_t)client});
    rig_wait(r, 0);
}

static void a_listener_delays_hits_writes_and_fills(void **state) {
    (void)state;
    struct rig r = rig_make(rig_config(), 1, 1000);
    struct heard h = {.extra = 3}; // a drowsy line wakes
    assert_int_equal(mem_system_listen(r.m, &(struct cache_listener){.self = &h, .hear = hear}),
                     WW_OK);
    // The miss is told too, and its extra cycles do not count.
    assert_int_equal(rig_one(&r, 0, MEM_READ, 0, 32), MISS_32 + 3);
    assert_int_equal(rig_one(&r, 1000, MEM_READ, 0, 32), 1000 + HIT_32 + 3);
    assert_int_equal(h.e[h.n - 1].cycle, 1000 + REQUEST);
    assert_int_equal(rig_one(&r, 2000, MEM_WRITE, 0, 32), 2000 + REQUEST + 1 + HIT + REPLY + 3);
    uint32_t at = 0;
    expect(&h, &at, CACHE_READ_MISS, 0, 0xff, 1, 0);
    expect(&h, &at, CACHE_FILL, 0, 0xff, 1, 0);
    expect(&h, &at, CACHE_READ_HIT, 0, 0xff, 1, 0);
    expect(&h, &at, CACHE_WRITE_HIT, 0, 0xff, 1, 0);
    assert_int_equal(at, h.n);
    assert_int_equal(h.e[0].place, CACHE_NOWHERE);
    for (uint32_t i = 2; i < h.n; i++) assert_int_equal(h.e[i].place, h.e[1].place);
    assert_true(h.e[1].place < mem_system_l2_lines(r.m));
    assert_int_equal(mem_system_slices(r.m), 1);
    rig_free(&r);
    // Of a request's pieces the slowest counts: two lines of 32 bytes hit, both wait.
    struct mem_config c = rig_config();
    c.l2.line_bytes = 32;
    r = rig_make(c, 1, 1000);
    rig_one(&r, 0, MEM_READ, 0, 64);
    const uint64_t plain = rig_one(&r, 1000, MEM_READ, 0, 64);
    mem_system_listen(r.m, &(struct cache_listener){.self = &h, .hear = hear});
    h.n = 0;
    assert_int_equal(rig_one(&r, 2000, MEM_READ, 0, 64), plain + 1000 + 3);
    assert_int_equal(h.n, 2);
    rig_free(&r);
}

// Masks of words and lanes travel with requests; one set of two ways is filled and emptied.
static void events_name_words_sectors_lanes_and_places(void **state) {
    (void)state;
    struct mem_config c = rig_config();
    c.l2.bytes = 256, c.l2.ways = 2;
    struct rig r = rig_make(c, 1, 1000);
    struct heard h = {0};
    mem_system_listen(r.m, &(struct cache_listener){.self = &h, .hear = hear});
    uint32_t at = 0;
    // Words 1 and 9 of bytes 32 to 95: words 9 and 17 of the line, sectors 1 and 2.
    send_touching(&r, MEM_READ, 32, 64, 0x202, 0xf0, CLIENT_L1D);
    expect(&h, &at, CACHE_READ_MISS, 0, 0x20200, 6, 0xf0);
    expect(&h, &at, CACHE_FILL, 0, 0xffff00, 6, 0);
    const uint32_t first = h.e[at - 1].place;
    send_touching(&r, MEM_READ, 64, 32, 4, 1, CLIENT_CONST);
    expect(&h, &at, CACHE_READ_HIT, 0, 4u << 16, 4, 1);
    assert_int_equal(h.e[at - 1].client, CLIENT_CONST);
    assert_int_equal(h.e[at - 1].place, first);
    // A write of one byte brings a line of its own, of which no whole word is known.
    mem_port_send(mem_system_port(r.m, 0), r.now,
                  (struct mem_request){.addr = 128 + 96,
                                       .bytes = 32,
                                       .kind = MEM_WRITE,
                                       .byte_mask_sectors = 8,
                                       .words = 0x3u << 24,
                                       .touched = 7,
                                       .wanting = 7});
    rig_wait(&r, 0);
    expect(&h, &at, CACHE_WRITE_MISS, 128, 7u << 24, 8, 7);
    const uint32_t second = h.e[at - 1].place;
    assert_int_equal(first ^ second, 1);
    // A third line takes the place of the first, which is clean; a fourth that of the second, of
    // which two words are known.
    send_touching(&r, MEM_READ, 1024, 32, 0, 0, CLIENT_INST);
    expect(&h, &at, CACHE_READ_MISS, 1024, 0xff, 1, 0);
    expect(&h, &at, CACHE_EVICT, 0, 0, 0, 0);
    assert_int_equal(h.e[at - 1].place, first);
    expect(&h, &at, CACHE_FILL, 1024, 0xff, 1, 0);
    assert_int_equal(h.e[at - 1].place, first);
    assert_int_equal(h.e[at - 1].client, CLIENT_INST);
    send_touching(&r, MEM_ATOMIC, 2048, 32, 1, 2, CLIENT_L1D);
    expect(&h, &at, CACHE_READ_MISS, 2048, 1, 1, 2);
    expect(&h, &at, CACHE_EVICT, 128, 0x3u << 24, 8, 0);
    expect(&h, &at, CACHE_FILL, 2048, 0xff, 1, 0);
    assert_int_equal(h.e[at - 1].place, second);
    send_touching(&r, MEM_ATOMIC, 2048, 32, 1, 2, CLIENT_L1D);
    expect(&h, &at, CACHE_WRITE_HIT, 2048, 1, 1, 2);
    mem_system_reset(r.m);
    expect(&h, &at, CACHE_FLUSH, 0, 0, 0xf, 0);
    assert_int_equal(at, h.n);
    rig_free(&r);
}

// A line lapses 500 cycles after its last access, at the next whole 1000.
struct lapsing {
    struct heard h; // first: hear() writes it
    uint64_t last[64];
};
static uint32_t hear_lapsing(void *self, const struct cache_event *e) {
    struct lapsing *l = self;
    if (e->place != CACHE_NOWHERE) l->last[e->place] = e->cycle;
    return hear(&l->h, e);
}
static uint64_t lapses_at(void *self, enum mem_array array, uint32_t slice, uint32_t place) {
    const struct lapsing *l = self;
    assert_true(array == ARRAY_L2 && slice == 0);
    return (l->last[place] + 500 + 999) / 1000 * 1000;
}

static void a_listener_has_lines_lapse(void **state) {
    (void)state;
    struct mem_config c = rig_config();
    c.l2.bytes = 512, c.l2.ways = 2; // two sets: lines 0 and 256, 128 and 384
    struct rig r = rig_make(c, 1, 1000);
    struct lapsing l = {0};
    const struct cache_listener listener = {
        .self = &l, .hear = hear_lapsing, .lapses_at = lapses_at, .lapse_cycles = 1000};
    assert_int_equal(mem_system_listen(r.m, &listener), WW_OK);
    assert_int_equal(mem_system_listen(r.m, &listener), WW_ERROR_LIMIT); // the second that does
    uint32_t at = 0;
    rig_one(&r, 0, MEM_WRITE, 0, 32);
    rig_one(&r, 600, MEM_READ, 128, 32);
    expect(&l.h, &at, CACHE_WRITE_MISS, 0, 0xff, 1, 0);
    expect(&l.h, &at, CACHE_READ_MISS, 128, 0xff, 1, 0);
    expect(&l.h, &at, CACHE_FILL, 128, 0xff, 1, 0);
    // Nothing comes for a while: the line is told as gone in its cycle, and it was dirty.
    rig_one(&r, 1500, MEM_READ, 128, 32);
    expect(&l.h, &at, CACHE_EVICT, 0, 0xff, 1, 0);
    assert_int_equal(l.h.e[at - 1].cycle, 1000);
    expect(&l.h, &at, CACHE_READ_HIT, 128, 0xff, 1, 0); // until 2000, and from now on longer
    assert_int_equal(rig_count(&r, ACT_l2_writebacks), 1);
    while (r.now < 3000) rig_memory(&r);
    assert_int_equal(rig_count(&r, ACT_dram_writes), 1);
    rig_one(&r, 5000, MEM_READ, 0, 32);
    expect(&l.h, &at, CACHE_EVICT, 128, 0, 0, 0); // clean
    assert_int_equal(l.h.e[at - 1].cycle, 3000);
    expect(&l.h, &at, CACHE_READ_MISS, 0, 0xff, 1, 0);
    expect(&l.h, &at, CACHE_FILL, 0, 0xff, 1, 0);
    assert_int_equal(at, l.h.n);
    assert_int_equal(rig_count(&r, ACT_l2_writebacks), 1);
    assert_int_equal(rig_count(&r, ACT_l2_evictions), 0); // nothing took their place
    rig_free(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_listener_has_lines_lapse),
        cmocka_unit_test(a_read_that_misses_and_then_hits),
        cmocka_unit_test(a_whole_line),
        cmocka_unit_test(sectors_of_a_line_are_fetched_alone),
        cmocka_unit_test(row_hit_and_row_conflict),
        cmocka_unit_test(early_precharge_waits_for_ras),
        cmocka_unit_test(bank_groups_space_columns),
        cmocka_unit_test(activates_obey_rrd_and_faw),
        cmocka_unit_test(a_refresh_closes_rows_and_delays),
        cmocka_unit_test(banks_refresh_in_turn),
        cmocka_unit_test(a_read_waits_for_a_write_to_turn_round),
        cmocka_unit_test(a_write_is_answered_and_makes_its_sectors_readable),
        cmocka_unit_test(a_partly_written_sector_is_fetched_unless_completed),
        cmocka_unit_test(dirty_victims_are_written_back),
        cmocka_unit_test(a_miss_brings_its_block),
        cmocka_unit_test(a_set_has_a_bound_of_dirty_lines),
        cmocka_unit_test(atomics_hold_the_unit),
        cmocka_unit_test(two_sms_share_a_slice_port),
        cmocka_unit_test(an_sm_ejects_one_flit_a_clock),
        cmocka_unit_test(clocks_that_do_not_divide),
        cmocka_unit_test(a_mesh_counts_hops),
        cmocka_unit_test(without_l2_everything_goes_to_dram),
        cmocka_unit_test(a_listener_delays_hits_writes_and_fills),
        cmocka_unit_test(events_name_words_sectors_lanes_and_places),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
