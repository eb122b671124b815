// The waveform of a run's supply rails for people, as CSV and JSON, and a measured one beside it.
#include "report/probe.h"

#include <math.h>
#include <stdlib.h>

static double ratio(double a, double b) { return b > 0 ? a / b : 0; }

// ---- for people ---------------------------------------------------------------------------------
static void print_rails(const struct probe *p, FILE *out) {
    fprintf(out, "    %-14s %9s %10s %12s %12s %12s\n", "rail", "nominal", "at most", "mean",
            "least", "most");
    for (uint32_t i = 0; i < p->rails; i++) {
        const struct probe_rail *const r = &p->rail[i];
        char name[32];
        snprintf(name, sizeof name, r->count > 1 ? "%s x%u" : "%s", r->name, r->count);
        fprintf(out, "    %-14s %7.1f V %8.1f W %10.3f W %10.3f W %10.3f W\n", name, r->nominal_v,
                r->limit_w, r->mean_w, r->least_w, r->most_w);
    }
    fprintf(out, "    %-14s %9s %10s %10.3f W\n", "all", "", "", ratio(p->energy_j, p->seconds));
}

static void print_steps(const struct probe *p, FILE *out) {
    fprintf(out, "\n  %6s  %-32s %14s %14s %14s %14s %12s\n", "index", "method", "start", "end",
            "runtime", "energy", "power");
    for (uint32_t i = 0; i < p->steps; i++) {
        const struct step *const s = &p->step[i];
        char name[64], energy[32] = "-", watts[32] = "-";
        if (s->times > 1)
            snprintf(name, sizeof name, "%.20s (%llu times)", s->method,
                     (unsigned long long)s->times);
        else
            snprintf(name, sizeof name, "%.63s", s->method);
        if (isfinite(p->reading[i].power_w)) {
            snprintf(energy, sizeof energy, "%.6g J", p->reading[i].energy_j);
            snprintf(watts, sizeof watts, "%.3f W", p->reading[i].power_w);
        }
        fprintf(out, "  %6u  %-32.32s %12.9f s %12.9f s %12.9f s %14s %12s\n", i, name, s->start_s,
                s->start_s + s->seconds, s->seconds, energy, watts);
    }
}

void probe_print(const struct probe *p, FILE *out) {
    char text[32];
    fprintf(out,
            "\n  probe  %u samples at %g Hz, seed %llu, %g of the converter's noise; energy %s\n",
            p->n, p->options.hz, (unsigned long long)p->options.seed, p->options.noise,
            table_scaled(p->energy_j, "J", text));
    if (p->options.hz > p->channel_hz)
        fprintf(out,
                "    the report's converter samples %u channels at %g Hz at most; this is faster\n",
                2 * p->rails, p->channel_hz);
    if (p->is_folded)
        fputs("    launches that the record added up are spread over their time\n", out);
    if (p->processes > 1)
        fprintf(out, "    %u processes: the launches of each stand on its own clock\n",
                p->processes);
    print_rails(p, out);
    if (p->measured.n)
        fprintf(out, "    %-14s %9s %10s %10.3f W in %u readings\n", "measured", "", "",
                p->measured.mean_w, p->measured.n);
    print_steps(p, out);
}

// ---- for programs -------------------------------------------------------------------------------
// The launch, or else the copy, that runs in the middle of a sample: its index; -1: neither.
static int64_t step_at(const struct probe *p, double t, uint32_t *first) {
    int64_t found = -1;
    while (*first < p->steps && p->step[*first].start_s + p->step[*first].seconds <= t) (*first)++;
    for (uint32_t i = *first; i < p->steps && p->step[i].start_s <= t; i++) {
        if (p->step[i].start_s + p->step[i].seconds <= t) continue;
        if (!p->step[i].is_copy) return i;
        if (found < 0) found = i;
    }
    return found;
}

