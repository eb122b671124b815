// Tag arrays and MSHRs against naive reference models, by random traces; policies by hand.
#include <string.h>

#include "test_rig.h"

static struct cache_config shape(uint32_t sets, uint32_t ways, uint32_t line, uint32_t sector) {
    return (struct cache_config){.bytes = sets * ways * line,
                                 .line_bytes = line,
                                 .sector_bytes = sector,
                                 .ways = ways,
                                 .mshrs = 8,
                                 .mshr_merge = 4,
                                 .ports = 1,
                                 .write_back = true,
                                 .write_allocate = true,
                                 .lru = true};
}

// ---- a reference: every line that is there, in a list by age --------------------------------
struct ref_line {
    uint64_t line;
    uint32_t valid, dirty, place;
};
struct ref {
    uint32_t sets, ways, line_bytes;
    bool hashed;
    struct ref_line at[512][64]; // [set][age], youngest first
    uint32_t n[512];
};

static uint32_t ref_set(const struct ref *r, uint64_t line) {
    uint64_t number = line / r->line_bytes;
    if (!r->hashed) return (uint32_t)(number % r->sets);
    uint32_t bits = 0, x = 0;
    while ((1u << bits) < r->sets) bits++;
    for (; number; number >>= bits) x ^= (uint32_t)number & ((1u << bits) - 1);
    return x % r->sets;
}
static struct ref_line *ref_find(struct ref *r, uint64_t line, bool touch) {
    const uint32_t s = ref_set(r, line);
    for (uint32_t i = 0; i < r->n[s]; i++) {
        if (r->at[s][i].line != line) continue;
        if (!touch) return &r->at[s][i];
        const struct ref_line l = r->at[s][i];
        memmove(&r->at[s][1], &r->at[s][0], i * sizeof l);
        r->at[s][0] = l;
        return &r->at[s][0];
    }
    return NULL;
}
static struct ref_line ref_place(struct ref *r, uint64_t line) {
    const uint32_t s = ref_set(r, line);
    struct ref_line gone = {0};
    if (r->n[s] == r->ways) gone = r->at[s][--r->n[s]];
    memmove(&r->at[s][1], &r->at[s][0], r->n[s] * sizeof gone);
    r->n[s]++;
    r->at[s][0] = (struct ref_line){.line = line, .place = CACHE_NOWHERE};
    return gone;
}

static void lru_trace(uint32_t sets, uint32_t ways, uint32_t sector, bool hashed, uint32_t seed) {
    struct cache_config c = shape(sets, ways, 128, sector);
    c.hashed_sets = hashed;
    struct cache *k = cache_create(&c);
    static struct ref r;
    memset(&r, 0, sizeof r);
    r.sets = sets, r.ways = ways, r.line_bytes = 128, r.hashed = hashed;
    const uint32_t all = (1u << 128 / sector) - 1;
    for (int i = 0; i < 60000; i++) {
        const uint64_t line = (uint64_t)(rig_random(&seed) % (sets * ways * 2)) * 128 +
                              ((uint64_t)(rig_random(&seed) % 3) << 33);
        const uint32_t sectors = 1 + rig_random(&seed) % all;
        struct cache_answer a;
        struct ref_line *l, gone = {0};
        switch (rig_random(&seed) % 8) {
        case 0: // write without allocation
            l = ref_find(&r, line, true);
            a = cache_write(k, line, sectors);
            assert_int_equal(a.result, l ? CACHE_HIT : CACHE_MISS);
            if (l) l->valid |= sectors, l->dirty |= sectors;
            break;
        case 1: // write with
            l = ref_find(&r, line, true);
            a = cache_write_line(k, line, sectors);
            assert_int_equal(a.result, l ? CACHE_HIT : CACHE_MISS);
            if (!l) {
                gone = ref_place(&r, line);
                l = ref_find(&r, line, true);
            }
            l->valid |= sectors, l->dirty |= sectors;
            assert_int_equal(a.has_victim, gone.valid != 0);
            assert_int_equal(a.victim_dirty, gone.dirty);
            if (a.has_victim) assert_int_equal(a.victim, gone.line);
            break;
        case 2:
            if (rig_random(&seed) % 8) continue;
            l = ref_find(&r, line, false);
            a = cache_evict_line(k, line);
            assert_int_equal(a.result, l ? CACHE_HIT : CACHE_MISS);
            assert_int_equal(a.has_victim, l != NULL);
            if (l) {
                assert_int_equal(a.victim, line);
                assert_int_equal(a.victim_dirty, l->dirty);
                const uint32_t s = ref_set(&r, line);
                const size_t i_of = (size_t)(l - r.at[s]);
                memmove(l, l + 1, (--r.n[s] - i_of) * sizeof *l);
            }
            break;
        default:
            l = ref_find(&r, line, false);
            const bool hit = l && (sectors & ~l->valid) == 0;
            a = cache_read(k, line, sectors);
            assert_int_equal(a.result, hit ? CACHE_HIT : CACHE_MISS);
            if (hit) {
                ref_find(&r, line, true);
                break;
            }
            if (!l) {
                gone = ref_place(&r, line);
                l = ref_find(&r, line, false);
            }
            a = cache_fill(k, line, sectors);
            l->valid |= sectors;
            assert_int_equal(a.has_victim, gone.valid != 0);
            assert_int_equal(a.victim_dirty, gone.dirty);
            if (a.has_victim) assert_int_equal(a.victim, gone.line);
        }
        // A line keeps its place as long as it is there.
        l = ref_find(&r, line, false);
        const uint32_t place = cache_place_of(k, line);
        assert_int_equal(place != CACHE_NOWHERE, l != NULL);
        if (l) {
            if (l->place == CACHE_NOWHERE) l->place = place;
            assert_int_equal(l->place, place);
            assert_true(place / ways == ref_set(&r, line));
            assert_int_equal(a.place, place);
        }
    }
    cache_destroy(k);
}

