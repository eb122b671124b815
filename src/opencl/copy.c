// Reads, writes, copies, fills and maps. All are copies of boxes between host memory, device memory and arrays, or fills.
#include <stdlib.h>

#include "opencl.h"

#define CHECK(condition, code)                                                                     \
    do {                                                                                           \
        if (!(condition)) return (code);                                                           \
    } while (0)

static bool is_buffer(cl_mem m) { return OCL_IS(m, OCL_MEMORY) && m->type == CL_MEM_OBJECT_BUFFER; }
static bool is_image(cl_mem m) { return OCL_IS(m, OCL_MEMORY) && m->type != CL_MEM_OBJECT_BUFFER; }

// ---- issuing ------------------------------------------------------------------------------------
static size_t offset_of(const struct ocl_box *b) {
    return b->origin[0] + b->origin[1] * b->row_pitch + b->origin[2] * b->slice_pitch;
}

// The driver's slices are whole rows apart. Where slices here are not, each goes alone.
static CUresult copy_box(const struct ocl_end *from, const struct ocl_end *to, const size_t n[3],
                         CUstream stream) {
    CUDA_MEMCPY3D p = {.WidthInBytes = n[0], .Height = n[1], .Depth = n[2]};
    if (from->array) {
        p.srcMemoryType = CU_MEMORYTYPE_ARRAY, p.srcArray = from->array;
        p.srcXInBytes = from->box.origin[0], p.srcY = from->box.origin[1],
        p.srcZ = from->box.origin[2];
    } else {
        const size_t at = offset_of(&from->box);
        p.srcMemoryType = from->host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
        if (from->host)
            p.srcHost = (const uint8_t *)from->host + at;
        else
            p.srcDevice = from->device + at;
        p.srcPitch = from->box.row_pitch;
        p.srcHeight = from->box.slice_pitch / from->box.row_pitch;
    }
    if (to->array) {
        p.dstMemoryType = CU_MEMORYTYPE_ARRAY, p.dstArray = to->array;
        p.dstXInBytes = to->box.origin[0], p.dstY = to->box.origin[1], p.dstZ = to->box.origin[2];
    } else {
        const size_t at = offset_of(&to->box);
        p.dstMemoryType = to->host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
        if (to->host)
            p.dstHost = (uint8_t *)to->host + at;
        else
            p.dstDevice = to->device + at;
        p.dstPitch = to->box.row_pitch;
        p.dstHeight = to->box.slice_pitch / to->box.row_pitch;
    }
    return cuMemcpy3DAsync(&p, stream);
}

static bool is_in_one_piece(const struct ocl_end *e, const size_t n[3]) {
    return !e->array && (n[1] == 1 || e->box.row_pitch == n[0]) &&
           (n[2] == 1 || e->box.slice_pitch == n[0] * n[1]);
}

static CUresult issue_copy(struct ocl_command *c, CUstream stream) {
    const struct ocl_end *const from = &c->copy.from, *const to = &c->copy.to;
    const size_t *const n = c->copy.region;
    if (is_in_one_piece(from, n) && is_in_one_piece(to, n)) {
        const size_t bytes = n[0] * n[1] * n[2], a = offset_of(&from->box), b = offset_of(&to->box);
        if (from->host)
            return cuMemcpyHtoDAsync(to->device + b, (const uint8_t *)from->host + a, bytes,
                                     stream);
        if (to->host)
            return cuMemcpyDtoHAsync((uint8_t *)to->host + b, from->device + a, bytes, stream);
        return cuMemcpyDtoDAsync(to->device + b, from->device + a, bytes, stream);
    }
    const bool whole_rows = (from->array || from->box.slice_pitch % from->box.row_pitch == 0) &&
                            (to->array || to->box.slice_pitch % to->box.row_pitch == 0);
    if (whole_rows) return copy_box(from, to, n, stream);
    CUresult r = CUDA_SUCCESS;
    for (size_t z = 0; z < n[2] && r == CUDA_SUCCESS; z++) {
        struct ocl_end a = *from, b = *to;
        a.box.origin[2] += z, b.box.origin[2] += z;
        const size_t slice[3] = {n[0], n[1], 1};
        if (!a.array)
            a.box.origin[0] = offset_of(&a.box), a.box.origin[1] = a.box.origin[2] = 0,
            a.box.slice_pitch = n[1] * a.box.row_pitch;
        if (!b.array)
            b.box.origin[0] = offset_of(&b.box), b.box.origin[1] = b.box.origin[2] = 0,
            b.box.slice_pitch = n[1] * b.box.row_pitch;
        r = copy_box(&a, &b, slice, stream);
    }
    return r;
}

