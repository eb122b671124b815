// The power model: configuration in, a tree of components out; activity in, watts out. It needs no
// simulator: any source of such counters will do.
#ifndef WW_POWER_POWER_H
#define WW_POWER_POWER_H

#include "activity/activity.h"
#include "power/array.h"
#include "power/dram.h"
#include "power/rows.h"

struct power_cache {                             // bytes 0: none
    unsigned bytes, line_bytes, ways, out_bytes; // out_bytes 0: the line
    unsigned sector_bytes;      // that a fill or a write-back moves at least; 0: 32
    unsigned word_parts;        // of a divided word line of the data; 0: one line
    unsigned mshrs, mshr_merge; // miss registers and requests each gathers; 0: none
};

// What the model must know of a chip (config.def).
struct power_config {
    const char *name;
#define FIELD(type, name, ...) type name;
#define KEY(type, name, ...)   type name;
#define CACHE(name, ...)       struct power_cache name;
#include "power/config.def"
    // no keys: techniques for stored data
    // Of a divided word line of each of a bank's eight RAMs, where a technique divides them; 0: one
    // a lane.
    unsigned rf_word_parts;
};
// Keys of a GPU file that each field depends on ('|' between, the first is blamed). The last has no
// name.
struct power_key {
    const char *field, *keys;
};
extern const struct power_key power_keys[];

// How far a component can be believed.
enum power_basis {
    POWER_ANALYTIC,  // from devices and geometry
    POWER_EMPIRICAL, // published or measured numbers, scaled
    POWER_ASSUMED,   // a declared number or size
    POWER_FITTED,    // a number fitted to a real chip; the GPU file says which and to what
    POWER_BASES
};

enum { POWER_MAX_COMPONENTS = 80, POWER_MAX_EVENTS = 256 };

struct power_component {
    const char *name, *prose, *formula; // of parts.def
    enum power_basis basis;
    int part;       // row of parts.def
    int parent;     // -1: the root
    unsigned count; // in the whole machine; the figures below are of all of them
    // own figures, and with everything below it
    double area_mm2, leak_sub_w, leak_gate_w, constant_w, peak_w;
    double cell_w, cell_drowsy_w;       // of the leakage, the storage cells': at the supply, retained
    double cell_gate_w, cell_drowsy_gate_w; // of these, the current through gates
    double wake_off_j, wake_drowsy_j;   // to charge all cells from nothing, from the retention supply
    double word_gates_w;                // registers: what dividing word lines adds to the leakage
    double word_gates_gate_w;           // of that, the current through gates
    double word_gates_mm2;              // what dividing word lines adds to the area
    double split_mm2;                   // registers: what two partitions (of 1/8 and 7/8) add to it
    double cells;                       // bits of storage
    double all_area_mm2, all_leak_sub_w, all_leak_gate_w, all_constant_w, all_peak_w;
};

// `n` counters from `act` on, each count of which costs `energy_j` in a component.
struct power_event {
    int component;
    uint32_t act, n;
    double energy_j, peak_per_s; // counts a second at most, over the machine
    bool is_static;      // counts time: not dynamic energy
    double word_part_j;  // of energy_j, a part of a divided word line; 0: undivided
    double word_gates_j; // what dividing the line adds to energy_j
    double front_j;      // of energy_j, what is for the SM's front end
    struct power_data {
        double share, bits_a_word; // of energy_j, goes with data; 0: none
        uint32_t words, bits;      // counters: words of that many bits, bits of them that changed
    } data;
};
// Of the wires of data, the share that the model takes to change where no run counted them.
#define POWER_BITS_CHANGE 0.5
// What an event's energy is multiplied with for the bits that changed; 1 where none were counted.
double power_data_factor(const struct power_data *p, const struct activity *a);

struct power_tree {
    struct power_component component[POWER_MAX_COMPONENTS]; // parents before children
    int components;
    struct power_event event[POWER_MAX_EVENTS];
    int events;
    unsigned sms, lane_groups; // the latter of INT and FP lanes, in an SM
    double parts[SAVINGS_PERS]; // how many of each of what techniques switch one by one
    struct tech tech; // of tables that techniques add
    double core_hz;
    // A register file in two partitions, or all near threshold, over the undivided one: an access
    // of the fast partition, there in low mode, of the slow one, of a file that is all slow; a pair
    // of rows that change places, over an access; leakage of both partitions, of the slow file.
    struct power_rf_parts {
        double access[4], swap, leak[2];
    } rf_parts;
    double rf_arrays; // that a row of the register file is spread over
    // A register-file cache: an access of it over one of a bank, its leakage over that of the
    // banks, by the same array model; a comparison of a warp's tags, in joules. 0: there is none.
    struct power_rfc {
        double read_share, write_share, leak_share, tags_j, mm2;
    } rfc;
    int regulator; // component, or -1
    double regulator_loss, peak_duty;
    int rest;           // component, or -1
    double rest_more_w; // that it would leak beyond its leakage if all of it did as logic does
    int sm;             // component
    double front_control; // of sm_control, what belongs to the front end
    bool fitted_here;   // constants are fitted to this chip (unsure.h)
    double idle_gate;   // of an SM's leakage, saved while it holds no work
    struct power_rows rows; // of techniques (effect.h)
};