void probe_csv(const struct probe *p, FILE *f) {
    fputs("time_s,seconds,power_w", f);
    for (uint32_t i = 0; i < p->rails; i++)
        fprintf(f, ",%s_v,%s_a", p->rail[i].name, p->rail[i].name);
    fputs(",step\n", f);
    uint32_t first = 0;
    for (uint32_t k = 0; k < p->n; k++) {
        const double t = probe_time(p, k), s = probe_period(p, k);
        fprintf(f, "%.12g,%.12g,%.12g", t, s, p->power_w[k]);
        for (uint32_t i = 0; i < p->rails; i++)
            fprintf(f, ",%.12g,%.12g", p->rail[i].v[k], p->rail[i].a[k]);
        const int64_t step = step_at(p, t + s / 2, &first);
        if (step >= 0)
            fprintf(f, ",%lld\n", (long long)step);
        else
            fputs(",\n", f);
    }
}

static json_t *real(double v) { return isfinite(v) ? json_real(v) : json_null(); }

// Means of `join` neighbours each, by time.
static json_t *joined(const struct probe *p, const double *v, const double *a, uint32_t join) {
    json_t *list = json_array();
    for (uint32_t k = 0; k < p->n; k += join) {
        double sum = 0, all = 0;
        for (uint32_t i = k; i < p->n && i < k + join; i++) {
            const double s = probe_period(p, i);
            sum += v[i] * (a != NULL ? a[i] : 1) * s, all += s;
        }
        json_array_append_new(list, real(ratio(sum, all)));
    }
    return list;
}

static json_t *marks_json(const struct probe *p, uint32_t most) {
    json_t *list = json_array();
    for (uint32_t i = 0; i < p->steps && i < most; i++) {
        const struct step *const s = &p->step[i];
        json_array_append_new(list, json_pack("{s:i,s:s,s:b,s:f,s:f,s:o,s:o}", "step", i, "method",
                                              s->method, "copy", s->is_copy, "start_s", s->start_s,
                                              "end_s", s->start_s + s->seconds, "energy_j",
                                              real(p->reading[i].energy_j), "power_w",
                                              real(p->reading[i].power_w)));
    }
    return list;
}

static json_t *measured_json(const struct probe_measured *m, uint32_t most) {
    json_t *t = json_array(), *w = json_array();
    const uint32_t join = m->n / most + 1;
    for (uint32_t k = 0; k < m->n; k += join) {
        double sum = 0;
        uint32_t n = 0;
        for (uint32_t i = k; i < m->n && i < k + join; i++, n++) sum += m->power_w[i];
        json_array_append_new(t, real(m->t_s[k]));
        json_array_append_new(w, real(sum / n));
    }
    return json_pack("{s:o,s:o,s:o}", "time_s", t, "power_w", w, "mean_w", real(m->mean_w));
}

json_t *probe_json(const struct probe *p, uint32_t most) {
    const uint32_t join = (p->n + most - 1) / most;
    json_t *o = json_object(), *rails = json_array();
    json_object_set_new(o, "hz", json_real(p->options.hz));
    json_object_set_new(o, "seed", json_integer((json_int_t)p->options.seed));
    json_object_set_new(o, "noise", json_real(p->options.noise));
    json_object_set_new(o, "samples", json_integer(p->n));
    json_object_set_new(o, "joined", json_integer(join));
    json_object_set_new(o, "period_s", json_real(join / p->options.hz));
    json_object_set_new(o, "energy_j", json_real(p->energy_j));
    for (uint32_t i = 0; i < p->rails; i++) {
        const struct probe_rail *const r = &p->rail[i];
        json_array_append_new(rails, json_pack("{s:s,s:s,s:f,s:f,s:i,s:f,s:f,s:f,s:o}", "name",
                                               r->name, "what", r->prose, "nominal_v", r->nominal_v,
                                               "limit_w", r->limit_w, "count", r->count, "mean_w",
                                               r->mean_w, "least_w", r->least_w, "most_w",
                                               r->most_w, "power_w", joined(p, r->v, r->a, join)));
    }
    json_object_set_new(o, "rails", rails);
    json_object_set_new(o, "power_w", joined(p, p->power_w, NULL, join));
    json_object_set_new(o, "marks", marks_json(p, most));
    if (p->measured.n) json_object_set_new(o, "measured", measured_json(&p->measured, most));
    return o;
}

// ---- a measured waveform ------------------------------------------------------------------------
enum { COLUMNS_MOST = 64 };

