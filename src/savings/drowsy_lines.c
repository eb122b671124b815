// Drowsy lines (Atoofian and Manzak, Power-aware L1 and L2 caches, 4.1; Flautner et al., ISCA
// 2002): a line of a cache has its full supply while it is accessed, and the retention supply
// before and after. Whatever finds it drowsy waits until it is awake, `line_wakeup` cycles, less
// what a look-ahead hides: the paper's two-level scheduler tells the load/store unit beforehand
// which warp comes next. Waking, a line leaks as when it is on.
//
// Tags stay on, and say beside the look-up whether the line is awake; or they are drowsy too, a
// set's together: then a look-up wakes them first, and the line behind them.
//
// Left out: what the look-ahead itself costs.
#include "savings/lines.h"
#include "savings/savings_int.h"
#include "sm/config.h"

// A line, or the tags of a set: on (waking included) in [from, until), drowsy from then on; it can
// be read from cycle `ready` on. What lies before `from` is counted.
struct drowsy_line {
    uint64_t from, until, ready;
};
struct drowsy_counts {
    uint64_t on, wakes, late;
};
// Of one array: an SM's, or an L2 slice.
struct drowsy_array {
    struct drowsy_line *line, *set; // set NULL: tags stay on
    uint32_t lines, sets;
    struct drowsy_counts of_lines, of_tags; // on: line cycles; cycles of a set's tags
};
struct drowsy_times {
    uint32_t wakeup, ahead, hold;
};

struct drowsy_lines {
    struct drowsy_array array[MEM_ARRAYS];
    struct drowsy_times times;
    struct sm_array_port port;
    uint32_t ways[MEM_ARRAYS];
    bool is_busy;
};

// An access wants the line in cycle t: it is woken if it is drowsy. Answers when it is on. A line
// is woken `ahead` cycles before where the look-ahead has seen the access coming.
static uint64_t drowsy_access(const struct drowsy_times *k, struct drowsy_line *l, uint64_t t,
                              struct drowsy_counts *c) {
    const uint64_t begin = t > k->ahead ? t - k->ahead : 0;
    if (l->until < begin || l->until == 0) {
        c->on += l->until > l->from ? l->until - l->from : 0;
        c->wakes++;
        l->from = begin;
        l->ready = begin + k->wakeup;
    }
    const uint64_t ready = l->ready > t ? l->ready : t, until = ready + 1 + k->hold;
    l->until = until > l->until ? until : l->until;
    return ready;
}

// ---- an array -----------------------------------------------------------------------------------
static struct drowsy_times times_of(const struct savings *s) {
    const uint32_t wakeup = savings_value(s, "line_wakeup"), ahead = savings_value(s, "line_ahead");
    return (struct drowsy_times){.wakeup = wakeup,
                                 .ahead = ahead < wakeup ? ahead : wakeup,
                                 .hold = savings_value(s, "line_hold")};
}

// Memory for the lines of an array; false: there is none.
static bool drowsy_make(struct drowsy_array *a, uint32_t lines, uint32_t sets, bool tags) {
    *a = (struct drowsy_array){.lines = lines, .sets = tags ? sets : 0};
    a->line = ww_alloc_aligned(lines * sizeof *a->line);
    if (a->sets != 0) a->set = ww_alloc_aligned(sets * sizeof *a->set);
    return a->line != NULL && (a->sets == 0 || a->set != NULL);
}

static void drowsy_unmake(struct drowsy_array *a) {
    ww_free_aligned(a->line);
    ww_free_aligned(a->set);
}

// Answers extra cycles.
static uint32_t drowsy_hear(struct drowsy_array *a, const struct drowsy_times *k,
                            const struct cache_event *e) {
    const uint32_t data = 1u << CACHE_READ_HIT | 1u << CACHE_WRITE_HIT | 1u << CACHE_WRITE_MISS |
                          1u << CACHE_FILL | 1u << CACHE_EVICT;
    if (e->what == CACHE_FLUSH) return 0; // cells keep what no longer counts
    // A line that leaves is read out if some of it is written back.
    if (e->what == CACHE_EVICT && e->words == 0) return 0;
    uint64_t t = e->cycle;
    if (a->set != NULL && e->what != CACHE_EVICT) {
        t = drowsy_access(k, &a->set[e->set], t, &a->of_tags);
        a->of_tags.late += t != e->cycle;
    }
    if (e->place != CACHE_NOWHERE && (data >> e->what & 1)) {
        const uint64_t asked = t;
        t = drowsy_access(k, &a->line[e->place], t, &a->of_lines);
        a->of_lines.late += t != asked;
    }
    return (uint32_t)(t - e->cycle);
}

