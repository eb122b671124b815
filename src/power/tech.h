// A technology point: one node, one device type, one supply, one temperature, with all that the
// circuit models ask of it. Nodes 90 to 4 nm from the table in tech.def; nodes between two rows are
// interpolated linearly, currents by the logarithm in temperature. Outside the tables the model
// refuses. 16 to 4 nm (FinFET, high performance only) are made of projections and of the same
// vendor's published dies, for want of a foundry's table.
#ifndef WW_POWER_TECH_H
#define WW_POWER_TECH_H

#include "base/base.h"

enum tech_type { TECH_HP, TECH_LSTP, TECH_LOP, TECH_TYPES };
enum tech_plane { TECH_LOCAL, TECH_SEMIGLOBAL, TECH_GLOBAL, TECH_PLANES };

struct tech_wire {
    double pitch_um, r, c; // ohm/um, F/um
};

// One row of tech.def.
struct tech_row {
    double node_nm;
    double f_nm; // feature size that layouts go with; 0: node_nm
    enum tech_type type;
    double vdd_v, vth_v;
    double cg_ideal, cfringe, coverlap; // F/um of width
    double cj, cjsw;                    // F/um2, F/um
    double ion;                         // A/um
    double rn, rp;                      // ohm um
    double beta, alpha;                 // P to N width; power law of the drive current
    double long_channel;                // leakage of a long-channel device, as a share
    double logic_scale;                 // area of logic, 90 nm = 1
    double gate_density;                // gates a um2 of core logic
    double short_circuit;               // factor on logic's dynamic energy
    double sense_delay_s, sense_energy_j;
    double ioff[11], ig[11];                                       // A/um at 300, 310 ... 400 K
    struct tech_wire wire[TECH_PLANES], conservative[TECH_PLANES]; // ITRS's aggressive projection
};

// The row brought to a supply and a temperature. `f_um` is the feature size.
struct tech {
    struct tech_row row; // interpolated between nodes; its vdd_v is the nominal supply, its f_nm set
    double f_um, vdd_v, temperature_k;
    double cg;       // F/um: ideal + overlap + 3 fringe
    double rn, rp;   // ohm um at this supply
    double ioff, ig; // A/um at this supply and temperature
};

const char *tech_type_name(enum tech_type type);

// vdd_v 0 is the node's nominal supply. Refuses, with a sentence, a node outside 12..90 nm, a
// temperature outside 300..400 K, a supply below vth + 0.1 V or above 1.3 times nominal.
enum ww_status tech_init(struct tech *t, double node_nm, enum tech_type type, double vdd_v,
                         double temperature_k, struct diags *d);

// Sub-threshold and gate current of a device of `t` held at another supply, as shares of those at
// t's own: for cells that keep their data at a retention (drowsy) supply, below what tech_init
// takes for switching. Any supply from 0 up to 1.3 times nominal.
void tech_leak_at(const struct tech *t, double vdd_v, double *sub, double *gate);

// Takes ITRS's conservative projection of wires in place of the aggressive one: thicker barriers,
// no better dielectric; resistance is 1.6 to 2.1 times as much.
void tech_conservative_wires(struct tech *t);

// The clock that the same logic reaches at this supply, as a share of the nominal supply's: one
// over the resistance of its transistors, wires apart.
static inline double tech_speed(const struct tech *t) { return t->row.rn / t->rn; }

#endif
