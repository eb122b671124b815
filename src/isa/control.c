// Control bits of a linked image. Machines from Volta on know no registers that are pending: each
// instruction says for how many cycles its warp issues nothing behind it (stall), which of six
// counters it holds up until its results are written (write) or its operands read (read), and which
// counters must be down before it issues (wait). Z. Jia et al., "Dissecting the NVIDIA Volta GPU
// architecture via microbenchmarking" (2018), has the fields; R. Huerta et al., "Analyzing modern
// NVIDIA GPU cores" (2025), what the hardware does with them: a counter is up from the cycle after
// the issue on, so that an instruction right behind waits for it only with a stall of two.
//
//   fixed latency     results are there so many cycles after the issue: stalls see to it; a guard
//                     sees a predicate later than an operand does. A pipeline of half a warp's
//                     lanes takes the warp's next instruction two cycles later: a stall of two says
//                     so, as ptxas writes it, and counts for the results that come
//   variable latency  memory, special functions, shared double precision, and what takes longer
//                     than a stall count can say: counters see to it. Operands are read late, so a
//                     register may be overwritten once a counter says so
//
// Two walks over the blocks:
//
//   1. in reverse post-order, twice, each instruction that needs counters gets them. One that the
//      same instruction waits for anyway costs nothing, one that is down costs more the fewer are
//      left, and any other as many cycles as the first wait for it is likely to last longer
//   2. to a fixed point: by slot (register or predicate) the counters that may be up for it on
//      some path, and the cycles until its fixed latency is over. What an instruction touches gives
//      its wait mask and the stall of whatever may issue before it. Waits and stalls only grow.
//      Since a wait takes its counters off all slots, the states begin anew when some have grown
//
// Calls and returns wait for everything, so that nothing crosses them. A thread of a diverged warp
// sees at least the cycles of its own path, since other threads' instructions only add to them.
//
// Left out: waiting for a counter to come down to a number (DEPBAR.LE), which would need results in
// order; instructions are not moved, and none is added.
#include "isa/control.h"

enum { FAR_AWAY = 1 << 20, LOOK_AHEAD = 256 };

static uint32_t larger_of(uint32_t a, uint32_t b) { return a > b ? a : b; }
static uint32_t later_by(uint32_t a, uint32_t b) { return a > b ? a - b : 0; }

uint32_t control_most_extra(const struct code_latencies *l) {
    const uint32_t more = larger_of(l->more_half, larger_of(l->more_double, l->more_matrix));
    return larger_of(larger_of(l->across, (uint32_t)l->to_queue + more), l->to_memory);
}

bool control_is_variable(const struct code_latencies *l, const struct minst *m) {
    if (m->op == OP_SYSCALL) return true;
    if (op_class_unit[m->klass] == UNIT_NONE) return false; // a barrier's result: the warp waits
    const uint8_t cycles = l->cycles[minst_timing(m)];
    return cycles == 0 || cycles + control_most_extra(l) > CONTROL_MAX_STALL;
}

// A filler that compares stands for a comparison and the guard that waits for it.
static bool is_guard(const struct minst *m, uint32_t slot) {
    const bool compares = m->klass == OPC_INT_CMP || m->klass == OPC_FP_CMP;
    const bool guards = slot >= CONTROL_GUARD && slot < CONTROL_BARRIER;
    return guards || (slot < CONTROL_PRED && compares && minst_is_filler(m));
}

uint32_t control_latency(const struct code_latencies *l, const struct minst *m, uint32_t slot) {
    const uint32_t cycles = op_class_unit[m->klass] == UNIT_NONE ? 1 : l->cycles[minst_timing(m)];
    if (!is_guard(m, slot) || m->klass == OPC_UNIFORM_MOVE) return cycles;
    return larger_of(m->klass == OPC_UNIFORM ? l->uniform_guard : l->guard, cycles);
}

