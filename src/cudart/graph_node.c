// Graphs that a program builds by hand: nodes, edges, and new parameters for either a graph's nodes
// or an executable one's. Where a major version has put the data of edges between other arguments,
// the call reads them by version.
#include "cudart/graph.h"

// ---- graphs -------------------------------------------------------------------------------------
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

static cudaError_t add(CUgraphNode *out, CUgraph g, const CUgraphNode *depends, size_t n,
                       const struct cudart_op *op) {
    CUgraphNode node = graph_add(g, op, depends, n);
    if (out) *out = node;
    return cudart_error(node ? cudaSuccess : cudaErrorMemoryAllocation);
}
static cudaError_t kernel_op(const struct cudaKernelNodeParams *p, struct cudart_op *op) {
    if (!p->kernelParams && p->extra) return cudart_refuse("a graph's kernel node with `extra`");
    *op = (struct cudart_op){.kind = OP_KERNEL,
                             .kernel = {.grid = p->gridDim,
                                        .block = p->blockDim,
                                        .shared = p->sharedMemBytes,
                                        .args = p->kernelParams}};
    return cudart_function(p->func, &op->kernel.f);
}
static struct cudart_op fill_op(const struct cudaMemsetParams *p) {
    return (struct cudart_op){.kind = OP_FILL,
                              .fill = {(CUdeviceptr)(uintptr_t)p->dst, p->pitch,
                                       p->width * p->elementSize, p->height, p->value,
                                       p->elementSize}};
}
CUDART_API cudaError_t cudaGraphAddKernelNode(CUgraphNode *out, CUgraph g,
                                              const CUgraphNode *depends, size_t n,
                                              const struct cudaKernelNodeParams *p) {
    struct cudart_op op;
    const cudaError_t e = kernel_op(p, &op);
    return e != cudaSuccess ? cudart_error(e) : add(out, g, depends, n, &op);
}
CUDART_API cudaError_t cudaGraphAddMemcpyNode(CUgraphNode *out, CUgraph g,
                                              const CUgraphNode *depends, size_t n,
                                              const struct cudaMemcpy3DParms *p) {
    CUDART_READY();
    struct cudart_op op = {.kind = OP_COPY};
    const cudaError_t e = cudart_box(p, &op.copy);
    return e != cudaSuccess ? cudart_error(e) : add(out, g, depends, n, &op);
}
static struct cudaMemcpy3DParms line_copy(void *dst, const void *src, size_t bytes, int kind) {
    return (struct cudaMemcpy3DParms){.srcPtr = {(void *)(uintptr_t)src, bytes, bytes, 1},
                                      .dstPtr = {dst, bytes, bytes, 1},
                                      .extent = {bytes, 1, 1},
                                      .kind = kind};
}
CUDART_API cudaError_t cudaGraphAddMemcpyNode1D(CUgraphNode *out, CUgraph g,
                                                const CUgraphNode *depends, size_t n, void *dst,
                                                const void *src, size_t bytes, int kind) {
    const struct cudaMemcpy3DParms p = line_copy(dst, src, bytes, kind);
    return cudaGraphAddMemcpyNode(out, g, depends, n, &p);
}
CUDART_API cudaError_t cudaGraphAddMemcpyNodeToSymbol(CUgraphNode *out, CUgraph g,
                                                      const CUgraphNode *depends, size_t n,
                                                      const void *symbol, const void *src,
                                                      size_t bytes, size_t offset, int kind) {
    CUdeviceptr p;
    const cudaError_t e = cudart_symbol(symbol, &p, NULL);
    return e != cudaSuccess
               ? cudart_error(e)
               : cudaGraphAddMemcpyNode1D(out, g, depends, n, (void *)(uintptr_t)(p + offset), src,
                                          bytes, kind);
}
CUDART_API cudaError_t cudaGraphAddMemcpyNodeFromSymbol(CUgraphNode *out, CUgraph g,
                                                        const CUgraphNode *depends, size_t n,
                                                        void *dst, const void *symbol, size_t bytes,
                                                        size_t offset, int kind) {
    CUdeviceptr p;
    const cudaError_t e = cudart_symbol(symbol, &p, NULL);
    return e != cudaSuccess
               ? cudart_error(e)
               : cudaGraphAddMemcpyNode1D(out, g, depends, n, dst, (void *)(uintptr_t)(p + offset),
                                          bytes, kind);
}
CUDART_API cudaError_t cudaGraphAddMemsetNode(CUgraphNode *out, CUgraph g,
                                              const CUgraphNode *depends, size_t n,
                                              const struct cudaMemsetParams *p) {
    const struct cudart_op op = fill_op(p);
    return add(out, g, depends, n, &op);
}
CUDART_API cudaError_t cudaGraphAddHostNode(CUgraphNode *out, CUgraph g, const CUgraphNode *depends,
                                            size_t n, const struct cudaHostNodeParams *p) {
    const struct cudart_op op = {.kind = OP_HOST, .host = {p->fn, p->userData}};
    return add(out, g, depends, n, &op);
}
CUDART_API cudaError_t cudaGraphAddEmptyNode(CUgraphNode *out, CUgraph g,
                                             const CUgraphNode *depends, size_t n) {
    const struct cudart_op op = {.kind = OP_EMPTY};
    return add(out, g, depends, n, &op);
}
CUDART_API cudaError_t cudaGraphAddEventRecordNode(CUgraphNode *out, CUgraph g,
                                                   const CUgraphNode *depends, size_t n,
                                                   cudaEvent_t event) {
    const struct cudart_op op = {.kind = OP_EVENT_RECORD, .event = event};
    return add(out, g, depends, n, &op);
}
CUDART_API cudaError_t cudaGraphAddEventWaitNode(CUgraphNode *out, CUgraph g,
                                                 const CUgraphNode *depends, size_t n,
                                                 cudaEvent_t event) {
    const struct cudart_op op = {.kind = OP_EVENT_WAIT, .event = event};
    return add(out, g, depends, n, &op);
}
CUDART_API cudaError_t cudaGraphAddChildGraphNode(CUgraphNode *out, CUgraph g,
                                                  const CUgraphNode *depends, size_t n,
                                                  CUgraph child) {
    const struct cudart_op op = {.kind = OP_CHILD, .child = graph_copy(child)};
    return add(out, g, depends, n, &op);
}

