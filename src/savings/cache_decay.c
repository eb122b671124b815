// Cache decay (Kaxiras, Hu and Martonosi, ISCA 2001): a line that has not been accessed for an
// interval is switched off and loses its data; what is dirty is written back first, and an access
// that wants it afterwards misses. A line that never held anything is off. The interval is counted
// as there: a tick every quarter of it for all lines, two bits for each; here a line goes off at
// the first tick that is the whole interval after its last access.
//
// Tags stay on. Left out: what the counters cost.
#include "savings/lines.h"
#include "savings/savings_int.h"
#include "sm/config.h"

// A line: on since `from` (what lies before is counted), last accessed in `last`.
struct decay_line {
    uint64_t from, last, left; // left: cycle in which its data went
    bool is_on;
};
struct decay_array {
    struct decay_line *line;
    uint32_t lines, interval, tick; // a line goes off at the first tick that is `interval` cycles
                                    // after its last access
    uint64_t on, fills, lapses;
};
struct cache_decay {
    struct decay_array array[MEM_ARRAYS];
    struct sm_array_port port;
};

static bool decay_make(struct decay_array *a, uint32_t lines, uint32_t interval) {
    *a = (struct decay_array){
        .lines = lines, .interval = interval, .tick = interval >= 4 ? interval / 4 : 1};
    a->line = ww_alloc_aligned(lines * sizeof *a->line);
    return a->line != NULL;
}

static void decay_unmake(struct decay_array *a) { ww_free_aligned(a->line); }

static uint64_t decay_lapses_at(const struct decay_array *a, const struct decay_line *l) {
    return (l->last + a->interval + a->tick - 1) / a->tick * a->tick;
}

static void go_off(struct decay_array *a, struct decay_line *l, uint64_t t) {
    if (l->is_on && t > l->from) a->on += t - l->from;
    l->is_on = false;
    l->left = t;
}

// A line whose data never left is on, however late its next access comes: then there was no room to
// write it back.
static void touch(struct decay_array *a, struct decay_line *l, uint64_t t) {
    if (!l->is_on) {
        l->is_on = true;
        l->from = t > l->from ? t : l->from;
        a->fills += l->left != t || l->last == 0; // the next line of a place that stays on
    }
    l->last = t > l->last ? t : l->last;
}

static void decay_hear(struct decay_array *a, const struct cache_event *e) {
    const uint32_t accesses =
        1u << CACHE_READ_HIT | 1u << CACHE_WRITE_HIT | 1u << CACHE_WRITE_MISS | 1u << CACHE_FILL;
    if (e->what == CACHE_FLUSH)
        for (uint32_t i = 0; i < a->lines; i++) {
            const uint64_t at = decay_lapses_at(a, &a->line[i]);
            go_off(a, &a->line[i], at < e->cycle ? at : e->cycle);
        }
    if (e->place == CACHE_NOWHERE) return;
    struct decay_line *const l = &a->line[e->place];
    if (accesses >> e->what & 1) {
        touch(a, l, e->cycle);
    } else if (e->what == CACHE_EVICT) {
        a->lapses += l->is_on && decay_lapses_at(a, l) == e->cycle;
        go_off(a, l, e->cycle);
    }
}

// Cycles on up to and without `now`.
static uint64_t decay_on(const struct decay_array *a, uint64_t now) {
    uint64_t on = a->on;
    for (uint32_t i = 0; i < a->lines; i++) {
        const struct decay_line *const l = &a->line[i];
        if (!l->is_on) continue;
        const uint64_t at = decay_lapses_at(a, l), until = at < now ? at : now;
        on += until > l->from ? until - l->from : 0;
    }
    return on;
}

// ---- an SM's ------------------------------------------------------------------------------------
static uint32_t hear(void *self, const struct cache_event *e) {
    decay_hear(&((struct cache_decay *)self)->array[e->array], e);
    return 0;
}

static uint64_t lapses_at(void *self, enum mem_array array, uint32_t place) {
    const struct decay_array *const a = &((struct cache_decay *)self)->array[array];
    return a->line[place].is_on ? decay_lapses_at(a, &a->line[place]) : UINT64_MAX;
}

static void count(const void *self, const struct sm_view *v, struct activity *a, uint64_t now) {
    (void)v;
    uint64_t *const c = savings_own(a, SAVINGS_lines);
    const struct cache_decay *const d = self;
    FOR_EACH_BIT32(i, d->port.arrays) {
        const struct decay_array *const x = &d->array[i];
        c[OWN_line_on + i] += decay_on(x, now);
        c[OWN_line_fills + i] += x->fills;
        c[OWN_line_lapses + i] += x->lapses;
    }
}

