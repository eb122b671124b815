// What wakes an SM. An SM sleeps until the first cycle in which one of its parts has something to
// do; each part keeps one alarm with that cycle. For example, an SM whose warps all wait for a load
// has only ALARM_REPLY set, and nothing is simulated until the reply comes.
#ifndef WW_SM_ALARM_H
#define WW_SM_ALARM_H

#include <stdint.h>

#define NEVER UINT64_MAX // an alarm that is not set

enum alarm {
    ALARM_REPLY,  // the port has a reply
    ALARM_EVENT,  // a result is due, a branch resolves, a barrier's latency is over (wheel.h)
    ALARM_DECODE, // fetched instructions are decoded
    ALARM_LDST,   // the first access of the load/store unit goes on
    ALARM_TEX,    // ... of the texture unit
    ALARM_TMA,    // the engine of bulk copies goes on, or a wait for a barrier gives up
    ALARM_ISSUE,  // a pipeline, a collector or a scheduler's turn that a ready warp waits for
    ALARM_STALL,  // the stall count of a warp that waits for nothing else is over
    ALARM_ENTRY,  // an issued instruction may enter a lane group (entry.c)
    ALARM_RETRY,  // a technique that held a warp back is asked again
    ALARM_EPOCH,  // a technique's epoch is over
    ALARMS
};
struct alarms {
    uint64_t at[ALARMS];
    uint64_t wake; // the next cycle to simulate
};

static inline void alarms_reset(struct alarms *a) {
    for (uint32_t i = 0; i < ALARMS; i++) a->at[i] = NEVER;
    a->wake = NEVER;
}
static inline uint64_t alarms_first(const struct alarms *a) {
    uint64_t first = a->at[0];
    for (uint32_t i = 1; i < ALARMS; i++) first = a->at[i] < first ? a->at[i] : first;
    return first;
}

#endif
