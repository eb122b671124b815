// The public header, warpwatt.h, over gpu.h: handles, the text of diagnostics, structs that carry
// their size. No mutable globals, so the diagnostics of a ww_gpu_open that failed are kept in the
// one place a caller without a handle can have: its thread.
#include "gpu/fields.h"
#include "gpu/gpu.h"
#include "gpu/technique.h"
#include "warpwatt.h"

#include <stdlib.h>

struct ww_gpu {
    struct gpu *gpu;
    struct gpu_config config;
    struct ww_allocator allocator;
    struct ww_options options;
    struct diags diags;
    char *error; // text of diags
    struct ww_module *modules;
};
struct ww_module {
    struct ww_gpu *owner;
    struct gpu_module *module;
    struct ww_module *next;
    struct ww_kernel *kernels;
};
struct ww_kernel {
    struct ww_module *module;
    struct gpu_kernel *kernel;
    struct ww_kernel *next;
};

void ww_options_init(struct ww_options *o) { *o = (struct ww_options){.size = sizeof *o}; }

const char *ww_version(void) { return "0.1.0"; }

const char *ww_status_name(enum ww_status s) {
    static const char *const name[] = {
#define X(name, code, text) #name,
        WW_STATUS_TABLE(X)
#undef X
    };
    return (unsigned)s < WW_STATUS_N ? name[s] : "unknown status";
}

// ---- errors ---------------------------------------------------------------------------------
static char *text_of(const struct diags *d) {
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    if (!f) return NULL;
    diags_print(d, f);
    fclose(f);
    return text;
}

static _Thread_local char open_error[2048];

const char *ww_last_error(const ww_gpu *gpu) {
    if (!gpu) return open_error;
    return gpu->error ? gpu->error : "";
}

static enum ww_status begin(ww_gpu *g) {
    diags_free(&g->diags);
    diags_init(&g->diags);
    return WW_OK;
}

static enum ww_status end(ww_gpu *g, enum ww_status s) {
    free(g->error);
    g->error = s == WW_OK ? NULL : text_of(&g->diags);
    return s;
}

// ---- opening --------------------------------------------------------------------------------
static void on_log(void *user, const char *sentence) {
    const ww_gpu *g = user;
    if (g->options.log) g->options.log(g->options.user, sentence, strlen(sentence));
}

static void on_print(void *user, const char *text, size_t len) {
    const ww_gpu *g = user;
    if (g->options.print) g->options.print(g->options.user, text, len);
}

enum ww_status ww_gpu_open(const char *name, const struct ww_options *o, ww_gpu **out) {
    *out = NULL;
    struct ww_options options;
    ww_options_init(&options);
    if (o) memcpy(&options, o, o->size < sizeof options ? o->size : sizeof options);
    options.size = sizeof options;
    struct ww_allocator allocator = ww_allocator_default;
    if (options.realloc_fn)
        allocator = (struct ww_allocator){options.realloc_fn, options.realloc_user};
    ww_gpu *g = allocator.realloc_fn(allocator.user, NULL, sizeof *g);
    if (!g) {
        snprintf(open_error, sizeof open_error, "out of memory");
        return WW_ERROR_MEMORY;
    }
    memset(g, 0, sizeof *g);
    g->allocator = allocator;
    g->options = options;
    diags_init(&g->diags);
    struct gpu_options inner;
    gpu_options_init(&inner);
    enum ww_status s =
        technique_configure(name, options.techniques, options.overrides, options.override_count,
                            &g->diags, &g->config, &inner.savings);
    if (s == WW_OK) {
        inner.host_threads = options.host_threads;
        inner.interval_cycles = options.interval_cycles;
        inner.max_cycles = options.max_cycles;
        inner.functional = options.functional != 0;
        inner.keep_results = true;
        inner.exec.check_bounds = true; // as the command does for kernels of the user's own
        inner.exec.check_uninitialised = options.check_uninitialised != 0;
        inner.exec.check_races = options.check_races != 0;
        inner.allocator = &g->allocator;
        inner.stop = options.stop;
        inner.user = g;
        inner.log = on_log;
        inner.print = on_print;
        s = gpu_create(&g->config, &inner, &g->diags, &g->gpu);
    }
    if (s != WW_OK) {
        char *text = text_of(&g->diags);
        snprintf(open_error, sizeof open_error, "%s", text ? text : "");
        free(text);
        ww_gpu_close(g);
        return s;
    }
    *out = g;
    return WW_OK;
}

