// Builds the tree of components and runs activity over it.
//
// Runtime power is linear: every component has a static power and a list of (counter, energy) rows,
// so components add up to their parents, intervals to the run and halves to the whole by
// construction. The one exception is the regulator, whose loss is a share of all the rest, which is
// linear too.
//
// Left out: texture filtering, miss registers, ECC, power gating, and
// what a chip has beside compute but for a declared area.
#include "power/power.h"

#include <assert.h>
#include <math.h>

#include "power/logic.h"

// McPAT: share of devices that can be long-channel ones
static const double LONG_CORE = 0.8, LONG_UNCORE = 0.82, LONG_CACHE = 1.0;

struct builder {
    const struct power_config *c;
    struct power_tree *tree;
    struct diags *d;
    struct tech t;
    double core_s, sm_s; // cycles a second: of the chip, of all SMs
    enum ww_status status;
    double sm_dff_bits; // flip-flops of one SM that the clock reaches
};

static int add(struct builder *b, int parent, const char *name, unsigned count,
               enum power_basis basis, const char *prose) {
    int i = b->tree->components++;
    assert(i < POWER_MAX_COMPONENTS && "more components than the tree has room for");
    b->tree->component[i] = (struct power_component){
        .name = name, .prose = prose, .basis = basis, .parent = parent, .count = count};
    return i;
}

static void event_n(struct builder *b, int component, uint32_t act, uint32_t n, double energy_j,
                    double peak_per_s) {
    int i = b->tree->events++;
    assert(i < POWER_MAX_EVENTS && "more events than the tree has room for");
    b->tree->event[i] = (struct power_event){component, act, n, energy_j, peak_per_s};
    b->tree->component[component].peak_w += energy_j * peak_per_s;
}

static void event(struct builder *b, int component, enum act act, double energy_j,
                  double peak_per_s) {
    event_n(b, component, act, 1, energy_j, peak_per_s);
}

static void put(struct builder *b, int i, double area_mm2, double sub_w, double gate_w,
                double long_share, double times) {
    struct power_component *p = &b->tree->component[i];
    double k = b->c->long_channel ? 1 - long_share + long_share * b->t.row.long_channel : 1;
    p->area_mm2 += area_mm2 * p->count * times;
    p->leak_sub_w += sub_w * k * p->count * times;
    p->leak_gate_w += gate_w * p->count * times;
}

static void put_block(struct builder *b, int i, const struct block *k, double times) {
    put(b, i, k->area_um2 * 1e-6, k->leak_sub_w, k->leak_gate_w, LONG_CORE, times);
}

static struct array put_array(struct builder *b, int i, struct array_config c, double long_share) {
    struct array a = {0};
    enum ww_status s = array_build(&b->t, &c, &a, b->d);
    if (s && !b->status) b->status = s;
    put(b, i, a.area_mm2, a.leak_sub_w, a.leak_gate_w, long_share, 1);
    return a;
}

static unsigned log2_up(unsigned n) { return n < 2 ? 1 : (unsigned)ceil(log2(n)); }

// A cache of its own: tags and data; `address_bits` that a tag is cut from.
static struct array put_cache(struct builder *b, int i, const struct power_cache *k, unsigned banks,
                              double long_share) {
    unsigned lines = k->bytes / k->line_bytes, sets = lines / k->ways;
    unsigned tag = 40 - log2_up(k->line_bytes) - (sets > 1 ? log2_up(sets) : 0) + 2; // valid, dirty
    unsigned out = k->out_bytes ? k->out_bytes : k->line_bytes;
    return put_array(b, i,
                     (struct array_config){.kind = ARRAY_CACHE,
                                           .entries = lines,
                                           .bits = 8 * k->line_bytes,
                                           .ways = k->ways,
                                           .tag_bits = tag,
                                           .out_bits = 8 * out,
                                           .sequential = k->ways > 4,
                                           .rw_ports = 1,
                                           .banks = banks},
                     long_share);
}

