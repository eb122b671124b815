// Programs with a runtime of their own linked in (nvcc's default, -cudart static). preload.c loads
// this library into them. The runtime's entry points are found in the program's symbol table, and
// the first instructions of each become a jump to ours: the other runtime is never entered. A
// program whose symbols were stripped cannot be treated so; the person is told the two ways out.
#include "cudart/cudart.h"
#include "driver_private.h"

#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <sys/mman.h>
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

// ---- jumps --------------------------------------------------------------------------------------
enum {
#if defined __x86_64__
    JUMP_BYTES = 14 // jmp *0(%rip), then the address
#else
    JUMP_BYTES = 16 // ldr x16, .+8; br x16; then the address
#endif
};

static void write_jump(unsigned char *at, void (*to)(void)) {
#if defined __x86_64__
    static const unsigned char code[] = {0xff, 0x25, 0, 0, 0, 0};
#else
    static const unsigned char code[] = {0x50, 0, 0, 0x58, 0, 2, 0x1f, 0xd6};
#endif
    memcpy(at, code, sizeof code);
    memcpy(at + sizeof code, &to, sizeof to);
    __builtin___clear_cache((char *)at, (char *)at + JUMP_BYTES);
}

static bool replace(uintptr_t address, void (*to)(void)) {
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), from = address & ~(page - 1),
                    end = (address + JUMP_BYTES + page - 1) & ~(page - 1);
    if (mprotect((void *)from, end - from, PROT_READ | PROT_WRITE | PROT_EXEC) != 0) return false;
    write_jump((unsigned char *)address, to);
    return mprotect((void *)from, end - from, PROT_READ | PROT_EXEC) == 0;
}

static int entry_of(const char *name) {
    for (size_t i = 0; i < COUNT(entries); i++)
        if (strcmp(entries[i].name, name) == 0) return (int)i;
    return -1;
}

// Answers how many entry points of the file's own runtime lead to ours now.
static unsigned replace_all(const struct file *p) {
    unsigned done = 0;
    bool is_12 = false, is_13 = false;
    for (size_t i = 0; p->symbols && i < p->n_symbols; i++) {
        GElf_Sym s;
        if (!gelf_getsym(p->symbols, (int)i, &s) || GELF_ST_TYPE(s.st_info) != STT_FUNC ||
            s.st_shndx == SHN_UNDEF)
            continue;
        const char *name = elf_strptr(p->elf, p->strings, s.st_name);
        if (!name || (strncmp(name, "cuda", 4) != 0 && strncmp(name, "__cuda", 6) != 0)) continue;
        // the runtime is one object, so that all its names are there: the first only 12 has, the
        // second 13 and late versions of 12
        is_12 |= strcmp(name, "cudaGetDeviceProperties_v2") == 0;
        is_13 |= strcmp(name, "__cudaLaunchKernel") == 0;
        const int e = entry_of(name);
        // a short function is followed by padding up to the next one's alignment; one that is
        // shorter still and not aligned stays: what it calls is replaced
        const size_t room = s.st_value % 16 ? s.st_size : (s.st_size + 15) / 16 * 16;
        if (e < 0 || room < JUMP_BYTES) continue;
        done += replace(p->base + s.st_value, entries[e].ours);
    }
    cudart_major = is_12 ? 12 : is_13 ? 13 : 11;
    return done;
}

// Replaces the runtime inside the program; `base`: what the loader added to its addresses.
CUDART_API void cudart_replace(const char *path, uintptr_t base);
CUDART_API void cudart_replace(const char *path, uintptr_t base) {
    struct file p = {.base = base};
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return;
    elf_version(EV_CURRENT);
    p.elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
    if (p.elf && elf_kind(p.elf) == ELF_K_ELF) {
        look(&p);
        if (!replace_all(&p))
            cudart_say("the program carries a CUDA runtime of its own and no symbols by which it "
                       "could be replaced. "
                       "Either build it with `nvcc -cudart shared` (or do not strip it), or take "
                       "its kernels out with "
                       "`warpwatt extract -o DIR PROGRAM` and run them as PTX");
    }
    elf_end(p.elf);
    close(fd);
}
