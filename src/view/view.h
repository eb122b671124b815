// What a person looks at after a run: one page, index.html, that opens from a file, offline.
//
//   blame_*  (blame.c, blame.def): who caused each joule: machine instruction by machine
//   instruction view_*   (data.c): the content of the page as JSON, from the record and the account
//   of a run peak_*   (peak.c): how near each kernel ran to each limit of the machine; the roofs
//   machine_* (machine.c, machine.def): the machine's places and what moved between them
//   what_if_* (what_if.c): the same counts at another supply, temperature, node or price
//   technique_* (technique.c, technique.def): the states of what a technique switches, and what it saved where
//   advice_* (advice.c): findings by rule, each with its evidence and what it is worth
//   page_*   (page.c): the page itself, from a template, a script and the chart library
//   database_* (database.c): results.sqlite, the same for programs
//
// Nothing here simulates: the same page comes from kept results (`warpwatt report`).
#ifndef WW_VIEW_H
#define WW_VIEW_H

#include "activity/stall.h"
#include "gpu/config.h"
#include "power/effect.h"
#include "report/account.h"
#include "report/report.h"
#include "sm/result.h"

// ---- a run, as the page needs it ----------------------------------------------------------------
struct probe; // report/probe.h
struct view_input {
    const char *title;            // workload, kernel or program
    const char *name;             // what tells it from other runs on the page, or NULL
    const struct run *run;        // its record
    const struct gpu_config *gpu; // that it ran on
    const struct account *power;  // NULL: none
    const char *no_power;         // why there is none, a sentence, or NULL
    const struct probe *probe;    // its sampled waveform; NULL: none
    const char *unfinished;       // how it was left before its end, a sentence, or NULL
    int check;                    // as table_options.check
};

// ---- who caused the joules ----------------------------------------------------------------------
// One machine instruction, over all launches of its kernel that counted by instruction.
struct view_inst {
    const char *text;
    uint32_t pc, ptx_line, src_line, src_file;
    uint8_t klass, reads, writes; // enum op_class; register rows an issue reads and writes
    uint8_t address;              // of the rows read those of an address
    uint64_t issues, lanes, stall[STALL_N];
    struct sm_inst_memory memory; // all 0: not counted, or it asked for nothing
    double dynamic_j, static_j; // the energy that is its; see blame.def
};
// One kernel's machine code with its counts and energies.
struct view_code {
    const char *kernel, *module;
    const json_t *source; // the record's "code" line, or NULL
    struct view_inst *inst;
    uint32_t n;
    uint64_t launches;
    double seconds;
    double dynamic_j, static_j; // of these launches
    double idle_j; // of it what no instruction owns: slots without a warp, SMs without a CTA
};
struct view_codes {
    struct view_code *at;
    uint32_t n;
    double uncounted_j; // of launches that did not count by instruction (folded ones)
};
// Adds up, over all launches, what each machine instruction issued, waited and cost. Dynamic energy
// goes to the instructions that caused the counts it is made of (blame.def), static energy by issue
// slots: to the instruction that used a slot or that the slot waited for. Instructions, idle_j and
// uncounted_j add up to the energy of the kernels.
struct view_codes blame_run(struct arena *a, const struct view_input *in);

// ---- limits of the machine ----------------------------------------------------------------------
struct peak_limit {
    const char *name; // "issue", "INT", "DRAM"
    double share;     // of its peak, 0..1; NAN: the machine has none
};
enum { PEAK_LIMITS = 16 };
// How near to each limit a kernel ran; answers how many.
uint32_t peak_limits(const struct gpu_config *c, const struct activity *a,
                     struct peak_limit out[PEAK_LIMITS]);
// Command clocks of all channels while the kernels ran.
double peak_dram_clocks(const struct gpu_config *c, const struct activity *a);
// Arithmetic operations of lanes (a multiply-add is two), and bytes at a level.
double peak_operations(const struct activity *a);
enum peak_level { PEAK_SHARED, PEAK_L1, PEAK_L2, PEAK_DRAM, PEAK_LEVELS };
const char *peak_level_name(enum peak_level level);
double peak_bytes(const struct gpu_config *c, const struct activity *a, enum peak_level level);
double peak_bytes_per_s(const struct gpu_config *c, enum peak_level level);
double peak_operations_per_s(const struct gpu_config *c);

// ---- the machine and what moved in it ------------------------------------------------------------
// Its places with the components of the energy tree that are theirs, each component in one of them:
// [{name, title, row, components}]. New reference.
json_t *machine_places_json(const struct power_tree *t);
// The place of each component, a number in that list; answers how many places there are.
unsigned machine_places(const struct power_tree *t, unsigned place[POWER_MAX_COMPONENTS]);
// {paths: [{above, below, bytes | up_bytes and down_bytes}], hits: {place: share of its look-ups,
// 0..1; of DRAM its row hits, of the network its TLBs'}}. New reference.
json_t *machine_traffic_json(const struct gpu_config *c, const struct activity *a);

// ---- another supply, temperature, node, clock or price -------------------------------------------
// The energies of the kernels' counts at other points of the model (docs/results.md), or NULL: the
// run has no power. New reference.
json_t *what_if_json(struct arena *a, const struct view_input *in);

// ---- techniques ------------------------------------------------------------------------------------
enum { VIEW_DOMAINS = 48 };
struct view_technique { // what a run shows of its technique
    bool is;            // it has any
    uint32_t domain[VIEW_DOMAINS], domains;   // rows of technique.def
    uint32_t line[POWER_MAX_LINES], lines;    // of the savings table
};
// {domains: [{key, title, unit, prose, states, total}], lines: [{name, saved_j, spent_j}], effects: [{component, line, saves,
// leakage, joules, counter, price, why, by}]} over the kernels of the run. New reference; NULL: no technique counted.
json_t *technique_json(const struct view_input *in, struct view_technique *t);
// The same of an interval: {states: [of each domain its states' counts], net_j: [of each line]}. New reference.
json_t *technique_interval_json(const struct account *p, const struct view_technique *t,
                                const struct activity *a, double seconds);

// ---- findings -----------------------------------------------------------------------------------
json_t *advice_json(const struct view_input *in, const struct view_codes *codes); // new reference

// ---- the page -----------------------------------------------------------------------------------
// The content of the page (docs/results.md describes it). New reference.
json_t *view_json(struct arena *a, const struct view_input *in);
// Writes the page of one run, of two beside each other (the second is the base of the changes), or
// of more, of which the page lets any two be chosen. `folder` holds run.html, run.js and
// chart.min.js.
enum ww_status page_write_runs(struct arena *a, const struct view_input *in, uint32_t n,
                               const char *folder, const char *path, struct diags *d);

// ---- for programs -------------------------------------------------------------------------------
// results.sqlite: runs, launches, counters, components, instructions, lines, intervals.
enum ww_status database_write(struct arena *a, const struct view_input *in, const char *path,
                              struct diags *d);

#endif
