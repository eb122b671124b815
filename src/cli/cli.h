// The warpwatt command: one file a subcommand, one table of them here. Each subcommand describes
// its words and options in one `struct cli_spec`; parsing, help, man pages and shell completion all
// come from it.
#ifndef WW_CLI_H
#define WW_CLI_H

#include <sys/resource.h>

#include "power/power_gpu.h"
#include "report/account.h"
#include "report/probe.h"
#include "report/report.h"
#include "report/session.h"
#include "study/study.h"

struct cli_spec;

struct cli {
    struct arena arena;
    struct diags diags;
    const char *exe_dir; // folder of the running program
    bool colour;         // of stdout
};

// name, identifier (cmd_run, spec_run), "one line"
#define CLI_COMMANDS(X)                                                                            \
    X("run", run, "run a workload, a program or a bare kernel")                                    \
    X("power", power, "the power model alone, on any simulator's activity file")                   \
    X("report", report, "the page of a run, or of several beside each other, from kept results")       \
    X("chip", chip, "area, leakage and peak power of a GPU, part by part; no program runs")        \
    X("dvfs", dvfs, "time and energy of a workload over clock and voltage")                        \
    X("gpus", gpus, "GPUs there are, or one GPU's whole configuration")                            \
    X("workloads", workloads, "workloads there are, or one's page")                                \
    X("savings", savings, "energy-saving techniques there are, or one's page")                     \
    X("studies", studies, "published studies there are")                                           \
    X("study", study,                                                                              \
      "run a study, compare with what was published, write tables, figures and a page")            \
    X("compare", compare, "workloads on several configurations, side by side")                     \
    X("disasm", disasm, "machine code with registers, blocks and reconvergence points")            \
    X("occupancy", occupancy, "warps that an SM holds of a kernel, and what limits them; nothing runs") \
    X("extract", extract, "the device code that nvcc put into a program")                          \
    X("doctor", doctor, "what a program needs, and what of it is missing; nothing runs")           \
    X("bench", bench, "speed of the simulator on a fixed set of workloads")                        \
    X("new", new, "the files of a recipe: a technique with its mechanism and test, or a GPU")        \
    X("reference", reference, "reference pages made from the tables of the code")                  \
    X("sweep", sweep, "a design space: runs its points, shows the front of time, energy and area") \
    X("worker", worker, "what an array element of a cluster runs")                                 \
    X("manual", manual, "man pages made from the tables of the command line")                      \
    X("completion", completion, "what a shell reads to complete this command's words")             \
    X("help", help, "this text, or one command's")                                                 \
    X("version", version, "the version and the commit that it was built from")

#define X(name, ident, line)                                                                       \
    int cmd_##ident(struct cli *c, int argc, char **argv);                                         \
    extern const struct cli_spec spec_##ident;
CLI_COMMANDS(X)
#undef X

// Prints what stands in the diagnostics and answers the exit code of `s`.
int cli_fail(struct cli *c, enum ww_status s);
// Prints `warpwatt: sentence` and answers 2.
int cli_usage(const char *fmt, ...) WW_PRINTF(1, 2);

// The file that a shell would start by that name; the name itself when there is none.
const char *cli_program_path(struct cli *c, const char *name);
// The GPU of a program behind `--` when none is named (choose_gpu.c); says so where it is not the usual one.
const char *cli_gpu_of_program(struct cli *c, const char *program);

// ---- options that several commands share --------------------------------------------------------
// What a word or an option's value names: what a shell may complete it with.
enum cli_kind {
    CLI_TEXT, // nothing to complete
    CLI_FILE,
    CLI_FOLDER,
    CLI_GPU,
    CLI_WORKLOAD,
    CLI_TECHNIQUE,
    CLI_STUDY,   // a name of ours, or a file
    CLI_KEY,     // KEY=VALUE of a GPU file
    CLI_CHOICE,  // one of the words of its value text, `a|b|c`
    CLI_COMMAND, // a subcommand
    CLI_PROGRAM  // words behind `--` are a command of their own
};

struct cli_option {
    const char *name;  // "--grid"
    char letter;       // 'g', or 0
    const char *value; // name of its value in the help, or NULL for a flag
    const char *prose;
    enum cli_kind kind; // of its value
};

enum { CLI_MAX_FORMS = 5, CLI_MAX_PARTS = 3 };
struct cli_spec {
    const char *name;
    const char
        *form[CLI_MAX_FORMS]; // ways to call it, without `warpwatt NAME`; [0] is always there
    const char *prose;        // what it does, in lines of a page
    struct cli_part {
        const char *title; // a line above the options; NULL: none
        const struct cli_option *option;
        size_t n;
    } part[CLI_MAX_PARTS];
    const char *notes;   // behind the options, in lines; NULL: none
    enum cli_kind word;  // what its words are
    const char *choices; // of words of kind CLI_CHOICE: `a|b|c`
};
#define CLI_PART(table)                                                                            \
    { .option = (table), .n = WW_COUNT(table) }

