// The graph that scheduling works on: which units of a region must stay in order, because one makes
// what the other reads, or both touch the same register or the same memory; and which values live
// from where to where.
//
// Memory keeps lists of the loads and stores since the last access that stands between all others.
// Stores stay in their order, so that a load need only follow the last store that it may meet, and
// a load that a store follows is done with.
#include "code/sched.h"

#include <assert.h>

// Loads times stores that are compared in one region at most: it ends before they are more.
enum { MAX_COMPARED = 4 << 20 };

// ---- latencies ----------------------------------------------------------------------------------
// Only their proportions matter here: dependent-issue latency of Fermi (18 cycles) for arithmetic;
// loads count for about as much as it takes to have several in flight.
static uint32_t latency_of(const struct minst *m, uint32_t n) {
    switch (m->klass) {
    case OPC_LD_GLOBAL:
    case OPC_LD_GENERIC:
    case OPC_TEX:
    case OPC_SURF:
    case OPC_ATOM_GLOBAL: return 600;
    case OPC_LD_LOCAL: return 200;
    case OPC_LD_SHARED:
    case OPC_ATOM_SHARED:
    case OPC_LD_CONST:
    case OPC_SHFL: return 100;
    case OPC_SFU_RCP:
    case OPC_SFU_TRIG: return 24 * n;
    default: return 18 * n;
    }
}

// ---- what must stay -----------------------------------------------------------------------------
// Spill code may come anywhere, so the stack pointer changes where lowering said.
static bool is_wall(const struct mfunc *f, const struct minst *m) {
    if (mfunc_has_sp(f) && m->dst[0].kind == OPND_GPR && m->dst[0].reg == f->sp_vreg) return true;
    switch (m->op) {
    case OP_BRA:
    case OP_BRX:
    case OP_CALL:
    case OP_CALLI:
    case OP_RET:
    case OP_EXIT:
    case OP_TRAP:
    case OP_BRKPT:
    case OP_SYSCALL:
    case OP_GMMAFENCE: // between these a product's sums belong to the unit that makes them
    case OP_GMMAWAIT:
    case OP_GRIDDEP: // what stands before it may not run beside the other grid, nor what comes after
    case OP_NANOSLEEP: return true;
    case OP_S2R: return (m->flags & MF_VOLATILE) != 0;
    default: return false;
    }
}

struct access {
    bool reads, writes, orders; // orders: stands between all others
};
static struct access access_of(const struct minst *m) {
    const uint8_t flags = mop_info[m->op].flags;
    struct access a = {.reads = flags & OPF_LOAD, .writes = flags & OPF_STORE};
    switch (m->op) {
    case OP_LDC:
    case OP_TEX:
    case OP_TLD4:
    case OP_TXQ: a.reads = false; break;
    case OP_BAR:
    case OP_CBAR:
    case OP_STAS:
    case OP_MEMBAR:
    case OP_CCTL:
    case OP_WARPSYNC:
    case OP_CPCOMMIT:
    case OP_CPWAIT:
    case OP_CPASYNC:
    case OP_SYNCS:
    case OP_PHASECHK:
    case OP_ARRIVES:
    case OP_BULKCP:
    case OP_TMALDG:
    case OP_TMASTG:
    case OP_TMARED:
    case OP_TMAPF:
    case OP_TMACCTL:
    case OP_BULKCOMMIT:
    case OP_BULKWAIT:
    case OP_VIEWFENCE:
    case OP_GMMA:
    case OP_GMMACOMMIT:
    case OP_SULD:
    case OP_SUST:
    case OP_SURED:
    case OP_PREFETCH: a.orders = true; break;
    default: break;
    }
    if (m->op == OP_LD && m->cop == MCOP_NC) a.reads = false;
    if (m->op == OP_LD && (m->space == SPACE_CONST || m->space == SPACE_TEX))
        a.reads = false;
    if ((a.reads || a.writes) && (m->flags & (MF_VOLATILE | MF_ACQUIRE | MF_RELEASE | MF_SC)))
        a.orders = true;
    return a;
}

static uint32_t access_bytes(const struct minst *m) {
    const uint32_t bytes = isa_type_bits(m->type) / 8;
    return (bytes ? bytes : 1) * (m->vec ? m->vec : 1);
}

