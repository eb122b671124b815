// Reading cubins: sections, symbols, relocations, the attributes of .nv.info, notes, and a kernel's
// words as text.
#include "sass/cubin.h"

#include <gelf.h>
#include <inttypes.h>
#include <libelf.h>

enum {
    EM_OF_CUDA = 190,
    OSABI_NEW = 0x41,
    SHT_CALLGRAPH = 0x70000001,
    // Of files that are to be linked: no bytes of the file belong to them.
    SHT_GLOBAL = 0x70000007,
    SHT_SHARED = 0x7000000a
};
enum { SYMBOL_BYTES = 24, RELA_BYTES = 24, REL_BYTES = 16, MOST_PARAMETERS = 4096 };
enum { MOST_REGISTERS = 255 }; // of a thread: the 256th is RZ

// Attributes of .nv.info: one byte of format, one of code, then a half word that is the value or,
// for the sized format, the length of what follows.
enum { FORMAT_NONE = 1, FORMAT_BYTE = 2, FORMAT_HALF = 3, FORMAT_SIZED = 4 };
enum {
    ATTR_MAX_THREADS = 0x05,
    ATTR_PARAM_CBANK = 0x0a,
    ATTR_REQNTID = 0x10,
    ATTR_FRAME_SIZE = 0x11,
    ATTR_MIN_STACK_SIZE = 0x12,
    ATTR_KPARAM_INFO = 0x17,
    ATTR_KPARAM_INFO_V2 = 0x45,
    ATTR_CBANK_PARAM_SIZE = 0x19,
    ATTR_MAXREG_COUNT = 0x1b,
    ATTR_EXIT_OFFSETS = 0x1c,
    ATTR_REGCOUNT = 0x2f,
    ATTR_CUDA_API_VERSION = 0x37,
    ATTR_CTA_PER_CLUSTER = 0x3d,
    ATTR_EXPLICIT_CLUSTER = 0x3e,
    ATTR_MAX_CLUSTER_RANK = 0x3f,
    ATTR_SYSCALL_OFFSETS = 0x46,
    ATTR_NUM_BARRIERS = 0x4c
};

bool cubin_is(const void *image, size_t bytes) {
    const uint8_t *b = image;
    return bytes >= 20 && memcmp(b, "\177ELF", 4) == 0 && b[4] == 2 && b[5] == 1 &&
           (b[18] | b[19] << 8) == EM_OF_CUDA;
}

const char *cubin_attribute_name(uint32_t code) {
    static const char *const name[256] = {
#define ATTRIBUTE(c, text, prose) [c] = text,
#include "sass/attribute.def"
#undef ATTRIBUTE
    };
    return code < 256 ? name[code] : NULL;
}

static uint32_t half_at(const uint8_t *p) { return (uint32_t)p[0] | (uint32_t)p[1] << 8; }
static uint32_t word_at(const uint8_t *p) { return half_at(p) | half_at(p + 2) << 16; }
static uint64_t double_at(const uint8_t *p) { return word_at(p) | (uint64_t)word_at(p + 4) << 32; }

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
    size_t n, symbols;
    struct names kernel; // their numbers, by name
    uint32_t *code;      // 1 + the kernel whose code a section is; 0: none
};

static enum ww_status broken(const struct reader *r, const char *what) {
    return diag_add(r->d, WW_ERROR_SYNTAX, "%s is no cubin that can be read: %s", r->file, what);
}

static bool has_bytes(const GElf_Shdr *s) {
    return s->sh_type != SHT_NOBITS && s->sh_type != SHT_NULL && s->sh_type != SHT_GLOBAL &&
           s->sh_type != SHT_SHARED;
}

// The content of a section; false when it lies outside the file, or in none.
static bool content(const struct reader *r, size_t i, const uint8_t **at, size_t *size) {
    const GElf_Shdr *s = &r->section[i];
    if (!has_bytes(s) || s->sh_offset > r->bytes || s->sh_size > r->bytes - s->sh_offset)
        return false;
    *at = r->image + s->sh_offset;
    *size = (size_t)s->sh_size;
    return true;
}

