// Reading containers. Nothing in an image is trusted: every offset is checked against the bytes
// that are there before anything is read through it.
#include "fatbin/fatbin.h"
#include "fatbin/mapped.h"

#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <lz4.h>
#include <unistd.h>
#include <zstd.h>

enum {
    WRAPPER_MAGIC = 0x466243B1,
    CONTAINER_HEADER = 16,
    ENTRY_HEADER = 64,
    MAX_UNPACKED = 1 << 30,
    MAX_UNITS = 4096
};
#define CONTAINER_MAGIC     0xBA55ED50u
#define OLD_CONTAINER_MAGIC 0x1EE55A01u
#define FLAG_LZ4            0x2000u
#define FLAG_ZSTD           0x8000u
#define FLAG_ARCH_ONLY      0x100000u
#define FLAG_FAMILY         0x200000u

static uint16_t u16(const uint8_t *p) { return (uint16_t)(p[0] | p[1] << 8); }
static uint32_t u32(const uint8_t *p) { return u16(p) | (uint32_t)u16(p + 2) << 16; }
static uint64_t u64(const uint8_t *p) { return u32(p) | (uint64_t)u32(p + 4) << 32; }

// The first bytes are compared one by one: a text may end before the fourth.
static bool begins(const void *image, uint32_t magic) {
    const uint8_t *p = image;
    for (int i = 0; i < 4; i++)
        if (p[i] != (uint8_t)(magic >> 8 * i)) return false;
    return true;
}

enum fatbin_image fatbin_image(const void *image) {
    if (begins(image, CONTAINER_MAGIC) || begins(image, OLD_CONTAINER_MAGIC))
        return FATBIN_IMAGE_CONTAINER;
    if (begins(image, WRAPPER_MAGIC)) return FATBIN_IMAGE_WRAPPER;
    if (begins(image, 0x464C457F)) return FATBIN_IMAGE_ELF;
    return FATBIN_IMAGE_TEXT;
}

const char *fatbin_kind_name(uint32_t kind) {
    switch (kind) {
    case FATBIN_PTX: return "ptx";
    case FATBIN_CUBIN: return "cubin";
    case FATBIN_LTO: return "lto";
    default: return "unknown";
    }
}

const char *fatbin_packing_name(enum fatbin_packing p) {
    static const char *const name[] = {"none", "lz4", "zstd"};
    return name[p];
}

// ---- entries -----------------------------------------------------------------------------------
static enum ww_status broken(struct diags *d, const char *name, uint64_t offset, const char *what) {
    return diag_add(d, WW_ERROR_SYNTAX, "%s: fat binary: at byte %llu %s", name,
                    (unsigned long long)offset, what);
}

// Text of `len` bytes at `at` of an entry's header, trimmed; "" when it is not inside.
static const char *header_text(struct arena *a, const uint8_t *e, uint32_t header, uint32_t at,
                               uint32_t len) {
    if (at < ENTRY_HEADER || at > header || len > header - at) return "";
    while (len && (e[at + len - 1] == 0 || e[at + len - 1] == ' ')) len--;
    for (uint32_t i = 0; i < len; i++)
        if (e[at + i] < ' ' || e[at + i] > '~') return ""; // sm_100 and later: a binary table
    while (len && e[at] == ' ') at++, len--;
    return arena_strndup(a, (const char *)e + at, len);
}

// One entry at `e` with `left` bytes of its container from there on; `size` becomes its length.
static enum ww_status read_entry(struct arena *a, const uint8_t *e, uint64_t left, uint64_t offset,
                                 const char *name, struct diags *d, struct fatbin *out,
                                 uint64_t *size) {
    if (left < ENTRY_HEADER)
        return broken(d, name, offset,
                      "an entry's header of 64 bytes does not fit into its container");
    const uint32_t header = u32(e + 4);
    const uint64_t padded = u64(e + 8), packed = u32(e + 16), unpacked = u64(e + 56);
    if (header < ENTRY_HEADER || header > left)
        return broken(d, name, offset, "an entry's header has an impossible length");
    if (padded > left - header)
        return broken(d, name, offset, "an entry is longer than its container");
    if (packed > padded)
        return broken(d, name, offset, "an entry's compressed length is greater than its place");
    struct fatbin_entry n = {.kind = u16(e),
                             .container = out->containers,
                             .arch = u32(e + 28),
                             .major = u16(e + 26),
                             .minor = u16(e + 24),
                             .flags = u64(e + 40),
                             .name = header_text(a, e, header, u32(e + 32), u32(e + 36)),
                             .options = "",
                             .payload = e + header,
                             .payload_bytes = (size_t)padded,
                             .bytes = (size_t)padded,
                             .offset = offset};
    n.suffix = n.flags & FLAG_ARCH_ONLY ? 'a' : n.flags & FLAG_FAMILY ? 'f' : 0;
    const uint32_t options = u32(e + 20);
    if (options >= ENTRY_HEADER && options <= header - 8)
        n.options = header_text(a, e, header, u32(e + options), u32(e + options + 4));
    if (n.flags & (FLAG_LZ4 | FLAG_ZSTD)) {
        n.packing = n.flags & FLAG_LZ4 ? FATBIN_LZ4 : FATBIN_ZSTD;
        if (packed) n.payload_bytes = (size_t)packed;
        if (!unpacked || unpacked > MAX_UNPACKED)
            return broken(d, name, offset, "a compressed entry has an impossible length");
        n.bytes = (size_t)unpacked;
    }
    vec_push(a, &out->entry, n);
    *size = header + padded;
    return WW_OK;
}

