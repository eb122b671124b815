// What a pointer is, and advice about it. The one device has all memory at hand, so that advice and
// prefetching are checked and have no effect.
#include "driver/driver.h"

static struct gpu *gpu(void) { return driver_get()->gpu; }

struct place {
    struct driver_host host;   // of memory with a host address
    struct devmem_range range; // of other device memory
    bool has_host, on_device;
};

static struct place place_of(CUdeviceptr p) {
    struct place at = {.has_host = false};
    at.has_host = driver_host_find(p, &at.host);
    at.on_device = !at.has_host && devmem_find(gpu_memory(gpu()), p, &at.range);
    return at;
}

static uint64_t offset_in(const struct place *at, CUdeviceptr p) {
    const uint64_t host = DRIVER_KEY(at->host.host);
    return p - host < at->host.bytes ? p - host : p - at->host.device;
}

static CUresult attribute_of(void *data, CUpointer_attribute attribute, const struct place *at,
                             CUdeviceptr p) {
    const bool host = at->has_host;
    const uint64_t offset = host ? offset_in(at, p) : 0;
    switch (attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT: *(CUcontext *)data = driver_current(); break;
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
        *(unsigned *)data =
            host && !at->host.is_managed ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
        break;
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
        *(CUdeviceptr *)data = host ? at->host.device + offset : p;
        break;
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
        if (!host) return CUDA_ERROR_INVALID_VALUE;
        *(void **)data = (char *)at->host.host + offset;
        break;
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS: *(unsigned *)data = 1; break; // copies wait anyway
    case CU_POINTER_ATTRIBUTE_BUFFER_ID:
        *(unsigned long long *)data = host ? at->host.device : at->range.first;
        break;
    case CU_POINTER_ATTRIBUTE_IS_MANAGED: *(unsigned *)data = host && at->host.is_managed; break;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL: *(int *)data = 0; break;
    case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
    case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE: *(int *)data = 0; break;
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
        *(CUdeviceptr *)data = host ? at->host.device : at->range.first;
        break;
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
        *(size_t *)data = host ? at->host.bytes : at->range.bytes;
        break;
    case CU_POINTER_ATTRIBUTE_MAPPED: *(unsigned *)data = 1; break;
    case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES: *(uint64_t *)data = 0; break;
    case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
        *(unsigned *)data = CU_POINTER_ATTRIBUTE_ACCESS_FLAG_READWRITE;
        break;
    case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
        *(CUmemoryPool *)data = host ? NULL : driver_pool_of(at->range.first);
        break;
    default: return CUDA_ERROR_INVALID_VALUE;
    }
    return CUDA_SUCCESS;
}

CUresult cuPointerGetAttribute(void *data, CUpointer_attribute attribute, CUdeviceptr p) {
    DRIVER_ENTER(NEED_CONTEXT);
    const struct place at = place_of(p);
    if (!data || (!at.has_host && !at.on_device)) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    DRIVER_LEAVE(attribute_of(data, attribute, &at, p));
}

// What an attribute says of a pointer that is not the device's: zeros of its size.
static void clear_attribute(void *data, CUpointer_attribute attribute) {
    switch (attribute) {
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL: *(int *)data = -2; break;
    case CU_POINTER_ATTRIBUTE_CONTEXT:
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
    case CU_POINTER_ATTRIBUTE_BUFFER_ID:
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
    case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
    case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE: memset(data, 0, 8); break;
    default: memset(data, 0, 4); break;
    }
}

CUresult cuPointerGetAttributes(unsigned int count, CUpointer_attribute *attributes, void **values,
                                CUdeviceptr p) {
    DRIVER_ENTER(NEED_CONTEXT);
    if (!count || !attributes || !values) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    const struct place at = place_of(p);
    for (unsigned i = 0; i < count; i++) {
        if (!values[i]) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
        const bool known = at.has_host || at.on_device;
        if (!known || attribute_of(values[i], attributes[i], &at, p) != CUDA_SUCCESS)
            clear_attribute(values[i], attributes[i]);
    }
    DRIVER_LEAVE(CUDA_SUCCESS);
}

CUresult cuPointerSetAttribute(const void *value, CUpointer_attribute attribute, CUdeviceptr p) {
    DRIVER_ENTER(NEED_CONTEXT);
    const struct place at = place_of(p);
    if (!value || attribute != CU_POINTER_ATTRIBUTE_SYNC_MEMOPS || (!at.has_host && !at.on_device))
        DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    DRIVER_LEAVE(CUDA_SUCCESS);
}

