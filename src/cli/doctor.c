// `warpwatt doctor`: what a program needs of a GPU, what of it the simulated one has, and what is
// missing, before anything runs. It reads the file only: libraries by the names that it asks for,
// calls by its dynamic symbols, kernels by compiling each for the GPU.
#include "isa/image.h"
#include "gpu/gpu.h"
#include "cli/cli.h"
#include "fatbin/fatbin.h"
#include "fatbin/installed.h"
#include "fatbin/own_runtime.h"

#include <dirent.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stdlib.h>
#include <unistd.h>

enum { OPT_GPU, OPT_SET };
static const struct cli_option option[] = {
    [OPT_GPU] = {"--gpu", 'g', "NAME|FILE", "the GPU (default: that of run -- PROGRAM)",
                 CLI_GPU},
    [OPT_SET] = {"--set", 's', "KEY=VALUE", "override a key of the GPU file", CLI_KEY},
};

const struct cli_spec spec_doctor = {
    .name = "doctor",
    .form = {"[options] -- PROGRAM", "[options] -- python SCRIPT.py", "[options] FILE.ptx|FILE.cubin|FILE.fatbin"},
    .prose =
        "Says what a program needs and what of it is missing, without running it: its runtime, "
        "calls,\nlibraries, PTX, machine code and kernels; of a file of PTX or machine code, which "
        "kernels run;\nof a Python script (-- python SCRIPT.py) what it imports, which is loaded for "
        "that.\nExit code 0: all is there; 3: something is missing.",
    .part = {CLI_PART(option)},
    .word = CLI_PROGRAM,
};

// ---- what the file says of itself ---------------------------------------------------------------
static const char *const answered[] = {
#define ENTRY(name)      #name,
#define ENTRY_PTSZ(name) #name, #name "_ptsz",
#define ENTRY_PTDS(name) #name, #name "_ptds",
#define REFUSED(name)
#include "cudart/api.def"
#undef ENTRY
#undef ENTRY_PTSZ
#undef ENTRY_PTDS
#undef REFUSED
};
static const char *const refused[] = {
#define ENTRY(name)
#define ENTRY_PTSZ(name)
#define ENTRY_PTDS(name)
#define REFUSED(name) #name,
#include "cudart/api.def"
};
static const char *const driver_refused[] = {
#define UNSUPPORTED(name) #name,
#include "driver/unsupported.def"
#undef UNSUPPORTED
};
// Each has a library of ours that answers every call, or hands it to the installed one (HOST).
enum library_kind { GPU, HOST };
static const struct {
    const char *name, *file;
    enum library_kind kind;
} machine_code[] = {
#define LIBRARY(name, title, status, kind, versions) {#name, "lib" #name ".so", kind},
#include "libraries/libraries.def"
};

// Calls of them that compute.
static const struct {
    const char *library, *name;
} computed[] = {
#define ANSWERED(library, name) {#library, #name},
#include "libraries/answered.def"
};

struct needs {
    bool is_elf, is_cubin, is_script, is_dynamic, has_code, has_symbols;
    int shared_major, static_major; // 0: none
    bool driver, opencl;
    VEC(const char *) library;                  // of libraries.def, by file name
    bool installed[WW_COUNT(machine_code)];     // one of HOST is there
    const char *called[WW_COUNT(machine_code)]; // the first call of each; NULL: none is called
    unsigned n_called[WW_COUNT(machine_code)];
    VEC(const char *) unknown;        // calls that no version has
    VEC(const char *) refused;        // calls that are answered with "not supported"
    VEC(const char *) refused_driver; // the same of the driver's interface
    unsigned calls;
};

static bool is_among(const char *name, const char *const *list, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (strcmp(name, list[i]) == 0) return true;
    return false;
}

static void look_at_library(struct cli *c, struct needs *n, const char *name) {
    static const char runtime[] = "libcudart.so.";
    if (strncmp(name, runtime, sizeof runtime - 1) == 0)
        n->shared_major = atoi(name + sizeof runtime - 1);
    if (strncmp(name, "libcuda.so", 10) == 0) n->driver = true;
    if (strncmp(name, "libOpenCL.so", 12) == 0) n->opencl = true;
    for (size_t i = 0; i < WW_COUNT(machine_code); i++)
        if (strncmp(name, machine_code[i].file, strlen(machine_code[i].file)) == 0)
            vec_push(&c->arena, &n->library, arena_strdup(&c->arena, name));
}

// A name that is taken from a library of machine code, told by how it begins: the longest name
// counts (cublasLt before cublas).
static void look_at_foreign(struct cli *c, struct needs *n, const char *name) {
    size_t best = WW_COUNT(machine_code), longest = 0;
    for (size_t i = 0; i < WW_COUNT(machine_code); i++) {
        const size_t len = strlen(machine_code[i].name);
        if (len <= longest || strncmp(name, machine_code[i].name, len) != 0) continue;
        best = i, longest = len;
    }
    if (best == WW_COUNT(machine_code)) return;
    if (strncmp(name + longest, "Lt", 2) == 0) return; // cuSPARSELt is no part of cuSPARSE
    for (size_t i = 0; i < WW_COUNT(computed); i++)
        if (strcmp(name, computed[i].name) == 0) return;
    if (!n->n_called[best]++) n->called[best] = arena_strdup(&c->arena, name);
}

