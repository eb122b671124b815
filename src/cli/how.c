// What a run is: the words that started it, where, on which machine, with which techniques, by
// which version. It stands in the record, and so in all that is made of it; `run --again DIR`
// starts the same run from there. Words that only say where results go are no part of it.
#include "savings/savings.h"
#include "cli/how.h"

#include "base/sum.h"
#include "commit.h"

#include <stdlib.h>
#include <unistd.h>

extern char **environ;

// Longer than the environment of a child takes: the words are left out then.
enum { HOW_BYTES = 96 * 1024 };

static const char version[] = WW_VERSION;

static const char *version_text(struct cli *c) {
    return arena_printf(&c->arena, "%s%s%s%s", version, *WW_COMMIT ? " (" : "", WW_COMMIT,
                        *WW_COMMIT ? ")" : "");
}

void how_word(struct how *h, const char *word) {
    if (!h->words) h->words = json_array();
    json_array_append_new(h->words, json_string_nocheck(word));
}

// ---- what it depends on besides words ----------------------------------------------------------
// Variables that choose what a program and this simulator find and do. No others are kept: an
// environment holds what is private.
static bool is_kept(const char *entry) {
    static const char *const kept[] = {
        "LD_LIBRARY_PATH=",  "LD_PRELOAD=",        "CUDA_", "NVIDIA_", "OMP_", "WARPWATT_GPUS=",
        "WARPWATT_SAVINGS=", "WARPWATT_WORKLOADS="};
    for (size_t i = 0; i < WW_COUNT(kept); i++)
        if (strncmp(entry, kept[i], strlen(kept[i])) == 0) return true;
    return false;
}

static json_t *environment_json(void) {
    json_t *o = json_object();
    for (char **e = environ; *e; e++) {
        const char *const equals = strchr(*e, '=');
        if (!equals || !is_kept(*e)) continue;
        json_object_setn_new(o, *e, (size_t)(equals - *e), json_string_nocheck(equals + 1));
    }
    return o;
}

static json_t *mechanisms_json(const struct savings *s) {
    json_t *list = json_array();
    for (uint32_t i = 0; i < SAVINGS_MECHANISMS; i++)
        if (s->mechanisms >> i & 1) json_array_append_new(list, json_string(savings_mechanism(i).name));
    return list;
}

// Options of the mechanisms that run, as `-s savings.NAME=` takes them.
static json_t *options_json(const struct savings *s) {
    json_t *o = json_object();
    struct savings_option_info row;
    for (uint32_t i = 0; (row = savings_option_at(i)).is != NULL; i++) {
        if (!(row.mechanisms & s->mechanisms)) continue;
        char text[32];
        savings_option_text(row.is, s->value[i], text, sizeof text);
        json_object_set_new(o, row.is->name,
                            row.is->names ? json_string(text) : json_integer(s->value[i]));
    }
    return o;
}

static json_t *file_sum(struct cli *c, const char *path) {
    struct diags quiet;
    diags_init(&quiet);
    char *text, digits[SUM_TEXT_BYTES];
    size_t len;
    json_t *sum = json_null();
    struct arena a;
    arena_init(&a, NULL);
    if (path && file_read(&a, path, (size_t)1 << 30, &text, &len, &quiet) == WW_OK)
        sum = json_string(sum_text(sum_feed(SUM_START, text, len), digits));
    arena_free(&a);
    diags_free(&quiet);
    (void)c;
    return sum;
}

// ---- the whole ----------------------------------------------------------------------------------
const char *how_text(struct cli *c, struct how *h, const struct how_facts *f) {
    json_t *o = h->json = json_object(), *set = json_array();
    json_object_set_new(o, "version", json_string(version_text(c)));
    json_object_set_new(o, "kind", json_string(f->kind));
    json_object_set_new(o, "name", json_string_nocheck(f->name));
    if (f->size) json_object_set_new(o, "size", json_string_nocheck(f->size));
    json_object_set_new(o, "gpu", json_string_nocheck(f->session->gpu));
    for (uint32_t i = 0; i < f->session->n_overrides; i++)
        json_array_append_new(set, json_string_nocheck(f->session->overrides[i]));
    json_object_set_new(o, "set", set);
    json_object_set_new(o, "techniques",
                        json_string_nocheck(f->session->policies ? f->session->policies : "none"));
    json_object_set_new(o, "mechanisms", mechanisms_json(f->savings));
    json_object_set_new(o, "technique_options", options_json(f->savings));
    char *here = getcwd(NULL, 0);
    json_object_set_new(o, "folder", json_string_nocheck(here ? here : "."));
    free(here);
    json_object_set_new(o, "program_sum", file_sum(c, f->file));
    json_object_set_new(o, "environment", environment_json());
    json_object_set(o, "words", h->words);
    char *text = json_dumps(o, JSON_COMPACT);
    if (text && strlen(text) > HOW_BYTES) {
        free(text);
        json_object_set_new(o, "words", json_null());
        json_object_set_new(o, "environment", json_object());
        text = json_dumps(o, JSON_COMPACT);
    }
    const char *kept = text && strlen(text) <= HOW_BYTES ? arena_strdup(&c->arena, text) : NULL;
    free(text);
    return kept;
}

