// What techniques saved, for people and for programs (power/savings.h).
#include "power/savings.h"
#include "report/account.h"

static void add(struct power_savings *sum, const struct power_savings *s) {
    sum->any = sum->any || s->any;
    for (uint32_t u = 0; u < POWER_SAVING_UNITS; u++) {
        struct power_saving *const x = &sum->unit[u];
        const struct power_saving *const y = &s->unit[u];
        x->component = y->component;
        x->is_gated = x->is_gated || y->is_gated;
        x->still_j += y->still_j;
        x->saved_j += y->saved_j;
        x->overhead_j += y->overhead_j;
        x->oracle_j += y->oracle_j;
        x->by_lanes = x->by_lanes || y->by_lanes;
        x->logic_dynamic_j += y->logic_dynamic_j;
        x->logic_static_j += y->logic_static_j;
    }
    if (s->logic_mm2 > sum->logic_mm2) sum->logic_mm2 = s->logic_mm2;
    sum->counters_dynamic_j += s->counters_dynamic_j;
    sum->counters_static_j += s->counters_static_j;
    if (s->counters_mm2 > sum->counters_mm2) sum->counters_mm2 = s->counters_mm2;
}

static void of_account(const struct account *a, struct power_savings *sum) {
    *sum = (struct power_savings){.any = false};
    struct power_savings s;
    if (a->file->has_total) { // overlapping kernels: everything once
        power_savings(a->tree, &a->file->total, a->file->busy_seconds, sum);
        return;
    }
    for (uint32_t i = 0; i < a->n; i++) {
        power_savings(a->tree, &a->kernel[i].kernel->activity, a->kernel[i].kernel->seconds, &s);
        add(sum, &s);
    }
}

static double logic_j(const struct power_savings *s) {
    double j = 0;
    for (uint32_t u = 0; u < POWER_SAVING_UNITS; u++)
        j += s->unit[u].logic_dynamic_j + s->unit[u].logic_static_j;
    return j;
}

static double counted(const struct account *a, uint32_t act) {
    if (a->file->has_total) return (double)a->file->total.c[act];
    double n = 0;
    for (uint32_t i = 0; i < a->n; i++) n += (double)a->kernel[i].kernel->activity.c[act];
    return n;
}

// How much was folded: of the instructions, and of the time in which it was allowed.
static void print_folding(const struct account *a, FILE *out) {
    if (counted(a, ACT_fold_phases) == 0) return;
    static const char *const type[] = {"INT", "FP"};
    const double busy = counted(a, ACT_sm_busy_cycles);
    fprintf(out, "    %-8s", "folded");
    for (uint32_t i = 0; i < 2; i++) {
        const double n = counted(a, ACT_lane_issues + i);
        fprintf(out,
                "%s %s %.1f %% of warps (%.1f %% had an idle half), on for %.1f %% of the time",
                i ? ";" : "", type[i], n > 0 ? 100 * counted(a, ACT_folded + i) / n : 0.0,
                n > 0 ? 100 * counted(a, ACT_fold_spared + i) / n : 0.0,
                busy > 0 ? 100 * counted(a, ACT_fold_cycles + i) / busy : 0.0);
    }
    fputc('\n', out);
}

void account_print_savings(const struct account *a, bool colour, FILE *out) {
    struct power_savings s;
    of_account(a, &s);
    if (!s.any) return;
    char b[6][32];
    fprintf(out,
            "\n  %ssavings%s  (leakage of the gated units, in kernels; these are in the figures "
            "above)\n",
            colour ? "\033[1m" : "", colour ? "\033[0m" : "");
    fprintf(out, "    %-8s %12s %12s %12s %20s %20s\n", "", "leakage", "saved", "overhead", "net",
            "oracle");
    for (uint32_t u = 0; u < POWER_SAVING_UNITS; u++) {
        const struct power_saving *const x = &s.unit[u];
        if (!x->is_gated) continue;
        const double net = x->saved_j - x->overhead_j, all = x->still_j > 0 ? x->still_j : 1;
        fprintf(out, "    %-8s %12s %12s %12s %12s %5.1f %% %12s %5.1f %%\n",
                power_saving_name((enum power_saving_unit)u), table_scaled(x->still_j, "J", b[0]),
                table_scaled(x->saved_j, "J", b[1]), table_scaled(x->overhead_j, "J", b[2]),
                table_scaled(net, "J", b[3]), 100 * net / all, table_scaled(x->oracle_j, "J", b[4]),
                100 * x->oracle_j / all);
    }
    if (s.logic_mm2 > 0)
        fprintf(out, "    %-8s %s spent, %.4f mm2 (shift stages)\n", "lanes",
                table_scaled(logic_j(&s), "J", b[5]), s.logic_mm2);
    print_folding(a, out);
    if (s.counters_dynamic_j > 0)
        fprintf(out, "    %-8s %s spent, %.4f mm2\n", "counters",
                table_scaled(s.counters_dynamic_j + s.counters_static_j, "J", b[5]),
                s.counters_mm2);
}

json_t *account_savings_json(const struct account *a) {
    struct power_savings s;
    of_account(a, &s);
    if (!s.any) return NULL;
    json_t *o = json_object(), *units = json_object();
    for (uint32_t u = 0; u < POWER_SAVING_UNITS; u++) {
        const struct power_saving *const x = &s.unit[u];
        if (!x->is_gated) continue;
        json_object_set_new(units, power_saving_name((enum power_saving_unit)u),
                            json_pack("{s:f,s:f,s:f,s:f,s:f}", "leakage_j", x->still_j, "saved_j",
                                      x->saved_j, "overhead_j", x->overhead_j, "net_j",
                                      x->saved_j - x->overhead_j, "oracle_j", x->oracle_j));
    }
    json_object_set_new(o, "units", units);
    json_object_set_new(o, "counters_j", json_real(s.counters_dynamic_j + s.counters_static_j));
    json_object_set_new(o, "counters_mm2", json_real(s.counters_mm2));
    if (s.logic_mm2 > 0) {
        json_object_set_new(o, "shift_logic_j", json_real(logic_j(&s)));
        json_object_set_new(o, "shift_logic_mm2", json_real(s.logic_mm2));
    }
    return o;
}
