// Straight lines of a kernel as the host's own code, for functional runs on hosts with vectors of
// 512 bits. A line is what a warp runs from some instruction on to the next that moves the pc, or
// whose stores end a turn. It is compiled when it has run often, once for warps whose 32 lanes are
// all active and once for others; other hosts and rare operations have the handlers, which the line
// calls or leaves to its caller. Both compute the same bits: a line computes what handlers of its rows
// (native_ops.c) compute, and the choice of a handler is the decoder's.
//
// In a line a register of the warp is a pair of the host's, from its first use on. Registers go
// back to memory at the end of the line and before a handler is called.
//
// At its end a line goes on to the next one without its caller, also behind a branch that all lanes
// take or none does, while the turn has instructions left (struct native_run).
//
// NaN. A result that is NaN is 0x7fffffff, in the host's arithmetic often another one. Sums,
// products and the like of which one operand is NaN are NaN, so a line does not look at each result
// but at those that nothing of that kind has taken up. Where one of them is NaN, no register has
// gone to memory since the last time that all had, and the handlers compute the part from there on.
#ifndef WW_EXEC_NATIVE_H
#define WW_EXEC_NATIVE_H

#include "exec/exec_int.h"

// What a line returns besides enum exec_outcome: a NaN came up. The warp stands where all of its
// registers were in memory last.
enum { NATIVE_NAN = 64 };
// A turn as lines see it.
struct native_run {
    uint64_t threads; // that executed
    uint32_t n;       // instructions so far
    uint32_t limit; // of n, from which on no straight line and no branch begins; 0: the line goes on to no other
    uint32_t line;  // where the one began that met a NaN
    uint32_t went_on; // 1: to another line
    uint32_t at_end;  // 1: the warp stands behind a branch, where a turn may end
};
// The least that a turn may have left for lines to go on to others: none of them asks between.
enum { NATIVE_MOST_LENGTH = 512, NATIVE_MOST_ON = 1024,
       NATIVE_ROOM = NATIVE_MOST_ON + 2 * NATIVE_MOST_LENGTH };
// Runs the line from w->pc on and moves w->pc to behind what was run.
typedef uint32_t (*native_fn)(struct exec_env *e, struct exec_warp *w, struct native_run *run);

enum native_lanes { NATIVE_ALL_LANES, NATIVE_SOME_LANES, NATIVE_LANES };
struct native_line {
    struct {
        _Atomic(native_fn) fn; // NULL: not compiled
        _Atomic uint32_t heat; // how often it was asked for; NATIVE_NEVER: it will not be compiled
        _Atomic uint32_t nans;
    } of[NATIVE_LANES];
    uint32_t length; // instructions at most, once one of them is compiled
};
enum { NATIVE_HOT = 32, NATIVE_NEVER = 1u << 31, NATIVE_NANS = 64 };

// What lines are compiled into; a launch leaves it to the next. NULL: this host has none.
struct native;
struct native *native_create(void);
void native_destroy(struct native *n);
// Forgets all lines: those of launch l are next. `is_heard`: exec_env.heard is given, so that handlers compute each access to
// global memory. False: no memory, or the vector level in use is
// another one.
bool native_begin(struct native *n, const struct exec_launch *l, bool is_heard);
struct native_line *native_lines(const struct native *n); // by pc
// Compiles the line that begins at pc if it has been asked for often enough, on any thread.
void native_ask(struct native *n, uint32_t pc, enum native_lanes lanes);
// For tests: how often lines of later launches run before they are compiled; NATIVE_NEVER: they are
// not. NATIVE_HOT otherwise.
void native_force(uint32_t heat);

// The code of the line that begins at pc; NULL: none yet. A line that is asked for often is compiled.
static inline native_fn native_code(struct native *n, struct native_line *lines, uint32_t pc,
                                    enum native_lanes lanes) {
    struct native_line *const line = &lines[pc];
    const native_fn fn = atomic_load_explicit(&line->of[lanes].fn, memory_order_acquire);
    if (ww_likely(fn != NULL)) return fn;
    if (atomic_load_explicit(&line->of[lanes].heat, memory_order_relaxed) < NATIVE_NEVER)
        native_ask(n, pc, lanes);
    return atomic_load_explicit(&line->of[lanes].fn, memory_order_acquire);
}
// A line met a NaN: one that often does is left to handlers.
static inline void native_met_nan(struct native_line *line, enum native_lanes lanes) {
    if (atomic_fetch_add_explicit(&line->of[lanes].nans, 1, memory_order_relaxed) != NATIVE_NANS)
        return;
    atomic_store_explicit(&line->of[lanes].heat, NATIVE_NEVER, memory_order_relaxed);
    atomic_store_explicit(&line->of[lanes].fn, NULL, memory_order_release);
}

#endif
