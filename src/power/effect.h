// What energy-saving techniques save and cost: the rows of their parts (savings/worth.h), each a
// count of a technique times what one count is worth in a component. So for each component
//
//     static energy with the technique  = without it - saved + cost   (leakage)
//     dynamic energy with the technique = without it - saved + cost   (events)
//
// and power_run gives out the left sides; the regulator takes its share. A tree has the rows of all
// parts, with their names looked up and their prices worked out.
#ifndef WW_POWER_EFFECT_H
#define WW_POWER_EFFECT_H

#include "power/power.h"

// Table 6.4 of the dissertation.
extern const struct power_rf_parts power_rf_published;

// Looks up and prices the rows of all parts; a name that does not exist is refused.
enum ww_status power_rows_make(struct power_tree *tree, struct diags *d);
// A line of the savings table by its key; -1: there is none.
int power_line(const struct power_tree *tree, const char *key);

static inline bool power_price_is_leakage(const struct savings_price *p) {
    return p->kind <= PRICE_WATTS;
}
// Joules that a count is worth in a component of the tree; 0 where the GPU lacks it.
double power_price_j(const struct power_tree *tree, const char *component,
                     const struct savings_price *p);
// Of such a price, the shares that leak below the threshold and through gates; what is neither (a
// declared power) is in none.
void power_leak_shares(const struct power_tree *tree, const char *component,
                       const struct savings_price *p, double *sub, double *gate);
// The price in words ("leakage of a lane group's share"), for pages. Answers `text`.
const char *power_price_text(const struct savings_price *p, char *text, size_t size);
// mm2 of `parts` of the row's parts; below 0: of all that the machine has. 0 where the GPU lacks
// the component.
double power_area_mm2(const struct power_tree *tree, const struct savings_area *r, double parts);
// Whether a row names the counter.
bool power_effect_charges(const struct power_tree *tree, uint32_t act);

// What the effects of a run are worth; sums of several runs are sums of the fields.
struct power_savings {
    const struct power_tree *tree;
    bool any;                         // a technique ran
    bool seen[POWER_MAX_LINES];       // it counted something of the line
    double j[POWER_MAX_EFFECTS];      // of each effect, without a sign
    double all_j[POWER_MAX_LINES];    // that the line's component would have leaked, or its events
                                      // cost
    double bound_j[POWER_MAX_LINES];  // net: what a perfect technique would save of its leakage
    double area_mm2[POWER_MAX_AREAS]; // of hardware that was there
};

// Of `a` over `seconds`. Needs the tree that power_build made, which is kept in *out.
void power_savings(const struct power_tree *tree, const struct activity *a, double seconds,
                   struct power_savings *out);
void power_savings_add(struct power_savings *sum, const struct power_savings *s);
// Whether the line has a bound: a line of single lanes and whole pipelines.
bool power_line_has_bound(const struct power_tree *tree, uint32_t line);
// Of one line.
double power_savings_saved(const struct power_savings *s, uint32_t line);
double power_savings_spent(const struct power_savings *s, uint32_t line);
// Of added hardware, by line and of all lines.
double power_savings_mm2(const struct power_savings *s, uint32_t line);
double power_savings_all_mm2(const struct power_savings *s);
// Puts effects into the own energies of `usage`; without the regulator's part. Answers what the
// static energy of all components falls by.
double power_savings_apply(const struct power_tree *tree, const struct activity *a,
                           struct power_usage *usage);

#endif
