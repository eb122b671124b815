// Several units of machine code as one ELF file. Three passes: which definition of each name counts,
// which sections and symbols of each unit stay and where they come to lie, then the bytes. A
// section is copied, or, of those that a module has one of (variables, constant bank 3, attributes of
// the file, calls, line tables), appended to those of the units before. Layout of the file: ELF-64
// Object File Format 1.5; of the vendor's sections: cubin.c.
#include "sass/join.h"

#include <elf.h>

#include "sass/cubin.h"

enum {
    CUDA_INFO = 0x70000000,
    CUDA_CALLS = 0x70000001,
    CUDA_GLOBAL = 0x70000007,
    CUDA_SHARED = 0x7000000a
};
enum { NONE = 0, SECTION_ALIGN_MOST = 4096 };

// What becomes of a section, by its name; a name that ends with '.' begins others.
enum fate { DROP, COPY, APPEND, FIRST };
static const struct {
    const char *name;
    enum fate fate;
} fates[] = {{".text.", COPY},
             {".nv.info.", COPY},
             {".nv.constant3", APPEND}, // before the banks of kernels
             {".nv.constant", COPY},
             {".nv.shared.", COPY},
             {".nv_debug.shared", COPY}, // shared variables of functions
             {".nv.global.init", APPEND},
             {".nv.global", APPEND},
             {".nv.info", APPEND},
             {".nv.callgraph", APPEND},
             {".debug_line", APPEND},
             {".nv_debug_line_sass", APPEND},
             {".note.nv.tkinfo", FIRST},
             {".rel", DROP}, // written anew with what they belong to
             {".shstrtab", DROP},
             {".strtab", DROP},
             {".symtab", DROP},
             {".debug_", DROP},
             {".nv_debug", DROP},
             {".note.", DROP},
             {".nv.prototype", DROP},
             {".nv.rel.action", DROP},
             {".nv.compat", DROP},
             {".nv.", DROP}}; // what has bytes in memory is refused before

struct unit {
    const char *name;
    const uint8_t *image;
    size_t bytes;
    struct cubin cubin;
    const Elf64_Shdr *section;
    const char *section_names;
    uint32_t n;
    uint32_t *to;     // number of each section in the result; NONE: it is left out
    uint64_t *at;     // where it begins there
    uint32_t *symbol; // number of each symbol in the result
    bool is_on_demand;
};

struct bytes {
    uint8_t *at;
    uint32_t n, cap;
};
struct part { // a section of the result
    const char *name;
    Elf64_Shdr header;
    struct bytes data;
    struct bytes relocations; // Elf64_Rela
};
struct definition {
    uint32_t unit, symbol;
};
struct join {
    struct arena *a;
    struct diags *d;
    struct unit *unit;
    uint32_t n;
    VEC(struct part) part; // part.at[0] is nothing
    struct names appended; // sections that are one for all units
    VEC(Elf64_Sym) symbol;
    struct bytes strings;
    uint32_t locals;
    struct names defined; // by name: which of `definition`
    VEC(struct definition) definition;
};

static enum ww_status refuse(const struct join *j, const struct unit *u, const char *fmt, ...)
    WW_PRINTF(3, 4);
static enum ww_status refuse(const struct join *j, const struct unit *u, const char *fmt, ...) {
    char text[384];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    return diag_add(j->d, WW_ERROR_UNSUPPORTED, "%s cannot be linked: %s", u->name, text);
}

static void put(struct arena *a, struct bytes *b, const void *from, size_t n) {
    for (size_t i = 0; i < n; i++) vec_push(a, b, ((const uint8_t *)from)[i]);
}
static void align(struct arena *a, struct bytes *b, uint64_t to) {
    while (to > 1 && b->n % to) vec_push(a, b, (uint8_t)0);
}
static uint32_t string(struct join *j, struct bytes *b, const char *text) {
    const uint32_t at = b->n;
    put(j->a, b, text, strlen(text) + 1);
    return at;
}

