// Regular storage: RAMs, caches, CAMs, register-file banks; from cell to pins.
#ifndef WW_POWER_ARRAY_H
#define WW_POWER_ARRAY_H

#include "power/circuit.h"

enum array_kind { ARRAY_RAM, ARRAY_CACHE, ARRAY_CAM };

// What the search for a partition minimises: the weighted sum of each figure over its best.
struct array_goal {
    double delay, energy, leak, area;
};

struct array_config {
    enum array_kind kind;
    unsigned entries;  // words; of a cache: lines
    unsigned bits;     // of a word; of a cache: of a line
    unsigned out_bits; // cache: bits that leave in an access (0: the line)
    unsigned ways;     // cache
    unsigned tag_bits; // cache and CAM
    bool sequential;   // cache: data of the hit way only, after the tags
    bool ecc;          // a check bit beside each 8 bits of data
    unsigned rw_ports, read_ports, write_ports;
    unsigned banks; // equal, independent parts of `entries` each; 0 is 1. The way to a bank is not
                    // part of the array (it is a crossbar that the owner builds).
    // A divided word line: a row's line drives a gate a part, and only the parts that an access
    // needs rise; 0: one line. Of a cache: its data.
    unsigned word_parts;
    // Declared static current of a one-port cell, A, at the node's nominal supply and 300 K, for a
    // process whose devices leak otherwise than the table's: all devices of the array are scaled
    // alike. 0: the table's.
    double cell_leak_a;
    // Declared static power of a bank, W, at nominal supply and 300 K: what it has beyond its cells
    // is its periphery's, moved with supply and temperature as computed. 0: computed.
    double bank_leak_w;
    double activity;        // share of data lines charged in a transfer; 0: one half
    struct array_goal goal; // all zero: equal weights
    bool port_in_middle;    // the tree ends in the middle of the bank, as CACTI's; else at an edge
    // A partition to take without a search (of a cache: for its data); all zero: search. ndcm:
    // words before a sense amplifier, at most nspd.
    unsigned ndwl, ndbl, nspd, ndcm;
};

struct array {
    double area_mm2;
    double read_j, write_j, search_j; // one access of one bank
    // Divided word line: what each part that rises adds. An access of n of the word_parts parts
    // costs read_j - (word_parts - n) part_read_j. 0 without.
    double part_read_j, part_write_j;
    double leak_sub_w, leak_gate_w; // all banks
    double cell_sub_w, cell_gate_w; // of that, the cells: what a retention supply lowers
    double delay_s, cycle_s;
    double word_line_s;              // of delay_s: the word line with its last driver chain
    double width_um, height_um;      // of a bank (of data)
    unsigned rows, columns;          // of a sub-array (of data)
    unsigned ndwl, ndbl, nspd, ndcm; // word-line and bit-line divisions, words a row and a sense
};

enum ww_status array_build(const struct tech *t, const struct array_config *c, struct array *out,
                           struct diags *d);

// The static power of one six-transistor cell.
void array_cell_leak(const struct tech *t, const struct array_config *c, double *sub_w,
                     double *gate_w);

// Static power of an array of which the share `drowsy` of the cells is held at `cell_v` and the
// share `off` at no supply; decoders, sense amplifiers and wires stay on. Shares of 0 to 1, in sum
// at most 1; cell_v from 0 to 1.3 times nominal. Whether the cells keep their data at cell_v is the
// caller's concern (declared.def has retention voltages).
double array_static_w(const struct tech *t, const struct array *a, double drowsy, double cell_v,
                      double off);

// Energy from the supply to bring one cell from `from_v` (0: off) up to t's supply: its inverters'
// drains and gates and the sources of its P devices. The header's own gate is left out.
double array_cell_wake_j(const struct tech *t, double from_v);

// Area of a switch between a supply and `bits` cells of one port: a device of `share` of the width of
// theirs, in fingers of a contacted pitch of 3 F.
double array_switch_mm2(const struct tech *t, double bits, double share);

// Time from the row's decoder gate to the far cell for a line over `columns` cells of one port, in
// `parts` equal parts (1: undivided). A divided line: a global line in the semi-global plane, a
// gate and a driver a part, the part's line in the local plane.
double array_word_line_s(const struct tech *t, unsigned columns, unsigned parts);

// How each kind is modelled, for a reference page.
extern const char array_prose[], array_cache_prose[], array_cam_prose[], array_word_parts_prose[];

#endif
