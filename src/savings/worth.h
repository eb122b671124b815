// What techniques save and cost, as data: each row says what a count is worth in which component of
// the power model. A part of a technique (part.h) has its own rows; the power model reads and
// evaluates them, and the account, its tables and JSON, the reference page and the tests of
// conservation come from them.
//
// Counters, components and lines are named by their keys. A row whose counter or component does not
// exist is refused when the power model is built.
#ifndef WW_SAVINGS_WORTH_H
#define WW_SAVINGS_WORTH_H

#include <stdbool.h>
#include <stdint.h>

// ---- lines of the savings table ----------------------------------------------------------------
enum savings_line_kind {
    LINE_LEAKAGE, // what is saved of the component's leakage
    LINE_EVENTS,  // ... of what its events cost
    LINE_ADDED    // what a technique's own hardware spends; it has no component
};
struct savings_line {
    const char *key, *name; // of rows and JSON; in the table
    enum savings_line_kind kind;
    const char *component;
    bool always;      // an ADDED line: in JSON whatever ran
    const char *note; // behind the line of the table; NULL: nothing
    const char *what; // it holds
};

// ---- prices ------------------------------------------------------------------------------------
// What a technique switches, and how many of it the machine has.
enum savings_per {
    PER_SM,
    PER_LANE_GROUP, // an SM's share of a lane group's lanes
    PER_LANE,    // of the 32 of a lane group
    PER_RF_ROW,  // a warp's register
    PER_L1_LINE, // of the banked array that L1 and shared memory lie in
    PER_L1_TAG,
    PER_CONST_LINE, // without its tag
    PER_CONST_TAG,
    PER_TEX_LINE, // without its tag
    PER_TEX_TAG,
    PER_L2_LINE, // without its tag
    PER_L2_TAG,
    SAVINGS_PERS,
    PER_EACH = SAVINGS_PERS // of a component's count
};

// Up to PRICE_WATTS a count is a core cycle, and what it is worth is leakage; behind it a count is
// an event.
enum savings_price_kind {
    PRICE_LEAK,         // `share` of a part's leakage
    PRICE_LEAK_BELOW,   // the same of all that lies below the component, less what power gates of
                        // the chip itself keep from SMs without work (power.idle_gate)
    PRICE_LEAK_FRONT,   // of a part's leakage, what power.front_control says is the front end's
    PRICE_CELLS_OFF,    // the leakage of a part's storage cells
    PRICE_CELLS_DROWSY, // what of that does not flow at the retention supply
    PRICE_GATES_LEAK,   // what divided word lines add to a part's leakage
    PRICE_PARTS_LEAK,   // what the register file `file` saves of its leakage
    PRICE_RFC_LEAK,     // the leakage of a register-file cache
    PRICE_TABLE_LEAK,   // the leakage of a table of `entries` words of `bits`
    PRICE_WATTS,        // `watts`
    PRICE_JOULES,       // `joules`
    PRICE_ACCESS,       // `share` of what a count of `event` costs in the component
    PRICE_ARRAY,        // of that, one of the arrays that a row of registers is spread over
    PRICE_WORD_PART,    // of that, one part of a divided word line with its columns
    PRICE_WORD_GATES,   // what dividing the word line adds to it
    PRICE_FRONT,        // of that, what is for the SM's front end
    PRICE_TABLE_READ,   // an access of a table
    PRICE_TABLE_WRITE,
    PRICE_PARTS_ACCESS, // what the register file `file` saves of a count of `event`
    PRICE_PARTS_SWAP,   // a pair of rows that change places
    PRICE_RFC_READ,     // an access of a register-file cache
    PRICE_RFC_WRITE,
    PRICE_RFC_TAGS,   // a comparison of a warp's tags there
    PRICE_WAKE_OFF,   // the charge of a part's cells, from nothing
    PRICE_WAKE_DROWSY // ... from the retention supply
};
// Of a register file that is parted or near threshold (power_rf_parts): accesses and leakage.
enum { FILE_FAST, FILE_FAST_LOW, FILE_SLOW, FILE_ALL_SLOW };
enum { FILE_LEAK_PARTED, FILE_LEAK_ALL_SLOW };

struct savings_price {
    enum savings_price_kind kind;
    enum savings_per per;
    double share, watts, joules;
    const char *event; // counter
    uint32_t entries, bits, file;
};

// ---- effects -----------------------------------------------------------------------------------
enum savings_sign { SAVES = 1, COSTS = -1 };

// Each count of `n` entries of a counter, from `first` on (n 0: one entry), and of the same entries
// of `and` (NULL: none) saves or costs the price.
struct savings_effect {
    const char *line, *counter, *and;
    uint32_t first, n;
    const char *component;
    enum savings_sign sign;
    struct savings_price price;
    const char *why, *source;
};

// ---- hardware ----------------------------------------------------------------------------------
// Sizes are from the array and logic models at the GPU's node.
enum savings_size_kind {
    SIZE_COUNTS,   // n flip-flops that count up or down, of each part
    SIZE_FLIPS,    // n flip-flops
    SIZE_LATCHES,  // n set-reset latches of two gates
    SIZE_MUXES,    // n multiplexers of one of four bits
    SIZE_NANDS,    // n two-input gates
    SIZE_SWITCHES, // n switches between supplies and the cells of a part
    SIZE_HEADERS,  // sleep devices of all of the component: `share` of its area
    SIZE_TABLE,    // a RAM of n entries of `bits` in each SM
    SIZE_SHARE,    // `share` of a part's share of the component's area
    SIZE_WIRES,    // repeaters of n wires as the network has them; a part is a micrometre
    SIZE_RFC,      // the banks of the register-file cache
    SIZE_DIVIDED,  // what divided word lines add to the component
    SIZE_SPLIT     // what two partitions add to it
};
// Of which parts there is hardware.
enum savings_area_parts {
    PARTS_ALL,     // all that the machine has
    PARTS_LINES,   // the lines that the counter and `line_on` counted in every cycle
    PARTS_SLAVES,  // SMs whose front end is off while they share one
    PARTS_MASTERS, // SMs whose front end others share
    PARTS_LINKS    // the micrometres of all links between them
};

// Hardware in or beside a component, there where one of the entries counted.
struct savings_area {
    const char *line, *counter;
    uint32_t first, n; // as an effect's
    const char *component;
    struct savings_size {
        enum savings_size_kind kind;
        enum savings_per per;
        uint32_t n, bits;
        double share;
    } size;
    enum savings_area_parts parts;
    const char *what, *source;
    const char *published; // what the source says of it; NULL: nothing
};

// ---- bounds ------------------------------------------------------------------------------------
// What perfect knowledge would save of a line's leakage: `periods` is a histogram of idle periods,
// which hold `cycles` less `less` (NULL: nothing). The break-even time is overhead / events, or the
// option's default. Of several rows of a line that counted the last one is the line's.
struct savings_bound {
    const char *line, *periods, *cycles, *less, *overhead, *events;
    uint32_t first, n;
    enum savings_per per;
};

// A line is shown when an effect of it counted, or one of these entries.
struct savings_shown {
    const char *line, *counter;
    uint32_t first, n;
};

#endif
