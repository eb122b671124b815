// What the test programs of OpenCL share: the first device, a queue, programs from source, and a count of what was wrong.
#ifndef OPENCL_CHECK_H
#define OPENCL_CHECK_H
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int wrong;
static cl_platform_id platform;
static cl_device_id device;
static cl_context context;
static cl_command_queue queue;

#define EXPECT(condition)                                                                          \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            printf("%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                         \
            wrong++;                                                                               \
        }                                                                                          \
    } while (0)
#define EQUAL(is, wanted)                                                                          \
    do {                                                                                           \
        const long long is_ = (long long)(is), wanted_ = (long long)(wanted);                      \
        if (is_ != wanted_) {                                                                      \
            printf("%s:%d: %s is %lld, not %lld\n", __FILE__, __LINE__, #is, is_, wanted_);        \
            wrong++;                                                                               \
        }                                                                                          \
    } while (0)
#define DONE(call) EQUAL(call, CL_SUCCESS)

static inline void begin(cl_command_queue_properties properties) {
    cl_int error;
    DONE(clGetPlatformIDs(1, &platform, NULL));
    DONE(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    DONE(error);
    queue = clCreateCommandQueue(context, device, properties, &error);
    DONE(error);
}
static inline int end(void) {
    DONE(clReleaseCommandQueue(queue));
    DONE(clReleaseContext(context));
    printf("%s\n", wrong ? "wrong" : "right");
    return wrong != 0;
}
static inline cl_program build(const char *source, const char *options) {
    cl_int error;
    cl_program p = clCreateProgramWithSource(context, 1, &source, NULL, &error);
    DONE(error);
    error = clBuildProgram(p, 0, NULL, options, NULL, NULL);
    DONE(error);
    if (error) {
        static char log[65536];
        clGetProgramBuildInfo(p, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
        printf("%s\n", log);
        exit(1);
    }
    return p;
}
static inline cl_kernel kernel_of(cl_program p, const char *name) {
    cl_int error;
    cl_kernel k = clCreateKernel(p, name, &error);
    DONE(error);
    return k;
}
static inline cl_mem buffer(cl_mem_flags flags, size_t bytes, void *host) {
    cl_int error;
    cl_mem m = clCreateBuffer(context, flags, bytes, host, &error);
    DONE(error);
    return m;
}
#define ARG(kernel, i, value) DONE(clSetKernelArg(kernel, i, sizeof(value), &(value)))
#endif
