// A made-up SM for tests of techniques: a view that a test fills in, and savings_make with few
// words.
#ifndef WW_TEST_SAVINGS_VIEW_H
#define WW_TEST_SAVINGS_VIEW_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "sm/config.h"
#include "sm/technique.h"
#include "savings/savings.h"

// Words separated by spaces: mechanisms, and options as name=value.
static enum ww_status make(const char *words, uint32_t lane_groups, struct diags *d,
                           struct savings *s) {
    static char text[512];
    snprintf(text, sizeof text, "%s", words);
    struct savings_request r = {.n_mechanisms = 0};
    char *save = NULL;
    for (char *w = strtok_r(text, " ", &save); w; w = strtok_r(NULL, " ", &save)) {
        char *equals = strchr(w, '=');
        if (equals == NULL) {
            r.mechanism[r.n_mechanisms].name = w;
            r.mechanism[r.n_mechanisms++].where = "test";
            continue;
        }
        *equals = 0;
        r.option[r.n_options].name = w;
        r.option[r.n_options].value = equals + 1;
        r.option[r.n_options].where = "test";
        r.option[r.n_options++].must_be_used = true;
    }
    const struct sm_config c = {.lane_groups = lane_groups, .sfus = 1, .schedulers = 2};
    return savings_make(&r, &c, d, s);
}

struct fake {
    struct sm_view v;
    struct savings set;
    struct savings_sm *sm;
    const struct sm_technique *p[SM_MAX_TECHNIQUES];
    uint32_t n;
    uint64_t busy_until[SM_PIPES]; // as the last cycle saw them
    uint64_t epochs[SM_MAX_TECHNIQUES]; // that have ended
};

static inline void fake_make(struct fake *f, const char *words, uint32_t lane_groups) {
    struct diags d;
    diags_init(&d);
    *f = (struct fake){0};
    if (make(words, lane_groups, &d, &f->set) != WW_OK) {
        diags_print(&d, stderr);
        fail();
    }
    diags_free(&d);
    const struct sm_config c = {.lane_groups = lane_groups, .sfus = 1, .schedulers = 2};
    f->sm = savings_sm_create(&f->set, &c);
    assert_non_null(f->sm);
    f->n = savings_sm_techniques(f->sm, f->p);
    f->v.schedulers = 2;
    for (uint32_t i = 0; i < f->n; i++)
        if (f->p[i]->life && f->p[i]->life->work)
            f->p[i]->life->work(f->p[i]->self, &f->v, true, 0);
}
static inline void fake_cycle(struct fake *f, uint64_t t) {
    f->v.cycle = t;
    const bool has_gate = f->n != 0 && f->p[0]->gate != NULL;
    struct sm_gate *const gate = has_gate ? f->p[0]->gate->gate : NULL;
    for (uint32_t p = 0; p < SM_PIPES; p++) { // as the SM does when it books work
        if (gate != NULL && f->v.pipe[p].busy_until != f->busy_until[p])
            gate[p].off_from = f->v.pipe[p].busy_until + gate[p].window;
        f->busy_until[p] = f->v.pipe[p].busy_until;
    }
    for (uint32_t i = 0; i < f->n; i++) {
        const struct sm_clock_port *const c = f->p[i]->clock;
        for (; c && c->epoch && (f->epochs[i] + 1) * c->epoch_cycles <= t; f->epochs[i]++)
            c->epoch(f->p[i]->self, &f->v, (f->epochs[i] + 1) * c->epoch_cycles);
        if (c && c->cycle) c->cycle(f->p[i]->self, &f->v);
        // As the SM does when warps are there.
        const struct sm_lane_port *const l = f->p[i]->lanes;
        for (uint32_t type = 0; l && l->lanes && type < 2; type++)
            if (l->lanes->look_at[type] <= t) l->look(f->p[i]->self, &f->v, type);
    }
}
static inline void fake_end_of_cycle(struct fake *f) {
    for (uint32_t i = 0; i < f->n; i++)
        if (f->p[i]->clock && f->p[i]->clock->rest) f->p[i]->clock->rest(f->p[i]->self, &f->v);
}
// Of `ready`, what a scheduler chooses from.
static inline uint64_t fake_preferred(struct fake *f, uint32_t scheduler, uint64_t ready) {
    for (uint32_t i = 0; i < f->n; i++)
        if (f->p[i]->choice) ready = f->p[i]->choice->among(f->p[i]->self, &f->v, scheduler, ready);
    return ready;
}
static inline bool fake_on(struct fake *f, uint32_t pipe) {
    return f->p[0]->gate->gate[pipe].off_from > f->v.cycle;
}
static inline uint64_t fake_want(struct fake *f, uint32_t unit, uint64_t pipes) {
    return f->p[0]->gate->wanted(f->p[0]->self, &f->v, unit, pipes);
}
// Counts up to cycle `now`, given the idle cycles of INT lane group 0 and 1.
static inline struct activity fake_count(struct fake *f, uint64_t now) {
    struct activity a = {0};
    for (uint32_t i = 0; i < f->n; i++)
        if (f->p[i]->count) f->p[i]->count(f->p[i]->self, &f->v, &a, now);
    return a;
}

#endif
