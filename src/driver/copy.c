// Copies and fills: plain ones, rectangles and boxes between host, device, arrays and addresses
// that say themselves which they are. All of them become one struct gpu_copy (arrays: a few).
#include "driver/graph.h"

static struct gpu *gpu(void) { return driver_get()->gpu; }

// Blocking calls go to the default stream and wait; asynchronous ones to theirs.
struct where {
    CUstream stream;
    bool wait, in_order; // in_order: the source is read when the copy runs, pinned or not
    bool at_once;        // it is read during the call, pinned or not
};
static const struct where blocking = {.wait = true};

// Whether a graph keeps the copy, or captures under way do not allow it: *r is the answer then.
static bool is_kept(const CUDA_MEMCPY3D *p, struct where w, CUresult *r) {
    struct gpu_stream *s;
    *r = CUDA_ERROR_INVALID_HANDLE;
    if (!driver_stream(w.stream, &s)) return true;
    const struct driver_op op = {.kind = OP_COPY, .copy = *p};
    if (!w.wait) return driver_capture(w.stream, &op, r);
    if (driver_capture_forbids(w.stream, r)) return true;
    *r = driver_capture_allows(); // no graph would have it
    return *r != CUDA_SUCCESS;
}
static CUDA_MEMCPY3D line(CUmemorytype to_type, uint64_t to, CUmemorytype from_type, uint64_t from,
                          size_t bytes) {
    CUDA_MEMCPY3D p = {.srcMemoryType = from_type,
                       .dstMemoryType = to_type,
                       .WidthInBytes = bytes,
                       .Height = 1,
                       .Depth = 1};
    if (from_type == CU_MEMORYTYPE_HOST)
        p.srcHost = (const void *)(uintptr_t)from;
    else
        p.srcDevice = from;
    if (to_type == CU_MEMORYTYPE_HOST)
        p.dstHost = (void *)(uintptr_t)to;
    else
        p.dstDevice = to;
    return p;
}

static CUresult run(struct gpu_copy c, struct where w) {
    struct gpu_stream *s;
    if (!driver_stream(w.stream, &s)) return CUDA_ERROR_INVALID_HANDLE;
    if (!c.width) return CUDA_SUCCESS;
    if ((!c.src && !c.src_host) || (!c.dst && !c.dst_host)) return CUDA_ERROR_INVALID_VALUE;
    struct driver_host h;
    c.src_pinned = c.src_host && !w.at_once && (w.in_order || driver_host_find(DRIVER_KEY(c.src_host), &h));
    return driver_result(w.wait ? gpu_copy(gpu(), s, &c, process_diags())
                                : gpu_copy_async(gpu(), s, &c, process_diags()));
}

// ---- plain copies ------------------------------------------------------------------------------
static CUresult to_device(CUdeviceptr to, const void *from, size_t bytes, struct where w) {
    const CUDA_MEMCPY3D p =
        line(CU_MEMORYTYPE_DEVICE, to, CU_MEMORYTYPE_HOST, DRIVER_KEY(from), bytes);
    CUresult r;
    if (is_kept(&p, w, &r)) return r;
    return run((struct gpu_copy){.dst = to, .src_host = from, .width = bytes}, w);
}
static CUresult to_host(void *to, CUdeviceptr from, size_t bytes, struct where w) {
    const CUDA_MEMCPY3D p =
        line(CU_MEMORYTYPE_HOST, DRIVER_KEY(to), CU_MEMORYTYPE_DEVICE, from, bytes);
    CUresult r;
    if (is_kept(&p, w, &r)) return r;
    return run((struct gpu_copy){.dst_host = to, .src = from, .width = bytes}, w);
}
static CUresult on_device(CUdeviceptr to, CUdeviceptr from, size_t bytes, struct where w) {
    const CUDA_MEMCPY3D p = line(CU_MEMORYTYPE_DEVICE, to, CU_MEMORYTYPE_DEVICE, from, bytes);
    CUresult r;
    if (is_kept(&p, w, &r)) return r;
    return run((struct gpu_copy){.dst = to, .src = from, .width = bytes}, w);
}