// A pattern of several words is a fill of each of its words, rows of one word a pattern apart.
static CUresult issue_fill(struct ocl_command *c, CUstream stream) {
    const size_t n = c->fill.bytes / c->fill.pattern_bytes;
    const uint8_t *const p = c->fill.pattern;
    uint16_t half;
    uint32_t word;
    if (c->fill.pattern_bytes == 1) return cuMemsetD8Async(c->fill.at, p[0], n, stream);
    if (c->fill.pattern_bytes == 2) {
        memcpy(&half, p, sizeof half);
        return cuMemsetD16Async(c->fill.at, half, n, stream);
    }
    bool is_even = true;
    for (size_t i = 4; i < c->fill.pattern_bytes; i++) is_even &= p[i] == p[i - 4];
    memcpy(&word, p, sizeof word);
    if (is_even) return cuMemsetD32Async(c->fill.at, word, c->fill.bytes / 4, stream);
    CUresult r = CUDA_SUCCESS;
    for (size_t i = 0; i < c->fill.pattern_bytes && r == CUDA_SUCCESS; i += 4) {
        memcpy(&word, p + i, sizeof word);
        r = cuMemsetD2D32Async(c->fill.at + i, c->fill.pattern_bytes, word, 1, n, stream);
    }
    return r;
}

// ---- what every call checks ---------------------------------------------------------------------
static cl_int check(cl_command_queue q, cl_mem a, cl_mem b, cl_uint n, const cl_event *list) {
    CHECK(OCL_IS(q, OCL_QUEUE), CL_INVALID_COMMAND_QUEUE);
    CHECK(OCL_IS(a, OCL_MEMORY) && (!b || OCL_IS(b, OCL_MEMORY)), CL_INVALID_MEM_OBJECT);
    CHECK(a->context == q->context && (!b || b->context == q->context), CL_INVALID_CONTEXT);
    return ocl_check_wait_list(q->context, n, list);
}
static cl_int check_host(cl_mem m, bool is_read) {
    const cl_mem_flags not_allowed =
        CL_MEM_HOST_NO_ACCESS | (is_read ? CL_MEM_HOST_WRITE_ONLY : CL_MEM_HOST_READ_ONLY);
    return m->flags & not_allowed ? CL_INVALID_OPERATION : CL_SUCCESS;
}
static bool holds(size_t bytes, size_t offset, size_t n) {
    return offset <= bytes && n <= bytes - offset;
}

static struct ocl_end end_of_memory(cl_mem m, size_t offset, size_t bytes) {
    return (struct ocl_end){.device = ocl_memory_at(m), .box = {{offset, 0, 0}, bytes, bytes}};
}
static struct ocl_end end_of_host(const void *p, size_t bytes) {
    return (struct ocl_end){.host = (void *)(uintptr_t)p, .box = {{0, 0, 0}, bytes, bytes}};
}
// `reads` and `writes` are the objects that the ends lie in; NULL: in host memory.
static cl_int enqueue_copy(cl_command_queue q, cl_command_type type, struct ocl_end from,
                           struct ocl_end to, const size_t region[3], cl_mem reads, cl_mem writes,
                           cl_uint n, const cl_event *list, cl_event *event, bool is_blocking) {
    struct ocl_command *c = ocl_command_new(q, type, issue_copy);
    if (!c) return CL_OUT_OF_HOST_MEMORY;
    c->copy.from = from, c->copy.to = to;
    memcpy(c->copy.region, region, sizeof c->copy.region);
    if (reads) ocl_command_hold(c, reads);
    if (writes) ocl_command_hold(c, writes);
    c->writes = writes;
    return ocl_enqueue(q, c, n, list, event, is_blocking);
}

// ---- buffers ------------------------------------------------------------------------------------
static cl_int linear(cl_command_queue q, cl_mem m, cl_bool blocking, size_t offset, size_t bytes,
                     const void *host, bool is_read, cl_uint n, const cl_event *list,
                     cl_event *event) {
    const cl_int bad = check(q, m, NULL, n, list);
    if (bad) return bad;
    CHECK(is_buffer(m), CL_INVALID_MEM_OBJECT);
    CHECK(host && bytes && holds(m->bytes, offset, bytes), CL_INVALID_VALUE);
    const cl_int forbidden = check_host(m, is_read);
    if (forbidden) return forbidden;
    LOCKED;
    const size_t region[3] = {bytes, 1, 1};
    const struct ocl_end device = end_of_memory(m, offset, bytes),
                         at_host = end_of_host(host, bytes);
    return enqueue_copy(q, is_read ? CL_COMMAND_READ_BUFFER : CL_COMMAND_WRITE_BUFFER,
                        is_read ? device : at_host, is_read ? at_host : device, region,
                        is_read ? m : NULL, is_read ? NULL : m, n, list, event, blocking);
}
API(cl_int)
clEnqueueReadBuffer(cl_command_queue q, cl_mem m, cl_bool blocking, size_t offset, size_t bytes,
                    void *host, cl_uint n, const cl_event *list, cl_event *event) {
    return linear(q, m, blocking, offset, bytes, host, true, n, list, event);
}
API(cl_int)
clEnqueueWriteBuffer(cl_command_queue q, cl_mem m, cl_bool blocking, size_t offset, size_t bytes,
                     const void *host, cl_uint n, const cl_event *list, cl_event *event) {
    return linear(q, m, blocking, offset, bytes, host, false, n, list, event);
}

