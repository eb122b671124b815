// The meters at the L2: see meters.c. Cycles are the L2 clock's.
#include "savings/place.h"
#include "savings/savings.h"

struct savings_l2 {
    struct place *place; // [slices][lines]
    struct l2_slice {
        struct place *place;
        uint64_t *c; // counters of its partition, whose slices run one after another
    } slice[];
};

// A write that brings a line of its own is an access to it, too.
static uint32_t l2_access(void *self, const struct cache_event *e) {
    const struct savings_l2 *const l = self;
    const struct l2_slice *const s = &l->slice[e->slice];
    const uint32_t counted =
        1u << CACHE_READ_HIT | 1u << CACHE_WRITE_HIT | 1u << CACHE_WRITE_MISS | 1u << CACHE_FILL;
    if (e->place == CACHE_NOWHERE || !(counted >> e->what & 1)) return 0;
    place_access(&s->place[e->place], e->cycle, &s->c[ACT_meter_l2_reached],
                 &s->c[ACT_meter_l2_gaps], &s->c[ACT_meter_l2_gap_cycles]);
    return 0;
}

enum ww_status savings_l2_create(const struct savings *s, struct mem_system *m, struct diags *d,
                                 struct savings_l2 **out) {
    *out = NULL;
    const uint32_t lines = mem_system_l2_lines(m), slices = mem_system_slices(m);
    if (!(s->mechanisms & 1u << SAVINGS_METERS) || lines == 0) return WW_OK;
    struct savings_l2 *const l = ww_alloc_aligned(sizeof *l + slices * sizeof *l->slice);
    if (l != NULL) l->place = ww_alloc_aligned((size_t)slices * lines * sizeof *l->place);
    if (l == NULL || l->place == NULL) {
        ww_free_aligned(l);
        return diag_add(d, WW_ERROR_MEMORY, "out of memory for the meters of %u lines of L2",
                        slices * lines);
    }
    const uint32_t a_partition = slices / mem_system_partitions(m);
    for (uint32_t i = 0; i < slices; i++)
        l->slice[i] = (struct l2_slice){&l->place[(size_t)i * lines],
                                        mem_system_activity(m, i / a_partition)->c};
    const struct cache_listener hears = {.self = l, .hear = l2_access};
    const enum ww_status status = mem_system_listen(m, &hears);
    if (status != WW_OK) {
        savings_l2_destroy(l);
        return diag_add(d, status, "too many techniques listen to the L2");
    }
    *out = l;
    return WW_OK;
}

void savings_l2_destroy(struct savings_l2 *l) {
    if (l != NULL) ww_free_aligned(l->place);
    ww_free_aligned(l);
}
