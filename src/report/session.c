// See session.h. One table of variables: name, kind, where.
#include "gpu/gpu.h"
#include "gpu/technique.h"
#include "report/session.h"

#include <regex.h>
#include <stdlib.h>

#define SESSION_FLAGS(X)                                                                           \
    X("WARPWATT_FUNCTIONAL", functional)                                                           \
    X("WARPWATT_PER_INSTRUCTION", per_instruction)                                                 \
    X("WARPWATT_PROFILED", profiled)                                                               \
    X("WARPWATT_PER_SM", per_sm)                                                                   \
    X("WARPWATT_TOGGLE", toggle)                                                                   \
    X("WARPWATT_TRACE", trace)                                                                     \
    X("WARPWATT_PROGRESS", progress)                                                               \
    X("WARPWATT_CHECK_UNINITIALISED", check_uninitialised)                                         \
    X("WARPWATT_CHECK_RACES", check_races)                                                         \
    X("WARPWATT_CHECK_BOUNDS", check_bounds)                                                       \
    X("WARPWATT_OPEN_PAGES", open_pages)                                                           \
    X("WARPWATT_CHECK_SYNC", check_sync)                                                           \
    X("WARPWATT_CHECK_CONTROL", check_control)                                                     \
    X("WARPWATT_CHECK_LEAKS", check_leaks)
#define SESSION_NUMBERS(X)                                                                         \
    X("WARPWATT_THREADS", host_threads, uint32_t)                                                  \
    X("WARPWATT_INTERVAL", interval_cycles, uint64_t)                                              \
    X("WARPWATT_MAX_CYCLES", max_cycles, uint64_t)                                                 \
    X("WARPWATT_INTERVALS_MOST", intervals_most, uint32_t)                                         \
    X("WARPWATT_INTERVALS_TOTAL", intervals_total, uint32_t)                                       \
    X("WARPWATT_TRACE_FROM_NS", trace_from_ns, uint64_t)                                           \
    X("WARPWATT_TRACE_TO_NS", trace_to_ns, uint64_t)                                               \
    X("WARPWATT_EXPECTED", expected, uint64_t)                                                     \
    X("WARPWATT_OWNER", owner, uint32_t)

#define SESSION_TEXTS(X)                                                                           \
    X("WARPWATT_KERNELS", kernels)                                                                 \
    X("WARPWATT_SKIP_TIMING", skip_timing)                                                         \
    X("WARPWATT_TRACE_KERNELS", trace_kernels)                                                     \
    X("WARPWATT_SAMPLE", sample)                                                                   \
    X("WARPWATT_WARPS", warps)                                                                     \
    X("WARPWATT_LAUNCHES", launches)                                                               \
    X("WARPWATT_NVTX", nvtx)                                                                       \
    X("WARPWATT_TOLD", told)                                                                       \
    X("WARPWATT_CODE", code)                                                                       \
    X("WARPWATT_HOW", how)                                                                         \
    X("WARPWATT_LIMIT", limit)

static bool put(const char *name, const char *value) {
    return value ? setenv(name, value, 1) == 0 : unsetenv(name) == 0;
}

bool session_to_env(const struct session *s) {
    bool ok = put("WARPWATT_GPU", s->gpu) && put("WARPWATT_RECORD", s->record) &&
              put("WARPWATT_POLICIES", s->policies);
#define X(name, field) ok = put(name, s->field ? "1" : NULL) && ok;
    SESSION_FLAGS(X)
#undef X
#define X(name, field) ok = put(name, s->field) && ok;
    SESSION_TEXTS(X)
#undef X
    char text[32];
#define X(name, field, type)                                                                       \
    snprintf(text, sizeof text, "%llu", (unsigned long long)s->field);                             \
    ok = put(name, s->field ? text : NULL) && ok;
    SESSION_NUMBERS(X)
#undef X
    size_t len = 1;
    for (uint32_t i = 0; i < s->n_overrides; i++) len += strlen(s->overrides[i]) + 1;
    char *all = calloc(1, len);
    if (!all) return false;
    for (uint32_t i = 0, at = 0; i < s->n_overrides; i++)
        at += (uint32_t)snprintf(all + at, len - at, "%s%s", i ? "\n" : "", s->overrides[i]);
    ok = put("WARPWATT_SET", s->n_overrides ? all : NULL) && ok;
    free(all);
    return ok;
}

