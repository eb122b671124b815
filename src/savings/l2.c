// What techniques do at the L2: each part that has a port there (part.h) is a listener of all
// slices, with a state for each. Cycles are the L2 clock's; times of lines are given out in core
// cycles. Slices of a partition run one after another and write into its counters.
#include "mem/config.h"
#include "mem/mem.h"
#include "savings/lines.h"
#include "savings/savings_int.h"

enum { L2 = ARRAY_L2 };

struct savings_l2 {
    struct mem_system *m;
    uint32_t slices, a_partition; // slices: of all partitions, of one
    bool has_lines;               // a part settles times of lines
    uint32_t n;
    struct listener { // a part that listens
        const struct savings_l2_port *port;
        size_t stride;
        char *slice; // [slices]
    } listener[SAVINGS_PARTS];
};

static void *slice_of(const struct listener *k, uint32_t i) { return k->slice + i * k->stride; }

static uint32_t hear(void *self, const struct cache_event *e) {
    const struct listener *const k = self;
    return k->port->hear(slice_of(k, e->slice), e);
}

static uint64_t lapses_at(void *self, enum mem_array array, uint32_t slice, uint32_t place) {
    (void)array;
    const struct listener *const k = self;
    return k->port->lapses_at(slice_of(k, slice), place);
}

// ---- times --------------------------------------------------------------------------------------
void savings_l2_settle(struct savings_l2 *l, uint32_t partition, uint64_t core_cycle) {
    if (!l->has_lines) return;
    const uint64_t now = mem_system_l2_cycle(l->m, core_cycle);
    struct savings_line_sums sum = {0};
    for (uint32_t i = 0; i < l->n; i++) {
        const struct listener *const k = &l->listener[i];
        for (uint32_t s = 0; k->port->settle != NULL && s < l->a_partition; s++)
            k->port->settle(slice_of(k, partition * l->a_partition + s), now, &sum);
    }
    uint64_t *const c = savings_own(mem_system_activity(l->m, partition), SAVINGS_lines);
    c[OWN_line_on + L2] = mem_system_core_cycles(l->m, sum.on);
    c[OWN_tag_on + L2] = mem_system_core_cycles(l->m, sum.tags_on);
    c[OWN_line_wakes + L2] = sum.wakes;
    c[OWN_tag_wakes + L2] = sum.tag_wakes;
    c[OWN_line_late + L2] = sum.late;
    c[OWN_line_fills + L2] = sum.fills;
    c[OWN_line_lapses + L2] = sum.lapses;
}

// ---- life ---------------------------------------------------------------------------------------
static bool make_slices(struct savings_l2 *l, struct listener *k, const struct savings *s,
                        struct mem_system *m, const struct savings_l2_shape *shape) {
    k->stride = (k->port->slice_bytes + 63) / 64 * 64; // partitions run on different host threads
    k->slice = ww_alloc_aligned(l->slices * k->stride);
    if (k->slice == NULL) return false;
    for (uint32_t i = 0; k->port->make != NULL && i < l->slices; i++) {
        uint64_t *const c = mem_system_activity(m, i / l->a_partition)->c;
        if (!k->port->make(slice_of(k, i), s, shape, c)) return false;
    }
    return true;
}

static enum ww_status listen(struct listener *k, struct mem_system *m) {
    struct cache_listener c = {.self = k, .hear = hear};
    if (k->port->lapses_at != NULL) {
        c.lapses_at = lapses_at;
        c.lapse_cycles = k->port->lapse_cycles(k->slice);
    }
    return mem_system_listen(m, &c);
}

static bool is_here(const struct savings *s, uint32_t part) {
    const struct savings_l2_port *const port = savings_part(part)->l2;
    return port != NULL && (port->is_there == NULL || port->is_there(s));
}

static enum ww_status add(struct savings_l2 *l, uint32_t part, const struct savings *s,
                          struct mem_system *m, const struct savings_l2_shape *shape,
                          struct diags *d) {
    struct listener *const k = &l->listener[l->n++];
    k->port = savings_part(part)->l2;
    if (!make_slices(l, k, s, m, shape))
        return diag_add(d, WW_ERROR_MEMORY, "out of memory for the techniques of %u lines of L2",
                        l->slices * shape->lines);
    l->has_lines = l->has_lines || k->port->settle != NULL;
    const enum ww_status status = listen(k, m);
    return status == WW_OK ? status : diag_add(d, status, "too many techniques listen to the L2");
}

enum ww_status savings_l2_create(const struct savings *s, struct mem_system *m,
                                 const struct cache_config *shape, struct diags *d,
                                 struct savings_l2 **out) {
    *out = NULL;
    const uint32_t lines = mem_system_l2_lines(m), slices = mem_system_slices(m),
                   sector = shape->sector_bytes != 0 ? shape->sector_bytes : shape->line_bytes;
    uint32_t here = 0;
    FOR_EACH_BIT32(part, s->mechanisms) here |= (uint32_t)is_here(s, part) << part;
    if (here == 0 || lines == 0) return WW_OK;
    struct savings_l2 *const l = ww_alloc_aligned(sizeof *l);
    if (l == NULL)
        return diag_add(d, WW_ERROR_MEMORY, "out of memory for the techniques of %u lines of L2",
                        slices * lines);
    *l = (struct savings_l2){
        .m = m, .slices = slices, .a_partition = slices / mem_system_partitions(m)};
    const struct savings_l2_shape k = {.lines = lines,
                                       .sets = lines / shape->ways,
                                       .ways = shape->ways,
                                       .line_words = shape->line_bytes / 4,
                                       .sector_words = sector / 4};
    enum ww_status status = WW_OK;
    FOR_EACH_BIT32(part, here)
        if (status == WW_OK) status = add(l, part, s, m, &k, d);
    if (status != WW_OK) {
        savings_l2_destroy(l);
        return status;
    }
    *out = l;
    return WW_OK;
}

void savings_l2_destroy(struct savings_l2 *l) {
    for (uint32_t i = 0; l != NULL && i < l->n; i++) {
        const struct listener *const k = &l->listener[i];
        for (uint32_t s = 0; k->slice != NULL && k->port->unmake != NULL && s < l->slices; s++)
            k->port->unmake(slice_of(k, s));
        ww_free_aligned(k->slice);
    }
    ww_free_aligned(l);
}
