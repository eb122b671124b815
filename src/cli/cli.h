// The warpwatt command: one file a subcommand, one table of them in main.c.
#ifndef WW_CLI_H
#define WW_CLI_H

#include <sys/resource.h>

#include "power/power_gpu.h"
#include "report/account.h"
#include "report/report.h"
#include "report/session.h"

struct cli {
    struct arena arena;
    struct diags diags;
    const char *exe_dir; // folder of the running program
    bool colour;         // of stdout
};

// name, function, "synopsis", "one line"
#define CLI_COMMANDS(X)                                                                            \
    X("run", cmd_run, "[options] WORKLOAD | -- PROGRAM [ARGS] | KERNEL.ptx --entry NAME ...",      \
      "run a workload, a program or a bare kernel")                                                \
    X("power", cmd_power, "[-g GPU] [-s KEY=VALUE] [-o DIR] [--json] ACTIVITY",                    \
      "the power model alone, on any simulator's activity file")                                   \
    X("chip", cmd_chip, "[-g GPU] [-s KEY=VALUE]... [--depth N] [--json]",                         \
      "area, leakage and peak power of a GPU, part by part; no program runs")                      \
    X("dvfs", cmd_dvfs, "[-g GPU] [--clock LIST] [--vdd LIST] [-j N] [-o DIR] WORKLOAD | ...",     \
      "time and energy of a workload over clock and voltage")                                      \
    X("gpus", cmd_gpus, "[NAME] [--keys]", "GPUs there are, or one GPU's whole configuration")     \
    X("workloads", cmd_workloads, "[NAME [--run [--size SIZE]]]",                                  \
      "workloads there are, or one's page")                                                        \
    X("savings", cmd_savings, "[NAME] [--mechanisms]",                                             \
      "energy-saving techniques there are, or one's page")                                         \
    X("studies", cmd_studies, "", "published studies there are")                                   \
    X("study", cmd_study, "[options] NAME | FILE.yaml",                                            \
      "run a study, compare with what was published, write tables, figures and a page")            \
    X("compare", cmd_compare, "[options] -p A,B,... | -c NAME:KEY=VALUE,... WORKLOAD...",          \
      "workloads on several configurations, side by side")                                         \
    X("disasm", cmd_disasm, "[-g GPU] [--entry NAME] [--summary] KERNEL.ptx",                      \
      "machine code with registers, blocks and reconvergence points")                              \
    X("extract", cmd_extract, "[-o DIR] PROGRAM", "the device code that nvcc put into a program")  \
    X("doctor", cmd_doctor, "[-g GPU] -- PROGRAM",                                                 \
      "what a program needs, and what of it is missing; nothing runs")                             \
    X("bench", cmd_bench, "[--techniques [-g GPU]] [--runs N] [--out FILE]",                       \
      "speed of the simulator on a fixed set of workloads")                                        \
    X("reference", cmd_reference, "counters | stalls | instructions | classes | gpu-keys | power", \
      "reference pages made from the tables of the code")                                          \
    X("help", cmd_help, "[COMMAND]", "this text, or one command's")                                \
    X("version", cmd_version, "", "the version")

#define X(name, function, synopsis, line) int function(struct cli *c, int argc, char **argv);
CLI_COMMANDS(X)
#undef X

// Prints what stands in the diagnostics and answers the exit code of `s`.
int cli_fail(struct cli *c, enum ww_status s);
// Prints `warpwatt: sentence` and answers 2.
int cli_usage(const char *fmt, ...) WW_PRINTF(1, 2);

// The file that a shell would start by that name; the name itself when there is none.
const char *cli_program_path(struct cli *c, const char *name);

// ---- options that several commands share -------------------------------------------------------
struct cli_option {
    const char *name; // "--grid"
    char letter;      // 'g', or 0
    const char *value; // name of its value in the help, or NULL for a flag
    const char *prose;
};
// Steps through argv. Answers the index into `table` and sets *value; -1 for a word (in *value), -2
// at the end (or at `--`), -3 after an error that was printed.
struct cli_args {
    int argc, at;
    char **argv;
    bool after_dashes;
};
int cli_next(struct cli_args *a, const struct cli_option *table, size_t n, const char **value);
void cli_print_options(const struct cli_option *table, size_t n, FILE *out);

