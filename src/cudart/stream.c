// Streams, events and host functions. Handles are the driver's.
#include "cudart/cudart.h"

CUDART_API cudaError_t cudaStreamCreateWithFlags(cudaStream_t *out, unsigned flags) {
    CUDART_READY();
    return cudart_done(cuStreamCreate(out, flags));
}
CUDART_API cudaError_t cudaStreamCreate(cudaStream_t *out) {
    return cudaStreamCreateWithFlags(out, 0);
}
CUDART_API cudaError_t cudaStreamCreateWithPriority(cudaStream_t *out, unsigned flags,
                                                    int priority) {
    CUDART_READY();
    return cudart_done(cuStreamCreateWithPriority(out, flags, priority));
}
CUDART_API cudaError_t cudaStreamDestroy(cudaStream_t s) { return cudart_done(cuStreamDestroy(s)); }
CUDART_API cudaError_t cudaStreamSynchronize(cudaStream_t s) {
    CUDART_READY();
    return cudart_done(cuStreamSynchronize(s));
}
CUDART_API cudaError_t cudaStreamQuery(cudaStream_t s) {
    CUDART_READY();
    return cudart_done(cuStreamQuery(s));
}
CUDART_API cudaError_t cudaStreamGetPriority(cudaStream_t s, int *priority) {
    return cudart_done(cuStreamGetPriority(s, priority));
}
CUDART_API cudaError_t cudaStreamGetFlags(cudaStream_t s, unsigned *flags) {
    return cudart_done(cuStreamGetFlags(s, flags));
}
CUDART_API cudaError_t cudaStreamGetId(cudaStream_t s, unsigned long long *id) {
    return cudart_done(cuStreamGetId(s, id));
}
CUDART_API cudaError_t cudaStreamGetDevice(cudaStream_t s, int *device) {
    return cudart_done(cuStreamGetDevice(s, device));
}
CUDART_API cudaError_t cudaStreamAttachMemAsync(cudaStream_t s, void *p, size_t bytes,
                                                unsigned flags) {
    CUDART_READY();
    return cudart_done(cuStreamAttachMemAsync(s, (CUdeviceptr)(uintptr_t)p, bytes, flags));
}
CUDART_API cudaError_t cudaStreamCopyAttributes(cudaStream_t dst, cudaStream_t src) {
    return cudart_done(cuStreamCopyAttributes(dst, src));
}
CUDART_API cudaError_t cudaStreamSetAttribute(cudaStream_t s, int attribute,
                                              const CUstreamAttrValue *value) {
    return cudart_done(cuStreamSetAttribute(s, (CUstreamAttrID)attribute, value));
}
CUDART_API cudaError_t cudaStreamGetAttribute(cudaStream_t s, int attribute,
                                              CUstreamAttrValue *value) {
    return cudart_done(cuStreamGetAttribute(s, (CUstreamAttrID)attribute, value));
}
CUDART_API cudaError_t cudaCtxResetPersistingL2Cache(void) {
    CUDART_READY();
    return cudart_done(cuCtxResetPersistingL2Cache());
}

// ---- host functions -----------------------------------------------------------------------------
CUDART_API cudaError_t cudaLaunchHostFunc(cudaStream_t s, cudaHostFn_t fn, void *user) {
    CUDART_READY();
    if (!fn) return cudart_error(cudaErrorInvalidValue);
    return cudart_done(cuLaunchHostFunc(s, fn, user));
}
struct callback {
    cudaStreamCallback_t fn;
    void *user;
};
static void call_back(CUstream s, CUresult r, void *user) {
    const struct callback c = *(struct callback *)user;
    free(user);
    c.fn(s, (cudaError_t)r, c.user);
}
CUDART_API cudaError_t cudaStreamAddCallback(cudaStream_t s, cudaStreamCallback_t fn, void *user,
                                             unsigned flags) {
    CUDART_READY();
    if (!fn || flags) return cudart_error(cudaErrorInvalidValue);
    struct callback *c = malloc(sizeof *c);
    if (!c) return cudart_error(cudaErrorMemoryAllocation);
    *c = (struct callback){fn, user};
    const CUresult r = cuStreamAddCallback(s, call_back, c, 0);
    if (r != CUDA_SUCCESS) free(c);
    return cudart_done(r);
}

// ---- events -------------------------------------------------------------------------------------
CUDART_API cudaError_t cudaEventCreateWithFlags(cudaEvent_t *out, unsigned flags) {
    CUDART_READY();
    return cudart_done(cuEventCreate(out, flags));
}
CUDART_API cudaError_t cudaEventCreate(cudaEvent_t *out) {
    return cudaEventCreateWithFlags(out, 0);
}
CUDART_API cudaError_t cudaEventDestroy(cudaEvent_t e) { return cudart_done(cuEventDestroy(e)); }
CUDART_API cudaError_t cudaIpcGetEventHandle(CUipcEventHandle *handle, cudaEvent_t e) {
    CUDART_READY();
    return cudart_done(cuIpcGetEventHandle(handle, e));
}
CUDART_API cudaError_t cudaIpcOpenEventHandle(cudaEvent_t *e, CUipcEventHandle handle) {
    CUDART_READY();
    return cudart_done(cuIpcOpenEventHandle(e, handle));
}
CUDART_API cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t s) {
    CUDART_READY();
    return cudart_done(cuEventRecord(event, s));
}
CUDART_API cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t s, unsigned flags) {
    CUDART_READY();
    return cudart_done(cuEventRecordWithFlags(event, s, flags));
}
CUDART_API cudaError_t cudaStreamWaitEvent(cudaStream_t s, cudaEvent_t event, unsigned flags) {
    CUDART_READY();
    return cudart_done(cuStreamWaitEvent(s, event, flags));
}
CUDART_API cudaError_t cudaEventQuery(cudaEvent_t e) {
    CUDART_READY();
    return cudart_done(cuEventQuery(e));
}
CUDART_API cudaError_t cudaEventSynchronize(cudaEvent_t e) {
    CUDART_READY();
    return cudart_done(cuEventSynchronize(e));
}
CUDART_API cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t from, cudaEvent_t to) {
    CUDART_READY();
    return cudart_done(cuEventElapsedTime(ms, from, to));
}
CUDART_API cudaError_t cudaEventElapsedTime_v2(float *ms, cudaEvent_t from, cudaEvent_t to) {
    return cudaEventElapsedTime(ms, from, to);
}
