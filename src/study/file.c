// The YAML file of a study. Read through libyaml's document tree and not through libcyaml, because
// names (of metrics, configurations, workloads) are keys here and every sentence names a line:
// libcyaml's schemas know neither.
#include "study/study.h"

#include <math.h>
#include <stdlib.h>
#include <yaml.h>

struct reader {
    struct arena *arena;
    struct study *s;
    yaml_document_t doc;
    struct diags *d;
};

static enum ww_status refuse(const struct reader *r, struct mark at, const char *fmt, ...)
    WW_PRINTF(3, 4);
static enum ww_status refuse(const struct reader *r, struct mark at, const char *fmt, ...) {
    char text[700];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    return diag_at(r->d, DIAG_ERROR, WW_ERROR_CONFIG, r->s->file, r->s->text, at.line, at.col, "%s",
                   text);
}

static struct mark mark_of(const yaml_node_t *n) {
    return (struct mark){(uint32_t)n->start_mark.line + 1, (uint32_t)n->start_mark.column + 1};
}

static const char *kind_of(const yaml_node_t *n) {
    return n->type == YAML_SCALAR_NODE     ? "a text"
           : n->type == YAML_SEQUENCE_NODE ? "a list"
                                           : "a mapping";
}

// ---- walking ----------------------------------------------------------------------------------
// Keys of a mapping are copied out, checked against `keys` ("a b c"; NULL: any name).
struct pair {
    const char *key;
    yaml_node_t *value;
    struct mark at;
};
typedef VEC(struct pair) pairs;

static const char *scalar(const struct reader *r, const yaml_node_t *n) {
    return arena_strndup(r->arena, (const char *)n->data.scalar.value, n->data.scalar.length);
}

static enum ww_status check_key(const struct reader *r, const char *what, const struct pair *p,
                                const char *keys) {
    const char *known[40];
    size_t n = 0;
    char *copy = arena_strdup(r->arena, keys), *save = NULL;
    for (char *w = strtok_r(copy, " ", &save); w && n < WW_COUNT(known);
         w = strtok_r(NULL, " ", &save)) {
        if (strcmp(w, p->key) == 0) return WW_OK;
        known[n++] = w;
    }
    const int near = text_nearest(p->key, known, n);
    if (near >= 0)
        return refuse(r, p->at, "%s has no key `%s`; did you mean `%s`?", what, p->key,
                      known[near]);
    return refuse(r, p->at, "%s has no key `%s`; it may have: %s", what, p->key, keys);
}

static enum ww_status mapping(struct reader *r, const char *what, yaml_node_t *n, const char *keys,
                              pairs *out) {
    *out = (pairs){.n = 0};
    if (n->type != YAML_MAPPING_NODE)
        return refuse(r, mark_of(n), "%s must be a mapping, not %s", what, kind_of(n));
    for (yaml_node_pair_t *p = n->data.mapping.pairs.start; p < n->data.mapping.pairs.top; p++) {
        yaml_node_t *k = yaml_document_get_node(&r->doc, p->key);
        if (k->type != YAML_SCALAR_NODE)
            return refuse(r, mark_of(k), "a key of %s must be a text", what);
        struct pair pair = {scalar(r, k), yaml_document_get_node(&r->doc, p->value), mark_of(k)};
        for (uint32_t i = 0; i < out->n; i++)
            if (strcmp(out->at[i].key, pair.key) == 0)
                return refuse(r, pair.at, "%s has `%s` twice", what, pair.key);
        if (keys) {
            const enum ww_status s = check_key(r, what, &pair, keys);
            if (s != WW_OK) return s;
        }
        vec_push(r->arena, out, pair);
    }
    return WW_OK;
}

static const struct pair *get(const pairs *m, const char *key) {
    for (uint32_t i = 0; i < m->n; i++)
        if (strcmp(m->at[i].key, key) == 0) return &m->at[i];
    return NULL;
}

static enum ww_status text_in(struct reader *r, const pairs *m, const char *key, const char **out) {
    const struct pair *p = get(m, key);
    if (!p) return WW_OK;
    if (p->value->type != YAML_SCALAR_NODE)
        return refuse(r, p->at, "`%s` must be a text, not %s", key, kind_of(p->value));
    *out = scalar(r, p->value);
    return WW_OK;
}

static enum ww_status flag_in(struct reader *r, const pairs *m, const char *key, bool *out) {
    const char *t = NULL;
    const enum ww_status s = text_in(r, m, key, &t);
    if (s != WW_OK || !t) return s;
    *out = strcmp(t, "true") == 0 || strcmp(t, "yes") == 0;
    if (!*out && strcmp(t, "false") != 0 && strcmp(t, "no") != 0)
        return refuse(r, mark_of(get(m, key)->value), "`%s` must be true or false, not `%s`", key,
                      t);
    return WW_OK;
}

