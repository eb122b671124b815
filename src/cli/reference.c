// `warpwatt reference`: pages of docs/, made from the tables of the code so that they stay true.
#include "cli/cli.h"

static void counters(void) {
    puts("# Counters\n\nEvery counter of `activity.def`: JSON, CSV and XML files use these names.\n\n"
         "| counter | entries | unit | component | one count means |\n|---|---|---|---|---|");
    for (uint32_t i = 0; i < act_info_n; i++)
        printf("| `%s` | %u | %s | %s | %s |\n", act_info[i].name, act_info[i].n, act_info[i].unit,
               act_info[i].component, act_info[i].prose);
}

static void stalls(void) {
    static const char *const prose[] = {
#define STALL(name, text) text,
#include "activity/stall.def"
#undef STALL
    };
    puts("# Issue slots\n\nEach scheduler cycle has exactly one owner.\n\n| owner | meaning |\n|---|---|");
    for (unsigned i = 0; i < STALL_N; i++) printf("| `%s` | %s |\n", stall_text((enum stall_reason)i), prose[i]);
}

static void instructions(void) {
    puts("# Machine instructions\n\nFrom `ops.def`. D, D1: destinations; A, B, C, E: sources.\n\n"
         "| operation | mnemonic | class | meaning |\n|---|---|---|---|");
    static const char *const name[] = {
#define OP(id, ...) #id,
#include "code/ops.def"
#undef OP
    };
    for (unsigned i = 0; i < OP_N; i++) {
        printf("| %s | `%s` | %s | ", name[i], mop_info[i].text, op_class_text((enum op_class)mop_info[i].klass));
        for (const char *p = mop_info[i].prose; *p; p++) fputs(*p == '|' ? "\\|" : (char[]){*p, 0}, stdout);
        puts(" |");
    }
}

static void classes(void) {
    static const char *const prose[] = {
#define OPC(name, unit, text) #unit " | " text,
#include "code/op_class.def"
#undef OPC
    };
    puts("# Operation classes\n\nWhat a GPU file gives a latency and an initiation interval for.\n\n"
         "| class | unit | what it is |\n|---|---|---|");
    for (unsigned i = 0; i < OPC_N; i++) printf("| `%s` | %s |\n", op_class_text((enum op_class)i), prose[i]);
}

static void gpu_keys(struct cli *c) {
    const struct gpu_key *keys;
    const uint32_t n = gpu_config_keys(&c->arena, &keys);
    puts("# Keys of a GPU file\n\nEach can be overridden with `-s key=value`.\n\n"
         "| key | type | unit | meaning |\n|---|---|---|---|");
    for (uint32_t i = 0; i < n; i++)
        printf("| `%s` | %s | %s | %s |\n", keys[i].path, keys[i].type, keys[i].unit, keys[i].prose);
}

int cmd_reference(struct cli *c, int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "";
    if (strcmp(what, "counters") == 0) return counters(), 0;
    if (strcmp(what, "stalls") == 0) return stalls(), 0;
    if (strcmp(what, "instructions") == 0) return instructions(), 0;
    if (strcmp(what, "classes") == 0) return classes(), 0;
    if (strcmp(what, "gpu-keys") == 0) return gpu_keys(c), 0;
    if (strcmp(what, "--help") != 0)
        return cli_usage("reference of what? counters, stalls, instructions, classes or gpu-keys");
    puts("usage: warpwatt reference counters | stalls | instructions | classes | gpu-keys\n\n"
         "A page of the reference in Markdown, made from the tables of the code.");
    return 0;
}