static void lru_against_a_reference(void **state) {
    (void)state;
    lru_trace(32, 4, 128, false, 1);
    lru_trace(64, 8, 32, true, 2);
    lru_trace(48, 6, 32, false, 3);
    lru_trace(96, 3, 64, true, 4);
    lru_trace(1, 16, 16, false, 5);
    lru_trace(2, 2, 32, true, 6);
    lru_trace(32, 24, 32, true, 7); // by the index, from here on
    lru_trace(3, 64, 64, false, 8);
}

// Without LRU, sets of many ways: a new line takes the lowest empty way that is open, else one whose line
// may go; each line is found where it was placed, and no other is.
static void many_ways_against_a_reference(void **state) {
    (void)state;
    enum { SETS = 3, WAYS = 70, LINES = SETS * WAYS * 2 };
    struct cache_config c = shape(SETS, WAYS, 128, 32);
    c.lru = false;
    struct cache *k = cache_create(&c);
    static uint32_t place_of[LINES], line_in[SETS * WAYS]; // + 1; 0: none
    static bool reserved[SETS * WAYS];
    uint32_t seed = 9, open = WAYS, full = 0;
    for (int i = 0; i < 60000; i++) {
        const uint32_t line = rig_random(&seed) % LINES, set = line % SETS;
        if (i % 4096 == 0) cache_open_ways(k, open = 1 + rig_random(&seed) % WAYS);
        uint32_t lowest = 0, may_go = 0;
        for (uint32_t w = open; w-- > 0;) {
            if (line_in[set * WAYS + w] == 0) lowest = set * WAYS + w + 1;
            may_go += !reserved[set * WAYS + w];
        }
        const bool was = place_of[line] != 0;
        if (rig_random(&seed) % 4 == 0) {
            const struct cache_answer a = cache_evict_line(k, line * 128);
            assert_int_equal(a.result, was ? CACHE_HIT : CACHE_MISS);
            if (was && !reserved[place_of[line] - 1]) {
                line_in[place_of[line] - 1] = 0;
                place_of[line] = 0;
            }
        } else {
            const bool fills = rig_random(&seed) % 3 != 0;
            const struct cache_answer a =
                fills ? cache_fill(k, line * 128, 1) : cache_reserve(k, line * 128);
            if (!was && may_go == 0) {
                assert_int_equal(a.result, CACHE_FULL);
                full++;
                continue;
            }
            if (was) {
                assert_int_equal(a.place + 1, place_of[line]);
            } else {
                assert_int_equal(a.result, CACHE_MISS);
                if (lowest != 0) assert_int_equal(a.place + 1, lowest);
                assert_true(a.place / WAYS == set && a.place % WAYS < open);
                assert_false(reserved[a.place]);
                assert_int_equal(a.has_victim, line_in[a.place] != 0);
                if (a.has_victim) {
                    assert_int_equal(a.victim, (line_in[a.place] - 1) * 128);
                    place_of[line_in[a.place] - 1] = 0;
                }
                line_in[a.place] = line + 1;
                place_of[line] = a.place + 1;
            }
            reserved[a.place] = fills ? false : reserved[a.place] || !was;
        }
        const uint32_t other = rig_random(&seed) % LINES;
        assert_int_equal(cache_place_of(k, line * 128) + 1, place_of[line]);
        assert_int_equal(cache_place_of(k, other * 128) + 1, place_of[other]);
    }
    assert_true(full > 0);
    cache_destroy(k);
}

