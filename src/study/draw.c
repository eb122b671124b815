// The drawing of a study's figure as SVG, for pages of Markdown and for papers: bars side by side,
// bars in stacks, lines, points. White ground, one font, no script.
#include "study/study.h"

#include <math.h>

enum { BAR = 14, THIN_BAR = 9, GAP = 6, LEFT = 40, TOP = 34, HEIGHT = 200, LABELS = 140, PLACE = 420, DOT = 3 };
static const char *const ink[] = {"#33508f", "#5f8fd3", "#9cc3ec", "#d9a441",
                                  "#c2603f", "#7d3c6d", "#6b9a5b", "#444444"};
static const char *ink_of(uint32_t series) { return ink[series % WW_COUNT(ink)]; }

static void xml_text(FILE *f, const char *t) {
    for (; *t; t++) {
        if (*t == '<') fputs("&lt;", f);
        else if (*t == '&') fputs("&amp;", f);
        else fputc(*t, f);
    }
}

// ---- parts of every drawing -----------------------------------------------------------------------
// The sheet, as wide as its content or its legend needs; the legend.
static void begin(const struct sheet_figure *g, uint32_t content, int height, FILE *f) {
    uint32_t legend = LEFT;
    for (uint32_t q = 0; q < g->n_series; q++)
        legend += 30 + 7 * (uint32_t)strlen(g->figure->series.at[q].label);
    const uint32_t width = content > legend ? content : legend;
    fprintf(f,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" height=\"%d\" "
            "font-family=\"sans-serif\" font-size=\"11\">\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
            width, height);
    uint32_t x = LEFT;
    for (uint32_t q = 0; q < g->n_series; q++) {
        fprintf(f,
                "<rect x=\"%u\" y=\"8\" width=\"11\" height=\"11\" fill=\"%s\"/><text x=\"%u\" "
                "y=\"18\">",
                x, ink_of(q), x + 15);
        xml_text(f, g->figure->series.at[q].label);
        fputs("</text>\n", f);
        x += 30 + 7 * (uint32_t)strlen(g->figure->series.at[q].label);
    }
}

static void row_name(const char *name, uint32_t x, FILE *f) {
    fprintf(f, "<text transform=\"translate(%u %d) rotate(-60)\" text-anchor=\"end\">", x,
            TOP + HEIGHT + 12);
    xml_text(f, name);
    fputs("</text>\n", f);
}

// Where values lie along an axis of `length` pixels.
struct axis {
    double low, high;
    int length;
    bool log;
};
static double place(const struct axis *x, double v) {
    if (x->log) return log(v / x->low) / log(x->high / x->low) * x->length;
    return (v - x->low) / (x->high - x->low) * x->length;
}
static void take(struct axis *x, double v) {
    if (!isfinite(v) || (x->log && v <= 0)) return;
    x->low = fmin(x->low, v);
    x->high = fmax(x->high, v);
}
// 1, 2 or 5 times a power of ten, so that some four steps span the axis.
static double step_of(const struct axis *x) {
    const double rough = (x->high - x->low) / 4, ten = pow(10, floor(log10(rough)));
    return rough < 1.5 * ten ? ten : rough < 3.5 * ten ? 2 * ten : rough < 7.5 * ten ? 5 * ten : 10 * ten;
}
// Its ends at whole steps or powers of ten; an axis without values reaches from 0 to 1.
static void settle(struct axis *x) {
    if (!(x->low <= x->high)) *x = (struct axis){x->log ? 0.1 : 0, 1, x->length, x->log};
    if (x->log) {
        x->low = pow(10, floor(log10(x->low) + 1e-9));
        x->high = fmax(pow(10, ceil(log10(x->high) - 1e-9)), 10 * x->low);
        return;
    }
    if (x->low >= x->high) x->high = x->low + fmax(fabs(x->low), 1);
    const double step = step_of(x);
    x->low = floor(x->low / step + 1e-9) * step;
    x->high = ceil(x->high / step - 1e-9) * step;
}
// The marks of an axis, the n-th; false: there are no more.
static bool mark(const struct axis *x, uint32_t n, double *v) {
    *v = x->log ? x->low * pow(10, n) : x->low + n * step_of(x);
    return *v <= x->high * (1 + 1e-9) + (x->log ? 0 : 1e-9 * (x->high - x->low));
}
static void value_marks(const struct axis *y, uint32_t right, FILE *f) {
    double v;
    for (uint32_t n = 0; mark(y, n, &v); n++) {
        const double at = TOP + HEIGHT - place(y, v);
        fprintf(f,
                "<path d=\"M%d %.1f H%u\" stroke=\"#cccccc\"/><text x=\"%d\" y=\"%.1f\" "
                "text-anchor=\"end\">%.4g</text>\n",
                LEFT, at, right, LEFT - 4, at + 4, fabs(v) < 1e-12 ? 0 : v);
    }
}
static void place_marks(const struct axis *x, FILE *f) {
    double v;
    for (uint32_t n = 0; mark(x, n, &v); n++)
        fprintf(f,
                "<path d=\"M%.1f %d v5\" stroke=\"#888888\"/><text x=\"%.1f\" y=\"%d\" "
                "text-anchor=\"middle\">%.4g</text>\n",
                LEFT + place(x, v), TOP + HEIGHT, LEFT + place(x, v), TOP + HEIGHT + 18,
                fabs(v) < 1e-12 ? 0 : v);
}
static bool drawn(const struct axis *y, double v) { return isfinite(v) && (!y->log || v > 0); }

