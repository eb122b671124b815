// cuFFT of our own: entry points by the vendor's documented interface (cuFFT 10, 11 and 12). A handle is a number: the table of
// plans behind it is this library's one singleton.
#include "transform.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static struct {
    pthread_mutex_t lock;
    struct fft_plan **plan; // by handle; NULL: none
    int count;
    // Kernels of one context, which all plans made in it share: loading them takes longer than most transforms.
    struct blas_handle *device;
    int sharing; // plans that use it; the last one's end is its own
} plans = {.lock = PTHREAD_MUTEX_INITIALIZER};

static struct fft_plan *plan_of(int handle) {
    pthread_mutex_lock(&plans.lock);
    struct fft_plan *const p = handle >= 1 && handle <= plans.count ? plans.plan[handle - 1] : NULL;
    pthread_mutex_unlock(&plans.lock);
    return p;
}

// The kernels of the calling thread's context; a context beside the first one has its own for each plan.
static blas_status take_device(struct blas_handle **out) {
    CUcontext context = NULL;
    cuCtxGetCurrent(&context);
    pthread_mutex_lock(&plans.lock);
    blas_status s = CUBLAS_SUCCESS;
    const bool is_shared = !plans.device || plans.device->context == context;
    if (is_shared && plans.device) {
        *out = plans.device;
    } else {
        s = blas_handle_new(out);
        if (!s && is_shared) plans.device = *out;
    }
    if (!s && is_shared) plans.sharing++;
    pthread_mutex_unlock(&plans.lock);
    return s;
}
static void give_device_back(struct blas_handle *device) {
    pthread_mutex_lock(&plans.lock);
    const bool is_last = device != plans.device || --plans.sharing == 0;
    if (is_last && device == plans.device) plans.device = NULL;
    pthread_mutex_unlock(&plans.lock);
    if (is_last) blas_handle_delete(device);
}

BLAS_API int cufftCreate(int *handle);
int cufftCreate(int *handle) {
    if (!handle) return FFT_INVALID_VALUE;
    struct fft_plan *const p = calloc(1, sizeof *p);
    if (!p) return FFT_ALLOC_FAILED;
    if (take_device(&p->device)) {
        free(p);
        return FFT_SETUP_FAILED;
    }
    pthread_mutex_lock(&plans.lock);
    int i = 0;
    while (i < plans.count && plans.plan[i]) i++;
    bool has_room = true;
    if (i == plans.count) {
        struct fft_plan **const more = realloc(plans.plan, (size_t)(i + 1) * sizeof *more);
        if (more) {
            plans.plan = more;
            plans.count++;
        } else {
            has_room = false;
        }
    }
    if (has_room) plans.plan[i] = p;
    pthread_mutex_unlock(&plans.lock);
    if (!has_room) {
        give_device_back(p->device);
        free(p);
        return FFT_ALLOC_FAILED;
    }
    *handle = i + 1;
    return FFT_SUCCESS;
}
BLAS_API int cufftDestroy(int handle);
int cufftDestroy(int handle) {
    struct fft_plan *const p = plan_of(handle);
    if (!p) return FFT_INVALID_PLAN;
    pthread_mutex_lock(&plans.lock);
    plans.plan[handle - 1] = NULL;
    pthread_mutex_unlock(&plans.lock);
    cuStreamSynchronize(p->stream); // a step may still read the tables
    fft_plan_forget(p);
    give_device_back(p->device);
    free(p);
    return FFT_SUCCESS;
}

