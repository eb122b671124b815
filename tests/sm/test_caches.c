// What listeners hear of an SM's caches, by hand-made programs: every event with its place, words,
// sectors and lanes, and the cycles that a listener adds; sectors of any size.
#include <string.h>

#include "test_listen.h"

static struct cache_config cache_of(uint32_t bytes, uint32_t line, uint32_t sector, uint32_t ways) {
    return (struct cache_config){.bytes = bytes, .line_bytes = line, .sector_bytes = sector,
                                 .ways = ways, .mshrs = 8, .mshr_merge = 8, .hit_latency = 1,
                                 .ports = 1, .lru = true};
}
static struct cache_config l1_of(uint32_t sector) {
    struct cache_config c = cache_of(16384, 128, sector, 4);
    c.hit_latency = 40;
    c.write_evict = true;
    return c;
}
static void expect(const struct listen *l, enum mem_array array, enum cache_what what, uint64_t n) {
    assert_int_equal(l->n[array][what], n);
}

// A loop over three lines of code in a cache of eight: the line of every fetch that hits is told in
// its own place, whichever lines were fetched before.
static void instructions_are_told_in_their_place(void **state) {
    (void)state;
    for (uint32_t hashed = 0; hashed < 2; hashed++) {
        struct rig *g = rig_new();
        g->c.icache = cache_of(512, 64, 64, 2);
        g->c.icache.hashed_sets = hashed;
        g->c.fetch_width = g->c.fetch_instructions = 2;
        g->c.ibuffer_entries = 4;
        g->args.block[0] = 96;
        movi(g, 1, 0);
        iaddi(g, 1, 1, 1);
        for (int i = 0; i < 20; i++) movi(g, 2, 0);
        setp_lt(g, 0, 1, 5);
        struct minst *b = bra(g, 1);
        b->guard = 0;
        b->reconv = (int32_t)g->n;
        exit_(g);
        struct listen l;
        const struct sm_technique p = listen_technique(&l, g);
        g->technique[g->n_techniques++] = &p;
        rig_run(g);
        expect(&l, ARRAY_INST, CACHE_FILL, 4);
        expect(&l, ARRAY_INST, CACHE_READ_HIT,
               act(g, ACT_fetches) - act(g, ACT_icache_misses));
        assert_int_equal(l.n[ARRAY_INST][CACHE_READ_MISS] + l.n[ARRAY_INST][CACHE_READ_MERGE],
                         act(g, ACT_icache_misses));
        expect(&l, ARRAY_INST, CACHE_READ_MISS, 4);
        rig_free(g);
    }
}

// Instructions of 8 bytes, two a fetch: the second fetch brings the third alone, words 4 and 5.
static void fetches_name_their_words(void **state) {
    (void)state;
    struct rig *g = rig_new();
    g->c.icache = cache_of(512, 64, 32, 2);
    g->c.fetch_width = 1;
    g->c.fetch_instructions = g->c.ibuffer_entries = 2;
    movi(g, 1, 0);
    movi(g, 1, 0);
    exit_(g);
    struct listen l;
    const struct sm_technique p = listen_technique(&l, g);
    g->technique[g->n_techniques++] = &p;
    rig_run(g);
    assert_int_equal(l.last[ARRAY_INST].what, CACHE_READ_HIT);
    assert_int_equal(l.last[ARRAY_INST].words, 0x30);
    assert_int_equal(l.last[ARRAY_INST].sectors, 1);
    assert_int_equal(l.last[ARRAY_INST].addr, 0x08000000);
    rig_free(g);
}

