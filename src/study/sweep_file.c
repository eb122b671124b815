// The YAML file of a sweep, through libyaml's document tree like a study's (file.c): axes are names
// of the user's own, and every sentence names a line.
#include "study/sweep.h"

#include <math.h>
#include <stdlib.h>
#include <yaml.h>

const char *const sweep_method_name[] = {"full", "random", "latin", "search", NULL};
const char *const sweep_objective_name[] = {"time", "energy", "area", NULL};

struct reader {
    struct arena *arena;
    struct sweep *s;
    yaml_document_t doc;
    struct diags *d;
};

static enum ww_status refuse(const struct reader *r, const yaml_node_t *n, const char *fmt, ...)
    WW_PRINTF(3, 4);
static enum ww_status refuse(const struct reader *r, const yaml_node_t *n, const char *fmt, ...) {
    char text[700];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    return diag_at(r->d, DIAG_ERROR, WW_ERROR_CONFIG, r->s->file, r->s->text,
                   (uint32_t)n->start_mark.line + 1, (uint32_t)n->start_mark.column + 1, "%s",
                   text);
}

static yaml_node_t *node(struct reader *r, int i) { return yaml_document_get_node(&r->doc, i); }

static const char *kind_of(const yaml_node_t *n) {
    return n->type == YAML_SCALAR_NODE     ? "a text"
           : n->type == YAML_SEQUENCE_NODE ? "a list"
                                           : "a mapping";
}

static enum ww_status text_of(struct reader *r, const char *what, const yaml_node_t *n,
                              const char **out) {
    if (n->type != YAML_SCALAR_NODE)
        return refuse(r, n, "%s must be a text or a number, not %s", what, kind_of(n));
    *out = arena_strndup(r->arena, (const char *)n->data.scalar.value, n->data.scalar.length);
    return WW_OK;
}

static enum ww_status number_of(struct reader *r, const char *what, const yaml_node_t *n,
                                uint64_t low, uint64_t high, uint64_t *out) {
    const char *t = "";
    const enum ww_status s = text_of(r, what, n, &t);
    if (s != WW_OK || (text_to_u64(t, out) && *out >= low && *out <= high)) return s;
    return refuse(r, n, "`%s` is `%s`; it must be a whole number from %llu to %llu", what, t,
                  (unsigned long long)low, (unsigned long long)high);
}

static enum ww_status choice_of(struct reader *r, const char *what, const yaml_node_t *n,
                                const char *const *names, uint32_t *out) {
    const char *t = "", *all = "";
    const enum ww_status s = text_of(r, what, n, &t);
    if (s != WW_OK) return s;
    for (*out = 0; names[*out]; ++*out) {
        if (strcmp(names[*out], t) == 0) return WW_OK;
        all = arena_printf(r->arena, "%s%s%s", all, *out ? ", " : "", names[*out]);
    }
    return refuse(r, n, "`%s` is `%s`; it must be one of %s", what, t, all);
}

// `key: value` pairs of a mapping as "key=value".
static enum ww_status sets_of(struct reader *r, const char *what, yaml_node_t *n, const char **set,
                              uint32_t max, uint32_t *count) {
    if (n->type != YAML_MAPPING_NODE)
        return refuse(r, n, "%s must be a mapping of keys of a GPU file, not %s", what, kind_of(n));
    *count = 0;
    for (yaml_node_pair_t *p = n->data.mapping.pairs.start; p < n->data.mapping.pairs.top; p++) {
        const char *key = "", *value = "";
        enum ww_status s = text_of(r, "a key", node(r, p->key), &key);
        if (s == WW_OK) s = text_of(r, key, node(r, p->value), &value);
        if (s != WW_OK) return s;
        if (*count == max) return refuse(r, n, "%s has more than %u keys", what, max);
        set[(*count)++] = arena_printf(r->arena, "%s=%s", key, value);
    }
    return WW_OK;
}

