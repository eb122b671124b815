// See savings.h.
#include "power/savings.h"

#include "savings/savings.h"

// Of one SM (MICRO-46, 7.5).
static const double counters_um2 = 1210.8, counters_dynamic_w = 1.55e-3,
                    counters_static_w = 1.21e-5, counters_hz = 700e6;

// Shift stages, result buffer, all-ones detectors and counters of Origami: dynamic power of a SIMT
// lane "every time the logic is activated by issuing a warp to one of the SP units", area of a GTX
// 480 (15 SMs of two SPs) beside that of its execution units (dissertation, 4.4.5: synthesised in
// 45 nm). Taken as published, all 32 lanes for each pass; the cycle is the 700 MHz of 4.4.1. Its
// leakage is not published: assumed to be the units' own, by area.
static const double shift_lane_w = 0.64e-3, shift_hz = 700e6, shift_mm2 = 0.055,
                    shift_units_mm2 = 32.7;
enum { PIPE_LANES = 32, SHIFT_CHIP_SPS = 15 * 2 };

static const struct {
    const char *name, *component;
    uint32_t domain, n, periods; // domains of activity.def; histogram of idle periods
} units[POWER_SAVING_UNITS] = {
    [POWER_SAVING_INT] = {"INT", "int", ACT_INT_DOMAIN, 8, ACT_idle_periods_int},
    [POWER_SAVING_FP] = {"FP", "fp", ACT_FP_DOMAIN, 8, ACT_idle_periods_fp},
    [POWER_SAVING_SFU] = {"SFU", "sfu", ACT_SFU_DOMAIN, 1, ACT_idle_periods_sfu},
    [POWER_SAVING_LDST] = {"LD/ST", "agu", ACT_LDST_DOMAIN, 1, ACT_idle_periods_ldst},
};

const char *power_saving_name(enum power_saving_unit u) { return units[u].name; }

static double sum(const struct activity *a, uint32_t act, uint32_t u) {
    double s = 0;
    for (uint32_t i = 0; i < units[u].n; i++) s += (double)a->c[act + units[u].domain + i];
    return s;
}

// Of single lanes, in cycles of a whole pipeline.
static double lane_sum(const struct activity *a, uint32_t act, uint32_t u) {
    return u > POWER_SAVING_FP ? 0 : sum(a, act, u) / PIPE_LANES;
}
static const uint32_t lane_periods[] = {[POWER_SAVING_INT] = ACT_lane_idle_periods_int,
                                        [POWER_SAVING_FP] = ACT_lane_idle_periods_fp};

static uint32_t default_break_even(void) {
    for (const struct savings_option_info *o = savings_option_info; o->name; o++)
        if (strcmp(o->name, "break_even") == 0) return o->fallback;
    return 0;
}

void power_savings(const struct power_tree *tree, const struct activity *a, double seconds,
                   struct power_savings *out) {
    *out = (struct power_savings){.any = a->c[ACT_gates_cycles] != 0};
    const double cycle_s = 1 / tree->core_hz;
    for (uint32_t u = 0; u < POWER_SAVING_UNITS; u++) {
        struct power_saving *const s = &out->unit[u];
        s->component = power_find(tree, units[u].component);
        if (s->component < 0) continue;
        const struct power_component *const p = &tree->component[s->component];
        const double leak_w = p->leak_sub_w + p->leak_gate_w;
        const unsigned domains = tree->sms * (units[u].n > 1 ? tree->clusters : 1);
        const double domain_cycle_j = leak_w / domains * cycle_s;
        const double lanes =
            lane_sum(a, ACT_lane_idle_cycles, u) + lane_sum(a, ACT_lane_busy_cycles, u);
        const double off = sum(a, ACT_gate_uncompensated, u) + sum(a, ACT_gate_compensated, u) +
                           lane_sum(a, ACT_lane_uncompensated, u) +
                           lane_sum(a, ACT_lane_compensated, u);
        const double overhead = sum(a, ACT_gate_overhead, u) + lane_sum(a, ACT_lane_overhead, u),
                     events = sum(a, ACT_gate_events, u) + lane_sum(a, ACT_lane_events, u);
        s->still_j = leak_w * seconds;
        s->by_lanes = lanes > 0;
        s->is_gated = s->by_lanes || off + sum(a, ACT_gate_on_idle, u) > 0;
        s->saved_j = off * domain_cycle_j;
        s->overhead_j = overhead * domain_cycle_j;
        const uint32_t break_even =
            events > 0 ? (uint32_t)(overhead / events + 0.5) : default_break_even();
        const double bound =
            s->by_lanes
                ? (double)savings_oracle(&a->c[lane_periods[u]],
                                         (uint64_t)sum(a, ACT_lane_idle_cycles, u), break_even) /
                      PIPE_LANES
                : (double)savings_oracle(
                      &a->c[units[u].periods],
                      (uint64_t)(sum(a, ACT_idle_cycles, u) - sum(a, ACT_idle_sent, u)),
                      break_even);
        s->oracle_j = bound * domain_cycle_j;
        out->any = out->any || s->is_gated;
        if (u > POWER_SAVING_FP || a->c[ACT_shift_logic_cycles] == 0) continue;
        s->logic_dynamic_j =
            shift_lane_w / shift_hz * PIPE_LANES * (double)a->c[ACT_shift_logic_uses + u];
        s->logic_static_j = leak_w / tree->sms * (shift_mm2 / shift_units_mm2) * cycle_s *
                            (double)a->c[ACT_shift_logic_cycles];
        out->logic_mm2 = shift_mm2 / SHIFT_CHIP_SPS * tree->sms * tree->clusters;
    }
    if (a->c[ACT_gates_cycles] == 0) return;
    out->counters_dynamic_j = counters_dynamic_w / counters_hz * (double)a->c[ACT_gates_cycles];
    out->counters_static_j = counters_static_w * cycle_s * (double)a->c[ACT_gates_cycles];
    out->counters_mm2 = counters_um2 * 1e-6 * tree->sms;
}

double power_savings_apply(const struct power_tree *tree, const struct activity *a,
                           struct power_usage *usage) {
    struct power_savings s;
    power_savings(tree, a, usage->seconds, &s);
    if (!s.any) return 0;
    double less = 0;
    for (uint32_t u = 0; u < POWER_SAVING_UNITS; u++) {
        if (s.unit[u].component < 0) continue;
        const double net = s.unit[u].saved_j - s.unit[u].overhead_j - s.unit[u].logic_static_j;
        usage->static_j[s.unit[u].component] -= net;
        usage->dynamic_j[s.unit[u].component] += s.unit[u].logic_dynamic_j;
        less += net;
    }
    const int scheduler = power_find(tree, "scheduler");
    if (scheduler >= 0) {
        usage->dynamic_j[scheduler] += s.counters_dynamic_j;
        usage->static_j[scheduler] += s.counters_static_j;
        less -= s.counters_static_j;
    }
    return less;
}