static bool same_base(const struct opnd *a, const struct opnd *b) {
    if (a->kind != b->kind || a->words != b->words) return false;
    if (a->kind == OPND_NONE) return true;
    return a->kind == OPND_GPR && a->reg == b->reg && a->sub == b->sub;
}

// May two accesses touch the same bytes? `base_same`: their base registers hold the same value.
static bool may_overlap(const struct minst *a, const struct minst *b, bool base_same) {
    if (a->space != b->space && a->space != SPACE_GENERIC && b->space != SPACE_GENERIC)
        return false;
    if (a->space != b->space || !base_same || !same_base(&a->src[0], &b->src[0])) return true;
    if (a->op == OP_ATOM || b->op == OP_ATOM) return true;
    return a->offset < b->offset + (int64_t)access_bytes(b) &&
           b->offset < a->offset + (int64_t)access_bytes(a);
}

// ---- dependences --------------------------------------------------------------------------------
static void add_edge(struct sched_graph *g, uint32_t from, uint32_t to, uint32_t latency) {
    if (from == to) return;
    vec_push(g->arena, &g->edge, ((struct sched_edge){to, latency, g->unit.at[from].succ}));
    g->unit.at[from].succ = (int32_t)g->edge.n - 1;
    g->unit.at[to].waits++;
}

static void new_value(struct sched_graph *g, uint32_t slot, bool enters) {
    g->holds[slot] = g->value.n;
    vec_push(
        g->arena, &g->value,
        ((struct sched_value){.slot = slot, .is_word = slot < g->live->n_words, .enters = enters}));
}
static void touch(struct sched_graph *g, uint32_t slot) {
    if (g->stamp[slot] == g->epoch) return;
    g->stamp[slot] = g->epoch;
    g->writer[slot] = g->readers[slot] = -1;
    new_value(g, slot, slot_set_has(g->enters, slot));
}
// Unit u, the last one of the graph so far, reads or writes what the slot holds.
static struct sched_use *use_value(struct sched_graph *g, struct sched_unit *u, uint32_t slot,
                                   bool writes) {
    const uint32_t v = g->holds[slot];
    uint32_t i = u->use;
    while (i < g->use.n && g->use.at[i].value != v) i++;
    if (i == g->use.n) vec_push(g->arena, &g->use, ((struct sched_use){.value = v}));
    struct sched_use *use = &g->use.at[i];
    g->value.at[v].readers += !writes && !use->reads;
    use->reads |= !writes;
    use->writes |= writes;
    u->n_uses = g->use.n - u->use;
    return use;
}

static const struct minst *op_of(const struct sched_graph *g, uint32_t u) {
    return &g->f->inst.at[g->unit.at[u].first];
}

static void read_slot(struct sched_graph *g, uint32_t u, uint32_t slot) {
    touch(g, slot);
    const int32_t w = g->writer[slot];
    if (w >= 0) add_edge(g, (uint32_t)w, u, latency_of(op_of(g, (uint32_t)w), g->unit.at[w].n));
    vec_push(g->arena, &g->reader, ((struct sched_reader){u, g->readers[slot]}));
    g->readers[slot] = (int32_t)g->reader.n - 1;
    use_value(g, &g->unit.at[u], slot, false);
}

// A guarded write that does not end what the slot held adds to it.
static void write_slot(struct sched_graph *g, uint32_t u, uint32_t slot, bool kills) {
    touch(g, slot);
    if (g->writer[slot] >= 0) add_edge(g, (uint32_t)g->writer[slot], u, 1);
    for (int32_t r = g->readers[slot]; r >= 0; r = g->reader.at[r].next)
        add_edge(g, g->reader.at[r].unit, u, 0);
    g->writer[slot] = (int32_t)u;
    g->readers[slot] = -1;
    if (kills) new_value(g, slot, false);
    struct sched_use *const use = use_value(g, &g->unit.at[u], slot, true);
    use->starts |= kills;
}

// All slots a unit reads, its guard among them.
static uint32_t reads_of(const struct sched_graph *g, const struct minst *m, uint32_t *slot) {
    uint32_t n = live_reads(g->live, m, slot);
    if (m->guard != VPRED_TRUE) slot[n++] = g->live->pred_base + m->guard;
    return n;
}
enum { MAX_SLOTS = LIVE_MAX_READS + 2 };
static_assert((int)MAX_SLOTS > (int)LIVE_MAX_WRITES, "an array of slots holds either");

