// What our runtime and the libraries that only refuse need of our driver and the driver API cannot
// say: a table behind cuGetExportTable, as the vendor's libraries have theirs. Not installed.
#ifndef WW_DRIVER_PRIVATE_H
#define WW_DRIVER_PRIVATE_H

#include <stdint.h>

#include "cuda.h"

#define WW_DRIVER_TABLE                                                                            \
    ((CUuuid){{'w', 'a', 'r', 'p', 'w', 'a', 't', 't', ' ', 'd', 'r', 'i', 'v', 'e', 'r', 1}})

struct ww_driver_table {
    // Programs hand the runtime's handles of kernels (cudaKernel_t) to the driver too: how the
    // function behind one is found.
    void (*kernels_of_runtime)(CUresult (*function_of)(const void *handle, CUfunction *out));
    // An attribute of a function as cuKernelSetAttribute sets it.
    CUresult (*set_of_kernel)(CUfunction function, CUfunction_attribute attribute, int value);
    // Says once that a call was answered with "not supported", and counts it for the account.
    void (*refused)(const char *call, const char *sentence);
    // Ranges that a program names (process/range.h).
    int (*range_push)(const char *domain, const char *name);
    int (*range_pop)(const char *domain);
    uint64_t (*range_start)(const char *domain, const char *name);
    void (*range_end)(uint64_t id);
};

#endif
