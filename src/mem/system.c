// The memory system as a whole: checks a configuration and says what is wrong with it, derives
// clocks and shapes, owns ports and partitions, and answers for all of them.
//
// Clocks. A tick is chosen so that each clock's period is a whole number of ticks: the least common
// multiple of the frequencies, in kHz. Conversions are then exact and nothing drifts. Frequencies
// without a small common multiple are rounded to a period of a whole number of 2^-22 core cycles,
// which is off by less than 0.2 parts in a million of the core clock, and exact from there on.
#include <math.h>

#include "mem/system.h"

enum {
    MAX_SMS = 4096,
    MAX_PARTITIONS = 256,
    MAX_PARTS = 64,       // slices or channels of a partition
    MAX_MERGE = 256,      // struct partition's waiters
    MAX_LINE = 256,       // bytes: 64 words of 4 bytes
    MAX_CLOCKS = 1 << 16, // any timing parameter
    MAX_CYCLES = 1 << 20, // any latency
    TICK_BITS = 22
};

// ---- checks ---------------------------------------------------------------------------------
#define REFUSE(...) return diag_add(d, WW_ERROR_CONFIG, __VA_ARGS__)

static enum ww_status check_l2(const struct mem_config *c, struct diags *d) {
    if (!c->l2.bytes) return WW_OK;
    const char *wrong = cache_config_wrong(&c->l2);
    if (wrong) REFUSE("l2: %s", wrong);
    if (c->l2.line_bytes < 32 || c->l2.line_bytes > MAX_LINE)
        REFUSE("l2.line_bytes is %u; it must be between 32 and %d", c->l2.line_bytes, MAX_LINE);
    const uint32_t sector = c->l2.sector_bytes ? c->l2.sector_bytes : c->l2.line_bytes;
    if (sector < 32) REFUSE("l2.sector_bytes is %u; requests come in units of 32 bytes", sector);
    if (c->l2.line_bytes > c->interleave_bytes)
        REFUSE("interleave_bytes (%u) must hold a whole L2 line (%u bytes)", c->interleave_bytes,
               c->l2.line_bytes);
    if (c->l2.write_evict) REFUSE("l2.write_evict: an L2 that evicts on writes is not modelled");
    if (!c->l2.mshrs || c->l2.mshrs > 1 << 16)
        REFUSE("l2.mshrs is %u; an L2 needs between 1 and 65536", c->l2.mshrs);
    if (!c->l2.mshr_merge || c->l2.mshr_merge > MAX_MERGE)
        REFUSE("l2.mshr_merge is %u; it must be between 1 and %d", c->l2.mshr_merge, MAX_MERGE);
    if (!c->l2.ports) REFUSE("l2.ports is 0; a slice needs at least one access a cycle");
    if (c->l2.hit_latency > MAX_CYCLES)
        REFUSE("l2.hit_latency (%u) is too large", c->l2.hit_latency);
    if (c->l2_far_latency && c->slices_per_partition % 2)
        REFUSE("l2_far_latency is %u; halves need an even number of slices_per_partition, which is %u",
               c->l2_far_latency, c->slices_per_partition);
    if (c->l2_far_latency && c->net.kind == NET_MESH)
        REFUSE("l2_far_latency is %u; halves of L2 lie at a crossbar, not at a mesh", c->l2_far_latency);
    return WW_OK;
}