enum ww_status session_from_env(struct arena *a, struct session *s, struct diags *d) {
    *s = (struct session){.gpu = SESSION_GPU_OF_PROGRAMS, .host_threads = 1};
    const char *v = getenv("WARPWATT_GPU");
    if (v && *v) s->gpu = arena_strdup(a, v);
    v = getenv("WARPWATT_POLICIES");
    if (v && *v) s->policies = arena_strdup(a, v);
    v = getenv("WARPWATT_RECORD");
    if (v && *v) s->record = arena_strdup(a, v);
#define X(name, field)                                                                             \
    v = getenv(name);                                                                              \
    if (v && *v) s->field = arena_strdup(a, v);
    SESSION_TEXTS(X)
#undef X
#define X(name, field)                                                                             \
    v = getenv(name);                                                                              \
    if (v && strcmp(v, "1") == 0)                                                                  \
        s->field = true;                                                                           \
    else if (v && *v && strcmp(v, "0") != 0)                                                       \
        return diag_add(d, WW_ERROR_USAGE, name " is `%s`; it must be 0 or 1", v);
    SESSION_FLAGS(X)
#undef X
    uint64_t n;
#define X(name, field, type)                                                                       \
    v = getenv(name);                                                                              \
    if (v && *v) {                                                                                 \
        if (!text_to_u64(v, &n) || n != (type)n)                                                   \
            return diag_add(d, WW_ERROR_USAGE, name " is `%s`; it must be a whole number", v);     \
        s->field = (type)n;                                                                        \
    }
    SESSION_NUMBERS(X)
#undef X
    v = getenv("WARPWATT_SET");
    char *all = v && *v ? arena_strdup(a, v) : NULL;
    for (char *save, *p = all ? strtok_r(all, "\n", &save) : NULL; p;
         p = strtok_r(NULL, "\n", &save)) {
        if (s->n_overrides == SESSION_MAX_OVERRIDES)
            return diag_add(d, WW_ERROR_USAGE, "more than %d overrides", SESSION_MAX_OVERRIDES);
        s->overrides[s->n_overrides++] = p;
    }
    return WW_OK;
}

enum { WATCH_MOST = 20000 }; // cycles: what is kept of warps stays small enough to be looked at

// "SM:FROM-TO", cycles from FROM up to and with TO.
static enum ww_status read_warps(const char *text, struct diags *d, struct gpu_watch *out) {
    char word[64];
    uint64_t sm, from, to;
    char *colon, *dash;
    snprintf(word, sizeof word, "%s", text);
    const bool is = (colon = strchr(word, ':')) && (dash = strchr(colon, '-')) &&
                    (*colon = *dash = 0, true) && text_to_u64(word, &sm) && sm < 4096 &&
                    text_to_u64(colon + 1, &from) && text_to_u64(dash + 1, &to) && from <= to &&
                    to < UINT64_MAX;
    if (!is || strlen(text) >= sizeof word)
        return diag_add(d, WW_ERROR_USAGE,
                        "--warps is `%s`; it must be an SM and cycles of a launch, SM:FROM-TO, "
                        "such as 0:1000-1200",
                        text);
    if (to - from >= WATCH_MOST)
        return diag_add(d, WW_ERROR_USAGE, "--warps is `%s`: %llu cycles; at most %d are watched",
                        text, (unsigned long long)(to - from + 1), WATCH_MOST);
    *out = (struct gpu_watch){(uint32_t)sm, from, to + 1};
    return WW_OK;
}

