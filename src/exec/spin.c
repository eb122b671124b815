// Warps that spin for ever. A warp is a function of its own state and of memory. Let it run alone
// for a while, with memory as it is: when its state recurs, and nothing that it did changed memory,
// it will repeat that for as long as nothing else changes memory. When this holds for all warps
// that can still run, and no copy is under way, memory never changes again: the launch is stuck,
// which is then proven, not guessed.
//
// The period is found by Brent's method: the state is compared with one kept from before, which is
// renewed after 1, 2, 4 ... steps. Everything that the trial did to the warp and to its block's
// shared memory is put back. A loop that counts its turns does not recur before the count wraps,
// and so is not taken for one that spins for ever.
#include <stdlib.h>

#include "exec/its.h"
#include "exec/log.h"
#include "exec/step.h"
#include "exec/wait.h"

enum { MOST_STEPS = 1 << 20 };

// A warp's state: what it is, and copies of what it points to.
struct state {
    struct exec_warp warp;
    struct its its;
    uint8_t *bytes; // registers, local memory, stack, nodes
};
struct trial {
    struct exec_warp *w;
    struct exec_env env;
    struct state first, anchor;
    uint8_t *shared;
    size_t regs, local, stack, nodes; // bytes
    struct exec_spin spin;
    uint32_t ran; // lanes that were active since the anchor
};

static bool keep(const struct trial *t, struct state *s) {
    const struct exec_warp *const w = t->w;
    const size_t stack = w->sp * sizeof *w->stack;
    const size_t nodes = w->its ? w->its->cap * sizeof *w->its->node : 0;
    uint8_t *const p = realloc(s->bytes, t->regs + t->local + stack + nodes + 1);
    if (!p) return false;
    s->bytes = p;
    s->warp = *w;
    memcpy(p, w->regs, t->regs);
    memcpy(p + t->regs, w->local, t->local);
    memcpy(p + t->regs + t->local, w->stack, stack);
    if (!w->its) return true;
    memcpy(&s->its, w->its, sizeof s->its);
    memcpy(p + t->regs + t->local + stack, w->its->node, nodes);
    return true;
}
static void put_back(const struct trial *t) {
    const struct state *const s = &t->first;
    struct exec_warp *const w = t->w;
    struct exec_cta *const cta = w->cta;
    *w = s->warp;
    const size_t stack = w->sp * sizeof *w->stack;
    memcpy(w->regs, s->bytes, t->regs);
    memcpy(w->local, s->bytes + t->regs, t->local);
    memcpy(w->stack, s->bytes + t->regs + t->local, stack);
    memcpy(cta->shared, t->shared, cta->shared_bytes);
    if (!w->its) return;
    *w->its = s->its;
    memcpy(w->its->node, s->bytes + t->regs + t->local + stack, w->its->cap * sizeof *w->its->node);
}
static bool recurs(const struct trial *t) {
    const struct exec_warp *const w = t->w, *const a = &t->anchor.warp;
    if (w->pc != a->pc || w->active != a->active || w->sp != a->sp || w->live != a->live ||
        w->reconv != a->reconv || w->kind != a->kind || w->carry != a->carry ||
        memcmp(w->pred, a->pred, sizeof w->pred))
        return false;
    const uint8_t *const p = t->anchor.bytes;
    const size_t stack = w->sp * sizeof *w->stack;
    if (memcmp(p, w->regs, t->regs) || memcmp(p + t->regs, w->local, t->local) ||
        memcmp(p + t->regs + t->local, w->stack, stack))
        return false;
    return !w->its || (!memcmp(&t->anchor.its, w->its,
                               offsetof(struct its, leaf) + w->its->n * sizeof w->its->leaf[0]) &&
                       !memcmp(p + t->regs + t->local + stack, w->its->node,
                               w->its->used * sizeof *w->its->node));
}

// What it repeats: an atomic says more than a load, and the last of its kind is what it waits for.
static void note(struct trial *t, uint32_t pc) {
    const struct exec_access *const a = &t->env.access;
    if (a->kind != ACCESS_LOAD && a->kind != ACCESS_ATOMIC) return;
    struct exec_spin *const s = &t->spin;
    const bool is_atomic = a->kind == ACCESS_ATOMIC;
    if (!a->mask || (s->has_access && !is_atomic && t->w->code[s->pc].op == OP_ATOM)) return;
    if (!is_atomic && t->w->code[pc].op != OP_LD) return;
    const uint32_t lane = bits_first32(a->mask);
    *s = (struct exec_spin){.pc = pc, .has_access = true, .lanes = a->mask, .addr = a->addr[lane]};
    s->space = a->mask2 >> lane & 1 ? PTX_SPACE_SHARED : a->space;
    s->bytes = a->bytes > 8 ? 8 : a->bytes;
    const struct exec_cta *const c = t->w->cta;
    const uint8_t *host = NULL;
    if (s->space == PTX_SPACE_SHARED)
        host = c->shared + s->addr;
    else if (s->space == PTX_SPACE_GLOBAL)
        host = devmem_host(t->env.memory, s->addr, s->bytes);
    if (host) memcpy(&s->value, host, s->bytes);
}

