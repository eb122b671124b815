// The power limit of a board (`board.power_limit`): which core clock the board takes when a run at
// the clock that was asked for would draw more. A clock is a step, down from the one asked for:
// step k is k times `board.clock_step` below it. The power of a step is known when the run was
// simulated there; the search says which step to simulate next, and ends when it knows a step that
// keeps within the limit while the next higher one does not. So the clock that it finds rests on
// simulated runs alone: guesses decide only how many there are.
//
// What is averaged is the time in kernels of the whole run. A board's loop averages over tens of
// milliseconds, which is longer than what is simulated here: a run is taken for one that goes on
// and on, and has one clock.
#ifndef WW_POWER_LIMIT_H
#define WW_POWER_LIMIT_H

#include "gpu/config.h"

enum { LIMIT_POINTS = 64 };
enum limit_end {
    LIMIT_OPEN,   // `step` is to be simulated
    LIMIT_WITHIN, // `step` is the highest that keeps within the limit
    LIMIT_OVER    // not even the lowest clock does: `step` is that one
};

struct limit_point {
    uint32_t step;
    double power_w, seconds; // mean power of the time in kernels, and that time
};

struct limit_search {
    double watts; // 0: the board has no limit
    double asked_mhz, step_mhz;
    uint32_t steps; // the last one
    const struct gpu_config *gpu;
    struct limit_point point[LIMIT_POINTS]; // by step
    uint32_t n;
    uint32_t step; // see limit_end
};

// The clock asked for is the configuration's, which must outlive the search.
void limit_begin(struct limit_search *s, const struct gpu_config *c);
double limit_mhz(const struct limit_search *s, uint32_t step);
// Adds what a simulation of s->step drew, of which `static_w` flows at any clock, and says how to
// go on.
enum limit_end limit_add(struct limit_search *s, double power_w, double static_w, double seconds);
// What was simulated at a step; NULL: nothing.
const struct limit_point *limit_at(const struct limit_search *s, uint32_t step);
// The key and value that give a run the clock of a step: "core.clock_mhz=1650".
const char *limit_key(const struct limit_search *s, uint32_t step, char *text, size_t size);

#endif
