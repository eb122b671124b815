// Handles, their settings, and the modules of kernels that they load.
#include "blas.h"
#include "room.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver_private.h"

enum { TAG = 0x616c6273 };

// The modules' PTX, which clang made when this library was built.
#define MODULE(name)                                                                               \
    __asm__(".pushsection .rodata\n.globl blas_ptx_" #name "\n.hidden blas_ptx_" #name             \
            "\nblas_ptx_" #name ":\n.incbin \"" PTX_FOLDER "/" #name                               \
            ".ptx\"\n.byte 0\n.popsection\n");                                                     \
    extern const char blas_ptx_##name[];
#include "modules.inc"
#undef MODULE
static const struct {
    const char *name, *ptx;
} modules[] = {
#define MODULE(name) {#name, blas_ptx_##name},
#include "modules.inc"
#undef MODULE
};

blas_status blas_of(CUresult r) {
    switch (r) {
    case CUDA_SUCCESS: return CUBLAS_SUCCESS;
    case CUDA_ERROR_OUT_OF_MEMORY: return CUBLAS_ALLOC_FAILED;
    case CUDA_ERROR_INVALID_VALUE: return CUBLAS_INVALID_VALUE;
    case CUDA_ERROR_NOT_INITIALIZED:
    case CUDA_ERROR_NO_DEVICE: return CUBLAS_NOT_INITIALIZED;
    default: return CUBLAS_EXECUTION_FAILED;
    }
}

const char *blas_status_name(int s) {
    switch (s) {
    case CUBLAS_SUCCESS: return "CUBLAS_STATUS_SUCCESS";
    case CUBLAS_NOT_INITIALIZED: return "CUBLAS_STATUS_NOT_INITIALIZED";
    case CUBLAS_ALLOC_FAILED: return "CUBLAS_STATUS_ALLOC_FAILED";
    case CUBLAS_INVALID_VALUE: return "CUBLAS_STATUS_INVALID_VALUE";
    case CUBLAS_ARCH_MISMATCH: return "CUBLAS_STATUS_ARCH_MISMATCH";
    case CUBLAS_MAPPING_ERROR: return "CUBLAS_STATUS_MAPPING_ERROR";
    case CUBLAS_EXECUTION_FAILED: return "CUBLAS_STATUS_EXECUTION_FAILED";
    case CUBLAS_INTERNAL_ERROR: return "CUBLAS_STATUS_INTERNAL_ERROR";
    case CUBLAS_NOT_SUPPORTED: return "CUBLAS_STATUS_NOT_SUPPORTED";
    case CUBLAS_LICENSE_ERROR: return "CUBLAS_STATUS_LICENSE_ERROR";
    default: return "CUBLAS_STATUS_UNKNOWN";
    }
}

blas_status blas_refuse(const char *call, const char *format, ...) {
    const struct ww_driver_table *driver;
    char why[256], sentence[384];
    va_list list;
    va_start(list, format);
    vsnprintf(why, sizeof why, format, list);
    va_end(list);
    snprintf(sentence, sizeof sentence, "%s: %s: it answers an error", call, why);
    if (cuGetExportTable((const void **)&driver, &WW_DRIVER_TABLE) == CUDA_SUCCESS)
        driver->refused(call, sentence);
    else
        fprintf(stderr, "warpwatt: %s\n", sentence);
    return CUBLAS_NOT_SUPPORTED;
}

bool blas_is_handle(const struct blas_handle *h) { return h && h->tag == TAG; }

// A thread that has no context works in the device's primary one, as the runtime's calls do.
static CUresult need_context(CUdevice *device) {
    CUcontext context = NULL;
    CUresult r = cuInit(0);
    if (r == CUDA_SUCCESS) r = cuCtxGetCurrent(&context);
    if (r == CUDA_SUCCESS && context) return cuCtxGetDevice(device);
    *device = 0;
    if (r == CUDA_SUCCESS) r = cuDevicePrimaryCtxRetain(&context, 0);
    return r == CUDA_SUCCESS ? cuCtxSetCurrent(context) : r;
}

