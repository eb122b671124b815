// Energy-saving techniques. A technique is a set of mechanisms with options; a mechanism, and what
// several of them share, is a part: a file of its own that says everything of it (part.h).
// What does not go together is refused with a reason.
#ifndef WW_SAVINGS_H
#define WW_SAVINGS_H

#include "activity/activity.h"

struct cache_config;
struct mem_system;
struct savings_part;
struct sm_config;
struct sm_group_config;
struct sm_technique;

// Each part's number: mechanisms first, each the number of its bit in savings.mechanisms.
enum savings_part_id {
#define MECHANISM(file) SAVINGS_##file,
#define SHARED(file)
#include "savings/mechanism.def"
#undef SHARED
    SAVINGS_MECHANISMS,
    SAVINGS_before_shared = SAVINGS_MECHANISMS - 1,
#undef MECHANISM
#define MECHANISM(file)
#define SHARED(file) SAVINGS_##file,
#include "savings/mechanism.def"
#undef SHARED
#undef MECHANISM
    SAVINGS_PARTS
};

// A technique, ready to be given to every SM. Plain data.
enum { SAVINGS_MAX_OPTIONS = 128 };
struct savings {
    uint32_t mechanisms; // bit mask of enum savings_part_id
    uint32_t value[SAVINGS_MAX_OPTIONS]; // of each option, in the order of savings_option_at
};

// What was asked for, as texts; `where` says where a text stands ("savings/gates.yaml", "-s").
enum { SAVINGS_MAX_WORDS = 64 };
struct savings_request {
    struct { const char *name, *where; } mechanism[SAVINGS_MAX_WORDS];
    struct { const char *name, *value, *where; bool must_be_used; } option[SAVINGS_MAX_WORDS];
    uint32_t n_mechanisms, n_options; // later options win
};

// Checks names, values and combinations against an SM and each other. A mechanism named twice
// counts once. An option that no chosen mechanism has is refused when it must be used.
enum ww_status savings_make(const struct savings_request *r, const struct sm_config *c,
                            struct diags *d, struct savings *out);

static inline bool savings_has(const struct savings *s, enum savings_part_id mechanism) {
    return s->mechanisms >> mechanism & 1;
}
// An option by its name, which must be one; a choice is the place in its names.
uint32_t savings_value(const struct savings *s, const char *option);
void savings_set(struct savings *s, const char *option, uint32_t value);

// The techniques of one SM and their state. NULL: out of memory.
struct savings_sm;
struct savings_sm *savings_sm_create(const struct savings *s, const struct sm_config *c);
void savings_sm_destroy(struct savings_sm *s);
// Fills `list` (room for SM_MAX_TECHNIQUES) and answers how many.
uint32_t savings_sm_techniques(const struct savings_sm *s, const struct sm_technique **list);
// NULL, or a sentence on what a technique found wrong with itself: its counts are worth nothing
// then.
const char *savings_sm_wrong(const struct savings_sm *s);

// What techniques do at the L2, for all slices at once. *out is NULL when they do nothing there;
// else it is to live as long as the memory system.
// `shape` is a slice's.
struct savings_l2;
enum ww_status savings_l2_create(const struct savings *s, struct mem_system *m,
                                 const struct cache_config *shape, struct diags *d,
                                 struct savings_l2 **out);
void savings_l2_destroy(struct savings_l2 *l);
// Brings the counters of a partition up to a core cycle, the start of a quantum.
void savings_l2_settle(struct savings_l2 *l, uint32_t partition, uint64_t core_cycle);

// Mechanisms count how long lines are on; the rest of the time they are drowsy, or off, also in an
// SM that holds no work. Completes the counters of so many SMs and lines of L2 over `cycles` core
// cycles, in which the techniques' own counts stand already; may be done again. A line that was on
// at the end is counted as on to the end at most.
void savings_close(const struct savings *s, const struct sm_config *c, uint32_t sms,
                   uint64_t l2_lines, uint64_t cycles, struct activity *a);
// Lines of caches are put away: savings_close has something to do.
bool savings_puts_away(const struct savings *s);
// The compiler is to mark last reads of registers.
bool savings_wants_last_reads(const struct savings *s);
// Neighbouring SMs share a front end: gpu makes groups of front_end_group_sms
// (front_end_sharing.c).
static inline bool savings_shares_front_end(const struct savings *s) {
    return savings_has(s, SAVINGS_front_end_sharing);
}
// How such a group works; what the GPU's layout decides is left 0.
struct sm_group_config savings_group(const struct savings *s, double core_mhz);

// ---- tables, for lists, pages and the power model ----------------------------------------------
struct savings_mechanism_info { const char *name, *what, *paper; };
struct savings_mechanism_info savings_mechanism(uint32_t id);
const struct savings_part *savings_part(uint32_t id); // part.h
// The mechanisms (bit mask) whose doing a part's counts may be: itself, or those that use it.
uint32_t savings_users(uint32_t id);

// The number of the first of a part's own counters (activity.h).
uint32_t savings_counters(uint32_t id);

struct savings_option {
    const char *name;
    uint32_t value, low, high; // the default, and the range
    const char *unit, *what, *source; // unit "": none
    const char *names; // of a choice, with blanks between, in the place of a range: the option's
                       // number is the place in them; NULL: a number
};
struct savings_option_info {
    const struct savings_option *is; // NULL: there is no such option
    uint32_t mechanisms;             // bit mask of those that have it
};
// The i-th option of all, from 0 on.
struct savings_option_info savings_option_at(uint32_t i);
// A value as text: a number, or the name of a choice.
void savings_option_text(const struct savings_option *o, uint32_t value, char *text, size_t size);

// The order in which results list what parts have, and add up what they saved.
enum savings_list { SAVINGS_SUMS, SAVINGS_HARDWARE, SAVINGS_LINES };
void savings_order(enum savings_list list, uint32_t id[SAVINGS_PARTS]);

// The bound on what any gating of these idle periods could save: an oracle that knows the length of
// each beforehand switches off at its first cycle if it is longer than the break-even time, and
// pays that once; waking is free. `periods[n]` periods of n cycles, the last entry n and more,
// `cycles` in all. In domain cycles of leakage.
uint64_t savings_oracle(const uint64_t periods[ACT_IDLE_LENGTHS], uint64_t cycles,
                        uint32_t break_even);

#endif
