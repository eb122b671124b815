// Queues. A command waits here until all events that it names have been submitted or have ended; then it goes to a stream
// of the driver, which waits for those events in simulated time. So only a user event holds a command back on the host.
//
// A queue in order is one stream. One out of order is several: a command takes the next, after a barrier none begins before
// it, and a marker waits for all.
#include <stdlib.h>

#include "opencl.h"

// Queues that hold commands back, all of them.
static struct waiting {
    struct waiting *next;
    cl_command_queue queue;
} * waiting;

struct ocl_command *ocl_command_new(cl_command_queue q, cl_command_type type,
                                    CUresult (*issue)(struct ocl_command *, CUstream)) {
    struct ocl_command *c = calloc(1, sizeof *c);
    if (!c) return NULL;
    c->issue = issue;
    c->event = ocl_event_new(q->context, q, type);
    if (!c->event) {
        free(c);
        return NULL;
    }
    return c;
}

void ocl_command_hold(struct ocl_command *c, void *object) {
    for (size_t i = 0; i < sizeof c->held / sizeof *c->held; i++)
        if (!c->held[i]) {
            c->held[i] = object;
            ocl_retain(object);
            return;
        }
}

static void command_free(struct ocl_command *c) {
    for (cl_uint i = 0; i < c->n_after; i++) ocl_release(c->after[i]);
    for (size_t i = 0; i < sizeof c->held / sizeof *c->held; i++)
        if (c->held[i]) ocl_release(c->held[i]);
    ocl_release(c->event);
    free(c->after);
    free(c->scratch);
    free(c);
}