static void build_control(struct builder *b, int sm) {
    const struct power_config *c = b->c;
    const struct tech *t = &b->t;
    unsigned n = c->sms, warps = c->max_warps;
    double issue = b->sm_s * c->schedulers;
    int wcu = add(b, sm, "wcu", n, POWER_ANALYTIC, "warp control unit");

    int i = add(b, wcu, "wst", n, POWER_ANALYTIC,
                "warp status table: RAM, an entry a warp (id, PC, state), a port a scheduler");
    unsigned entry = 8 + 32 + 8;
    struct array a = put_array(
        b, i, (struct array_config){.entries = warps, .bits = entry, .rw_ports = c->schedulers},
        LONG_CORE);
    event(b, i, ACT_fetches, a.read_j + a.write_j, issue);
    event(b, i, ACT_warp_launches, a.write_j, 0);

    i = add(b, wcu, "fetch_select", n, POWER_ANALYTIC,
            "rotating priority over all warps: inverters, priority encoder, phase counter");
    struct block s = circuit_selector(t, warps);
    put_block(b, i, &s, 1);
    event(b, i, ACT_fetches, s.energy_j, issue);

    i = add(b, wcu, "scheduler", n, POWER_ANALYTIC,
            "rotating priority over the warps of each scheduler, as fetch_select");
    s = circuit_selector(t, (warps + c->schedulers - 1) / c->schedulers);
    put_block(b, i, &s, c->schedulers);
    event(b, i, ACT_scheduler_arbitrations, s.energy_j, issue);

    i = add(b, wcu, "icache", n, POWER_ANALYTIC, "instruction cache: tags and data");
    if (c->icache.bytes) {
        a = put_cache(b, i, &c->icache, 1, LONG_CORE);
        event(b, i, ACT_fetches, a.read_j, issue);
        event(b, i, ACT_icache_misses, a.write_j, 0);
    }

    i = add(b, wcu, "decoder", n, POWER_EMPIRICAL,
            "8 opcode bits into 256 lines, each with a gate of 50 F and 3000 F of wire behind it "
            "(McPAT's instruction decoder), one a scheduler");
    double load = circuit_gate_cap(t, 50 * t->f_um) + 3000 * t->f_um * t->row.wire[TECH_LOCAL].c;
    s = circuit_decoder(t, 256, load, 256 * 15 * t->f_um);
    put_block(b, i, &s, c->schedulers);
    event(b, i, ACT_decodes, s.energy_j, issue);

    i = add(
        b, wcu, "ibuffer", n, POWER_ANALYTIC,
        "instruction buffer: a set a warp, tagged by warp, a read and a write port a scheduler");
    unsigned tag = log2_up(warps) + 1;
    struct array_config buffer = {.kind = ARRAY_CACHE,
                                  .entries = warps * c->ibuffer_entries,
                                  .bits = c->instruction_bits + 32,
                                  .ways = c->ibuffer_entries,
                                  .tag_bits = tag,
                                  .read_ports = c->schedulers,
                                  .write_ports = c->schedulers};
    a = put_array(b, i, buffer, LONG_CORE);
    event(b, i, ACT_ibuffer_writes, a.write_j, issue);
    event(b, i, ACT_ibuffer_reads, a.read_j, issue);

    i = add(b, wcu, "scoreboard", n, POWER_ANALYTIC,
            "a set a warp, a way an instruction in flight: destination designators and state");
    buffer.entries = warps * c->scoreboard_entries;
    buffer.ways = c->scoreboard_entries;
    buffer.bits = 10; // a designator of 8 bits, width and valid
    a = put_array(b, i, buffer, LONG_CORE);
    event(b, i, ACT_scoreboard_reads, a.read_j, issue);
    event(b, i, ACT_scoreboard_writes, a.write_j, 2 * issue); // reserve and release

    i = add(b, wcu, "simt", n, POWER_ANALYTIC,
            "reconvergence stacks: 16 tokens a warp of PC, reconvergence PC and mask; one port");
    a = put_array(b, i, (struct array_config){.entries = 16 * warps, .bits = 96, .rw_ports = 1},
                  LONG_CORE);
    event(b, i, ACT_simt_pushes, a.write_j, 0.1 * issue); // a tenth of instructions branch
    event(b, i, ACT_simt_pops, a.read_j, 0.1 * issue);
}

static void build_registers(struct builder *b, int sm) {
    const struct power_config *c = b->c;
    const struct tech *t = &b->t;
    double issue = b->sm_s * c->schedulers;
    double reads = fmin(3 * issue, b->sm_s * c->rf_banks); // three operands, or every bank
    // A row is 32 lanes of 32 bits, in eight arrays of four lanes side by side.
    enum { SLICES = 8, SLICE_BITS = 128 };
    int rf = add(b, sm, "rf", c->sms, POWER_ANALYTIC, "register file");
    int i =
        add(b, rf, "rf_banks", c->sms, POWER_ANALYTIC,
            "single-ported banks, each eight RAMs of 128 bits; a warp register is a row of all");
    unsigned rows = c->registers / 32 / c->rf_banks;
    struct array a = put_array(b, i,
                               (struct array_config){.entries = rows ? rows : 1,
                                                     .bits = SLICE_BITS,
                                                     .rw_ports = 1,
                                                     .banks = c->rf_banks * SLICES},
                               LONG_CORE);
    double side_um = sqrt(a.area_mm2 * 1e6);
    event(b, i, ACT_rf_reads, SLICES * a.read_j, reads);
    event(b, i, ACT_rf_writes, SLICES * a.write_j, issue);

    i = add(b, rf, "rf_arbiter", c->sms, POWER_ANALYTIC, "chooses among collectors, for each bank");
    struct block s = circuit_selector(t, c->collectors);
    put_block(b, i, &s, c->rf_banks);
    event(b, i, ACT_rf_reads, s.energy_j, reads);

    i = add(b, rf, "rf_crossbar", c->sms, POWER_ANALYTIC,
            "banks to collectors, 128 bits in eight slices; banks and collectors are split evenly "
            "among the schedulers, as GPUWattch has it for Fermi");
    unsigned sides = c->schedulers ? c->schedulers : 1;
    unsigned in = (c->rf_banks + sides - 1) / sides, out = (c->collectors + sides - 1) / sides;
    s = circuit_crossbar(t, in, out, SLICE_BITS);
    put_block(b, i, &s, SLICES * sides);
    event(b, i, ACT_collector_moves, SLICES * s.energy_j, reads);

    i = add(b, rf, "collectors", c->sms, POWER_ANALYTIC,
            "operand collectors: four entries of a row, a read and a write port; a move writes an "
            "entry that the dispatch reads");
    a = put_array(b, i,
                  (struct array_config){.entries = 4,
                                        .bits = SLICE_BITS,
                                        .read_ports = 1,
                                        .write_ports = 1,
                                        .banks = c->collectors * SLICES},
                  LONG_CORE);
    event(b, i, ACT_collector_moves, SLICES * (a.read_j + a.write_j), reads);

    i = add(b, rf, "result_bus", c->sms, POWER_ANALYTIC,
            "1024 repeated wires along the banks' side, half of them charged");
    s = circuit_wire(t, TECH_SEMIGLOBAL, side_um);
    put(b, i, s.area_um2 * 1e-6, s.leak_sub_w, s.leak_gate_w, LONG_CORE, 1024);
    event(b, i, ACT_result_bus_moves, 512 * s.energy_j, issue);
}

