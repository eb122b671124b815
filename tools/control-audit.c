// Asks `--check control` of all kernels of cubins without running any: which instruction of a real
// compiler's code may read a result before the machine of a GPU file has made it. Cubins are named
// on standard input, a line each. Prints a line a place, and how many kernels and places there are;
// ends with 1 when there is one. A kernel that is not executed is named and counted apart. A tool for
// tests; the product does not need it.
//
//   find FOLDER -name '*.cubin' | build/control_audit v100
#include <stdlib.h>

#include "gpu/fields.h"
#include "gpu/gpu.h"
#include "isa/control.h"
#include "isa/disasm.h"

enum { MAX_FILE = 1 << 30 };

struct tally {
    const char *path, *kernel;
    const struct code_image *code;
    uint32_t kernels, refused, places;
};

static void note(void *user, uint32_t pc, const char *what) {
    struct tally *const t = user;
    char inst[160];
    disasm_inst(t->code, pc, inst, sizeof inst);
    printf("%s: %s: instruction %u, %s: %s\n", t->path, t->kernel, pc, inst, what);
    t->places++;
}

static void look(struct tally *t, struct gpu_module *m, uint32_t i, struct diags *d) {
    struct gpu_kernel *k;
    t->kernel = gpu_module_kernel_name(m, i);
    if (gpu_kernel_find(m, t->kernel, d, &k) != WW_OK ||
        gpu_kernel_image(k, d, &t->code) != WW_OK) {
        t->refused++;
        return;
    }
    struct arena scratch;
    arena_init(&scratch, NULL);
    if (t->code->control) control_verify(t->code, &scratch, note, t);
    arena_free(&scratch);
    t->kernels++;
}

static void audit(struct gpu *g, const char *path, struct tally *t) {
    struct arena a;
    struct diags d;
    char *image;
    size_t bytes;
    struct gpu_module *m;
    arena_init(&a, NULL);
    diags_init(&d);
    t->path = path;
    if (file_read(&a, path, MAX_FILE, &image, &bytes, &d) == WW_OK &&
        gpu_module_load(g, path, image, bytes, NULL, &d, &m) == WW_OK) {
        for (uint32_t i = 0; i < gpu_module_kernels(m); i++) look(t, m, i, &d);
        gpu_module_unload(g, m);
    }
    diags_print(&d, stderr);
    diags_free(&d);
    arena_free(&a);
}

int main(int argc, char **argv) {
    if (argc != 2) {
        fputs("usage: find FOLDER -name '*.cubin' | control_audit GPU\n", stderr);
        return 2;
    }
    struct diags d;
    struct gpu_config config;
    struct gpu_options o;
    struct gpu *g;
    diags_init(&d);
    gpu_options_init(&o);
    o.functional = true;
    if (gpu_config_load(argv[1], NULL, 0, &d, &config) != WW_OK ||
        gpu_create(&config, &o, &d, &g) != WW_OK) {
        diags_print(&d, stderr);
        return 2;
    }
    struct tally t = {0};
    char *path = NULL;
    size_t cap = 0;
    while (getline(&path, &cap, stdin) > 0) {
        path[strcspn(path, "\n")] = 0;
        audit(g, path, &t);
    }
    free(path);
    printf("%u kernels, %u not executed, %u places\n", t.kernels, t.refused, t.places);
    gpu_destroy(g);
    diags_free(&d);
    return t.places != 0;
}
