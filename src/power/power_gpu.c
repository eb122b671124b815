// Reads a GPU's configuration as the power model wants it. Numbers that the simulator does not need
// (a rest of the die, losses) come from the file's section `power`; the rest follows from
// structure.
#include "exec/exec.h"
#include "gpu/fields.h"
#include "power/power_gpu.h"

#include <math.h>

static struct power_cache cache_of(const struct cache_config *k, unsigned out_bytes) {
    return (struct power_cache){.bytes = k->bytes,
                                .line_bytes = k->line_bytes,
                                .sector_bytes = k->sector_bytes,
                                .ways = k->ways,
                                .out_bytes = out_bytes,
                                .mshrs = k->mshrs,
                                .mshr_merge = k->mshr_merge};
}

// A sub-core's instruction cache has the lines of the SM's.
static struct power_cache l0_of(const struct sm_config *s) {
    struct power_cache k = cache_of(&s->icache, s->fetch_instructions * s->instruction_bytes);
    k.bytes = s->l0_bytes, k.ways = s->l0_ways, k.mshrs = 0;
    return k;
}

// Hot cycles that `n` pipelines of an SM keep a warp of this class, each.
static double passes(const struct gpu_config *g, unsigned op_class) {
    return g->sm.timing[op_class].interval * g->clocks.hot_mhz / g->clocks.core_mhz;
}

static unsigned lanes_of(const struct gpu_config *g, unsigned op_class, unsigned pipelines) {
    unsigned lanes = (unsigned)lround(pipelines * WARP_LANES / passes(g, op_class));
    return lanes || !pipelines ? lanes : 1;
}

// A product of 16 by 8 by 8 is 1024 multiply-adds.
static unsigned tensor_of(const struct gpu_config *g) {
    if (!g->sm.tensor_units || !g->sm.timing[OPC_MMA_1688_F16].interval) return 0;
    return (unsigned)lround(g->sm.tensor_units * 1024 / passes(g, OPC_MMA_1688_F16));
}

// A warp of FP enters over `passes` hot cycles; what is left of its latency are stages.
static unsigned stages_of(const struct gpu_config *g) {
    const double stages =
        g->sm.timing[OPC_FP_FMA].latency * g->clocks.hot_mhz / g->clocks.core_mhz -
        (passes(g, OPC_FP_FMA) - 1);
    return (unsigned)fmax(1, round(stages));
}

#define OF_CACHE(section, others)                                                                  \
    section ".bytes|" section ".line_bytes|" section ".sector_bytes|" section ".ways|" section     \
            ".mshrs|" section ".mshr_merge" others
const struct power_key power_keys[] = {
#define FIELD(type, name, keys, ...)               {#name, keys},
#define KEY(type, name, keys, ...)                 {#name, keys},
#define CACHE(name, section, value, others, prose) {#name, OF_CACHE(section, others)},
#include "power/config.def"
    {NULL}};

// Key of a GPU file behind a field of power_config.
static void key_of(const char *field, char key[64]) {
    const struct power_key *k = power_keys;
    while (k->field && strcmp(k->field, field) != 0) k++;
    const char *const keys = k->field ? k->keys : "tech.node_nm";
    snprintf(key, 64, "%.*s", (int)strcspn(keys, "|"), keys);
}

