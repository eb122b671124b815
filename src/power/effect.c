// Techniques' counts into joules (see effect.h and effect.def).
#include "activity/mem.h"
#include "activity/savings.h"
#include "activity/sm.h"
#include "power/effect.h"

#include <math.h>

#include "savings/savings.h"

const struct power_line_info power_lines[POWER_LINES] = {
#define LINE(id, name, key, kind, component, always, note, prose)                                  \
    {name, #key, POWER_LINE_##kind, #component, always, note, prose},
#include "power/effect.def"
};

// ---- the rows ----------------------------------------------------------------------------------
#define OF(id)      (1u << SAVINGS_##id)
#define OF_PIPES    (OF(CONV_PG) | OF(NAIVE_BLACKOUT) | OF(COORDINATED_BLACKOUT))
#define OF_LANES    OF(LANE_PG)
#define OF_GATING   (OF_PIPES | OF_LANES)
#define OF_MASK     OF(MASK_ACCESS)
#define OF_SHIFT    (OF(WARP_FOLDING) | OF(LANE_SHIFTING))
#define OF_COUNTERS OF(GATES)
enum { SAVES = 1, COSTS = -1, ACT_none = -1 };

// clang-format off
#define LEAK(per, x)         {PRICE_LEAK, POWER_PER_##per, 0, x, 0}
#define CELLS_OFF(per, x)    {PRICE_CELLS_OFF, POWER_PER_##per, 0, x, 0}
#define CELLS_DROWSY(per, x) {PRICE_CELLS_DROWSY, POWER_PER_##per, 0, x, 0}
#define GATES_LEAK(per)      {PRICE_GATES_LEAK, POWER_PER_##per, 0, 1, 0}
#define TABLE_LEAK(n, bits)  {PRICE_TABLE_LEAK, POWER_PER_SM, 0, n, bits}
#define TABLE_READ(n, bits)  {PRICE_TABLE_READ, POWER_PER_SM, 0, n, bits}
#define TABLE_WRITE(n, bits) {PRICE_TABLE_WRITE, POWER_PER_SM, 0, n, bits}
#define PARTS_LEAK(i)        {PRICE_PARTS_LEAK, POWER_PER_SM, 0, i, 0}
#define PARTS_ACCESS(e, i)   {PRICE_PARTS_ACCESS, POWER_PER_SM, ACT_##e, i, 0}
#define PARTS_SWAP(e)        {PRICE_PARTS_SWAP, POWER_PER_SM, ACT_##e, 1, 0}
#define RFC_LEAK             {PRICE_RFC_LEAK, POWER_PER_SM, 0, 1, 0}
#define RFC_READ             {PRICE_RFC_READ, POWER_PER_SM, ACT_rf_reads, 1, 0}
#define RFC_WRITE            {PRICE_RFC_WRITE, POWER_PER_SM, ACT_rf_writes, 1, 0}
#define RFC_TAGS             {PRICE_RFC_TAGS, POWER_PER_SM, 0, 1, 0}
#define WATTS(x)             {PRICE_WATTS, POWER_PER_SM, 0, x, 0}
#define JOULES(x)            {PRICE_JOULES, POWER_PER_SM, 0, x, 0}
#define ACCESS(event, x)     {PRICE_ACCESS, POWER_PER_SM, ACT_##event, x, 0}
#define WORD_PART(event)     {PRICE_WORD_PART, POWER_PER_SM, ACT_##event, 1, 0}
#define WORD_GATES(event)    {PRICE_WORD_GATES, POWER_PER_SM, ACT_##event, 1, 0}
#define FRONT(event)         {PRICE_FRONT, POWER_PER_SM, ACT_##event, 1, 0}
#define WAKE_OFF(per)        {PRICE_WAKE_OFF, POWER_PER_##per, 0, 1, 0}
#define WAKE_DROWSY(per)     {PRICE_WAKE_DROWSY, POWER_PER_##per, 0, 1, 0}
// clang-format on

// A run of counters: `from` behind the first of its name, or none.
#define RUN(counter, from)                                                                         \
    ((int32_t)ACT_##counter < 0 ? -1 : (int32_t)ACT_##counter + (int32_t)(from))

// A whole slow file: the slow partition by the power law of size through the table's points
// (declared.c).
const struct power_rf_parts power_rf_published = {
    .access = {7.65 / 14.9, 5.25 / 14.9, 7.03 / 14.9, 0.4924},
    .swap = 2 * (7.65 + 7.03) / 14.9,
    .leak = {(7.28 + 13.4) / 33.8, 0.4375}};

const struct power_effect power_effects[POWER_EFFECTS] = {
#define EFFECT(line, of, counter, also, from, count, part, sign, price, prose, source)             \
    {POWER_LINE_##line,                                                                            \
     of,                                                                                           \
     {RUN(counter, from), RUN(also, from)},                                                        \
     count,                                                                                        \
     #part,                                                                                        \
     sign,                                                                                         \
     price,                                                                                        \
     prose,                                                                                        \
     source},
#include "power/effect.def"
};
#define COUNTS(per, x)                                                                             \
    { POWER_SIZE_COUNTS, POWER_PER_##per, x, 0 }
#define FLIPS(per, x)                                                                              \
    { POWER_SIZE_FLIPS, POWER_PER_##per, x, 0 }
#define LATCHES(per, x)                                                                            \
    { POWER_SIZE_LATCHES, POWER_PER_##per, x, 0 }
#define MUXES(per, x)                                                                              \
    { POWER_SIZE_MUXES, POWER_PER_##per, x, 0 }
#define NANDS(per, x)                                                                              \
    { POWER_SIZE_NANDS, POWER_PER_##per, x, 0 }
#define SWITCHES(per, x)                                                                           \
    { POWER_SIZE_SWITCHES, POWER_PER_##per, x, 0 }
#define HEADERS(x)                                                                                 \
    { POWER_SIZE_HEADERS, POWER_PER_SM, x, 0 }
#define TABLE(n, bits)                                                                             \
    { POWER_SIZE_TABLE, POWER_PER_SM, n, bits }
#define SHARE_OF(per, x)                                                                           \
    { POWER_SIZE_SHARE, POWER_PER_##per, x, 0 }
#define WIRES(x)                                                                                   \
    { POWER_SIZE_WIRES, POWER_PER_SM, x, 0 }
#define RFC_BANKS                                                                                  \
    { POWER_SIZE_RFC, POWER_PER_SM, 1, 0 }
#define DIVIDED                                                                                    \
    { POWER_SIZE_DIVIDED, POWER_PER_SM, 1, 0 }
#define SPLIT                                                                                      \
    { POWER_SIZE_SPLIT, POWER_PER_SM, 1, 0 }
const struct power_area power_areas[POWER_AREAS] = {
#define AREA(line, of, counter, from, count, part, size, what, source, published)                  \
    {POWER_LINE_##line, of, ACT_##counter + (from), count, #part, size, what, source, published},
#include "power/effect.def"
};
static const struct bound {
    enum power_line line;
    uint32_t periods;
    int32_t cycles, less, overhead, events; // first of a run of n
    uint32_t n;
    enum power_per per;
} bounds[] = {
#define BOUND(line, periods, cycles, less, from, n, per, overhead, events)                         \
    {POWER_LINE_##line,                                                                            \
     ACT_##periods,                                                                                \
     RUN(cycles, from),                                                                            \
     RUN(less, from),                                                                              \
     RUN(overhead, from),                                                                          \
     RUN(events, from),                                                                            \
     n,                                                                                            \
     POWER_PER_##per},
#include "power/effect.def"
};
static const struct seen {
    enum power_line line;
    int32_t act;
    uint32_t n;
} seens[] = {
#define SEEN(line, counter, from, n) {POWER_LINE_##line, RUN(counter, from), n},
#include "power/effect.def"
};

// ---- prices ------------------------------------------------------------------------------------
static const char *const per_text[POWER_PERS] = {[POWER_PER_SM] = "an SM's",
                                                 [POWER_PER_CLUSTER] = "a cluster's",
                                                 [POWER_PER_LANE] = "a lane's",
                                                 [POWER_PER_RF_ROW] = "a register row's",
                                                 [POWER_PER_L1_LINE] = "an L1 line's",
                                                 [POWER_PER_L1_TAG] = "an L1 tag's",
                                                 [POWER_PER_CONST_LINE] = "a constant line's",
                                                 [POWER_PER_CONST_TAG] = "a constant tag's",
                                                 [POWER_PER_TEX_TAG] = "a texture tag's",
                                                 [POWER_PER_L2_TAG] = "an L2 tag's",
                                                 [POWER_PER_TEX_LINE] = "a texture line's",
                                                 [POWER_PER_L2_LINE] = "an L2 line's"};

static double event_energy(const struct power_tree *tree, int component,
                           const struct power_price *p) {
    double sum = 0;
    for (int i = 0; i < tree->events; i++) {
        const struct power_event *const e = &tree->event[i];
        if (e->component != component || p->act < e->act || p->act >= e->act + e->n) continue;
        sum += p->kind == PRICE_WORD_PART    ? e->word_part_j
               : p->kind == PRICE_WORD_GATES ? e->word_gates_j
               : p->kind == PRICE_FRONT      ? e->front_j
                                             : e->energy_j;
    }
    return sum;
}

// A small RAM that a technique adds: one word is read while another is written.
static struct array table_of(const struct power_tree *tree, double entries, uint32_t bits) {
    const struct array_config c = {
        .entries = (unsigned)entries, .bits = bits, .read_ports = 1, .write_ports = 1};
    struct array a = {0};
    struct diags quiet;
    diags_init(&quiet);
    if (array_build(&tree->tech, &c, &a, &quiet) != WW_OK) a = (struct array){0};
    diags_free(&quiet);
    return a;
}

double power_effect_price(const struct power_tree *tree, const struct power_effect *e) {
    const int at = power_find(tree, e->component);
    if (at < 0) return 0;
    const struct power_component *const p = &tree->component[at];
    const double parts = tree->parts[e->price.per], cycle_s = 1 / tree->core_hz, x = e->price.x;
    switch (e->price.kind) {
    case PRICE_WATTS: return x * cycle_s;
    case PRICE_JOULES: return x;
    case PRICE_TABLE_READ: return table_of(tree, x, e->price.bits).read_j;
    case PRICE_TABLE_WRITE: return table_of(tree, x, e->price.bits).write_j;
    case PRICE_TABLE_LEAK: {
        const struct array a = table_of(tree, x, e->price.bits);
        return (a.leak_sub_w + a.leak_gate_w) * cycle_s;
    }
    case PRICE_PARTS_ACCESS:
        return (1 - tree->rf_parts.access[(int)x]) * event_energy(tree, at, &e->price);
    case PRICE_PARTS_SWAP: return tree->rf_parts.swap * event_energy(tree, at, &e->price);
    case PRICE_RFC_TAGS: return tree->rfc.tags_j;
    case PRICE_RFC_READ: return tree->rfc.read_share * event_energy(tree, at, &e->price);
    case PRICE_RFC_WRITE: return tree->rfc.write_share * event_energy(tree, at, &e->price);
    case PRICE_ACCESS:
    case PRICE_WORD_PART:
    case PRICE_FRONT:
    case PRICE_WORD_GATES: return x * event_energy(tree, at, &e->price);
    default: break;
    }
    if (parts == 0) return 0;
    switch (e->price.kind) {
    case PRICE_LEAK: return (p->leak_sub_w + p->leak_gate_w) / parts * x * cycle_s;
    case PRICE_PARTS_LEAK:
        return (p->leak_sub_w + p->leak_gate_w) / parts * (1 - tree->rf_parts.leak[(int)x]) *
               cycle_s;
    case PRICE_RFC_LEAK:
        return (p->leak_sub_w + p->leak_gate_w) / parts * tree->rfc.leak_share * cycle_s;
    case PRICE_CELLS_OFF: return p->cell_w / parts * x * cycle_s;
    case PRICE_CELLS_DROWSY: return (p->cell_w - p->cell_drowsy_w) / parts * x * cycle_s;
    case PRICE_GATES_LEAK: return p->word_gates_w / parts * cycle_s;
    case PRICE_WAKE_OFF: return p->wake_off_j / parts;
    default: return p->wake_drowsy_j / parts;
    }
}

// ---- areas -------------------------------------------------------------------------------------
static double gates_um2(const struct tech *t, unsigned inputs, double n) {
    return n * circuit_gate_area(t, inputs, circuit_min_w(t));
}

// Of one, um2. A bit of a counter is a flip-flop and a half adder (four NAND2 an XOR, two an AND);
// one of four bits is chosen by four NAND3 and a NAND4.
static double size_um2(const struct tech *t, enum power_size_kind kind) {
    switch (kind) {
    case POWER_SIZE_COUNTS: return circuit_dff(t, NULL).area_um2 + gates_um2(t, 2, 6);
    case POWER_SIZE_FLIPS: return circuit_dff(t, NULL).area_um2;
    case POWER_SIZE_LATCHES: return gates_um2(t, 2, 2);
    case POWER_SIZE_MUXES: return gates_um2(t, 3, 4) + gates_um2(t, 4, 1);
    case POWER_SIZE_NANDS: return gates_um2(t, 2, 1);
    case POWER_SIZE_WIRES: return circuit_wire(t, TECH_GLOBAL, 1000).area_um2 / 1000;
    default: return 0;
    }
}

double power_area_mm2(const struct power_tree *tree, const struct power_area *r, double parts) {
    enum { SHARE_OF_A_SWITCH = 10 }; // a tenth of the devices that it feeds
    const int at = power_find(tree, r->component);
    if (at < 0) return 0;
    const struct power_component *const p = &tree->component[at];
    const double all = r->size.per == POWER_PER_EACH ? p->count : tree->parts[r->size.per];
    const double n = parts < 0 ? all : parts;
    switch (r->size.kind) {
    case POWER_SIZE_TABLE: return n * table_of(tree, r->size.x, r->size.bits).area_mm2;
    case POWER_SIZE_HEADERS: return r->size.x * p->area_mm2;
    case POWER_SIZE_SHARE: return all > 0 ? n / all * r->size.x * p->area_mm2 : 0;
    case POWER_SIZE_DIVIDED: return fmax(0, p->word_gates_mm2);
    case POWER_SIZE_RFC: return n * tree->rfc.mm2;
    case POWER_SIZE_SPLIT: return fmax(0, p->split_mm2);
    case POWER_SIZE_SWITCHES:
        return all > 0 ? r->size.x * array_switch_mm2(&tree->tech, n * p->cells / all,
                                                      1.0 / SHARE_OF_A_SWITCH)
                       : 0;
    default: return n * r->size.x * size_um2(&tree->tech, r->size.kind) * 1e-6;
    }
}

// Of clusters of SMs: slaves, masters, or micrometres from masters to all of their slaves. The
// members of a cluster that shares hold work in the same cycles.
static double clusters_counted(const struct power_tree *tree, const struct power_area *r,
                               const struct activity *a) {
    const double off = (double)a->c[ACT_front_off_cycles], shared = (double)a->c[ACT_shared_cycles];
    if (!(off > 0 && shared > off)) return 0;
    const double masters = tree->sms / round(shared / (shared - off));
    const double slaves = tree->sms - masters;
    if (r->size.kind != POWER_SIZE_WIRES) return r->act == ACT_master_cycles ? masters : slaves;
    const double bits = 64.0 * (double)a->c[ACT_cluster_inst_packets] +
                        64.0 * (double)a->c[ACT_cluster_mask_packets] +
                        16.0 * (double)a->c[ACT_cluster_mem_packets] +
                        4.0 * (double)a->c[ACT_cluster_control_packets];
    return bits > 0 ? slaves * (double)a->c[ACT_cluster_bit_um] / bits : 0;
}

// Lines that a technique puts away: those that it counted in every cycle. -1: all parts.
static double parts_counted(const struct power_tree *tree, const struct power_area *r,
                            const struct activity *a) {
    if ((r->mechanisms & OF(FRONT_END_SHARING)) != 0) return clusters_counted(tree, r, a);
    const bool drowsy = r->act >= ACT_line_drowsy && r->act < ACT_line_drowsy + ACT_ARRAYS;
    const bool off = r->act >= ACT_line_off && r->act < ACT_line_off + ACT_ARRAYS;
    if (!drowsy && !off) return -1;
    const uint32_t array = r->act - (uint32_t)(drowsy ? ACT_line_drowsy : ACT_line_off);
    const double cycles = (double)(a->c[ACT_sm_busy_cycles] + a->c[ACT_sm_idle_cycles]);
    const double lines = (double)(a->c[ACT_line_on + array] + a->c[r->act]);
    return cycles > 0 ? lines * tree->sms / cycles : 0;
}

static const char *counter_name(uint32_t act) {
    const int row = act_row_of(act);
    return row >= 0 ? act_info[row].name : "";
}

const char *power_price_text(const struct power_price *p, char *text, size_t size) {
    const char *const per = per_text[p->per];
    const char *const event = counter_name(p->act);
    switch (p->kind) {
    case PRICE_LEAK:
        if (p->x == 1)
            snprintf(text, size, "a cycle of %s leakage", per);
        else
            snprintf(text, size, "a cycle of %.3g %% of %s leakage", 100 * p->x, per);
        break;
    case PRICE_CELLS_OFF: snprintf(text, size, "a cycle of %s cells' leakage", per); break;
    case PRICE_CELLS_DROWSY:
        snprintf(text, size, "a cycle of %s cells' leakage, less what flows at retention", per);
        break;
    case PRICE_GATES_LEAK:
        snprintf(text, size, "a cycle of what divided word lines add to %s leakage", per);
        break;
    case PRICE_TABLE_LEAK:
        snprintf(text, size, "a cycle of the leakage of %g entries of %u bits", p->x, p->bits);
        break;
    case PRICE_TABLE_READ:
        snprintf(text, size, "a read of %g entries of %u bits", p->x, p->bits);
        break;
    case PRICE_TABLE_WRITE:
        snprintf(text, size, "a write of %g entries of %u bits", p->x, p->bits);
        break;
    case PRICE_PARTS_LEAK:
        snprintf(text, size, "a cycle of %.3g %% of an SM's leakage",
                 100 * (1 - power_rf_published.leak[(int)p->x]));
        break;
    case PRICE_PARTS_ACCESS:
        snprintf(text, size, "%.3g of a count of `%s`", 1 - power_rf_published.access[(int)p->x],
                 event);
        break;
    case PRICE_PARTS_SWAP:
        snprintf(text, size, "%.3g of a count of `%s`", power_rf_published.swap, event);
        break;
    case PRICE_RFC_LEAK: snprintf(text, size, "a cycle of the leakage of its banks"); break;
    case PRICE_RFC_READ: snprintf(text, size, "a read of one of its banks"); break;
    case PRICE_RFC_WRITE: snprintf(text, size, "a write of one of its banks"); break;
    case PRICE_RFC_TAGS: snprintf(text, size, "a comparison of a warp's tags"); break;
    case PRICE_WATTS: snprintf(text, size, "a cycle of %.3g mW", 1e3 * p->x); break;
    case PRICE_JOULES: snprintf(text, size, "%.3g pJ", 1e12 * p->x); break;
    case PRICE_ACCESS: snprintf(text, size, "%.3g of a count of `%s`", p->x, event); break;
    case PRICE_WORD_PART:
        snprintf(text, size, "a part of the word of a count of `%s`", event);
        break;
    case PRICE_WORD_GATES:
        snprintf(text, size, "what dividing its word line adds to a count of `%s`", event);
        break;
    case PRICE_FRONT: snprintf(text, size, "the front end's part of a count of `%s`", event); break;
    case PRICE_WAKE_OFF: snprintf(text, size, "charging %s cells", per); break;
    case PRICE_WAKE_DROWSY: snprintf(text, size, "charging %s cells from retention", per); break;
    }
    return text;
}

bool power_effect_charges(uint32_t act) {
    for (uint32_t i = 0; i < POWER_EFFECTS; i++)
        for (uint32_t k = 0; k < 2; k++)
            if (power_effects[i].act[k] >= 0 && act >= (uint32_t)power_effects[i].act[k] &&
                act < (uint32_t)power_effects[i].act[k] + power_effects[i].n)
                return true;
    return false;
}

// ---- counts ------------------------------------------------------------------------------------
static double sum(const struct activity *a, int32_t act, uint32_t n) {
    double s = 0;
    for (uint32_t i = 0; act >= 0 && i < n; i++) s += (double)a->c[(uint32_t)act + i];
    return s;
}

static double effect_counts(const struct power_effect *e, const struct activity *a) {
    return sum(a, e->act[0], e->n) + sum(a, e->act[1], e->n);
}

double power_effect_j(const struct power_tree *tree, const struct power_effect *e,
                      const struct activity *a) {
    const double counts = effect_counts(e, a);
    return counts > 0 ? counts * power_effect_price(tree, e) : 0;
}

static uint32_t default_break_even(void) {
    for (const struct savings_option_info *o = savings_option_info; o->name; o++)
        if (strcmp(o->name, "break_even") == 0) return o->fallback;
    return 0;
}

static double bound_j(const struct power_tree *tree, const struct power_component *p,
                      const struct bound *b, const struct activity *a) {
    const double events = sum(a, b->events, b->n), overhead = sum(a, b->overhead, b->n);
    const uint32_t break_even =
        events > 0 ? (uint32_t)(overhead / events + 0.5) : default_break_even();
    const double cycles = sum(a, b->cycles, b->n) - sum(a, b->less, b->n);
    const double net = (double)savings_oracle(&a->c[b->periods], (uint64_t)cycles, break_even);
    return net * ((p->leak_sub_w + p->leak_gate_w) / tree->parts[b->per] * (1 / tree->core_hz));
}

void power_savings(const struct power_tree *tree, const struct activity *a, double seconds,
                   struct power_savings *out) {
    *out = (struct power_savings){.any = false};
    int component[POWER_LINES];
    for (uint32_t l = 0; l < POWER_LINES; l++) {
        component[l] = power_find(tree, power_lines[l].component);
        if (component[l] < 0) continue;
        const struct power_component *const p = &tree->component[component[l]];
        if (power_lines[l].kind == POWER_LINE_LEAKAGE)
            out->all_j[l] = (p->leak_sub_w + p->leak_gate_w) * seconds *
                            (1 - power_idle_gated(tree, a, seconds));
        for (int i = 0; power_lines[l].kind == POWER_LINE_EVENTS && i < tree->events; i++)
            if (tree->event[i].component == component[l])
                out->all_j[l] +=
                    tree->event[i].energy_j * sum(a, (int32_t)tree->event[i].act, tree->event[i].n);
    }
    for (uint32_t i = 0; i < POWER_EFFECTS; i++) {
        const struct power_effect *const e = &power_effects[i];
        if (!(effect_counts(e, a) > 0) || power_find(tree, e->component) < 0) continue;
        out->j[i] = power_effect_j(tree, e, a);
        out->seen[e->line] = true;
    }
    for (uint32_t i = 0; i < WW_COUNT(seens); i++)
        if (component[seens[i].line] >= 0 && sum(a, seens[i].act, seens[i].n) > 0)
            out->seen[seens[i].line] = true;
    for (uint32_t i = 0; i < WW_COUNT(bounds); i++) {
        const struct bound *const b = &bounds[i];
        if (component[b->line] < 0 || !(sum(a, b->cycles, b->n) > 0)) continue;
        out->bound_j[b->line] = bound_j(tree, &tree->component[component[b->line]], b, a);
    }
    for (uint32_t i = 0; i < POWER_AREAS; i++) {
        const struct power_area *const r = &power_areas[i];
        if (!(sum(a, (int32_t)r->act, r->n) > 0)) continue;
        out->area_mm2[i] = power_area_mm2(tree, r, parts_counted(tree, r, a));
    }
    for (uint32_t l = 0; l < POWER_LINES; l++) out->any = out->any || out->seen[l];
}

void power_savings_add(struct power_savings *to, const struct power_savings *s) {
    to->any = to->any || s->any;
    for (uint32_t i = 0; i < POWER_EFFECTS; i++) to->j[i] += s->j[i];
    for (uint32_t l = 0; l < POWER_LINES; l++) {
        to->seen[l] = to->seen[l] || s->seen[l];
        to->all_j[l] += s->all_j[l];
        to->bound_j[l] += s->bound_j[l];
    }
    for (uint32_t i = 0; i < POWER_AREAS; i++) // the same hardware in each kernel
        to->area_mm2[i] = fmax(to->area_mm2[i], s->area_mm2[i]);
}

static double line_sum(const struct power_savings *s, enum power_line line, int sign) {
    double all = 0, of_component = 0;
    const char *last = "";
    for (uint32_t i = 0; i < POWER_EFFECTS; i++) {
        const struct power_effect *const e = &power_effects[i];
        if (e->line != line || e->sign != sign) continue;
        if (strcmp(e->component, last) != 0) all += of_component, of_component = 0;
        of_component += s->j[i];
        last = e->component;
    }
    return all + of_component;
}

bool power_line_has_bound(enum power_line line) {
    for (uint32_t i = 0; i < WW_COUNT(bounds); i++)
        if (bounds[i].line == line) return true;
    return false;
}

double power_savings_saved(const struct power_savings *s, enum power_line line) {
    return line_sum(s, line, SAVES);
}

double power_savings_spent(const struct power_savings *s, enum power_line line) {
    return line_sum(s, line, COSTS);
}

double power_savings_mm2(const struct power_savings *s, enum power_line line) {
    double all = 0;
    for (uint32_t i = 0; i < POWER_AREAS; i++)
        if (line == POWER_LINES || power_areas[i].line == line) all += s->area_mm2[i];
    return all;
}

double power_savings_apply(const struct power_tree *tree, const struct activity *a,
                           struct power_usage *usage) {
    double net[POWER_MAX_COMPONENTS] = {0}; // leakage saved
    bool moved[POWER_MAX_COMPONENTS] = {false};
    int order[POWER_EFFECTS], n = 0; // components as they come first
    for (uint32_t i = 0; i < POWER_EFFECTS; i++) {
        const struct power_effect *const e = &power_effects[i];
        const double j = power_effect_j(tree, e, a);
        if (j == 0) continue;
        const int at = power_find(tree, e->component);
        if (!power_price_is_leakage(&e->price)) {
            usage->dynamic_j[at] -= e->sign * j;
            continue;
        }
        if (!moved[at]) order[n++] = at;
        moved[at] = true;
        net[at] += e->sign * j;
    }
    double less = 0;
    for (int i = 0; i < n; i++) {
        usage->static_j[order[i]] -= net[order[i]];
        less += net[order[i]];
    }
    return less;
}