static void look_at_symbol(struct cli *c, struct needs *n, const char *name, bool is_undefined) {
    if (name && is_undefined) look_at_foreign(c, n, name);
    if (name && is_undefined && is_among(name, driver_refused, WW_COUNT(driver_refused)))
        vec_push(&c->arena, &n->refused_driver, arena_strdup(&c->arena, name));
    if (!name || (strncmp(name, "cuda", 4) != 0 && strncmp(name, "__cuda", 6) != 0)) return;
    if (!is_undefined) { // the names by which versions differ: see src/cudart/replace.c
        if (strcmp(name, "cudaGetDeviceProperties_v2") == 0) n->static_major = 12;
        if (strcmp(name, "__cudaLaunchKernel") == 0 && n->static_major < 12) n->static_major = 13;
        if (strcmp(name, "cudaMalloc") == 0 && !n->static_major) n->static_major = 11;
        return;
    }
    n->calls++;
    if (is_among(name, answered, WW_COUNT(answered))) return;
    if (is_among(name, refused, WW_COUNT(refused)))
        vec_push(&c->arena, &n->refused, arena_strdup(&c->arena, name));
    else
        vec_push(&c->arena, &n->unknown, arena_strdup(&c->arena, name));
}

static void look_at_sections(struct cli *c, struct needs *n, Elf *elf) {
    for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn));) {
        GElf_Shdr h;
        if (!gelf_getshdr(scn, &h) || !h.sh_entsize) continue;
        Elf_Data *const data = elf_getdata(scn, NULL);
        const int count = (int)(h.sh_size / h.sh_entsize);
        GElf_Dyn d;
        for (int i = 0; data && h.sh_type == SHT_DYNAMIC && i < count && gelf_getdyn(data, i, &d);
             i++) {
            n->is_dynamic = true;
            const char *needed =
                d.d_tag == DT_NEEDED ? elf_strptr(elf, h.sh_link, d.d_un.d_val) : NULL;
            if (needed) look_at_library(c, n, needed);
        }
        n->has_symbols |= h.sh_type == SHT_SYMTAB;
        GElf_Sym s;
        for (int i = 0; data && (h.sh_type == SHT_DYNSYM || h.sh_type == SHT_SYMTAB) && i < count &&
                        gelf_getsym(data, i, &s);
             i++)
            if ((h.sh_type == SHT_DYNSYM) == (s.st_shndx == SHN_UNDEF))
                look_at_symbol(c, n, elf_strptr(elf, h.sh_link, s.st_name),
                               s.st_shndx == SHN_UNDEF);
    }
}

static enum ww_status look(struct cli *c, const char *path, struct needs *n) {
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return diag_add(&c->diags, WW_ERROR_USAGE, "cannot open %s: %m", path);
    char head[2] = "";
    n->is_script = pread(fd, head, 2, 0) == 2 && head[0] == '#' && head[1] == '!';
    elf_version(EV_CURRENT);
    Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
    n->is_elf = elf && elf_kind(elf) == ELF_K_ELF;
    GElf_Ehdr header;
    n->is_cubin = n->is_elf && gelf_getehdr(elf, &header) && header.e_machine == EM_CUDA;
    if (n->is_elf) look_at_sections(c, n, elf);
    elf_end(elf);
    close(fd);
    return WW_OK;
}

// ---- kernels ------------------------------------------------------------------------------------
static const struct {
    const char *word, *feature;
} features[] = {{"tex.", "textures"},
                {".texref", "texture references"},
                {"sust.", "surfaces"},
                {"vprintf", "printf"},
                {"__assertfail", "assert"},
                {"%envreg", "grid synchronisation"},
                {"atom.", "atomics"},
                {".f64", "double precision"},
                {".managed", "managed variables"},
                {"shfl.", "shuffles"},
                {"cudaGetParameterBuffer", "dynamic parallelism"},
                {"wmma.", "tensor cores"},
                {"mma.sync", "tensor cores"},
                {"cp.async", "asynchronous copies"},
                {"clock64", "clocks"},
                {".f16", "half precision"}};

struct checked {
    uint32_t kernels, bad;
    uint32_t isa_low, isa_high, target_low, target_high; // of the PTX that would run
    uint32_t n_ptx, n_code, without; // units with PTX, with machine code that runs, with neither
    bool has_linked; // machine code that nvcc's linker made of units runs in place of their PTX
    uint32_t from_code, instead; // kernels that run as machine code; as PTX, though there is such
    const char *made_by;         // of the first kernel of machine code
    bool has_feature[WW_COUNT(features)];
};

