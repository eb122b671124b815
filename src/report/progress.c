// The progress line: kernel, CTAs done, simulated time, speed, time left.
#include "gpu/gpu.h"
#include "report/report.h"

#include <math.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "report/demangle.h"

enum { NARROW = 20, LINE = 256 };

static double now_s(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void progress_init(struct progress_line *p, FILE *out, bool wanted) {
    *p = (struct progress_line){.out = out, .active = wanted && isatty(fileno(out))};
    p->begin_s = p->start_s = p->last_s = now_s();
}

// What fits without a second line, which could not be taken away again.
static int width_of(FILE *out) {
    struct winsize w;
    const int width =
        ioctl(fileno(out), TIOCGWINSZ, &w) == 0 && w.ws_col > NARROW ? w.ws_col - 1 : 79;
    return width < LINE ? width : LINE - 1;
}

static void name_kernel(struct progress_line *p, const char *name) {
    struct demangler *const d = demangler_new();
    char *const words = demangle(d, name);
    snprintf(p->kernel, sizeof p->kernel, "%s", words ? words : name);
    free(words);
    demangler_free(d);
}

static void time_text(double s, char *out, size_t size) {
    if (s < 100)
        snprintf(out, size, "%.0f s", s);
    else if (s < 6000)
        snprintf(out, size, "%.0f min", s / 60);
    else
        snprintf(out, size, "%.1f h", s / 3600);
}

void progress_show(struct progress_line *p, const struct gpu_progress *g) {
    if (!p->active) return;
    const double now = now_s();
    if (g->launch != p->last_launch) {
        p->last_launch = g->launch;
        p->start_s = now;
        name_kernel(p, g->kernel);
    } else if (now - p->last_s < 0.1) {
        return;
    }
    p->last_s = now;
    const double elapsed = now - p->start_s;
    const double so_far = p->expected ? now - p->begin_s : elapsed; // of what `part` is a part of
    const double part =
        p->expected ? fmin(0.99, (double)(p->ended + g->warp_instructions) / (double)p->expected)
        : g->ctas   ? (double)g->ctas_done / (double)g->ctas
                    : 0;
    const double rate = elapsed > 0.05 ? (double)g->warp_instructions / elapsed / 1e6 : 0;
    char bar[24 + 1];
    const int full = (int)(part * 24);
    for (int i = 0; i < 24; i++) bar[i] = i < full ? '#' : '.';
    bar[24] = 0;
    char left[48] = "", time[24];
    if (part > 0.02 && so_far > 0.3) {
        time_text(so_far * (1 - part) / part, time, sizeof time);
        snprintf(left, sizeof left, ", %s left%s", time, p->expected ? "" : " of this launch");
    }
    char line[LINE];
    snprintf(line, sizeof line,
             "[%s] %3.0f %%%s  %s #%llu  %llu of %llu CTAs, %.4g us, %.1f M warp inst/s", bar,
             part * 100, left, p->kernel, (unsigned long long)g->launch,
             (unsigned long long)g->ctas_done, (unsigned long long)g->ctas, 1e6 * g->seconds, rate);
    fprintf(p->out, "\r\033[K%.*s", width_of(p->out), line);
    fflush(p->out);
    p->shown = true;
}

void progress_ended(struct progress_line *p, uint64_t warp_instructions) {
    progress_clear(p);
    p->ended += warp_instructions;
}

void progress_clear(struct progress_line *p) {
    if (!p->shown) return;
    fputs("\r\033[K", p->out);
    fflush(p->out);
    p->shown = false;
}