static enum ww_status check_net(const struct mem_config *c, struct diags *d) {
    const struct net_config *n = &c->net;
    if (n->kind != NET_CROSSBAR && n->kind != NET_MESH)
        REFUSE("net.kind is %u; it must be a crossbar or a mesh", n->kind);
    if (!n->flit_bytes) REFUSE("net.flit_bytes is 0");
    if (net_flits(n, true, 256) > 255)
        REFUSE("net.flit_bytes (%u) cuts a packet into more than 255 flits", n->flit_bytes);
    if (n->request_latency > MAX_CYCLES || n->reply_latency > MAX_CYCLES)
        REFUSE("net.request_latency (%u) or net.reply_latency (%u) is too large",
               n->request_latency, n->reply_latency);
    if (!n->reply_latency)
        REFUSE("net.reply_latency is 0; a reply must travel for at least one cycle");
    if (c->quantum > n->reply_latency)
        REFUSE("quantum (%u cycles) is longer than net.reply_latency (%u): a reply could reach its "
               "SM in the quantum in which it left",
               c->quantum, n->reply_latency);
    const uint32_t write = net_flits(n, true, 128);
    if (n->input_queue_flits < write || n->input_queue_flits > 1 << 14)
        REFUSE("net.input_queue_flits is %u; a write of 128 bytes takes %u flits and would never "
               "be sent (the largest value is 16384)",
               n->input_queue_flits, write);
    if (!n->output_queue_flits) REFUSE("net.output_queue_flits is 0; no reply could leave");
    if (n->kind != NET_MESH) return WW_OK;
    if (!n->mesh_width) REFUSE("net.mesh_width is 0");
    if (!n->request_latency)
        REFUSE("net.request_latency is 0; a mesh needs at least one cycle from SM to router");
    if (c->quantum > n->request_latency)
        REFUSE(
            "quantum (%u cycles) is longer than net.request_latency (%u): a mesh routes requests "
            "after the quantum in which they were sent",
            c->quantum, n->request_latency);
    if (n->hop_latency > MAX_CLOCKS) REFUSE("net.hop_latency (%u) is too large", n->hop_latency);
    return WW_OK;
}

static enum ww_status check_dram(const struct mem_config *c, struct diags *d) {
    const struct dram_config *m = &c->dram;
    if (m->kind >= DRAM_KINDS) REFUSE("dram.kind is %u; there are %d kinds", m->kind, DRAM_KINDS);
    if (!m->bus_bits || m->bus_bits % 8)
        REFUSE("dram.bus_bits is %u; it must be whole bytes", m->bus_bits);
    if (!m->burst_length || !m->data_rate || m->burst_length % m->data_rate)
        REFUSE("dram.burst_length (%u) must be a multiple of dram.data_rate (%u)", m->burst_length,
               m->data_rate);
    const uint64_t burst = (uint64_t)m->bus_bits / 8 * m->burst_length;
    if (!bits_is_pow2(burst) || burst < 8 || burst > 256)
        REFUSE("dram: a burst of %u transfers of %u bits is %llu bytes; it must be a power of two "
               "from 8 to 256",
               m->burst_length, m->bus_bits, (unsigned long long)burst);
    if (!bits_is_pow2(m->banks) || m->banks > DRAM_BANKS)
        REFUSE("dram.banks is %u; it must be a power of two up to %d", m->banks, DRAM_BANKS);
    const uint32_t groups = m->bank_groups ? m->bank_groups : 1;
    if (!bits_is_pow2(groups) || groups > 8 || groups > m->banks)
        REFUSE("dram.bank_groups is %u; it must be a power of two up to 8 and to the banks",
               groups);
    const uint32_t chunk =
        m->bank_interleave_bytes ? m->bank_interleave_bytes : c->interleave_bytes;
    const uint32_t line = c->l2.bytes ? c->l2.line_bytes : 128;
    if (!bits_is_pow2(chunk) || chunk < line || chunk < burst)
        REFUSE("dram.bank_interleave_bytes is %u; it must be a power of two that holds a line (%u) "
               "and a burst (%llu)",
               chunk, line, (unsigned long long)burst);
    if (!bits_is_pow2(m->row_bytes) || m->row_bytes < chunk)
        REFUSE("dram.row_bytes is %u; it must be a power of two that holds what stays in a bank "
               "(%u bytes)",
               m->row_bytes, chunk);
    if (!m->queue || m->queue > 4096 || m->write_queue > 4096)
        REFUSE("dram.queue is %u and dram.write_queue %u; a window has 1 to 4096 entries", m->queue,
               m->write_queue);
    const uint32_t writes = m->write_queue ? m->write_queue : m->queue;
    if (m->write_high > writes || (m->write_high && m->write_low >= m->write_high))
        REFUSE("dram.write_high (%u) must lie between write_low (%u) and write_queue (%u)",
               m->write_high, m->write_low, writes);
    const struct {
        const char *name;
        uint32_t value;
        bool needed;
    } t[] = {{"cl", m->cl, true},        {"wl", m->wl, true},    {"rcd", m->rcd, true},
             {"rp", m->rp, true},        {"ras", m->ras, true},  {"rc", m->rc, true},
             {"rrd", m->rrd, true},      {"faw", m->faw, false}, {"ccd_s", m->ccd_s, true},
             {"ccd_l", m->ccd_l, false}, {"rtp", m->rtp, true},  {"wr", m->wr, true},
             {"wtr", m->wtr, true},      {"rtw", m->rtw, false}, {"refi", m->refi, false},
             {"rfc", m->rfc, false},     {"rfc_one", m->rfc_one, false}};
    for (uint32_t i = 0; i < WW_COUNT(t); i++) {
        if (t[i].needed && !t[i].value) REFUSE("dram.%s is 0", t[i].name);
        if (t[i].value > MAX_CLOCKS)
            REFUSE("dram.%s (%u clocks) is too large", t[i].name, t[i].value);
    }
    if (m->rc < m->ras + m->rp)
        REFUSE("dram.rc (%u) is shorter than ras + rp (%u + %u)", m->rc, m->ras, m->rp);
    if (groups > 1 && m->ccd_l && m->ccd_l < m->ccd_s)
        REFUSE("dram.ccd_l (%u) is shorter than ccd_s (%u)", m->ccd_l, m->ccd_s);
    if (m->refi && m->refi <= m->rfc + m->ras + m->rp)
        REFUSE("dram.refi (%u) leaves no time between refreshes of rfc %u clocks", m->refi, m->rfc);
    if (m->rfc_one && m->refi / m->banks == 0)
        REFUSE("dram.refi (%u) has less than a clock for each of %u banks", m->refi, m->banks);
    if (m->starve > MAX_CLOCKS - 1) REFUSE("dram.starve (%u) is too large", m->starve);
    if (m->controller_latency > MAX_CYCLES)
        REFUSE("dram.controller_latency (%u) is too large", m->controller_latency);
    return WW_OK;
}

