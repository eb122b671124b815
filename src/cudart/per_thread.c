// Programs built with --default-stream per-thread call names that end in _ptsz, and _ptds for calls
// that wait: their stream 0 is the calling thread's own, which keeps its order with the common
// default stream as any blocking stream does.
#include "cudart/cudart.h"

#define OWN(s) ((s) ? (s) : CU_STREAM_PER_THREAD)
#define PTSZ(name, parameters, arguments)                                                          \
    cudaError_t name parameters;                                                                   \
    CUDART_API cudaError_t name##_ptsz parameters;                                                 \
    CUDART_API cudaError_t name##_ptsz parameters { return name arguments; }
// A call that waits: `name`Async on the thread's stream, and then the wait.
#define PTDS(name, parameters, ...)                                                                \
    CUDART_API cudaError_t name##_ptds parameters;                                                 \
    CUDART_API cudaError_t name##_ptds parameters {                                                \
        const cudaError_t done = name##Async(__VA_ARGS__, CU_STREAM_PER_THREAD);                   \
        return done == cudaSuccess ? cudaStreamSynchronize(CU_STREAM_PER_THREAD) : done;           \
    }
#define PLAIN(name, parameters, arguments)                                                         \
    cudaError_t name parameters;                                                                   \
    CUDART_API cudaError_t name##_ptds parameters;                                                 \
    CUDART_API cudaError_t name##_ptds parameters { return name arguments; }

PTSZ(cudaStreamSynchronize, (cudaStream_t s), (OWN(s)))
PTSZ(cudaStreamQuery, (cudaStream_t s), (OWN(s)))
PTSZ(cudaStreamWaitEvent, (cudaStream_t s, cudaEvent_t e, unsigned flags), (OWN(s), e, flags))
PTSZ(cudaStreamAddCallback, (cudaStream_t s, cudaStreamCallback_t fn, void *user, unsigned flags),
     (OWN(s), fn, user, flags))
PTSZ(cudaStreamAttachMemAsync, (cudaStream_t s, void *p, size_t bytes, unsigned flags),
     (OWN(s), p, bytes, flags))
PTSZ(cudaStreamCopyAttributes, (cudaStream_t to, cudaStream_t from), (OWN(to), OWN(from)))
PTSZ(cudaStreamGetAttribute, (cudaStream_t s, int a, CUstreamAttrValue *v), (OWN(s), a, v))
PTSZ(cudaStreamSetAttribute, (cudaStream_t s, int a, const CUstreamAttrValue *v), (OWN(s), a, v))
PTSZ(cudaStreamGetDevice, (cudaStream_t s, int *device), (OWN(s), device))
PTSZ(cudaStreamGetFlags, (cudaStream_t s, unsigned *flags), (OWN(s), flags))
PTSZ(cudaStreamGetId, (cudaStream_t s, unsigned long long *id), (OWN(s), id))
PTSZ(cudaStreamGetPriority, (cudaStream_t s, int *priority), (OWN(s), priority))
PTSZ(cudaLaunchHostFunc, (cudaStream_t s, cudaHostFn_t fn, void *user), (OWN(s), fn, user))
PTSZ(cudaEventRecord, (cudaEvent_t e, cudaStream_t s), (e, OWN(s)))
PTSZ(cudaEventRecordWithFlags, (cudaEvent_t e, cudaStream_t s, unsigned flags), (e, OWN(s), flags))

PTSZ(cudaStreamBeginCapture, (cudaStream_t s, int mode), (OWN(s), mode))
PTSZ(cudaStreamBeginCaptureToGraph,
     (cudaStream_t s, CUgraph g, const CUgraphNode *on, const void *edges, size_t n, int mode),
     (OWN(s), g, on, edges, n, mode))
PTSZ(cudaStreamEndCapture, (cudaStream_t s, CUgraph *out), (OWN(s), out))
PTSZ(cudaStreamIsCapturing, (cudaStream_t s, int *status), (OWN(s), status))
PTSZ(cudaStreamGetCaptureInfo,
     (cudaStream_t s, int *status, unsigned long long *id, CUgraph *g, const CUgraphNode **on,
      const void **edges, size_t *n),
     (OWN(s), status, id, g, on, edges, n))
PTSZ(cudaStreamGetCaptureInfo_v2,
     (cudaStream_t s, int *status, unsigned long long *id, CUgraph *g, const CUgraphNode **on,
      size_t *n),
     (OWN(s), status, id, g, on, n))