// Cycles on up to and without `now`, those to come left out.
static uint64_t drowsy_on(const struct drowsy_line *l, uint32_t n, uint64_t counted, uint64_t now) {
    for (uint32_t i = 0; i < n; i++) {
        const uint64_t until = l[i].until < now ? l[i].until : now;
        counted += until > l[i].from ? until - l[i].from : 0;
    }
    return counted;
}

// ---- an SM's ------------------------------------------------------------------------------------
// Rows of shared memory: each row that a lane touches. A second access to a row in a cycle changes
// nothing, so that neighbouring lanes in one row cost one.
static uint32_t hear_shared(struct drowsy_lines *d, const struct cache_event *e) {
    struct drowsy_array *const a = &d->array[ARRAY_SHARED];
    uint64_t ready = e->cycle, seen = UINT64_MAX;
    bool is_late = false;
    FOR_EACH_BIT32(lane, e->lanes) {
        const uint64_t first = e->lane_addr[lane] / SHARED_ROW,
                       last = (e->lane_addr[lane] + e->lane_bytes - 1) / SHARED_ROW;
        for (uint64_t row = first; row <= last; row++) {
            if (row == seen) continue;
            seen = row;
            const uint64_t t =
                drowsy_access(&d->times, &a->line[row % a->lines], e->cycle, &a->of_lines);
            is_late = is_late || t != e->cycle;
            ready = t > ready ? t : ready;
        }
    }
    a->of_lines.late += is_late;
    return (uint32_t)(ready - e->cycle);
}

static uint32_t hear(void *self, const struct cache_event *e) {
    struct drowsy_lines *const d = self;
    if (e->array == ARRAY_SHARED) return hear_shared(d, e);
    return drowsy_hear(&d->array[e->array], &d->times, e);
}

static void work(void *self, const struct sm_view *v, bool begins, uint64_t cycle) {
    (void)v, (void)cycle;
    ((struct drowsy_lines *)self)->is_busy = begins;
}

static void count(const void *self, const struct sm_view *v, struct activity *a, uint64_t now) {
    (void)v;
    uint64_t *const c = savings_own(a, SAVINGS_lines);
    const struct drowsy_lines *const d = self;
    const uint64_t to = d->is_busy ? now : UINT64_MAX;
    FOR_EACH_BIT32(i, d->port.arrays) {
        const struct drowsy_array *const x = &d->array[i];
        c[OWN_line_on + i] += drowsy_on(x->line, x->lines, x->of_lines.on, to);
        c[OWN_line_wakes + i] += x->of_lines.wakes;
        c[OWN_line_late + i] += x->of_lines.late + x->of_tags.late;
        if (x->set == NULL) continue;
        c[OWN_tag_on + i] += d->ways[i] * drowsy_on(x->set, x->sets, x->of_tags.on, to);
        c[OWN_tag_wakes + i] += d->ways[i] * x->of_tags.wakes;
    }
}

static const struct sm_life_port life = {.work = work};

static bool make(struct savings_sm *s, void *self, struct sm_technique *t) {
    struct drowsy_lines *const d = self;
    const bool tags = savings_value(&s->set, "tags_drowsy") != 0;
    d->times = times_of(&s->set);
    d->port = (struct sm_array_port){.hear = hear};
    FOR_EACH_BIT32(i, lines_arrays(&s->set) & ~(1u << ARRAY_L2)) {
        const uint32_t lines = lines_of(s->c, i);
        if (lines == 0) continue;
        const struct cache_config *const c = lines_cache(s->c, i);
        d->ways[i] = c != NULL ? c->ways : 1;
        if (!drowsy_make(&d->array[i], lines, lines / d->ways[i], tags && i != ARRAY_SHARED))
            return false;
        d->port.arrays |= 1u << i;
    }
    t->arrays = &d->port;
    return true;
}

static void unmake(void *self) {
    struct drowsy_lines *const d = self;
    for (uint32_t i = 0; i < MEM_ARRAYS; i++) drowsy_unmake(&d->array[i]);
}