const struct gpu_config *gpu_api_config(const struct ww_gpu *g) { return &g->config; }

const struct gpu_result *gpu_api_result(const struct ww_gpu *g, size_t i) {
    return i < gpu_result_count(g->gpu) ? gpu_result_at(g->gpu, (uint32_t)i) : NULL;
}

void ww_gpu_close(ww_gpu *g) {
    if (!g) return;
    while (g->modules) ww_module_unload(g->modules);
    gpu_destroy(g->gpu);
    diags_free(&g->diags);
    free(g->error);
    const struct ww_allocator a = g->allocator;
    a.realloc_fn(a.user, g, 0);
}

size_t ww_gpu_value(const ww_gpu *g, const char *key, char *buffer, size_t size) {
    if (!size || !gpu_config_get(&g->config, key, buffer, size)) return 0;
    return strlen(buffer);
}

// ---- memory ---------------------------------------------------------------------------------
enum ww_status ww_alloc(ww_gpu *g, uint64_t bytes, uint64_t *address) {
    begin(g);
    return end(g, gpu_malloc(g->gpu, bytes, NULL, &g->diags, address));
}

enum ww_status ww_free(ww_gpu *g, uint64_t address) {
    begin(g);
    return end(g, gpu_free(g->gpu, address, &g->diags));
}

enum ww_status ww_write(ww_gpu *g, uint64_t address, const void *from, uint64_t bytes) {
    begin(g);
    const struct gpu_copy c = {.src_host = from, .dst = address, .width = bytes};
    return end(g, bytes ? gpu_copy(g->gpu, NULL, &c, &g->diags) : WW_OK);
}

enum ww_status ww_read(ww_gpu *g, void *to, uint64_t address, uint64_t bytes) {
    begin(g);
    const struct gpu_copy c = {.src = address, .dst_host = to, .width = bytes};
    return end(g, bytes ? gpu_copy(g->gpu, NULL, &c, &g->diags) : WW_OK);
}

// ---- programs -------------------------------------------------------------------------------
enum ww_status ww_module_load(ww_gpu *g, const char *name, const char *ptx, size_t length,
                              ww_module **out) {
    begin(g);
    *out = NULL;
    ww_module *m = g->allocator.realloc_fn(g->allocator.user, NULL, sizeof *m);
    if (!m) return end(g, diag_add(&g->diags, WW_ERROR_MEMORY, "out of memory"));
    *m = (ww_module){.owner = g};
    const enum ww_status s =
        gpu_module_load(g->gpu, name, ptx, length, NULL, &g->diags, &m->module);
    if (s != WW_OK) {
        g->allocator.realloc_fn(g->allocator.user, m, 0);
        return end(g, s);
    }
    m->next = g->modules;
    g->modules = m;
    *out = m;
    return end(g, WW_OK);
}

void ww_module_unload(ww_module *m) {
    if (!m) return;
    ww_gpu *g = m->owner;
    for (ww_module **p = &g->modules; *p; p = &(*p)->next) {
        if (*p != m) continue;
        *p = m->next;
        break;
    }
    while (m->kernels) {
        ww_kernel *next = m->kernels->next;
        g->allocator.realloc_fn(g->allocator.user, m->kernels, 0);
        m->kernels = next;
    }
    gpu_module_unload(g->gpu, m->module);
    g->allocator.realloc_fn(g->allocator.user, m, 0);
}

enum ww_status ww_module_global(ww_module *m, const char *name, uint64_t *address,
                                uint64_t *bytes) {
    begin(m->owner);
    return end(m->owner, gpu_module_global(m->module, name, &m->owner->diags, address, bytes));
}

