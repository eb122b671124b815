// Graphs that a program builds by hand: the driver's, in the runtime's words. Where a major version
// has put the data of edges between other arguments, the call reads them by version.
#include "cudart/cudart.h"

// ---- graphs -------------------------------------------------------------------------------------
CUDART_API cudaError_t cudaGraphCreate(CUgraph *out, unsigned flags) {
    CUDART_READY();
    return cudart_done(cuGraphCreate(out, flags));
}
CUDART_API cudaError_t cudaGraphDestroy(CUgraph g) { return cudart_done(cuGraphDestroy(g)); }
CUDART_API cudaError_t cudaGraphClone(CUgraph *out, CUgraph g) {
    CUDART_READY();
    return cudart_done(cuGraphClone(out, g));
}

// ---- what nodes do ------------------------------------------------------------------------------
static cudaError_t kernel_of(const struct cudaKernelNodeParams *p, CUDA_KERNEL_NODE_PARAMS *own) {
    if (!p) return cudaErrorInvalidValue;
    *own = (CUDA_KERNEL_NODE_PARAMS){.gridDimX = p->gridDim.x,
                                     .gridDimY = p->gridDim.y,
                                     .gridDimZ = p->gridDim.z,
                                     .blockDimX = p->blockDim.x,
                                     .blockDimY = p->blockDim.y,
                                     .blockDimZ = p->blockDim.z,
                                     .sharedMemBytes = p->sharedMemBytes,
                                     .kernelParams = p->kernelParams,
                                     .extra = p->kernelParams ? NULL : p->extra};
    return cudart_function(p->func, &own->func);
}
static CUDA_MEMSET_NODE_PARAMS fill_of(const struct cudaMemsetParams *p) {
    return (CUDA_MEMSET_NODE_PARAMS){
        (CUdeviceptr)(uintptr_t)p->dst, p->pitch, p->value, p->elementSize, p->width, p->height};
}
static CUDA_HOST_NODE_PARAMS host_of(const struct cudaHostNodeParams *p) {
    return (CUDA_HOST_NODE_PARAMS){p->fn, p->userData};
}
// What most calls do: translate, then call.
#define WITH(type, own, make, call)                                                                \
    type own;                                                                                      \
    const cudaError_t e = make;                                                                    \
    return e != cudaSuccess ? cudart_error(e) : cudart_done(call)