// Whether units u and, before it, v may touch the same memory. A base has the same value for both
// if no unit has written it since v.
static bool may_meet(const struct sched_graph *g, uint32_t u, uint32_t v) {
    const struct minst *const other = op_of(g, v);
    bool same = other->src[0].kind == OPND_NONE;
    if (other->src[0].kind == OPND_GPR) {
        const uint32_t slot = g->live->word_base[other->src[0].reg] + other->src[0].sub;
        same = g->stamp[slot] != g->epoch || g->writer[slot] < (int32_t)v;
        if (other->src[0].words == 2)
            same &= g->stamp[slot + 1] != g->epoch || g->writer[slot + 1] < (int32_t)v;
    }
    return may_overlap(op_of(g, u), other, same);
}

static void order_memory(struct sched_graph *g, uint32_t u) {
    const struct minst *m = op_of(g, u);
    const struct access a = access_of(m);
    const bool convergent = mop_info[m->op].flags & OPF_CONVERGENT;
    if (!a.reads && !a.writes && !a.orders && !convergent) return;
    if (g->last_between >= 0) add_edge(g, (uint32_t)g->last_between, u, 1);
    if (g->last_convergent >= 0 && (convergent || a.orders))
        add_edge(g, (uint32_t)g->last_convergent, u, 1);
    if (convergent) g->last_convergent = (int32_t)u;
    if (a.orders) {
        for (uint32_t i = 0; i < g->loads.n; i++) add_edge(g, g->loads.at[i], u, 1);
        if (g->stores.n) add_edge(g, g->stores.at[g->stores.n - 1], u, 1);
        g->loads.n = g->stores.n = 0;
        g->last_between = (int32_t)u;
        return;
    }
    if (a.reads) // stores stay in their order: the last one that it may meet stands for all
        for (uint32_t i = g->stores.n; i-- > 0;)
            if (may_meet(g, u, g->stores.at[i])) {
                add_edge(g, g->stores.at[i], u, 1);
                break;
            }
    if (a.writes) {
        if (g->stores.n) add_edge(g, g->stores.at[g->stores.n - 1], u, 1);
        uint32_t kept = 0;
        for (uint32_t i = 0; i < g->loads.n; i++) {
            if (may_meet(g, u, g->loads.at[i]))
                add_edge(g, g->loads.at[i], u, 1);
            else
                g->loads.at[kept++] = g->loads.at[i];
        }
        g->loads.n = kept;
        vec_push(g->arena, &g->stores, u);
    }
    if (a.reads) vec_push(g->arena, &g->loads, u);
}

static void note_most(struct sched_graph *g, const struct slot_set *now) {
    uint32_t words = 0, preds = 0;
    for (uint32_t j = 0; j < now->n; j++) {
        words += now->dense[j] < g->live->n_words;
        preds += now->dense[j] >= g->live->pred_base && now->dense[j] < g->live->pred_end;
    }
    if (words > g->most.words) g->most.words = words;
    if (preds > g->most.preds) g->most.preds = preds;
}

static void make_edges(struct sched_graph *g) {
    uint32_t slot[MAX_SLOTS];
    for (uint32_t u = 0; u < g->unit.n; u++) {
        struct sched_unit *const unit = &g->unit.at[u];
        const struct minst *m = op_of(g, u);
        unit->use = g->use.n;
        unit->n_uses = 0;
        const uint32_t n = reads_of(g, m, slot);
        for (uint32_t i = 0; i < n; i++) read_slot(g, u, slot[i]);
        order_memory(g, u);
        for (unsigned which = 0; which < MINST_DSTS; which++) {
            const bool kills = g->live->kills[unit->first] >> which & 1;
            const uint32_t n_written = live_writes(g->live, m, which, slot);
            for (uint32_t i = 0; i < n_written; i++) write_slot(g, u, slot[i], kills);
        }
    }
}

