// Modules made from machine code: the variables, textures and kernels that a cubin's symbols name.
// Each variable is an allocation of its own, as one of PTX is, so that an access past its end is
// found.
#include "gpu/module.h"

#include "code/code.h"
#include "gpu/device.h"
#include "sass/build.h"
#include "sass/join.h"

#include <stdlib.h>

// Where a byte of a section lies: variable `number` holds [from, to) of it.
struct extent {
    uint32_t section, number;
    uint64_t from, to;
};

struct module_cubin {
    const void *code; // the file
    size_t code_bytes;
    struct cubin file;
    struct sass_places places;
    VEC(struct extent) extent; // by section and place, none within another
};

static int by_place(const void *a, const void *b) {
    const struct extent *x = a, *y = b;
    if (x->section != y->section) return x->section < y->section ? -1 : 1;
    if (x->from != y->from) return x->from < y->from ? -1 : 1;
    return x->to > y->to ? -1 : x->to < y->to; // what holds others first
}

// ---- what symbols name --------------------------------------------------------------------------
static const struct extent *extent_at(const struct module_cubin *x, uint32_t section,
                                      uint64_t offset) {
    uint32_t low = 0, high = x->extent.n;
    while (low < high) { // the first that ends behind the place
        const uint32_t mid = low + (high - low) / 2;
        const struct extent *e = &x->extent.at[mid];
        if (e->section < section || (e->section == section && e->to <= offset))
            low = mid + 1;
        else
            high = mid;
    }
    const struct extent *e = low < x->extent.n ? &x->extent.at[low] : NULL;
    return e && e->section == section && e->from <= offset ? e : NULL;
}

static bool address(void *user, uint32_t section, uint64_t offset, uint64_t *out) {
    const struct gpu_module *m = user;
    const struct module_cubin *x = m->cubin;
    const struct extent *e = extent_at(x, section, offset);
    // One past the end of a variable is an address, too.
    if (!e && offset) e = extent_at(x, section, offset - 1);
    if (!e) return false;
    *out = m->variable.at[e->number].address + offset - e->from;
    return true;
}

static bool handle(void *user, const char *name, uint64_t *out) {
    const struct gpu_module *m = user;
    for (uint32_t i = 0; i < m->variable.n; i++) {
        const struct module_variable *v = &m->variable.at[i];
        if (v->kind < MODULE_TEXTURE || v->kind > MODULE_SAMPLER || strcmp(v->name, name) != 0)
            continue;
        *out = v->address;
        return true;
    }
    return false;
}

// ---- variables ----------------------------------------------------------------------------------
static const struct cubin_data *section_of(const struct cubin *c, uint32_t section,
                                           enum module_kind *kind) {
    *kind = MODULE_GLOBAL;
    if (!section) return NULL;
    if (section == c->initialised.section) return &c->initialised;
    if (section == c->zeroed.section) return &c->zeroed;
    for (uint32_t i = 0; i < c->constant.n; i++) {
        if (c->constant.at[i].section != section || c->constant.at[i].bank != CB_USER) continue;
        *kind = MODULE_CONST;
        return &c->constant.at[i];
    }
    return NULL;
}

static const struct exec_texture *new_texture(struct arena *a) {
    const struct exec_texture t = {.channels = 1, .channel_bits = 32, .channel_kind = 2};
    return arena_copy(a, &t, sizeof t);
}

static enum ww_status add_symbol(struct gpu_module *m, const struct cubin_symbol *s,
                                 struct diags *d) {
    struct module_cubin *x = m->cubin;
    struct module_variable v = {.name = s->name, .bytes = s->bytes};
    const struct cubin_data *data = section_of(&x->file, s->section, &v.kind);
    if (s->kind == CUBIN_TEXTURE || s->kind == CUBIN_SAMPLER || s->kind == CUBIN_SURFACE) {
        v.kind = s->kind == CUBIN_TEXTURE   ? MODULE_TEXTURE
                 : s->kind == CUBIN_SURFACE ? MODULE_SURFACE
                                            : MODULE_SAMPLER;
        v.texture = new_texture(&m->arena);
        vec_push(&m->arena, &m->variable, v);
        return WW_OK;
    }
    if (s->kind != CUBIN_OBJECT || !data) return WW_OK;
    if (s->value > data->bytes || s->bytes > data->bytes - s->value)
        return diag_add(d, WW_ERROR_SYNTAX, "%s: variable %s lies outside its section", m->name,
                        s->name);
    v.offset = s->value;
    v.align = data->align;
    const struct extent e = {.section = s->section,
                             .number = m->variable.n,
                             .from = s->value,
                             .to = s->value + max64(s->bytes, 1)};
    vec_push(&m->arena, &x->extent, e);
    vec_push(&m->arena, &m->variable, v);
    return WW_OK;
}

