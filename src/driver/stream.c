// Streams, events, host functions in order.
#include "driver/graph.h"
#include "driver/watch.h"

#include <pthread.h>
#include <stdlib.h>

static struct gpu *gpu(void) { return driver_get()->gpu; }
static CUresult done(enum ww_status s) { return driver_result(s); }

// ---- a thread's own default stream -------------------------------------------------------------
// Made when the thread first names it, as a blocking stream; gone with the thread or its context.
struct own_stream {
    CUstream stream;
    uint64_t id; // the address may be another stream's by now
};
static pthread_key_t own_key;
static pthread_once_t own_once = PTHREAD_ONCE_INIT;
static bool have_key; // a process has only so many

static bool is_own(const struct own_stream *own) {
    return own->stream && DRIVER_IS(TAG_STREAM, own->stream) && own->stream->id == own->id;
}
static void thread_ends(void *user) {
    struct own_stream *own = user;
    if (driver_enter(NEED_NOTHING, NULL) == CUDA_SUCCESS) {
        if (driver_get()->gpu && is_own(own)) {
            gpu_stream_synchronize(gpu(), own->stream->stream, process_diags());
            driver_release_stream(DRIVER_KEY(own->stream));
        }
        driver_leave(CUDA_SUCCESS);
    }
    free(own);
}
static void make_key(void) { have_key = pthread_key_create(&own_key, thread_ends) == 0; }

static CUresult new_stream(CUstream *out, unsigned int flags, int priority);

static CUstream stream_of_thread(void) {
    pthread_once(&own_once, make_key);
    if (!have_key) return NULL;
    struct own_stream *own = pthread_getspecific(own_key);
    if (own && is_own(own)) return own->stream;
    if (!own) own = calloc(1, sizeof *own);
    if (!own || pthread_setspecific(own_key, own) != 0) return free(own), NULL;
    own->stream = NULL;
    if (new_stream(&own->stream, CU_STREAM_DEFAULT, 0) != CUDA_SUCCESS) return NULL;
    own->id = own->stream->id;
    return own->stream;
}

static bool is_of_thread(CUstream s) {
    return s == CU_STREAM_PER_THREAD || (!s && driver_default_is_own);
}
// A handle as a program passes it to the stream that it names; NULL: the default one.
static CUstream named(CUstream s) {
    if (is_of_thread(s)) return stream_of_thread();
    return s == CU_STREAM_LEGACY ? NULL : s;
}
CUstream driver_stream_named(CUstream s) { return named(s); }

bool driver_stream(CUstream s, struct gpu_stream **out) {
    *out = NULL;
    const bool must_be = is_of_thread(s);
    s = named(s);
    if (!s) return !must_be;
    if (!driver_handle_live(TAG_STREAM, DRIVER_KEY(s))) return false;
    *out = s->stream;
    return true;
}
static bool is_event(CUevent e) { return DRIVER_IS(TAG_EVENT, e); }

static CUresult new_stream(CUstream *out, unsigned int flags, int priority) {
    CUstream s = calloc(1, sizeof *s);
    if (!s) return CUDA_ERROR_OUT_OF_MEMORY;
    s->flags = flags;
    s->priority = priority;
    s->id = ++driver_get()->next_id;
    CUresult r = done(gpu_stream_create(gpu(), flags & CU_STREAM_NON_BLOCKING, priority,
                                        process_diags(), &s->stream));
    if (r == CUDA_SUCCESS && !driver_handle_add(TAG_STREAM, DRIVER_KEY(s))) {
        gpu_stream_destroy(gpu(), s->stream);
        r = CUDA_ERROR_OUT_OF_MEMORY;
    }
    if (r != CUDA_SUCCESS) {
        free(s);
        return r;
    }
    driver_made(WW_STREAM_MADE, s);
    *out = s;
    return r;
}
CUresult cuStreamCreateWithPriority(CUstream *out, unsigned int flags, int priority) {
    DRIVER_ENTER(NEED_CONTEXT);
    if (!out || flags > CU_STREAM_NON_BLOCKING) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    DRIVER_LEAVE(new_stream(out, flags, priority));
}
CUresult cuStreamCreate(CUstream *out, unsigned int flags) {
    return cuStreamCreateWithPriority(out, flags, 0);
}

void driver_release_stream(uint64_t key) {
    CUstream s = (CUstream)(uintptr_t)key;
    driver_capture_stream_gone(s);
    gpu_stream_destroy(gpu(), s->stream);
    driver_handle_remove(TAG_STREAM, key);
    free(s);
}