// The container at `c`; `left` bytes are there (SIZE_MAX: as many as it says). `size`: its length.
static enum ww_status read_container(struct arena *a, const uint8_t *c, uint64_t left,
                                     uint64_t offset, const char *name, struct diags *d,
                                     struct fatbin *out, uint64_t *size) {
    if (left < CONTAINER_HEADER)
        return broken(d, name, offset, "a container's header of 16 bytes does not fit");
    if (begins(c, OLD_CONTAINER_MAGIC))
        return broken(d, name, offset,
                      "is a container of a compiler before CUDA 4; build the program again");
    if (!begins(c, CONTAINER_MAGIC)) return broken(d, name, offset, "no container begins");
    const uint32_t header = u16(c + 6);
    const uint64_t bytes = u64(c + 8);
    if (u16(c + 4) != 1 || header < CONTAINER_HEADER)
        return broken(d, name, offset, "is a container of a version that is not known here (1 is)");
    if (left == SIZE_MAX &&
        !memory_is_mapped(c, header + (bytes < SIZE_MAX / 2 ? bytes : left / 2)))
        return broken(d, name, offset, "a container is longer than the memory that is there");
    if (header > left || bytes > left - header)
        return broken(d, name, offset, "a container is longer than what holds it");
    for (uint64_t at = 0; at < bytes;) {
        uint64_t entry = 0;
        const enum ww_status s =
            read_entry(a, c + header + at, bytes - at, offset + header + at, name, d, out, &entry);
        if (s != WW_OK) return s;
        at += entry;
    }
    out->containers++;
    *size = header + bytes;
    return WW_OK;
}

enum ww_status fatbin_read(struct arena *a, const void *data, size_t bytes, const char *name,
                           struct diags *d, struct fatbin *out) {
    const uint8_t *p = data;
    for (uint64_t at = 0;;) {
        uint64_t size = 0;
        const enum ww_status s = read_container(
            a, p + at, bytes == SIZE_MAX ? SIZE_MAX : bytes - at, at, name, d, out, &size);
        if (s != WW_OK || bytes == SIZE_MAX) return s;
        at = bits_align_up(at + size, 8);
        while (at + 8 <= bytes && u64(p + at) == 0) at += 8; // padding between objects
        if (at + 8 > bytes) return WW_OK;
    }
}

enum ww_status fatbin_first(struct arena *a, const void *data, size_t bytes, const char *name,
                            struct diags *d, struct fatbin *out, size_t *size) {
    uint64_t n = 0;
    const enum ww_status s = read_container(a, data, bytes, 0, name, d, out, &n);
    *size = (size_t)n;
    return s;
}

enum ww_status fatbin_read_wrapper(struct arena *a, const void *wrapper, struct diags *d,
                                   struct fatbin *out, bool *must_link) {
    const struct {
        uint32_t magic, version;
        const void *data;
        const void *const *extra;
    } *w = wrapper;
    if (must_link) *must_link = false;
    if (w->magic != WRAPPER_MAGIC)
        return diag_add(
            d, WW_ERROR_SYNTAX,
            "the program registers %p as a fat binary, but 0x%08x stands there, not 0x%08x",
            wrapper, w->magic, (unsigned)WRAPPER_MAGIC);
    if (w->version == 1) return fatbin_read(a, w->data, SIZE_MAX, "program", d, out);
    if (w->version != 2)
        return diag_add(d, WW_ERROR_SYNTAX,
                        "the program's fat binary is of version %u; 1 and 2 are known here",
                        w->version);
    if (must_link) *must_link = true;
    // What nvcc's linker made of the units for some GPUs comes first; it may be empty.
    const enum ww_status linked =
        w->data ? fatbin_read(a, w->data, SIZE_MAX, "program", d, out) : WW_OK;
    if (linked != WW_OK) return linked;
    for (uint32_t i = 0; w->extra && w->extra[i]; i++) {
        if (i == MAX_UNITS)
            return diag_add(d, WW_ERROR_SYNTAX,
                            "the list of the program's units has no end after %d", MAX_UNITS);
        const enum ww_status s = fatbin_read(a, w->extra[i], SIZE_MAX, "program", d, out);
        if (s != WW_OK) return s;
    }
    return WW_OK;
}

