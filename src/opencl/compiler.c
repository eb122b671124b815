// OpenCL C to PTX: clang as a process. A source becomes IR (text, not optimised), from which the kernels' signatures are
// read; linking takes IR of one or several sources with our built-in functions and libclc's, optimises all of it and
// writes PTX. What clang says is the build log.
#include <dlfcn.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ir.h"
#include "opencl.h"

extern char **environ;

char *ocl_printf(const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    char *text = NULL;
    if (vasprintf(&text, fmt, ap) < 0) text = NULL;
    va_end(ap);
    return text;
}

// ---- what is installed --------------------------------------------------------------------------
static const char *clang_path(void) {
    const char *const named = getenv("WARPWATT_OPENCL_CLANG");
    return named ? named : OPENCL_CLANG;
}
static const char *libclc_path(void) {
    const char *const named = getenv("WARPWATT_OPENCL_LIBCLC");
    return named ? named : OPENCL_LIBCLC;
}
// Our own built-in functions, which lie beside this library: linked in this order, in front of libclc, which lacks less.
static const char *const own[] = {"builtins_3_0", "builtins"};
enum { OWN = sizeof own / sizeof *own };
static char *own_path(size_t i) {
    Dl_info here;
    if (!dladdr((const void *)(uintptr_t)&ocl_dispatch, &here)) return NULL;
    const char *const slash = strrchr(here.dli_fname, '/');
    return ocl_printf("%.*slibwarpwatt-opencl-%s.bc", slash ? (int)(slash + 1 - here.dli_fname) : 0,
                      here.dli_fname, own[i]);
}
// NULL: all is there.
static char *what_is_missing(void) {
    if (!*clang_path() || access(clang_path(), X_OK) != 0)
        return ocl_printf("warpwatt: OpenCL C is compiled by clang 14, which is not at `%s`: "
                          "install the Debian packages "
                          "clang-14 and libclc-14 before warpwatt is built, or name it in "
                          "WARPWATT_OPENCL_CLANG\n",
                          clang_path());
    if (!*libclc_path() || access(libclc_path(), R_OK) != 0)
        return ocl_printf(
            "warpwatt: OpenCL's built-in functions come from libclc, which is not at `%s`: install "
            "the Debian "
            "package libclc-14, or name nvptx64--nvidiacl.bc in WARPWATT_OPENCL_LIBCLC\n",
            libclc_path());
    char *missing = NULL;
    for (size_t i = 0; i < OWN && !missing; i++) {
        char *const ours = own_path(i);
        if (!ours || access(ours, R_OK) != 0)
            missing = ocl_printf(
                "warpwatt: `%s` is missing: warpwatt was built without clang 14 and libclc\n",
                ours ? ours : "");
        free(ours);
    }
    return missing;
}
bool ocl_has_compiler(void) {
    char *const missing = what_is_missing();
    free(missing);
    return !missing;
}

// ---- files and processes ------------------------------------------------------------------------
struct job {
    char folder[64];
    char **argv; // with room for a NULL behind them
    size_t n, room;
    bool failed;
};

static void add(struct job *j, const char *text) {
    if (j->n + 2 > j->room) {
        const size_t room = j->room ? 2 * j->room : 64;
        char **const grown = realloc(j->argv, room * sizeof *grown);
        if (!grown) {
            j->failed = true;
            return;
        }
        j->argv = grown;
        j->room = room;
    }
    if ((j->argv[j->n] = strdup(text)))
        j->n++;
    else
        j->failed = true;
}
static void add_path(struct job *j, const char *name) {
    char path[512];
    snprintf(path, sizeof path, "%s/%s", j->folder, name);
    add(j, path);
}
static void job_clear(struct job *j) {
    while (j->n) free(j->argv[--j->n]);
    free(j->argv);
    j->argv = NULL;
    j->room = 0;
}
static bool job_begin(struct job *j) {
    *j = (struct job){0};
    const char *const tmp = getenv("TMPDIR");
    snprintf(j->folder, sizeof j->folder, "%.40s/warpwatt-XXXXXX",
             tmp && *tmp && strlen(tmp) <= 40 ? tmp : "/tmp");
    return mkdtemp(j->folder) != NULL;
}
static void remove_folder(const char *folder) {
    pid_t pid;
    char *argv[] = {"rm", "-rf", (char *)(uintptr_t)folder, NULL}, *none[] = {NULL};
    if (posix_spawn(&pid, "/bin/rm", NULL, NULL, argv, none) == 0) waitpid(pid, NULL, 0);
}
static void job_end(struct job *j) {
    job_clear(j);
    remove_folder(j->folder);
}

