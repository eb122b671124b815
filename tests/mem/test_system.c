// The system as a whole: nothing is lost or answered twice, any order of partitions gives the same
// bits, bandwidth and camping are what the configuration says, impossible configurations are
// refused.
#include <string.h>

#include "mem/system.h"
#include "test_traffic.h"

enum { VARIANTS = 16 };
// Shapes that differ in whatever could lose a request.
static struct mem_config variant(uint32_t v) {
    struct mem_config c = v == 0 ? rig_fermi() : rig_config();
    c.dram.refi = 2000, c.dram.rfc = 60;
    c.partitions = 3;
    switch (v) {
    case 0: c.partitions = 6; break;
    case 1: // hardly any room anywhere
        c.net.input_queue_flits = 5, c.net.output_queue_flits = 1;
        c.l2.mshrs = 1, c.l2.mshr_merge = 1;
        c.dram.queue = 1;
        break;
    case 2: c.net.kind = NET_MESH; break;
    case 3: c.l2.bytes = 0, c.slices_per_partition = 2; break;
    case 4: c.slices_per_partition = 1, c.dram.channels_per_partition = 4; break;
    case 5: c.slices_per_partition = 4, c.dram.channels_per_partition = 2; break;
    case 6: c.l2.sector_bytes = 128; break;
    case 7: c.l2.write_back = false, c.l2.write_allocate = false; break;
    case 8: c.l2.line_bytes = 32, c.l2.sector_bytes = 32; break;
    case 9: // clocks without a small common multiple
        c.l2_clock_mhz = 891, c.net.clock_mhz = 997, c.dram.clock_mhz = 1753;
        break;
    case 10: c.dram.bus_bits = 64, c.dram.row_open_policy = false, c.dram.bank_hash = true; break;
    case 11:
        c.partition_hash = true, c.partitions = 5, c.slices_per_partition = 3;
        c.l2.lru = false, c.l2.hashed_sets = true;
        c.l2.bytes = 6 * 128 * 8;
        break;
    case 12: // a mesh that is far too small for its load, short quanta
        c.net.kind = NET_MESH, c.net.mesh_width = 1, c.quantum = 7;
        break;
    case 15: c.l2.fetch_bytes = 64, c.l2.dirty_ways = 3, c.dram.queue = 2; break;
    case 14: // nothing takes any time
        c.l2.hit_latency = c.dram.controller_latency = c.net.request_latency = 0;
        c.net.control_bytes = c.l2_atomic_cycles = 0;
        c.net.reply_latency = 1;
        break;
    case 13:
        c.l2.write_back = false, c.l2.ports = 2, c.dram.banks = 2, c.dram.bank_groups = 1;
        c.dram.bus_bits = 128, c.l2_clients = 1u << CLIENT_L1D;
        break;
    }
    return c;
}

static const struct traffic usual = {.seed = 11,
                                     .requests = 6000,
                                     .window = 40,
                                     .span_blocks = 1500,
                                     .writes = 30,
                                     .atomics = 10,
                                     .prefetches = 4};

static void every_request_is_answered_once(void **state) {
    (void)state;
    for (uint32_t v = 0; v < VARIANTS; v++) {
        const struct mem_config c = variant(v);
        struct traffic t = usual;
        for (uint32_t k = 0; k < 3; k++) {
            struct rig r = rig_make(c, 7, v == 9 ? 1337 : 1000);
            t.seed = 100 + k;
            if (k == 1) t.span_blocks = 12, t.window = 200, t.slow_pop = 3; // a few hot lines
            if (k == 2) t.span_blocks = 1u << 22, t.window = 3, t.slow_pop = 0;
            if (v == 1 && k == 2) t.requests = 2000;
            const struct result res = drive(&r, t);
            check_counts(&res, &c);
            rig_free(&r);
        }
    }
}

static void any_order_of_partitions_gives_the_same_bits(void **state) {
    (void)state;
    for (uint32_t v = 0; v < VARIANTS; v++) {
        const struct mem_config c = variant(v);
        struct result res[2];
        for (int k = 0; k < 2; k++) {
            struct rig r = rig_make(c, 5, 1000);
            r.backwards = k;
            res[k] = drive(&r, usual);
            rig_free(&r);
        }
        assert_int_equal(res[0].end, res[1].end);
        assert_int_equal(res[0].hash, res[1].hash);
    }
}

static void empty_quanta_may_be_skipped(void **state) {
    (void)state;
    for (uint32_t v = 0; v < VARIANTS; v++) {
        struct mem_config c = variant(v);
        c.quantum = c.net.reply_latency < 5 ? 1 : 5; // so that there are empty ones
        struct result res[2];
        for (int k = 0; k < 2; k++) {
            struct rig r = rig_make(c, 2, 1000);
            struct traffic t = usual;
            t.window = 1, t.requests = 500, t.skip = k;
            res[k] = drive(&r, t);
            rig_free(&r);
        }
        assert_int_equal(res[0].hash, res[1].hash);
        assert_true(res[1].skipped > 500);
    }
}

