// What our runtime and the libraries that only refuse need of our driver and the driver API cannot
// say: a table behind cuGetExportTable, as the vendor's libraries have theirs. Not installed.
#ifndef WW_DRIVER_PRIVATE_H
#define WW_DRIVER_PRIVATE_H

#include <stdint.h>

#include "cuda.h"
#include "driver_watch.h"

#define WW_DRIVER_TABLE                                                                            \
    ((CUuuid){{'w', 'a', 'r', 'p', 'w', 'a', 't', 't', ' ', 'd', 'r', 'i', 'v', 'e', 'r', 1}})

// What management libraries tell of the GPU, whether or not it is open.
struct ww_device_facts {
    char name[96], bus_id[16];
    unsigned char uuid[16];
    unsigned cc_major, cc_minor, sms, bus_bits; // of memory
    unsigned long long memory_bytes, used_bytes; // used by this process
    double core_mhz, memory_mhz, temperature_c;
    double limit_w;         // that the board keeps to or is designed for
    double clock_least_mhz, clock_step_mhz;
    int is_open; // it has been opened; else nothing was spent
};
// What it has spent since it was opened (process/energy.h).
struct ww_device_energy {
    double seconds, kernel_s, dram_s, joules, idle_w;
};

// Work that has ended, for profilers inside the program (CUPTI). Times since the GPU was opened.
enum ww_work_kind { WW_WORK_KERNEL, WW_WORK_COPY_UP, WW_WORK_COPY_DOWN, WW_WORK_COPY, WW_WORK_FILL };
struct ww_work {
    enum ww_work_kind kind;
    uint32_t correlation; // what `queued` answered when it was asked for; 0: nobody listened
    uint32_t stream;      // 0: the default one
    double from_s, to_s;
    uint64_t bytes;   // of a copy or fill
    const char *name; // of a kernel, and what follows
    uint64_t launch;
    uint32_t grid[3], block[3], registers, static_shared, dynamic_shared, local;
};
struct ww_listener {
    uint32_t (*queued)(void); // work is asked for by the calling thread
    void (*done)(const struct ww_work *work);
};

struct ww_driver_table {
    // Programs hand the runtime's handles of kernels (cudaKernel_t) to the driver too: how the
    // function behind one is found.
    void (*kernels_of_runtime)(CUresult (*function_of)(const void *handle, CUfunction *out));
    // An attribute of a function as cuKernelSetAttribute sets it.
    CUresult (*set_of_kernel)(CUfunction function, CUfunction_attribute attribute, int value);
    // Says once that a call was answered with "not supported", and counts it for the account.
    void (*refused)(const char *call, const char *sentence);
    // Ranges that a program names (process/range.h).
    int (*range_push)(const char *domain, const char *name);
    int (*range_pop)(const char *domain);
    uint64_t (*range_start)(const char *domain, const char *name);
    void (*range_end)(uint64_t id);
    // Answer 0 when there is nothing to tell.
    int (*facts)(struct ww_device_facts *out);
    int (*energy)(struct ww_device_energy *out);
    // One listener at a time, called under the driver's lock; NULL: none.
    void (*listen)(const struct ww_listener *listener);
    double (*now_s)(void); // simulated seconds since the GPU was opened
    // Says a sentence, once for each `word`; it is no refusal.
    void (*said)(const char *word, const char *sentence);
    // When an event was last recorded, in simulated seconds since the GPU was opened; 0: it never was.
    int (*event_s)(CUevent event, double *seconds);
    // One watcher of calls at a time; NULL: none. `watcher` is where it stands, for the runtime.
    void (*watch)(const struct ww_watcher *watcher);
    const struct ww_watcher *const *watcher;
    CUcontext (*current)(void); // the calling thread's
};

#endif
