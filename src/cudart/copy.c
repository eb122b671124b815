// Copies and fills in all shapes. Every copy becomes one box (CUDA_MEMCPY3D), so that a capturing
// stream can keep it, whichever call it came from.
#include "cudart/cudart.h"

// ---- boxes --------------------------------------------------------------------------------------
// One side of a box: an array, or memory with a pitch.
struct side {
    cudaArray_t array;
    const void *memory;
    size_t pitch, rows; // rows from slice to slice
    size_t x, y, z;     // in bytes, rows, slices
};

// What a direction says of each side.
static bool direction(int kind, CUmemorytype *src, CUmemorytype *dst) {
    static const CUmemorytype of[][2] = {
        [cudaMemcpyHostToHost] = {CU_MEMORYTYPE_HOST, CU_MEMORYTYPE_HOST},
        [cudaMemcpyHostToDevice] = {CU_MEMORYTYPE_HOST, CU_MEMORYTYPE_DEVICE},
        [cudaMemcpyDeviceToHost] = {CU_MEMORYTYPE_DEVICE, CU_MEMORYTYPE_HOST},
        [cudaMemcpyDeviceToDevice] = {CU_MEMORYTYPE_DEVICE, CU_MEMORYTYPE_DEVICE},
        [cudaMemcpyDefault] = {CU_MEMORYTYPE_UNIFIED, CU_MEMORYTYPE_UNIFIED}};
    if (kind < 0 || kind > cudaMemcpyDefault) return false;
    *src = of[kind][0], *dst = of[kind][1];
    return true;
}

static bool make_box(CUDA_MEMCPY3D *c, struct side dst, struct side src, struct cudaExtent bytes,
                     int kind) {
    CUmemorytype from, to;
    if (!direction(kind, &from, &to)) return false;
    *c = (CUDA_MEMCPY3D){.srcXInBytes = src.x,
                         .srcY = src.y,
                         .srcZ = src.z,
                         .srcMemoryType = src.array ? CU_MEMORYTYPE_ARRAY : from,
                         .srcArray = src.array,
                         .srcPitch = src.pitch,
                         .srcHeight = src.rows,
                         .dstXInBytes = dst.x,
                         .dstY = dst.y,
                         .dstZ = dst.z,
                         .dstMemoryType = dst.array ? CU_MEMORYTYPE_ARRAY : to,
                         .dstArray = dst.array,
                         .dstPitch = dst.pitch,
                         .dstHeight = dst.rows,
                         .WidthInBytes = bytes.width,
                         .Height = bytes.height,
                         .Depth = bytes.depth};
    if (from == CU_MEMORYTYPE_HOST)
        c->srcHost = src.memory;
    else
        c->srcDevice = (CUdeviceptr)(uintptr_t)src.memory;
    if (to == CU_MEMORYTYPE_HOST)
        c->dstHost = (void *)(uintptr_t)dst.memory;
    else
        c->dstDevice = (CUdeviceptr)(uintptr_t)dst.memory;
    return true;
}

// `async`: in the order of `stream`; else the call returns when it is done.
static cudaError_t do_copy(const CUDA_MEMCPY3D *c, bool async, cudaStream_t stream) {
    if (!c->WidthInBytes || !c->Height || !c->Depth) return cudaSuccess;
    return cudart_done(async ? cuMemcpy3DAsync(c, stream) : cuMemcpy3D(c));
}

static cudaError_t run_copy(struct side dst, struct side src, struct cudaExtent bytes, int kind,
                            bool async, cudaStream_t stream) {
    CUDART_READY();
    CUDA_MEMCPY3D c;
    if (!make_box(&c, dst, src, bytes, kind)) return cudart_error(cudaErrorInvalidMemcpyDirection);
    return do_copy(&c, async, stream);
}

static struct side linear(const void *p, size_t pitch) {
    return (struct side){.memory = p, .pitch = pitch};
}
static struct side in_array(cudaArray_t a, size_t x, size_t y) {
    return (struct side){.array = a, .x = x, .y = y};
}
static struct cudaExtent rows(size_t width, size_t height) {
    return (struct cudaExtent){width, height, 1};
}

// ---- one dimension ------------------------------------------------------------------------------
CUDART_API cudaError_t cudaMemcpy(void *dst, const void *src, size_t bytes, int kind) {
    return run_copy(linear(dst, 0), linear(src, 0), rows(bytes, 1), kind, false, NULL);
}
CUDART_API cudaError_t cudaMemcpyAsync(void *dst, const void *src, size_t bytes, int kind,
                                       cudaStream_t stream) {
    return run_copy(linear(dst, 0), linear(src, 0), rows(bytes, 1), kind, true, stream);
}
CUDART_API cudaError_t cudaMemcpyPeer(void *dst, int to, const void *src, int from, size_t bytes) {
    return to || from ? cudart_error(cudaErrorInvalidDevice)
                      : cudaMemcpy(dst, src, bytes, cudaMemcpyDeviceToDevice);
}
CUDART_API cudaError_t cudaMemcpyPeerAsync(void *dst, int to, const void *src, int from,
                                           size_t bytes, cudaStream_t s) {
    return to || from ? cudart_error(cudaErrorInvalidDevice)
                      : cudaMemcpyAsync(dst, src, bytes, cudaMemcpyDeviceToDevice, s);
}