// ---- units --------------------------------------------------------------------------------------
static const char *section_name(const struct unit *u, uint32_t i) {
    return u->section_names + u->section[i].sh_name;
}
static bool has_bytes(const Elf64_Shdr *s) {
    return s->sh_type != SHT_NOBITS && s->sh_type != CUDA_GLOBAL && s->sh_type != CUDA_SHARED;
}

// The reader has looked at all headers and names; only a copy is at an aligned place.
static enum ww_status read_unit(struct join *j, struct unit *u) {
    Elf64_Ehdr header;
    const enum ww_status s = cubin_read(j->a, u->image, u->bytes, u->name, j->d, &u->cubin);
    if (s != WW_OK) return s;
    memcpy(&header, u->image, sizeof header);
    if (!u->cubin.is_unit)
        return refuse(j, u,
                      "a linker has made a whole of it; ptxas -c or nvcc -rdc=true makes units");
    if (u->cubin.arch != j->unit[0].cubin.arch)
        return refuse(j, u, "it is for sm_%u, and %s for sm_%u", u->cubin.arch, j->unit[0].name,
                      j->unit[0].cubin.arch);
    if (header.e_shentsize != sizeof(Elf64_Shdr) || !header.e_shnum ||
        header.e_shstrndx >= header.e_shnum)
        return refuse(j, u, "its table of sections has an unusual form");
    u->n = header.e_shnum;
    u->section = arena_copy(j->a, u->image + header.e_shoff, u->n * sizeof *u->section);
    u->section_names = (const char *)u->image + u->section[header.e_shstrndx].sh_offset;
    u->to = arena_alloc(j->a, u->n * sizeof *u->to);
    u->at = arena_alloc(j->a, u->n * sizeof *u->at);
    u->symbol = arena_alloc(j->a, (u->cubin.symbol.n + 1ul) * sizeof *u->symbol);
    return WW_OK;
}

// The file's own entry of a symbol, as the reader numbers them.
static Elf64_Sym raw_symbol(const struct unit *u, uint32_t number) {
    Elf64_Sym s = {0};
    for (uint32_t i = 1; i < u->n; i++)
        if (u->section[i].sh_type == SHT_SYMTAB)
            memcpy(&s, u->image + u->section[i].sh_offset + number * sizeof s, sizeof s);
    return s;
}

// ---- libraries ----------------------------------------------------------------------------------
// Keeps, of the units on demand, those that define what a kept unit leaves undefined.
static void choose_units(struct join *j) {
    struct names open; // names that kept units use; 1: and define
    names_init(&open, j->a);
    uint32_t kept = 0;
    for (bool more = true; more;) {
        more = false;
        for (uint32_t i = kept; i < j->n; i++) {
            const struct unit u = j->unit[i];
            bool is_needed = !u.is_on_demand;
            for (uint32_t k = 1; k < u.cubin.symbol.n && !is_needed; k++) {
                const struct cubin_symbol *s = &u.cubin.symbol.at[k];
                is_needed =
                    s->global && s->section && names_get(&open, s->name, strlen(s->name)) == 0;
            }
            if (!is_needed) continue;
            for (uint32_t k = 1; k < u.cubin.symbol.n; k++) {
                const struct cubin_symbol *s = &u.cubin.symbol.at[k];
                if (!s->global || names_get(&open, s->name, strlen(s->name)) == 1) continue;
                names_put(&open, s->name, strlen(s->name), s->section != 0);
            }
            j->unit[i] = j->unit[kept]; // those behind are asked again, in another order
            j->unit[kept++] = u;
            more = true;
        }
    }
    j->n = kept;
}

// ---- which definition counts --------------------------------------------------------------------
static bool is_weak(const struct unit *u, uint32_t symbol) {
    return ELF64_ST_BIND(raw_symbol(u, symbol).st_info) == STB_WEAK;
}
static struct definition *definition_of(struct join *j, const char *name) {
    const int32_t at = names_get(&j->defined, name, strlen(name));
    return at < 0 ? NULL : &j->definition.at[at];
}

