// One value of a configuration by its key: each section of the GPU file is a table of its keys, in
// which a dotted key is followed.
#include "gpu/config_int.h"
#include "gpu/config_names.h"

#include <strings.h>

struct field {
    const char *name;
    enum config_type type;
    size_t at, bytes;           // in the section's struct
    const char *const *names;   // of a choice
    const struct field *inside; // of a section; its last row has no name
};

#define FIELD(name, ...)                    {#name, __VA_ARGS__},
#define PLACE(name)                         offsetof(SECTION, name), sizeof(((SECTION *)NULL)->name)
#define K_UINT(name, ...)                   FIELD(name, CONFIG_UINT, PLACE(name), NULL, NULL)
#define K_U64(name, ...)                    FIELD(name, CONFIG_UINT, PLACE(name), NULL, NULL)
#define K_NUM(name, ...)                    FIELD(name, CONFIG_NUM, PLACE(name), NULL, NULL)
#define K_BOOL(name, ...)                   FIELD(name, CONFIG_BOOL, PLACE(name), NULL, NULL)
#define K_ENUM(name, sees, def, table, ...) FIELD(name, CONFIG_ENUM, PLACE(name), table, NULL)
#define K_TEXT(name, ...)                   FIELD(name, CONFIG_TEXT, PLACE(name), NULL, NULL)
#define K_MAP(name, kind, ...)              FIELD(name, CONFIG_TEXT, PLACE(name), NULL, in_##kind)
#define END                                                                                        \
    { NULL, CONFIG_UINT, 0, 0, NULL, NULL }

#define SECTION struct cache_config
#define KEYS_cache
static const struct field in_cache[] = {
#include "gpu/config_keys.def"
    END};
#undef KEYS_cache
#undef SECTION
#define SECTION struct class_timing
#define KEYS_timing
static const struct field in_timing[] = {
#include "gpu/config_keys.def"
    END};
#undef KEYS_timing
#undef SECTION
static const struct field in_timings[] = { // by class
#define OPC(name, unit, prose)                                                                     \
    {#name, CONFIG_TEXT, OPC_##name * sizeof(struct class_timing), sizeof(struct class_timing),    \
     NULL,  in_timing},
#include "isa/op_class.def"
#undef OPC
    END};
#define SECTION struct net_config
#define KEYS_net
static const struct field in_net[] = {
#include "gpu/config_keys.def"
    END};
#undef KEYS_net
#undef SECTION
#define SECTION struct tlb_config
#define KEYS_tlb
static const struct field in_tlb[] = {
#include "gpu/config_keys.def"
    END};
#undef KEYS_tlb
#undef SECTION
#define SECTION struct dram_config
#define KEYS_dram
static const struct field in_dram[] = {
#include "gpu/config_keys.def"
    END};
#undef KEYS_dram
#undef SECTION
#define SECTION struct gpu_clocks
#define KEYS_clocks
static const struct field in_clocks[] = {
#include "gpu/config_keys.def"
    END};
#undef KEYS_clocks
#undef SECTION
#define SECTION struct gpu_tech
#define KEYS_tech
static const struct field in_tech[] = {
#include "gpu/config_keys.def"
    END};
#undef KEYS_tech
#undef SECTION
#define SECTION struct gpu_power
#define KEYS_power
static const struct field in_power[] = {
#include "gpu/config_keys.def"
    END};
#undef KEYS_power
#undef SECTION
#define SECTION struct gpu_board
#define KEYS_board
static const struct field in_board[] = {
#include "gpu/config_keys.def"
    END};
#undef KEYS_board
#undef SECTION
#define SECTION struct sm_config
#define KEYS_sm
static const struct field in_sm[] = {
#include "gpu/config_keys.def"
    END};
#undef KEYS_sm
#undef SECTION
#define SECTION struct mem_config
#define KEYS_mem
static const struct field in_mem[] = {
#include "gpu/config_keys.def"
    END};
#undef KEYS_mem
#undef SECTION
#define SECTION struct gpu_config
#define KEYS_top
static const struct field in_top[] = {
#include "gpu/config_keys.def"
    END};
#undef KEYS_top
#undef SECTION

// The value at a key, and what is said of it. NULL: there is no such key.
static const void *find(const struct gpu_config *c, const char *key, const struct field **out) {
    const char *at = (const char *)c;
    for (const struct field *f = in_top; f->name;) {
        const size_t n = strcspn(key, ".");
        if (strlen(f->name) != n || strncasecmp(f->name, key, n) != 0) {
            f++;
            continue;
        }
        at += f->at;
        *out = f;
        if (!key[n]) return f->inside ? NULL : at;
        if (!f->inside) return NULL;
        f = f->inside;
        key += n + 1;
    }
    return NULL;
}

static const void *ask(const struct gpu_config *c, const char *key, enum config_type type,
                       const struct field **f) {
    const void *at = find(c, key, f);
    assert(at && "a key that GPU files have");
    assert((*f)->type == type && "a value of this kind");
    return at;
}

uint64_t gpu_config_count(const struct gpu_config *c, const char *key) {
    const struct field *f;
    const void *at = ask(c, key, CONFIG_UINT, &f);
    return f->bytes == sizeof(uint64_t) ? *(const uint64_t *)at : *(const uint32_t *)at;
}

double gpu_config_real(const struct gpu_config *c, const char *key) {
    const struct field *f;
    const void *at = find(c, key, &f);
    if (at && f->type == CONFIG_UINT) return (double)gpu_config_count(c, key);
    return *(const double *)ask(c, key, CONFIG_NUM, &f);
}

void gpu_config_put_real(struct gpu_config *c, const char *key, double value) {
    const struct field *f;
    *(double *)(uintptr_t)ask(c, key, CONFIG_NUM, &f) = value;
}

bool gpu_config_flag(const struct gpu_config *c, const char *key) {
    const struct field *f;
    return *(const bool *)ask(c, key, CONFIG_BOOL, &f);
}

uint32_t gpu_config_choice(const struct gpu_config *c, const char *key) {
    const struct field *f;
    return *(const uint32_t *)ask(c, key, CONFIG_ENUM, &f);
}

const char *gpu_config_word(const struct gpu_config *c, const char *key) {
    const struct field *f;
    const void *at = find(c, key, &f);
    if (at && f->type == CONFIG_ENUM) return f->names[*(const uint32_t *)at];
    return ask(c, key, CONFIG_TEXT, &f);
}

struct gpu_config *gpu_config_new(struct arena *a) {
    struct gpu_config *c = arena_alloc(a, sizeof *c);
    memset(c, 0, sizeof *c);
    return c;
}

struct gpu_config *gpu_config_copy(struct arena *a, const struct gpu_config *c) {
    struct gpu_config *copy = arena_alloc(a, sizeof *copy);
    *copy = *c;
    return copy;
}

const char *gpu_config_name(const struct gpu_config *c) { return c->name; }
uint32_t gpu_config_arch(const struct gpu_config *c) { return c->cc_major * 10 + c->cc_minor; }
double gpu_config_file_mhz(const struct gpu_config *c) { return c->nominal.core_mhz; }
double gpu_config_file_v(const struct gpu_config *c) { return c->nominal.vdd_v; }
