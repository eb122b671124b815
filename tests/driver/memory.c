// Allocation, linear copies, fills, pinned and registered memory, pointers' attributes.
#include "driver_test.h"

static unsigned char bytes[1 << 16], back[1 << 16];

static void device_memory(void) {
    size_t free0, free1, total, size;
    CUdeviceptr p, q, base;
    OK(cuMemGetInfo(&free0, &total));
    CHECK(total == (size_t)1536 << 20 && free0 <= total);
    OK(cuMemAlloc(&p, 1000));
    CHECK(p && p % 512 == 0); // as textures need it
    OK(cuMemAlloc(&q, 1));
    CHECK(q != p);
    OK(cuMemGetInfo(&free1, NULL));
    CHECK(free1 < free0);
    OK(cuMemGetAddressRange(&base, &size, p + 999));
    CHECK(base == p && size == 1000);
    IS(cuMemGetAddressRange(&base, &size, p + 1000), CUDA_ERROR_NOT_FOUND);
    OK(cuMemFree(p));
    OK(cuMemFree(0));
    struct capture c = capture_begin(2);
    IS(cuMemFree(p), CUDA_ERROR_INVALID_VALUE); // twice
    CHECK(strstr(capture_end(c), "a freed allocation of"));
    c = capture_begin(2);
    IS(cuMemFree(q + 1), CUDA_ERROR_INVALID_VALUE);
    IS(cuMemFree(12345), CUDA_ERROR_INVALID_VALUE);
    CHECK(occurrences(capture_end(c), "\n") == 2);
    OK(cuMemFree(q));
    OK(cuMemGetInfo(&free1, NULL));
    CHECK(free1 == free0);
    IS(cuMemAlloc(&p, 0), CUDA_ERROR_INVALID_VALUE);
    IS(cuMemAlloc(NULL, 4), CUDA_ERROR_INVALID_VALUE);
}

static void too_large(void) {
    CUdeviceptr p = 99, many[8];
    unsigned n = 0;
    struct capture c = capture_begin(2);
    IS(cuMemAlloc(&p, (size_t)2 << 30), CUDA_ERROR_OUT_OF_MEMORY);
    IS(cuMemAlloc(&p, SIZE_MAX), CUDA_ERROR_OUT_OF_MEMORY);
    while (n < 8 && cuMemAlloc(&many[n], (size_t)400 << 20) == CUDA_SUCCESS) n++;
    CHECK(n == 3);
    while (n) OK(cuMemFree(many[--n]));
    CHECK(!*capture_end(c)); // programs try: nothing to say
    CHECK(p == 99);
    size_t pitch;
    IS(cuMemAllocPitch(&p, &pitch, 1 << 20, 1 << 20, 4), CUDA_ERROR_OUT_OF_MEMORY);
    IS(cuMemAllocPitch(&p, &pitch, 100, 10, 5), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemAllocPitch(&p, &pitch, 100, 10, 4));
    CHECK(pitch >= 100 && pitch % 512 == 0);
    OK(cuMemFree(p));
}

static void linear_copies(void) {
    CUdeviceptr p = alloc(sizeof bytes), q = alloc(sizeof bytes);
    for (unsigned i = 0; i < sizeof bytes; i++) bytes[i] = (unsigned char)scramble(i);
    OK(cuMemcpyHtoD(p, bytes, sizeof bytes));
    OK(cuMemcpyDtoD(q + 3, p + 1, 1000));
    OK(cuMemcpyDtoH(back, q + 3, 1000));
    CHECK(memcmp(back, bytes + 1, 1000) == 0);
    memset(back, 0, sizeof back);
    OK(cuMemcpyHtoDAsync(q, bytes, sizeof bytes, NULL));
    bytes[0] ^= 255; // pageable memory is read at the call
    OK(cuMemcpyDtoHAsync(back, q, sizeof bytes, NULL));
    OK(cuStreamSynchronize(NULL));
    bytes[0] ^= 255;
    CHECK(memcmp(back, bytes, sizeof bytes) == 0);
    OK(cuMemcpy(p, (CUdeviceptr)(uintptr_t)back, 100)); // addresses that say themselves
    memset(back, 0, 100);
    OK(cuMemcpy((CUdeviceptr)(uintptr_t)back, p, 100));
    CHECK(memcmp(back, bytes, 100) == 0);
    OK(cuMemcpyDtoD(p, q, 0));
    struct capture c = capture_begin(2);
    IS(cuMemcpyHtoD(p, bytes, sizeof bytes + 1), CUDA_ERROR_INVALID_VALUE);
    IS(cuMemcpyDtoH(back, q + sizeof bytes, 1), CUDA_ERROR_INVALID_VALUE);
    IS(cuMemcpyDtoD(q, 64, 4), CUDA_ERROR_INVALID_VALUE);
    CHECK(occurrences(capture_end(c), "\n") == 3);
    IS(cuMemcpyHtoD(p, NULL, 4), CUDA_ERROR_INVALID_VALUE);
    IS(cuMemcpyHtoDAsync(p, bytes, 4, (CUstream)bytes), CUDA_ERROR_INVALID_HANDLE);
    OK(cuMemFree(p));
    OK(cuMemFree(q));
}