static enum ww_status define(struct join *j, uint32_t unit, uint32_t symbol) {
    const struct unit *u = &j->unit[unit];
    const char *name = u->cubin.symbol.at[symbol].name;
    struct definition *old = definition_of(j, name);
    if (!old) {
        names_put(&j->defined, name, strlen(name), (int32_t)j->definition.n);
        vec_push(j->a, &j->definition, ((struct definition){unit, symbol}));
        return WW_OK;
    }
    if (is_weak(u, symbol)) return WW_OK;
    if (!is_weak(&j->unit[old->unit], old->symbol))
        return refuse(j, u, "it defines %s, as %s does", name, j->unit[old->unit].name);
    *old = (struct definition){unit, symbol};
    return WW_OK;
}

static enum ww_status define_all(struct join *j) {
    enum ww_status s = WW_OK;
    for (uint32_t i = 0; i < j->n; i++)
        for (uint32_t k = 1; k < j->unit[i].cubin.symbol.n && s == WW_OK; k++) {
            const struct cubin_symbol *sym = &j->unit[i].cubin.symbol.at[k];
            if (sym->global && sym->section) s = define(j, i, k);
        }
    return s;
}

// Whether another unit's definition counts instead of this symbol.
static bool is_replaced(struct join *j, uint32_t unit, uint32_t symbol) {
    const struct cubin_symbol *s = &j->unit[unit].cubin.symbol.at[symbol];
    const struct definition *by = s->global ? definition_of(j, s->name) : NULL;
    return by && (by->unit != unit || by->symbol != symbol);
}

// ---- sections -----------------------------------------------------------------------------------
static enum fate fate_of(const char *name) {
    for (uint32_t i = 0; i < WW_COUNT(fates); i++)
        if (strncmp(name, fates[i].name, strlen(fates[i].name)) == 0) {
            const bool whole = fates[i].fate == APPEND || fates[i].fate == FIRST;
            if (!whole || strcmp(name, fates[i].name) == 0) return fates[i].fate;
        }
    return DROP;
}

static uint32_t new_part(struct join *j, const char *name, const Elf64_Shdr *like) {
    struct part p = {.name = name, .header = *like};
    p.header.sh_size = 0;
    if (!j->part.n) vec_push(j->a, &j->part, ((struct part){.name = ""}));
    vec_push(j->a, &j->part, p);
    return j->part.n - 1;
}

static enum ww_status append(struct join *j, struct unit *u, uint32_t i, uint32_t to) {
    const Elf64_Shdr *s = &u->section[i];
    struct part *p = &j->part.at[to];
    const uint64_t step = max64(s->sh_addralign, 1);
    if (step > SECTION_ALIGN_MOST || step & (step - 1))
        return refuse(j, u, "its section %s is aligned to %llu bytes", p->name,
                      (unsigned long long)step);
    if (has_bytes(s) != has_bytes(&p->header))
        return refuse(j, u, "its section %s has bytes where another unit's has none", p->name);
    p->header.sh_addralign = max64(p->header.sh_addralign, step);
    u->to[i] = to;
    u->at[i] = bits_align_up(p->header.sh_size, (uint32_t)step);
    p->header.sh_size = u->at[i] + s->sh_size;
    if (!has_bytes(s)) return WW_OK;
    align(j->a, &p->data, step);
    put(j->a, &p->data, u->image + s->sh_offset, s->sh_size);
    return WW_OK;
}

static enum ww_status lay_out(struct join *j, uint32_t unit, const bool *gone) {
    struct unit *u = &j->unit[unit];
    for (uint32_t i = 1; i < u->n; i++) {
        const char *name = section_name(u, i);
        const enum fate fate = fate_of(name);
        if (fate == DROP && u->section[i].sh_flags & SHF_ALLOC && u->section[i].sh_size)
            return refuse(j, u, "what its section %s is for is not known", name);
        if (fate == DROP || gone[i] || (fate == FIRST && unit)) continue;
        int32_t to = fate == APPEND ? names_get(&j->appended, name, strlen(name)) : -1;
        if (to < 0) to = (int32_t)new_part(j, name, &u->section[i]);
        if (fate == APPEND) names_put(&j->appended, name, strlen(name), to);
        const enum ww_status s = append(j, u, i, (uint32_t)to);
        if (s != WW_OK) return s;
    }
    return WW_OK;
}

