// warpwatt: a GPU you can measure, as a library. The one public header.
//
//     struct ww_options o;
//     ww_options_init(&o);
//     ww_gpu *gpu;
//     if (ww_gpu_open("gtx480", &o, &gpu) != WW_OK) puts(ww_last_error(NULL));
//     ww_module *m;   ww_module_load(gpu, "k.ptx", text, length, &m);
//     ww_kernel *k;   ww_kernel_find(m, "saxpy", &k);
//     uint64_t x;     ww_alloc(gpu, bytes, &x);
//     ww_write(gpu, x, host, bytes);
//     ww_launch(gpu, k, grid, block, 0, &params, sizeof params);
//     ww_synchronize(gpu);
//     struct ww_result r = {.size = sizeof r};
//     ww_result_get(gpu, ww_result_count(gpu) - 1, &r);
//
// docs/c-api.md has a whole program, energy and techniques included.
//
// Nothing here exits, aborts or prints. A call that fails answers a status; ww_last_error has the
// sentences, with places. A ww_gpu and all that comes from it belong to one thread at a time.
// Structs that the caller fills carry their size, so that a newer library serves an older program.
#ifndef WARPWATT_H
#define WARPWATT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define WARPWATT_VERSION_MAJOR 0
#define WARPWATT_VERSION_MINOR 1

#ifndef WW_STATUS_H // the library's own sources have it already
enum ww_status {
    WW_OK,
    WW_ERROR_PROGRAM, // the program under test failed
    WW_ERROR_USAGE,
    WW_ERROR_CONFIG, // the GPU file or an override is wrong
    WW_ERROR_SYNTAX, // the PTX is malformed
    WW_ERROR_UNSUPPORTED,
    WW_ERROR_DEADLOCK,
    WW_ERROR_LIMIT,
    WW_ERROR_INTERRUPTED, // results are partial
    WW_ERROR_ACCESS,      // the kernel made a bad memory access
    WW_ERROR_TRAP,
    WW_ERROR_MEMORY,        // of the host
    WW_ERROR_DEVICE_MEMORY, // of the simulated GPU
    WW_ERROR_IO,
    WW_ERROR_LAUNCH, // not possible on this GPU
    WW_ERROR_INTERNAL
};
#endif

#ifndef WW_API
#if defined __GNUC__
#define WW_API __attribute__((visibility("default")))
#else
#define WW_API
#endif
#endif

typedef struct ww_gpu ww_gpu;
typedef struct ww_module ww_module;
typedef struct ww_kernel ww_kernel;

// realloc_fn(user, old, size): frees when size is 0, answers NULL when memory is out.
typedef void *(*ww_realloc_fn)(void *user, void *old, size_t size);
typedef void (*ww_text_fn)(void *user, const char *text, size_t length);

struct ww_options {
    size_t size;                  // sizeof(struct ww_options), set by ww_options_init
    const char *const *overrides; // "sm.schedulers=4", ...
    uint32_t override_count;
    uint32_t host_threads;    // 0: as many as the host offers, at most 8
    uint64_t interval_cycles; // 0: no intervals
    uint64_t max_cycles;      // of one launch; 0: none
    int functional;           // compute only, no time
    int check_uninitialised;  // report reads of bytes that were never written
    int check_races;          // report races in shared memory, and of blocks in global memory
    const volatile int *stop; // non-zero: end soon with partial results
    ww_realloc_fn realloc_fn; // NULL: the C library's
    void *realloc_user;
    ww_text_fn log;         // notes and warnings, a sentence each
    ww_text_fn print;       // what kernels print
    void *user;             // first argument of log and print
    const char *techniques; // energy-saving techniques, "warped-gates,origami"; NULL: none
};
WW_API void ww_options_init(struct ww_options *o);

WW_API const char *ww_version(void);
WW_API const char *ww_status_name(enum ww_status s);
// Diagnostics of the last call that failed on `gpu`; with NULL, of this thread's last ww_gpu_open.
// One sentence a line. Lives until the next call.
WW_API const char *ww_last_error(const ww_gpu *gpu);

// ---- a GPU: by name ("gtx480") or by path of its YAML file
WW_API enum ww_status ww_gpu_open(const char *name, const struct ww_options *o, ww_gpu **out);
WW_API void ww_gpu_close(ww_gpu *gpu);
// One value of its configuration as text ("sm.max_warps"); answers its length, 0 when there is
// none.
WW_API size_t ww_gpu_value(const ww_gpu *gpu, const char *key, char *buffer, size_t size);

// ---- memory: device addresses are plain numbers
WW_API enum ww_status ww_alloc(ww_gpu *gpu, uint64_t bytes, uint64_t *address);
WW_API enum ww_status ww_free(ww_gpu *gpu, uint64_t address);
WW_API enum ww_status ww_write(ww_gpu *gpu, uint64_t address, const void *from, uint64_t bytes);
WW_API enum ww_status ww_read(ww_gpu *gpu, void *to, uint64_t address, uint64_t bytes);

