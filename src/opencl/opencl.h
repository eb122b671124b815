// libwarpwatt-opencl.so: an OpenCL platform of one device, the simulated GPU. An ICD: a loader (ocl-icd) finds it by
// warpwatt.icd and calls it through the dispatch table that every object begins with.
//
//   platform.c    the dispatch table, the platform, what only newer versions have
//   device.c      what the device answers
//   context.c     contexts, and the process's CUDA context behind them
//   queue.c       queues; commands wait for events here and go to streams of the driver
//   event.c       events, user events, profiling, callbacks
//   memory.c      buffers and what buffers and images share
//   image.c       images and samplers: arrays, texture and surface objects of the driver
//   copy.c        reads, writes, copies, fills, maps
//   compiler.c    OpenCL C to PTX by clang and libclc
//   ir.c, ir_printf.c   what IR says of kernels; printf in it
//   program.c     programs: building, compiling, linking, binaries
//   kernel.c      kernels, their arguments, launches
//   builtins.cl, builtins_3_0.cl   built-in functions that libclc lacks for this target
//
// Everything goes through the CUDA driver's API, as a program of that API would (cuLaunchKernel, streams, events), so that
// results, times and energy are those of the driver's library. One lock guards all objects.
#ifndef WW_OPENCL_H
#define WW_OPENCL_H

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_USE_DEPRECATED_OPENCL_2_0_APIS
#define CL_USE_DEPRECATED_OPENCL_2_1_APIS
#define CL_USE_DEPRECATED_OPENCL_2_2_APIS
#include <CL/cl_icd.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "cuda.h"

// ---- objects ------------------------------------------------------------------------------------
enum ocl_kind {
    OCL_DEAD,
    OCL_PLATFORM = 0x77770001,
    OCL_DEVICE,
    OCL_CONTEXT,
    OCL_QUEUE,
    OCL_MEMORY,
    OCL_SAMPLER,
    OCL_PROGRAM,
    OCL_KERNEL,
    OCL_EVENT,
};
// The head of each object. The loader reads `dispatch`, so it comes first.
struct ocl_object {
    const cl_icd_dispatch *dispatch;
    enum ocl_kind kind;
    cl_uint references;
};
extern const cl_icd_dispatch ocl_dispatch;
// A zeroed object with one reference; NULL: host memory is out.
void *ocl_new(enum ocl_kind kind, size_t bytes);
#define OCL_IS(object, of_kind) ((object) && (object)->o.kind == (of_kind))

// Functions that program's callers named to be called at an object's end, the last one first.
struct ocl_ending {
    struct ocl_ending *next;
    void (*function)(void *object, void *user);
    void *user;
};

struct _cl_platform_id {
    struct ocl_object o;
};
struct _cl_device_id {
    struct ocl_object o;
    char name[128];
    int cc_major, cc_minor;
};
struct _cl_context {
    struct ocl_object o;
    cl_context_properties *properties;
    size_t n_properties; // with the 0 at the end
    struct ocl_ending *endings;
};

enum {
    OCL_STREAMS = 8
}; // of a queue out of order: as many commands can be under way at once; assumed
struct _cl_command_queue {
    struct ocl_object o;
    cl_context context;
    cl_command_queue_properties properties;
    cl_queue_properties list[16]; // as it was given, with the 0 at the end
    cl_uint n_list;
    CUstream stream[OCL_STREAMS];
    unsigned n_streams, turn;
    struct ocl_command *first, *last; // those that wait for events
};

struct ocl_callback {
    struct ocl_callback *next;
    cl_event event;
    cl_int status;
    void(CL_CALLBACK *function)(cl_event event, cl_int status, void *user);
    void *user;
};
struct _cl_event {
    struct ocl_object o;
    cl_context context;
    cl_command_queue queue; // NULL: a user event
    cl_command_type type;
    cl_int status;      // CL_QUEUED; CL_SUBMITTED: its stream has it; CL_COMPLETE; an error
    CUevent start, end; // once it is submitted
    double queued_s, submitted_s;
    struct ocl_callback *callbacks; // until it is submitted
};

struct _cl_mem {
    struct ocl_object o;
    uint64_t id; // no other memory object of the process has it, before or after
    cl_context context;
    cl_mem_object_type type;
    cl_mem_flags flags;
    size_t bytes;
    cl_mem parent; // of a sub-buffer, or of an image made of a buffer
    size_t origin; // in the parent
    CUdeviceptr address;
    void *host_ptr;  // CL_MEM_USE_HOST_PTR
    uint8_t *shadow; // where maps show it
    unsigned maps;
    // of one that is no part of another: see ocl_version
    uint64_t version;
    cl_event last_write;
    CUstream last_writer;
    struct ocl_ending *endings;
    cl_mem_properties *properties;
    size_t n_properties;
    // images
    cl_image_format format;
    cl_image_desc desc;
    size_t texel_bytes;
    CUarray array;
    CUsurfObject surface;
    CUtexObject texture[32]; // by sampler (image.c); 0: not made yet
    CUdeviceptr descriptor;  // what kernels get
    bool told;               // the descriptor holds what is above
    struct ocl_map *mapped;
};

