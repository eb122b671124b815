// What the programs of this folder share: a call that must work, a condition that must hold.
#ifndef CHECK_H
#define CHECK_H
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define IS(call, expected)                                                                         \
    do {                                                                                           \
        const cudaError_t got_ = (call);                                                           \
        if (got_ != (expected)) {                                                                  \
            std::printf("line %d: `%s` answers %s, expected %s\n", __LINE__, #call,                \
                        cudaGetErrorName(got_), cudaGetErrorName(expected));                       \
            std::exit(1);                                                                          \
        }                                                                                          \
    } while (0)
#define OK(call) IS(call, cudaSuccess)
#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            std::printf("line %d: `%s` does not hold\n", __LINE__, #condition);                    \
            std::exit(1);                                                                          \
        }                                                                                          \
    } while (0)
#endif
