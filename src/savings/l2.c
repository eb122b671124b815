// What techniques do at the L2: meters (meters.c), drowsy lines (drowsy_lines.c), decay
// (cache_decay.c) and access by mask (mask_access.c), each a listener. Cycles are the L2 clock's;
// times of lines are given out in core cycles. Slices of a partition run one after another and
// write into its counters.
#include "activity/savings.h"
#include "mem/mem.h"
#include "savings/lines.h"
#include "savings/place.h"

enum { L2 = ARRAY_L2 };

struct savings_l2 {
    const struct mem_system *m;
    struct savings set;
    uint32_t slices, a_partition, lines; // lines: of a slice
    uint32_t line_words, ways;
    struct drowsy_times times;
    struct mask_shape shape;
    struct place *place; // [slices][lines]
    struct l2_slice {
        uint64_t *c; // counters of its partition
        struct place *place;
        struct drowsy_array drowsy;
        struct decay_array decay;
    } * slice;
};

static bool has(const struct savings_l2 *l, enum savings_mechanism m) {
    return l->set.mechanisms >> m & 1;
}

// ---- listeners ----------------------------------------------------------------------------------
// A write that brings a line of its own is an access to it, too. What an access wants is counted
// where it is looked up.
static uint32_t hear_meters(void *self, const struct cache_event *e) {
    const struct savings_l2 *const l = self;
    const struct l2_slice *const s = &l->slice[e->slice];
    const uint32_t looked_up = 1u << CACHE_READ_HIT | 1u << CACHE_READ_MISS |
                               1u << CACHE_READ_MERGE | 1u << CACHE_WRITE_HIT |
                               1u << CACHE_WRITE_MISS;
    const uint32_t counted =
        1u << CACHE_READ_HIT | 1u << CACHE_WRITE_HIT | 1u << CACHE_WRITE_MISS | 1u << CACHE_FILL;
    if (looked_up >> e->what & 1) {
        s->c[ACT_meter_l2_accesses]++;
        s->c[ACT_meter_l2_words] += bits_count64(e->words);
        s->c[ACT_meter_l2_lanes] += bits_count32(e->lanes);
    }
    if (e->place == CACHE_NOWHERE || !(counted >> e->what & 1)) return 0;
    const struct place_counts c = {&s->c[ACT_meter_l2_reached], &s->c[ACT_meter_l2_gaps],
                                   &s->c[ACT_meter_l2_gap_cycles], &s->c[ACT_meter_l2_near_gaps],
                                   &s->c[ACT_meter_l2_near_cycles]};
    place_access(&s->place[e->place], e->cycle, &c);
    return 0;
}

static uint32_t hear_drowsy(void *self, const struct cache_event *e) {
    struct savings_l2 *const l = self;
    return drowsy_hear(&l->slice[e->slice].drowsy, &l->times, e);
}

static uint32_t hear_decay(void *self, const struct cache_event *e) {
    struct savings_l2 *const l = self;
    decay_hear(&l->slice[e->slice].decay, e);
    return 0;
}

static uint64_t lapses_at(void *self, enum mem_array array, uint32_t slice, uint32_t place) {
    (void)array;
    const struct decay_array *const a = &((struct savings_l2 *)self)->slice[slice].decay;
    return a->line[place].is_on ? decay_lapses_at(a, &a->line[place]) : UINT64_MAX;
}

static uint32_t hear_mask(void *self, const struct cache_event *e) {
    const struct savings_l2 *const l = self;
    mask_hear(&l->shape, l->set.o.mask_fills, e, l->slice[e->slice].c);
    return 0;
}

// ---- times --------------------------------------------------------------------------------------
void savings_l2_settle(struct savings_l2 *l, uint32_t partition, uint64_t core_cycle) {
    if (!savings_puts_away_l2(&l->set)) return;
    const uint64_t now = mem_system_l2_cycle(l->m, core_cycle);
    uint64_t on = 0, tags = 0, wakes = 0, tag_wakes = 0, late = 0, fills = 0, lapses = 0;
    for (uint32_t k = 0; k < l->a_partition; k++) {
        const struct l2_slice *const s = &l->slice[partition * l->a_partition + k];
        const struct drowsy_array *const d = &s->drowsy;
        if (d->line != NULL) on += drowsy_on(d->line, d->lines, d->of_lines.on, now);
        if (d->set != NULL) tags += l->ways * drowsy_on(d->set, d->sets, d->of_tags.on, now);
        if (s->decay.line != NULL) on += decay_on(&s->decay, now);
        wakes += d->of_lines.wakes;
        tag_wakes += l->ways * d->of_tags.wakes;
        late += d->of_lines.late + d->of_tags.late;
        fills += s->decay.fills;
        lapses += s->decay.lapses;
    }
    uint64_t *const c = l->slice[partition * l->a_partition].c;
    c[ACT_line_on + L2] = mem_system_core_cycles(l->m, on);
    c[ACT_tag_on + L2] = mem_system_core_cycles(l->m, tags);
    c[ACT_line_wakes + L2] = wakes;
    c[ACT_tag_wakes + L2] = tag_wakes;
    c[ACT_line_late + L2] = late;
    c[ACT_line_fills + L2] = fills;
    c[ACT_line_lapses + L2] = lapses;
}