// ---- variables ----------------------------------------------------------------------------------
static cudaError_t symbol(const void *host, size_t offset, size_t bytes, void **address) {
    CUdeviceptr p;
    size_t size;
    const cudaError_t e = cudart_symbol(host, &p, &size);
    if (e != cudaSuccess) return cudart_error(e);
    if (offset > size || bytes > size - offset) return cudart_error(cudaErrorInvalidValue);
    *address = (void *)(uintptr_t)(p + offset);
    return cudaSuccess;
}
CUDART_API cudaError_t cudaMemcpyToSymbol(const void *host, const void *src, size_t bytes,
                                          size_t offset, int kind) {
    void *p = NULL;
    const cudaError_t e = symbol(host, offset, bytes, &p);
    return e != cudaSuccess ? e : cudaMemcpy(p, src, bytes, kind);
}
CUDART_API cudaError_t cudaMemcpyFromSymbol(void *dst, const void *host, size_t bytes,
                                            size_t offset, int kind) {
    void *p = NULL;
    const cudaError_t e = symbol(host, offset, bytes, &p);
    return e != cudaSuccess ? e : cudaMemcpy(dst, p, bytes, kind);
}
CUDART_API cudaError_t cudaMemcpyToSymbolAsync(const void *host, const void *src, size_t bytes,
                                               size_t offset, int kind, cudaStream_t stream) {
    void *p = NULL;
    const cudaError_t e = symbol(host, offset, bytes, &p);
    return e != cudaSuccess ? e : cudaMemcpyAsync(p, src, bytes, kind, stream);
}
CUDART_API cudaError_t cudaMemcpyFromSymbolAsync(void *dst, const void *host, size_t bytes,
                                                 size_t offset, int kind, cudaStream_t stream) {
    void *p = NULL;
    const cudaError_t e = symbol(host, offset, bytes, &p);
    return e != cudaSuccess ? e : cudaMemcpyAsync(dst, p, bytes, kind, stream);
}
CUDART_API cudaError_t cudaGetSymbolAddress(void **address, const void *host) {
    CUdeviceptr p = 0;
    const cudaError_t e = cudart_symbol(host, &p, NULL);
    if (e == cudaSuccess) *address = (void *)(uintptr_t)p;
    return cudart_error(e);
}
CUDART_API cudaError_t cudaGetSymbolSize(size_t *bytes, const void *host) {
    CUdeviceptr p;
    return cudart_error(cudart_symbol(host, &p, bytes));
}

// ---- rows ---------------------------------------------------------------------------------------
CUDART_API cudaError_t cudaMemcpy2D(void *dst, size_t dpitch, const void *src, size_t spitch,
                                    size_t width, size_t height, int kind) {
    if (width > dpitch || width > spitch) return cudart_error(cudaErrorInvalidPitchValue);
    return run_copy(linear(dst, dpitch), linear(src, spitch), rows(width, height), kind, false,
                    NULL);
}
CUDART_API cudaError_t cudaMemcpy2DAsync(void *dst, size_t dpitch, const void *src, size_t spitch,
                                         size_t width, size_t height, int kind,
                                         cudaStream_t stream) {
    if (width > dpitch || width > spitch) return cudart_error(cudaErrorInvalidPitchValue);
    return run_copy(linear(dst, dpitch), linear(src, spitch), rows(width, height), kind, true,
                    stream);
}
CUDART_API cudaError_t cudaMemcpy2DToArray(cudaArray_t dst, size_t x, size_t y, const void *src,
                                           size_t spitch, size_t width, size_t height, int kind) {
    return run_copy(in_array(dst, x, y), linear(src, spitch), rows(width, height), kind, false,
                    NULL);
}
CUDART_API cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t dst, size_t x, size_t y,
                                                const void *src, size_t spitch, size_t width,
                                                size_t height, int kind, cudaStream_t stream) {
    return run_copy(in_array(dst, x, y), linear(src, spitch), rows(width, height), kind, true,
                    stream);
}
CUDART_API cudaError_t cudaMemcpy2DFromArray(void *dst, size_t dpitch, cudaArray_t src, size_t x,
                                             size_t y, size_t width, size_t height, int kind) {
    return run_copy(linear(dst, dpitch), in_array(src, x, y), rows(width, height), kind, false,
                    NULL);
}
CUDART_API cudaError_t cudaMemcpy2DFromArrayAsync(void *dst, size_t dpitch, cudaArray_t src,
                                                  size_t x, size_t y, size_t width, size_t height,
                                                  int kind, cudaStream_t stream) {
    return run_copy(linear(dst, dpitch), in_array(src, x, y), rows(width, height), kind, true,
                    stream);
}
CUDART_API cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t dst, size_t dx, size_t dy,
                                                cudaArray_t src, size_t sx, size_t sy, size_t width,
                                                size_t height, int kind) {
    return run_copy(in_array(dst, dx, dy), in_array(src, sx, sy), rows(width, height), kind, false,
                    NULL);
}