blas_status blas_handle_new(struct blas_handle **out) {
    CUdevice device;
    CUcontext context = NULL;
    CUdeviceptr parts = 0;
    int sms = 0, major = 0, minor = 0;
    CUresult r = need_context(&device);
    if (r == CUDA_SUCCESS)
        r = cuDeviceGetAttribute(&sms, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device);
    if (r == CUDA_SUCCESS)
        r = cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device);
    if (r == CUDA_SUCCESS)
        r = cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device);
    if (r == CUDA_SUCCESS) r = cuCtxGetCurrent(&context);
    if (r == CUDA_SUCCESS) r = cuMemAlloc_v2(&parts, VECTOR_PART * (BLAS_PARTS + 1));
    if (r != CUDA_SUCCESS) return blas_of(r);
    struct blas_handle *const h = calloc(1, sizeof *h);
    struct blas_rooms *const rooms = blas_rooms_new();
    if (!h || !rooms) return CUBLAS_ALLOC_FAILED;
    h->context = context;
    h->rooms = rooms;
    h->parts = parts;
    pthread_mutex_init(&h->lock, NULL);
    h->tag = TAG;
    h->sms = (uint32_t)sms;
    h->capability = (uint32_t)(10 * major + minor);
    *out = h;
    return CUBLAS_SUCCESS;
}

blas_status blas_handle_delete(struct blas_handle *h) {
    if (!blas_is_handle(h)) return CUBLAS_NOT_INITIALIZED;
    // Work of the stream may still use a module: the documented call waits for the device.
    CUcontext context = NULL;
    if (cuCtxGetCurrent(&context) == CUDA_SUCCESS && !context) cuCtxSetCurrent(h->context);
    cuCtxSynchronize();
    // what was recorded may be launched later: its modules go with the context
    for (size_t i = 0; i < BLAS_MODULES && !h->was_recorded; i++)
        if (h->module[i]) cuModuleUnload(h->module[i]);
    cuMemFree_v2(h->parts);
    blas_rooms_delete(h->rooms);
    pthread_mutex_destroy(&h->lock);
    h->tag = 0;
    free(h);
    return CUBLAS_SUCCESS;
}

blas_status blas_kernel(struct blas_handle *h, enum blas_module module, const char *name,
                        CUfunction *out) {
    CUcontext context = NULL;
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    CUresult r = cuCtxGetCurrent(&context);
    // a thread that has no context yet works in the handle's
    if (r == CUDA_SUCCESS && !context) r = cuCtxSetCurrent(h->context);
    cuStreamIsCapturing(h->stream, &status);
    pthread_mutex_lock(&h->lock);
    if (status == CU_STREAM_CAPTURE_STATUS_ACTIVE) h->was_recorded = true;
    if (r == CUDA_SUCCESS && !h->module[module])
        r = cuModuleLoadData(&h->module[module], modules[module].ptx);
    pthread_mutex_unlock(&h->lock);
    if (r == CUDA_SUCCESS) r = cuModuleGetFunction(out, h->module[module], name);
    if (r == CUDA_SUCCESS) return CUBLAS_SUCCESS;
    fprintf(stderr, "warpwatt: the kernel %s of %s cannot be had from the driver (error %d)\n",
            name, modules[module].name, (int)r);
    return CUBLAS_INTERNAL_ERROR;
}

blas_status blas_launch(CUfunction kernel, const uint32_t grid[3], uint32_t threads,
                        const void *params, size_t bytes, CUstream stream) {
    return blas_launch_shared(kernel, grid, threads, 0, params, bytes, stream);
}

blas_status blas_launch_shared(CUfunction kernel, const uint32_t grid[3], uint32_t threads,
                               uint32_t shared, const void *params, size_t bytes, CUstream stream) {
    enum { UNASKED = 49152 }; // bytes that every kernel may have
    void *const extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, (void *)(uintptr_t)params,
                           CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes, CU_LAUNCH_PARAM_END};
    if (shared > UNASKED) {
        const CUresult r = cuFuncSetAttribute(
            kernel, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, (int)shared);
        if (r != CUDA_SUCCESS) return blas_of(r);
    }
    return blas_of(cuLaunchKernel(kernel, grid[0], grid[1], grid[2], threads, 1, 1, shared, stream,
                                  NULL, (void **)extra));
}
