// The counts of a run at other points of the power model: another supply, temperature or node, another
// price of a family of operations, another clock. The page's sliders show these figures.
//
// Each point is the whole model built anew for that supply and node and run over the counts of all
// kernels, so that it equals a run with `-s tech.vdd_v=` or `-s tech.node_nm=`: neither moves a cycle.
// What the page does between points is exact too. Leakage goes with the currents of the device tables,
// so that a temperature is a factor. A family's price is linear, and so are the prices of techniques
// that are made of it.
//
// The clock is different: only a run knows how many cycles a kernel takes while memory keeps its clock.
// The page assumes that they stay. Static energy then goes with the time, but for the clock of the rest
// of the die, which goes with the cycles.
#include "power/power_gpu.h"
#include "power/effect.h"
#include "view/view.h"

#include <math.h>

enum { PLACES_MOST = POWER_MAX_COMPONENTS, POINTS_MOST = 32 };

static const double SUPPLY[] = {0.75, 0.8, 0.85, 0.9, 0.95, 1.05, 1.1, 1.15, 1.2};       // of its own
static const double CLOCK[] = {0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.1, 1.2};                  // of its own
static const double NODE_NM[] = {90, 65, 45, 40, 32, 28, 22, 16, 12, 10, 8, 7, 5, 4};    // offered
static const double KELVIN[] = {300, 310, 320, 330, 340, 350, 360, 370, 380, 390, 400};  // device tables

struct what_if {
    struct arena *a;
    const struct view_input *in;
    struct power_config own; // the run's
    struct activity counts;  // of all kernels, once
    double seconds;
    struct power_family family[POWER_FAMILIES];
    unsigned families, places, place[POWER_MAX_COMPONENTS];
    struct point {
        double vdd_v, node_nm;
    } point[POINTS_MOST];
    unsigned points;
    json_t *list; // of points
};

// ---- figures by place ---------------------------------------------------------------------------
struct by_place {
    double j[PLACES_MOST];
};

static json_t *places_json(const struct what_if *w, const struct by_place *p) {
    json_t *list = json_array();
    for (unsigned i = 0; i < w->places; i++) json_array_append_new(list, json_real(p->j[i]));
    return list;
}

static struct by_place gather(const struct what_if *w, const double *j) {
    struct by_place p = {.j = {0}};
    for (int i = 0; i < w->in->power->tree->components; i++) p.j[w->place[i]] += j[i];
    return p;
}

static bool any(const struct what_if *w, const struct by_place *p) {
    for (unsigned i = 0; i < w->places; i++)
        if (p->j[i] != 0) return true;
    return false;
}

static bool run_point(const struct what_if *w, const struct power_tree *tree,
                      struct power_usage *out) {
    struct diags d;
    diags_init(&d);
    const bool ok = power_run(tree, &w->counts, w->seconds, out, &d) == WW_OK;
    diags_free(&d);
    return ok;
}

// ---- parts of the energy ------------------------------------------------------------------------
// Energies by what they go with. The regulators lose a share of each.
struct parts {
    struct by_place dynamic, sub, gate, constant, clocked;
};

static struct parts parts_of(const struct what_if *w, const struct power_tree *tree,
                             const struct power_usage *u) {
    double sub[POWER_MAX_COMPONENTS], gate[POWER_MAX_COMPONENTS], still[POWER_MAX_COMPONENTS],
        clocked[POWER_MAX_COMPONENTS] = {0};
    const int rest_clock = power_find(tree, "rest_clock"), regulator = tree->regulator;
    if (rest_clock >= 0) clocked[rest_clock] = u->static_j[rest_clock];
    double all_sub = 0, all_gate = 0;
    for (int k = 0; k < tree->components; k++) {
        sub[k] = u->leak_sub_j[k], gate[k] = u->leak_gate_j[k];
        all_sub += sub[k], all_gate += gate[k];
    }
    if (regulator >= 0) {
        sub[regulator] += tree->regulator_loss * all_sub;
        gate[regulator] += tree->regulator_loss * all_gate;
        if (rest_clock >= 0) clocked[regulator] += tree->regulator_loss * clocked[rest_clock];
    }
    for (int k = 0; k < tree->components; k++)
        still[k] = u->static_j[k] - sub[k] - gate[k] - clocked[k];
    return (struct parts){gather(w, u->dynamic_j), gather(w, sub), gather(w, gate), gather(w, still),
                          gather(w, clocked)};
}

static void put_parts(json_t *o, const struct what_if *w, const struct parts *p) {
    json_object_set_new(o, "dynamic_j", places_json(w, &p->dynamic));
    json_object_set_new(o, "leak_sub_j", places_json(w, &p->sub));
    json_object_set_new(o, "leak_gate_j", places_json(w, &p->gate));
    json_object_set_new(o, "constant_j", places_json(w, &p->constant));
    json_object_set_new(o, "clocked_j", places_json(w, &p->clocked));
}

