// The first containers of a program or library, without what is in them: PyTorch's library has a gigabyte of them, and all are
// for the same targets.
#include "fatbin/fatbin.h"

#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <unistd.h>

enum { MAGIC = (int)0xBA55ED50u, CONTAINERS = 8, HEAD = 16, ENTRY_HEAD = 32, ARCH_AT = 28 };

static uint32_t u32(const unsigned char *p) {
    uint32_t v;
    memcpy(&v, p, sizeof v);
    return v;
}
static uint64_t u64(const unsigned char *p) {
    uint64_t v;
    memcpy(&v, p, sizeof v);
    return v;
}

static void add(struct fatbin_glance *g, uint32_t arch) {
    uint32_t i = 0;
    while (i < g->n && g->arch[i] < arch) i++;
    if ((i < g->n && g->arch[i] == arch) || g->n == WW_COUNT(g->arch)) return;
    memmove(&g->arch[i + 1], &g->arch[i], (g->n - i) * sizeof *g->arch);
    g->arch[i] = arch;
    g->n++;
}

// Entries of one container; what is damaged ends the look.
static void look_at(const unsigned char *p, uint64_t bytes, struct fatbin_glance *g) {
    while (bytes >= ENTRY_HEAD) {
        uint16_t kind;
        memcpy(&kind, p, sizeof kind);
        const uint64_t size = (uint64_t)u32(p + 4) + u64(p + 8);
        if (kind == FATBIN_PTX) g->has_ptx = true;
        if (kind == FATBIN_CUBIN) add(g, u32(p + ARCH_AT));
        if (size < ENTRY_HEAD || size > bytes) return;
        p += size;
        bytes -= size;
    }
}

static void look_at_section(Elf_Data *data, struct fatbin_glance *g) {
    const unsigned char *p = data->d_buf;
    uint64_t bytes = data->d_size;
    for (int i = 0; i < CONTAINERS && bytes >= HEAD && u32(p) == (uint32_t)MAGIC; i++) {
        const uint64_t size = u64(p + 8);
        if (size > bytes - HEAD) return;
        look_at(p + HEAD, size, g);
        p += HEAD + size;
        bytes -= HEAD + size;
    }
}

void fatbin_glance_at(const char *path, struct fatbin_glance *out) {
    *out = (struct fatbin_glance){.n = 0};
    elf_version(EV_CURRENT);
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return;
    Elf *const elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
    size_t names;
    if (elf && elf_kind(elf) == ELF_K_ELF && elf_getshdrstrndx(elf, &names) == 0)
        for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn));) {
            GElf_Shdr h;
            const char *const name =
                gelf_getshdr(scn, &h) ? elf_strptr(elf, names, h.sh_name) : NULL;
            const bool has_code = name && (strcmp(name, ".nv_fatbin") == 0 ||
                                           strcmp(name, "__nv_relfatbin") == 0); // to be linked
            Elf_Data *const data = has_code ? elf_rawdata(scn, NULL) : NULL;
            if (data && data->d_buf) look_at_section(data, out);
        }
    elf_end(elf);
    close(fd);
}