// A set without a line that may go does not move the fixed sequence.
static void a_full_set_leaves_the_sequence(void **state) {
    (void)state;
    enum { WAYS = 20 };
    struct cache_config c = shape(2, WAYS, 128, 128);
    c.lru = false;
    struct cache *k[2] = {cache_create(&c), cache_create(&c)};
    for (uint64_t i = 0; i < WAYS; i++)
        for (int x = 0; x < 2; x++) {
            cache_reserve(k[x], (2 * i + 1) * 128);
            cache_fill(k[x], 2 * i * 128, 1);
        }
    for (uint64_t i = WAYS; i < 100; i++) {
        assert_int_equal(cache_reserve(k[1], (2 * i + 1) * 128).result, CACHE_FULL);
        assert_int_equal(cache_fill(k[0], 2 * i * 128, 1).place,
                         cache_fill(k[1], 2 * i * 128, 1).place);
    }
    for (int x = 0; x < 2; x++) cache_destroy(k[x]);
}

static void sectors_are_valid_one_by_one(void **state) {
    (void)state;
    struct cache_config c = shape(4, 2, 128, 32);
    struct cache *k = cache_create(&c);
    assert_int_equal(cache_read(k, 0, 1).result, CACHE_MISS);
    cache_fill(k, 0, 5);
    assert_int_equal(cache_read(k, 0, 1).result, CACHE_HIT);
    assert_int_equal(cache_read(k, 0, 5).result, CACHE_HIT);
    assert_int_equal(cache_read(k, 0, 3).result, CACHE_MISS);
    assert_int_equal(cache_read(k, 0, 3).place, 0);
    cache_fill(k, 0, 2);
    assert_int_equal(cache_read(k, 0, 7).result, CACHE_HIT);
    assert_int_equal(cache_lines(k), 8);
    cache_destroy(k);
}

static void policies(void **state) {
    (void)state;
    struct cache_config c = shape(4, 2, 128, 128);
    c.write_back = false, c.write_evict = true; // Fermi's L1 for global data
    struct cache *k = cache_create(&c);
    cache_fill(k, 0x1000, 1);
    assert_int_equal(cache_write(k, 0x1000, 1).result, CACHE_HIT);
    assert_int_equal(cache_read(k, 0x1000, 1).result, CACHE_MISS);
    assert_int_equal(cache_write(k, 0x1000, 1).result, CACHE_MISS);
    // local data in the same cache
    assert_int_equal(cache_write_line(k, 0x2000, 1).result, CACHE_MISS);
    assert_int_equal(cache_write_line(k, 0x2000, 1).result, CACHE_HIT);
    assert_false(cache_write_line(k, 0x2200, 1).has_victim);
    const struct cache_answer a = cache_write_line(k, 0x2400, 1);
    assert_true(a.has_victim);
    assert_int_equal(a.victim, 0x2000);
    assert_int_equal(a.victim_dirty, 1);
    cache_destroy(k);

    c.write_evict = false; // write-through
    k = cache_create(&c);
    cache_fill(k, 0, 1);
    assert_int_equal(cache_write(k, 0, 1).result, CACHE_HIT);
    cache_fill(k, 0x200, 1);
    assert_int_equal(cache_fill(k, 0x400, 1).victim_dirty, 0);
    cache_destroy(k);
}

