// See installed.h. The loader cannot be asked: it would answer with ours, which stands first in
// LD_LIBRARY_PATH and has the same name.
#include "fatbin/installed.h"

#include <elf.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct search {
    const char *name;
    char *path;
    size_t size;
    bool found;
};

// ---- a candidate --------------------------------------------------------------------------------
// The machine that this process runs on, by the file of this code's own process.
static bool head_of(const char *path, Elf64_Ehdr *e) {
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return false;
    const bool ok =
        read(fd, e, sizeof *e) == (ssize_t)sizeof *e && memcmp(e->e_ident, ELFMAG, SELFMAG) == 0;
    close(fd);
    return ok;
}
static bool is_for_us(const char *path) {
    Elf64_Ehdr e, own;
    return head_of(path, &e) && head_of("/proc/self/exe", &own) && e.e_type == ET_DYN &&
           e.e_ident[EI_CLASS] == own.e_ident[EI_CLASS] && e.e_machine == own.e_machine;
}

// Whether a folder is one of warpwatt's own.
static bool is_ours(const char *folder, size_t n) {
    char mark[PATH_MAX];
    if (snprintf(mark, sizeof mark, "%.*s/libwarpwatt-preload.so", (int)n, folder) >=
        (int)sizeof mark)
        return true;
    return access(mark, F_OK) == 0;
}

static void try_file(struct search *s, const char *path) {
    const char *const slash = strrchr(path, '/');
    if (s->found || !slash || is_ours(path, (size_t)(slash - path)) || !is_for_us(path)) return;
    s->found = snprintf(s->path, s->size, "%s", path) < (int)s->size;
}

static void try_folder(struct search *s, const char *folder, size_t n) {
    char path[PATH_MAX];
    if (snprintf(path, sizeof path, "%.*s/%s", (int)n, folder, s->name) < (int)sizeof path)
        try_file(s, path);
}

// ---- lists of folders ---------------------------------------------------------------------------
// One folder of a list, in which $ORIGIN stands for the folder of the object that names it.
static void try_entry(struct search *s, const char *entry, size_t n, const char *origin) {
    char folder[PATH_MAX];
    size_t at = 0;
    for (size_t i = 0; i < n && at + 1 < sizeof folder;) {
        const bool plain = n - i >= 7 && strncmp(entry + i, "$ORIGIN", 7) == 0,
                   braced = n - i >= 9 && strncmp(entry + i, "${ORIGIN}", 9) == 0;
        if (!plain && !braced) {
            folder[at++] = entry[i++];
            continue;
        }
        i += plain ? 7 : 9;
        const size_t len = strlen(origin);
        if (at + len + 1 >= sizeof folder) return;
        memcpy(folder + at, origin, len);
        at += len;
    }
    if (at) try_folder(s, folder, at);
}

static void try_list(struct search *s, const char *list, const char *origin) {
    while (list && *list && !s->found) {
        const size_t n = strcspn(list, ":;");
        try_entry(s, list, n, origin);
        list += n + (list[n] != 0);
    }
}

static void folder_of(const char *path, char folder[PATH_MAX]) {
    const char *const slash = strrchr(path, '/');
    snprintf(folder, PATH_MAX, "%.*s", slash ? (int)(slash - path) : 1, slash ? path : ".");
}

// ---- the objects of this process ----------------------------------------------------------------
struct object {
    char folder[PATH_MAX];
    const char *rpath, *runpath; // NULL: none
};

static void read_dynamic(const ElfW(Dyn) * d, uintptr_t base, struct object *o) {
    const char *strings = NULL;
    uint64_t rpath = 0, runpath = 0; // offset 0 of strings is the empty one
    for (; d->d_tag != DT_NULL; d++) {
        if (d->d_tag == DT_STRTAB) // the loader has relocated it, but on some machines
            strings = (const char *)(uintptr_t)(d->d_un.d_ptr < base ? base + d->d_un.d_ptr
                                                                     : d->d_un.d_ptr);
        if (d->d_tag == DT_RPATH) rpath = d->d_un.d_val;
        if (d->d_tag == DT_RUNPATH) runpath = d->d_un.d_val;
    }
    o->runpath = strings && runpath ? strings + runpath : NULL;
    o->rpath = strings && rpath && !runpath ? strings + rpath : NULL;
}

enum way { BY_RPATH, BY_RUNPATH, BY_WHEEL };
struct walk {
    struct search *s;
    enum way how;
};

static void try_wheels(struct search *s, const char *path) {
    static const char *const roots[] = {"/site-packages/", "/dist-packages/"};
    for (size_t i = 0; i < sizeof roots / sizeof *roots; i++) {
        const char *const at = strstr(path, roots[i]);
        char pattern[PATH_MAX];
        glob_t g;
        if (!at || snprintf(pattern, sizeof pattern, "%.*s%snvidia/*/lib/%s", (int)(at - path),
                            path, roots[i], s->name) >= (int)sizeof pattern)
            continue;
        if (glob(pattern, GLOB_NOSORT, NULL, &g) == 0)
            for (size_t k = 0; k < g.gl_pathc; k++) try_file(s, g.gl_pathv[k]);
        globfree(&g);
    }
}