// One text or a list of texts.
typedef VEC(const char *) texts;
static enum ww_status texts_of(struct reader *r, const char *what, yaml_node_t *n, texts *out) {
    if (n->type == YAML_SCALAR_NODE) {
        vec_push(r->arena, out, scalar(r, n));
        return WW_OK;
    }
    if (n->type != YAML_SEQUENCE_NODE)
        return refuse(r, mark_of(n), "%s must be a text or a list of texts, not a mapping", what);
    for (yaml_node_item_t *i = n->data.sequence.items.start; i < n->data.sequence.items.top; i++) {
        const yaml_node_t *e = yaml_document_get_node(&r->doc, *i);
        if (e->type != YAML_SCALAR_NODE)
            return refuse(r, mark_of(e), "an element of %s must be a text, not %s", what,
                          kind_of(e));
        vec_push(r->arena, out, scalar(r, e));
    }
    return WW_OK;
}
static enum ww_status texts_in(struct reader *r, const pairs *m, const char *key, texts *out) {
    const struct pair *p = get(m, key);
    return p ? texts_of(r, key, p->value, out) : WW_OK;
}

#define TRY(call)                                                                                  \
    do {                                                                                           \
        const enum ww_status try_status = (call);                                                  \
        if (try_status != WW_OK) return try_status;                                                \
    } while (0)

// ---- names ------------------------------------------------------------------------------------
#define FINDER(function, list)                                                                     \
    int function(const struct study *s, const char *name) {                                        \
        for (uint32_t i = 0; name && i < s->list.n; i++)                                           \
            if (strcmp(s->list.at[i].name, name) == 0) return (int)i;                              \
        return -1;                                                                                 \
    }
FINDER(study_find_workload, workload)
FINDER(study_find_configuration, configuration)
FINDER(study_find_metric, metric)

const struct study_group *study_find_group(const struct study *s, const char *name) {
    for (uint32_t i = 0; name && i < s->group.n; i++)
        if (strcmp(s->group.at[i].name, name) == 0) return &s->group.at[i];
    return NULL;
}

// A name that must be a workload or a configuration, with the near miss.
static enum ww_status must_be(const struct reader *r, struct mark at, bool configuration,
                              const char *name) {
    if ((configuration ? study_find_configuration : study_find_workload)(r->s, name) >= 0)
        return WW_OK;
    const char *names[STUDY_MAX_CONFIGS + STUDY_MAX_ROWS] = {NULL};
    size_t n = 0;
    if (configuration)
        for (; n < r->s->configuration.n; n++) names[n] = r->s->configuration.at[n].name;
    else
        for (; n < r->s->workload.n; n++) names[n] = r->s->workload.at[n].name;
    const int near = text_nearest(name, names, n);
    const char *what = configuration ? "configuration" : "workload";
    if (near >= 0)
        return refuse(r, at, "this study has no %s `%s`; did you mean `%s`?", what, name,
                      names[near]);
    return refuse(r, at, "this study has no %s `%s`", what, name);
}

// Further words for `warpwatt run`: `options`, or `args` of the workload.
static enum ww_status options_in(struct reader *r, const pairs *m, const char *key,
                                 const char *option[STUDY_MAX_OPTIONS], uint32_t *n) {
    texts words = {.n = 0};
    TRY(texts_in(r, m, key, &words));
    for (uint32_t i = 0; i < words.n; i++) {
        if (*n == STUDY_MAX_OPTIONS)
            return refuse(r, get(m, key)->at, "more than %d %s", STUDY_MAX_OPTIONS, key);
        option[(*n)++] = words.at[i];
    }
    return WW_OK;
}

// ---- parts ------------------------------------------------------------------------------------
static enum ww_status read_workloads(struct reader *r, yaml_node_t *n) {
    if (n->type == YAML_SEQUENCE_NODE) { // plain names
        texts names = {.n = 0};
        TRY(texts_of(r, "workloads", n, &names));
        for (uint32_t i = 0; i < names.n; i++)
            vec_push(r->arena, &r->s->workload,
                     ((struct study_workload){.name = names.at[i],
                                              .run = names.at[i],
                                              .small = "small",
                                              .paper = "paper",
                                              .at = mark_of(n)}));
        return WW_OK;
    }
    pairs m;
    TRY(mapping(r, "workloads", n, NULL, &m));
    for (uint32_t i = 0; i < m.n; i++) {
        struct study_workload w = {.name = m.at[i].key,
                                   .run = m.at[i].key,
                                   .small = "small",
                                   .paper = "paper",
                                   .at = m.at[i].at};
        pairs f;
        if (m.at[i].value->type != YAML_SCALAR_NODE || m.at[i].value->data.scalar.length) {
            TRY(mapping(r, "a workload", m.at[i].value, "run kernel small paper args options", &f));
            TRY(text_in(r, &f, "run", &w.run));
            TRY(text_in(r, &f, "kernel", &w.kernel));
            TRY(text_in(r, &f, "small", &w.small));
            TRY(text_in(r, &f, "paper", &w.paper));
            TRY(options_in(r, &f, "options", w.option, &w.n_options));
            TRY(options_in(r, &f, "args", w.arg, &w.n_args));
        }
        vec_push(r->arena, &r->s->workload, w);
    }
    return WW_OK;
}

