// A kernel of a cubin as an image: its words and those of the functions that it can reach, with
// addresses filled in, as instructions (translate.h), with what its attributes say of registers,
// memory and parameters.
#ifndef WW_SASS_BUILD_H
#define WW_SASS_BUILD_H

#include "isa/image.h"
#include "sass/link.h"

struct sass_target {
    enum target_gen gen;
    struct code_latencies latencies;
    uint32_t stack_bytes;  // of a thread, where calls cannot be counted
    bool marks_last_reads; // images have last_reads
};

// The image of kernel.at[k]. Refuses, with kernel, offset, bits and the opcode's name, a word that
// is not known or not executed (WW_ERROR_UNSUPPORTED). The file outlives the image.
enum ww_status sass_build(const struct sass_places *p, uint32_t k, const struct sass_target *t,
                          const struct ww_allocator *allocator, struct diags *d,
                          struct code_image **out);

// The same without instructions (n_insts is 0) where the image would hold functions of other sections: the kernel's registers,
// memory, parameters and constants. Such an image may be large: that of one of NCCL's kernels has half a gigabyte.
enum ww_status sass_outline(const struct sass_places *p, uint32_t k, const struct sass_target *t,
                            const struct ww_allocator *allocator, struct diags *d,
                            struct code_image **out);

// What compiler made a file, and for which GPU: "ptxas 11.8 for sm_70"; in `a`.
const char *sass_made_by(struct arena *a, const struct cubin *c, const struct cubin_kernel *k);

#endif