static void build_execution(struct builder *b, int sm) {
    const struct power_config *c = b->c;
    static const struct {
        const char *name, *prose;
        unsigned peak_class;
    } unit[LOGIC_UNITS] = {
        [LOGIC_INT] = {"int", "integer lanes: 40 pJ an addition, measured at 40 nm, scaled",
                       OPC_INT_MAD},
        [LOGIC_FP] = {"fp", "single-precision lanes: 75 pJ a multiply-add, measured, scaled",
                      OPC_FP_FMA},
        [LOGIC_SFU] = {"sfu",
                       "special functions: 160 mW at 420 MHz in 180 nm, scaled, and an "
                       "integer instruction's share",
                       OPC_SFU_TRIG},
        [LOGIC_DP] = {"dp", "double-precision lanes: twice the operands, four times the multiplier",
                      OPC_DP_FMA},
    };
    const unsigned lanes[LOGIC_UNITS] = {c->int_lanes, c->fp_lanes, c->sfu_lanes, c->dp_lanes};
    int exu = add(b, sm, "exu", c->sms, POWER_EMPIRICAL, "execution units, by lanes");
    for (unsigned u = 0; u < LOGIC_UNITS; u++) {
        if (!lanes[u]) continue;
        int i = add(b, exu, unit[u].name, c->sms * lanes[u], POWER_EMPIRICAL, unit[u].prose);
        struct block lane = logic_lane(&b->t, (enum logic_unit)u);
        put_block(b, i, &lane, 1);
        double peak = b->c->hot_hz * c->sms * lanes[u];
        if (u == LOGIC_INT && c->int_fp_shared_issue) peak = 0; // FP costs more: it has the slot
        if (u == LOGIC_DP) peak = 0;                            // as it has before double precision
        for (unsigned k = 0; k < OPC_N; k++)
            if (logic_class_unit(k) == u)
                event_n(b, i, (uint32_t)ACT_thread_by_class + k, 1, logic_class_energy(&b->t, k),
                        k == unit[u].peak_class ? peak : 0);
    }
    // Lane-switching measurements see data, not the clock that reaches all lanes' registers.
    double bits = (c->int_lanes + c->fp_lanes + c->sfu_lanes + 2.0 * c->dp_lanes) * 4 * 32 *
                  c->pipeline_stages;
    int i =
        add(b, exu, "pipeline", c->sms, POWER_ASSUMED,
            "pipeline registers of the lanes: four words a lane and stage; leakage and area here, "
            "their clock in sm_clock, their data in the lanes' measured energy");
    struct block dff = circuit_dff(&b->t, NULL);
    put_block(b, i, &dff, bits);
    b->sm_dff_bits += bits;
}