// Sections of functions that another unit's definition replaces, and what belongs to them.
static void find_gone(struct join *j, uint32_t unit, bool *gone) {
    const struct unit *u = &j->unit[unit];
    for (uint32_t k = 1; k < u->cubin.symbol.n; k++) {
        const struct cubin_symbol *s = &u->cubin.symbol.at[k];
        if (s->kind != CUBIN_FUNCTION || !s->section || !is_replaced(j, unit, k)) continue;
        const char *name = section_name(u, s->section);
        if (strncmp(name, ".text.", 6) == 0 && strcmp(name + 6, s->name) == 0)
            gone[s->section] = true;
    }
    for (uint32_t i = 1; i < u->n; i++) {
        const uint32_t of = u->section[i].sh_info;
        const bool is_code = strncmp(section_name(u, i), ".text.", 6) == 0;
        if (!is_code && u->section[i].sh_flags & SHF_INFO_LINK && of < u->n && gone[of])
            gone[i] = true;
    }
}

static enum ww_status lay_out_all(struct join *j) {
    enum ww_status s = WW_OK;
    for (uint32_t i = 0; i < j->n && s == WW_OK; i++) {
        bool *gone = arena_alloc(j->a, j->unit[i].n * sizeof *gone);
        find_gone(j, i, gone);
        s = lay_out(j, i, gone);
    }
    return s;
}

// ---- symbols ------------------------------------------------------------------------------------
// Values of shared variables are alignments, which do not move.
static void add_symbol(struct join *j, struct unit *u, uint32_t k) {
    const struct cubin_symbol *s = &u->cubin.symbol.at[k];
    Elf64_Sym raw = raw_symbol(u, k);
    raw.st_name = string(j, &j->strings, s->name);
    raw.st_shndx = (Elf64_Half)u->to[s->section];
    if (!s->shared) raw.st_value += u->at[s->section];
    u->symbol[k] = j->symbol.n;
    vec_push(j->a, &j->symbol, raw);
}

static void add_globals(struct join *j, struct unit *u, uint32_t unit) {
    for (uint32_t k = 1; k < u->cubin.symbol.n; k++) {
        const struct cubin_symbol *s = &u->cubin.symbol.at[k];
        if (!s->global || is_replaced(j, unit, k)) continue;
        if (!s->section) { // that no unit defines: once for all
            vec_push(j->a, &j->definition, ((struct definition){unit, k}));
            names_put(&j->defined, s->name, strlen(s->name), (int32_t)j->definition.n - 1);
        }
        add_symbol(j, u, k);
    }
}

static void add_symbols(struct join *j) {
    vec_push(j->a, &j->symbol, (Elf64_Sym){0});
    vec_push(j->a, &j->strings, (uint8_t)0);
    for (uint32_t i = 0; i < j->n; i++) {
        struct unit *u = &j->unit[i];
        for (uint32_t k = 1; k < u->cubin.symbol.n; k++) {
            const struct cubin_symbol *s = &u->cubin.symbol.at[k];
            if (!s->global && (!s->section || u->to[s->section])) add_symbol(j, u, k);
        }
    }
    j->locals = j->symbol.n;
    for (uint32_t i = 0; i < j->n; i++) add_globals(j, &j->unit[i], i);
    for (uint32_t i = 0; i < j->n; i++)
        for (uint32_t k = 1; k < j->unit[i].cubin.symbol.n; k++) {
            const struct cubin_symbol *s = &j->unit[i].cubin.symbol.at[k];
            const struct definition *by = s->global ? definition_of(j, s->name) : NULL;
            if (by) j->unit[i].symbol[k] = j->unit[by->unit].symbol[by->symbol];
        }
}

// ---- what names symbols and sections ------------------------------------------------------------
static uint32_t word_at(const uint8_t *p) {
    uint32_t v;
    memcpy(&v, p, sizeof v);
    return v;
}
static void renumber(const struct unit *u, uint8_t *p) {
    const uint32_t old = word_at(p), now = old < u->cubin.symbol.n ? u->symbol[old] : old;
    memcpy(p, &now, sizeof now);
}

