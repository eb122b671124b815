// Single lanes of INT and FP pipelines, which lane-pg gates, lane-meter only looks at, and warp
// folding and lane shifting make idle. Conventional gating: a lane
// goes off after idle_detect idle cycles and is woken when a warp needs it; with folding on, the
// upper lanes of each quad go off in their first idle cycle instead (eager gating, 4.3.3). A
// warp may issue to a pipeline all of whose lanes that it needs are on; which these are follows
// from its active mask, which the scheduler sees, not from its guard.
//
// A lane is idle while no instruction that uses it is in the pipeline's stages or, issued, on its
// way there. The two stages of the shift network lie before and behind the lanes and stay on. An
// instruction of the second half-warp is on the lanes one interval after the first.
#include "activity/sm.h"
#include "exec/level.h"
#include "savings/gating.h"
#include "savings/lane.h"
#include "savings/savings_int.h"
#include "sm/config.h"

enum { // numbers of its own counters, from the first
    OWN_lane_busy_cycles,
    OWN_lane_idle_cycles = OWN_lane_busy_cycles + 16,
    OWN_lane_idle_periods_int = OWN_lane_idle_cycles + 16,
    OWN_lane_idle_periods_fp = OWN_lane_idle_periods_int + ACT_IDLE_LENGTHS,
    OWN_lane_on_idle = OWN_lane_idle_periods_fp + ACT_IDLE_LENGTHS,
    OWN_lane_uncompensated = OWN_lane_on_idle + 16,
    OWN_lane_compensated = OWN_lane_uncompensated + 16,
    OWN_lane_wakeup = OWN_lane_compensated + 16,
    OWN_lane_events = OWN_lane_wakeup + 16,
    OWN_lane_overhead = OWN_lane_events + 16,
    OWN_lane_wakeups = OWN_lane_overhead + 16,
    OWN_lane_early_wakeups = OWN_lane_wakeups + 16,
    OWN_lane_issues = OWN_lane_early_wakeups + 16,
};

// ---- time --------------------------------------------------------------------------------------
// Times farther back than TRIM cycles are moved at least every TRIM cycles; KEEP of them are left.
// See trim().
enum { TRIM = 1 << 20, KEEP = 1 << 18 };

static struct lane_plan plan_of(const struct lanes *l, uint32_t type, uint64_t t) {
    const bool is_eager = l->is_eager && l->fold[type].to > t;
    const uint32_t now = (uint32_t)t;
    return (struct lane_plan){.window = l->idle_detect,
                              .eager_from = is_eager ? (uint32_t)l->fold[type].from : now,
                              .eager_to = is_eager ? (uint32_t)l->fold[type].to : now - KEEP};
}

// Cycles are kept as 32 bits, so nothing may lie 2^31 back. What a lane has been idle and off for
// long counts now, and it is as if it had been for KEEP cycles only, longer than any period or
// break-even time that is told from longer ones.
static void trim(const struct lanes *l, struct lane_pipe *x, uint64_t t) {
    const uint32_t now = (uint32_t)t, from = now - KEEP;
    l->steps->account(x);
    for (uint32_t i = 0; i < LANE_MAX; i++) {
        const bool is_off = x->off >> i & 1;
        const int32_t idle = (int32_t)(from - x->until[i]), off = (int32_t)(from - x->off_from[i]);
        if (idle > 0) {
            if (l->all >> i & 1) x->idle += (uint32_t)idle;
            x->until[i] = from;
        }
        if (off > 0 && is_off) x->sum.compensated += (uint32_t)off;
        if (off > 0) x->off_from[i] = from;
        if ((int32_t)(from - x->from[i]) > 0) x->from[i] = from;
        if ((int32_t)(from - x->wakes[i]) > 0) x->wakes[i] = from;
        if ((int32_t)(from - x->idle_from[i]) > 0) x->idle_from[i] = from;
        if ((int32_t)(from - x->not_before[i]) > 0) x->not_before[i] = from;
    }
}

