// Calls to the policies of an SM, in their order. Only reached when there are any.
#include "sm/sm_state.h"
#include "sm/units.h"

// Epochs and `cycle` in the order of the policies, so that each finds what those before it have done.
void policy_epochs(struct sm *s, uint64_t t) {
    s->epoch_at = NEVER;
    for (uint32_t i = 0; i < s->n_policies; i++) {
        const struct sm_policy *const p = s->policy[i];
        while (s->epoch_next[i] <= t) {
            if (p->epoch != NULL) p->epoch(p->self, &s->v, s->epoch_next[i]);
            s->epoch_next[i] += p->epoch_cycles;
        }
        if (p->cycle != NULL) p->cycle(p->self, &s->v);
        s->epoch_at = min64(s->epoch_at, s->epoch_next[i]);
    }
}

// The pipelines of a unit that are on, in the order in which an instruction tries them: the lowest-numbered
// first. But where INT and FP of a cluster cannot take one in the same cycle, a cluster whose other pipeline
// is off comes first: the other scheduler's instruction, if it is of the other type, then finds its own where
// it is on.
static void order_pipes(struct sm *s, uint32_t unit) {
    const uint64_t on = s->unit_pipes[unit] & ~s->pipes_none;
    uint64_t first = 0;
    if (units_has_twin(s, unit))
        FOR_EACH_BIT64(p, on)
            if (s->pipes_none >> units_twin(unit, (uint32_t)p) & 1) first |= BIT64(p);
    uint8_t *to = s->pipes_on[unit];
    FOR_EACH_BIT64(p, first) *to++ = (uint8_t)p;
    FOR_EACH_BIT64(p, on & ~first) *to++ = (uint8_t)p;
    *to = SM_PIPES;
    s->on_free_at[unit] = units_on_free_at(s, unit);
    s->units_busy |= 1u << unit; // is it? who looks next will see
}

void policy_pipes(struct sm *s, uint64_t none) {
    s->pipes_none = none;
    for (uint32_t u = UNIT_NONE + 1; u < UNIT_N; u++) order_pipes(s, u);
}

void policy_parts(struct sm *s, uint64_t part) {
    s->pipes_part = part;
    s->units_held = s->hooks & HOOK_UNIT ? (1u << UNIT_N) - (2u << UNIT_NONE) : 0; // any may be held
    for (uint32_t u = UNIT_NONE + 1; u < UNIT_N; u++)
        s->units_held |= (uint32_t)((s->unit_pipes[u] & part) != 0) << u;
}

void policy_leave(struct sm *s, uint64_t next) {
    for (uint32_t i = 0; i < s->n_turns; i++)
        if (s->turn[i].p->leave != NULL && policy_has_turn(s, i, next - 1))
            s->turn[i].p->leave(s->turn[i].p->self, &s->v);
}

uint64_t policy_next_event(struct sm *s) {
    uint64_t next = NEVER;
    for (uint32_t i = 0; i < s->on_next.n; i++)
        next = min64(next, s->on_next.p[i]->next_event(s->on_next.p[i]->self, &s->v));
    return next;
}

uint64_t policy_prefer(struct sm *s, uint32_t sc, uint64_t ready) {
    for (uint32_t i = 0; i < s->on_prefer.n && ready != 0; i++)
        ready &= s->on_prefer.p[i]->prefer(s->on_prefer.p[i]->self, &s->v, sc, ready);
    return ready;
}

bool policy_unit_on(struct sm *s, uint32_t pipe) {
    for (uint32_t i = 0; i < s->on_unit.n; i++)
        if (!s->on_unit.p[i]->unit_on(s->on_unit.p[i]->self, &s->v, pipe)) return false;
    return true;
}

uint64_t policy_unit_wanted(struct sm *s, uint32_t unit, uint64_t pipes, uint64_t ready) {
    uint64_t next = NEVER;
    for (uint32_t i = 0; i < s->on_wanted.n; i++)
        next = min64(next, s->on_wanted.p[i]->unit_wanted(s->on_wanted.p[i]->self, &s->v, unit, pipes, ready));
    return next;
}

uint32_t policy_rf(struct sm *s, uint32_t w, uint32_t reg, uint32_t lanes, bool is_write,
                   uint64_t cycle) {
    uint32_t extra = 0;
    for (uint32_t i = 0; i < s->on_rf.n; i++)
        extra += s->on_rf.p[i]->rf_access(s->on_rf.p[i]->self, w, reg, s->bank_of[reg + w], lanes, is_write,
                                          cycle);
    return extra;
}

uint32_t policy_array_ask(struct sm *s, enum sm_array array, uint64_t addr, uint32_t sectors,
                          uint32_t lanes, bool is_write, bool is_hit, bool is_fill, uint64_t cycle) {
    static const uint8_t client[] = {[SM_ARRAY_L1D] = CLIENT_L1D,
                                     [SM_ARRAY_CONST] = CLIENT_CONST,
                                     [SM_ARRAY_TEX] = CLIENT_TEX,
                                     [SM_ARRAY_ICACHE] = CLIENT_INST,
                                     [SM_ARRAY_SHARED] = CLIENT_N};
    const uint32_t c = client[array];
    const struct cache *const tags = c < CLIENT_N ? s->cache[c].tags : NULL;
    const struct sm_array_access a = {.cycle = cycle,
                                      .array = array,
                                      .addr = addr,
                                      .sectors = sectors,
                                      .lanes = lanes,
                                      .line = tags != NULL ? cache_last_line(tags) : UINT32_MAX,
                                      .is_write = is_write,
                                      .is_hit = is_hit,
                                      .is_fill = is_fill};
    uint32_t extra = 0;
    for (uint32_t i = 0; i < s->on_array.n; i++)
        extra += s->on_array.p[i]->array_access(s->on_array.p[i]->self, &a);
    return extra;
}

void policy_warp(struct sm *s, enum sm_warp_event e, uint32_t w, uint32_t kslot, uint32_t regs,
                 uint32_t shared, uint64_t t) {
    for (uint32_t i = 0; i < s->n_policies; i++)
        if (s->policy[i]->warp != NULL)
            s->policy[i]->warp(s->policy[i]->self, e, w, kslot, regs, shared, t);
}

void policy_work(struct sm *s, bool begins, uint64_t cycle) {
    for (uint32_t i = 0; i < s->n_policies; i++)
        if (s->policy[i]->work != NULL) s->policy[i]->work(s->policy[i]->self, &s->v, begins, cycle);
}
