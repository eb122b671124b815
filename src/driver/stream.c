// Streams, events, host functions in order.
#include "driver/driver.h"

#include <stdlib.h>

static struct gpu *gpu(void) { return driver_get()->gpu; }
static CUresult done(enum ww_status s) { return driver_result(s, driver_diags()); }

bool driver_stream(CUstream s, struct gpu_stream **out) {
    *out = NULL;
    if (!s || s == CU_STREAM_LEGACY || s == CU_STREAM_PER_THREAD) return true;
    if (s->tag != TAG_STREAM) return false;
    *out = s->stream;
    return true;
}
static bool is_event(CUevent e) { return e && e->tag == TAG_EVENT; }

CUresult cuStreamCreateWithPriority(CUstream *out, unsigned int flags, int priority) {
    DRIVER_ENTER(NEED_CONTEXT);
    if (!out || flags > CU_STREAM_NON_BLOCKING) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    CUstream s = calloc(1, sizeof *s);
    if (!s) DRIVER_LEAVE(CUDA_ERROR_OUT_OF_MEMORY);
    *s = (struct CUstream_st){.tag = TAG_STREAM, .flags = flags, .priority = priority, .id = ++driver_get()->next_id};
    const CUresult r = done(gpu_stream_create(gpu(), flags & CU_STREAM_NON_BLOCKING, priority, driver_diags(), &s->stream));
    if (r != CUDA_SUCCESS)
        free(s);
    else
        *out = s;
    DRIVER_LEAVE(r);
}
CUresult cuStreamCreate(CUstream *out, unsigned int flags) { return cuStreamCreateWithPriority(out, flags, 0); }

CUresult cuStreamDestroy(CUstream s) {
    DRIVER_ENTER(NEED_CONTEXT);
    struct gpu_stream *g;
    if (!driver_stream(s, &g) || !g) DRIVER_LEAVE(CUDA_ERROR_INVALID_HANDLE);
    gpu_stream_destroy(gpu(), g);
    s->tag = 0;
    free(s);
    DRIVER_LEAVE(CUDA_SUCCESS);
}

CUresult cuStreamGetPriority(CUstream s, int *priority) {
    DRIVER_ENTER(NEED_CONTEXT);
    struct gpu_stream *g;
    if (!driver_stream(s, &g)) DRIVER_LEAVE(CUDA_ERROR_INVALID_HANDLE);
    if (!priority) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    *priority = g ? s->priority : 0;
    DRIVER_LEAVE(CUDA_SUCCESS);
}
CUresult cuStreamGetFlags(CUstream s, unsigned int *flags) {
    DRIVER_ENTER(NEED_CONTEXT);
    struct gpu_stream *g;
    if (!driver_stream(s, &g)) DRIVER_LEAVE(CUDA_ERROR_INVALID_HANDLE);
    if (!flags) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    *flags = g ? s->flags : 0;
    DRIVER_LEAVE(CUDA_SUCCESS);
}
CUresult cuStreamGetId(CUstream s, unsigned long long *id) {
    DRIVER_ENTER(NEED_CONTEXT);
    struct gpu_stream *g;
    if (!driver_stream(s, &g)) DRIVER_LEAVE(CUDA_ERROR_INVALID_HANDLE);
    if (!id) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    *id = g ? s->id : 0;
    DRIVER_LEAVE(CUDA_SUCCESS);
}
CUresult cuStreamGetCtx(CUstream s, CUcontext *context) {
    DRIVER_ENTER(NEED_CONTEXT);
    struct gpu_stream *g;
    if (!driver_stream(s, &g)) DRIVER_LEAVE(CUDA_ERROR_INVALID_HANDLE);
    if (!context) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    *context = driver_current();
    DRIVER_LEAVE(CUDA_SUCCESS);
}

CUresult cuStreamWaitEvent(CUstream s, CUevent e, unsigned int flags) {
    (void)flags;
    DRIVER_ENTER(NEED_CONTEXT);
    struct gpu_stream *g;
    if (!driver_stream(s, &g) || !is_event(e)) DRIVER_LEAVE(CUDA_ERROR_INVALID_HANDLE);
    DRIVER_LEAVE(done(gpu_stream_wait(gpu(), g, e->event, driver_diags())));
}
CUresult cuStreamQuery(CUstream s) {
    DRIVER_ENTER(NEED_CONTEXT);
    struct gpu_stream *g;
    if (!driver_stream(s, &g)) DRIVER_LEAVE(CUDA_ERROR_INVALID_HANDLE);
    // Host code takes no simulated time: a program that polls must see its work end.
    DRIVER_LEAVE(gpu_stream_is_done(gpu(), g) ? CUDA_SUCCESS : done(gpu_stream_synchronize(gpu(), g, driver_diags())));
}
CUresult cuStreamSynchronize(CUstream s) {
    DRIVER_ENTER(NEED_CONTEXT);
    struct gpu_stream *g;
    if (!driver_stream(s, &g)) DRIVER_LEAVE(CUDA_ERROR_INVALID_HANDLE);
    DRIVER_LEAVE(done(gpu_stream_synchronize(gpu(), g, driver_diags())));
}