static void missing(const char *what, const char *fmt, ...) WW_PRINTF(2, 3);
static void missing(const char *what, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    printf("  missing   %s: ", what);
    vprintf(fmt, ap);
    putchar('\n');
    va_end(ap);
}

// Names of what the device's own runtime defines hold this. nvcc links it to programs that launch
// kernels from kernels, and as it happens to others; its absence matters to those kernels only, and
// they say so.
static const char device_runtime[] = "cuda_device_runtime_cu";

static void check_features(const char *text, struct checked *k) {
    for (size_t i = 0; i < WW_COUNT(features); i++)
        k->has_feature[i] |= strstr(text, features[i].word) != NULL;
}

// What was said is on the page; what comes next says its own.
static void forget(struct cli *c) {
    diags_free(&c->diags);
    diags_init(&c->diags);
}

static void note_code(struct cli *c, const struct code_image *im, struct checked *k) {
    k->from_code += im->source.made_by != NULL;
    k->instead += im->source.instead != NULL;
    if (im->source.made_by && !k->made_by) k->made_by = arena_strdup(&c->arena, im->source.made_by);
    if (im->source.instead) printf("  PTX runs  %s\n", im->source.instead);
}

static void check_image(struct cli *c, struct gpu *g, const char *name,
                        const struct fatbin_choice *what, struct checked *k) {
    struct gpu_module *m = NULL;
    char why[512];
    const struct gpu_module_options o = {.ptx = what->beside, .ptx_bytes = what->beside_bytes};
    if (gpu_module_load(g, name, what->image, what->bytes, &o, &c->diags, &m) != WW_OK) {
        diags_first(&c->diags, why, sizeof why);
        missing(name, "%s", why);
        k->bad++;
        forget(c);
        return;
    }
    for (uint32_t i = 0; i < gpu_module_kernels(m); i++) {
        const char *const kernel = gpu_module_kernel_name(m, i);
        if (strstr(kernel, device_runtime)) continue;
        struct gpu_kernel *found;
        const struct code_image *im;
        enum ww_status s = gpu_kernel_find(m, kernel, &c->diags, &found);
        if (s == WW_OK) s = gpu_kernel_image(found, &c->diags, &im);
        if (s == WW_OK) note_code(c, im, k);
        if (s == WW_OK) s = gpu_kernel_fits(found, &c->diags);
        k->kernels++;
        if (s == WW_OK) continue;
        k->bad++;
        diags_first(&c->diags, why, sizeof why);
        missing(kernel, "%s", why);
        forget(c);
    }
    gpu_module_unload(g, m);
}

// Machine code that nobody misses: the device's own runtime, or the link's own empty unit.
static bool is_no_ones(struct cli *c, const struct fatbin_entry *e, const char *path) {
    char *text;
    size_t len;
    const char *const *names;
    if (fatbin_unpack(&c->arena, e, path, &c->diags, &text, &len) != WW_OK) return forget(c), false;
    const uint32_t n = fatbin_kernels(&c->arena, e->kind, text, len, &names);
    for (uint32_t i = 0; i < n; i++)
        if (strstr(names[i], "cudaLaunchDevice") || strstr(names[i], device_runtime)) return true;
    return n == 0;
}

// A unit that has only machine code which the GPU does not take.
static void not_for(struct cli *c, struct gpu *g, const char *unit, const struct fatbin *f,
                    struct checked *k) {
    const uint32_t *arch;
    const uint32_t n = fatbin_archs(&c->arena, f, FATBIN_CUBIN, &arch);
    char list[96] = "", advice[96];
    for (uint32_t i = 0, at = 0; i < n && at < sizeof list; i++)
        at += (uint32_t)snprintf(list + at, sizeof list - at, "%s%u.%u", i ? ", " : "",
                                 arch[i] / 10, arch[i] % 10);
    missing(unit, "machine code for compute capability %s%s; nvcc %s adds PTX", list,
            n ? gpu_with_code(g, arch[0]) : "", fatbin_advice(f, 0, advice, sizeof advice));
    k->without++;
}

static void note_ptx(const struct fatbin_entry *e, const char *text, struct checked *k) {
    check_features(text, k);
    const uint32_t isa = e->major * 10u + e->minor;
    k->n_ptx++;
    k->isa_low = isa < k->isa_low ? isa : k->isa_low;
    k->isa_high = isa > k->isa_high ? isa : k->isa_high;
    k->target_low = e->arch < k->target_low ? e->arch : k->target_low;
    k->target_high = e->arch > k->target_high ? e->arch : k->target_high;
}

// Whether machine code of a unit runs where there is PTX as well.
static bool has_checked_code(const struct fatbin *unit, uint32_t arch) {
    for (uint32_t i = 0; i < unit->entry.n; i++) {
        const struct fatbin_entry *e = &unit->entry.at[i];
        if (e->kind == FATBIN_CUBIN && fatbin_takes(arch, e->arch) && gpu_code_is_checked(e->arch))
            return true;
    }
    return false;
}

