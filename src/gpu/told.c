// What programs are told and allowed of a GPU beyond the chip that is simulated (`--told`), so that
// one which asks for a newer compute capability, more memory or larger grids runs all the same.
// Timing, registers and shared memory stay the chip's. And which of the GPU files has what a launch
// asked for.
#include "gpu/device.h"

#include <stdlib.h>

// ---- text ---------------------------------------------------------------------------------------
static bool read_cc(const char *text, struct gpu_told *t) {
    unsigned major, minor;
    int end = 0;
    if (sscanf(text, "%2u.%1u%n", &major, &minor, &end) != 2 || text[end] || !major) return false;
    t->cc_major = major, t->cc_minor = minor;
    return true;
}

static bool read_u32(const char *text, uint32_t most, uint32_t *out) {
    uint64_t n;
    if (!text_to_u64(text, &n) || !n || n > most) return false;
    *out = (uint32_t)n;
    return true;
}

// Key, what its value may be. A value is taken by the function of that name below.
#define TOLD_KEYS(X)                                                                               \
    X(cc, "a compute capability such as 7.5", read_cc(v, t))                                       \
    X(memory, "bytes such as 16GB, 1TB of 1024 GB at most",                                        \
      text_to_bytes(v, &t->memory_bytes) && t->memory_bytes && t->memory_bytes <= 1ull << 40)      \
    X(grid, "blocks in x, 2147483647 at most", read_u32(v, INT32_MAX, &t->grid_x))                 \
    X(sms, "a number of multiprocessors, 1024 at most", read_u32(v, 1024, &t->sm_count))

