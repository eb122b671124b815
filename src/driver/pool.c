// Stream-ordered allocation. Freeing waits for the device and memory is there at the call, so that
// a pool is no more than a name with counters: its order holds trivially.
#include "driver/graph.h"

#include <stdlib.h>
#include <string.h>

struct CUmemPoolHandle_st {
    uint64_t release_threshold, used, used_high;
    int reuse[3];
    bool is_default;
};
static struct CUmemPoolHandle_st default_pool = {.reuse = {1, 1, 1}, .is_default = true};
static CUmemoryPool current_pool = &default_pool; // both part of the singleton

static bool is_pool(CUmemoryPool p) { return p == &default_pool || DRIVER_IS(TAG_POOL, p); }

// ---- what came from which pool -------------------------------------------------------------------
struct piece {
    CUdeviceptr at;
    uint64_t bytes;
    CUmemoryPool pool; // NULL: it is gone, the memory lives on
};
static struct {
    struct piece *piece; // sorted by at
    size_t n, cap;
} given; // part of the singleton; guarded by its lock

// How many pieces begin below an address.
static size_t pieces_below(CUdeviceptr at) {
    size_t low = 0, high = given.n;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (given.piece[middle].at < at)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}
static struct piece *piece_at(CUdeviceptr at) {
    const size_t i = pieces_below(at);
    return i < given.n && given.piece[i].at == at ? &given.piece[i] : NULL;
}
static bool note_piece(CUdeviceptr at, uint64_t bytes, CUmemoryPool pool) {
    if (given.n == given.cap) {
        const size_t cap = given.cap ? 2 * given.cap : 64;
        struct piece *const more = realloc(given.piece, cap * sizeof *more);
        if (!more) return false;
        given.piece = more;
        given.cap = cap;
    }
    struct piece *const to = given.piece + pieces_below(at);
    memmove(to + 1, to, (size_t)(given.piece + given.n++ - to) * sizeof *to);
    *to = (struct piece){at, bytes, pool};
    pool->used += bytes;
    if (pool->used > pool->used_high) pool->used_high = pool->used;
    return true;
}
void driver_pool_forget(CUdeviceptr at) {
    struct piece *const p = piece_at(at);
    if (!p) return;
    if (p->pool) p->pool->used -= p->bytes;
    memmove(p, p + 1, (size_t)(given.piece + --given.n - p) * sizeof *p);
}
CUmemoryPool driver_pool_of(CUdeviceptr at) {
    const struct piece *const p = piece_at(at);
    return p ? p->pool : NULL;
}

void driver_release_pool(uint64_t key) {
    CUmemoryPool p = (CUmemoryPool)(uintptr_t)key;
    if (current_pool == p) current_pool = &default_pool;
    for (size_t i = 0; i < given.n; i++)
        if (given.piece[i].pool == p) given.piece[i].pool = NULL;
    driver_handle_remove(TAG_POOL, key);
    free(p);
}

