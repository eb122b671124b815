// `warpwatt gpus`: the GPU files there are.
#include "cli/cli.h"

#include <jansson.h>

enum { OPT_KEYS, OPT_JSON };
static const struct cli_option option[] = {
    {"--keys", 0, NULL, "every key of a GPU file with its unit and meaning"},
    {"--json", 0, NULL, "as JSON on standard output"},
};

const struct cli_spec spec_gpus = {
    .name = "gpus",
    .form = {"[NAME|FILE] [--json]", "--keys [--json]"},
    .prose = "Lists the GPU files; with a NAME, its whole configuration with defaults filled in.",
    .part = {CLI_PART(option)},
    .word = CLI_GPU,
};

static json_t *key_json(const struct gpu_key *k) {
    return json_pack("{s:s,s:s,s:s,s:s}", "key", k->path, "type", k->type, "unit", k->unit,
                     "meaning", k->prose);
}

static int print_keys(struct cli *c, bool json) {
    const struct gpu_key *keys;
    const uint32_t n = gpu_config_keys(&c->arena, &keys);
    if (json) {
        json_t *list = json_array();
        for (uint32_t k = 0; k < n; k++) json_array_append_new(list, key_json(&keys[k]));
        for (size_t k = 0; k < GPU_SHORTHANDS; k++)
            json_array_append_new(list, key_json(&gpu_shorthands[k]));
        cli_print_json("keys", list);
        json_decref(list);
        return 0;
    }
    for (uint32_t k = 0; k < n; k++)
        printf("%-34s %-8s %-14s %s\n", keys[k].path, keys[k].type, keys[k].unit, keys[k].prose);
    for (const struct gpu_key *k = gpu_shorthands; k < gpu_shorthands + GPU_SHORTHANDS; k++)
        printf("%-34s %-8s %-14s %s\n", k->path, k->type, k->unit, k->prose);
    return 0;
}

// A value of a configuration as JSON has it: a number, true or false, or a text.
static json_t *value_json(const char *type, const char *text) {
    double v;
    if (strcmp(type, "true/false") == 0) return json_boolean(strcmp(text, "true") == 0);
    if (strcmp(type, "whole number") == 0 && text_to_double(text, &v) && v < 9e15)
        return json_integer((json_int_t)v);
    if (strcmp(type, "number") == 0 && text_to_double(text, &v)) return json_real(v);
    return json_string(text);
}

static void print_gpu_json(struct cli *c, const char *name, const struct gpu_config *config) {
    const struct gpu_key *keys;
    const uint32_t n = gpu_config_keys(&c->arena, &keys);
    json_t *values = json_object();
    for (uint32_t k = 0; k < n; k++) {
        char text[256];
        if (gpu_config_get(config, keys[k].path, text, sizeof text))
            json_object_set_new(values, keys[k].path, value_json(keys[k].type, text));
    }
    json_t *gpu = json_pack("{s:s,s:o}", "name", name, "values", values);
    cli_print_json("gpu", gpu);
    json_decref(gpu);
}

int cmd_gpus(struct cli *c, int argc, char **argv) {
    struct cli_args args = {.argc = argc, .argv = argv, .at = 1};
    const char *name = NULL, *value;
    bool keys = false, json = false;
    for (int o; (o = cli_next(&args, &spec_gpus, &value)) != CLI_END;) {
        if (o == CLI_STOP) return args.code;
        if (o == CLI_WORD && name) return cli_usage("one GPU at a time: `%s` is too much", value);
        switch (o) {
        case OPT_KEYS: keys = true; break;
        case OPT_JSON: json = true; break;
        default: name = value; break;
        }
    }
    if (keys) return print_keys(c, json);
    if (name) {
        struct gpu_config *const config = gpu_config_new(&c->arena);
        const enum ww_status s = gpu_config_load(name, NULL, 0, &c->diags, config);
        if (s != WW_OK) return cli_fail(c, s);
        if (json)
            print_gpu_json(c, name, config);
        else
            gpu_config_print(config, stdout);
        return 0;
    }
    struct gpu_listing *list;
    uint32_t n;
    const enum ww_status s = gpu_config_list(&c->arena, &list, &n, &c->diags);
    if (s != WW_OK) return cli_fail(c, s);
    json_t *all = json_array();
    for (uint32_t i = 0; i < n; i++)
        if (json)
            json_array_append_new(all, json_pack("{s:s,s:s}", "name", list[i].name, "description",
                                                 list[i].description));
        else
            printf("%-14s %s\n", list[i].name, list[i].description);
    if (json) cli_print_json("gpus", all);
    json_decref(all);
    return 0;
}
