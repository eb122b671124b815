// The schedulers there are (scheduler.def).
#include "sm/sm_state.h"

enum { HAS_SET = SCHED_HAS_SET, HAS_GROUPS = SCHED_HAS_GROUPS, MAY_SHARE = SCHED_MAY_SHARE };

const struct sm_scheduler_info sm_scheduler_info[SCHED_KINDS] = {
#define SCHEDULER(id, name, traits, prose, source) {#name, traits, prose, source},
#include "sm/scheduler.def"
};

#define SCHEDULER(id, name, ...) extern const struct sched_ops sched_##name;
#include "sm/scheduler.def"

const struct sched_ops *sched_find(uint32_t kind) {
    static const struct sched_ops *const ops[SCHED_KINDS] = {
#define SCHEDULER(id, name, ...) &sched_##name,
#include "sm/scheduler.def"
    };
    return ops[kind];
}
