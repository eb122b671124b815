// Device memory, host memory that the device sees, plain copies and fills.
#include "driver/driver.h"

#include <stdlib.h>

static struct gpu *gpu(void) { return driver_get()->gpu; }
static CUresult done(enum ww_status s) { return driver_result(s, driver_diags()); }

CUresult cuMemGetInfo(size_t *free_bytes, size_t *total_bytes) {
    DRIVER_ENTER(NEED_CONTEXT);
    uint64_t free_now, total;
    gpu_memory_info(gpu(), &free_now, &total);
    if (free_bytes) *free_bytes = free_now;
    if (total_bytes) *total_bytes = total;
    DRIVER_LEAVE(CUDA_SUCCESS);
}

// Running out is an answer that programs expect: no sentence on stderr.
static CUresult quiet(enum ww_status s) {
    if (s == WW_ERROR_DEVICE_MEMORY) {
        diags_free(driver_diags());
        diags_init(driver_diags());
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    return done(s);
}

CUresult cuMemAlloc(CUdeviceptr *address, size_t bytes) {
    DRIVER_ENTER(NEED_CONTEXT);
    if (!address || !bytes) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    uint64_t at = 0;
    const CUresult r = quiet(gpu_malloc(gpu(), bytes, NULL, driver_diags(), &at));
    *address = at;
    DRIVER_LEAVE(r);
}

CUresult cuMemAllocPitch(CUdeviceptr *address, size_t *pitch, size_t width, size_t height, unsigned int element) {
    DRIVER_ENTER(NEED_CONTEXT);
    if (!address || !pitch || !width || !height) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    if (element != 4 && element != 8 && element != 16) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    uint64_t at = 0, row = 0;
    const CUresult r = quiet(gpu_malloc_pitch(gpu(), width, height, element, driver_diags(), &at, &row));
    *address = at;
    *pitch = row;
    DRIVER_LEAVE(r);
}

CUresult cuMemFree(CUdeviceptr address) {
    DRIVER_ENTER(NEED_CONTEXT);
    DRIVER_LEAVE(done(gpu_free(gpu(), address, driver_diags())));
}

CUresult cuMemGetAddressRange(CUdeviceptr *base, size_t *bytes, CUdeviceptr address) {
    DRIVER_ENTER(NEED_CONTEXT);
    struct devmem_range range;
    if (!devmem_find(gpu_memory(gpu()), address, &range)) DRIVER_LEAVE(CUDA_ERROR_NOT_FOUND);
    if (base) *base = range.first;
    if (bytes) *bytes = range.bytes;
    DRIVER_LEAVE(CUDA_SUCCESS);
}

// ---- host memory -----------------------------------------------------------------------------------
struct host_block {
    struct host_block *next;
    void *host;
    uint64_t device, bytes;
    unsigned int flags;
    bool ours; // allocated here, else registered
    bool managed;
};
static struct host_block **host_list(void) {
    static struct host_block *list; // belongs to the singleton; guarded by its lock
    return &list;
}

static struct host_block *host_find(const void *p) {
    for (struct host_block *b = *host_list(); b; b = b->next)
        if ((const char *)p >= (const char *)b->host && (const char *)p < (const char *)b->host + b->bytes) return b;
    return NULL;
}

static struct host_block *host_find_device(CUdeviceptr p) {
    for (struct host_block *b = *host_list(); b; b = b->next)
        if (p >= b->device && p < b->device + b->bytes) return b;
    return NULL;
}

static CUresult host_add(void *host, size_t bytes, unsigned int flags, bool ours, struct host_block **out) {
    struct host_block *b = calloc(1, sizeof *b);
    if (!b) return CUDA_ERROR_OUT_OF_MEMORY;
    *b = (struct host_block){.host = host, .bytes = bytes, .flags = flags, .ours = ours, .next = *host_list()};
    const CUresult r = done(gpu_map_host(gpu(), host, bytes, driver_diags(), &b->device));
    if (r != CUDA_SUCCESS) {
        free(b);
        return r;
    }
    *host_list() = b;
    if (out) *out = b;
    return CUDA_SUCCESS;
}

static void host_remove(struct host_block *b) {
    struct host_block **at = host_list();
    while (*at != b) at = &(*at)->next;
    *at = b->next;
    gpu_synchronize(gpu(), driver_diags());
    devmem_free(gpu_memory(gpu()), b->device);
    if (b->ours) free(b->host);
    free(b);
}

CUresult cuMemHostAlloc(void **out, size_t bytes, unsigned int flags) {
    DRIVER_ENTER(NEED_CONTEXT);
    if (!out || !bytes) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    void *p = NULL;
    if (posix_memalign(&p, 4096, bits_align_up(bytes, 4096)) != 0) DRIVER_LEAVE(CUDA_ERROR_OUT_OF_MEMORY);
    memset(p, 0, bytes);
    const CUresult r = host_add(p, bytes, flags, true, NULL);
    if (r != CUDA_SUCCESS)
        free(p);
    else
        *out = p;
    DRIVER_LEAVE(r);
}
CUresult cuMemAllocHost(void **out, size_t bytes) { return cuMemHostAlloc(out, bytes, 0); }

CUresult cuMemFreeHost(void *p) {
    DRIVER_ENTER(NEED_CONTEXT);
    struct host_block *b = host_find(p);
    if (!b || b->host != p || !b->ours || b->managed) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    host_remove(b);
    DRIVER_LEAVE(CUDA_SUCCESS);
}

CUresult cuMemHostRegister(void *p, size_t bytes, unsigned int flags) {
    DRIVER_ENTER(NEED_CONTEXT);
    if (!p || !bytes) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    if (host_find(p)) DRIVER_LEAVE(CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
    DRIVER_LEAVE(host_add(p, bytes, flags, false, NULL));
}

CUresult cuMemHostUnregister(void *p) {
    DRIVER_ENTER(NEED_CONTEXT);
    struct host_block *b = host_find(p);
    if (!b || b->host != p || b->ours) DRIVER_LEAVE(CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
    host_remove(b);
    DRIVER_LEAVE(CUDA_SUCCESS);
}

CUresult cuMemHostGetDevicePointer(CUdeviceptr *address, void *p, unsigned int flags) {
    DRIVER_ENTER(NEED_CONTEXT);
    if (!address || flags) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    struct host_block *b = host_find(p);
    if (!b) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    *address = b->device + (uint64_t)((char *)p - (char *)b->host);
    DRIVER_LEAVE(CUDA_SUCCESS);
}

CUresult cuMemHostGetFlags(unsigned int *flags, void *p) {
    DRIVER_ENTER(NEED_CONTEXT);
    struct host_block *b = host_find(p);
    if (!b || !flags) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    *flags = b->flags;
    DRIVER_LEAVE(CUDA_SUCCESS);
}

// Managed memory: one address must serve both sides. The device's memory is backed at host addresses
// equal to device addresses when the host allows it (devmem.c); where it does not, managed memory is
// refused rather than given out wrong.
CUresult cuMemAllocManaged(CUdeviceptr *address, size_t bytes, unsigned int flags) {
    DRIVER_ENTER(NEED_CONTEXT);
    if (!address || !bytes || (flags != CU_MEM_ATTACH_GLOBAL && flags != CU_MEM_ATTACH_HOST)) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    uint64_t at = 0;
    const CUresult r = quiet(gpu_malloc(gpu(), bytes, "managed", driver_diags(), &at));
    if (r == CUDA_SUCCESS && (uintptr_t)devmem_host(gpu_memory(gpu()), at, bytes) != at) {
        devmem_free(gpu_memory(gpu()), at);
        DRIVER_LEAVE(CUDA_ERROR_NOT_SUPPORTED);
    }
    *address = at;
    DRIVER_LEAVE(r);
}

CUresult cuMemAllocAsync(CUdeviceptr *address, size_t bytes, CUstream stream) {
    (void)stream;
    return cuMemAlloc(address, bytes);
}
CUresult cuMemFreeAsync(CUdeviceptr address, CUstream stream) {
    (void)stream;
    return cuMemFree(address);
}

CUresult cuPointerGetAttribute(void *data, CUpointer_attribute attribute, CUdeviceptr p) {
    DRIVER_ENTER(NEED_CONTEXT);
    if (!data) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    struct devmem_range range;
    struct host_block *b = host_find((void *)(uintptr_t)p);
    if (!b) b = host_find_device(p);
    const bool on_device = !b && devmem_find(gpu_memory(gpu()), p, &range);
    if (!b && !on_device) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    const uint64_t offset = !b ? 0 : p >= b->device && p < b->device + b->bytes ? p - b->device : p - (uint64_t)(uintptr_t)b->host;
    switch (attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT: *(CUcontext *)data = driver_current(); break;
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE: *(unsigned *)data = b ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE; break;
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER: *(CUdeviceptr *)data = b ? b->device + offset : p; break;
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
        if (!b) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
        *(void **)data = (char *)b->host + offset;
        break;
    case CU_POINTER_ATTRIBUTE_IS_MANAGED: *(unsigned *)data = 0; break;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL: *(int *)data = 0; break;
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR: *(CUdeviceptr *)data = b ? b->device : range.first; break;
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE: *(size_t *)data = b ? b->bytes : range.bytes; break;
    case CU_POINTER_ATTRIBUTE_MAPPED: *(unsigned *)data = 1; break;
    case CU_POINTER_ATTRIBUTE_BUFFER_ID: *(unsigned long long *)data = b ? b->device : range.first; break;
    default: DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    }
    DRIVER_LEAVE(CUDA_SUCCESS);
}

// ---- copies ----------------------------------------------------------------------------------------
// A device address of host memory is host memory to a copy; unified addresses tell by themselves.
static CUresult copy(struct gpu_copy c, CUstream stream, bool wait) {
    struct gpu_stream *s;
    if (!driver_stream(stream, &s)) return CUDA_ERROR_INVALID_HANDLE;
    if (!c.width) return CUDA_SUCCESS;
    return done(wait ? gpu_copy(gpu(), s, &c, driver_diags()) : gpu_copy_async(gpu(), s, &c, driver_diags()));
}

#define COPY_PAIR(name, to_type, from_type, fields)                                                \
    CUresult name(to_type to, from_type from, size_t bytes) {                                      \
        DRIVER_ENTER(NEED_CONTEXT);                                                                \
        DRIVER_LEAVE(copy((struct gpu_copy)fields, NULL, true));                                   \
    }
#define COPY_PAIR_ASYNC(name, to_type, from_type, fields)                                          \
    CUresult name(to_type to, from_type from, size_t bytes, CUstream stream) {                     \
        DRIVER_ENTER(NEED_CONTEXT);                                                                \
        DRIVER_LEAVE(copy((struct gpu_copy)fields, stream, false));                                \
    }
#define PACK(...) {__VA_ARGS__}
COPY_PAIR(cuMemcpyHtoD, CUdeviceptr, const void *, PACK(.dst = to, .src_host = from, .width = bytes))
COPY_PAIR(cuMemcpyDtoH, void *, CUdeviceptr, PACK(.dst_host = to, .src = from, .width = bytes))
COPY_PAIR(cuMemcpyDtoD, CUdeviceptr, CUdeviceptr, PACK(.dst = to, .src = from, .width = bytes))
COPY_PAIR_ASYNC(cuMemcpyHtoDAsync, CUdeviceptr, const void *, PACK(.dst = to, .src_host = from, .width = bytes))
COPY_PAIR_ASYNC(cuMemcpyDtoHAsync, void *, CUdeviceptr, PACK(.dst_host = to, .src = from, .width = bytes))
COPY_PAIR_ASYNC(cuMemcpyDtoDAsync, CUdeviceptr, CUdeviceptr, PACK(.dst = to, .src = from, .width = bytes))

static struct gpu_copy unified(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
    struct devmem_range range;
    struct gpu_copy c = {.width = bytes};
    if (devmem_find(gpu_memory(gpu()), from, &range))
        c.src = from;
    else
        c.src_host = (const void *)(uintptr_t)from;
    if (devmem_find(gpu_memory(gpu()), to, &range))
        c.dst = to;
    else
        c.dst_host = (void *)(uintptr_t)to;
    return c;
}
CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
    DRIVER_ENTER(NEED_CONTEXT);
    DRIVER_LEAVE(copy(unified(to, from, bytes), NULL, true));
}
CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
    DRIVER_ENTER(NEED_CONTEXT);
    DRIVER_LEAVE(copy(unified(to, from, bytes), stream, false));
}

// ---- fills -----------------------------------------------------------------------------------------
static CUresult fill(CUdeviceptr to, size_t pitch, uint32_t value, uint32_t element, size_t width, size_t height,
                     CUstream stream, bool wait) {
    struct gpu_stream *s;
    if (!driver_stream(stream, &s)) return CUDA_ERROR_INVALID_HANDLE;
    if (!width || !height) return CUDA_SUCCESS;
    if (to % element) return CUDA_ERROR_INVALID_VALUE;
    enum ww_status st = gpu_fill_async(gpu(), s, to, pitch ? pitch : width * element, value, element, width, height, driver_diags());
    if (st == WW_OK && wait) st = gpu_stream_synchronize(gpu(), s, driver_diags());
    return done(st);
}

#define FILL(bits, type)                                                                           \
    CUresult cuMemsetD##bits##_v2(CUdeviceptr to, type value, size_t count) {                      \
        DRIVER_ENTER(NEED_CONTEXT);                                                                \
        DRIVER_LEAVE(fill(to, 0, value, bits / 8, count, 1, NULL, true));                          \
    }                                                                                              \
    CUresult cuMemsetD##bits##Async(CUdeviceptr to, type value, size_t count, CUstream stream) {   \
        DRIVER_ENTER(NEED_CONTEXT);                                                                \
        DRIVER_LEAVE(fill(to, 0, value, bits / 8, count, 1, stream, false));                       \
    }                                                                                              \
    CUresult cuMemsetD2D##bits##_v2(CUdeviceptr to, size_t pitch, type value, size_t width, size_t height) { \
        DRIVER_ENTER(NEED_CONTEXT);                                                                \
        DRIVER_LEAVE(fill(to, pitch, value, bits / 8, width, height, NULL, true));                 \
    }                                                                                              \
    CUresult cuMemsetD2D##bits##Async(CUdeviceptr to, size_t pitch, type value, size_t width, size_t height, CUstream stream) { \
        DRIVER_ENTER(NEED_CONTEXT);                                                                \
        DRIVER_LEAVE(fill(to, pitch, value, bits / 8, width, height, stream, false));              \
    }
FILL(8, unsigned char)
FILL(16, unsigned short)
FILL(32, unsigned int)