// ---- edges: since 12 they may have data (graph_v2, and every call of 13), which is always 0 here
enum { EDGE_BYTES = 8 };
// What stands at place `edges` or one earlier, by whether the call has data of edges.
static cudaError_t change_edges(CUgraph g, const CUgraphNode *from, const CUgraphNode *to, size_t n,
                                bool add_them) {
    for (size_t i = 0; i < n; i++) {
        const int a = graph_index(g, from[i]), b = graph_index(g, to[i]);
        if (a < 0 || b < 0 || a == b) return cudart_error(cudaErrorInvalidValue);
        struct CUgraphNode_st *node = g->node[b];
        if (add_them) {
            if (!graph_depend(node, (unsigned)a)) return cudart_error(cudaErrorMemoryAllocation);
            g->is_unsorted |= a > b;
            continue;
        }
        unsigned left = 0;
        for (unsigned k = 0; k < node->n_depends; k++)
            if (node->depends[k] != (unsigned)a) node->depends[left++] = node->depends[k];
        node->n_depends = left;
    }
    return cudaSuccess;
}
CUDART_API cudaError_t cudaGraphAddDependencies(CUgraph g, const CUgraphNode *from,
                                                const CUgraphNode *to, uintptr_t a, size_t b) {
    return change_edges(g, from, to, cudart_major < 13 ? a : b, true);
}
CUDART_API cudaError_t cudaGraphAddDependencies_v2(CUgraph g, const CUgraphNode *from,
                                                   const CUgraphNode *to, const void *edges,
                                                   size_t n) {
    (void)edges;
    return change_edges(g, from, to, n, true);
}
CUDART_API cudaError_t cudaGraphRemoveDependencies(CUgraph g, const CUgraphNode *from,
                                                   const CUgraphNode *to, uintptr_t a, size_t b) {
    return change_edges(g, from, to, cudart_major < 13 ? a : b, false);
}
CUDART_API cudaError_t cudaGraphRemoveDependencies_v2(CUgraph g, const CUgraphNode *from,
                                                      const CUgraphNode *to, const void *edges,
                                                      size_t n) {
    (void)edges;
    return change_edges(g, from, to, n, false);
}

