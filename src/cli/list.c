// `warpwatt gpus`, `studies`: what there is.
#include "cli/cli.h"

int cmd_gpus(struct cli *c, int argc, char **argv) {
    const char *name = NULL;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0) {
            puts("usage: warpwatt gpus [NAME] [--keys]\n\n"
                 "Lists the GPU files; with a NAME, its whole configuration with defaults filled "
                 "in;\n"
                 "with --keys, every key with its unit and meaning.");
            return 0;
        }
        if (strcmp(argv[i], "--keys") == 0) {
            const struct gpu_key *keys;
            const uint32_t n = gpu_config_keys(&c->arena, &keys);
            for (uint32_t k = 0; k < n; k++)
                printf("%-34s %-8s %-14s %s\n", keys[k].path, keys[k].type, keys[k].unit,
                       keys[k].prose);
            return 0;
        }
        name = argv[i];
    }
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
