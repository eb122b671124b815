// Streams and events in simulated time. Every call appends work with a number (its place in the
// order of all calls); nothing runs until somebody asks (stream_drive). Then the heads of the
// queues start as soon as three rules let them: a stream's work runs in order; work of the default
// stream waits for all earlier work of blocking streams and they for earlier work of it; a kernel
// needs a slot, a host copy an engine. A kernel launched with programmatic stream serialisation
// starts earlier: when all blocks of the kernel before it have executed
// griddepcontrol.launch_dependents or ended. Its launch is prepared while that kernel runs, so that
// the launch latency counts from that kernel's start; its warps wait in griddepcontrol.wait until
// all before it in its stream is complete and its stores are in memory (CUDA C++ Programming Guide
// 12.3, programmatic dependent launch; PTX ISA 8.5, griddepcontrol). Time advances by whole quanta while kernels run and jumps to
// the next end of a copy or start of a kernel otherwise.
//
// Copies over the host link take a latency and their bytes at the link's rate; copies and fills
// within device memory take their bytes, read and written, at the rate of DRAM's buses. Neither
// contends with kernels for memory.
#include "gpu/device.h"
#include "gpu/sample.h"

// Device-to-device copies reach about four fifths of the buses' rate (Mei & Chu 2017: copies
// achieve 75 to 81 %).
#define DEVICE_COPY_EFFICIENCY 0.8

// ---- streams --------------------------------------------------------------------------------
enum ww_status gpu_stream_create(struct gpu *g, bool non_blocking, int priority, struct diags *d,
                                 struct gpu_stream **out) {
    struct gpu_stream *s = device_alloc(g, sizeof *s);
    if (!s) return diag_add(d, WW_ERROR_MEMORY, "out of memory for a stream");
    s->gpu = g;
    s->non_blocking = non_blocking;
    s->priority = priority;
    s->number = g->streams_made++;
    struct gpu_stream **p = &g->streams;
    while (*p) p = &(*p)->next;
    *p = s;
    *out = s;
    return WW_OK;
}

struct gpu_stream *stream_of(struct gpu *g, struct gpu_stream *s) {
    return s ? s : g->streams;
}

static void event_release(struct gpu *g, struct gpu_event *e) {
    if (--e->users == 0) device_free(g, e);
}

static void record_now(const struct gpu *g, struct gpu_event *e, uint64_t number, uint64_t teller) {
    if (number <= e->done) return;
    e->done = number;
    e->cycle = g->now;
    e->launches = g->totals.launches;
    e->untimed = g->untimed;
    e->teller = teller;
}

void order_tell(struct gpu *g, struct order *o, bool has_ended) {
    struct gpu_event *const e = o->launch.event;
    if (!e) return;
    record_now(g, e, o->event_number, has_ended ? 0 : o->id);
    o->launch.event = NULL;
    event_release(g, e);
}
void order_free(struct gpu *g, struct order *o) {
    if (o) order_tell(g, o, true); // of one that never ran too, so that nobody waits for it
    device_free(g, o);
}

static void work_free(struct gpu *g, struct work *w) {
    if (w->kind == WORK_KERNEL) {
        flight_free(g, w->run);
        order_free(g, w->order);
    }
    if (w->kind == WORK_COPY) device_free(g, w->copy.staged);
    if (w->kind == WORK_RECORD || w->kind == WORK_WAIT) event_release(g, w->event.event);
    device_free(g, w);
}

enum ww_status stream_push(struct gpu *g, struct gpu_stream *s, const struct work *w,
                           struct diags *d) {
    struct work *copy = device_alloc(g, sizeof *copy);
    if (!copy) return diag_add(d, WW_ERROR_MEMORY, "out of memory for queued work");
    *copy = *w;
    copy->next = NULL;
    copy->running = false;
    copy->seq = g->next_seq++;
    const bool is_work = w->kind == WORK_KERNEL || w->kind == WORK_COPY || w->kind == WORK_FILL;
    if (g->options.tag && is_work) copy->tag = g->options.tag(g->options.user);
    if (s->tail)
        s->tail->next = copy;
    else
        s->head = copy;
    s->tail = copy;
    g->queued++;
    return WW_OK;
}

