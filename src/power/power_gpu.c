// Reads a GPU's configuration as the power model wants it. Numbers that the simulator does not need
// (a rest of the die, losses) come from the file's section `power`; the rest follows from
// structure.
#include "power/power_gpu.h"

#include <math.h>

static struct power_cache cache_of(const struct cache_config *k, unsigned out_bytes) {
    return (struct power_cache){.bytes = k->bytes,
                                .line_bytes = k->line_bytes,
                                .ways = k->ways,
                                .out_bytes = out_bytes,
                                .mshrs = k->mshrs,
                                .mshr_merge = k->mshr_merge};
}

// Hot cycles that `n` pipelines of an SM keep a warp of this class, each.
static double passes(const struct gpu_config *g, unsigned op_class) {
    return g->sm.timing[op_class].interval * g->clocks.hot_mhz / g->clocks.core_mhz;
}

static unsigned lanes_of(const struct gpu_config *g, unsigned op_class, unsigned pipelines) {
    unsigned lanes = (unsigned)lround(pipelines * WARP_LANES / passes(g, op_class));
    return lanes || !pipelines ? lanes : 1;
}

// Key of a GPU file behind a field of power_config.
static const char *key_of(const char *field) {
    static const char *const key[][2] = {
        {"node_nm", "tech.node_nm"},
        {"vdd_v", "tech.vdd_v"},
        {"temperature_k", "tech.temperature_k"},
        {"core_hz", "clocks.core_mhz"},
        {"hot_hz", "clocks.hot_mhz"},
        {"net_hz", "clocks.net_mhz"},
        {"l2_hz", "clocks.l2_mhz"},
        {"dram_hz", "clocks.dram_mhz"},
        {"rest_chip_mm2", "power.rest_chip_mm2"},
        {"rest_lane_mm2", "power.rest_lane_mm2"},
        {"rest_logic_share", "power.rest_logic_share"},
        {"rest_clock_pj_mm2", "power.rest_clock_pj_mm2"},
        {"rest_w", "power.rest_w"},
        {"mc_mts", "power.mc_mts"},
        {"rf_node_nm", "power.rf_node_nm"},
        {"rf_vdd_v", "power.rf_vdd_v"},
        {"pad_bit_mm2", "power.pad_bit_mm2"},
        {"peak_duty", "power.peak_duty"},
        {"sms_on_die", "power.sms_on_die"},
        {"router_vcs", "power.router_vcs"},
        {"router_depth", "power.router_depth"},
        {"sms", "sm_count"},
        {"max_warps", "sm.max_warps"},
        {"schedulers", "sm.schedulers"},
        {"instruction_bits", "sm.instruction_bytes"},
        {"ibuffer_entries", "sm.ibuffer_entries"},
        {"scoreboard_entries", "power.scoreboard_entries"},
        {"registers", "sm.registers"},
        {"rf_banks", "sm.rf_banks"},
        {"collectors", "sm.collectors"},
        {"int_lanes", "sm.clusters"},
        {"fp_lanes", "sm.clusters"},
        {"sfu_lanes", "sm.sfus"},
        {"dp_lanes", "sm.dp_units"},
        {"clusters", "sm.clusters"},
        {"tex_units", "power.tex_units"},
        {"agu_lanes", "sm.agu_lanes"},
        {"lsu_queue", "sm.lsu_queue"},
        {"shared_banks", "sm.shared_banks"},
        {"shared_bytes", "sm.shared_bytes"},
        {"pipeline_stages", "sm.timing.fp_fma.latency"},
        {"partitions", "mem.partitions"},
        {"flit_bytes", "mem.net.flit_bytes"},
        {"channels", "mem.dram.channels_per_partition"},
        {"channel_bits", "mem.dram.bus_bits"},
        {"mc_queue", "mem.dram.queue"},
        {"l2_slices", "mem.slices_per_partition"},
        {"pcie_lanes", "power.pcie_lanes"},
        {"idle_clock_share", "power.idle_clock_share"},
        {"regulator_loss", "power.regulator_loss"},
        {"board_w", "power.board_w"},
        {"icache", "sm.icache.bytes"},
        {"l1", "sm.l1d.bytes"},
        {"constant", "sm.constant.bytes"},
        {"texture", "sm.texture.bytes"},
        {"l2", "mem.l2.bytes"},
    };
    for (unsigned i = 0; i < WW_COUNT(key); i++)
        if (strcmp(key[i][0], field) == 0) return key[i][1];
    return "tech.node_nm";
}

