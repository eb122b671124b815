// Checks control bits without the states that control.c sets them from: each instruction that has a
// result, or reads operands late, is followed along every path of the code until it is known to be
// over, and what is found to touch its registers before that is reported. A path of fixed latency is
// over after so many cycles, one of variable latency where something waits for its counter.
#include "isa/control.h"

struct walk {
    const struct code_image *im;
    const struct cfg *cfg;
    const struct control_operands *operands; // by instruction
    void (*report)(void *user, uint32_t pc, const char *what);
    void *user;
    uint32_t from;
    uint32_t *seen, walks; // by instruction: the last walk that came here
    uint32_t *to;          // successors of the instruction in hand
    uint32_t *stack, n;    // of a walk through counters
    struct step {
        uint32_t pc, elapsed;
        uint8_t behind; // counters of results that come in order behind the one that is followed
    } * steps;
    uint32_t n_steps, steps_room;
};

static bool has(const uint16_t *list, uint32_t n, uint16_t slot) {
    for (uint32_t i = 0; i < n; i++)
        if (list[i] == slot) return true;
    return false;
}
static bool meets(const uint16_t *a, uint32_t n_a, const uint16_t *b, uint32_t n_b) {
    for (uint32_t i = 0; i < n_a; i++)
        if (has(b, n_b, a[i])) return true;
    return false;
}

// A stall of 0 with yield, which compilers give to ERRBAR, holds the warp for 45 cycles (Huerta et al.).
enum { HELD = 45 };
static uint32_t stall_of(const struct walk *w, uint32_t pc) {
    const struct code_control *const k = &w->im->control[pc];
    if (w->im->is_machine_code && k->stall == 0 && k->yield) return HELD;
    return control_elapsed(&w->im->target.latencies, &w->im->inst[pc], w->im->control[pc].stall);
}

// Our compiler lets nothing be under way at calls and returns. Of a real compiler's nothing is known
// there, and no way is followed through them.
static bool must_drain(const struct walk *w, uint32_t pc) {
    return !w->im->is_machine_code && control_drains(&w->im->inst[pc]);
}
static bool crosses_nothing(const struct walk *w, uint32_t pc) {
    return control_drains(&w->im->inst[pc]) || w->im->inst[pc].op == OP_JUMP;
}

// The instructions that may issue next, in w->to.
static uint32_t successors(const struct walk *w, uint32_t pc) {
    const struct cfg_block *const b = &w->cfg->block[w->cfg->block_of[pc]];
    if (crosses_nothing(w, pc)) return 0;
    if (pc + 1 < b->first + b->n) {
        w->to[0] = pc + 1;
        return 1;
    }
    uint32_t n = 0;
    for (uint32_t i = 0; i < b->n_succ; i++)
        w->to[n++] = w->cfg->block[w->cfg->edge[b->succ + i]].first;
    return n;
}

static uint8_t bit_of(uint8_t counter) {
    return counter < CONTROL_COUNTERS ? (uint8_t)(1u << counter) : 0;
}

// Counters that an instruction waits for. DEPBAR.LE waits for the oldest of several results, which
// whoever made it has counted.
static uint8_t waits_of(const struct walk *w, uint32_t pc) {
    const struct minst *const m = &w->im->inst[pc];
    const uint8_t own = w->im->control[pc].wait;
    if (m->op != OP_DEPBAR) return own;
    const uint8_t named = m->sub < CONTROL_COUNTERS ? (uint8_t)(1u << m->sub) : 0;
    return own | named | (uint8_t)m->src[0].imm;
}

