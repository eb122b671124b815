// Buffers, sub-buffers, and what buffers and images have in common. A buffer is device memory; where a program wants to see
// it (maps, host pointers), host memory shadows it.
#include <stdlib.h>

#include "opencl.h"

static bool is_buffer(cl_mem m) { return OCL_IS(m, OCL_MEMORY) && m->type == CL_MEM_OBJECT_BUFFER; }

CUdeviceptr ocl_memory_at(cl_mem m) {
    return m->parent ? ocl_memory_at(m->parent) + m->origin : m->address;
}

// A part and its whole share their bytes: the whole counts for both.
static cl_mem whole_of(cl_mem m) {
    while (m->parent) m = m->parent;
    return m;
}
uint64_t ocl_version(cl_mem m, CUstream stream) {
    const struct _cl_mem *const whole = whole_of(m);
    double s;
    const bool is_settled = !whole->last_write || whole->last_writer == stream ||
                            (whole->last_write->end && ocl_event_s(whole->last_write->end, &s));
    return is_settled ? whole->version : OCL_UNSETTLED;
}
void ocl_touch(cl_mem m, cl_event by, CUstream stream) {
    cl_mem const whole = whole_of(m);
    whole->version++;
    ocl_retain(by);
    if (whole->last_write) ocl_release(whole->last_write);
    whole->last_write = by;
    whole->last_writer = stream;
}

cl_int ocl_memory_shadow(cl_mem m) {
    if (m->shadow) return CL_SUCCESS;
    if (m->parent && m->parent->type == CL_MEM_OBJECT_BUFFER) {
        const cl_int r = ocl_memory_shadow(m->parent);
        if (r == CL_SUCCESS) m->shadow = m->parent->shadow + m->origin;
        return r;
    }
    void *p = NULL;
    if (m->host_ptr)
        p = m->host_ptr;
    else if (posix_memalign(&p, 4096, m->bytes) != 0)
        return CL_OUT_OF_HOST_MEMORY;
    m->shadow = p;
    return CL_SUCCESS;
}

cl_int ocl_check_flags(cl_mem_flags flags, const void *host_ptr) {
    const cl_mem_flags access = CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY,
                       host =
                           CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS,
                       place = CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR;
    if (flags & ~(access | host | place | CL_MEM_KERNEL_READ_AND_WRITE)) return CL_INVALID_VALUE;
    if (__builtin_popcountll(flags & access) > 1 || __builtin_popcountll(flags & host) > 1)
        return CL_INVALID_VALUE;
    if (flags & CL_MEM_USE_HOST_PTR && flags & (CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR))
        return CL_INVALID_VALUE;
    if (!host_ptr != !(flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR)))
        return CL_INVALID_HOST_PTR;
    return CL_SUCCESS;
}

cl_mem ocl_memory_new(cl_context context, cl_mem_object_type type, cl_mem_flags flags,
                      size_t bytes) {
    static uint64_t last_id; // the lock is held
    cl_mem m = ocl_new(OCL_MEMORY, sizeof *m);
    if (!m) return NULL;
    m->id = ++last_id;
    m->version = OCL_UNSETTLED + 1;
    m->context = context;
    m->type = type;
    const cl_mem_flags access = CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY;
    m->flags = flags & access ? flags : flags | CL_MEM_READ_WRITE;
    m->bytes = bytes;
    ocl_retain(context);
    return m;
}

void ocl_memory_end(cl_mem m) {
    // Work that was submitted may still use it: freeing waits for it (cuMemFree, cuArrayDestroy).
    if (m->type != CL_MEM_OBJECT_BUFFER) ocl_image_end(m);
    if (m->address) cuMemFree(m->address);
    const bool is_of_parent = m->parent && m->parent->type == CL_MEM_OBJECT_BUFFER;
    if (m->shadow && m->shadow != m->host_ptr && !is_of_parent) free(m->shadow);
    ocl_map_forget(m);
    if (m->last_write) ocl_release(m->last_write);
    ocl_endings_run(m->endings, m);
    free(m->properties);
    if (m->parent) ocl_release(m->parent);
    ocl_release(m->context);
}

static cl_mem create(cl_context context, cl_mem_flags flags, size_t bytes, void *host_ptr,
                     cl_int *error) {
    if (!OCL_IS(context, OCL_CONTEXT)) FAIL(CL_INVALID_CONTEXT);
    const cl_int bad = ocl_check_flags(flags, host_ptr);
    if (bad) FAIL(bad);
    size_t most = 0;
    if (!bytes || (cuDeviceTotalMem(&most, 0) == CUDA_SUCCESS && bytes > most))
        FAIL(CL_INVALID_BUFFER_SIZE);
    LOCKED;
    cl_mem m = ocl_memory_new(context, CL_MEM_OBJECT_BUFFER, flags, bytes);
    if (!m) FAIL(CL_OUT_OF_HOST_MEMORY);
    CUresult r = cuMemAlloc(&m->address, bytes);
    if (r == CUDA_SUCCESS && host_ptr) r = cuMemcpyHtoD(m->address, host_ptr, bytes);
    if (r != CUDA_SUCCESS) {
        ocl_release(m);
        FAIL(CL_MEM_OBJECT_ALLOCATION_FAILURE);
    }
    if (flags & CL_MEM_USE_HOST_PTR) m->host_ptr = host_ptr;
    if (error) *error = CL_SUCCESS;
    return m;
}