static void a_reset_system_starts_afresh(void **state) {
    (void)state;
    struct rig r = rig_make(rig_config(), 1, 1000);
    const uint64_t first = rig_one(&r, 0, MEM_READ, 0, 128);
    for (uint32_t i = 0; i < 10; i++) rig_send(&r, 0, r.now, MEM_WRITE, i * 4096, 128, 1);
    rig_memory(&r);
    mem_system_reset(r.m);
    assert_int_equal(mem_port_outstanding(mem_system_port(r.m, 0)), 0);
    assert_int_equal(mem_system_next_event(r.m, 5), UINT64_MAX);
    while (r.now < 10000) rig_memory(&r);
    const uint64_t writes = rig_count(&r, ACT_dram_writes);
    assert_int_equal(rig_one(&r, 10000, MEM_READ, 0, 128), 10000 + first);
    assert_int_equal(rig_count(&r, ACT_dram_writes), writes);
    rig_free(&r);
}

// ---- bandwidth ------------------------------------------------------------------------------
enum pattern { STREAM, COPY, COLUMN };
// Bytes that DRAM moved, in parts of its peak, over the second half of a run with every SM busy.
static double utilisation(const struct mem_config *c, enum pattern pattern, uint64_t cycles) {
    struct rig r = rig_make(*c, 15, 700);
    uint64_t next = 0, half = 0, since = 0;
    while (r.now < cycles) {
        if (r.now >= cycles / 2 && !since) {
            since = r.now;
            half = rig_count(&r, ACT_dram_read_bytes) + rig_count(&r, ACT_dram_write_bytes);
        }
        for (uint64_t k = 0; k < r.quantum; k++)
            for (uint32_t sm = 0; sm < r.sms; sm++) {
                struct mem_port *p = mem_system_port(r.m, sm);
                const struct mem_reply *x = mem_port_peek(p);
                if (x && x->cycle <= r.now + k) mem_port_pop(p);
                if (k % 2 || mem_port_outstanding(p) >= 160) continue;
                const uint8_t kind = pattern == COPY && next % 2 ? MEM_WRITE : MEM_READ;
                uint64_t addr = next * 128;
                if (pattern == COPY) addr = next / 2 * 128 + (next % 2 ? 1u << 28 : 0);
                if (pattern == COLUMN) addr = next * 8192 % (1u << 28) + next / (1u << 15) * 128;
                if (!mem_port_can_send(p, addr, mem_port_flits(p, kind, 128))) continue;
                mem_port_send(p, r.now + k,
                              (struct mem_request){.addr = addr, .bytes = 128, .kind = kind});
                next++;
            }
        rig_memory(&r);
    }
    const double moved =
        (double)(rig_count(&r, ACT_dram_read_bytes) + rig_count(&r, ACT_dram_write_bytes) - half);
    const double seconds = (double)(r.now - since) / 700e6;
    rig_free(&r);
    return moved / seconds / mem_config_peak_bandwidth(c);
}

static void streams_reach_most_of_the_peak(void **state) {
    (void)state;
    const struct mem_config c = rig_fermi();
    // 384 bits at 3696 MT/s.
    assert_true(mem_config_peak_bandwidth(&c) == 48 * 4 * 924e6);
    const double stream = utilisation(&c, STREAM, 40000), copy = utilisation(&c, COPY, 40000);
    assert_true(stream > 0.80 && stream <= 1);
    assert_true(copy > 0.75 && copy <= 1);
}

static void the_peak_is_not_exceeded(void **state) {
    (void)state;
    // Without refresh, a single stream saturates the data bus, and never more than that.
    struct mem_config c = rig_fermi();
    c.dram.refi = 0;
    const double with = utilisation(&c, STREAM, 40000);
    assert_true(with > 0.95 && with <= 1.0001);
    c.dram.bank_groups = 1;
    c.dram.ccd_s = c.dram.ccd_l = 4; // half of the bursts' rate
    const double half = utilisation(&c, STREAM, 40000);
    assert_true(half > 0.47 && half <= 0.5001);
}

static void plain_interleaving_camps(void **state) {
    (void)state;
    // A column of a matrix with rows of 8192 bytes: with 8 partitions of 256 bytes one of them
    // serves everything (NVIDIA's transpose: 16.5 against 96.9 GB/s); hashed, all do.
    struct mem_config c = rig_fermi();
    c.partitions = 8, c.slices_per_partition = c.dram.channels_per_partition = 1;
    c.partition_hash = false;
    const double camped = utilisation(&c, COLUMN, 40000);
    assert_true(camped < 1.0 / 8 + 0.01);
    c.partition_hash = true;
    const double hashed = utilisation(&c, COLUMN, 40000);
    assert_true(hashed > 3 * camped);
}

