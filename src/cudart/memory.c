// Allocation: device, pinned, managed, in stream order, from pools; and what an address is.
#include "cudart/cudart.h"

#define AS_POINTER(address) ((void *)(uintptr_t)(address))
#define AS_ADDRESS(pointer) ((CUdeviceptr)(uintptr_t)(pointer))

CUDART_API cudaError_t cudaMalloc(void **out, size_t bytes) {
    CUDART_READY();
    if (!out) return cudart_error(cudaErrorInvalidValue);
    CUdeviceptr p = 0;
    const CUresult r =
        bytes ? cuMemAlloc(&p, bytes) : CUDA_SUCCESS; // nothing asked for: no address, no error
    if (r == CUDA_SUCCESS) *out = AS_POINTER(p);
    return cudart_done(r);
}
CUDART_API cudaError_t cudaFree(void *p) {
    CUDART_READY();
    return p ? cudart_done(cuMemFree(AS_ADDRESS(p))) : cudaSuccess;
}
CUDART_API cudaError_t cudaMallocPitch(void **out, size_t *pitch, size_t width, size_t height) {
    CUDART_READY();
    if (!out || !pitch) return cudart_error(cudaErrorInvalidValue);
    if (!width || !height) {
        *out = NULL, *pitch = 0;
        return cudaSuccess;
    }
    CUdeviceptr p;
    const CUresult r = cuMemAllocPitch(&p, pitch, width, height, 4);
    if (r == CUDA_SUCCESS) *out = AS_POINTER(p);
    return cudart_done(r);
}
CUDART_API cudaError_t cudaMalloc3D(struct cudaPitchedPtr *out, struct cudaExtent e) {
    if (!out) return cudart_error(cudaErrorInvalidValue);
    out->xsize = e.width, out->ysize = e.height;
    return cudaMallocPitch(&out->ptr, &out->pitch, e.width, e.height * (e.depth ? e.depth : 1));
}

CUDART_API cudaError_t cudaHostAlloc(void **out, size_t bytes, unsigned flags) {
    CUDART_READY();
    if (bytes) return cudart_done(cuMemHostAlloc(out, bytes, flags));
    *out = NULL;
    return cudaSuccess;
}
CUDART_API cudaError_t cudaMallocHost(void **out, size_t bytes) {
    return cudaHostAlloc(out, bytes, 0);
}
CUDART_API cudaError_t cudaFreeHost(void *p) {
    CUDART_READY();
    return p ? cudart_done(cuMemFreeHost(p)) : cudaSuccess;
}
CUDART_API cudaError_t cudaHostRegister(void *p, size_t bytes, unsigned flags) {
    CUDART_READY();
    return cudart_done(cuMemHostRegister(p, bytes, flags));
}
CUDART_API cudaError_t cudaHostUnregister(void *p) { return cudart_done(cuMemHostUnregister(p)); }
CUDART_API cudaError_t cudaHostGetDevicePointer(void **device, void *host, unsigned flags) {
    CUDART_READY();
    CUdeviceptr p = 0;
    const CUresult r = cuMemHostGetDevicePointer(&p, host, flags);
    if (r == CUDA_SUCCESS) *device = AS_POINTER(p);
    return cudart_done(r);
}
CUDART_API cudaError_t cudaHostGetFlags(unsigned *flags, void *host) {
    return cudart_done(cuMemHostGetFlags(flags, host));
}

CUDART_API cudaError_t cudaMallocManaged(void **out, size_t bytes, unsigned flags) {
    CUDART_READY();
    if (!out || !bytes) return cudart_error(cudaErrorInvalidValue);
    CUdeviceptr p = 0;
    const CUresult r = cuMemAllocManaged(&p, bytes, flags ? flags : CU_MEM_ATTACH_GLOBAL);
    if (r == CUDA_SUCCESS) *out = AS_POINTER(p);
    return cudart_done(r);
}
// Hints: one device, one memory. Up to 12 they name a device by its ordinal, the second form (and
// the only one of 13) a location of 8 bytes by value; nothing of it changes anything, so only the
// address is looked at.
CUDART_API cudaError_t cudaMemPrefetchAsync(const void *p, size_t bytes, uint64_t where, uint64_t a,
                                            cudaStream_t b) {
    (void)where, (void)a, (void)b;
    CUDART_READY();
    return cudart_done(bytes ? cuMemAdvise(AS_ADDRESS(p), bytes, CU_MEM_ADVISE_SET_ACCESSED_BY, 0)
                             : CUDA_ERROR_INVALID_VALUE);
}
CUDART_API cudaError_t cudaMemPrefetchAsync_v2(const void *p, size_t bytes, uint64_t where,
                                               unsigned flags, cudaStream_t s) {
    return cudaMemPrefetchAsync(p, bytes, where, flags, s);
}
CUDART_API cudaError_t cudaMemAdvise(const void *p, size_t bytes, int advice, uint64_t where) {
    (void)advice, (void)where;
    CUDART_READY();
    return cudart_done(bytes ? cuMemAdvise(AS_ADDRESS(p), bytes, CU_MEM_ADVISE_SET_ACCESSED_BY, 0)
                             : CUDA_ERROR_INVALID_VALUE);
}
CUDART_API cudaError_t cudaMemAdvise_v2(const void *p, size_t bytes, int advice, uint64_t where) {
    return cudaMemAdvise(p, bytes, advice, where);
}
CUDART_API cudaError_t cudaMemRangeGetAttribute(void *value, size_t value_bytes, int attribute,
                                                const void *p, size_t bytes) {
    return cudart_done(cuMemRangeGetAttribute(value, value_bytes, (CUmem_range_attribute)attribute,
                                              AS_ADDRESS(p), bytes));
}

