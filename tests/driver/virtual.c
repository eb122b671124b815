// Memory that is made, addresses that are reserved, and what is mapped where.
#include "driver_test.h"

#include <sys/socket.h>
#include <sys/wait.h>

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
                                     CU_MEM_ACCESS_FLAGS_PROT_NONE},
                             reading = {{CU_MEM_LOCATION_TYPE_DEVICE, 0},
                                        CU_MEM_ACCESS_FLAGS_PROT_READ};
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

// A handle of what cuMemAlloc gave out says what it is, and maps nothing.
static void plain(void) {
    CUdeviceptr a, p;
    CUmemGenericAllocationHandle h, again;
    CUmemAllocationProp prop;
    int file;
    OK(cuMemAlloc(&a, 4 * MB));
    OK(cuMemAddressReserve(&p, 4 * MB, 0, 0, 0));
    OK(cuMemRetainAllocationHandle(&h, (void *)(uintptr_t)a));
    OK(cuMemRetainAllocationHandle(&again, (void *)(uintptr_t)(a + 3 * MB)));
    CHECK(again == h);
    OK(cuMemGetAllocationPropertiesFromHandle(&prop, h));
    CHECK(prop.type == device.type && prop.location.type == device.location.type &&
          prop.requestedHandleTypes == CU_MEM_HANDLE_TYPE_NONE);
    IS(cuMemMap(p, 4 * MB, 0, h, 0), CUDA_ERROR_NOT_SUPPORTED);
    IS(cuMemExportToShareableHandle(&file, h, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0),
       CUDA_ERROR_INVALID_VALUE);
    OK(cuMemRelease(h));
    OK(cuMemRelease(h));
    IS(cuMemRelease(h), CUDA_ERROR_INVALID_VALUE);
    IS(cuMemRetainAllocationHandle(&h, (void *)(uintptr_t)p), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemFree(a));
    OK(cuMemAddressFree(p, 4 * MB));
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

// Two neighbours, of which the second may only be read: loads, copies out and stores beside it go on; what writes there is
// refused, and a kernel's store or atomic there is a fault. `which`: the kernel.
static const char touch[] =
    PTX(".visible .entry copy(.param .u64 p, .param .u64 q) {\n"
        ".reg .b32 %r<2>;\n.reg .b64 %d<2>;\n"
        "ld.param.u64 %d0, [p];\nld.param.u64 %d1, [q];\n"
        "ld.global.u32 %r0, [%d1];\nst.global.u32 [%d0], %r0;\nexit;\n}\n"
        ".visible .entry add(.param .u64 p, .param .u64 q) {\n"
        ".reg .b32 %r<2>;\n.reg .b64 %d<2>;\n"
        "ld.param.u64 %d0, [p];\natom.global.add.u32 %r0, [%d0], 1;\nexit;\n}\n"
        ".visible .entry bytes(.param .u64 p, .param .u64 q) {\n"
        ".reg .b32 %r<2>;\n.reg .b64 %d<2>;\n"
        "ld.param.u64 %d0, [p];\nmov.u32 %r0, 7;\nst.global.u8 [%d0], %r0;\nexit;\n}\n");

static void read_only(const char *which) {
    start();
    const CUmodule m = load(touch);
    CUdeviceptr p;
    uint32_t seen[2];
    unsigned long long flags;
    const CUmemGenericAllocationHandle h = make(2 * MB), k = make(2 * MB);
    OK(cuMemAddressReserve(&p, 4 * MB, 0, 0, 0));
    OK(cuMemMap(p, 2 * MB, 0, h, 0));
    OK(cuMemMap(p + 2 * MB, 2 * MB, 0, k, 0));
    OK(cuMemSetAccess(p, 4 * MB, &both, 1));
    CUdeviceptr q = p + 2 * MB, before = q - 4;
    OK(cuMemsetD32(q, 0x55aa, 1));
    OK(cuMemSetAccess(q, 2 * MB, &reading, 1));
    OK(cuMemGetAccess(&flags, &both.location, q));
    CHECK(flags == CU_MEM_ACCESS_FLAGS_PROT_READ);
    void *from_it[] = {&before, &q}, *into_it[] = {&q, &before};
    OK(run(kernel(m, "copy"), 1, 1, from_it));
    OK(cuMemcpyDtoH(seen, before, 8)); // over the seam
    CHECK(seen[0] == 0x55aa && seen[1] == 0x55aa);
    IS(cuMemcpyHtoD(q, seen, 4), CUDA_ERROR_INVALID_VALUE);
    IS(cuMemcpyDtoD(before, q - 8, 8), CUDA_ERROR_INVALID_VALUE); // its last word is there
    IS(cuMemsetD8(q, 1, 4), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemSetAccess(q, 2 * MB, &both, 1));
    OK(run(kernel(m, "add"), 1, 1, into_it));
    OK(cuMemcpyDtoH(seen, q, 4));
    CHECK(seen[0] == 0x55ab);
    OK(cuMemSetAccess(q, 2 * MB, &reading, 1));
    OK(run(kernel(m, which), 1, 1, into_it));
    IS(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
}

// Memory that was exported and imported is the same memory, with what it held before and while it stays mapped.
static void shared_here(void) {
    CUmemAllocationProp prop = device, seen;
    CUmemGenericAllocationHandle h, again;
    CUdeviceptr p;
    size_t free0, now;
    int file = -1, value = 0;
    OK(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED,
                            0));
    CHECK(value == 1);
    const CUmemGenericAllocationHandle plain = make(2 * MB);
    IS(cuMemExportToShareableHandle(&file, plain, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0),
       CUDA_ERROR_INVALID_VALUE); // it was not asked for
    OK(cuMemRelease(plain));
    OK(cuMemGetInfo(&free0, NULL));
    prop.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    OK(cuMemCreate(&h, 4 * MB, &prop, 0));
    OK(cuMemAddressReserve(&p, 8 * MB, 0, 0, 0));
    OK(cuMemMap(p, 4 * MB, 0, h, 0));
    OK(cuMemSetAccess(p, 4 * MB, &both, 1));
    OK(cuMemsetD32(p + 3 * MB, 4711, 1));
    OK(cuMemExportToShareableHandle(&file, h, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
    CHECK(file >= 0);
    OK(cuMemImportFromShareableHandle(&again, (void *)(intptr_t)file,
                                      CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR));
    close(file);
    OK(cuMemGetAllocationPropertiesFromHandle(&seen, again));
    CHECK(seen.requestedHandleTypes == CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR);
    OK(cuMemMap(p + 4 * MB, 4 * MB, 0, again, 0));
    OK(cuMemSetAccess(p + 4 * MB, 4 * MB, &both, 1));
    OK(cuMemcpyDtoH(&value, p + 7 * MB, 4));
    CHECK(value == 4711);
    OK(cuMemsetD32(p + 7 * MB, 4712, 1));
    OK(cuMemcpyDtoH(&value, p + 3 * MB, 4));
    CHECK(value == 4712);
    OK(cuMemGetInfo(&now, NULL));
    CHECK(now == free0 - 4 * MB); // it is there once
    IS(cuMemImportFromShareableHandle(&again, (void *)(intptr_t)0,
                                      CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR),
       CUDA_ERROR_INVALID_VALUE); // some other file
    OK(cuMemUnmap(p, 8 * MB));
    OK(cuMemAddressFree(p, 8 * MB));
    OK(cuMemRelease(h));
    OK(cuMemRelease(h));
    IS(cuMemRelease(h), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemGetInfo(&now, NULL));
    CHECK(now == free0);
}

// ---- two processes ------------------------------------------------------------------------------
static void send_file(int to, int file) {
    char byte = 0, room[CMSG_SPACE(sizeof file)] = {0};
    struct iovec v = {&byte, 1};
    struct msghdr m = {
        .msg_iov = &v, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof room};
    struct cmsghdr *const c = CMSG_FIRSTHDR(&m);
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(sizeof file);
    memcpy(CMSG_DATA(c), &file, sizeof file);
    CHECK(sendmsg(to, &m, 0) == 1);
}
static int receive_file(int from) {
    char byte, room[CMSG_SPACE(sizeof(int))];
    struct iovec v = {&byte, 1};
    struct msghdr m = {
        .msg_iov = &v, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof room};
    CHECK(recvmsg(from, &m, 0) == 1 && CMSG_FIRSTHDR(&m));
    int file;
    memcpy(&file, CMSG_DATA(CMSG_FIRSTHDR(&m)), sizeof file);
    return file;
}
static void say(int to) { CHECK(write(to, "x", 1) == 1); }
static void hear(int from) {
    char byte;
    CHECK(read(from, &byte, 1) == 1);
}

// The importing process: what the other wrote is there, and what a kernel here writes is seen there.
static void importer(int peer) {
    CUcontext c = start();
    CUmemGenericAllocationHandle h;
    CUdeviceptr p;
    size_t before, now;
    OK(cuMemGetInfo(&before, NULL));
    const int file = receive_file(peer);
    OK(cuMemImportFromShareableHandle(&h, (void *)(intptr_t)file,
                                      CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR));
    close(file);
    OK(cuMemAddressReserve(&p, 4 * MB, 0, 0, 0));
    OK(cuMemMap(p, 4 * MB, 0, h, 0));
    OK(cuMemSetAccess(p, 4 * MB, &both, 1));
    OK(cuMemGetInfo(&now, NULL));
    CHECK(now == before); // it is the other's
    uint32_t n = WORDS;
    void *params[] = {&p, &n};
    OK(run(kernel(load(add_index), "add_index"), WORDS / 256, 256, params));
    OK(cuCtxSynchronize());
    CUipcEventHandle shared;
    CUevent e, mine;
    CHECK(read(peer, &shared, sizeof shared) == sizeof shared);
    OK(cuIpcOpenEventHandle(&e, shared));
    OK(cuEventQuery(e));
    OK(cuStreamWaitEvent(NULL, e, 0));
    OK(cuEventRecord(e, NULL));
    IS(cuEventCreate(&mine, CU_EVENT_INTERPROCESS), CUDA_ERROR_INVALID_VALUE); // with times
    OK(cuEventCreate(&mine, CU_EVENT_DISABLE_TIMING));
    IS(cuIpcGetEventHandle(&shared, mine), CUDA_ERROR_INVALID_VALUE);
    memset(&shared, 0, sizeof shared);
    IS(cuIpcOpenEventHandle(&mine, shared), CUDA_ERROR_INVALID_VALUE);
    say(peer);
    OK(cuMemUnmap(p, 4 * MB));
    OK(cuMemRelease(h));
    OK(cuMemAddressFree(p, 4 * MB));
    OK(cuCtxDestroy(c));
}
static void exporter(int peer) {
    CUcontext c = start();
    CUmemAllocationProp prop = device;
    CUmemGenericAllocationHandle h;
    CUdeviceptr p;
    int file;
    prop.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    OK(cuMemCreate(&h, 4 * MB, &prop, 0));
    OK(cuMemAddressReserve(&p, 4 * MB, 0, 0, 0));
    OK(cuMemMap(p, 4 * MB, 0, h, 0));
    OK(cuMemSetAccess(p, 4 * MB, &both, 1));
    for (uint32_t i = 0; i < WORDS; i++) words[i] = scramble(i);
    OK(cuMemcpyHtoD(p, words, sizeof words));
    OK(cuMemExportToShareableHandle(&file, h, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
    send_file(peer, file);
    CUevent e;
    CUipcEventHandle shared;
    OK(cuEventCreate(&e, CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING));
    OK(cuEventRecord(e, NULL));
    OK(cuIpcGetEventHandle(&shared, e));
    CHECK(write(peer, &shared, sizeof shared) == sizeof shared);
    hear(peer);
    OK(cuMemcpyDtoH(back, p, sizeof back));
    for (uint32_t i = 0; i < WORDS; i++) CHECK(back[i] == scramble(i) + i);
    OK(cuCtxDestroy(c));
}

// Runs it in a process of its own, which has a GPU of its own.
static pid_t begin(void (*f)(int), int arg) {
    const pid_t child = fork();
    CHECK(child >= 0);
    if (child) return child;
    f(arg);
    fflush(stdout);
    _exit(0);
}
static void await(pid_t child) {
    int status;
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
}
static void of_kernel(int i) { read_only((const char *[]){"copy", "add", "bytes"}[i]); }

int main(void) {
    int ends[2];
    for (int i = 0; i < 3; i++) await(begin(of_kernel, i));
    CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
    const pid_t one = begin(importer, ends[0]), other = begin(exporter, ends[1]);
    await(one);
    await(other);
    CUcontext c = start();
    neighbours(kernel(load(add_index), "add_index"));
    aliases();
    refused();
    shared_here();
    plain();
    OK(cuCtxDestroy(c));
    return 0;
}
