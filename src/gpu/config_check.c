// What may not go together in a GPU file: the rules of config_rules.def, each told with the place
// of the key that is most likely the wrong one. A range that belongs to one key stands in
// config_keys.def.
#include "isa/generation.h"
#include "exec/exec.h"
#include "gpu/cluster.h"
#include "gpu/config_int.h"
#include "gpu/limits.h"

#include <math.h>

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

// ---- rules of many keys -------------------------------------------------------------------------
// The value of the `i`-th of keys with '|' between, and its name. False: there are no more.
static bool value_of(const struct check *c, const struct gpu_config *g, const char *keys, uint32_t i,
                     char name[64], uint64_t *value) {
    for (; *keys && i > 0; keys += *keys == '|', i--) keys += strcspn(keys, "|");
    if (!*keys) return false;
    char path[128];
    snprintf(name, 64, "%.*s", (int)strcspn(keys, "|"), keys);
    snprintf(path, sizeof path, "%s%s", c->prefix, name);
    *value = gpu_config_count(g, path);
    return true;
}

static bool each_given(const struct check *c, const struct gpu_config *g, const char *keys,
                       const char *others, const char *sentence) {
    char name[64];
    uint64_t value;
    bool all = true;
    for (uint32_t i = 0; value_of(c, g, keys, i, name, &value); i++) {
        if (value != 0) continue;
        char blamed[128];
        snprintf(blamed, sizeof blamed, "%s%s%s", name, *others ? "|" : "", others);
        fail(c, blamed, "%s", sentence);
        all = false;
    }
    return all;
}

static bool each_divided(const struct check *c, const struct gpu_config *g, const char *key,
                         const char *wholes) {
    char name[64];
    uint64_t part = 1, whole;
    bool all = true;
    value_of(c, g, key, 0, name, &part);
    for (uint32_t i = 0; value_of(c, g, wholes, i, name, &whole); i++) {
        if (whole % part == 0) continue;
        char blamed[128];
        snprintf(blamed, sizeof blamed, "%s|%s", key, name);
        fail(c, blamed, "is %llu, which does not divide %s %llu", (unsigned long long)part, name,
             (unsigned long long)whole);
        all = false;
    }
    return all;
}

// ---- what rules ask that is more than arithmetic ------------------------------------------------
// "lrr and two_level"
static const char *schedulers_with(uint32_t trait, char *out, size_t size) {
    uint32_t left = 0;
    size_t n = 0;
    for (uint32_t i = 0; i < SCHED_KINDS; i++) left += sm_scheduler_is(i, trait);
    for (uint32_t i = 0; i < SCHED_KINDS; i++) {
        if (!sm_scheduler_is(i, trait) || n >= size) continue;
        left--;
        n += (size_t)snprintf(out + n, size - n, "%s%s", sm_scheduler_info[i].name,
                              left > 1    ? ", "
                              : left == 1 ? " and "
                                          : "");
    }
    return out;
}

// Whether the generation's code stands for programs of the compute capability.
static bool gen_runs(uint32_t gen, uint32_t cc_major) {
    return gen < GEN_N && cc_major >= gen_info[gen].cc_first &&
           cc_major <= gen_info[gen].cc_last;
}
static uint32_t gen_registers(uint32_t gen) { return gen < GEN_N ? gen_info[gen].registers : 0; }

static bool is_whole(double ratio) { return ratio >= 0.999 && fabs(ratio - round(ratio)) <= 0.001; }

static bool gpcs_hold(const struct gpu_config *g) {
    uint32_t size[GPC_MOST], all = 0;
    const uint32_t n = gpc_sizes(g->gpc_sms, size);
    for (uint32_t i = 0; i < n; i++) all += size[i];
    return !g->gpc_sms[0] || all >= g->sm_count;
}
static bool is_known(const struct gpu_config *g) {
    struct gpu_limits limits;
    gpu_config_limits(g, &limits);
    return limits.warp_size != 0;
}

static uint64_t set_bytes(const struct cache_config *k) {
    return (uint64_t)k->line_bytes * k->ways;
}

// Flits of a packet with a line of 128 bytes.
static uint32_t packet_flits(const struct net_config *n) {
    return (n->control_bytes + 128 + n->flit_bytes - 1) / n->flit_bytes;
}

static uint32_t longest_line(const struct sm_config *s) {
    const struct cache_config *const k[] = {&s->icache, &s->l1d, &s->constant, &s->texture};
    uint32_t most = 0;
    for (uint32_t i = 0; i < WW_COUNT(k); i++)
        if (k[i]->bytes != 0 && k[i]->line_bytes > most) most = k[i]->line_bytes;
    return most;
}

static uint32_t burst_bytes(const struct dram_config *r) {
    return r->bus_bits / 8 * r->burst_length;
}

