// Reads ELF by hand: sections by name, and the names that a file takes from others.
#include "fatbin/own_runtime.h"

#include <elf.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct file {
    const unsigned char *at;
    size_t bytes;
};

static bool lies_in(const struct file *f, uint64_t offset, uint64_t bytes) {
    return offset <= f->bytes && bytes <= f->bytes - offset;
}

// The string at `offset` of a section of strings; "" when it does not lie there.
static const char *string(const struct file *f, const Elf64_Shdr *strings, uint64_t offset) {
    if (!lies_in(f, strings->sh_offset, strings->sh_size) || offset >= strings->sh_size) return "";
    const char *const s = (const char *)f->at + strings->sh_offset + offset;
    return memchr(s, 0, strings->sh_size - offset) ? s : "";
}

// A name that the runtime's table of errors has, in every version, stripped or not. A program of
// the driver's API that nvcc put kernels into has none.
static const char mark[] = "cudaErrorCudartUnloading";

static bool holds_runtime(const struct file *f, const Elf64_Shdr *s) {
    return s->sh_type == SHT_PROGBITS && (s->sh_flags & SHF_ALLOC) &&
           lies_in(f, s->sh_offset, s->sh_size) &&
           memmem(f->at + s->sh_offset, s->sh_size, mark, sizeof mark);
}

// The sections of a program or library; NULL: the file is neither.
static const Elf64_Shdr *sections_of(const struct file *f, Elf64_Ehdr *e) {
    if (f->bytes < sizeof *e) return NULL;
    memcpy(e, f->at, sizeof *e);
    if (memcmp(e->e_ident, ELFMAG, SELFMAG) != 0 || e->e_ident[EI_CLASS] != ELFCLASS64 ||
        (e->e_type != ET_EXEC && e->e_type != ET_DYN) || e->e_shentsize != sizeof(Elf64_Shdr) ||
        e->e_shstrndx >= e->e_shnum || e->e_shoff % _Alignof(Elf64_Shdr) ||
        !lies_in(f, e->e_shoff, (uint64_t)e->e_shnum * sizeof(Elf64_Shdr)))
        return NULL;
    return (const Elf64_Shdr *)(const void *)(f->at + e->e_shoff);
}

// What every program takes that registers kernels, from its own runtime or from a shared one.
static const char registration[] = "__cudaRegisterFatBinary";

// The symbol of a table that names it, defined or not; false: none does.
static bool find_registration(const struct file *f, const Elf64_Shdr *table,
                              const Elf64_Shdr *strings, bool defined, Elf64_Sym *out) {
    if (!lies_in(f, table->sh_offset, table->sh_size) ||
        !lies_in(f, strings->sh_offset, strings->sh_size) ||
        !memmem(f->at + strings->sh_offset, strings->sh_size, registration, sizeof registration))
        return false;
    for (uint64_t at = 0; at + sizeof *out <= table->sh_size; at += sizeof *out) {
        memcpy(out, f->at + table->sh_offset + at, sizeof *out);
        if ((out->st_shndx != SHN_UNDEF) == defined &&
            strcmp(string(f, strings, out->st_name), registration) == 0)
            return true;
    }
    return false;
}

// What a file says of its kernels.
struct kernels {
    bool has_code, takes, has_runtime; // `takes`: registration, from another library
};
static struct kernels kernels_of(const struct file *f) {
    struct kernels k = {false, false, false};
    Elf64_Ehdr e;
    const Elf64_Shdr *const sections = sections_of(f, &e);
    if (!sections) return k;
    for (unsigned i = 0; i < e.e_shnum; i++) {
        const Elf64_Shdr *const s = &sections[i];
        k.has_code |= strcmp(string(f, &sections[e.e_shstrndx], s->sh_name), ".nv_fatbin") == 0;
        Elf64_Sym taken;
        k.takes |= s->sh_type == SHT_DYNSYM && s->sh_link < e.e_shnum &&
                   find_registration(f, s, &sections[s->sh_link], false, &taken);
    }
    for (unsigned i = 0; i < e.e_shnum && k.has_code && !k.takes && !k.has_runtime; i++)
        k.has_runtime = holds_runtime(f, &sections[i]);
    return k;
}

