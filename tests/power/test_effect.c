// What techniques save and cost, from counters made by hand: every component with the technique is
// the component without it, less what was saved, plus what was paid, and nothing else moves; and
// each row of the parts of techniques is worth what its price says.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <cmocka.h>

#include "activity/sm.h"
#include "gpu/fields.h"
#include "power/circuit.h"
#include "power/effect.h"
#include "power/power_gpu.h"
#include "savings/savings.h"

static struct power_tree tree;
static struct gpu_config gpu;
static struct power_config config;

static int build(void **state) {
    (void)state;
    struct diags d;
    diags_init(&d);
    bool ok = gpu_config_load("gtx480", NULL, 0, &d, &gpu) == WW_OK;
    gpu.sm.rfc_entries = 6; // of eight warps: 48 rows
    ok = ok && power_config_of(&gpu, &config, &d) == WW_OK;
    config.front_control = 0.25;
    ok = ok && power_build(&config, &tree, &d) == WW_OK;
    if (!ok) diags_print(&d, stderr);
    diags_free(&d);
    return ok ? 0 : -1;
}

static void close_to(double a, double b) {
    if (fabs(a - b) > 1e-12 * (fabs(a) + fabs(b)) + 1e-24) fail_msg("%.17g is not %.17g", a, b);
}

// A run of 700,000 cycles (a millisecond) of 15 SMs with two lane groups.
static void fill(struct activity *a) {
    memset(a, 0, sizeof *a);
    a->c[ACT_cycles] = 700000;
    a->c[ACT_sm_busy_cycles] = 15 * 700000ull;
    a->c[ACT_warp_instructions] = 12345678;
    a->c[ACT_rf_reads] = 23456789;
    a->c[ACT_idle_cycles + ACT_INT_DOMAIN] = 5000000;
    a->c[ACT_idle_cycles + ACT_INT_DOMAIN + 1] = 6000000;
}
static void gate(struct activity *a) {
    a->c[act_number("gate_uncompensated") + ACT_INT_DOMAIN] = 100000;
    a->c[act_number("gate_compensated") + ACT_INT_DOMAIN + 1] = 2900000; // 3 million domain cycles off
    a->c[act_number("gate_events") + ACT_INT_DOMAIN] = 30000;
    a->c[act_number("gate_overhead") + ACT_INT_DOMAIN] = 14 * 30000;
    a->c[act_number("gate_compensated") + ACT_FP_DOMAIN + 1] = 7000000;
    a->c[act_number("gate_compensated") + ACT_LDST_DOMAIN] = 1000000;
    a->c[act_number("gate_overhead") + ACT_LDST_DOMAIN] = 2000000; // more than it saved
    a->c[act_number("gates_cycles")] = a->c[ACT_sm_busy_cycles];
}

static void ledger(void **state) {
    (void)state;
    static struct activity a;
    static struct power_usage without, with;
    struct diags d;
    diags_init(&d);
    fill(&a);
    assert_int_equal(power_run(&tree, &a, 1e-3, &without, &d), WW_OK);
    gate(&a);
    assert_int_equal(power_run(&tree, &a, 1e-3, &with, &d), WW_OK);
    // 15 SMs x 2 lane groups x 700,000 cycles are all of INT's leakage: 21 million domain cycles.
    const int in = power_find(&tree, "int"), fp = power_find(&tree, "fp"),
              agu = power_find(&tree, "agu"), scheduler = power_find(&tree, "scheduler");
    double expected[POWER_MAX_COMPONENTS] = {0};
    expected[in] = without.static_j[in] * (14.0 * 30000 - 3000000) / 21000000;
    expected[fp] = without.static_j[fp] * -7000000 / 21000000;
    expected[agu] = without.static_j[agu] * (2000000.0 - 1000000) / (15 * 700000);
    expected[scheduler] = 1.21e-5 * 15 * 1e-3; // W, SMs, seconds
    double sum = 0;
    for (int i = 0; i < tree.components; i++) sum += expected[i];
    expected[tree.regulator] = sum * tree.regulator_loss;
    double total = 0;
    for (int i = 0; i < tree.components; i++) {
        close_to(with.static_j[i], without.static_j[i] + expected[i]);
        total += expected[i];
        double dynamic = without.dynamic_j[i];
        const double counters = 1.55e-3 * 15 * 1e-3; // all SMs were busy all the time, at 700 MHz
        if (i == scheduler) dynamic += counters;
        if (i == tree.regulator) dynamic += counters * tree.regulator_loss;
        close_to(with.dynamic_j[i], dynamic);
    }
    close_to(with.all_static_j[0], without.all_static_j[0] + total);
    assert_true(with.all_static_j[0] < without.all_static_j[0]);
    diags_free(&d);
}

