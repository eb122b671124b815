// Stream capture. It begins in one stream; others join by waiting for an event that was recorded in
// it. What the next operation of a stream depends on are the last of its own and what it has waited
// for since. What a graph cannot keep is an error, and so is what its modes forbid (the API's
// description of cuThreadExchangeStreamCaptureMode); both make the capture invalid, and its end
// answers no graph then.
#include "driver/graph.h"
#include "driver/watch.h"

#include <pthread.h>

struct front {
    CUgraphNode *node;
    size_t n;
};
struct member {
    CUstream stream; // NULL: gone; what it has done must still be waited for
    struct front front;
};
struct seen_event {
    CUevent event;
    struct front front;
};
struct capture {
    CUgraph graph;
    bool owns_graph, is_invalid;
    CUstream origin;
    CUstreamCaptureMode mode;
    pthread_t thread; // that began it
    uint64_t id;
    struct member *stream; // the origin first
    size_t n_streams;
    struct seen_event *event;
    size_t n_events;
    struct capture *next;
};
static struct capture *captures; // part of the singleton
static uint64_t last_id;
static _Thread_local CUstreamCaptureMode mode_of_thread; // a thread's by definition

// ---- who takes part -----------------------------------------------------------------------------
static struct capture *capture_of(CUstream s, struct member **which) {
    for (struct capture *c = captures; c; c = c->next)
        for (size_t i = 0; i < c->n_streams; i++)
            if (c->stream[i].stream == s) {
                if (which) *which = &c->stream[i];
                return c;
            }
    return NULL;
}
static struct capture *capture_of_event(CUevent e, struct seen_event **which) {
    for (struct capture *c = captures; c; c = c->next)
        for (size_t i = 0; i < c->n_events; i++)
            if (c->event[i].event == e) {
                if (which) *which = &c->event[i];
                return c;
            }
    return NULL;
}

static bool front_set(struct front *f, const CUgraphNode *node, size_t n) {
    CUgraphNode *const copy = malloc((n + 1) * sizeof *copy);
    if (!copy) return false;
    if (n) memcpy(copy, node, n * sizeof *copy);
    free(f->node);
    *f = (struct front){copy, n};
    return true;
}
static bool front_add(struct front *f, const CUgraphNode *node, size_t n) {
    CUgraphNode *const all = realloc(f->node, (f->n + n + 1) * sizeof *all);
    if (!all) return false;
    f->node = all;
    for (size_t i = 0; i < n; i++) {
        bool is_new = true;
        for (size_t k = 0; k < f->n; k++) is_new &= f->node[k] != node[i];
        if (is_new) f->node[f->n++] = node[i];
    }
    return true;
}

static struct member *join(struct capture *c, CUstream s) {
    struct member *const more = realloc(c->stream, (c->n_streams + 1) * sizeof *more);
    if (!more) return NULL;
    c->stream = more;
    c->stream[c->n_streams] = (struct member){.stream = s};
    return &c->stream[c->n_streams++];
}

static struct seen_event *see(struct capture *c, CUevent e) {
    struct seen_event *const more = realloc(c->event, (c->n_events + 1) * sizeof *more);
    if (!more) return NULL;
    c->event = more;
    c->event[c->n_events] = (struct seen_event){.event = e};
    return &c->event[c->n_events++];
}

static void release(struct capture *c) {
    for (struct capture **at = &captures; *at; at = &(*at)->next)
        if (*at == c) {
            *at = c->next;
            break;
        }
    for (size_t i = 0; i < c->n_streams; i++) free(c->stream[i].front.node);
    for (size_t i = 0; i < c->n_events; i++) free(c->event[i].front.node);
    free(c->stream);
    free(c->event);
    free(c);
}

// ---- what is not allowed ------------------------------------------------------------------------
// The default stream waits for blocking streams, so that its work would depend on a capture.
static bool is_blocking(const struct capture *c) {
    for (size_t i = 0; i < c->n_streams; i++)
        if (c->stream[i].stream && !(c->stream[i].stream->flags & CU_STREAM_NON_BLOCKING))
            return true;
    return false;
}
static bool default_stream_depends(bool invalidate) {
    bool depends = false;
    for (struct capture *c = captures; c; c = c->next) {
        if (!is_blocking(c)) continue;
        depends = true;
        if (invalidate) c->is_invalid = true;
    }
    return depends;
}

bool driver_is_capturing(CUstream s) {
    s = captures ? driver_stream_named(s) : NULL;
    return s && capture_of(s, NULL);
}

bool driver_capture_forbids(CUstream s, CUresult *r) {
    if (!captures) return false;
    s = driver_stream_named(s);
    if (!s) {
        *r = CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
        return default_stream_depends(true);
    }
    struct capture *const c = capture_of(s, NULL);
    if (!c) return false;
    *r = CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    c->is_invalid = true;
    return true;
}

