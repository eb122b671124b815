// The device: a GPU described by a file, its memory, modules, streams, launches and clock. The
// driver library and the command are written against this header and nothing below it.
//
//   config_*   (config.h; config*.c, limits.c): GPU files, overrides, limits
//   device_*   (device.c): a GPU in one process: memory, textures, time
//   module_*   (module*.c): PTX to variables in memory and kernels
//   stream_*   (stream.c): queues of work in simulated time
//   run_*      (run.c, threads.c): the quantum loop
//   result_*   (result.c): what came out
//
// Threads: one `struct gpu` belongs to one host thread at a time (it starts and stops helpers of
// its own). Two of them are independent. Every fallible call answers a ww_status and puts a
// sentence into `d` (never NULL).
//
// Time. Host code takes none. Work is queued in streams and runs, in simulated time, when somebody
// asks: gpu_synchronize, gpu_stream_synchronize, gpu_event_synchronize, a blocking copy. The same
// calls give the same cycles, whatever the number of host threads.
#ifndef WW_GPU_H
#define WW_GPU_H

#include "exec/findings.h"
#include "gpu/config.h"
#include "gpu/limits.h"
#include "gpu/result.h"
#include "isa/policy.h"
#include "savings/savings.h"

struct code_image;
struct code_param;
struct devmem;

struct gpu;
struct gpu_result;

struct gpu_progress {
    uint64_t launch;            // number of the launch, from 1
    const char *kernel;
    uint64_t ctas_done, ctas;   // of that launch
    uint64_t cycles;            // since it began
    double seconds;             // the same, in simulated time
    uint64_t warp_instructions; // since it began, whole GPU
};

// What programs are told and allowed beyond the simulated chip: "cc=7.5,memory=16GB". 0: as the
// chip.
struct gpu_told {
    uint32_t cc_major, cc_minor, grid_x, sm_count;
    uint64_t memory_bytes;
};
enum ww_status gpu_told_read(const char *text, struct diags *d, struct gpu_told *out);
// The configuration as programs are to see it.
void gpu_told_config(const struct gpu_told *t, struct gpu_config *c);

// Something that took time in the simulated GPU, told when it has ended, by one host thread, with
// the same order and figures whatever the number of host threads. Texts live during the call.
enum gpu_span_kind { GPU_SPAN_KERNEL, GPU_SPAN_COPY, GPU_SPAN_CTA };
struct gpu_span {
    enum gpu_span_kind kind;
    const char *name;        // of the kernel; what kind of copy
    double from_s, to_s;     // since gpu_create
    uint64_t launch;         // KERNEL, CTA
    uint64_t cta, ctas;      // CTA: its number in the grid; KERNEL: how many
    uint64_t bytes;          // COPY
    double alone_s;          // COPY: of its time, what no kernel ran in; copies side by side share it
    uint32_t stream, threads; // KERNEL, COPY: 0 is the default stream; KERNEL: of a CTA
    uint32_t sm, place;      // CTA: one place of an SM holds one at a time
    uint64_t tag;            // KERNEL, COPY: gpu_options.tag's answer when it was queued
};

