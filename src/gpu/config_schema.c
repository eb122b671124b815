// The schema of a GPU file, made from config_keys.def twice: for libcyaml, which checks structure
// (sections, unknown keys, keys given twice), and as a walk over all leaves, by which values are
// converted, defaulted, listed and printed. libcyaml sees every leaf as text, because its own
// conversion takes "1.5x" for 1.5 and any word for true.
#include "activity/activity.h"
#include "gpu/config_int.h"
#include "gpu/config_names.h"
#include "gpu/yaml_words.h"

#include <ctype.h>
#include <stdlib.h>
#include <cyaml/cyaml.h>

#define NEEDED NULL

// ---- one struct of texts a section -----------------------------------------------------------
#define K_UINT(name, ...) char *name;
#define K_U64(name, ...) char *name;
#define K_NUM(name, ...) char *name;
#define K_BOOL(name, ...) char *name;
#define K_ENUM(name, ...) char *name;
#define K_TEXT(name, ...) char *name;
#define K_MAP(name, section, ...) struct raw_##section *name;
#define KEYS_cache
struct raw_cache {
#include "gpu/config_keys.def"
};
#undef KEYS_cache
#define KEYS_timing
struct raw_timing {
#include "gpu/config_keys.def"
};
#undef KEYS_timing
struct raw_timings {
#define OPC(name, unit, prose) struct raw_timing *name;
#include "isa/op_class.def"
#undef OPC
};
#define KEYS_net
struct raw_net {
#include "gpu/config_keys.def"
};
#undef KEYS_net
#define KEYS_tlb
struct raw_tlb {
#include "gpu/config_keys.def"
};
#undef KEYS_tlb
#define KEYS_dram
struct raw_dram {
#include "gpu/config_keys.def"
};
#undef KEYS_dram
#define KEYS_clocks
struct raw_clocks {
#include "gpu/config_keys.def"
};
#undef KEYS_clocks
#define KEYS_tech
struct raw_tech {
#include "gpu/config_keys.def"
};
#undef KEYS_tech
#define KEYS_power
struct raw_power {
#include "gpu/config_keys.def"
};
#undef KEYS_power
#define KEYS_board
struct raw_board {
#include "gpu/config_keys.def"
};
#undef KEYS_board
#define KEYS_sm
struct raw_sm {
#include "gpu/config_keys.def"
#define IN_sm(old)                 char *old;
#define IN_savings(old)
#define RENAMED(section, old, now) IN_##section(old)
#include "gpu/renamed.def"
#undef IN_sm
};
#undef KEYS_sm
#define KEYS_mem
struct raw_mem {
#include "gpu/config_keys.def"
};
#undef KEYS_mem
struct raw_source {
    char *tag, *text;
};
#define KEYS_top
struct raw_top {
    char *base;
    struct raw_source *sources;
    uint32_t sources_count;
    struct raw_core { char *clock_mhz, *vdd; } *core; // names of config_derived.def
#include "gpu/config_keys.def"
};
#undef KEYS_top
#undef K_UINT
#undef K_U64
#undef K_NUM
#undef K_BOOL
#undef K_ENUM
#undef K_TEXT
#undef K_MAP