static struct cubin_kernel *kernel_named(struct reader *r, const char *name) {
    const int32_t i = names_get(&r->kernel, name, strlen(name));
    return i < 0 ? NULL : &r->out->kernel.at[i];
}
// The kernel whose code a section is; NULL: none.
static struct cubin_kernel *kernel_of_section(struct reader *r, uint64_t section) {
    const uint32_t k = section < r->n ? r->code[section] : 0;
    return k ? &r->out->kernel.at[k - 1] : NULL;
}
// The kernel that section `i` belongs to: the one whose code its header names, else the one whose name
// its own ends with. Functions of two linked units may share a name.
static struct cubin_kernel *kernel_of(struct reader *r, size_t i, const char *name) {
    struct cubin_kernel *k = kernel_of_section(r, r->section[i].sh_info);
    return k && strcmp(k->name, name) == 0 ? k : kernel_named(r, name);
}

// ---- attributes
// -----------------------------------------------------------------------------------
static void parameter(struct reader *r, struct cubin_kernel *k, const uint8_t *p, uint32_t bytes) {
    const uint32_t ordinal = half_at(p + 4);
    while (k->parameter.n <= ordinal && ordinal < MOST_PARAMETERS)
        vec_push(r->a, &k->parameter, ((struct cubin_parameter){0}));
    if (ordinal < k->parameter.n)
        k->parameter.at[ordinal] = (struct cubin_parameter){half_at(p + 6), bytes};
}

static void three(uint32_t *out, const uint8_t *p, uint32_t size) {
    for (uint32_t i = 0; i < 3 && size >= 12; i++) out[i] = word_at(p + 4 * i);
}

// What one attribute of a kernel says.
static void attribute(struct reader *r, struct cubin_kernel *k, const struct cubin_attribute *t) {
    const uint8_t *p = t->data;
    const uint32_t size = t->bytes;
    switch (t->code) {
    case ATTR_MAX_THREADS: three(k->max_threads, p, size); break;
    case ATTR_REQNTID: three(k->required_threads, p, size); break;
    case ATTR_CTA_PER_CLUSTER: three(k->cluster, p, size); break;
    case ATTR_EXPLICIT_CLUSTER: k->is_explicit_cluster = true; break;
    case ATTR_MAX_CLUSTER_RANK:
        if (size >= 4) k->max_cluster = word_at(p);
        break;
    case ATTR_PARAM_CBANK:
        if (size >= 8) k->parameter_at = half_at(p + 4);
        break;
    case ATTR_CBANK_PARAM_SIZE: k->parameter_bytes = t->value; break;
    case ATTR_MAXREG_COUNT: k->max_registers = t->value; break;
    case ATTR_NUM_BARRIERS: k->barriers = t->value & 0xff; break;
    case ATTR_CUDA_API_VERSION:
        if (size >= 4) k->toolkit = word_at(p);
        break;
    case ATTR_KPARAM_INFO:
        if (size >= 12) parameter(r, k, p, word_at(p + 8) >> 18);
        break;
    case ATTR_KPARAM_INFO_V2: // of kernels with more than 4,096 bytes of them
        if (size >= 12) parameter(r, k, p, half_at(p + 8));
        break;
    case ATTR_EXIT_OFFSETS:
        for (uint32_t i = 0; i + 4 <= size; i += 4) vec_push(r->a, &k->exit, word_at(p + i));
        break;
    case ATTR_SYSCALL_OFFSETS:
        for (uint32_t i = 0; i + 4 <= size; i += 4) vec_push(r->a, &k->system_call, word_at(p + i));
        break;
    default: break; // hints that only a driver needs
    }
}