static bool is_in_order(cl_command_queue q) {
    return !(q->properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
}

// Whether nothing on the host holds it back; an error that it waited for is its own.
static bool is_ready(const struct ocl_command *c, bool is_first, cl_int *failed) {
    if (c->waits_for_all && !is_first) return false;
    for (cl_uint i = 0; i < c->n_after; i++) {
        if (c->after[i]->status == CL_QUEUED) return false;
        if (c->after[i]->queue ? false : c->after[i]->status > CL_COMPLETE)
            return false; // a user event
        if (c->after[i]->status < 0) *failed = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
    }
    return true;
}

static CUresult wait_for(CUstream stream, CUevent e) {
    return e ? cuStreamWaitEvent(stream, e, 0) : CUDA_SUCCESS;
}

static CUresult wait_for_streams(cl_command_queue q, CUstream stream) {
    CUresult r = CUDA_SUCCESS;
    for (unsigned i = 0; i < q->n_streams && r == CUDA_SUCCESS; i++) {
        CUevent e;
        if (q->stream[i] == stream) continue;
        r = cuEventCreate(&e, CU_EVENT_DISABLE_TIMING);
        if (r != CUDA_SUCCESS) break;
        r = cuEventRecord(e, q->stream[i]);
        if (r == CUDA_SUCCESS) r = wait_for(stream, e);
        cuEventDestroy(e);
    }
    return r;
}

static CUresult submit_to(cl_command_queue q, struct ocl_command *c, CUstream stream) {
    cl_event const e = c->event;
    CUresult r = CUDA_SUCCESS;
    for (cl_uint i = 0; i < c->n_after && r == CUDA_SUCCESS; i++)
        r = wait_for(stream, c->after[i]->end);
    if (r == CUDA_SUCCESS && c->waits_for_all) r = wait_for_streams(q, stream);
    if (r == CUDA_SUCCESS) r = cuEventCreate(&e->start, CU_EVENT_DEFAULT);
    if (r == CUDA_SUCCESS) r = cuEventCreate(&e->end, CU_EVENT_DEFAULT);
    if (r == CUDA_SUCCESS) r = cuEventRecord(e->start, stream);
    if (r == CUDA_SUCCESS && c->issue) r = c->issue(c, stream);
    if (c->writes) ocl_touch(c->writes, e, stream);
    if (r == CUDA_SUCCESS) r = cuEventRecord(e->end, stream);
    for (unsigned i = 0; i < q->n_streams && r == CUDA_SUCCESS && c->is_barrier; i++)
        if (q->stream[i] != stream) r = wait_for(q->stream[i], e->end);
    return r;
}

static cl_int submit(cl_command_queue q, struct ocl_command *c, cl_int failed) {
    cl_event const e = c->event;
    e->submitted_s = ocl_now_s();
    cl_int status = failed;
    if (!failed) {
        CUstream stream = q->stream[q->turn++ % q->n_streams];
        status = ocl_error(submit_to(q, c, stream));
    }
    e->status = status ? status : CL_SUBMITTED;
    ocl_event_callbacks_issued(e);
    ocl_changed();
    return status == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST ? CL_SUCCESS : status;
}

// Submits what can be; true: something was.
static bool pump(cl_command_queue q) {
    bool moved = false;
    struct ocl_command **at = &q->first, *before = NULL;
    while (*at) {
        struct ocl_command *c = *at;
        cl_int failed = 0;
        if (is_ready(c, at == &q->first, &failed)) {
            *at = c->next;
            if (q->last == c) q->last = before;
            submit(q, c, failed);
            command_free(c);
            moved = true;
        } else {
            if (is_in_order(q) || c->is_barrier) break;
            before = c;
            at = &c->next;
        }
    }
    return moved;
}

static void stop_waiting(cl_command_queue q) {
    for (struct waiting **w = &waiting; *w; w = &(*w)->next)
        if ((*w)->queue == q) {
            struct waiting *gone = *w;
            *w = gone->next;
            free(gone);
            return;
        }
}

void ocl_pump_all(void) {
    for (bool moved = true; moved;) {
        moved = false;
        for (struct waiting *w = waiting, *next; w; w = next) {
            next = w->next;
            cl_command_queue q = w->queue;
            if (!pump(q)) continue;
            moved = true;
            if (q->first) continue;
            stop_waiting(q);
            ocl_release(q);
            break; // the list has changed
        }
    }
    ocl_changed();
}

static bool hold_back(cl_command_queue q, struct ocl_command *c) {
    if (!q->first) {
        struct waiting *w = malloc(sizeof *w);
        if (!w) return false;
        *w = (struct waiting){waiting, q};
        waiting = w;
        ocl_retain(q);
        q->first = c;
    } else
        q->last->next = c;
    q->last = c;
    return true;
}

cl_int ocl_check_wait_list(cl_context context, cl_uint n, const cl_event *list) {
    if (!n != !list) return CL_INVALID_EVENT_WAIT_LIST;
    for (cl_uint i = 0; i < n; i++) {
        if (!OCL_IS(list[i], OCL_EVENT)) return CL_INVALID_EVENT_WAIT_LIST;
        if (list[i]->context != context) return CL_INVALID_CONTEXT;
    }
    return CL_SUCCESS;
}

cl_int ocl_enqueue(cl_command_queue q, struct ocl_command *c, cl_uint n_after,
                   const cl_event *after, cl_event *event, bool is_blocking) {
    if (!c) return CL_OUT_OF_HOST_MEMORY;
    c->after = n_after ? malloc(n_after * sizeof *after) : NULL;
    if (n_after && !c->after) {
        command_free(c);
        return CL_OUT_OF_HOST_MEMORY;
    }
    for (cl_uint i = 0; i < n_after; i++) {
        c->after[i] = after[i];
        ocl_retain(after[i]);
    }
    c->n_after = n_after;
    cl_event const e = c->event;
    ocl_retain(e); // ours until the end of this call, or the caller's
    e->queued_s = ocl_now_s();
    cl_int failed = 0, status = CL_SUCCESS;
    const bool is_held = q->first && (is_in_order(q) || c->waits_for_all || q->last->is_barrier);
    if (!is_held && is_ready(c, !q->first, &failed)) {
        status = submit(q, c, failed);
        command_free(c);
    } else if (!hold_back(q, c)) {
        command_free(c);
        status = CL_OUT_OF_HOST_MEMORY;
    }
    if (status == CL_SUCCESS && is_blocking) {
        ocl_event_wait(e);
        if (e->status < 0)
            status = e->status == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST
                         ? CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST
                         : CL_OUT_OF_RESOURCES;
    }
    if (event && status == CL_SUCCESS)
        *event = e;
    else
        ocl_release(e);
    return status;
}

cl_int ocl_queue_finish(cl_command_queue q) {
    while (q->first) ocl_wait();
    CUresult r = CUDA_SUCCESS;
    for (unsigned i = 0; i < q->n_streams && r == CUDA_SUCCESS; i++)
        r = cuStreamSynchronize(q->stream[i]);
    return ocl_error(r);
}

// ---- the calls ----------------------------------------------------------------------------------
void ocl_queue_end(cl_command_queue q) {
    for (unsigned i = 0; i < q->n_streams; i++) cuStreamDestroy(q->stream[i]);
    ocl_release(q->context);
}

static cl_command_queue make(cl_context context, cl_device_id device,
                             cl_command_queue_properties properties,
                             const cl_queue_properties *list, cl_int *error) {
    const cl_command_queue_properties known =
        CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE;
    if (!OCL_IS(context, OCL_CONTEXT)) FAIL(CL_INVALID_CONTEXT);
    if (device != ocl_device()) FAIL(CL_INVALID_DEVICE);
    if (properties & (CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT))
        FAIL(CL_INVALID_QUEUE_PROPERTIES);
    if (properties & ~known) FAIL(CL_INVALID_VALUE);
    LOCKED;
    cl_command_queue q = ocl_new(OCL_QUEUE, sizeof *q);
    if (!q) FAIL(CL_OUT_OF_HOST_MEMORY);
    q->context = context;
    q->properties = properties;
    const unsigned n = is_in_order(q) ? 1 : OCL_STREAMS;
    for (; q->n_streams < n; q->n_streams++)
        if (cuStreamCreate(&q->stream[q->n_streams], CU_STREAM_NON_BLOCKING) != CUDA_SUCCESS) break;
    if (!q->n_streams) {
        free(q);
        FAIL(CL_OUT_OF_RESOURCES);
    }
    for (; list && list[q->n_list] && q->n_list < 14; q->n_list += 2) {
        q->list[q->n_list] = list[q->n_list];
        q->list[q->n_list + 1] = list[q->n_list + 1];
    }
    if (list) q->list[q->n_list++] = 0;
    ocl_retain(context);
    if (error) *error = CL_SUCCESS;
    return q;
}

API(cl_command_queue)
clCreateCommandQueue(cl_context context, cl_device_id device,
                     cl_command_queue_properties properties, cl_int *error) {
    return make(context, device, properties, NULL, error);
}
API(cl_command_queue)
clCreateCommandQueueWithProperties(cl_context context, cl_device_id device,
                                   const cl_queue_properties *list, cl_int *error) {
    cl_command_queue_properties properties = 0;
    for (const cl_queue_properties *p = list; p && *p; p += 2) {
        if (*p == CL_QUEUE_SIZE) FAIL(CL_INVALID_QUEUE_PROPERTIES); // of queues on a device
        if (*p != CL_QUEUE_PROPERTIES) FAIL(CL_INVALID_VALUE);
        properties = p[1];
    }
    return make(context, device, properties, list, error);
}
API(cl_int) clRetainCommandQueue(cl_command_queue q) {
    if (!OCL_IS(q, OCL_QUEUE)) return CL_INVALID_COMMAND_QUEUE;
    LOCKED;
    ocl_retain(q);
    return CL_SUCCESS;
}
API(cl_int) clReleaseCommandQueue(cl_command_queue q) {
    if (!OCL_IS(q, OCL_QUEUE)) return CL_INVALID_COMMAND_QUEUE;
    LOCKED;
    ocl_release(q);
    return CL_SUCCESS;
}
API(cl_int)
clGetCommandQueueInfo(cl_command_queue q, cl_command_queue_info what, size_t room, void *out,
                      size_t *needed) {
    if (!OCL_IS(q, OCL_QUEUE)) return CL_INVALID_COMMAND_QUEUE;
    switch (what) {
    case CL_QUEUE_CONTEXT: ANSWER(q->context);
    case CL_QUEUE_DEVICE: ANSWER_AS(cl_device_id, ocl_device());
    case CL_QUEUE_REFERENCE_COUNT: ANSWER(q->o.references);
    case CL_QUEUE_PROPERTIES: ANSWER(q->properties);
    case CL_QUEUE_PROPERTIES_ARRAY:
        return ocl_answer(q->list, q->n_list * sizeof *q->list, room, out, needed);
    case CL_QUEUE_DEVICE_DEFAULT: ANSWER_AS(cl_command_queue, NULL);
    case CL_QUEUE_SIZE: return CL_INVALID_COMMAND_QUEUE; // it is on no device
    default: return CL_INVALID_VALUE;
    }
}
API(cl_int)
clSetCommandQueueProperty(cl_command_queue q, cl_command_queue_properties properties,
                          cl_bool enable, cl_command_queue_properties *old) {
    if (!OCL_IS(q, OCL_QUEUE)) return CL_INVALID_COMMAND_QUEUE;
    if (properties & ~(cl_command_queue_properties)CL_QUEUE_PROFILING_ENABLE)
        return CL_INVALID_QUEUE_PROPERTIES; // the order of a queue is what it was made with
    LOCKED;
    if (old) *old = q->properties;
    q->properties = enable ? q->properties | properties : q->properties & ~properties;
    return CL_SUCCESS;
}

API(cl_int) clFlush(cl_command_queue q) { // commands go to the GPU as soon as they can
    return OCL_IS(q, OCL_QUEUE) ? CL_SUCCESS : CL_INVALID_COMMAND_QUEUE;
}
API(cl_int) clFinish(cl_command_queue q) {
    if (!OCL_IS(q, OCL_QUEUE)) return CL_INVALID_COMMAND_QUEUE;
    LOCKED;
    return ocl_queue_finish(q);
}

static cl_int mark(cl_command_queue q, cl_command_type type, bool is_barrier, cl_uint n,
                   const cl_event *list, cl_event *event) {
    if (!OCL_IS(q, OCL_QUEUE)) return CL_INVALID_COMMAND_QUEUE;
    LOCKED;
    const cl_int bad = ocl_check_wait_list(q->context, n, list);
    if (bad) return bad;
    struct ocl_command *c = ocl_command_new(q, type, NULL);
    if (c) c->waits_for_all = !n, c->is_barrier = is_barrier;
    return ocl_enqueue(q, c, n, list, event, false);
}
API(cl_int)
clEnqueueMarkerWithWaitList(cl_command_queue q, cl_uint n, const cl_event *list, cl_event *event) {
    return mark(q, CL_COMMAND_MARKER, false, n, list, event);
}
API(cl_int)
clEnqueueBarrierWithWaitList(cl_command_queue q, cl_uint n, const cl_event *list, cl_event *event) {
    return mark(q, CL_COMMAND_BARRIER, true, n, list, event);
}
API(cl_int) clEnqueueMarker(cl_command_queue q, cl_event *event) {
    return event ? mark(q, CL_COMMAND_MARKER, false, 0, NULL, event) : CL_INVALID_VALUE;
}
API(cl_int) clEnqueueBarrier(cl_command_queue q) {
    return mark(q, CL_COMMAND_BARRIER, true, 0, NULL, NULL);
}
API(cl_int) clEnqueueWaitForEvents(cl_command_queue q, cl_uint n, const cl_event *list) {
    if (!n || !list) return CL_INVALID_VALUE;
    const cl_int r = mark(q, CL_COMMAND_BARRIER, true, n, list, NULL);
    return r == CL_INVALID_EVENT_WAIT_LIST ? CL_INVALID_EVENT : r;
}
