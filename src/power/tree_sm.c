// The part of the tree that an SM is, but for its load/store unit: warp control, registers,
// execution units, clock.
#include "activity/sm.h"
#include "power/declared.h"
#include "power/effect.h"
#include "power/tree.h"

#include <math.h>

static void build_control(struct builder *b) {
    const struct power_config *c = b->c;
    const struct tech *t = &b->t;
    unsigned n = c->sms, warps = c->max_warps;
    double issue = b->sm_s * c->schedulers;
    tree_add(b, PART_wcu, n);

    int i = tree_add(b, PART_wst, n);
    unsigned entry = 8 + 32 + 8;
    struct array a = tree_put_array(
        b, i, (struct array_config){.entries = warps, .bits = entry, .rw_ports = c->schedulers},
        LONG_CORE);
    tree_event(b, i, ACT_fetches, a.read_j + a.write_j, issue);
    tree_event(b, i, ACT_warp_launches, a.write_j, 0);
    tree_event(b, i, ACT_two_level_promotions, a.write_j, 0);
    tree_event(b, i, ACT_two_level_demotions, a.write_j, 0);

    i = tree_add(b, PART_fetch_select, n);
    struct block s = circuit_selector(t, warps);
    tree_put_block(b, i, &s, 1);
    tree_event(b, i, ACT_fetches, s.energy_j, issue);

    i = tree_add(b, PART_scheduler, n);
    s = circuit_selector(t, (warps + c->schedulers - 1) / c->schedulers);
    tree_put_block(b, i, &s, c->schedulers);
    tree_event(b, i, ACT_scheduler_arbitrations, s.energy_j, issue);

    i = tree_add(b, PART_icache, n);
    if (c->icache.bytes) {
        a = tree_put_cache(b, i, &c->icache, 1, LONG_CORE);
        if (!c->l0.bytes) tree_event(b, i, ACT_fetches, a.read_j, issue);
        tree_event(b, i, ACT_icache_misses, a.write_j, 0);
    }
    if (c->l0.bytes) {
        tree_event(b, i, ACT_l0_misses, a.read_j * (c->l0.line_bytes / (double)c->l0.out_bytes), 0);
        i = tree_add(b, PART_l0, n);
        a = tree_put_cache(b, i, &c->l0, c->sub_cores, LONG_CORE);
        tree_event(b, i, ACT_fetches, a.read_j, issue);
        tree_event(b, i, ACT_l0_misses, a.write_j, 0);
    }

    i = tree_add(b, PART_decoder, n);
    double load = circuit_gate_cap(t, 50 * t->f_um) + 3000 * t->f_um * t->row.wire[TECH_LOCAL].c;
    s = circuit_decoder(t, 256, load, 256 * 15 * t->f_um);
    tree_put_block(b, i, &s, c->schedulers);
    tree_event(b, i, ACT_decodes, s.energy_j, issue);

    i = tree_add(b, PART_ibuffer, n);
    unsigned tag = tree_log2_up(warps) + 1;
    struct array_config buffer = {.kind = ARRAY_CACHE,
                                  .entries = warps * c->ibuffer_entries,
                                  .bits = c->instruction_bits + 32,
                                  .ways = c->ibuffer_entries,
                                  .tag_bits = tag,
                                  .read_ports = c->schedulers,
                                  .write_ports = c->schedulers};
    a = tree_put_array(b, i, buffer, LONG_CORE);
    tree_event(b, i, ACT_ibuffer_writes, a.write_j, issue);
    tree_event(b, i, ACT_ibuffer_reads, a.read_j, issue);

    i = tree_add(b, PART_scoreboard, n);
    buffer.entries = warps * c->scoreboard_entries;
    buffer.ways = c->scoreboard_entries;
    buffer.bits = 10; // a designator of 8 bits, width and valid
    a = tree_put_array(b, i, buffer, LONG_CORE);
    tree_event(b, i, ACT_scoreboard_reads, a.read_j, issue);
    tree_event(b, i, ACT_scoreboard_writes, a.write_j, 2 * issue); // reserve and release

    i = tree_add(b, PART_simt, n);
    a = tree_put_array(
        b, i, (struct array_config){.entries = 16 * warps, .bits = 96, .rw_ports = 1}, LONG_CORE);
    tree_event(b, i, ACT_simt_pushes, a.write_j, 0.1 * issue); // a tenth of instructions branch
    tree_event(b, i, ACT_simt_pops, a.read_j, 0.1 * issue);
}

// A row of the register file is 32 lanes of 32 bits, in arrays of some lanes (rf_array_lanes) side by
// side: eight of four, or 32 of one word, or one of all. Crossbar and collectors are in eight slices.
enum { RF_SLICES = 8, RF_SLICE_BITS = 128, RF_LANES = 32, RF_WORD = 32 };