// ---- making nodes -------------------------------------------------------------------------------
CUDART_API cudaError_t cudaGraphAddKernelNode(CUgraphNode *out, CUgraph g,
                                              const CUgraphNode *depends, size_t n,
                                              const struct cudaKernelNodeParams *p) {
    WITH(CUDA_KERNEL_NODE_PARAMS, own, kernel_of(p, &own),
         cuGraphAddKernelNode(out, g, depends, n, &own));
}
CUDART_API cudaError_t cudaGraphAddMemcpyNode(CUgraphNode *out, CUgraph g,
                                              const CUgraphNode *depends, size_t n,
                                              const struct cudaMemcpy3DParms *p) {
    CUDART_READY();
    WITH(CUDA_MEMCPY3D, own, cudart_box(p, &own),
         cuGraphAddMemcpyNode(out, g, depends, n, &own, NULL));
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
    CUDART_READY();
    if (!p) return cudart_error(cudaErrorInvalidValue);
    const CUDA_MEMSET_NODE_PARAMS own = fill_of(p);
    return cudart_done(cuGraphAddMemsetNode(out, g, depends, n, &own, NULL));
}
CUDART_API cudaError_t cudaGraphAddHostNode(CUgraphNode *out, CUgraph g, const CUgraphNode *depends,
                                            size_t n, const struct cudaHostNodeParams *p) {
    CUDART_READY();
    if (!p) return cudart_error(cudaErrorInvalidValue);
    const CUDA_HOST_NODE_PARAMS own = host_of(p);
    return cudart_done(cuGraphAddHostNode(out, g, depends, n, &own));
}
CUDART_API cudaError_t cudaGraphAddEmptyNode(CUgraphNode *out, CUgraph g,
                                             const CUgraphNode *depends, size_t n) {
    CUDART_READY();
    return cudart_done(cuGraphAddEmptyNode(out, g, depends, n));
}
CUDART_API cudaError_t cudaGraphAddEventRecordNode(CUgraphNode *out, CUgraph g,
                                                   const CUgraphNode *depends, size_t n,
                                                   cudaEvent_t event) {
    CUDART_READY();
    return cudart_done(cuGraphAddEventRecordNode(out, g, depends, n, event));
}
CUDART_API cudaError_t cudaGraphAddEventWaitNode(CUgraphNode *out, CUgraph g,
                                                 const CUgraphNode *depends, size_t n,
                                                 cudaEvent_t event) {
    CUDART_READY();
    return cudart_done(cuGraphAddEventWaitNode(out, g, depends, n, event));
}
CUDART_API cudaError_t cudaGraphAddChildGraphNode(CUgraphNode *out, CUgraph g,
                                                  const CUgraphNode *depends, size_t n,
                                                  CUgraph child) {
    CUDART_READY();
    return cudart_done(cuGraphAddChildGraphNode(out, g, depends, n, child));
}
// Of 11 the properties of a pool are smaller than those of 12, with the same 88 bytes in all.
CUDART_API cudaError_t cudaGraphAddMemAllocNode(CUgraphNode *out, CUgraph g,
                                                const CUgraphNode *depends, size_t n,
                                                struct cudaMemAllocNodeParams *p) {
    CUDART_READY();
    if (!p) return cudart_error(cudaErrorInvalidValue);
    CUDA_MEM_ALLOC_NODE_PARAMS own = {.bytesize = p->bytesize};
    const CUresult r = cuGraphAddMemAllocNode(out, g, depends, n, &own);
    if (r == CUDA_SUCCESS) p->dptr = (void *)(uintptr_t)own.dptr;
    return cudart_done(r);
}
CUDART_API cudaError_t cudaGraphMemAllocNodeGetParams(CUgraphNode node,
                                                      struct cudaMemAllocNodeParams *p) {
    CUDA_MEM_ALLOC_NODE_PARAMS own;
    const CUresult r = p ? cuGraphMemAllocNodeGetParams(node, &own) : CUDA_ERROR_INVALID_VALUE;
    if (r == CUDA_SUCCESS)
        *p = (struct cudaMemAllocNodeParams){
            .poolProps = {.allocType = (int)own.poolProps.allocType,
                          .location = {(int)own.poolProps.location.type, 0}},
            .bytesize = own.bytesize,
            .dptr = (void *)(uintptr_t)own.dptr};
    return cudart_done(r);
}
CUDART_API cudaError_t cudaGraphAddMemFreeNode(CUgraphNode *out, CUgraph g,
                                               const CUgraphNode *depends, size_t n, void *p) {
    CUDART_READY();
    return cudart_done(cuGraphAddMemFreeNode(out, g, depends, n, (CUdeviceptr)(uintptr_t)p));
}
CUDART_API cudaError_t cudaGraphMemFreeNodeGetParams(CUgraphNode node, void *out) {
    return cudart_done(cuGraphMemFreeNodeGetParams(node, out));
}

