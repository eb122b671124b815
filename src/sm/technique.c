// The techniques of an SM: which of them has which port, epochs, and calls that come seldom. Only
// reached when there are any.
#include "sm/caches.h"
#include "sm/sm_state.h"
#include "sm/units.h"

// ---- setting them ------------------------------------------------------------------------------
// As if there had never been any.
static void forget(struct sm *s) {
    s->tech = (struct techniques){.lapse_at = NEVER};
    s->alarms.at[ALARM_EPOCH] = s->alarms.at[ALARM_RETRY] = NEVER;
    gate_forget(s);
}

static void list(struct sm_list *l, const struct sm_technique *t, bool has_it) {
    if (has_it) l->t[l->n++] = t;
}

// What one technique of an SM at most has. NULL, or what a second one would have.
static const char *add_single(struct sm *s, const struct sm_technique *t) {
    struct techniques *const k = &s->tech;
    if (t->gate != NULL) {
        if (k->gate != NULL) return "switches whole pipelines";
        k->gate = t;
        s->gates.gate = t->gate->gate;
        s->gates.more = t->gate->pipes & ~(BIT64(SM_LANE_PIPES) - 1);
    }
    if (t->lanes != NULL) {
        if (k->lanes != NULL) return "looks at single lanes";
        k->lanes = t;
        k->gated_lanes = t->lanes->lanes;
    }
    if (t->arrays != NULL && t->arrays->lapses_at != NULL) {
        if (k->lapses != NULL) return "has lines of caches lapse";
        k->lapses = t;
    }
    return NULL;
}

enum ww_status sm_set_techniques(struct sm *s, const struct sm_technique *const *list_of,
                                 uint32_t n, struct diags *d) {
    if (n > SM_MAX_TECHNIQUES)
        return diag_add(d, WW_ERROR_CONFIG, "an SM runs at most %u techniques, %u were given",
                        SM_MAX_TECHNIQUES, n);
    if (s->res.n_ctas != 0)
        return diag_add(d, WW_ERROR_INTERNAL, "techniques must be set before the first CTA");
    forget(s);
    struct techniques *const k = &s->tech;
    for (uint32_t i = 0; i < n; i++) {
        const struct sm_technique *const t = list_of[i];
        list(&k->all, t, true);
        if (t->choice != NULL) {
            k->choice[k->n_choices].among = t->choice->among;
            k->choice[k->n_choices++].self = t->self;
        }
        if (t->clock != NULL && t->clock->cycle != NULL) {
            k->cycle[k->n_cycles].cycle = t->clock->cycle;
            k->cycle[k->n_cycles++].self = t->self;
        }
        list(&k->issue, t, t->issue != NULL);
        list(&k->rows, t, t->rows != NULL);
        list(&k->arrays, t, t->arrays != NULL);
        list(&k->clock, t, t->clock != NULL);
        list(&k->rest, t, t->clock != NULL && t->clock->rest != NULL);
        if (t->arrays != NULL) k->heard |= t->arrays->arrays;
        k->counts_idle |= t->counts_idle;
        const char *const second = add_single(s, t);
        if (second != NULL)
            return diag_add(d, WW_ERROR_CONFIG,
                            "%s is the second technique that %s: an SM takes one", t->name, second);
    }
    s->is_summed = false;
    gate_all_on(s);
    step_choose(s);
    return WW_OK;
}

// ---- time --------------------------------------------------------------------------------------
// Lines that a technique has switched off by now are dropped.
void technique_lapse(struct sm *s, uint64_t t) {
    const struct sm_technique *const x = s->tech.lapses;
    s->tech.lapse_at = (t / x->arrays->lapse_cycles + 1) * x->arrays->lapse_cycles;
    FOR_EACH_BIT32(client, x->arrays->arrays & ((1u << CLIENT_N) - 1)) {
        if (client == CLIENT_INST || !caches_lapse(&s->caches, (enum mem_client)client, x, t))
            continue;
        if (client == CLIENT_CONST) front_forget_constants(s);
    }
}

uint64_t technique_wake(struct sm *s, uint64_t cycle) {
    uint64_t later = 0;
    bool is_cold = false;
    for (uint32_t i = 0; i < s->tech.all.n; i++) {
        const struct sm_technique *const t = s->tech.all.t[i];
        if (t->life == NULL || t->life->wake == NULL) continue;
        later = max64(later, t->life->wake(t->self, cycle, &is_cold));
    }
    if (is_cold) sm_forget_caches(s, cycle);
    return later;
}

