// Modules made from PTX text: what it declares, and machine code by our compiler.
#include "gpu/module.h"

#include "code/code.h"
#include "gpu/device.h"
#include "isa/generation.h"

struct module_ptx {
    struct ptx_module *text;
    uint32_t *number; // of each variable in the module's list
    uint32_t shared;  // so many variables, the first, are machine code's, too
    uint64_t *addr;   // of each variable, see code_symbols
};

static bool is_opaque(const struct ptx_var *v) {
    return v->type == PTX_TEXREF || v->type == PTX_SURFREF || v->type == PTX_SAMPLERREF ||
           v->space == PTX_SPACE_TEX;
}

static enum module_kind kind_of(const struct ptx_var *v) {
    if (v->is_extern) return MODULE_NOWHERE; // the kernels that use it are refused
    if (is_opaque(v))
        return v->type == PTX_SURFREF      ? MODULE_SURFACE
               : v->type == PTX_SAMPLERREF ? MODULE_SAMPLER
                                           : MODULE_TEXTURE;
    return v->space == PTX_SPACE_CONST    ? MODULE_CONST
           : v->space == PTX_SPACE_GLOBAL ? MODULE_GLOBAL
                                          : MODULE_NOWHERE;
}

static const struct exec_texture *texture_of(struct arena *a, const struct ptx_var *v) {
    struct exec_texture t = {.channels = 1, .channel_bits = 32, .channel_kind = 2,
                             .linear_filter = v->tex_filter_mode == 1,
                             .normalized_coords = v->tex_normalized};
    for (int k = 0; k < 3; k++) t.address_mode[k] = (uint8_t)v->tex_address_mode[k];
    return arena_copy(a, &t, sizeof t);
}

static enum ww_status fills_of(struct gpu_module *m, const struct ptx_var *v,
                               struct module_variable *out, struct diags *d) {
    const struct ptx_module *p = m->ptx->text;
    out->fill = arena_alloc(&m->arena, (v->n_relocs + 1ul) * sizeof *out->fill);
    for (uint32_t i = 0; i < v->n_relocs; i++) {
        const struct ptx_reloc *r = &v->relocs[i];
        if (r->index < 0 || r->offset + r->bytes > v->bytes)
            return module_refuse(m, out, WW_ERROR_SYNTAX, d,
                                 "the initialiser of %s names %s, which is not there", v->name,
                                 r->symbol);
        if (!r->is_function && p->vars[r->index]->is_extern)
            return module_refuse(m, out, WW_ERROR_UNSUPPORTED, d,
                                 "the initialiser of %s names %s, which is .extern and not defined",
                                 v->name, r->symbol);
        out->fill[out->n_fills++] = (struct module_fill){
            .offset = r->offset,
            .variable = r->is_function ? -1 : (int32_t)m->ptx->number[r->index],
            .addend = r->addend + (r->is_function ? (int64_t)CODE_FUNC_ADDRESS(r->index) : 0),
            .bytes = r->bytes,
            .shift = r->shift,
            .in_segment = !r->generic};
    }
    return WW_OK;
}

static void add_variable(struct gpu_module *m, const struct ptx_var *v) {
    struct module_variable out = {.name = v->name,
                                  .kind = kind_of(v),
                                  .is_hidden = v->function >= 0,
                                  .align = v->align,
                                  .bytes = v->bytes,
                                  .init = v->init,
                                  .init_bytes = v->init ? v->init_bytes : 0,
                                  .line = v->line,
                                  .col = v->col};
    if (is_opaque(v)) out.texture = texture_of(&m->arena, v);
    if (out.kind == MODULE_CONST) {
        m->const_bytes = out.offset = bits_align_up(m->const_bytes, v->align ? v->align : 1);
        m->const_bytes += v->bytes;
    }
    vec_push(&m->arena, &m->variable, out);
}

static int64_t variable_named(const struct gpu_module *m, uint32_t n, const struct ptx_var *v) {
    for (uint32_t i = 0; i < n; i++)
        if (m->variable.at[i].kind == kind_of(v) && strcmp(m->variable.at[i].name, v->name) == 0)
            return i;
    return -1;
}