API(cl_mem)
clCreateBuffer(cl_context context, cl_mem_flags flags, size_t bytes, void *host_ptr,
               cl_int *error) {
    return create(context, flags, bytes, host_ptr, error);
}
API(cl_mem)
clCreateBufferWithProperties(cl_context context, const cl_mem_properties *properties,
                             cl_mem_flags flags, size_t bytes, void *host_ptr, cl_int *error) {
    if (properties && *properties) FAIL(CL_INVALID_PROPERTY); // there are none yet
    cl_mem m = create(context, flags, bytes, host_ptr, error);
    if (m && properties && (m->properties = calloc(1, sizeof *m->properties))) m->n_properties = 1;
    return m;
}

API(cl_mem)
clCreateSubBuffer(cl_mem m, cl_mem_flags flags, cl_buffer_create_type type, const void *info,
                  cl_int *error) {
    const cl_buffer_region *region = info;
    const cl_mem_flags access = CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY,
                       host =
                           CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS;
    if (!is_buffer(m) || m->parent) FAIL(CL_INVALID_MEM_OBJECT);
    if (type != CL_BUFFER_CREATE_TYPE_REGION || !info || flags & ~(access | host))
        FAIL(CL_INVALID_VALUE);
    if ((m->flags & CL_MEM_WRITE_ONLY && flags & (CL_MEM_READ_WRITE | CL_MEM_READ_ONLY)) ||
        (m->flags & CL_MEM_READ_ONLY && flags & (CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY)) ||
        (m->flags & CL_MEM_HOST_WRITE_ONLY && flags & CL_MEM_HOST_READ_ONLY) ||
        (m->flags & CL_MEM_HOST_READ_ONLY && flags & CL_MEM_HOST_WRITE_ONLY) ||
        (m->flags & CL_MEM_HOST_NO_ACCESS &&
         flags & (CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_WRITE_ONLY)))
        FAIL(CL_INVALID_VALUE);
    if (!region->size) FAIL(CL_INVALID_BUFFER_SIZE);
    if (region->origin > m->bytes || region->size > m->bytes - region->origin)
        FAIL(CL_INVALID_VALUE);
    LOCKED;
    if (region->origin % (size_t)ocl_attribute(CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT))
        FAIL(CL_MISALIGNED_SUB_BUFFER_OFFSET);
    const cl_mem_flags place = CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR;
    cl_mem s = ocl_memory_new(m->context, CL_MEM_OBJECT_BUFFER,
                              (flags & access ? flags : flags | (m->flags & access)) |
                                  (flags & host ? 0 : m->flags & host) | (m->flags & place),
                              region->size);
    if (!s) FAIL(CL_OUT_OF_HOST_MEMORY);
    s->parent = m;
    s->origin = region->origin;
    if (m->host_ptr) s->host_ptr = (uint8_t *)m->host_ptr + region->origin;
    ocl_retain(m);
    if (error) *error = CL_SUCCESS;
    return s;
}

API(cl_int) clRetainMemObject(cl_mem m) {
    if (!OCL_IS(m, OCL_MEMORY)) return CL_INVALID_MEM_OBJECT;
    LOCKED;
    ocl_retain(m);
    return CL_SUCCESS;
}
API(cl_int) clReleaseMemObject(cl_mem m) {
    if (!OCL_IS(m, OCL_MEMORY)) return CL_INVALID_MEM_OBJECT;
    LOCKED;
    ocl_release(m);
    return CL_SUCCESS;
}
API(cl_int)
clSetMemObjectDestructorCallback(cl_mem m, void(CL_CALLBACK *function)(cl_mem, void *),
                                 void *user) {
    if (!OCL_IS(m, OCL_MEMORY)) return CL_INVALID_MEM_OBJECT;
    if (!function) return CL_INVALID_VALUE;
    LOCKED;
    struct ocl_ending *e = ocl_ending_new(m->endings, (void (*)(void *, void *))function, user);
    if (!e) return CL_OUT_OF_HOST_MEMORY;
    m->endings = e;
    return CL_SUCCESS;
}

API(cl_int) clGetMemObjectInfo(cl_mem m, cl_mem_info what, size_t room, void *out, size_t *needed) {
    if (!OCL_IS(m, OCL_MEMORY)) return CL_INVALID_MEM_OBJECT;
    switch (what) {
    case CL_MEM_TYPE: ANSWER(m->type);
    case CL_MEM_FLAGS: ANSWER(m->flags);
    case CL_MEM_SIZE: ANSWER(m->bytes);
    case CL_MEM_HOST_PTR: ANSWER(m->host_ptr);
    case CL_MEM_MAP_COUNT: ANSWER_AS(cl_uint, m->maps);
    case CL_MEM_REFERENCE_COUNT: ANSWER(m->o.references);
    case CL_MEM_CONTEXT: ANSWER(m->context);
    case CL_MEM_ASSOCIATED_MEMOBJECT: ANSWER(m->parent);
    case CL_MEM_OFFSET: ANSWER(m->origin);
    case CL_MEM_USES_SVM_POINTER: ANSWER_AS(cl_bool, CL_FALSE);
    case CL_MEM_PROPERTIES:
        return ocl_answer(m->properties, m->n_properties * sizeof *m->properties, room, out,
                          needed);
    default: return CL_INVALID_VALUE;
    }
}
