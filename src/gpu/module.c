// Modules: where a PTX module's variables live, what they hold at the start, and the machine code
// of its kernels, made when somebody asks for it first.
#include "code/code.h"
#include "gpu/device.h"

enum { CONST_ALIGN = 256 };

static bool is_opaque(const struct ptx_var *v) {
    return v->type == PTX_TEXREF || v->type == PTX_SURFREF || v->type == PTX_SAMPLERREF ||
           v->space == PTX_SPACE_TEX;
}

static enum ww_status at_var(const struct gpu_module *m, const struct ptx_var *v, enum ww_status s,
                             struct diags *d, const char *fmt, ...) WW_PRINTF(5, 6);
static enum ww_status at_var(const struct gpu_module *m, const struct ptx_var *v, enum ww_status s,
                             struct diags *d, const char *fmt, ...) {
    char text[512];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    return diag_at(d, DIAG_ERROR, s, m->ptx->name, m->ptx->text, v->line, v->col, "%s", text);
}

// ---- placing ------------------------------------------------------------------------------------
static enum ww_status place_texture(struct gpu *g, struct gpu_module *m, uint32_t i,
                                    struct diags *d) {
    const struct ptx_var *v = m->ptx->vars[i];
    struct exec_texture t = {.channels = 1, .channel_bits = 32, .channel_kind = 2,
                             .linear_filter = v->tex_filter_mode == 1,
                             .normalized_coords = v->tex_normalized};
    for (int k = 0; k < 3; k++) t.address_mode[k] = (uint8_t)v->tex_address_mode[k];
    m->addr[i] = devmem_texture_new(g->memory, &t);
    if (m->addr[i]) return WW_OK;
    return at_var(m, v, WW_ERROR_MEMORY, d, "out of memory for texture %s", v->name);
}

static enum ww_status place_variables(struct gpu *g, struct gpu_module *m, struct diags *d) {
    const struct ptx_module *p = m->ptx;
    enum ww_status s;
    for (uint32_t i = 0; i < p->n_vars; i++) {
        const struct ptx_var *v = p->vars[i];
        if (v->is_extern) continue; // the kernels that use it are refused
        if (is_opaque(v)) {
            if ((s = place_texture(g, m, i, d)) != WW_OK) return s;
        } else if (v->space == PTX_SPACE_CONST) {
            m->const_bytes = bits_align_up(m->const_bytes, v->align ? v->align : 1);
            m->addr[i] = m->const_bytes;
            m->const_bytes += v->bytes;
            if (m->const_bytes > g->limits.const_bytes)
                return at_var(m, v, WW_ERROR_UNSUPPORTED, d,
                              "constant variables need more than the %u bytes there are",
                              g->limits.const_bytes);
        } else if (v->space == PTX_SPACE_GLOBAL) {
            const uint64_t bytes = v->bytes ? v->bytes : 1;
            m->addr[i] = devmem_alloc(g->memory, bytes, v->align, v->name);
            if (!m->addr[i])
                return at_var(m, v, WW_ERROR_DEVICE_MEMORY, d,
                              "%s has no room for %s: %llu bytes, %llu are free", g->config.name,
                              v->name, (unsigned long long)bytes,
                              (unsigned long long)devmem_free_bytes(g->memory));
        }
    }
    if (!m->const_bytes) return WW_OK;
    m->const_base = devmem_alloc(g->memory, m->const_bytes, CONST_ALIGN, "constant variables");
    if (!m->const_base)
        return diag_add(d, WW_ERROR_DEVICE_MEMORY, "%s has no room for %llu bytes of constants",
                        g->config.name, (unsigned long long)m->const_bytes);
    return WW_OK;
}

// ---- what they hold -------------------------------------------------------------------------
static uint64_t device_address(const struct gpu_module *m, uint32_t i) {
    const bool is_const = m->ptx->vars[i]->space == PTX_SPACE_CONST;
    return m->addr[i] + (is_const ? m->const_base : 0);
}

