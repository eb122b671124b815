// Programs and libraries with a runtime of their own linked in (nvcc's default, -cudart static).
// preload.c loads this library into their process. The runtime's entry points are found in the
// file's symbol table, and the first instructions of each become a jump to ours: the other runtime
// is never entered. One implementation serves all files of a process; it is of the first file's
// version, and a file whose runtime has another one is refused. A file whose symbols were stripped
// cannot be treated so; the person is told the two ways out.
#include "cudart/cudart.h"
#include "cudart/jump.h"
#include "driver_private.h"

#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <unistd.h>

#define ENTRY(name)      void name(void);
#define ENTRY_PTSZ(name) void name(void), name##_ptsz(void);
#define ENTRY_PTDS(name) void name(void), name##_ptds(void);
#define REFUSED(name)    void name(void);
#include "cudart/api.def"
#undef ENTRY
#undef ENTRY_PTSZ
#undef ENTRY_PTDS
#undef REFUSED

static const struct {
    const char *name;
    void (*ours)(void);
} entries[] = {
#define ENTRY(name)      {#name, name},
#define ENTRY_PTSZ(name) {#name, name}, {#name "_ptsz", name##_ptsz},
#define ENTRY_PTDS(name) {#name, name}, {#name "_ptds", name##_ptds},
#define REFUSED(name)    {#name, name},
#include "cudart/api.def"
};

// ---- the file -----------------------------------------------------------------------------------
struct file {
    Elf *elf;
    uintptr_t base; // what the loader added to its addresses
    Elf_Data *symbols;
    size_t strings, n_symbols;
};

static void look(struct file *p) {
    for (Elf_Scn *scn = NULL; (scn = elf_nextscn(p->elf, scn));) {
        GElf_Shdr h;
        if (!gelf_getshdr(scn, &h) || !h.sh_entsize) continue;
        if (h.sh_type != SHT_SYMTAB) continue;
        p->symbols = elf_getdata(scn, NULL);
        p->strings = h.sh_link;
        p->n_symbols = h.sh_size / h.sh_entsize;
    }
}

// ---- its entry points ---------------------------------------------------------------------------
static int entry_of(const char *name) {
    for (size_t i = 0; i < COUNT(entries); i++)
        if (strcmp(entries[i].name, name) == 0) return (int)i;
    return -1;
}

// The i-th function of the runtime's that the file has; NULL: the i-th symbol is none.
static const char *function_of(const struct file *p, size_t i, GElf_Sym *s) {
    if (!gelf_getsym(p->symbols, (int)i, s) || GELF_ST_TYPE(s->st_info) != STT_FUNC ||
        s->st_shndx == SHN_UNDEF)
        return NULL;
    const char *const name = elf_strptr(p->elf, p->strings, s->st_name);
    return name && (strncmp(name, "cuda", 4) == 0 || strncmp(name, "__cuda", 6) == 0) ? name : NULL;
}

// The runtime is one object, so that all its names are there: the first only 12 has, the second 13
// and late versions of 12.
static int major_of(const struct file *p) {
    bool is_12 = false, is_13 = false;
    for (size_t i = 0; i < p->n_symbols; i++) {
        GElf_Sym s;
        const char *const name = function_of(p, i, &s);
        is_12 |= name && strcmp(name, "cudaGetDeviceProperties_v2") == 0;
        is_13 |= name && strcmp(name, "__cudaLaunchKernel") == 0;
    }
    return is_12 ? 12 : is_13 ? 13 : 11;
}

// Functions that answer no status are the same in every version.
static bool answers_no_status(const char *name) {
    static const char *const prefix[] = {"__cuda", "cudaGetErrorName", "cudaGetErrorString",
                                         "cudaCreateChannelDesc"};
    for (size_t i = 0; i < COUNT(prefix); i++)
        if (strncmp(name, prefix[i], strlen(prefix[i])) == 0) return true;
    return false;
}

// Answers how many entry points of the file's own runtime lead to ours now.
static unsigned replace_all(const struct file *p, bool fits) {
    unsigned done = 0;
    for (size_t i = 0; i < p->n_symbols; i++) {
        GElf_Sym s;
        const char *const name = function_of(p, i, &s);
        if (!name) continue;
        const int e = entry_of(name);
        // a short function is followed by padding up to the next one's alignment; one that is
        // shorter still and not aligned stays: what it calls is replaced
        const size_t room = s.st_value % 16 ? s.st_size : (s.st_size + 15) / 16 * 16;
        if (e < 0 || room < JUMP_BYTES) continue;
        void (*const refuse)(void) = (void (*)(void))cudart_refuse_version;
        done += jump_put(p->base + s.st_value,
                         fits || answers_no_status(name) ? entries[e].ours : refuse);
    }
    return done;
}

// Replaces the runtime inside a file whose first address the loader made `base`. Answers the
// runtime's version; 0: the file has no symbols.
static int replace_in(const char *path, uintptr_t base) {
    struct file p = {.base = base};
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return 0;
    int major = 0;
    elf_version(EV_CURRENT);
    p.elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
    if (p.elf && elf_kind(p.elf) == ELF_K_ELF) {
        look(&p);
        major = major_of(&p);
        if (!replace_all(&p, !cudart_major || cudart_major == major)) major = 0;
    }
    elf_end(p.elf);
    close(fd);
    if (!cudart_major) cudart_major = major;
    return major;
}

CUDART_API void cudart_replace(const char *path, uintptr_t base);
CUDART_API void cudart_replace(const char *path, uintptr_t base) {
    if (!replace_in(path, base))
        cudart_say("the program carries a CUDA runtime of its own and no symbols by which it could "
                   "be replaced. "
                   "Either build it with `nvcc -cudart shared` (or do not strip it), or take its "
                   "kernels out with "
                   "`warpwatt extract -o DIR PROGRAM` and run them as PTX");
}

// A library without symbols may never be called: libcuda.so.1 names it when it is.
CUDART_API void cudart_replace_library(const char *path, uintptr_t base);
CUDART_API void cudart_replace_library(const char *path, uintptr_t base) {
    const int major = replace_in(path, base);
    if (major && major != cudart_major)
        cudart_say(
            "the library %s carries a runtime of CUDA %d, and another file of this process "
            "one of CUDA %d: a process has one version of linked-in runtimes. Build both with "
            "one version, or with `nvcc -cudart shared`",
            path, major, cudart_major);
}