struct to_link {
    VEC(const char *) text; // PTX of the units that are to be linked
    VEC(size_t) len;
    uint32_t own; // those of them that are the program's
};

// Whether nvcc's linker made a unit's machine code of those to be linked: it holds a kernel of theirs.
static bool is_made_of(struct cli *c, const struct fatbin_entry *code, const char *path,
                       const struct to_link *link) {
    char *text;
    size_t len;
    const char *const *made, *const *of;
    if (fatbin_unpack(&c->arena, code, path, &c->diags, &text, &len) != WW_OK)
        return forget(c), false;
    const uint32_t n = fatbin_kernels(&c->arena, code->kind, text, len, &made);
    for (uint32_t u = 0; u < link->text.n; u++) {
        const uint32_t m =
            fatbin_kernels(&c->arena, FATBIN_PTX, link->text.at[u], link->len.at[u], &of);
        for (uint32_t i = 0; i < m; i++)
            if (is_among(of[i], made, n)) return true;
    }
    return false;
}

// One unit as if it were all, if it has PTX (`with_ptx`) or has none; those to be linked are left to
// the caller, in `link`.
static enum ww_status check_unit(struct cli *c, struct gpu *g, const struct fatbin *f,
                                 uint32_t number, bool with_ptx, const char *path,
                                 struct checked *k, struct to_link *link) {
    const struct fatbin_wish w = {.arch = gpu_config_arch(gpu_config_of(g)),
                                  .ptx_arch = gpu_config_arch(gpu_config_of(g)),
                                  .is_checked = gpu_code_is_checked};
    const char *const name = arena_printf(&c->arena, "unit %u", number);
    struct fatbin unit = {.containers = 1};
    for (uint32_t i = 0; i < f->entry.n; i++) {
        if (f->entry.at[i].container != number) continue;
        vec_push(&c->arena, &unit.entry, f->entry.at[i]);
        unit.entry.at[unit.entry.n - 1].container = 0;
    }
    const int ptx = fatbin_choose(&unit, 0, w.ptx_arch);
    if ((ptx >= 0) != with_ptx) return WW_OK;
    const bool to_link = ptx >= 0 && unit.entry.at[ptx].to_link;
    struct fatbin_choice choice = {0};
    enum ww_status s = fatbin_pick(&c->arena, &unit, path, &w, &c->diags, &choice);
    if (s != WW_OK) return s;
    const struct fatbin_entry *code = unit.entry.n ? &unit.entry.at[0] : NULL;
    if (code && code->kind != FATBIN_CUBIN) code = NULL;
    const bool is_linked = !with_ptx && code && link->own && is_made_of(c, code, path, link);
    if (is_linked && !has_checked_code(&unit, w.arch)) return WW_OK; // the units' PTX runs
    if (!choice.image) {
        if (code && !is_no_ones(c, code, path)) not_for(c, g, name, &unit, k);
        return WW_OK;
    }
    bool is_runtime = false;
    if (ptx >= 0) {
        char *t;
        size_t len;
        s = fatbin_unpack(&c->arena, &unit.entry.at[ptx], path, &c->diags, &t, &len);
        if (s != WW_OK) return s;
        is_runtime = strstr(t, device_runtime) != NULL;
        if (to_link) {
            vec_push(&c->arena, &link->text, t);
            vec_push(&c->arena, &link->len, len);
            link->own += !is_runtime;
        }
        if (!is_runtime) note_ptx(&unit.entry.at[ptx], t, k);
    }
    if (is_runtime || to_link) return WW_OK;
    const uint32_t before = k->from_code;
    check_image(c, g, name, &choice, k);
    k->n_code += k->from_code > before;
    k->has_linked |= is_linked;
    return WW_OK;
}

static enum ww_status check_units(struct cli *c, struct gpu *g, const char *path,
                                  const struct fatbin *f, struct checked *k) {
    struct to_link link = {0};
    *k = (struct checked){.isa_low = UINT32_MAX, .target_low = UINT32_MAX};
    for (int without = 0; without < 2; without++)
        for (uint32_t unit = 0; unit < f->containers; unit++) {
            const enum ww_status s = check_unit(c, g, f, unit, !without, path, k, &link);
            if (s != WW_OK) return s;
        }
    if (!link.own || k->has_linked) return WW_OK;
    struct fatbin_choice whole = {0};
    char why[512];
    if (fatbin_link(&c->arena, link.text.at, link.len.at, link.text.n, &c->diags, &whole.image,
                    &whole.bytes) == WW_OK) {
        check_image(c, g, "linked units", &whole, k);
        return WW_OK;
    }
    diags_first(&c->diags, why, sizeof why);
    missing("linked units", "%s", why);
    k->bad++;
    forget(c);
    return WW_OK;
}