struct _cl_sampler {
    struct ocl_object o;
    cl_context context;
    cl_bool normalized;
    cl_addressing_mode addressing;
    cl_filter_mode filter;
    cl_sampler_properties properties[8];
    cl_uint n_properties;
};

// What the compiler says of a kernel.
struct ocl_argument {
    unsigned space; // 0: by value; 1: global; 2: constant; 3: local
    bool is_image, is_sampler, is_const;
    char *access, *type, *qualifiers, *name;
};
struct ocl_signature {
    struct ocl_signature *next;
    char *name, *vector_hint;
    unsigned n_arguments;
    struct ocl_argument *arguments;
    size_t required[3], hint[3];
};
void ocl_signatures_free(struct ocl_signature *s);

enum {
    OCL_CONSTANTS_ALIGN = 256,
    OCL_CONSTANTS = 65536 / OCL_CONSTANTS_ALIGN // more buffers constant memory cannot hold
};
struct _cl_program {
    struct ocl_object o;
    cl_context context;
    char *source, *options, *log;
    char *object; // IR as text: compiled, not linked
    char *binary; // PTX with what is said of its kernels in front
    cl_build_status status;
    cl_program_binary_type binary_type;
    struct ocl_signature *signatures;
    CUmodule module;
    unsigned kernels; // alive
    // what its constant memory holds now (kernel.c)
    CUdeviceptr constants;
    size_t constant_bytes;
    struct ocl_constant {
        uint64_t id, version; // of the memory object
    } constant[OCL_CONSTANTS];
    unsigned n_constants;
    CUstream last_stream;
    uint32_t offset[3], dimensions; // as its module has them
    void(CL_CALLBACK *release)(cl_program program, void *user);
    void *release_user;
};

struct ocl_value {
    bool is_set;
    size_t local_bytes;
    cl_mem memory;
    cl_sampler sampler;
};
struct _cl_kernel {
    struct ocl_object o;
    cl_program program;
    const struct ocl_signature *signature;
    CUfunction function;
    size_t param_bytes, *offset, *bytes; // by argument
    uint8_t *params;
    struct ocl_value *value;
    bool holds_arguments; // one that a command has for itself
};

// ---- commands (queue.c) -------------------------------------------------------------------------
// A box of bytes: x in bytes, y rows, z slices.
struct ocl_box {
    size_t origin[3], row_pitch, slice_pitch;
};
struct ocl_end { // of a copy: one of the three
    void *host;
    CUdeviceptr device;
    CUarray array;
    struct ocl_box box;
};
struct ocl_command {
    struct ocl_command *next;
    cl_event event;
    cl_event *after;
    cl_uint n_after;
    bool waits_for_all, is_barrier;
    struct ocl_object *held[4]; // until it is submitted
    CUresult (*issue)(struct ocl_command *c, CUstream stream);
    cl_mem writes; // one of those held; a launch's are its kernel's arguments
    union {
        struct {
            struct ocl_end from, to;
            size_t region[3]; // x in bytes
        } copy;
        struct {
            CUdeviceptr at;
            size_t bytes, pattern_bytes;
            uint8_t pattern[128];
        } fill;
        struct {
            cl_kernel kernel; // a clone with arguments of its own
            cl_uint dimensions;
            size_t offset[3], grid[3], block[3];
        } launch;
    };
    void *scratch; // freed with the command
};
struct ocl_command *ocl_command_new(cl_command_queue q, cl_command_type type,
                                    CUresult (*issue)(struct ocl_command *, CUstream));
void ocl_command_hold(struct ocl_command *c, void *object);
// Takes the command, whatever it answers. `event` may be NULL. A blocking one has ended when this returns.
cl_int ocl_enqueue(cl_command_queue q, struct ocl_command *c, cl_uint n_after,
                   const cl_event *after, cl_event *event, bool is_blocking);
cl_int ocl_check_wait_list(cl_context context, cl_uint n, const cl_event *list);
void ocl_pump_all(void);                     // an event has become something that commands wait for
cl_int ocl_queue_finish(cl_command_queue q); // waits until it is empty
cl_int ocl_error(CUresult r);

// ---- the lock and the driver (context.c) --------------------------------------------------------
int ocl_lock(void); // also makes the CUDA context current in this thread
void ocl_unlock(const int *unused);
void ocl_wait(void); // for ocl_changed, with the lock
void ocl_changed(void);
#define LOCKED __attribute__((cleanup(ocl_unlock), unused)) const int locked_ = ocl_lock()
bool ocl_open(void); // opens the GPU; false: there is none
cl_device_id ocl_device(void);
cl_platform_id ocl_platform(void);
int ocl_attribute(CUdevice_attribute attribute);
double ocl_now_s(void);                               // simulated seconds since the GPU was opened
bool ocl_event_s(CUevent e, double *s);               // when it happened; false: not yet
void ocl_say(const char *word, const char *sentence); // once for each word

