// A device: what it is made of, its memory, its sticky fault. Streams, modules and the quantum loop
// have files of their own.
#include "exec/functional.h"
#include "gpu/device.h"
#include "gpu/cluster.h"
#include "gpu/sample.h"
#include "sm/technique.h"

#include <stdlib.h>
#include <time.h>

enum { DEFAULT_MAX_THREADS = 8 };

void gpu_options_init(struct gpu_options *o) {
    *o = (struct gpu_options){.scheduler = -1};
}

double host_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void *device_alloc(struct gpu *g, size_t bytes) {
    void *p = g->allocator.realloc_fn(g->allocator.user, NULL, bytes ? bytes : 1);
    if (p) memset(p, 0, bytes);
    return p;
}

void device_free(struct gpu *g, void *p) {
    if (p) g->allocator.realloc_fn(g->allocator.user, p, 0);
}

void device_log(struct gpu *g, const char *fmt, ...) {
    if (!g->options.log) return;
    char text[1024];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    g->options.log(g->options.user, text);
}

// ---- building -------------------------------------------------------------------------------
static void on_cta_done(void *user, uint32_t sm, uint32_t slot, uint64_t cta, uint64_t cycle) {
    struct gpu *g = user;
    struct sm_side *side = &g->side[sm];
    side->done[slot]++;
    if (ww_unlikely(g->timeline != NULL)) timeline_cta_ended(g, sm, slot, cta, cycle);
    if (cycle > side->last_done[slot]) side->last_done[slot] = cycle;
}

void device_tear_down(struct gpu *g) {
    front_end_group_tear_down(g);
    clusters_destroy(g);
    for (uint32_t i = 0; g->sm && i < g->config.sm_count; i++) sm_destroy(g->sm[i]);
    for (uint32_t i = 0; g->savings && i < g->config.sm_count; i++)
        savings_sm_destroy(g->savings[i]);
    mem_system_destroy(g->mem);
    g->mem = NULL;
    device_free(g, g->savings);
    g->savings = NULL;
    savings_l2_destroy(g->savings_l2);
    g->savings_l2 = NULL;
    device_free(g, g->sm);
    device_free(g, g->logs);
    device_free(g, g->ports);
    ww_free_aligned(g->side);
    g->sm = NULL;
    g->logs = NULL;
    g->ports = NULL;
    g->side = NULL;
}

// ---- lines of L2 that go last -----------------------------------------------------------------
static uint64_t sixteenths_of_l2(const struct gpu *g, uint32_t n) {
    const struct gpu_config *const c = &g->config;
    const bool has_policies = c->cc_major >= 8;
    return has_policies ? (uint64_t)c->mem.l2.bytes * c->mem.partitions *
                              c->mem.slices_per_partition * n / 16
                        : 0;
}
uint64_t gpu_l2_most_set_aside(const struct gpu *g) { return sixteenths_of_l2(g, 10); }
uint64_t gpu_l2_first_set_aside(const struct gpu *g) { return sixteenths_of_l2(g, 3); }
uint64_t gpu_l2_set_aside(const struct gpu *g) { return g->set_aside; }
static void set_aside(struct gpu *g, uint64_t bytes) {
    const uint64_t most = gpu_l2_most_set_aside(g);
    g->set_aside = bytes < most ? bytes : most;
    mem_system_set_aside(g->mem, g->set_aside);
}
enum ww_status gpu_l2_set_set_aside(struct gpu *g, uint64_t bytes, struct diags *d) {
    const enum ww_status s = gpu_synchronize(g, d);
    if (s == WW_OK) set_aside(g, bytes);
    return s;
}
enum ww_status gpu_l2_reset_priorities(struct gpu *g, struct diags *d) {
    const enum ww_status s = gpu_synchronize(g, d);
    if (s == WW_OK) mem_system_reset_priorities(g->mem);
    return s;
}