void how_free(struct how *h) {
    json_decref(h->words);
    json_decref(h->json);
    *h = (struct how){NULL};
}

// ---- again --------------------------------------------------------------------------------------
static enum ww_status cannot(struct cli *c, const char *dir, const char *why) {
    return diag_add(&c->diags, WW_ERROR_USAGE, "the run in %s cannot be run again: %s", dir, why);
}

// The environment becomes what it was, as far as it is kept.
static void take_environment(const json_t *kept) {
    bool again = true;
    while (again) { // unsetenv moves what stands behind
        again = false;
        for (char **e = environ; *e && !again; e++) {
            char name[256];
            const size_t n = strcspn(*e, "=");
            if (!is_kept(*e) || n >= sizeof name) continue;
            snprintf(name, sizeof name, "%.*s", (int)n, *e);
            if (json_object_get(kept, name)) continue;
            unsetenv(name);
            again = true;
        }
    }
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)kept, name, value)
        setenv(name, json_string_value(value), 1);
}

enum ww_status how_again(struct cli *c, const char *dir, struct how_again *out) {
    const char *record = NULL;
    enum ww_status s = run_folder_record(c, dir, &record);
    json_t *header = NULL;
    if (s == WW_OK) s = record_header(record, &c->diags, &header);
    if (s != WW_OK) return s;
    const json_t *how = json_object_get(header, "run"), *words = json_object_get(how, "words");
    const char *const sum = json_string_value(json_object_get(header, "gpu_file"));
    if (!how || !sum)
        s = cannot(c, dir, "its record does not say how it was started (an older version made it)");
    else if (!json_array_size(words))
        s = cannot(c, dir, "its command line was too long to be kept");
    if (s == WW_OK) {
        const char *slash = strrchr(record, '/');
        out->gpu_file = arena_printf(&c->arena, "%.*s/gpu.yaml", (int)(slash - record), record);
        out->gpu_sum = arena_strdup(&c->arena, sum);
        out->how = json_deep_copy(how);
        out->dir = dir;
    }
    json_decref(header);
    return s;
}

// From the folder that the run was started in, as relative names are from there.
enum ww_status how_go_there(struct cli *c, const struct how_again *a) {
    const char *const folder = json_string_value(json_object_get(a->how, "folder"));
    if (!folder || chdir(folder) != 0)
        return diag_add(&c->diags, WW_ERROR_IO,
                        "the run in %s was started in %s, which cannot be entered now", a->dir,
                        folder ? folder : "a folder that it does not name");
    take_environment(json_object_get(a->how, "environment"));
    return WW_OK;
}

void how_compare(struct cli *c, const struct how_again *a, const json_t *now) {
    static const struct {
        const char *key, *what;
    } row[] = {{"version", "the version"}, {"program_sum", "the program's file"}};
    (void)c;
    for (size_t i = 0; i < WW_COUNT(row); i++) {
        const json_t *const was = json_object_get(a->how, row[i].key);
        if (!json_equal(was, json_object_get(now, row[i].key)))
            fprintf(stderr, "warpwatt: note: %s is not what it was for the run in %s%s%s\n",
                    row[i].what, a->dir, json_is_string(was) ? ": it was " : "",
                    json_is_string(was) ? json_string_value(was) : "");
    }
}

enum ww_status how_same_techniques(struct cli *c, const struct how_again *a,
                                   const struct savings *s) {
    const json_t *const was = json_object_get(a->how, "technique_options");
    json_t *mechanisms = mechanisms_json(s), *options = options_json(s);
    enum ww_status status = WW_OK;
    const char *name;
    json_t *v;
    if (!json_equal(mechanisms, json_object_get(a->how, "mechanisms")))
        status = cannot(c, a->dir, "a file of its techniques names other mechanisms today");
    json_object_foreach(options, name, v) {
        if (status != WW_OK || json_equal(v, json_object_get(was, name))) continue;
        status =
            cannot(c, a->dir,
                   arena_printf(&c->arena, "savings.%s of its techniques is another today", name));
    }
    json_decref(mechanisms);
    json_decref(options);
    return status;
}
