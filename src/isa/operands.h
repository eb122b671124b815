// What an instruction reads and writes, said once: the row of its operation (ops.def) types its slots,
// and isa_reads and isa_writes name the words and predicates. Liveness, scheduling, control bits,
// verifiers, scoreboards and data flow ask here.
#ifndef WW_ISA_OPERANDS_H
#define WW_ISA_OPERANDS_H

#include "isa/op.h"

// ---- rows ---------------------------------------------------------------------------------------
// How many words an operand has.
enum slot_words {
    SLOT_NONE,    // there is none
    SLOT_W,       // one
    SLOT_T,       // those of minst.type
    SLOT_S,       // those of minst.stype
    SLOT_X,       // those of minst.type, twice as many with WIDE (types of 16 bits: one)
    SLOT_V,       // those of vec elements of minst.type, one at least for each
    SLOT_PACKED,  // those of vec elements of minst.type, side by side
    SLOT_ADDRESS, // none, one or two; minst.offset is added
    SLOT_PAIR,    // one or two
    SLOT_N,       // one, two or four
    SLOT_SUMS,    // as many as the sums of a warp group's product take
    SLOT_T4,      // those of four elements of minst.type
    SLOT_V2,      // those of twice vec elements of minst.type
};
enum slot_kind {
    SLOT_WORDS = 15,      // mask of enum slot_words
    SLOT_VALUE = 16,      // registers; immediates and constants where the row lets them
    SLOT_PREDICATE = 32,
    SLOT_OPTIONAL = 64,
    SLOT_BARRIER = 128 // a convergence barrier register
};
struct operand_row {
    uint8_t dst[MINST_DSTS], src[MINST_SRCS]; // enum slot_words and slot_kind; 0: no such operand
    uint8_t imm, con; // bit s: src[s] may be an immediate, a constant
    uint8_t field;    // bit s: a short field of the encoding: any immediate, and it counts for none
    bool long_imm;    // an immediate may have 32 bits
};
static inline enum slot_words slot_words(uint8_t slot) {
    return (enum slot_words)(slot & SLOT_WORDS);
}
extern const struct operand_row operand_rows[]; // by enum mop
const char *slot_words_text(enum slot_words w);

// What is wrong with the operands of an instruction by the row of its operation; NULL: nothing.
// `is_placed`: immediates and constants stand where our compiler puts them; real compilers' code
// has them where its encodings do.
const char *isa_operands_fault(const struct minst *m, bool is_placed);

// ---- reads and writes ---------------------------------------------------------------------------
enum ref_file { REF_GPR, REF_PRED, REF_UGPR, REF_BARRIER };
enum { REF_GUARD = 8, REF_IMPLIED }; // places that are no slots
struct isa_ref {
    uint8_t file;  // enum ref_file
    uint8_t place; // of src[] or dst[], REF_GUARD, or REF_IMPLIED: what has no slot
    uint8_t word;  // GPR: of the register, opnd.sub included
    uint32_t reg;
};
enum { ISA_MAX_SUMS = 128, // registers of a lane: 64 x 256 sums over 128 lanes
       ISA_MAX_REFS = ISA_MAX_SUMS + 4 * MINST_SRCS + MAX_PREDS + 2 };
// Registers that an instruction may read, each counted once (image_check and image_verify refuse
// more): those of a product of doubles of 16x8x16. All others have four sources of four words at most.
enum { ISA_MAX_ROWS = 32, ISA_USUAL_ROWS = 16 };

enum { GMMA_C = 2 }; // the source of GMMA that is added to

static inline uint32_t ref_operand(const struct opnd *o, unsigned place, bool allocated,
                                   struct isa_ref *ref) {
    if (o->kind == OPND_PRED) {
        if (allocated ? pred_is_true(o->reg) : o->reg == VPRED_TRUE) return 0;
        ref[0] = (struct isa_ref){.file = REF_PRED, .place = (uint8_t)place, .reg = o->reg};
        return 1;
    }
    if (o->kind == OPND_BARRIER) {
        ref[0] = (struct isa_ref){.file = REF_BARRIER, .place = (uint8_t)place, .reg = o->reg};
        return 1;
    }
    if (o->kind != OPND_GPR && o->kind != OPND_UGPR) return 0;
    for (uint32_t w = 0; w < o->words; w++)
        ref[w] = (struct isa_ref){.file = o->kind == OPND_GPR ? REF_GPR : REF_UGPR,
                                  .place = (uint8_t)place,
                                  .word = (uint8_t)(o->sub + w),
                                  .reg = o->reg};
    return o->words;
}
// The predicates of a mask, counted from `first`.
static inline uint32_t ref_predicates(uint32_t first, uint32_t mask, struct isa_ref *ref) {
    uint32_t n = 0;
    for (uint32_t p = 0; p < PRED_TRUE; p++)
        if (mask >> p & 1)
            ref[n++] = (struct isa_ref){.file = REF_PRED, .place = REF_IMPLIED, .reg = first + p};
    return n;
}

// Sources in the order of their slots and words, the guard, what is implied. Before allocation
// (`allocated` false) VPRED_TRUE is the predicate that is none. A filler names registers for their
// timing alone: what values flow where is none of its business. Calls and returns are the caller's
// to know of. The sums of a warp group's product (GMMA) count before allocation only: behind it
// nothing waits for their registers (isa_sums names them).
static inline uint32_t isa_reads(const struct minst *m, bool allocated,
                                 struct isa_ref ref[ISA_MAX_REFS]) {
    uint32_t n = 0;
    for (unsigned s = 0; s < MINST_SRCS; s++)
        if (!(allocated && m->op == OP_GMMA && s == GMMA_C))
            n += ref_operand(&m->src[s], s, allocated, ref + n);
    if (allocated ? !pred_is_true(m->guard) : m->guard != VPRED_TRUE)
        ref[n++] = (struct isa_ref){.file = REF_PRED, .place = REF_GUARD, .reg = m->guard};
    if (m->op == OP_P2R) n += ref_predicates(0, UINT8_MAX, ref + n);
    if (m->op == OP_P2RM) n += ref_predicates(m->aux, (uint32_t)m->src[1].imm, ref + n);
    return n;
}
static inline uint32_t isa_writes(const struct minst *m, bool allocated,
                                  struct isa_ref ref[ISA_MAX_REFS]) {
    uint32_t n = 0;
    if (allocated && m->op == OP_GMMA) return 0;
    for (unsigned d = 0; d < MINST_DSTS; d++) n += ref_operand(&m->dst[d], d, allocated, ref + n);
    if (m->op == OP_R2P) n += ref_predicates(0, (uint32_t)m->src[1].imm, ref + n);
    if (m->op == OP_R2PM) n += ref_predicates(m->aux, (uint32_t)m->src[1].imm, ref + n);
    return n;
}

// Registers of the sums that a product of a warp group adds to; 0: it is none. The first in `first`.
static inline uint32_t isa_sums(const struct minst *m, uint32_t *first) {
    *first = m->dst[0].reg;
    return m->op == OP_GMMA && m->dst[0].kind == OPND_GPR ? m->dst[0].words : 0;
}

#endif
