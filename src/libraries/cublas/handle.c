// Entry points of handles, their settings, and copies between host and device.
#include "cublas.h"

BLAS_API blas_status cublasCreate_v2(blas_handle_t *h);
blas_status cublasCreate_v2(blas_handle_t *h) {
    return h ? blas_handle_new(h) : CUBLAS_INVALID_VALUE;
}
BLAS_API blas_status cublasDestroy_v2(blas_handle_t h);
blas_status cublasDestroy_v2(blas_handle_t h) { return blas_handle_delete(h); }

#define SETTING(name, T, field)                                                                    \
    BLAS_API blas_status cublasSet##name(blas_handle_t h, T value);                                \
    blas_status cublasSet##name(blas_handle_t h, T value) {                                        \
        if (!blas_is_handle(h)) return CUBLAS_NOT_INITIALIZED;                                     \
        h->field = value;                                                                          \
        return CUBLAS_SUCCESS;                                                                     \
    }                                                                                              \
    BLAS_API blas_status cublasGet##name(blas_handle_t h, T *value);                               \
    blas_status cublasGet##name(blas_handle_t h, T *value) {                                       \
        if (!blas_is_handle(h)) return CUBLAS_NOT_INITIALIZED;                                     \
        if (!value) return CUBLAS_INVALID_VALUE;                                                   \
        *value = h->field;                                                                         \
        return CUBLAS_SUCCESS;                                                                     \
    }
SETTING(Stream_v2, CUstream, stream)
SETTING(PointerMode_v2, int, pointer_mode)
SETTING(MathMode, int, math_mode)       // only TF32's is heard
SETTING(AtomicsMode, int, atomics_mode) // none is used
SETTING(SmCountTarget, int, sm_target)

// No kernel here needs a workspace.
BLAS_API blas_status cublasSetWorkspace_v2(blas_handle_t h, void *at, size_t bytes);
blas_status cublasSetWorkspace_v2(blas_handle_t h, void *at, size_t bytes) {
    (void)at;
    (void)bytes;
    return blas_is_handle(h) ? CUBLAS_SUCCESS : CUBLAS_NOT_INITIALIZED;
}

// The version of the toolkit whose name the library has; `libraryPropertyType`: major, minor, patch.
static const int version[3] = {LIBRARY_MAJOR, LIBRARY_MINOR, 0};
BLAS_API blas_status cublasGetVersion_v2(blas_handle_t h, int *out);
blas_status cublasGetVersion_v2(blas_handle_t h, int *out) {
    (void)h;
    if (!out) return CUBLAS_INVALID_VALUE;
    *out = version[0] * 10000 + version[1] * 100 + version[2];
    return CUBLAS_SUCCESS;
}
BLAS_API blas_status cublasGetProperty(int which, int *out);
blas_status cublasGetProperty(int which, int *out) {
    if (which < 0 || which > 2 || !out) return CUBLAS_INVALID_VALUE;
    *out = version[which];
    return CUBLAS_SUCCESS;
}
BLAS_API size_t cublasGetCudartVersion(void);
size_t cublasGetCudartVersion(void) { return (size_t)version[0] * 1000; }

BLAS_API const char *cublasGetStatusName(int s);
const char *cublasGetStatusName(int s) { return blas_status_name(s); }
BLAS_API const char *cublasGetStatusString(int s);
const char *cublasGetStatusString(int s) { return blas_status_name(s); }

// ---- copies: `rows` x `columns` elements, column major; a vector has columns of one element ------
static blas_status copy(const void *from, int64_t from_lead, void *to, int64_t to_lead,
                        int64_t rows, int64_t columns, int64_t bytes, bool to_device,
                        CUstream stream, bool waits) {
    if (rows < 0 || columns < 0 || bytes <= 0 || from_lead < rows || to_lead < rows)
        return CUBLAS_INVALID_VALUE;
    if (!rows || !columns) return CUBLAS_SUCCESS;
    CUDA_MEMCPY2D c = {.srcPitch = (size_t)(from_lead * bytes),
                       .dstPitch = (size_t)(to_lead * bytes),
                       .WidthInBytes = (size_t)(rows * bytes),
                       .Height = (size_t)columns};
    c.srcMemoryType = to_device ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
    c.dstMemoryType = to_device ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_HOST;
    c.srcHost = to_device ? from : NULL;
    c.srcDevice = to_device ? 0 : (uintptr_t)from;
    c.dstHost = to_device ? NULL : to;
    c.dstDevice = to_device ? (uintptr_t)to : 0;
    const CUresult r = waits ? cuMemcpy2DUnaligned_v2(&c) : cuMemcpy2DAsync_v2(&c, stream);
    return r == CUDA_SUCCESS ? CUBLAS_SUCCESS : CUBLAS_MAPPING_ERROR;
}
#define COPIES(dir, to_device, suffix, N)                                                          \
    API(cublas##dir##Matrix##suffix, N rows, N columns, N bytes, const void *a, N lda, void *b,    \
        N ldb) {                                                                                   \
        return copy(a, lda, b, ldb, rows, columns, bytes, to_device, NULL, true);                  \
    }                                                                                              \
    API(cublas##dir##MatrixAsync##suffix, N rows, N columns, N bytes, const void *a, N lda,        \
        void *b, N ldb, CUstream s) {                                                              \
        return copy(a, lda, b, ldb, rows, columns, bytes, to_device, s, false);                    \
    }                                                                                              \
    API(cublas##dir##Vector##suffix, N n, N bytes, const void *x, N step_x, void *y, N step_y) {   \
        return copy(x, step_x, y, step_y, 1, n, bytes, to_device, NULL, true);                     \
    }                                                                                              \
    API(cublas##dir##VectorAsync##suffix, N n, N bytes, const void *x, N step_x, void *y,          \
        N step_y, CUstream s) {                                                                    \
        return copy(x, step_x, y, step_y, 1, n, bytes, to_device, s, false);                       \
    }
COPIES(Set, true, , int)
COPIES(Get, false, , int)
COPIES(Set, true, _64, int64_t)
COPIES(Get, false, _64, int64_t)
