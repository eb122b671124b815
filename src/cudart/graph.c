// Capture and graphs. A graph is a list of operations in an order in which they may run: the order
// of their capture, or of their making, which both respect every dependency that can be expressed
// (a node's dependencies exist before it). A launch gives every branch a stream of its own, tied
// together by events.
#include "cudart/graph.h"
#include "driver_private.h"

#include <pthread.h>

// ---- doing an operation -------------------------------------------------------------------------
static CUresult do_graph(struct CUgraph_st *g, cudaStream_t s);

CUresult cudart_do(const struct cudart_op *op, cudaStream_t s) {
    switch (op->kind) {
    case OP_KERNEL: {
        const dim3 g = op->kernel.grid, b = op->kernel.block;
        if (op->kernel.cooperative)
            return cuLaunchCooperativeKernel(op->kernel.f, g.x, g.y, g.z, b.x, b.y, b.z,
                                             op->kernel.shared, s, op->kernel.args);
        return cuLaunchKernel(op->kernel.f, g.x, g.y, g.z, b.x, b.y, b.z, op->kernel.shared, s,
                              op->kernel.args, NULL);
    }
    case OP_COPY: return cuMemcpy3DAsync(&op->copy, s);
    case OP_FILL:
        if (op->fill.height == 1) {
            if (op->fill.element == 4)
                return cuMemsetD32Async(op->fill.dst, op->fill.value, op->fill.width / 4, s);
            if (op->fill.element == 2)
                return cuMemsetD16Async(op->fill.dst, (unsigned short)op->fill.value,
                                        op->fill.width / 2, s);
            return cuMemsetD8Async(op->fill.dst, (unsigned char)op->fill.value, op->fill.width, s);
        }
        if (op->fill.element == 4)
            return cuMemsetD2D32Async(op->fill.dst, op->fill.pitch, op->fill.value,
                                      op->fill.width / 4, op->fill.height, s);
        if (op->fill.element == 2)
            return cuMemsetD2D16Async(op->fill.dst, op->fill.pitch, (unsigned short)op->fill.value,
                                      op->fill.width / 2, op->fill.height, s);
        return cuMemsetD2D8Async(op->fill.dst, op->fill.pitch, (unsigned char)op->fill.value,
                                 op->fill.width, op->fill.height, s);
    case OP_HOST: return cuLaunchHostFunc(s, op->host.fn, op->host.user);
    case OP_EVENT_RECORD: return cuEventRecord(op->event, s);
    case OP_EVENT_WAIT: return cuStreamWaitEvent(s, op->event, 0);
    case OP_EMPTY: return CUDA_SUCCESS;
    case OP_CHILD: return do_graph(op->child, s);
    case OP_ALLOC:
    case OP_FREE: return graph_memory_do(op);
    }
    return CUDA_ERROR_UNKNOWN;
}

static CUresult do_node(const struct CUgraphNode_st *n, cudaStream_t s) {
    if (n->disabled) return CUDA_SUCCESS;
    const struct ww_driver_table *driver;
    const CUresult r = cuGetExportTable((const void **)&driver, &WW_DRIVER_TABLE);
    if (r != CUDA_SUCCESS) return r;
    // a graph's copy reads host memory when its turn comes, not when the graph is launched
    return n->op.kind == OP_COPY ? driver->memcpy3d_in_order(&n->op.copy, s) : cudart_do(&n->op, s);
}

// Whether each node waits for the one before it anyway.
static bool is_line(const struct CUgraph_st *g, const unsigned *order) {
    unsigned last = UINT32_MAX;
    for (unsigned k = 0; k < g->n; k++) {
        const unsigned i = order ? order[k] : k;
        if (!g->node[i]) continue;
        bool follows = last == UINT32_MAX;
        for (unsigned d = 0; d < g->node[i]->n_depends; d++)
            follows |= g->node[i]->depends[d] == last;
        if (!follows) return false;
        last = i;
    }
    return true;
}

