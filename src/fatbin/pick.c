// What a driver would take of a program: machine code for the GPU, else PTX.
#include "fatbin/fatbin.h"

enum { ELF_HEADER = 64, MOST_UNITS = 256, TYPE_AT = 16, SECTIONS_AT = 40, COUNT_AT = 60 };
enum { LINKED = 2, NO_BITS = 8, NO_BITS_GLOBAL = 0x70000007, NO_BITS_SHARED = 0x7000000a };

static uint32_t number(const char *p, uint32_t bytes) {
    uint32_t v = 0;
    for (uint32_t i = 0; i < bytes; i++) v |= (uint32_t)(uint8_t)p[i] << 8 * i;
    return v;
}

size_t fatbin_elf_bytes(const void *image) {
    const char *p = image;
    uint64_t sections = 0, end = ELF_HEADER;
    memcpy(&sections, p + SECTIONS_AT, sizeof sections);
    const uint32_t each = number(p + COUNT_AT - 2, 2), n = number(p + COUNT_AT, 2);
    end = max64(end, sections + (uint64_t)each * n);
    for (uint32_t i = 0; i < n && each >= 64; i++) {
        const char *h = p + sections + (uint64_t)i * each;
        const uint32_t type = number(h + 4, 4);
        uint64_t offset, size;
        memcpy(&offset, h + 24, sizeof offset);
        memcpy(&size, h + 32, sizeof size);
        if (type && type != NO_BITS && type != NO_BITS_GLOBAL && type != NO_BITS_SHARED)
            end = max64(end, offset + size);
    }
    return (size_t)end;
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
// features (suffix) is for that capability alone.
static int code_of(const struct fatbin *f, uint32_t container, uint32_t arch) {
    int best = -1;
    for (uint32_t i = 0; i < f->entry.n; i++) {
        const struct fatbin_entry *e = &f->entry.at[i];
        if (e->kind != FATBIN_CUBIN || e->container != container || !fatbin_takes(arch, e->arch) ||
            (e->suffix && e->arch != arch))
            continue;
        if (best < 0 || e->arch > f->entry.at[best].arch) best = (int)i;
    }
    return best;
}

struct pick {
    struct arena *a;
    const struct fatbin *f;
    const char *name;
    uint32_t arch;
    struct diags *d;
};

// The one linked cubin of all containers that the GPU takes. Those of single units, which are to be
// linked, stand beside it where nvcc's linker has made it.
static enum ww_status pick_code(const struct pick *p, struct fatbin_choice *out) {
    uint32_t linked = 0;
    char *only = NULL;
    size_t only_bytes = 0;
    for (uint32_t u = 0; u < p->f->containers; u++) {
        const int e = code_of(p->f, u, p->arch);
        if (e < 0) continue;
        char *image;
        size_t bytes;
        const char *const *kernels;
        const enum ww_status s =
            fatbin_unpack(p->a, &p->f->entry.at[e], p->name, p->d, &image, &bytes);
        if (s != WW_OK) return s;
        if (bytes < ELF_HEADER) continue;
        if (number(image + TYPE_AT, 2) != LINKED) {
            out->unlinked++;
            continue;
        }
        // nvcc's link stub has no kernel.
        if (!fatbin_kernels(p->a, FATBIN_CUBIN, image, bytes, &kernels)) continue;
        linked++;
        only = image, only_bytes = bytes;
    }
    if (linked == 1) out->code = only, out->code_bytes = only_bytes;
    out->several = linked > 1;
    return WW_OK;
}

static enum ww_status pick_ptx(const struct pick *p, struct fatbin_choice *out) {
    const char *part[MOST_UNITS];
    size_t len[MOST_UNITS];
    uint32_t n = 0;
    for (uint32_t u = 0; u < p->f->containers; u++) {
        const int e = fatbin_choose(p->f, u, p->arch);
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
    if (n > 1) return fatbin_link(p->a, part, len, n, p->d, &out->ptx, &out->ptx_bytes);
    if (n) out->ptx = (char *)(uintptr_t)part[0], out->ptx_bytes = len[0];
    return WW_OK;
}

enum ww_status fatbin_pick(struct arena *a, const struct fatbin *f, const char *name, uint32_t arch,
                           enum fatbin_code code, struct diags *d, struct fatbin_choice *out) {
    const struct pick p = {.a = a, .f = f, .name = name, .arch = arch, .d = d};
    *out = (struct fatbin_choice){0};
    enum ww_status s = code == FATBIN_CODE_PTX ? WW_OK : pick_code(&p, out);
    // PTX is not looked at where nothing would come of it.
    if (s == WW_OK && code != FATBIN_CODE_SASS) s = pick_ptx(&p, out);
    return s;
}