enum ww_status device_build(struct gpu *g, struct diags *d) {
    const struct gpu_config *c = &g->config;
    const uint32_t n = c->sm_count;
    g->sm = device_alloc(g, n * sizeof *g->sm);
    g->logs = device_alloc(g, n * sizeof *g->logs);
    g->ports = device_alloc(g, n * sizeof *g->ports);
    g->side = ww_alloc_aligned(n * sizeof *g->side);
    g->savings = device_alloc(g, n * sizeof *g->savings);
    if (!g->savings || !g->sm || !g->logs || !g->ports || !g->side)
        return diag_add(d, WW_ERROR_MEMORY, "out of memory for %u SMs", n);
    enum ww_status s = mem_system_create(&c->mem, n, c->clocks.core_mhz, d, &g->mem);
    if (s != WW_OK) return s;
    g->quantum = mem_quantum_cycles(g->mem);
    set_aside(g, gpu_l2_first_set_aside(g));
    s = savings_l2_create(&g->options.savings, g->mem, &c->mem.l2, d, &g->savings_l2);
    if (s != WW_OK) return s;
    const struct sm_callbacks cb = {.cta_done = on_cta_done, .user = g};
    for (uint32_t i = 0; i < n; i++) {
        g->ports[i] = mem_system_port(g->mem, i);
        s = sm_create(&c->sm, i, g->ports[i], g->source, g->memory, &cb, d, &g->sm[i]);
        if (s != WW_OK) return s;
        g->logs[i] = sm_log(g->sm[i]);
        if (g->options.count_instructions) sm_count_instructions(g->sm[i]);
        if (g->options.count_toggles && (s = sm_count_toggles(g->sm[i], d)) != WW_OK) return s;
        const struct sm_technique *list[SM_MAX_TECHNIQUES];
        uint32_t k = 0;
        if (g->options.savings.mechanisms) {
            g->savings[i] = savings_sm_create(&g->options.savings, &c->sm);
            if (!g->savings[i]) return diag_add(d, WW_ERROR_MEMORY, "out of memory for techniques");
            k = savings_sm_techniques(g->savings[i], list);
        }
        if (k && (s = sm_set_techniques(g->sm[i], list, k, d)) != WW_OK) return s;
    }
    s = clusters_create(g, d);
    return s == WW_OK ? front_end_group_build(g, d) : s;
}

static void on_print(void *user, const char *text, size_t len) {
    struct gpu *g = user;
    if (g->options.print) g->options.print(g->options.user, text, len);
}

static enum ww_status make_threads(struct gpu *g, struct diags *d) {
    const struct gpu_config *c = &g->config;
    const uint32_t offered = threads_offered();
    uint32_t threads = g->options.host_threads;
    if (!threads) threads = offered < DEFAULT_MAX_THREADS ? offered : DEFAULT_MAX_THREADS;
    if (threads > c->sm_count && !g->options.functional) threads = c->sm_count;
    uint32_t most = c->sm_count > c->mem.partitions ? c->sm_count : c->mem.partitions;
    if (most < EXEC_GROUPS) most = EXEC_GROUPS;
    return threads_create(threads, most, d, &g->threads);
}

static enum ww_status make_watch(struct gpu *g, struct diags *d) {
    const struct gpu_watch *const w = &g->options.watch;
    if (w->sm >= g->config.sm_count)
        return diag_add(d, WW_ERROR_USAGE, "--warps names SM %u; %s has SMs 0 to %u", w->sm,
                        g->config.name, g->config.sm_count - 1);
    if (savings_shares_front_end(&g->options.savings))
        return diag_add(d, WW_ERROR_USAGE,
                        "--warps does not go with front-end-sharing: SMs that share a front end "
                        "are not watched");
    g->watch = sm_watch_create();
    return g->watch ? WW_OK : diag_add(d, WW_ERROR_MEMORY, "out of memory for watched warps");
}

