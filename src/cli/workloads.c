// `warpwatt workloads`: what lies in the workloads folder, read from each workload.yaml.
#include "cli/cli.h"

#include <cyaml/cyaml.h>
#include <glob.h>
#include <stdlib.h>
#include <unistd.h>

// One `sizes:` entry has a name of its own, so the mapping is read as text by libyaml's events
// through libcyaml's sequence-free subset: sizes are few and their names are fixed here.
#define SIZE_NAMES(X) X(small) X(paper) X(bench) X(large)
struct size_file {
    char *note;
    int64_t *args;
    unsigned args_count;
};
struct workload_file {
    char *name, *alias, *suite, *domain, *summary;
    char **kernels;
    unsigned kernels_count;
    struct {
#define X(n) struct size_file *n;
        SIZE_NAMES(X)
#undef X
    } sizes;
};
static const cyaml_schema_value_t int_schema = {CYAML_VALUE_INT(CYAML_FLAG_DEFAULT, int64_t)};
static const cyaml_schema_value_t text_schema = {CYAML_VALUE_STRING(CYAML_FLAG_POINTER, char, 0, CYAML_UNLIMITED)};
static const cyaml_schema_field_t size_fields[] = {
    CYAML_FIELD_SEQUENCE("args", CYAML_FLAG_POINTER, struct size_file, args, &int_schema, 0, 16),
    CYAML_FIELD_STRING_PTR("note", CYAML_FLAG_POINTER, struct size_file, note, 0, CYAML_UNLIMITED), CYAML_FIELD_END};
typedef struct workload_file workload_file_t;
static const cyaml_schema_field_t sizes_fields[] = {
#define X(n) {.key = #n, .value = {.type = CYAML_MAPPING, .flags = CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, .data_size = sizeof(struct size_file), .mapping = {.fields = size_fields}}, .data_offset = (uint32_t)(offsetof(workload_file_t, sizes.n) - offsetof(workload_file_t, sizes))},
    SIZE_NAMES(X)
#undef X
        CYAML_FIELD_END};
static const cyaml_schema_field_t workload_fields[] = {
    CYAML_FIELD_STRING_PTR("name", CYAML_FLAG_POINTER, struct workload_file, name, 1, CYAML_UNLIMITED),
    CYAML_FIELD_STRING_PTR("alias", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct workload_file, alias, 1, CYAML_UNLIMITED),
    CYAML_FIELD_STRING_PTR("suite", CYAML_FLAG_POINTER, struct workload_file, suite, 0, CYAML_UNLIMITED),
    CYAML_FIELD_STRING_PTR("domain", CYAML_FLAG_POINTER, struct workload_file, domain, 0, CYAML_UNLIMITED),
    CYAML_FIELD_STRING_PTR("summary", CYAML_FLAG_POINTER, struct workload_file, summary, 0, CYAML_UNLIMITED),
    CYAML_FIELD_SEQUENCE("kernels", CYAML_FLAG_POINTER, struct workload_file, kernels, &text_schema, 0, CYAML_UNLIMITED),
    CYAML_FIELD_MAPPING("sizes", CYAML_FLAG_DEFAULT, struct workload_file, sizes, sizes_fields),
    CYAML_FIELD_END};
static const cyaml_schema_value_t workload_schema = {CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, struct workload_file, workload_fields)};

static void add_size(struct cli *c, struct workload *w, const char *name, const struct size_file *f) {
    if (!f) return;
    char text[256] = "";
    size_t at = 0;
    for (unsigned i = 0; i < f->args_count && at < sizeof text; i++)
        at += (size_t)snprintf(text + at, sizeof text - at, "%s%lld", i ? " " : "", (long long)f->args[i]);
    w->size[w->n_sizes++] = (struct workload_size){name, arena_strdup(&c->arena, text), arena_strdup(&c->arena, f->note)};
}