CUresult cuStreamDestroy(CUstream s) {
    DRIVER_ENTER(NEED_CONTEXT);
    struct gpu_stream *g;
    if (s == CU_STREAM_PER_THREAD || !driver_stream(s, &g) || !g)
        DRIVER_LEAVE(CUDA_ERROR_INVALID_HANDLE);
    const CUresult r = done(gpu_stream_synchronize(gpu(), g, process_diags()));
    driver_release_stream(DRIVER_KEY(s));
    DRIVER_LEAVE(r);
}

CUresult cuStreamGetPriority(CUstream s, int *priority) {
    DRIVER_ENTER(NEED_CONTEXT);
    struct gpu_stream *g;
    if (!driver_stream(s, &g)) DRIVER_LEAVE(CUDA_ERROR_INVALID_HANDLE);
    if (!priority) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    *priority = g ? named(s)->priority : 0;
    DRIVER_LEAVE(CUDA_SUCCESS);
}
CUresult cuStreamGetFlags(CUstream s, unsigned int *flags) {
    DRIVER_ENTER(NEED_CONTEXT);
    struct gpu_stream *g;
    if (!driver_stream(s, &g)) DRIVER_LEAVE(CUDA_ERROR_INVALID_HANDLE);
    if (!flags) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    *flags = g ? named(s)->flags : 0;
    DRIVER_LEAVE(CUDA_SUCCESS);
}
CUresult cuStreamGetId(CUstream s, unsigned long long *id) {
    DRIVER_ENTER(NEED_CONTEXT);
    struct gpu_stream *g;
    if (!driver_stream(s, &g)) DRIVER_LEAVE(CUDA_ERROR_INVALID_HANDLE);
    if (!id) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    *id = g ? named(s)->id : 0;
    DRIVER_LEAVE(CUDA_SUCCESS);
}
CUresult cuStreamGetCtx(CUstream s, CUcontext *context) {
    DRIVER_ENTER(NEED_CONTEXT);
    struct gpu_stream *g;
    if (!driver_stream(s, &g)) DRIVER_LEAVE(CUDA_ERROR_INVALID_HANDLE);
    if (!context) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    *context = g ? driver_handle_owner(TAG_STREAM, DRIVER_KEY(named(s))) : driver_current();
    DRIVER_LEAVE(CUDA_SUCCESS);
}
CUresult cuStreamGetDevice(CUstream s, CUdevice *device) {
    DRIVER_ENTER(NEED_CONTEXT);
    struct gpu_stream *g;
    if (!driver_stream(s, &g)) DRIVER_LEAVE(CUDA_ERROR_INVALID_HANDLE);
    if (!device) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    *device = 0;
    DRIVER_LEAVE(CUDA_SUCCESS);
}

// A window of L2 is what launches into the stream say to it; other attributes are kept, and say what was set.
static CUstreamAttrValue *attribute_of(CUstream s, CUstreamAttrID attribute) {
    static CUstreamAttrValue of_default[DRIVER_STREAM_ATTRIBUTES]; // the singleton's
    struct gpu_stream *g;
    if (attribute != CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW &&
        attribute != CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY &&
        attribute != CU_LAUNCH_ATTRIBUTE_PRIORITY &&
        attribute != CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP &&
        attribute != CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN)
        return NULL;
    return driver_stream(s, &g) && g ? &named(s)->attributes[attribute] : &of_default[attribute];
}

// What an access policy window asks for; false: it has values that none has.
bool driver_window(const CUaccessPolicyWindow *w, struct policy_window *out) {
    static const uint8_t of[] = {[CU_ACCESS_PROPERTY_NORMAL] = PRIORITY_NORMAL,
                                 [CU_ACCESS_PROPERTY_STREAMING] = PRIORITY_FIRST,
                                 [CU_ACCESS_PROPERTY_PERSISTING] = PRIORITY_LAST};
    *out = (struct policy_window){0};
    if (w->num_bytes == 0) return true;
    if ((unsigned)w->hitProp >= WW_COUNT(of) || !(w->hitRatio >= 0 && w->hitRatio <= 1) ||
        (unsigned)w->missProp >= CU_ACCESS_PROPERTY_PERSISTING || w->num_bytes > DRIVER_MOST_WINDOW)
        return false;
    *out = (struct policy_window){.base = (uintptr_t)w->base_ptr,
                                  .bytes = w->num_bytes,
                                  .hits = (uint8_t)(w->hitRatio * 16 + 0.5f),
                                  .hit = of[w->hitProp],
                                  .miss = of[w->missProp]};
    return true;
}
struct policy_window driver_stream_window(CUstream s) {
    struct policy_window window = {0};
    const CUstreamAttrValue *const a = attribute_of(s, CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW);
    if (a) driver_window(&a->accessPolicyWindow, &window);
    return window;
}