// ---- ELF files ---------------------------------------------------------------------------------
// The last byte of a file that its tables speak of.
struct extent {
    uint64_t end;
    const char *what;
};
static void reach(struct extent *x, uint64_t offset, uint64_t bytes, const char *what) {
    const uint64_t end = bytes > UINT64_MAX - offset ? UINT64_MAX : offset + bytes;
    if (end > x->end) *x = (struct extent){end, what};
}

// A file that was cut off (a download, a full disk) is no program without device code: everything
// that its tables speak of must lie inside it.
static enum ww_status check_whole(Elf *elf, const char *path, struct diags *d) {
    size_t size = 0, n = 0;
    GElf_Ehdr e;
    if (!elf_rawfile(elf, &size)) return WW_OK;
    if (elf_kind(elf) != ELF_K_ELF ? size < sizeof(Elf64_Ehdr) : !gelf_getehdr(elf, &e))
        return diag_add(d, WW_ERROR_SYNTAX, "%s is cut off: %zu bytes hold no ELF header", path,
                        size);
    if (elf_kind(elf) != ELF_K_ELF) return WW_OK; // an archive: said elsewhere
    struct extent x = {0, ""};
    reach(&x, e.e_phoff, (uint64_t)e.e_phnum * e.e_phentsize, "program headers");
    reach(&x, e.e_shoff, (uint64_t)e.e_shnum * e.e_shentsize, "section headers");
    if (x.end <= size && elf_getshdrnum(elf, &n) == 0)
        for (size_t i = 1; i < n; i++) {
            GElf_Shdr h;
            Elf_Scn *scn = elf_getscn(elf, i);
            if (scn && gelf_getshdr(scn, &h) && h.sh_type != SHT_NOBITS)
                reach(&x, h.sh_offset, h.sh_size, "sections");
        }
    if (x.end <= size) return WW_OK;
    return diag_add(d, WW_ERROR_SYNTAX, "%s is cut off: its %s reach to byte %llu, but it has %zu",
                    path, x.what, (unsigned long long)x.end, size);
}

static enum ww_status read_sections(struct arena *a, Elf *elf, const char *path, struct diags *d,
                                    struct fatbin *out) {
    size_t names;
    const enum ww_status whole = check_whole(elf, path, d);
    if (whole != WW_OK) return whole;
    if (elf_kind(elf) != ELF_K_ELF || elf_getshdrstrndx(elf, &names) != 0)
        return diag_add(d, WW_ERROR_SYNTAX, "%s is not an ELF file with sections", path);
    for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn));) {
        GElf_Shdr header;
        if (!gelf_getshdr(scn, &header)) continue;
        const char *name = elf_strptr(elf, names, header.sh_name);
        if (!name || (strcmp(name, ".nv_fatbin") != 0 && strcmp(name, "__nv_relfatbin") != 0))
            continue;
        const Elf_Data *data = elf_rawdata(scn, NULL);
        if (!data || !data->d_buf || !data->d_size) continue;
        const void *kept = arena_copy(a, data->d_buf, data->d_size);
        const uint32_t before = out->entry.n;
        const enum ww_status s = fatbin_read(a, kept, data->d_size, path, d, out);
        if (s != WW_OK) return s;
        for (uint32_t i = before; i < out->entry.n; i++) out->entry.at[i].to_link = *name == '_';
    }
    return WW_OK;
}

enum ww_status fatbin_read_elf(struct arena *a, const char *path, struct diags *d,
                               struct fatbin *out) {
    elf_version(EV_CURRENT);
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return diag_add(d, WW_ERROR_IO, "%s: cannot be opened: %m", path);
    Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
    const enum ww_status s =
        elf ? read_sections(a, elf, path, d, out)
            : diag_add(d, WW_ERROR_SYNTAX, "%s is cut off or damaged: %s", path, elf_errmsg(-1));
    elf_end(elf);
    close(fd);
    return s;
}