// ---- libcyaml's view -------------------------------------------------------------------------
enum { FLAGS = CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL };
#define LEAF(name) CYAML_FIELD_STRING_PTR(#name, FLAGS, struct RAW, name, 0, CYAML_UNLIMITED),
#define K_UINT(name, ...) LEAF(name)
#define K_U64(name, ...) LEAF(name)
#define K_NUM(name, ...) LEAF(name)
#define K_BOOL(name, ...) LEAF(name)
#define K_ENUM(name, ...) LEAF(name)
#define K_TEXT(name, ...) LEAF(name)
#define K_MAP(name, section, ...)                                                                  \
    CYAML_FIELD_MAPPING_PTR(#name, FLAGS, struct RAW, name, fields_##section),

#define RAW raw_cache
#define KEYS_cache
static const cyaml_schema_field_t fields_cache[] = {
#include "gpu/config_keys.def"
    CYAML_FIELD_END};
#undef KEYS_cache
#undef RAW
#define RAW raw_timing
#define KEYS_timing
static const cyaml_schema_field_t fields_timing[] = {
#include "gpu/config_keys.def"
    CYAML_FIELD_END};
#undef KEYS_timing
#undef RAW
static const cyaml_schema_field_t fields_timings[] = {
#define OPC(name, unit, prose) \
    CYAML_FIELD_MAPPING_PTR(#name, FLAGS, struct raw_timings, name, fields_timing),
#include "isa/op_class.def"
#undef OPC
    CYAML_FIELD_END};
#define RAW raw_net
#define KEYS_net
static const cyaml_schema_field_t fields_net[] = {
#include "gpu/config_keys.def"
    CYAML_FIELD_END};
#undef KEYS_net
#undef RAW
#define RAW raw_tlb
#define KEYS_tlb
static const cyaml_schema_field_t fields_tlb[] = {
#include "gpu/config_keys.def"
    CYAML_FIELD_END};
#undef KEYS_tlb
#undef RAW
#define RAW raw_dram
#define KEYS_dram
static const cyaml_schema_field_t fields_dram[] = {
#include "gpu/config_keys.def"
    CYAML_FIELD_END};
#undef KEYS_dram
#undef RAW
#define RAW raw_clocks
#define KEYS_clocks
static const cyaml_schema_field_t fields_clocks[] = {
#include "gpu/config_keys.def"
    CYAML_FIELD_END};
#undef KEYS_clocks
#undef RAW
#define RAW raw_tech
#define KEYS_tech
static const cyaml_schema_field_t fields_tech[] = {
#include "gpu/config_keys.def"
    CYAML_FIELD_END};
#undef KEYS_tech
#undef RAW
#define RAW raw_power
#define KEYS_power
static const cyaml_schema_field_t fields_power[] = {
#include "gpu/config_keys.def"
    CYAML_FIELD_END};
#undef KEYS_power
#undef RAW
#define RAW raw_board
#define KEYS_board
static const cyaml_schema_field_t fields_board[] = {
#include "gpu/config_keys.def"
    CYAML_FIELD_END};
#undef KEYS_board
#undef RAW
#define RAW raw_sm
#define KEYS_sm
static const cyaml_schema_field_t fields_sm[] = {
#include "gpu/config_keys.def"
#define IN_sm(old) LEAF(old)
#include "gpu/renamed.def"
#undef IN_sm
#undef IN_savings
#undef RENAMED
    CYAML_FIELD_END};
#undef KEYS_sm
#undef RAW
#define RAW raw_mem
#define KEYS_mem
static const cyaml_schema_field_t fields_mem[] = {
#include "gpu/config_keys.def"
    CYAML_FIELD_END};
#undef KEYS_mem
#undef RAW
static const cyaml_schema_field_t fields_source[] = {
    CYAML_FIELD_STRING_PTR("tag", CYAML_FLAG_POINTER, struct raw_source, tag, 1, CYAML_UNLIMITED),
    CYAML_FIELD_STRING_PTR("text", CYAML_FLAG_POINTER, struct raw_source, text, 1, CYAML_UNLIMITED),
    CYAML_FIELD_END};
static const cyaml_schema_value_t source_schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct raw_source, fields_source)};
static const cyaml_schema_field_t fields_core[] = {
    CYAML_FIELD_STRING_PTR("clock_mhz", FLAGS, struct raw_core, clock_mhz, 1, CYAML_UNLIMITED),
    CYAML_FIELD_STRING_PTR("vdd", FLAGS, struct raw_core, vdd, 1, CYAML_UNLIMITED),
    CYAML_FIELD_END};