// ---- L2 -----------------------------------------------------------------------------------------
struct slice {
    struct drowsy_array array;
    struct drowsy_times times;
    uint32_t ways;
};

static bool slice_make(void *self, const struct savings *s, const struct savings_l2_shape *k,
                       uint64_t *c) {
    (void)c;
    struct slice *const l = self;
    l->times = times_of(s);
    l->ways = k->ways;
    return drowsy_make(&l->array, k->lines, k->sets, savings_value(s, "tags_drowsy") != 0);
}

static void slice_unmake(void *self) { drowsy_unmake(&((struct slice *)self)->array); }

static uint32_t slice_hear(void *self, const struct cache_event *e) {
    struct slice *const l = self;
    return drowsy_hear(&l->array, &l->times, e);
}

static void slice_settle(const void *self, uint64_t now, struct savings_line_sums *to) {
    const struct slice *const l = self;
    const struct drowsy_array *const d = &l->array;
    to->on += drowsy_on(d->line, d->lines, d->of_lines.on, now);
    if (d->set != NULL) to->tags_on += l->ways * drowsy_on(d->set, d->sets, d->of_tags.on, now);
    to->wakes += d->of_lines.wakes;
    to->tag_wakes += l->ways * d->of_tags.wakes;
    to->late += d->of_lines.late + d->of_tags.late;
}

static const struct savings_l2_port l2 = {.slice_bytes = sizeof(struct slice),
                                          .is_there = lines_in_l2,
                                          .make = slice_make,
                                          .unmake = slice_unmake,
                                          .hear = slice_hear,
                                          .settle = slice_settle};

static void close(const struct savings *s, const struct sm_config *c, uint32_t sms,
                  uint64_t l2_lines, uint64_t cycles, struct activity *a) {
    const struct lines_time k = {c, sms, l2_lines, cycles};
    FOR_EACH_BIT32(i, lines_arrays(s)) {
        lines_close(&k, i, OWN_line_on, OWN_line_drowsy, a);
        if (savings_value(s, "tags_drowsy") != 0 && i != ARRAY_SHARED)
            lines_close(&k, i, OWN_tag_on, OWN_tag_drowsy, a);
    }
}

// ---- what it is --------------------------------------------------------------------------------
// clang-format off
static const struct savings_option options[] = {
    {.name = "in_shared", .value = 0, .high = 1, .unit = "",
     .what = "rows of shared memory too (128 bytes)", .source = "assumed: the paper leaves it out"},
    {.name = "line_wakeup", .value = 1, .high = 1000, .unit = "cycles",
     .what = "from waking a line to its access",
     .source = "Power-aware L1 and L2 caches, 4.1: an extra cycle"},
    {.name = "line_ahead", .value = 1, .high = 1000, .unit = "cycles",
     .what = "by which the look-ahead wakes a line before its access; as many hide the wakeup",
     .source = "Power-aware L1 and L2 caches, 4.1: the two-level scheduler tells beforehand"},
    {.name = "line_hold", .value = 0, .high = 1000000, .unit = "cycles",
     .what = "for which a line stays on after the cycle of its access",
     .source = "Power-aware L1 and L2 caches, 4.1: drowsy immediately after each access"},
    {.name = "tags_drowsy", .value = 0, .high = 1, .unit = "",
     .what = "tags are drowsy too, and a look-up wakes those of its set first",
     .source = "Power-aware L1 and L2 caches, 4.1: read and compared while the line's state is "
               "checked"},
};
// clang-format on

