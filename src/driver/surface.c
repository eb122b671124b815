// Surface references and objects: arrays that kernels read and write by place, without sampling.
#include "driver/texture.h"

#include <stdlib.h>

static struct gpu *gpu(void) { return driver_get()->gpu; }

static CUresult of_array(struct exec_texture *t, CUarray a) {
    if (!DRIVER_IS(TAG_ARRAY, a)) return CUDA_ERROR_INVALID_HANDLE;
    if (!(a->descriptor.Flags & CUDA_ARRAY3D_SURFACE_LDST)) return CUDA_ERROR_INVALID_VALUE;
    texture_of_array(t, a);
    return CUDA_SUCCESS;
}

// ---- references --------------------------------------------------------------------------------
struct CUsurfref_st {
    struct CUsurfref_st *next;
    CUmodule module;
    uint64_t handle;
    CUarray array;
};

void driver_release_surfref(uint64_t key) {
    CUsurfref s = (CUsurfref)(uintptr_t)key;
    struct CUsurfref_st **at = &s->module->surfrefs;
    while (*at != s) at = &(*at)->next;
    *at = s->next;
    driver_handle_remove(TAG_SURFREF, key);
    free(s);
}

CUresult cuModuleGetSurfRef(CUsurfref *out, CUmodule m, const char *name) {
    DRIVER_ENTER(NEED_CONTEXT);
    if (!out || !name) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    if (!DRIVER_IS(TAG_MODULE, m)) DRIVER_LEAVE(CUDA_ERROR_INVALID_HANDLE);
    uint64_t handle;
    const CUresult e = texture_of_module(m, name, true, &handle);
    if (e != CUDA_SUCCESS) DRIVER_LEAVE(e);
    CUsurfref s = m->surfrefs;
    while (s && s->handle != handle) s = s->next;
    if (!s) {
        s = calloc(1, sizeof *s);
        if (!s || !driver_handle_add(TAG_SURFREF, DRIVER_KEY(s))) {
            free(s);
            DRIVER_LEAVE(CUDA_ERROR_OUT_OF_MEMORY);
        }
        *s = (struct CUsurfref_st){.next = m->surfrefs, .module = m, .handle = handle};
        m->surfrefs = s;
    }
    *out = s;
    DRIVER_LEAVE(CUDA_SUCCESS);
}

CUresult cuSurfRefSetArray(CUsurfref s, CUarray a, unsigned int flags) {
    DRIVER_ENTER(NEED_CONTEXT);
    if (!DRIVER_IS(TAG_SURFREF, s)) DRIVER_LEAVE(CUDA_ERROR_INVALID_HANDLE);
    if (flags) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    struct exec_texture t = {.channels = 1};
    CUresult e = of_array(&t, a);
    if (e != CUDA_SUCCESS) DRIVER_LEAVE(e);
    e = driver_result(gpu_synchronize(gpu(), process_diags())); // see texture.c
    devmem_texture_set(gpu_memory(gpu()), s->handle, &t);
    s->array = a;
    DRIVER_LEAVE(e);
}

CUresult cuSurfRefGetArray(CUarray *out, CUsurfref s) {
    DRIVER_ENTER(NEED_CONTEXT);
    if (!DRIVER_IS(TAG_SURFREF, s)) DRIVER_LEAVE(CUDA_ERROR_INVALID_HANDLE);
    if (!out || !DRIVER_IS(TAG_ARRAY, s->array)) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    *out = s->array;
    DRIVER_LEAVE(CUDA_SUCCESS);
}

// ---- objects -----------------------------------------------------------------------------------
struct object {
    struct object *next;
    uint64_t handle;
    CUDA_RESOURCE_DESC resource;
};
static struct object *objects; // part of the singleton; guarded by its lock

static struct object *find(CUsurfObject handle) {
    for (struct object *o = objects; o; o = o->next)
        if (o->handle == handle) return o;
    return NULL;
}

CUresult cuSurfObjectCreate(CUsurfObject *out, const CUDA_RESOURCE_DESC *r) {
    DRIVER_ENTER(NEED_CONTEXT);
    if (!out || !r || r->resType != CU_RESOURCE_TYPE_ARRAY || r->flags)
        DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    struct exec_texture t = {.channels = 1};
    const CUresult e = of_array(&t, r->res.array.hArray);
    if (e != CUDA_SUCCESS) DRIVER_LEAVE(e);
    struct object *o = calloc(1, sizeof *o);
    const uint64_t handle = o ? devmem_texture_new(gpu_memory(gpu()), &t) : 0;
    if (!handle || !driver_handle_add(TAG_SURFACE_OBJECT, handle)) {
        if (handle) devmem_texture_free(gpu_memory(gpu()), handle);
        free(o);
        DRIVER_LEAVE(CUDA_ERROR_OUT_OF_MEMORY);
    }
    *o = (struct object){.next = objects, .handle = handle, .resource = *r};
    objects = o;
    *out = handle;
    DRIVER_LEAVE(CUDA_SUCCESS);
}

void driver_release_surface_object(uint64_t key) {
    struct object **at = &objects;
    while ((*at)->handle != key) at = &(*at)->next;
    struct object *o = *at;
    *at = o->next;
    devmem_texture_free(gpu_memory(gpu()), key);
    driver_handle_remove(TAG_SURFACE_OBJECT, key);
    free(o);
}

CUresult cuSurfObjectDestroy(CUsurfObject object) {
    DRIVER_ENTER(NEED_CONTEXT);
    if (!find(object)) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    const CUresult r = driver_result(gpu_synchronize(gpu(), process_diags()));
    driver_release_surface_object(object);
    DRIVER_LEAVE(r);
}

CUresult cuSurfObjectGetResourceDesc(CUDA_RESOURCE_DESC *out, CUsurfObject object) {
    DRIVER_ENTER(NEED_CONTEXT);
    const struct object *o = find(object);
    if (!out || !o) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    *out = o->resource;
    DRIVER_LEAVE(CUDA_SUCCESS);
}
