// The supply that a board gives its chip at a core clock: published points of the board
// (`tech.volts`), else a power law of the clock above a floor.
//
// Boards hold a guard band over what their transistors need, and it is not the same everywhere: the
// supply of a board falls more slowly with the clock than the alpha-power law allows, and stops at
// a floor that is set for the whole chip. So the law here is that of boards, and the alpha-power
// law (power/tech.h) is left to say what a chip could carry with a supply that is given.
//
// volt_rise 1.2: of six boards that publish two ends of their range under load, ln(V1/V2) over
// ln(f1/f2) is 0.70 (GTX Titan, 744 MHz at 0.95 V to 992 at 1.1625), 1.17 (GTX 980), 1.18 (GTX 1660
// Ti), 1.26 (RTX 2060), 1.36 (GTX 1080) and 1.74 (RTX 3060 Ti): 1.24 on average, 1.22 the median.
// volt_floor 0.66: their supply at the desktop over that of the upper end is 0.59 to 0.75, 0.66 on
// average. docs/power.md has the points and their sources.
#include <math.h>

#include "gpu/config_int.h"

// Reads "MHz:V MHz:V ..."; answers what is wrong, or NULL.
static const char *parse(const char *text, struct gpu_supply_points *out) {
    out->n = 0;
    for (const char *p = text; *(p += strspn(p, " ")); p += strcspn(p, " ")) {
        char point[48], *colon;
        const size_t len = strcspn(p, " ");
        double mhz, v;
        if (len >= sizeof point) return "has a point that is no MHz:V";
        memcpy(point, p, len);
        point[len] = 0;
        colon = strchr(point, ':');
        if (!colon) return "has a point without a colon: expected MHz:V, as in 700:1.0";
        *colon = 0;
        if (!text_to_double(point, &mhz) || !text_to_double(colon + 1, &v))
            return "has a point that is no MHz:V of two numbers";
        if (!(mhz >= 1 && mhz <= 10000)) return "has a clock outside 1 to 10000 MHz";
        if (!(v >= 0.4 && v <= 2)) return "has a supply outside 0.4 to 2 V";
        if (out->n == GPU_SUPPLY_POINTS) return "has more than 16 points";
        if (out->n && !(mhz > out->mhz[out->n - 1])) return "has clocks that do not rise";
        if (out->n && v < out->v[out->n - 1]) return "has a supply that falls as the clock rises";
        out->mhz[out->n] = mhz, out->v[out->n++] = v;
    }
    return NULL;
}

bool supply_trouble(const char *text, char *out, size_t size) {
    struct gpu_supply_points t;
    const char *const why = parse(text, &t);
    if (why) snprintf(out, size, "%s", why);
    return why;
}

void gpu_supply_points(const struct gpu_config *c, struct gpu_supply_points *out) {
    if (parse(c->tech.volts, out)) out->n = 0;
}

// By the points alone; 0 above the highest.
static double at_points(const struct gpu_supply_points *t, double mhz) {
    if (mhz <= t->mhz[0]) return t->v[0];
    for (uint32_t i = 1; i < t->n; i++) {
        if (mhz > t->mhz[i]) continue;
        const double share = (mhz - t->mhz[i - 1]) / (t->mhz[i] - t->mhz[i - 1]);
        return t->v[i - 1] + share * (t->v[i] - t->v[i - 1]);
    }
    return 0;
}

static double own_mhz(const struct gpu_config *c) {
    return c->nominal.core_mhz > 0 ? c->nominal.core_mhz : c->clocks.core_mhz;
}

static double own_v(const struct gpu_config *c) {
    return c->nominal.vdd_v > 0 ? c->nominal.vdd_v : c->tech.vdd_v;
}

static double upwards(double v) { return ceil(v * 1e4 - 1e-6) / 1e4; }

double gpu_supply_at(const struct gpu_config *c, double core_mhz) {
    const double f = own_mhz(c), v = own_v(c);
    if (fabs(core_mhz - f) <= 1e-9 * f) return v;
    struct gpu_supply_points t;
    gpu_supply_points(c, &t);
    const double here = t.n ? at_points(&t, f) : 0;
    const double times = here > 0 ? at_points(&t, core_mhz) / here
                                  : fmax(pow(core_mhz / f, c->tech.volt_rise), c->tech.volt_floor);
    const double out = upwards(v * times);
    return times > 0 && out <= 2 ? fmax(out, 0.4) : 0;
}

double gpu_supply_least(const struct gpu_config *c) { return gpu_supply_at(c, 1e-3); }

bool gpu_supply_follows(const struct gpu_config *c) {
    return c->nominal.core_mhz > 0 && c->clocks.core_mhz != c->nominal.core_mhz &&
           c->tech.vdd_v != c->nominal.vdd_v &&
           c->tech.vdd_v == gpu_supply_at(c, c->clocks.core_mhz);
}