// Who takes a result: neighbours of one kind lie close together.
enum kind {
    KIND_INT,
    KIND_FP,
    KIND_UNIFORM,
    KIND_HALF,
    KIND_QUEUE,
    KIND_DOUBLE,
    KIND_MATRIX,
    KIND_MEMORY,
    KIND_NONE
};
static enum kind kind_of(const struct code_latencies *l, uint32_t klass) {
    if (klass == OPC_HALF) return KIND_HALF;
    // [ptxas] 6 cycles to an indexed constant's and a texture's address where loads have 8
    if (klass == OPC_LD_CONST || l->pipe[klass] == UNIT_TEX) return KIND_QUEUE;
    // [ptxas] and to conversions of doubles as to other ones
    if (klass == OPC_DP_CVT) return KIND_QUEUE;
    if (op_class_unit[klass] == UNIT_NONE) return KIND_NONE;
    switch (l->pipe[klass]) {
    case UNIT_INT: return KIND_INT;
    case UNIT_FP: return KIND_FP;
    case UNIT_UNIFORM: return KIND_UNIFORM;
    case UNIT_LDST: return KIND_MEMORY;
    case UNIT_DP: return KIND_DOUBLE;
    case UNIT_TENSOR: return KIND_MATRIX;
    default: return KIND_QUEUE;
    }
}
// Guards have a latency of their own.
uint32_t control_extra(const struct code_latencies *l, uint32_t maker, const struct minst *taker,
                       uint32_t slot) {
    if (is_guard(taker, slot)) return 0;
    // [ptxas] sums over the warp's lanes stand behind a queue: 4 from products
    const enum kind to = taker->op == OP_REDUX ? KIND_QUEUE : kind_of(l, minst_timing(taker));
    if (maker == OPC_UNIFORM_MOVE || to == KIND_UNIFORM) return 0;
    if (maker == OPC_UNIFORM) return to <= KIND_HALF ? l->of_uniform : l->of_uniform_queued;
    const uint32_t of_half = (uint32_t)l->to_queue + l->more_half;
    // [ptxas] 8 from halves to all others, stores among them
    if (to == KIND_MEMORY) return maker == OPC_HALF ? of_half : l->to_memory;
    if (to == KIND_NONE) return 0;
    const uint32_t queued = to == KIND_DOUBLE   ? (uint32_t)l->to_queue + l->more_double
                            : to == KIND_MATRIX ? (uint32_t)l->to_queue + l->more_matrix
                            : to == KIND_HALF   ? of_half
                                                : l->to_queue;
    if (maker == MAKERS) return larger_of(larger_of(l->across, of_half), queued);
    const enum kind from = kind_of(l, maker);
    if (from == to || (from >= KIND_QUEUE && to >= KIND_QUEUE)) return 0;
    if (from == KIND_HALF && to <= KIND_FP) return of_half;
    return from <= KIND_FP && to <= KIND_FP ? l->across : queued;
}

// [ptxas] Of doubles on sm_90: 6 to special functions and conversions and as a predicate operand, 7 to
// stores, 8 to doubles, 10 to all others. A product of two words takes the high word of its addend two
// cycles after all else, and its low word is there for additions two before the high one.
uint32_t control_early(const struct code_latencies *l, const struct minst *maker,
                       const struct minst *taker, uint32_t slot) {
    if (is_guard(taker, slot)) return 0;
    const uint8_t from = l->pipe[minst_timing(maker)];
    const enum kind to = kind_of(l, minst_timing(taker));
    uint32_t early = 0;
    if (from == UNIT_DP && slot >= CONTROL_PRED && slot < CONTROL_GUARD) early = l->early_double;
    if (from == UNIT_DP && (to == KIND_QUEUE || to == KIND_MEMORY)) early = l->early_double;
    // [ptxas] of matrices 12 and 15 to stores on sm_80 and sm_90, where additions have 13 and 16
    if (from == UNIT_TENSOR && to == KIND_MEMORY) early = l->to_memory + 1u;
    const struct opnd *const d = &maker->dst[0], *const c = &taker->src[2];
    if (maker->flags & MF_WIDE && d->kind == OPND_GPR && slot == d->reg && to == KIND_INT)
        early = l->early_wide;
    if (taker->flags & MF_WIDE && c->kind == OPND_GPR && c->words == 2 && slot == c->reg + 1 &&
        taker->src[0].reg != slot && taker->src[1].reg != slot)
        early += l->early_wide;
    return early;
}

