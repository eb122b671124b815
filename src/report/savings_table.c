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
    }
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

void account_print_savings(const struct account *a, bool colour, FILE *out) {
    struct power_savings s;
    of_account(a, &s);
    if (!s.any) return;
    char b[6][32];
    fprintf(out, "\n  %ssavings%s  (leakage of the gated units, in kernels; these are in the figures above)\n",
            colour ? "\033[1m" : "", colour ? "\033[0m" : "");
    fprintf(out, "    %-8s %12s %12s %12s %20s %20s\n", "", "leakage", "saved", "overhead", "net", "oracle");
    for (uint32_t u = 0; u < POWER_SAVING_UNITS; u++) {
        const struct power_saving *const x = &s.unit[u];
        if (!x->is_gated) continue;
        const double net = x->saved_j - x->overhead_j, all = x->still_j > 0 ? x->still_j : 1;
        fprintf(out, "    %-8s %12s %12s %12s %12s %5.1f %% %12s %5.1f %%\n", power_saving_name((enum power_saving_unit)u),
                table_scaled(x->still_j, "J", b[0]), table_scaled(x->saved_j, "J", b[1]),
                table_scaled(x->overhead_j, "J", b[2]), table_scaled(net, "J", b[3]), 100 * net / all,
                table_scaled(x->oracle_j, "J", b[4]), 100 * x->oracle_j / all);
    }
    if (s.counters_dynamic_j > 0)
        fprintf(out, "    %-8s %s spent, %.4f mm2\n", "counters",
                table_scaled(s.counters_dynamic_j + s.counters_static_j, "J", b[5]), s.counters_mm2);
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
                            json_pack("{s:f,s:f,s:f,s:f,s:f}", "leakage_j", x->still_j, "saved_j", x->saved_j,
                                      "overhead_j", x->overhead_j, "net_j", x->saved_j - x->overhead_j, "oracle_j",
                                      x->oracle_j));
    }
    json_object_set_new(o, "units", units);
    json_object_set_new(o, "counters_j", json_real(s.counters_dynamic_j + s.counters_static_j));
    json_object_set_new(o, "counters_mm2", json_real(s.counters_mm2));
    return o;
}
