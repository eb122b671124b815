// GPU files: finding them, stacking a file on its bases and the overrides on top, and turning the
// texts of the winning layers into a struct gpu_config. What a key is stands in config_keys.def,
// what may not go together in config_check.c.
#include "gpu/config_int.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>

enum { MAX_LAYERS = 96, MAX_BASES = 8, MAX_KEYS = 512, MAX_FILE = 1 << 20 };
#define NO_LAYER UINT16_MAX

// ---- the search path -------------------------------------------------------------------------
static void add_place(struct config_places *p, const char *dir, size_t len) {
    if (p->n == WW_COUNT(p->dir) || !len || len >= GPU_PATH_BYTES) return;
    snprintf(p->dir[p->n++], GPU_PATH_BYTES, "%.*s", (int)len, dir);
}

// The file that this code is in: the program's or the library's. The linker knows a program by the
// name that was typed: without a folder where PATH found it, or from the folder that it began in.
static bool find_self(char path[GPU_PATH_BYTES]) {
    Dl_info self;
    if (!dladdr((void *)(uintptr_t)&gpu_config_load, &self) || !self.dli_fname) return false;
    const bool is_typed = strcmp(self.dli_fname, program_invocation_name) == 0;
    if (self.dli_fname[0] == '/' || (!is_typed && strchr(self.dli_fname, '/'))) {
        const int n = snprintf(path, GPU_PATH_BYTES, "%s", self.dli_fname);
        return n > 0 && (size_t)n < GPU_PATH_BYTES;
    }
    return file_program(path, GPU_PATH_BYTES);
}

// Folders that lie by the file `path`.
static void add_places_by(struct config_places *p, const char *path, const char *folder) {
    char dir[GPU_PATH_BYTES];
    const int len = (int)(strrchr(path, '/') - path);
    static const char climb[] = "/../../..";
    // Installed: share/ is beside bin/, one folder above lib/, two above lib/warpwatt/.
    for (int up = 1; up <= 3; up++) {
        const int n = snprintf(dir, sizeof dir, "%.*s%.*s/share/warpwatt/%s", len, path, 3 * up,
                               climb, folder);
        if (n > 0 && (size_t)n < sizeof dir) add_place(p, dir, (size_t)n);
    }
    // A build tree: the source tree is one of the folders above, up to three.
    for (int up = 1; up <= 3; up++) {
        const int n = snprintf(dir, sizeof dir, "%.*s%.*s/%s", len, path, 3 * up, climb, folder);
        if (n > 0 && (size_t)n < sizeof dir) add_place(p, dir, (size_t)n);
    }
}

void config_find_places(struct config_places *p, const char *variable, const char *folder) {
    p->n = 0;
    const char *env = getenv(variable);
    while (env && *env) {
        const size_t len = strcspn(env, ":");
        add_place(p, env, len);
        env += len + (env[len] == ':');
    }
    // A link to it may lie anywhere: what it leads to counts first.
    char path[GPU_PATH_BYTES];
    if (find_self(path)) {
        char *const real = realpath(path, NULL);
        if (real) add_places_by(p, real, folder);
        if (!real || strcmp(real, path)) add_places_by(p, path, folder);
        free(real);
    }
    add_place(p, folder, strlen(folder));
    // A program with the static library lies anywhere.
    static const char *const prefix[] = {"/usr/local", "/usr"};
    for (size_t i = 0; i < WW_COUNT(prefix); i++) {
        char dir[GPU_PATH_BYTES];
        const int n = snprintf(dir, sizeof dir, "%s/share/warpwatt/%s", prefix[i], folder);
        add_place(p, dir, (size_t)n);
    }
}
static void find_places(struct config_places *p) { config_find_places(p, "WARPWATT_GPUS", "gpus"); }

