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

static bool own_runtime(const struct file *f) {
    Elf64_Ehdr e;
    if (f->bytes < sizeof e) return false;
    memcpy(&e, f->at, sizeof e);
    if (memcmp(e.e_ident, ELFMAG, SELFMAG) != 0 || e.e_ident[EI_CLASS] != ELFCLASS64 ||
        (e.e_type != ET_EXEC && e.e_type != ET_DYN) || e.e_shentsize != sizeof(Elf64_Shdr) ||
        e.e_shstrndx >= e.e_shnum || e.e_shoff % _Alignof(Elf64_Shdr) ||
        !lies_in(f, e.e_shoff, (uint64_t)e.e_shnum * sizeof(Elf64_Shdr)))
        return false;
    const Elf64_Shdr *const sections = (const Elf64_Shdr *)(const void *)(f->at + e.e_shoff);
    bool has_code = false, takes = false;
    for (unsigned i = 0; i < e.e_shnum; i++) {
        const Elf64_Shdr *const s = &sections[i];
        has_code |= strcmp(string(f, &sections[e.e_shstrndx], s->sh_name), ".nv_fatbin") == 0;
        if (s->sh_type != SHT_DYNSYM || s->sh_link >= e.e_shnum ||
            !lies_in(f, s->sh_offset, s->sh_size))
            continue;
        for (uint64_t at = 0; at + sizeof(Elf64_Sym) <= s->sh_size && !takes;
             at += sizeof(Elf64_Sym)) {
            Elf64_Sym symbol;
            memcpy(&symbol, f->at + s->sh_offset + at, sizeof symbol);
            takes = symbol.st_shndx == SHN_UNDEF &&
                    strcmp(string(f, &sections[s->sh_link], symbol.st_name),
                           "__cudaRegisterFatBinary") == 0;
        }
    }
    bool has_runtime = false;
    for (unsigned i = 0; i < e.e_shnum && has_code && !takes && !has_runtime; i++)
        has_runtime = holds_runtime(f, &sections[i]);
    return has_runtime;
}

bool fatbin_has_own_runtime(const char *path) {
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return false;
    struct stat st;
    bool own = false;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0) {
        const size_t bytes = (size_t)st.st_size;
        void *const at = mmap(NULL, bytes, PROT_READ, MAP_PRIVATE, fd, 0);
        if (at != MAP_FAILED) {
            own = own_runtime(&(struct file){at, bytes});
            munmap(at, bytes);
        }
    }
    close(fd);
    return own;
}

void fatbin_say_own_runtime(const char *path) {
    fprintf(stderr,
            "warpwatt: the library %s carries a CUDA runtime of its own, which cannot be replaced "
            "in a library. Either build it with "
            "`nvcc -cudart shared`, or take its kernels out with `warpwatt extract -o DIR %s` and "
            "run them as PTX\n",
            path, path);
}