// An address that says itself where it is: pinned memory and what is not the device's are the host.
static bool is_on_device(CUdeviceptr p) {
    struct driver_host h;
    struct devmem_range range;
    if (driver_host_find(p, &h)) return h.is_managed || p - DRIVER_KEY(h.host) >= h.bytes;
    return devmem_find(gpu_memory(gpu()), p, &range);
}

static CUresult unified(CUdeviceptr to, CUdeviceptr from, size_t bytes, struct where w) {
    const CUDA_MEMCPY3D p = line(CU_MEMORYTYPE_UNIFIED, to, CU_MEMORYTYPE_UNIFIED, from, bytes);
    struct gpu_copy c = {.width = bytes};
    CUresult r;
    if (is_kept(&p, w, &r)) return r;
    if (is_on_device(from))
        c.src = from;
    else
        c.src_host = (const void *)(uintptr_t)from;
    if (is_on_device(to))
        c.dst = to;
    else
        c.dst_host = (void *)(uintptr_t)to;
    return run(c, w);
}

#define COPY(name, to_type, from_type, function)                                                   \
    CUresult name(to_type to, from_type from, size_t bytes) {                                      \
        DRIVER_ENTER(NEED_CONTEXT);                                                                \
        DRIVER_LEAVE(function(to, from, bytes, blocking));                                         \
    }
#define COPY_ASYNC(name, to_type, from_type, function)                                             \
    CUresult name(to_type to, from_type from, size_t bytes, CUstream stream) {                     \
        DRIVER_ENTER(NEED_CONTEXT);                                                                \
        DRIVER_LEAVE(function(to, from, bytes, (struct where){.stream = stream}));                 \
    }
COPY(cuMemcpy, CUdeviceptr, CUdeviceptr, unified)
COPY(cuMemcpyHtoD, CUdeviceptr, const void *, to_device)
COPY(cuMemcpyDtoH, void *, CUdeviceptr, to_host)
COPY(cuMemcpyDtoD, CUdeviceptr, CUdeviceptr, on_device)
COPY_ASYNC(cuMemcpyAsync, CUdeviceptr, CUdeviceptr, unified)
COPY_ASYNC(cuMemcpyHtoDAsync, CUdeviceptr, const void *, to_device)
COPY_ASYNC(cuMemcpyDtoHAsync, void *, CUdeviceptr, to_host)
COPY_ASYNC(cuMemcpyDtoDAsync, CUdeviceptr, CUdeviceptr, on_device)