// What a memory access did leaves memory as it is, and nothing that it read is the host's to write.
static bool is_harmless(struct trial *t) {
    const struct exec_access *const a = &t->env.access;
    const struct exec_cta *const c = t->w->cta;
    struct exec_log *const log = t->env.log;
    if (a->kind != ACCESS_FENCE && (a->space == PTX_SPACE_GLOBAL || a->space == PTX_SPACE_TEX))
        FOR_EACH_BIT32(i, a->mask & ~a->mask2)
            if (devmem_is_mapped(t->env.memory, a->addr[i])) return false;
    const bool shared = a->space == PTX_SPACE_SHARED || a->mask2 || a->kind == ACCESS_ASYNC_COPY;
    if (shared && a->kind != ACCESS_LOAD && memcmp(c->shared, t->shared, c->shared_bytes))
        return false;
    if (exec_log_is_empty(log)) return true;
    struct exec_fault fault;
    return !log_changes(log) && exec_commit(t->env.memory, &log, 1, &fault);
}

static bool one_step(struct trial *t) {
    struct exec_warp *const w = t->w;
    const uint32_t pc = w->pc;
    const struct xinst *const x = w->code + pc;
    const uint32_t sreg = x->op == OP_S2R ? x->a : 0;
    if (x->op == OP_S2R && sreg >= PTX_SREG_clock && sreg <= PTX_SREG_globaltimer_hi) return false;
    t->ran |= w->active;
    const enum exec_outcome o = step(&t->env, w);
    if (o == EXEC_MEMORY) {
        note(t, pc);
        return is_harmless(t);
    }
    return (o == EXEC_NEXT || o == EXEC_SLEEP) && exec_log_is_empty(t->env.log);
}

// Steps until the state recurs.
static bool find_period(struct trial *t) {
    uint32_t power = 1, since = 0;
    if (!keep(t, &t->anchor)) return false;
    for (uint32_t n = 0; n < MOST_STEPS; n++) {
        if (!one_step(t)) return false;
        if (recurs(t)) return true;
        if (++since < power) continue;
        power *= 2;
        since = 0;
        t->spin = (struct exec_spin){0};
        t->ran = 0;
        if (!keep(t, &t->anchor)) return false;
    }
    return false;
}

// Where lanes wait that took no part.
static void find_parked(struct trial *t) {
    const struct exec_warp *const w = t->w;
    t->spin.parked = w->live & ~t->ran;
    if (!t->spin.lanes) t->spin.lanes = w->active;
    if (!t->spin.has_access) t->spin.pc = w->pc;
    t->spin.parked_pc = UINT32_MAX;
    if (w->its || !t->spin.parked) return;
    // Of the entries that hold them the highest: where they stand now.
    for (uint32_t k = w->sp; k-- > 0;)
        if (w->stack[k].mask & t->spin.parked) {
            t->spin.parked &= w->stack[k].mask;
            t->spin.parked_pc = w->stack[k].pc;
            return;
        }
}

bool exec_spins(struct devmem *m, struct exec_warp *w, uint64_t cycle, struct exec_spin *out) {
    struct exec_cta *const c = w->cta;
    struct exec_launch *const l = c->launch;
    struct trial t = {.w = w,
                      .env = {.memory = m, .cycle = cycle, .log = exec_log_create()},
                      .regs = (size_t)l->n_regs * VEC_BYTES,
                      .local = (size_t)l->local_words * VEC_BYTES,
                      .shared = malloc(c->shared_bytes + 1ul)};
    bool spins = false;
    // What a trial does is no finding.
    struct exec_shared_check *const check = c->check;
    const struct exec_options options = l->args.options;
    c->check = NULL;
    l->args.options.check_sync = false;
    if (t.env.log && t.shared && keep(&t, &t.first)) {
        memcpy(t.shared, c->shared, c->shared_bytes);
        spins = find_period(&t);
        if (spins) find_parked(&t);
        put_back(&t);
    }
    l->args.options = options;
    c->check = check;
    exec_log_destroy(t.env.log);
    free(t.shared);
    free(t.first.bytes);
    free(t.anchor.bytes);
    *out = t.spin;
    return spins;
}

const char *exec_spin_text(const struct exec_warp *w, const struct exec_spin *s, char *text,
                           size_t size) {
    const struct code_image *const im = w->cta->launch->im;
    const struct minst *const m = &im->inst[s->pc];
    char asks[96] = "", waits[192] = "";
    if (s->has_access)
        snprintf(asks, sizeof asks, " on the %s address 0x%llx, which holds %llu",
                 s->space == PTX_SPACE_SHARED  ? "shared"
                 : s->space == PTX_SPACE_LOCAL ? "local"
                                               : "global",
                 (unsigned long long)s->addr, (unsigned long long)s->value);
    if (s->parked && s->parked_pc < im->n_insts)
        snprintf(waits, sizeof waits,
                 ", while lanes 0x%08x of this warp wait at PTX line %u for them: lanes of a warp "
                 "go on apart only from compute capability 7.0 on",
                 s->parked, im->inst[s->parked_pc].ptx_line);
    snprintf(text, size, "block (%u,%u,%u) warp %u: lanes 0x%08x spin at PTX line %u (%s)%s%s",
             w->cta->id[0], w->cta->id[1], w->cta->id[2], w->warp_in_cta, s->lanes, m->ptx_line,
             mop_info[m->op].text, asks, waits);
    return text;
}