CUresult cuStreamGetAttribute(CUstream s, CUstreamAttrID attribute, CUstreamAttrValue *value) {
    DRIVER_ENTER(NEED_CONTEXT);
    struct gpu_stream *g;
    if (!driver_stream(s, &g)) DRIVER_LEAVE(CUDA_ERROR_INVALID_HANDLE);
    const CUstreamAttrValue *from = attribute_of(s, attribute);
    if (!value || !from) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    *value = *from;
    if (attribute == CU_LAUNCH_ATTRIBUTE_PRIORITY) value->priority = g ? named(s)->priority : 0;
    if (attribute == CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY && !value->syncPolicy)
        value->syncPolicy = CU_SYNC_POLICY_AUTO;
    DRIVER_LEAVE(CUDA_SUCCESS);
}

CUresult cuStreamSetAttribute(CUstream s, CUstreamAttrID attribute,
                              const CUstreamAttrValue *value) {
    DRIVER_ENTER(NEED_CONTEXT);
    struct gpu_stream *g;
    if (!driver_stream(s, &g)) DRIVER_LEAVE(CUDA_ERROR_INVALID_HANDLE);
    CUstreamAttrValue *to = attribute_of(s, attribute);
    if (!value || !to) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    struct policy_window window;
    if (attribute == CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW &&
        !driver_window(&value->accessPolicyWindow, &window))
        DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    *to = *value;
    DRIVER_LEAVE(CUDA_SUCCESS);
}

CUresult cuStreamCopyAttributes(CUstream to, CUstream from) {
    DRIVER_ENTER(NEED_CONTEXT);
    struct gpu_stream *a, *b;
    if (!driver_stream(to, &a) || !driver_stream(from, &b)) DRIVER_LEAVE(CUDA_ERROR_INVALID_HANDLE);
    for (int i = 0; i < DRIVER_STREAM_ATTRIBUTES; i++)
        if (attribute_of(to, (CUstreamAttrID)i))
            *attribute_of(to, (CUstreamAttrID)i) = *attribute_of(from, (CUstreamAttrID)i);
    DRIVER_LEAVE(CUDA_SUCCESS);
}

CUresult cuStreamWaitEvent(CUstream s, CUevent e, unsigned int flags) {
    DRIVER_ENTER(NEED_CONTEXT);
    struct gpu_stream *g;
    CUresult r;
    if (!driver_stream(s, &g) || !is_event(e)) DRIVER_LEAVE(CUDA_ERROR_INVALID_HANDLE);
    if (flags > CU_EVENT_WAIT_EXTERNAL) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    const struct driver_op op = {.kind = OP_EVENT_WAIT, .event = e, .event_flags = flags};
    if (driver_capture(s, &op, &r)) DRIVER_LEAVE(r);
    DRIVER_LEAVE(done(gpu_stream_wait(gpu(), g, e->event, process_diags())));
}
// A question moves simulated time on a little, or a program that polls would never see its work
// end; what ran may have met a fault.
static CUresult asked(bool is_done) {
    if (gpu_fault_status(gpu()) != WW_OK) return done(gpu_synchronize(gpu(), process_diags()));
    return is_done ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
}

CUresult cuStreamQuery(CUstream s) {
    DRIVER_ENTER(NEED_CONTEXT);
    struct gpu_stream *g;
    CUresult r;
    if (!driver_stream(s, &g)) DRIVER_LEAVE(CUDA_ERROR_INVALID_HANDLE);
    if (driver_capture_forbids(s, &r)) DRIVER_LEAVE(r);
    DRIVER_LEAVE(asked(gpu_stream_is_done(gpu(), g)));
}
CUresult cuStreamSynchronize(CUstream s) {
    DRIVER_ENTER(NEED_CONTEXT);
    struct gpu_stream *g;
    CUresult r;
    if (!driver_stream(s, &g)) DRIVER_LEAVE(CUDA_ERROR_INVALID_HANDLE);
    if (driver_capture_forbids(s, &r)) DRIVER_LEAVE(r);
    DRIVER_LEAVE(done(gpu_stream_synchronize(gpu(), g, process_diags())));
}

// ---- host functions ----------------------------------------------------------------------------
struct call {
    struct call *next;
    CUstream stream;
    CUstreamCallback callback;
    CUhostFn function;
    void *user;
};
static struct call *calls; // those that are queued; part of the singleton

static void call_user(void *user) {
    const struct call *c = user;
    if (c->callback)
        c->callback(c->stream, CUDA_SUCCESS, c->user);
    else
        c->function(c->user);
}

