// Technique files (savings/*.yaml) and a GPU that runs with some of them.
#include <cyaml/cyaml.h>
#include <dirent.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "gpu/config_int.h"
#include "gpu/device.h"
#include "gpu/technique.h"
#include "gpu/yaml_words.h"

enum { MAX_FILE = 1 << 20, MAX_SETTINGS = 128 };
static const char OPTION_PREFIX[] = "savings."; // of -s

// ---- a file -----------------------------------------------------------------------------------
struct raw_value {
    char *name, *value, *source;
};
struct raw_technique {
    char *description, *paper;
    char **mechanisms;
    struct raw_value *gpu, *options;
    unsigned mechanisms_count, gpu_count, options_count;
};
static const cyaml_schema_value_t word_schema = {
    CYAML_VALUE_STRING(CYAML_FLAG_POINTER, char, 1, CYAML_UNLIMITED)};
static const cyaml_schema_field_t value_fields[] = {
    CYAML_FIELD_STRING_PTR("name", CYAML_FLAG_POINTER, struct raw_value, name, 1, CYAML_UNLIMITED),
    CYAML_FIELD_STRING_PTR("value", CYAML_FLAG_POINTER, struct raw_value, value, 1,
                           CYAML_UNLIMITED),
    CYAML_FIELD_STRING_PTR("source", CYAML_FLAG_POINTER, struct raw_value, source, 1,
                           CYAML_UNLIMITED),
    CYAML_FIELD_END};
static const cyaml_schema_value_t value_schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct raw_value, value_fields)};
static const cyaml_schema_field_t technique_fields[] = {
    CYAML_FIELD_STRING_PTR("description", CYAML_FLAG_POINTER, struct raw_technique, description, 1,
                           CYAML_UNLIMITED),
    CYAML_FIELD_STRING_PTR("paper", CYAML_FLAG_POINTER, struct raw_technique, paper, 1,
                           CYAML_UNLIMITED),
    CYAML_FIELD_SEQUENCE("mechanisms", CYAML_FLAG_POINTER, struct raw_technique, mechanisms,
                         &word_schema, 0, CYAML_UNLIMITED),
    CYAML_FIELD_SEQUENCE("gpu", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct raw_technique, gpu,
                         &value_schema, 0, CYAML_UNLIMITED),
    CYAML_FIELD_SEQUENCE("options", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct raw_technique,
                         options, &value_schema, 0, CYAML_UNLIMITED),
    CYAML_FIELD_END};
static const cyaml_schema_value_t technique_schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, struct raw_technique, technique_fields)};

// Copies values by their names of today. `prefix`: how -s calls them.
static enum ww_status copy_values(struct arena *a, const char *path, const char *prefix,
                                  const struct raw_value *from, uint32_t n, struct diags *d,
                                  struct technique_value **out) {
    *out = arena_alloc(a, (n + 1) * sizeof **out);
    enum ww_status s = WW_OK;
    for (uint32_t i = 0; i < n && s == WW_OK; i++) {
        const char *const key = arena_printf(a, "%s%s", prefix, from[i].name);
        const char *const now = config_key_now(key, strlen(key));
        const char *const name = now ? now + strlen(prefix) : from[i].name;
        bool has_both = false;
        for (uint32_t k = 0; now && k < n; k++) has_both |= strcmp(from[k].name, name) == 0;
        if (now) s = config_renamed_note(path, NULL, key, has_both, d);
        (*out)[i] = (struct technique_value){arena_strdup(a, name), arena_strdup(a, from[i].value),
                                             arena_strdup(a, from[i].source)};
    }
    return s;
}

// A file says each thing once: which of two values would count?
static enum ww_status check_once(const struct technique *t, struct diags *d) {
    const char *twice = NULL;
    for (uint32_t i = 0; i < t->n_mechanisms; i++)
        for (uint32_t k = 0; k < i; k++)
            if (strcmp(t->mechanism[k], t->mechanism[i]) == 0) twice = t->mechanism[i];
    for (uint32_t i = 0; i < t->n_gpu; i++)
        for (uint32_t k = 0; k < i; k++)
            if (strcmp(t->gpu[k].name, t->gpu[i].name) == 0) twice = t->gpu[i].name;
    for (uint32_t i = 0; i < t->n_options; i++)
        for (uint32_t k = 0; k < i; k++)
            if (strcmp(t->option[k].name, t->option[i].name) == 0) twice = t->option[i].name;
    return twice ? diag_add(d, WW_ERROR_CONFIG, "%s: %s stands there twice", t->path, twice)
                 : WW_OK;
}

