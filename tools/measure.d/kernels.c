// Lists of kernels: written once as PTX, compiled beforehand or on the machine.
//
// A module holds many kernels, since a module each would cost more than they run for. One kernel
// that an assembler refuses refuses its module, so a refused module is halved until the culprits
// stand alone. The file of a compiled module is found by the hash of its text without the header:
// one that was made for other text can't be taken for it.
#include "measure.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

struct kernel *kernels_add(struct kernels *list, const char *name, int needs, int kind) {
    if (list->count == list->room) {
        list->room = list->room * 2 + 64;
        list->at = need(realloc(list->at, list->room * sizeof *list->at));
    }
    struct kernel *k = &list->at[list->count];
    *k = (struct kernel){.name = copy_text(name), .needs = needs, .kind = kind};
    snprintf(k->entry, sizeof k->entry, "k%u", list->count);
    list->count++;
    return k;
}

void kernel_text(struct kernel *k, const char *parameters, const char *outside, const char *body) {
    struct text t = {0};
    if (outside) text_add(&t, "%s\n", outside);
    text_add(&t, ".visible .entry %s(", k->entry);
    int n = 0;
    for (const char *p = parameters; *p; n++) {
        const int length = (int)strcspn(p, " ");
        text_add(&t, "%s.param .%.*s p%d", n ? ", " : "", length, p, n);
        p += length;
        while (*p == ' ') p++;
    }
    text_add(&t, ")\n{\n%s}\n", body);
    k->text = t.at;
}

void kernels_free(struct kernels *list) {
    for (unsigned i = 0; i < list->count; i++) {
        free(list->at[i].name);
        free(list->at[i].text);
        free(list->at[i].refused);
    }
    free(list->at);
    *list = (struct kernels){0};
}

int kernels_isa(int driver) {
    static const struct {
        int driver, isa; // CUDA's version, and the PTX ISA that its driver compiles
    } known[] = {{13000, 90}, {12090, 88}, {12080, 87}, {12070, 86}, {12050, 85}, {12040, 84},
                 {12030, 83}, {12020, 82}, {12010, 81}, {12000, 80}, {11080, 78}, {11070, 77},
                 {11060, 76}, {11050, 75}, {11040, 74}, {11030, 73}, {11020, 72}, {11010, 71},
                 {11000, 70}, {10020, 65}, {10010, 64}, {10000, 63}, {9020, 62},  {9010, 61}};
    for (unsigned i = 0; i < sizeof known / sizeof *known; i++) {
        if (driver >= known[i].driver) return known[i].isa;
    }
    return 60;
}

void kernels_header(struct text *t, int isa, int capability, int kind) {
    static const int targets[] = {90, 89, 87, 86, 80, 75, 72, 70};
    int target = 70;
    for (unsigned i = 0; i < sizeof targets / sizeof *targets; i++) {
        if (capability >= targets[i]) {
            target = targets[i];
            break;
        }
    }
    text_add(t, ".version %d.%d\n.target sm_%d%s\n.address_size 64\n", isa / 10, isa % 10, target,
             kind == KERNEL_ARCH ? "a" : "");
}

uint64_t kernels_hash(const char *text) {
    uint64_t h = 0xcbf29ce484222325; // FNV-1a
    for (; *text; text++) h = (h ^ (unsigned char)*text) * 0x100000001b3;
    return h;
}

static void refuse(struct kernel *k, const char *why) {
    k->refused = copy_text(why);
    for (char *p = k->refused; *p; p++) {
        if (*p == '\n' || *p == '\r' || *p == ',' || *p == '"') *p = ' ';
    }
}