struct gpu_options {
    uint32_t host_threads;    // 0: as many as the host offers, at most 8
    uint64_t interval_cycles; // 0: no intervals
    // Bounds for intervals: a launch that has filled `intervals_most` joins each two neighbours and
    // goes on with intervals twice as long; a GPU keeps `intervals_total` of all its launches, where a
    // launch counts as eight at least, and later launches have none. 0: no bound.
    uint32_t intervals_most, intervals_total;
    struct gpu_watch watch; // of the first launch that is simulated with time; to 0: none
    uint64_t max_cycles;      // of one launch; 0: no limit
    uint64_t max_instructions; // warp instructions of one launch (functional mode too); 0: none
    bool functional;          // compute only, count instructions, no time
    double sample_error; // of a ratio of cycles to instructions, half of its interval of 95 %, at which what is alike
                         // is estimated (sample.h); 0: all is simulated
    bool keep_results;        // gpu_result_at; else results live during launch_done only
    bool count_instructions;  // per-instruction counts in results
    bool count_toggles;       // bits that change: ACT_toggle_*, which the power model then goes by
    int32_t scheduler;        // enum sm_scheduler_kind, or -1: the configuration's
    uint32_t stack_bytes;     // a thread, for recursion; 0: CODE_STACK_BYTES
    uint8_t poison;           // what fresh device memory holds (real hardware: anything)
    struct exec_options exec; // but findings: the GPU's own
    bool keep_findings;       // kernels go on after what a check found: see gpu_findings
    const struct ww_allocator *allocator; // NULL: default
    const volatile int *stop; // set non-zero (a signal handler may): what runs ends at the next
                              // quantum with a valid partial result and WW_ERROR_INTERRUPTED
    void *user;               // first argument of the callbacks, all optional
    void (*log)(void *user, const char *sentence);
    void (*print)(void *user, const char *text, size_t len); // device printf
    void (*progress)(void *user, const struct gpu_progress *p); // a few times a second
    void (*launch_done)(void *user, const struct gpu_result *r); // in order of completion
    void (*span)(void *user, const struct gpu_span *s); // without it nothing is kept for it
    void (*copy_done)(void *user, const struct gpu_span *s); // each copy and fill, as it ends
    struct gpu_told told;
    struct savings savings; // techniques of every SM
    uint32_t group_sms;     // SMs that one host thread runs, for tests: nothing depends on it; 0: one,
                            // or those that share a front end
    // Whether a launch is to be timed (NULL: all are). The others are computed at full speed and
    // take no time; their results are marked functional.
    bool (*time_launch)(void *user, uint64_t id, const char *kernel);
    // Asked when a launch, copy or fill is queued; its result or span carries the answer. NULL: 0.
    uint64_t (*tag)(void *user);
};
void gpu_options_init(struct gpu_options *o); // defaults

enum ww_status gpu_create(const struct gpu_config *c, const struct gpu_options *o, struct diags *d,
                          struct gpu **out);
void gpu_destroy(struct gpu *g); // NULL is allowed; drops queued work
const struct gpu_config *gpu_config_of(const struct gpu *g);
const struct gpu_limits *gpu_limits_of(const struct gpu *g);
struct devmem *gpu_memory(struct gpu *g);
double gpu_now_s(const struct gpu *g);
// The first fault is sticky, as on hardware: work queued later is refused with the same status
// until it is cleared (queued work is dropped then).
enum ww_status gpu_fault_status(const struct gpu *g);
void gpu_clear_fault(struct gpu *g);
// Says what the checks found (gpu_options.keep_findings), a sentence a place, in order of launch,
// block, warp and lane; after 100 only how many more there are. Answers the number of places.
uint32_t gpu_findings(struct gpu *g, void (*say)(void *user, const char *sentence), void *user);

// Says which allocations of the program (gpu_malloc and device code's malloc) are still there, a
// sentence for those of one name and size, when gpu_options.exec.check_leaks. Answers how many.
uint32_t gpu_leaks(struct gpu *g, void (*say)(void *user, const char *sentence), void *user);

// ---- memory -----------------------------------------------------------------------------------
// Checked: a wrong address or size is a sentence that names the nearest allocation. These take
// effect at once and wait for nothing; callers that need the order of streams use gpu_copy_* below.
enum ww_status gpu_malloc(struct gpu *g, uint64_t bytes, const char *name, struct diags *d,
                          uint64_t *addr);
enum ww_status gpu_malloc_pitch(struct gpu *g, uint64_t width_bytes, uint64_t height,
                                uint32_t element_bytes, struct diags *d, uint64_t *addr,
                                uint64_t *pitch);
// Waits for queued work first (as the vendor's does). Address 0 is allowed.
enum ww_status gpu_free(struct gpu *g, uint64_t addr, struct diags *d);
void gpu_memory_info(const struct gpu *g, uint64_t *free_bytes, uint64_t *total_bytes);
enum ww_status gpu_write(struct gpu *g, uint64_t dst, const void *src, uint64_t bytes,
                         struct diags *d);
enum ww_status gpu_read(struct gpu *g, void *dst, uint64_t src, uint64_t bytes, struct diags *d);
// Textures are devmem_texture_* handles on gpu_memory(g).
// Bytes of stack a thread, from the next launch on, for kernels whose calls cannot be counted
// (recursion, function pointers). Waits for queued work; their code is made anew.
enum ww_status gpu_stack_limit(struct gpu *g, uint32_t bytes, struct diags *d);

