// Images and samplers. An image is an array of the driver, or, made of a buffer, that buffer's memory. Kernels get the
// address of a descriptor in device memory (struct descriptor; builtins.cl has the same): a texture object for each
// sampler, since CUDA's textures and samplers are one, and a surface object.
#include <stdlib.h>

#include "opencl.h"

// ---- formats ------------------------------------------------------------------------------------
static const struct {
    cl_channel_type type;
    CUarray_format format;
    unsigned bytes;
} types[] = {
    {CL_SNORM_INT8, CU_AD_FORMAT_SIGNED_INT8, 1},
    {CL_SNORM_INT16, CU_AD_FORMAT_SIGNED_INT16, 2},
    {CL_UNORM_INT8, CU_AD_FORMAT_UNSIGNED_INT8, 1},
    {CL_UNORM_INT16, CU_AD_FORMAT_UNSIGNED_INT16, 2},
    {CL_SIGNED_INT8, CU_AD_FORMAT_SIGNED_INT8, 1},
    {CL_SIGNED_INT16, CU_AD_FORMAT_SIGNED_INT16, 2},
    {CL_SIGNED_INT32, CU_AD_FORMAT_SIGNED_INT32, 4},
    {CL_UNSIGNED_INT8, CU_AD_FORMAT_UNSIGNED_INT8, 1},
    {CL_UNSIGNED_INT16, CU_AD_FORMAT_UNSIGNED_INT16, 2},
    {CL_UNSIGNED_INT32, CU_AD_FORMAT_UNSIGNED_INT32, 4},
    {CL_HALF_FLOAT, CU_AD_FORMAT_HALF, 2},
    {CL_FLOAT, CU_AD_FORMAT_FLOAT, 4},
};
static const struct {
    cl_channel_order order;
    unsigned channels;
    bool only_bytes, only_fractions; // the types that it goes with
} orders[] = {
    {CL_R, 1, false, false},   {CL_A, 1, false, false},        {CL_RG, 2, false, false},
    {CL_RA, 2, false, false},  {CL_RGBA, 4, false, false},     {CL_BGRA, 4, true, false},
    {CL_ARGB, 4, true, false}, {CL_INTENSITY, 1, false, true}, {CL_LUMINANCE, 1, false, true},
};
enum { TYPES = sizeof types / sizeof *types, ORDERS = sizeof orders / sizeof *orders };

static bool is_fraction(cl_channel_type t) {
    return t == CL_SNORM_INT8 || t == CL_SNORM_INT16 || t == CL_UNORM_INT8 || t == CL_UNORM_INT16;
}
static bool goes_together(int o, int t) {
    if (orders[o].only_bytes && types[t].bytes != 1) return false;
    return !orders[o].only_fractions || is_fraction(types[t].type) || types[t].type == CL_FLOAT ||
           types[t].type == CL_HALF_FLOAT;
}
static bool find_format(const cl_image_format *f, int *order, int *type) {
    for (*order = 0; *order < ORDERS && orders[*order].order != f->image_channel_order; ++*order) {
    }
    for (*type = 0; *type < TYPES && types[*type].type != f->image_channel_data_type; ++*type) {
    }
    return *order < ORDERS && *type < TYPES && goes_together(*order, *type);
}

API(cl_int)
clGetSupportedImageFormats(cl_context context, cl_mem_flags flags, cl_mem_object_type type,
                           cl_uint room, cl_image_format *out, cl_uint *needed) {
    if (!OCL_IS(context, OCL_CONTEXT)) return CL_INVALID_CONTEXT;
    if (type < CL_MEM_OBJECT_IMAGE2D || type > CL_MEM_OBJECT_IMAGE1D_BUFFER)
        return CL_INVALID_VALUE;
    if (out && !room) return CL_INVALID_VALUE;
    cl_uint n = 0;
    for (int o = 0; o < ORDERS && !(flags & CL_MEM_KERNEL_READ_AND_WRITE); o++)
        for (int t = 0; t < TYPES; t++) {
            if (!goes_together(o, t)) continue;
            if (out && n < room) out[n] = (cl_image_format){orders[o].order, types[t].type};
            n++;
        }
    if (needed) *needed = n;
    return CL_SUCCESS;
}

