// Modules: what one holds, whatever it was made from. A maker (module_ptx.c: PTX text; module_cubin.c:
// machine code) describes its variables and kernels; module.c places the variables, fills them in,
// looks names up, and has the maker build a kernel's image when it is first asked for. A module of
// machine code may have PTX beside it, for kernels whose machine code is not executed: both share the
// variables.
#ifndef WW_GPU_MODULE_H
#define WW_GPU_MODULE_H

#include "gpu/gpu.h"

struct code_target;
struct ptx_func;
struct ptx_module;

enum module_kind {
    MODULE_GLOBAL,
    MODULE_CONST,
    MODULE_TEXTURE,
    MODULE_SURFACE,
    MODULE_SAMPLER,
    MODULE_NOWHERE // declared only, or of a space that no module places
};

// A part of an initial value that is an address.
struct module_fill {
    uint64_t offset;
    int32_t variable; // whose address is added to `addend`; -1: none, the addend is the value
    int64_t addend;
    uint8_t bytes;    // how many are stored, of the value shifted right by `shift` bits
    uint8_t shift;
    bool in_segment; // of a const variable: its offset in the const segment, no address
};

struct module_variable {
    const char *name;
    enum module_kind kind;
    bool is_hidden;      // programs cannot ask for it by name
    uint32_t align;      // bytes
    uint64_t bytes;
    uint64_t offset;     // MODULE_CONST: in the const segment
    const uint8_t *init; // init_bytes bytes; zeros follow
    uint64_t init_bytes;
    struct module_fill *fill;
    uint32_t n_fills;
    const struct exec_texture *texture; // what a texture or sampler says of itself
    uint32_t line, col; // in the module's text; 0: in none
    uint32_t within;    // 1 + the variable in whose memory, at `offset`, it lies; 0: in its own
    uint64_t address;   // device address, or handle; 0: not placed
};

struct gpu_module {
    struct gpu *gpu;
    struct gpu_module *next;
    struct arena arena;    // names, lists
    const char *name;      // of its file
    const char *text;      // PTX, for sentences; or NULL
    const char *made_from; // "PTX 8.1 for sm_70"
    uint32_t target;       // 70 of sm_70
    uint32_t param_room;   // bytes of parameters that a kernel may have; 0: as the GPU's limits say
    VEC(struct module_variable) variable;
    uint64_t const_base, const_bytes; // the const segment
    uint64_t const_room;              // bytes set aside for it, if more
    uint32_t max_registers;
    struct gpu_kernel *kernels;
    uint32_t n_kernels;
    struct module_ptx *ptx;     // NULL: not made from PTX, or not yet
    struct module_cubin *cubin; // NULL: not made from machine code
    const char *instead;        // PTX beside machine code; NULL: there is none
    size_t instead_bytes;
    const char *why_ptx; // why PTX runs, though machine code was there; or NULL
};

struct gpu_kernel {
    struct gpu_module *module;
    const char *name;
    uint32_t max_threads[3], required_threads[3]; // of a block; 0: not said
    struct gpu_kernel_clusters clusters;
    uint32_t code;              // in module_cubin: its number in the file
    const struct ptx_func *ptx; // NULL: none, or not looked for yet
    struct code_image *image;   // NULL until someone asks
    struct code_image *outline; // answers in its place until the first launch; NULL: none is needed
    uint64_t code_address;
};

// A sentence about a variable, with its line where the module has a text.
enum ww_status module_refuse(const struct gpu_module *m, const struct module_variable *v,
                             enum ww_status s, struct diags *d, const char *fmt, ...)
    WW_PRINTF(5, 6);
// Places variables [from, m->variable.n), and writes what they hold at the start.
enum ww_status module_place(struct gpu_module *m, uint32_t from, struct diags *d);
enum ww_status module_fill_in(struct gpu_module *m, uint32_t from, struct diags *d);

// ---- module_ptx.c -------------------------------------------------------------------------------
// Describes PTX text as the module's content. `text` is copied.
enum ww_status module_ptx_read(struct gpu_module *m, const char *text, size_t len,
                               struct diags *d);
enum ww_status module_ptx_build(struct gpu_kernel *k, const struct code_target *t, struct diags *d,
                                struct code_image **out);
void module_ptx_free(struct gpu_module *m);
// Builds a kernel of machine code from the PTX beside it (m->instead), which is read when the first
// kernel needs it. `why` its machine code is not executed.
enum ww_status module_ptx_build_instead(struct gpu_kernel *k, const struct code_target *t,
                                        const char *why, struct diags *d, struct code_image **out);

// ---- module_cubin.c -----------------------------------------------------------------------------
// Describes a cubin as the module's content and places its variables. `image` is copied.
enum ww_status module_cubin_read(struct gpu_module *m, const void *image, size_t bytes,
                                 struct diags *d);
// `outline`: without instructions where it calls functions of other sections (sass/build.h).
enum ww_status module_cubin_build(struct gpu_kernel *k, bool outline, const struct code_target *t,
                                  struct diags *d, struct code_image **out);

#endif
