// A list scheduler for basic blocks: what starts a long chain goes first, loads above all, as long
// as registers last. It is what the machines' assemblers do, and what lets a warp have several
// loads in flight.
//
// Units are operations with their fillers. A region is a stretch of a block without anything that
// must stay where it is (calls, exits, clock reads, system calls) and at most REGION units long,
// which bounds both the work and how far a value can be pulled up. Within it the unit with the
// longest chain of latencies behind it goes first; when the registers in use reach the limit, the
// one that frees most. What is in use is known exactly: a register that is written again later is
// free between the last read of the old value and the write of the new one.
//
// The choice does not look ahead, so a region may end up above the limit all the same. It is tried
// again with a limit lower by the excess, a few times, and then with a window: a unit may overtake
// 31, 15, 7, 3 or at last one unit that stood before it. With no window left it stays as it was.
#include "code/opt.h"

#include <assert.h>

enum { REGION = 256, WHOLE_TRIES = 4, FIRST_WINDOW = 32 };

// Registers that scheduling may fill: so many in any case, and so many more than the code needs
// anyway. Fitted to ptxas 13's counts for the same kernels (docs/registers.md); a target may say
// what else its compiler did.
enum { FREE_WORDS = 40, MORE_WORDS = 20, KEEP_CLEAR = 6 };

// What is within about one arithmetic latency of the longest chain may as well go first when it
// frees a register.
enum { NEAR_HEIGHT = 20 };

struct unit {
    uint32_t first, n; // instructions
    uint32_t waits;    // predecessors
    int32_t succ;      // first edge
    uint32_t height;
    uint32_t use, n_uses; // of values
};
// What a slot holds from one write of it to the next: a slot is free between a value's last read
// and the next value's write.
struct value {
    uint32_t slot;
    uint32_t readers; // units of the region that read it
    bool is_word;     // of a register, not a predicate or the carry
    bool enters;      // live at the region's start
    bool stays;       // live at its end
};
struct use {
    uint32_t value;
    bool reads, writes;
};
struct edge {
    uint32_t to, latency;
    int32_t next;
};

struct scheduler {
    struct mfunc *f;
    struct arena *arena;
    struct live *live;
    uint32_t limit;
    struct unit unit[REGION];
    uint32_t n;
    VEC(struct edge) edge;
    VEC(struct value) value;
    VEC(struct use) use;
    // per slot, valid when stamp == epoch
    uint32_t *stamp, epoch;
    int32_t *writer;               // last unit that wrote the slot
    int32_t *readers;              // list of units that read it since
    uint32_t *holds;               // its value
    const struct slot_set *enters; // what is live at the region's start
    bool *live_after;              // a slot: live behind the region
    VEC(struct reader {
        uint32_t unit;
        int32_t next;
    })
    reader;
    uint32_t memory[REGION], n_memory;
    // of one try
    uint32_t order[REGION];
    uint32_t waits[REGION]; // predecessors not yet placed
    uint32_t *left;         // a value's readers not yet placed
    bool *is_live;          // a value
    struct minst *copy;     // of the region's instructions
};

// ---- latencies ------------------------------------------------------------------------------
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
    case OP_MEMBAR:
    case OP_WARPSYNC:
    case OP_CPCOMMIT:
    case OP_CPWAIT:
    case OP_CPASYNC:
    case OP_SULD:
    case OP_SUST:
    case OP_SURED:
    case OP_PREFETCH: a.orders = true; break;
    default: break;
    }
    if (m->op == OP_LD && m->cop == MCOP_NC) a.reads = false;
    if (m->op == OP_LD && (m->space == PTX_SPACE_CONST || m->space == PTX_SPACE_TEX))
        a.reads = false;
    if ((a.reads || a.writes) && (m->flags & (MF_VOLATILE | MF_ACQUIRE | MF_RELEASE | MF_SC)))
        a.orders = true;
    return a;
}

static uint32_t access_bytes(const struct minst *m) {
    const uint32_t bytes = ptx_type_bits(m->type) / 8;
    return (bytes ? bytes : 1) * (m->vec ? m->vec : 1);
}

static bool same_base(const struct opnd *a, const struct opnd *b) {
    if (a->kind != b->kind || a->words != b->words) return false;
    if (a->kind == OPND_NONE) return true;
    return a->kind == OPND_GPR && a->reg == b->reg && a->sub == b->sub;
}

