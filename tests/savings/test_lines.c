// Drowsy lines, cache decay and access by mask: hand-made sequences, whose numbers follow by hand from
// the cycles in the calls; a machine that goes cycle by cycle beside the one that computes from
// timestamps; and whole SMs on random programs with small caches.
#include "../sm/test_listen.h"
#include "savings/lines.h"
#include "savings/part.h"

#define M(id) (1u << SAVINGS_##id)

static struct savings set_of(uint32_t mechanisms) {
    struct savings s = {.mechanisms = mechanisms};
    for (uint32_t i = 0; savings_option_at(i).is != NULL; i++)
        s.value[i] = savings_option_at(i).is->value;
    return s;
}
static struct cache_event at(uint64_t cycle, enum cache_what what, uint32_t place) {
    return (struct cache_event){
        .cycle = cycle, .what = (uint8_t)what, .place = place, .set = place / 2};
}

// ---- a slice of 8 lines in 4 sets, through a part's port at the L2 ----------------------------
static const struct savings_l2_port *port;
static union {
    uint64_t whole[64];
} slice;
static uint64_t counters[ACT_N];
static void end(void) {
    if (port != NULL && port->unmake != NULL) port->unmake(&slice);
    port = NULL;
}
static void begin_slice(const struct savings_part *p, const struct savings *s,
                        const struct savings_l2_shape *k) {
    end();
    port = p->l2;
    assert_true(port->slice_bytes <= sizeof slice);
    memset(&slice, 0, sizeof slice);
    assert_true(port->make(&slice, s, k, counters));
}
static uint32_t hears(uint64_t cycle, enum cache_what what, uint32_t place) {
    const struct cache_event e = at(cycle, what, place);
    return port->hear(&slice, &e);
}
static struct savings_line_sums sums(uint64_t now) {
    struct savings_line_sums x = {0};
    port->settle(&slice, now, &x);
    return x;
}
static uint64_t on(uint64_t now) { return sums(now).on; }

// ---- drowsy, by hand ----------------------------------------------------------------------------
static void begin(uint32_t wakeup, uint32_t ahead, uint32_t hold, bool tags) {
    struct savings s = set_of(M(drowsy_lines));
    savings_set(&s, "line_wakeup", wakeup);
    savings_set(&s, "line_ahead", ahead);
    savings_set(&s, "line_hold", hold);
    savings_set(&s, "tags_drowsy", tags);
    begin_slice(&part_drowsy_lines, &s,
                &(struct savings_l2_shape){.lines = 8, .sets = 4, .ways = 1});
}

static void a_line_wakes_for_each_access(void **state) {
    (void)state;
    begin(1, 0, 0, false);
    assert_int_equal(hears(10, CACHE_READ_HIT, 3), 1); // waking in 10, accessed in 11
    assert_int_equal(on(10), 0);
    assert_int_equal(on(11), 1);
    assert_int_equal(on(12), 2);
    assert_int_equal(on(500), 2);                      // drowsy from 12 on
    assert_int_equal(hears(10, CACHE_READ_HIT, 3), 1); // a second one in that cycle waits with it
    assert_int_equal(hears(11, CACHE_WRITE_HIT, 3), 0);
    assert_int_equal(sums(0).wakes, 1);
    assert_int_equal(hears(12, CACHE_READ_HIT, 3), 0); // it has not fallen drowsy in between
    assert_int_equal(on(500), 3);
    assert_int_equal(hears(14, CACHE_READ_HIT, 3), 1); // cycle 13 was drowsy
    assert_int_equal(on(500), 5);
    assert_int_equal(sums(0).wakes, 2);
    assert_int_equal(sums(0).late, 3);
    assert_int_equal(hears(100, CACHE_READ_MISS, CACHE_NOWHERE), 0); // tags are on
    assert_int_equal(hears(200, CACHE_EVICT, 3), 0);                 // clean: not read
    assert_int_equal(hears(300, CACHE_FLUSH, CACHE_NOWHERE), 0);
    assert_int_equal(on(500), 5);
    assert_int_equal(hears(200, CACHE_FILL, 3), 1); // a fill is a write
    assert_int_equal(on(500), 7);
}

