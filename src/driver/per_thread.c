// Programs built with CUDA_API_PER_THREAD_DEFAULT_STREAM call names that end in _ptsz, and _ptds
// for calls without a stream: the default stream is the calling thread's own in them, which keeps
// its order with the common one as any blocking stream does. They are the calls of the plain names,
// made while the thread means its own stream by NULL (named() in stream.c).
#include "driver/driver.h"

_Thread_local bool driver_default_is_own;

#define PTSZ(name, parameters, arguments) OF_THREAD(name, name##_ptsz, parameters, arguments)
#define PTDS(name, parameters, arguments) OF_THREAD(name, name##_ptds, parameters, arguments)
#define OF_THREAD(name, own_name, parameters, arguments)                                           \
    __attribute__((visibility("default"))) CUresult own_name parameters;                           \
    CUresult own_name parameters {                                                                 \
        driver_default_is_own = true;                                                              \
        const CUresult r = name arguments;                                                         \
        driver_default_is_own = false;                                                             \
        return r;                                                                                  \
    }

PTSZ(cuEventRecord, (CUevent event, CUstream stream), (event, stream))
PTSZ(cuEventRecordWithFlags, (CUevent event, CUstream stream, unsigned int flags),
     (event, stream, flags))
PTSZ(cuGraphInstantiateWithParams,
     (CUgraphExec * exec, CUgraph graph, CUDA_GRAPH_INSTANTIATE_PARAMS *params),
     (exec, graph, params))
PTSZ(cuGraphLaunch, (CUgraphExec exec, CUstream stream), (exec, stream))
PTSZ(cuGraphUpload, (CUgraphExec exec, CUstream stream), (exec, stream))
PTSZ(cuLaunchCooperativeKernel,
     (CUfunction function, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z,
      unsigned int block_x, unsigned int block_y, unsigned int block_z, unsigned int shared_bytes,
      CUstream stream, void **params),
     (function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes, stream, params))
PTSZ(cuLaunchHostFunc, (CUstream stream, CUhostFn function, void *user), (stream, function, user))
PTSZ(cuLaunchKernel,
     (CUfunction function, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z,
      unsigned int block_x, unsigned int block_y, unsigned int block_z, unsigned int shared_bytes,
      CUstream stream, void **params, void **extra),
     (function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes, stream, params,
      extra))
PTSZ(cuLaunchKernelEx,
     (const CUlaunchConfig *config, CUfunction function, void **params, void **extra),
     (config, function, params, extra))
PTSZ(cuMemAllocAsync, (CUdeviceptr * address, size_t bytes, CUstream stream),
     (address, bytes, stream))
PTSZ(cuMemAllocFromPoolAsync,
     (CUdeviceptr * address, size_t bytes, CUmemoryPool pool, CUstream stream),
     (address, bytes, pool, stream))
PTSZ(cuMemFreeAsync, (CUdeviceptr address, CUstream stream), (address, stream))
PTSZ(cuMemPrefetchAsync, (CUdeviceptr address, size_t bytes, CUdevice device, CUstream stream),
     (address, bytes, device, stream))
PTSZ(cuMemPrefetchAsync_v2,
     (CUdeviceptr address, size_t bytes, CUmemLocation location, unsigned int flags,
      CUstream stream),
     (address, bytes, location, flags, stream))
PTSZ(cuMemcpy2DAsync_v2, (const CUDA_MEMCPY2D *copy, CUstream stream), (copy, stream))
PTSZ(cuMemcpy3DAsync_v2, (const CUDA_MEMCPY3D *copy, CUstream stream), (copy, stream))
PTSZ(cuMemcpyAsync, (CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream),
     (to, from, bytes, stream))
PTSZ(cuMemcpyAtoHAsync_v2,
     (void *to, CUarray from, size_t from_offset, size_t bytes, CUstream stream),
     (to, from, from_offset, bytes, stream))
PTSZ(cuMemcpyDtoDAsync_v2, (CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream),
     (to, from, bytes, stream))
PTSZ(cuMemcpyDtoHAsync_v2, (void *to, CUdeviceptr from, size_t bytes, CUstream stream),
     (to, from, bytes, stream))