static void pop_head(struct gpu *g, struct gpu_stream *s) {
    struct work *w = s->head;
    s->head = w->next;
    if (!s->head) s->tail = NULL;
    g->queued--;
    work_free(g, w);
}

void stream_drop_all(struct gpu *g) {
    for (struct gpu_stream *s = g->streams; s; s = s->next) {
        while (s->head) {
            // Records that never run count as done, so that nobody waits for them.
            struct work *w = s->head;
            if (w->kind == WORK_RECORD) record_now(g, w->event.event, w->event.number, 0);
            if (w->kind == WORK_KERNEL && w->running) w->run = NULL; // flight_abort_all has it
            pop_head(g, s);
        }
    }
}

void gpu_stream_destroy(struct gpu *g, struct gpu_stream *s) {
    if (!s || s->is_default) return;
    struct diags d;
    diags_init(&d);
    gpu_stream_synchronize(g, s, &d);
    diags_free(&d);
    while (s->head) pop_head(g, s); // what a fault left
    for (struct gpu_stream **p = &g->streams; *p; p = &(*p)->next) {
        if (*p != s) continue;
        *p = s->next;
        break;
    }
    device_free(g, s);
}

// ---- copies ---------------------------------------------------------------------------------
struct extent {
    uint64_t width, height, depth, src_pitch, src_slice, dst_pitch, dst_slice;
};

static struct extent extent_of(const struct gpu_copy *c) {
    struct extent e = {c->width,
                       c->height ? c->height : 1,
                       c->depth ? c->depth : 1,
                       c->src_pitch,
                       c->src_slice,
                       c->dst_pitch,
                       c->dst_slice};
    if (!e.src_pitch) e.src_pitch = e.width;
    if (!e.dst_pitch) e.dst_pitch = e.width;
    if (!e.src_slice) e.src_slice = e.src_pitch * e.height;
    if (!e.dst_slice) e.dst_slice = e.dst_pitch * e.height;
    return e;
}

static uint64_t span(const struct extent *e, uint64_t pitch, uint64_t slice) {
    return (e->depth - 1) * slice + (e->height - 1) * pitch + e->width;
}

static enum ww_status check_copy(struct gpu *g, const struct gpu_copy *c, struct diags *d) {
    const struct extent e = extent_of(c);
    uint8_t *host;
    if ((c->src_host != NULL) == (c->src != 0) || (c->dst_host != NULL) == (c->dst != 0))
        return diag_add(d, WW_ERROR_USAGE, "a copy has one source and one destination");
    if (e.src_pitch < e.width || e.dst_pitch < e.width)
        return diag_add(d, WW_ERROR_USAGE, "a copy's pitch is smaller than its width of %llu bytes",
                        (unsigned long long)e.width);
    enum ww_status s = WW_OK;
    if (c->src)
        s = device_check_range(g, c->src, span(&e, e.src_pitch, e.src_slice), "a copy", "from", d,
                               &host);
    if (s == WW_OK && c->dst)
        s = device_check_write(g, c->dst, span(&e, e.dst_pitch, e.dst_slice), "a copy", "to", d,
                               &host);
    return s;
}

static void move_rows(uint8_t *to, const uint8_t *from, const struct extent *e) {
    for (uint64_t z = 0; z < e->depth; z++)
        for (uint64_t y = 0; y < e->height; y++)
            memmove(to + z * e->dst_slice + y * e->dst_pitch,
                    from + z * e->src_slice + y * e->src_pitch, e->width);
}

// Ranges were checked at the call, but what they name may have been freed since.
static void do_copy(struct gpu *g, const struct work *w) {
    const struct gpu_copy *c = &w->copy.c;
    struct extent e = extent_of(c);
    const uint8_t *from = w->copy.staged ? w->copy.staged : c->src_host;
    uint8_t *to = c->dst_host;
    if (!from) from = devmem_host(g->memory, c->src, span(&e, e.src_pitch, e.src_slice));
    if (!to) to = devmem_host(g->memory, c->dst, span(&e, e.dst_pitch, e.dst_slice));
    if (!from || !to) {
        device_fault(g, WW_ERROR_USAGE, "a queued copy met memory that was freed before it ran");
        return;
    }
    if (w->copy.staged) { // packed
        e.src_pitch = e.width;
        e.src_slice = e.width * e.height;
    }
    move_rows(to, from, &e);
    if (c->dst)
        for (uint64_t z = 0; z < e.depth; z++)
            for (uint64_t y = 0; y < e.height; y++)
                devmem_mark_written(g->memory, c->dst + z * e.dst_slice + y * e.dst_pitch, e.width);
}