// ---- edges --------------------------------------------------------------------------------------
CUDART_API cudaError_t cudaGraphAddDependencies_v2(CUgraph g, const CUgraphNode *from,
                                                   const CUgraphNode *to, const void *edges,
                                                   size_t n) {
    return cudart_done(cuGraphAddDependencies(g, from, to, edges, n));
}
CUDART_API cudaError_t cudaGraphAddDependencies(CUgraph g, const CUgraphNode *from,
                                                const CUgraphNode *to, uintptr_t a, size_t b) {
    return cudaGraphAddDependencies_v2(g, from, to, NULL, cudart_major < 13 ? a : b);
}
CUDART_API cudaError_t cudaGraphRemoveDependencies_v2(CUgraph g, const CUgraphNode *from,
                                                      const CUgraphNode *to, const void *edges,
                                                      size_t n) {
    return cudart_done(cuGraphRemoveDependencies(g, from, to, edges, n));
}
CUDART_API cudaError_t cudaGraphRemoveDependencies(CUgraph g, const CUgraphNode *from,
                                                   const CUgraphNode *to, uintptr_t a, size_t b) {
    return cudaGraphRemoveDependencies_v2(g, from, to, NULL, cudart_major < 13 ? a : b);
}
CUDART_API cudaError_t cudaGraphGetEdges_v2(CUgraph g, CUgraphNode *from, CUgraphNode *to,
                                            void *edges, size_t *n) {
    return cudart_done(cuGraphGetEdges(g, from, to, edges, n));
}
CUDART_API cudaError_t cudaGraphGetEdges(CUgraph g, CUgraphNode *from, CUgraphNode *to, void *a,
                                         size_t *b) {
    return cudart_major < 13 ? cudaGraphGetEdges_v2(g, from, to, NULL, a)
                             : cudaGraphGetEdges_v2(g, from, to, a, b);
}
CUDART_API cudaError_t cudaGraphNodeGetDependencies_v2(CUgraphNode node, CUgraphNode *out,
                                                       void *edges, size_t *n) {
    return cudart_done(cuGraphNodeGetDependencies(node, out, edges, n));
}
CUDART_API cudaError_t cudaGraphNodeGetDependencies(CUgraphNode node, CUgraphNode *out, void *a,
                                                    size_t *b) {
    return cudart_major < 13 ? cudaGraphNodeGetDependencies_v2(node, out, NULL, a)
                             : cudaGraphNodeGetDependencies_v2(node, out, a, b);
}
CUDART_API cudaError_t cudaGraphNodeGetDependentNodes_v2(CUgraphNode node, CUgraphNode *out,
                                                         void *edges, size_t *n) {
    return cudart_done(cuGraphNodeGetDependentNodes(node, out, edges, n));
}
CUDART_API cudaError_t cudaGraphNodeGetDependentNodes(CUgraphNode node, CUgraphNode *out, void *a,
                                                      size_t *b) {
    return cudart_major < 13 ? cudaGraphNodeGetDependentNodes_v2(node, out, NULL, a)
                             : cudaGraphNodeGetDependentNodes_v2(node, out, a, b);
}
CUDART_API cudaError_t cudaGraphGetNodes(CUgraph g, CUgraphNode *out, size_t *n) {
    return cudart_done(cuGraphGetNodes(g, out, n));
}
CUDART_API cudaError_t cudaGraphGetRootNodes(CUgraph g, CUgraphNode *out, size_t *n) {
    return cudart_done(cuGraphGetRootNodes(g, out, n));
}
CUDART_API cudaError_t cudaGraphNodeGetType(CUgraphNode node, int *type) {
    return cudart_done(cuGraphNodeGetType(node, (CUgraphNodeType *)type));
}
CUDART_API cudaError_t cudaGraphDestroyNode(CUgraphNode node) {
    return cudart_done(cuGraphDestroyNode(node));
}
CUDART_API cudaError_t cudaGraphNodeFindInClone(CUgraphNode *out, CUgraphNode original,
                                                CUgraph clone) {
    return cudart_done(cuGraphNodeFindInClone(out, original, clone));
}

// ---- any node by one call (12 and later) --------------------------------------------------------
// The runtime's structure has the driver's layout, but for names of kernels and boxes of copies.
static cudaError_t any_of(struct cudaGraphNodeParams *p, CUgraphNodeParams *own) {
    _Static_assert(sizeof *p == sizeof *own, "one layout");
    if (!p) return cudaErrorInvalidValue;
    memcpy(own, p, sizeof *own);
    if (p->type == NODE_KERNEL) return kernel_of(&p->kernel, &own->kernel);
    if (p->type != NODE_COPY) return cudaSuccess;
    own->memcpy.copyCtx = NULL;
    return cudart_box(&p->copy.copyParams, &own->memcpy.copyParams);
}
CUDART_API cudaError_t cudaGraphAddNode_v2(CUgraphNode *out, CUgraph g, const CUgraphNode *depends,
                                           const void *edges, size_t n,
                                           struct cudaGraphNodeParams *p) {
    CUDART_READY();
    CUgraphNodeParams own;
    const cudaError_t e = any_of(p, &own);
    if (e != cudaSuccess) return cudart_error(e);
    const CUresult r = cuGraphAddNode(out, g, depends, edges, n, &own);
    if (r == CUDA_SUCCESS && p->type == NODE_ALLOC)
        p->alloc.dptr = (void *)(uintptr_t)own.alloc.dptr;
    return cudart_done(r);
}
CUDART_API cudaError_t cudaGraphAddNode(CUgraphNode *out, CUgraph g, const CUgraphNode *depends,
                                        uintptr_t a, uintptr_t b, struct cudaGraphNodeParams *c) {
    if (cudart_major < 13)
        return cudaGraphAddNode_v2(out, g, depends, NULL, a, (struct cudaGraphNodeParams *)b);
    return cudaGraphAddNode_v2(out, g, depends, (const void *)a, b, c);
}
CUDART_API cudaError_t cudaGraphNodeSetParams(CUgraphNode node, struct cudaGraphNodeParams *p) {
    WITH(CUgraphNodeParams, own, any_of(p, &own), cuGraphNodeSetParams(node, &own));
}
CUDART_API cudaError_t cudaGraphExecNodeSetParams(CUgraphExec x, CUgraphNode node,
                                                  struct cudaGraphNodeParams *p) {
    WITH(CUgraphNodeParams, own, any_of(p, &own), cuGraphExecNodeSetParams(x, node, &own));
}