// Constant operands: each is told once, when all lines of its instruction are there; the warp waits
// for what the listener adds, and for the longest of two operands only.
static void constant_operands_are_told_and_delayed(void **state) {
    (void)state;
    uint64_t done[3];
    for (uint32_t k = 0; k < 3; k++) {
        struct rig *g = rig_new();
        g->c.constant = cache_of(2048, 64, 64, 2);
        for (uint32_t i = 0; i < 3; i++)
            emit(g, OP_IADD, OPC_INT_ADD, ITYPE_U32, R(1), R(1), C(CB_LAUNCH, CB0_NTID_X), NIL());
        exit_(g);
        struct listen l;
        const struct sm_technique p = listen_technique(&l, g);
        if (k != 0) g->technique[g->n_techniques++] = &p;
        l.extra[CACHE_READ_HIT] = k == 2 ? 7 : 0;
        l.arrays = 1u << ARRAY_CONST;
        g->args.block[0] = 20;
        rig_run(g);
        done[k] = g->done_at;
        if (k != 0) {
            expect(&l, ARRAY_CONST, CACHE_READ_MISS, 1);
            expect(&l, ARRAY_CONST, CACHE_FILL, 1);
            expect(&l, ARRAY_CONST, CACHE_READ_HIT, 3);
            assert_int_equal(l.last[ARRAY_CONST].words, 1ull << CB0_NTID_X % 64 / 4);
            assert_int_equal(l.last[ARRAY_CONST].lanes, (1u << 20) - 1);
        }
        assert_int_equal(act(g, ACT_const_reads), 3);
        rig_free(g);
    }
    assert_int_equal(done[1], done[0]);
    // The first waits 7 for its operand; the second and the third depend on the one before, which
    // takes 10: an operand is looked up when its instruction becomes the next, so 7 are hidden.
    assert_int_equal(done[2], done[0] + 7);
}

// Loads: a miss, a hit that takes 5 longer, a store that drops the line, a launch that empties.
static void loads_and_stores(void **state) {
    (void)state;
    struct rig *g = rig_new();
    g->c.l1d = l1_of(0);
    g->c.l1d_global = true;
    struct listen l;
    const struct sm_technique p = listen_technique(&l, g);
    g->technique[g->n_techniques++] = &p;
    l.arrays = 1u << ARRAY_L1D;
    l.extra[CACHE_READ_HIT] = 5;
    l.extra[CACHE_READ_MISS] = 11;
    l.extra[CACHE_FILL] = 13;
    l.extra[CACHE_WRITE_HIT] = l.extra[CACHE_EVICT] = 1000; // do not count
    address(g, 3);
    load(g, SPACE_GLOBAL, 4, 3, 64);
    iadd(g, 5, 3, 4);
    load(g, SPACE_GLOBAL, 6, 5, 8);
    store(g, SPACE_GLOBAL, 3, 3, 4);
    exit_(g);
    rig_run(g);
    // Load in 11, access 12, sent 11 later, there 100 later, 13 later for the warp; add; load 10
    // later, access, hit 40 + 5.
    assert_int_equal(g->done_at, 12 + 11 + 100 + 13 + 10 + 1 + 40 + 5);
    assert_int_equal(g->port->sent[0].touched, 1u << 16);
    assert_int_equal(g->port->sent[0].wanting, UINT32_MAX);
    assert_int_equal(g->port->sent[1].touched, 1u << 1); // of the sector that is sent
    expect(&l, ARRAY_L1D, CACHE_READ_MISS, 1);
    expect(&l, ARRAY_L1D, CACHE_FILL, 1);
    expect(&l, ARRAY_L1D, CACHE_READ_HIT, 1);
    expect(&l, ARRAY_L1D, CACHE_WRITE_HIT, 1);
    expect(&l, ARRAY_L1D, CACHE_EVICT, 1);
    assert_int_equal(l.last[ARRAY_L1D].sectors, 0); // clean
    sm_flush(g->sm, g->done_at + 1);
    expect(&l, ARRAY_L1D, CACHE_FLUSH, 1);
    rig_free(g);
}

