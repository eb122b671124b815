// Copies and launches of a run, in order: what GPUSimPow's tools print of a whole program (index,
// method, start, end, runtime, energy, power; D4.4.2, table 2).
//
// A launch has the energy of its account. A copy has the energy of the memory's bursts that its
// bytes take, and the power of a chip that waits, for the time in which no kernel ran beside it.
// Two copies side by side share that time. So nothing is counted twice, and launches, copies and
// the rest add up to the run.
#include "report/account.h"

#include <math.h>
#include <stdlib.h>

static double number(const json_t *o, const char *key) {
    return json_number_value(json_object_get(o, key));
}
static uint64_t whole(const json_t *o, const char *key) {
    return (uint64_t)json_integer_value(json_object_get(o, key));
}
static double ratio(double a, double b) { return b > 0 ? a / b : 0; }

// Watts of a chip that waits; 0 where no time is left between kernels.
static double idle_w(const struct account *p) {
    return ratio(p->gaps.energy_j - p->copied.energy_j, p->gaps.seconds);
}

static struct step step_of_copy(const json_t *o, const struct account *p) {
    const char *const kind = json_string_value(json_object_get(o, "kind"));
    struct step s = {.method = kind ? kind : "copy",
                     .is_copy = true,
                     .times = run_copies(o),
                     .bytes = whole(o, "bytes"),
                     .stream = (uint32_t)whole(o, "stream"),
                     .range = (uint32_t)whole(o, "range"),
                     .start_s = number(o, "start_s"),
                     .seconds = number(o, "seconds"),
                     .alone_s = number(o, "alone_s"),
                     .energy_j = NAN,
                     .dynamic_j = NAN,
                     .static_j = NAN};
    if (!p) return s;
    const double part = ratio(s.alone_s, p->gaps.seconds);
    const struct copy_moves m = activity_copy_moves(kind);
    const double moved_j =
        (double)s.bytes * (m.writes * p->copy_write_j + m.reads * p->copy_read_j);
    s.energy_j = s.alone_s * idle_w(p) + moved_j;
    s.dynamic_j = part * (p->gaps.all_dynamic_j[0] - p->copied.all_dynamic_j[0]) + moved_j;
    s.static_j = part * p->gaps.all_static_j[0];
    return s;
}

static struct step step_of_launch(const json_t *o, const struct account_kernel *k) {
    const char *const kernel = json_string_value(json_object_get(o, "kernel"));
    return (struct step){.method = kernel ? kernel : "",
                         .times = run_launches(o),
                         .launch = whole(o, "id"),
                         .range = (uint32_t)whole(o, "range"),
                         .start_s = number(o, "start_s"),
                         .seconds = number(o, "seconds"),
                         .alone_s = number(o, "seconds"),
                         .energy_j = k ? k->usage.energy_j : NAN,
                         .dynamic_j = k ? k->usage.all_dynamic_j[0] : NAN,
                         .static_j = k ? k->usage.all_static_j[0] : NAN};
}

static int by_start(const void *x, const void *y) {
    const struct step *a = x, *b = y;
    if (a->start_s != b->start_s) return a->start_s < b->start_s ? -1 : 1;
    if (a->is_copy != b->is_copy) return a->is_copy ? -1 : 1;
    if (a->launch != b->launch) return a->launch < b->launch ? -1 : 1;
    return a->stream < b->stream ? -1 : a->stream > b->stream;
}

const struct step *steps_of(struct arena *a, const struct run *r, const struct account *power,
                            uint32_t *n) {
    const size_t most = json_array_size(r->launches) + json_array_size(r->copies);
    struct step *list = arena_alloc(a, (most + 1) * sizeof *list);
    size_t i;
    uint32_t k = 0;
    json_t *o;
    *n = 0;
    json_array_foreach(r->copies, i, o) list[(*n)++] = step_of_copy(o, power);
    json_array_foreach(r->launches, i, o) {
        const uint64_t id = whole(o, "id");
        while (power && k < power->n && power->kernel[k].kernel->launch < id) k++;
        const bool has = power && k < power->n && power->kernel[k].kernel->launch == id;
        list[(*n)++] = step_of_launch(o, has ? &power->kernel[k] : NULL);
    }
    qsort(list, *n, sizeof *list, by_start);
    return list;
}

struct steps_rest steps_idle(const struct run *r, const struct account *power) {
    if (!power) return (struct steps_rest){NAN, NAN};
    double copies_s = 0;
    size_t i;
    json_t *o;
    json_array_foreach(r->copies, i, o) copies_s += number(o, "alone_s");
    const double seconds = fmax(0, power->gaps.seconds - copies_s);
    return (struct steps_rest){seconds, seconds * idle_w(power)};
}