static void build_memory(struct builder *b, int sm) {
    const struct power_config *c = b->c;
    const struct tech *t = &b->t;
    double v2 = t->vdd_v * t->vdd_v, lanes_s = b->sm_s * c->agu_lanes;
    double warp_s = lanes_s / 32; // warp instructions that addresses can be made for
    struct block dff = circuit_dff(t, NULL);
    int ldst = add(b, sm, "ldst", c->sms, POWER_ANALYTIC, "load/store unit");

    int i = add(b, ldst, "agu", c->sms, POWER_ANALYTIC,
                "sub-AGUs of eight addresses: for each address 128 full adders, 32 half adders, 64 "
                "flip-flops; an adder cell of eight transistors as two NAND2 of minimum size");
    double wn = circuit_min_w(t), sub, gate, adders = 128 + 16;
    circuit_nand_leak(t, 2, wn, &sub, &gate);
    double node = 2 * circuit_drain_cap(t, wn * t->row.beta, 1) + circuit_drain_cap(t, wn, 2) +
                  2 * circuit_gate_cap(t, wn * (1 + t->row.beta));
    put(b, i, adders * 2 * circuit_gate_area(t, 2, wn) * 1e-6, adders * 2 * sub, adders * 2 * gate,
        LONG_CORE, c->agu_lanes);
    put_block(b, i, &dff, 64.0 * c->agu_lanes);
    b->sm_dff_bits += 64.0 * c->agu_lanes;
    event(b, i, ACT_agu_addresses, adders * 2 * 0.5 * node * v2 + 64 * dff.energy_j, lanes_s);

    // A bundle is 32 addresses of 32 bits and their mask.
    const double bundle = 32 * 32 + 32, request = 32 + 8 + 32 + 6;
    double queues = (c->lsu_queue + (double)c->max_warps) * bundle + 8 * request;
    struct block in = circuit_queue(t, queues, bundle), one = circuit_queue(t, 0, request + 32);
    i = add(b, ldst, "coalescer", c->sms, POWER_ANALYTIC,
            "input queue, pending-request table of a bundle a warp and output queue of eight "
            "requests, as flip-flops behind gated clocks; the state machine is left out");
    put_block(b, i, &in, 1);
    event(b, i, ACT_coalescer_inputs, in.energy_j, warp_s);
    event(b, i, ACT_pending_table_writes, in.energy_j, warp_s);
    event(b, i, ACT_coalescer_transactions, one.energy_j, warp_s);

    i = add(b, ldst, "conflict_checker", c->sms, POWER_ANALYTIC,
            "bank conflicts of shared memory: a second instance of the coalescer's storage");
    put_block(b, i, &in, 1);
    event(b, i, ACT_shared_reads, 2 * in.energy_j, 0);
    event(b, i, ACT_shared_writes, 2 * in.energy_j, 0);
    event(b, i, ACT_shared_atomics, 2 * in.energy_j, 0);
    event(b, i, ACT_shared_passes, one.energy_j, 0);

    unsigned banks = c->shared_banks ? c->shared_banks : 1;
    i = add(b, ldst, "shared", c->sms, POWER_ANALYTIC,
            "shared memory and L1 data: one array of 32-bit banks; counters do not part loads from "
            "stores by lane, so a lane access costs the mean of the two");
    unsigned words = c->shared_bytes / 4 / banks, per_line = c->l1.line_bytes / 4;
    struct array a =
        put_array(b, i,
                  (struct array_config){
                      .entries = words ? words : 1, .bits = 32, .rw_ports = 1, .banks = banks},
                  LONG_CORE);
    double mean = (a.read_j + a.write_j) / 2;
    event(b, i, ACT_shared_lanes, mean, lanes_s);
    if (c->l1.bytes) {
        event(b, i, ACT_l1_read_hits, per_line * a.read_j, 0);
        event(b, i, ACT_l1_fills, per_line * a.write_j, 0);
        event(b, i, ACT_l1_writebacks, per_line * a.read_j, 0);
    }

    i = add(
        b, ldst, "shared_crossbars", c->sms, POWER_ANALYTIC,
        "addresses to banks (16 bits) and data (32 bits), lanes by banks; shuffles use the second");
    struct block x_a = circuit_crossbar(t, banks, banks, 16),
                 x_d = circuit_crossbar(t, banks, banks, 32);
    put_block(b, i, &x_a, 1);
    put_block(b, i, &x_d, 1);
    event(b, i, ACT_shared_lanes, x_a.energy_j + x_d.energy_j, lanes_s);
    event(b, i, ACT_shuffles, 32 * x_d.energy_j, 0);
    if (c->l1.bytes) {
        event(b, i, ACT_l1_read_hits, x_a.energy_j + per_line * x_d.energy_j, 0);
        i = add(b, ldst, "l1_tags", c->sms, POWER_ANALYTIC, "L1 tags: a RAM of sets by ways");
        unsigned sets = c->l1.bytes / c->l1.line_bytes / c->l1.ways;
        unsigned tag = 42 - log2_up(c->l1.line_bytes) - (sets > 1 ? log2_up(sets) : 0);
        a = put_array(
            b, i, (struct array_config){.entries = sets, .bits = tag * c->l1.ways, .rw_ports = 1},
            LONG_CORE);
        event(b, i, ACT_l1_reads, a.read_j, warp_s);
        event(b, i, ACT_l1_writes, a.read_j, 0);
        event(b, i, ACT_l1_fills, a.write_j / c->l1.ways, 0);
    }
    if (c->constant.bytes) {
        i = add(b, ldst, "const", c->sms, POWER_ANALYTIC,
                "first-level constant cache; each operand of arithmetic is an access");
        struct power_cache k = c->constant;
        k.out_bytes = 4;
        a = put_cache(b, i, &k, 1, LONG_CORE);
        event(b, i, ACT_const_reads, a.read_j, b->sm_s);
        event(b, i, ACT_const_operands, a.read_j, 0);
        event(b, i, ACT_const_misses, a.write_j * (k.line_bytes / 4.0), 0);
    }
    if (c->texture.bytes) {
        i = add(b, ldst, "tex", c->sms, POWER_ANALYTIC, "texture cache; filtering is left out");
        a = put_cache(b, i, &c->texture, 1, LONG_CORE);
        event(b, i, ACT_tex_reads, a.read_j, 0);
        event(b, i, ACT_tex_misses, a.write_j, 0);
    }
}

static double subtree_area(const struct power_tree *tree, int root) {
    double area = 0;
    for (int i = root; i < tree->components; i++) {
        int p = i;
        while (p > root) p = tree->component[p].parent;
        if (p == root) area += tree->component[i].area_mm2;
    }
    return area;
}

// Repeated global wire of a whole H-tree over a square of `area_mm2`: at level i 4^i branchings,
// each with one and a half times the side of its part, so 1.5 side (2^levels - 1).
static struct block clock_tree(const struct tech *t, double area_mm2, unsigned levels) {
    return circuit_wire(t, TECH_GLOBAL, 1.5 * sqrt(area_mm2) * 1e3 * (ldexp(1, (int)levels) - 1));
}

