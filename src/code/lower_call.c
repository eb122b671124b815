// Calls. The callee's frame begins where the caller's ends; arguments and results are its first
// bytes (lower_layout_call). The caller stores arguments there, moves the stack pointer up, calls,
// and moves it down again (lower_stack.c). Built-in functions (vprintf, malloc, free, __assertfail)
// take registers.
#include "code/lower_priv.h"

static const struct {
    const char *name;
    uint8_t syscall, params, results;
} builtin[] = {{"vprintf", MSYS_VPRINTF, 2, 1},
               {"malloc", MSYS_MALLOC, 1, 1},
               {"free", MSYS_FREE, 1, 0},
               {"__assertfail", MSYS_ASSERTFAIL, 5, 0}};

int lower_syscall(const struct ptx_func *f) {
    if (f->has_body) return -1;
    for (size_t k = 0; k < WW_COUNT(builtin); k++)
        if (strcmp(f->name, builtin[k].name) == 0 && f->n_params == builtin[k].params)
            return builtin[k].syscall;
    return -1;
}

// ---- frames -------------------------------------------------------------------------------

// A word, pair or quad (type t) at `offset` of a frame.
static void frame_access(struct lower *l, enum mop op, enum isa_type t, uint32_t offset,
                         enum lower_whose whose, struct opnd value) {
    const struct lower_addr a = lower_frame_at(l, whose, offset);
    struct minst m = lower_new(l, op, t);
    m.klass = op == OP_LD ? OPC_LD_LOCAL : OPC_ST_LOCAL;
    m.space = a.space;
    m.vec = 1;
    m.offset = a.offset;
    m.flags = a.flags;
    m.src[0] = a.base;
    if (op == OP_LD)
        m.dst[0] = value;
    else
        m.src[1] = value;
    lower_put(l, &m);
}

static void load_reg(struct lower *l, const struct ptx_operand *o, enum isa_type t, uint32_t offset,
                     enum lower_whose whose) {
    if (o->kind == PTX_OPERAND_SINK) return;
    if (t == ITYPE_PRED) {
        const struct opnd w = lower_temp(l, 1);
        frame_access(l, OP_LD, ITYPE_U32, offset, whose, w);
        struct minst m = lower_new(l, OP_ISETP, ITYPE_U32);
        m.stype = ITYPE_U32;
        m.cmp = MCMP_NE;
        m.dst[0] = lower_dst_pred(l, o);
        m.src[0] = w;
        m.src[1] = opnd_imm(0);
        lower_put(l, &m);
        return;
    }
    const struct opnd d = lower_narrow_dst(l, o, t);
    frame_access(l, OP_LD, t, offset, whose, d);
    lower_widen(l, o, t, d);
}

static void store_reg(struct lower *l, const struct ptx_operand *o, enum isa_type t,
                      uint32_t offset, enum lower_whose whose) {
    struct opnd value;
    if (t == ITYPE_PRED) {
        value = lower_temp(l, 1);
        lower_sel(l, value, opnd_imm(1), opnd_imm(0), lower_src_pred(l, o));
        t = ITYPE_U32;
    } else {
        value = lower_src(l, o, t);
    }
    frame_access(l, OP_ST, t, offset, whose, value);
}

// A value between a register, or for an argument a constant, and its place in a frame. A vector
// register travels element by element, as its own type says: the formal parameter has as many
// bytes, as ptx_resolve.c sees to, but not always the same elements.
static void pass_value(struct lower *l, const struct ptx_operand *o, const struct ptx_var *formal,
                       uint32_t offset, enum lower_whose whose, bool out) {
    const struct ptx_reg *const reg =
        o->kind == PTX_OPERAND_REG && o->component < 0 ? &l->fn->regs[o->reg] : NULL;
    enum isa_type t = from_type(formal->type);
    if (reg && reg->elements > 1)
        t = from_type(reg->type);
    else if (formal->vector > 1 || formal->is_array)
        t = formal->bytes > 4 ? ITYPE_B64 : formal->bytes > 2 ? ITYPE_B32 : ITYPE_B16;
    const unsigned n = reg && reg->elements > 1 ? reg->elements : 1;
    struct ptx_operand element = *o;
    for (unsigned k = 0; k < n; k++) {
        const uint32_t at = offset + k * isa_type_bits(t) / 8;
        if (n > 1) element.component = (int8_t)k;
        if (out)
            store_reg(l, &element, t, at, whose);
        else
            load_reg(l, &element, t, at, whose);
    }
}