// Attributes of the file: pairs of a function's symbol and a value.
static enum ww_status file_attribute(struct reader *r, const struct cubin_attribute *t) {
    if (t->bytes < 8) return WW_OK;
    const uint32_t symbol = word_at(t->data), value = word_at(t->data + 4);
    if (symbol >= r->out->symbol.n) return WW_OK;
    const struct cubin_symbol *of = &r->out->symbol.at[symbol];
    struct cubin_kernel *k = kernel_of_section(r, of->section);
    if (k && strcmp(k->name, of->name) != 0) {
        if (t->code == ATTR_FRAME_SIZE) k->inner_bytes = (uint32_t)max64(k->inner_bytes, value);
        return WW_OK;
    }
    if (!k) k = kernel_named(r, of->name);
    if (!k) return WW_OK;
    if (t->code == ATTR_REGCOUNT && value > MOST_REGISTERS)
        return diag_add(r->d, WW_ERROR_SYNTAX,
                        "%s is no cubin that can be read: kernel %s has %u registers; a thread has "
                        "at most %u",
                        r->file, k->name, value, MOST_REGISTERS);
    if (t->code == ATTR_REGCOUNT) k->registers = value;
    if (t->code != ATTR_FRAME_SIZE && t->code != ATTR_MIN_STACK_SIZE) return WW_OK;
    // The stack of recursive code has no size. The others count a function's own frame.
    if (value == UINT32_MAX)
        k->recurses = true;
    else
        k->local_bytes = (uint32_t)max64(k->local_bytes, value);
    return WW_OK;
}

static enum ww_status attributes(struct reader *r, size_t i, struct cubin_kernel *k) {
    const uint8_t *p;
    size_t size;
    if (!content(r, i, &p, &size)) return broken(r, "attributes lie outside the file");
    for (size_t at = 0; at + 4 <= size;) {
        struct cubin_attribute t = {.code = p[at + 1], .value = half_at(p + at + 2)};
        const uint32_t format = p[at];
        at += 4;
        t.bytes = format == FORMAT_SIZED ? t.value : 0;
        t.data = p + at;
        if (format < FORMAT_NONE || format > FORMAT_SIZED || t.bytes > size - at)
            return broken(r, "an attribute is cut off or has no known format");
        at += t.bytes;
        if (!k) {
            const enum ww_status s = file_attribute(r, &t);
            if (s != WW_OK) return s;
            continue;
        }
        vec_push(r->a, &k->attribute, t);
        attribute(r, k, &t);
    }
    return WW_OK;
}

// A string of a section of strings, which stays where it is; NULL when it has no end.
static const char *string_of(const struct reader *r, size_t section, uint32_t at) {
    const uint8_t *p;
    size_t size;
    if (!section || section >= r->n || !content(r, section, &p, &size) || at >= size) return NULL;
    return memchr(p + at, 0, size - at) ? (const char *)p + at : NULL;
}

// ---- symbols, relocations
// -------------------------------------------------------------------------
enum { OBJECT_TO_LINK = 13, OTHER_ENTRY = 0x10, OTHER_SHARED = 2 /* bits 5 to 7: the space */ };
static enum cubin_symbol_kind symbol_kind(uint32_t type) {
    if (type == OBJECT_TO_LINK) return CUBIN_OBJECT;
    const bool is_known =
        type <= CUBIN_SECTION || (type >= CUBIN_TEXTURE && type <= CUBIN_SURFACE);
    return is_known ? (enum cubin_symbol_kind)type : CUBIN_NOTYPE;
}

static enum ww_status symbols(struct reader *r) {
    const uint8_t *p;
    size_t size;
    if (!r->symbols) return WW_OK;
    if (!content(r, r->symbols, &p, &size)) return broken(r, "its symbols lie outside the file");
    const size_t strings = r->section[r->symbols].sh_link;
    for (size_t at = 0; at + SYMBOL_BYTES <= size; at += SYMBOL_BYTES) {
        const char *name = string_of(r, strings, word_at(p + at));
        if (!name) return broken(r, "a symbol has no name");
        const uint32_t kind = p[at + 4] & 15;
        struct cubin_symbol s = {.name = name,
                                 .kind = symbol_kind(kind),
                                 .global = p[at + 4] >> 4 != STB_LOCAL,
                                 .entry = kind == STT_FUNC && (p[at + 5] & OTHER_ENTRY),
                                 .shared = kind == OBJECT_TO_LINK && p[at + 5] >> 5 == OTHER_SHARED,
                                 .section = half_at(p + at + 6),
                                 .value = double_at(p + at + 8),
                                 .bytes = double_at(p + at + 16)};
        if (s.section >= r->n) s.section = 0;
        vec_push(r->a, &r->out->symbol, s);
    }
    return WW_OK;
}