// Variables that the module has already, by name, are those.
static enum ww_status variables(struct gpu_module *m, struct diags *d) {
    const struct ptx_module *p = m->ptx->text;
    const uint32_t before = m->variable.n;
    m->ptx->number = arena_alloc(&m->arena, (p->n_vars + 1ul) * sizeof *m->ptx->number);
    for (uint32_t i = 0; i < p->n_vars; i++) {
        const int64_t there = variable_named(m, before, p->vars[i]);
        m->ptx->number[i] = there < 0 ? m->variable.n : (uint32_t)there;
        if (there < 0) add_variable(m, p->vars[i]);
    }
    enum ww_status s = WW_OK;
    for (uint32_t i = 0; i < p->n_vars && s == WW_OK; i++) {
        struct module_variable *v = &m->variable.at[m->ptx->number[i]];
        if (m->ptx->number[i] >= before && (v->kind == MODULE_GLOBAL || v->kind == MODULE_CONST))
            s = fills_of(m, p->vars[i], v, d);
    }
    return s == WW_OK ? module_place(m, before, d) : s;
}

static void kernels(struct gpu_module *m) {
    const struct ptx_module *p = m->ptx->text;
    m->kernels = arena_alloc(&m->arena, (p->n_funcs + 1ul) * sizeof *m->kernels);
    for (uint32_t i = 0; i < p->n_funcs; i++) {
        const struct ptx_func *f = p->funcs[i];
        if (!f->is_entry || !f->has_body) continue;
        struct gpu_kernel *k = &m->kernels[m->n_kernels++];
        *k = (struct gpu_kernel){.module = m, .name = f->name, .ptx = f};
        memcpy(k->max_threads, f->maxntid, sizeof k->max_threads);
        memcpy(k->required_threads, f->reqntid, sizeof k->required_threads);
        memcpy(k->clusters.required, f->reqnctapercluster, sizeof k->clusters.required);
        k->clusters.most = f->maxclusterrank;
        k->clusters.must_be_set = f->is_explicit_cluster;
        k->clusters.are_blocks = f->blocks_are_clusters;
    }
}

// A module for a later GPU than any that is simulated is refused, as drivers do. One for a later GPU than
// this one is taken: with it generations are compared.
static enum ww_status no_later_target(const struct ptx_module *p, struct diags *d) {
    uint32_t newest = 0;
    for (int g = 0; g < GEN_N; g++) newest = gen_info[g].cc_last > newest ? gen_info[g].cc_last : newest;
    if (p->target / 10 <= newest) return WW_OK;
    return diag_at(d, DIAG_ERROR, WW_ERROR_UNSUPPORTED, p->name, p->text, p->target_at.line,
                   p->target_at.col,
                   "the target sm_%u is of compute capability %u.%u (Blackwell), of which no GPU is "
                   "simulated; expected one of %u.x at most, such as sm_%ua",
                   p->target, p->target / 10, p->target % 10, newest, newest * 10);
}

enum ww_status module_ptx_read(struct gpu_module *m, const char *text, size_t len,
                               struct diags *d) {
    struct gpu *g = m->gpu;
    m->ptx = arena_alloc(&m->arena, sizeof *m->ptx);
    struct ptx_module *p = NULL;
    const enum ww_status s = ptx_parse_lazily(m->name, text, len, &g->allocator, d, &p);
    if (s != WW_OK) return s;
    m->ptx->text = p;
    const enum ww_status later = no_later_target(p, d);
    if (later != WW_OK) return later;
    m->name = p->name;
    m->text = p->text;
    m->target = p->target;
    m->made_from = arena_printf(&m->arena, "PTX %u.%u for sm_%u", p->version / 10,
                                p->version % 10, p->target);
    // PTX ISA 8.1 raised the limit for targets sm_70 and later ("Kernel Function Parameters"). What
    // the PTX was made for decides, for such a program runs on every simulated GPU.
    if (p->version >= 81 && p->target >= 70) m->param_room = GPU_PARAM_BYTES;
    if (p->address_size == 32 && !devmem_reach(g->memory, 1ull << 32))
        return diag_add(d, WW_ERROR_DEVICE_MEMORY,
                        "%s has addresses of 32 bits (.address_size 32), but memory beyond 4 GB is "
                        "in use; load it first",
                        m->name);
    kernels(m);
    return variables(m, d);
}

// Addresses as lowering wants them: of const variables their offsets.
static const uint64_t *addresses(struct gpu_module *m) {
    struct module_ptx *x = m->ptx;
    if (x->addr) return x->addr;
    x->addr = arena_alloc(&m->arena, (x->text->n_vars + 1ul) * sizeof *x->addr);
    for (uint32_t i = 0; i < x->text->n_vars; i++) {
        const struct module_variable *v = &m->variable.at[x->number[i]];
        x->addr[i] = v->kind == MODULE_CONST ? v->offset : v->address;
    }
    return x->addr;
}

