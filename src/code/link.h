// From compiled functions to one image.
#ifndef WW_CODE_LINK_H
#define WW_CODE_LINK_H

#include "code/code.h"

// Frame of a function after allocation.
static inline uint32_t image_frame_bytes(const struct mfunc *f) {
    return (uint32_t)bits_align_up(bits_align_up(f->frame_bytes, 16) + f->spill_bytes, 16);
}

// Links functions (the kernel first; index[i] is the ptx function of func[i]) into im->inst and
// what goes with it: blocks, tables, literals, frames, flags, counts. `scratch` is for working
// memory.
void image_link(struct code_image *im, struct arena *scratch, struct mfunc *const *func,
                const uint32_t *index, uint32_t n, uint32_t stack_bytes);

// Evens out the pipelines of integers and of multiply-adds, block by block (TRAIT_TWO_PIPES).
void pipes_balance(struct code_image *im, struct arena *scratch);

#endif