// Lines of L2 that go last (CUDA C++ Programming Guide 12.3, 3.2.3): bytes that they may take, at first
// three sixteenths of it; ten sixteenths at most, to which more is cut (96, 18 and 60 MB of a board of 96 MB:
// Neroued/ninfer pull request 202). Both calls wait for queued work; the second makes all lines alike.
uint64_t gpu_l2_most_set_aside(const struct gpu *g); // 0: before capability 8.0
uint64_t gpu_l2_first_set_aside(const struct gpu *g);
uint64_t gpu_l2_set_aside(const struct gpu *g);
enum ww_status gpu_l2_set_set_aside(struct gpu *g, uint64_t bytes, struct diags *d);
enum ww_status gpu_l2_reset_priorities(struct gpu *g, struct diags *d);

// ---- modules ----------------------------------------------------------------------------------
struct gpu_module;
struct gpu_kernel;

struct gpu_module_options {
    uint32_t max_registers; // a thread (JIT option); 0: none
    // PTX of the same program beside machine code: what of it is not executed, a kernel or all, is
    // compiled from the PTX. NULL: there is none.
    const char *ptx;
    size_t ptx_bytes;
};
// Parses, checks and places a module of PTX text or of machine code (a cubin): globals and the
// constant segment allocated and initialised, relocations applied, texture and surface references
// made. `image` is copied.
enum ww_status gpu_module_load(struct gpu *g, const char *name, const char *image, size_t len,
                               const struct gpu_module_options *o, struct diags *d,
                               struct gpu_module **out);
// Machine code of several units that were compiled to be linked, as one image that gpu_module_load
// takes; in `a`. Two definitions of a name, units of several capabilities, and what a linker has
// linked already are refused.
struct gpu_code_unit {
    const char *name; // for sentences
    const void *image;
    size_t bytes;
    bool is_on_demand; // of a library: it counts when another unit needs what it defines
};
enum ww_status gpu_link_code(struct arena *a, const struct gpu_code_unit *unit, uint32_t n,
                             struct diags *d, char **image, size_t *bytes);
// Whether machine code can be read: a damaged image is refused with one sentence, as loading it is.
enum ww_status gpu_check_code(const char *name, const void *image, size_t bytes, struct diags *d);
// Whether what machine code for sm_NN computes has been compared with what its PTX does: where a
// program brings both, it runs then.
bool gpu_code_is_checked(uint32_t arch);
// "; -g v100 has it": the GPU files that run machine code for sm_NN; "" when none does.
const char *gpu_with_code(struct gpu *g, uint32_t arch);
// Waits for queued work; kept results of its launches go with it.
void gpu_module_unload(struct gpu *g, struct gpu_module *m);
uint32_t gpu_module_target(const struct gpu_module *m); // sm_XY, as XY, that it was made for
bool gpu_module_is_code(const struct gpu_module *m);     // made from machine code, not from PTX
// Variables of the module: device address and size. Const ones answer their place in the constant
// segment, which can be written with gpu_write.
enum ww_status gpu_module_global(struct gpu_module *m, const char *name, struct diags *d,
                                 uint64_t *addr, uint64_t *bytes);
// texref/surfref/samplerref: the texture handle that kernels read; bind with devmem_texture_set.
// `is_surface` may be NULL.
enum ww_status gpu_module_texture(struct gpu_module *m, const char *name, struct diags *d,
                                  uint64_t *handle, bool *is_surface);

// Kernels. Names in the module's order; machine code is made at the first question about it.
// Machine code that the module was made from, as an ELF file; NULL: it was made from PTX.
const void *gpu_module_code(const struct gpu_module *m, size_t *bytes);
uint32_t gpu_module_kernels(const struct gpu_module *m);
const char *gpu_module_kernel_name(const struct gpu_module *m, uint32_t i);
enum ww_status gpu_kernel_find(struct gpu_module *m, const char *name, struct diags *d,
                               struct gpu_kernel **out);
const char *gpu_kernel_name(const struct gpu_kernel *k);
enum ww_status gpu_kernel_image(struct gpu_kernel *k, struct diags *d,
                                const struct code_image **out);