static bool is_file(const char *path) {
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

static bool is_path(const char *name) {
    const size_t n = strlen(name);
    return strchr(name, '/') || (n > 5 && strcmp(name + n - 5, ".yaml") == 0);
}

// Where the file of `name` is; `beside` is the file that names it as its base, or NULL.
static bool find_file(const char *name, const char *beside, char *out, size_t size) {
    if (beside) {
        const char *slash = strrchr(beside, '/');
        const int dir = slash ? (int)(slash - beside) + 1 : 0;
        snprintf(out, size, "%.*s%s%s", dir, beside, name, is_path(name) ? "" : ".yaml");
        if (is_file(out)) return true;
    }
    if (is_path(name)) {
        snprintf(out, size, "%s", name);
        return is_file(out);
    }
    struct config_places p;
    find_places(&p);
    for (uint32_t i = 0; i < p.n; i++) {
        const int n = snprintf(out, size, "%s/%s.yaml", p.dir[i], name);
        if (n > 0 && (size_t)n < size && is_file(out)) return true;
    }
    return false;
}

static int by_name(const void *a, const void *b) {
    const struct gpu_listing *x = a, *y = b;
    return strcmp(x->name, y->name);
}

enum ww_status gpu_config_list(struct arena *a, struct gpu_listing **list, uint32_t *n,
                               struct diags *d) {
    VEC(struct gpu_listing) all = {0};
    struct config_places p;
    find_places(&p);
    for (uint32_t i = 0; i < p.n; i++) {
        DIR *dir = opendir(p.dir[i]);
        if (!dir) continue;
        for (const struct dirent *e; (e = readdir(dir));) {
            const size_t len = strlen(e->d_name);
            if (len < 6 || strcmp(e->d_name + len - 5, ".yaml") != 0) continue;
            const char *name = arena_strndup(a, e->d_name, len - 5);
            bool seen = false;
            for (uint32_t k = 0; k < all.n; k++) seen |= strcmp(all.at[k].name, name) == 0;
            if (seen) continue; // an earlier place wins, as in gpu_config_load
            const char *path = arena_printf(a, "%s/%s", p.dir[i], e->d_name);
            struct gpu_config c;
            struct diags quiet;
            diags_init(&quiet);
            const bool good = gpu_config_load(path, NULL, 0, &quiet, &c) == WW_OK;
            const char *what = good ? c.description : "this file does not load";
            vec_push(a, &all, ((struct gpu_listing){name, path, arena_strdup(a, what)}));
            diags_free(&quiet);
        }
        closedir(dir);
    }
    if (!all.n)
        return diag_add(d, WW_ERROR_IO, "no GPU files found: set WARPWATT_GPUS to their folder");
    qsort(all.at, all.n, sizeof *all.at, by_name);
    *list = all.at;
    *n = all.n;
    return WW_OK;
}

static enum ww_status no_such_gpu(const char *name, struct diags *d) {
    if (is_path(name)) return diag_add(d, WW_ERROR_CONFIG, "there is no GPU file %s", name);
    struct arena a;
    arena_init(&a, NULL);
    struct gpu_listing *list = NULL;
    uint32_t n = 0;
    struct diags quiet;
    diags_init(&quiet);
    gpu_config_list(&a, &list, &n, &quiet);
    char all[512] = "";
    const char **names = arena_alloc(&a, (n + 1) * sizeof *names);
    for (uint32_t i = 0; i < n; i++) {
        names[i] = list[i].name;
        const size_t used = strlen(all);
        snprintf(all + used, sizeof all - used, "%s%s", i ? ", " : "", list[i].name);
    }
    const int near = text_nearest(name, names, n);
    enum ww_status s;
    if (near >= 0)
        s = diag_add(d, WW_ERROR_CONFIG, "there is no GPU %s; did you mean %s?", name, names[near]);
    else
        s = diag_add(d, WW_ERROR_CONFIG, "there is no GPU %s; there are %s", name,
                     n ? all : "none");
    diags_free(&quiet);
    arena_free(&a);
    return s;
}

// ---- loading ---------------------------------------------------------------------------------
struct loading {
    struct arena arena;
    struct config_layer layer[MAX_LAYERS]; // the lowest base first, overrides last
    uint32_t n;
    uint16_t layer_of[MAX_KEYS];
    const char *text_of[MAX_KEYS];
    const char *path_of[MAX_KEYS];
    uint32_t n_keys;
    uint16_t now; // layer being visited
    struct gpu_nominal own; // the point before a file's section `core`; core_mhz 0: none has one
    bool supply_said;       // by an override or a section `core`
    struct diags *d;
};

static enum ww_status push_layer(struct loading *l, const char *file, const char *text,
                                 size_t len) {
    if (l->n == MAX_LAYERS) return diag_add(l->d, WW_ERROR_CONFIG, "too many overrides");
    struct config_layer *layer = &l->layer[l->n];
    *layer = (struct config_layer){.file = file, .text = text, .len = len};
    const enum ww_status s = config_layer_parse(layer, l->d);
    if (s == WW_OK) l->n++;
    return s;
}

// Reads a file and, before it, its bases. Layers come out lowest first.
static enum ww_status push_file(struct loading *l, const char *name, const char *beside,
                                uint32_t depth) {
    char path[GPU_PATH_BYTES + 64];
    if (!find_file(name, beside, path, sizeof path)) {
        if (!beside) return no_such_gpu(name, l->d);
        return diag_at(l->d, DIAG_ERROR, WW_ERROR_CONFIG, beside, NULL, 0, 0,
                       "its base %s is not there", name);
    }
    if (depth == MAX_BASES)
        return diag_add(l->d, WW_ERROR_CONFIG, "%s: more than %d bases; do they name each other?",
                        path, MAX_BASES);
    char *text;
    size_t len;
    enum ww_status s = file_read(&l->arena, path, MAX_FILE, &text, &len, l->d);
    if (s != WW_OK) return s;
    const char *const file = arena_strdup(&l->arena, path);
    if ((s = push_layer(l, file, text, len)) != WW_OK) return s;
    const char *base = config_layer_base(&l->layer[l->n - 1]);
    if (!base) return WW_OK;
    // The base's layers belong below this one: take it off, read them, put it back.
    const struct config_layer mine = l->layer[--l->n];
    s = push_file(l, base, file, depth + 1);
    if (s == WW_OK && l->n == MAX_LAYERS) s = diag_add(l->d, WW_ERROR_CONFIG, "too many layers");
    if (s != WW_OK) {
        struct config_layer drop = mine;
        config_layer_free(&drop);
        return s;
    }
    l->layer[l->n++] = mine;
    return WW_OK;
}

static const char *text_of(const struct loading *l, const char *path) {
    for (uint32_t i = 0; i < l->n_keys; i++)
        if (strcmp(l->path_of[i], path) == 0) return l->text_of[i];
    return NULL;
}

static double number_of(const struct loading *l, const char *path) {
    double v = 0;
    const char *text = text_of(l, path);
    return text && text_to_double(text, &v) && isfinite(v) ? v : 0;
}

const struct gpu_derived gpu_derived[] = {
#define COPY(field, from)          {#field, #from, "a copy"},
#define FOLLOWS(name, key, leader) {key, leader, "in proportion, with " name},
#define ALIAS(name, key)           {name, key, "another name"},
#include "gpu/config_derived.def"
#undef COPY
#undef FOLLOWS
#undef ALIAS
#define RENAMED(section, old, now) {#section "." #old, #section "." #now, "the old name"},
#include "gpu/renamed.def"
#undef RENAMED
    {NULL}};

const struct gpu_key gpu_shorthands[GPU_SHORTHANDS] = {
    {.path = "core.clock_mhz",
     .type = "number",
     .unit = "MHz",
     .prose = "clocks.core_mhz; the clocks of lanes, network and L2 keep their ratio to it"},
    {.path = "core.vdd", .type = "number", .unit = "V", .prose = "another name of tech.vdd_v"},
};

// YAML of a key and its value: "sm.l1d.ways" is three lines, each deeper.
static const char *key_text(struct arena *a, const char *key, size_t len, const char *value) {
    const char *yaml = "";
    int indent = 0;
    for (const char *p = key, *end = key + len; p < end; indent += 2) {
        const size_t part = strcspn(p, ".=");
        if (!part) return NULL;
        yaml = p + part == end
                   ? arena_printf(a, "%s%*s%.*s: %s\n", yaml, indent, "", (int)part, p, value)
                   : arena_printf(a, "%s%*s%.*s:\n", yaml, indent, "", (int)part, p);
        p += part + (p[part] == '.');
    }
    return yaml;
}

// The YAML of `-s name=value` where `name` is no key but stands in config_derived.def; else NULL.
// What follows a leader keeps its ratio to it, by what the layers below say; where the value is no
// number, the leader's key says what is wrong.
static const char *derived_text(struct loading *l, const char *name, size_t len,
                                const char *value) {
    static const struct {
        const char *name, *key, *leader;
    } row[] = {
#define COPY(field, from)
#define FOLLOWS(name, key, leader) {name, key, leader},
#define ALIAS(name, key)           {name, NULL, key},
#include "gpu/config_derived.def"
#undef COPY
#undef FOLLOWS
#undef ALIAS
    };
    struct arena *a = &l->arena;
    const char *yaml = NULL;
    double to;
    for (size_t i = 0; i < WW_COUNT(row); i++) {
        if (strlen(row[i].name) != len || strncmp(row[i].name, name, len) != 0) continue;
        const double from = number_of(l, row[i].leader);
        const char *const dot = strchr(row[i].leader, '.');
        if (!yaml) yaml = key_text(a, row[i].leader, strlen(row[i].leader), value);
        if (!row[i].key || !text_to_double(value, &to) || !isfinite(to) || !(from > 0)) continue;
        // followers stand in their leader's section, behind it
        yaml = arena_printf(a, "%s  %s: %.12g\n", yaml, row[i].key + (dot + 1 - row[i].leader),
                            number_of(l, row[i].key) / from * to);
    }
    return yaml;
}

// "sm.l1d.ways=4" becomes the YAML text of a layer, so that overrides meet the same schema.
static enum ww_status push_override(struct loading *l, const char *text) {
    const char *equals = strchr(text, '=');
    if (!equals || equals == text || strpbrk(text, "\n\r#{}[]\"'&*!|>%@`") || strstr(text, ": "))
        return diag_add(l->d, WW_ERROR_USAGE, "-s %s: expected key=value, as in sm.schedulers=4",
                        text);
    struct arena *a = &l->arena;
    const size_t len = (size_t)(equals - text);
    const char *yaml = derived_text(l, text, len, equals + 1);
    if (!yaml) yaml = key_text(a, text, len, equals + 1);
    l->supply_said |= (len == 8 && strncmp(text, "core.vdd", len) == 0) ||
                      (len == 10 && strncmp(text, "tech.vdd_v", len) == 0);
    if (!yaml) return diag_add(l->d, WW_ERROR_USAGE, "-s %s: a part of the key is empty", text);
    const uint32_t before = l->d->list.n;
    const enum ww_status s = push_layer(l, arena_printf(a, "-s %s", text), yaml, strlen(yaml));
    for (uint32_t i = before; i < l->d->list.n; i++) { // its lines are not the user's
        l->d->list.at[i].line = 0;
        l->d->list.at[i].source = NULL;
    }
    return s;
}

static void take_texts(void *user, const struct config_key *k);

static struct gpu_nominal point_of(const struct loading *l) {
    return (struct gpu_nominal){.core_mhz = number_of(l, "clocks.core_mhz"),
                                .vdd_v = number_of(l, "tech.vdd_v")};
}

// Takes in the layer whose turn it is. What it says of the core is a layer of its own behind it:
// the same as `-s core.clock_mhz=...` over what the layers up to here say.
static enum ww_status take_layer(struct loading *l) {
    config_walk(l->layer[l->now].raw, NULL, take_texts, l);
    for (size_t i = 0; i < WW_COUNT(gpu_shorthands); i++) {
        const char *const name = gpu_shorthands[i].path;
        const struct config_layer *const from = &l->layer[l->now];
        const char *const value = config_layer_core(from, name), *const file = from->file,
                          *const text = from->text;
        if (!value) continue;
        if (!(l->own.core_mhz > 0)) l->own = point_of(l);
        l->supply_said |= strcmp(name, "core.vdd") == 0;
        const char *yaml = derived_text(l, name, strlen(name), value);
        const enum ww_status s = push_layer(l, file, yaml, strlen(yaml));
        if (s != WW_OK) return s;
        struct config_layer mine = l->layer[l->n - 1];
        mine.text = text; // for the lines of complaints
        memmove(&l->layer[l->now + 2], &l->layer[l->now + 1],
                (l->n - l->now - 2) * sizeof *l->layer);
        l->layer[l->now + 1] = mine;
    }
    return WW_OK;
}

static void take_texts(void *user, const struct config_key *k) {
    struct loading *l = user;
    if (k->index >= MAX_KEYS) return;
    if (l->now == 0) {
        l->layer_of[k->index] = NO_LAYER;
        l->text_of[k->index] = k->fallback;
        l->path_of[k->index] = arena_strdup(&l->arena, k->path);
        l->n_keys = k->index + 1;
    }
    if (!k->text) return;
    l->layer_of[k->index] = l->now;
    l->text_of[k->index] = k->text;
}

static enum ww_status complain(struct loading *l, const struct config_key *k, const char *fmt,
                               ...) {
    char text[512];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    const uint16_t from = l->layer_of[k->index];
    const struct config_layer *layer = &l->layer[from == NO_LAYER ? l->n - 1 : from];
    uint32_t line = 0, col = 0;
    const bool is_override = strncmp(layer->file, "-s ", 3) == 0;
    if (!is_override && from != NO_LAYER) config_find_line(layer->text, k->path, &line, &col);
    return diag_at(l->d, DIAG_ERROR, WW_ERROR_CONFIG, layer->file, is_override ? NULL : layer->text,
                   line, col, "%s", text);
}

static void name_choices(const struct config_key *k, char *out, size_t size) {
    size_t n = 0;
    out[0] = 0;
    for (uint32_t i = 0; i < k->n_names && n < size; i++)
        n += (size_t)snprintf(out + n, size - n, "%s%s",
                              i == 0                ? ""
                              : i + 1 == k->n_names ? " or "
                                                    : ", ",
                              k->names[i]);
}

static void set_uint(struct loading *l, const struct config_key *k, const char *text) {
    uint64_t v;
    const bool is_bytes = strcmp(k->unit, "bytes") == 0;
    if (!(is_bytes ? text_to_bytes : text_to_u64)(text, &v)) {
        complain(l, k, "%s must be a whole number%s%s, not '%s'", k->path, k->unit[0] ? " of " : "",
                 k->unit, text);
        return;
    }
    if ((double)v < k->low || (double)v > k->high) {
        complain(l, k, "%s must be from %.0f to %.0f%s%s, not %s", k->path, k->low, k->high,
                 k->unit[0] ? " " : "", k->unit, text);
        return;
    }
    if (k->bytes == sizeof(uint64_t))
        *(uint64_t *)k->value = v;
    else
        *(uint32_t *)k->value = (uint32_t)v;
}

static void set_value(void *user, const struct config_key *k) {
    struct loading *l = user;
    if (k->index >= MAX_KEYS) return;
    const char *text = l->text_of[k->index];
    if (!text) {
        complain(l, k, "%s is missing: %s", k->path, k->prose);
        return;
    }
    switch (k->type) {
    case CONFIG_UINT: set_uint(l, k, text); return;
    case CONFIG_NUM: {
        double v;
        if (!text_to_double(text, &v) || !isfinite(v))
            complain(l, k, "%s must be a number%s%s, not '%s'", k->path, k->unit[0] ? " of " : "",
                     k->unit, text);
        else if (v < k->low || v > k->high)
            complain(l, k, "%s must be from %g to %g%s%s, not %s", k->path, k->low, k->high,
                     k->unit[0] ? " " : "", k->unit, text);
        else
            *(double *)k->value = v;
        return;
    }
    case CONFIG_BOOL: {
        const bool yes = strcmp(text, "true") == 0 || strcmp(text, "yes") == 0;
        if (!yes && strcmp(text, "false") != 0 && strcmp(text, "no") != 0)
            complain(l, k, "%s must be true or false, not '%s'", k->path, text);
        else
            *(bool *)k->value = yes;
        return;
    }
    case CONFIG_ENUM: {
        for (uint32_t i = 0; i < k->n_names; i++) {
            if (strcmp(text, k->names[i]) != 0) continue;
            *(uint32_t *)k->value = i;
            return;
        }
        char choices[256];
        name_choices(k, choices, sizeof choices);
        complain(l, k, "%s must be %s, not '%s'", k->path, choices, text);
        return;
    }
    case CONFIG_TEXT:
        if (strlen(text) >= k->bytes)
            complain(l, k, "%s must be shorter than %zu characters", k->path, k->bytes);
        else if (strpbrk(text, "\"\\\n\r\t"))
            complain(l, k, "%s may not hold quotes, backslashes or line ends", k->path);
        else
            snprintf(k->value, k->bytes, "%s", text);
        return;
    }
}

// What rooms below want to have beside them but the file says once.
static void derive(struct gpu_config *c) {
#define COPY(field, from) c->field = c->from;
#define FOLLOWS(...)
#define ALIAS(...)
#include "gpu/config_derived.def"
#undef COPY
#undef FOLLOWS
#undef ALIAS
    dram_config_complete(&c->mem.dram);
}

enum ww_status gpu_config_load(const char *name_or_path, const char *const *overrides,
                               uint32_t n_overrides, struct diags *d, struct gpu_config *out) {
    struct loading *l = calloc(1, sizeof *l);
    if (!l) return diag_add(d, WW_ERROR_MEMORY, "out of memory while reading %s", name_or_path);
    arena_init(&l->arena, NULL);
    l->d = d;
    const uint32_t errors = d->errors;
    enum ww_status s = config_rename_overrides(&l->arena, overrides, n_overrides, d, &overrides);
    if (s == WW_OK) s = push_file(l, name_or_path, NULL, 0);
    const char *file = s == WW_OK ? l->layer[l->n - 1].file : NULL;
    const bool has_base = l->n > 1;
    for (; s == WW_OK && l->now < l->n; l->now++) s = take_layer(l);
    const double node_nm = s == WW_OK ? number_of(l, "tech.node_nm") : 0;
    struct gpu_nominal nominal = l->own.core_mhz > 0 ? l->own : point_of(l);
    for (uint32_t i = 0; s == WW_OK && i < n_overrides; i++) {
        s = push_override(l, overrides[i]);
        if (s != WW_OK) break;
        config_walk(l->layer[l->now].raw, NULL, take_texts, l);
        l->now++;
    }
    // at another node it is another chip: made to carry its clock at the supply that is said
    if (s == WW_OK && number_of(l, "tech.node_nm") != node_nm)
        nominal.vdd_v = number_of(l, "tech.vdd_v");
    if (s == WW_OK) {
        struct gpu_config c;
        memset(&c, 0, sizeof c);
        snprintf(c.path, sizeof c.path, "%s", file);
        const char *slash = strrchr(file, '/');
        const char *stem = slash ? slash + 1 : file;
        const size_t n = strlen(stem);
        snprintf(c.name, sizeof c.name, "%.*s", (int)(n > 5 ? n - 5 : n), stem);
        c.nominal = nominal;
        c.has_base = has_base;
        config_walk(NULL, &c, set_value, l);
        if (!l->supply_said && nominal.core_mhz > 0 && c.clocks.core_mhz != nominal.core_mhz) {
            // above the board's points the file's supply stays, and the power model says why not
            const double v = gpu_supply_at(&c, c.clocks.core_mhz);
            if (v > 0) c.tech.vdd_v = v;
        }
        derive(&c);
        const struct config_origin o = {.layers = l->layer,
                                        .n_layers = l->n,
                                        .layer_of = l->layer_of,
                                        .paths = l->path_of,
                                        .n_keys = l->n_keys};
        if (d->errors == errors) config_check(&c, &o, d);
        if (d->errors == errors) *out = c;
    }
    if (d->errors > errors)
        for (uint32_t i = 0; s == WW_OK && i < d->list.n; i++)
            if (d->list.at[i].severity == DIAG_ERROR) s = d->list.at[i].status;
    for (uint32_t i = 0; i < l->n; i++) config_layer_free(&l->layer[i]);
    arena_free(&l->arena);
    free(l);
    return s;
}

enum ww_status gpu_config_check(const struct gpu_config *c, struct diags *d) {
    return config_check(c, NULL, d);
}

struct valued {
    const char *path;
    double number;
    bool found;
};

static void find_number(void *user, const struct config_key *k) {
    struct valued *v = user;
    if (strcmp(k->path, v->path) != 0) return;
    v->found = true;
    if (k->type == CONFIG_NUM)
        v->number = *(const double *)k->value;
    else if (k->type == CONFIG_UINT && k->bytes == sizeof(uint64_t))
        v->number = (double)*(const uint64_t *)k->value;
    else
        v->number = *(const uint32_t *)k->value;
}

enum ww_status gpu_config_refuse(const struct gpu_config *c, const char *key, struct diags *d,
                                 const char *fmt, ...) {
    char text[512], value[64];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    struct gpu_config copy = *c; // the walk hands out places to write
    struct valued want = {.path = key};
    config_walk(NULL, &copy, find_number, &want);
    struct loading *l = calloc(1, sizeof *l);
    struct diags quiet;
    diags_init(&quiet);
    enum ww_status s = WW_ERROR_CONFIG;
    const struct config_layer *from = NULL;
    uint32_t line = 0, col = 0;
    if (l) {
        arena_init(&l->arena, NULL);
        l->d = &quiet;
        if (c->path[0] && push_file(l, c->path, NULL, 0) == WW_OK)
            for (; l->now < l->n && take_layer(l) == WW_OK;) l->now++;
        for (uint32_t i = 0; i < l->n_keys; i++)
            if (strcmp(l->path_of[i], key) == 0 && l->layer_of[i] != NO_LAYER)
                from = &l->layer[l->layer_of[i]];
        const bool same = want.found && number_of(l, key) == want.number;
        if (from && same && config_find_line(from->text, key, &line, &col))
            diag_at(d, DIAG_ERROR, s, from->file, from->text, line, col, "%s", text);
        else
            from = NULL;
    }
    if (!from) { // an option's value, or a configuration that no file made
        gpu_config_get(c, key, value, sizeof value);
        diag_add(d, s, "%s=%s: %s", key, value, text);
    }
    for (uint32_t i = 0; l && i < l->n; i++) config_layer_free(&l->layer[i]);
    if (l) arena_free(&l->arena);
    free(l);
    diags_free(&quiet);
    return s;
}

// ---- listing and printing --------------------------------------------------------------------
struct listing {
    struct arena *arena;
    VEC(struct gpu_key) keys;
};

static void list_key(void *user, const struct config_key *k) {
    static const char *const type[] = {"whole number", "number", "true/false", "choice", "text"};
    struct listing *l = user;
    char choices[256];
    name_choices(k, choices, sizeof choices);
    const bool ranges = k->type == CONFIG_UINT || k->type == CONFIG_NUM;
    const struct gpu_key key = {
        .path = arena_strdup(l->arena, k->path),
        .type = k->type == CONFIG_ENUM ? arena_strdup(l->arena, choices) : type[k->type],
        .unit = k->unit,
        .prose = k->prose,
        .seen_by = k->seen_by,
        .range = ranges ? arena_printf(l->arena, "%.10g to %.10g", k->low, k->high) : "",
        .fallback = k->fallback,
    };
    vec_push(l->arena, &l->keys, key);
}

uint32_t gpu_config_keys(struct arena *a, const struct gpu_key **keys) {
    struct listing l = {.arena = a};
    config_walk(NULL, NULL, list_key, &l);
    *keys = l.keys.at;
    return l.keys.n;
}

static void print_value(const struct config_key *k, char *buf, size_t size) {
    switch (k->type) {
    case CONFIG_UINT:
        snprintf(buf, size, "%llu",
                 k->bytes == sizeof(uint64_t) ? (unsigned long long)*(const uint64_t *)k->value
                                              : (unsigned long long)*(const uint32_t *)k->value);
        return;
    case CONFIG_NUM: {
        // the shortest text that reads back the same
        const double v = *(const double *)k->value;
        for (int digits = 6; digits <= 17; digits++) {
            snprintf(buf, size, "%.*g", digits, v);
            if (strtod(buf, NULL) == v) return;
        }
        return;
    }
    case CONFIG_BOOL: snprintf(buf, size, "%s", *(const bool *)k->value ? "true" : "false"); return;
    case CONFIG_ENUM: {
        const uint32_t v = *(const uint32_t *)k->value;
        snprintf(buf, size, "%s", v < k->n_names ? k->names[v] : "?");
        return;
    }
    case CONFIG_TEXT: snprintf(buf, size, "%s", (const char *)k->value); return;
    }
}

struct getting {
    const char *key;
    char *buf;
    size_t size;
    bool found;
};

static void get_value(void *user, const struct config_key *k) {
    struct getting *g = user;
    if (g->found || strcmp(g->key, k->path) != 0) return;
    print_value(k, g->buf, g->size);
    g->found = true;
}

bool gpu_config_get(const struct gpu_config *c, const char *key, char *buf, size_t size) {
    struct gpu_config copy = *c; // the walk hands out places to write
    const char *const now = config_key_now(key, strlen(key));
    struct getting g = {.key = now ? now : key, .buf = buf, .size = size};
    config_walk(NULL, &copy, get_value, &g);
    return g.found;
}

struct telling {
    void (*fn)(void *user, const char *path, enum config_seer seen_by, const char *value);
    void *user;
};
static void tell_value(void *user, const struct config_key *k) {
    const struct telling *const t = user;
    char value[GPU_TEXT_BYTES];
    print_value(k, value, sizeof value);
    t->fn(t->user, k->path, k->seen_by, value);
}
void gpu_config_each(const struct gpu_config *c,
                     void (*fn)(void *user, const char *path, enum config_seer seen_by, const char *value),
                     void *user) {
    struct gpu_config copy = *c; // the walk hands out places to write
    struct telling t = {.fn = fn, .user = user};
    config_walk(NULL, &copy, tell_value, &t);
}

struct printing {
    FILE *out;
    char section[128];
};

static void print_key(void *user, const struct config_key *k) {
    struct printing *p = user;
    const char *leaf = strrchr(k->path, '.');
    const size_t len = leaf ? (size_t)(leaf - k->path) : 0;
    if (strncmp(p->section, k->path, len) != 0 || p->section[len]) {
        // print the section headers that the previous key did not have
        int indent = 0;
        for (size_t from = 0; from < len; indent += 2) {
            const size_t n = strcspn(k->path + from, ".");
            const bool same = strncmp(p->section, k->path, from + n) == 0 &&
                              (p->section[from + n] == '.' || !p->section[from + n]);
            if (!same) fprintf(p->out, "%*s%.*s:\n", indent, "", (int)n, k->path + from);
            from += n + 1;
        }
        snprintf(p->section, sizeof p->section, "%.*s", (int)len, k->path);
    }
    int indent = 0;
    for (size_t i = 0; i < len; i++) indent += k->path[i] == '.' ? 2 : 0;
    if (len) indent += 2;
    char value[GPU_TEXT_BYTES];
    print_value(k, value, sizeof value);
    const char *quote = k->type == CONFIG_TEXT ? "\"" : "";
    fprintf(p->out, "%*s%s: %s%s%s%s%s\n", indent, "", leaf ? leaf + 1 : k->path, quote, value,
            quote, k->unit[0] ? "  # " : "", k->unit);
}

void gpu_config_print(const struct gpu_config *c, FILE *out) {
    struct gpu_config copy = *c;
    struct printing p = {.out = out};
    config_walk(NULL, &copy, print_key, &p);
}