static bool make(struct savings_sm *s, void *self, struct sm_technique *t) {
    struct cache_decay *const d = self;
    d->port = (struct sm_array_port){.hear = hear, .lapses_at = lapses_at};
    FOR_EACH_BIT32(i, lines_arrays(&s->set) & ~(1u << ARRAY_L2 | 1u << ARRAY_SHARED)) {
        const uint32_t lines = lines_of(s->c, i);
        if (lines == 0) continue;
        if (!decay_make(&d->array[i], lines, savings_value(&s->set, "decay"))) return false;
        d->port.lapse_cycles = d->array[i].tick;
        d->port.arrays |= 1u << i;
    }
    if (d->port.arrays == 0) d->port.lapses_at = NULL;
    t->arrays = &d->port;
    return true;
}

static void unmake(void *self) {
    struct cache_decay *const d = self;
    for (uint32_t i = 0; i < MEM_ARRAYS; i++) decay_unmake(&d->array[i]);
}

// ---- L2 -----------------------------------------------------------------------------------------
static bool slice_make(void *self, const struct savings *s, const struct savings_l2_shape *k,
                       uint64_t *c) {
    (void)c;
    return decay_make(self, k->lines, savings_value(s, "decay_l2"));
}

static void slice_unmake(void *self) { decay_unmake(self); }

static uint32_t slice_hear(void *self, const struct cache_event *e) {
    decay_hear(self, e);
    return 0;
}

static uint64_t slice_lapses_at(void *self, uint32_t place) {
    const struct decay_array *const a = self;
    return a->line[place].is_on ? decay_lapses_at(a, &a->line[place]) : UINT64_MAX;
}

static uint32_t slice_lapse_cycles(const void *self) {
    return ((const struct decay_array *)self)->tick;
}

static void slice_settle(const void *self, uint64_t now, struct savings_line_sums *to) {
    const struct decay_array *const a = self;
    to->on += decay_on(a, now);
    to->fills += a->fills;
    to->lapses += a->lapses;
}

static const struct savings_l2_port l2 = {.slice_bytes = sizeof(struct decay_array),
                                          .is_there = lines_in_l2,
                                          .make = slice_make,
                                          .unmake = slice_unmake,
                                          .hear = slice_hear,
                                          .lapses_at = slice_lapses_at,
                                          .lapse_cycles = slice_lapse_cycles,
                                          .settle = slice_settle};

static void close(const struct savings *s, const struct sm_config *c, uint32_t sms,
                  uint64_t l2_lines, uint64_t cycles, struct activity *a) {
    const struct lines_time k = {c, sms, l2_lines, cycles};
    FOR_EACH_BIT32(i, lines_arrays(s) & ~(1u << ARRAY_SHARED))
        lines_close(&k, i, OWN_line_on, OWN_line_off, a);
}

// ---- what it is --------------------------------------------------------------------------------
// clang-format off
static const struct savings_option options[] = {
    {.name = "decay", .value = 8192, .low = 4, .high = 1000000000, .unit = "core cycles",
     .what = "without an access after which a line of an SM's caches goes off",
     .source = "Kaxiras et al., ISCA 2001: about 8K cycles for an L1"},
    {.name = "decay_l2", .value = 65536, .low = 4, .high = 1000000000, .unit = "L2 cycles",
     .what = "the same of an L2 line", .source = "assumed: eight times an L1's"},
};
// clang-format on