// ---- axes -------------------------------------------------------------------------------------
static enum ww_status new_value(struct reader *r, struct sweep_axis *x, const yaml_node_t *at,
                                const char *text, struct sweep_value **out) {
    if (x->n == SWEEP_MAX_VALUES)
        return refuse(r, at, "the axis `%s` has more than %d values", x->name, SWEEP_MAX_VALUES);
    for (uint32_t i = 0; i < x->n; i++)
        if (strcmp(x->value[i].text, text) == 0)
            return refuse(r, at, "the axis `%s` has the value `%s` twice", x->name, text);
    struct sweep_value *v = &x->value[x->n++];
    *v = (struct sweep_value){.text = text, .number = NAN};
    double number;
    if (text_to_double(text, &number)) v->number = number;
    if (x->target == SWEEP_KEY) v->set[v->n_set++] = arena_printf(r->arena, "%s=%s", x->name, text);
    *out = v;
    return WW_OK;
}

static enum ww_status words_of(struct reader *r, yaml_node_t *n, struct sweep_value *v) {
    for (yaml_node_item_t *i = n->data.sequence.items.start; i < n->data.sequence.items.top; i++) {
        if (v->n_words == STUDY_MAX_OPTIONS)
            return refuse(r, n, "more than %d words", STUDY_MAX_OPTIONS);
        const enum ww_status s = text_of(r, "a word", node(r, *i), &v->word[v->n_words++]);
        if (s != WW_OK) return s;
    }
    return WW_OK;
}

// A list: each element a value; of options a list of words or one word.
static enum ww_status read_list(struct reader *r, struct sweep_axis *x, yaml_node_t *n) {
    for (yaml_node_item_t *i = n->data.sequence.items.start; i < n->data.sequence.items.top; i++) {
        yaml_node_t *item = node(r, *i);
        struct sweep_value *v;
        const char *text = "";
        enum ww_status s = WW_OK;
        if (x->target == SWEEP_OPTION && item->type == YAML_SEQUENCE_NODE) {
            struct sweep_value words = {.n_words = 0};
            s = words_of(r, item, &words);
            for (uint32_t k = 0; k < words.n_words && s == WW_OK; k++)
                text = arena_printf(r->arena, "%s%s%s", text, k ? " " : "", words.word[k]);
            if (s == WW_OK) s = new_value(r, x, item, text, &v);
            if (s != WW_OK) return s;
            memcpy(v->word, words.word, sizeof words.word);
            v->n_words = words.n_words;
            continue;
        }
        s = text_of(r, arena_printf(r->arena, "a value of `%s`", x->name), item, &text);
        if (s == WW_OK) s = new_value(r, x, item, text, &v);
        if (s != WW_OK) return s;
        if (x->target == SWEEP_OPTION && *text) v->word[v->n_words++] = text;
    }
    return WW_OK;
}

// {from: A, to: B, step: C} or {from: A, to: B, times: C}: numbers.
static enum ww_status read_range(struct reader *r, struct sweep_axis *x, yaml_node_t *n) {
    static const char *const name[] = {"from", "to", "step", "times"};
    double v[4] = {NAN, NAN, NAN, NAN};
    for (yaml_node_pair_t *p = n->data.mapping.pairs.start; p < n->data.mapping.pairs.top; p++) {
        const char *key = "", *value = "";
        enum ww_status s = text_of(r, "a key", node(r, p->key), &key);
        if (s == WW_OK) s = text_of(r, key, node(r, p->value), &value);
        if (s != WW_OK) return s;
        size_t i = 0;
        while (i < WW_COUNT(name) && strcmp(name[i], key) != 0) i++;
        if (i == WW_COUNT(name) || !text_to_double(value, &v[i]))
            return refuse(r, node(r, p->key),
                          "a range has numbers `from`, `to` and `step` or `times`, not `%s: %s`",
                          key, value);
    }
    const bool adds = v[2] > 0 && isnan(v[3]), multiplies = v[3] > 1 && isnan(v[2]) && v[0] > 0;
    if (!(v[1] >= v[0]) || !(adds || multiplies))
        return refuse(
            r, n, "a range goes up from `from` to `to` by a `step` above 0, or `times` above 1");
    const double end = v[1] + 1e-9 * fabs(v[1]);
    double at = v[0];
    for (uint32_t i = 1; at <= end; i++) {
        struct sweep_value *value;
        const enum ww_status s = new_value(r, x, n, arena_printf(r->arena, "%.12g", at), &value);
        if (s != WW_OK) return s;
        at = adds ? v[0] + i * v[2] : at * v[3];
    }
    return WW_OK;
}