enum { MAX_LANES = 16 };
struct plan {
    unsigned *lane;  // of every node
    bool *is_waited; // by a node of another lane, or by the end
    unsigned tail[MAX_LANES], n_lanes;
};

// A node goes on in the lane of something that it waits for and that nobody has gone on from; else
// it opens a lane, as long as there are any.
static void plan_lanes(const struct CUgraph_st *g, const unsigned *order, struct plan *p) {
    for (unsigned k = 0; k < g->n; k++) {
        const unsigned i = order ? order[k] : k;
        const struct CUgraphNode_st *n = g->node[i];
        if (!n) continue;
        unsigned lane = MAX_LANES;
        for (unsigned d = 0; d < n->n_depends && lane == MAX_LANES; d++)
            if (p->tail[p->lane[n->depends[d]]] == n->depends[d]) lane = p->lane[n->depends[d]];
        if (lane == MAX_LANES) lane = p->n_lanes < MAX_LANES ? p->n_lanes++ : i % MAX_LANES;
        p->lane[i] = lane;
        p->tail[lane] = i;
        for (unsigned d = 0; d < n->n_depends; d++)
            if (p->lane[n->depends[d]] != lane) p->is_waited[n->depends[d]] = true;
    }
    for (unsigned l = 1; l < p->n_lanes; l++) p->is_waited[p->tail[l]] = true;
}

// Streams and events that a launch needs; they stay with the graph.
static CUresult make_lanes(struct CUgraph_st *g, const struct plan *p) {
    CUresult r = CUDA_SUCCESS;
    if (!g->lane) g->lane = calloc(MAX_LANES, sizeof *g->lane);
    if (g->n_done < g->n) {
        void *more = realloc(g->done, g->n * sizeof *g->done);
        if (!more) return CUDA_ERROR_OUT_OF_MEMORY;
        g->done = more;
        memset(g->done + g->n_done, 0, (g->n - g->n_done) * sizeof *g->done);
        g->n_done = g->n;
    }
    if (!g->lane) return CUDA_ERROR_OUT_OF_MEMORY;
    if (!g->start) r = cuEventCreate(&g->start, CU_EVENT_DISABLE_TIMING);
    for (; r == CUDA_SUCCESS && g->n_lanes + 1 < p->n_lanes; g->n_lanes += r == CUDA_SUCCESS)
        r = cuStreamCreate(&g->lane[g->n_lanes + 1], CU_STREAM_NON_BLOCKING);
    for (unsigned i = 0; i < g->n && r == CUDA_SUCCESS; i++)
        if (p->is_waited[i] && !g->done[i]) r = cuEventCreate(&g->done[i], CU_EVENT_DISABLE_TIMING);
    return r;
}

static CUresult do_lanes(struct CUgraph_st *g, const unsigned *order, cudaStream_t s,
                         const struct plan *p) {
    CUresult r = cuEventRecord(g->start, s);
    for (unsigned l = 1; l < p->n_lanes && r == CUDA_SUCCESS; l++)
        r = cuStreamWaitEvent(g->lane[l], g->start, 0);
    for (unsigned k = 0; k < g->n && r == CUDA_SUCCESS; k++) {
        const unsigned i = order ? order[k] : k;
        const struct CUgraphNode_st *n = g->node[i];
        if (!n) continue;
        const cudaStream_t own = p->lane[i] ? g->lane[p->lane[i]] : s;
        for (unsigned d = 0; d < n->n_depends && r == CUDA_SUCCESS; d++)
            if (p->lane[n->depends[d]] != p->lane[i])
                r = cuStreamWaitEvent(own, g->done[n->depends[d]], 0);
        if (r == CUDA_SUCCESS) r = do_node(n, own);
        if (r == CUDA_SUCCESS && p->is_waited[i]) r = cuEventRecord(g->done[i], own);
    }
    for (unsigned l = 1; l < p->n_lanes && r == CUDA_SUCCESS; l++)
        r = cuStreamWaitEvent(s, g->done[p->tail[l]], 0);
    return r;
}