static void a_look_ahead_hides_the_wakeup(void **state) {
    (void)state;
    begin(2, 2, 0, false);
    assert_int_equal(hears(10, CACHE_READ_HIT, 0), 0); // woken in 8 and 9, accessed in 10
    assert_int_equal(on(500), 3);
    assert_int_equal(hears(13, CACHE_READ_HIT, 0), 0); // would be woken in 11, where it falls drowsy
    assert_int_equal(sums(0).wakes, 1);
    assert_int_equal(on(500), 6); // 8 to 13
    assert_int_equal(hears(17, CACHE_READ_HIT, 0), 0); // drowsy in 14; 15 to 17
    assert_int_equal(sums(0).wakes, 2);
    assert_int_equal(on(500), 9);
    begin(3, 1, 0, false);                             // hides one cycle of three
    assert_int_equal(hears(10, CACHE_READ_HIT, 0), 2); // 9 to 12
    assert_int_equal(on(500), 4);
    begin(1, 5, 0, false); // looks no further ahead than the wakeup takes
    assert_int_equal(hears(10, CACHE_READ_HIT, 0), 0);
    assert_int_equal(on(500), 2);
    begin(0, 0, 3, false); // no wakeup, and three cycles longer on
    assert_int_equal(hears(10, CACHE_READ_HIT, 0), 0);
    assert_int_equal(on(500), 4);
}

static void tags_wake_before_their_line(void **state) {
    (void)state;
    begin(2, 0, 0, true);
    assert_int_equal(hears(10, CACHE_READ_HIT, 5), 4); // tags 10 to 12, the line 12 to 14
    assert_int_equal(on(500), 3);
    assert_int_equal(sums(500).tags_on, 3);
    struct cache_event e = at(11, CACHE_READ_MISS, CACHE_NOWHERE);
    e.set = 2;
    assert_int_equal(port->hear(&slice, &e), 1); // those tags again: on in 12
    e.set = 1;
    assert_int_equal(port->hear(&slice, &e), 2); // another set's
    assert_int_equal(sums(0).tag_wakes, 2);
    assert_int_equal(sums(0).wakes, 1);
}

// The same as a machine that goes from cycle to cycle, on random accesses.
static void cycle_by_cycle(void **state) {
    (void)state;
    uint32_t seed = 1;
    for (uint32_t n = 0; n < 200; n++) {
        const uint32_t wakeup = n % 5, hold = n / 5 % 4;
        begin(wakeup, 0, hold, false);
        enum { DROWSY, WAKING, ON } s = DROWSY;
        uint64_t awake_at = 0, until = 0, cycles_on = 0, wakes = 0;
        for (uint64_t t = 1; t < 400; t++) {
            if (s == WAKING && t >= awake_at) s = ON;
            if (s == ON && t >= until) s = DROWSY;
            seed = seed * 1664525u + 1013904223u;
            if ((seed >> 8) % 6 == 0) {
                // A line that would fall drowsy in this very cycle stays on.
                if (s == DROWSY && !(until == t && wakes != 0)) {
                    s = WAKING, awake_at = t + wakeup, wakes++;
                } else if (s == DROWSY) {
                    s = ON;
                }
                const uint64_t ready = awake_at > t ? awake_at : t;
                until = ready + 1 + hold > until ? ready + 1 + hold : until;
                assert_int_equal(hears(t, CACHE_READ_HIT, 1), ready - t);
                if (s == WAKING && awake_at == t) s = ON;
            }
            cycles_on += s != DROWSY;
            assert_int_equal(on(t + 1), cycles_on);
        }
        assert_int_equal(sums(0).wakes, wakes);
    }
}

// ---- decay, by hand -----------------------------------------------------------------------------
static void a_line_goes_off_after_the_interval(void **state) {
    (void)state;
    struct savings s = set_of(M(cache_decay));
    savings_set(&s, "decay_l2", 400); // a tick every 100 cycles
    begin_slice(&part_cache_decay, &s,
                &(struct savings_l2_shape){.lines = 4, .sets = 2, .ways = 2});
    assert_int_equal(port->lapse_cycles(&slice), 100);
    hears(50, CACHE_FILL, 2);
    assert_int_equal(port->lapses_at(&slice, 2), 500);
    hears(120, CACHE_READ_HIT, 2);
    assert_int_equal(port->lapses_at(&slice, 2), 600);
    assert_int_equal(port->lapses_at(&slice, 1), UINT64_MAX); // it never held anything
    assert_int_equal(on(150), 100);
    assert_int_equal(on(1000), 550); // 50 to 600: off at that tick, told or not
    hears(600, CACHE_EVICT, 2);
    assert_int_equal(on(1000), 550);
    assert_int_equal(sums(0).lapses, 1);
    hears(700, CACHE_FILL, 2); // on again
    assert_int_equal(sums(0).fills, 2);
    hears(800, CACHE_EVICT, 2); // replaced in that cycle: it stays on
    hears(800, CACHE_FILL, 2);
    assert_int_equal(sums(0).fills, 2);
    assert_int_equal(sums(0).lapses, 1);
    assert_int_equal(on(900), 750);
    hears(950, CACHE_FLUSH, CACHE_NOWHERE); // everything goes
    assert_int_equal(on(5000), 800);
}

