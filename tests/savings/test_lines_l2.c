// Lines of L2 that are drowsy or decay, under random traffic: every request is answered once, times
// of lines are those of a bitmap of cycles kept beside, nothing is read where a line has gone off,
// and the traffic of a memory system with techniques that add no cycle is that of one without.
#include "sm/config.h"
#include "../mem/test_traffic.h"
#include "savings/savings.h"

#define M(id) (1u << SAVINGS_##id)
enum { SLICES = 2, LINES = 16, CYCLES = 1 << 20 };

static struct savings set_of(uint32_t mechanisms) {
    struct savings s = {.mechanisms = mechanisms};
    for (uint32_t i = 0; savings_option_at(i).is != NULL; i++)
        s.value[i] = savings_option_at(i).is->value;
    return s;
}

static struct mem_config small(double l2_mhz) {
    struct mem_config c = rig_config();
    c.slices_per_partition = c.dram.channels_per_partition = SLICES;
    c.l2.bytes = LINES * 128;
    c.l2.ways = 4;
    c.l2_clock_mhz = l2_mhz;
    return c;
}

// What a listener hears is enough to know it all.
struct witness {
    struct savings set;
    uint8_t *on; // [slice * LINES + place][cycle]
    uint64_t awake[SLICES * LINES], last[SLICES * LINES], lapses, wanted;
    bool is_there[SLICES * LINES], dirty[SLICES * LINES];
};
static uint32_t hear(void *self, const struct cache_event *e) {
    struct witness *const w = self;
    const bool hits = e->what == CACHE_READ_HIT || e->what == CACHE_WRITE_HIT,
               brings = e->what == CACHE_FILL || e->what == CACHE_WRITE_MISS,
               looks = e->what <= CACHE_WRITE_MISS;
    w->wanted += looks || e->what == CACHE_EVICT ? bits_count64(e->words) : 0;
    if (e->place == CACHE_NOWHERE) return 0;
    const uint32_t at = e->slice * LINES + e->place;
    assert_true(e->cycle + savings_value(&w->set, "line_wakeup") + 2 < CYCLES);
    if (hits || brings || (e->what == CACHE_EVICT && e->words != 0)) {
        uint8_t *const on = w->on + (size_t)at * CYCLES;
        // Drowsy: it wakes from this cycle on. Else it is on, or was up to the cycle before.
        const bool drowsy = e->cycle > w->awake[at] && !on[e->cycle];
        const uint64_t ready = drowsy                        ? e->cycle + savings_value(&w->set, "line_wakeup")
                               : w->awake[at] > e->cycle + 1 ? w->awake[at] - 1
                                                             : e->cycle;
        for (uint64_t t = e->cycle; t <= ready; t++) on[t] = 1;
        w->awake[at] = ready + 1 > w->awake[at] ? ready + 1 : w->awake[at];
    }
    if (w->set.mechanisms & M(cache_decay)) {
        const uint64_t tick = savings_value(&w->set, "decay_l2") / 4,
                       off = (w->last[at] + savings_value(&w->set, "decay_l2") + tick - 1) / tick * tick;
        if (hits) assert_true(w->is_there[at] && (e->cycle < off || w->dirty[at]));
        if (e->what == CACHE_EVICT) {
            assert_true(w->is_there[at]);
            w->lapses += e->cycle == off;
            w->is_there[at] = w->dirty[at] = false;
        }
        if (hits || brings) {
            w->last[at] = e->cycle;
            w->is_there[at] = true;
            // No room to write it back: it may stay beyond its time.
            w->dirty[at] = w->dirty[at] || e->what == CACHE_WRITE_HIT ||
                           e->what == CACHE_WRITE_MISS || e->what == CACHE_FILL;
        }
    }
    return 0;
}

