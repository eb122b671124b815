// Names and sums of the counters that counters.def lists.
#include "activity/mem.h"
#include "activity/savings.h"
#include "activity/sm.h"

const struct act_info act_info[] = {
#define ACT(name, unit, component, prose) {#name, unit, component, prose, ACT_##name, 1},
#define ACTV(name, n, unit, component, prose) {#name, unit, component, prose, ACT_##name, (n)},
#include "activity/counters.def"
#undef ACT
#undef ACTV
    {NULL, NULL, NULL, NULL, 0, 0},
};
const uint32_t act_info_n = WW_COUNT(act_info) - 1;

enum {
    LISTED = 0
#define ACT(name, ...)     +1
#define ACTV(name, n, ...) +(n)
#include "activity/counters.def"
#undef ACT
#undef ACTV
};
static_assert(LISTED == ACT_SM_END - ACT_SM_FIRST + ACT_MEM_END - ACT_MEM_FIRST +
                            ACT_SAVINGS_END - ACT_SAVINGS_FIRST,
              "a file of counters stands in the list and in the header of its room");

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
    for (uint32_t i = 0; i < act_info_n; i++)
        if (strcmp(act_info[i].name, name) == 0) return (int)i;
    return -1;
}

int act_row_of(uint32_t number) {
    for (uint32_t i = 0; i < act_info_n; i++)
        if (number >= act_info[i].first && number < act_info[i].first + act_info[i].n)
            return (int)i;
    return -1;
}

enum act_by act_entries(uint32_t row) {
    const uint32_t first = act_info[row].first;
    if (first == ACT_warp_by_class || first == ACT_thread_by_class) return ACT_BY_CLASS;
    return first == ACT_issue_slots ? ACT_BY_STALL : ACT_BY_NUMBER;
}

static const struct act_info *info_of(const char *name) {
    const int row = act_find(name);
    assert(row >= 0 && "a counter that is there");
    return &act_info[row];
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
