// The port for arrays: caches and shared memory (caches.c and lsu.c call it).
#ifndef WW_SM_ARRAYS_H
#define WW_SM_ARRAYS_H

#include "sm/view.h"

struct sm_array_port {
    uint32_t arrays; // that it hears of: bit mask of enum mem_array
    // Something happens in an array (mem/event.h). Answers cycles that it takes longer; those of
    // several techniques add up.
    uint32_t (*hear)(void *self, const struct cache_event *e);
};

#endif