static enum ww_status read_technique(struct arena *a, const char *path, const char *name,
                                     struct diags *d, struct technique *out) {
    char *text;
    size_t len;
    enum ww_status s = file_read(a, path, MAX_FILE, &text, &len, d);
    if (s == WW_OK) s = yaml_one_document(path, text, "a technique", d);
    if (s != WW_OK) return s;
    static const char *const keys[] = {"description", "paper", "mechanisms", "gpu",
                                       "options",     "name",  "value",      "source"};
    struct yaml_words words = {
        .file = path, .text = text, .what = "a technique", .key = keys, .n_keys = WW_COUNT(keys)};
    const cyaml_config_t config = {.log_fn = yaml_listen,
                                   .log_ctx = &words,
                                   .mem_fn = cyaml_mem,
                                   .log_level = CYAML_LOG_ERROR};
    struct raw_technique *raw = NULL;
    const cyaml_err_t e = cyaml_load_data((const uint8_t *)text, len, &config, &technique_schema,
                                          (cyaml_data_t **)&raw, NULL);
    if (e != CYAML_OK || raw == NULL) return yaml_refuse(&words, e, d);
    *out = (struct technique){.name = arena_strdup(a, name),
                              .path = arena_strdup(a, path),
                              .description = arena_strdup(a, raw->description),
                              .paper = arena_strdup(a, raw->paper),
                              .n_mechanisms = raw->mechanisms_count,
                              .n_gpu = raw->gpu_count,
                              .n_options = raw->options_count};
    out->mechanism = arena_alloc(a, (raw->mechanisms_count + 1) * sizeof *out->mechanism);
    for (unsigned i = 0; i < raw->mechanisms_count; i++)
        out->mechanism[i] = arena_strdup(a, raw->mechanisms[i]);
    s = copy_values(a, path, "", raw->gpu, raw->gpu_count, d, &out->gpu);
    if (s == WW_OK)
        s = copy_values(a, path, OPTION_PREFIX, raw->options, raw->options_count, d, &out->option);
    cyaml_free(&config, &technique_schema, raw, 0);
    return s == WW_OK ? check_once(out, d) : s;
}

