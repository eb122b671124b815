// Capture and executable graphs: the driver's, with what differs by major version. Up to 12 calls
// have no data of edges; in 13 it stands between other arguments, and is always 0 here.
#include "cudart/cudart.h"

// ---- capture ------------------------------------------------------------------------------------
CUDART_API cudaError_t cudaStreamBeginCapture(cudaStream_t s, int mode) {
    CUDART_READY();
    return cudart_done(cuStreamBeginCapture(s, (CUstreamCaptureMode)mode));
}
CUDART_API cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t s, CUgraph g,
                                                     const CUgraphNode *depends, const void *edges,
                                                     size_t n, int mode) {
    CUDART_READY();
    return cudart_done(
        cuStreamBeginCaptureToGraph(s, g, depends, edges, n, (CUstreamCaptureMode)mode));
}
CUDART_API cudaError_t cudaStreamEndCapture(cudaStream_t s, CUgraph *out) {
    return cudart_done(cuStreamEndCapture(s, out));
}
CUDART_API cudaError_t cudaStreamIsCapturing(cudaStream_t s, int *status) {
    CUDART_READY();
    return cudart_done(cuStreamIsCapturing(s, (CUstreamCaptureStatus *)status));
}
CUDART_API cudaError_t cudaStreamGetCaptureInfo_v3(cudaStream_t s, int *status,
                                                   unsigned long long *id, CUgraph *graph,
                                                   const CUgraphNode **depends, const void **edges,
                                                   size_t *n) {
    CUDART_READY();
    return cudart_done(cuStreamGetCaptureInfo(s, (CUstreamCaptureStatus *)status, (cuuint64_t *)id,
                                              graph, depends, (const CUgraphEdgeData **)edges, n));
}
CUDART_API cudaError_t cudaStreamGetCaptureInfo_v2(cudaStream_t s, int *status,
                                                   unsigned long long *id, CUgraph *graph,
                                                   const CUgraphNode **depends, size_t *n) {
    return cudaStreamGetCaptureInfo_v3(s, status, id, graph, depends, NULL, n);
}
// 11 and 12: two answers.
CUDART_API cudaError_t cudaStreamGetCaptureInfo(cudaStream_t s, int *status, unsigned long long *id,
                                                CUgraph *graph, const CUgraphNode **depends,
                                                const void **edges, size_t *n) {
    if (cudart_major < 13)
        return cudaStreamGetCaptureInfo_v3(s, status, id, NULL, NULL, NULL, NULL);
    return cudaStreamGetCaptureInfo_v3(s, status, id, graph, depends, edges, n);
}
CUDART_API cudaError_t cudaStreamUpdateCaptureDependencies_v2(cudaStream_t s, CUgraphNode *depends,
                                                              const void *edges, size_t n,
                                                              unsigned flags) {
    return cudart_done(cuStreamUpdateCaptureDependencies(s, depends, edges, n, flags));
}
CUDART_API cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t s, CUgraphNode *depends,
                                                           uintptr_t a, uintptr_t b, unsigned c) {
    if (cudart_major < 13)
        return cudaStreamUpdateCaptureDependencies_v2(s, depends, NULL, a, (unsigned)b);
    return cudaStreamUpdateCaptureDependencies_v2(s, depends, (const void *)a, b, c);
}
CUDART_API cudaError_t cudaThreadExchangeStreamCaptureMode(int *mode) {
    return cudart_done(cuThreadExchangeStreamCaptureMode((CUstreamCaptureMode *)mode));
}

