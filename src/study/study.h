// A study: which workloads to run on which configurations, what to compute from the counters, which
// figures to draw, and what the source published. A YAML file says all of it (docs/add-a-study.md);
// this room reads it, runs the jobs it needs as child processes, keeps their counters in an SQLite
// file, and writes CSV files, study.json and one HTML page.
//
//   file_*   (file.c): the YAML file
//   job_*    (job.c): one run of one workload on one configuration, and its key
//   store_*  (store.c): results that are kept
//   sweep_*  (sweep.h): design spaces
//   spaces_* (spaces.c): a study of tuning spaces beside measured times
//   pool_*   (pool.h): running jobs: here (pool_local.c), on a cluster (pool_slurm.c, worker.c)
//   eval_*   (eval.c): expressions over counters, time and energy
//   watts_*  (watts.c): the power model for one configuration
//   limited_* (limited.c): the clock at which a board keeps within its power limit
//   choice_* (choice.c): main values under every named choice
//   sheet_*  (sheet.c): figures and published rows as numbers; CSV and JSON
//   beside_* (beside.c): published values in figures, means, digits
//   page_*   (page.c): the HTML page
//   markdown_* (markdown.c): the same as a page of Markdown with drawings beside it
#ifndef WW_STUDY_H
#define WW_STUDY_H

#include "activity/activity.h"
#include "gpu/config.h"

enum { STUDY_MAX_SET = 48, STUDY_MAX_OPTIONS = 8, STUDY_MAX_ROWS = 128, STUDY_MAX_CONFIGS = 256, STUDY_MAX_WORDS = 80 };

struct mark {
    uint32_t line, col; // 1-based; 0: not of a file
};

struct named_text {
    const char *name, *text;
    struct mark at;
};

// A row of figures: a workload, or one kernel of it.
struct study_workload {
    const char *name;   // as the source spells it
    const char *run;    // workload that is run
    const char *kernel; // NULL: all; else a name or pattern (fnmatch) of its kernels
    const char *small, *paper; // size that is run at --size small, paper
    const char *option[STUDY_MAX_OPTIONS]; // further words for `warpwatt run`
    uint32_t n_options;
    // the workload's own numbers at --size paper, in a size's place
    const char *arg[STUDY_MAX_OPTIONS];
    uint32_t n_args;
    struct mark at;
};

struct study_configuration {
    const char *name, *label, *gpu, *policy; // policy: "none" or as -p takes it
    const char *set[STUDY_MAX_SET];          // "key=value"
    uint32_t n_set;
    const char *option[STUDY_MAX_OPTIONS]; // further words for `warpwatt run`
    uint32_t n_options;
    int stands_for; // under a choice: the configuration in whose place it comes; -1: none
    struct mark at;
};

// A named choice: one thing that the source leaves open, decided otherwise. Main values are
// computed under each choice too (choice.c).
struct study_choice {
    const char *name, *why, *gpu; // gpu NULL: the configuration's own
    const char *set[STUDY_MAX_SET];
    uint32_t n_set;
    VEC(const char *) of; // configurations that it changes; empty: all
    int *instead;         // [configurations]: the one that takes each one's place; itself: none
    struct mark at;
};

struct study_metric {
    const char *name, *expr, *unit, *label;
    struct mark at;
};

struct study_series {
    const char *label, *expr, *unit;
    const char *configuration; // NULL: the figure's
    const char *role;          // "ours", "published", "other"
    const char *x;             // scatter: expression of x
    struct mark at;
};

struct study_figure {
    const char *id, *title, *source, *kind, *unit, *note;
    const char *x; // "workloads", "configurations" or a list of names below
    const char *rows[STUDY_MAX_ROWS];
    uint32_t n_rows;
    bool rows_are_configurations, rows_are_numbers; // numbers: `i` in expressions
    const char *configuration; // of rows that are workloads
    const char *workload;      // of rows that are configurations; NULL: none (chip figures)
    const char *x_value;       // lines: expression of a row's place on the x axis
    const char *found;         // what the source found, a sentence
    const char *agrees;        // expression: 1 agrees, 0 does not; NULL: from the published rows
    const char *why;           // when it does not
    bool average, geomean;     // extra rows
    bool log_scale;
    VEC(struct study_series) series;
    struct mark at, agrees_at;
};

