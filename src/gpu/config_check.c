// What may not go together in a GPU file. A range that belongs to one key stands in
// config_keys.def; here are the rules between keys. The first broken rule of each section is told,
// with the place of the key that is most likely the wrong one.
#include "gpu/config_int.h"

struct check {
    const struct config_origin *origin; // NULL: a configuration made by hand
    struct diags *d;
    const char *prefix; // section of the keys below
};

// `keys`: the key that the sentence is about and, behind '|', others that may be the wrong one. The
// place told is that of whichever was set in the highest layer (the override, the derived file).
static void fail(const struct check *c, const char *keys, const char *fmt, ...) WW_PRINTF(3, 4);
static void fail(const struct check *c, const char *keys, const char *fmt, ...) {
    char text[512], path[128], blamed[128] = "";
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    const struct config_origin *o = c->origin;
    int best = -1;
    for (const char *key = keys; o && *key;) {
        const size_t len = strcspn(key, "|");
        snprintf(path, sizeof path, "%s%.*s", c->prefix, (int)len, key);
        for (uint32_t i = 0; i < o->n_keys; i++) {
            if (strcmp(o->paths[i], path) != 0 || o->layer_of[i] == UINT16_MAX) continue;
            if ((int)o->layer_of[i] <= best) continue;
            best = (int)o->layer_of[i];
            memcpy(blamed, path, sizeof blamed);
        }
        key += len + (key[len] == '|');
    }
    snprintf(path, sizeof path, "%s%.*s", c->prefix, (int)strcspn(keys, "|"), keys);
    if (best < 0) {
        diag_add(c->d, WW_ERROR_CONFIG, "%s %s", path, text);
        return;
    }
    const struct config_layer *layer = &o->layers[best];
    uint32_t line = 0, col = 0;
    const bool is_override = strncmp(layer->file, "-s ", 3) == 0;
    if (!is_override) config_find_line(layer->text, blamed, &line, &col);
    diag_at(c->d, DIAG_ERROR, WW_ERROR_CONFIG, layer->file, is_override ? NULL : layer->text, line,
            col, "%s %s", path, text);
}

static void check_cache(struct check c, const char *section, const struct cache_config *k,
                        uint32_t sector_min) {
    if (!k->bytes) return;
    c.prefix = section;
    const uint64_t way_bytes = (uint64_t)k->line_bytes * k->ways;
    if (!bits_is_pow2(k->line_bytes) || k->line_bytes < 32)
        fail(&c, "line_bytes", "must be a power of two of at least 32, not %u", k->line_bytes);
    else if (k->sector_bytes < sector_min || !bits_is_pow2(k->sector_bytes) ||
             k->sector_bytes > k->line_bytes)
        fail(&c, "sector_bytes", "must be a power of two from %u to the line's %u, not %u",
             sector_min, k->line_bytes, k->sector_bytes);
    else if (!k->ways)
        fail(&c, "ways", "must be at least 1 in a cache of %u bytes", k->bytes);
    else if (k->bytes % way_bytes)
        fail(&c, "bytes|line_bytes|ways",
             "is %u, which is not a whole number of sets of %u ways of %u bytes", k->bytes, k->ways,
             k->line_bytes);
    else if (!bits_is_pow2(k->bytes / way_bytes))
        fail(&c, "ways|bytes|line_bytes", "gives %llu sets, which must be a power of two",
             (unsigned long long)(k->bytes / way_bytes));
    else if (!k->mshrs)
        fail(&c, "mshrs", "must be at least 1");
    else if (!k->mshr_merge)
        fail(&c, "mshr_merge", "must be at least 1");
    else if (!k->hit_latency)
        fail(&c, "hit_latency", "must be at least 1");
    else if (!k->ports)
        fail(&c, "ports", "must be at least 1");
    else if (k->write_back && k->write_evict)
        fail(&c, "write_evict|write_back", "contradicts write_back: an evicted line would be lost");
}

// "lrr and two_level"
static void name_schedulers(uint32_t trait, char *out, size_t size) {
    uint32_t left = 0;
    size_t n = 0;
    for (uint32_t i = 0; i < SCHED_KINDS; i++) left += sm_scheduler_is(i, trait);
    for (uint32_t i = 0; i < SCHED_KINDS; i++) {
        if (!sm_scheduler_is(i, trait) || n >= size) continue;
        left--;
        n += (size_t)snprintf(out + n, size - n, "%s%s", sm_scheduler_info[i].name,
                              left > 1 ? ", " : left == 1 ? " and " : "");
    }
}

