// `warpwatt gpus`: the GPU files there are.
#include "cli/cli.h"

static const struct cli_option option[] = {
    {"--keys", 0, NULL, "every key of a GPU file with its unit and meaning"},
};

const struct cli_spec spec_gpus = {
    .name = "gpus",
    .form = {"[NAME|FILE]", "--keys"},
    .prose = "Lists the GPU files; with a NAME, its whole configuration with defaults filled in.",
    .part = {CLI_PART(option)},
    .word = CLI_GPU,
};

static int print_keys(struct cli *c) {
    const struct gpu_key *keys;
    const uint32_t n = gpu_config_keys(&c->arena, &keys);
    for (uint32_t k = 0; k < n; k++)
        printf("%-34s %-8s %-14s %s\n", keys[k].path, keys[k].type, keys[k].unit, keys[k].prose);
    for (const struct gpu_key *k = gpu_shorthands; k < gpu_shorthands + GPU_SHORTHANDS; k++)
        printf("%-34s %-8s %-14s %s\n", k->path, k->type, k->unit, k->prose);
    return 0;
}

int cmd_gpus(struct cli *c, int argc, char **argv) {
    struct cli_args args = {.argc = argc, .argv = argv, .at = 1};
    const char *name = NULL, *value;
    bool keys = false;
    for (int o; (o = cli_next(&args, &spec_gpus, &value)) != CLI_END;) {
        if (o == CLI_STOP) return args.code;
        if (o == CLI_WORD && name) return cli_usage("one GPU at a time: `%s` is too much", value);
        if (o == CLI_WORD)
            name = value;
        else
            keys = true;
    }
    if (keys) return print_keys(c);
    if (name) {
        struct gpu_config config;
        const enum ww_status s = gpu_config_load(name, NULL, 0, &c->diags, &config);
        if (s != WW_OK) return cli_fail(c, s);
        gpu_config_print(&config, stdout);
        return 0;
    }
    struct gpu_listing *list;
    uint32_t n;
    const enum ww_status s = gpu_config_list(&c->arena, &list, &n, &c->diags);
    if (s != WW_OK) return cli_fail(c, s);
    for (uint32_t i = 0; i < n; i++) printf("%-14s %s\n", list[i].name, list[i].description);
    return 0;
}
