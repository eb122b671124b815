// `warpwatt run KERNEL.ptx` (.cubin, .fatbin): one kernel of a file with arguments from the command
// line or from a small YAML file: scalars, and buffers filled from a generator or a file, with
// expected results.
#include "gpu/gpu.h"
#include "report/trace.h"
#include "cli/kernel_args.h"
#include "gpu/yaml_words.h"

#include <cyaml/cyaml.h>
#include <signal.h>
#include <stdlib.h>

enum {
    PTX_ENTRY,
    PTX_GRID,
    PTX_BLOCK,
    PTX_CLUSTER,
    PTX_SHARED,
    PTX_ARG,
    PTX_ARGS,
    PTX_LAUNCHES,
    PTX_WAVES
};
const struct cli_option ptx_options[PTX_OPTIONS] = {
    [PTX_ENTRY] = {"--entry", 0, "NAME", "the kernel (default: the only one)"},
    [PTX_GRID] = {"--grid", 0, "X[,Y,Z]", "CTAs"},
    [PTX_BLOCK] = {"--block", 0, "X[,Y,Z]", "threads of a CTA"},
    [PTX_CLUSTER] = {"--cluster", 0, "X[,Y,Z]", "CTAs of a cluster (default: as the kernel says)"},
    [PTX_SHARED] = {"--shared", 0, "BYTES", "dynamic shared memory"},
    [PTX_ARG] = {"--arg", 'a', "TYPE=VALUE", "next argument; see below"},
    [PTX_ARGS] = {"--args", 0, "FILE.yaml", "entry, grid, block, cluster, shared and args from a file",
                  CLI_FILE},
    [PTX_LAUNCHES] = {"--repeat", 0, "N", "launch N times"},
    [PTX_WAVES] = {"--waves", 0, "N",
                   "of the grid only as large a rectangle of its blocks as fills the GPU N times"},
};

// A number, though perhaps one that is too large.
static bool is_number(const char *text) {
    uint64_t value;
    return text_to_u64(text, &value) || (*text && !text[strspn(text, "0123456789")]);
}
static enum ww_status parse_triple(struct cli *c, const char *name, const char *text,
                                   uint32_t out[3]) {
    char *list = arena_strdup(&c->arena, text), *save = NULL;
    uint32_t n = 0, v[3] = {1, 1, 1};
    for (char *w = strtok_r(list, ",x", &save); w; w = strtok_r(NULL, ",x", &save)) {
        uint64_t value;
        const bool fits = text_to_u64(w, &value) && value <= UINT32_MAX;
        if (n == 3 || (!fits && !is_number(w)))
            return diag_add(&c->diags, WW_ERROR_USAGE, "%s is `%s`; it must be X, X,Y or X,Y,Z",
                            name, text);
        if (!fits)
            return diag_add(&c->diags, WW_ERROR_USAGE,
                            "%s is `%s`, where %s is too large: at most %u can be written", name,
                            text, w, UINT32_MAX);
        v[n++] = (uint32_t)value;
    }
    if (!n) return diag_add(&c->diags, WW_ERROR_USAGE, "%s is empty", name);
    memcpy(out, v, sizeof v);
    return WW_OK;
}

enum ww_status ptx_option(struct cli *c, struct ptx_request *p, size_t option, const char *value) {
    uint64_t n = 0;
    switch (option) {
    case PTX_ENTRY: p->entry = value; return WW_OK;
    case PTX_GRID: return parse_triple(c, "--grid", value, p->grid);
    case PTX_BLOCK: return parse_triple(c, "--block", value, p->block);
    case PTX_CLUSTER: return parse_triple(c, "--cluster", value, p->cluster);
    case PTX_ARG: vec_push(&c->arena, &p->args, value); return WW_OK;
    case PTX_ARGS: p->args_file = value; return WW_OK;
    case PTX_SHARED:
    case PTX_WAVES:
    case PTX_LAUNCHES:
        if (is_number(value) && (!text_to_u64(value, &n) || n > UINT32_MAX))
            return diag_add(&c->diags, WW_ERROR_USAGE, "%s is `%s`; it can be at most %u",
                            ptx_options[option].name, value, UINT32_MAX);
        if (!text_to_u64(value, &n) || n > UINT32_MAX || (option != PTX_SHARED && !n))
            return diag_add(&c->diags, WW_ERROR_USAGE, "%s is `%s`; it must be a whole number%s",
                            ptx_options[option].name, value,
                            option != PTX_SHARED ? " from 1 on" : "");
        *(option == PTX_SHARED  ? &p->shared
          : option == PTX_WAVES ? &p->waves
                                : &p->launches) = (uint32_t)n;
        return WW_OK;
    default: return WW_OK;
    }
}