static enum ww_status read_one(struct cli *c, const char *path, const char *built, struct workload *w) {
    const cyaml_config_t config = {.log_fn = NULL, .mem_fn = cyaml_mem, .log_level = CYAML_LOG_ERROR};
    struct workload_file *f = NULL;
    const cyaml_err_t e = cyaml_load_file(path, &config, &workload_schema, (cyaml_data_t **)&f, NULL);
    if (e != CYAML_OK) return diag_add(&c->diags, WW_ERROR_CONFIG, "%s: %s", path, cyaml_strerror(e));
    *w = (struct workload){.name = arena_strdup(&c->arena, f->name),
                           .alias = f->alias ? arena_strdup(&c->arena, f->alias) : NULL,
                           .suite = arena_strdup(&c->arena, f->suite),
                           .domain = arena_strdup(&c->arena, f->domain),
                           .summary = arena_strdup(&c->arena, f->summary),
                           .dir = arena_strndup(&c->arena, path, strlen(path) - strlen("/workload.yaml"))};
    w->size = arena_alloc(&c->arena, 8 * sizeof *w->size);
#define X(n) add_size(c, w, #n, f->sizes.n);
    SIZE_NAMES(X)
#undef X
    const char *program = arena_printf(&c->arena, "%s/%s/%s", built, w->name, w->name);
    if (access(program, X_OK) == 0) w->program = program;
    cyaml_free(&config, &workload_schema, f, 0);
    return WW_OK;
}

enum ww_status workloads_list(struct cli *c, struct workload **list, uint32_t *n) {
    // beside a build: sources in the tree, programs in the build; installed: both in share/
    const char *const place[][2] = {
        {arena_printf(&c->arena, "%s/../share/warpwatt/workloads", c->exe_dir), NULL},
        {WW_SOURCE_DIR "/workloads", arena_printf(&c->arena, "%s/workloads", c->exe_dir)},
    };
    for (size_t i = 0; i < WW_COUNT(place); i++) {
        glob_t g;
        if (glob(arena_printf(&c->arena, "%s/*/workload.yaml", place[i][0]), 0, NULL, &g) != 0) continue;
        *list = arena_alloc(&c->arena, g.gl_pathc * sizeof **list);
        *n = 0;
        enum ww_status s = WW_OK;
        for (size_t k = 0; k < g.gl_pathc && s == WW_OK; k++)
            s = read_one(c, g.gl_pathv[k], place[i][1] ? place[i][1] : place[i][0], &(*list)[(*n)++]);
        globfree(&g);
        return s;
    }
    return diag_add(&c->diags, WW_ERROR_IO, "no workloads found beside %s/warpwatt", c->exe_dir);
}

bool workload_is(const struct workload *w, const char *name) {
    return strcmp(w->name, name) == 0 || (w->alias && strcmp(w->alias, name) == 0);
}

int cmd_workloads(struct cli *c, int argc, char **argv) {
    if (argc > 1 && strcmp(argv[1], "--help") == 0) {
        puts("usage: warpwatt workloads [NAME]\n\nLists the workloads, or shows one's page.");
        return 0;
    }
    struct workload *list;
    uint32_t n;
    const enum ww_status s = workloads_list(c, &list, &n);
    if (s != WW_OK) return cli_fail(c, s);
    if (argc < 2) {
        printf("%-20s %-12s %-26s %s\n", "workload", "suite", "sizes", "what it is");
        for (uint32_t i = 0; i < n; i++) {
            char sizes[64] = "";
            size_t at = 0;
            for (uint32_t k = 0; k < list[i].n_sizes && at < sizeof sizes; k++)
                at += (size_t)snprintf(sizes + at, sizeof sizes - at, "%s%s", k ? " " : "", list[i].size[k].name);
            const char *const called = list[i].alias ? arena_printf(&c->arena, "%s (%s)", list[i].name, list[i].alias) : list[i].name;
            printf("%-20s %-12s %-26s %s%s\n", called, list[i].suite, sizes, list[i].summary,
                   list[i].program ? "" : " (not built: no clang)");
        }
        return 0;
    }
    const char **names = arena_alloc(&c->arena, n * sizeof *names + 1);
    for (uint32_t i = 0; i < n; i++) {
        names[i] = list[i].name;
        if (!workload_is(&list[i], argv[1])) continue;
        printf("%s (%s%s%s, %s)\n%s\n\n", list[i].name, list[i].suite, list[i].alias ? "'s " : "",
               list[i].alias ? list[i].alias : "", list[i].domain, list[i].summary);
        for (uint32_t k = 0; k < list[i].n_sizes; k++)
            printf("  --size %-8s %-20s %s\n", list[i].size[k].name, list[i].size[k].args, list[i].size[k].note);
        char *text;
        size_t len;
        if (file_read(&c->arena, arena_printf(&c->arena, "%s/README.md", list[i].dir), 1 << 20, &text, &len, &c->diags) == WW_OK)
            printf("\n%s", text);
        return 0;
    }
    const int near = text_nearest(argv[1], names, n);
    if (near >= 0) return cli_usage("no workload `%s`; did you mean `%s`?", argv[1], names[near]);
    return cli_usage("no workload `%s`; `warpwatt workloads` lists them", argv[1]);
}
