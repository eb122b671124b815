// The port for arrays: caches and shared memory (caches.c and lsu.c call it).
#ifndef WW_SM_ARRAYS_H
#define WW_SM_ARRAYS_H

#include "sm/view.h"

struct sm_array_port {
    uint32_t arrays; // that it hears of: bit mask of enum mem_array
    // Something happens in an array (mem/event.h). Answers cycles that it takes longer; those of
    // several techniques add up.
    uint32_t (*hear)(void *self, const struct cache_event *e);
    // NULL, or as a cache_listener's (mem/event.h): the cycle from which on a line of one of these
    // caches is to be dropped, a whole number of lapse_cycles. Asked then, while the SM holds work,
    // and when it gets some. At most one technique of an SM has this.
    uint64_t (*lapses_at)(void *self, enum mem_array array, uint32_t place);
    uint32_t lapse_cycles;
};

#endif
