// Irregular logic that no equation describes: execution units, and areas of gates known as a whole.
#ifndef WW_POWER_LOGIC_H
#define WW_POWER_LOGIC_H

#include "code/isa.h"
#include "power/circuit.h"

enum logic_unit { LOGIC_INT, LOGIC_FP, LOGIC_SFU, LOGIC_DP, LOGIC_UNITS };

// Energy of one lane's instruction of a class, J. 0 for classes whose work other components pay.
double logic_class_energy(const struct tech *t, unsigned op_class);
enum logic_unit logic_class_unit(unsigned op_class); // LOGIC_UNITS: none
// Energy of one bilinear sample: three interpolations of four 8-bit channels.
double logic_filter_energy(const struct tech *t);
// Area and leakage of one lane of a unit.
struct block logic_lane(const struct tech *t, enum logic_unit unit);
// Leakage of `area_um2` of placed logic: gate density of the node times an inverter of 5 minimum
// widths (McPAT's rule).
struct block logic_area(const struct tech *t, double area_um2);

#endif
