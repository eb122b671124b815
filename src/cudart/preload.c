// libwarpwatt-preload.so, which `warpwatt run` has loaded into every process that a program makes.
// Where the program or a library has a CUDA runtime of its own (nvcc's default, -cudart static) it
// brings in libwarpwatt-static.so, which replaces that runtime before any constructor registers its
// kernels with it:
//   the program            here, in a constructor: it comes before the program's
//   a library of dlopen's  as soon as it is mapped, when audit.c calls
//   a linked library       its constructors may run before the one here, and the loader can open no
//                          library before the first constructor. Its registration is sent here as
//                          soon as it is mapped; the first call replaces everything.
// A shared runtime never comes so far: audit.c has warpwatt's loaded in its place.
// It also stands before _exit, so that the account of a process that leaves by it is whole.
#include "cudart/jump.h"
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

// A function of libwarpwatt-static.so, which lies beside this library. Without it there is no going
// on: an installation is not whole.
static void *ours(const char *name) {
    static void *library;
    if (!library) {
        char folder[PATH_MAX], path[PATH_MAX + 32];
        if (own_folder(folder)) {
            snprintf(path, sizeof path, "%slibwarpwatt-static.so", folder);
            library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        }
    }
    void *const symbol = library ? dlsym(library, name) : NULL;
    if (symbol) return symbol;
    fprintf(stderr, "warpwatt: %s\n", dlerror());
    leave(2);
}

static void replace(const char *how, const char *path, uintptr_t base) {
    replace_fn *fn;
    void *const symbol = ours(how);
    memcpy(&fn, &symbol, sizeof symbol);
    fn(path, base);
}

// ---- what the loader starts a process with ------------------------------------------------------
static const char program[] = "/proc/self/exe";
static bool started; // the first constructor of them has run
static bool awaited; // a library among them has a runtime of its own

static int first_object(struct dl_phdr_info *info, size_t size, void *base) {
    (void)size;
    *(uintptr_t *)base = info->dlpi_addr;
    return 1; // the program itself comes first
}
static int replace_library(struct dl_phdr_info *info, size_t size, void *folder) {
    (void)size;
    const size_t n = strlen(folder);
    const bool is_ours =
        strncmp(info->dlpi_name, folder, n) == 0 && !strchr(info->dlpi_name + n, '/');
    if (!is_ours && fatbin_named_runtime(info->dlpi_name))
        replace("cudart_replace_library", info->dlpi_name, info->dlpi_addr);
    return 0;
}

static void start(void) {
    if (started) return;
    started = true;
    if (fatbin_has_own_runtime(program)) {
        uintptr_t base = 0;
        dl_iterate_phdr(first_object, &base);
        replace("cudart_replace", program, base);
    }
    char folder[PATH_MAX];
    // (the second brings ours in: not under the lock of dl_iterate_phdr)
    if (awaited && ours("cudart_replace_library") && own_folder(folder))
        dl_iterate_phdr(replace_library, folder);
}
__attribute__((constructor)) static void preload(void) { start(); }

static void **register_first(void *wrapper) {
    start();
    void **(*fn)(void *);
    void *const symbol = ours("__cudaRegisterFatBinary");
    memcpy(&fn, &symbol, sizeof symbol);
    return fn(wrapper);
}

// audit.c calls it for each library of the process, before the library's constructors run and with
// the loader's lock held. The library may not be relocated yet: only its code is written.
__attribute__((visibility("default"))) void warpwatt_library_mapped(const char *path,
                                                                    uintptr_t base);
void warpwatt_library_mapped(const char *path, uintptr_t base) {
    const uint64_t registration = fatbin_named_runtime(path);
    if (!registration) return;
    if (started) {
        replace("cudart_replace_library", path, base);
    } else {
        awaited = true;
        jump_put(base + registration, (void (*)(void))register_first);
    }
}