// ---- kinds ----------------------------------------------------------------------------------------
static double row_sum(const struct sheet_figure *g, uint32_t r) {
    double sum = 0;
    for (uint32_t q = 0; q < g->n_series; q++)
        if (isfinite(g->row[r].value[q])) sum += g->row[r].value[q];
    return sum;
}

static void draw_stacks(const struct sheet_figure *g, FILE *f) {
    double top = 0;
    for (uint32_t r = 0; r < g->n_rows; r++) top = fmax(top, row_sum(g, r));
    if (fabs(top - 100 * round(top / 100)) < 1 && top > 50) top = 100 * round(top / 100);
    if (top <= 0) top = 1;
    const uint32_t bars = LEFT + g->n_rows * (BAR + GAP) + GAP;
    begin(g, bars, TOP + HEIGHT + LABELS, f);
    for (int i = 0; i <= 4; i++) {
        const int y = TOP + HEIGHT - HEIGHT * i / 4;
        fprintf(f,
                "<path d=\"M%d %d H%u\" stroke=\"#cccccc\"/><text x=\"%d\" y=\"%d\" "
                "text-anchor=\"end\">%.3g</text>\n",
                LEFT, y, bars, LEFT - 4, y + 4, top * i / 4);
    }
    for (uint32_t r = 0; r < g->n_rows; r++) {
        const uint32_t left = LEFT + GAP + r * (BAR + GAP);
        double y = TOP + HEIGHT;
        for (uint32_t q = 0; q < g->n_series; q++) {
            const double v = g->row[r].value[q], h = isfinite(v) && v > 0 ? v / top * HEIGHT : 0;
            y -= h;
            if (h > 0)
                fprintf(f, "<rect x=\"%u\" y=\"%.1f\" width=\"%d\" height=\"%.1f\" fill=\"%s\"/>\n",
                        left, y, BAR, h, ink_of(q));
        }
        row_name(g->row[r].name, left + BAR, f);
    }
}

// Bars of a row side by side; a published value is a black line across its bar.
static void draw_bars(const struct sheet_figure *g, FILE *f) {
    struct axis y = {INFINITY, -INFINITY, HEIGHT, g->figure->log_scale};
    for (uint32_t r = 0; r < g->n_rows; r++)
        for (uint32_t q = 0; q < g->n_series; q++) {
            take(&y, g->row[r].value[q]);
            take(&y, g->row[r].theirs[q]);
        }
    if (!y.log) take(&y, 0);
    settle(&y);
    const uint32_t group = g->n_series * THIN_BAR + GAP, right = LEFT + g->n_rows * group + GAP;
    begin(g, right, TOP + HEIGHT + LABELS, f);
    value_marks(&y, right, f);
    const double ground = TOP + HEIGHT - (y.log ? 0 : place(&y, 0));
    for (uint32_t r = 0; r < g->n_rows; r++) {
        const uint32_t left = LEFT + GAP + r * group;
        for (uint32_t q = 0; q < g->n_series; q++) {
            const uint32_t x = left + q * THIN_BAR;
            const double v = g->row[r].value[q], theirs = g->row[r].theirs[q];
            if (drawn(&y, v)) {
                const double top = TOP + HEIGHT - place(&y, v);
                fprintf(f, "<rect x=\"%u\" y=\"%.1f\" width=\"%d\" height=\"%.1f\" fill=\"%s\"/>\n",
                        x, fmin(top, ground), THIN_BAR - 1, fabs(ground - top), ink_of(q));
            }
            if (drawn(&y, theirs))
                fprintf(f, "<path d=\"M%u %.1f h%d\" stroke=\"black\" stroke-width=\"2\"/>\n", x - 1,
                        TOP + HEIGHT - place(&y, theirs), THIN_BAR + 1);
        }
        row_name(g->row[r].name, left + g->n_series * THIN_BAR / 2 + 4, f);
    }
}

