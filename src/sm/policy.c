// Calls to the policies of an SM, in their order. Only reached when there are any.
#include "sm/sm_state.h"

void policy_cycle(struct sm *s, uint64_t t) {
    for (uint32_t i = 0; i < s->n_policies; i++) {
        const struct sm_policy *const p = s->policy[i];
        while (p->epoch_cycles != 0 && s->is_busy && s->epoch_next[i] <= t) {
            if (p->epoch != NULL) p->epoch(p->self, &s->v, s->epoch_next[i]);
            s->epoch_next[i] += p->epoch_cycles;
        }
        if (p->cycle != NULL) p->cycle(p->self, &s->v);
    }
}

uint64_t policy_next_event(struct sm *s) {
    uint64_t next = NEVER;
    for (uint32_t i = 0; i < s->n_policies; i++) {
        const struct sm_policy *const p = s->policy[i];
        if (p->epoch_cycles != 0 && s->is_busy) next = min64(next, s->epoch_next[i]);
        if (p->next_event != NULL) next = min64(next, p->next_event(p->self, &s->v));
    }
    return next;
}

uint64_t policy_prefer(struct sm *s, uint32_t sc, uint64_t ready) {
    for (uint32_t i = 0; i < s->n_policies && ready != 0; i++)
        if (s->policy[i]->prefer != NULL)
            ready &= s->policy[i]->prefer(s->policy[i]->self, &s->v, sc, ready);
    return ready;
}

bool policy_unit_on(struct sm *s, uint32_t pipe) {
    for (uint32_t i = 0; i < s->n_policies; i++)
        if (s->policy[i]->unit_on != NULL &&
            !s->policy[i]->unit_on(s->policy[i]->self, &s->v, pipe))
            return false;
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
    for (uint32_t i = 0; i < s->n_policies; i++)
        if (s->policy[i]->rf_access != NULL)
            extra += s->policy[i]->rf_access(s->policy[i]->self, w, reg, s->bank_of[reg + w], lanes,
                                             is_write, cycle);
    return extra;
}

uint32_t policy_array(struct sm *s, enum sm_array array, uint64_t addr, uint32_t sectors,
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
    for (uint32_t i = 0; i < s->n_policies; i++)
        if (s->policy[i]->array_access != NULL)
            extra += s->policy[i]->array_access(s->policy[i]->self, &a);
    return extra;
}

void policy_issue(struct sm *s, struct sm_issue *issue) {
    for (uint32_t i = 0; i < s->n_policies; i++)
        if (s->policy[i]->issue != NULL) s->policy[i]->issue(s->policy[i]->self, &s->v, issue);
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
