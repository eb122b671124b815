// libcuda.so.1: the CUDA driver API over gpu.h. One process, one simulated GPU.
//
//   driver.c      the singleton: which calls may enter, what statuses mean
//   handle.c      which handles are alive, and whose
//   context.c, device.c, memory.c, virtual.c, copy.c, pool.c, array.c, texture.c, surface.c, module.c,
//   library.c, launch.c, stream.c: the calls, by chapter
//   capture.c, graph.c, graph_node.c, graph_memory.c, graph_detail.c: streams that record what they
//                 are given, and graphs (graph.h)
//   pump.c        moves the GPU while host functions are queued and nobody waits
//   per_thread.c  names whose default stream is the calling thread's
//   symbols.c     cuGetProcAddress, by symbols.def
//   unsupported.c the names that answer CUDA_ERROR_NOT_SUPPORTED, by unsupported.def
//
// What the process keeps beside the API (the GPU, options, record, signals, forks) is in the room
// `process`. Every entry takes its lock, so any number of host threads may call; simulated time
// does not depend on how they interleave as long as the program itself orders its work.
#ifndef WW_DRIVER_H
#define WW_DRIVER_H

#pragma GCC visibility push(default)
#include "cuda.h"
#pragma GCC visibility pop

#include "exec/devmem.h"
#include "gpu/gpu.h"
#include "process/process.h"

// What cuDriverGetVersion answers: the newest interface that symbols.def has. A runtime refuses a
// driver older than itself.
enum { DRIVER_VERSION = 13000 };

// ---- handles (handle.c) ---------------------------------------------------------------------
// What the API hands out is looked up here before anything is read through it, so a stale or
// foreign handle is an error code and not a crash. Each belongs to the context that was current
// when it was made, and dies with it; a context's things are released in the order of this list.
#define DRIVER_TAGS(X)                                                                             \
    X(TAG_GRAPH_EXEC, driver_release_nothing) /* graphs belong to no context */                    \
    X(TAG_GRAPH_NODE, driver_release_nothing)                                                      \
    X(TAG_USER_OBJECT, driver_release_nothing)                                                     \
    X(TAG_GRAPH, driver_release_nothing)                                                           \
    X(TAG_TEXTURE_OBJECT, driver_release_texture_object)                                           \
    X(TAG_SURFACE_OBJECT, driver_release_surface_object)                                           \
    X(TAG_EVENT, driver_release_event)                                                             \
    X(TAG_STREAM, driver_release_stream)                                                           \
    X(TAG_LINK, driver_release_link)                                                               \
    X(TAG_LIBRARY, driver_release_library)                                                         \
    X(TAG_MODULE, driver_release_module)                                                           \
    X(TAG_FUNCTION, driver_release_nothing) /* their module's */                                   \
    X(TAG_KERNEL, driver_release_nothing)   /* their library's */                                  \
    X(TAG_TEXREF, driver_release_texref)                                                           \
    X(TAG_SURFREF, driver_release_surfref)                                                         \
    X(TAG_MIPMAP, driver_release_mipmap)                                                           \
    X(TAG_ARRAY, driver_release_array)                                                             \
    X(TAG_POOL, driver_release_pool)                                                               \
    X(TAG_MEMORY, driver_release_memory) /* key: device address */                                 \
    X(TAG_HOST, driver_release_host)     /* key: host address */                                   \
    X(TAG_CONTEXT, driver_release_nothing)

enum driver_tag {
#define X(tag, release) tag,
    DRIVER_TAGS(X)
#undef X
        TAG_N
};
#define X(tag, release) void release(uint64_t key);
DRIVER_TAGS(X)
#undef X

bool driver_handle_add(enum driver_tag tag, uint64_t key); // false: host memory is out
bool driver_handle_live(enum driver_tag tag, uint64_t key);
bool driver_handle_remove(enum driver_tag tag, uint64_t key);     // false: was not there
CUcontext driver_handle_owner(enum driver_tag tag, uint64_t key); // NULL: not there
// Releases all that a context owns.
void driver_handle_release_all(CUcontext owner);
#define DRIVER_KEY(pointer)     ((uint64_t)(uintptr_t)(pointer))
#define DRIVER_IS(tag, pointer) ((pointer) && driver_handle_live(tag, DRIVER_KEY(pointer)))