// ---- images -------------------------------------------------------------------------------------
void ocl_image_size(cl_mem m, size_t size[3]) {
    const cl_image_desc *const d = &m->desc;
    const bool is_array1 = m->type == CL_MEM_OBJECT_IMAGE1D_ARRAY,
               is_array2 = m->type == CL_MEM_OBJECT_IMAGE2D_ARRAY;
    size[0] = d->image_width;
    size[1] = is_array1 ? d->image_array_size : d->image_height ? d->image_height : 1;
    size[2] = is_array2 ? d->image_array_size : d->image_depth ? d->image_depth : 1;
}

void ocl_image_end(cl_mem m) {
    for (size_t i = 0; i < sizeof m->texture / sizeof *m->texture; i++)
        if (m->texture[i]) cuTexObjectDestroy(m->texture[i]);
    if (m->surface) cuSurfObjectDestroy(m->surface);
    if (m->descriptor) cuMemFree(m->descriptor);
    if (m->array) cuArrayDestroy(m->array);
}

static cl_int check_size(const cl_image_desc *d) {
    const int A2 = ocl_attribute(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_WIDTH),
              B2 = ocl_attribute(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_HEIGHT);
    const int A3 = ocl_attribute(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_WIDTH),
              B3 = ocl_attribute(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_HEIGHT),
              C3 = ocl_attribute(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_DEPTH),
              layers = ocl_attribute(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_LAYERS);
    if (!d->image_width) return CL_INVALID_IMAGE_DESCRIPTOR;
    const bool needs_height = d->image_type == CL_MEM_OBJECT_IMAGE2D ||
                              d->image_type == CL_MEM_OBJECT_IMAGE3D ||
                              d->image_type == CL_MEM_OBJECT_IMAGE2D_ARRAY;
    if (needs_height && !d->image_height) return CL_INVALID_IMAGE_DESCRIPTOR;
    const bool is_array = d->image_type == CL_MEM_OBJECT_IMAGE1D_ARRAY ||
                          d->image_type == CL_MEM_OBJECT_IMAGE2D_ARRAY;
    if (is_array && !d->image_array_size) return CL_INVALID_IMAGE_DESCRIPTOR;
    if (is_array && d->image_array_size > (size_t)layers) return CL_INVALID_IMAGE_SIZE;
    if (d->image_type == CL_MEM_OBJECT_IMAGE3D) {
        if (!d->image_depth) return CL_INVALID_IMAGE_DESCRIPTOR;
        return d->image_width > (size_t)A3 || d->image_height > (size_t)B3 ||
                       d->image_depth > (size_t)C3
                   ? CL_INVALID_IMAGE_SIZE
                   : CL_SUCCESS;
    }
    const size_t most =
        d->image_type == CL_MEM_OBJECT_IMAGE1D_BUFFER
            ? (size_t)ocl_attribute(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LINEAR_WIDTH)
            : (size_t)A2;
    return d->image_width > most || (needs_height && d->image_height > (size_t)B2)
               ? CL_INVALID_IMAGE_SIZE
               : CL_SUCCESS;
}

static CUresult allocate(cl_mem m, int order, int type) {
    const cl_image_desc *const d = &m->desc;
    const bool is_array1 = m->type == CL_MEM_OBJECT_IMAGE1D_ARRAY,
               is_array2 = m->type == CL_MEM_OBJECT_IMAGE2D_ARRAY;
    const CUDA_ARRAY3D_DESCRIPTOR a = {
        .Width = d->image_width,
        .Height = m->type == CL_MEM_OBJECT_IMAGE1D || is_array1 ? 0 : d->image_height,
        .Depth = m->type == CL_MEM_OBJECT_IMAGE3D ? d->image_depth
                 : is_array1 || is_array2         ? d->image_array_size
                                                  : 0,
        .Format = types[type].format,
        .NumChannels = orders[order].channels,
        .Flags = (is_array1 || is_array2 ? CUDA_ARRAY3D_LAYERED : 0) | CUDA_ARRAY3D_SURFACE_LDST};
    return cuArray3DCreate(&m->array, &a);
}

