// The part of the tree outside the SMs: L2, network, memory controllers, host link, the declared
// rest, clock; and the board.
#include "activity/mem.h"
#include "activity/sm.h"
#include "power/tree.h"

#include <math.h>

static void build_l2(struct builder *b) {
    const struct power_config *c = b->c;
    if (!c->l2.bytes) return;
    unsigned out = c->l2.out_bytes ? c->l2.out_bytes : c->l2.line_bytes;
    int i = tree_add(b, PART_l2, c->l2_slices);
    struct array a = tree_put_cache(b, i, &c->l2, 1, LONG_CACHE);
    const double k = tree_array_cost(c);
    double peak = c->l2_hz * c->l2_slices,
           sector = (c->l2.sector_bytes ? c->l2.sector_bytes : 32.0) / out;
    tree_event(b, i, ACT_l2_reads, k * a.read_j, peak);
    tree_divided(b, &c->l2, &a, 1, 0, k);
    tree_event(b, i, ACT_l2_writes, k * a.write_j, 0);
    tree_divided(b, &c->l2, &a, 0, 1, k);
    tree_event(b, i, ACT_l2_atomics, k * (a.read_j + a.write_j), 0);
    tree_divided(b, &c->l2, &a, 1, 1, k);
    tree_event(b, i, ACT_l2_fills, k * a.write_j * sector, 0);
    tree_event(b, i, ACT_l2_writebacks, k * a.read_j * sector, 0);
    tree_divided(b, &c->l2, &a, 1, 0, k);
    i = tree_add(b, PART_l2_mshrs, c->l2_slices);
    a = tree_put_mshrs(b, i, &c->l2, LONG_UNCORE);
    tree_event(b, i, ACT_l2_read_misses, a.search_j + a.write_j + a.read_j, 0);
    tree_event(b, i, ACT_l2_read_merges, a.search_j + a.write_j, 0);
    int rop = tree_add(b, PART_l2_atomics, c->l2_slices);
    struct block lane = logic_lane(&b->t, LOGIC_INT);
    tree_put_block(b, rop, &lane, 1);
    tree_event(b, rop, ACT_l2_atomic_lanes, logic_class_energy(&b->t, OPC_INT_ADD), 0);
}

// Both levels of TLBs: page numbers are searched, a frame's is read.
static void build_tlbs(struct builder *b) {
    const struct power_config *c = b->c;
    if (!c->tlb_entries) return;
    int i = tree_add(b, PART_tlb, (c->sms + c->tlb_sms - 1) / c->tlb_sms);
    struct array_config k = {
        .kind = ARRAY_CAM, .entries = c->tlb_entries, .bits = 32, .tag_bits = 28, .rw_ports = 1};
    struct array a = tree_put_array(b, i, k, LONG_UNCORE);
    tree_event(b, i, ACT_tlb_reads, a.search_j + a.read_j, 0);
    tree_event(b, i, ACT_tlb_misses, a.write_j, 0);
    if (!c->tlb_l2_entries) return;
    i = tree_add(b, PART_tlb_l2, c->tlb_l2_count);
    k.entries = c->tlb_l2_entries, k.tag_bits = 24;
    a = tree_put_array(b, i, k, LONG_UNCORE);
    tree_event(b, i, ACT_tlb_misses, a.search_j + a.read_j, 0);
    tree_event(b, i, ACT_tlb_walks, a.write_j, 0);
}

