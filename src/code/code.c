// code_build: one kernel from PTX to an image. Everything made on the way lives in one working
// arena that is gone when the image stands.
#include "code/edit.h"
#include "code/from_ptx.h"
#include "code/link.h"
#include "code/lower.h"
#include "isa/control.h"

// Code may name so many registers whatever the limit: fewer would spill what one instruction needs.
enum { LEAST_REGISTERS = 16 };

static uint64_t product(const uint32_t n[3]) {
    return (uint64_t)n[0] * (n[1] ? n[1] : 1) * (n[2] ? n[2] : 1);
}

// The CTAs that an SM is to hold at once. A .minnctapersm that no SM can hold is ignored.
static uint32_t bounded_ctas(const struct ptx_func *k, const struct code_target *t,
                             uint64_t threads) {
    const uint32_t asked = k->minnctapersm;
    return asked && asked <= t->max_ctas_per_sm && asked * threads <= t->max_threads_per_sm ? asked
                                                                                            : 1;
}

// The registers with which an SM holds as many CTAs as the kernel's launch bounds ask for. ptxas 11.8
// and 12.9 take the same for sm_35 to sm_80 (from 300 threads x 3: 64, 224 x 3: 80). UINT32_MAX: it
// has no bounds.
static uint32_t bounded_registers(const struct ptx_func *k, const struct code_target *t) {
    const uint64_t threads = product(k->reqntid[0] ? k->reqntid : k->maxntid);
    if (!threads || !t->file.registers || threads > t->max_threads_per_sm) return UINT32_MAX;
    const uint64_t warps = (threads + REGISTER_FILE_LANES - 1) / REGISTER_FILE_LANES;
    return register_file_share(&t->file, bounded_ctas(k, t, threads), (uint32_t)warps);
}

uint32_t code_register_limit(const struct ptx_func *k, const struct code_target *t,
                             uint32_t option) {
    const uint32_t bounds = bounded_registers(k, t);
    uint32_t limit = k->maxnreg ? k->maxnreg : UINT32_MAX;
    if ((!k->maxnreg || k->minnctapersm) && bounds < limit) limit = bounds;
    if (limit == UINT32_MAX && option) limit = option;
    const uint32_t kept = register_file_kept(t->gen), most = t->max_regs - kept;
    limit = limit < LEAST_REGISTERS + kept ? LEAST_REGISTERS : limit - kept;
    return limit < most ? limit : most;
}

static uint32_t most_taken(const struct ptx_func *k) {
    uint32_t most = 0;
    for (uint32_t i = 0; i < k->n_insts; i++)
        if (k->insts[i].op == PTX_OP_setmaxnreg && ptx_has(&k->insts[i], PTX_MOD_inc) &&
            (uint32_t)k->insts[i].operand[0].imm > most)
            most = (uint32_t)k->insts[i].operand[0].imm;
    return most;
}
bool code_changes_registers(const struct ptx_func *k) {
    bool any = false;
    for (uint32_t i = 0; i < k->n_insts && !any; i++) any = k->insts[i].op == PTX_OP_setmaxnreg;
    return any && (k->maxnreg || product(k->reqntid[0] ? k->reqntid : k->maxntid));
}

static struct mfunc *compile(struct arena *work, const struct ptx_module *m,
                             const struct ptx_func *fn, bool is_kernel, const struct code_target *t,
                             const struct code_symbols *s, const struct lower_shared *shared,
                             struct diags *d) {
    struct mfunc *f = arena_alloc(work, sizeof *f);
    *f = (struct mfunc){.arena = work,
                        .module = m,
                        .ptx = fn,
                        .target = t,
                        .name = fn->name,
                        .is_entry = is_kernel,
                        .shared = shared,
                        .sp_vreg = UINT32_MAX};
    const uint32_t errors = d->errors;
    for (uint32_t i = 0; i < fn->n_refused; i++)
        diag_at(d, DIAG_ERROR, WW_ERROR_UNSUPPORTED, m->name, m->text, fn->refused[i].line,
                fn->refused[i].col, "%s", fn->refused[i].text);
    if (fn->n_refused) return NULL;
    lower_func(f, s, d);
    if (d->errors > errors) return NULL;
    opt_run(f);
    return f;
}

// Allocates functions behind those that they call, since what lives over a call lies above what the
// callee takes. One that calls itself on some way is met before it is done: it keeps registers.
static bool allocate(struct arena *work, struct mfunc **func, uint32_t n,
                     struct mfunc *const *callee, uint32_t max_regs, struct diags *d) {
    const uint32_t errors = d->errors;
    struct {
        struct mfunc *f;
        uint32_t at;
    } *stack = arena_alloc(work, n * sizeof *stack);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t depth = 0;
        if (func[i]->callee != NULL) continue; // met before
        func[i]->callee = callee;
        stack[depth++].f = func[i];
        stack[0].at = 0;
        while (depth) {
            struct mfunc *const f = stack[depth - 1].f;
            const uint32_t at = stack[depth - 1].at++;
            if (at == f->inst.n) {
                ra_run(f, max_regs, d);
                if (d->errors > errors) return false;
                depth--;
                continue;
            }
            const struct minst *const m = &f->inst.at[at];
            if (m->op != OP_CALL || m->target < 0) continue;
            struct mfunc *const next = callee[m->target];
            if (next && next->callee && !next->allocated) next->keeps = true;
            if (next == NULL || next->callee != NULL) continue;
            next->callee = callee;
            stack[depth].f = next;
            stack[depth++].at = 0;
        }
    }
    return true;
}