static CUresult allocate(CUdeviceptr *address, size_t bytes, CUmemoryPool pool, CUstream stream) {
    struct gpu_stream *s;
    if (!driver_stream(stream, &s) || !is_pool(pool)) return CUDA_ERROR_INVALID_HANDLE;
    if (!address || !bytes) return CUDA_ERROR_INVALID_VALUE;
    CUresult kept;
    if (graph_capture_alloc(stream, bytes, address, &kept)) return kept;
    const CUresult r = driver_malloc(address, bytes);
    if (r != CUDA_SUCCESS) return r;
    if (note_piece(*address, bytes, pool)) return CUDA_SUCCESS;
    driver_release_memory(*address);
    return CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cuMemAllocAsync(CUdeviceptr *address, size_t bytes, CUstream stream) {
    DRIVER_ENTER(NEED_CONTEXT);
    DRIVER_LEAVE(allocate(address, bytes, current_pool, stream));
}

CUresult cuMemAllocFromPoolAsync(CUdeviceptr *address, size_t bytes, CUmemoryPool pool,
                                 CUstream stream) {
    DRIVER_ENTER(NEED_CONTEXT);
    DRIVER_LEAVE(allocate(address, bytes, pool, stream));
}

CUresult cuMemFreeAsync(CUdeviceptr address, CUstream stream) {
    DRIVER_ENTER(NEED_CONTEXT);
    struct gpu_stream *s;
    if (!driver_stream(stream, &s)) DRIVER_LEAVE(CUDA_ERROR_INVALID_HANDLE);
    CUresult kept;
    if (graph_free_of_graph(address, stream, &kept)) DRIVER_LEAVE(kept);
    DRIVER_LEAVE(driver_free(address));
}

CUresult cuMemPoolCreate(CUmemoryPool *out, const CUmemPoolProps *p) {
    DRIVER_ENTER(NEED_INIT);
    if (!out || !p || p->allocType != CU_MEM_ALLOCATION_TYPE_PINNED)
        DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    if (p->location.type != CU_MEM_LOCATION_TYPE_DEVICE || p->location.id != 0)
        DRIVER_LEAVE(CUDA_ERROR_INVALID_DEVICE);
    if (p->handleTypes != CU_MEM_HANDLE_TYPE_NONE) DRIVER_LEAVE(CUDA_ERROR_NOT_SUPPORTED);
    CUmemoryPool pool = calloc(1, sizeof *pool);
    if (!pool || !driver_handle_add(TAG_POOL, DRIVER_KEY(pool))) {
        free(pool);
        DRIVER_LEAVE(CUDA_ERROR_OUT_OF_MEMORY);
    }
    for (int i = 0; i < 3; i++) pool->reuse[i] = 1;
    *out = pool;
    DRIVER_LEAVE(CUDA_SUCCESS);
}

CUresult cuMemPoolDestroy(CUmemoryPool pool) {
    DRIVER_ENTER(NEED_INIT);
    if (!DRIVER_IS(TAG_POOL, pool)) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    driver_release_pool(DRIVER_KEY(pool));
    DRIVER_LEAVE(CUDA_SUCCESS);
}

CUresult cuMemPoolTrimTo(CUmemoryPool pool, size_t keep_bytes) {
    (void)keep_bytes;
    DRIVER_ENTER(NEED_INIT);
    DRIVER_LEAVE(is_pool(pool) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE);
}

CUresult cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void *value) {
    DRIVER_ENTER(NEED_INIT);
    if (!is_pool(pool) || !value) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    switch (attribute) {
    case CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES:
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC:
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES:
        pool->reuse[attribute - 1] = *(const int *)value;
        break;
    case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD:
        pool->release_threshold = *(const uint64_t *)value;
        break;
    case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
    case CU_MEMPOOL_ATTR_USED_MEM_HIGH:
        if (*(const uint64_t *)value) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE); // only to reset it
        pool->used_high = pool->used;
        break;
    default: DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    }
    DRIVER_LEAVE(CUDA_SUCCESS);
}

CUresult cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void *value) {
    DRIVER_ENTER(NEED_INIT);
    if (!is_pool(pool) || !value) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    switch (attribute) {
    case CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES:
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC:
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES:
        *(int *)value = pool->reuse[attribute - 1];
        break;
    case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD: *(uint64_t *)value = pool->release_threshold; break;
    case CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT:
    case CU_MEMPOOL_ATTR_USED_MEM_CURRENT: *(uint64_t *)value = pool->used; break;
    case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
    case CU_MEMPOOL_ATTR_USED_MEM_HIGH: *(uint64_t *)value = pool->used_high; break;
    default: DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    }
    DRIVER_LEAVE(CUDA_SUCCESS);
}