// All edges that touch `from` and `to` (NULL: any node).
static cudaError_t list_edges(CUgraph g, const struct CUgraphNode_st *only_from,
                              const struct CUgraphNode_st *only_to, CUgraphNode *from,
                              CUgraphNode *to, void *edges, size_t *n) {
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
            if (wanted && edges) memset((char *)edges + found * EDGE_BYTES, 0, EDGE_BYTES);
            found++;
        }
    }
    *n = found;
    return cudaSuccess;
}
CUDART_API cudaError_t cudaGraphGetEdges_v2(CUgraph g, CUgraphNode *from, CUgraphNode *to,
                                            void *edges, size_t *n) {
    return list_edges(g, NULL, NULL, from, to, edges, n);
}
CUDART_API cudaError_t cudaGraphGetEdges(CUgraph g, CUgraphNode *from, CUgraphNode *to, void *a,
                                         size_t *b) {
    return cudart_major < 13 ? cudaGraphGetEdges_v2(g, from, to, NULL, a)
                             : cudaGraphGetEdges_v2(g, from, to, a, b);
}
CUDART_API cudaError_t cudaGraphNodeGetDependencies_v2(CUgraphNode node, CUgraphNode *out,
                                                       void *edges, size_t *n) {
    return list_edges(node->graph, NULL, node, out, NULL, edges, n);
}
CUDART_API cudaError_t cudaGraphNodeGetDependencies(CUgraphNode node, CUgraphNode *out, void *a,
                                                    size_t *b) {
    return cudart_major < 13 ? cudaGraphNodeGetDependencies_v2(node, out, NULL, a)
                             : cudaGraphNodeGetDependencies_v2(node, out, a, b);
}
CUDART_API cudaError_t cudaGraphNodeGetDependentNodes_v2(CUgraphNode node, CUgraphNode *out,
                                                         void *edges, size_t *n) {
    return list_edges(node->graph, node, NULL, NULL, out, edges, n);
}
CUDART_API cudaError_t cudaGraphNodeGetDependentNodes(CUgraphNode node, CUgraphNode *out, void *a,
                                                      size_t *b) {
    return cudart_major < 13 ? cudaGraphNodeGetDependentNodes_v2(node, out, NULL, a)
                             : cudaGraphNodeGetDependentNodes_v2(node, out, a, b);
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
CUDART_API cudaError_t cudaGraphGetNodes(CUgraph g, CUgraphNode *out, size_t *n) {
    return list_nodes(g, out, n, false);
}
CUDART_API cudaError_t cudaGraphGetRootNodes(CUgraph g, CUgraphNode *out, size_t *n) {
    return list_nodes(g, out, n, true);
}
CUDART_API cudaError_t cudaGraphNodeGetType(CUgraphNode node, int *type) {
    static const int number[] = {
        [OP_KERNEL] = 0,         [OP_COPY] = 1,        [OP_FILL] = 2,       [OP_HOST] = 3,
        [OP_CHILD] = 4,          [OP_EMPTY] = 5,       [OP_EVENT_WAIT] = 6, [OP_EVENT_RECORD] = 7,
        [OP_ALLOC] = NODE_ALLOC, [OP_FREE] = NODE_FREE};
    *type = number[node->op.kind];
    return cudaSuccess;
}
CUDART_API cudaError_t cudaGraphDestroyNode(CUgraphNode node) {
    struct CUgraph_st *g = node->graph;
    const int at = graph_index(g, node);
    if (at < 0) return cudart_error(cudaErrorInvalidValue);
    g->node[at] = NULL;
    for (unsigned i = 0; i < g->n; i++) { // its edges go with it
        unsigned left = 0;
        for (unsigned k = 0; g->node[i] && k < g->node[i]->n_depends; k++)
            if (g->node[i]->depends[k] != (unsigned)at)
                g->node[i]->depends[left++] = g->node[i]->depends[k];
        if (g->node[i]) g->node[i]->n_depends = left;
    }
    graph_free_node(node);
    return cudaSuccess;
}
// A clone keeps every node's place.
CUDART_API cudaError_t cudaGraphNodeFindInClone(CUgraphNode *out, CUgraphNode original,
                                                CUgraph clone) {
    const int at = graph_index(original->graph, original);
    *out = at >= 0 && (unsigned)at < clone->n ? clone->node[at] : NULL;
    return cudart_error(*out ? cudaSuccess : cudaErrorInvalidValue);
}

// ---- any node by one call (12 and later) --------------------------------------------------------
static cudaError_t any_op(struct cudaGraphNodeParams *p, struct cudart_op *op) {
    switch (p->type) {
    case NODE_KERNEL: return kernel_op(&p->kernel, op);
    case NODE_COPY: op->kind = OP_COPY; return cudart_box(&p->copy.copyParams, &op->copy);
    case NODE_FILL: *op = fill_op(&p->fill); return cudaSuccess;
    case NODE_HOST:
        *op = (struct cudart_op){.kind = OP_HOST, .host = {p->host.fn, p->host.userData}};
        return cudaSuccess;
    case NODE_GRAPH:
        *op = (struct cudart_op){.kind = OP_CHILD, .child = graph_copy(p->graph)};
        return cudaSuccess;
    case NODE_EMPTY: *op = (struct cudart_op){.kind = OP_EMPTY}; return cudaSuccess;
    case NODE_WAIT:
        *op = (struct cudart_op){.kind = OP_EVENT_WAIT, .event = p->event};
        return cudaSuccess;
    case NODE_RECORD:
        *op = (struct cudart_op){.kind = OP_EVENT_RECORD, .event = p->event};
        return cudaSuccess;
    case NODE_ALLOC: return graph_alloc_op(&p->alloc, op);
    case NODE_FREE: return graph_free_op(p->free.dptr, op);
    default: return cudart_refuse("a graph's node of this kind (semaphores, conditions)");
    }
}
CUDART_API cudaError_t cudaGraphAddNode_v2(CUgraphNode *out, CUgraph g, const CUgraphNode *depends,
                                           const void *edges, size_t n,
                                           struct cudaGraphNodeParams *p) {
    (void)edges;
    CUDART_READY();
    struct cudart_op op = {0};
    const cudaError_t e = any_op(p, &op);
    if (e != cudaSuccess) return cudart_error(e);
    const cudaError_t added = add(out, g, depends, n, &op);
    if (op.kind == OP_ALLOC) graph_memory_drop(op.memory);
    return added;
}
CUDART_API cudaError_t cudaGraphAddNode(CUgraphNode *out, CUgraph g, const CUgraphNode *depends,
                                        uintptr_t a, uintptr_t b, struct cudaGraphNodeParams *c) {
    if (cudart_major < 13)
        return cudaGraphAddNode_v2(out, g, depends, NULL, a, (struct cudaGraphNodeParams *)b);
    return cudaGraphAddNode_v2(out, g, depends, (const void *)a, b, c);
}

// ---- changing nodes -----------------------------------------------------------------------------
// A node of the executable graph stands where its original stands.
static struct CUgraphNode_st *executable(CUgraphExec x, CUgraphNode node) {
    const int at = graph_index(node->graph, node);
    return at >= 0 && (unsigned)at < x->graph->n ? x->graph->node[at] : NULL;
}
CUDART_API cudaError_t cudaGraphExecKernelNodeSetParams(CUgraphExec x, CUgraphNode node,
                                                        const struct cudaKernelNodeParams *p) {
    struct cudart_op op;
    const cudaError_t e = kernel_op(p, &op);
    return e != cudaSuccess ? cudart_error(e) : graph_set(executable(x, node), &op);
}
CUDART_API cudaError_t cudaGraphKernelNodeSetParams(CUgraphNode node,
                                                    const struct cudaKernelNodeParams *p) {
    struct cudart_op op;
    const cudaError_t e = kernel_op(p, &op);
    return e != cudaSuccess ? cudart_error(e) : graph_set(node, &op);
}
CUDART_API cudaError_t cudaGraphKernelNodeGetParams(CUgraphNode node,
                                                    struct cudaKernelNodeParams *p) {
    if (node->op.kind != OP_KERNEL) return cudart_error(cudaErrorInvalidValue);
    *p = (struct cudaKernelNodeParams){(void *)(uintptr_t)cudart_handle_of(node->op.kernel.f),
                                       node->op.kernel.grid,
                                       node->op.kernel.block,
                                       node->op.kernel.shared,
                                       node->op.kernel.args,
                                       NULL};
    return cudaSuccess;
}
CUDART_API cudaError_t cudaGraphExecMemsetNodeSetParams(CUgraphExec x, CUgraphNode node,
                                                        const struct cudaMemsetParams *p) {
    const struct cudart_op op = fill_op(p);
    return graph_set(executable(x, node), &op);
}
CUDART_API cudaError_t cudaGraphExecMemcpyNodeSetParams(CUgraphExec x, CUgraphNode node,
                                                        const struct cudaMemcpy3DParms *p) {
    struct cudart_op op = {.kind = OP_COPY};
    const cudaError_t e = cudart_box(p, &op.copy);
    return e != cudaSuccess ? cudart_error(e) : graph_set(executable(x, node), &op);
}
CUDART_API cudaError_t cudaGraphExecHostNodeSetParams(CUgraphExec x, CUgraphNode node,
                                                      const struct cudaHostNodeParams *p) {
    const struct cudart_op op = {.kind = OP_HOST, .host = {p->fn, p->userData}};
    return graph_set(executable(x, node), &op);
}
CUDART_API cudaError_t cudaGraphNodeSetEnabled(CUgraphExec x, CUgraphNode node, unsigned enabled) {
    struct CUgraphNode_st *n = executable(x, node);
    if (!n) return cudart_error(cudaErrorInvalidValue);
    n->disabled = !enabled;
    return cudaSuccess;
}
CUDART_API cudaError_t cudaGraphNodeGetEnabled(CUgraphExec x, CUgraphNode node, unsigned *enabled) {
    const struct CUgraphNode_st *n = executable(x, node);
    if (!n) return cudart_error(cudaErrorInvalidValue);
    *enabled = !n->disabled;
    return cudaSuccess;
}
CUDART_API cudaError_t cudaGraphNodeSetParams(CUgraphNode node, struct cudaGraphNodeParams *p) {
    struct cudart_op op = {0};
    // memory belongs to its nodes from their making on
    if (p->type == NODE_ALLOC || p->type == NODE_FREE)
        return cudart_refuse("new parameters of a graph's node that allocates or frees");
    const cudaError_t e = any_op(p, &op);
    if (e != cudaSuccess) return cudart_error(e);
    const cudaError_t set = graph_set(node, &op);
    if (set != cudaSuccess && op.kind == OP_CHILD) graph_free(op.child);
    return set;
}
CUDART_API cudaError_t cudaGraphExecNodeSetParams(CUgraphExec x, CUgraphNode node,
                                                  struct cudaGraphNodeParams *p) {
    return cudaGraphNodeSetParams(executable(x, node), p);
}
CUDART_API cudaError_t cudaGraphMemcpyNodeSetParams(CUgraphNode node,
                                                    const struct cudaMemcpy3DParms *p) {
    struct cudart_op op = {.kind = OP_COPY};
    const cudaError_t e = cudart_box(p, &op.copy);
    return e != cudaSuccess ? cudart_error(e) : graph_set(node, &op);
}
CUDART_API cudaError_t cudaGraphMemcpyNodeSetParams1D(CUgraphNode node, void *dst, const void *src,
                                                      size_t bytes, int kind) {
    const struct cudaMemcpy3DParms p = line_copy(dst, src, bytes, kind);
    return cudaGraphMemcpyNodeSetParams(node, &p);
}
CUDART_API cudaError_t cudaGraphExecMemcpyNodeSetParams1D(CUgraphExec x, CUgraphNode node,
                                                          void *dst, const void *src, size_t bytes,
                                                          int kind) {
    return cudaGraphMemcpyNodeSetParams1D(executable(x, node), dst, src, bytes, kind);
}
// The driver's box as programs write it: places and widths in texels where an array is one side.
CUDART_API cudaError_t cudaGraphMemcpyNodeGetParams(CUgraphNode node, struct cudaMemcpy3DParms *p) {
    if (node->op.kind != OP_COPY) return cudart_error(cudaErrorInvalidValue);
    const CUDA_MEMCPY3D *c = &node->op.copy;
    const bool from_array = c->srcMemoryType == CU_MEMORYTYPE_ARRAY,
               to_array = c->dstMemoryType == CU_MEMORYTYPE_ARRAY;
    const unsigned texel = from_array ? cudart_texel_bytes(c->srcArray)
                           : to_array ? cudart_texel_bytes(c->dstArray)
                                      : 1;
    void *const src = c->srcMemoryType == CU_MEMORYTYPE_HOST ? (void *)(uintptr_t)c->srcHost
                                                             : (void *)(uintptr_t)c->srcDevice;
    void *const dst =
        c->dstMemoryType == CU_MEMORYTYPE_HOST ? c->dstHost : (void *)(uintptr_t)c->dstDevice;
    *p = (struct cudaMemcpy3DParms){
        .srcArray = from_array ? c->srcArray : NULL,
        .dstArray = to_array ? c->dstArray : NULL,
        .srcPos = {from_array ? c->srcXInBytes / texel : c->srcXInBytes, c->srcY, c->srcZ},
        .dstPos = {to_array ? c->dstXInBytes / texel : c->dstXInBytes, c->dstY, c->dstZ},
        .extent = {c->WidthInBytes / texel, c->Height, c->Depth},
        .kind = cudaMemcpyDefault};
    if (!from_array)
        p->srcPtr = (struct cudaPitchedPtr){src, c->srcPitch, c->WidthInBytes, c->srcHeight};
    if (!to_array)
        p->dstPtr = (struct cudaPitchedPtr){dst, c->dstPitch, c->WidthInBytes, c->dstHeight};
    return cudaSuccess;
}
CUDART_API cudaError_t cudaGraphMemcpyNodeSetParamsToSymbol(CUgraphNode node, const void *symbol,
                                                            const void *src, size_t bytes,
                                                            size_t offset, int kind) {
    CUdeviceptr at;
    const cudaError_t e = cudart_symbol(symbol, &at, NULL);
    return e != cudaSuccess ? cudart_error(e)
                            : cudaGraphMemcpyNodeSetParams1D(node, (void *)(uintptr_t)(at + offset),
                                                             src, bytes, kind);
}
CUDART_API cudaError_t cudaGraphMemcpyNodeSetParamsFromSymbol(CUgraphNode node, void *dst,
                                                              const void *symbol, size_t bytes,
                                                              size_t offset, int kind) {
    CUdeviceptr at;
    const cudaError_t e = cudart_symbol(symbol, &at, NULL);
    return e != cudaSuccess ? cudart_error(e)
                            : cudaGraphMemcpyNodeSetParams1D(
                                  node, dst, (void *)(uintptr_t)(at + offset), bytes, kind);
}
CUDART_API cudaError_t cudaGraphExecMemcpyNodeSetParamsToSymbol(CUgraphExec x, CUgraphNode node,
                                                                const void *symbol, const void *src,
                                                                size_t bytes, size_t offset,
                                                                int kind) {
    return cudaGraphMemcpyNodeSetParamsToSymbol(executable(x, node), symbol, src, bytes, offset,
                                                kind);
}
CUDART_API cudaError_t cudaGraphExecMemcpyNodeSetParamsFromSymbol(CUgraphExec x, CUgraphNode node,
                                                                  void *dst, const void *symbol,
                                                                  size_t bytes, size_t offset,
                                                                  int kind) {
    return cudaGraphMemcpyNodeSetParamsFromSymbol(executable(x, node), dst, symbol, bytes, offset,
                                                  kind);
}
CUDART_API cudaError_t cudaGraphMemsetNodeSetParams(CUgraphNode node,
                                                    const struct cudaMemsetParams *p) {
    const struct cudart_op op = fill_op(p);
    return graph_set(node, &op);
}
CUDART_API cudaError_t cudaGraphMemsetNodeGetParams(CUgraphNode node, struct cudaMemsetParams *p) {
    if (node->op.kind != OP_FILL) return cudart_error(cudaErrorInvalidValue);
    *p = (struct cudaMemsetParams){(void *)(uintptr_t)node->op.fill.dst,
                                   node->op.fill.pitch,
                                   node->op.fill.value,
                                   node->op.fill.element,
                                   node->op.fill.width / node->op.fill.element,
                                   node->op.fill.height};
    return cudaSuccess;
}
CUDART_API cudaError_t cudaGraphHostNodeSetParams(CUgraphNode node,
                                                  const struct cudaHostNodeParams *p) {
    const struct cudart_op op = {.kind = OP_HOST, .host = {p->fn, p->userData}};
    return graph_set(node, &op);
}
CUDART_API cudaError_t cudaGraphHostNodeGetParams(CUgraphNode node, struct cudaHostNodeParams *p) {
    if (node->op.kind != OP_HOST) return cudart_error(cudaErrorInvalidValue);
    *p = (struct cudaHostNodeParams){node->op.host.fn, node->op.host.user};
    return cudaSuccess;
}
CUDART_API cudaError_t cudaGraphChildGraphNodeGetGraph(CUgraphNode node, CUgraph *out) {
    if (node->op.kind != OP_CHILD) return cudart_error(cudaErrorInvalidValue);
    *out = node->op.child;
    return cudaSuccess;
}
CUDART_API cudaError_t cudaGraphExecChildGraphNodeSetParams(CUgraphExec x, CUgraphNode node,
                                                            CUgraph child) {
    const struct cudart_op op = {.kind = OP_CHILD, .child = graph_copy(child)};
    return graph_set(executable(x, node), &op);
}
static cudaError_t set_event(CUgraphNode node, enum cudart_op_kind kind, cudaEvent_t event) {
    const struct cudart_op op = {.kind = kind, .event = event};
    return graph_set(node, &op);
}
static cudaError_t get_event(CUgraphNode node, enum cudart_op_kind kind, cudaEvent_t *out) {
    if (node->op.kind != kind) return cudart_error(cudaErrorInvalidValue);
    *out = node->op.event;
    return cudaSuccess;
}
CUDART_API cudaError_t cudaGraphEventRecordNodeSetEvent(CUgraphNode n, cudaEvent_t e) {
    return set_event(n, OP_EVENT_RECORD, e);
}
CUDART_API cudaError_t cudaGraphEventWaitNodeSetEvent(CUgraphNode n, cudaEvent_t e) {
    return set_event(n, OP_EVENT_WAIT, e);
}
CUDART_API cudaError_t cudaGraphEventRecordNodeGetEvent(CUgraphNode n, cudaEvent_t *e) {
    return get_event(n, OP_EVENT_RECORD, e);
}
CUDART_API cudaError_t cudaGraphEventWaitNodeGetEvent(CUgraphNode n, cudaEvent_t *e) {
    return get_event(n, OP_EVENT_WAIT, e);
}
CUDART_API cudaError_t cudaGraphExecEventRecordNodeSetEvent(CUgraphExec x, CUgraphNode n,
                                                            cudaEvent_t e) {
    return set_event(executable(x, n), OP_EVENT_RECORD, e);
}
CUDART_API cudaError_t cudaGraphExecEventWaitNodeSetEvent(CUgraphExec x, CUgraphNode n,
                                                          cudaEvent_t e) {
    return set_event(executable(x, n), OP_EVENT_WAIT, e);
}