uint32_t control_elapsed(const struct code_latencies *l, const struct minst *m, uint32_t stall) {
    const bool branches = (mop_info[m->op].flags & OPF_BRANCH) != 0;
    return branches && l->branch > stall ? l->branch : stall;
}

// ---- operands -----------------------------------------------------------------------------------
static uint16_t guard_slot(uint32_t reg) {
    return (uint16_t)(reg < PRED_UNIFORM ? CONTROL_GUARD + reg
                                         : CONTROL_UGUARD + reg - PRED_UNIFORM);
}
// The carry guards nothing.
static bool is_carry(const struct minst *m, const struct isa_ref *ref) {
    return ref->reg == PRED_CARRY && isa_leaves_carry(m);
}
static uint16_t slot_of(const struct isa_ref *ref) {
    switch (ref->file) {
    case REF_GPR: return (uint16_t)(ref->reg + ref->word);
    case REF_BARRIER: return (uint16_t)(CONTROL_BARRIER + ref->reg);
    case REF_UGPR: return (uint16_t)(CONTROL_UGPR + ref->reg + ref->word);
    default: return (uint16_t)(CONTROL_PRED + ref->reg);
    }
}

// Guards see a predicate later than operands do.
void control_operands(const struct minst *m, struct control_operands *o) {
    struct isa_ref ref[ISA_MAX_REFS];
    o->n_reads = o->n_writes = 0;
    uint32_t n = isa_reads(m, true, ref);
    for (uint32_t i = 0; i < n; i++) {
        o->read[o->n_reads++] = slot_of(&ref[i]);
        if (ref[i].place == REF_GUARD) o->read[o->n_reads++] = guard_slot(ref[i].reg);
    }
    n = isa_writes(m, true, ref);
    for (uint32_t i = 0; i < n; i++) {
        o->write[o->n_writes++] = slot_of(&ref[i]);
        if (ref[i].file == REF_PRED && !is_carry(m, &ref[i]))
            o->write[o->n_writes++] = guard_slot(ref[i].reg);
    }
}

static bool touches(const uint16_t *list, uint32_t n, const uint16_t *other, uint32_t n_other) {
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n_other; j++)
            if (list[i] == other[j]) return true;
    return false;
}

// ---- what may be under way at a place -----------------------------------------------------------
struct state {
    uint8_t written[CONTROL_SLOTS]; // counters that may be up for a write of the slot
    uint8_t read[CONTROL_SLOTS];    // ... for a read
    uint8_t left[CONTROL_SLOTS];    // cycles until a fixed latency is over for every taker
    uint8_t maker[CONTROL_SLOTS];   // of which class; MAKERS: several
    uint8_t taken[UNIT_N];          // cycles until the unit takes another instruction of the warp
};

struct setter {
    struct code_image *im;
    const struct code_latencies *latencies;
    struct cfg *cfg;
    struct state *out;   // by block, as of the issue of its last instruction
    uint8_t *will_write; // a slot's byte by block: the block, or one that it leads to, writes it
    uint8_t *slow;       // by block, counters that may be up for memory beyond the SM
    uint32_t next;       // counter to try first
};

static uint8_t less(uint8_t left, uint32_t elapsed) {
    return left > elapsed ? (uint8_t)(left - elapsed) : 0;
}

static uint8_t larger(uint8_t a, uint8_t b) { return a > b ? a : b; }

static void join(struct state *s, const struct state *other, uint32_t elapsed) {
    for (uint32_t i = 0; i < CONTROL_SLOTS; i++) {
        s->written[i] |= other->written[i];
        s->read[i] |= other->read[i];
        const uint8_t left = less(other->left[i], elapsed);
        if (left != 0 && s->maker[i] != other->maker[i])
            s->maker[i] = s->left[i] == 0 ? other->maker[i] : (uint8_t)MAKERS;
        s->left[i] = larger(s->left[i], left);
    }
    for (uint32_t u = 0; u < UNIT_N; u++)
        s->taken[u] = larger(s->taken[u], less(other->taken[u], elapsed));
}