enum ww_status session_configure(const struct session *s, struct diags *d, struct gpu_config *c,
                                 struct savings *savings) {
    struct gpu_told told;
    const enum ww_status good = gpu_told_read(s->told, d, &told);
    if (good != WW_OK) return good;
    enum fatbin_code code;
    if (s->code && !fatbin_code_named(s->code, &code))
        return diag_add(d, WW_ERROR_USAGE, "--code is `%s`; it must be auto, sass or ptx", s->code);
    const enum ww_status e =
        technique_configure(s->gpu, s->policies, s->overrides, s->n_overrides, d, c, savings);
    struct gpu_watch watch;
    if (e != WW_OK || !s->warps) return e;
    const enum ww_status read = read_warps(s->warps, d, &watch);
    const uint32_t sms = (uint32_t)gpu_config_count(c, "sm_count");
    if (read == WW_OK && watch.sm >= sms)
        return diag_add(d, WW_ERROR_USAGE, "--warps names SM %u; %s has SMs 0 to %u", watch.sm,
                        gpu_config_name(c), sms - 1);
    return read;
}

enum fatbin_code session_code(const struct session *s) {
    enum fatbin_code code = FATBIN_CODE_AUTO;
    if (s->code) fatbin_code_named(s->code, &code); // session_configure has refused what is wrong
    return code;
}

const char *session_no_code(struct gpu *g, const char *name, const struct fatbin *f,
                            const struct fatbin_choice *c, char *text, size_t size) {
    const struct gpu_config *config = gpu_config_of(g);
    const uint32_t *arch, *ptx, has = gpu_config_arch(config);
    struct arena a;
    arena_init(&a, NULL);
    const uint32_t n = fatbin_archs(&a, f, FATBIN_CUBIN, &arch);
    const bool has_ptx = fatbin_archs(&a, f, FATBIN_PTX, &ptx) != 0;
    char list[128] = "";
    const char *with = "";
    for (uint32_t i = 0, at = 0; i < n && at < sizeof list; i++) {
        at += (uint32_t)snprintf(list + at, sizeof list - at, "%s%u.%u", i ? ", " : "",
                                 arch[i] / 10, arch[i] % 10);
        if (!*with && !fatbin_takes(has, arch[i])) with = gpu_with_code(g, arch[i]);
    }
    char advice[96];
    if (c->several || c->unlinked)
        snprintf(text, size,
                 "%s holds machine code of %s, which are not linked here, and no PTX; nvcc %s adds "
                 "it",
                 name, c->several ? "several units" : "units compiled to be linked (-rdc)",
                 fatbin_advice(f, 0, advice, sizeof advice));
    else if (!n)
        snprintf(text, size, "%s holds PTX and no machine code (--code sass asks for it)", name);
    else
        snprintf(text, size,
                 "%s holds machine code for compute capability %s and %s; %s has %u.%u%s%s", name,
                 list, has_ptx ? "PTX, which --code sass leaves alone" : "no PTX",
                 gpu_config_name(config), has / 10, has % 10, with,
                 fatbin_takes(has, arch[0]) ? " (--code ptx leaves machine code alone)" : "");
    arena_free(&a);
    return text;
}

struct record_detail session_detail(const struct session *s) {
    // intervals that nobody asked for by name come with a bound
    return (struct record_detail){.per_sm = s->per_sm, .every_interval = !s->intervals_total};
}

