// Random traffic through a memory system, and what must hold whatever its shape.
#ifndef TEST_MEM_TRAFFIC_H
#define TEST_MEM_TRAFFIC_H

#include "test_rig.h"

// ---- random traffic -------------------------------------------------------------------------
struct traffic {
    uint32_t seed, requests;              // to send, over all SMs
    uint32_t window;                      // outstanding at most, an SM
    uint32_t span_blocks;                 // of 128 bytes
    uint32_t writes, atomics, prefetches; // per cent
    uint32_t slow_pop; // an SM ignores its replies in one of so many quanta (0: never)
    bool skip;         // jump over what mem_system_next_event says is empty
};
struct result {
    uint64_t hash, end, sent, answered, skipped;
    struct activity sum;
};

static inline uint64_t mix(uint64_t h, uint64_t x) {
    h ^= x;
    h *= 0x100000001B3u;
    return h ^ h >> 29;
}

// Sends random requests and checks that each is answered once, with its own address and tag, not
// before it can be, and in order of cycles.
static inline struct result drive(struct rig *r, struct traffic t) {
    enum { TAGS = 65536 };
    struct pending {
        uint64_t addr, cycle;
        uint32_t bytes;
        uint8_t kind;
        bool open;
    } *open = calloc((size_t)r->sms * TAGS, sizeof *open);
    uint64_t *last = calloc(r->sms, sizeof *last);
    uint16_t *tag = calloc(r->sms, sizeof *tag);
    struct result res = {.hash = 1};
    uint32_t idle = 0;
    while (res.answered < t.requests) {
        bool busy = false;
        for (uint32_t sm = 0; sm < r->sms; sm++) {
            struct mem_port *p = mem_system_port(r->m, sm);
            const bool ignore = t.slow_pop && rig_random(&t.seed) % t.slow_pop == 0;
            const struct mem_reply *x;
            while (!ignore && (x = mem_port_peek(p)) && x->cycle < r->now + r->quantum) {
                struct pending *o = &open[sm * TAGS + x->tag];
                assert_true(o->open);
                assert_int_equal(o->addr, x->addr);
                assert_int_equal(o->bytes, x->bytes);
                assert_int_equal(o->kind, x->kind);
                assert_true(x->cycle >= o->cycle);
                assert_true(x->cycle >= last[sm]);
                last[sm] = x->cycle;
                o->open = false;
                res.hash = mix(mix(mix(res.hash, x->cycle), x->addr), sm << 16 | x->tag);
                res.answered++;
                busy = true;
                mem_port_pop(p);
            }
            uint64_t cycle = r->now;
            while (res.sent < t.requests && mem_port_outstanding(p) < t.window) {
                const uint32_t k = rig_random(&t.seed) % 100, size = rig_random(&t.seed) % 4 + 1;
                struct mem_request q = {.tag = tag[sm], .lanes = 1, .client = CLIENT_L1D};
                q.addr = (uint64_t)(rig_random(&t.seed) % t.span_blocks) * 128;
                q.addr += rig_random(&t.seed) % (5 - size) * 32;
                q.bytes = size * 32;
                q.kind = k < t.writes                              ? MEM_WRITE
                         : k < t.writes + t.atomics                ? MEM_ATOMIC + k % 2
                         : k < t.writes + t.atomics + t.prefetches ? MEM_PREFETCH
                                                                   : MEM_READ;
                if (q.kind == MEM_WRITE && k % 2) {
                    q.byte_mask_sectors = rig_random(&t.seed) & 0xF;
                    q.words = rig_random(&t.seed);
                }
                cycle += rig_random(&t.seed) % 8;
                if (cycle >= r->now + r->quantum) break;
                const uint32_t flits = mem_port_flits(p, q.kind, q.bytes);
                if (open[sm * TAGS + tag[sm]].open || !mem_port_can_send(p, q.addr, flits)) break;
                const uint64_t enter = mem_port_send(p, cycle, q);
                assert_true(enter >= cycle);
                open[sm * TAGS + tag[sm]++] =
                    (struct pending){q.addr, enter, q.bytes, q.kind, true};
                res.sent++;
                busy = true;
            }
        }
        const uint64_t from = r->now;
        for (uint32_t sm = 0; sm < r->sms && res.sent < t.requests; sm++)
            busy |= mem_port_outstanding(mem_system_port(r->m, sm)) < t.window;
        if (t.skip && !busy) {
            // Nothing to send: go to the quantum of the next event.
            const uint64_t next = mem_system_next_event(r->m, r->now);
            if (next != UINT64_MAX && next >= r->now + r->quantum) {
                r->now += (next - r->now) / r->quantum * r->quantum;
                res.skipped++;
                continue;
            }
        }
        rig_memory(r);
        // What is delivered lies in the future of the quantum that is over.
        for (uint32_t sm = 0; sm < r->sms; sm++) {
            const struct mem_port *p = mem_system_port(r->m, sm);
            const struct mem_reply *x = mem_port_peek(p);
            if (x && !t.slow_pop) assert_true(x->cycle >= r->now || x->cycle >= from);
        }
        idle = busy ? 0 : idle + 1;
        if (idle > 20000) mem_system_describe(r->m, stderr);
        assert_true(idle <= 20000);
    }
    assert_int_equal(res.sent, res.answered);
    for (uint32_t sm = 0; sm < r->sms; sm++)
        assert_int_equal(mem_port_outstanding(mem_system_port(r->m, sm)), 0);
    for (uint32_t i = 0; i < 200; i++) rig_memory(r); // writes drain
    for (uint32_t i = 0; i < mem_system_partitions(r->m); i++) {
        const struct activity *a = mem_system_activity(r->m, i);
        activity_add(&res.sum, a);
        for (uint32_t k = 0; k < ACT_N; k++) res.hash = mix(res.hash, a->c[k]);
    }
    res.end = r->now;
    free(open);
    free(last);
    free(tag);
    return res;
}

static inline void check_counts(const struct result *r, const struct mem_config *c) {
    const uint64_t *n = r->sum.c;
    assert_int_equal(n[ACT_net_request_packets], r->sent);
    assert_int_equal(n[ACT_net_reply_packets], r->sent);
    assert_int_equal(n[ACT_l2_reads],
                     n[ACT_l2_read_hits] + n[ACT_l2_read_misses] + n[ACT_l2_read_merges]);
    assert_int_equal(n[ACT_l2_writes], n[ACT_l2_write_hits] + n[ACT_l2_write_misses]);
    const uint32_t burst = c->dram.bus_bits / 8 * c->dram.burst_length;
    assert_int_equal(n[ACT_dram_read_bytes], n[ACT_dram_reads] * burst);
    assert_int_equal(n[ACT_dram_write_bytes], n[ACT_dram_writes] * burst);
    assert_int_equal(n[ACT_dram_row_hits] + n[ACT_dram_row_misses],
                     n[ACT_dram_reads] + n[ACT_dram_writes]);
    assert_true(n[ACT_dram_row_misses] <= n[ACT_dram_activates]);
    assert_true(n[ACT_dram_precharges] <= n[ACT_dram_activates]);
    assert_true(n[ACT_dram_precharges] +
                    c->partitions * c->dram.channels_per_partition * c->dram.banks >=
                n[ACT_dram_activates]);
    assert_true(n[ACT_dram_open_cycles] <= n[ACT_dram_cycles]);
    assert_int_equal(n[ACT_dram_bus_cycles], (n[ACT_dram_reads] + n[ACT_dram_writes]) *
                                                 (c->dram.burst_length / c->dram.data_rate));
}

#endif