// Leakage through gates as a number of its own: it goes with time and with the square of the supply
// times it, not with temperature; a unit that is off leaks neither way; constants are neither.
static void gate_leakage(void **state) {
    (void)state;
    static struct activity a;
    static struct power_usage u, gated;
    static struct power_tree hot, low;
    struct diags d;
    diags_init(&d);
    fill(&a);
    assert_int_equal(power_run(&tree, &a, 1e-3, &u, &d), WW_OK);
    double sub = 0, through_gates = 0, constant = 0;
    for (int i = 0; i < tree.components; i++) {
        const struct power_component *const p = &tree.component[i];
        close_to(u.leak_sub_j[i], p->leak_sub_w * 1e-3);
        close_to(u.leak_gate_j[i], p->leak_gate_w * 1e-3);
        sub += p->leak_sub_w, through_gates += p->leak_gate_w, constant += p->constant_w;
    }
    close_to(u.all_leak_sub_j[0], sub * 1e-3);
    close_to(u.all_leak_gate_j[0], through_gates * 1e-3);
    close_to(power_constant_j(&u, 0), constant * 1e-3);
    assert_true(through_gates > 0 && sub > through_gates);

    struct power_config c = config;
    c.temperature_k = config.temperature_k + 20;
    assert_int_equal(power_build(&c, &hot, &d), WW_OK);
    c = config, c.vdd_v = 0.9;
    assert_int_equal(power_build(&c, &low, &d), WW_OK);
    const int fp = power_find(&tree, "fp");
    close_to(hot.component[fp].leak_gate_w, tree.component[fp].leak_gate_w);
    assert_true(hot.component[fp].leak_sub_w > tree.component[fp].leak_sub_w);
    close_to(low.component[fp].leak_gate_w,
             tree.component[fp].leak_gate_w * pow(0.9 / config.vdd_v, 3));

    gate(&a); // a third of FP's cycles off; what the scheduler gains is a declared power
    assert_int_equal(power_run(&tree, &a, 1e-3, &gated, &d), WW_OK);
    const int scheduler = power_find(&tree, "scheduler");
    close_to(gated.leak_gate_j[fp], u.leak_gate_j[fp] * 2 / 3);
    close_to(gated.leak_sub_j[fp], u.leak_sub_j[fp] * 2 / 3);
    close_to(gated.static_j[fp], gated.leak_sub_j[fp] + gated.leak_gate_j[fp]);
    close_to(gated.leak_gate_j[scheduler], u.leak_gate_j[scheduler]);
    assert_true(gated.static_j[scheduler] > u.static_j[scheduler]);
    diags_free(&d);
}

static uint32_t line(const char *key) {
    const int l = power_line(&tree, key);
    if (l < 0) fail_msg("there is no line %s", key);
    return (uint32_t)l;
}
static double saved(const struct power_savings *s, uint32_t l) {
    return power_savings_saved(s, l) / s->all_j[l];
}
static double spent(const struct power_savings *s, uint32_t l) {
    return power_savings_spent(s, l) / s->all_j[l];
}

static void lines(void **state) {
    (void)state;
    static struct activity a;
    struct power_savings s;
    fill(&a);
    power_savings(&tree, &a, 1e-3, &s);
    assert_false(s.any);
    gate(&a);
    a.c[ACT_idle_periods_int + 63] = 100; // 100 long ones, 11 million cycles
    power_savings(&tree, &a, 1e-3, &s);
    assert_true(s.any);
    close_to(saved(&s, line("int")), 3000000.0 / 21000000);
    close_to(spent(&s, line("int")), 14.0 * 30000 / 21000000);
    close_to(s.bound_j[line("int")] / s.all_j[line("int")],
             (11000000.0 - 100 * 14) / 21000000);
    const double square = 0.04 * 0.04 * 1e-6; // of 40 nm, mm2
    // 36 bits an SM: a flip-flop of five NAND2 and a NAND3, six NAND2 of logic
    close_to(power_savings_mm2(&s, line("counters")),
             15 * 36 * (11 * 50 * 9 + 50 * 12) * square);
    assert_true(s.seen[line("ldst")] && !s.seen[line("sfu")] && !s.seen[line("shift_logic")]);
    struct power_savings two = s;
    power_savings_add(&two, &s);
    close_to(power_savings_saved(&two, line("int")),
             2 * power_savings_saved(&s, line("int")));
    close_to(power_savings_all_mm2(&two), power_savings_all_mm2(&s)); // once
}