// Time has passed up to and with cycle t.
static void settle(struct lanes *l, uint64_t t) {
    l->settled = t;
    if (l->shown.look_at[0] <= t) l->steps->settle_type(l, 0, t);
    if (l->shown.look_at[1] <= t) l->steps->settle_type(l, 1, t);
}

// Everything is to be looked at anew.
static void look_now(struct lanes *l) {
    for (uint32_t type = 0; type < LANE_TYPES; type++)
        l->shown.look_at[type] = l->is_busy && l->type_gated[type] ? 0 : DOMAIN_NEVER;
}

static void trim_all(struct lanes *l, uint64_t t) {
    for (uint64_t at = l->trim_at; at <= t; at += TRIM) {
        settle(l, at);
        FOR_EACH_BIT64(p, l->pipes) {
            l->steps->end_booking(l, (uint32_t)p);
            trim(l, &l->pipe[p], at);
        }
        l->trim_at = at + TRIM;
        look_now(l);
    }
}

// Lanes are looked at where a warp needs them; here only what lies far back.
static void epoch(void *self, const struct sm_view *v, uint64_t t) {
    (void)v;
    struct lanes *const l = self;
    if (t < l->trim_at) return;
    trim_all(l, t);
    settle(l, t);
}

void lanes_fold_in(struct lanes *l, uint64_t now, const uint64_t to[LANE_TYPES]) {
    if (ww_unlikely(now > l->trim_at)) trim_all(l, now - 1);
    if (now > l->settled + 1) settle(l, now - 1);
    for (uint32_t type = 0; type < LANE_TYPES; type++) {
        const uint64_t had = l->fold[type].to;
        if (had > l->fold[type].from)
            l->fold_cycles[type] += (had < now ? had : now) - l->fold[type].from;
        l->fold[type].from = now;
        l->fold[type].to = to[type];
        if (had <= now && to[type] <= now) continue; // it did not fold and does not
        const struct lane_plan plan = plan_of(l, type, now);
        for (uint32_t p = type * SM_MAX_LANE_GROUPS; p < type * SM_MAX_LANE_GROUPS + l->lane_groups;
             p++) {
            l->steps->end_booking(l, p);
            l->book[p].asked = 0;
            if (l->type_gated[type] && l->pipe[p].off != l->all) l->steps->plan(&l->pipe[p], &plan);
        }
        if (l->type_gated[type]) lanes_look_at(l, type, now);
    }
    settle(l, now);
}

uint64_t lanes_folded(const struct lanes *l, uint32_t type) {
    uint64_t n = l->folded[type];
    FOR_EACH_BIT64(p, l->pipes)
        if (lane_type((uint32_t)p) == type) n += l->book[p].folded & l->book[p].issues;
    return n;
}

// ---- busy times and counts ---------------------------------------------------------------------
static void begin(struct lanes *l, uint32_t pipe, uint64_t t) {
    struct lane_pipe *const x = &l->pipe[pipe];
    struct lane_book *const f = &l->book[pipe];
    const uint32_t now = (uint32_t)t;
    x->off = x->waking = x->hot = 0;
    f->asleep = f->asked = 0;
    f->wake_at = DOMAIN_NEVER;
    for (uint32_t i = 0; i < LANE_MAX; i++) {
        x->until[i] = x->from[i] = x->wakes[i] = x->idle_from[i] = x->not_before[i] = now;
        x->off_from[i] = now + (l->all >> i & 1 ? l->idle_detect : 0);
    }
    x->n_log = 0;
    x->last_to = t;
    f->off = f->folded = 0;
    l->shown.on[pipe] = ~0ull;
    f->needed = l->need[0];
}

static void add_off(const struct lanes *l, struct lane_pipe *x, uint32_t cycles) {
    const uint32_t before = cycles < l->times.break_even ? cycles : l->times.break_even;
    x->sum.uncompensated += before;
    x->sum.compensated += cycles - before;
}