static enum ww_status check(const struct mem_config *c, uint32_t sms, double core_mhz,
                            struct diags *d) {
    if (!sms || sms > MAX_SMS) REFUSE("a GPU of %u SMs; 1 to %d are possible", sms, MAX_SMS);
    if (!c->partitions || c->partitions > MAX_PARTITIONS)
        REFUSE("partitions is %u; a memory system has 1 to %d", c->partitions, MAX_PARTITIONS);
    const uint32_t slices = c->slices_per_partition, channels = c->dram.channels_per_partition;
    if (!slices || slices > MAX_PARTS)
        REFUSE("slices_per_partition is %u; it must be 1 to %d", slices, MAX_PARTS);
    if (!channels || channels > MAX_PARTS || (slices % channels && channels % slices))
        REFUSE("dram.channels_per_partition (%u) must divide slices_per_partition (%u) or be a "
               "multiple of it",
               channels, slices);
    if (c->channel_xor && channels != 2 * slices)
        REFUSE(
            "channel_xor chooses between two channels a slice; dram.channels_per_partition is %u "
            "and slices_per_partition %u",
            channels, slices);
    if (!bits_is_pow2(c->interleave_bytes) || c->interleave_bytes < 128 ||
        c->interleave_bytes > 1u << 30)
        REFUSE("interleave_bytes is %u; it must be a power of two of at least 128",
               c->interleave_bytes);
    const struct {
        const char *name;
        double mhz;
    } clocks[] = {{"core clock", core_mhz},
                  {"net.clock_mhz", c->net.clock_mhz},
                  {"l2_clock_mhz", c->l2_clock_mhz},
                  {"dram.clock_mhz", c->dram.clock_mhz}};
    for (uint32_t i = 0; i < WW_COUNT(clocks); i++)
        if (!(clocks[i].mhz >= 1 && clocks[i].mhz <= 100000))
            REFUSE("%s is %g MHz; it must be between 1 and 100000", clocks[i].name, clocks[i].mhz);
    const char *const wrong = tlb_config_wrong(&c->tlb, c->quantum ? c->quantum : c->net.reply_latency);
    if (wrong) REFUSE("tlb: %s", wrong);
    enum ww_status s = check_net(c, d);
    if (s == WW_OK) s = check_l2(c, d);
    if (s == WW_OK) s = check_dram(c, d);
    return s;
}