struct power_usage {
    double dynamic_j[POWER_MAX_COMPONENTS], static_j[POWER_MAX_COMPONENTS]; // own
    double all_dynamic_j[POWER_MAX_COMPONENTS], all_static_j[POWER_MAX_COMPONENTS];
    // Of static energy, what leaks below the threshold and through gates (tech.def: ioff, ig); the
    // rest is constant: declared powers, background of memory, losses.
    double leak_sub_j[POWER_MAX_COMPONENTS], leak_gate_j[POWER_MAX_COMPONENTS];
    double all_leak_sub_j[POWER_MAX_COMPONENTS], all_leak_gate_j[POWER_MAX_COMPONENTS];
    double seconds, energy_j, power_w; // of the root
    double gated_j;                    // not leaked by SMs without work; not in the above
};

// Of a component with everything below it, static energy that is no leakage.
static inline double power_constant_j(const struct power_usage *u, int component) {
    return u->all_static_j[component] - u->all_leak_sub_j[component] -
           u->all_leak_gate_j[component];
}

// Checks numbers against the model's range. Answers NULL, or the name of the field that is outside
// ("node_nm", "rf_banks") with a sentence.
const char *power_check(const struct power_config *c, char *sentence, size_t size);
enum ww_status power_build(const struct power_config *c, struct power_tree *tree, struct diags *d);
// Energy by component over `seconds`. Refuses a time that is not positive and finite.
enum ww_status power_run(const struct power_tree *tree, const struct activity *a, double seconds,
                         struct power_usage *out, struct diags *d);
int power_find(const struct power_tree *tree, const char *name); // component, or -1
// Bytes of a burst of a memory channel, which dram_reads and dram_writes count; 0: no memory.
double power_burst_bytes(const struct power_config *c);
// What one count of a counter costs in all components, without the regulator's loss.
double power_event_energy(const struct power_tree *tree, uint32_t act);
// Energy of a run by what it rests on; adds up to usage->energy_j.
void power_by_basis(const struct power_tree *tree, const struct power_usage *usage,
                    double energy_j[POWER_BASES]);
const char *power_basis_name(enum power_basis basis);

// Families of events that a GPU file may price (cost.def), each a key of its section `power`.
struct power_family {
    const char *field, *prose;
};
enum { POWER_FAMILIES = 16 };
unsigned power_families(struct power_family out[POWER_FAMILIES]);
// What a family costs over the model's own energies, as the configuration has it.
double power_family_cost(const struct power_config *c, const char *field);
// Has every event of a family cost `times` what it cost, and techniques' prices that are made of it.
void power_family_price(struct power_tree *tree, const char *field, double times);

// Share of the SMs' leakage that power gates (idle_gate) keep from SMs without work.
double power_idle_gated(const struct power_tree *tree, const struct activity *a, double seconds);
// Energy of a run if the rest of the die drew nothing, and if all of its area leaked as logic does.
// The rest is fitted: what depends on it lies between these.
void power_rest_bounds(const struct power_tree *tree, const struct power_usage *usage,
                       double energy_j[2]);

// What the whole board can draw, as a vendor's thermal design power is meant: static power at
// limit_k and peak_duty of all peaks at once.
enum ww_status power_peak(const struct power_config *c, double *watts, struct diags *d);
// Static power of the whole board: leakage at temperature_k, memory's background, constants.
double power_still(const struct power_tree *tree, int component);

// Units. A lane, a bank, a slice: figures of a component are of all `count`; of `n` of them:
double power_units_leak_w(const struct power_tree *tree, int component, unsigned n);
// Integer ("int") or floating-point ("fp") lanes of one lane group, over the whole machine.
unsigned power_lane_group_lanes(const struct power_config *c, const char *name);

// The table of components (parts.def), for pages that describe the model.
struct power_part {
    const char *name, *parent; // parent NULL: the root
    enum power_basis basis;
    const char *prose, *formula;
};
extern const struct power_part power_parts[];
extern const unsigned power_parts_n;
// Why a counter costs nothing (free.def); NULL: some component charges it. `act` is the first of
// the counter's entries.
const char *power_free_reason(uint32_t act);

#endif
