// Energy-saving techniques. A technique is a set of mechanisms (mechanism.def) with options
// (option.def); each mechanism is a file of its own that fills in a struct sm_technique, and they
// meet only in struct savings_sm (savings_int.h). What does not go together is refused with a
// reason.
#ifndef WW_SAVINGS_H
#define WW_SAVINGS_H

#include "activity/activity.h"

struct cache_config;
struct mem_system;
struct sm_config;
struct sm_technique;

enum savings_mechanism {
#define MECHANISM(id, name, roles, needs, prose, paper) SAVINGS_##id,
#include "savings/mechanism.def"
#undef MECHANISM
    SAVINGS_MECHANISMS
};

// The owner of GATES' order of types: names of the option `priority`, in their order.
enum gates_priority { GATES_SM, GATES_SM_OPPOSED, GATES_SCHEDULERS, GATES_SCHEDULERS_OPPOSED };

// The banks behind a register-file cache: names of the option `mrf`, in their order.
enum front_wait { FRONT_WAIT_ALL, FRONT_WAIT_FOLLOW, FRONT_WAIT_NONE };
enum rfc_mrf { RFC_MRF_STV, RFC_MRF_NTV };

struct savings_options {
#define OPTION(name, def, low, high, unit, of, prose, source) uint32_t name;
#define CHOICE(name, def, names, of, prose, source) uint32_t name;
#include "savings/option.def"
#undef CHOICE
#undef OPTION
};

// A technique, ready to be given to every SM. Plain data.
struct savings {
    uint32_t mechanisms; // bit mask of enum savings_mechanism
    struct savings_options o;
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

// The techniques of one SM and their state. NULL: out of memory.
struct savings_sm;
struct savings_sm *savings_sm_create(const struct savings *s, const struct sm_config *c);
void savings_sm_destroy(struct savings_sm *s);
// Fills `list` (room for SM_MAX_TECHNIQUES) and answers how many.
uint32_t savings_sm_techniques(const struct savings_sm *s, const struct sm_technique **list);
// NULL, or a sentence on what a technique found wrong with itself: its counts are worth nothing then.
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

// Mechanisms count how long lines are on; the rest of the time they are drowsy, or off, also in an SM
// that holds no work. Completes the counters of so many SMs and lines of L2 over `cycles` core cycles,
// in which the techniques' own counts stand already; may be done again. A line that was on at the end
// is counted as on to the end at most.
void savings_close(const struct savings *s, const struct sm_config *c, uint32_t sms,
                   uint64_t l2_lines, uint64_t cycles, struct activity *a);
// Lines of caches are put away: savings_close has something to do.
static inline bool savings_puts_away(const struct savings *s) {
    return s->mechanisms & (1u << SAVINGS_DROWSY_LINES | 1u << SAVINGS_CACHE_DECAY);
}
// Neighbouring SMs share a front end: gpu makes clusters of cluster_sms.
static inline bool savings_shares_front_end(const struct savings *s) {
    return s->mechanisms & (1u << SAVINGS_FRONT_END_SHARING);
}
static inline bool savings_puts_away_l2(const struct savings *s) {
    return savings_puts_away(s) && s->o.in_l2;
}

// Tables for lists and reference pages; the last row has no name.
struct savings_mechanism_info { const char *name, *prose, *paper; };
extern const struct savings_mechanism_info savings_mechanism_info[];
struct savings_option_info {
    const char *name;
    uint32_t fallback, low, high, mechanisms;
    const char *unit, *prose, *source;
    const char *names; // of a choice, with blanks between; NULL: a number
};
extern const struct savings_option_info savings_option_info[];
// The default of an option as text.
void savings_option_default(const struct savings_option_info *o, char *text, size_t size);

// The bound on what any gating of these idle periods could save: an oracle that knows the length of each
// beforehand switches off at its first cycle if it is longer than the break-even time, and pays
// that once; waking is free. `periods[n]` periods of n cycles, the last entry n and more, `cycles`
// in all. In domain cycles of leakage.
uint64_t savings_oracle(const uint64_t periods[ACT_IDLE_LENGTHS], uint64_t cycles,
                        uint32_t break_even);

#endif
