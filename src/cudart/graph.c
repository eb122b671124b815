// Capture and graphs. A graph is a list of operations in an order in which they may run: the order of their
// capture, or of their making, which both respect every dependency that can be expressed (a node's
// dependencies exist before it). A launch runs them one after the other in its stream; what could have
// run side by side does not, which costs simulated time and no results.
#include "cudart/cudart.h"

#include <pthread.h>

// ---- doing an operation ---------------------------------------------------------------------------------
struct CUgraph_st {
    struct CUgraphNode_st **node;
    unsigned n, cap;
};
struct CUgraphNode_st {
    struct cudart_op op;
    struct CUgraph_st *graph;
    unsigned *depends, n_depends; // indices in the graph
    unsigned char *arguments;     // what op.kernel.args points into
    unsigned n_arguments;
    size_t *argument_bytes;
    bool disabled;
};
struct CUgraphExec_st {
    struct CUgraph_st *graph; // a copy
};

static CUresult do_graph(const struct CUgraph_st *g, cudaStream_t s);

CUresult cudart_do(const struct cudart_op *op, cudaStream_t s) {
    switch (op->kind) {
    case OP_KERNEL: {
        const dim3 g = op->kernel.grid, b = op->kernel.block;
        if (op->kernel.cooperative)
            return cuLaunchCooperativeKernel(op->kernel.f, g.x, g.y, g.z, b.x, b.y, b.z, op->kernel.shared, s, op->kernel.args);
        return cuLaunchKernel(op->kernel.f, g.x, g.y, g.z, b.x, b.y, b.z, op->kernel.shared, s, op->kernel.args, NULL);
    }
    case OP_COPY: return cuMemcpy3DAsync(&op->copy, s);
    case OP_FILL:
        if (op->fill.height == 1) {
            if (op->fill.element == 4) return cuMemsetD32Async(op->fill.dst, op->fill.value, op->fill.width / 4, s);
            if (op->fill.element == 2) return cuMemsetD16Async(op->fill.dst, (unsigned short)op->fill.value, op->fill.width / 2, s);
            return cuMemsetD8Async(op->fill.dst, (unsigned char)op->fill.value, op->fill.width, s);
        }
        if (op->fill.element == 4) return cuMemsetD2D32Async(op->fill.dst, op->fill.pitch, op->fill.value, op->fill.width / 4, op->fill.height, s);
        if (op->fill.element == 2)
            return cuMemsetD2D16Async(op->fill.dst, op->fill.pitch, (unsigned short)op->fill.value, op->fill.width / 2, op->fill.height, s);
        return cuMemsetD2D8Async(op->fill.dst, op->fill.pitch, (unsigned char)op->fill.value, op->fill.width, op->fill.height, s);
    case OP_HOST: return cuLaunchHostFunc(s, op->host.fn, op->host.user);
    case OP_EVENT_RECORD: return cuEventRecord(op->event, s);
    case OP_EVENT_WAIT: return cuStreamWaitEvent(s, op->event, 0);
    case OP_EMPTY: return CUDA_SUCCESS;
    case OP_CHILD: return do_graph(op->child, s);
    }
    return CUDA_ERROR_UNKNOWN;
}

static CUresult do_graph(const struct CUgraph_st *g, cudaStream_t s) {
    CUresult r = CUDA_SUCCESS;
    for (unsigned i = 0; i < g->n && r == CUDA_SUCCESS; i++)
        if (g->node[i] && !g->node[i]->disabled) r = cudart_do(&g->node[i]->op, s);
    return r;
}

// ---- nodes ------------------------------------------------------------------------------------------------
static struct CUgraph_st *graph_new(void) { return calloc(1, sizeof(struct CUgraph_st)); }

