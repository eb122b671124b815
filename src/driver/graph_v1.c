// Calls of graphs and captures as they were before edges had data and kernels a place of their own:
// each is the newer call with what it lacks left out. The header maps the plain names to the newer
// symbols, so they are taken back here.
#include "driver/graph.h"

#define PUBLIC __attribute__((visibility("default")))

// ---- the newer calls, under names that survive --------------------------------------------------
static CUresult add_kernel(CUgraphNode *out, CUgraph g, const CUgraphNode *depends, size_t n,
                           const CUDA_KERNEL_NODE_PARAMS *p) {
    return cuGraphAddKernelNode(out, g, depends, n, p);
}
static CUresult get_kernel(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS *p) {
    return cuGraphKernelNodeGetParams(node, p);
}
static CUresult set_kernel(CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS *p) {
    return cuGraphKernelNodeSetParams(node, p);
}
static CUresult set_exec_kernel(CUgraphExec x, CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS *p) {
    return cuGraphExecKernelNodeSetParams(x, node, p);
}
static CUresult add_any(CUgraphNode *out, CUgraph g, const CUgraphNode *depends, size_t n,
                        CUgraphNodeParams *p) {
    return cuGraphAddNode(out, g, depends, NULL, n, p);
}
static CUresult update(CUgraphExec x, CUgraph g, CUgraphExecUpdateResultInfo *info) {
    return cuGraphExecUpdate(x, g, info);
}
static CUresult edges_of(CUgraph g, CUgraphNode *from, CUgraphNode *to, size_t *n) {
    return cuGraphGetEdges(g, from, to, NULL, n);
}
static CUresult before(CUgraphNode node, CUgraphNode *out, size_t *n) {
    return cuGraphNodeGetDependencies(node, out, NULL, n);
}
static CUresult after(CUgraphNode node, CUgraphNode *out, size_t *n) {
    return cuGraphNodeGetDependentNodes(node, out, NULL, n);
}
static CUresult add_edges(CUgraph g, const CUgraphNode *from, const CUgraphNode *to, size_t n) {
    return cuGraphAddDependencies(g, from, to, NULL, n);
}
static CUresult remove_edges(CUgraph g, const CUgraphNode *from, const CUgraphNode *to, size_t n) {
    return cuGraphRemoveDependencies(g, from, to, NULL, n);
}
static CUresult change_front(CUstream s, CUgraphNode *depends, size_t n, unsigned int flags) {
    return cuStreamUpdateCaptureDependencies(s, depends, NULL, n, flags);
}
static CUresult capture_info(CUstream s, CUstreamCaptureStatus *status, cuuint64_t *id) {
    return cuStreamGetCaptureInfo(s, status, id, NULL, NULL, NULL, NULL);
}

#undef cuGraphAddKernelNode
#undef cuGraphKernelNodeGetParams
#undef cuGraphKernelNodeSetParams
#undef cuGraphExecKernelNodeSetParams
#undef cuGraphAddNode
#undef cuGraphExecUpdate
#undef cuGraphGetEdges
#undef cuGraphNodeGetDependencies
#undef cuGraphNodeGetDependentNodes
#undef cuGraphAddDependencies
#undef cuGraphRemoveDependencies
#undef cuGraphInstantiate
#undef cuStreamUpdateCaptureDependencies
#undef cuStreamGetCaptureInfo

// ---- kernels ------------------------------------------------------------------------------------
static const CUDA_KERNEL_NODE_PARAMS *widened(const CUDA_KERNEL_NODE_PARAMS_v1 *p,
                                              CUDA_KERNEL_NODE_PARAMS *wide) {
    if (!p) return NULL;
    *wide = (CUDA_KERNEL_NODE_PARAMS){.kern = NULL};
    memcpy(wide, p, sizeof *p);
    return wide;
}
#define OLD(name, parameters, body)                                                                \
    PUBLIC CUresult name parameters;                                                               \
    CUresult name parameters body

OLD(cuGraphAddKernelNode,
    (CUgraphNode * out, CUgraph g, const CUgraphNode *depends, size_t n,
     const CUDA_KERNEL_NODE_PARAMS_v1 *p),
    {
        CUDA_KERNEL_NODE_PARAMS wide;
        return add_kernel(out, g, depends, n, widened(p, &wide));
    })