// A variable inside another shares its memory: they are two names of one place.
static enum ww_status share(struct gpu_module *m, struct diags *d) {
    struct module_cubin *x = m->cubin;
    if (x->extent.n) qsort(x->extent.at, x->extent.n, sizeof *x->extent.at, by_place);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < x->extent.n; i++) {
        const struct extent e = x->extent.at[i];
        const struct extent *last = kept ? &x->extent.at[kept - 1] : NULL;
        struct module_variable *v = &m->variable.at[e.number];
        if (!last || last->section != e.section || e.from >= last->to) {
            x->extent.at[kept++] = e;
            continue;
        }
        if (e.to > last->to)
            return diag_add(d, WW_ERROR_SYNTAX, "%s: variables %s and %s overlap", m->name,
                            m->variable.at[last->number].name, v->name);
        if (v->kind == MODULE_CONST) continue; // the segment keeps them as they are
        v->within = last->number + 1;
        v->offset = e.from - last->from;
    }
    x->extent.n = kept;
    return WW_OK;
}

static enum ww_status variables(struct gpu_module *m, struct diags *d) {
    struct module_cubin *x = m->cubin;
    enum ww_status s = WW_OK;
    for (uint32_t i = 0; i < x->file.symbol.n && s == WW_OK; i++)
        s = add_symbol(m, &x->file.symbol.at[i], d);
    for (uint32_t i = 0; i < x->file.constant.n; i++)
        if (x->file.constant.at[i].bank == CB_USER)
            m->const_bytes = bits_align_up(x->file.constant.at[i].bytes, 16);
    // PTX beside it may have more of them, found out later; without any it makes a segment itself.
    // Code that asks whether an address is a constant's takes all its banks for one window from
    // here on: nothing else may lie there.
    if (m->const_bytes) m->const_room = m->gpu->limits.const_bytes;
    return s == WW_OK ? share(m, d) : s;
}

// Initial values: the file's, with addresses filled in now that every variable has one.
static enum ww_status initial_values(struct gpu_module *m, const struct cubin_data *data,
                                     const char *what, struct diags *d) {
    struct module_cubin *x = m->cubin;
    if (!data->data || !data->bytes) return WW_OK;
    uint8_t *bytes = arena_copy(&m->arena, data->data, data->bytes);
    const enum ww_status s =
        sass_relocate(&x->places, &data->relocation, UINT64_MAX, bytes, data->bytes, what, d);
    for (uint32_t i = 0; i < x->extent.n && s == WW_OK; i++) {
        const struct extent *e = &x->extent.at[i];
        if (e->section != data->section) continue;
        struct module_variable *v = &m->variable.at[e->number];
        v->init = bytes + e->from;
        v->init_bytes = v->bytes;
    }
    return s;
}

static enum ww_status all_initial_values(struct gpu_module *m, struct diags *d) {
    const struct cubin *c = &m->cubin->file;
    enum ww_status s = initial_values(m, &c->initialised, "its variables", d);
    for (uint32_t i = 0; i < c->constant.n && s == WW_OK; i++)
        if (c->constant.at[i].bank == CB_USER)
            s = initial_values(m, &c->constant.at[i], "its constants", d);
    return s;
}

// ---- several units ------------------------------------------------------------------------------
enum ww_status gpu_link_code(struct arena *a, const struct gpu_code_unit *unit, uint32_t n,
                             struct diags *d, char **image, size_t *bytes) {
    struct arena work;
    arena_init(&work, NULL);
    struct cubin_unit *u = arena_alloc(&work, n * sizeof *u);
    for (uint32_t i = 0; i < n; i++)
        u[i] =
            (struct cubin_unit){unit[i].name, unit[i].image, unit[i].bytes, unit[i].is_on_demand};
    const enum ww_status s = cubin_join(&work, u, n, d, image, bytes);
    if (s == WW_OK) *image = arena_copy(a, *image, *bytes);
    arena_free(&work);
    return s;
}

