// What a driver would take of a program: machine code for the GPU, else PTX.
#include "fatbin/fatbin.h"
#include "fatbin/mapped.h"

#define MOST_BYTES (UINT64_C(1) << 32) // of an image whose length nobody gives

enum { ELF_HEADER = 64, SECTION_HEADER = 64, SEGMENT_HEADER = 56, MOST_UNITS = 256 };
// Bytes of an ELF header and of one of a section (ELF-64 Object File Format 1.5).
enum { ABI_AT = 7, TYPE_AT = 16, MACHINE_AT = 18, SEGMENTS_AT = 32, SECTIONS_AT = 40 };
enum { FLAGS_AT = 48, SEGMENT_COUNT_AT = 56, COUNT_AT = 60 };
enum { OFFSET_AT = 24, SIZE_AT = 32, NO_BITS = 8, NO_BITS_GLOBAL = 0x70000007 };
enum { NO_BITS_SHARED = 0x7000000a, LINKED = 2, CUDA = 190, ABI_NEW = 0x41 };

static uint64_t number(const char *p, uint32_t bytes) {
    uint64_t v = 0;
    for (uint32_t i = 0; i < bytes; i++) v |= (uint64_t)(uint8_t)p[i] << 8 * i;
    return v;
}

// Bytes of an ELF image in memory, as its own tables say, when nobody gives its length; 0 where they
// speak of what is not there.
static size_t elf_bytes(const char *p) {
    if (!memory_is_mapped(p, ELF_HEADER)) return 0;
    const uint64_t sections = number(p + SECTIONS_AT, 8), n = number(p + COUNT_AT, 2);
    if (sections >= MOST_BYTES || !memory_is_mapped(p + sections, n * SECTION_HEADER)) return 0;
    uint64_t end = number(p + SEGMENTS_AT, 8) + number(p + SEGMENT_COUNT_AT, 2) * SEGMENT_HEADER;
    end = max64(max64(end, ELF_HEADER), sections + n * SECTION_HEADER);
    for (uint64_t i = 0; i < n; i++) {
        const char *h = p + sections + i * SECTION_HEADER;
        const uint64_t type = number(h + 4, 4);
        const uint64_t at = number(h + OFFSET_AT, 8), size = number(h + SIZE_AT, 8);
        if (!type || type == NO_BITS || type == NO_BITS_GLOBAL || type == NO_BITS_SHARED) continue;
        if (at >= MOST_BYTES || size >= MOST_BYTES) return 0;
        end = max64(end, at + size);
    }
    return end < MOST_BYTES && memory_is_mapped(p, end) ? (size_t)end : 0;
}

bool fatbin_is_cubin(const void *image, size_t bytes) {
    const char *p = image;
    if (bytes && bytes < ELF_HEADER) return false;
    // Byte by byte: what is no such file may end before the next.
    static const char begins[] = {0x7f, 'E', 'L', 'F', 2, 1, 1}; // 64 bits, little endian, version 1
    for (size_t i = 0; i < sizeof begins; i++)
        if (p[i] != begins[i]) return false;
    return number(p + MACHINE_AT, 2) == CUDA;
}

static enum ww_status read_elf_image(struct arena *a, const char *image, size_t bytes,
                                     const char *name, struct diags *d, struct fatbin *out) {
    if (!fatbin_is_cubin(image, bytes))
        return diag_add(d, WW_ERROR_SYNTAX, "%s is an ELF file, but no machine code of a GPU",
                        name);
    const size_t all = bytes ? bytes : elf_bytes(image);
    if (!all)
        return diag_add(d, WW_ERROR_SYNTAX,
                        "%s is no cubin that can be read: its tables speak of sections beyond the "
                        "memory that is there",
                        name);
    const uint64_t flags = number(image + FLAGS_AT, 4);
    const bool is_new = (uint8_t)image[ABI_AT] == ABI_NEW;
    const struct fatbin_entry e = {.kind = FATBIN_CUBIN,
                                   .container = out->containers++,
                                   .arch = (uint32_t)(is_new ? flags >> 8 & 0xffff : flags & 0xff),
                                   .name = "",
                                   .options = "",
                                   .payload = (const uint8_t *)image,
                                   .bytes = all};
    vec_push(a, &out->entry, e);
    out->entry.at[out->entry.n - 1].payload_bytes = e.bytes;
    return WW_OK;
}