static void describe_params(struct code_image *im, const struct ptx_func *k) {
    uint32_t *offset = arena_alloc(&im->arena, (k->n_params + 1) * sizeof *offset);
    im->param_bytes = lower_layout_params(k, offset);
    im->params = arena_alloc(&im->arena, k->n_params * sizeof *im->params);
    im->n_params = k->n_params;
    for (uint32_t i = 0; i < k->n_params; i++)
        im->params[i] = (struct code_param){.offset = offset[i],
                                            .bytes = (uint32_t)k->params[i]->bytes,
                                            .align = k->params[i]->align,
                                            .type = from_type(k->params[i]->type)};
}

static void describe_source(struct code_image *im, const struct ptx_module *m) {
    struct code_source *const s = &im->source;
    s->name = m->name;
    s->text = m->text;
    s->target = m->target;
    const char **const function = arena_alloc(&im->arena, (m->n_funcs + 1) * sizeof *function);
    for (uint32_t i = 0; i < m->n_funcs; i++) function[i] = m->funcs[i]->name;
    s->function = function;
    s->n_files = m->n_files;
    s->files = arena_alloc(&im->arena, (m->n_files + 1) * sizeof *s->files);
    for (uint32_t i = 0; i < m->n_files; i++)
        s->files[i] = (struct code_file){m->files[i].number, m->files[i].path};
}

struct build {
    struct code_image *im;
    const struct ptx_module *module;
    const struct ptx_func *kernel;
    const struct code_target *target;
    struct arena work;
    const struct code_symbols *symbols;
    uint32_t stack_bytes;
    struct diags *d;
};

static bool build(struct build *b) {
    struct code_image *im = b->im;
    const struct ptx_module *m = b->module;
    uint32_t *index;
    const uint32_t n = lower_reachable(&b->work, m, b->kernel, &index);
    struct lower_shared shared = {0}; // one for all of them: they share the block's memory
    lower_layout_shared(&b->work, m, index, n, &shared);
    struct mfunc **func = arena_alloc(&b->work, n * sizeof *func);
    struct mfunc **callee = arena_alloc(&b->work, ((size_t)m->n_funcs + 1) * sizeof *callee);
    bool indirect = false;
    for (uint32_t i = 0; i < n; i++) {
        func[i] =
            compile(&b->work, m, m->funcs[index[i]], i == 0, b->target, b->symbols, &shared, b->d);
        if (!func[i]) return false;
        callee[index[i]] = func[i];
        indirect |= func[i]->calls_indirect;
    }
    const bool *const addressed = indirect ? lower_addressed(&b->work, m) : NULL;
    for (uint32_t i = 1; indirect && i < n; i++) func[i]->keeps = addressed[index[i]];
    if (!allocate(&b->work, func, n, callee, b->target->max_regs, b->d)) return false;
    im->shared_bytes = shared.bytes;
    im->shared_dynamic = shared.dynamic;
    im->n_funcs = m->n_funcs;
    describe_params(im, b->kernel);
    describe_source(im, m);
    image_link(im, &b->work, func, index, n, b->stack_bytes);
    if (gen_has(im->target.gen, TRAIT_TWO_PIPES)) pipes_balance(im, &b->work);
    if (gen_has(im->target.gen, TRAIT_CONTROL)) control_set(im, &b->work);
    if (image_check(im, b->d) != WW_OK) return false;
    if (b->target->marks_last_reads) image_last_reads(im, &b->work);
    return true;
}

enum ww_status code_build(const struct ptx_module *m, const struct ptx_func *kernel,
                          const struct code_target *t, const struct code_symbols *s,
                          uint32_t max_regs_override, uint32_t stack_bytes, struct diags *d,
                          struct code_image **out) {
    *out = NULL;
    struct code_target limited = *t; // scheduling heeds the limit too
    limited.max_regs = code_register_limit(kernel, t, max_regs_override);
    uint32_t granted = 0; // where warps begin with fewer than some of them name later
    if (code_changes_registers(kernel)) {
        const uint32_t kept = register_file_kept(t->gen), most = most_taken(kernel);
        granted = limited.max_regs + kept;
        if (most > granted) limited.max_regs = most - kept;
    }
    struct build b = {.module = m,
                      .kernel = kernel,
                      .target = &limited,
                      .symbols = s,
                      .stack_bytes = stack_bytes,
                      .d = d};
    struct arena home;
    arena_init(&home, m->arena.allocator);
    arena_init(&b.work, m->arena.allocator);
    b.im = arena_alloc(&home, sizeof *b.im);
    if (!b.im) return diag_add(d, WW_ERROR_MEMORY, "out of memory for '%s'", kernel->name);
    *b.im =
        (struct code_image){.arena = home, .name = kernel->name, .target = {t->gen, t->latencies}, .granted = granted};
    jmp_buf oom;
    b.work.oom = b.im->arena.oom = &oom;
    const uint32_t errors = d->errors;
    volatile bool fine = false;
    if (setjmp(oom) == 0)
        fine = build(&b);
    else
        diag_add(d, WW_ERROR_MEMORY, "out of memory while compiling '%s'", kernel->name);
    arena_free(&b.work);
    b.im->arena.oom = NULL;
    if (fine) {
        *out = b.im;
        return WW_OK;
    }
    code_free(b.im);
    return d->errors > errors ? diags_status(d) : WW_ERROR_INTERNAL;
}
