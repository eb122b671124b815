// Builds the tree of components and runs activity over it.
//
// Runtime power is linear: every component has a static power and a list of (counter, energy) rows,
// so components add up to their parents, intervals to the run and halves to the whole by
// construction. The one exception is the regulator, whose loss is a share of all the rest, which is
// linear too.
//
// Components are rows of parts.def; tree_sm.c, tree_ldst.c and tree_chip.c fill them. Left out:
// ECC, power gating, and how the rest of the chip (graphics, display, video) moves: it has an area,
// a leakage and a clock.
#include "activity/mem.h"
#include "activity/sm.h"
#include "power/power.h"

#include <math.h>
#include <stddef.h>

#include "power/declared.h"
#include "power/effect.h"
#include "power/tree.h"

// What of node, temperature and supply the tables refuse, in their words.
static const char *check_tech(const struct power_config *c, char *sentence, size_t size) {
    const struct {
        const char *name;
        double vdd_v, temperature_k;
    } step[] = {{"node_nm", 0, 350},
                {"temperature_k", 0, c->temperature_k},
                {"vdd_v", c->vdd_v, c->temperature_k}};
    for (unsigned i = 0; i < WW_COUNT(step); i++) {
        struct diags d;
        struct tech t;
        diags_init(&d);
        enum ww_status s =
            tech_init(&t, c->node_nm, c->device, step[i].vdd_v, step[i].temperature_k, &d);
        if (s) diags_first(&d, sentence, size);
        diags_free(&d);
        if (s) return step[i].name;
    }
    return NULL;
}

// A register file in a node that only published circuits have.
static const char *check_declared(const struct power_config *c, char *sentence, size_t size) {
    if (c->rf_node_nm == 0)
        return c->rf_vdd_v == 0 ? NULL
                                : (snprintf(sentence, size,
                                            "rf_vdd_v is %g, but rf_node_nm gives no node of the "
                                            "register file's own",
                                            c->rf_vdd_v),
                                   "rf_vdd_v");
    const char *const field[] = {"rf_node_nm", "rf_vdd_v"};
    for (int i = 0; i < 2; i++) { // at the nominal supply, then at its own
        struct diags d;
        struct array a;
        diags_init(&d);
        const struct array_config banks = tree_rf_config(c);
        enum ww_status s = declared_finfet(c->rf_node_nm, &banks, i ? c->rf_vdd_v : 0,
                                           c->temperature_k, true, &a, &d);
        if (s) diags_first(&d, sentence, size);
        diags_free(&d);
        if (s) return field[i];
    }
    return NULL;
}

const char *power_check(const struct power_config *c, char *sentence, size_t size) {
    const char *bad = check_tech(c, sentence, size);
    if (bad) return bad;
    const struct {
        const char *name;
        double value, least, most;
    } range[] = {
#define FIELD(type, name, keys, least, most, ...) {#name, (double)c->name, least, most},
#include "power/config.def"
    };
    for (unsigned i = 0; i < WW_COUNT(range); i++)
        if (!(range[i].value >= range[i].least && range[i].value <= range[i].most))
            return snprintf(sentence, size, "%s is %g, outside the power model's range of %g to %g",
                            range[i].name, range[i].value, range[i].least, range[i].most),
                   range[i].name;
    const struct {
        const char *name;
        const struct power_cache *k;
    } cache[] = {
#define CACHE(name, ...) {#name, &c->name},
#include "power/config.def"
    };
    for (unsigned i = 0; i < WW_COUNT(cache); i++) {
        const struct power_cache *k = cache[i].k;
        if (!k->bytes) continue;
        bool fits = k->line_bytes >= 4 && k->ways && k->line_bytes <= 4096 &&
                    (uint64_t)k->line_bytes * k->ways <= k->bytes &&
                    k->bytes % ((uint64_t)k->line_bytes * k->ways) == 0 && k->line_bytes % 4 == 0 &&
                    (!k->out_bytes || k->line_bytes % k->out_bytes == 0);
        if (!fits)
            return snprintf(sentence, size, "%s: %u bytes in lines of %u and %u ways is no cache",
                            cache[i].name, k->bytes, k->line_bytes, k->ways),
                   cache[i].name;
    }
    return check_declared(c, sentence, size);
}

static double lines_of(const struct power_cache *k) {
    return k->bytes ? k->bytes / k->line_bytes : 0;
}

// Data and tags of a cache lie in one component: a part is the share that its bits have of them.
static void count_lines(struct power_tree *tree, const struct power_cache *k, double caches,
                        enum savings_per line, enum savings_per tag) {
    if (!k->bytes) return;
    const double data = 8.0 * k->line_bytes, tags = tree_tag_bits(k), all = data + tags;
    tree->parts[line] = caches * lines_of(k) * (all / data);
    tree->parts[tag] = caches * lines_of(k) * (all / tags);
}

