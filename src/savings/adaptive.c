// Adaptive idle detect (Warped Gates 5.1): at the end of every epoch the critical wakeups of each
// type (units woken in the very cycle in which their blackout ended) are looked at. More than the
// threshold make the type's idle-detect window a cycle longer at once; four epochs in a row within
// it make it a cycle shorter; it stays between two bounds. INT and FP have windows of their own.
#include "savings/gating.h"
#include "savings/savings_int.h"

enum { // numbers of its own counters, from the first
    OWN_idle_detect_cycles,
};

struct adaptive {
    struct gating *gating;
    uint32_t few, shrink_epochs, min, max; // options: critical wakeups, epochs, windows
    uint32_t quiet[2];                     // epochs in a row within the number, of INT and FP
    uint64_t critical[2];                  // critical wakeups up to the last epoch
    struct sm_clock_port clock;
};

static void epoch(void *self, const struct sm_view *v, uint64_t t) {
    struct adaptive *const k = self;
    struct gating *const g = k->gating;
    for (uint32_t type = GATE_TYPE_INT; type <= GATE_TYPE_FP; type++) {
        if (g->rule[type] == NULL) continue;
        const uint64_t all = gating_critical(g, type), now = all - k->critical[type];
        k->critical[type] = all;
        uint32_t window = g->idle_detect[type];
        if (now > k->few) {
            k->quiet[type] = 0;
            if (window < k->max) window++;
        } else if (++k->quiet[type] >= k->shrink_epochs) {
            k->quiet[type] = 0;
            if (window > k->min) window--;
        }
        if (window != g->idle_detect[type]) gating_set_window(g, v, type, window, t);
    }
}

static enum ww_status check(const struct savings *s, const struct sm_config *c, struct diags *d) {
    (void)c;
    const struct gate_rule *const rule = gating_rule(s);
    if (rule == NULL || !rule->has_blackout)
        return diag_add(d, WW_ERROR_CONFIG,
                        "adaptive-idle-detect needs naive-blackout or coordinated-blackout: "
                        "without a blackout there are no critical wakeups to follow");
    const uint32_t min = savings_value(s, "idle_detect_min"),
                   max = savings_value(s, "idle_detect_max"),
                   window = savings_value(s, "idle_detect");
    if (min > max)
        return diag_add(d, WW_ERROR_CONFIG, "idle_detect_min is %u, more than idle_detect_max %u",
                        min, max);
    if (window < min || window > max)
        return diag_add(d, WW_ERROR_CONFIG,
                        "idle_detect is %u, but adaptive-idle-detect keeps it from %u to %u",
                        window, min, max);
    return WW_OK;
}

static bool make(struct savings_sm *s, void *self, struct sm_technique *t) {
    struct adaptive *const k = self;
    k->gating = savings_gating(s);
    k->few = savings_value(&s->set, "critical_wakeups");
    k->shrink_epochs = savings_value(&s->set, "shrink_epochs");
    k->min = savings_value(&s->set, "idle_detect_min");
    k->max = savings_value(&s->set, "idle_detect_max");
    k->clock =
        (struct sm_clock_port){.epoch_cycles = savings_value(&s->set, "epoch"), .epoch = epoch};
    t->clock = &k->clock;
    return true;
}

// ---- what it is --------------------------------------------------------------------------------
// clang-format off
static const struct act_own counters[] = {
    {.at = OWN_idle_detect_cycles, .n = 2, .name = "idle_detect_cycles",
     .unit = "cycle cycles", .component = "exu",
     .prose = "idle-detect window of INT and of FP, summed over busy SM cycles (adaptive idle "
              "detect)",
     .free = "a setting over time"},
};
// clang-format on

// clang-format off
static const struct savings_option options[] = {
    {.name = "epoch", .value = 1000, .low = 1, .high = 1000000000, .unit = "cycles",
     .what = "between two looks at the critical wakeups", .source = "Warped Gates, MICRO-46, 5.1"},
    {.name = "critical_wakeups", .value = 5, .high = 1000000, .unit = "wakeups",
     .what = "more than these in an epoch make the window a cycle longer",
     .source = "Warped Gates, MICRO-46, 5.1"},
    {.name = "shrink_epochs", .value = 4, .low = 1, .high = 1000000, .unit = "epochs",
     .what = "epochs in a row within that number that make it a cycle shorter",
     .source = "Warped Gates, MICRO-46, 5.1"},
    {.name = "idle_detect_min", .value = 5, .high = 100000, .unit = "cycles",
     .what = "shortest window", .source = "Warped Gates, MICRO-46, 5.1"},
    {.name = "idle_detect_max", .value = 10, .high = 100000, .unit = "cycles",
     .what = "longest window", .source = "Warped Gates, MICRO-46, 5.1"},
};
// clang-format on
// clang-format off
static const struct savings_area areas[] = {
    {.line = "counters", .counter = "idle_detect_cycles", .n = 2, .component = "sm",
     .size = {.kind = SIZE_COUNTS, .per = PER_SM, .n = 2 * (4 + 3) + 10},
     .what = "windows and critical wakeups of two types, the epoch",
     .source = "Warped Gates, MICRO-46, 6"},
};
// clang-format on

const struct savings_part part_adaptive = {
    .name = "adaptive-idle-detect",
    .what = "the idle-detect windows of INT and of FP follow the critical wakeups of each epoch",
    .paper = "Warped Gates, MICRO-46, 5.1",
    .roles = ROLE_WINDOW,
    .counters = {PART_ROWS(counters)},
    .options = {PART_ROWS(options)},
    .areas = {PART_ROWS(areas)},
    .turn = TURN_WINDOWS,
    .check = check,
    .state_bytes = sizeof(struct adaptive),
    .make = make,
};
