// The step of an SM (step.h) for each kind of SM.
#include "sm/step_kind.h"

STEP_INLINE uint64_t cycle(const struct step_kind *k, struct sm *s, uint64_t t) {
    struct sm *const alone[] = {s};
    arrive(k, s, t);
    const bool issued = turns(k, (struct step_crew){.member = alone, .n = 1}, t);
    leave(k, s, issued, t);
    return next_cycle(k, s, issued, t);
}

// The first that has what an SM needs is its own.
#define KINDS(KIND)                                                                                \
    KIND(plain, scoreboard, .many = false)                                                         \
    KIND(many_plain, scoreboard, .many = true)                                                     \
    KIND(full, scoreboard, .full = true)                                                           \
    KIND(many_full, scoreboard, .many = true, .full = true)                                        \
    KIND(control_plain, control, .many = true)                                                     \
    KIND(control_full, control, .many = true, .full = true)

#define CYCLE(name, ...)                                                                           \
    STEP_KIND(name, __VA_ARGS__)                                                                   \
    STEP_WHOLE static uint64_t cycle_##name(struct sm *s, uint64_t t) { return cycle(&name, s, t); }
KINDS(CYCLE)

void step_choose(struct sm *s) {
    static const struct {
        const struct step_kind *kind;
        uint64_t (*cycle)(struct sm *s, uint64_t t);
    } of[] = {
#define ROW(name, ...) {&name, cycle_##name},
        KINDS(ROW)
#undef ROW
    };
    const bool is_full =
        s->tech.all.n != 0 || s->toggle != NULL || s->c.lane_group_at != LANE_GROUP_AT_ISSUE;
    const bool is_many = s->n_subs != 1;
    size_t i = 0;
    while (of[i].kind->ready->dependences != s->c.dependences || of[i].kind->full < is_full ||
           of[i].kind->many < is_many)
        i++;
    s->ready = of[i].kind->ready;
    s->step = of[i].cycle;
}