static void read_text_image(struct arena *a, const char *text, size_t bytes, struct fatbin *out) {
    const struct fatbin_entry e = {.kind = FATBIN_PTX,
                                   .container = out->containers++,
                                   .name = "",
                                   .options = "",
                                   .payload = (const uint8_t *)text,
                                   .bytes = bytes ? bytes : strlen(text)};
    vec_push(a, &out->entry, e);
    out->entry.at[out->entry.n - 1].payload_bytes = e.bytes;
}

enum ww_status fatbin_read_image(struct arena *a, const void *image, size_t bytes, const char *name,
                                 struct diags *d, struct fatbin *out) {
    switch (bytes && bytes < 4 ? FATBIN_IMAGE_TEXT : fatbin_image(image)) {
    case FATBIN_IMAGE_CONTAINER: return fatbin_read(a, image, bytes ? bytes : SIZE_MAX, name, d, out);
    case FATBIN_IMAGE_WRAPPER: return fatbin_read_wrapper(a, image, d, out, NULL);
    case FATBIN_IMAGE_ELF: return read_elf_image(a, image, bytes, name, d, out);
    default: read_text_image(a, image, bytes, out); return WW_OK;
    }
}

enum ww_status fatbin_check_file(const void *content, size_t bytes, const char *name,
                                 struct diags *d) {
    const uint8_t *const p = content;
    if (!bytes)
        return diag_add(d, WW_ERROR_SYNTAX, "%s is empty; PTX, a cubin or a fat binary is expected",
                        name);
    const enum fatbin_image image = bytes < 4 ? FATBIN_IMAGE_TEXT : fatbin_image(content);
    if (image == FATBIN_IMAGE_CONTAINER || image == FATBIN_IMAGE_ELF) return WW_OK;
    char begins[16] = "";
    bool is_text = image == FATBIN_IMAGE_TEXT;
    for (size_t i = 0; i < 4 && i < bytes; i++) {
        snprintf(begins + 3 * i, sizeof begins - 3 * i, " %02x", p[i]);
        is_text &= (p[i] >= ' ' && p[i] < 0x7f) || (p[i] >= '\t' && p[i] <= '\r');
    }
    if (is_text) return WW_OK;
    return diag_add(d, WW_ERROR_SYNTAX,
                    "%s begins with the bytes%s; PTX (text), a cubin (7f 45 4c 46) or a fat binary "
                    "(50 ed 55 ba) is expected",
                    name, begins);
}

bool fatbin_takes(uint32_t arch, uint32_t code) {
    return code / 10 == arch / 10 && code % 10 <= arch % 10;
}

const char *fatbin_code_name(enum fatbin_code code) {
    static const char *const name[] = {"auto", "sass", "ptx"};
    return name[code];
}
bool fatbin_code_named(const char *name, enum fatbin_code *out) {
    for (uint32_t i = FATBIN_CODE_AUTO; i <= FATBIN_CODE_PTX; i++) {
        if (strcmp(name, fatbin_code_name((enum fatbin_code)i)) != 0) continue;
        *out = (enum fatbin_code)i;
        return true;
    }
    return false;
}

// The newest machine code of a container that the GPU takes, or -1. Code of an architecture's own
// features (suffix) is for that capability alone, and goes before code of it without them, whose
// kernels may do nothing but say what they lack (PyTorch's grouped products).
static int code_of(const struct fatbin *f, uint32_t container, uint32_t arch) {
    int best = -1;
    for (uint32_t i = 0; i < f->entry.n; i++) {
        const struct fatbin_entry *e = &f->entry.at[i];
        if (e->kind != FATBIN_CUBIN || e->container != container || !fatbin_takes(arch, e->arch) ||
            (e->suffix && e->arch != arch))
            continue;
        const struct fatbin_entry *b = best < 0 ? NULL : &f->entry.at[best];
        if (!b || e->arch > b->arch || (e->arch == b->arch && e->suffix && !b->suffix))
            best = (int)i;
    }
    return best;
}

struct pick {
    struct arena *a;
    const struct fatbin *f;
    const char *name;
    const struct fatbin_wish *wish;
    struct diags *d;
    struct fatbin_choice *out;
    char *code, *ptx;
    size_t code_bytes, ptx_bytes;
    uint32_t code_arch;
};

