// libwarpwatt-audit.so, which `warpwatt run` names to the dynamic loader (LD_AUDIT) of every process that a program makes.
// The loader asks it for each library that it is about to look for. A library that warpwatt has under that name is taken from
// warpwatt's folder, whoever asks and wherever it would have been found: by an RPATH, by its whole name in dlopen, in a
// Python wheel's folder. LD_LIBRARY_PATH alone is heard after an RPATH, and not at all for a whole name.
// It runs in a namespace of its own, beside a C library of its own, and needs nothing else.
#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

// Those that need no GPU, as the installed ones do: whoever finds an installed one has it.
static const char *const host_only[] = {
#define HOST(name) "lib" #name ".so",
#define GPU(name)
#define LIBRARY(name, title, status, kind, versions) kind(name)
#include "libraries/libraries.def"
};

static char folder[PATH_MAX]; // ours, with the slash
static size_t folder_length;

static const char *base_name(const char *path) {
    const char *const slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

unsigned la_version(unsigned version);
__attribute__((visibility("default"))) unsigned la_version(unsigned version) {
    Dl_info self;
    if (!dladdr((void *)(uintptr_t)la_version, &self) || !self.dli_fname) return 0;
    folder_length = (size_t)(base_name(self.dli_fname) - self.dli_fname);
    if (folder_length >= sizeof folder) return 0;
    memcpy(folder, self.dli_fname, folder_length);
    return version < LAV_CURRENT ? version : LAV_CURRENT;
}

// Writes the file of our folder whose name is the first `n` characters of `base`, then `end`; false: there is none.
static int lies_here(const char *base, size_t n, const char *end, char path[PATH_MAX]) {
    const int written = snprintf(path, PATH_MAX, "%s%.*s%s", folder, (int)n, base, end);
    return written > 0 && written < PATH_MAX && access(path, R_OK) == 0;
}

// Writes what warpwatt has in place of the library `name`; false: nothing. Wheels give the
// libraries that they bring along names with a hash, libcudart-d0da41ae.so.11.0.
static int find_ours(const char *name, char path[PATH_MAX]) {
    const char *const base = base_name(name), *const end = strstr(base, ".so");
    if (!end || strncmp(base, "lib", 3) != 0) return 0;
    for (size_t i = 0; i < sizeof host_only / sizeof *host_only; i++)
        if (strncmp(base, host_only[i], strlen(host_only[i])) == 0) return 0;
    if (lies_here(base, (size_t)(end - base), end, path)) return 1;
    const char *const hash = memchr(base, '-', (size_t)(end - base));
    return hash && hash + 1 + strspn(hash + 1, "0123456789abcdef") == end &&
           lies_here(base, (size_t)(hash - base), end, path);
}

char *la_objsearch(const char *name, uintptr_t *cookie, unsigned flag);
__attribute__((visibility("default"))) char *la_objsearch(const char *name, uintptr_t *cookie,
                                                          unsigned flag) {
    static _Thread_local char ours[PATH_MAX];
    (void)cookie;
    return flag == LA_SER_ORIG && find_ours(name, ours) ? ours : (char *)(uintptr_t)name;
}
