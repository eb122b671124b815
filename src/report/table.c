// The table that a person reads at the end of a run.
#include "activity/stall.h"
#include "report/account.h"
#include "report/demangle.h"

#include <math.h>
#include <stdlib.h>

static double ratio(double a, double b) { return b > 0 ? a / b : 0; }

// "1,234,567"
static const char *grouped(uint64_t v, char buf[32]) {
    char digits[24];
    const int n = snprintf(digits, sizeof digits, "%llu", (unsigned long long)v);
    int at = 0;
    for (int i = 0; i < n; i++) {
        if (i && (n - i) % 3 == 0) buf[at++] = ',';
        buf[at++] = digits[i];
    }
    buf[at] = 0;
    return buf;
}

const char *table_scaled(double v, const char *unit, char buf[32]) {
    static const struct {
        double scale;
        const char *prefix;
    } step[] = {{1e12, "T"}, {1e9, "G"},  {1e6, "M"},  {1e3, "k"},   {1, ""},
                {1e-3, "m"}, {1e-6, "u"}, {1e-9, "n"}, {1e-12, "p"}, {1e-15, "f"}};
    size_t i = 0;
    while (i + 1 < WW_COUNT(step) && fabs(v) < step[i].scale * 0.9995) i++;
    if (v == 0) i = 4;
    const bool bare = !*step[i].prefix && !*unit;
    snprintf(buf, 32, "%.4g%s%s%s", v / step[i].scale, bare ? "" : " ", step[i].prefix, unit);
    return buf;
}

struct style {
    const char *bold, *dim, *good, *bad, *reset;
};
static struct style style_of(bool colour) {
    if (!colour) return (struct style){"", "", "", "", ""};
    return (struct style){"\033[1m", "\033[2m", "\033[32m", "\033[31m", "\033[0m"};
}

static void bar(FILE *out, double part, int width) {
    const int full = (int)(part * width + 0.5);
    for (int i = 0; i < full; i++) fputs("#", out);
    fputc('\n', out);
}

static const char *text_of(const json_t *o, const char *key) {
    const char *s = json_string_value(json_object_get(o, key));
    return s ? s : "";
}

struct sums {
    uint64_t launches, cycles, warp, thread;
    double seconds, host_s, warps_possible, warps_achieved;
    uint64_t estimated; // launches that were not simulated whole
    uint64_t untimed, untimed_warp, untimed_thread; // launches computed without time; theirs alone
    bool functional, overlapped;    // functional: all of them
};

static struct sums add_up(const struct run *r) {
    struct sums s = {.launches = 0};
    size_t i;
    json_t *l;
    json_array_foreach(r->launches, i, l) {
        const double cycles = (double)json_integer_value(json_object_get(l, "cycles"));
        s.cycles += (uint64_t)cycles;
        s.seconds += json_real_value(json_object_get(l, "seconds"));
        s.host_s += json_real_value(json_object_get(l, "host_seconds"));
        const uint64_t warp = (uint64_t)json_integer_value(json_object_get(l, "warp_instructions")),
                       thread =
                           (uint64_t)json_integer_value(json_object_get(l, "thread_instructions"));
        const bool untimed = json_is_true(json_object_get(l, "functional"));
        s.launches += run_launches(l);
        s.untimed += untimed ? run_launches(l) : 0;
        s.estimated += json_object_get(l, "estimated_half_cycles") ? run_launches(l) : 0;
        *(untimed ? &s.untimed_warp : &s.warp) += warp;
        *(untimed ? &s.untimed_thread : &s.thread) += thread;
        s.warps_possible +=
            cycles * (double)json_integer_value(json_object_get(l, "occupancy_warps"));
        s.warps_achieved += cycles * json_real_value(json_object_get(l, "achieved_warps"));
        s.overlapped = s.overlapped || json_integer_value(json_object_get(l, "overlapped")) > 0;
    }
    s.functional = s.untimed && s.untimed == s.launches;
    if (s.functional) s.warp = s.untimed_warp, s.thread = s.untimed_thread;
    return s;
}