// ---- prices -------------------------------------------------------------------------------------
// What each family's price adds where it doubles: {family: [a place each]}.
static json_t *prices_json(const struct what_if *w, const struct power_tree *tree,
                           const struct power_usage *usage) {
    json_t *o = json_object();
    struct power_tree *const dear = arena_alloc(w->a, sizeof *dear);
    struct power_usage *const with = arena_alloc(w->a, sizeof *with);
    for (unsigned f = 0; f < w->families; f++) {
        *dear = *tree;
        power_family_price(dear, w->family[f].field, 2);
        if (!run_point(w, dear, with)) continue;
        for (int i = 0; i < tree->components; i++) with->dynamic_j[i] -= usage->dynamic_j[i];
        const struct by_place more = gather(w, with->dynamic_j);
        if (any(w, &more)) json_object_set_new(o, w->family[f].field, places_json(w, &more));
    }
    return o;
}

// ---- temperatures -------------------------------------------------------------------------------
// Sub-threshold and gate leakage at the temperatures of the device tables over that at the run's.
static json_t *heat_json(const struct power_config *c) {
    struct tech here, there;
    struct diags d;
    diags_init(&d);
    json_t *sub = json_array(), *gate = json_array();
    bool ok = tech_init(&here, c->node_nm, c->device, c->vdd_v, c->temperature_k, &d) == WW_OK;
    for (size_t i = 0; ok && i < WW_COUNT(KELVIN); i++) {
        ok = tech_init(&there, c->node_nm, c->device, c->vdd_v, KELVIN[i], &d) == WW_OK;
        json_array_append_new(sub, json_real(there.ioff / here.ioff));
        json_array_append_new(gate, json_real(here.ig > 0 ? there.ig / here.ig : 1));
    }
    diags_free(&d);
    return json_pack("{s:o,s:o}", "sub", sub, "gate", gate);
}

// Drowsy cells and banks of published circuits have a temperature law of their own: the model is built
// for each temperature. NULL: the factors above are all.
static json_t *own_heat_json(const struct what_if *w) {
    struct power_savings *const saved = arena_alloc(w->a, sizeof *saved);
    power_savings(w->in->power->tree, &w->counts, w->seconds, saved);
    if (!saved->any && !(w->own.rf_node_nm > 0)) return NULL;
    struct power_tree *const tree = arena_alloc(w->a, sizeof *tree);
    struct power_usage *const u = arena_alloc(w->a, sizeof *u);
    json_t *list = json_array();
    struct diags d;
    diags_init(&d);
    for (size_t i = 0; i < WW_COUNT(KELVIN); i++) {
        struct power_config c = w->own;
        c.temperature_k = KELVIN[i];
        if (power_build(&c, tree, &d) != WW_OK || !run_point(w, tree, u)) continue;
        const struct parts parts = parts_of(w, tree, u);
        json_t *o = json_pack("{s:f}", "temperature_k", KELVIN[i]);
        put_parts(o, w, &parts);
        json_array_append_new(list, o);
    }
    diags_free(&d);
    return list;
}

// ---- points -------------------------------------------------------------------------------------
static json_t *point_json(const struct what_if *w, const struct power_config *c,
                          const struct power_tree *tree, const struct power_usage *u) {
    const struct parts parts = parts_of(w, tree, u);
    json_t *o = json_pack("{s:f,s:f,s:f,s:o,s:o}", "supply_v", c->vdd_v, "node_nm", c->node_nm,
                          "carries_mhz", power_carried_mhz(w->in->gpu, c, c->vdd_v), "prices",
                          prices_json(w, tree, u), "heat", heat_json(c));
    put_parts(o, w, &parts);
    return o;
}

// Answers the number of the point at this supply and node; -1 where the model has none.
static int add_point(struct what_if *w, double vdd_v, double node_nm) {
    for (unsigned i = 0; i < w->points; i++)
        if (fabs(w->point[i].vdd_v - vdd_v) < 1e-9 && w->point[i].node_nm == node_nm) return (int)i;
    if (w->points == POINTS_MOST) return -1;
    struct power_config c = w->own;
    c.vdd_v = vdd_v, c.node_nm = node_nm;
    struct power_tree *const tree = arena_alloc(w->a, sizeof *tree);
    struct power_usage *const u = arena_alloc(w->a, sizeof *u);
    struct diags d;
    diags_init(&d);
    const bool ok = power_build(&c, tree, &d) == WW_OK && run_point(w, tree, u);
    diags_free(&d);
    if (!ok) return -1;
    json_array_append_new(w->list, point_json(w, &c, tree, u));
    w->point[w->points] = (struct point){vdd_v, node_nm};
    return (int)w->points++;
}

static double rounded(double v, double step) { return round(v / step) * step; }

static json_t *numbers(const int *at, unsigned n) {
    json_t *list = json_array();
    for (unsigned i = 0; i < n; i++) json_array_append_new(list, json_integer(at[i]));
    return list;
}