static enum ww_status push_copy(struct gpu *g, struct gpu_stream *s, const struct gpu_copy *c,
                                bool in_place, struct diags *d) {
    enum ww_status status = device_usable(g, d);
    if (status == WW_OK && c->width) status = check_copy(g, c, d);
    if (status != WW_OK || !c->width) return status;
    struct work w = {.kind = WORK_COPY};
    w.copy.c = *c;
    w.copy.to_device = c->src_host != NULL && c->dst != 0;
    w.copy.to_host = c->dst_host != NULL && c->src != 0;
    if (c->src_host && !in_place) {
        struct extent e = extent_of(c);
        w.copy.staged = device_alloc(g, e.width * e.height * e.depth);
        if (!w.copy.staged)
            return diag_add(d, WW_ERROR_MEMORY, "out of memory for a copy of %llu byte%s",
                            (unsigned long long)(e.width * e.height * e.depth),
                            text_plural(e.width * e.height * e.depth));
        e.dst_pitch = e.width;
        e.dst_slice = e.width * e.height;
        move_rows(w.copy.staged, c->src_host, &e);
    }
    status = stream_push(g, stream_of(g, s), &w, d);
    if (status != WW_OK) device_free(g, w.copy.staged);
    return status;
}

enum ww_status gpu_copy_async(struct gpu *g, struct gpu_stream *s, const struct gpu_copy *c,
                              struct diags *d) {
    return push_copy(g, s, c, c->src_pinned, d);
}

enum ww_status gpu_copy(struct gpu *g, struct gpu_stream *s, const struct gpu_copy *c,
                        struct diags *d) {
    const enum ww_status status = push_copy(g, s, c, true, d);
    if (status != WW_OK) return status;
    return stream_drive(g, stream_of(g, s), g->next_seq - 1, UINT64_MAX, d);
}

enum ww_status gpu_fill_async(struct gpu *g, struct gpu_stream *s, uint64_t dst, uint64_t pitch,
                              uint32_t value, uint32_t element_bytes, uint64_t width,
                              uint64_t height, struct diags *d) {
    enum ww_status status = device_usable(g, d);
    if (status != WW_OK || !width || !height) return status;
    if (element_bytes != 1 && element_bytes != 2 && element_bytes != 4)
        return diag_add(d, WW_ERROR_USAGE, "a fill has elements of 1, 2 or 4 bytes, not %u",
                        element_bytes);
    if (!pitch) pitch = width * element_bytes;
    if (dst % element_bytes || pitch % element_bytes || pitch < width * element_bytes)
        return diag_add(d, WW_ERROR_USAGE,
                        "a fill at 0x%llx does not keep elements of %u bytes aligned",
                        (unsigned long long)dst, element_bytes);
    uint8_t *host;
    status = device_check_write(g, dst, (height - 1) * pitch + width * element_bytes, "a fill",
                                "at", d, &host);
    if (status != WW_OK) return status;
    struct work w = {.kind = WORK_FILL};
    w.fill.dst = dst;
    w.fill.pitch = pitch;
    w.fill.width = width;
    w.fill.height = height;
    w.fill.value = value;
    w.fill.element = element_bytes;
    return stream_push(g, stream_of(g, s), &w, d);
}

static void do_fill(struct gpu *g, const struct work *w) {
    for (uint64_t y = 0; y < w->fill.height; y++) {
        const uint64_t row = w->fill.dst + y * w->fill.pitch;
        const uint64_t bytes = w->fill.width * w->fill.element;
        uint8_t *p = devmem_host(g->memory, row, bytes);
        if (!p) {
            device_fault(g, WW_ERROR_USAGE,
                         "a queued fill met memory that was freed before it ran");
            return;
        }
        if (w->fill.element == 1)
            memset(p, (int)(w->fill.value & 0xff), bytes);
        else
            for (uint64_t x = 0; x < bytes; x += w->fill.element)
                memcpy(p + x, &w->fill.value, w->fill.element);
        devmem_mark_written(g->memory, row, bytes);
    }
}