static void reserved_lines_stay(void **state) {
    (void)state;
    struct cache_config c = shape(1, 2, 128, 128);
    for (int lru = 0; lru < 2; lru++) {
        c.lru = lru;
        struct cache *k = cache_create(&c);
        assert_int_equal(cache_reserve(k, 0).result, CACHE_MISS);
        assert_int_equal(cache_reserve(k, 0).result, CACHE_PENDING);
        assert_int_equal(cache_read(k, 0, 1).result, CACHE_PENDING);
        assert_int_equal(cache_write(k, 0, 1).result, CACHE_PENDING);
        assert_int_equal(cache_reserve(k, 128).result, CACHE_MISS);
        assert_int_equal(cache_reserve(k, 256).result, CACHE_FULL);
        assert_int_equal(cache_write_line(k, 256, 1).result, CACHE_FULL);
        cache_fill(k, 128, 1);
        assert_int_equal(cache_read(k, 128, 1).result, CACHE_HIT);
        const struct cache_answer a = cache_reserve(k, 256);
        assert_int_equal(a.result, CACHE_MISS);
        assert_int_equal(a.victim, 128);
        assert_int_equal(a.place, cache_place_of(k, 256));
        assert_int_equal(cache_read(k, 0, 1).result, CACHE_PENDING);
        cache_fill(k, 0, 1);
        assert_int_equal(cache_read(k, 0, 1).result, CACHE_HIT);
        cache_destroy(k);
    }
}

// Lines 0 to 3 fill a set of four. With two ways open new lines take the first two places in turn, lines
// 2 and 3 stay; with all open again the oldest of all goes.
static void new_lines_take_open_ways(void **state) {
    (void)state;
    const struct cache_config c = shape(1, 4, 128, 128);
    struct cache *k = cache_create(&c);
    for (uint64_t i = 0; i < 4; i++) cache_fill(k, i * 128, 1);
    cache_open_ways(k, 2);
    for (uint64_t i = 4; i < 10; i++) {
        const struct cache_answer a = cache_fill(k, i * 128, 1);
        assert_int_equal(a.place, i & 1);
        assert_int_equal(a.victim, (i < 6 ? i - 4 : i - 2) * 128);
    }
    assert_int_equal(cache_read(k, 3 * 128, 1).result, CACHE_HIT);
    cache_open_ways(k, 9); // as many as there are
    assert_int_equal(cache_fill(k, 20 * 128, 1).victim, 2 * 128);
    cache_destroy(k);
}

static void the_fixed_sequence_is_that_of_fermi(void **state) {
    (void)state;
    // Mei & Chu: of 4 ways one is replaced half of the time, each other one time in six.
    struct cache_config c = shape(1, 4, 128, 128);
    c.lru = false;
    struct cache *k = cache_create(&c), *same = cache_create(&c);
    uint32_t taken[4] = {0};
    for (uint32_t i = 0; i < 60000; i++) {
        const uint32_t place = cache_fill(k, i * 128, 1).place;
        assert_int_equal(cache_fill(same, i * 128, 1).place, place);
        taken[place]++;
    }
    assert_in_range(taken[2], 29000, 31000);
    assert_in_range(taken[0], 9500, 10500);
    assert_in_range(taken[1], 9500, 10500);
    assert_in_range(taken[3], 9500, 10500);
    cache_destroy(k);
    cache_destroy(same);
}

// Of 256 ways each goes 16 times in 4096 on average; by chance none goes more than 40 times.
static void an_even_sequence_takes_every_way_as_often(void **state) {
    (void)state;
    enum { WAYS = 256, NEW = 16 * WAYS };
    struct cache_config s = shape(1, WAYS, 128, 32);
    s.lru = false;
    s.even_random = true;
    struct cache *c = cache_create(&s);
    uint32_t taken[WAYS] = {0}, most = 0, none = 0;
    for (uint64_t i = 0; i < WAYS + NEW; i++) {
        const struct cache_answer a = cache_fill(c, i * 128, 1);
        assert_int_equal(a.has_victim, i >= WAYS);
        if (a.has_victim) taken[a.place]++;
    }
    for (uint32_t w = 0; w < WAYS; w++) {
        most = taken[w] > most ? taken[w] : most;
        none += taken[w] == 0;
    }
    assert_in_range(most, 17, 40);
    assert_int_equal(none, 0);
    cache_destroy(c);
}

