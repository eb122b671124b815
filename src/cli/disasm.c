// `warpwatt disasm`: PTX to the machine code of a simulated GPU, printed; or the machine code of
// real GPUs that a cubin, a program or a fat binary holds.
#include "isa/image.h"
#include "gpu/gpu.h"
#include "cli/cli.h"
#include "fatbin/fatbin.h"
#include "sass/cubin.h"

#include <stdlib.h>

enum { OPT_GPU, OPT_SET, OPT_ENTRY, OPT_SUMMARY, OPT_LINES };
static const struct cli_option option[] = {
    [OPT_GPU] = {"--gpu", 'g', "NAME|FILE", "the GPU (default " SESSION_GPU ")", CLI_GPU},
    [OPT_SET] = {"--set", 's', "KEY=VALUE", "override a key of the GPU file", CLI_KEY},
    [OPT_ENTRY] = {"--entry", 0, "NAME", "only this kernel"},
    [OPT_SUMMARY] = {"--summary", 0, NULL,
                     "one line a kernel: registers, memory, instructions, spills"},
    [OPT_LINES] = {"--lines", 'l', NULL, "of a cubin: source lines, where it has a line table"},
};

const struct cli_spec spec_disasm = {
    .name = "disasm",
    .form = {"[options] KERNEL.ptx",
             "[-g GPU] [--entry NAME] [--summary] [--lines] FILE.cubin|PROGRAM|FATBIN"},
    .prose =
        "The machine code that PTX becomes on a simulated GPU, with registers, blocks and\n"
        "reconvergence points. Of a file that holds machine code of real GPUs (sm_70 to sm_90):\n"
        "its words in the notation of nvdisasm, and how each is scheduled: counters it waits\n"
        "for (B), that it lowers when operands are read (R) and results written (W), yield (Y),\n"
        "cycles until the next one (S). Of a program or library with units of several generations\n"
        "-g shows those that the GPU takes.",
    .part = {CLI_PART(option)},
    .word = CLI_FILE,
};

// What is printed of machine code, and what came of it.
struct cubin_view {
    const char *entry;
    bool summary, lines, found;
    uint32_t unknown, cubins;
    uint32_t arch;                  // only what this takes; 0: all
    uint32_t skipped, skipped_arch; // units whose encoding is not known, and one of them
};

static enum ww_status show_cubin(struct cli *c, struct cubin_view *v, const char *image, size_t len,
                                 const char *name) {
    struct cubin cubin;
    const enum ww_status s = cubin_read(&c->arena, image, len, name, &c->diags, &cubin);
    if (s != WW_OK) return s;
    if (!cubin.gen)
        return diag_add(
            &c->diags, WW_ERROR_UNSUPPORTED,
            "%s is machine code of sm_%u, whose encoding is not known (sm_70, 72, 75, 80, "
            "86, 87, 89 and 90 are)",
            name, cubin.arch);
    v->cubins++;
    for (uint32_t i = 0; i < cubin.kernel.n; i++) {
        const struct cubin_kernel *k = &cubin.kernel.at[i];
        if (v->entry && strcmp(v->entry, k->name) != 0) continue;
        v->found = true;
        const char *shown = text_printable(&c->arena, k->name, false);
        if (v->summary) {
            uint32_t unknown = 0;
            char text[SASS_TEXT_SIZE];
            for (uint32_t w = 0; w < k->words; w++)
                unknown +=
                    sass_text(cubin_word(k, w), w * UINT64_C(16), cubin.gen, text) != SASS_KNOWN;
            printf("%s sm_%u registers %u shared %u local %u instructions %u unknown %u\n", shown,
                   cubin.arch, k->registers, k->shared_bytes, k->local_bytes, k->words, unknown);
            v->unknown += unknown;
            continue;
        }
        printf("// %s %s of sm_%u: %u registers, %u bytes shared, %u bytes local, %u bytes of "
               "parameters "
               "at c[0x0][0x%x]\n",
               k->is_entry ? "kernel" : "function", shown, cubin.arch, k->registers,
               k->shared_bytes, k->local_bytes, k->parameter_bytes, k->parameter_at);
        struct cubin_lines lines;
        if (v->lines) {
            const enum ww_status t = cubin_lines(&c->arena, &cubin, k, false, &c->diags, &lines);
            if (t != WW_OK) return t;
        }
        v->unknown += cubin_disassemble(&cubin, k, v->lines ? &lines : NULL, stdout);
    }
    return WW_OK;
}

// What show_cubin said of it is left out: a library has hundreds of such units.
static void skip_unit(struct cli *c, struct cubin_view *v, uint32_t arch) {
    v->skipped++;
    v->skipped_arch = arch;
    diags_free(&c->diags);
    diags_init(&c->diags);
}

static void say_skipped(const struct cubin_view *v) {
    if (v->skipped)
        fprintf(stderr, "warpwatt: note: %u unit%s of machine code %s left out, such as of sm_%u: "
                "there is no table of that generation\n",
                v->skipped, text_plural(v->skipped), v->skipped == 1 ? "is" : "are", v->skipped_arch);
}