// May two accesses touch the same bytes? `base_same`: their base registers hold the same value.
static bool may_overlap(const struct minst *a, const struct minst *b, bool base_same) {
    if (a->space != b->space && a->space != PTX_SPACE_NONE && b->space != PTX_SPACE_NONE)
        return false;
    if (a->space != b->space || !base_same || !same_base(&a->src[0], &b->src[0])) return true;
    if (a->op == OP_ATOM || b->op == OP_ATOM) return true;
    return a->offset < b->offset + (int64_t)access_bytes(b) &&
           b->offset < a->offset + (int64_t)access_bytes(a);
}

// ---- dependences --------------------------------------------------------------------------------
static void add_edge(struct scheduler *s, uint32_t from, uint32_t to, uint32_t latency) {
    if (from == to) return;
    vec_push(s->arena, &s->edge, ((struct edge){to, latency, s->unit[from].succ}));
    s->unit[from].succ = (int32_t)s->edge.n - 1;
    s->unit[to].waits++;
}

static void new_value(struct scheduler *s, uint32_t slot, bool enters) {
    s->holds[slot] = s->value.n;
    vec_push(s->arena, &s->value,
             ((struct value){.slot = slot, .is_word = slot < s->live->n_words, .enters = enters}));
}
static void touch(struct scheduler *s, uint32_t slot) {
    if (s->stamp[slot] == s->epoch) return;
    s->stamp[slot] = s->epoch;
    s->writer[slot] = s->readers[slot] = -1;
    new_value(s, slot, slot_set_has(s->enters, slot));
}
// Unit u, the last one of the graph so far, reads or writes what the slot holds.
static void use_value(struct scheduler *s, struct unit *u, uint32_t slot, bool writes) {
    const uint32_t v = s->holds[slot];
    uint32_t i = u->use;
    while (i < s->use.n && s->use.at[i].value != v) i++;
    if (i == s->use.n) vec_push(s->arena, &s->use, ((struct use){.value = v}));
    struct use *use = &s->use.at[i];
    s->value.at[v].readers += !writes && !use->reads;
    use->reads |= !writes;
    use->writes |= writes;
    u->n_uses = s->use.n - u->use;
}

static const struct minst *op_of(const struct scheduler *s, uint32_t u) {
    return &s->f->inst.at[s->unit[u].first];
}

static void read_slot(struct scheduler *s, uint32_t u, uint32_t slot) {
    touch(s, slot);
    const int32_t w = s->writer[slot];
    if (w >= 0) add_edge(s, (uint32_t)w, u, latency_of(op_of(s, (uint32_t)w), s->unit[w].n));
    vec_push(s->arena, &s->reader, ((struct reader){u, s->readers[slot]}));
    s->readers[slot] = (int32_t)s->reader.n - 1;
    use_value(s, &s->unit[u], slot, false);
}

// A guarded write that does not end what the slot held adds to it.
static void write_slot(struct scheduler *s, uint32_t u, uint32_t slot, bool kills) {
    touch(s, slot);
    if (s->writer[slot] >= 0) add_edge(s, (uint32_t)s->writer[slot], u, 1);
    for (int32_t r = s->readers[slot]; r >= 0; r = s->reader.at[r].next)
        add_edge(s, s->reader.at[r].unit, u, 0);
    s->writer[slot] = (int32_t)u;
    s->readers[slot] = -1;
    if (kills) new_value(s, slot, false);
    use_value(s, &s->unit[u], slot, true);
}

// All slots a unit reads, its guard among them.
static uint32_t reads_of(const struct scheduler *s, const struct minst *m, uint32_t *slot) {
    uint32_t n = live_reads(s->live, m, slot);
    if (m->guard != VPRED_TRUE) slot[n++] = s->live->pred_base + m->guard;
    return n;
}
enum { MAX_SLOTS = LIVE_MAX_READS + 2 };
static_assert((int)MAX_SLOTS > (int)LIVE_MAX_WRITES, "an array of slots holds either");