// Attributes that begin with a symbol, or are a list of them (attribute.def).
static void renumber_attributes(const struct unit *u, uint8_t *p, uint64_t size) {
    enum {
        SIZED = 4,
        PARAM_CBANK = 0x0a,
        EXTERNS = 0x0f,
        FRAME_SIZE = 0x11,
        MIN_STACK = 0x12,
        MAX_STACK = 0x23,
        REGCOUNT = 0x2f
    };
    for (uint64_t at = 0; at + 4 <= size;) {
        const uint32_t code = p[at + 1],
                       n = p[at] == SIZED ? (uint32_t)(p[at + 2] | p[at + 3] << 8) : 0;
        at += 4;
        if (n > size - at) return;
        const bool begins = code == PARAM_CBANK || code == FRAME_SIZE || code == MIN_STACK ||
                            code == MAX_STACK || code == REGCOUNT;
        const uint32_t symbols = code == EXTERNS ? n / 4 : begins && n >= 4;
        for (uint32_t i = 0; i < symbols; i++) renumber(u, p + at + 4ul * i);
        at += n;
    }
}

// Numbers near the greatest are marks of the vendor's, and 0 is no symbol.
static void renumber_calls(const struct unit *u, uint8_t *p, uint64_t size) {
    for (uint64_t at = 0; at + 4 <= size; at += 4) renumber(u, p + at);
}

static void renumber_section(struct join *j, const struct unit *u, uint32_t i) {
    const Elf64_Shdr *s = &u->section[i];
    struct part *p = &j->part.at[u->to[i]];
    if (s->sh_type == CUDA_INFO) renumber_attributes(u, p->data.at + u->at[i], s->sh_size);
    if (s->sh_type == CUDA_CALLS) renumber_calls(u, p->data.at + u->at[i], s->sh_size);
    if (strncmp(p->name, ".text.", 6) == 0) { // registers above the symbol's number
        const uint32_t symbol = s->sh_info & 0xffffff;
        p->header.sh_info =
            (s->sh_info & 0xff000000) | (symbol < u->cubin.symbol.n ? u->symbol[symbol] : 0);
    } else if (s->sh_flags & SHF_INFO_LINK) {
        p->header.sh_info = s->sh_info < u->n ? u->to[s->sh_info] : 0;
    }
}

static void add_relocations(struct join *j, const struct unit *u, uint32_t i) {
    const Elf64_Shdr *s = &u->section[i];
    const bool has_addend = s->sh_type == SHT_RELA;
    const size_t size = has_addend ? sizeof(Elf64_Rela) : sizeof(Elf64_Rel);
    const uint32_t of = s->sh_info < u->n ? s->sh_info : 0;
    if ((!has_addend && s->sh_type != SHT_REL) || !u->to[of]) return;
    for (uint64_t at = 0; at + size <= s->sh_size; at += size) {
        Elf64_Rela r = {0};
        memcpy(&r, u->image + s->sh_offset + at, size);
        const uint64_t symbol = ELF64_R_SYM(r.r_info);
        const uint32_t now = symbol < u->cubin.symbol.n ? u->symbol[symbol] : 0;
        if (!now) continue; // of a line table: a function that is left out
        r.r_offset += u->at[of];
        r.r_info = ELF64_R_INFO((uint64_t)now, ELF64_R_TYPE(r.r_info));
        put(j->a, &j->part.at[u->to[of]].relocations, &r, sizeof r);
    }
}

// ---- the file -----------------------------------------------------------------------------------
static uint32_t add_whole(struct join *j, const char *name, uint32_t type,
                          const struct bytes *data) {
    const uint32_t at = new_part(j, name, &(Elf64_Shdr){.sh_type = type, .sh_addralign = 8});
    j->part.at[at].data = *data;
    j->part.at[at].header.sh_size = data->n;
    return at;
}