static unsigned array_lanes(const struct power_config *c) {
    return c->rf_array_lanes > 0 ? c->rf_array_lanes : RF_LANES / RF_SLICES;
}
static unsigned arrays_a_row(const struct power_config *c) { return RF_LANES / array_lanes(c); }
static unsigned array_bits(const struct power_config *c) { return RF_WORD * array_lanes(c); }

struct array_config tree_rf_config(const struct power_config *c) {
    unsigned rows = c->registers / 32 / (c->rf_banks ? c->rf_banks : 1);
    return (struct array_config){
        .entries = rows ? rows : 1, .bits = 1024, .rw_ports = 1, .banks = c->rf_banks};
}

// Banks of published FinFET circuits instead of devices; the rest of the SM keeps its node.
static struct array declared_banks(struct builder *b, int i) {
    const struct power_config *c = b->c;
    const struct array_config banks = tree_rf_config(c);
    struct array a = {0};
    enum ww_status s =
        declared_finfet(c->rf_node_nm, &banks, c->rf_vdd_v, c->temperature_k, true, &a, b->d);
    if (s && !b->status) b->status = s;
    // published static power is of the whole array as built: no share of long-channel devices
    struct power_component *p = &b->tree->component[i];
    p->area_mm2 += a.area_mm2 * p->count, p->leak_sub_w += a.leak_sub_w * p->count;
    p->basis = POWER_EMPIRICAL;
    return a;
}

// What an access of a register bank costs beside its bare array: control, drivers, wires among the
// slices. Published memories of 8 KB, a bank of the GF100: 10 pJ for 64 bits at 45 nm, 0.9 V
// (Horowitz, ISSCC 2014), so 160 pJ a row, over 13.73 pJ of the same eight slices of this model at
// that point. (14 pJ for 64 bits at 40 nm in Keckler, IEEE Micro 2011, 50 pJ for 256 bits at 28 nm
// in NVIDIA's budget would make it more.)
static const double BANK_ACCESS = 160 / 13.73;

// The banks with word lines in parts: the same partition, so that nothing else differs.
static struct array divided_banks(struct builder *b, int i, struct array_config c,
                                  const struct array *one) {
    struct array a = {0};
    if (array_lanes(b->c) == 1) return *one; // a word line of a lane has no parts
    c.word_parts = b->c->rf_word_parts > 0 ? b->c->rf_word_parts : array_lanes(b->c);
    c.ndwl = one->ndwl, c.ndbl = one->ndbl, c.nspd = one->nspd, c.ndcm = one->ndcm;
    const enum ww_status s = array_build(&b->t, &c, &a, b->d);
    if (s && !b->status) b->status = s;
    tree_word_gates(b, i, &a, one, LONG_CORE);
    return a;
}

// What two partitions take beyond one array, of an eighth of the rows and of the others: table 6.4
// of Abdel-Majeed's dissertation (32 and 224 of 256 KB).
static void split_banks(struct builder *b, int i, struct array_config c, const struct array *one) {
    struct array fast, slow;
    if (c.entries < 8) return;
    const unsigned rows = c.entries, few = rows / 8;
    c.entries = few;
    enum ww_status s = array_build(&b->t, &c, &fast, b->d);
    c.entries = rows - few;
    if (s == WW_OK) s = array_build(&b->t, &c, &slow, b->d);
    if (s && !b->status) b->status = s;
    if (s) return;
    struct power_component *const p = &b->tree->component[i];
    p->split_mm2 += (fast.area_mm2 + slow.area_mm2 - one->area_mm2) * p->count;
}