static const struct {
    const char *name;
    double seconds;
} time_names[] = {{"time_s", 1}, {"seconds", 1},    {"time", 1},  {"t_s", 1},
                  {"t", 1},      {"time_ms", 1e-3}, {"ms", 1e-3}, {"time_us", 1e-6}};
static const char *const power_names[] = {"power_w", "watts", "power", "w"};

struct columns {
    uint32_t time, power[COLUMNS_MOST], n_power; // of the fields
    double seconds;
    bool has_time;
};

static bool ends_in_w(const char *name) {
    const size_t n = strlen(name);
    return n > 2 && strcmp(name + n - 2, "_w") == 0;
}

static struct columns find_columns(char *const *field, uint32_t n) {
    struct columns c = {0};
    for (size_t k = 0; k < WW_COUNT(time_names) && !c.has_time; k++)
        for (uint32_t i = 0; i < n && !c.has_time; i++)
            if (strcmp(field[i], time_names[k].name) == 0)
                c.time = i, c.seconds = time_names[k].seconds, c.has_time = true;
    for (size_t k = 0; k < WW_COUNT(power_names) && c.n_power == 0; k++)
        for (uint32_t i = 0; i < n && c.n_power == 0; i++)
            if (strcmp(field[i], power_names[k]) == 0) c.power[c.n_power++] = i;
    for (uint32_t i = 0, none = c.n_power == 0; i < n && none; i++)
        if (ends_in_w(field[i])) c.power[c.n_power++] = i;
    return c;
}

static bool take_row(const struct columns *c, char *const *field, uint32_t n, double from_s,
                     double *t, double *w) {
    if (c->time >= n || !text_to_double(field[c->time], t)) return false;
    *t = *t * c->seconds - from_s, *w = 0;
    for (uint32_t i = 0; i < c->n_power; i++) {
        double v;
        if (c->power[i] >= n || !text_to_double(field[c->power[i]], &v)) return false;
        *w += v;
    }
    return isfinite(*t) && isfinite(*w);
}

enum ww_status probe_measured_read(struct arena *a, const char *path, double from_s,
                                   struct diags *d, struct probe_measured *out) {
    char *text, *save = NULL, *field[COLUMNS_MOST];
    size_t len;
    const enum ww_status s = file_read(a, path, 1 << 30, &text, &len, d);
    if (s != WW_OK) return s;
    uint32_t lines = 1;
    for (size_t i = 0; i < len; i++) lines += text[i] == '\n';
    *out = (struct probe_measured){.t_s = arena_alloc(a, lines * sizeof(double)),
                                   .power_w = arena_alloc(a, lines * sizeof(double)),
                                   .mean_w = NAN};
    char *line = strtok_r(text, "\r\n", &save);
    const uint32_t names = line != NULL ? text_split_csv(line, field, COLUMNS_MOST) : 0;
    const struct columns c = find_columns(field, names);
    if (!c.has_time || c.n_power == 0)
        return diag_at(d, DIAG_ERROR, WW_ERROR_USAGE, path, NULL, 1, 1,
                       "the first line names no column of %s: a measurement has one of `time_s`, "
                       "`seconds`, `time_ms`, and `power_w`, `watts` or several that end in `_w`",
                       c.has_time ? "power" : "time");
    for (uint32_t at = 2; (line = strtok_r(NULL, "\r\n", &save)) != NULL; at++) {
        const uint32_t n = text_split_csv(line, field, COLUMNS_MOST), i = out->n;
        if (!take_row(&c, field, n, from_s, &out->t_s[i], &out->power_w[i]))
            return diag_at(d, DIAG_ERROR, WW_ERROR_USAGE, path, NULL, at, 1,
                           "no number where the columns of time and power should be");
        if (i > 0 && out->t_s[i] < out->t_s[i - 1])
            return diag_at(d, DIAG_ERROR, WW_ERROR_USAGE, path, NULL, at, 1,
                           "its time lies before that of the line above");
        out->n++;
    }
    if (out->n == 0)
        return diag_at(d, DIAG_ERROR, WW_ERROR_USAGE, path, NULL, 1, 1, "it holds no reading");
    return WW_OK;
}
