// Rectangles and boxes between host, device, pitch memory and arrays, against a copy by hand.
#include "driver_test.h"

// A block of bytes somewhere, with its shape: what a copy's side is, and how to read it back whole.
struct place {
    CUmemorytype type;
    CUdeviceptr device;
    unsigned char *host;
    CUarray array;
    size_t row, rows, slices, pitch; // bytes of a row, of its step
    unsigned char *model;            // packed: what it should hold
};
enum { TEXEL = 4 };

static size_t packed(const struct place *p) { return p->row * p->rows * p->slices; }

static CUDA_MEMCPY3D whole(const struct place *p, unsigned char *host, bool to_host) {
    CUDA_MEMCPY3D c = {.WidthInBytes = p->row, .Height = p->rows, .Depth = p->slices};
    if (to_host) {
        c.srcMemoryType = p->type, c.srcHost = p->host, c.srcDevice = p->device,
        c.srcArray = p->array;
        c.srcPitch = p->pitch, c.srcHeight = p->rows;
        c.dstMemoryType = CU_MEMORYTYPE_HOST, c.dstHost = host, c.dstPitch = p->row,
        c.dstHeight = p->rows;
    } else {
        c.dstMemoryType = p->type, c.dstHost = p->host, c.dstDevice = p->device,
        c.dstArray = p->array;
        c.dstPitch = p->pitch, c.dstHeight = p->rows;
        c.srcMemoryType = CU_MEMORYTYPE_HOST, c.srcHost = host, c.srcPitch = p->row,
        c.srcHeight = p->rows;
    }
    return c;
}

static void make(struct place *p, unsigned seed) {
    p->model = malloc(packed(p));
    for (size_t i = 0; i < packed(p); i++)
        p->model[i] = (unsigned char)scramble((unsigned)i + seed);
    if (p->type == CU_MEMORYTYPE_ARRAY) {
        const CUDA_ARRAY3D_DESCRIPTOR d = {.Width = p->row / TEXEL,
                                           .Height = p->rows,
                                           .Depth = p->slices,
                                           .Format = CU_AD_FORMAT_UNSIGNED_INT8,
                                           .NumChannels = 4};
        OK(cuArray3DCreate(&p->array, &d));
    } else if (p->type == CU_MEMORYTYPE_HOST) {
        p->pitch = p->row + 5;
        p->host = malloc(p->pitch * p->rows * p->slices);
    } else {
        OK(cuMemAllocPitch(&p->device, &p->pitch, p->row, p->rows * p->slices, 4));
    }
    const CUDA_MEMCPY3D c = whole(p, p->model, false);
    OK(cuMemcpy3D(&c));
}

static void check(const struct place *p) {
    unsigned char *got = malloc(packed(p));
    const CUDA_MEMCPY3D c = whole(p, got, true);
    OK(cuMemcpy3D(&c));
    CHECK(memcmp(got, p->model, packed(p)) == 0);
    free(got);
}

static void end(struct place *p) {
    if (p->type == CU_MEMORYTYPE_ARRAY)
        OK(cuArrayDestroy(p->array));
    else if (p->type == CU_MEMORYTYPE_HOST)
        free(p->host);
    else
        OK(cuMemFree(p->device));
    free(p->model);
}

struct box {
    size_t x, y, z, width, height, depth;
};

static void by_hand(struct place *to, const struct place *from, struct box b, struct box at) {
    for (size_t z = 0; z < b.depth; z++)
        for (size_t y = 0; y < b.height; y++)
            memcpy(to->model + ((at.z + z) * to->rows + at.y + y) * to->row + at.x,
                   from->model + ((b.z + z) * from->rows + b.y + y) * from->row + b.x, b.width);
}

static void boxes(CUmemorytype from_type, CUmemorytype to_type) {
    struct place from = {.type = from_type, .row = 80, .rows = 9, .slices = 5};
    struct place to = {.type = to_type, .row = 120, .rows = 7, .slices = 4};
    make(&from, 1);
    make(&to, 1000);
    const struct box b = {8, 2, 1, 40, 5, 3}, at = {60, 1, 1, 0, 0, 0};
    CUDA_MEMCPY3D c = {.srcXInBytes = b.x,
                       .srcY = b.y,
                       .srcZ = b.z,
                       .srcMemoryType = from_type,
                       .srcHost = from.host,
                       .srcDevice = from.device,
                       .srcArray = from.array,
                       .srcPitch = from.pitch,
                       .srcHeight = from.rows,
                       .dstXInBytes = at.x,
                       .dstY = at.y,
                       .dstZ = at.z,
                       .dstMemoryType = to_type,
                       .dstHost = to.host,
                       .dstDevice = to.device,
                       .dstArray = to.array,
                       .dstPitch = to.pitch,
                       .dstHeight = to.rows,
                       .WidthInBytes = b.width,
                       .Height = b.height,
                       .Depth = b.depth};
    OK(cuMemcpy3D(&c));
    by_hand(&to, &from, b, at);
    check(&to);
    check(&from);
    c.dstXInBytes = 0, c.srcXInBytes = 40;
    OK(cuMemcpy3DAsync(&c, NULL));
    OK(cuCtxSynchronize());
    by_hand(&to, &from, (struct box){40, 2, 1, 40, 5, 3}, (struct box){.y = 1, .z = 1});
    check(&to);
    end(&from);
    end(&to);
}