static uint64_t named_runtime(const struct file *f) {
    Elf64_Ehdr e;
    const Elf64_Shdr *const sections = sections_of(f, &e);
    Elf64_Sym symbol;
    bool has_names = false, has_runtime = false;
    for (unsigned i = 0; sections && i < e.e_shnum && !has_names; i++)
        has_names =
            sections[i].sh_type == SHT_SYMTAB && sections[i].sh_link < e.e_shnum &&
            find_registration(f, &sections[i], &sections[sections[i].sh_link], true, &symbol);
    for (unsigned i = 0; has_names && i < e.e_shnum && !has_runtime; i++)
        has_runtime = holds_runtime(f, &sections[i]);
    return has_runtime ? symbol.st_value : 0;
}
static uint64_t own_runtime(const struct file *f) { return kernels_of(f).has_runtime; }
static uint64_t is_runtime(const struct file *f) {
    return memmem(f->at, f->bytes, mark, sizeof mark) != NULL;
}

static uint64_t ask(const char *path, uint64_t (*question)(const struct file *f)) {
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return 0;
    struct stat st;
    uint64_t answer = 0;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0) {
        const size_t bytes = (size_t)st.st_size;
        void *const at = mmap(NULL, bytes, PROT_READ, MAP_PRIVATE, fd, 0);
        if (at != MAP_FAILED) {
            answer = question(&(struct file){at, bytes});
            munmap(at, bytes);
        }
    }
    close(fd);
    return answer;
}

bool fatbin_has_own_runtime(const char *path) { return ask(path, own_runtime); }
bool fatbin_holds_runtime(const char *path) { return ask(path, is_runtime); }
uint64_t fatbin_named_runtime(const char *path) { return ask(path, named_runtime); }

bool fatbin_is_runtime_name(const char *path) {
    static const char name[] = "libcudart.so";
    const char *const slash = strrchr(path, '/');
    return strncmp(slash ? slash + 1 : path, name, sizeof name - 1) == 0;
}

// Vendor's libraries whose runtime cannot be replaced, by the beginning of their file's name: what to use in their place.
static const struct {
    const char *name, *instead;
} vendors[] = {
    {"libcudnn", "PyTorch computes without it: torch.backends.cudnn.enabled = False"},
    {"libcutensor", "CuPy computes without it: leave `cutensor` out of CUPY_ACCELERATORS"},
    {"libnccl", "a program on one GPU has no need of it: initialise no process group, or one with backend `gloo`"},
    {"libcusparseLt", "PyTorch computes without it: leave semi-structured sparse tensors"},
    {"libnpp", "OpenCV and torchvision compute the same on the CPU"},
    {"libnvjpeg", "torchvision.io decodes on the CPU: device='cpu'"},
};

const char *fatbin_foreign_runtime(const char *path, char *buf, size_t size) {
    if (fatbin_is_runtime_name(path))
        snprintf(buf, size,
                 "the CUDA runtime %s is of a version that warpwatt has none of (11, 12 and 13 are "
                 "there), and cannot work on a simulated GPU. Build the program with one of those",
                 path);
    for (size_t i = 0; i < sizeof vendors / sizeof *vendors; i++) {
        const char *const slash = strrchr(path, '/');
        if (strncmp(slash ? slash + 1 : path, vendors[i].name, strlen(vendors[i].name)) != 0)
            continue;
        snprintf(buf, size,
                 "the library %s carries a CUDA runtime of its own that cannot be replaced; its "
                 "calls fail. %s",
                 path, vendors[i].instead);
        return buf;
    }
    if (!fatbin_is_runtime_name(path))
        snprintf(buf, size,
                 "the library %s carries a CUDA runtime of its own, %s. Either build it with `nvcc "
                 "-cudart shared`%s, or take its kernels out with `warpwatt extract -o DIR %s` and "
                 "run them as PTX",
                 path,
                 fatbin_named_runtime(path) ? "and calls what warpwatt has no replacement for"
                                            : "and no symbols by which it could be replaced",
                 fatbin_named_runtime(path) ? "" : " (or do not strip it)", path);
    return buf;
}
