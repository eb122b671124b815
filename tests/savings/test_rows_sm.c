// Register rows that go drowsy, in a whole SM, on random programs: results do not change, and the
// states of all rows agree with a slow model that looks at every row in every cycle and knows
// nothing of timestamps: a row is accessed in the first cycle from its plan on in which it is on.
#include "../sm/test_rig.h"
#include "isa/image.h"
#include "savings/savings.h"

enum { WARPS = 24, WORDS = WARPS * 32, ROWS = 16, MAX_ACCESSES = 1 << 16 };
static uint32_t seed;
static uint32_t draw(uint32_t n) {
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % n;
}

static struct rig *program(uint32_t number) {
    seed = number;
    struct rig *g = rig_new();
    struct sm_config *const c = &g->c;
    c->schedulers = 1 + number % 2;
    c->scheduler = number % 3 == 0 ? SCHED_TWO_LEVEL : SCHED_LRR;
    c->active_warps = 16;
    c->read_latency = draw(5);
    c->write_latency = draw(2);
    c->rf_banks = 1u << draw(5);
    c->collector_ports = 1;
    c->collectors = 2 + draw(8);
    c->result_bus = 1 + draw(3);
    c->collector_reads = draw(3);
    c->max_warps = 16; // half of the CTAs come when others have gone
    if (number % 4 == 0) c->lane_group_at = LANE_GROUP_AT_ENTRY, c->read_latency += 2;
    g->im.n_regs = ROWS;
    g->args.block[0] = 128;
    g->ctas = 6;
    g->quantum = 1; // the next CTA comes at once: the SM does not pause
    s2r(g, 10, SREG_tid_x);
    s2r(g, 11, SREG_ctaid_x);
    emit(g, OP_IMAD, OPC_INT_MAD, ITYPE_U32, R(10), R(11), IMM(128), R(10));
    iadd(g, 10, 10, 10); // four bytes a word
    iadd(g, 10, 10, 10);
    address(g, 11);
    iadd(g, 10, 10, 11);
    for (uint32_t i = 0; i < 8; i++) iaddi(g, i, 10, i);
    for (uint32_t i = 0; i < 40; i++) {
        const uint32_t d = draw(8), a = draw(8), b = draw(8);
        switch (draw(8)) {
        case 0:
        case 1: iadd(g, d, a, b); break;
        case 2: emit(g, OP_IMAD, OPC_INT_MAD, ITYPE_U32, R(d), R(a), R(b), R(draw(8))); break;
        case 3: fadd(g, d, a, b); break;
        case 4: mufu(g, d, a); break;
        case 5: movi(g, d, i); break;
        case 6: load(g, SPACE_GLOBAL, d, 10, 4096 * (1 + draw(3))); break;
        default: store(g, SPACE_GLOBAL, 10, d, 4096 * 4 * (1 + draw(2))); break;
        }
    }
    for (uint32_t i = 0; i < 8; i++) store(g, SPACE_GLOBAL, 10, i, 4096 * 4 * (4 + i));
    exit_(g);
    return g;
}

// ---- what happened -----------------------------------------------------------------------------
struct access {
    uint64_t first, at; // NEVER as first: it is a write, which sends no signal
    uint32_t warp, reg;
    bool is_output; // on from the signal up to the next write
    uint64_t since; // its warp came in this cycle
};
struct lifetime {
    uint64_t comes, goes;
    uint32_t warp;
};
struct recorder {
    struct access a[MAX_ACCESSES];
    struct lifetime l[64];
    uint32_t n, lives, times;
    uint64_t begins[64], ends[64]; // when the SM held work
};
#define WRITE UINT64_MAX
static void record(struct recorder *r, uint64_t first, uint64_t at, uint32_t warp, uint32_t reg,
                   bool is_output) {
    assert_true(r->n < MAX_ACCESSES);
    uint64_t since = UINT64_MAX;
    for (uint32_t i = 0; i < r->lives; i++)
        if (r->l[i].warp == warp && r->l[i].goes == UINT64_MAX) since = r->l[i].comes;
    assert_true(since != UINT64_MAX); // no access without a warp
    r->a[r->n++] = (struct access){first, at, warp, reg, is_output, since};
}
static uint32_t saw_read(void *self, const struct sm_row_access *a) {
    for (uint32_t i = 0; i < a->n; i++) record(self, a->cycle, a->at[i], a->warp, a->reg[i], false);
    for (uint32_t i = 0; i < a->n_dst; i++)
        record(self, a->cycle, 0, a->warp, a->dst_first + i, true);
    return 0;
}
static uint32_t saw_write(void *self, const struct sm_row_access *a) {
    for (uint32_t i = 0; i < a->n; i++) record(self, WRITE, a->at[i], a->warp, a->reg[i], false);
    return 0;
}
static void saw_warp(void *self, const struct sm_warp_event *e) {
    struct recorder *const r = self;
    if (e->comes) r->l[r->lives++] = (struct lifetime){e->cycle, UINT64_MAX, e->warp};
    for (uint32_t i = 0; i < r->lives; i++)
        if ((e->freed >> r->l[i].warp & 1) && r->l[i].goes == UINT64_MAX) r->l[i].goes = e->cycle;
}
static void saw_work(void *self, const struct sm_view *v, bool begins, uint64_t cycle) {
    (void)v;
    struct recorder *const r = self;
    if (begins)
        r->begins[r->times] = cycle;
    else
        r->ends[r->times++] = cycle;
}

