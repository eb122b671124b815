// Power gating of whole SMs, the coarse grain that finer gating is compared with (Wang et al.,
// Power Gating Strategies on GPUs, TACO 2011: shader clusters that a frame does not need are off).
// An SM that holds no CTA for sm_idle_detect cycles is switched off as a whole: registers, shared
// memory and caches lose what they hold. The first CTA that it is given wakes it: its warps begin
// sm_wakeup cycles later, with cold caches, and it leaks meanwhile. Before its first CTA an SM is
// off. Who is off is a matter of timestamps; nothing is predicted, as launches give no warning.
//
// What an SM does not hold is nobody's work, so times are counted by their rest: an SM without work
// is on for a while and off otherwise (close). Lines of caches that another technique puts away in
// SMs without work would be saved twice, so it excludes them.
#include "activity/sm.h"
#include "savings/savings_int.h"

enum { // numbers of its own counters, from the first
    OWN_sm_gate_on_idle,
    OWN_sm_gate_off,
    OWN_sm_gate_wakeups,
    OWN_sm_gate_overhead,
    OWN_sm_gate_waking,
};

struct sm_gating {
    uint64_t idle_detect, break_even, wakeup; // options: cycles
    bool has_worked, works;
    uint64_t idle_since;     // of an SM that has worked and works no more
    uint64_t on_idle, wakes; // cycles on of idle periods that are over; times woken
};

static uint64_t less(uint64_t a, uint64_t b) { return a < b ? a : b; }

static uint32_t wake(void *self, uint64_t cycle, bool *is_cold) {
    struct sm_gating *const k = self;
    const uint64_t gap = cycle - k->idle_since;
    if (k->has_worked) k->on_idle += less(gap, k->idle_detect);
    if (k->has_worked && gap <= k->idle_detect) return 0; // still on
    k->wakes++;
    *is_cold = true;
    return (uint32_t)k->wakeup;
}

static void work(void *self, const struct sm_view *v, bool begins, uint64_t cycle) {
    (void)v;
    struct sm_gating *const k = self;
    k->works = begins;
    k->has_worked = true;
    if (!begins) k->idle_since = cycle;
}

static void count(const void *self, const struct sm_view *v, struct activity *a, uint64_t now) {
    (void)v;
    const struct sm_gating *const k = self;
    uint64_t *const c = savings_own(a, SAVINGS_sm_gating);
    const bool is_open = k->has_worked && !k->works && now > k->idle_since;
    c[OWN_sm_gate_on_idle] += k->on_idle;
    if (is_open) c[OWN_sm_gate_on_idle] += less(now - k->idle_since, k->idle_detect);
    c[OWN_sm_gate_wakeups] += k->wakes;
    c[OWN_sm_gate_overhead] += k->wakes * k->break_even;
    c[OWN_sm_gate_waking] += k->wakes * k->wakeup;
}

static void close(const struct savings *s, const struct sm_config *c, uint32_t sms,
                  uint64_t l2_lines, uint64_t cycles, struct activity *a) {
    (void)s, (void)c, (void)l2_lines;
    uint64_t *const own = savings_own(a, SAVINGS_sm_gating);
    const uint64_t all = sms * cycles, busy = less(a->c[ACT_sm_busy_cycles], all);
    own[OWN_sm_gate_on_idle] = less(own[OWN_sm_gate_on_idle], all - busy);
    own[OWN_sm_gate_off] = all - busy - own[OWN_sm_gate_on_idle];
}

static enum ww_status check(const struct savings *s, const struct sm_config *c, struct diags *d) {
    (void)c;
    FOR_EACH_BIT32(m, s->mechanisms) {
        const struct savings_part *const p = savings_part(m);
        if (p != &part_sm_gating && p->close != NULL)
            return diag_add(
                d, WW_ERROR_CONFIG,
                "sm-gating, %s do not go together: each saves what lines of caches leak "
                "in an SM without work",
                p->name);
    }
    return WW_OK;
}

static const struct sm_life_port life = {.wake = wake, .work = work};

static bool make(struct savings_sm *s, void *self, struct sm_technique *t) {
    (void)t;
    struct sm_gating *const k = self;
    k->idle_detect = savings_value(&s->set, "sm_idle_detect");
    k->break_even = savings_value(&s->set, "sm_break_even");
    k->wakeup = savings_value(&s->set, "sm_wakeup");
    return true;
}