// How many there are of what techniques switch one by one.
static void count_parts(const struct power_config *c, struct power_tree *tree) {
    const unsigned lanes = 32;
    const double sms = tree->sms;
    tree->parts[PER_SM] = sms;
    tree->parts[PER_LANE_GROUP] = sms * tree->lane_groups;
    tree->parts[PER_LANE] = sms * tree->lane_groups * lanes;
    tree->parts[PER_RF_ROW] = sms * (c->registers / lanes);
    if (c->l1.bytes) tree->parts[PER_L1_LINE] = sms * (c->shared_bytes / c->l1.line_bytes);
    tree->parts[PER_L1_TAG] = sms * lines_of(&c->l1);
    count_lines(tree, &c->constant, sms, PER_CONST_LINE, PER_CONST_TAG);
    count_lines(tree, &c->texture, sms, PER_TEX_LINE, PER_TEX_TAG);
    count_lines(tree, &c->l2, c->l2_slices, PER_L2_LINE, PER_L2_TAG);
}

// Sums own figures upward; parents stand before children.
static void sum_up(struct power_tree *tree) {
    for (int i = tree->components - 1; i >= 0; i--) {
        struct power_component *p = &tree->component[i];
        p->all_area_mm2 += p->area_mm2, p->all_leak_sub_w += p->leak_sub_w;
        p->all_leak_gate_w += p->leak_gate_w, p->all_constant_w += p->constant_w;
        p->all_peak_w += p->peak_w;
        if (p->parent < 0) continue;
        struct power_component *up = &tree->component[p->parent];
        up->all_area_mm2 += p->all_area_mm2, up->all_leak_sub_w += p->all_leak_sub_w;
        up->all_leak_gate_w += p->all_leak_gate_w, up->all_constant_w += p->all_constant_w;
        up->all_peak_w += p->all_peak_w;
    }
}

static void cost(struct power_tree *t, int component, uint32_t first, uint32_t last, double times) {
    if (component < 0 || !(times > 0)) return;
    struct power_component *const p = &t->component[component];
    p->basis = POWER_FITTED;
    for (int i = 0; i < t->events; i++) {
        struct power_event *const e = &t->event[i];
        if (e->component != component || e->act < first || e->act > last) continue;
        p->peak_w += (times - 1) * e->energy_j * e->peak_per_s;
        e->energy_j *= times, e->word_part_j *= times, e->word_gates_j *= times, e->front_j *= times;
    }
}

static void apply_costs(struct builder *b) {
#define COST(field, part, first, last) cost(b->tree, b->at[PART_##part], first, last, b->c->field);
#include "power/cost.def"
}

