// Object files and libraries of them, as a program hands them to the driver's linker: containers lie in
// sections __nv_relfatbin (units that are to be linked) and .nv_fatbin. A library is an archive of
// ar: a header of 60 bytes before each member, long names in a member of their own (System V, GNU).
#include "fatbin/fatbin.h"

#include <elf.h>

static bool lies_in(size_t all, uint64_t offset, uint64_t bytes) {
    return offset <= all && bytes <= all - offset;
}

// ---- object files -------------------------------------------------------------------------------
static enum ww_status containers(struct arena *a, const uint8_t *p, size_t bytes, const char *name,
                                 struct diags *d, fatbin_units *out) {
    for (size_t at = 0; at < bytes;) {
        struct fatbin f = {0};
        size_t size;
        const enum ww_status s = fatbin_first(a, p + at, bytes - at, name, d, &f, &size);
        if (s != WW_OK) return s;
        vec_push(a, out, ((struct fatbin_unit){name, p + at, size}));
        at += size;
        while (at < bytes && !p[at]) at++; // padding between containers
    }
    return WW_OK;
}

enum ww_status fatbin_read_object(struct arena *a, const void *data, size_t bytes, const char *name,
                                  struct diags *d, fatbin_units *out) {
    const uint8_t *p = data;
    Elf64_Ehdr h;
    if (bytes < sizeof h || memcmp(p, ELFMAG, SELFMAG) != 0 || p[EI_CLASS] != ELFCLASS64)
        return diag_add(d, WW_ERROR_SYNTAX, "%s is no object file (ELF of 64 bits)", name);
    memcpy(&h, p, sizeof h);
    const bool whole = lies_in(bytes, h.e_shoff, (uint64_t)h.e_shnum * sizeof(Elf64_Shdr)) &&
                       h.e_shentsize == sizeof(Elf64_Shdr) && h.e_shstrndx < h.e_shnum;
    if (!whole) return diag_add(d, WW_ERROR_SYNTAX, "%s is cut off, or has no sections", name);
    const Elf64_Shdr *section = arena_copy(a, p + h.e_shoff, h.e_shnum * sizeof *section);
    const Elf64_Shdr *names = &section[h.e_shstrndx];
    for (uint32_t i = 1; i < h.e_shnum; i++) {
        const Elf64_Shdr *x = &section[i];
        static const char *const holds[] = {"__nv_relfatbin", ".nv_fatbin"};
        for (uint32_t k = 0; k < WW_COUNT(holds); k++) {
            const size_t n = strlen(holds[k]) + 1;
            if (x->sh_type == SHT_NOBITS || x->sh_name > names->sh_size ||
                n > names->sh_size - x->sh_name ||
                !lies_in(bytes, names->sh_offset, names->sh_size) ||
                memcmp(p + names->sh_offset + x->sh_name, holds[k], n) != 0)
                continue;
            if (!lies_in(bytes, x->sh_offset, x->sh_size))
                return diag_add(d, WW_ERROR_SYNTAX, "%s is cut off in its section %s", name,
                                holds[k]);
            const enum ww_status s = containers(a, p + x->sh_offset, x->sh_size, name, d, out);
            if (s != WW_OK) return s;
        }
    }
    return WW_OK;
}

// ---- libraries ----------------------------------------------------------------------------------
enum { MAGIC_BYTES = 8, HEADER_BYTES = 60, NAME_BYTES = 16, SIZE_AT = 48, SIZE_DIGITS = 10 };
static const char magic[] = "!<arch>\n";

struct library {
    const char *at, *name;
    size_t bytes;
    const char *long_names;
    size_t long_bytes;
};

static uint64_t decimal(const char *p, uint32_t digits) {
    uint64_t v = 0;
    for (uint32_t i = 0; i < digits && p[i] >= '0' && p[i] <= '9'; i++)
        v = v * 10 + (uint64_t)(p[i] - '0');
    return v;
}

// A member's name: in its header, or at a place among the long ones ("/12").
static const char *member_name(struct arena *a, const struct library *l, const char *header) {
    const char *from = header;
    size_t most = NAME_BYTES, n = 0;
    if (header[0] == '/') {
        const uint64_t place = decimal(header + 1, NAME_BYTES - 1);
        if (place >= l->long_bytes) return "?";
        from = l->long_names + place;
        most = l->long_bytes - place;
    }
    while (n < most && from[n] != '/' && from[n] != '\n' && from[n] != ' ') n++;
    return arena_printf(a, "%s(%.*s)", l->name, (int)n, from);
}

enum ww_status fatbin_read_library(struct arena *a, const void *data, size_t bytes,
                                   const char *name, struct diags *d, fatbin_units *out) {
    struct library l = {.at = data, .name = name, .bytes = bytes};
    if (bytes < MAGIC_BYTES || memcmp(l.at, magic, MAGIC_BYTES) != 0)
        return diag_add(d, WW_ERROR_SYNTAX, "%s is no library (an archive of ar)", name);
    for (size_t at = MAGIC_BYTES; at + HEADER_BYTES <= bytes;) {
        const char *header = l.at + at, *member = header + HEADER_BYTES;
        const uint64_t size = decimal(header + SIZE_AT, SIZE_DIGITS);
        if (!lies_in(bytes, at + HEADER_BYTES, size))
            return diag_add(d, WW_ERROR_SYNTAX,
                            "%s is cut off: a member at byte %zu is longer than what is there",
                            name, at);
        at = bits_align_up(at + HEADER_BYTES + size, 2);
        if (memcmp(header, "// ", 3) == 0) l.long_names = member, l.long_bytes = size;
        const bool is_index = memcmp(header, "/ ", 2) == 0 || memcmp(header, "//", 2) == 0 ||
                              memcmp(header, "/SYM", 4) == 0;
        // Members that are no object files (of the host's linker) hold no code of a GPU.
        if (is_index || size < SELFMAG || memcmp(member, ELFMAG, SELFMAG) != 0) continue;
        const char *full = member_name(a, &l, header);
        const enum ww_status s = fatbin_read_object(a, member, size, full, d, out);
        if (s != WW_OK) return s;
    }
    return WW_OK;
}