static void print_slots(const json_t *a, const struct style *st, FILE *out) {
    uint64_t total = 0;
    for (size_t i = 0; i < STALL_N; i++)
        if (i != STALL_dual) total += run_counter_at(a, "issue_slots", i);
    if (!total) return;
    fprintf(out, "\n  %sissue slots%s  (%s)\n", st->bold, st->reset,
            "each scheduler cycle has one owner");
    for (size_t i = 0; i < STALL_N; i++) {
        const double part = ratio((double)run_counter_at(a, "issue_slots", i), (double)total);
        if (part < 0.0005) continue;
        if (i == STALL_dual) {
            fprintf(out, "    %-12s %5.1f %%  of these, two at once\n", "dual", part * 100);
            continue;
        }
        fprintf(out, "    %-12s %5.1f %%  ", stall_text((enum stall_reason)i), part * 100);
        bar(out, part, 40);
    }
}

static void cache_row(const json_t *a, const char *label, const char *reads, const char *hits,
                      const char *merges, FILE *out) {
    const double n = (double)run_counter(a, reads);
    if (n == 0) return;
    char buf[32];
    fprintf(out, "    %-12s %5.1f %% hits of %s reads", label,
            100 * ratio((double)run_counter(a, hits), n), table_scaled(n, "", buf));
    if (merges && run_counter(a, merges))
        fprintf(out, ", %.1f %% joined a miss", 100 * ratio((double)run_counter(a, merges), n));
    fputc('\n', out);
}

static void print_memory(const struct run *r, const json_t *a, const struct sums *s,
                         const struct style *st, FILE *out) {
    char b1[32], b2[32], b3[32];
    const json_t *gpu = json_object_get(r->header, "gpu");
    fprintf(out, "\n  %smemory%s\n", st->bold, st->reset);
    const uint64_t shared = run_counter(a, "shared_reads") + run_counter(a, "shared_writes") +
                            run_counter(a, "shared_atomics");
    if (shared)
        fprintf(out, "    %-12s %s accesses, %.2f passes each\n", "shared",
                table_scaled((double)shared, "", b1),
                ratio((double)run_counter(a, "shared_passes"), (double)shared));
    cache_row(a, "L1", "l1_reads", "l1_read_hits", "l1_read_merges", out);
    const double tex = (double)run_counter(a, "tex_reads");
    if (tex > 0) cache_row(a, "texture", "tex_reads", "tex_hits", NULL, out);
    cache_row(a, "L2", "l2_reads", "l2_read_hits", "l2_read_merges", out);
    const double read = (double)run_counter(a, "dram_read_bytes");
    const double written = (double)run_counter(a, "dram_write_bytes");
    const double peak = json_real_value(json_object_get(gpu, "dram_peak_bytes_per_s"));
    const double rate = ratio(read + written, s->seconds);
    const double hits = (double)run_counter(a, "dram_row_hits");
    fprintf(out, "    %-12s %s read, %s written, %.0f %% row hits\n    %-12s %s, %.0f %% of peak\n",
            "DRAM", table_scaled(read, "B", b1), table_scaled(written, "B", b2),
            100 * ratio(hits, hits + (double)run_counter(a, "dram_row_misses")), "",
            table_scaled(rate, "B/s", b3), 100 * ratio(rate, peak));
}

struct kernel_row {
    const char *name;
    uint64_t launches, cycles, warp, thread;
    double seconds, energy_j;
};

static int by_time(const void *a, const void *b) {
    const struct kernel_row *x = a, *y = b;
    if (x->cycles != y->cycles) return x->cycles < y->cycles ? 1 : -1;
    if (x->thread != y->thread) return x->thread < y->thread ? 1 : -1;
    return strcmp(x->name, y->name);
}

// The energy of a launch; `at` walks along, as both stand in order of completion.
static double launch_energy(const struct account *a, uint32_t *at, const json_t *launch) {
    const uint64_t id = (uint64_t)json_integer_value(json_object_get(launch, "id"));
    if (!a || *at >= a->n || a->kernel[*at].kernel->launch != id) return 0;
    return a->kernel[(*at)++].usage.energy_j;
}