static enum ww_status relocate(const struct gpu_module *m, const struct ptx_var *v,
                               const struct ptx_reloc *r, uint8_t *host, struct diags *d) {
    uint64_t value;
    if (r->index < 0 || r->offset + r->bytes > v->bytes)
        return at_var(m, v, WW_ERROR_SYNTAX, d,
                      "the initialiser of %s names %s, which is not there", v->name, r->symbol);
    if (!r->is_function && m->ptx->vars[r->index]->is_extern)
        return at_var(m, v, WW_ERROR_UNSUPPORTED, d,
                      "the initialiser of %s names %s, which is .extern and not defined", v->name,
                      r->symbol);
    if (r->is_function)
        value = CODE_FUNC_ADDRESS(r->index);
    else
        value = r->generic ? device_address(m, (uint32_t)r->index) : m->addr[r->index];
    value = (value + (uint64_t)r->addend) >> r->shift;
    memcpy(host + r->offset, &value, r->bytes); // little-endian: low bytes first
    return WW_OK;
}

static enum ww_status initialise(struct gpu *g, const struct gpu_module *m, struct diags *d) {
    const struct ptx_module *p = m->ptx;
    for (uint32_t i = 0; i < p->n_vars; i++) {
        const struct ptx_var *v = p->vars[i];
        if (is_opaque(v) || (v->space != PTX_SPACE_GLOBAL && v->space != PTX_SPACE_CONST) ||
            !v->bytes || v->is_extern)
            continue;
        uint8_t *host;
        enum ww_status s =
            device_check_range(g, device_address(m, i), v->bytes, "an initialiser", "at", d, &host);
        if (s != WW_OK) return s;
        memset(host, 0, v->bytes);
        if (v->init) memcpy(host, v->init, v->init_bytes < v->bytes ? v->init_bytes : v->bytes);
        for (uint32_t k = 0; k < v->n_relocs; k++)
            if ((s = relocate(m, v, &v->relocs[k], host, d)) != WW_OK) return s;
        devmem_mark_written(g->memory, device_address(m, i), v->bytes);
    }
    return WW_OK;
}

// ---- loading ------------------------------------------------------------------------------------
static void drop(struct gpu *g, struct gpu_module *m) {
    for (uint32_t i = 0; i < m->n_kernels; i++) {
        if (m->kernels[i].code_address) devmem_free(g->memory, m->kernels[i].code_address);
        if (m->kernels[i].image) code_free(m->kernels[i].image);
    }
    for (uint32_t i = 0; m->addr && i < m->ptx->n_vars; i++) {
        const struct ptx_var *v = m->ptx->vars[i];
        if (!m->addr[i]) continue;
        if (is_opaque(v))
            devmem_texture_free(g->memory, m->addr[i]);
        else if (v->space == PTX_SPACE_GLOBAL)
            devmem_free(g->memory, m->addr[i]);
    }
    if (m->const_base) devmem_free(g->memory, m->const_base);
    if (m->ptx) ptx_free(m->ptx);
    arena_free(&m->arena);
    device_free(g, m);
}

static enum ww_status make_kernels(struct gpu_module *m) {
    const struct ptx_module *p = m->ptx;
    m->addr = arena_alloc(&m->arena, (p->n_vars + 1) * sizeof *m->addr);
    m->kernels = arena_alloc(&m->arena, (p->n_funcs + 1) * sizeof *m->kernels);
    if (!m->addr || !m->kernels) return WW_ERROR_MEMORY;
    for (uint32_t i = 0; i < p->n_funcs; i++)
        if (p->funcs[i]->is_entry && p->funcs[i]->has_body)
            m->kernels[m->n_kernels++] = (struct gpu_kernel){.module = m, .ptx = p->funcs[i]};
    return WW_OK;
}

