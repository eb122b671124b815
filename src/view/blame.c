// Who caused each joule (see view.h). A launch's dynamic energy is a sum over counters; blame.def
// says by what each counter's part is shared out among the instructions. What the regulator loses
// and techniques cost goes with the rest, so that the parts add up to the launch's energy.
#include "isa/op_class.h"
#include "view/view.h"

#include <math.h>

enum rule {
    RULE_ISSUES,
    RULE_CLASS,
    RULE_READS,
    RULE_WRITES,
    RULE_BRANCHES,
    RULE_ADDRESSES,
    RULE_GLOBAL,
    RULE_BEYOND,
    RULE_DRAM_IN,
    RULE_DRAM_OUT,
    RULE_DRAM,
    RULE_SHARED,
    RULE_CONST,
    RULE_TEX,
    RULE_SHUFFLES,
    RULE_UNIFORM,
    RULE_SLOTS,
    RULE_NOBODY,
    RULES
};

// The rows of blame.def by the numbers of their counters.
enum {
    CAUSES = 0
#define CAUSE(first, last, rule) +1
#include "view/blame.def"
#undef CAUSE
};
struct causes {
    struct cause {
        uint32_t first, last;
        enum rule rule;
    } at[CAUSES];
    uint32_t warp_by_class, thread_by_class, product_columns;
};

static struct causes causes_look_up(void) {
    return (struct causes){
        .at = {
#define CAUSE(first, last, rule) {act_number(#first), act_last(#last), RULE_##rule},
#include "view/blame.def"
#undef CAUSE
        },
        .warp_by_class = act_number("warp_by_class"),
        .thread_by_class = act_number("thread_by_class"),
        .product_columns = act_number("product_columns")};
}

static enum rule rule_of(const struct causes *c, uint32_t act) {
    for (size_t i = 0; i < CAUSES; i++)
        if (act >= c->at[i].first && act <= c->at[i].last) return c->at[i].rule;
    return RULE_ISSUES;
}

// ---- a launch's instructions ------------------------------------------------------------------
// What a launch says of one instruction, for the rules.
struct count {
    uint64_t issues, lanes, slots;
    struct sm_inst_memory memory;
};

static bool is_global(uint8_t klass) {
    switch (klass) {
    case OPC_LD_GLOBAL:
    case OPC_ST_GLOBAL:
    case OPC_LD_LOCAL:
    case OPC_ST_LOCAL:
    case OPC_LD_GENERIC:
    case OPC_ST_GENERIC:
    case OPC_ATOM_GLOBAL:
    case OPC_SURF:
    case OPC_TEX: return true;
    default: return false;
    }
}

static bool is_writing(uint8_t klass) {
    return klass == OPC_ST_GLOBAL || klass == OPC_ST_LOCAL || klass == OPC_ST_GENERIC ||
           klass == OPC_ATOM_GLOBAL || klass == OPC_SURF;
}

static bool is_shared(uint8_t klass) {
    return klass == OPC_LD_SHARED || klass == OPC_ST_SHARED || klass == OPC_ATOM_SHARED ||
           klass == OPC_MBARRIER;
}

static double weight(enum rule rule, const struct view_inst *i, const struct count *n) {
    switch (rule) {
    case RULE_ISSUES: return (double)n->issues;
    case RULE_READS: return (double)n->issues * i->reads;
    case RULE_WRITES: return (double)n->issues * i->writes;
    case RULE_BRANCHES: return i->klass == OPC_CTRL ? (double)n->issues : 0;
    case RULE_ADDRESSES:
        return op_class_unit[i->klass] == UNIT_LDST || i->klass == OPC_TEX ? (double)n->lanes : 0;
    case RULE_GLOBAL: return is_global(i->klass) ? (double)n->memory.transactions : 0;
    case RULE_BEYOND: return (double)n->memory.request_bytes;
    case RULE_DRAM_IN: return (double)n->memory.dram_bytes;
    case RULE_DRAM_OUT: return is_writing(i->klass) ? (double)n->memory.request_bytes : 0;
    case RULE_DRAM:
        return weight(RULE_DRAM_IN, i, n) + weight(RULE_DRAM_OUT, i, n);
    case RULE_SHARED: return (double)n->memory.passes;
    case RULE_CONST:
        return i->klass == OPC_LD_CONST || strstr(i->text, "c[0x") ? (double)n->issues : 0;
    case RULE_TEX: return i->klass == OPC_TEX ? (double)n->lanes : 0;
    case RULE_UNIFORM: return strstr(i->text, "UR") ? (double)n->issues : 0;
    case RULE_SHUFFLES: return i->klass == OPC_SHFL ? (double)n->issues : 0;
    case RULE_SLOTS: return (double)n->slots;
    default: return 0;
    }
}

// Energies of a launch by rule; those of RULE_CLASS by class.
struct parts {
    double rule_j[RULES], class_j[OPC_N], all_j;
};

