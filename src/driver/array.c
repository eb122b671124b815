// CUDA arrays: device memory with a pitch. Hardware stores them in blocks whose layout is secret;
// rows side by side give the same values, and a texture cache that sees two dimensions as rows.
#include "driver/driver.h"

#include <stdlib.h>

static struct gpu *gpu(void) { return driver_get()->gpu; }

static const struct {
    CUarray_format format;
    struct driver_format is;
} format_table[] = {
    // bits a channel, kind (0 unsigned, 1 signed, 2 float), always read as fraction, channels
    {CU_AD_FORMAT_UNSIGNED_INT8, {8, 0, false, 0}},
    {CU_AD_FORMAT_UNSIGNED_INT16, {16, 0, false, 0}},
    {CU_AD_FORMAT_UNSIGNED_INT32, {32, 0, false, 0}},
    {CU_AD_FORMAT_SIGNED_INT8, {8, 1, false, 0}},
    {CU_AD_FORMAT_SIGNED_INT16, {16, 1, false, 0}},
    {CU_AD_FORMAT_SIGNED_INT32, {32, 1, false, 0}},
    {CU_AD_FORMAT_HALF, {16, 2, false, 0}},
    {CU_AD_FORMAT_FLOAT, {32, 2, false, 0}},
    {CU_AD_FORMAT_UNORM_INT8X1, {8, 0, true, 1}},
    {CU_AD_FORMAT_UNORM_INT8X2, {8, 0, true, 2}},
    {CU_AD_FORMAT_UNORM_INT8X4, {8, 0, true, 4}},
    {CU_AD_FORMAT_UNORM_INT16X1, {16, 0, true, 1}},
    {CU_AD_FORMAT_UNORM_INT16X2, {16, 0, true, 2}},
    {CU_AD_FORMAT_UNORM_INT16X4, {16, 0, true, 4}},
    {CU_AD_FORMAT_SNORM_INT8X1, {8, 1, true, 1}},
    {CU_AD_FORMAT_SNORM_INT8X2, {8, 1, true, 2}},
    {CU_AD_FORMAT_SNORM_INT8X4, {8, 1, true, 4}},
    {CU_AD_FORMAT_SNORM_INT16X1, {16, 1, true, 1}},
    {CU_AD_FORMAT_SNORM_INT16X2, {16, 1, true, 2}},
    {CU_AD_FORMAT_SNORM_INT16X4, {16, 1, true, 4}},
};

bool driver_format(CUarray_format format, struct driver_format *out) {
    for (size_t i = 0; i < WW_COUNT(format_table); i++) {
        if (format_table[i].format != format) continue;
        *out = format_table[i].is;
        return true;
    }
    return false;
}

// ---- shapes ------------------------------------------------------------------------------------
static bool within(const CUDA_ARRAY3D_DESCRIPTOR *d, const uint32_t most[3]) {
    return d->Width <= most[0] && d->Height <= most[1] && d->Depth <= most[2];
}

static bool extents_fit(const CUDA_ARRAY3D_DESCRIPTOR *d) {
    const struct gpu_image_limits *l = gpu_limits_of(gpu())->image;
    const bool layered = d->Flags & CUDA_ARRAY3D_LAYERED;
    if (d->Flags & CUDA_ARRAY3D_CUBEMAP) {
        const uint32_t faces = layered ? l->cubemap_layered[1] : 6;
        return d->Depth && d->Depth % 6 == 0 && d->Depth <= faces && d->Width == d->Height &&
               d->Width <= (layered ? l->cubemap_layered[0] : l->cubemap);
    }
    if (layered && !d->Depth) return false;
    if (layered && !d->Height)
        return d->Width <= l->tex1d_layered[0] && d->Depth <= l->tex1d_layered[1];
    if (layered) return within(d, l->tex2d_layered);
    if (!d->Height) return !d->Depth && d->Width <= l->tex1d;
    if (!d->Depth) return d->Width <= l->tex2d[0] && d->Height <= l->tex2d[1];
    return within(d, l->tex3d) || within(d, l->tex3d_alternate);
}

