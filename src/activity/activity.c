// Names and sums of the counters in activity.def.
#include "activity/activity.h"

const struct act_info act_info[] = {
#define ACT(name, unit, component, prose) {#name, unit, component, prose, ACT_##name, 1},
#define ACTV(name, n, unit, component, prose) {#name, unit, component, prose, ACT_##name, (n)},
#include "activity/activity.def"
#undef ACT
#undef ACTV
    {NULL, NULL, NULL, NULL, 0, 0},
};
const uint32_t act_info_n = WW_COUNT(act_info) - 1;

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
