// Power for people: the end of a run, and the whole tree.
#include "report/account.h"

#include "power/unsure.h"

#include <math.h>
#include <stdlib.h>

static double ratio(double a, double b) { return b > 0 ? a / b : 0; }

static double watts(double joules, double seconds) { return ratio(joules, seconds); }

static void bar(FILE *out, double part, int width) {
    const int full = (int)(part * width + 0.5);
    if (full) fputs("  ", out);
    for (int i = 0; i < full; i++) fputc('#', out);
    fputc('\n', out);
}

struct style {
    const char *bold, *dim, *reset;
};
static struct style style_of(bool colour) {
    return colour ? (struct style){"\033[1m", "\033[2m", "\033[0m"} : (struct style){"", "", ""};
}

// The share of energy that rests on each kind of number.
static void print_basis(const struct account *a, FILE *out) {
    fprintf(out, "    %-12s", "rests on");
    bool first = true;
    for (int i = 0; i < POWER_BASES; i++) {
        const double part = ratio(a->basis_j[i], a->kernels.energy_j);
        if (part < 0.0005) continue;
        fprintf(out, "%s%s %.0f %%", first ? " " : ", ", power_basis_name((enum power_basis)i),
                100 * part);
        first = false;
    }
    fputc('\n', out);
}

// With --interval: the spread over time, and a strip of it for whoever has no plot at hand.
static void print_time(const struct account *a, FILE *out) {
    enum { WIDTH = 60 };
    static const char shade[] = " .:-=+*#%@";
    double least = INFINITY, most = 0, joules[WIDTH] = {0}, seconds[WIDTH] = {0}, at = 0;
    uint32_t n = 0;
    for (uint32_t i = 0; i < a->n; i++) {
        const struct activity_kernel *k = a->kernel[i].kernel;
        for (uint32_t v = 0; v < k->n_intervals; v++) {
            struct power_usage u;
            if (!account_interval(a, k, v, &u)) continue;
            least = fmin(least, u.power_w), most = fmax(most, u.power_w), n++;
            const double middle = at + u.seconds / 2;
            int cell = (int)(middle / a->kernels.seconds * WIDTH);
            if (cell >= WIDTH) cell = WIDTH - 1; // kernels side by side
            joules[cell] += u.energy_j, seconds[cell] += u.seconds;
            at += u.seconds;
        }
    }
    if (n < 2) return;
    fprintf(out, "    %-12s %.2f to %.2f W in %u intervals\n    %-12s [", "over time", least, most,
            n, "");
    for (int i = 0, last = 0; i < WIDTH;
         i++) { // a cell that no interval begins in continues the last
        if (seconds[i] > 0) {
            const double part =
                (joules[i] / seconds[i] - least) / (most > least ? most - least : 1);
            last = (int)(fmin(fmax(part, 0), 1) * (double)(sizeof shade - 2) + 0.5);
        }
        fputc(shade[last], out);
    }
    fputs("]\n", out);
}

// The 90 % interval of the mean power, and the two unknowns that it owes most to.
static void print_interval(const struct account *a, FILE *out) {
    const struct unsure_interval w = unsure_power(a->tree, &a->kernels);
    double by[UNSURE_FACTORS];
    int most[2] = {-1, -1};
    unsure_watts(a->tree, &a->kernels, by);
    for (int f = 0; f < UNSURE_FACTORS; f++) {
        by[f] = fabs(by[f]) * unsure_factor_sd(a->tree, (enum unsure_factor)f);
        if (most[0] < 0 || by[f] > by[most[0]])
            most[1] = most[0], most[0] = f;
        else if (most[1] < 0 || by[f] > by[most[1]])
            most[1] = f;
    }
    fprintf(out, "    %-12s %.0f to %.0f W at 90 %%; most by %s (%.1f W), %s (%.1f W)\n", "unsure",
            w.low, w.high, unsure_factor_text((enum unsure_factor)most[0]), by[most[0]],
            unsure_factor_text((enum unsure_factor)most[1]), by[most[1]]);
}

