// The progress line: kernel, CTAs done, simulated time, speed, time left.
#include "report/report.h"

#include <time.h>
#include <unistd.h>

static double now_s(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void progress_init(struct progress_line *p, FILE *out, bool wanted) {
    *p = (struct progress_line){.out = out, .active = wanted && isatty(fileno(out))};
    p->start_s = p->last_s = now_s();
}

void progress_show(struct progress_line *p, const struct gpu_progress *g) {
    if (!p->active) return;
    const double now = now_s();
    if (g->launch != p->last_launch) {
        p->last_launch = g->launch;
        p->start_s = now;
    } else if (now - p->last_s < 0.1) {
        return;
    }
    p->last_s = now;
    const double elapsed = now - p->start_s;
    const double part = g->ctas ? (double)g->ctas_done / (double)g->ctas : 0;
    const double rate = elapsed > 0.05 ? (double)g->warp_instructions / elapsed / 1e6 : 0;
    char bar[24 + 1];
    const int full = (int)(part * 24);
    for (int i = 0; i < 24; i++) bar[i] = i < full ? '#' : '.';
    bar[24] = 0;
    char left[32] = "";
    if (part > 0.02 && elapsed > 0.3)
        snprintf(left, sizeof left, ", %.0f s left", elapsed * (1 - part) / part);
    fprintf(p->out, "\r\033[K[%s] %3.0f %%  %s #%llu  %llu of %llu CTAs, %llu cycles, %.1f M warp inst/s%s",
            bar, part * 100, g->kernel, (unsigned long long)g->launch,
            (unsigned long long)g->ctas_done, (unsigned long long)g->ctas,
            (unsigned long long)g->cycles, rate, left);
    fflush(p->out);
}

void progress_clear(struct progress_line *p) {
    if (!p->active) return;
    fputs("\r\033[K", p->out);
    fflush(p->out);
}