static void rectangles(CUmemorytype from_type, CUmemorytype to_type) {
    struct place from = {.type = from_type, .row = 64, .rows = 20, .slices = 1};
    struct place to = {.type = to_type, .row = 96, .rows = 16, .slices = 1};
    make(&from, 7);
    make(&to, 70);
    CUDA_MEMCPY2D c = {.srcXInBytes = 12,
                       .srcY = 3,
                       .srcMemoryType = from_type,
                       .srcHost = from.host,
                       .srcDevice = from.device,
                       .srcArray = from.array,
                       .srcPitch = from.pitch,
                       .dstXInBytes = 16,
                       .dstY = 5,
                       .dstMemoryType = to_type,
                       .dstHost = to.host,
                       .dstDevice = to.device,
                       .dstArray = to.array,
                       .dstPitch = to.pitch,
                       .WidthInBytes = 48,
                       .Height = 11};
    OK(cuMemcpy2D(&c));
    by_hand(&to, &from, (struct box){12, 3, 0, 48, 11, 1}, (struct box){16, 5, 0, 0, 0, 0});
    check(&to);
    c.srcY = 0, c.dstY = 0;
    OK(cuMemcpy2DUnaligned(&c));
    by_hand(&to, &from, (struct box){12, 0, 0, 48, 11, 1}, (struct box){.x = 16});
    c.srcXInBytes = 0, c.dstXInBytes = 0;
    OK(cuMemcpy2DAsync(&c, NULL));
    by_hand(&to, &from, (struct box){0, 0, 0, 48, 11, 1}, (struct box){0});
    OK(cuCtxSynchronize());
    check(&to);
    end(&from);
    end(&to);
}

static void unified(void) {
    unsigned char a[300], b[300];
    CUdeviceptr d;
    size_t pitch;
    for (int i = 0; i < 300; i++) a[i] = (unsigned char)i;
    OK(cuMemAllocPitch(&d, &pitch, 30, 10, 4));
    CUDA_MEMCPY2D c = {.srcMemoryType = CU_MEMORYTYPE_UNIFIED,
                       .srcDevice = (CUdeviceptr)(uintptr_t)a,
                       .srcPitch = 30,
                       .dstMemoryType = CU_MEMORYTYPE_UNIFIED,
                       .dstDevice = d,
                       .dstPitch = pitch,
                       .WidthInBytes = 30,
                       .Height = 10};
    OK(cuMemcpy2D(&c));
    CUDA_MEMCPY2D r = {.srcMemoryType = CU_MEMORYTYPE_UNIFIED,
                       .srcDevice = d,
                       .srcPitch = pitch,
                       .dstMemoryType = CU_MEMORYTYPE_UNIFIED,
                       .dstDevice = (CUdeviceptr)(uintptr_t)b,
                       .dstPitch = 30,
                       .WidthInBytes = 30,
                       .Height = 10};
    OK(cuMemcpy2D(&r));
    CHECK(memcmp(a, b, 300) == 0);
    OK(cuMemFree(d));
}

