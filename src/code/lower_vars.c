// Where every variable lives, and the frame.
//
// A frame is [arguments][results][locals][spills] (code.h), addressed from the stack pointer. The
// .param variables around a call need no frame of their own when they are what PTX demands of them,
// written right before the call and read right after it: then they are the argument's or result's
// place in the callee's frame (HOME_OUT).
#include "code/lower_priv.h"

static uint64_t hash_of(const void *p) {
    uint64_t x = (uint64_t)(uintptr_t)p;
    x ^= x >> 29;
    return x * 0x9e3779b97f4a7c15ull >> 20;
}

static struct lower_var *slot_of(const struct lower *l, const struct ptx_var *v) {
    uint32_t at = (uint32_t)hash_of(v) & (l->var_cap - 1);
    while (l->var[at].var && l->var[at].var != v) at = (at + 1) & (l->var_cap - 1);
    return &l->var[at];
}

static struct lower_var *add(struct lower *l, const struct ptx_var *v, enum lower_home home,
                             uint64_t value);

static void grow(struct lower *l, uint32_t cap) {
    const struct lower_var *const old = l->var;
    const uint32_t n = l->var_cap;
    l->var = arena_alloc(l->arena, cap * sizeof *l->var);
    l->var_cap = cap;
    for (uint32_t k = 0; k < n; k++)
        if (old[k].var) *slot_of(l, old[k].var) = old[k];
}

static struct lower_var *add(struct lower *l, const struct ptx_var *v, enum lower_home home,
                             uint64_t value) {
    if (2 * ++l->n_vars > l->var_cap) grow(l, l->var_cap * 2);
    struct lower_var *const s = slot_of(l, v);
    *s = (struct lower_var){.var = v, .home = (uint8_t)home, .value = value};
    return s;
}

uint32_t lower_frame(struct lower *l, uint32_t bytes, uint32_t align) {
    const uint32_t at = (uint32_t)bits_align_up(l->f->frame_bytes, align ? align : 1);
    l->f->frame_bytes = at + bytes;
    return at;
}

// ---- module variables, as they are met ----------------------------------------------------

static int64_t module_index(const struct lower *l, const struct ptx_var *v) {
    if (l->m->var_names.cap) {
        const int32_t k = names_get(&l->m->var_names, v->name, strlen(v->name));
        if (k >= 0 && l->m->vars[k] == v) return k;
    }
    for (uint32_t k = 0; k < l->m->n_vars; k++)
        if (l->m->vars[k] == v) return k;
    return -1;
}

// Module-scope .local variables (before ISA 3.0) are the start of every kernel's frame.
static uint32_t module_local(const struct ptx_module *m, const struct ptx_var *v) {
    uint64_t at = 0;
    for (uint32_t k = 0; k < m->n_vars; k++) {
        if (m->vars[k]->space != PTX_SPACE_LOCAL) continue;
        at = bits_align_up(at, m->vars[k]->align ? m->vars[k]->align : 1);
        if (m->vars[k] == v) return (uint32_t)at;
        at += m->vars[k]->bytes;
    }
    return (uint32_t)at;
}

static bool is_handle(const struct ptx_var *v) {
    return v->type == PTX_TEXREF || v->type == PTX_SAMPLERREF || v->type == PTX_SURFREF ||
           v->space == PTX_SPACE_TEX;
}

static struct lower_var *meet(struct lower *l, const struct ptx_var *v) {
    if (v->space == PTX_SPACE_SHARED) {
        const struct lower_shared *const layout = l->f->shared ? l->f->shared : &l->own_shared;
        const int64_t at = lower_shared_offset(layout, v);
        if (at < 0) lower_refuse(l, "`%s` has no place in shared memory", v->name);
        return add(l, v, HOME_SHARED, at < 0 ? 0 : (uint64_t)at);
    }
    const int64_t k = module_index(l, v);
    if (v->is_extern)
        lower_refuse(l, "`%s` is .extern, and nothing that was loaded with this text defines it",
                     v->name);
    if (v->space == PTX_SPACE_LOCAL && k >= 0)
        return add(l, v, HOME_KERNEL_FRAME, module_local(l->m, v));
    const uint64_t address = k >= 0 && l->s && l->s->addr ? l->s->addr[k] : 0;
    if (is_handle(v)) return add(l, v, HOME_HANDLE, address);
    if (v->space == PTX_SPACE_CONST) return add(l, v, HOME_CONST, address);
    if (k < 0) lower_refuse(l, "`%s` lives in another function", v->name);
    return add(l, v, HOME_GLOBAL, address);
}