// A line that decays has a counter of two bits and a switch.
#define DECAY "Kaxiras et al., ISCA 2001"
// clang-format off
static const struct savings_effect effects[] = {
    {.line = "l1", .counter = "line_off", .first = ARRAY_L1D, .component = "shared", .sign = SAVES,
     .price = {.kind = PRICE_CELLS_OFF, .per = PER_L1_LINE},
     .why = "cells of a line that is off do not leak", .source = DECAY},
    {.line = "l1", .counter = "line_fills", .first = ARRAY_L1D, .component = "shared",
     .sign = COSTS, .price = {.kind = PRICE_WAKE_OFF, .per = PER_L1_LINE},
     .why = "switching it on charges them", .source = DECAY},
    {.line = "const", .counter = "line_off", .first = ARRAY_CONST, .component = "const",
     .sign = SAVES, .price = {.kind = PRICE_CELLS_OFF, .per = PER_CONST_LINE}, .why = "as L1",
     .source = DECAY},
    {.line = "const", .counter = "line_fills", .first = ARRAY_CONST, .component = "const",
     .sign = COSTS, .price = {.kind = PRICE_WAKE_OFF, .per = PER_CONST_LINE}, .why = "as L1",
     .source = DECAY},
    {.line = "tex", .counter = "line_off", .first = ARRAY_TEX, .component = "tex", .sign = SAVES,
     .price = {.kind = PRICE_CELLS_OFF, .per = PER_TEX_LINE}, .why = "as L1", .source = DECAY},
    {.line = "tex", .counter = "line_fills", .first = ARRAY_TEX, .component = "tex", .sign = COSTS,
     .price = {.kind = PRICE_WAKE_OFF, .per = PER_TEX_LINE}, .why = "as L1", .source = DECAY},
    {.line = "l2", .counter = "line_off", .first = ARRAY_L2, .component = "l2", .sign = SAVES,
     .price = {.kind = PRICE_CELLS_OFF, .per = PER_L2_LINE}, .why = "as L1", .source = DECAY},
    {.line = "l2", .counter = "line_fills", .first = ARRAY_L2, .component = "l2", .sign = COSTS,
     .price = {.kind = PRICE_WAKE_OFF, .per = PER_L2_LINE}, .why = "as L1", .source = DECAY},
};
static const struct savings_area areas[] = {
    {.line = "l1", .counter = "line_off", .first = ARRAY_L1D, .component = "shared",
     .size = {.kind = SIZE_COUNTS, .per = PER_L1_LINE, .n = 2}, .parts = PARTS_LINES,
     .what = "age of a line", .source = DECAY},
    {.line = "l1", .counter = "line_off", .first = ARRAY_L1D, .component = "shared",
     .size = {.kind = SIZE_SWITCHES, .per = PER_L1_LINE, .n = 1}, .parts = PARTS_LINES,
     .what = "switch of a line, a tenth of the cells' devices (assumed)", .source = DECAY},
    {.line = "l1", .counter = "line_off", .first = ARRAY_SHARED, .component = "shared",
     .size = {.kind = SIZE_COUNTS, .per = PER_L1_LINE, .n = 2}, .parts = PARTS_LINES,
     .what = "age of a line", .source = DECAY},
    {.line = "l1", .counter = "line_off", .first = ARRAY_SHARED, .component = "shared",
     .size = {.kind = SIZE_SWITCHES, .per = PER_L1_LINE, .n = 1}, .parts = PARTS_LINES,
     .what = "switch of a line, a tenth of the cells' devices (assumed)", .source = DECAY},
    {.line = "const", .counter = "line_off", .first = ARRAY_CONST, .component = "const",
     .size = {.kind = SIZE_COUNTS, .per = PER_CONST_LINE, .n = 2}, .parts = PARTS_LINES,
     .what = "age of a line", .source = DECAY},
    {.line = "const", .counter = "line_off", .first = ARRAY_CONST, .component = "const",
     .size = {.kind = SIZE_SWITCHES, .per = PER_CONST_LINE, .n = 1}, .parts = PARTS_LINES,
     .what = "switch of a line, a tenth of the cells' devices (assumed)", .source = DECAY},
    {.line = "tex", .counter = "line_off", .first = ARRAY_TEX, .component = "tex",
     .size = {.kind = SIZE_COUNTS, .per = PER_TEX_LINE, .n = 2}, .parts = PARTS_LINES,
     .what = "age of a line", .source = DECAY},
    {.line = "tex", .counter = "line_off", .first = ARRAY_TEX, .component = "tex",
     .size = {.kind = SIZE_SWITCHES, .per = PER_TEX_LINE, .n = 1}, .parts = PARTS_LINES,
     .what = "switch of a line, a tenth of the cells' devices (assumed)", .source = DECAY},
    {.line = "l2", .counter = "line_off", .first = ARRAY_L2, .component = "l2",
     .size = {.kind = SIZE_COUNTS, .per = PER_L2_LINE, .n = 2}, .parts = PARTS_LINES,
     .what = "age of a line", .source = DECAY},
    {.line = "l2", .counter = "line_off", .first = ARRAY_L2, .component = "l2",
     .size = {.kind = SIZE_SWITCHES, .per = PER_L2_LINE, .n = 1}, .parts = PARTS_LINES,
     .what = "switch of a line, a tenth of the cells' devices (assumed)", .source = DECAY},
};
// clang-format on

const struct savings_part part_cache_decay = {
    .name = "cache-decay",
    .what = "lines of caches that have not been accessed for an interval are written back and "
            "switched off, and lose their data",
    .paper = "Kaxiras et al., ISCA 2001",
    .roles = ROLE_LINES,
    .options = {PART_ROWS(options)},
    .effects = {PART_ROWS(effects)},
    .areas = {PART_ROWS(areas)},
    .uses = {&part_lines},
    .state_bytes = sizeof(struct cache_decay),
    .ports = {.count = count},
    .make = make,
    .unmake = unmake,
    .l2 = &l2,
    .close = close,
};
