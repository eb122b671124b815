// Published circuit data, used as they are printed and marked so: what no device table of ours
// covers.
#ifndef WW_POWER_DECLARED_H
#define WW_POWER_DECLARED_H

#include "base/base.h"

enum declared {
#define DECLARED(name, nm, v, value, unit, source) DECLARED_##name,
#include "power/declared.def"
#undef DECLARED
    DECLARED_N
};

struct declared_info {
    const char *name;
    double node_nm, vdd_v, value;
    const char *unit, *source;
};
extern const struct declared_info declared_info[DECLARED_N];

// Static power of an L1 (or L2) row at a supply, as a share of that at 0.9 V: between the published
// points the logarithm is interpolated. NAN outside 0.2 to 0.9 V: the cells were not simulated
// there.
double declared_row_leak(bool l2, double vdd_v);

#endif
