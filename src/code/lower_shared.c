// Layouts that lowering and the image stage must agree on: shared variables, kernel parameters,
// arguments and results in frames; and which functions a kernel reaches.
#include "code/lower.h"

#include <stdlib.h>

// ---- reachable functions ------------------------------------------------------------------

struct reach {
    struct arena *arena;
    const struct ptx_module *m;
    bool *seen;
    VEC(uint32_t) list;
    bool indirect;
};

static void reach_add(struct reach *r, int32_t func) {
    if (func < 0 || (uint32_t)func >= r->m->n_funcs || r->seen[func]) return;
    r->seen[func] = true;
    vec_push(r->arena, &r->list, (uint32_t)func);
}

static void reach_operand(struct reach *r, const struct ptx_operand *o) {
    if (o->kind == PTX_OPERAND_FUNC) reach_add(r, o->func);
    for (uint32_t k = 0; k < o->n; k++) reach_operand(r, &o->list[k]);
}

static void reach_targets(struct reach *r, const struct ptx_func *f) {
    for (uint32_t k = 0; k < f->n_targets; k++)
        for (uint32_t t = 0; f->targets[k].calls && t < f->targets[k].n; t++)
            reach_add(r, f->targets[k].target[t]);
}

static void reach_function(struct reach *r, const struct ptx_func *f) {
    for (uint32_t k = 0; k < f->n_insts; k++) {
        const struct ptx_inst *const i = &f->insts[k];
        if (i->op == PTX_OP_call && i->n_operands && i->operand[0].kind == PTX_OPERAND_REG)
            r->indirect = true;
        for (unsigned o = 0; o < i->n_operands; o++) reach_operand(r, &i->operand[o]);
    }
    reach_targets(r, f);
}

// Everything whose address stands in code or in an initialised variable.
static void reach_addresses(struct reach *r) {
    for (uint32_t k = 0; k < r->m->n_vars; k++) {
        const struct ptx_var *const v = r->m->vars[k];
        for (uint32_t n = 0; n < v->n_relocs; n++)
            if (v->relocs[n].is_function) reach_add(r, v->relocs[n].index);
    }
    for (uint32_t k = 0; k < r->m->n_funcs; k++) {
        const struct ptx_func *const f = r->m->funcs[k];
        for (uint32_t n = 0; n < f->n_insts; n++) {
            const struct ptx_inst *const i = &f->insts[n];
            if (i->op == PTX_OP_call) continue;
            for (unsigned o = 0; o < i->n_operands; o++) reach_operand(r, &i->operand[o]);
        }
    }
}

uint32_t lower_reachable(struct arena *a, const struct ptx_module *m, const struct ptx_func *kernel,
                         uint32_t **funcs) {
    struct reach r = {.arena = a, .m = m, .seen = arena_alloc(a, m->n_funcs)};
    bool indirect = false;
    for (uint32_t k = 0; k < m->n_funcs; k++)
        if (m->funcs[k] == kernel) reach_add(&r, (int32_t)k);
    for (uint32_t k = 0; k < r.list.n; k++) {
        reach_function(&r, m->funcs[r.list.at[k]]);
        if (r.indirect && !indirect) {
            indirect = true;
            reach_addresses(&r);
        }
    }
    *funcs = r.list.at;
    return r.list.n;
}

bool *lower_addressed(struct arena *a, const struct ptx_module *m) {
    struct reach r = {.arena = a, .m = m, .seen = arena_alloc(a, m->n_funcs)};
    reach_addresses(&r);
    for (uint32_t k = 0; k < m->n_funcs; k++) reach_targets(&r, m->funcs[k]);
    return r.seen;
}

// ---- shared memory ------------------------------------------------------------------------

struct shared_use {
    const struct ptx_var *var;
    uint32_t order; // of declaration
};

struct shared_list {
    struct arena *arena;
    VEC(struct shared_use) uses;
};

static int by_layout(const void *x, const void *y) {
    const struct shared_use *const a = x, *const b = y;
    if (a->var->align != b->var->align) return a->var->align > b->var->align ? -1 : 1;
    return a->order < b->order ? -1 : a->order > b->order;
}

static int by_pointer(const void *x, const void *y) {
    const struct shared_use *const a = x, *const b = y;
    return a->var < b->var ? -1 : a->var > b->var;
}

static void shared_operand(struct shared_list *s, const struct ptx_operand *o) {
    if (o->var && o->var->space == PTX_SPACE_SHARED)
        vec_push(s->arena, &s->uses, ((struct shared_use){o->var, 0}));
    for (uint32_t k = 0; k < o->n; k++) shared_operand(s, &o->list[k]);
}