#define RAW raw_top
#define KEYS_top
static const cyaml_schema_field_t fields_top[] = {
    CYAML_FIELD_STRING_PTR("base", FLAGS, struct raw_top, base, 1, CYAML_UNLIMITED),
    CYAML_FIELD_MAPPING_PTR("core", FLAGS, struct raw_top, core, fields_core),
    CYAML_FIELD_SEQUENCE("sources", FLAGS, struct raw_top, sources, &source_schema, 0,
                         CYAML_UNLIMITED),
#include "gpu/config_keys.def"
    CYAML_FIELD_END};
#undef KEYS_top
#undef RAW
static const cyaml_schema_value_t top_schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, struct raw_top, fields_top)};
#undef K_UINT
#undef K_U64
#undef K_NUM
#undef K_BOOL
#undef K_ENUM
#undef K_TEXT
#undef K_MAP
#undef LEAF

// ---- the walk --------------------------------------------------------------------------------
enum { PATH_BYTES = 96 };

struct walk {
    config_visit_fn *fn;
    void *user;
    uint32_t index;
    const char *fallback; // of keys that need a value: what a file may leave out all the same
};

static void visit(struct walk *w, const char *at, struct config_key k, const char *name) {
    char path[PATH_BYTES];
    snprintf(path, sizeof path, "%.60s%.35s", at, name);
    k.index = w->index++;
    if (!k.fallback) k.fallback = w->fallback;
    k.path = path;
    w->fn(w->user, &k);
}

static void section(char *path, const char *at, const char *name) {
    snprintf(path, PATH_BYTES, "%.55s%.38s.", at, name);
}

#define TEXT_OF(name) (r ? r->name : NULL)
#define VALUE_OF(name) .text = TEXT_OF(name), .value = c ? (void *)&c->name : NULL, \
                       .bytes = sizeof ((struct_type *)NULL)->name
