// Arrays, texture and surface objects, and texture references of older programs.
#include "cudart/cudart.h"

// ---- channels -----------------------------------------------------------------------------------
CUDART_API struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, int f) {
    return (struct cudaChannelFormatDesc){x, y, z, w, f};
}

bool cudart_format(const struct cudaChannelFormatDesc *d, CUarray_format *format,
                   unsigned *channels) {
    const int bits[] = {d->x, d->y, d->z, d->w};
    unsigned n = 0;
    while (n < 4 && bits[n]) n++;
    for (unsigned i = 1; i < n; i++)
        if (bits[i] != bits[0]) return false;
    if (n == 0 || n == 3) return false;
    *channels = n;
    switch (d->f * 100 + bits[0]) {
    case cudaChannelFormatKindSigned * 100 + 8: *format = CU_AD_FORMAT_SIGNED_INT8; return true;
    case cudaChannelFormatKindSigned * 100 + 16: *format = CU_AD_FORMAT_SIGNED_INT16; return true;
    case cudaChannelFormatKindSigned * 100 + 32: *format = CU_AD_FORMAT_SIGNED_INT32; return true;
    case cudaChannelFormatKindUnsigned * 100 + 8: *format = CU_AD_FORMAT_UNSIGNED_INT8; return true;
    case cudaChannelFormatKindUnsigned * 100 + 16:
        *format = CU_AD_FORMAT_UNSIGNED_INT16;
        return true;
    case cudaChannelFormatKindUnsigned * 100 + 32:
        *format = CU_AD_FORMAT_UNSIGNED_INT32;
        return true;
    case cudaChannelFormatKindFloat * 100 + 16: *format = CU_AD_FORMAT_HALF; return true;
    case cudaChannelFormatKindFloat * 100 + 32: *format = CU_AD_FORMAT_FLOAT; return true;
    default: return false;
    }
}

static int format_bits(CUarray_format f) {
    switch (f) {
    case CU_AD_FORMAT_UNSIGNED_INT8:
    case CU_AD_FORMAT_SIGNED_INT8: return 8;
    case CU_AD_FORMAT_UNSIGNED_INT16:
    case CU_AD_FORMAT_SIGNED_INT16:
    case CU_AD_FORMAT_HALF: return 16;
    default: return 32;
    }
}

struct cudaChannelFormatDesc cudart_channel(CUarray_format format, unsigned channels) {
    const int bits = format_bits(format);
    const bool is_float = format == CU_AD_FORMAT_HALF || format == CU_AD_FORMAT_FLOAT,
               is_signed = format == CU_AD_FORMAT_SIGNED_INT8 ||
                           format == CU_AD_FORMAT_SIGNED_INT16 ||
                           format == CU_AD_FORMAT_SIGNED_INT32;
    return (struct cudaChannelFormatDesc){bits, channels > 1 ? bits : 0, channels > 2 ? bits : 0,
                                          channels > 3 ? bits : 0,
                                          is_float    ? cudaChannelFormatKindFloat
                                          : is_signed ? cudaChannelFormatKindSigned
                                                      : cudaChannelFormatKindUnsigned};
}

unsigned cudart_texel_bytes(cudaArray_t a) {
    CUDA_ARRAY3D_DESCRIPTOR d;
    if (cuArray3DGetDescriptor(&d, a) != CUDA_SUCCESS) return 1;
    return (unsigned)format_bits(d.Format) / 8 * d.NumChannels;
}