// ---- one row, cycle by cycle -------------------------------------------------------------------
struct totals {
    uint64_t on, waking, drowsy, off, wakes, charges;
};
enum state { OFF, DROWSY, WAKING, ON };
// One row: its accesses, those whose signal has come and that are not served, and results due.
struct one {
    const struct recorder *r;
    uint32_t warp, n, left, open, outputs;
    struct access a[4096];
    bool is_done[4096], is_asked[4096];
};
static void take(struct one *o, const struct recorder *r, uint32_t warp, uint32_t reg) {
    *o = (struct one){.r = r, .warp = warp};
    for (uint32_t i = 0; i < r->n; i++) {
        if (r->a[i].warp != warp || r->a[i].reg != reg) continue;
        assert_true(o->n < WW_COUNT(o->a));
        o->left += !r->a[i].is_output;
        o->a[o->n++] = r->a[i];
    }
}
// The row belongs to a warp in cycle c, or to one that has gone and is still read.
static bool is_there(const struct one *o, uint64_t c) {
    for (uint32_t i = 0; i < o->r->lives; i++) {
        const struct lifetime *const l = &o->r->l[i];
        if (l->warp == o->warp && l->comes <= c && c <= l->goes) return true;
    }
    for (uint32_t i = 0; i < o->n; i++)
        if (!o->is_done[i] && !o->a[i].is_output && o->a[i].since <= c) return true;
    return false;
}
// Signals of cycle c; whether there was one.
static bool ask(struct one *o, enum state state, uint64_t c, uint32_t lead) {
    bool signal = false;
    for (uint32_t i = 0; i < o->n; i++) {
        const struct access *const a = &o->a[i];
        if (o->is_asked[i]) continue;
        if (a->first == WRITE) { // promised by the signal before
            o->is_asked[i] = a->at <= c;
            o->open += o->is_asked[i];
            continue;
        }
        if (a->first > c + lead || a->since > c) continue; // nothing wakes before the warp comes
        assert_int_not_equal(state, OFF);                  // OFF only where nothing is allocated
        o->is_asked[i] = signal = true;
        o->open += !a->is_output;
        o->outputs += a->is_output;
    }
    return signal;
}
static void serve(struct one *o, uint64_t c) {
    for (uint32_t i = 0; i < o->n; i++) {
        const struct access *const a = &o->a[i];
        if (o->is_done[i] || !o->is_asked[i] || a->is_output || a->at > c) continue;
        o->is_done[i] = true;
        o->open--;
        o->left--;
        o->outputs -= a->first == WRITE;
    }
}
// What falls in this cycle and is asked for in the next stays on.
static bool falls(const struct one *o, uint64_t c, uint32_t lead) {
    if (o->open + o->outputs != 0) return false;
    for (uint32_t i = 0; i < o->n; i++)
        if (!o->is_asked[i] && o->a[i].first != WRITE && o->a[i].first <= c + 1 + lead)
            return false;
    return true;
}
static void follow(struct one *o, uint32_t wakeup, uint32_t lead, struct totals *t) {
    const struct recorder *const r = o->r;
    enum state state = OFF;
    uint64_t left = 0;
    uint32_t time = 0;
    for (uint64_t c = r->begins[0]; time < r->times || o->left != 0; c++) {
        while (time < r->times && c >= r->ends[time]) time++;
        const bool counts = time < r->times && c >= r->begins[time];
        if (state == OFF && is_there(o, c)) state = DROWSY, t->charges += counts;
        if (ask(o, state, c, lead) && state == DROWSY) {
            state = wakeup ? WAKING : ON;
            left = wakeup;
            t->wakes++;
        }
        if (state == WAKING && left == 0) state = ON;
        uint64_t *const of[] = {&t->off, &t->drowsy, &t->waking, &t->on};
        *of[state] += counts;
        if (state == ON) serve(o, c);
        if (state == WAKING) left--;
        if (state == ON && falls(o, c, lead)) state = DROWSY;
        if (state == DROWSY && !is_there(o, c + 1)) state = OFF;
    }
}

