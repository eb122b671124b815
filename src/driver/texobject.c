// Texture objects: a handle that kernels get as a parameter. The generations before Kepler had
// none; they are allowed on every GPU here, since reading one costs what reading a reference does.
#include "driver/texture.h"

#include <assert.h>
#include <stdlib.h>

static struct gpu *gpu(void) { return driver_get()->gpu; }

struct object {
    struct object *next;
    uint64_t handle;
    CUDA_RESOURCE_DESC resource;
    CUDA_TEXTURE_DESC texture;
    CUDA_RESOURCE_VIEW_DESC view;
    bool has_view;
};
static struct object *objects; // part of the singleton; guarded by its lock

static struct object *find(CUtexObject handle) {
    for (struct object *o = objects; o; o = o->next)
        if (o->handle == handle) return o;
    return NULL;
}

// ---- resources ---------------------------------------------------------------------------------
static CUresult of_resource(struct exec_texture *t, const CUDA_RESOURCE_DESC *r) {
    CUarray a = NULL;
    switch (r->resType) {
    case CU_RESOURCE_TYPE_ARRAY: a = r->res.array.hArray; break;
    case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY:
        a = driver_mipmap_level(r->res.mipmap.hMipmappedArray, 0);
        break;
    case CU_RESOURCE_TYPE_LINEAR: {
        const uint64_t at = r->res.linear.devPtr;
        if (!texture_format(t, r->res.linear.format, r->res.linear.numChannels) ||
            at % gpu_limits_of(gpu())->tex_alignment || !r->res.linear.sizeInBytes ||
            !devmem_host(gpu_memory(gpu()), at, r->res.linear.sizeInBytes))
            return CUDA_ERROR_INVALID_VALUE;
        return texture_of_memory(t, at, r->res.linear.sizeInBytes);
    }
    case CU_RESOURCE_TYPE_PITCH2D:
        if (!texture_format(t, r->res.pitch2D.format, r->res.pitch2D.numChannels))
            return CUDA_ERROR_INVALID_VALUE;
        return texture_of_pitch(t, r->res.pitch2D.devPtr, r->res.pitch2D.width,
                                r->res.pitch2D.height, r->res.pitch2D.pitchInBytes);
    default: return CUDA_ERROR_INVALID_VALUE;
    }
    if (!DRIVER_IS(TAG_ARRAY, a)) return CUDA_ERROR_INVALID_HANDLE;
    texture_of_array(t, a);
    return CUDA_SUCCESS;
}

// Views in the enum come in threes, of 1, 2 and 4 channels.
static const CUarray_format view_formats[] = {
    CU_AD_FORMAT_UNSIGNED_INT8, CU_AD_FORMAT_SIGNED_INT8,    CU_AD_FORMAT_UNSIGNED_INT16,
    CU_AD_FORMAT_SIGNED_INT16,  CU_AD_FORMAT_UNSIGNED_INT32, CU_AD_FORMAT_SIGNED_INT32,
    CU_AD_FORMAT_HALF,          CU_AD_FORMAT_FLOAT,
};
static_assert(CU_RES_VIEW_FORMAT_SINT_1X8 == CU_RES_VIEW_FORMAT_UINT_1X8 + 3 &&
                  CU_RES_VIEW_FORMAT_FLOAT_4X32 == 3 * WW_COUNT(view_formats),
              "order of CUresourceViewFormat");

// Another format of the same size, and a range of layers.
static CUresult apply_view(struct exec_texture *t, const CUDA_RESOURCE_VIEW_DESC *v) {
    if (v->format > CU_RES_VIEW_FORMAT_FLOAT_4X32) return CUDA_ERROR_NOT_SUPPORTED; // compressed
    if (v->firstMipmapLevel) return CUDA_ERROR_NOT_SUPPORTED;
    const uint32_t bits = t->channels * t->channel_bits;
    if (v->format != CU_RES_VIEW_FORMAT_NONE) {
        const unsigned i = v->format - 1u;
        texture_format(t, view_formats[i / 3], 1u << i % 3);
        if (t->channels * (uint32_t)t->channel_bits != bits) return CUDA_ERROR_INVALID_VALUE;
    }
    if ((v->width && v->width != t->width) || (v->height && v->height != t->height))
        return CUDA_ERROR_INVALID_VALUE;
    if (!t->layers) return CUDA_SUCCESS;
    if (v->firstLayer > v->lastLayer || v->lastLayer >= t->layers) return CUDA_ERROR_INVALID_VALUE;
    t->base += v->firstLayer * t->slice_pitch * (t->is_cubemap ? 6 : 1);
    t->layers = v->lastLayer - v->firstLayer + 1;
    return CUDA_SUCCESS;
}

