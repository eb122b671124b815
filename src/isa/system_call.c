// System calls of machine code as instructions.
#include "isa/system_call.h"
#include "isa/op.h"

enum { FIRST_ARGUMENT = 4, RETURN_ADDRESS = 20, COUNTER = 0 };

static struct opnd reg(uint32_t n, uint32_t words) {
    return (struct opnd){.kind = OPND_GPR, .words = (uint8_t)words, .reg = n};
}

void system_call_code(enum msyscall c, struct minst inst[SYSTEM_CALL_INSTS],
                      struct code_control control[SYSTEM_CALL_INSTS]) {
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
}