PTSZ(cuMemcpyHtoAAsync_v2,
     (CUarray to, size_t to_offset, const void *from, size_t bytes, CUstream stream),
     (to, to_offset, from, bytes, stream))
PTSZ(cuMemcpyHtoDAsync_v2, (CUdeviceptr to, const void *from, size_t bytes, CUstream stream),
     (to, from, bytes, stream))
PTSZ(cuMemcpyBatchAsync,
     (CUdeviceptr * to, CUdeviceptr *from, size_t *bytes, size_t count,
      CUmemcpyAttributes *attributes, size_t *first_copy, size_t attribute_count, size_t *failed,
      CUstream stream),
     (to, from, bytes, count, attributes, first_copy, attribute_count, failed, stream))
PTSZ(cuMemcpyBatchAsync_v2,
     (CUdeviceptr * to, CUdeviceptr *from, size_t *bytes, size_t count,
      CUmemcpyAttributes *attributes, size_t *first_copy, size_t attribute_count, CUstream stream),
     (to, from, bytes, count, attributes, first_copy, attribute_count, stream))
PTSZ(cuMemcpyPeerAsync,
     (CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context, size_t bytes,
      CUstream stream),
     (to, to_context, from, from_context, bytes, stream))
PTSZ(cuMemsetD16Async, (CUdeviceptr to, unsigned short value, size_t count, CUstream stream),
     (to, value, count, stream))
PTSZ(cuMemsetD2D16Async,
     (CUdeviceptr to, size_t pitch, unsigned short value, size_t width, size_t height,
      CUstream stream),
     (to, pitch, value, width, height, stream))
PTSZ(cuMemsetD2D32Async,
     (CUdeviceptr to, size_t pitch, unsigned int value, size_t width, size_t height,
      CUstream stream),
     (to, pitch, value, width, height, stream))
PTSZ(cuMemsetD2D8Async,
     (CUdeviceptr to, size_t pitch, unsigned char value, size_t width, size_t height,
      CUstream stream),
     (to, pitch, value, width, height, stream))
PTSZ(cuMemsetD32Async, (CUdeviceptr to, unsigned int value, size_t count, CUstream stream),
     (to, value, count, stream))
PTSZ(cuMemsetD8Async, (CUdeviceptr to, unsigned char value, size_t count, CUstream stream),
     (to, value, count, stream))
PTSZ(cuStreamAddCallback,
     (CUstream stream, CUstreamCallback callback, void *user, unsigned int flags),
     (stream, callback, user, flags))
PTSZ(cuStreamAttachMemAsync,
     (CUstream stream, CUdeviceptr address, size_t bytes, unsigned int flags),
     (stream, address, bytes, flags))
PTSZ(cuStreamBeginCapture_v2, (CUstream stream, CUstreamCaptureMode mode), (stream, mode))
PTSZ(cuStreamBeginCaptureToGraph,
     (CUstream stream, CUgraph graph, const CUgraphNode *dependencies, const CUgraphEdgeData *edges,
      size_t count, CUstreamCaptureMode mode),
     (stream, graph, dependencies, edges, count, mode))
PTSZ(cuStreamCopyAttributes, (CUstream to, CUstream from), (to, from))
PTSZ(cuStreamEndCapture, (CUstream stream, CUgraph *graph), (stream, graph))
PTSZ(cuStreamGetAttribute, (CUstream stream, CUstreamAttrID attribute, CUstreamAttrValue *value),
     (stream, attribute, value))
PTSZ(cuStreamGetCaptureInfo_v2,
     (CUstream stream, CUstreamCaptureStatus *status, cuuint64_t *id, CUgraph *graph,
      const CUgraphNode **dependencies, size_t *count),
     (stream, status, id, graph, dependencies, count))
PTSZ(cuStreamGetCaptureInfo_v3,
     (CUstream stream, CUstreamCaptureStatus *status, cuuint64_t *id, CUgraph *graph,
      const CUgraphNode **dependencies, const CUgraphEdgeData **edges, size_t *count),
     (stream, status, id, graph, dependencies, edges, count))
