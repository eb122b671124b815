// The dispatch table, the platform, the ICD's entry points, and calls of newer versions that this platform has no use for.
#include <stdlib.h>
#include <time.h>

#include "opencl.h"

const cl_icd_dispatch ocl_dispatch = {
#define CALL(name) .name = name,
#include "calls.def"
#undef CALL
};
static struct _cl_platform_id platform = {{&ocl_dispatch, OCL_PLATFORM, 1}};
cl_platform_id ocl_platform(void) { return &platform; }

static const char extensions[] = "cl_khr_icd";

API(cl_int) clIcdGetPlatformIDsKHR(cl_uint n, cl_platform_id *platforms, cl_uint *needed) {
    if ((platforms && !n) || (!platforms && !needed)) return CL_INVALID_VALUE;
    if (platforms) platforms[0] = &platform;
    if (needed) *needed = 1;
    return CL_SUCCESS;
}
API(cl_int) clGetPlatformIDs(cl_uint n, cl_platform_id *platforms, cl_uint *needed) {
    return clIcdGetPlatformIDsKHR(n, platforms, needed);
}

API(cl_int)
clGetPlatformInfo(cl_platform_id p, cl_platform_info what, size_t room, void *out, size_t *needed) {
    if (p != &platform) return CL_INVALID_PLATFORM;
    switch (what) {
    case CL_PLATFORM_PROFILE: ANSWER_TEXT("FULL_PROFILE");
    case CL_PLATFORM_VERSION: ANSWER_TEXT("OpenCL 3.0 warpwatt " OPENCL_WARPWATT_VERSION);
    case CL_PLATFORM_NUMERIC_VERSION: ANSWER_AS(cl_version, CL_MAKE_VERSION(3, 0, 0));
    case CL_PLATFORM_NAME: ANSWER_TEXT("warpwatt");
    case CL_PLATFORM_VENDOR: ANSWER_TEXT("warpwatt");
    case CL_PLATFORM_EXTENSIONS: ANSWER_TEXT(extensions);
    case CL_PLATFORM_EXTENSIONS_WITH_VERSION: {
        static const cl_name_version icd = {CL_MAKE_VERSION(1, 0, 0), "cl_khr_icd"};
        ANSWER(icd);
    }
    case CL_PLATFORM_ICD_SUFFIX_KHR: ANSWER_TEXT("WW");
    case CL_PLATFORM_HOST_TIMER_RESOLUTION: ANSWER_AS(cl_ulong, 1);
    default: return CL_INVALID_VALUE;
    }
}

static const struct {
    const char *name;
    void *address;
} functions[] = {
#define CALL(name) {#name, (void *)name},
    CALL(clIcdGetPlatformIDsKHR)
#include "calls.def"
#undef CALL
};
API(void *) clGetExtensionFunctionAddress(const char *name) {
    if (!name) return NULL;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (strcmp(functions[i].name, name) == 0) return functions[i].address;
    return NULL;
}
API(void *) clGetExtensionFunctionAddressForPlatform(cl_platform_id p, const char *name) {
    return p == &platform ? clGetExtensionFunctionAddress(name) : NULL;
}

// ---- time ---------------------------------------------------------------------------------------
API(cl_int) clGetDeviceAndHostTimer(cl_device_id device, cl_ulong *of_device, cl_ulong *of_host) {
    if (device != ocl_device()) return CL_INVALID_DEVICE;
    if (!of_device || !of_host) return CL_INVALID_VALUE;
    LOCKED;
    *of_device = *of_host =
        (cl_ulong)(ocl_now_s() * 1e9 + 0.5); // simulated time is the one there is
    return CL_SUCCESS;
}
API(cl_int) clGetHostTimer(cl_device_id device, cl_ulong *of_host) {
    cl_ulong of_device;
    return clGetDeviceAndHostTimer(device, &of_device, of_host);
}

// ---- features that a device of 3.0 may lack -----------------------------------------------------
API(void *)
clSVMAlloc(cl_context context, cl_svm_mem_flags flags, size_t bytes, cl_uint alignment) {
    (void)context, (void)flags, (void)bytes, (void)alignment;
    return NULL;
}
API(void) clSVMFree(cl_context context, void *p) { (void)context, (void)p; }
#define REFUSED(name, ...)                                                                         \
    API(cl_int) name(cl_command_queue q, __VA_ARGS__) {                                            \
        return OCL_IS(q, OCL_QUEUE) ? CL_INVALID_OPERATION : CL_INVALID_COMMAND_QUEUE;             \
    }
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
REFUSED(clEnqueueSVMFree, cl_uint n, void *p[],
        void(CL_CALLBACK *f)(cl_command_queue, cl_uint, void *[], void *), void *user,
        cl_uint n_list, const cl_event *list, cl_event *event)
REFUSED(clEnqueueSVMMemcpy, cl_bool blocking, void *to, const void *from, size_t bytes,
        cl_uint n_list, const cl_event *list, cl_event *event)
REFUSED(clEnqueueSVMMemFill, void *to, const void *pattern, size_t pattern_bytes, size_t bytes,
        cl_uint n_list, const cl_event *list, cl_event *event)
REFUSED(clEnqueueSVMMap, cl_bool blocking, cl_map_flags flags, void *p, size_t bytes,
        cl_uint n_list, const cl_event *list, cl_event *event)
REFUSED(clEnqueueSVMUnmap, void *p, cl_uint n_list, const cl_event *list, cl_event *event)
REFUSED(clEnqueueSVMMigrateMem, cl_uint n, const void **p, const size_t *bytes,
        cl_mem_migration_flags flags, cl_uint n_list, const cl_event *list, cl_event *event)
#pragma GCC diagnostic pop
API(cl_mem)
clCreatePipe(cl_context context, cl_mem_flags flags, cl_uint bytes, cl_uint n,
             const cl_pipe_properties *p, cl_int *error) {
    (void)flags, (void)bytes, (void)n, (void)p;
    FAIL(OCL_IS(context, OCL_CONTEXT) ? CL_INVALID_OPERATION : CL_INVALID_CONTEXT);
}
API(cl_int) clGetPipeInfo(cl_mem m, cl_pipe_info what, size_t room, void *out, size_t *needed) {
    (void)m, (void)what, (void)room, (void)out, (void)needed;
    return CL_INVALID_MEM_OBJECT; // there are no pipes
}
API(cl_int)
clSetDefaultDeviceCommandQueue(cl_context context, cl_device_id device, cl_command_queue q) {
    (void)device, (void)q;
    return OCL_IS(context, OCL_CONTEXT) ? CL_INVALID_OPERATION : CL_INVALID_CONTEXT;
}