// Operands of one unit's instructions are read in order, before a later one writes. Real chips convert
// doubles behind the queue of special functions, whatever our unit is.
static bool reads_in_order(const struct walk *w, uint32_t first, uint32_t second) {
    const uint8_t *const pipe = w->im->target.latencies.pipe;
    const uint8_t a = minst_timing(&w->im->inst[first]), b = minst_timing(&w->im->inst[second]);
    return pipe[a] == pipe[b] && (a == OPC_DP_CVT) == (b == OPC_DP_CVT);
}
// Results too, those of memory by class, shuffles with loads of shared memory: one that has no counter
// is there when that of the next has come.
static uint8_t queue_of(uint8_t klass) { return klass == OPC_SHFL ? OPC_LD_SHARED : klass; }
static bool in_order(const struct walk *w, uint32_t first, uint32_t second) {
    const uint8_t a = minst_timing(&w->im->inst[first]), b = minst_timing(&w->im->inst[second]);
    const bool is_memory = w->im->target.latencies.pipe[a] == UNIT_LDST;
    return reads_in_order(w, first, second) && (!is_memory || queue_of(a) == queue_of(b));
}

// Constants that the uniform datapath loads from an index without a counter are there as its other
// constants are: its instructions issue when the constant is at hand.
static bool is_counted_load(const struct walk *w, uint32_t pc) {
    const struct minst *const m = &w->im->inst[pc];
    return m->op == OP_LDC && m->dst[0].kind == OPND_UGPR &&
           w->im->control[pc].write == CONTROL_NONE;
}
static uint32_t maker_class(const struct walk *w) {
    return is_counted_load(w, w->from) ? OPC_UNIFORM_MOVE : minst_timing(&w->im->inst[w->from]);
}
// Real compilers count the latency of matrices out over several instructions, where one stall count
// cannot say it.
static bool is_counted_out(const struct walk *w, uint32_t pc) {
    const uint8_t klass = minst_timing(&w->im->inst[pc]);
    const struct code_latencies *const l = &w->im->target.latencies;
    return w->im->is_machine_code && w->im->control[pc].write == CONTROL_NONE &&
           l->pipe[klass] == UNIT_TENSOR && l->whole[klass] != 0;
}
static uint32_t latency_of(const struct walk *w, uint16_t slot) {
    const struct code_latencies *const l = &w->im->target.latencies;
    if (is_counted_load(w, w->from)) return l->cycles[OPC_UNIFORM_MOVE];
    if (is_counted_out(w, w->from)) return l->whole[minst_timing(&w->im->inst[w->from])];
    return control_latency(l, &w->im->inst[w->from], slot);
}

// ---- fixed latency ------------------------------------------------------------------------------
static uint32_t longest(const struct walk *w) {
    const struct control_operands *const o = &w->operands[w->from];
    uint32_t most = 0;
    for (uint32_t i = 0; i < o->n_writes; i++) {
        const uint32_t latency = latency_of(w, o->write[i]);
        most = latency > most ? latency : most;
    }
    const struct code_latencies *const l = &w->im->target.latencies;
    const uint32_t extra = control_most_extra(l);
    return most + (l->of_uniform_queued > extra ? l->of_uniform_queued : extra);
}

static void check_fixed(struct walk *w, uint32_t pc, uint32_t elapsed) {
    const struct control_operands *const p = &w->operands[w->from], *const o = &w->operands[pc];
    const struct minst *const m = &w->im->inst[pc];
    const struct code_latencies *const l = &w->im->target.latencies;
    for (uint32_t i = 0; i < p->n_writes; i++) {
        const uint16_t slot = p->write[i];
        const uint32_t latency = latency_of(w, slot);
        const uint32_t early =
            w->im->is_machine_code ? control_early(l, &w->im->inst[w->from], m, slot) : 0;
        const uint32_t to_operand = latency + control_extra(l, maker_class(w), m, slot) - early;
        if ((has(o->read, o->n_reads, slot) && elapsed < to_operand) ||
            (must_drain(w, pc) && elapsed < latency)) {
            w->report(w->user, pc, "may issue before an operand of fixed latency is there");
            return;
        }
        const uint32_t own = control_is_variable(l, m) ? 1 : control_latency(l, m, slot);
        if (elapsed < latency && has(o->write, o->n_writes, slot) && elapsed + own <= latency) {
            w->report(w->user, pc, "may write a register before an older result does");
            return;
        }
    }
}