// ---- the YAML file ------------------------------------------------------------------------------
struct kernel_file {
    char *entry;
    uint32_t *grid, *block, *cluster;
    unsigned grid_count, block_count, cluster_count;
    uint32_t shared, launches;
    char **args;
    unsigned args_count;
};
static const cyaml_schema_value_t uint_schema = {CYAML_VALUE_UINT(CYAML_FLAG_DEFAULT, uint32_t)};
static const cyaml_schema_value_t text_schema = {
    CYAML_VALUE_STRING(CYAML_FLAG_POINTER, char, 0, CYAML_UNLIMITED)};
static const cyaml_schema_field_t kernel_fields[] = {
    CYAML_FIELD_STRING_PTR("entry", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct kernel_file,
                           entry, 0, CYAML_UNLIMITED),
    CYAML_FIELD_SEQUENCE("grid", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct kernel_file, grid,
                         &uint_schema, 1, 3),
    CYAML_FIELD_SEQUENCE("block", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct kernel_file,
                         block, &uint_schema, 1, 3),
    CYAML_FIELD_SEQUENCE("cluster", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct kernel_file,
                         cluster, &uint_schema, 1, 3),
    CYAML_FIELD_UINT("shared", CYAML_FLAG_OPTIONAL, struct kernel_file, shared),
    CYAML_FIELD_UINT("launches", CYAML_FLAG_OPTIONAL, struct kernel_file, launches),
    CYAML_FIELD_SEQUENCE("args", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct kernel_file, args,
                         &text_schema, 0, CYAML_UNLIMITED),
    CYAML_FIELD_END};
static const cyaml_schema_value_t kernel_schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, struct kernel_file, kernel_fields)};

static enum ww_status read_args_file(struct cli *c, struct ptx_request *p) {
    char *text;
    size_t len;
    enum ww_status s = file_read(&c->arena, p->args_file, 1 << 24, &text, &len, &c->diags);
    if (s == WW_OK) s = yaml_one_document(p->args_file, text, "a kernel's arguments", &c->diags);
    if (s != WW_OK) return s;
    static const char *const keys[] = {"entry",  "grid",     "block", "cluster",
                                       "shared", "launches", "args"};
    struct yaml_words words = {.file = p->args_file,
                               .text = text,
                               .what = "a kernel's arguments",
                               .key = keys,
                               .n_keys = WW_COUNT(keys)};
    const cyaml_config_t config = {.log_fn = yaml_listen,
                                   .log_ctx = &words,
                                   .mem_fn = cyaml_mem,
                                   .log_level = CYAML_LOG_ERROR};
    struct kernel_file *f = NULL;
    const cyaml_err_t e = cyaml_load_data((const uint8_t *)text, len, &config, &kernel_schema,
                                          (cyaml_data_t **)&f, NULL);
    if (e != CYAML_OK || !f) return yaml_refuse(&words, e, &c->diags);
    if (f->entry && !p->entry) p->entry = arena_strdup(&c->arena, f->entry);
    for (unsigned i = 0; i < f->grid_count; i++) p->grid[i] = f->grid[i];
    for (unsigned i = 0; i < f->block_count; i++) p->block[i] = f->block[i];
    for (unsigned i = 0; i < 3 && f->cluster_count; i++)
        p->cluster[i] = i < f->cluster_count ? f->cluster[i] : 1;
    if (f->shared) p->shared = f->shared;
    if (f->launches) p->launches = f->launches;
    for (unsigned i = 0; i < f->args_count; i++)
        vec_push(&c->arena, &p->args, arena_strdup(&c->arena, f->args[i]));
    cyaml_free(&config, &kernel_schema, f, 0);
    return WW_OK;
}

// ---- the run ------------------------------------------------------------------------------------
static volatile int stop_requested;
static void on_interrupt(int signal_number) {
    (void)signal_number;
    stop_requested = 1;
}

struct session_state {
    struct record *record;
    struct trace *trace; // NULL: no timeline is wanted
    struct progress_line progress;
    struct record_detail detail;
    struct session_filter *filter; // NULL: every launch is timed
};
static bool is_timed(void *user, uint64_t launch, const char *kernel) {
    return session_filter_times(((const struct session_state *)user)->filter, launch, kernel);
}
static void on_launch(void *user, const struct gpu_result *r) {
    struct session_state *s = user;
    progress_ended(&s->progress, r->warp_instructions);
    record_launch(s->record, r, s->detail, 0);
}
static void on_span(void *user, const struct gpu_span *s) {
    trace_span(((const struct session_state *)user)->trace, s, NULL, 0);
}
static void on_copy(void *user, const struct gpu_span *s) {
    record_copy(((const struct session_state *)user)->record, s, 0);
}
static void on_progress(void *user, const struct gpu_progress *p) {
    progress_show(&((struct session_state *)user)->progress, p);
}
static void on_print(void *user, const char *text, size_t len) {
    (void)user;
    fwrite(text, 1, len, stdout);
}