// ---- arrays -------------------------------------------------------------------------------------
static cudaError_t describe(CUDA_ARRAY3D_DESCRIPTOR *d, const struct cudaChannelFormatDesc *channel,
                            struct cudaExtent e, unsigned flags) {
    *d = (CUDA_ARRAY3D_DESCRIPTOR){
        .Width = e.width, .Height = e.height, .Depth = e.depth, .Flags = flags};
    if (!channel || !cudart_format(channel, &d->Format, &d->NumChannels))
        return cudaErrorInvalidChannelDescriptor;
    return cudaSuccess;
}
// Flags (layered 1, surface 2, cube map 4, gather 8) have the driver's numbers.
CUDART_API cudaError_t cudaMalloc3DArray(cudaArray_t *out,
                                         const struct cudaChannelFormatDesc *channel,
                                         struct cudaExtent e, unsigned flags) {
    CUDART_READY();
    CUDA_ARRAY3D_DESCRIPTOR d;
    const cudaError_t bad = describe(&d, channel, e, flags);
    return bad != cudaSuccess ? cudart_error(bad) : cudart_done(cuArray3DCreate(out, &d));
}
CUDART_API cudaError_t cudaMallocArray(cudaArray_t *out,
                                       const struct cudaChannelFormatDesc *channel, size_t width,
                                       size_t height, unsigned flags) {
    return cudaMalloc3DArray(out, channel, (struct cudaExtent){width, height, 0}, flags);
}
CUDART_API cudaError_t cudaFreeArray(cudaArray_t a) {
    CUDART_READY();
    return a ? cudart_done(cuArrayDestroy(a)) : cudaSuccess;
}
CUDART_API cudaError_t cudaArrayGetInfo(struct cudaChannelFormatDesc *channel, struct cudaExtent *e,
                                        unsigned *flags, cudaArray_t a) {
    CUDART_READY();
    CUDA_ARRAY3D_DESCRIPTOR d;
    const CUresult r = cuArray3DGetDescriptor(&d, a);
    if (r != CUDA_SUCCESS) return cudart_done(r);
    if (channel) *channel = cudart_channel(d.Format, d.NumChannels);
    if (e) *e = (struct cudaExtent){d.Width, d.Height, d.Depth};
    if (flags) *flags = d.Flags;
    return cudaSuccess;
}
CUDART_API cudaError_t cudaGetChannelDesc(struct cudaChannelFormatDesc *channel, cudaArray_t a) {
    return cudaArrayGetInfo(channel, NULL, NULL, a);
}
CUDART_API cudaError_t cudaMallocMipmappedArray(cudaMipmappedArray_t *out,
                                                const struct cudaChannelFormatDesc *channel,
                                                struct cudaExtent e, unsigned levels,
                                                unsigned flags) {
    CUDART_READY();
    CUDA_ARRAY3D_DESCRIPTOR d;
    const cudaError_t bad = describe(&d, channel, e, flags);
    return bad != cudaSuccess ? cudart_error(bad)
                              : cudart_done(cuMipmappedArrayCreate(out, &d, levels));
}
CUDART_API cudaError_t cudaGetMipmappedArrayLevel(cudaArray_t *out, cudaMipmappedArray_t a,
                                                  unsigned level) {
    CUDART_READY();
    return cudart_done(cuMipmappedArrayGetLevel(out, a, level));
}
CUDART_API cudaError_t cudaFreeMipmappedArray(cudaMipmappedArray_t a) {
    CUDART_READY();
    return a ? cudart_done(cuMipmappedArrayDestroy(a)) : cudaSuccess;
}

// ---- objects ------------------------------------------------------------------------------------
static cudaError_t resource(const struct cudaResourceDesc *from, CUDA_RESOURCE_DESC *to) {
    memset(to, 0, sizeof *to);
    to->resType = (CUresourcetype)from->resType; // same numbers
    switch (from->resType) {
    case cudaResourceTypeArray: to->res.array.hArray = from->res.array.array; return cudaSuccess;
    case cudaResourceTypeMipmappedArray:
        to->res.mipmap.hMipmappedArray = from->res.mipmap.mipmap;
        return cudaSuccess;
    case cudaResourceTypeLinear:
        to->res.linear.devPtr = (CUdeviceptr)(uintptr_t)from->res.linear.devPtr;
        to->res.linear.sizeInBytes = from->res.linear.sizeInBytes;
        return cudart_format(&from->res.linear.desc, &to->res.linear.format,
                             &to->res.linear.numChannels)
                   ? cudaSuccess
                   : cudaErrorInvalidChannelDescriptor;
    case cudaResourceTypePitch2D:
        to->res.pitch2D.devPtr = (CUdeviceptr)(uintptr_t)from->res.pitch2D.devPtr;
        to->res.pitch2D.width = from->res.pitch2D.width;
        to->res.pitch2D.height = from->res.pitch2D.height;
        to->res.pitch2D.pitchInBytes = from->res.pitch2D.pitchInBytes;
        return cudart_format(&from->res.pitch2D.desc, &to->res.pitch2D.format,
                             &to->res.pitch2D.numChannels)
                   ? cudaSuccess
                   : cudaErrorInvalidChannelDescriptor;
    default: return cudaErrorInvalidValue;
    }
}
static void unresource(const CUDA_RESOURCE_DESC *from, struct cudaResourceDesc *to) {
    memset(to, 0,
           cudart_major >= 13 ? sizeof *to
                              : offsetof(struct cudaResourceDesc, res) + sizeof to->res.pitch2D);
    to->resType = (int)from->resType;
    switch (from->resType) {
    case CU_RESOURCE_TYPE_ARRAY: to->res.array.array = from->res.array.hArray; break;
    case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY:
        to->res.mipmap.mipmap = from->res.mipmap.hMipmappedArray;
        break;
    case CU_RESOURCE_TYPE_LINEAR:
        to->res.linear.devPtr = (void *)(uintptr_t)from->res.linear.devPtr;
        to->res.linear.desc = cudart_channel(from->res.linear.format, from->res.linear.numChannels);
        to->res.linear.sizeInBytes = from->res.linear.sizeInBytes;
        break;
    case CU_RESOURCE_TYPE_PITCH2D:
        to->res.pitch2D.devPtr = (void *)(uintptr_t)from->res.pitch2D.devPtr;
        to->res.pitch2D.desc =
            cudart_channel(from->res.pitch2D.format, from->res.pitch2D.numChannels);
        to->res.pitch2D.width = from->res.pitch2D.width;
        to->res.pitch2D.height = from->res.pitch2D.height;
        to->res.pitch2D.pitchInBytes = from->res.pitch2D.pitchInBytes;
        break;
    default: break;
    }
}
enum { cudaReadModeElementType, cudaReadModeNormalizedFloat };