// What a row's counter at `count` moves: of `parts` parts of a component, each for part_s / parts
// seconds.
struct moved {
    double static_j, dynamic_j;
};
static uint32_t act_of(const char *counter) { return act_row(act_find(counter))->first; }
static struct moved moved_by(const struct power_effect *o, int at, double count, double part_s,
                             double parts) {
    const struct power_component *const cells = &tree.component[at];
    const struct savings_price *const p = &o->is->price;
    const struct power_event *event = NULL; // of an access: each has one in its component
    if (p->kind == PRICE_ACCESS || p->kind == PRICE_ARRAY || p->kind == PRICE_WORD_PART ||
        p->kind == PRICE_WORD_GATES || p->kind == PRICE_FRONT || p->kind == PRICE_PARTS_ACCESS ||
        p->kind == PRICE_PARTS_SWAP || p->kind == PRICE_RFC_READ || p->kind == PRICE_RFC_WRITE)
        for (event = tree.event; event->component != at || event->act != act_of(p->event);) event++;
    const double share_s = part_s / parts;
    switch (p->kind) {
    case PRICE_LEAK:
        return (struct moved){p->share * (cells->leak_sub_w + cells->leak_gate_w) * share_s, 0};
    case PRICE_LEAK_BELOW: // gtx480 has no power gates of its own
        return (struct moved){p->share * (cells->all_leak_sub_w + cells->all_leak_gate_w) * share_s,
                              0};
    case PRICE_LEAK_FRONT:
        return (struct moved){0.25 * (cells->leak_sub_w + cells->leak_gate_w) * share_s, 0};
    case PRICE_WATTS: return (struct moved){p->watts * part_s, 0};
    case PRICE_JOULES: return (struct moved){0, p->joules * count};
    case PRICE_CELLS_OFF: return (struct moved){cells->cell_w * share_s, 0};
    case PRICE_CELLS_DROWSY:
        return (struct moved){(cells->cell_w - cells->cell_drowsy_w) * share_s, 0};
    case PRICE_WAKE_OFF: return (struct moved){0, cells->wake_off_j / parts * count};
    case PRICE_WAKE_DROWSY: return (struct moved){0, cells->wake_drowsy_j / parts * count};
    case PRICE_ACCESS: return (struct moved){0, p->share * event->energy_j * count};
    case PRICE_ARRAY: return (struct moved){0, event->energy_j / 8 * count}; // of four lanes
    case PRICE_WORD_PART: return (struct moved){0, event->word_part_j * count};
    case PRICE_FRONT: return (struct moved){0, event->front_j * count};
    case PRICE_WORD_GATES: return (struct moved){0, event->word_gates_j * count};
    case PRICE_GATES_LEAK: return (struct moved){cells->word_gates_w * share_s, 0};
    case PRICE_PARTS_LEAK:
        return (struct moved){(1 - tree.rf_parts.leak[p->file]) *
                                  (cells->leak_sub_w + cells->leak_gate_w) * share_s,
                              0};
    case PRICE_PARTS_ACCESS:
        return (struct moved){0, (1 - tree.rf_parts.access[p->file]) * event->energy_j * count};
    case PRICE_PARTS_SWAP: return (struct moved){0, tree.rf_parts.swap * event->energy_j * count};
    case PRICE_RFC_LEAK:
        return (struct moved){
            tree.rfc.leak_share * (cells->leak_sub_w + cells->leak_gate_w) * share_s, 0};
    case PRICE_RFC_READ: return (struct moved){0, tree.rfc.read_share * event->energy_j * count};
    case PRICE_RFC_WRITE: return (struct moved){0, tree.rfc.write_share * event->energy_j * count};
    case PRICE_RFC_TAGS: return (struct moved){0, tree.rfc.tags_j * count};
    // `stored` computes prices of tables
    case PRICE_TABLE_LEAK: return (struct moved){o->price_j * count, 0};
    case PRICE_TABLE_READ:
    case PRICE_TABLE_WRITE: return (struct moved){0, o->price_j * count};
    default: fail_msg("a kind of price that this test has no rule for");
    }
    return (struct moved){0, 0};
}

static bool is_below(int i, int above) {
    for (; i > above; i = tree.component[i].parent) {
    }
    return i == above;
}