static void elapse(struct state *s, uint32_t cycles) {
    for (uint32_t i = 0; i < CONTROL_SLOTS; i++) s->left[i] = less(s->left[i], cycles);
    for (uint32_t u = 0; u < UNIT_N; u++) s->taken[u] = less(s->taken[u], cycles);
}

static uint8_t counters_up(const struct state *s) {
    uint8_t up = 0;
    for (uint32_t i = 0; i < CONTROL_SLOTS; i++) up |= s->written[i] | s->read[i];
    return up;
}

static uint8_t waits_for(const struct state *s, const struct minst *m,
                         const struct control_operands *o) {
    if (control_drains(m)) return counters_up(s);
    uint8_t mask = 0;
    for (uint32_t i = 0; i < o->n_reads; i++) mask |= s->written[o->read[i]];
    for (uint32_t i = 0; i < o->n_writes; i++)
        mask |= s->written[o->write[i]] | s->read[o->write[i]];
    return mask;
}

// Cycles that must lie between what the state is of and the issue of the instruction.
static uint32_t cycles_before(const struct setter *c, const struct state *s, const struct minst *m,
                              const struct control_operands *o) {
    const uint32_t most = control_most_extra(c->latencies);
    uint32_t need = 1;
    if (control_drains(m)) {
        for (uint32_t i = 0; i < CONTROL_SLOTS; i++) // whoever takes it
            need = larger_of(need, later_by(s->left[i], i < CONTROL_GUARD ? 0 : most));
        return need;
    }
    for (uint32_t i = 0; i < o->n_reads; i++) {
        const uint32_t slot = o->read[i];
        if (s->left[slot] == 0) continue;
        const uint32_t extra = control_extra(c->latencies, s->maker[slot], m, slot);
        need = larger_of(need, later_by(s->left[slot] + extra, most));
    }
    // The warp would wait for the pipeline in any case: a stall says so to what comes after.
    const uint8_t klass = minst_timing(m);
    if (c->latencies->interval[klass] != 0) {
        const uint32_t taken = s->taken[c->latencies->unit[klass]];
        need = taken > need ? taken : need;
    }
    // The later of two results is written later.
    const bool is_variable = control_is_variable(c->latencies, m);
    for (uint32_t i = 0; i < o->n_writes; i++) {
        const uint32_t own = is_variable ? 1 : control_latency(c->latencies, m, o->write[i]);
        const uint32_t at = later_by(s->left[o->write[i]], most) + 1;
        if (at > own + need) need = at - own;
    }
    return need;
}

static void wait(struct state *s, uint8_t mask) {
    if (mask == 0) return;
    for (uint32_t i = 0; i < CONTROL_SLOTS; i++) {
        s->written[i] &= (uint8_t)~mask;
        s->read[i] &= (uint8_t)~mask;
    }
}

// What the instruction itself leaves under way, as of its issue.
static void issue(const struct setter *c, struct state *s, uint32_t pc,
                  const struct control_operands *o) {
    const struct minst *const m = &c->im->inst[pc];
    const struct code_control *const k = &c->im->control[pc];
    if (control_drains(m)) {
        memset(s, 0, sizeof *s);
        return;
    }
    const uint8_t klass = minst_timing(m);
    if (c->latencies->interval[klass] != 0)
        s->taken[c->latencies->unit[klass]] = c->latencies->interval[klass];
    if (k->read != CONTROL_NONE)
        for (uint32_t i = 0; i < o->n_reads; i++) s->read[o->read[i]] |= (uint8_t)(1u << k->read);
    for (uint32_t i = 0; i < o->n_writes; i++) {
        const uint32_t slot = o->write[i];
        if (k->write != CONTROL_NONE) {
            s->written[slot] |= (uint8_t)(1u << k->write);
        } else {
            const uint32_t left =
                control_latency(c->latencies, m, slot) + control_most_extra(c->latencies);
            // An older result that is there for its own pipeline is there for all when this one is.
            const bool is_older_over = s->left[slot] <= control_most_extra(c->latencies);
            const bool is_only = is_older_over || s->maker[slot] == klass;
            s->maker[slot] = is_only ? klass : (uint8_t)MAKERS;
            s->left[slot] = larger(s->left[slot], (uint8_t)left);
        }
    }
}