// A run of bytes that begins inside an array and goes on from row to row: up to three boxes, the
// rest of the first row, whole rows, the beginning of the last.
static cudaError_t array_run(cudaArray_t array, size_t x, size_t y, const void *memory,
                             size_t bytes, int kind, bool to_array, bool async,
                             cudaStream_t stream) {
    CUDART_READY();
    CUDA_ARRAY3D_DESCRIPTOR d;
    const CUresult r = cuArray3DGetDescriptor(&d, array);
    if (r != CUDA_SUCCESS) return cudart_done(r);
    const size_t row = d.Width * cudart_texel_bytes(array);
    const char *at = memory;
    while (bytes) {
        if (x >= row) return cudart_error(cudaErrorInvalidValue);
        const bool whole = x == 0 && bytes >= row;
        const size_t width = whole             ? row
                             : bytes < row - x ? bytes
                                               : row - x,
                     height = whole ? bytes / row : 1;
        const struct side a = in_array(array, x, y), m = linear(at, width);
        const cudaError_t e =
            run_copy(to_array ? a : m, to_array ? m : a, rows(width, height), kind, async, stream);
        if (e != cudaSuccess) return e;
        at += width * height;
        bytes -= width * height;
        x = 0;
        y += height;
    }
    return cudaSuccess;
}
CUDART_API cudaError_t cudaMemcpyToArray(cudaArray_t dst, size_t x, size_t y, const void *src,
                                         size_t bytes, int kind) {
    return array_run(dst, x, y, src, bytes, kind, true, false, NULL);
}
CUDART_API cudaError_t cudaMemcpyToArrayAsync(cudaArray_t dst, size_t x, size_t y, const void *src,
                                              size_t bytes, int kind, cudaStream_t stream) {
    return array_run(dst, x, y, src, bytes, kind, true, true, stream);
}
CUDART_API cudaError_t cudaMemcpyFromArray(void *dst, cudaArray_t src, size_t x, size_t y,
                                           size_t bytes, int kind) {
    return array_run(src, x, y, dst, bytes, kind, false, false, NULL);
}
CUDART_API cudaError_t cudaMemcpyFromArrayAsync(void *dst, cudaArray_t src, size_t x, size_t y,
                                                size_t bytes, int kind, cudaStream_t stream) {
    return array_run(src, x, y, dst, bytes, kind, false, true, stream);
}
CUDART_API cudaError_t cudaMemcpyArrayToArray(cudaArray_t dst, size_t dx, size_t dy,
                                              cudaArray_t src, size_t sx, size_t sy, size_t bytes,
                                              int kind) {
    (void)kind;
    CUDART_READY();
    CUDA_ARRAY3D_DESCRIPTOR d;
    const CUresult r = cuArray3DGetDescriptor(&d, src);
    if (r != CUDA_SUCCESS) return cudart_done(r);
    if (sx || dx ||
        bytes % (d.Width * cudart_texel_bytes(src)) !=
            0) { // through the host: rows of both need not agree
        void *memory = malloc(bytes);
        if (!memory) return cudart_error(cudaErrorMemoryAllocation);
        cudaError_t e = cudaMemcpyFromArray(memory, src, sx, sy, bytes, cudaMemcpyDeviceToHost);
        if (e == cudaSuccess)
            e = cudaMemcpyToArray(dst, dx, dy, memory, bytes, cudaMemcpyHostToDevice);
        free(memory);
        return e;
    }
    const size_t row = d.Width * cudart_texel_bytes(src);
    return run_copy(in_array(dst, dx, dy), in_array(src, sx, sy), rows(row, bytes / row),
                    cudaMemcpyDeviceToDevice, false, NULL);
}

