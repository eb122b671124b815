// libwarpwatt-audit.so, which `warpwatt run` names to the dynamic loader (LD_AUDIT) of every process that a program makes.
// The loader asks it for each library that it is about to look for. A library that warpwatt has under that name is taken from
// warpwatt's folder, for each object that asks and wherever it would have been found: by an RPATH, by its whole name in dlopen, in a
// Python wheel's folder. LD_LIBRARY_PATH alone is heard after an RPATH, and not at all for a whole name.
// It also hands each library that was mapped to preload.c before a constructor of it runs, so that a CUDA runtime inside
// the library can be replaced.
// It runs in a namespace of its own, beside a C library of its own, and needs nothing else.
#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Libraries that need no GPU: an installed one that is found stays what it is.
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

// ---- libraries that were mapped -----------------------------------------------------------------
// The loader holds its lock in all of these.
static struct link_map *program;                            // the first object of the program's namespace
static struct link_map **mapped;                            // of it, not handed on yet
static size_t n_mapped, room;
static void (*library_mapped)(const char *path, uintptr_t); // preload.c's

unsigned la_objopen(struct link_map *map, Lmid_t space, uintptr_t *cookie);
__attribute__((visibility("default"))) unsigned la_objopen(struct link_map *map, Lmid_t space,
                                                           uintptr_t *cookie) {
    *cookie = (uintptr_t)map;
    if (space != LM_ID_BASE) return 0;
    if (!program) program = map;
    if (n_mapped == room) {
        const size_t more = room ? 2 * room : 64;
        struct link_map **const list = realloc(mapped, more * sizeof *list);
        if (!list) return 0; // a runtime in it stays, and is named by libcuda.so.1
        mapped = list;
        room = more;
    }
    mapped[n_mapped++] = map;
    return 0; // the symbols it binds do not matter
}

// A library may be unmapped before it was handed on: another that it needs was not found.
unsigned la_objclose(uintptr_t *cookie);
__attribute__((visibility("default"))) unsigned la_objclose(uintptr_t *cookie) {
    size_t kept = 0;
    for (size_t i = 0; i < n_mapped; i++)
        if ((uintptr_t)mapped[i] != *cookie) mapped[kept++] = mapped[i];
    n_mapped = kept;
    return 0;
}

static int is_ours(const char *path) {
    return strncmp(path, folder, folder_length) == 0 && !strchr(path + folder_length, '/');
}

// Preload.c may open a library of ours meanwhile, so the list is taken first.
static void hand_on(void) {
    struct link_map **const list = mapped;
    const size_t n = n_mapped;
    mapped = NULL;
    n_mapped = room = 0;
    for (size_t i = 0; library_mapped && i < n; i++)
        if (list[i] != program && !is_ours(list[i]->l_name))
            library_mapped(list[i]->l_name, list[i]->l_addr);
    free(list);
}

// The loader has mapped what the program, or a call of dlopen, needs, and no constructor of it has run. At the program's
// start everything is relocated too, preload.c among it (la_preinit would come after the libraries' constructors).
void la_activity(uintptr_t *cookie, unsigned flag);
__attribute__((visibility("default"))) void la_activity(uintptr_t *cookie, unsigned flag) {
    if (flag != LA_ACT_CONSISTENT || !program || *cookie != (uintptr_t)program) return;
    if (!library_mapped) {
        void *const symbol = dlsym(program, "warpwatt_library_mapped");
        memcpy(&library_mapped, &symbol, sizeof symbol);
    }
    hand_on();
}