enum ww_status gpu_create(const struct gpu_config *c, const struct gpu_options *o, struct diags *d,
                          struct gpu **out) {
    struct gpu_options options;
    gpu_options_init(&options);
    if (o) options = *o;
    const struct ww_allocator allocator =
        options.allocator ? *options.allocator : ww_allocator_default;
    enum ww_status s = gpu_config_check(c, d);
    if (s != WW_OK) return s;
    struct gpu *g = allocator.realloc_fn(allocator.user, NULL, sizeof *g);
    if (!g) return diag_add(d, WW_ERROR_MEMORY, "out of memory for a GPU");
    memset(g, 0, sizeof *g);
    g->allocator = allocator;
    g->config = *c;
    g->options = options;
    g->options.allocator = &g->allocator;
    if (options.scheduler >= 0) g->config.sm.scheduler = (uint32_t)options.scheduler;
    gpu_config_limits(&g->config, &g->limits);
    gpu_told_limits(&options.told, &g->limits);
    g->memory_bytes = options.told.memory_bytes ? options.told.memory_bytes : c->memory_bytes;
    g->source = &exec_computes;
    g->exec_callbacks = (struct exec_callbacks){.print = on_print, .user = g};
    arena_init(&g->results_arena, &g->allocator);
    g->next_launch = g->next_seq = 1;
    s = gpu_config_check(&g->config, d);
    if (s == WW_OK) {
        g->memory = devmem_create(g->memory_bytes);
        if (!g->memory)
            s = diag_add(d, WW_ERROR_MEMORY,
                         "the host gives no room for %llu MB of device memory (`ulimit -v` may be "
                         "the cause)",
                         (unsigned long long)(g->memory_bytes >> 20));
    }
    // With time, allocations lie as close as hardware puts them, unless a check is asked for (which
    // `warpwatt run` does for programs and kernels of the user's own).
    if (s == WW_OK && (options.functional || options.exec.check_races ||
                       options.exec.check_uninitialised || options.exec.check_bounds ||
                       options.exec.check_sync))
        devmem_keep_apart(g->memory);
    if (s == WW_OK && options.exec.open_pages) devmem_open_pages(g->memory);
    if (s == WW_OK && options.watch.to) s = make_watch(g, d);
    if (s == WW_OK && options.keep_findings && !(g->options.exec.findings = exec_findings_create()))
        s = diag_add(d, WW_ERROR_MEMORY, "out of memory for what the checks find");
    if (s == WW_OK && options.exec.check_uninitialised && !devmem_track_writes(g->memory))
        s = diag_add(d, WW_ERROR_MEMORY, "out of memory for tracking what was written");
    struct gpu_stream *stream = NULL;
    if (s == WW_OK) s = gpu_stream_create(g, false, 0, d, &stream);
    if (s == WW_OK) stream->is_default = true;
    if (s == WW_OK && !options.functional && !timeline_create(g))
        s = diag_add(d, WW_ERROR_MEMORY, "out of memory for a timeline");
    if (s == WW_OK && !options.functional) s = device_build(g, d);
    if (s == WW_OK) s = make_threads(g, d);
    if (s != WW_OK) {
        gpu_destroy(g);
        return s;
    }
    *out = g;
    return WW_OK;
}

void gpu_destroy(struct gpu *g) {
    if (!g) return;
    stream_drop_all(g);
    flight_abort_all(g, WW_ERROR_INTERRUPTED, NULL);
    threads_destroy(g->threads);
    g->threads = NULL;
    gpu_results_clear(g);
    while (g->modules) gpu_module_unload(g, g->modules);
    while (g->streams) {
        struct gpu_stream *next = g->streams->next;
        device_free(g, g->streams);
        g->streams = next;
    }
    flight_free_spares(g);
    sample_destroy(g);
    device_tear_down(g);
    exec_groups_destroy(g->groups);
    sm_watch_destroy(g->watch);
    device_free(g, g->timeline);
    devmem_destroy(g->memory);
    exec_findings_destroy(g->options.exec.findings);
    arena_free(&g->results_arena);
    const struct ww_allocator a = g->allocator;
    a.realloc_fn(a.user, g, 0);
}

const struct gpu_config *gpu_config_of(const struct gpu *g) { return &g->config; }
const struct gpu_limits *gpu_limits_of(const struct gpu *g) { return &g->limits; }
struct devmem *gpu_memory(struct gpu *g) { return g->memory; }
double gpu_now_s(const struct gpu *g) {
    return (double)g->now / (g->config.clocks.core_mhz * 1e6);
}

// ---- counts ---------------------------------------------------------------------------------
uint32_t device_activity_count(const struct gpu *g) {
    return g->config.sm_count + g->config.mem.partitions;
}

const struct activity *device_activity(struct gpu *g, uint32_t i) {
    if (i < g->config.sm_count) return sm_activity(g->sm[i], g->now);
    i -= g->config.sm_count;
    if (g->savings_l2) savings_l2_settle(g->savings_l2, i, g->now);
    return mem_system_activity(g->mem, i);
}

uint64_t device_activity_number(const struct gpu *g, uint32_t i) {
    return i < g->config.sm_count ? sm_activity_number(g->sm[i]) : 0;
}

void device_activity_sum(struct gpu *g, struct activity *sum) {
    memset(sum, 0, sizeof *sum);
    for (uint32_t i = 0; i < device_activity_count(g); i++)
        activity_add(sum, device_activity(g, i));
}

// ---- the sticky fault -----------------------------------------------------------------------
enum ww_status device_fault(struct gpu *g, enum ww_status s, const char *text) {
    if (g->fault == WW_OK) {
        g->fault = s;
        snprintf(g->fault_text, sizeof g->fault_text, "%s", text);
    }
    return s;
}

enum ww_status device_usable(struct gpu *g, struct diags *d) {
    if (g->fault == WW_OK) return WW_OK;
    return diag_add(d, g->fault, "%s", g->fault_text);
}