static CUresult do_graph(struct CUgraph_st *g, cudaStream_t s) {
    unsigned *order = NULL;
    if (g->is_unsorted) {
        order = calloc(g->n + 1, sizeof *order);
        if (!order || !graph_order(g, order)) return free(order), CUDA_ERROR_INVALID_VALUE;
    }
    CUresult r = CUDA_SUCCESS;
    if (is_line(g, order)) {
        for (unsigned k = 0; k < g->n && r == CUDA_SUCCESS; k++) {
            const struct CUgraphNode_st *n = g->node[order ? order[k] : k];
            if (n) r = do_node(n, s);
        }
    } else {
        struct plan p = {.lane = calloc(g->n, sizeof *p.lane),
                         .is_waited = calloc(g->n, sizeof *p.is_waited)};
        r = p.lane && p.is_waited ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
        if (r == CUDA_SUCCESS) plan_lanes(g, order, &p);
        if (r == CUDA_SUCCESS) r = make_lanes(g, &p);
        if (r == CUDA_SUCCESS) r = do_lanes(g, order, s, &p);
        free(p.lane);
        free(p.is_waited);
    }
    free(order);
    return r;
}

bool graph_order(const struct CUgraph_st *g, unsigned *order) {
    bool *done = calloc(g->n + 1, sizeof *done);
    unsigned n = 0;
    for (bool again = done != NULL; again;) {
        again = false;
        for (unsigned i = 0; i < g->n; i++) {
            bool is_ready = !done[i];
            for (unsigned k = 0; is_ready && g->node[i] && k < g->node[i]->n_depends; k++)
                is_ready = done[g->node[i]->depends[k]] || !g->node[g->node[i]->depends[k]];
            if (!is_ready) continue;
            done[i] = again = true;
            if (order) order[n] = i;
            n++;
        }
    }
    free(done);
    return n == g->n;
}

// ---- nodes --------------------------------------------------------------------------------------
struct CUgraph_st *graph_new(void) { return calloc(1, sizeof(struct CUgraph_st)); }

static void free_arguments(struct CUgraphNode_st *n) {
    free(n->op.kernel.args);
    free(n->arguments);
    free(n->argument_bytes);
    n->op.kernel.args = NULL, n->arguments = NULL, n->argument_bytes = NULL;
}
void graph_free_node(struct CUgraphNode_st *n) {
    if (n->op.kind == OP_KERNEL) free_arguments(n);
    if (n->op.kind == OP_CHILD) graph_free(n->op.child);
    if (n->op.kind == OP_ALLOC || n->op.kind == OP_FREE) graph_memory_drop(n->op.memory);
    free(n->depends);
    free(n);
}
void graph_free(struct CUgraph_st *g) {
    for (unsigned i = 0; g && i < g->n; i++)
        if (g->node[i]) graph_free_node(g->node[i]);
    if (!g) return;
    for (unsigned l = 1; l <= g->n_lanes; l++) cuStreamDestroy(g->lane[l]);
    for (unsigned i = 0; i < g->n_done; i++)
        if (g->done[i]) cuEventDestroy(g->done[i]);
    if (g->start) cuEventDestroy(g->start);
    graph_objects_drop(g);
    free(g->lane);
    free(g->done);
    free(g->node);
    free(g);
}