// Published values and how ours is computed. Empty selectors match all.
struct study_claim {
    VEC(const char *) source, workload, configuration, metric;
    const char *ours;
    const char *at_workload,
        *at_configuration; // where `ours` is computed when not at the row's own
    const char *group;                          // of averages
    const char *figure;                         // whose verdict it belongs to
    // In figures: the series that it stands in, if its expression is not `ours`, and as which
    // number: an expression of `value`. NULL: as it is.
    const char *series, *drawn;
    const char *given; // why ours could not have differed: fitted to it, or an input of ours
    double tolerance;
    bool absolute; // tolerance in the row's unit
    bool no_verdict; // ours is shown, but not judged
    bool main_value; // computed under every choice too
    const char *why;
    VEC(struct named_text) why_of; // by workload
    const char *value, *unit;      // of a row that published.csv does not have
    struct mark at;
};

struct study_group {
    const char *name;
    VEC(const char *) member;
};

// A tuning space of a study that orders configurations as boards do: a sweep's file (sweep.h).
struct study_space {
    const char *sweep;     // path
    uint32_t points;       // of its sample that run, the first ones; 0: all
    const char *looked_at; // what was looked at while the model was built; NULL: nothing
    const char *note;      // NULL: none
    struct mark at;
};

// One row of published.csv, or of the study's own.
struct published_row {
    const char *study, *source, *workload, *configuration, *metric, *unit, *value;
    double number;
    const struct study_claim *claim; // first that matches, or NULL
    bool waits; // not asked for, but where it stands in a figure's cell (study_only)
};

struct study {
    struct arena *arena;
    const char *file, *text; // path and content
    const char *name, *title, *source, *summary;
    const char *size; // that is run when none is asked for: "small" or "paper"
    VEC(struct study_workload) workload;
    VEC(struct study_configuration) configuration;
    VEC(struct study_metric) metric;
    VEC(struct study_figure) figure;
    VEC(struct study_claim) claim;
    VEC(struct study_choice) choice;
    VEC(struct study_group) group;
    VEC(struct published_row) published;
    VEC(const char *) also; // "study: source" of rows that belong to other studies too
    VEC(struct study_space) space; // of a study that has spaces and nothing else
    uint32_t small_points;         // of each space at --size small
};

// Reads a study from `text`; `published_csv` (may be NULL) is the path of the table of published
// values. Names that do not exist, unknown keys, wrong kinds: refused with line and column.
enum ww_status study_parse(struct arena *a, const char *file, char *text, const char *published_csv,
                           struct diags *d, struct study *out);
int study_find_workload(const struct study *s, const char *name);      // index or -1
int study_find_configuration(const struct study *s, const char *name); // index or -1
int study_find_metric(const struct study *s, const char *name);
const struct study_group *study_find_group(const struct study *s, const char *name);
// Leaves these figures (`list`: ids with ',' between) and the published values that name them
// (`figure:`) or stand in their cells. Other published values stay unknown; choices are dropped. A
// figure that is not there is refused.
enum ww_status study_only(struct study *s, const char *list, struct diags *d);
// Whether a list of a selector takes the name; an empty one takes all.
bool study_one_of(const char *name, const char *const *list, uint32_t n);

// ---- choices ----------------------------------------------------------------------------------
// Adds the configurations that choices put in the place of those that main values are computed
// from: `CHOICE, NAME`, where the study has none of that name, the configuration NAME with the
// choice's GPU file and keys.
enum ww_status choice_configurations(struct study *s, struct diags *d);