// A dirty line of local memory goes when another takes its place: the event says what is written
// back, and where.
static void a_dirty_line_is_told_when_it_goes(void **state) {
    (void)state;
    struct rig *g = rig_new();
    g->c.l1d = l1_of(0);
    g->c.l1d.bytes = 128, g->c.l1d.ways = 1; // one line
    g->c.l1d_local = true;
    struct listen l;
    const struct sm_technique p = listen_technique(&l, g);
    g->technique[g->n_techniques++] = &p;
    g->im.local_bytes = 64;
    store(g, SPACE_LOCAL, 1, 1, 0);
    store(g, SPACE_LOCAL, 1, 1, 4);
    exit_(g);
    rig_run(g);
    expect(&l, ARRAY_L1D, CACHE_WRITE_MISS, 2);
    expect(&l, ARRAY_L1D, CACHE_EVICT, 1);
    assert_int_equal(act(g, ACT_l1_writebacks), 1);
    assert_int_equal(g->port->n_sent, 1);
    assert_int_equal(g->port->sent[0].bytes, 128);
    assert_int_equal(l.last[ARRAY_L1D].what, CACHE_WRITE_MISS);
    assert_int_equal(l.last[ARRAY_L1D].words, UINT32_MAX);
    assert_int_equal(l.last[ARRAY_L1D].place, 0);
    rig_free(g);
}

// A technique that switches lines off 50 cycles after their last access, at the next whole 100.
struct lapsing {
    struct listen l;
    uint64_t last[LISTEN_PLACES];
};
static uint32_t lapsing_hear(void *self, const struct cache_event *e) {
    struct lapsing *const x = self;
    if (e->place != CACHE_NOWHERE) x->last[e->place] = e->cycle;
    return listen_hear(&x->l, e);
}
static uint64_t lapsing_at(void *self, enum mem_array array, uint32_t place) {
    assert_int_equal(array, ARRAY_L1D);
    return (((struct lapsing *)self)->last[place] + 50 + 99) / 100 * 100;
}

// Local memory in a cache of one line: the dirty line is written back when it lapses, and the store
// behind it misses. The same with every cycle simulated.
static void lines_lapse(void **state) {
    (void)state;
    for (uint32_t every = 0; every < 2; every++) {
        struct rig *g = rig_new();
        g->c.l1d = l1_of(0);
        g->c.l1d.bytes = 128, g->c.l1d.ways = 1;
        g->c.l1d_local = true;
        g->every_cycle = every != 0;
        struct lapsing x = {0};
        listen_technique(&x.l, g);
        const struct sm_array_port port = {.arrays = 1u << ARRAY_L1D,
                                           .hear = lapsing_hear,
                                           .lapses_at = lapsing_at,
                                           .lapse_cycles = 100};
        const struct sm_technique p = {.name = "lapsing", .self = &x, .arrays = &port};
        g->technique[g->n_techniques++] = &p;
        g->im.local_bytes = 64;
        movi(g, 1, 0);
        store(g, SPACE_LOCAL, 1, 2, 0);                 // in cycle 12, say: off from 100 on
        for (int i = 0; i < 15; i++) iaddi(g, 1, 1, 0); // 150 cycles and more
        store(g, SPACE_LOCAL, 1, 2, 0);                 // a miss again
        store(g, SPACE_LOCAL, 1, 2, 0);                 // a hit
        exit_(g);
        rig_run(g);
        expect(&x.l, ARRAY_L1D, CACHE_WRITE_MISS, 2);
        expect(&x.l, ARRAY_L1D, CACHE_WRITE_HIT, 1);
        expect(&x.l, ARRAY_L1D, CACHE_EVICT, 1);
        assert_int_equal(g->port->n_sent, 1);
        assert_int_equal(g->port->sent[0].cycle, 100);
        assert_int_equal(g->port->sent[0].bytes, 128);
        assert_int_equal(act(g, ACT_l1_writebacks), 1);
        assert_int_equal(act(g, ACT_l1_evictions), 0);
        rig_free(g);
    }
}