enum ww_status gpu_fault_status(const struct gpu *g) { return g->fault; }

void gpu_clear_fault(struct gpu *g) {
    stream_drop_all(g);
    g->fault = WW_OK;
    g->fault_text[0] = 0;
}

// ---- what the checks found ------------------------------------------------------------------
enum { FINDINGS_SAID = 100 };

uint32_t gpu_findings(struct gpu *g, void (*say)(void *user, const char *sentence), void *user) {
    struct exec_findings *f = g->options.exec.findings;
    const uint32_t n = exec_findings_count(f);
    char text[1024];
    for (uint32_t i = 0; i < n && i < FINDINGS_SAID; i++) {
        uint64_t times;
        const char *const first = exec_findings_at(f, i, &times);
        snprintf(text, sizeof text, "%s (the first of %llu times)", first,
                 (unsigned long long)times);
        say(user, times > 1 ? text : first);
    }
    if (n > FINDINGS_SAID) {
        snprintf(text, sizeof text, "and %u places more", n - FINDINGS_SAID);
        say(user, text);
    }
    return n;
}

struct leak {
    const char *name;
    uint64_t bytes, first, times;
};
static int by_kind(const void *x, const void *y) {
    const struct leak *a = x, *b = y;
    const int c = strcmp(a->name, b->name);
    if (c) return c;
    if (a->bytes != b->bytes) return a->bytes > b->bytes ? -1 : 1;
    return (a->first > b->first) - (a->first < b->first);
}
static void say_leak(const struct leak *l, void (*say)(void *user, const char *sentence),
                     void *user) {
    char text[512];
    const bool one = l->times == 1, named = *l->name != 0;
    snprintf(text, sizeof text,
             "leak: %llu allocation%s of %llu byte%s%s%s%s %s never freed, %sat 0x%llx",
             (unsigned long long)l->times, one ? "" : "s", (unsigned long long)l->bytes,
             text_plural(l->bytes), named ? " (" : "", l->name, named ? ")" : "",
             one ? "was" : "were", one ? "" : "the first ", (unsigned long long)l->first);
    say(user, text);
}

uint32_t gpu_leaks(struct gpu *g, void (*say)(void *user, const char *sentence), void *user) {
    const uint32_t live = devmem_count(g->memory);
    if (!g->options.exec.check_leaks || !live) return 0;
    struct leak *l = device_alloc(g, live * sizeof *l);
    uint32_t n = 0, kinds = 0;
    for (uint32_t i = 0; l && i < live; i++) {
        struct devmem_range r;
        if (!devmem_owned(g->memory, i, &r)) continue;
        l[n++] = (struct leak){r.name ? r.name : "", r.bytes, r.first, 1};
    }
    if (n) qsort(l, n, sizeof *l, by_kind);
    for (uint32_t i = 0; i < n; i++) {
        struct leak *const last = &l[kinds ? kinds - 1 : 0];
        if (kinds && last->bytes == l[i].bytes && strcmp(last->name, l[i].name) == 0)
            last->times++;
        else
            l[kinds++] = l[i];
    }
    for (uint32_t i = 0; i < kinds && i < FINDINGS_SAID; i++) say_leak(&l[i], say, user);
    if (kinds > FINDINGS_SAID) say(user, "leak: and others");
    device_free(g, l);
    return n;
}

// ---- memory ---------------------------------------------------------------------------------
enum ww_status gpu_malloc(struct gpu *g, uint64_t bytes, const char *name, struct diags *d,
                          uint64_t *addr) {
    if (!bytes) return diag_add(d, WW_ERROR_USAGE, "an allocation of 0 bytes was asked for");
    // Any of a program's memory may be bound to a texture.
    *addr = devmem_alloc(g->memory, bytes, g->limits.tex_alignment, name);
    if (!*addr)
        return diag_add(
            d, WW_ERROR_DEVICE_MEMORY, "%s has no room for %llu byte%s: %llu of %llu are free",
            g->config.name, (unsigned long long)bytes, text_plural(bytes),
            (unsigned long long)devmem_free_bytes(g->memory), (unsigned long long)g->memory_bytes);
    devmem_own(g->memory, *addr);
    if (g->options.poison) {
        uint8_t *host = devmem_host(g->memory, *addr, bytes);
        if (host) memset(host, g->options.poison, bytes);
    }
    return WW_OK;
}

