// Techniques' counts into joules (see effect.h).
#include "power/effect.h"

#include <math.h>

#include "activity/sm.h"
#include "savings/part.h"

// A whole slow file: the slow partition by the power law of size through the table's points
// (declared.c).
const struct power_rf_parts power_rf_published = {
    .access = {7.65 / 14.9, 5.25 / 14.9, 7.03 / 14.9, 0.4924},
    .swap = 2 * (7.65 + 7.03) / 14.9,
    .leak = {(7.28 + 13.4) / 33.8, 0.4375}};

// ---- prices ------------------------------------------------------------------------------------
static const char *const per_text[SAVINGS_PERS] = {[PER_SM] = "an SM's",
                                                   [PER_LANE_GROUP] = "a lane group's",
                                                   [PER_LANE] = "a lane's",
                                                   [PER_RF_ROW] = "a register row's",
                                                   [PER_L1_LINE] = "an L1 line's",
                                                   [PER_L1_TAG] = "an L1 tag's",
                                                   [PER_CONST_LINE] = "a constant line's",
                                                   [PER_CONST_TAG] = "a constant tag's",
                                                   [PER_TEX_TAG] = "a texture tag's",
                                                   [PER_L2_TAG] = "an L2 tag's",
                                                   [PER_TEX_LINE] = "a texture line's",
                                                   [PER_L2_LINE] = "an L2 line's"};