// The same, but without instructions (n_insts 0) while nobody has asked for the image of machine code that calls functions of
// other sections: such a library's every kernel holds all of them, hundreds of megabytes each. A word that is not executed is
// found when it is launched: the kernel is refused then, or made from PTX beside it, whose registers may be other ones.
enum ww_status gpu_kernel_outline(struct gpu_kernel *k, struct diags *d,
                                  const struct code_image **out);

struct gpu_kernel_attributes {
    uint32_t registers, shared_bytes, local_bytes, const_bytes, param_bytes;
    uint32_t max_threads_per_block; // by registers and .maxntid
    uint32_t required_threads;      // of a block, by .reqntid; 0: any that fit
    uint32_t ptx_target, binary_version; // of the PTX's .target and of the simulated GPU: 75, 20
};
enum ww_status gpu_kernel_attributes(struct gpu_kernel *k, struct diags *d,
                                     struct gpu_kernel_attributes *out);
// Whether any launch of it can be possible: its own shared and local memory and its parameters are
// within the GPU's limits. WW_ERROR_LAUNCH with a sentence.
enum ww_status gpu_kernel_fits(struct gpu_kernel *k, struct diags *d);
// Whether a block may have so many bytes of dynamic shared memory beside its own.
enum ww_status gpu_kernel_takes_shared(struct gpu_kernel *k, uint32_t dynamic, struct diags *d);
// Parameters of the kernel: offset from the parameter block's start, size.
enum ww_status gpu_kernel_params(struct gpu_kernel *k, struct diags *d,
                                 const struct code_param **params, uint32_t *n);
// CTAs that an SM holds.
enum ww_status gpu_kernel_occupancy(struct gpu_kernel *k, uint32_t threads, uint32_t dynamic_shared,
                                    struct diags *d, struct sm_occupancy *out);
// The same of a configuration alone: threads of a CTA, registers of a thread as the driver counts them, bytes of shared
// memory of a CTA, static and dynamic. No kernel is needed.
struct sm_occupancy gpu_occupancy(const struct gpu_config *c, uint32_t threads, uint32_t registers,
                                  uint32_t shared_bytes);

// ---- streams and events -----------------------------------------------------------------------
// NULL is the default stream: it waits for all blocking streams and they for it. Work of one
// stream runs in order; that of several may overlap.
struct gpu_stream;
struct gpu_event;
enum ww_status gpu_stream_create(struct gpu *g, bool non_blocking, int priority, struct diags *d,
                                 struct gpu_stream **out);
void gpu_stream_destroy(struct gpu *g, struct gpu_stream *s); // runs what it holds first
bool gpu_stream_is_done(struct gpu *g, struct gpu_stream *s); // everything queued has run
enum ww_status gpu_stream_synchronize(struct gpu *g, struct gpu_stream *s, struct diags *d);
enum ww_status gpu_synchronize(struct gpu *g, struct diags *d);

enum ww_status gpu_event_create(struct gpu *g, struct diags *d, struct gpu_event **out);
void gpu_event_destroy(struct gpu *g, struct gpu_event *e);
enum ww_status gpu_event_record(struct gpu *g, struct gpu_event *e, struct gpu_stream *s,
                                struct diags *d);
enum ww_status gpu_stream_wait(struct gpu *g, struct gpu_stream *s, struct gpu_event *e,
                               struct diags *d);
bool gpu_event_is_done(struct gpu *g, struct gpu_event *e); // never recorded: true
enum ww_status gpu_event_synchronize(struct gpu *g, struct gpu_event *e, struct diags *d);
// Simulated seconds between the last records of two events, < 0 when `to` came first; waits for both. False: one was never
// recorded. Where all launches between them were without time each counts GPU_UNTIMED_LAUNCH_S: programs divide by what they
// measure, and autotuners repeat a kernel until a tenth of a second has gone by.
#define GPU_UNTIMED_LAUNCH_S 0.01
bool gpu_event_elapsed_s(struct gpu *g, struct gpu_event *from, struct gpu_event *to, double *seconds);
// When the last record took place, in simulated seconds since the device was opened; each launch without time before it
// counts GPU_UNTIMED_LAUNCH_S. False: it was never recorded.
bool gpu_event_at_s(struct gpu *g, struct gpu_event *e, double *seconds);

