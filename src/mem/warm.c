// Keeping warm: what work without time touches comes into TLBs and L2 as its tags alone. Nothing takes time, nothing is
// counted, and what a line pushes out dirty is dropped, as its write-back would have been over.
//
// Left out: rows of DRAM. A refresh closes all of them every few microseconds (dram.c), sooner than work without time that
// is worth it would have ended. And an L2 that a technique listens to stays as it is: its listeners hear of timed accesses.
#include "mem/cache.h"
#include "mem/system.h"

enum { LINE = 128, SECTOR32 = 32, WORD = 4 };

// Bytes [from, from + n) of a slice: the line that holds them, and which of its sectors they are. `words`: of those that are
// written, from the first one on.
static void warm_line(struct mem_system *m, struct slice *s, uint64_t from, uint32_t n,
                      uint32_t words, bool writes) {
    struct cache *const tags = s->tags;
    const uint32_t offset = (uint32_t)from & (m->line_bytes - 1);
    const uint32_t first = offset >> m->sector_shift, last = (offset + n - 1) >> m->sector_shift;
    uint32_t sectors = (uint32_t)(((UINT64_C(2) << last) - 1) & ~((UINT64_C(1) << first) - 1));
    const uint64_t number = from >> m->line_shift;
    const uint32_t set = cache_set_of(tags, number) * tags->ways;
    uint32_t at = cache_find_in(tags, set, number);
    if (at == CACHE_NOWHERE) {
        if (writes && !m->c.l2.write_allocate) return;
        at = cache_victim_in(tags, set);
        if (cache_place_at(tags, at, number).result == CACHE_FULL) return;
    } else {
        cache_touch(tags, at);
    }
    struct cache_line *const line = &tags->line[at];
    if (writes) {
        if (m->c.l2.write_back) line->dirty |= (uint8_t)sectors;
        slice_know(m, s, at, sectors & tags->all, (uint64_t)words << offset / WORD);
        return;
    }
    if (m->block_sectors > 1 && (sectors & ~line->valid)) {
        const uint32_t block = (1u << m->block_sectors) - 1;
        for (uint32_t k = 0; tags->all >> k; k += m->block_sectors)
            if (sectors >> k & block) sectors |= block << k;
    }
    line->valid |= (uint8_t)(sectors & tags->all);
}

// A line is written where it lives: the twin's copy goes.
static void warm_forget(struct mem_system *m, struct slice *twin, uint64_t local) {
    const uint32_t at = cache_find(twin->tags, (local | FAR_LINE) >> m->line_shift);
    if (at != CACHE_NOWHERE) cache_drop(twin->tags, at);
}

void mem_system_warm(struct mem_system *m, uint32_t sm, uint64_t addr, uint32_t words,
                     bool writes, uint64_t now) {
    if (m->tlb) tlb_warm(m->tlb, sm, addr, now);
    if (!(m->cached >> CLIENT_L1D & 1) || m->listeners != 0) return;
    const struct mem_place place = map_place(&m->map, addr & ~(uint64_t)(LINE - 1));
    struct slice *const s = &m->partition[place.partition].slice[place.slice];
    struct slice *const twin = m->far_ticks ? &m->partition[place.partition].slice[place.slice ^ 1] : NULL;
    const bool crosses = twin && (place.slice & 1) != m->port[sm].half;
    const uint32_t first = bits_first32(words) * WORD / SECTOR32 * SECTOR32,
                   end = (bits_last32(words) * WORD / SECTOR32 + 1) * SECTOR32;
    for (uint32_t at = first, n; at < end; at += n) {
        const uint32_t left = m->line_bytes - ((uint32_t)(place.local + at) & (m->line_bytes - 1));
        n = end - at < left ? end - at : left;
        warm_line(m, s, place.local + at, n, words >> at / WORD, writes);
        if (crosses && !writes) warm_line(m, twin, (place.local + at) | FAR_LINE, n, 0, false);
        if (twin && writes) warm_forget(m, twin, place.local + at);
    }
}
