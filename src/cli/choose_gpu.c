// The GPU of a program behind `--` when none is named: the default one where the program's code fits it, else the newest that
// the code fits, those first whose machine code has been compared with what PTX does (gpu_code_is_checked), and of one
// capability the board with the most SMs and clocks.
//
// What code a program has is read off its file. Python's is in the packages that it imports later: those that bring machine code
// for certain GPUs, and compile nothing for the one they find, are looked up beside the interpreter.
#include "gpu/gpu.h"
#include "cli/cli.h"
#include "fatbin/fatbin.h"

#include <dirent.h>
#include <unistd.h>

static const char *const packages[] = {"torch/lib/libtorch_cuda.so"};

static bool begins(const char *text, const char *with) {
    return strncmp(text, with, strlen(with)) == 0;
}
static const char *base_name(const char *path) {
    const char *const slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

// A script's interpreter, by its first line: "#!/path/python" or "#!/usr/bin/env python".
static const char *interpreter_of(struct cli *c, const char *path) {
    char line[512] = "", word[2][256] = {"", ""};
    FILE *const f = fopen(path, "re");
    const bool is_script = f && fgets(line, sizeof line, f) && begins(line, "#!") &&
                           sscanf(line + 2, " %255s %255s", word[0], word[1]) > 0;
    if (f) fclose(f);
    if (!is_script) return path;
    const char *const name = strcmp(base_name(word[0]), "env") == 0 && *word[1] ? word[1] : word[0];
    return cli_program_path(c, arena_strdup(&c->arena, name));
}

// The first of the packages beside a Python interpreter: PREFIX/bin/python, PREFIX/lib/python3.11/site-packages.
static const char *package_of(struct cli *c, const char *python) {
    const char *const slash = strrchr(python, '/');
    if (!slash) return NULL;
    const char *const lib = arena_printf(&c->arena, "%.*s/../lib", (int)(slash - python), python);
    DIR *const folder = opendir(lib);
    const char *found = NULL;
    for (struct dirent *e; folder && !found && (e = readdir(folder));) {
        if (!begins(e->d_name, "python3")) continue;
        for (size_t i = 0; i < WW_COUNT(packages) && !found; i++) {
            const char *const path =
                arena_printf(&c->arena, "%s/%s/site-packages/%s", lib, e->d_name, packages[i]);
            if (access(path, R_OK) == 0) found = path;
        }
    }
    if (folder) closedir(folder);
    return found;
}

static bool fits(const struct fatbin_glance *g, uint32_t arch) {
    if (g->has_ptx || !g->n) return true;
    for (uint32_t i = 0; i < g->n; i++)
        if (fatbin_takes(arch, g->arch[i])) return true;
    return false;
}

// The better a GPU's rank the sooner it is taken; 0: the code does not fit. It runs the newest code that it takes.
static uint32_t rank_of(const struct fatbin_glance *g, uint32_t arch) {
    enum { CHECKED = 10000 }; // above any capability
    uint32_t code = 0;
    for (uint32_t i = 0; i < g->n; i++)
        if (fatbin_takes(arch, g->arch[i])) code = g->arch[i];
    return code ? arch + (gpu_code_is_checked(code) ? CHECKED : 0) : 0;
}

static const char *newest(struct cli *c, const struct fatbin_glance *g) {
    struct gpu_listing *list;
    uint32_t n, best = 0;
    const char *name = NULL;
    double most = 0; // clocks of all SMs of the best, MHz
    struct diags quiet;
    diags_init(&quiet);
    if (gpu_config_list(&c->arena, &list, &n, &quiet) != WW_OK) n = 0;
    for (uint32_t i = 0; i < n; i++) {
        struct gpu_config *const config = gpu_config_new(&c->arena);
        if (gpu_config_load(list[i].name, NULL, 0, &quiet, config) != WW_OK) continue;
        const uint32_t rank = rank_of(g, gpu_config_arch(config));
        const double clocks = (double)gpu_config_count(config, "sm_count") * gpu_config_file_mhz(config);
        if (rank < best || rank == 0 || (rank == best && clocks <= most)) continue;
        best = rank, most = clocks, name = list[i].name;
    }
    diags_free(&quiet);
    return name;
}

const char *cli_gpu_of_program(struct cli *c, const char *program) {
    struct fatbin_glance g;
    const char *path = cli_program_path(c, program);
    fatbin_glance_at(path, &g);
    if (!g.n && !g.has_ptx) {
        if (!begins(base_name(path), "python")) path = interpreter_of(c, path);
        const char *const package = begins(base_name(path), "python") ? package_of(c, path) : NULL;
        if (package) fatbin_glance_at(path = package, &g);
    }
    struct gpu_config *const usual = gpu_config_new(&c->arena);
    struct diags quiet;
    diags_init(&quiet);
    const bool known = gpu_config_load(SESSION_GPU_OF_PROGRAMS, NULL, 0, &quiet, usual) == WW_OK;
    diags_free(&quiet);
    if (!known || fits(&g, gpu_config_arch(usual))) return SESSION_GPU_OF_PROGRAMS;
    const char *const name = newest(c, &g);
    if (!name) return SESSION_GPU_OF_PROGRAMS; // which says why it takes none of the code
    fprintf(stderr,
            "warpwatt: note: %s is taken (-g %s): the machine code of %s is for compute capability "
            "%u.%u to %u.%u\n",
            name, name, base_name(path), g.arch[0] / 10, g.arch[0] % 10, g.arch[g.n - 1] / 10,
            g.arch[g.n - 1] % 10);
    return name;
}