// Pitches that are 0 follow from the region; false: they are too small for it.
static bool box_of(struct ocl_box *b, const size_t *origin, const size_t *region, size_t row,
                   size_t slice) {
    if (!row) row = region[0];
    if (row < region[0]) return false;
    if (!slice) slice = region[1] * row;
    if (slice < region[1] * row || slice % row) return false;
    memcpy(b->origin, origin, sizeof b->origin);
    b->row_pitch = row, b->slice_pitch = slice;
    return true;
}
static bool box_fits(const struct ocl_box *b, const size_t *n, size_t bytes) {
    const size_t last =
        offset_of(b) + (n[2] - 1) * b->slice_pitch + (n[1] - 1) * b->row_pitch + n[0];
    return last <= bytes;
}

static cl_int rect(cl_command_queue q, cl_mem m, cl_bool blocking, const size_t *at,
                   const size_t *host_at, const size_t *region, size_t row, size_t slice,
                   size_t host_row, size_t host_slice, const void *host, bool is_read, cl_uint n,
                   const cl_event *list, cl_event *event) {
    const cl_int bad = check(q, m, NULL, n, list);
    if (bad) return bad;
    CHECK(is_buffer(m), CL_INVALID_MEM_OBJECT);
    CHECK(host && at && host_at && region && region[0] && region[1] && region[2], CL_INVALID_VALUE);
    LOCKED;
    struct ocl_end device = {.device = ocl_memory_at(m)},
                   at_host = {.host = (void *)(uintptr_t)host};
    CHECK(box_of(&device.box, at, region, row, slice) &&
              box_of(&at_host.box, host_at, region, host_row, host_slice),
          CL_INVALID_VALUE);
    CHECK(box_fits(&device.box, region, m->bytes), CL_INVALID_VALUE);
    const cl_int forbidden = check_host(m, is_read);
    if (forbidden) return forbidden;
    return enqueue_copy(q, is_read ? CL_COMMAND_READ_BUFFER_RECT : CL_COMMAND_WRITE_BUFFER_RECT,
                        is_read ? device : at_host, is_read ? at_host : device, region,
                        is_read ? m : NULL, is_read ? NULL : m, n, list, event, blocking);
}
API(cl_int)
clEnqueueReadBufferRect(cl_command_queue q, cl_mem m, cl_bool blocking, const size_t *at,
                        const size_t *host_at, const size_t *region, size_t row, size_t slice,
                        size_t host_row, size_t host_slice, void *host, cl_uint n,
                        const cl_event *list, cl_event *event) {
    return rect(q, m, blocking, at, host_at, region, row, slice, host_row, host_slice, host, true,
                n, list, event);
}
API(cl_int)
clEnqueueWriteBufferRect(cl_command_queue q, cl_mem m, cl_bool blocking, const size_t *at,
                         const size_t *host_at, const size_t *region, size_t row, size_t slice,
                         size_t host_row, size_t host_slice, const void *host, cl_uint n,
                         const cl_event *list, cl_event *event) {
    return rect(q, m, blocking, at, host_at, region, row, slice, host_row, host_slice, host, false,
                n, list, event);
}

API(cl_int)
clEnqueueCopyBuffer(cl_command_queue q, cl_mem from, cl_mem to, size_t from_offset,
                    size_t to_offset, size_t bytes, cl_uint n, const cl_event *list,
                    cl_event *event) {
    const cl_int bad = check(q, from, to, n, list);
    if (bad) return bad;
    CHECK(is_buffer(from) && is_buffer(to), CL_INVALID_MEM_OBJECT);
    CHECK(bytes && holds(from->bytes, from_offset, bytes) && holds(to->bytes, to_offset, bytes),
          CL_INVALID_VALUE);
    LOCKED;
    const CUdeviceptr a = ocl_memory_at(from) + from_offset, b = ocl_memory_at(to) + to_offset;
    CHECK(a + bytes <= b || b + bytes <= a, CL_MEM_COPY_OVERLAP);
    return enqueue_copy(q, CL_COMMAND_COPY_BUFFER, end_of_memory(from, from_offset, bytes),
                        end_of_memory(to, to_offset, bytes), (const size_t[3]){bytes, 1, 1}, from,
                        to, n, list, event, false);
}

