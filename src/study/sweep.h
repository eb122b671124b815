// A sweep: points of a design space, each a choice of one value on every axis, run on workloads and
// judged by time, energy and area. A YAML file says the axes and the method (docs/sweeps.md).
//
//   sweep_parse (sweep_file.c)    the file
//   sweep_full, _random, _latin   which points (sweep_plan.c)
//   evolve_* (evolve.c)           a Pareto search by generations (NSGA-II)
//   space_* (space.c)             points that are macros or arguments of a program of the user's
//                                 own, compiled for each (space_make.c), beside measured times
//   sweep_run (sweep.c)           runs points through a pool; what each cost
//   sweep_write (sweep_page.c)    points.csv, points.db, sweep.json, index.html
#ifndef WW_STUDY_SWEEP_H
#define WW_STUDY_SWEEP_H

#include "study/study.h"

enum {
    SWEEP_MAX_AXES = 24,
    SWEEP_MAX_VALUES = 256,
    SWEEP_MAX_KEYS = 16,
    SWEEP_MAX_POINTS = 100000
};

// What a value of an axis sets; the order is that of the file.
enum sweep_target {
    SWEEP_KEY,      // a key of the GPU file
    SWEEP_GPU,      // `gpu`
    SWEEP_POLICY,   // `policy`: techniques as -p takes them
    SWEEP_WORKLOAD, // `workload`
    SWEEP_SIZE,     // `size`
    SWEEP_OPTION,   // `options`: further words for run
    SWEEP_MACRO,    // `macros`: of a program of the user's own
    SWEEP_NAMED     // values are names, each of several keys
};
struct sweep_value {
    const char *text;                // as the file has it
    double number;                   // NAN: no number
    const char *set[SWEEP_MAX_KEYS]; // "key=value", for keys and names
    uint32_t n_set;
    const char *word[STUDY_MAX_OPTIONS]; // of SWEEP_OPTION
    uint32_t n_words;
};
struct sweep_axis {
    const char *name;
    enum sweep_target target;
    struct sweep_value *value;
    uint32_t n;
    struct mark at;
};

enum sweep_method { SWEEP_FULL, SWEEP_RANDOM, SWEEP_LATIN, SWEEP_SEARCH };
enum sweep_objective { SWEEP_TIME, SWEEP_ENERGY, SWEEP_AREA, SWEEP_OBJECTIVES };
extern const char *const sweep_method_name[];
extern const char *const sweep_objective_name[]; // "time", "energy", "area"

// Who compiles a source for which no command is named; ANY: nvcc where it is at hand and knows the GPU.
enum space_compiler { SPACE_CLANG, SPACE_NVCC, SPACE_ANY };
extern const char *const space_compiler_name[]; // "clang", "nvcc", "any"

// A program of the user's own, in the place of workloads. Texts may have macros in braces.
enum { SPACE_MAX_WORDS = 24 };
struct space_program {
    bool there;
    const char *source;  // file that is compiled for every point; or one that runs as it is
    const char *compile; // a shell's command; NULL: that of `compiler`
    enum space_compiler compiler;
    const char *makes;   // "ptx", "cubin", "fatbin" or "program"; NULL: the source runs as it is
    const char *entry;   // of a kernel file; NULL: the only one
    const char *grid[3], *block[3], *shared; // expressions of macros
    const char *word[SPACE_MAX_WORDS];       // arguments of a kernel (--arg) or a command's words
    uint32_t n_words;
    bool is_command;     // `program`: a host program, `word` its command
    const char *pattern; // of a program's kernels that count; NULL: all
    const char *waves;   // of a kernel, expression: how often blocks fill the GPU; NULL: the whole grid
    uint32_t sms;        // of the whole GPU, where the sweep's is a slice of it; 0: it is whole
    const char *times;   // expression: its time is multiplied by this
    const char *code;    // --code of run; NULL: its own
};

// Measured times of points, a row of a CSV file each.
struct space_measured {
    const char *file, *column; // NULL: none
    const char *beside[SPACE_MAX_WORDS]; // columns that are no macros, besides those of times
    uint32_t n_beside;
    double unit_s;             // of the column
    const char *const *text;   // [n][n_columns]
    const char *const *name;   // [n_columns]
    uint32_t n, n_columns;
    double *seconds;                       // [n] NAN: not measured
    uint32_t column_of[SWEEP_MAX_AXES];    // of each axis
};

struct sweep {
    const char *file, *text;
    struct space_program program;
    struct space_measured measured;
    const char *name, *title, *gpu, *policy, *size;
    const char *set[STUDY_MAX_SET]; // of all points
    uint32_t n_set;
    const char *workload[STUDY_MAX_ROWS];
    uint32_t n_workloads;
    struct sweep_axis axis[SWEEP_MAX_AXES];
    uint32_t n_axes;
    enum sweep_method method;
    uint32_t points;                  // of random and latin
    uint32_t population, generations; // of a search
    uint64_t seed;
    bool objective[SWEEP_OBJECTIVES];
    bool draws_rows; // points are rows of the measured table
};

enum sweep_state { SWEEP_OPEN, SWEEP_DONE, SWEEP_FAILED, SWEEP_REFUSED };
struct sweep_point {
    uint16_t at[SWEEP_MAX_AXES]; // the value of each axis
    enum sweep_state state;
    const char *why;               // it failed or was refused
    double cost[SWEEP_OBJECTIVES]; // s and J (geometric means over workloads), mm2
    double measured_s;             // 0: not measured
    uint32_t generation;
    struct run_page *page; // with study_options.pages: of each of its workloads (run_pages.h), named by it; NULL: none
    uint32_t n_pages;
    bool front; // no other point is better in one objective and worse in none
};
typedef VEC(struct sweep_point) sweep_points;