// Sectors of 64 bytes: after a load of the lower half the upper one is missing, and is asked for by
// itself.
static void sectors_of_any_size(void **state) {
    (void)state;
    static const struct {
        uint32_t sector, first, second, bytes;
        bool hits;
    } row[] = {{32, 0, 32, 32, false}, {32, 0, 28, 32, true},  {64, 0, 64, 64, false},
               {64, 64, 0, 64, false}, {64, 64, 96, 64, true}, {64, 0, 32, 64, true},
               {128, 0, 96, 128, true}};
    for (uint32_t i = 0; i < WW_COUNT(row); i++) {
        struct rig *g = rig_new();
        g->c.l1d = l1_of(row[i].sector);
        g->c.l1d_global = true;
        struct listen l;
        const struct sm_technique p = listen_technique(&l, g);
        g->technique[g->n_techniques++] = &p;
        address(g, 3);
        load(g, SPACE_GLOBAL, 4, 3, row[i].first);
        iadd(g, 5, 3, 4);
        load(g, SPACE_GLOBAL, 6, 5, row[i].second);
        exit_(g);
        rig_run(g);
        expect(&l, ARRAY_L1D, CACHE_READ_HIT, row[i].hits);
        expect(&l, ARRAY_L1D, CACHE_READ_MISS, 2 - row[i].hits);
        assert_int_equal(g->port->sent[0].bytes, row[i].bytes);
        assert_int_equal(g->port->sent[0].addr,
                         g->buffer + row[i].first / row[i].sector * row[i].sector);
        assert_int_equal(g->port->n_sent, 2 - row[i].hits);
        // Words that move: a sector each time, of the miss at its fill.
        assert_int_equal(act(g, ACT_l1_hit_words), row[i].hits ? row[i].bytes / 4 : 0);
        assert_int_equal(act(g, ACT_l1_fill_words), (2 - row[i].hits) * row[i].bytes / 4);
        rig_free(g);
    }
}

// Shapes that no SM can have are refused in a sentence.
static void impossible_caches(void **state) {
    (void)state;
    static const struct cache_config wrong[] = {
        {.bytes = 4096, .line_bytes = 512, .ways = 2},
        {.bytes = 4096, .line_bytes = 128, .sector_bytes = 16, .ways = 2},
        {.bytes = 4096, .line_bytes = 128, .sector_bytes = 48, .ways = 2},
        {.bytes = 4096, .line_bytes = 96, .ways = 2},
    };
    for (uint32_t i = 0; i < WW_COUNT(wrong); i++) {
        struct rig *g = rig_new();
        g->c.icache = wrong[i];
        struct sm *s;
        assert_int_equal(sm_create(&g->c, 0, g->port, &exec_computes, g->memory, NULL, &g->d, &s),
                         WW_ERROR_CONFIG);
        assert_int_equal(g->d.errors, 1);
        devmem_destroy(g->memory);
        diags_free(&g->d);
        free(g->inst);
        free(g->port);
        free(g);
    }
}

// 128 KB of L1 and shared memory as on Volta (CUDA C++ Programming Guide 12.3), 96 KB as on Turing.
static void parts_of_shared_memory(void **state) {
    (void)state;
    const struct { uint32_t wanted, volta, turing; } row[] = {
        {0, 0, 32}, {1, 8, 32}, {8, 8, 32}, {9, 16, 32}, {17, 32, 32}, {33, 64, 64}, {65, 96, 64}, {500, 96, 64}};
    struct sm_config v = {.shared_bytes = 96 << 10, .l1_shared_bytes = 128 << 10};
    struct sm_config t = {.shared_bytes = 64 << 10, .l1_shared_bytes = 96 << 10, .carve_least = 32 << 10};
    // 8.0: 0, 8, 16, 32, 64, 100, 132, 164; 8.6: to 100; 9.0: 100, 132, 164, 196, 228
    const struct { uint32_t wanted, a100, a6000, h100; } later[] = {
        {0, 0, 0, 0}, {1, 8, 8, 8}, {33, 64, 64, 64}, {64, 64, 64, 64}, {65, 100, 100, 100}, {100, 100, 100, 100},
        {101, 132, 100, 132}, {133, 164, 100, 164}, {165, 164, 100, 196}, {197, 164, 100, 228}, {500, 164, 100, 228}};
    struct sm_config a = {.shared_bytes = 164 << 10, .l1_shared_bytes = 192 << 10, .carve_step = 32 << 10};
    struct sm_config r = {.shared_bytes = 100 << 10, .l1_shared_bytes = 128 << 10, .carve_step = 32 << 10};
    struct sm_config h = {.shared_bytes = 228 << 10, .l1_shared_bytes = 256 << 10, .carve_step = 32 << 10};
    for (size_t i = 0; i < WW_COUNT(later); i++) {
        assert_int_equal(sm_carve_out(&a, later[i].wanted * 1024ull), later[i].a100 << 10);
        assert_int_equal(sm_carve_out(&r, later[i].wanted * 1024ull), later[i].a6000 << 10);
        assert_int_equal(sm_carve_out(&h, later[i].wanted * 1024ull), later[i].h100 << 10);
    }
    for (size_t i = 0; i < WW_COUNT(row); i++) {
        assert_int_equal(sm_carve_out(&v, row[i].wanted * 1024ull), row[i].volta << 10);
        assert_int_equal(sm_carve_out(&t, row[i].wanted * 1024ull), row[i].turing << 10);
    }
}