static void build_crossbars(struct builder *b, double chip_mm2) {
    const struct power_config *c = b->c;
    unsigned width = 8 * c->flit_bytes;
    int i = tree_add(b, PART_net, 1);
    struct block request = circuit_crossbar(&b->t, c->sms, c->partitions, width),
                 reply = circuit_crossbar(&b->t, c->partitions, c->sms, width), wire;
    const double um = sqrt(chip_mm2) * 1e3 / 2;
    wire = c->net_slack > 0 ? circuit_wire_slack(&b->t, TECH_GLOBAL, um, c->net_slack)
                            : circuit_wire(&b->t, TECH_GLOBAL, um);
    tree_put(b, i, request.area_um2 * 1e-6, request.leak_sub_w, request.leak_gate_w, LONG_UNCORE,
             1);
    tree_put(b, i, reply.area_um2 * 1e-6, reply.leak_sub_w, reply.leak_gate_w, LONG_UNCORE, 1);
    tree_put(b, i, wire.area_um2 * 1e-6, wire.leak_sub_w, wire.leak_gate_w, LONG_UNCORE,
             2.0 * width * (c->sms + c->partitions));
    double link = 0.5 * width * wire.energy_j, peak = c->net_hz * c->partitions;
    struct block to = circuit_selector(&b->t, c->sms),
                 from = circuit_selector(&b->t, c->partitions);
    tree_put(b, i, to.area_um2 * 1e-6, to.leak_sub_w, to.leak_gate_w, LONG_UNCORE, c->partitions);
    tree_put(b, i, from.area_um2 * 1e-6, from.leak_sub_w, from.leak_gate_w, LONG_UNCORE, c->sms);
    tree_event(b, i, ACT_net_request_packets, to.energy_j, 0);
    tree_event(b, i, ACT_net_reply_packets, from.energy_j, 0);
    if (c->sub_cores > 1) { // wires of a flit that carry nothing stay as they are
        const double byte = (request.energy_j + link) / c->flit_bytes;
        tree_event(b, i, ACT_net_request_packets, c->control_bytes * byte, peak);
        tree_event(b, i, ACT_l2_write_sectors, 32 * byte, peak);
        tree_event(b, i, ACT_l2_atomic_lanes, 4 * byte, 0);
    } else {
        tree_event(b, i, ACT_net_request_flits, request.energy_j + link, peak);
    }
    tree_event(b, i, ACT_net_reply_flits, reply.energy_j + link, peak);
}

// Between SMs of a GPC, as many as there are L2 TLBs.
static void build_sm_network(struct builder *b, double chip_mm2) {
    enum { FLIT_BITS = 256 };
    const struct power_config *c = b->c;
    if (!c->tma_maps) return;
    const int i = tree_add(b, PART_net_sm, 1);
    const unsigned gpcs = c->tlb_l2_count ? c->tlb_l2_count : 1, ports = (c->sms + gpcs - 1) / gpcs;
    const struct block across = circuit_crossbar(&b->t, ports, ports, FLIT_BITS),
                       way = circuit_wire(&b->t, TECH_GLOBAL, sqrt(chip_mm2 / gpcs) * 1e3 / 2);
    tree_event(b, i, ACT_net_sm_flits, across.energy_j + 0.5 * FLIT_BITS * way.energy_j, 0);
}

static void build_mesh(struct builder *b, double chip_mm2) {
    enum { PORTS = 5 }; // four neighbours and the node
    const struct power_config *c = b->c;
    unsigned width = 8 * c->flit_bytes, nodes = c->sms + c->partitions;
    int i = tree_add(b, PART_net, nodes);
    struct array buffer =
        tree_put_array(b, i,
                       (struct array_config){.entries = c->router_vcs * c->router_depth,
                                             .bits = width,
                                             .read_ports = 1,
                                             .write_ports = 1,
                                             .banks = PORTS},
                       LONG_UNCORE);
    struct block cross = circuit_crossbar(&b->t, PORTS, PORTS, width),
                 arbiter = circuit_selector(&b->t, PORTS * c->router_vcs),
                 link = circuit_wire(&b->t, TECH_GLOBAL, sqrt(chip_mm2 / nodes) * 1e3);
    tree_put(b, i, cross.area_um2 * 1e-6, cross.leak_sub_w, cross.leak_gate_w, LONG_UNCORE, 1);
    tree_put(b, i, arbiter.area_um2 * 1e-6, arbiter.leak_sub_w, arbiter.leak_gate_w, LONG_UNCORE,
             2 * PORTS);
    tree_put(b, i, link.area_um2 * 1e-6, link.leak_sub_w, link.leak_gate_w, LONG_UNCORE,
             4.0 * width); // its own way out to each neighbour
    double hop = buffer.read_j + buffer.write_j + cross.energy_j + 2 * arbiter.energy_j +
                 0.5 * width * link.energy_j;
    // Each node passes a flit on at most 0.6 of its ports' cycles (McPAT's traffic factor).
    tree_event(b, i, ACT_net_hops, hop, 0.6 * PORTS * c->net_hz * nodes);
}