static void free_arguments(struct CUgraphNode_st *n) {
    free(n->op.kernel.args);
    free(n->arguments);
    free(n->argument_bytes);
    n->op.kernel.args = NULL, n->arguments = NULL, n->argument_bytes = NULL;
}
static void graph_free(struct CUgraph_st *g) {
    for (unsigned i = 0; g && i < g->n; i++) {
        struct CUgraphNode_st *n = g->node[i];
        if (!n) continue;
        if (n->op.kind == OP_KERNEL) free_arguments(n);
        if (n->op.kind == OP_CHILD) graph_free(n->op.child);
        free(n->depends);
        free(n);
    }
    if (g) free(g->node);
    free(g);
}

// The program's argument values are copied: it may change them after the call.
static bool keep_arguments(struct CUgraphNode_st *n, void **args) {
    size_t bytes = 0, offset, size;
    unsigned count = 0;
    while (cuFuncGetParamInfo(n->op.kernel.f, count, &offset, &size) == CUDA_SUCCESS) bytes = offset + size, count++;
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

static struct CUgraphNode_st *graph_add(struct CUgraph_st *g, const struct cudart_op *op, struct CUgraphNode_st *const *depends, size_t n_depends) {
    struct CUgraphNode_st *n = calloc(1, sizeof *n);
    if (!n) return NULL;
    if (g->n == g->cap) {
        const unsigned cap = g->cap ? g->cap * 2 : 16;
        void *more = realloc(g->node, cap * sizeof *g->node);
        if (!more) return free(n), NULL;
        g->node = more, g->cap = cap;
    }
    *n = (struct CUgraphNode_st){.op = *op, .graph = g};
    if (op->kind == OP_KERNEL && !keep_arguments(n, op->kernel.args)) {
        free_arguments(n);
        return free(n), NULL;
    }
    n->depends = calloc(n_depends + 1, sizeof *n->depends);
    for (size_t i = 0; n->depends && i < n_depends; i++)
        for (unsigned k = 0; k < g->n; k++)
            if (g->node[k] == depends[i]) n->depends[n->n_depends++] = k;
    return g->node[g->n++] = n;
}

static struct CUgraph_st *graph_copy(const struct CUgraph_st *g) {
    struct CUgraph_st *c = graph_new();
    for (unsigned i = 0; c && i < g->n; i++) {
        const struct CUgraphNode_st *from = g->node[i];
        struct cudart_op op = from ? from->op : (struct cudart_op){.kind = OP_EMPTY};
        if (from && op.kind == OP_CHILD) op.child = graph_copy(from->op.child);
        struct CUgraphNode_st *to = graph_add(c, &op, NULL, 0);
        if (!to) return graph_free(c), NULL;
        if (!from) continue;
        to->disabled = from->disabled;
        free(to->depends);
        to->depends = calloc(from->n_depends + 1, sizeof *to->depends);
        if (to->depends) memcpy(to->depends, from->depends, from->n_depends * sizeof *to->depends), to->n_depends = from->n_depends;
    }
    return c;
}

// ---- capture ------------------------------------------------------------------------------------------------
// A capture begins in one stream; others join by waiting for an event that was recorded in it.
struct capture {
    struct CUgraph_st *graph;
    cudaStream_t origin;
    unsigned long long id;
    cudaStream_t stream[32];
    unsigned n_streams;
    CUevent event[64];
    unsigned n_events;
    bool invalid;
    struct capture *next;
};
static pthread_mutex_t capture_lock = PTHREAD_MUTEX_INITIALIZER;
static struct capture *captures;
static unsigned long long next_capture = 1;

static struct capture *capture_of(cudaStream_t s) {
    for (struct capture *c = captures; c; c = c->next)
        for (unsigned i = 0; i < c->n_streams; i++)
            if (c->stream[i] == s) return c;
    return NULL;
}
static struct capture *capture_of_event(CUevent e) {
    for (struct capture *c = captures; c; c = c->next)
        for (unsigned i = 0; i < c->n_events; i++)
            if (c->event[i] == e) return c;
    return NULL;
}

bool cudart_is_capturing(cudaStream_t s) {
    if (!__atomic_load_n(&captures, __ATOMIC_ACQUIRE)) return false;
    pthread_mutex_lock(&capture_lock);
    const bool is = capture_of(s) != NULL;
    pthread_mutex_unlock(&capture_lock);
    return is;
}

bool cudart_capture(cudaStream_t s, const struct cudart_op *op, cudaError_t *e) {
    *e = cudaSuccess;
    if (!__atomic_load_n(&captures, __ATOMIC_ACQUIRE)) return false;
    pthread_mutex_lock(&capture_lock);
    struct capture *c = capture_of(s);
    if (op->kind == OP_EVENT_WAIT) {
        struct capture *from = capture_of_event(op->event);
        if (from && !c && from->n_streams < COUNT(from->stream)) from->stream[from->n_streams++] = s;
        if (from && !c) c = from; // the stream has joined; the order of the list already says the rest
        if (from) {
            pthread_mutex_unlock(&capture_lock);
            return true;
        }
    }
    if (!c) {
        pthread_mutex_unlock(&capture_lock);
        return false;
    }
    if (op->kind == OP_EVENT_RECORD) {
        if (!capture_of_event(op->event) && c->n_events < COUNT(c->event)) c->event[c->n_events++] = op->event;
    } else if (!graph_add(c->graph, op, c->graph->n ? &c->graph->node[c->graph->n - 1] : NULL, c->graph->n ? 1 : 0)) {
        *e = cudaErrorMemoryAllocation;
        c->invalid = true;
    }
    pthread_mutex_unlock(&capture_lock);
    return true;
}

CUDART_API cudaError_t cudaStreamBeginCapture(cudaStream_t s, int mode) {
    (void)mode;
    CUDART_READY();
    if (!s || s == CU_STREAM_LEGACY) return cudart_error(cudaErrorStreamCaptureUnsupported);
    pthread_mutex_lock(&capture_lock);
    cudaError_t e = capture_of(s) ? cudaErrorIllegalState : cudaSuccess;
    struct capture *c = e == cudaSuccess ? calloc(1, sizeof *c) : NULL;
    if (c) {
        *c = (struct capture){.graph = graph_new(), .origin = s, .id = next_capture++, .stream = {s}, .n_streams = 1, .next = captures};
        __atomic_store_n(&captures, c, __ATOMIC_RELEASE);
    } else if (e == cudaSuccess) e = cudaErrorMemoryAllocation;
    pthread_mutex_unlock(&capture_lock);
    return cudart_error(e);
}

CUDART_API cudaError_t cudaStreamEndCapture(cudaStream_t s, CUgraph *out) {
    pthread_mutex_lock(&capture_lock);
    struct capture *c = capture_of(s);
    cudaError_t e = !c ? cudaErrorIllegalState : c->origin != s ? cudaErrorStreamCaptureUnmatched : c->invalid ? cudaErrorStreamCaptureInvalidated : cudaSuccess;
    *out = NULL;
    if (c && c->origin == s) {
        for (struct capture **p = &captures; *p; p = &(*p)->next)
            if (*p == c) {
                *p = c->next;
                break;
            }
        if (e == cudaSuccess) *out = c->graph;
        else graph_free(c->graph);
        free(c);
    }
    pthread_mutex_unlock(&capture_lock);
    return cudart_error(e);
}

CUDART_API cudaError_t cudaStreamIsCapturing(cudaStream_t s, int *status) {
    *status = cudart_is_capturing(s);
    return cudaSuccess;
}
CUDART_API cudaError_t cudaStreamGetCaptureInfo_v2(cudaStream_t s, int *status, unsigned long long *id, CUgraph *graph, const CUgraphNode **depends, size_t *n) {
    pthread_mutex_lock(&capture_lock);
    const struct capture *c = capture_of(s);
    *status = c != NULL;
    if (c && id) *id = c->id;
    if (c && graph) *graph = c->graph;
    if (c && n) *n = c->graph->n ? 1 : 0;
    if (c && depends) *depends = c->graph->n ? &c->graph->node[c->graph->n - 1] : NULL;
    pthread_mutex_unlock(&capture_lock);
    return cudaSuccess;
}
// 11 and 12: two answers; 13 the larger interface (with edge data between, which is never there).
CUDART_API cudaError_t cudaStreamGetCaptureInfo(cudaStream_t s, int *status, unsigned long long *id, CUgraph *graph, const CUgraphNode **depends,
                                                const void **edges, size_t *n) {
    if (cudart_major < 13) return cudaStreamGetCaptureInfo_v2(s, status, id, NULL, NULL, NULL);
    if (edges) *edges = NULL;
    return cudaStreamGetCaptureInfo_v2(s, status, id, graph, depends, n);
}
CUDART_API cudaError_t cudaThreadExchangeStreamCaptureMode(int *mode) {
    static _Thread_local int now;
    const int old = now;
    now = *mode;
    *mode = old;
    return cudaSuccess;
}

// ---- graphs -------------------------------------------------------------------------------------------------
CUDART_API cudaError_t cudaGraphCreate(CUgraph *out, unsigned flags) {
    (void)flags;
    *out = graph_new();
    return cudart_error(*out ? cudaSuccess : cudaErrorMemoryAllocation);
}
CUDART_API cudaError_t cudaGraphDestroy(CUgraph g) {
    graph_free(g);
    return cudaSuccess;
}
CUDART_API cudaError_t cudaGraphClone(CUgraph *out, CUgraph g) {
    *out = graph_copy(g);
    return cudart_error(*out ? cudaSuccess : cudaErrorMemoryAllocation);
}

// Launches and copies that a program builds by hand.
struct cudaKernelNodeParams {
    void *func;
    dim3 gridDim, blockDim;
    unsigned sharedMemBytes;
    void **kernelParams, **extra;
};
struct cudaMemsetParams {
    void *dst;
    size_t pitch;
    unsigned value, elementSize;
    size_t width, height;
};
struct cudaHostNodeParams {
    cudaHostFn_t fn;
    void *userData;
};
cudaError_t cudart_box(const struct cudaMemcpy3DParms *p, CUDA_MEMCPY3D *out);

static cudaError_t add(CUgraphNode *out, CUgraph g, const CUgraphNode *depends, size_t n, const struct cudart_op *op) {
    CUgraphNode node = graph_add(g, op, depends, n);
    if (out) *out = node;
    return cudart_error(node ? cudaSuccess : cudaErrorMemoryAllocation);
}
static cudaError_t kernel_op(const struct cudaKernelNodeParams *p, struct cudart_op *op) {
    if (!p->kernelParams && p->extra) return cudart_refuse("a graph's kernel node with `extra`");
    *op = (struct cudart_op){.kind = OP_KERNEL, .kernel = {.grid = p->gridDim, .block = p->blockDim, .shared = p->sharedMemBytes, .args = p->kernelParams}};
    return cudart_function(p->func, &op->kernel.f);
}
static struct cudart_op fill_op(const struct cudaMemsetParams *p) {
    return (struct cudart_op){.kind = OP_FILL, .fill = {(CUdeviceptr)(uintptr_t)p->dst, p->pitch, p->width * p->elementSize, p->height, p->value, p->elementSize}};
}
CUDART_API cudaError_t cudaGraphAddKernelNode(CUgraphNode *out, CUgraph g, const CUgraphNode *depends, size_t n, const struct cudaKernelNodeParams *p) {
    struct cudart_op op;
    const cudaError_t e = kernel_op(p, &op);
    return e != cudaSuccess ? cudart_error(e) : add(out, g, depends, n, &op);
}
CUDART_API cudaError_t cudaGraphAddMemcpyNode(CUgraphNode *out, CUgraph g, const CUgraphNode *depends, size_t n, const struct cudaMemcpy3DParms *p) {
    CUDART_READY();
    struct cudart_op op = {.kind = OP_COPY};
    const cudaError_t e = cudart_box(p, &op.copy);
    return e != cudaSuccess ? cudart_error(e) : add(out, g, depends, n, &op);
}
CUDART_API cudaError_t cudaGraphAddMemcpyNode1D(CUgraphNode *out, CUgraph g, const CUgraphNode *depends, size_t n, void *dst, const void *src, size_t bytes, int kind) {
    const struct cudaMemcpy3DParms p = {.srcPtr = {(void *)(uintptr_t)src, bytes, bytes, 1}, .dstPtr = {dst, bytes, bytes, 1}, .extent = {bytes, 1, 1}, .kind = kind};
    return cudaGraphAddMemcpyNode(out, g, depends, n, &p);
}
CUDART_API cudaError_t cudaGraphAddMemcpyNodeToSymbol(CUgraphNode *out, CUgraph g, const CUgraphNode *depends, size_t n, const void *symbol, const void *src,
                                                      size_t bytes, size_t offset, int kind) {
    CUdeviceptr p;
    const cudaError_t e = cudart_symbol(symbol, &p, NULL);
    return e != cudaSuccess ? cudart_error(e) : cudaGraphAddMemcpyNode1D(out, g, depends, n, (void *)(uintptr_t)(p + offset), src, bytes, kind);
}
CUDART_API cudaError_t cudaGraphAddMemcpyNodeFromSymbol(CUgraphNode *out, CUgraph g, const CUgraphNode *depends, size_t n, void *dst, const void *symbol,
                                                        size_t bytes, size_t offset, int kind) {
    CUdeviceptr p;
    const cudaError_t e = cudart_symbol(symbol, &p, NULL);
    return e != cudaSuccess ? cudart_error(e) : cudaGraphAddMemcpyNode1D(out, g, depends, n, dst, (void *)(uintptr_t)(p + offset), bytes, kind);
}
CUDART_API cudaError_t cudaGraphAddMemsetNode(CUgraphNode *out, CUgraph g, const CUgraphNode *depends, size_t n, const struct cudaMemsetParams *p) {
    const struct cudart_op op = fill_op(p);
    return add(out, g, depends, n, &op);
}
CUDART_API cudaError_t cudaGraphAddHostNode(CUgraphNode *out, CUgraph g, const CUgraphNode *depends, size_t n, const struct cudaHostNodeParams *p) {
    const struct cudart_op op = {.kind = OP_HOST, .host = {p->fn, p->userData}};
    return add(out, g, depends, n, &op);
}
CUDART_API cudaError_t cudaGraphAddEmptyNode(CUgraphNode *out, CUgraph g, const CUgraphNode *depends, size_t n) {
    const struct cudart_op op = {.kind = OP_EMPTY};
    return add(out, g, depends, n, &op);
}
CUDART_API cudaError_t cudaGraphAddEventRecordNode(CUgraphNode *out, CUgraph g, const CUgraphNode *depends, size_t n, cudaEvent_t event) {
    const struct cudart_op op = {.kind = OP_EVENT_RECORD, .event = event};
    return add(out, g, depends, n, &op);
}
CUDART_API cudaError_t cudaGraphAddEventWaitNode(CUgraphNode *out, CUgraph g, const CUgraphNode *depends, size_t n, cudaEvent_t event) {
    const struct cudart_op op = {.kind = OP_EVENT_WAIT, .event = event};
    return add(out, g, depends, n, &op);
}
CUDART_API cudaError_t cudaGraphAddChildGraphNode(CUgraphNode *out, CUgraph g, const CUgraphNode *depends, size_t n, CUgraph child) {
    const struct cudart_op op = {.kind = OP_CHILD, .child = graph_copy(child)};
    return add(out, g, depends, n, &op);
}
// Edges added later may point backwards in the list: it is put in order again.
CUDART_API cudaError_t cudaGraphAddDependencies(CUgraph g, const CUgraphNode *from, const CUgraphNode *to, size_t n) {
    for (size_t i = 0; i < n; i++) {
        unsigned a = g->n, b = g->n;
        for (unsigned k = 0; k < g->n; k++) {
            if (g->node[k] == from[i]) a = k;
            if (g->node[k] == to[i]) b = k;
        }
        if (a == g->n || b == g->n || a == b) return cudart_error(cudaErrorInvalidValue);
        if (a > b) return cudart_refuse("an edge to a node that was made before its dependency");
        void *more = realloc(g->node[b]->depends, (g->node[b]->n_depends + 1) * sizeof(unsigned));
        if (!more) return cudart_error(cudaErrorMemoryAllocation);
        g->node[b]->depends = more;
        g->node[b]->depends[g->node[b]->n_depends++] = a;
    }
    return cudaSuccess;
}
static cudaError_t list_nodes(CUgraph g, CUgraphNode *out, size_t *n, bool roots) {
    size_t found = 0;
    for (unsigned i = 0; i < g->n; i++) {
        if (!g->node[i] || (roots && g->node[i]->n_depends)) continue;
        if (out && found < *n) out[found] = g->node[i];
        found++;
    }
    *n = found;
    return cudaSuccess;
}
CUDART_API cudaError_t cudaGraphGetNodes(CUgraph g, CUgraphNode *out, size_t *n) { return list_nodes(g, out, n, false); }
CUDART_API cudaError_t cudaGraphGetRootNodes(CUgraph g, CUgraphNode *out, size_t *n) { return list_nodes(g, out, n, true); }
CUDART_API cudaError_t cudaGraphNodeGetType(CUgraphNode node, int *type) {
    static const int number[] = {[OP_KERNEL] = 0, [OP_COPY] = 1, [OP_FILL] = 2, [OP_HOST] = 3, [OP_CHILD] = 4, [OP_EMPTY] = 5, [OP_EVENT_WAIT] = 6, [OP_EVENT_RECORD] = 7};
    *type = number[node->op.kind];
    return cudaSuccess;
}
CUDART_API cudaError_t cudaGraphDestroyNode(CUgraphNode node) {
    struct CUgraph_st *g = node->graph;
    for (unsigned i = 0; i < g->n; i++)
        if (g->node[i] == node) g->node[i] = NULL;
    if (node->op.kind == OP_KERNEL) free_arguments(node);
    if (node->op.kind == OP_CHILD) graph_free(node->op.child);
    free(node->depends);
    free(node);
    return cudaSuccess;
}

// ---- executable graphs -----------------------------------------------------------------------------------------
CUDART_API cudaError_t cudaGraphInstantiateWithFlags(CUgraphExec *out, CUgraph g, unsigned long long flags) {
    (void)flags;
    *out = calloc(1, sizeof **out);
    if (*out) (*out)->graph = graph_copy(g);
    return cudart_error(*out && (*out)->graph ? cudaSuccess : cudaErrorMemoryAllocation);
}
// Up to 11: where an error was; from 12 on: flags. Nothing can go wrong that they would say.
CUDART_API cudaError_t cudaGraphInstantiate(CUgraphExec *out, CUgraph g, CUgraphNode *error, char *log, size_t bytes) {
    if (cudart_major < 12) {
        if (error) *error = NULL;
        if (log && bytes) *log = 0;
    }
    return cudaGraphInstantiateWithFlags(out, g, 0);
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
    return cudart_done(do_graph(x->graph, s));
}
// A node of the executable graph stands where its original stands.
static struct CUgraphNode_st *executable(CUgraphExec x, CUgraphNode node) {
    for (unsigned i = 0; i < node->graph->n && i < x->graph->n; i++)
        if (node->graph->node[i] == node) return x->graph->node[i];
    return NULL;
}
static cudaError_t set_op(struct CUgraphNode_st *n, const struct cudart_op *op) {
    if (!n || n->op.kind != op->kind) return cudart_error(cudaErrorInvalidValue);
    if (op->kind == OP_KERNEL) {
        void **const args = op->kernel.args;
        free_arguments(n);
        n->op = *op;
        return cudart_error(keep_arguments(n, args) ? cudaSuccess : cudaErrorMemoryAllocation);
    }
    n->op = *op;
    return cudaSuccess;
}
CUDART_API cudaError_t cudaGraphExecKernelNodeSetParams(CUgraphExec x, CUgraphNode node, const struct cudaKernelNodeParams *p) {
    struct cudart_op op;
    const cudaError_t e = kernel_op(p, &op);
    return e != cudaSuccess ? cudart_error(e) : set_op(executable(x, node), &op);
}
CUDART_API cudaError_t cudaGraphKernelNodeSetParams(CUgraphNode node, const struct cudaKernelNodeParams *p) {
    struct cudart_op op;
    const cudaError_t e = kernel_op(p, &op);
    return e != cudaSuccess ? cudart_error(e) : set_op(node, &op);
}
CUDART_API cudaError_t cudaGraphKernelNodeGetParams(CUgraphNode node, struct cudaKernelNodeParams *p) {
    if (node->op.kind != OP_KERNEL) return cudart_error(cudaErrorInvalidValue);
    *p = (struct cudaKernelNodeParams){node->op.kernel.f, node->op.kernel.grid, node->op.kernel.block, node->op.kernel.shared, node->op.kernel.args, NULL};
    return cudaSuccess;
}
CUDART_API cudaError_t cudaGraphExecMemsetNodeSetParams(CUgraphExec x, CUgraphNode node, const struct cudaMemsetParams *p) {
    const struct cudart_op op = fill_op(p);
    return set_op(executable(x, node), &op);
}
CUDART_API cudaError_t cudaGraphExecMemcpyNodeSetParams(CUgraphExec x, CUgraphNode node, const struct cudaMemcpy3DParms *p) {
    struct cudart_op op = {.kind = OP_COPY};
    const cudaError_t e = cudart_box(p, &op.copy);
    return e != cudaSuccess ? cudart_error(e) : set_op(executable(x, node), &op);
}
CUDART_API cudaError_t cudaGraphExecHostNodeSetParams(CUgraphExec x, CUgraphNode node, const struct cudaHostNodeParams *p) {
    const struct cudart_op op = {.kind = OP_HOST, .host = {p->fn, p->userData}};
    return set_op(executable(x, node), &op);
}
CUDART_API cudaError_t cudaGraphNodeSetEnabled(CUgraphExec x, CUgraphNode node, unsigned enabled) {
    struct CUgraphNode_st *n = executable(x, node);
    if (!n) return cudart_error(cudaErrorInvalidValue);
    n->disabled = !enabled;
    return cudaSuccess;
}
// The same shape with new parameters: the copy is made anew. Since 12 the answer is a structure
// {int result; node error; node from}, before a node and a result.
CUDART_API cudaError_t cudaGraphExecUpdate(CUgraphExec x, CUgraph g, void *info, int *result) {
    bool same = x->graph->n == g->n;
    for (unsigned i = 0; i < g->n && same; i++)
        same = (!g->node[i] || !x->graph->node[i]) ? true : g->node[i]->op.kind == x->graph->node[i]->op.kind;
    if (cudart_major >= 12 && info) *(int *)info = same ? 0 : 2; // success; topology changed
    if (cudart_major < 12) {
        if (info) *(CUgraphNode *)info = NULL;
        if (result) *result = same ? 0 : 2;
    }
    if (!same) return cudart_error(cudaErrorGraphExecUpdateFailure);
    struct CUgraph_st *copy = graph_copy(g);
    if (!copy) return cudart_error(cudaErrorMemoryAllocation);
    graph_free(x->graph);
    x->graph = copy;
    return cudaSuccess;
}