// Partitions by the array model: each bank split into the rows of four registers a warp and the
// others, which have two thirds of the nominal supply as the published 0.3 of 0.45 V (or the least
// that the devices work at). Low mode is of double gates, which these devices lack: its published
// share of the fast partition's access.
static enum ww_status model_parts(const struct builder *b, struct power_rf_parts *out) {
    const struct power_config *c = b->c;
    struct array_config k = tree_rf_config(c);
    k.bits = array_bits(c), k.banks *= arrays_a_row(c);
    const unsigned rows = k.entries, fast = (4 * c->max_warps + c->rf_banks - 1) / c->rf_banks;
    const double least_v = b->t.row.vth_v + 0.1, v = 2.0 / 3 * b->t.row.vdd_v;
    struct tech near;
    struct array whole, slow, frf, srf;
    enum ww_status s =
        tech_init(&near, c->node_nm, c->device, v > least_v ? v : least_v, c->temperature_k, b->d);
    if (s == WW_OK) tree_leak_share(c, &near);
    if (s == WW_OK) s = array_build(&b->t, &k, &whole, b->d);
    if (s == WW_OK) s = array_build(&near, &k, &slow, b->d);
    k.entries = fast < rows ? fast : rows;
    if (s == WW_OK) s = array_build(&b->t, &k, &frf, b->d);
    k.entries = rows > fast ? rows - fast : 1;
    if (s == WW_OK) s = array_build(&near, &k, &srf, b->d);
    if (s != WW_OK) return s;
    const double leak_w = whole.leak_sub_w + whole.leak_gate_w;
    const double high = frf.read_j / whole.read_j, low = srf.read_j / whole.read_j;
    *out = (struct power_rf_parts){
        .access = {high, high * power_rf_published.access[1] / power_rf_published.access[0], low,
                   slow.read_j / whole.read_j},
        .swap = 2 * (high + low),
        .leak = {(frf.leak_sub_w + frf.leak_gate_w + srf.leak_sub_w + srf.leak_gate_w) / leak_w,
                 (slow.leak_sub_w + slow.leak_gate_w) / leak_w}};
    return WW_OK;
}

static void build_parts(struct builder *b) {
    b->tree->rf_parts = power_rf_published;
    const enum ww_status s = b->c->rf_parts_model ? model_parts(b, &b->tree->rf_parts) : WW_OK;
    if (s && !b->status) b->status = s;
}

// A register-file cache beside the banks: the same slices and devices, and its tags, a CAM that a
// warp's part of compares. Shares of what the banks take, so that they hold for published banks
// too.
static void build_rfc(struct builder *b) {
    const struct power_config *c = b->c;
    if (c->rfc_entries == 0) return;
    struct array_config banks = tree_rf_config(c), cache = {.bits = array_bits(c)};
    banks.bits = array_bits(c), banks.banks *= arrays_a_row(c);
    cache.entries = (c->rfc_entries * c->rfc_warps + c->rfc_banks - 1) / c->rfc_banks;
    cache.banks = c->rfc_banks * arrays_a_row(c);
    cache.read_ports = c->rfc_read_ports, cache.write_ports = c->rfc_write_ports;
    // a register's number and a valid bit
    const struct array_config tags = {
        .kind = ARRAY_CAM, .entries = c->rfc_entries, .bits = 1, .tag_bits = 9, .rw_ports = 1};
    struct array main = {0}, a = {0}, k = {0};
    enum ww_status s = array_build(&b->t, &banks, &main, b->d);
    if (s == WW_OK) s = array_build(&b->t, &cache, &a, b->d);
    if (s == WW_OK) s = array_build(&b->t, &tags, &k, b->d);
    if (s && !b->status) b->status = s;
    if (s) return;
    b->tree->rfc = (struct power_rfc){.read_share = a.read_j / main.read_j,
                                      .write_share = a.write_j / main.write_j,
                                      .leak_share = (a.leak_sub_w + a.leak_gate_w) /
                                                    (main.leak_sub_w + main.leak_gate_w),
                                      .tags_j = k.search_j,
                                      .mm2 = a.area_mm2};
}

