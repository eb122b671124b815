// `warpwatt run KERNEL.ptx`: one kernel of a PTX file with arguments from the command line or from
// a small YAML file: scalars, and buffers filled from a generator or a file, with expected results.
#include "cli/cli.h"

#include <cyaml/cyaml.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>

enum { PTX_ENTRY, PTX_GRID, PTX_BLOCK, PTX_SHARED, PTX_ARG, PTX_ARGS, PTX_LAUNCHES };
const struct cli_option ptx_options[PTX_OPTIONS] = {
    [PTX_ENTRY] = {"--entry", 0, "NAME", "the kernel (default: the only one)"},
    [PTX_GRID] = {"--grid", 0, "X[,Y,Z]", "CTAs"},
    [PTX_BLOCK] = {"--block", 0, "X[,Y,Z]", "threads of a CTA"},
    [PTX_SHARED] = {"--shared", 0, "BYTES", "dynamic shared memory"},
    [PTX_ARG] = {"--arg", 'a', "TYPE=VALUE", "next argument; see below"},
    [PTX_ARGS] = {"--args", 0, "FILE.yaml", "entry, grid, block, shared and args from a file",
                  CLI_FILE},
    [PTX_LAUNCHES] = {"--repeat", 0, "N", "launch N times"},
};

static enum ww_status parse_triple(struct cli *c, const char *name, const char *text,
                                   uint32_t out[3]) {
    char *list = arena_strdup(&c->arena, text), *save = NULL;
    uint32_t n = 0, v[3] = {1, 1, 1};
    for (char *w = strtok_r(list, ",x", &save); w; w = strtok_r(NULL, ",x", &save)) {
        uint64_t value;
        if (n == 3 || !text_to_u64(w, &value) || value > UINT32_MAX)
            return diag_add(&c->diags, WW_ERROR_USAGE, "%s is `%s`; it must be X, X,Y or X,Y,Z",
                            name, text);
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
    case PTX_ARG: vec_push(&c->arena, &p->args, value); return WW_OK;
    case PTX_ARGS: p->args_file = value; return WW_OK;
    case PTX_SHARED:
    case PTX_LAUNCHES:
        if (!text_to_u64(value, &n) || n > UINT32_MAX || (option == PTX_LAUNCHES && !n))
            return diag_add(&c->diags, WW_ERROR_USAGE, "%s is `%s`; it must be a whole number",
                            ptx_options[option].name, value);
        *(option == PTX_SHARED ? &p->shared : &p->launches) = (uint32_t)n;
        return WW_OK;
    default: return WW_OK;
    }
}

// ---- the YAML file ------------------------------------------------------------------------------
struct kernel_file {
    char *entry;
    uint32_t *grid, *block;
    unsigned grid_count, block_count;
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
    CYAML_FIELD_UINT("shared", CYAML_FLAG_OPTIONAL, struct kernel_file, shared),
    CYAML_FIELD_UINT("launches", CYAML_FLAG_OPTIONAL, struct kernel_file, launches),
    CYAML_FIELD_SEQUENCE("args", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct kernel_file, args,
                         &text_schema, 0, CYAML_UNLIMITED),
    CYAML_FIELD_END};
static const cyaml_schema_value_t kernel_schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, struct kernel_file, kernel_fields)};

static void yaml_log(cyaml_log_t level, void *ctx, const char *fmt, va_list ap) {
    (void)level;
    char text[512], *said = ctx;
    vsnprintf(text, sizeof text, fmt, ap);
    text[strcspn(text, "\n")] = 0;
    if (!said[0]) snprintf(said, 512, "%s", text);
}