// A line with the sectors that were written whole, nothing dirty.
static void stores_that_go_through_take_a_line(void **state) {
    (void)state;
    struct cache_config s = shape(1, 2, 128, 32);
    s.write_back = false;
    struct cache *c = cache_create(&s);
    assert_int_equal(cache_write_past(c, 0, 6).result, CACHE_MISS);
    assert_int_equal(cache_read(c, 0, 6).result, CACHE_HIT);
    assert_int_equal(cache_read(c, 0, 1).result, CACHE_MISS);
    assert_int_equal(cache_write_past(c, 0, 0).result, CACHE_HIT); // part of a sector
    assert_int_equal(cache_read(c, 0, 6).result, CACHE_HIT);
    assert_int_equal(cache_write_past(c, 128, 0).result, CACHE_MISS);
    assert_int_equal(cache_read(c, 128, 1).result, CACHE_MISS);
    const struct cache_answer a = cache_write_past(c, 256, 15);
    assert_int_equal(a.result, CACHE_MISS);
    assert_true(a.has_victim);
    assert_int_equal(a.victim, 0);
    assert_int_equal(a.victim_dirty, 0);
    cache_destroy(c);
}

static void impossible_shapes_are_refused(void **state) {
    (void)state;
    struct cache_config c = shape(4, 2, 128, 32);
    assert_null(cache_config_wrong(&c));
    c.ways = 0;
    assert_non_null(cache_config_wrong(&c));
    assert_null(cache_create(&c));
    c = shape(4, 2, 128, 96);
    assert_non_null(cache_config_wrong(&c));
    c = shape(4, 2, 128, 8);
    assert_non_null(cache_config_wrong(&c));
    c = shape(4, 2, 128, 32);
    c.bytes += 64;
    assert_non_null(cache_config_wrong(&c));
    c = shape(4, 2, 96, 32);
    assert_non_null(cache_config_wrong(&c));
    c = shape(4, 2, 512, 128);
    assert_non_null(cache_config_wrong(&c));
    c = shape(4, 2, 8, 2);
    assert_non_null(cache_config_wrong(&c));
    assert_null(mshr_create(0, 4));
    assert_null(mshr_create(4, 0));
}

// A mask of words and one of sectors, against a loop over bytes.
static void words_and_sectors(void **state) {
    (void)state;
    uint32_t seed = 3;
    for (uint32_t line = 16; line <= 256; line *= 2) {
        for (uint32_t sector = line / 8 > 4 ? line / 8 : 4; sector <= line; sector *= 2) {
            const struct cache_config c = shape(4, 2, line, sector);
            struct cache *k = cache_create(&c);
            assert_non_null(k);
            for (int i = 0; i < 100; i++) {
                uint64_t words = 0, all = 0;
                uint32_t sectors = 0;
                for (uint32_t w = 0; w < line / 4; w++)
                    if (rig_random(&seed) % 8 == 0) words |= UINT64_C(1) << w;
                for (uint32_t b = 0; b < line; b++)
                    if (words >> b / 4 & 1) sectors |= 1u << b / sector;
                for (uint32_t b = 0; b < line; b++)
                    if (sectors >> b / sector & 1) all |= UINT64_C(1) << b / 4;
                assert_int_equal(cache_sectors_of(k, words), sectors);
                assert_int_equal(cache_words_of(k, sectors), all);
            }
            cache_destroy(k);
        }
    }
}