// ---- many copies by one call -------------------------------------------------------------------
// What is wrong with a batch, before any of it is copied.
static CUresult check_batch(CUdeviceptr *to, CUdeviceptr *from, const size_t *bytes, size_t count,
                            const CUmemcpyAttributes *a, const size_t *first, size_t n) {
    if (!count || !to || !from || !bytes || !a || !first || !n || n > count || first[0])
        return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < n; i++)
        if (first[i] >= count || (i && first[i] <= first[i - 1]) || a[i].flags > 1 ||
            a[i].srcAccessOrder < CU_MEMCPY_SRC_ACCESS_ORDER_STREAM ||
            a[i].srcAccessOrder > CU_MEMCPY_SRC_ACCESS_ORDER_ANY)
            return CUDA_ERROR_INVALID_VALUE;
    return CUDA_SUCCESS;
}
// The copies run one after the other: the vendor's may overlap, so nothing relies on an order. The default stream takes none.
static CUresult batch(CUdeviceptr *to, CUdeviceptr *from, const size_t *bytes, size_t count,
                      const CUmemcpyAttributes *a, const size_t *first, size_t n, size_t *failed,
                      CUstream stream) {
    if (failed) *failed = SIZE_MAX;
    CUresult r = check_batch(to, from, bytes, count, a, first, n);
    if (r != CUDA_SUCCESS) return r;
    if ((!stream && !driver_default_is_own) || stream == CU_STREAM_LEGACY)
        return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0, k = 0; i < count && r == CUDA_SUCCESS; i++) {
        if (k + 1 < n && i == first[k + 1]) k++;
        const CUmemcpySrcAccessOrder order = a[k].srcAccessOrder;
        const struct where w = {.stream = stream,
                                .in_order = order == CU_MEMCPY_SRC_ACCESS_ORDER_STREAM,
                                .at_once = order == CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL};
        r = unified(to[i], from[i], bytes[i], w);
        if (r != CUDA_SUCCESS && failed) *failed = i;
    }
    return r;
}
CUresult cuMemcpyBatchAsync(CUdeviceptr *to, CUdeviceptr *from, size_t *bytes, size_t count,
                            CUmemcpyAttributes *attributes, size_t *first_copy,
                            size_t attribute_count, size_t *failed, CUstream stream) {
    DRIVER_ENTER(NEED_CONTEXT);
    DRIVER_LEAVE(batch(to, from, bytes, count, attributes, first_copy, attribute_count, failed,
                       stream));
}
CUresult cuMemcpyBatchAsync_v2(CUdeviceptr *to, CUdeviceptr *from, size_t *bytes, size_t count,
                               CUmemcpyAttributes *attributes, size_t *first_copy,
                               size_t attribute_count, CUstream stream) {
    DRIVER_ENTER(NEED_CONTEXT);
    DRIVER_LEAVE(
        batch(to, from, bytes, count, attributes, first_copy, attribute_count, NULL, stream));
}

// Between contexts: they share the one device.
static CUresult between(CUdeviceptr to, CUcontext to_context, CUdeviceptr from,
                        CUcontext from_context, size_t bytes, struct where w) {
    if (!DRIVER_IS(TAG_CONTEXT, to_context) || !DRIVER_IS(TAG_CONTEXT, from_context))
        return CUDA_ERROR_INVALID_CONTEXT;
    return unified(to, from, bytes, w);
}
CUresult cuMemcpyPeer(CUdeviceptr to, CUcontext to_context, CUdeviceptr from,
                      CUcontext from_context, size_t bytes) {
    DRIVER_ENTER(NEED_CONTEXT);
    DRIVER_LEAVE(between(to, to_context, from, from_context, bytes, blocking));
}
CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext to_context, CUdeviceptr from,
                           CUcontext from_context, size_t bytes, CUstream stream) {
    DRIVER_ENTER(NEED_CONTEXT);
    DRIVER_LEAVE(
        between(to, to_context, from, from_context, bytes, (struct where){.stream = stream}));
}

// ---- rectangles and boxes ----------------------------------------------------------------------
// One side of a box as the API describes it, and as bytes.
struct side {
    CUmemorytype type;
    uint64_t host, device;
    CUarray array;
    uint64_t x, y, z, pitch, height;
    // found by locate
    bool is_host;
    uint64_t at, row_pitch, slice_pitch;
};

static bool add_scaled(uint64_t *sum, uint64_t n, uint64_t step) {
    uint64_t product;
    return !__builtin_mul_overflow(n, step, &product) &&
           !__builtin_add_overflow(*sum, product, sum);
}

static CUresult locate_array(struct side *s, uint64_t width, uint64_t height, uint64_t depth) {
    const struct CUarray_st *a = s->array;
    if (!DRIVER_IS(TAG_ARRAY, a)) return CUDA_ERROR_INVALID_HANDLE;
    const uint64_t row = a->descriptor.Width * a->texel_bytes;
    if (s->x > row || width > row - s->x || s->y > a->rows || height > a->rows - s->y ||
        s->z > a->slices || depth > a->slices - s->z)
        return CUDA_ERROR_INVALID_VALUE;
    if (s->x % a->texel_bytes || width % a->texel_bytes) return CUDA_ERROR_INVALID_VALUE;
    s->is_host = false;
    s->at = a->address + s->z * a->slice_pitch + s->y * a->row_pitch + s->x;
    s->row_pitch = a->row_pitch;
    s->slice_pitch = a->slice_pitch;
    return CUDA_SUCCESS;
}

