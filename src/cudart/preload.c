// libwarpwatt-preload.so, which `warpwatt run` has loaded into every process that a program makes.
// Where the program has a CUDA runtime of its own (nvcc's default, -cudart static) it brings in
// libwarpwatt-static.so, which replaces that runtime before the program's constructors register
// their kernels with it. A library's constructors have run by now, or run later when it is opened
// by dlopen: one with a runtime of its own is named by libcuda.so.1 when that runtime asks for it.
// A shared runtime never comes so far: audit.c has warpwatt's loaded in its place.
// It also stands before _exit, so that the account of a process that leaves by it is whole.
#include "fatbin/own_runtime.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static void (*finish)(void);
static pid_t opened_by; // a child of vfork, which shares our memory, is another process

// libcuda.so.1 calls it when the process opens the GPU.
__attribute__((visibility("default"))) void warpwatt_before_exit(void (*fn)(void));
void warpwatt_before_exit(void (*fn)(void)) {
    finish = fn;
    opened_by = getpid();
}

// The account first, then the end.
static _Noreturn void leave(int code) {
    if (finish && getpid() == opened_by) finish();
    for (;;) syscall(SYS_exit_group, code);
}
__attribute__((visibility("default"))) void _exit(int code) { leave(code); }
__attribute__((visibility("default"))) void _Exit(int code) { leave(code); }

typedef void replace_fn(const char *path, uintptr_t base);

// Writes the folder of this library, with the slash; false: not known.
static int own_folder(char folder[PATH_MAX]) {
    Dl_info self;
    if (!dladdr((void *)(uintptr_t)own_folder, &self) || !self.dli_fname) return 0;
    const char *const slash = strrchr(self.dli_fname, '/');
    snprintf(folder, PATH_MAX, "%.*s", slash ? (int)(slash - self.dli_fname) + 1 : 0,
             self.dli_fname);
    return 1;
}

// libwarpwatt-static.so, which lies beside this library; NULL: a sentence says why not.
static void *load(void) {
    char folder[PATH_MAX], path[PATH_MAX + 32];
    if (!own_folder(folder)) return NULL;
    snprintf(path, sizeof path, "%slibwarpwatt-static.so", folder);
    void *const library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) fprintf(stderr, "warpwatt: %s\n", dlerror());
    return library;
}

static int first_object(struct dl_phdr_info *info, size_t size, void *base) {
    (void)size;
    *(uintptr_t *)base = info->dlpi_addr;
    return 1; // the program itself comes first
}

__attribute__((constructor)) static void preload(void) {
    static const char program[] = "/proc/self/exe";
    if (!fatbin_has_own_runtime(program)) return;
    uintptr_t base = 0;
    dl_iterate_phdr(first_object, &base);
    void *const library = load();
    replace_fn *replace = NULL;
    void *const symbol = library ? dlsym(library, "cudart_replace") : NULL;
    memcpy(&replace, &symbol, sizeof symbol);
    if (replace) replace(program, base);
}