static void build_sm_clock(struct builder *b, int sm) {
    double clock_j;
    struct block dff = circuit_dff(&b->t, &clock_j);
    // the leaf wire that reaches a flip-flop is as long as one is wide
    clock_j += sqrt(dff.area_um2) * b->t.row.wire[TECH_LOCAL].c * b->t.vdd_v * b->t.vdd_v;
    struct block wire = clock_tree(&b->t, subtree_area(b->tree, sm) / b->c->sms, 4);
    double beats = b->c->hot_hz / b->c->core_hz; // lanes and their registers run at the hot clock
    double j = wire.energy_j * beats + b->sm_dff_bits * clock_j * beats;
    int i = add(b, sm, "sm_clock", b->c->sms, POWER_ASSUMED,
                "four levels of H-tree and the clock inputs of pipeline registers; an SM without "
                "work draws the configured share of it");
    put_block(b, i, &wire, 1);
    event(b, i, ACT_sm_busy_cycles, j, b->sm_s);
    event(b, i, ACT_sm_idle_cycles, j * b->c->idle_clock_share, 0);
}

static void build_l2(struct builder *b, int chip) {
    const struct power_config *c = b->c;
    if (!c->l2.bytes) return;
    unsigned out = c->l2.out_bytes ? c->l2.out_bytes : c->l2.line_bytes;
    int i = add(b, chip, "l2", c->l2_slices, POWER_ANALYTIC,
                "slices: tags first, then the data of one way; an access moves out_bytes");
    struct array a = put_cache(b, i, &c->l2, 1, LONG_CACHE);
    double peak = c->l2_hz * c->l2_slices, sector = 32.0 / out;
    event(b, i, ACT_l2_reads, a.read_j, peak);
    event(b, i, ACT_l2_writes, a.write_j, 0);
    event(b, i, ACT_l2_atomics, a.read_j + a.write_j, 0);
    event(b, i, ACT_l2_fills, a.write_j * sector, 0);
    event(b, i, ACT_l2_writebacks, a.read_j * sector, 0);
    int rop = add(b, chip, "l2_atomics", c->l2_slices, POWER_EMPIRICAL,
                  "an integer lane a slice: an addition for each lane of an atomic");
    struct block lane = logic_lane(&b->t, LOGIC_INT);
    put_block(b, rop, &lane, 1);
    event(b, rop, ACT_l2_atomic_lanes, logic_class_energy(&b->t, OPC_INT_ADD), 0);
}

static void build_crossbars(struct builder *b, int chip, double chip_mm2) {
    const struct power_config *c = b->c;
    unsigned width = 8 * c->flit_bytes;
    int i =
        add(b, chip, "net", 1, POWER_ANALYTIC,
            "two crossbars of SMs by partitions and half of a chip's side of global wire to each "
            "port, half of the bits charged");
    struct block request = circuit_crossbar(&b->t, c->sms, c->partitions, width),
                 reply = circuit_crossbar(&b->t, c->partitions, c->sms, width),
                 wire = circuit_wire(&b->t, TECH_GLOBAL, sqrt(chip_mm2) * 1e3 / 2);
    put(b, i, request.area_um2 * 1e-6, request.leak_sub_w, request.leak_gate_w, LONG_UNCORE, 1);
    put(b, i, reply.area_um2 * 1e-6, reply.leak_sub_w, reply.leak_gate_w, LONG_UNCORE, 1);
    put(b, i, wire.area_um2 * 1e-6, wire.leak_sub_w, wire.leak_gate_w, LONG_UNCORE,
        2.0 * width * (c->sms + c->partitions));
    double link = 0.5 * width * wire.energy_j, peak = c->net_hz * c->partitions;
    event(b, i, ACT_net_request_flits, request.energy_j + link, peak);
    event(b, i, ACT_net_reply_flits, reply.energy_j + link, peak);
}

static void build_mesh(struct builder *b, int chip, double chip_mm2) {
    enum { PORTS = 5 }; // four neighbours and the node
    const struct power_config *c = b->c;
    unsigned width = 8 * c->flit_bytes, nodes = c->sms + c->partitions;
    int i =
        add(b, chip, "net", nodes, POWER_ANALYTIC,
            "a router of five ports a node: a buffer of virtual channels at each input, crossbar, "
            "an arbiter an input and an output, and a repeated link to the next node; a hop "
            "writes and reads a buffer and pays crossbar, two arbiters and link");
    struct array buffer =
        put_array(b, i,
                  (struct array_config){.entries = c->router_vcs * c->router_depth,
                                        .bits = width,
                                        .read_ports = 1,
                                        .write_ports = 1,
                                        .banks = PORTS},
                  LONG_UNCORE);
    struct block cross = circuit_crossbar(&b->t, PORTS, PORTS, width),
                 arbiter = circuit_selector(&b->t, PORTS * c->router_vcs),
                 link = circuit_wire(&b->t, TECH_GLOBAL, sqrt(chip_mm2 / nodes) * 1e3);
    put(b, i, cross.area_um2 * 1e-6, cross.leak_sub_w, cross.leak_gate_w, LONG_UNCORE, 1);
    put(b, i, arbiter.area_um2 * 1e-6, arbiter.leak_sub_w, arbiter.leak_gate_w, LONG_UNCORE,
        2 * PORTS);
    put(b, i, link.area_um2 * 1e-6, link.leak_sub_w, link.leak_gate_w, LONG_UNCORE,
        4.0 * width); // its own way out to each neighbour
    double hop = buffer.read_j + buffer.write_j + cross.energy_j + 2 * arbiter.energy_j +
                 0.5 * width * link.energy_j;
    // Each node passes a flit on at most 0.6 of its ports' cycles (McPAT's traffic factor).
    event(b, i, ACT_net_hops, hop, 0.6 * PORTS * c->net_hz * nodes);
}