// Reads a sweep. What is wrong is refused with line and column.
enum ww_status sweep_parse(struct arena *a, const char *file, char *text, struct diags *d,
                           struct sweep *out);

// Points of a design, every one once. A full factorial of more than SWEEP_MAX_POINTS is refused.
enum ww_status sweep_full(struct arena *a, const struct sweep *s, struct diags *d,
                          sweep_points *out);
void sweep_random(struct arena *a, const struct sweep *s, sweep_points *out);
// Latin hypercube (McKay, Beckman and Conover 1979): each axis is cut into as many strata as there
// are points, and each stratum has one point.
void sweep_latin(struct arena *a, const struct sweep *s, sweep_points *out);

// Numbers from a seed: the same on every machine (xorshift64*, Vigna 2016).
struct sweep_random {
    uint64_t state;
};
struct sweep_random sweep_seed(uint64_t seed);
uint32_t sweep_below(struct sweep_random *r, uint32_t n); // 0 to n - 1

// ---- search (evolve.c)
// Whether `x` is at least as good as `y` in all objectives of `s` and better in one.
bool evolve_dominates(const struct sweep *s, const struct sweep_point *x,
                      const struct sweep_point *y);
// Marks the points of the front among those that are done.
void evolve_mark_front(const struct sweep *s, sweep_points *points);
// The next generation's new points (none was there before), from all points so far; none when the
// space is exhausted. NSGA-II: Deb, Pratap, Agarwal and Meyarivan 2002.
void evolve_next(struct arena *a, const struct sweep *s, struct sweep_random *r,
                 const sweep_points *all, uint32_t generation, sweep_points *out);

// ---- a program of the user's own: space.c
// Reads the table of measured times. Where the sweep has no macros, they are its columns but the
// measured one, those whose name begins with `ms_`, and those that `besides` names.
enum ww_status space_read_measured(struct arena *a, struct sweep *s, struct diags *d);
// Rows of the table as points: `points` of them drawn by the seed (method random), or all.
void space_points(struct arena *a, const struct sweep *s, sweep_points *out);
// The measured time of a point whose macros the table has; 0: none.
double space_measured_of(const struct sweep *s, const struct sweep_point *p);
// A text with {NAME} and {expression} as this point has them. With `is_shell` texts of macros are
// quoted, and {macros} is -DNAME=VALUE of each.
enum ww_status space_text(struct arena *a, const struct sweep *s, const struct sweep_point *p,
                          const char *text, bool is_shell, struct diags *d, const char **out);
// A text in quotes of a shell, where it needs them.
const char *space_quoted(struct arena *a, const char *text);
// An expression over macros: SQL's, so that whole numbers divide as in C; ceil_div(a, b) rounds up.
enum ww_status space_number(struct arena *a, const struct sweep *s, const struct sweep_point *p,
                            const char *what, const char *expression, struct diags *d, double *out);
// How ours orders the points that are done and measured, against the measured order.
struct space_rank {
    uint32_t n;
    double spearman;         // rank correlation; ties have their mean rank; NAN: not defined
    double ratio, low, high; // our time over the measured one: geometric mean, least and most
    int best;                // point that is fastest in ours; -1: none
    double best_place;       // of all measured rows of the table, how many are faster than it, %
    double best_loss;        // its measured time over the least measured one of the points, less 1
};
struct sweep_outcome;
struct space_rank space_rank_of(struct arena *a, const struct sweep *s,
                                const struct sweep_outcome *o);

// How files are made (space_tool.c).
struct space_tool {
    const char *compile; // a shell's command; NULL: nothing is compiled
    const char *makes;   // "ptx", "cubin", "fatbin" or "program"; NULL: the source runs as it is
    const char *code;    // --code of run; NULL: its own
    const char *name;    // for a reader: "nvcc 13.0, machine code"
    uint32_t arch;       // sm_XX that it compiles for
};
enum ww_status space_tool_of(struct arena *a, const struct sweep *s, uint32_t arch, struct diags *d,
                             struct space_tool *t);

// What runs for a point: made by space_make.c.
struct space_made {
    const char *path;    // the file; NULL: it could not be made
    const char *command; // that makes it; NULL: nothing to make
    const char *why;     // it could not
};
// Says which file each point needs, and compiles those that are not in `folder` yet, so many at a
// time. A file's name is the digest of its command and its source.
enum ww_status space_make(struct arena *a, const struct sweep *s, const struct study_host *host,
                          const struct space_tool *tool, const char *folder, uint32_t processes,
                          const sweep_points *points, struct space_made *made, struct diags *d);

// ---- running and writing
struct sweep_outcome {
    sweep_points points;
    uint32_t runs, refused, failed, front;
    struct space_tool tool; // of a tuning space
};
// Answers an exit code; sentences are left in `d`. out->points is whole when the pool came to its
// end.
int sweep_run(struct arena *a, const struct sweep *s, const struct study_host *host,
              const struct study_options *o, struct diags *d, struct sweep_outcome *out,
              bool *whole);
// The point of the first value of every axis, which a search and a full factorial have; NULL: it has
// no costs.
const struct sweep_point *sweep_first(const struct sweep_outcome *o);
// The point with the least of an objective, or of energy-delay (SWEEP_OBJECTIVES), among those that
// take at most (1 + slower) times as long as the first one; INFINITY: all. -1: none. On a front of
// time and energy is the least energy-delay too, as it rises with both.
int sweep_best(const struct sweep_outcome *o, enum sweep_objective of, double slower);
// points.csv, points.db, sweep.json and index.html in `dir`, which is made.
enum ww_status sweep_write(struct arena *a, const struct sweep *s, const struct sweep_outcome *o,
                           const struct study_host *host, const char *dir, struct diags *d);

#endif