#define SEEN_BY(sees) .seen_by = CONFIG_##sees
#define K_UINT(name, sees, def, lo, hi, u, what)                                             \
    visit(w, at, (struct config_key){.type = CONFIG_UINT, .fallback = def, .low = (double)(lo), \
          .high = (double)(hi), .unit = u, .prose = what, SEEN_BY(sees), VALUE_OF(name)}, #name);
#define K_U64(...) K_UINT(__VA_ARGS__)
#define K_NUM(name, sees, def, lo, hi, u, what)                                              \
    visit(w, at, (struct config_key){.type = CONFIG_NUM, .fallback = def, .low = lo, .high = hi, \
          .unit = u, .prose = what, SEEN_BY(sees), VALUE_OF(name)}, #name);
#define K_BOOL(name, sees, def, what)                                                        \
    visit(w, at, (struct config_key){.type = CONFIG_BOOL, .fallback = def, .unit = "",       \
          .prose = what, SEEN_BY(sees), VALUE_OF(name)}, #name);
#define K_ENUM(name, sees, def, table, what)                                                 \
    visit(w, at, (struct config_key){.type = CONFIG_ENUM, .fallback = def, .unit = "",       \
          .prose = what, .names = table, .n_names = (uint32_t)WW_COUNT(table),               \
          SEEN_BY(sees), VALUE_OF(name)}, #name);
#define K_TEXT(name, sees, size, def, what)                                                  \
    visit(w, at, (struct config_key){.type = CONFIG_TEXT, .fallback = def, .unit = "",       \
          .prose = what, SEEN_BY(sees), VALUE_OF(name)}, #name);
#define K_MAP(name, kind, what)                                     \
    section(sub, at, #name);                                        \
    walk_##kind(w, sub, r ? r->name : NULL, c ? &c->name : NULL);
#define WALK(kind, config_struct)                                   \
    static void walk_##kind(struct walk *w, const char *at, const struct raw_##kind *r, \
                            config_struct *c)

WALK(cache, struct cache_config) {
    typedef struct cache_config struct_type;
#define KEYS_cache
#include "gpu/config_keys.def"
#undef KEYS_cache
}

WALK(timing, struct class_timing) {
    typedef struct class_timing struct_type;
#define KEYS_timing
#include "gpu/config_keys.def"
#undef KEYS_timing
}

static void walk_timings(struct walk *w, const char *at, const struct raw_timings *r,
                         struct class_timing (*c)[OPC_N]) {
    const struct raw_timing *const by_class[OPC_N] = {
#define OPC(name, unit, prose) [OPC_##name] = r ? r->name : NULL,
#include "isa/op_class.def"
#undef OPC
    };
    static const char *const name_of[OPC_N] = {
#define OPC(name, unit, prose) [OPC_##name] = #name,
#include "isa/op_class.def"
#undef OPC
    };
    for (uint32_t i = 0; i < OPC_N; i++) {
        char lower[32], sub[PATH_BYTES];
        size_t n = 0;
        for (; name_of[i][n] && n < sizeof lower - 1; n++)
            lower[n] = (char)tolower((unsigned char)name_of[i][n]);
        lower[n] = 0;
        section(sub, at, lower);
        // a chip without tensor cores, a uniform datapath or an engine of bulk copies says nothing of them
        const uint8_t unit = op_class_unit[i];
        const bool is_optional = unit == UNIT_TENSOR || unit == UNIT_UNIFORM || i == OPC_TMA || i == OPC_MBARRIER;
        w->fallback = is_optional ? "1" : NULL;
        walk_timing(w, sub, by_class[i], c ? &(*c)[i] : NULL);
    }
    w->fallback = NULL;
}

WALK(net, struct net_config) {
    typedef struct net_config struct_type;
#define KEYS_net
#include "gpu/config_keys.def"
#undef KEYS_net
}

WALK(tlb, struct tlb_config) {
    typedef struct tlb_config struct_type;
#define KEYS_tlb
#include "gpu/config_keys.def"
#undef KEYS_tlb
}

WALK(dram, struct dram_config) {
    typedef struct dram_config struct_type;
#define KEYS_dram
#include "gpu/config_keys.def"
#undef KEYS_dram
}

WALK(clocks, struct gpu_clocks) {
    typedef struct gpu_clocks struct_type;
#define KEYS_clocks
#include "gpu/config_keys.def"
#undef KEYS_clocks
}

WALK(tech, struct gpu_tech) {
    typedef struct gpu_tech struct_type;
#define KEYS_tech
#include "gpu/config_keys.def"
#undef KEYS_tech
}

WALK(power, struct gpu_power) {
    typedef struct gpu_power struct_type;
#define KEYS_power
#include "gpu/config_keys.def"
#undef KEYS_power
}

WALK(board, struct gpu_board) {
    typedef struct gpu_board struct_type;
#define KEYS_board
#include "gpu/config_keys.def"
#undef KEYS_board
}

WALK(sm, struct sm_config) {
    typedef struct sm_config struct_type;
    char sub[PATH_BYTES];
#define KEYS_sm
#include "gpu/config_keys.def"
#undef KEYS_sm
}

WALK(mem, struct mem_config) {
    typedef struct mem_config struct_type;
    char sub[PATH_BYTES];
#define KEYS_mem
#include "gpu/config_keys.def"
#undef KEYS_mem
}

void config_walk(const struct raw_top *raw, struct gpu_config *config, config_visit_fn *fn,
                 void *user) {
    typedef struct gpu_config struct_type;
    struct walk walk = {.fn = fn, .user = user}, *const w = &walk;
    const char *const at = "";
    const struct raw_top *const r = raw;
    struct gpu_config *const c = config;
    char sub[PATH_BYTES];
#define KEYS_top
#include "gpu/config_keys.def"
#undef KEYS_top
}

// ---- reading ---------------------------------------------------------------------------------
// libcyaml reports through a log: the complaint first, then the path from the inside out. Its line
// numbers are those of the event before, so places are looked up from the path instead.
enum { MAX_DEPTH = 8, NAME_BYTES = 64 };
struct complaint {
    char text[512];
    char path[MAX_DEPTH][NAME_BYTES]; // innermost first
    uint32_t depth;
    uint32_t line, col; // of the first frame
};

static void listen(cyaml_log_t level, void *user, const char *fmt, va_list ap) {
    struct complaint *c = user;
    if (level < CYAML_LOG_ERROR) return;
    char buf[512];
    vsnprintf(buf, sizeof buf, fmt, ap);
    buf[strcspn(buf, "\n")] = 0;
    const char *quote = strstr(buf, "in mapping field '");
    const char *place = strstr(buf, "(line: ");
    if (place && !c->line) {
        c->line = (uint32_t)strtoul(place + 7, NULL, 10);
        const char *column = strstr(place, "column: ");
        if (column) c->col = (uint32_t)strtoul(column + 8, NULL, 10);
    }
    if (quote) {
        quote += strlen("in mapping field '");
        if (c->depth < MAX_DEPTH)
            snprintf(c->path[c->depth++], NAME_BYTES, "%.*s", (int)strcspn(quote, "'"), quote);
    } else if (!c->text[0] && strncmp(buf, "Load: ", 6) == 0 && !strstr(buf, "Backtrace")) {
        snprintf(c->text, sizeof c->text, "%s", buf + 6);
    }
}

static void join_path(const struct complaint *c, const char *last, char *out, size_t size) {
    size_t n = 0;
    out[0] = 0;
    for (uint32_t i = c->depth; i-- > 0 && n < size;)
        n += (size_t)snprintf(out + n, size - n, "%s%s", n ? "." : "", c->path[i]);
    if (last && n < size) snprintf(out + n, size - n, "%s%s", n ? "." : "", last);
    for (; *out; out++) *out = (char)tolower((unsigned char)*out);
}

struct nearest {
    struct arena *arena;
    VEC(const char *) names;
};
static void collect(void *user, const struct config_key *k) {
    struct nearest *n = user;
    vec_push(n->arena, &n->names, (const char *)arena_strdup(n->arena, k->path));
    // Sections are keys of their parents too.
    for (const char *dot = strchr(k->path, '.'); dot; dot = strchr(dot + 1, '.')) {
        const size_t len = (size_t)(dot - k->path);
        const char *last = n->names.n > 1 ? n->names.at[n->names.n - 2] : "";
        if (strncmp(last, k->path, len) == 0 && (last[len] == '.' || !last[len])) continue;
        vec_push(n->arena, &n->names, (const char *)arena_strndup(n->arena, k->path, len));
    }
}

// Words that are options of a command, and that people look for among the keys of a GPU.
static const struct {
    const char *word, *instead;
} no_keys[] = {
    {"policy", "techniques are chosen by -p NAME"},
    {"policies", "techniques are chosen by -p NAME"},
    {"technique", "techniques are chosen by -p NAME"},
    {"gpu", "the GPU is chosen by -g NAME"},
    {"scheduler", "the warp scheduler is sm.scheduler"},
};

static enum ww_status unknown_key(const struct config_layer *layer, const char *path,
                                  struct diags *d) {
    uint32_t line = 0, col = 0;
    config_find_line(layer->text, path, &line, &col);
    for (size_t i = 0; i < WW_COUNT(no_keys); i++)
        if (strcmp(path, no_keys[i].word) == 0)
            return diag_at(d, DIAG_ERROR, WW_ERROR_CONFIG, layer->file, layer->text, line, col,
                           "there is no key %s; %s", path, no_keys[i].instead);
    struct arena a;
    arena_init(&a, NULL);
    struct nearest n = {.arena = &a};
    config_walk(NULL, NULL, collect, &n);
    const int near = text_nearest(path, n.names.at, n.names.n);
    const char *const file = layer->file, *const text = layer->text;
    const enum ww_status s =
        near >= 0 ? diag_at(d, DIAG_ERROR, WW_ERROR_CONFIG, file, text, line, col,
                            "there is no key %s; did you mean %s?", path, n.names.at[near])
                  : diag_at(d, DIAG_ERROR, WW_ERROR_CONFIG, file, text, line, col,
                            "there is no key %s", path);
    arena_free(&a);
    return s;
}

static enum ww_status explain(const struct config_layer *layer, const struct complaint *c,
                              cyaml_err_t err, struct diags *d) {
    char path[MAX_DEPTH * NAME_BYTES];
    static const char unexpected[] = "Unexpected key: ", twice[] = "Mapping field already seen: ",
                      kind[] = "Expecting ", yaml[] = "libyaml: ";
    const char *text = c->text;
    uint32_t line = 0, col = 0;
    if (strncmp(text, unexpected, sizeof unexpected - 1) == 0) {
        join_path(c, text + sizeof unexpected - 1, path, sizeof path);
        return unknown_key(layer, path, d);
    }
    join_path(c, NULL, path, sizeof path);
    if (!config_find_line(layer->text, path, &line, &col)) {
        line = c->line;
        col = c->col;
    }
    if (strncmp(text, twice, sizeof twice - 1) == 0)
        return diag_at(d, DIAG_ERROR, WW_ERROR_CONFIG, layer->file, layer->text, line, col,
                       "%s stands here more than once", path);
    if (strncmp(text, kind, sizeof kind - 1) == 0) {
        const bool wants_section = strncmp(text + sizeof kind - 1, "MAPPING", 7) == 0;
        return diag_at(d, DIAG_ERROR, WW_ERROR_CONFIG, layer->file, layer->text, line ? line : 1,
                       col, "%s must be %s", c->depth ? path : "the file",
                       wants_section             ? "a section of keys"
                       : strstr(path, "sources") ? "a list of {tag, text}"
                                                 : "a single value");
    }
    if (strncmp(text, yaml, sizeof yaml - 1) == 0) // near the place is the best it knows
        return diag_at(d, DIAG_ERROR, WW_ERROR_CONFIG, layer->file, layer->text, c->line, c->col,
                       "this is not YAML: %s", text + sizeof yaml - 1);
    return diag_at(d, DIAG_ERROR, err == CYAML_ERR_OOM ? WW_ERROR_MEMORY : WW_ERROR_CONFIG,
                   layer->file, layer->text, line, col, "%s (%s)", cyaml_strerror(err),
                   text[0] ? text : "no more is known");
}

static void *yaml_memory(void *user, void *old, size_t size) {
    const struct ww_allocator *a = user;
    return a->realloc_fn(a->user, old, size);
}

static cyaml_config_t reader(const struct ww_allocator *a, struct complaint *c) {
    return (cyaml_config_t){.log_fn = listen,
                            .log_ctx = c,
                            .mem_fn = yaml_memory,
                            .mem_ctx = (void *)(uintptr_t)a,
                            .log_level = CYAML_LOG_ERROR,
                            .flags = CYAML_CFG_NO_ALIAS | CYAML_CFG_CASE_INSENSITIVE};
}

// Moves what stands under an old name to the key's name of today.
static enum ww_status take_old_names(struct config_layer *layer, struct diags *d) {
    struct raw_sm *const sm = layer->raw->sm;
    if (!sm) return WW_OK;
    const struct {
        char **old, **now;
        const char *key;
    } row[] = {
#define IN_sm(old, now)            {&sm->old, &sm->now, "sm." #old},
#define IN_savings(old, now)
#define RENAMED(section, old, now) IN_##section(old, now)
#include "gpu/renamed.def"
#undef IN_sm
#undef IN_savings
#undef RENAMED
    };
    for (size_t i = 0; i < WW_COUNT(row); i++) {
        if (!*row[i].old) continue;
        const enum ww_status s = config_renamed_note(layer->file, layer->text, row[i].key,
                                                     *row[i].now != NULL, d);
        if (s != WW_OK) return s;
        *row[i].now = *row[i].old;
        *row[i].old = NULL;
    }
    return WW_OK;
}

enum ww_status config_layer_parse(struct config_layer *layer, struct diags *d) {
    if (!layer->allocator) layer->allocator = &ww_allocator_default;
    const enum ww_status one = yaml_one_document(layer->file, layer->text, "a GPU", d);
    if (one != WW_OK) return one;
    struct complaint c = {.depth = 0};
    const cyaml_config_t config = reader(layer->allocator, &c);
    const cyaml_err_t err =
        cyaml_load_data((const uint8_t *)layer->text, layer->len, &config, &top_schema,
                        (cyaml_data_t **)&layer->raw, NULL);
    if (err != CYAML_OK) {
        layer->raw = NULL;
        return explain(layer, &c, err, d);
    }
    if (!layer->raw)
        return diag_at(d, DIAG_ERROR, WW_ERROR_CONFIG, layer->file, NULL, 1, 1,
                       "the file is empty");
    const enum ww_status s = take_old_names(layer, d);
    if (s != WW_OK) config_layer_free(layer);
    return s;
}

void config_layer_free(struct config_layer *layer) {
    if (!layer->raw) return;
    struct complaint c = {.depth = 0};
    const cyaml_config_t config = reader(layer->allocator, &c);
    cyaml_free(&config, &top_schema, layer->raw, 0);
    layer->raw = NULL;
}

const char *config_layer_base(const struct config_layer *layer) { return layer->raw->base; }
const char *config_layer_core(const struct config_layer *layer, const char *name) {
    const struct raw_core *const core = layer->raw->core;
    if (!core) return NULL;
    return strcmp(name, "core.clock_mhz") == 0 ? core->clock_mhz : core->vdd;
}

uint32_t config_layer_source_count(const struct config_layer *layer) {
    return layer->raw->sources_count;
}

const char *config_layer_source(const struct config_layer *layer, uint32_t i, const char **text) {
    *text = layer->raw->sources[i].text;
    return layer->raw->sources[i].tag;
}

// ---- places ----------------------------------------------------------------------------------
// Keys of block style are found by indentation; those of a flow mapping on the line of its key.
static bool key_at(const char *line, size_t len, const char *name, size_t n) {
    return len > n && strncasecmp(line, name, n) == 0 && line[n] == ':';
}

static bool find_line(const char *text, const char *path, uint32_t *line, uint32_t *col) {
    const char *want = path;
    size_t want_len = strcspn(want, ".");
    int level_indent = -1; // of the section that is open
    int child_indent = -1; // of its keys, once one is seen
    uint32_t at = 0;
    for (const char *p = text; *p;) {
        at++;
        const size_t len = strcspn(p, "\n");
        const size_t indent = strspn(p, " ");
        const bool blank = indent == len || p[indent] == '#' || p[indent] == '\r';
        if (!blank) {
            if ((int)indent <= level_indent) return false; // the section ended
            if (child_indent < 0) child_indent = (int)indent;
            if ((int)indent == child_indent && key_at(p + indent, len - indent, want, want_len)) {
                const char *here = p + indent;
                for (;;) {
                    *line = at;
                    *col = (uint32_t)(here - p) + 1;
                    if (!want[want_len]) return true;
                    want += want_len + 1;
                    want_len = strcspn(want, ".");
                    // a flow mapping: look further on this line
                    const char *brace = memchr(here, '{', len - (size_t)(here - p));
                    const char *hash = memchr(here, '#', len - (size_t)(here - p));
                    if (!brace || (hash && hash < brace)) break;
                    const char *q = brace + 1;
                    for (; q < p + len; q++) {
                        const char before = q[-1];
                        if ((before == '{' || before == ' ' || before == ',') &&
                            key_at(q, len - (size_t)(q - p), want, want_len))
                            break;
                    }
                    if (q >= p + len) return false;
                    here = q;
                }
                level_indent = (int)indent;
                child_indent = -1;
            }
        }
        p += len;
        if (*p) p++;
    }
    return false;
}

bool config_find_line(const char *text, const char *path, uint32_t *line, uint32_t *col) {
    if (find_line(text, path, line, col)) return true;
    const char *const old = config_key_old(path);
    return old && find_line(text, old, line, col);
}