static void print_kernels(const struct run *r, const struct sums *s, const struct account *power,
                          const struct style *st, FILE *out) {
    const size_t n = json_array_size(r->launches);
    struct kernel_row *row = calloc(n ? n : 1, sizeof *row);
    if (!row) return;
    size_t rows = 0, i;
    uint32_t at = 0;
    json_t *l;
    json_array_foreach(r->launches, i, l) {
        const char *name = text_of(l, "kernel");
        size_t k = 0;
        while (k < rows && strcmp(row[k].name, name) != 0) k++;
        if (k == rows) row[rows++].name = name;
        row[k].launches += run_launches(l);
        row[k].cycles += (uint64_t)json_integer_value(json_object_get(l, "cycles"));
        row[k].warp += (uint64_t)json_integer_value(json_object_get(l, "warp_instructions"));
        row[k].thread += (uint64_t)json_integer_value(json_object_get(l, "thread_instructions"));
        row[k].seconds += json_real_value(json_object_get(l, "seconds"));
        row[k].energy_j += launch_energy(power, &at, l);
    }
    qsort(row, rows, sizeof *row, by_time);
    enum { SHOWN = 20 };
    struct demangler *d = demangler_new();
    // a line has 80 columns: power and energy take the place of cycles and share
    fprintf(out, "\n  %skernels%s\n    %-24s %8s", st->bold, st->reset, "name", "launches");
    if (power)
        fprintf(out, " %9s %6s %5s %9s %9s\n", "time", "IPC", "lanes", "power", "energy");
    else
        fprintf(out, " %13s %9s %7s %5s %5s\n", "cycles", "time", "share", "IPC", "lanes");
    for (size_t k = 0; k < rows && k < SHOWN; k++) {
        char b1[32], b2[32];
        const double ipc = ratio((double)row[k].thread, (double)row[k].cycles),
                     lanes = ratio((double)row[k].thread, (double)row[k].warp);
        char *name = demangle(d, row[k].name);
        fprintf(out, "    %-24.24s %8llu", name ? name : row[k].name,
                (unsigned long long)row[k].launches);
        free(name);
        table_scaled(row[k].seconds, "s", b2);
        if (power)
            fprintf(out, " %9s %6.1f %5.1f %7.2f W %9s\n", b2, ipc, lanes,
                    ratio(row[k].energy_j, row[k].seconds), table_scaled(row[k].energy_j, "J", b1));
        else
            fprintf(out, " %13s %9s %5.1f %% %5.0f %5.1f\n", grouped(row[k].cycles, b1), b2,
                    100 * ratio((double)row[k].cycles, (double)s->cycles), ipc, lanes);
    }
    if (rows > SHOWN) fprintf(out, "    and %zu more (see --json or -o DIR)\n", rows - SHOWN);
    demangler_free(d);
    free(row);
}

// The first launch of each kernel, in order of appearance; answers how many.
static size_t first_launches(const struct run *r, const json_t **first) {
    size_t n = 0, i;
    json_t *l;
    json_array_foreach(r->launches, i, l) {
        size_t k = 0;
        while (k < n && strcmp(text_of(first[k], "kernel"), text_of(l, "kernel")) != 0) k++;
        if (k == n) first[n++] = l;
    }
    return n;
}

// Whose machine code ran, where any was a real compiler's or might have been.
static void print_code(const struct run *r, const struct style *st, FILE *out) {
    enum { COLUMNS = 78 };
    const size_t all = json_array_size(r->launches);
    const json_t **first = calloc(all ? all : 1, sizeof *first);
    bool *shown = calloc(all ? all : 1, sizeof *shown), any = false;
    const size_t n = first && shown ? first_launches(r, first) : 0;
    for (size_t k = 0; k < n; k++)
        any = any || *text_of(first[k], "made_by") || *text_of(first[k], "instead");
    struct demangler *d = demangler_new();
    if (any) fprintf(out, "\n  %scode%s\n", st->bold, st->reset);
    for (size_t k = 0; any && k < n; k++) {
        if (shown[k]) continue;
        const char *by = text_of(first[k], "made_by"), *instead = text_of(first[k], "instead");
        int at = fprintf(out, "    %s%s:", *by ? "machine code of " : "PTX", by);
        size_t left = 0;
        for (size_t j = k; j < n; j++) {
            if (strcmp(text_of(first[j], "made_by"), by) != 0 ||
                strcmp(text_of(first[j], "instead"), instead) != 0)
                continue;
            shown[j] = true;
            if (at > COLUMNS) {
                left++;
                continue;
            }
            char *name = demangle(d, text_of(first[j], "kernel"));
            at += fprintf(out, "%s %.24s", j == k ? "" : ",", name ? name : text_of(first[j], "kernel"));
            free(name);
        }
        if (left) fprintf(out, " and %zu more", left);
        fputc('\n', out);
        if (*instead) fprintf(out, "      %s\n", instead);
    }
    demangler_free(d);
    free(shown);
    free(first);
}