// ---- finding ------------------------------------------------------------------------------------
static bool is_file(const char *path) {
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

static bool ends_in_yaml(const char *name) {
    const size_t n = strlen(name);
    return n > 5 && strcmp(name + n - 5, ".yaml") == 0;
}

const char *technique_name(struct arena *a, const char *name_or_path) {
    const char *const slash = strrchr(name_or_path, '/');
    const char *const file = slash ? slash + 1 : name_or_path;
    return arena_strndup(a, file, strlen(file) - (ends_in_yaml(file) ? 5 : 0));
}

static int by_name(const void *a, const void *b) {
    const struct technique *x = a, *y = b;
    return strcmp(x->name, y->name);
}

enum ww_status technique_list(struct arena *a, struct technique **list, uint32_t *n,
                              struct diags *d) {
    VEC(struct technique) all = {0};
    struct config_places p;
    config_find_places(&p, "WARPWATT_SAVINGS", "savings");
    enum ww_status s = WW_OK;
    for (uint32_t i = 0; i < p.n; i++) {
        DIR *dir = opendir(p.dir[i]);
        if (!dir) continue;
        for (const struct dirent *e; (e = readdir(dir));) {
            if (!ends_in_yaml(e->d_name)) continue;
            const char *name = technique_name(a, e->d_name);
            bool seen = false;
            for (uint32_t k = 0; k < all.n; k++) seen |= strcmp(all.at[k].name, name) == 0;
            if (seen) continue;
            struct technique t;
            const char *path = arena_printf(a, "%s/%s", p.dir[i], e->d_name);
            if (read_technique(a, path, name, d, &t) != WW_OK)
                t = (struct technique){.name = name, .path = path, .broken = true};
            vec_push(a, &all, t);
        }
        closedir(dir);
    }
    if (s == WW_OK && !all.n)
        s = diag_add(d, WW_ERROR_IO,
                     "no technique files found: set WARPWATT_SAVINGS to their folder");
    if (s != WW_OK) return s;
    qsort(all.at, all.n, sizeof *all.at, by_name);
    *list = all.at;
    *n = all.n;
    return WW_OK;
}

enum ww_status technique_load(struct arena *a, const char *name, struct diags *d,
                              struct technique *out) {
    if (strchr(name, '/') || ends_in_yaml(name)) {
        if (!is_file(name))
            return diag_add(d, WW_ERROR_CONFIG, "there is no technique file %s", name);
        return read_technique(a, name, name, d, out);
    }
    struct config_places p;
    config_find_places(&p, "WARPWATT_SAVINGS", "savings");
    for (uint32_t i = 0; i < p.n; i++) {
        const char *path = arena_printf(a, "%s/%s.yaml", p.dir[i], name);
        if (is_file(path)) return read_technique(a, path, name, d, out);
    }
    struct technique *list;
    uint32_t n;
    struct diags quiet; // other files' mistakes are not this name's
    diags_init(&quiet);
    const enum ww_status s = technique_list(a, &list, &n, &quiet);
    char why[256];
    diags_first(&quiet, why, sizeof why);
    diags_free(&quiet);
    if (s != WW_OK) return diag_add(d, s, "%s", why);
    const char **names = arena_alloc(a, (n + 1) * sizeof *names);
    for (uint32_t i = 0; i < n; i++) names[i] = list[i].name;
    for (uint32_t m = 0; m < SAVINGS_MECHANISMS; m++)
        if (strcmp(savings_mechanism(m).name, name) == 0)
            return diag_add(d, WW_ERROR_USAGE,
                            "`%s` is a mechanism, not a technique: a technique file names it "
                            "(docs/savings.md)",
                            name);
    const int near = text_nearest(name, names, n);
    if (near >= 0)
        return diag_add(d, WW_ERROR_USAGE, "there is no technique `%s`; did you mean `%s`?", name,
                        names[near]);
    return diag_add(d, WW_ERROR_USAGE, "there is no technique `%s`; `warpwatt savings` lists them",
                    name);
}

// ---- a GPU with techniques ----------------------------------------------------------------------
struct settings {
    const char *key[MAX_SETTINGS], *value[MAX_SETTINGS], *by[MAX_SETTINGS];
    uint32_t n;
};

// What a technique wants of the GPU or of an option (`prefix`: how -s calls that): two that want
// different things of one do not go together.
static enum ww_status add_setting(struct settings *s, const struct technique *t, const char *prefix,
                                  const struct technique_value *v, struct diags *d) {
    for (uint32_t i = 0; i < s->n; i++) {
        if (strcmp(s->key[i], v->name) != 0) continue;
        if (strcmp(s->value[i], v->value) == 0) return WW_OK;
        return diag_add(d, WW_ERROR_CONFIG,
                        "%s and %s do not go together: %s%s is %s for the one and %s for the "
                        "other; -s %s%s=... decides",
                        s->by[i], t->name, prefix, v->name, s->value[i], v->value, prefix, v->name);
    }
    if (s->n == MAX_SETTINGS)
        return diag_add(d, WW_ERROR_CONFIG, "too many settings of techniques");
    s->key[s->n] = v->name;
    s->value[s->n] = v->value;
    s->by[s->n++] = t->name;
    return WW_OK;
}

static bool is_overridden(const char *prefix, const char *key, const char *const *overrides,
                          uint32_t n) {
    const size_t before = strlen(prefix), len = strlen(key);
    for (uint32_t i = 0; i < n; i++)
        if (strncmp(overrides[i], prefix, before) == 0 &&
            strncmp(overrides[i] + before, key, len) == 0 && overrides[i][before + len] == '=')
            return true;
    return false;
}

// A key of a technique's that no GPU has is that file's mistake, and not one of -s.
static enum ww_status check_key(struct arena *a, const struct technique *t, const char *key,
                                struct diags *d) {
    const struct gpu_key *all;
    const uint32_t n = gpu_config_keys(a, &all);
    const char **names = arena_alloc(a, (n + 1) * sizeof *names);
    for (uint32_t i = 0; i < n; i++) {
        names[i] = all[i].path;
        if (strcmp(names[i], key) == 0) return WW_OK;
    }
    const int near = text_nearest(key, names, n);
    return diag_add(d, WW_ERROR_CONFIG, "%s: no GPU has a key %s%s%s%s", t->path, key,
                    near >= 0 ? "; did you mean " : "", near >= 0 ? names[near] : "",
                    near >= 0 ? "?" : "");
}

static enum ww_status add_technique(struct arena *a, const char *name, struct savings_request *r,
                                    struct settings *set, struct settings *chosen,
                                    const char *const *overrides, uint32_t n, struct diags *d) {
    struct technique t;
    enum ww_status s = technique_load(a, name, d, &t);
    if (s != WW_OK) return s;
    if (r->n_mechanisms + t.n_mechanisms > SAVINGS_MAX_WORDS ||
        r->n_options + t.n_options > SAVINGS_MAX_WORDS)
        return diag_add(d, WW_ERROR_CONFIG, "too many techniques at once");
    for (uint32_t i = 0; i < t.n_mechanisms; i++) {
        r->mechanism[r->n_mechanisms].name = t.mechanism[i];
        r->mechanism[r->n_mechanisms++].where = t.path;
    }
    for (uint32_t i = 0; i < t.n_options && s == WW_OK; i++) {
        if (!is_overridden(OPTION_PREFIX, t.option[i].name, overrides, n))
            s = add_setting(chosen, &t, OPTION_PREFIX, &t.option[i], d);
        r->option[r->n_options].name = t.option[i].name;
        r->option[r->n_options].value = t.option[i].value;
        r->option[r->n_options].where = t.path;
        r->option[r->n_options++].must_be_used = true;
    }
    for (uint32_t i = 0; i < t.n_gpu && s == WW_OK; i++) {
        if (is_overridden("", t.gpu[i].name, overrides, n)) continue;
        s = check_key(a, &t, t.gpu[i].name, d);
        if (s == WW_OK) s = add_setting(set, &t, "", &t.gpu[i], d);
    }
    return s;
}

// Mechanisms are refused by their own names; whose they are stands in the files.
static void note_mechanisms(struct arena *a, const struct savings_request *r, struct diags *d) {
    const char *said = "", *last = NULL;
    for (uint32_t i = 0; i < r->n_mechanisms; i++) {
        const char *const where = r->mechanism[i].where;
        if (where == last)
            said = arena_printf(a, "%s, %s", said, r->mechanism[i].name);
        else
            said = arena_printf(a, "%s%s%s is %s", said, last ? "; " : "", technique_name(a, where),
                                r->mechanism[i].name);
        last = where;
    }
    diag_at(d, DIAG_NOTE, WW_OK, NULL, NULL, 0, 0, "%s", said);
}

static enum ww_status configure(struct arena *a, const char *gpu, const char *names,
                                const char *const *overrides, uint32_t n, struct diags *d,
                                struct gpu_config *c, struct savings *out) {
    struct savings_request r = {.n_mechanisms = 0};
    struct settings set = {.n = 0}, chosen = {.n = 0};
    enum ww_status s = config_rename_overrides(a, overrides, n, d, &overrides);
    if (s != WW_OK) return s;
    char *list = arena_strdup(a, names ? names : "none");
    uint32_t n_names = 0;
    bool has_none = false;
    struct names seen;
    names_init(&seen, a);
    if (strchr(list, ','))
        return diag_add(d, WW_ERROR_USAGE,
                        "`%s` is a list, and a run has one configuration: `+` between techniques "
                        "runs them together; `warpwatt compare -p` takes a list, each on its own",
                        names);
    for (char *w; s == WW_OK && (w = strsep(&list, "+"));) {
        n_names++;
        const char *const name = technique_name(a, w);
        if (!*w)
            return diag_add(d, WW_ERROR_USAGE,
                            "`%s` names no technique%s; `warpwatt savings` lists them", names,
                            *names ? " at one place" : "");
        if (names_get(&seen, name, strlen(name)) >= 0)
            return diag_add(d, WW_ERROR_USAGE, "technique `%s` is named twice: %s", w, names);
        names_put(&seen, name, strlen(name), 1);
        if (strcmp(w, "none") == 0)
            has_none = true;
        else
            s = add_technique(a, w, &r, &set, &chosen, overrides, n, d);
    }
    if (s == WW_OK && has_none && n_names > 1)
        s = diag_add(d, WW_ERROR_USAGE, "`none` does not go together with other techniques: %s",
                     names);
    const char **keys = arena_alloc(a, (MAX_SETTINGS + n + 1) * sizeof *keys);
    uint32_t n_keys = 0;
    for (uint32_t i = 0; i < set.n; i++)
        keys[n_keys++] = arena_printf(a, "%s=%s", set.key[i], set.value[i]);
    for (uint32_t i = 0; i < n && s == WW_OK; i++) {
        if (strncmp(overrides[i], OPTION_PREFIX, sizeof OPTION_PREFIX - 1) != 0) {
            keys[n_keys++] = overrides[i];
            continue;
        }
        char *key = arena_strdup(a, overrides[i] + sizeof OPTION_PREFIX - 1), *equals = strchr(key, '=');
        if (!equals || r.n_options == SAVINGS_MAX_WORDS)
            return diag_add(d, WW_ERROR_USAGE, "-s %s: expected savings.OPTION=VALUE",
                            overrides[i]);
        *equals = 0;
        r.option[r.n_options].name = key;
        r.option[r.n_options].value = equals + 1;
        r.option[r.n_options].where = arena_printf(a, "-s %s", overrides[i]);
        r.option[r.n_options++].must_be_used = true;
    }
    if (s == WW_OK) s = gpu_config_load(gpu ? gpu : "gtx480", keys, n_keys, d, c);
    if (s != WW_OK) return s;
    s = savings_make(&r, &c->sm, d, out);
    if (s == WW_OK) s = front_end_group_check(c, out, d);
    if (s != WW_OK && n_names > 1) note_mechanisms(a, &r, d);
    return s;
}

enum ww_status technique_configure(const char *gpu, const char *names, const char *const *overrides,
                                   uint32_t n_overrides, struct diags *d, struct gpu_config *c,
                                   struct savings *out) {
    struct arena a;
    struct savings unwanted;
    arena_init(&a, NULL);
    const enum ww_status s =
        configure(&a, gpu, names, overrides, n_overrides, d, c, out ? out : &unwanted);
    arena_free(&a);
    return s;
}
