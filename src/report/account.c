// Adds up who spent what (see account.h).
#include "report/account.h"

#include <math.h>

void account_needs(const struct power_tree *tree, bool needed[ACT_N]) {
    memset(needed, 0, ACT_N * sizeof *needed);
    for (int i = 0; i < tree->events; i++)
        for (uint32_t k = 0; k < tree->event[i].n; k++)
            if (tree->event[i].energy_j != 0) needed[tree->event[i].act + k] = true;
    needed[act_number("cycles")] = true;
    if (tree->idle_gate > 0) needed[act_number("sm_idle_cycles")] = true; // whose leakage is spared
}

// sum += k * u, component by component; then the totals.
static void usage_add(struct power_usage *sum, const struct power_usage *u, int components) {
    for (int i = 0; i < components; i++) {
        sum->dynamic_j[i] += u->dynamic_j[i];
        sum->static_j[i] += u->static_j[i];
        sum->all_dynamic_j[i] += u->all_dynamic_j[i];
        sum->all_static_j[i] += u->all_static_j[i];
        sum->leak_sub_j[i] += u->leak_sub_j[i];
        sum->leak_gate_j[i] += u->leak_gate_j[i];
        sum->all_leak_sub_j[i] += u->all_leak_sub_j[i];
        sum->all_leak_gate_j[i] += u->all_leak_gate_j[i];
    }
    sum->seconds += u->seconds;
    sum->gated_j += u->gated_j;
    sum->energy_j = sum->all_dynamic_j[0] + sum->all_static_j[0];
    sum->power_w = sum->seconds > 0 ? sum->energy_j / sum->seconds : 0;
}

// What kernels that ran side by side spent: their counters hold some of each other's, the total
// counts everything once. Each component's energy, less that of kernels that ran alone, is shared
// out in proportion to what each would have alone.
static void share_out(struct account *a, const struct power_usage *total) {
    struct power_usage alone = {0}, beside = {0};
    const int n = a->tree->components;
    for (uint32_t i = 0; i < a->n; i++)
        usage_add(a->kernel[i].kernel->overlapped ? &beside : &alone, &a->kernel[i].usage, n);
    for (uint32_t i = 0; i < a->n; i++) {
        struct power_usage *u = &a->kernel[i].usage;
        if (!a->kernel[i].kernel->overlapped) continue;
        for (int k = 0; k < n; k++) {
#define SHARE(field)                                                                               \
    u->field[k] *=                                                                                 \
        beside.field[k] > 0 ? fmax(0, total->field[k] - alone.field[k]) / beside.field[k] : 0
            SHARE(dynamic_j);
            SHARE(static_j);
            SHARE(all_dynamic_j);
            SHARE(all_static_j);
            SHARE(leak_sub_j);
            SHARE(leak_gate_j);
            SHARE(all_leak_sub_j);
            SHARE(all_leak_gate_j);
#undef SHARE
        }
        u->energy_j = u->all_dynamic_j[0] + u->all_static_j[0];
        u->power_w = u->seconds > 0 ? u->energy_j / u->seconds : 0;
    }
}

void account_once(const struct account *a, struct activity *once) {
    *once = a->file->total;
    const uint64_t all = act_get(once, "cycles") * a->sms, busy = act_get(once, "sm_busy_cycles");
    if (!act_get(once, "sm_idle_cycles") && all > busy) act_put(once, "sm_idle_cycles", all - busy);
}