static CUresult fill_from(cl_mem m, const void *host) {
    size_t n[3];
    ocl_image_size(m, n);
    const bool rows_are_layers = m->type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
    const CUDA_MEMCPY3D p = {
        .srcMemoryType = CU_MEMORYTYPE_HOST,
        .srcHost = host,
        .srcPitch = rows_are_layers ? m->desc.image_slice_pitch : m->desc.image_row_pitch,
        .srcHeight = rows_are_layers ? 1 : m->desc.image_slice_pitch / m->desc.image_row_pitch,
        .dstMemoryType = CU_MEMORYTYPE_ARRAY,
        .dstArray = m->array,
        .WidthInBytes = n[0] * m->texel_bytes,
        .Height = rows_are_layers ? 1 : n[1],
        .Depth = rows_are_layers ? n[1] : n[2]};
    return cuMemcpy3D(&p);
}

static cl_mem create(cl_context context, cl_mem_flags flags, const cl_image_format *format,
                     const cl_image_desc *desc, void *host_ptr, cl_int *error) {
    int order, type;
    if (!OCL_IS(context, OCL_CONTEXT)) FAIL(CL_INVALID_CONTEXT);
    if (!format) FAIL(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
    if (!desc || desc->image_type < CL_MEM_OBJECT_IMAGE2D ||
        desc->image_type > CL_MEM_OBJECT_IMAGE1D_BUFFER || desc->num_mip_levels ||
        desc->num_samples)
        FAIL(CL_INVALID_IMAGE_DESCRIPTOR);
    cl_mem const buffer = desc->buffer;
    if (OCL_IS(buffer, OCL_MEMORY) && desc->image_type == CL_MEM_OBJECT_IMAGE2D)
        FAIL(CL_INVALID_OPERATION); // optional: CL_DEVICE_IMAGE_PITCH_ALIGNMENT is 0
    if (buffer && !(OCL_IS(buffer, OCL_MEMORY) && buffer->type == CL_MEM_OBJECT_BUFFER &&
                    desc->image_type == CL_MEM_OBJECT_IMAGE1D_BUFFER))
        FAIL(CL_INVALID_IMAGE_DESCRIPTOR);
    if (!buffer && desc->image_type == CL_MEM_OBJECT_IMAGE1D_BUFFER)
        FAIL(CL_INVALID_IMAGE_DESCRIPTOR);
    const cl_int bad = ocl_check_flags(flags, host_ptr);
    if (bad) FAIL(bad);
    if (!find_format(format, &order, &type)) {
        const bool is_known = format->image_channel_order >= CL_R &&
                              format->image_channel_order <= CL_ABGR &&
                              format->image_channel_data_type >= CL_SNORM_INT8 &&
                              format->image_channel_data_type <= CL_UNORM_INT_101010_2;
        FAIL(is_known ? CL_IMAGE_FORMAT_NOT_SUPPORTED : CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
    }
    LOCKED;
    const cl_int size = check_size(desc);
    if (size) FAIL(size);
    const size_t texel = types[type].bytes * orders[order].channels;
    cl_image_desc d = *desc;
    const size_t row = d.image_width * texel,
                 height = d.image_type == CL_MEM_OBJECT_IMAGE1D_ARRAY || !d.image_height
                              ? 1
                              : d.image_height;
    if (!host_ptr && (d.image_row_pitch || d.image_slice_pitch)) FAIL(CL_INVALID_IMAGE_DESCRIPTOR);
    if (d.image_row_pitch && (d.image_row_pitch < row || d.image_row_pitch % texel))
        FAIL(CL_INVALID_IMAGE_DESCRIPTOR);
    if (!d.image_row_pitch) d.image_row_pitch = row;
    if (d.image_slice_pitch && (d.image_slice_pitch < d.image_row_pitch * height ||
                                d.image_slice_pitch % d.image_row_pitch))
        FAIL(CL_INVALID_IMAGE_DESCRIPTOR);
    if (!d.image_slice_pitch) d.image_slice_pitch = d.image_row_pitch * height;
    if (buffer && row > buffer->bytes) FAIL(CL_INVALID_IMAGE_SIZE);
    const size_t layers =
        d.image_type == CL_MEM_OBJECT_IMAGE3D ? d.image_depth
        : d.image_type == CL_MEM_OBJECT_IMAGE1D_ARRAY || d.image_type == CL_MEM_OBJECT_IMAGE2D_ARRAY
            ? d.image_array_size
            : 1;
    cl_mem m = ocl_memory_new(context, d.image_type, flags, d.image_slice_pitch * layers);
    if (!m) FAIL(CL_OUT_OF_HOST_MEMORY);
    m->format = *format;
    m->desc = d;
    m->texel_bytes = texel;
    CUresult r = CUDA_SUCCESS;
    if (buffer) {
        m->parent = buffer;
        ocl_retain(buffer);
    } else
        r = allocate(m, order, type);
    if (r == CUDA_SUCCESS && host_ptr && !buffer) r = fill_from(m, host_ptr);
    if (flags & CL_MEM_USE_HOST_PTR) m->host_ptr = host_ptr;
    if (r != CUDA_SUCCESS) {
        ocl_release(m);
        FAIL(CL_MEM_OBJECT_ALLOCATION_FAILURE);
    }
    if (error) *error = CL_SUCCESS;
    return m;
}

API(cl_mem)
clCreateImage(cl_context context, cl_mem_flags flags, const cl_image_format *format,
              const cl_image_desc *desc, void *host_ptr, cl_int *error) {
    return create(context, flags, format, desc, host_ptr, error);
}
API(cl_mem)
clCreateImageWithProperties(cl_context context, const cl_mem_properties *properties,
                            cl_mem_flags flags, const cl_image_format *format,
                            const cl_image_desc *desc, void *host_ptr, cl_int *error) {
    if (properties && *properties) FAIL(CL_INVALID_PROPERTY);
    cl_mem m = create(context, flags, format, desc, host_ptr, error);
    if (m && properties && (m->properties = calloc(1, sizeof *m->properties))) m->n_properties = 1;
    return m;
}
API(cl_mem)
clCreateImage2D(cl_context context, cl_mem_flags flags, const cl_image_format *format, size_t width,
                size_t height, size_t row, void *host_ptr, cl_int *error) {
    const cl_image_desc d = {.image_type = CL_MEM_OBJECT_IMAGE2D,
                             .image_width = width,
                             .image_height = height,
                             .image_row_pitch = row};
    cl_mem m = create(context, flags, format, &d, host_ptr, error);
    if (!m && error && *error == CL_INVALID_IMAGE_DESCRIPTOR)
        *error = CL_INVALID_IMAGE_SIZE; // the older name
    return m;
}
API(cl_mem)
clCreateImage3D(cl_context context, cl_mem_flags flags, const cl_image_format *format, size_t width,
                size_t height, size_t depth, size_t row, size_t slice, void *host_ptr,
                cl_int *error) {
    const cl_image_desc d = {.image_type = CL_MEM_OBJECT_IMAGE3D,
                             .image_width = width,
                             .image_height = height,
                             .image_depth = depth,
                             .image_row_pitch = row,
                             .image_slice_pitch = slice};
    cl_mem m = create(context, flags, format, &d, host_ptr, error);
    if (!m && error && *error == CL_INVALID_IMAGE_DESCRIPTOR) *error = CL_INVALID_IMAGE_SIZE;
    return m;
}

API(cl_int) clGetImageInfo(cl_mem m, cl_image_info what, size_t room, void *out, size_t *needed) {
    if (!OCL_IS(m, OCL_MEMORY) || m->type == CL_MEM_OBJECT_BUFFER) return CL_INVALID_MEM_OBJECT;
    const bool has_slices = m->type == CL_MEM_OBJECT_IMAGE3D ||
                            m->type == CL_MEM_OBJECT_IMAGE1D_ARRAY ||
                            m->type == CL_MEM_OBJECT_IMAGE2D_ARRAY;
    switch (what) {
    case CL_IMAGE_FORMAT: ANSWER(m->format);
    case CL_IMAGE_ELEMENT_SIZE: ANSWER(m->texel_bytes);
    case CL_IMAGE_ROW_PITCH: ANSWER(m->desc.image_row_pitch);
    case CL_IMAGE_SLICE_PITCH: ANSWER_AS(size_t, has_slices ? m->desc.image_slice_pitch : 0);
    case CL_IMAGE_WIDTH: ANSWER(m->desc.image_width);
    case CL_IMAGE_HEIGHT:
        ANSWER_AS(size_t, m->type == CL_MEM_OBJECT_IMAGE1D_ARRAY ? 0 : m->desc.image_height);
    case CL_IMAGE_DEPTH:
        ANSWER_AS(size_t, m->type == CL_MEM_OBJECT_IMAGE3D ? m->desc.image_depth : 0);
    case CL_IMAGE_ARRAY_SIZE:
        ANSWER_AS(size_t,
                  has_slices && m->type != CL_MEM_OBJECT_IMAGE3D ? m->desc.image_array_size : 0);
    case CL_IMAGE_BUFFER: ANSWER(m->parent);
    case CL_IMAGE_NUM_MIP_LEVELS:
    case CL_IMAGE_NUM_SAMPLES: ANSWER_AS(cl_uint, 0);
    default: return CL_INVALID_VALUE;
    }
}

// ---- what kernels get ---------------------------------------------------------------------------
// builtins.cl has the same.
struct descriptor {
    uint64_t texture[32]; // by the bits of a sampler
    uint64_t surface, address;
    uint32_t size[4]; // width, height, depth, layers
    uint32_t order, type, channels, channel_bytes;
};
// The bits of a sampler as clang writes constant ones: 1 normalized, the address mode in bits 1 to 3, the filter: 0x10 nearest,
// 0x20 linear.
uint64_t ocl_sampler_bits(cl_sampler s) {
    const unsigned mode = s->addressing == CL_ADDRESS_CLAMP_TO_EDGE     ? 2
                          : s->addressing == CL_ADDRESS_CLAMP           ? 4
                          : s->addressing == CL_ADDRESS_REPEAT          ? 6
                          : s->addressing == CL_ADDRESS_MIRRORED_REPEAT ? 8
                                                                        : 0;
    return (s->normalized ? 1u : 0u) | mode | (s->filter == CL_FILTER_LINEAR ? 0x20u : 0x10u);
}
// A sampler's texture in the descriptor: bits 0 to 3, and 16 for linear.
static CUresult make_texture(cl_mem m, unsigned i) {
    static const CUaddress_mode modes[] = {CU_TR_ADDRESS_MODE_CLAMP, CU_TR_ADDRESS_MODE_CLAMP,
                                           CU_TR_ADDRESS_MODE_BORDER, CU_TR_ADDRESS_MODE_WRAP,
                                           CU_TR_ADDRESS_MODE_MIRROR};
    const unsigned mode = (i >> 1 & 7) < 5 ? i >> 1 & 7 : 0;
    const CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_ARRAY,
                                         .res.array.hArray = m->array};
    CUDA_TEXTURE_DESC texture = {.addressMode = {modes[mode], modes[mode], modes[mode]},
                                 .filterMode =
                                     i & 16 ? CU_TR_FILTER_MODE_LINEAR : CU_TR_FILTER_MODE_POINT,
                                 .flags = i & 1 ? CU_TRSF_NORMALIZED_COORDINATES : 0};
    const cl_channel_type t = m->format.image_channel_data_type;
    if (!is_fraction(t) && t != CL_FLOAT && t != CL_HALF_FLOAT) {
        texture.flags |= CU_TRSF_READ_AS_INTEGER;
        if (i & 16) return CUDA_SUCCESS; // integers are not interpolated
    }
    return cuTexObjectCreate(&m->texture[i], &resource, &texture, NULL);
}

cl_int ocl_image_tell(cl_mem m, CUdeviceptr *descriptor) {
    if (!m->told) {
        CUresult r = CUDA_SUCCESS;
        struct descriptor d = {.address = m->array ? 0 : ocl_memory_at(m)};
        if (m->array) {
            const CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_ARRAY,
                                                 .res.array.hArray = m->array};
            r = cuSurfObjectCreate(&m->surface, &resource);
            for (unsigned i = 0; i < 32 && r == CUDA_SUCCESS; i++) r = make_texture(m, i);
            memcpy(d.texture, m->texture, sizeof d.texture);
            d.surface = m->surface;
        }
        int order, type;
        find_format(&m->format, &order, &type);
        d.size[0] = (uint32_t)m->desc.image_width;
        d.size[1] = (uint32_t)(m->type == CL_MEM_OBJECT_IMAGE1D_ARRAY || !m->desc.image_height
                                   ? 1
                                   : m->desc.image_height);
        d.size[2] = (uint32_t)(m->type == CL_MEM_OBJECT_IMAGE3D ? m->desc.image_depth : 1);
        d.size[3] = (uint32_t)m->desc.image_array_size;
        d.order = m->format.image_channel_order;
        d.type = m->format.image_channel_data_type;
        d.channels = orders[order].channels;
        d.channel_bytes = types[type].bytes;
        if (r == CUDA_SUCCESS) r = cuMemAlloc(&m->descriptor, sizeof d);
        if (r == CUDA_SUCCESS) r = cuMemcpyHtoD(m->descriptor, &d, sizeof d);
        if (r != CUDA_SUCCESS) return ocl_error(r);
        m->told = true;
    }
    *descriptor = m->descriptor;
    return CL_SUCCESS;
}