// Copies a variable of this frame from or to the callee's.
static void copy_param(struct lower *l, const struct ptx_var *v, uint32_t own, uint32_t other,
                       bool out) {
    const uint32_t bytes = (uint32_t)v->bytes, unit = v->align >= 4 ? 4 : v->align >= 2 ? 2 : 1;
    for (uint32_t at = 0; at < bytes;) {
        const uint32_t step = bytes - at < unit ? 1 : unit;
        const enum isa_type t = step == 4 ? ITYPE_U32 : step == 2 ? ITYPE_U16 : ITYPE_U8;
        const struct opnd w = lower_temp(l, 1);
        frame_access(l, OP_LD, t, (out ? own : other) + at, out ? FRAME_OWN : FRAME_CALLEE, w);
        frame_access(l, OP_ST, t, (out ? other : own) + at, out ? FRAME_CALLEE : FRAME_OWN, w);
        at += step;
    }
}

// ---- the call -----------------------------------------------------------------------------

static bool is_param_var(const struct ptx_operand *o) {
    return o->kind == PTX_OPERAND_VAR && o->var->space == PTX_SPACE_PARAM;
}

static void pass(struct lower *l, const struct ptx_operand *o, const struct ptx_var *formal,
                 uint32_t offset, bool out) {
    if (is_param_var(o)) {
        const struct lower_var *const v = lower_var(l, o->var);
        if (v->home == HOME_FRAME)
            copy_param(l, o->var, (uint32_t)v->value, offset, out);
        else if (v->home != HOME_OUT)
            lower_refuse(l, "`%s` cannot be passed on", o->var->name);
        return;
    }
    pass_value(l, o, formal, offset, FRAME_CALLEE, out);
}

// An argument of a built-in function as a register.
static struct opnd argument(struct lower *l, const struct ptx_operand *o,
                            const struct ptx_var *formal) {
    const enum isa_type t = formal->bytes > 4 ? ITYPE_B64 : ITYPE_B32;
    if (!is_param_var(o)) return lower_in_reg(l, lower_src(l, o, t));
    const struct lower_var *const v = lower_var(l, o->var);
    if (v->home == HOME_VREG) return opnd_gpr((uint32_t)v->value, lower_words(t));
    const struct opnd d = lower_temp(l, lower_words(t));
    frame_access(l, OP_LD, t, (uint32_t)v->value, FRAME_OWN, d);
    return d;
}

static void call_builtin(struct lower *l, const struct ptx_inst *i,
                         const struct lower_call_site *s) {
    struct minst m = lower_new(l, OP_SYSCALL, l->wide ? ITYPE_U64 : ITYPE_U32);
    m.sub = (uint8_t)s->syscall;
    const struct ptx_operand *const results = &i->operand[1], *const args = &i->operand[2];
    // __assertfail has a fifth argument, the size of a character, that nobody needs.
    for (uint32_t k = 0; k < args->n && k < 4; k++)
        m.src[k] = argument(l, &args->list[k], s->callee->params[k]);
    const struct ptx_operand *const r = results->n ? &results->list[0] : NULL;
    if (r && is_param_var(r)) {
        const struct lower_var *const v = lower_var(l, r->var);
        const unsigned words = r->var->bytes > 4 ? 2 : 1;
        m.dst[0] =
            v->home == HOME_VREG ? opnd_gpr((uint32_t)v->value, words) : lower_temp(l, words);
        lower_put(l, &m);
        if (v->home == HOME_FRAME)
            frame_access(l, OP_ST, words == 2 ? ITYPE_B64 : ITYPE_B32, (uint32_t)v->value,
                         FRAME_OWN, m.dst[0]);
        return;
    }
    if (r)
        m.dst[0] = lower_dst(l, r, s->callee->results[0]->bytes > 4 ? ITYPE_B64 : ITYPE_B32);
    else if (s->syscall == MSYS_VPRINTF)
        m.dst[0] = lower_temp(l, 1);
    else if (s->syscall == MSYS_MALLOC)
        m.dst[0] = lower_temp(l, l->wide ? 2 : 1);
    lower_put(l, &m);
}

static struct ptx_inst unguarded(const struct ptx_inst *i) {
    struct ptx_inst bare = *i;
    bare.guard = -1;
    return bare;
}

// A branch for the lanes in which the guard does not hold; answers its label, to be placed.
static int32_t branch_around(struct lower *l) {
    const int32_t label = (int32_t)l->f->label_at.n;
    vec_push(l->arena, &l->f->label_at, -1);
    struct minst m = lower_new(l, OP_BRA, ITYPE_NONE);
    m.guard_not = !m.guard_not;
    m.target = label;
    lower_put(l, &m);
    return label;
}

