// `warpwatt workloads`: what lies in the workloads folder, read from each workload.yaml.
#include "cli/cli.h"

#include <cyaml/cyaml.h>
#include <glob.h>
#include <jansson.h>
#include <stdlib.h>
#include <unistd.h>

// One `sizes:` entry has a name of its own, so the mapping is read as text by libyaml's events
// through libcyaml's sequence-free subset: sizes are few and their names are fixed here.
#define SIZE_NAMES(X) X(small) X(paper) X(twice) X(bench) X(large) X(volta)
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
static const cyaml_schema_value_t text_schema = {
    CYAML_VALUE_STRING(CYAML_FLAG_POINTER, char, 0, CYAML_UNLIMITED)};
static const cyaml_schema_field_t size_fields[] = {
    CYAML_FIELD_SEQUENCE("args", CYAML_FLAG_POINTER, struct size_file, args, &int_schema, 0, 16),
    CYAML_FIELD_STRING_PTR("note", CYAML_FLAG_POINTER, struct size_file, note, 0, CYAML_UNLIMITED),
    CYAML_FIELD_END};
typedef struct workload_file workload_file_t;
static const cyaml_schema_field_t sizes_fields[] = {
#define X(n)                                                                                       \
    {.key = #n,                                                                                    \
     .value = {.type = CYAML_MAPPING,                                                              \
               .flags = CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL,                                  \
               .data_size = sizeof(struct size_file),                                              \
               .mapping = {.fields = size_fields}},                                                \
     .data_offset =                                                                                \
         (uint32_t)(offsetof(workload_file_t, sizes.n) - offsetof(workload_file_t, sizes))},
    SIZE_NAMES(X)
#undef X
        CYAML_FIELD_END};
static const cyaml_schema_field_t workload_fields[] = {
    CYAML_FIELD_STRING_PTR("name", CYAML_FLAG_POINTER, struct workload_file, name, 1,
                           CYAML_UNLIMITED),
    CYAML_FIELD_STRING_PTR("alias", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct workload_file,
                           alias, 1, CYAML_UNLIMITED),
    CYAML_FIELD_STRING_PTR("suite", CYAML_FLAG_POINTER, struct workload_file, suite, 0,
                           CYAML_UNLIMITED),
    CYAML_FIELD_STRING_PTR("domain", CYAML_FLAG_POINTER, struct workload_file, domain, 0,
                           CYAML_UNLIMITED),
    CYAML_FIELD_STRING_PTR("summary", CYAML_FLAG_POINTER, struct workload_file, summary, 0,
                           CYAML_UNLIMITED),
    CYAML_FIELD_SEQUENCE("kernels", CYAML_FLAG_POINTER, struct workload_file, kernels, &text_schema,
                         0, CYAML_UNLIMITED),
    CYAML_FIELD_MAPPING("sizes", CYAML_FLAG_DEFAULT, struct workload_file, sizes, sizes_fields),
    CYAML_FIELD_END};
static const cyaml_schema_value_t workload_schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, struct workload_file, workload_fields)};

static void add_size(struct cli *c, struct workload *w, const char *name,
                     const struct size_file *f) {
    if (!f) return;
    char text[256] = "";
    size_t at = 0;
    for (unsigned i = 0; i < f->args_count && at < sizeof text; i++)
        at += (size_t)snprintf(text + at, sizeof text - at, "%s%lld", i ? " " : "",
                               (long long)f->args[i]);
    w->size[w->n_sizes++] = (struct workload_size){name, arena_strdup(&c->arena, text),
                                                   arena_strdup(&c->arena, f->note)};
}

static enum ww_status read_one(struct cli *c, const char *path, const char *built,
                               struct workload *w) {
    const cyaml_config_t config = {
        .log_fn = NULL, .mem_fn = cyaml_mem, .log_level = CYAML_LOG_ERROR};
    struct workload_file *f = NULL;
    const cyaml_err_t e =
        cyaml_load_file(path, &config, &workload_schema, (cyaml_data_t **)&f, NULL);
    if (e != CYAML_OK)
        return diag_add(&c->diags, WW_ERROR_CONFIG, "%s: %s", path, cyaml_strerror(e));
    *w = (struct workload){
        .name = arena_strdup(&c->arena, f->name),
        .alias = f->alias ? arena_strdup(&c->arena, f->alias) : NULL,
        .suite = arena_strdup(&c->arena, f->suite),
        .domain = arena_strdup(&c->arena, f->domain),
        .summary = arena_strdup(&c->arena, f->summary),
        .dir = arena_strndup(&c->arena, path, strlen(path) - strlen("/workload.yaml"))};
    const char **kernel = arena_alloc(&c->arena, (f->kernels_count + 1) * sizeof *kernel);
    for (unsigned i = 0; i < f->kernels_count; i++)
        kernel[i] = arena_strdup(&c->arena, f->kernels[i]);
    w->kernel = kernel;
    w->n_kernels = f->kernels_count;
    w->size = arena_alloc(&c->arena, 8 * sizeof *w->size);
#define X(n) add_size(c, w, #n, f->sizes.n);
    SIZE_NAMES(X)
#undef X
    const char *program = arena_printf(&c->arena, "%s/%s/%s", built, w->name, w->name);
    if (access(program, X_OK) == 0) w->program = program;
    cyaml_free(&config, &workload_schema, f, 0);
    return WW_OK;
}

