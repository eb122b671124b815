// Which compiler makes the kernels of a tuning space. Registers and unrolling decide how fast a
// configuration is, and the vendor's compiler makes those of the measured programs: where a file
// asks for `any`, its machine code is taken when it is at hand and knows the GPU.
#include "study/sweep.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

// The newest architecture that clang 14 compiles for; PTX for it runs on later ones.
enum { CLANG_NEWEST = 86 };
static const char clang_words[] =
    "-x cuda --cuda-device-only -nocudainc -nocudalib --cuda-gpu-arch={arch} -O3 "
    "-Wno-unknown-cuda-version -I {include} -include device.h {macros} -S -o {out} {source}";
static const char nvcc_words[] =
    "-arch={arch} -cubin -O3 -I {include} -include device.h {macros} -o {out} {source}";

// The first of the names that a folder of PATH has.
static const char *found_on_path(struct arena *a, const char *const *name, size_t n) {
    const char *const path = getenv("PATH");
    for (size_t i = 0; i < n && path; i++) {
        char *list = arena_strdup(a, path), *save = NULL;
        for (char *dir = strtok_r(list, ":", &save); dir; dir = strtok_r(NULL, ":", &save)) {
            const char *const file = arena_printf(a, "%s/%s", dir, name[i]);
            if (access(file, X_OK) == 0) return file;
        }
    }
    return NULL;
}

static const char *clang_found(struct arena *a) {
    static const char *const name[] = {"clang-14", "clang-15", "clang-16", "clang-17",
                                       "clang-18", "clang-19", "clang-20", "clang"};
    return found_on_path(a, name, WW_COUNT(name));
}

static const char *nvcc_found(struct arena *a) {
    static const char *const name[] = {"nvcc"}, usual[] = "/usr/local/cuda/bin/nvcc";
    const char *const found = found_on_path(a, name, WW_COUNT(name));
    return found ? found : access(usual, X_OK) == 0 ? usual : NULL;
}

// The line of what a command prints that has `part`; NULL: none has.
static const char *line_with(struct arena *a, const char *command, const char *part) {
    FILE *const f = popen(command, "r");
    char line[512];
    const char *found = NULL;
    while (f && fgets(line, sizeof line, f))
        if (!found && strstr(line, part)) found = arena_strdup(a, line);
    if (f) pclose(f);
    return found;
}

// nvcc, if it compiles for the GPU. False: `why` says why not.
static bool use_nvcc(struct arena *a, uint32_t arch, struct space_tool *t, const char **why) {
    const char *const nvcc = nvcc_found(a);
    *why = "there is no nvcc on PATH or in /usr/local/cuda/bin";
    if (!nvcc) return false;
    const char *const quoted = space_quoted(a, nvcc);
    *why = arena_printf(a, "%s does not compile for sm_%u", nvcc, arch);
    if (!line_with(a, arena_printf(a, "%s --list-gpu-code 2>/dev/null", quoted),
                   arena_printf(a, "sm_%u\n", arch)))
        return false;
    const char *release =
        line_with(a, arena_printf(a, "%s --version 2>/dev/null", quoted), "release ");
    release = release ? strstr(release, "release ") + strlen("release ") : "";
    const int n = (int)strcspn(release, ", \n");
    *t = (struct space_tool){
        .compile = arena_printf(a, "%s %s", quoted, nvcc_words),
        .makes = "cubin",
        .code = "sass",
        .name = arena_printf(a, "nvcc%s%.*s, machine code", n ? " " : "", n, release),
        .arch = arch};
    return true;
}

enum ww_status space_tool_of(struct arena *a, const struct sweep *s, uint32_t arch, struct diags *d,
                             struct space_tool *t) {
    const struct space_program *const q = &s->program;
    *t = (struct space_tool){.compile = q->compile,
                             .makes = q->makes,
                             .code = q->code,
                             .name = q->compile ? "by the file's own command" : "as it is",
                             .arch = arch};
    if (!q->makes || q->compile) return WW_OK;
    const char *why = "";
    if (q->compiler != SPACE_CLANG && use_nvcc(a, arch, t, &why)) return WW_OK;
    if (q->compiler == SPACE_NVCC)
        return diag_add(d, WW_ERROR_CONFIG, "%s: `compiler` is nvcc, but %s", s->file, why);
    const char *const found = clang_found(a);
    if (!found)
        return diag_add(d, WW_ERROR_CONFIG,
                        "%s: no clang to compile %s with; install it, or name a command with "
                        "`compile`",
                        s->file, q->source);
    t->compile = arena_printf(a, "%s %s", space_quoted(a, found), clang_words);
    t->name = arena_printf(a, "%s, PTX", strrchr(found, '/') + 1);
    if (arch > CLANG_NEWEST) t->arch = CLANG_NEWEST;
    return WW_OK;
}