// ---- what it is --------------------------------------------------------------------------------
// clang-format off
static const struct act_own counters[] = {
    {.at = OWN_sm_gate_on_idle, .name = "sm_gate_on_idle", .unit = "SM cycles", .component = "sm",
     .prose = "gating of SMs: cycles in which an SM without work was still on",
     .free = "an SM that is on leaks as without the technique"},
    {.at = OWN_sm_gate_off, .name = "sm_gate_off", .unit = "SM cycles", .component = "sm",
     .prose = "gating of SMs: cycles in which an SM was off"},
    {.at = OWN_sm_gate_wakeups, .name = "sm_gate_wakeups", .unit = "events", .component = "sm",
     .prose = "gating of SMs: times that an SM was woken", .free = "sm_gate_overhead pays"},
    {.at = OWN_sm_gate_overhead, .name = "sm_gate_overhead", .unit = "SM cycles", .component = "sm",
     .prose = "gating of SMs: cycles of leakage that switching off and on costs: the break-even "
              "time of each wakeup"},
    {.at = OWN_sm_gate_waking, .name = "sm_gate_waking", .unit = "SM cycles", .component = "sm",
     .prose = "gating of SMs: cycles in which an SM with a CTA was waking",
     .free = "a waking SM leaks as one that is on"},
};
static const struct savings_option options[] = {
    {.name = "sm_idle_detect", .value = 200, .high = 1000000000, .unit = "cycles",
     .what = "without a CTA after which an SM is switched off",
     .source = "assumed: longer than the next CTA of a running kernel takes to come"},
    {.name = "sm_break_even", .value = 14, .low = 1, .high = 1000000, .unit = "cycles",
     .what = "of an SM's leakage that switching it off and on costs",
     .source = "Hu et al., ISLPED 2004, of an execution unit: leakage and sleep device grow alike"},
    {.name = "sm_wakeup", .value = 100, .high = 1000000, .unit = "cycles",
     .what = "from an SM's first CTA to its warps",
     .source = "assumed: an SM is some hundred execution units, woken in turn for the sake of the "
               "supply"},
};
// clang-format on

#define WANG "after Wang et al., TACO 2011"
// clang-format off
static const struct savings_line lines[] = {
    {.key = "sms", .name = "SMs", .kind = LINE_LEAKAGE, .component = "sm",
     .what = "whole SMs that are off"},
    {.key = "sm_idle", .name = "SM clk", .kind = LINE_EVENTS, .component = "sm_idle",
     .what = "clocks of SMs without work"},
};
static const struct savings_effect effects[] = {
    {.line = "sms", .counter = "sm_gate_off", .component = "sm", .sign = SAVES,
     .price = {.kind = PRICE_LEAK_BELOW, .per = PER_SM, .share = 1},
     .why = "an SM that is off does not leak", .source = WANG},
    {.line = "sms", .counter = "sm_gate_overhead", .component = "sm", .sign = COSTS,
     .price = {.kind = PRICE_LEAK_BELOW, .per = PER_SM, .share = 1},
     .why = "switching off costs the leakage of the break-even time", .source = WANG},
    {.line = "sm_idle", .counter = "sm_gate_off", .component = "sm_idle", .sign = SAVES,
     .price = {.kind = PRICE_ACCESS, .event = "sm_idle_cycles", .share = 1},
     .why = "its clock stands still", .source = WANG},
};
static const struct savings_area areas[] = {
    {.line = "sms", .counter = "sm_gate_off", .component = "sm",
     .size = {.kind = SIZE_HEADERS, .share = 0.1},
     .what = "sleep devices, a tenth of what they feed",
     .source = "assumed, as those of execution units"},
};
// clang-format on

const struct savings_part part_sm_gating = {
    .name = "sm-gating",
    .what = "an SM that holds no CTA is switched off as a whole",
    .paper = "Wang et al., Power Gating Strategies on GPUs, TACO 2011, for programs without frames",
    .counters = {PART_ROWS(counters)},
    .options = {PART_ROWS(options)},
    .lines = {PART_ROWS(lines)},
    .effects = {PART_ROWS(effects)},
    .areas = {PART_ROWS(areas)},
    .check = check,
    .state_bytes = sizeof(struct sm_gating),
    .ports = {.life = &life, .counts_idle = true, .count = count},
    .make = make,
    .close = close,
};