static CUresult locate(struct side *s, uint64_t width, uint64_t height, uint64_t depth) {
    switch (s->type) {
    case CU_MEMORYTYPE_ARRAY: return locate_array(s, width, height, depth);
    case CU_MEMORYTYPE_HOST:
        s->is_host = true;
        s->at = s->host;
        break;
    case CU_MEMORYTYPE_DEVICE:
    case CU_MEMORYTYPE_UNIFIED:
        s->is_host = s->type == CU_MEMORYTYPE_UNIFIED && !is_on_device(s->device);
        s->at = s->device;
        break;
    default: return CUDA_ERROR_INVALID_VALUE;
    }
    uint64_t row = width;
    if (!s->at || !add_scaled(&row, 1, s->x)) return CUDA_ERROR_INVALID_VALUE;
    if (!s->pitch) s->pitch = row; // rows side by side
    if (s->pitch < row && (height > 1 || depth > 1)) return CUDA_ERROR_INVALID_VALUE;
    if (!s->height) s->height = s->y + height;
    if (depth > 1 && s->height < height) return CUDA_ERROR_INVALID_VALUE;
    s->row_pitch = s->pitch < width ? width : s->pitch; // one row: any pitch will do
    s->slice_pitch = 0;
    uint64_t end = s->at;
    const bool fits = add_scaled(&s->slice_pitch, s->row_pitch, s->height) &&
                      add_scaled(&s->at, s->z, s->slice_pitch) &&
                      add_scaled(&s->at, s->y, s->row_pitch) && add_scaled(&s->at, s->x, 1) &&
                      add_scaled(&end, s->z + depth, s->slice_pitch) &&
                      add_scaled(&end, s->y + height, s->row_pitch);
    return fits ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

static CUDA_MEMCPY3D as_box(const struct side *from, const struct side *to, uint64_t width,
                            uint64_t height, uint64_t depth) {
    return (CUDA_MEMCPY3D){.srcXInBytes = from->x,
                           .srcY = from->y,
                           .srcZ = from->z,
                           .srcMemoryType = from->type,
                           .srcHost = (const void *)(uintptr_t)from->host,
                           .srcDevice = from->device,
                           .srcArray = from->array,
                           .srcPitch = from->pitch,
                           .srcHeight = from->height,
                           .dstXInBytes = to->x,
                           .dstY = to->y,
                           .dstZ = to->z,
                           .dstMemoryType = to->type,
                           .dstHost = (void *)(uintptr_t)to->host,
                           .dstDevice = to->device,
                           .dstArray = to->array,
                           .dstPitch = to->pitch,
                           .dstHeight = to->height,
                           .WidthInBytes = width,
                           .Height = height,
                           .Depth = depth};
}

static CUresult box(struct side from, struct side to, uint64_t width, uint64_t height,
                    uint64_t depth, struct where w) {
    if (!width || !height || !depth) {
        struct gpu_stream *s;
        return driver_stream(w.stream, &s) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
    }
    const CUDA_MEMCPY3D p = as_box(&from, &to, width, height, depth);
    CUresult kept;
    if (is_kept(&p, w, &kept)) return kept;
    CUresult r = locate(&from, width, height, depth);
    if (r == CUDA_SUCCESS) r = locate(&to, width, height, depth);
    if (r != CUDA_SUCCESS) return r;
    struct gpu_copy c = {.width = width,
                         .height = height,
                         .depth = depth,
                         .src_pitch = from.row_pitch,
                         .src_slice = from.slice_pitch,
                         .dst_pitch = to.row_pitch,
                         .dst_slice = to.slice_pitch};
    if (from.is_host)
        c.src_host = (const void *)(uintptr_t)from.at;
    else
        c.src = from.at;
    if (to.is_host)
        c.dst_host = (void *)(uintptr_t)to.at;
    else
        c.dst = to.at;
    return run(c, w);
}

static CUresult rectangle(const CUDA_MEMCPY2D *p, struct where w, bool any_pitch) {
    if (!p) return CUDA_ERROR_INVALID_VALUE;
    const uint64_t most = gpu_limits_of(gpu())->max_pitch;
    const bool from_array = p->srcMemoryType == CU_MEMORYTYPE_ARRAY;
    const bool to_array = p->dstMemoryType == CU_MEMORYTYPE_ARRAY;
    if (!any_pitch && ((!from_array && p->srcPitch > most) || (!to_array && p->dstPitch > most)))
        return CUDA_ERROR_INVALID_VALUE;
    const struct side from = {.type = p->srcMemoryType,
                              .host = DRIVER_KEY(p->srcHost),
                              .device = p->srcDevice,
                              .array = p->srcArray,
                              .x = p->srcXInBytes,
                              .y = p->srcY,
                              .pitch = p->srcPitch};
    const struct side to = {.type = p->dstMemoryType,
                            .host = DRIVER_KEY(p->dstHost),
                            .device = p->dstDevice,
                            .array = p->dstArray,
                            .x = p->dstXInBytes,
                            .y = p->dstY,
                            .pitch = p->dstPitch};
    return box(from, to, p->WidthInBytes, p->Height, 1, w);
}
CUresult cuMemcpy2D(const CUDA_MEMCPY2D *p) {
    DRIVER_ENTER(NEED_CONTEXT);
    DRIVER_LEAVE(rectangle(p, blocking, false));
}
CUresult cuMemcpy2DUnaligned(const CUDA_MEMCPY2D *p) {
    DRIVER_ENTER(NEED_CONTEXT);
    DRIVER_LEAVE(rectangle(p, blocking, true));
}
CUresult cuMemcpy2DAsync(const CUDA_MEMCPY2D *p, CUstream stream) {
    DRIVER_ENTER(NEED_CONTEXT);
    DRIVER_LEAVE(rectangle(p, (struct where){.stream = stream}, false));
}

static CUresult cuboid(const CUDA_MEMCPY3D *p, struct where w) {
    if (!p || p->srcLOD || p->dstLOD || p->reserved0 || p->reserved1)
        return CUDA_ERROR_INVALID_VALUE;
    const struct side from = {.type = p->srcMemoryType,
                              .host = DRIVER_KEY(p->srcHost),
                              .device = p->srcDevice,
                              .array = p->srcArray,
                              .x = p->srcXInBytes,
                              .y = p->srcY,
                              .z = p->srcZ,
                              .pitch = p->srcPitch,
                              .height = p->srcHeight};
    const struct side to = {.type = p->dstMemoryType,
                            .host = DRIVER_KEY(p->dstHost),
                            .device = p->dstDevice,
                            .array = p->dstArray,
                            .x = p->dstXInBytes,
                            .y = p->dstY,
                            .z = p->dstZ,
                            .pitch = p->dstPitch,
                            .height = p->dstHeight};
    return box(from, to, p->WidthInBytes, p->Height, p->Depth, w);
}
CUresult cuMemcpy3D(const CUDA_MEMCPY3D *p) {
    DRIVER_ENTER(NEED_CONTEXT);
    DRIVER_LEAVE(cuboid(p, blocking));
}
CUresult cuMemcpy3DAsync(const CUDA_MEMCPY3D *p, CUstream stream) {
    DRIVER_ENTER(NEED_CONTEXT);
    DRIVER_LEAVE(cuboid(p, (struct where){.stream = stream}));
}
CUresult driver_memcpy3d_in_order(const CUDA_MEMCPY3D *p, CUstream stream) {
    DRIVER_ENTER(NEED_CONTEXT);
    DRIVER_LEAVE(cuboid(p, (struct where){.stream = stream, .in_order = true}));
}

// ---- arrays by byte offset ---------------------------------------------------------------------
// The API has these for arrays of one dimension; in others the offset counts bytes of rows without
// their padding. `other` is the linear side.
static CUresult linear(CUarray array, uint64_t offset, struct side other, uint64_t bytes,
                       bool to_array, struct where w) {
    if (!DRIVER_IS(TAG_ARRAY, array)) return CUDA_ERROR_INVALID_HANDLE;
    const uint64_t row = array->descriptor.Width * array->texel_bytes;
    const uint64_t rows = (uint64_t)array->rows * array->slices;
    if (offset > row * rows || bytes > row * rows - offset) return CUDA_ERROR_INVALID_VALUE;
    CUresult r = CUDA_SUCCESS;
    for (uint64_t done = 0; done < bytes && r == CUDA_SUCCESS;) {
        const uint64_t at = offset + done, y = at / row;
        struct side part = {.type = CU_MEMORYTYPE_ARRAY,
                            .array = array,
                            .x = at % row,
                            .y = y % array->rows,
                            .z = y / array->rows};
        const uint64_t whole = (bytes - done) / row, left = array->rows - part.y;
        uint64_t width = row, height = 1;
        if (part.x || !whole) // the rest of a row, or the beginning of one
            width = bytes - done < row - part.x ? bytes - done : row - part.x;
        else
            height = whole < left ? whole : left;
        r = to_array ? box(other, part, width, height, 1, w)
                     : box(part, other, width, height, 1, w);
        done += width * height;
        other.host += width * height;
        other.device += width * height;
    }
    return r;
}

static struct side at_device(CUdeviceptr p) {
    return (struct side){.type = CU_MEMORYTYPE_DEVICE, .device = p};
}
static struct side at_host(const void *p) {
    return (struct side){.type = CU_MEMORYTYPE_HOST, .host = DRIVER_KEY(p)};
}

CUresult cuMemcpyDtoA(CUarray to, size_t to_offset, CUdeviceptr from, size_t bytes) {
    DRIVER_ENTER(NEED_CONTEXT);
    DRIVER_LEAVE(linear(to, to_offset, at_device(from), bytes, true, blocking));
}
CUresult cuMemcpyAtoD(CUdeviceptr to, CUarray from, size_t from_offset, size_t bytes) {
    DRIVER_ENTER(NEED_CONTEXT);
    DRIVER_LEAVE(linear(from, from_offset, at_device(to), bytes, false, blocking));
}
CUresult cuMemcpyHtoA(CUarray to, size_t to_offset, const void *from, size_t bytes) {
    DRIVER_ENTER(NEED_CONTEXT);
    DRIVER_LEAVE(linear(to, to_offset, at_host(from), bytes, true, blocking));
}
CUresult cuMemcpyAtoH(void *to, CUarray from, size_t from_offset, size_t bytes) {
    DRIVER_ENTER(NEED_CONTEXT);
    DRIVER_LEAVE(linear(from, from_offset, at_host(to), bytes, false, blocking));
}
CUresult cuMemcpyHtoAAsync(CUarray to, size_t to_offset, const void *from, size_t bytes,
                           CUstream stream) {
    DRIVER_ENTER(NEED_CONTEXT);
    DRIVER_LEAVE(
        linear(to, to_offset, at_host(from), bytes, true, (struct where){.stream = stream}));
}
CUresult cuMemcpyAtoHAsync(void *to, CUarray from, size_t from_offset, size_t bytes,
                           CUstream stream) {
    DRIVER_ENTER(NEED_CONTEXT);
    DRIVER_LEAVE(
        linear(from, from_offset, at_host(to), bytes, false, (struct where){.stream = stream}));
}

// Both may be of any shape with rows of the same bytes; offsets as above.
CUresult cuMemcpyAtoA(CUarray to, size_t to_offset, CUarray from, size_t from_offset,
                      size_t bytes) {
    DRIVER_ENTER(NEED_CONTEXT);
    if (!DRIVER_IS(TAG_ARRAY, from) || !DRIVER_IS(TAG_ARRAY, to))
        DRIVER_LEAVE(CUDA_ERROR_INVALID_HANDLE);
    const uint64_t row = from->descriptor.Width * from->texel_bytes;
    if (from_offset > row * from->rows * from->slices) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    CUresult r = CUDA_SUCCESS;
    for (size_t done = 0; done < bytes && r == CUDA_SUCCESS;) { // row by row of the source
        const uint64_t at = from_offset + done, y = at / row, x = at % row;
        const size_t n = bytes - done < row - x ? bytes - done : (size_t)(row - x);
        if (y >= (uint64_t)from->rows * from->slices) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
        const uint64_t address = from->address + y / from->rows * from->slice_pitch +
                                 y % from->rows * from->row_pitch + x;
        r = linear(to, to_offset + done, at_device(address), n, true, blocking);
        done += n;
    }
    DRIVER_LEAVE(r);
}

// ---- fills -------------------------------------------------------------------------------------
struct fill {
    CUdeviceptr to;
    size_t pitch, width, height; // width in elements
    uint32_t value, element;
};

static CUresult fill(struct fill f, struct where w) {
    struct gpu_stream *s;
    if (!driver_stream(w.stream, &s)) return CUDA_ERROR_INVALID_HANDLE;
    if (!f.width || !f.height) return CUDA_SUCCESS;
    uint64_t row, end = f.to;
    if (f.to % f.element || __builtin_mul_overflow(f.width, f.element, &row))
        return CUDA_ERROR_INVALID_VALUE;
    if (f.height == 1 || !f.pitch) f.pitch = row;
    if (f.pitch % f.element || f.pitch < row || !add_scaled(&end, f.height, f.pitch))
        return CUDA_ERROR_INVALID_VALUE;
    const struct driver_op op = {.kind = OP_FILL,
                                 .fill = {f.to, f.pitch, f.width, f.height, f.value, f.element}};
    CUresult r;
    if (!w.wait && driver_capture(w.stream, &op, &r)) return r;
    if (w.wait && driver_capture_forbids(w.stream, &r)) return r;
    if (w.wait && (r = driver_capture_allows()) != CUDA_SUCCESS) return r;
    enum ww_status st = gpu_fill_async(gpu(), s, f.to, f.pitch, f.value, f.element, f.width,
                                       f.height, process_diags());
    if (st == WW_OK && w.wait) st = gpu_stream_synchronize(gpu(), s, process_diags());
    return driver_result(st);
}

// name_v2 and nameAsync, of one and two dimensions; the header maps the plain names
#define FILL(bits, type)                                                                           \
    CUresult cuMemsetD##bits##_v2(CUdeviceptr to, type value, size_t count) {                      \
        DRIVER_ENTER(NEED_CONTEXT);                                                                \
        DRIVER_LEAVE(fill((struct fill){to, 0, count, 1, value, bits / 8}, blocking));             \
    }                                                                                              \
    CUresult cuMemsetD##bits##Async(CUdeviceptr to, type value, size_t count, CUstream stream) {   \
        DRIVER_ENTER(NEED_CONTEXT);                                                                \
        DRIVER_LEAVE(fill((struct fill){to, 0, count, 1, value, bits / 8},                         \
                          (struct where){.stream = stream}));                                      \
    }                                                                                              \
    CUresult cuMemsetD2D##bits##_v2(CUdeviceptr to, size_t pitch, type value, size_t width,        \
                                    size_t height) {                                               \
        DRIVER_ENTER(NEED_CONTEXT);                                                                \
        DRIVER_LEAVE(fill((struct fill){to, pitch, width, height, value, bits / 8}, blocking));    \
    }                                                                                              \
    CUresult cuMemsetD2D##bits##Async(CUdeviceptr to, size_t pitch, type value, size_t width,      \
                                      size_t height, CUstream stream) {                            \
        DRIVER_ENTER(NEED_CONTEXT);                                                                \
        DRIVER_LEAVE(fill((struct fill){to, pitch, width, height, value, bits / 8},                \
                          (struct where){.stream = stream}));                                      \
    }
FILL(8, unsigned char)
FILL(16, unsigned short)
FILL(32, unsigned int)