// ---- plans ------------------------------------------------------------------------------------------
struct wanted {
    int rank;
    const long long *n, *in_embed, *out_embed; // embed NULL: rows one after another
    long long in_stride, in_distance, out_stride, out_distance, batch;
    int type;       // cufftType
    uint32_t width; // enum fourier_width
};
static bool is_type(int type) {
    const int kind = type & ~FFT_DOUBLE;
    return kind == FFT_C2C || kind == FFT_R2C || kind == FFT_C2R;
}
static fft_status describe(struct fft_plan *p, const struct wanted *w) {
    if (!is_type(w->type)) return FFT_INVALID_TYPE;
    if (w->rank < 1 || w->rank > 3 || !w->n || w->batch < 1)
        return w->batch < 1 ? FFT_INVALID_SIZE : FFT_INVALID_VALUE;
    if (!w->in_embed != !w->out_embed) return FFT_INVALID_VALUE;
    p->kind = (enum fft_kind)(w->type & ~FFT_DOUBLE);
    p->is_double = w->type & FFT_DOUBLE;
    p->width = w->width;
    p->rank = w->rank;
    p->batch = w->batch;
    p->is_basic = !w->in_embed;
    for (int i = 0; i < 3; i++) {
        const int from = i - (3 - w->rank);
        p->n[i] = from < 0 ? 1 : w->n[from];
        // a convolution of 2^28 elements is as long as an index of the kernels reaches
        if (p->n[i] < 1 || p->n[i] > 1 << 27) return FFT_INVALID_SIZE;
        p->in_embed[i] = from < 0 || p->is_basic ? 1 : w->in_embed[from];
        p->out_embed[i] = from < 0 || p->is_basic ? 1 : w->out_embed[from];
    }
    p->in_stride = w->in_stride;
    p->in_distance = w->in_distance;
    p->out_stride = w->out_stride;
    p->out_distance = w->out_distance;
    if (!p->is_basic && (w->in_stride < 1 || w->out_stride < 1)) return FFT_INVALID_VALUE;
    return FFT_SUCCESS;
}
static fft_status make(int handle, const struct wanted *w, size_t *bytes) {
    struct fft_plan *const p = plan_of(handle);
    if (!p || p->is_made) return FFT_INVALID_PLAN;
    fft_status s = describe(p, w);
    if (!s) s = fft_plan_make(p);
    if (!s && bytes) *bytes = p->work_bytes;
    return s;
}
static fft_status estimate(const struct wanted *w, size_t *bytes) {
    struct fft_plan p = {0};
    const fft_status s = describe(&p, w);
    if (!bytes) return FFT_INVALID_VALUE;
    if (!s) *bytes = fft_work_bytes(&p);
    return s;
}
static fft_status create(int *handle, const struct wanted *w) {
    fft_status s = (fft_status)cufftCreate(handle);
    if (s) return s;
    s = make(*handle, w, NULL);
    if (s) cufftDestroy(*handle);
    return s;
}

// The calls of one shape of arguments: cufftPlanX, cufftMakePlanX, cufftGetSizeX, cufftEstimateX.
#define CALLS(X, WANTED, ...)                                                                      \
    BLAS_API int cufftPlan##X(int *handle, __VA_ARGS__);                                           \
    int cufftPlan##X(int *handle, __VA_ARGS__) {                                                   \
        WANTED;                                                                                    \
        return (int)create(handle, &w);                                                            \
    }                                                                                              \
    BLAS_API int cufftMakePlan##X(int handle, __VA_ARGS__, size_t *bytes);                         \
    int cufftMakePlan##X(int handle, __VA_ARGS__, size_t *bytes) {                                 \
        WANTED;                                                                                    \
        return (int)make(handle, &w, bytes);                                                       \
    }                                                                                              \
    BLAS_API int cufftGetSize##X(int handle, __VA_ARGS__, size_t *bytes);                          \
    int cufftGetSize##X(int handle, __VA_ARGS__, size_t *bytes) {                                  \
        WANTED;                                                                                    \
        return plan_of(handle) ? (int)estimate(&w, bytes) : FFT_INVALID_PLAN;                      \
    }                                                                                              \
    BLAS_API int cufftEstimate##X(__VA_ARGS__, size_t *bytes);                                     \
    int cufftEstimate##X(__VA_ARGS__, size_t *bytes) {                                             \
        WANTED;                                                                                    \
        return (int)estimate(&w, bytes);                                                           \
    }
#define LENGTHS(count, ...)                                                                        \
    const long long n[] = {__VA_ARGS__};                                                           \
    const struct wanted w = {.rank = sizeof n / sizeof *n, .n = n, .batch = (count), .type = type}
CALLS(1d, LENGTHS(batch, nx), int nx, int type, int batch)
CALLS(2d, LENGTHS(1, nx, ny), int nx, int ny, int type)
CALLS(3d, LENGTHS(1, nx, ny, nz), int nx, int ny, int nz, int type)

// int lists as long ones; NULL stays NULL.
static const long long *widen(long long to[3], int rank, const int *from) {
    if (!from) return NULL;
    for (int i = 0; i < rank && i < 3; i++) to[i] = from[i];
    return to;
}
#define MANY                                                                                       \
    long long lists[3][3];                                                                         \
    const struct wanted w = {rank,                                                                 \
                             widen(lists[0], rank, n),                                             \
                             widen(lists[1], rank, in_embed),                                      \
                             widen(lists[2], rank, out_embed),                                     \
                             in_stride,                                                            \
                             in_distance,                                                          \
                             out_stride,                                                           \
                             out_distance,                                                         \
                             batch,                                                                \
                             type,                                                                 \
                             FOURIER_OWN}
