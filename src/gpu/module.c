// Modules: where their variables live and what those hold at the start, names, and the machine code
// of their kernels, made when somebody asks for it first.
#include "gpu/module.h"
#include "gpu/sample.h"

#include "code/code.h"
#include "gpu/device.h"
#include "isa/control.h"
#include "sass/cubin.h"

enum { CONST_ALIGN = 256 };

enum ww_status module_refuse(const struct gpu_module *m, const struct module_variable *v,
                             enum ww_status s, struct diags *d, const char *fmt, ...) {
    char text[512];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    return diag_at(d, DIAG_ERROR, s, m->name, m->text, v->line, v->col, "%s", text);
}

// ---- placing ------------------------------------------------------------------------------------
static enum ww_status place(struct gpu_module *m, struct module_variable *v, struct diags *d) {
    struct gpu *g = m->gpu;
    const uint64_t bytes = v->bytes ? v->bytes : 1;
    if (v->within) return WW_OK;
    switch (v->kind) {
    case MODULE_NOWHERE: return WW_OK;
    case MODULE_CONST:
        if (v->offset + v->bytes > g->limits.const_bytes)
            return module_refuse(m, v, WW_ERROR_UNSUPPORTED, d,
                                 "constant variables need more than the %u bytes there are",
                                 g->limits.const_bytes);
        v->address = m->const_base + v->offset;
        return WW_OK;
    case MODULE_GLOBAL:
        v->address = devmem_alloc(g->memory, bytes, v->align, v->name);
        if (v->address) return WW_OK;
        return module_refuse(m, v, WW_ERROR_DEVICE_MEMORY, d,
                             "%s has no room for %s: %llu bytes, %llu are free", g->config.name,
                             v->name, (unsigned long long)bytes,
                             (unsigned long long)devmem_free_bytes(g->memory));
    default:
        v->address = devmem_texture_new(g->memory, v->texture);
        if (v->address) return WW_OK;
        return module_refuse(m, v, WW_ERROR_MEMORY, d, "out of memory for texture %s", v->name);
    }
}

static enum ww_status place_segment(struct gpu_module *m, struct diags *d) {
    struct gpu *g = m->gpu;
    const uint64_t bytes = max64(m->const_bytes, m->const_room);
    if (!bytes || m->const_base) return WW_OK;
    m->const_base = devmem_alloc(g->memory, bytes, CONST_ALIGN, "constant variables");
    if (m->const_base) return WW_OK;
    return diag_add(d, WW_ERROR_DEVICE_MEMORY, "%s has no room for %llu bytes of constants",
                    g->config.name, (unsigned long long)bytes);
}

// ---- what they hold -------------------------------------------------------------------------
static void fill(const struct gpu_module *m, const struct module_fill *f, uint8_t *host) {
    uint64_t value = (uint64_t)f->addend;
    if (f->variable >= 0) {
        const struct module_variable *v = &m->variable.at[f->variable];
        value += v->kind == MODULE_CONST && f->in_segment ? v->offset : v->address;
    }
    value >>= f->shift;
    memcpy(host + f->offset, &value, f->bytes); // little-endian: low bytes first
}

static enum ww_status initialise(const struct gpu_module *m, const struct module_variable *v,
                                 struct diags *d) {
    struct gpu *g = m->gpu;
    if ((v->kind != MODULE_GLOBAL && v->kind != MODULE_CONST) || !v->bytes || v->within)
        return WW_OK;
    uint8_t *host;
    const enum ww_status s =
        device_check_range(g, v->address, v->bytes, "an initialiser", "at", d, &host);
    if (s != WW_OK) return s;
    memset(host, 0, v->bytes);
    if (v->init) memcpy(host, v->init, v->init_bytes < v->bytes ? v->init_bytes : v->bytes);
    for (uint32_t k = 0; k < v->n_fills; k++) fill(m, &v->fill[k], host);
    devmem_mark_written(g->memory, v->address, v->bytes);
    return WW_OK;
}