// Whether boxes of one buffer have a byte in common; conservative where rows interleave.
static bool overlap(const struct ocl_box *a, const struct ocl_box *b, const size_t *n) {
    const size_t first_a = offset_of(a), first_b = offset_of(b);
    const size_t span = (n[2] - 1) * a->slice_pitch + (n[1] - 1) * a->row_pitch + n[0];
    if (first_a + span <= first_b || first_b + span <= first_a) return false;
    for (int d = 0; d < 3; d++) {
        const size_t x = a->origin[d], y = b->origin[d];
        if (x + n[d] <= y || y + n[d] <= x) return false;
    }
    return true;
}
API(cl_int)
clEnqueueCopyBufferRect(cl_command_queue q, cl_mem from, cl_mem to, const size_t *from_at,
                        const size_t *to_at, const size_t *region, size_t from_row,
                        size_t from_slice, size_t to_row, size_t to_slice, cl_uint n,
                        const cl_event *list, cl_event *event) {
    const cl_int bad = check(q, from, to, n, list);
    if (bad) return bad;
    CHECK(is_buffer(from) && is_buffer(to), CL_INVALID_MEM_OBJECT);
    CHECK(from_at && to_at && region && region[0] && region[1] && region[2], CL_INVALID_VALUE);
    LOCKED;
    struct ocl_end a = {.device = ocl_memory_at(from)}, b = {.device = ocl_memory_at(to)};
    CHECK(box_of(&a.box, from_at, region, from_row, from_slice) &&
              box_of(&b.box, to_at, region, to_row, to_slice),
          CL_INVALID_VALUE);
    CHECK(box_fits(&a.box, region, from->bytes) && box_fits(&b.box, region, to->bytes),
          CL_INVALID_VALUE);
    if (from == to) {
        CHECK(a.box.row_pitch == b.box.row_pitch && a.box.slice_pitch == b.box.slice_pitch,
              CL_INVALID_VALUE);
        CHECK(!overlap(&a.box, &b.box, region), CL_MEM_COPY_OVERLAP);
    }
    return enqueue_copy(q, CL_COMMAND_COPY_BUFFER_RECT, a, b, region, from, to, n, list, event,
                        false);
}

API(cl_int)
clEnqueueFillBuffer(cl_command_queue q, cl_mem m, const void *pattern, size_t pattern_bytes,
                    size_t offset, size_t bytes, cl_uint n, const cl_event *list, cl_event *event) {
    const cl_int bad = check(q, m, NULL, n, list);
    if (bad) return bad;
    CHECK(is_buffer(m), CL_INVALID_MEM_OBJECT);
    CHECK(pattern && pattern_bytes && pattern_bytes <= 128 &&
              !(pattern_bytes & (pattern_bytes - 1)),
          CL_INVALID_VALUE);
    CHECK(holds(m->bytes, offset, bytes) && offset % pattern_bytes == 0 &&
              bytes % pattern_bytes == 0,
          CL_INVALID_VALUE);
    LOCKED;
    struct ocl_command *c = ocl_command_new(q, CL_COMMAND_FILL_BUFFER, bytes ? issue_fill : NULL);
    if (!c) return CL_OUT_OF_HOST_MEMORY;
    c->fill.at = ocl_memory_at(m) + offset;
    c->fill.bytes = bytes;
    c->fill.pattern_bytes = pattern_bytes;
    memcpy(c->fill.pattern, pattern, pattern_bytes);
    c->writes = m;
    ocl_command_hold(c, m);
    return ocl_enqueue(q, c, n, list, event, false);
}

// ---- images -------------------------------------------------------------------------------------
// Where a region of an image lies: in its array, or in the buffer that it is made of. Layers of a one-dimensional array are
// rows for OpenCL and slices for the driver.
static struct ocl_end end_of_image(cl_mem m, const size_t *at, const size_t *n, size_t region[3]) {
    struct ocl_end e = {.array = m->array};
    const bool rows_are_layers = m->type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
    e.box.origin[0] = at[0] * m->texel_bytes;
    e.box.origin[1] = rows_are_layers ? 0 : at[1];
    e.box.origin[2] = rows_are_layers ? at[1] : at[2];
    if (region) {
        region[0] = n[0] * m->texel_bytes;
        region[1] = rows_are_layers ? 1 : n[1];
        region[2] = rows_are_layers ? n[1] : n[2];
    }
    if (m->array) return e;
    e.device = ocl_memory_at(m);
    e.box.row_pitch =
        m->desc.image_row_pitch ? m->desc.image_row_pitch : m->desc.image_width * m->texel_bytes;
    e.box.slice_pitch = e.box.row_pitch * (m->desc.image_height ? m->desc.image_height : 1);
    return e;
}
static bool image_holds(cl_mem m, const size_t *at, const size_t *n) {
    size_t size[3];
    ocl_image_size(m, size);
    for (int d = 0; d < 3; d++)
        if (!n[d] || !holds(size[d], at[d], n[d])) return false;
    return true;
}
// Pitches of a region in linear memory, for the driver: a layer of a one-dimensional array is a slice.
static struct ocl_box linear_box(cl_mem m, const size_t *n, size_t row, size_t slice) {
    const bool rows_are_layers = m->type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
    if (!row) row = n[0] * m->texel_bytes;
    if (rows_are_layers) {
        if (!slice) slice = row;
        return (struct ocl_box){{0, 0, 0}, slice, slice};
    }
    return (struct ocl_box){{0, 0, 0}, row, slice ? slice : row * n[1]};
}

