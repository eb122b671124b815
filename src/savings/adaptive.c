// Adaptive idle detect (Warped Gates 5.1): at the end of every epoch the critical wakeups of each
// type (units woken in the very cycle in which their blackout ended) are looked at. More than the
// threshold make the type's idle-detect window a cycle longer at once; four epochs in a row within
// it make it a cycle shorter; it stays between two bounds. INT and FP have windows of their own.
#include "savings/savings_int.h"

static void epoch(void *self, const struct sm_view *v, uint64_t t) {
    struct savings_sm *const s = self;
    struct gating *const g = &s->gating;
    const struct savings_options *const o = &s->set.o;
    for (uint32_t type = GATE_TYPE_INT; type <= GATE_TYPE_FP; type++) {
        if (g->rule[type] == NULL) continue;
        const uint64_t all = gating_critical(g, type), now = all - s->adaptive.critical[type];
        s->adaptive.critical[type] = all;
        uint32_t *const quiet = &s->adaptive.quiet[type];
        uint32_t window = g->idle_detect[type];
        if (now > o->critical_wakeups) {
            *quiet = 0;
            if (window < o->idle_detect_max) window++;
        } else if (++*quiet >= o->shrink_epochs) {
            *quiet = 0;
            if (window > o->idle_detect_min) window--;
        }
        if (window != g->idle_detect[type]) gating_set_window(g, v, type, window, t);
    }
}

void adaptive_init(struct savings_sm *s, struct sm_technique *t) {
    s->adaptive.clock = (struct sm_clock_port){.epoch_cycles = s->set.o.epoch, .epoch = epoch};
    *t = (struct sm_technique){
        .name = "adaptive-idle-detect", .self = s, .clock = &s->adaptive.clock};
}