static struct recorder r;
static struct one one;

static void check(uint32_t number, uint32_t wakeup, uint32_t hidden, uint32_t ahead) {
    static uint8_t memory[2][4096 * 4 * 12];
    struct activity a = {.c = {0}};
    for (uint32_t with = 0; with < 2; with++) {
        struct rig *const g = program(number);
        struct savings s = {.mechanisms = 1u << SAVINGS_tric | 1u << SAVINGS_coma};
        savings_set(&s, "row_wakeup", wakeup);
        savings_set(&s, "row_hidden", hidden);
        savings_set(&s, "row_ahead", ahead);
        struct savings_sm *const sm = savings_sm_create(&s, &g->c);
        const struct sm_row_port rows = {.read = saw_read, .write = saw_write};
        const struct sm_life_port life = {.warp = saw_warp, .work = saw_work};
        const struct sm_technique p = {
            .name = "recorder", .self = &r, .rows = &rows, .life = &life};
        if (with) {
            memset(&r, 0, sizeof r);
            g->n_techniques = savings_sm_techniques(sm, g->technique);
            g->technique[g->n_techniques++] = &p;
        }
        rig_run(g);
        a = *sm_activity(g->sm, g->done_at + 1);
        memcpy(memory[with], devmem_host(g->memory, g->buffer, sizeof memory[0]), sizeof memory[0]);
        rig_free(g);
        savings_sm_destroy(sm);
    }
    assert_memory_equal(memory[0], memory[1], sizeof memory[0]);
    uint64_t busy = 0;
    for (uint32_t i = 0; i < r.times; i++) busy += r.ends[i] - r.begins[i];
    assert_int_equal(busy, a.c[ACT_sm_busy_cycles]);
    struct totals t = {0};
    for (uint32_t w = 0; w < 16; w++)
        for (uint32_t reg = 0; reg < ROWS; reg++) {
            take(&one, &r, w, reg);
            follow(&one, wakeup, hidden + ahead, &t);
        }
    const uint64_t others = (32768 / 32 - 16 * ROWS) * a.c[ACT_sm_busy_cycles];
    if (a.c[act_number("row_on_cycles")] != t.on)
        fail_msg("program %u, wakeup %u, hidden %u, ahead %u: %lu cycles on, not %lu", number,
                 wakeup, hidden, ahead, a.c[act_number("row_on_cycles")], t.on);
    assert_int_equal(a.c[act_number("row_waking_cycles")], t.waking);
    assert_int_equal(a.c[act_number("row_drowsy_cycles")], t.drowsy);
    assert_int_equal(a.c[act_number("row_off_cycles")], t.off + others);
    assert_int_equal(a.c[act_number("row_wakes")], t.wakes);
    assert_int_equal(a.c[act_number("row_charges")], t.charges);
    // COMA: lanes spared and lanes that executed are all lanes
    assert_int_equal(a.c[act_number("rf_divided_writes")], a.c[ACT_rf_writes]);
    assert_int_equal(a.c[act_number("rf_divided_reads")], a.c[ACT_rf_reads]);
    assert_int_equal(a.c[act_number("rf_read_lanes_spared")],
                     32 * a.c[ACT_rf_reads] - a.c[ACT_rf_read_lanes]);
}

static void states(void **state) {
    (void)state;
    static const struct {
        uint32_t wakeup, hidden, ahead;
    } row[] = {{3, 1, 0}, {1, 1, 0}, {2, 0, 0}, {0, 1, 0}, {5, 2, 0}, {3, 1, 2}};
    for (uint32_t number = 0; number < 6; number++)
        for (uint32_t i = 0; i < WW_COUNT(row); i++)
            if ((number + i) % 3 == 0) check(number, row[i].wakeup, row[i].hidden, row[i].ahead);
}

// The program on an SM with a register-file cache, with its last reads known.
static void with_cache(struct rig *g, uint32_t number) {
    struct arena scratch;
    g->c.scheduler = SCHED_TWO_LEVEL;
    g->c.active_warps = 4 + number % 5;
    g->c.rfc_entries = 1 + number % 8;
    g->c.rfc_banks = 1 + number % 4;
    g->c.rfc_read_ports = 1 + number % 3;
    g->c.rfc_write_ports = 1 + number % 2;
    arena_init(&scratch, NULL);
    arena_init(&g->im.arena, NULL);
    g->im.inst = g->inst;
    g->im.n_insts = g->n;
    image_last_reads(&g->im, &scratch);
    arena_free(&scratch);
}

