// Linking: the kernel and the functions that it can reach become one array of instructions. Labels
// become instruction indices, calls find their functions, every branch that can split a warp learns
// where its lanes meet again, literals move to one bank, frames get their final size.
#include "code/link.h"

struct link {
    struct code_image *im;
    struct arena *scratch;
    struct mfunc *const *func;
    const uint32_t *index;
    uint32_t n;
    uint32_t *base;         // pc of function i
    uint32_t *literal_base; // its literals in c[2]
    uint32_t *table_base;
    int32_t *which; // ptx function index -> i, -1: not here
};

static void copy_code(struct link *k) {
    struct code_image *im = k->im;
    uint32_t tables = 0, literals = 0;
    for (uint32_t i = 0; i < k->n; i++) {
        const struct mfunc *f = k->func[i];
        k->base[i] = im->n_insts;
        im->n_insts += f->inst.n;
        k->table_base[i] = tables;
        tables += f->n_tables;
        literals = (uint32_t)bits_align_up(literals, 16);
        k->literal_base[i] = literals;
        literals += f->literals.n;
    }
    im->inst = arena_alloc(&im->arena, im->n_insts * sizeof *im->inst);
    im->tables = arena_alloc(&im->arena, tables * sizeof *im->tables);
    im->n_tables = tables;
    im->literals = arena_alloc(&im->arena, literals);
    im->literal_bytes = literals;
    im->func_pc = arena_alloc(&im->arena, im->n_funcs * sizeof *im->func_pc);
    memset(im->func_pc, 0xff, im->n_funcs * sizeof *im->func_pc);
    for (uint32_t i = 0; i < k->n; i++) {
        const struct mfunc *f = k->func[i];
        if (f->inst.n) memcpy(im->inst + k->base[i], f->inst.at, f->inst.n * sizeof *im->inst);
        if (f->literals.n) memcpy(im->literals + k->literal_base[i], f->literals.at, f->literals.n);
        if (k->index[i] < im->n_funcs) im->func_pc[k->index[i]] = k->base[i];
    }
}

// ---- one function's blocks, branches, tables ---------------------------------------------
static void link_tables(struct link *k, uint32_t i) {
    const struct mfunc *f = k->func[i];
    for (uint32_t t = 0; t < f->n_tables; t++) {
        struct code_table *to = &k->im->tables[k->table_base[i] + t];
        to->n = f->tables[t].n;
        to->pc = arena_alloc(&k->im->arena, to->n * sizeof *to->pc);
        for (uint32_t j = 0; j < to->n; j++)
            to->pc[j] = k->base[i] + (uint32_t)f->label_at.at[f->tables[t].label[j]];
    }
}

static void link_blocks(struct link *k, uint32_t i, const struct cfg *c, struct code_block *out,
                        uint32_t first_block) {
    struct code_image *im = k->im;
    for (uint32_t b = 0; b < c->n; b++) {
        const struct cfg_block *block = &c->block[b];
        out[b] = (struct code_block){
            .first = k->base[i] + block->first,
            .n = block->n,
            .ipdom = block->ipdom < 0 ? -1 : block->ipdom + (int32_t)first_block,
            .loop_depth = (uint16_t)block->loop_depth};
        struct minst *last = &im->inst[out[b].first + block->n - 1];
        if ((last->op == OP_BRA && minst_is_guarded(last, true)) || last->op == OP_BRX)
            last->reconv =
                block->meet < 0 ? -1 : (int32_t)(k->base[i] + c->block[block->meet].first);
    }
}

static void patch_frame(struct minst *m, int64_t frame) {
    if (mop_info[m->op].flags & (OPF_LOAD | OPF_STORE)) {
        m->offset += frame;
    } else {
        struct opnd *o = m->src[1].kind == OPND_IMM ? &m->src[1] : &m->src[0];
        const int64_t v = o->words == 2 ? (int64_t)o->imm : (int32_t)o->imm;
        o->imm = (uint64_t)(v + (v < 0 ? -frame : frame));
        if (o->words != 2) o->imm = (uint32_t)o->imm;
    }
    m->flags &= ~(uint32_t)MF_FRAME;
}

static void link_code(struct link *k, uint32_t i) {
    const struct mfunc *f = k->func[i];
    const uint32_t frame = image_frame_bytes(f);
    for (uint32_t j = 0; j < f->inst.n; j++) {
        struct minst *m = &k->im->inst[k->base[i] + j];
        if (m->op == OP_BRA)
            m->target = (int32_t)k->base[i] + f->label_at.at[m->target];
        else if (m->op == OP_CALL)
            m->target = m->target >= 0 && k->which[m->target] >= 0
                            ? (int32_t)k->base[k->which[m->target]]
                            : -1;
        else if (m->op == OP_BRX)
            m->aux = (uint16_t)(m->aux + k->table_base[i]);
        if (m->flags & MF_FRAME) patch_frame(m, frame);
        for (unsigned s = 0; s < MINST_SRCS; s++)
            if (m->src[s].kind == OPND_CONST && m->src[s].bank == CB_LITERAL)
                m->src[s].reg += k->literal_base[i];
        if (m->op == OP_LDC && m->sub == CB_LITERAL) m->offset += k->literal_base[i];
    }
}

