// `warpwatt chip`: what a GPU is made of, without running anything.
#include "cli/cli.h"
#include "report/chip.h"

enum { OPT_GPU, OPT_SET, OPT_DEPTH, OPT_JSON };
static const struct cli_option options[] = {
    {"--gpu", 'g', "NAME|FILE", "the GPU (default " SESSION_GPU ")", CLI_GPU},
    {"--set", 's', "KEY=VALUE", "override a key of the GPU file; core.clock_mhz and core.vdd too",
     CLI_KEY},
    {"--depth", 'd', "N", "levels of the tree to show (default: all)"},
    {"--json", 0, NULL, "everything as JSON, with the energy of every event"},
};

const struct cli_spec spec_chip = {
    .name = "chip",
    .form = {"[options]"},
    .prose = "Area, leakage and peak power of a GPU, component by component, beside the vendor's\n"
             "figures. docs/power.md says how the model is built.",
    .part = {CLI_PART(options)},
};

int cmd_chip(struct cli *c, int argc, char **argv) {
    const char *gpu = SESSION_GPU, *value;
    VEC(const char *) overrides = {0};
    uint64_t depth = 0;
    bool json = false, bounded = false;
    struct cli_args args = {.argc = argc, .at = 1, .argv = argv};
    for (int o; (o = cli_next(&args, &spec_chip, &value)) != CLI_END;) {
        switch (o) {
        case CLI_STOP: return args.code;
        case CLI_WORD: return cli_usage("chip takes no word `%s`; the GPU stands behind -g", value);
        case OPT_GPU: gpu = value; break;
        case OPT_SET: vec_push(&c->arena, &overrides, value); break;
        case OPT_DEPTH:
            if (!text_to_u64(value, &depth) || depth > 100)
                return cli_usage("--depth must be a whole number of at most 100, not `%s`", value);
            bounded = true;
            break;
        default: json = true; break;
        }
    }
    struct gpu_config *const config = gpu_config_new(&c->arena);
    enum ww_status s = gpu_config_load(gpu, overrides.at, overrides.n, &c->diags, config);
    if (s != WW_OK) return cli_fail(c, s);
    static struct chip_report report;
    s = chip_report_make(config, &c->diags, &report);
    if (s != WW_OK) return cli_fail(c, s);
    if (json) {
        json_t *o = chip_report_json(&report);
        json_dumpf(o, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
        putchar('\n');
        json_decref(o);
    } else {
        chip_report_print(&report, bounded ? (int)depth : -1, stdout);
    }
    return 0;
}