// The one linked cubin of all containers that the GPU takes. Those of single units, which are to be
// linked, stand beside it where nvcc's linker has made it.
static enum ww_status pick_code(struct pick *p) {
    uint32_t linked = 0;
    bool other = false; // units of PTX alone, which would be linked with it
    char *unit = NULL;  // that is to be linked
    size_t unit_bytes = 0;
    for (uint32_t u = 0; u < p->f->containers; u++) {
        const int e = code_of(p->f, u, p->wish->arch);
        if (e < 0) {
            other |= fatbin_choose(p->f, u, p->wish->ptx_arch) >= 0;
            continue;
        }
        char *image;
        size_t bytes;
        const char *const *kernels;
        const enum ww_status s =
            fatbin_unpack(p->a, &p->f->entry.at[e], p->name, p->d, &image, &bytes);
        if (s != WW_OK) return s;
        // nvcc's link stub has no kernel. A file that is alone is what it is, if it can be read.
        if (bytes < ELF_HEADER ||
            (p->f->entry.n > 1 && !fatbin_kernels(p->a, FATBIN_CUBIN, image, bytes, &kernels)))
            continue;
        if (number(image + TYPE_AT, 2) != LINKED) {
            p->out->unlinked++;
            unit = image, unit_bytes = bytes;
            if (!linked) p->code_arch = p->f->entry.at[e].arch;
            continue;
        }
        linked++;
        p->code = image, p->code_bytes = bytes;
        p->code_arch = p->f->entry.at[e].arch;
    }
    p->out->several = linked > 1;
    if (linked > 1) p->code = NULL;
    // One that is alone has nothing to be linked with. The device runtime beside units of PTX is not alone.
    if (!linked && !other && p->out->unlinked == 1) p->code = unit, p->code_bytes = unit_bytes;
    return WW_OK;
}

// PTX of all units, linked.
static enum ww_status pick_ptx(struct pick *p) {
    const char *part[MOST_UNITS];
    size_t len[MOST_UNITS];
    uint32_t n = 0;
    for (uint32_t u = 0; u < p->f->containers; u++) {
        const int e = fatbin_choose(p->f, u, p->wish->ptx_arch);
        if (e < 0) continue;
        if (n == MOST_UNITS)
            return diag_add(p->d, WW_ERROR_UNSUPPORTED, "%s has more than %d units of PTX", p->name,
                            MOST_UNITS);
        char *t;
        const enum ww_status s =
            fatbin_unpack(p->a, &p->f->entry.at[e], p->name, p->d, &t, &len[n]);
        if (s != WW_OK) return s;
        part[n++] = t;
    }
    if (n > 1) return fatbin_link(p->a, part, len, n, p->d, &p->ptx, &p->ptx_bytes);
    if (n) p->ptx = (char *)(uintptr_t)part[0], p->ptx_bytes = len[0];
    return WW_OK;
}

enum ww_status fatbin_pick(struct arena *a, const struct fatbin *f, const char *name,
                           const struct fatbin_wish *w, struct diags *d,
                           struct fatbin_choice *out) {
    struct pick p = {.a = a, .f = f, .name = name, .wish = w, .d = d, .out = out};
    *out = (struct fatbin_choice){0};
    enum ww_status s = w->code == FATBIN_CODE_PTX ? WW_OK : pick_code(&p);
    if (s == WW_OK && w->code != FATBIN_CODE_SASS) s = pick_ptx(&p);
    if (s != WW_OK) return s;
    if (p.code && (!p.ptx || w->is_checked(p.code_arch))) {
        out->image = p.code, out->bytes = p.code_bytes;
        out->beside = p.ptx, out->beside_bytes = p.ptx_bytes;
    } else {
        out->image = p.ptx, out->bytes = p.ptx_bytes;
    }
    return WW_OK;
}

enum ww_status fatbin_has_kernels(struct arena *a, const struct fatbin *f, const char *name,
                                  struct diags *d, bool *has) {
    *has = false;
    for (uint32_t i = 0; i < f->entry.n && !*has; i++) {
        char *content;
        size_t bytes;
        const char *const *kernels;
        const enum ww_status s = fatbin_unpack(a, &f->entry.at[i], name, d, &content, &bytes);
        if (s != WW_OK) return s;
        *has = fatbin_kernels(a, f->entry.at[i].kind, content, bytes, &kernels) > 0;
    }
    return WW_OK;
}

uint32_t fatbin_archs(struct arena *a, const struct fatbin *f, uint32_t kind,
                      const uint32_t **archs) {
    VEC(uint32_t) found = {0};
    for (uint32_t i = 0; i < f->entry.n; i++) {
        const struct fatbin_entry *e = &f->entry.at[i];
        bool is_new = e->kind == kind;
        for (uint32_t k = 0; k < found.n; k++) is_new &= found.at[k] != e->arch;
        if (!is_new) continue;
        vec_push(a, &found, e->arch);
        uint32_t at = found.n - 1;
        for (; at && found.at[at - 1] > e->arch; at--) found.at[at] = found.at[at - 1];
        found.at[at] = e->arch;
    }
    *archs = found.at;
    return found.n;
}