// Makes one module of kernels from..to, or more where it is refused.
static void make_some(struct kernels *list, unsigned from, unsigned to, kernels_maker *make,
                      void *with) {
    struct text t = {0};
    for (unsigned i = from; i < to; i++) text_add(&t, "%s", list->at[i].text);
    char why[400] = "";
    CUmodule module = NULL;
    const bool good = make(with, list->part, t.at, list->at[from].kind, &module, why, sizeof why);
    text_free(&t);
    if (good) {
        for (unsigned i = from; i < to; i++) list->at[i].module = module;
    } else if (to - from == 1) {
        refuse(&list->at[from], why);
    } else {
        const unsigned middle = from + (to - from) / 2;
        make_some(list, from, middle, make, with);
        make_some(list, middle, to, make, with);
    }
}

void kernels_make(struct kernels *list, int capability, kernels_maker *make, void *with) {
    const unsigned chunk = list->chunk ? list->chunk : 64;
    for (unsigned i = 0; i < list->count;) {
        const struct kernel *k = &list->at[i];
        char why[80] = "";
        if (k->needs > capability) {
            snprintf(why, sizeof why, "needs compute capability %d.%d", k->needs / 10,
                     k->needs % 10);
        } else if (k->kind == KERNEL_ARCH && capability != 90) {
            snprintf(why, sizeof why, "needs the instructions of sm_90a");
        }
        if (*why) {
            refuse(&list->at[i++], why);
            continue;
        }
        unsigned to = i + 1;
        while (to < list->count && to - i < chunk && list->at[to].kind == k->kind &&
               list->at[to].needs <= capability)
            to++;
        make_some(list, i, to, make, with);
        i = to;
    }
}

// A module that the driver loads: a file of the kit, or text for its compiler.
static bool load(void *with, const char *name, const char *text, int kind, CUmodule *module,
                 char *why, size_t room) {
    struct kit *k = with;
    struct gpu *g = &k->gpu;
    struct text path = {0};
    text_add(&path, "%s/cubin/sm_%d%s/%s-%016llx.cubin", k->home, g->capability,
             kind == KERNEL_ARCH ? "a" : "", name, (unsigned long long)kernels_hash(text));
    FILE *f = fopen(path.at, "rb");
    text_free(&path);
    if (f) {
        struct stat s;
        if (fstat(fileno(f), &s) == 0 && s.st_size > 0) {
            char *image = need(malloc((size_t)s.st_size));
            const bool whole = fread(image, 1, (size_t)s.st_size, f) == (size_t)s.st_size;
            const bool good =
                whole && g->cuModuleLoadDataEx(module, image, 0, NULL, NULL) == CUDA_SUCCESS;
            free(image);
            if (good) {
                fclose(f);
                return true;
            }
        }
        fclose(f);
    }
    struct text t = {0};
    kernels_header(&t, kernels_isa(g->driver), g->capability, kind);
    text_add(&t, "%s", text);
    char log[1024] = "";
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, (void *)(uintptr_t)sizeof log};
    const CUresult r = g->cuModuleLoadDataEx(module, t.at, 2, options, values);
    text_free(&t);
    if (r != CUDA_SUCCESS) snprintf(why, room, "%s: %.300s", gpu_error(g, r), log);
    return r == CUDA_SUCCESS;
}

// Refuses the kernels of this part that broke an earlier process of it.
static void refuse_known(struct kit *k, struct kernels *list) {
    struct text path = {0};
    text_add(&path, "%s/refused.csv", k->out);
    FILE *f = fopen(path.at, "r");
    text_free(&path);
    char *line = NULL;
    size_t room = 0;
    const size_t n = k->part ? strlen(k->part) : 0;
    while (f && n && getline(&line, &room, f) > 0) {
        if (strncmp(line, k->part, n) != 0 || line[n] != ',') continue;
        char *name = line + n + 1, *why = strrchr(name, ',');
        if (!why) continue;
        *why++ = 0;
        why[strcspn(why, "\n")] = 0;
        for (unsigned i = 0; i < list->count; i++) {
            if (strcmp(list->at[i].name, name) != 0 || list->at[i].refused) continue;
            refuse(&list->at[i], why);
            list->at[i].function = NULL;
        }
    }
    free(line);
    if (f) fclose(f);
}

