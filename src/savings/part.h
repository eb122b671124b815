// What a technique is made of. A part is a mechanism that technique files name, or what several
// mechanisms share. Its file fills in one constant, part_<file>, with everything of its own: its
// name and what it needs, its counters and options, its state, the ports of the SM and of the L2
// through which it hears, and what its counts are worth. Only mechanism.def names the file.
#ifndef WW_SAVINGS_PART_H
#define WW_SAVINGS_PART_H

#include "savings/savings.h"
#include "savings/worth.h"
#include "sm/technique.h"

// What only one mechanism of a technique can have: each would decide the same thing.
enum savings_role {
    ROLE_GATING = 1, // when a unit goes off and when it may wake
    ROLE_ORDER = 2,  // the order of instructions by type
    ROLE_WINDOW = 4, // the idle-detect window
    ROLE_LINES = 8,  // the state of a line of a cache
    ROLE_SUPPLY = 16, // the supply of register rows
    ROLE_ACCESS = 32  // what an access to a register bank switches
};

// The order in which an SM calls its techniques; within a turn, the order of mechanism.def.
enum savings_turn {
    TURN_LATER,   // behind the turns below
    TURN_UNITS,   // first: units and lanes, which are then settled for all other parts
    TURN_WINDOWS, // second: the idle-detect windows of units
    TURN_ORDER,   // third: the order of instructions by type
    SAVINGS_TURNS
};

// The lines of all caches of a kind, over time: sums of slices, cycles of the L2.
struct savings_line_sums {
    uint64_t on, tags_on, wakes, tag_wakes, late, fills, lapses;
};
// What a part does at the L2, of which each slice has a state of `slice_bytes`, zeroed at first.
// Cycles are the L2 clock's. Each function may be NULL but `hear`.
struct savings_l2_shape {
    uint32_t lines, sets, ways, line_words, sector_words; // of a slice
};
struct savings_l2_port {
    size_t slice_bytes;
    bool (*is_there)(const struct savings *s); // NULL: always
    // `c` are the counters of the slice's partition. False: out of memory.
    bool (*make)(void *slice, const struct savings *s, const struct savings_l2_shape *k,
                 uint64_t *c);
    void (*unmake)(void *slice);
    // As a cache_listener's (mem/event.h).
    uint32_t (*hear)(void *slice, const struct cache_event *e);
    uint64_t (*lapses_at)(void *slice, uint32_t place);
    uint32_t (*lapse_cycles)(const void *slice);
    // Adds the slice's times up to and without `now`.
    void (*settle)(const void *slice, uint64_t now, struct savings_line_sums *to);
};

// Rows of a table, and how many.
#define PART_ROWS(table) .row = (table), .n = WW_COUNT(table)
enum { PART_MAX_USES = 3 };

struct savings_part {
    const char *name, *what, *paper; // of a mechanism: its name in technique files
    uint32_t roles;                  // bit mask of enum savings_role
    enum savings_turn turn;
    // Shared parts: their options are the mechanism's too, and what they count may be its doing.
    const struct savings_part *uses[PART_MAX_USES];
    // Of a mechanism that gates whole pipelines: its rule (gating.h).
    const struct gate_rule *gate_rule;
    bool wants_last_reads; // the compiler marks last reads of registers (code_image.last_reads)

    struct { const struct act_own *row; uint32_t n; } counters;
    struct { const struct savings_option *row; uint32_t n; } options;
    struct { const struct savings_line *row; uint32_t n; } lines;
    struct { const struct savings_effect *row; uint32_t n; } effects;
    struct { const struct savings_area *row; uint32_t n; } areas;
    struct { const struct savings_bound *row; uint32_t n; } bounds;
    struct { const struct savings_shown *row; uint32_t n; } shown;

    // Refuses what does not go together. NULL: everything does.
    enum ww_status (*check)(const struct savings *s, const struct sm_config *c, struct diags *d);
    // A shared part of a technique that uses it may have nothing to do. NULL: it has.
    bool (*is_there)(const struct savings *s);
    // Its state in an SM, zeroed at first, is `self` of the ports. 0: it does nothing there.
    size_t state_bytes;
    struct sm_technique ports; // but for self; the name is the mechanism's if it has none
    // Fills in the state and adds the ports that depend on options. False: out of memory; then
    // `unmake` is called, too.
    bool (*make)(struct savings_sm *s, void *self, struct sm_technique *t);
    void (*unmake)(void *self);
    // NULL, or a sentence on what it found wrong with itself.
    const char *(*wrong)(const void *self);
    const struct savings_l2_port *l2;
    // Lines that it puts away are on for as long as it counted; this completes their other times,
    // also in SMs that hold no work (savings_close).
    void (*close)(const struct savings *s, const struct sm_config *c, uint32_t sms,
                  uint64_t l2_lines, uint64_t cycles, struct activity *a);
};

#define MECHANISM(file) extern const struct savings_part part_##file;
#define SHARED(file)    extern const struct savings_part part_##file;
#include "savings/mechanism.def"
#undef SHARED
#undef MECHANISM

#endif