static int look_at_object(struct dl_phdr_info *info, size_t size, void *user) {
    const struct walk *const w = user;
    char self[PATH_MAX];
    const char *path = info->dlpi_name;
    (void)size;
    if (!path || !*path) { // the program itself
        const ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
        if (n <= 0) return 0;
        self[n] = 0;
        path = self;
    }
    struct object o = {.rpath = NULL};
    folder_of(path, o.folder);
    for (unsigned i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
            read_dynamic((const ElfW(Dyn) *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr),
                         info->dlpi_addr, &o);
    if (w->how == BY_RPATH) try_list(w->s, o.rpath, o.folder);
    if (w->how == BY_RUNPATH) try_list(w->s, o.runpath, o.folder);
    if (w->how == BY_WHEEL) try_wheels(w->s, path);
    return w->s->found;
}

static void look_at_objects(struct search *s, enum way how) {
    struct walk w = {.s = s, .how = how};
    if (!s->found) dl_iterate_phdr(look_at_object, &w);
}

// ---- files --------------------------------------------------------------------------------------
struct mapped {
    const unsigned char *at;
    size_t bytes;
};
static struct mapped map_file(const char *path) {
    struct mapped m = {NULL, 0};
    struct stat st;
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return m;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0) {
        void *const at = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (at != MAP_FAILED) m = (struct mapped){at, (size_t)st.st_size};
    }
    close(fd);
    return m;
}
static void unmap_file(struct mapped m) {
    if (m.at) munmap((void *)(uintptr_t)m.at, m.bytes);
}
static bool lies_in(struct mapped m, uint64_t offset, uint64_t bytes) {
    return offset <= m.bytes && bytes <= m.bytes - offset;
}
static const char *string_at(struct mapped m, uint64_t offset) {
    return lies_in(m, offset, 1) && memchr(m.at + offset, 0, m.bytes - offset)
               ? (const char *)m.at + offset
               : NULL;
}

// Folders that a file which is not loaded names.
static void look_at_file(struct search *s, const char *program) {
    const struct mapped m = map_file(program);
    Elf64_Ehdr e;
    char folder[PATH_MAX], real[PATH_MAX];
    folder_of(realpath(program, real) ? real : program, folder);
    const bool is_elf = m.at && lies_in(m, 0, sizeof e) &&
                        (memcpy(&e, m.at, sizeof e), memcmp(e.e_ident, ELFMAG, SELFMAG) == 0) &&
                        e.e_ident[EI_CLASS] == ELFCLASS64 && e.e_shentsize == sizeof(Elf64_Shdr) &&
                        lies_in(m, e.e_shoff, (uint64_t)e.e_shnum * sizeof(Elf64_Shdr));
    for (unsigned i = 0; is_elf && i < e.e_shnum; i++) {
        Elf64_Shdr h, strings;
        memcpy(&h, m.at + e.e_shoff + i * sizeof h, sizeof h);
        if (h.sh_type != SHT_DYNAMIC || h.sh_link >= e.e_shnum ||
            !lies_in(m, h.sh_offset, h.sh_size))
            continue;
        memcpy(&strings, m.at + e.e_shoff + h.sh_link * sizeof h, sizeof h);
        for (uint64_t at = 0; at + sizeof(Elf64_Dyn) <= h.sh_size; at += sizeof(Elf64_Dyn)) {
            Elf64_Dyn d;
            memcpy(&d, m.at + h.sh_offset + at, sizeof d);
            if (d.d_tag == DT_RPATH || d.d_tag == DT_RUNPATH)
                try_list(s, string_at(m, strings.sh_offset + d.d_un.d_val), folder);
        }
    }
    unmap_file(m);
}

// The loader's cache, in the form that it has had since glibc 2.2 (sysdeps/generic/dl-cache.h); an
// older table may stand before it.
static void look_at_cache(struct search *s) {
    static const char magic[] = "glibc-ld.so.cache1.1";
    enum { HEAD = 48, ENTRY = 24 };
    const struct mapped all = map_file("/etc/ld.so.cache");
    const unsigned char *const from =
        all.at ? memmem(all.at, all.bytes, magic, sizeof magic - 1) : NULL;
    if (from) {
        const struct mapped m = {from, all.bytes - (size_t)(from - all.at)};
        uint32_t n = 0;
        if (lies_in(m, 0, HEAD)) memcpy(&n, m.at + 20, sizeof n);
        for (uint64_t i = 0; i < n && lies_in(m, HEAD + i * ENTRY, ENTRY); i++) {
            uint32_t key, value; // after the flags
            memcpy(&key, m.at + HEAD + i * ENTRY + 4, sizeof key);
            memcpy(&value, m.at + HEAD + i * ENTRY + 8, sizeof value);
            const char *const name = string_at(m, key), *const path = string_at(m, value);
            if (name && path && strcmp(name, s->name) == 0) try_file(s, path);
        }
    }
    unmap_file(all);
}

bool installed_find(const char *name, const char *program, char *path, size_t size) {
    static const char *const system[] = {"/lib64", "/usr/lib64", "/lib", "/usr/lib"};
    struct search s = {.name = name, .path = path, .size = size};
    look_at_objects(&s, BY_RPATH);
    if (program) look_at_file(&s, program);
    try_list(&s, getenv("LD_LIBRARY_PATH"), "");
    look_at_objects(&s, BY_RUNPATH);
    if (!s.found) look_at_cache(&s);
    for (size_t i = 0; i < sizeof system / sizeof *system; i++)
        try_folder(&s, system[i], strlen(system[i]));
    look_at_objects(&s, BY_WHEEL);
    return s.found;
}