static void fills(void) {
    CUdeviceptr p = alloc(4096);
    uint32_t w[1024];
    OK(cuMemsetD8(p, 0xab, 4096));
    OK(cuMemsetD16(p + 2, 0x1234, 1));
    OK(cuMemsetD32(p + 4, 0xdeadbeef, 2));
    OK(cuMemcpyDtoH(w, p, 4096));
    CHECK(w[0] == 0x1234abab && w[1] == 0xdeadbeef && w[2] == 0xdeadbeef && w[3] == 0xabababab);
    OK(cuMemsetD8Async(p, 0, 4096, NULL));
    OK(cuMemsetD2D32(p, 64, 7, 3, 5)); // three words of each of five rows
    OK(cuMemsetD2D8(p + 32, 64, 1, 4, 5));
    OK(cuMemsetD2D16(p + 48, 64, 0x0203, 2, 5));
    OK(cuMemcpyDtoH(w, p, 4096));
    for (unsigned i = 0; i < 1024; i++) {
        const unsigned x = i % 16, y = i / 16;
        const uint32_t want = y >= 5    ? 0
                              : x < 3   ? 7
                              : x == 8  ? 0x01010101
                              : x == 12 ? 0x02030203
                                        : 0;
        CHECK(w[i] == want);
    }
    struct capture c = capture_begin(2);
    IS(cuMemsetD32(p + 2, 0, 1), CUDA_ERROR_INVALID_VALUE); // misaligned
    IS(cuMemsetD32(p, 0, 1025), CUDA_ERROR_INVALID_VALUE);
    IS(cuMemsetD2D32(p, 8, 0, 3, 2), CUDA_ERROR_INVALID_VALUE);
    IS(cuMemsetD2D8(p, 1 << 30, 0, 1, SIZE_MAX / 2), CUDA_ERROR_INVALID_VALUE);
    capture_end(c);
    OK(cuMemsetD32(p, 0, 0));
    OK(cuMemFree(p));
}

static const char add_one[] =
    PTX(".visible .entry add_one(.param .u64 p, .param .u32 n) {\n"
        "  .reg .pred %p; .reg .u32 %r<5>; .reg .u64 %d<3>;\n"
        "  ld.param.u64 %d0, [p]; ld.param.u32 %r4, [n];\n"
        "  mov.u32 %r0, %ctaid.x; mov.u32 %r1, %ntid.x; mov.u32 %r2, %tid.x;\n"
        "  mad.lo.u32 %r0, %r0, %r1, %r2; setp.ge.u32 %p, %r0, %r4; @%p bra done;\n"
        "  mul.wide.u32 %d1, %r0, 4; add.u64 %d1, %d0, %d1;\n"
        "  ld.global.u32 %r3, [%d1]; add.u32 %r3, %r3, 1; st.global.u32 [%d1], %r3;\n"
        "done: ret;\n}\n");
static CUfunction adder;
static void add(CUdeviceptr p, unsigned n) {
    OK(run(adder, (n + 127) / 128, 128, (void *[]){&p, &n}));
}

static void pinned_memory(void) {
    uint32_t *p, *q;
    CUdeviceptr d;
    unsigned flags;
    OK(cuMemHostAlloc((void **)&p, 4000, CU_MEMHOSTALLOC_DEVICEMAP));
    for (uint32_t i = 0; i < 1000; i++) p[i] = i;
    OK(cuMemHostGetDevicePointer(&d, p + 10, 0));
    CHECK(d == (CUdeviceptr)(uintptr_t)(p + 10)); // addresses are unified
    add(d, 990);
    OK(cuCtxSynchronize());
    for (uint32_t i = 0; i < 1000; i++) CHECK(p[i] == i + (i >= 10));
    OK(cuMemHostGetFlags(&flags, p));
    CHECK(flags & CU_MEMHOSTALLOC_DEVICEMAP);

    // What a stream's earlier work wrote into pinned memory is what a later copy from it moves.
    CUdeviceptr a = alloc(4000), b = alloc(4000);
    OK(cuMemsetD32(a, 77, 1000));
    OK(cuMemcpyDtoHAsync(p, a, 4000, NULL));
    OK(cuMemcpyHtoDAsync(b, p, 4000, NULL));
    OK(cuMemAllocHost((void **)&q, 4000));
    OK(cuMemcpyDtoH(q, b, 4000));
    for (uint32_t i = 0; i < 1000; i++) CHECK(q[i] == 77);
    OK(cuMemFree(a));
    OK(cuMemFree(b));

    OK(cuMemFreeHost(p));
    IS(cuMemFreeHost(p), CUDA_ERROR_INVALID_VALUE);
    IS(cuMemFreeHost(q + 1), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemFreeHost(q));
    IS(cuMemHostAlloc((void **)&p, 0, 0), CUDA_ERROR_INVALID_VALUE);
    IS(cuMemHostAlloc((void **)&p, SIZE_MAX, 0), CUDA_ERROR_OUT_OF_MEMORY);
}

