// What was measured of the workloads: tables that `make characterize` leaves in workloads/measured,
// so that a page prints at once. SIZE-page.csv, -lanes.csv and -meters.csv have a row a workload
// and a column a figure, with its unit in brackets; SIZE-kernels.csv a row a kernel; published.csv
// what papers say beside ours; settled.csv, of tools/settled, a row a workload and size.
#include "cli/cli.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

enum { MAX_FIELDS = 32 };
struct csv {
    char *rest; // what is left of the text
    char *head[MAX_FIELDS], *field[MAX_FIELDS];
    uint32_t n_head, n;
};

static bool csv_next(struct csv *t) {
    char *line = strtok_r(NULL, "\n", &t->rest);
    if (!line) return false;
    t->n = text_split_csv(line, t->field, MAX_FIELDS);
    return true;
}

static bool csv_open(struct cli *c, const char *folder, const char *name, struct csv *t) {
    char *text;
    size_t len;
    const char *path = arena_printf(&c->arena, "%s/measured/%s", folder, name);
    if (access(path, R_OK) != 0 ||
        file_read(&c->arena, path, 8 << 20, &text, &len, &c->diags) != WW_OK)
        return false;
    t->rest = NULL;
    char *line = strtok_r(text, "\n", &t->rest);
    t->n_head = line ? text_split_csv(line, t->head, MAX_FIELDS) : 0;
    return line != NULL;
}

static const char *folder_of(struct cli *c, const struct workload *w) {
    const char *slash = strrchr(w->dir, '/');
    return arena_strndup(&c->arena, w->dir, (size_t)(slash - w->dir));
}

static int find_row(struct csv *t, const char *name) {
    while (csv_next(t))
        if (t->n == t->n_head && strcmp(t->field[0], name) == 0) return 0;
    return -1;
}

static const char *with_prefix(struct cli *c, double v) {
    if (v >= 1e6) return arena_printf(&c->arena, "%.*f M", v < 1e7 ? 1 : 0, v * 1e-6);
    if (v >= 1e3) return arena_printf(&c->arena, "%.*f k", v < 1e4 ? 1 : 0, v * 1e-3);
    return arena_printf(&c->arena, "%.4g", v);
}

static double column(const struct csv *t, const char *name) {
    for (uint32_t i = 0; i < t->n && i < t->n_head; i++)
        if (strcmp(t->head[i], name) == 0) return strtod(t->field[i], NULL);
    return NAN;
}

const char *pages_instructions(struct cli *c, const struct workload *w, const char *size) {
    struct csv t;
    if (!csv_open(c, folder_of(c, w), "settled.csv", &t)) return NULL;
    double n = NAN;
    while (csv_next(&t))
        if (t.n == t.n_head && strcmp(t.field[0], w->name) == 0 && strcmp(t.field[1], size) == 0)
            n = column(&t, "thread instructions");
    return isnan(n) ? NULL : with_prefix(c, n);
}

uint64_t pages_warp_instructions(struct cli *c, const struct workload *w, const char *size) {
    struct csv t;
    if (!csv_open(c, folder_of(c, w), arena_printf(&c->arena, "%s-kernels.csv", size), &t))
        return 0;
    double n = 0;
    while (find_row(&t, w->name) == 0) {
        const double k = column(&t, "warp_instructions");
        if (k > 0) n += k;
    }
    return (uint64_t)n;
}

// Label and value of each column, two to a line, below a heading (NULL: none) if there is any.
static void print_row(struct cli *c, const struct workload *w, const char *size, const char *part,
                      const char *heading) {
    struct csv t;
    if (!csv_open(c, folder_of(c, w), arena_printf(&c->arena, "%s-%s.csv", size, part), &t) ||
        find_row(&t, w->name) != 0)
        return;
    uint32_t shown = 0;
    for (uint32_t i = 1; i < t.n; i++) {
        if (!*t.field[i]) continue;
        if (heading && !shown) printf("\n  %s\n", heading);
        char *unit = strstr(t.head[i], " ["), *label = t.head[i];
        if (unit) {
            label = arena_strndup(&c->arena, label, (size_t)(unit - label));
            unit = arena_strndup(&c->arena, unit + 2, strlen(unit) - 3);
        }
        const double v = strtod(t.field[i], NULL);
        const char *number = v >= 1e4 ? with_prefix(c, v) : arena_printf(&c->arena, "%.3g", v);
        const char *value =
            arena_printf(&c->arena, "%s%s%s", number, unit ? " " : "", unit ? unit : "");
        printf("  %-32s %-12s%s", label, value, shown++ % 2 ? "\n" : "");
    }
    if (shown % 2) putchar('\n');
}

static void print_kernels(struct cli *c, const struct workload *w, const char *size) {
    struct csv t;
    if (!csv_open(c, folder_of(c, w), arena_printf(&c->arena, "%s-kernels.csv", size), &t)) return;
    printf("\n  %-26s %9s %10s %12s %9s %13s %7s\n", "kernel", "launches", "registers",
           "threads/CTA", "CTAs/SM", "instructions", "IPC");
    while (find_row(&t, w->name) == 0) {
        const double ctas = column(&t, "cta_launches"), threads = column(&t, "thread_launches"),
                     n = column(&t, "thread_instructions");
        printf("  %-26s %9.0f %10.3g %12.4g %9.3g %13s %7.3g\n", t.field[2], column(&t, "launches"),
               column(&t, "thread_registers") / threads, threads / ctas,
               column(&t, "cta_room") / ctas, with_prefix(c, n), n / column(&t, "cycles"));
    }
}

static void print_published(struct cli *c, const struct workload *w) {
    struct csv t;
    if (!csv_open(c, folder_of(c, w), "published.csv", &t)) return;
    bool any = false;
    while (csv_next(&t)) {
        if (t.n < 11 || strcasecmp(t.field[2], w->name) != 0 ||
            (strcmp(t.field[2], w->name) != 0 && strcmp(w->name, "BlackScholes") != 0))
            continue;
        if (!any) puts("\nBeside the papers, at size paper:");
        any = true;
        const double ours = *t.field[7] ? strtod(t.field[7], NULL) : NAN;
        printf("  %-32s %8s %-10s ours %-8s %s  (%s)\n", t.field[4], t.field[5], t.field[6],
               isfinite(ours) ? arena_printf(&c->arena, "%.3g", ours) : "-", t.field[9],
               t.field[1]);
        if (*t.field[10] && strcmp(t.field[9], "agrees") != 0) printf("    %s\n", t.field[10]);
    }
}

void pages_print(struct cli *c, const struct workload *w) {
    static const char *const sizes[] = {"paper", "small"};
    for (size_t i = 0; i < WW_COUNT(sizes); i++) {
        struct csv t;
        if (!csv_open(c, folder_of(c, w), arena_printf(&c->arena, "%s-page.csv", sizes[i]), &t) ||
            find_row(&t, w->name) != 0)
            continue;
        printf("\nMeasured on gtx480 at size %s:\n", sizes[i]);
        print_row(c, w, sizes[i], "page", NULL);
        print_row(c, w, sizes[i], "lanes", "Instructions by active lanes:");
        print_row(c, w, sizes[i], "meters", "With the two-level scheduler, 32 active warps:");
        print_kernels(c, w, sizes[i]);
        print_published(c, w);
        return;
    }
    puts("\nNot measured yet: `make characterize` measures all workloads, `--run` this one now.");
}