// ---- derived --------------------------------------------------------------------------------
static uint64_t gcd(uint64_t a, uint64_t b) {
    while (b) {
        const uint64_t r = a % b;
        a = b;
        b = r;
    }
    return a;
}

static struct tick_clock clock_of(uint64_t period) {
    return (struct tick_clock){.period = period, .div = fastdiv_of(period)};
}

static struct mem_clocks derive_clocks(const struct mem_config *c, double core_mhz) {
    const double mhz[4] = {core_mhz, c->net.clock_mhz, c->l2_clock_mhz, c->dram.clock_mhz};
    uint64_t khz[4], period[4], common = 1;
    bool exact = true;
    for (uint32_t i = 0; i < 4; i++) {
        khz[i] = (uint64_t)llround(mhz[i] * 1000);
        const uint64_t factor = khz[i] / gcd(common, khz[i]);
        if (common > (UINT64_C(1) << 62) / factor)
            exact = false;
        else
            common *= factor;
    }
    for (uint32_t i = 0; i < 4 && exact; i++) {
        period[i] = common / khz[i];
        if (period[i] >> (TICK_BITS + 2)) exact = false;
    }
    for (uint32_t i = 0; i < 4 && !exact; i++) {
        const double p = (double)(1 << TICK_BITS) * core_mhz / mhz[i];
        period[i] = p < 1 ? 1 : (uint64_t)llround(p);
    }
    return (struct mem_clocks){.core = clock_of(period[0]),
                               .net = clock_of(period[1]),
                               .l2 = clock_of(period[2]),
                               .dram = clock_of(period[3])};
}

static struct mem_map derive_map(const struct mem_config *c) {
    const uint32_t slices = c->slices_per_partition, channels = c->dram.channels_per_partition;
    struct mem_map m = {.block_shift = bits_first32(c->interleave_bytes),
                        .slices = slices,
                        .channels = channels,
                        .slices_a_channel = slices >= channels ? slices / channels : 1,
                        .channels_a_slice = channels > slices ? channels / slices : 1,
                        .hash = c->partition_hash,
                        .channel_xor = c->channel_xor,
                        .partitions = fastdiv_of(c->partitions),
                        .by_slices = fastdiv_of(slices)};
    m.by_channels_a_slice = fastdiv_of(m.channels_a_slice);
    return m;
}

static uint32_t log2_of(uint32_t x) { return bits_first32(x); }
static uint32_t or_else(uint32_t x, uint32_t other) { return x ? x : other; }
static uint32_t larger(uint32_t x, uint32_t y) { return x > y ? x : y; }

