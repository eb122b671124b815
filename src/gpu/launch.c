// Launches: what is refused, with a sentence, before anything is queued.
#include "gpu/device.h"
#include "gpu/module.h"
#include "isa/image.h"

static enum ww_status refuse(const struct gpu_kernel *k, struct diags *d, const char *fmt, ...)
    WW_PRINTF(3, 4);
static enum ww_status refuse(const struct gpu_kernel *k, struct diags *d, const char *fmt, ...) {
    char text[512];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    return diag_add(d, WW_ERROR_LAUNCH, "launch of %s: %s", k->name, text);
}

static enum ww_status check_shape(struct gpu *g, const struct gpu_kernel *k,
                                  const struct gpu_launch *l, struct diags *d) {
    static const char axis[] = "xyz";
    const struct gpu_limits *m = &g->limits;
    for (int i = 0; i < 3; i++) {
        if (!l->grid[i] || !l->block[i])
            return refuse(k, d, "the %s is 0 in %c", l->grid[i] ? "block" : "grid", axis[i]);
        if (l->grid[i] > m->grid[i])
            return refuse(
                k, d, "the grid is %u in %c; %s (compute capability %u.%u) takes %u%s%s",
                l->grid[i], axis[i], g->config.name, g->config.cc_major, g->config.cc_minor,
                m->grid[i],
                gpu_with(g, offsetof(struct gpu_limits, grid) + 4 * (size_t)i, l->grid[i]),
                i == 0 && l->grid[0] <= INT32_MAX ? "; --told grid=N allows it" : "");
        if (l->block[i] > m->block[i])
            return refuse(k, d, "the block is %u in %c; %s (compute capability %u.%u) takes %u",
                          l->block[i], axis[i], g->config.name, g->config.cc_major,
                          g->config.cc_minor, m->block[i]);
    }
    const uint64_t threads = (uint64_t)l->block[0] * l->block[1] * l->block[2];
    if (threads > m->threads_per_block)
        return refuse(k, d, "a block of %llu threads; %s takes %u%s", (unsigned long long)threads,
                      g->config.name, m->threads_per_block,
                      gpu_with(g, offsetof(struct gpu_limits, threads_per_block), threads));
    const uint32_t *need = k->required_threads, *most = k->max_threads;
    for (int i = 0; i < 3 && need[0]; i++)
        if (l->block[i] != (need[i] ? need[i] : 1))
            return refuse(k, d, "the block is %u in %c, but .reqntid says %u", l->block[i], axis[i],
                          need[i] ? need[i] : 1);
    if (most[0]) {
        const uint64_t all = (uint64_t)most[0] * (most[1] ? most[1] : 1) * (most[2] ? most[2] : 1);
        if (threads > all)
            return refuse(k, d, "a block of %llu threads, but .maxntid says %llu",
                          (unsigned long long)threads, (unsigned long long)all);
    }
    return WW_OK;
}

enum ww_status gpu_kernel_fits(struct gpu_kernel *k, struct diags *d) {
    struct gpu *g = k->module->gpu;
    const struct gpu_limits *m = &g->limits;
    const struct code_image *im = NULL;
    const enum ww_status s = gpu_kernel_outline(k, d, &im);
    if (s != WW_OK) return s;
    const uint32_t declared = im->shared_bytes - im->shared_system;
    if (declared > m->shared_per_block) {
        char dynamic[96] = "";
        if (declared <= m->shared_optin)
            snprintf(dynamic, sizeof dynamic, "; as dynamic shared memory a block may have %u",
                     m->shared_optin);
        return refuse(
            k, d, "it declares %u bytes of shared memory; on %s a kernel declares at most %u%s%s",
            declared, g->config.name, m->shared_per_block, dynamic,
            gpu_with(g, offsetof(struct gpu_limits, shared_per_block), declared));
    }
    if (im->local_bytes > m->local_per_thread)
        return refuse(k, d, "a thread needs %u bytes of local memory; %s has %llu", im->local_bytes,
                      g->config.name, (unsigned long long)m->local_per_thread);
    const uint32_t room = k->module->param_room ? k->module->param_room : m->param_bytes;
    if (im->param_bytes > room)
        return refuse(k, d, "its parameters take %u bytes; %s on %s takes %u", im->param_bytes,
                      k->module->made_from, g->config.name, room);
    return WW_OK;
}

enum ww_status gpu_kernel_takes_shared(struct gpu_kernel *k, uint32_t dynamic, struct diags *d) {
    struct gpu *g = k->module->gpu;
    const struct code_image *im = NULL;
    const enum ww_status s = gpu_kernel_outline(k, d, &im);
    if (s != WW_OK) return s;
    const uint64_t shared =
        (dynamic ? (uint64_t)im->shared_dynamic + dynamic : im->shared_bytes) - im->shared_system;
    if (shared <= g->limits.shared_optin) return WW_OK;
    return refuse(k, d, "a block needs %llu bytes of shared memory; %s has %u%s",
                  (unsigned long long)shared, g->config.name, g->limits.shared_optin,
                  gpu_with(g, offsetof(struct gpu_limits, shared_optin), shared));
}