static enum ww_status read_set(struct reader *r, const pairs *f, const char *set[STUDY_MAX_SET],
                               uint32_t *n) {
    const struct pair *p = get(f, "set");
    if (!p) return WW_OK;
    pairs m;
    TRY(mapping(r, "set", p->value, NULL, &m));
    for (uint32_t i = 0; i < m.n; i++) {
        if (m.at[i].value->type != YAML_SCALAR_NODE)
            return refuse(r, m.at[i].at,
                          "`%s` must be a value (keys are written with dots: sm.l1d.bytes)",
                          m.at[i].key);
        if (*n == STUDY_MAX_SET)
            return refuse(r, m.at[i].at, "more than %d keys set", STUDY_MAX_SET);
        set[(*n)++] = arena_printf(r->arena, "%s=%s", m.at[i].key, scalar(r, m.at[i].value));
    }
    return WW_OK;
}

static enum ww_status read_configurations(struct reader *r, yaml_node_t *n, const char *gpu) {
    pairs m;
    TRY(mapping(r, "configurations", n, NULL, &m));
    for (uint32_t i = 0; i < m.n; i++) {
        struct study_configuration c = {.gpu = gpu, .policy = "none", .stands_for = -1};
        pairs f = {.n = 0};
        if (m.at[i].value->type != YAML_SCALAR_NODE || m.at[i].value->data.scalar.length)
            TRY(mapping(r, "a configuration", m.at[i].value, "base label gpu policy set options",
                        &f));
        const char *base = NULL;
        TRY(text_in(r, &f, "base", &base));
        if (base) {
            TRY(must_be(r, mark_of(get(&f, "base")->value), true, base));
            c = r->s->configuration.at[study_find_configuration(r->s, base)];
            c.label = NULL;
        }
        c.name = m.at[i].key;
        c.at = m.at[i].at;
        TRY(text_in(r, &f, "label", &c.label));
        TRY(text_in(r, &f, "gpu", &c.gpu));
        TRY(text_in(r, &f, "policy", &c.policy));
        TRY(read_set(r, &f, c.set, &c.n_set));
        TRY(options_in(r, &f, "options", c.option, &c.n_options));
        if (!c.label) c.label = c.name;
        if (r->s->configuration.n == STUDY_MAX_CONFIGS)
            return refuse(r, c.at, "more than %d configurations", STUDY_MAX_CONFIGS);
        vec_push(r->arena, &r->s->configuration, c);
    }
    return WW_OK;
}

static enum ww_status read_metrics(struct reader *r, yaml_node_t *n) {
    pairs m;
    TRY(mapping(r, "metrics", n, NULL, &m));
    for (uint32_t i = 0; i < m.n; i++) {
        struct study_metric q = {
            .name = m.at[i].key, .label = m.at[i].key, .unit = "", .at = m.at[i].at};
        if (m.at[i].value->type == YAML_SCALAR_NODE) {
            q.expr = scalar(r, m.at[i].value);
        } else {
            pairs f;
            TRY(mapping(r, "a metric", m.at[i].value, "is unit label", &f));
            TRY(text_in(r, &f, "is", &q.expr));
            TRY(text_in(r, &f, "unit", &q.unit));
            TRY(text_in(r, &f, "label", &q.label));
        }
        if (!q.expr || !*q.expr)
            return refuse(r, q.at, "metric `%s` needs an expression (`is: ...`)", q.name);
        vec_push(r->arena, &r->s->metric, q);
    }
    return WW_OK;
}

static enum ww_status read_groups(struct reader *r, yaml_node_t *n) {
    pairs m;
    TRY(mapping(r, "groups", n, NULL, &m));
    for (uint32_t i = 0; i < m.n; i++) {
        struct study_group g = {.name = m.at[i].key};
        texts members = {.n = 0};
        TRY(texts_of(r, "a group", m.at[i].value, &members));
        for (uint32_t k = 0; k < members.n; k++) {
            TRY(must_be(r, mark_of(m.at[i].value), false, members.at[k]));
            vec_push(r->arena, &g.member, members.at[k]);
        }
        vec_push(r->arena, &r->s->group, g);
    }
    return WW_OK;
}