enum ww_status module_place(struct gpu_module *m, uint32_t from, struct diags *d) {
    enum ww_status s = WW_OK;
    // A segment that is too large is told by the variable that leaves it.
    if (m->const_bytes <= m->gpu->limits.const_bytes) s = place_segment(m, d);
    for (uint32_t i = from; s == WW_OK && i < m->variable.n; i++)
        s = place(m, &m->variable.at[i], d);
    for (uint32_t i = from; s == WW_OK && i < m->variable.n; i++) {
        struct module_variable *v = &m->variable.at[i];
        if (v->within) v->address = m->variable.at[v->within - 1].address + v->offset;
    }
    return s;
}

enum ww_status module_fill_in(struct gpu_module *m, uint32_t from, struct diags *d) {
    enum ww_status s = WW_OK;
    for (uint32_t i = from; s == WW_OK && i < m->variable.n; i++)
        s = initialise(m, &m->variable.at[i], d);
    return s;
}

// ---- loading ------------------------------------------------------------------------------------
static void drop(struct gpu *g, struct gpu_module *m) {
    sample_forget(g, m);
    for (uint32_t i = 0; i < m->n_kernels; i++) {
        if (m->kernels[i].code_address) devmem_free(g->memory, m->kernels[i].code_address);
        if (m->kernels[i].image) code_free(m->kernels[i].image);
        if (m->kernels[i].outline) code_free(m->kernels[i].outline);
    }
    for (uint32_t i = 0; i < m->variable.n; i++) {
        const struct module_variable *v = &m->variable.at[i];
        if (!v->address || v->within || v->kind == MODULE_CONST) continue;
        if (v->kind == MODULE_GLOBAL)
            devmem_free(g->memory, v->address);
        else
            devmem_texture_free(g->memory, v->address);
    }
    if (m->const_base) devmem_free(g->memory, m->const_base);
    module_ptx_free(m);
    arena_free(&m->arena);
    device_free(g, m);
}

static enum ww_status read_content(struct gpu_module *m, const char *image, size_t len,
                                   struct diags *d) {
    jmp_buf oom;
    if (setjmp(oom)) {
        m->arena.oom = NULL;
        return diag_add(d, WW_ERROR_MEMORY, "out of memory for module %s", m->name);
    }
    m->arena.oom = &oom;
    enum ww_status s = cubin_is(image, len) ? module_cubin_read(m, image, len, d)
                                            : module_ptx_read(m, image, len, d);
    if (s == WW_OK) s = module_fill_in(m, 0, d);
    m->arena.oom = NULL;
    return s;
}

static bool keep_ptx_beside(struct gpu_module *m, const struct gpu_module_options *o) {
    if (!o || !o->ptx) return true;
    m->instead = arena_strndup(&m->arena, o->ptx, o->ptx_bytes);
    m->instead_bytes = o->ptx_bytes;
    return m->instead != NULL;
}

static enum ww_status load(struct gpu *g, const char *name, const char *image, size_t len,
                           const struct gpu_module_options *o, const char *why, struct diags *d,
                           struct gpu_module **out) {
    struct gpu_module *m = device_alloc(g, sizeof *m);
    if (!m) return diag_add(d, WW_ERROR_MEMORY, "out of memory for module %s", name);
    m->gpu = g;
    m->name = name;
    m->max_registers = o ? o->max_registers : 0;
    arena_init(&m->arena, &g->allocator);
    if (why) m->why_ptx = arena_strdup(&m->arena, why);
    const enum ww_status s =
        keep_ptx_beside(m, o) ? read_content(m, image, len, d)
                              : diag_add(d, WW_ERROR_MEMORY, "out of memory for module %s", name);
    if (s != WW_OK) {
        drop(g, m);
        return s;
    }
    m->next = g->modules;
    g->modules = m;
    *out = m;
    return WW_OK;
}