static bool write_file(const struct job *j, const char *name, const char *text) {
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", j->folder, name);
    for (char *slash = path + strlen(j->folder) + 1; (slash = strchr(slash, '/')); slash++) {
        *slash = 0;
        mkdir(path, 0700);
        *slash = '/';
    }
    FILE *f = fopen(path, "w");
    if (!f) return false;
    const bool ok = fputs(text, f) >= 0;
    return fclose(f) == 0 && ok;
}
static char *read_file(const struct job *j, const char *name) {
    char path[512];
    snprintf(path, sizeof path, "%s/%s", j->folder, name);
    FILE *f = fopen(path, "r");
    if (!f) return NULL;
    char *text = NULL;
    size_t room = 0;
    const ssize_t n = getdelim(&text, &room, 0, f);
    fclose(f);
    if (n < 0) return free(text), strdup("");
    return text;
}

// The simulator's own libraries are not for the compiler: it starts without what `warpwatt run` sets for the program.
static char **environment(void) {
    size_t n = 0, kept = 0;
    while (environ[n]) n++;
    char **e = malloc((n + 1) * sizeof *e);
    if (!e) return NULL;
    for (size_t i = 0; i < n; i++)
        if (strncmp(environ[i], "LD_PRELOAD=", 11) != 0 && strncmp(environ[i], "LD_AUDIT=", 9) != 0)
            e[kept++] = environ[i];
    e[kept] = NULL;
    return e;
}

// Runs clang and appends what it says to the log.
static bool run(struct job *j, char **log) {
    if (j->failed || !j->n) return false;
    j->argv[j->n] = NULL;
    char path[512];
    snprintf(path, sizeof path, "%s/log", j->folder);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, path, O_WRONLY | O_CREAT | O_TRUNC,
                                     0600);
    posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
    char **const env = environment();
    pid_t pid;
    const int why = env ? posix_spawn(&pid, clang_path(), &actions, NULL, j->argv, env) : 1;
    free(env);
    posix_spawn_file_actions_destroy(&actions);
    int status = 1;
    if (why == 0) waitpid(pid, &status, 0);
    char *const said = read_file(j, "log");
    char *const all = ocl_printf("%s%s", *log ? *log : "", said ? said : "");
    free(said);
    free(*log);
    *log = all;
    job_clear(j);
    return why == 0 && status == 0;
}

// ---- options ------------------------------------------------------------------------------------
// OpenCL's options: whether the name is a prefix, whether clang gets it, whether a value may follow
// as the next word.
static const struct {
    const char *option;
    bool is_prefix, for_compile, has_value;
} known[] = {
    {"-D", true, true, true},
    {"-I", true, true, true},
    {"-w", false, true, false},
    {"-Werror", false, true, false},
    {"-g", false, false, false},
    {"-cl-std=", true, true, false},
    {"-cl-single-precision-constant", false, true, false},
    {"-cl-denorms-are-zero", false, true, false},
    {"-cl-fp32-correctly-rounded-divide-sqrt", false, true, false},
    {"-cl-opt-disable", false, false, false}, // its results are the same
    {"-cl-strict-aliasing", false, true, false},
    {"-cl-mad-enable", false, true, false},
    {"-cl-no-signed-zeros", false, true, false},
    {"-cl-unsafe-math-optimizations", false, true, false},
    {"-cl-finite-math-only", false, true, false},
    {"-cl-fast-relaxed-math", false, true, false},
    {"-cl-uniform-work-group-size", false, true, false},
    {"-cl-no-subgroup-ifp", false, false, false},
    {"-cl-kernel-arg-info", false, false, false}, // always
    {"-create-library", false, false, false},
    {"-enable-link-options", false, false, false},
    {"-cl-nv-", true, false, false}, // hints to another compiler
    {"-x", false, false, true},      // PoCL's and others' `-x clc`
};