// ---- kernels ------------------------------------------------------------------------------------
static void kernels(struct gpu_module *m) {
    const struct cubin *c = &m->cubin->file;
    m->kernels = arena_alloc(&m->arena, (c->kernel.n + 1ul) * sizeof *m->kernels);
    for (uint32_t i = 0; i < c->kernel.n; i++) {
        const struct cubin_kernel *f = &c->kernel.at[i];
        if (!f->is_entry) continue;
        struct gpu_kernel *k = &m->kernels[m->n_kernels++];
        *k = (struct gpu_kernel){.module = m, .name = f->name, .code = i};
        memcpy(k->max_threads, f->max_threads, sizeof k->max_threads);
        memcpy(k->required_threads, f->required_threads, sizeof k->required_threads);
        memcpy(k->clusters.required, f->cluster, sizeof k->clusters.required);
        k->clusters.most = f->max_cluster;
        k->clusters.must_be_set = f->is_explicit_cluster;
    }
}

enum ww_status gpu_check_code(const char *name, const void *image, size_t bytes, struct diags *d) {
    struct arena a;
    struct cubin c;
    arena_init(&a, NULL);
    const enum ww_status s = cubin_read(&a, arena_copy(&a, image, bytes), bytes, name, d, &c);
    arena_free(&a);
    return s;
}

bool gpu_code_is_checked(uint32_t arch) {
    static const uint8_t checked[] = {70, 72, 75, 80, 86, 89, 90}; // docs/machine-code.md, two ways
    for (uint32_t i = 0; i < WW_COUNT(checked); i++)
        if (checked[i] == arch) return true;
    return false;
}

const void *gpu_module_code(const struct gpu_module *m, size_t *bytes) {
    *bytes = m->cubin ? m->cubin->code_bytes : 0;
    return m->cubin ? m->cubin->code : NULL;
}

static bool is_for(const struct gpu *g, uint32_t arch) {
    return arch / 10 == g->config.cc_major && arch % 10 <= g->config.cc_minor;
}

enum ww_status module_cubin_read(struct gpu_module *m, const void *image, size_t bytes,
                                 struct diags *d) {
    struct gpu *g = m->gpu;
    struct module_cubin *x = m->cubin = arena_alloc(&m->arena, sizeof *x);
    m->name = arena_strdup(&m->arena, m->name);
    x->places =
        (struct sass_places){.file = &x->file, .address = address, .handle = handle, .user = m};
    x->code = arena_copy(&m->arena, image, bytes);
    x->code_bytes = bytes;
    enum ww_status s = cubin_read(&m->arena, x->code, bytes, m->name, d, &x->file);
    if (s != WW_OK) return s;
    const uint32_t arch = x->file.arch;
    if (!is_for(g, arch))
        return diag_add(d, WW_ERROR_UNSUPPORTED,
                        "%s is machine code for compute capability %u.%u; %s has %u.%u%s", m->name,
                        arch / 10, arch % 10, g->config.name, g->config.cc_major,
                        g->config.cc_minor, gpu_with_code(g, arch));
    m->target = arch;
    m->made_from = arena_printf(&m->arena, "machine code for sm_%u", arch);
    m->param_room = GPU_PARAM_BYTES;
    kernels(m);
    s = variables(m, d);
    if (s == WW_OK) s = module_place(m, 0, d);
    return s == WW_OK ? all_initial_values(m, d) : s;
}

enum ww_status module_cubin_build(struct gpu_kernel *k, bool outline, const struct code_target *t,
                                  struct diags *d, struct code_image **out) {
    struct gpu *g = k->module->gpu;
    const struct sass_target target = {
        .gen = t->gen,
        .latencies = t->latencies,
        .stack_bytes = g->options.stack_bytes ? g->options.stack_bytes : (uint32_t)CODE_STACK_BYTES,
        .marks_last_reads = t->marks_last_reads};
    return (outline ? sass_outline : sass_build)(&k->module->cubin->places, k->code, &target,
                                                 &g->allocator, d, out);
}