// What the bursts of copies add to the gaps.
static enum ww_status add_copies(struct account *a, const struct power_config *c,
                                 const struct activity_file *file, const struct activity *idle,
                                 struct diags *d) {
    const double burst = power_burst_bytes(c);
    if (!(burst > 0) || !(file->copy_writes + file->copy_reads > 0)) return WW_OK;
    struct activity moved = *idle;
    act_put(&moved, "dram_writes", (uint64_t)(file->copy_writes / burst + 0.5));
    act_put(&moved, "dram_reads", (uint64_t)(file->copy_reads / burst + 0.5));
    struct power_usage with;
    const enum ww_status s = power_run(a->tree, &moved, a->gaps.seconds, &with, d);
    if (s != WW_OK) return s;
    for (int i = 0; i < a->tree->components; i++) {
        a->copied.dynamic_j[i] = with.dynamic_j[i] - a->gaps.dynamic_j[i];
        a->copied.all_dynamic_j[i] = with.all_dynamic_j[i] - a->gaps.all_dynamic_j[i];
    }
    a->copied.energy_j = with.energy_j - a->gaps.energy_j;
    a->gaps = with;
    // by the price of a burst; together they are all of it
    const double write_j = power_event_energy(a->tree, act_number("dram_writes")),
                 read_j = power_event_energy(a->tree, act_number("dram_reads"));
    const double all = write_j * file->copy_writes + read_j * file->copy_reads;
    a->copy_write_j = all > 0 ? a->copied.energy_j * write_j / all : 0;
    a->copy_read_j = all > 0 ? a->copied.energy_j * read_j / all : 0;
    return WW_OK;
}

enum ww_status account_make(struct arena *arena, const char *gpu, const struct power_config *c,
                            const struct power_tree *tree, const struct activity_file *file,
                            struct diags *d, struct account *out) {
    *out = (struct account){
        .gpu = gpu, .tree = tree, .file = file, .core_hz = c->core_hz, .sms = c->sms};
    out->kernel = arena_alloc(arena, (file->n ? file->n : 1) * sizeof *out->kernel);
    out->n = file->n;
    for (uint32_t i = 0; i < file->n; i++) {
        const struct activity_kernel *k = &file->kernel[i];
        out->kernel[i].kernel = k;
        out->overlapped = out->overlapped || k->overlapped;
        out->cycles += act_real(&k->activity, "cycles");
        if (!(k->seconds > 0)) continue; // did nothing, for no time
        const enum ww_status s =
            power_run(tree, &k->activity, k->seconds, &out->kernel[i].usage, d);
        if (s != WW_OK) return s;
    }
    const struct activity *total = out->overlapped && file->has_total ? &file->total : NULL;
    if (total) {
        struct activity once;
        account_once(out, &once);
        const enum ww_status s = power_run(tree, &once, file->busy_seconds, &out->kernels, d);
        if (s != WW_OK) return s;
        share_out(out, &out->kernels);
        out->warp_instructions = act_real(total, "warp_instructions");
        out->thread_instructions = act_real(total, "thread_instructions");
        out->cycles = act_real(total, "cycles");
    } else {
        for (uint32_t i = 0; i < out->n; i++) {
            usage_add(&out->kernels, &out->kernel[i].usage, tree->components);
            out->warp_instructions += act_real(&file->kernel[i].activity, "warp_instructions");
            out->thread_instructions += act_real(&file->kernel[i].activity, "thread_instructions");
        }
    }
    const double gap_s = file->seconds - out->kernels.seconds;
    if (gap_s > 1e-9 * file->seconds) {
        struct activity idle = {.c = {0}};
        act_put(&idle, "cycles", (uint64_t)(gap_s * c->core_hz + 0.5));
        act_put(&idle, "sm_idle_cycles", act_get(&idle, "cycles") * c->sms);
        enum ww_status s = power_run(tree, &idle, gap_s, &out->gaps, d);
        if (s == WW_OK) s = add_copies(out, c, file, &idle, d);
        if (s != WW_OK) return s;
    }
    out->run = out->kernels;
    usage_add(&out->run, &out->gaps, tree->components);
    power_by_basis(tree, &out->kernels, out->basis_j);
    return WW_OK;
}

