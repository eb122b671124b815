// Reading cubins: sections, the attributes of .nv.info, and a kernel's words as text.
#include "sass/cubin.h"

#include <gelf.h>
#include <inttypes.h>
#include <libelf.h>

enum { EM_OF_CUDA = 190, OSABI_NEW = 0x41 };

// Attributes of .nv.info: one byte of format, one of code, then a half word that is the value or,
// for the sized format, the length of what follows.
enum { FORMAT_NONE = 1, FORMAT_BYTE = 2, FORMAT_HALF = 3, FORMAT_SIZED = 4 };
enum {
    ATTR_MAX_THREADS = 0x05,
    ATTR_PARAM_CBANK = 0x0a,
    ATTR_FRAME_SIZE = 0x11,
    ATTR_MIN_STACK_SIZE = 0x12,
    ATTR_KPARAM_INFO = 0x17,
    ATTR_CBANK_PARAM_SIZE = 0x19,
    ATTR_EXIT_OFFSETS = 0x1c,
    ATTR_REGCOUNT = 0x2f,
    ATTR_NUM_BARRIERS = 0x4c
};

bool cubin_is(const void *image, size_t bytes) {
    const uint8_t *b = image;
    return bytes >= 20 && memcmp(b, "\177ELF", 4) == 0 && b[4] == 2 && b[5] == 1 &&
           (b[18] | b[19] << 8) == EM_OF_CUDA;
}

