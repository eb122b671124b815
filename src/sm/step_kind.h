// A kind's machine code: what several places of a step call, and the constant through which they
// call it (step.h). Included by step.c and step_group.c, which add the cycle.
#ifndef WW_SM_STEP_KIND_H
#define WW_SM_STEP_KIND_H

#include "sm/step_arrive.h"
#include "sm/step_issue.h"
#include "sm/step_leave.h"
#include "sm/step_turn.h"

// What kinds that have the same readiness share.
#define STEP_READY(name)                                                                           \
    STEP_WHOLE static void advance_##name(struct sm *s, uint32_t w, const struct sm_inst *in,      \
                                          uint32_t pc, uint64_t t) {                               \
        step_advance(&ready_##name, s, w, in, pc, t);                                              \
    }                                                                                              \
    STEP_WHOLE static void release_##name(struct sm *s, uint32_t w, const struct sm_inst *in,      \
                                          uint64_t t) {                                            \
        step_release(&ready_##name, s, w, in, t);                                                  \
    }
STEP_READY(scoreboard)
STEP_READY(control)

// A kind `name` with `readiness`, and what else is true of it.
#define STEP_KIND(name, readiness, ...)                                                            \
    STEP_WHOLE static bool issue_##name(struct sm *s, struct sub_core *sub, uint32_t sc,           \
                                        uint32_t w, bool is_second, uint64_t t);                   \
    static const struct step_kind name = {.ready = &ready_##readiness,                             \
                                          .advance = advance_##readiness,                          \
                                          .release = release_##readiness,                          \
                                          .issue = issue_##name,                                   \
                                          __VA_ARGS__};                                            \
    static bool issue_##name(struct sm *s, struct sub_core *sub, uint32_t sc, uint32_t w,          \
                             bool is_second, uint64_t t) {                                         \
        return step_issue(&name, s, sub, sc, w, is_second, t);                                     \
    }

#endif
