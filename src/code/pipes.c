// Which pipeline of a sub-core the simple integer instructions of a linked image take. From Volta
// on integer products run in the pipeline of the multiply-adds (FMA) and all other integer
// instructions in that of the integers (ALU), 16 lanes each: a warp instruction holds either for
// two cycles, and one issues in each. NVIDIA's compiler therefore writes part of the moves,
// additions and left shifts as multiply-adds, by one or by a power of two (IMAD.MOV, IMAD.IADD,
// IMAD.SHL, and IMAD for LEA). Its rule is not published; what ptxas 11.8 makes of small kernels
// for sm_70 shows it. Dependent or not, additions alone come half and half, in turn; beside as many
// xors all are IMAD.IADD; of two additions for each xor three quarters are; beside as many FFMAs
// none; additions of an immediate never are. Here each block gets as many of them as make its two
// pipelines even, spread over those that could be.
//
// What they compute, their operands and their class stay: only the pipeline, its latency and the
// name in the listing are the multiply-add's. The multiplier sees a one or a power of two, so their
// energy is taken to be an addition's or a move's.
#include "code/link.h"

static bool is_word(const struct opnd *o) {
    return (o->kind == OPND_GPR || o->kind == OPND_IMM || o->kind == OPND_CONST) && o->words == 1;
}
static bool is_register(const struct opnd *o) { return o->kind == OPND_GPR && o->words == 1; }

static bool is_32_bit(const struct minst *m) {
    return m->type == ITYPE_S32 || m->type == ITYPE_U32 || m->type == ITYPE_B32 ||
           m->type == ITYPE_F32;
}

// The multiplier is the one immediate or constant that an instruction can have.
static bool could_be_mad(const struct minst *m) {
    if (m->flags != 0 || isa_has_carry(m) || !is_register(&m->dst[0])) return false;
    switch (m->op) {
    case OP_MOV: return is_word(&m->src[0]) && m->src[0].mods == 0;
    case OP_IADD:
        return is_32_bit(m) && is_register(&m->src[0]) && is_register(&m->src[1]) &&
               !(m->src[0].mods & m->src[1].mods);
    case OP_ISCADD:
        return is_register(&m->src[0]) && is_register(&m->src[1]) && m->src[0].mods == 0;
    case OP_SHL:
        return is_32_bit(m) && is_register(&m->src[0]) && m->src[1].kind == OPND_IMM &&
               m->src[1].imm < 32;
    default: return false;
    }
}

static void balance(struct minst *m, uint32_t n) {
    uint32_t alu = 0, fma = 0, either = 0;
    for (uint32_t i = 0; i < n; i++) {
        const uint8_t klass = m[i].klass, unit = op_class_unit[klass];
        const bool is_product =
            klass == OPC_INT_MUL || klass == OPC_INT_MAD || klass == OPC_INT_DIV;
        if (could_be_mad(&m[i]))
            either++;
        else if (unit == UNIT_FP || is_product)
            fma++;
        else if (unit == UNIT_INT)
            alu++;
    }
    if (either == 0 || alu + either <= fma) return;
    const uint32_t even = (alu + either - fma + 1) / 2, moved = even < either ? even : either;
    for (uint32_t i = 0, seen = 0; i < n; i++) {
        if (!could_be_mad(&m[i])) continue;
        if ((seen + 1) * moved / either > seen * moved / either) m[i].flags |= MF_AS_MAD;
        seen++;
    }
}

void pipes_balance(struct code_image *im, struct arena *scratch) {
    if (im->n_insts == 0) return;
    const struct cfg *const c = cfg_build_image(scratch, im);
    for (uint32_t b = 0; b < c->n; b++) balance(&im->inst[c->block[b].first], c->block[b].n);
}
