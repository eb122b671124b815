// Machine words as records of the machine (isa.h): what execution and timing take. A word becomes
// one instruction; its control bits become a code_control.
#ifndef WW_SASS_TRANSLATE_H
#define WW_SASS_TRANSLATE_H

#include "isa/image.h"
#include "sass/word.h"

// Why a word became no instruction.
struct sass_refusal {
    char text[160]; // "HMMA.884: ...", "bits 0x... have no meaning ..."
};

// Whether words of an opcode (bits 0 to 8) become instructions; single values of their fields may be
// refused all the same.
bool sass_is_executed(uint32_t op, uint32_t gen);

// Word `w` at byte address `pc` of code whose first word is instruction `first` of the image
// (targets are instruction indices of it). False, and `why` says it: the word is not known, or what
// it does is not executed.
bool sass_translate(struct sass_word w, uint64_t pc, uint32_t first, uint32_t gen,
                    struct minst *out, struct code_control *control, struct sass_refusal *why);

// Whether it names registers of the uniform file: an image with one such instruction has
// uses_uniform set.
bool sass_names_uniform(const struct minst *m);

#endif