void session_gpu_options(const struct session *s, struct gpu_options *o) {
    o->host_threads = s->host_threads ? s->host_threads : 1;
    o->interval_cycles = s->interval_cycles;
    o->intervals_most = s->intervals_most;
    o->intervals_total = s->intervals_total;
    o->max_cycles = s->max_cycles;
    if (s->functional) o->max_instructions = s->max_cycles; // there are no cycles to limit
    o->functional = s->functional;
    o->sample_error = s->sample ? strtod(s->sample, NULL) : 0;
    o->count_instructions = s->per_instruction;
    o->count_toggles = s->toggle;
    struct diags said; // session_configure has refused what is wrong
    diags_init(&said);
    gpu_told_read(s->told, &said, &o->told);
    if (s->warps) read_warps(s->warps, &said, &o->watch);
    diags_free(&said);
    o->exec.check_uninitialised = s->check_uninitialised;
    o->exec.check_races = s->check_races;
    o->exec.check_bounds = s->check_bounds;
    o->exec.open_pages = s->open_pages;
    o->exec.check_sync = s->check_sync;
    o->exec.check_control = s->check_control;
    o->exec.check_leaks = s->check_leaks;
    o->keep_findings = s->check_uninitialised || s->check_races || s->check_sync ||
                       s->check_control;
}

// ---- which launches are timed ------------------------------------------------------------------
struct session_filter {
    regex_t only, skip, range;
    bool has_only, has_skip, has_range;
    uint64_t first, last;
};

static enum ww_status compile(regex_t *r, const char *option, const char *text, struct diags *d) {
    const int e = regcomp(r, text, REG_EXTENDED | REG_NOSUB);
    if (!e) return WW_OK;
    char why[128];
    regerror(e, r, why, sizeof why);
    return diag_add(d, WW_ERROR_USAGE, "%s is `%s`, which is no regular expression: %s", option,
                    text, why);
}

static enum ww_status read_range(const char *text, uint64_t *first, uint64_t *last,
                                 struct diags *d) {
    char low[32];
    const char *dash = strchr(text, '-');
    snprintf(low, sizeof low, "%.*s", dash ? (int)(dash - text) : 31, text);
    if (text_to_u64(low, first) && (!dash || text_to_u64(dash + 1, last)) && *first) {
        if (!dash) *last = *first;
        if (*first <= *last) return WW_OK;
    }
    return diag_add(
        d, WW_ERROR_USAGE,
        "--launches is `%s`; it must be a number or a range such as 10-20, counted from 1", text);
}

enum ww_status session_filter_create(const struct session *s, struct diags *d,
                                     struct session_filter **out) {
    *out = NULL;
    if (!s->kernels && !s->skip_timing && !s->launches && !s->nvtx) return WW_OK;
    struct session_filter *f = calloc(1, sizeof *f);
    if (!f) return diag_add(d, WW_ERROR_MEMORY, "out of memory");
    f->first = 1, f->last = UINT64_MAX;
    enum ww_status e = s->launches ? read_range(s->launches, &f->first, &f->last, d) : WW_OK;
    if (e == WW_OK && s->kernels)
        f->has_only = (e = compile(&f->only, "--kernels", s->kernels, d)) == WW_OK;
    if (e == WW_OK && s->skip_timing)
        f->has_skip = (e = compile(&f->skip, "--skip-timing", s->skip_timing, d)) == WW_OK;
    if (e == WW_OK && s->nvtx)
        f->has_range = (e = compile(&f->range, "--nvtx", s->nvtx, d)) == WW_OK;
    if (e == WW_OK)
        *out = f;
    else
        session_filter_destroy(f);
    return e;
}

void session_filter_destroy(struct session_filter *f) {
    if (!f) return;
    if (f->has_only) regfree(&f->only);
    if (f->has_skip) regfree(&f->skip);
    if (f->has_range) regfree(&f->range);
    free(f);
}

bool session_filter_times(const struct session_filter *f, uint64_t launch, const char *kernel) {
    if (!f) return true;
    if (launch < f->first || launch > f->last) return false;
    if (f->has_only && regexec(&f->only, kernel, 0, NULL, 0) != 0) return false;
    return !f->has_skip || regexec(&f->skip, kernel, 0, NULL, 0) != 0;
}

bool session_filter_range(const struct session_filter *f, const char *path) {
    return !f || !f->has_range || regexec(&f->range, path, 0, NULL, 0) == 0;
}