// ---- jobs -------------------------------------------------------------------------------------
// What the caller (the command) knows and this room does not: where programs lie.
struct study_program {
    const char *name, *size;   // workload and size
    const char *args;          // the size's numbers: part of the key
    const char *file[4];       // program, PTX: hashed
    uint32_t n_files;
    // Words of `run` in the place of the workload's name and size; NULL: a workload.
    const char *const *word;
    uint32_t n_words;
};
struct savings;
struct study_host {
    void *user;
    const char *self;    // path of the warpwatt command
    const char *library; // path of libcuda.so.1: the simulator
    const char *build;   // its digest, part of every key (study_host_build)
    const char *page;    // folder of page.html and chart.min.js
    // Finds a workload's program at a size, or answers a status with a sentence.
    enum ww_status (*find)(void *user, const char *workload, const char *size, struct diags *d,
                           struct study_program *out);
    bool terminal; // stderr is one
    bool colour;
};

enum ww_status study_host_build(struct arena *a, struct study_host *host, struct diags *d);

enum { JOB_KEY_BYTES = 65 };
enum job_state { JOB_WAITS, JOB_RUNS, JOB_KEPT, JOB_DONE, JOB_FAILED };
struct job {
    char key[JOB_KEY_BYTES]; // SHA-256 of everything a result depends on
    struct study_program program;
    const struct study_configuration *configuration;
    const struct study_workload *row; // whose options it has; NULL: none
    bool own_args;                    // and whose numbers
    const struct gpu_config *gpu;
    const struct savings *savings;
    enum job_state state;
    double estimate_s, host_s; // how long it may take, took
    int code;                  // exit code when it failed
    const char *message;       // why it failed: its last words
    // while it runs
    int pid;
    double started_s;
    const char *record, *log;
};
typedef VEC(struct job) job_list;

// Resolves the configuration, hashes. The same job twice in a list is one: answers its index.
enum ww_status job_add(struct arena *a, job_list *list, const struct study_host *host,
                       const struct study_configuration *c, const struct study_workload *row,
                       const char *workload, const char *size, struct diags *d, uint32_t *index);
// The same of a program that is no workload.
enum ww_status job_add_program(struct arena *a, job_list *list, const struct study_host *host,
                               const struct study_configuration *c,
                               const struct study_program *program, struct diags *d,
                               uint32_t *index);

// ---- results ----------------------------------------------------------------------------------
struct kernel_result {
    const char *name; // "" is the whole run
    double launches, cycles, seconds;
    double half_cycles; // of the 95 % interval, where sampling estimated some; else 0
    struct activity activity;
};
struct result {
    bool there;
    double copies, copied_bytes, copy_seconds, host_seconds, end_seconds;
    struct kernel_result *kernel; // [0] is the whole run
    uint32_t n_kernels;
};

struct store;
// Opens or makes the file; "" is in memory only.
enum ww_status store_open(const char *path, struct diags *d, struct store **out);
void store_close(struct store *s);
// Reads what is kept under `key`; out->there is false when there is nothing. A result that does not
// fit its checksum is named in a warning, dropped, and not there.
enum ww_status store_get(struct store *s, struct arena *a, const char *key, struct diags *d,
                         struct result *out);
// Keeps the record of a finished job, in one transaction. A record that lacks a counter, a time or
// a launch is refused with its name.
enum ww_status store_put(struct store *s, const struct job *j, const char *record, struct diags *d);
// Whether a whole result is kept; damaged ones are dropped as store_get drops them.
enum ww_status store_has(struct store *s, const char *key, struct diags *d, bool *there);
// Host seconds that the same workload, size and GPU last took; 0 when never seen.
double store_estimate(struct store *s, const struct job *j);

// The kernels that a name or pattern matches, added up; NULL: the whole run. False: none.
bool result_kernels(const struct result *r, const char *pattern, struct kernel_result *sum);

