// What nvcc puts into a program: fat binaries. A container holds one entry for each target that a
// translation unit was compiled for: PTX text, machine code (cubin) or LTO intermediate code, plain
// or compressed. The layout was taken from programs that nvcc 13.0 built and from the public
// descriptions of n-eiling/cuda-fatbin-decompression and ZLUDA.
#ifndef WW_FATBIN_H
#define WW_FATBIN_H

#include "base/base.h"

enum fatbin_kind { FATBIN_PTX = 1, FATBIN_CUBIN = 2, FATBIN_LTO = 8 };
enum fatbin_packing { FATBIN_PLAIN, FATBIN_LZ4, FATBIN_ZSTD };

struct fatbin_entry {
    uint32_t kind;      // enum fatbin_kind, or a number that nobody has described
    uint32_t container; // 0, 1, ...: one a translation unit
    uint32_t arch;      // 80 of sm_80
    char suffix;        // 'a', 'f' of sm_90a, sm_100f; 0: none
    uint16_t major, minor; // PTX: version of the text; machine code: of its ELF
    uint64_t flags;
    enum fatbin_packing packing;
    const char *name, *options; // source file, options of ptxas; "" when not there
    const uint8_t *payload;     // inside the image that was read
    size_t payload_bytes, bytes; // stored, unpacked
    uint64_t offset;             // of the entry in its image
    bool to_link; // of an ELF file's units that were compiled to be linked (-rdc=true)
};

struct fatbin {
    VEC(struct fatbin_entry) entry;
    uint32_t containers;
};

// What an image begins with.
enum fatbin_image {
    FATBIN_IMAGE_TEXT,
    FATBIN_IMAGE_CONTAINER,
    FATBIN_IMAGE_WRAPPER,
    FATBIN_IMAGE_ELF
};
enum fatbin_image fatbin_image(const void *image);

// Adds the entries of all containers that follow each other in [data, data + bytes). `bytes`
// SIZE_MAX: of the one container at `data`, whose header says its length. `name` is for sentences.
enum ww_status fatbin_read(struct arena *a, const void *data, size_t bytes, const char *name,
                           struct diags *d, struct fatbin *out);
// Adds the entries of the first container alone; `size` becomes its length.
enum ww_status fatbin_first(struct arena *a, const void *data, size_t bytes, const char *name,
                            struct diags *d, struct fatbin *out, size_t *size);
// Adds those that a wrapper in this process's memory points to, as registration hands them over
// (version 1: one; version 2: what nvcc's linker made of the units, and a list of them, ended by NULL,
// which are to be linked with each other).
// `must_link` (may be NULL) says whether it was the latter.
enum ww_status fatbin_read_wrapper(struct arena *a, const void *wrapper, struct diags *d,
                                   struct fatbin *out, bool *must_link);
// Adds those of an ELF file: sections .nv_fatbin and __nv_relfatbin. A file without any is not an
// error. The file's text lives in `a`.
enum ww_status fatbin_read_elf(struct arena *a, const char *path, struct diags *d,
                               struct fatbin *out);

// Containers of the object files of a host compiler, one a translation unit: of one file, or of a library
// of them (ar). `image` lies inside the data; `name` is "file" or "library(file)".
struct fatbin_unit {
    const char *name;
    const void *image;
    size_t bytes;
};
typedef VEC(struct fatbin_unit) fatbin_units;
enum ww_status fatbin_read_object(struct arena *a, const void *data, size_t bytes, const char *name,
                                  struct diags *d, fatbin_units *out);
enum ww_status fatbin_read_library(struct arena *a, const void *data, size_t bytes,
                                   const char *name, struct diags *d, fatbin_units *out);

// Unpacked content in `a`, with a NUL behind it; a PTX's own trailing NULs are not in `len`.
enum ww_status fatbin_unpack(struct arena *a, const struct fatbin_entry *e, const char *name,
                             struct diags *d, char **text, size_t *len);

