// Graphs that a program builds by hand: nodes, edges, and new parameters for either a graph's nodes
// or an executable one's.
#include "driver/graph.h"
#include "driver/watch.h"

static bool is_graph(CUgraph g) { return DRIVER_IS(TAG_GRAPH, g); }
static bool is_node(CUgraphNode n) { return DRIVER_IS(TAG_GRAPH_NODE, n); }

// ---- graphs -------------------------------------------------------------------------------------
CUresult cuGraphCreate(CUgraph *out, unsigned int flags) {
    DRIVER_ENTER(NEED_INIT);
    if (!out || flags) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    *out = graph_new();
    if (*out) driver_made(WW_GRAPH_MADE, *out);
    DRIVER_LEAVE(*out ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY);
}
// One that a stream records into, or that belongs to another, is not the program's to destroy.
CUresult cuGraphDestroy(CUgraph g) {
    DRIVER_ENTER(NEED_INIT);
    if (!is_graph(g) || g->is_captured || g->is_inner) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    graph_free(g);
    DRIVER_LEAVE(CUDA_SUCCESS);
}
CUresult cuGraphClone(CUgraph *out, CUgraph g) {
    DRIVER_ENTER(NEED_INIT);
    if (!out || !is_graph(g)) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    *out = graph_copy(g);
    DRIVER_LEAVE(*out ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY);
}

// ---- what nodes do ------------------------------------------------------------------------------
// Without the lock, since the runtime may be asked: a kernel of a library, or the runtime's handle
// of one, becomes the function behind it.
static CUresult resolve(const CUDA_KERNEL_NODE_PARAMS *p, CUDA_KERNEL_NODE_PARAMS *out) {
    if (!p) return CUDA_ERROR_INVALID_VALUE;
    *out = *p;
    if (!out->func) out->func = (CUfunction)(void *)out->kern;
    const CUresult r = driver_enter_with(&out->func, NULL);
    return r == CUDA_SUCCESS ? driver_leave(r) : r;
}
static CUresult resolve_any(const CUgraphNodeParams *p, CUgraphNodeParams *out) {
    if (!p) return CUDA_ERROR_INVALID_VALUE;
    *out = *p;
    return p->type == CU_GRAPH_NODE_TYPE_KERNEL ? resolve(&p->kernel, &out->kernel) : CUDA_SUCCESS;
}

static CUresult kernel_op(const CUDA_KERNEL_NODE_PARAMS *p, struct driver_op *op) {
    if (!DRIVER_IS(TAG_FUNCTION, p->func)) return CUDA_ERROR_INVALID_HANDLE;
    if (p->kernelParams && p->extra) return CUDA_ERROR_INVALID_VALUE;
    *op = (struct driver_op){.kind = OP_KERNEL,
                             .kernel = {.f = p->func,
                                        .grid = {p->gridDimX, p->gridDimY, p->gridDimZ},
                                        .block = {p->blockDimX, p->blockDimY, p->blockDimZ},
                                        .shared = p->sharedMemBytes,
                                        .args = p->kernelParams}};
    for (void **e = p->extra; e && *e != CU_LAUNCH_PARAM_END; e += 2)
        if (*e == CU_LAUNCH_PARAM_BUFFER_POINTER) op->kernel.packed = e[1];
    return CUDA_SUCCESS;
}
static CUresult copy_op(const CUDA_MEMCPY3D *p, struct driver_op *op) {
    if (!p) return CUDA_ERROR_INVALID_VALUE;
    *op = (struct driver_op){.kind = OP_COPY, .copy = *p};
    return CUDA_SUCCESS;
}
static CUresult fill_op(const CUDA_MEMSET_NODE_PARAMS *p, struct driver_op *op) {
    if (!p || (p->elementSize != 1 && p->elementSize != 2 && p->elementSize != 4))
        return CUDA_ERROR_INVALID_VALUE;
    *op = (struct driver_op){
        .kind = OP_FILL, .fill = {p->dst, p->pitch, p->width, p->height, p->value, p->elementSize}};
    return CUDA_SUCCESS;
}
static CUresult host_op(const CUDA_HOST_NODE_PARAMS *p, struct driver_op *op) {
    if (!p || !p->fn) return CUDA_ERROR_INVALID_VALUE;
    *op = (struct driver_op){.kind = OP_HOST, .host = {p->fn, p->userData}};
    return CUDA_SUCCESS;
}
static CUresult event_op(enum driver_op_kind kind, CUevent e, struct driver_op *op) {
    if (!DRIVER_IS(TAG_EVENT, e)) return CUDA_ERROR_INVALID_HANDLE;
    *op = (struct driver_op){.kind = kind, .event = e};
    return CUDA_SUCCESS;
}
static CUresult child_op(CUgraph g, struct driver_op *op) {
    if (!is_graph(g)) return CUDA_ERROR_INVALID_VALUE;
    *op = (struct driver_op){.kind = OP_CHILD, .child = graph_copy(g)};
    return op->child ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}
