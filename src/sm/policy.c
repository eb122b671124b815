// Calls to the policies of an SM, in their order. Only reached when there are any.
#include "sm/sm_state.h"

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

void policy_pipes(struct sm *s, uint64_t none, uint64_t part) {
    s->pipes_none = none;
    s->pipes_part = part;
    s->units_held = s->hooks & HOOK_UNIT ? (1u << UNIT_N) - (2u << UNIT_NONE) : 0; // any may be held
    for (uint32_t u = UNIT_NONE + 1; u < UNIT_N; u++)
        s->units_held |= (uint32_t)((s->unit_pipes[u] & (none | part)) != 0) << u;
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
    for (uint32_t i = 0; i < s->n_policies; i++)
        if (s->policy[i]->unit_wanted != NULL)
            next = min64(next, s->policy[i]->unit_wanted(s->policy[i]->self, &s->v, unit, pipes,
                                                         ready));
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
