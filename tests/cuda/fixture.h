// A fat binary of fixtures/, registered by hand as nvcc's constructors do, and launches of its
// kernels: what the tests without nvcc share. The including file has the table of its fixtures.
#ifndef WW_TEST_FIXTURE_H
#define WW_TEST_FIXTURE_H

#include "cudart/runtime.h"
#include "expect.h"

#include <stdbool.h>
#include <string.h>

void **__cudaRegisterFatBinary(void *wrapper);
void __cudaRegisterFatBinaryEnd(void **h);
void __cudaUnregisterFatBinary(void **h);
void __cudaRegisterFunction(void **h, const char *host, char *device, const char *name, int limit,
                            void *, void *, void *, void *, int *);
void __cudaRegisterVar(void **h, char *host, char *address, const char *name, int ext, size_t size,
                       int constant, int global);
void __cudaRegisterManagedVar(void **h, void **host, char *address, const char *name, int ext,
                              size_t size, int constant, int global);
char __cudaInitModule(void **h);
cudaError_t cudaLaunchKernel(const void *, dim3, dim3, void **, size_t, cudaStream_t);
cudaError_t cudaLaunchCooperativeKernel(const void *, dim3, dim3, void **, size_t, cudaStream_t);
cudaError_t cudaMalloc(void **, size_t);
cudaError_t cudaFree(void *);
cudaError_t cudaMemcpy(void *, const void *, size_t, int);
cudaError_t cudaMemcpyToSymbol(const void *, const void *, size_t, size_t, int);
cudaError_t cudaMemcpyFromSymbol(void *, const void *, size_t, size_t, int);
cudaError_t cudaGetSymbolSize(size_t *, const void *);
cudaError_t cudaDeviceSynchronize(void);
cudaError_t cudaGetLastError(void);
const char *cudaGetErrorName(cudaError_t);

// An address in `kernel` is what the program knows a kernel by.
enum { MOST_KERNELS = 8, MOST_UNITS = 4 };
struct fixture {
    const char *name;
    const char *kernel[MOST_KERNELS];
    struct {
        unsigned magic, version;
        const void *data;
        const void *const *units;
    } wrapper;
    const void *unit[MOST_UNITS + 1];
    void **handle;
};
extern struct fixture fixtures[];
extern const int n_fixtures;

static const void *kernel(const char *fixture, int k) {
    for (int i = 0; i < n_fixtures; i++)
        if (strcmp(fixtures[i].name, fixture) == 0) return &fixtures[i].kernel[k];
    CHECK(!"no such fixture");
    return NULL;
}

// The section as the linker left it: containers one after the other, each at a multiple of 8. One
// of them: wrapper version 1; more (device code linked from several files): version 2.
static void add(struct fixture *f) {
    char path[512];
    snprintf(path, sizeof path, "%s/%d/%s.fatbin", FIXTURES_DIR, MAJOR, f->name);
    FILE *file = fopen(path, "rb");
    CHECK(file);
    char *p = calloc(1, 1 << 16);
    const size_t bytes = fread(p, 1, 1 << 16, file);
    fclose(file);
    int n = 0;
    for (size_t at = 0; at + 16 <= bytes;) {
        unsigned magic;
        unsigned long long size;
        memcpy(&magic, p + at, 4);
        memcpy(&size, p + at + 8, 8);
        CHECK(magic == 0xBA55ED50 && n < MOST_UNITS);
        f->unit[n++] = p + at;
        at = (at + 16 + size + 7) / 8 * 8;
    }
    CHECK(n > 0);
    f->wrapper.magic = 0x466243B1;
    f->wrapper.version = n == 1 ? 1 : 2;
    f->wrapper.data = n == 1 ? p : NULL; // what nvcc's linker made of the units is not kept
    f->wrapper.units = n == 1 ? NULL : f->unit;
    f->handle = __cudaRegisterFatBinary(&f->wrapper);
    for (int k = 0; k < MOST_KERNELS && f->kernel[k]; k++)
        __cudaRegisterFunction(f->handle, (const char *)&f->kernel[k],
                               (char *)(uintptr_t)f->kernel[k], f->kernel[k], -1, NULL, NULL, NULL,
                               NULL, NULL);
}

#define LAUNCH(fixture, k, grid, block, ...)                                                       \
    do {                                                                                           \
        void *args_[] = {__VA_ARGS__};                                                             \
        OK(cudaLaunchKernel(kernel(fixture, k), (dim3){grid, 1, 1}, (dim3){block, 1, 1}, args_, 0, \
                            NULL));                                                                \
    } while (0)

#endif