enum ww_status gpu_host_call(struct gpu *g, struct gpu_stream *s, void (*fn)(void *user),
                             void *user, struct diags *d) {
    const enum ww_status status = device_usable(g, d);
    if (status != WW_OK) return status;
    struct work w = {.kind = WORK_CALL};
    w.call.fn = fn;
    w.call.user = user;
    return stream_push(g, stream_of(g, s), &w, d);
}

// ---- events ---------------------------------------------------------------------------------
enum ww_status gpu_event_create(struct gpu *g, struct diags *d, struct gpu_event **out) {
    struct gpu_event *e = device_alloc(g, sizeof *e);
    if (!e) return diag_add(d, WW_ERROR_MEMORY, "out of memory for an event");
    e->users = 1;
    *out = e;
    return WW_OK;
}

void gpu_event_destroy(struct gpu *g, struct gpu_event *e) {
    if (e) event_release(g, e);
}

enum ww_status gpu_event_record(struct gpu *g, struct gpu_event *e, struct gpu_stream *s,
                                struct diags *d) {
    enum ww_status status = device_usable(g, d);
    if (status != WW_OK) return status;
    struct work w = {.kind = WORK_RECORD};
    w.event.event = e;
    w.event.number = e->recorded + 1;
    status = stream_push(g, stream_of(g, s), &w, d);
    if (status != WW_OK) return status;
    e->recorded++;
    e->users++;
    return WW_OK;
}

enum ww_status gpu_stream_wait(struct gpu *g, struct gpu_stream *s, struct gpu_event *e,
                               struct diags *d) {
    enum ww_status status = device_usable(g, d);
    if (status != WW_OK || e->done == e->recorded) return status;
    struct work w = {.kind = WORK_WAIT};
    w.event.event = e;
    w.event.number = e->recorded;
    status = stream_push(g, stream_of(g, s), &w, d);
    if (status == WW_OK) e->users++;
    return status;
}

// ---- what may start -------------------------------------------------------------------------
// The default stream and blocking ones keep the order of the calls between them.
static bool order_allows(const struct gpu *g, const struct gpu_stream *s, const struct work *w) {
    if (s->non_blocking) return true;
    for (const struct gpu_stream *o = g->streams; o; o = o->next) {
        if (o == s || o->non_blocking || !o->head) continue;
        if ((s->is_default || o->is_default) && o->head->seq < w->seq) return false;
    }
    return true;
}

static uint64_t cycles_of(const struct gpu *g, double seconds) {
    return (uint64_t)(seconds * g->config.clocks.core_mhz * 1e6 + 0.5);
}

// Cycle at which a copy or fill is done, and the engine it takes (-1: none).
static uint64_t copy_cycles(const struct gpu *g, const struct work *w, int *engine) {
    uint64_t bytes;
    *engine = -1;
    if (w->kind == WORK_FILL) {
        bytes = w->fill.width * w->fill.element * w->fill.height;
    } else {
        const struct extent e = extent_of(&w->copy.c);
        bytes = e.width * e.height * e.depth;
        if (w->copy.to_device || w->copy.to_host) {
            *engine = w->copy.to_host && g->config.copy_engines > 1 ? 1 : 0;
            return cycles_of(g, g->config.pcie_latency_us * 1e-6 +
                                    (double)bytes / (g->config.pcie_gbps * 1e9));
        }
        bytes *= 2; // read and written
    }
    const double rate = mem_config_peak_bandwidth(&g->config.mem) * DEVICE_COPY_EFFICIENCY;
    return cycles_of(g, (double)bytes / rate);
}

// The work's run, made of its order.
static struct flight *take_order(struct gpu *g, const struct gpu_stream *s, struct work *w) {
    struct flight *r = flight_create(g, w->order);
    if (r) {
        w->order = NULL;
        r->stream = s->number;
        r->result.tag = w->tag;
        r->result.stream = s->number;
    } else
        device_fault(g, WW_ERROR_MEMORY, "out of memory for a launch");
    return r;
}