// ---- boxes of the program -----------------------------------------------------------------------
// Extents and positions count elements where an array takes part (of that array), else bytes.
cudaError_t cudart_box(const struct cudaMemcpy3DParms *p, CUDA_MEMCPY3D *out) {
    if (!p || (!p->srcArray && !p->srcPtr.ptr) || (!p->dstArray && !p->dstPtr.ptr))
        return cudaErrorInvalidValue;
    const size_t su = p->srcArray ? cudart_texel_bytes(p->srcArray) : 1,
                 du = p->dstArray ? cudart_texel_bytes(p->dstArray) : 1;
    const struct side src = {p->srcArray,      p->srcPtr.ptr, p->srcPtr.pitch, p->srcPtr.ysize,
                             p->srcPos.x * su, p->srcPos.y,   p->srcPos.z},
                      dst = {p->dstArray,      p->dstPtr.ptr, p->dstPtr.pitch, p->dstPtr.ysize,
                             p->dstPos.x * du, p->dstPos.y,   p->dstPos.z};
    const struct cudaExtent bytes = {p->extent.width * (p->srcArray ? su : du), p->extent.height,
                                     p->extent.depth};
    return make_box(out, dst, src, bytes, p->kind) ? cudaSuccess : cudaErrorInvalidMemcpyDirection;
}
static cudaError_t box(const struct cudaMemcpy3DParms *p, bool async, cudaStream_t stream) {
    CUDART_READY();
    CUDA_MEMCPY3D c;
    const cudaError_t e = cudart_box(p, &c);
    return e != cudaSuccess ? cudart_error(e) : do_copy(&c, async, stream);
}
CUDART_API cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *p) {
    return box(p, false, NULL);
}
CUDART_API cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *p, cudaStream_t stream) {
    return box(p, true, stream);
}
static struct cudaMemcpy3DParms without_devices(const struct cudaMemcpy3DPeerParms *p) {
    return (struct cudaMemcpy3DParms){p->srcArray, p->srcPos, p->srcPtr, p->dstArray,
                                      p->dstPos,   p->dstPtr, p->extent, cudaMemcpyDeviceToDevice};
}
CUDART_API cudaError_t cudaMemcpy3DPeer(const struct cudaMemcpy3DPeerParms *p) {
    const struct cudaMemcpy3DParms one = without_devices(p);
    return box(&one, false, NULL);
}
CUDART_API cudaError_t cudaMemcpy3DPeerAsync(const struct cudaMemcpy3DPeerParms *p,
                                             cudaStream_t stream) {
    const struct cudaMemcpy3DParms one = without_devices(p);
    return box(&one, true, stream);
}
// ---- fills --------------------------------------------------------------------------------------
static cudaError_t fill(void *dst, size_t pitch, int value, size_t width, size_t height, bool async,
                        cudaStream_t stream) {
    CUDART_READY();
    if (!width || !height) return cudaSuccess;
    const CUdeviceptr to = (CUdeviceptr)(uintptr_t)dst;
    const unsigned char byte = (unsigned char)value;
    if (height == 1) pitch = width;
    return cudart_done(async ? cuMemsetD2D8Async(to, pitch, byte, width, height, stream)
                             : cuMemsetD2D8(to, pitch, byte, width, height));
}
CUDART_API cudaError_t cudaMemset(void *dst, int value, size_t bytes) {
    return fill(dst, 0, value, bytes, 1, false, NULL);
}
CUDART_API cudaError_t cudaMemsetAsync(void *dst, int value, size_t bytes, cudaStream_t s) {
    return fill(dst, 0, value, bytes, 1, true, s);
}
CUDART_API cudaError_t cudaMemset2D(void *dst, size_t pitch, int value, size_t width,
                                    size_t height) {
    return fill(dst, pitch, value, width, height, false, NULL);
}
CUDART_API cudaError_t cudaMemset2DAsync(void *dst, size_t pitch, int value, size_t width,
                                         size_t height, cudaStream_t s) {
    return fill(dst, pitch, value, width, height, true, s);
}
// Slices stand ysize rows apart: whole slices are one run of rows.
static cudaError_t fill3(struct cudaPitchedPtr p, int value, struct cudaExtent e, bool async,
                         cudaStream_t s) {
    if (e.height == p.ysize || e.depth <= 1)
        return fill(p.ptr, p.pitch, value, e.width, e.height * e.depth, async, s);
    for (size_t z = 0; z < e.depth; z++) {
        const cudaError_t r = fill((char *)p.ptr + z * p.ysize * p.pitch, p.pitch, value, e.width,
                                   e.height, async, s);
        if (r != cudaSuccess) return r;
    }
    return cudaSuccess;
}
CUDART_API cudaError_t cudaMemset3D(struct cudaPitchedPtr p, int value, struct cudaExtent e) {
    return fill3(p, value, e, false, NULL);
}
CUDART_API cudaError_t cudaMemset3DAsync(struct cudaPitchedPtr p, int value, struct cudaExtent e,
                                         cudaStream_t s) {
    return fill3(p, value, e, true, s);
}