static void run_call(void *user) {
    struct call **at = &calls;
    while (*at != user) at = &(*at)->next;
    struct call c = **at;
    free(*at);
    *at = c.next;
    process_call_out(call_user, &c);
}

bool driver_has_calls(void) { return calls != NULL; }

void driver_drop_calls(void) {
    while (calls) {
        struct call *next = calls->next;
        free(calls);
        calls = next;
    }
}

static CUresult queue_call(CUstream s, struct call c) {
    struct gpu_stream *g;
    if (!driver_stream(s, &g)) return CUDA_ERROR_INVALID_HANDLE;
    struct call *copy = malloc(sizeof *copy);
    if (!copy) return CUDA_ERROR_OUT_OF_MEMORY;
    *copy = c;
    copy->next = calls;
    calls = copy;
    const CUresult r = done(gpu_host_call(gpu(), g, run_call, copy, process_diags()));
    if (r != CUDA_SUCCESS && calls == copy) {
        calls = copy->next;
        free(copy);
    }
    if (calls) driver_pump_start();
    return r;
}

CUresult cuStreamAddCallback(CUstream s, CUstreamCallback callback, void *user,
                             unsigned int flags) {
    DRIVER_ENTER(NEED_CONTEXT);
    CUresult r;
    if (!callback || flags) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    if (driver_capture_forbids(s, &r)) DRIVER_LEAVE(r); // no node of a graph is one
    DRIVER_LEAVE(queue_call(s, (struct call){.stream = s, .callback = callback, .user = user}));
}
CUresult cuLaunchHostFunc(CUstream s, CUhostFn function, void *user) {
    DRIVER_ENTER(NEED_CONTEXT);
    struct gpu_stream *g;
    CUresult r;
    if (!function) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    if (!driver_stream(s, &g)) DRIVER_LEAVE(CUDA_ERROR_INVALID_HANDLE);
    const struct driver_op op = {.kind = OP_HOST, .host = {function, user}};
    if (driver_capture(s, &op, &r)) DRIVER_LEAVE(r);
    DRIVER_LEAVE(queue_call(s, (struct call){.stream = s, .function = function, .user = user}));
}

