// A PTX module made ready for exec without a device: variables placed and initialised, kernels
// built.
#ifndef TEST_LOADER_H
#define TEST_LOADER_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "code/code.h"
#include "exec/devmem.h"
#include "exec/exec.h"
#include "exec/functional.h"
#include "exec/launch.h"
#include "exec/level.h"
#include "../code/test_targets.h"

struct loaded {
    struct arena arena;
    struct diags diags;
    struct ptx_module *module;
    struct devmem *mem;
    uint64_t *addr;
    uint64_t const_base, const_bytes;
    struct code_image *image;
};

static inline bool loader_is_opaque(const struct ptx_var *v) {
    return v->type == PTX_TEXREF || v->type == PTX_SURFREF || v->type == PTX_SAMPLERREF ||
           v->space == PTX_SPACE_TEX;
}
static inline void loader_place(struct loaded *l) {
    const struct ptx_module *m = l->module;
    l->addr = arena_alloc(&l->arena, (m->n_vars + 1) * sizeof *l->addr);
    for (uint32_t i = 0; i < m->n_vars; i++) {
        const struct ptx_var *v = m->vars[i];
        if (loader_is_opaque(v)) {
            const struct exec_texture t = {.channels = 1, .channel_bits = 32, .width = 1};
            l->addr[i] = devmem_texture_new(l->mem, &t);
        } else if (v->space == PTX_SPACE_CONST) {
            l->const_bytes = bits_align_up(l->const_bytes, v->align ? v->align : 1);
            l->addr[i] = l->const_bytes;
            l->const_bytes += v->bytes;
        } else if (v->space == PTX_SPACE_GLOBAL) {
            l->addr[i] = devmem_alloc(l->mem, v->bytes ? v->bytes : 1, v->align, v->name);
        }
    }
    if (l->const_bytes) l->const_base = devmem_alloc(l->mem, l->const_bytes, 256, "constants");
    for (uint32_t i = 0; i < m->n_vars; i++) {
        const struct ptx_var *v = m->vars[i];
        if (loader_is_opaque(v) || (v->space != PTX_SPACE_CONST && v->space != PTX_SPACE_GLOBAL))
            continue;
        const uint64_t at = l->addr[i] + (v->space == PTX_SPACE_CONST ? l->const_base : 0);
        uint8_t *host = devmem_host(l->mem, at, v->bytes ? v->bytes : 1);
        assert_non_null(host);
        if (v->init) memcpy(host, v->init, v->bytes);
        for (uint32_t k = 0; k < v->n_relocs; k++) {
            const struct ptx_reloc *r = &v->relocs[k];
            uint64_t value;
            if (r->is_function) {
                value = CODE_FUNC_ADDRESS(r->index);
            } else {
                const struct ptx_var *t = m->vars[r->index];
                value = l->addr[r->index] +
                        (t->space == PTX_SPACE_CONST && r->generic ? l->const_base : 0);
            }
            value = (value + (uint64_t)r->addend) >> r->shift;
            memcpy(host + r->offset, &value, r->bytes);
        }
    }
}
static inline enum ww_status loader_open(struct loaded *l, const char *path, const char *text,
                                         size_t len) {
    *l = (struct loaded){0};
    arena_init(&l->arena, NULL);
    diags_init(&l->diags);
    l->mem = devmem_create(64u << 20);
    assert_non_null(l->mem);
    const enum ww_status s = ptx_parse(path, text, len, NULL, &l->diags, &l->module);
    if (s == WW_OK) loader_place(l);
    return s;
}
static inline enum ww_status loader_build(struct loaded *l, const char *kernel,
                                          enum target_gen gen) {
    const struct ptx_func *f = NULL;
    if (kernel) f = ptx_find_func(l->module, kernel);
    for (uint32_t i = 0; !f && i < l->module->n_funcs; i++)
        if (l->module->funcs[i]->is_entry) f = l->module->funcs[i];
    assert_non_null(f);
    const struct code_symbols symbols = {.addr = l->addr, .const_base = l->const_base};
    const struct code_target target = test_target(gen);
    return code_build(l->module, f, &target, &symbols, 0, 0, &l->diags, &l->image);
}
static inline void loader_close(struct loaded *l) {
    if (l->image) code_free(l->image);
    if (l->module) ptx_free(l->module);
    devmem_destroy(l->mem);
    diags_free(&l->diags);
    arena_free(&l->arena);
}

#endif
