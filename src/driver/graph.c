// Graphs: nodes, and launches of them. A graph is a list of operations in an order in which they
// may run: the order of their capture, or of their making, which both respect every dependency that
// can be expressed (a node's dependencies exist before it). A launch gives every branch a stream of
// its own, tied together by events.
#include "driver/graph.h"
#include "driver/watch.h"

// ---- doing an operation -------------------------------------------------------------------------
static CUresult fill(const struct driver_op *op, CUstream s) {
    const CUdeviceptr to = op->fill.to;
    const size_t pitch = op->fill.pitch, width = op->fill.width, height = op->fill.height;
    const uint32_t v = op->fill.value;
    if (op->fill.element == 4) return cuMemsetD2D32Async(to, pitch, v, width, height, s);
    if (op->fill.element == 2) return cuMemsetD2D16Async(to, pitch, (uint16_t)v, width, height, s);
    return cuMemsetD2D8Async(to, pitch, (uint8_t)v, width, height, s);
}

static CUresult do_node(const struct CUgraphNode_st *n, CUstream s) {
    const struct driver_op *const op = &n->op;
    if (n->disabled) return CUDA_SUCCESS;
    switch (op->kind) {
    case OP_KERNEL: {
        const uint32_t *const g = op->kernel.grid, *const b = op->kernel.block;
        return driver_launch(op->kernel.f, g, b, op->kernel.shared, s, op->kernel.args,
                             &op->kernel.shape);
    }
    // host memory is read when the copy's turn comes, not when the graph is launched
    case OP_COPY: return driver_memcpy3d_in_order(&op->copy, s);
    case OP_FILL: return fill(op, s);
    case OP_HOST: return cuLaunchHostFunc(s, op->host.fn, op->host.user);
    case OP_EVENT_RECORD: return cuEventRecord(op->event, s);
    case OP_EVENT_WAIT: return cuStreamWaitEvent(s, op->event, 0);
    case OP_EMPTY: return CUDA_SUCCESS;
    case OP_CHILD: return graph_do(op->child, s);
    case OP_ALLOC:
    case OP_FREE: return graph_memory_do(op);
    }
    return CUDA_ERROR_UNKNOWN;
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

// A node goes on in the lane of a node that it waits for, where no other has gone on before it. Else
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

static CUresult do_lanes(struct CUgraph_st *g, const unsigned *order, CUstream s,
                         const struct plan *p) {
    CUresult r = cuEventRecord(g->start, s);
    for (unsigned l = 1; l < p->n_lanes && r == CUDA_SUCCESS; l++)
        r = cuStreamWaitEvent(g->lane[l], g->start, 0);
    for (unsigned k = 0; k < g->n && r == CUDA_SUCCESS; k++) {
        const unsigned i = order ? order[k] : k;
        const struct CUgraphNode_st *n = g->node[i];
        if (!n) continue;
        const CUstream own = p->lane[i] ? g->lane[p->lane[i]] : s;
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

CUresult graph_do(struct CUgraph_st *g, CUstream s) {
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
struct CUgraph_st *graph_new(void) {
    struct CUgraph_st *const g = calloc(1, sizeof *g);
    if (g && !driver_handle_add(TAG_GRAPH, DRIVER_KEY(g))) return free(g), NULL;
    return g;
}

static void free_arguments(struct CUgraphNode_st *n) {
    free(n->op.kernel.args);
    free(n->arguments);
    n->op.kernel.args = NULL, n->arguments = NULL;
}
void graph_free_node(struct CUgraphNode_st *n) {
    if (n->op.kind == OP_KERNEL) free_arguments(n);
    if (n->op.kind == OP_CHILD) graph_free(n->op.child);
    if (n->op.kind == OP_ALLOC || n->op.kind == OP_FREE) graph_memory_drop(n->op.memory);
    driver_handle_remove(TAG_GRAPH_NODE, DRIVER_KEY(n));
    free(n->depends);
    free(n);
}
void graph_free(struct CUgraph_st *g) {
    if (!g) return;
    driver_handle_remove(TAG_GRAPH, DRIVER_KEY(g));
    for (unsigned i = 0; i < g->n; i++)
        if (g->node[i]) graph_free_node(g->node[i]);
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
static CUresult keep_arguments(struct CUgraphNode_st *n, const struct driver_op *op) {
    size_t bytes = 0, offset, size;
    unsigned count = 0;
    CUfunction f = op->kernel.f;
    while (driver_function_param(f, count, &offset, &size) == CUDA_SUCCESS)
        bytes = offset + size, count++;
    n->op.kernel.packed = NULL;
    n->op.kernel.args = NULL;
    if (count && !op->kernel.args && !op->kernel.packed) return CUDA_ERROR_INVALID_VALUE;
    n->op.kernel.args = calloc(count + 1, sizeof(void *));
    n->arguments = calloc(1, bytes + 1);
    if (!n->op.kernel.args || !n->arguments) return CUDA_ERROR_OUT_OF_MEMORY;
    for (unsigned i = 0; i < count; i++) {
        driver_function_param(f, i, &offset, &size);
        n->op.kernel.args[i] = n->arguments + offset;
        const void *const from = op->kernel.args ? op->kernel.args[i] : op->kernel.packed + offset;
        if (!from) return CUDA_ERROR_INVALID_VALUE;
        memcpy(n->op.kernel.args[i], from, size);
    }
    return CUDA_SUCCESS;
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

static CUresult add(struct CUgraph_st *g, const struct driver_op *op,
                    struct CUgraphNode_st *const *depends, size_t n_depends,
                    struct CUgraphNode_st **out) {
    for (size_t i = 0; i < n_depends; i++)
        if (graph_index(g, depends[i]) < 0) return CUDA_ERROR_INVALID_VALUE;
    struct CUgraphNode_st *n = calloc(1, sizeof *n);
    if (!n) return CUDA_ERROR_OUT_OF_MEMORY;
    if (g->n == g->cap) {
        const unsigned cap = g->cap ? g->cap * 2 : 16;
        void *more = realloc(g->node, cap * sizeof *g->node);
        if (!more) return free(n), CUDA_ERROR_OUT_OF_MEMORY;
        g->node = more, g->cap = cap;
    }
    *n = (struct CUgraphNode_st){.op = *op, .graph = g};
    const CUresult kept = op->kind == OP_KERNEL ? keep_arguments(n, op) : CUDA_SUCCESS;
    if (kept != CUDA_SUCCESS) {
        free_arguments(n);
        return free(n), kept;
    }
    if (op->kind == OP_ALLOC || op->kind == OP_FREE) graph_memory_keep(op->memory);
    bool ok = driver_handle_add(TAG_GRAPH_NODE, DRIVER_KEY(n));
    for (size_t i = 0; i < n_depends && ok; i++)
        ok = graph_depend(n, (unsigned)graph_index(g, depends[i]));
    if (!ok) {
        if (op->kind == OP_CHILD) n->op.kind = OP_EMPTY; // the caller still has it
        return graph_free_node(n), CUDA_ERROR_OUT_OF_MEMORY;
    }
    if (op->kind == OP_CHILD) op->child->is_inner = true;
    g->node[g->n++] = n;
    *out = n;
    return CUDA_SUCCESS;
}

CUresult graph_add(struct CUgraph_st *g, const struct driver_op *op,
                   struct CUgraphNode_st *const *depends, size_t n_depends,
                   struct CUgraphNode_st **out) {
    struct CUgraphNode_st *n;
    const CUresult r = add(g, op, depends, n_depends, &n);
    if (r != CUDA_SUCCESS) return r;
    driver_made_node(n, NULL, g, (int)graph_type_of(n));
    if (out) *out = n;
    return CUDA_SUCCESS;
}

struct CUgraph_st *graph_copy(const struct CUgraph_st *g) {
    struct CUgraph_st *c = graph_new();
    for (unsigned i = 0; c && i < g->n; i++) {
        const struct CUgraphNode_st *from = g->node[i];
        struct driver_op op = from ? from->op : (struct driver_op){.kind = OP_EMPTY};
        if (from && op.kind == OP_CHILD && !(op.child = graph_copy(from->op.child)))
            return graph_free(c), NULL;
        struct CUgraphNode_st *to = NULL;
        if (add(c, &op, NULL, 0, &to) != CUDA_SUCCESS) {
            if (op.kind == OP_CHILD) graph_free(op.child);
            return graph_free(c), NULL;
        }
        if (!from) {
            graph_free_node(to);
            c->node[i] = NULL;
            continue;
        }
        driver_made_node(to, from, c, (int)graph_type_of(to));
        to->disabled = from->disabled;
        memcpy(to->attribute, from->attribute, sizeof to->attribute);
        for (unsigned k = 0; k < from->n_depends; k++)
            if (!graph_depend(to, from->depends[k])) return graph_free(c), NULL;
    }
    if (c) c->is_unsorted = g->is_unsorted;
    if (c && !graph_objects_copy(c, g)) return graph_free(c), NULL;
    return c;
}

CUresult graph_set(struct CUgraphNode_st *n, const struct driver_op *op) {
    if (!n || n->op.kind != op->kind) return CUDA_ERROR_INVALID_VALUE;
    if (op->kind == OP_KERNEL) {
        struct CUgraphNode_st to = {.op = *op};
        // an attribute of the node, which stays
        to.op.kernel.shape = n->op.kernel.shape;
        const CUresult r = keep_arguments(&to, op);
        if (r != CUDA_SUCCESS) return free_arguments(&to), r;
        free_arguments(n); // only now: the values may be the node's own, as GetParams answers them
        n->op = to.op;
        n->arguments = to.arguments;
        return CUDA_SUCCESS;
    }
    if (op->kind == OP_CHILD) {
        graph_free(n->op.child);
        op->child->is_inner = true;
    }
    n->op = *op;
    return CUDA_SUCCESS;
}

// ---- executable graphs --------------------------------------------------------------------------
static CUresult instantiate(CUgraphExec *out, CUgraph g, unsigned long long flags) {
    if (!out || !DRIVER_IS(TAG_GRAPH, g) || g->is_captured) return CUDA_ERROR_INVALID_VALUE;
    *out = NULL;
    if (g->is_unsorted && !graph_order(g, NULL)) return CUDA_ERROR_INVALID_VALUE;
    CUgraphExec x = calloc(1, sizeof *x);
    if (x) *x = (struct CUgraphExec_st){graph_copy(g), flags};
    if (!x || !x->graph || !driver_handle_add(TAG_GRAPH_EXEC, DRIVER_KEY(x))) {
        if (x) graph_free(x->graph);
        return free(x), CUDA_ERROR_OUT_OF_MEMORY;
    }
    x->graph->is_inner = true;
    driver_made(WW_EXEC_MADE, x);
    *out = x;
    return CUDA_SUCCESS;
}
CUresult cuGraphInstantiateWithFlags(CUgraphExec *out, CUgraph g, unsigned long long flags) {
    DRIVER_ENTER(NEED_CONTEXT);
    if (flags & CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH)
        DRIVER_LEAVE(driver_unsupported("a graph that kernels launch"));
    DRIVER_LEAVE(instantiate(out, g, flags));
}
CUresult cuGraphInstantiateWithParams(CUgraphExec *out, CUgraph g,
                                      CUDA_GRAPH_INSTANTIATE_PARAMS *p) {
    if (!p) return CUDA_ERROR_INVALID_VALUE;
    const CUresult r = cuGraphInstantiateWithFlags(out, g, p->flags);
    p->hErrNode_out = NULL;
    p->result_out =
        r == CUDA_SUCCESS ? CUDA_GRAPH_INSTANTIATE_SUCCESS : CUDA_GRAPH_INSTANTIATE_ERROR;
    return r;
}
CUresult cuGraphExecGetFlags(CUgraphExec x, cuuint64_t *flags) {
    DRIVER_ENTER(NEED_INIT);
    if (!flags || !DRIVER_IS(TAG_GRAPH_EXEC, x)) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    *flags = x->flags;
    DRIVER_LEAVE(CUDA_SUCCESS);
}
CUresult cuGraphExecDestroy(CUgraphExec x) {
    DRIVER_ENTER(NEED_INIT);
    if (!DRIVER_IS(TAG_GRAPH_EXEC, x)) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    driver_handle_remove(TAG_GRAPH_EXEC, DRIVER_KEY(x));
    graph_free(x->graph);
    free(x);
    DRIVER_LEAVE(CUDA_SUCCESS);
}
CUresult cuGraphUpload(CUgraphExec x, CUstream s) {
    DRIVER_ENTER(NEED_CONTEXT);
    struct gpu_stream *g;
    if (!DRIVER_IS(TAG_GRAPH_EXEC, x)) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    DRIVER_LEAVE(driver_stream(s, &g) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE);
}
CUresult cuGraphLaunch(CUgraphExec x, CUstream s) {
    DRIVER_ENTER(NEED_CONTEXT);
    struct gpu_stream *g;
    if (!DRIVER_IS(TAG_GRAPH_EXEC, x)) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    if (!driver_stream(s, &g)) DRIVER_LEAVE(CUDA_ERROR_INVALID_HANDLE);
    struct driver_op op = {.kind = OP_CHILD};
    CUresult r;
    const bool keeps = driver_is_capturing(s);
    if (keeps && !(op.child = graph_copy(x->graph))) DRIVER_LEAVE(CUDA_ERROR_OUT_OF_MEMORY);
    if (driver_capture(s, &op, &r)) {
        if (r != CUDA_SUCCESS) graph_free(op.child);
        DRIVER_LEAVE(r);
    }
    if (x->flags & CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH) graph_memory_forget(x->graph);
    DRIVER_LEAVE(graph_do(x->graph, s));
}

// The same shape with new parameters: the copy is made anew.
static CUgraphExecUpdateResult differs(const struct CUgraph_st *a, const struct CUgraph_st *b,
                                       CUgraphExecUpdateResultInfo *info) {
    if (a->n != b->n) return CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED;
    for (unsigned i = 0; i < b->n; i++) {
        const struct CUgraphNode_st *const from = a->node[i], *const to = b->node[i];
        info->errorNode = b->node[i];
        if (!from != !to || (from && from->n_depends != to->n_depends))
            return CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED;
        if (from && from->op.kind != to->op.kind)
            return CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED;
        for (unsigned k = 0; from && k < from->n_depends; k++)
            if (from->depends[k] != to->depends[k])
                return CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED;
    }
    info->errorNode = NULL;
    return CU_GRAPH_EXEC_UPDATE_SUCCESS;
}
CUresult cuGraphExecUpdate_v2(CUgraphExec x, CUgraph g, CUgraphExecUpdateResultInfo *info) {
    CUgraphExecUpdateResultInfo unused;
    DRIVER_ENTER(NEED_CONTEXT);
    if (!DRIVER_IS(TAG_GRAPH_EXEC, x) || !DRIVER_IS(TAG_GRAPH, g))
        DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    if (!info) info = &unused;
    *info = (CUgraphExecUpdateResultInfo){.errorNode = NULL};
    info->result = differs(x->graph, g, info);
    if (info->result != CU_GRAPH_EXEC_UPDATE_SUCCESS)
        DRIVER_LEAVE(CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
    struct CUgraph_st *copy = graph_copy(g);
    if (!copy) DRIVER_LEAVE(CUDA_ERROR_OUT_OF_MEMORY);
    copy->is_inner = true;
    graph_free(x->graph);
    x->graph = copy;
    DRIVER_LEAVE(CUDA_SUCCESS);
}