static CUresult any_op(CUgraphNodeParams *p, struct driver_op *op) {
    switch (p->type) {
    case CU_GRAPH_NODE_TYPE_KERNEL: return kernel_op(&p->kernel, op);
    case CU_GRAPH_NODE_TYPE_MEMCPY: return copy_op(&p->memcpy.copyParams, op);
    case CU_GRAPH_NODE_TYPE_MEMSET: { // the larger form goes on with a context
        const CUDA_MEMSET_NODE_PARAMS fill = {p->memset.dst,   p->memset.pitch,
                                              p->memset.value, p->memset.elementSize,
                                              p->memset.width, p->memset.height};
        return fill_op(&fill, op);
    }
    case CU_GRAPH_NODE_TYPE_HOST: return host_op(&p->host, op);
    case CU_GRAPH_NODE_TYPE_GRAPH: return child_op(p->graph.graph, op);
    case CU_GRAPH_NODE_TYPE_EMPTY: *op = (struct driver_op){.kind = OP_EMPTY}; return CUDA_SUCCESS;
    case CU_GRAPH_NODE_TYPE_WAIT_EVENT: return event_op(OP_EVENT_WAIT, p->eventWait.event, op);
    case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
        return event_op(OP_EVENT_RECORD, p->eventRecord.event, op);
    case CU_GRAPH_NODE_TYPE_MEM_ALLOC:
        if (!p->alloc.bytesize) return CUDA_ERROR_INVALID_VALUE;
        return graph_alloc_op(p->alloc.bytesize, &p->alloc.dptr, op);
    case CU_GRAPH_NODE_TYPE_MEM_FREE: return graph_free_op(p->free.dptr, op);
    default: return driver_unsupported("a graph's node of this kind (semaphores, conditions)");
    }
}

// ---- making nodes -------------------------------------------------------------------------------
static CUresult add(CUgraphNode *out, CUgraph g, const CUgraphNode *depends, size_t n,
                    const struct driver_op *op, CUresult made) {
    CUresult r = made;
    if (r == CUDA_SUCCESS && (!out || !is_graph(g) || (n && !depends)))
        r = CUDA_ERROR_INVALID_VALUE;
    if (r == CUDA_SUCCESS) r = graph_add(g, op, depends, n, out);
    if (r != CUDA_SUCCESS && made == CUDA_SUCCESS && op->kind == OP_CHILD) graph_free(op->child);
    return r;
}
#define ADD(make)                                                                                  \
    DRIVER_ENTER(NEED_CONTEXT);                                                                    \
    struct driver_op op;                                                                           \
    const CUresult made = make;                                                                    \
    DRIVER_LEAVE(add(out, g, depends, n, &op, made))