// Closes all times at cycle t: nothing is counted from there on, or of what lies ahead.
static void end(const struct lanes *l, struct lane_pipe *x, uint64_t t) {
    const uint32_t now = (uint32_t)t;
    l->steps->account(x);
    FOR_EACH_BIT32(i, l->all) {
        const int32_t idle = (int32_t)(now - x->until[i]), begun = (int32_t)(now - x->from[i]);
        if (idle > 0) {
            x->idle += (uint32_t)idle;
        } else {
            x->idle -= begun > 0 ? 0 : x->from[i] - now;
        }
        if (x->waking >> i & 1) x->sum.wakeup += now - (x->wakes[i] - l->times.wakeup_delay);
        if ((x->off >> i & 1) && (int32_t)(now - x->off_from[i]) > 0)
            add_off(l, x, now - x->off_from[i]);
    }
}

// The idle period of each lane that t ends.
static void add_periods(const struct lanes *l, struct lane_pipe *x, uint64_t t) {
    FOR_EACH_BIT32(i, l->all) {
        const int32_t idle = (int32_t)((uint32_t)t - x->until[i]);
        if (idle > 0) x->periods[idle < ACT_IDLE_LENGTHS - 1 ? idle : ACT_IDLE_LENGTHS - 1]++;
    }
}

static void work(void *self, const struct sm_view *v, bool begins, uint64_t t) {
    (void)v;
    struct lanes *const l = self;
    if (!begins && t > l->trim_at) trim_all(l, t - 1);
    if (l->is_busy) l->elapsed += t - l->since;
    l->since = t;
    l->is_busy = begins;
    l->settled = t;
    l->trim_at = begins ? t + TRIM : DOMAIN_NEVER;
    look_now(l);
    l->part = 0;
    FOR_EACH_BIT64(p, l->pipes) {
        struct lane_pipe *const x = &l->pipe[p];
        l->steps->end_booking(l, (uint32_t)p);
        if (begins) {
            begin(l, (uint32_t)p, t);
            continue;
        }
        if (l->type_gated[lane_type((uint32_t)p)])
            l->steps->settle(x, l->all, (uint32_t)(t - 1), l->times.wakeup_delay);
        l->steps->account(x);
        add_periods(l, x, t);
        end(l, x, t);
        l->book[p].off = 0;
        l->shown.on[p] = ~0ull;
    }
    if (begins) return;
    for (uint32_t type = 0; type < LANE_TYPES; type++) {
        const uint64_t to = l->fold[type].to < t ? l->fold[type].to : t;
        if (to > l->fold[type].from) l->fold_cycles[type] += to - l->fold[type].from;
        l->fold[type].from = l->fold[type].to = 0;
    }
}

static void count_pipe(const struct lanes *l, uint32_t index, uint64_t *c, uint64_t now) {
    struct lane_pipe x = l->pipe[index]; // the open times are closed in a copy
    const struct lane_book *const f = &l->book[index];
    const uint32_t type = lane_type(index), k = l->weight;
    if (l->is_busy && now > 0) {
        if (x.hot != 0) {
            x.log[x.n_log] = lane_booked(&x, f);
            if (l->type_gated[type]) l->steps->hold(&x, &x.log[x.n_log], l->idle_detect);
            x.n_log++;
            l->steps->account(&x);
            x.idle += f->idle * f->n;
        }
        for (uint64_t at = l->trim_at; at < now; at += TRIM) { // long since the last look
            if (l->type_gated[type])
                l->steps->settle(&x, l->all, (uint32_t)at, l->times.wakeup_delay);
            trim(l, &x, at);
        }
        if (l->type_gated[type])
            l->steps->settle(&x, l->all, (uint32_t)(now - 1), l->times.wakeup_delay);
        end(l, &x, now);
    }
    const uint64_t elapsed = l->elapsed + (l->is_busy && now > l->since ? now - l->since : 0);
    c[OWN_lane_busy_cycles + index] += k * (elapsed * l->width - x.idle);
    c[OWN_lane_idle_cycles + index] += k * x.idle;
    const uint32_t periods = type == 0 ? OWN_lane_idle_periods_int : OWN_lane_idle_periods_fp;
    for (uint32_t i = 1; i < ACT_IDLE_LENGTHS; i++) c[periods + i] += k * x.periods[i];
    if (!l->type_gated[type]) return;
    const uint64_t off = x.sum.uncompensated + x.sum.compensated;
    c[OWN_lane_on_idle + index] += k * (x.idle - off - x.sum.wakeup);
    c[OWN_lane_uncompensated + index] += k * x.sum.uncompensated;
    c[OWN_lane_compensated + index] += k * x.sum.compensated;
    c[OWN_lane_wakeup + index] += k * x.sum.wakeup;
    c[OWN_lane_events + index] += k * x.sum.events;
    c[OWN_lane_overhead + index] += k * x.sum.events * l->times.break_even;
    c[OWN_lane_wakeups + index] += k * x.sum.wakeups;
    c[OWN_lane_early_wakeups + index] += k * x.sum.early_wakeups;
}

