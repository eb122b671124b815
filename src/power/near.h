// Gates of 7 nm FinFETs from sub-threshold to nominal supply: what the dissertation simulates for its
// register file near threshold (figure 6.1, table 6.2). No device table of that node is public, so
// the model has shapes, not sizes: currents over the one at the nominal supply.
#ifndef WW_POWER_NEAR_H
#define WW_POWER_NEAR_H

// Drive current of a device with gate and drain at `vdd_v`, over that at 0.45 V with both gates.
double near_current(double vdd_v);
// The same with the back gate at ground. `coupling`: volts by which the front channel's threshold
// moves for a volt of the back gate, 0 (a thick fin) to 1 (a fin so thin that both gates are one).
double near_front_current(double vdd_v, double coupling);
// Seconds of a chain of 40 inverters, each with a load of four, over its time at 0.45 V.
double near_chain(double vdd_v);
// Static noise margin of a cell that keeps its data while it is read, as one of eight transistors
// does: the side of the largest square between the curves of its two inverters. Volts; devices alike,
// without variation. `coupling`: 0 where both gates are driven, else with the back gates at ground.
double near_snm_v(double vdd_v, double coupling);

extern const char near_prose[];

#endif
