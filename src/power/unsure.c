// See unsure.h.
#include "power/unsure.h"

#include <math.h>

#include "power/tree.h"

// Of a normal distribution, 90 % lie within so many standard deviations.
#define WITHIN_90 1.645

const struct unsure_input_row unsure_input[UNSURE_INPUTS] = {
#define INPUT(name, sd, from) {#name, sd, from},
#include "power/unsure.def"
};

static const struct {
    const char *text;
    enum unsure_input input;
} family[] = {
#define FAMILY(name, input, text) {text, UNSURE_##input},
#include "power/unsure.def"
};
#define FAMILIES UNSURE_OF_leakage
static_assert(WW_COUNT(family) == FAMILIES, "families come first");

static const uint8_t family_of[] = {
#define MEMBER(part, family) [PART_##part] = UNSURE_OF_##family,
#include "power/unsure.def"
};
static_assert(WW_COUNT(family_of) == PARTS, "each component has a family");

const char *unsure_factor_text(enum unsure_factor f) {
    static const char *const other[] = {"leakage", "constants", "supply", "time"};
    return f < FAMILIES ? family[f].text : other[f - FAMILIES];
}

double unsure_factor_sd(const struct power_tree *tree, enum unsure_factor f) {
    enum unsure_input i = UNSURE_time;
    if (f < FAMILIES)
        i = family[f].input;
    else if (f == UNSURE_OF_leakage)
        i = tree->fitted_here ? UNSURE_fitted : UNSURE_leakage;
    else if (f == UNSURE_OF_constants)
        i = UNSURE_carried;
    else if (f == UNSURE_OF_supply)
        i = UNSURE_supply;
    if (i == UNSURE_carried && tree->fitted_here) i = UNSURE_fitted;
    return unsure_input[i].sd;
}

static uint32_t family_at(const struct power_tree *tree, int component) {
    return family_of[tree->component[component].part];
}

// Dynamic energy by family, leakage, constants: together all of the energy, since what regulators
// lose is a share of the rest.
static void energies(const struct power_tree *tree, const struct power_usage *u,
                     double by[UNSURE_FACTORS]) {
    const double loss = tree->regulator >= 0 ? 1 + tree->regulator_loss : 1;
    memset(by, 0, UNSURE_FACTORS * sizeof *by);
    for (int i = 0; i < tree->components; i++) {
        if (i == tree->regulator) continue;
        const double leak = u->leak_sub_j[i] + u->leak_gate_j[i];
        by[family_at(tree, i)] += loss * u->dynamic_j[i];
        by[UNSURE_OF_leakage] += loss * leak;
        by[UNSURE_OF_constants] += loss * (u->static_j[i] - leak);
    }
}

// The supply: dynamic energy and leakage go with its square, leakage at least.
static double by_supply(const double by[UNSURE_FACTORS]) {
    double j = by[UNSURE_OF_leakage];
    for (uint32_t f = 0; f < FAMILIES; f++) j += by[f];
    return 2 * j;
}

// What goes by counts of work, and not by cycles as clocks and the rest do.
static double counted(const double by[UNSURE_FACTORS]) {
    double j = 0;
    for (uint32_t f = 0; f < FAMILIES; f++)
        if (f != UNSURE_OF_clocks && f != UNSURE_OF_rest) j += by[f];
    return j;
}

void unsure_joules(const struct power_tree *tree, const struct power_usage *u,
                   double by[UNSURE_FACTORS]) {
    energies(tree, u, by);
    by[UNSURE_OF_supply] = by_supply(by);
    by[UNSURE_OF_time] = by[UNSURE_OF_leakage] + by[UNSURE_OF_constants] + by[UNSURE_OF_clocks] +
                         by[UNSURE_OF_rest]; // they flow for it
}

void unsure_watts(const struct power_tree *tree, const struct power_usage *u,
                  double by[UNSURE_FACTORS]) {
    energies(tree, u, by);
    by[UNSURE_OF_supply] = by_supply(by);
    by[UNSURE_OF_time] = -counted(by); // the same counts in a longer time
    for (uint32_t f = 0; f < UNSURE_FACTORS; f++) by[f] = u->seconds > 0 ? by[f] / u->seconds : 0;
}

// The share is N / (E + N), with N the net energy and E what was spent: each factor moves both.
void unsure_share(const struct power_tree *tree, const struct power_usage *u,
                  const struct power_savings *s, double by[UNSURE_FACTORS]) {
    const double loss = tree->regulator >= 0 ? 1 + tree->regulator_loss : 1;
    double spent[UNSURE_FACTORS], net[UNSURE_FACTORS] = {0}, all = 0, e = u->energy_j;
    unsure_joules(tree, u, spent);
    for (uint32_t i = 0; i < tree->rows.effects; i++) {
        const struct power_effect *const r = &tree->rows.effect[i];
        const double j = loss * (double)r->is->sign * s->j[i];
        if (r->component < 0) continue;
        const bool leaks = power_price_is_leakage(&r->is->price);
        net[leaks ? (uint32_t)UNSURE_OF_leakage : family_at(tree, r->component)] += j;
        all += j;
    }
    net[UNSURE_OF_supply] = by_supply(net);
    net[UNSURE_OF_time] = net[UNSURE_OF_leakage];
    const double without = e + all;
    for (uint32_t f = 0; f < UNSURE_FACTORS; f++)
        by[f] = without > 0 ? (net[f] * e - spent[f] * all) / (without * without) : 0;
}

double unsure_sd(const struct power_tree *tree, const double by[UNSURE_FACTORS]) {
    double variance = 0;
    for (uint32_t f = 0; f < UNSURE_FACTORS; f++) {
        const double sd = unsure_factor_sd(tree, (enum unsure_factor)f);
        variance += by[f] * by[f] * (exp(sd * sd) - 1);
    }
    return sqrt(variance);
}

// A sum of such factors is nearly one itself: that of the same mean and variance (Fenton, IRE
// Transactions on Communications Systems 8, 1960).
static struct unsure_interval around(double value, double sd) {
    if (!(value > 0)) return (struct unsure_interval){value, value};
    const double square = log(1 + sd * sd / (value * value)), half = WITHIN_90 * sqrt(square);
    return (struct unsure_interval){value * exp(-square / 2 - half),
                                    value * exp(-square / 2 + half)};
}

struct unsure_interval unsure_power(const struct power_tree *tree, const struct power_usage *u) {
    double by[UNSURE_FACTORS];
    unsure_watts(tree, u, by);
    return around(u->power_w, unsure_sd(tree, by));
}

struct unsure_interval unsure_energy(const struct power_tree *tree, const struct power_usage *u) {
    double by[UNSURE_FACTORS];
    unsure_joules(tree, u, by);
    return around(u->energy_j, unsure_sd(tree, by));
}

struct unsure_interval unsure_saving(const struct power_tree *tree, const struct power_usage *u,
                                     const struct power_savings *s, double share) {
    double by[UNSURE_FACTORS];
    unsure_share(tree, u, s, by);
    const double sd = unsure_sd(tree, by);
    return (struct unsure_interval){share - WITHIN_90 * sd, share + WITHIN_90 * sd};
}