// ---- mask, by hand ------------------------------------------------------------------------------
static void words_that_stay_quiet(void **state) {
    (void)state;
    uint64_t *const c = counters;
    struct savings s = set_of(M(mask_access));
    const struct savings_l2_shape k1 = {.line_words = 32, .sector_words = 32},
                                  k2 = {.line_words = 32, .sector_words = 8};
    begin_slice(&part_mask_access, &s, &k1);
    struct cache_event e = {.what = CACHE_READ_HIT, .array = ARRAY_L1D, .words = 0xff0f, .sectors = 1};
    port->hear(&slice, &e);
    assert_int_equal(c[act_number("mask_words") + ARRAY_L1D], 12);
    assert_int_equal(c[act_number("mask_spared_reads") + ARRAY_L1D], 20);
    e.what = CACHE_READ_MISS; // nothing is read
    port->hear(&slice, &e);
    e.what = CACHE_WRITE_HIT; // the line is dropped
    port->hear(&slice, &e);
    assert_int_equal(c[act_number("mask_accesses") + ARRAY_L1D], 1);
    // L2: a read of two sectors of which three words are wanted; with `mask_fills` 0 it brings both.
    e = (struct cache_event){.what = CACHE_READ_MISS, .array = ARRAY_L2, .words = 0x111, .sectors = 3};
    begin_slice(&part_mask_access, &s, &k2);
    port->hear(&slice, &e);
    assert_int_equal(c[act_number("mask_spared_reads") + ARRAY_L2], 32 - 3);
    savings_set(&s, "mask_fills", 0);
    begin_slice(&part_mask_access, &s, &k2);
    port->hear(&slice, &e);
    assert_int_equal(c[act_number("mask_spared_reads") + ARRAY_L2], 32 - 3 + 32 - 16);
    e.what = CACHE_WRITE_MISS;
    port->hear(&slice, &e);
    assert_int_equal(c[act_number("mask_spared_writes")], 32 - 3);
    e.is_atomic = true, e.what = CACHE_WRITE_HIT;
    port->hear(&slice, &e);
    assert_int_equal(c[act_number("mask_spared_atomics")], 32 - 3);
    e = (struct cache_event){.what = CACHE_EVICT, .array = ARRAY_L2, .words = 0xf, .sectors = 1};
    port->hear(&slice, &e);
    assert_int_equal(c[act_number("mask_spared_writebacks")], 4); // of the sector's eight
    assert_int_equal(c[act_number("mask_words") + ARRAY_L2], 3 + 16 + 3 + 3 + 4);
    assert_int_equal(c[act_number("mask_accesses") + ARRAY_L2], 4);
}

// ---- time is whole ------------------------------------------------------------------------------
static void states_add_up(void **state) {
    (void)state;
    static struct activity a;
    const struct sm_config c = {.shared_bytes = 16384, .l1d = {.bytes = 1024, .line_bytes = 128}};
    struct savings s = set_of(M(drowsy_lines));
    savings_set(&s, "in_shared", 1);
    savings_set(&s, "in_const", 1);
    savings_set(&s, "tags_drowsy", 1);
    a.c[act_number("line_on") + ARRAY_L1D] = 30, a.c[act_number("line_on") + ARRAY_L2] = 9000;
    a.c[act_number("tag_on") + ARRAY_L1D] = 11;
    for (uint32_t twice = 0; twice < 2; twice++) { // it may be done again
        savings_close(&s, &c, 2, 5, 1000, &a);
        assert_int_equal(a.c[act_number("line_drowsy") + ARRAY_L1D], 2 * 8 * 1000 - 30);
        assert_int_equal(a.c[act_number("tag_drowsy") + ARRAY_L1D], 2 * 8 * 1000 - 11);
        assert_int_equal(a.c[act_number("line_drowsy") + ARRAY_SHARED], 2 * 128 * 1000);
        assert_int_equal(a.c[act_number("line_drowsy") + ARRAY_CONST], 0); // there is no such cache
        // More than there is time for is no more than all of it.
        assert_int_equal(a.c[act_number("line_on") + ARRAY_L2], 5000);
        assert_int_equal(a.c[act_number("line_drowsy") + ARRAY_L2], 0);
        assert_int_equal(a.c[act_number("line_off") + ARRAY_L1D], 0);
    }
    memset(&a, 0, sizeof a);
    s.mechanisms = M(cache_decay);
    savings_close(&s, &c, 1, 0, 10, &a);
    assert_int_equal(a.c[act_number("line_off") + ARRAY_L1D], 80);
    assert_int_equal(a.c[act_number("line_off") + ARRAY_SHARED], 0); // does not decay
    memset(&a, 0, sizeof a);
    s.mechanisms = M(mask_access);
    savings_close(&s, &c, 1, 0, 10, &a);
    for (uint32_t i = 0; i < ACT_N; i++) assert_int_equal(a.c[i], 0);
}