// The program's argument values are copied: it may change them after the call.
static bool keep_arguments(struct CUgraphNode_st *n, void **args) {
    size_t bytes = 0, offset, size;
    unsigned count = 0;
    while (cuFuncGetParamInfo(n->op.kernel.f, count, &offset, &size) == CUDA_SUCCESS)
        bytes = offset + size, count++;
    n->op.kernel.args = calloc(count + 1, sizeof(void *));
    n->arguments = calloc(1, bytes + 1);
    n->argument_bytes = calloc(count + 1, sizeof(size_t));
    n->n_arguments = count;
    if (!n->op.kernel.args || !n->arguments || !n->argument_bytes) return false;
    for (unsigned i = 0; i < count; i++) {
        cuFuncGetParamInfo(n->op.kernel.f, i, &offset, &size);
        n->op.kernel.args[i] = n->arguments + offset;
        n->argument_bytes[i] = size;
        memcpy(n->op.kernel.args[i], args[i], size);
    }
    return true;
}

int graph_index(const struct CUgraph_st *g, const struct CUgraphNode_st *n) {
    for (unsigned k = 0; n && k < g->n; k++)
        if (g->node[k] == n) return (int)k;
    return -1;
}

bool graph_depend(struct CUgraphNode_st *n, unsigned on) {
    for (unsigned k = 0; k < n->n_depends; k++)
        if (n->depends[k] == on) return true;
    void *more = realloc(n->depends, (n->n_depends + 1) * sizeof *n->depends);
    if (!more) return false;
    n->depends = more;
    n->depends[n->n_depends++] = on;
    return true;
}

struct CUgraphNode_st *graph_add(struct CUgraph_st *g, const struct cudart_op *op,
                                 struct CUgraphNode_st *const *depends, size_t n_depends) {
    struct CUgraphNode_st *n = calloc(1, sizeof *n);
    if (!n) return NULL;
    if (g->n == g->cap) {
        const unsigned cap = g->cap ? g->cap * 2 : 16;
        void *more = realloc(g->node, cap * sizeof *g->node);
        if (!more) return free(n), NULL;
        g->node = more, g->cap = cap;
    }
    *n = (struct CUgraphNode_st){.op = *op, .graph = g};
    if (op->kind == OP_ALLOC || op->kind == OP_FREE) graph_memory_keep(op->memory);
    if (op->kind == OP_KERNEL && !keep_arguments(n, op->kernel.args)) {
        free_arguments(n);
        return free(n), NULL;
    }
    for (size_t i = 0; i < n_depends; i++) {
        const int k = graph_index(g, depends[i]);
        if (k >= 0 && !graph_depend(n, (unsigned)k)) return graph_free_node(n), NULL;
    }
    return g->node[g->n++] = n;
}

struct CUgraph_st *graph_copy(const struct CUgraph_st *g) {
    struct CUgraph_st *c = graph_new();
    for (unsigned i = 0; c && i < g->n; i++) {
        const struct CUgraphNode_st *from = g->node[i];
        struct cudart_op op = from ? from->op : (struct cudart_op){.kind = OP_EMPTY};
        if (from && op.kind == OP_CHILD) op.child = graph_copy(from->op.child);
        struct CUgraphNode_st *to = graph_add(c, &op, NULL, 0);
        if (!to) return graph_free(c), NULL;
        if (!from) {
            graph_free_node(to);
            c->node[i] = NULL;
            continue;
        }
        to->disabled = from->disabled;
        memcpy(to->attribute, from->attribute, sizeof to->attribute);
        for (unsigned k = 0; k < from->n_depends; k++)
            if (!graph_depend(to, from->depends[k])) return graph_free(c), NULL;
    }
    if (c) c->is_unsorted = g->is_unsorted;
    if (c && !graph_objects_copy(c, g)) return graph_free(c), NULL;
    return c;
}