// ---- samplers -----------------------------------------------------------------------------------
static cl_sampler make_sampler(cl_context context, cl_bool normalized,
                               cl_addressing_mode addressing, cl_filter_mode filter,
                               cl_int *error) {
    if (!OCL_IS(context, OCL_CONTEXT)) FAIL(CL_INVALID_CONTEXT);
    if (addressing < CL_ADDRESS_NONE || addressing > CL_ADDRESS_MIRRORED_REPEAT || normalized > 1 ||
        (filter != CL_FILTER_NEAREST && filter != CL_FILTER_LINEAR))
        FAIL(CL_INVALID_VALUE);
    LOCKED;
    cl_sampler s = ocl_new(OCL_SAMPLER, sizeof *s);
    if (!s) FAIL(CL_OUT_OF_HOST_MEMORY);
    s->context = context;
    s->normalized = normalized, s->addressing = addressing, s->filter = filter;
    ocl_retain(context);
    if (error) *error = CL_SUCCESS;
    return s;
}
API(cl_sampler)
clCreateSampler(cl_context context, cl_bool normalized, cl_addressing_mode addressing,
                cl_filter_mode filter, cl_int *error) {
    return make_sampler(context, normalized, addressing, filter, error);
}
API(cl_sampler)
clCreateSamplerWithProperties(cl_context context, const cl_sampler_properties *list,
                              cl_int *error) {
    cl_bool normalized = CL_TRUE;
    cl_addressing_mode addressing = CL_ADDRESS_CLAMP;
    cl_filter_mode filter = CL_FILTER_NEAREST;
    cl_uint n = 0;
    for (const cl_sampler_properties *p = list; p && *p; p += 2, n += 2) {
        if (n >= 6) FAIL(CL_INVALID_VALUE);
        if (*p == CL_SAMPLER_NORMALIZED_COORDS)
            normalized = (cl_bool)p[1];
        else if (*p == CL_SAMPLER_ADDRESSING_MODE)
            addressing = (cl_addressing_mode)p[1];
        else if (*p == CL_SAMPLER_FILTER_MODE)
            filter = (cl_filter_mode)p[1];
        else
            FAIL(CL_INVALID_VALUE);
    }
    cl_sampler s = make_sampler(context, normalized, addressing, filter, error);
    if (s && list) {
        memcpy(s->properties, list, (n + 1) * sizeof *list);
        s->n_properties = n + 1;
    }
    return s;
}
API(cl_int) clRetainSampler(cl_sampler s) {
    if (!OCL_IS(s, OCL_SAMPLER)) return CL_INVALID_SAMPLER;
    LOCKED;
    ocl_retain(s);
    return CL_SUCCESS;
}
API(cl_int) clReleaseSampler(cl_sampler s) {
    if (!OCL_IS(s, OCL_SAMPLER)) return CL_INVALID_SAMPLER;
    LOCKED;
    ocl_release(s);
    return CL_SUCCESS;
}
API(cl_int)
clGetSamplerInfo(cl_sampler s, cl_sampler_info what, size_t room, void *out, size_t *needed) {
    if (!OCL_IS(s, OCL_SAMPLER)) return CL_INVALID_SAMPLER;
    switch (what) {
    case CL_SAMPLER_REFERENCE_COUNT: ANSWER(s->o.references);
    case CL_SAMPLER_CONTEXT: ANSWER(s->context);
    case CL_SAMPLER_NORMALIZED_COORDS: ANSWER(s->normalized);
    case CL_SAMPLER_ADDRESSING_MODE: ANSWER(s->addressing);
    case CL_SAMPLER_FILTER_MODE: ANSWER(s->filter);
    case CL_SAMPLER_PROPERTIES:
        return ocl_answer(s->properties, s->n_properties * sizeof *s->properties, room, out,
                          needed);
    default: return CL_INVALID_VALUE;
    }
}