static void print_totals(const struct account *a, FILE *out) {
    const struct power_usage *k = &a->kernels;
    const double s = k->seconds, dynamic = k->all_dynamic_j[0], still = k->all_static_j[0];
    char b1[32], b2[32], b3[32];
    fprintf(out, "    %-12s %.2f W, %s in %s of kernels\n", "total", k->power_w,
            table_scaled(k->energy_j, "J", b1), table_scaled(s, "s", b2));
    fprintf(out, "    %-12s %.2f W dynamic, %.2f W static (%.0f %%)\n", "", watts(dynamic, s),
            watts(still, s), 100 * ratio(still, k->energy_j));
    fprintf(out, "    %-12s static: %.2f W leakage, %.2f W gate leakage, %.2f W constant\n", "",
            watts(k->all_leak_sub_j[0], s), watts(k->all_leak_gate_j[0], s),
            watts(power_constant_j(k, 0), s));
    print_interval(a, out);
    const int chip = power_find(a->tree, "chip"), board = power_find(a->tree, "board");
    if (chip >= 0 && board >= 0)
        fprintf(out, "    %-12s chip %.2f W, board %.2f W\n", "",
                watts(k->all_dynamic_j[chip] + k->all_static_j[chip], s),
                watts(k->all_dynamic_j[board] + k->all_static_j[board], s));
    if (a->gaps.seconds > 0)
        fprintf(out, "    %-12s %s at %.2f W with no kernel: %s; %s in all\n", "gaps",
                table_scaled(a->gaps.seconds, "s", b1), a->gaps.power_w,
                table_scaled(a->gaps.energy_j, "J", b2), table_scaled(a->run.energy_j, "J", b3));
    if (a->thread_instructions > 0)
        fprintf(out, "    %-12s %s a warp instruction, %s a lane; EDP %s\n", "energy",
                table_scaled(ratio(k->energy_j, a->warp_instructions), "J", b1),
                table_scaled(ratio(k->energy_j, a->thread_instructions), "J", b2),
                table_scaled(k->energy_j * s, "J s", b3));
    if (a->supply_v > 0)
        fprintf(out, "    %-12s %.4g V, as the board has it at %g MHz (-s core.vdd sets another)\n",
                "supply", a->supply_v, a->supply_mhz);
    char limit[256];
    if (account_limit_text(a, limit, sizeof limit))
        fprintf(out, "    %-12s %s\n", "power limit", limit);
    if (a->tree->idle_gate > 0)
        fprintf(out, "    %-12s gated: %.2f W less, of SMs without work\n", "idle SMs",
                watts(k->gated_j, s));
    print_time(a, out);
    print_basis(a, out);
}

void account_print(const struct account *a, bool colour, FILE *out) {
    const struct style st = style_of(colour);
    const struct power_usage *k = &a->kernels;
    struct account_group group[POWER_MAX_COMPONENTS];
    const uint32_t n = account_groups(a->tree, group);
    fprintf(out, "\n  %spower%s  (the model's, of the time in kernels)\n", st.bold, st.reset);
    print_totals(a, out);
    fprintf(out, "\n    %-22s %10s %10s %10s %8s\n", "component", "dynamic", "static", "total",
            "share");
    const char *section = "";
    double rest_dynamic = 0, rest_static = 0;
    for (uint32_t i = 0; i < n; i++) {
        const double dynamic = account_group_dynamic(&group[i], k),
                     still = account_group_static(&group[i], k);
        const double part = ratio(dynamic + still, k->energy_j);
        if (part < 0.005) { // too small for a row of its own
            rest_dynamic += dynamic, rest_static += still;
            continue;
        }
        char name[64];
        snprintf(name, sizeof name, "%-5s %s",
                 strcmp(section, group[i].section) == 0 ? "" : group[i].section,
                 a->tree->component[group[i].component].name);
        section = group[i].section;
        fprintf(out, "    %-22s %8.2f W %8.2f W %8.2f W %6.1f %%", name, watts(dynamic, k->seconds),
                watts(still, k->seconds), watts(dynamic + still, k->seconds), 100 * part);
        bar(out, part, 10);
    }
    if (rest_dynamic + rest_static > 0)
        fprintf(out, "    %-22s %8.2f W %8.2f W %8.2f W %6.1f %%\n", "      (smaller ones)",
                watts(rest_dynamic, k->seconds), watts(rest_static, k->seconds),
                watts(rest_dynamic + rest_static, k->seconds),
                100 * ratio(rest_dynamic + rest_static, k->energy_j));
}

