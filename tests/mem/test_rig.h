// A memory system under test, driven quantum by quantum as the GPU would: configurations with round
// numbers, and a script of requests whose replies are kept.
#ifndef TEST_MEM_RIG_H
#define TEST_MEM_RIG_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "activity/mem.h"
#include "mem/config.h"
#include "mem/pieces.h"
#include "mem/mem.h"

// All clocks equal, small exact numbers: one partition, one channel of 32-byte bursts in 2 clocks.
static inline struct mem_config rig_config(void) {
    return (struct mem_config){
        .partitions = 1,
        .slices_per_partition = 1,
        .interleave_bytes = 256,
        .l2 = {.bytes = 64 * 1024,
               .line_bytes = 128,
               .sector_bytes = 32,
               .ways = 8,
               .mshrs = 32,
               .mshr_merge = 8,
               .hit_latency = 30,
               .ports = 1,
               .write_back = true,
               .write_allocate = true,
               .lru = true},
        .l2_atomic_cycles = 4,
        .l2_clock_mhz = 1000,
        .net = {.kind = NET_CROSSBAR,
                .flit_bytes = 32,
                .request_latency = 20,
                .reply_latency = 40,
                .control_bytes = 8,
                .input_queue_flits = 64,
                .output_queue_flits = 64,
                .mesh_width = 4,
                .hop_latency = 3,
                .clock_mhz = 1000},
        .dram = {.kind = DRAM_GDDR5,
                 .channels_per_partition = 1,
                 .chips_per_channel = 1,
                 .bus_bits = 32,
                 .burst_length = 8,
                 .data_rate = 4,
                 .banks = 16,
                 .bank_groups = 4,
                 .row_bytes = 2048,
                 .queue = 64,
                 .cl = 12,
                 .wl = 4,
                 .rcd = 11,
                 .rp = 13,
                 .ras = 28,
                 .rc = 41,
                 .rrd = 6,
                 .faw = 23,
                 .ccd_s = 2,
                 .ccd_l = 3,
                 .rtp = 2,
                 .wr = 12,
                 .wtr = 5,
                 .rtw = 12,
                 .refi = 0,
                 .rfc = 0,
                 .controller_latency = 10,
                 .row_open_policy = true,
                 .clock_mhz = 1000},
    };
}

// GTX 480's shape, for throughput: 6 partitions of 2 slices with a 32-bit channel each, and real
// ratios of clocks (see gpus/gtx480.yaml).
static inline struct mem_config rig_fermi(void) {
    struct mem_config c = rig_config();
    c.partitions = 6;
    c.slices_per_partition = c.dram.channels_per_partition = 2;
    c.partition_hash = true;
    c.l2.ways = 16;
    c.l2.mshrs = 256;
    c.l2.mshr_merge = 4;
    c.l2.hit_latency = 35;
    c.l2.hashed_sets = true;
    c.l2_clock_mhz = 700;
    c.net.clock_mhz = 700;
    c.net.request_latency = 55;
    c.net.reply_latency = 75;
    c.dram.clock_mhz = 924;
    c.dram.rcd = 12, c.dram.rp = 12, c.dram.ras = 28, c.dram.rc = 40, c.dram.faw = 24;
    c.dram.refi = 3600, c.dram.rfc = 100;
    c.dram.controller_latency = 90;
    return c;
}

struct rig {
    struct mem_system *m;
    uint32_t sms, quantum;
    uint64_t now;   // start of the quantum to come
    bool backwards; // run partitions and SMs from the last to the first
};

static inline struct rig rig_make(struct mem_config c, uint32_t sms, double core_mhz) {
    struct diags d;
    diags_init(&d);
    struct rig r = {.sms = sms};
    const enum ww_status s = mem_system_create(&c, sms, core_mhz, &d, &r.m);
    if (s != WW_OK) diags_print(&d, stderr);
    assert_int_equal(s, WW_OK);
    diags_free(&d);
    r.quantum = mem_quantum_cycles(r.m);
    return r;
}

static inline void rig_free(struct rig *r) { mem_system_destroy(r->m); }

// The memory phase and the delivery of the quantum that starts at r->now.
static inline void rig_memory(struct rig *r) {
    const uint64_t to = r->now + r->quantum;
    const uint32_t parts = mem_system_partitions(r->m);
    for (uint32_t i = 0; i < r->sms; i++) mem_port_release(mem_system_port(r->m, i), to);
    for (uint32_t i = 0; i < parts; i++)
        mem_system_run_partition(r->m, r->backwards ? parts - 1 - i : i, r->now, to);
    mem_system_run_serial(r->m, r->now, to);
    for (uint32_t i = 0; i < r->sms; i++)
        mem_system_deliver(r->m, r->backwards ? r->sms - 1 - i : i, r->now, to);
    r->now = to;
}

static inline uint64_t rig_send(struct rig *r, uint32_t sm, uint64_t cycle, uint8_t kind,
                                uint64_t addr, uint32_t bytes, uint16_t tag) {
    struct mem_port *p = mem_system_port(r->m, sm);
    assert_true(mem_port_can_send(p, addr, mem_port_flits(p, kind, bytes)));
    return mem_port_send(
        p, cycle,
        (struct mem_request){.addr = addr, .bytes = bytes, .tag = tag, .kind = kind, .lanes = 1});
}

// Runs until the SM has a reply, takes it and answers it.
static inline struct mem_reply rig_wait(struct rig *r, uint32_t sm) {
    struct mem_port *p = mem_system_port(r->m, sm);
    const uint64_t start = r->now;
    while (!mem_port_peek(p)) {
        rig_memory(r);
        assert_true(r->now < start + 1000000);
    }
    const struct mem_reply x = *mem_port_peek(p);
    mem_port_pop(p);
    return x;
}

// The cycle in which the reply of one request, sent alone, arrives.
static inline uint64_t rig_one(struct rig *r, uint64_t cycle, uint8_t kind, uint64_t addr,
                               uint32_t bytes) {
    while (r->now + r->quantum <= cycle) rig_memory(r);
    rig_send(r, 0, cycle, kind, addr, bytes, 1);
    return rig_wait(r, 0).cycle;
}

static inline uint64_t rig_count(struct rig *r, uint32_t a) {
    uint64_t n = 0;
    for (uint32_t i = 0; i < mem_system_partitions(r->m); i++)
        n += mem_system_activity(r->m, i)->c[a];
    for (uint32_t i = 0; i < r->sms; i++) n += mem_port_activity(mem_system_port(r->m, i))->c[a];
    return n;
}

static inline uint32_t rig_random(uint32_t *state) {
    uint32_t x = *state;
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    return *state = x;
}

#endif