// ---- events ------------------------------------------------------------------------------------
CUresult cuEventCreate(CUevent *out, unsigned int flags) {
    DRIVER_ENTER(NEED_CONTEXT);
    if (!out || flags > 7) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    if ((flags & CU_EVENT_INTERPROCESS) && !(flags & CU_EVENT_DISABLE_TIMING))
        DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    CUevent e = calloc(1, sizeof *e);
    if (!e) DRIVER_LEAVE(CUDA_ERROR_OUT_OF_MEMORY);
    e->flags = flags;
    CUresult r = done(gpu_event_create(gpu(), process_diags(), &e->event));
    if (r == CUDA_SUCCESS && !driver_handle_add(TAG_EVENT, DRIVER_KEY(e))) {
        gpu_event_destroy(gpu(), e->event);
        r = CUDA_ERROR_OUT_OF_MEMORY;
    }
    if (r != CUDA_SUCCESS)
        free(e);
    else
        *out = e;
    DRIVER_LEAVE(r);
}
CUresult cuEventRecordWithFlags(CUevent e, CUstream s, unsigned int flags) {
    DRIVER_ENTER(NEED_CONTEXT);
    struct gpu_stream *g;
    CUresult r;
    if (!is_event(e) || !driver_stream(s, &g)) DRIVER_LEAVE(CUDA_ERROR_INVALID_HANDLE);
    if (flags > CU_EVENT_RECORD_EXTERNAL) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    const struct driver_op op = {.kind = OP_EVENT_RECORD, .event = e, .event_flags = flags};
    if (driver_capture(s, &op, &r)) DRIVER_LEAVE(r);
    driver_capture_event_recorded(e);
    r = done(gpu_event_record(gpu(), e->event, g, process_diags()));
    if (r == CUDA_SUCCESS && (e->flags & CU_EVENT_INTERPROCESS))
        r = done(gpu_event_synchronize(gpu(), e->event, process_diags()));
    DRIVER_LEAVE(r);
}
CUresult cuEventRecord(CUevent e, CUstream s) { return cuEventRecordWithFlags(e, s, 0); }
CUresult cuEventQuery(CUevent e) {
    DRIVER_ENTER(NEED_CONTEXT);
    CUresult r;
    if (!is_event(e)) DRIVER_LEAVE(CUDA_ERROR_INVALID_HANDLE);
    if (driver_capture_forbids_event(e, &r)) DRIVER_LEAVE(r);
    DRIVER_LEAVE(asked(gpu_event_is_done(gpu(), e->event)));
}
CUresult cuEventSynchronize(CUevent e) {
    DRIVER_ENTER(NEED_CONTEXT);
    CUresult r;
    if (!is_event(e)) DRIVER_LEAVE(CUDA_ERROR_INVALID_HANDLE);
    if (driver_capture_forbids_event(e, &r)) DRIVER_LEAVE(r);
    DRIVER_LEAVE(done(gpu_event_synchronize(gpu(), e->event, process_diags())));
}
void driver_release_event(uint64_t key) {
    CUevent e = (CUevent)(uintptr_t)key;
    driver_capture_event_gone(e);
    gpu_event_destroy(gpu(), e->event);
    driver_handle_remove(TAG_EVENT, key);
    free(e);
}
CUresult cuEventDestroy(CUevent e) {
    DRIVER_ENTER(NEED_CONTEXT);
    if (!is_event(e)) DRIVER_LEAVE(CUDA_ERROR_INVALID_HANDLE);
    driver_release_event(DRIVER_KEY(e));
    DRIVER_LEAVE(CUDA_SUCCESS);
}
CUresult cuEventElapsedTime(float *milliseconds, CUevent start, CUevent end) {
    DRIVER_ENTER(NEED_CONTEXT);
    if (!milliseconds) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    if (!is_event(start) || !is_event(end)) DRIVER_LEAVE(CUDA_ERROR_INVALID_HANDLE);
    if ((start->flags | end->flags) & CU_EVENT_DISABLE_TIMING)
        DRIVER_LEAVE(CUDA_ERROR_INVALID_HANDLE);
    CUresult captured;
    if (driver_capture_forbids_event(start, &captured) ||
        driver_capture_forbids_event(end, &captured))
        DRIVER_LEAVE(captured);
    const bool done =
        gpu_event_is_done(gpu(), start->event) && gpu_event_is_done(gpu(), end->event);
    const CUresult r = asked(done);
    if (r != CUDA_SUCCESS) DRIVER_LEAVE(r);
    double seconds;
    if (!gpu_event_elapsed_s(gpu(), start->event, end->event, &seconds))
        DRIVER_LEAVE(CUDA_ERROR_INVALID_HANDLE);
    *milliseconds = (float)(seconds * 1e3);
    DRIVER_LEAVE(CUDA_SUCCESS);
}
int driver_event_s(CUevent e, double *seconds) {
    if (driver_enter(NEED_CONTEXT, NULL) != CUDA_SUCCESS) return 0;
    const bool is_known = is_event(e) && gpu_event_at_s(gpu(), e->event, seconds);
    driver_leave(CUDA_SUCCESS);
    return is_known;
}
CUresult cuEventElapsedTime_v2(float *milliseconds, CUevent start, CUevent end) {
    return cuEventElapsedTime(milliseconds, start, end);
}

// ---- between processes: a simulated GPU is one process's ---------------------------------------
// Events of several processes. Each has a GPU of its own, and one does not see when the other's work ends: so an event that may
// be shared has happened when its record returns, and one that another process made is one that has happened.
static const char EVENT_SIGN[] = "warpwatt event";
CUresult cuIpcGetEventHandle(CUipcEventHandle *handle, CUevent e) {
    DRIVER_ENTER(NEED_CONTEXT);
    if (!is_event(e)) DRIVER_LEAVE(CUDA_ERROR_INVALID_HANDLE);
    if (!handle || !(e->flags & CU_EVENT_INTERPROCESS)) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    const CUresult r = done(gpu_event_synchronize(gpu(), e->event, process_diags()));
    memset(handle, 0, sizeof *handle);
    memcpy(handle->reserved, EVENT_SIGN, sizeof EVENT_SIGN);
    DRIVER_LEAVE(r);
}
CUresult cuIpcOpenEventHandle(CUevent *e, CUipcEventHandle handle) {
    if (!e || memcmp(handle.reserved, EVENT_SIGN, sizeof EVENT_SIGN)) return CUDA_ERROR_INVALID_VALUE;
    return cuEventCreate(e, CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING);
}
CUresult cuIpcGetMemHandle(CUipcMemHandle *handle, CUdeviceptr address) {
    (void)handle, (void)address;
    return driver_unsupported(__func__);
}
CUresult cuIpcOpenMemHandle_v2(CUdeviceptr *address, CUipcMemHandle handle, unsigned int flags) {
    (void)address, (void)handle, (void)flags;
    return driver_unsupported(__func__);
}
CUresult cuIpcCloseMemHandle(CUdeviceptr address) {
    (void)address;
    return driver_unsupported(__func__);
}