enum ww_status gpu_told_read(const char *text, struct diags *d, struct gpu_told *t) {
    *t = (struct gpu_told){0};
    char *const all = strdup(text ? text : ""), *save = NULL;
    if (!all) return diag_add(d, WW_ERROR_MEMORY, "out of memory");
    enum ww_status s = WW_OK;
    for (char *w = strtok_r(all, ",", &save); w && s == WW_OK; w = strtok_r(NULL, ",", &save)) {
        char *const equals = strchr(w, '=');
        if (!equals) {
            s = diag_add(d, WW_ERROR_USAGE, "--told takes KEY=VALUE, not `%s`", w);
            break;
        }
        *equals = 0;
        const char *const v = equals + 1;
        bool known = false;
#define X(key, is, read)                                                                           \
    if (strcmp(w, #key) == 0) {                                                                    \
        known = true;                                                                              \
        if (!(read)) s = diag_add(d, WW_ERROR_USAGE, "--told %s is `%s`; it must be " is, w, v);   \
    }
        TOLD_KEYS(X)
#undef X
        static const char *const names[] = {
#define X(key, is, read) #key,
            TOLD_KEYS(X)
#undef X
        };
        if (known) continue;
        const int near = text_nearest(w, names, WW_COUNT(names));
        s = near >= 0
                ? diag_add(d, WW_ERROR_USAGE, "--told knows no `%s`; did you mean `%s`?", w,
                           names[near])
                : diag_add(d, WW_ERROR_USAGE, "--told knows cc, memory, grid and sms, not `%s`", w);
    }
    free(all);
    return s;
}

// ---- what changes -------------------------------------------------------------------------------
void gpu_told_config(const struct gpu_told *t, struct gpu_config *c) {
    if (t->cc_major) c->cc_major = t->cc_major, c->cc_minor = t->cc_minor;
    if (t->memory_bytes) c->memory_bytes = t->memory_bytes;
    if (t->sm_count) c->sm_count = t->sm_count;
}

void gpu_told_limits(const struct gpu_told *t, struct gpu_limits *l) {
    // CUDA C++ Programming Guide, "Technical Specifications per Compute Capability": these hold
    // from 3.0 on
    if (t->cc_major >= 3) {
        l->grid[0] = INT32_MAX, l->grid[1] = l->grid[2] = 65535;
        l->block[0] = l->block[1] = 1024, l->block[2] = 64;
        l->threads_per_block = l->threads_per_sm < 1024 ? l->threads_per_sm : 1024;
        l->local_per_thread = 512 << 10;
        l->param_bytes = 4096;
        l->unified_addressing = l->generic_addressing = l->concurrent_kernels = true;
    }
    if (t->grid_x) l->grid[0] = t->grid_x;
}

// ---- GPU files that have more -------------------------------------------------------------------
typedef bool has_fn(const struct gpu_config *c, const struct gpu_other *o);

static bool has_limit(const struct gpu_config *c, const struct gpu_other *o) {
    struct gpu_limits l;
    uint32_t has;
    gpu_config_limits(c, &l);
    memcpy(&has, (const char *)&l + o->limit, sizeof has);
    return has >= o->need;
}

static bool has_unit(const struct gpu_config *c, const struct gpu_other *o) {
    return o->need == UNIT_DP ? c->sm.dp_units : c->sm.tensor_units;
}

static bool has_trait(const struct gpu_config *c, const struct gpu_other *o) {
    return gen_has((enum target_gen)c->sm.gen, (enum gen_trait)o->need);
}

static bool takes_code(const struct gpu_config *c, const struct gpu_other *o) {
    return c->cc_major == o->need / 10 && c->cc_minor >= o->need % 10;
}

struct candidate {
    const char *name;
    bool has_base;
    uint32_t cc;
};

// Files without a base first, of the oldest capability.
static int compare_candidates(const void *a, const void *b) {
    const struct candidate *const x = a, *const y = b;
    if (x->has_base != y->has_base) return x->has_base - y->has_base;
    if (x->cc != y->cc) return x->cc < y->cc ? -1 : 1;
    return strcmp(x->name, y->name);
}

// "; -g v100 has it", of `most` names at most; "" where no file has it. All names come in their order; where not all are
// named, those of the oldest GPUs do. Asked again, the answer is kept.
static const char *name_others(struct gpu *g, has_fn *has, size_t limit, uint64_t need,
                               uint32_t most) {
    struct gpu_other *const o = &g->other;
    if (o->has == has && o->limit == limit && o->need == need) return o->text;
    *o = (struct gpu_other){.has = has, .limit = limit, .need = need};
    struct arena a;
    struct diags quiet;
    struct gpu_listing *list;
    uint32_t n = 0, found = 0;
    size_t len = 0;
    arena_init(&a, NULL);
    diags_init(&quiet);
    struct gpu_config *c = arena_alloc(&a, sizeof *c);
    if (gpu_config_list(&a, &list, &n, &quiet) != WW_OK) n = 0;
    struct candidate *const others = arena_alloc(&a, (n + 1) * sizeof *others);
    for (uint32_t i = 0; i < n; i++)
        if (gpu_config_load(list[i].path, NULL, 0, &quiet, c) == WW_OK && has(c, o) &&
            strcmp(c->name, g->config.name) != 0)
            others[found++] =
                (struct candidate){list[i].name, c->has_base, c->cc_major * 10 + c->cc_minor};
    if (most < n) qsort(others, found, sizeof *others, compare_candidates);
    if (found > most) found = most;
    for (uint32_t i = 0; i < found && len < sizeof o->text; i++)
        len += (size_t)snprintf(o->text + len, sizeof o->text - len, "%s%s", i ? ", " : "; -g ",
                                others[i].name);
    if (found && len < sizeof o->text)
        snprintf(o->text + len, sizeof o->text - len, found > 1 ? " have it" : " has it");
    diags_free(&quiet);
    arena_free(&a);
    return o->text;
}

const char *gpu_with(struct gpu *g, size_t limit, uint64_t need) {
    return name_others(g, has_limit, limit, need, 1);
}

const char *gpu_with_unit(struct gpu *g, enum unit_class unit) {
    return name_others(g, has_unit, 0, unit, UINT32_MAX);
}

const char *gpu_with_trait(void *gpu, enum gen_trait t) {
    return name_others(gpu, has_trait, 0, t, UINT32_MAX);
}

const char *gpu_with_code(struct gpu *g, uint32_t arch) {
    return name_others(g, takes_code, 0, arch, UINT32_MAX);
}
