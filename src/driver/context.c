// Start-up, errors by name, devices' contexts. One device; contexts are names for the same GPU.
#include "driver/driver.h"

#include <stdlib.h>

enum { MAX_DEPTH = 64 };
static _Thread_local CUcontext stack_of_thread[MAX_DEPTH]; // the API's state is a thread's by definition
static _Thread_local int depth;

CUcontext driver_current(void) { return depth ? stack_of_thread[depth - 1] : NULL; }

static bool is_context(CUcontext c) { return c && c->tag == TAG_CONTEXT; }

CUresult cuInit(unsigned int flags) {
    if (flags != 0) return CUDA_ERROR_INVALID_VALUE;
    return driver_init();
}

CUresult cuDriverGetVersion(int *version) {
    if (!version) return CUDA_ERROR_INVALID_VALUE;
    *version = CUDA_VERSION;
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

static CUcontext context_new(unsigned int flags, bool primary) {
    CUcontext c = calloc(1, sizeof *c);
    if (c) *c = (struct CUctx_st){.tag = TAG_CONTEXT, .flags = flags, .is_primary = primary, .id = ++driver_get()->next_id};
    return c;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext *out, CUdevice device) {
    DRIVER_ENTER(NEED_INIT);
    struct driver *d = driver_get();
    if (!out) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    if (device != 0) DRIVER_LEAVE(CUDA_ERROR_INVALID_DEVICE);
    if (!d->primary) d->primary = context_new(0, true);
    if (!d->primary) DRIVER_LEAVE(CUDA_ERROR_OUT_OF_MEMORY);
    d->primary_references++;
    *out = d->primary;
    DRIVER_LEAVE(CUDA_SUCCESS);
}

CUresult cuDevicePrimaryCtxRelease(CUdevice device) {
    DRIVER_ENTER(NEED_INIT);
    if (device != 0) DRIVER_LEAVE(CUDA_ERROR_INVALID_DEVICE);
    if (!driver_get()->primary_references) DRIVER_LEAVE(CUDA_ERROR_INVALID_CONTEXT);
    driver_get()->primary_references--;
    DRIVER_LEAVE(CUDA_SUCCESS);
}

CUresult cuDevicePrimaryCtxSetFlags(CUdevice device, unsigned int flags) {
    DRIVER_ENTER(NEED_INIT);
    if (device != 0) DRIVER_LEAVE(CUDA_ERROR_INVALID_DEVICE);
    if (driver_get()->primary) driver_get()->primary->flags = flags;
    DRIVER_LEAVE(CUDA_SUCCESS);
}

CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned int *flags, int *active) {
    DRIVER_ENTER(NEED_INIT);
    if (device != 0) DRIVER_LEAVE(CUDA_ERROR_INVALID_DEVICE);
    if (flags) *flags = driver_get()->primary ? driver_get()->primary->flags : 0;
    if (active) *active = driver_get()->primary_references > 0;
    DRIVER_LEAVE(CUDA_SUCCESS);
}

CUresult cuDevicePrimaryCtxReset(CUdevice device) {
    DRIVER_ENTER(NEED_INIT);
    if (device != 0) DRIVER_LEAVE(CUDA_ERROR_INVALID_DEVICE);
    gpu_clear_fault(driver_get()->gpu);
    driver_get()->sticky = CUDA_SUCCESS;
    DRIVER_LEAVE(CUDA_SUCCESS);
}

CUresult cuCtxCreate(CUcontext *out, unsigned int flags, CUdevice device) {
    DRIVER_ENTER(NEED_INIT);
    if (!out) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    if (device != 0) DRIVER_LEAVE(CUDA_ERROR_INVALID_DEVICE);
    if (depth == MAX_DEPTH) DRIVER_LEAVE(CUDA_ERROR_OUT_OF_MEMORY);
    CUcontext c = context_new(flags, false);
    if (!c) DRIVER_LEAVE(CUDA_ERROR_OUT_OF_MEMORY);
    stack_of_thread[depth++] = c;
    *out = c;
    DRIVER_LEAVE(CUDA_SUCCESS);
}

CUresult cuCtxCreate_v3(CUcontext *out, CUexecAffinityParam *affinities, int count, unsigned int flags, CUdevice device) {
    (void)affinities, (void)count;
    return cuCtxCreate(out, flags, device);
}

CUresult cuCtxCreate_v4(CUcontext *out, struct CUctxCreateParams_st *params, unsigned int flags, CUdevice device) {
    (void)params;
    return cuCtxCreate(out, flags, device);
}

CUresult cuCtxDestroy(CUcontext c) {
    DRIVER_ENTER(NEED_INIT);
    if (!is_context(c) || c->is_primary) DRIVER_LEAVE(CUDA_ERROR_INVALID_CONTEXT);
    const enum ww_status s = gpu_synchronize(driver_get()->gpu, driver_diags());
    const CUresult r = driver_result(s, driver_diags());
    gpu_clear_fault(driver_get()->gpu); // a fault dies with its context
    driver_get()->sticky = CUDA_SUCCESS;
    for (int i = depth - 1; i >= 0; i--) {
        if (stack_of_thread[i] != c) continue;
        memmove(stack_of_thread + i, stack_of_thread + i + 1, (size_t)(depth - i - 1) * sizeof *stack_of_thread);
        depth--;
    }
    c->tag = 0;
    free(c);
    DRIVER_LEAVE(r);
}

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

CUresult cuCtxGetFlags(unsigned int *flags) {
    DRIVER_ENTER(NEED_CONTEXT);
    if (!flags) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    *flags = driver_current()->flags;
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
    const enum ww_status s = gpu_synchronize(driver_get()->gpu, driver_diags());
    DRIVER_LEAVE(driver_result(s, driver_diags()));
}

CUresult cuCtxGetStreamPriorityRange(int *least, int *greatest) {
    DRIVER_ENTER(NEED_CONTEXT);
    if (least) *least = 0;
    if (greatest) *greatest = 0;
    DRIVER_LEAVE(CUDA_SUCCESS);
}

// Preferences that this hardware model takes from its GPU file: accepted, no effect.
CUresult cuCtxSetCacheConfig(CUfunc_cache config) {
    (void)config;
    DRIVER_ENTER(NEED_CONTEXT);
    DRIVER_LEAVE(CUDA_SUCCESS);
}
CUresult cuCtxGetCacheConfig(CUfunc_cache *config) {
    DRIVER_ENTER(NEED_CONTEXT);
    if (!config) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    *config = 0;
    DRIVER_LEAVE(CUDA_SUCCESS);
}
CUresult cuCtxSetSharedMemConfig(CUsharedconfig config) {
    (void)config;
    DRIVER_ENTER(NEED_CONTEXT);
    DRIVER_LEAVE(CUDA_SUCCESS);
}
CUresult cuCtxGetSharedMemConfig(CUsharedconfig *config) {
    DRIVER_ENTER(NEED_CONTEXT);
    if (!config) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    *config = 1; // four-byte banks
    DRIVER_LEAVE(CUDA_SUCCESS);
}
CUresult cuProfilerStart(void) { return CUDA_SUCCESS; }
CUresult cuProfilerStop(void) { return CUDA_SUCCESS; }
