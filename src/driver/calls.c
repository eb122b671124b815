// The driver's exported calls, as a profiler may watch them (driver_watch.h). What a call made is told of between its work and its
// end, what it ends or waits for around its work, since the watcher may call the driver.
#include "driver_watch.h"

#include "driver/driver.h"
#include "driver/watch.h"

#include <stdlib.h>
#include <string.h>

// First versions, whose names the header's macros have.
#undef cuGetProcAddress
#undef cuGraphAddDependencies
#undef cuGraphAddKernelNode
#undef cuGraphAddNode
#undef cuGraphExecKernelNodeSetParams
#undef cuGraphExecUpdate
#undef cuGraphGetEdges
#undef cuGraphInstantiate
#undef cuGraphKernelNodeGetParams
#undef cuGraphKernelNodeSetParams
#undef cuGraphNodeGetDependencies
#undef cuGraphNodeGetDependentNodes
#undef cuGraphRemoveDependencies
#undef cuStreamGetCaptureInfo
#undef cuStreamUpdateCaptureDependencies

const struct ww_watcher *driver_watcher;

static const struct ww_watcher *watcher(void) {
    return __atomic_load_n(&driver_watcher, __ATOMIC_ACQUIRE);
}

// ---- what calls make ----------------------------------------------------------------------------
static _Thread_local struct {
    struct ww_event *event;
    uint32_t n, room;
} made;

static void keep(struct ww_event e) {
    if (!watcher()) return;
    if (made.n == made.room) {
        const uint32_t room = made.room ? 2 * made.room : 16;
        void *const more = realloc(made.event, room * sizeof *made.event);
        if (!more) return; // it is not told
        made.event = more, made.room = room;
    }
    e.domain = WW_DOMAIN_RESOURCE;
    if (!e.context) e.context = driver_current();
    made.event[made.n++] = e;
}
static void forget(void) {
    free(made.event);
    made.event = NULL, made.n = made.room = 0;
}
void driver_made(enum ww_resource what, const void *handle) {
    keep((struct ww_event){.number = what,
                           .handle = handle,
                           .context = what == WW_CONTEXT_MADE ? handle : NULL});
}
void driver_made_module(const void *module, const void *code, size_t bytes) {
    keep((struct ww_event){
        .number = WW_MODULE_MADE, .handle = module, .code = code, .code_bytes = bytes});
}
void driver_made_node(const void *node, const void *original, const void *graph, int type) {
    keep((struct ww_event){.number = original ? WW_NODE_COPIED : WW_NODE_MADE,
                           .handle = node,
                           .original = original,
                           .graph = graph,
                           .node_type = type});
}

// ---- what calls end or wait for -----------------------------------------------------------------
// Told of before the work or after it. The handle is the call's first argument; of cuCtxSynchronize the current context, of
// cuLibraryUnload the library's module.
enum { LIBRARY_UNLOAD = 680 };
static const struct around {
    uint32_t call, domain, number;
    bool is_after;
} around[] = {
    {1, WW_DOMAIN_RESOURCE, WW_DRIVER_READY, true},       // cuInit
    {22, WW_DOMAIN_RESOURCE, WW_MODULE_GOES, false},      // cuModuleUnload
    {LIBRARY_UNLOAD, WW_DOMAIN_RESOURCE, WW_MODULE_GOES, false},
    {322, WW_DOMAIN_RESOURCE, WW_CONTEXT_GOES, false},    // cuCtxDestroy_v2
    {326, WW_DOMAIN_RESOURCE, WW_STREAM_GOES, false},     // cuStreamDestroy_v2
    {516, WW_DOMAIN_RESOURCE, WW_EXEC_GOES, false},       // cuGraphExecDestroy
    {517, WW_DOMAIN_RESOURCE, WW_GRAPH_GOES, false},      // cuGraphDestroy
    {522, WW_DOMAIN_RESOURCE, WW_NODE_GOES, false},       // cuGraphDestroyNode
    {126, WW_DOMAIN_SYNCHRONIZE, WW_STREAM_WAITED, true}, // cuStreamSynchronize
    {440, WW_DOMAIN_SYNCHRONIZE, WW_STREAM_WAITED, true}, // cuStreamSynchronize_ptsz
    {17, WW_DOMAIN_SYNCHRONIZE, WW_CONTEXT_WAITED, true}, // cuCtxSynchronize
    {800, WW_DOMAIN_SYNCHRONIZE, WW_CONTEXT_WAITED, true} // cuCtxSynchronize_v2
};

CUresult within_cuLibraryGetModule(CUmodule *out, CUlibrary library);
static const void *module_of(const void *library) {
    CUmodule m;
    const CUlibrary l = (CUlibrary)(uintptr_t)library;
    return within_cuLibraryGetModule(&m, l) == CUDA_SUCCESS ? m : NULL;
}

static void tell(const struct ww_watcher *w, const struct ww_call *c, bool is_after) {
    for (size_t i = 0; i < WW_COUNT(around); i++) {
        const struct around *const a = &around[i];
        if (a->call != c->number || a->is_after != is_after) continue;
        struct ww_event e = {.domain = a->domain, .number = a->number, .context = driver_current()};
        if (c->parameters && a->number != WW_DRIVER_READY)
            memcpy(&e.handle, c->parameters, sizeof e.handle);
        if (a->call == LIBRARY_UNLOAD && !(e.handle = module_of(e.handle))) continue;
        const bool is_context = a->domain == WW_DOMAIN_RESOURCE ? a->number == WW_CONTEXT_GOES
                                                                : a->number == WW_CONTEXT_WAITED;
        if (is_context && e.handle) e.context = e.handle;
        w->event(&e);
    }
}

static void begins(const struct ww_watcher *w, struct ww_call *c) {
    if (made.n) forget(); // of a call that began before anyone watched
    w->begins(c);
    tell(w, c, false);
}
static void ends(const struct ww_watcher *w, struct ww_call *c) {
    for (uint32_t i = 0; i < made.n; i++) w->event(&made.event[i]);
    if (made.n) forget();
    if (*(const CUresult *)c->result == CUDA_SUCCESS) tell(w, c, true);
    w->ends(c);
}

CUresult within_cuFuncGetName(const char **name, CUfunction f);
static const char *kernel_name(const void *kernel) {
    const char *name;
    return within_cuFuncGetName(&name, (CUfunction)(uintptr_t)kernel) == CUDA_SUCCESS ? name : NULL;
}

// ---- the calls ----------------------------------------------------------------------------------
#define WW_CALL_BEGINS begins
#define WW_CALL_ENDS   ends
#define LAUNCH(number, name, kernel, parameters, ...)                                              \
    WW_WATCHED(CUresult, WW_DOMAIN_DRIVER, watcher(), kernel_name, number, name, kernel,           \
               parameters, __VA_ARGS__)
#define CALL(number, name, parameters, ...)                                                        \
    WW_WATCHED(CUresult, WW_DOMAIN_DRIVER, watcher(), NULL, number, name, NULL, parameters,        \
               __VA_ARGS__)
#define CALL_0(number, name) WW_WATCHED_0(CUresult, WW_DOMAIN_DRIVER, watcher(), number, name)
#include "driver_calls.def"
