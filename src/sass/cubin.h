// Cubins: what a file of machine code holds. An ELF file of machine 190; a kernel's code lies in
// section .text.NAME, what the driver must know of it in .nv.info.NAME. Reading a cubin finds its
// kernels and leaves their code where it is: words are decoded when they are asked for.
#ifndef WW_SASS_CUBIN_H
#define WW_SASS_CUBIN_H

#include "base/base.h"
#include "sass/word.h"

struct cubin_parameter {
    uint32_t offset, bytes; // in bank 0, behind the first parameter's address
};

struct cubin_kernel {
    const char *name;
    const uint8_t *code; // inside the image; 16-byte words, at any alignment
    uint32_t words;
    uint32_t registers;    // of a thread
    uint32_t shared_bytes; // static, as the section says
    uint32_t local_bytes;  // frame and least stack of a thread
    uint32_t barriers;
    uint32_t max_threads[3]; // 0: not said
    uint32_t parameter_at;   // where parameters begin in bank 0
    uint32_t parameter_bytes;
    VEC(struct cubin_parameter) parameter; // by ordinal
    VEC(uint32_t) exit; // offsets of EXIT instructions, as the compiler noted them
    bool is_entry;      // a kernel; otherwise a function that is called
};

struct cubin {
    const char *name; // for sentences
    uint32_t arch;    // 70 of sm_70
    uint32_t gen;     // enum sass_gen; 0 when its words are not known
    VEC(struct cubin_kernel) kernel;
};

// Whether an image is a cubin: an ELF file of that machine.
bool cubin_is(const void *image, size_t bytes);
// Reads an image, which must outlive `out`; lists live in `a`. `name` is for sentences.
enum ww_status cubin_read(struct arena *a, const void *image, size_t bytes, const char *name,
                          struct diags *d, struct cubin *out);
// Word number `i` of a kernel.
struct sass_word cubin_word(const struct cubin_kernel *k, uint32_t i);
// What a file says of its code, and the code, one word a line:
//   /*0010*/  @P0 EXIT ;   B------ R- W- - S05
// Answers how many words are not known.
uint32_t cubin_disassemble(const struct cubin *c, const struct cubin_kernel *k, FILE *out);

#endif