// Steps through argv. Answers the index of an option, counted through all parts, and sets *value;
// CLI_WORD for a word (in *value); CLI_END at the end or at `--`; CLI_STOP after --help, which
// was printed, or an error, which was printed too: `code` is then the command's exit code.
enum { CLI_WORD = -1, CLI_END = -2, CLI_STOP = -3 };
struct cli_args {
    int argc, at;
    char **argv;
    bool after_dashes;
    int code;
};
int cli_next(struct cli_args *a, const struct cli_spec *spec, const char **value);
// --json of the commands that list something.
extern const struct cli_option cli_json_option;
// Prints {"format": 1, NAME: value} on standard output; the value stays the caller's.
struct json_t;
void cli_print_json(const char *name, struct json_t *value);
// The page that --help shows.
void cli_print_help(const struct cli_spec *spec, FILE *out);

struct cli_command {
    const char *name;
    int (*run)(struct cli *, int, char **);
    const struct cli_spec *spec;
    const char *line;
};
extern const struct cli_command cli_command[];
extern const size_t cli_command_n;
const struct cli_command *cli_command_find(const char *name); // or NULL

// ---- power (power.c) ----------------------------------------------------------------------------
struct power_model {
    const struct gpu_config *gpu;
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
struct how; // how.h
struct how_again;
struct limit_search; // power/limit.h
struct run_folder;
struct run_request {
    struct session session;
    struct how *how;           // what the run is
    struct how_again *again;   // --again: the run that this one is to be; NULL
    struct run_folder *folder; // of --out; NULL
    bool keeps_record;         // it is no temporary file
    bool json, quiet, no_power, steps;
    const struct gpu_config *config; // the session's GPU, overrides applied; NULL: no power
    struct power_model *model;       // run_child makes it while the child simulates
    enum ww_status model_status;
    struct diags model_diags; // why there is no model
    const char *out_dir;
    const char *record; // --record: keep it there
    const char *trace;  // --trace
    const char *title;
    struct probe_options probe; // --probe; hz 0: none
    bool is_workload; // its exit code is the check of its results
    bool lenient;     // launches and calls that were refused are no failure of the run
    struct limit_search *limit; // of the board's power; NULL: none is to be kept
    bool limit_found;           // its step is the clock to show
    bool is_silent;   // what the run itself prints was printed before, at another clock
    int ended_by;     // signal that run_child was sent and passed on; 0: none
};
// A name for a temporary file that can be made; there is none yet, for a child that never opens the
// GPU leaves none. NULL with a diagnostic when no file can be made there.
const char *cli_temporary_name(struct cli *c);
// The power model of the run's GPU, once.
void run_make_model(struct cli *c, struct run_request *q);
// Runs argv as a child on the simulated GPU, which writes the record named in the session; answers
// its wait status, or -1 with a diagnostic (child.c).
int run_child(struct cli *c, struct run_request *q, char **argv, struct rusage *usage);
// Shows a finished record and writes the files asked for; answers the exit code.
int run_show(struct cli *c, struct run_request *q, const char *record, int child_status);
// A bare kernel (run_ptx.c): of PTX, or of machine code.
bool run_is_kernel_file(const char *path); // by the end of its name
struct ptx_request {
    const char *path, *entry, *args_file;
    uint32_t grid[3], block[3], cluster[3], shared, launches;
    VEC(const char *) args;
    uint32_t waves; // 0: the whole grid runs
};
enum ww_status ptx_option(struct cli *c, struct ptx_request *p, size_t option, const char *value);
enum { PTX_OPTIONS = 9 };
extern const struct cli_option ptx_options[PTX_OPTIONS];
enum ww_status run_ptx(struct cli *c, struct run_request *q, struct ptx_request *p,
                       const char *record, bool *checked);

// ---- the probe of `run` and `report` (probe.c) --------------------------------------------------
#define CLI_PROBE_OPTION                                                                           \
    {                                                                                              \
        "--probe", 0, "RATE",                                                                      \
            "the waveform of the board's supply rails, sampled at this rate (31200Hz), with "      \
            "marks "                                                                               \
            "where kernels begin and end and each one's energy as read off it; behind the rate "   \
            ",seed=N and ,noise=F (times the converter's, 0: none)"                                \
    }
#define CLI_MEASURED_OPTION                                                                        \
    {                                                                                              \
        "--measured", 0, "FILE",                                                                   \
            "with --probe: lay a measured waveform over it, a CSV of time and power", CLI_FILE     \
    }
#define CLI_MEASURED_AT_OPTION                                                                     \
    { "--measured-at", 0, "TIME", "on the clock of --measured, when the run begins (default 0s)" }
// A simulated time, a number and s, ms, us or ns, of the option `name` (options.c).
enum ww_status cli_time(struct cli *c, const char *name, const char *text, uint64_t *ns);
enum ww_status cli_measured_at(struct cli *c, const char *value, struct probe_options *o);
// What is wrong with the options together; NULL: nothing.
const char *cli_probe_wrong(const struct probe_options *o, bool has_power);
enum ww_status cli_probe_csv(struct cli *c, const struct probe *p, const char *path);

// ---- the page of a run (report.c) ---------------------------------------------------------------
struct view_input;
// Writes DIR/index.html and DIR/results.sqlite.
enum ww_status report_write(struct cli *c, const struct view_input *in, const char *dir);
// The folder of page.html, run.html and the chart library; NULL with a diagnostic (study.c).
const char *study_page_folder(struct cli *c);

// ---- where jobs run (pool.c) --------------------------------------------------------------------
enum { POOL_OPTIONS = 14, POOL_WORDS = 64 };
extern const struct cli_option pool_cli_options[POOL_OPTIONS];
#define CLI_POOL_PART                                                                              \
    { "where jobs run:", pool_cli_options, POOL_OPTIONS }
struct pool_request {
    struct pool_options options;
    const char *word[POOL_WORDS]; // for sbatch
    uint32_t n;
    const char *given; // an option that only a cluster has
};
#define POOL_DEFAULTS                                                                              \
    {                                                                                              \
        .options = {.retries = 2, .bundle_s = 300 }                                                \
    }
// Takes option number `option` of the table.
enum ww_status pool_option(struct cli *c, struct pool_request *q, int option, const char *value);
// All options are taken; the spool lies beside the results file `db` when none was named.
enum ww_status pool_ready(struct cli *c, struct pool_request *q, const char *db);

// ---- many runs (study.c, many.c) ----------------------------------------------------------------
// Names of the studies there are, of every folder; answers how many.
uint32_t study_names(struct cli *c, const char *const **names);
// What `compare` advises (recommend.c): a metric and a figure of the study that it writes, and the
// sentences, from that figure.
struct sheet;
void recommend_metrics(FILE *f);
void recommend_figure(FILE *f, const char *const *name, uint32_t n);
void recommend_print(const struct sheet *sh, const char *base, FILE *out);
// Which techniques exclude each other on a GPU, as text or JSON. Answers an exit code.
int savings_pairs(struct cli *c, const char *gpu, const char *const *set, uint32_t n_set,
                  bool json);
// What the study room must know of this installation; points into c->arena.
enum ww_status study_host_of(struct cli *c, struct study_host *host);
uint32_t cli_processors(void); // of this machine, at most 64
// `run --all`: every workload, as jobs.
struct all_request {
    const char *gpu, *policy, *size, *db;
    const char *const *set;
    uint32_t n_set, processes;
    bool json;
    struct pool_request pool;
};
int run_all_workloads(struct cli *c, const struct all_request *q);
// The folder of libcuda.so.1, or NULL with a diagnostic (child.c).
const char *run_library_folder(struct cli *c);

// ---- workloads (workloads.c) --------------------------------------------------------------------
enum workload_kind {
    WORKLOAD_OF_PAPERS,
    WORKLOAD_OF_VOLTA, // needs compute capability 7.0: listed, and in no average
    WORKLOAD_MICRO     // a micro-benchmark: in no listing and no average
};
struct workload {
    const char *name, *suite, *domain, *summary;
    const char *alias;   // in the papers, where another workload's name differs only in case; NULL
    const char *dir;     // folder with workload.yaml
    const char *program; // host binary, NULL when it was not built
    struct workload_size {
        const char *name, *args, *note;
    } * size;
    uint32_t n_sizes;
    const char *const *kernel;
    uint32_t n_kernels;
    enum workload_kind kind;
};
enum ww_status workloads_list(struct cli *c, struct workload **list, uint32_t *n);
bool workload_is(const struct workload *w, const char *name); // by its name or its alias

// ---- what was measured of them (pages.c) --------------------------------------------------------
// Thread instructions at a size ("2.1 M"), or NULL where they were not measured.
const char *pages_instructions(struct cli *c, const struct workload *w, const char *size);
// Warp instructions at a size, on gtx480: about what another GPU's code has; 0 where they
// were not measured.
uint64_t pages_warp_instructions(struct cli *c, const struct workload *w, const char *size);
// Instruction mix, warps, lanes, kernels, caches, and published values beside ours.
void pages_print(struct cli *c, const struct workload *w);

#endif