// Whether work beside `w` is under way.
static bool anything_else(const struct gpu *g, const struct work *w) {
    for (const struct gpu_stream *s = g->streams; s; s = s->next)
        if (s->head && s->head != w && s->head->running) return true;
    return false;
}

// A launch whose time is estimated from its like: it has the GPU to itself.
static bool start_estimated(struct gpu *g, struct gpu_stream *stream, struct work *w) {
    struct flight *const r = take_order(g, stream, w);
    if (!r) return true; // with the fault noted
    r->is_estimated = true;
    g->estimated_until = g->now;
    run_functional(g, r);
    w->running = w->is_estimated = true;
    w->end = g->estimated_until;
    return true;
}

bool stream_kernel_waits(const struct gpu *g) {
    if (g->n_running >= g->config.concurrent_kernels) return false;
    for (const struct gpu_stream *s = g->streams; s; s = s->next)
        if (s->head && s->head->kind == WORK_KERNEL && !s->head->running && order_allows(g, s, s->head))
            return true;
    return false;
}

// Whether a kernel that is on lets no other beside it: what is sampled is sampled alone.
static bool wants_to_be_alone(const struct gpu *g) {
    bool alone = g->estimated_until > g->now;
    for (uint32_t i = 0; i < SM_KERNEL_SLOTS; i++) {
        const struct flight *const r = g->slots[i];
        alone |= r && r->started && sample_has_gaps(r);
    }
    return alone;
}

// The run of a launch that is on, or NULL.
static struct flight *flight_of(const struct gpu *g, uint64_t id) {
    for (uint32_t i = 0; id != 0 && i < SM_KERNEL_SLOTS; i++)
        if (g->slots[i] && g->slots[i]->result.id == id) return g->slots[i];
    return NULL;
}

// `before`: the run beside which it starts as its dependent, or NULL.
static bool start_kernel(struct gpu *g, struct gpu_stream *stream, struct work *w,
                         struct flight *before) {
    if (g->n_running >= g->config.concurrent_kernels || wants_to_be_alone(g)) return false;
    if (!w->is_asked) {
        w->is_timed = sample_times(g, w->order);
        w->running = true; // not one of those that wait
        w->is_timed |= g->n_running != 0 || stream_kernel_waits(g); // it may run beside another
        w->running = false;
    }
    w->is_asked = true;
    if (!w->is_timed) return start_estimated(g, stream, w);
    w->run = take_order(g, stream, w);
    if (!w->run) return true; // with the fault noted
    uint32_t slot = 0;
    while (g->slots[slot]) slot++;
    w->run->ready_from = w->ready_from;
    const enum ww_status s = flight_begin(g, w->run, slot);
    w->running = true;
    w->waits_for = before && before->stream != stream->number ? before->result.id : 0;
    stream->early_of = 0;
    if (s == WW_OK) w->next_from = w->run->starts_at + g->config.launch_latency_cycles;
    if (s != WW_OK) return true; // flight_begin has noted the fault
    if (g->options.functional) return true;
    w->run->is_awaited = w->run->order->launch.event && !w->run->order->launch.event_at_start;
    if (before) {
        before->has_dependent = true;
        for (uint32_t i = 0; i < g->config.sm_count; i++) sm_grid_is_early(g->sm[i], slot);
    }
    if (g->config.warm_launches && !anything_else(g, w)) flight_rehearse(g, w->run);
    g->slots[slot] = w->run;
    g->n_running++;
    return true;
}

// Starts the next kernel of `s` beside those of it that run, if all blocks of the last of them have
// let it. Answers whether anything changed.
static bool try_start_dependent(struct gpu *g, struct gpu_stream *s) {
    struct work *last = s->head;
    if (g->rehearsing || g->front_end_group) return false; // a shared front end has one kernel
    while (last->next && last->next->running) last = last->next;
    struct work *const w = last->next;
    if (!w || w->kind != WORK_KERNEL || !w->order->launch.programmatic || w->order->functional)
        return false;
    if (last->kind != WORK_KERNEL || last->is_estimated || !last->run) return false;
    if (!last->run->has_launched) {
        last->run->is_awaited = true;
        return false;
    }
    w->ready_from = last->next_from;
    return order_allows(g, s, w) && start_kernel(g, s, w, last->run);
}