static void count(const void *self, const struct sm_view *v, struct activity *a, uint64_t now) {
    (void)v;
    const struct lanes *const l = self;
    uint64_t *const c = savings_own(a, SAVINGS_lanes);
    const struct lane_numbers *const at = &l->at;
    FOR_EACH_BIT64(p, l->pipes) count_pipe(l, (uint32_t)p, c, now);
    for (uint32_t type = 0; type < LANE_TYPES; type++) {
        const uint64_t folded = lanes_folded(l, type);
        uint64_t issues = l->issues[type];
        FOR_EACH_BIT64(p, l->pipes)
            if (lane_type((uint32_t)p) == type) issues += l->book[p].issues;
        c[OWN_lane_issues + type] += issues;
        a->c[at->folded + type] += folded;
        a->c[at->spared + type] += l->spared[type];
        if (l->stages != 0) a->c[at->uses + type] += issues + folded;
        a->c[at->fold_cycles + type] += l->fold_cycles[type];
        const uint64_t to = l->fold[type].to < now ? l->fold[type].to : now;
        if (l->is_busy && to > l->fold[type].from)
            a->c[at->fold_cycles + type] += to - l->fold[type].from;
    }
    a->c[at->shifts] += l->shifted;
    FOR_EACH_BIT64(p, l->pipes)
        if (l->pipe[p].is_shifted) a->c[at->shifts] += l->book[p].issues;
    if (l->folds || l->shifts) a->c[at->stage_cycles] = a->c[ACT_sm_busy_cycles];
}

// ---- making ------------------------------------------------------------------------------------
extern const struct lane_steps lane_steps_base, lane_steps_v3, lane_steps_v4;
static const struct lane_steps *steps_of_host(void) {
#if defined(__x86_64__)
    const char *const level = exec_simd_level();
    if (strcmp(level, "v4") == 0) return &lane_steps_v4;
    if (strcmp(level, "v3") == 0) return &lane_steps_v3;
#endif
    return &lane_steps_base;
}

// Lanes of an INT or FP pipeline: see lane.h. A power of two.
static uint32_t lanes_width(const struct sm_config *c) {
    const uint32_t a = c->timing[OPC_INT_ADD].interval, b = c->timing[OPC_FP_ADD].interval,
                   n = a < b ? a : b;
    uint32_t width = LANE_MAX;
    while (width > 1 && width * n > LANE_MAX) width /= 2;
    return width;
}

struct lanes *savings_lanes(struct savings_sm *s) {
    return s->state[SAVINGS_lanes];
}