static void order_memory(struct scheduler *s, uint32_t u) {
    const struct minst *m = op_of(s, u);
    const struct access a = access_of(m);
    const bool side = mop_info[m->op].flags & OPF_CONVERGENT;
    if (!a.reads && !a.writes && !a.orders && !side) return;
    for (uint32_t i = 0; i < s->n_memory; i++) {
        const uint32_t v = s->memory[i];
        const struct minst *other = op_of(s, v);
        const struct access b = access_of(other);
        const bool other_side = mop_info[other->op].flags & OPF_CONVERGENT;
        // stores stay in their order (OPF_SIDE), loads go around those that they cannot meet
        bool depends = (side && other_side) || a.orders || b.orders || (a.writes && b.writes);
        if (!depends && ((a.writes && b.reads) || (b.writes && a.reads))) {
            // the base has the same value when nobody has written it since
            bool same = other->src[0].kind == OPND_NONE;
            if (other->src[0].kind == OPND_GPR) {
                const uint32_t slot = s->live->word_base[other->src[0].reg] + other->src[0].sub;
                same = s->stamp[slot] != s->epoch || s->writer[slot] < (int32_t)v;
                if (other->src[0].words == 2)
                    same &= s->stamp[slot + 1] != s->epoch || s->writer[slot + 1] < (int32_t)v;
            }
            depends = may_overlap(m, other, same);
        }
        if (depends) add_edge(s, v, u, 1);
    }
    s->memory[s->n_memory++] = u;
}

// `enters`: what is live at the region's start.
static void build_graph(struct scheduler *s, const struct slot_set *enters) {
    uint32_t slot[MAX_SLOTS];
    s->epoch++;
    s->enters = enters;
    s->edge.n = s->reader.n = s->value.n = s->use.n = 0;
    s->n_memory = 0;
    for (uint32_t u = 0; u < s->n; u++) {
        s->unit[u].succ = -1;
        s->unit[u].waits = s->unit[u].height = 0;
    }
    for (uint32_t u = 0; u < s->n; u++) {
        const struct minst *m = op_of(s, u);
        s->unit[u].use = s->use.n;
        s->unit[u].n_uses = 0;
        const uint32_t n = reads_of(s, m, slot);
        for (uint32_t i = 0; i < n; i++) read_slot(s, u, slot[i]);
        order_memory(s, u);
        for (unsigned which = 0; which < 3; which++) {
            const bool kills = s->live->kills[s->unit[u].first] >> which & 1;
            const uint32_t n_written = live_writes(s->live, m, which, slot);
            for (uint32_t i = 0; i < n_written; i++) write_slot(s, u, slot[i], kills);
        }
    }
    for (uint32_t v = 0; v < s->value.n; v++) {
        const uint32_t at = s->value.at[v].slot;
        s->value.at[v].stays = s->holds[at] == v && s->live_after[at];
    }
    for (uint32_t u = s->n; u-- > 0;)
        for (int32_t e = s->unit[u].succ; e >= 0; e = s->edge.at[e].next) {
            const uint32_t h = s->unit[s->edge.at[e].to].height + s->edge.at[e].latency;
            if (h > s->unit[u].height) s->unit[u].height = h;
        }
}

// ---- choice ---------------------------------------------------------------------------------
// Whether a value is in its register once a unit has used it.
static bool is_live_after(const struct scheduler *s, const struct use *u) {
    const struct value *v = &s->value.at[u->value];
    const uint32_t left = s->left[u->value] - u->reads;
    return (s->is_live[u->value] || u->writes) && (left || v->stays);
}
// Change of the words in registers if the unit came next.
static int32_t pressure_change(const struct scheduler *s, uint32_t unit) {
    int32_t change = 0;
    const struct use *u = s->use.at + s->unit[unit].use;
    for (uint32_t i = 0; i < s->unit[unit].n_uses; i++, u++)
        if (s->value.at[u->value].is_word) change += is_live_after(s, u) - s->is_live[u->value];
    return change;
}
static int32_t place(struct scheduler *s, uint32_t unit) {
    const int32_t change = pressure_change(s, unit);
    const struct use *u = s->use.at + s->unit[unit].use;
    for (uint32_t i = 0; i < s->unit[unit].n_uses; i++, u++) {
        s->is_live[u->value] = is_live_after(s, u);
        s->left[u->value] -= u->reads;
    }
    return change;
}