// ---- what a person reads ------------------------------------------------------------------------
static int print_runtime(const struct needs *n, const char *path) {
    if (fatbin_has_own_runtime(path)) {
        if (n->has_symbols && n->static_major) {
            printf("  runtime   CUDA %d, linked in: replaced when the program runs\n",
                   n->static_major);
            return 0;
        }
        missing("runtime", "linked in, and the program has no symbols by which it could be "
                           "replaced: build it with `nvcc -cudart shared`, or do not strip it");
        return 1;
    }
    if (n->shared_major) {
        if (n->shared_major >= 11 && n->shared_major <= 13) {
            printf("  runtime   CUDA %d, shared\n", n->shared_major);
            return 0;
        }
        missing("runtime", "CUDA %d; 11, 12 and 13 are there", n->shared_major);
        return 1;
    }
    printf("  runtime   none%s\n", n->driver ? ": the driver's interface" : "");
    return 0;
}

// Of a library, by its file name.
static unsigned calls_that_compute(const char *file) {
    unsigned calls = 0;
    for (size_t i = 0; i < WW_COUNT(computed); i++) {
        const size_t n = strlen(computed[i].library);
        calls += strncmp(file, "lib", 3) == 0 && strncmp(file + 3, computed[i].library, n) == 0 &&
                 file[3 + n] == '.';
    }
    return calls;
}

// One of libraries.def, by the file name that the program asks for.
static void print_library(struct needs *n, const char *name, const char *program) {
    char where[4096];
    for (size_t i = 0; i < WW_COUNT(machine_code); i++) {
        const size_t len = strlen(machine_code[i].file);
        if (machine_code[i].kind != HOST || strncmp(name, machine_code[i].file, len) != 0) continue;
        n->installed[i] = installed_find(name, program, where, sizeof where);
        if (n->installed[i])
            printf("  library   %s: needs no GPU; the installed one is used, %s\n", name, where);
        else
            printf("  library   %s: not installed; the program starts, and a call of it is named "
                   "and answers an error\n",
                   name);
        return;
    }
    const unsigned calls = calls_that_compute(name);
    if (calls) {
        printf("  library   %s: warpwatt's own; %u of its calls compute, another one is named and "
               "answers \"not supported\"\n",
               name, calls);
        return;
    }
    printf("  library   %s: not simulated; the program starts, and a call of it is named and "
           "answers \"not supported\"\n",
           name);
}

// What runs programs of OpenCL: the system's loader, our platform, and what compiles their sources. A program that only loads
// binaries does without the last.
static unsigned print_opencl(struct cli *c, const char *program) {
    char where[4096];
    unsigned bad = 0;
    if (!installed_find("libOpenCL.so.1", program, where, sizeof where)) {
        missing("libOpenCL.so.1", "no loader of OpenCL is installed; Debian's package is "
                                  "ocl-icd-libopencl1");
        bad++;
    } else
        printf("  opencl    loader %s\n", where);
    const char *const folder = run_library_folder(c);
    const char *const named[] = {getenv("WARPWATT_OPENCL_CLANG"), getenv("WARPWATT_OPENCL_LIBCLC")};
    const struct {
        const char *what, *path, *advice;
    } part[] = {
        {"platform", arena_printf(&c->arena, "%s/libwarpwatt-opencl.so", folder ? folder : "."),
         "build warpwatt with the Debian package opencl-headers installed"},
        {"clang 14", named[0] ? named[0] : OPENCL_CLANG,
         "install the Debian package clang-14 before warpwatt is built, or name it in "
         "WARPWATT_OPENCL_CLANG"},
        {"libclc", named[1] ? named[1] : OPENCL_LIBCLC,
         "install the Debian package libclc-14 before warpwatt is built, or name "
         "nvptx64--nvidiacl.bc in WARPWATT_OPENCL_LIBCLC"},
        {"built-in functions",
         arena_printf(&c->arena, "%s/libwarpwatt-opencl-builtins.bc", folder ? folder : "."),
         "build warpwatt with clang-14 and libclc-14 installed"},
        {"functions of 3.0",
         arena_printf(&c->arena, "%s/libwarpwatt-opencl-builtins_3_0.bc", folder ? folder : "."),
         "build warpwatt with clang-14 and libclc-14 installed"},
    };
    for (size_t i = 0; i < WW_COUNT(part); i++) {
        if (access(part[i].path, R_OK) == 0)
            printf("  opencl    %s %s\n", part[i].what, part[i].path);
        else {
            missing("OpenCL", "%s is not at `%s`: %s", part[i].what, part[i].path, part[i].advice);
            bad++;
        }
    }
    return bad;
}

