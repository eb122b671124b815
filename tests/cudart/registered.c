// What nvcc's constructors and stubs do, by hand: registration, launches of every major, memory,
// symbols' errors, streams, events, capture, graphs, properties.
#include "cudart/runtime.h"
#include "expect.h"

#include <stdbool.h>
#include <string.h>
#include <unistd.h>

// The API as far as it is called here.
void **__cudaRegisterFatBinary(void *wrapper);
void __cudaRegisterFatBinaryEnd(void **h);
void __cudaUnregisterFatBinary(void **h);
void __cudaRegisterFunction(void **h, const char *host, char *device, const char *name, int limit,
                            void *, void *, void *, void *, int *);
unsigned __cudaPushCallConfiguration(dim3, dim3, size_t, cudaStream_t);
cudaError_t __cudaPopCallConfiguration(dim3 *, dim3 *, size_t *, void *);
cudaError_t __cudaGetKernel(cudaKernel_t *, const void *);
cudaError_t __cudaLaunchKernel(cudaKernel_t, dim3, dim3, void **, size_t, cudaStream_t);
cudaError_t cudaLaunchKernel(const void *, dim3, dim3, void **, size_t, cudaStream_t);
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *, const void *, void **);
cudaError_t cudaConfigureCall(dim3, dim3, size_t, cudaStream_t);
cudaError_t cudaSetupArgument(const void *, size_t, size_t);
cudaError_t cudaLaunch(const void *);
cudaError_t cudaMalloc(void **, size_t);
cudaError_t cudaFree(void *);
cudaError_t cudaMemcpy(void *, const void *, size_t, int);
cudaError_t cudaMemcpyAsync(void *, const void *, size_t, int, cudaStream_t);
cudaError_t cudaMemset(void *, int, size_t);
cudaError_t cudaMemset2D(void *, size_t, int, size_t, size_t);
cudaError_t cudaMemcpy2D(void *, size_t, const void *, size_t, size_t, size_t, int);
cudaError_t cudaMallocPitch(void **, size_t *, size_t, size_t);
cudaError_t cudaMallocManaged(void **, size_t, unsigned);
cudaError_t cudaMemcpyToSymbol(const void *, const void *, size_t, size_t, int);
cudaError_t cudaGetLastError(void);
cudaError_t cudaPeekAtLastError(void);
const char *cudaGetErrorName(cudaError_t);
const char *cudaGetErrorString(cudaError_t);
cudaError_t cudaDeviceSynchronize(void);
cudaError_t cudaDeviceReset(void);
cudaError_t cudaSetDevice(int);
cudaError_t cudaGetDeviceCount(int *);
cudaError_t cudaGetDeviceProperties(void *, int);
cudaError_t cudaGetDeviceProperties_v2(void *, int);
cudaError_t cudaRuntimeGetVersion(int *);
cudaError_t cudaStreamCreate(cudaStream_t *);
cudaError_t cudaStreamDestroy(cudaStream_t);
cudaError_t cudaStreamSynchronize(cudaStream_t);
cudaError_t cudaEventCreate(cudaEvent_t *);
cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t);
cudaError_t cudaEventSynchronize(cudaEvent_t);
cudaError_t cudaEventElapsedTime(float *, cudaEvent_t, cudaEvent_t);
cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *, const void *);
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *, const void *, int, size_t);
cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *, const void *);
cudaError_t cudaStreamBeginCapture(cudaStream_t, int);
cudaError_t cudaStreamEndCapture(cudaStream_t, CUgraph *);
cudaError_t cudaGraphInstantiateWithFlags(CUgraphExec *, CUgraph, unsigned long long);
cudaError_t cudaGraphLaunch(CUgraphExec, cudaStream_t);
cudaError_t cudaGraphGetNodes(CUgraph, CUgraphNode *, size_t *);
cudaError_t cudaGraphDestroy(CUgraph);
cudaError_t cudaGraphExecDestroy(CUgraphExec);
cudaError_t cudaIpcGetMemHandle(void *, void *);
cudaError_t cudaGetDriverEntryPoint(const char *, void **, unsigned long long, int *);
cudaError_t cudaGetDriverEntryPoint_ptsz(const char *, void **, unsigned long long, int *);

static struct {
    unsigned magic, version;
    const void *data, *extra;
} wrapper = {0x466243B1, 1, NULL, NULL};
static void fill_stub(void) { puts("the stub of a kernel is not to be called"); }
static void scale_stub(void) { puts("nor this one"); }
static int unknown;