// ---- the whole tree -----------------------------------------------------------------------------
static void print_component(const struct account *a, int i, int depth, FILE *out) {
    const struct power_component *p = &a->tree->component[i];
    const struct power_usage *k = &a->kernels;
    const double s = k->seconds, dynamic = k->all_dynamic_j[i], still = k->all_static_j[i];
    char count[24] = "";
    if (p->count > 1) snprintf(count, sizeof count, "%u", p->count);
    bool inner = false;
    for (int c = i + 1; c < a->tree->components; c++)
        inner = inner || a->tree->component[c].parent == i;
    fprintf(out,
            "  %*s%-*s %7s %10.3f W %10.3f W %10.3f W %10.3f W %10.3f W %10.3f W %6.1f %%  %s\n",
            depth * 2, "", 26 - depth * 2, p->name, count, p->all_peak_w,
            watts(k->all_leak_sub_j[i], s), watts(k->all_leak_gate_j[i], s), watts(dynamic, s),
            watts(still, s), watts(dynamic + still, s), 100 * ratio(dynamic + still, k->energy_j),
            inner ? "" : power_basis_name(p->basis));
    for (int c = i + 1; c < a->tree->components; c++)
        if (a->tree->component[c].parent == i) print_component(a, c, depth + 1, out);
}

static int by_energy(const void *x, const void *y) {
    const struct account_kernel *a = x, *b = y;
    if (a->usage.energy_j != b->usage.energy_j)
        return a->usage.energy_j < b->usage.energy_j ? 1 : -1;
    return a->kernel->launch < b->kernel->launch ? -1 : a->kernel->launch > b->kernel->launch;
}

static void print_kernels(const struct account *a, FILE *out) {
    struct account_kernel *row = malloc(a->n * sizeof *row);
    if (!row) return;
    uint32_t rows = 0; // launches of one name together
    for (uint32_t i = 0; i < a->n; i++) {
        uint32_t r = 0;
        while (r < rows && strcmp(row[r].kernel->name, a->kernel[i].kernel->name) != 0) r++;
        if (r == rows) {
            row[rows++] = a->kernel[i];
            continue;
        }
        row[r].usage.seconds += a->kernel[i].usage.seconds;
        row[r].usage.energy_j += a->kernel[i].usage.energy_j;
        row[r].usage.all_dynamic_j[0] += a->kernel[i].usage.all_dynamic_j[0];
        row[r].usage.all_static_j[0] += a->kernel[i].usage.all_static_j[0];
    }
    qsort(row, rows, sizeof *row, by_energy);
    fprintf(out, "\n  %-28s %8s %10s %10s %10s %10s %10s %8s\n", "kernel", "launches", "time",
            "dynamic", "static", "power", "energy", "share");
    for (uint32_t r = 0; r < rows; r++) {
        const struct power_usage *u = &row[r].usage;
        uint64_t launches = 0;
        for (uint32_t i = 0; i < a->n; i++)
            if (strcmp(row[r].kernel->name, a->kernel[i].kernel->name) == 0)
                launches += a->kernel[i].kernel->launches;
        char b1[32], b2[32];
        fprintf(out, "  %-28.28s %8llu %10s %8.2f W %8.2f W %8.2f W %10s %6.1f %%\n",
                row[r].kernel->name, (unsigned long long)launches,
                table_scaled(u->seconds, "s", b1), watts(u->all_dynamic_j[0], u->seconds),
                watts(u->all_static_j[0], u->seconds), watts(u->energy_j, u->seconds),
                table_scaled(u->energy_j, "J", b2), 100 * ratio(u->energy_j, a->kernels.energy_j));
    }
    free(row);
}

void account_print_tree(const struct account *a, bool colour, FILE *out) {
    const struct style st = style_of(colour);
    fprintf(out, "\n%s%s%s from %s\n\n  %spower%s  (the model's, of the time in kernels)\n",
            st.bold, a->gpu, st.reset, a->file->path, st.bold, st.reset);
    print_totals(a, out);
    fprintf(out, "\n  %-26s %7s %12s %12s %12s %12s %12s %12s %8s  %s\n", "component", "number",
            "peak dynamic", "leakage", "gate leakage", "dynamic", "static", "total", "share",
            "rests on");
    print_component(a, 0, 0, out);
    print_kernels(a, out);
    if (a->overlapped)
        fprintf(out,
                "\n  %skernels overlapped: what they spent together is shared out by their own "
                "counters%s\n",
                st.dim, st.reset);
    fputc('\n', out);
}