static cl_int image_host(cl_command_queue q, cl_mem m, cl_bool blocking, const size_t *at,
                         const size_t *n, size_t row, size_t slice, const void *host, bool is_read,
                         cl_uint n_list, const cl_event *list, cl_event *event) {
    const cl_int bad = check(q, m, NULL, n_list, list);
    if (bad) return bad;
    CHECK(is_image(m), CL_INVALID_MEM_OBJECT);
    CHECK(host && at && n && image_holds(m, at, n), CL_INVALID_VALUE);
    CHECK(!row || row >= n[0] * m->texel_bytes, CL_INVALID_VALUE);
    const cl_int forbidden = check_host(m, is_read);
    if (forbidden) return forbidden;
    LOCKED;
    size_t region[3];
    const struct ocl_end device = end_of_image(m, at, n, region);
    const struct ocl_end at_host = {.host = (void *)(uintptr_t)host,
                                    .box = linear_box(m, n, row, slice)};
    return enqueue_copy(q, is_read ? CL_COMMAND_READ_IMAGE : CL_COMMAND_WRITE_IMAGE,
                        is_read ? device : at_host, is_read ? at_host : device, region,
                        is_read ? m : NULL, is_read ? NULL : m, n_list, list, event, blocking);
}
API(cl_int)
clEnqueueReadImage(cl_command_queue q, cl_mem m, cl_bool blocking, const size_t *at,
                   const size_t *n, size_t row, size_t slice, void *host, cl_uint n_list,
                   const cl_event *list, cl_event *event) {
    return image_host(q, m, blocking, at, n, row, slice, host, true, n_list, list, event);
}
API(cl_int)
clEnqueueWriteImage(cl_command_queue q, cl_mem m, cl_bool blocking, const size_t *at,
                    const size_t *n, size_t row, size_t slice, const void *host, cl_uint n_list,
                    const cl_event *list, cl_event *event) {
    return image_host(q, m, blocking, at, n, row, slice, host, false, n_list, list, event);
}
API(cl_int)
clEnqueueCopyImage(cl_command_queue q, cl_mem from, cl_mem to, const size_t *from_at,
                   const size_t *to_at, const size_t *n, cl_uint n_list, const cl_event *list,
                   cl_event *event) {
    const cl_int bad = check(q, from, to, n_list, list);
    if (bad) return bad;
    CHECK(is_image(from) && is_image(to), CL_INVALID_MEM_OBJECT);
    CHECK(from->format.image_channel_order == to->format.image_channel_order &&
              from->format.image_channel_data_type == to->format.image_channel_data_type,
          CL_IMAGE_FORMAT_MISMATCH);
    CHECK(from_at && to_at && n && image_holds(from, from_at, n) && image_holds(to, to_at, n),
          CL_INVALID_VALUE);
    if (from == to) {
        bool is_apart = false;
        for (int d = 0; d < 3; d++)
            is_apart |= from_at[d] + n[d] <= to_at[d] || to_at[d] + n[d] <= from_at[d];
        CHECK(is_apart, CL_MEM_COPY_OVERLAP);
    }
    LOCKED;
    size_t region[3];
    const struct ocl_end a = end_of_image(from, from_at, n, region),
                         b = end_of_image(to, to_at, n, NULL);
    return enqueue_copy(q, CL_COMMAND_COPY_IMAGE, a, b, region, from, to, n_list, list, event,
                        false);
}
static cl_int image_buffer(cl_command_queue q, cl_mem image, cl_mem buffer, const size_t *at,
                           const size_t *n, size_t offset, bool to_image, cl_uint n_list,
                           const cl_event *list, cl_event *event) {
    const cl_int bad = check(q, image, buffer, n_list, list);
    if (bad) return bad;
    CHECK(is_image(image) && is_buffer(buffer), CL_INVALID_MEM_OBJECT);
    CHECK(at && n && image_holds(image, at, n), CL_INVALID_VALUE);
    CHECK(holds(buffer->bytes, offset, n[0] * n[1] * n[2] * image->texel_bytes), CL_INVALID_VALUE);
    LOCKED;
    size_t region[3];
    const struct ocl_end a = end_of_image(image, at, n, region);
    struct ocl_end b = {.device = ocl_memory_at(buffer), .box = linear_box(image, n, 0, 0)};
    b.box.origin[0] = offset;
    return enqueue_copy(
        q, to_image ? CL_COMMAND_COPY_BUFFER_TO_IMAGE : CL_COMMAND_COPY_IMAGE_TO_BUFFER,
        to_image ? b : a, to_image ? a : b, region, to_image ? buffer : image,
        to_image ? image : buffer, n_list, list, event, false);
}
API(cl_int)
clEnqueueCopyImageToBuffer(cl_command_queue q, cl_mem image, cl_mem buffer, const size_t *at,
                           const size_t *n, size_t offset, cl_uint n_list, const cl_event *list,
                           cl_event *event) {
    return image_buffer(q, image, buffer, at, n, offset, false, n_list, list, event);
}
API(cl_int)
clEnqueueCopyBufferToImage(cl_command_queue q, cl_mem buffer, cl_mem image, size_t offset,
                           const size_t *at, const size_t *n, cl_uint n_list, const cl_event *list,
                           cl_event *event) {
    return image_buffer(q, image, buffer, at, n, offset, true, n_list, list, event);
}