static const struct {
    const char *field;
    size_t at; // in power_config
    enum power_part_id part;
    uint32_t first, last;
} costs[] = {
#define COST(field, part, first, last)                                                             \
    {#field, offsetof(struct power_config, field), PART_##part, first, last},
#include "power/cost.def"
};

unsigned power_families(struct power_family out[POWER_FAMILIES]) {
    static const struct power_family fields[] = {
#define FIELD(type, name, keys, least, most, value, prose) {#name, prose},
#include "power/config.def"
    };
    unsigned n = 0;
    for (size_t i = 0; i < WW_COUNT(costs) && n < POWER_FAMILIES; i++) {
        bool known = false;
        for (unsigned k = 0; k < n; k++) known |= strcmp(out[k].field, costs[i].field) == 0;
        for (size_t f = 0; !known && f < WW_COUNT(fields); f++)
            if (strcmp(fields[f].field, costs[i].field) == 0) out[n++] = fields[f], known = true;
    }
    return n;
}

double power_family_cost(const struct power_config *c, const char *field) {
    double times = 0;
    for (size_t i = 0; i < WW_COUNT(costs); i++)
        if (strcmp(costs[i].field, field) == 0) memcpy(&times, (const char *)c + costs[i].at, sizeof times);
    return times > 0 ? times : 1;
}

void power_family_price(struct power_tree *tree, const char *field, double times) {
    bool dearer[POWER_MAX_COMPONENTS] = {false};
    for (size_t i = 0; i < WW_COUNT(costs); i++)
        for (int k = 0; strcmp(costs[i].field, field) == 0 && k < tree->components; k++)
            if (tree->component[k].part == (int)costs[i].part) {
                cost(tree, k, costs[i].first, costs[i].last, times);
                dearer[k] = true;
            }
    for (uint32_t i = 0; i < tree->rows.effects; i++) {
        struct power_effect *const e = &tree->rows.effect[i];
        if (e->component >= 0 && dearer[e->component] && e->is->price.event != NULL)
            e->price_j = power_price_j(tree, e->is->component, &e->is->price);
    }
}

enum ww_status power_build(const struct power_config *c, struct power_tree *tree, struct diags *d) {
    struct builder b = {
        .c = c, .tree = tree, .d = d, .core_s = c->core_hz, .sm_s = c->core_hz * c->sms};
    *tree = (struct power_tree){.regulator = -1,
                                .rest = -1,
                                .sm = -1,
                                .fitted_here = c->fitted_here,
                                .idle_gate = c->idle_gate,
                                .front_control = c->front_control,
                                .sms = c->sms,
                                .lane_groups = c->lane_groups ? c->lane_groups : 1,
                                .core_hz = c->core_hz};
    char sentence[256];
    if (power_check(c, sentence, sizeof sentence))
        return diag_add(d, WW_ERROR_CONFIG, "%s", sentence);
    enum ww_status s = tech_init(&b.t, c->node_nm, c->device, c->vdd_v, c->temperature_k, d);
    if (s) return s;
    tree_leak_share(c, &b.t);
    tree->tech = b.t;
    for (int i = 0; i < PARTS; i++) b.at[i] = -1;
    count_parts(c, tree);
    tree->peak_duty = c->peak_duty > 0 ? c->peak_duty : 1;
    tree_add(&b, PART_total, 1);
    tree_add(&b, PART_chip, 1);
    tree->sm = tree->components;
    tree_build_sm(&b);
    tree_build_chip(&b);
    tree_build_board(&b);
    apply_costs(&b);
    tree_toggles(tree, c);
    if (tree->regulator >= 0) {
        struct power_component *regulator = &tree->component[tree->regulator];
        double peak = 0, still = 0;
        for (int n = 0; n < tree->components; n++) {
            const struct power_component *p = &tree->component[n];
            peak += p->peak_w;
            still += p->leak_sub_w + p->leak_gate_w + p->constant_w;
        }
        regulator->peak_w = peak * c->regulator_loss;
        regulator->constant_w = still * c->regulator_loss;
    }
    sum_up(tree);
    return b.status != WW_OK ? b.status : power_rows_make(tree, d);
}

double power_idle_gated(const struct power_tree *tree, const struct activity *a, double seconds) {
    // counts over a time, and not over all cycles of SMs: so halves of a run add up to the run
    const double idle = (double)a->c[ACT_sm_idle_cycles] / (tree->sms * tree->core_hz);
    return seconds > 0 ? tree->idle_gate * fmin(idle / seconds, 1) : 0;
}

// Techniques count while SMs hold work, so nothing is saved twice.
static void gate_idle(const struct power_tree *tree, const struct activity *a,
                      struct power_usage *out) {
    const double share = power_idle_gated(tree, a, out->seconds);
    for (int i = tree->sm; share > 0 && i < tree->components; i++) {
        int up = i;
        while (up > tree->sm) up = tree->component[up].parent;
        if (up != tree->sm) continue;
        out->gated_j += out->static_j[i] * share;
        out->static_j[i] *= 1 - share;
        out->leak_sub_j[i] *= 1 - share, out->leak_gate_j[i] *= 1 - share;
    }
}

// Static power that flows while something counts, with the regulators' part.
static void add_static(const struct power_tree *tree, const struct activity *a,
                       struct power_usage *out) {
    for (int i = 0; i < tree->events; i++) {
        const struct power_event *e = &tree->event[i];
        if (!e->is_static) continue;
        double j = 0;
        for (uint32_t k = 0; k < e->n; k++) j += (double)a->c[e->act + k] * e->energy_j;
        out->static_j[e->component] += j;
        if (tree->regulator >= 0) out->static_j[tree->regulator] += j * tree->regulator_loss;
    }
}

enum ww_status power_run(const struct power_tree *tree, const struct activity *a, double seconds,
                         struct power_usage *out, struct diags *d) {
    if (!(seconds > 0 && seconds < 1e12))
        return diag_add(d, WW_ERROR_USAGE, "%g is no time to take the mean power over", seconds);
    *out = (struct power_usage){.seconds = seconds};
    for (int i = 0; i < tree->components; i++) {
        const struct power_component *p = &tree->component[i];
        out->static_j[i] = (p->leak_sub_w + p->leak_gate_w + p->constant_w) * seconds;
        out->leak_sub_j[i] = p->leak_sub_w * seconds;
        out->leak_gate_j[i] = p->leak_gate_w * seconds;
    }
    for (int i = 0; i < tree->events; i++) {
        const struct power_event *e = &tree->event[i];
        double count = 0;
        for (uint32_t k = 0; k < e->n; k++) count += (double)a->c[e->act + k];
        if (!e->is_static)
            out->dynamic_j[e->component] += count * e->energy_j * power_data_factor(&e->data, a);
    }
    gate_idle(tree, a, out);
    add_static(tree, a, out); // of SMs with work: no gate takes it
    const double less = power_savings_apply(tree, a, out) + out->gated_j;
    if (tree->regulator >= 0) { // its static loss is a constant of the component
        out->static_j[tree->regulator] -= less * tree->regulator_loss;
        double dynamic = 0;
        for (int i = 0; i < tree->components; i++) dynamic += out->dynamic_j[i];
        out->dynamic_j[tree->regulator] += dynamic * tree->regulator_loss;
    }
    for (int i = tree->components - 1; i >= 0; i--) {
        out->all_dynamic_j[i] += out->dynamic_j[i];
        out->all_static_j[i] += out->static_j[i];
        out->all_leak_sub_j[i] += out->leak_sub_j[i];
        out->all_leak_gate_j[i] += out->leak_gate_j[i];
        int up = tree->component[i].parent;
        if (up < 0) continue;
        out->all_dynamic_j[up] += out->all_dynamic_j[i];
        out->all_static_j[up] += out->all_static_j[i];
        out->all_leak_sub_j[up] += out->all_leak_sub_j[i];
        out->all_leak_gate_j[up] += out->all_leak_gate_j[i];
    }
    out->energy_j = out->all_dynamic_j[0] + out->all_static_j[0];
    out->power_w = out->energy_j / seconds;
    return WW_OK;
}

void power_rest_bounds(const struct power_tree *tree, const struct power_usage *usage,
                       double energy_j[2]) {
    const double loss = tree->regulator >= 0 ? 1 + tree->regulator_loss : 1;
    energy_j[0] = energy_j[1] = usage->energy_j;
    if (tree->rest < 0) return;
    energy_j[0] -= loss * (usage->all_dynamic_j[tree->rest] + usage->all_static_j[tree->rest]);
    energy_j[1] += loss * tree->rest_more_w * usage->seconds;
}

int power_find(const struct power_tree *tree, const char *name) {
    for (int i = 0; i < tree->components; i++)
        if (strcmp(tree->component[i].name, name) == 0) return i;
    return -1;
}

double power_event_energy(const struct power_tree *tree, uint32_t act) {
    double sum = 0;
    for (int i = 0; i < tree->events; i++)
        if (act >= tree->event[i].act && act < tree->event[i].act + tree->event[i].n)
            sum += tree->event[i].energy_j;
    return sum;
}

double power_burst_bytes(const struct power_config *c) {
    const unsigned devices = c->dram_devices_a_channel ? c->dram_devices_a_channel : 1;
    return c->dram ? c->dram->bits * devices * c->dram->burst / 8.0 : 0;
}

void power_by_basis(const struct power_tree *tree, const struct power_usage *usage,
                    double energy_j[POWER_BASES]) {
    for (int k = 0; k < POWER_BASES; k++) energy_j[k] = 0;
    for (int i = 0; i < tree->components; i++)
        energy_j[tree->component[i].basis] += usage->dynamic_j[i] + usage->static_j[i];
}

const char *power_basis_name(enum power_basis basis) {
    static const char *const name[POWER_BASES] = {"analytic", "empirical", "assumed", "fitted"};
    return (unsigned)basis < POWER_BASES ? name[basis] : "?";
}

double power_still(const struct power_tree *tree, int component) {
    const struct power_component *p = &tree->component[component];
    return p->all_leak_sub_w + p->all_leak_gate_w + p->all_constant_w;
}

enum ww_status power_peak(const struct power_config *c, double *watts, struct diags *d) {
    struct power_config hot = *c;
    if (c->limit_k > 0) hot.temperature_k = c->limit_k;
    struct power_tree tree;
    enum ww_status s = power_build(&hot, &tree, d);
    if (!s) *watts = power_still(&tree, 0) + tree.peak_duty * tree.component[0].all_peak_w;
    return s;
}

double power_units_leak_w(const struct power_tree *tree, int component, unsigned n) {
    const struct power_component *p = &tree->component[component];
    return (p->leak_sub_w + p->leak_gate_w) * n / p->count;
}

unsigned power_lane_group_lanes(const struct power_config *c, const char *name) {
    unsigned lane_groups = c->lane_groups ? c->lane_groups : 1;
    unsigned lanes = strcmp(name, "int") == 0  ? c->int_lanes
                     : strcmp(name, "fp") == 0 ? c->fp_lanes
                                               : 0;
    return lanes / lane_groups * c->sms;
}

const char *power_free_reason(uint32_t act) {
    switch (act) {
#define FREE(counter, reason)                                                                      \
    case ACT_##counter:                                                                            \
        return reason;
#include "power/free.def"
#undef FREE
    default: break;
    }
    const struct act_info *const row = act_row(act_row_of(act));
    return row != NULL ? row->free : NULL;
}
