// Texture references: variables of a module that the host binds to memory before launches.
//
// A launch sees what was bound when it was called. Launches run later than they are called, so a
// reference that changes waits for what is queued.
#include "isa/image.h"
#include "driver/texture.h"

#include <assert.h>
#include <stdlib.h>

static struct gpu *gpu(void) { return driver_get()->gpu; }

// ---- descriptions ------------------------------------------------------------------------------
bool texture_format(struct exec_texture *t, CUarray_format format, unsigned int channels) {
    struct driver_format f;
    if (!driver_format(format, &f) || (channels != 1 && channels != 2 && channels != 4))
        return false;
    if (f.channels && f.channels != channels) return false;
    t->channels = (uint8_t)channels;
    t->channel_bits = f.bits;
    t->channel_kind = f.kind;
    t->read_as_float = f.normalised;
    return true;
}

void texture_of_array(struct exec_texture *t, const struct CUarray_st *a) {
    const CUDA_ARRAY3D_DESCRIPTOR *d = &a->descriptor;
    t->base = a->address;
    t->width = (uint32_t)d->Width;
    t->height = (uint32_t)d->Height;
    t->row_pitch = a->row_pitch;
    t->slice_pitch = a->slice_pitch;
    t->is_cubemap = d->Flags & CUDA_ARRAY3D_CUBEMAP;
    t->is_linear_memory = false;
    t->in_blocks = a->in_blocks;
    t->depth = t->layers = 0;
    if (d->Flags & CUDA_ARRAY3D_LAYERED)
        t->layers = (uint32_t)d->Depth / (t->is_cubemap ? 6 : 1);
    else if (!t->is_cubemap)
        t->depth = (uint32_t)d->Depth;
    texture_format(t, d->Format, d->NumChannels);
}

CUresult texture_of_memory(struct exec_texture *t, uint64_t address, uint64_t bytes) {
    const uint64_t texel = t->channels * t->channel_bits / 8u;
    if (bytes / texel > gpu_limits_of(gpu())->image->tex1d_linear) return CUDA_ERROR_INVALID_VALUE;
    t->base = address;
    t->width = (uint32_t)(bytes / texel);
    t->height = t->depth = t->layers = 0;
    t->row_pitch = t->slice_pitch = bytes;
    t->is_cubemap = t->in_blocks = false;
    t->is_linear_memory = true;
    return CUDA_SUCCESS;
}

CUresult texture_of_pitch(struct exec_texture *t, uint64_t address, uint64_t width, uint64_t height,
                          uint64_t pitch) {
    const struct gpu_limits *l = gpu_limits_of(gpu());
    const uint64_t texel = t->channels * t->channel_bits / 8u;
    const uint32_t *const most = l->image->tex2d_linear;
    if (!width || !height || width > most[0] || height > most[1]) return CUDA_ERROR_INVALID_VALUE;
    if (pitch % l->tex_pitch_alignment || pitch > most[2] || width * texel > pitch)
        return CUDA_ERROR_INVALID_VALUE;
    if (address % l->tex_alignment) return CUDA_ERROR_INVALID_VALUE;
    if (!devmem_host(gpu_memory(gpu()), address, pitch * (height - 1) + width * texel))
        return CUDA_ERROR_INVALID_VALUE;
    t->base = address;
    t->width = (uint32_t)width;
    t->height = (uint32_t)height;
    t->depth = t->layers = 0;
    t->row_pitch = pitch;
    t->slice_pitch = pitch * height;
    t->is_cubemap = t->is_linear_memory = t->in_blocks = false;
    return CUDA_SUCCESS;
}

bool texture_modes_valid(const struct texture_modes *m) {
    enum {
        KNOWN = CU_TRSF_READ_AS_INTEGER | CU_TRSF_NORMALIZED_COORDINATES | CU_TRSF_SRGB |
                CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION | CU_TRSF_SEAMLESS_CUBEMAP
    };
    for (int i = 0; i < 3; i++)
        if ((unsigned)m->address[i] > CU_TR_ADDRESS_MODE_BORDER) return false;
    return (unsigned)m->filter <= CU_TR_FILTER_MODE_LINEAR && !(m->flags & ~(unsigned)KNOWN);
}

// exec_texture numbers address modes as the API does.
static_assert(CU_TR_ADDRESS_MODE_WRAP == 0 && CU_TR_ADDRESS_MODE_CLAMP == 1 &&
                  CU_TR_ADDRESS_MODE_MIRROR == 2 && CU_TR_ADDRESS_MODE_BORDER == 3,
              "struct exec_texture.address_mode");

