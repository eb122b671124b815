// The load/store unit of an SM and its caches (GPUSimPow report, section 3.2.4).
#include "activity/sm.h"
#include "power/tree.h"

#include <math.h>

// Without an array of their own textures lie in L1: its tags, data and miss registers pay for them.
static bool tex_in_l1(const struct power_config *c) { return c->l1.bytes && !c->texture.bytes; }

// Sets of many ways are searched, not read: a content-addressed memory each.
enum { CAM_WAYS = 32 };
static void build_cam_tags(struct builder *b, int i, unsigned sets, unsigned tag, double lanes_s) {
    const struct array a = tree_put_array(b, i,
                                          (struct array_config){.kind = ARRAY_CAM,
                                                                .entries = b->c->l1.ways,
                                                                .bits = 8, // sectors, state
                                                                .tag_bits = tag,
                                                                .rw_ports = 1,
                                                                .banks = sets},
                                          LONG_CORE);
    tree_event(b, i, ACT_l1_reads, a.search_j, lanes_s / 32);
    if (tex_in_l1(b->c)) tree_event(b, i, ACT_tex_reads, a.search_j, 0);
    tree_event(b, i, ACT_l1_writes, a.search_j, 0);
    tree_event(b, i, ACT_l1_fills, a.write_j, 0);
    tree_event(b, i, ACT_l1_write_hits, a.write_j, 0);
    tree_event(b, i, ACT_l1_evictions, a.write_j, 0);
}

// Shared memory and L1, which share the banks and crossbars; lanes_s: addresses a second at most.
static void build_shared(struct builder *b, double lanes_s) {
    const struct power_config *c = b->c;
    const struct tech *t = &b->t;
    unsigned banks = c->shared_banks ? c->shared_banks : 1;
    int i = tree_add(b, PART_shared, c->sms);
    unsigned words = c->shared_bytes / 4 / banks, per_line = c->l1.line_bytes / 4;
    struct array a =
        tree_put_array(b, i,
                       (struct array_config){
                           .entries = words ? words : 1, .bits = 32, .rw_ports = 1, .banks = banks},
                       LONG_CORE);
    double mean = tree_array_cost(c) * (a.read_j + a.write_j) / 2;
    const bool by_words = c->sub_cores > 1; // these count them
    tree_event(b, i, by_words ? ACT_shared_words : ACT_shared_lanes, mean, lanes_s);
    if (c->l1.bytes) {
        const double cost = c->l1_cost > 0 ? c->l1_cost : 1;
        a.read_j *= cost, a.write_j *= cost;
        tree_event(b, i, ACT_l1_hit_words, a.read_j, 0);
        tree_event(b, i, ACT_l1_fill_words, a.write_j, 0);
        tree_event(b, i, ACT_l1_writebacks, per_line * a.read_j, 0);
    }

    i = tree_add(b, PART_shared_crossbars, c->sms);
    struct block x_a = circuit_crossbar(t, banks, banks, 16),
                 x_d = circuit_crossbar(t, banks, banks, 32);
    tree_put_block(b, i, &x_a, 1);
    tree_put_block(b, i, &x_d, 1);
    if (by_words) {
        tree_event(b, i, ACT_shared_words, x_a.energy_j, lanes_s);
        tree_event(b, i, ACT_shared_lane_words, x_d.energy_j, lanes_s);
    } else {
        tree_event(b, i, ACT_shared_lanes, x_a.energy_j + x_d.energy_j, lanes_s);
    }
    tree_event(b, i, ACT_shuffles, 32 * x_d.energy_j, 0);
    if (c->l1.bytes) {
        tree_event(b, i, ACT_l1_read_hits, x_a.energy_j, 0);
        tree_event(b, i, ACT_l1_hit_words, x_d.energy_j, 0);
        i = tree_add(b, PART_l1_tags, c->sms);
        unsigned sets = c->l1.bytes / c->l1.line_bytes / c->l1.ways;
        unsigned tag = 42 - tree_log2_up(c->l1.line_bytes) - (sets > 1 ? tree_log2_up(sets) : 0);
        if (c->l1.ways > CAM_WAYS) {
            build_cam_tags(b, i, sets, tag, lanes_s);
            return;
        }
        a = tree_put_array(
            b, i, (struct array_config){.entries = sets, .bits = tag * c->l1.ways, .rw_ports = 1},
            LONG_CORE);
        tree_event(b, i, ACT_l1_reads, a.read_j, lanes_s / 32);
        if (tex_in_l1(c)) tree_event(b, i, ACT_tex_reads, a.read_j, 0);
        tree_event(b, i, ACT_l1_writes, a.read_j, 0);
        tree_event(b, i, ACT_l1_fills, a.write_j / c->l1.ways, 0);
        tree_event(b, i, ACT_l1_write_hits, a.write_j / c->l1.ways, 0);
        tree_event(b, i, ACT_l1_evictions, a.write_j / c->l1.ways, 0);
    }
}