static enum ww_status read_series(struct reader *r, yaml_node_t *n, struct study_figure *fig) {
    if (n->type != YAML_SEQUENCE_NODE)
        return refuse(r, mark_of(n), "series must be a list, not %s", kind_of(n));
    for (yaml_node_item_t *i = n->data.sequence.items.start; i < n->data.sequence.items.top; i++) {
        yaml_node_t *e = yaml_document_get_node(&r->doc, *i);
        struct study_series q = {.role = "ours", .at = mark_of(e)};
        if (e->type == YAML_SCALAR_NODE) {
            q.expr = scalar(r, e);
        } else {
            pairs f;
            TRY(mapping(r, "a series", e, "is label unit configuration role x", &f));
            TRY(text_in(r, &f, "is", &q.expr));
            TRY(text_in(r, &f, "label", &q.label));
            TRY(text_in(r, &f, "unit", &q.unit));
            TRY(text_in(r, &f, "x", &q.x));
            TRY(text_in(r, &f, "role", &q.role));
            TRY(text_in(r, &f, "configuration", &q.configuration));
            if (get(&f, "is")) q.at = mark_of(get(&f, "is")->value);
            if (q.configuration)
                TRY(must_be(r, mark_of(get(&f, "configuration")->value), true, q.configuration));
            if (strcmp(q.role, "ours") != 0 && strcmp(q.role, "published") != 0 &&
                strcmp(q.role, "other") != 0)
                return refuse(r, mark_of(get(&f, "role")->value),
                              "role must be ours, published or other, not `%s`", q.role);
        }
        if (!q.expr || !*q.expr) return refuse(r, q.at, "a series needs an expression (`is: ...`)");
        const int metric = study_find_metric(r->s, q.expr);
        if (!q.label) {
            q.label = metric >= 0 ? r->s->metric.at[metric].label : q.expr;
            if (q.configuration)
                q.label =
                    r->s->configuration.at[study_find_configuration(r->s, q.configuration)].label;
        }
        if (!q.unit) q.unit = metric >= 0 ? r->s->metric.at[metric].unit : "";
        if (strcmp(fig->kind, "scatter") == 0 && !q.x)
            return refuse(r, q.at, "a series of a scatter figure needs `x: expression`");
        // study.json keeps a row's numbers by these labels.
        for (uint32_t k = 0; k < fig->series.n; k++)
            if (strcmp(fig->series.at[k].label, q.label) == 0)
                return refuse(r, q.at,
                              "this series has the label `%s`, as that of line %u has; a label of "
                              "its own (`label: ...`) tells them apart",
                              q.label, fig->series.at[k].at.line);
        vec_push(r->arena, &fig->series, q);
    }
    return WW_OK;
}

// Rows that are numbers: {from: 0, to: 32}.
static enum ww_status read_numbers(struct reader *r, const struct pair *p,
                                   struct study_figure *fig) {
    pairs m;
    const char *text[2] = {"0", NULL};
    uint64_t v[2];
    TRY(mapping(r, "x", p->value, "from to", &m));
    TRY(text_in(r, &m, "from", &text[0]));
    TRY(text_in(r, &m, "to", &text[1]));
    for (int i = 0; i < 2; i++)
        if (!text[i] || !text_to_u64(text[i], &v[i]))
            return refuse(r, p->at, "x as numbers must read {from: 0, to: 32}");
    if (v[1] < v[0] || v[1] - v[0] >= STUDY_MAX_ROWS)
        return refuse(r, p->at, "x has %lld rows; it may have 1 to %d",
                      (long long)(v[1] - v[0] + 1), STUDY_MAX_ROWS);
    if (!fig->workload) return refuse(r, p->at, "a figure over numbers needs `workload`");
    for (uint64_t i = v[0]; i <= v[1]; i++)
        fig->rows[fig->n_rows++] = arena_printf(r->arena, "%llu", (unsigned long long)i);
    fig->rows_are_numbers = true;
    return WW_OK;
}

// Rows: "workloads", "configurations", a group's name, or a list of names of either kind.
static enum ww_status read_rows(struct reader *r, const pairs *f, struct study_figure *fig) {
    const struct pair *p = get(f, "x");
    texts names = {.n = 0};
    if (p && p->value->type == YAML_MAPPING_NODE) return read_numbers(r, p, fig);
    if (!p ||
        (p->value->type == YAML_SCALAR_NODE && strcmp(scalar(r, p->value), "workloads") == 0)) {
        for (uint32_t i = 0; i < r->s->workload.n; i++)
            vec_push(r->arena, &names, r->s->workload.at[i].name);
    } else if (p->value->type == YAML_SCALAR_NODE &&
               strcmp(scalar(r, p->value), "configurations") == 0) {
        for (uint32_t i = 0; i < r->s->configuration.n; i++)
            vec_push(r->arena, &names, r->s->configuration.at[i].name);
        fig->rows_are_configurations = true;
    } else if (p->value->type == YAML_SCALAR_NODE && study_find_group(r->s, scalar(r, p->value))) {
        const struct study_group *g = study_find_group(r->s, scalar(r, p->value));
        for (uint32_t i = 0; i < g->member.n; i++) vec_push(r->arena, &names, g->member.at[i]);
    } else {
        TRY(texts_of(r, "x", p->value, &names));
        if (!names.n) return refuse(r, p->at, "`x` is empty");
        fig->rows_are_configurations = study_find_workload(r->s, names.at[0]) < 0;
        for (uint32_t i = 0; i < names.n; i++)
            TRY(must_be(r, mark_of(p->value),
                        fig->rows_are_configurations &&
                            study_find_configuration(r->s, names.at[0]) >= 0,
                        names.at[i]));
    }
    for (uint32_t i = 0; i < names.n; i++) {
        if (fig->n_rows == STUDY_MAX_ROWS)
            return refuse(r, fig->at, "more than %d rows", STUDY_MAX_ROWS);
        fig->rows[fig->n_rows++] = names.at[i];
    }
    return WW_OK;
}

