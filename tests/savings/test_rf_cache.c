// The register-file cache: its entries with data in them, and what it does cycle by cycle on
// made-up schedules.
#include "activity/sm.h"
#include "isa/image.h"
#include "savings/rfc.h"
#include "test_view.h"

// ---- entries ----------------------------------------------------------------------------------
static void entries(void **state) {
    (void)state;
    struct rfc_warp w = {0};
    uint32_t at;
    enum { ALL = UINT32_MAX };
    assert_int_equal(rfc_read(&w, 2, 5, ALL, false, &at), RFC_MISS);
    assert_int_equal(rfc_place(&w, 2, 5), 0);
    assert_int_equal(rfc_write(&w, 0, 5, 0xff).valid, 0);
    assert_int_equal(rfc_read(&w, 2, 5, 0x0f, false, &at), RFC_HIT);
    assert_int_equal(rfc_read(&w, 2, 5, 0xf0f, false, &at), RFC_BOTH);
    assert_int_equal(rfc_read(&w, 2, 5, 0xf00, false, &at), RFC_MISS); // of lanes not written here
    assert_int_equal(rfc_write(&w, rfc_place(&w, 2, 6), 6, ALL).valid, 0);
    // R5 again: its entry, and no younger for it
    assert_int_equal(rfc_place(&w, 2, 5), 0);
    assert_int_equal(rfc_write(&w, 0, 5, 0xff00).valid, 0);
    assert_int_equal(rfc_read(&w, 2, 5, 0xffff, true, &at), RFC_HIT); // last read of these lanes
    // R7 takes the place of R5, the oldest, which no lane wants
    assert_int_equal(rfc_place(&w, 2, 7), 0);
    struct rfc_entry old = rfc_write(&w, 0, 7, ALL);
    assert_true(old.reg == 5 && old.valid == 0xffff && old.dirty == 0);
    // R8 takes that of R6, of which half of the lanes have had their last read
    assert_int_equal(rfc_read(&w, 2, 6, 0xffff, true, &at), RFC_HIT);
    assert_int_equal(rfc_place(&w, 2, 8), 1);
    old = rfc_write(&w, 1, 8, ALL);
    assert_true(old.reg == 6 && old.dirty == 0xffff0000);
    // a value that goes to the banks makes the entry's out of date: the entry is free
    rfc_bypass(&w, 2, 7, ALL);
    assert_int_equal(rfc_read(&w, 2, 7, 1, false, &at), RFC_MISS);
    assert_int_equal(rfc_place(&w, 2, 9), 0);
}

// Any sequence: with data in entries and in banks, every read finds what was written last.
enum { REGS = 8, OPS = 400 };
static uint32_t seed;
static uint32_t draw(uint32_t n) {
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % n;
}
struct op {
    enum { READ, WRITE, BYPASS, FLUSH } what;
    uint32_t reg, lanes;
};
static uint32_t banks[REGS][32], cached[RFC_MAX_ENTRIES][32], newest[REGS][32];
static void write_back(const struct rfc_entry *e, uint32_t place) {
    for (uint32_t l = 0; l < 32; l++)
        if (e->dirty >> l & 1) banks[e->reg][l] = cached[place][l];
}
// Lanes that read the register again before they write it.
static uint32_t wanted(const struct op *op, uint32_t i, uint32_t reg) {
    uint32_t open = UINT32_MAX, lanes = 0;
    for (i++; i < OPS; i++) {
        if (op[i].what == FLUSH || op[i].reg != reg) continue;
        if (op[i].what == READ) lanes |= open & op[i].lanes;
        open &= ~op[i].lanes;
    }
    return lanes;
}
static void data(void **state) {
    (void)state;
    for (uint32_t number = 1; number < 200; number++) {
        seed = number;
        struct op op[OPS];
        for (uint32_t i = 0; i < OPS; i++) {
            const uint32_t mask = draw(3) ? UINT32_MAX : draw(1 << 24) * 257;
            op[i] = (struct op){draw(40) == 0 ? FLUSH : (uint32_t)draw(8) / 3, draw(REGS),
                                mask == 0 ? 1 : mask};
        }
        const uint32_t n = 1 + number % RFC_MAX_ENTRIES;
        struct rfc_warp w = {0};
        for (uint32_t i = 0; i < OPS; i++) {
            const uint32_t reg = op[i].reg, lanes = op[i].lanes;
            uint32_t at = n;
            switch (op[i].what) {
            case READ: {
                const uint32_t valid =
                    rfc_find(&w, n, reg) < n ? w.entry[rfc_find(&w, n, reg)].valid : 0;
                const bool last = (wanted(op, i, reg) & lanes) == 0;
                const enum rfc_read r = rfc_read(&w, n, reg, lanes, last, &at);
                assert_true((r == RFC_HIT) == ((valid & lanes) == lanes));
                for (uint32_t l = 0; l < 32; l++) {
                    if (!(lanes >> l & 1)) continue;
                    const bool here = r != RFC_MISS && (valid >> l & 1);
                    assert_int_equal(here ? cached[at][l] : banks[reg][l], newest[reg][l]);
                }
                break;
            }
            case WRITE: {
                at = rfc_place(&w, n, reg);
                const struct rfc_entry old = rfc_write(&w, at, reg, lanes);
                write_back(&old, at);
                for (uint32_t l = 0; l < 32; l++)
                    if (lanes >> l & 1) cached[at][l] = newest[reg][l] = i;
                break;
            }
            case BYPASS:
                rfc_bypass(&w, n, reg, lanes);
                for (uint32_t l = 0; l < 32; l++)
                    if (lanes >> l & 1) banks[reg][l] = newest[reg][l] = i;
                break;
            default:
                for (uint32_t e = 0; e < n; e++) write_back(&w.entry[e], e);
                w = (struct rfc_warp){0};
            }
        }
        memset(banks, 0, sizeof banks);
        memset(newest, 0, sizeof newest);
    }
}