static CUresult check(const CUDA_ARRAY3D_DESCRIPTOR *d, struct driver_format *f) {
    enum {
        KNOWN = CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_SURFACE_LDST | CUDA_ARRAY3D_CUBEMAP |
                CUDA_ARRAY3D_TEXTURE_GATHER
    };
    if (!driver_format(d->Format, f)) return CUDA_ERROR_INVALID_VALUE;
    if (d->NumChannels != 1 && d->NumChannels != 2 && d->NumChannels != 4)
        return CUDA_ERROR_INVALID_VALUE;
    if (f->channels && f->channels != d->NumChannels) return CUDA_ERROR_INVALID_VALUE;
    if (d->Flags & ~(unsigned)KNOWN) return CUDA_ERROR_NOT_SUPPORTED;
    return d->Width && extents_fit(d) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

static CUresult create(CUarray *out, const CUDA_ARRAY3D_DESCRIPTOR *d) {
    struct driver_format f = {.bits = 0};
    CUresult r = check(d, &f);
    if (r != CUDA_SUCCESS) return r;
    CUarray a = calloc(1, sizeof *a);
    if (!a) return CUDA_ERROR_OUT_OF_MEMORY;
    a->descriptor = *d;
    a->texel_bytes = f.bits / 8u * d->NumChannels;
    a->rows = d->Height ? (uint32_t)d->Height : 1;
    a->slices = d->Depth ? (uint32_t)d->Depth : 1;
    // From Volta on caches see images in blocks of 64 bytes by 8 rows (exec/tex.c): room for whole
    // ones.
    a->in_blocks = d->Height && gpu_config_count(gpu_config_of(gpu()), "cc_major") >= 7;
    const uint32_t alignment = gpu_limits_of(gpu())->tex_pitch_alignment;
    a->row_pitch =
        bits_align_up(d->Width * a->texel_bytes, a->in_blocks && alignment < 64 ? 64 : alignment);
    a->slice_pitch = a->row_pitch * (a->in_blocks ? bits_align_up(a->rows, 8) : a->rows);
    r = driver_result_quiet(
        gpu_malloc(gpu(), a->slice_pitch * a->slices, "CUDA array", process_diags(), &a->address));
    if (r == CUDA_SUCCESS && !driver_handle_add(TAG_ARRAY, DRIVER_KEY(a))) {
        devmem_free(gpu_memory(gpu()), a->address);
        r = CUDA_ERROR_OUT_OF_MEMORY;
    }
    if (r != CUDA_SUCCESS)
        free(a);
    else
        *out = a;
    return r;
}

// ---- the calls ---------------------------------------------------------------------------------
CUresult cuArray3DCreate(CUarray *out, const CUDA_ARRAY3D_DESCRIPTOR *d) {
    DRIVER_ENTER(NEED_CONTEXT);
    if (!out || !d) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    DRIVER_LEAVE(create(out, d));
}

CUresult cuArrayCreate(CUarray *out, const CUDA_ARRAY_DESCRIPTOR *d) {
    DRIVER_ENTER(NEED_CONTEXT);
    if (!out || !d) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    const CUDA_ARRAY3D_DESCRIPTOR full = {
        .Width = d->Width, .Height = d->Height, .Format = d->Format, .NumChannels = d->NumChannels};
    DRIVER_LEAVE(create(out, &full));
}

CUresult cuArray3DGetDescriptor(CUDA_ARRAY3D_DESCRIPTOR *d, CUarray a) {
    DRIVER_ENTER(NEED_CONTEXT);
    if (!d) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    if (!DRIVER_IS(TAG_ARRAY, a)) DRIVER_LEAVE(CUDA_ERROR_INVALID_HANDLE);
    *d = a->descriptor;
    DRIVER_LEAVE(CUDA_SUCCESS);
}

CUresult cuArrayGetDescriptor(CUDA_ARRAY_DESCRIPTOR *d, CUarray a) {
    DRIVER_ENTER(NEED_CONTEXT);
    if (!d) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    if (!DRIVER_IS(TAG_ARRAY, a)) DRIVER_LEAVE(CUDA_ERROR_INVALID_HANDLE);
    *d = (CUDA_ARRAY_DESCRIPTOR){.Width = a->descriptor.Width,
                                 .Height = a->descriptor.Height,
                                 .Format = a->descriptor.Format,
                                 .NumChannels = a->descriptor.NumChannels};
    DRIVER_LEAVE(CUDA_SUCCESS);
}

// Planes are of video formats, which are not supported.
CUresult cuArrayGetPlane(CUarray *plane, CUarray a, unsigned int index) {
    (void)index;
    DRIVER_ENTER(NEED_CONTEXT);
    if (!DRIVER_IS(TAG_ARRAY, a)) DRIVER_LEAVE(CUDA_ERROR_INVALID_HANDLE);
    if (plane) *plane = NULL;
    DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
}

void driver_release_array(uint64_t key) {
    CUarray a = (CUarray)(uintptr_t)key;
    devmem_free(gpu_memory(gpu()), a->address);
    driver_handle_remove(TAG_ARRAY, key);
    free(a);
}

CUresult cuArrayDestroy(CUarray a) {
    DRIVER_ENTER(NEED_CONTEXT);
    if (!DRIVER_IS(TAG_ARRAY, a)) DRIVER_LEAVE(CUDA_ERROR_INVALID_HANDLE);
    if (a->of_mipmap) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    const CUresult r = driver_result(gpu_synchronize(gpu(), process_diags()));
    driver_release_array(DRIVER_KEY(a));
    DRIVER_LEAVE(r);
}

// ---- mipmapped arrays: all levels can be written; textures sample the first --------------------
enum { MAX_LEVELS = 16 };
struct CUmipmappedArray_st {
    CUarray level[MAX_LEVELS];
    unsigned int n;
};

static size_t halved(size_t extent, unsigned int level) {
    return extent && extent >> level == 0 ? 1 : extent >> level;
}

void driver_release_mipmap(uint64_t key) {
    CUmipmappedArray m = (CUmipmappedArray)(uintptr_t)key;
    for (unsigned i = 0; i < m->n; i++) driver_release_array(DRIVER_KEY(m->level[i]));
    driver_handle_remove(TAG_MIPMAP, key);
    free(m);
}

CUresult cuMipmappedArrayCreate(CUmipmappedArray *out, const CUDA_ARRAY3D_DESCRIPTOR *d,
                                unsigned int levels) {
    DRIVER_ENTER(NEED_CONTEXT);
    if (!out || !d || !levels) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    const bool layered = d->Flags & (CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_CUBEMAP);
    CUmipmappedArray m = calloc(1, sizeof *m);
    if (!m || !driver_handle_add(TAG_MIPMAP, DRIVER_KEY(m))) {
        free(m);
        DRIVER_LEAVE(CUDA_ERROR_OUT_OF_MEMORY);
    }
    CUresult r = CUDA_SUCCESS;
    size_t largest = d->Width > d->Height ? d->Width : d->Height;
    if (!layered && d->Depth > largest) largest = d->Depth;
    while (m->n < levels && m->n < MAX_LEVELS && largest >> m->n && r == CUDA_SUCCESS) {
        CUDA_ARRAY3D_DESCRIPTOR level = *d;
        level.Width = halved(d->Width, m->n);
        level.Height = halved(d->Height, m->n);
        if (!layered) level.Depth = halved(d->Depth, m->n);
        r = create(&m->level[m->n], &level);
        if (r == CUDA_SUCCESS) m->level[m->n++]->of_mipmap = true;
    }
    if (!m->n && r == CUDA_SUCCESS) r = CUDA_ERROR_INVALID_VALUE;
    if (r != CUDA_SUCCESS)
        driver_release_mipmap(DRIVER_KEY(m));
    else
        *out = m;
    DRIVER_LEAVE(r);
}

CUarray driver_mipmap_level(CUmipmappedArray m, unsigned int level) {
    return DRIVER_IS(TAG_MIPMAP, m) && level < m->n ? m->level[level] : NULL;
}

CUresult cuMipmappedArrayGetLevel(CUarray *out, CUmipmappedArray m, unsigned int level) {
    DRIVER_ENTER(NEED_CONTEXT);
    if (!DRIVER_IS(TAG_MIPMAP, m)) DRIVER_LEAVE(CUDA_ERROR_INVALID_HANDLE);
    if (!out || level >= m->n) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    *out = m->level[level];
    DRIVER_LEAVE(CUDA_SUCCESS);
}

CUresult cuMipmappedArrayDestroy(CUmipmappedArray m) {
    DRIVER_ENTER(NEED_CONTEXT);
    if (!DRIVER_IS(TAG_MIPMAP, m)) DRIVER_LEAVE(CUDA_ERROR_INVALID_HANDLE);
    const CUresult r = driver_result(gpu_synchronize(gpu(), process_diags()));
    driver_release_mipmap(DRIVER_KEY(m));
    DRIVER_LEAVE(r);
}
