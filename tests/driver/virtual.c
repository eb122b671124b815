// Memory that is made, addresses that are reserved, and what is mapped where.
#include "driver_test.h"

#define MB ((size_t)1 << 20)
enum { WORDS = 1 << 20 }; // 4 MB: two pieces

static const char add_index[] =
    PTX(".visible .entry add_index(.param .u64 p, .param .u32 n) {\n"
        ".reg .b32 %r<6>;\n.reg .b64 %d<4>;\n.reg .pred %q;\n"
        "ld.param.u64 %d0, [p];\nld.param.u32 %r0, [n];\n"
        "mov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %ntid.x;\nmov.u32 %r3, %tid.x;\n"
        "mad.lo.u32 %r1, %r1, %r2, %r3;\n"
        "setp.ge.u32 %q, %r1, %r0;\n@%q exit;\n"
        "mul.wide.u32 %d1, %r1, 4;\nadd.u64 %d0, %d0, %d1;\n"
        "ld.global.u32 %r4, [%d0];\nadd.u32 %r4, %r4, %r1;\n"
        "st.global.u32 [%d0], %r4;\nexit;\n}\n");

static const CUmemAllocationProp device = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                           .location = {CU_MEM_LOCATION_TYPE_DEVICE, 0}};
static const CUmemAccessDesc both = {{CU_MEM_LOCATION_TYPE_DEVICE, 0},
                                     CU_MEM_ACCESS_FLAGS_PROT_READWRITE},
                             none = {{CU_MEM_LOCATION_TYPE_DEVICE, 0},
                                     CU_MEM_ACCESS_FLAGS_PROT_NONE};
static uint32_t words[WORDS], back[WORDS];

static CUmemGenericAllocationHandle make(size_t bytes) {
    CUmemGenericAllocationHandle h;
    OK(cuMemCreate(&h, bytes, &device, 0));
    return h;
}

