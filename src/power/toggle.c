// Data that changes fewer bits costs less (toggle.def).
#include "activity/mem.h"
#include "activity/sm.h"
#include "power/power.h"
#include "power/tree.h"

#include <stddef.h>

#define ALL_CLASSES ACT_thread_by_class, ACT_thread_by_class + OPC_N - 1
static const struct row {
    const char *part;
    uint32_t first, last, words, bits;
    double bits_a_word;
    size_t share; // of struct power_config
} rows[] = {
#define TOGGLE(part, first, last, words, bits, n, share)                                           \
    {#part,                                                                                        \
     ACT_##first,                                                                                  \
     ACT_##last,                                                                                   \
     ACT_##words,                                                                                  \
     ACT_##bits,                                                                                   \
     n,                                                                                            \
     offsetof(struct power_config, share)},
#define TOGGLE_UNIT(part, unit)                                                                    \
    {#part,                                                                                        \
     ALL_CLASSES,                                                                                  \
     ACT_toggle_results + UNIT_##unit,                                                             \
     ACT_toggle_result_bits + UNIT_##unit,                                                         \
     32,                                                                                           \
     offsetof(struct power_config, data_lanes)},
#include "power/toggle.def"
#undef TOGGLE
#undef TOGGLE_UNIT
};

void tree_toggles(struct power_tree *tree, const struct power_config *c) {
    for (int i = 0; i < tree->events; i++) {
        struct power_event *const e = &tree->event[i];
        for (size_t k = 0; k < WW_COUNT(rows); k++) {
            const struct row *const r = &rows[k];
            if (e->act < r->first || e->act > r->last ||
                strcmp(tree->component[e->component].name, r->part) != 0)
                continue;
            double share;
            memcpy(&share, (const char *)c + r->share, sizeof share);
            e->data = (struct power_data){share, r->bits_a_word, r->words, r->bits};
        }
    }
}

double power_data_factor(const struct power_data *p, const struct activity *a) {
    const double words = (double)a->c[p->words];
    if (p->share == 0 || words == 0) return 1;
    const double changed = (double)a->c[p->bits] / words / p->bits_a_word;
    return 1 - p->share + p->share * changed / POWER_BITS_CHANGE;
}