enum ww_status gpu_module_load(struct gpu *g, const char *name, const char *text, size_t len,
                               const struct gpu_module_options *o, struct diags *d,
                               struct gpu_module **out) {
    struct gpu_module *m = device_alloc(g, sizeof *m);
    if (!m) return diag_add(d, WW_ERROR_MEMORY, "out of memory for module %s", name);
    m->gpu = g;
    m->max_registers = o ? o->max_registers : 0;
    arena_init(&m->arena, &g->allocator);
    enum ww_status s = ptx_parse_lazily(name, text, len, &g->allocator, d, &m->ptx);
    if (s != WW_OK) {
        m->ptx = NULL;
        drop(g, m);
        return s;
    }
    if (m->ptx->address_size == 32 && !devmem_reach(g->memory, 1ull << 32))
        s = diag_add(d, WW_ERROR_DEVICE_MEMORY,
                     "%s has addresses of 32 bits (.address_size 32), but memory beyond 4 GB is in "
                     "use; load it first",
                     name);
    if (s == WW_OK && make_kernels(m) != WW_OK)
        s = diag_add(d, WW_ERROR_MEMORY, "out of memory for module %s", name);
    if (s == WW_OK) s = place_variables(g, m, d);
    if (s == WW_OK) s = initialise(g, m, d);
    if (s != WW_OK) {
        drop(g, m);
        return s;
    }
    m->next = g->modules;
    g->modules = m;
    *out = m;
    return WW_OK;
}

void gpu_module_unload(struct gpu *g, struct gpu_module *m) {
    if (!m) return;
    if (g->queued) {
        struct diags d;
        diags_init(&d);
        gpu_synchronize(g, &d);
        diags_free(&d);
        stream_drop_all(g); // what a fault left behind
    }
    for (struct gpu_module **p = &g->modules; *p; p = &(*p)->next) {
        if (*p != m) continue;
        *p = m->next;
        break;
    }
    result_forget(g, m); // results point into the module's names and images
    drop(g, m);
}

const struct ptx_module *gpu_module_ptx(const struct gpu_module *m) { return m->ptx; }

// ---- looking things up ----------------------------------------------------------------------
static enum ww_status not_found(const struct gpu_module *m, const char *what, const char *name,
                                const char *const *names, uint32_t n, struct diags *d) {
    const int near = text_nearest(name, names, n);
    if (near >= 0)
        return diag_add(d, WW_ERROR_USAGE, "%s has no %s %s; did you mean %s?", m->ptx->name, what,
                        name, names[near]);
    return diag_add(d, WW_ERROR_USAGE, "%s has no %s %s%s%s", m->ptx->name, what, name,
                    n ? "; there is " : "", n ? names[0] : "");
}

static int32_t find_var(const struct gpu_module *m, const char *name, bool opaque,
                        struct diags *d) {
    const struct ptx_module *p = m->ptx;
    struct arena a;
    arena_init(&a, NULL);
    const char **names = arena_alloc(&a, (p->n_vars + 1) * sizeof *names);
    uint32_t n = 0;
    for (uint32_t i = 0; i < p->n_vars; i++) {
        const struct ptx_var *v = p->vars[i];
        const bool data = v->space == PTX_SPACE_GLOBAL || v->space == PTX_SPACE_CONST;
        if (opaque != is_opaque(v) || (!opaque && !data)) continue;
        if (v->function >= 0 || v->is_extern) continue; // a body's own; nowhere
        if (strcmp(v->name, name) == 0) {
            arena_free(&a);
            return (int32_t)i;
        }
        names[n++] = v->name;
    }
    not_found(m, opaque ? "texture or surface" : "variable", name, names, n, d);
    arena_free(&a);
    return -1;
}

enum ww_status gpu_module_global(struct gpu_module *m, const char *name, struct diags *d,
                                 uint64_t *addr, uint64_t *bytes) {
    const int32_t i = find_var(m, name, false, d);
    if (i < 0) return WW_ERROR_USAGE;
    *addr = device_address(m, (uint32_t)i);
    *bytes = m->ptx->vars[i]->bytes;
    return WW_OK;
}

enum ww_status gpu_module_texture(struct gpu_module *m, const char *name, struct diags *d,
                                  uint64_t *handle) {
    const int32_t i = find_var(m, name, true, d);
    if (i < 0) return WW_ERROR_USAGE;
    *handle = m->addr[i];
    return WW_OK;
}