CALLS(Many, MANY, int rank, const int *n, const int *in_embed, int in_stride, int in_distance,
      const int *out_embed, int out_stride, int out_distance, int type, int batch)

#define MANY_64                                                                                    \
    {                                                                                              \
        rank, n, in_embed, out_embed, in_stride, in_distance, out_stride, out_distance, batch,     \
            type, FOURIER_OWN                                                                      \
    }
#define MANY_64_ARGUMENTS                                                                          \
    int rank, const long long *n, const long long *in_embed, long long in_stride,                  \
        long long in_distance, const long long *out_embed, long long out_stride,                   \
        long long out_distance, int type, long long batch, size_t *bytes
BLAS_API int cufftMakePlanMany64(int handle, MANY_64_ARGUMENTS);
int cufftMakePlanMany64(int handle, MANY_64_ARGUMENTS) {
    const struct wanted w = MANY_64;
    return (int)make(handle, &w, bytes);
}
BLAS_API int cufftGetSizeMany64(int handle, MANY_64_ARGUMENTS);
int cufftGetSizeMany64(int handle, MANY_64_ARGUMENTS) {
    const struct wanted w = MANY_64;
    return plan_of(handle) ? (int)estimate(&w, bytes) : FFT_INVALID_PLAN;
}

// The types of cufftXt calls (cudaDataType) as a cufftType; 0: none that is here.
enum { TYPE_C_16F = 6, TYPE_C_16BF = 15 };
static const struct {
    int real, complex, kind;
    uint32_t width;
} widths[] = {{TYPE_R_32F, TYPE_C_32F, 0, FOURIER_OWN},
              {TYPE_R_64F, TYPE_C_64F, FFT_DOUBLE, FOURIER_OWN},
              {TYPE_R_16F, TYPE_C_16F, 0, FOURIER_F16},
              {TYPE_R_16BF, TYPE_C_16BF, 0, FOURIER_BF16}};
static int type_of(int in, int out, int execution, uint32_t *width) {
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
        const int real = widths[i].real, complex = widths[i].complex;
        if (execution != complex) continue;
        *width = widths[i].width;
        if (in == complex && out == complex) return FFT_C2C | widths[i].kind;
        if (in == real && out == complex) return FFT_R2C | widths[i].kind;
        if (in == complex && out == real) return FFT_C2R | widths[i].kind;
    }
    return 0;
}
#define XT_ARGUMENTS                                                                               \
    int rank, const long long *n, const long long *in_embed, long long in_stride,                  \
        long long in_distance, int in_type, const long long *out_embed, long long out_stride,      \
        long long out_distance, int out_type, long long batch, size_t *bytes, int execution_type
static fft_status refuse_types(const char *call, int in, int out, int execution) {
    blas_refuse(call,
                "no transform of type %d into type %d computed in type %d is here (cudaDataType)",
                in, out, execution);
    return FFT_NOT_SUPPORTED;
}
BLAS_API int cufftXtMakePlanMany(int handle, XT_ARGUMENTS);
int cufftXtMakePlanMany(int handle, XT_ARGUMENTS) {
    uint32_t width = FOURIER_OWN;
    const int type = type_of(in_type, out_type, execution_type, &width);
    struct wanted w = MANY_64;
    w.width = width;
    return (int)(type ? make(handle, &w, bytes)
                      : refuse_types("cufftXtMakePlanMany", in_type, out_type, execution_type));
}
BLAS_API int cufftXtGetSizeMany(int handle, XT_ARGUMENTS);
int cufftXtGetSizeMany(int handle, XT_ARGUMENTS) {
    uint32_t width = FOURIER_OWN;
    const int type = type_of(in_type, out_type, execution_type, &width);
    struct wanted w = MANY_64;
    w.width = width;
    if (!plan_of(handle)) return FFT_INVALID_PLAN;
    return (int)(type ? estimate(&w, bytes)
                      : refuse_types("cufftXtGetSizeMany", in_type, out_type, execution_type));
}