CUresult cuGraphAddKernelNode(CUgraphNode *out, CUgraph g, const CUgraphNode *depends, size_t n,
                              const CUDA_KERNEL_NODE_PARAMS *p) {
    CUDA_KERNEL_NODE_PARAMS own;
    const CUresult known = resolve(p, &own);
    if (known != CUDA_SUCCESS) return known;
    ADD(kernel_op(&own, &op));
}
CUresult cuGraphAddMemcpyNode(CUgraphNode *out, CUgraph g, const CUgraphNode *depends, size_t n,
                              const CUDA_MEMCPY3D *p, CUcontext context) {
    (void)context; // they share the one device
    ADD(copy_op(p, &op));
}
CUresult cuGraphAddMemsetNode(CUgraphNode *out, CUgraph g, const CUgraphNode *depends, size_t n,
                              const CUDA_MEMSET_NODE_PARAMS *p, CUcontext context) {
    (void)context;
    ADD(fill_op(p, &op));
}
CUresult cuGraphAddHostNode(CUgraphNode *out, CUgraph g, const CUgraphNode *depends, size_t n,
                            const CUDA_HOST_NODE_PARAMS *p) {
    ADD(host_op(p, &op));
}
CUresult cuGraphAddChildGraphNode(CUgraphNode *out, CUgraph g, const CUgraphNode *depends, size_t n,
                                  CUgraph child) {
    ADD(child_op(child, &op));
}
CUresult cuGraphAddEmptyNode(CUgraphNode *out, CUgraph g, const CUgraphNode *depends, size_t n) {
    ADD((op = (struct driver_op){.kind = OP_EMPTY}, CUDA_SUCCESS));
}
CUresult cuGraphAddEventRecordNode(CUgraphNode *out, CUgraph g, const CUgraphNode *depends,
                                   size_t n, CUevent e) {
    ADD(event_op(OP_EVENT_RECORD, e, &op));
}
CUresult cuGraphAddEventWaitNode(CUgraphNode *out, CUgraph g, const CUgraphNode *depends, size_t n,
                                 CUevent e) {
    ADD(event_op(OP_EVENT_WAIT, e, &op));
}
CUresult cuGraphAddNode(CUgraphNode *out, CUgraph g, const CUgraphNode *depends,
                        const CUgraphEdgeData *edges, size_t n, CUgraphNodeParams *p) {
    (void)edges;
    CUgraphNodeParams own;
    const CUresult known = resolve_any(p, &own);
    if (known != CUDA_SUCCESS) return known;
    DRIVER_ENTER(NEED_CONTEXT);
    struct driver_op op = {.kind = OP_EMPTY};
    const CUresult made = any_op(&own, &op);
    if (made == CUDA_SUCCESS && op.kind == OP_ALLOC) p->alloc.dptr = own.alloc.dptr;
    const CUresult r = add(out, g, depends, n, &op, made);
    if (made == CUDA_SUCCESS && op.kind == OP_ALLOC) graph_memory_drop(op.memory);
    DRIVER_LEAVE(r);
}

// ---- changing nodes -----------------------------------------------------------------------------
// A node of the executable graph stands where its original stands. NULL: there is none.
static CUgraphNode executable(CUgraphExec x, CUgraphNode node) {
    if (!DRIVER_IS(TAG_GRAPH_EXEC, x) || !is_node(node)) return NULL;
    const int at = graph_index(node->graph, node);
    return at >= 0 && (unsigned)at < x->graph->n ? x->graph->node[at] : NULL;
}
static CUresult set(CUgraphNode node, const struct driver_op *op, CUresult made) {
    CUresult r = made;
    if (r == CUDA_SUCCESS) r = is_node(node) ? graph_set(node, op) : CUDA_ERROR_INVALID_VALUE;
    if (r != CUDA_SUCCESS && made == CUDA_SUCCESS && op->kind == OP_CHILD) graph_free(op->child);
    return r;
}
#define SET(node, make)                                                                            \
    DRIVER_ENTER(NEED_CONTEXT);                                                                    \
    struct driver_op op;                                                                           \
    const CUresult made = make;                                                                    \
    DRIVER_LEAVE(set(node, &op, made))