void technique_work(struct sm *s, bool begins, uint64_t cycle) {
    struct techniques *const k = &s->tech;
    for (uint32_t i = 0; i < k->all.n; i++) {
        const struct sm_technique *const t = k->all.t[i];
        if (t->life != NULL && t->life->work != NULL) t->life->work(t->self, &s->v, begins, cycle);
    }
    s->alarms.at[ALARM_EPOCH] = NEVER;
    for (uint32_t i = 0; begins && i < k->clock.n; i++) {
        const uint32_t epoch = k->clock.t[i]->clock->epoch_cycles;
        k->epoch_next[i] = epoch != 0 ? (cycle / epoch + 1) * epoch : NEVER;
        s->alarms.at[ALARM_EPOCH] = min64(s->alarms.at[ALARM_EPOCH], k->epoch_next[i]);
    }
    k->lapse_at = NEVER;
    if (begins && k->lapses != NULL) technique_lapse(s, cycle);
    s->alarms.at[ALARM_EPOCH] = min64(s->alarms.at[ALARM_EPOCH], k->lapse_at);
    gate_look(s, cycle);
}

// Epochs and `cycle` in the order of the techniques, so that each finds what those before it have
// done.
void technique_epoch(struct sm *s, uint64_t t) {
    struct techniques *const k = &s->tech;
    s->alarms.at[ALARM_EPOCH] = NEVER;
    for (uint32_t i = 0; i < k->clock.n; i++) {
        const struct sm_technique *const x = k->clock.t[i];
        for (; k->epoch_next[i] <= t; k->epoch_next[i] += x->clock->epoch_cycles)
            x->clock->epoch(x->self, &s->v, k->epoch_next[i]);
        if (x->clock->cycle != NULL) x->clock->cycle(x->self, &s->v);
        s->alarms.at[ALARM_EPOCH] = min64(s->alarms.at[ALARM_EPOCH], k->epoch_next[i]);
    }
    s->alarms.at[ALARM_EPOCH] = min64(s->alarms.at[ALARM_EPOCH], k->lapse_at);
}

void technique_rest(struct sm *s) {
    for (uint32_t i = 0; i < s->tech.rest.n; i++)
        s->tech.rest.t[i]->clock->rest(s->tech.rest.t[i]->self, &s->v);
}

// ---- what comes seldom -------------------------------------------------------------------------
void technique_kernel(struct sm *s, uint32_t slot, const struct code_image *image) {
    for (uint32_t i = 0; i < s->tech.all.n; i++) {
        const struct sm_technique *const t = s->tech.all.t[i];
        if (t->life != NULL && t->life->kernel != NULL) t->life->kernel(t->self, slot, image);
    }
}

void technique_warp(struct sm *s, const struct sm_warp_event *e) {
    for (uint32_t i = 0; i < s->tech.all.n; i++) {
        const struct sm_technique *const t = s->tech.all.t[i];
        if (t->life != NULL && t->life->warp != NULL) t->life->warp(t->self, e);
    }
}

void technique_issued(struct sm *s, const struct issue *i, uint32_t pipe, uint64_t t) {
    const struct sm_issue told = {.cycle = t,
                                  .warp = i->warp,
                                  .scheduler = i->scheduler,
                                  .pc = i->pc,
                                  .kernel_slot = s->res.warp[i->warp].kslot,
                                  .lanes = i->lanes,
                                  .klass = i->in->klass,
                                  .unit = i->in->unit,
                                  .pipe = (uint8_t)pipe,
                                  .is_second = i->is_second};
    for (uint32_t k = 0; k < s->tech.issue.n; k++)
        s->tech.issue.t[k]->issue->issued(s->tech.issue.t[k]->self, &s->v, &told);
}

uint32_t technique_rows(const struct sm *s, const struct sm_row_access *a, bool is_write) {
    uint32_t later = 0;
    for (uint32_t i = 0; i < s->tech.rows.n; i++) {
        const struct sm_technique *const t = s->tech.rows.t[i];
        later += is_write ? t->rows->write(t->self, a) : t->rows->read(t->self, a);
    }
    return later;
}

uint32_t technique_array(const struct techniques *k, const struct cache_event *e) {
    uint32_t extra = 0;
    for (uint32_t i = 0; i < k->arrays.n; i++) {
        const struct sm_technique *const t = k->arrays.t[i];
        if (t->arrays->arrays >> e->array & 1) extra += t->arrays->hear(t->self, e);
    }
    return extra;
}