enum ww_status gpu_malloc_pitch(struct gpu *g, uint64_t width_bytes, uint64_t height,
                                uint32_t element_bytes, struct diags *d, uint64_t *addr,
                                uint64_t *pitch) {
    if (!width_bytes || !height)
        return diag_add(d, WW_ERROR_USAGE, "an allocation of 0 bytes was asked for");
    (void)element_bytes; // 4, 8 and 16 all fit the texture alignment
    *pitch = bits_align_up(width_bytes, g->limits.tex_alignment);
    if (*pitch > g->limits.max_pitch || height > UINT64_MAX / *pitch)
        return diag_add(d, WW_ERROR_USAGE,
                        "rows of %llu bytes are wider than a pitch may be (%llu)",
                        (unsigned long long)width_bytes, (unsigned long long)g->limits.max_pitch);
    return gpu_malloc(g, *pitch * height, NULL, d, addr);
}

enum ww_status gpu_free(struct gpu *g, uint64_t addr, struct diags *d) {
    if (!addr) return WW_OK;
    if (g->queued) {
        const enum ww_status s = gpu_synchronize(g, d);
        if (s != WW_OK) return s;
    }
    if (devmem_free(g->memory, addr)) return WW_OK;
    struct devmem_range near;
    if (!devmem_nearest(g->memory, addr, &near))
        return diag_add(d, WW_ERROR_USAGE, "free of 0x%llx: nothing was ever allocated",
                        (unsigned long long)addr);
    char text[256];
    return diag_add(d, WW_ERROR_USAGE,
                    "free of 0x%llx, which is not the start of a live allocation; nearest is %s",
                    (unsigned long long)addr, devmem_range_text(&near, text, sizeof text));
}

void gpu_memory_info(const struct gpu *g, uint64_t *free_bytes, uint64_t *total_bytes) {
    *free_bytes = devmem_free_bytes(g->memory);
    *total_bytes = g->memory_bytes;
}

enum ww_status device_check_range(struct gpu *g, uint64_t addr, uint64_t bytes, const char *what,
                                  const char *where, struct diags *d, uint8_t **host) {
    *host = bytes ? devmem_host(g->memory, addr, bytes) : NULL;
    if (*host || !bytes) return WW_OK;
    struct devmem_range near;
    char text[256];
    if (!devmem_nearest(g->memory, addr, &near))
        return diag_add(d, WW_ERROR_USAGE, "%s of %llu byte%s %s 0x%llx: nothing is allocated",
                        what, (unsigned long long)bytes, text_plural(bytes), where,
                        (unsigned long long)addr);
    return diag_add(d, WW_ERROR_USAGE,
                    "%s of %llu byte%s %s 0x%llx leaves what is allocated; nearest is %s", what,
                    (unsigned long long)bytes, text_plural(bytes), where, (unsigned long long)addr,
                    devmem_range_text(&near, text, sizeof text));
}

enum ww_status device_check_write(struct gpu *g, uint64_t addr, uint64_t bytes, const char *what,
                                  const char *where, struct diags *d, uint8_t **host) {
    const enum ww_status s = device_check_range(g, addr, bytes, what, where, d, host);
    if (s != WW_OK || devmem_may_write(g->memory, addr, bytes)) return s;
    return diag_add(d, WW_ERROR_USAGE, "%s of %llu byte%s %s 0x%llx, which is mapped for reading alone",
                    what, (unsigned long long)bytes, text_plural(bytes), where,
                    (unsigned long long)addr);
}

enum ww_status gpu_write(struct gpu *g, uint64_t dst, const void *src, uint64_t bytes,
                         struct diags *d) {
    uint8_t *host;
    const enum ww_status s = device_check_write(g, dst, bytes, "a write", "at", d, &host);
    if (s != WW_OK || !bytes) return s;
    memcpy(host, src, bytes);
    devmem_mark_written(g->memory, dst, bytes);
    return WW_OK;
}

enum ww_status gpu_read(struct gpu *g, void *dst, uint64_t src, uint64_t bytes, struct diags *d) {
    uint8_t *host;
    const enum ww_status s = device_check_range(g, src, bytes, "a read", "at", d, &host);
    if (s != WW_OK || !bytes) return s;
    memcpy(dst, host, bytes);
    return WW_OK;
}

// ---- totals ---------------------------------------------------------------------------------
void gpu_totals(const struct gpu *g, struct gpu_totals *out) {
    *out = g->totals;
    out->cycles = g->now;
    out->seconds = gpu_now_s(g);
    out->estimate_half_cycles = sample_half_cycles(g);
    out->sampling_error = g->options.functional ? 0 : g->options.sample_error;
    out->kernel_seconds = (double)out->kernel_cycles / (g->config.clocks.core_mhz * 1e6);
}