// Names, each of several keys.
static enum ww_status read_names(struct reader *r, struct sweep_axis *x, yaml_node_t *n) {
    x->target = SWEEP_NAMED;
    for (yaml_node_pair_t *p = n->data.mapping.pairs.start; p < n->data.mapping.pairs.top; p++) {
        const char *text = "";
        struct sweep_value *v;
        enum ww_status s = text_of(r, "a name", node(r, p->key), &text);
        if (s == WW_OK) s = new_value(r, x, node(r, p->key), text, &v);
        if (s == WW_OK) s = sets_of(r, text, node(r, p->value), v->set, SWEEP_MAX_KEYS, &v->n_set);
        if (s != WW_OK) return s;
    }
    return WW_OK;
}

static bool is_range(struct reader *r, const yaml_node_t *n) {
    for (yaml_node_pair_t *p = n->data.mapping.pairs.start; p < n->data.mapping.pairs.top; p++) {
        const yaml_node_t *k = node(r, p->key);
        if (k->type == YAML_SCALAR_NODE && strcmp((const char *)k->data.scalar.value, "from") == 0)
            return true;
    }
    return false;
}

static enum ww_status read_axes(struct reader *r, yaml_node_t *n, bool are_macros) {
    static const struct {
        const char *name;
        enum sweep_target target;
    } own[] = {{"gpu", SWEEP_GPU},
               {"policy", SWEEP_POLICY},
               {"workload", SWEEP_WORKLOAD},
               {"size", SWEEP_SIZE},
               {"options", SWEEP_OPTION}};
    if (n->type != YAML_MAPPING_NODE)
        return refuse(r, n, "`%s` must be a mapping, not %s", are_macros ? "macros" : "axes",
                      kind_of(n));
    for (yaml_node_pair_t *p = n->data.mapping.pairs.start; p < n->data.mapping.pairs.top; p++) {
        yaml_node_t *k = node(r, p->key), *v = node(r, p->value);
        if (r->s->n_axes == SWEEP_MAX_AXES)
            return refuse(r, k, "more than %d axes", SWEEP_MAX_AXES);
        struct sweep_axis *x = &r->s->axis[r->s->n_axes++];
        *x = (struct sweep_axis){
            .at = {(uint32_t)k->start_mark.line + 1, (uint32_t)k->start_mark.column + 1}};
        x->value = arena_alloc(r->arena, SWEEP_MAX_VALUES * sizeof *x->value);
        enum ww_status s = text_of(r, "an axis", k, &x->name);
        if (s != WW_OK) return s;
        for (uint32_t i = 0; i + 1 < r->s->n_axes; i++)
            if (strcmp(r->s->axis[i].name, x->name) == 0)
                return refuse(r, k, "the axis `%s` is there twice", x->name);
        for (size_t i = 0; i < WW_COUNT(own); i++)
            if (strcmp(own[i].name, x->name) == 0) x->target = own[i].target;
        if (are_macros) x->target = SWEEP_MACRO;
        if (v->type == YAML_SCALAR_NODE)
            return refuse(r, v, "the axis `%s` must be a list, a range or names with keys",
                          x->name);
        if (are_macros && v->type == YAML_MAPPING_NODE && !is_range(r, v))
            return refuse(r, v, "the macro `%s` must be a list or a range", x->name);
        s = v->type == YAML_SEQUENCE_NODE ? read_list(r, x, v)
            : is_range(r, v)              ? read_range(r, x, v)
                                          : read_names(r, x, v);
        if (s != WW_OK) return s;
        if (!x->n) return refuse(r, v, "the axis `%s` has no value", x->name);
    }
    return WW_OK;
}