// The kernel at the head has ended.
static void pop_kernel(struct gpu *g, struct gpu_stream *s) {
    struct work *const next = s->head->next;
    if (next && next->kind == WORK_KERNEL && !next->running && next->order->launch.programmatic)
        next->ready_from = s->head->next_from;
    pop_head(g, s);
}

// The head of a stream waits for nothing of it any more.
static void open_grid(struct gpu *g, const struct work *w) {
    if (!w || w->kind != WORK_KERNEL || !w->running || !w->run) return;
    for (uint32_t i = 0; i < g->config.sm_count; i++) {
        sm_grid_open(g->sm[i], w->run->slot, g->now);
        g->side[i].next = 0;
    }
}

// Starts the head of `s`, or what depends on it, if it may. Answers whether anything changed.
static bool try_start(struct gpu *g, struct gpu_stream *s) {
    struct work *w = s->head;
    if (w && w->running) return try_start_dependent(g, s);
    if (!w || g->rehearsing || !order_allows(g, s, w)) return false;
    switch (w->kind) {
    case WORK_KERNEL:
        if (w->order->functional) {
            struct flight *r = take_order(g, s, w);
            if (!r) return true; // with the fault noted
            pop_head(g, s);
            run_functional(g, r);
            return true;
        }
        return start_kernel(g, s, w, flight_of(g, s->early_of));
    case WORK_COPY:
    case WORK_FILL: {
        int engine;
        const uint64_t cycles = copy_cycles(g, w, &engine);
        if (engine >= 0) {
            if (g->copy_free[engine] > g->now) return false;
            g->copy_free[engine] = g->now + cycles;
        }
        w->end = g->now + cycles;
        w->running = true;
        return true;
    }
    case WORK_RECORD:
        record_now(g, w->event.event, w->event.number, 0);
        pop_head(g, s);
        return true;
    case WORK_WAIT:
        if (w->event.event->done < w->event.number) return false;
        if (w->event.event->teller) { // of two such launches it waits for the first one's end
            if (s->early_of != w->event.event->teller && flight_of(g, s->early_of)) return false;
            s->early_of = w->event.event->teller;
        }
        pop_head(g, s);
        return true;
    case WORK_CALL: {
        void (*fn)(void *) = w->call.fn;
        void *user = w->call.user;
        pop_head(g, s);
        fn(user);
        return true;
    }
    }
    return false;
}

static void finish_copies(struct gpu *g) {
    for (struct gpu_stream *s = g->streams; s; s = s->next) {
        struct work *w = s->head;
        if (!w || !w->running || w->kind == WORK_KERNEL || w->end > g->now) continue;
        int engine;
        const uint64_t cycles = copy_cycles(g, w, &engine);
        g->totals.copies++;
        g->totals.copy_seconds += (double)cycles / (g->config.clocks.core_mhz * 1e6);
        if (w->kind == WORK_COPY) {
            const struct extent e = extent_of(&w->copy.c);
            const uint64_t bytes = e.width * e.height * e.depth;
            const char *const name = w->copy.to_device ? "copy to the device"
                                     : w->copy.to_host ? "copy to the host"
                                                       : "copy on the device";
            g->totals.copied_bytes += bytes;
            timeline_copy(g, s->number, name, w, cycles, bytes);
            do_copy(g, w);
        } else {
            timeline_copy(g, s->number, "fill", w, cycles,
                          w->fill.width * w->fill.element * w->fill.height);
            do_fill(g, w);
        }
        pop_head(g, s);
    }
}