PTSZ(cuStreamGetCtx, (CUstream stream, CUcontext *context), (stream, context))
PTSZ(cuStreamGetDevice, (CUstream stream, CUdevice *device), (stream, device))
PTSZ(cuStreamGetFlags, (CUstream stream, unsigned int *flags), (stream, flags))
PTSZ(cuStreamGetId, (CUstream stream, unsigned long long *id), (stream, id))
PTSZ(cuStreamGetPriority, (CUstream stream, int *priority), (stream, priority))
PTSZ(cuStreamIsCapturing, (CUstream stream, CUstreamCaptureStatus *status), (stream, status))
PTSZ(cuStreamQuery, (CUstream stream), (stream))
PTSZ(cuStreamSetAttribute,
     (CUstream stream, CUstreamAttrID attribute, const CUstreamAttrValue *value),
     (stream, attribute, value))
PTSZ(cuStreamSynchronize, (CUstream stream), (stream))
PTSZ(cuStreamUpdateCaptureDependencies_v2,
     (CUstream stream, CUgraphNode *dependencies, const CUgraphEdgeData *edges, size_t count,
      unsigned int flags),
     (stream, dependencies, edges, count, flags))
PTSZ(cuStreamWaitEvent, (CUstream stream, CUevent event, unsigned int flags),
     (stream, event, flags))

PTDS(cuMemcpy, (CUdeviceptr to, CUdeviceptr from, size_t bytes), (to, from, bytes))
PTDS(cuMemcpy2D_v2, (const CUDA_MEMCPY2D *copy), (copy))
PTDS(cuMemcpy2DUnaligned_v2, (const CUDA_MEMCPY2D *copy), (copy))
PTDS(cuMemcpy3D_v2, (const CUDA_MEMCPY3D *copy), (copy))
PTDS(cuMemcpyAtoA_v2,
     (CUarray to, size_t to_offset, CUarray from, size_t from_offset, size_t bytes),
     (to, to_offset, from, from_offset, bytes))
PTDS(cuMemcpyAtoD_v2, (CUdeviceptr to, CUarray from, size_t from_offset, size_t bytes),
     (to, from, from_offset, bytes))
PTDS(cuMemcpyAtoH_v2, (void *to, CUarray from, size_t from_offset, size_t bytes),
     (to, from, from_offset, bytes))
PTDS(cuMemcpyDtoA_v2, (CUarray to, size_t to_offset, CUdeviceptr from, size_t bytes),
     (to, to_offset, from, bytes))
PTDS(cuMemcpyDtoD_v2, (CUdeviceptr to, CUdeviceptr from, size_t bytes), (to, from, bytes))
PTDS(cuMemcpyDtoH_v2, (void *to, CUdeviceptr from, size_t bytes), (to, from, bytes))
PTDS(cuMemcpyHtoA_v2, (CUarray to, size_t to_offset, const void *from, size_t bytes),
     (to, to_offset, from, bytes))
PTDS(cuMemcpyHtoD_v2, (CUdeviceptr to, const void *from, size_t bytes), (to, from, bytes))
PTDS(cuMemcpyPeer,
     (CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context, size_t bytes),
     (to, to_context, from, from_context, bytes))
PTDS(cuMemsetD16_v2, (CUdeviceptr to, unsigned short value, size_t count), (to, value, count))
PTDS(cuMemsetD2D16_v2,
     (CUdeviceptr to, size_t pitch, unsigned short value, size_t width, size_t height),
     (to, pitch, value, width, height))
PTDS(cuMemsetD2D32_v2,
     (CUdeviceptr to, size_t pitch, unsigned int value, size_t width, size_t height),
     (to, pitch, value, width, height))
PTDS(cuMemsetD2D8_v2,
     (CUdeviceptr to, size_t pitch, unsigned char value, size_t width, size_t height),
     (to, pitch, value, width, height))
PTDS(cuMemsetD32_v2, (CUdeviceptr to, unsigned int value, size_t count), (to, value, count))
PTDS(cuMemsetD8_v2, (CUdeviceptr to, unsigned char value, size_t count), (to, value, count))