// The next word of options, by the shell's quotes; false: there is none.
static bool next_word(const char **at, char *out, size_t room) {
    const char *p = *at;
    while (*p == ' ' || *p == '\t' || *p == '\n') p++;
    if (!*p) return false;
    size_t n = 0;
    char quote = 0;
    for (; *p && (quote || (*p != ' ' && *p != '\t' && *p != '\n')); p++) {
        if (quote ? *p == quote : *p == '"' || *p == '\'')
            quote = quote ? 0 : *p;
        else {
            if (*p == '\\' && p[1]) p++;
            if (n + 1 < room) out[n++] = *p;
        }
    }
    out[n] = 0;
    *at = p;
    return true;
}
enum { WORD = 4096 };
// Adds what clang takes of the options; answers what is wrong with them in one sentence (malloc'd), or NULL.
static char *add_options(struct job *j, const char *options, bool *has_standard) {
    char word[WORD], value[WORD];
    const char *at = options ? options : "";
    while (next_word(&at, word, sizeof word)) {
        size_t i = 0;
        const size_t n = sizeof known / sizeof *known;
        while (i < n &&
               (known[i].is_prefix ? strncmp(word, known[i].option, strlen(known[i].option))
                                   : strcmp(word, known[i].option)))
            i++;
        if (i == n)
            return ocl_printf("warpwatt: `%s` is no option of OpenCL (they begin with -cl-, or are "
                              "-D, -I, -w, -Werror, -g)\n",
                              word);
        const bool is_apart = known[i].has_value && strcmp(word, known[i].option) == 0;
        if (is_apart && !next_word(&at, value, sizeof value))
            return ocl_printf(
                "warpwatt: option `%s` names nothing: a value is expected behind it\n", word);
        if (has_standard && strncmp(word, "-cl-std=", 8) == 0) *has_standard = true;
        if (!j || !known[i].for_compile) continue;
        add(j, word);
        if (is_apart) add(j, value);
    }
    return NULL;
}
char *ocl_options_wrong(const char *options) { return add_options(NULL, options, NULL); }

// The newest capability that clang 14 knows, or the GPU's.
static void add_target(struct job *j) {
    static const int capabilities[] = {20, 21, 30, 32, 35, 37, 50, 52, 53,
                                       60, 61, 62, 70, 72, 75, 80, 86};
    const int has = ocl_cc();
    int best = capabilities[0];
    for (size_t i = 0; i < sizeof capabilities / sizeof *capabilities; i++)
        if (capabilities[i] <= has) best = capabilities[i];
    char cpu[16];
    snprintf(cpu, sizeof cpu, "sm_%d", best);
    static const char *const words[] = {"-target", "nvptx64-nvidia-nvcl", "-nogpulib", "-O3",
                                        "-fno-crash-diagnostics"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) add(j, words[i]);
    add(j, "-Xclang"), add(j, "-target-cpu"), add(j, "-Xclang"), add(j, cpu);
    add(j, "-Xclang"), add(j, "-target-feature"), add(j, "-Xclang"),
        add(j, best >= 70 ? "+ptx70" : "+ptx42");
}

// Extensions and features of the device: each is named to clang and defined as a macro. Features are of 3.0 alone.
static void add_traits(struct job *j, bool is_3_0) {
#define ROW(name, cc) {#name, cc},
    static const struct ocl_trait extensions[] = {OCL_EXTENSIONS(ROW)},
                                  features[] = {OCL_FEATURES(ROW)};
#undef ROW
    const size_t n_extensions = sizeof extensions / sizeof *extensions,
                 n_features = sizeof features / sizeof *features;
    for (size_t i = 0; i < n_extensions + (is_3_0 ? n_features : 0); i++) {
        const struct ocl_trait *const t =
            i < n_extensions ? &extensions[i] : &features[i - n_extensions];
        const bool has = t->cc <= ocl_cc();
        char word[96];
        snprintf(word, sizeof word, "-cl-ext=%c%s", has ? '+' : '-', t->name);
        add(j, "-Xclang"), add(j, word);
        snprintf(word, sizeof word, "-%c%s%s", has ? 'D' : 'U', t->name, has ? "=1" : "");
        add(j, word);
    }
}