CUresult cuGraphKernelNodeSetParams(CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS *p) {
    CUDA_KERNEL_NODE_PARAMS own;
    const CUresult known = resolve(p, &own);
    if (known != CUDA_SUCCESS) return known;
    SET(node, kernel_op(&own, &op));
}
CUresult cuGraphExecKernelNodeSetParams(CUgraphExec x, CUgraphNode node,
                                        const CUDA_KERNEL_NODE_PARAMS *p) {
    CUDA_KERNEL_NODE_PARAMS own;
    const CUresult known = resolve(p, &own);
    if (known != CUDA_SUCCESS) return known;
    SET(executable(x, node), kernel_op(&own, &op));
}
CUresult cuGraphMemcpyNodeSetParams(CUgraphNode node, const CUDA_MEMCPY3D *p) {
    SET(node, copy_op(p, &op));
}
CUresult cuGraphExecMemcpyNodeSetParams(CUgraphExec x, CUgraphNode node, const CUDA_MEMCPY3D *p,
                                        CUcontext context) {
    (void)context;
    SET(executable(x, node), copy_op(p, &op));
}
CUresult cuGraphMemsetNodeSetParams(CUgraphNode node, const CUDA_MEMSET_NODE_PARAMS *p) {
    SET(node, fill_op(p, &op));
}
CUresult cuGraphExecMemsetNodeSetParams(CUgraphExec x, CUgraphNode node,
                                        const CUDA_MEMSET_NODE_PARAMS *p, CUcontext context) {
    (void)context;
    SET(executable(x, node), fill_op(p, &op));
}
CUresult cuGraphHostNodeSetParams(CUgraphNode node, const CUDA_HOST_NODE_PARAMS *p) {
    SET(node, host_op(p, &op));
}
CUresult cuGraphExecHostNodeSetParams(CUgraphExec x, CUgraphNode node,
                                      const CUDA_HOST_NODE_PARAMS *p) {
    SET(executable(x, node), host_op(p, &op));
}
CUresult cuGraphExecChildGraphNodeSetParams(CUgraphExec x, CUgraphNode node, CUgraph child) {
    SET(executable(x, node), child_op(child, &op));
}
CUresult cuGraphEventRecordNodeSetEvent(CUgraphNode node, CUevent e) {
    SET(node, event_op(OP_EVENT_RECORD, e, &op));
}
CUresult cuGraphEventWaitNodeSetEvent(CUgraphNode node, CUevent e) {
    SET(node, event_op(OP_EVENT_WAIT, e, &op));
}
CUresult cuGraphExecEventRecordNodeSetEvent(CUgraphExec x, CUgraphNode node, CUevent e) {
    SET(executable(x, node), event_op(OP_EVENT_RECORD, e, &op));
}
CUresult cuGraphExecEventWaitNodeSetEvent(CUgraphExec x, CUgraphNode node, CUevent e) {
    SET(executable(x, node), event_op(OP_EVENT_WAIT, e, &op));
}
// Memory belongs to its nodes from their making on.
static CUresult set_any(CUgraphNode node, CUgraphNodeParams *p) {
    if (p->type == CU_GRAPH_NODE_TYPE_MEM_ALLOC || p->type == CU_GRAPH_NODE_TYPE_MEM_FREE)
        return driver_unsupported("new parameters of a graph's node that allocates or frees");
    struct driver_op op = {.kind = OP_EMPTY};
    const CUresult made = any_op(p, &op);
    return set(node, &op, made);
}
CUresult cuGraphNodeSetParams(CUgraphNode node, CUgraphNodeParams *p) {
    CUgraphNodeParams own;
    const CUresult known = resolve_any(p, &own);
    if (known != CUDA_SUCCESS) return known;
    DRIVER_ENTER(NEED_CONTEXT);
    DRIVER_LEAVE(set_any(node, &own));
}
CUresult cuGraphExecNodeSetParams(CUgraphExec x, CUgraphNode node, CUgraphNodeParams *p) {
    CUgraphNodeParams own;
    const CUresult known = resolve_any(p, &own);
    if (known != CUDA_SUCCESS) return known;
    DRIVER_ENTER(NEED_CONTEXT);
    DRIVER_LEAVE(set_any(executable(x, node), &own));
}
CUresult cuGraphNodeSetEnabled(CUgraphExec x, CUgraphNode node, unsigned int enabled) {
    DRIVER_ENTER(NEED_INIT);
    const CUgraphNode n = executable(x, node);
    if (!n) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    n->disabled = !enabled;
    DRIVER_LEAVE(CUDA_SUCCESS);
}
CUresult cuGraphNodeGetEnabled(CUgraphExec x, CUgraphNode node, unsigned int *enabled) {
    DRIVER_ENTER(NEED_INIT);
    const CUgraphNode n = executable(x, node);
    if (!n || !enabled) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    *enabled = !n->disabled;
    DRIVER_LEAVE(CUDA_SUCCESS);
}

// ---- reading nodes ------------------------------------------------------------------------------
#define GET(wanted, out)                                                                           \
    DRIVER_ENTER(NEED_INIT);                                                                       \
    if (!is_node(node) || node->op.kind != (wanted) || !(out))                                     \
    DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE)