static void build_controllers(struct builder *b) {
    const struct power_config *c = b->c;
    const struct tech *t = &b->t;
    double l = t->f_um, v = t->vdd_v, width = c->channel_bits, share = width / 128;
    unsigned transfers = c->dram ? c->dram->burst : 8;
    double rate = c->dram ? c->dram->transfers_a_clock : 4;
    double burst = width * transfers, mts = c->mc_mts > 0 ? c->mc_mts : rate * c->dram_hz * 1e-6,
           mbs = width / 8 * mts;
    double bursts_s = c->channels * c->dram_hz * rate / transfers;
    tree_add(b, PART_mc, c->channels);
    int i = tree_add(b, PART_mc_front, c->channels);
    unsigned bits = (unsigned)burst;
    struct array cam = tree_put_array(
        b, i,
        (struct array_config){
            .kind = ARRAY_CAM, .entries = c->mc_queue, .bits = 16, .tag_bits = 40, .rw_ports = 1},
        LONG_UNCORE);
    struct array data = tree_put_array(
        b, i,
        (struct array_config){
            .entries = 2 * c->mc_queue, .bits = bits, .read_ports = 1, .write_ports = 1},
        LONG_UNCORE);
    struct block pick = circuit_selector(t, c->mc_queue);
    tree_put_block(b, i, &pick, 1);
    tree_event(b, i, ACT_mc_requests, cam.write_j + cam.search_j + pick.energy_j, bursts_s);
    tree_event(b, i, ACT_dram_reads, data.read_j + data.write_j, bursts_s);
    tree_event(b, i, ACT_dram_writes, data.read_j + data.write_j, 0);

    i = tree_add(b, PART_mc_engine, c->channels);
    double area = fmax(0.05, (2.7927 * log(2 * mbs) - 19.862) / 2 * share * l / 0.09);
    struct block k = logic_area(t, area * 1e6);
    tree_put(b, i, area, k.leak_sub_w, k.leak_gate_w, LONG_UNCORE, 1);
    double engine = 0.432 / 1e9 / 72 / 1.21 * (l / 0.065) * v * v * burst;
    tree_event(b, i, ACT_dram_reads, engine, bursts_s);
    tree_event(b, i, ACT_dram_writes, engine, 0);

    i = tree_add(b, PART_mc_phy, c->channels);
    area = fmax(0.05, (6.4323 * log(2 * mbs) - 48.134) * share * l / 0.09 / 2);
    k = logic_area(t, area * 1e6);
    tree_put(b, i, area, k.leak_sub_w, k.leak_gate_w, LONG_UNCORE, 1);
    const double bit_j = c->phy_bit_pj > 0 ? c->phy_bit_pj * 1e-12 : dram_phy_bit(c->dram, l * 1e3);
    tree_event(b, i, ACT_dram_reads, bit_j * burst, bursts_s);
    tree_event(b, i, ACT_dram_writes, bit_j * burst, 0);
}

static void build_pcie(struct builder *b) {
    const struct power_config *c = b->c;
    if (!c->pcie_lanes) return;
    int i = tree_add(b, PART_pcie, c->pcie_lanes);
    double l = b->t.f_um / 0.065;
    double area = (2.85 * l * l + 3.39 * l) / 8;
    struct block k = logic_area(&b->t, 2.85 * l * l / 8 * 1e6);
    tree_put(b, i, area, k.leak_sub_w, k.leak_gate_w, LONG_UNCORE, 1);
    b->tree->component[i].constant_w = 0.04 * b->t.f_um / 0.09 * c->pcie_lanes;
}

// SMs that a product has switched off: as large as the others, and leaking, for want of power
// gates.
static void build_off(struct builder *b) {
    const struct power_config *c = b->c;
    if (c->sms_on_die <= c->sms) return;
    const struct power_tree *tree = b->tree;
    unsigned off = c->sms_on_die - c->sms;
    double share = (double)off / c->sms, area = 0, sub = 0, gate = 0;
    for (int i = b->at[PART_sm]; i < tree->components; i++) {
        const struct power_component *p = &tree->component[i];
        area += p->area_mm2 * share, sub += p->leak_sub_w * share, gate += p->leak_gate_w * share;
    }
    struct power_component *p = &b->tree->component[tree_add(b, PART_sm_off, off)];
    p->area_mm2 = area;
    p->leak_sub_w = sub * (1 - c->idle_gate), p->leak_gate_w = gate * (1 - c->idle_gate);
}

// Of what supplies SMs with instructions and with texture, the part for instructions: by the area
// of what it supplies.
static double instruction_share(const struct builder *b) {
    double texture = 0;
    if (b->c->texture.bytes) texture += b->tree->component[b->at[PART_tex]].area_mm2;
    if (b->c->tex_units) texture += b->tree->component[b->at[PART_tex_filter]].area_mm2;
    const double instructions = b->tree->component[b->at[PART_icache]].area_mm2;
    return instructions > 0 ? instructions / (instructions + texture) : 0;
}