static void finish_kernels(struct gpu *g) {
    for (struct gpu_stream *s = g->streams; s; s = s->next) {
        struct work *w = s->head;
        if (!w || w->kind != WORK_KERNEL || !w->running) continue;
        if (w->is_estimated) {
            if (w->end <= g->now) pop_head(g, s);
            continue;
        }
        // Dependents that ended before it stay behind it.
        for (struct work *x = w; x && x->kind == WORK_KERNEL && x->running; x = x->next) {
            bool is_on = false;
            for (uint32_t i = 0; i < SM_KERNEL_SLOTS; i++) is_on |= g->slots[i] == x->run;
            if (!is_on) x->run = NULL; // flight_finish freed it
        }
        if (w->run) continue;
        while (s->head && s->head->kind == WORK_KERNEL && s->head->running && !s->head->run)
            pop_kernel(g, s);
        open_grid(g, s->head);
    }
    for (struct gpu_stream *s = g->streams; s; s = s->next) { // those whose event another stream's told
        struct work *const w = s->head;
        if (!w || w->kind != WORK_KERNEL || !w->running || !w->waits_for || flight_of(g, w->waits_for))
            continue;
        w->waits_for = 0;
        open_grid(g, w);
    }
}

// The next cycle at which a copy ends or a kernel is dispatched.
static uint64_t next_start(const struct gpu *g) {
    uint64_t next = UINT64_MAX;
    for (const struct gpu_stream *s = g->streams; s; s = s->next) {
        const struct work *w = s->head;
        if (!w) continue;
        if (w->running && (w->kind != WORK_KERNEL || w->is_estimated) && w->end < next)
            next = w->end;
        if (w->kind == WORK_COPY && !w->running)
            for (int i = 0; i < 2; i++)
                if (g->copy_free[i] > g->now && g->copy_free[i] < next) next = g->copy_free[i];
    }
    for (uint32_t i = 0; i < SM_KERNEL_SLOTS; i++)
        if (g->slots[i] && g->slots[i]->starts_at > g->now && g->slots[i]->starts_at < next)
            next = g->slots[i]->starts_at;
    return next;
}

static bool kernels_are_on(const struct gpu *g) {
    for (uint32_t i = 0; i < SM_KERNEL_SLOTS; i++)
        if (g->slots[i] && g->slots[i]->starts_at <= g->now) return true;
    return false;
}

// Cycles in which a kernel ran, up to now.
static int64_t busy_cycles(const struct gpu *g) {
    bool is_busy = false;
    for (uint32_t i = 0; i < SM_KERNEL_SLOTS; i++) is_busy |= g->slots[i] && g->slots[i]->started;
    uint64_t to_come = g->estimated_until > g->now ? g->estimated_until - g->now : 0;
    if (to_come > g->estimated_cycles) to_come = g->estimated_cycles; // it has not begun
    return (int64_t)(g->totals.kernel_cycles - to_come + (is_busy ? g->now - g->busy_from : 0));
}

// Time has gone on since cycle `from`, when the kernels' time was `busy`: the copies under way
// share what no kernel ran in. A kernel's end is found up to a quantum late; a step may so give
// back what the one before took.
static void share_time(struct gpu *g, uint64_t from, int64_t busy) {
    const int64_t alone = (int64_t)(g->now - from) - (busy_cycles(g) - busy);
    uint32_t n = 0;
    for (int give = 0; give < 2; give++)
        for (struct gpu_stream *s = g->streams; s; s = s->next) {
            struct work *w = s->head;
            if (!w || !w->running || (w->kind != WORK_COPY && w->kind != WORK_FILL)) continue;
            if (give)
                w->alone += (double)alone / n;
            else
                n++;
        }
}

static bool is_drained(const struct gpu *g, const struct gpu_stream *s, uint64_t seq) {
    if (s) return !s->head || s->head->seq > seq;
    return !g->queued;
}