// ---- life ---------------------------------------------------------------------------------------
static bool make_slices(struct savings_l2 *l, struct mem_system *m, uint32_t sets) {
    l->slice = ww_alloc_aligned(l->slices * sizeof *l->slice);
    if (l->slice == NULL) return false;
    if (has(l, SAVINGS_METERS)) {
        l->place = ww_alloc_aligned((size_t)l->slices * l->lines * sizeof *l->place);
        if (l->place == NULL) return false;
    }
    const bool in_l2 = l->set.o.in_l2 != 0;
    for (uint32_t i = 0; i < l->slices; i++) {
        struct l2_slice *const s = &l->slice[i];
        s->c = mem_system_activity(m, i / l->a_partition)->c;
        if (l->place != NULL) s->place = &l->place[(size_t)i * l->lines];
        if (in_l2 && has(l, SAVINGS_DROWSY_LINES) &&
            !drowsy_make(&s->drowsy, l->lines, sets, l->set.o.tags_drowsy))
            return false;
        if (in_l2 && has(l, SAVINGS_CACHE_DECAY) &&
            !decay_make(&s->decay, l->lines, l->set.o.decay_l2))
            return false;
    }
    return true;
}

static enum ww_status listen(struct savings_l2 *l, struct mem_system *m) {
    enum ww_status s = WW_OK;
    const bool in_l2 = l->set.o.in_l2 != 0;
    if (has(l, SAVINGS_METERS))
        s = mem_system_listen(m, &(struct cache_listener){.self = l, .hear = hear_meters});
    if (s == WW_OK && in_l2 && has(l, SAVINGS_DROWSY_LINES))
        s = mem_system_listen(m, &(struct cache_listener){.self = l, .hear = hear_drowsy});
    if (s == WW_OK && in_l2 && has(l, SAVINGS_CACHE_DECAY))
        s = mem_system_listen(m, &(struct cache_listener){.self = l,
                                                          .hear = hear_decay,
                                                          .lapses_at = lapses_at,
                                                          .lapse_cycles = l->slice->decay.tick});
    if (s == WW_OK && in_l2 && has(l, SAVINGS_MASK_ACCESS))
        s = mem_system_listen(m, &(struct cache_listener){.self = l, .hear = hear_mask});
    return s;
}

enum ww_status savings_l2_create(const struct savings *s, struct mem_system *m,
                                 const struct cache_config *shape, struct diags *d,
                                 struct savings_l2 **out) {
    *out = NULL;
    const uint32_t lines = mem_system_l2_lines(m), slices = mem_system_slices(m);
    const uint32_t here = 1u << SAVINGS_METERS | 1u << SAVINGS_DROWSY_LINES |
                          1u << SAVINGS_CACHE_DECAY | 1u << SAVINGS_MASK_ACCESS;
    if (!(s->mechanisms & here) || lines == 0) return WW_OK;
    struct savings_l2 *const l = ww_alloc_aligned(sizeof *l);
    if (l != NULL)
        *l = (struct savings_l2){.m = m,
                                 .set = *s,
                                 .slices = slices,
                                 .a_partition = slices / mem_system_partitions(m),
                                 .lines = lines,
                                 .ways = shape->ways,
                                 .times = drowsy_times_of(&s->o),
                                 .shape = mask_shape_of(shape)};
    if (l == NULL || !make_slices(l, m, lines / shape->ways)) {
        savings_l2_destroy(l);
        return diag_add(d, WW_ERROR_MEMORY, "out of memory for the techniques of %u lines of L2",
                        slices * lines);
    }
    const enum ww_status status = listen(l, m);
    if (status != WW_OK) {
        savings_l2_destroy(l);
        return diag_add(d, status, "too many techniques listen to the L2");
    }
    *out = l;
    return WW_OK;
}

void savings_l2_destroy(struct savings_l2 *l) {
    for (uint32_t i = 0; l != NULL && l->slice != NULL && i < l->slices; i++) {
        drowsy_unmake(&l->slice[i].drowsy);
        decay_unmake(&l->slice[i].decay);
    }
    if (l != NULL) {
        ww_free_aligned(l->place);
        ww_free_aligned(l->slice);
    }
    ww_free_aligned(l);
}
