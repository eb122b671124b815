// System calls (stub until written).
#include "exec/warp.h"
static enum exec_outcome todo(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
                              uint32_t mask) {
    return fault_raise(e, w, x, FAULT_TRAP, bits_first32(mask), 0, 0, "not implemented yet");
}
const exec_fn sys_fns[] = {todo};
const exec_fn video_fns[] = {todo};
const exec_fn tex_fns[] = {todo, todo, todo, todo, todo, todo};
