// What techniques saved and spent, for people and for programs.
#include <math.h>

#include "power/unsure.h"
#include "report/account.h"

static void of_account(const struct account *a, struct power_savings *sum) {
    *sum = (struct power_savings){.any = false};
    struct power_savings s;
    if (a->file->has_total) { // overlapping kernels: everything once
        struct activity once;
        account_once(a, &once);
        power_savings(a->tree, &once, a->file->busy_seconds, sum);
        return;
    }
    for (uint32_t i = 0; i < a->n; i++) {
        power_savings(a->tree, &a->kernel[i].kernel->activity, a->kernel[i].kernel->seconds, &s);
        power_savings_add(sum, &s);
    }
}

// Entry i of a counter, over the run.
static double counted(const struct account *a, const char *counter, uint32_t i) {
    const uint32_t act = act_number(counter) + i;
    if (a->file->has_total) return (double)a->file->total.c[act];
    double n = 0;
    for (uint32_t k = 0; k < a->n; k++) n += (double)a->kernel[k].kernel->activity.c[act];
    return n;
}

// How much was folded: of the instructions, and of the time in which it was allowed.
static void print_folding(const struct account *a, FILE *out) {
    if (counted(a, "fold_phases", 0) == 0) return;
    static const char *const type[] = {"INT", "FP"};
    const double busy = counted(a, "sm_busy_cycles", 0);
    fprintf(out, "    %-8s", "folded");
    for (uint32_t i = 0; i < 2; i++) {
        const double n = counted(a, "lane_issues", i);
        fprintf(out,
                "%s %s %.1f %% of warps (%.1f %% had an idle half), on for %.1f %% of the time",
                i ? ";" : "", type[i], n > 0 ? 100 * counted(a, "folded", i) / n : 0.0,
                n > 0 ? 100 * counted(a, "fold_spared", i) / n : 0.0,
                busy > 0 ? 100 * counted(a, "fold_cycles", i) / busy : 0.0);
    }
    fputc('\n', out);
}

// How long lines of caches were on, drowsy or off, of those that a technique puts away.
static void print_lines_of_caches(const struct account *a, FILE *out) {
    static const char *const name[ACT_ARRAYS] = {"L1", "const", "texture", NULL, "shared", "L2"};
    for (uint32_t i = 0; i < ACT_ARRAYS; i++) {
        const double on = counted(a, "line_on", i), drowsy = counted(a, "line_drowsy", i),
                     off = counted(a, "line_off", i), all = on + drowsy + off;
        if (name[i] == NULL || !(all > 0)) continue;
        fprintf(out, "    %-8s lines on %.3f %% of the time, %s %.3f %%; %.0f woken", name[i],
                100 * on / all, off > 0 ? "off" : "drowsy", 100 * (off > 0 ? off : drowsy) / all,
                counted(a, "line_wakes", i) + counted(a, "line_fills", i));
        if (off > 0)
            fprintf(out, ", %.0f switched off with data", counted(a, "line_lapses", i));
        else
            fprintf(out, ", %.0f accesses late", counted(a, "line_late", i));
        fputc('\n', out);
    }
}

// Lines of one kind: what there was, what a technique saved of it, what that cost, and the bound.
static void print_lines(const struct power_savings *s, enum savings_line_kind kind, FILE *out) {
    char b[5][32];
    const struct power_rows *const rows = &s->tree->rows;
    for (uint32_t l = 0; l < rows->lines; l++) {
        if (rows->line[l].is->kind != kind || !s->seen[l]) continue;
        const double saved = power_savings_saved(s, l), spent = power_savings_spent(s, l),
                     net = saved - spent, all = s->all_j[l] > 0 ? s->all_j[l] : 1;
        fprintf(out, "    %-8s %12s %12s %12s %12s %5.1f %%", rows->line[l].is->name,
                table_scaled(s->all_j[l], "J", b[0]), table_scaled(saved, "J", b[1]),
                table_scaled(spent, "J", b[2]), table_scaled(net, "J", b[3]), 100 * net / all);
        if (kind == LINE_LEAKAGE && power_line_has_bound(s->tree, l))
            fprintf(out, " %12s %5.1f %%", table_scaled(s->bound_j[l], "J", b[4]),
                    100 * s->bound_j[l] / all);
        fputc('\n', out);
    }
}