// The clock that the transistors could carry at a supply, by the alpha-power law from the file's
// own clock and supply, which are taken to be the chip's limit. 0 where nothing is known.
double power_carried_mhz(const struct gpu_config *g, const struct power_config *c, double vdd_v) {
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

// A point holds where the board has it (gpu_supply_at), or where the transistors carry it: a supply
// below the board's eats up its guard band.
static enum ww_status check_speed(const struct gpu_config *g, const struct power_config *c,
                                  struct diags *d) {
    const double want = g->clocks.core_mhz, board = gpu_supply_at(g, want),
                 mhz = power_carried_mhz(g, c, c->vdd_v);
    if (!(mhz > 0) || want <= 1.0005 * mhz || (board > 0 && c->vdd_v >= board - 1e-4)) return WW_OK;
    double enough = board;
    for (double v = c->vdd_v; v < 2; v += 0.001) {
        const double reach = power_carried_mhz(g, c, v);
        if (!(reach > 0) || (board > 0 && v >= board)) break;
        if (want > 1.0005 * reach) continue;
        enough = v;
        break;
    }
    const char *key = c->vdd_v != g->nominal.vdd_v && want == g->nominal.core_mhz
                          ? "tech.vdd_v"
                          : "clocks.core_mhz";
    char end[96] = "", need[64] = "no supply that the model knows does";
    struct gpu_supply_points t;
    gpu_supply_points(g, &t);
    if (!(board > 0) && t.n)
        snprintf(end, sizeof end, "; the board's points (tech.volts) end at %g MHz",
                 t.mhz[t.n - 1]);
    enough = ceil(enough * 1e3 - 1e-6) / 1e3; // as it is said
    if (enough > 0)
        snprintf(need, sizeof need, "it needs %.3f V: -s core.vdd=%.3f", enough, enough);
    return gpu_config_refuse(g, key, d,
                             "at %g V this chip carries %.4g MHz, not %g (alpha-power law from %g "
                             "MHz at %g V%s); %s",
                             c->vdd_v, mhz, want, g->nominal.core_mhz, g->nominal.vdd_v, end, need);
}

enum ww_status power_config_of(const struct gpu_config *g, struct power_config *out,
                               struct diags *d) {
    static const enum tech_type device[] = {
        [GPU_DEVICE_HP] = TECH_HP, [GPU_DEVICE_LSTP] = TECH_LSTP, [GPU_DEVICE_LOP] = TECH_LOP};
    const struct sm_config *s = &g->sm;
    const struct mem_config *m = &g->mem;
    const struct gpu_power *p = &g->power;
    static const struct dram_device *const dram_kind[DRAM_KINDS] = {
        [DRAM_GDDR5] = &dram_gddr5_1gb, [DRAM_GDDR3] = &dram_gddr3_1gb,
        [DRAM_DDR3] = &dram_ddr3_4gb,   [DRAM_GDDR5X] = &dram_gddr5x_8gb,
        [DRAM_GDDR6] = &dram_gddr6_8gb, [DRAM_HBM2] = &dram_hbm2_8gb,
        [DRAM_HBM3] = &dram_hbm3_16gb,  [DRAM_HBM3E] = &dram_hbm3e_24gb,
        [DRAM_GDDR6X] = &dram_gddr6x_8gb};
    const struct dram_device *dram = dram_kind[m->dram.kind];
    if (dram == NULL)
        return gpu_config_refuse(g, "mem.dram.kind", d, "the power model has no data sheet of %s",
                                 dram_kind_name(m->dram.kind));
    const double chips =
        (double)m->partitions * m->dram.channels_per_partition * m->dram.chips_per_channel;
    if (dram == &dram_ddr3_4gb && (double)g->memory_bytes / chips < 256.0 * (1 << 20))
        dram = &dram_ddr3_1gb; // the nearer of two sheets: below 2 Gbit a device
    if (m->dram.chips_per_channel * dram->bits != m->dram.bus_bits)
        return gpu_config_refuse(g, "mem.dram.chips_per_channel", d,
                                 "the data sheet of this kind of memory is of devices of %u bits; "
                                 "%u of them do not make a channel of %u bits",
                                 dram->bits, m->dram.chips_per_channel, m->dram.bus_bits);
    const struct power_config c = {
        .name = g->name,
#define FIELD(type, name, keys, least, most, value, prose) .name = value,
#define KEY(type, name, keys, value, prose)                .name = value,
#define CACHE(name, section, value, others, prose)         .name = value,
#include "power/config.def"
    };
    *out = c;
    char sentence[256];
    const char *field = power_check(out, sentence, sizeof sentence);
    if (field) {
        char key[64];
        key_of(field, key);
        return gpu_config_refuse(g, key, d, "%s", sentence);
    }
    return check_speed(g, out, d);
}
