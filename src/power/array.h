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
    unsigned rw_ports, read_ports, write_ports;
    unsigned banks; // equal, independent parts of `entries` each; 0 is 1. The way to a bank is not
                    // part of the array (it is a crossbar that the owner builds).
    struct array_goal goal; // all zero: equal weights
};

struct array {
    double area_mm2;
    double read_j, write_j, search_j; // one access of one bank
    double leak_sub_w, leak_gate_w;   // all banks
    double delay_s, cycle_s;
    unsigned rows, columns;    // of a sub-array (of data)
    unsigned ndwl, ndbl, nspd; // word-line and bit-line divisions, words a row
};

enum ww_status array_build(const struct tech *t, const struct array_config *c, struct array *out,
                           struct diags *d);

// The static power of one six-transistor cell.
void array_cell_leak(const struct tech *t, const struct array_config *c, double *sub_w,
                     double *gate_w);

#endif