static enum ww_status compile(struct gpu_kernel *k, const struct code_target *t, struct diags *d,
                              struct code_image **out) {
    struct gpu_module *m = k->module;
    const uint32_t stack = m->gpu->options.stack_bytes;
    const struct code_symbols symbols = {.addr = addresses(m), .const_base = m->const_base};
    return code_build(m->ptx->text, k->ptx, t, &symbols, m->max_registers,
                      stack ? stack : CODE_STACK_BYTES, d, out);
}

enum ww_status module_ptx_build(struct gpu_kernel *k, const struct code_target *t, struct diags *d,
                                struct code_image **out) {
    const enum ww_status s = compile(k, t, d, out);
    if (s == WW_OK) (*out)->source.instead = k->module->why_ptx;
    return s;
}

void module_ptx_free(struct gpu_module *m) {
    if (m->ptx && m->ptx->text) ptx_free(m->ptx->text);
}

// ---- beside machine code ------------------------------------------------------------------------
// A function that a variable holds the address of has one as machine code, which the variable holds,
// and one as PTX. What calls through a register would find the wrong one.
static enum ww_status no_stored_function(const struct gpu_kernel *k, const struct code_image *im,
                                         struct diags *d) {
    const struct gpu_module *m = k->module;
    const struct ptx_module *p = m->ptx->text;
    bool calls = false;
    for (uint32_t pc = 0; pc < im->n_insts; pc++) calls |= im->inst[pc].op == OP_CALLI;
    for (uint32_t i = 0; calls && i < p->n_vars; i++)
        for (uint32_t r = 0; r < p->vars[i]->n_relocs; r++)
            if (m->ptx->number[i] < m->ptx->shared && p->vars[i]->relocs[r].is_function)
                return diag_add(d, WW_ERROR_UNSUPPORTED,
                                "%s: kernel %s calls functions by address, and variable %s holds "
                                "those of machine code",
                                m->name, k->name, p->vars[i]->name);
    return WW_OK;
}

static enum ww_status read_beside(struct gpu_module *m, struct diags *d) {
    struct gpu *g = m->gpu;
    const uint32_t before = m->variable.n;
    m->ptx = arena_alloc(&m->arena, sizeof *m->ptx);
    struct ptx_module *p = NULL;
    enum ww_status s =
        ptx_parse_lazily(m->name, m->instead, m->instead_bytes, &g->allocator, d, &p);
    if (s != WW_OK) return s;
    m->ptx->text = p;
    m->ptx->shared = before;
    m->text = p->text;
    s = variables(m, d);
    return s == WW_OK ? module_fill_in(m, before, d) : s;
}

static enum ww_status beside(struct gpu_kernel *k, struct diags *d) {
    struct gpu_module *m = k->module;
    if (!m->ptx) {
        jmp_buf oom;
        if (setjmp(oom)) {
            m->arena.oom = NULL;
            return diag_add(d, WW_ERROR_MEMORY, "out of memory for the PTX of %s", m->name);
        }
        m->arena.oom = &oom;
        const enum ww_status s = read_beside(m, d);
        m->arena.oom = NULL;
        if (s != WW_OK) {
            m->instead = NULL; // it is of no use
            return s;
        }
    }
    k->ptx = ptx_find_func(m->ptx->text, k->name);
    if (k->ptx && k->ptx->is_entry && k->ptx->has_body) return WW_OK;
    return diag_add(d, WW_ERROR_UNSUPPORTED, "%s has no PTX of kernel %s", m->name, k->name);
}

enum ww_status module_ptx_build_instead(struct gpu_kernel *k, const struct code_target *t,
                                        const char *why, struct diags *d, struct code_image **out) {
    struct diags quiet;
    diags_init(&quiet);
    enum ww_status s = beside(k, &quiet);
    if (s == WW_OK) s = compile(k, t, &quiet, out);
    if (s == WW_OK && (s = no_stored_function(k, *out, &quiet)) != WW_OK) code_free(*out);
    if (s == WW_OK) {
        (*out)->source.instead = arena_strdup(&k->module->arena, why);
    } else {
        char text[512];
        diags_first(&quiet, text, sizeof text);
        diag_add(d, s, "%s; and of its PTX: %s", why, text);
    }
    diags_free(&quiet);
    return s;
}
