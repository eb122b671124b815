// Handles, tensors, filters and other descriptions.
#include "cudnn.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- the library ------------------------------------------------------------------------------------
// A version newer than those that programs of today were compiled for, since they ask for theirs at least.
enum { MAJOR = 9, MINOR = 30, PATCH = 0 };
BLAS_API size_t cudnnGetVersion(void);
size_t cudnnGetVersion(void) { return MAJOR * 10000 + MINOR * 100 + PATCH; }
BLAS_API size_t cudnnGetMaxDeviceVersion(void);
size_t cudnnGetMaxDeviceVersion(void) { return 1200; }
BLAS_API size_t cudnnGetCudartVersion(void);
size_t cudnnGetCudartVersion(void) { return 12000; }
API(cudnnGetProperty, int which, int *out) {
    static const int version[3] = {MAJOR, MINOR, PATCH};
    if (which < 0 || which > 2 || !out) return DNN_BAD_PARAM;
    *out = version[which];
    return DNN_SUCCESS;
}
BLAS_API const char *cudnnGetErrorString(int s);
const char *cudnnGetErrorString(int s) {
    switch (s) {
    case DNN_SUCCESS: return "CUDNN_STATUS_SUCCESS";
    case DNN_NOT_INITIALIZED: return "CUDNN_STATUS_NOT_INITIALIZED";
    case DNN_BAD_PARAM: return "CUDNN_STATUS_BAD_PARAM";
    case DNN_NOT_FINALIZED: return "CUDNN_STATUS_BAD_PARAM_NOT_FINALIZED";
    case DNN_NOT_SUPPORTED: return "CUDNN_STATUS_NOT_SUPPORTED";
    case DNN_INTERNAL_ERROR: return "CUDNN_STATUS_INTERNAL_ERROR";
    case DNN_ALLOC_FAILED: return "CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED";
    case DNN_EXECUTION_FAILED: return "CUDNN_STATUS_EXECUTION_FAILED";
    default: return "CUDNN_UNKNOWN_STATUS";
    }
}
BLAS_API void cudnnGetLastErrorString(char *message, size_t bytes);
void cudnnGetLastErrorString(char *message, size_t bytes) {
    if (message && bytes) message[0] = 0;
}
#define CHECKED(name)                                                                              \
    BLAS_API dnn_status name(void);                                                                \
    dnn_status name(void) { return DNN_SUCCESS; }
CHECKED(cudnnOpsVersionCheck)
CHECKED(cudnnCnnVersionCheck)
CHECKED(cudnnAdvVersionCheck)
CHECKED(cudnnGraphVersionCheck)

API(cudnnCreate, blas_handle_t *h) { return h ? dnn_of(blas_handle_new(h)) : DNN_BAD_PARAM; }
API(cudnnDestroy, blas_handle_t h) { return dnn_of(blas_handle_delete(h)); }
API(cudnnSetStream, blas_handle_t h, CUstream stream) {
    if (!blas_is_handle(h)) return DNN_BAD_PARAM;
    h->stream = stream;
    return DNN_SUCCESS;
}
API(cudnnGetStream, blas_handle_t h, CUstream *stream) {
    if (!blas_is_handle(h) || !stream) return DNN_BAD_PARAM;
    *stream = h->stream;
    return DNN_SUCCESS;
}

// ---- descriptions -----------------------------------------------------------------------------------
// Each kind is a structure that begins as zeros.
#define DESCRIPTION(name, type)                                                                    \
    API(cudnnCreate##name##Descriptor, struct type **out) {                                        \
        if (!out) return DNN_BAD_PARAM;                                                            \
        *out = calloc(1, sizeof **out);                                                            \
        return *out ? DNN_SUCCESS : DNN_ALLOC_FAILED;                                              \
    }                                                                                              \
    API(cudnnDestroy##name##Descriptor, struct type *d) {                                          \
        free(d);                                                                                   \
        return DNN_SUCCESS;                                                                        \
    }