// ---- whole SMs ----------------------------------------------------------------------------------
enum { WARPS = 8, WORDS = WARPS * 32, LINES = 16, BYTES = 4096 * 4 * 4 };
static uint32_t seed;
static uint32_t draw(uint32_t n) {
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % n;
}

// Loads with strides, local and shared memory, constants, stores, divergence: L1 of 16 lines.
static struct rig *program(uint32_t number) {
    seed = number;
    struct rig *g = rig_new();
    struct sm_config *const c = &g->c;
    c->scheduler = number % 2 ? SCHED_TWO_LEVEL : SCHED_LRR;
    c->l1d = (struct cache_config){.bytes = LINES * 128, .line_bytes = 128, .ways = 2,
                                   .sector_bytes = number % 3 ? 128 : 32, .mshrs = 8,
                                   .mshr_merge = 8, .hit_latency = 20, .ports = 1, .lru = true,
                                   .write_evict = true};
    c->l1d_global = c->l1d_local = true;
    c->constant = (struct cache_config){.bytes = 512, .line_bytes = 64, .sector_bytes = 64,
                                        .ways = 2, .mshrs = 4, .mshr_merge = 32, .hit_latency = 8,
                                        .ports = 1, .lru = true};
    g->im.local_bytes = 64;
    g->im.shared_bytes = 4096;
    g->args.block[0] = WORDS;
    s2r(g, 10, SREG_tid_x);
    iadd(g, 10, 10, 10);
    iadd(g, 10, 10, 10);
    iadd(g, 12, 10, 10); // eight bytes a thread
    address(g, 11);
    iadd(g, 12, 12, 11);
    iaddi(g, 13, 10, 0); // in shared memory
    iadd(g, 10, 10, 11);
    movi(g, 14, 0);
    for (uint32_t i = 0; i < 8; i++) iaddi(g, i, 10, i);
    for (uint32_t i = 0; i < 80; i++) {
        const uint32_t d = draw(8), a = draw(8), offset = 4 * draw(16);
        struct minst *m;
        switch (draw(9)) {
        case 0: iadd(g, d, a, draw(8)); break;
        case 1:
        case 2: load(g, SPACE_GLOBAL, d, 10, 4096 * draw(4)); break;
        case 3: load(g, SPACE_GLOBAL, d, 12, 4096 * draw(2)); break;
        case 4: store(g, SPACE_GLOBAL, 10, d, 4096 * (2 + draw(2))); break; // its own
        case 5: store(g, SPACE_LOCAL, 14, d, offset); break;
        case 6: load(g, SPACE_LOCAL, d, 14, offset); break;
        case 7: store(g, SPACE_SHARED, 13, d, 0); break;
        default:
            emit(g, OP_IADD, OPC_INT_ADD, ITYPE_U32, R(d), R(a), C(CB_LAUNCH, CB0_NTID_X), NIL());
            break;
        }
        if (draw(12) == 0) { // some lanes load alone
            setp_lt(g, 0, 10, (uint32_t)g->buffer + 4 * draw(WORDS));
            m = load(g, SPACE_GLOBAL, d, 10, 4096 * draw(4));
            m->guard = 0;
        }
        if (draw(10) == 0) // time passes
            for (uint32_t k = 0; k < 20; k++) iadd(g, d, d, d);
    }
    for (uint32_t i = 0; i < 8; i++) store(g, SPACE_GLOBAL, 10, i, 4096 * (4 + i));
    exit_(g);
    return g;
}