// The clock that a supply carries, by the alpha-power law from the file's own clock and supply,
// which are taken to be the chip's limit. 0 where nothing is known.
static double carried_mhz(const struct gpu_config *g, const struct power_config *c, double vdd_v) {
    struct diags quiet;
    struct tech now, nominal;
    diags_init(&quiet);
    double mhz = 0;
    if (g->nominal.core_mhz > 0 && g->nominal.vdd_v > 0 &&
        !tech_init(&now, c->node_nm, c->device, vdd_v, c->temperature_k, &quiet) &&
        !tech_init(&nominal, c->node_nm, c->device, g->nominal.vdd_v, c->temperature_k, &quiet))
        mhz = g->nominal.core_mhz * tech_speed(&now) / tech_speed(&nominal);
    diags_free(&quiet);
    return mhz;
}

static enum ww_status check_speed(const struct gpu_config *g, const struct power_config *c,
                                  struct diags *d) {
    const double mhz = carried_mhz(g, c, c->vdd_v), want = g->clocks.core_mhz;
    if (!(mhz > 0) || want <= 1.0005 * mhz) return WW_OK;
    double enough = 0;
    for (double v = c->vdd_v; v < 2 && enough == 0; v += 0.001) {
        double reach = carried_mhz(g, c, v);
        if (!(reach > 0)) break;
        if (want <= 1.0005 * reach) enough = v;
    }
    const char *key = c->vdd_v != g->nominal.vdd_v && want == g->nominal.core_mhz
                          ? "tech.vdd_v"
                          : "clocks.core_mhz";
    if (enough > 0)
        return gpu_config_refuse(g, key, d,
                                 "at %g V this chip carries %.4g MHz, not %g (alpha-power law from "
                                 "%g MHz at %g V); it needs %.3f V: -s core.vdd=%.3f",
                                 c->vdd_v, mhz, want, g->nominal.core_mhz, g->nominal.vdd_v, enough,
                                 enough);
    return gpu_config_refuse(g, key, d,
                             "at %g V this chip carries %.4g MHz, not %g (alpha-power law from %g "
                             "MHz at %g V), and no supply that the model knows does",
                             c->vdd_v, mhz, want, g->nominal.core_mhz, g->nominal.vdd_v);
}