// The operation class that a counter of classes counts.
static uint32_t class_of(const struct causes *c, uint32_t act) {
    if (act >= c->product_columns && act < c->product_columns + ACT_PRODUCT_CLASSES)
        return act - c->product_columns + OPC_GMMA_16;
    return act - (act < c->thread_by_class ? c->warp_by_class : c->thread_by_class);
}

static void add_parts(const struct causes *c, const struct power_tree *t, const struct activity *a,
                      struct parts *p) {
    *p = (struct parts){.all_j = 0};
    for (int e = 0; e < t->events; e++) {
        const struct power_event *v = &t->event[e];
        if (v->is_static) continue;
        for (uint32_t k = 0; k < v->n; k++) {
            const double j = v->energy_j * power_data_factor(&v->data, a) * (double)a->c[v->act + k];
            const enum rule r = rule_of(c, v->act + k);
            p->all_j += j;
            if (r != RULE_CLASS)
                p->rule_j[r] += j;
            else
                p->class_j[class_of(c, v->act + k)] += j;
        }
    }
}

// Shares `j` out in proportion to weights; false when all are 0.
static bool share(struct view_code *c, const struct count *n, enum rule rule, double j) {
    double sum = 0;
    for (uint32_t i = 0; i < c->n; i++) sum += weight(rule, &c->inst[i], &n[i]);
    for (uint32_t i = 0; sum > 0 && i < c->n; i++)
        c->inst[i].dynamic_j += j * weight(rule, &c->inst[i], &n[i]) / sum;
    return sum > 0;
}

static bool share_class(struct view_code *c, const struct count *n, uint32_t klass, double j) {
    double sum = 0;
    for (uint32_t i = 0; i < c->n; i++)
        if (c->inst[i].klass == klass) sum += (double)n[i].lanes;
    for (uint32_t i = 0; sum > 0 && i < c->n; i++)
        if (c->inst[i].klass == klass) c->inst[i].dynamic_j += j * (double)n[i].lanes / sum;
    return sum > 0;
}

// Issue slots of a launch that no instruction owns, over all slots of the chip, in each of which
// the same static energy flows.
static double idle_share(const struct activity *a, const struct gpu_config *g, double owned) {
    double slots = 0;
    for (uint32_t s = 0; s < STALL_N; s++)
        if (s != STALL_dual) slots += (double)act_at(a, "issue_slots", s);
    slots += act_real(a, "sm_idle_cycles") * gpu_config_real(g, "sm.schedulers");
    return slots > 0 ? fmax(0, 1 - owned / slots) : 1;
}

static void blame_launch(const struct causes *by, struct view_code *c, const struct count *n,
                         const struct activity *a, const struct power_usage *u,
                         const struct view_input *in) {
    struct parts p;
    add_parts(by, in->power->tree, a, &p);
    const double dynamic = u->all_dynamic_j[0], scale = p.all_j > 0 ? dynamic / p.all_j : 0;
    double owned = 0, left = p.all_j > 0 ? 0 : dynamic;
    for (uint32_t i = 0; i < c->n; i++) owned += (double)n[i].slots;
    const double idle = idle_share(a, in->gpu, owned);
    for (int r = 0; r < RULES; r++) {
        double j = scale * p.rule_j[r];
        if (r == RULE_NOBODY || r == RULE_SLOTS) {
            const double nobody = r == RULE_NOBODY ? j : j * idle;
            c->idle_j += nobody;
            j -= nobody;
        }
        if (j != 0 && !share(c, n, (enum rule)r, j)) left += j;
    }
    for (uint32_t k = 0; k < OPC_N; k++)
        if (p.class_j[k] > 0 && !share_class(c, n, k, scale * p.class_j[k]))
            left += scale * p.class_j[k];
    if (left != 0 && !share(c, n, RULE_ISSUES, left)) c->idle_j += left;
    const double still = u->all_static_j[0];
    for (uint32_t i = 0; owned > 0 && i < c->n; i++)
        c->inst[i].static_j += still * (1 - idle) * (double)n[i].slots / owned;
    c->idle_j += owned > 0 ? still * idle : still;
    c->dynamic_j += dynamic;
    c->static_j += still;
}

// ---- codes ------------------------------------------------------------------------------------
static uint64_t number(const json_t *o, const char *key) {
    return (uint64_t)json_integer_value(json_object_get(o, key));
}

static const json_t *source_of(const struct run *r, const json_t *launch) {
    const json_t *const id = json_object_get(launch, "code");
    size_t i;
    json_t *c;
    json_array_foreach(r->codes, i, c) if (id && json_equal(id, json_object_get(c, "id"))) return c;
    return NULL;
}