void account_limit_of(struct account *a, const json_t *header) {
    const json_t *const o = json_object_get(header, "limit");
    if (!o) return;
    struct account_limit *const l = &a->limit;
    l->asked_mhz = json_number_value(json_object_get(o, "asked_mhz"));
    l->asked_w = json_number_value(json_object_get(o, "asked_w"));
    l->asked_seconds = json_number_value(json_object_get(o, "asked_seconds"));
    l->asked_over = (uint64_t)json_integer_value(json_object_get(o, "asked_over"));
    l->launches = (uint64_t)json_integer_value(json_object_get(o, "launches"));
}

const char *account_limit_text(const struct account *a, char *text, size_t size) {
    const struct account_limit *const l = &a->limit;
    const struct power_usage *const k = &a->kernels;
    const bool over = l->watts > 0 && k->power_w > l->watts;
    char launches[96] = "", end[96] = "";
    if (l->launches > 1)
        snprintf(launches, sizeof launches, ", %llu of %llu launches more than that",
                 (unsigned long long)l->asked_over, (unsigned long long)l->launches);
    if (over)
        snprintf(end, sizeof end, ", which is still more: the board has no lower clock");
    if (l->asked_mhz > 0)
        snprintf(text, size,
                 "%g W: at %g MHz it would draw %.2f W%s; all of it runs at %g MHz and takes "
                 "%.1f %% longer%s",
                 l->watts, l->asked_mhz, l->asked_w, launches, l->mhz,
                 100 * (k->seconds / l->asked_seconds - 1), end);
    else if (over && l->least_mhz >= l->mhz)
        snprintf(text, size,
                 "%g W: it draws %.2f W, and the board has no clock below %g MHz "
                 "(board.clock_least is %g)",
                 l->watts, k->power_w, l->mhz, l->least_mhz);
    else if (over)
        snprintf(text, size,
                 "%g W: a board lowers its clock rather than draw %.2f W (`--limit-again` runs a "
                 "program so)",
                 l->watts, k->power_w);
    else
        return NULL;
    return text;
}

bool account_interval(const struct account *a, const struct activity_kernel *k, uint32_t i,
                      struct power_usage *out) {
    const struct activity_interval *v = &k->interval[i];
    const double cycles = (double)(v->to - v->from), all = act_real(&k->activity, "cycles");
    const double s = all > 0 ? k->seconds * cycles / all : cycles / a->core_hz;
    struct diags d;
    diags_init(&d);
    const bool ok = power_run(a->tree, &v->activity, s, out, &d) == WW_OK;
    diags_free(&d);
    return ok;
}

// ---- groups -------------------------------------------------------------------------------------
// An inner node that has figures of its own needs a row of its own.
static bool has_own(const struct power_tree *t, int i) {
    const struct power_component *p = &t->component[i];
    bool own = p->leak_sub_w > 0 || p->leak_gate_w > 0 || p->constant_w > 0;
    for (int k = 0; k < t->events; k++) own = own || t->event[k].component == i;
    return own;
}

uint32_t account_groups(const struct power_tree *t,
                        struct account_group out[POWER_MAX_COMPONENTS]) {
    uint32_t n = 0;
    const int sm = power_find(t, "sm"), chip = power_find(t, "chip"),
              board = power_find(t, "board");
    const int parent[] = {sm, chip, board, 0};
    const char *const section[] = {"SM", "chip", "board", "other"};
    for (size_t p = 0; p < WW_COUNT(parent); p++) {
        if (parent[p] < 0) continue;
        if (has_own(t, parent[p])) out[n++] = (struct account_group){parent[p], section[p], true};
        for (int i = 1; i < t->components; i++)
            if (t->component[i].parent == parent[p] && i != sm && i != chip && i != board)
                out[n++] = (struct account_group){i, section[p], false};
    }
    return n;
}

double account_group_dynamic(const struct account_group *g, const struct power_usage *u) {
    return g->own ? u->dynamic_j[g->component] : u->all_dynamic_j[g->component];
}

double account_group_static(const struct account_group *g, const struct power_usage *u) {
    return g->own ? u->static_j[g->component] : u->all_static_j[g->component];
}