// ---- settings ---------------------------------------------------------------------------------------
BLAS_API int cufftGetSize(int handle, size_t *bytes);
int cufftGetSize(int handle, size_t *bytes) {
    const struct fft_plan *const p = plan_of(handle);
    if (!p || !p->is_made) return FFT_INVALID_PLAN;
    if (!bytes) return FFT_INVALID_VALUE;
    *bytes = p->work_bytes;
    return FFT_SUCCESS;
}
BLAS_API int cufftSetAutoAllocation(int handle, int is_automatic);
int cufftSetAutoAllocation(int handle, int is_automatic) {
    struct fft_plan *const p = plan_of(handle);
    if (!p || p->is_made) return FFT_INVALID_PLAN;
    p->keeps_area = !is_automatic;
    return FFT_SUCCESS;
}
BLAS_API int cufftSetWorkArea(int handle, CUdeviceptr area);
int cufftSetWorkArea(int handle, CUdeviceptr area) {
    struct fft_plan *const p = plan_of(handle);
    if (!p || !p->is_made) return FFT_INVALID_PLAN;
    if (p->own_work) {
        cuStreamSynchronize(p->stream);
        cuMemFree_v2(p->own_work);
        p->own_work = 0;
    }
    p->work = area;
    return FFT_SUCCESS;
}
BLAS_API int cufftSetStream(int handle, CUstream stream);
int cufftSetStream(int handle, CUstream stream) {
    struct fft_plan *const p = plan_of(handle);
    if (!p) return FFT_INVALID_PLAN;
    p->stream = stream;
    return FFT_SUCCESS;
}
// 1,000 for a major version, 100 for a minor one.
static const int version[3] = {LIBRARY_MAJOR, LIBRARY_MINOR, 0};
BLAS_API int cufftGetVersion(int *out);
int cufftGetVersion(int *out) {
    if (!out) return FFT_INVALID_VALUE;
    *out = version[0] * 1000 + version[1] * 100 + version[2];
    return FFT_SUCCESS;
}
BLAS_API int cufftGetProperty(int which, int *out);
int cufftGetProperty(int which, int *out) {
    if (which < 0 || which > 2 || !out) return FFT_INVALID_VALUE;
    *out = version[which];
    return FFT_SUCCESS;
}

// ---- execution --------------------------------------------------------------------------------------
static fft_status run(int handle, int type, CUdeviceptr in, CUdeviceptr out, int direction) {
    struct fft_plan *const p = plan_of(handle);
    if (!p || !p->is_made) return FFT_INVALID_PLAN;
    const int own = (int)p->kind | (p->is_double ? FFT_DOUBLE : 0);
    if (type && type != own) return FFT_INVALID_PLAN;
    if (!in || !out || (direction != -1 && direction != 1)) return FFT_INVALID_VALUE;
    return fft_run(p, in, out, p->kind == FFT_C2R || (p->kind == FFT_C2C && direction == 1));
}
#define EXEC(X, type)                                                                              \
    BLAS_API int cufftExec##X(int handle, CUdeviceptr in, CUdeviceptr out, int direction);         \
    int cufftExec##X(int handle, CUdeviceptr in, CUdeviceptr out, int direction) {                 \
        return (int)run(handle, type, in, out, direction);                                         \
    }
#define EXEC_REAL(X, type, direction)                                                              \
    BLAS_API int cufftExec##X(int handle, CUdeviceptr in, CUdeviceptr out);                        \
    int cufftExec##X(int handle, CUdeviceptr in, CUdeviceptr out) {                                \
        return (int)run(handle, type, in, out, direction);                                         \
    }
EXEC(C2C, FFT_C2C)
EXEC(Z2Z, FFT_C2C | FFT_DOUBLE)
EXEC_REAL(R2C, FFT_R2C, -1)
EXEC_REAL(D2Z, FFT_R2C | FFT_DOUBLE, -1)
EXEC_REAL(C2R, FFT_C2R, 1)
EXEC_REAL(Z2D, FFT_C2R | FFT_DOUBLE, 1)
BLAS_API int cufftXtExec(int handle, CUdeviceptr in, CUdeviceptr out, int direction);
int cufftXtExec(int handle, CUdeviceptr in, CUdeviceptr out, int direction) {
    const struct fft_plan *const p = plan_of(handle);
    const bool is_real = p && p->kind != FFT_C2C; // the kind has its direction
    return (int)run(handle, 0, in, out, is_real ? -1 : direction);
}
