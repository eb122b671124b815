// A sweep: points of a design space, each a choice of one value on every axis, run on workloads and
// judged by time, energy and area. A YAML file says the axes and the method (docs/sweeps.md).
//
//   sweep_parse (sweep_file.c)    the file
//   sweep_full, _random, _latin   which points (sweep_plan.c)
//   evolve_* (evolve.c)           a Pareto search by generations (NSGA-II)
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

struct sweep {
    const char *file, *text;
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
};

enum sweep_state { SWEEP_OPEN, SWEEP_DONE, SWEEP_FAILED, SWEEP_REFUSED };
struct sweep_point {
    uint16_t at[SWEEP_MAX_AXES]; // the value of each axis
    enum sweep_state state;
    const char *why;               // it failed or was refused
    double cost[SWEEP_OBJECTIVES]; // s and J (geometric means over workloads), mm2
    uint32_t generation;
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

// ---- running and writing
struct sweep_outcome {
    sweep_points points;
    uint32_t runs, refused, failed, front;
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