// ---- the map --------------------------------------------------------------------------------
static void slices_share_strides_evenly(void **state) {
    (void)state;
    const uint32_t shapes[][2] = {{6, 2}, {2, 1}, {8, 1}, {5, 2}, {12, 2}, {4, 4}, {7, 1}, {1, 1}};
    for (uint32_t s = 0; s < WW_COUNT(shapes); s++) {
        struct mem_config c = rig_config();
        c.partitions = shapes[s][0], c.slices_per_partition = shapes[s][1];
        c.partition_hash = true;
        const uint32_t slices = c.partitions * c.slices_per_partition;
        struct rig r = rig_make(c, 1, 1000);
        for (uint32_t stride = 1; stride <= 1u << 14;
             stride = stride < 300 ? stride + 1 : stride * 2) {
            uint32_t load[64] = {0};
            const uint32_t n = 256 * slices;
            for (uint32_t i = 0; i < n; i++)
                load[mem_system_slice_of(r.m, (uint64_t)i * stride * 256)]++;
            for (uint32_t k = 0; k < slices; k++)
                assert_in_range(load[k], 256 * 6 / 10, 256 * 14 / 10);
        }
        rig_free(&r);
        // Plain: (address / 256) mod N.
        c.partition_hash = false;
        r = rig_make(c, 1, 1000);
        for (uint64_t i = 0; i < 1000; i++)
            assert_int_equal(mem_system_slice_of(r.m, i * 256 + 17) / c.slices_per_partition,
                             i % c.partitions);
        rig_free(&r);
    }
}