// Energy of a count of the price's event, or of the part of it that the price is for.
static double event_energy(const struct power_tree *tree, int component,
                           const struct savings_price *p) {
    const int row = p->event != NULL ? act_find(p->event) : -1;
    if (row < 0) return 0;
    const uint32_t act = act_row(row)->first;
    double sum = 0;
    for (int i = 0; i < tree->events; i++) {
        const struct power_event *const e = &tree->event[i];
        if (e->component != component || act < e->act || act >= e->act + e->n) continue;
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

double power_price_j(const struct power_tree *tree, const char *component,
                     const struct savings_price *p) {
    const int at = power_find(tree, component);
    if (at < 0) return 0;
    const struct power_component *const c = &tree->component[at];
    const double parts = tree->parts[p->per], cycle_s = 1 / tree->core_hz;
    switch (p->kind) {
    case PRICE_WATTS: return p->watts * cycle_s;
    case PRICE_JOULES: return p->joules;
    case PRICE_TABLE_READ: return table_of(tree, p->entries, p->bits).read_j;
    case PRICE_TABLE_WRITE: return table_of(tree, p->entries, p->bits).write_j;
    case PRICE_TABLE_LEAK: {
        const struct array a = table_of(tree, p->entries, p->bits);
        return (a.leak_sub_w + a.leak_gate_w) * cycle_s;
    }
    case PRICE_PARTS_ACCESS:
        return (1 - tree->rf_parts.access[p->file]) * event_energy(tree, at, p);
    case PRICE_PARTS_SWAP: return tree->rf_parts.swap * event_energy(tree, at, p);
    case PRICE_RFC_TAGS: return tree->rfc.tags_j;
    case PRICE_RFC_READ: return tree->rfc.read_share * event_energy(tree, at, p);
    case PRICE_RFC_WRITE: return tree->rfc.write_share * event_energy(tree, at, p);
    case PRICE_ACCESS: return p->share * event_energy(tree, at, p);
    case PRICE_ARRAY: return event_energy(tree, at, p) / tree->rf_arrays;
    case PRICE_WORD_PART:
    case PRICE_FRONT:
    case PRICE_WORD_GATES: return event_energy(tree, at, p);
    default: break;
    }
    if (parts == 0) return 0;
    switch (p->kind) {
    case PRICE_LEAK: return (c->leak_sub_w + c->leak_gate_w) / parts * p->share * cycle_s;
    case PRICE_LEAK_FRONT:
        return (c->leak_sub_w + c->leak_gate_w) / parts * tree->front_control * cycle_s;
    case PRICE_LEAK_BELOW:
        return (c->all_leak_sub_w + c->all_leak_gate_w) / parts * p->share * cycle_s *
               (1 - tree->idle_gate);
    case PRICE_PARTS_LEAK:
        return (c->leak_sub_w + c->leak_gate_w) / parts * (1 - tree->rf_parts.leak[p->file]) *
               cycle_s;
    case PRICE_RFC_LEAK:
        return (c->leak_sub_w + c->leak_gate_w) / parts * tree->rfc.leak_share * cycle_s;
    case PRICE_CELLS_OFF: return c->cell_w / parts * cycle_s;
    case PRICE_CELLS_DROWSY: return (c->cell_w - c->cell_drowsy_w) / parts * cycle_s;
    case PRICE_GATES_LEAK: return c->word_gates_w / parts * cycle_s;
    case PRICE_WAKE_OFF: return c->wake_off_j / parts;
    default: return c->wake_drowsy_j / parts;
    }
}

// Through gates and in all, of what a price is a share of.
static void leak_of(const struct power_tree *tree, const struct power_component *c,
                    const struct savings_price *p, double *gate, double *all) {
    *gate = c->leak_gate_w, *all = c->leak_sub_w + c->leak_gate_w;
    if (p->kind == PRICE_CELLS_OFF) *gate = c->cell_gate_w, *all = c->cell_w;
    if (p->kind == PRICE_CELLS_DROWSY)
        *gate = c->cell_gate_w - c->cell_drowsy_gate_w, *all = c->cell_w - c->cell_drowsy_w;
    if (p->kind == PRICE_GATES_LEAK) *gate = c->word_gates_gate_w, *all = c->word_gates_w;
    if (p->kind != PRICE_TABLE_LEAK) return;
    const struct array a = table_of(tree, p->entries, p->bits);
    *gate = a.leak_gate_w, *all = a.leak_sub_w + a.leak_gate_w;
}

void power_leak_shares(const struct power_tree *tree, const char *component,
                       const struct savings_price *p, double *sub, double *gate) {
    const int at = power_find(tree, component);
    *sub = *gate = 0;
    if (at < 0 || !power_price_is_leakage(p) || p->kind == PRICE_WATTS) return;
    double through_gates, all;
    leak_of(tree, &tree->component[at], p, &through_gates, &all);
    *gate = all > 0 ? through_gates / all : 0;
    *sub = 1 - *gate;
}

const char *power_price_text(const struct savings_price *p, char *text, size_t size) {
    const char *const per = per_text[p->per];
    const char *const event = p->event;
    switch (p->kind) {
    case PRICE_LEAK:
        if (p->share == 1)
            snprintf(text, size, "a cycle of %s leakage", per);
        else
            snprintf(text, size, "a cycle of %.3g %% of %s leakage", 100 * p->share, per);
        break;
    case PRICE_LEAK_FRONT:
        snprintf(text, size, "a cycle of %s leakage, as much as `power.front_control` says", per);
        break;
    case PRICE_LEAK_BELOW:
        snprintf(text, size, "a cycle of %s leakage, of all that it has", per);
        break;
    case PRICE_CELLS_OFF: snprintf(text, size, "a cycle of %s cells' leakage", per); break;
    case PRICE_CELLS_DROWSY:
        snprintf(text, size, "a cycle of %s cells' leakage, less what flows at retention", per);
        break;
    case PRICE_GATES_LEAK:
        snprintf(text, size, "a cycle of what divided word lines add to %s leakage", per);
        break;
    case PRICE_TABLE_LEAK:
        snprintf(text, size, "a cycle of the leakage of %u entries of %u bits", p->entries,
                 p->bits);
        break;
    case PRICE_TABLE_READ:
        snprintf(text, size, "a read of %u entries of %u bits", p->entries, p->bits);
        break;
    case PRICE_TABLE_WRITE:
        snprintf(text, size, "a write of %u entries of %u bits", p->entries, p->bits);
        break;
    case PRICE_PARTS_LEAK:
        snprintf(text, size, "a cycle of %.3g %% of an SM's leakage",
                 100 * (1 - power_rf_published.leak[p->file]));
        break;
    case PRICE_PARTS_ACCESS:
        snprintf(text, size, "%.3g of a count of `%s`", 1 - power_rf_published.access[p->file],
                 event);
        break;
    case PRICE_PARTS_SWAP:
        snprintf(text, size, "%.3g of a count of `%s`", power_rf_published.swap, event);
        break;
    case PRICE_RFC_LEAK: snprintf(text, size, "a cycle of the leakage of its banks"); break;
    case PRICE_RFC_READ: snprintf(text, size, "a read of one of its banks"); break;
    case PRICE_RFC_WRITE: snprintf(text, size, "a write of one of its banks"); break;
    case PRICE_RFC_TAGS: snprintf(text, size, "a comparison of a warp's tags"); break;
    case PRICE_WATTS: snprintf(text, size, "a cycle of %.3g mW", 1e3 * p->watts); break;
    case PRICE_JOULES: snprintf(text, size, "%.3g pJ", 1e12 * p->joules); break;
    case PRICE_ACCESS: snprintf(text, size, "%.3g of a count of `%s`", p->share, event); break;
    case PRICE_ARRAY: snprintf(text, size, "an array's share of a count of `%s`", event); break;
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

// ---- areas -------------------------------------------------------------------------------------
static double gates_um2(const struct tech *t, unsigned inputs, double n) {
    return n * circuit_gate_area(t, inputs, circuit_min_w(t));
}

// Of one, um2. A bit of a counter is a flip-flop and a half adder (four NAND2 an XOR, two an AND);
// one of four bits is chosen by four NAND3 and a NAND4.
static double size_um2(const struct tech *t, enum savings_size_kind kind) {
    switch (kind) {
    case SIZE_COUNTS: return circuit_dff(t, NULL).area_um2 + gates_um2(t, 2, 6);
    case SIZE_FLIPS: return circuit_dff(t, NULL).area_um2;
    case SIZE_LATCHES: return gates_um2(t, 2, 2);
    case SIZE_MUXES: return gates_um2(t, 3, 4) + gates_um2(t, 4, 1);
    case SIZE_NANDS: return gates_um2(t, 2, 1);
    case SIZE_WIRES: return circuit_wire(t, TECH_GLOBAL, 1000).area_um2 / 1000;
    default: return 0;
    }
}

double power_area_mm2(const struct power_tree *tree, const struct savings_area *r, double parts) {
    enum { SHARE_OF_A_SWITCH = 10 }; // a tenth of the devices that it feeds
    const int at = power_find(tree, r->component);
    if (at < 0) return 0;
    const struct power_component *const p = &tree->component[at];
    const double all = r->size.per == PER_EACH ? p->count : tree->parts[r->size.per];
    const double n = parts < 0 ? all : parts;
    switch (r->size.kind) {
    case SIZE_TABLE: return n * table_of(tree, r->size.n, r->size.bits).area_mm2;
    case SIZE_HEADERS: return r->size.share * p->all_area_mm2;
    case SIZE_SHARE: return all > 0 ? n / all * r->size.share * p->area_mm2 : 0;
    case SIZE_DIVIDED: return fmax(0, p->word_gates_mm2);
    case SIZE_RFC: return n * tree->rfc.mm2;
    case SIZE_SPLIT: return fmax(0, p->split_mm2);
    case SIZE_SWITCHES:
        return all > 0 ? r->size.n * array_switch_mm2(&tree->tech, n * p->cells / all,
                                                      1.0 / SHARE_OF_A_SWITCH)
                       : 0;
    default: return n * r->size.n * size_um2(&tree->tech, r->size.kind) * 1e-6;
    }
}

// Of SMs that share a front end: slaves, masters, or micrometres from masters to all of their
// slaves. The members of a group that shares hold work in the same cycles.
static double sharers(const struct power_tree *tree, enum savings_area_parts which,
                      const struct activity *a) {
    const double off = (double)a->c[ACT_front_off_cycles], shared = (double)a->c[ACT_shared_cycles];
    if (!(off > 0 && shared > off)) return 0;
    const double masters = tree->sms / round(shared / (shared - off));
    const double slaves = tree->sms - masters;
    if (which != PARTS_LINKS) return which == PARTS_MASTERS ? masters : slaves;
    const double bits = 64.0 * (double)a->c[ACT_cluster_inst_packets] +
                        64.0 * (double)a->c[ACT_cluster_mask_packets] +
                        16.0 * (double)a->c[ACT_cluster_mem_packets] +
                        4.0 * (double)a->c[ACT_cluster_control_packets];
    return bits > 0 ? slaves * (double)a->c[ACT_cluster_bit_um] / bits : 0;
}

// Of how many parts there is hardware; -1: of all.
static double parts_counted(const struct power_tree *tree, const struct power_area *r,
                            const struct activity *a) {
    if (r->is->parts == PARTS_ALL) return -1;
    if (r->is->parts != PARTS_LINES) return sharers(tree, r->is->parts, a);
    const double cycles = (double)(a->c[ACT_sm_busy_cycles] + a->c[ACT_sm_idle_cycles]);
    const double lines = (double)(a->c[r->on] + a->c[r->run.act]);
    return cycles > 0 ? lines * tree->sms / cycles : 0;
}

// ---- the rows of a tree ------------------------------------------------------------------------
struct maker {
    struct power_tree *tree;
    struct diags *d;
    enum ww_status status;
};

static void refuse(struct maker *m, const char *kind, const char *name) {
    m->status = diag_add(m->d, WW_ERROR_INTERNAL,
                         "a row of a technique names the %s `%s`, which does not exist", kind,
                         name != NULL ? name : "");
}

// Counters by name; NULL: none.
static struct power_run run_of(struct maker *m, const char *counter, uint32_t first, uint32_t n) {
    if (counter == NULL) return (struct power_run){0, 0};
    const int row = act_find(counter);
    if (row < 0 || first + (n != 0 ? n : 1) > act_row(row)->n) {
        refuse(m, "counter", counter);
        return (struct power_run){0, 0};
    }
    return (struct power_run){act_row(row)->first + first, n != 0 ? n : 1};
}

static uint32_t line_of(struct maker *m, const char *key) {
    const int line = power_line(m->tree, key);
    if (line < 0) refuse(m, "line", key);
    return line < 0 ? 0 : (uint32_t)line;
}

// -1 where the GPU lacks it.
static int component_of(struct maker *m, const char *name) {
    bool is_known = false;
    for (unsigned i = 0; i < power_parts_n; i++)
        is_known = is_known || strcmp(power_parts[i].name, name) == 0;
    if (!is_known) refuse(m, "component", name);
    return power_find(m->tree, name);
}

static bool has_room(struct maker *m, uint32_t have, uint32_t more, uint32_t most, const char *of) {
    if (have + more <= most) return true;
    m->status =
        diag_add(m->d, WW_ERROR_INTERNAL, "techniques have more than %u rows of %s", most, of);
    return false;
}

static void add_lines(struct maker *m, uint32_t id) {
    struct power_rows *const r = &m->tree->rows;
    const struct savings_part *const p = savings_part(id);
    if (!has_room(m, r->lines, p->lines.n, POWER_MAX_LINES, "lines")) return;
    for (uint32_t i = 0; i < p->lines.n; i++) {
        const struct savings_line *const is = &p->lines.row[i];
        r->line[r->lines++] = (struct power_line){
            .is = is, .component = is->component != NULL ? component_of(m, is->component) : -1};
    }
}

static void add_effects(struct maker *m, uint32_t id) {
    struct power_rows *const r = &m->tree->rows;
    const struct savings_part *const p = savings_part(id);
    if (!has_room(m, r->effects, p->effects.n, POWER_MAX_EFFECTS, "effects")) return;
    for (uint32_t i = 0; i < p->effects.n; i++) {
        const struct savings_effect *const is = &p->effects.row[i];
        if (is->price.event != NULL) run_of(m, is->price.event, 0, 1);
        struct power_effect *const e = &r->effect[r->effects++];
        *e = (struct power_effect){
            .is = is,
            .mechanisms = savings_users(id),
            .line = line_of(m, is->line),
            .run = {run_of(m, is->counter, is->first, is->n), run_of(m, is->and, is->first, is->n)},
            .component = component_of(m, is->component),
            .price_j = power_price_j(m->tree, is->component, &is->price),
        };
        power_leak_shares(m->tree, is->component, &is->price, &e->sub_share, &e->gate_share);
    }
}

// Bounds go by the same order as hardware: the last one of a line that counted is the line's.
static void add_areas_and_bounds(struct maker *m, uint32_t id) {
    struct power_rows *const r = &m->tree->rows;
    const struct savings_part *const p = savings_part(id);
    if (!has_room(m, r->areas, p->areas.n, POWER_MAX_AREAS, "hardware") ||
        !has_room(m, r->bounds, p->bounds.n, POWER_MAX_BOUNDS, "bounds") ||
        !has_room(m, r->shows, p->shown.n, POWER_MAX_SHOWN, "what is shown"))
        return;
    for (uint32_t i = 0; i < p->areas.n; i++) {
        const struct savings_area *const is = &p->areas.row[i];
        component_of(m, is->component);
        r->area[r->areas++] = (struct power_area){
            .is = is,
            .mechanisms = savings_users(id),
            .line = line_of(m, is->line),
            .on = is->parts == PARTS_LINES ? run_of(m, "line_on", is->first, 1).act : 0,
            .run = run_of(m, is->counter, is->first, is->n)};
    }
    for (uint32_t i = 0; i < p->bounds.n; i++) {
        const struct savings_bound *const is = &p->bounds.row[i];
        r->bound[r->bounds++] =
            (struct power_bound){.line = line_of(m, is->line),
                                 .periods = run_of(m, is->periods, 0, ACT_IDLE_LENGTHS).act,
                                 .cycles = run_of(m, is->cycles, is->first, is->n),
                                 .less = run_of(m, is->less, is->first, is->n),
                                 .overhead = run_of(m, is->overhead, is->first, is->n),
                                 .events = run_of(m, is->events, is->first, is->n),
                                 .per = is->per};
    }
    for (uint32_t i = 0; i < p->shown.n; i++) {
        const struct savings_shown *const is = &p->shown.row[i];
        r->shown[r->shows++] = (struct power_shown){
            .line = line_of(m, is->line), .run = run_of(m, is->counter, is->first, is->n)};
    }
}

enum ww_status power_rows_make(struct power_tree *tree, struct diags *d) {
    static const struct {
        enum savings_list order;
        void (*add)(struct maker *m, uint32_t id);
    } table[] = {{SAVINGS_LINES, add_lines},
                 {SAVINGS_SUMS, add_effects},
                 {SAVINGS_HARDWARE, add_areas_and_bounds}};
    struct maker m = {.tree = tree, .d = d, .status = WW_OK};
    for (uint32_t k = 0; k < WW_COUNT(table); k++) {
        uint32_t id[SAVINGS_PARTS];
        savings_order(table[k].order, id);
        for (uint32_t i = 0; i < SAVINGS_PARTS; i++) table[k].add(&m, id[i]);
    }
    return m.status;
}

int power_line(const struct power_tree *tree, const char *key) {
    for (uint32_t i = 0; i < tree->rows.lines; i++)
        if (strcmp(tree->rows.line[i].is->key, key) == 0) return (int)i;
    return -1;
}

static bool is_in(struct power_run r, uint32_t act) { return act - r.act < r.n; }

bool power_effect_charges(const struct power_tree *tree, uint32_t act) {
    for (uint32_t i = 0; i < tree->rows.effects; i++)
        if (is_in(tree->rows.effect[i].run[0], act) || is_in(tree->rows.effect[i].run[1], act))
            return true;
    return false;
}

// ---- counts ------------------------------------------------------------------------------------
static double sum(const struct activity *a, struct power_run r) {
    double s = 0;
    for (uint32_t i = 0; i < r.n; i++) s += (double)a->c[r.act + i];
    return s;
}

static double effect_counts(const struct power_effect *e, const struct activity *a) {
    return sum(a, e->run[0]) + sum(a, e->run[1]);
}

static double effect_j(const struct power_effect *e, const struct activity *a) {
    const double counts = effect_counts(e, a);
    return counts > 0 ? counts * e->price_j : 0;
}

static uint32_t default_break_even(void) {
    struct savings_option_info o;
    for (uint32_t i = 0; (o = savings_option_at(i)).is != NULL; i++)
        if (strcmp(o.is->name, "break_even") == 0) return o.is->value;
    return 0;
}

static double bound_j(const struct power_tree *tree, const struct power_component *p,
                      const struct power_bound *b, const struct activity *a) {
    const double events = sum(a, b->events), overhead = sum(a, b->overhead);
    const uint32_t break_even =
        events > 0 ? (uint32_t)(overhead / events + 0.5) : default_break_even();
    const double cycles = sum(a, b->cycles) - sum(a, b->less);
    const double net = (double)savings_oracle(&a->c[b->periods], (uint64_t)cycles, break_even);
    return net * ((p->leak_sub_w + p->leak_gate_w) / tree->parts[b->per] * (1 / tree->core_hz));
}

// What a line's component would have leaked, or what its events cost.
static double all_of_line(const struct power_tree *tree, const struct power_line *l,
                          const struct activity *a, double seconds) {
    if (l->component < 0) return 0;
    const struct power_component *const p = &tree->component[l->component];
    double all = 0;
    if (l->is->kind == LINE_LEAKAGE)
        all = (p->all_leak_sub_w + p->all_leak_gate_w) * seconds *
              (1 - power_idle_gated(tree, a, seconds));
    for (int i = 0; l->is->kind == LINE_EVENTS && i < tree->events; i++) {
        const struct power_event *const e = &tree->event[i];
        if (e->component == l->component)
            all += e->energy_j * sum(a, (struct power_run){e->act, e->n});
    }
    return all;
}

void power_savings(const struct power_tree *tree, const struct activity *a, double seconds,
                   struct power_savings *out) {
    const struct power_rows *const r = &tree->rows;
    *out = (struct power_savings){.tree = tree};
    for (uint32_t l = 0; l < r->lines; l++)
        out->all_j[l] = all_of_line(tree, &r->line[l], a, seconds);
    for (uint32_t i = 0; i < r->effects; i++) {
        const struct power_effect *const e = &r->effect[i];
        if (!(effect_counts(e, a) > 0) || e->component < 0 || e->price_j == 0) continue;
        out->j[i] = effect_j(e, a);
        out->seen[e->line] = true;
    }
    for (uint32_t i = 0; i < r->shows; i++)
        if (r->line[r->shown[i].line].component >= 0 && sum(a, r->shown[i].run) > 0)
            out->seen[r->shown[i].line] = true;
    for (uint32_t i = 0; i < r->bounds; i++) {
        const struct power_bound *const b = &r->bound[i];
        const int at = r->line[b->line].component;
        if (at < 0 || !(sum(a, b->cycles) > 0)) continue;
        out->bound_j[b->line] = bound_j(tree, &tree->component[at], b, a);
    }
    for (uint32_t i = 0; i < r->areas; i++) {
        const struct power_area *const x = &r->area[i];
        if (!(sum(a, x->run) > 0)) continue;
        out->area_mm2[i] = power_area_mm2(tree, x->is, parts_counted(tree, x, a));
    }
    for (uint32_t l = 0; l < r->lines; l++) out->any = out->any || out->seen[l];
}

void power_savings_add(struct power_savings *to, const struct power_savings *s) {
    to->tree = s->tree;
    to->any = to->any || s->any;
    for (uint32_t i = 0; i < POWER_MAX_EFFECTS; i++) to->j[i] += s->j[i];
    for (uint32_t l = 0; l < POWER_MAX_LINES; l++) {
        to->seen[l] = to->seen[l] || s->seen[l];
        to->all_j[l] += s->all_j[l];
        to->bound_j[l] += s->bound_j[l];
    }
    for (uint32_t i = 0; i < POWER_MAX_AREAS; i++) // the same hardware in each kernel
        to->area_mm2[i] = fmax(to->area_mm2[i], s->area_mm2[i]);
}

// Effects that stand together in one component are added up before they go into the sum.
static double line_sum(const struct power_savings *s, uint32_t line, enum savings_sign sign) {
    double all = 0, of_component = 0;
    const char *last = "";
    for (uint32_t i = 0; s->tree != NULL && i < s->tree->rows.effects; i++) {
        const struct power_effect *const e = &s->tree->rows.effect[i];
        if (e->line != line || e->is->sign != sign) continue;
        if (strcmp(e->is->component, last) != 0) all += of_component, of_component = 0;
        of_component += s->j[i];
        last = e->is->component;
    }
    return all + of_component;
}

bool power_line_has_bound(const struct power_tree *tree, uint32_t line) {
    for (uint32_t i = 0; i < tree->rows.bounds; i++)
        if (tree->rows.bound[i].line == line) return true;
    return false;
}

double power_savings_saved(const struct power_savings *s, uint32_t line) {
    return line_sum(s, line, SAVES);
}

double power_savings_spent(const struct power_savings *s, uint32_t line) {
    return line_sum(s, line, COSTS);
}

double power_savings_mm2(const struct power_savings *s, uint32_t line) {
    double all = 0;
    for (uint32_t i = 0; s->tree != NULL && i < s->tree->rows.areas; i++)
        if (s->tree->rows.area[i].line == line) all += s->area_mm2[i];
    return all;
}

double power_savings_all_mm2(const struct power_savings *s) {
    double all = 0;
    for (uint32_t i = 0; i < POWER_MAX_AREAS; i++) all += s->area_mm2[i];
    return all;
}

// Leakage saved, by component; components as they come first.
struct moved {
    double net[POWER_MAX_COMPONENTS];
    bool is_in[POWER_MAX_COMPONENTS];
    int order[POWER_MAX_COMPONENTS], n;
};

// Of `j` the shares that would have leaked below the threshold and through gates.
static void move(struct moved *m, int component, double j, double sub_share, double gate_share,
                 struct power_usage *usage) {
    if (!m->is_in[component]) m->order[m->n++] = component;
    m->is_in[component] = true;
    m->net[component] += j;
    usage->leak_sub_j[component] -= j * sub_share;
    usage->leak_gate_j[component] -= j * gate_share;
}

static bool lies_below(const struct power_tree *tree, int i, int above) {
    while (i > above) i = tree->component[i].parent;
    return i == above;
}

// Of a component and all below it, each its share by leakage.
static void move_below(struct moved *m, const struct power_tree *tree, int above, double j,
                       struct power_usage *usage) {
    const struct power_component *const all = &tree->component[above];
    const double leak_w = all->all_leak_sub_w + all->all_leak_gate_w;
    for (int i = above; i < tree->components && leak_w > 0; i++) {
        const struct power_component *const p = &tree->component[i];
        const double w = p->leak_sub_w + p->leak_gate_w;
        if (w > 0 && lies_below(tree, i, above))
            move(m, i, j * w / leak_w, p->leak_sub_w / w, p->leak_gate_w / w, usage);
    }
}

double power_savings_apply(const struct power_tree *tree, const struct activity *a,
                           struct power_usage *usage) {
    struct moved m = {.n = 0};
    for (uint32_t i = 0; i < tree->rows.effects; i++) {
        const struct power_effect *const e = &tree->rows.effect[i];
        const double j = effect_j(e, a);
        const int at = e->component;
        if (j == 0 || at < 0) continue;
        if (!power_price_is_leakage(&e->is->price)) {
            usage->dynamic_j[at] -= (double)e->is->sign * j;
            continue;
        }
        if (e->is->price.kind == PRICE_LEAK_BELOW)
            move_below(&m, tree, at, (double)e->is->sign * j, usage);
        else
            move(&m, at, (double)e->is->sign * j, e->sub_share, e->gate_share, usage);
    }
    double less = 0;
    for (int i = 0; i < m.n; i++) {
        usage->static_j[m.order[i]] -= m.net[m.order[i]];
        less += m.net[m.order[i]];
    }
    return less;
}