static enum ww_status relocate(struct reader *r, size_t i, struct cubin_relocations *out,
                               uint64_t bytes) {
    const uint8_t *p;
    size_t size;
    const bool with_addend = r->section[i].sh_type == SHT_RELA;
    const size_t step = with_addend ? RELA_BYTES : REL_BYTES;
    if (!content(r, i, &p, &size)) return broken(r, "relocations lie outside the file");
    for (size_t at = 0; at + step <= size; at += step) {
        const uint64_t offset = double_at(p + at);
        struct cubin_relocation l = {.offset = (uint32_t)offset,
                                     .type = word_at(p + at + 8),
                                     .symbol = word_at(p + at + 12),
                                     .addend = with_addend ? (int64_t)double_at(p + at + 16) : 0};
        if (offset >= bytes || l.symbol >= r->out->symbol.n)
            return broken(r, "a relocation names a place or a symbol that is not there");
        vec_push(r->a, out, l);
    }
    return WW_OK;
}

// ---- sections
// -------------------------------------------------------------------------------------
static bool starts(const char *s, const char *prefix) {
    return strncmp(s, prefix, strlen(prefix)) == 0;
}

static enum ww_status code_of(struct reader *r, size_t i) {
    const uint8_t *code;
    size_t size;
    if (!content(r, i, &code, &size)) return broken(r, "code lies outside the file");
    if (size % 16 || size / 16 > UINT32_MAX / 16)
        return broken(r, "a section of code is no whole number of 16-byte words");
    struct cubin_kernel k = {.name = arena_strdup(r->a, r->section_name[i] + 6),
                             .code = code,
                             .words = (uint32_t)(size / 16),
                             .section = (uint32_t)i,
                             // Registers and barriers stand in the section's header, too.
                             .registers = (uint32_t)(r->section[i].sh_info >> 24),
                             .barriers = (uint32_t)(r->section[i].sh_flags >> 20 & 0x7f)};
    names_put(&r->kernel, k.name, strlen(k.name), (int32_t)r->out->kernel.n);
    vec_push(r->a, &r->out->kernel, k);
    r->code[i] = r->out->kernel.n;
    return WW_OK;
}

static enum ww_status data_of(struct reader *r, size_t i, struct cubin_data *out) {
    const GElf_Shdr *s = &r->section[i];
    size_t size = 0;
    *out = (struct cubin_data){.section = (uint32_t)i, .align = (uint32_t)s->sh_addralign};
    if (has_bytes(s) && !content(r, i, &out->data, &size))
        return broken(r, "data lie outside the file");
    if (s->sh_size > UINT32_MAX) return broken(r, "a section is larger than 4 GB");
    out->bytes = (uint32_t)s->sh_size;
    return WW_OK;
}

// A bank of constants: of the module (.nv.constant3), or of a kernel (.nv.constant0.NAME).
static enum ww_status constant_of(struct reader *r, size_t i) {
    struct cubin_data c;
    enum ww_status s = data_of(r, i, &c);
    if (s != WW_OK) return s;
    const char *p = r->section_name[i] + strlen(".nv.constant");
    while (*p >= '0' && *p <= '9' && c.bank < 100) c.bank = c.bank * 10 + (uint32_t)(*p++ - '0');
    struct cubin_kernel *k = *p == '.' ? kernel_of(r, i, p + 1) : NULL;
    if (k)
        vec_push(r->a, &k->constant, c);
    else
        vec_push(r->a, &r->out->constant, c);
    return WW_OK;
}

static enum ww_status call_graph(struct reader *r, size_t i) {
    const uint8_t *p;
    size_t size;
    if (!content(r, i, &p, &size)) return broken(r, "its call graph lies outside the file");
    for (size_t at = 0; at + 8 <= size; at += 8) {
        const struct cubin_call c = {word_at(p + at), word_at(p + at + 4)};
        // Pairs of no symbol are marks of the vendor's linker.
        if (c.caller < r->out->symbol.n && c.callee < r->out->symbol.n)
            vec_push(r->a, &r->out->call, c);
    }
    return WW_OK;
}