bool driver_capture_forbids_event(CUevent e, CUresult *r) {
    if (!e->is_captured) return false;
    struct capture *const c = capture_of_event(e, NULL);
    if (c) c->is_invalid = true;
    *r = CUDA_ERROR_CAPTURED_EVENT;
    return true;
}

CUresult driver_capture_forbids_context(void) {
    for (struct capture *c = captures; c; c = c->next) c->is_invalid = true;
    return captures ? CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED : CUDA_SUCCESS;
}

CUresult driver_capture_allows(void) {
    if (mode_of_thread == CU_STREAM_CAPTURE_MODE_RELAXED) return CUDA_SUCCESS;
    bool allowed = true;
    for (struct capture *c = captures; c; c = c->next) {
        const bool own = pthread_equal(c->thread, pthread_self());
        const bool forbids = own ? c->mode != CU_STREAM_CAPTURE_MODE_RELAXED
                                 : c->mode == CU_STREAM_CAPTURE_MODE_GLOBAL &&
                                       mode_of_thread == CU_STREAM_CAPTURE_MODE_GLOBAL;
        if (!forbids) continue;
        c->is_invalid = true;
        allowed = false;
    }
    return allowed ? CUDA_SUCCESS : CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
}

// ---- what goes into a stream --------------------------------------------------------------------
static CUresult invalid(struct capture *c, CUresult r) {
    c->is_invalid = true;
    return r;
}

static CUresult keep(struct capture *c, struct member *m, const struct driver_op *op) {
    CUgraphNode node = NULL;
    const CUresult r = graph_add(c->graph, op, m->front.node, m->front.n, &node);
    if (r != CUDA_SUCCESS) return invalid(c, r);
    return front_set(&m->front, &node, 1) ? CUDA_SUCCESS : invalid(c, CUDA_ERROR_OUT_OF_MEMORY);
}

// The event stands for what the stream has come to; with the flag it becomes a node, which every
// launch records.
static CUresult record(struct capture *c, struct member *m, const struct driver_op *op) {
    if (op->event_flags & CU_EVENT_RECORD_EXTERNAL) return keep(c, m, op);
    struct seen_event *e = NULL;
    struct capture *const before = capture_of_event(op->event, &e);
    if (before != c) {
        driver_capture_event_gone(op->event);
        e = see(c, op->event);
    }
    if (!e || !front_set(&e->front, m->front.node, m->front.n))
        return invalid(c, CUDA_ERROR_OUT_OF_MEMORY);
    op->event->is_captured = true;
    return CUDA_SUCCESS;
}