void lower_call_call(struct lower *l, const struct ptx_inst *i, unsigned unused) {
    (void)unused;
    const struct lower_call_site *const s = &l->site[l->at_index];
    const struct ptx_operand *const results = &i->operand[1], *const args = &i->operand[2];
    if (!s->callee) {
        lower_refuse(l, "an indirect call needs a prototype or a list of targets");
        return;
    }
    if (s->syscall >= 0) {
        call_builtin(l, i, s);
        return;
    }
    // what the device's own runtime ends in: CUDA 12 and later, and before
    if (s->func >= 0 && !s->callee->has_body &&
        (strncmp(s->callee->name, "__cuda_syscall_cnp", 18) == 0 ||
         strncmp(s->callee->name, "cnp", 3) == 0)) {
        lower_refuse(l, "kernels that launch kernels (dynamic parallelism) are not simulated");
        return;
    }
    if (s->func >= 0 && !s->callee->has_body) {
        lower_refuse(
            l, "function `%s` has no body, and is none of vprintf, malloc, free, __assertfail",
            s->callee->name);
        return;
    }
    for (uint32_t k = 0; k < s->callee->n_params; k++) {
        if (!s->callee->params[k]->unsized) continue;
        lower_refuse(l, "functions with a variable number of arguments are not modelled");
        return;
    }
    for (uint32_t k = 0; k < args->n && k < s->callee->n_params; k++)
        pass(l, &args->list[k], s->callee->params[k], s->params[k], true);
    struct opnd target = opnd_none();
    if (s->func < 0) target = lower_src(l, &i->operand[0], ITYPE_U32);
    // Lanes that do not call go around, so that what stands between the two moves of the stack
    // pointer has no guard: its reload would not know which lanes' pointers had moved.
    const struct ptx_inst bare = unguarded(i);
    const int32_t around = i->guard >= 0 ? branch_around(l) : -1;
    l->at = &bare;
    lower_stack_move(l, FRAME_CALLEE);
    struct minst m = lower_new(l, s->func >= 0 ? OP_CALL : OP_CALLI, ITYPE_U32);
    m.flags = ptx_has(i, PTX_MOD_uni) ? MF_UNIFORM : 0u;
    m.target = s->func;
    m.src[0] = target;
    lower_put(l, &m);
    lower_stack_move(l, FRAME_OWN);
    l->at = i;
    if (around >= 0) l->f->label_at.at[around] = (int32_t)l->f->inst.n;
    if (s->func >= 0) {
        lower_call_function(l, (uint32_t)s->func);
    } else {
        l->f->calls_indirect = true;
        const struct ptx_operand *const list = i->n_operands > 3 ? &i->operand[3] : NULL;
        if (list && list->kind == PTX_OPERAND_TARGETS) {
            const struct ptx_targets *const t = &l->fn->targets[list->targets];
            for (uint32_t k = 0; k < t->n; k++) lower_call_function(l, (uint32_t)t->target[k]);
        }
    }
    for (uint32_t k = 0; k < results->n && k < s->callee->n_results; k++)
        pass(l, &results->list[k], s->callee->results[k], s->results[k], false);
}

// ---- both ends of a function --------------------------------------------------------------

static struct ptx_operand reg_operand(const struct ptx_var *v) {
    return (struct ptx_operand){
        .kind = PTX_OPERAND_REG, .component = -1, .reg = v->reg, .reg2 = -1};
}

void lower_prologue(struct lower *l) {
    if (l->uses_sp) {
        l->f->sp_vreg = lower_temp(l, 1).reg;
        if (l->fn->is_entry) lower_mov(l, opnd_gpr(l->f->sp_vreg, 1), opnd_imm(0));
    }
    lower_stack_start(l);
    for (uint32_t k = 0; !l->fn->is_entry && k < l->fn->n_params; k++) {
        const struct ptx_var *const v = l->fn->params[k];
        if (v->space != PTX_SPACE_REG || v->reg < 0) continue;
        const struct ptx_operand o = reg_operand(v);
        pass_value(l, &o, v, (uint32_t)lower_var(l, v)->value, FRAME_OWN, false);
    }
}

void lower_epilogue(struct lower *l) {
    for (uint32_t k = 0; !l->fn->is_entry && k < l->fn->n_results; k++) {
        const struct ptx_var *const v = l->fn->results[k];
        if (v->space != PTX_SPACE_REG || v->reg < 0) continue;
        const struct ptx_operand o = reg_operand(v);
        pass_value(l, &o, v, (uint32_t)lower_var(l, v)->value, FRAME_OWN, true);
    }
    struct minst m = lower_new(l, l->fn->is_entry ? OP_EXIT : OP_RET, ITYPE_NONE);
    lower_put(l, &m);
}
