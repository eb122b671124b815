// libcuda.so.1: the CUDA driver API over gpu.h. One process, one simulated GPU.
//
// The only singleton of the project lives in driver.c: the GPU, its session (options that the
// command passes in WARPWATT_* variables) and the record of the run. Every entry takes its lock, so
// any number of host threads may call; simulated time does not depend on how they interleave as
// long as the program itself orders its work.
#ifndef WW_DRIVER_H
#define WW_DRIVER_H

#pragma GCC visibility push(default)
#include "cuda.h"
#pragma GCC visibility pop

#include "report/report.h"
#include "report/session.h"

// ---- handles: what the API's opaque pointers point to. Each begins with a tag that is checked.
enum driver_tag { TAG_CONTEXT = 0x43545831, TAG_MODULE, TAG_FUNCTION, TAG_STREAM, TAG_EVENT, TAG_ARRAY,
                  TAG_TEXREF, TAG_SURFREF, TAG_LIBRARY, TAG_KERNEL };

struct CUctx_st {
    uint32_t tag, flags;
    bool is_primary;
    uint64_t id;
};
struct CUmod_st {
    uint32_t tag;
    struct gpu_module *module;
    struct CUfunc_st *functions; // those that were asked for
    struct CUmod_st *next;
};
struct CUfunc_st {
    uint32_t tag;
    struct CUmod_st *module;
    struct gpu_kernel *kernel;
    struct CUfunc_st *next;
    uint32_t block[3], dynamic_shared, param_bytes; // state of the interface before CUDA 4
    uint8_t params[4096];
};
struct CUstream_st {
    uint32_t tag, flags;
    int priority;
    uint64_t id;
    struct gpu_stream *stream;
};
struct CUevent_st {
    uint32_t tag, flags;
    struct gpu_event *event;
};

// ---- the singleton (driver.c)
struct driver {
    struct gpu *gpu;
    struct gpu_config config;
    struct CUctx_st *primary;
    uint32_t primary_references;
    struct CUmod_st *modules;
    uint64_t next_id;
    CUresult sticky; // first fault of a kernel: every later call answers it
};
// Locks, checks that cuInit has run and (when asked) that a context is current. Answers CUDA_SUCCESS
// with the lock held, or an error with the lock released.
enum driver_need { NEED_NOTHING, NEED_INIT, NEED_CONTEXT };
CUresult driver_enter(const char *call, enum driver_need need);
CUresult driver_leave(CUresult r); // releases the lock, answers r
struct driver *driver_get(void);   // with the lock held
CUresult driver_init(void);
// A status with its diagnostics as an API result: prints the sentences once to stderr, remembers
// sticky faults, empties `d`.
CUresult driver_result(enum ww_status s, struct diags *d);
struct diags *driver_diags(void);
// Names a call that is not supported once on stderr; answers CUDA_ERROR_NOT_SUPPORTED.
CUresult driver_unsupported(const char *call);
// Runs a call's body between enter and leave.
#define DRIVER_ENTER(need)                                                                         \
    do {                                                                                           \
        const CUresult entered_ = driver_enter(__func__, need);                                    \
        if (entered_ != CUDA_SUCCESS) return entered_;                                             \
    } while (0)
#define DRIVER_LEAVE(result) return driver_leave(result)

// Contexts of the calling thread (context.c)
CUcontext driver_current(void);
// The gpu stream behind a handle: 0, CU_STREAM_LEGACY and CU_STREAM_PER_THREAD are the default one.
// False for a handle that is not a stream.
bool driver_stream(CUstream s, struct gpu_stream **out);

#endif
