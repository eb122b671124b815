// The driver, found while running: a machine needs libcuda.so.1 and nothing else.
#include "measure.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { LONGEST_KERNEL = 20 }; // seconds; the longest at full size takes a fraction of one

#define TEXT_OF(name)  TEXT_OF_(name)
#define TEXT_OF_(name) #name

const char *gpu_error(struct gpu *g, CUresult r) {
    const char *name = NULL;
    if (g->cuGetErrorName(r, &name) != CUDA_SUCCESS || !name) name = "an unknown error";
    return name;
}

void gpu_check(struct gpu *g, CUresult r, const char *what) {
    if (r != CUDA_SUCCESS) die("%s failed with %s (%d)", what, gpu_error(g, r), (int)r);
}

int gpu_attribute(struct gpu *g, CUdevice_attribute which) {
    int value = 0;
    return g->cuDeviceGetAttribute(&value, which, g->device) == CUDA_SUCCESS ? value : 0;
}

void *open_library(const char *name) {
    static const char *const places[] = {"",
                                         "/usr/local/nvidia/lib64/",
                                         "/usr/lib/x86_64-linux-gnu/",
                                         "/usr/lib64/",
                                         "/usr/lib64-nvidia/",
                                         "/usr/lib/wsl/lib/"};
    for (unsigned i = 0; i < sizeof places / sizeof *places; i++) {
        char path[128];
        snprintf(path, sizeof path, "%s%s", places[i], name);
        void *library = dlopen(path, RTLD_NOW);
        if (library) return library;
    }
    return NULL;
}

bool gpu_open(struct gpu *g, char *why, size_t room) {
    *g = (struct gpu){0};
    g->library = open_library("libcuda.so.1");
    if (!g->library) {
        snprintf(
            why, room,
            "there is no libcuda.so.1 where libraries are; LD_LIBRARY_PATH may name its folder");
        return false;
    }
    const char *missing = NULL;
    // A pointer to an object that dlsym answers becomes one to a function as POSIX says.
#define X(name) *(void **)&g->name = dlsym(g->library, TEXT_OF(name));
    CUDA_CALLS(X)
    CUDA_CALLS_OF_12(X)
#undef X
#define X(name)                                                                                    \
    if (!g->name) missing = TEXT_OF(name);
    CUDA_CALLS(X)
#undef X
    if (missing) {
        snprintf(why, room, "libcuda.so.1 lacks %s", missing);
        return false;
    }
    const CUresult r = g->cuInit(0);
    if (r != CUDA_SUCCESS || g->cuDeviceGet(&g->device, 0) != CUDA_SUCCESS) {
        snprintf(why, room, "the driver has no GPU for us: %s", gpu_error(g, r));
        return false;
    }
    GPU(g, cuDeviceGetName, g->name, (int)sizeof g->name, g->device);
    GPU(g, cuDriverGetVersion, &g->driver);
    GPU(g, cuCtxCreate, &g->context, 0, g->device);
    g->capability = gpu_attribute(g, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) * 10 +
                    gpu_attribute(g, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
    g->sms = gpu_attribute(g, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
    return true;
}

CUdeviceptr gpu_alloc(struct gpu *g, size_t bytes) {
    CUdeviceptr at = 0;
    GPU(g, cuMemAlloc, &at, bytes);
    GPU(g, cuMemsetD8, at, 0, bytes);
    return at;
}

CUdeviceptr gpu_upload(struct gpu *g, const void *from, size_t bytes) {
    CUdeviceptr at = 0;
    GPU(g, cuMemAlloc, &at, bytes);
    GPU(g, cuMemcpyHtoD, at, from, bytes);
    return at;
}

void gpu_free(struct gpu *g, CUdeviceptr at) { GPU(g, cuMemFree, at); }

void gpu_read(struct gpu *g, void *to, CUdeviceptr from, size_t bytes) {
    GPU(g, cuMemcpyDtoH, to, from, bytes);
}

static CUresult start(struct gpu *g, CUfunction f, struct launch l, void **arguments) {
    if (l.shared > 48 * 1024) {
        const CUresult r = g->cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                                 (int)l.shared);
        if (r != CUDA_SUCCESS) return r;
    }
    if (!l.cluster) {
        return g->cuLaunchKernel(f, l.grid, 1, 1, l.block, 1, 1, l.shared, NULL, arguments, NULL);
    }
    if (!g->cuLaunchKernelEx) return CUDA_ERROR_NOT_SUPPORTED;
    if (l.cluster > 8) { // sixteen blocks are not portable: the kernel must say that it knows
        const CUresult r =
            g->cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1);
        if (r != CUDA_SUCCESS) return r;
    }
    CUlaunchAttribute attribute = {.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION};
    attribute.value.clusterDim.x = l.cluster;
    attribute.value.clusterDim.y = attribute.value.clusterDim.z = 1;
    const CUlaunchConfig config = {.gridDimX = l.grid,
                                   .gridDimY = 1,
                                   .gridDimZ = 1,
                                   .blockDimX = l.block,
                                   .blockDimY = 1,
                                   .blockDimZ = 1,
                                   .sharedMemBytes = l.shared,
                                   .attrs = &attribute,
                                   .numAttrs = 1};
    return g->cuLaunchKernelEx(&config, f, arguments, NULL);
}

const char *gpu_launch(struct gpu *g, CUfunction f, struct launch l, void **arguments) {
    CUresult r = start(g, f, l, arguments);
    if (r != CUDA_SUCCESS) return gpu_error(g, r);
    // A kernel that never ends would take the part's whole time with it.
    const double began = seconds_now();
    for (unsigned asked = 0; (r = g->cuStreamQuery(NULL)) == CUDA_ERROR_NOT_READY; asked++) {
        if (seconds_now() - began > LONGEST_KERNEL) {
            g->failed = true;
            return "it does not end";
        }
        if (asked > 2000) nanosleep(&(struct timespec){.tv_nsec = 50000}, NULL);
    }
    if (r == CUDA_SUCCESS) return NULL;
    g->failed = true;
    return gpu_error(g, r);
}

double gpu_time(struct gpu *g, CUfunction f, struct launch l, void **arguments) {
    static CUevent from, to; // made once a process
    if (!from) {
        GPU(g, cuEventCreate, &from, CU_EVENT_DEFAULT);
        GPU(g, cuEventCreate, &to, CU_EVENT_DEFAULT);
    }
    GPU(g, cuEventRecord, from, NULL);
    const CUresult r = start(g, f, l, arguments);
    if (r != CUDA_SUCCESS) return -1;
    GPU(g, cuEventRecord, to, NULL);
    GPU(g, cuEventSynchronize, to);
    float ms = 0;
    GPU(g, cuEventElapsedTime, &ms, from, to);
    return ms;
}