void kernels_load(struct kit *k, struct kernels *list) {
    kernels_make(list, k->gpu.capability, load, k);
    for (unsigned i = 0; i < list->count; i++) {
        struct kernel *x = &list->at[i];
        if (!x->module) continue;
        const CUresult r = k->gpu.cuModuleGetFunction(&x->function, x->module, x->entry);
        if (r != CUDA_SUCCESS) {
            x->function = NULL;
            refuse(x, gpu_error(&k->gpu, r));
        }
    }
    refuse_known(k, list);
}

// ------------------------------------------------------------------------------- beforehand
struct assembler {
    const char *ptxas, *folder;
    int capability, isa;
};

// Runs ptxas on a file; its first line of complaint goes to `why`.
static bool run_ptxas(const struct assembler *a, const char *arch, const char *from, const char *to,
                      char *why, size_t room) {
    char target[32];
    snprintf(target, sizeof target, "-arch=%s", arch);
    int ends[2];
    if (pipe(ends) != 0) die("no pipe");
    const pid_t pid = fork();
    if (pid == 0) {
        dup2(ends[1], 1);
        dup2(ends[1], 2);
        close(ends[0]);
        close(ends[1]);
        execlp(a->ptxas, a->ptxas, target, "-o", to, from, (char *)NULL);
        _exit(127);
    }
    close(ends[1]);
    size_t n = 0;
    char byte;
    bool line = true;
    while (read(ends[0], &byte, 1) == 1) {
        if (byte == '\n') line = false;
        if (line && n + 1 < room) why[n++] = byte;
    }
    why[n] = 0;
    close(ends[0]);
    int status = 0;
    if (pid < 0 || waitpid(pid, &status, 0) != pid) die("ptxas cannot be started");
    if (WIFEXITED(status) && WEXITSTATUS(status) == 127) die("%s cannot be run", a->ptxas);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static bool assemble(void *with, const char *name, const char *text, int kind, CUmodule *module,
                     char *why, size_t room) {
    const struct assembler *a = with;
    char arch[16];
    snprintf(arch, sizeof arch, "sm_%d%s", a->capability, kind == KERNEL_ARCH ? "a" : "");
    struct text t = {0}, from = {0}, to = {0};
    text_add(&from, "%s/part-%s.ptx", a->folder, name);
    text_add(&to, "%s/cubin/%s", a->folder, arch);
    mkdir(to.at, 0777);
    text_add(&to, "/%s-%016llx.cubin", name, (unsigned long long)kernels_hash(text));
    *module = NULL;
    bool good = access(to.at, R_OK) == 0; // made earlier from the same text
    if (!good) {
        kernels_header(&t, a->isa, a->capability, kind);
        text_add(&t, "%s", text);
        FILE *f = fopen(from.at, "w");
        if (!f || fputs(t.at, f) < 0 || fclose(f) != 0) die("cannot write %s", from.at);
        good = run_ptxas(a, arch, from.at, to.at, why, room);
        unlink(from.at);
        if (!good) unlink(to.at);
    }
    text_free(&t);
    text_free(&from);
    text_free(&to);
    return good;
}

unsigned kernels_prebuild(struct kernels *list, const char *folder, const char *ptxas,
                          int capability, int isa, FILE *refusals) {
    struct assembler a = {.ptxas = ptxas, .folder = folder, .capability = capability, .isa = isa};
    kernels_make(list, capability, assemble, &a);
    unsigned n = 0;
    for (unsigned i = 0; i < list->count; i++) {
        const struct kernel *k = &list->at[i];
        if (!k->refused || strncmp(k->refused, "needs ", 6) == 0) continue;
        fprintf(refusals, "sm_%d,%s,%s,%s\n", capability, list->part, k->name, k->refused);
        n++;
    }
    return n;
}
