// Errors, the thread's context, and the table of what programs registered.
#include "cudart/cudart.h"

#include <pthread.h>
#include <stdarg.h>

#include "base/base.h"
#include "driver_private.h"

// ---- errors -------------------------------------------------------------------------------------
static _Thread_local cudaError_t last_error;

static bool is_sticky(cudaError_t e) {
    switch (e) {
    case cudaErrorIllegalAddress:
    case cudaErrorLaunchTimeout:
    case cudaErrorAssert:
    case cudaErrorHardwareStackError:
    case cudaErrorIllegalInstruction:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorLaunchFailure: return true;
    default: return false;
    }
}

cudaError_t cudart_error(cudaError_t e) {
    if (e != cudaSuccess && e != cudaErrorNotReady) last_error = e;
    return e;
}
cudaError_t cudart_done(CUresult r) { return cudart_error((cudaError_t)r); }

CUDART_API cudaError_t cudaGetLastError(void) {
    const cudaError_t e = last_error;
    if (!is_sticky(e)) last_error = cudaSuccess; // a broken context stays broken
    return e;
}
CUDART_API cudaError_t cudaPeekAtLastError(void) { return last_error; }

cudaError_t cudart_refuse_version(void) {
    const cudaError_t last = last_error, refused = cudart_refuse("a second version of the runtime");
    last_error = last;
    return refused;
}

static const struct {
    cudaError_t number;
    const char *name, *words;
} errors[] = {
#define X(name, number, words) {number, #name, words},
    CUDART_ERRORS(X)
#undef X
};

CUDART_API const char *cudaGetErrorName(cudaError_t e) {
    for (size_t i = 0; i < COUNT(errors); i++)
        if (errors[i].number == e) return errors[i].name;
    return "unrecognized error code";
}

CUDART_API const char *cudaGetErrorString(cudaError_t e) {
    for (size_t i = 0; i < COUNT(errors); i++)
        if (errors[i].number == e && errors[i].words) return errors[i].words;
    const char *words = NULL;
    return cuGetErrorString((CUresult)e, &words) == CUDA_SUCCESS && words
               ? words
               : "unrecognized error code";
}

void cudart_say(const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    fputs("warpwatt: ", stderr);
    vfprintf(stderr, fmt, ap);
    fputc('\n', stderr);
    va_end(ap);
}

// ---- the thread's context -----------------------------------------------------------------------
CUresult cudart_ready(void) {
    CUcontext c = NULL;
    CUresult r = cuCtxGetCurrent(&c);
    if (r == CUDA_SUCCESS && c) return CUDA_SUCCESS;
    if (r == CUDA_ERROR_NOT_INITIALIZED) r = cuInit(0);
    if (r == CUDA_SUCCESS) r = cuDevicePrimaryCtxRetain(&c, 0);
    if (r == CUDA_SUCCESS) r = cuCtxSetCurrent(c);
    return r;
}

// ---- the table ----------------------------------------------------------------------------------
static struct {
    pthread_mutex_t lock;
    struct arena arena;
    struct names functions, variables; // keys are host addresses
    VEC(struct cudart_function *) function;
    VEC(struct cudart_variable *) variable;
    struct cudart_unit *units;
    bool ready;
} table = {.lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP};

static CUresult function_of_handle(const void *handle, CUfunction *out);

static void lock(void) {
    pthread_mutex_lock(&table.lock);
    if (table.ready) return;
    arena_init(&table.arena, NULL);
    names_init(&table.functions, &table.arena);
    names_init(&table.variables, &table.arena);
    table.ready = true;
    const struct ww_driver_table *driver;
    if (cuGetExportTable((const void **)&driver, &WW_DRIVER_TABLE) == CUDA_SUCCESS)
        driver->kernels_of_runtime(function_of_handle);
}
static void unlock(void) { pthread_mutex_unlock(&table.lock); }

struct cudart_unit *cudart_unit_new(const void *wrapper) {
    lock();
    struct cudart_unit *u = arena_alloc(&table.arena, sizeof *u);
    *u = (struct cudart_unit){.wrapper = wrapper, .next = table.units};
    table.units = u;
    unlock();
    return u;
}

// At a library's end: its code is no longer there, but the program may still hold addresses.
void cudart_unit_remove(struct cudart_unit *u) {
    lock();
    u->gone = true;
    unlock();
}

void cudart_forget_modules(void) {
    lock();
    for (struct cudart_unit *u = table.units; u; u = u->next) u->tried = false, u->module = NULL;
    for (uint32_t i = 0; i < table.function.n; i++)
        if (table.function.at[i]->unit) table.function.at[i]->function = NULL;
    unlock();
}

void cudart_add_function(struct cudart_unit *u, const void *host, const char *name) {
    lock();
    struct cudart_function *f = arena_alloc(&table.arena, sizeof *f);
    *f =
        (struct cudart_function){.host = host, .name = arena_strdup(&table.arena, name), .unit = u};
    names_put(&table.functions, (const char *)&f->host, sizeof f->host, (int32_t)table.function.n);
    vec_push(&table.arena, &table.function, f);
    unlock();
}

