// `warpwatt power`: the power model alone. A GPU file and anybody's activity in; watts and joules
// by component, by kernel and over time out. Nothing is simulated.
#include "isa/op_class.h"
#include "cli/cli.h"

#include <math.h>

enum option { OPT_GPU, OPT_SET, OPT_OUT, OPT_JSON, OPT_MISSING, OPT_KERNEL, OPT_COUNTERS, OPT_N };
static const struct cli_option option[OPT_N] = {
    [OPT_GPU] = {"--gpu", 'g', "NAME|FILE",
                 "the GPU (default: the one that the activity file names)", CLI_GPU},
    [OPT_SET] = {"--set", 's', "KEY=VALUE", "override a key of the GPU file; may be repeated",
                 CLI_KEY},
    [OPT_OUT] = {"--out", 'o', "DIR",
                 "write power.json, power.csv and, of intervals, power-intervals.csv", CLI_FOLDER},
    [OPT_JSON] = {"--json", 0, NULL, "everything as JSON on standard output"},
    [OPT_MISSING] = {"--missing", 0, "zero", "take counters that the file lacks as zero",
                     CLI_CHOICE},
    [OPT_KERNEL] = {"--kernel", 'k', "NAME", "of the launches of one kernel only"},
    [OPT_COUNTERS] = {"--counters", 0, NULL,
                      "list the counters that energy depends on, with the energy of a count"},
};

const struct cli_spec spec_power = {
    .name = "power",
    .form = {"[options] ACTIVITY"},
    .prose = "ACTIVITY is activity.xml, activity.csv or run.json of `warpwatt run -o`, or what any "
             "other\nsimulator writes in one of these forms (docs/activity-file.md).",
    .part = {CLI_PART(option)},
    .word = CLI_FILE,
};

enum ww_status power_model_of(const struct gpu_config *gpu, struct diags *d,
                              struct power_model *m) {
    m->gpu = gpu;
    enum ww_status s = power_config_of(m->gpu, &m->config, d);
    if (s == WW_OK) s = power_build(&m->config, &m->tree, d);
    if (s == WW_OK) account_needs(&m->tree, m->needed);
    return s;
}

enum ww_status power_model_load(struct cli *c, const char *gpu, const char *const *overrides,
                                uint32_t n, struct diags *d, struct power_model **out) {
    struct power_model *m = *out = arena_alloc(&c->arena, sizeof *m);
    struct gpu_config *const config = gpu_config_new(&c->arena);
    const enum ww_status s = gpu_config_load(gpu, overrides, n, d, config);
    return s == WW_OK ? power_model_of(config, d, m) : s;
}

static enum ww_status make_account(struct cli *c, const struct power_model *m,
                                   const struct activity_file *file, struct diags *d,
                                   struct account *out) {
    const enum ww_status s =
        account_make(&c->arena, gpu_config_name(m->gpu), &m->config, &m->tree, file, d, out);
    if (s == WW_OK && gpu_supply_follows(m->gpu))
        out->supply_v = gpu_config_real(m->gpu, "tech.vdd_v"),
        out->supply_mhz = gpu_config_real(m->gpu, "clocks.core_mhz");
    if (s == WW_OK)
        out->limit.watts = gpu_config_real(m->gpu, "board.power_limit"),
        out->limit.mhz = gpu_config_real(m->gpu, "clocks.core_mhz"),
        out->limit.least_mhz = gpu_config_real(m->gpu, "board.clock_least");
    return s;
}

enum ww_status power_account_of_run(struct cli *c, const struct power_model *m,
                                    const struct run *run, struct diags *d, struct account *out,
                                    struct activity_file *file) {
    const struct activity_options o = {.core_hz = m->config.core_hz, .needed = m->needed};
    enum ww_status s = activity_file_of_run(&c->arena, run, &o, d, file);
    if (s == WW_OK) s = make_account(c, m, file, d, out);
    if (s == WW_OK) account_limit_of(out, run->header);
    return s;
}

// What is likely a mistake, though it can be meant: another GPU's file, another clock.
static void remark(const struct power_model *m, const struct activity_file *f) {
    if (f->gpu && strcmp(f->gpu, gpu_config_name(m->gpu)) != 0)
        fprintf(stderr, "warpwatt: note: %s is of %s, the model is of %s\n", f->path, f->gpu,
                gpu_config_name(m->gpu));
    else if (f->core_hz > 0 && fabs(f->core_hz - m->config.core_hz) > 0.005 * m->config.core_hz)
        fprintf(stderr,
                "warpwatt: note: %s was counted at %.0f MHz, %s runs at %.0f; its time is taken as "
                "it stands\n",
                f->path, f->core_hz * 1e-6, gpu_config_name(m->gpu), m->config.core_hz * 1e-6);
}