void texture_set_modes(struct exec_texture *t, const struct texture_modes *m) {
    for (int i = 0; i < 3; i++) t->address_mode[i] = (uint8_t)m->address[i];
    t->linear_filter = m->filter == CU_TR_FILTER_MODE_LINEAR;
    t->normalized_coords = m->flags & CU_TRSF_NORMALIZED_COORDINATES;
    t->srgb = m->flags & CU_TRSF_SRGB;
    if (!(m->flags & CU_TRSF_READ_AS_INTEGER)) t->read_as_float = true;
    memcpy(t->border, m->border, sizeof t->border);
}

CUresult texture_of_module(CUmodule m, const char *name, bool surface, uint64_t *handle) {
    bool is_surface = false;
    if (gpu_module_texture(m->module, name, process_diags(), handle, &is_surface) == WW_OK)
        return is_surface == surface ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
    diags_free(process_diags());
    diags_init(process_diags());
    return CUDA_ERROR_NOT_FOUND;
}

// ---- references --------------------------------------------------------------------------------
enum bound { BOUND_NOTHING, BOUND_ARRAY, BOUND_MEMORY, BOUND_PITCH };

struct CUtexref_st {
    struct CUtexref_st *next;
    CUmodule module; // NULL: made by cuTexRefCreate
    uint64_t handle;
    enum bound bound;
    CUarray array;
    CUmipmappedArray mipmap;
    uint64_t address, bytes, width, height, pitch;
    CUarray_format format;
    unsigned int channels;
    struct texture_modes modes;
    CUfilter_mode mipmap_filter; // kept only, as the rest: there is one level
    float level_bias, level_least, level_greatest;
    unsigned int anisotropy;
};

static bool is_texref(CUtexref r) { return DRIVER_IS(TAG_TEXREF, r); }

// What a reference says becomes what kernels see. What it was bound to may have been freed since,
// or not fit a new format: that is an error of the call only if the call binds, else nothing is
// bound.
static CUresult apply(CUtexref r, bool binds) {
    struct exec_texture t = {.channels = 1};
    if (!texture_format(&t, r->format, r->channels)) return CUDA_ERROR_INVALID_VALUE;
    CUresult e = CUDA_SUCCESS;
    if (r->bound == BOUND_ARRAY && DRIVER_IS(TAG_ARRAY, r->array)) {
        texture_of_array(&t, r->array); // whose format counts while it is bound
    } else if (r->bound == BOUND_MEMORY) {
        e = texture_of_memory(&t, r->address, r->bytes);
    } else if (r->bound == BOUND_PITCH) {
        e = texture_of_pitch(&t, r->address, r->width, r->height, r->pitch);
    }
    if (e != CUDA_SUCCESS && binds) return e;
    texture_set_modes(&t, &r->modes);
    e = driver_result(gpu_synchronize(gpu(), process_diags()));
    devmem_texture_set(gpu_memory(gpu()), r->handle, &t);
    return e;
}

// Tries a changed copy; a change that is refused leaves the reference as it was.
static CUresult change(CUtexref r, struct CUtexref_st changed, bool binds) {
    const CUresult e = apply(&changed, binds);
    if (e == CUDA_SUCCESS) *r = changed;
    return e;
}

static CUtexref new_texref(CUmodule m, uint64_t handle) {
    CUtexref r = calloc(1, sizeof *r);
    if (!r || !driver_handle_add(TAG_TEXREF, DRIVER_KEY(r))) {
        free(r);
        return NULL;
    }
    r->module = m;
    r->handle = handle;
    r->format = CU_AD_FORMAT_FLOAT;
    r->channels = 1;
    r->mipmap_filter = CU_TR_FILTER_MODE_POINT;
    const struct exec_texture *t = devmem_texture_get(gpu_memory(gpu()), handle);
    for (int i = 0; t && i < 3; i++) r->modes.address[i] = (CUaddress_mode)t->address_mode[i];
    if (t && t->linear_filter) r->modes.filter = CU_TR_FILTER_MODE_LINEAR;
    if (t && t->normalized_coords) r->modes.flags = CU_TRSF_NORMALIZED_COORDINATES;
    if (m) {
        r->next = m->texrefs;
        m->texrefs = r;
    }
    return r;
}

void driver_release_texref(uint64_t key) {
    CUtexref r = (CUtexref)(uintptr_t)key;
    if (r->module) {
        struct CUtexref_st **at = &r->module->texrefs;
        while (*at != r) at = &(*at)->next;
        *at = r->next;
    } else {
        devmem_texture_free(gpu_memory(gpu()), r->handle);
    }
    driver_handle_remove(TAG_TEXREF, key);
    free(r);
}