uint32_t gpu_module_kernels(const struct gpu_module *m) { return m->n_kernels; }

const char *gpu_module_kernel_name(const struct gpu_module *m, uint32_t i) {
    return m->kernels[i].ptx->name;
}

enum ww_status gpu_kernel_find(struct gpu_module *m, const char *name, struct diags *d,
                               struct gpu_kernel **out) {
    struct arena a;
    arena_init(&a, NULL);
    const char **names = arena_alloc(&a, (m->n_kernels + 1) * sizeof *names);
    enum ww_status s = WW_ERROR_USAGE;
    for (uint32_t i = 0; i < m->n_kernels; i++) {
        names[i] = m->kernels[i].ptx->name;
        if (strcmp(names[i], name) != 0) continue;
        *out = &m->kernels[i];
        s = WW_OK;
        break;
    }
    if (s != WW_OK) s = not_found(m, "kernel", name, names, m->n_kernels, d);
    arena_free(&a);
    return s;
}

// ---- kernels --------------------------------------------------------------------------------
const char *gpu_kernel_name(const struct gpu_kernel *k) { return k->ptx->name; }

// A chip without double-precision units (compute capability 1.0 to 1.2) cannot time what needs
// them; its vendor's compiler would have turned them into single precision, which is another
// program.
static enum ww_status check_units(const struct gpu_kernel *k, struct diags *d) {
    const struct gpu *g = k->module->gpu;
    const bool lacks_dp = !g->config.sm.dp_units, lacks_tensor = !g->config.sm.tensor_units;
    if (!(lacks_dp || lacks_tensor) || g->options.functional) return WW_OK;
    for (uint32_t pc = 0; pc < k->image->n_insts; pc++) {
        const struct minst *i = &k->image->inst[pc];
        const uint8_t unit = op_class_unit[i->klass];
        if (!(unit == UNIT_DP && lacks_dp) && !(unit == UNIT_TENSOR && lacks_tensor)) continue;
        const struct ptx_module *m = k->module->ptx;
        return diag_at(d, DIAG_ERROR, WW_ERROR_UNSUPPORTED, m->name, m->text, i->ptx_line, 0,
                       unit == UNIT_DP
                           ? "kernel %s computes in double precision, and %s has no unit for it%s"
                           : "kernel %s multiplies matrices, and %s has no tensor cores%s",
                       k->ptx->name, g->config.name, gpu_with_unit(k->module->gpu, unit));
    }
    return WW_OK;
}

enum ww_status gpu_kernel_image(struct gpu_kernel *k, struct diags *d,
                                const struct code_image **out) {
    struct gpu_module *m = k->module;
    struct gpu *g = m->gpu;
    if (!k->image) {
        const struct sm_config *c = &g->config.sm;
        struct code_target target = {
            .gen = (enum target_gen)c->gen,
            .max_regs = g->config.max_registers,
            .hoist_regs = g->config.hoist_registers,
            .file = sm_register_file(c),
            .max_threads_per_sm = c->max_threads,
            .max_ctas_per_sm = c->max_ctas,
            .n_preds = 7,
            .marks_last_reads = savings_wants_last_reads(&g->options.savings),
            .max_threads_per_cta = g->limits.threads_per_block,
            .others = gpu_with_trait,
            .user = g,
        };
        sm_code_latencies(c, &target.latencies);
        const struct code_symbols symbols = {.addr = m->addr, .const_base = m->const_base};
        enum ww_status s = code_build(m->ptx, k->ptx, &target, &symbols, m->max_registers,
                                      g->options.stack_bytes ? g->options.stack_bytes
                                                             : CODE_STACK_BYTES,
                                      d, &k->image);
        if (s != WW_OK) {
            k->image = NULL;
            return s;
        }
        s = check_units(k, d);
        if (s != WW_OK) {
            code_free(k->image);
            k->image = NULL;
            return s;
        }
        const uint64_t bytes = (uint64_t)k->image->n_insts * c->instruction_bytes;
        k->code_address = devmem_alloc(g->memory, bytes ? bytes : 1, c->icache.line_bytes, "code");
        if (!k->code_address) {
            code_free(k->image);
            k->image = NULL;
            return diag_add(d, WW_ERROR_DEVICE_MEMORY,
                            "%s has no room for the %llu bytes of code of %s", g->config.name,
                            (unsigned long long)bytes, k->ptx->name);
        }
    }
    *out = k->image;
    return WW_OK;
}