// ---- maps ---------------------------------------------------------------------------------------
// A map shows a region in the shadow of its object; its end writes the region back, unless it was for reading.
struct ocl_map {
    struct ocl_map *next;
    void *at;
    cl_map_flags flags;
    bool is_of_image;
    size_t origin[3], n[3]; // of a buffer: bytes in the first
    size_t row, slice;
};

void ocl_map_forget(cl_mem m) {
    while (m->mapped) {
        struct ocl_map *next = m->mapped->next;
        free(m->mapped);
        m->mapped = next;
    }
}
static cl_int check_map(cl_mem m, cl_map_flags flags) {
    const cl_map_flags known = CL_MAP_READ | CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION;
    CHECK(!(flags & ~known) &&
              !(flags & CL_MAP_WRITE_INVALIDATE_REGION && flags & (CL_MAP_READ | CL_MAP_WRITE)),
          CL_INVALID_VALUE);
    if (flags & CL_MAP_READ && check_host(m, true)) return CL_INVALID_OPERATION;
    if (flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION) && check_host(m, false))
        return CL_INVALID_OPERATION;
    return CL_SUCCESS;
}
static struct ocl_map *map_new(cl_mem m, cl_map_flags flags, void *at) {
    struct ocl_map *k = calloc(1, sizeof *k);
    if (!k) return NULL;
    k->next = m->mapped;
    k->at = at;
    k->flags = flags;
    m->mapped = k;
    m->maps++;
    return k;
}
// Nothing is copied for what will be overwritten whole.
static cl_int map_command(cl_command_queue q, cl_command_type type, cl_mem m,
                          const struct ocl_map *k, struct ocl_end a, struct ocl_end b,
                          const size_t region[3], cl_uint n, const cl_event *list, cl_event *event,
                          bool is_blocking) {
    if (!(k->flags & CL_MAP_WRITE_INVALIDATE_REGION))
        return enqueue_copy(q, type, a, b, region, m, NULL, n, list, event, is_blocking);
    struct ocl_command *c = ocl_command_new(q, type, NULL);
    if (!c) return CL_OUT_OF_HOST_MEMORY;
    ocl_command_hold(c, m);
    return ocl_enqueue(q, c, n, list, event, is_blocking);
}
static void unmap_first(cl_mem m) {
    struct ocl_map *k = m->mapped;
    m->mapped = k->next;
    m->maps--;
    free(k);
}

API(void *)
clEnqueueMapBuffer(cl_command_queue q, cl_mem m, cl_bool blocking, cl_map_flags flags,
                   size_t offset, size_t bytes, cl_uint n, const cl_event *list, cl_event *event,
                   cl_int *error) {
    cl_int bad = check(q, m, NULL, n, list);
    if (!bad && !is_buffer(m)) bad = CL_INVALID_MEM_OBJECT;
    if (!bad && (!bytes || !holds(m->bytes, offset, bytes))) bad = CL_INVALID_VALUE;
    if (!bad) bad = check_map(m, flags);
    if (bad) FAIL(bad);
    LOCKED;
    bad = ocl_memory_shadow(m);
    if (bad) FAIL(bad);
    struct ocl_map *k = map_new(m, flags, m->shadow + offset);
    if (!k) FAIL(CL_OUT_OF_HOST_MEMORY);
    k->origin[0] = offset, k->n[0] = bytes;
    void *const at = k->at;
    bad = map_command(q, CL_COMMAND_MAP_BUFFER, m, k, end_of_memory(m, offset, bytes),
                      end_of_host(at, bytes), (const size_t[3]){bytes, 1, 1}, n, list, event,
                      blocking);
    if (bad) {
        unmap_first(m);
        FAIL(bad);
    }
    if (error) *error = CL_SUCCESS;
    return at;
}