// Strings of a note: a version, a name, and four offsets into the text behind them.
static void tool_note(struct reader *r, size_t i) {
    const uint8_t *p;
    size_t size;
    enum { HEADER = 12 + 12, OFFSETS = HEADER + 8, TEXT = OFFSETS + 16 };
    if (!content(r, i, &p, &size) || size <= TEXT || word_at(p) != 12) return;
    const char **out[] = {&r->out->tool, &r->out->version, &r->out->build, &r->out->options};
    for (uint32_t f = 0; f < WW_COUNT(out); f++) {
        const uint32_t at = word_at(p + OFFSETS + 4 * f);
        const uint8_t *s = p + TEXT + min64(at, size - TEXT);
        if (at < size - TEXT && memchr(s, 0, (size_t)(p + size - s)))
            *out[f] = text_printable(r->a, (const char *)s, false);
    }
}

// Sections whose names say all.
static enum ww_status named_section(struct reader *r, size_t i) {
    const char *name = r->section_name[i];
    struct cubin *c = r->out;
    const struct {
        const char *name;
        struct cubin_data *out;
    } whole[] = {{".nv.global.init", &c->initialised},
                 {".nv.global", &c->zeroed},
                 {".debug_line", &c->line_ptx},
                 {".nv_debug_line_sass", &c->line_sass},
                 {".debug_str", &c->strings}};
    for (uint32_t k = 0; k < WW_COUNT(whole); k++)
        if (strcmp(name, whole[k].name) == 0) return data_of(r, i, whole[k].out);
    struct cubin_kernel *k = NULL;
    if (strcmp(name, ".nv.info") == 0) return attributes(r, i, NULL);
    if (starts(name, ".nv.info.") && (k = kernel_of(r, i, name + 9))) return attributes(r, i, k);
    if (starts(name, ".nv.constant")) return constant_of(r, i);
    if (starts(name, ".nv.shared.") && (k = kernel_of(r, i, name + 11))) {
        k->shared_bytes = (uint32_t)min64(r->section[i].sh_size, UINT32_MAX);
        k->shared_section = (uint32_t)i;
    }
    if (strcmp(name, ".nv.callgraph") == 0) return call_graph(r, i);
    if (strcmp(name, ".note.nv.tkinfo") == 0) tool_note(r, i);
    return WW_OK;
}

// The list that relocations of a section belong to, and the section's size; NULL: of no use.
static struct cubin_relocations *target_of(struct reader *r, size_t section, uint64_t *bytes) {
    struct cubin *c = r->out;
    *bytes = section && section < r->n ? r->section[section].sh_size : 0;
    for (uint32_t i = 0; *bytes && i < c->constant.n; i++)
        if (c->constant.at[i].section == section) return &c->constant.at[i].relocation;
    struct cubin_data *const whole[] = {&c->initialised, &c->line_ptx, &c->line_sass};
    for (uint32_t i = 0; *bytes && i < WW_COUNT(whole); i++)
        if (whole[i]->section == section) return &whole[i]->relocation;
    const char *name = *bytes ? r->section_name[section] : "";
    struct cubin_kernel *k = kernel_of_section(r, section);
    if (k) return &k->relocation;
    const char *dot = starts(name, ".nv.constant") ? strchr(name + 12, '.') : NULL;
    k = dot ? kernel_of(r, section, dot + 1) : NULL;
    for (uint32_t i = 0; k && i < k->constant.n; i++)
        if (k->constant.at[i].section == section) return &k->constant.at[i].relocation;
    return NULL;
}

static enum ww_status relocation_section(struct reader *r, size_t i) {
    const GElf_Shdr *s = &r->section[i];
    if (s->sh_type != SHT_RELA && s->sh_type != SHT_REL) return WW_OK;
    uint64_t bytes;
    struct cubin_relocations *out = target_of(r, s->sh_info, &bytes);
    return out ? relocate(r, i, out, bytes) : WW_OK;
}

static bool fits(size_t bytes, uint64_t at, uint64_t n, uint64_t size) {
    return at <= bytes && n * size <= bytes - at;
}