// Each row alone: its counts move its component by their price, the regulator by its share of it,
// and nothing else.
static void each_row(void **state) {
    (void)state;
    static struct activity a;
    static struct power_usage without, with;
    // Cells of a line with its tag: 8 bits a byte; tags of 40 bits less those of set and byte, with
    // valid and dirty.
    const double const_tag = 40 - 6 - 6 + 2, tex_tag = 40 - 5 - 2 + 2, l2_tag = 40 - 7 - 5 + 2;
    const double parts[SAVINGS_PERS] = {[PER_SM] = 15,
                                      [PER_LANE_GROUP] = 30,
                                      [PER_LANE] = 30 * 32,
                                      [PER_RF_ROW] = 15 * 1024,
                                      [PER_L1_LINE] = 15 * 512, // with shared memory
                                      [PER_L1_TAG] = 15 * 128,
                                      [PER_CONST_LINE] = 15 * 128 * (512 + const_tag) / 512,
                                      [PER_CONST_TAG] =
                                          15 * 128 * (512 + const_tag) / const_tag,
                                      [PER_TEX_LINE] = 15 * 384 * (256 + tex_tag) / 256,
                                      [PER_TEX_TAG] = 15 * 384 * (256 + tex_tag) / tex_tag,
                                      [PER_L2_LINE] = 12 * 512 * (1024 + l2_tag) / 1024,
                                      [PER_L2_TAG] = 12 * 512 * (1024 + l2_tag) / l2_tag};
    struct diags d;
    diags_init(&d);
    fill(&a);
    assert_int_equal(power_run(&tree, &a, 1e-3, &without, &d), WW_OK);
    for (uint32_t i = 0; i < tree.rows.effects; i++) {
        const struct power_effect *const e = &tree.rows.effect[i];
        const int at = e->component;
        assert_true(at > 0 && e->mechanisms != 0 && e->is->why[0] != 0 && e->is->source[0] != 0);
        // every part for half of the time, by the first counter and the last of both runs
        const double count = floor(0.5 * 700000 * parts[e->is->price.per]), part_s = count / 700e6;
        fill(&a);
        const struct power_run last = e->run[e->run[1].n != 0];
        a.c[e->run[0].act] += (uint64_t)count / 2;
        a.c[last.act + last.n - 1] += (uint64_t)count - (uint64_t)count / 2;
        double moves_j = 0, moves_dynamic_j = 0; // this row's, and of others with its counters
        for (uint32_t k = 0; k < tree.rows.effects; k++) {
            const struct power_effect *const o = &tree.rows.effect[k];
            if (o->run[0].act != e->run[0].act || o->component != e->component) continue;
            const struct moved m = moved_by(o, at, count, part_s, parts[o->is->price.per]);
            moves_j -= (double)o->is->sign * m.static_j;
            moves_dynamic_j -= (double)o->is->sign * m.dynamic_j;
        }
        assert_true(moves_j != 0 || moves_dynamic_j != 0);
        assert_int_equal(power_run(&tree, &a, 1e-3, &with, &d), WW_OK);
        // The same counters in other components: shift stages of FP, words that pass a crossbar,
        // all parts of a front end, the clock of an SM that is off.
        const bool spreads =
            (e->mechanisms & (1u << SAVINGS_front_end_sharing | 1u << SAVINGS_sm_gating)) != 0;
        const bool has_below = e->is->price.kind == PRICE_LEAK_BELOW;
        double other = 0, other_dynamic = 0, below = 0;
        for (int c = 0; c < tree.components; c++) {
            if (c == tree.regulator) continue;
            if (has_below && is_below(c, at)) { // each by its leakage
                const double w = tree.component[c].leak_sub_w + tree.component[c].leak_gate_w;
                const double all_w =
                    tree.component[at].all_leak_sub_w + tree.component[at].all_leak_gate_w;
                close_to(with.static_j[c], without.static_j[c] + moves_j * w / all_w);
                below += moves_j * w / all_w;
                other_dynamic += with.dynamic_j[c] - without.dynamic_j[c];
                continue;
            }
            if (c != at) {
                other += with.static_j[c] - without.static_j[c];
                other_dynamic += with.dynamic_j[c] - without.dynamic_j[c];
                continue;
            }
            close_to(with.static_j[c], without.static_j[c] + moves_j);
            close_to(with.dynamic_j[c], without.dynamic_j[c] + moves_dynamic_j);
        }
        if (has_below) close_to(below, moves_j);
        if (e->line != line("shift_logic") && !spreads) assert_true(other == 0);
        if (e->line != line("l1_reads") && e->line != line("l1_moves") && !spreads)
            assert_true(other_dynamic == 0);
        close_to(with.static_j[tree.regulator],
                 without.static_j[tree.regulator] + (moves_j + other) * tree.regulator_loss);
        close_to(with.dynamic_j[tree.regulator],
                 without.dynamic_j[tree.regulator] +
                     (moves_dynamic_j + other_dynamic) * tree.regulator_loss);
    }
    diags_free(&d);
}