// A cubin, or each one that a program or a fat binary holds; with -g those that the GPU takes.
static int disasm_cubins(struct cli *c, struct cubin_view *v, const char *path, const char *text,
                         size_t len) {
    enum ww_status s = WW_OK;
    if (cubin_is(text, len))
        s = show_cubin(c, v, text, len, path);
    else {
        struct fatbin f = {0};
        s = fatbin_image(text) == FATBIN_IMAGE_ELF
                ? fatbin_read_elf(&c->arena, path, &c->diags, &f)
                : fatbin_read(&c->arena, text, len, path, &c->diags, &f);
        for (uint32_t i = 0; s == WW_OK && i < f.entry.n; i++) {
            if (f.entry.at[i].kind != FATBIN_CUBIN) continue;
            char *image;
            size_t bytes;
            if (v->arch && !fatbin_takes(v->arch, f.entry.at[i].arch)) continue; // not asked for
            s = fatbin_unpack(&c->arena, &f.entry.at[i], path, &c->diags, &image, &bytes);
            if (s == WW_OK) s = show_cubin(c, v, image, bytes, path);
            if (s != WW_ERROR_UNSUPPORTED || f.entry.n == 1) continue;
            skip_unit(c, v, f.entry.at[i].arch); // of another generation: the others are there
            s = WW_OK;
        }
        if (v->cubins) say_skipped(v);
        if (s == WW_OK && !v->cubins && v->arch)
            s = diag_add(&c->diags, WW_ERROR_USAGE,
                         "%s holds no machine code that the GPU takes, of sm_%u; `warpwatt extract` "
                         "says what it holds",
                         path, v->arch);
        else if (s == WW_OK && !v->cubins && v->skipped)
            s = diag_add(&c->diags, WW_ERROR_UNSUPPORTED,
                         "%s holds machine code of other generations alone, such as sm_%u", path,
                         v->skipped_arch);
        else if (s == WW_OK && !v->cubins)
            s = diag_add(&c->diags, WW_ERROR_USAGE,
                         "%s holds no machine code; `warpwatt extract` says what it holds", path);
    }
    if (s == WW_OK && v->entry && !v->found)
        s = diag_add(&c->diags, WW_ERROR_USAGE, "%s has no kernel `%s`", path, v->entry);
    if (s == WW_OK && v->unknown)
        s = diag_add(&c->diags, WW_ERROR_UNSUPPORTED,
                     "%s holds %u word%s that %s not known: `unknown` stands there", path,
                     v->unknown, text_plural(v->unknown), v->unknown == 1 ? "is" : "are");
    return s == WW_OK ? 0 : cli_fail(c, s);
}

int cmd_disasm(struct cli *c, int argc, char **argv) {
    struct cli_args args = {.argc = argc, .argv = argv, .at = 1};
    const char *gpu = SESSION_GPU, *entry = NULL, *path = NULL, *overrides[SESSION_MAX_OVERRIDES];
    uint32_t n_overrides = 0;
    bool summary = false, lines = false, has_gpu = false;
    for (;;) {
        const char *value = NULL;
        const int o = cli_next(&args, &spec_disasm, &value);
        if (o == CLI_STOP) return args.code;
        if (o == CLI_END) break;
        if (o == CLI_WORD) path = value;
        if (o == OPT_GPU) gpu = value, has_gpu = true;
        if (o == OPT_SET && n_overrides < SESSION_MAX_OVERRIDES) overrides[n_overrides++] = value;
        if (o == OPT_ENTRY) entry = value;
        if (o == OPT_SUMMARY) summary = true;
        if (o == OPT_LINES) lines = true;
    }
    if (!path) return cli_usage("disasm needs a file of PTX or of machine code");
    char *text;
    size_t len;
    enum ww_status s = file_read(&c->arena, path, (size_t)4 << 30, &text, &len, &c->diags);
    if (s == WW_OK) s = fatbin_check_file(text, len, path, &c->diags);
    if (s != WW_OK) return cli_fail(c, s);
    if (len >= 4 &&
        (fatbin_image(text) == FATBIN_IMAGE_ELF || fatbin_image(text) == FATBIN_IMAGE_CONTAINER)) {
        struct cubin_view view = {.entry = entry, .summary = summary, .lines = lines};
        struct gpu_config *const of = gpu_config_new(&c->arena);
        if (has_gpu) {
            s = gpu_config_load(gpu, overrides, n_overrides, &c->diags, of);
            if (s != WW_OK) return cli_fail(c, s);
            view.arch = gpu_config_arch(of);
        }
        return disasm_cubins(c, &view, path, text, len);
    }
    struct gpu_config *const config = gpu_config_new(&c->arena);
    s = gpu_config_load(gpu, overrides, n_overrides, &c->diags, config);
    struct gpu_options o;
    gpu_options_init(&o);
    struct gpu *g = NULL;
    struct gpu_module *m = NULL;
    if (s == WW_OK) s = gpu_create(config, &o, &c->diags, &g);
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
