// WP, host: columns of air with clouds, rain, snow and ice in patches, one launch a time step with
// the fields going to the device and back each time.
//
// The reference is in double precision, a level at a time, with the fall of each class of water in
// a function of its own. The physics is full of thresholds (does it freeze, how many sub-steps,
// which limit holds), and a column near one can go either way by rounding. So the reference runs
// also on inputs moved by more than rounding moves anything: what these runs differ by is what a
// result may be off.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host.h"
#include "sizes.h"

enum { SIDE = 8, LEVELS = 28, FIELDS = 6, FIXED = 4, RUNS = 5 };
enum { TH, Q, QC, QI, QR, QS }; // fields that change
enum { PII, DEN, P, DELZ };     // and that do not

static const struct host_param params[] = {
    {"X", 1, 1024, "columns in a row"},
    {"Y", 1, 1024, "rows"},
    {"LEVELS", 1, LEVELS, "of the air"},
    {"STEPS", 1, 100, "of 100 s"},
};
static const struct host_program program = {"WP", params, HOST_COUNT(params), host_sizes,
                                            HOST_COUNT(host_sizes)};

// ---------------------------------------------------------------------------------- reference

// Constants by their names in the papers; see kernel.cu for what they are.
static const double pi = 3.14159265358979, t0 = 273.15, rv = 461.6, cpd = 1004.5, cpv = 1846.4,
                    xls = 2.85e6, xlf = 3.5e5, den0 = 1.28, denr = 1000, dens = 100, qmin = 1e-15,
                    qcrmin = 1e-9, n0r = 8e6, n0s = 2e6, xncr = 3e8;

struct level {
    double t, v, cloud, ice, rain, snow, den, p, dz, pii;
    double cpm, heat, sat_w, sat_i, rh_w, rh_i;
};
struct column {
    struct level level[LEVELS];
    int levels;
    double fallen[2]; // as rain and as snow
};

static double between(double x, double low, double high) { return fmin(fmax(x, low), high); }
static double heat_of(double t) { return 2.5e6 - 2370 * (t - t0); }
static double saturation(double t, double p, bool ice) {
    const double triple = t0 + 0.01, c = ice ? 2106 : 4190, latent = ice ? 2.834e6 : 2.5e6;
    const double a = (c - cpv) / rv, b = a + latent / (rv * triple);
    const double e = fmin(610.78 * pow(triple / t, a) * exp(b * (1 - triple / t)), 0.99 * p);
    return fmax(287.0 / rv * e / (p - e), qmin);
}
static double viscosity(const struct level *l) {
    return 1.496e-6 * pow(l->t, 1.5) / (l->t + 120) / l->den;
}
static double diffusion(const struct level *l) { return 8.794e-5 * pow(l->t, 1.81) / l->p; }
static double conduction(const struct level *l) { return 1.414e3 * viscosity(l) * l->den; }
static double resistance(const struct level *l, double heat, double sat) {
    return l->den * heat * heat / (conduction(l) * rv * l->t * l->t) + 1 / (sat * diffusion(l));
}
static double ventilation(const struct level *l) {
    return cbrt(viscosity(l) / diffusion(l)) / sqrt(viscosity(l)) * pow(den0 / l->den, 0.25);
}
static double flakes(double t) { return between(exp(0.12 * (t0 - t)), 1, 1e11 / n0s); }
static double rain_size(const struct level *l) {
    return l->rain <= qcrmin ? 1 / 8e4 : pow(l->rain * l->den / (pi * denr * n0r), 0.25);
}
static double snow_size(const struct level *l, double more) {
    return l->snow <= qcrmin ? 1 / 1e5 : pow(l->snow * l->den / (pi * dens * n0s * more), 0.25);
}
static double crystals(const struct level *l) {
    return between(5.38e7 * pow(l->den * fmax(l->ice, qmin), 0.75), 1e3, 1e6);
}
static double crystal_speed(const struct level *l) {
    const double width = between(11.9 * sqrt(l->den * l->ice / crystals(l)), 1e-25, 500e-6);
    return 1.49e4 * pow(width, 1.31);
}
// What a flake or a drop of a size trades with the air, over its resistance.
static double snow_trade(double size, double air) {
    return 4 * n0s *
           (0.65 * size * size +
            0.44 * sqrt(11.72) * tgamma(2.705) * air * pow(size, 2.5 + 0.41 / 2));
}
static double rain_trade(double size, double air) {
    return 2 * pi * n0r *
           (0.78 * size * size + 0.31 * sqrt(841.9) * tgamma(2.9) * air * pow(size, 2.5 + 0.8 / 2));
}