// A kernel's symbol says that it is one.
static void find_entries(struct reader *r) {
    for (uint32_t i = 0; i < r->out->symbol.n; i++) {
        const struct cubin_symbol *s = &r->out->symbol.at[i];
        struct cubin_kernel *k = s->entry ? kernel_of_section(r, s->section) : NULL;
        if (k && strcmp(k->name, s->name) == 0) k->is_entry = true;
    }
}

static enum ww_status headers(struct reader *r) {
    size_t names;
    if (elf_getshdrnum(r->elf, &r->n) || elf_getshdrstrndx(r->elf, &names))
        return broken(r, "its table of sections is damaged");
    GElf_Shdr *header = arena_alloc(r->a, r->n * sizeof *header);
    r->section_name = arena_alloc(r->a, r->n * sizeof *r->section_name);
    r->code = arena_alloc(r->a, r->n * sizeof *r->code);
    for (size_t i = 1; i < r->n; i++) {
        Elf_Scn *s = elf_getscn(r->elf, i);
        if (!s || !gelf_getshdr(s, &header[i])) return broken(r, "a section is damaged");
        const char *name = elf_strptr(r->elf, names, header[i].sh_name);
        if (!name) return broken(r, "a section has no name");
        if (has_bytes(&header[i]) &&
            !fits(r->bytes, header[i].sh_offset, header[i].sh_size, 1))
            return broken(r, "a section lies outside the file");
        r->section_name[i] = name;
        if (header[i].sh_type == SHT_SYMTAB) r->symbols = i;
    }
    r->section = header;
    return WW_OK;
}

static enum ww_status sections(struct reader *r) {
    enum ww_status s = headers(r);
    if (s == WW_OK) s = symbols(r);
    for (size_t i = 1; s == WW_OK && i < r->n; i++)
        if (r->section[i].sh_type == SHT_PROGBITS && starts(r->section_name[i], ".text."))
            s = code_of(r, i);
    if (s == WW_OK) find_entries(r);
    for (size_t i = 1; s == WW_OK && i < r->n; i++) s = named_section(r, i);
    for (size_t i = 1; s == WW_OK && i < r->n; i++) s = relocation_section(r, i);
    return s;
}

enum ww_status cubin_read(struct arena *a, const void *image, size_t bytes, const char *name,
                          struct diags *d, struct cubin *out) {
    *out = (struct cubin){.name = name};
    struct reader r = {.a = a, .out = out, .image = image, .bytes = bytes, .file = name, .d = d};
    if (!cubin_is(image, bytes)) return broken(&r, "it is no ELF file of CUDA machine code");
    names_init(&r.kernel, a);
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
        out->is_unit = header.e_type == ET_REL;
        s = sections(&r);
    }
    elf_end(r.elf);
    return s;
}

// ---- words
// ----------------------------------------------------------------------------------------
struct sass_word cubin_word(const struct cubin_kernel *k, uint32_t i) {
    const uint8_t *p = k->code + (size_t)i * 16;
    return (struct sass_word){double_at(p), double_at(p + 8)};
}

static void print_line(const struct cubin_lines *lines, const struct cubin_line *l, FILE *out) {
    fprintf(out, "    // %s:%u", lines->file.at[l->file], l->line);
    // A line that was inlined names its callers, the nearest one first; more than a few say
    // nothing.
    for (uint32_t depth = 0; l->caller && depth < 16; depth++) {
        if (l->function) fprintf(out, " in %s", l->function);
        l = &lines->line.at[l->caller - 1];
        fprintf(out, ", inlined at %s:%u", lines->file.at[l->file], l->line);
    }
    fputc('\n', out);
}

uint32_t cubin_disassemble(const struct cubin *c, const struct cubin_kernel *k,
                           const struct cubin_lines *lines, FILE *out) {
    uint32_t unknown = 0, next = 0;
    for (uint32_t i = 0; i < k->words; i++) {
        const struct cubin_line *l = NULL;
        for (; lines && next < lines->line.n && lines->line.at[next].offset <= i * 16; next++)
            l = &lines->line.at[next];
        if (l) print_line(lines, l, out);
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