// ---- running ----------------------------------------------------------------------------------
enum pool_action {
    POOL_RUN,    // starts what is not there, and waits until all has ended
    POOL_SUBMIT, // starts it all and comes back (where jobs outlive their command)
    POOL_STATUS, // takes in what has ended, starts nothing
    POOL_CANCEL  // takes in what has ended, ends the rest
};
struct pool_backend; // where jobs run (pool.h)
// "local" or "slurm"; NULL: there is no such backend.
const struct pool_backend *pool_find(const char *name);
struct pool_options {
    const struct pool_backend *backend; // NULL: this machine
    enum pool_action action;
    uint32_t processes;
    uint32_t retries;         // of a job that failed or was lost, on a cluster
    double bundle_s;          // work of an array element; 0: one run
    const char *spool;        // folder that all machines of a cluster see
    const char *array_limit;  // elements that run at once ("20"); NULL: no limit
    const char *const *words; // further words for the engine (sbatch)
    uint32_t n_words;
    bool quiet; // no line a job
    // Called for each job that is there (kept or just done) or failed, in order of completion.
    void (*finished)(void *user, struct job *j);
    void *user;
};
struct pool_counts {
    uint32_t kept, done, failed, left; // left: not run, because of an interruption
    uint32_t running;                  // or queued, when the command came back
    bool interrupted;
};
// Runs what the store lacks. A job that fails leaves the others alone.
enum ww_status pool_run(struct arena *a, job_list *list, const struct study_host *host,
                        struct store *store, const struct pool_options *o, struct diags *d,
                        struct pool_counts *counts);
// Prints the counts and names every failed job; answers the exit code (0, 1, or 4 interrupted).
int pool_report(const job_list *list, const struct pool_counts *counts, FILE *out);
// What an array element of a cluster runs: the runs of the file `element`, `processes` at a time
// (worker.c). Answers an exit code; a run that fails leaves the others alone.
int pool_worker(struct arena *a, const char *element, uint32_t processes, struct diags *d);

// ---- energy -----------------------------------------------------------------------------------
struct watts; // the power model of one configuration
// NULL with a sentence in `why` when the model does not cover the GPU.
struct watts *watts_new(struct arena *a, const struct gpu_config *c, const char **why);
int watts_component(const struct watts *w, const char *name); // or -1; "" is the root
const char *watts_name(const struct watts *w, int component); // NULL past the end
struct watts_joules {
    double dynamic_j, static_j,
        gate_j; // with everything below the component; of static_j, through gates
    double low_w, high_w; // 90 % interval of the mean power of chip and board (power/unsure.h)
};
bool watts_run(const struct watts *w, const struct activity *a, double seconds, int component,
               struct watts_joules *out);
// ---- the board's power limit: limited.c ---------------------------------------------------------
struct limited {
    const struct study_configuration *configuration;
    const struct study_workload *row;
    const char *workload, *size, *kernel; // kernel: whose power counts; NULL: all
    const struct gpu_config *gpu;         // as the configuration asks
    // In: what a run as asked left, and its power model (NULL: none). Out: those of the clock that
    // the board takes; result.there false where a run that is needed is not there.
    struct result result;
    const struct watts *watts;
    double core_mhz; // out
};
// Finds each run's clock. `may_run` false: with kept results only. Adds to the counts.
enum ww_status limited_runs(struct arena *a, struct limited *run, uint32_t n,
                            const struct study_host *host, struct store *store,
                            const struct pool_options *o, bool may_run, struct diags *d,
                            struct pool_counts *counts);

enum watts_figure {
    WATTS_AREA_MM2,
    WATTS_LEAK_W,
    WATTS_GATE_LEAK_W,
    WATTS_PEAK_W,
    WATTS_CONSTANT_W,
    WATTS_DESIGN_W,
    WATTS_IDLE_W
};
double watts_of(const struct watts *w, int component, enum watts_figure what);
// Hardware of the techniques that counted in `a`: rows whose prose has `words`; "": all, of all
// components.
double watts_added_mm2(const struct watts *w, const struct activity *a, double seconds,
                       const char *component, const char *words);