static uint32_t word_at(const uint8_t *p) {
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static uint32_t half_at(const uint8_t *p) { return (uint32_t)p[0] | (uint32_t)p[1] << 8; }

struct reader {
    struct arena *a;
    struct cubin *out;
    Elf *elf;
    const uint8_t *image;
    size_t bytes;
    const char *file;
    struct diags *d;
    const GElf_Shdr *section; // all of them
    const char **section_name;
    size_t n;
};

static enum ww_status broken(const struct reader *r, const char *what) {
    return diag_add(r->d, WW_ERROR_SYNTAX, "%s is no cubin that can be read: %s", r->file, what);
}

// The content of a section; false when it lies outside the file.
static bool content(const struct reader *r, size_t i, const uint8_t **at, size_t *size) {
    const GElf_Shdr *s = &r->section[i];
    if (s->sh_type == SHT_NOBITS || s->sh_offset > r->bytes || s->sh_size > r->bytes - s->sh_offset)
        return false;
    *at = r->image + s->sh_offset;
    *size = (size_t)s->sh_size;
    return true;
}

static struct cubin_kernel *kernel_named(struct cubin *c, const char *name) {
    for (uint32_t i = 0; i < c->kernel.n; i++)
        if (strcmp(c->kernel.at[i].name, name) == 0) return &c->kernel.at[i];
    return NULL;
}

// What one attribute of a kernel says.
static void attribute(struct reader *r, struct cubin_kernel *k, uint32_t code, uint32_t half,
                      const uint8_t *p, uint32_t size) {
    switch (code) {
    case ATTR_MAX_THREADS:
        if (size >= 12)
            for (uint32_t i = 0; i < 3; i++) k->max_threads[i] = word_at(p + 4 * i);
        break;
    case ATTR_PARAM_CBANK:
        if (size >= 8) k->parameter_at = half_at(p + 4);
        break;
    case ATTR_CBANK_PARAM_SIZE: k->parameter_bytes = half; break;
    case ATTR_NUM_BARRIERS: k->barriers = half & 0xff; break;
    case ATTR_KPARAM_INFO:
        if (size >= 12) {
            const uint32_t ordinal = half_at(p + 4);
            while (k->parameter.n <= ordinal && ordinal < 4096)
                vec_push(r->a, &k->parameter, ((struct cubin_parameter){0}));
            if (ordinal < k->parameter.n)
                k->parameter.at[ordinal] =
                    (struct cubin_parameter){half_at(p + 6), word_at(p + 8) >> 18};
        }
        break;
    case ATTR_EXIT_OFFSETS:
        for (uint32_t i = 0; i + 4 <= size; i += 4) vec_push(r->a, &k->exit, word_at(p + i));
        break;
    default: break; // hints that only a driver needs
    }
}

// Attributes of the file: pairs of a function's symbol and a value.
static void file_attribute(struct reader *r, size_t symbols, uint32_t code, const uint8_t *p,
                           uint32_t size) {
    if (size < 8 ||
        (code != ATTR_REGCOUNT && code != ATTR_FRAME_SIZE && code != ATTR_MIN_STACK_SIZE))
        return;
    const uint8_t *table;
    size_t bytes;
    if (!content(r, symbols, &table, &bytes)) return;
    const uint64_t at = (uint64_t)word_at(p) * 24; // an Elf64_Sym
    if (at + 24 > bytes) return;
    const char *name = elf_strptr(r->elf, r->section[symbols].sh_link, word_at(table + at));
    struct cubin_kernel *k = name ? kernel_named(r->out, name) : NULL;
    if (!k) return;
    const uint32_t value = word_at(p + 4);
    if (code == ATTR_REGCOUNT)
        k->registers = value;
    else if (value != UINT32_MAX) // the stack of recursive code has no size
        k->local_bytes = code == ATTR_MIN_STACK_SIZE ? (uint32_t)max64(k->local_bytes, value)
                                                     : k->local_bytes + value;
}

static enum ww_status attributes(struct reader *r, size_t i, size_t symbols,
                                 struct cubin_kernel *k) {
    const uint8_t *p;
    size_t size;
    if (!content(r, i, &p, &size)) return broken(r, "attributes lie outside the file");
    for (size_t at = 0; at + 4 <= size;) {
        const uint32_t format = p[at], code = p[at + 1], half = half_at(p + at + 2);
        at += 4;
        const uint32_t more = format == FORMAT_SIZED ? half : 0;
        if (format < FORMAT_NONE || format > FORMAT_SIZED || more > size - at)
            return broken(r, "an attribute is cut off or has no known format");
        if (k)
            attribute(r, k, code, half, p + at, more);
        else if (symbols)
            file_attribute(r, symbols, code, p + at, more);
        at += more;
    }
    return WW_OK;
}

static bool starts(const char *s, const char *prefix) {
    return strncmp(s, prefix, strlen(prefix)) == 0;
}

static enum ww_status kernel_of(struct reader *r, size_t i) {
    const uint8_t *code;
    size_t size;
    if (!content(r, i, &code, &size)) return broken(r, "code lies outside the file");
    if (size % 16 || size / 16 > UINT32_MAX)
        return broken(r, "a section of code is no whole number of 16-byte words");
    struct cubin_kernel k = {.name = arena_strdup(r->a, r->section_name[i] + 6),
                             .code = code,
                             .words = (uint32_t)(size / 16),
                             // Registers and barriers stand in the section's header, too.
                             .registers = (uint32_t)(r->section[i].sh_info >> 24),
                             .barriers = (uint32_t)(r->section[i].sh_flags >> 20 & 0x7f)};
    vec_push(r->a, &r->out->kernel, k);
    return WW_OK;
}

static bool fits(size_t bytes, uint64_t at, uint64_t n, uint64_t size) {
    return at <= bytes && n * size <= bytes - at;
}

static enum ww_status sections(struct reader *r) {
    size_t names;
    if (elf_getshdrnum(r->elf, &r->n) || elf_getshdrstrndx(r->elf, &names))
        return broken(r, "its table of sections is damaged");
    GElf_Shdr *header = arena_alloc(r->a, r->n * sizeof *header);
    r->section_name = arena_alloc(r->a, r->n * sizeof *r->section_name);
    size_t symbols = 0;
    for (size_t i = 1; i < r->n; i++) {
        Elf_Scn *s = elf_getscn(r->elf, i);
        if (!s || !gelf_getshdr(s, &header[i])) return broken(r, "a section is damaged");
        const char *name = elf_strptr(r->elf, names, header[i].sh_name);
        if (!name) return broken(r, "a section has no name");
        if (header[i].sh_type != SHT_NOBITS && header[i].sh_type != SHT_NULL &&
            !fits(r->bytes, header[i].sh_offset, header[i].sh_size, 1))
            return broken(r, "a section lies outside the file");
        r->section_name[i] = name;
        if (header[i].sh_type == SHT_SYMTAB) symbols = i;
    }
    r->section = header;
    enum ww_status s = WW_OK;
    for (size_t i = 1; i < r->n && s == WW_OK; i++)
        if (header[i].sh_type == SHT_PROGBITS && starts(r->section_name[i], ".text."))
            s = kernel_of(r, i);
    for (size_t i = 1; i < r->n && s == WW_OK; i++) {
        const char *name = r->section_name[i];
        if (strcmp(name, ".nv.info") == 0) s = attributes(r, i, symbols, NULL);
        struct cubin_kernel *k = NULL;
        if (starts(name, ".nv.info.") && (k = kernel_named(r->out, name + 9))) {
            k->is_entry = true;
            s = attributes(r, i, symbols, k);
        }
        if (starts(name, ".nv.shared.") && (k = kernel_named(r->out, name + 11)))
            k->shared_bytes = (uint32_t)min64(header[i].sh_size, UINT32_MAX);
    }
    return s;
}

enum ww_status cubin_read(struct arena *a, const void *image, size_t bytes, const char *name,
                          struct diags *d, struct cubin *out) {
    *out = (struct cubin){.name = name};
    struct reader r = {.a = a, .out = out, .image = image, .bytes = bytes, .file = name, .d = d};
    if (!cubin_is(image, bytes)) return broken(&r, "it is no ELF file of CUDA machine code");
    elf_version(EV_CURRENT);
    // libelf writes nothing into the image, though its type does not say so.
    r.elf = elf_memory((char *)(uintptr_t)image, bytes);
    if (!r.elf) return broken(&r, elf_errmsg(-1));
    GElf_Ehdr header;
    enum ww_status s = gelf_getehdr(r.elf, &header) ? WW_OK : broken(&r, "its header is damaged");
    if (s == WW_OK && (!header.e_shnum || !fits(bytes, header.e_shoff, header.e_shnum, 64) ||
                       !fits(bytes, header.e_phoff, header.e_phnum, 56)))
        s = broken(&r, "it is cut off, or has no sections");
    if (s == WW_OK) {
        // From ABI 8 on the architecture has two bytes, one place higher.
        const bool later = header.e_ident[EI_OSABI] == OSABI_NEW;
        out->arch = later ? header.e_flags >> 8 & 0xffff : header.e_flags & 0xff;
        out->gen = sass_gen(out->arch);
        s = sections(&r);
    }
    elf_end(r.elf);
    return s;
}

struct sass_word cubin_word(const struct cubin_kernel *k, uint32_t i) {
    const uint8_t *p = k->code + (size_t)i * 16;
    return (struct sass_word){word_at(p) | (uint64_t)word_at(p + 4) << 32,
                              word_at(p + 8) | (uint64_t)word_at(p + 12) << 32};
}

uint32_t cubin_disassemble(const struct cubin *c, const struct cubin_kernel *k, FILE *out) {
    uint32_t unknown = 0;
    for (uint32_t i = 0; i < k->words; i++) {
        char text[SASS_TEXT_SIZE], control[SASS_CONTROL_SIZE];
        const struct sass_word w = cubin_word(k, i);
        unknown += sass_text(w, (uint64_t)i * 16, c->gen, text) != SASS_KNOWN;
        const struct sass_control how = sass_control(w);
        sass_print_control(&how, control);
        const size_t n = strlen(text);
        fprintf(out, "    /*%04x*/  %s%*s;  // %s\n", i * 16, text, n < 52 ? (int)(52 - n) : 1, "",
                control);
    }
    return unknown;
}
