// Named choices. A source leaves things open, and its claims may lie inside what these move. A choice
// decides one of them otherwise: keys of the GPU file, or another file. Each main value (an entry of
// `published` with `main: true`) is computed under the study's own decisions and under every choice;
// the least and the most of all these is its interval. Choices are taken one at a time: two at once
// are a choice of their own.
//
// Under a choice each configuration's place is taken by one called `CHOICE, NAME`, wherever an
// expression names it. The study may have one of that name; if not, it is made here.
#include "study/study.h"

#include <math.h>

// ---- which configurations a main value may touch ----------------------------------------------
// Expressions nest as texts, so a name counts as named wherever it stands: one too many is a
// configuration that is made and never run.
struct reach {
    const struct study *s;
    bool *metric, *configuration; // [metrics], [configurations]
    uint32_t *found, n_found;     // metrics in the order in which they were named
};

static void reach_text(struct reach *r, const char *text) {
    for (uint32_t i = 0; i < r->s->configuration.n; i++)
        if (strstr(text, r->s->configuration.at[i].name)) r->configuration[i] = true;
    for (uint32_t i = 0; i < r->s->metric.n; i++)
        if (!r->metric[i] && strstr(text, r->s->metric.at[i].name)) {
            r->metric[i] = true;
            r->found[r->n_found++] = i;
        }
}

static void reach_all(struct reach *r) {
    for (uint32_t i = 0; i < r->s->published.n; i++) {
        const struct published_row *p = &r->s->published.at[i];
        if (!p->claim || !p->claim->main_value || !p->claim->ours) continue;
        const char *own = p->claim->at_configuration ? p->claim->at_configuration : p->configuration;
        const int c = study_find_configuration(r->s, own);
        if (c >= 0) r->configuration[c] = true;
        reach_text(r, p->claim->ours);
    }
    for (uint32_t i = 0; i < r->n_found; i++) reach_text(r, r->s->metric.at[r->found[i]].expr);
}

// ---- configurations ---------------------------------------------------------------------------
static bool changes(const struct study_choice *c, const char *configuration) {
    for (uint32_t i = 0; i < c->of.n; i++)
        if (strcmp(c->of.at[i], configuration) == 0) return true;
    return c->of.n == 0;
}

// The place of `at` under the choice; a configuration is added where the study has none.
static enum ww_status put(struct study *s, const struct study_choice *choice, uint32_t at,
                          struct diags *d, int *out) {
    const char *name =
        arena_printf(s->arena, "%s, %s", choice->name, s->configuration.at[at].name);
    *out = study_find_configuration(s, name);
    if (*out < 0) {
        struct study_configuration c = s->configuration.at[at];
        const bool full = s->configuration.n == STUDY_MAX_CONFIGS;
        if (full || c.n_set + choice->n_set > STUDY_MAX_SET)
            return diag_at(d, DIAG_ERROR, WW_ERROR_CONFIG, s->file, s->text, choice->at.line,
                           choice->at.col, "choice `%s` makes more than %d %s", choice->name,
                           full ? (int)STUDY_MAX_CONFIGS : (int)STUDY_MAX_SET,
                           full ? "configurations" : "keys of one configuration");
        c.name = name;
        c.label = name;
        if (choice->gpu) c.gpu = choice->gpu;
        for (uint32_t i = 0; i < choice->n_set; i++) c.set[c.n_set++] = choice->set[i];
        c.at = choice->at;
        *out = (int)s->configuration.n;
        vec_push(s->arena, &s->configuration, c);
    }
    s->configuration.at[*out].stands_for = (int)at;
    return WW_OK;
}

enum ww_status choice_configurations(struct study *s, struct diags *d) {
    const uint32_t n = s->configuration.n;
    if (!s->choice.n) return WW_OK;
    struct reach r = {.s = s,
                      .metric = arena_alloc(s->arena, (s->metric.n + 1) * sizeof(bool)),
                      .configuration = arena_alloc(s->arena, (n + 1) * sizeof(bool)),
                      .found = arena_alloc(s->arena, (s->metric.n + 1) * sizeof(uint32_t))};
    reach_all(&r);
    for (uint32_t k = 0; k < s->choice.n; k++) {
        struct study_choice *const c = &s->choice.at[k];
        c->instead = arena_alloc(s->arena, STUDY_MAX_CONFIGS * sizeof *c->instead);
        for (uint32_t i = 0; i < STUDY_MAX_CONFIGS; i++) c->instead[i] = (int)i;
        for (uint32_t i = 0; i < n; i++) {
            if (!r.configuration[i] || !changes(c, s->configuration.at[i].name)) continue;
            const enum ww_status status = put(s, c, i, d, &c->instead[i]);
            if (status != WW_OK) return status;
        }
    }
    return WW_OK;
}

// ---- values -----------------------------------------------------------------------------------
enum ww_status choice_fill(struct arena *a, const struct study *s, struct eval *e, const char *expr,
                           struct eval_scope scope, struct diags *d, struct sheet_published *out) {
    out->by_choice = arena_alloc(a, (s->choice.n + 1) * sizeof *out->by_choice);
    out->low = out->high = out->ours;
    enum ww_status status = WW_OK;
    for (uint32_t k = 0; k < s->choice.n && status == WW_OK; k++) {
        double *const v = &out->by_choice[k];
        eval_choose(e, &s->choice.at[k]);
        status = eval_number(e, expr, out->row->claim->at, scope, d, v);
        // fmin and fmax take the other where one is not there
        out->low = fmin(out->low, *v), out->high = fmax(out->high, *v);
    }
    eval_choose(e, NULL);
    return status;
}