// A drowsy line has a bit of state and two switches. Tags that are drowsy too are left out.
#define DROWSY "Power-aware L1 and L2 caches, 4.1; Flautner et al., ISCA 2002"
// clang-format off
static const struct savings_effect effects[] = {
    {.line = "l1", .counter = "line_drowsy", .first = ARRAY_L1D, .component = "shared",
     .sign = SAVES, .price = {.kind = PRICE_CELLS_DROWSY, .per = PER_L1_LINE},
     .why = "cells of a drowsy line leak at the retention supply", .source = DROWSY},
    {.line = "l1", .counter = "line_wakes", .first = ARRAY_L1D, .component = "shared",
     .sign = COSTS, .price = {.kind = PRICE_WAKE_DROWSY, .per = PER_L1_LINE},
     .why = "waking charges them", .source = DROWSY},
    {.line = "l1", .counter = "line_drowsy", .first = ARRAY_SHARED, .component = "shared",
     .sign = SAVES, .price = {.kind = PRICE_CELLS_DROWSY, .per = PER_L1_LINE},
     .why = "a row of shared memory, as a line of L1", .source = DROWSY},
    {.line = "l1", .counter = "line_wakes", .first = ARRAY_SHARED, .component = "shared",
     .sign = COSTS, .price = {.kind = PRICE_WAKE_DROWSY, .per = PER_L1_LINE},
     .why = "a row of shared memory, as a line of L1", .source = DROWSY},
    {.line = "const", .counter = "line_drowsy", .first = ARRAY_CONST, .component = "const",
     .sign = SAVES, .price = {.kind = PRICE_CELLS_DROWSY, .per = PER_CONST_LINE}, .why = "as L1",
     .source = DROWSY},
    {.line = "const", .counter = "line_wakes", .first = ARRAY_CONST, .component = "const",
     .sign = COSTS, .price = {.kind = PRICE_WAKE_DROWSY, .per = PER_CONST_LINE}, .why = "as L1",
     .source = DROWSY},
    {.line = "tex", .counter = "line_drowsy", .first = ARRAY_TEX, .component = "tex", .sign = SAVES,
     .price = {.kind = PRICE_CELLS_DROWSY, .per = PER_TEX_LINE}, .why = "as L1", .source = DROWSY},
    {.line = "tex", .counter = "line_wakes", .first = ARRAY_TEX, .component = "tex", .sign = COSTS,
     .price = {.kind = PRICE_WAKE_DROWSY, .per = PER_TEX_LINE}, .why = "as L1", .source = DROWSY},
    {.line = "l2", .counter = "line_drowsy", .first = ARRAY_L2, .component = "l2", .sign = SAVES,
     .price = {.kind = PRICE_CELLS_DROWSY, .per = PER_L2_LINE}, .why = "as L1", .source = DROWSY},
    {.line = "l2", .counter = "line_wakes", .first = ARRAY_L2, .component = "l2", .sign = COSTS,
     .price = {.kind = PRICE_WAKE_DROWSY, .per = PER_L2_LINE}, .why = "as L1", .source = DROWSY},
    {.line = "const", .counter = "tag_drowsy", .first = ARRAY_CONST, .component = "const",
     .sign = SAVES, .price = {.kind = PRICE_CELLS_DROWSY, .per = PER_CONST_TAG}, .why = "as lines",
     .source = DROWSY},
    {.line = "const", .counter = "tag_wakes", .first = ARRAY_CONST, .component = "const",
     .sign = COSTS, .price = {.kind = PRICE_WAKE_DROWSY, .per = PER_CONST_TAG}, .why = "as lines",
     .source = DROWSY},
    {.line = "tex", .counter = "tag_drowsy", .first = ARRAY_TEX, .component = "tex", .sign = SAVES,
     .price = {.kind = PRICE_CELLS_DROWSY, .per = PER_TEX_TAG}, .why = "as lines",
     .source = DROWSY},
    {.line = "tex", .counter = "tag_wakes", .first = ARRAY_TEX, .component = "tex", .sign = COSTS,
     .price = {.kind = PRICE_WAKE_DROWSY, .per = PER_TEX_TAG}, .why = "as lines", .source = DROWSY},
    {.line = "l2", .counter = "tag_drowsy", .first = ARRAY_L2, .component = "l2", .sign = SAVES,
     .price = {.kind = PRICE_CELLS_DROWSY, .per = PER_L2_TAG}, .why = "as lines", .source = DROWSY},
    {.line = "l2", .counter = "tag_wakes", .first = ARRAY_L2, .component = "l2", .sign = COSTS,
     .price = {.kind = PRICE_WAKE_DROWSY, .per = PER_L2_TAG}, .why = "as lines", .source = DROWSY},
    {.line = "l1_tags", .counter = "tag_drowsy", .first = ARRAY_L1D, .component = "l1_tags",
     .sign = SAVES, .price = {.kind = PRICE_CELLS_DROWSY, .per = PER_L1_TAG}, .why = "as lines",
     .source = DROWSY},
    {.line = "l1_tags", .counter = "tag_wakes", .first = ARRAY_L1D, .component = "l1_tags",
     .sign = COSTS, .price = {.kind = PRICE_WAKE_DROWSY, .per = PER_L1_TAG}, .why = "as lines",
     .source = DROWSY},
};
static const struct savings_area areas[] = {
    {.line = "l1", .counter = "line_drowsy", .first = ARRAY_L1D, .component = "shared",
     .size = {.kind = SIZE_LATCHES, .per = PER_L1_LINE, .n = 1}, .parts = PARTS_LINES,
     .what = "state of a line", .source = DROWSY},
    {.line = "l1", .counter = "line_drowsy", .first = ARRAY_L1D, .component = "shared",
     .size = {.kind = SIZE_SWITCHES, .per = PER_L1_LINE, .n = 2}, .parts = PARTS_LINES,
     .what = "switches of a line to both supplies, a tenth of the cells' devices each (assumed)",
     .source = DROWSY},
    {.line = "l1", .counter = "line_drowsy", .first = ARRAY_SHARED, .component = "shared",
     .size = {.kind = SIZE_LATCHES, .per = PER_L1_LINE, .n = 1}, .parts = PARTS_LINES,
     .what = "state of a line", .source = DROWSY},
    {.line = "l1", .counter = "line_drowsy", .first = ARRAY_SHARED, .component = "shared",
     .size = {.kind = SIZE_SWITCHES, .per = PER_L1_LINE, .n = 2}, .parts = PARTS_LINES,
     .what = "switches of a line to both supplies, a tenth of the cells' devices each (assumed)",
     .source = DROWSY},
    {.line = "const", .counter = "line_drowsy", .first = ARRAY_CONST, .component = "const",
     .size = {.kind = SIZE_LATCHES, .per = PER_CONST_LINE, .n = 1}, .parts = PARTS_LINES,
     .what = "state of a line", .source = DROWSY},
    {.line = "const", .counter = "line_drowsy", .first = ARRAY_CONST, .component = "const",
     .size = {.kind = SIZE_SWITCHES, .per = PER_CONST_LINE, .n = 2}, .parts = PARTS_LINES,
     .what = "switches of a line to both supplies, a tenth of the cells' devices each (assumed)",
     .source = DROWSY},
    {.line = "tex", .counter = "line_drowsy", .first = ARRAY_TEX, .component = "tex",
     .size = {.kind = SIZE_LATCHES, .per = PER_TEX_LINE, .n = 1}, .parts = PARTS_LINES,
     .what = "state of a line", .source = DROWSY},
    {.line = "tex", .counter = "line_drowsy", .first = ARRAY_TEX, .component = "tex",
     .size = {.kind = SIZE_SWITCHES, .per = PER_TEX_LINE, .n = 2}, .parts = PARTS_LINES,
     .what = "switches of a line to both supplies, a tenth of the cells' devices each (assumed)",
     .source = DROWSY},
    {.line = "l2", .counter = "line_drowsy", .first = ARRAY_L2, .component = "l2",
     .size = {.kind = SIZE_LATCHES, .per = PER_L2_LINE, .n = 1}, .parts = PARTS_LINES,
     .what = "state of a line", .source = DROWSY},
    {.line = "l2", .counter = "line_drowsy", .first = ARRAY_L2, .component = "l2",
     .size = {.kind = SIZE_SWITCHES, .per = PER_L2_LINE, .n = 2}, .parts = PARTS_LINES,
     .what = "switches of a line to both supplies, a tenth of the cells' devices each (assumed)",
     .source = DROWSY},
};
// clang-format on

const struct savings_part part_drowsy_lines = {
    .name = "drowsy-lines",
    .what = "lines of caches (and rows of shared memory) have their full supply only while they "
            "are accessed, else the retention supply",
    .paper = "Power-aware L1 and L2 caches, 4.1; Flautner et al., ISCA 2002",
    .roles = ROLE_LINES,
    .options = {PART_ROWS(options)},
    .effects = {PART_ROWS(effects)},
    .areas = {PART_ROWS(areas)},
    .uses = {&part_lines},
    .state_bytes = sizeof(struct drowsy_lines),
    .ports = {.life = &life, .count = count},
    .make = make,
    .unmake = unmake,
    .l2 = &l2,
    .close = close,
};
