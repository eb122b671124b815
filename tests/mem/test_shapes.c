// Random shapes: whatever mem_system_create accepts answers every request once, bit for bit the
// same in any order of partitions.
#include "test_traffic.h"

#define ONE_OF(...)                                                                                \
    one_of(seed, (const uint32_t[]){__VA_ARGS__}, WW_COUNT(((const uint32_t[]){__VA_ARGS__})))

static uint32_t one_of(uint32_t *seed, const uint32_t *of, size_t n) {
    return of[rig_random(seed) % n];
}

static struct mem_config random_shape(uint32_t *seed) {
    struct mem_config c = rig_config();
    c.partitions = ONE_OF(1, 2, 3, 5, 6, 7);
    c.slices_per_partition = ONE_OF(1, 2, 3, 4, 6);
    c.partition_hash = ONE_OF(0, 1);
    c.interleave_bytes = ONE_OF(128, 256, 1024);
    c.l2.bytes = ONE_OF(0, 4096, 65536, 49152);
    c.l2.line_bytes = ONE_OF(32, 64, 128, 256);
    c.l2.sector_bytes = ONE_OF(32, 64, 128, 0);
    c.l2.ways = ONE_OF(1, 2, 4, 8);
    c.l2.mshrs = ONE_OF(1, 2, 16, 64);
    c.l2.mshr_merge = ONE_OF(1, 2, 8, 64);
    c.l2.hit_latency = ONE_OF(0, 1, 30, 100);
    c.l2.ports = ONE_OF(1, 2, 4);
    c.l2.write_back = ONE_OF(0, 1), c.l2.write_allocate = ONE_OF(0, 1);
    c.l2.lru = ONE_OF(0, 1), c.l2.hashed_sets = ONE_OF(0, 1);
    c.l2_clients = ONE_OF(0, 1, 2, 15);
    c.l2_atomic_cycles = ONE_OF(0, 1, 9, 100);
    c.l2_clock_mhz = ONE_OF(700, 1000, 891, 333);
    c.net.clock_mhz = ONE_OF(700, 1000, 997, 1400);
    c.net.kind = ONE_OF(NET_CROSSBAR, NET_CROSSBAR, NET_MESH);
    c.net.flit_bytes = ONE_OF(8, 16, 32, 40, 64);
    c.net.request_latency = ONE_OF(0, 1, 20, 100);
    c.net.reply_latency = ONE_OF(1, 5, 40, 100);
    c.net.control_bytes = ONE_OF(0, 8, 16);
    c.net.input_queue_flits = ONE_OF(20, 32, 64);
    c.net.output_queue_flits = ONE_OF(1, 8, 64);
    c.net.mesh_width = ONE_OF(1, 2, 4, 9);
    c.net.hop_latency = ONE_OF(0, 1, 3);
    struct dram_config *d = &c.dram;
    d->channels_per_partition = ONE_OF(1, 2, 3, 4, 6);
    d->clock_mhz = ONE_OF(924, 1000, 1753, 400);
    d->bus_bits = ONE_OF(16, 32, 64, 128);
    d->banks = ONE_OF(1, 2, 8, 16, 32);
    d->bank_groups = ONE_OF(0, 1, 4);
    d->row_bytes = ONE_OF(1024, 2048, 4096);
    d->bank_interleave_bytes = ONE_OF(0, 256, 1024);
    d->queue = ONE_OF(1, 2, 8, 64), d->write_queue = ONE_OF(0, 1, 16);
    d->starve = ONE_OF(0, 1, 4);
    d->bank_hash = ONE_OF(0, 1), d->row_open_policy = ONE_OF(0, 1, 1);
    d->controller_latency = ONE_OF(0, 1, 10, 100);
    d->refi = ONE_OF(0, 500, 3600), d->rfc = ONE_OF(0, 60);
    d->faw = ONE_OF(0, 23), d->rtw = ONE_OF(0, 12);
    c.l2_far_latency = ONE_OF(0, 1, 24, 150);
    return c;
}

static void any_shape_that_is_accepted_works(void **state) {
    (void)state;
    uint32_t state_of_random = 20, *seed = &state_of_random, accepted = 0;
    while (accepted < 60) {
        const struct mem_config c = random_shape(seed);
        const uint32_t sms = ONE_OF(1, 2, 7, 16);
        struct diags d;
        diags_init(&d);
        struct mem_system *m;
        const enum ww_status s = mem_system_create(&c, sms, 1000, &d, &m);
        assert_true(s == WW_OK || (s == WW_ERROR_CONFIG && d.errors == 1));
        mem_system_destroy(m);
        diags_free(&d);
        if (s != WW_OK) continue;
        accepted++;
        const struct traffic t = {.seed = rig_random(seed),
                                  .requests = ONE_OF(300, 1000),
                                  .window = ONE_OF(1, 8, 60, 300),
                                  .span_blocks = ONE_OF(1, 6, 300, 100000),
                                  .writes = ONE_OF(0, 30, 90),
                                  .atomics = ONE_OF(0, 10),
                                  .prefetches = ONE_OF(0, 5),
                                  .slow_pop = ONE_OF(0, 0, 3)};
        uint64_t hash[2];
        for (int k = 0; k < 2; k++) {
            struct rig r = rig_make(c, sms, 1000);
            r.backwards = k;
            const struct result res = drive(&r, t);
            check_counts(&res, &c);
            hash[k] = res.hash;
            rig_free(&r);
        }
        assert_int_equal(hash[0], hash[1]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_shape_that_is_accepted_works),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