// ---- how it is shown ----------------------------------------------------------------------------
void steps_print(struct arena *a, const struct run *r, const struct account *power, FILE *out) {
    uint32_t n;
    const struct step *const list = steps_of(a, r, power, &n);
    fprintf(out, "\n  %6s  %-32s %14s %14s %14s %14s %12s\n", "index", "method", "start", "end",
            "runtime", "energy", "power");
    for (uint32_t i = 0; i < n; i++) {
        const struct step *const s = &list[i];
        char name[64], energy[32] = "-", watts[32] = "-";
        if (s->times > 1)
            snprintf(name, sizeof name, "%.20s (%llu times)", s->method,
                     (unsigned long long)s->times);
        else
            snprintf(name, sizeof name, "%.63s", s->method);
        if (isfinite(s->energy_j)) {
            snprintf(energy, sizeof energy, "%.6g J", s->energy_j);
            snprintf(watts, sizeof watts, "%.3f W", ratio(s->energy_j, s->seconds));
        }
        fprintf(out, "  %6u  %-32.32s %12.9f s %12.9f s %12.9f s %14s %12s\n", i, name, s->start_s,
                s->start_s + s->seconds, s->seconds, energy, watts);
    }
    const struct steps_rest rest = steps_idle(r, power);
    if (!power) return;
    char energy[32];
    snprintf(energy, sizeof energy, "%.6g J", rest.energy_j);
    fprintf(out, "  %6s  %-32s %14s %14s %12.9f s %14s %10.3f W\n", "", "(neither)", "", "",
            rest.seconds, energy, ratio(rest.energy_j, rest.seconds));
    snprintf(energy, sizeof energy, "%.6g J", power->run.energy_j);
    fprintf(out, "  %6s  %-32s %14s %14s %12.9f s %14s %10.3f W\n", "", "(all)", "", "",
            power->run.seconds, energy, power->run.power_w);
}

static void csv_text(FILE *f, const char *text) {
    const bool quoted = strpbrk(text, ",\"\n") != NULL;
    if (quoted) fputc('"', f);
    for (; *text; text++) {
        if (*text == '"') fputc('"', f);
        fputc(*text, f);
    }
    if (quoted) fputc('"', f);
}

static void csv_number(FILE *f, double v) {
    if (isfinite(v))
        fprintf(f, ",%.12g", v);
    else
        fputc(',', f);
}

void steps_csv(struct arena *a, const struct run *r, const struct account *power, FILE *f) {
    uint32_t n;
    const struct step *const list = steps_of(a, r, power, &n);
    fputs("step,method,times,launch,stream,bytes,start_s,end_s,seconds,energy_j,power_w,dynamic_j,"
          "static_j\n",
          f);
    for (uint32_t i = 0; i < n; i++) {
        const struct step *const s = &list[i];
        fprintf(f, "%u,", i);
        csv_text(f, s->method);
        fprintf(f, ",%llu,", (unsigned long long)s->times);
        if (s->is_copy)
            fprintf(f, ",%u,%llu", s->stream, (unsigned long long)s->bytes);
        else
            fprintf(f, "%llu,,", (unsigned long long)s->launch);
        csv_number(f, s->start_s);
        csv_number(f, s->start_s + s->seconds);
        csv_number(f, s->seconds);
        csv_number(f, s->energy_j);
        csv_number(f, isfinite(s->energy_j) ? ratio(s->energy_j, s->seconds) : NAN);
        csv_number(f, s->dynamic_j);
        csv_number(f, s->static_j);
        fputc('\n', f);
    }
}

static json_t *real(double v) { return isfinite(v) ? json_real(v) : json_null(); }

json_t *steps_json(struct arena *a, const struct run *r, const struct account *power,
                   uint32_t most) {
    uint32_t n;
    const struct step *const list = steps_of(a, r, power, &n);
    json_t *rows = json_array();
    const uint32_t shown = most && most < n ? most : n;
    for (uint32_t i = 0; i < shown; i++) {
        const struct step *const s = &list[i];
        json_t *o = json_object();
        json_object_set_new(o, "step", json_integer(i));
        json_object_set_new(o, "method", json_string_nocheck(s->method));
        json_object_set_new(o, "times", json_integer((json_int_t)s->times));
        if (s->is_copy) {
            json_object_set_new(o, "stream", json_integer(s->stream));
            json_object_set_new(o, "bytes", json_integer((json_int_t)s->bytes));
        } else {
            json_object_set_new(o, "launch", json_integer((json_int_t)s->launch));
        }
        json_object_set_new(o, "start_s", json_real(s->start_s));
        json_object_set_new(o, "end_s", json_real(s->start_s + s->seconds));
        json_object_set_new(o, "seconds", json_real(s->seconds));
        json_object_set_new(o, "energy_j", real(s->energy_j));
        json_object_set_new(o, "power_w",
                            real(isfinite(s->energy_j) ? ratio(s->energy_j, s->seconds) : NAN));
        json_array_append_new(rows, o);
    }
    const struct steps_rest rest = steps_idle(r, power);
    json_t *all = json_pack("{s:o,s:o,s:o}", "list", rows, "idle_s", real(rest.seconds), "idle_j",
                            real(rest.energy_j));
    if (shown < n) json_object_set_new(all, "left_out", json_integer(n - shown));
    return all;
}
