// A listener that keeps a copy of every cache of an SM by what it hears alone, and checks each event
// against it: a hit is where the line was put, with sectors that have come; a miss lacks some.
#ifndef WW_TEST_SM_LISTEN_H
#define WW_TEST_SM_LISTEN_H

#include "mem/config.h"
#include "test_rig.h"

enum { LISTEN_PLACES = 512 };
struct listen {
    const struct cache_config *shape[CLIENT_N];
    struct listen_line {
        uint64_t addr;
        uint32_t sectors;
        bool is_there;
    } line[CLIENT_N][LISTEN_PLACES];
    uint64_t n[MEM_ARRAYS][CACHE_WHATS];
    uint64_t cycle[MEM_ARRAYS]; // of the last event
    uint32_t extra[CACHE_WHATS];
    uint32_t arrays; // bit mask: where `extra` is answered
    struct cache_event last[MEM_ARRAYS];
};

static inline struct listen_line *listen_find(struct listen *l, uint32_t client, uint64_t addr) {
    for (uint32_t i = 0; i < LISTEN_PLACES; i++)
        if (l->line[client][i].is_there && l->line[client][i].addr == addr)
            return &l->line[client][i];
    return NULL;
}

static inline uint32_t listen_hear(void *self, const struct cache_event *e) {
    struct listen *const l = self;
    assert_true(e->array < ARRAY_L2 && e->what < CACHE_WHATS);
    l->n[e->array][e->what]++;
    l->last[e->array] = *e;
    const uint32_t extra = l->arrays >> e->array & 1 ? l->extra[e->what] : 0;
    assert_true(e->cycle >= l->cycle[e->array]);
    l->cycle[e->array] = e->cycle;
    if (e->array == ARRAY_SHARED) {
        assert_int_equal(e->place, CACHE_NOWHERE);
        return extra;
    }
    assert_int_equal(e->client, e->array);
    const struct cache_config *const c = l->shape[e->array];
    const uint32_t sector = c->sector_bytes ? c->sector_bytes : c->line_bytes;
    const uint32_t n_words = c->line_bytes / 4;
    if (n_words < 64) assert_true(e->words >> n_words == 0);
    if (e->what == CACHE_FLUSH) {
        memset(l->line[e->array], 0, sizeof l->line[e->array]);
        return extra;
    }
    assert_int_equal(e->addr % c->line_bytes, 0);
    struct listen_line *const at =
        e->place == CACHE_NOWHERE ? NULL : &l->line[e->array][e->place];
    if (at != NULL) assert_true(e->place < c->bytes / c->line_bytes);
    if (e->what == CACHE_EVICT) {
        assert_true(at != NULL && at->is_there && at->addr == e->addr);
        *at = (struct listen_line){0};
        return extra;
    }
    if (e->what == CACHE_FILL) {
        assert_int_equal(e->lanes, 0);
        if (at == NULL) return extra;
        assert_true(!at->is_there || at->addr == e->addr);
        *at = (struct listen_line){e->addr, at->sectors | e->sectors, true};
        return extra;
    }
    // An access: its sectors are those of its words.
    uint32_t sectors = 0;
    for (uint32_t w = 0; w < n_words; w++)
        if (e->words >> w & 1) sectors |= 1u << w * 4 / sector;
    assert_int_equal(sectors, e->sectors);
    assert_true(e->words != 0);
    assert_true((e->lanes != 0) == (e->array != ARRAY_INST));
    struct listen_line *const known = listen_find(l, e->array, e->addr);
    switch (e->what) {
    case CACHE_READ_HIT:
        assert_ptr_equal(at, known);
        assert_non_null(known);
        assert_int_equal(e->sectors & ~known->sectors, 0);
        break;
    case CACHE_WRITE_HIT:
        assert_ptr_equal(at, known);
        assert_non_null(known);
        known->sectors |= e->sectors; // local memory
        break;
    case CACHE_WRITE_MISS:
        if (at == NULL) break;
        assert_true(!at->is_there || (at == known && (e->sectors & ~known->sectors)));
        if (known == NULL) *at = (struct listen_line){e->addr, e->sectors, true};
        break;
    default: // a miss: loads of constants, textures and code want all sectors of a line
        assert_ptr_equal(at, known);
        if (known != NULL && e->array == ARRAY_L1D)
            assert_true((e->sectors & ~known->sectors) != 0);
        break;
    }
    return extra;
}

// Before rig_run, when the configuration stands.
static inline struct sm_technique listen_technique(struct listen *l, const struct rig *g) {
    *l = (struct listen){.shape = {[CLIENT_L1D] = &g->c.l1d,
                                   [CLIENT_CONST] = &g->c.constant,
                                   [CLIENT_TEX] = &g->c.texture,
                                   [CLIENT_INST] = &g->c.icache}};
    static const struct sm_array_port port = {.arrays = UINT32_MAX, .hear = listen_hear};
    return (struct sm_technique){.name = "listen", .self = l, .arrays = &port};
}

#endif
