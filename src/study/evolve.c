// Search for the Pareto front by an evolutionary method: NSGA-II (K. Deb, A. Pratap, S. Agarwal,
// T. Meyarivan: A fast and elitist multiobjective genetic algorithm: NSGA-II, IEEE Trans. Evol.
// Comp. 6(2), 2002). Parents are the best points so far, by front and then by crowding distance;
// two are taken by binary tournaments, crossed axis by axis, and mutated: on an axis of numbers by
// a step to a neighbour, else to any value. A point is never looked at twice; a point that failed
// or was refused is worse than any that is done.
#include "study/sweep.h"

#include <math.h>
#include <stdlib.h>

enum { TRIES = 200 }; // for a child that is new

bool evolve_dominates(const struct sweep *s, const struct sweep_point *x,
                      const struct sweep_point *y) {
    bool better = false;
    for (uint32_t o = 0; o < SWEEP_OBJECTIVES; o++) {
        if (!s->objective[o]) continue;
        if (x->cost[o] > y->cost[o]) return false;
        better = better || x->cost[o] < y->cost[o];
    }
    return better;
}

void evolve_mark_front(const struct sweep *s, sweep_points *points) {
    for (uint32_t i = 0; i < points->n; i++) {
        struct sweep_point *p = &points->at[i];
        p->front = p->state == SWEEP_DONE;
        for (uint32_t k = 0; k < points->n && p->front; k++)
            p->front = points->at[k].state != SWEEP_DONE || !evolve_dominates(s, &points->at[k], p);
    }
}

struct ranked {
    const struct sweep_point *point;
    uint32_t rank;
    double crowding, key; // key: the objective that is sorted by
};

static int by_key(const void *x, const void *y) {
    const struct ranked *a = *(struct ranked *const *)x, *b = *(struct ranked *const *)y;
    if (a->key != b->key) return a->key < b->key ? -1 : 1;
    return a->point < b->point ? -1 : a->point > b->point;
}

// The parents: lower rank first, then those with more room around them.
static int by_worth(const void *x, const void *y) {
    const struct ranked *a = x, *b = y;
    if (a->rank != b->rank) return a->rank < b->rank ? -1 : 1;
    if (a->crowding != b->crowding) return a->crowding > b->crowding ? -1 : 1;
    return a->point < b->point ? -1 : a->point > b->point;
}

// Fronts are peeled off one after the other.
static void rank_all(const struct sweep *s, struct ranked *r, uint32_t n) {
    uint32_t left = n;
    for (uint32_t i = 0; i < n; i++) r[i].rank = UINT32_MAX;
    for (uint32_t rank = 0; left; rank++) {
        const uint32_t before = left;
        for (uint32_t i = 0; i < n; i++) {
            if (r[i].rank != UINT32_MAX) continue;
            bool first = true;
            for (uint32_t k = 0; k < n && first; k++)
                first = r[k].rank < rank || !evolve_dominates(s, r[k].point, r[i].point);
            if (!first) continue;
            r[i].rank = rank;
            left--;
        }
        if (left == before) break; // costs that do not compare
    }
}

// The sum over objectives of the distance between a point's neighbours in its front, in parts of
// the front's extent; the ends have all the room there is.
static void measure_room(const struct sweep *s, struct ranked *r, uint32_t n,
                         struct ranked **sorted) {
    for (uint32_t rank = 0, seen = 0; seen < n; rank++) {
        uint32_t m = 0;
        for (uint32_t i = 0; i < n; i++)
            if (r[i].rank == rank) sorted[m++] = &r[i];
        if (!m) break;
        seen += m;
        for (uint32_t o = 0; o < SWEEP_OBJECTIVES; o++) {
            if (!s->objective[o]) continue;
            for (uint32_t i = 0; i < m; i++) sorted[i]->key = sorted[i]->point->cost[o];
            qsort(sorted, m, sizeof *sorted, by_key);
            const double extent = sorted[m - 1]->key - sorted[0]->key;
            sorted[0]->crowding = sorted[m - 1]->crowding = INFINITY;
            for (uint32_t i = 1; i + 1 < m && extent > 0; i++)
                sorted[i]->crowding += (sorted[i + 1]->key - sorted[i - 1]->key) / extent;
        }
    }
}

static const struct sweep_point *tournament(struct sweep_random *r, const struct ranked *parent,
                                            uint32_t n) {
    const uint32_t a = sweep_below(r, n), b = sweep_below(r, n);
    return parent[a < b ? a : b].point; // parents are sorted by worth
}

static bool is_numbers(const struct sweep_axis *x) {
    for (uint32_t i = 0; i < x->n; i++)
        if (!isfinite(x->value[i].number)) return false;
    return true;
}

static void mutate(const struct sweep *s, struct sweep_random *r, struct sweep_point *p) {
    for (uint32_t k = 0; k < s->n_axes; k++) {
        const struct sweep_axis *x = &s->axis[k];
        if (x->n < 2 || sweep_below(r, s->n_axes) != 0) continue; // one axis on average
        if (!is_numbers(x)) {
            p->at[k] = (uint16_t)sweep_below(r, x->n);
            continue;
        }
        const bool up = p->at[k] == 0 || (p->at[k] + 1u < x->n && sweep_below(r, 2));
        p->at[k] = (uint16_t)(up ? p->at[k] + 1 : p->at[k] - 1);
    }
}

void evolve_next(struct arena *a, const struct sweep *s, struct sweep_random *r,
                 const sweep_points *all, uint32_t generation, sweep_points *out) {
    struct names seen;
    names_init(&seen, a);
    struct ranked *parent = arena_alloc(a, (all->n + 1) * sizeof *parent);
    struct ranked **sorted = arena_alloc(a, (all->n + 1) * sizeof *sorted);
    uint32_t n = 0;
    for (uint32_t i = 0; i < all->n; i++) {
        names_put(&seen, (const char *)all->at[i].at, sizeof all->at[i].at, 1);
        if (all->at[i].state == SWEEP_DONE) parent[n++] = (struct ranked){.point = &all->at[i]};
    }
    rank_all(s, parent, n);
    measure_room(s, parent, n, sorted);
    qsort(parent, n, sizeof *parent, by_worth);
    if (n > s->population) n = s->population;
    if (!all->n) { // the first values: what people compare with
        struct sweep_point p = {.state = SWEEP_OPEN, .generation = generation};
        names_put(&seen, arena_alloc(a, sizeof p.at), sizeof p.at, 1);
        vec_push(a, out, p);
    }
    for (uint32_t tries = 0; out->n < s->population && tries < TRIES * s->population; tries++) {
        struct sweep_point p = {.state = SWEEP_OPEN, .generation = generation};
        const struct sweep_point *x = n ? tournament(r, parent, n) : NULL,
                                 *y = n ? tournament(r, parent, n) : NULL;
        for (uint32_t k = 0; k < s->n_axes; k++)
            p.at[k] =
                x ? (sweep_below(r, 2) ? x : y)->at[k] : (uint16_t)sweep_below(r, s->axis[k].n);
        if (x) mutate(s, r, &p);
        if (names_get(&seen, (const char *)p.at, sizeof p.at) >= 0) continue;
        char *key = arena_alloc(a, sizeof p.at);
        memcpy(key, p.at, sizeof p.at);
        names_put(&seen, key, sizeof p.at, 1);
        vec_push(a, out, p);
    }
}