static void print_failures(const struct run *r, const struct style *st, FILE *out) {
    size_t i;
    json_t *l;
    json_array_foreach(r->launches, i, l) {
        const char *why = text_of(l, "text");
        if (json_integer_value(json_object_get(l, "status")) == WW_OK) continue;
        fprintf(out, "\n  %slaunch %lld of %s did not finish:%s %s\n", st->bad,
                (long long)json_integer_value(json_object_get(l, "id")), text_of(l, "kernel"),
                st->reset, why);
    }
    json_array_foreach(r->errors, i, l) {
        const unsigned long long times = run_times(l);
        const bool finding = json_integer_value(json_object_get(l, "status")) == WW_ERROR_ACCESS;
        fprintf(out, "\n  %s%s", st->bad, finding ? "found" : "refused");
        if (times > 1) fprintf(out, " %llu times", times);
        fprintf(out, ":%s %s\n", st->reset, text_of(l, "text"));
    }
    if (r->cut_off && r->processes > 1)
        fprintf(out, "\n  %s%u of %u processes were cut off", st->bad, r->cut_off, r->processes);
    else if (r->cut_off)
        fprintf(out, "\n  %sthe run was cut off", st->bad);
    if (r->cut_off) fprintf(out, "; what stands here is what had finished%s\n", st->reset);
}

// What limits the warps of each timed kernel: one word when it is the same for all, else a line a
// limit with its kernels, in order of appearance.
struct limit_row {
    const char *limit, *kernel;
};
static void print_limit(const struct limit_row *row, size_t rows, const char *limit,
                        struct demangler *d, FILE *out) {
    enum { COLUMNS = 66, NAME = 24 };
    int at = fprintf(out, "    limited by %s:", limit);
    size_t left = 0, shown = 0;
    for (size_t k = 0; k < rows; k++) {
        if (strcmp(row[k].limit, limit) != 0) continue;
        if (left || at >= COLUMNS - NAME) {
            left++;
            continue;
        }
        char *name = demangle(d, row[k].kernel);
        at += fprintf(out, "%s %.*s", shown++ ? "," : "", NAME, name ? name : row[k].kernel);
        free(name);
    }
    if (left) fprintf(out, " and %zu more", left);
    fputc('\n', out);
}
static void print_limits(const struct run *r, FILE *out) {
    const size_t n = json_array_size(r->launches);
    struct limit_row *row = calloc(n ? n : 1, sizeof *row);
    size_t rows = 0, i, different = 0;
    json_t *l;
    json_array_foreach(r->launches, i, l) {
        const struct limit_row one = {text_of(l, "occupancy_limit"), text_of(l, "kernel")};
        if (!row || !*one.limit || json_is_true(json_object_get(l, "functional"))) continue;
        size_t k = 0;
        while (k < rows && (strcmp(row[k].limit, one.limit) != 0 ||
                            strcmp(row[k].kernel, one.kernel) != 0))
            k++;
        if (k == rows) row[rows++] = one;
        different += strcmp(one.limit, row[0].limit) != 0;
    }
    if (rows && !different) fprintf(out, ", limited by %s", row[0].limit);
    fputc('\n', out);
    struct demangler *d = different ? demangler_new() : NULL;
    for (size_t k = 0; different && k < rows; k++) {
        size_t first = 0;
        while (strcmp(row[first].limit, row[k].limit) != 0) first++;
        if (first == k) print_limit(row, rows, row[k].limit, d, out);
    }
    demangler_free(d);
    free(row);
}

