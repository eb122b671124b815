// System calls of machine code as instructions.
#include "isa/system_call.h"
#include "isa/op.h"

enum { FIRST_ARGUMENT = 4, RETURN_ADDRESS = 20, COUNTER = 0 };

static struct opnd reg(uint32_t n, uint32_t words) {
    return (struct opnd){.kind = OPND_GPR, .words = (uint8_t)words, .reg = n};
}

// Code as it grows. Each instruction waits for the one before it: calls are rare.
struct making {
    struct minst *inst;
    struct code_control *control;
    uint32_t n;
};
static struct minst *put(struct making *k, enum mop op, enum op_class klass, enum isa_type type) {
    k->control[k->n] = (struct code_control){
        .stall = CONTROL_MAX_STALL, .write = COUNTER, .read = CONTROL_NONE, .wait = 1u << COUNTER};
    k->inst[k->n] = (struct minst){.op = (uint16_t)op,
                                   .klass = (uint8_t)klass,
                                   .type = (uint8_t)type,
                                   .guard = PRED_TRUE,
                                   .target = -1,
                                   .reconv = -1};
    return &k->inst[k->n++];
}
static void put_return(struct making *k) {
    struct minst *const back = put(k, OP_JUMP, OPC_CTRL, ITYPE_NONE);
    back->sub = MJUMP_RETURN;
    back->src[0] = reg(RETURN_ADDRESS, 2);
}

static const struct opnd none = {.kind = OPND_ZERO, .words = 1};
static struct opnd number(uint32_t n) {
    return (struct opnd){.kind = OPND_IMM, .words = 1, .imm = n};
}
static struct opnd predicate(uint32_t n) { return (struct opnd){.kind = OPND_PRED, .reg = n}; }

static void put_read(struct making *k, uint32_t to, enum isa_sreg sreg) {
    struct minst *const m = put(k, OP_S2R, OPC_MOV, ITYPE_U32);
    m->dst[0] = reg(to, 1);
    m->aux = (uint16_t)sreg;
}
static struct minst *put_move(struct making *k, uint32_t to, uint32_t n) {
    struct minst *const m = put(k, OP_MOV, OPC_MOV, ITYPE_B32);
    m->dst[0] = reg(to, 1);
    m->src[0] = number(n);
    return m;
}
static void put_logic(struct making *k, uint8_t table, uint32_t to, uint32_t a, uint32_t b,
                      struct opnd c) {
    struct minst *const m = put(k, OP_LOP3, OPC_INT_LOGIC, ITYPE_B32);
    m->sub = table;
    m->dst[0] = reg(to, 1);
    m->src[0] = reg(a, 1);
    m->src[1] = reg(b, 1);
    m->src[2] = c;
}
static void put_compare(struct making *k, uint32_t to, uint32_t a, uint8_t cmp,
                        enum isa_type type) {
    struct minst *const m = put(k, OP_ISETP, OPC_INT_CMP, type);
    m->cmp = cmp;
    m->dst[0] = predicate(to);
    m->src[0] = reg(a, 1);
    m->src[1] = none;
}
// P`to`: whether the three special registers from `first` on are all zero, or not.
static void put_is_first(struct making *k, uint32_t to, enum isa_sreg first, uint8_t cmp) {
    enum { OR3 = 0xfe };
    for (uint32_t i = 0; i < 3; i++) put_read(k, 6 + i, first + i);
    put_logic(k, OR3, 6, 6, 7, reg(8, 1));
    put_compare(k, to, 6, cmp, ITYPE_U32);
}
static void put_product(struct making *k, uint32_t to, uint32_t by) {
    struct minst *const m = put(k, OP_IMAD, OPC_INT_MAD, ITYPE_U32);
    m->dst[0] = reg(to, 1);
    m->src[0] = reg(to, 1);
    m->src[1] = reg(by, 1);
    m->src[2] = none;
}
static void put_barrier(struct making *k) {
    struct minst *const m = put(k, OP_BAR, OPC_CTRL, ITYPE_U32);
    m->sub = MBAR_SYNC;
    m->src[0] = number(0);
}
static void put_fence(struct making *k) {
    struct minst *const m = put(k, OP_MEMBAR, OPC_FENCE, ITYPE_NONE);
    m->sub = MFENCE_GPU;
    m->flags = MF_SC;
}
// R`to` = the grid's counter, which others change.
static void put_count(struct making *k, uint32_t to) {
    enum { COUNT_AT = 4 };
    struct minst *const m = put(k, OP_LD, OPC_LD_GLOBAL, ITYPE_B32);
    m->space = SPACE_GLOBAL;
    m->vec = 1;
    m->cop = MCOP_CG;
    m->flags = MF_VOLATILE | MF_STRONG;
    m->dst[0] = reg(to, 1);
    m->src[0] = reg(FIRST_ARGUMENT, 2);
    m->offset = COUNT_AT;
}
static struct minst *put_branch(struct making *k, uint32_t when, bool is_not) {
    struct minst *const m = put(k, OP_BRA, OPC_CTRL, ITYPE_NONE);
    m->guard = when;
    m->guard_not = is_not;
    return m;
}

