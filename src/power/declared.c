// Access to declared.def. Nothing is computed here but an interpolation over one published table.
#include "power/declared.h"

#include <math.h>

const struct declared_info declared_info[DECLARED_N] = {
#define DECLARED(name, nm, v, value, unit, source) {#name, nm, v, value, unit, source},
#include "power/declared.def"
#undef DECLARED
};

_Static_assert(DECLARED_l1_row_leak_09 == DECLARED_l1_row_leak_02 + 3 &&
                   DECLARED_l2_row_leak_09 == DECLARED_l2_row_leak_02 + 3,
               "a cache's four rows stand together");

double declared_row_leak(bool l2, double vdd_v) {
    const struct declared_info *row =
        &declared_info[l2 ? DECLARED_l2_row_leak_02 : DECLARED_l1_row_leak_02];
    for (unsigned i = 0; i < 3; i++) {
        const struct declared_info *a = &row[i], *b = &row[i + 1];
        if (!(vdd_v >= a->vdd_v && vdd_v <= b->vdd_v)) continue;
        double f = (vdd_v - a->vdd_v) / (b->vdd_v - a->vdd_v);
        return exp((1 - f) * log(a->value) + f * log(b->value)) / row[3].value;
    }
    return NAN;
}
