// What happens when, told to the options' `span` as it ends: kernels and copies of streams, CTAs on
// SMs. Only with that callback is anything kept: the CTAs that are on an SM, and, while the SMs
// run, those that ended in the quantum.
#include "gpu/device.h"

struct timeline_sm {
    struct {
        uint64_t cta, from;
        const struct flight *run; // NULL: free
    } place[SM_MAX_CTAS];
    struct {
        uint64_t cta, cycle;
        uint32_t slot;
    } ended[SM_MAX_CTAS]; // a quantum ends no more than it began with
    uint32_t n_ended;
};

bool timeline_create(struct gpu *g) {
    if (!g->options.span) return true;
    g->timeline = device_alloc(g, g->config.sm_count * sizeof *g->timeline);
    return g->timeline != NULL;
}

static double seconds(const struct gpu *g, uint64_t cycle) {
    return (double)cycle / (g->config.clocks.core_mhz * 1e6);
}

void timeline_cta_begins(struct gpu *g, uint32_t sm, const struct flight *r, uint64_t cta) {
    struct timeline_sm *const t = &g->timeline[sm];
    uint32_t i = 0;
    while (i < SM_MAX_CTAS && t->place[i].run) i++;
    if (i == SM_MAX_CTAS) return;
    t->place[i].cta = cta;
    t->place[i].from = g->now;
    t->place[i].run = r;
}

void timeline_cta_ended(struct gpu *g, uint32_t sm, uint32_t slot, uint64_t cta, uint64_t cycle) {
    struct timeline_sm *const t = &g->timeline[sm];
    if (t->n_ended == SM_MAX_CTAS) return;
    t->ended[t->n_ended].cta = cta;
    t->ended[t->n_ended].cycle = cycle;
    t->ended[t->n_ended++].slot = slot;
}

static void tell_cta(struct gpu *g, uint32_t sm, uint32_t place, uint64_t to) {
    struct timeline_sm *const t = &g->timeline[sm];
    const struct gpu_result *const r = &t->place[place].run->result;
    g->options.span(g->options.user, &(struct gpu_span){.kind = GPU_SPAN_CTA,
                                                        .name = r->kernel,
                                                        .from_s = seconds(g, t->place[place].from),
                                                        .to_s = seconds(g, to),
                                                        .launch = r->id,
                                                        .cta = t->place[place].cta,
                                                        .sm = sm,
                                                        .place = place});
    t->place[place].run = NULL;
}

void timeline_quantum(struct gpu *g) {
    for (uint32_t i = 0; i < g->config.sm_count; i++) {
        struct timeline_sm *const t = &g->timeline[i];
        for (uint32_t k = 0; k < t->n_ended; k++)
            for (uint32_t p = 0; p < SM_MAX_CTAS; p++)
                if (t->place[p].run && t->place[p].cta == t->ended[k].cta &&
                    t->place[p].run->slot == t->ended[k].slot) {
                    tell_cta(g, i, p, t->ended[k].cycle + 1);
                    break;
                }
        t->n_ended = 0;
    }
}

void timeline_cut(struct gpu *g) {
    if (!g->timeline) return;
    timeline_quantum(g);
    for (uint32_t i = 0; i < g->config.sm_count; i++)
        for (uint32_t p = 0; p < SM_MAX_CTAS; p++)
            if (g->timeline[i].place[p].run) tell_cta(g, i, p, g->now);
}

void timeline_kernel(struct gpu *g, const struct flight *r) {
    if (!g->options.span) return;
    const struct gpu_result *const x = &r->result;
    const uint64_t end = x->end_cycle > x->start_cycle ? x->end_cycle : x->start_cycle;
    g->options.span(g->options.user,
                    &(struct gpu_span){.kind = GPU_SPAN_KERNEL,
                                       .name = x->kernel,
                                       .from_s = seconds(g, x->start_cycle),
                                       .to_s = seconds(g, end),
                                       .launch = x->id,
                                       .stream = r->stream,
                                       .tag = x->tag,
                                       .ctas = x->ctas,
                                       .threads = x->block[0] * x->block[1] * x->block[2]});
}

void timeline_copy(struct gpu *g, uint32_t stream, const char *name, const struct work *w,
                   uint64_t cycles, uint64_t bytes) {
    const struct gpu_span span = {.kind = GPU_SPAN_COPY,
                                  .name = name,
                                  .from_s = seconds(g, w->end - cycles),
                                  .to_s = seconds(g, w->end),
                                  .stream = stream,
                                  .tag = w->tag,
                                  .bytes = bytes,
                                  .alone_s = w->alone / (g->config.clocks.core_mhz * 1e6)};
    if (g->options.span) g->options.span(g->options.user, &span);
    if (g->options.copy_done) g->options.copy_done(g->options.user, &span);
}