static void build_controllers(struct builder *b, int chip) {
    const struct power_config *c = b->c;
    const struct tech *t = &b->t;
    double l = t->f_um, v = t->vdd_v, width = c->channel_bits, share = width / 128;
    unsigned transfers = c->dram ? c->dram->burst : 8;
    double rate = c->dram ? c->dram->transfers_a_clock : 4;
    double burst = width * transfers, mbs = width / 8 * rate * c->dram_hz * 1e-6;
    double bursts_s = c->channels * c->dram_hz * rate / transfers;
    int mc = add(b, chip, "mc", c->channels, POWER_EMPIRICAL, "memory controllers, one a channel");
    int i = add(b, mc, "mc_front", c->channels, POWER_ANALYTIC,
                "request window as a CAM, read and write buffers of as many bursts");
    unsigned bits = (unsigned)burst;
    struct array cam = put_array(
        b, i,
        (struct array_config){
            .kind = ARRAY_CAM, .entries = c->mc_queue, .bits = 16, .tag_bits = 40, .rw_ports = 1},
        LONG_UNCORE);
    struct array data =
        put_array(b, i,
                  (struct array_config){
                      .entries = 2 * c->mc_queue, .bits = bits, .read_ports = 1, .write_ports = 1},
                  LONG_UNCORE);
    struct block pick = circuit_selector(t, c->mc_queue);
    put_block(b, i, &pick, 1);
    event(b, i, ACT_mc_requests, cam.write_j + cam.search_j + pick.energy_j, bursts_s);
    event(b, i, ACT_dram_reads, data.read_j + data.write_j, bursts_s);
    event(b, i, ACT_dram_writes, data.read_j + data.write_j, 0);

    i = add(
        b, mc, "mc_engine", c->channels, POWER_EMPIRICAL,
        "transaction engine: McPAT's area by bandwidth; 0.432 W at 1 GHz and 72 bits of a 65 nm "
        "controller at 1.1 V, as a capacitance a bit");
    double area = fmax(0.05, (2.7927 * log(2 * mbs) - 19.862) / 2 * share * l / 0.09);
    struct block k = logic_area(t, area * 1e6);
    put(b, i, area, k.leak_sub_w, k.leak_gate_w, LONG_UNCORE, 1);
    double engine = 0.432 / 1e9 / 72 / 1.21 * (l / 0.065) * v * v * burst;
    event(b, i, ACT_dram_reads, engine, bursts_s);
    event(b, i, ACT_dram_writes, engine, 0);

    i = add(b, mc, "mc_phy", c->channels, POWER_EMPIRICAL,
            "physical interface: McPAT's area by bandwidth; 10 mW for each Gb/s");
    area = fmax(0.05, (6.4323 * log(2 * mbs) - 48.134) * share * l / 0.09 / 2);
    k = logic_area(t, area * 1e6);
    put(b, i, area, k.leak_sub_w, k.leak_gate_w, LONG_UNCORE, 1);
    event(b, i, ACT_dram_reads, 10e-12 * burst, bursts_s);
    event(b, i, ACT_dram_writes, 10e-12 * burst, 0);
}

static void build_pcie(struct builder *b, int chip) {
    const struct power_config *c = b->c;
    if (!c->pcie_lanes) return;
    int i =
        add(b, chip, "pcie", c->pcie_lanes, POWER_EMPIRICAL,
            "PCIe: controller 2.85 mm2 for eight lanes and SerDes 3.39 mm2 at 65 nm (McPAT); the "
            "SerDes' 40 mW a lane at 90 nm are drawn always, transfers have no counter");
    double l = b->t.f_um / 0.065;
    double area = (2.85 * l * l + 3.39 * l) / 8;
    struct block k = logic_area(&b->t, 2.85 * l * l / 8 * 1e6);
    put(b, i, area, k.leak_sub_w, k.leak_gate_w, LONG_UNCORE, 1);
    b->tree->component[i].constant_w = 0.04 * b->t.f_um / 0.09 * c->pcie_lanes;
}

static void build_board(struct builder *b, int root) {
    const struct power_config *c = b->c;
    if (!c->dram) return;
    unsigned a_channel = c->dram_devices_a_channel ? c->dram_devices_a_channel : 1;
    unsigned devices = c->channels * a_channel;
    struct dram_energy e = dram_energy(c->dram, 1 / c->dram_hz);
    double bursts_s = c->channels * c->dram_hz * c->dram->transfers_a_clock / c->dram->burst;
    int board = add(b, root, "board", 1, POWER_ASSUMED, "what is beside the chip");
    b->tree->component[board].constant_w = c->board_w;
    int i =
        add(b, board, "dram", devices, POWER_EMPIRICAL,
            "data-sheet currents: precharged background always; open rows, activations, bursts and "
            "refreshes by count");
    b->tree->component[i].constant_w = e.background_w * devices;
    event(b, i, ACT_dram_open_cycles, e.open_w / c->dram_hz * a_channel, c->channels * c->dram_hz);
    event(b, i, ACT_dram_activates, e.activate_j * a_channel, bursts_s / 8);
    event(b, i, ACT_dram_reads, e.read_j * a_channel, bursts_s);
    event(b, i, ACT_dram_writes, e.write_j * a_channel, 0);
    event(b, i, ACT_dram_refreshes, e.refresh_j * a_channel, 0);
    i = add(b, board, "dram_termination", devices, POWER_EMPIRICAL,
            "direct current through driver and termination while a line is low, half of the bits");
    event(b, i, ACT_dram_reads, e.term_read_j * a_channel, bursts_s);
    event(b, i, ACT_dram_writes, e.term_write_j * a_channel, 0);
    b->tree->regulator =
        add(b, board, "regulator", 1, POWER_ASSUMED, "a configured share of all other power");
    b->tree->regulator_loss = c->regulator_loss;
}