CUDART_API cudaError_t cudaCreateTextureObject(cudaTextureObject_t *out,
                                               const struct cudaResourceDesc *r,
                                               const struct cudaTextureDesc *t,
                                               const struct cudaResourceViewDesc *v) {
    CUDART_READY();
    if (!out || !r || !t) return cudart_error(cudaErrorInvalidValue);
    CUDA_RESOURCE_DESC cr;
    const cudaError_t e = resource(r, &cr);
    if (e != cudaSuccess) return cudart_error(e);
    CUDA_TEXTURE_DESC ct = {.filterMode = (CUfilter_mode)t->filterMode,
                            .maxAnisotropy = t->maxAnisotropy,
                            .mipmapFilterMode = (CUfilter_mode)t->mipmapFilterMode,
                            .mipmapLevelBias = t->mipmapLevelBias,
                            .minMipmapLevelClamp = t->minMipmapLevelClamp,
                            .maxMipmapLevelClamp = t->maxMipmapLevelClamp};
    for (int i = 0; i < 3; i++) ct.addressMode[i] = (CUaddress_mode)t->addressMode[i];
    for (int i = 0; i < 4; i++) ct.borderColor[i] = t->borderColor[i];
    ct.flags = (t->readMode == cudaReadModeElementType ? CU_TRSF_READ_AS_INTEGER : 0u) |
               (t->normalizedCoords ? CU_TRSF_NORMALIZED_COORDINATES : 0u) |
               (t->sRGB ? CU_TRSF_SRGB : 0u);
    CUDA_RESOURCE_VIEW_DESC cv = {0};
    if (v)
        cv = (CUDA_RESOURCE_VIEW_DESC){.format = (CUresourceViewFormat)v->format,
                                       .width = v->width,
                                       .height = v->height,
                                       .depth = v->depth,
                                       .firstMipmapLevel = v->firstMipmapLevel,
                                       .lastMipmapLevel = v->lastMipmapLevel,
                                       .firstLayer = v->firstLayer,
                                       .lastLayer = v->lastLayer};
    return cudart_done(cuTexObjectCreate((CUtexObject *)out, &cr, &ct, v ? &cv : NULL));
}
// Late in 11: with one more field at the end of the description, which 12 has in the plain form.
CUDART_API cudaError_t cudaCreateTextureObject_v2(cudaTextureObject_t *out,
                                                  const struct cudaResourceDesc *r,
                                                  const struct cudaTextureDesc *t,
                                                  const struct cudaResourceViewDesc *v) {
    return cudaCreateTextureObject(out, r, t, v);
}
CUDART_API cudaError_t cudaDestroyTextureObject(cudaTextureObject_t o) {
    CUDART_READY();
    return cudart_done(cuTexObjectDestroy(o));
}
CUDART_API cudaError_t cudaGetTextureObjectResourceDesc(struct cudaResourceDesc *out,
                                                        cudaTextureObject_t o) {
    CUDART_READY();
    CUDA_RESOURCE_DESC d;
    const CUresult r = cuTexObjectGetResourceDesc(&d, o);
    if (r == CUDA_SUCCESS) unresource(&d, out);
    return cudart_done(r);
}
CUDART_API cudaError_t cudaGetTextureObjectTextureDesc(struct cudaTextureDesc *out,
                                                       cudaTextureObject_t o) {
    CUDART_READY();
    CUDA_TEXTURE_DESC d;
    const CUresult r = cuTexObjectGetTextureDesc(&d, o);
    if (r != CUDA_SUCCESS) return cudart_done(r);
    const size_t size =
        cudart_major >= 12 ? sizeof *out : offsetof(struct cudaTextureDesc, seamlessCubemap);
    memset(out, 0, size);
    for (int i = 0; i < 3; i++) out->addressMode[i] = (int)d.addressMode[i];
    for (int i = 0; i < 4; i++) out->borderColor[i] = d.borderColor[i];
    out->filterMode = (int)d.filterMode;
    out->readMode =
        d.flags & CU_TRSF_READ_AS_INTEGER ? cudaReadModeElementType : cudaReadModeNormalizedFloat;
    out->sRGB = (d.flags & CU_TRSF_SRGB) != 0;
    out->normalizedCoords = (d.flags & CU_TRSF_NORMALIZED_COORDINATES) != 0;
    out->maxAnisotropy = d.maxAnisotropy;
    out->mipmapFilterMode = (int)d.mipmapFilterMode;
    out->mipmapLevelBias = d.mipmapLevelBias;
    out->minMipmapLevelClamp = d.minMipmapLevelClamp;
    out->maxMipmapLevelClamp = d.maxMipmapLevelClamp;
    return cudaSuccess;
}
CUDART_API cudaError_t cudaGetTextureObjectTextureDesc_v2(struct cudaTextureDesc *out,
                                                          cudaTextureObject_t o) {
    out->seamlessCubemap = 0;
    return cudaGetTextureObjectTextureDesc(out, o);
}
CUDART_API cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *out,
                                               const struct cudaResourceDesc *r) {
    CUDART_READY();
    if (!out || !r) return cudart_error(cudaErrorInvalidValue);
    CUDA_RESOURCE_DESC cr;
    const cudaError_t e = resource(r, &cr);
    return e != cudaSuccess ? cudart_error(e)
                            : cudart_done(cuSurfObjectCreate((CUsurfObject *)out, &cr));
}
CUDART_API cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t o) {
    CUDART_READY();
    return cudart_done(cuSurfObjectDestroy(o));
}
CUDART_API cudaError_t cudaGetSurfaceObjectResourceDesc(struct cudaResourceDesc *out,
                                                        cudaSurfaceObject_t o) {
    CUDART_READY();
    CUDA_RESOURCE_DESC d;
    const CUresult r = cuSurfObjectGetResourceDesc(&d, o);
    if (r == CUDA_SUCCESS) unresource(&d, out);
    return cudart_done(r);
}