// ---- MSHRs ----------------------------------------------------------------------------------
static void mshr_by_hand(void **state) {
    (void)state;
    struct mshr *m = mshr_create(2, 3);
    bool is_new;
    uint32_t out[3];
    assert_true(mshr_add(m, 0x100, 1, 10, &is_new) >= 0);
    assert_true(is_new);
    assert_true(mshr_add(m, 0x100, 1, 11, &is_new) >= 0);
    assert_false(is_new);
    assert_true(mshr_add(m, 0x100, 2, 12, &is_new) >= 0);
    assert_true(is_new); // another sector
    assert_int_equal(mshr_add(m, 0x100, 1, 13, &is_new), -1);
    assert_false(mshr_has_room(m, 0x100));
    assert_true(mshr_add(m, 0x200, 1, 20, &is_new) >= 0);
    assert_int_equal(mshr_add(m, 0x300, 1, 30, &is_new), -1);
    assert_int_equal(mshr_used(m), 2);
    assert_int_equal(mshr_requested(m, 0x100), 3);
    assert_int_equal(mshr_fill(m, 0x100, 1, out), 2);
    assert_int_equal(out[0], 10);
    assert_int_equal(out[1], 11);
    assert_int_equal(mshr_used(m), 2);
    assert_int_equal(mshr_fill(m, 0x100, 2, out), 1);
    assert_int_equal(out[0], 12);
    assert_int_equal(mshr_used(m), 1);
    assert_int_equal(mshr_take(m, 0x999, out), 0);
    assert_int_equal(mshr_take(m, 0x200, out), 1);
    assert_int_equal(mshr_used(m), 0);
    uint32_t missing;
    mshr_expect(m, 0x400, 6, &missing);
    assert_int_equal(missing, 6);
    mshr_add_sectors(m, 0x400, 3, 40, &missing);
    assert_int_equal(missing, 1);
    assert_int_equal(mshr_fill(m, 0x400, 6, out), 0);
    assert_int_equal(mshr_fill(m, 0x400, 1, out), 1);
    assert_int_equal(mshr_used(m), 0);
    mshr_destroy(m);
}

static void mshr_against_a_reference(void **state) {
    (void)state;
    enum { LINES = 24, MERGE = 5, SPACE = 200 };
    struct mshr *m = mshr_create(LINES, MERGE);
    struct {
        uint32_t requested, arrived, n, id[MERGE], need[MERGE];
        bool used;
    } ref[SPACE];
    memset(ref, 0, sizeof ref);
    uint32_t used = 0, seed = 9, next_id = 0;
    for (int i = 0; i < 200000; i++) {
        const uint32_t l = rig_random(&seed) % SPACE;
        const uint64_t line = (uint64_t)l * 128;
        if (rig_random(&seed) % 2) {
            const uint32_t sectors = 1 + rig_random(&seed) % 15;
            uint32_t missing;
            const int32_t e = mshr_add_sectors(m, line, sectors, next_id, &missing);
            if (ref[l].used ? ref[l].n == MERGE : used == LINES) {
                assert_int_equal(e, -1);
                continue;
            }
            assert_true(e >= 0);
            assert_int_equal(missing, sectors & ~ref[l].requested);
            used += !ref[l].used;
            ref[l].used = true;
            ref[l].requested |= sectors;
            ref[l].id[ref[l].n] = next_id++;
            ref[l].need[ref[l].n++] = sectors;
        } else if (ref[l].used) {
            const uint32_t come = 1 + rig_random(&seed) % 15;
            uint32_t out[MERGE], n = 0, k = 0;
            const uint32_t got = mshr_fill(m, line, come, out);
            ref[l].arrived |= come;
            for (uint32_t w = 0; w < ref[l].n; w++) {
                if (ref[l].need[w] & ~ref[l].arrived) {
                    ref[l].id[k] = ref[l].id[w];
                    ref[l].need[k++] = ref[l].need[w];
                } else {
                    assert_true(n < got);
                    assert_int_equal(out[n++], ref[l].id[w]);
                }
            }
            assert_int_equal(n, got);
            ref[l].n = k;
            if ((ref[l].requested & ~ref[l].arrived) == 0) {
                memset(&ref[l], 0, sizeof ref[l]);
                used--;
            }
        }
        assert_int_equal(mshr_used(m), used);
        assert_int_equal(mshr_find(m, line) >= 0, ref[l].used);
    }
    mshr_destroy(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lru_against_a_reference),
        cmocka_unit_test(many_ways_against_a_reference),
        cmocka_unit_test(a_full_set_leaves_the_sequence),
        cmocka_unit_test(sectors_are_valid_one_by_one),
        cmocka_unit_test(policies),
        cmocka_unit_test(reserved_lines_stay),
        cmocka_unit_test(new_lines_take_open_ways),
        cmocka_unit_test(the_fixed_sequence_is_that_of_fermi),
        cmocka_unit_test(an_even_sequence_takes_every_way_as_often),
        cmocka_unit_test(stores_that_go_through_take_a_line),
        cmocka_unit_test(impossible_shapes_are_refused),
        cmocka_unit_test(words_and_sectors),
        cmocka_unit_test(mshr_by_hand),
        cmocka_unit_test(mshr_against_a_reference),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