// ---- the rest ---------------------------------------------------------------------------------
static enum ww_status read_workloads(struct reader *r, yaml_node_t *n) {
    if (n->type == YAML_SCALAR_NODE) return text_of(r, "", n, &r->s->workload[r->s->n_workloads++]);
    if (n->type != YAML_SEQUENCE_NODE) return refuse(r, n, "`workloads` must be a list");
    for (yaml_node_item_t *i = n->data.sequence.items.start; i < n->data.sequence.items.top; i++) {
        if (r->s->n_workloads == STUDY_MAX_ROWS)
            return refuse(r, n, "more than %d workloads", STUDY_MAX_ROWS);
        const enum ww_status s =
            text_of(r, "a workload", node(r, *i), &r->s->workload[r->s->n_workloads++]);
        if (s != WW_OK) return s;
    }
    return WW_OK;
}

static enum ww_status read_objectives(struct reader *r, yaml_node_t *n) {
    if (n->type != YAML_SEQUENCE_NODE) return refuse(r, n, "`objectives` must be a list");
    memset(r->s->objective, 0, sizeof r->s->objective);
    for (yaml_node_item_t *i = n->data.sequence.items.start; i < n->data.sequence.items.top; i++) {
        uint32_t o;
        const enum ww_status s = choice_of(r, "objectives", node(r, *i), sweep_objective_name, &o);
        if (s != WW_OK) return s;
        r->s->objective[o] = true;
    }
    for (uint32_t o = 0; o < SWEEP_OBJECTIVES; o++)
        if (r->s->objective[o]) return WW_OK;
    return refuse(r, n, "no objective");
}

// ---- a program of the user's own ----------------------------------------------------------------
// A file beside the sweep's own, unless its path begins at the root.
static const char *beside(struct reader *r, const char *path) {
    const char *const slash = strrchr(r->s->file, '/');
    if (*path == '/' || !slash) return path;
    return arena_printf(r->arena, "%.*s/%s", (int)(slash - r->s->file), r->s->file, path);
}

// One text, or a list of at most `max`.
static enum ww_status texts_of(struct reader *r, const char *what, yaml_node_t *n, const char **out,
                               uint32_t max, uint32_t *count) {
    *count = 0;
    if (n->type == YAML_SCALAR_NODE) return text_of(r, what, n, &out[(*count)++]);
    if (n->type != YAML_SEQUENCE_NODE)
        return refuse(r, n, "`%s` must be a text or a list, not %s", what, kind_of(n));
    for (yaml_node_item_t *i = n->data.sequence.items.start; i < n->data.sequence.items.top; i++) {
        if (*count == max) return refuse(r, n, "`%s` has more than %u elements", what, max);
        const enum ww_status s = text_of(r, what, node(r, *i), &out[(*count)++]);
        if (s != WW_OK) return s;
    }
    return WW_OK;
}

static bool ends_in(const char *text, const char *end) {
    const size_t n = strlen(text), m = strlen(end);
    return n >= m && strcmp(text + n - m, end) == 0;
}

static enum ww_status unknown_key(struct reader *r, const yaml_node_t *k, const char *of,
                                  const char *key, const char *const *known, uint32_t n) {
    const int near = text_nearest(key, known, n);
    if (near >= 0)
        return refuse(r, k, "%s has no key `%s`; did you mean `%s`?", of, key, known[near]);
    return refuse(r, k, "%s has no key `%s`", of, key);
}

const char *const space_compiler_name[] = {"clang", "nvcc", "any", NULL};

