// How the lanes of a warp part, meet again and take turns: a port with three bodies.
//
//   converge_stack  paths one after the other, on a stack: Tesla to Pascal (simt.c)
//   converge_nodes  threads of their own that meet at post-dominators, which the compiler found:
//                   our code for compute capability 7.0 and later (its_nodes.c)
//   converge_bars   threads of their own that meet at barrier registers, as the machine code of
//                   real compilers says (converge_bar.c)
//
// A launch has one body. The step of a warp (step.h) knows three facts: where it stands (w->pc),
// which lanes are there (w->active), and at which pc they meet others (w->reconv). All else is the
// body's. What the bodies do alike with branches and calls is said once in converge_flow.h, what
// the two with threads of their own do alike in its.c.
#ifndef WW_EXEC_CONVERGE_H
#define WW_EXEC_CONVERGE_H

#include "exec/exec_int.h"
#include "exec/wait.h"

// A piece of a body's state: where lanes stand and wait.
struct converge_span {
    void *at;
    size_t bytes;
};
enum { CONVERGE_SPANS = 2 };

struct converge {
    // Bytes of a warp's state in the memory of its CTA.
    size_t (*bytes)(void);
    // The warp begins: pc, active and live are set, `state` has so many bytes.
    void (*begin)(struct exec_warp *w, void *state);
    // The handler of an instruction under this body; NULL: the usual one, which the decoder chose.
    exec_fn (*choose)(const struct minst *m, struct xinst *x, exec_fn usual);
    // The active lanes stand at w->reconv.
    void (*meet)(struct exec_warp *w);
    // Barrier w->bar_id of the block opens, see exec_barrier_release.
    void (*release)(struct exec_warp *w, uint32_t value);
    // The i-th place where lanes wait at a barrier of the block, see exec_barrier_wait.
    bool (*wait)(const struct exec_warp *w, uint32_t i, struct exec_wait *out);
    // See exec_waits_text.
    void (*text)(const struct exec_warp *w, char *text, size_t size);
    // Where those of *lanes stand that take no part; leaves the lanes of one place in *lanes.
    // UINT32_MAX: no place is known.
    uint32_t (*parked)(const struct exec_warp *w, uint32_t *lanes);
    // The state, for a copy that can be put back while the warp lives. Answers how many pieces.
    uint32_t (*spans)(const struct exec_warp *w, struct converge_span span[CONVERGE_SPANS]);
    // Lanes run by threads of their own: launch.usual holds what an instruction does once the
    // lanes that it waits for have come, and backward branches know whether their loop waits.
    bool is_independent;
};
extern const struct converge converge_stack, converge_nodes, converge_bars;
const struct converge *converge_of(const struct code_image *im);

// Lanes end: they are struck off the live and active ones. What they leave is forgotten.
void converge_exit(struct exec_env *e, struct exec_warp *w, const struct xinst *x, uint32_t lanes);

// Control flow of our compiler's code, in the order of converge.c's table of operations.
enum flow_fn {
    FLOW_BRA,
    FLOW_BRA_ALL,
    FLOW_BRX,
    FLOW_CALL,
    FLOW_CALLI,
    FLOW_RET,
    FLOW_EXIT,
    FLOW_N
};
// Which of them an operation is; FLOW_N: none.
enum flow_fn flow_of(const struct minst *m);

#endif