double watts_event_j(const struct watts *w, uint32_t act);

// ---- expressions ------------------------------------------------------------------------------
struct eval_scope {
    int workload, configuration; // -1: none
    const char *kernel;          // NULL: as the workload says
    uint32_t element;            // 1 + the number `i` of a row; 0: rows are no numbers
};
struct eval;
// The reference page of expressions, from the tables that define them.
void eval_print_reference(FILE *out);
// `result` is [workloads * configurations], row-major by workload; may still be empty (dry).
enum ww_status eval_new(struct arena *a, const struct study *s, const struct gpu_config *const *gpus,
                        struct diags *d, struct eval **out);
void eval_free(struct eval *e);
// Tries every metric, also one that no figure asks for: wrong names, circles. One that no
// configuration can compute is refused.
enum ww_status eval_check_metrics(struct eval *e, struct diags *d);
// Dry: every run counts as there with ones for values; `needed` notes whose run was asked for.
void eval_set_dry(struct eval *e, bool *needed);
// `limited` says at which clock each result was counted, and its power model; NULL: as
// configurations say.
void eval_set_results(struct eval *e, const struct result *results,
                      const struct limited *const *limited);
const struct watts *eval_watts(const struct eval *e, uint32_t configuration); // NULL: not covered
// NAN when the value is not there (a job that failed, a division by zero, no power model). A wrong
// expression is a sentence with its line.
enum ww_status eval_number(struct eval *e, const char *expr, struct mark at,
                           struct eval_scope scope, struct diags *d, double *out);
// From here on each configuration's place is taken by the one that the choice names; NULL: none.
void eval_choose(struct eval *e, const struct study_choice *choice);
// What a run left, or NULL.
const struct result *eval_result(const struct eval *e, uint32_t workload, uint32_t configuration);
// Programs that means in the last expression (average, geomean) are without, divided by commas:
// those with no value, and of a geometric mean those that are not above 0. NULL: none, or no mean.
const char *eval_left_out(const struct eval *e);
const char *eval_note(const struct eval *e); // why energies are not there, or NULL

// ---- tuning spaces ----------------------------------------------------------------------------
// Runs every space of the study and writes a page of all (index.html), spaces.csv, study.json and a
// folder a space as sweeps leave it; o->markdown too. `lines` gets what to say of each. Answers an
// exit code.
struct study_options;
int spaces_run(struct arena *a, const struct study *s, const struct study_host *host,
               const struct study_options *o, struct diags *d, FILE *lines);

// ---- numbers to show --------------------------------------------------------------------------
// PARTLY: what the source found holds, but some published values are outside their tolerance.
enum verdict {
    VERDICT_NONE,
    VERDICT_AGREES,
    VERDICT_DIFFERS,
    VERDICT_MISSING,
    VERDICT_PARTLY,
    VERDICT_GIVEN
};
struct sheet_row {
    const char *name;
    bool aggregate;
    double x;
    double *value, *xs; // [series]
    double *theirs;     // [series] published values of the same; NAN: none
};
struct sheet_figure {
    const struct study_figure *figure;
    struct sheet_row *row;
    uint32_t n_rows, n_series;
    enum verdict verdict;
    const char *sentence; // what the source found, whether ours agrees, why not
    bool *holds;          // [published] values that stand in its cells
    bool has_theirs;
    const char *left_out; // what its means are without, sentences; NULL: nothing
};
struct sheet_published {
    const struct published_row *row;
    double ours, off; // off: ours / published - 1, or the difference for an absolute tolerance
    double *by_choice; // [choices] of a main value, else NULL; NAN where it has none
    double low, high;  // of a main value: over ours and the choices
    enum verdict verdict;
    const char *why;
    const char *left_out; // programs that its means are without; NULL: none
};
struct sheet {
    const struct study *study;
    const char *size;
    struct sheet_figure *figure;
    struct sheet_published *published;
    const char **failed; // sentences
    uint32_t n_failed;
    const char *note;
    // A comparison: any configuration can be the base on its page, and runs are listed with their pages.
    bool compares;
    struct sheet_run *run; // [workloads * configurations]; NULL: none is listed
    const char **beside;   // [workloads] page of its runs beside each other, from the folder; NULL: none
};
struct sheet_run {
    double seconds, energy_j; // NAN: no result
    const char *page;         // from the folder of the comparison; NULL: none was made
};
// Computes a main value, that `expr` is in `scope`, under every choice.
enum ww_status choice_fill(struct arena *a, const struct study *s, struct eval *e, const char *expr,
                           struct eval_scope scope, struct diags *d, struct sheet_published *out);
