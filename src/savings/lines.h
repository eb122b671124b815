// Lines of caches and rows of shared memory that a technique puts away one by one: drowsy
// (drowsy_lines.c) or off (cache_decay.c), in an SM and in L2. What is common to both: which
// arrays, how many lines they have, and where the events of an array go.
#ifndef WW_SAVINGS_LINES_H
#define WW_SAVINGS_LINES_H

#include <assert.h>

#include "mem/event.h"
#include "savings/savings.h"
#include "sm/config.h"

static_assert((int)MEM_ARRAYS == ACT_ARRAYS, "counters by array have one for each");

// ---- drowsy -------------------------------------------------------------------------------------
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

// An access wants the line in cycle t: it is woken if it is drowsy. Answers when it is on. A line
// is woken `ahead` cycles before where the look-ahead has seen the access coming.
static inline uint64_t drowsy_access(const struct drowsy_times *k, struct drowsy_line *l,
                                     uint64_t t, struct drowsy_counts *c) {
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

// Memory for the lines of an array; false: there is none.
bool drowsy_make(struct drowsy_array *a, uint32_t lines, uint32_t sets, bool tags);
void drowsy_unmake(struct drowsy_array *a);
// Of an array; answers extra cycles.
uint32_t drowsy_hear(struct drowsy_array *a, const struct drowsy_times *k,
                     const struct cache_event *e);
// Cycles on up to and without `now`, those to come left out.
uint64_t drowsy_on(const struct drowsy_line *l, uint32_t n, uint64_t counted, uint64_t now);
struct drowsy_times drowsy_times_of(const struct savings_options *o);

// ---- off ----------------------------------------------------------------------------------------
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
bool decay_make(struct decay_array *a, uint32_t lines, uint32_t interval);
void decay_unmake(struct decay_array *a);
void decay_hear(struct decay_array *a, const struct cache_event *e);
uint64_t decay_lapses_at(const struct decay_array *a, const struct decay_line *l);
// Cycles on up to and without `now`.
uint64_t decay_on(const struct decay_array *a, uint64_t now);

// ---- parts of a line ----------------------------------------------------------------------------
// Words of so many sectors that an access switches on, and those that it leaves quiet: counted
// (mask_access.c).
struct mask_shape {
    uint32_t line_words, sector_words;
};
static inline struct mask_shape mask_shape_of(const struct cache_config *c) {
    const uint32_t sector = c->sector_bytes != 0 ? c->sector_bytes : c->line_bytes;
    return (struct mask_shape){c->line_bytes / 4, sector / 4};
}
void mask_hear(const struct mask_shape *k, bool by_mask, const struct cache_event *e, uint64_t *c);

// ---- which
// --------------------------------------------------------------------------------------- Bit mask
// of enum mem_array: those that the options name.
static inline uint32_t lines_arrays(const struct savings_options *o) {
    return (uint32_t)(o->in_l1 != 0) << ARRAY_L1D | (uint32_t)(o->in_const != 0) << ARRAY_CONST |
           (uint32_t)(o->in_tex != 0) << ARRAY_TEX | (uint32_t)(o->in_shared != 0) << ARRAY_SHARED |
           (uint32_t)(o->in_l2 != 0) << ARRAY_L2;
}
enum { SHARED_ROW = 128 }; // bytes: a word of each of 32 banks, as a line of L1 lies in the array
// The cache of an SM; NULL: shared memory, or one that the SM does not have.
static inline const struct cache_config *lines_cache(const struct sm_config *c, uint32_t array) {
    const struct cache_config *const k = array == ARRAY_L1D     ? &c->l1d
                                         : array == ARRAY_CONST ? &c->constant
                                         : array == ARRAY_TEX   ? &c->texture
                                                                : NULL;
    return k != NULL && k->bytes != 0 ? k : NULL;
}
static inline uint32_t lines_of(const struct sm_config *c, uint32_t array) {
    if (array == ARRAY_SHARED) return c->shared_bytes / SHARED_ROW;
    const struct cache_config *const k = lines_cache(c, array);
    return k != NULL ? k->bytes / k->line_bytes : 0;
}

#endif
