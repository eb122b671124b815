// A warp's entries of a register-file cache (Gebhart et al., ISCA 2011): which registers they hold,
// in which lanes, and what of it the banks (the main register file) lack.
//
//   read      a register that is there in all lanes that read it hits; one that is there in some of
//             them is read in both places; a miss brings nothing in. A last read leaves no value
//             that a later instruction reads
//   written   a result takes an entry: its register's, else a free one, else the oldest (first in,
//             first out)
//   evicted   the entry's value goes to the banks if a lane of it is dirty: written here, and not
//             read for the last time; else it is dropped
//   flushed   all entries go so when the warp leaves the active set
#ifndef WW_SAVINGS_RFC_H
#define WW_SAVINGS_RFC_H

#include "base/base.h"

enum { RFC_MAX_ENTRIES = 16 }; // of a warp
struct rfc_entry {
    uint32_t valid, dirty; // lanes; valid 0: the entry is free
    uint32_t number;       // that it came as: the lowest is the oldest
    uint8_t reg;
};
struct rfc_warp {
    struct rfc_entry entry[RFC_MAX_ENTRIES];
    uint32_t came; // entries that were taken so far
};

enum rfc_read { RFC_HIT, RFC_MISS, RFC_BOTH, RFC_READS };

// The entry that holds a register; n: there is none.
static inline uint32_t rfc_find(const struct rfc_warp *w, uint32_t n, uint32_t reg) {
    uint32_t i = 0;
    while (i < n && (w->entry[i].valid == 0 || w->entry[i].reg != reg)) i++;
    return i;
}

// `lanes` read a register, is_last: and no later instruction wants it of them. *place: its entry.
static inline enum rfc_read rfc_read(struct rfc_warp *w, uint32_t n, uint32_t reg, uint32_t lanes,
                                     bool is_last, uint32_t *place) {
    *place = rfc_find(w, n, reg);
    if (*place == n) return RFC_MISS;
    struct rfc_entry *const e = &w->entry[*place];
    const uint32_t there = e->valid & lanes;
    if (is_last) e->dirty &= ~lanes;
    return there == lanes ? RFC_HIT : there == 0 ? RFC_MISS : RFC_BOTH;
}

// The entry for a result: its register's, a free one, or the oldest.
static inline uint32_t rfc_place(const struct rfc_warp *w, uint32_t n, uint32_t reg) {
    uint32_t at = rfc_find(w, n, reg);
    for (uint32_t i = 0; at == n && i < n; i++)
        if (w->entry[i].valid == 0) at = i;
    if (at != n) return at;
    at = 0;
    for (uint32_t i = 1; i < n; i++)
        if (w->entry[i].number < w->entry[at].number) at = i;
    return at;
}

// `lanes` (not 0) of a result are written into the entry that rfc_place named. Answers the entry
// that had to go for it; valid 0: none.
static inline struct rfc_entry rfc_write(struct rfc_warp *w, uint32_t place, uint32_t reg,
                                         uint32_t lanes) {
    struct rfc_entry *const e = &w->entry[place];
    if (e->valid != 0 && e->reg == reg) {
        e->valid |= lanes;
        e->dirty |= lanes;
        return (struct rfc_entry){0};
    }
    const struct rfc_entry old = *e;
    *e = (struct rfc_entry){
        .valid = lanes, .dirty = lanes, .number = w->came++, .reg = (uint8_t)reg};
    return old;
}

// `lanes` of a result are written to the banks: what an entry has of them is out of date.
static inline void rfc_bypass(struct rfc_warp *w, uint32_t n, uint32_t reg, uint32_t lanes) {
    const uint32_t at = rfc_find(w, n, reg);
    if (at == n) return;
    w->entry[at].valid &= ~lanes;
    w->entry[at].dirty &= ~lanes;
}

#endif