static struct dram_shape derive_dram(const struct mem_config *c, const struct mem_clocks *clock) {
    const struct dram_config *d = &c->dram;
    const uint32_t chunk = or_else(d->bank_interleave_bytes, c->interleave_bytes);
    const uint32_t groups = or_else(d->bank_groups, 1);
    struct dram_shape s = {
        .banks = d->banks,
        .groups = groups,
        .group_mask = groups - 1,
        .bank_shift = log2_of(d->banks),
        .chunk_shift = log2_of(chunk),
        .chunks_a_row_shift = log2_of(d->row_bytes / chunk),
        .burst_bytes = d->bus_bits / 8 * d->burst_length,
        .burst_clocks = d->burst_length / d->data_rate,
        .window = {d->queue, or_else(d->write_queue, d->queue)},
        .starve = or_else(d->starve, d->queue),
        .controller_clocks = (uint32_t)clock_edge(&clock->dram, or_else(d->controller_latency, 1) *
                                                                    clock->core.period),
        .latency = {d->cl, d->wl},
        .bank_hash = d->bank_hash,
        .open_page = d->row_open_policy,
        .rcd = d->rcd,
        .rp = d->rp,
        .ras = d->ras,
        .rc = d->rc,
        .rrd = d->rrd,
        .faw = d->faw,
        .ccd_s = d->ccd_s,
        .ccd_l = groups > 1 && d->ccd_l ? d->ccd_l : d->ccd_s,
        .rtp = d->rtp,
        .wr = d->wr,
        .wtr = d->wtr,
        .rtw = d->rtw,
        .refi = d->refi,
        .rfc = d->rfc,
        .rfc_one = d->refi ? d->rfc_one : 0,
        .period = clock->dram.period};
    s.one_late = groups <= 4 && s.ccd_l <= 2 * s.ccd_s;
    const uint32_t data_end[2] = {d->cl + s.burst_clocks, d->wl + s.burst_clocks};
    for (uint32_t from = 0; from < 2; from++) {
        for (uint32_t to = 0; to < 2; to++) {
            const uint32_t turn = from == to         ? 0
                                  : from == DIR_READ ? d->rtw
                                                     : data_end[from] + d->wtr;
            const uint32_t bus =
                data_end[from] > s.latency[to] ? data_end[from] - s.latency[to] : 0;
            s.column_gap[from][to] = larger(d->ccd_s, larger(turn, bus));
        }
    }
    s.precharge_gap[DIR_READ] = d->rtp;
    s.precharge_gap[DIR_WRITE] = data_end[DIR_WRITE] + d->wr;
    s.burst_shift = log2_of(s.burst_bytes);
    const uint32_t writes = s.window[DIR_WRITE];
    s.write_high = or_else(d->write_high, or_else(writes * 5 / 8, 1));
    s.write_low = d->write_high ? d->write_low : or_else(d->write_low, writes * 5 / 16);
    if (s.write_low >= s.write_high) s.write_low = s.write_high - 1;
    // The pipeline before a window holds what can pass it at the data bus's rate.
    const uint32_t pipeline = s.controller_clocks / s.ccd_s + 1;
    s.limit[DIR_READ] = s.window[DIR_READ] + pipeline;
    s.limit[DIR_WRITE] = s.window[DIR_WRITE] + pipeline;
    s.done_cap = 4;
    while (s.done_cap < d->cl + s.burst_clocks + s.controller_clocks + 4) s.done_cap *= 2;
    // Each read on its way may end in a write beyond the limit: a line that had to make place.
    // So may each line on its way between halves.
    const uint32_t crossing = c->l2_far_latency ? c->slices_per_partition * c->l2.mshrs : 0;
    const uint32_t overflow = d->channels_per_partition * (s.limit[DIR_READ] + s.done_cap) + 4 + crossing;
    s.entries = s.limit[DIR_READ] + s.limit[DIR_WRITE] + overflow;
    s.left_cap = 4;
    while (s.left_cap < 2 * s.entries) s.left_cap *= 2;
    return s;
}

// For each set of sectors of a line: the bursts that cover it, and all sectors that those bring.
static void derive_fetches(struct mem_system *m) {
    const uint32_t shift = m->dram.burst_shift, sector = m->sector_shift;
    for (uint32_t set = 0; set < 256; set++) {
        struct fetch *f = &m->fetch[set];
        if (shift <= sector) {
            f->sectors = (uint8_t)set;
            f->bursts = (uint8_t)(bits_count32(set) << (sector - shift));
            continue;
        }
        const uint32_t group = 1u << (shift - sector), mask = group < 8 ? (1u << group) - 1 : 255;
        for (uint32_t at = 0; at < 8; at += group) {
            if (!(set >> at & mask)) continue;
            f->sectors |= (uint8_t)(mask << at);
            f->bursts++;
        }
    }
}

double mem_config_peak_bandwidth(const struct mem_config *c) {
    return (double)c->partitions * c->dram.channels_per_partition * c->dram.bus_bits / 8 *
           c->dram.data_rate * c->dram.clock_mhz * 1e6;
}

