// Names and sums of the counters that counters.def lists.
#include <pthread.h>

#include "activity/mem.h"
#include "activity/sm.h"

// The machine's own rows; one without a name stands where a place for counters of techniques is.
static const struct listed {
    struct act_info info;
    enum act_place place;
} listed[] = {
#define ACT(name, unit, component, prose)                                                          \
    {.info = {#name, unit, component, prose, ACT_##name, 1, NULL}},
#define ACTV(name, n, unit, component, prose)                                                      \
    {.info = {#name, unit, component, prose, ACT_##name, (n), NULL}},
#define PARTS(which) {.place = which},
#include "activity/counters.def"
#undef ACT
#undef ACTV
    {.place = ACT_PLACE_LAST}};

enum {
    LISTED = 0
#define ACT(name, ...)     +1
#define ACTV(name, n, ...) +(n)
#undef PARTS
#define PARTS(which)
#include "activity/counters.def"
#undef PARTS
#undef ACT
#undef ACTV
};
static_assert(LISTED == ACT_SM_END - ACT_SM_FIRST + ACT_MEM_END - ACT_MEM_FIRST,
              "a file of counters stands in the list and in the header of its room");

// ---- all rows ----------------------------------------------------------------------------------
// Filled once, at the first question.
enum { MAX_ROWS = 512 };
static struct {
    struct act_info row[MAX_ROWS];
    uint32_t n;
    pthread_once_t once;
} all = {.once = PTHREAD_ONCE_INIT};

static void add(const struct act_info *info) {
    assert(all.n < MAX_ROWS && "room for every counter");
    all.row[all.n++] = *info;
}

static void add_parts(enum act_place place) {
    struct act_part p;
    for (uint32_t i = 0; act_part(i, &p); i++) {
        for (uint32_t k = 0; p.place == place && k < p.n; k++) {
            const struct act_own *const r = &p.row[k];
            add(&(struct act_info){.name = r->name,
                                   .unit = r->unit,
                                   .component = r->component,
                                   .prose = r->prose,
                                   .first = p.first + r->at,
                                   .n = r->n != 0 ? r->n : 1,
                                   .free = r->free});
        }
    }
}

static void join(void) {
    for (uint32_t i = 0; i < WW_COUNT(listed); i++) {
        if (listed[i].info.name != NULL)
            add(&listed[i].info);
        else
            add_parts(listed[i].place);
    }
}

uint32_t act_rows(void) {
    pthread_once(&all.once, join);
    return all.n;
}

const struct act_info *act_row(int64_t row) {
    return row >= 0 && row < act_rows() ? &all.row[row] : NULL;
}

const char *stall_text(enum stall_reason r) {
    static const char *const text[] = {
#define STALL(name, prose) #name,
#include "activity/stall.def"
#undef STALL
    };
    _Static_assert(WW_COUNT(text) == STALL_N && (int)STALL_N <= (int)ACT_STALLS,
                   "issue_slots has room for each reason");
    return (unsigned)r < STALL_N ? text[r] : "?";
}

int act_find(const char *name) {
    const uint32_t n = act_rows();
    for (uint32_t i = 0; i < n; i++)
        if (strcmp(all.row[i].name, name) == 0) return (int)i;
    return -1;
}

int act_row_of(uint32_t number) {
    const uint32_t n = act_rows();
    for (uint32_t i = 0; i < n; i++)
        if (number - all.row[i].first < all.row[i].n) return (int)i;
    return -1;
}

enum act_by act_entries(uint32_t row) {
    const uint32_t first = act_row(row)->first;
    if (first == ACT_warp_by_class || first == ACT_thread_by_class) return ACT_BY_CLASS;
    return first == ACT_issue_slots ? ACT_BY_STALL : ACT_BY_NUMBER;
}

static const struct act_info *info_of(const char *name) {
    const int row = act_find(name);
    assert(row >= 0 && "a counter that is there");
    return act_row(row);
}

uint32_t act_number(const char *name) { return info_of(name)->first; }

uint32_t act_last(const char *name) {
    const struct act_info *i = info_of(name);
    return i->first + i->n - 1;
}

static uint32_t single(const char *name) {
    const struct act_info *i = info_of(name);
    assert(i->n == 1 && "a counter that is no array");
    return i->first;
}

uint64_t act_get(const struct activity *a, const char *name) { return a->c[single(name)]; }

void act_put(struct activity *a, const char *name, uint64_t value) { a->c[single(name)] = value; }

uint64_t act_sum(const struct activity *a, const char *name) {
    const struct act_info *r = info_of(name);
    uint64_t sum = 0;
    for (uint32_t i = 0; i < r->n; i++) sum += a->c[r->first + i];
    return sum;
}

uint64_t act_at(const struct activity *a, const char *name, uint32_t i) {
    const struct act_info *r = info_of(name);
    assert(i < r->n && "an entry of the array");
    return a->c[r->first + i];
}

void activity_add(struct activity *sum, const struct activity *a) {
    for (uint32_t i = 0; i < ACT_N; i++) sum->c[i] += a->c[i];
}

void activity_sub(struct activity *difference, const struct activity *a) {
    for (uint32_t i = 0; i < ACT_N; i++) difference->c[i] -= a->c[i];
}

void activity_set_sum(struct activity *restrict out, const struct activity *a,
                      const struct activity *b) {
    for (uint32_t i = 0; i < ACT_N; i++) out->c[i] = a->c[i] + b->c[i];
}

void activity_set_span(struct activity *restrict out, const struct activity *from,
                       const struct activity *to) {
    for (uint32_t i = 0; i < ACT_N; i++) out->c[i] = to->c[i] - from->c[i];
}
