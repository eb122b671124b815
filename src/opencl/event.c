// Events. One of a command lies between two events of the driver; times are simulated ones, from the opening of the GPU on.
// A user event is the host's. Callbacks run on a thread of their own, since those of the driver may not call it.
#include <stdlib.h>

#include "opencl.h"

cl_event ocl_event_new(cl_context context, cl_command_queue queue, cl_command_type type) {
    cl_event e = ocl_new(OCL_EVENT, sizeof *e);
    if (!e) return NULL;
    e->context = context;
    e->queue = queue;
    e->type = type;
    e->status = queue ? CL_QUEUED : CL_SUBMITTED;
    ocl_retain(context);
    if (queue) ocl_retain(queue);
    return e;
}
void ocl_event_end(cl_event e) {
    if (e->start) cuEventDestroy(e->start);
    if (e->end) cuEventDestroy(e->end);
    if (e->queue) ocl_release(e->queue);
    ocl_release(e->context);
}

// What has come of it by now. A question moves simulated time on a little (cuEventQuery).
static cl_int status_now(cl_event e) {
    if (!e->queue || e->status != CL_SUBMITTED) return e->status;
    CUresult r = cuEventQuery(e->end);
    if (r == CUDA_SUCCESS) return e->status = CL_COMPLETE;
    if (r != CUDA_ERROR_NOT_READY) return e->status = ocl_error(r);
    return cuEventQuery(e->start) == CUDA_SUCCESS ? CL_RUNNING : CL_SUBMITTED;
}

void ocl_event_wait(cl_event e) {
    while (e->queue ? e->status == CL_QUEUED : e->status > CL_COMPLETE) ocl_wait();
    if (e->status != CL_SUBMITTED) return;
    const CUresult r = cuEventSynchronize(e->end);
    e->status = r == CUDA_SUCCESS ? CL_COMPLETE : ocl_error(r);
}

// ---- callbacks ----------------------------------------------------------------------------------
// Those that are due. The driver calls `due` under its lock, so nothing here waits for ours.
static struct {
    pthread_mutex_t lock;
    pthread_cond_t more;
    struct ocl_callback *first, **end;
    bool is_running;
} due = {.lock = PTHREAD_MUTEX_INITIALIZER, .more = PTHREAD_COND_INITIALIZER};
static CUstream due_stream; // waits for events, then says that callbacks are due

static void *call_those_due(void *unused) {
    (void)unused;
    for (;;) {
        pthread_mutex_lock(&due.lock);
        while (!due.first) pthread_cond_wait(&due.more, &due.lock);
        struct ocl_callback *c = due.first;
        due.first = c->next;
        if (!due.first) due.end = &due.first;
        pthread_mutex_unlock(&due.lock);
        const cl_int status = c->event->status < 0 ? c->event->status : c->status;
        c->function(c->event, status, c->user);
        LOCKED;
        ocl_release(c->event);
        free(c);
    }
    return NULL;
}
static void CUDA_CB is_due(void *user) {
    struct ocl_callback *c = user;
    pthread_mutex_lock(&due.lock);
    c->next = NULL;
    *due.end = c;
    due.end = &c->next;
    pthread_cond_signal(&due.more);
    pthread_mutex_unlock(&due.lock);
}
static bool have_thread(void) {
    if (due.is_running) return true;
    pthread_t thread;
    due.end = &due.first;
    if (pthread_create(&thread, NULL, call_those_due, NULL) != 0) return false;
    pthread_detach(thread);
    return due.is_running = true;
}

// The event is submitted or has ended: the callback is due at once, or when the GPU gets there.
static void arm(struct ocl_callback *c) {
    const cl_event e = c->event;
    const CUevent at = c->status == CL_COMPLETE ? e->end : e->start;
    if (!e->queue || e->status <= CL_COMPLETE || c->status == CL_SUBMITTED || !at) {
        is_due(c);
        return;
    }
    CUresult r = due_stream ? CUDA_SUCCESS : cuStreamCreate(&due_stream, CU_STREAM_NON_BLOCKING);
    if (r == CUDA_SUCCESS) r = cuStreamWaitEvent(due_stream, at, 0);
    if (r == CUDA_SUCCESS) r = cuLaunchHostFunc(due_stream, is_due, c);
    if (r != CUDA_SUCCESS) is_due(c);
}
void ocl_event_callbacks_issued(cl_event e) {
    while (e->callbacks) {
        struct ocl_callback *c = e->callbacks;
        e->callbacks = c->next;
        arm(c);
    }
}

