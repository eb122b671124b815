// Contexts, the lock, and the one CUDA context of the process behind them.
#include <stdlib.h>

#include "driver_private.h"
#include "opencl.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static CUcontext cuda;
static const struct ww_driver_table *driver;
static struct _cl_device_id device = {.o = {&ocl_dispatch, OCL_DEVICE, 1}};

int ocl_lock(void) {
    pthread_mutex_lock(&lock);
    CUcontext now = NULL;
    if (cuda && (cuCtxGetCurrent(&now) != CUDA_SUCCESS || now != cuda)) cuCtxSetCurrent(cuda);
    return 0;
}
void ocl_unlock(const int *unused) {
    (void)unused;
    pthread_mutex_unlock(&lock);
}
void ocl_wait(void) { pthread_cond_wait(&changed, &lock); }
void ocl_changed(void) { pthread_cond_broadcast(&changed); }

bool ocl_open(void) {
    if (cuda) return true;
    if (cuInit(0) != CUDA_SUCCESS || cuDevicePrimaryCtxRetain(&cuda, 0) != CUDA_SUCCESS)
        return false;
    cuCtxSetCurrent(cuda);
    cuGetExportTable((const void **)&driver, &WW_DRIVER_TABLE);
    cuDeviceGetName(device.name, sizeof device.name, 0);
    device.cc_major = ocl_attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
    device.cc_minor = ocl_attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
    return true;
}
cl_device_id ocl_device(void) { return &device; }
int ocl_cc(void) { return device.cc_major * 10 + device.cc_minor; }

int ocl_attribute(CUdevice_attribute attribute) {
    int value = 0;
    return cuDeviceGetAttribute(&value, attribute, 0) == CUDA_SUCCESS ? value : 0;
}
double ocl_now_s(void) { return driver ? driver->now_s() : 0; }
bool ocl_event_s(CUevent e, double *s) { return driver && driver->event_s(e, s); }
void ocl_say(const char *word, const char *sentence) {
    if (driver) driver->said(word, sentence);
}

// ---- objects ------------------------------------------------------------------------------------
void *ocl_new(enum ocl_kind kind, size_t bytes) {
    struct ocl_object *o = calloc(1, bytes);
    if (o) *o = (struct ocl_object){&ocl_dispatch, kind, 1};
    return o;
}
void ocl_retain(void *object) { ((struct ocl_object *)object)->references++; }

void ocl_release(void *object) {
    struct ocl_object *const o = object;
    if (!o || --o->references) return;
    switch (o->kind) {
    case OCL_CONTEXT: ocl_context_end(object); break;
    case OCL_QUEUE: ocl_queue_end(object); break;
    case OCL_MEMORY: ocl_memory_end(object); break;
    case OCL_SAMPLER: ocl_release(((cl_sampler)object)->context); break;
    case OCL_PROGRAM: ocl_program_end(object); break;
    case OCL_KERNEL: ocl_kernel_end(object); break;
    case OCL_EVENT: ocl_event_end(object); break;
    default: return; // the device and the platform stay
    }
    o->kind = OCL_DEAD;
    free(object);
}

struct ocl_ending *ocl_ending_new(struct ocl_ending *next, void (*function)(void *, void *),
                                  void *user) {
    struct ocl_ending *e = malloc(sizeof *e);
    if (e) *e = (struct ocl_ending){next, function, user};
    return e;
}
// The functions may call OpenCL: without the lock.
void ocl_endings_run(struct ocl_ending *e, void *object) {
    while (e) {
        struct ocl_ending *next = e->next;
        pthread_mutex_unlock(&lock);
        e->function(object, e->user);
        ocl_lock();
        free(e);
        e = next;
    }
}

cl_int ocl_error(CUresult r) {
    switch (r) {
    case CUDA_SUCCESS: return CL_SUCCESS;
    case CUDA_ERROR_OUT_OF_MEMORY: return CL_MEM_OBJECT_ALLOCATION_FAILURE;
    case CUDA_ERROR_INVALID_PTX:
    case CUDA_ERROR_NO_BINARY_FOR_GPU:
    case CUDA_ERROR_INVALID_IMAGE: return CL_INVALID_BINARY;
    case CUDA_ERROR_NOT_SUPPORTED: return CL_INVALID_OPERATION;
    default: return CL_OUT_OF_RESOURCES; // faults of kernels too
    }
}

cl_int ocl_answer(const void *value, size_t bytes, size_t room, void *out, size_t *needed) {
    if (out && room < bytes) return CL_INVALID_VALUE;
    if (out && bytes) memcpy(out, value, bytes);
    if (needed) *needed = bytes;
    return CL_SUCCESS;
}