static enum ww_status check(const struct power_config *c, struct diags *d) {
    const struct {
        const char *name;
        double value, least, most;
    } range[] = {
        {"core_hz", c->core_hz, 1e6, 1e10},
        {"hot_hz", c->hot_hz, c->core_hz, 1e10},
        {"net_hz", c->net_hz, 1e6, 1e10},
        {"l2_hz", c->l2_hz, 1e6, 1e10},
        {"dram_hz", c->dram_hz, 1e6, 1e10},
        {"other_mm2", c->other_mm2, 0, 2000},
        {"other_w", c->other_w, 0, 1000},
        {"router_vcs", c->router_vcs, c->mesh ? 1 : 0, 64},
        {"router_depth", c->router_depth, c->mesh ? 1 : 0, 256},
        {"other_logic_share", c->other_logic_share, 0, 1},
        {"sms", c->sms, 1, 1024},
        {"max_warps", c->max_warps, 1, 1024},
        {"schedulers", c->schedulers, 1, 16},
        {"instruction_bits", c->instruction_bits, 8, 1024},
        {"ibuffer_entries", c->ibuffer_entries, 1, 64},
        {"scoreboard_entries", c->scoreboard_entries, 1, 64},
        {"registers", c->registers, 32, 1 << 24},
        {"rf_banks", c->rf_banks, 1, 256},
        {"collectors", c->collectors, 1, 256},
        {"int_lanes", c->int_lanes, 1, 1024},
        {"fp_lanes", c->fp_lanes, 1, 1024},
        {"sfu_lanes", c->sfu_lanes, 0, 1024},
        {"dp_lanes", c->dp_lanes, 0, 1024},
        {"agu_lanes", c->agu_lanes, 1, 1024},
        {"lsu_queue", c->lsu_queue, 1, 1024},
        {"shared_banks", c->shared_banks, 1, 256},
        {"shared_bytes", c->shared_bytes, 4, 1 << 24},
        {"pipeline_stages", c->pipeline_stages, 1, 256},
        {"partitions", c->partitions, 1, 256},
        {"flit_bytes", c->flit_bytes, 1, 1024},
        {"channels", c->channels, 1, 256},
        {"channel_bits", c->channel_bits, 8, 4096},
        {"mc_queue", c->mc_queue, 1, 4096},
        {"l2_slices", c->l2_slices, c->l2.bytes ? 1 : 0, 1024},
        {"pcie_lanes", c->pcie_lanes, 0, 64},
        {"idle_clock_share", c->idle_clock_share, 0, 1},
        {"regulator_loss", c->regulator_loss, 0, 1},
        {"board_w", c->board_w, 0, 1000},
    };
    for (unsigned i = 0; i < WW_COUNT(range); i++)
        if (!(range[i].value >= range[i].least && range[i].value <= range[i].most))
            return diag_add(d, WW_ERROR_CONFIG,
                            "%s is %g, outside the power model's range of %g to %g", range[i].name,
                            range[i].value, range[i].least, range[i].most);
    const struct {
        const char *name;
        const struct power_cache *k;
    } cache[] = {{"icache", &c->icache},
                 {"l1", &c->l1},
                 {"constant", &c->constant},
                 {"texture", &c->texture},
                 {"l2", &c->l2}};
    for (unsigned i = 0; i < WW_COUNT(cache); i++) {
        const struct power_cache *k = cache[i].k;
        if (!k->bytes) continue;
        bool fits = k->line_bytes >= 4 && k->ways && k->line_bytes <= 4096 &&
                    (uint64_t)k->line_bytes * k->ways <= k->bytes &&
                    k->bytes % ((uint64_t)k->line_bytes * k->ways) == 0 && k->line_bytes % 4 == 0 &&
                    (!k->out_bytes || k->line_bytes % k->out_bytes == 0);
        if (!fits)
            return diag_add(d, WW_ERROR_CONFIG,
                            "%s: %u bytes in lines of %u and %u ways is no cache", cache[i].name,
                            k->bytes, k->line_bytes, k->ways);
    }
    return WW_OK;
}

// Sums own figures upward; parents stand before children.
static void sum_up(struct power_tree *tree) {
    for (int i = tree->components - 1; i >= 0; i--) {
        struct power_component *p = &tree->component[i];
        p->all_area_mm2 += p->area_mm2, p->all_leak_sub_w += p->leak_sub_w;
        p->all_leak_gate_w += p->leak_gate_w, p->all_constant_w += p->constant_w;
        p->all_peak_w += p->peak_w;
        if (p->parent < 0) continue;
        struct power_component *up = &tree->component[p->parent];
        up->all_area_mm2 += p->all_area_mm2, up->all_leak_sub_w += p->all_leak_sub_w;
        up->all_leak_gate_w += p->all_leak_gate_w, up->all_constant_w += p->all_constant_w;
        up->all_peak_w += p->all_peak_w;
    }
}