static void build_registers(struct builder *b) {
    const struct power_config *c = b->c;
    const struct tech *t = &b->t;
    double issue = b->sm_s * c->schedulers;
    double reads = fmin(3 * issue, b->sm_s * c->rf_banks); // three operands, or every bank
    build_parts(b);
    build_rfc(b);
    tree_add(b, PART_rf, c->sms);
    int i = tree_add(b, PART_rf_banks, c->sms);
    struct array_config slices = tree_rf_config(c);
    slices.bits = array_bits(c), slices.banks *= arrays_a_row(c);
    b->tree->rf_arrays = arrays_a_row(c);
    struct array a =
        c->rf_node_nm > 0 ? declared_banks(b, i) : tree_put_array(b, i, slices, LONG_CORE);
    const double slices_a_row = c->rf_node_nm > 0 ? 1 : arrays_a_row(c);
    const struct array divided = c->rf_node_nm > 0 ? a : divided_banks(b, i, slices, &a);
    if (!(c->rf_node_nm > 0)) split_banks(b, i, slices, &a);
    double side_um = sqrt(a.area_mm2 * 1e6), k = c->rf_node_nm > 0 ? 1 : BANK_ACCESS;
    tree_event(b, i, ACT_rf_reads, k * slices_a_row * a.read_j, reads);
    tree_word_part(b, k * divided.part_read_j, k * slices_a_row * (divided.read_j - a.read_j));
    tree_event(b, i, ACT_rf_writes, k * slices_a_row * a.write_j, issue);
    tree_word_part(b, k * divided.part_write_j, k * slices_a_row * (divided.write_j - a.write_j));

    i = tree_add(b, PART_rf_arbiter, c->sms);
    struct block s = circuit_selector(t, c->collectors);
    tree_put_block(b, i, &s, c->rf_banks);
    tree_event(b, i, ACT_rf_reads, s.energy_j, reads);

    i = tree_add(b, PART_rf_crossbar, c->sms);
    unsigned sides = c->schedulers ? c->schedulers : 1;
    unsigned in = (c->rf_banks + sides - 1) / sides, out = (c->collectors + sides - 1) / sides;
    s = circuit_crossbar(t, in, out, RF_SLICE_BITS);
    tree_put_block(b, i, &s, RF_SLICES * sides);
    tree_event(b, i, ACT_collector_moves, RF_SLICES * s.energy_j, reads);

    i = tree_add(b, PART_collectors, c->sms);
    a = tree_put_array(b, i,
                       (struct array_config){.entries = 4,
                                             .bits = RF_SLICE_BITS,
                                             .read_ports = 1,
                                             .write_ports = 1,
                                             .banks = c->collectors * RF_SLICES},
                       LONG_CORE);
    tree_event(b, i, ACT_collector_moves, RF_SLICES * (a.read_j + a.write_j), reads);

    if (c->reuse) {
        i = tree_add(b, PART_reuse, c->sms);
        a = tree_put_array(b, i,
                           (struct array_config){.entries = 3,
                                                 .bits = RF_SLICE_BITS,
                                                 .read_ports = 1,
                                                 .write_ports = 1,
                                                 .banks = c->rf_banks * RF_SLICES},
                           LONG_CORE);
        tree_event(b, i, ACT_reuse_hits, RF_SLICES * a.read_j, 0);
        tree_event(b, i, ACT_reuse_keeps, RF_SLICES * a.write_j, 0);
    }

    i = tree_add(b, PART_result_bus, c->sms);
    s = circuit_wire(t, TECH_SEMIGLOBAL, side_um);
    tree_put(b, i, s.area_um2 * 1e-6, s.leak_sub_w, s.leak_gate_w, LONG_CORE, 1024);
    tree_event(b, i, ACT_result_bus_moves, 512 * s.energy_j, issue);
}

// A uniform datapath does the work of one integer lane, once a warp, on registers of its own.
static void build_uniform(struct builder *b) {
    const struct power_config *c = b->c;
    if (!c->uniform_units) return;
    enum { REGISTERS = 64 };
    const int i = tree_add(b, PART_uniform, c->sms * c->uniform_units);
    struct block lane = logic_lane(&b->t, LOGIC_INT);
    tree_put_block(b, i, &lane, 1);
    const struct array file =
        tree_put_array(b, i,
                       (struct array_config){.entries = REGISTERS * c->max_warps / c->uniform_units,
                                             .bits = 32,
                                             .read_ports = 2,
                                             .write_ports = 1},
                       LONG_CORE);
    tree_event(b, i, ACT_thread_by_class + OPC_UNIFORM, logic_class_energy(&b->t, OPC_INT_ADD), 0);
    tree_event(b, i, ACT_thread_by_class + OPC_UNIFORM_MOVE, logic_class_energy(&b->t, OPC_MOV), 0);
    tree_event(b, i, ACT_uniform_reads, file.read_j, 0);
    tree_event(b, i, ACT_uniform_writes, file.write_j, 0);
}