// ---- advice on managed memory ------------------------------------------------------------------
static bool is_managed(CUdeviceptr p, size_t bytes) {
    struct driver_host h;
    return bytes && driver_host_find(p, &h) && h.is_managed && bytes <= h.bytes - (p - h.device);
}

CUresult cuMemAdvise(CUdeviceptr p, size_t bytes, CUmem_advise advice, CUdevice device) {
    DRIVER_ENTER(NEED_CONTEXT);
    if (!is_managed(p, bytes) || advice < 1 || advice > CU_MEM_ADVISE_UNSET_ACCESSED_BY)
        DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    DRIVER_LEAVE(device != 0 && device != CU_DEVICE_CPU ? CUDA_ERROR_INVALID_DEVICE : CUDA_SUCCESS);
}

CUresult cuMemPrefetchAsync(CUdeviceptr p, size_t bytes, CUdevice device, CUstream stream) {
    DRIVER_ENTER(NEED_CONTEXT);
    struct gpu_stream *s;
    if (!driver_stream(stream, &s)) DRIVER_LEAVE(CUDA_ERROR_INVALID_HANDLE);
    if (!is_managed(p, bytes)) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    DRIVER_LEAVE(device != 0 && device != CU_DEVICE_CPU ? CUDA_ERROR_INVALID_DEVICE : CUDA_SUCCESS);
}

static CUdevice device_at(CUmemLocation location) {
    return location.type == CU_MEM_LOCATION_TYPE_DEVICE ? location.id : CU_DEVICE_CPU;
}
CUresult cuMemAdvise_v2(CUdeviceptr p, size_t bytes, CUmem_advise advice, CUmemLocation location) {
    return cuMemAdvise(p, bytes, advice, device_at(location));
}
CUresult cuMemPrefetchAsync_v2(CUdeviceptr p, size_t bytes, CUmemLocation location,
                               unsigned int flags, CUstream stream) {
    if (flags) return CUDA_ERROR_INVALID_VALUE;
    return cuMemPrefetchAsync(p, bytes, device_at(location), stream);
}

CUresult cuStreamAttachMemAsync(CUstream stream, CUdeviceptr p, size_t bytes, unsigned int flags) {
    DRIVER_ENTER(NEED_CONTEXT);
    struct gpu_stream *s;
    if (!driver_stream(stream, &s)) DRIVER_LEAVE(CUDA_ERROR_INVALID_HANDLE);
    const bool one = flags == CU_MEM_ATTACH_GLOBAL || flags == CU_MEM_ATTACH_HOST ||
                     flags == CU_MEM_ATTACH_SINGLE;
    DRIVER_LEAVE(one && is_managed(p, bytes ? bytes : 1) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE);
}

static CUresult range_attribute(void *value, size_t bytes_of_value,
                                CUmem_range_attribute attribute) {
    if (!value || !bytes_of_value || bytes_of_value % sizeof(int)) return CUDA_ERROR_INVALID_VALUE;
    int *v = value;
    switch (attribute) {
    case CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY: v[0] = 0; break;
    case CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY:
        for (size_t i = 0; i < bytes_of_value / sizeof(int); i++) v[i] = CU_DEVICE_INVALID;
        break;
    case CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION:
    case CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION: v[0] = CU_DEVICE_INVALID; break;
    case CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE:
    case CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_TYPE:
        v[0] = CU_MEM_LOCATION_TYPE_INVALID;
        break;
    case CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_ID:
    case CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_ID: v[0] = 0; break;
    default: return CUDA_ERROR_INVALID_VALUE;
    }
    return CUDA_SUCCESS;
}

CUresult cuMemRangeGetAttribute(void *value, size_t bytes_of_value, CUmem_range_attribute attribute,
                                CUdeviceptr p, size_t bytes) {
    DRIVER_ENTER(NEED_CONTEXT);
    if (!is_managed(p, bytes)) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    DRIVER_LEAVE(range_attribute(value, bytes_of_value, attribute));
}

CUresult cuMemRangeGetAttributes(void **values, size_t *bytes_of_values,
                                 CUmem_range_attribute *attributes, size_t count, CUdeviceptr p,
                                 size_t bytes) {
    DRIVER_ENTER(NEED_CONTEXT);
    if (!values || !bytes_of_values || !attributes || !is_managed(p, bytes))
        DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    CUresult r = CUDA_SUCCESS;
    for (size_t i = 0; i < count && r == CUDA_SUCCESS; i++)
        r = range_attribute(values[i], bytes_of_values[i], attributes[i]);
    DRIVER_LEAVE(r);
}