CUresult cuGraphKernelNodeGetParams(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS *p) {
    GET(OP_KERNEL, p);
    const uint32_t *const g = node->op.kernel.grid, *const b = node->op.kernel.block;
    *p = (CUDA_KERNEL_NODE_PARAMS){.func = node->op.kernel.f,
                                   .gridDimX = g[0],
                                   .gridDimY = g[1],
                                   .gridDimZ = g[2],
                                   .blockDimX = b[0],
                                   .blockDimY = b[1],
                                   .blockDimZ = b[2],
                                   .sharedMemBytes = node->op.kernel.shared,
                                   .kernelParams = node->op.kernel.args};
    DRIVER_LEAVE(CUDA_SUCCESS);
}
CUresult cuGraphMemcpyNodeGetParams(CUgraphNode node, CUDA_MEMCPY3D *p) {
    GET(OP_COPY, p);
    *p = node->op.copy;
    DRIVER_LEAVE(CUDA_SUCCESS);
}
CUresult cuGraphMemsetNodeGetParams(CUgraphNode node, CUDA_MEMSET_NODE_PARAMS *p) {
    GET(OP_FILL, p);
    *p =
        (CUDA_MEMSET_NODE_PARAMS){node->op.fill.to,      node->op.fill.pitch, node->op.fill.value,
                                  node->op.fill.element, node->op.fill.width, node->op.fill.height};
    DRIVER_LEAVE(CUDA_SUCCESS);
}
CUresult cuGraphHostNodeGetParams(CUgraphNode node, CUDA_HOST_NODE_PARAMS *p) {
    GET(OP_HOST, p);
    *p = (CUDA_HOST_NODE_PARAMS){node->op.host.fn, node->op.host.user};
    DRIVER_LEAVE(CUDA_SUCCESS);
}
CUresult cuGraphChildGraphNodeGetGraph(CUgraphNode node, CUgraph *out) {
    GET(OP_CHILD, out);
    *out = node->op.child;
    DRIVER_LEAVE(CUDA_SUCCESS);
}
CUresult cuGraphEventRecordNodeGetEvent(CUgraphNode node, CUevent *out) {
    GET(OP_EVENT_RECORD, out);
    *out = node->op.event;
    DRIVER_LEAVE(CUDA_SUCCESS);
}
CUresult cuGraphEventWaitNodeGetEvent(CUgraphNode node, CUevent *out) {
    GET(OP_EVENT_WAIT, out);
    *out = node->op.event;
    DRIVER_LEAVE(CUDA_SUCCESS);
}
CUgraphNodeType graph_type_of(const struct CUgraphNode_st *node) {
    static const CUgraphNodeType of[] = {[OP_KERNEL] = CU_GRAPH_NODE_TYPE_KERNEL,
                                         [OP_COPY] = CU_GRAPH_NODE_TYPE_MEMCPY,
                                         [OP_FILL] = CU_GRAPH_NODE_TYPE_MEMSET,
                                         [OP_HOST] = CU_GRAPH_NODE_TYPE_HOST,
                                         [OP_CHILD] = CU_GRAPH_NODE_TYPE_GRAPH,
                                         [OP_EMPTY] = CU_GRAPH_NODE_TYPE_EMPTY,
                                         [OP_EVENT_WAIT] = CU_GRAPH_NODE_TYPE_WAIT_EVENT,
                                         [OP_EVENT_RECORD] = CU_GRAPH_NODE_TYPE_EVENT_RECORD,
                                         [OP_ALLOC] = CU_GRAPH_NODE_TYPE_MEM_ALLOC,
                                         [OP_FREE] = CU_GRAPH_NODE_TYPE_MEM_FREE};
    return of[node->op.kind];
}
CUresult cuGraphNodeGetType(CUgraphNode node, CUgraphNodeType *type) {
    DRIVER_ENTER(NEED_INIT);
    if (!is_node(node) || !type) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    *type = graph_type_of(node);
    DRIVER_LEAVE(CUDA_SUCCESS);
}
// A clone keeps every node's place.
CUresult cuGraphNodeFindInClone(CUgraphNode *out, CUgraphNode original, CUgraph clone) {
    DRIVER_ENTER(NEED_INIT);
    if (!out || !is_node(original) || !is_graph(clone)) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    const int at = graph_index(original->graph, original);
    *out = at >= 0 && (unsigned)at < clone->n ? clone->node[at] : NULL;
    DRIVER_LEAVE(*out ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE);
}
// Its edges go with it.
CUresult cuGraphDestroyNode(CUgraphNode node) {
    DRIVER_ENTER(NEED_INIT);
    if (!is_node(node) || node->graph->is_captured) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    struct CUgraph_st *const g = node->graph;
    const unsigned at = (unsigned)graph_index(g, node);
    g->node[at] = NULL;
    for (unsigned i = 0; i < g->n; i++) {
        unsigned left = 0;
        for (unsigned k = 0; g->node[i] && k < g->node[i]->n_depends; k++)
            if (g->node[i]->depends[k] != at) g->node[i]->depends[left++] = g->node[i]->depends[k];
        if (g->node[i]) g->node[i]->n_depends = left;
    }
    graph_free_node(node);
    DRIVER_LEAVE(CUDA_SUCCESS);
}