// One sub-step of one class; from the top, so that each level gets what the one above had.
static void fall(struct column *c, size_t class, const double *speed, double dt, double *fallen) {
    double from_above = 0;
    for (int k = c->levels - 1; k >= 0; k--) {
        struct level *l = &c->level[k];
        double *q = (double *)((char *)l + class);
        const double down = l->den * *q * speed[k] * dt;
        *q = fmax(*q + (from_above - down) / (l->den * l->dz), 0);
        from_above = down;
    }
    *fallen += from_above;
}
static int sub_steps(const struct column *c, const double *speed, double dt) {
    int n = 1;
    for (int k = 0; k < c->levels; k++) {
        const int need = (int)(speed[k] * dt / c->level[k].dz + 1);
        n = need > n ? need : n;
    }
    return n;
}

static void melt_snow(struct level *l, double more, double dt) {
    if (l->t <= t0 || l->snow <= 0) return;
    const double rate = conduction(l) / xlf * (l->t - t0) * pi / 2 * more *
                        snow_trade(snow_size(l, more), ventilation(l));
    const double melted = fmin(rate * dt, l->snow);
    l->snow -= melted;
    l->rain += melted;
    l->t -= xlf / l->cpm * melted;
}

static void change_phase(struct level *l, double dt) {
    const double cold = t0 - l->t, warming = (cold > 0 ? xls - l->heat : xlf) / l->cpm;
    if (cold < 0) {
        l->cloud += l->ice;
        l->t -= warming * l->ice;
        l->ice = 0;
        return;
    }
    if (cold > t0 - 233.16) {
        l->ice += l->cloud;
        l->t += warming * l->cloud;
        l->cloud = 0;
    }
    if (cold <= 0) return;
    const double bigg = 100 * (exp(0.66 * cold) - 1);
    const double droplets = fmin(bigg * l->den / denr / xncr * l->cloud * l->cloud * dt, l->cloud);
    l->ice += droplets;
    l->cloud -= droplets;
    double drops = 0;
    if (l->rain > 0)
        drops =
            fmin(20 * pi * pi * n0r * denr / l->den * bigg * pow(rain_size(l), 7) * dt, l->rain);
    l->snow += drops;
    l->rain -= drops;
    l->t += warming * (droplets + drops);
}