// What techniques for stored data are made of: rows off and drowsy, their waking, parts of a
// divided word line, shares of an access. Expected from arrays built beside the tree.
static void stored(void **state) {
    (void)state;
    struct power_config c = config;
    static struct power_tree t;
    struct diags d;
    struct tech tech;
    struct array a;
    diags_init(&d);
    c.long_channel = false, c.retention_v = 0.4; // a part a lane without being told
    assert_int_equal(power_build(&c, &t, &d), WW_OK);
    assert_int_equal(tech_init(&tech, c.node_nm, c.device, c.vdd_v, c.temperature_k, &d), WW_OK);
    const unsigned rows = 32768 / 32;
    const struct array_config slices = {
        .entries = rows / c.rf_banks, .bits = 128, .rw_ports = 1, .banks = c.rf_banks * 8};
    assert_int_equal(array_build(&tech, &slices, &a, &d), WW_OK);
    struct array_config in_parts = slices; // the same sub-arrays
    in_parts.word_parts = 4;
    in_parts.ndwl = a.ndwl, in_parts.ndbl = a.ndbl, in_parts.nspd = a.nspd, in_parts.ndcm = a.ndcm;
    struct array parted;
    assert_int_equal(array_build(&tech, &in_parts, &parted, &d), WW_OK);
    struct savings_price p = {.per = PER_RF_ROW};
    const double cycle_s = 1 / 700e6;
    p.kind = PRICE_CELLS_OFF; // all rows off are all cells
    close_to(power_price_j(&t, "rf_banks", &p) * rows, (a.cell_sub_w + a.cell_gate_w) * cycle_s);
    p.kind = PRICE_CELLS_DROWSY;
    const double all_w = array_static_w(&tech, &a, 0, 0.4, 0),
                 drowsy_w = array_static_w(&tech, &a, 1, 0.4, 0);
    assert_true(drowsy_w < all_w);
    close_to(power_price_j(&t, "rf_banks", &p) * rows, (all_w - drowsy_w) * cycle_s);
    double sub_at, gate_at, sub_share, gate_share; // of what the cells do not leak at 0.4 V
    tech_leak_at(&tech, 0.4, &sub_at, &gate_at);
    power_leak_shares(&t, "rf_banks", &p, &sub_share, &gate_share);
    close_to(gate_share * (all_w - drowsy_w), a.cell_gate_w * (1 - 0.4 / tech.vdd_v * gate_at));
    close_to(sub_share * (all_w - drowsy_w), a.cell_sub_w * (1 - 0.4 / tech.vdd_v * sub_at));
    p.kind = PRICE_WAKE_OFF;
    close_to(power_price_j(&t, "rf_banks", &p), 1024 * array_cell_wake_j(&tech, 0));
    p.kind = PRICE_WAKE_DROWSY;
    close_to(power_price_j(&t, "rf_banks", &p), 1024 * array_cell_wake_j(&tech, 0.4));
    p = (struct savings_price){.kind = PRICE_ACCESS, .event = "rf_reads", .share = 0.25};
    const double banks = 160 / 13.73; // a bank's access over its bare arrays'
    close_to(power_price_j(&t, "rf_banks", &p), 0.25 * 8 * banks * a.read_j);
    p = (struct savings_price){.kind = PRICE_WORD_PART, .event = "rf_reads"};
    close_to(power_price_j(&t, "rf_banks", &p), banks * parted.part_read_j);
    assert_true(32 * parted.part_read_j <
                8 * a.read_j);       // the row's decoder is paid with no lane too
    p.kind = PRICE_WORD_GATES; // an access in all lanes costs more than an undivided one
    close_to(power_price_j(&t, "rf_banks", &p), 8 * banks * (parted.read_j - a.read_j));
    assert_true(parted.read_j > a.read_j);
    p.event = "rf_writes";
    close_to(power_price_j(&t, "rf_banks", &p), 8 * banks * (parted.write_j - a.write_j));
    p.kind = PRICE_WORD_PART;
    close_to(power_price_j(&t, "rf_banks", &p), banks * parted.part_write_j);
    p.kind = PRICE_GATES_LEAK;
    close_to(power_price_j(&t, "rf_banks", &p) * 15,
             15 * (parted.leak_sub_w + parted.leak_gate_w - a.leak_sub_w - a.leak_gate_w) *
                 cycle_s);
    // a table of 16 masks
    const struct array_config masks = {
        .entries = 16, .bits = 32, .read_ports = 1, .write_ports = 1};
    struct array table;
    assert_int_equal(array_build(&tech, &masks, &table, &d), WW_OK);
    p = (struct savings_price){.kind = PRICE_TABLE_READ, .entries = 16, .bits = 32};
    close_to(power_price_j(&t, "rf_banks", &p), table.read_j);
    p.kind = PRICE_TABLE_WRITE;
    close_to(power_price_j(&t, "rf_banks", &p), table.write_j);
    p.kind = PRICE_TABLE_LEAK;
    close_to(power_price_j(&t, "rf_banks", &p), (table.leak_sub_w + table.leak_gate_w) * cycle_s);
    // L1 lines lie in the array of shared memory: 64 KB hold 512 lines of 128 bytes
        p = (struct savings_price){.kind = PRICE_CELLS_OFF, .per = PER_L1_LINE};
    const double l1 = power_price_j(&t, "shared", &p);
    double sub, gate;
    array_cell_leak(&tech, &(struct array_config){.rw_ports = 1}, &sub, &gate);
    close_to(l1, 1024 * (sub + gate) * cycle_s);
    assert_true(power_price_j(&t, "nothing", &p) == 0);
    diags_free(&d);
}