OLD(cuGraphKernelNodeSetParams, (CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS_v1 *p), {
    CUDA_KERNEL_NODE_PARAMS wide;
    return set_kernel(node, widened(p, &wide));
})
OLD(cuGraphExecKernelNodeSetParams,
    (CUgraphExec x, CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS_v1 *p), {
        CUDA_KERNEL_NODE_PARAMS wide;
        return set_exec_kernel(x, node, widened(p, &wide));
    })
OLD(cuGraphKernelNodeGetParams, (CUgraphNode node, CUDA_KERNEL_NODE_PARAMS_v1 *p), {
    CUDA_KERNEL_NODE_PARAMS wide;
    if (!p) return CUDA_ERROR_INVALID_VALUE;
    const CUresult r = get_kernel(node, &wide);
    if (r == CUDA_SUCCESS) memcpy(p, &wide, sizeof *p);
    return r;
})

// ---- nodes and edges ----------------------------------------------------------------------------
OLD(cuGraphAddNode,
    (CUgraphNode * out, CUgraph g, const CUgraphNode *depends, size_t n, CUgraphNodeParams *p),
    { return add_any(out, g, depends, n, p); })
OLD(cuGraphGetEdges, (CUgraph g, CUgraphNode *from, CUgraphNode *to, size_t *n),
    { return edges_of(g, from, to, n); })
OLD(cuGraphNodeGetDependencies, (CUgraphNode node, CUgraphNode *out, size_t *n),
    { return before(node, out, n); })
OLD(cuGraphNodeGetDependentNodes, (CUgraphNode node, CUgraphNode *out, size_t *n),
    { return after(node, out, n); })
OLD(cuGraphAddDependencies, (CUgraph g, const CUgraphNode *from, const CUgraphNode *to, size_t n),
    { return add_edges(g, from, to, n); })
OLD(cuGraphRemoveDependencies,
    (CUgraph g, const CUgraphNode *from, const CUgraphNode *to, size_t n),
    { return remove_edges(g, from, to, n); })

// ---- executable graphs --------------------------------------------------------------------------
OLD(cuGraphExecUpdate,
    (CUgraphExec x, CUgraph g, CUgraphNode *error, CUgraphExecUpdateResult *result), {
        CUgraphExecUpdateResultInfo info = {.errorNode = NULL};
        const CUresult r = update(x, g, &info);
        if (error) *error = info.errorNode;
        if (result) *result = info.result;
        return r;
    })
// Nothing can go wrong that the node and the text would say.
OLD(cuGraphInstantiate, (CUgraphExec * out, CUgraph g, CUgraphNode *error, char *log, size_t bytes),
    {
        if (error) *error = NULL;
        if (log && bytes) *log = 0;
        return cuGraphInstantiateWithFlags(out, g, 0);
    })
OLD(cuGraphInstantiate_v2,
    (CUgraphExec * out, CUgraph g, CUgraphNode *error, char *log, size_t bytes),
    { return cuGraphInstantiate(out, g, error, log, bytes); })

// ---- captures, with the default stream of a thread beside ---------------------------------------
#define OF_THREAD(name, own_name, parameters, arguments)                                           \
    OLD(own_name, parameters, {                                                                    \
        driver_default_is_own = true;                                                              \
        const CUresult r = name arguments;                                                         \
        driver_default_is_own = false;                                                             \
        return r;                                                                                  \
    })
OLD(cuStreamUpdateCaptureDependencies,
    (CUstream s, CUgraphNode *depends, size_t n, unsigned int flags),
    { return change_front(s, depends, n, flags); })
OLD(cuStreamGetCaptureInfo, (CUstream s, CUstreamCaptureStatus *status, cuuint64_t *id),
    { return capture_info(s, status, id); })
OF_THREAD(cuStreamUpdateCaptureDependencies, cuStreamUpdateCaptureDependencies_ptsz,
          (CUstream s, CUgraphNode *depends, size_t n, unsigned int flags), (s, depends, n, flags))
OF_THREAD(cuStreamGetCaptureInfo, cuStreamGetCaptureInfo_ptsz,
          (CUstream s, CUstreamCaptureStatus *status, cuuint64_t *id), (s, status, id))