static void exchange(struct level *l, double dt) {
    const double cold = t0 - l->t, more = flakes(l->t), slow = sqrt(den0 / l->den);
    const double air = ventilation(l), width_r = rain_size(l), width_s = snow_size(l, more);
    const double res_w = resistance(l, l->heat, l->sat_w), res_i = resistance(l, xls, l->sat_i);
    const double gain_w = (fmax(l->v, qmin) - l->sat_w) / dt;
    const double gain_i = (fmax(l->v, qmin) - l->sat_i) / dt;

    // From cloud: to rain on its own, to rain collected, to snow (or the water on it) collected.
    double from_cloud[3] = {0};
    if (l->cloud > 4.0 / 3 * pi * denr * pow(0.8e-5, 3) * xncr / den0)
        from_cloud[0] = 0.104 * 9.8 * 0.55 / cbrt(xncr * denr) / 1.718e-5 * pow(den0, 4.0 / 3) *
                        pow(l->cloud, 7.0 / 3);
    if (l->rain > qcrmin && l->cloud > qmin)
        from_cloud[1] = pi * n0r * 841.9 * tgamma(3.8) / 4 * pow(width_r, 3.8) * l->cloud * slow;
    if (l->snow > qcrmin && l->cloud > qmin)
        from_cloud[2] =
            pi * n0s * more * 11.72 * tgamma(3.41) / 4 * pow(width_s, 3.41) * l->cloud * slow;
    double sum = 0;
    for (int i = 0; i < 3; i++) sum += from_cloud[i] = fmin(from_cloud[i], l->cloud / dt);
    if (sum * dt > fmax(l->cloud, qmin))
        for (int i = 0; i < 3; i++) from_cloud[i] *= fmax(l->cloud, qmin) / (sum * dt);

    double to_rain = 0; // vapour
    if (l->rain > 0) {
        to_rain = (l->rh_w - 1) * rain_trade(width_r, air) / res_w;
        to_rain = to_rain < 0 ? fmax(fmax(to_rain, -l->rain / dt), gain_w / 2)
                              : fmin(to_rain, gain_w / 2);
    }
    if (cold <= 0) {
        double to_snow = 0;
        if (l->snow > 0 && l->rh_w < 1)
            to_snow = fmax((l->rh_w - 1) * more * snow_trade(width_s, air) / res_w, -l->snow / dt);
        l->v -= (to_rain + to_snow) * dt;
        l->rain = fmax(l->rain + (from_cloud[0] + from_cloud[1] + from_cloud[2] + to_rain) * dt, 0);
        l->snow = fmax(l->snow + to_snow * dt, 0);
        l->t += l->heat * (to_rain + to_snow) / l->cpm * dt;
    } else {
        double to_ice = 0, to_snow = 0, new_ice = 0, collected = 0, grown = 0,
               left = gain_i - to_rain;
        bool full = false;
        if (l->snow > qcrmin && l->ice > qmin) {
            const double width = between(11.9 * sqrt(l->den * l->ice / crystals(l)), 1e-25, 500e-6);
            const double apart =
                fabs(11.72 * tgamma(4.41) / 6 * pow(width_s, 0.41) * slow - crystal_speed(l));
            collected = fmin(
                pi / 4 * l->ice * exp(-0.07 * cold) * n0s * more * apart *
                    (2 * pow(width_s, 3) + 2 * width * pow(width_s, 2) + width * width * width_s),
                l->ice / dt);
        }
        if (l->ice > 0) {
            grown = fmax((l->ice - 2.08e22 * pow(500e-6, 8) / l->den) / dt, 0);
            to_ice = 4 * 11.9 * sqrt(l->den * l->ice * crystals(l)) * (l->rh_i - 1) / res_i;
            to_ice = to_ice < 0 ? fmax(fmax(fmax(to_ice, gain_i / 2), left), -l->ice / dt)
                                : fmin(fmin(to_ice, gain_i / 2), left);
            full = fabs(to_rain + to_ice) >= fabs(gain_i);
            left -= to_ice;
        }
        if (l->snow > 0 && !full) {
            to_snow = (l->rh_i - 1) * more * snow_trade(width_s, air) / res_i;
            to_snow = to_snow < 0 ? fmax(fmax(fmax(to_snow, -l->snow / dt), gain_i / 2), left)
                                  : fmin(fmin(to_snow, gain_i / 2), left);
            full = fabs(to_rain + to_ice + to_snow) >= fabs(gain_i);
            left -= to_snow;
        }
        if (gain_i > 0 && !full) {
            const double mixing = 4.92e-11 * pow(1e3 * exp(0.1 * cold), 1.33);
            new_ice = fmin(fmin(fmax((mixing / l->den - l->ice) / dt, 0), gain_i), left);
        }
        const double gives = (grown + collected - new_ice - to_ice) * dt;
        if (gives > fmax(l->ice, qmin)) {
            const double f = fmax(l->ice, qmin) / gives;
            grown *= f, collected *= f, new_ice *= f, to_ice *= f;
        }
        l->v -= (to_rain + to_ice + to_snow + new_ice) * dt;
        l->rain = fmax(l->rain + (from_cloud[0] + from_cloud[1] + to_rain) * dt, 0);
        l->ice = fmax(l->ice - (grown + collected - new_ice - to_ice) * dt, 0);
        l->snow = fmax(l->snow + (to_snow + grown + collected + from_cloud[2]) * dt, 0);
        l->t += (xls * (to_snow + to_ice + new_ice) + l->heat * to_rain +
                 (xls - l->heat) * from_cloud[2]) /
                l->cpm * dt;
    }
    l->cloud = fmax(l->cloud - (from_cloud[0] + from_cloud[1] + from_cloud[2]) * dt, 0);
}

static void condense(struct level *l) {
    const double latent = heat_of(l->t), sat = saturation(l->t, l->p, false);
    double more =
        (fmax(l->v, qmin) - sat) / (1 + latent * latent / (rv * l->cpm) * sat / (l->t * l->t));
    more = more < 0 ? -fmin(-more, l->cloud) : fmin(more, fmax(l->v, 0));
    l->v -= more;
    l->cloud += more;
    l->t += more * latent / l->cpm;
    if (l->cloud <= qmin) l->cloud = 0;
    if (l->ice <= qmin) l->ice = 0;
}