static void build_rest(struct builder *b) {
    const struct power_config *c = b->c;
    double l = b->t.row.f_nm / 40, beats = c->hot_hz / c->core_hz;
    unsigned sms = c->sms_on_die > c->sms ? c->sms_on_die : c->sms;
    const double area[2] = {c->rest_lane_mm2 * c->fp_lanes * beats * sms * l * l,
                            c->rest_chip_mm2 * l * l};
    int i = tree_add(b, PART_rest, 1);
    b->tree->rest = i;
    b->tree->component[i].constant_w = c->rest_w;
    for (int k = 0; k < 2; k++) {
        i = tree_add(b, k ? PART_rest_chip : PART_rest_lanes, 1);
        struct block leak = logic_area(&b->t, area[k] * c->rest_logic_share * 1e6);
        tree_put(b, i, area[k], leak.leak_sub_w, leak.leak_gate_w, LONG_UNCORE, 1);
        const struct power_component *p = &b->tree->component[i];
        if (c->rest_logic_share > 0)
            b->tree->rest_more_w +=
                (p->leak_sub_w + p->leak_gate_w) * (1 / c->rest_logic_share - 1);
    }
    i = tree_add(b, PART_rest_clock, 1);
    b->tree->component[i].constant_w =
        c->rest_clock_pj_mm2 * 1e-12 * (area[0] + area[1]) * c->net_hz * b->t.vdd_v * b->t.vdd_v;
    const double v2 = b->t.vdd_v * b->t.vdd_v;
    const double work_pj[2] = {c->work_chip_pj / c->sms, c->work_lane_pj_mm2 * area[0] / sms};
    for (int k = 0; k < 2; k++) {
        i = tree_add(b, k ? PART_rest_cluster : PART_rest_dispatch, 1);
        tree_event(b, i, ACT_sm_busy_cycles, work_pj[k] * 1e-12 * v2, b->sm_s);
    }
    tree_front_share(b, instruction_share(b));
    i = tree_add(b, PART_pads, c->channels);
    tree_put(b, i, c->pad_bit_mm2 * c->channel_bits * l, 0, 0, LONG_UNCORE, 1);
}

void tree_build_chip(struct builder *b) {
    int chip = b->at[PART_chip];
    build_off(b);
    build_l2(b);
    build_tlbs(b);
    build_controllers(b);
    build_pcie(b);
    build_rest(b);
    double chip_mm2 = tree_subtree_area(b->tree, chip);
    (b->c->mesh ? build_mesh : build_crossbars)(b, chip_mm2);
    build_sm_network(b, chip_mm2);
    int i = tree_add(b, PART_clock, 1);
    struct block k = tree_clock_wire(&b->t, chip_mm2, 4);
    tree_put(b, i, k.area_um2 * 1e-6, k.leak_sub_w, k.leak_gate_w, LONG_UNCORE, 1);
    tree_event(b, i, ACT_cycles, k.energy_j, b->core_s);
}

void tree_build_board(struct builder *b) {
    const struct power_config *c = b->c;
    if (!c->dram) return;
    unsigned a_channel = c->dram_devices_a_channel ? c->dram_devices_a_channel : 1;
    unsigned devices = c->channels * a_channel;
    struct dram_energy e = dram_energy(c->dram, 1 / c->dram_hz);
    double bursts_s = c->channels * c->dram_hz * c->dram->transfers_a_clock / c->dram->burst;
    int board = tree_add(b, PART_board, 1);
    b->tree->component[board].constant_w = c->board_w;
    int i = tree_add(b, PART_dram, devices);
    const bool steady = c->dram->steady_refresh;
    b->tree->component[i].constant_w = (e.background_w + (steady ? e.refresh_w : 0)) * devices;
    tree_event(b, i, ACT_dram_open_cycles, e.open_w / c->dram_hz * a_channel,
               c->channels * c->dram_hz);
    tree_event(b, i, ACT_dram_activates, e.activate_j * a_channel, bursts_s / 8);
    tree_event(b, i, ACT_dram_reads, e.read_j * a_channel, bursts_s);
    tree_event(b, i, ACT_dram_writes, e.write_j * a_channel, 0);
    if (!steady) tree_event(b, i, ACT_dram_refreshes, e.refresh_j * a_channel, 0);
    i = tree_add(b, PART_dram_termination, devices);
    tree_event(b, i, ACT_dram_reads, e.term_read_j * a_channel, bursts_s);
    tree_event(b, i, ACT_dram_writes, e.term_write_j * a_channel, 0);
    b->tree->regulator = tree_add(b, PART_regulator, 1);
    b->tree->regulator_loss = c->regulator_loss;
}