static CUresult get_pool(CUmemoryPool *out, CUmemoryPool pool, CUdevice device) {
    DRIVER_ENTER(NEED_INIT);
    if (!out) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    if (device != 0) DRIVER_LEAVE(CUDA_ERROR_INVALID_DEVICE);
    *out = pool;
    DRIVER_LEAVE(CUDA_SUCCESS);
}
CUresult cuDeviceGetDefaultMemPool(CUmemoryPool *out, CUdevice device) {
    return get_pool(out, &default_pool, device);
}
CUresult cuDeviceGetMemPool(CUmemoryPool *out, CUdevice device) {
    return get_pool(out, current_pool, device);
}
CUresult cuDeviceSetMemPool(CUdevice device, CUmemoryPool pool) {
    DRIVER_ENTER(NEED_INIT);
    if (device != 0) DRIVER_LEAVE(CUDA_ERROR_INVALID_DEVICE);
    if (!is_pool(pool)) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    current_pool = pool;
    DRIVER_LEAVE(CUDA_SUCCESS);
}

// ---- pools by location; who may use them -----------------------------------------------------------
static CUresult check_place(const CUmemLocation *l, CUmemAllocationType type) {
    if (!l || type == CU_MEM_ALLOCATION_TYPE_INVALID) return CUDA_ERROR_INVALID_VALUE;
    if (l->type != CU_MEM_LOCATION_TYPE_DEVICE || type != CU_MEM_ALLOCATION_TYPE_PINNED)
        return CUDA_ERROR_NOT_SUPPORTED; // memory of the host's, managed memory
    return l->id == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}
static CUresult pool_of_place(CUmemoryPool *out, CUmemoryPool pool, const CUmemLocation *l,
                              CUmemAllocationType type) {
    const CUresult r = out ? check_place(l, type) : CUDA_ERROR_INVALID_VALUE;
    if (r == CUDA_SUCCESS) *out = pool;
    return r;
}
CUresult cuMemGetDefaultMemPool(CUmemoryPool *out, CUmemLocation *location,
                                CUmemAllocationType type) {
    DRIVER_ENTER(NEED_INIT);
    DRIVER_LEAVE(pool_of_place(out, &default_pool, location, type));
}
CUresult cuMemGetMemPool(CUmemoryPool *out, CUmemLocation *location, CUmemAllocationType type) {
    DRIVER_ENTER(NEED_INIT);
    DRIVER_LEAVE(pool_of_place(out, current_pool, location, type));
}
CUresult cuMemSetMemPool(CUmemLocation *location, CUmemAllocationType type, CUmemoryPool pool) {
    DRIVER_ENTER(NEED_INIT);
    const CUresult r = is_pool(pool) ? check_place(location, type) : CUDA_ERROR_INVALID_VALUE;
    if (r == CUDA_SUCCESS) current_pool = pool;
    DRIVER_LEAVE(r);
}

// The one device owns all pools, and its own access cannot be taken away.
CUresult cuMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc *rights, size_t count) {
    DRIVER_ENTER(NEED_INIT);
    if (!is_pool(pool) || (count && !rights)) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    for (size_t i = 0; i < count; i++) {
        if (rights[i].location.type != CU_MEM_LOCATION_TYPE_DEVICE)
            DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
        if (rights[i].location.id != 0) DRIVER_LEAVE(CUDA_ERROR_INVALID_DEVICE);
        if (rights[i].flags != CU_MEM_ACCESS_FLAGS_PROT_READWRITE)
            DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    }
    DRIVER_LEAVE(CUDA_SUCCESS);
}
CUresult cuMemPoolGetAccess(CUmemAccess_flags *flags, CUmemoryPool pool, CUmemLocation *location) {
    DRIVER_ENTER(NEED_INIT);
    if (!flags || !is_pool(pool) || !location || location->type != CU_MEM_LOCATION_TYPE_DEVICE)
        DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    if (location->id != 0) DRIVER_LEAVE(CUDA_ERROR_INVALID_DEVICE);
    *flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    DRIVER_LEAVE(CUDA_SUCCESS);
}