static void linear_arrays(void) {
    const CUDA_ARRAY_DESCRIPTOR line = {
        .Width = 100, .Format = CU_AD_FORMAT_FLOAT, .NumChannels = 1};
    const CUDA_ARRAY_DESCRIPTOR plane = {
        .Width = 25, .Height = 4, .Format = CU_AD_FORMAT_FLOAT, .NumChannels = 1};
    CUarray a, b, p;
    float in[100], out[100];
    CUdeviceptr d = alloc(400);
    for (int i = 0; i < 100; i++) in[i] = (float)i;
    OK(cuArrayCreate(&a, &line));
    OK(cuArrayCreate(&b, &line));
    OK(cuArrayCreate(&p, &plane));
    OK(cuMemcpyHtoA(a, 0, in, 400));
    OK(cuMemcpyAtoD(d, a, 40, 80));
    OK(cuMemcpyDtoA(b, 200, d, 80));
    OK(cuMemcpyAtoA(b, 0, a, 360, 40));
    OK(cuMemcpyAtoH(out, b, 0, 40));
    OK(cuMemcpyAtoH(out + 50, b, 200, 80));
    for (int i = 0; i < 10; i++) CHECK(out[i] == (float)(90 + i));
    for (int i = 0; i < 20; i++) CHECK(out[50 + i] == (float)(10 + i));
    OK(cuMemcpyHtoAAsync(p, 60, in, 280, NULL)); // across rows, from the middle to the middle
    OK(cuMemcpyAtoHAsync(out, p, 60, 280, NULL));
    OK(cuStreamSynchronize(NULL));
    CHECK(memcmp(in, out, 280) == 0);
    OK(cuMemcpyAtoA(a, 0, p, 100, 200)); // a plane into a line
    OK(cuMemcpyAtoH(out, a, 0, 200));
    CHECK(memcmp(in + 10, out, 200) == 0);
    IS(cuMemcpyHtoA(a, 0, in, 404), CUDA_ERROR_INVALID_VALUE);
    IS(cuMemcpyHtoA(a, 2, in, 4), CUDA_ERROR_INVALID_VALUE); // not a texel
    IS(cuMemcpyAtoH(out, (CUarray)in, 0, 4), CUDA_ERROR_INVALID_HANDLE);
    OK(cuArrayDestroy(a));
    OK(cuArrayDestroy(b));
    OK(cuArrayDestroy(p));
    IS(cuArrayDestroy(p), CUDA_ERROR_INVALID_HANDLE);
    OK(cuMemFree(d));
}

static void refused(void) {
    CUarray a;
    unsigned char host[4096];
    CUdeviceptr d = alloc(4096);
    CUDA_ARRAY3D_DESCRIPTOR s = {
        .Width = 16, .Height = 8, .Format = CU_AD_FORMAT_UNSIGNED_INT8, .NumChannels = 4};
    OK(cuArray3DCreate(&a, &s));
    const CUDA_MEMCPY2D good = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                                .srcHost = host,
                                .srcPitch = 64,
                                .dstMemoryType = CU_MEMORYTYPE_ARRAY,
                                .dstArray = a,
                                .WidthInBytes = 64,
                                .Height = 8};
    CUDA_MEMCPY2D c = good;
    OK(cuMemcpy2D(&c));
    c.dstY = 1;
    IS(cuMemcpy2D(&c), CUDA_ERROR_INVALID_VALUE);
    c = good, c.WidthInBytes = 66;
    IS(cuMemcpy2D(&c), CUDA_ERROR_INVALID_VALUE);
    c = good, c.srcPitch = 60;
    IS(cuMemcpy2D(&c), CUDA_ERROR_INVALID_VALUE);
    c = good, c.srcHost = NULL;
    IS(cuMemcpy2D(&c), CUDA_ERROR_INVALID_VALUE);
    c = good, c.dstArray = NULL;
    IS(cuMemcpy2D(&c), CUDA_ERROR_INVALID_HANDLE);
    c = good, c.srcMemoryType = 9;
    IS(cuMemcpy2D(&c), CUDA_ERROR_INVALID_VALUE);
    c = good, c.dstMemoryType = CU_MEMORYTYPE_DEVICE, c.dstDevice = d, c.dstPitch = 600;
    struct capture say = capture_begin(2);
    IS(cuMemcpy2D(&c), CUDA_ERROR_INVALID_VALUE); // past the allocation
    CHECK(occurrences(capture_end(say), "\n") == 1);
    c = good, c.dstMemoryType = CU_MEMORYTYPE_DEVICE, c.dstDevice = d, c.dstPitch = (size_t)1 << 40;
    IS(cuMemcpy2D(&c), CUDA_ERROR_INVALID_VALUE);
    IS(cuMemcpy2D(NULL), CUDA_ERROR_INVALID_VALUE);
    c = good, c.Height = 0;
    OK(cuMemcpy2D(&c));
    IS(cuMemcpy2DAsync(&c, (CUstream)host), CUDA_ERROR_INVALID_HANDLE);
    OK(cuArrayDestroy(a));
    s.NumChannels = 3;
    IS(cuArray3DCreate(&a, &s), CUDA_ERROR_INVALID_VALUE);
    s.NumChannels = 4, s.Width = 1 << 20;
    IS(cuArray3DCreate(&a, &s), CUDA_ERROR_INVALID_VALUE);
    s.Width = 0;
    IS(cuArray3DCreate(&a, &s), CUDA_ERROR_INVALID_VALUE);
    s.Width = 16, s.Height = 16, s.Depth = 5, s.Flags = CUDA_ARRAY3D_CUBEMAP;
    IS(cuArray3DCreate(&a, &s), CUDA_ERROR_INVALID_VALUE);
    s.Depth = 6;
    OK(cuArray3DCreate(&a, &s));
    CUDA_ARRAY3D_DESCRIPTOR back;
    OK(cuArray3DGetDescriptor(&back, a));
    CHECK(back.Width == 16 && back.Depth == 6 && back.Flags == CUDA_ARRAY3D_CUBEMAP);
    OK(cuArrayDestroy(a));
    OK(cuMemFree(d));
}

