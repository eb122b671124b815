// See session.h. One table of variables: name, kind, where.
#include "report/session.h"

#include <stdlib.h>

#define SESSION_FLAGS(X)                                                                           \
    X("WARPWATT_FUNCTIONAL", functional)                                                           \
    X("WARPWATT_PER_INSTRUCTION", per_instruction)                                                 \
    X("WARPWATT_PER_SM", per_sm)                                                                   \
    X("WARPWATT_PROGRESS", progress)                                                               \
    X("WARPWATT_CHECK_UNINITIALISED", check_uninitialised)                                         \
    X("WARPWATT_CHECK_RACES", check_races)
#define SESSION_NUMBERS(X)                                                                         \
    X("WARPWATT_THREADS", host_threads, uint32_t)                                                  \
    X("WARPWATT_INTERVAL", interval_cycles, uint64_t)                                              \
    X("WARPWATT_MAX_CYCLES", max_cycles, uint64_t)

static bool put(const char *name, const char *value) {
    return value ? setenv(name, value, 1) == 0 : unsetenv(name) == 0;
}

bool session_to_env(const struct session *s) {
    bool ok = put("WARPWATT_GPU", s->gpu) && put("WARPWATT_RECORD", s->record) &&
              put("WARPWATT_POLICIES", s->policies);
#define X(name, field) ok = put(name, s->field ? "1" : NULL) && ok;
    SESSION_FLAGS(X)
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
    *s = (struct session){.gpu = "gtx480", .host_threads = 1};
    const char *v = getenv("WARPWATT_GPU");
    if (v && *v) s->gpu = arena_strdup(a, v);
    v = getenv("WARPWATT_POLICIES");
    if (v && *v) s->policies = arena_strdup(a, v);
    v = getenv("WARPWATT_RECORD");
    if (v && *v) s->record = arena_strdup(a, v);
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
    for (char *save, *p = all ? strtok_r(all, "\n", &save) : NULL; p; p = strtok_r(NULL, "\n", &save)) {
        if (s->n_overrides == SESSION_MAX_OVERRIDES)
            return diag_add(d, WW_ERROR_USAGE, "more than %d overrides", SESSION_MAX_OVERRIDES);
        s->overrides[s->n_overrides++] = p;
    }
    return WW_OK;
}

enum ww_status session_configure(const struct session *s, struct diags *d, struct gpu_config *c,
                                 struct savings *savings) {
    return technique_configure(s->gpu, s->policies, s->overrides, s->n_overrides, d, c, savings);
}

void session_gpu_options(const struct session *s, struct gpu_options *o) {
    o->host_threads = s->host_threads ? s->host_threads : 1;
    o->interval_cycles = s->interval_cycles;
    o->max_cycles = s->max_cycles;
    if (s->functional) o->max_instructions = s->max_cycles; // there are no cycles to limit
    o->functional = s->functional;
    o->count_instructions = s->per_instruction;
    o->exec.check_uninitialised = s->check_uninitialised;
    o->exec.check_races = s->check_races;
}