cudaError_t graph_set(struct CUgraphNode_st *n, const struct cudart_op *op) {
    if (!n || n->op.kind != op->kind) return cudart_error(cudaErrorInvalidValue);
    if (op->kind == OP_KERNEL) {
        struct CUgraphNode_st to = {.op = *op};
        to.op.kernel.cooperative =
            n->op.kernel.cooperative; // an attribute of the node, which stays
        if (!keep_arguments(&to, op->kernel.args))
            return free_arguments(&to), cudart_error(cudaErrorMemoryAllocation);
        free_arguments(n); // only now: the values may be the node's own, as GetParams answers them
        n->op = to.op;
        n->arguments = to.arguments, n->n_arguments = to.n_arguments,
        n->argument_bytes = to.argument_bytes;
        return cudaSuccess;
    }
    if (op->kind == OP_CHILD) graph_free(n->op.child);
    n->op = *op;
    return cudaSuccess;
}

// ---- capture ------------------------------------------------------------------------------------
// A capture begins in one stream; others join by waiting for an event that was recorded in it. What
// the next operation of a stream depends on are the last of its own and what it has waited for
// since.
struct front {
    struct CUgraphNode_st **node;
    unsigned n;
};
struct capture {
    struct CUgraph_st *graph;
    bool owns_graph;
    cudaStream_t origin;
    unsigned long long id;
    struct { cudaStream_t stream; struct front front; } stream[32];
    unsigned n_streams;
    struct { CUevent event; struct front front; } event[256];
    unsigned n_events;
    bool invalid;
    struct capture *next;
};
static pthread_mutex_t capture_lock = PTHREAD_MUTEX_INITIALIZER;
static struct capture *captures;
static unsigned long long next_capture = 1;

// Every thread's own stream has the same handle: here each has one, which is only compared.
static cudaStream_t of_thread(cudaStream_t s) {
    static _Thread_local char mine;
    return s == CU_STREAM_PER_THREAD ? (cudaStream_t)(void *)&mine : s;
}

static struct capture *capture_of(cudaStream_t s, unsigned *which) {
    s = of_thread(s);
    for (struct capture *c = captures; c; c = c->next)
        for (unsigned i = 0; i < c->n_streams; i++)
            if (c->stream[i].stream == s) return *which = i, c;
    return NULL;
}
static struct capture *capture_of_event(CUevent e, unsigned *which) {
    for (struct capture *c = captures; c; c = c->next)
        for (unsigned i = 0; i < c->n_events; i++)
            if (c->event[i].event == e) return *which = i, c;
    return NULL;
}

static bool front_set(struct front *f, struct CUgraphNode_st *const *node, size_t n) {
    struct CUgraphNode_st **copy = malloc((n + 1) * sizeof *copy);
    if (!copy) return false;
    if (n) memcpy(copy, node, n * sizeof *copy);
    free(f->node);
    *f = (struct front){copy, (unsigned)n};
    return true;
}
static bool front_add(struct front *f, const struct front *more) {
    struct CUgraphNode_st **all = realloc(f->node, (f->n + more->n + 1) * sizeof *all);
    if (!all) return false;
    f->node = all;
    for (unsigned i = 0; i < more->n; i++) {
        bool is_new = true;
        for (unsigned k = 0; k < f->n; k++) is_new &= f->node[k] != more->node[i];
        if (is_new) f->node[f->n++] = more->node[i];
    }
    return true;
}

bool cudart_is_capturing(cudaStream_t s) {
    if (!__atomic_load_n(&captures, __ATOMIC_ACQUIRE)) return false;
    pthread_mutex_lock(&capture_lock);
    unsigned which;
    const bool is = capture_of(s, &which) != NULL;
    pthread_mutex_unlock(&capture_lock);
    return is;
}