// ---- 1. counters --------------------------------------------------------------------------------
// By block the slots that it, or a block that it leads to, writes; all, where a call does.
static void find_writes(struct setter *c, struct arena *scratch) {
    c->will_write = arena_alloc(scratch, (size_t)c->cfg->n * CONTROL_SLOTS);
    struct control_operands o;
    for (uint32_t pc = 0; pc < c->im->n_insts; pc++) {
        control_operands(&c->im->inst[pc], &o);
        uint8_t *const row = &c->will_write[(size_t)c->cfg->block_of[pc] * CONTROL_SLOTS];
        for (uint32_t i = 0; i < o.n_writes; i++) row[o.write[i]] = 1;
        if (control_drains(&c->im->inst[pc])) memset(row, 1, CONTROL_SLOTS); // whatever follows
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t b = c->cfg->n; b-- > 0;) {
            uint8_t *const row = &c->will_write[(size_t)b * CONTROL_SLOTS];
            const struct cfg_block *const block = &c->cfg->block[b];
            for (uint32_t i = 0; i < block->n_succ; i++) {
                const uint8_t *const next =
                    &c->will_write[(size_t)c->cfg->edge[block->succ + i] * CONTROL_SLOTS];
                uint8_t more = 0;
                for (uint32_t s = 0; s < CONTROL_SLOTS; s++) {
                    more |= (uint8_t)(next[s] & ~row[s]);
                    row[s] |= next[s];
                }
                changed |= more != 0;
            }
        }
    }
}

// Where the instruction's results are touched first, and where one of its operands is overwritten
// while they may still be under way: distances, FAR_AWAY behind the block. `*overwrites`: it is, as
// far as can be seen.
struct ahead {
    uint32_t result, operand;
    bool overwrites;
};
static struct ahead look_ahead(const struct setter *c, uint32_t pc,
                               const struct control_operands *mine) {
    struct ahead a = {.result = FAR_AWAY, .operand = FAR_AWAY};
    const uint32_t b = c->cfg->block_of[pc];
    const struct cfg_block *const block = &c->cfg->block[b];
    const uint32_t end = block->first + block->n;
    struct control_operands o;
    uint32_t i = pc + 1;
    for (; i < end && i < pc + LOOK_AHEAD; i++) {
        control_operands(&c->im->inst[i], &o);
        const bool drains = control_drains(&c->im->inst[i]);
        const bool is_touched = drains || touches(mine->write, mine->n_writes, o.read, o.n_reads) ||
                                touches(mine->write, mine->n_writes, o.write, o.n_writes);
        if (is_touched && mine->n_writes != 0) {
            a.result = i - pc;
            return a; // which waits for the operands' reading too
        }
        if (!a.overwrites && (drains || touches(mine->read, mine->n_reads, o.write, o.n_writes))) {
            a.overwrites = true;
            a.operand = i - pc;
            if (mine->n_writes == 0) return a;
        }
    }
    if (a.overwrites) return a;
    if (i < end) {
        a.overwrites = true;
        return a;
    }
    for (uint32_t k = 0; k < block->n_succ; k++) {
        const uint8_t *const row =
            &c->will_write[(size_t)c->cfg->edge[block->succ + k] * CONTROL_SLOTS];
        for (uint32_t r = 0; r < mine->n_reads; r++) a.overwrites |= row[mine->read[r]] != 0;
    }
    return a;
}

// Counters in use in a block, each by what the code has not waited for yet: where it was issued,
// where its result (or the end of its reading) is waited for first, FAR_AWAY behind the block, and
// about how long it takes. Cycles are a guess: two an instruction.
enum { PENDING = 16, PACE = 2, FAR_CYCLES = 100, UNKNOWN_LATENCY = 30, SLOW_LATENCY = 600 };
struct use {
    uint32_t pc, at, latency;
};
struct uses {
    uint32_t end; // of the block
    struct use of[CONTROL_COUNTERS][PENDING];
    uint32_t n[CONTROL_COUNTERS];
    uint8_t slow; // counters of memory beyond the SM
};

