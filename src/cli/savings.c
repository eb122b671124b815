// `warpwatt savings`: the techniques there are, one technique's page, mechanisms and options,
// pairs.
#include "gpu/technique.h"
#include "savings/savings.h"
#include "cli/cli.h"

#include <jansson.h>

static void print_options(uint32_t mechanisms, const struct technique *t) {
    struct savings_option_info o;
    for (uint32_t i = 0; (o = savings_option_at(i)).is != NULL; i++) {
        if ((o.mechanisms & mechanisms) == 0) continue;
        const char *source = o.is->source;
        char value[32];
        savings_option_text(o.is, o.is->value, value, sizeof value);
        for (uint32_t k = 0; t && k < t->n_options; k++) {
            if (strcmp(t->option[k].name, o.is->name) != 0) continue;
            snprintf(value, sizeof value, "%s", t->option[k].value);
            source = t->option[k].source;
        }
        printf("  savings.%-17s %6s %-7s %s [%s]\n", o.is->name, value, o.is->unit, o.is->what,
               source);
    }
}

static json_t *option_json(const struct savings_option *o) {
    char value[32];
    savings_option_text(o, o->value, value, sizeof value);
    return json_pack("{s:s,s:s,s:s,s:s,s:s}", "name", o->name, "default", value, "unit", o->unit,
                     "meaning", o->what, "source", o->source);
}

static json_t *values_json(const struct technique_value *v, uint32_t n) {
    json_t *list = json_array();
    for (uint32_t i = 0; i < n; i++)
        json_array_append_new(list, json_pack("{s:s,s:s,s:s}", "name", v[i].name, "value",
                                              v[i].value, "source", v[i].source));
    return list;
}

static json_t *technique_json(const struct technique *t) {
    if (t->broken) return json_pack("{s:s,s:s,s:b}", "name", t->name, "file", t->path, "loads", 0);
    json_t *mechanisms = json_array();
    for (uint32_t i = 0; i < t->n_mechanisms; i++)
        json_array_append_new(mechanisms, json_string(t->mechanism[i]));
    return json_pack("{s:s,s:s,s:b,s:s,s:s,s:o,s:o,s:o}", "name", t->name, "file", t->path, "loads",
                     1, "description", t->description, "paper", t->paper, "mechanisms", mechanisms,
                     "gpu", values_json(t->gpu, t->n_gpu), "options",
                     values_json(t->option, t->n_options));
}

static int print_mechanisms(bool json) {
    json_t *list = json_array(), *options = json_array();
    struct savings_option_info o;
    for (uint32_t m = 0; m < SAVINGS_MECHANISMS; m++) {
        const struct savings_mechanism_info p = savings_mechanism(m);
        if (!json) printf("%-22s %s [%s]\n", p.name, p.what, p.paper);
        json_t *own = json_array();
        for (uint32_t i = 0; (o = savings_option_at(i)).is != NULL; i++)
            if (o.mechanisms >> m & 1) json_array_append_new(own, json_string(o.is->name));
        json_array_append_new(list, json_pack("{s:s,s:s,s:s,s:o}", "name", p.name, "meaning",
                                              p.what, "paper", p.paper, "options", own));
    }
    for (uint32_t i = 0; (o = savings_option_at(i)).is != NULL; i++)
        json_array_append_new(options, option_json(o.is));
    json_t *both = json_pack("{s:o,s:o}", "list", list, "options", options);
    if (json) {
        cli_print_json("mechanisms", both);
    } else {
        puts("options:");
        print_options(UINT32_MAX, NULL);
    }
    json_decref(both);
    return 0;
}