static enum ww_status program_key(struct reader *r, const char *key, const yaml_node_t *k,
                                  yaml_node_t *v) {
    static const char *const of_kernel[] = {"source", "compile", "compiler", "makes", "entry",
                                            "grid",   "block",   "shared",   "args",  "waves",
                                            "sms",    "times",   "code"};
    static const char *const of_program[] = {"source", "compile", "command",
                                             "kernel", "times",   "code"};
    static const char *const makes[] = {"ptx", "cubin", "fatbin", NULL};
    struct space_program *const q = &r->s->program;
    const bool is_program = q->is_command;
    uint32_t n = 0;
    if (strcmp(key, "source") == 0) {
        const enum ww_status s = text_of(r, key, v, &q->source);
        if (s == WW_OK) q->source = beside(r, q->source);
        return s;
    }
    if (strcmp(key, "compile") == 0) return text_of(r, key, v, &q->compile);
    if (strcmp(key, "times") == 0) return text_of(r, key, v, &q->times);
    if (strcmp(key, "code") == 0) return text_of(r, key, v, &q->code);
    if (is_program && strcmp(key, "command") == 0)
        return texts_of(r, key, v, q->word, SPACE_MAX_WORDS, &q->n_words);
    if (is_program && strcmp(key, "kernel") == 0) return text_of(r, key, v, &q->pattern);
    if (is_program) return unknown_key(r, k, "a program", key, of_program, WW_COUNT(of_program));
    if (strcmp(key, "compiler") == 0) {
        const enum ww_status s = choice_of(r, key, v, space_compiler_name, &n);
        q->compiler = (enum space_compiler)n;
        return s;
    }
    if (strcmp(key, "makes") == 0) {
        const enum ww_status s = choice_of(r, key, v, makes, &n);
        q->makes = makes[n];
        return s;
    }
    if (strcmp(key, "entry") == 0) return text_of(r, key, v, &q->entry);
    if (strcmp(key, "shared") == 0) return text_of(r, key, v, &q->shared);
    if (strcmp(key, "grid") == 0) return texts_of(r, key, v, q->grid, 3, &n);
    if (strcmp(key, "block") == 0) return texts_of(r, key, v, q->block, 3, &n);
    if (strcmp(key, "args") == 0) return texts_of(r, key, v, q->word, SPACE_MAX_WORDS, &q->n_words);
    if (strcmp(key, "waves") == 0) return text_of(r, key, v, &q->waves);
    if (strcmp(key, "sms") == 0) {
        uint64_t number = 0;
        const enum ww_status s = number_of(r, key, v, 1, 4096, &number);
        q->sms = (uint32_t)number;
        return s;
    }
    return unknown_key(r, k, "a kernel", key, of_kernel, WW_COUNT(of_kernel));
}

static enum ww_status read_program(struct reader *r, const char *what, const yaml_node_t *k,
                                   yaml_node_t *n) {
    struct space_program *const q = &r->s->program;
    if (q->there) return refuse(r, k, "a sweep has a `kernel` or a `program`, not two");
    if (n->type != YAML_MAPPING_NODE)
        return refuse(r, n, "`%s` must be a mapping, not %s", what, kind_of(n));
    q->there = true;
    q->is_command = strcmp(what, "program") == 0;
    for (yaml_node_pair_t *p = n->data.mapping.pairs.start; p < n->data.mapping.pairs.top; p++) {
        const char *key = "";
        enum ww_status s = text_of(r, "a key", node(r, p->key), &key);
        if (s == WW_OK) s = program_key(r, key, node(r, p->key), node(r, p->value));
        if (s != WW_OK) return s;
    }
    if (q->is_command) {
        if (!q->n_words) return refuse(r, n, "a program needs its `command`");
        if ((q->source != NULL) != (q->compile != NULL))
            return refuse(r, n, "a program that is compiled needs `source` and `compile`");
        if (q->source) q->makes = "program";
        return WW_OK;
    }
    if (!q->source || !q->grid[0] || !q->block[0])
        return refuse(r, n, "a kernel needs `source`, `grid` and `block`");
    if (q->compile && q->compiler != SPACE_CLANG)
        return refuse(r, n, "a kernel has `compile` or `compiler`, not both");
    const bool is_made =
        ends_in(q->source, ".ptx") || ends_in(q->source, ".cubin") || ends_in(q->source, ".fatbin");
    if (is_made && !q->compile) {
        q->makes = NULL;
    } else if (!q->makes) {
        q->makes = "ptx";
    }
    return WW_OK;
}

