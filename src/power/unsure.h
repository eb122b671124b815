// How sure a watt, a joule and a saving are: 90 % intervals from the spreads of what the model is
// made of (unsure.def). Each family of components has an unknown factor on its dynamic energy,
// leakage has one, constants have one; the supply moves dynamic energy and leakage, the time what
// goes by counts. The factors are independent, their logarithms normal and their means 1; variances
// add up. docs/power.md, "Uncertainty", derives it.
#ifndef WW_POWER_UNSURE_H
#define WW_POWER_UNSURE_H

#include "power/effect.h"

enum unsure_input {
#define INPUT(name, ...) UNSURE_##name,
#include "power/unsure.def"
    UNSURE_INPUTS
};
struct unsure_input_row {
    const char *name;
    double sd; // of the logarithm
    const char *from;
};
extern const struct unsure_input_row unsure_input[UNSURE_INPUTS];

// Unknown factors: those of the families, then these.
enum unsure_factor {
#define FAMILY(name, ...) UNSURE_OF_##name,
#include "power/unsure.def"
    UNSURE_OF_leakage,
    UNSURE_OF_constants,
    UNSURE_OF_supply,
    UNSURE_OF_time,
    UNSURE_FACTORS
};
const char *unsure_factor_text(enum unsure_factor f);
double unsure_factor_sd(const struct power_tree *tree, enum unsure_factor f);

// What the logarithm of each factor moves the mean power by, in W, and the energy, in J, at first
// order.
void unsure_watts(const struct power_tree *tree, const struct power_usage *u,
                  double by[UNSURE_FACTORS]);
void unsure_joules(const struct power_tree *tree, const struct power_usage *u,
                   double by[UNSURE_FACTORS]);
// The same of the net energy of savings as a share of what would have been spent without them.
void unsure_share(const struct power_tree *tree, const struct power_usage *u,
                  const struct power_savings *s, double by[UNSURE_FACTORS]);
// The standard deviation of what moves so: a factor whose logarithm has sd s and whose mean is 1
// has the variance exp(s^2) - 1.
double unsure_sd(const struct power_tree *tree, const double by[UNSURE_FACTORS]);

struct unsure_interval {
    double low, high; // 9 of 10 true values lie between these
};
struct unsure_interval unsure_power(const struct power_tree *tree, const struct power_usage *u);
struct unsure_interval unsure_energy(const struct power_tree *tree, const struct power_usage *u);
// May be below 0: a saving that may be none.
struct unsure_interval unsure_saving(const struct power_tree *tree, const struct power_usage *u,
                                     const struct power_savings *s, double share);

#endif