// ---- changing nodes, and reading them -----------------------------------------------------------
CUDART_API cudaError_t cudaGraphExecKernelNodeSetParams(CUgraphExec x, CUgraphNode node,
                                                        const struct cudaKernelNodeParams *p) {
    WITH(CUDA_KERNEL_NODE_PARAMS, own, kernel_of(p, &own),
         cuGraphExecKernelNodeSetParams(x, node, &own));
}
CUDART_API cudaError_t cudaGraphKernelNodeSetParams(CUgraphNode node,
                                                    const struct cudaKernelNodeParams *p) {
    WITH(CUDA_KERNEL_NODE_PARAMS, own, kernel_of(p, &own), cuGraphKernelNodeSetParams(node, &own));
}
CUDART_API cudaError_t cudaGraphKernelNodeGetParams(CUgraphNode node,
                                                    struct cudaKernelNodeParams *p) {
    CUDA_KERNEL_NODE_PARAMS own;
    const CUresult r = p ? cuGraphKernelNodeGetParams(node, &own) : CUDA_ERROR_INVALID_VALUE;
    if (r == CUDA_SUCCESS)
        *p = (struct cudaKernelNodeParams){(void *)(uintptr_t)cudart_handle_of(own.func),
                                           {own.gridDimX, own.gridDimY, own.gridDimZ},
                                           {own.blockDimX, own.blockDimY, own.blockDimZ},
                                           own.sharedMemBytes,
                                           own.kernelParams,
                                           NULL};
    return cudart_done(r);
}
CUDART_API cudaError_t cudaGraphMemsetNodeSetParams(CUgraphNode node,
                                                    const struct cudaMemsetParams *p) {
    if (!p) return cudart_error(cudaErrorInvalidValue);
    const CUDA_MEMSET_NODE_PARAMS own = fill_of(p);
    return cudart_done(cuGraphMemsetNodeSetParams(node, &own));
}
CUDART_API cudaError_t cudaGraphExecMemsetNodeSetParams(CUgraphExec x, CUgraphNode node,
                                                        const struct cudaMemsetParams *p) {
    if (!p) return cudart_error(cudaErrorInvalidValue);
    const CUDA_MEMSET_NODE_PARAMS own = fill_of(p);
    return cudart_done(cuGraphExecMemsetNodeSetParams(x, node, &own, NULL));
}
CUDART_API cudaError_t cudaGraphMemsetNodeGetParams(CUgraphNode node, struct cudaMemsetParams *p) {
    CUDA_MEMSET_NODE_PARAMS own;
    const CUresult r = p ? cuGraphMemsetNodeGetParams(node, &own) : CUDA_ERROR_INVALID_VALUE;
    if (r == CUDA_SUCCESS)
        *p = (struct cudaMemsetParams){(void *)(uintptr_t)own.dst,
                                       own.pitch,
                                       own.value,
                                       own.elementSize,
                                       own.width,
                                       own.height};
    return cudart_done(r);
}
CUDART_API cudaError_t cudaGraphHostNodeSetParams(CUgraphNode node,
                                                  const struct cudaHostNodeParams *p) {
    if (!p) return cudart_error(cudaErrorInvalidValue);
    const CUDA_HOST_NODE_PARAMS own = host_of(p);
    return cudart_done(cuGraphHostNodeSetParams(node, &own));
}
CUDART_API cudaError_t cudaGraphExecHostNodeSetParams(CUgraphExec x, CUgraphNode node,
                                                      const struct cudaHostNodeParams *p) {
    if (!p) return cudart_error(cudaErrorInvalidValue);
    const CUDA_HOST_NODE_PARAMS own = host_of(p);
    return cudart_done(cuGraphExecHostNodeSetParams(x, node, &own));
}
CUDART_API cudaError_t cudaGraphHostNodeGetParams(CUgraphNode node, struct cudaHostNodeParams *p) {
    CUDA_HOST_NODE_PARAMS own;
    const CUresult r = p ? cuGraphHostNodeGetParams(node, &own) : CUDA_ERROR_INVALID_VALUE;
    if (r == CUDA_SUCCESS) *p = (struct cudaHostNodeParams){own.fn, own.userData};
    return cudart_done(r);
}
CUDART_API cudaError_t cudaGraphMemcpyNodeSetParams(CUgraphNode node,
                                                    const struct cudaMemcpy3DParms *p) {
    WITH(CUDA_MEMCPY3D, own, cudart_box(p, &own), cuGraphMemcpyNodeSetParams(node, &own));
}
CUDART_API cudaError_t cudaGraphExecMemcpyNodeSetParams(CUgraphExec x, CUgraphNode node,
                                                        const struct cudaMemcpy3DParms *p) {
    WITH(CUDA_MEMCPY3D, own, cudart_box(p, &own),
         cuGraphExecMemcpyNodeSetParams(x, node, &own, NULL));
}
CUDART_API cudaError_t cudaGraphMemcpyNodeSetParams1D(CUgraphNode node, void *dst, const void *src,
                                                      size_t bytes, int kind) {
    const struct cudaMemcpy3DParms p = line_copy(dst, src, bytes, kind);
    return cudaGraphMemcpyNodeSetParams(node, &p);
}
CUDART_API cudaError_t cudaGraphExecMemcpyNodeSetParams1D(CUgraphExec x, CUgraphNode node,
                                                          void *dst, const void *src, size_t bytes,
                                                          int kind) {
    const struct cudaMemcpy3DParms p = line_copy(dst, src, bytes, kind);
    return cudaGraphExecMemcpyNodeSetParams(x, node, &p);
}
// The driver's box as programs write it: places and widths in texels where an array is one side.
CUDART_API cudaError_t cudaGraphMemcpyNodeGetParams(CUgraphNode node, struct cudaMemcpy3DParms *p) {
    CUDA_MEMCPY3D own, *const c = &own;
    const CUresult r = p ? cuGraphMemcpyNodeGetParams(node, c) : CUDA_ERROR_INVALID_VALUE;
    if (r != CUDA_SUCCESS) return cudart_done(r);
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
    CUdeviceptr at;
    const cudaError_t e = cudart_symbol(symbol, &at, NULL);
    return e != cudaSuccess ? cudart_error(e)
                            : cudaGraphExecMemcpyNodeSetParams1D(
                                  x, node, (void *)(uintptr_t)(at + offset), src, bytes, kind);
}
CUDART_API cudaError_t cudaGraphExecMemcpyNodeSetParamsFromSymbol(CUgraphExec x, CUgraphNode node,
                                                                  void *dst, const void *symbol,
                                                                  size_t bytes, size_t offset,
                                                                  int kind) {
    CUdeviceptr at;
    const cudaError_t e = cudart_symbol(symbol, &at, NULL);
    return e != cudaSuccess ? cudart_error(e)
                            : cudaGraphExecMemcpyNodeSetParams1D(
                                  x, node, dst, (void *)(uintptr_t)(at + offset), bytes, kind);
}
CUDART_API cudaError_t cudaGraphChildGraphNodeGetGraph(CUgraphNode node, CUgraph *out) {
    return cudart_done(cuGraphChildGraphNodeGetGraph(node, out));
}
CUDART_API cudaError_t cudaGraphExecChildGraphNodeSetParams(CUgraphExec x, CUgraphNode node,
                                                            CUgraph child) {
    return cudart_done(cuGraphExecChildGraphNodeSetParams(x, node, child));
}
CUDART_API cudaError_t cudaGraphEventRecordNodeSetEvent(CUgraphNode n, cudaEvent_t e) {
    return cudart_done(cuGraphEventRecordNodeSetEvent(n, e));
}
CUDART_API cudaError_t cudaGraphEventWaitNodeSetEvent(CUgraphNode n, cudaEvent_t e) {
    return cudart_done(cuGraphEventWaitNodeSetEvent(n, e));
}
CUDART_API cudaError_t cudaGraphEventRecordNodeGetEvent(CUgraphNode n, cudaEvent_t *e) {
    return cudart_done(cuGraphEventRecordNodeGetEvent(n, e));
}
CUDART_API cudaError_t cudaGraphEventWaitNodeGetEvent(CUgraphNode n, cudaEvent_t *e) {
    return cudart_done(cuGraphEventWaitNodeGetEvent(n, e));
}
CUDART_API cudaError_t cudaGraphExecEventRecordNodeSetEvent(CUgraphExec x, CUgraphNode n,
                                                            cudaEvent_t e) {
    return cudart_done(cuGraphExecEventRecordNodeSetEvent(x, n, e));
}
CUDART_API cudaError_t cudaGraphExecEventWaitNodeSetEvent(CUgraphExec x, CUgraphNode n,
                                                          cudaEvent_t e) {
    return cudart_done(cuGraphExecEventWaitNodeSetEvent(x, n, e));
}
CUDART_API cudaError_t cudaGraphNodeSetEnabled(CUgraphExec x, CUgraphNode node, unsigned enabled) {
    return cudart_done(cuGraphNodeSetEnabled(x, node, enabled));
}
CUDART_API cudaError_t cudaGraphNodeGetEnabled(CUgraphExec x, CUgraphNode node, unsigned *enabled) {
    return cudart_done(cuGraphNodeGetEnabled(x, node, enabled));
}