// ---- life -----------------------------------------------------------------------------------
static bool build(struct mem_system *m, const struct mem_config *c, uint32_t sms, double core_mhz) {
    m->c = *c;
    m->sms = sms;
    m->lapses = NIL;
    m->clock = derive_clocks(c, core_mhz);
    m->map = derive_map(c);
    m->dram = derive_dram(c, &m->clock);
    m->slices = c->partitions * c->slices_per_partition;
    m->quantum = c->net.reply_latency;
    if (c->net.kind == NET_MESH && c->net.request_latency < m->quantum)
        m->quantum = c->net.request_latency;
    if (c->quantum) m->quantum = c->quantum;
    m->line_bytes = c->l2.bytes ? c->l2.line_bytes : 128;
    m->line_shift = log2_of(m->line_bytes);
    m->sector_shift = !c->l2.bytes         ? 5
                      : c->l2.sector_bytes ? log2_of(c->l2.sector_bytes)
                                           : m->line_shift;
    m->block_sectors = c->l2.fetch_bytes >> m->sector_shift;
    m->cached = !c->l2.bytes ? 0 : c->l2_clients ? c->l2_clients : (1u << CLIENT_N) - 1;
    if (!c->l2.bytes) {
        // Without an L2 the slice is the controller's front end: one request a clock.
        m->c.l2 = (struct cache_config){.ports = 1};
    }
    m->hit_ticks = m->c.l2.hit_latency * m->clock.l2.period;
    m->queue_ticks = c->net.output_queue_flits * m->clock.net.period;
    m->atomic_ticks = c->l2_atomic_cycles * m->clock.l2.period;
    m->far_ticks = c->l2.bytes ? c->l2_far_latency * m->clock.core.period : 0;
    for (uint32_t i = 0; i <= 8; i++) m->flits[i] = (uint8_t)net_flits(&c->net, i > 0, i * 32);
    derive_fetches(m);
    if (c->tlb.l1_entries != 0 && !(m->tlb = tlb_create(&m->c.tlb, sms))) return false;
    m->port = ww_alloc_aligned(sms * sizeof *m->port);
    m->partition = ww_alloc_aligned(c->partitions * sizeof *m->partition);
    m->replies = ww_alloc_aligned((size_t)sms * m->slices * sizeof *m->replies);
    if (!m->port || !m->partition || !m->replies || !marks_create(&m->sent, m->slices, sms) ||
        !marks_create(&m->replied, sms, m->slices))
        return false;
    bool ok = true;
    for (uint32_t i = 0; i < sms; i++) {
        m->port[i].half = i / 2 & 1; // a TPC has two SMs
        m->port[i].system = m;
        ok = ok && port_create(&m->port[i], m, i);
    }
    for (uint32_t i = 0; i < c->partitions; i++) {
        m->partition[i].m = m;
        ok = ok && partition_create(&m->partition[i], m, i);
    }
    for (uint32_t i = 0; ok && i < sms * m->slices; i++) {
        const uint32_t sm = i / m->slices, s = i % m->slices;
        m->port[sm].to[s].from = &m->partition[s / m->map.slices].slice[s % m->map.slices].from[sm];
    }
    ok = ok && remote_create(m);
    return ok && (c->net.kind != NET_MESH || net_mesh_create(m));
}

enum ww_status mem_system_create(const struct mem_config *c, uint32_t n_sms, double core_clock_mhz,
                                 struct diags *d, struct mem_system **out) {
    *out = NULL;
    const enum ww_status s = check(c, n_sms, core_clock_mhz, d);
    if (s != WW_OK) return s;
    struct mem_system *m = ww_alloc_aligned(sizeof *m);
    if (!m || !build(m, c, n_sms, core_clock_mhz)) {
        mem_system_destroy(m);
        return diag_add(d, WW_ERROR_MEMORY, "no memory for the memory system of %u SMs", n_sms);
    }
    *out = m;
    return WW_OK;
}

void mem_system_destroy(struct mem_system *m) {
    if (!m) return;
    for (uint32_t i = 0; m->partition && i < m->c.partitions; i++)
        partition_destroy(&m->partition[i]);
    remote_destroy(m);
    for (uint32_t i = 0; m->port && i < m->sms; i++) port_destroy(&m->port[i]);
    net_mesh_destroy(&m->mesh);
    tlb_destroy(m->tlb);
    ww_free_aligned(m->replies);
    ww_free_aligned(m->sent.at);
    ww_free_aligned(m->replied.at);
    ww_free_aligned(m->partition);
    ww_free_aligned(m->port);
    ww_free_aligned(m);
}

void mem_system_reset(struct mem_system *m) {
    for (uint32_t i = 0; i < m->c.partitions; i++) {
        struct partition *p = &m->partition[i];
        const uint64_t clock = p->channel[0].accounted;
        for (uint32_t k = 0; k < m->map.slices; k++)
            l2_tell_flush(p, k, clock * m->clock.dram.period);
        partition_reset(p, clock);
    }
    for (uint32_t i = 0; i < m->sms; i++) port_reset(&m->port[i]);
    if (m->tlb) tlb_forget(m->tlb);
    net_mesh_reset(&m->mesh);
}

