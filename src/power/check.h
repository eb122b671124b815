// Our circuit models beside published values: the rows of a comparison, made by running the models.
// A test bounds them; a study and a reference page print them.
#ifndef WW_POWER_CHECK_H
#define WW_POWER_CHECK_H

#include "base/base.h"

enum power_check_basis {
    CHECK_ANALYTIC, // computed from device and wire tables
    CHECK_DECLARED, // published circuit data, used because no table of ours covers it
};

// Names as in the published tables: of a paper's value study, source, workload, configuration and
// metric; of a value from the literature the tool or author as source, the item as workload, the
// device as configuration and the quantity as metric.
struct power_check {
    const char *study, *source, *workload, *configuration, *metric;
    double ours, published;
    const char *unit;
    enum power_check_basis basis;
    bool upper_bound; // published says "below": ours has only to be at most that
    const char *why;  // "" where ours is within 20 % of an analytic row; else the reason, or for a
                      // declared row why it is declared
};

const char *power_check_basis_name(enum power_check_basis basis);

enum { POWER_CHECK_MAX = 224 };

// Fills `out`, which has room for POWER_CHECK_MAX, with the rows on cells, arrays, caches, wires
// and register files; their number. Refuses nothing: all configurations are fixed.
unsigned power_check_arrays(struct power_check *out);

// The circuit-level models by name, with a sentence or two on each, for a reference page.
struct power_circuit {
    const char *name, *prose;
};
extern const struct power_circuit power_circuits[];
extern const unsigned power_circuits_n;

#endif