// Stands between the SM and a technique: everything that is heard also goes to a listener, which
// keeps a copy of each cache, and each answer is held against what must be.
struct witness {
    struct listen l;
    const struct sm_technique *t;
    struct savings set;
    struct sm_array_port port;
    uint64_t awake[MEM_ARRAYS][LISTEN_PLACES], last[MEM_ARRAYS][LISTEN_PLACES];
    uint64_t n, waited, wanted, spared;
};
static uint32_t witness_hear(void *self, const struct cache_event *e) {
    struct witness *const w = self;
    if (e->array != ARRAY_INST) listen_hear(&w->l, e);
    const uint32_t extra = w->t->arrays->hear(w->t->self, e);
    w->n++;
    w->wanted += e->what == CACHE_READ_HIT ? bits_count64(e->words) : 0;
    const bool hits = e->what == CACHE_READ_HIT || e->what == CACHE_WRITE_HIT;
    if (e->place == CACHE_NOWHERE) return extra;
    const bool uses = hits || e->what == CACHE_FILL || e->what == CACHE_WRITE_MISS ||
                      (e->what == CACHE_EVICT && e->words != 0); // read out, and written back
    if (w->set.mechanisms & M(drowsy_lines) && uses) {
        // Whoever accesses a line in a cycle in which nothing has kept it on waits for the wakeup.
        uint64_t *const awake = &w->awake[e->array][e->place];
        if (e->cycle > *awake) assert_int_equal(extra, savings_value(&w->set, "line_wakeup"));
        assert_true(extra <= savings_value(&w->set, "line_wakeup"));
        *awake = e->cycle + extra + 1 > *awake ? e->cycle + extra + 1 : *awake;
        w->waited += extra;
    }
    if (w->set.mechanisms & M(cache_decay)) { // what was due to go off is not there
        const uint64_t last = w->last[e->array][e->place], tick = savings_value(&w->set, "decay") / 4,
                       off = (last + savings_value(&w->set, "decay") + tick - 1) / tick * tick;
        if (hits) assert_true(e->cycle < off || last == 0);
        if (hits || e->what == CACHE_FILL || e->what == CACHE_WRITE_MISS)
            w->last[e->array][e->place] = e->cycle;
    }
    return extra;
}
static uint64_t witness_lapses(void *self, enum mem_array of, uint32_t place) {
    const struct witness *const w = self;
    return w->t->arrays->lapses_at(w->t->self, of, place);
}

struct outcome {
    uint8_t memory[BYTES];
    struct activity a;
    uint64_t cycles, waited;
};
static void go(uint32_t number, const struct savings *s, bool every_cycle, struct outcome *out) {
    struct rig *g = program(number);
    static struct witness w;
    struct savings_sm *sm = NULL;
    struct sm_technique p;
    if (s != NULL) {
        sm = savings_sm_create(s, &g->c);
        const struct sm_technique *list[SM_MAX_TECHNIQUES];
        assert_int_equal(savings_sm_techniques(sm, list), 1);
        w = (struct witness){.t = list[0], .set = *s};
        listen_technique(&w.l, g);
        p = *list[0];
        w.port = *p.arrays;
        w.port.hear = witness_hear;
        if (w.port.lapses_at != NULL) w.port.lapses_at = witness_lapses;
    }
    // The technique counts and lives as itself; its array port is the witness's.
    const struct sm_technique eye = {.name = "witness", .self = &w, .arrays = &w.port};
    if (s != NULL) {
        p.arrays = NULL;
        g->technique[g->n_techniques++] = &p;
        g->technique[g->n_techniques++] = &eye;
    }
    g->every_cycle = every_cycle;
    out->cycles = rig_run(g);
    out->a = *sm_activity(g->sm, g->done_at + 1);
    out->waited = w.waited;
    if (s != NULL) savings_close(s, &g->c, 1, 0, out->cycles, &out->a);
    memcpy(out->memory, devmem_host(g->memory, g->buffer, sizeof out->memory), sizeof out->memory);
    rig_free(g);
    savings_sm_destroy(sm);
}