// Copies and fills in a stream's order, timed by the host link or by DRAM. Host sources are read
// at the call (as pageable memory is); host destinations are written when the copy runs. Rows:
// height 1 and any pitch for a plain copy; depth 1 for two dimensions.
struct gpu_copy {
    const void *src_host; // one of src_host, src
    uint64_t src;
    void *dst_host;       // one of dst_host, dst
    uint64_t dst;
    uint64_t width;       // bytes
    uint64_t height, depth; // rows, slices; 0 counts as 1
    uint64_t src_pitch, dst_pitch, src_slice, dst_slice; // bytes
    bool src_pinned; // src_host is read when the copy runs: earlier work of the stream may fill it
};
enum ww_status gpu_copy_async(struct gpu *g, struct gpu_stream *s, const struct gpu_copy *c,
                              struct diags *d);
enum ww_status gpu_copy(struct gpu *g, struct gpu_stream *s, const struct gpu_copy *c,
                        struct diags *d); // and waits for it
// Fills rows of `width` elements of `element_bytes` (1, 2, 4).
enum ww_status gpu_fill_async(struct gpu *g, struct gpu_stream *s, uint64_t dst, uint64_t pitch,
                              uint32_t value, uint32_t element_bytes, uint64_t width,
                              uint64_t height, struct diags *d);
// A host function in a stream's order.
enum ww_status gpu_host_call(struct gpu *g, struct gpu_stream *s, void (*fn)(void *user),
                             void *user, struct diags *d);

// ---- launches ---------------------------------------------------------------------------------
struct gpu_launch {
    uint32_t grid[3], block[3];
    uint32_t dynamic_shared;
    const void *params; // code_image.param_bytes bytes, copied at the call
    uint32_t param_bytes;
    bool cooperative;   // the grid must be resident as a whole
    uint32_t cluster[3]; // blocks of a cluster, which divide the grid; 0: as the kernel says
    bool non_portable;   // clusters may have more than GPU_PORTABLE_CLUSTER blocks
    // It may begin when all blocks of the kernel before it in its stream have executed
    // griddepcontrol.launch_dependents or ended, and waits for that kernel in griddepcontrol.wait.
    bool programmatic;
    struct policy_window window; // of L2; bytes 0: none
    // An event that is recorded when all blocks have executed griddepcontrol.launch_dependents or ended, or
    // with event_at_start when all have begun; NULL: none. A kernel that waits for it in another stream waits in
    // griddepcontrol.wait for the end of this one.
    struct gpu_event *event;
    bool event_at_start;
};
// Blocks of a cluster that every GPU with clusters takes, and that one may take at most (CUDA C++
// Programming Guide 12.3, thread block clusters).
enum { GPU_PORTABLE_CLUSTER = 8, GPU_MOST_CLUSTER = 16 };
// What a kernel says of its clusters: their blocks in three dimensions, the most blocks (0: nothing),
// and that a launch must have some. Clusters of a launch are those of the launch or else the kernel's;
// 0: none. WW_ERROR_LAUNCH with a sentence: such ones are not possible.
struct gpu_kernel_clusters {
    uint32_t required[3], most;
    bool must_be_set;
    bool are_blocks; // .blocksareclusters, which is refused
};
struct gpu_kernel_clusters gpu_kernel_clusters(const struct gpu_kernel *k);
enum ww_status gpu_launch_clusters(struct gpu_kernel *k, const struct gpu_launch *l,
                                   struct diags *d, uint32_t cluster[3]);
// Clusters of such a launch that an empty GPU holds at once.
enum ww_status gpu_launch_max_clusters(struct gpu_kernel *k, const struct gpu_launch *l,
                                       struct diags *d, uint32_t *n);

// Checks against limits and queues. `id` (may be NULL) is the launch's number, from 1.
enum ww_status gpu_launch(struct gpu *g, struct gpu_stream *s, struct gpu_kernel *k,
                          const struct gpu_launch *l, struct diags *d, uint64_t *id);

// ---- handles of warpwatt.h, for the part of it that the power room implements
struct ww_gpu;
const struct gpu_config *gpu_api_config(const struct ww_gpu *g);
const struct gpu_result *gpu_api_result(const struct ww_gpu *g, size_t i); // NULL: there is none

#endif
