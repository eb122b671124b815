// Lines of caches and rows of shared memory, which techniques put away one by one (drowsy_lines.c,
// cache_decay.c) or of which they switch on parts (mask_access.c): which arrays are meant, how many
// lines they have, and the times that are counted (lines.c).
#ifndef WW_SAVINGS_LINES_H
#define WW_SAVINGS_LINES_H

#include <assert.h>

#include "mem/event.h"
#include "savings/part.h"

static_assert((int)MEM_ARRAYS == ACT_ARRAYS, "counters by array have one for each");

enum { // numbers of the counters of lines, from the first
    OWN_line_on,
    OWN_line_drowsy = OWN_line_on + ACT_ARRAYS,
    OWN_line_off = OWN_line_drowsy + ACT_ARRAYS,
    OWN_line_wakes = OWN_line_off + ACT_ARRAYS,
    OWN_line_late = OWN_line_wakes + ACT_ARRAYS,
    OWN_line_fills = OWN_line_late + ACT_ARRAYS,
    OWN_line_lapses = OWN_line_fills + ACT_ARRAYS,
    OWN_tag_on = OWN_line_lapses + ACT_ARRAYS,
    OWN_tag_drowsy = OWN_tag_on + ACT_ARRAYS,
    OWN_tag_wakes = OWN_tag_drowsy + ACT_ARRAYS,
};

// Bit mask of enum mem_array: those that the options name.
uint32_t lines_arrays(const struct savings *s);
static inline bool lines_in_l2(const struct savings *s) { return savings_value(s, "in_l2") != 0; }

enum { SHARED_ROW = 128 }; // bytes: a word of each of 32 banks, as a line of L1 lies in the array
// The cache of an SM; NULL: shared memory, or one that the SM does not have.
const struct cache_config *lines_cache(const struct sm_config *c, uint32_t array);
// Lines of an SM's array, rows of its shared memory.
uint32_t lines_of(const struct sm_config *c, uint32_t array);

// What savings_close is told of an SM's or a GPU's lines.
struct lines_time {
    const struct sm_config *c;
    uint32_t sms;
    uint64_t l2_lines, cycles;
};
// `on` and `away` are own counters of lines. Lines of an array that counted how long they were on
// were away for the rest of the time.
void lines_close(const struct lines_time *k, uint32_t array, uint32_t on, uint32_t away,
                 struct activity *a);

#endif