// ---- what the opaque pointers point to ------------------------------------------------------
struct CUctx_st {
    uint32_t flags;
    bool is_primary;
    uint64_t id;
    size_t limit[CU_LIMIT_MAX];
    bool sets_aside; // it has set how much of L2 may go last
    CUfunc_cache cache;
    CUsharedconfig banks;
    uint32_t references; // of cuCtxAttach
};
struct CUmod_st {
    struct gpu_module *module;
    struct CUfunc_st *functions; // those that were asked for
    struct CUtexref_st *texrefs;
    struct CUsurfref_st *surfrefs;
};
// What a program has set of a kernel.
struct driver_wishes {
    bool has_asked; // for `max_dynamic` bytes of dynamic shared memory at most
    uint32_t max_dynamic;
    bool has_carve_out; // preferred, percent of the largest; -1: none
    int carve_out;
    bool has_non_portable, non_portable; // clusters of sizes that not every GPU takes
    bool has_policy;
    int policy; // of placing clusters: a preference
};
// The shape of clusters and what else a launch may have beside its grid and blocks.
struct driver_shape {
    uint32_t cluster[3]; // 0: as the kernel says
    bool cooperative;
    bool programmatic; // programmatic stream serialisation
    struct policy_window window; // of L2; bytes 0: that of the stream, if it has one
    bool is_of_graph;            // the stream's has no say
    CUevent event;               // recorded when its blocks say so, or begin; NULL: none
    bool event_at_start;
};
struct CUfunc_st {
    struct CUmod_st *module;
    struct gpu_kernel *kernel;
    struct CUfunc_st *next;
    // Set on the function, and on its kernel (cuKernelSetAttribute). What is set on the function
    // counts, whichever was set first.
    struct driver_wishes own, of_kernel;
    uint32_t block[3], dynamic_shared, param_bytes; // state of the interface before CUDA 4
    uint8_t params[4096];
};
struct CUkern_st {
    struct CUlib_st *library;
    CUfunction function;
    struct CUkern_st *next;
};
enum { DRIVER_STREAM_ATTRIBUTES = CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN + 1 };
struct CUstream_st {
    uint32_t flags;
    int priority;
    uint64_t id;
    struct gpu_stream *stream;
    CUstreamAttrValue attributes[DRIVER_STREAM_ATTRIBUTES]; // kept only
};
struct CUevent_st {
    uint32_t flags;
    struct gpu_event *event;
    bool is_captured, was_recorded; // last: in a capture, or not
};
// A CUDA array is pitch-linear device memory. `depth` counts 3D slices, layers, or faces.
struct CUarray_st {
    CUDA_ARRAY3D_DESCRIPTOR descriptor;
    uint64_t address, row_pitch, slice_pitch;
    uint32_t rows, slices; // at least 1
    uint32_t texel_bytes;
    bool of_mipmap; // destroyed with it
    bool in_blocks; // caches see it block-linear (exec/tex.c)
};

// ---- the singleton (driver.c) ---------------------------------------------------------------
struct driver {
    struct gpu *gpu;
    const struct gpu_config *config; // as programs are to see it
    struct CUctx_st *primary;
    uint32_t primary_references, primary_flags;
    uint64_t next_id;
    CUresult sticky;                 // first fault of a kernel: every later call answers it
    enum exec_fault_kind last_fault; // of the last launch that had one
};
// Locks, checks that cuInit has run and (when asked) that a context is current. Answers
// CUDA_SUCCESS with the lock held, or an error with the lock released.
enum driver_need { NEED_NOTHING, NEED_INIT, NEED_CONTEXT };
CUresult driver_enter(enum driver_need need, const char *call); // its name, for a timeline
CUresult driver_leave(CUresult r);                              // releases the lock, answers r
struct driver *driver_get(void);                                // with the lock held
int driver_priorities(void); // of streams, beside the default one
// Dynamic shared memory that a launch of the function, which has `fixed` bytes of its own, may
// take.
uint32_t driver_dynamic_shared(const struct driver_wishes *w, uint32_t fixed);
const struct driver_wishes *driver_asked(const struct CUfunc_st *f); // those of shared memory
CUresult driver_init(void);
// A status with its diagnostics as an API result: prints the sentences to stderr, remembers sticky
// faults, empties the diagnostics.
CUresult driver_result(enum ww_status s);
// The same of a launch, or of a kernel that is looked for to be launched: a refusal is counted as
// one.
CUresult driver_result_of_launch(enum ww_status s);
// The same, but running out of device memory is an answer that programs expect: no sentence.
CUresult driver_result_quiet(enum ww_status s);
// Names a call that is not supported once on stderr; answers CUDA_ERROR_NOT_SUPPORTED.
CUresult driver_unsupported(const char *call);
// Body of a call between enter and leave.
#define DRIVER_ENTER(need)                                                                         \
    do {                                                                                           \
        const CUresult entered_ = driver_enter(need, __func__);                                    \
        if (entered_ != CUDA_SUCCESS) return entered_;                                             \
    } while (0)