static enum ww_status choose_entry(struct cli *c, struct gpu_module *m, struct ptx_request *p) {
    if (p->entry) return WW_OK;
    if (gpu_module_kernels(m) == 1) {
        p->entry = arena_strdup(&c->arena, gpu_module_kernel_name(m, 0)); // outlives the module
        return WW_OK;
    }
    char names[400] = "";
    size_t at = 0;
    for (uint32_t i = 0; i < gpu_module_kernels(m) && at < sizeof names - 1; i++) {
        const int n = snprintf(names + at, sizeof names - at, "%s%s", i ? ", " : "",
                               gpu_module_kernel_name(m, i));
        at += n > 0 ? (size_t)n : 0;
    }
    return diag_add(&c->diags, WW_ERROR_USAGE, "%s has %u kernels: choose one with --entry (%s)",
                    p->path, gpu_module_kernels(m), names);
}

bool run_is_kernel_file(const char *path) {
    static const char *const ends[] = {".ptx", ".cubin", ".fatbin"};
    for (size_t i = 0; i < WW_COUNT(ends); i++) {
        const size_t n = strlen(path), m = strlen(ends[i]);
        if (n >= m && strcmp(path + n - m, ends[i]) == 0) return true;
    }
    return false;
}

static enum ww_status nothing_suits(struct cli *c, struct gpu *g, const char *path,
                                    const struct fatbin *f, const struct fatbin_choice *choice) {
    char text[512];
    return diag_add(&c->diags, WW_ERROR_UNSUPPORTED, "%s",
                    session_no_code(g, path, f, choice, text, sizeof text));
}

static enum ww_status load(struct cli *c, struct run_request *q, const char *path, struct gpu *g,
                           struct gpu_module **m) {
    char *file;
    size_t len;
    struct fatbin f = {0};
    struct fatbin_choice choice = {0};
    enum ww_status s = file_read(&c->arena, path, (size_t)256 << 20, &file, &len, &c->diags);
    if (s == WW_OK) s = fatbin_check_file(file, len, path, &c->diags);
    if (s == WW_OK) s = fatbin_read_image(&c->arena, file, len, path, &c->diags, &f);
    const uint32_t arch = gpu_config_arch(gpu_config_of(g));
    const struct fatbin_wish w = {.arch = arch,
                                  .ptx_arch = arch,
                                  .code = session_code(&q->session),
                                  .is_checked = gpu_code_is_checked};
    if (s == WW_OK) s = fatbin_pick(&c->arena, &f, path, &w, &c->diags, &choice);
    if (s == WW_OK && !choice.image) s = nothing_suits(c, g, path, &f, &choice);
    if (s != WW_OK) return s;
    const struct gpu_module_options o = {.ptx = choice.beside, .ptx_bytes = choice.beside_bytes};
    return gpu_module_load(g, path, choice.image, choice.bytes, &o, &c->diags, m);
}

// Cuts a grid to as large a rectangle of its blocks as fills the GPU `waves` times: a part of a
// launch that would take too long as a whole, with the code and the block of the whole. Of equally
// large rectangles the widest one stays. A launch that is refused keeps its grid, and says why.
static enum ww_status cut_grid(struct cli *c, const struct gpu *g, struct gpu_kernel *k,
                               uint32_t waves, struct gpu_launch *l) {
    struct sm_occupancy fits;
    const uint64_t threads = (uint64_t)l->block[0] * l->block[1] * l->block[2];
    if (!waves || threads > UINT32_MAX) return WW_OK;
    const enum ww_status s =
        gpu_kernel_occupancy(k, (uint32_t)threads, l->dynamic_shared, &c->diags, &fits);
    if (s != WW_OK) return s;
    uint64_t fill = (uint64_t)waves * fits.ctas * gpu_config_count(gpu_config_of(g), "sm_count");
    const uint64_t plane = (uint64_t)l->grid[0] * l->grid[1];
    if (!fill || fill >= plane * l->grid[2]) return WW_OK;
    if (fill >= plane) {
        l->grid[2] = (uint32_t)(fill / plane);
        return WW_OK;
    }
    l->grid[2] = 1;
    uint64_t best = 0;
    uint32_t rows = 1;
    for (uint64_t y = (fill + l->grid[0] - 1) / l->grid[0]; y <= l->grid[1] && y <= fill; y++)
        if (fill / y * y > best) best = fill / y * y, rows = (uint32_t)y;
    l->grid[0] = (uint32_t)(fill / rows < l->grid[0] ? fill / rows : l->grid[0]);
    l->grid[1] = rows;
    return WW_OK;
}