enum ww_status power_config_of(const struct gpu_config *g, struct power_config *out,
                               struct diags *d) {
    static const enum tech_type device[] = {
        [GPU_DEVICE_HP] = TECH_HP, [GPU_DEVICE_LSTP] = TECH_LSTP, [GPU_DEVICE_LOP] = TECH_LOP};
    const struct sm_config *s = &g->sm;
    const struct mem_config *m = &g->mem;
    const struct gpu_power *p = &g->power;
    static const struct dram_device *const dram_kind[] = {[DRAM_GDDR5] = &dram_gddr5_1gb,
                                                          [DRAM_GDDR3] = &dram_gddr3_1gb,
                                                          [DRAM_DDR3] = &dram_ddr3_4gb};
    const struct dram_device *dram = dram_kind[m->dram.kind];
    const double chips =
        (double)m->partitions * m->dram.channels_per_partition * m->dram.chips_per_channel;
    if (dram == &dram_ddr3_4gb && (double)g->memory_bytes / chips < 256.0 * (1 << 20))
        dram = &dram_ddr3_1gb; // the nearer of two sheets: below 2 Gbit a device
    if (m->dram.chips_per_channel * dram->bits != m->dram.bus_bits)
        return gpu_config_refuse(g, "mem.dram.chips_per_channel", d,
                                 "the data sheet of this kind of memory is of devices of %u bits; "
                                 "%u of them do not make a channel of %u bits",
                                 dram->bits, m->dram.chips_per_channel, m->dram.bus_bits);
    unsigned fp_lanes = lanes_of(g, OPC_FP_FMA, s->clusters);
    // A warp of FP enters over `passes` hot cycles; what is left of its latency are stages.
    double stages = s->timing[OPC_FP_FMA].latency * g->clocks.hot_mhz / g->clocks.core_mhz -
                    (passes(g, OPC_FP_FMA) - 1);
    *out = (struct power_config){
        .name = g->name,
        .node_nm = g->tech.node_nm,
        .vdd_v = g->tech.vdd_v,
        .temperature_k = g->tech.temperature_k,
        .device = device[p->device],
        .long_channel = p->long_channel,
        .core_hz = g->clocks.core_mhz * 1e6,
        .hot_hz = g->clocks.hot_mhz * 1e6,
        .net_hz = g->clocks.net_mhz * 1e6,
        .l2_hz = g->clocks.l2_mhz * 1e6,
        .dram_hz = g->clocks.dram_mhz * 1e6,
        .rest_chip_mm2 = p->rest_chip_mm2,
        .rest_lane_mm2 = p->rest_lane_mm2,
        .rest_logic_share = p->rest_logic_share,
        .rest_clock_pj_mm2 = p->rest_clock_pj_mm2,
        .rest_w = p->rest_w,
        .pad_bit_mm2 = p->pad_bit_mm2,
        .limit_k = p->limit_k,
        .peak_duty = p->peak_duty,
        .sms_on_die = p->sms_on_die,
        .sms = g->sm_count,
        .max_warps = s->max_warps,
        .schedulers = s->schedulers,
        .instruction_bits = 8 * s->instruction_bytes,
        .ibuffer_entries = s->ibuffer_entries,
        .scoreboard_entries = p->scoreboard_entries,
        .registers = s->registers,
        .rf_banks = s->rf_banks,
        .rf_node_nm = p->rf_node_nm,
        .rf_vdd_v = p->rf_vdd_v,
        .collectors = s->collectors + s->collectors_sfu + s->collectors_mem,
        .int_lanes = lanes_of(g, OPC_INT_ADD, s->clusters),
        .fp_lanes = fp_lanes,
        .sfu_lanes = lanes_of(g, OPC_SFU_TRIG, s->sfus),
        .dp_lanes = p->dp_lanes ? p->dp_lanes : lanes_of(g, OPC_DP_FMA, s->dp_units),
        .int_fp_shared_issue = s->int_fp_shared_issue,
        .shared_on_lanes = s->shared_on_lanes,
        .agu_lanes = s->agu_lanes,
        .lsu_queue = s->lsu_queue,
        .shared_banks = s->shared_banks,
        .shared_bytes = s->shared_bytes + s->l1d.bytes,
        .clusters = s->clusters,
        .tex_units = p->tex_units ? p->tex_units
                                  : (WARP_LANES + s->timing[OPC_TEX].interval - 1) /
                                        s->timing[OPC_TEX].interval,
        .pipeline_stages = (unsigned)fmax(1, round(stages)),
        .icache = cache_of(&s->icache, s->fetch_instructions * s->instruction_bytes),
        .l1 = cache_of(&s->l1d, 0),
        .constant = cache_of(&s->constant, 0),
        .texture = cache_of(&s->texture, 0),
        .partitions = m->partitions,
        .l2_slices = m->l2.bytes ? m->partitions * m->slices_per_partition : 0,
        .flit_bytes = m->net.flit_bytes,
        .mesh = m->net.kind == NET_MESH,
        .router_vcs = p->router_vcs,
        .router_depth = p->router_depth,
        .l2 = cache_of(&m->l2, 0),
        .channels = m->partitions * m->dram.channels_per_partition,
        .channel_bits = m->dram.bus_bits,
        .mc_queue = m->dram.queue,
        .mc_mts = p->mc_mts,
        .pcie_lanes = p->pcie_lanes,
        .idle_clock_share = p->idle_clock_share,
        .dram = dram,
        .dram_devices_a_channel = m->dram.chips_per_channel,
        .regulator_loss = p->regulator_loss,
        .board_w = p->board_w,
    };
    char sentence[256];
    const char *field = power_check(out, sentence, sizeof sentence);
    if (field) return gpu_config_refuse(g, key_of(field), d, "%s", sentence);
    return check_speed(g, out, d);
}