// Counters of results that come behind the followed one in order; of a real compiler's code, which
// lets a whole set of matrix instructions wait for the last one's.
static uint8_t counters_behind(const struct walk *w, uint32_t pc) {
    if (!w->im->is_machine_code || !in_order(w, w->from, pc)) return 0;
    return bit_of(w->im->control[pc].write);
}

static void follow_fixed(struct walk *w) {
    const uint32_t latency = longest(w);
    w->n_steps = 0;
    w->steps[w->n_steps++] = (struct step){w->from, 0, 0};
    while (w->n_steps != 0) {
        const struct step s = w->steps[--w->n_steps];
        const uint32_t elapsed = s.elapsed + stall_of(w, s.pc);
        if (elapsed >= latency) continue;
        const uint32_t n = successors(w, s.pc);
        for (uint32_t i = 0; i < n; i++) {
            const uint32_t at = w->to[i];
            if (waits_of(w, at) & s.behind) continue; // the result is there
            check_fixed(w, at, elapsed);
            if (w->n_steps == w->steps_room)
                w->report(w->user, s.pc, "has more ways out than can be followed");
            else
                w->steps[w->n_steps++] =
                    (struct step){at, elapsed, (uint8_t)(s.behind | counters_behind(w, at))};
        }
    }
}

// Real compilers know that instructions under a guard and under its negation touch different lanes.
static bool are_apart(const struct walk *w, uint32_t pc) {
    const struct minst *const a = &w->im->inst[w->from], *const b = &w->im->inst[pc];
    return w->im->is_machine_code && a->guard == b->guard && a->guard_not != b->guard_not;
}

// ---- variable latency ---------------------------------------------------------------------------
// Follows until `counters` are waited for; what touches the slots in `writes` (as a source too) or
// overwrites those in `reads` comes too early.
static void follow_counter(struct walk *w, uint8_t counters, const uint16_t *writes,
                           uint32_t n_writes, const uint16_t *reads, uint32_t n_reads) {
    w->n = 0;
    w->stack[w->n++] = w->from;
    w->walks++;
    while (w->n != 0) {
        const uint32_t pc = w->stack[--w->n];
        const uint32_t n = successors(w, pc);
        for (uint32_t i = 0; i < n; i++) {
            const uint32_t at = w->to[i];
            if (w->seen[at] == w->walks) continue;
            w->seen[at] = w->walks;
            const struct control_operands *const o = &w->operands[at];
            if (waits_of(w, at) & counters) {
                if (pc == w->from && stall_of(w, pc) < 2 && !w->im->is_machine_code)
                    w->report(w->user, at, "waits for a counter that is not up yet");
                continue;
            }
            const bool reads_it = meets(writes, n_writes, o->read, o->n_reads);
            const bool is_later =
                w->im->is_machine_code && n_writes != 0 && in_order(w, w->from, at) && !reads_it;
            if (are_apart(w, at)) {
                // no lane executes both
            } else if (is_later && meets(writes, n_writes, o->write, o->n_writes)) {
                if (pred_is_true(w->im->inst[at].guard)) continue; // nothing is left of it
            } else if (must_drain(w, at) || reads_it ||
                       meets(writes, n_writes, o->write, o->n_writes))
                w->report(w->user, at, "needs a result without waiting for its counter");
            else if (meets(reads, n_reads, o->write, o->n_writes) &&
                     !(w->im->is_machine_code && reads_in_order(w, w->from, at)))
                w->report(w->user, at, "overwrites an operand that may not have been read");
            w->stack[w->n++] = at;
        }
    }
}