void sched_build(struct sched_graph *g, uint32_t first, uint32_t end, struct slot_set *now) {
    const uint32_t n_behind = now->n;
    uint32_t *const behind = arena_copy(g->arena, now->dense, n_behind * sizeof *behind);
    for (uint32_t i = 0; i < n_behind; i++) g->live_after[behind[i]] = true;
    g->most = (struct live_pressure){0};
    note_most(g, now);
    for (uint32_t i = end; i-- > first;) {
        live_step_back(g->live, i, now);
        note_most(g, now);
    }
    g->epoch++;
    g->enters = now;
    g->edge.n = g->reader.n = g->value.n = g->use.n = g->loads.n = g->stores.n = 0;
    g->last_between = g->last_convergent = -1;
    make_edges(g);
    for (uint32_t v = 0; v < g->value.n; v++) {
        const uint32_t at = g->value.at[v].slot;
        g->value.at[v].stays = g->holds[at] == v && g->live_after[at];
    }
    for (uint32_t i = 0; i < n_behind; i++) g->live_after[behind[i]] = false;
}

void sched_heights(struct sched_graph *g) {
    for (uint32_t u = g->unit.n; u-- > 0;) {
        struct sched_unit *const unit = &g->unit.at[u];
        unit->height = 0;
        for (int32_t e = unit->succ; e >= 0; e = g->edge.at[e].next) {
            const uint32_t h = g->unit.at[g->edge.at[e].to].height + g->edge.at[e].latency;
            if (h > unit->height) unit->height = h;
        }
    }
}

// ---- regions ------------------------------------------------------------------------------------
void sched_graph_init(struct sched_graph *g, struct mfunc *f, struct arena *a,
                      const struct live *l) {
    *g = (struct sched_graph){.f = f, .arena = a, .live = l};
    const size_t n = (size_t)l->n_slots + 1;
    g->stamp = arena_alloc(a, n * sizeof *g->stamp);
    g->writer = arena_alloc(a, n * sizeof *g->writer);
    g->readers = arena_alloc(a, n * sizeof *g->readers);
    g->holds = arena_alloc(a, n * sizeof *g->holds);
    g->live_after = arena_alloc(a, n * sizeof *g->live_after);
}

// Where the unit begins whose last instruction stands before `end`.
static uint32_t unit_start(const struct sched_graph *g, uint32_t block_first, uint32_t end) {
    uint32_t start = end - 1;
    while (start > block_first && minst_is_filler(&g->f->inst.at[start])) start--;
    return start;
}
// Fillers at a block's start have no operation before them and stay too.
static bool stays_there(const struct sched_graph *g, uint32_t start) {
    const struct minst *const m = &g->f->inst.at[start];
    return is_wall(g->f, m) || minst_is_filler(m);
}

uint32_t sched_gather(struct sched_graph *g, uint32_t block_first, uint32_t end, uint32_t most) {
    uint32_t first = end;
    uint64_t loads = 0, stores = 0;
    g->unit.n = 0;
    while (first > block_first && g->unit.n < most && loads * stores < MAX_COMPARED) {
        const uint32_t start = unit_start(g, block_first, first);
        if (stays_there(g, start)) break;
        const struct access a = access_of(&g->f->inst.at[start]);
        loads += a.reads;
        stores += a.writes;
        vec_push(g->arena, &g->unit,
                 ((struct sched_unit){.first = start, .n = first - start, .succ = -1}));
        first = start;
    }
    for (uint32_t i = 0; i < g->unit.n / 2; i++) {
        const struct sched_unit t = g->unit.at[i];
        g->unit.at[i] = g->unit.at[g->unit.n - 1 - i];
        g->unit.at[g->unit.n - 1 - i] = t;
    }
    return first;
}

uint32_t sched_skip_walls(const struct sched_graph *g, uint32_t block_first, uint32_t end,
                          struct slot_set *now) {
    while (end > block_first) {
        const uint32_t start = unit_start(g, block_first, end);
        if (!stays_there(g, start)) break;
        while (end > start) live_step_back(g->live, --end, now);
    }
    return end;
}

void sched_rearrange(struct sched_graph *g, uint32_t first, const uint32_t *order) {
    uint32_t n = 0, at = first;
    for (uint32_t i = 0; i < g->unit.n; i++) n += g->unit.at[i].n;
    struct minst *const was = arena_copy(g->arena, g->f->inst.at + first, n * sizeof *was);
    for (uint32_t i = 0; i < g->unit.n; i++) {
        const struct sched_unit *const u = &g->unit.at[order[i]];
        memcpy(g->f->inst.at + at, was + (u->first - first), u->n * sizeof *was);
        at += u->n;
    }
}