// ---- power (power.c) ----------------------------------------------------------------------------
struct power_model {
    struct gpu_config gpu;
    struct power_config config;
    struct power_tree tree;
    bool needed[ACT_N];
};
// A GPU's configuration as the power model sees it. Takes some milliseconds: arrays are laid out by
// search.
enum ww_status power_model_of(const struct gpu_config *gpu, struct diags *d,
                              struct power_model *out);
// The same of a GPU file with overrides; lives in the command's arena.
enum ww_status power_model_load(struct cli *c, const char *gpu, const char *const *overrides,
                                uint32_t n, struct diags *d, struct power_model **out);
enum ww_status power_account_of_run(struct cli *c, const struct power_model *m,
                                    const struct run *run, struct diags *d, struct account *out,
                                    struct activity_file *file);

// ---- running (run.c) ----------------------------------------------------------------------------
struct run_request {
    struct session session;
    bool json, quiet, no_power;
    const struct gpu_config *config; // the session's GPU, overrides applied; NULL: no power
    struct power_model *model;       // run_child makes it while the child simulates
    enum ww_status model_status;
    struct diags model_diags;        // why there is no model
    const char *out_dir;
    const char *record; // --record: keep it there
    const char *title;
    bool is_workload; // its exit code is the check of its results
};
// A name for a temporary file that can be made; there is none yet, for a child that never opens the
// GPU leaves none. NULL with a diagnostic when no file can be made there.
const char *cli_temporary_name(struct cli *c);
// Runs argv as a child on the simulated GPU, which writes the record named in the session; answers
// its wait status, or -1 with a diagnostic.
int run_child(struct cli *c, struct run_request *q, char **argv, struct rusage *usage);
// Shows a finished record and writes the files asked for; answers the exit code.
int run_show(struct cli *c, struct run_request *q, const char *record, int child_status);
// A bare kernel (run_ptx.c).
struct ptx_request {
    const char *path, *entry, *args_file;
    uint32_t grid[3], block[3], shared, launches;
    VEC(const char *) args;
};
enum ww_status ptx_option(struct cli *c, struct ptx_request *p, size_t option, const char *value);
extern const struct cli_option ptx_options[];
extern const size_t ptx_options_n;
enum ww_status run_ptx(struct cli *c, struct run_request *q, struct ptx_request *p,
                       const char *record, bool *checked);

// ---- many runs (study.c, many.c) ----------------------------------------------------------------
struct study_host;
// What the study room must know of this installation; points into c->arena.
enum ww_status study_host_of(struct cli *c, struct study_host *host);
// `run --all`: every workload, as jobs.
struct all_request {
    const char *gpu, *policy, *size, *db;
    const char *const *set;
    uint32_t n_set, processes;
    bool json;
};
int run_all_workloads(struct cli *c, const struct all_request *q);
// The folder of libcuda.so.1, or NULL with a diagnostic (run.c).
const char *run_library_folder(struct cli *c);

// ---- workloads (workloads.c) --------------------------------------------------------------------
struct workload {
    const char *name, *suite, *domain, *summary;
    const char *alias;   // in the papers, where another workload's name differs only in case; NULL
    const char *dir;     // folder with workload.yaml
    const char *program; // host binary, NULL when it was not built
    struct workload_size { const char *name, *args, *note; } *size;
    uint32_t n_sizes;
    const char *const *kernel;
    uint32_t n_kernels;
};
enum ww_status workloads_list(struct cli *c, struct workload **list, uint32_t *n);
bool workload_is(const struct workload *w, const char *name); // by its name or its alias

// ---- what was measured of them (pages.c) --------------------------------------------------------
// Thread instructions at a size ("2.1 M"), or NULL when nobody measured them.
const char *pages_instructions(struct cli *c, const struct workload *w, const char *size);
// Instruction mix, warps, lanes, kernels, caches, and published values beside ours.
void pages_print(struct cli *c, const struct workload *w);

#endif