static void print_kernels(const struct checked *k, const struct gpu_config *c) {
    if (k->n_code)
        printf(
            "  code      %u unit%s of machine code, %u kernel%s of it run%s; the first is of %s\n",
            k->n_code, text_plural(k->n_code), k->from_code, text_plural(k->from_code),
            k->from_code == 1 ? "s" : "", k->made_by);
    if (k->n_ptx) {
        printf("  PTX       %u unit%s, version %u.%u", k->n_ptx, k->n_ptx == 1 ? "" : "s",
               k->isa_low / 10, k->isa_low % 10);
        if (k->isa_high != k->isa_low) printf(" to %u.%u", k->isa_high / 10, k->isa_high % 10);
        printf(", for compute_%u", k->target_low);
        if (k->target_high != k->target_low) printf(" to compute_%u", k->target_high);
        const uint32_t arch = gpu_config_arch(c);
        if (k->target_high > arch)
            printf(" (%s runs it, a real one takes compute_%u at most)\n", gpu_config_name(c),
                   arch);
        else
            puts(" (any will do)");
    }
    bool any = false;
    for (size_t i = 0; i < WW_COUNT(features); i++) {
        bool again = false;
        for (size_t j = 0; j < i; j++)
            again |= k->has_feature[j] && strcmp(features[i].feature, features[j].feature) == 0;
        if (!k->has_feature[i] || again) continue;
        printf("%s%s", any ? ", " : "  uses      ", features[i].feature);
        any = true;
    }
    if (any) putchar('\n');
    printf("  kernels   %u, of which %u can run on %s\n", k->kernels,
           k->kernels - (k->bad < k->kernels ? k->bad : k->kernels), gpu_config_name(c));
}

// A file of PTX or machine code, which no program surrounds.
static bool is_code(const char *path, const struct needs *n) {
    return n->is_cubin || (!n->is_elf && run_is_kernel_file(path));
}

static enum ww_status read_code(struct cli *c, const char *path, struct fatbin *f) {
    char *file;
    size_t len;
    enum ww_status s = file_read(&c->arena, path, (size_t)256 << 20, &file, &len, &c->diags);
    if (s == WW_OK) s = fatbin_check_file(file, len, path, &c->diags);
    return s == WW_OK ? fatbin_read_image(&c->arena, file, len, path, &c->diags, f) : s;
}

// ---- a Python script ----------------------------------------------------------------------------
// Python's code for GPUs is in the packages that a script imports. They are imported as `run` would have them, with our
// libraries in place; nothing else of the script runs. The importer leaves a line for each import that failed and for each
// library that was mapped.
static const char importer[] =
    "import ast, os, sys\n"
    "script, out = sys.argv[1:3]\n"
    "sys.argv, sys.path[0] = [script], os.path.dirname(os.path.abspath(script))\n"
    "lines, names = [], {'__name__': 'doctor', '__file__': script}\n"
    "for node in ast.walk(ast.parse(open(script, 'rb').read(), script)):\n"
    "    if not isinstance(node, (ast.Import, ast.ImportFrom)): continue\n"
    "    try: exec(compile(ast.Module([node], []), script, 'exec'), names)\n"
    "    except BaseException as e:\n"
    "        lines.append('F' + ast.unparse(node) + '\\t' + (str(e).splitlines() or [type(e).__name__])[0])\n"
    "lines += sorted({'M' + l.split(None, 5)[5].strip() for l in open('/proc/self/maps') if '.so' in l and len(l.split(None, 5)) > 5})\n"
    "open(out, 'w').write(''.join(l + '\\n' for l in lines))\n";

static bool is_python(const char *path) {
    const char *const slash = strrchr(path, '/');
    return strncmp(slash ? slash + 1 : path, "python", 6) == 0;
}