enum ww_status stream_drive(struct gpu *g, const struct gpu_stream *only, uint64_t seq,
                            uint64_t until, struct diags *d) {
    while (g->fault == WW_OK) {
        finish_copies(g);
        finish_kernels(g);
        // A higher priority (a lower number, as in CUDA) starts first; then the order of creation.
        bool again = false;
        int best = 0;
        for (const struct gpu_stream *s = g->streams; s; s = s->next)
            if (s->head && s->priority < best) best = s->priority;
        for (int priority = best; priority <= 0 && !again; priority++)
            for (struct gpu_stream *s = g->streams; s && g->fault == WW_OK; s = s->next)
                if ((s->priority < 0 ? s->priority : 0) == priority) again |= try_start(g, s);
        if (again) continue;
        if (is_drained(g, only, seq) || g->now >= until || g->fault != WW_OK) break;
        const uint64_t next = next_start(g);
        const uint64_t stop_at = next < until ? next : until, from = g->now;
        const int64_t busy = busy_cycles(g);
        if (kernels_are_on(g)) {
            run_quanta(g, stop_at);
        } else if (next != UINT64_MAX || until != UINT64_MAX) {
            g->now = stop_at;
        } else {
            // Streams that wait for each other's events in a circle.
            device_fault(g, WW_ERROR_DEADLOCK, "the streams wait for each other's events for ever");
        }
        share_time(g, from, busy);
        if (device_should_stop(g)) {
            flight_abort_all(g, WW_ERROR_INTERRUPTED, "interrupted");
            device_fault(g, WW_ERROR_INTERRUPTED, "interrupted");
        }
    }
    if (g->fault == WW_OK) return WW_OK;
    stream_drop_all(g);
    return device_usable(g, d);
}

// ---- waiting ----------------------------------------------------------------------------------
enum { POLL_CYCLES = 65536 }; // a question moves time on by so much, or polling would never end

enum ww_status gpu_synchronize(struct gpu *g, struct diags *d) {
    return stream_drive(g, NULL, UINT64_MAX, UINT64_MAX, d);
}

enum ww_status gpu_stream_synchronize(struct gpu *g, struct gpu_stream *s, struct diags *d) {
    return stream_drive(g, stream_of(g, s), UINT64_MAX, UINT64_MAX, d);
}

static void poll(struct gpu *g, const struct gpu_stream *s) {
    struct diags d;
    diags_init(&d);
    stream_drive(g, s, UINT64_MAX, g->now + POLL_CYCLES, &d);
    diags_free(&d);
}

bool gpu_stream_is_done(struct gpu *g, struct gpu_stream *s) {
    s = stream_of(g, s);
    if (s->head) poll(g, s);
    return !s->head;
}

bool gpu_event_is_done(struct gpu *g, struct gpu_event *e) {
    if (e->done < e->recorded) poll(g, NULL);
    return e->done >= e->recorded;
}

enum ww_status gpu_event_synchronize(struct gpu *g, struct gpu_event *e, struct diags *d) {
    while (e->done < e->recorded) {
        const uint64_t missing = e->recorded;
        const struct gpu_stream *in = NULL;
        uint64_t seq = 0;
        for (const struct gpu_stream *s = g->streams; s && !in; s = s->next)
            for (const struct work *w = s->head; w; w = w->next)
                if (w->kind == WORK_RECORD && w->event.event == e && w->event.number == missing) {
                    in = s;
                    seq = w->seq;
                    break;
                }
        if (!in) break;
        const enum ww_status status = stream_drive(g, in, seq, UINT64_MAX, d);
        if (status != WW_OK) return status;
    }
    return device_usable(g, d);
}

static void wait_for_record(struct gpu *g, struct gpu_event *e) {
    if (e->done == e->recorded) return;
    struct diags d;
    diags_init(&d);
    gpu_event_synchronize(g, e, &d);
    diags_free(&d);
}

bool gpu_event_at_s(struct gpu *g, struct gpu_event *e, double *seconds) {
    if (!e->recorded) return false;
    wait_for_record(g, e);
    *seconds = (double)e->cycle / (g->config.clocks.core_mhz * 1e6) +
               (double)e->untimed * GPU_UNTIMED_LAUNCH_S;
    return true;
}

bool gpu_event_elapsed_s(struct gpu *g, struct gpu_event *from, struct gpu_event *to,
                         double *seconds) {
    if (!from->recorded || !to->recorded) return false;
    wait_for_record(g, from);
    wait_for_record(g, to);
    const int64_t cycles = (int64_t)(to->cycle - from->cycle),
                  launches = (int64_t)(to->launches - from->launches),
                  untimed = (int64_t)(to->untimed - from->untimed);
    *seconds = (double)cycles / (g->config.clocks.core_mhz * 1e6);
    if (launches == untimed) *seconds += (double)untimed * GPU_UNTIMED_LAUNCH_S;
    return true;
}