static uint32_t expected_latency(const struct minst *m) {
    switch (m->klass) {
    case OPC_LD_GLOBAL:
    case OPC_LD_LOCAL:
    case OPC_LD_GENERIC:
    case OPC_ATOM_GLOBAL:
    case OPC_TEX:
    case OPC_SURF: return SLOW_LATENCY;
    default: return UNKNOWN_LATENCY;
    }
}
enum { READ_LATENCY = 14 };

// Cycles that the first of two waits lasts longer because both share a counter.
static uint32_t harm(const struct uses *u, const struct use *a, const struct use *b) {
    const uint32_t ready_a = PACE * a->pc + a->latency, ready_b = PACE * b->pc + b->latency;
    if (a->at == b->at && (a->at != FAR_AWAY || a->latency == b->latency)) return 0;
    const uint32_t far = PACE * u->end + FAR_CYCLES;
    const uint32_t at_a = a->at == FAR_AWAY ? far : PACE * a->at,
                   at_b = b->at == FAR_AWAY ? far : PACE * b->at;
    const uint32_t more = at_a < at_b   ? later_by(ready_b, larger_of(at_a, ready_a))
                          : at_b < at_a ? later_by(ready_a, larger_of(at_b, ready_b))
                                        : later_by(ready_a, ready_b) + later_by(ready_b, ready_a);
    return more + 2; // what is waited for apart had better be apart
}

// What it costs to take one more of the counters that are down.
static uint32_t scarcity(uint8_t up) {
    const uint32_t left = CONTROL_COUNTERS - bits_count32(up);
    return left > 2 ? 1 : left == 2 ? 8 : 24;
}

// The cheapest counter for a use; of equals, the one that it has.
static uint8_t take_counter(struct setter *c, struct uses *u, uint8_t up, const struct use *x,
                            uint8_t has) {
    uint32_t best = CONTROL_NONE, least = UINT32_MAX;
    for (uint32_t i = 0; i < CONTROL_COUNTERS; i++) {
        const uint32_t k = (c->next + i) % CONTROL_COUNTERS;
        uint32_t cost = 0;
        if (!(up >> k & 1)) {
            u->n[k] = 0;
            cost = scarcity(up);
        }
        for (uint32_t p = 0; p < u->n[k]; p++) cost = larger_of(cost, harm(u, &u->of[k][p], x));
        if (cost < least || (cost == least && k == has)) best = k, least = cost;
    }
    if (u->n[best] == PENDING) // the oldest one is the likeliest to be over
        memmove(&u->of[best][0], &u->of[best][1], (--u->n[best]) * sizeof *u->of[best]);
    u->of[best][u->n[best]++] = *x;
    u->slow = (uint8_t)((u->slow & ~(u->n[best] == 1 ? 1u << best : 0u)) |
                        (uint32_t)(x->latency == SLOW_LATENCY) << best);
    if (!(up >> best & 1)) c->next = (best + 1) % CONTROL_COUNTERS;
    return (uint8_t)best;
}

static void assign(struct setter *c, uint32_t pc, const struct state *s, struct uses *u,
                   const struct control_operands *o) {
    struct code_control *const k = &c->im->control[pc];
    if (!control_is_variable(c->latencies, &c->im->inst[pc])) return;
    const struct ahead a = look_ahead(c, pc, o);
    const uint8_t had_write = k->write, had_read = k->read;
    uint8_t up = counters_up(s);
    k->read = CONTROL_NONE;
    if (o->n_writes != 0) {
        const struct use x = {pc, a.result == FAR_AWAY ? FAR_AWAY : pc + a.result,
                              expected_latency(&c->im->inst[pc])};
        k->write = take_counter(c, u, up, &x, had_write);
        up |= (uint8_t)(1u << k->write);
    }
    if (a.overwrites) {
        const struct use x = {pc, a.operand == FAR_AWAY ? FAR_AWAY : pc + a.operand, READ_LATENCY};
        k->read = take_counter(c, u, up, &x, had_read);
    }
}