// ---- compiling ----------------------------------------------------------------------------------
// Loads and stores of half belong to OpenCL C 1.0; clang 14 declares them where half is a type to compute with
// (cl_khr_fp16), which it is not here.
static const char half_functions[] =
    "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
    "#define WW_OVER __attribute__((overloadable))\n"
    "#define WW_LOAD(space, n) WW_OVER float##n vload_half##n(size_t, const space half *);\n"
    "#define WW_LOADA(space, n) WW_LOAD(space, n) WW_OVER float##n vloada_half##n(size_t, const "
    "space half *);\n"
    "#define WW_LOADS(space) WW_OVER float vload_half(size_t, const space half *);\\\n"
    "  WW_OVER float vloada_half(size_t, const space half *);\\\n"
    "  WW_LOADA(space, 2) WW_LOADA(space, 3) WW_LOADA(space, 4) WW_LOADA(space, 8) WW_LOADA(space, "
    "16)\n"
    "WW_LOADS(__global) WW_LOADS(__local) WW_LOADS(__constant) WW_LOADS(__private)\n"
    "#define WW_STORE(space, name, type) WW_OVER void name(type, size_t, space half *);\\\n"
    "  WW_OVER void name##_rte(type, size_t, space half *); WW_OVER void name##_rtz(type, size_t, "
    "space half *);\\\n"
    "  WW_OVER void name##_rtp(type, size_t, space half *); WW_OVER void name##_rtn(type, size_t, "
    "space half *);\n"
    "#define WW_STOREA(space, n, type) WW_STORE(space, vstore_half##n, type##n)\\\n"
    "  WW_STORE(space, vstorea_half##n, type##n)\n"
    "#define WW_STORES(space, type) WW_STORE(space, vstore_half, type) WW_STORE(space, "
    "vstorea_half, type)\\\n"
    "  WW_STOREA(space, 2, type) WW_STOREA(space, 3, type) WW_STOREA(space, 4, type)\\\n"
    "  WW_STOREA(space, 8, type) WW_STOREA(space, 16, type)\n"
    "WW_STORES(__global, float) WW_STORES(__local, float) WW_STORES(__private, float)\n"
    "#ifdef cl_khr_fp64\n"
    "WW_STORES(__global, double) WW_STORES(__local, double) WW_STORES(__private, double)\n"
    "#endif\n"
    "#undef WW_OVER\n#undef WW_LOAD\n#undef WW_LOADA\n#undef WW_LOADS\n"
    "#undef WW_STORE\n#undef WW_STOREA\n#undef WW_STORES\n";
static const char *prelude_of(const char *source) {
    return strstr(source, "_half") || strstr(source, "#include") ? half_functions : "";
}

bool ocl_compile(const char *source, const char *options, const struct ocl_header *headers,
                 size_t n, char **object, char **log) {
    *object = NULL;
    *log = what_is_missing();
    if (*log) return false;
    struct job j;
    if (!job_begin(&j)) {
        *log = strdup("warpwatt: no temporary folder can be made\n");
        return false;
    }
    char *const text = ocl_printf("%s#line 1 \"program.cl\"\n%s\n", prelude_of(source), source);
    bool ok = text && write_file(&j, "program.cl", text);
    free(text);
    for (size_t i = 0; i < n && ok; i++) ok = write_file(&j, headers[i].name, headers[i].text);
    add(&j, clang_path()), add(&j, "-x"), add(&j, "cl"), add_path(&j, "program.cl");
    add_target(&j);
    static const char *const words[] = {"-Xclang",
                                        "-disable-llvm-passes",
                                        "-cl-kernel-arg-info",
                                        "-fno-ident",
                                        "-S",
                                        "-emit-llvm",
                                        "-fdiagnostics-color=never",
                                        "-D__IMAGE_SUPPORT__=1",
                                        "-D__WARPWATT__=1",
                                        "-Wno-macro-redefined",
                                        "-Wno-unused-command-line-argument"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) add(&j, words[i]);
    add_traits(&j, options && strstr(options, "-cl-std=CL3"));
    bool has_standard = false;
    char *const wrong = add_options(&j, options, &has_standard);
    ok = ok && !wrong;
    free(wrong); // the caller has asked ocl_options_wrong before
    if (!has_standard) add(&j, "-cl-std=CL1.2");
    if (n) add(&j, "-I"), add(&j, j.folder);
    // what a source includes by name alone may lie where the program runs, too
    add(&j, "-iquote"), add(&j, ".");
    add(&j, "-o"), add_path(&j, "program.ll");
    ok = ok && run(&j, log);
    char *const ir = ok ? read_file(&j, "program.ll") : NULL;
    char *const resolved = ir ? ir_with_calls_resolved(ir) : NULL;
    char *const visible = resolved ? ir_with_visible_groups(resolved) : NULL;
    if (visible) *object = ir_with_printf(visible);
    free(ir), free(resolved), free(visible);
    job_end(&j);
    return *object != NULL;
}