static enum ww_status read_measured(struct reader *r, yaml_node_t *n) {
    static const char *const keys[] = {"file", "column", "unit", "besides"};
    static const char *const unit[] = {"s", "ms", "us", "ns", NULL};
    static const double unit_s[] = {1, 1e-3, 1e-6, 1e-9};
    struct space_measured *const m = &r->s->measured;
    uint32_t u = 1;
    if (n->type != YAML_MAPPING_NODE)
        return refuse(r, n, "`measured` must be a mapping, not %s", kind_of(n));
    for (yaml_node_pair_t *p = n->data.mapping.pairs.start; p < n->data.mapping.pairs.top; p++) {
        const char *key = "";
        const yaml_node_t *const k = node(r, p->key);
        yaml_node_t *const v = node(r, p->value);
        enum ww_status s = text_of(r, "a key", k, &key);
        if (s != WW_OK) return s;
        if (strcmp(key, "file") == 0)
            s = text_of(r, key, v, &m->file);
        else if (strcmp(key, "column") == 0)
            s = text_of(r, key, v, &m->column);
        else if (strcmp(key, "unit") == 0)
            s = choice_of(r, key, v, unit, &u);
        else if (strcmp(key, "besides") == 0)
            s = texts_of(r, key, v, m->beside, SPACE_MAX_WORDS, &m->n_beside);
        else
            s = unknown_key(r, k, "`measured`", key, keys, WW_COUNT(keys));
        if (s != WW_OK) return s;
    }
    if (!m->file || !m->column) return refuse(r, n, "`measured` needs `file` and `column`");
    m->file = beside(r, m->file);
    m->unit_s = unit_s[u];
    return WW_OK;
}

// What a sweep of a program of the user's own needs, once all keys are read.
static enum ww_status check_space(struct reader *r, const yaml_node_t *root) {
    struct sweep *const s = r->s;
    bool has_macros = false;
    for (uint32_t i = 0; i < s->n_axes; i++) {
        const enum sweep_target t = s->axis[i].target;
        has_macros |= t == SWEEP_MACRO;
        if (s->program.there && (t == SWEEP_WORKLOAD || t == SWEEP_SIZE))
            return refuse(r, root, "a sweep of a program of its own has no axis `%s`",
                          s->axis[i].name);
    }
    if (s->program.there && s->n_workloads)
        return refuse(r, root, "a sweep has `workloads`, or a `kernel` or `program` of its own");
    if (!s->program.there && (has_macros || s->measured.file))
        return refuse(r, root, "`%s` need a `kernel` or a `program`",
                      has_macros ? "macros" : "measured times");
    if (!s->program.there) return WW_OK;
    if (s->measured.file && s->n_axes && !has_macros)
        return refuse(r, root,
                      "beside measured rows a sweep has no `axes`, unless it has `macros`");
    if (s->measured.file && !has_macros && s->method != SWEEP_FULL && s->method != SWEEP_RANDOM)
        return refuse(r, root, "measured rows are taken by method full or random");
    s->draws_rows = s->measured.file && !has_macros;
    return s->measured.file ? space_read_measured(r->arena, s, r->d) : WW_OK;
}