#define DRIVER_LEAVE(result) return driver_leave(result)
// The same of a call that takes a function: since CUDA 12.0 it may be a kernel of a library, or the
// runtime's handle of one, in its place. `f` is the function from here on.
CUresult driver_enter_with(CUfunction *f, const char *call);
#define DRIVER_ENTER_FUNCTION(f)                                                                   \
    do {                                                                                           \
        const CUresult entered_ = driver_enter_with(&(f), __func__);                               \
        if (entered_ != CUDA_SUCCESS) return entered_;                                             \
    } while (0)
// How the runtime in this process finds the function behind a handle of its own; it calls the
// driver, so it is called without the lock.
void driver_kernels_of_runtime(CUresult (*function_of)(const void *handle, CUfunction *out));

// ---- between the chapters -------------------------------------------------------------------
CUcontext driver_current(void); // of the calling thread, NULL: none (context.c)
// The gpu stream behind a handle: CU_STREAM_LEGACY is the default one, CU_STREAM_PER_THREAD the
// calling thread's own, NULL the one that the call means by it. False for a handle that is not a
// stream, and when the thread's own cannot be made.
bool driver_stream(CUstream s, struct gpu_stream **out);
CUstream driver_stream_named(CUstream s);        // NULL: the default one
// Access policy windows: what one asks for, false where a value is none; a stream's. The largest is
// what an H100 and a board of 96 MB of L2 say (Neroued/ninfer pull request 202).
enum { DRIVER_MOST_WINDOW = 128 << 20 };
bool driver_window(const CUaccessPolicyWindow *w, struct policy_window *out);
struct policy_window driver_stream_window(CUstream s);
extern _Thread_local bool driver_default_is_own; // what a call of this thread means by NULL
int driver_event_s(CUevent e, double *seconds); // driver_private.h
bool driver_has_calls(void);                     // host functions are queued
// Keeps the GPU going while host functions are queued and the program is silent (pump.c).
void driver_pump_start(void);
void driver_pump_stopped(void);
bool driver_move_on(void);    // runs what is queued; false: nothing will be
void driver_drop_calls(void); // forgets queued host functions: the GPU has dropped its queues
// Loads PTX text, a cubin or a fat binary (module.c); `bytes` 0: as many as it says itself.
CUresult driver_load(CUmodule *out, const char *name, const void *image, size_t bytes,
                     unsigned int n_options, const CUjit_option *options, void **values);
CUresult driver_load_file(CUmodule *out, const char *path, unsigned int n_options,
                          const CUjit_option *options, void **values);
CUresult driver_function(CUfunction *out, CUmodule module, const char *name);
CUresult driver_global(CUdeviceptr *address, size_t *bytes, CUmodule module, const char *name);
// Attributes of a function as a launch sees them, or (`w`: its of_kernel) of its kernel.
CUresult driver_function_attribute(int *value, CUfunction_attribute attribute, CUfunction f,
                                   const struct driver_wishes *w);
CUresult driver_set_of_kernel(CUfunction f, CUfunction_attribute attribute,
                              int value); // driver_private.h
CUresult driver_function_set(CUfunction f, struct driver_wishes *w, CUfunction_attribute attribute,
                             int value);
CUresult driver_function_param(CUfunction f, size_t index, size_t *offset, size_t *bytes);
CUresult driver_malloc(CUdeviceptr *address, size_t bytes); // memory.c
CUresult driver_free(CUdeviceptr address);
void driver_pool_forget(CUdeviceptr at);         // pool.c: of its pool no more, if it came from one
CUmemoryPool driver_pool_of(CUdeviceptr at);     // NULL: of none that there is
// cuMemcpy3DAsync, but host memory is read when the copy's turn in the stream comes, as a graph's
// copies do, even when it is not pinned.
CUresult driver_memcpy3d_in_order(const CUDA_MEMCPY3D *p, CUstream stream);
// Host memory that is registered, allocated pinned, or managed, holding this host or device
// address.
struct driver_host {
    void *host;
    uint64_t device, bytes;
    unsigned int flags;
    bool ours, is_managed;
};
bool driver_host_find(uint64_t address, struct driver_host *out);
// One texel of a format: kind as in exec_texture; false: not a format that this library has.
struct driver_format {
    uint8_t bits, kind;
    bool normalised;
    uint8_t channels; // 0: any
};
bool driver_format(CUarray_format format, struct driver_format *out);
CUarray driver_mipmap_level(CUmipmappedArray m, unsigned int level); // NULL: no such thing

#endif