enum ww_status lanes_check(const struct savings *s, const struct sm_config *c, const char *name,
                           struct diags *d) {
    if ((s->mechanisms & savings_users(SAVINGS_lanes)) == 0)
        return diag_add(d, WW_ERROR_CONFIG,
                        "%s needs lane-pg (or lane-meter, to measure only): it makes single "
                        "lanes idle, and %s",
                        name,
                        gating_rule(s) != NULL
                            ? "gating of whole pipelines switches off no single lane"
                            : "nothing looks at single lanes");
    if (lanes_width(c) < LANE_QUAD)
        return diag_add(d, WW_ERROR_CONFIG,
                        "%s moves threads between %u lanes that lie together, the GPU's pipelines "
                        "have %u (a warp takes %u cycles)",
                        name, LANE_QUAD, lanes_width(c), LANE_MAX / lanes_width(c));
    return WW_OK;
}

static const char *wrong(const void *self) {
    const struct lanes *const l = self;
    return l->worked_off ? "a lane that was off was given work: please report it with the "
                           "technique, the GPU file and the program"
                         : NULL;
}

static const struct sm_life_port life = {.work = work};
static const struct sm_clock_port clock_port = {.epoch_cycles = TRIM, .epoch = epoch};

static bool make(struct savings_sm *s, void *self, struct sm_technique *t) {
    struct lanes *const l = self;
    const struct savings *const o = &s->set;
    const bool is_gated = savings_has(o, SAVINGS_lane_pg);
    l->folds = savings_has(o, SAVINGS_warp_folding);
    l->shifts = savings_has(o, SAVINGS_lane_shifting);
    l->is_eager = is_gated && l->folds && savings_value(o, "eager_gating");
    l->type_gated[0] = is_gated && savings_value(o, "gate_int");
    l->type_gated[1] = is_gated && savings_value(o, "gate_fp");
    l->times =
        (struct gate_times){savings_value(o, "break_even"), savings_value(o, "wakeup_delay")};
    l->idle_detect = savings_value(o, "idle_detect");
    l->width = lanes_width(s->c);
    l->all = l->width == LANE_MAX ? UINT32_MAX : (1u << l->width) - 1;
    l->weight = LANE_MAX / l->width;
    l->stages = l->folds || l->shifts ? savings_value(o, "shift_stages") : 0;
    l->before = l->stages / 2 + l->stages % 2;
    const uint64_t lane_groups = (1ull << s->c->lane_groups) - 1;
    l->pipes = lane_groups << SM_PIPE_INT | lane_groups << SM_PIPE_FP;
    l->lane_groups = s->c->lane_groups;
    l->finds = s->c->lane_group_at == LANE_GROUP_AT_ENTRY;
    l->steps = steps_of_host();
    l->trim_at = DOMAIN_NEVER;
    look_now(l);
    for (uint32_t i = 0; i < LANE_PIPES; i++) {
        l->shown.on[i] = ~0ull;
        l->book[i] = (struct lane_book){.lanes = UINT64_MAX,
                                        .off_from = DOMAIN_NEVER,
                                        .window = l->type_gated[lane_type(i)] ? l->idle_detect
                                                                              : DOMAIN_NEVER / 2,
                                        .needed = l->need[0]};
    }
    l->at = (struct lane_numbers){.folded = act_number("folded"),
                                  .spared = act_number("fold_spared"),
                                  .fold_cycles = act_number("fold_cycles"),
                                  .shifts = act_number("lane_shifts"),
                                  .uses = act_number("shift_logic_uses"),
                                  .stage_cycles = act_number("shift_logic_cycles")};
    l->port = l->steps->port;
    l->port.lanes = is_gated ? &l->shown : NULL;
    t->lanes = &l->port;
    return true;
}