// ---- the technique ------------------------------------------------------------------------------
static uint16_t last_reads[4]; // of instruction 0: none; 1: its first register
static struct code_image image = {.last_reads = last_reads, .n_insts = 4};

static void begin(struct fake *f, const char *words, uint32_t banks_, uint32_t entries_) {
    struct diags d;
    diags_init(&d);
    *f = (struct fake){0};
    struct savings_request r = {.mechanism = {{"rf-cache", "test"}}, .n_mechanisms = 1};
    r.option[0].name = "mrf", r.option[0].value = words, r.option[0].where = "test";
    r.option[0].must_be_used = true;
    r.n_options = 1;
    const struct sm_config c = {.lane_groups = 2,
                                .sfus = 1,
                                .schedulers = 2,
                                .scheduler = SCHED_TWO_LEVEL,
                                .rfc_entries = entries_,
                                .rfc_banks = banks_,
                                .rfc_read_ports = 2,
                                .rfc_write_ports = 1};
    assert_int_equal(savings_make(&r, &c, &d, &f->set), WW_OK);
    diags_free(&d);
    f->sm = savings_sm_create(&f->set, &c);
    assert_non_null(f->sm);
    f->n = savings_sm_techniques(f->sm, f->p);
    last_reads[1] = 1;
    f->p[0]->life->kernel(f->p[0]->self, 0, &image);
    f->p[0]->life->work(f->p[0]->self, &f->v, true, 0);
    f->v.resident = f->v.active = 0xf;
    for (uint32_t w = 0; w < 4; w++) {
        const struct sm_warp_event e = {.comes = true, .warp = w};
        f->p[0]->life->warp(f->p[0]->self, &e);
    }
}
static struct activity counts(struct fake *f, uint64_t now) {
    struct activity a = {.c = {0}};
    a.c[ACT_sm_busy_cycles] = now;
    f->p[0]->count(f->p[0]->self, &f->v, &a, now);
    return a;
}
static uint32_t reads(struct fake *f, uint32_t w, uint32_t pc, uint32_t n, const uint8_t *reg,
                      uint64_t cycle) {
    uint64_t at[4];
    for (uint32_t i = 0; i < n; i++) at[i] = cycle;
    const struct sm_row_access a = {
        .cycle = cycle, .warp = w, .n = n, .reg = reg, .at = at, .lanes = ~0u, .pc = pc};
    return f->p[0]->rows->read(f->p[0]->self, &a);
}
static uint32_t writes(struct fake *f, uint32_t w, uint8_t reg, bool is_long, uint64_t cycle) {
    const struct sm_row_access a = {.cycle = cycle,
                                    .warp = w,
                                    .n = 1,
                                    .reg = &reg,
                                    .at = &cycle,
                                    .lanes = ~0u,
                                    .is_long = is_long};
    return f->p[0]->rows->write(f->p[0]->self, &a);
}
#define REG(r)                                                                                     \
    (const uint8_t[]) { r }