// ---- lines that go last ----------------------------------------------------------------------
void mem_system_set_aside(struct mem_system *m, uint64_t bytes) {
    for (uint32_t i = 0; i < m->c.partitions; i++)
        for (uint32_t k = 0; k < m->map.slices; k++) {
            struct cache *const tags = m->partition[i].slice[k].tags;
            if (!tags) continue;
            const uint64_t all = (uint64_t)m->c.l2.bytes * m->map.slices * m->c.partitions;
            const uint64_t ways = (bytes * tags->ways + all - 1) / all;
            tags->last_ways = (uint32_t)(ways < tags->ways ? ways : tags->ways);
        }
}
void mem_system_reset_priorities(struct mem_system *m) {
    for (uint32_t i = 0; i < m->c.partitions; i++)
        for (uint32_t k = 0; k < m->map.slices; k++)
            if (m->partition[i].slice[k].tags) cache_reset_ranks(m->partition[i].slice[k].tags);
}

void mem_system_forget(struct mem_system *m, uint64_t cycle) {
    if (m->tlb) tlb_forget(m->tlb);
    for (uint32_t i = 0; i < m->c.partitions; i++) {
        for (uint32_t k = 0; k < m->map.slices; k++) {
            struct slice *const s = &m->partition[i].slice[k];
            if (!s->tags) continue;
            l2_tell_flush(&m->partition[i], k, cycle * m->clock.core.period);
            cache_invalidate(s->tags);
            memset(s->words, 0, cache_lines(s->tags) * sizeof *s->words);
        }
    }
}

// ---- questions ------------------------------------------------------------------------------
uint32_t mem_quantum_cycles(const struct mem_system *m) { return m->quantum; }
uint32_t mem_tlb_sms(const struct mem_config *c) { return c->tlb.l1_entries ? c->tlb.l1_sms : 0; }
uint32_t mem_system_partitions(const struct mem_system *m) { return m->c.partitions; }
struct mem_port *mem_system_port(struct mem_system *m, uint32_t sm) {
    return &m->port[sm];
}
struct activity *mem_system_activity(struct mem_system *m, uint32_t partition) {
    return &m->partition[partition].act;
}
enum ww_status mem_system_listen(struct mem_system *m, const struct cache_listener *l) {
    if (m->listeners == MEM_MAX_LISTENERS) return WW_ERROR_LIMIT;
    if (l->lapses_at != NULL) {
        if (m->lapses != NIL) return WW_ERROR_LIMIT;
        m->lapses = m->listeners;
        for (uint32_t i = 0; i < m->c.partitions; i++)
            for (uint32_t k = 0; k < m->map.slices; k++) m->partition[i].slice[k].lapse_tick = 0;
    }
    m->listener[m->listeners++] = *l;
    return WW_OK;
}
uint64_t mem_system_l2_cycle(const struct mem_system *m, uint64_t core_cycle) {
    return clock_edge(&m->clock.l2, core_cycle * m->clock.core.period);
}
// The product may be beyond what fastdiv takes.
uint64_t mem_system_core_cycles(const struct mem_system *m, uint64_t l2_cycles) {
    const uint64_t l2 = m->clock.l2.period, core = m->clock.core.period;
    return l2_cycles / core * l2 + l2_cycles % core * l2 / core;
}
uint32_t mem_system_slices(const struct mem_system *m) { return m->slices; }
void mem_system_put_beside(struct mem_system *m, uint32_t sm, uint32_t half) {
    m->port[sm].half = half & 1;
}
uint32_t mem_system_l2_lines(const struct mem_system *m) {
    const struct cache *tags = m->partition[0].slice[0].tags;
    return tags ? cache_lines(tags) : 0;
}
uint32_t mem_system_slice_of(const struct mem_system *m, uint64_t addr) {
    const struct mem_place a = map_place(&m->map, addr);
    return a.partition * m->map.slices + a.slice;
}

void mem_system_run_serial(struct mem_system *m, uint64_t from, uint64_t to) {
    (void)from;
    if (m->tlb && tlb_has_asked(m->tlb)) tlb_run(m->tlb, m->port);
    if (m->c.net.kind != NET_MESH) return;
    net_route_requests(m, to);
    net_route_replies(m, to);
}

