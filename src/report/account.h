// The energy account of a run: activity of its kernels against the power model's tree, and how it
// is shown. Everything adds up: components to their parents, intervals to their kernel, kernels and
// the gaps between them to the run.
//
// Gaps are the time in which no kernel ran: copies, launches, a host that thinks. A chip that waits
// draws its static power and its clock: the gap's activity is its cycles, all SMs idle, and the
// bursts of memory that copies moved (their requests and activations have no counter and are left
// out). Each copy's part of the gaps' time and energy: steps.c.
#ifndef WW_ACCOUNT_H
#define WW_ACCOUNT_H

#include "power/power.h"
#include "report/activity_file.h"
#include "report/report.h"

struct account_kernel {
    const struct activity_kernel *kernel;
    struct power_usage usage;
};

// The board's power limit. A run that would have drawn more at the clock that was asked for has
// another.
struct account_limit {
    double watts; // 0: there is none, or it was switched off
    double mhz;   // of the run
    double least_mhz; // that the limit does not go below
    // At the clock that was asked for; asked_mhz 0: the run has that one.
    double asked_mhz, asked_w, asked_seconds;
    uint64_t asked_over, launches; // launches that alone would draw more there, of how many
};

struct account {
    const char *gpu;
    const struct power_tree *tree;
    const struct activity_file *file;
    double core_hz;
    unsigned sms;
    struct account_kernel *kernel; // one a launch
    uint32_t n;
    struct power_usage kernels, gaps, run; // gaps.seconds may be 0; run = kernels + gaps
    struct power_usage copied; // of gaps, the energy of the bytes that copies moved, without time
    double copy_write_j, copy_read_j;      // of it, of a byte that a copy wrote and read
    double basis_j[POWER_BASES];           // of kernels
    double cycles, warp_instructions, thread_instructions; // of kernels
    struct account_limit limit;
    double supply_v, supply_mhz; // the supply follows a changed core clock; 0: it is the file's
    bool overlapped; // some kernels' energy is shared out of a total that counts everything once
};

// Counters that cost energy somewhere in the tree, and the cycles that tell the time.
void account_needs(const struct power_tree *tree, bool needed[ACT_N]);
// Counters of a run whose kernels overlap, everything once, with SMs without work, which are not in
// a device's totals.
void account_once(const struct account *a, struct activity *once);
enum ww_status account_make(struct arena *a, const char *gpu, const struct power_config *c,
                            const struct power_tree *tree, const struct activity_file *file,
                            struct diags *d, struct account *out);

// The rows that a person looks at first: parts of the SM, of the chip, of the board. Together they
// are the whole tree. Answers how many; at most POWER_MAX_COMPONENTS.
struct account_group {
    int component;
    const char *section; // "SM", "chip", "board"
    bool own;            // only the component's own figures (an inner node with some)
};
uint32_t account_groups(const struct power_tree *tree,
                        struct account_group out[POWER_MAX_COMPONENTS]);
double account_group_dynamic(const struct account_group *g, const struct power_usage *u);
double account_group_static(const struct account_group *g, const struct power_usage *u);

// What the header of a run's record says of the limit, behind what the GPU's configuration says.
void account_limit_of(struct account *a, const json_t *header);
// A sentence about the limit; NULL where it changed nothing and holds.
const char *account_limit_text(const struct account *a, char *text, size_t size);

// Power of interval `i` of a kernel; false when it has no time.
bool account_interval(const struct account *a, const struct activity_kernel *k, uint32_t i,
                      struct power_usage *out);

// ---- for people: account_table.c
// The end of a run: totals, main groups with their share, what the numbers rest on.
void account_print(const struct account *a, bool colour, FILE *out);
// The whole tree, and the kernels.
void account_print_tree(const struct account *a, bool colour, FILE *out);

// What techniques saved, cost and could have saved (power/effect.h), of all kernels; nothing
// when no technique ran. savings_table.c
void account_print_savings(const struct account *a, bool colour, FILE *out);
json_t *account_savings_json(const struct account *a); // new reference, NULL: no technique

// ---- for programs: account_files.c
json_t *account_json(const struct account *a, bool kernels); // new reference
// {name: [own dynamic J, own static J]} of the components that spent anything, which add up to the
// total. New reference.
json_t *account_own_json(const struct power_tree *t, const struct power_usage *u);
void account_csv(const struct account *a, FILE *f);          // per kernel and component
// Per interval and group.
void account_intervals_csv(const struct account *a, FILE *f);
// power.json, power.csv and, where there are intervals, power-intervals.csv.
enum ww_status account_write(const struct account *a, const char *dir, struct diags *d);

#endif