static void enter_block(struct setter *c, uint32_t b, struct state *s) {
    const struct cfg_block *const block = &c->cfg->block[b];
    memset(s, 0, sizeof *s);
    for (uint32_t i = 0; i < block->n_pred; i++) {
        const uint32_t p = c->cfg->pred_edge[block->pred + i];
        const uint32_t last = c->cfg->block[p].first + c->cfg->block[p].n - 1;
        join(s, &c->out[p],
             control_elapsed(c->latencies, &c->im->inst[last], c->im->control[last].stall));
    }
}

static void assign_block(struct setter *c, uint32_t b) {
    const struct cfg_block *const block = &c->cfg->block[b];
    struct state s;
    enter_block(c, b, &s);
    struct uses u = {.end = block->first + block->n};
    for (uint32_t i = 0; i < block->n_pred; i++)
        u.slow |= c->slow[c->cfg->pred_edge[block->pred + i]];
    for (uint32_t k = 0; k < CONTROL_COUNTERS; k++) {
        if (!(counters_up(&s) >> k & 1)) continue;
        u.of[k][0] =
            (struct use){block->first, FAR_AWAY, u.slow >> k & 1 ? SLOW_LATENCY : UNKNOWN_LATENCY};
        u.n[k] = 1;
    }
    struct control_operands o;
    for (uint32_t pc = block->first; pc < block->first + block->n; pc++) {
        control_operands(&c->im->inst[pc], &o);
        wait(&s, waits_for(&s, &c->im->inst[pc], &o));
        assign(c, pc, &s, &u, &o);
        issue(c, &s, pc, &o);
    }
    c->slow[b] = u.slow & counters_up(&s);
    c->out[b] = s;
}

// All blocks; the second time with what loops bring back to their beginning.
static void assign_all(struct setter *c) {
    for (uint32_t times = 0; times < 2; times++) {
        for (uint32_t i = 0; i < c->cfg->n_order; i++) assign_block(c, c->cfg->order[i]);
        for (uint32_t b = 0; b < c->cfg->n; b++) // functions
            if (c->cfg->block[b].rpo == UINT32_MAX) assign_block(c, b);
    }
}

// ---- 2. waits and stalls ------------------------------------------------------------------------
// `pc` may issue right behind `before`, whose state as of its issue is `s`.
static bool follow(struct setter *c, uint32_t before, const struct state *s, uint32_t pc,
                   const struct control_operands *o) {
    struct code_control *const k = &c->im->control[before];
    const struct minst *const m = &c->im->inst[before];
    uint32_t need = cycles_before(c, s, &c->im->inst[pc], o);
    const uint8_t wait = c->im->control[pc].wait;
    const bool waits = (k->write != CONTROL_NONE && wait >> k->write & 1) ||
                       (k->read != CONTROL_NONE && wait >> k->read & 1);
    if (waits && need < 2) need = 2;
    if (need <= control_elapsed(c->latencies, m, k->stall)) return false;
    k->stall = (uint8_t)need;
    return true;
}

static bool grow_wait(struct setter *c, uint32_t pc, const struct state *s,
                      const struct control_operands *o) {
    struct code_control *const k = &c->im->control[pc];
    const uint8_t mask = k->wait | waits_for(s, &c->im->inst[pc], o);
    const bool grows = mask != k->wait;
    k->wait = mask;
    return grows;
}

struct change {
    bool bits, state;
};

