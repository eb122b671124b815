// Circuits that everything else is made of: gates and chains of inverters, decoders, repeated
// wires, flip-flops, crossbars. Widths and lengths in um.
#ifndef WW_POWER_CIRCUIT_H
#define WW_POWER_CIRCUIT_H

#include "power/tech.h"

// What any block answers. `energy_j` is of its one event (a switch, a transfer, a write).
struct block {
    double area_um2;
    double energy_j;
    double leak_sub_w, leak_gate_w;
    double delay_s;
};
void block_add(struct block *sum, const struct block *b, double times); // all but delay
double circuit_min_w(const struct tech *t);                             // minimum N width

double circuit_gate_cap(const struct tech *t, double w);
double circuit_drain_cap(const struct tech *t, double w, unsigned stack);
// Static power of an n-input NAND (n = 1: inverter) with N devices of `wn`, averaged over inputs.
void circuit_nand_leak(const struct tech *t, unsigned n, double wn, double *sub_w, double *gate_w);
double circuit_gate_area(const struct tech *t, unsigned inputs, double wn);
// An inverter chain, stage effort 4, from a minimum inverter to `load_f`.
struct block circuit_chain(const struct tech *t, double load_f);
// One of `rows` lines is driven: predecoder of 3-8 blocks, NAND and chain a row; `load_f` hangs on
// a row line, `length_um` is the height that the predecoded lines run.
struct block circuit_decoder(const struct tech *t, unsigned rows, double load_f, double length_um);
// One wire of `length_um` with delay-optimal repeaters; energy of a transition that charges it.
struct block circuit_wire(const struct tech *t, enum tech_plane plane, double length_um);
// The same with smaller repeaters, farther apart, that cost up to `slack` (0.1: 10 %) of the best
// delay: of those the one with the least energy and leakage. At 10 % a charging transition costs
// about 0.7 of the delay-optimal wire's.
struct block circuit_wire_slack(const struct tech *t, enum tech_plane plane, double length_um,
                                double slack);
// A D flip-flop of 5 NAND2 and 1 NAND3. energy_j is of a clock with data that switch half of the
// time; `clock_j` of a clock edge pair alone.
struct block circuit_dff(const struct tech *t, double *clock_j);
// Storage of few, wide entries as flip-flops (queues, tables): energy_j is of writing
// `written_bits`.
struct block circuit_queue(const struct tech *t, double bits, double written_bits);
// Matrix crossbar of tri-states; energy_j moves `width` bits from one input to one output.
struct block circuit_crossbar(const struct tech *t, unsigned inputs, unsigned outputs,
                              unsigned width);
// Chooses one of `requests` in a tree of four-input cells; energy_j a choice.
struct block circuit_selector(const struct tech *t, unsigned requests);

#endif