API(void *)
clEnqueueMapImage(cl_command_queue q, cl_mem m, cl_bool blocking, cl_map_flags flags,
                  const size_t *at, const size_t *n, size_t *row, size_t *slice, cl_uint n_list,
                  const cl_event *list, cl_event *event, cl_int *error) {
    cl_int bad = check(q, m, NULL, n_list, list);
    if (!bad && !is_image(m)) bad = CL_INVALID_MEM_OBJECT;
    if (!bad && (!at || !n || !row || !image_holds(m, at, n))) bad = CL_INVALID_VALUE;
    const bool has_slices =
        !bad && (m->type == CL_MEM_OBJECT_IMAGE3D || m->type == CL_MEM_OBJECT_IMAGE2D_ARRAY ||
                 m->type == CL_MEM_OBJECT_IMAGE1D_ARRAY);
    if (!bad && has_slices && !slice) bad = CL_INVALID_VALUE;
    if (!bad) bad = check_map(m, flags);
    if (bad) FAIL(bad);
    LOCKED;
    bad = ocl_memory_shadow(m);
    if (bad) FAIL(bad);
    const size_t row_pitch = m->desc.image_row_pitch, slice_pitch = m->desc.image_slice_pitch;
    const bool rows_are_layers = m->type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
    const size_t offset =
        at[0] * m->texel_bytes +
        (rows_are_layers ? at[1] * slice_pitch : at[1] * row_pitch + at[2] * slice_pitch);
    struct ocl_map *k = map_new(m, flags, m->shadow + offset);
    if (!k) FAIL(CL_OUT_OF_HOST_MEMORY);
    k->is_of_image = true;
    memcpy(k->origin, at, sizeof k->origin);
    memcpy(k->n, n, sizeof k->n);
    k->row = row_pitch, k->slice = slice_pitch;
    void *const p = k->at;
    size_t region[3];
    const struct ocl_end device = end_of_image(m, at, n, region);
    const struct ocl_end host = {.host = p, .box = linear_box(m, n, k->row, k->slice)};
    bad = map_command(q, CL_COMMAND_MAP_IMAGE, m, k, device, host, region, n_list, list, event,
                      blocking);
    if (bad) {
        unmap_first(m);
        FAIL(bad);
    }
    *row = row_pitch;
    if (slice) *slice = has_slices ? slice_pitch : 0;
    if (error) *error = CL_SUCCESS;
    return p;
}

API(cl_int)
clEnqueueUnmapMemObject(cl_command_queue q, cl_mem m, void *p, cl_uint n, const cl_event *list,
                        cl_event *event) {
    const cl_int bad = check(q, m, NULL, n, list);
    if (bad) return bad;
    LOCKED;
    struct ocl_map **at = &m->mapped;
    while (*at && (*at)->at != p) at = &(*at)->next;
    CHECK(*at, CL_INVALID_VALUE);
    struct ocl_map k = **at;
    free(*at);
    *at = k.next;
    m->maps--;
    if (k.flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION)) {
        if (!k.is_of_image)
            return enqueue_copy(q, CL_COMMAND_UNMAP_MEM_OBJECT, end_of_host(p, k.n[0]),
                                end_of_memory(m, k.origin[0], k.n[0]),
                                (const size_t[3]){k.n[0], 1, 1}, NULL, m, n, list, event, false);
        size_t region[3];
        const struct ocl_end device = end_of_image(m, k.origin, k.n, region);
        const struct ocl_end host = {.host = p, .box = linear_box(m, k.n, k.row, k.slice)};
        return enqueue_copy(q, CL_COMMAND_UNMAP_MEM_OBJECT, host, device, region, NULL, m, n, list,
                            event, false);
    }
    struct ocl_command *c = ocl_command_new(q, CL_COMMAND_UNMAP_MEM_OBJECT, NULL);
    return ocl_enqueue(q, c, n, list, event, false);
}

// One device: memory is where it is.
API(cl_int)
clEnqueueMigrateMemObjects(cl_command_queue q, cl_uint n_objects, const cl_mem *objects,
                           cl_mem_migration_flags flags, cl_uint n, const cl_event *list,
                           cl_event *event) {
    CHECK(OCL_IS(q, OCL_QUEUE), CL_INVALID_COMMAND_QUEUE);
    CHECK(n_objects && objects, CL_INVALID_VALUE);
    CHECK(!(flags & ~(cl_mem_migration_flags)(CL_MIGRATE_MEM_OBJECT_HOST |
                                              CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED)),
          CL_INVALID_VALUE);
    for (cl_uint i = 0; i < n_objects; i++) {
        const cl_int bad = check(q, objects[i], NULL, n, list);
        if (bad) return bad;
    }
    LOCKED;
    return ocl_enqueue(q, ocl_command_new(q, CL_COMMAND_MIGRATE_MEM_OBJECTS, NULL), n, list, event,
                       false);
}