bool cudart_capture(cudaStream_t s, const struct cudart_op *op, cudaError_t *e) {
    *e = cudaSuccess;
    if (!__atomic_load_n(&captures, __ATOMIC_ACQUIRE)) return false;
    pthread_mutex_lock(&capture_lock);
    unsigned at = 0, e_at = 0;
    struct capture *c = capture_of(s, &at);
    bool ok = true;
    if (op->kind == OP_EVENT_WAIT) {
        struct capture *from = capture_of_event(op->event, &e_at);
        if (from && !c) { // the stream joins
            ok = from->n_streams < COUNT(from->stream);
            c = from;
            at = from->n_streams;
            if (ok) from->stream[from->n_streams++].stream = of_thread(s);
        }
        if (from && ok) ok = from == c && front_add(&c->stream[at].front, &from->event[e_at].front);
        if (from && !ok) c->invalid = true, *e = cudaErrorStreamCaptureIsolation;
        if (from) c = NULL;
        pthread_mutex_unlock(&capture_lock);
        if (from) return true;
        return false;
    }
    if (!c) {
        pthread_mutex_unlock(&capture_lock);
        return false;
    }
    struct front *front = &c->stream[at].front;
    if (op->kind == OP_EVENT_RECORD) {
        if (capture_of_event(op->event, &e_at) != c) {
            ok = c->n_events < COUNT(c->event);
            e_at = c->n_events;
            if (ok) c->event[c->n_events++].event = op->event;
        }
        ok = ok && front_set(&c->event[e_at].front, front->node, front->n);
    } else {
        struct CUgraphNode_st *node = graph_add(c->graph, op, front->node, front->n);
        ok = node && front_set(front, &node, 1);
    }
    if (!ok) c->invalid = true, *e = cudaErrorMemoryAllocation;
    pthread_mutex_unlock(&capture_lock);
    return true;
}

static cudaError_t begin_capture(cudaStream_t s, CUgraph into, const CUgraphNode *depends,
                                 size_t n) {
    CUDART_READY();
    if (!s || s == CU_STREAM_LEGACY) return cudart_error(cudaErrorStreamCaptureUnsupported);
    s = of_thread(s);
    pthread_mutex_lock(&capture_lock);
    unsigned which;
    cudaError_t e = capture_of(s, &which) ? cudaErrorIllegalState : cudaSuccess;
    struct capture *c = e == cudaSuccess ? calloc(1, sizeof *c) : NULL;
    if (c) {
        *c = (struct capture){.graph = into ? into : graph_new(),
                              .owns_graph = !into,
                              .origin = s,
                              .id = next_capture++,
                              .n_streams = 1,
                              .next = captures};
        c->stream[0].stream = s;
        front_set(&c->stream[0].front, depends, n);
        __atomic_store_n(&captures, c, __ATOMIC_RELEASE);
    } else if (e == cudaSuccess) e = cudaErrorMemoryAllocation;
    pthread_mutex_unlock(&capture_lock);
    return cudart_error(e);
}
CUDART_API cudaError_t cudaStreamBeginCapture(cudaStream_t s, int mode) {
    (void)mode;
    return begin_capture(s, NULL, NULL, 0);
}
CUDART_API cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t s, CUgraph g,
                                                     const CUgraphNode *depends, const void *edges,
                                                     size_t n, int mode) {
    (void)edges, (void)mode;
    return g ? begin_capture(s, g, depends, n) : cudart_error(cudaErrorInvalidValue);
}

CUDART_API cudaError_t cudaStreamEndCapture(cudaStream_t s, CUgraph *out) {
    s = of_thread(s);
    pthread_mutex_lock(&capture_lock);
    unsigned which;
    struct capture *c = capture_of(s, &which);
    cudaError_t e = !c               ? cudaErrorIllegalState
                    : c->origin != s ? cudaErrorStreamCaptureUnmatched
                    : c->invalid     ? cudaErrorStreamCaptureInvalidated
                                     : cudaSuccess;
    *out = NULL;
    if (c && c->origin == s) {
        for (struct capture **p = &captures; *p; p = &(*p)->next)
            if (*p == c) {
                *p = c->next;
                break;
            }
        if (e == cudaSuccess) *out = c->graph;
        else if (c->owns_graph) graph_free(c->graph);
        for (unsigned i = 0; i < c->n_streams; i++) free(c->stream[i].front.node);
        for (unsigned i = 0; i < c->n_events; i++) free(c->event[i].front.node);
        free(c);
    }
    pthread_mutex_unlock(&capture_lock);
    return cudart_error(e);
}