static struct view_code *code_of(struct arena *a, struct view_codes *all, uint32_t *room,
                                 const struct run *run, const json_t *launch) {
    const json_t *const source = source_of(run, launch), *const list = json_object_get(
                                                             source, "instructions");
    if (!list) return NULL;
    for (uint32_t i = 0; i < all->n; i++)
        if (all->at[i].source == source) return &all->at[i];
    if (all->n == *room) return NULL;
    struct view_code *c = &all->at[all->n++];
    *c = (struct view_code){.kernel = json_string_value(json_object_get(source, "kernel")),
                            .module = json_string_value(json_object_get(source, "module")),
                            .source = source,
                            .n = (uint32_t)json_array_size(list)};
    c->inst = arena_alloc(a, (c->n + 1) * sizeof *c->inst);
    memset(c->inst, 0, (c->n + 1) * sizeof *c->inst);
    for (uint32_t i = 0; i < c->n; i++) {
        const json_t *row = json_array_get(list, i);
        struct view_inst *v = &c->inst[i];
        v->pc = i;
        v->text = json_string_value(json_object_get(row, "text"));
        if (!v->text) v->text = "";
        v->ptx_line = (uint32_t)number(row, "ptx_line");
        v->src_line = (uint32_t)number(row, "src_line");
        v->src_file = (uint32_t)number(row, "src_file");
        v->klass = (uint8_t)number(row, "class");
        if (v->klass >= OPC_N) v->klass = OPC_CTRL;
        v->reads = (uint8_t)number(row, "reads");
        // records of before do not say it: addresses of 64 bits
        v->address = json_object_get(row, "address") ? (uint8_t)number(row, "address") : 2;
        v->writes = (uint8_t)number(row, "writes");
    }
    return c;
}

static void read_memory(const json_t *o, struct sm_inst_memory *m) {
#define INST_MEMORY(name, unit, prose) m->name = number(o, #name);
#include "sm/inst_memory.def"
#undef INST_MEMORY
}

static void add_memory(struct sm_inst_memory *sum, const struct sm_inst_memory *m) {
#define INST_MEMORY(name, unit, prose) sum->name += m->name;
#include "sm/inst_memory.def"
#undef INST_MEMORY
}

// Weights where a record has no counts of memory by instruction.
static void guess_memory(uint8_t klass, struct count *n) {
    if (is_global(klass))
        n->memory.transactions = n->memory.request_bytes = n->memory.dram_bytes = n->lanes;
    if (is_shared(klass)) n->memory.passes = n->issues;
}

static void count_launch(struct view_code *c, const json_t *list, struct count *n) {
    bool has_memory = false;
    memset(n, 0, c->n * sizeof *n);
    size_t i;
    json_t *row;
    json_array_foreach(list, i, row) {
        const uint64_t pc = number(row, "pc");
        if (pc >= c->n) continue;
        struct view_inst *v = &c->inst[pc];
        struct count *k = &n[pc];
        k->issues = number(row, "issues");
        k->lanes = number(row, "lanes");
        read_memory(json_object_get(row, "memory"), &k->memory);
        has_memory = has_memory || json_object_get(row, "memory");
        k->slots = k->issues;
        const char *name;
        json_t *value;
        json_object_foreach(json_object_get(row, "stalls"), name, value) {
            for (uint32_t s = 0; s < STALL_N; s++) {
                if (strcmp(stall_text((enum stall_reason)s), name) != 0) continue;
                const uint64_t slots = (uint64_t)json_integer_value(value);
                v->stall[s] += slots;
                if (s != STALL_issued && s != STALL_dual) k->slots += slots;
            }
        }
        v->issues += k->issues;
        v->lanes += k->lanes;
    }
    for (uint32_t pc = 0; pc < c->n; pc++) {
        add_memory(&c->inst[pc].memory, &n[pc].memory);
        if (!has_memory) guess_memory(c->inst[pc].klass, &n[pc]);
    }
}

// The account's row of a launch: both stand in the order of the record.
static const struct account_kernel *usage_of(const struct account *a, uint64_t id, uint32_t *at) {
    while (a && *at < a->n && a->kernel[*at].kernel->launch != id) ++*at;
    return a && *at < a->n ? &a->kernel[*at] : NULL;
}

struct view_codes blame_run(struct arena *a, const struct view_input *in) {
    const uint32_t most = (uint32_t)json_array_size(in->run->codes);
    struct view_codes all = {.at = arena_alloc(a, (most + 1) * sizeof *all.at)};
    const struct causes by = causes_look_up();
    uint32_t room = most, at = 0;
    size_t i;
    json_t *l;
    json_array_foreach(in->run->launches, i, l) {
        const struct account_kernel *k = usage_of(in->power, number(l, "id"), &at);
        const json_t *const list = json_object_get(l, "instructions");
        struct view_code *c = list ? code_of(a, &all, &room, in->run, l) : NULL;
        if (!c) {
            if (k) all.uncounted_j += k->usage.energy_j;
            continue;
        }
        struct count *n = arena_alloc(a, (c->n + 1) * sizeof *n);
        count_launch(c, list, n);
        c->launches += run_launches(l);
        c->seconds += json_number_value(json_object_get(l, "seconds"));
        if (k && k->usage.seconds > 0) blame_launch(&by, c, n, &k->kernel->activity, &k->usage, in);
    }
    return all;
}