static enum ww_status run_kernel(struct cli *c, struct run_request *q, struct ptx_request *p,
                                 struct gpu *g, bool *checked) {
    struct gpu_module *m = NULL;
    enum ww_status s = load(c, q, p->path, g, &m);
    if (s == WW_OK) s = choose_entry(c, m, p);
    struct gpu_kernel *k = NULL;
    if (s == WW_OK) s = gpu_kernel_find(m, p->entry, &c->diags, &k);
    if (s != WW_OK) return s;
    q->title = p->entry;
    struct kernel_argument *a = arena_alloc(&c->arena, (p->args.n + 1) * sizeof *a);
    for (uint32_t i = 0; i < p->args.n && s == WW_OK; i++)
        s = argument_parse(c, p->args.at[i], &a[i]);
    uint8_t block[GPU_PARAM_BYTES] = {0};
    uint32_t block_bytes = 0;
    if (s == WW_OK) s = arguments_place(c, g, k, a, p->args.n, block, &block_bytes);
    struct gpu_launch launch = {
        .dynamic_shared = p->shared, .params = block, .param_bytes = block_bytes};
    memcpy(launch.grid, p->grid, sizeof launch.grid);
    memcpy(launch.block, p->block, sizeof launch.block);
    if (s == WW_OK) s = cut_grid(c, g, k, p->waves, &launch);
    memcpy(launch.cluster, p->cluster, sizeof launch.cluster);
    launch.non_portable = true;
    for (uint32_t i = 0; i < p->launches && s == WW_OK; i++)
        s = gpu_launch(g, NULL, k, &launch, &c->diags, NULL);
    if (s == WW_OK) s = gpu_synchronize(g, &c->diags);
    FILE *const nothing = q->is_silent ? fopen("/dev/null", "w") : NULL;
    if (s == WW_OK)
        s = arguments_show(c, g, a, p->args.n, nothing ? nothing : q->json ? stderr : stdout,
                           checked);
    if (nothing) fclose(nothing);
    // What stays is the kernel's.
    for (uint32_t i = 0; i < p->args.n && s == WW_OK; i++) s = gpu_free(g, a[i].address, &c->diags);
    return s;
}

enum ww_status run_ptx(struct cli *c, struct run_request *q, struct ptx_request *p,
                       const char *record, bool *checked) {
    enum ww_status s = p->args_file ? read_args_file(c, p) : WW_OK;
    p->args_file = NULL; // a run that is made again at another clock has them
    struct gpu_config *const config = gpu_config_new(&c->arena);
    struct savings savings = {0};
    if (s == WW_OK) s = session_configure(&q->session, &c->diags, config, &savings);
    if (s != WW_OK) return s;
    struct session_state state = {.detail = session_detail(&q->session)};
    s = session_filter_create(&q->session, &c->diags, &state.filter);
    if (s == WW_OK)
        s = record_open(record, config, p->path, &q->session, true, &c->diags, &state.record);
    if (s == WW_OK) s = trace_open(record, &q->session, config, &c->diags, &state.trace);
    if (s != WW_OK) {
        session_filter_destroy(state.filter);
        return s;
    }
    progress_init(&state.progress, stderr, q->session.progress);
    struct gpu_options o;
    gpu_options_init(&o);
    session_gpu_options(&q->session, &o);
    o.savings = savings;
    o.user = &state;
    o.launch_done = on_launch;
    o.progress = on_progress;
    o.print = q->is_silent ? NULL : on_print;
    o.copy_done = on_copy;
    if (state.trace) o.span = on_span;
    if (state.filter) o.time_launch = is_timed;
    o.stop = &stop_requested;
    const struct sigaction act = {.sa_handler = on_interrupt, .sa_flags = (int)SA_RESETHAND};
    sigaction(SIGINT, &act, NULL);
    struct gpu *g = NULL;
    s = gpu_create(config, &o, &c->diags, &g);
    struct gpu_totals totals = {.launches = 0};
    if (s == WW_OK) {
        s = run_kernel(c, q, p, g, checked);
        gpu_totals(g, &totals);
        if (s == WW_OK && gpu_leaks(g, record_finding, state.record)) s = WW_ERROR_ACCESS;
        if (gpu_findings(g, record_finding, state.record) && s == WW_OK) s = WW_ERROR_ACCESS;
    }
    progress_clear(&state.progress);
    enum ww_status closed = record_close(state.record, &totals, &c->diags);
    const enum ww_status traced = trace_close(state.trace, &c->diags);
    if (closed == WW_OK) closed = traced;
    state.trace = NULL; // what gpu_destroy ends is in no timeline
    gpu_destroy(g);
    session_filter_destroy(state.filter);
    if (totals.launches == 0 && s != WW_OK) remove(record);
    return s != WW_OK ? s : closed;
}