static void add_tables(struct join *j, struct bytes *out) {
    struct bytes symbols = {0};
    put(j->a, &symbols, j->symbol.at, j->symbol.n * sizeof *j->symbol.at);
    const uint32_t content = j->part.n, strings = add_whole(j, ".strtab", SHT_STRTAB, &j->strings),
                   table = add_whole(j, ".symtab", SHT_SYMTAB, &symbols);
    j->part.at[table].header.sh_link = strings;
    j->part.at[table].header.sh_info = j->locals;
    j->part.at[table].header.sh_entsize = sizeof(Elf64_Sym);
    for (uint32_t i = 1; i < content; i++) {
        if (j->part.at[i].header.sh_link) j->part.at[i].header.sh_link = table;
        if (!j->part.at[i].relocations.n) continue;
        const char *name = arena_printf(j->a, ".rela%s", j->part.at[i].name);
        const uint32_t r = add_whole(j, name, SHT_RELA, &j->part.at[i].relocations);
        j->part.at[r].header.sh_link = table;
        j->part.at[r].header.sh_info = i;
        j->part.at[r].header.sh_flags = SHF_INFO_LINK;
        j->part.at[r].header.sh_entsize = sizeof(Elf64_Rela);
    }
    struct bytes names = {0};
    const uint32_t own =
        new_part(j, ".shstrtab", &(Elf64_Shdr){.sh_type = SHT_STRTAB, .sh_addralign = 1});
    for (uint32_t i = 0; i < j->part.n; i++)
        j->part.at[i].header.sh_name = string(j, &names, j->part.at[i].name);
    j->part.at[own].data = names;
    j->part.at[own].header.sh_size = names.n;
    *out = (struct bytes){0};
}

static void write_file(struct join *j, struct bytes *out) {
    Elf64_Ehdr header;
    memcpy(&header, j->unit[0].image, sizeof header);
    add_tables(j, out);
    put(j->a, out, &header, sizeof header);
    for (uint32_t i = 1; i < j->part.n; i++) {
        struct part *p = &j->part.at[i];
        align(j->a, out, p->header.sh_addralign);
        p->header.sh_offset = out->n;
        if (has_bytes(&p->header)) put(j->a, out, p->data.at, p->data.n);
    }
    align(j->a, out, 8);
    header.e_shoff = out->n;
    header.e_shnum = (Elf64_Half)j->part.n;
    header.e_shstrndx = (Elf64_Half)(j->part.n - 1);
    header.e_phoff = header.e_phnum = 0;
    for (uint32_t i = 0; i < j->part.n; i++)
        put(j->a, out, &j->part.at[i].header, sizeof(Elf64_Shdr));
    memcpy(out->at, &header, sizeof header);
}

enum ww_status cubin_join(struct arena *a, const struct cubin_unit *unit, uint32_t n,
                          struct diags *d, char **image, size_t *bytes) {
    struct join j = {.a = a, .d = d, .n = n, .unit = arena_alloc(a, n * sizeof *j.unit)};
    names_init(&j.appended, a);
    names_init(&j.defined, a);
    enum ww_status s = WW_OK;
    for (uint32_t i = 0; i < n && s == WW_OK; i++) {
        j.unit[i].name = unit[i].name;
        j.unit[i].image = arena_copy(a, unit[i].image, unit[i].bytes);
        j.unit[i].bytes = unit[i].bytes;
        j.unit[i].is_on_demand = unit[i].is_on_demand;
        s = read_unit(&j, &j.unit[i]);
    }
    if (s == WW_OK) choose_units(&j);
    if (s == WW_OK && !j.n)
        s = diag_add(d, WW_ERROR_USAGE, "there is nothing but libraries to link");
    if (s == WW_OK) s = define_all(&j);
    if (s == WW_OK) s = lay_out_all(&j);
    if (s != WW_OK) return s;
    if (j.part.n >= SHN_LORESERVE / 2)
        return diag_add(d, WW_ERROR_UNSUPPORTED,
                        "units of %u sections are more than are linked here", j.part.n);
    add_symbols(&j);
    for (uint32_t i = 0; i < j.n; i++)
        for (uint32_t k = 1; k < j.unit[i].n; k++) {
            if (j.unit[i].to[k]) renumber_section(&j, &j.unit[i], k);
            add_relocations(&j, &j.unit[i], k);
        }
    struct bytes file;
    write_file(&j, &file);
    *image = (char *)file.at;
    *bytes = file.n;
    return WW_OK;
}