// ---- between the chapters -----------------------------------------------------------------------
void ocl_retain(void *object);
void ocl_release(void *object); // with the lock
void ocl_context_end(cl_context c);
void ocl_queue_end(cl_command_queue q);
void ocl_memory_end(cl_mem m);
void ocl_program_end(cl_program p);
void ocl_kernel_end(cl_kernel k);
void ocl_event_end(cl_event e);
cl_event ocl_event_new(cl_context context, cl_command_queue queue, cl_command_type type);
void ocl_event_callbacks_issued(cl_event e);
void ocl_event_wait(cl_event e);
struct ocl_ending *ocl_ending_new(struct ocl_ending *next, void (*function)(void *, void *),
                                  void *user);
void ocl_endings_run(struct ocl_ending *e, void *object);

cl_int ocl_memory_shadow(cl_mem m); // makes it, when there is none
cl_mem ocl_memory_new(cl_context context, cl_mem_object_type type, cl_mem_flags flags,
                      size_t bytes);
cl_int ocl_check_flags(cl_mem_flags flags, const void *host_ptr);
CUdeviceptr ocl_memory_at(cl_mem m);
void ocl_image_end(cl_mem m);
cl_int ocl_image_tell(cl_mem m, CUdeviceptr *descriptor);
uint64_t ocl_sampler_bits(cl_sampler s);
void ocl_image_size(cl_mem m, size_t size[3]); // texels; layers count as the dimension behind
// Moves on with each command that may write what the object is a part of, when that command is submitted. OCL_UNSETTLED:
// the last one is still under way on another stream, so that what `stream` reads now may be older than the version.
enum { OCL_UNSETTLED = 0 };
uint64_t ocl_version(cl_mem m, CUstream stream);
void ocl_touch(cl_mem m, cl_event by, CUstream stream);
void ocl_map_forget(cl_mem m);

// ---- compiler.c ---------------------------------------------------------------------------------
struct ocl_header {
    const char *name, *text;
};
// All texts are malloc'd; `log` is what clang said, or one sentence when there is no clang.
bool ocl_compile(const char *source, const char *options, const struct ocl_header *headers,
                 size_t n, char **object, char **log);
bool ocl_link(char *const *objects, size_t n, const char *options, char **ptx, char **log);
bool ocl_link_library(char *const *objects, size_t n, char **object, char **log);
struct ocl_signature *ocl_signatures_of_ir(const char *ir);
bool ocl_has_compiler(void);
// What OpenCL C of this device has, for the compiler and for who asks the device: names, and the least compute capability.
#define OCL_EXTENSIONS(X)                                                                          \
    X(cl_khr_byte_addressable_store, 0)                                                            \
    X(cl_khr_global_int32_base_atomics, 0)                                                         \
    X(cl_khr_global_int32_extended_atomics, 0)                                                     \
    X(cl_khr_local_int32_base_atomics, 0)                                                          \
    X(cl_khr_local_int32_extended_atomics, 0)                                                      \
    X(cl_khr_int64_base_atomics, 20)                                                               \
    X(cl_khr_int64_extended_atomics,                                                               \
      32) /* PTX ISA 8.4, atom: and, or, xor, min, max of 64 bits */                               \
    X(cl_khr_fp64, 13)                                                                             \
    X(cl_khr_3d_image_writes, 0)
#define OCL_FEATURES(X)                                                                            \
    X(__opencl_c_fp64, 13)                                                                         \
    X(__opencl_c_int64, 0)                                                                         \
    X(__opencl_c_images, 0)                                                                        \
    X(__opencl_c_3d_image_writes, 0)                                                               \
    X(__opencl_c_atomic_order_acq_rel, 0)                                                          \
    X(__opencl_c_atomic_order_seq_cst, 0)                                                          \
    X(__opencl_c_atomic_scope_device, 0)
struct ocl_trait {
    const char *name;
    int cc; // major * 10 + minor
};
int ocl_cc(void);
// What is wrong with options in one sentence (malloc'd); NULL: OpenCL has all of them.
char *ocl_options_wrong(const char *options);
char *ocl_signatures_text(const struct ocl_signature *s); // as comments of PTX
struct ocl_signature *ocl_signatures_parse(const char *text);
char *ocl_printf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

// ---- answers ------------------------------------------------------------------------------------
cl_int ocl_answer(const void *value, size_t bytes, size_t room, void *out, size_t *needed);
#define ANSWER(value) return ocl_answer(&(value), sizeof(value), room, out, needed)
#define ANSWER_AS(type, v)                                                                         \
    do {                                                                                           \
        const type a_ = (type)(v);                                                                 \
        return ocl_answer(&a_, sizeof a_, room, out, needed);                                      \
    } while (0)
#define ANSWER_TEXT(text)                                                                          \
    do {                                                                                           \
        const char *t_ = (text);                                                                   \
        return ocl_answer(t_, strlen(t_) + 1, room, out, needed);                                  \
    } while (0)
#define ANSWER_NOTHING return ocl_answer("", 0, room, out, needed)
#define FAIL(code)                                                                                 \
    do {                                                                                           \
        if (error) *error = (code);                                                                \
        return NULL;                                                                               \
    } while (0)
#define API(type) __attribute__((visibility("default"))) CL_API_ENTRY type CL_API_CALL

#endif