CUDART_API cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total) {
    CUDART_READY();
    return cudart_done(cuMemGetInfo(free_bytes, total));
}

CUDART_API cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *a, const void *p) {
    CUDART_READY();
    if (!a) return cudart_error(cudaErrorInvalidValue);
    // up to 10 a pointer of the host's own was an error; since 11 it is "unregistered"
    *a = (struct cudaPointerAttributes){
        .type = cudaMemoryTypeUnregistered, .device = -2, .hostPointer = (void *)(uintptr_t)p};
    if (cudart_major >= 13) memset((char *)a + sizeof *a, 0, 8 * sizeof(long));
    CUmemorytype type;
    unsigned is_managed = 0;
    if (cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, AS_ADDRESS(p)) !=
        CUDA_SUCCESS)
        return cudaSuccess;
    cuPointerGetAttribute(&is_managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, AS_ADDRESS(p));
    a->type = is_managed                   ? cudaMemoryTypeManaged
              : type == CU_MEMORYTYPE_HOST ? cudaMemoryTypeHost
                                           : cudaMemoryTypeDevice;
    a->device = 0;
    CUdeviceptr device = 0;
    void *host = NULL;
    a->devicePointer = cuPointerGetAttribute(&device, CU_POINTER_ATTRIBUTE_DEVICE_POINTER,
                                             AS_ADDRESS(p)) == CUDA_SUCCESS
                           ? AS_POINTER(device)
                           : NULL;
    a->hostPointer = cuPointerGetAttribute(&host, CU_POINTER_ATTRIBUTE_HOST_POINTER,
                                           AS_ADDRESS(p)) == CUDA_SUCCESS
                         ? host
                         : NULL;
    return cudaSuccess;
}

// ---- in stream order ----------------------------------------------------------------------------
CUDART_API cudaError_t cudaMallocAsync(void **out, size_t bytes, cudaStream_t stream) {
    CUDART_READY();
    CUdeviceptr p = 0;
    const CUresult r = cuMemAllocAsync(&p, bytes, stream);
    if (r == CUDA_SUCCESS) *out = AS_POINTER(p);
    return cudart_done(r);
}
CUDART_API cudaError_t cudaFreeAsync(void *p, cudaStream_t stream) {
    CUDART_READY();
    return cudart_done(cuMemFreeAsync(AS_ADDRESS(p), stream));
}
CUDART_API cudaError_t cudaMallocFromPoolAsync(void **out, size_t bytes, cudaMemPool_t pool,
                                               cudaStream_t stream) {
    CUDART_READY();
    CUdeviceptr p = 0;
    const CUresult r = cuMemAllocFromPoolAsync(&p, bytes, pool, stream);
    if (r == CUDA_SUCCESS) *out = AS_POINTER(p);
    return cudart_done(r);
}
// Properties, attributes and locations have the driver's layout and numbers.
CUDART_API cudaError_t cudaMemPoolCreate(cudaMemPool_t *pool, const CUmemPoolProps *properties) {
    CUDART_READY();
    return cudart_done(cuMemPoolCreate(pool, properties));
}
CUDART_API cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) {
    return cudart_done(cuMemPoolDestroy(pool));
}
CUDART_API cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const CUmemAccessDesc *rights,
                                            size_t count) {
    return cudart_done(cuMemPoolSetAccess(pool, rights, count));
}
CUDART_API cudaError_t cudaMemPoolGetAccess(CUmemAccess_flags *flags, cudaMemPool_t pool,
                                            CUmemLocation *location) {
    return cudart_done(cuMemPoolGetAccess(flags, pool, location));
}
CUDART_API cudaError_t cudaMemGetDefaultMemPool(cudaMemPool_t *pool, CUmemLocation *location,
                                                CUmemAllocationType type) {
    CUDART_READY();
    return cudart_done(cuMemGetDefaultMemPool(pool, location, type));
}
CUDART_API cudaError_t cudaMemGetMemPool(cudaMemPool_t *pool, CUmemLocation *location,
                                         CUmemAllocationType type) {
    CUDART_READY();
    return cudart_done(cuMemGetMemPool(pool, location, type));
}
CUDART_API cudaError_t cudaMemSetMemPool(CUmemLocation *location, CUmemAllocationType type,
                                         cudaMemPool_t pool) {
    CUDART_READY();
    return cudart_done(cuMemSetMemPool(location, type, pool));
}
CUDART_API cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t keep) {
    return cudart_done(cuMemPoolTrimTo(pool, keep));
}
CUDART_API cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, int attribute, void *value) {
    return cudart_done(cuMemPoolSetAttribute(pool, (CUmemPool_attribute)attribute, value));
}
CUDART_API cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, int attribute, void *value) {
    return cudart_done(cuMemPoolGetAttribute(pool, (CUmemPool_attribute)attribute, value));
}
CUDART_API cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device) {
    CUDART_READY();
    return cudart_done(cuDeviceGetDefaultMemPool(pool, device));
}
CUDART_API cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *pool, int device) {
    CUDART_READY();
    return cudart_done(cuDeviceGetMemPool(pool, device));
}
CUDART_API cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool) {
    CUDART_READY();
    return cudart_done(cuDeviceSetMemPool(device, pool));
}
