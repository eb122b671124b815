// Published circuit data, used as they are printed and marked so: what no device table of ours
// covers.
#ifndef WW_POWER_DECLARED_H
#define WW_POWER_DECLARED_H

#include "power/array.h"

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

// The lowest supply at which a six-transistor cell keeps its data (DRV of table 2.1, V): between
// 90, 65 and 32 nm a straight line, down to 22 nm the line from 65 to 32 nm continued, down to 12 nm
// its value at 22 (both assumed); NAN outside. The paper's drowsy supply is this and a margin of 0.25 V.
double declared_retention_v(double node_nm);

// An array at 16 or 7 nm (FinFET), where no device table is public, from the published register
// files of table 6.4 and section 6.6: `c` as for array_build (size, banks, bits of an access).
//
// 7 nm: energy of an access and static power follow a power law of the size through 256 KB and 32
// KB at 0.45 V; at 0.3 V (near threshold) they take the ratio of the published 224 KB there to that
// law, between the two supplies the logarithm is interpolated. Energy goes with the bits of an
// access, 1024 (a warp's register, assumed) as published. Area goes with size, at 0.2 mm2 for 256
// KB. `back_gates` off lowers an access by 5.25 / 7.65. Time: 0.08 ns for 32 KB, with the root of
// size (assumed), 3 times at 0.3 V. Published temperature: 300 K (assumed); static power moves with
// it as the 22 nm HP devices'.
// 16 nm: between the array model at 22 nm and the above at 7 nm, straight in the logarithms of node
// and value (assumed); at another supply energy goes with its square, static power as the 22 nm
// devices', time as their drive.
//
// vdd_v 0: nominal (0.45 V; at 16 nm 0.68 V, from 22 nm's 0.8 V by the same line). Refuses, with a
// sentence, other nodes, sizes outside 1 KB to 8 MB, temperatures outside 300 to 400 K, supplies
// outside 0.3 to 0.45 V or 0.7 to 1.2 times the nominal 16 nm one, and CAMs.
enum ww_status declared_finfet(double node_nm, const struct array_config *c, double vdd_v,
                               double temperature_k, bool back_gates, struct array *out,
                               struct diags *d);
extern const char declared_finfet_prose[];

// Static power of an L1 (or L2) row at a supply, as a share of that at 0.9 V: between the published
// points the logarithm is interpolated. NAN outside 0.2 to 0.9 V: the cells were not simulated
// there.
double declared_row_leak(bool l2, double vdd_v);

#endif