// Positions of a slider with the run's own in its place; each is the number of a point.
static json_t *supplies_json(struct what_if *w) {
    int at[POINTS_MOST];
    unsigned n = 0;
    bool own = false;
    for (size_t i = 0; i <= WW_COUNT(SUPPLY); i++) {
        if (!own && (i == WW_COUNT(SUPPLY) || SUPPLY[i] > 1)) at[n++] = 0, own = true;
        if (i == WW_COUNT(SUPPLY)) break;
        const int k = add_point(w, rounded(SUPPLY[i] * w->own.vdd_v, 0.001), w->own.node_nm);
        if (k > 0) at[n++] = k;
    }
    return numbers(at, n);
}

static json_t *nodes_json(struct what_if *w) {
    enum { EACH_SIDE = 3 };
    int at[WW_COUNT(NODE_NM) + 1];
    unsigned n = 0, first = 0;
    while (first < WW_COUNT(NODE_NM) && NODE_NM[first] > w->own.node_nm) first++;
    const unsigned from = first > EACH_SIDE ? first - EACH_SIDE : 0;
    bool own = false;
    for (unsigned i = from; i <= WW_COUNT(NODE_NM) && (!own || i < first + EACH_SIDE + 1); i++) {
        const bool end = i == WW_COUNT(NODE_NM);
        if (!own && (end || NODE_NM[i] <= w->own.node_nm)) at[n++] = 0, own = true;
        if (end || NODE_NM[i] == w->own.node_nm) continue;
        const int k = add_point(w, w->own.vdd_v, NODE_NM[i]);
        if (k > 0) at[n++] = k;
    }
    return numbers(at, n);
}

// Clocks with the board's supply at each, and the point of that supply; -1: it stays as it is.
static json_t *clocks_json(struct what_if *w) {
    const double own = w->own.core_hz * 1e-6;
    const struct gpu_config *const g = w->in->gpu;
    const bool follows = fabs(gpu_supply_at(g, own) - w->own.vdd_v) < 1e-6;
    json_t *list = json_array();
    bool had = false;
    for (size_t i = 0; i <= WW_COUNT(CLOCK); i++) {
        if (!had && (i == WW_COUNT(CLOCK) || CLOCK[i] > 1)) {
            had = true;
            json_array_append_new(list, json_pack("{s:f,s:f,s:i}", "mhz", own, "board_v",
                                                  gpu_supply_at(g, own), "point", 0));
        }
        if (i == WW_COUNT(CLOCK)) break;
        const double mhz = rounded(CLOCK[i] * own, 1), v = gpu_supply_at(g, mhz);
        const int k = follows && v > 0 ? add_point(w, v, w->own.node_nm) : -1;
        json_array_append_new(
            list, json_pack("{s:f,s:f,s:i}", "mhz", mhz, "board_v", v, "point", k));
    }
    return list;
}

// ---- all of it ----------------------------------------------------------------------------------
static bool begin(struct what_if *w, struct arena *a, const struct view_input *in) {
    const struct account *const p = in->power;
    struct diags d;
    diags_init(&d);
    *w = (struct what_if){.a = a, .in = in, .seconds = p->kernels.seconds};
    bool ok = p->kernels.seconds > 0 && power_config_of(in->gpu, &w->own, &d) == WW_OK;
    diags_free(&d);
    if (!ok) return false;
    if (p->overlapped && p->file->has_total)
        account_once(p, &w->counts);
    else
        for (uint32_t i = 0; i < p->n; i++)
            if (p->kernel[i].kernel->seconds > 0) activity_add(&w->counts, &p->kernel[i].kernel->activity);
    w->families = power_families(w->family);
    w->places = machine_places(p->tree, w->place);
    w->list = json_array();
    json_array_append_new(w->list, point_json(w, &w->own, p->tree, &p->kernels));
    w->point[w->points++] = (struct point){w->own.vdd_v, w->own.node_nm};
    return true;
}

json_t *what_if_json(struct arena *a, const struct view_input *in) {
    struct what_if *const w = arena_alloc(a, sizeof *w);
    if (!in->power || !begin(w, a, in)) return NULL;
    json_t *const supplies = supplies_json(w), *const nodes = nodes_json(w), *const clocks = clocks_json(w);
    json_t *kelvin = json_array(), *families = json_array();
    for (size_t i = 0; i < WW_COUNT(KELVIN); i++) json_array_append_new(kelvin, json_real(KELVIN[i]));
    for (unsigned f = 0; f < w->families; f++)
        json_array_append_new(families, json_pack("{s:s,s:s,s:f}", "key", w->family[f].field, "prose",
                                                  w->family[f].prose, "cost",
                                                  power_family_cost(&w->own, w->family[f].field)));
    json_t *o = json_pack("{s:f,s:f,s:f,s:o,s:o,s:o,s:o,s:o,s:o}", "seconds", w->seconds, "core_mhz", w->own.core_hz * 1e-6, "temperature_k",
                          w->own.temperature_k, "temperatures_k", kelvin, "families", families, "points",
                          w->list, "supplies", supplies, "nodes", nodes, "clocks", clocks);
    json_t *const own_heat = own_heat_json(w);
    if (own_heat) json_object_set_new(o, "own_heat", own_heat);
    return o;
}