CUresult cuModuleGetTexRef(CUtexref *out, CUmodule m, const char *name) {
    DRIVER_ENTER(NEED_CONTEXT);
    if (!out || !name) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    if (!DRIVER_IS(TAG_MODULE, m)) DRIVER_LEAVE(CUDA_ERROR_INVALID_HANDLE);
    uint64_t handle;
    const CUresult e = texture_of_module(m, name, false, &handle);
    if (e != CUDA_SUCCESS) DRIVER_LEAVE(e);
    CUtexref r = m->texrefs;
    while (r && r->handle != handle) r = r->next;
    if (!r) r = new_texref(m, handle);
    if (r) *out = r;
    DRIVER_LEAVE(r ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY);
}

CUresult cuTexRefCreate(CUtexref *out) {
    DRIVER_ENTER(NEED_CONTEXT);
    if (!out) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    const struct exec_texture t = {.channels = 1, .channel_bits = 32, .channel_kind = 2};
    const uint64_t handle = devmem_texture_new(gpu_memory(gpu()), &t);
    CUtexref r = handle ? new_texref(NULL, handle) : NULL;
    if (!r && handle) devmem_texture_free(gpu_memory(gpu()), handle);
    if (r) *out = r;
    DRIVER_LEAVE(r ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY);
}

CUresult cuTexRefDestroy(CUtexref r) {
    DRIVER_ENTER(NEED_CONTEXT);
    if (!is_texref(r)) DRIVER_LEAVE(CUDA_ERROR_INVALID_HANDLE);
    if (r->module) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE); // goes with its module
    const CUresult e = driver_result(gpu_synchronize(gpu(), process_diags()));
    driver_release_texref(DRIVER_KEY(r));
    DRIVER_LEAVE(e);
}

// ---- binding -----------------------------------------------------------------------------------
static CUresult bind_array(CUtexref r, CUarray a, CUmipmappedArray m, unsigned int flags) {
    if (!is_texref(r) || !DRIVER_IS(TAG_ARRAY, a)) return CUDA_ERROR_INVALID_HANDLE;
    if (flags != CU_TRSA_OVERRIDE_FORMAT) return CUDA_ERROR_INVALID_VALUE;
    struct CUtexref_st c = *r;
    c.bound = BOUND_ARRAY;
    c.array = a;
    c.mipmap = m;
    c.format = a->descriptor.Format;
    c.channels = a->descriptor.NumChannels;
    return change(r, c, true);
}
CUresult cuTexRefSetArray(CUtexref r, CUarray a, unsigned int flags) {
    DRIVER_ENTER(NEED_CONTEXT);
    DRIVER_LEAVE(bind_array(r, a, NULL, flags));
}
CUresult cuTexRefSetMipmappedArray(CUtexref r, CUmipmappedArray m, unsigned int flags) {
    DRIVER_ENTER(NEED_CONTEXT);
    DRIVER_LEAVE(bind_array(r, driver_mipmap_level(m, 0), m, flags));
}

CUresult cuTexRefSetAddress(size_t *byte_offset, CUtexref r, CUdeviceptr address, size_t bytes) {
    DRIVER_ENTER(NEED_CONTEXT);
    if (!is_texref(r)) DRIVER_LEAVE(CUDA_ERROR_INVALID_HANDLE);
    struct CUtexref_st c = *r;
    const uint64_t offset = address % gpu_limits_of(gpu())->tex_alignment;
    struct devmem_range range;
    if (!address) { // unbinds
        c.bound = BOUND_NOTHING;
    } else {
        if (offset && !byte_offset) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
        if (!bytes || !devmem_find(gpu_memory(gpu()), address, &range))
            DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
        c.bound = BOUND_MEMORY;
        c.address = address - offset; // kernels add the offset that they are told
        c.bytes = bytes + offset;
    }
    const CUresult e = change(r, c, true);
    if (e == CUDA_SUCCESS && byte_offset) *byte_offset = offset;
    DRIVER_LEAVE(e);
}

CUresult cuTexRefSetAddress2D(CUtexref r, const CUDA_ARRAY_DESCRIPTOR *d, CUdeviceptr address,
                              size_t pitch) {
    DRIVER_ENTER(NEED_CONTEXT);
    if (!is_texref(r)) DRIVER_LEAVE(CUDA_ERROR_INVALID_HANDLE);
    if (!d) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    struct CUtexref_st c = *r;
    c.bound = BOUND_PITCH;
    c.address = address;
    c.width = d->Width;
    c.height = d->Height;
    c.pitch = pitch;
    c.format = d->Format;
    c.channels = d->NumChannels;
    DRIVER_LEAVE(change(r, c, true));
}