static void mipmaps(void) {
    CUmipmappedArray m;
    CUarray a;
    CUDA_ARRAY3D_DESCRIPTOR d = {
        .Width = 16, .Height = 8, .Format = CU_AD_FORMAT_FLOAT, .NumChannels = 1};
    OK(cuMipmappedArrayCreate(&m, &d, 10));
    OK(cuMipmappedArrayGetLevel(&a, m, 4)); // 16, 8, 4, 2, 1
    IS(cuMipmappedArrayGetLevel(&a, m, 5), CUDA_ERROR_INVALID_VALUE);
    OK(cuMipmappedArrayGetLevel(&a, m, 2));
    OK(cuArray3DGetDescriptor(&d, a));
    CHECK(d.Width == 4 && d.Height == 2);
    IS(cuArrayDestroy(a), CUDA_ERROR_INVALID_VALUE); // its mipmap's
    OK(cuMipmappedArrayDestroy(m));
    IS(cuMipmappedArrayDestroy(m), CUDA_ERROR_INVALID_HANDLE);
    IS(cuArray3DGetDescriptor(&d, a), CUDA_ERROR_INVALID_HANDLE);
}

// Copies of one call: up, across and down; from pinned memory as it was during the call, and as it is when the stream comes to it.
static void batches(void) {
    enum { N = 4096 };
    CUdeviceptr a, b;
    CUstream s;
    unsigned char *pinned, *early, *late;
    size_t failed = 7;
    OK(cuMemAlloc(&a, 2 * N));
    OK(cuMemAlloc(&b, N));
    OK(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
    OK(cuMemHostAlloc((void **)&pinned, N, 0));
    OK(cuMemHostAlloc((void **)&early, N, 0));
    OK(cuMemHostAlloc((void **)&late, N, 0));
    for (int i = 0; i < N; i++) pinned[i] = (unsigned char)scramble((unsigned)i);
    CUmemcpyAttributes how[] = {{.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL},
                                {.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM}};
    size_t first[] = {0, 1}, bytes[] = {N, N, N, N, N - 3};
    CUdeviceptr to[] = {a, a + N, b, (uintptr_t)early, (uintptr_t)late},
                from[] = {(uintptr_t)pinned, a, a + N, b, a};
    OK(cuMemcpyBatchAsync_v2(to, from, bytes, 5, how, first, 2, s));
    memset(pinned, 0, N);
    OK(cuStreamSynchronize(s));
    for (int i = 0; i < N; i++) CHECK(early[i] == (unsigned char)scramble((unsigned)i));
    for (int i = 0; i < N - 3; i++) CHECK(late[i] == early[i]);
    IS(cuMemcpyBatchAsync_v2(to, from, bytes, 5, how, first, 2, NULL), CUDA_ERROR_INVALID_VALUE);
    IS(cuMemcpyBatchAsync_v2(to, from, bytes, 1, how, first, 2, s), CUDA_ERROR_INVALID_VALUE);
    IS(cuMemcpyBatchAsync_v2(to, from, bytes, 5, how, first + 1, 1, s), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemcpyBatchAsync(to, from, bytes, 5, how, first, 2, &failed, s));
    CHECK(failed == SIZE_MAX);
    bytes[2] = 3 * N; // more than there is
    IS(cuMemcpyBatchAsync(to, from, bytes, 5, how, first, 2, &failed, s), CUDA_ERROR_INVALID_VALUE);
    CHECK(failed == 2);
    OK(cuStreamDestroy(s));
    OK(cuMemFreeHost(pinned));
    OK(cuMemFreeHost(early));
    OK(cuMemFreeHost(late));
    OK(cuMemFree(a));
    OK(cuMemFree(b));
}

int main(void) {
    static const CUmemorytype types[] = {CU_MEMORYTYPE_HOST, CU_MEMORYTYPE_DEVICE,
                                         CU_MEMORYTYPE_ARRAY};
    CUcontext c = start();
    for (size_t i = 0; i < 3; i++)
        for (size_t j = 0; j < 3; j++) {
            boxes(types[i], types[j]);
            rectangles(types[i], types[j]);
        }
    unified();
    linear_arrays();
    refused();
    mipmaps();
    batches();
    OK(cuCtxDestroy(c));
    return 0;
}
