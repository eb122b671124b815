// What the optional checks find. A check that goes on writes a place down once: the kernel, its
// instruction and the kind of finding; of its occurrences the first in order of launch, block, warp
// and lane is kept, and all are counted.
#include <pthread.h>
#include <stdlib.h>

#include "exec/exec_int.h"

struct finding {
    char *kernel; // with pc and kind: the place
    uint32_t pc;
    enum exec_fault_kind kind;
    uint64_t launch, block; // with warp and lane: when
    uint32_t warp, lane;
    uint64_t times;
    char *text;
};
struct exec_findings {
    pthread_mutex_t lock;
    struct finding *at;
    uint32_t n, cap;
};

struct exec_findings *exec_findings_create(void) {
    struct exec_findings *f = calloc(1, sizeof *f);
    if (f) pthread_mutex_init(&f->lock, NULL);
    return f;
}

void exec_findings_destroy(struct exec_findings *f) {
    if (!f) return;
    for (uint32_t i = 0; i < f->n; i++) {
        free(f->at[i].kernel);
        free(f->at[i].text);
    }
    free(f->at);
    pthread_mutex_destroy(&f->lock);
    free(f);
}

static int order(const void *x, const void *y) {
    const struct finding *a = x, *b = y;
    if (a->launch != b->launch) return a->launch < b->launch ? -1 : 1;
    if (a->block != b->block) return a->block < b->block ? -1 : 1;
    if (a->warp != b->warp) return a->warp < b->warp ? -1 : 1;
    if (a->lane != b->lane) return a->lane < b->lane ? -1 : 1;
    if (a->pc != b->pc) return a->pc < b->pc ? -1 : 1;
    return (a->kind > b->kind) - (a->kind < b->kind);
}

uint32_t exec_findings_count(const struct exec_findings *f) { return f ? f->n : 0; }
const char *exec_findings_at(struct exec_findings *f, uint32_t i, uint64_t *times) {
    if (i == 0) qsort(f->at, f->n, sizeof *f->at, order);
    *times = f->at[i].times;
    return f->at[i].text;
}

static struct finding *find(struct exec_findings *f, const struct finding *like) {
    for (uint32_t i = 0; i < f->n; i++) {
        struct finding *g = &f->at[i];
        if (g->pc == like->pc && g->kind == like->kind && strcmp(g->kernel, like->kernel) == 0)
            return g;
    }
    return NULL;
}

// A place that is new, or earlier than what is known of it. False: no memory.
static bool write_down(struct exec_findings *f, struct finding *known, const struct finding *new,
                       const char *text) {
    char *const copy = strdup(text);
    if (!copy) return false;
    if (known) {
        struct finding old = *known;
        free(old.text);
        *known = *new;
        known->kernel = old.kernel;
        known->times = old.times + 1;
        known->text = copy;
        return true;
    }
    if (f->n == f->cap) {
        const uint32_t cap = f->cap ? 2 * f->cap : 16;
        struct finding *at = realloc(f->at, cap * sizeof *at);
        if (at) {
            f->at = at;
            f->cap = cap;
        }
    }
    char *const kernel = f->n < f->cap ? strdup(new->kernel) : NULL;
    if (!kernel) {
        free(copy);
        return false;
    }
    struct finding *g = &f->at[f->n++];
    *g = *new;
    g->kernel = kernel;
    g->text = copy;
    g->times = 1;
    return true;
}

void exec_findings_add(struct exec_findings *f, const char *kernel, uint32_t pc, const char *text) {
    const struct finding new = {
        .kernel = (char *)(uintptr_t)kernel, .pc = pc, .kind = FAULT_CONTROL};
    pthread_mutex_lock(&f->lock);
    if (!find(f, &new)) write_down(f, NULL, &new, text);
    pthread_mutex_unlock(&f->lock);
}

bool found(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
           enum exec_fault_kind kind, uint32_t lane, uint64_t addr, uint32_t bytes, const char *fmt,
           ...) {
    const struct exec_launch *l = w->cta->launch;
    struct exec_findings *f = l->args.options.findings;
    const size_t in_code = (size_t)(x - w->code);
    const bool inside = x >= w->code && in_code < l->im->n_insts;
    struct finding new = {.kernel = l->im->name ? (char *)(uintptr_t)l->im->name : NULL,
                          .pc = inside ? (uint32_t)in_code : w->pc,
                          .kind = kind,
                          .launch = l->args.grid_id,
                          .block = w->cta->linear_id,
                          .warp = w->warp_in_cta,
                          .lane = lane};
    char none[] = "?";
    if (!new.kernel) new.kernel = none;
    if (f) pthread_mutex_lock(&f->lock);
    struct finding *known = f ? find(f, &new) : NULL;
    // What one warp does again is later than what it did before.
    const bool later = known && order(&new, known) >= 0;
    bool goes_on = later;
    if (later) {
        known->times++;
    } else {
        char text[256];
        va_list v;
        va_start(v, fmt);
        vsnprintf(text, sizeof text, fmt, v);
        va_end(v);
        fault_raise(e, w, x, kind, lane, addr, bytes, "%s", text);
        goes_on = f && write_down(f, known, &new, e->fault.text);
        if (goes_on) e->fault = (struct exec_fault){.kind = FAULT_NONE};
    }
    if (f) pthread_mutex_unlock(&f->lock);
    return goes_on;
}
