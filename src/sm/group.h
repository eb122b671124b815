// Groups of SMs that share a front end (T. Zhang, X. Liang: Dynamic Front-End Sharing in Graphics
// Processing Units). While a group shares, its SMs run in lock step: the master (the lowest)
// fetches, decodes, checks its scoreboard and schedules; each instruction that it issues goes over
// links to the slaves, and every member executes it on its own warp of the same slot, with its own
// registers and its own SIMT stack. A branch whose lanes differ between members ungroups the group.
//
//   apart --form--> shared --branch, or ungroup--> ramp --> apart
//
// The ramp powers the slaves' front ends up and waits until no result is on its way (section II-D).
#ifndef WW_SM_GROUP_H
#define WW_SM_GROUP_H

#include "sm/sm.h"

enum { SM_MAX_GROUP = 8 };
struct sm_group_config {
    uint32_t power_up;   // core cycles for slaves' front ends to come on
    uint32_t break_even; // core cycles of leakage that switching a front end off and on costs
    // Links: cycles of theirs in a core cycle (one packet each), micrometres that a signal goes in
    // one.
    uint32_t link_cycles, link_um;
    // SMs lie in rows of `columns`, `pitch_um` apart; wires go along rows and columns.
    uint32_t columns, pitch_um;
    // How an instruction reaches the farthest member. `has_stage`: all members wait in a stage between
    // issue and operands. `follows`: the slaves stay so many cycles behind the master. Neither: at once.
    bool has_stage, follows;
    // Members keep their front ends and run alone: only CTAs come and go in sets.
    bool sets_only;
    // To test: the group is ungrouped at the latest so many cycles after it was formed, in one that
    // is drawn. 0: only by what parts it.
    uint32_t ungroup_within;
};

struct sm_group;
// A group of `n` SMs, apart at first. Pointers are kept; the SMs outlive it.
enum ww_status sm_group_create(const struct sm_group_config *c, struct sm *const *member,
                               uint32_t n, struct diags *d, struct sm_group **out);
void sm_group_destroy(struct sm_group *g);

// A kernel starts in `cycle`: members that hold nothing share from now on.
void sm_group_form(struct sm_group *g, uint64_t cycle);
// Ends sharing, if the group shares: it ramps down from `cycle` on, the `from` of the next run.
void sm_group_ungroup(struct sm_group *g, uint64_t cycle);
enum sm_group_state { SM_GROUP_APART, SM_GROUP_SHARED, SM_GROUP_RAMP };
enum sm_group_state sm_group_state(const struct sm_group *g);
// Every member has room for a CTA, so that the group may take a set: one CTA each, of the same
// kernel, given to all before the next run.
bool sm_group_can_take(const struct sm_group *g, uint32_t slot);

// As sm_run and sm_is_idle, for all members.
void sm_group_run(struct sm_group *g, uint64_t from, uint64_t to);
bool sm_group_is_idle(const struct sm_group *g);

// Micrometres of wire between the master and a member.
uint32_t sm_group_distance_um(const struct sm_group *g, uint32_t rank);
// For tests: ungroups in the first cycle from `cycle` on in which an instruction issues.
void sm_group_ungroup_at(struct sm_group *g, uint64_t cycle);

#endif