static void check_sm(const struct gpu_config *g, struct check c) {
    const struct sm_config *s = &g->sm;
    c.prefix = "sm.";
    static const uint32_t major_of[] = {[GEN_TESLA] = 1, [GEN_FERMI] = 2, [GEN_KEPLER] = 3};
    static const uint32_t most_registers[] = {[GEN_TESLA] = 128, [GEN_FERMI] = 63,
                                              [GEN_KEPLER] = 255};
    if (s->gen >= GEN_N || major_of[s->gen] != g->cc_major)
        fail(&c, "gen", "does not belong to compute capability %u.%u", g->cc_major, g->cc_minor);
    else if (g->max_registers > most_registers[s->gen]) {
        c.prefix = "";
        fail(&c, "max_registers", "is %u, but this generation encodes %u", g->max_registers,
             most_registers[s->gen]);
        c.prefix = "sm.";
    }
    if (s->max_threads % WARP_LANES || s->max_threads > s->max_warps * WARP_LANES)
        fail(&c, "max_threads|max_warps", "is %u, which %u warps of 32 threads do not hold",
             s->max_threads, s->max_warps);
    if (s->max_warps % s->schedulers)
        fail(&c, "schedulers|max_warps", "is %u, which does not divide %u warps", s->schedulers,
             s->max_warps);
    if (s->max_issues_per_warp > s->issue_width)
        fail(&c, "max_issues_per_warp|issue_width", "is %u, more than issue_width %u",
             s->max_issues_per_warp, s->issue_width);
    const bool has_set = sm_scheduler_is(s->scheduler, SCHED_HAS_SET);
    if (has_set && s->active_warps > s->max_warps)
        fail(&c, "active_warps|max_warps|scheduler", "is %u, more than the %u warps there are",
             s->active_warps, s->max_warps);
    if (has_set && s->active_warps < s->schedulers)
        fail(&c, "active_warps|schedulers|scheduler",
             "is %u, less than a warp for each of the %u schedulers", s->active_warps,
             s->schedulers);
    if (sm_scheduler_is(s->scheduler, SCHED_HAS_GROUPS) && s->group_warps < s->schedulers)
        fail(&c, "group_warps|schedulers|scheduler",
             "is %u, less than a warp for each of the %u schedulers", s->group_warps,
             s->schedulers);
    char sharing_schedulers[256];
    name_schedulers(SCHED_MAY_SHARE, sharing_schedulers, sizeof sharing_schedulers);
    if (s->shared_warps && !sm_scheduler_is(s->scheduler, SCHED_MAY_SHARE))
        fail(&c, "shared_warps|scheduler", "is true, which only schedulers %s can do",
             sharing_schedulers);
    if (s->cluster_at == CLUSTER_AT_ENTRY && s->shared_on_lanes)
        fail(&c, "cluster_at|shared_on_lanes",
             "is entry, but with shared_on_lanes an access to shared memory needs its cluster at "
             "issue");
    if (s->cluster_at == CLUSTER_AT_ENTRY && s->collector_ahead > 2)
        fail(&c, "cluster_at|collector_ahead",
             "is entry, but collector_ahead is %u: 2 at most, one register lies between collectors "
             "and clusters",
             s->collector_ahead);
    else if (s->cluster_at == CLUSTER_AT_ENTRY &&
             s->read_latency < (s->collector_ahead == 2 ? 2 : 1))
        fail(&c, "cluster_at|read_latency|collector_ahead",
             "is entry, which with collector_ahead %u needs a read_latency of %u at least, not %u",
             s->collector_ahead, s->collector_ahead == 2 ? 2 : 1, s->read_latency);
    if (s->reg_alloc_unit > s->registers)
        fail(&c, "reg_alloc_unit|registers", "is larger than the register file");
    if (s->warp_alloc_unit > s->max_warps)
        fail(&c, "warp_alloc_unit", "is larger than max_warps %u", s->max_warps);
    if (s->ibuffer_entries < s->fetch_instructions)
        fail(&c, "ibuffer_entries|fetch_instructions", "is %u, too small for a fetch of %u",
             s->ibuffer_entries, s->fetch_instructions);
    if (s->ibuffer_entries < s->max_issues_per_warp)
        fail(&c, "ibuffer_entries|max_issues_per_warp", "is %u, too small to issue %u",
             s->ibuffer_entries, s->max_issues_per_warp);
    if (!bits_is_pow2(s->instruction_bytes))
        fail(&c, "instruction_bytes", "must be a power of two");
    if (!bits_is_pow2(s->shared_banks)) fail(&c, "shared_banks", "must be a power of two");
    if (s->shared_bank_bytes != 4 && s->shared_bank_bytes != 8)
        fail(&c, "shared_bank_bytes", "must be 4 or 8");
    if (s->shared_lanes_a_pass != 16 && s->shared_lanes_a_pass != 32)
        fail(&c, "shared_lanes_a_pass", "must be 16 (half warps) or 32");
    if (!s->icache.bytes) fail(&c, "icache.bytes", "must not be 0: code is fetched through it");
    if (!s->constant.bytes) fail(&c, "constant.bytes", "must not be 0: parameters come through it");
    if (!s->texture.bytes) fail(&c, "texture.bytes", "must not be 0");
    if ((s->l1d_global || s->l1d_local) && !s->l1d.bytes)
        fail(&c, s->l1d_global ? "l1d_global|l1d.bytes" : "l1d_local|l1d.bytes",
             "needs a cache, but sm.l1d.bytes is 0");
    if (s->l1d.bytes && s->l1d.line_bytes != 128)
        fail(&c, "l1d.line_bytes", "must be 128: coalescing makes lines of that size");
    check_cache(c, "sm.icache.", &s->icache, 32);
    check_cache(c, "sm.l1d.", &s->l1d, 32);
    check_cache(c, "sm.constant.", &s->constant, 32);
    check_cache(c, "sm.texture.", &s->texture, 32);
}