// The folders of one kind, behind those that the list has.
static enum ww_status add_kind(struct cli *c, const char *const place[2][2],
                               enum workload_kind kind, struct workload **list, uint32_t *n) {
    for (size_t i = 0; i < 2; i++) {
        glob_t g;
        if (glob(arena_printf(&c->arena, "%s/*/workload.yaml", place[i][0]), 0, NULL, &g) != 0)
            continue;
        struct workload *all = arena_alloc(&c->arena, (*n + g.gl_pathc) * sizeof *all);
        if (*n) memcpy(all, *list, *n * sizeof *all);
        *list = all;
        enum ww_status s = WW_OK;
        for (size_t k = 0; k < g.gl_pathc && s == WW_OK; k++) {
            s = read_one(c, g.gl_pathv[k], place[i][1], &all[*n]);
            all[(*n)++].kind = kind;
        }
        globfree(&g);
        return s;
    }
    return WW_OK;
}

enum ww_status workloads_list(struct cli *c, struct workload **list, uint32_t *n) {
    // beside a build: sources in the tree, programs in the build; installed: share/ and lib/
    struct arena *a = &c->arena;
    const char *const share = arena_printf(a, "%s/../share/warpwatt", c->exe_dir),
                      *const lib = arena_printf(a, "%s/../lib/warpwatt/workloads", c->exe_dir),
                      *const built = arena_printf(a, "%s/workloads", c->exe_dir);
    const char *const plain[2][2] = {{arena_printf(a, "%s/workloads", share), lib},
                                     {WW_SOURCE_DIR "/workloads", built}};
    const char *const volta[2][2] = {{arena_printf(a, "%s/volta", share), lib},
                                     {WW_SOURCE_DIR "/workloads/volta", built}};
    const char *const micro[2][2] = {{arena_printf(a, "%s/micro", share), lib},
                                     {WW_SOURCE_DIR "/micro", built}};
    *n = 0;
    enum ww_status s = add_kind(c, plain, WORKLOAD_OF_PAPERS, list, n);
    if (s == WW_OK && !*n)
        return diag_add(&c->diags, WW_ERROR_IO, "no workloads found beside %s/warpwatt",
                        c->exe_dir);
    if (s == WW_OK) s = add_kind(c, volta, WORKLOAD_OF_VOLTA, list, n);
    return s == WW_OK ? add_kind(c, micro, WORKLOAD_MICRO, list, n) : s;
}

bool workload_is(const struct workload *w, const char *name) {
    return strcmp(w->name, name) == 0 || (w->alias && strcmp(w->alias, name) == 0);
}

static void print_list(struct cli *c, const struct workload *list, uint32_t n) {
    printf("%-20s %-12s %-26s %7s  %8s %8s  %-30s %s\n", "workload", "suite", "domain", "kernels",
           "small", "paper", "sizes", "what it is");
    for (uint32_t i = 0; i < n; i++) {
        const struct workload *const w = &list[i];
        if (w->kind == WORKLOAD_MICRO) continue;
        char sizes[64] = "";
        size_t at = 0;
        for (uint32_t k = 0; k < w->n_sizes && at < sizeof sizes; k++)
            at += (size_t)snprintf(sizes + at, sizeof sizes - at, "%s%s", k ? " " : "",
                                   w->size[k].name);
        const char *const called =
            w->alias ? arena_printf(&c->arena, "%s (%s)", w->name, w->alias) : w->name;
        const char *const small = pages_instructions(c, w, "small"), *const paper =
                                                                         pages_instructions(
                                                                             c, w, "paper");
        printf("%-20s %-12s %-26s %7u  %8s %8s  %-30s %s%s\n", called, w->suite, w->domain,
               w->n_kernels, small ? small : "-", paper ? paper : "-", sizes, w->summary,
               w->program ? "" : " (not built)");
    }
}

static void print_page(struct cli *c, const struct workload *w) {
    printf("%s (%s%s%s, %s)\n%s\n\n", w->name, w->suite, w->alias ? "'s " : "",
           w->alias ? w->alias : "", w->domain, w->summary);
    printf("kernels:");
    for (uint32_t i = 0; i < w->n_kernels; i++) printf(" %s", w->kernel[i]);
    puts("\n");
    for (uint32_t k = 0; k < w->n_sizes; k++) {
        const char *const n = pages_instructions(c, w, w->size[k].name);
        printf("  --size %-8s %-20s %s%s%s\n", w->size[k].name, w->size[k].args, w->size[k].note,
               n ? "; thread instructions: " : "", n ? n : "");
    }
    pages_print(c, w);
    char *text;
    size_t len;
    if (file_read(&c->arena, arena_printf(&c->arena, "%s/README.md", w->dir), 1 << 20, &text, &len,
                  &c->diags) == WW_OK)
        printf("\n%s", text);
}