// Position of declaration: module scope, then functions in order.
static void shared_order(const struct ptx_module *m, struct shared_use *u, uint32_t n) {
    uint32_t order = 0;
    for (uint32_t k = 0; k < m->n_vars; k++, order++) {
        const struct shared_use key = {m->vars[k], 0};
        struct shared_use *const at = m->vars[k]->space == PTX_SPACE_SHARED
                                          ? bsearch(&key, u, n, sizeof *u, by_pointer)
                                          : NULL;
        if (at) at->order = order;
    }
    for (uint32_t k = 0; k < m->n_funcs; k++) {
        for (uint32_t v = 0; v < m->funcs[k]->n_vars; v++, order++) {
            const struct shared_use key = {m->funcs[k]->vars[v], 0};
            struct shared_use *const at = bsearch(&key, u, n, sizeof *u, by_pointer);
            if (at) at->order = order;
        }
    }
}

void lower_layout_shared(struct arena *a, const struct ptx_module *m, const uint32_t *funcs,
                         uint32_t n_funcs, struct lower_shared *out) {
    struct shared_list s = {.arena = a};
    for (uint32_t k = 0; k < n_funcs; k++) {
        const struct ptx_func *const f = m->funcs[funcs[k]];
        for (uint32_t i = 0; i < f->n_insts; i++)
            for (unsigned o = 0; o < f->insts[i].n_operands; o++)
                shared_operand(&s, &f->insts[i].operand[o]);
    }
    *out = (struct lower_shared){0};
    if (!s.uses.n) return;
    qsort(s.uses.at, s.uses.n, sizeof *s.uses.at, by_pointer);
    uint32_t n = 0;
    for (uint32_t k = 0; k < s.uses.n; k++)
        if (!n || s.uses.at[n - 1].var != s.uses.at[k].var) s.uses.at[n++] = s.uses.at[k];
    shared_order(m, s.uses.at, n);
    qsort(s.uses.at, n, sizeof *s.uses.at, by_layout);
    uint64_t at = 0;
    uint32_t dynamic_align = 16; // what a dynamic array gets at the least
    for (uint32_t k = 0; k < n; k++) {
        const struct ptx_var *const v = s.uses.at[k].var;
        const uint32_t align = v->align ? v->align : 1;
        if (v->unsized) {
            if (align > dynamic_align) dynamic_align = align;
            continue;
        }
        at = bits_align_up(at, align);
        s.uses.at[k].order = (uint32_t)at; // from here on the offset
        at += v->bytes;
    }
    out->bytes = (uint32_t)at;
    out->dynamic = (uint32_t)bits_align_up(at, dynamic_align);
    for (uint32_t k = 0; k < n; k++)
        if (s.uses.at[k].var->unsized) s.uses.at[k].order = out->dynamic;
    qsort(s.uses.at, n, sizeof *s.uses.at, by_pointer);
    out->n = n;
    out->var = arena_alloc(a, n * sizeof *out->var);
    out->offset = arena_alloc(a, n * sizeof *out->offset);
    for (uint32_t k = 0; k < n; k++) {
        out->var[k] = s.uses.at[k].var;
        out->offset[k] = s.uses.at[k].order;
    }
}

int64_t lower_shared_offset(const struct lower_shared *l, const struct ptx_var *v) {
    uint32_t first = 0, end = l->n;
    while (first < end) {
        const uint32_t mid = first + (end - first) / 2;
        if (l->var[mid] == v) return l->offset[mid];
        if (l->var[mid] < v)
            first = mid + 1;
        else
            end = mid;
    }
    return -1;
}

// ---- parameters ---------------------------------------------------------------------------

static uint32_t place(uint32_t *at, const struct ptx_var *v) {
    uint32_t bytes = (uint32_t)v->bytes, align = v->align ? v->align : 1;
    if (v->space == PTX_SPACE_REG && bytes < 4)
        bytes = align = 4; // predicates and narrow registers
    *at = (uint32_t)bits_align_up(*at, align);
    const uint32_t offset = *at;
    *at += bytes;
    return offset;
}

uint32_t lower_layout_params(const struct ptx_func *f, uint32_t *offset) {
    uint32_t at = 0;
    for (uint32_t k = 0; k < f->n_params; k++) {
        const uint32_t here = place(&at, f->params[k]);
        if (offset) offset[k] = here;
    }
    return at;
}

uint32_t lower_layout_call(const struct ptx_func *f, uint32_t *params, uint32_t *results) {
    uint32_t at = lower_layout_params(f, params);
    for (uint32_t k = 0; k < f->n_results; k++) {
        const uint32_t here = place(&at, f->results[k]);
        if (results) results[k] = here;
    }
    return (uint32_t)bits_align_up(at, 16);
}