// ---- what it is --------------------------------------------------------------------------------
// A pipeline has 32 lanes here: where it has fewer in truth each counts as several, so 32 lane cycles
// are a pipe cycle. INT of lane group 0 to 7, then FP.
// clang-format off
static const struct act_own counters[] = {
    {.at = OWN_lane_busy_cycles, .n = 16, .name = "lane_busy_cycles",
     .unit = "lane cycles", .component = "exu",
     .prose = "cycles in which lanes held work, the shift stages around them left out",
     .free = "time: what a lane does is charged by thread_by_class"},
    {.at = OWN_lane_idle_cycles, .n = 16, .name = "lane_idle_cycles",
     .unit = "lane cycles", .component = "exu",
     .prose = "cycles in which lanes held no work", .free = "as gate_on_idle, of single lanes"},
    {.at = OWN_lane_idle_periods_int, .n = ACT_IDLE_LENGTHS, .name = "lane_idle_periods_int",
     .unit = "periods", .component = "exu",
     .prose = "idle periods of single INT lanes that lasted n cycles, n = 0..62, or 63 and more",
     .free = "a histogram of lane_idle_cycles"},
    {.at = OWN_lane_idle_periods_fp, .n = ACT_IDLE_LENGTHS, .name = "lane_idle_periods_fp",
     .unit = "periods", .component = "exu",
     .prose = "idle periods of single FP lanes, by length",
     .free = "a histogram of lane_idle_cycles"},
    {.at = OWN_lane_on_idle, .n = 16, .name = "lane_on_idle",
     .unit = "lane cycles", .component = "exu",
     .prose = "lane gating: idle cycles in which lanes were on (idle-detect)",
     .free = "as gate_on_idle, of single lanes"},
    {.at = OWN_lane_uncompensated, .n = 16, .name = "lane_uncompensated",
     .unit = "lane cycles", .component = "exu",
     .prose = "lane gating: cycles off before the break-even time"},
    {.at = OWN_lane_compensated, .n = 16, .name = "lane_compensated",
     .unit = "lane cycles", .component = "exu",
     .prose = "lane gating: cycles off after the break-even time"},
    {.at = OWN_lane_wakeup, .n = 16, .name = "lane_wakeup",
     .unit = "lane cycles", .component = "exu",
     .prose = "lane gating: cycles in which lanes were waking",
     .free = "as gate_wakeup, of single lanes"},
    {.at = OWN_lane_events, .n = 16, .name = "lane_events", .unit = "events", .component = "exu",
     .prose = "lane gating: times that a lane was switched off", .free = "lane_overhead pays"},
    {.at = OWN_lane_overhead, .n = 16, .name = "lane_overhead",
     .unit = "lane cycles", .component = "exu",
     .prose = "lane gating: cycles of leakage that switching off and on costs: the break-even "
              "time of each event"},
    {.at = OWN_lane_wakeups, .n = 16, .name = "lane_wakeups", .unit = "events", .component = "exu",
     .prose = "lane gating: times that a lane was woken",
     .free = "paid with the event that switched off"},
    {.at = OWN_lane_early_wakeups, .n = 16, .name = "lane_early_wakeups",
     .unit = "events", .component = "exu",
     .prose = "lane gating: of these, before the break-even time",
     .free = "a part of lane_wakeups"},
    {.at = OWN_lane_issues, .n = 2, .name = "lane_issues",
     .unit = "warp instructions", .component = "exu",
     .prose = "INT and FP instructions issued while lanes were looked at",
     .free = "a part of warp_instructions"},
};
// clang-format on