static struct result traffic(uint32_t seed, const struct savings *s, double l2_mhz,
                             struct witness *w, struct activity *counts) {
    struct mem_config c = small(l2_mhz);
    struct rig r = rig_make(c, 3, 1000);
    struct diags d;
    diags_init(&d);
    struct savings_l2 *l = NULL;
    if (s != NULL) {
        assert_int_equal(savings_l2_create(s, r.m, &c.l2, &d, &l), WW_OK);
        assert_non_null(l);
        *w = (struct witness){.set = *s, .on = w->on};
        memset(w->on, 0, (size_t)SLICES * LINES * CYCLES);
        assert_int_equal(mem_system_listen(r.m, &(struct cache_listener){.self = w, .hear = hear}),
                         WW_OK);
    }
    const struct traffic t = {.seed = seed * 7919 + 1,
                              .requests = 3000,
                              .window = 4,
                              .span_blocks = 20 + seed * 10,
                              .writes = 30,
                              .atomics = 10,
                              .skip = seed % 2};
    const struct result x = drive(&r, t);
    if (l != NULL) savings_l2_settle(l, 0, r.now);
    *counts = *mem_system_activity(r.m, 0);
    const struct sm_config none = {0};
    if (s != NULL) savings_close(s, &none, 0, SLICES * LINES, r.now, counts);
    rig_free(&r);
    savings_l2_destroy(l);
    diags_free(&d);
    return x;
}

static void drowsy_lines_under_traffic(void **state) {
    (void)state;
    static struct activity want, got;
    struct witness w = {.on = malloc((size_t)SLICES * LINES * CYCLES)};
    for (uint32_t n = 1; n <= 6; n++) {
        const struct result plain = traffic(n, NULL, 1000, &w, &want);
        struct savings s = set_of(M(drowsy_lines) | M(mask_access));
        const struct result hidden = traffic(n, &s, 1000, &w, &got);
        // A look-ahead hides it all.
        assert_int_equal(hidden.end, plain.end);
        assert_memory_equal(hidden.sum.c, plain.sum.c, ACT_SAVINGS_FIRST * sizeof *plain.sum.c);
        savings_set(&s, "line_ahead", 0);
        savings_set(&s, "line_wakeup", n);
        traffic(n, &s, 1000, &w, &got);
        uint64_t on = 0;
        for (size_t i = 0; i < (size_t)SLICES * LINES * CYCLES; i++) on += w.on[i];
        assert_int_equal(got.c[act_number("line_on") + ARRAY_L2], on);
        assert_true(got.c[act_number("line_wakes") + ARRAY_L2] > 100 &&
                    got.c[act_number("line_late") + ARRAY_L2] > 100);
        // What is switched on is what is wanted or written back, and no less.
        assert_true(got.c[act_number("mask_words") + ARRAY_L2] == w.wanted);
        // A clock of half the speed: core cycles are twice as many.
        traffic(n, &s, 500, &w, &got);
        on = 0;
        for (size_t i = 0; i < (size_t)SLICES * LINES * CYCLES; i++) on += w.on[i];
        assert_int_equal(got.c[act_number("line_on") + ARRAY_L2], 2 * on);
    }
    free(w.on);
}

static void lines_decay_under_traffic(void **state) {
    (void)state;
    static struct activity want, got;
    struct witness w = {.on = malloc((size_t)SLICES * LINES * CYCLES)};
    uint64_t lapses = 0, misses = 0, off = 0;
    for (uint32_t n = 1; n <= 12; n++) {
        traffic(n, NULL, 1000, &w, &want);
        struct savings s = set_of(M(cache_decay));
        savings_set(&s, "decay_l2", 100 * n);
        traffic(n, &s, n % 2 ? 1000 : 700, &w, &got);
        lapses += got.c[act_number("line_lapses") + ARRAY_L2];
        assert_int_equal(got.c[act_number("line_lapses") + ARRAY_L2], w.lapses);
        misses += got.c[ACT_l2_read_misses] > want.c[ACT_l2_read_misses];
        off += got.c[act_number("line_off") + ARRAY_L2];
        assert_true(got.c[act_number("line_on") + ARRAY_L2] > 0);
    }
    assert_true(lapses > 100 && misses > 6 && off > 1000);
    free(w.on);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(drowsy_lines_under_traffic),
                                       cmocka_unit_test(lines_decay_under_traffic)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