static void weather(struct column *c, double step) {
    const int loops = (int)fmax(step / 120 + 0.5, 1);
    const double dt = step / loops;
    for (int k = 0; k < c->levels; k++) {
        struct level *l = &c->level[k];
        const double v = fmax(l->v, qmin);
        l->cpm = cpd * (1 - v) + v * cpv;
        l->heat = heat_of(l->t);
    }
    for (int loop = 0; loop < loops; loop++) {
        double rain[LEVELS], snow[LEVELS], ice[LEVELS], more[LEVELS];
        for (int k = 0; k < c->levels; k++) {
            struct level *l = &c->level[k];
            l->sat_w = saturation(l->t, l->p, false);
            l->sat_i = saturation(l->t, l->p, l->t < t0 + 0.01);
            l->rh_w = fmax(l->v / l->sat_w, qmin);
            l->rh_i = fmax(l->v / l->sat_i, qmin);
            more[k] = flakes(l->t);
            const double slow = sqrt(den0 / l->den);
            rain[k] = 841.9 * tgamma(4.8) / 6 * pow(rain_size(l), 0.8) * slow;
            snow[k] = 11.72 * tgamma(4.41) / 6 * pow(snow_size(l, more[k]), 0.41) * slow;
        }
        const int of_rain = sub_steps(c, rain, dt), of_snow = sub_steps(c, snow, dt);
        const int n = of_rain > of_snow ? of_rain : of_snow;
        for (int s = 0; s < n; s++) {
            fall(c, offsetof(struct level, rain), rain, dt / n, &c->fallen[0]);
            fall(c, offsetof(struct level, snow), snow, dt / n, &c->fallen[1]);
            for (int k = 0; k < c->levels; k++) melt_snow(&c->level[k], more[k], dt / n);
        }
        for (int k = 0; k < c->levels; k++)
            ice[k] = c->level[k].ice > 0 ? crystal_speed(&c->level[k]) : 0;
        const int m = sub_steps(c, ice, dt);
        for (int s = 0; s < m; s++)
            fall(c, offsetof(struct level, ice), ice, dt / m, &c->fallen[1]);
        for (int k = 0; k < c->levels; k++) {
            change_phase(&c->level[k], dt);
            exchange(&c->level[k], dt);
            condense(&c->level[k]);
        }
    }
}

// ----------------------------------------------------------------------------------- the air

struct air {
    int ni, nj, nk;
    size_t plane, cells;
    float *field[FIELDS], *fixed[FIXED];
};

// A patch is a round region of the map; up to `strength` in its middle.
struct patch {
    float x, y, radius, strength;
};
static float in_patches(const struct patch *p, int n, int i, int j) {
    float most = 0;
    for (int k = 0; k < n; k++) {
        const float dx = (float)i - p[k].x, dy = (float)j - p[k].y;
        const float here = p[k].strength * (1 - (dx * dx + dy * dy) / (p[k].radius * p[k].radius));
        most = here > most ? here : most;
    }
    return most;
}

// 6.5 K a kilometre up to 11 km, from 18 degrees at the ground in the first row to -7 in the last,
// pressure by the gas law, moist at the ground; clouds where patches lie, of droplets below, ice
// above, snow between, rain under the strongest.
static void make_air(struct host *h, struct air *a) {
    enum { PATCHES = 12 };
    struct patch patch[PATCHES];
    const int side = a->ni > a->nj ? a->ni : a->nj;
    for (int k = 0; k < PATCHES; k++)
        patch[k] = (struct patch){
            host_random_float(h, 0, (float)a->ni), host_random_float(h, 0, (float)a->nj),
            host_random_float(h, 0.1f, 0.3f) * (float)side, host_random_float(h, 0.2f, 1)};
    const float dz = 16000.0f / (float)a->nk;
    for (int k = 0; k < a->nk; k++) {
        for (int j = 0; j < a->nj; j++) {
            for (int i = 0; i < a->ni; i++) {
                const size_t at = (size_t)k * a->plane + (size_t)(j * a->ni + i);
                const double z = ((double)k + 0.5) * (double)dz;
                const double t = 291 - 25.0 * j / a->nj - 0.0065 * fmin(z, 11000) +
                                 (double)host_random_float(h, -2, 2);
                const double p = 101325 * exp(-z / 7800), exner = pow(p / 1e5, 287 / 1004.5);
                const double cover = (double)in_patches(patch, PATCHES, i, j);
                const double wet = (0.5 + 0.55 * cover) * exp(-z / 12000);
                const double rough = (double)host_random_float(h, 0.5f, 1.5f);
                a->field[TH][at] = (float)(t / exner);
                a->field[Q][at] = (float)(wet * saturation(t, p, t < t0) *
                                          (double)host_random_float(h, 0.9f, 1.1f));
                a->field[QC][at] = (float)(cover > 0.1 && t > 243 ? 1.5e-3 * cover * rough : 0);
                a->field[QI][at] = (float)(cover > 0.2 && t < 268 ? 2e-4 * cover * rough : 0);
                a->field[QS][at] =
                    (float)(cover > 0.3 && t < 276 && t > 225 ? 6e-4 * cover * rough : 0);
                a->field[QR][at] = (float)(cover > 0.4 && t > 265 ? 1e-3 * cover * rough : 0);
                a->fixed[PII][at] = (float)exner;
                a->fixed[DEN][at] = (float)(p / (287 * t));
                a->fixed[P][at] = (float)p;
                a->fixed[DELZ][at] = dz * host_random_float(h, 0.95f, 1.05f);
            }
        }
    }
}

