// Device memory, host memory that the device sees, managed memory.
#include "driver/graph.h"

#include <stdlib.h>

static struct gpu *gpu(void) { return driver_get()->gpu; }

CUresult cuMemGetInfo(size_t *free_bytes, size_t *total_bytes) {
    DRIVER_ENTER(NEED_CONTEXT);
    uint64_t free_now, total;
    gpu_memory_info(gpu(), &free_now, &total);
    if (free_bytes) *free_bytes = free_now;
    if (total_bytes) *total_bytes = total;
    DRIVER_LEAVE(CUDA_SUCCESS);
}

// ---- device memory ----------------------------------------------------------------------------
static CUresult keep_memory(uint64_t at) {
    if (driver_handle_add(TAG_MEMORY, at)) return CUDA_SUCCESS;
    devmem_free(gpu_memory(gpu()), at);
    return CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult driver_malloc(CUdeviceptr *address, size_t bytes) {
    uint64_t at = 0;
    CUresult r = driver_result_quiet(gpu_malloc(gpu(), bytes, NULL, process_diags(), &at));
    if (r == CUDA_SUCCESS) r = keep_memory(at);
    if (r == CUDA_SUCCESS) *address = at;
    return r;
}

CUresult cuMemAlloc(CUdeviceptr *address, size_t bytes) {
    DRIVER_ENTER(NEED_CONTEXT);
    const CUresult allowed = driver_capture_allows();
    if (allowed != CUDA_SUCCESS) DRIVER_LEAVE(allowed);
    if (!address || !bytes) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    DRIVER_LEAVE(driver_malloc(address, bytes));
}

CUresult cuMemAllocPitch(CUdeviceptr *address, size_t *pitch, size_t width, size_t height,
                         unsigned int element) {
    DRIVER_ENTER(NEED_CONTEXT);
    const CUresult allowed = driver_capture_allows();
    if (allowed != CUDA_SUCCESS) DRIVER_LEAVE(allowed);
    if (!address || !pitch || !width || !height) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    if (element != 4 && element != 8 && element != 16) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    uint64_t at = 0, row = 0;
    CUresult r = driver_result_quiet(
        gpu_malloc_pitch(gpu(), width, height, element, process_diags(), &at, &row));
    if (r == CUDA_SUCCESS) r = keep_memory(at);
    if (r != CUDA_SUCCESS) DRIVER_LEAVE(r);
    *address = at;
    *pitch = row;
    DRIVER_LEAVE(CUDA_SUCCESS);
}

CUresult cuMemGetAddressRange(CUdeviceptr *base, size_t *bytes, CUdeviceptr address) {
    DRIVER_ENTER(NEED_CONTEXT);
    struct devmem_range range;
    if (!devmem_find(gpu_memory(gpu()), address, &range)) DRIVER_LEAVE(CUDA_ERROR_NOT_FOUND);
    if (base) *base = range.first;
    if (bytes) *bytes = range.bytes;
    DRIVER_LEAVE(CUDA_SUCCESS);
}

// ---- memory with a host address ---------------------------------------------------------------
struct host_block {
    struct host_block *next;
    struct driver_host is;
};
static struct host_block *host_blocks; // part of the singleton; guarded by its lock

static bool holds(uint64_t first, uint64_t bytes, uint64_t p) { return p - first < bytes; }

static struct host_block *find_host(uint64_t p) {
    for (struct host_block *b = host_blocks; b; b = b->next)
        if (holds(DRIVER_KEY(b->is.host), b->is.bytes, p)) return b;
    return NULL;
}

bool driver_host_find(uint64_t p, struct driver_host *out) {
    const struct host_block *b = find_host(p);
    for (const struct host_block *i = host_blocks; i && !b; i = i->next)
        if (holds(i->is.device, i->is.bytes, p)) b = i;
    if (b) *out = b->is;
    return b != NULL;
}

static void unlink_host(struct host_block *b) {
    struct host_block **at = &host_blocks;
    while (*at != b) at = &(*at)->next;
    *at = b->next;
    free(b);
}

// Where addresses are unified, a pointer to pinned memory is its device address too.
static uint64_t map_host(void *host, size_t bytes) {
    struct devmem *m = gpu_memory(gpu());
    if (gpu_limits_of(gpu())->unified_addressing) {
        const uint64_t at = devmem_map_host_at(m, host, bytes, DRIVER_KEY(host));
        if (at) return at;
    }
    return devmem_map_host(m, host, bytes);
}

static CUresult add_host(void *host, size_t bytes, unsigned int flags, bool ours) {
    struct host_block *b = calloc(1, sizeof *b);
    if (!b) return CUDA_ERROR_OUT_OF_MEMORY;
    b->is = (struct driver_host){.host = host, .bytes = bytes, .flags = flags, .ours = ours};
    b->is.device = map_host(host, bytes);
    if (!b->is.device || !driver_handle_add(TAG_HOST, DRIVER_KEY(host))) {
        if (b->is.device) devmem_free(gpu_memory(gpu()), b->is.device);
        free(b);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    devmem_mark_written(gpu_memory(gpu()), b->is.device, bytes);
    b->next = host_blocks;
    host_blocks = b;
    return CUDA_SUCCESS;
}

void driver_release_host(uint64_t key) {
    struct host_block *b = find_host(key);
    devmem_free(gpu_memory(gpu()), b->is.device);
    if (b->is.ours) free(b->is.host);
    driver_handle_remove(TAG_HOST, key);
    unlink_host(b);
}

// Frees pinned memory or ends a registration; the device may still be at work on it.
static CUresult end_host(void *p, bool ours, CUresult otherwise) {
    if (!driver_handle_live(TAG_HOST, DRIVER_KEY(p)) || find_host(DRIVER_KEY(p))->is.ours != ours)
        return otherwise;
    const CUresult r = driver_result(gpu_synchronize(gpu(), process_diags()));
    driver_release_host(DRIVER_KEY(p));
    return r;
}

CUresult cuMemHostAlloc(void **out, size_t bytes, unsigned int flags) {
    DRIVER_ENTER(NEED_CONTEXT);
    const CUresult allowed = driver_capture_allows();
    if (allowed != CUDA_SUCCESS) DRIVER_LEAVE(allowed);
    if (!out || !bytes || flags > 7) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    if (bytes > SIZE_MAX / 2) DRIVER_LEAVE(CUDA_ERROR_OUT_OF_MEMORY);
    void *p = NULL;
    if (posix_memalign(&p, 4096, bits_align_up(bytes, 4096)) != 0)
        DRIVER_LEAVE(CUDA_ERROR_OUT_OF_MEMORY);
    memset(p, 0, bytes);
    const CUresult r = add_host(p, bytes, flags, true);
    if (r != CUDA_SUCCESS)
        free(p);
    else
        *out = p;
    DRIVER_LEAVE(r);
}
CUresult cuMemAllocHost(void **out, size_t bytes) { return cuMemHostAlloc(out, bytes, 0); }

CUresult cuMemFreeHost(void *p) {
    DRIVER_ENTER(NEED_CONTEXT);
    const CUresult allowed = driver_capture_allows();
    if (allowed != CUDA_SUCCESS) DRIVER_LEAVE(allowed);
    DRIVER_LEAVE(end_host(p, true, CUDA_ERROR_INVALID_VALUE));
}

CUresult cuMemHostRegister(void *p, size_t bytes, unsigned int flags) {
    DRIVER_ENTER(NEED_CONTEXT);
    if (!p || !bytes || flags > 15) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    if (find_host(DRIVER_KEY(p)) || find_host(DRIVER_KEY(p) + bytes - 1))
        DRIVER_LEAVE(CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
    DRIVER_LEAVE(add_host(p, bytes, flags, false));
}

CUresult cuMemHostUnregister(void *p) {
    DRIVER_ENTER(NEED_CONTEXT);
    DRIVER_LEAVE(end_host(p, false, CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED));
}

CUresult cuMemHostGetDevicePointer(CUdeviceptr *address, void *p, unsigned int flags) {
    DRIVER_ENTER(NEED_CONTEXT);
    const struct host_block *b = find_host(DRIVER_KEY(p));
    if (!address || flags || !b) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    *address = b->is.device + (DRIVER_KEY(p) - DRIVER_KEY(b->is.host));
    DRIVER_LEAVE(CUDA_SUCCESS);
}

CUresult cuMemHostGetFlags(unsigned int *flags, void *p) {
    DRIVER_ENTER(NEED_CONTEXT);
    const struct host_block *b = find_host(DRIVER_KEY(p));
    if (!b || !flags) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    *flags = b->is.flags | CU_MEMHOSTALLOC_DEVICEMAP; // all of it is mapped
    DRIVER_LEAVE(CUDA_SUCCESS);
}

// Managed memory: one address must serve both sides. The device's memory is backed at host
// addresses equal to device addresses when the host allows it (devmem.c); where it does not,
// managed memory is refused rather than given out wrong.
CUresult cuMemAllocManaged(CUdeviceptr *address, size_t bytes, unsigned int flags) {
    DRIVER_ENTER(NEED_CONTEXT);
    const CUresult allowed = driver_capture_allows();
    if (allowed != CUDA_SUCCESS) DRIVER_LEAVE(allowed);
    if (!address || !bytes || (flags != CU_MEM_ATTACH_GLOBAL && flags != CU_MEM_ATTACH_HOST))
        DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    struct host_block *b = calloc(1, sizeof *b);
    if (!b) DRIVER_LEAVE(CUDA_ERROR_OUT_OF_MEMORY);
    uint64_t at = 0;
    CUresult r = driver_result_quiet(gpu_malloc(gpu(), bytes, "managed", process_diags(), &at));
    if (r == CUDA_SUCCESS && DRIVER_KEY(devmem_host(gpu_memory(gpu()), at, bytes)) != at) {
        process_say(
            "managed memory needs device addresses that are free on the host, and here they "
            "are not (AddressSanitizer has those from 2 GB on): it answers "
            "CUDA_ERROR_NOT_SUPPORTED; a GPU with less memory may find room: --told memory=1GB");
        devmem_free(gpu_memory(gpu()), at);
        r = CUDA_ERROR_NOT_SUPPORTED;
    }
    if (r == CUDA_SUCCESS) r = keep_memory(at);
    if (r != CUDA_SUCCESS) {
        free(b);
        DRIVER_LEAVE(r);
    }
    b->is = (struct driver_host){.host = (void *)(uintptr_t)at,
                                 .device = at,
                                 .bytes = bytes,
                                 .flags = flags,
                                 .is_managed = true};
    devmem_mark_written(gpu_memory(gpu()), at, bytes);
    b->next = host_blocks;
    host_blocks = b;
    *address = at;
    DRIVER_LEAVE(CUDA_SUCCESS);
}

// ---- freeing ----------------------------------------------------------------------------------
void driver_release_memory(uint64_t key) {
    struct host_block *b = find_host(key);
    if (b && b->is.is_managed) unlink_host(b);
    driver_pool_forget(key);
    devmem_free(gpu_memory(gpu()), key);
    driver_handle_remove(TAG_MEMORY, key);
}

static CUresult refuse_free(CUdeviceptr address) {
    struct devmem_range near;
    char text[256];
    if (!devmem_nearest(gpu_memory(gpu()), address, &near))
        process_say("free of 0x%llx: nothing was ever allocated", address);
    else
        process_say("free of 0x%llx, which cuMemAlloc did not give out or which is freed already; "
                    "nearest is %s",
                    address, devmem_range_text(&near, text, sizeof text));
    return CUDA_ERROR_INVALID_VALUE;
}

CUresult driver_free(CUdeviceptr address) {
    if (!address) return CUDA_SUCCESS;
    if (!driver_handle_live(TAG_MEMORY, address)) return refuse_free(address);
    const CUresult r =
        driver_result(gpu_synchronize(gpu(), process_diags())); // as the vendor's does
    driver_release_memory(address);
    return r;
}

CUresult cuMemFree(CUdeviceptr address) {
    DRIVER_ENTER(NEED_CONTEXT);
    CUresult r;
    if (graph_free_of_graph(address, NULL, &r)) DRIVER_LEAVE(r);
    r = driver_capture_allows();
    DRIVER_LEAVE(r == CUDA_SUCCESS ? driver_free(address) : r);
}
