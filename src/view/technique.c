// What a technique does, for the page of a run: in which states what it switches is, in all and over time
// (technique.def), and what each of its effects saved or cost in which component.
//
// The counts of an interval are an account of its own, so that what is saved over time comes from the same rows and
// prices as the savings of the run: over the intervals of a launch it adds up to the launch's.
#include "savings/savings.h"
#include "view/view.h"

#include <math.h>

static const struct domain {
    const char *key, *title, *unit, *prose;
} domains[] = {
#define TECHNIQUE_DOMAIN(key, title, unit, prose) {#key, title, unit, prose},
#include "view/technique.def"
};
static const struct state {
    const char *domain, *name, *counter;
    uint32_t first, n, factor;
    const char *less;
    uint32_t less_first, less_n;
} states[] = {
#define TECHNIQUE_STATE(domain, name, counter, first, n, factor, less, less_first, less_n)         \
    {#domain, name, counter, first, n, factor, less, less_first, less_n},
#include "view/technique.def"
};

static_assert(WW_COUNT(domains) <= VIEW_DOMAINS, "a row has a place");

static double sum_of(const struct activity *a, const char *counter, uint32_t first, uint32_t n) {
    double sum = 0;
    for (uint32_t i = first; counter && i < first + n; i++) sum += (double)act_at(a, counter, i);
    return sum;
}

static double count_of(const struct state *s, const struct activity *a) {
    const double n = s->factor * sum_of(a, s->counter, s->first, s->n) -
                     sum_of(a, s->less, s->less_first, s->less_n);
    return fmax(n, 0);
}

static bool is_shown(const struct domain *d, const struct activity *a) {
    bool is_first = true, any = false;
    for (size_t i = 0; i < WW_COUNT(states); i++) {
        if (strcmp(states[i].domain, d->key) != 0) continue;
        any |= !is_first && count_of(&states[i], a) > 0;
        is_first = false;
    }
    return any;
}

static json_t *states_json(const struct domain *d, const struct activity *a, bool names) {
    json_t *list = json_array();
    for (size_t i = 0; i < WW_COUNT(states); i++) {
        const struct state *const s = &states[i];
        if (strcmp(s->domain, d->key) != 0) continue;
        json_array_append_new(list, names ? json_string(s->name) : json_real(count_of(s, a)));
    }
    return list;
}

// The counts of all kernels, those that ran beside each other once.
static void whole_run(const struct account *p, struct activity *all) {
    memset(all, 0, sizeof *all);
    if (p->file->has_total) {
        account_once(p, all);
        return;
    }
    for (uint32_t i = 0; i < p->n; i++) activity_add(all, &p->kernel[i].kernel->activity);
}

// The mechanisms of the run that an effect may be of.
static json_t *mechanisms_json(const json_t *ran, uint32_t mechanisms) {
    json_t *list = json_array(), *name;
    size_t i;
    json_array_foreach(json_object_get(ran, "mechanisms"), i, name) {
        for (uint32_t m = 0; m < SAVINGS_MECHANISMS; m++) {
            if ((mechanisms >> m & 1) && strcmp(savings_mechanism(m).name, json_string_value(name)) == 0)
                json_array_append(list, name);
        }
    }
    return list;
}

static json_t *effects_json(const struct view_input *in, const struct power_savings *s) {
    const struct power_tree *const t = in->power->tree;
    const json_t *const ran = json_object_get(in->run->header, "run");
    json_t *list = json_array();
    for (uint32_t i = 0; i < t->rows.effects; i++) {
        const struct power_effect *const e = &t->rows.effect[i];
        if (!(s->j[i] > 0) || e->component < 0) continue;
        char price[160];
        json_t *o = json_object();
        json_object_set_new(o, "component", json_string(t->component[e->component].name));
        json_object_set_new(o, "line", json_string(t->rows.line[e->line].is->name));
        json_object_set_new(o, "saves", json_boolean(e->is->sign == SAVES));
        json_object_set_new(o, "leakage", json_boolean(power_price_is_leakage(&e->is->price)));
        json_object_set_new(o, "joules", json_real(s->j[i]));
        json_object_set_new(o, "counter", json_string(e->is->counter));
        json_object_set_new(o, "price", json_string(power_price_text(&e->is->price, price, sizeof price)));
        if (e->is->why) json_object_set_new(o, "why", json_string(e->is->why));
        json_object_set_new(o, "by", mechanisms_json(ran, e->mechanisms));
        json_array_append_new(list, o);
    }
    return list;
}

json_t *technique_json(const struct view_input *in, struct view_technique *t) {
    *t = (struct view_technique){.is = false};
    if (!in->power) return NULL;
    struct activity *const all = &(struct activity){.c = {0}};
    whole_run(in->power, all);
    struct power_savings sum = {.any = false}, s;
    for (uint32_t i = 0; i < in->power->n; i++) {
        const struct activity_kernel *const k = in->power->kernel[i].kernel;
        power_savings(in->power->tree, &k->activity, k->seconds, &s);
        power_savings_add(&sum, &s);
    }
    if (in->power->file->has_total)
        power_savings(in->power->tree, all, in->power->file->busy_seconds, &sum);
    json_t *o = json_object(), *list = json_array(), *lines = json_array();
    for (size_t i = 0; i < WW_COUNT(domains); i++) {
        const struct domain *const d = &domains[i];
        if (!is_shown(d, all)) continue;
        t->domain[t->domains++] = (uint32_t)i;
        json_array_append_new(list, json_pack("{s:s,s:s,s:s,s:s,s:o,s:o}", "key", d->key, "title", d->title,
                                              "unit", d->unit, "prose", d->prose, "states",
                                              states_json(d, all, true), "total", states_json(d, all, false)));
    }
    const struct power_rows *const rows = &in->power->tree->rows;
    for (uint32_t l = 0; sum.any && l < rows->lines; l++) {
        const double saved = power_savings_saved(&sum, l), spent = power_savings_spent(&sum, l);
        if (!(saved > 0) && !(spent > 0)) continue;
        t->line[t->lines++] = l;
        json_array_append_new(lines, json_pack("{s:s,s:f,s:f}", "name", rows->line[l].is->name, "saved_j",
                                               saved, "spent_j", spent));
    }
    t->is = t->domains || t->lines;
    json_object_set_new(o, "domains", list);
    json_object_set_new(o, "lines", lines);
    json_object_set_new(o, "effects", effects_json(in, &sum));
    if (t->is) return o;
    json_decref(o);
    return NULL;
}

json_t *technique_interval_json(const struct account *p, const struct view_technique *t,
                                const struct activity *a, double seconds) {
    json_t *o = json_object(), *list = json_array(), *net = json_array();
    for (uint32_t i = 0; i < t->domains; i++)
        json_array_append_new(list, states_json(&domains[t->domain[i]], a, false));
    struct power_savings s;
    power_savings(p->tree, a, seconds, &s);
    for (uint32_t i = 0; i < t->lines; i++)
        json_array_append_new(net, json_real(power_savings_saved(&s, t->line[i]) -
                                             power_savings_spent(&s, t->line[i])));
    json_object_set_new(o, "states", list);
    json_object_set_new(o, "net_j", net);
    return o;
}
