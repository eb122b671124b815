// Which points of a design space to look at: all, random ones, or a Latin hypercube.
#include "study/sweep.h"

#include <stdlib.h>

struct sweep_random sweep_seed(uint64_t seed) {
    // splitmix64's step: small seeds give states that have nothing in common
    uint64_t z = seed + 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    return (struct sweep_random){z ? z : 1};
}

static uint32_t draw(struct sweep_random *r) {
    uint64_t x = r->state;
    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    r->state = x;
    return (uint32_t)((x * 0x2545f4914f6cdd1du) >> 32);
}

uint32_t sweep_below(struct sweep_random *r, uint32_t n) {
    return (uint32_t)(((uint64_t)draw(r) * n) >> 32);
}

static uint64_t size_of(const struct sweep *s) {
    uint64_t n = 1;
    for (uint32_t i = 0; i < s->n_axes && n <= SWEEP_MAX_POINTS; i++) n *= s->axis[i].n;
    return n;
}

enum ww_status sweep_full(struct arena *a, const struct sweep *s, struct diags *d,
                          sweep_points *out) {
    const uint64_t n = size_of(s);
    if (n > SWEEP_MAX_POINTS)
        return diag_add(d, WW_ERROR_CONFIG,
                        "%s has more than %d points; take method: random, latin or search", s->file,
                        SWEEP_MAX_POINTS);
    for (uint64_t i = 0; i < n; i++) {
        struct sweep_point p = {.state = SWEEP_OPEN};
        uint64_t rest = i;
        for (uint32_t k = s->n_axes; k-- > 0; rest /= s->axis[k].n)
            p.at[k] = (uint16_t)(rest % s->axis[k].n);
        vec_push(a, out, p);
    }
    return WW_OK;
}

// Adds a point that is not there yet.
static bool add(struct arena *a, struct names *seen, const struct sweep_point *p,
                sweep_points *out) {
    const char *key = (const char *)p->at;
    if (names_get(seen, key, sizeof p->at) >= 0) return false;
    char *copy = arena_alloc(a, sizeof p->at);
    memcpy(copy, key, sizeof p->at);
    names_put(seen, copy, sizeof p->at, 1);
    vec_push(a, out, *p);
    return true;
}

void sweep_random(struct arena *a, const struct sweep *s, sweep_points *out) {
    const uint64_t all = size_of(s);
    const uint32_t n = s->points < all ? s->points : (uint32_t)all;
    struct sweep_random r = sweep_seed(s->seed);
    struct names seen;
    names_init(&seen, a);
    // a space that is nearly used up is hit seldom: the number of draws is bounded
    for (uint64_t tries = 0; out->n < n && tries < 1000 * (uint64_t)n; tries++) {
        struct sweep_point p = {.state = SWEEP_OPEN};
        for (uint32_t k = 0; k < s->n_axes; k++) p.at[k] = (uint16_t)sweep_below(&r, s->axis[k].n);
        add(a, &seen, &p, out);
    }
}

void sweep_latin(struct arena *a, const struct sweep *s, sweep_points *out) {
    const uint32_t n = s->points;
    struct sweep_random r = sweep_seed(s->seed);
    struct sweep_point *p = arena_alloc(a, n * sizeof *p);
    uint32_t *stratum = arena_alloc(a, n * sizeof *stratum);
    memset(p, 0, n * sizeof *p);
    for (uint32_t k = 0; k < s->n_axes; k++) {
        for (uint32_t i = 0; i < n; i++) stratum[i] = i;
        for (uint32_t i = n; i-- > 1;) {
            const uint32_t j = sweep_below(&r, i + 1), t = stratum[i];
            stratum[i] = stratum[j];
            stratum[j] = t;
        }
        // a stratum of n, as a value of the axis
        for (uint32_t i = 0; i < n; i++)
            p[i].at[k] = (uint16_t)((uint64_t)stratum[i] * s->axis[k].n / n);
    }
    struct names seen;
    names_init(&seen, a);
    for (uint32_t i = 0; i < n; i++) add(a, &seen, &p[i], out);
}
