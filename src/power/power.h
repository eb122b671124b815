// The power model: configuration in, a tree of components out; activity in, watts out. It needs no
// simulator: any source of counters of activity.def will do.
#ifndef WW_POWER_POWER_H
#define WW_POWER_POWER_H

#include "activity/activity.h"
#include "power/array.h"
#include "power/dram.h"

struct power_cache {                             // bytes 0: none
    unsigned bytes, line_bytes, ways, out_bytes; // out_bytes 0: the line
};

// What the model must know of a chip. Numbers are of one SM, slice or channel where they say so.
struct power_config {
    const char *name;
    double node_nm, vdd_v, temperature_k; // vdd 0: nominal
    enum tech_type device;
    bool long_channel; // devices off the critical path leak less (McPAT's shares)
    double core_hz, hot_hz, net_hz, l2_hz, dram_hz;
    double other_mm2;         // declared: what the chip has beside compute
    double other_w;           // declared: dynamic power of it that is always drawn
    double other_logic_share; // of it, declared: leaks as core logic does; the rest (pads,
                              // decoupling, high-threshold devices) not at all
    // SM
    unsigned sms, max_warps, schedulers, instruction_bits, ibuffer_entries, scoreboard_entries;
    unsigned registers, rf_banks, collectors;
    unsigned int_lanes, fp_lanes, sfu_lanes, dp_lanes;
    bool int_fp_shared_issue; // a lane does one of the two at a time: peak counts the larger
    unsigned agu_lanes, lsu_queue, shared_banks;
    unsigned shared_bytes;    // the banked array: shared memory and, where it is there, L1
    unsigned pipeline_stages; // of execution: registers that the clock always reaches
    struct power_cache icache, l1, constant, texture; // l1: tags only, its data lie in the array
    // chip
    unsigned partitions, l2_slices, flit_bytes;
    bool mesh;                         // routers instead of two crossbars
    unsigned router_vcs, router_depth; // mesh: virtual channels a port, flits each
    struct power_cache l2;             // a slice
    unsigned channels, channel_bits, mc_queue;
    unsigned pcie_lanes;
    double idle_clock_share; // of an SM's clock power that an SM without work still draws
    // board
    const struct dram_device *dram; // NULL: no board
    unsigned dram_devices_a_channel;
    double regulator_loss; // share of what it delivers
    double board_w;        // declared: fan, oscillators, display
};

// How far a component can be believed.
enum power_basis {
    POWER_ANALYTIC,  // from devices and geometry
    POWER_EMPIRICAL, // published or measured numbers, scaled
    POWER_ASSUMED,   // a declared number or size
    POWER_BASES
};

enum { POWER_MAX_COMPONENTS = 64, POWER_MAX_EVENTS = 192 };

struct power_component {
    const char *name, *prose;
    enum power_basis basis;
    int parent;     // -1: the root
    unsigned count; // in the whole machine; the figures below are of all of them
    // own figures, and with everything below it
    double area_mm2, leak_sub_w, leak_gate_w, constant_w, peak_w;
    double all_area_mm2, all_leak_sub_w, all_leak_gate_w, all_constant_w, all_peak_w;
};

// `n` counters from `act` on, each count of which costs `energy_j` in a component.
struct power_event {
    int component;
    uint32_t act, n;
    double energy_j, peak_per_s; // counts a second at most, over the machine
};

struct power_tree {
    struct power_component component[POWER_MAX_COMPONENTS]; // parents before children
    int components;
    struct power_event event[POWER_MAX_EVENTS];
    int events;
    int regulator; // component, or -1
    double regulator_loss;
};

struct power_usage {
    double dynamic_j[POWER_MAX_COMPONENTS], static_j[POWER_MAX_COMPONENTS]; // own
    double all_dynamic_j[POWER_MAX_COMPONENTS], all_static_j[POWER_MAX_COMPONENTS];
    double seconds, energy_j, power_w; // of the root
};

enum ww_status power_build(const struct power_config *c, struct power_tree *tree, struct diags *d);
// Energy by component over `seconds`. Refuses a time that is not positive and finite.
enum ww_status power_run(const struct power_tree *tree, const struct activity *a, double seconds,
                         struct power_usage *out, struct diags *d);
int power_find(const struct power_tree *tree, const char *name); // component, or -1
// What one count of a counter costs in all components, without the regulator's loss.
double power_event_energy(const struct power_tree *tree, uint32_t act);
// Energy of a run by what it rests on; adds up to usage->energy_j.
void power_by_basis(const struct power_tree *tree, const struct power_usage *usage,
                    double energy_j[POWER_BASES]);
const char *power_basis_name(enum power_basis basis);

#endif
