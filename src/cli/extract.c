// `warpwatt extract`: what nvcc put into a program: a table, and on request the files.
#include "cli/cli.h"
#include "fatbin/fatbin.h"

#include <stdlib.h>

enum { OPT_OUT, OPT_PTX, OPT_ALL };
// What is listed without --all: a library may hold thousands of entries, and each hundreds of
// kernels.
enum { SOME_ENTRIES = 24, SOME_KERNELS = 4 };
static const struct cli_option option[] = {
    [OPT_OUT] = {"--out", 'o', "DIR",
                 "write every entry as a file (NAME.UNIT.sm_XX.ptx, .cubin, .lto)", CLI_FOLDER},
    [OPT_PTX] = {"--ptx", 0, NULL, "with -o: the PTX entries only"},
    [OPT_ALL] = {"--all", 'a', NULL, "list every entry and every kernel"},
};

const struct cli_spec spec_extract = {
    .name = "extract",
    .form = {"[options] PROGRAM|LIBRARY|FATBIN|FILE.cubin"},
    .prose = "Lists the device code that nvcc put into a program: units, targets, sizes, "
             "compression, kernels.",
    .part = {CLI_PART(option)},
    .word = CLI_FILE,
};

// An ELF file, a cubin (one entry), or a bare container as nvcc -fatbin writes it.
static enum ww_status read_any(struct cli *c, const char *path, struct fatbin *out) {
    char *text;
    size_t len;
    struct arena peek;
    arena_init(&peek, NULL);
    enum ww_status s = file_read(&peek, path, (size_t)4 << 30, &text, &len, &c->diags);
    if (s == WW_OK && len >= 4 && fatbin_image(text) == FATBIN_IMAGE_CONTAINER)
        s = fatbin_read(&c->arena, arena_copy(&c->arena, text, len), len, path, &c->diags, out);
    else if (s == WW_OK && len && fatbin_is_cubin(text, len))
        s = fatbin_read_image(&c->arena, arena_copy(&c->arena, text, len), len, path, &c->diags,
                              out);
    else if (s == WW_OK && len >= 4 && fatbin_image(text) == FATBIN_IMAGE_ELF)
        s = fatbin_read_elf(&c->arena, path, &c->diags, out);
    else if (s == WW_OK)
        s = diag_add(&c->diags, WW_ERROR_SYNTAX,
                     "%s is neither an ELF file (program, library, object) nor a fat binary", path);
    arena_free(&peek);
    return s;
}

static void target(const struct fatbin_entry *e, char buf[16]) {
    snprintf(buf, 16, "%s_%u%.1s", e->kind == FATBIN_PTX ? "compute" : "sm", e->arch % 100000u,
             e->suffix ? &e->suffix : "");
}

static void list_entry(struct arena *a, const struct fatbin_entry *e, const char *text, size_t len,
                       bool all) {
    char name[16], isa[16];
    target(e, name);
    snprintf(isa, sizeof isa, "%u.%u", e->major, e->minor);
    printf("%4u  %-5s  %-12s  %5s  %10zu  %10zu  %-4s", e->container, fatbin_kind_name(e->kind),
           name, isa, e->payload_bytes, e->bytes, fatbin_packing_name(e->packing));
    const char *const *kernels;
    const uint32_t n = fatbin_kernels(a, e->kind, text, len, &kernels),
                   shown = all || n <= SOME_KERNELS ? n : SOME_KERNELS;
    for (uint32_t k = 0; k < shown; k++)
        printf("%s%s", k ? ", " : "  ", text_printable(a, kernels[k], false));
    if (shown < n) printf(" and %u more", n - shown);
    if (*e->options) printf("  [%s]", text_printable(a, e->options, false));
    if (*e->name) printf("  from %s", text_printable(a, e->name, false));
    putchar('\n');
}

static enum ww_status write_entry(struct cli *c, const char *dir, const char *base, uint32_t index,
                                  const struct fatbin_entry *e, const char *text, size_t len) {
    const char *suffix = e->kind == FATBIN_PTX     ? "ptx"
                         : e->kind == FATBIN_CUBIN ? "cubin"
                         : e->kind == FATBIN_LTO   ? "lto"
                                                   : "bin";
    char name[16];
    target(e, name);
    const char *path =
        arena_printf(&c->arena, "%s/%s.%u.%u.%s.%s", dir, base, e->container, index, name, suffix);
    return file_write_atomic(path, text, len, &c->diags);
}

int cmd_extract(struct cli *c, int argc, char **argv) {
    struct cli_args args = {.argc = argc, .argv = argv, .at = 1};
    const char *path = NULL, *dir = NULL;
    bool ptx_only = false, all = false;
    for (;;) {
        const char *value = NULL;
        const int o = cli_next(&args, &spec_extract, &value);
        if (o == CLI_STOP) return args.code;
        if (o == CLI_END) break;
        if (o == CLI_WORD) path = value;
        if (o == OPT_OUT) dir = value;
        if (o == OPT_PTX) ptx_only = true;
        if (o == OPT_ALL) all = true;
    }
    if (!path && args.at < argc) path = argv[args.at];
    if (!path) return cli_usage("extract needs a program");
    struct fatbin f = {0};
    enum ww_status s = read_any(c, path, &f);
    if (s != WW_OK) return cli_fail(c, s);
    if (!f.entry.n) {
        printf("%s holds no device code (no section .nv_fatbin)\n", path);
        return 0;
    }
    if (dir && (s = file_make_folder(dir, &c->diags)) != WW_OK) return cli_fail(c, s);
    const char *base = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    printf("%4s  %-5s  %-12s  %5s  %10s  %10s  %-4s  %s\n", "unit", "kind", "target", "ISA",
           "stored", "bytes", "pack", "kernels");
    uint32_t listed = 0, ptx = 0;
    const bool some = !all && f.entry.n > SOME_ENTRIES;
    for (uint32_t i = 0; i < f.entry.n; i++) ptx += f.entry.at[i].kind == FATBIN_PTX;
    for (uint32_t i = 0; i < f.entry.n && s == WW_OK; i++) {
        const struct fatbin_entry *e = &f.entry.at[i];
        const bool written = dir && (!ptx_only || e->kind == FATBIN_PTX),
                   shown = !some || listed < SOME_ENTRIES;
        if (!written && !shown) continue;
        struct arena content; // a library's whole content would not fit at once
        arena_init(&content, NULL);
        char *text;
        size_t len;
        s = fatbin_unpack(&content, e, path, &c->diags, &text, &len);
        if (s == WW_OK && shown) list_entry(&content, e, text, len, all), listed++;
        if (s == WW_OK && written) s = write_entry(c, dir, base, i, e, text, len);
        arena_free(&content);
    }
    if (s == WW_OK && some)
        printf("... and %u more: %u entries in %u units, %u of them PTX (--all lists them)\n",
               f.entry.n - listed, f.entry.n, f.containers, ptx);
    if (s == WW_OK && !ptx) {
        char advice[96];
        printf("there is no PTX: it runs as machine code alone, on GPUs of these targets (warpwatt "
               "doctor says which); nvcc %s adds it\n",
               fatbin_advice(&f, f.containers - 1, advice, sizeof advice));
    }
    return s == WW_OK ? 0 : cli_fail(c, s);
}
