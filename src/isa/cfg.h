// Control-flow graph of machine code, before or after register allocation.
#ifndef WW_ISA_CFG_H
#define WW_ISA_CFG_H

#include "isa/image.h"
#include "isa/op.h"

struct cfg_block {
    uint32_t first, n;        // instructions [first, first + n); n > 0
    uint32_t succ, n_succ;    // edges cfg.edge[succ ..)
    uint32_t pred, n_pred;    // edges cfg.pred_edge[pred ..)
    int32_t idom;             // immediate dominator, -1: the entry block, or unreachable
    int32_t ipdom;            // immediate post-dominator, -1: the end of the function
    int32_t meet;             // where lanes that part here meet again, -1: at the end
    uint32_t dom_in, dom_out; // interval in the dominator tree's depth-first numbering
    uint32_t rpo;             // position in reverse post-order, UINT32_MAX: unreachable
    uint32_t loop_depth;
    int32_t loop_head; // innermost loop's header (itself for a header), -1 none
    bool exits;        // has an edge to the end of the function
};

struct cfg {
    struct arena *arena;
    struct cfg_block *block; // in the order of the code
    uint32_t n;
    uint32_t *edge, n_edges;
    uint32_t *pred_edge;
    uint32_t *block_of;       // instruction -> block
    uint32_t *order, n_order; // reachable blocks in reverse post-order
};

// Targets of a BRX: label ids before layout, instruction indices after.
struct branch_table {
    int32_t *label;
    uint32_t n;
};

// The code that a graph is made of. Without `label_at` targets and table entries are instruction
// indices already.
struct cfg_code {
    const struct minst *inst;
    uint32_t n;
    bool allocated;
    const int32_t *label_at;
    const struct branch_table *tables;
};

// Blocks, edges and reverse post-order.
struct cfg *cfg_build_code(struct arena *a, struct cfg_code code);
struct cfg *cfg_build_image(struct arena *a, const struct code_image *im);
// Immediate dominators and the intervals for cfg_dominates.
void cfg_dominators(struct cfg *c);
// Immediate post-dominators. A loop without a way out counts as leaving from its last block in
// reverse post-order.
void cfg_post_dominators(struct cfg *c);
// Finds more blocks to meet in than ipdom has; needs cfg_post_dominators.
void cfg_meeting_points(struct cfg *c);
// Natural loops; needs cfg_dominators. Irreducible cycles count as no loop.
void cfg_loops(struct cfg *c);

static inline bool cfg_dominates(const struct cfg *c, uint32_t a, uint32_t b) {
    return c->block[a].dom_in <= c->block[b].dom_in && c->block[b].dom_out <= c->block[a].dom_out;
}

static inline bool minst_is_guarded(const struct minst *i, bool allocated) {
    return allocated ? !pred_is_true(i->guard) || i->guard_not : i->guard != VPRED_TRUE;
}
// Control that may go on behind it although it is no call: by a guard, or by the condition that a
// branch or an exit of machine code has beside it.
static inline bool minst_is_conditional(const struct minst *i, bool allocated) {
    return minst_is_guarded(i, allocated) || i->src[i->op == OP_JUMP].kind == OPND_PRED;
}
// Whether control never goes on to the next instruction.
bool minst_ends_flow(const struct minst *i, bool allocated);
// Whether the instruction is the last of its block.
bool minst_ends_block(const struct minst *i, bool allocated);

#endif