enum ww_status gpu_stack_limit(struct gpu *g, uint32_t bytes, struct diags *d) {
    const enum ww_status s = gpu_synchronize(g, d);
    if (s != WW_OK || bytes == g->options.stack_bytes) return s;
    g->options.stack_bytes = bytes;
    for (struct gpu_module *m = g->modules; m; m = m->next) {
        bool forgotten = false;
        for (uint32_t i = 0; i < m->n_kernels; i++) {
            struct gpu_kernel *k = &m->kernels[i];
            if (!k->image || !k->image->needs_stack) continue;
            if (!forgotten) result_forget(g, m); // results point into the images
            forgotten = true;
            devmem_free(g->memory, k->code_address);
            code_free(k->image);
            k->image = NULL;
            k->code_address = 0;
        }
    }
    return WW_OK;
}

static uint32_t threads_by_directive(const struct ptx_func *f) {
    const uint32_t *n = f->reqntid[0] ? f->reqntid : f->maxntid;
    if (!n[0]) return UINT32_MAX;
    const uint64_t all = (uint64_t)n[0] * (n[1] ? n[1] : 1) * (n[2] ? n[2] : 1);
    return all > UINT32_MAX ? UINT32_MAX : (uint32_t)all;
}

enum ww_status gpu_kernel_attributes(struct gpu_kernel *k, struct diags *d,
                                     struct gpu_kernel_attributes *out) {
    const struct code_image *im = NULL;
    const enum ww_status s = gpu_kernel_image(k, d, &im);
    if (s != WW_OK) return s;
    const struct gpu *g = k->module->gpu;
    uint32_t threads = g->limits.threads_per_block;
    const uint32_t directive = threads_by_directive(k->ptx);
    if (directive < threads) threads = directive;
    // whole warps whose registers fit
    while (threads > WARP_LANES &&
           !sm_kernel_occupancy(&g->config.sm, im, threads, im->shared_bytes).ctas)
        threads = (threads - 1) / WARP_LANES * WARP_LANES;
    struct gpu_config seen = g->config;
    gpu_told_config(&g->options.told, &seen);
    *out = (struct gpu_kernel_attributes){
        .registers = image_registers(im),
        .shared_bytes = im->shared_bytes,
        .local_bytes = im->local_bytes,
        .const_bytes = (uint32_t)k->module->const_bytes,
        .param_bytes = im->param_bytes,
        .max_threads_per_block = threads,
        .ptx_target = k->module->ptx->target,
        .binary_version = seen.cc_major * 10 + seen.cc_minor,
    };
    return WW_OK;
}

enum ww_status gpu_kernel_params(struct gpu_kernel *k, struct diags *d,
                                 const struct code_param **params, uint32_t *n) {
    const struct code_image *im = NULL;
    const enum ww_status s = gpu_kernel_image(k, d, &im);
    if (s != WW_OK) return s;
    *params = im->params;
    *n = im->n_params;
    return WW_OK;
}

enum ww_status gpu_kernel_occupancy(struct gpu_kernel *k, uint32_t threads, uint32_t dynamic_shared,
                                    struct diags *d, struct sm_occupancy *out) {
    const struct code_image *im = NULL;
    const enum ww_status s = gpu_kernel_image(k, d, &im);
    if (s != WW_OK) return s;
    *out = sm_kernel_occupancy(&k->module->gpu->config.sm, im, threads,
                               dynamic_shared ? im->shared_dynamic + dynamic_shared
                                              : im->shared_bytes);
    return WW_OK;
}
