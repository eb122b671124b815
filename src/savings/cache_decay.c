// Cache decay (Kaxiras, Hu and Martonosi, ISCA 2001): a line that has not been accessed for an
// interval is switched off and loses its data; what is dirty is written back first, and an access
// that wants it afterwards misses. A line that never held anything is off. The interval is counted as
// there: a tick every quarter of it for all lines, two bits for each; here a line goes off at the
// first tick that is the whole interval after its last access.
//
// Tags stay on. Left out: what the counters cost.
#include "savings/lines.h"
#include "savings/savings_int.h"

struct cache_decay {
    struct decay_array array[MEM_ARRAYS];
    struct sm_array_port port;
};

bool decay_make(struct decay_array *a, uint32_t lines, uint32_t interval) {
    *a = (struct decay_array){
        .lines = lines, .interval = interval, .tick = interval >= 4 ? interval / 4 : 1};
    a->line = ww_alloc_aligned(lines * sizeof *a->line);
    return a->line != NULL;
}

void decay_unmake(struct decay_array *a) { ww_free_aligned(a->line); }

uint64_t decay_lapses_at(const struct decay_array *a, const struct decay_line *l) {
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

void decay_hear(struct decay_array *a, const struct cache_event *e) {
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

uint64_t decay_on(const struct decay_array *a, uint64_t now) {
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
    const struct cache_decay *const d = self;
    FOR_EACH_BIT32(i, d->port.arrays) {
        const struct decay_array *const x = &d->array[i];
        a->c[ACT_line_on + i] += decay_on(x, now);
        a->c[ACT_line_fills + i] += x->fills;
        a->c[ACT_line_lapses + i] += x->lapses;
    }
}

bool decay_init(struct savings_sm *s, struct sm_technique *t) {
    struct cache_decay *const d = s->decay = ww_alloc_aligned(sizeof *d);
    if (d == NULL) return false;
    d->port = (struct sm_array_port){.hear = hear, .lapses_at = lapses_at};
    FOR_EACH_BIT32(i, lines_arrays(&s->set.o) & ~(1u << ARRAY_L2 | 1u << ARRAY_SHARED)) {
        const uint32_t lines = lines_of(&s->c, i);
        if (lines == 0) continue;
        if (!decay_make(&d->array[i], lines, s->set.o.decay)) return false;
        d->port.lapse_cycles = d->array[i].tick;
        d->port.arrays |= 1u << i;
    }
    if (d->port.arrays == 0) d->port.lapses_at = NULL;
    *t =
        (struct sm_technique){.name = "cache-decay", .self = d, .arrays = &d->port, .count = count};
    return true;
}

void decay_free(struct cache_decay *d) {
    for (uint32_t i = 0; d != NULL && i < MEM_ARRAYS; i++) decay_unmake(&d->array[i]);
    ww_free_aligned(d);
}