DESCRIPTION(Tensor, dnn_tensor)
DESCRIPTION(Filter, dnn_tensor)
DESCRIPTION(Convolution, convolution)
DESCRIPTION(Activation, activation)

static dnn_status check(struct dnn_tensor *t) {
    if (!dnn_type_bytes(t->type)) {
        const int type = t->type;
        t->rank = 0;
        return dnn_refuse("cudnnSetTensorNdDescriptor", "elements of type %d (cudnnDataType_t)",
                          type);
    }
    for (int i = 0; i < t->rank; i++)
        if (t->size[i] < 1) {
            t->rank = 0;
            return DNN_BAD_PARAM;
        }
    return DNN_SUCCESS;
}
static dnn_status set_packed(struct dnn_tensor *t, int type, int format, int rank,
                             const int *size) {
    if (!t || !size || rank < 1 || rank > DNN_AXES) return DNN_BAD_PARAM;
    if (format != DNN_NCHW && format != DNN_NHWC)
        return dnn_refuse("cudnnSetTensorNdDescriptorEx",
                          "tensors of format %d (cudnnTensorFormat_t)", format);
    *t = (struct dnn_tensor){.type = type, .format = format, .rank = rank};
    for (int i = 0; i < rank; i++) t->size[i] = size[i];
    dnn_pack(t);
    return check(t);
}
static dnn_status set_stepped(struct dnn_tensor *t, int type, int rank, const int *size,
                              const int *step) {
    if (!t || !size || !step || rank < 1 || rank > DNN_AXES) return DNN_BAD_PARAM;
    *t = (struct dnn_tensor){.type = type, .rank = rank};
    for (int i = 0; i < rank; i++) {
        t->size[i] = size[i];
        t->step[i] = step[i];
    }
    return check(t);
}
API(cudnnSetTensor4dDescriptor, struct dnn_tensor *t, int format, int type, int n, int c, int h,
    int w) {
    return set_packed(t, type, format, 4, (const int[]){n, c, h, w});
}
API(cudnnSetTensor4dDescriptorEx, struct dnn_tensor *t, int type, int n, int c, int h, int w,
    int step_n, int step_c, int step_h, int step_w) {
    return set_stepped(t, type, 4, (const int[]){n, c, h, w},
                       (const int[]){step_n, step_c, step_h, step_w});
}
API(cudnnSetTensorNdDescriptor, struct dnn_tensor *t, int type, int rank, const int *size,
    const int *step) {
    return set_stepped(t, type, rank, size, step);
}
API(cudnnSetTensorNdDescriptorEx, struct dnn_tensor *t, int format, int type, int rank,
    const int *size) {
    return set_packed(t, type, format, rank, size);
}
API(cudnnGetTensor4dDescriptor, const struct dnn_tensor *t, int *type, int *n, int *c, int *h,
    int *w, int *step_n, int *step_c, int *step_h, int *step_w) {
    if (!t || t->rank != 4) return DNN_BAD_PARAM;
    int *const size[] = {n, c, h, w}, *const step[] = {step_n, step_c, step_h, step_w};
    if (type) *type = t->type;
    for (int i = 0; i < 4; i++) {
        if (size[i]) *size[i] = (int)t->size[i];
        if (step[i]) *step[i] = (int)t->step[i];
    }
    return DNN_SUCCESS;
}
API(cudnnGetTensorNdDescriptor, const struct dnn_tensor *t, int wanted, int *type, int *rank,
    int *size, int *step) {
    if (!t || wanted < 0) return DNN_BAD_PARAM;
    if (type) *type = t->type;
    if (rank) *rank = t->rank;
    for (int i = 0; i < t->rank && i < wanted; i++) {
        if (size) size[i] = (int)t->size[i];
        if (step) step[i] = (int)t->step[i];
    }
    return DNN_SUCCESS;
}
API(cudnnGetTensorSizeInBytes, const struct dnn_tensor *t, size_t *bytes) {
    if (!t || !bytes) return DNN_BAD_PARAM;
    *bytes = dnn_bytes(t);
    return DNN_SUCCESS;
}
API(cudnnSetFilter4dDescriptor, struct dnn_tensor *t, int type, int format, int k, int c, int h,
    int w) {
    return set_packed(t, type, format, 4, (const int[]){k, c, h, w});
}
API(cudnnSetFilterNdDescriptor, struct dnn_tensor *t, int type, int format, int rank,
    const int *size) {
    return set_packed(t, type, format, rank, size);
}
API(cudnnGetFilter4dDescriptor, const struct dnn_tensor *t, int *type, int *format, int *k, int *c,
    int *h, int *w) {
    if (!t || t->rank != 4) return DNN_BAD_PARAM;
    int *const size[] = {k, c, h, w};
    if (type) *type = t->type;
    if (format) *format = t->format;
    for (int i = 0; i < 4; i++)
        if (size[i]) *size[i] = (int)t->size[i];
    return DNN_SUCCESS;
}
API(cudnnGetFilterNdDescriptor, const struct dnn_tensor *t, int wanted, int *type, int *format,
    int *rank, int *size) {
    if (!t || wanted < 0) return DNN_BAD_PARAM;
    if (type) *type = t->type;
    if (format) *format = t->format;
    if (rank) *rank = t->rank;
    for (int i = 0; i < t->rank && i < wanted; i++)
        if (size) size[i] = (int)t->size[i];
    return DNN_SUCCESS;
}
API(cudnnGetFilterSizeInBytes, const struct dnn_tensor *t, size_t *bytes) {
    return cudnnGetTensorSizeInBytes(t, bytes);
}