static void registered_memory(void) {
    static uint32_t words[5000];
    CUdeviceptr d;
    OK(cuMemHostRegister(words, sizeof words, CU_MEMHOSTREGISTER_DEVICEMAP));
    IS(cuMemHostRegister(words + 100, 4, 0), CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
    OK(cuMemHostGetDevicePointer(&d, words, 0));
    add(d, 5000);
    add(d, 5000);
    OK(cuCtxSynchronize());
    for (unsigned i = 0; i < 5000; i++) CHECK(words[i] == 2);
    IS(cuMemHostUnregister(words + 1), CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
    OK(cuMemHostUnregister(words));
    IS(cuMemHostUnregister(words), CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
    IS(cuMemHostGetDevicePointer(&d, words, 0), CUDA_ERROR_INVALID_VALUE);
    IS(cuMemHostRegister(NULL, 4, 0), CUDA_ERROR_INVALID_VALUE);
}

static void managed_memory(void) {
    CUdeviceptr d;
    unsigned v;
    int location = 9;
    void *host;
    OK(cuMemAllocManaged(&d, 4000, CU_MEM_ATTACH_GLOBAL));
    uint32_t *p = (uint32_t *)(uintptr_t)d; // one address on both sides
    for (uint32_t i = 0; i < 1000; i++) p[i] = i * 3;
    OK(cuMemAdvise(d, 4000, CU_MEM_ADVISE_SET_READ_MOSTLY, 0));
    OK(cuMemPrefetchAsync(d, 4000, 0, NULL));
    add(d, 1000);
    OK(cuCtxSynchronize());
    for (uint32_t i = 0; i < 1000; i++) CHECK(p[i] == i * 3 + 1);
    OK(cuPointerGetAttribute(&v, CU_POINTER_ATTRIBUTE_IS_MANAGED, d + 8));
    CHECK(v == 1);
    OK(cuPointerGetAttribute(&v, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, d));
    CHECK(v == CU_MEMORYTYPE_DEVICE);
    OK(cuPointerGetAttribute(&host, CU_POINTER_ATTRIBUTE_HOST_POINTER, d + 8));
    CHECK(host == p + 2);
    OK(cuMemRangeGetAttribute(&location, 4, CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION, d,
                              4000));
    CHECK(location != 9);
    IS(cuMemPrefetchAsync(d, 5000, 0, NULL), CUDA_ERROR_INVALID_VALUE);
    IS(cuMemAllocManaged(&d, 4000, 0), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemFree((CUdeviceptr)(uintptr_t)p));
    IS(cuMemAdvise((CUdeviceptr)(uintptr_t)p, 4, CU_MEM_ADVISE_SET_READ_MOSTLY, 0),
       CUDA_ERROR_INVALID_VALUE);
}

static void pointers(void) {
    CUdeviceptr d = alloc(1024), at;
    void *host;
    int ordinal = 5;
    size_t size;
    unsigned type, managed;
    CUcontext c, current;
    OK(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, d + 5));
    CHECK(type == CU_MEMORYTYPE_DEVICE);
    OK(cuPointerGetAttribute(&c, CU_POINTER_ATTRIBUTE_CONTEXT, d));
    OK(cuCtxGetCurrent(&current));
    CHECK(c == current);
    OK(cuPointerGetAttribute(&size, CU_POINTER_ATTRIBUTE_RANGE_SIZE, d + 5));
    CHECK(size == 1024);
    IS(cuPointerGetAttribute(&host, CU_POINTER_ATTRIBUTE_HOST_POINTER, d),
       CUDA_ERROR_INVALID_VALUE);
    CUpointer_attribute list[] = {
        CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
        CU_POINTER_ATTRIBUTE_IS_MANAGED, CU_POINTER_ATTRIBUTE_DEVICE_POINTER};
    void *values[] = {&type, &ordinal, &managed, &at};
    OK(cuPointerGetAttributes(4, list, values, d));
    CHECK(type == CU_MEMORYTYPE_DEVICE && ordinal == 0 && managed == 0 && at == d);
    OK(cuPointerGetAttributes(4, list, values, (CUdeviceptr)(uintptr_t)&d)); // not the device's
    CHECK(type == 0 && ordinal == -2 && managed == 0 && at == 0);
    IS(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (CUdeviceptr)(uintptr_t)&d),
       CUDA_ERROR_INVALID_VALUE);
    OK(cuMemAllocHost(&host, 64));
    OK(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                             (CUdeviceptr)(uintptr_t)host));
    CHECK(type == CU_MEMORYTYPE_HOST);
    OK(cuMemFreeHost(host));
    OK(cuMemFree(d));
}