static double place_of(const struct sheet_figure *g, uint32_t r, uint32_t q, bool is_scatter) {
    return is_scatter ? g->row[r].xs[q] : g->figure->x_value ? g->row[r].x : r;
}
// Lines by the rows' places, or points at places of their own; published values are hollow squares.
static void draw_places(const struct sheet_figure *g, bool is_scatter, FILE *f) {
    struct axis x = {INFINITY, -INFINITY, PLACE, false}, y = {INFINITY, -INFINITY, HEIGHT, g->figure->log_scale};
    const bool is_named = !is_scatter && !g->figure->x_value;
    for (uint32_t r = 0; r < g->n_rows; r++)
        for (uint32_t q = 0; q < g->n_series; q++) {
            take(&x, place_of(g, r, q, is_scatter));
            take(&y, g->row[r].value[q]);
            take(&y, g->row[r].theirs[q]);
        }
    if (!y.log && !is_scatter) take(&y, 0);
    if (is_named) x = (struct axis){0, g->n_rows > 1 ? g->n_rows - 1 : 1, PLACE, false};
    else settle(&x);
    settle(&y);
    begin(g, LEFT + PLACE + LEFT, TOP + HEIGHT + (is_named ? LABELS : LEFT), f);
    value_marks(&y, LEFT + PLACE, f);
    if (!is_named) place_marks(&x, f);
    for (uint32_t r = 0; is_named && r < g->n_rows; r++)
        row_name(g->row[r].name, (uint32_t)(LEFT + place(&x, r)) + 4, f);
    for (uint32_t q = 0; q < g->n_series; q++) {
        bool is_going_on = false;
        for (uint32_t r = 0; r < g->n_rows; r++) {
            const double at = place_of(g, r, q, is_scatter), v = g->row[r].value[q], theirs = g->row[r].theirs[q];
            if (!isfinite(at)) continue;
            const double left = LEFT + place(&x, at);
            if (drawn(&y, theirs))
                fprintf(f, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%d\" height=\"%d\" fill=\"none\" stroke=\"%s\"/>\n",
                        left - DOT, TOP + HEIGHT - place(&y, theirs) - DOT, 2 * DOT, 2 * DOT, ink_of(q));
            if (drawn(&y, v))
                fprintf(f, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%d\" fill=\"%s\"/>\n", left,
                        TOP + HEIGHT - place(&y, v), DOT, ink_of(q));
        }
        if (is_scatter) continue;
        for (uint32_t r = 0; r < g->n_rows; r++) {
            const double at = place_of(g, r, q, false), v = g->row[r].value[q];
            const bool is_there = isfinite(at) && drawn(&y, v);
            if (is_there && !is_going_on) fputs("<path fill=\"none\" stroke-width=\"1.5\" d=\"", f);
            if (is_there)
                fprintf(f, "%c%.1f %.1f ", is_going_on ? 'L' : 'M', LEFT + place(&x, at), TOP + HEIGHT - place(&y, v));
            else if (is_going_on) fprintf(f, "\" stroke=\"%s\"/>\n", ink_of(q));
            is_going_on = is_there;
        }
        if (is_going_on) fprintf(f, "\" stroke=\"%s\"/>\n", ink_of(q));
    }
}

bool draw_figure(const struct sheet_figure *g, FILE *f) {
    const char *const kind = g->figure->kind;
    if (strcmp(kind, "table") == 0 || !g->n_rows || !g->n_series) return false;
    if (strcmp(kind, "stacked") == 0) draw_stacks(g, f);
    else if (strcmp(kind, "bars") == 0) draw_bars(g, f);
    else draw_places(g, strcmp(kind, "scatter") == 0, f);
    fputs("</svg>\n", f);
    return true;
}
