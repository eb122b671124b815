// The builder of the tree: a component from its row of parts.def, areas and leakage of blocks and
// arrays, events.
#include "power/tree.h"

#include <math.h>

#include "power/declared.h"

#define ANALYTIC  POWER_ANALYTIC
#define EMPIRICAL POWER_EMPIRICAL
#define ASSUMED   POWER_ASSUMED
#define FITTED    POWER_FITTED
const struct power_part power_parts[] = {
#define PART(name, parent, basis, prose, formula) {#name, #parent, basis, prose, formula},
#include "power/parts.def"
#undef PART
};
const unsigned power_parts_n = PARTS;
_Static_assert(WW_COUNT(power_parts) == PARTS && (int)PARTS <= (int)POWER_MAX_COMPONENTS,
               "the tree has room for every part");
static const int parent_of[] = {
#define PART(name, parent, ...) PART_##parent,
#include "power/parts.def"
#undef PART
};

// The tree has no room for one more: a component or event of a GPU that nothing here foresaw.
static void refuse(struct builder *b, const char *what, unsigned most) {
    if (b->status != WW_OK) return;
    b->status = diag_add(b->d, WW_ERROR_INTERNAL,
                         "the power model has room for %u %s, and this GPU has more: please report "
                         "it with the GPU file",
                         most, what);
}

int tree_add(struct builder *b, enum power_part_id part, unsigned count) {
    const struct power_part *p = &power_parts[part];
    if (b->tree->components == POWER_MAX_COMPONENTS) {
        refuse(b, "components", POWER_MAX_COMPONENTS);
        return POWER_MAX_COMPONENTS - 1;
    }
    int i = b->tree->components++;
    b->at[part] = i;
    b->tree->component[i] =
        (struct power_component){.name = p->name,
                                 .prose = p->prose,
                                 .formula = p->formula,
                                 .basis = p->basis,
                                 .part = part,
                                 .parent = parent_of[part] < 0 ? -1 : b->at[parent_of[part]],
                                 .count = count};
    return i;
}

void tree_event_n(struct builder *b, int component, uint32_t act, uint32_t n, double energy_j,
                  double peak_per_s) {
    if (b->tree->events == POWER_MAX_EVENTS) {
        refuse(b, "kinds of events", POWER_MAX_EVENTS);
        return;
    }
    int i = b->tree->events++;
    b->tree->event[i] = (struct power_event){.component = component,
                                             .act = act,
                                             .n = n,
                                             .energy_j = energy_j,
                                             .peak_per_s = peak_per_s};
    b->tree->component[component].peak_w += energy_j * peak_per_s;
}

void tree_event(struct builder *b, int component, uint32_t act, double energy_j,
                double peak_per_s) {
    tree_event_n(b, component, act, 1, energy_j, peak_per_s);
}

// Of sub-threshold current, what is left where `long_share` of the devices are long-channel ones.
static double long_factor(const struct builder *b, double long_share) {
    return b->c->long_channel ? 1 - long_share + long_share * b->t.row.long_channel : 1;
}

void tree_put(struct builder *b, int i, double area_mm2, double sub_w, double gate_w,
              double long_share, double times) {
    struct power_component *p = &b->tree->component[i];
    const double k = long_factor(b, long_share);
    p->area_mm2 += area_mm2 * p->count * times;
    p->leak_sub_w += sub_w * k * p->count * times;
    p->leak_gate_w += gate_w * p->count * times;
}

void tree_put_block(struct builder *b, int i, const struct block *k, double times) {
    tree_put(b, i, k->area_um2 * 1e-6, k->leak_sub_w, k->leak_gate_w, LONG_CORE, times);
}

// The supply of cells that only keep their data: where none is given, the lowest that is published
// and the 0.25 V that the same source leaves above it (declared_retention_v).
static double retention_v(const struct builder *b) {
    const double lowest = declared_retention_v(b->c->node_nm);
    if (b->c->retention_v > 0) return b->c->retention_v;
    return isfinite(lowest) ? fmin(lowest + 0.25, b->t.vdd_v) : b->t.vdd_v;
}

// What the array's cells leak and what it takes to wake them.
static void put_cells(struct builder *b, int i, const struct array_config *c, const struct array *a,
                      double long_share) {
    struct power_component *p = &b->tree->component[i];
    const double retained = retention_v(b), v = retained / b->t.vdd_v, n = p->count;
    const double k = long_factor(b, long_share);
    double sub, gate;
    tech_leak_at(&b->t, retained, &sub, &gate);
    p->cell_w += (a->cell_sub_w * k + a->cell_gate_w) * n;
    p->cell_drowsy_w += v * (a->cell_sub_w * k * sub + a->cell_gate_w * gate) * n;
    p->cell_gate_w += a->cell_gate_w * n;
    p->cell_drowsy_gate_w += v * a->cell_gate_w * gate * n;
    const double bits = (double)c->entries * (c->bits + (c->kind == ARRAY_RAM ? 0 : c->tag_bits)) *
                        (c->banks ? c->banks : 1) * n;
    p->cells += bits;
    p->wake_off_j += bits * array_cell_wake_j(&b->t, 0);
    p->wake_drowsy_j += bits * array_cell_wake_j(&b->t, retained);
}