// beside.c: published values that belong to the figure's cells.
enum ww_status beside_fill(struct arena *a, const struct study *s, struct eval *e,
                           const struct study_figure *g, struct diags *d, struct sheet_figure *out);
// The mean of a series over the figure's rows, which need not be all programs.
double beside_mean(const struct sheet_figure *g, uint32_t series, bool geomean);
const char *beside_left_out(struct arena *a, const struct sheet_figure *g);
// `text` and the sentence that means in the series' expressions are without these programs, once.
const char *beside_without(struct arena *a, const char *text, const char *series,
                           const char *programs);
// A number with as many digits as mean something in its unit ("": a ratio).
void beside_number(char *text, size_t size, double v, const char *unit);
// Evaluates every figure and published row. In a dry evaluation this finds what must run.
enum ww_status sheet_fill(struct arena *a, const struct study *s, struct eval *e, struct diags *d,
                          struct sheet *out);
// DIR/<figure>.csv, published.csv, metrics.csv, kernels.csv, study.json.
enum ww_status sheet_write(struct arena *a, const struct sheet *sh, struct eval *e, const char *dir,
                           struct diags *d);
// What study.json holds: published values with ours, and every figure's rows by series. A value
// that is not there is null.
void sheet_print_json(const struct sheet *sh, FILE *out);
// DIR/index.html
enum ww_status page_write(struct arena *a, const struct sheet *sh, const struct study_host *host,
                          const char *dir, struct diags *d);
// A Markdown file with every figure as a table; stacked bars are drawn too, as SVG files in the
// folder `figures` beside it.
enum ww_status markdown_write(struct arena *a, const struct sheet *sh, const char *path,
                              struct diags *d);
const char *verdict_text(enum verdict v);
// A figure as SVG by its kind. False, and nothing is written: a table, or a figure without rows.
bool draw_figure(const struct sheet_figure *g, FILE *f);
// DIR/<figure>.tex of every figure's table and published.tex (LaTeX, package booktabs), and
// <figure>.svg of its drawing, with <figure>.pdf and .png by rsvg-convert; *converts false: there is
// none, and these are missing.
enum ww_status paper_write(struct arena *a, const struct sheet *sh, const char *dir, bool *converts,
                           struct diags *d);

// ---- the whole way ----------------------------------------------------------------------------
struct study_options {
    const char *size, *out_dir, *db;
    const char *markdown; // file to write, or NULL
    const char *paper;    // folder of figures and tables for a paper, or NULL
    uint32_t processes;
    bool no_run; // only what is kept
    bool compares; // a comparison (sheet)
    bool pages;    // a page of each run, in runs/ of out_dir
    struct pool_options pool; // where, and with what of an engine's options
};
// Answers the exit code; sentences are left in `d`.
int study_run(struct arena *a, const struct study *s, const struct study_host *host,
              const struct study_options *o, struct diags *d, struct sheet *sheet);
// $XDG_CACHE_HOME/warpwatt/results.db; makes the folders.
enum ww_status study_default_db(struct arena *a, struct diags *d, const char **path);

#endif