// A lane is a 32nd of its pipeline's leakage; the rest is as for whole pipelines (gating.c).
#define LANES "dissertation, 2.3 and 4.3"
// clang-format off
static const struct savings_effect effects[] = {
    {.line = "int", .counter = "lane_uncompensated", .and = "lane_compensated",
     .first = SM_PIPE_INT, .n = SM_MAX_LANE_GROUPS, .component = "int", .sign = SAVES,
     .price = {.kind = PRICE_LEAK, .per = PER_LANE, .share = 1},
     .why = "a lane that is off does not leak", .source = LANES},
    {.line = "int", .counter = "lane_overhead", .first = SM_PIPE_INT, .n = SM_MAX_LANE_GROUPS,
     .component = "int", .sign = COSTS, .price = {.kind = PRICE_LEAK, .per = PER_LANE, .share = 1},
     .why = "as a domain", .source = LANES},
    {.line = "fp", .counter = "lane_uncompensated", .and = "lane_compensated", .first = SM_PIPE_FP,
     .n = SM_MAX_LANE_GROUPS, .component = "fp", .sign = SAVES,
     .price = {.kind = PRICE_LEAK, .per = PER_LANE, .share = 1}, .why = "as INT", .source = LANES},
    {.line = "fp", .counter = "lane_overhead", .first = SM_PIPE_FP, .n = SM_MAX_LANE_GROUPS,
     .component = "fp", .sign = COSTS, .price = {.kind = PRICE_LEAK, .per = PER_LANE, .share = 1},
     .why = "as INT", .source = LANES},
};
static const struct savings_area areas[] = {
    {.line = "counters", .counter = "lane_on_idle", .first = SM_PIPE_INT, .n = SM_MAX_LANE_GROUPS,
     .component = "int", .size = {.kind = SIZE_COUNTS, .per = PER_EACH, .n = 3},
     .what = "idle time of a lane", .source = "dissertation, 4.3.3"},
    {.line = "int", .counter = "lane_on_idle", .first = SM_PIPE_INT, .n = SM_MAX_LANE_GROUPS,
     .component = "int", .size = {.kind = SIZE_HEADERS, .share = 0.1},
     .what = "sleep devices, a tenth of what they feed",
     .source = "assumed: the papers leave them out"},
    {.line = "counters", .counter = "lane_on_idle", .first = SM_PIPE_FP, .n = SM_MAX_LANE_GROUPS,
     .component = "fp", .size = {.kind = SIZE_COUNTS, .per = PER_EACH, .n = 3},
     .what = "idle time of a lane", .source = "dissertation, 4.3.3"},
    {.line = "fp", .counter = "lane_on_idle", .first = SM_PIPE_FP, .n = SM_MAX_LANE_GROUPS,
     .component = "fp", .size = {.kind = SIZE_HEADERS, .share = 0.1},
     .what = "sleep devices, a tenth of what they feed",
     .source = "assumed: the papers leave them out"},
};
static const struct savings_bound bounds[] = {
    {.line = "int", .periods = "lane_idle_periods_int", .cycles = "lane_idle_cycles",
     .overhead = "lane_overhead", .events = "lane_events", .first = SM_PIPE_INT,
     .n = SM_MAX_LANE_GROUPS, .per = PER_LANE},
    {.line = "fp", .periods = "lane_idle_periods_fp", .cycles = "lane_idle_cycles",
     .overhead = "lane_overhead", .events = "lane_events", .first = SM_PIPE_FP,
     .n = SM_MAX_LANE_GROUPS, .per = PER_LANE},
};
static const struct savings_shown shown[] = {
    {.line = "int", .counter = "lane_idle_cycles", .first = SM_PIPE_INT, .n = SM_MAX_LANE_GROUPS},
    {.line = "int", .counter = "lane_busy_cycles", .first = SM_PIPE_INT, .n = SM_MAX_LANE_GROUPS},
    {.line = "fp", .counter = "lane_idle_cycles", .first = SM_PIPE_FP, .n = SM_MAX_LANE_GROUPS},
    {.line = "fp", .counter = "lane_busy_cycles", .first = SM_PIPE_FP, .n = SM_MAX_LANE_GROUPS},
};
// clang-format on

const struct savings_part part_lanes = {
    .counters = {PART_ROWS(counters)},
    .effects = {PART_ROWS(effects)},
    .areas = {PART_ROWS(areas)},
    .bounds = {PART_ROWS(bounds)},
    .shown = {PART_ROWS(shown)},
    .turn = TURN_UNITS,
    .state_bytes = sizeof(struct lanes),
    .ports = {.name = "lanes", .life = &life, .clock = &clock_port, .count = count},
    .make = make,
    .wrong = wrong,
};