static void check_used(CUmemoryPool pool, uint64_t n) {
    uint64_t used;
    OK(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &used));
    CHECK(used == n);
}
static void pools(void) {
    CUmemoryPool pool, mine;
    CUdeviceptr p;
    uint64_t used;
    OK(cuDeviceGetDefaultMemPool(&pool, 0));
    OK(cuMemAllocAsync(&p, 1000, NULL));
    OK(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &used));
    CHECK(used == 1000);
    add(p, 250);
    OK(cuMemFreeAsync(p, NULL));
    OK(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &used));
    CHECK(used == 0);
    CUmemPoolProps props = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
                            .location = {CU_MEM_LOCATION_TYPE_DEVICE, 0}};
    CUmemLocation here = {CU_MEM_LOCATION_TYPE_DEVICE, 0}, there = {CU_MEM_LOCATION_TYPE_DEVICE, 1};
    CUmemAccessDesc rights = {here, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    CUmemAccess_flags flags = CU_MEM_ACCESS_FLAGS_PROT_NONE;
    CUmemoryPool other = NULL;
    OK(cuMemPoolSetAccess(pool, &rights, 1));
    rights.flags = CU_MEM_ACCESS_FLAGS_PROT_NONE;
    IS(cuMemPoolSetAccess(pool, &rights, 1), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemPoolGetAccess(&flags, pool, &here));
    CHECK(flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
    IS(cuMemPoolGetAccess(&flags, pool, &there), CUDA_ERROR_INVALID_DEVICE);
    OK(cuMemGetDefaultMemPool(&other, &here, CU_MEM_ALLOCATION_TYPE_PINNED));
    CHECK(other == pool);
    IS(cuMemGetMemPool(&other, &there, CU_MEM_ALLOCATION_TYPE_PINNED), CUDA_ERROR_INVALID_DEVICE);
    IS(cuMemGetMemPool(&other, &here, CU_MEM_ALLOCATION_TYPE_MANAGED), CUDA_ERROR_NOT_SUPPORTED);
    OK(cuMemPoolCreate(&mine, &props));
    OK(cuMemSetMemPool(&here, CU_MEM_ALLOCATION_TYPE_PINNED, mine));
    OK(cuMemGetMemPool(&other, &here, CU_MEM_ALLOCATION_TYPE_PINNED));
    CHECK(other == mine);
    OK(cuMemSetMemPool(&here, CU_MEM_ALLOCATION_TYPE_PINNED, pool));
    // A pool counts what came from it, whichever call frees it and whichever pool is the current one.
    CUdeviceptr of_default, of_mine, of_none;
    OK(cuMemAllocAsync(&of_default, 1000, NULL));
    OK(cuMemAllocFromPoolAsync(&p, 64, mine, NULL));
    OK(cuMemAllocFromPoolAsync(&of_mine, 512, mine, NULL));
    OK(cuMemAlloc(&of_none, 256));
    check_used(pool, 1000);
    check_used(mine, 576);
    OK(cuPointerGetAttribute(&other, CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, of_mine + 8));
    CHECK(other == mine);
    OK(cuPointerGetAttribute(&other, CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, of_none));
    CHECK(other == NULL);
    OK(cuMemFreeAsync(p, NULL));
    check_used(mine, 512);
    OK(cuMemFree(of_mine));
    OK(cuMemFree(of_none));
    check_used(mine, 0);
    check_used(pool, 1000);
    // What a pool that is gone gave out lives on.
    OK(cuMemAllocFromPoolAsync(&p, 1000, mine, NULL));
    OK(cuMemPoolDestroy(mine));
    add(p, 250);
    OK(cuMemFreeAsync(p, NULL));
    OK(cuMemFreeAsync(of_default, NULL));
    check_used(pool, 0);
    IS(cuMemPoolDestroy(mine), CUDA_ERROR_INVALID_VALUE);
    IS(cuMemPoolDestroy(pool), CUDA_ERROR_INVALID_VALUE);
}

int main(void) {
    CUcontext c = start();
    adder = kernel(load(add_one), "add_one");
    device_memory();
    too_large();
    linear_copies();
    fills();
    pinned_memory();
    registered_memory();
    managed_memory();
    pointers();
    pools();
    OK(cuCtxDestroy(c));
    return 0;
}
