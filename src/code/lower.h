// What lowering shares with the image stage: where a kernel's shared variables and parameters lie.
// lower_func itself is declared in code.h.
#ifndef WW_CODE_LOWER_H
#define WW_CODE_LOWER_H

#include "code/code.h"

// Shared memory of one kernel: its variables and those of all functions that it can reach.
struct lower_shared {
    const struct ptx_var **var; // sorted by pointer
    uint32_t *offset;           // of var[i]
    uint32_t n;
    uint32_t bytes;             // static part
    uint32_t dynamic;           // where .extern .shared arrays begin, aligned for all of them
};

// Functions that the kernel may run, itself first: called directly, or, once anything is called
// through a register, every function whose address is taken anywhere. Returns their number.
uint32_t lower_reachable(struct arena *a, const struct ptx_module *m, const struct ptx_func *kernel,
                         uint32_t **funcs);

// Whether a register may hold the function's address, by its index in the module: it stands in code,
// in an initialised variable or in a list of targets.
bool *lower_addressed(struct arena *a, const struct ptx_module *m);

// Lays out what the functions use: static variables by falling alignment, then by declaration
// (module scope before function scope), then the unsized .extern ones, all at one offset.
void lower_layout_shared(struct arena *a, const struct ptx_module *m, const uint32_t *funcs,
                         uint32_t n_funcs, struct lower_shared *out);
// Offset of a variable, or -1 when it is not in the layout.
int64_t lower_shared_offset(const struct lower_shared *l, const struct ptx_var *v);

// Offsets of a kernel's parameters from CB0_PARAMS (offset has room for f->n_params). Returns
// bytes in all.
uint32_t lower_layout_params(const struct ptx_func *f, uint32_t *offset);

// Offsets of a function's parameters and results in its frame (either may be NULL). Returns
// bytes in all, rounded up to 16.
uint32_t lower_layout_call(const struct ptx_func *f, uint32_t *params, uint32_t *results);

#endif