PTSZ(cudaStreamGetCaptureInfo_v3,
     (cudaStream_t s, int *status, unsigned long long *id, CUgraph *g, const CUgraphNode **on,
      const void **edges, size_t *n),
     (OWN(s), status, id, g, on, edges, n))
PTSZ(cudaStreamUpdateCaptureDependencies,
     (cudaStream_t s, CUgraphNode *on, uintptr_t a, uintptr_t b, unsigned c), (OWN(s), on, a, b, c))
PTSZ(cudaStreamUpdateCaptureDependencies_v2,
     (cudaStream_t s, CUgraphNode *on, const void *edges, size_t n, unsigned flags),
     (OWN(s), on, edges, n, flags))
PTSZ(cudaGraphInstantiateWithParams, (CUgraphExec * out, CUgraph g, cudaGraphInstantiateParams *p),
     (out, g, p))
PTSZ(cudaGraphLaunch, (CUgraphExec x, cudaStream_t s), (x, OWN(s)))
PTSZ(cudaGraphUpload, (CUgraphExec x, cudaStream_t s), (x, OWN(s)))

PTSZ(__cudaLaunchKernel,
     (cudaKernel_t k, dim3 grid, dim3 block, void **args, size_t shared, cudaStream_t s),
     (k, grid, block, args, shared, OWN(s)))
PTSZ(cudaLaunchKernel,
     (const void *host, dim3 grid, dim3 block, void **args, size_t shared, cudaStream_t s),
     (host, grid, block, args, shared, OWN(s)))
PTSZ(cudaLaunchCooperativeKernel,
     (const void *host, dim3 grid, dim3 block, void **args, size_t shared, cudaStream_t s),
     (host, grid, block, args, shared, OWN(s)))
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *c, const void *host, void **args);
CUDART_API cudaError_t cudaLaunchKernelExC_ptsz(const cudaLaunchConfig_t *c, const void *host,
                                                void **args);
CUDART_API cudaError_t cudaLaunchKernelExC_ptsz(const cudaLaunchConfig_t *c, const void *host,
                                                void **args) {
    if (!c) return cudart_error(cudaErrorInvalidValue);
    cudaLaunchConfig_t own = *c;
    own.stream = OWN(c->stream);
    return cudaLaunchKernelExC(&own, host, args);
}

PTSZ(cudaMallocAsync, (void **out, size_t bytes, cudaStream_t s), (out, bytes, OWN(s)))
PTSZ(cudaMallocFromPoolAsync, (void **out, size_t bytes, cudaMemPool_t pool, cudaStream_t s),
     (out, bytes, pool, OWN(s)))
PTSZ(cudaFreeAsync, (void *p, cudaStream_t s), (p, OWN(s)))
PTSZ(cudaMemPrefetchAsync,
     (const void *p, size_t bytes, uint64_t where, uint64_t a, cudaStream_t b),
     (p, bytes, where, a, b))
PTSZ(cudaMemPrefetchAsync_v2,
     (const void *p, size_t bytes, uint64_t where, unsigned flags, cudaStream_t s),
     (p, bytes, where, flags, OWN(s)))

// ---- copies and fills ---------------------------------------------------------------------------
#define LINE void *dst, const void *src, size_t bytes, int kind
#define PLANE                                                                                      \
    void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height, int kind
#define FROM_A                                                                                     \
    void *dst, size_t dpitch, cudaArray_t src, size_t x, size_t y, size_t width, size_t height,    \
        int kind
#define TO_A                                                                                       \
    cudaArray_t dst, size_t x, size_t y, const void *src, size_t spitch, size_t width,             \
        size_t height, int kind
#define FROM_1 void *dst, cudaArray_t src, size_t x, size_t y, size_t bytes, int kind
#define TO_1   cudaArray_t dst, size_t x, size_t y, const void *src, size_t bytes, int kind
#define FROM_S void *dst, const void *host, size_t bytes, size_t offset, int kind
#define TO_S   const void *host, const void *src, size_t bytes, size_t offset, int kind
PTSZ(cudaMemcpyAsync, (LINE, cudaStream_t s), (dst, src, bytes, kind, OWN(s)))
PTSZ(cudaMemcpy2DAsync, (PLANE, cudaStream_t s),
     (dst, dpitch, src, spitch, width, height, kind, OWN(s)))