// ---- the rules, section by section --------------------------------------------------------------
#define RULE(keys, holds, ...)                                                                     \
    if (!(holds)) fail(&c, keys, __VA_ARGS__);
#define EACH_GIVEN(keys, others, ...)                                                              \
    snprintf(text, sizeof text, __VA_ARGS__);                                                      \
    each_given(&c, g, keys, others, text);
#define EACH_DIVIDED(key, wholes) each_divided(&c, g, key, wholes);

static void check_top(const struct gpu_config *g, struct check c) {
    const struct sm_config *s = &g->sm;
    char names[256];
    c.prefix = "";
#define RULES_top
#include "gpu/config_rules.def"
#undef RULES_top
}

static void check_clocks(const struct gpu_config *g, struct check c) {
    const struct gpu_clocks *f = &g->clocks;
    c.prefix = "clocks.";
#define RULES_clocks
#include "gpu/config_rules.def"
#undef RULES_clocks
}

static void check_sm(const struct gpu_config *g, struct check c) {
    const struct sm_config *s = &g->sm;
    char names[256];
    c.prefix = "sm.";
#define RULES_sm
#include "gpu/config_rules.def"
#undef RULES_sm
}

static void check_mem(const struct gpu_config *g, struct check c) {
    const struct mem_config *m = &g->mem;
    c.prefix = "mem.";
#define RULES_mem
#include "gpu/config_rules.def"
#undef RULES_mem
}

static void check_net(const struct gpu_config *g, struct check c) {
    const struct net_config *n = &g->mem.net;
    c.prefix = "mem.net.";
#define RULES_net
#include "gpu/config_rules.def"
#undef RULES_net
}

static void check_dram(const struct gpu_config *g, struct check c) {
    const struct dram_config *r = &g->mem.dram;
    char text[128];
    c.prefix = "mem.dram.";
#define RULES_dram
#include "gpu/config_rules.def"
#undef RULES_dram
}
#undef RULE
#undef EACH_GIVEN
#undef EACH_DIVIDED

// Of a cache the first broken rule is told: the others rest on it.
#define RULE(keys, holds, ...)                                                                     \
    if (!(holds)) {                                                                                \
        fail(&c, keys, __VA_ARGS__);                                                               \
        return;                                                                                    \
    }
#define EACH_GIVEN(keys, others, sentence)                                                         \
    if (!each_given(&c, g, keys, others, sentence)) return;
static void check_cache(const struct gpu_config *g, struct check c, const char *section,
                        const struct cache_config *k) {
    if (!k->bytes) return;
    c.prefix = section;
#define RULES_cache
#include "gpu/config_rules.def"
#undef RULES_cache
}
#undef RULE
#undef EACH_GIVEN

const struct gpu_rule gpu_rules[] = {
#define RULE(keys, holds, ...)        {SECTION, keys, #holds},
#define EACH_GIVEN(keys, others, ...) {SECTION, keys, "each != 0"},
#define EACH_DIVIDED(key, wholes)     {SECTION, key "|" wholes, "each of the others % " key " == 0"},
#define SECTION                ""
#define RULES_top
#include "gpu/config_rules.def"
#undef RULES_top
#undef SECTION
#define SECTION "clocks."
#define RULES_clocks
#include "gpu/config_rules.def"
#undef RULES_clocks
#undef SECTION
#define SECTION "sm."
#define RULES_sm
#include "gpu/config_rules.def"
#undef RULES_sm
#undef SECTION
#define SECTION "(cache)."
#define RULES_cache
#include "gpu/config_rules.def"
#undef RULES_cache
#undef SECTION
#define SECTION "mem."
#define RULES_mem
#include "gpu/config_rules.def"
#undef RULES_mem
#undef SECTION
#define SECTION "mem.net."
#define RULES_net
#include "gpu/config_rules.def"
#undef RULES_net
#undef SECTION
#define SECTION "mem.dram."
#define RULES_dram
#include "gpu/config_rules.def"
#undef RULES_dram
#undef SECTION
#undef RULE
#undef EACH_GIVEN
#undef EACH_DIVIDED
    {NULL}};

enum ww_status config_check(const struct gpu_config *g, const struct config_origin *o,
                            struct diags *d) {
    const uint32_t errors = d->errors;
    const struct check c = {.origin = o, .d = d, .prefix = ""};
    check_top(g, c);
    check_clocks(g, c);
    check_sm(g, c);
    check_cache(g, c, "sm.icache.", &g->sm.icache);
    check_cache(g, c, "sm.l1d.", &g->sm.l1d);
    check_cache(g, c, "sm.constant.", &g->sm.constant);
    check_cache(g, c, "sm.texture.", &g->sm.texture);
    check_mem(g, c);
    check_cache(g, c, "mem.l2.", &g->mem.l2);
    check_net(g, c);
    check_dram(g, c);
    return d->errors > errors ? WW_ERROR_CONFIG : WW_OK;
}
