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

#include "exec/bulk.h"
#include "exec/converge.h"
#include "exec/log.h"
#include "exec/step.h"
#include "exec/wait.h"
#include "isa/op.h"

enum { MOST_STEPS = 1 << 20 };

// A warp's state: what it is, and copies of what it points to.
struct state {
    struct exec_warp warp;
    uint8_t *bytes; // registers, local memory, then the spans
    struct converge_span span[CONVERGE_SPANS];
    uint32_t spans;
};
struct trial {
    struct exec_warp *w;
    struct exec_env env;
    struct state first, anchor;
    uint8_t *shared;
    const struct converge *converge;
    size_t regs, local; // bytes
    struct exec_spin spin;
    uint32_t ran; // lanes that were active since the anchor
};

static bool keep(const struct trial *t, struct state *s) {
    const struct exec_warp *const w = t->w;
    s->spans = t->converge->spans(w, s->span);
    size_t all = t->regs + t->local + 1;
    for (uint32_t k = 0; k < s->spans; k++) all += s->span[k].bytes;
    uint8_t *p = realloc(s->bytes, all);
    if (!p) return false;
    s->bytes = p;
    s->warp = *w;
    memcpy(p, w->regs, t->regs);
    memcpy(p + t->regs, w->local, t->local);
    p += t->regs + t->local;
    for (uint32_t k = 0; k < s->spans; p += s->span[k++].bytes)
        memcpy(p, s->span[k].at, s->span[k].bytes);
    return true;
}
static void put_back(const struct trial *t) {
    const struct state *const s = &t->first;
    struct exec_warp *const w = t->w;
    struct exec_cta *const cta = w->cta;
    *w = s->warp;
    memcpy(w->regs, s->bytes, t->regs);
    memcpy(w->local, s->bytes + t->regs, t->local);
    memcpy(cta->shared, t->shared, cta->shared_bytes);
    const uint8_t *p = s->bytes + t->regs + t->local;
    for (uint32_t k = 0; k < s->spans; p += s->span[k++].bytes)
        memcpy(s->span[k].at, p, s->span[k].bytes);
}
static bool recurs(const struct trial *t) {
    const struct exec_warp *const w = t->w, *const a = &t->anchor.warp;
    if (w->pc != a->pc || w->active != a->active || w->sp != a->sp || w->live != a->live ||
        w->reconv != a->reconv || w->kind != a->kind || memcmp(w->pred, a->pred, sizeof w->pred))
        return false;
    const uint8_t *p = t->anchor.bytes;
    if (memcmp(p, w->regs, t->regs) || memcmp(p + t->regs, w->local, t->local)) return false;
    struct converge_span span[CONVERGE_SPANS];
    const uint32_t n = t->converge->spans(w, span);
    p += t->regs + t->local;
    for (uint32_t k = 0; k < n; p += span[k++].bytes)
        if (span[k].bytes != t->anchor.span[k].bytes || memcmp(p, span[k].at, span[k].bytes))
            return false;
    return true;
}

// What it repeats: an atomic says more than a load, and the last of its kind is what it waits for.
static void note(struct trial *t, uint32_t pc) {
    const struct exec_access *const a = &t->env.access;
    if (a->kind != ACCESS_LOAD && a->kind != ACCESS_ATOMIC && a->kind != ACCESS_WAIT) return;
    struct exec_spin *const s = &t->spin;
    const bool is_atomic = a->kind == ACCESS_ATOMIC;
    if (!a->mask || (s->has_access && !is_atomic && t->w->code[s->pc].op == OP_ATOM)) return;
    if (!is_atomic && t->w->code[pc].op != OP_LD && t->w->code[pc].op != OP_PHASECHK) return;
    const uint32_t lane = bits_first32(a->mask);
    *s = (struct exec_spin){.pc = pc, .has_access = true, .lanes = a->mask, .addr = a->addr[lane]};
    s->space = a->mask2 >> lane & 1 ? SPACE_SHARED : a->space;
    s->bytes = a->bytes > 8 ? 8 : a->bytes;
    const struct exec_cta *const c = t->w->cta;
    const uint8_t *host = NULL;
    struct exec_range r;
    if (s->space == SPACE_SHARED)
        host = c->shared + s->addr;
    else if (s->space == SPACE_GLOBAL && devmem_reachable(t->env.memory, s->addr, s->bytes, &r))
        host = range_host(&r, s->addr);
    if (host) memcpy(&s->value, host, s->bytes);
}

// What a memory access did leaves memory as it is, and nothing that it read is the host's to write.
static bool is_harmless(struct trial *t) {
    const struct exec_access *const a = &t->env.access;
    const struct exec_cta *const c = t->w->cta;
    struct exec_log *const log = t->env.log;
    if (a->kind == ACCESS_BULK || a->kind == ACCESS_ARRIVE_LATER) return false;
    if (a->kind != ACCESS_FENCE && (a->space == SPACE_GLOBAL || a->space == SPACE_TEX))
        FOR_EACH_BIT32(i, a->mask & ~a->mask2)
            if (devmem_is_mapped(t->env.memory, a->addr[i])) return false;
    const bool shared = a->space == SPACE_SHARED || a->mask2 || a->kind == ACCESS_ASYNC_COPY;
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
    if (x->op == OP_S2R && isa_sreg_is_clock(sreg)) return false;
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
    t->spin.parked_pc =
        t->spin.parked ? t->converge->parked(w, &t->spin.parked) : (uint32_t)UINT32_MAX;
}

bool exec_spins(struct devmem *m, struct exec_warp *w, uint64_t cycle, struct exec_spin *out) {
    struct exec_cta *const c = w->cta;
    struct exec_launch *const l = c->launch;
    struct trial t = {.w = w,
                      .env = {.memory = m, .cycle = cycle, .log = exec_log_create(), .remote_waits = true},
                      .converge = l->converge,
                      .regs = (size_t)l->n_regs * VEC_BYTES,
                      .local = (size_t)l->local_words * VEC_BYTES,
                      .shared = malloc(c->shared_bytes + 1ul)};
    bool spins = false;
    // What a trial does is no finding.
    struct exec_shared_check *const check = c->check;
    const struct exec_options options = l->args.options;
    const uint32_t missing = c->missing, came = c->came;
    c->check = NULL;
    l->args.options.check_sync = false;
    if (t.env.log && t.shared && keep(&t, &t.first)) {
        memcpy(t.shared, c->shared, c->shared_bytes);
        spins = find_period(&t);
        if (spins) find_parked(&t);
        put_back(&t);
    }
    l->args.options = options;
    c->missing = missing;
    c->came = came;
    c->check = check;
    exec_log_destroy(t.env.log);
    exec_bulks_destroy(t.env.bulks);
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
                 s->space == SPACE_SHARED  ? "shared"
                 : s->space == SPACE_LOCAL ? "local"
                                               : "global",
                 (unsigned long long)s->addr, (unsigned long long)s->value);
    if (s->parked && s->parked_pc < im->n_insts)
        snprintf(waits, sizeof waits,
                 ", while lanes 0x%08x of this warp wait at %s for them: lanes of a warp "
                 "go on apart only from compute capability 7.0 on",
                 s->parked, code_place(im, s->parked_pc).text);
    snprintf(text, size, "block (%u,%u,%u) warp %u: lanes 0x%08x spin at %s (%s)%s%s",
             w->cta->id[0], w->cta->id[1], w->cta->id[2], w->warp_in_cta, s->lanes,
             code_place(im, s->pc).text, mop_info[m->op].text, asks, waits);
    return text;
}