// ---- executable graphs --------------------------------------------------------------------------
CUDART_API cudaError_t cudaGraphInstantiateWithFlags(CUgraphExec *out, CUgraph g,
                                                     unsigned long long flags) {
    CUDART_READY();
    return cudart_done(cuGraphInstantiateWithFlags(out, g, flags));
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
    CUDART_READY();
    if (!p) return cudart_error(cudaErrorInvalidValue);
    CUDA_GRAPH_INSTANTIATE_PARAMS own = {.flags = p->flags, .hUploadStream = p->uploadStream};
    const CUresult r = cuGraphInstantiateWithParams(out, g, &own);
    p->errNode_out = own.hErrNode_out;
    p->result_out = (int)own.result_out;
    return cudart_done(r);
}
CUDART_API cudaError_t cudaGraphExecGetFlags(CUgraphExec x, unsigned long long *flags) {
    return cudart_done(cuGraphExecGetFlags(x, (cuuint64_t *)flags));
}
CUDART_API cudaError_t cudaGraphExecDestroy(CUgraphExec x) {
    return cudart_done(cuGraphExecDestroy(x));
}
CUDART_API cudaError_t cudaGraphUpload(CUgraphExec x, cudaStream_t s) {
    CUDART_READY();
    return cudart_done(cuGraphUpload(x, s));
}
CUDART_API cudaError_t cudaGraphLaunch(CUgraphExec x, cudaStream_t s) {
    CUDART_READY();
    return cudart_done(cuGraphLaunch(x, s));
}
// Since 12 the answer is a structure {int result; node error; node from}, before a node and a
// result.
CUDART_API cudaError_t cudaGraphExecUpdate(CUgraphExec x, CUgraph g, void *info, int *result) {
    CUDART_READY();
    CUgraphExecUpdateResultInfo own = {.errorNode = NULL};
    const CUresult r = cuGraphExecUpdate(x, g, &own);
    if (cudart_major >= 12 && info) {
        *(cudaGraphExecUpdateResultInfo *)info =
            (cudaGraphExecUpdateResultInfo){(int)own.result, own.errorNode, own.errorFromNode};
    } else if (cudart_major < 12) {
        if (info) *(CUgraphNode *)info = own.errorNode;
        if (result) *result = (int)own.result;
    }
    return cudart_done(r);
}

// ---- attributes, objects, memory, pictures ------------------------------------------------------
CUDART_API cudaError_t cudaGraphKernelNodeSetAttribute(CUgraphNode node, int id,
                                                       const CUlaunchAttributeValue *value) {
    return cudart_done(cuGraphKernelNodeSetAttribute(node, (CUkernelNodeAttrID)id, value));
}
CUDART_API cudaError_t cudaGraphKernelNodeGetAttribute(CUgraphNode node, int id,
                                                       CUlaunchAttributeValue *value) {
    return cudart_done(cuGraphKernelNodeGetAttribute(node, (CUkernelNodeAttrID)id, value));
}
CUDART_API cudaError_t cudaGraphKernelNodeCopyAttributes(CUgraphNode to, CUgraphNode from) {
    return cudart_done(cuGraphKernelNodeCopyAttributes(to, from));
}
CUDART_API cudaError_t cudaUserObjectCreate(CUuserObject *out, void *user, cudaHostFn_t destroy,
                                            unsigned references, unsigned flags) {
    CUDART_READY();
    return cudart_done(cuUserObjectCreate(out, user, destroy, references, flags));
}
CUDART_API cudaError_t cudaUserObjectRetain(CUuserObject o, unsigned n) {
    return cudart_done(cuUserObjectRetain(o, n));
}
CUDART_API cudaError_t cudaUserObjectRelease(CUuserObject o, unsigned n) {
    return cudart_done(cuUserObjectRelease(o, n));
}
CUDART_API cudaError_t cudaGraphRetainUserObject(CUgraph g, CUuserObject o, unsigned n,
                                                 unsigned flags) {
    return cudart_done(cuGraphRetainUserObject(g, o, n, flags));
}
CUDART_API cudaError_t cudaGraphReleaseUserObject(CUgraph g, CUuserObject o, unsigned n) {
    return cudart_done(cuGraphReleaseUserObject(g, o, n));
}
CUDART_API cudaError_t cudaGraphDebugDotPrint(CUgraph g, const char *path, unsigned flags) {
    return cudart_done(cuGraphDebugDotPrint(g, path, flags));
}
CUDART_API cudaError_t cudaDeviceGetGraphMemAttribute(int device, int attribute, void *value) {
    CUDART_READY();
    return cudart_done(
        cuDeviceGetGraphMemAttribute(device, (CUgraphMem_attribute)attribute, value));
}
CUDART_API cudaError_t cudaDeviceSetGraphMemAttribute(int device, int attribute, void *value) {
    CUDART_READY();
    return cudart_done(
        cuDeviceSetGraphMemAttribute(device, (CUgraphMem_attribute)attribute, value));
}
CUDART_API cudaError_t cudaDeviceGraphMemTrim(int device) {
    CUDART_READY();
    return cudart_done(cuDeviceGraphMemTrim(device));
}