static void build_mshrs(struct builder *b) {
    const struct power_config *c = b->c;
    const int i = tree_add(b, PART_mshrs, c->sms);
    struct array m = tree_put_mshrs(b, i, &c->l1, LONG_CORE);
    tree_event(b, i, ACT_l1_read_misses, m.search_j + m.write_j + m.read_j, 0);
    tree_event(b, i, ACT_l1_read_merges, m.search_j + m.write_j, 0);
    if (tex_in_l1(c)) tree_event(b, i, ACT_tex_misses, m.search_j + m.write_j + m.read_j, 0);
    m = tree_put_mshrs(b, i, &c->constant, LONG_CORE);
    tree_event(b, i, ACT_const_misses, m.search_j + m.write_j + m.read_j, 0);
    if (!tex_in_l1(c)) {
        m = tree_put_mshrs(b, i, &c->texture, LONG_CORE);
        tree_event(b, i, ACT_tex_misses, m.search_j + m.write_j + m.read_j, 0);
    }
    m = tree_put_mshrs(b, i, &c->icache, LONG_CORE);
    tree_event(b, i, ACT_icache_misses, m.search_j + m.write_j + m.read_j, 0);
}

// Constant and texture caches, and the texture filters.
static void build_read_only(struct builder *b) {
    const struct power_config *c = b->c;
    const struct tech *t = &b->t;
    struct array a;
    int i;
    if (c->constant.bytes) {
        i = tree_add(b, PART_const, c->sms);
        struct power_cache k = c->constant;
        k.out_bytes = 4;
        a = tree_put_cache(b, i, &k, 1, LONG_CORE);
        tree_event(b, i, ACT_const_reads, a.read_j, b->sm_s);
        tree_divided(b, &k, &a, 1, 0, 1);
        tree_event(b, i, ACT_const_operands, a.read_j, 0);
        tree_event(b, i, ACT_const_misses, a.write_j * (k.line_bytes / 4.0), 0);
    }
    if (c->texture.bytes) {
        i = tree_add(b, PART_tex, c->sms);
        a = tree_put_cache(b, i, &c->texture, 1, LONG_CORE);
        tree_event(b, i, ACT_tex_reads, a.read_j, 0);
        tree_divided(b, &c->texture, &a, 1, 0, 1);
        tree_event(b, i, ACT_tex_misses, a.write_j, 0);
    }
    if (c->tex_units) {
        i = tree_add(b, PART_tex_filter, c->sms * c->tex_units);
        struct block lane = logic_lane(t, LOGIC_INT);
        tree_put_block(b, i, &lane, 0.75);
        tree_event(b, i, ACT_tex_fetches, logic_filter_energy(t), b->sm_s * c->tex_units);
    }
}

void tree_build_ldst(struct builder *b) {
    const struct power_config *c = b->c;
    const struct tech *t = &b->t;
    double v2 = t->vdd_v * t->vdd_v, lanes_s = b->sm_s * c->agu_lanes;
    double warp_s = lanes_s / 32; // warp instructions that addresses can be made for
    struct block dff = circuit_dff(t, NULL);
    tree_add(b, PART_ldst, c->sms);

    int i = tree_add(b, PART_agu, c->sms);
    double wn = circuit_min_w(t), sub, gate, adders = 128 + 16;
    circuit_nand_leak(t, 2, wn, &sub, &gate);
    double node = 2 * circuit_drain_cap(t, wn * t->row.beta, 1) + circuit_drain_cap(t, wn, 2) +
                  2 * circuit_gate_cap(t, wn * (1 + t->row.beta));
    tree_put(b, i, adders * 2 * circuit_gate_area(t, 2, wn) * 1e-6, adders * 2 * sub,
             adders * 2 * gate, LONG_CORE, c->agu_lanes);
    tree_put_block(b, i, &dff, 64.0 * c->agu_lanes);
    b->sm_dff_bits += 64.0 * c->agu_lanes;
    const double address = adders * 2 * 0.5 * node * v2 + 64 * dff.energy_j;
    tree_event(b, i, ACT_agu_addresses, address, lanes_s);
    if (c->tma_maps) {
        enum { MAP_BITS = 1024 }; // CUtensorMap has 128 bytes
        i = tree_add(b, PART_tma, c->sms);
        tree_event(b, i, ACT_tma_requests, address, 0);
        tree_event(b, i, ACT_tma_copies, MAP_BITS * dff.energy_j, 0);
        tree_event(b, i, ACT_tma_maps, MAP_BITS * dff.energy_j, 0);
        i = tree_add(b, PART_mbarrier, c->sms);
        tree_event(b, i, ACT_thread_by_class + OPC_MBARRIER, 2 * logic_class_energy(t, OPC_INT_ADD), 0);
    }

    // A bundle is 32 addresses of 32 bits and their mask.
    const double bundle = 32 * 32 + 32, request = 32 + 8 + 32 + 6;
    double queues = (c->lsu_queue + (double)c->max_warps) * bundle + 8 * request;
    struct block in = circuit_queue(t, queues, bundle), one = circuit_queue(t, 0, request + 32);
    i = tree_add(b, PART_coalescer, c->sms);
    tree_put_block(b, i, &in, 1);
    tree_event(b, i, ACT_coalescer_inputs, in.energy_j, warp_s);
    tree_event(b, i, ACT_pending_table_writes, in.energy_j, warp_s);
    tree_event(b, i, ACT_coalescer_transactions, one.energy_j, warp_s);

    i = tree_add(b, PART_conflict_checker, c->sms);
    tree_put_block(b, i, &in, 1);
    tree_event(b, i, ACT_shared_reads, 2 * in.energy_j, 0);
    tree_event(b, i, ACT_shared_writes, 2 * in.energy_j, 0);
    tree_event(b, i, ACT_shared_atomics, 2 * in.energy_j, 0);
    tree_event(b, i, ACT_shared_passes, one.energy_j, 0);

    build_shared(b, lanes_s);
    build_mshrs(b);
    build_read_only(b);
}