static json_t *workload_json(struct cli *c, const struct workload *w) {
    static const char *const kind[] = {
        [WORKLOAD_OF_PAPERS] = "papers", [WORKLOAD_OF_VOLTA] = "volta", [WORKLOAD_MICRO] = "micro"};
    json_t *sizes = json_array(), *kernels = json_array();
    for (uint32_t i = 0; i < w->n_kernels; i++)
        json_array_append_new(kernels, json_string(w->kernel[i]));
    for (uint32_t i = 0; i < w->n_sizes; i++) {
        const struct workload_size *const s = &w->size[i];
        json_array_append_new(sizes, json_pack("{s:s,s:s,s:s,s:s?}", "name", s->name, "arguments",
                                               s->args, "note", s->note, "thread_instructions",
                                               pages_instructions(c, w, s->name)));
    }
    return json_pack("{s:s,s:s?,s:s,s:s,s:s,s:s,s:b,s:o,s:o}", "name", w->name, "alias", w->alias,
                     "kind", kind[w->kind], "suite", w->suite, "domain", w->domain, "summary",
                     w->summary, "built", w->program != NULL, "kernels", kernels, "sizes", sizes);
}

enum { OPT_RUN, OPT_SIZE, OPT_JSON };
static const struct cli_option option[] = {
    [OPT_RUN] = {"--run", 0, NULL, "run it on gtx480 now, whatever was measured before"},
    [OPT_SIZE] = {"--size", 0, "SIZE", "with --run: the size (default small)"},
    [OPT_JSON] = {"--json", 0, NULL, "as JSON on standard output"},
};

const struct cli_spec spec_workloads = {
    .name = "workloads",
    .form = {"[NAME] [--json]", "NAME --run [--size SIZE]"},
    .prose =
        "Lists the workloads, with their thread instructions at sizes small and paper, or shows "
        "one's page.",
    .part = {CLI_PART(option)},
    .word = CLI_WORKLOAD,
};

int cmd_workloads(struct cli *c, int argc, char **argv) {
    struct cli_args args = {.argc = argc, .argv = argv, .at = 1};
    const char *name = NULL, *size = NULL, *value;
    bool runs = false, json = false;
    for (int o; (o = cli_next(&args, &spec_workloads, &value)) != CLI_END;) {
        if (o == CLI_STOP) return args.code;
        if (o == CLI_WORD && name)
            return cli_usage("one workload at a time: `%s` is too much", value);
        if (o == CLI_WORD) name = value;
        if (o == OPT_RUN) runs = true;
        if (o == OPT_SIZE) size = value;
        if (o == OPT_JSON) json = true;
    }
    if (runs && json) return cli_usage("--json goes without --run; `warpwatt run --json` has it");
    if (size && !runs) return cli_usage("--size goes with --run");
    if (runs && !name)
        return cli_usage("--run which workload? `warpwatt run --all` runs all of them");
    struct workload *list;
    uint32_t n;
    const enum ww_status s = workloads_list(c, &list, &n);
    if (s != WW_OK) return cli_fail(c, s);
    if (!name && json) {
        json_t *all = json_array();
        for (uint32_t i = 0; i < n; i++) json_array_append_new(all, workload_json(c, &list[i]));
        cli_print_json("workloads", all);
        json_decref(all);
        return 0;
    }
    if (!name) {
        print_list(c, list, n);
        return 0;
    }
    const char **names = arena_alloc(&c->arena, n * sizeof *names + 1);
    for (uint32_t i = 0; i < n; i++) {
        names[i] = list[i].name;
        if (!workload_is(&list[i], name)) continue;
        if (json) {
            json_t *one = workload_json(c, &list[i]);
            cli_print_json("workload", one);
            json_decref(one);
            return 0;
        }
        if (!runs) {
            print_page(c, &list[i]);
            return 0;
        }
        char *words[] = {"run",
                         "-g",
                         "gtx480",
                         "--size",
                         arena_strdup(&c->arena, size ? size : "small"),
                         arena_strdup(&c->arena, list[i].name),
                         NULL};
        return cmd_run(c, (int)WW_COUNT(words) - 1, words);
    }
    const int near = text_nearest(name, names, n);
    if (near >= 0) return cli_usage("no workload `%s`; did you mean `%s`?", name, names[near]);
    return cli_usage("no workload `%s`; `warpwatt workloads` lists them", name);
}