// Among the ready units the one that changes the pressure least; with `near`, only one that frees a
// register and is about as high as `best`, which else stays.
static uint32_t frees_most(struct scheduler *s, const uint32_t *ready, uint32_t n_ready,
                           uint32_t best, uint32_t end, bool near) {
    const uint32_t height = s->unit[ready[best]].height;
    int32_t least = INT32_MAX;
    for (uint32_t i = 0; i < n_ready; i++) {
        if (ready[i] >= end || (near && s->unit[ready[i]].height + NEAR_HEIGHT < height)) continue;
        const int32_t change = pressure_change(s, ready[i]);
        if (near && change >= 0) continue;
        if (change < least || (change == least && ready[i] < ready[best])) {
            least = change;
            best = i;
        }
    }
    return best;
}

// Of the ready units those may go next that are less than `window` units of the old order behind
// the first one not yet placed, which is always ready.
static uint32_t choose(struct scheduler *s, const uint32_t *ready, uint32_t n_ready, int32_t room,
                       uint32_t window) {
    uint32_t first = 0;
    for (uint32_t i = 1; i < n_ready; i++)
        if (ready[i] < ready[first]) first = i;
    const uint32_t end = ready[first] + window;
    uint32_t best = first;
    for (uint32_t i = 0; i < n_ready; i++) {
        const struct unit *a = &s->unit[ready[i]], *b = &s->unit[ready[best]];
        if (ready[i] >= end) continue;
        if (a->height > b->height || (a->height == b->height && ready[i] < ready[best])) best = i;
    }
    const int32_t needs = pressure_change(s, ready[best]);
    if (needs <= 0) return best;
    return frees_most(s, ready, n_ready, best, end, needs <= room);
}

// Fills s->order, keeping to `limit` where it can and to a window (see choose); answers the most
// words in use.
static int32_t list_schedule(struct scheduler *s, int32_t pressure, int32_t limit,
                             uint32_t window) {
    uint32_t ready[REGION], n_ready = 0, placed = 0;
    int32_t most = pressure;
    for (uint32_t v = 0; v < s->value.n; v++) {
        s->left[v] = s->value.at[v].readers;
        s->is_live[v] = s->value.at[v].enters;
    }
    for (uint32_t u = 0; u < s->n; u++) {
        s->waits[u] = s->unit[u].waits;
        if (!s->waits[u]) ready[n_ready++] = u;
    }
    while (n_ready) {
        const uint32_t i = choose(s, ready, n_ready, limit - pressure, window);
        const uint32_t u = ready[i];
        ready[i] = ready[--n_ready];
        s->order[placed++] = u;
        pressure += place(s, u);
        if (pressure > most) most = pressure;
        for (int32_t e = s->unit[u].succ; e >= 0; e = s->edge.at[e].next)
            if (--s->waits[s->edge.at[e].to] == 0) ready[n_ready++] = s->edge.at[e].to;
    }
    return most;
}

// Fills s->order with one that never has more than `allowed` words in use; false: none was found.
static bool find_order(struct scheduler *s, int32_t pressure, int32_t allowed) {
    int32_t limit = (int32_t)s->limit;
    for (unsigned tries = 0; tries < WHOLE_TRIES; tries++) {
        const int32_t most = list_schedule(s, pressure, limit, REGION);
        if (most <= allowed) return true;
        limit -= most - allowed;
    }
    for (uint32_t window = FIRST_WINDOW; window > 1; window /= 2)
        if (list_schedule(s, pressure, allowed, window) <= allowed) return true;
    return false;
}

// ---- regions --------------------------------------------------------------------------------
static void rearrange(struct scheduler *s, uint32_t first, uint32_t n) {
    memcpy(s->copy, s->f->inst.at + first, n * sizeof *s->copy);
    uint32_t at = first;
    for (uint32_t i = 0; i < s->n; i++) {
        const struct unit *u = &s->unit[s->order[i]];
        memcpy(s->f->inst.at + at, s->copy + (u->first - first), u->n * sizeof *s->copy);
        at += u->n;
    }
}