static void random_programs(void **state) {
    (void)state;
    static struct outcome want, got, dense;
    uint64_t wakes = 0, lapses = 0, writebacks = 0, spared = 0;
    for (uint32_t n = 1; n <= 24; n++) {
        go(n, NULL, false, &want);
        for (uint32_t k = 0; k < 6; k++) {
            struct savings s =
                set_of(k < 3 ? M(drowsy_lines) : k < 5 ? M(cache_decay) : M(mask_access));
            savings_set(&s, "in_const", 1);
            savings_set(&s, "in_shared", k < 3);
            savings_set(&s, "line_wakeup", k);
            savings_set(&s, "line_ahead", 0);
            savings_set(&s, "decay", k == 3 ? 100 : 1000);
            go(n, &s, false, &got);
            go(n, &s, true, &dense); // a cycle in which nothing happens may be simulated or not
            assert_int_equal(got.cycles, dense.cycles);
            assert_memory_equal(&got.a, &dense.a, sizeof got.a);
            assert_memory_equal(got.memory, want.memory, sizeof want.memory);
            assert_int_equal(got.a.c[ACT_warp_instructions], want.a.c[ACT_warp_instructions]);
            if (s.mechanisms == M(mask_access) || k == 0) assert_int_equal(got.cycles, want.cycles);
            for (uint32_t i = 0; i < ARRAY_L2; i++) {
                const uint64_t *const c = got.a.c;
                const uint32_t lines[] = {LINES, 8, 0, 0, 49152 / 128};
                const bool is_in = k < 3 ? i != ARRAY_TEX : k < 5 && i != ARRAY_SHARED;
                assert_int_equal(c[act_number("line_on") + i] + c[act_number("line_drowsy") + i] + c[act_number("line_off") + i],
                                 is_in ? lines[i] * got.cycles : 0);
                wakes += c[act_number("line_wakes") + i];
                lapses += c[act_number("line_lapses") + i];
                spared += c[act_number("mask_spared_reads") + i];
            }
            writebacks += k == 3 ? got.a.c[ACT_l1_writebacks] - want.a.c[ACT_l1_writebacks] : 0;
        }
    }
    assert_true(wakes > 1000 && lapses > 100 && writebacks > 10 && spared > 100);
}

// Rows of shared memory: what a lane touches wakes, CTAs lie one behind the other.
static void rows_of_shared_memory(void **state) {
    (void)state;
    struct rig *g = rig_new();
    g->im.shared_bytes = 1024;
    g->ctas = 2;
    s2r(g, 1, SREG_tid_x);
    for (int i = 0; i < 3; i++) iadd(g, 1, 1, 1); // eight bytes a thread: two rows
    store(g, SPACE_SHARED, 1, 1, 0);
    exit_(g);
    struct savings s = set_of(M(drowsy_lines));
    savings_set(&s, "in_shared", 1);
    struct savings_sm *sm = savings_sm_create(&s, &g->c);
    g->n_techniques = savings_sm_techniques(sm, g->technique);
    rig_run(g);
    assert_int_equal(act(g, act_number("line_wakes") + ARRAY_SHARED), 4);
    assert_int_equal(act(g, act_number("line_on") + ARRAY_SHARED), 4 * 2); // waking, and the access
    rig_free(g);
    savings_sm_destroy(sm);
}

static void what_does_not_go_together(void **state) {
    (void)state;
    struct diags d;
    struct savings s;
    diags_init(&d);
    struct savings_request r = {.n_mechanisms = 2};
    r.mechanism[0].name = "drowsy-lines", r.mechanism[1].name = "cache-decay";
    r.mechanism[0].where = r.mechanism[1].where = "test";
    const struct sm_config c = {.lane_groups = 2};
    assert_int_equal(savings_make(&r, &c, &d, &s), WW_ERROR_CONFIG);
    char text[256];
    diags_first(&d, text, sizeof text);
    assert_non_null(strstr(text, "drowsy-lines, cache-decay do not go together"));
    diags_free(&d);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_wakes_for_each_access),
        cmocka_unit_test(a_look_ahead_hides_the_wakeup),
        cmocka_unit_test(tags_wake_before_their_line),
        cmocka_unit_test(cycle_by_cycle),
        cmocka_unit_test(a_line_goes_off_after_the_interval),
        cmocka_unit_test(words_that_stay_quiet),
        cmocka_unit_test(states_add_up),
        cmocka_unit_test(random_programs),
        cmocka_unit_test(rows_of_shared_memory),
        cmocka_unit_test(what_does_not_go_together),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    end();
    return failed;
}