// ---- lists of nodes and edges -------------------------------------------------------------------
static CUresult list_nodes(CUgraph g, CUgraphNode *out, size_t *n, bool roots) {
    if (!is_graph(g) || !n) return CUDA_ERROR_INVALID_VALUE;
    size_t found = 0;
    for (unsigned i = 0; i < g->n; i++) {
        if (!g->node[i] || (roots && g->node[i]->n_depends)) continue;
        if (out && found < *n) out[found] = g->node[i];
        found++;
    }
    *n = found;
    return CUDA_SUCCESS;
}
CUresult cuGraphGetNodes(CUgraph g, CUgraphNode *out, size_t *n) {
    DRIVER_ENTER(NEED_INIT);
    DRIVER_LEAVE(list_nodes(g, out, n, false));
}
CUresult cuGraphGetRootNodes(CUgraph g, CUgraphNode *out, size_t *n) {
    DRIVER_ENTER(NEED_INIT);
    DRIVER_LEAVE(list_nodes(g, out, n, true));
}

// All edges that touch `only_from` and `only_to` (NULL: any node). The data of all is 0.
static CUresult list_edges(CUgraph g, CUgraphNode only_from, CUgraphNode only_to, CUgraphNode *from,
                           CUgraphNode *to, CUgraphEdgeData *edges, size_t *n) {
    if (!n) return CUDA_ERROR_INVALID_VALUE;
    size_t found = 0;
    for (unsigned i = 0; i < g->n; i++) {
        struct CUgraphNode_st *node = g->node[i];
        for (unsigned k = 0; node && k < node->n_depends; k++) {
            struct CUgraphNode_st *before = g->node[node->depends[k]];
            if (!before || (only_from && before != only_from) || (only_to && node != only_to))
                continue;
            const bool wanted = (from || to) && found < *n;
            if (wanted && from) from[found] = before;
            if (wanted && to) to[found] = node;
            if (wanted && edges) edges[found] = (CUgraphEdgeData){0};
            found++;
        }
    }
    *n = found;
    return CUDA_SUCCESS;
}
CUresult cuGraphGetEdges(CUgraph g, CUgraphNode *from, CUgraphNode *to, CUgraphEdgeData *edges,
                         size_t *n) {
    DRIVER_ENTER(NEED_INIT);
    if (!is_graph(g)) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    DRIVER_LEAVE(list_edges(g, NULL, NULL, from, to, edges, n));
}
CUresult cuGraphNodeGetDependencies(CUgraphNode node, CUgraphNode *out, CUgraphEdgeData *edges,
                                    size_t *n) {
    DRIVER_ENTER(NEED_INIT);
    if (!is_node(node)) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    DRIVER_LEAVE(list_edges(node->graph, NULL, node, out, NULL, edges, n));
}
CUresult cuGraphNodeGetDependentNodes(CUgraphNode node, CUgraphNode *out, CUgraphEdgeData *edges,
                                      size_t *n) {
    DRIVER_ENTER(NEED_INIT);
    if (!is_node(node)) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    DRIVER_LEAVE(list_edges(node->graph, node, NULL, NULL, out, edges, n));
}

static CUresult change_edges(CUgraph g, const CUgraphNode *from, const CUgraphNode *to, size_t n,
                             bool add_them) {
    if (!is_graph(g) || (n && (!from || !to))) return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < n; i++) {
        const int a = graph_index(g, from[i]), b = graph_index(g, to[i]);
        if (a < 0 || b < 0 || a == b) return CUDA_ERROR_INVALID_VALUE;
        struct CUgraphNode_st *node = g->node[b];
        if (add_them) {
            if (!graph_depend(node, (unsigned)a)) return CUDA_ERROR_OUT_OF_MEMORY;
            g->is_unsorted |= a > b;
            continue;
        }
        unsigned left = 0;
        for (unsigned k = 0; k < node->n_depends; k++)
            if (node->depends[k] != (unsigned)a) node->depends[left++] = node->depends[k];
        node->n_depends = left;
    }
    return CUDA_SUCCESS;
}
CUresult cuGraphAddDependencies(CUgraph g, const CUgraphNode *from, const CUgraphNode *to,
                                const CUgraphEdgeData *edges, size_t n) {
    (void)edges;
    DRIVER_ENTER(NEED_INIT);
    DRIVER_LEAVE(change_edges(g, from, to, n, true));
}
CUresult cuGraphRemoveDependencies(CUgraph g, const CUgraphNode *from, const CUgraphNode *to,
                                   const CUgraphEdgeData *edges, size_t n) {
    (void)edges;
    DRIVER_ENTER(NEED_INIT);
    DRIVER_LEAVE(change_edges(g, from, to, n, false));
}
