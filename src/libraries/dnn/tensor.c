// Tensors as they are described, launches and element-wise kernels.
#include "dnn.h"

#include <stdarg.h>
#include <stdio.h>

size_t dnn_type_bytes(int type) {
    switch (type) {
    case DNN_FLOAT:
    case DNN_INT32: return 4;
    case DNN_DOUBLE: return 8;
    case DNN_HALF:
    case DNN_BFLOAT16: return 2;
    case DNN_INT8: return 1;
    default: return 0;
    }
}

void dnn_pack(struct dnn_tensor *t) {
    int64_t step = 1;
    const bool channels_last = t->format == DNN_NHWC && t->rank > 2;
    if (channels_last) {
        t->step[1] = 1;
        step = t->size[1];
    }
    for (int i = t->rank - 1; i >= 0; i--) {
        if (channels_last && i == 1) continue;
        t->step[i] = step;
        step *= t->size[i];
    }
}

int64_t dnn_elements(const struct dnn_tensor *t) {
    int64_t n = 1;
    for (int i = 0; i < t->rank; i++) n *= t->size[i];
    return n;
}

size_t dnn_bytes(const struct dnn_tensor *t) {
    int64_t last = 0;
    for (int i = 0; i < t->rank; i++) last += (t->size[i] - 1) * t->step[i];
    return (size_t)(last + 1) * dnn_type_bytes(t->type);
}

double dnn_factor(const struct dnn_tensor *t, const void *at) {
    return t->type == DNN_DOUBLE ? *(const double *)at : (double)*(const float *)at;
}

dnn_status dnn_of(blas_status s) {
    switch (s) {
    case CUBLAS_SUCCESS: return DNN_SUCCESS;
    case CUBLAS_NOT_INITIALIZED: return DNN_NOT_INITIALIZED;
    case CUBLAS_ALLOC_FAILED: return DNN_ALLOC_FAILED;
    case CUBLAS_INVALID_VALUE: return DNN_BAD_PARAM;
    case CUBLAS_NOT_SUPPORTED: return DNN_NOT_SUPPORTED;
    case CUBLAS_INTERNAL_ERROR: return DNN_INTERNAL_ERROR;
    default: return DNN_EXECUTION_FAILED;
    }
}

dnn_status dnn_refuse(const char *call, const char *format, ...) {
    char why[256];
    va_list list;
    va_start(list, format);
    vsnprintf(why, sizeof why, format, list);
    va_end(list);
    return dnn_of(blas_refuse(call, "%s", why));
}

static enum blas_module module_of(enum dnn_kernel_file file, int type) {
    static const enum blas_module modules[][4] = {
        [DNN_CONV] = {BLAS_ks, BLAS_kd, BLAS_kh, BLAS_kb},
        [DNN_LAYER] = {BLAS_ls, BLAS_ld, BLAS_lh, BLAS_lb},
        [DNN_RECURRENT] = {BLAS_rs, BLAS_rd, BLAS_rh, BLAS_rb},
        [DNN_CONV_TENSOR] = {BLAS_MODULES, BLAS_MODULES, BLAS_xh, BLAS_MODULES},
    };
    const int i = type == DNN_DOUBLE ? 1 : type == DNN_HALF ? 2 : type == DNN_BFLOAT16 ? 3 : 0;
    return modules[file][i];
}

dnn_status dnn_launch(struct blas_handle *h, enum dnn_kernel_file file, int type, const char *name,
                      const uint32_t grid[3], uint32_t threads, const void *params, size_t bytes) {
    CUfunction kernel;
    const blas_status s = blas_kernel(h, module_of(file, type), name, &kernel);
    return dnn_of(s ? s
                    : blas_launch(kernel, grid, threads ? threads : 256, params, bytes, h->stream));
}

uint32_t dnn_blocks(int64_t all) {
    const int64_t blocks = (all + 255) / 256;
    return (uint32_t)(blocks > 65535 ? 65535 : blocks < 1 ? 1 : blocks);
}

dnn_status dnn_points(struct blas_handle *h, const char *call, struct point *p,
                      const struct dnn_tensor *a, const struct dnn_tensor *b,
                      const struct dnn_tensor *y) {
    if (y->rank > LAYER_AXES)
        return dnn_refuse(call, "a tensor of %d axes (%d are here)", y->rank, LAYER_AXES);
    if (a->rank != y->rank || (b && b->rank != y->rank)) return DNN_BAD_PARAM;
    p->all = dnn_elements(y);
    for (int i = 0; i < LAYER_AXES; i++) {
        const int from = i - (LAYER_AXES - y->rank);
        p->size[i] = 1;
        p->step_a[i] = p->step_b[i] = p->step_y[i] = 0;
        if (from < 0) continue;
        if (y->size[from] > INT32_MAX)
            return dnn_refuse(call, "an axis of more than 2147483647 elements");
        p->size[i] = (int32_t)y->size[from];
        p->step_y[i] = y->step[from];
        if (a->size[from] != 1 && a->size[from] != y->size[from]) return DNN_BAD_PARAM;
        if (a->size[from] != 1) p->step_a[i] = a->step[from];
        if (!b) continue;
        if (b->size[from] != 1 && b->size[from] != y->size[from]) return DNN_BAD_PARAM;
        if (b->size[from] != 1) p->step_b[i] = b->step[from];
    }
    p->type_a = a->type;
    p->type_b = b ? b->type : a->type;
    p->type_y = y->type;
    const bool is_known =
        dnn_type_bytes(p->type_a) && dnn_type_bytes(p->type_b) && dnn_type_bytes(p->type_y);
    if (!is_known || p->type_y == DNN_INT8)
        return dnn_refuse(call, "elements of types %d, %d, %d (cudnnDataType_t)", p->type_a,
                          p->type_b, p->type_y);
    const int sum = p->type_a == DNN_DOUBLE || p->type_y == DNN_DOUBLE ? DNN_DOUBLE : DNN_FLOAT;
    if (!p->all) return DNN_SUCCESS;
    return dnn_launch(h, DNN_LAYER, sum, "points", (const uint32_t[3]){dnn_blocks(p->all), 1, 1}, 0,
                      p, sizeof *p);
}