// The PTX of a container that suits a GPU of compute capability `arch` (20, 35) best: the highest
// target not above it, else the lowest above it (a simulated GPU runs PTX of any target); one that
// names an architecture's own features (suffix) only when there is nothing else. -1: no PTX.
int fatbin_choose(const struct fatbin *f, uint32_t container, uint32_t arch);

// Which of a program's code runs: machine code that the GPU takes, else PTX; machine code only; PTX
// only.
enum fatbin_code { FATBIN_CODE_AUTO, FATBIN_CODE_SASS, FATBIN_CODE_PTX };
const char *fatbin_code_name(enum fatbin_code code); // "auto", "sass", "ptx"
bool fatbin_code_named(const char *name, enum fatbin_code *out);
// Whether a GPU of capability `arch` runs machine code for sm_NN: the same major number, a minor one
// that is not greater (CUDA C++ Programming Guide 12.3, "Binary Compatibility").
bool fatbin_takes(uint32_t arch, uint32_t code);

// Whether an image is an ELF file of a GPU's machine code. `bytes` 0: not known.
bool fatbin_is_cubin(const void *image, size_t bytes);
// The entries of an image that a program hands over: a container, a wrapper, a cubin or PTX text, of
// which the last two are an entry each. `bytes` 0: as many as it says itself.
enum ww_status fatbin_read_image(struct arena *a, const void *image, size_t bytes, const char *name,
                                 struct diags *d, struct fatbin *out);

// Whether the content of a file can be an image: a container, an ELF file or text. A wrapper cannot:
// it points into a program's memory.
enum ww_status fatbin_check_file(const void *content, size_t bytes, const char *name,
                                 struct diags *d);

struct fatbin_choice {
    char *image; // a linked cubin, or PTX, linked of all units; NULL: nothing suits
    size_t bytes;
    char *beside; // PTX beside a cubin; NULL: none
    size_t beside_bytes;
    uint32_t unlinked; // units whose machine code would have to be linked first
    bool several;      // several linked cubins suit, and no single one
};
struct fatbin_wish {
    uint32_t arch;     // the GPU's capability
    uint32_t ptx_arch; // the one that PTX is chosen for (programs may be told another)
    enum fatbin_code code;
    // Where there are both, machine code of a capability is taken if this says so, else PTX.
    bool (*is_checked)(uint32_t arch);
};
// What of a program's entries the GPU runs; unpacked in `a`.
enum ww_status fatbin_pick(struct arena *a, const struct fatbin *f, const char *name,
                           const struct fatbin_wish *w, struct diags *d,
                           struct fatbin_choice *out);
// Whether any entry holds a kernel. nvcc's link stub holds none.
enum ww_status fatbin_has_kernels(struct arena *a, const struct fatbin *f, const char *name,
                                  struct diags *d, bool *has);
// Capabilities of all entries of a kind, each once, the lowest first; in `a`.
uint32_t fatbin_archs(struct arena *a, const struct fatbin *f, uint32_t kind,
                      const uint32_t **archs);

// What the first containers of a program or library are for; nothing of what is no such file.
struct fatbin_glance {
    uint32_t arch[16], n; // sm_NN of machine code, ascending
    bool has_ptx;
};
void fatbin_glance_at(const char *path, struct fatbin_glance *out);

// Option for nvcc that would put PTX beside the machine code of a container, in `buf`.
const char *fatbin_advice(const struct fatbin *f, uint32_t container, char *buf, size_t size);

// Names of the kernels in an unpacked entry, as they stand there (mangled); none for other kinds
// than PTX and machine code.
uint32_t fatbin_kernels(struct arena *a, uint32_t kind, const char *content, size_t len,
                        const char *const **names);
// Several PTX texts as one, for units that nvcc compiled to be linked (-rdc=true): the header is
// the newest of theirs, their line tables are left out; what one declares extern and another
// defines meets in the parser, which also keeps the first of several weak definitions.
enum ww_status fatbin_link(struct arena *a, const char *const *text, const size_t *len, uint32_t n,
                           struct diags *d, char **out, size_t *out_len);

const char *fatbin_kind_name(uint32_t kind);
const char *fatbin_packing_name(enum fatbin_packing p);

#endif