struct lower_var *lower_var(struct lower *l, const struct ptx_var *v) {
    struct lower_var *const s = slot_of(l, v);
    return s->var ? s : meet(l, v);
}

// ---- .param variables around calls --------------------------------------------------------

struct param_use {
    const struct ptx_var *var;
    uint32_t calls, accesses, first, last; // first, last: instructions that load or store it
    uint32_t site, position;
    bool result, taken;
};

static struct param_use *find_use(struct param_use *u, uint32_t n, const struct ptx_var *v) {
    for (uint32_t k = 0; k < n; k++)
        if (u[k].var == v) return &u[k];
    return NULL;
}

static void note_list(struct param_use *u, uint32_t n, const struct ptx_operand *list,
                      uint32_t site, bool result) {
    for (uint32_t k = 0; k < list->n; k++) {
        if (list->list[k].kind != PTX_OPERAND_VAR) continue;
        struct param_use *const p = find_use(u, n, list->list[k].var);
        if (!p) continue;
        p->calls++;
        p->site = site;
        p->position = k;
        p->result = result;
    }
}

static void note_operand(struct param_use *u, uint32_t n, const struct ptx_operand *o, uint32_t at,
                         bool is_access) {
    if (o->var) {
        struct param_use *const p = find_use(u, n, o->var);
        if (p && is_access && o->kind == PTX_OPERAND_ADDRESS) {
            if (!p->accesses++) p->first = at;
            p->last = at;
        } else if (p) {
            p->taken = true;
        }
    }
    for (uint32_t k = 0; k < o->n; k++) note_operand(u, n, &o->list[k], at, false);
}

// What moves the place where the next callee's frame begins counts as a call does.
static bool moves_places(const struct ptx_inst *i) {
    return i->op == PTX_OP_call || i->op == PTX_OP_alloca || i->op == PTX_OP_stackrestore;
}

// Whether the variable can be its argument's place: no other call between its accesses and its own.
static bool is_place(const struct lower *l, const struct param_use *p,
                     const uint32_t *calls_before) {
    if (p->calls != 1 || p->taken) return false;
    const struct lower_call_site *const s = &l->site[p->site];
    if (!s->callee || p->position >= (p->result ? s->callee->n_results : s->callee->n_params))
        return false;
    if (!p->accesses) return true;
    const uint32_t here = calls_before[p->site];
    if (p->result) return p->first > p->site && calls_before[p->last] == here + 1;
    return p->last < p->site && calls_before[p->first] == here;
}

static void param_homes(struct lower *l) {
    const struct ptx_func *const fn = l->fn;
    uint32_t n = 0;
    struct param_use *const u = arena_alloc(l->arena, fn->n_vars * sizeof *u);
    for (uint32_t k = 0; k < fn->n_vars; k++)
        if (fn->vars[k]->space == PTX_SPACE_PARAM) u[n++].var = fn->vars[k];
    if (!n) return;
    uint32_t *const calls_before = arena_alloc(l->arena, (fn->n_insts + 1) * sizeof *calls_before);
    for (uint32_t k = 0; k < fn->n_insts; k++) {
        const struct ptx_inst *const i = &fn->insts[k];
        calls_before[k + 1] = calls_before[k] + moves_places(i);
        if (i->op == PTX_OP_call) {
            note_list(u, n, &i->operand[1], k, true);
            note_list(u, n, &i->operand[2], k, false);
            continue;
        }
        const bool is_access = i->op == PTX_OP_ld || i->op == PTX_OP_st;
        if (i->space != PTX_SPACE_PARAM && i->op != PTX_OP_mov && i->op != PTX_OP_cvta &&
            !is_access)
            continue;
        for (unsigned o = 0; o < i->n_operands; o++)
            note_operand(u, n, &i->operand[o], k, is_access);
    }
    for (uint32_t k = 0; k < n; k++) {
        const struct param_use *const p = &u[k];
        const struct ptx_var *const v = p->var;
        if (!is_place(l, p, calls_before)) {
            add(l, v, HOME_FRAME, lower_frame(l, (uint32_t)v->bytes, v->align));
        } else if (l->site[p->site].syscall >= 0 && v->bytes <= 16) {
            add(l, v, HOME_VREG, lower_temp(l, v->bytes <= 4 ? 1 : v->bytes <= 8 ? 2 : 4).reg);
        } else {
            const struct lower_call_site *const s = &l->site[p->site];
            add(l, v, HOME_OUT, (p->result ? s->results : s->params)[p->position]);
        }
    }
}