static void *read_file(const char *path) {
    FILE *f = fopen(path, "rb");
    CHECK(f);
    void *p = calloc(1, 1 << 16);
    CHECK(fread(p, 1, 1 << 16, f) > 100);
    fclose(f);
    return p;
}

static void all_launches(void) {
    int *d, h[4], v;
    OK(cudaMalloc((void **)&d, sizeof h));
    void *args[] = {&d, &v};
    const dim3 one = {1, 1, 1}, four = {4, 1, 1};
    v = 1;
    OK(cudaLaunchKernel((void *)fill_stub, one, four, args, 0, NULL));
    OK(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    CHECK(h[0] == 1 && h[3] == 1);
    v = 2; // 9.2 and later: the configuration goes over a stack, nested ones too
    dim3 g, b;
    size_t shared;
    cudaStream_t s;
    CHECK(__cudaPushCallConfiguration(one, four, 3, NULL) == 0);
    CHECK(__cudaPushCallConfiguration((dim3){9, 9, 9}, (dim3){8, 8, 8}, 7, NULL) == 0);
    OK(__cudaPopCallConfiguration(&g, &b, &shared, &s));
    CHECK(g.z == 9 && b.y == 8 && shared == 7);
    OK(__cudaPopCallConfiguration(&g, &b, &shared, &s));
    CHECK(g.x == 1 && b.x == 4 && shared == 3 && !s);
    IS(__cudaPopCallConfiguration(&g, &b, &shared, &s), cudaErrorMissingConfiguration);
    cudaKernel_t k; // 13
    OK(__cudaGetKernel(&k, (void *)fill_stub));
    OK(__cudaLaunchKernel(k, g, b, args, 0, NULL));
    OK(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    CHECK(h[0] == 2 && h[3] == 2);
    v = 3;
    const cudaLaunchConfig_t c = {.gridDim = one, .blockDim = four};
    OK(cudaLaunchKernelExC(&c, (void *)fill_stub, args));
    OK(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    CHECK(h[1] == 3);
    v = 4; // before 9.2
    OK(cudaConfigureCall(one, four, 0, NULL));
    OK(cudaSetupArgument(&d, sizeof d, 0));
    OK(cudaSetupArgument(&v, sizeof v, 8));
    OK(cudaLaunch((void *)fill_stub));
    OK(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    CHECK(h[2] == 4);
    OK(cudaConfigureCall(one, four, 0, NULL)); // an argument that nobody set
    OK(cudaSetupArgument(&d, sizeof d, 0));
    IS(cudaLaunch((void *)fill_stub), cudaErrorInvalidConfiguration);
    IS(cudaLaunchKernel((void *)all_launches, one, one, args, 0, NULL),
       cudaErrorInvalidDeviceFunction);
    IS(cudaLaunchKernel((void *)fill_stub, one, (dim3){4096, 1, 1}, args, 0, NULL),
       cudaErrorInvalidConfiguration);
    IS(cudaLaunchKernel((void *)fill_stub, (dim3){0, 1, 1}, one, args, 0, NULL),
       cudaErrorInvalidConfiguration);
    OK(cudaFree(d));
    OK(cudaFree(NULL));
}

static void errors(void) {
    cudaGetLastError();
    void *p = &unknown;
    OK(cudaMalloc(&p, 0));
    CHECK(!p);
    IS(cudaMalloc(&p, (size_t)1 << 60), cudaErrorMemoryAllocation);
    IS(cudaPeekAtLastError(), cudaErrorMemoryAllocation);
    OK(cudaFree(NULL)); // a call that works does not take the last error away
    IS(cudaGetLastError(), cudaErrorMemoryAllocation);
    OK(cudaGetLastError());
    IS(cudaMemcpy(&p, &p, 8, 17), cudaErrorInvalidMemcpyDirection);
    IS(cudaMemcpyToSymbol(&unknown, &p, 4, 0, cudaMemcpyHostToDevice), cudaErrorInvalidSymbol);
    IS(cudaSetDevice(7), cudaErrorInvalidDevice);
    IS(cudaIpcGetMemHandle(NULL, NULL), cudaErrorNotSupported);
    CHECK(strcmp(cudaGetErrorName(cudaErrorInvalidValue), "cudaErrorInvalidValue") == 0);
    CHECK(strcmp(cudaGetErrorString(cudaErrorMemoryAllocation), "out of memory") == 0);
    CHECK(strcmp(cudaGetErrorName(12345), "unrecognized error code") == 0);
    cudaGetLastError();
}

static void shapes(void) {
    char *d, h[6][10];
    size_t pitch;
    OK(cudaMallocPitch((void **)&d, &pitch, 10, 6));
    CHECK(pitch >= 10);
    OK(cudaMemset2D(d, pitch, 'a', 10, 6));
    OK(cudaMemset2D(d + pitch, pitch, 'b', 5, 2));
    OK(cudaMemcpy2D(h, 10, d, pitch, 10, 6, cudaMemcpyDeviceToHost));
    CHECK(memcmp(h[0], "aaaaaaaaaa", 10) == 0 && memcmp(h[1], "bbbbbaaaaa", 10) == 0);
    CHECK(memcmp(h[2], "bbbbbaaaaa", 10) == 0 && memcmp(h[3], "aaaaaaaaaa", 10) == 0);
    IS(cudaMemcpy2D(h, 5, d, pitch, 10, 6, cudaMemcpyDeviceToHost), cudaErrorInvalidPitchValue);
    struct { struct cudaPointerAttributes a; long reserved[8]; } at;
    OK(cudaPointerGetAttributes(&at.a, d));
    CHECK(at.a.type == cudaMemoryTypeDevice && at.a.device == 0 && at.a.devicePointer == d);
    OK(cudaPointerGetAttributes(&at.a, h));
    CHECK(at.a.type == cudaMemoryTypeUnregistered && !at.a.devicePointer);
    cudaGetLastError();
    OK(cudaFree(d));
    int *m;
    OK(cudaMallocManaged((void **)&m, 64, 1));
    m[0] = 5; // the same address on both sides
    int v = 6;
    void *args[] = {&m, &v};
    OK(cudaLaunchKernel((void *)fill_stub, (dim3){1, 1, 1}, (dim3){2, 1, 1}, args, 0, NULL));
    OK(cudaDeviceSynchronize());
    CHECK(m[0] == 6 && m[1] == 6);
    OK(cudaFree(m));
}

static void graphs(void) {
    cudaStream_t s;
    float h[256], *d, f = 2;
    unsigned n = 256;
    OK(cudaStreamCreate(&s));
    OK(cudaMalloc((void **)&d, sizeof h));
    for (int i = 0; i < 256; i++) h[i] = 1;
    OK(cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice));
    CUgraph g;
    CUgraphExec x;
    void *args[] = {&d, &f, &n};
    OK(cudaStreamBeginCapture(s, 0));
    OK(cudaLaunchKernel((void *)scale_stub, (dim3){1, 1, 1}, (dim3){256, 1, 1}, args, 0, s));
    OK(cudaMemcpyAsync(h, d, sizeof h, cudaMemcpyDeviceToHost, s));
    IS(cudaStreamSynchronize(s), cudaErrorStreamCaptureUnsupported);
    IS(cudaStreamEndCapture(s, &g), cudaErrorStreamCaptureInvalidated);
    CHECK(!g);
    OK(cudaStreamBeginCapture(s, 0));
    OK(cudaLaunchKernel((void *)scale_stub, (dim3){1, 1, 1}, (dim3){256, 1, 1}, args, 0, s));
    OK(cudaMemcpyAsync(h, d, sizeof h, cudaMemcpyDeviceToHost, s));
    OK(cudaStreamEndCapture(s, &g));
    CHECK(h[0] == 1); // nothing has run
    f = 100;          // the values of the capture count
    size_t nodes = 0;
    OK(cudaGraphGetNodes(g, NULL, &nodes));
    CHECK(nodes == 2);
    OK(cudaGraphInstantiateWithFlags(&x, g, 0));
    OK(cudaGraphDestroy(g));
    for (int i = 0; i < 3; i++) OK(cudaGraphLaunch(x, s));
    OK(cudaStreamSynchronize(s));
    CHECK(h[0] == 8 && h[255] == 8);
    OK(cudaGraphExecDestroy(x));
    f = 3; // a launch as before 9.2 is captured too
    OK(cudaStreamBeginCapture(s, 0));
    OK(cudaConfigureCall((dim3){1, 1, 1}, (dim3){256, 1, 1}, 0, s));
    OK(cudaSetupArgument(&d, sizeof d, 0));
    OK(cudaSetupArgument(&f, sizeof f, 8));
    OK(cudaSetupArgument(&n, sizeof n, 12));
    OK(cudaLaunch((void *)scale_stub));
    OK(cudaStreamEndCapture(s, &g));
    OK(cudaGraphGetNodes(g, NULL, &nodes));
    CHECK(nodes == 1);
    OK(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    CHECK(h[0] == 8);
    f = 100;
    OK(cudaGraphInstantiateWithFlags(&x, g, 0));
    OK(cudaGraphLaunch(x, s));
    OK(cudaStreamSynchronize(s));
    OK(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    CHECK(h[0] == 24 && h[255] == 24);
    OK(cudaGraphExecDestroy(x));
    OK(cudaGraphDestroy(g));
    cudaEvent_t a, b;
    float ms = -1;
    OK(cudaEventCreate(&a));
    OK(cudaEventCreate(&b));
    OK(cudaEventRecord(a, s));
    OK(cudaLaunchKernel((void *)scale_stub, (dim3){1, 1, 1}, (dim3){256, 1, 1}, args, 0, s));
    OK(cudaEventRecord(b, s));
    OK(cudaEventSynchronize(b));
    OK(cudaEventElapsedTime(&ms, a, b));
    CHECK(ms >= 0 && ms < 11); // ten, of a launch that was not timed
    OK(cudaStreamDestroy(s));
    OK(cudaFree(d));
    IS(cudaStreamBeginCapture(NULL, 0), cudaErrorStreamCaptureUnsupported);
    cudaGetLastError();
}

static void properties(void) {
    static unsigned char p[4096];
    int n = 0, version = 0;
    OK(cudaGetDeviceCount(&n));
    CHECK(n == 1);
    OK(cudaRuntimeGetVersion(&version));
    CHECK(version / 1000 == MAJOR);
    memset(p, 0xee, sizeof p);
    OK(MAJOR == 12 ? cudaGetDeviceProperties_v2(p, 0) : cudaGetDeviceProperties(p, 0));
    // sizes of the structure: 11.8, 12.9, 13.0
    const size_t size = MAJOR == 11 ? 728 : MAJOR == 12 ? 1032 : 1008;
    CHECK(p[size] == 0xee);
    CHECK(p[size - 8] != 0xee);
    CHECK(strncmp((char *)p, "GeForce GTX", 11) == 0);
    CHECK(*(size_t *)(p + 288) > 1u << 30); // totalGlobalMem
    struct cudaFuncAttributes a;
    memset(&a, 0, sizeof a);
    OK(cudaFuncGetAttributes(&a, (void *)fill_stub));
    CHECK(a.numRegs > 0 && a.numRegs < 20 && a.maxThreadsPerBlock >= 512);
    int blocks = 0;
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, (void *)fill_stub, 256, 0));
    CHECK(blocks >= 3);
}

// What a program built for streams of threads asks for is the driver's name for it, unless it says
// otherwise.
static void entry_points(void) {
    enum { AS_BUILT, LEGACY, PER_THREAD };
    void *plain, *own, *p;
    OK(cudaGetDriverEntryPoint("cuStreamQuery", &plain, AS_BUILT, NULL));
    OK(cudaGetDriverEntryPoint("cuStreamQuery", &own, PER_THREAD, NULL));
    CHECK(plain && own && plain != own);
    OK(cudaGetDriverEntryPoint_ptsz("cuStreamQuery", &p, AS_BUILT, NULL));
    CHECK(p == own);
    OK(cudaGetDriverEntryPoint_ptsz("cuStreamQuery", &p, LEGACY, NULL));
    CHECK(p == plain);
}

int main(void) {
    wrapper.data = read_file(FATBIN_DIR "/size.fatbin");
    void **h = __cudaRegisterFatBinary(&wrapper);
    __cudaRegisterFunction(h, (void *)fill_stub, "fill", "fill", -1, NULL, NULL, NULL, NULL, NULL);
    __cudaRegisterFunction(h, (void *)scale_stub, "scale", "scale", -1, NULL, NULL, NULL, NULL,
                           NULL);
    __cudaRegisterFatBinaryEnd(h);
    all_launches();
    errors();
    shapes();
    graphs();
    properties();
    entry_points();
    OK(cudaDeviceReset()); // and everything comes back
    all_launches();
    __cudaUnregisterFatBinary(h);
    puts("ok");
    return 0;
}