// Two entries a warp, banks near threshold: three cycles.
static void sequence(void **state) {
    (void)state;
    struct fake f;
    begin(&f, "ntv", 1, 2);
    assert_int_equal(reads(&f, 0, 0, 1, REG(1), 10), 2); // miss
    assert_int_equal(reads(&f, 0, 0, 1, REG(1), 12), 2); // a read brings nothing in
    assert_int_equal(writes(&f, 0, 1, false, 20), 0);    // takes an entry
    assert_int_equal(reads(&f, 0, 0, 1, REG(1), 21), 0); // hit
    assert_int_equal(writes(&f, 0, 2, false, 22), 0);
    assert_int_equal(writes(&f, 0, 3, true, 23), 2);     // of memory: past it
    assert_int_equal(reads(&f, 0, 0, 1, REG(3), 30), 2); // miss
    assert_int_equal(writes(&f, 0, 4, false, 31), 0);    // R1, the oldest, goes with its value
    assert_int_equal(reads(&f, 0, 0, 1, REG(1), 40), 2);
    assert_int_equal(reads(&f, 0, 1, 1, REG(2), 41), 0); // hit, and its last read
    assert_int_equal(writes(&f, 0, 5, false, 42), 0);    // R2 goes, its value is not wanted
    assert_int_equal(writes(&f, 1, 4, false, 43), 0);    // another warp's entries are its own
    assert_int_equal(reads(&f, 0, 0, 1, REG(4), 44), 0);
    struct activity a = counts(&f, 50);
    assert_int_equal(a.c[act_number("rfc_reads") + RFC_HIT], 3);
    assert_int_equal(a.c[act_number("rfc_reads") + RFC_MISS], 4);
    assert_int_equal(a.c[act_number("rfc_writes")], 5);
    assert_int_equal(a.c[act_number("rfc_bypasses")], 1);
    assert_int_equal(a.c[act_number("rfc_evictions")], 1);
    assert_int_equal(a.c[act_number("rfc_evictions") + 1], 1);
    assert_int_equal(a.c[act_number("rfc_slow_reads")], 4);
    assert_int_equal(a.c[act_number("rfc_slow_writes")], 2); // R3, and R1 written back
    assert_int_equal(a.c[act_number("rfc_checks")], 12);
    assert_int_equal(a.c[act_number("rfc_wait_cycles")], 10);
    // warp 0 leaves the active set with R4 and R5, then a result of its comes: into the banks
    f.v.active = 0xe;
    fake_cycle(&f, 51);
    assert_int_equal(writes(&f, 0, 4, false, 52), 2);
    f.v.active = 0xf; // and is back: nothing is there
    fake_cycle(&f, 53);
    assert_int_equal(reads(&f, 0, 0, 1, REG(5), 54), 2);
    // warp 1 ends: what it has is nobody's
    f.v.active = f.v.resident = 0xd;
    fake_cycle(&f, 55);
    a = counts(&f, 60);
    assert_int_equal(a.c[act_number("rfc_flushes")], 2);
    assert_int_equal(a.c[act_number("rfc_flushed")], 2);
    assert_int_equal(a.c[act_number("rfc_flushed") + 1], 1);
    assert_int_equal(a.c[act_number("rfc_slow_writes")], 2 + 2 + 1);
    assert_int_equal(a.c[act_number("slow_file_cycles")], 60);
    savings_sm_destroy(f.sm);
}

// Banks above threshold: a miss costs no time. A bank serves two reads and a write a cycle; entry i
// of warp w lies in bank (i + w) mod banks.
static void ports(void **state) {
    (void)state;
    struct fake f;
    static const uint8_t regs[3] = {1, 2, 3};
    for (uint32_t banks_ = 1; banks_ <= 2; banks_++) {
        begin(&f, "stv", banks_, 4);
        for (uint32_t i = 0; i < 3; i++) assert_int_equal(writes(&f, 0, regs[i], false, 10 + i), 0);
        assert_int_equal(reads(&f, 0, 0, 1, REG(9), 15), 0);
        // one bank: the third read is a cycle later; two: R1 and R3 in bank 0, R2 in bank 1
        assert_int_equal(reads(&f, 0, 0, 3, regs, 20), banks_ == 1);
        assert_int_equal(writes(&f, 0, 1, false, 30), 0);
        // warp 2's first entry lies in bank 0 as R1 does, warp 1's in bank 1 where there is one
        assert_int_equal(writes(&f, 2, 1, false, 30), 1);
        assert_int_equal(writes(&f, 1, 1, false, 30), banks_ == 1 ? 2 : 0);
        const struct activity a = counts(&f, 40);
        assert_int_equal(a.c[act_number("rfc_slow_reads")] + a.c[act_number("slow_file_cycles")], 0);
        savings_sm_destroy(f.sm);
    }
}

static void refused(void **state) {
    (void)state;
    struct savings_request r = {.mechanism = {{"rf-cache", "test"}}, .n_mechanisms = 1};
    struct sm_config c = {.lane_groups = 2, .scheduler = SCHED_TWO_LEVEL, .rfc_entries = 6};
    struct savings s;
    struct diags d;
    diags_init(&d);
    assert_int_equal(savings_make(&r, &c, &d, &s), WW_OK);
    c.scheduler = SCHED_GTO;
    assert_int_equal(savings_make(&r, &c, &d, &s), WW_ERROR_CONFIG);
    c.scheduler = SCHED_TWO_LEVEL, c.rfc_entries = 0;
    assert_int_equal(savings_make(&r, &c, &d, &s), WW_ERROR_CONFIG);
    diags_free(&d);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(entries), cmocka_unit_test(data),
                                       cmocka_unit_test(sequence), cmocka_unit_test(ports),
                                       cmocka_unit_test(refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