static int show(struct cli *c, const char *name, bool json) {
    struct technique t;
    const enum ww_status s = technique_load(&c->arena, name, &c->diags, &t);
    if (s != WW_OK) return cli_fail(c, s);
    if (json) {
        json_t *one = technique_json(&t);
        cli_print_json("technique", one);
        json_decref(one);
        return 0;
    }
    printf("%s: %s\npaper: %s\nfile: %s\n", t.name, t.description, t.paper, t.path);
    uint32_t mechanisms = 0;
    enum ww_status bad = WW_OK;
    for (uint32_t i = 0; i < t.n_mechanisms; i++) {
        bool known = false;
        for (uint32_t m = 0; m < SAVINGS_MECHANISMS; m++) {
            const struct savings_mechanism_info p = savings_mechanism(m);
            if (strcmp(p.name, t.mechanism[i]) != 0) continue;
            known = true;
            mechanisms |= 1u << m;
            printf("mechanism %s: %s [%s]\n", p.name, p.what, p.paper);
        }
        if (!known)
            bad = diag_add(&c->diags, WW_ERROR_CONFIG,
                           "%s: there is no mechanism `%s`; `warpwatt savings --mechanisms` lists "
                           "them",
                           t.path, t.mechanism[i]);
    }
    for (uint32_t i = 0; i < t.n_gpu; i++)
        printf("GPU key %s=%s [%s]\n", t.gpu[i].name, t.gpu[i].value, t.gpu[i].source);
    if (mechanisms) puts("options (-s):");
    print_options(mechanisms, &t);
    return bad == WW_OK ? 0 : cli_fail(c, bad);
}

enum { OPT_MECHANISMS, OPT_PAIRS, OPT_GPU, OPT_SET, OPT_JSON, OPT_N };
static const struct cli_option option[OPT_N] = {
    [OPT_MECHANISMS] = {"--mechanisms", 0, NULL,
                        "what a technique file can name, with all options"},
    [OPT_PAIRS] = {"--pairs", 0, NULL, "which techniques exclude each other, and why"},
    [OPT_GPU] = {"--gpu", 'g', "NAME|FILE", "of --pairs: on which GPU (default gtx480)", CLI_GPU},
    [OPT_SET] =
        {"--set", 's', "KEY=VALUE",
         "of --pairs: a key of the GPU file, whatever techniques want of it; may be repeated",
         CLI_KEY},
    [OPT_JSON] = {"--json", 0, NULL, "as JSON on standard output"},
};

const struct cli_spec spec_savings = {
    .name = "savings",
    .form = {"[NAME|FILE] [--json]", "--mechanisms [--json]",
             "--pairs [-g GPU] [-s KEY=VALUE]... [--json]"},
    .prose =
        "Lists the energy-saving techniques (savings/*.yaml); with a NAME or a file, what it is\n"
        "made of and its options.",
    .part = {CLI_PART(option)},
    .word = CLI_TECHNIQUE,
};

int cmd_savings(struct cli *c, int argc, char **argv) {
    struct cli_args args = {.argc = argc, .argv = argv, .at = 1};
    VEC(const char *) set = {0};
    bool mechanisms = false, pairs = false, json = false;
    const char *name = NULL, *gpu = NULL, *value;
    for (int o; (o = cli_next(&args, &spec_savings, &value)) != CLI_END;) {
        switch (o) {
        case CLI_STOP: return args.code;
        case OPT_MECHANISMS: mechanisms = true; break;
        case OPT_PAIRS: pairs = true; break;
        case OPT_GPU: gpu = value; break;
        case OPT_SET: vec_push(&c->arena, &set, value); break;
        case OPT_JSON: json = true; break;
        default:
            if (name) return cli_usage("one technique at a time: `%s` is too much", value);
            name = value;
        }
    }
    if (!pairs && (gpu || set.n)) return cli_usage("--gpu and --set go with --pairs");
    for (uint32_t i = 0; i < set.n; i++)
        if (strncmp(set.at[i], "savings.", 8) == 0)
            return cli_usage("--pairs takes keys of the GPU file, not options: %s", set.at[i]);
    if (pairs && (name || mechanisms)) return cli_usage("--pairs takes no technique");
    if (pairs) return savings_pairs(c, gpu ? gpu : "gtx480", set.at, set.n, json);
    if (mechanisms) return print_mechanisms(json);
    if (name) return show(c, name, json);
    struct technique *list;
    uint32_t n;
    const enum ww_status s = technique_list(&c->arena, &list, &n, &c->diags);
    if (s != WW_OK) return cli_fail(c, s);
    bool broken = false;
    json_t *all = json_array();
    for (uint32_t i = 0; i < n; i++) {
        broken = broken || list[i].broken;
        if (json) {
            json_array_append_new(all, technique_json(&list[i]));
            continue;
        }
        printf("%-22s %s\n", list[i].name,
               list[i].broken ? "(this file does not load)" : list[i].description);
    }
    if (json) cli_print_json("techniques", all);
    json_decref(all);
    return broken ? cli_fail(c, WW_ERROR_CONFIG) : 0;
}