// ---- content -----------------------------------------------------------------------------------
enum ww_status fatbin_unpack(struct arena *a, const struct fatbin_entry *e, const char *name,
                             struct diags *d, char **text, size_t *len) {
    // what the header claims is believed only as far as the stored bytes can bear it
    if ((e->packing == FATBIN_LZ4 && e->bytes / 255 > e->payload_bytes) ||
        (e->packing == FATBIN_ZSTD &&
         ZSTD_getFrameContentSize(e->payload, e->payload_bytes) != e->bytes))
        return broken(d, name, e->offset,
                      "an entry's compressed data do not hold as much as its header says");
    char *out = arena_alloc(a, e->bytes + 1);
    switch (e->packing) {
    case FATBIN_PLAIN: memcpy(out, e->payload, e->bytes); break;
    case FATBIN_LZ4: {
        if (e->payload_bytes > LZ4_MAX_INPUT_SIZE)
            return broken(d, name, e->offset, "an entry is longer than LZ4 allows");
        const int n = LZ4_decompress_safe((const char *)e->payload, out, (int)e->payload_bytes,
                                          (int)e->bytes);
        if (n < 0 || (size_t)n != e->bytes)
            return broken(d, name, e->offset, "an entry's LZ4 block does not unpack to its length");
        break;
    }
    case FATBIN_ZSTD: {
        const size_t n = ZSTD_decompress(out, e->bytes, e->payload, e->payload_bytes);
        if (ZSTD_isError(n) || n != e->bytes)
            return broken(d, name, e->offset,
                          "an entry's zstd frame does not unpack to its length");
        break;
    }
    }
    size_t n = e->bytes;
    if (e->kind == FATBIN_PTX)
        while (n && out[n - 1] == 0) n--;
    *text = out;
    *len = n;
    return WW_OK;
}

static bool is_better(const struct fatbin_entry *e, const struct fatbin_entry *best,
                      uint32_t arch) {
    if (!best) return true;
    const bool is_exact = e->suffix && e->arch == arch,
               best_is = best->suffix && best->arch == arch;
    if (is_exact != best_is) return is_exact;
    if (!e->suffix != !best->suffix) return !e->suffix;
    const bool fits = e->arch <= arch, best_fits = best->arch <= arch;
    if (fits != best_fits) return fits;
    return fits ? e->arch > best->arch : e->arch < best->arch;
}

int fatbin_choose(const struct fatbin *f, uint32_t container, uint32_t arch) {
    int best = -1;
    for (uint32_t i = 0; i < f->entry.n; i++) {
        const struct fatbin_entry *e = &f->entry.at[i];
        if (e->kind == FATBIN_PTX && e->container == container &&
            is_better(e, best < 0 ? NULL : &f->entry.at[best], arch))
            best = (int)i;
    }
    return best;
}

const char *fatbin_advice(const struct fatbin *f, uint32_t container, char *buf, size_t size) {
    uint32_t arch = 0;
    for (uint32_t i = 0; i < f->entry.n; i++) {
        const struct fatbin_entry *e = &f->entry.at[i];
        if (e->container == container && (!arch || e->arch < arch)) arch = e->arch;
    }
    if (!arch) arch = 75;
    snprintf(buf, size, "-gencode arch=compute_%u,code=compute_%u", arch, arch);
    return buf;
}

// ---- names --------------------------------------------------------------------------------------
typedef VEC(const char *) name_list;

static bool is_word(char ch) {
    return (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z') || (ch >= '0' && ch <= '9') ||
           ch == '_' || ch == '$' || ch == '%';
}

// `.entry NAME` at the beginning of a line, with linkage before it.
static void ptx_kernels(struct arena *a, const char *text, size_t len, name_list *out) {
    const char *end = text + len;
    for (const char *p = text; (p = memmem(p, (size_t)(end - p), ".entry", 6));) {
        const char *line = p;
        while (line > text && line[-1] != '\n') line--;
        p += 6;
        if (memmem(line, (size_t)(p - line), "//", 2) || p == end || is_word(*p)) continue;
        while (p < end && (*p == ' ' || *p == '\t' || *p == '\n' || *p == '\r')) p++;
        const char *from = p;
        while (p < end && is_word(*p)) p++;
        if (p > from) vec_push(a, out, arena_strndup(a, from, (size_t)(p - from)));
    }
}

// Machine code of a kernel lies in a section .text.NAME.
static void cubin_kernels(struct arena *a, const char *image, size_t len, name_list *out) {
    elf_version(EV_CURRENT);
    Elf *elf = elf_memory(arena_copy(a, image, len), len);
    size_t names;
    if (!elf || elf_kind(elf) != ELF_K_ELF || elf_getshdrstrndx(elf, &names) != 0) {
        elf_end(elf);
        return;
    }
    for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn));) {
        GElf_Shdr header;
        const char *name =
            gelf_getshdr(scn, &header) ? elf_strptr(elf, names, header.sh_name) : NULL;
        if (name && strncmp(name, ".text.", 6) == 0) vec_push(a, out, arena_strdup(a, name + 6));
    }
    elf_end(elf);
}

uint32_t fatbin_kernels(struct arena *a, uint32_t kind, const char *content, size_t len,
                        const char *const **names) {
    name_list out = {0};
    if (kind == FATBIN_PTX) ptx_kernels(a, content, len, &out);
    if (kind == FATBIN_CUBIN) cubin_kernels(a, content, len, &out);
    *names = (const char *const *)out.at;
    return out.n;
}