// A stream waits for an event: of the same capture, or of one that it joins by that.
static bool wait(CUstream s, struct capture *c, struct member *m, const struct driver_op *op,
                 CUresult *r) {
    struct seen_event *e = NULL;
    struct capture *const from = capture_of_event(op->event, &e);
    if (op->event_flags & CU_EVENT_WAIT_EXTERNAL) {
        *r = c ? keep(c, m, op) : CUDA_ERROR_INVALID_VALUE;
        return true;
    }
    if (!from) {
        if (op->event->is_captured) { // of a capture that has ended
            *r = c ? invalid(c, CUDA_ERROR_CAPTURED_EVENT) : CUDA_ERROR_CAPTURED_EVENT;
            return true;
        }
        if (c && op->event->was_recorded)
            *r = invalid(c, CUDA_ERROR_STREAM_CAPTURE_ISOLATION);
        else if (c)
            *r = CUDA_SUCCESS; // it waits for nothing
        return c != NULL;
    }
    if (!s) { // the default stream cannot join
        *r = invalid(from, CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
        return true;
    }
    if (from->is_invalid || (c && c->is_invalid)) {
        *r = CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
        return true;
    }
    if (c && c != from) {
        invalid(c, CUDA_SUCCESS);
        *r = invalid(from, CUDA_ERROR_STREAM_CAPTURE_MERGE);
        return true;
    }
    if (!c) m = join(from, s);
    *r = m && front_add(&m->front, e->front.node, e->front.n)
             ? CUDA_SUCCESS
             : invalid(from, CUDA_ERROR_OUT_OF_MEMORY);
    return true;
}

bool driver_capture(CUstream s, const struct driver_op *op, CUresult *r) {
    if (!captures && op->kind != OP_EVENT_WAIT && !op->event_flags) return false;
    s = driver_stream_named(s);
    struct member *m = NULL;
    struct capture *const c = s ? capture_of(s, &m) : NULL;
    if (c && c->is_invalid) {
        *r = CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
        return true;
    }
    if (op->kind == OP_EVENT_WAIT && wait(s, c, m, op, r)) return true;
    if (!s && default_stream_depends(true)) {
        *r = CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
        return true;
    }
    if (!c) {
        *r = CUDA_ERROR_INVALID_VALUE; // nodes for events are for captures
        return op->event_flags != 0;
    }
    *r = op->kind == OP_EVENT_RECORD ? record(c, m, op) : keep(c, m, op);
    return true;
}

// ---- what goes away -----------------------------------------------------------------------------
void driver_capture_stream_gone(CUstream s) {
    struct member *m = NULL;
    struct capture *const c = capture_of(s, &m);
    if (!c) return;
    m->stream = NULL;
    if (c->origin != s) return;
    if (c->owns_graph) // no call can end it
        graph_free(c->graph);
    else
        c->graph->is_captured = false;
    release(c);
}
void driver_capture_event_gone(CUevent e) {
    struct seen_event *seen = NULL;
    struct capture *const c = capture_of_event(e, &seen);
    if (!c) return;
    free(seen->front.node);
    *seen = c->event[--c->n_events];
}
void driver_capture_event_recorded(CUevent e) {
    if (captures) driver_capture_event_gone(e);
    e->is_captured = false;
    e->was_recorded = true;
}

// ---- beginning and end --------------------------------------------------------------------------
static CUresult begin(CUstream s, CUgraph into, const CUgraphNode *depends, size_t n,
                      CUstreamCaptureMode mode) {
    struct gpu_stream *g;
    if (!driver_stream(s, &g)) return CUDA_ERROR_INVALID_HANDLE;
    if ((unsigned)mode > CU_STREAM_CAPTURE_MODE_RELAXED || (n && !depends))
        return CUDA_ERROR_INVALID_VALUE;
    s = driver_stream_named(s);
    if (!s) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    if (capture_of(s, NULL)) return CUDA_ERROR_ILLEGAL_STATE;
    for (size_t i = 0; i < n; i++)
        if (graph_index(into, depends[i]) < 0) return CUDA_ERROR_INVALID_VALUE;
    struct capture *const c = calloc(1, sizeof *c);
    if (!c) return CUDA_ERROR_OUT_OF_MEMORY;
    *c = (struct capture){.graph = into ? into : graph_new(),
                          .owns_graph = !into,
                          .origin = s,
                          .mode = mode,
                          .thread = pthread_self(),
                          .id = ++last_id};
    struct member *const m = c->graph ? join(c, s) : NULL;
    if (!m || !front_set(&m->front, depends, n)) {
        if (c->owns_graph) graph_free(c->graph);
        release(c);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    c->graph->is_captured = true;
    if (c->owns_graph) driver_made(WW_GRAPH_MADE, c->graph);
    c->next = captures;
    captures = c;
    return CUDA_SUCCESS;
}
CUresult cuStreamBeginCapture(CUstream s, CUstreamCaptureMode mode) {
    DRIVER_ENTER(NEED_CONTEXT);
    DRIVER_LEAVE(begin(s, NULL, NULL, 0, mode));
}
CUresult cuStreamBeginCaptureToGraph(CUstream s, CUgraph g, const CUgraphNode *depends,
                                     const CUgraphEdgeData *edges, size_t n,
                                     CUstreamCaptureMode mode) {
    (void)edges;
    DRIVER_ENTER(NEED_CONTEXT);
    if (!DRIVER_IS(TAG_GRAPH, g) || g->is_captured) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    DRIVER_LEAVE(begin(s, g, depends, n, mode));
}

// Whether the origin's next operation would wait, directly or not, for all that the other streams
// have done last.
static bool is_joined(const struct capture *c) {
    const CUgraph g = c->graph;
    bool *const waited = calloc(g->n + 1, sizeof *waited);
    if (!waited) return false;
    for (size_t i = 0; i < c->stream[0].front.n; i++) {
        const int at = graph_index(g, c->stream[0].front.node[i]);
        if (at >= 0) waited[at] = true;
    }
    for (bool again = true; again;) { // edges that a program adds may lead backwards
        again = false;
        for (unsigned i = g->n; i-- > 0;)
            for (unsigned k = 0; g->node[i] && waited[i] && k < g->node[i]->n_depends; k++) {
                again |= !waited[g->node[i]->depends[k]];
                waited[g->node[i]->depends[k]] = true;
            }
    }
    bool all = true;
    for (size_t s = 1; s < c->n_streams; s++)
        for (size_t i = 0; i < c->stream[s].front.n; i++) {
            const int at = graph_index(g, c->stream[s].front.node[i]);
            all &= at < 0 || waited[at];
        }
    free(waited);
    return all;
}

CUresult cuStreamEndCapture(CUstream s, CUgraph *out) {
    DRIVER_ENTER(NEED_CONTEXT);
    struct gpu_stream *g;
    if (!driver_stream(s, &g)) DRIVER_LEAVE(CUDA_ERROR_INVALID_HANDLE);
    if (!out) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    *out = NULL;
    s = driver_stream_named(s);
    struct capture *const c = s ? capture_of(s, NULL) : NULL;
    if (!c) DRIVER_LEAVE(CUDA_ERROR_ILLEGAL_STATE);
    if (c->origin != s) DRIVER_LEAVE(invalid(c, CUDA_ERROR_STREAM_CAPTURE_UNMATCHED));
    if (c->mode != CU_STREAM_CAPTURE_MODE_RELAXED && !pthread_equal(c->thread, pthread_self()))
        DRIVER_LEAVE(CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD);
    const CUresult r = c->is_invalid   ? CUDA_ERROR_STREAM_CAPTURE_INVALIDATED
                       : !is_joined(c) ? CUDA_ERROR_STREAM_CAPTURE_UNJOINED
                                       : CUDA_SUCCESS;
    c->graph->is_captured = false;
    if (r == CUDA_SUCCESS)
        *out = c->graph;
    else if (c->owns_graph)
        graph_free(c->graph);
    release(c);
    DRIVER_LEAVE(r);
}

// ---- questions ----------------------------------------------------------------------------------
static CUresult info(CUstream s, CUstreamCaptureStatus *status, struct capture **which,
                     struct member **member) {
    struct gpu_stream *g;
    *which = NULL;
    if (!driver_stream(s, &g)) return CUDA_ERROR_INVALID_HANDLE;
    if (!status) return CUDA_ERROR_INVALID_VALUE;
    s = driver_stream_named(s);
    if (!s && default_stream_depends(false)) return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
    *which = s ? capture_of(s, member) : NULL;
    *status = !*which                ? CU_STREAM_CAPTURE_STATUS_NONE
              : (*which)->is_invalid ? CU_STREAM_CAPTURE_STATUS_INVALIDATED
                                     : CU_STREAM_CAPTURE_STATUS_ACTIVE;
    return CUDA_SUCCESS;
}
CUresult cuStreamIsCapturing(CUstream s, CUstreamCaptureStatus *status) {
    DRIVER_ENTER(NEED_CONTEXT);
    struct capture *c;
    struct member *m;
    DRIVER_LEAVE(info(s, status, &c, &m));
}
CUresult cuStreamGetCaptureInfo(CUstream s, CUstreamCaptureStatus *status, cuuint64_t *id,
                                CUgraph *graph, const CUgraphNode **depends,
                                const CUgraphEdgeData **edges, size_t *n) {
    DRIVER_ENTER(NEED_CONTEXT);
    struct capture *c;
    struct member *m = NULL;
    if (edges && !depends) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    const CUresult r = info(s, status, &c, &m);
    const bool is_active = r == CUDA_SUCCESS && c && !c->is_invalid;
    if (id) *id = is_active ? c->id : 0;
    if (graph) *graph = is_active ? c->graph : NULL;
    if (depends) *depends = is_active ? m->front.node : NULL;
    if (edges) *edges = NULL; // all are of the plain kind
    if (n) *n = is_active ? m->front.n : 0;
    DRIVER_LEAVE(r);
}
CUresult cuStreamGetCaptureInfo_v2(CUstream s, CUstreamCaptureStatus *status, cuuint64_t *id,
                                   CUgraph *graph, const CUgraphNode **depends, size_t *n) {
    return cuStreamGetCaptureInfo(s, status, id, graph, depends, NULL, n);
}

CUresult cuStreamUpdateCaptureDependencies(CUstream s, CUgraphNode *depends,
                                           const CUgraphEdgeData *edges, size_t n,
                                           unsigned int flags) {
    (void)edges;
    DRIVER_ENTER(NEED_CONTEXT);
    struct gpu_stream *g;
    struct member *m = NULL;
    if (!driver_stream(s, &g)) DRIVER_LEAVE(CUDA_ERROR_INVALID_HANDLE);
    if ((n && !depends) || flags > CU_STREAM_SET_CAPTURE_DEPENDENCIES)
        DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    s = driver_stream_named(s);
    struct capture *const c = s ? capture_of(s, &m) : NULL;
    if (!c) DRIVER_LEAVE(CUDA_ERROR_ILLEGAL_STATE);
    for (size_t i = 0; i < n; i++)
        if (graph_index(c->graph, depends[i]) < 0) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    const bool ok = flags == CU_STREAM_SET_CAPTURE_DEPENDENCIES ? front_set(&m->front, depends, n)
                                                                : front_add(&m->front, depends, n);
    DRIVER_LEAVE(ok ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY);
}

CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *mode) {
    if (!mode || (unsigned)*mode > CU_STREAM_CAPTURE_MODE_RELAXED) return CUDA_ERROR_INVALID_VALUE;
    const CUstreamCaptureMode old = mode_of_thread;
    mode_of_thread = *mode;
    *mode = old;
    return CUDA_SUCCESS;
}