static enum ww_status read_args_file(struct cli *c, struct ptx_request *p) {
    char said[512] = "";
    const cyaml_config_t config = {
        .log_fn = yaml_log, .log_ctx = said, .mem_fn = cyaml_mem, .log_level = CYAML_LOG_ERROR};
    struct kernel_file *f = NULL;
    const cyaml_err_t e =
        cyaml_load_file(p->args_file, &config, &kernel_schema, (cyaml_data_t **)&f, NULL);
    if (e != CYAML_OK)
        return diag_add(&c->diags, WW_ERROR_USAGE,
                        "%s: %s%s%s (keys: entry, grid, block, shared, launches, args)",
                        p->args_file, cyaml_strerror(e), said[0] ? ": " : "", said);
    if (f->entry && !p->entry) p->entry = arena_strdup(&c->arena, f->entry);
    for (unsigned i = 0; i < f->grid_count; i++) p->grid[i] = f->grid[i];
    for (unsigned i = 0; i < f->block_count; i++) p->block[i] = f->block[i];
    if (f->shared) p->shared = f->shared;
    if (f->launches) p->launches = f->launches;
    for (unsigned i = 0; i < f->args_count; i++)
        vec_push(&c->arena, &p->args, arena_strdup(&c->arena, f->args[i]));
    cyaml_free(&config, &kernel_schema, f, 0);
    return WW_OK;
}

// ---- arguments ----------------------------------------------------------------------------------
struct scalar_type {
    const char *name;
    uint32_t bytes;
    char kind; // u s f
};
static const struct scalar_type scalar_type[] = {
    {"u8", 1, 'u'},  {"s8", 1, 's'},  {"u16", 2, 'u'}, {"s16", 2, 's'}, {"u32", 4, 'u'},
    {"s32", 4, 's'}, {"u64", 8, 'u'}, {"s64", 8, 's'}, {"f32", 4, 'f'}, {"f64", 8, 'f'}};

struct argument {
    const char *text;
    const struct scalar_type *type;
    bool is_buffer;
    uint64_t count, address, print;
    uint8_t *data, *expect;
    double tolerance;
};

static void store(const struct scalar_type *t, uint8_t *at, double v, int64_t i) {
    if (t->kind == 'f') {
        const float f = (float)v;
        memcpy(at, t->bytes == 4 ? (const void *)&f : (const void *)&v, t->bytes);
    } else {
        memcpy(at, &i, t->bytes); // little-endian: low bytes first
    }
}

static double fetch(const struct scalar_type *t, const uint8_t *at) {
    if (t->kind == 'f') {
        float f;
        double v;
        memcpy(t->bytes == 4 ? (void *)&f : (void *)&v, at, t->bytes);
        return t->bytes == 4 ? (double)f : v;
    }
    uint64_t u = 0;
    memcpy(&u, at, t->bytes);
    if (t->kind == 'u') return (double)u;
    const unsigned shift = 64 - 8 * t->bytes;
    return (double)((int64_t)(u << shift) >> shift);
}

