// What energy-saving techniques save and cost: rows of effect.def, each a count of a technique
// times what one count is worth in a component. So for each component
//
//     static energy with the technique  = without it - saved + cost   (leakage)
//     dynamic energy with the technique = without it - saved + cost   (events)
//
// and power_run gives out the left sides; the regulator takes its share. A new technique is its
// counters (activity.def) and its rows.
#ifndef WW_POWER_EFFECT_H
#define WW_POWER_EFFECT_H

#include "power/power.h"

// Lines of the savings table.
enum power_line {
#define LINE(id, ...) POWER_LINE_##id,
#include "power/effect.def"
    POWER_LINES
};
enum power_line_kind { POWER_LINE_LEAKAGE, POWER_LINE_EVENTS, POWER_LINE_ADDED };
struct power_line_info {
    const char *name, *key; // "INT"; begins the names in JSON of an ADDED line
    enum power_line_kind kind;
    const char *component; // "none": an ADDED line has none of its own
    bool always;           // its names stand in every JSON with a technique
    const char *note;      // behind the line of the table
    const char *prose;
};
extern const struct power_line_info power_lines[POWER_LINES];

enum power_price_kind {
    PRICE_LEAK,         // leakage: `x` of that of a part, a core cycle
    PRICE_CELLS_OFF,    // x of that of a part's storage cells
    PRICE_CELLS_DROWSY, // x of what of that does not flow at the retention supply
    PRICE_GATES_LEAK,   // what divided word lines add to that of a part
    PRICE_PARTS_LEAK,   // what partition `x` of a register file saves of its leakage
    PRICE_RFC_LEAK,     // of a register-file cache
    PRICE_TABLE_LEAK,   // of a table of `x` entries of `bits`
    PRICE_WATTS,        // x
    PRICE_JOULES,       // events: x
    PRICE_ACCESS,       // x of what a count of `act` costs in the component
    PRICE_WORD_PART,    // of that, a part of a divided word line with its columns
    PRICE_WORD_GATES,   // what dividing the word line adds to it
    PRICE_FRONT,        // of that, what is for the SM's front end
    PRICE_TABLE_READ,   // of such a table
    PRICE_TABLE_WRITE,
    PRICE_PARTS_ACCESS, // what partition x saves of a count of `act`
    PRICE_PARTS_SWAP,   // a pair of rows that change places: x of a count of `act`
    PRICE_RFC_READ,     // an access of a register-file cache
    PRICE_RFC_WRITE,
    PRICE_RFC_TAGS,   // a comparison of a warp's tags there
    PRICE_WAKE_OFF,   // charging the cells of a part, from nothing
    PRICE_WAKE_DROWSY // from the retention supply
};
struct power_price {
    enum power_price_kind kind;
    enum power_per per;
    uint32_t act;
    double x;
    uint32_t bits;
};

struct power_effect {
    enum power_line line;
    uint32_t mechanisms; // bit mask of enum savings_mechanism
    int32_t act[2];      // first counter of each run of `n`; -1: none
    uint32_t n;
    const char *component;
    int sign; // 1 saves, -1 costs
    struct power_price price;
    const char *prose, *source;
};
enum {
#define EFFECT(...) +1
    POWER_EFFECTS = 0
#include "power/effect.def"
};
// Table 6.4 of the dissertation.
extern const struct power_rf_parts power_rf_published;
extern const struct power_effect power_effects[POWER_EFFECTS];

// Hardware that a technique adds.
enum power_size_kind {
    POWER_SIZE_COUNTS,   // x bits that count, of a part
    POWER_SIZE_FLIPS,    // x flip-flops
    POWER_SIZE_LATCHES,  // x latches
    POWER_SIZE_MUXES,    // x multiplexers of four
    POWER_SIZE_NANDS,    // x gates
    POWER_SIZE_SWITCHES, // x switches for a part's cells
    POWER_SIZE_HEADERS,  // x of the component's area
    POWER_SIZE_TABLE,    // a RAM of x entries of `bits`
    POWER_SIZE_SHARE,    // x of a part's share of the component's area
    POWER_SIZE_WIRES,    // repeaters of x wires; a part is a micrometre
    POWER_SIZE_RFC,      // the banks of a register-file cache
    POWER_SIZE_DIVIDED,  // divided word lines of the component
    POWER_SIZE_SPLIT     // its two partitions
};
struct power_area {
    enum power_line line;
    uint32_t mechanisms, act, n; // it is there where one of n counters from act on counted
    const char *component;
    struct power_size {
        enum power_size_kind kind;
        enum power_per per;
        double x;
        uint32_t bits;
    } size;
    const char *prose, *source, *published; // published: what the source says of it, or ""
};
enum {
#define AREA(...) +1
    POWER_AREAS = 0
#include "power/effect.def"
};
extern const struct power_area power_areas[POWER_AREAS];
// mm2 of `parts` of the row's parts; below 0: of all that the machine has. 0 where the GPU lacks
// the component.
double power_area_mm2(const struct power_tree *tree, const struct power_area *r, double parts);

static inline bool power_price_is_leakage(const struct power_price *p) {
    return p->kind <= PRICE_WATTS;
}
// Joules that a count is worth in the tree; 0 where the GPU lacks the component.
double power_effect_price(const struct power_tree *tree, const struct power_effect *e);
// Joules of all counts, without a sign.
double power_effect_j(const struct power_tree *tree, const struct power_effect *e,
                      const struct activity *a);
// Whether a row names the counter.
bool power_effect_charges(uint32_t act);
// The price in words ("leakage of a cluster's share"), for pages. Answers `text`.
const char *power_price_text(const struct power_price *p, char *text, size_t size);

// What the effects of a run are worth; sums of several runs are sums of the fields.
struct power_savings {
    bool any;                     // a technique ran
    bool seen[POWER_LINES];       // it counted something of the line
    double j[POWER_EFFECTS];      // of each effect, without a sign
    double all_j[POWER_LINES];    // that the line's component would have leaked, or its events cost
    double bound_j[POWER_LINES];  // net: what a perfect technique would save of the line's leakage
    double area_mm2[POWER_AREAS]; // of hardware that was there
};

// Of `a` over `seconds`. Needs the tree that power_build made.
void power_savings(const struct power_tree *tree, const struct activity *a, double seconds,
                   struct power_savings *out);
void power_savings_add(struct power_savings *sum, const struct power_savings *s);
// Whether it has one: a line of single lanes and whole pipelines.
bool power_line_has_bound(enum power_line line);
// Of one line.
double power_savings_saved(const struct power_savings *s, enum power_line line);
double power_savings_spent(const struct power_savings *s, enum power_line line);
// Of added hardware; POWER_LINES: of all lines.
double power_savings_mm2(const struct power_savings *s, enum power_line line);
// Puts effects into the own energies of `usage`; without the regulator's part. Answers what the
// static energy of all components falls by.
double power_savings_apply(const struct power_tree *tree, const struct activity *a,
                           struct power_usage *usage);

#endif