// ---- programs
WW_API enum ww_status ww_module_load(ww_gpu *gpu, const char *name, const char *ptx, size_t length,
                                     ww_module **out);
WW_API void ww_module_unload(ww_module *m);
WW_API enum ww_status ww_module_global(ww_module *m, const char *name, uint64_t *address,
                                       uint64_t *bytes);
WW_API enum ww_status ww_kernel_find(ww_module *m, const char *name, ww_kernel **out);
struct ww_kernel_info {
    size_t size;
    uint32_t registers, shared_bytes, local_bytes, param_bytes, max_threads_per_block;
    uint32_t param_count;
};
WW_API enum ww_status ww_kernel_describe(ww_kernel *k, struct ww_kernel_info *info);

// `params` is the parameter block as PTX lays it out: each parameter at its natural alignment.
WW_API enum ww_status ww_launch(ww_gpu *gpu, ww_kernel *k, const uint32_t grid[3],
                                const uint32_t block[3], uint32_t dynamic_shared,
                                const void *params, size_t param_bytes);
// Runs what is queued. ww_read, ww_write and ww_free do so as well.
WW_API enum ww_status ww_synchronize(ww_gpu *gpu);

// ---- results, one a launch, in order
struct ww_result {
    size_t size; // sizeof(struct ww_result), set by the caller
    const char *kernel;
    enum ww_status status;
    const char *text; // why it is partial, or NULL
    uint64_t cycles;
    double seconds;
    uint64_t warp_instructions, thread_instructions;
    uint32_t occupancy_ctas, occupancy_warps;
    const char *occupancy_limit;
};
WW_API size_t ww_result_count(const ww_gpu *gpu);
WW_API enum ww_status ww_result_get(const ww_gpu *gpu, size_t i, struct ww_result *r);
// A counter of activity by name ("warp_instructions", "dram_reads"; element `index` of a row).
WW_API enum ww_status ww_result_counter(const ww_gpu *gpu, size_t i, const char *counter,
                                        uint32_t index, uint64_t *value);

// ---- the power model alone: a GPU's configuration and counts in, a tree of components out
//
//     ww_power *p;
//     char error[512];
//     if (ww_power_open("gt240", NULL, 0, error, sizeof error, &p) != WW_OK) puts(error);
//     ww_power_count(p, "rf_reads", 0, 1000000);
//     ww_power_run(p, 1e-3); // seconds
//     struct ww_power_part part = {.size = sizeof part};
//     for (size_t i = 0; ww_power_part_get(p, i, &part) == WW_OK; i++) ...
//     ww_power_close(p);
//
// Counters are those of docs/reference-counters.md, whoever counted them. One handle belongs to one
// thread at a time.
typedef struct ww_power ww_power;
// `error` (may be NULL) gets the sentences of a refusal. `overrides` as in ww_options.
WW_API enum ww_status ww_power_open(const char *gpu, const char *const *overrides,
                                    uint32_t override_count, char *error, size_t error_size,
                                    ww_power **out);
// The model of an open GPU, with the overrides and techniques that it was opened with. The handle
// may outlive the GPU.
WW_API enum ww_status ww_power_of_gpu(const ww_gpu *gpu, char *error, size_t error_size,
                                      ww_power **out);
WW_API void ww_power_close(ww_power *p); // NULL is allowed
// Sets a count (element `index` of a row of counters). WW_ERROR_USAGE: no such counter.
WW_API enum ww_status ww_power_count(ww_power *p, const char *counter, uint32_t index,
                                     uint64_t value);
// Energies of these counts over `seconds`. WW_ERROR_USAGE: no time.
WW_API enum ww_status ww_power_run(ww_power *p, double seconds);
// Energies of launch `i` of a GPU: takes over all its counts and its time. WW_ERROR_USAGE: there is
// no such launch, or it took no time (functional).
WW_API enum ww_status ww_power_run_result(ww_power *p, const ww_gpu *gpu, size_t i);
// What the board can draw: at the thermal limit, with the duty of the GPU file; W.
WW_API double ww_power_peak(const ww_power *p);
// Figures of a component with everything below it; part 0 is the whole.
struct ww_power_part {
    size_t size;                               // sizeof(struct ww_power_part), set by the caller
    const char *name, *parent, *model, *basis; // parent NULL: the whole
    uint32_t count;                            // in the machine; figures are of all of them
    double area_mm2, leakage_w, constant_w, peak_w;
    double dynamic_j, static_j; // of the last ww_power_run
    double gate_leakage_w, gate_leakage_j; // through gates: of leakage_w, of static_j
};
WW_API size_t ww_power_parts(const ww_power *p);
// WW_ERROR_USAGE: there is no part i.
WW_API enum ww_status ww_power_part_get(const ww_power *p, size_t i, struct ww_power_part *part);

#ifdef __cplusplus
}
#endif
#endif
