// Start-up, errors by name, contexts. There is one device; a context owns what was made while it
// was current, and everything shares one address space and one sticky fault.
#include "isa/image.h"
#include "driver/graph.h"
#include "driver/watch.h"

#include <stdlib.h>

enum { MAX_DEPTH = 64 };
static _Thread_local CUcontext
    stack_of_thread[MAX_DEPTH]; // the API's state is a thread's by definition
static _Thread_local int depth;

CUcontext driver_current(void) { return depth ? stack_of_thread[depth - 1] : NULL; }

static bool is_context(CUcontext c) { return DRIVER_IS(TAG_CONTEXT, c); }

CUresult cuInit(unsigned int flags) {
    if (flags != 0) return CUDA_ERROR_INVALID_VALUE;
    return driver_init();
}

CUresult cuDriverGetVersion(int *version) {
    if (!version) return CUDA_ERROR_INVALID_VALUE;
    *version = DRIVER_VERSION;
    return CUDA_SUCCESS;
}

static const struct {
    CUresult value;
    const char *name, *words;
} result_table[] = {
#define X(name, value, words) {name, #name, words},
    WW_CURESULT_TABLE(X)
#undef X
};

CUresult cuGetErrorName(CUresult error, const char **name) {
    if (!name) return CUDA_ERROR_INVALID_VALUE;
    *name = NULL;
    for (size_t i = 0; i < WW_COUNT(result_table); i++)
        if (result_table[i].value == error) *name = result_table[i].name;
    return *name ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGetErrorString(CUresult error, const char **words) {
    if (!words) return CUDA_ERROR_INVALID_VALUE;
    *words = NULL;
    for (size_t i = 0; i < WW_COUNT(result_table); i++)
        if (result_table[i].value == error) *words = result_table[i].words;
    return *words ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

// What cuCtxGetLimit answers before anything is set: the defaults that the vendor documents, and 0
// for limits of later generations, which cannot be set.
static const struct {
    CUlimit limit;
    size_t value;
} limit_table[] = {
    {CU_LIMIT_STACK_SIZE, CODE_STACK_BYTES},
    {CU_LIMIT_PRINTF_FIFO_SIZE, 1 << 20},
    {CU_LIMIT_MALLOC_HEAP_SIZE, 8 << 20},
    {CU_LIMIT_PERSISTING_L2_CACHE_SIZE, 0}, // that of the GPU
};

static void limits_at_first(CUcontext c) {
    for (size_t i = 0; i < WW_COUNT(limit_table); i++)
        c->limit[limit_table[i].limit] = limit_table[i].value;
    c->sets_aside = false;
}
// The GPU keeps one of each, the last that was set: with the context goes what it has set.
static void limits_put_back(CUcontext c) {
    struct gpu *const g = driver_get()->gpu;
    const size_t stack = c->limit[CU_LIMIT_STACK_SIZE], heap = c->limit[CU_LIMIT_MALLOC_HEAP_SIZE];
    const bool sets_aside = c->sets_aside;
    limits_at_first(c);
    if (stack != c->limit[CU_LIMIT_STACK_SIZE]) gpu_stack_limit(g, CODE_STACK_BYTES, process_diags());
    if (heap != c->limit[CU_LIMIT_MALLOC_HEAP_SIZE])
        devmem_heap_limit(gpu_memory(g), c->limit[CU_LIMIT_MALLOC_HEAP_SIZE]);
    if (!sets_aside) return;
    gpu_l2_set_set_aside(g, gpu_l2_first_set_aside(g), process_diags());
    gpu_l2_reset_priorities(g, process_diags());
}

static CUcontext context_new(unsigned int flags, bool primary) {
    CUcontext c = calloc(1, sizeof *c);
    if (!c || !driver_handle_add(TAG_CONTEXT, DRIVER_KEY(c))) {
        free(c);
        return NULL;
    }
    *c = (struct CUctx_st){
        .flags = flags, .is_primary = primary, .id = ++driver_get()->next_id, .references = 1};
    limits_at_first(c);
    c->banks = CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE;
    driver_made(WW_CONTEXT_MADE, c);
    return c;
}

// Ends a context's life: its work runs to its end, its things go, and a fault goes with them.
static CUresult context_empty(CUcontext c) {
    struct driver *d = driver_get();
    CUresult r = CUDA_SUCCESS;
    if (d->sticky == CUDA_SUCCESS) r = driver_result(gpu_synchronize(d->gpu, process_diags()));
    gpu_clear_fault(d->gpu);
    d->sticky = CUDA_SUCCESS;
    d->last_fault = FAULT_NONE;
    driver_drop_calls();
    driver_handle_release_all(c);
    limits_put_back(c);
    return r;
}

static CUresult context_destroy(CUcontext c) {
    const CUresult r = context_empty(c);
    for (int i = depth - 1; i >= 0; i--) {
        if (stack_of_thread[i] != c) continue;
        memmove(stack_of_thread + i, stack_of_thread + i + 1,
                (size_t)(depth - i - 1) * sizeof *stack_of_thread);
        depth--;
    }
    driver_handle_remove(TAG_CONTEXT, DRIVER_KEY(c));
    free(c);
    return r;
}

// ---- the primary context ----------------------------------------------------------------------
CUresult cuDevicePrimaryCtxRetain(CUcontext *out, CUdevice device) {
    DRIVER_ENTER(NEED_INIT);
    struct driver *d = driver_get();
    if (!out) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    if (device != 0) DRIVER_LEAVE(CUDA_ERROR_INVALID_DEVICE);
    if (!d->primary) d->primary = context_new(d->primary_flags, true);
    if (!d->primary) DRIVER_LEAVE(CUDA_ERROR_OUT_OF_MEMORY);
    d->primary_references++;
    *out = d->primary;
    DRIVER_LEAVE(CUDA_SUCCESS);
}

// The handle stays good for the next retain: threads may still have it current.
CUresult cuDevicePrimaryCtxRelease(CUdevice device) {
    DRIVER_ENTER(NEED_INIT);
    struct driver *d = driver_get();
    if (device != 0) DRIVER_LEAVE(CUDA_ERROR_INVALID_DEVICE);
    if (!d->primary_references) DRIVER_LEAVE(CUDA_ERROR_INVALID_CONTEXT);
    DRIVER_LEAVE(--d->primary_references ? CUDA_SUCCESS : context_empty(d->primary));
}

CUresult cuDevicePrimaryCtxReset(CUdevice device) {
    DRIVER_ENTER(NEED_INIT);
    if (device != 0) DRIVER_LEAVE(CUDA_ERROR_INVALID_DEVICE);
    if (driver_get()->primary) context_empty(driver_get()->primary);
    DRIVER_LEAVE(CUDA_SUCCESS);
}

CUresult cuDevicePrimaryCtxSetFlags(CUdevice device, unsigned int flags) {
    DRIVER_ENTER(NEED_INIT);
    struct driver *d = driver_get();
    if (device != 0) DRIVER_LEAVE(CUDA_ERROR_INVALID_DEVICE);
    if (flags & ~(unsigned)CU_CTX_FLAGS_MASK) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    d->primary_flags = flags;
    if (d->primary) d->primary->flags = flags;
    DRIVER_LEAVE(CUDA_SUCCESS);
}

CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned int *flags, int *active) {
    DRIVER_ENTER(NEED_INIT);
    if (device != 0) DRIVER_LEAVE(CUDA_ERROR_INVALID_DEVICE);
    if (flags) *flags = driver_get()->primary_flags;
    if (active) *active = driver_get()->primary_references > 0;
    DRIVER_LEAVE(CUDA_SUCCESS);
}

// ---- making and ending ------------------------------------------------------------------------
CUresult cuCtxCreate(CUcontext *out, unsigned int flags, CUdevice device) {
    DRIVER_ENTER(NEED_INIT);
    if (!out || flags & ~(unsigned)CU_CTX_FLAGS_MASK) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    if (device != 0) DRIVER_LEAVE(CUDA_ERROR_INVALID_DEVICE);
    if (depth == MAX_DEPTH) DRIVER_LEAVE(CUDA_ERROR_OUT_OF_MEMORY);
    CUcontext c = context_new(flags, false);
    if (!c) DRIVER_LEAVE(CUDA_ERROR_OUT_OF_MEMORY);
    stack_of_thread[depth++] = c;
    *out = c;
    DRIVER_LEAVE(CUDA_SUCCESS);
}

CUresult cuCtxCreate_v3(CUcontext *out, CUexecAffinityParam *affinities, int count,
                        unsigned int flags, CUdevice device) {
    if (affinities || count) return CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY;
    return cuCtxCreate(out, flags, device);
}

CUresult cuCtxCreate_v4(CUcontext *out, struct CUctxCreateParams_st *params, unsigned int flags,
                        CUdevice device) {
    if (params && (params->execAffinityParams || params->numExecAffinityParams))
        return CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY;
    if (params && params->cigParams) return driver_unsupported("cuCtxCreate_v4 with cigParams");
    return cuCtxCreate(out, flags, device);
}

CUresult cuCtxDestroy(CUcontext c) {
    DRIVER_ENTER(NEED_INIT);
    if (!is_context(c) || c->is_primary) DRIVER_LEAVE(CUDA_ERROR_INVALID_CONTEXT);
    DRIVER_LEAVE(context_destroy(c));
}

CUresult cuCtxAttach(CUcontext *out, unsigned int flags) {
    DRIVER_ENTER(NEED_CONTEXT);
    if (!out || flags) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    *out = driver_current();
    (*out)->references++;
    DRIVER_LEAVE(CUDA_SUCCESS);
}

CUresult cuCtxDetach(CUcontext c) {
    DRIVER_ENTER(NEED_CONTEXT);
    if (!is_context(c) || c != driver_current()) DRIVER_LEAVE(CUDA_ERROR_INVALID_CONTEXT);
    if (--c->references) DRIVER_LEAVE(CUDA_SUCCESS);
    if (c->is_primary) {
        c->references = 1;
        DRIVER_LEAVE(CUDA_ERROR_INVALID_CONTEXT);
    }
    DRIVER_LEAVE(context_destroy(c));
}

// ---- which is current -------------------------------------------------------------------------
CUresult cuCtxPushCurrent(CUcontext c) {
    DRIVER_ENTER(NEED_INIT);
    if (!is_context(c)) DRIVER_LEAVE(CUDA_ERROR_INVALID_CONTEXT);
    if (depth == MAX_DEPTH) DRIVER_LEAVE(CUDA_ERROR_OUT_OF_MEMORY);
    stack_of_thread[depth++] = c;
    DRIVER_LEAVE(CUDA_SUCCESS);
}

CUresult cuCtxPopCurrent(CUcontext *out) {
    DRIVER_ENTER(NEED_INIT);
    if (!depth) DRIVER_LEAVE(CUDA_ERROR_INVALID_CONTEXT);
    depth--;
    if (out) *out = stack_of_thread[depth];
    DRIVER_LEAVE(CUDA_SUCCESS);
}

CUresult cuCtxSetCurrent(CUcontext c) {
    DRIVER_ENTER(NEED_INIT);
    if (c && !is_context(c)) DRIVER_LEAVE(CUDA_ERROR_INVALID_CONTEXT);
    if (!depth && c) depth = 1;
    if (depth) stack_of_thread[depth - 1] = c;
    if (depth && !c) depth--;
    DRIVER_LEAVE(CUDA_SUCCESS);
}

CUresult cuCtxGetCurrent(CUcontext *out) {
    DRIVER_ENTER(NEED_INIT);
    if (!out) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    *out = driver_current();
    DRIVER_LEAVE(CUDA_SUCCESS);
}

CUresult cuCtxGetDevice(CUdevice *out) {
    DRIVER_ENTER(NEED_CONTEXT);
    if (!out) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    *out = 0;
    DRIVER_LEAVE(CUDA_SUCCESS);
}

// 13 names the context. Every one is on the one device there is, and clients older than 13 that
// look for a
// `_v2` of every call (Numba's) pass none: it is not looked at.
CUresult cuCtxGetDevice_v2(CUdevice *out, CUcontext context) {
    (void)context;
    return cuCtxGetDevice(out);
}
CUresult cuCtxSynchronize_v2(CUcontext context) {
    (void)context;
    return cuCtxSynchronize();
}

CUresult cuCtxGetFlags(unsigned int *flags) {
    DRIVER_ENTER(NEED_CONTEXT);
    if (!flags) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    *flags = driver_current()->flags;
    DRIVER_LEAVE(CUDA_SUCCESS);
}

CUresult cuCtxSetFlags(unsigned int flags) {
    DRIVER_ENTER(NEED_CONTEXT);
    if (flags & ~(unsigned)CU_CTX_FLAGS_MASK) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    driver_current()->flags = flags;
    DRIVER_LEAVE(CUDA_SUCCESS);
}

CUresult cuCtxGetId(CUcontext c, unsigned long long *id) {
    DRIVER_ENTER(NEED_INIT);
    if (!c) c = driver_current();
    if (!is_context(c)) DRIVER_LEAVE(CUDA_ERROR_INVALID_CONTEXT);
    if (!id) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    *id = c->id;
    DRIVER_LEAVE(CUDA_SUCCESS);
}

CUresult cuCtxGetApiVersion(CUcontext c, unsigned int *version) {
    DRIVER_ENTER(NEED_INIT);
    if (c && !is_context(c)) DRIVER_LEAVE(CUDA_ERROR_INVALID_CONTEXT);
    if (!version) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    *version = 3020; // the first version with the 64-bit entry points
    DRIVER_LEAVE(CUDA_SUCCESS);
}

CUresult cuCtxSynchronize(void) {
    DRIVER_ENTER(NEED_CONTEXT);
    const CUresult allowed = driver_capture_forbids_context();
    if (allowed != CUDA_SUCCESS) DRIVER_LEAVE(allowed);
    DRIVER_LEAVE(driver_result(gpu_synchronize(driver_get()->gpu, process_diags())));
}

CUresult cuCtxGetStreamPriorityRange(int *least, int *greatest) {
    DRIVER_ENTER(NEED_CONTEXT);
    if (least) *least = 0;
    if (greatest) *greatest = -driver_priorities();
    DRIVER_LEAVE(CUDA_SUCCESS);
}

// ---- limits and preferences -------------------------------------------------------------------
static bool has_limit(CUlimit limit) {
    if (limit == CU_LIMIT_PERSISTING_L2_CACHE_SIZE && !gpu_l2_most_set_aside(driver_get()->gpu))
        return false;
    for (size_t i = 0; i < WW_COUNT(limit_table); i++)
        if (limit_table[i].limit == limit) return true;
    return false;
}

CUresult cuCtxSetLimit(CUlimit limit, size_t value) {
    DRIVER_ENTER(NEED_CONTEXT);
    struct gpu *g = driver_get()->gpu;
    if ((unsigned)limit >= CU_LIMIT_MAX) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    if (!has_limit(limit)) DRIVER_LEAVE(CUDA_ERROR_UNSUPPORTED_LIMIT);
    if (limit == CU_LIMIT_STACK_SIZE && value > gpu_limits_of(g)->local_per_thread)
        DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    CUresult r = CUDA_SUCCESS;
    if (limit == CU_LIMIT_MALLOC_HEAP_SIZE) devmem_heap_limit(gpu_memory(g), value);
    if (limit == CU_LIMIT_PERSISTING_L2_CACHE_SIZE) { // cut to the most
        r = driver_result(gpu_l2_set_set_aside(g, value, process_diags()));
        value = gpu_l2_set_aside(g);
        driver_current()->sets_aside = true;
    }
    if (limit == CU_LIMIT_STACK_SIZE) {
        value = bits_align_up(value ? value : 16, 16); // frames are 16-byte aligned
        r = driver_result(gpu_stack_limit(g, (uint32_t)value, process_diags()));
    }
    if (r == CUDA_SUCCESS) driver_current()->limit[limit] = value;
    DRIVER_LEAVE(r);
}

CUresult cuCtxGetLimit(size_t *value, CUlimit limit) {
    DRIVER_ENTER(NEED_CONTEXT);
    if (!value || (unsigned)limit >= CU_LIMIT_MAX) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    if (!has_limit(limit)) DRIVER_LEAVE(CUDA_ERROR_UNSUPPORTED_LIMIT);
    *value = limit == CU_LIMIT_PERSISTING_L2_CACHE_SIZE ? gpu_l2_set_aside(driver_get()->gpu)
                                                        : driver_current()->limit[limit];
    DRIVER_LEAVE(CUDA_SUCCESS);
}

// The hardware's split between L1 and shared memory and its banks come from the GPU file: what a
// program prefers is kept and has no effect.
CUresult cuCtxSetCacheConfig(CUfunc_cache config) {
    DRIVER_ENTER(NEED_CONTEXT);
    if ((unsigned)config > CU_FUNC_CACHE_PREFER_EQUAL) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    driver_current()->cache = config;
    DRIVER_LEAVE(CUDA_SUCCESS);
}

CUresult cuCtxGetCacheConfig(CUfunc_cache *config) {
    DRIVER_ENTER(NEED_CONTEXT);
    if (!config) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    *config = driver_current()->cache;
    DRIVER_LEAVE(CUDA_SUCCESS);
}

CUresult cuCtxSetSharedMemConfig(CUsharedconfig config) {
    DRIVER_ENTER(NEED_CONTEXT);
    DRIVER_LEAVE((unsigned)config > CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE
                     ? CUDA_ERROR_INVALID_VALUE
                     : CUDA_SUCCESS);
}

CUresult cuCtxGetSharedMemConfig(CUsharedconfig *config) {
    DRIVER_ENTER(NEED_CONTEXT);
    if (!config) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    *config = driver_current()->banks;
    DRIVER_LEAVE(CUDA_SUCCESS);
}

CUresult cuCtxGetExecAffinity(CUexecAffinityParam *affinity, CUexecAffinityType type) {
    (void)type;
    DRIVER_ENTER(NEED_CONTEXT);
    DRIVER_LEAVE(affinity ? CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY : CUDA_ERROR_INVALID_VALUE);
}

CUresult cuCtxResetPersistingL2Cache(void) {
    DRIVER_ENTER(NEED_CONTEXT);
    DRIVER_LEAVE(driver_result(gpu_l2_reset_priorities(driver_get()->gpu, process_diags())));
}

// There is no second device.
CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned int flags) {
    DRIVER_ENTER(NEED_CONTEXT);
    if (flags) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    DRIVER_LEAVE(is_context(peer) ? CUDA_ERROR_PEER_ACCESS_UNSUPPORTED
                                  : CUDA_ERROR_INVALID_CONTEXT);
}

CUresult cuCtxDisablePeerAccess(CUcontext peer) {
    DRIVER_ENTER(NEED_CONTEXT);
    DRIVER_LEAVE(is_context(peer) ? CUDA_ERROR_PEER_ACCESS_NOT_ENABLED
                                  : CUDA_ERROR_INVALID_CONTEXT);
}

static CUresult profile(bool is_on) {
    process_lock();
    process_profile(is_on);
    process_leave();
    return CUDA_SUCCESS;
}
CUresult cuProfilerStart(void) { return profile(true); }
CUresult cuProfilerStop(void) { return profile(false); }

// ---- logs ---------------------------------------------------------------------------------------
// The driver's log is of what went wrong in it. Ours says that on standard error and keeps none, so that a callback is taken
// and has nothing to be called for.
CUresult cuLogsRegisterCallback(CUlogsCallback callback, void *user,
                                CUlogsCallbackHandle *callback_out) {
    static char taken;
    (void)user;
    if (!callback || !callback_out) return CUDA_ERROR_INVALID_VALUE;
    *callback_out = (CUlogsCallbackHandle)(void *)&taken;
    return CUDA_SUCCESS;
}
CUresult cuLogsUnregisterCallback(CUlogsCallbackHandle callback) {
    return callback ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