struct call {
    CUstream stream;
    CUstreamCallback callback;
    CUhostFn function;
    void *user;
};
static void run_call(void *user) {
    struct call c = *(struct call *)user;
    free(user);
    if (c.callback)
        c.callback(c.stream, CUDA_SUCCESS, c.user);
    else
        c.function(c.user);
}
static CUresult queue_call(CUstream s, struct call c) {
    struct gpu_stream *g;
    if (!driver_stream(s, &g)) return CUDA_ERROR_INVALID_HANDLE;
    struct call *copy = malloc(sizeof *copy);
    if (!copy) return CUDA_ERROR_OUT_OF_MEMORY;
    *copy = c;
    return done(gpu_host_call(gpu(), g, run_call, copy, driver_diags()));
}
CUresult cuStreamAddCallback(CUstream s, CUstreamCallback callback, void *user, unsigned int flags) {
    DRIVER_ENTER(NEED_CONTEXT);
    if (!callback || flags) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    DRIVER_LEAVE(queue_call(s, (struct call){.stream = s, .callback = callback, .user = user}));
}
CUresult cuLaunchHostFunc(CUstream s, CUhostFn function, void *user) {
    DRIVER_ENTER(NEED_CONTEXT);
    if (!function) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    DRIVER_LEAVE(queue_call(s, (struct call){.stream = s, .function = function, .user = user}));
}

// ---- events ------------------------------------------------------------------------------------------
CUresult cuEventCreate(CUevent *out, unsigned int flags) {
    DRIVER_ENTER(NEED_CONTEXT);
    if (!out) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    CUevent e = calloc(1, sizeof *e);
    if (!e) DRIVER_LEAVE(CUDA_ERROR_OUT_OF_MEMORY);
    *e = (struct CUevent_st){.tag = TAG_EVENT, .flags = flags};
    const CUresult r = done(gpu_event_create(gpu(), driver_diags(), &e->event));
    if (r != CUDA_SUCCESS)
        free(e);
    else
        *out = e;
    DRIVER_LEAVE(r);
}
CUresult cuEventRecord(CUevent e, CUstream s) {
    DRIVER_ENTER(NEED_CONTEXT);
    struct gpu_stream *g;
    if (!is_event(e) || !driver_stream(s, &g)) DRIVER_LEAVE(CUDA_ERROR_INVALID_HANDLE);
    DRIVER_LEAVE(done(gpu_event_record(gpu(), e->event, g, driver_diags())));
}
CUresult cuEventRecordWithFlags(CUevent e, CUstream s, unsigned int flags) {
    (void)flags;
    return cuEventRecord(e, s);
}
CUresult cuEventQuery(CUevent e) {
    DRIVER_ENTER(NEED_CONTEXT);
    if (!is_event(e)) DRIVER_LEAVE(CUDA_ERROR_INVALID_HANDLE);
    DRIVER_LEAVE(gpu_event_is_done(gpu(), e->event) ? CUDA_SUCCESS : done(gpu_event_synchronize(gpu(), e->event, driver_diags())));
}
CUresult cuEventSynchronize(CUevent e) {
    DRIVER_ENTER(NEED_CONTEXT);
    if (!is_event(e)) DRIVER_LEAVE(CUDA_ERROR_INVALID_HANDLE);
    DRIVER_LEAVE(done(gpu_event_synchronize(gpu(), e->event, driver_diags())));
}
CUresult cuEventDestroy(CUevent e) {
    DRIVER_ENTER(NEED_CONTEXT);
    if (!is_event(e)) DRIVER_LEAVE(CUDA_ERROR_INVALID_HANDLE);
    gpu_event_destroy(gpu(), e->event);
    e->tag = 0;
    free(e);
    DRIVER_LEAVE(CUDA_SUCCESS);
}
CUresult cuEventElapsedTime(float *milliseconds, CUevent start, CUevent end) {
    DRIVER_ENTER(NEED_CONTEXT);
    if (!milliseconds) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    if (!is_event(start) || !is_event(end)) DRIVER_LEAVE(CUDA_ERROR_INVALID_HANDLE);
    if ((start->flags | end->flags) & CU_EVENT_DISABLE_TIMING) DRIVER_LEAVE(CUDA_ERROR_INVALID_HANDLE);
    const double a = gpu_event_time_s(gpu(), start->event), b = gpu_event_time_s(gpu(), end->event);
    if (a < 0 || b < 0) DRIVER_LEAVE(CUDA_ERROR_INVALID_HANDLE);
    *milliseconds = (float)((b - a) * 1e3);
    DRIVER_LEAVE(CUDA_SUCCESS);
}
CUresult cuEventElapsedTime_v2(float *milliseconds, CUevent start, CUevent end) {
    return cuEventElapsedTime(milliseconds, start, end);
}