static uint64_t splitmix(uint64_t *state) { // Steele, Lea, Flood 2014
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static bool parse_value(const struct scalar_type *t, const char *text, uint8_t *at) {
    char *end;
    const int64_t i = t->kind == 'u' ? (int64_t)strtoull(text, &end, 0) : strtoll(text, &end, 0);
    if (t->kind == 'f') {
        const double v = strtod(text, &end);
        store(t, at, v, 0);
    } else {
        store(t, at, 0, i);
    }
    return *text && !*end;
}

static enum ww_status bad(struct cli *c, const char *text, const char *why) {
    return diag_add(&c->diags, WW_ERROR_USAGE, "argument `%s`: %s", text, why);
}

static enum ww_status from_file(struct cli *c, const struct argument *a, const char *path,
                                uint8_t *into) {
    char *raw;
    size_t len;
    const enum ww_status s = file_read(&c->arena, path, (size_t)1 << 32, &raw, &len, &c->diags);
    if (s != WW_OK) return s;
    const uint64_t want = a->count * a->type->bytes;
    if (len != want)
        return diag_add(&c->diags, WW_ERROR_USAGE, "%s holds %zu bytes; the argument `%s` has %llu",
                        path, len, a->text, (unsigned long long)want);
    memcpy(into, raw, len);
    return WW_OK;
}

static enum ww_status fill(struct cli *c, const struct argument *a, char *how, uint8_t *data) {
    if (how[0] == '@') return from_file(c, a, how + 1, data);
    char *save = NULL;
    const char *kind = strtok_r(how, ":", &save);
    double p[3] = {0, 1, 1};
    int n = 0;
    uint8_t constant[8] = {0};
    for (char *w = strtok_r(NULL, ":", &save); w; w = strtok_r(NULL, ":", &save)) {
        if (kind && strcmp(kind, "const") == 0) {
            if (!parse_value(a->type, w, constant))
                return bad(c, a->text, "const needs a value of its type");
            n++;
        } else if (n == 3 || !text_to_double(w, &p[n++])) {
            return bad(c, a->text, "a fill takes numbers behind its colons: random:LOW:HIGH:SEED");
        }
    }
    uint64_t state = (uint64_t)p[2];
    const bool is_zero = !kind || strcmp(kind, "zero") == 0,
               is_iota = kind && strcmp(kind, "iota") == 0;
    const bool is_const = kind && strcmp(kind, "const") == 0,
               is_random = kind && strcmp(kind, "random") == 0;
    if (!is_zero && !is_iota && !is_const && !is_random)
        return bad(c, a->text, "fills are zero, iota, const:VALUE, random:LOW:HIGH:SEED and @FILE");
    for (uint64_t i = 0; i < a->count && !is_zero; i++) {
        uint8_t *at = data + i * a->type->bytes;
        if (is_const) {
            memcpy(at, constant, a->type->bytes);
        } else if (is_iota) {
            store(a->type, at, (double)i, (int64_t)i);
        } else {
            const double u = (double)(splitmix(&state) >> 11) * 0x1p-53;
            const double v = p[0] + u * (p[1] - p[0]);
            store(a->type, at, v, (int64_t)floor(v));
        }
    }
    return WW_OK;
}

// TYPE=VALUE or TYPE[COUNT]=FILL[?print=N][?expect=FILL][?tolerance=X]
static enum ww_status parse_argument(struct cli *c, const char *text, struct argument *a) {
    *a = (struct argument){.text = text};
    char *work = arena_strdup(&c->arena, text);
    char *equals = strchr(work, '=');
    if (!equals) return bad(c, text, "it must read TYPE=VALUE or TYPE[COUNT]=FILL");
    *equals = 0;
    char *value = equals + 1;
    char *bracket = strchr(work, '[');
    if (bracket) *bracket = 0;
    for (size_t i = 0; i < WW_COUNT(scalar_type); i++)
        if (strcmp(work, scalar_type[i].name) == 0) a->type = &scalar_type[i];
    if (!a->type) return bad(c, text, "types are u8 s8 u16 s16 u32 s32 u64 s64 f32 f64");
    if (!bracket) {
        a->data = arena_alloc(&c->arena, 8);
        if (!parse_value(a->type, value, a->data)) return bad(c, text, "its value is not a number");
        return WW_OK;
    }
    a->is_buffer = true;
    char *close = strchr(bracket + 1, ']');
    if (close) *close = 0;
    if (!close || !text_to_u64(bracket + 1, &a->count) || !a->count || a->count > (1ull << 32))
        return bad(c, text, "a buffer needs its number of elements: f32[1024]=zero");
    char *save = NULL;
    char *how = strtok_r(value, "?", &save);
    a->data = arena_alloc(&c->arena, a->count * a->type->bytes);
    enum ww_status s = fill(c, a, how ? how : value, a->data);
    for (char *w = strtok_r(NULL, "?", &save); w && s == WW_OK; w = strtok_r(NULL, "?", &save)) {
        if (strncmp(w, "print=", 6) == 0) {
            if (!text_to_u64(w + 6, &a->print)) s = bad(c, text, "print needs a number");
        } else if (strncmp(w, "tolerance=", 10) == 0) {
            if (!text_to_double(w + 10, &a->tolerance))
                s = bad(c, text, "tolerance needs a number");
        } else if (strncmp(w, "expect=", 7) == 0) {
            a->expect = arena_alloc(&c->arena, a->count * a->type->bytes);
            s = fill(c, a, w + 7, a->expect);
        } else {
            s = bad(c, text, "behind ? stand print=N, expect=FILL or tolerance=X");
        }
    }
    return s;
}

static enum ww_status compare(struct cli *c, const struct argument *a, const uint8_t *got) {
    uint64_t wrong = 0, first = 0;
    for (uint64_t i = 0; i < a->count; i++) {
        const double g = fetch(a->type, got + i * a->type->bytes),
                     e = fetch(a->type, a->expect + i * a->type->bytes);
        const bool same =
            g == e || (isnan(g) && isnan(e)) || fabs(g - e) <= a->tolerance * fmax(1, fabs(e));
        if (!same && wrong++ == 0) first = i;
    }
    if (!wrong) return WW_OK;
    return diag_add(
        &c->diags, WW_ERROR_PROGRAM,
        "argument `%s`: %llu of %llu elements differ; the first is [%llu]: got %.9g, expected %.9g",
        a->text, (unsigned long long)wrong, (unsigned long long)a->count, (unsigned long long)first,
        fetch(a->type, got + first * a->type->bytes),
        fetch(a->type, a->expect + first * a->type->bytes));
}

// ---- the run ------------------------------------------------------------------------------------
static volatile int stop_requested;
static void on_interrupt(int signal_number) {
    (void)signal_number;
    stop_requested = 1;
}

struct session_state {
    struct record *record;
    struct progress_line progress;
    bool per_sm;
};
static void on_launch(void *user, const struct gpu_result *r) {
    struct session_state *s = user;
    progress_clear(&s->progress);
    record_launch(s->record, r, s->per_sm);
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

static enum ww_status place_arguments(struct cli *c, struct gpu *g, struct gpu_kernel *k,
                                      struct argument *a, uint32_t n, uint8_t *block,
                                      uint32_t *block_bytes) {
    const struct code_param *param;
    uint32_t n_params;
    enum ww_status s = gpu_kernel_params(k, &c->diags, &param, &n_params);
    if (s != WW_OK) return s;
    if (n != n_params)
        return diag_add(&c->diags, WW_ERROR_USAGE,
                        "kernel %s takes %u arguments, but %u were given (--arg)",
                        gpu_kernel_name(k), n_params, n);
    for (uint32_t i = 0; i < n && s == WW_OK; i++) {
        const uint32_t want = a[i].is_buffer ? param[i].bytes : a[i].type->bytes;
        if (want != param[i].bytes || (a[i].is_buffer && want != 8 && want != 4))
            return diag_add(&c->diags, WW_ERROR_USAGE,
                            "argument %u `%s` has %u bytes, but the parameter has %u", i + 1,
                            a[i].text, a[i].is_buffer ? 8 : want, param[i].bytes);
        if (param[i].offset + param[i].bytes > GPU_PARAM_BYTES)
            return diag_add(&c->diags, WW_ERROR_USAGE, "kernel %s has too many parameters",
                            gpu_kernel_name(k));
        if (a[i].is_buffer) {
            const uint64_t bytes = a[i].count * a[i].type->bytes;
            s = gpu_malloc(g, bytes, a[i].text, &c->diags, &a[i].address);
            if (s == WW_OK) s = gpu_write(g, a[i].address, a[i].data, bytes, &c->diags);
            memcpy(block + param[i].offset, &a[i].address, param[i].bytes);
        } else {
            memcpy(block + param[i].offset, a[i].data, param[i].bytes);
        }
        *block_bytes = param[i].offset + param[i].bytes;
    }
    return s;
}

static enum ww_status show_buffers(struct cli *c, struct gpu *g, const struct argument *a,
                                   uint32_t n, FILE *out, bool *checked) {
    enum ww_status s = WW_OK;
    for (uint32_t i = 0; i < n; i++) {
        if (!a[i].is_buffer || (!a[i].print && !a[i].expect)) continue;
        const uint64_t bytes = a[i].count * a[i].type->bytes;
        uint8_t *got = arena_alloc(&c->arena, bytes);
        const enum ww_status read = gpu_read(g, got, a[i].address, bytes, &c->diags);
        if (read != WW_OK) return read;
        const uint64_t shown = a[i].print < a[i].count ? a[i].print : a[i].count;
        if (shown) fprintf(out, "argument %u:", i + 1);
        for (uint64_t e = 0; e < shown; e++)
            fprintf(out, " %.9g", fetch(a[i].type, got + e * a[i].type->bytes));
        if (shown) fputc('\n', out);
        if (!a[i].expect) continue;
        *checked = true;
        const enum ww_status same = compare(c, &a[i], got);
        if (same != WW_OK) s = same;
    }
    return s;
}

static enum ww_status run_kernel(struct cli *c, struct run_request *q, struct ptx_request *p,
                                 struct gpu *g, bool *checked) {
    char *text;
    size_t len;
    enum ww_status s = file_read(&c->arena, p->path, (size_t)256 << 20, &text, &len, &c->diags);
    struct gpu_module *m = NULL;
    if (s == WW_OK) s = gpu_module_load(g, p->path, text, len, NULL, &c->diags, &m);
    if (s == WW_OK) s = choose_entry(c, m, p);
    struct gpu_kernel *k = NULL;
    if (s == WW_OK) s = gpu_kernel_find(m, p->entry, &c->diags, &k);
    if (s != WW_OK) return s;
    q->title = p->entry;
    struct argument *a = arena_alloc(&c->arena, (p->args.n + 1) * sizeof *a);
    for (uint32_t i = 0; i < p->args.n && s == WW_OK; i++)
        s = parse_argument(c, p->args.at[i], &a[i]);
    uint8_t block[GPU_PARAM_BYTES] = {0};
    uint32_t block_bytes = 0;
    if (s == WW_OK) s = place_arguments(c, g, k, a, p->args.n, block, &block_bytes);
    struct gpu_launch launch = {
        .dynamic_shared = p->shared, .params = block, .param_bytes = block_bytes};
    memcpy(launch.grid, p->grid, sizeof launch.grid);
    memcpy(launch.block, p->block, sizeof launch.block);
    for (uint32_t i = 0; i < p->launches && s == WW_OK; i++)
        s = gpu_launch(g, NULL, k, &launch, &c->diags, NULL);
    if (s == WW_OK) s = gpu_synchronize(g, &c->diags);
    if (s == WW_OK) s = show_buffers(c, g, a, p->args.n, q->json ? stderr : stdout, checked);
    return s;
}

enum ww_status run_ptx(struct cli *c, struct run_request *q, struct ptx_request *p,
                       const char *record, bool *checked) {
    enum ww_status s = p->args_file ? read_args_file(c, p) : WW_OK;
    struct gpu_config config;
    struct savings savings = {0};
    if (s == WW_OK) s = session_configure(&q->session, &c->diags, &config, &savings);
    if (s != WW_OK) return s;
    struct session_state state = {.per_sm = q->session.per_sm};
    s = record_open(record, &config, p->path, &c->diags, &state.record);
    if (s != WW_OK) return s;
    progress_init(&state.progress, stderr, q->session.progress);
    struct gpu_options o;
    gpu_options_init(&o);
    session_gpu_options(&q->session, &o);
    o.savings = savings;
    o.user = &state;
    o.launch_done = on_launch;
    o.progress = on_progress;
    o.print = on_print;
    o.stop = &stop_requested;
    const struct sigaction act = {.sa_handler = on_interrupt, .sa_flags = (int)SA_RESETHAND};
    sigaction(SIGINT, &act, NULL);
    struct gpu *g = NULL;
    s = gpu_create(&config, &o, &c->diags, &g);
    struct gpu_totals totals = {.launches = 0};
    if (s == WW_OK) {
        s = run_kernel(c, q, p, g, checked);
        gpu_totals(g, &totals);
    }
    progress_clear(&state.progress);
    const enum ww_status closed = record_close(state.record, &totals, &c->diags);
    gpu_destroy(g);
    if (totals.launches == 0 && s != WW_OK) remove(record);
    return s != WW_OK ? s : closed;
}