static enum ww_status read_key(struct reader *r, const char *key, const yaml_node_t *k,
                               yaml_node_t *v) {
    static const char *const known[] = {
        "name",      "title",      "gpu",    "policy",  "size",       "set",
        "workloads", "axes",       "method", "points",  "population", "generations",
        "seed",      "objectives", "kernel", "program", "macros",     "measured"};
    struct sweep *s = r->s;
    uint64_t n = 0;
    uint32_t method = 0;
    enum ww_status status;
    if (strcmp(key, "name") == 0) return text_of(r, key, v, &s->name);
    if (strcmp(key, "title") == 0) return text_of(r, key, v, &s->title);
    if (strcmp(key, "gpu") == 0) return text_of(r, key, v, &s->gpu);
    if (strcmp(key, "policy") == 0) return text_of(r, key, v, &s->policy);
    if (strcmp(key, "size") == 0) return text_of(r, key, v, &s->size);
    if (strcmp(key, "set") == 0) return sets_of(r, "set", v, s->set, STUDY_MAX_SET, &s->n_set);
    if (strcmp(key, "workloads") == 0) return read_workloads(r, v);
    if (strcmp(key, "axes") == 0) return read_axes(r, v, false);
    if (strcmp(key, "macros") == 0) return read_axes(r, v, true);
    if (strcmp(key, "kernel") == 0 || strcmp(key, "program") == 0)
        return read_program(r, key, k, v);
    if (strcmp(key, "measured") == 0) return read_measured(r, v);
    if (strcmp(key, "objectives") == 0) return read_objectives(r, v);
    if (strcmp(key, "seed") == 0) return number_of(r, key, v, 0, UINT32_MAX, &s->seed);
    if (strcmp(key, "method") == 0) {
        status = choice_of(r, key, v, sweep_method_name, &method);
        s->method = (enum sweep_method)method;
        return status;
    }
    uint32_t *const number = strcmp(key, "points") == 0        ? &s->points
                             : strcmp(key, "population") == 0  ? &s->population
                             : strcmp(key, "generations") == 0 ? &s->generations
                                                               : NULL;
    if (number) {
        status = number_of(r, key, v, 1, SWEEP_MAX_POINTS, &n);
        *number = (uint32_t)n;
        return status;
    }
    const int near = text_nearest(key, known, WW_COUNT(known));
    if (near >= 0)
        return refuse(r, k, "a sweep has no key `%s`; did you mean `%s`?", key, known[near]);
    return refuse(r, k, "a sweep has no key `%s`", key);
}

static enum ww_status read_all(struct reader *r) {
    yaml_node_t *root = yaml_document_get_root_node(&r->doc);
    if (!root || root->type != YAML_MAPPING_NODE)
        return diag_add(r->d, WW_ERROR_CONFIG, "%s: a sweep must be a mapping", r->s->file);
    for (yaml_node_pair_t *p = root->data.mapping.pairs.start; p < root->data.mapping.pairs.top;
         p++) {
        const char *key = "";
        enum ww_status s = text_of(r, "a key", node(r, p->key), &key);
        if (s == WW_OK) s = read_key(r, key, node(r, p->key), node(r, p->value));
        if (s != WW_OK) return s;
    }
    const enum ww_status of_space = check_space(r, root);
    if (of_space != WW_OK) return of_space;
    bool own_workload = r->s->program.there;
    for (uint32_t i = 0; i < r->s->n_axes; i++)
        own_workload = own_workload || r->s->axis[i].target == SWEEP_WORKLOAD;
    if (!r->s->n_axes) return refuse(r, root, "a sweep needs `axes`, or `macros` of a program");
    if (own_workload == (r->s->n_workloads > 0))
        return refuse(r, root, "a sweep needs `workloads`, or an axis `workload`, not both");
    return WW_OK;
}

enum ww_status sweep_parse(struct arena *a, const char *file, char *text, struct diags *d,
                           struct sweep *out) {
    *out = (struct sweep){.file = file,
                          .text = text,
                          .gpu = "gtx480",
                          .policy = "none",
                          .size = "small",
                          .points = 100,
                          .population = 24,
                          .generations = 10,
                          .seed = 1,
                          .objective = {true, true, true}};
    struct reader r = {.arena = a, .s = out, .d = d};
    yaml_parser_t parser;
    if (!yaml_parser_initialize(&parser))
        return diag_add(d, WW_ERROR_MEMORY, "out of memory for %s", file);
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, strlen(text));
    enum ww_status s;
    if (!yaml_parser_load(&parser, &r.doc)) {
        s = diag_at(d, DIAG_ERROR, WW_ERROR_CONFIG, file, text,
                    (uint32_t)parser.problem_mark.line + 1,
                    (uint32_t)parser.problem_mark.column + 1, "%s",
                    parser.problem ? parser.problem : "this is no YAML");
    } else {
        s = read_all(&r);
        yaml_document_delete(&r.doc);
    }
    yaml_parser_delete(&parser);
    const char *base = strrchr(file, '/') ? strrchr(file, '/') + 1 : file;
    if (!out->name) out->name = arena_strndup(a, base, strcspn(base, "."));
    if (!out->title) out->title = out->name;
    return s;
}
