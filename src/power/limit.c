// The clock that keeps a board within its power limit (see limit.h).
#include "power/limit.h"

#include <math.h>

void limit_begin(struct limit_search *s, const struct gpu_config *c) {
    *s = (struct limit_search){.watts = gpu_config_real(c, "board.power_limit"),
                               .asked_mhz = gpu_config_real(c, "clocks.core_mhz"),
                               .step_mhz = gpu_config_real(c, "board.clock_step"),
                               .gpu = c};
    const double room = s->asked_mhz - gpu_config_real(c, "board.clock_least");
    s->steps = room > 0 ? (uint32_t)(room / s->step_mhz + 1e-9) : 0;
}

double limit_mhz(const struct limit_search *s, uint32_t step) {
    return s->asked_mhz - step * s->step_mhz;
}

const char *limit_key(const struct limit_search *s, uint32_t step, char *text, size_t size) {
    snprintf(text, size, "core.clock_mhz=%.10g", limit_mhz(s, step));
    return text;
}

const struct limit_point *limit_at(const struct limit_search *s, uint32_t step) {
    for (uint32_t i = 0; i < s->n; i++)
        if (s->point[i].step == step) return &s->point[i];
    return NULL;
}

// Points stay in the order of their steps.
static void put(struct limit_search *s, struct limit_point p) {
    uint32_t i = s->n++;
    for (; i && s->point[i - 1].step > p.step; i--) s->point[i] = s->point[i - 1];
    s->point[i] = p;
}

// The first guess: what is not static goes with the clock and the square of the supply.
static uint32_t guess(const struct limit_search *s, double power_w, double static_w) {
    const double own_v = gpu_supply_at(s->gpu, s->asked_mhz);
    for (uint32_t k = 1; k < s->steps; k++) {
        const double f = limit_mhz(s, k), v = gpu_supply_at(s->gpu, f);
        const double square = own_v > 0 && v > 0 ? v * v / (own_v * own_v) : 1;
        if (static_w + (power_w - static_w) * square * f / s->asked_mhz <= s->watts) return k;
    }
    return s->steps;
}

// Between a step that is over the limit and one that is within: by a line through the logarithms of
// clock and power, at least a step away from both; half-way where two such lines have not met it.
static uint32_t between(const struct limit_search *s, const struct limit_point *over,
                        const struct limit_point *within) {
    if (s->n > 4) return (over->step + within->step) / 2;
    const double f1 = log(limit_mhz(s, over->step)), f2 = log(limit_mhz(s, within->step));
    const double p1 = log(over->power_w), p2 = log(within->power_w);
    const double f = p1 > p2 ? f2 + (log(s->watts) - p2) * (f1 - f2) / (p1 - p2) : (f1 + f2) / 2;
    const double step = ceil((s->asked_mhz - exp(f)) / s->step_mhz - 1e-9);
    if (!(step > over->step)) return over->step + 1;
    return step < within->step ? (uint32_t)step : within->step - 1;
}

// Below steps that are over: the line through the first and the last of them goes on. Power need
// not fall with every step; after some, strides double.
static uint32_t below(const struct limit_search *s, const struct limit_point *last) {
    const struct limit_point *const first = &s->point[0];
    const double slope = log(first->power_w / last->power_w) /
                         log(limit_mhz(s, first->step) / limit_mhz(s, last->step));
    const double f =
        slope > 0 ? limit_mhz(s, last->step) * pow(s->watts / last->power_w, 1 / slope) : 0;
    const double step = ceil((s->asked_mhz - f) / s->step_mhz - 1e-9);
    const uint32_t stride = s->n > 4 ? 1u << (s->n - 4) : 1, least = last->step + stride;
    if (!(step > least)) return least < s->steps ? least : s->steps;
    return step < s->steps ? (uint32_t)step : s->steps;
}

enum limit_end limit_add(struct limit_search *s, double power_w, double static_w, double seconds) {
    put(s, (struct limit_point){s->step, power_w, seconds});
    const struct limit_point *over = NULL, *within = NULL;
    for (uint32_t i = 0; i < s->n && !within; i++) {
        if (s->point[i].power_w <= s->watts)
            within = &s->point[i];
        else
            over = &s->point[i];
    }
    if (!(s->watts > 0) || !over) return LIMIT_WITHIN;
    if (within && within->step == over->step + 1) {
        s->step = within->step;
        return LIMIT_WITHIN;
    }
    if (!within && over->step == s->steps) {
        s->step = over->step;
        return LIMIT_OVER;
    }
    if (s->n == LIMIT_POINTS) { // more than any board has halvings; the nearest that is known
        s->step = within ? within->step : over->step;
        return within ? LIMIT_WITHIN : LIMIT_OVER;
    }
    s->step = within     ? between(s, over, within)
              : s->n > 1 ? below(s, over)
                         : guess(s, power_w, static_w);
    return LIMIT_OPEN;
}