static enum ww_status check_room(struct gpu *g, struct gpu_kernel *k, const struct gpu_launch *l,
                                 const struct code_image *im, struct diags *d,
                                 struct sm_occupancy *occupancy) {
    const uint32_t threads = l->block[0] * l->block[1] * l->block[2];
    const uint64_t shared =
        l->dynamic_shared ? (uint64_t)im->shared_dynamic + l->dynamic_shared : im->shared_bytes;
    enum ww_status fits = gpu_kernel_fits(k, d);
    if (fits == WW_OK) fits = gpu_kernel_takes_shared(k, l->dynamic_shared, d);
    if (fits != WW_OK) return fits;
    if (l->param_bytes != im->param_bytes)
        return refuse(k, d, "%u bytes of parameters were given; it takes %u", l->param_bytes,
                      im->param_bytes);
    *occupancy = sm_kernel_occupancy(&g->config.sm, im, threads, (uint32_t)shared);
    if (!occupancy->ctas)
        return refuse(k, d, "a block of %u threads with %u registers each does not fit an SM (%s)",
                      threads, image_registers(im), occupancy->limit);
    const uint64_t ctas = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
    if (l->cooperative && ctas > (uint64_t)occupancy->ctas * g->config.sm_count)
        return refuse(k, d, "a cooperative grid of %llu blocks; %u fit the GPU at once",
                      (unsigned long long)ctas, occupancy->ctas * g->config.sm_count);
    return WW_OK;
}

// A run takes its counters along from one launch to the next: they are most of it.
struct flight *flight_create(struct gpu *g, struct order *o) {
    struct flight *r = g->spare_flights;
    if (r) {
        g->spare_flights = r->next_spare;
        struct activity *at_start = r->at_start, *spans = r->spans;
        uint64_t *at_number = r->at_number;
        bool *is_idle_span = r->is_idle_span;
        memset(r, 0, sizeof *r);
        r->at_start = at_start;
        r->at_number = at_number;
        r->is_idle_span = is_idle_span;
        r->spans = spans;
    } else {
        r = device_alloc(g, sizeof *r);
        if (!r) return NULL;
    }
    arena_init(&r->arena, &g->allocator);
    r->order = o;
    r->kernel = o->kernel;
    r->launch = o->launch;
    r->slot = UINT32_MAX;
    r->n_ctas = (uint64_t)o->launch.grid[0] * o->launch.grid[1] * o->launch.grid[2];
    struct gpu_result *result = &r->result;
    result->id = o->id;
    result->kernel = o->kernel->name;
    result->module = o->kernel->module->name;
    memcpy(result->grid, o->launch.grid, sizeof result->grid);
    memcpy(result->block, o->launch.block, sizeof result->block);
    result->dynamic_shared = o->launch.dynamic_shared;
    result->image = o->image;
    result->ctas = r->n_ctas;
    result->occupancy = o->occupancy;
    result->functional = o->functional;
    return r;
}

void flight_free(struct gpu *g, struct flight *r) {
    if (!r) return;
    if (r->timed) sm_kernel_destroy(r->timed);
    if (r->exec) g->source->launch_destroy(r->exec);
    if (r->workspace) devmem_free(g->memory, r->workspace);
    if (g->rehearsing == r) g->rehearsing = NULL;
    devmem_copy_free(r->before_it);
    order_free(g, r->order);
    device_free(g, r->inst);
    device_free(g, r->inst_memory);
    arena_free(&r->arena);
    r->next_spare = g->spare_flights;
    g->spare_flights = r;
}

void flight_free_spares(struct gpu *g) {
    for (struct flight *r = g->spare_flights, *next; r; r = next) {
        next = r->next_spare;
        device_free(g, r->at_start);
        device_free(g, r->at_number);
        device_free(g, r->is_idle_span);
        device_free(g, r->spans);
        device_free(g, r);
    }
    g->spare_flights = NULL;
}

enum ww_status gpu_launch(struct gpu *g, struct gpu_stream *stream, struct gpu_kernel *k,
                          const struct gpu_launch *l, struct diags *d, uint64_t *id) {
    const struct code_image *im = NULL;
    struct sm_occupancy occupancy;
    enum ww_status s = device_usable(g, d);
    if (s == WW_OK) s = check_shape(g, k, l, d);
    if (s == WW_OK) s = gpu_kernel_image(k, d, &im);
    if (s == WW_OK) s = check_room(g, k, l, im, d, &occupancy);
    uint32_t cluster[3] = {0};
    if (s == WW_OK) s = gpu_launch_clusters(k, l, d, cluster);
    if (s != WW_OK) return s;
    struct order *o = device_alloc(g, sizeof *o + im->param_bytes);
    if (!o) return diag_add(d, WW_ERROR_MEMORY, "out of memory for a launch of %s", k->name);
    if (im->param_bytes) memcpy(o->params, l->params, im->param_bytes);
    o->kernel = k;
    o->image = im;
    o->launch = *l;
    o->launch.params = o->params;
    memcpy(o->launch.cluster, cluster, sizeof cluster);
    o->id = g->next_launch;
    o->occupancy = occupancy;
    o->functional =
        g->options.functional ||
        (g->options.time_launch && !g->options.time_launch(g->options.user, o->id, k->name));
    const struct work w = {.kind = WORK_KERNEL, .order = o};
    s = stream_push(g, stream_of(g, stream), &w, d);
    if (s != WW_OK) {
        device_free(g, o);
        return s;
    }
    if (l->event) {
        o->event_number = ++l->event->recorded;
        l->event->users++;
    }
    if (id) *id = g->next_launch;
    g->next_launch++;
    return WW_OK;
}