API(cl_int)
clSetEventCallback(cl_event e, cl_int status, void(CL_CALLBACK *function)(cl_event, cl_int, void *),
                   void *user) {
    if (!OCL_IS(e, OCL_EVENT)) return CL_INVALID_EVENT;
    if (!function || (status != CL_SUBMITTED && status != CL_RUNNING && status != CL_COMPLETE))
        return CL_INVALID_VALUE;
    LOCKED;
    struct ocl_callback *c = calloc(1, sizeof *c);
    if (!c || !have_thread()) return free(c), CL_OUT_OF_HOST_MEMORY;
    *c = (struct ocl_callback){.event = e, .status = status, .function = function, .user = user};
    ocl_retain(e);
    const bool must_wait =
        e->queue ? e->status == CL_QUEUED : e->status > CL_COMPLETE && status != CL_SUBMITTED;
    if (must_wait) {
        c->next = e->callbacks;
        e->callbacks = c;
    } else
        arm(c);
    return CL_SUCCESS;
}

// ---- the calls ----------------------------------------------------------------------------------
API(cl_event) clCreateUserEvent(cl_context context, cl_int *error) {
    if (!OCL_IS(context, OCL_CONTEXT)) FAIL(CL_INVALID_CONTEXT);
    LOCKED;
    cl_event e = ocl_event_new(context, NULL, CL_COMMAND_USER);
    if (error) *error = e ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
    return e;
}
API(cl_int) clSetUserEventStatus(cl_event e, cl_int status) {
    if (!OCL_IS(e, OCL_EVENT) || e->queue) return CL_INVALID_EVENT;
    if (status > CL_COMPLETE) return CL_INVALID_VALUE;
    LOCKED;
    if (e->status <= CL_COMPLETE) return CL_INVALID_OPERATION; // once
    e->status = status;
    ocl_event_callbacks_issued(e);
    ocl_pump_all();
    return CL_SUCCESS;
}
API(cl_int) clWaitForEvents(cl_uint n, const cl_event *list) {
    if (!n || !list) return CL_INVALID_VALUE;
    LOCKED;
    for (cl_uint i = 0; i < n; i++) {
        if (!OCL_IS(list[i], OCL_EVENT)) return CL_INVALID_EVENT;
        if (list[i]->context != list[0]->context) return CL_INVALID_CONTEXT;
    }
    cl_int r = CL_SUCCESS;
    for (cl_uint i = 0; i < n; i++) {
        ocl_event_wait(list[i]);
        if (list[i]->status < 0) r = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
    }
    return r;
}
API(cl_int) clRetainEvent(cl_event e) {
    if (!OCL_IS(e, OCL_EVENT)) return CL_INVALID_EVENT;
    LOCKED;
    ocl_retain(e);
    return CL_SUCCESS;
}
API(cl_int) clReleaseEvent(cl_event e) {
    if (!OCL_IS(e, OCL_EVENT)) return CL_INVALID_EVENT;
    LOCKED;
    ocl_release(e);
    return CL_SUCCESS;
}
API(cl_int) clGetEventInfo(cl_event e, cl_event_info what, size_t room, void *out, size_t *needed) {
    if (!OCL_IS(e, OCL_EVENT)) return CL_INVALID_EVENT;
    LOCKED;
    switch (what) {
    case CL_EVENT_COMMAND_QUEUE: ANSWER(e->queue);
    case CL_EVENT_CONTEXT: ANSWER(e->context);
    case CL_EVENT_COMMAND_TYPE: ANSWER(e->type);
    case CL_EVENT_COMMAND_EXECUTION_STATUS: ANSWER_AS(cl_int, out ? status_now(e) : 0);
    case CL_EVENT_REFERENCE_COUNT: ANSWER(e->o.references);
    default: return CL_INVALID_VALUE;
    }
}
API(cl_int)
clGetEventProfilingInfo(cl_event e, cl_profiling_info what, size_t room, void *out,
                        size_t *needed) {
    if (!OCL_IS(e, OCL_EVENT)) return CL_INVALID_EVENT;
    LOCKED;
    if (!e->queue || !(e->queue->properties & CL_QUEUE_PROFILING_ENABLE))
        return CL_PROFILING_INFO_NOT_AVAILABLE;
    if (status_now(e) != CL_COMPLETE) return CL_PROFILING_INFO_NOT_AVAILABLE;
    double s = 0;
    switch (what) {
    case CL_PROFILING_COMMAND_QUEUED: s = e->queued_s; break;
    case CL_PROFILING_COMMAND_SUBMIT: s = e->submitted_s; break;
    case CL_PROFILING_COMMAND_START: ocl_event_s(e->start, &s); break;
    case CL_PROFILING_COMMAND_END:
    case CL_PROFILING_COMMAND_COMPLETE: ocl_event_s(e->end, &s); break;
    default: return CL_INVALID_VALUE;
    }
    ANSWER_AS(cl_ulong, s * 1e9 + 0.5);
}