// Random signs that move a run's inputs; run 0 is not moved.
static double moved(float x, int run, uint64_t *state, double by) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    const double sign = run == 0 ? 0 : *state >> 63 ? 1 : -1;
    return (double)x * (1 + sign * by);
}

// One step's result against the reference, which starts from what that step started from.
static void check_step(struct host *h, const struct air *a, float *const start[FIELDS],
                       float *const ground[2], float *const ground_start[2], float step) {
    // What one kind of result may always be off, in its unit: float's rounding of some hundred
    // operations on its usual values (300 K, 10 g/kg, 1 g/kg, 10 mm). With it, how far apart the
    // reference's runs may be before a column counts as undecided.
    static const struct {
        const char *name;
        double always, undecided;
    } kind[FIELDS + 2] = {{"potential temperature", 2e-4, 0.01},
                          {"vapour", 5e-8, 2e-6},
                          {"cloud", 5e-8, 2e-6},
                          {"ice", 1e-8, 1e-6},
                          {"rain", 2e-8, 2e-6},
                          {"snow", 2e-8, 2e-6},
                          {"rain on the ground", 2e-6, 1e-3},
                          {"snow on the ground", 2e-6, 1e-3}};
    double *want[FIELDS + 2];
    float *got[FIELDS + 2];
    for (int f = 0; f < FIELDS + 2; f++) {
        const size_t n = f < FIELDS ? a->cells : a->plane;
        want[f] = host_memory(n, sizeof(double));
        got[f] = host_memory(n, sizeof(float));
    }
    size_t undecided = 0;
    uint64_t state = 1;
    for (size_t at = 0; at < a->plane; at++) {
        static struct column run[RUNS];
        for (int r = 0; r < RUNS; r++) {
            run[r] = (struct column){.levels = a->nk};
            for (int k = 0; k < a->nk; k++) {
                const size_t i = (size_t)k * a->plane + at;
                // Temperature by a few of its last bits, water by more of them, as it is what
                // differences of near values leave.
                struct level *l = &run[r].level[k];
                l->pii = (double)a->fixed[PII][i];
                l->den = (double)a->fixed[DEN][i];
                l->p = (double)a->fixed[P][i];
                l->dz = (double)a->fixed[DELZ][i];
                l->t = moved(start[TH][i], r, &state, 0x1p-22) * l->pii;
                l->v = moved(start[Q][i], r, &state, 0x1p-21);
                l->cloud = moved(start[QC][i], r, &state, 0x1p-20);
                l->ice = moved(start[QI][i], r, &state, 0x1p-20);
                l->rain = moved(start[QR][i], r, &state, 0x1p-20);
                l->snow = moved(start[QS][i], r, &state, 0x1p-20);
            }
            weather(&run[r], (double)step);
        }
        bool unsure = false;
        for (int f = 0; f < FIELDS + 2; f++) {
            const int n = f < FIELDS ? a->nk : 1;
            double value[RUNS][LEVELS], spread = 0;
            for (int k = 0; k < n; k++) {
                for (int r = 0; r < RUNS; r++) {
                    const struct level *l = &run[r].level[k];
                    const double all[] = {l->t / l->pii,
                                          l->v,
                                          l->cloud,
                                          l->ice,
                                          l->rain,
                                          l->snow,
                                          run[r].fallen[0] + run[r].fallen[1],
                                          run[r].fallen[1]};
                    value[r][k] = all[f];
                    spread = fmax(spread, fabs(value[r][k] - value[0][k]));
                }
            }
            unsure = unsure || spread > kind[f].undecided;
            for (int k = 0; k < n; k++) {
                const size_t i = (size_t)k * a->plane + at;
                const double is =
                    (double)(f < FIELDS ? a->field[f][i]
                                        : ground[f - FIELDS][i] - ground_start[f - FIELDS][i]);
                got[f][i] = (float)((is - value[0][k]) / (kind[f].always + 4 * spread));
            }
        }
        for (int f = 0; unsure && f < FIELDS + 2; f++)
            for (int k = 0; k < (f < FIELDS ? a->nk : 1); k++)
                got[f][(size_t)k * a->plane + at] = 0;
        undecided += unsure;
    }
    for (int f = 0; f < FIELDS + 2; f++)
        host_check_float(h, kind[f].name, got[f], want[f], f < FIELDS ? a->cells : a->plane, 0, 1);
    host_check_that(h, undecided <= a->plane / 8 + 2, "%zu of %zu columns are undecided.",
                    undecided, a->plane);
    for (int f = 0; f < FIELDS + 2; f++) {
        free(want[f]);
        free(got[f]);
    }
}

