// Irregular logic that no equation describes: execution units, and areas of gates known as a whole.
#ifndef WW_POWER_LOGIC_H
#define WW_POWER_LOGIC_H

#include "isa/op_class.h"
#include "power/circuit.h"

// A lane of TENSOR is a multiply-add of halves each cycle.
enum logic_unit { LOGIC_INT, LOGIC_FP, LOGIC_SFU, LOGIC_DP, LOGIC_TENSOR, LOGIC_UNITS };

// What a lane's operand and result cost in the register file of the measured chip, the GT 240 at 1.0
// V: banks, arbiters, crossbar and collectors, a 32nd of a row; banks and result bus. A test holds
// them to that chip's tree.
#define LOGIC_SEED_READ_J  7.54e-12
#define LOGIC_SEED_WRITE_J 10.49e-12

// Energy of one lane's instruction of a class (of a product of matrices: a 32nd of the warp's), J, without the register file's. 0 for classes whose work other components pay.
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