static enum ww_status read_figures(struct reader *r, yaml_node_t *n) {
    pairs m;
    TRY(mapping(r, "figures", n, NULL, &m));
    for (uint32_t i = 0; i < m.n; i++) {
        struct study_figure g = {.id = m.at[i].key,
                                 .title = m.at[i].key,
                                 .source = "",
                                 .kind = "bars",
                                 .unit = "",
                                 .at = m.at[i].at};
        if (strspn(g.id, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.") !=
            strlen(g.id))
            return refuse(r, g.at, "`%s` names a file: letters, digits, - and _ only", g.id);
        pairs f;
        TRY(mapping(r, "a figure", m.at[i].value,
                    "title source kind unit x series configuration workload x_value aggregates log "
                    "found agrees why note",
                    &f));
        TRY(text_in(r, &f, "title", &g.title));
        TRY(text_in(r, &f, "source", &g.source));
        TRY(text_in(r, &f, "kind", &g.kind));
        static const char *const kinds[] = {"bars", "stacked", "lines", "scatter", "table"};
        bool known = false;
        for (size_t k = 0; k < WW_COUNT(kinds); k++) known |= strcmp(kinds[k], g.kind) == 0;
        if (!known)
            return refuse(r, mark_of(get(&f, "kind")->value),
                          "kind must be bars, stacked, lines, scatter or table, not `%s`", g.kind);
        TRY(text_in(r, &f, "unit", &g.unit));
        TRY(text_in(r, &f, "note", &g.note));
        TRY(text_in(r, &f, "x_value", &g.x_value));
        TRY(text_in(r, &f, "found", &g.found));
        TRY(text_in(r, &f, "agrees", &g.agrees));
        if (g.agrees) g.agrees_at = mark_of(get(&f, "agrees")->value);
        TRY(text_in(r, &f, "why", &g.why));
        TRY(flag_in(r, &f, "log", &g.log_scale));
        TRY(text_in(r, &f, "configuration", &g.configuration));
        TRY(text_in(r, &f, "workload", &g.workload));
        if (g.configuration)
            TRY(must_be(r, mark_of(get(&f, "configuration")->value), true, g.configuration));
        if (g.workload) TRY(must_be(r, mark_of(get(&f, "workload")->value), false, g.workload));
        if (!g.configuration && r->s->configuration.n)
            g.configuration = r->s->configuration.at[0].name;
        TRY(read_rows(r, &f, &g));
        if (!get(&f, "series")) return refuse(r, g.at, "figure `%s` needs `series`", g.id);
        TRY(read_series(r, get(&f, "series")->value, &g));
        texts extra = {.n = 0};
        TRY(texts_in(r, &f, "aggregates", &extra));
        for (uint32_t k = 0; k < extra.n; k++) {
            if (strcmp(extra.at[k], "average") == 0)
                g.average = true;
            else if (strcmp(extra.at[k], "geomean") == 0)
                g.geomean = true;
            else
                return refuse(r, mark_of(get(&f, "aggregates")->value),
                              "aggregates are `average` and `geomean`, not `%s`", extra.at[k]);
        }
        vec_push(r->arena, &r->s->figure, g);
    }
    return WW_OK;
}

// "15 %" is relative, "8 points" or "0.5 W" absolute in the row's unit.
static enum ww_status read_tolerance(struct reader *r, const pairs *f, struct study_claim *c) {
    const char *t = NULL;
    TRY(text_in(r, f, "tolerance", &t));
    c->tolerance = 0.10;
    if (!t) return WW_OK;
    c->no_verdict = strcmp(t, "none") == 0;
    if (c->no_verdict) return WW_OK;
    char *end;
    c->tolerance = strtod(t, &end);
    while (*end == ' ') end++;
    c->absolute = *end && *end != '%';
    if (end == t || !(c->tolerance >= 0) || !*end)
        return refuse(r, mark_of(get(f, "tolerance")->value),
                      "tolerance is `%s`; it must read like `15 %%` (of the published value), `8 "
                      "points`, or `none` (no verdict)",
                      t);
    if (!c->absolute) c->tolerance /= 100;
    return WW_OK;
}

static enum ww_status read_why(struct reader *r, const pairs *f, struct study_claim *c) {
    const struct pair *p = get(f, "why");
    if (!p) return WW_OK;
    if (p->value->type == YAML_SCALAR_NODE) {
        c->why = scalar(r, p->value);
        return WW_OK;
    }
    pairs m;
    TRY(mapping(r, "why", p->value, NULL, &m));
    for (uint32_t i = 0; i < m.n; i++) {
        const char *text = NULL;
        TRY(text_in(r, &m, m.at[i].key, &text));
        if (strcmp(m.at[i].key, "default") == 0)
            c->why = text;
        else
            vec_push(r->arena, &c->why_of, ((struct named_text){m.at[i].key, text, m.at[i].at}));
    }
    return WW_OK;
}

#define CLAIM_LISTS(X) X(source) X(workload) X(configuration) X(metric)
static enum ww_status read_claims(struct reader *r, yaml_node_t *n) {
    if (n->type != YAML_SEQUENCE_NODE)
        return refuse(r, mark_of(n), "published must be a list, not %s", kind_of(n));
    for (yaml_node_item_t *i = n->data.sequence.items.start; i < n->data.sequence.items.top; i++) {
        yaml_node_t *e = yaml_document_get_node(&r->doc, *i);
        struct study_claim c = {.at = mark_of(e)};
        pairs f;
        TRY(mapping(r, "a published entry", e,
                    "source workload configuration metric ours at_workload at_configuration group "
                    "figure series drawn given tolerance why value unit main",
                    &f));
#define X(list)                                                                                    \
    {                                                                                              \
        texts t = {.n = 0};                                                                        \
        TRY(texts_in(r, &f, #list, &t));                                                           \
        for (uint32_t k = 0; k < t.n; k++) vec_push(r->arena, &c.list, t.at[k]);                   \
    }
        CLAIM_LISTS(X)
#undef X
        TRY(text_in(r, &f, "ours", &c.ours));
        TRY(text_in(r, &f, "at_workload", &c.at_workload));
        TRY(text_in(r, &f, "at_configuration", &c.at_configuration));
        TRY(text_in(r, &f, "group", &c.group));
        TRY(text_in(r, &f, "figure", &c.figure));
        TRY(text_in(r, &f, "series", &c.series));
        TRY(text_in(r, &f, "drawn", &c.drawn));
        TRY(text_in(r, &f, "given", &c.given));
        TRY(text_in(r, &f, "value", &c.value));
        TRY(text_in(r, &f, "unit", &c.unit));
        TRY(flag_in(r, &f, "main", &c.main_value));
        TRY(read_tolerance(r, &f, &c));
        TRY(read_why(r, &f, &c));
        if (get(&f, "ours")) c.at = mark_of(get(&f, "ours")->value);
        if (!c.metric.n) return refuse(r, c.at, "a published entry needs `metric`");
        if (!c.ours && !c.why)
            return refuse(r, c.at,
                          "a published entry needs `ours` (an expression), or `why` there is none");
        if (c.at_workload)
            TRY(must_be(r, mark_of(get(&f, "at_workload")->value), false, c.at_workload));
        if (c.at_configuration)
            TRY(must_be(r, mark_of(get(&f, "at_configuration")->value), true, c.at_configuration));
        if (c.group && !study_find_group(r->s, c.group))
            return refuse(r, mark_of(get(&f, "group")->value), "this study has no group `%s`",
                          c.group);
        bool figure = !c.figure;
        for (uint32_t k = 0; k < r->s->figure.n && !figure; k++)
            figure = strcmp(r->s->figure.at[k].id, c.figure) == 0;
        if (!figure)
            return refuse(r, mark_of(get(&f, "figure")->value), "this study has no figure `%s`",
                          c.figure);
        vec_push(r->arena, &r->s->claim, c);
    }
    return WW_OK;
}

static enum ww_status read_choices(struct reader *r, yaml_node_t *n) {
    pairs m;
    TRY(mapping(r, "choices", n, NULL, &m));
    for (uint32_t i = 0; i < m.n; i++) {
        struct study_choice c = {.name = m.at[i].key, .at = m.at[i].at};
        pairs f;
        TRY(mapping(r, "a choice", m.at[i].value, "gpu set configurations why", &f));
        TRY(text_in(r, &f, "gpu", &c.gpu));
        TRY(text_in(r, &f, "why", &c.why));
        TRY(read_set(r, &f, c.set, &c.n_set));
        texts of = {.n = 0};
        TRY(texts_in(r, &f, "configurations", &of));
        for (uint32_t k = 0; k < of.n; k++) {
            TRY(must_be(r, mark_of(get(&f, "configurations")->value), true, of.at[k]));
            vec_push(r->arena, &c.of, of.at[k]);
        }
        if (!c.why) return refuse(r, c.at, "choice `%s` needs `why` it could be so", c.name);
        vec_push(r->arena, &r->s->choice, c);
    }
    return WW_OK;
}

// ---- published values -------------------------------------------------------------------------
bool study_one_of(const char *name, const char *const *list, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        if (strcmp(list[i], name) == 0) return true;
    return n == 0;
}

static void claim_rows(struct study *s) {
    for (uint32_t i = 0; i < s->published.n; i++)
        for (uint32_t k = 0; k < s->claim.n && !s->published.at[i].claim; k++) {
            struct published_row *p = &s->published.at[i];
            const struct study_claim *c = &s->claim.at[k];
            if (study_one_of(p->source, c->source.at, c->source.n) &&
                study_one_of(p->workload, c->workload.at, c->workload.n) &&
                study_one_of(p->configuration, c->configuration.at, c->configuration.n) &&
                study_one_of(p->metric, c->metric.at, c->metric.n))
                p->claim = c;
        }
}

static bool is_also(const struct study *s, const char *study, const char *source) {
    const size_t n = strlen(study);
    for (uint32_t i = 0; i < s->also.n; i++) {
        const char *const a = s->also.at[i];
        if (strncmp(a, study, n) == 0 && strncmp(a + n, ": ", 2) == 0 &&
            strcmp(a + n + 2, source) == 0)
            return true;
    }
    return false;
}

static enum ww_status read_published(struct reader *r, const char *path) {
    struct study *s = r->s;
    if (path) {
        char *text;
        size_t len;
        TRY(file_read(r->arena, path, 8 << 20, &text, &len, r->d));
        uint32_t line = 0;
        for (char *save = NULL, *l = strtok_r(text, "\n", &save); l;
             l = strtok_r(NULL, "\n", &save)) {
            l[strcspn(l, "\r")] = 0;
            if (++line == 1 || !*l) continue;
            char *f[7];
            struct published_row row;
            if (text_split_csv(l, f, 7) != 7)
                return diag_at(r->d, DIAG_ERROR, WW_ERROR_CONFIG, path, NULL, line, 1,
                               "a row of published values has seven columns: "
                               "study,source,workload,configuration,metric,value,unit");
            if (strcmp(f[0], s->name) != 0 && !is_also(s, f[0], f[1])) continue;
            row = (struct published_row){.study = f[0],
                                         .source = f[1],
                                         .workload = f[2],
                                         .configuration = f[3],
                                         .metric = f[4],
                                         .value = f[5],
                                         .unit = f[6]};
            if (!text_to_double(row.value, &row.number)) row.number = NAN;
            vec_push(r->arena, &s->published, row);
        }
    }
    // rows of the study's own
    for (uint32_t i = 0; i < s->claim.n; i++) {
        const struct study_claim *c = &s->claim.at[i];
        if (!c->value) continue;
        struct published_row row = {.study = s->name,
                                    .source = c->source.n ? c->source.at[0] : "",
                                    .workload = c->workload.n ? c->workload.at[0] : "",
                                    .configuration =
                                        c->configuration.n ? c->configuration.at[0] : "",
                                    .metric = c->metric.at[0],
                                    .value = c->value,
                                    .unit = c->unit ? c->unit : "",
                                    .claim = c};
        if (!text_to_double(row.value, &row.number))
            return refuse(r, c->at, "value is `%s`; it must be a number", c->value);
        vec_push(r->arena, &s->published, row);
    }
    claim_rows(s);
    for (uint32_t i = 0; i < s->claim.n; i++) {
        bool used = false;
        for (uint32_t k = 0; k < s->published.n; k++)
            used |= s->published.at[k].claim == &s->claim.at[i];
        if (!used)
            return refuse(r, s->claim.at[i].at,
                          "no published row of study `%s` has metric `%s` with these selectors (or "
                          "an entry above takes them all)",
                          s->name, s->claim.at[i].metric.at[0]);
    }
    return WW_OK;
}

// A study of tuning spaces has a list of sweeps in the place of all else.
static enum ww_status read_spaces(struct reader *r, yaml_node_t *n) {
    if (n->type != YAML_SEQUENCE_NODE)
        return refuse(r, mark_of(n), "spaces must be a list, not %s", kind_of(n));
    const char *const slash = strrchr(r->s->file, '/');
    for (yaml_node_item_t *i = n->data.sequence.items.start; i < n->data.sequence.items.top; i++) {
        yaml_node_t *e = yaml_document_get_node(&r->doc, *i);
        struct study_space p = {.at = mark_of(e)};
        pairs f;
        TRY(mapping(r, "a space", e, "sweep points looked_at note", &f));
        TRY(text_in(r, &f, "sweep", &p.sweep));
        TRY(text_in(r, &f, "looked_at", &p.looked_at));
        TRY(text_in(r, &f, "note", &p.note));
        const char *points = NULL;
        TRY(text_in(r, &f, "points", &points));
        if (points) {
            uint64_t count;
            if (!text_to_u64(points, &count) || count < 1 || count > 100000)
                return refuse(r, get(&f, "points")->at,
                              "`points` is `%s`; it must be a whole number from 1 to 100000",
                              points);
            p.points = (uint32_t)count;
        }
        if (!p.sweep) return refuse(r, p.at, "a space needs its `sweep`");
        if (*p.sweep != '/' && slash)
            p.sweep =
                arena_printf(r->arena, "%.*s/%s", (int)(slash - r->s->file), r->s->file, p.sweep);
        vec_push(r->arena, &r->s->space, p);
    }
    return r->s->space.n ? WW_OK : refuse(r, mark_of(n), "spaces is empty");
}

static enum ww_status read_top(struct reader *r, const char *published_csv) {
    struct study *s = r->s;
    yaml_node_t *root = yaml_document_get_root_node(&r->doc);
    if (!root) return refuse(r, (struct mark){1, 1}, "the study is empty");
    pairs m;
    TRY(mapping(
        r, "a study", root,
        "name title source summary gpu size workloads groups configurations metrics figures "
        "also published choices spaces small_points",
        &m));
    const char *gpu = "gtx480";
    TRY(text_in(r, &m, "name", &s->name));
    TRY(text_in(r, &m, "title", &s->title));
    TRY(text_in(r, &m, "source", &s->source));
    TRY(text_in(r, &m, "summary", &s->summary));
    TRY(text_in(r, &m, "gpu", &gpu));
    s->size = "paper";
    TRY(text_in(r, &m, "size", &s->size));
    if (strcmp(s->size, "small") != 0 && strcmp(s->size, "paper") != 0)
        return refuse(r, get(&m, "size")->at, "`size` is `%s`; it must be small or paper", s->size);
    const struct pair *const spaces = get(&m, "spaces");
    if (spaces) {
        const char *points = "3";
        uint64_t n;
        static const char *const not_of_spaces[] = {"gpu",     "workloads", "groups",
                                                    "metrics", "figures",   "configurations",
                                                    "also",    "published", "choices"};
        for (size_t i = 0; i < WW_COUNT(not_of_spaces); i++)
            if (get(&m, not_of_spaces[i]))
                return refuse(r, get(&m, not_of_spaces[i])->at, "a study of spaces has no `%s`",
                              not_of_spaces[i]);
        if (!s->name || !s->title)
            return refuse(r, mark_of(root), "a study needs `name` and `title`");
        TRY(text_in(r, &m, "small_points", &points));
        if (!text_to_u64(points, &n) || n < 1 || n > 1000)
            return refuse(r, get(&m, "small_points")->at,
                          "`small_points` is `%s`; it must be a whole number from 1 to 1000",
                          points);
        s->small_points = (uint32_t)n;
        return read_spaces(r, spaces->value);
    }
    if (get(&m, "small_points"))
        return refuse(r, get(&m, "small_points")->at, "`small_points` is of a study of `spaces`");
    static const char *const needed[] = {"name", "title", "configurations"};
    for (size_t i = 0; i < WW_COUNT(needed); i++)
        if (!get(&m, needed[i]))
            return refuse(r, mark_of(root), "the study has no `%s`", needed[i]);
    const struct pair *p;
    if ((p = get(&m, "workloads"))) TRY(read_workloads(r, p->value));
    if (s->workload.n > STUDY_MAX_ROWS)
        return refuse(r, p->at, "more than %d workloads", STUDY_MAX_ROWS);
    if ((p = get(&m, "groups"))) TRY(read_groups(r, p->value));
    if ((p = get(&m, "configurations"))) TRY(read_configurations(r, p->value, gpu));
    if ((p = get(&m, "metrics"))) TRY(read_metrics(r, p->value));
    if ((p = get(&m, "figures"))) TRY(read_figures(r, p->value));
    texts also = {.n = 0};
    TRY(texts_in(r, &m, "also", &also));
    for (uint32_t i = 0; i < also.n; i++) vec_push(r->arena, &s->also, also.at[i]);
    if ((p = get(&m, "published"))) TRY(read_claims(r, p->value));
    if ((p = get(&m, "choices"))) TRY(read_choices(r, p->value));
    TRY(read_published(r, published_csv));
    return choice_configurations(s, r->d);
}

enum ww_status study_parse(struct arena *a, const char *file, char *text, const char *published_csv,
                           struct diags *d, struct study *out) {
    *out = (struct study){.arena = a, .file = file, .text = text, .source = "", .summary = ""};
    struct reader r = {.arena = a, .s = out, .d = d};
    yaml_parser_t parser;
    if (!yaml_parser_initialize(&parser))
        return diag_add(d, WW_ERROR_MEMORY, "out of memory for %s", file);
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, strlen(text));
    enum ww_status s;
    if (!yaml_parser_load(&parser, &r.doc)) {
        const yaml_mark_t m = parser.problem_mark.line ? parser.problem_mark : parser.context_mark;
        s = refuse(&r, (struct mark){(uint32_t)m.line + 1, (uint32_t)m.column + 1},
                   "this is not YAML: %s", parser.problem ? parser.problem : "unreadable");
    } else {
        s = read_top(&r, published_csv);
        yaml_document_delete(&r.doc);
        if (s == WW_OK && yaml_parser_load(&parser, &r.doc)) {
            const yaml_mark_t m = r.doc.start_mark;
            if (yaml_document_get_root_node(&r.doc))
                s = refuse(&r, (struct mark){(uint32_t)m.line + 1, (uint32_t)m.column + 1},
                           "a second document begins here: a file holds one study");
            yaml_document_delete(&r.doc);
        }
    }
    yaml_parser_delete(&parser);
    return s;
}
