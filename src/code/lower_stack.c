// The stack: frames as calls and alloca see them.
//
// Frames grow upwards. A function's own begins at the stack pointer, which is 0 in a kernel, and
// its final size, spills included, is the image stage's to add (MF_FRAME). Where the function moves
// the end of its stack at run time (alloca, stacksave, stackrestore), that end has a register, the
// top: memory is taken there, and the frame of what it calls begins there, behind a link of 16
// bytes in which a function leaves its stack pointer. The link is in memory because behind a call
// no register can be counted on: its reload from a spill would need the stack pointer itself. What
// alloca took is gone when the function returns, as its top goes with it.
//
// The top is always a multiple of 16. It is one word, as local addresses are: of a size of 64 bits
// the low word counts, which is what the code of the vendor's assembler does too. An access beyond
// the local memory that a thread has is reported where it is made (exec).
#include "code/lower_priv.h"

enum { STACK_ALIGN = 16, LINK_BYTES = 16 };

static struct opnd stack_pointer(const struct lower *l) { return opnd_gpr(l->f->sp_vreg, 1); }
static struct opnd top(const struct lower *l) { return opnd_gpr(l->top_vreg, 1); }
// A kernel's stack pointer is 0 and needs no link.
static uint32_t link_bytes(const struct lower *l) { return l->fn->is_entry ? 0 : LINK_BYTES; }

// ---- frames -------------------------------------------------------------------------------

struct lower_addr lower_frame_at(const struct lower *l, enum lower_whose whose, int64_t offset) {
    struct lower_addr a = {.space = SPACE_LOCAL, .offset = offset};
    if (l->uses_sp) a.base = stack_pointer(l);
    if (whose == FRAME_OWN) return a;
    if (!l->f->has_alloca) {
        a.flags = MF_FRAME;
        return a;
    }
    a.base = top(l);
    a.offset += link_bytes(l);
    return a;
}

void lower_stack_start(struct lower *l) {
    if (!l->f->has_alloca) return;
    l->top_vreg = lower_temp(l, 1).reg;
    struct minst m = lower_new(l, l->uses_sp ? OP_IADD : OP_MOV, ITYPE_U32);
    m.flags = MF_FRAME;
    m.dst[0] = top(l);
    m.src[0] = l->uses_sp ? stack_pointer(l) : opnd_imm(0);
    if (l->uses_sp) m.src[1] = opnd_imm(0);
    lower_put(l, &m);
}

static void access_link(struct lower *l, enum mop op, struct opnd base, int64_t offset) {
    struct minst m = lower_new(l, op, ITYPE_U32);
    m.klass = op == OP_LD ? OPC_LD_LOCAL : OPC_ST_LOCAL;
    m.space = SPACE_LOCAL;
    m.vec = 1;
    m.offset = offset;
    m.src[0] = base;
    if (op == OP_LD)
        m.dst[0] = stack_pointer(l);
    else
        m.src[1] = stack_pointer(l);
    lower_put(l, &m);
}

void lower_stack_move(struct lower *l, enum lower_whose to) {
    const struct opnd sp = stack_pointer(l), zero = opnd_imm(0);
    if (!l->f->has_alloca) {
        struct minst m = lower_new(l, OP_IADD, ITYPE_U32);
        m.flags = MF_FRAME;
        m.dst[0] = m.src[0] = sp;
        m.src[1] = to == FRAME_CALLEE ? zero : opnd_mod(zero, OPND_NEG);
        lower_put(l, &m);
    } else if (to == FRAME_CALLEE) {
        if (link_bytes(l)) access_link(l, OP_ST, top(l), 0);
        lower_iadd(l, sp, top(l), opnd_imm(link_bytes(l)), 0);
    } else if (l->fn->is_entry) {
        lower_mov(l, sp, zero);
    } else {
        access_link(l, OP_LD, sp, -LINK_BYTES);
    }
}

// ---- alloca, stacksave, stackrestore ------------------------------------------------------

// d = a rounded up to a multiple of `align`, a power of two.
static void round_up(struct lower *l, struct opnd d, struct opnd a, uint32_t align) {
    const struct opnd t = lower_temp(l, 1);
    lower_iadd(l, t, a, opnd_imm(align - 1), 0);
    lower_logic(l, MLOGIC_AND, d, t, opnd_imm(~(align - 1)));
}

// An address in local memory, in one word, as a value of the instruction's type.
static void give_address(struct lower *l, const struct ptx_operand *o, enum isa_type t,
                         struct opnd address) {
    const struct opnd d = lower_dst(l, o, t);
    lower_mov(l, opnd_word(d, 0), address);
    if (d.words == 2) lower_mov(l, opnd_word(d, 1), opnd_imm(0));
}

// alloca d, size{, alignment}: d is where the top was, rounded up
void lower_stack_alloca(struct lower *l, const struct ptx_inst *i, unsigned unused) {
    (void)unused;
    const enum isa_type t = lower_type(l, i, 0);
    const uint32_t align = i->n_operands > 2 ? (uint32_t)i->operand[2].imm : 0;
    const struct opnd start = lower_temp(l, 1);
    if (align > STACK_ALIGN)
        round_up(l, start, top(l), align);
    else
        lower_mov(l, start, top(l));
    uint64_t literal;
    if (lower_int_literal(&i->operand[1], &literal)) {
        lower_iadd(l, top(l), start, opnd_imm(bits_align_up(literal, STACK_ALIGN)), 0);
    } else {
        const struct opnd size = opnd_word(lower_src(l, &i->operand[1], t), 0);
        const struct opnd end = lower_temp(l, 1);
        lower_iadd(l, end, start, size, 0);
        round_up(l, top(l), end, STACK_ALIGN);
    }
    give_address(l, &i->operand[0], t, start);
}

void lower_stack_save(struct lower *l, const struct ptx_inst *i, unsigned unused) {
    (void)unused;
    give_address(l, &i->operand[0], lower_type(l, i, 0), top(l));
}

void lower_stack_restore(struct lower *l, const struct ptx_inst *i, unsigned unused) {
    (void)unused;
    lower_mov(l, top(l), opnd_word(lower_src(l, &i->operand[0], lower_type(l, i, 0)), 0));
}