void table_print(const struct run *r, const struct table_options *o, FILE *out) {
    const struct style st = style_of(o->colour);
    const struct sums s = add_up(r);
    const json_t *gpu = json_object_get(r->header, "gpu");
    const double core_mhz = json_real_value(json_object_get(gpu, "core_clock_mhz"));
    char b1[32], b2[32], b3[32];
    fprintf(out, "\n%s%s%s on %s (%s, %lld SMs, %.0f MHz)", st.bold, o->title, st.reset,
            text_of(gpu, "name"), text_of(gpu, "product"),
            (long long)json_integer_value(json_object_get(gpu, "sms")), core_mhz);
    if (o->check > 0) fprintf(out, "   %sresults checked%s", st.good, st.reset);
    if (o->check < 0) fprintf(out, "   %sthe program's own check failed%s", st.bad, st.reset);
    if (o->check >= 0 && o->ending) fprintf(out, "   %s%s%s", st.bad, o->ending, st.reset);
    const unsigned long long refused = run_refused(r);
    if (refused)
        fprintf(out, "   %s%llu launch%s refused%s", st.bad, refused, refused == 1 ? "" : "es",
                st.reset);
    if (*text_of(r->header, "told"))
        fprintf(out, "\n  the program was told of a GPU with %s", text_of(r->header, "told"));
    fputs("\n\n", out);
    if (!s.launches) {
        fputs("  no kernel was launched\n", out);
        print_failures(r, &st, out);
        fputc('\n', out);
        return;
    }
    if (s.functional) {
        fprintf(out,
                "  %-12s %s warp instructions, %s thread instructions (functional: no time, no "
                "power)\n",
                "work", grouped(s.warp, b1), grouped(s.thread, b2));
        fprintf(out, "  %-12s %.3f s, %s warp instructions a second\n\n", "host", s.host_s,
                table_scaled(ratio((double)s.warp, s.host_s), "", b1));
        print_failures(r, &st, out);
        return;
    }
    json_t *a = run_total_activity(r);
    fprintf(out, "  %-12s %s cycles, %s in %llu launch%s", "time", grouped(s.cycles, b1),
            table_scaled(s.seconds, "s", b2), (unsigned long long)(s.launches - s.untimed),
            s.launches - s.untimed == 1 ? "" : "es");
    if (r->processes > 1) fprintf(out, " of %u processes, a GPU each", r->processes);
    fputc('\n', out);
    if (s.estimated)
        fprintf(out,
                "  %-12s %llu launch%s from samples: cycles, and joules with them, +- %.2f %% (95 %%)\n",
                "estimated", (unsigned long long)s.estimated, s.estimated == 1 ? "" : "es",
                100 * ratio(run_half_cycles(r->end), (double)s.cycles));
    const unsigned long long beside = (unsigned long long)json_integer_value(
        json_object_get(json_object_get(r->end, "sampling"), "launches_beside"));
    if (beside)
        fprintf(out,
                "  %-12s %llu launch%s ran beside others and %s simulated whole: only a kernel that has "
                "the GPU to itself is estimated\n",
                "not sampled", beside, beside == 1 ? "" : "es", beside == 1 ? "was" : "were");
    if (s.untimed)
        fprintf(out, "  %-12s %llu launch%s computed without time: %s warp instructions\n",
                "untimed", (unsigned long long)s.untimed, s.untimed == 1 ? "" : "es",
                grouped(s.untimed_warp, b1));
    fprintf(out, "  %-12s %s warp instructions, %s thread instructions\n", "work",
            grouped(s.warp, b1), grouped(s.thread, b2));
    fprintf(out, "  %-12s %.1f of 32 active in a warp instruction\n", "lanes",
            ratio((double)s.thread, (double)s.warp));
    fprintf(out, "  %-12s %.1f thread instructions a cycle (%.2f warp instructions)\n", "IPC",
            ratio((double)s.thread, (double)s.cycles), ratio((double)s.warp, (double)s.cycles));
    fprintf(out, "  %-12s %.1f warps an SM of %lld", "occupancy",
            ratio(s.warps_achieved, (double)s.cycles),
            (long long)json_integer_value(json_object_get(gpu, "warps_per_sm")));
    fprintf(out, "; %.1f possible", ratio(s.warps_possible, (double)s.cycles));
    print_limits(r, out);
    fprintf(out, "  %-12s %.2f s, %s warp instructions and %s cycles a second\n", "host",
            s.host_s, table_scaled(ratio((double)s.warp, s.host_s), "", b2),
            table_scaled(ratio((double)s.cycles, s.host_s), "", b3));
    print_slots(a, &st, out);
    print_memory(r, a, &s, &st, out);
    if (o->power) account_print(o->power, o->colour, out);
    ranges_print(r, o->power, o->colour, out);
    print_kernels(r, &s, o->power, &st, out);
    print_code(r, &st, out);
    print_failures(r, &st, out);
    if (s.overlapped)
        fprintf(out, "\n  %skernels overlapped: the activity of one holds some of another's%s%s\n",
                st.dim, o->power ? "; energy is shared out" : "", st.reset);
    if (o->no_power) fprintf(out, "\n  %sno power: %s%s\n", st.dim, o->no_power, st.reset);
    fputc('\n', out);
    json_decref(a);
}