static void build_execution(struct builder *b) {
    const struct power_config *c = b->c;
    static const struct {
        enum power_part_id part;
        unsigned peak_class;
    } unit[LOGIC_UNITS] = {[LOGIC_INT] = {PART_int, OPC_INT_MAD},
                           [LOGIC_FP] = {PART_fp, OPC_FP_FMA},
                           [LOGIC_SFU] = {PART_sfu, OPC_SFU_TRIG},
                           [LOGIC_DP] = {PART_dp, OPC_DP_FMA},
                           [LOGIC_TENSOR] = {PART_tensor, OPC_MMA_1688_F16}};
    const unsigned lanes[LOGIC_UNITS] = {c->int_lanes, c->fp_lanes, c->sfu_lanes, c->dp_lanes,
                                         c->tensor_lanes};
    tree_add(b, PART_exu, c->sms);
    for (unsigned u = 0; u < LOGIC_UNITS; u++) {
        if (!lanes[u]) continue;
        int i = tree_add(b, unit[u].part, c->sms * lanes[u]);
        struct block lane = logic_lane(&b->t, (enum logic_unit)u);
        tree_put_block(b, i, &lane, 1);
        double peak = b->c->hot_hz * c->sms * lanes[u];
        if (u == LOGIC_INT && c->int_fp_shared_issue) peak = 0; // FP costs more: it has the slot
        if (u == LOGIC_DP) peak = 0;                            // as it has before double precision
        if (u == LOGIC_TENSOR) peak = 0; // single precision and integers have the slots
        for (unsigned k = 0; k < OPC_N; k++)
            if (logic_class_unit(k) == u && k >= OPC_GMMA_16 && k <= OPC_GMMA_BITS) // by columns, not by instruction
                tree_event_n(b, i, (uint32_t)ACT_product_columns + k - OPC_GMMA_16, 1,
                             32 * logic_class_energy(&b->t, k), 0);
            else if (logic_class_unit(k) == u)
                tree_event_n(b, i, (uint32_t)ACT_thread_by_class + k, 1,
                             logic_class_energy(&b->t, k), k == unit[u].peak_class ? peak : 0);
        static_assert(OPC_GMMA_16 + ACT_PRODUCT_CLASSES == OPC_GMMA_BITS + 1, "one row of classes");
        if (u != LOGIC_INT || !c->shared_on_lanes) continue;
        // the operand comes through the lane, which can do nothing else meanwhile: its bare move
        static const unsigned access[] = {OPC_LD_SHARED, OPC_ST_SHARED, OPC_ATOM_SHARED};
        for (unsigned k = 0; k < WW_COUNT(access); k++)
            tree_event_n(b, i, (uint32_t)ACT_thread_by_class + access[k], 1,
                         logic_class_energy(&b->t, OPC_MOV), 0);
    }
    build_uniform(b);
    if (c->lane_on_mw > 0) {
        const int on = tree_add(b, PART_lanes_on, c->sms);
        tree_event(b, on, ACT_lane_on_cycles, c->lane_on_mw * 1e-3 * b->t.vdd_v / c->core_hz,
                   31 * b->sm_s * c->sub_cores);
        tree_event_static(b);
    }
    // Lane-switching measurements see data, not the clock that reaches all lanes' registers.
    double bits = (c->int_lanes + c->fp_lanes + c->sfu_lanes + 2.0 * c->dp_lanes) * 4 * 32 *
                  c->pipeline_stages;
    int i = tree_add(b, PART_pipeline, c->sms);
    struct block dff = circuit_dff(&b->t, NULL);
    tree_put_block(b, i, &dff, bits);
    b->sm_dff_bits += bits;
}

// What an SM has beside its units: control that no equation describes, and the clock.
void tree_build_sm_rest(struct builder *b) {
    const struct power_config *c = b->c;
    int sm = b->at[PART_sm];
    int i = tree_add(b, PART_sm_control, c->sms);
    const unsigned stages = c->control_stages ? c->control_stages : c->pipeline_stages;
    double mm2 = fmax(0, 6.55 - 2.19 * log(stages)) * (1 + 0.0716 * log2(c->max_warps));
    mm2 *= b->t.row.logic_scale;
    struct block k = logic_area(&b->t, mm2 * 1e6);
    tree_put_block(b, i, &k, 1);

    double clock_j;
    struct block dff = circuit_dff(&b->t, &clock_j);
    // the leaf wire that reaches a flip-flop is as long as one is wide
    clock_j += sqrt(dff.area_um2) * b->t.row.wire[TECH_LOCAL].c * b->t.vdd_v * b->t.vdd_v;
    const double sm_mm2 = tree_subtree_area(b->tree, sm);
    struct block wire = tree_clock_wire(&b->t, sm_mm2 / c->sms, 4);
    double beats = c->hot_hz / c->core_hz; // lanes and their registers run at the hot clock
    double j = wire.energy_j * beats + b->sm_dff_bits * clock_j * beats;
    i = tree_add(b, PART_sm_clock, c->sms);
    tree_put_block(b, i, &wire, 1);
    tree_event(b, i, ACT_sm_busy_cycles, j, b->sm_s);
    const double front = tree_front_mm2(b) / sm_mm2; // the tree serves all of the SM alike
    tree_front_share(b, front * wire.energy_j * beats / j);
    i = tree_add(b, PART_sm_idle, c->sms);
    tree_event(b, i, ACT_sm_idle_cycles, j * c->idle_clock_share * (1 - c->idle_gate), 0);
}

void tree_build_sm(struct builder *b) {
    tree_add(b, PART_sm, b->c->sms);
    build_control(b);
    build_registers(b);
    build_execution(b);
    tree_build_ldst(b);
    tree_build_sm_rest(b);
}