// ---- local memory --------------------------------------------------------------------------
// Bytes of the deepest chain of frames from function i on. Depth-first; a function met again on its
// own chain recurses, and only a stack of a given size will do.
static uint32_t deepest(struct link *k, uint32_t i, uint8_t *state, uint32_t *depth_of,
                        bool *recursive) {
    struct {
        uint32_t func, at, most;
    } *stack = arena_alloc(k->scratch, ((size_t)k->n + 1) * sizeof *stack);
    uint32_t depth = 0;
    enum { NEW, OPEN, DONE };
    stack[depth].func = i;
    stack[depth].at = stack[depth].most = 0;
    state[i] = OPEN;
    depth++;
    while (depth) {
        const uint32_t top = depth - 1, f = stack[top].func;
        const struct mfunc *fn = k->func[f];
        while (stack[top].at < fn->inst.n && fn->inst.at[stack[top].at].op != OP_CALL)
            stack[top].at++;
        if (stack[top].at == fn->inst.n) {
            depth_of[f] = image_frame_bytes(fn) + stack[top].most;
            state[f] = DONE;
            depth--;
            continue;
        }
        const int32_t target = fn->inst.at[stack[top].at].target;
        const int32_t callee = target < 0 ? -1 : k->which[target];
        if (callee >= 0 && state[callee] == NEW) {
            state[callee] = OPEN;
            stack[depth].func = (uint32_t)callee;
            stack[depth].at = stack[depth].most = 0;
            depth++;
            continue; // the same call is looked at again, done then
        }
        if (callee >= 0 && state[callee] == OPEN) *recursive = true;
        if (callee >= 0 && state[callee] == DONE && depth_of[callee] > stack[top].most)
            stack[top].most = depth_of[callee];
        stack[top].at++;
    }
    return depth_of[i];
}

static void size_local_memory(struct link *k, uint32_t stack_bytes) {
    struct code_image *im = k->im;
    bool recursive = false, allocates = false;
    for (uint32_t i = 0; i < k->n; i++) {
        recursive |= k->func[i]->calls_indirect;
        allocates |= k->func[i]->has_alloca;
    }
    uint8_t *state = arena_alloc(k->scratch, k->n);
    uint32_t *depth_of = arena_alloc(k->scratch, k->n * sizeof *depth_of);
    const uint32_t chain = deepest(k, 0, state, depth_of, &recursive);
    im->stack_frame_bytes = image_frame_bytes(k->func[0]);
    im->needs_stack = recursive || allocates;
    if (!stack_bytes) stack_bytes = CODE_STACK_BYTES;
    // frames whose depth is known stand beside the stack that the others and alloca share
    im->local_bytes = recursive ? im->stack_frame_bytes : chain;
    if (im->needs_stack) im->local_bytes += (uint32_t)bits_align_up(stack_bytes, 16);
}

void image_link(struct code_image *im, struct arena *scratch, struct mfunc *const *func,
                const uint32_t *index, uint32_t n, uint32_t stack_bytes) {
    struct link k = {.im = im, .scratch = scratch, .func = func, .index = index, .n = n};
    k.base = arena_alloc(scratch, n * sizeof *k.base);
    k.literal_base = arena_alloc(scratch, n * sizeof *k.literal_base);
    k.table_base = arena_alloc(scratch, n * sizeof *k.table_base);
    k.which = arena_alloc(scratch, ((size_t)im->n_funcs + 1) * sizeof *k.which);
    memset(k.which, 0xff, ((size_t)im->n_funcs + 1) * sizeof *k.which);
    for (uint32_t i = 0; i < n; i++)
        if (index[i] < im->n_funcs) k.which[index[i]] = (int32_t)i;
    copy_code(&k);
    struct cfg **cfgs = arena_alloc(scratch, n * sizeof *cfgs);
    for (uint32_t i = 0; i < n; i++) {
        cfgs[i] = cfg_build(scratch, func[i]);
        cfg_dominators(cfgs[i]);
        cfg_post_dominators(cfgs[i]);
        cfg_meeting_points(cfgs[i]);
        cfg_loops(cfgs[i]);
        im->n_blocks += cfgs[i]->n;
    }
    im->blocks = arena_alloc(&im->arena, im->n_blocks * sizeof *im->blocks);
    uint32_t first_block = 0;
    for (uint32_t i = 0; i < n; i++) {
        link_code(&k, i);
        link_tables(&k, i);
        link_blocks(&k, i, cfgs[i], im->blocks + first_block, first_block);
        first_block += cfgs[i]->n;
        if (func[i]->n_regs > im->n_regs) im->n_regs = func[i]->n_regs;
        if (func[i]->n_preds > im->n_preds) im->n_preds = func[i]->n_preds;
        im->stats.spill_loads += func[i]->spill_loads;
        im->stats.spill_stores += func[i]->spill_stores;
        im->stats.spilled_regs += func[i]->spilled_regs;
        if (func[i]->ptx) im->source.insts += func[i]->ptx->n_insts;
    }
    const uint32_t least = gen_has(im->target.gen, TRAIT_STACK_REGISTER) ? 2 : 1;
    if (im->n_regs < least) im->n_regs = least;
    size_local_memory(&k, stack_bytes);
    image_note_uses(im);
}