// The handle is the workspace that a cooperative launch brings: its high half in %envreg1, its low one in %envreg2.
static void grid_handle(struct making *k) {
    put_read(k, FIRST_ARGUMENT, SREG_envreg2);
    put_read(k, FIRST_ARGUMENT + 1, SREG_envreg1);
}

// The counter's highest bit changes when all blocks have come: the first block adds what is missing to half of all numbers, the
// others one each, by their first threads. The first thread's warp waits as a whole, the other warps at a barrier.
static void grid_wait(struct making *k, uint32_t first) {
    enum { XOR = 0x3c, HALF_AND_ONE = (int)0x80000001u };
    enum { IS_THREAD = 0, IS_WARP = 1, IS_OTHER_BLOCK = 1, IS_EARLY = 0 }; // P0 and P1
    put_is_first(k, IS_THREAD, SREG_tid_x, MCMP_EQ);
    struct minst *const vote = put(k, OP_VOTE, OPC_WARP, ITYPE_PRED);
    vote->sub = MVOTE_ANY;
    vote->dst[0] = predicate(IS_WARP);
    vote->src[0] = predicate(IS_THREAD);
    put_barrier(k);
    struct minst *const others = put_branch(k, IS_WARP, true);
    put_count(k, 9);
    put_is_first(k, IS_OTHER_BLOCK, SREG_ctaid_x, MCMP_NE);
    put_read(k, 7, SREG_nctaid_x);
    put_read(k, 8, SREG_nctaid_y);
    put_product(k, 7, 8);
    put_read(k, 8, SREG_nctaid_z);
    put_product(k, 7, 8);
    struct minst *const missing = put(k, OP_IADD3, OPC_INT_ADD, ITYPE_U32);
    missing->dst[0] = reg(6, 1);
    missing->src[0] = reg(7, 1);
    missing->src[0].mods = OPND_NEG;
    missing->src[1] = number((uint32_t)HALF_AND_ONE);
    missing->src[2] = none;
    put_move(k, 6, 1)->guard = IS_OTHER_BLOCK;
    put_fence(k);
    struct minst *const come = put(k, OP_ATOM, OPC_ATOM_GLOBAL, ITYPE_U32);
    come->guard = IS_THREAD;
    come->space = SPACE_GLOBAL;
    come->sub = MATOM_ADD;
    come->vec = 1;
    come->src[0] = reg(FIRST_ARGUMENT, 2);
    come->src[1] = reg(6, 1);
    come->offset = 4;
    const uint32_t again = k->n;
    put_count(k, 7);
    put_logic(k, XOR, 7, 7, 9, none);
    put_compare(k, IS_EARLY, 7, MCMP_GE, ITYPE_S32);
    put_branch(k, IS_EARLY, false)->target = (int32_t)(first + again);
    put_fence(k);
    others->target = (int32_t)(first + k->n);
    put_barrier(k);
    put_move(k, FIRST_ARGUMENT, 0);
}

uint32_t system_call_code(enum msyscall c, uint32_t first, struct minst inst[SYSTEM_CALL_INSTS],
                          struct code_control control[SYSTEM_CALL_INSTS]) {
    if (c == MSYS_GRID_HANDLE || c == MSYS_GRID_WAIT) {
        struct making k = {inst, control, 0};
        if (c == MSYS_GRID_HANDLE)
            grid_handle(&k);
        else
            grid_wait(&k, first);
        put_return(&k);
        return k.n;
    }
    const struct minst blank = {
        .klass = OPC_CTRL, .guard = PRED_TRUE, .target = -1, .reconv = -1};
    struct minst *const call = &inst[0], *const back = &inst[1];
    *call = *back = blank;
    call->op = OP_SYSCALL;
    call->sub = (uint8_t)c;
    call->src[0] = reg(FIRST_ARGUMENT, 2);
    if (c == MSYS_VPRINTF) {
        call->dst[0] = reg(FIRST_ARGUMENT, 1);
        call->src[1] = reg(FIRST_ARGUMENT + 2, 2);
    } else if (c == MSYS_MALLOC) {
        call->dst[0] = reg(FIRST_ARGUMENT, 2);
    } else if (c == MSYS_ASSERTFAIL) {
        call->src[1] = reg(FIRST_ARGUMENT + 2, 2);
        call->src[2] = reg(FIRST_ARGUMENT + 4, 1);
        call->src[3] = reg(FIRST_ARGUMENT + 6, 2);
    }
    back->op = OP_JUMP;
    back->sub = MJUMP_RETURN;
    back->src[0] = reg(RETURN_ADDRESS, 2);
    control[0] = (struct code_control){.stall = 2, .write = COUNTER, .read = CONTROL_NONE};
    control[1] = (struct code_control){
        .stall = 1, .write = CONTROL_NONE, .read = CONTROL_NONE, .wait = 1u << COUNTER};
    return 2;
}