static uint64_t port_next_cycle(const struct mem_system *m, const struct mem_port *p) {
    uint64_t next = NEVER;
    if (p->remote.outstanding && mem_port_peek(p)) next = mem_port_peek(p)->cycle;
    if (!p->outstanding) return next;
    const struct mem_reply *r = mem_port_peek(p);
    if (r) next = r->cycle;
    if (p->held != NIL) next = min64(next, p->outbox[p->held].cycle);
    for (uint32_t w = 0; w < (m->slices + 63) / 64; w++) {
        FOR_EACH_BIT64(k, p->unseen[w]) {
            const uint32_t head = p->to[w * 64 + (uint32_t)k].from->head;
            if (head != NIL && p->outbox[head].cycle < next) next = p->outbox[head].cycle;
        }
    }
    const uint8_t *const marks = marks_row(&m->replied, p->sm);
    for (uint32_t s = 0; (s = marks_next(marks, s, m->slices)) < m->slices; s++) {
        const struct node *n = &partition_of(m, s)->node[replies_of(m, p->sm, s)->head];
        // It must be delivered a quantum before its cycle. In a mesh a reply that is not routed
        // yet is an event when it departs.
        const uint64_t c = n->cycle == NEVER       ? clock_floor(&m->clock.core, n->depart)
                           : n->cycle > m->quantum ? n->cycle - m->quantum
                                                   : 0;
        if (c < next) next = c;
    }
    if (p->log && p->log_head != p->log_tail) {
        const uint64_t c = clock_floor(&m->clock.core, p->log[p->log_head & p->log_mask].enter);
        if (c < next) next = c;
    }
    return next;
}

uint64_t mem_system_next_event(const struct mem_system *m, uint64_t now) {
    uint64_t next = NEVER;
    for (uint32_t i = 0; i < m->c.partitions; i++) {
        const uint64_t t = partition_next_tick(&m->partition[i]);
        if (t == NEVER) continue;
        const uint64_t c = clock_floor(&m->clock.core, t);
        if (c < next) next = c;
    }
    for (uint32_t i = 0; i < m->sms; i++) {
        const uint64_t c = port_next_cycle(m, &m->port[i]);
        if (c < next) next = c;
    }
    return next == NEVER || next > now ? next : now;
}

const char *mem_system_broken(const struct mem_system *m) {
    if (m->is_out_of_memory) return "no memory for packets between SMs";
    for (uint32_t i = 0; i < m->c.partitions; i++)
        if (m->partition[i].is_broken) return "data came from DRAM that no request waits for";
    return NULL;
}

void mem_system_describe(const struct mem_system *m, FILE *out) {
    static const char *const block[] = {"", ", waits for a miss register",
                                        ", waits for DRAM queues"};
    for (uint32_t i = 0; i < m->sms; i++)
        if (m->port[i].outstanding)
            fprintf(out, "SM %u: %u requests outstanding, %u replies not taken\n", i,
                    m->port[i].outstanding, m->port[i].reply_tail - m->port[i].reply_head);
    for (uint32_t i = 0; i < m->c.partitions; i++) {
        const struct partition *p = &m->partition[i];
        for (uint32_t k = 0; k < m->map.slices; k++) {
            const struct slice *s = &p->slice[k];
            uint32_t n = 0;
            for (uint32_t at = s->head; at != NIL; at = p->node[at].next) n++;
            const uint32_t misses = s->mshr ? mshr_used(s->mshr) : 0;
            if (n || misses)
                fprintf(out,
                        "partition %u, slice %u: %u requests in its input%s, %u lines missing\n", i,
                        k, n, block[s->block], misses);
        }
        for (uint32_t k = 0; k < m->map.channels; k++) {
            const struct dram_channel *c = &p->channel[k];
            const uint32_t reads = c->queued[DIR_READ];
            const uint32_t writes = c->queued[DIR_WRITE];
            if (reads || writes)
                fprintf(out, "partition %u, channel %u: %u reads and %u writes queued, %s\n", i, k,
                        reads, writes, c->mode == DIR_READ ? "reading" : "writing");
        }
    }
}