enum ww_status power_build(const struct power_config *c, struct power_tree *tree, struct diags *d) {
    struct builder b = {
        .c = c, .tree = tree, .d = d, .core_s = c->core_hz, .sm_s = c->core_hz * c->sms};
    *tree = (struct power_tree){.regulator = -1};
    enum ww_status s = tech_init(&b.t, c->node_nm, c->device, c->vdd_v, c->temperature_k, d);
    if (!s) s = check(c, d);
    if (s) return s;
    int root = add(&b, -1, "total", 1, POWER_ANALYTIC, "chip and board");
    int chip = add(&b, root, "chip", 1, POWER_ANALYTIC, "everything on the die");
    int sm = add(&b, chip, "sm", c->sms, POWER_ANALYTIC, "streaming multiprocessors");
    build_control(&b, sm);
    build_registers(&b, sm);
    build_execution(&b, sm);
    build_memory(&b, sm);
    build_sm_clock(&b, sm);
    build_l2(&b, chip);
    build_controllers(&b, chip);
    build_pcie(&b, chip);
    int i =
        add(&b, chip, "other", 1, POWER_ASSUMED,
            "declared: graphics, display, video and the rest of the die; a declared share of it "
            "leaks as logic does");
    struct block k = logic_area(&b.t, c->other_mm2 * c->other_logic_share * 1e6);
    put(&b, i, c->other_mm2, k.leak_sub_w, k.leak_gate_w, LONG_UNCORE, 1);
    tree->component[i].constant_w = c->other_w;
    double chip_mm2 = subtree_area(tree, chip);
    (c->mesh ? build_mesh : build_crossbars)(&b, chip, chip_mm2);
    i = add(&b, chip, "clock", 1, POWER_ASSUMED,
            "four levels of global H-tree over the chip, charged every core cycle");
    k = clock_tree(&b.t, chip_mm2, 4);
    put(&b, i, k.area_um2 * 1e-6, k.leak_sub_w, k.leak_gate_w, LONG_UNCORE, 1);
    event(&b, i, ACT_cycles, k.energy_j, b.core_s);
    build_board(&b, root);
    if (tree->regulator >= 0) {
        struct power_component *regulator = &tree->component[tree->regulator];
        double peak = 0, still = 0;
        for (int n = 0; n < tree->components; n++) {
            const struct power_component *p = &tree->component[n];
            peak += p->peak_w;
            still += p->leak_sub_w + p->leak_gate_w + p->constant_w;
        }
        regulator->peak_w = peak * c->regulator_loss;
        regulator->constant_w = still * c->regulator_loss;
    }
    sum_up(tree);
    return b.status;
}

enum ww_status power_run(const struct power_tree *tree, const struct activity *a, double seconds,
                         struct power_usage *out, struct diags *d) {
    if (!(seconds > 0 && seconds < 1e12))
        return diag_add(d, WW_ERROR_USAGE, "%g is no time to take the mean power over", seconds);
    *out = (struct power_usage){.seconds = seconds};
    for (int i = 0; i < tree->components; i++) {
        const struct power_component *p = &tree->component[i];
        out->static_j[i] = (p->leak_sub_w + p->leak_gate_w + p->constant_w) * seconds;
    }
    for (int i = 0; i < tree->events; i++) {
        const struct power_event *e = &tree->event[i];
        double count = 0;
        for (uint32_t k = 0; k < e->n; k++) count += (double)a->c[e->act + k];
        out->dynamic_j[e->component] += count * e->energy_j;
    }
    if (tree->regulator >= 0) { // its static loss is a constant of the component
        double dynamic = 0;
        for (int i = 0; i < tree->components; i++) dynamic += out->dynamic_j[i];
        out->dynamic_j[tree->regulator] += dynamic * tree->regulator_loss;
    }
    for (int i = tree->components - 1; i >= 0; i--) {
        out->all_dynamic_j[i] += out->dynamic_j[i];
        out->all_static_j[i] += out->static_j[i];
        int up = tree->component[i].parent;
        if (up < 0) continue;
        out->all_dynamic_j[up] += out->all_dynamic_j[i];
        out->all_static_j[up] += out->all_static_j[i];
    }
    out->energy_j = out->all_dynamic_j[0] + out->all_static_j[0];
    out->power_w = out->energy_j / seconds;
    return WW_OK;
}

int power_find(const struct power_tree *tree, const char *name) {
    for (int i = 0; i < tree->components; i++)
        if (strcmp(tree->component[i].name, name) == 0) return i;
    return -1;
}

double power_event_energy(const struct power_tree *tree, uint32_t act) {
    double sum = 0;
    for (int i = 0; i < tree->events; i++)
        if (act >= tree->event[i].act && act < tree->event[i].act + tree->event[i].n)
            sum += tree->event[i].energy_j;
    return sum;
}

void power_by_basis(const struct power_tree *tree, const struct power_usage *usage,
                    double energy_j[POWER_BASES]) {
    for (int k = 0; k < POWER_BASES; k++) energy_j[k] = 0;
    for (int i = 0; i < tree->components; i++)
        energy_j[tree->component[i].basis] += usage->dynamic_j[i] + usage->static_j[i];
}

const char *power_basis_name(enum power_basis basis) {
    static const char *const name[POWER_BASES] = {"analytic", "empirical", "assumed"};
    return (unsigned)basis < POWER_BASES ? name[basis] : "?";
}