PTSZ(cudaMemcpy2DFromArrayAsync, (FROM_A, cudaStream_t s),
     (dst, dpitch, src, x, y, width, height, kind, OWN(s)))
PTSZ(cudaMemcpy2DToArrayAsync, (TO_A, cudaStream_t s),
     (dst, x, y, src, spitch, width, height, kind, OWN(s)))
PTSZ(cudaMemcpyFromArrayAsync, (FROM_1, cudaStream_t s), (dst, src, x, y, bytes, kind, OWN(s)))
PTSZ(cudaMemcpyToArrayAsync, (TO_1, cudaStream_t s), (dst, x, y, src, bytes, kind, OWN(s)))
PTSZ(cudaMemcpyFromSymbolAsync, (FROM_S, cudaStream_t s), (dst, host, bytes, offset, kind, OWN(s)))
PTSZ(cudaMemcpyToSymbolAsync, (TO_S, cudaStream_t s), (host, src, bytes, offset, kind, OWN(s)))
PTSZ(cudaMemcpy3DAsync, (const struct cudaMemcpy3DParms *p, cudaStream_t s), (p, OWN(s)))
PTSZ(cudaMemcpy3DPeerAsync, (const struct cudaMemcpy3DPeerParms *p, cudaStream_t s), (p, OWN(s)))
PTSZ(cudaMemsetAsync, (void *dst, int value, size_t bytes, cudaStream_t s),
     (dst, value, bytes, OWN(s)))
PTSZ(cudaMemset2DAsync,
     (void *dst, size_t pitch, int value, size_t width, size_t height, cudaStream_t s),
     (dst, pitch, value, width, height, OWN(s)))
PTSZ(cudaMemset3DAsync, (struct cudaPitchedPtr p, int value, struct cudaExtent e, cudaStream_t s),
     (p, value, e, OWN(s)))

PTDS(cudaMemcpy, (LINE), dst, src, bytes, kind)
PTDS(cudaMemcpy2D, (PLANE), dst, dpitch, src, spitch, width, height, kind)
PTDS(cudaMemcpy2DFromArray, (FROM_A), dst, dpitch, src, x, y, width, height, kind)
PTDS(cudaMemcpy2DToArray, (TO_A), dst, x, y, src, spitch, width, height, kind)
PTDS(cudaMemcpyFromArray, (FROM_1), dst, src, x, y, bytes, kind)
PTDS(cudaMemcpyToArray, (TO_1), dst, x, y, src, bytes, kind)
PTDS(cudaMemcpyFromSymbol, (FROM_S), dst, host, bytes, offset, kind)
PTDS(cudaMemcpyToSymbol, (TO_S), host, src, bytes, offset, kind)
PTDS(cudaMemcpy3D, (const struct cudaMemcpy3DParms *p), p)
PTDS(cudaMemcpy3DPeer, (const struct cudaMemcpy3DPeerParms *p), p)
PTDS(cudaMemset, (void *dst, int value, size_t bytes), dst, value, bytes)
PTDS(cudaMemset2D, (void *dst, size_t pitch, int value, size_t width, size_t height), dst, pitch,
     value, width, height)
PTDS(cudaMemset3D, (struct cudaPitchedPtr p, int value, struct cudaExtent e), p, value, e)
// between arrays: there is no form that does not wait
PLAIN(cudaMemcpy2DArrayToArray,
      (cudaArray_t dst, size_t dx, size_t dy, cudaArray_t src, size_t sx, size_t sy, size_t width,
       size_t height, int kind),
      (dst, dx, dy, src, sx, sy, width, height, kind))
PLAIN(cudaMemcpyArrayToArray,
      (cudaArray_t dst, size_t dx, size_t dy, cudaArray_t src, size_t sx, size_t sy, size_t bytes,
       int kind),
      (dst, dx, dy, src, sx, sy, bytes, kind))

// ---- calls without a stream, under the other name -----------------------------------------------
#define OWN_ENTRY(flags)                                                                           \
    ((flags) & (CU_GET_PROC_ADDRESS_LEGACY_STREAM | CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM) \
         ? (flags)                                                                                 \
         : (flags) | CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM)
PTSZ(cudaGetDriverEntryPoint, (const char *name, void **out, unsigned long long flags, int *found),
     (name, out, OWN_ENTRY(flags), found))
PTSZ(cudaGetDriverEntryPointByVersion,
     (const char *name, void **out, unsigned version, unsigned long long flags, int *found),
     (name, out, version, OWN_ENTRY(flags), found))