static void check_mem(const struct gpu_config *g, struct check c) {
    const struct mem_config *m = &g->mem;
    const struct net_config *n = &m->net;
    const struct dram_config *r = &m->dram;
    c.prefix = "mem.";
    if (!bits_is_pow2(m->interleave_bytes))
        fail(&c, "interleave_bytes", "must be a power of two");
    else if (m->l2.bytes && m->interleave_bytes < m->l2.line_bytes)
        fail(&c, "interleave_bytes|l2.line_bytes", "is %u, less than an L2 line",
             m->interleave_bytes);
    check_cache(c, "mem.l2.", &m->l2, 32);
    if (m->quantum > n->reply_latency)
        fail(&c, "quantum|net.reply_latency", "is %u, but a reply may take only %u", m->quantum,
             n->reply_latency);
    c.prefix = "mem.net.";
    if (n->kind == NET_MESH && (!n->mesh_width || !n->hop_latency))
        fail(&c, n->mesh_width ? "hop_latency|kind" : "mesh_width|kind", "must not be 0 in a mesh");
    const uint32_t packet = (n->control_bytes + 128 + n->flit_bytes - 1) / n->flit_bytes;
    if (n->input_queue_flits < packet)
        fail(&c, "input_queue_flits|flit_bytes", "is %u, but a packet of 128 bytes has %u flits",
             n->input_queue_flits, packet);
    if (n->output_queue_flits < packet)
        fail(&c, "output_queue_flits|flit_bytes", "is %u, but a packet of 128 bytes has %u flits",
             n->output_queue_flits, packet);
    c.prefix = "mem.dram.";
    const uint32_t burst_bytes = r->bus_bits / 8 * r->burst_length;
    if (!bits_is_pow2(burst_bytes))
        fail(&c, "burst_length|bus_bits", "gives bursts of %u bytes, which must be a power of two",
             burst_bytes);
    if (r->row_bytes % burst_bytes)
        fail(&c, "row_bytes|burst_length|bus_bits",
             "is %u, not a whole number of bursts of %u bytes", r->row_bytes, burst_bytes);
    if (r->banks % r->bank_groups)
        fail(&c, "bank_groups|banks", "is %u, which does not divide %u banks", r->bank_groups,
             r->banks);
    if (r->bus_bits % r->chips_per_channel)
        fail(&c, "chips_per_channel|bus_bits", "is %u, which does not divide %u bits",
             r->chips_per_channel, r->bus_bits);
    if (r->ras < r->rcd) fail(&c, "ras|rcd", "is %u, less than rcd %u", r->ras, r->rcd);
    if (r->rc < r->ras + r->rp)
        fail(&c, "rc|ras|rp", "is %u, less than ras + rp (%u + %u)", r->rc, r->ras, r->rp);
    if (r->ccd_l < r->ccd_s)
        fail(&c, "ccd_l|ccd_s", "is %u, less than ccd_s %u", r->ccd_l, r->ccd_s);
    if (r->rfc >= r->refi) fail(&c, "rfc|refi", "is %u, not less than refi %u", r->rfc, r->refi);
}

enum ww_status config_check(const struct gpu_config *g, const struct config_origin *o,
                            struct diags *d) {
    const uint32_t errors = d->errors;
    struct check c = {.origin = o, .d = d, .prefix = ""};
    struct gpu_limits limits;
    gpu_config_limits(g, &limits);
    if (!limits.warp_size)
        fail(&c, "cc_minor", "makes compute capability %u.%u, of which nothing is known",
             g->cc_major, g->cc_minor);
    c.prefix = "clocks.";
    const double ratio = g->clocks.hot_mhz / g->clocks.core_mhz;
    if (ratio < 0.999 || ratio - (double)(int)(ratio + 0.5) > 0.001 ||
        (double)(int)(ratio + 0.5) - ratio > 0.001)
        fail(&c, "hot_mhz|core_mhz", "is %g, which is not a whole multiple of core_mhz %g",
             g->clocks.hot_mhz, g->clocks.core_mhz);
    check_sm(g, c);
    check_mem(g, c);
    return d->errors > errors ? WW_ERROR_CONFIG : WW_OK;
}