// What a simulator must count for this GPU, and what a count costs.
static void print_counters(const struct power_model *m) {
    printf("%-32s %12s  %-20s %s\n", "counter", "a count", "unit", "one count means");
    for (uint32_t i = 0; i < act_rows(); i++) {
        const struct act_info *row = act_row(i);
        for (uint32_t k = 0; k < row->n; k++) {
            if (!m->needed[row->first + k]) continue;
            char name[96], b[32];
            const bool classes = act_entries(i) == ACT_BY_CLASS;
            if (row->n == 1)
                snprintf(name, sizeof name, "%s", row->name);
            else if (classes)
                snprintf(name, sizeof name, "%s.%s", row->name, op_class_text((enum op_class)k));
            else
                snprintf(name, sizeof name, "%s.%u", row->name, k);
            printf("%-32s %12s  %-20s %s\n", name,
                   table_scaled(power_event_energy(&m->tree, row->first + k), "J", b), row->unit,
                   row->prose);
        }
    }
}

// Keeps the launches of one kernel; time without a kernel is nobody's then.
static bool keep_kernel(struct cli *c, struct activity_file *f, const char *name) {
    const char **names = arena_alloc(&c->arena, (f->n + 1) * sizeof *names);
    uint32_t n = 0;
    for (uint32_t i = 0; i < f->n; i++) {
        names[i] = f->kernel[i].name;
        if (strcmp(names[i], name) == 0) f->kernel[n++] = f->kernel[i];
    }
    if (n) {
        f->n = n;
        f->seconds = 0;
        f->has_total = false;
        return true;
    }
    const int near = f->n ? text_nearest(name, names, f->n) : -1;
    if (near >= 0)
        cli_usage("%s has no kernel `%s`; did you mean `%s`?", f->path, name, names[near]);
    else
        cli_usage("%s has no kernel `%s`; the first of %u is `%s`", f->path, name, f->n,
                  f->n ? names[0] : "");
    return false;
}

int cmd_power(struct cli *c, int argc, char **argv) {
    const char *gpu = NULL, *path = NULL, *out_dir = NULL, *kernel = NULL, *value;
    const char *overrides[SESSION_MAX_OVERRIDES];
    uint32_t n_overrides = 0;
    bool json = false, missing_zero = false, counters = false;
    struct cli_args args = {.argc = argc, .argv = argv, .at = 1};
    for (int o; (o = cli_next(&args, &spec_power, &value)) != CLI_END;) {
        switch (o) {
        case CLI_STOP: return args.code;
        case CLI_WORD:
            if (path) return cli_usage("one activity file at a time: `%s` is too much", value);
            path = value;
            break;
        case OPT_GPU: gpu = value; break;
        case OPT_SET:
            if (!strchr(value, '=')) return cli_usage("--set takes KEY=VALUE, not `%s`", value);
            if (n_overrides == SESSION_MAX_OVERRIDES)
                return cli_usage("more than %d times --set", SESSION_MAX_OVERRIDES);
            overrides[n_overrides++] = value;
            break;
        case OPT_OUT: out_dir = value; break;
        case OPT_JSON: json = true; break;
        case OPT_KERNEL: kernel = value; break;
        case OPT_COUNTERS: counters = true; break;
        case OPT_MISSING:
            if (strcmp(value, "zero") != 0)
                return cli_usage("--missing is `%s`; the only answer is `zero`", value);
            missing_zero = true;
            break;
        default: break;
        }
    }
    if (!path && !counters) return cli_usage("power of what? an activity file: XML, CSV or JSON");
    if (counters && !path && !gpu) return cli_usage("counters of which GPU? add -g NAME");
    if (!gpu) gpu = activity_file_gpu(&c->arena, path);
    if (!gpu) {
        struct activity_file f; // what is wrong with the file counts more
        const struct activity_options any = {.core_hz = 1e9, .missing_zero = true};
        const enum ww_status s = activity_file_read(&c->arena, path, &any, &c->diags, &f);
        if (s != WW_OK) return cli_fail(c, s);
        return cli_usage("%s does not say which GPU it is of; add -g NAME", path);
    }
    struct power_model *m;
    struct activity_file file;
    struct account account;
    enum ww_status s = power_model_load(c, gpu, overrides, n_overrides, &c->diags, &m);
    if (s != WW_OK) return cli_fail(c, s);
    if (counters) {
        print_counters(m);
        return 0;
    }
    const struct activity_options o = {
        .core_hz = m->config.core_hz, .needed = m->needed, .missing_zero = missing_zero};
    s = activity_file_read(&c->arena, path, &o, &c->diags, &file);
    if (s != WW_OK) return cli_fail(c, s);
    if (kernel && !keep_kernel(c, &file, kernel)) return 2;
    s = make_account(c, m, &file, &c->diags, &account);
    if (s == WW_OK && out_dir) s = account_write(&account, out_dir, &c->diags);
    if (s != WW_OK) return cli_fail(c, s);
    remark(m, &file);
    if (json) {
        json_t *j = account_json(&account, true);
        json_dumpf(j, stdout, JSON_INDENT(1));
        fputc('\n', stdout);
        json_decref(j);
    } else {
        account_print_tree(&account, c->colour, stdout);
    }
    return 0;
}