CUDART_API cudaError_t cudaStreamIsCapturing(cudaStream_t s, int *status) {
    *status = cudart_is_capturing(s);
    return cudaSuccess;
}
CUDART_API cudaError_t cudaStreamGetCaptureInfo_v2(cudaStream_t s, int *status,
                                                   unsigned long long *id, CUgraph *graph,
                                                   const CUgraphNode **depends, size_t *n) {
    pthread_mutex_lock(&capture_lock);
    unsigned at = 0;
    const struct capture *c = capture_of(s, &at);
    *status = c ? c->invalid ? 2 : 1 : 0;
    if (c && id) *id = c->id;
    if (c && graph) *graph = c->graph;
    if (c && n) *n = c->stream[at].front.n;
    if (c && depends) *depends = c->stream[at].front.node;
    pthread_mutex_unlock(&capture_lock);
    return cudaSuccess;
}
// 11 and 12: two answers; 13 the larger interface (with edge data between, which is never there).
CUDART_API cudaError_t cudaStreamGetCaptureInfo(cudaStream_t s, int *status, unsigned long long *id,
                                                CUgraph *graph, const CUgraphNode **depends,
                                                const void **edges, size_t *n) {
    if (cudart_major < 13) return cudaStreamGetCaptureInfo_v2(s, status, id, NULL, NULL, NULL);
    if (edges) *edges = NULL;
    return cudaStreamGetCaptureInfo_v2(s, status, id, graph, depends, n);
}
CUDART_API cudaError_t cudaStreamGetCaptureInfo_v3(cudaStream_t s, int *status,
                                                   unsigned long long *id, CUgraph *graph,
                                                   const CUgraphNode **depends, const void **edges,
                                                   size_t *n) {
    if (edges) *edges = NULL;
    return cudaStreamGetCaptureInfo_v2(s, status, id, graph, depends, n);
}
// Flags: 0 adds, 1 sets.
CUDART_API cudaError_t cudaStreamUpdateCaptureDependencies_v2(cudaStream_t s, CUgraphNode *depends,
                                                              const void *edges, size_t n,
                                                              unsigned flags) {
    (void)edges;
    pthread_mutex_lock(&capture_lock);
    unsigned at = 0;
    struct capture *c = capture_of(s, &at);
    const struct front more = {depends, (unsigned)n};
    const bool ok = c && (flags ? front_set(&c->stream[at].front, depends, n)
                                : front_add(&c->stream[at].front, &more));
    pthread_mutex_unlock(&capture_lock);
    return cudart_error(ok ? cudaSuccess : c ? cudaErrorMemoryAllocation : cudaErrorIllegalState);
}
// 11 and 12: without edges' data, so the numbers stand one place earlier.
CUDART_API cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t s, CUgraphNode *depends,
                                                           uintptr_t a, uintptr_t b, unsigned c) {
    if (cudart_major < 13)
        return cudaStreamUpdateCaptureDependencies_v2(s, depends, NULL, a, (unsigned)b);
    return cudaStreamUpdateCaptureDependencies_v2(s, depends, (const void *)a, b, c);
}
CUDART_API cudaError_t cudaThreadExchangeStreamCaptureMode(int *mode) {
    static _Thread_local int now;
    const int old = now;
    now = *mode;
    *mode = old;
    return cudaSuccess;
}