// ---- linking ------------------------------------------------------------------------------------
// What launches set: defined here once, named by our built-in functions.
static const char launch_globals[] = "#pragma clang diagnostic ignored \"-Wunused\"\n"
                                     "extern __constant uint ww_offset[3];\n"
                                     "extern __constant uint ww_dimensions;\n";

static void add_builtins(struct job *j, const char *path) {
    add(j, "-Xclang"), add(j, "-mlink-builtin-bitcode"), add(j, "-Xclang"), add(j, path);
}

static bool link_to(char *const *objects, size_t n, const char *flag, const char *out_name,
                    bool is_final, char **out, char **log) {
    *out = NULL;
    *log = what_is_missing();
    if (*log) return false;
    struct job j;
    if (!job_begin(&j)) {
        *log = strdup("warpwatt: no temporary folder can be made\n");
        return false;
    }
    char name[32];
    bool ok = write_file(&j, "link.cl", launch_globals);
    for (size_t i = 0; i < n && ok; i++) { // clang links bitcode only
        snprintf(name, sizeof name, "%zu.ll", i);
        ok = write_file(&j, name, objects[i]);
        add(&j, clang_path()), add(&j, "-x"), add(&j, "ir"), add_path(&j, name);
        add_target(&j);
        add(&j, "-Xclang"), add(&j, "-disable-llvm-passes"), add(&j, "-c"), add(&j, "-emit-llvm"),
            add(&j, "-o");
        snprintf(name, sizeof name, "%zu.bc", i);
        add_path(&j, name);
        ok = ok && run(&j, log);
    }
    add(&j, clang_path()), add(&j, "-x"), add(&j, "cl"), add_path(&j, "link.cl");
    add_target(&j);
    add(&j, "-S"), add(&j, flag), add(&j, "-fno-ident"), add(&j, "-Wno-linker-warnings"),
        add(&j, "-fdiagnostics-color=never");
    for (size_t i = 0; i < n; i++) {
        snprintf(name, sizeof name, "%zu.bc", i);
        add(&j, "-Xclang"), add(&j, "-mlink-bitcode-file"), add(&j, "-Xclang"), add_path(&j, name);
    }
    for (size_t i = 0; i < OWN && is_final; i++) {
        char *const ours = own_path(i);
        add_builtins(&j, ours ? ours : "");
        free(ours);
    }
    if (is_final)
        add_builtins(&j, libclc_path());
    else
        add(&j, "-Xclang"), add(&j, "-disable-llvm-passes");
    add(&j, "-o"), add_path(&j, out_name);
    ok = ok && run(&j, log);
    if (ok) *out = read_file(&j, out_name);
    job_end(&j);
    return *out != NULL;
}

// The next function of PTX behind `at`: its name, and whether a body follows it; NULL: there is none.
static const char *next_function(const char *at, const char **name, size_t *n, bool *has_body) {
    at = strstr(at, ".func ");
    if (!at) return NULL;
    const char *p = at + strlen(".func ");
    p += strspn(p, " \t\n");
    if (*p == '(') p = strchr(p, ')') ? strchr(p, ')') + 1 : p;
    p += strspn(p, " \t\n");
    *name = p;
    *n = strcspn(p, "\n(;, ");
    *has_body = p[strcspn(p, "{;")] == '{';
    return at + 1;
}
static bool is_defined(const char *ptx, const char *name, size_t n) {
    const char *other;
    size_t length;
    bool has_body;
    for (const char *at = ptx; (at = next_function(at, &other, &length, &has_body));)
        if (has_body && length == n && strncmp(other, name, n) == 0) return true;
    return false;
}
// A function that neither a source nor a library has: PTX declares it, and no body is anywhere. The driver has vprintf.
static char *undefined_function(const char *ptx) {
    const char *name;
    size_t n;
    bool has_body;
    for (const char *at = ptx; (at = next_function(at, &name, &n, &has_body));)
        if (!has_body && !(n == 7 && strncmp(name, "vprintf", n) == 0) && !is_defined(ptx, name, n))
            return strndup(name, n);
    return NULL;
}