// ---- properties --------------------------------------------------------------------------------
// One call that changes a reference: checks, a copy called c, the change, the application.
#define SETTER(name, arguments, valid, changes)                                                    \
    CUresult name arguments {                                                                      \
        DRIVER_ENTER(NEED_CONTEXT);                                                                \
        if (!is_texref(texture)) DRIVER_LEAVE(CUDA_ERROR_INVALID_HANDLE);                          \
        if (!(valid)) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);                                      \
        struct CUtexref_st c = *texture;                                                           \
        changes;                                                                                   \
        DRIVER_LEAVE(change(texture, c, false));                                                   \
    }
#define GETTER(name, arguments, valid, answers)                                                    \
    CUresult name arguments {                                                                      \
        DRIVER_ENTER(NEED_CONTEXT);                                                                \
        if (!is_texref(texture)) DRIVER_LEAVE(CUDA_ERROR_INVALID_HANDLE);                          \
        if (!(valid)) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);                                      \
        answers;                                                                                   \
        DRIVER_LEAVE(CUDA_SUCCESS);                                                                \
    }
// clang-format off
SETTER(cuTexRefSetFormat, (CUtexref texture, CUarray_format format, int channels),
       true, (c.format = format, c.channels = (unsigned)channels))
SETTER(cuTexRefSetAddressMode, (CUtexref texture, int dimension, CUaddress_mode mode),
       dimension >= 0 && dimension < 3 && (unsigned)mode <= CU_TR_ADDRESS_MODE_BORDER,
       c.modes.address[dimension] = mode)
SETTER(cuTexRefSetFilterMode, (CUtexref texture, CUfilter_mode mode),
       (unsigned)mode <= CU_TR_FILTER_MODE_LINEAR, c.modes.filter = mode)
SETTER(cuTexRefSetMipmapFilterMode, (CUtexref texture, CUfilter_mode mode),
       (unsigned)mode <= CU_TR_FILTER_MODE_LINEAR, c.mipmap_filter = mode)
SETTER(cuTexRefSetMipmapLevelBias, (CUtexref texture, float bias), true, c.level_bias = bias)
SETTER(cuTexRefSetMipmapLevelClamp, (CUtexref texture, float least, float greatest), true,
       (c.level_least = least, c.level_greatest = greatest))
SETTER(cuTexRefSetMaxAnisotropy, (CUtexref texture, unsigned int greatest), true,
       c.anisotropy = greatest)
SETTER(cuTexRefSetBorderColor, (CUtexref texture, float *colour), colour,
       memcpy(c.modes.border, colour, sizeof c.modes.border))
SETTER(cuTexRefSetFlags, (CUtexref texture, unsigned int flags),
       texture_modes_valid(&(struct texture_modes){.flags = flags}), c.modes.flags = flags)

GETTER(cuTexRefGetAddress, (CUdeviceptr *address, CUtexref texture),
       address && (texture->bound == BOUND_MEMORY || texture->bound == BOUND_PITCH),
       *address = texture->address)
GETTER(cuTexRefGetArray, (CUarray *array, CUtexref texture),
       array && texture->bound == BOUND_ARRAY && DRIVER_IS(TAG_ARRAY, texture->array),
       *array = texture->array)
GETTER(cuTexRefGetMipmappedArray, (CUmipmappedArray *array, CUtexref texture),
       array && texture->bound == BOUND_ARRAY && DRIVER_IS(TAG_MIPMAP, texture->mipmap),
       *array = texture->mipmap)
GETTER(cuTexRefGetAddressMode, (CUaddress_mode *mode, CUtexref texture, int dimension),
       mode && dimension >= 0 && dimension < 3, *mode = texture->modes.address[dimension])
GETTER(cuTexRefGetFilterMode, (CUfilter_mode *mode, CUtexref texture), mode,
       *mode = texture->modes.filter)
GETTER(cuTexRefGetFormat, (CUarray_format *format, int *channels, CUtexref texture),
       format || channels,
       { if (format) *format = texture->format; if (channels) *channels = (int)texture->channels; })
GETTER(cuTexRefGetMipmapFilterMode, (CUfilter_mode *mode, CUtexref texture), mode,
       *mode = texture->mipmap_filter)
GETTER(cuTexRefGetMipmapLevelBias, (float *bias, CUtexref texture), bias,
       *bias = texture->level_bias)
GETTER(cuTexRefGetMipmapLevelClamp, (float *least, float *greatest, CUtexref texture),
       least && greatest,
       (*least = texture->level_least, *greatest = texture->level_greatest))
GETTER(cuTexRefGetMaxAnisotropy, (int *greatest, CUtexref texture), greatest,
       *greatest = (int)texture->anisotropy)
GETTER(cuTexRefGetBorderColor, (float *colour, CUtexref texture), colour,
       memcpy(colour, texture->modes.border, sizeof texture->modes.border))
GETTER(cuTexRefGetFlags, (unsigned int *flags, CUtexref texture), flags,
       *flags = texture->modes.flags)
// clang-format on