static uint8_t counter_behind(const struct walk *w) {
    const struct cfg_block *const b = &w->cfg->block[w->cfg->block_of[w->from]];
    for (uint32_t pc = w->from + 1; pc < b->first + b->n; pc++)
        if (in_order(w, w->from, pc) && w->im->control[pc].write != CONTROL_NONE)
            return w->im->control[pc].write;
    return CONTROL_NONE;
}

static void follow(struct walk *w) {
    const struct control_operands *const o = &w->operands[w->from];
    const struct code_control *const k = &w->im->control[w->from];
    if (crosses_nothing(w, w->from)) return;
    const bool is_ours = !w->im->is_machine_code;
    const bool is_variable = control_is_variable(&w->im->target.latencies, &w->im->inst[w->from]) &&
                             !is_counted_load(w, w->from) && !is_counted_out(w, w->from);
    if (!is_variable && (is_ours || k->write == CONTROL_NONE)) {
        if (o->n_writes != 0) follow_fixed(w);
        return;
    }
    const uint8_t write = k->write == CONTROL_NONE && !is_ours ? counter_behind(w) : k->write;
    // Once the results are written the operands have been read.
    const uint8_t either = bit_of(write) | bit_of(k->read);
    if (o->n_writes != 0) {
        // Real compilers give none to a result that nothing reads (`LDC R1` at the entry of 9.0).
        if (write == CONTROL_NONE && is_ours)
            w->report(w->user, w->from, "has a result of variable latency and no counter");
        // An atomic's predicate, whether its address was one of global memory, is there with its operands.
        uint16_t value[CONTROL_MAX_OPERANDS], predicate[CONTROL_MAX_OPERANDS];
        uint32_t n_values = 0, n_predicates = 0;
        for (uint32_t i = 0; i < o->n_writes; i++)
            if (!is_ours && o->write[i] >= CONTROL_PRED && w->im->inst[w->from].op == OP_ATOM)
                predicate[n_predicates++] = o->write[i];
            else
                value[n_values++] = o->write[i];
        if (n_values != 0) follow_counter(w, bit_of(write), value, n_values, NULL, 0);
        if (n_predicates != 0) follow_counter(w, either, predicate, n_predicates, NULL, 0);
    }
    // Within how many cycles operands are read that no counter keeps real compilers know; we do not.
    uint16_t read[CONTROL_MAX_OPERANDS];
    uint32_t n_reads = 0; // guards and predicates are read at once
    for (uint32_t i = 0; i < o->n_reads; i++)
        if (is_ours || o->read[i] < CONTROL_PRED) read[n_reads++] = o->read[i];
    if (n_reads != 0 && (is_ours || k->read != CONTROL_NONE))
        follow_counter(w, either, NULL, 0, read, n_reads);
}

void control_verify(const struct code_image *im, struct arena *scratch,
                    void (*report)(void *user, uint32_t pc, const char *what), void *user) {
    struct walk w = {.im = im, .report = report, .user = user, .steps_room = 1u << 14};
    struct control_operands *const operands =
        arena_alloc(scratch, (size_t)im->n_insts * sizeof *operands);
    for (uint32_t pc = 0; pc < im->n_insts; pc++) control_operands(&im->inst[pc], &operands[pc]);
    w.operands = operands;
    w.cfg = cfg_build_image(scratch, im);
    w.seen = arena_alloc(scratch, (size_t)im->n_insts * sizeof *w.seen);
    w.to = arena_alloc(scratch, ((size_t)w.cfg->n + 1) * sizeof *w.to);
    w.stack = arena_alloc(scratch, ((size_t)im->n_insts + 1) * sizeof *w.stack);
    w.steps = arena_alloc(scratch, w.steps_room * sizeof *w.steps);
    for (w.from = 0; w.from < im->n_insts; w.from++) {
        const struct code_control *const k = &im->control[w.from];
        const bool has_stall = im->is_machine_code || k->stall >= 1;
        if (!has_stall || k->stall > CONTROL_MAX_STALL) report(user, w.from, "has no stall count");
        follow(&w);
    }
}