// Room for what kernels get as __constant arguments: all that other constants leave of 64 KB. It is the first variable, so
// that its address in constant memory is known: CONSTANT_AT bytes behind the start, so that no argument is NULL.
static char *with_launch_variables(const char *ptx) {
    size_t used = 0;
    for (const char *at = ptx; (at = strstr(at, ".const .align ")); at++) {
        const char *const end = strchr(at, ';'), *const room = strchr(at, '[');
        used += room && end && room < end ? strtoull(room + 1, NULL, 10) + 16 : 32;
    }
    const size_t most = 65536, left = used + 1024 < most ? (most - used - 1024) / 256 * 256 : 0;
    const char *const body = strstr(ptx, ".address_size 64");
    const char *const rest = body ? strchr(body, '\n') : NULL;
    if (!rest) return NULL;
    const bool takes_constants = strstr(ptx, ".ptr .const") != NULL && left;
    const bool has_offset = strstr(ptx, "ww_offset") != NULL,
               has_dimensions = strstr(ptx, "ww_dimensions") != NULL;
    char *const area = takes_constants
                           ? ocl_printf(".visible .const .align 256 .b8 ww_constants[%zu];\n", left)
                           : strdup("");
    char *const all = ocl_printf(
        "%.*s\n%s%s%s%s", (int)(rest - ptx), ptx, area ? area : "",
        has_offset ? ".visible .const .align 4 .b8 ww_offset[12];\n" : "",
        has_dimensions ? ".visible .const .align 4 .u32 ww_dimensions = 1;\n" : "", rest);
    free(area);
    // their declarations, which clang wrote
    for (char *at = all; at && (at = strstr(at, ".extern .const"));) {
        char *const end = strchr(at, ';');
        const bool is_ours = end && (memmem(at, (size_t)(end - at), "ww_offset", 9) ||
                                     memmem(at, (size_t)(end - at), "ww_dimensions", 13));
        if (is_ours)
            memset(at, ' ', (size_t)(end + 1 - at));
        else
            at++;
    }
    return all;
}

// libclc reads its table for the reduction of large arguments of doubles (PIBITS_TBL) in vectors of 16 bytes at multiples of 16
// from its start, and defines it as 158 bytes without an alignment. So arrays of bytes begin and end at multiples of 16.
static char *with_aligned_constants(const char *ptx) {
    static const char of_bytes[] = ".const .align 1 .b8 ";
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    if (!f) return NULL;
    for (const char *at; (at = strstr(ptx, of_bytes));) {
        const char *const name = at + strlen(of_bytes);
        const int length = (int)strcspn(name, "[;");
        fprintf(f, "%.*s.const .align 16 .b8 %.*s", (int)(at - ptx), ptx, length, name);
        ptx = name + length;
        if (*ptx == '[') {
            char *end;
            fprintf(f, "[%llu", (strtoull(ptx + 1, &end, 10) + 15) / 16 * 16);
            ptx = end;
        }
    }
    fputs(ptx, f);
    return fclose(f) == 0 ? text : NULL;
}

bool ocl_link(char *const *objects, size_t n, const char *options, char **ptx, char **log) {
    (void)options; // they are in the IR, by function
    char *text;
    *ptx = NULL;
    if (!link_to(objects, n, "-fno-ident", "program.ptx", true, &text, log)) return false;
    char *const missing = undefined_function(text);
    if (missing) {
        char *const all = ocl_printf("%swarpwatt: unresolved function `%s`: no source defines it, "
                                     "and neither warpwatt's nor "
                                     "libclc's built-in functions have it for this GPU\n",
                                     *log ? *log : "", missing);
        free(*log);
        *log = all;
        free(missing);
        free(text);
        return false;
    }
    char *const aligned = with_aligned_constants(text);
    *ptx = aligned ? with_launch_variables(aligned) : NULL;
    free(text), free(aligned);
    return *ptx != NULL;
}
bool ocl_link_library(char *const *objects, size_t n, char **object, char **log) {
    return link_to(objects, n, "-emit-llvm", "library.ll", false, object, log);
}
