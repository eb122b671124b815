// What the translators of operations share (translate.def names them): fields of a word, and
// operands made of them. Each read of a field marks its bits; a field of the row that no translator
// has read at the end refuses the word, so that nothing a word says can be overlooked.
#ifndef WW_SASS_TRANSLATOR_H
#define WW_SASS_TRANSLATOR_H

#include "isa/op.h"
#include "sass/translate.h"

struct translator {
    struct sass_word w, read; // bits that have been read
    uint64_t pc;
    uint32_t first; // instruction index of address 0
    uint32_t gen, form;
    const struct sass_inst *in;
    struct minst *m;
    const char *refused; // why it is not executed; NULL: it is
};
typedef void translate_fn(struct translator *t);

#define TRANSLATE(op, name)    translate_fn translate_##name;
#define TRANSLATE_90(op, name) translate_fn translate_##name;
#include "sass/translate.def"
#undef TRANSLATE_90
#undef TRANSLATE

uint32_t tr_field(struct translator *t, uint32_t lo, uint32_t n); // n up to 32
static inline bool tr_bit(struct translator *t, uint32_t at) { return tr_field(t, at, 1); }
// A field that changes no result and no time of ours; say why where it is called.
void tr_ignore(struct translator *t, uint32_t lo, uint32_t n);
void tr_refuse(struct translator *t, const char *why); // the first reason stays
// The operation, its class and type.
void tr_op(struct translator *t, enum mop op, enum op_class klass, enum isa_type type);

// What the sign bits of a place mean, and how an immediate or a pair is made.
enum tr_signs {
    TR_NEG = 1,   // the place's minus sign
    TR_ABS = 2,   // its absolute value
    TR_NOT = 4,   // the minus sign is a complement
    TR_HIGH = 8,  // an immediate is the high word of two
    TR_SIGNED = 16 // an immediate of two words keeps its sign
};
// Registers, zero register included; a group starts at a multiple of its size.
struct opnd tr_reg(struct translator *t, uint32_t lo, uint32_t words);
struct opnd tr_ureg(struct translator *t, uint32_t lo, uint32_t words);
struct opnd tr_pred(struct translator *t, uint32_t lo);     // three bits
struct opnd tr_pred_not(struct translator *t, uint32_t lo); // and its negation above
// dst[0], in bits 16 to 23.
void tr_dst(struct translator *t, uint32_t words);
// Sources by their place: A in bits 24 to 31; B and C of three, placed by the form; B of two. In
// rows of the uniform file registers are uniform.
struct opnd tr_a(struct translator *t, uint32_t words, uint32_t signs);
struct opnd tr_b(struct translator *t, uint32_t words, uint32_t signs);
struct opnd tr_c(struct translator *t, uint32_t words, uint32_t signs);
struct opnd tr_b2(struct translator *t, uint32_t words, uint32_t signs);
// Like tr_b2, for opcodes whose register stands in bits 64 to 71 (DADD).
struct opnd tr_b2_late(struct translator *t, uint32_t words, uint32_t signs);
struct opnd tr_imm(uint64_t value, uint32_t words);
// src[0], offset and src[3] of [A + UR + offset] in shared memory (7.5 and later), whose uniform
// register stands from bit uniform_at on.
void tr_shared_address(struct translator *t, uint32_t uniform_at);
// src[4] of a product of matrices: the predicate of the uniform file under which C counts, whose
// complement is encoded; none where it always does.
void tr_counts_sum(struct translator *t);
static inline struct opnd tr_none(void) { return (struct opnd){0}; }

#endif