static bool has_lines(const struct power_savings *s, enum savings_line_kind kind) {
    bool any = false;
    for (uint32_t l = 0; l < s->tree->rows.lines; l++)
        any = any || (s->tree->rows.line[l].is->kind == kind && s->seen[l]);
    return any;
}

static void print_added(const struct power_savings *s, uint32_t l, FILE *out) {
    char b[32];
    const struct savings_line *const line = s->tree->rows.line[l].is;
    if (!s->seen[l]) return;
    fprintf(out, "    %-8s %s spent, %.4f mm2%s\n", line->name,
            table_scaled(power_savings_spent(s, l), "J", b), power_savings_mm2(s, l),
            line->note ? line->note : "");
}

// What the techniques' hardware takes, in mm2, of its component and of the chip.
static double share_of(const struct account *a, double mm2, const char *component) {
    const int at = power_find(a->tree, component);
    const double all = at < 0 ? 0 : a->tree->component[at].all_area_mm2;
    return all > 0 ? mm2 / all : 0;
}

static void print_areas(const struct account *a, const struct power_savings *s, FILE *out) {
    const double all = power_savings_all_mm2(s);
    if (!(all > 0)) return;
    fprintf(out, "    %-8s %.4f mm2 added, %.2f %% of the chip\n", "area", all,
            100 * share_of(a, all, "chip"));
    for (uint32_t i = 0; i < s->tree->rows.areas; i++) {
        const struct savings_area *const r = s->tree->rows.area[i].is;
        if (!(s->area_mm2[i] > 0)) continue;
        fprintf(out, "    %-8s %8.4f mm2 %6.2f %% of %s: %s", "", s->area_mm2[i],
                100 * share_of(a, s->area_mm2[i], r->component), r->component, r->what);
        if (r->published) fprintf(out, " (published: %s)", r->published);
        fputc('\n', out);
    }
}

static json_t *areas_json(const struct account *a, const struct power_savings *s) {
    const double all = power_savings_all_mm2(s);
    json_t *const parts = json_array();
    for (uint32_t i = 0; i < s->tree->rows.areas; i++) {
        const struct savings_area *const r = s->tree->rows.area[i].is;
        if (!(s->area_mm2[i] > 0)) continue;
        json_t *const o = json_pack("{s:s,s:s,s:s,s:f,s:f}", "what", r->what, "component",
                                    r->component, "source", r->source, "mm2", s->area_mm2[i],
                                    "share", share_of(a, s->area_mm2[i], r->component));
        if (r->published) json_object_set_new(o, "published", json_string(r->published));
        json_array_append_new(parts, o);
    }
    return json_pack("{s:f,s:f,s:o}", "added_mm2", all, "share", share_of(a, all, "chip"), "parts",
                     parts);
}

// Of chip and board together: what a run without the technique would have spent in the same time,
// and what of it is less now. The share rests on how much the rest of the die draws, which is
// fitted: so it comes with what it would be if all of the rest leaked as logic does, and if it drew
// nothing.
struct whole {
    double net_j, share, low, high;
    struct unsure_interval within; // 90 %, by the spreads of unsure.def
};

// Net of what stands in the rest of the die itself.
static double net_of_rest(const struct account *a, const struct power_savings *s) {
    double net = 0;
    for (uint32_t i = 0; i < a->tree->rows.effects; i++) {
        const struct power_effect *const e = &a->tree->rows.effect[i];
        if (e->component >= 0 && a->tree->rest >= 0 &&
            a->tree->component[e->component].parent == a->tree->rest)
            net += (double)e->is->sign * s->j[i];
    }
    return net;
}

static struct whole whole_of(const struct account *a, const struct power_savings *s) {
    const double loss = a->tree->regulator >= 0 ? 1 + a->tree->regulator_loss : 1;
    struct whole w = {0};
    double bounds[2];
    for (uint32_t l = 0; l < a->tree->rows.lines; l++)
        w.net_j += loss * (power_savings_saved(s, l) - power_savings_spent(s, l));
    power_rest_bounds(a->tree, &a->kernels, bounds);
#define SHARE(net, energy) ((energy) + (net) > 0 ? (net) / ((energy) + (net)) : 0)
    w.share = SHARE(w.net_j, a->kernels.energy_j);
    const double none = SHARE(w.net_j - loss * net_of_rest(a, s), bounds[0]),
                 full = SHARE(w.net_j, bounds[1]);
#undef SHARE
    w.low = fmin(w.share, fmin(none, full));
    w.high = fmax(w.share, fmax(none, full));
    w.within = unsure_saving(a->tree, &a->kernels, s, w.share);
    return w;
}