// Hardware of what is stored, from its geometry: a set-reset latch is two NAND2, a switch a tenth
// of a cell's six devices in fingers of 3 F. Lines are those that were counted, tables do not go
// with them.
static void areas(void **state) {
    (void)state;
    static struct activity a;
    struct power_savings s;
    const double square = 0.04 * 0.04 * 1e-6, latch = 2 * 50 * 9 * square;
    const double cell = 0.1 * 2 * (1.31 + 1.23 + 2.08) * 3 * square;
    fill(&a);
    power_savings(&tree, &a, 1e-3, &s);
    assert_true(power_savings_all_mm2(&s) == 0);
    a.c[act_number("row_off_cycles")] = 1;
    power_savings(&tree, &a, 1e-3, &s);
    close_to(power_savings_mm2(&s, line("rf")), 15 * 1024 * 2 * (latch + 1024 * cell));
    const double cycles = (double)(a.c[ACT_sm_busy_cycles] + a.c[ACT_sm_idle_cycles]) / 15;
    a.c[act_number("line_on")] = (uint64_t)(15 * 28 * cycles); // 128 lines an SM
    a.c[act_number("line_drowsy")] = (uint64_t)(15 * 100 * cycles);
    power_savings(&tree, &a, 1e-3, &s);
    close_to(power_savings_mm2(&s, line("l1")), 15 * 128 * (latch + 2 * 1024 * cell));
    const double before = power_savings_all_mm2(&s);
    a.c[act_number("divided_cycles")] = 1;
    power_savings(&tree, &a, 1e-3, &s);
    const double gates = power_savings_mm2(&s, line("rf_access")),
                 table = power_savings_mm2(&s, line("masks"));
    assert_true(gates > 0 && table > 0);
    close_to(power_savings_all_mm2(&s), before + gates + table);
    // Five front-end groups of three: ten slaves, each with two ways of 84 flip-flops and 84 wires
    // of 5 mm.
    fill(&a);
    a.c[ACT_shared_cycles] = 900, a.c[ACT_front_off_cycles] = 600, a.c[ACT_master_cycles] = 400;
    a.c[ACT_cluster_inst_packets] = 7, a.c[ACT_cluster_mem_packets] = 3;
    a.c[ACT_cluster_bit_um] = (7 * 64 + 3 * 16) * 5000;
    power_savings(&tree, &a, 1e-3, &s);
    const double score = tree.component[power_find(&tree, "scoreboard")].area_mm2;
    close_to(power_savings_mm2(&s, line("ack_bits")), score / 3 * 4 / 17);
    close_to(power_savings_mm2(&s, line("front_scoreboard")), score * 2 / 3 / 10);
    close_to(power_savings_mm2(&s, line("links")),
             10 * 84 *
                 (5 * circuit_wire(&tree.tech, TECH_GLOBAL, 1000).area_um2 * 1e-6 +
                  2 * (11 * 50 * 9 + 50 * 12 - 6 * 50 * 9) * square));
    // what the slaves do without: areas of gtx480 in `warpwatt chip`, rounded there
    const double supply = 0.172 / (0.172 + 0.692 + 0.397), front = (1.114 - 0.339) / 86.507;
    const double all_j = power_savings_saved(&s, line("front_supply")) /
                         s.all_j[line("front_supply")] * (15 * 700000.0 / 600),
                 clock = power_savings_saved(&s, line("front_clock")) /
                         s.all_j[line("front_clock")] * (15 * 700000.0 / 600);
    assert_true(fabs(all_j / supply - 1) < 0.02);
    assert_true(clock > 0 && clock < front); // the lanes' registers have most of the clock
    // every row has its parts and a component, so that none is worth nothing on a chip that has all
    for (uint32_t i = 0; i < tree.rows.areas; i++) {
        const struct savings_area *const r = tree.rows.area[i].is;
        if (!(power_area_mm2(&tree, r, -1) > 0))
            fail_msg("%s: %s has no area", r->component, r->what);
        assert_true(tree.rows.area[i].mechanisms != 0 && r->source[0] != 0);
    }
}

// A register-file cache of 48 rows beside 1024 rows in 32 banks, from arrays built beside the tree.
// More ports make an access dearer, more banks cheaper.
static void cache(void **state) {
    (void)state;
    struct diags d;
    struct tech tech;
    struct array banks, a;
    diags_init(&d);
    assert_int_equal(
        tech_init(&tech, config.node_nm, config.device, config.vdd_v, config.temperature_k, &d),
        WW_OK);
    const struct array_config main = {.entries = 1024 / config.rf_banks,
                                      .bits = 128,
                                      .rw_ports = 1,
                                      .banks = config.rf_banks * 8};
    struct array_config c = {
        .entries = 48, .bits = 128, .read_ports = 2, .write_ports = 1, .banks = 8};
    assert_int_equal(array_build(&tech, &main, &banks, &d), WW_OK);
    assert_int_equal(array_build(&tech, &c, &a, &d), WW_OK);
    close_to(tree.rfc.read_share, a.read_j / banks.read_j);
    close_to(tree.rfc.write_share, a.write_j / banks.write_j);
    static struct activity used;
    struct power_savings s;
    used.c[act_number("rfc_cycles")] = 1;
    power_savings(&tree, &used, 1e-3, &s);
    close_to(power_savings_mm2(&s, line("rfc")), 15 * a.area_mm2);
    close_to(tree.rfc.leak_share,
             (a.leak_sub_w + a.leak_gate_w) / (banks.leak_sub_w + banks.leak_gate_w));
    static struct power_tree other;
    struct power_config k = config;
    k.rfc_read_ports = 8, k.rfc_write_ports = 4;
    assert_int_equal(power_build(&k, &other, &d), WW_OK);
    assert_true(other.rfc.read_share + other.rfc.write_share >
                1.5 * (tree.rfc.read_share + tree.rfc.write_share));
    k = config, k.rfc_banks = 4;
    assert_int_equal(power_build(&k, &other, &d), WW_OK);
    assert_true(other.rfc.read_share < tree.rfc.read_share);
    k = config, k.rfc_entries = 0;
    assert_int_equal(power_build(&k, &other, &d), WW_OK);
    assert_true(other.rfc.read_share == 0 && other.rfc.mm2 == 0);
    diags_free(&d);
}

