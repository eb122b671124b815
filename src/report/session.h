// The options of a run, as the command line gives them and as libcuda.so.1 receives them: one
// struct, written to and read from environment variables WARPWATT_*.
#ifndef WW_SESSION_H
#define WW_SESSION_H

#include "fatbin/fatbin.h"
#include "report/report.h"

// The GPU when none is named: of the user's own programs, which ask for what GPUs of today have,
// and of workloads, bare kernels and studies, whose published figures were taken with it.
#define SESSION_GPU_OF_PROGRAMS "v100"
#define SESSION_GPU             "gtx480"

enum { SESSION_MAX_OVERRIDES = 64, SESSION_DEFAULT_INTERVAL = 0 };

struct gpu_options;
struct savings;

struct session {
    const char *gpu;                              // name or path; NULL: SESSION_GPU
    const char *overrides[SESSION_MAX_OVERRIDES]; // "key=value"
    uint32_t n_overrides;
    const char *policies;               // techniques, `+` between; NULL: none
    uint32_t host_threads;              // 0: default (1)
    uint64_t interval_cycles, max_cycles;
    const char *sample;                 // gpu_options.sample_error as a number, or NULL: all is simulated
    uint32_t intervals_most, intervals_total; // see gpu_options
    bool functional, per_instruction, per_sm, progress, check_uninitialised, check_races, check_bounds;
    bool check_sync, check_control, check_leaks;
    bool open_pages; // no fault beside an allocation in its page of 2 MB
    const char *kernels, *skip_timing; // regular expressions of kernels: time only these, not these
    const char *launches;               // "10-20", "7": time only these, counted from 1
    const char *nvtx;                   // regular expression of ranges: time only what belongs to one
    bool profiled;                      // time only between cudaProfilerStart and cudaProfilerStop
    const char *warps;                  // "0:1000-1200", warps to watch (gpu_options.watch), or NULL
    const char *told;                   // beyond the simulated chip (gpu_told_read), or NULL
    const char *code;                   // which of a program's code runs (fatbin_code), or NULL
    const char *trace_kernels;          // with trace: a regular expression of kernels, NULL: all
    bool toggle;                        // count the bits that change
    bool trace;                         // a timeline beside the record (trace.h)
    uint64_t trace_from_ns, trace_to_ns; // of simulated time; 0: from the start, to the end
    const char *record;                 // path of the record to write, or NULL
    uint64_t expected;                  // warp instructions of the whole program, for the progress line; 0: not known
    const char *how;                    // what the run is, as JSON, for its record; or NULL
    const char *limit;                  // how the power limit changed its clock, as JSON; or NULL
    uint32_t owner;                     // process id of `warpwatt run`; 0: there is none
};

// Sets the environment variables of a child. False when the environment is full.
bool session_to_env(const struct session *s);
// Reads them; texts live in `a`. Unset ones keep defaults; malformed ones are refused.
enum ww_status session_from_env(struct arena *a, struct session *s, struct diags *d);
// The GPU with the session's overrides and techniques.
enum ww_status session_configure(const struct session *s, struct diags *d, struct gpu_config *c,
                                 struct savings *savings);
enum fatbin_code session_code(const struct session *s);
// A sentence, in `text`: why nothing of a program suits the GPU, and which GPU would do.
struct gpu;
const char *session_no_code(struct gpu *g, const char *name, const struct fatbin *f,
                            const struct fatbin_choice *c, char *text, size_t size);
// Which launches a session wants timed. Made once; answers a sentence for a malformed expression.
struct session_filter;
enum ww_status session_filter_create(const struct session *s, struct diags *d,
                                     struct session_filter **out); // NULL: all
void session_filter_destroy(struct session_filter *f);
bool session_filter_times(const struct session_filter *f, uint64_t launch, const char *kernel);
// Whether what belongs to a range is timed, by the range's path ("step 3/forward/layer 1").
bool session_filter_range(const struct session_filter *f, const char *path);
// Fills the GPU options that a session decides.
void session_gpu_options(const struct session *s, struct gpu_options *o);
struct record_detail session_detail(const struct session *s); // what its record keeps of a launch

#endif