// ---- a function's own ---------------------------------------------------------------------

void lower_vars_init(struct lower *l) {
    const struct ptx_func *const fn = l->fn;
    l->var_cap = 64;
    while (l->var_cap < 4 * (fn->n_vars + fn->n_params + fn->n_results + 8)) l->var_cap *= 2;
    l->var = arena_alloc(l->arena, l->var_cap * sizeof *l->var);
    uint32_t *const offset =
        arena_alloc(l->arena, (fn->n_params + fn->n_results + 1) * sizeof *offset);
    if (fn->is_entry) {
        lower_layout_params(fn, offset);
        for (uint32_t k = 0; k < fn->n_params; k++)
            add(l, fn->params[k], HOME_C0, CB0_PARAMS + offset[k]);
        for (uint32_t k = 0; k < l->m->n_vars; k++) {
            const struct ptx_var *const v = l->m->vars[k];
            if (v->space == PTX_SPACE_LOCAL) lower_frame(l, (uint32_t)v->bytes, v->align);
        }
    } else {
        uint32_t *const results = offset + fn->n_params;
        l->f->frame_bytes = lower_layout_call(fn, offset, results);
        for (uint32_t k = 0; k < fn->n_params; k++) add(l, fn->params[k], HOME_FRAME, offset[k]);
        for (uint32_t k = 0; k < fn->n_results; k++) add(l, fn->results[k], HOME_FRAME, results[k]);
    }
    for (uint32_t k = 0; k < fn->n_vars; k++) {
        const struct ptx_var *const v = fn->vars[k];
        if (v->space == PTX_SPACE_LOCAL)
            add(l, v, HOME_FRAME, lower_frame(l, (uint32_t)v->bytes, v->align));
    }
    param_homes(l);
    l->f->frame_bytes = (uint32_t)bits_align_up(l->f->frame_bytes, 4);
}

void lower_call_function(struct lower *l, uint32_t index) {
    for (uint32_t k = 0; k < l->f->called.n; k++)
        if (l->f->called.at[k] == index) return;
    vec_push(l->arena, &l->f->called, index);
}

// ---- addresses as values ------------------------------------------------------------------

struct opnd lower_address_of(struct lower *l, const struct ptx_var *v, int64_t offset,
                             unsigned words) {
    const struct lower_var *const s = lower_var(l, v);
    const uint64_t at = s->value + (uint64_t)offset;
    const bool in_frame = s->home == HOME_FRAME || s->home == HOME_OUT;
    if (!in_frame || (!l->uses_sp && s->home == HOME_FRAME))
        return words == 2 ? opnd_imm64(at) : opnd_imm(at);
    const struct lower_addr a =
        lower_frame_at(l, s->home == HOME_OUT ? FRAME_CALLEE : FRAME_OWN, (int64_t)at);
    const struct opnd t = lower_temp(l, words);
    lower_iadd(l, opnd_word(t, 0), a.base, opnd_imm((uint64_t)a.offset), a.flags);
    if (words == 2) lower_mov(l, opnd_word(t, 1), opnd_imm(0));
    return t;
}
