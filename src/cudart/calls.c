// The runtime's exported calls, as a profiler may watch them (driver_watch.h).
#include "driver_watch.h"

#include "cudart/cudart.h"
#include "driver_private.h"

// Where the driver says who watches; the runtime is loaded after it.
static const struct ww_watcher *const *driver_watcher_at;
__attribute__((constructor)) static void find_watcher(void) {
    const void *table;
    if (cuGetExportTable(&table, &WW_DRIVER_TABLE) == CUDA_SUCCESS)
        driver_watcher_at = ((const struct ww_driver_table *)table)->watcher;
}
static const struct ww_watcher *watcher(void) {
    return driver_watcher_at ? __atomic_load_n(driver_watcher_at, __ATOMIC_ACQUIRE) : NULL;
}

static const char *kernel_name(const void *host) {
    CUfunction f;
    const char *name;
    return cudart_function(host, &f) == cudaSuccess && cuFuncGetName(&name, f) == CUDA_SUCCESS
               ? name
               : NULL;
}

#define WW_CALL_BEGINS(watcher, call) (watcher)->begins(call)
#define WW_CALL_ENDS(watcher, call)   (watcher)->ends(call)
#define LAUNCH(number, since, name, kernel, parameters, ...)                                       \
    WW_WATCHED(cudaError_t, WW_DOMAIN_RUNTIME, watcher(), kernel_name, number, name, kernel,       \
               parameters, __VA_ARGS__)
#define CALL(number, since, name, parameters, ...)                                                 \
    WW_WATCHED(cudaError_t, WW_DOMAIN_RUNTIME, watcher(), NULL, number, name, NULL, parameters,    \
               __VA_ARGS__)
#define CALL_0(number, since, name)                                                                \
    WW_WATCHED_0(cudaError_t, WW_DOMAIN_RUNTIME, watcher(), number, name)
#include "runtime_calls.def"