// Schedules the units over instructions [first, end); `now` holds what is live behind them and is
// stepped back over the region in its old order.
static void schedule_region(struct scheduler *s, uint32_t first, uint32_t end,
                            struct slot_set *now) {
    struct slot_set *after = now;
    for (uint32_t i = 0; i < after->n; i++) s->live_after[after->dense[i]] = true;
    uint32_t *const was = arena_copy(s->arena, after->dense, after->n * sizeof *was);
    const uint32_t n_was = after->n;
    int32_t before_most = 0;
    for (uint32_t j = 0; j < n_was; j++) before_most += was[j] < s->live->n_words;
    for (uint32_t i = end; i-- > first;) {
        live_step_back(s->live, i, now);
        int32_t words = 0;
        if (s->n > 2)
            for (uint32_t j = 0; j < now->n; j++) words += now->dense[j] < s->live->n_words;
        if (words > before_most) before_most = words;
    }
    if (s->n > 2) {
        build_graph(s, now);
        s->left = arena_alloc(s->arena, s->value.n * sizeof *s->left);
        s->is_live = arena_alloc(s->arena, s->value.n * sizeof *s->is_live);
        int32_t pressure = 0;
        for (uint32_t j = 0; j < now->n; j++) pressure += now->dense[j] < s->live->n_words;
        const int32_t allowed = before_most > (int32_t)s->limit ? before_most : (int32_t)s->limit;
        if (find_order(s, pressure, allowed)) rearrange(s, first, end - first);
    }
    for (uint32_t i = 0; i < n_was; i++) s->live_after[was[i]] = false;
}

static void schedule_block(struct scheduler *s, const struct cfg_block *b, struct slot_set *now) {
    uint32_t end = b->first + b->n;
    while (end > b->first) {
        // gather units backwards up to a wall
        uint32_t first = end;
        s->n = 0;
        while (first > b->first && s->n < REGION) {
            uint32_t start = first - 1;
            while (start > b->first && (s->f->inst.at[start].flags & MF_FILLER)) start--;
            const struct minst *m = &s->f->inst.at[start];
            if (is_wall(s->f, m) || (m->flags & MF_FILLER)) break;
            s->unit[s->n++] = (struct unit){.first = start, .n = first - start};
            first = start;
        }
        for (uint32_t i = 0; i < s->n / 2; i++) {
            const struct unit t = s->unit[i];
            s->unit[i] = s->unit[s->n - 1 - i];
            s->unit[s->n - 1 - i] = t;
        }
        if (s->n) schedule_region(s, first, end, now);
        end = first;
        while (end > b->first) { // over the wall
            const struct minst *m = &s->f->inst.at[end - 1];
            if (!is_wall(s->f, m) && !(m->flags & MF_FILLER)) break;
            if ((m->flags & MF_FILLER) && end - 1 > b->first) {
                uint32_t start = end - 1;
                while (start > b->first && (s->f->inst.at[start].flags & MF_FILLER)) start--;
                if (!is_wall(s->f, &s->f->inst.at[start]) &&
                    !(s->f->inst.at[start].flags & MF_FILLER))
                    break;
            }
            live_step_back(s->live, --end, now);
        }
    }
}

void opt_schedule(struct mfunc *f, struct arena *a) {
    struct cfg *c = cfg_build(a, f);
    struct scheduler *s = arena_alloc(a, sizeof *s);
    *s = (struct scheduler){.f = f, .arena = a};
    s->live = live_build(a, f, c);
    const size_t n = (size_t)s->live->n_slots + 1;
    s->stamp = arena_alloc(a, n * sizeof *s->stamp);
    s->writer = arena_alloc(a, n * sizeof *s->writer);
    s->readers = arena_alloc(a, n * sizeof *s->readers);
    s->holds = arena_alloc(a, n * sizeof *s->holds);
    s->live_after = arena_alloc(a, n * sizeof *s->live_after);
    s->copy = arena_alloc(a, ((size_t)f->inst.n + 1) * sizeof *s->copy);
    const uint32_t need = live_max_pressure(s->live).words;
    const uint32_t hoist = f->target->hoist_regs;
    if (hoist)
        s->limit = need > hoist ? need : hoist;
    else
        s->limit = need + MORE_WORDS > FREE_WORDS ? need + MORE_WORDS : FREE_WORDS;
    if (s->limit + KEEP_CLEAR > f->target->max_regs)
        s->limit = f->target->max_regs > KEEP_CLEAR ? f->target->max_regs - KEEP_CLEAR : 1;
    struct slot_set now;
    slot_set_init(&now, a, s->live->n_slots);
    for (uint32_t b = 0; b < c->n; b++) {
        live_block_end(s->live, b, &now);
        schedule_block(s, &c->block[b], &now);
    }
}