static int by_value(const void *a, const void *b) {
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static void the_map_has_no_holes_and_no_aliases(void **state) {
    (void)state;
    const uint32_t shapes[][3] = {{6, 2, 1}, {3, 1, 4}, {5, 4, 2}, {2, 3, 3},
                                  {1, 1, 1}, {7, 1, 1}, {2, 1, 2}};
    enum { N = 20160, MODULO, HASH, XOR, HOW };
    static uint64_t channel_block[N];
    for (uint32_t s = 0; s < WW_COUNT(shapes); s++)
        for (int how = MODULO; how < HOW; how++) {
            struct mem_config c = rig_config();
            c.partitions = shapes[s][0], c.slices_per_partition = shapes[s][1];
            c.dram.channels_per_partition = shapes[s][2];
            c.partition_hash = how == HASH;
            c.channel_xor = how == XOR && shapes[s][2] == 2 * shapes[s][1];
            struct rig r = rig_make(c, 1, 1000);
            const uint32_t channels = c.partitions * c.dram.channels_per_partition;
            uint64_t most = 0;
            for (uint64_t i = 0; i < N; i++) {
                const struct mem_place p = map_place(&r.m->map, i * 256 + 96);
                uint32_t channel;
                const uint64_t at = map_channel(&r.m->map, p.slice, p.local, &channel);
                assert_true(p.partition < c.partitions && p.slice < c.slices_per_partition);
                assert_true(channel < c.dram.channels_per_partition);
                assert_int_equal(p.local % 256, 96);
                assert_int_equal(at % 256, 96);
                const uint64_t id = p.partition * c.dram.channels_per_partition + channel;
                channel_block[i] = id << 40 | at / 256;
                if (at / 256 > most) most = at / 256;
            }
            qsort(channel_block, N, sizeof *channel_block, by_value);
            for (uint32_t i = 1; i < N; i++) assert_true(channel_block[i] != channel_block[i - 1]);
            // As many blocks as channels times blocks of each: none is skipped.
            assert_true((most + 1) * channels <=
                        N + (uint64_t)channels * shapes[s][1] * shapes[s][2]);
            rig_free(&r);
        }
}

static void subpartitions_are_those_of_gt215(void **state) {
    (void)state;
    // envytools, VRAM: of a partition's block number, bit 0 and bits 4 to 13 by exclusive or.
    const struct { uint64_t block; uint32_t channel; } row[] = {
        {0, 0}, {1, 1}, {2, 0}, {8, 0}, {15, 1}, {16, 1}, {17, 0}, {48, 0}, {49, 1},
        {1 << 13, 1}, {1 << 14, 0}, {3 << 13, 1}, {0x3ff1, 1}};
    struct mem_config c = rig_config();
    c.partitions = 2, c.slices_per_partition = 1, c.dram.channels_per_partition = 2;
    c.partition_hash = false, c.channel_xor = true;
    struct rig r = rig_make(c, 1, 1000);
    for (uint32_t i = 0; i < WW_COUNT(row); i++) {
        const struct mem_place p = map_place(&r.m->map, row[i].block * 512 + 256);
        uint32_t channel;
        map_channel(&r.m->map, p.slice, p.local, &channel);
        assert_int_equal(p.partition, 1);
        assert_int_equal(channel, row[i].channel);
    }
    rig_free(&r);
}

// ---- refusals -------------------------------------------------------------------------------
static void refuse(struct mem_config c, uint32_t sms, double mhz, const char *part) {
    struct diags d;
    diags_init(&d);
    struct mem_system *m = (struct mem_system *)&d;
    assert_int_equal(mem_system_create(&c, sms, mhz, &d, &m), WW_ERROR_CONFIG);
    assert_null(m);
    char text[400];
    diags_first(&d, text, sizeof text);
    if (!strstr(text, part)) print_message("%s\n", text);
    assert_non_null(strstr(text, part));
    diags_free(&d);
}

static void impossible_configurations_are_refused(void **state) {
    (void)state;
    const struct mem_config good = rig_config();
    struct mem_config c;
#define REFUSE(change, part) c = good, change, refuse(c, 4, 1000, part)
    REFUSE(c.quantum = 41, "longer than net.reply_latency");
    REFUSE((c.net.kind = NET_MESH, c.quantum = 21), "longer than net.request_latency");
    REFUSE(c.net.reply_latency = 0, "net.reply_latency is 0");
    REFUSE(c.partitions = 0, "partitions is 0");
    REFUSE(c.slices_per_partition = 0, "slices_per_partition is 0");
    REFUSE((c.slices_per_partition = 2, c.dram.channels_per_partition = 3), "must divide");
    REFUSE(c.interleave_bytes = 96, "interleave_bytes is 96");
    REFUSE((c.channel_xor = true, c.dram.channels_per_partition = 4 * c.slices_per_partition),
           "channel_xor");
    REFUSE(c.l2.sector_bytes = 48, "sector_bytes");
    REFUSE(c.l2.sector_bytes = 16, "units of 32");
    REFUSE(c.l2.line_bytes = 100, "line_bytes");
    REFUSE((c.l2.line_bytes = 256, c.interleave_bytes = 128), "whole L2 line");
    REFUSE(c.l2.ways = 0, "ways");
    REFUSE(c.l2.mshrs = 0, "mshrs");
    REFUSE(c.l2.mshr_merge = 300, "mshr_merge");
    REFUSE(c.l2.ports = 0, "ports");
    REFUSE(c.net.flit_bytes = 0, "flit_bytes");
    REFUSE(c.net.input_queue_flits = 4, "takes 5 flits");
    REFUSE(c.net.output_queue_flits = 0, "output_queue_flits");
    REFUSE((c.net.kind = NET_MESH, c.net.mesh_width = 0), "mesh_width");
    REFUSE(c.dram.bus_bits = 12, "bus_bits");
    REFUSE(c.dram.bus_bits = 24, "power of two");
    REFUSE(c.dram.data_rate = 3, "data_rate");
    REFUSE(c.dram.banks = 12, "banks");
    REFUSE(c.dram.bank_groups = 32, "bank_groups");
    REFUSE(c.dram.bank_interleave_bytes = 64, "bank_interleave_bytes");
    REFUSE(c.dram.row_bytes = 128, "row_bytes");
    REFUSE(c.dram.queue = 0, "queue");
    REFUSE((c.dram.write_high = 5, c.dram.write_low = 9), "write_high");
    REFUSE(c.dram.rc = 30, "ras + rp");
    REFUSE(c.dram.ccd_l = 1, "ccd_l");
    REFUSE(c.dram.cl = 0, "dram.cl is 0");
    REFUSE((c.dram.refi = 100, c.dram.rfc = 90), "refi");
    REFUSE(c.dram.clock_mhz = 0, "dram.clock_mhz");
    REFUSE(c.l2_clock_mhz = -5, "l2_clock_mhz");
    REFUSE(c.dram.channels_per_partition = 0, "channels_per_partition");
    refuse(good, 0, 1000, "0 SMs");
    refuse(good, 4, 0, "core clock");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_request_is_answered_once),
        cmocka_unit_test(any_order_of_partitions_gives_the_same_bits),
        cmocka_unit_test(empty_quanta_may_be_skipped),
        cmocka_unit_test(a_reset_system_starts_afresh),
        cmocka_unit_test(streams_reach_most_of_the_peak),
        cmocka_unit_test(the_peak_is_not_exceeded),
        cmocka_unit_test(plain_interleaving_camps),
        cmocka_unit_test(slices_share_strides_evenly),
        cmocka_unit_test(the_map_has_no_holes_and_no_aliases),
        cmocka_unit_test(subpartitions_are_those_of_gt215),
        cmocka_unit_test(impossible_configurations_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