// ---- activations ------------------------------------------------------------------------------------
API(cudnnSetActivationDescriptor, struct activation *a, int mode, int nan, double bound) {
    (void)
        nan; // NaN stays NaN either way, as the vendor allows for the first and asks for the second
    if (!a || mode < 0 || mode > ACTIVATION_SWISH) return DNN_BAD_PARAM;
    *a = (struct activation){mode, bound, 1};
    return DNN_SUCCESS;
}
API(cudnnGetActivationDescriptor, const struct activation *a, int *mode, int *nan, double *bound) {
    if (!a) return DNN_BAD_PARAM;
    if (mode) *mode = a->mode;
    if (nan) *nan = 1;
    if (bound) *bound = a->bound;
    return DNN_SUCCESS;
}
API(cudnnSetActivationDescriptorSwishBeta, struct activation *a, double beta) {
    if (!a) return DNN_BAD_PARAM;
    a->swish_beta = beta;
    return DNN_SUCCESS;
}
API(cudnnGetActivationDescriptorSwishBeta, struct activation *a, double *beta) {
    if (!a || !beta) return DNN_BAD_PARAM;
    *beta = a->swish_beta;
    return DNN_SUCCESS;
}
void activation_point(const struct activation *a, bool is_back, struct point *p) {
    static const int forward[] = {POINT_SIGMOID, POINT_RELU,     POINT_TANH, POINT_RELU,
                                  POINT_ELU,     POINT_IDENTITY, POINT_SWISH},
                     back[] = {POINT_SIGMOID_BACK, POINT_RELU_BACK, POINT_TANH_BACK,
                               POINT_RELU_BACK,    POINT_ELU_BACK,  POINT_IDENTITY,
                               POINT_SWISH_BACK};
    p->mode = (is_back ? back : forward)[a->mode];
    p->low = 0;
    p->high = a->mode == ACTIVATION_CLIPPED ? a->bound : HUGE_VAL;
    p->slope = a->mode == ACTIVATION_ELU     ? a->bound
               : a->mode == ACTIVATION_SWISH ? a->swish_beta
                                             : 0;
}