// A set that goes together on an SM: one of the register file, drawn others.
static const char *const of_rows[] = {"rf-cache", "partition", "tric", "coma", "meters"};
static struct savings random_set(const struct sm_config *c, const char *first) {
    struct savings s;
    for (bool ok = false; !ok;) {
        struct savings_request q = {.mechanism = {{first, "test"}}, .n_mechanisms = 1};
        struct diags d;
        for (uint32_t i = 0; i < SAVINGS_MECHANISMS; i++) {
            if (draw(4) != 0) continue;
            q.mechanism[q.n_mechanisms].name = savings_mechanism(i).name;
            q.mechanism[q.n_mechanisms++].where = "test";
        }
        diags_init(&d);
        ok = savings_make(&q, c, &d, &s) == WW_OK;
        diags_free(&d);
    }
    return s;
}

// Sets of techniques on random programs: memory is the same, every access to a register is in one
// partition, every row in one state.
static void sets(void **state) {
    (void)state;
#define OF(m) (1u << SAVINGS_##m)
    static uint8_t memory[2][4096 * 4 * 12];
    for (uint32_t number = 1; number < 40; number++) {
        const char *const first = of_rows[number % WW_COUNT(of_rows)];
        struct savings s = {.mechanisms = 0};
        struct activity a = {.c = {0}};
        for (uint32_t with = 0; with < 2; with++) {
            struct rig *const g = program(number);
            if (strcmp(first, "rf-cache") == 0) with_cache(g, number);
            if (!with) s = random_set(&g->c, first);
            savings_set(&s, "frf_registers", number % 3 == 0 ? 0 : number % 7);
            savings_set(&s, "pilot", number % 2);
            savings_set(&s, "row_ahead", number % 4);
            struct savings_sm *const sm = savings_sm_create(&s, &g->c);
            if (with) g->n_techniques = savings_sm_techniques(sm, g->technique);
            rig_run(g);
            a = *sm_activity(g->sm, g->done_at + 1);
            memcpy(memory[with], devmem_host(g->memory, g->buffer, sizeof memory[0]),
                   sizeof memory[0]);
            if (s.mechanisms & OF(rf_cache)) arena_free(&g->im.arena);
            rig_free(g);
            savings_sm_destroy(sm);
        }
        assert_memory_equal(memory[0], memory[1], sizeof memory[0]);
        uint64_t reads = 0, writes = 0;
        for (uint32_t i = 0; i < 4; i++) {
            reads += a.c[act_number("partition_reads") + i];
            writes += a.c[act_number("partition_writes") + i];
        }
        if (s.mechanisms & OF(partition)) {
            assert_int_equal(reads, a.c[ACT_rf_reads]);
            assert_int_equal(writes, a.c[ACT_rf_writes]);
            assert_int_equal(a.c[act_number("pilots")], savings_value(&s, "pilot") != 0 &&
                                                  savings_value(&s, "frf_registers") != 0);
        }
        if (s.mechanisms & OF(rf_cache)) {
            const uint64_t *const read = &a.c[act_number("rfc_reads")];
            assert_int_equal(read[0] + read[1] + read[2], a.c[ACT_rf_reads]);
            assert_int_equal(a.c[act_number("rfc_writes")] + a.c[act_number("rfc_bypasses")], a.c[ACT_rf_writes]);
            assert_int_equal(a.c[act_number("rfc_checks")], a.c[ACT_rf_reads] + a.c[act_number("rfc_writes")]);
            // what came in goes out once, or is overwritten there
            assert_true(a.c[act_number("rfc_evictions")] + a.c[act_number("rfc_evictions") + 1] + a.c[act_number("rfc_flushed")] +
                            a.c[act_number("rfc_flushed") + 1] <=
                        a.c[act_number("rfc_writes")]);
            assert_true(read[0] != 0 && a.c[act_number("rfc_flushes")] != 0);
        }
        if (s.mechanisms & OF(tric))
            assert_int_equal(a.c[act_number("row_on_cycles")] + a.c[act_number("row_waking_cycles")] +
                                 a.c[act_number("row_drowsy_cycles")] + a.c[act_number("row_off_cycles")],
                             32768 / 32 * a.c[ACT_sm_busy_cycles]);
    }
#undef OF
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(states), cmocka_unit_test(sets)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