// Two pieces side by side are one range: a copy and a kernel go over the seam.
static void neighbours(CUfunction f) {
    size_t unit, free0, now;
    CUdeviceptr p;
    OK(cuMemGetAllocationGranularity(&unit, &device, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    CHECK(unit == 2 * MB);
    OK(cuMemGetInfo(&free0, NULL));
    OK(cuMemAddressReserve(&p, 64 * MB, 0, 0, 0));
    CHECK(p % unit == 0);
    OK(cuMemGetInfo(&now, NULL));
    CHECK(now == free0); // addresses cost nothing
    const CUmemGenericAllocationHandle a = make(2 * MB), b = make(2 * MB);
    OK(cuMemGetInfo(&now, NULL));
    CHECK(now == free0 - 4 * MB);
    OK(cuMemMap(p + 2 * MB, 2 * MB, 0, b, 0));
    OK(cuMemMap(p, 2 * MB, 0, a, 0));
    for (uint32_t i = 0; i < WORDS; i++) words[i] = scramble(i);
    IS(cuMemcpyHtoD(p, words, sizeof words), CUDA_ERROR_INVALID_VALUE); // no access yet
    OK(cuMemSetAccess(p, 4 * MB, &both, 1));
    OK(cuMemcpyHtoD(p, words, sizeof words));
    uint32_t n = WORDS;
    void *params[] = {&p, &n};
    OK(run(f, WORDS / 256, 256, params));
    OK(cuMemcpyDtoH(back, p, sizeof back));
    for (uint32_t i = 0; i < WORDS; i++) CHECK(back[i] == scramble(i) + i);
    IS(cuMemcpyDtoH(back, p + 4 * MB - 4, 8), CUDA_ERROR_INVALID_VALUE); // nothing is mapped behind
    IS(cuMemFree(p), CUDA_ERROR_INVALID_VALUE);
    // Memory lives as long as a handle or a mapping does.
    OK(cuMemRelease(a));
    IS(cuMemRelease(a), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemcpyDtoH(back, p, 4));
    CHECK(back[0] == scramble(0));
    IS(cuMemAddressFree(p, 64 * MB), CUDA_ERROR_INVALID_VALUE); // mapped
    IS(cuMemUnmap(p + MB, 2 * MB), CUDA_ERROR_INVALID_VALUE);   // not whole pieces
    OK(cuMemUnmap(p, 2 * MB));
    OK(cuMemGetInfo(&now, NULL));
    CHECK(now == free0 - 2 * MB);
    IS(cuMemcpyDtoH(back, p, 4), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemcpyDtoH(back, p + 2 * MB, 4));
    CHECK(back[0] == scramble(WORDS / 2) + WORDS / 2);
    OK(cuMemUnmap(p + 2 * MB, 2 * MB));
    OK(cuMemRelease(b));
    OK(cuMemGetInfo(&now, NULL));
    CHECK(now == free0);
    IS(cuMemAddressFree(p, 32 * MB), CUDA_ERROR_INVALID_VALUE); // not all of it
    OK(cuMemAddressFree(p, 64 * MB));
}

// The same memory at two addresses, and what it holds from one mapping to the next.
static void aliases(void) {
    CUdeviceptr p;
    uint32_t seen = 1;
    unsigned long long flags;
    CUmemGenericAllocationHandle again;
    CUmemAllocationProp prop;
    OK(cuMemAddressReserve(&p, 8 * MB, 8 * MB, 0, 0));
    CHECK(p % (8 * MB) == 0);
    const CUmemGenericAllocationHandle h = make(2 * MB);
    OK(cuMemMap(p, 2 * MB, 0, h, 0));
    OK(cuMemMap(p + 4 * MB, 2 * MB, 0, h, 0));
    IS(cuMemSetAccess(p, 6 * MB, &both, 1), CUDA_ERROR_INVALID_VALUE); // a gap
    OK(cuMemSetAccess(p, 2 * MB, &both, 1));
    OK(cuMemSetAccess(p + 4 * MB, 2 * MB, &both, 1));
    OK(cuMemcpyDtoH(&seen, p + 100, 4));
    CHECK(seen == 0); // new memory
    OK(cuMemsetD32(p + 100, 0x12345678, 1));
    OK(cuMemcpyDtoH(&seen, p + 4 * MB + 100, 4));
    CHECK(seen == 0x12345678);
    OK(cuMemSetAccess(p, 2 * MB, &none, 1));
    IS(cuMemcpyDtoH(&seen, p + 100, 4), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemGetAccess(&flags, &both.location, p + 100));
    CHECK(flags == CU_MEM_ACCESS_FLAGS_PROT_NONE);
    OK(cuMemGetAccess(&flags, &both.location, p + 4 * MB));
    CHECK(flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
    IS(cuMemGetAccess(&flags, &both.location, p + 2 * MB), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemRetainAllocationHandle(&again, (void *)(uintptr_t)(p + 4 * MB + 5)));
    CHECK(again == h);
    OK(cuMemGetAllocationPropertiesFromHandle(&prop, h));
    CHECK(prop.type == device.type && prop.location.type == device.location.type);
    OK(cuMemUnmap(p, 2 * MB));
    OK(cuMemUnmap(p + 4 * MB, 2 * MB));
    OK(cuMemMap(p + 6 * MB, 2 * MB, 0, h, 0));
    OK(cuMemSetAccess(p + 6 * MB, 2 * MB, &both, 1));
    OK(cuMemcpyDtoH(&seen, p + 6 * MB + 100, 4));
    CHECK(seen == 0x12345678);
    OK(cuMemUnmap(p + 6 * MB, 2 * MB));
    OK(cuMemRelease(h));
    OK(cuMemRelease(again)); // held twice
    IS(cuMemRelease(h), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemAddressFree(p, 8 * MB));
}

static void refused(void) {
    CUdeviceptr p, q;
    CUmemGenericAllocationHandle h, large;
    CUmemAllocationProp other = device;
    int there = 0;
    OK(cuDeviceGetAttribute(&there, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, 0));
    CHECK(there == 1);
    IS(cuMemAddressReserve(&p, MB, 0, 0, 0), CUDA_ERROR_INVALID_VALUE); // half a unit
    IS(cuMemAddressReserve(&p, 2 * MB, 3 * MB, 0, 0), CUDA_ERROR_INVALID_VALUE);
    IS(cuMemAddressReserve(&p, (size_t)1 << 50, 0, 0, 0), CUDA_ERROR_OUT_OF_MEMORY);
    IS(cuMemCreate(&h, MB, &device, 0), CUDA_ERROR_INVALID_VALUE);
    IS(cuMemCreate(&h, (size_t)4 << 30, &device, 0), CUDA_ERROR_OUT_OF_MEMORY); // 1.5 GB are there
    other.location.id = 1;
    IS(cuMemCreate(&h, 2 * MB, &other, 0), CUDA_ERROR_INVALID_DEVICE);
    other = device;
    other.requestedHandleTypes = CU_MEM_HANDLE_TYPE_FABRIC;
    IS(cuMemCreate(&h, 2 * MB, &other, 0), CUDA_ERROR_NOT_SUPPORTED);
    other = device;
    other.type = CU_MEM_ALLOCATION_TYPE_INVALID;
    IS(cuMemCreate(&h, 2 * MB, &other, 0), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemAddressReserve(&p, 4 * MB, 0, 0, 0));
    OK(cuMemAddressReserve(&q, 4 * MB, 0, 0, 0));
    CHECK(q >= p + 4 * MB || q + 4 * MB <= p);
    h = make(2 * MB);
    IS(cuMemMap(p, 4 * MB, 0, h, 0), CUDA_ERROR_INVALID_VALUE);      // more than there is
    IS(cuMemMap(p + MB, 2 * MB, 0, h, 0), CUDA_ERROR_INVALID_VALUE); // between units
    IS(cuMemMap(p + 4 * MB, 2 * MB, 0, h, 0), CUDA_ERROR_INVALID_VALUE);
    IS(cuMemMap(p, 2 * MB, 0, h + 1, 0), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemMap(p, 2 * MB, 0, h, 0));
    IS(cuMemMap(p, 2 * MB, 0, h, 0), CUDA_ERROR_INVALID_VALUE); // is taken
    OK(cuMemUnmap(p, 2 * MB));
    IS(cuMemUnmap(p, 2 * MB), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemRelease(h));
    // Memory without an address is missing to cuMemAlloc, too.
    large = make(1024 * MB);
    CUdeviceptr no;
    IS(cuMemAlloc(&no, 800 * MB), CUDA_ERROR_OUT_OF_MEMORY);
    OK(cuMemRelease(large));
    OK(cuMemAlloc(&no, 800 * MB));
    OK(cuMemFree(no));
    OK(cuMemAddressFree(p, 4 * MB));
    OK(cuMemAddressFree(q, 4 * MB));
    IS(cuMemAddressFree(q, 4 * MB), CUDA_ERROR_INVALID_VALUE);
}

int main(void) {
    CUcontext c = start();
    neighbours(kernel(load(add_index), "add_index"));
    aliases();
    refused();
    OK(cuCtxDestroy(c));
    return 0;
}