enum ww_status ww_kernel_find(ww_module *m, const char *name, ww_kernel **out) {
    ww_gpu *g = m->owner;
    begin(g);
    *out = NULL;
    struct gpu_kernel *inner;
    const enum ww_status s = gpu_kernel_find(m->module, name, &g->diags, &inner);
    if (s != WW_OK) return end(g, s);
    for (ww_kernel *k = m->kernels; k; k = k->next)
        if (k->kernel == inner) *out = k;
    if (*out) return end(g, WW_OK);
    ww_kernel *k = g->allocator.realloc_fn(g->allocator.user, NULL, sizeof *k);
    if (!k) return end(g, diag_add(&g->diags, WW_ERROR_MEMORY, "out of memory"));
    *k = (ww_kernel){.module = m, .kernel = inner, .next = m->kernels};
    m->kernels = k;
    *out = k;
    return end(g, WW_OK);
}

enum ww_status ww_kernel_describe(ww_kernel *k, struct ww_kernel_info *info) {
    ww_gpu *g = k->module->owner;
    begin(g);
    struct gpu_kernel_attributes a;
    const struct code_param *params;
    struct ww_kernel_info full = {.size = info->size};
    enum ww_status s = gpu_kernel_attributes(k->kernel, &g->diags, &a);
    if (s == WW_OK) s = gpu_kernel_params(k->kernel, &g->diags, &params, &full.param_count);
    if (s != WW_OK) return end(g, s);
    full.registers = a.registers;
    full.shared_bytes = a.shared_bytes;
    full.local_bytes = a.local_bytes;
    full.param_bytes = a.param_bytes;
    full.max_threads_per_block = a.max_threads_per_block;
    memcpy(info, &full, info->size < sizeof full ? info->size : sizeof full);
    return end(g, WW_OK);
}

enum ww_status ww_launch(ww_gpu *g, ww_kernel *k, const uint32_t grid[3], const uint32_t block[3],
                         uint32_t dynamic_shared, const void *params, size_t param_bytes) {
    begin(g);
    const struct gpu_launch l = {.grid = {grid[0], grid[1], grid[2]},
                                 .block = {block[0], block[1], block[2]},
                                 .dynamic_shared = dynamic_shared,
                                 .params = params,
                                 .param_bytes = (uint32_t)param_bytes};
    return end(g, gpu_launch(g->gpu, NULL, k->kernel, &l, &g->diags, NULL));
}

enum ww_status ww_synchronize(ww_gpu *g) {
    begin(g);
    return end(g, gpu_synchronize(g->gpu, &g->diags));
}

// ---- results --------------------------------------------------------------------------------
size_t ww_result_count(const ww_gpu *g) { return gpu_result_count(g->gpu); }

enum ww_status ww_result_get(const ww_gpu *g, size_t i, struct ww_result *r) {
    const struct gpu_result *in = gpu_api_result(g, i);
    if (!in) return WW_ERROR_USAGE;
    const struct ww_result full = {.size = r->size,
                                   .kernel = in->kernel,
                                   .status = in->status,
                                   .text = in->text,
                                   .cycles = in->cycles,
                                   .seconds = in->seconds,
                                   .warp_instructions = in->warp_instructions,
                                   .thread_instructions = in->thread_instructions,
                                   .occupancy_ctas = in->occupancy.ctas,
                                   .occupancy_warps = in->occupancy.warps,
                                   .occupancy_limit = in->occupancy.limit};
    memcpy(r, &full, r->size < sizeof full ? r->size : sizeof full);
    return WW_OK;
}

enum ww_status ww_result_counter(const ww_gpu *g, size_t i, const char *counter, uint32_t index,
                                 uint64_t *value) {
    const struct gpu_result *in = gpu_api_result(g, i);
    const int row = act_find(counter);
    if (!in || row < 0 || index >= act_row(row)->n) return WW_ERROR_USAGE;
    *value = in->activity.c[act_row(row)->first + index];
    return WW_OK;
}