// Partitions by table 6.4, and by the array model from arrays built beside the tree: 1024 rows, of
// which 4 x 48 are fast.
static void parts(void **state) {
    (void)state;
    struct diags d;
    struct tech full, near;
    struct array whole, frf, srf;
    static struct power_tree t;
    struct power_config k = config;
    diags_init(&d);
    close_to(tree.rf_parts.access[0], 7.65 / 14.9);
    close_to(tree.rf_parts.leak[0], (7.28 + 13.4) / 33.8);
    k.rf_parts_model = true;
    assert_int_equal(power_build(&k, &t, &d), WW_OK);
    assert_int_equal(tech_init(&full, k.node_nm, k.device, k.vdd_v, k.temperature_k, &d), WW_OK);
    const double v = 2.0 / 3 * full.row.vdd_v, least = full.row.vth_v + 0.1;
    assert_int_equal(
        tech_init(&near, k.node_nm, k.device, v > least ? v : least, k.temperature_k, &d), WW_OK);
    struct array_config a = {.bits = 128, .rw_ports = 1, .banks = k.rf_banks * 8};
    a.entries = 1024 / k.rf_banks;
    assert_int_equal(array_build(&full, &a, &whole, &d), WW_OK);
    a.entries = 4 * 48 / k.rf_banks;
    assert_int_equal(array_build(&full, &a, &frf, &d), WW_OK);
    a.entries = (1024 - 4 * 48) / k.rf_banks;
    assert_int_equal(array_build(&near, &a, &srf, &d), WW_OK);
    close_to(t.rf_parts.access[0], frf.read_j / whole.read_j);
    close_to(t.rf_parts.access[2], srf.read_j / whole.read_j);
    close_to(t.rf_parts.leak[0],
             (frf.leak_sub_w + frf.leak_gate_w + srf.leak_sub_w + srf.leak_gate_w) /
                 (whole.leak_sub_w + whole.leak_gate_w));
    assert_true(t.rf_parts.access[1] < t.rf_parts.access[0] && t.rf_parts.access[0] < 1);
    assert_true(t.rf_parts.access[2] < t.rf_parts.access[3] && t.rf_parts.access[3] < 1);
    assert_true(t.rf_parts.leak[0] < 1 && t.rf_parts.leak[1] < 1);
    diags_free(&d);
}

// Random sets of techniques that go together, with random counts: for each component energy with
// them is energy without them less what was saved plus what was paid, and the savings table's lines
// add up to the difference.
static uint32_t seed = 1;
static uint32_t draw(uint32_t n) {
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % n;
}
static bool random_set(uint32_t *mechanisms) {
    struct savings_request r = {.n_mechanisms = 0};
    struct sm_config c = gpu.sm;
    struct savings s;
    struct diags d;
    for (uint32_t i = 0; i < SAVINGS_MECHANISMS; i++)
        if (draw(5) == 0) {
            r.mechanism[r.n_mechanisms].name = savings_mechanism(i).name;
            r.mechanism[r.n_mechanisms++].where = "test";
        }
    c.scheduler = SCHED_TWO_LEVEL;
    diags_init(&d);
    const bool ok = savings_make(&r, &c, &d, &s) == WW_OK;
    diags_free(&d);
    *mechanisms = ok ? s.mechanisms : 0;
    return ok && s.mechanisms != 0;
}
static void random_sets(void **state) {
    (void)state;
    static struct activity a;
    static struct power_usage without, with;
    struct diags d;
    uint32_t sets = 0, seen = 0;
    diags_init(&d);
    fill(&a);
    assert_int_equal(power_run(&tree, &a, 1e-3, &without, &d), WW_OK);
    for (uint32_t tries = 0; tries < 4000; tries++) {
        uint32_t set;
        if (!random_set(&set)) continue;
        sets++;
        seen |= set;
        fill(&a);
        for (uint32_t i = 0; i < tree.rows.effects; i++) {
            const struct power_effect *const e = &tree.rows.effect[i];
            for (uint32_t r = 0; (e->mechanisms & set) && r < 2; r++)
                for (uint32_t k = 0; k < e->run[r].n; k++)
                    a.c[e->run[r].act + k] = draw(2) * draw(1 << 20);
        }
        struct power_savings s;
        power_savings(&tree, &a, 1e-3, &s);
        assert_int_equal(power_run(&tree, &a, 1e-3, &with, &d), WW_OK);
        double less[2][POWER_MAX_COMPONENTS] = {{0}}, all[2] = {0, 0}, lines_j = 0;
        for (uint32_t i = 0; i < tree.rows.effects; i++) {
            const struct power_effect *const e = &tree.rows.effect[i];
            const double j = (double)e->is->sign * s.j[i];
            if (e->is->price.kind != PRICE_LEAK_BELOW) {
                less[power_price_is_leakage(&e->is->price)][e->component] += j;
                continue;
            }
            const struct power_component *const of = &tree.component[e->component];
            for (int c = 0; c < tree.components; c++)
                if (is_below(c, e->component))
                    less[1][c] += j *
                                  (tree.component[c].leak_sub_w + tree.component[c].leak_gate_w) /
                                  (of->all_leak_sub_w + of->all_leak_gate_w);
        }
        for (int i = 0; i < tree.components; i++) {
            if (i == tree.regulator) continue;
            close_to(with.dynamic_j[i] + less[0][i], without.dynamic_j[i]);
            close_to(with.static_j[i] + less[1][i], without.static_j[i]);
            all[0] += less[0][i];
            all[1] += less[1][i];
        }
        for (uint32_t l = 0; l < tree.rows.lines; l++)
            lines_j += power_savings_saved(&s, l) - power_savings_spent(&s, l);
        close_to(lines_j, all[0] + all[1]);
        close_to(with.dynamic_j[tree.regulator] + all[0] * tree.regulator_loss,
                 without.dynamic_j[tree.regulator]);
        close_to(with.static_j[tree.regulator] + all[1] * tree.regulator_loss,
                 without.static_j[tree.regulator]);
        close_to(with.energy_j + (all[0] + all[1]) * (1 + tree.regulator_loss), without.energy_j);
    }
    assert_true(sets > 100 && bits_count32(seen) > SAVINGS_MECHANISMS / 2);
    diags_free(&d);
}