// ---- executable graphs --------------------------------------------------------------------------
CUDART_API cudaError_t cudaGraphInstantiateWithFlags(CUgraphExec *out, CUgraph g,
                                                     unsigned long long flags) {
    if (!out || !g) return cudart_error(cudaErrorInvalidValue);
    *out = NULL;
    if (g->is_unsorted && !graph_order(g, NULL)) return cudart_error(cudaErrorInvalidValue);
    CUgraphExec x = calloc(1, sizeof *x);
    if (x) *x = (struct CUgraphExec_st){graph_copy(g), flags};
    if (!x || !x->graph) return free(x), cudart_error(cudaErrorMemoryAllocation);
    *out = x;
    return cudaSuccess;
}
// Up to 11: where an error was; from 12 on: flags. Nothing can go wrong that they would say.
CUDART_API cudaError_t cudaGraphInstantiate(CUgraphExec *out, CUgraph g, uintptr_t error, char *log,
                                            size_t bytes) {
    if (cudart_major >= 12) return cudaGraphInstantiateWithFlags(out, g, error);
    if (error) *(CUgraphNode *)error = NULL;
    if (log && bytes) *log = 0;
    return cudaGraphInstantiateWithFlags(out, g, 0);
}
CUDART_API cudaError_t cudaGraphInstantiateWithParams(CUgraphExec *out, CUgraph g,
                                                      cudaGraphInstantiateParams *p) {
    const cudaError_t e = cudaGraphInstantiateWithFlags(out, g, p->flags);
    p->errNode_out = NULL;
    p->result_out = e == cudaSuccess ? 0 : 1; // success, error
    return e;
}
CUDART_API cudaError_t cudaGraphExecGetFlags(CUgraphExec x, unsigned long long *flags) {
    *flags = x->flags;
    return cudaSuccess;
}
CUDART_API cudaError_t cudaGraphExecDestroy(CUgraphExec x) {
    if (x) graph_free(x->graph);
    free(x);
    return cudaSuccess;
}
CUDART_API cudaError_t cudaGraphUpload(CUgraphExec x, cudaStream_t s) {
    (void)x, (void)s;
    return cudaSuccess;
}
CUDART_API cudaError_t cudaGraphLaunch(CUgraphExec x, cudaStream_t s) {
    CUDART_READY();
    if (!x) return cudart_error(cudaErrorInvalidValue);
    const struct cudart_op op = {.kind = OP_CHILD, .child = x->graph};
    struct cudart_op kept = op;
    cudaError_t e;
    if (cudart_is_capturing(s)) kept.child = graph_copy(x->graph);
    if (cudart_capture(s, &kept, &e)) return cudart_error(e);
    enum { FREE_ON_LAUNCH = 1 };
    if (x->flags & FREE_ON_LAUNCH) graph_memory_forget(x->graph);
    return cudart_done(do_graph(x->graph, s));
}
// The same shape with new parameters: the copy is made anew. Since 12 the answer is a structure
// {int result; node error; node from}, before a node and a result.
CUDART_API cudaError_t cudaGraphExecUpdate(CUgraphExec x, CUgraph g, void *info, int *result) {
    bool same = x->graph->n == g->n;
    for (unsigned i = 0; i < g->n && same; i++) {
        const struct CUgraphNode_st *a = x->graph->node[i], *b = g->node[i];
        same = !a == !b && (!a || (a->op.kind == b->op.kind && a->n_depends == b->n_depends));
        for (unsigned k = 0; same && a && k < a->n_depends; k++)
            same = a->depends[k] == b->depends[k];
    }
    enum { UPDATED = 0, TOPOLOGY_CHANGED = 2 };
    const int answer = same ? UPDATED : TOPOLOGY_CHANGED;
    if (cudart_major >= 12 && info) {
        *(cudaGraphExecUpdateResultInfo *)info = (cudaGraphExecUpdateResultInfo){.result = answer};
    } else if (cudart_major < 12) {
        if (info) *(CUgraphNode *)info = NULL;
        if (result) *result = answer;
    }
    if (!same) return cudart_error(cudaErrorGraphExecUpdateFailure);
    struct CUgraph_st *copy = graph_copy(g);
    if (!copy) return cudart_error(cudaErrorMemoryAllocation);
    graph_free(x->graph);
    x->graph = copy;
    return cudaSuccess;
}