// An array of 16 KB, shared memory 8 KB at most, L1 of four ways of 4 KB: a warp reads 12 KB twice. Alone it
// hits in all of the 96 lines the second time; with a block of shared memory L1 has two ways, 8 KB,
// and lines that are read in turn push each other out.
static void shared_memory_takes_ways_of_l1(void **state) {
    (void)state;
    for (uint32_t shared = 0; shared < 2; shared++) {
        struct rig *g = rig_new();
        g->c.l1d = l1_of(32);
        g->c.l1d_global = true;
        g->c.coalesce = COALESCE_LINE128;
        g->c.shared_bytes = 8192;
        g->c.l1_shared_bytes = 16384;
        g->im.shared_bytes = shared ? 8192 : 0;
        lane_addresses(g, 2);
        for (uint32_t n = 0; n < 2 * 96; n++) load(g, SPACE_GLOBAL, 3, 4, n % 96 * 128);
        exit_(g);
        rig_run(g);
        assert_int_equal(act(g, ACT_l1_reads), 2 * 96);
        assert_int_equal(act(g, ACT_l1_read_hits), shared ? 0 : 96);
        rig_free(g);
    }
}

// Lanes 0 to 7 and 16 to 23 read their words: sectors 0 and 2 of a line, a request each, and not
// what lies between. One free credit: one request for all three.
static void requests_name_runs_of_sectors(void **state) {
    (void)state;
    for (uint32_t credits = 2; credits > 0; credits--) {
        struct rig *g = rig_new();
        g->c.l1d = l1_of(32);
        g->c.l1d_global = true;
        g->c.coalesce = COALESCE_LINE128;
        g->port->credits = credits;
        lane_addresses(g, 2);
        s2r(g, 5, SREG_laneid);
        emit(g, OP_LOP, OPC_INT_LOGIC, ITYPE_U32, R(5), R(5), IMM(8), NIL());
        setp_lt(g, 0, 5, 8);
        load(g, SPACE_GLOBAL, 6, 4, 0)->guard = 0;
        exit_(g);
        rig_run(g);
        assert_int_equal(g->port->n_sent, credits);
        assert_int_equal(g->port->sent[0].bytes, credits == 2 ? 32 : 96);
        assert_int_equal(g->port->sent[0].addr, g->buffer);
        if (credits == 2) assert_int_equal(g->port->sent[1].addr, g->buffer + 64);
        rig_free(g);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(instructions_are_told_in_their_place),
        cmocka_unit_test(fetches_name_their_words),
        cmocka_unit_test(constant_operands_are_told_and_delayed),
        cmocka_unit_test(loads_and_stores),
        cmocka_unit_test(a_dirty_line_is_told_when_it_goes),
        cmocka_unit_test(lines_lapse),
        cmocka_unit_test(sectors_of_any_size),
        cmocka_unit_test(impossible_caches),
        cmocka_unit_test(parts_of_shared_memory),
        cmocka_unit_test(shared_memory_takes_ways_of_l1),
        cmocka_unit_test(requests_name_runs_of_sectors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