// ---- the calls ---------------------------------------------------------------------------------
static CUresult create(CUtexObject *out, struct object *o) {
    struct texture_modes m = {.filter = o->texture.filterMode, .flags = o->texture.flags};
    memcpy(m.address, o->texture.addressMode, sizeof m.address);
    memcpy(m.border, o->texture.borderColor, sizeof m.border);
    struct exec_texture t = {.channels = 1};
    if (o->resource.flags || !texture_modes_valid(&m)) return CUDA_ERROR_INVALID_VALUE;
    CUresult r = of_resource(&t, &o->resource);
    if (r == CUDA_SUCCESS && o->has_view) r = apply_view(&t, &o->view);
    if (r != CUDA_SUCCESS) return r;
    texture_set_modes(&t, &m);
    o->handle = devmem_texture_new(gpu_memory(gpu()), &t);
    if (!o->handle) return CUDA_ERROR_OUT_OF_MEMORY;
    if (!driver_handle_add(TAG_TEXTURE_OBJECT, o->handle)) {
        devmem_texture_free(gpu_memory(gpu()), o->handle);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    o->next = objects;
    objects = o;
    *out = o->handle;
    return CUDA_SUCCESS;
}

CUresult cuTexObjectCreate(CUtexObject *out, const CUDA_RESOURCE_DESC *resource,
                           const CUDA_TEXTURE_DESC *texture, const CUDA_RESOURCE_VIEW_DESC *view) {
    DRIVER_ENTER(NEED_CONTEXT);
    if (!out || !resource || !texture) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    struct object *o = calloc(1, sizeof *o);
    if (!o) DRIVER_LEAVE(CUDA_ERROR_OUT_OF_MEMORY);
    o->resource = *resource;
    o->texture = *texture;
    if (view) o->view = *view;
    o->has_view = view != NULL;
    const CUresult r = create(out, o);
    if (r != CUDA_SUCCESS) free(o);
    DRIVER_LEAVE(r);
}

void driver_release_texture_object(uint64_t key) {
    struct object **at = &objects;
    while ((*at)->handle != key) at = &(*at)->next;
    struct object *o = *at;
    *at = o->next;
    devmem_texture_free(gpu_memory(gpu()), key);
    driver_handle_remove(TAG_TEXTURE_OBJECT, key);
    free(o);
}

CUresult cuTexObjectDestroy(CUtexObject object) {
    DRIVER_ENTER(NEED_CONTEXT);
    if (!find(object)) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    const CUresult r = driver_result(gpu_synchronize(gpu(), process_diags()));
    driver_release_texture_object(object);
    DRIVER_LEAVE(r);
}

CUresult cuTexObjectGetResourceDesc(CUDA_RESOURCE_DESC *out, CUtexObject object) {
    DRIVER_ENTER(NEED_CONTEXT);
    const struct object *o = find(object);
    if (!out || !o) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    *out = o->resource;
    DRIVER_LEAVE(CUDA_SUCCESS);
}
CUresult cuTexObjectGetTextureDesc(CUDA_TEXTURE_DESC *out, CUtexObject object) {
    DRIVER_ENTER(NEED_CONTEXT);
    const struct object *o = find(object);
    if (!out || !o) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    *out = o->texture;
    DRIVER_LEAVE(CUDA_SUCCESS);
}
CUresult cuTexObjectGetResourceViewDesc(CUDA_RESOURCE_VIEW_DESC *out, CUtexObject object) {
    DRIVER_ENTER(NEED_CONTEXT);
    const struct object *o = find(object);
    if (!out || !o || !o->has_view) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    *out = o->view;
    DRIVER_LEAVE(CUDA_SUCCESS);
}