static const char *file_of(const char *path) {
    const char *const slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

// Machine code that the GPU takes none of, where there is no PTX.
static unsigned check_code(struct gpu *g, const char *path) {
    struct fatbin_glance code;
    fatbin_glance_at(path, &code);
    if (!code.n && !code.has_ptx) return 0;
    const struct gpu_config *const config = gpu_config_of(g);
    const uint32_t has = gpu_config_arch(config);
    char list[128] = "";
    const char *with = "";
    bool fits = code.has_ptx;
    for (uint32_t i = 0, at = 0; i < code.n && at < sizeof list; i++) {
        at += (uint32_t)snprintf(list + at, sizeof list - at, "%s%u.%u", i ? ", " : "",
                                 code.arch[i] / 10, code.arch[i] % 10);
        fits = fits || fatbin_takes(has, code.arch[i]);
        if (!*with && !fatbin_takes(has, code.arch[i])) with = gpu_with_code(g, code.arch[i]);
    }
    if (fits)
        printf("  code      %s: machine code for %s%s\n", file_of(path), code.n ? list : "none",
               code.has_ptx ? ", and PTX" : "");
    else
        missing(file_of(path), "machine code for compute capability %s and no PTX; %s has %u.%u%s",
                list, gpu_config_name(config), has / 10, has % 10, with);
    return !fits;
}

// A library of the vendor's may be a front of others beside it, which it opens when it is used: libcudnn.so.9 of
// libcudnn_graph.so.9. The first of them whose runtime cannot be replaced.
static const char *hidden_runtime(struct cli *c, const char *path) {
    const char *const file = file_of(path), *const end = strstr(file, ".so");
    if (!end || strncmp(file, "libcu", 5) != 0) return NULL;
    const char *const stem = arena_printf(&c->arena, "%.*s_", (int)(end - file), file);
    const char *const folder = arena_strndup(&c->arena, path, (size_t)(file - path));
    DIR *const d = opendir(*folder ? folder : ".");
    const char *found = NULL;
    for (struct dirent *e; d && !found && (e = readdir(d));) {
        if (strncmp(e->d_name, stem, strlen(stem)) != 0 || !strstr(e->d_name, ".so")) continue;
        const char *const beside = arena_printf(&c->arena, "%s%s", folder, e->d_name);
        if (fatbin_holds_runtime(beside) && !fatbin_named_runtime(beside)) found = beside;
    }
    if (d) closedir(d);
    return found;
}

// What one of the libraries needs that is not there. Those of the vendor that are not ours are looked at for a runtime alone:
// their calls of each other stay among them.
static unsigned check_library(struct cli *c, struct gpu *g, const char *path) {
    unsigned bad = check_code(g, path);
    if (fatbin_is_runtime_name(path)) {
        missing(file_of(path), "the vendor's runtime is loaded from %s", path);
        return bad + 1;
    }
    const bool is_foreign = fatbin_holds_runtime(path) && !fatbin_named_runtime(path);
    const char *const foreign = is_foreign ? path : hidden_runtime(c, path);
    if (foreign) {
        char sentence[2048];
        missing(file_of(path), "%s", fatbin_foreign_runtime(foreign, sentence, sizeof sentence));
        return bad + 1;
    }
    struct needs n = {0};
    if (look(c, path, &n) != WW_OK) return forget(c), bad;
    for (uint32_t i = 0; i < n.refused.n; i++, bad++)
        missing(n.refused.at[i], "%s calls it, and it is answered with \"not supported\"",
                file_of(path));
    for (uint32_t i = 0; i < n.unknown.n; i++, bad++)
        missing(n.unknown.at[i], "%s calls it, and no such call is there", file_of(path));
    for (size_t i = 0; i < WW_COUNT(machine_code); i++) {
        if (!n.n_called[i] || machine_code[i].kind == HOST) continue;
        missing(machine_code[i].file,
                "%s calls %u function%s of it that %s answered with \"not supported\", such as %s",
                file_of(path), n.n_called[i], text_plural(n.n_called[i]),
                n.n_called[i] == 1 ? "is" : "are", n.called[i]);
        bad++;
    }
    return bad;
}

static int doctor_imports(struct cli *c, const char *name, const char *python, const char *script, const char *gpu,
                          const char *const *overrides, uint32_t n_overrides) {
    struct gpu_config *const config = gpu_config_new(&c->arena);
    struct gpu_options o;
    gpu_options_init(&o);
    struct gpu *g = NULL;
    enum ww_status s = gpu_config_load(gpu, overrides, n_overrides, &c->diags, config);
    if (s == WW_OK) s = gpu_create(config, &o, &c->diags, &g);
    const char *const out = s == WW_OK ? cli_temporary_name(c) : NULL;
    if (!out) return cli_fail(c, diags_status(&c->diags));
    struct run_request q = {.session = {.gpu = gpu, .host_threads = 1}, .no_power = true, .is_silent = true};
    for (uint32_t i = 0; i < n_overrides; i++) q.session.overrides[q.session.n_overrides++] = overrides[i];
    char *argv[] = {(char *)(uintptr_t)python, (char *)(uintptr_t) "-c", (char *)(uintptr_t)importer,
                    (char *)(uintptr_t)script, (char *)(uintptr_t)out, NULL};
    struct rusage usage;
    const int status = run_child(c, &q, argv, &usage);
    FILE *const f = status < 0 ? NULL : fopen(out, "re");
    if (!f) {
        gpu_destroy(g);
        if (status < 0) return cli_fail(c, diags_status(&c->diags));
        diag_add(&c->diags, WW_ERROR_USAGE, "%s could not read the imports of %s", python, script);
        return cli_fail(c, WW_ERROR_USAGE);
    }
    printf("%s %s on %s\n", name, script, gpu_config_name(config));
    const char *const own = run_library_folder(c);
    unsigned bad = 0, ours = 0;
    char *line = NULL;
    size_t cap = 0;
    for (ssize_t n; (n = getline(&line, &cap, f)) > 1;) {
        line[n - 1] = 0;
        if (*line == 'F') {
            char *const why = strchr(line, '\t');
            if (why) *why = 0;
            missing(line + 1, "%s", why ? why + 1 : "it fails");
            bad++;
        } else if (own && strncmp(line + 1, own, strlen(own)) == 0 &&
                   !strchr(line + 1 + strlen(own) + 1, '/')) {
            if (!strstr(line, "libwarpwatt")) printf("%s%s", ours++ ? ", " : "  ours      ", file_of(line + 1));
        } else {
            if (ours) putchar('\n');
            ours = 0;
            bad += check_library(c, g, line + 1);
        }
    }
    if (ours) putchar('\n');
    free(line);
    fclose(f);
    unlink(out);
    gpu_destroy(g);
    if (bad)
        printf("%u thing%s missing; what does not use %s runs\n", bad, bad == 1 ? " is" : "s are",
               bad == 1 ? "it" : "them");
    else
        puts("nothing is missing");
    return bad ? 3 : 0;
}

int cmd_doctor(struct cli *c, int argc, char **argv) {
    struct cli_args args = {.argc = argc, .argv = argv, .at = 1};
    const char *gpu = NULL, *name = NULL, *overrides[SESSION_MAX_OVERRIDES];
    uint32_t n_overrides = 0;
    for (;;) {
        const char *value = NULL;
        const int o = cli_next(&args, &spec_doctor, &value);
        if (o == CLI_STOP) return args.code;
        if (o == CLI_END) break;
        if (o == CLI_WORD && name)
            return cli_usage("doctor takes one program; `%s` is a second", value);
        if (o == CLI_WORD) name = value;
        if (o == OPT_GPU) gpu = value;
        if (o == OPT_SET && n_overrides == SESSION_MAX_OVERRIDES)
            return cli_usage("more than %d times --set", SESSION_MAX_OVERRIDES);
        if (o == OPT_SET) overrides[n_overrides++] = value;
    }
    if (!name && args.at < argc) name = argv[args.at];
    if (!name) return cli_usage("doctor needs a program");
    if (!gpu) gpu = cli_gpu_of_program(c, name);
    const char *const path = cli_program_path(c, name);
    if (is_python(path)) {
        const char *const script = args.at + 1 < argc ? argv[args.at + 1] : NULL;
        if (script && *script != '-')
            return doctor_imports(c, name, path, script, gpu, overrides, n_overrides);
        return cli_usage("Python's code is in what a script imports: doctor -- %s SCRIPT.py", name);
    }
    struct needs n = {0};
    struct gpu_config *const config = gpu_config_new(&c->arena);
    struct fatbin f = {0};
    enum ww_status s = look(c, path, &n);
    if (s == WW_OK && n.is_script)
        s = diag_add(&c->diags, WW_ERROR_USAGE,
                     "%s is a script; ask about the programs that it starts", path);
    const bool code_alone = s == WW_OK && is_code(path, &n);
    if (s == WW_OK && !n.is_elf && !code_alone)
        s = diag_add(&c->diags, WW_ERROR_USAGE,
                     "%s is no program (an ELF file) and no .ptx, .cubin or .fatbin", path);
    if (s == WW_OK) s = gpu_config_load(gpu, overrides, n_overrides, &c->diags, config);
    if (s == WW_OK)
        s = code_alone ? read_code(c, path, &f) : fatbin_read_elf(&c->arena, path, &c->diags, &f);
    struct gpu_options o;
    gpu_options_init(&o);
    struct gpu *g = NULL;
    if (s == WW_OK) s = gpu_create(config, &o, &c->diags, &g);
    if (s != WW_OK) return cli_fail(c, s);

    printf("%s on %s\n", name, gpu_config_name(config));
    unsigned bad = 0;
    if (!n.is_dynamic && !code_alone) {
        missing("loader", "the program is linked statically as a whole, so no library can be put "
                          "in place of the vendor's");
        bad++;
    }
    if (!code_alone) bad += (unsigned)print_runtime(&n, path);
    if (n.opencl) bad += print_opencl(c, path);
    if (n.calls)
        printf("  calls     %u of the runtime, %u answered\n", n.calls,
               n.calls - n.refused.n - n.unknown.n);
    for (uint32_t i = 0; i < n.refused.n; i++, bad++)
        missing(n.refused.at[i], "a call of it is named and answers \"not supported\"");
    for (uint32_t i = 0; i < n.refused_driver.n; i++, bad++)
        missing(n.refused_driver.at[i], "a call of it is named and answers \"not supported\"");
    for (uint32_t i = 0; i < n.unknown.n; i++, bad++)
        missing(n.unknown.at[i], "no such call; the program would not start");
    for (uint32_t i = 0; i < n.library.n; i++) print_library(&n, n.library.at[i], path);
    for (size_t i = 0; i < WW_COUNT(machine_code); i++) {
        if (!n.n_called[i] || n.installed[i]) continue;
        bad++;
        if (n.n_called[i] == 1)
            missing(machine_code[i].file, "%s is called", n.called[i]);
        else
            missing(machine_code[i].file, "%u of its functions are called, %s among them",
                    n.n_called[i], n.called[i]);
    }
    struct checked k = {0};
    if (f.entry.n) {
        s = check_units(c, g, path, &f, &k);
        if (s == WW_OK) print_kernels(&k, config);
        bad += k.bad + k.without;
    } else
        puts("  kernels   none in the file: what the program loads when it runs is checked then");
    gpu_destroy(g);
    if (s != WW_OK) return cli_fail(c, s);
    if (bad)
        printf("%u thing%s missing; what does not use %s runs\n", bad, bad == 1 ? " is" : "s are",
               bad == 1 ? "it" : "them");
    else
        puts("nothing is missing");
    return bad ? 3 : 0;
}