static void print_whole(const struct account *a, const struct power_savings *s, FILE *out) {
    const struct whole w = whole_of(a, s);
    char b[32];
    fprintf(out,
            "    %-8s %s net, with the regulators' part: %.2f %% of chip and board (%.2f to %.2f "
            "%%, as "
            "the rest of the die draws; %.2f to %.2f %% at 90 %%)\n",
            "all", table_scaled(w.net_j, "J", b), 100 * w.share, 100 * w.low, 100 * w.high,
            100 * w.within.low, 100 * w.within.high);
}

void account_print_savings(const struct account *a, bool colour, FILE *out) {
    struct power_savings s;
    of_account(a, &s);
    if (!s.any) return;
    const char *const bold = colour ? "\033[1m" : "", *const plain = colour ? "\033[0m" : "";
    fprintf(out,
            "\n  %ssavings%s  (leakage of what is switched, in kernels; these are in the figures "
            "above)\n",
            bold, plain);
    fprintf(out, "    %-8s %12s %12s %12s %20s %20s\n", "", "leakage", "saved", "overhead", "net",
            "oracle");
    print_lines(&s, LINE_LEAKAGE, out);
    if (has_lines(&s, LINE_EVENTS)) {
        fprintf(out, "    %-8s %12s %12s %12s %20s\n", "", "dynamic", "saved", "overhead", "net");
        print_lines(&s, LINE_EVENTS, out);
    }
    print_lines_of_caches(a, out);
    for (uint32_t l = 0; l < a->tree->rows.lines; l++) {
        const struct savings_line *const line = a->tree->rows.line[l].is;
        if (line->kind != LINE_ADDED) continue;
        print_added(&s, l, out);
        if (strcmp(line->key, "shift_logic") == 0) print_folding(a, out);
    }
    print_areas(a, &s, out);
    print_whole(a, &s, out);
}

json_t *account_savings_json(const struct account *a) {
    struct power_savings s;
    of_account(a, &s);
    if (!s.any) return NULL;
    json_t *o = json_object(), *units = json_object();
    json_object_set_new(o, "units", units);
    for (uint32_t l = 0; l < a->tree->rows.lines; l++) {
        const struct savings_line *const line = a->tree->rows.line[l].is;
        const double saved = power_savings_saved(&s, l), spent = power_savings_spent(&s, l);
        char key[64];
        if (line->kind == LINE_ADDED && (s.seen[l] || line->always)) {
            snprintf(key, sizeof key, "%s_j", line->key);
            json_object_set_new(o, key, json_real(spent));
            snprintf(key, sizeof key, "%s_mm2", line->key);
            json_object_set_new(o, key, json_real(power_savings_mm2(&s, l)));
        }
        if (line->kind == LINE_ADDED || !s.seen[l]) continue;
        json_t *unit = json_object();
        const bool leaks = line->kind == LINE_LEAKAGE;
        json_object_set_new(unit, leaks ? "leakage_j" : "dynamic_j", json_real(s.all_j[l]));
        json_object_set_new(unit, "saved_j", json_real(saved));
        json_object_set_new(unit, "overhead_j", json_real(spent));
        json_object_set_new(unit, "net_j", json_real(saved - spent));
        if (leaks && power_line_has_bound(a->tree, l))
            json_object_set_new(unit, "oracle_j", json_real(s.bound_j[l]));
        json_object_set_new(units, line->name, unit);
    }
    json_object_set_new(o, "area", areas_json(a, &s));
    const struct whole w = whole_of(a, &s);
    json_object_set_new(o, "all",
                        json_pack("{s:f,s:f,s:f,s:f,s:f,s:f}", "net_j", w.net_j, "share", w.share,
                                  "share_low", w.low, "share_high", w.high, "share_low_90",
                                  w.within.low, "share_high_90", w.within.high));
    return o;
}
