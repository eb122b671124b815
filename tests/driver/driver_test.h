// What the driver's test programs share: they are programs of the API, each a ctest, and know
// nothing of what is behind libcuda. A failed check names its place and ends the program.
#ifndef DRIVER_TEST_H
#define DRIVER_TEST_H

#include <cuda.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            printf("%s:%d: `%s` does not hold\n", __FILE__, __LINE__, #condition);                 \
            fflush(stdout);                                                                        \
            _exit(1);                                                                              \
        }                                                                                          \
    } while (0)
#define IS(call, expected)                                                                         \
    do {                                                                                           \
        const CUresult got_ = (call), want_ = (expected);                                          \
        if (got_ != want_) {                                                                       \
            const char *a_ = "?", *b_ = "?";                                                       \
            cuGetErrorName(got_, &a_);                                                             \
            cuGetErrorName(want_, &b_);                                                            \
            printf("%s:%d: `%s` answers %s, expected %s\n", __FILE__, __LINE__, #call, a_, b_);    \
            fflush(stdout);                                                                        \
            _exit(1);                                                                              \
        }                                                                                          \
    } while (0)
#define OK(call) IS(call, CUDA_SUCCESS)

#define PTX(body) ".version 4.2\n.target sm_20\n.address_size 64\n" body

static inline CUcontext start(void) {
    CUdevice d;
    CUcontext c;
    OK(cuInit(0));
    OK(cuDeviceGet(&d, 0));
    OK(cuCtxCreate(&c, 0, d));
    return c;
}

static inline CUmodule load(const char *ptx) {
    CUmodule m;
    OK(cuModuleLoadData(&m, ptx));
    return m;
}

static inline CUfunction kernel(CUmodule m, const char *name) {
    CUfunction f;
    OK(cuModuleGetFunction(&f, m, name));
    return f;
}

static inline CUdeviceptr alloc(size_t bytes) {
    CUdeviceptr p;
    OK(cuMemAlloc(&p, bytes));
    return p;
}

// One-dimensional launch in the default stream.
static inline CUresult run(CUfunction f, unsigned grid, unsigned block, void **params) {
    return cuLaunchKernel(f, grid, 1, 1, block, 1, 1, 0, NULL, params, NULL);
}

// Numbers that look random and are the same everywhere.
static inline uint32_t scramble(uint32_t x) {
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    return x ^ x >> 16;
}

// Everything written to a stream between begin and end, as text (static storage).
struct capture {
    int fd, saved;
    FILE *tmp;
};
static inline struct capture capture_begin(int fd) {
    struct capture c = {.fd = fd, .tmp = tmpfile()};
    CHECK(c.tmp);
    fflush(NULL);
    c.saved = dup(fd);
    dup2(fileno(c.tmp), fd);
    return c;
}
static inline const char *capture_end(struct capture c) {
    static char text[1 << 16];
    fflush(NULL);
    dup2(c.saved, c.fd);
    close(c.saved);
    rewind(c.tmp);
    text[fread(text, 1, sizeof text - 1, c.tmp)] = 0;
    fclose(c.tmp);
    return text;
}
static inline unsigned occurrences(const char *text, const char *word) {
    unsigned n = 0;
    for (const char *p = text; (p = strstr(p, word)); p += strlen(word)) n++;
    return n;
}

#endif