// ---- fills of images ----------------------------------------------------------------------------
static uint16_t half_of(float f) {
    uint32_t u;
    memcpy(&u, &f, sizeof u);
    const uint32_t sign = u >> 16 & 0x8000, magnitude = u & 0x7fffffff;
    if (magnitude > 0x7f800000) return (uint16_t)(sign | 0x7e00);
    if (magnitude >= 0x477ff000) return (uint16_t)(sign | 0x7c00);
    if (magnitude < 0x38800000) { // denormal: the unit is 2^-24
        float a;
        memcpy(&a, &magnitude, sizeof a);
        return (uint16_t)(sign | (uint32_t)__builtin_rintf(a * 16777216.0f));
    }
    const uint32_t rounded = magnitude + 0xfff + (magnitude >> 13 & 1);
    return (uint16_t)(sign | (rounded - 0x38000000) >> 13);
}
// A colour as one texel, by the rules of conversion of write_image (OpenCL 1.2, 8.3).
static void texel_of(cl_mem m, const void *colour, uint8_t *out) {
    static const struct {
        cl_channel_order order;
        uint8_t channel[4], n;
    } orders[] = {{CL_R, {0}, 1},
                  {CL_A, {3}, 1},
                  {CL_RG, {0, 1}, 2},
                  {CL_RA, {0, 3}, 2},
                  {CL_INTENSITY, {0}, 1},
                  {CL_LUMINANCE, {0}, 1},
                  {CL_RGBA, {0, 1, 2, 3}, 4},
                  {CL_BGRA, {2, 1, 0, 3}, 4},
                  {CL_ARGB, {3, 0, 1, 2}, 4}};
    size_t o = 0;
    while (o + 1 < sizeof orders / sizeof *orders &&
           orders[o].order != m->format.image_channel_order)
        o++;
    for (int i = 0; i < orders[o].n; i++) {
        float f;
        int32_t s;
        uint32_t u;
        memcpy(&f, (const uint8_t *)colour + 4 * orders[o].channel[i], 4);
        memcpy(&s, &f, 4);
        memcpy(&u, &f, 4);
#define CLAMP(v, low, high) ((v) < (low) ? (low) : (v) > (high) ? (high) : (v))
#define PUT(type, value)                                                                           \
    do {                                                                                           \
        const type v_ = (type)(value);                                                             \
        memcpy(out, &v_, sizeof v_);                                                               \
        out += sizeof v_;                                                                          \
    } while (0)
        switch (m->format.image_channel_data_type) {
        case CL_UNORM_INT8: PUT(uint8_t, __builtin_rintf(CLAMP(f, 0.0f, 1.0f) * 255)); break;
        case CL_UNORM_INT16: PUT(uint16_t, __builtin_rintf(CLAMP(f, 0.0f, 1.0f) * 65535)); break;
        case CL_SNORM_INT8: PUT(int8_t, __builtin_rintf(CLAMP(f, -1.0f, 1.0f) * 127)); break;
        case CL_SNORM_INT16: PUT(int16_t, __builtin_rintf(CLAMP(f, -1.0f, 1.0f) * 32767)); break;
        case CL_SIGNED_INT8: PUT(int8_t, CLAMP(s, -128, 127)); break;
        case CL_SIGNED_INT16: PUT(int16_t, CLAMP(s, -32768, 32767)); break;
        case CL_UNSIGNED_INT8: PUT(uint8_t, u > 255 ? 255 : u); break;
        case CL_UNSIGNED_INT16: PUT(uint16_t, u > 65535 ? 65535 : u); break;
        case CL_HALF_FLOAT: PUT(uint16_t, half_of(f)); break;
        default: PUT(uint32_t, u); break;
        }
    }
}
API(cl_int)
clEnqueueFillImage(cl_command_queue q, cl_mem m, const void *colour, const size_t *at,
                   const size_t *n, cl_uint n_list, const cl_event *list, cl_event *event) {
    const cl_int bad = check(q, m, NULL, n_list, list);
    if (bad) return bad;
    CHECK(is_image(m), CL_INVALID_MEM_OBJECT);
    CHECK(colour && at && n && image_holds(m, at, n), CL_INVALID_VALUE);
    LOCKED;
    uint8_t texel[16];
    texel_of(m, colour, texel);
    const size_t texels = n[0] * n[1] * n[2];
    uint8_t *const all = malloc(texels * m->texel_bytes);
    if (!all) return CL_OUT_OF_HOST_MEMORY;
    for (size_t i = 0; i < texels; i++) memcpy(all + i * m->texel_bytes, texel, m->texel_bytes);
    struct ocl_command *c = ocl_command_new(q, CL_COMMAND_FILL_IMAGE, issue_copy);
    if (!c) return free(all), CL_OUT_OF_HOST_MEMORY;
    c->scratch = all;
    c->copy.to = end_of_image(m, at, n, c->copy.region);
    c->copy.from = (struct ocl_end){.host = all, .box = linear_box(m, n, 0, 0)};
    c->writes = m;
    ocl_command_hold(c, m);
    return ocl_enqueue(q, c, n_list, list, event, false);
}
