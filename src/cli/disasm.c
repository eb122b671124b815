// `warpwatt disasm`: PTX to the machine code of a simulated GPU, printed.
#include "cli/cli.h"

#include <stdlib.h>

enum { OPT_GPU, OPT_SET, OPT_ENTRY, OPT_SUMMARY };
static const struct cli_option option[] = {
    [OPT_GPU] = {"--gpu", 'g', "NAME|FILE", "the GPU (default " SESSION_GPU ")", CLI_GPU},
    [OPT_SET] = {"--set", 's', "KEY=VALUE", "override a key of the GPU file", CLI_KEY},
    [OPT_ENTRY] = {"--entry", 0, "NAME", "only this kernel"},
    [OPT_SUMMARY] = {"--summary", 0, NULL,
                     "one line a kernel: registers, memory, instructions, spills"},
};

const struct cli_spec spec_disasm = {
    .name = "disasm",
    .form = {"[options] KERNEL.ptx"},
    .prose = "The machine code that PTX becomes on a simulated GPU, with registers, blocks and\n"
             "reconvergence points.",
    .part = {CLI_PART(option)},
    .word = CLI_FILE,
};

int cmd_disasm(struct cli *c, int argc, char **argv) {
    struct cli_args args = {.argc = argc, .argv = argv, .at = 1};
    const char *gpu = SESSION_GPU, *entry = NULL, *path = NULL, *overrides[SESSION_MAX_OVERRIDES];
    uint32_t n_overrides = 0;
    bool summary = false;
    for (;;) {
        const char *value = NULL;
        const int o = cli_next(&args, &spec_disasm, &value);
        if (o == CLI_STOP) return args.code;
        if (o == CLI_END) break;
        if (o == CLI_WORD) path = value;
        if (o == OPT_GPU) gpu = value;
        if (o == OPT_SET && n_overrides < SESSION_MAX_OVERRIDES) overrides[n_overrides++] = value;
        if (o == OPT_ENTRY) entry = value;
        if (o == OPT_SUMMARY) summary = true;
    }
    if (!path) return cli_usage("disasm needs a PTX file");
    struct gpu_config config;
    enum ww_status s = gpu_config_load(gpu, overrides, n_overrides, &c->diags, &config);
    struct gpu_options o;
    gpu_options_init(&o);
    struct gpu *g = NULL;
    struct gpu_module *m = NULL;
    char *text;
    size_t len;
    if (s == WW_OK) s = file_read(&c->arena, path, (size_t)256 << 20, &text, &len, &c->diags);
    if (s == WW_OK) s = gpu_create(&config, &o, &c->diags, &g);
    if (s == WW_OK) s = gpu_module_load(g, path, text, len, NULL, &c->diags, &m);
    bool found = !entry;
    enum ww_status refused = WW_OK; // what the first kernel that does not compile ended with
    for (uint32_t i = 0; s == WW_OK && i < gpu_module_kernels(m); i++) {
        const char *name = gpu_module_kernel_name(m, i);
        if (entry && strcmp(entry, name) != 0) continue;
        found = true;
        struct gpu_kernel *k;
        const struct code_image *im;
        enum ww_status made = gpu_kernel_find(m, name, &c->diags, &k);
        if (made == WW_OK) made = gpu_kernel_image(k, &c->diags, &im);
        if (made != WW_OK) {
            if (refused == WW_OK) refused = made;
            continue;
        }
        if (summary)
            printf("%s registers %u predicates %u shared %u local %u instructions %u fillers %u "
                   "spilled %u\n",
                   name, im->n_regs, im->n_preds, im->shared_bytes, im->local_bytes, im->n_insts,
                   im->stats.fillers, im->stats.spilled_regs);
        else
            disasm_image(im, stdout);
    }
    if (s == WW_OK) s = refused;
    if (s == WW_OK && !found)
        s = diag_add(&c->diags, WW_ERROR_USAGE, "%s has no kernel `%s`", path, entry);
    gpu_destroy(g);
    return s == WW_OK ? 0 : cli_fail(c, s);
}
