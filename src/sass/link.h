// Symbols of a cubin as addresses, and relocations as bytes. Whoever loads the file places its
// variables and says where they are; code addresses follow from the file.
#ifndef WW_SASS_LINK_H
#define WW_SASS_LINK_H

#include "sass/cubin.h"

struct sass_places {
    const struct cubin *file;
    // Device address of byte `offset` of a section of variables (constants too); false: no variable
    // holds it.
    bool (*address)(void *user, uint32_t section, uint64_t offset, uint64_t *out);
    // Handle of a texture, sampler or surface; false: there is none of this name.
    bool (*handle)(void *user, const char *name, uint64_t *out);
    void *user;
    // Of an image, where a file that is to be linked leaves it open (build.c says it): where shared
    // variables lie, by symbol, and where the literals of each kernel.at[] begin in bank 2. NULL: the
    // file says it itself.
    const uint32_t *shared; // SASS_NOWHERE: the image has no place for it
    const uint32_t *literals;
};
#define SASS_NOWHERE UINT32_MAX

// Functions of the file that are no kernels lie at the front of every image that reaches one, behind
// one instruction, so that each has one code address (16 bytes an instruction), which is not 0. This
// is the address of section
// kernel.at[k]; a kernel's own is behind them all. Answers UINT64_MAX for a kernel: its address
// depends on its image.
uint64_t sass_function_address(const struct cubin *c, uint32_t k);
// Instructions of all these functions, and the one before them.
uint32_t sass_function_words(const struct cubin *c);
// The code of kernel.at[] whose section has this number, or -1.
int32_t sass_code_of(const struct cubin *c, uint32_t section);

// Fills relocations into `bytes`, a copy of the section that they belong to. `code` is the address
// of that section's own code and UINT64_MAX where it has none; `what` is for sentences.
enum ww_status sass_relocate(const struct sass_places *p, const struct cubin_relocations *r,
                             uint64_t code, uint8_t *bytes, size_t n, const char *what,
                             struct diags *d);

#endif
