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

struct drowsy_lines {
    struct drowsy_array array[MEM_ARRAYS];
    struct drowsy_times times;
    struct sm_array_port port;
    uint32_t ways[MEM_ARRAYS];
    bool is_busy;
};

bool drowsy_make(struct drowsy_array *a, uint32_t lines, uint32_t sets, bool tags) {
    *a = (struct drowsy_array){.lines = lines, .sets = tags ? sets : 0};
    a->line = ww_alloc_aligned(lines * sizeof *a->line);
    if (a->sets != 0) a->set = ww_alloc_aligned(sets * sizeof *a->set);
    return a->line != NULL && (a->sets == 0 || a->set != NULL);
}

void drowsy_unmake(struct drowsy_array *a) {
    ww_free_aligned(a->line);
    ww_free_aligned(a->set);
}

uint32_t drowsy_hear(struct drowsy_array *a, const struct drowsy_times *k,
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

uint64_t drowsy_on(const struct drowsy_line *l, uint32_t n, uint64_t counted, uint64_t now) {
    for (uint32_t i = 0; i < n; i++) {
        const uint64_t until = l[i].until < now ? l[i].until : now;
        counted += until > l[i].from ? until - l[i].from : 0;
    }
    return counted;
}

struct drowsy_times drowsy_times_of(const struct savings_options *o) {
    return (struct drowsy_times){.wakeup = o->line_wakeup,
                                 .ahead = o->line_ahead < o->line_wakeup ? o->line_ahead
                                                                         : o->line_wakeup,
                                 .hold = o->line_hold};
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
    const struct drowsy_lines *const d = self;
    const uint64_t to = d->is_busy ? now : UINT64_MAX;
    FOR_EACH_BIT32(i, d->port.arrays) {
        const struct drowsy_array *const x = &d->array[i];
        a->c[ACT_line_on + i] += drowsy_on(x->line, x->lines, x->of_lines.on, to);
        a->c[ACT_line_wakes + i] += x->of_lines.wakes;
        a->c[ACT_line_late + i] += x->of_lines.late + x->of_tags.late;
        if (x->set == NULL) continue;
        a->c[ACT_tag_on + i] += d->ways[i] * drowsy_on(x->set, x->sets, x->of_tags.on, to);
        a->c[ACT_tag_wakes + i] += d->ways[i] * x->of_tags.wakes;
    }
}

static const struct sm_life_port life = {.work = work};

bool drowsy_init(struct savings_sm *s, struct sm_technique *t) {
    struct drowsy_lines *const d = s->drowsy = ww_alloc_aligned(sizeof *d);
    if (d == NULL) return false;
    d->times = drowsy_times_of(&s->set.o);
    d->port = (struct sm_array_port){.hear = hear};
    FOR_EACH_BIT32(i, lines_arrays(&s->set.o) & ~(1u << ARRAY_L2)) {
        const uint32_t lines = lines_of(&s->c, i);
        if (lines == 0) continue;
        const struct cache_config *const c = lines_cache(&s->c, i);
        d->ways[i] = c != NULL ? c->ways : 1;
        if (!drowsy_make(&d->array[i], lines, lines / d->ways[i],
                         s->set.o.tags_drowsy && i != ARRAY_SHARED))
            return false;
        d->port.arrays |= 1u << i;
    }
    *t = (struct sm_technique){
        .name = "drowsy-lines", .self = d, .arrays = &d->port, .life = &life, .count = count};
    return true;
}

void drowsy_free(struct drowsy_lines *d) {
    for (uint32_t i = 0; d != NULL && i < MEM_ARRAYS; i++) drowsy_unmake(&d->array[i]);
    ww_free_aligned(d);
}