struct array tree_put_array(struct builder *b, int i, struct array_config c, double long_share) {
    struct array a = {0};
    enum ww_status s = array_build(&b->t, &c, &a, b->d);
    if (s && !b->status) b->status = s;
    tree_put(b, i, a.area_mm2, a.leak_sub_w, a.leak_gate_w, long_share, 1);
    put_cells(b, i, &c, &a, long_share);
    return a;
}

void tree_event_static(struct builder *b) {
    b->tree->event[b->tree->events - 1].is_static = true;
}

void tree_word_part(struct builder *b, double word_part_j, double word_gates_j) {
    struct power_event *e = &b->tree->event[b->tree->events - 1];
    e->word_part_j = word_part_j;
    e->word_gates_j = word_gates_j;
}

void tree_front_share(struct builder *b, double share) {
    struct power_event *e = &b->tree->event[b->tree->events - 1];
    e->front_j = share * e->energy_j;
}

double tree_front_mm2(const struct builder *b) {
    return tree_subtree_area(b->tree, b->at[PART_wcu]) -
           b->tree->component[b->at[PART_simt]].area_mm2;
}

void tree_word_gates(struct builder *b, int i, const struct array *divided,
                     const struct array *whole, double long_share) {
    struct power_component *p = &b->tree->component[i];
    p->word_gates_w += ((divided->leak_sub_w - whole->leak_sub_w) * long_factor(b, long_share) +
                        divided->leak_gate_w - whole->leak_gate_w) *
                       p->count;
    p->word_gates_gate_w += (divided->leak_gate_w - whole->leak_gate_w) * p->count;
    p->word_gates_mm2 += (divided->area_mm2 - whole->area_mm2) * p->count;
}

unsigned tree_log2_up(unsigned n) { return n < 2 ? 1 : (unsigned)ceil(log2(n)); }

unsigned tree_tag_bits(const struct power_cache *k) {
    const unsigned sets = k->bytes / k->line_bytes / k->ways;
    return 40 - tree_log2_up(k->line_bytes) - (sets > 1 ? tree_log2_up(sets) : 0) + 2;
}

static struct array_config cache_config(const struct power_cache *k) {
    const unsigned out = k->out_bytes ? k->out_bytes : k->line_bytes;
    return (struct array_config){.kind = ARRAY_CACHE,
                                 .entries = k->bytes / k->line_bytes,
                                 .bits = 8 * k->line_bytes,
                                 .ways = k->ways,
                                 .tag_bits = tree_tag_bits(k),
                                 .out_bits = 8 * out,
                                 .sequential = k->ways > 4,
                                 .rw_ports = 1};
}

// A cache of its own: tags and data; `address_bits` that a tag is cut from.
struct array tree_put_cache(struct builder *b, int i, const struct power_cache *k, unsigned banks,
                            double long_share) {
    struct array_config c = cache_config(k);
    c.banks = banks;
    return tree_put_array(b, i, c, long_share);
}

void tree_divided(struct builder *b, const struct power_cache *k, const struct array *a,
                  double reads, double writes, double cost) {
    struct array_config c = cache_config(k);
    c.word_parts = k->line_bytes / 4;
    c.ndwl = a->ndwl, c.ndbl = a->ndbl, c.nspd = a->nspd, c.ndcm = a->ndcm; // the same partition
    struct array divided;
    const enum ww_status s = array_build(&b->t, &c, &divided, b->d);
    if (s && !b->status) b->status = s;
    if (s) return;
    struct power_event *const e = &b->tree->event[b->tree->events - 1];
    struct power_component *const p = &b->tree->component[e->component];
    p->word_gates_mm2 = (divided.area_mm2 - a->area_mm2) * p->count; // each event's is the same
    e->word_part_j = cost * (reads * divided.part_read_j + writes * divided.part_write_j);
    e->word_gates_j = cost * fmax(0, reads * (divided.read_j - a->read_j) +
                                         writes * (divided.write_j - a->write_j));
}

struct array tree_put_mshrs(struct builder *b, int i, const struct power_cache *k,
                            double long_share) {
    if (!k->bytes || !k->mshrs) return (struct array){0};
    unsigned merge = k->mshr_merge ? k->mshr_merge : 1;
    return tree_put_array(b, i,
                          (struct array_config){.kind = ARRAY_CAM,
                                                .entries = k->mshrs,
                                                .bits = 16 * (merge < 8 ? merge : 8),
                                                .tag_bits = 40,
                                                .rw_ports = 1},
                          long_share);
}

double tree_subtree_area(const struct power_tree *tree, int root) {
    double area = 0;
    for (int i = root; i < tree->components; i++) {
        int p = i;
        while (p > root) p = tree->component[p].parent;
        if (p == root) area += tree->component[i].area_mm2;
    }
    return area;
}

struct block tree_clock_wire(const struct tech *t, double area_mm2, unsigned levels) {
    return circuit_wire(t, TECH_GLOBAL, 1.5 * sqrt(area_mm2) * 1e3 * (ldexp(1, (int)levels) - 1));
}