static void settle_block(struct setter *c, uint32_t b, struct change *changed) {
    const struct cfg_block *const block = &c->cfg->block[b];
    struct control_operands o;
    struct state s;
    for (uint32_t pc = block->first; pc < block->first + block->n; pc++) {
        control_operands(&c->im->inst[pc], &o);
        if (pc == block->first) {
            enter_block(c, b, &s);
            changed->bits |= grow_wait(c, pc, &s, &o);
            for (uint32_t i = 0; i < block->n_pred; i++) {
                const uint32_t p = c->cfg->pred_edge[block->pred + i];
                const uint32_t last = c->cfg->block[p].first + c->cfg->block[p].n - 1;
                changed->bits |= follow(c, last, &c->out[p], pc, &o);
            }
            enter_block(c, b, &s); // the cycles of the stalls that have grown
        } else {
            changed->bits |= grow_wait(c, pc, &s, &o);
            changed->bits |= follow(c, pc - 1, &s, pc, &o);
            elapse(&s, control_elapsed(c->latencies, &c->im->inst[pc - 1],
                                       c->im->control[pc - 1].stall));
        }
        wait(&s, c->im->control[pc].wait);
        issue(c, &s, pc, &o);
    }
    join(&s, &c->out[b], 0); // states only grow
    changed->state |= memcmp(&s, &c->out[b], sizeof s) != 0;
    c->out[b] = s;
}

static void settle(struct setter *c) {
    struct change changed = {.bits = true};
    while (changed.bits) {
        changed.bits = false;
        memset(c->out, 0, (size_t)c->cfg->n * sizeof *c->out);
        do {
            changed.state = false;
            for (uint32_t i = 0; i < c->cfg->n_order; i++)
                settle_block(c, c->cfg->order[i], &changed);
            for (uint32_t b = 0; b < c->cfg->n; b++) // functions
                if (c->cfg->block[b].rpo == UINT32_MAX) settle_block(c, b, &changed);
        } while (changed.state);
    }
}

// ---- hints --------------------------------------------------------------------------------------
static bool is_cached(const struct setter *c, uint32_t pc) {
    const struct minst *const m = &c->im->inst[pc];
    return op_class_unit[m->klass] != UNIT_NONE && !control_is_variable(c->latencies, m);
}

// An operand stays for the next instruction of the warp that reads the same register in the same
// place; only instructions of fixed latency read through the operand cache (Huerta et al.).
static void set_reuse(struct setter *c, uint32_t pc) {
    if (c->cfg->block_of[pc] != c->cfg->block_of[pc + 1]) return;
    if (!is_cached(c, pc) || !is_cached(c, pc + 1)) return;
    const struct minst *const m = &c->im->inst[pc], *const next = m + 1;
    for (uint32_t i = 0; i < CONTROL_REUSE_SLOTS; i++) {
        const struct opnd *const a = &m->src[i], *const b = &next->src[i];
        if (a->kind != OPND_GPR || b->kind != OPND_GPR) continue;
        bool is_written = false;
        for (uint32_t d = 0; d < WW_COUNT(m->dst); d++)
            is_written |= m->dst[d].kind == OPND_GPR && m->dst[d].reg < a->reg + a->words &&
                          a->reg < m->dst[d].reg + m->dst[d].words;
        if (a->reg == b->reg && a->words == b->words && !is_written)
            c->im->control[pc].reuse |= (uint8_t)(1u << i);
    }
}

// The warp's next instruction waits for a counter, and not at once: the next cycle is another's.
static void set_yield(struct setter *c, uint32_t pc) {
    struct code_control *const k = &c->im->control[pc];
    k->yield = k->stall > 1 && c->im->control[pc + 1].wait != 0 &&
               c->cfg->block_of[pc] == c->cfg->block_of[pc + 1];
}

void control_set(struct code_image *im, struct arena *scratch) {
    if (im->n_insts == 0) return;
    struct setter c = {.im = im, .latencies = &im->target.latencies};
    c.cfg = cfg_build_image(scratch, im);
    im->control = arena_alloc(&im->arena, im->n_insts * sizeof *im->control);
    for (uint32_t i = 0; i < im->n_insts; i++)
        im->control[i] =
            (struct code_control){.stall = 1, .write = CONTROL_NONE, .read = CONTROL_NONE};
    c.out = arena_alloc(scratch, (size_t)c.cfg->n * sizeof *c.out);
    find_writes(&c, scratch);
    c.slow = arena_alloc(scratch, c.cfg->n);
    assign_all(&c);
    settle(&c);
    for (uint32_t pc = 0; pc + 1 < im->n_insts; pc++) {
        set_reuse(&c, pc);
        set_yield(&c, pc);
    }
}