enum ww_status gpu_module_load(struct gpu *g, const char *name, const char *image, size_t len,
                               const struct gpu_module_options *o, struct diags *d,
                               struct gpu_module **out) {
    if (!o || !o->ptx) return load(g, name, image, len, o, NULL, d, out);
    struct diags why;
    diags_init(&why);
    enum ww_status s = load(g, name, image, len, o, NULL, &why, out);
    if (s != WW_OK) {
        char text[512];
        diags_first(&why, text, sizeof text);
        const struct gpu_module_options only = {.max_registers = o->max_registers};
        s = s == WW_ERROR_UNSUPPORTED ? load(g, name, o->ptx, o->ptx_bytes, &only, text, d, out)
                                      : diag_add(d, s, "%s", text);
    }
    diags_free(&why);
    return s;
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

uint32_t gpu_module_target(const struct gpu_module *m) { return m->target; }
bool gpu_module_is_code(const struct gpu_module *m) { return m->cubin != NULL; }

// ---- looking things up ----------------------------------------------------------------------
static enum ww_status not_found(const struct gpu_module *m, const char *what, const char *name,
                                const char *const *names, uint32_t n, struct diags *d) {
    const int near = text_nearest(name, names, n);
    if (near >= 0)
        return diag_add(d, WW_ERROR_USAGE, "%s has no %s %s; did you mean %s?", m->name, what, name,
                        names[near]);
    return diag_add(d, WW_ERROR_USAGE, "%s has no %s %s%s%s", m->name, what, name,
                    n ? "; there is " : "", n ? names[0] : "");
}

// Variables that a program can ask for by name, of kinds that are bits in `kinds`.
static const struct module_variable *find(const struct gpu_module *m, const char *what,
                                          uint32_t kinds, const char *name, struct diags *d) {
    struct arena a;
    arena_init(&a, NULL);
    const char **names = arena_alloc(&a, (m->variable.n + 1ul) * sizeof *names);
    const struct module_variable *found = NULL;
    uint32_t n = 0;
    for (uint32_t i = 0; i < m->variable.n && !found; i++) {
        const struct module_variable *v = &m->variable.at[i];
        if (v->is_hidden || !(kinds >> v->kind & 1)) continue;
        if (strcmp(v->name, name) == 0) found = v;
        names[n++] = v->name;
    }
    if (!found) not_found(m, what, name, names, n, d);
    arena_free(&a);
    return found;
}

enum ww_status gpu_module_global(struct gpu_module *m, const char *name, struct diags *d,
                                 uint64_t *addr, uint64_t *bytes) {
    const struct module_variable *v =
        find(m, "variable", 1u << MODULE_GLOBAL | 1u << MODULE_CONST, name, d);
    if (!v) return WW_ERROR_USAGE;
    *addr = v->address;
    *bytes = v->bytes;
    return WW_OK;
}

enum ww_status gpu_module_texture(struct gpu_module *m, const char *name, struct diags *d,
                                  uint64_t *handle, bool *is_surface) {
    const struct module_variable *v =
        find(m, "texture or surface",
             1u << MODULE_TEXTURE | 1u << MODULE_SURFACE | 1u << MODULE_SAMPLER, name, d);
    if (!v) return WW_ERROR_USAGE;
    *handle = v->address;
    if (is_surface) *is_surface = v->kind == MODULE_SURFACE;
    return WW_OK;
}

uint32_t gpu_module_kernels(const struct gpu_module *m) { return m->n_kernels; }

const char *gpu_module_kernel_name(const struct gpu_module *m, uint32_t i) {
    return m->kernels[i].name;
}

enum ww_status gpu_kernel_find(struct gpu_module *m, const char *name, struct diags *d,
                               struct gpu_kernel **out) {
    struct arena a;
    arena_init(&a, NULL);
    const char **names = arena_alloc(&a, (m->n_kernels + 1ul) * sizeof *names);
    enum ww_status s = WW_ERROR_USAGE;
    for (uint32_t i = 0; i < m->n_kernels; i++) {
        names[i] = m->kernels[i].name;
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
const char *gpu_kernel_name(const struct gpu_kernel *k) { return k->name; }

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
        const struct gpu_module *m = k->module;
        return diag_at(d, DIAG_ERROR, WW_ERROR_UNSUPPORTED, m->name, m->text, i->ptx_line, 0,
                       unit == UNIT_DP
                           ? "kernel %s computes in double precision, and %s has no unit for it%s"
                           : "kernel %s multiplies matrices, and %s has no tensor cores%s",
                       k->name, g->config.name, gpu_with_unit(k->module->gpu, unit));
    }
    return WW_OK;
}

static struct code_target target_of(const struct gpu *g) {
    const struct sm_config *c = &g->config.sm;
    struct code_target t = {
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
        .user = (void *)(uintptr_t)g,
    };
    sm_code_latencies(c, &t.latencies);
    return t;
}

// Machine code where it is executed, else PTX that stands beside it. `outline`: without instructions where they may wait.
static enum ww_status build(struct gpu_kernel *k, bool outline, const struct code_target *t,
                            struct diags *d, struct code_image **out) {
    const struct gpu_module *m = k->module;
    if (!m->cubin) return module_ptx_build(k, t, d, out);
    if (!m->instead) return module_cubin_build(k, outline, t, d, out);
    struct diags why;
    diags_init(&why);
    enum ww_status s = module_cubin_build(k, outline, t, &why, out);
    if (s != WW_OK) {
        char text[512];
        diags_first(&why, text, sizeof text);
        s = s == WW_ERROR_UNSUPPORTED ? module_ptx_build_instead(k, t, text, d, out)
                                      : diag_add(d, s, "%s", text);
    }
    diags_free(&why);
    return s;
}

// Control bits that let an operand be read before this machine has made it: of a real compiler's
// code a latency of ours that is too long, of ours a bug.
static void note_early(void *user, uint32_t pc, const char *what) {
    const struct gpu_kernel *const k = user;
    const struct code_image *const im = k->image;
    char inst[128], place[160] = "", text[512];
    disasm_inst(im, pc, inst, sizeof inst);
    const char *const path = code_file_path(&im->source, im->inst[pc].src_file);
    if (path) snprintf(place, sizeof place, "%s:%u: ", path, im->inst[pc].src_line);
    snprintf(text, sizeof text, "%s%s: instruction %u, %s: %s", place, k->name, pc, inst, what);
    exec_findings_add(k->module->gpu->options.exec.findings, k->name, pc, text);
}
static void audit(struct gpu_kernel *k) {
    const struct exec_options *const o = &k->module->gpu->options.exec;
    if (!o->check_control || !o->findings || !k->image->control) return;
    struct arena scratch;
    arena_init(&scratch, NULL);
    control_verify(k->image, &scratch, note_early, k);
    arena_free(&scratch);
}

static void forget_image(struct gpu_kernel *k) {
    code_free(k->image);
    k->image = NULL;
}

// What a new image needs before anyone sees it: a look at its units and control bits, and room on the device.
static enum ww_status take(struct gpu_kernel *k, struct code_image *made, struct diags *d) {
    struct gpu *g = k->module->gpu;
    k->image = made;
    const enum ww_status s = check_units(k, d);
    if (s != WW_OK) {
        forget_image(k);
        return s;
    }
    audit(k);
    const struct sm_config *c = &g->config.sm;
    const uint64_t bytes = (uint64_t)k->image->n_insts * c->instruction_bytes;
    k->code_address = devmem_alloc(g->memory, bytes ? bytes : 1, c->icache.line_bytes, "code");
    if (!k->code_address) {
        forget_image(k);
        return diag_add(d, WW_ERROR_DEVICE_MEMORY,
                        "%s has no room for the %llu bytes of code of %s", g->config.name,
                        (unsigned long long)bytes, k->name);
    }
    return WW_OK;
}

enum ww_status gpu_kernel_image(struct gpu_kernel *k, struct diags *d,
                                const struct code_image **out) {
    enum ww_status s = WW_OK;
    if (!k->image) {
        const struct code_target target = target_of(k->module->gpu);
        struct code_image *made = NULL;
        s = build(k, false, &target, d, &made);
        if (s == WW_OK) s = take(k, made, d);
    }
    *out = k->image;
    return s;
}

enum ww_status gpu_kernel_outline(struct gpu_kernel *k, struct diags *d,
                                  const struct code_image **out) {
    enum ww_status s = WW_OK;
    if (!k->image && !k->outline) {
        const struct code_target target = target_of(k->module->gpu);
        struct code_image *made = NULL;
        s = build(k, true, &target, d, &made);
        if (s == WW_OK && made->n_insts)
            s = take(k, made, d);
        else if (s == WW_OK)
            k->outline = made;
    }
    *out = k->image ? k->image : k->outline;
    return s;
}

// What depends on the stack's size is made anew when it is asked for.
static void forget_stack(struct gpu_kernel *k) {
    if (k->outline && k->outline->needs_stack) {
        code_free(k->outline);
        k->outline = NULL;
    }
    if (!k->image || !k->image->needs_stack) return;
    devmem_free(k->module->gpu->memory, k->code_address);
    k->code_address = 0;
    forget_image(k);
}

enum ww_status gpu_stack_limit(struct gpu *g, uint32_t bytes, struct diags *d) {
    const enum ww_status s = gpu_synchronize(g, d);
    if (s != WW_OK || bytes == g->options.stack_bytes) return s;
    g->options.stack_bytes = bytes;
    for (struct gpu_module *m = g->modules; m; m = m->next) {
        bool holds = false;
        for (uint32_t i = 0; i < m->n_kernels; i++)
            holds |= m->kernels[i].image && m->kernels[i].image->needs_stack;
        if (holds) result_forget(g, m); // results point into the images
        for (uint32_t i = 0; i < m->n_kernels; i++) forget_stack(&m->kernels[i]);
    }
    return WW_OK;
}

static uint32_t threads_by_directive(const struct gpu_kernel *k) {
    const uint32_t *n = k->required_threads[0] ? k->required_threads : k->max_threads;
    if (!n[0]) return UINT32_MAX;
    const uint64_t all = (uint64_t)n[0] * (n[1] ? n[1] : 1) * (n[2] ? n[2] : 1);
    return all > UINT32_MAX ? UINT32_MAX : (uint32_t)all;
}

enum ww_status gpu_kernel_attributes(struct gpu_kernel *k, struct diags *d,
                                     struct gpu_kernel_attributes *out) {
    const struct code_image *im = NULL;
    const enum ww_status s = gpu_kernel_outline(k, d, &im);
    if (s != WW_OK) return s;
    const struct gpu *g = k->module->gpu;
    uint32_t threads = g->limits.threads_per_block;
    const uint32_t directive = threads_by_directive(k);
    if (directive < threads) threads = directive;
    // whole warps whose registers fit
    while (threads > WARP_LANES &&
           !sm_kernel_occupancy(&g->config.sm, im, threads, im->shared_bytes).ctas)
        threads = (threads - 1) / WARP_LANES * WARP_LANES;
    struct gpu_config seen = g->config;
    gpu_told_config(&g->options.told, &seen);
    *out = (struct gpu_kernel_attributes){
        .registers = image_registers(im),
        .shared_bytes = im->shared_bytes - im->shared_system,
        .local_bytes = im->local_bytes,
        .const_bytes = (uint32_t)k->module->const_bytes,
        .param_bytes = im->param_bytes,
        .max_threads_per_block = threads,
        .required_threads = k->required_threads[0] ? threads_by_directive(k) : 0,
        .ptx_target = k->module->target,
        .binary_version = seen.cc_major * 10 + seen.cc_minor,
    };
    return WW_OK;
}

enum ww_status gpu_kernel_params(struct gpu_kernel *k, struct diags *d,
                                 const struct code_param **params, uint32_t *n) {
    const struct code_image *im = NULL;
    const enum ww_status s = gpu_kernel_outline(k, d, &im);
    if (s != WW_OK) return s;
    *params = im->params;
    *n = im->n_params;
    return WW_OK;
}

struct sm_occupancy gpu_occupancy(const struct gpu_config *c, uint32_t threads, uint32_t registers,
                                  uint32_t shared_bytes) {
    return sm_occupancy(&c->sm, threads, registers, shared_bytes);
}

enum ww_status gpu_kernel_occupancy(struct gpu_kernel *k, uint32_t threads, uint32_t dynamic_shared,
                                    struct diags *d, struct sm_occupancy *out) {
    const struct code_image *im = NULL;
    const enum ww_status s = gpu_kernel_outline(k, d, &im);
    if (s != WW_OK) return s;
    *out = sm_kernel_occupancy(&k->module->gpu->config.sm, im, threads,
                               dynamic_shared ? im->shared_dynamic + dynamic_shared
                                              : im->shared_bytes);
    return WW_OK;
}