// Single lanes: 32 lane cycles are a pipe cycle; the shift stages leak by their area and cost 0.64
// mW a lane for a cycle of each pass.
static void single_lanes(void **state) {
    (void)state;
    static struct activity a;
    static struct power_usage without, with;
    struct power_savings s;
    struct diags d;
    diags_init(&d);
    fill(&a);
    assert_int_equal(power_run(&tree, &a, 1e-3, &without, &d), WW_OK);
    a.c[act_number("lane_idle_cycles")] = 32 * 11000000ull;
    a.c[act_number("lane_busy_cycles") + 1] = 32 * 10000000ull;
    a.c[act_number("lane_uncompensated")] = 32 * 100000ull + 16;
    a.c[act_number("lane_compensated") + 1] = 32 * 2900000ull - 16;
    a.c[act_number("lane_events")] = 32 * 30000;
    a.c[act_number("lane_overhead")] = 32 * 30000 * 14;
    a.c[act_number("lane_compensated") + 8] = 32 * 7000000ull;
    a.c[act_number("lane_idle_periods_int") + 63] = 3200; // of single lanes
    a.c[act_number("shift_logic_cycles")] = a.c[ACT_sm_busy_cycles];
    a.c[act_number("shift_logic_uses")] = 5000000;
    assert_int_equal(power_run(&tree, &a, 1e-3, &with, &d), WW_OK);
    power_savings(&tree, &a, 1e-3, &s);
    assert_true(s.seen[line("int")] && s.seen[line("shift_logic")] && !s.seen[line("sfu")]);
    close_to(s.bound_j[line("int")] / s.all_j[line("int")],
             (11000000.0 - 100 * 14) / 21000000);
    // 480 lanes, 128 bits: four NAND3 and a NAND4, and a flip-flop; an SM's is the published 0.055
    const double mm2 = power_savings_mm2(&s, line("shift_logic")), square = 0.04 * 0.04 * 1e-6;
    close_to(mm2, 480 * 128 * (4 * 50 * 12 + 50 * 15 + 5 * 50 * 9 + 50 * 12) * square);
    assert_true(mm2 / 15 > 0.5 * 0.055 && mm2 / 15 < 2 * 0.055);
    const int in = power_find(&tree, "int"), fp = power_find(&tree, "fp");
    const double logic = 0.055 / 32.7;
    close_to(with.static_j[in],
             without.static_j[in] * (1 - 3000000.0 / 21000000 + 14.0 * 30000 / 21000000 + logic));
    close_to(with.static_j[fp], without.static_j[fp] * (1 - 7000000.0 / 21000000 + logic));
    close_to(with.dynamic_j[in], without.dynamic_j[in] + 5000000 * 32 * 0.64e-3 / 700e6);
    close_to(with.dynamic_j[fp], without.dynamic_j[fp]);
    double sum[2] = {0, 0};
    for (int i = 0; i < tree.components; i++) {
        if (i == tree.regulator) continue;
        if (i != in && i != fp) close_to(with.static_j[i], without.static_j[i]);
        sum[0] += without.static_j[i];
        sum[1] += with.static_j[i];
    }
    close_to(with.static_j[tree.regulator] - without.static_j[tree.regulator],
             (sum[1] - sum[0]) * tree.regulator_loss);
    diags_free(&d);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ledger),      cmocka_unit_test(gate_leakage),
        cmocka_unit_test(lines),       cmocka_unit_test(each_row),
        cmocka_unit_test(stored),      cmocka_unit_test(areas),
        cmocka_unit_test(cache),       cmocka_unit_test(parts),
        cmocka_unit_test(random_sets), cmocka_unit_test(single_lanes)};
    return cmocka_run_group_tests(tests, build, NULL);
}