// ---- contexts -----------------------------------------------------------------------------------
void ocl_context_end(cl_context c) {
    ocl_endings_run(c->endings, c);
    free(c->properties);
}

static cl_context make(const cl_context_properties *properties, cl_int *error) {
    size_t n = 0;
    for (const cl_context_properties *p = properties; p && *p; p += 2) {
        if (p[0] == CL_CONTEXT_PLATFORM ? (cl_platform_id)p[1] != ocl_platform()
                                        : p[0] != CL_CONTEXT_INTEROP_USER_SYNC)
            FAIL(p[0] == CL_CONTEXT_PLATFORM ? CL_INVALID_PLATFORM : CL_INVALID_PROPERTY);
        n += 2;
    }
    if (!ocl_open()) FAIL(CL_DEVICE_NOT_AVAILABLE);
    cl_context c = ocl_new(OCL_CONTEXT, sizeof *c);
    if (!c) FAIL(CL_OUT_OF_HOST_MEMORY);
    if (properties) {
        c->n_properties = n + 1;
        c->properties = malloc((n + 1) * sizeof *c->properties);
        if (!c->properties) {
            free(c);
            FAIL(CL_OUT_OF_HOST_MEMORY);
        }
        memcpy(c->properties, properties, (n + 1) * sizeof *properties);
    }
    if (error) *error = CL_SUCCESS;
    return c;
}

API(cl_context)
clCreateContext(const cl_context_properties *properties, cl_uint n, const cl_device_id *devices,
                void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *), void *user,
                cl_int *error) {
    if (!devices || !n || (!notify && user)) FAIL(CL_INVALID_VALUE);
    for (cl_uint i = 0; i < n; i++)
        if (devices[i] != &device) FAIL(CL_INVALID_DEVICE);
    LOCKED;
    return make(properties, error);
}

API(cl_context)
clCreateContextFromType(const cl_context_properties *properties, cl_device_type type,
                        void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *),
                        void *user, cl_int *error) {
    const cl_device_type known = CL_DEVICE_TYPE_DEFAULT | CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_GPU |
                                 CL_DEVICE_TYPE_ACCELERATOR | CL_DEVICE_TYPE_CUSTOM;
    if (!notify && user) FAIL(CL_INVALID_VALUE);
    if (!type || (type != CL_DEVICE_TYPE_ALL && type & ~known)) FAIL(CL_INVALID_DEVICE_TYPE);
    if (!(type & (CL_DEVICE_TYPE_GPU | CL_DEVICE_TYPE_DEFAULT))) FAIL(CL_DEVICE_NOT_FOUND);
    LOCKED;
    return make(properties, error);
}

API(cl_int) clRetainContext(cl_context c) {
    if (!OCL_IS(c, OCL_CONTEXT)) return CL_INVALID_CONTEXT;
    LOCKED;
    ocl_retain(c);
    return CL_SUCCESS;
}
API(cl_int) clReleaseContext(cl_context c) {
    if (!OCL_IS(c, OCL_CONTEXT)) return CL_INVALID_CONTEXT;
    LOCKED;
    ocl_release(c);
    return CL_SUCCESS;
}

API(cl_int)
clGetContextInfo(cl_context c, cl_context_info what, size_t room, void *out, size_t *needed) {
    if (!OCL_IS(c, OCL_CONTEXT)) return CL_INVALID_CONTEXT;
    switch (what) {
    case CL_CONTEXT_REFERENCE_COUNT: ANSWER(c->o.references);
    case CL_CONTEXT_NUM_DEVICES: ANSWER_AS(cl_uint, 1);
    case CL_CONTEXT_DEVICES: ANSWER_AS(cl_device_id, &device);
    case CL_CONTEXT_PROPERTIES:
        return ocl_answer(c->properties, c->n_properties * sizeof *c->properties, room, out,
                          needed);
    default: return CL_INVALID_VALUE;
    }
}

API(cl_int)
clSetContextDestructorCallback(cl_context c, void(CL_CALLBACK *function)(cl_context, void *),
                               void *user) {
    if (!OCL_IS(c, OCL_CONTEXT)) return CL_INVALID_CONTEXT;
    if (!function) return CL_INVALID_VALUE;
    LOCKED;
    struct ocl_ending *e = ocl_ending_new(c->endings, (void (*)(void *, void *))function, user);
    if (!e) return CL_OUT_OF_HOST_MEMORY;
    c->endings = e;
    return CL_SUCCESS;
}