struct cudart_function *cudart_function_of_library(CUfunction function) {
    lock();
    struct cudart_function *f = arena_alloc(&table.arena, sizeof *f);
    *f = (struct cudart_function){.name = "", .function = function};
    vec_push(&table.arena, &table.function, f);
    unlock();
    return f;
}

const void *cudart_handle_of(CUfunction function) {
    const void *handle = NULL;
    lock();
    for (uint32_t k = 0; k < table.function.n && !handle; k++)
        if (table.function.at[k]->function == function)
            handle = table.function.at[k]->host ? table.function.at[k]->host : table.function.at[k];
    unlock();
    return handle;
}

struct cudart_variable *cudart_add_variable(struct cudart_unit *u, const void *host,
                                            const char *name, size_t bytes) {
    lock();
    struct cudart_variable *v = arena_alloc(&table.arena, sizeof *v);
    *v = (struct cudart_variable){
        .host = host, .name = arena_strdup(&table.arena, name), .unit = u, .bytes = bytes};
    names_put(&table.variables, (const char *)&v->host, sizeof v->host, (int32_t)table.variable.n);
    vec_push(&table.arena, &table.variable, v);
    unlock();
    return v;
}

static CUresult load(struct cudart_unit *u) {
    if (u->gone) return CUDA_ERROR_DEINITIALIZED;
    if (u->tried) return u->status;
    u->tried = true;
    return u->status = cuModuleLoadData(&u->module, u->wrapper);
}

static struct cudart_function *find_handle(const void *handle) {
    for (uint32_t k = 0; k < table.function.n; k++)
        if (table.function.at[k] == handle) return table.function.at[k];
    return NULL;
}
static struct cudart_function *find_function(const void *host) {
    const int32_t i = names_get(&table.functions, (const char *)&host, sizeof host);
    return i >= 0 ? table.function.at[i] : find_handle(host); // a cudaKernel_t in place of it
}

cudaError_t cudart_kernel(const void *host, struct cudart_function **out) {
    lock();
    *out = find_function(host);
    unlock();
    return *out ? cudaSuccess : cudaErrorInvalidDeviceFunction;
}

cudaError_t cudart_function(const void *host, CUfunction *out) {
    const CUresult ready = cudart_ready();
    if (ready != CUDA_SUCCESS) return (cudaError_t)ready;
    lock();
    struct cudart_function *f = find_function(host);
    cudaError_t e = f ? cudaSuccess : cudaErrorInvalidDeviceFunction;
    if (f && !f->function) {
        CUresult r = load(f->unit);
        if (r == CUDA_SUCCESS) r = cuModuleGetFunction(&f->function, f->unit->module, f->name);
        e = r == CUDA_ERROR_NOT_FOUND ? cudaErrorInvalidDeviceFunction : (cudaError_t)r;
    }
    if (e == cudaSuccess) *out = f->function;
    unlock();
    if (!f && host && cuKernelGetFunction(out, (CUkernel)(uintptr_t)host) == CUDA_SUCCESS)
        return cudaSuccess;
    return e;
}

// For the driver, which is given a cudaKernel_t.
static CUresult function_of_handle(const void *handle, CUfunction *out) {
    lock();
    const bool is_ours = find_handle(handle) != NULL;
    unlock();
    return is_ours ? (CUresult)cudart_function(handle, out) : CUDA_ERROR_INVALID_HANDLE;
}

cudaError_t cudart_variable(const void *host, struct cudart_variable **out) {
    const CUresult ready = cudart_ready();
    if (ready != CUDA_SUCCESS) return (cudaError_t)ready;
    lock();
    const int32_t i = names_get(&table.variables, (const char *)&host, sizeof host);
    *out = i >= 0 ? table.variable.at[i] : NULL;
    // a managed variable's name stands for what its pointer points to
    for (uint32_t k = 0; !*out && host && k < table.variable.n; k++)
        if (table.variable.at[k]->managed && *table.variable.at[k]->managed == host)
            *out = table.variable.at[k];
    const cudaError_t e = *out ? (cudaError_t)load((*out)->unit) : cudaErrorInvalidSymbol;
    unlock();
    return e;
}

cudaError_t cudart_symbol(const void *host, CUdeviceptr *address, size_t *bytes) {
    struct cudart_variable *v;
    const cudaError_t e = cudart_variable(host, &v);
    if (e != cudaSuccess) return e;
    const CUresult r = cuModuleGetGlobal(address, bytes, v->unit->module, v->name);
    return r == CUDA_ERROR_NOT_FOUND ? cudaErrorInvalidSymbol : (cudaError_t)r;
}

CUresult cudart_load_managed(struct cudart_unit *u) {
    lock();
    CUresult r = CUDA_SUCCESS;
    for (uint32_t i = 0; i < table.variable.n && r == CUDA_SUCCESS; i++) {
        struct cudart_variable *v = table.variable.at[i];
        if (!v->managed || (u && v->unit != u)) continue;
        r = cudart_ready();
        if (r == CUDA_SUCCESS) r = load(v->unit);
        CUdeviceptr at = 0;
        if (r == CUDA_SUCCESS) r = cuModuleGetGlobal(&at, NULL, v->unit->module, v->name);
        if (r == CUDA_SUCCESS) *v->managed = (void *)(uintptr_t)at;
    }
    unlock();
    return r;
}