int main(int argc, char **argv) {
    struct host h;
    host_open(&h, argc, argv, &program);
    struct air a = {.ni = (int)h.arg[0], .nj = (int)h.arg[1], .nk = (int)h.arg[2]};
    a.plane = (size_t)a.ni * (size_t)a.nj;
    a.cells = a.plane * (size_t)a.nk;
    float step = 100.0f;
    const size_t bytes = a.cells * sizeof(float);
    for (int f = 0; f < FIELDS; f++) a.field[f] = host_memory(a.cells, sizeof(float));
    for (int f = 0; f < FIXED; f++) a.fixed[f] = host_memory(a.cells, sizeof(float));
    make_air(&h, &a);

    float *start[FIELDS];
    CUdeviceptr dev[FIELDS], still[FIXED];
    for (int f = 0; f < FIELDS; f++) {
        start[f] = host_memory(a.cells, sizeof(float));
        dev[f] = host_alloc(&h, bytes);
    }
    float *ground[2], *ground_start[2];
    CUdeviceptr ground_dev[2];
    for (int f = 0; f < 2; f++) {
        ground[f] = host_memory(a.plane, sizeof(float));
        ground_start[f] = host_memory(a.plane, sizeof(float));
        ground_dev[f] = host_upload(&h, ground[f], a.plane * sizeof(float));
    }
    for (int f = 0; f < FIXED; f++) still[f] = host_alloc(&h, bytes);
    const CUfunction kernel = host_kernel(&h, "wsm5_gpu");
    const struct dim grid = {((unsigned)a.ni + SIDE - 1) / SIDE,
                             ((unsigned)a.nj + SIDE - 1) / SIDE};
    const struct dim block = {SIDE, SIDE};
    for (int64_t s = 0; s < h.arg[3]; s++) {
        for (int f = 0; f < FIELDS; f++) {
            memcpy(start[f], a.field[f], bytes);
            host_write(dev[f], a.field[f], bytes);
        }
        for (int f = 0; f < FIXED; f++) host_write(still[f], a.fixed[f], bytes);
        host_launch(kernel, grid, block, 0, &dev[TH], &still[PII], &dev[Q], &dev[QC], &dev[QI],
                    &dev[QR], &dev[QS], &still[DEN], &still[P], &still[DELZ], &ground_dev[0],
                    &ground_dev[1], &step, &a.ni, &a.nj, &a.nk);
        for (int f = 0; f < FIELDS; f++) host_read(a.field[f], dev[f], bytes);
        for (int f = 0; f < 2; f++) {
            memcpy(ground_start[f], ground[f], a.plane * sizeof(float));
            host_read(ground[f], ground_dev[f], a.plane * sizeof(float));
        }
        check_step(&h, &a, start, ground, ground_start, step);
    }

    for (int f = 0; f < FIELDS; f++) {
        free(a.field[f]);
        free(start[f]);
    }
    for (int f = 0; f < FIXED; f++) free(a.fixed[f]);
    for (int f = 0; f < 2; f++) {
        free(ground[f]);
        free(ground_start[f]);
    }
    return host_close(&h);
}
