// A call of the runtime that must answer something, a condition that must hold: what tests of our
// libcudart in C share. The caller has declared cudaGetErrorName.
#ifndef WW_TEST_EXPECT_H
#define WW_TEST_EXPECT_H

#include <stdio.h>
#include <stdlib.h>

#define IS(call, expected)                                                                         \
    do {                                                                                           \
        const cudaError_t got_ = (call);                                                           \
        if (got_ != (expected)) {                                                                  \
            printf("%s:%d: `%s` answers %s, expected %s\n", __FILE__, __LINE__, #call,             \
                   cudaGetErrorName(got_), cudaGetErrorName(expected));                            \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)
#define OK(call) IS(call, cudaSuccess)
#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition))                                                                          \
            printf("%s:%d: `%s` does not hold\n", __FILE__, __LINE__, #condition), exit(1);        \
    } while (0)

#endif