// ---- references (programs of 11 and before) -----------------------------------------------------
// The program's structure says how to read; it is looked at whenever something is bound.
static cudaError_t reference(const struct textureReference *host,
                             const struct cudaChannelFormatDesc *channel, CUtexref *out) {
    struct cudart_variable *v;
    const cudaError_t e = cudart_variable(host, &v);
    if (e != cudaSuccess || !v->is_texture) return cudaErrorInvalidTexture;
    CUresult r = cuModuleGetTexRef(out, v->unit->module, v->name);
    CUarray_format format;
    unsigned channels;
    if (r == CUDA_SUCCESS && channel) {
        if (!cudart_format(channel, &format, &channels)) return cudaErrorInvalidChannelDescriptor;
        r = cuTexRefSetFormat(*out, format, (int)channels);
    }
    for (int i = 0; i < 3 && r == CUDA_SUCCESS; i++)
        r = cuTexRefSetAddressMode(*out, i, (CUaddress_mode)host->addressMode[i]);
    if (r == CUDA_SUCCESS) r = cuTexRefSetFilterMode(*out, (CUfilter_mode)host->filterMode);
    if (r == CUDA_SUCCESS)
        r = cuTexRefSetFlags(*out, (v->reads_fractions ? 0u : CU_TRSF_READ_AS_INTEGER) |
                                       (host->normalized ? CU_TRSF_NORMALIZED_COORDINATES : 0u) |
                                       (host->sRGB ? CU_TRSF_SRGB : 0u));
    return (cudaError_t)r;
}
CUDART_API cudaError_t cudaBindTexture(size_t *offset, const struct textureReference *t,
                                       const void *p, const struct cudaChannelFormatDesc *channel,
                                       size_t bytes) {
    CUtexref ref;
    const cudaError_t e = reference(t, channel ? channel : &t->channelDesc, &ref);
    if (e != cudaSuccess) return cudart_error(e);
    return cudart_done(cuTexRefSetAddress(offset, ref, (CUdeviceptr)(uintptr_t)p,
                                          bytes == UINT32_MAX ? 1u << 27 : bytes));
}
CUDART_API cudaError_t cudaBindTexture2D(size_t *offset, const struct textureReference *t,
                                         const void *p, const struct cudaChannelFormatDesc *channel,
                                         size_t width, size_t height, size_t pitch) {
    CUtexref ref;
    const cudaError_t e = reference(t, channel, &ref);
    if (e != cudaSuccess) return cudart_error(e);
    CUDA_ARRAY_DESCRIPTOR d = {.Width = width, .Height = height};
    if (!channel || !cudart_format(channel, &d.Format, &d.NumChannels))
        return cudart_error(cudaErrorInvalidChannelDescriptor);
    if (offset) *offset = 0;
    return cudart_done(cuTexRefSetAddress2D(ref, &d, (CUdeviceptr)(uintptr_t)p, pitch));
}
CUDART_API cudaError_t cudaBindTextureToArray(const struct textureReference *t, cudaArray_t a,
                                              const struct cudaChannelFormatDesc *channel) {
    CUtexref ref;
    const cudaError_t e = reference(t, channel, &ref);
    return e != cudaSuccess ? cudart_error(e)
                            : cudart_done(cuTexRefSetArray(ref, a, CU_TRSA_OVERRIDE_FORMAT));
}
CUDART_API cudaError_t
cudaBindTextureToMipmappedArray(const struct textureReference *t, cudaMipmappedArray_t a,
                                const struct cudaChannelFormatDesc *channel) {
    CUtexref ref;
    const cudaError_t e = reference(t, channel, &ref);
    return e != cudaSuccess
               ? cudart_error(e)
               : cudart_done(cuTexRefSetMipmappedArray(ref, a, CU_TRSA_OVERRIDE_FORMAT));
}
CUDART_API cudaError_t cudaUnbindTexture(const struct textureReference *t) {
    (void)t; // what was bound stays readable: nothing depends on it being gone
    return cudaSuccess;
}
CUDART_API cudaError_t cudaGetTextureAlignmentOffset(size_t *offset,
                                                     const struct textureReference *t) {
    (void)t;
    *offset = 0;
    return cudaSuccess;
}
CUDART_API cudaError_t cudaGetTextureReference(const struct textureReference **out,
                                               const void *host) {
    struct cudart_variable *v;
    const cudaError_t e = cudart_variable(host, &v);
    if (e != cudaSuccess || !v->is_texture) return cudart_error(cudaErrorInvalidTexture);
    *out = host;
    return cudaSuccess;
}
CUDART_API cudaError_t cudaBindSurfaceToArray(const struct surfaceReference *s, cudaArray_t a,
                                              const struct cudaChannelFormatDesc *channel) {
    (void)channel;
    struct cudart_variable *v;
    const cudaError_t e = cudart_variable(s, &v);
    if (e != cudaSuccess || !v->is_surface) return cudart_error(cudaErrorInvalidSurface);
    CUsurfref ref;
    CUresult r = cuModuleGetSurfRef(&ref, v->unit->module, v->name);
    if (r == CUDA_SUCCESS) r = cuSurfRefSetArray(ref, a, 0);
    return cudart_done(r);
}
CUDART_API cudaError_t cudaGetSurfaceReference(const struct surfaceReference **out,
                                               const void *host) {
    struct cudart_variable *v;
    const cudaError_t e = cudart_variable(host, &v);
    if (e != cudaSuccess || !v->is_surface) return cudart_error(cudaErrorInvalidSurface);
    *out = host;
    return cudaSuccess;
}
