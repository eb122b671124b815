// The measuring kit: what its parts share. docs/measure.md says what it measures and how it is
// used.
//
// A part (measure.def) writes the PTX of its kernels (struct kernels) and runs them; the same list
// of kernels is compiled beforehand (prebuild.c) and loaded on the machine (kernels.c). Every part
// runs in a process of its own, which main.c starts, so a part may simply end its process when the
// GPU fails it: rows that it wrote before are kept.
#ifndef MEASURE_H
#define MEASURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "cuda.h"

// ---------------------------------------------------------------------------------- text.c
// A string that grows.
struct text {
    char *at;
    size_t length, room;
};
void text_add(struct text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_free(struct text *t);
// Replaces each `$x` of `from` by the value that `names` has for the letter x, as in "a=%a0 d=%d0".
void text_fill(struct text *t, const char *from, const char *names);
// Calls `each` for every text that a pattern stands for: `<a/b/>` is a, b or nothing.
void text_expand(const char *pattern, void (*each)(void *to, const char *text), void *to);
// Ends the process with a sentence: the environment failed.
_Noreturn void die(const char *format, ...) __attribute__((format(printf, 1, 2)));
void *need(void *memory); // dies where there is none
char *copy_text(const char *from);
double seconds_now(void);   // a clock that never goes back
uint64_t mix64(uint64_t x); // SplitMix64's finaliser: a bijection with good avalanche

// ----------------------------------------------------------------------------------- gpu.c
// Every call of the driver that the kit makes. All exist since CUDA 9, but the last three.
#define CUDA_CALLS(X)                                                                              \
    X(cuInit)                                                                                      \
    X(cuDeviceGet)                                                                                 \
    X(cuDeviceGetName)                                                                             \
    X(cuDriverGetVersion)                                                                          \
    X(cuDeviceGetAttribute)                                                                        \
    X(cuDeviceTotalMem)                                                                            \
    X(cuDeviceGetPCIBusId)                                                                         \
    X(cuCtxCreate)                                                                                 \
    X(cuCtxSynchronize)                                                                            \
    X(cuGetErrorName)                                                                              \
    X(cuModuleLoadDataEx)                                                                          \
    X(cuModuleUnload) X(cuModuleGetFunction) X(cuModuleGetGlobal) X(cuMemAlloc) X(cuMemFree)       \
        X(cuMemGetInfo) X(cuMemcpyHtoD) X(cuMemcpyDtoH) X(cuMemsetD8) X(cuMemsetD32)               \
            X(cuLaunchKernel) X(cuFuncSetAttribute) X(cuFuncGetAttribute) X(cuEventCreate)         \
                X(cuEventRecord) X(cuEventSynchronize) X(cuEventElapsedTime) X(cuStreamCreate)     \
                    X(cuStreamQuery) X(cuOccupancyMaxActiveBlocksPerMultiprocessor)
#define CUDA_CALLS_OF_12(X) X(cuLaunchKernelEx) X(cuOccupancyMaxActiveClusters)

struct gpu {
#define X(name) __typeof__(name) *name;
    CUDA_CALLS(X)
    CUDA_CALLS_OF_12(X) // the latter are NULL where the driver has none
#undef X
    void *library;
    CUdevice device;
    CUcontext context;
    char name[128];
    int driver;     // 12040: CUDA 12.4
    int capability; // 90: 9.0
    int sms;
    bool failed; // the context has met an error that stays
};
// A library of the driver's, where the loader finds it or where drivers put it; NULL: nowhere.
void *open_library(const char *name);
// False, with a sentence in `why`, where there is no GPU.
bool gpu_open(struct gpu *g, char *why, size_t room);
// Ends the process with a sentence where the driver refused.
void gpu_check(struct gpu *g, CUresult r, const char *what);
#define GPU(g, name, ...) gpu_check(g, (g)->name(__VA_ARGS__), #name)
int gpu_attribute(struct gpu *g, CUdevice_attribute which);
CUdeviceptr gpu_alloc(struct gpu *g, size_t bytes); // zeroed
CUdeviceptr gpu_upload(struct gpu *g, const void *from, size_t bytes);
void gpu_free(struct gpu *g, CUdeviceptr at);
void gpu_read(struct gpu *g, void *to, CUdeviceptr from, size_t bytes);
// Launches and waits: NULL, or the driver's name of the error. Errors of a running kernel stay, so
// the process must end after one; gpu_failed says so.
struct launch {
    unsigned grid, block, shared, cluster; // cluster 0: none
};
const char *gpu_launch(struct gpu *g, CUfunction f, struct launch l, void **arguments);
// As gpu_launch, but the time between events around it, in milliseconds; negative: it failed.
double gpu_time(struct gpu *g, CUfunction f, struct launch l, void **arguments);
const char *gpu_error(struct gpu *g, CUresult r);

// ------------------------------------------------------------------------------- kernels.c
enum { KERNEL_PLAIN, KERNEL_ARCH }; // the latter needs sm_90a's own instructions
// A kernel of a list. Its text has no header; `entry` is its name in the module.
struct kernel {
    char *name; // what files call it
    char entry[24];
    char *text;
    int needs; // compute capability: 70, 75, ...
    int kind;  // KERNEL_
    // on the machine:
    CUmodule module;
    CUfunction function; // NULL: refused
    char *refused;       // why
};
struct kernels {
    const char *part; // names files of a kit
    struct kernel *at;
    unsigned count, room;
    unsigned chunk; // kernels a module; 0: 64
};
// Adds a kernel and returns where to write its body: everything between the braces of the entry,
// whose parameters are p0, p1, ... of the given types ("u64 u64 u32"). `outside` is module-level
// text.
struct kernel *kernels_add(struct kernels *list, const char *name, int needs, int kind);
// Sets the kernel's text: parameters and body, and what stands before it in the module (or NULL).
void kernel_text(struct kernel *k, const char *parameters, const char *outside, const char *body);
void kernels_free(struct kernels *list);
// Makes modules of up to `chunk` kernels. `make` gets a module's text without its header and says
// whether it is good; a bad module is halved until single kernels are left, which are refused.
typedef bool kernels_maker(void *with, const char *name, const char *text, int kind,
                           CUmodule *module, char *why, size_t room);
void kernels_make(struct kernels *list, int capability, kernels_maker *make, void *with);
// The header of a module: version and target.
void kernels_header(struct text *t, int isa, int capability, int kind);
uint64_t kernels_hash(const char *text);
int kernels_isa(int driver); // the PTX ISA (90: 9.0) of a driver's CUDA version

struct kit;
// Loads a part's kernels: from the kit's cubins where they fit, else by the driver's compiler.
void kernels_load(struct kit *k, struct kernels *list);
// Compiles a list with ptxas into FOLDER/cubin/sm_XX; returns how many kernels it refused.
unsigned kernels_prebuild(struct kernels *list, const char *folder, const char *ptxas,
                          int capability, int isa, FILE *refusals);

// --------------------------------------------------------------------------------- sheet.c
// A file of results: CSV whose every line is flushed when it ends.
struct sheet {
    FILE *file;
    const struct sheet_form *form;
    unsigned column;
};
// What a file holds: its columns with units, their kinds (s text, x hex, d whole number, f number,
// lower case; upper case: may be empty), and a sentence.
struct sheet_form {
    const char *file;  // name without .csv
    const char *heads; // with commas
    const char *kinds;
    const char *prose;
};
extern const struct sheet_form sheet_forms[];
extern const unsigned sheet_form_count;
const struct sheet_form *sheet_form_find(const char *file);
struct sheet sheet_open(struct kit *k, const char *file); // starts it anew
struct sheet sheet_more(struct kit *k, const char *file); // goes on with what is there
void sheet_text(struct sheet *s, const char *value);      // commas become blanks
void sheet_int(struct sheet *s, int64_t value);
void sheet_hex(struct sheet *s, uint64_t value, int digits);
void sheet_hexes(struct sheet *s, const char *digits); // with blanks between, maybe
void sheet_real(struct sheet *s, double value);        // empty where it is no number
void sheet_none(struct sheet *s);
void sheet_end(struct sheet *s); // the line; dies where columns are missing
void sheet_close(struct sheet *s);
// Checks every file of a folder against its form; returns the number of faults, each told.
unsigned sheet_check(const char *folder, FILE *say);

// ---------------------------------------------------------------------------------- nvml.c
struct nvml; // what the management library answers; all of it may be missing
struct nvml *nvml_open(void);
struct reading {
    double watts, joules, celsius;      // joules: the board's counter; NAN: not known
    double instant_watts, memory_watts; // where the board tells more than its mean
    double core_mhz, memory_mhz;
    uint64_t throttle; // reasons as the library's mask
};
struct reading nvml_read(struct nvml *n);
// Asks nvidia-smi, which takes tenths of a second; NAN where the board has no answer.
double nvml_millivolts(struct nvml *n);
bool nvml_there(const struct nvml *n);
void nvml_close(struct nvml *n);

// ---------------------------------------------------------------------------------- main.c
struct kit {
    struct gpu gpu;
    struct nvml *nvml;
    const char *out;  // folder of results
    const char *home; // folder of the kit: cubins, programs
    const char *part; // the part that runs
    const char *only; // NULL, or operations to restrict a part to: names that contain it
    bool once;        // each kernel once: a profiler looks on
    int scale;        // 0: tiny (the self-test), 1: full
    bool cut;         // something was left out as time was over
    double ends;      // seconds_now() at which the part must have ended
};
double kit_left(const struct kit *k);
// Whether less than so many seconds are left; the part then counts as cut.
bool kit_over(struct kit *k, double seconds);
// Ends the part's process because a kernel broke the context or never ended. The part is started
// anew and the kernel then refused (refused.csv).
_Noreturn void kit_lost(struct kit *k, const char *kernel, const char *why);
static inline unsigned kit_pick(const struct kit *k, unsigned full, unsigned tiny) {
    return k->scale ? full : tiny;
}
// Notes the board's state beside a part's work, in conditions.csv.
void kit_condition(struct kit *k, const char *part, const char *when);

struct part {
    const char *name;
    double full, tiny; // seconds that it takes, about
    int needs;         // compute capability
    const char *asks;  // "", or what must be there: nvml, ncu, programs
    const char *files; // with blanks between
    const char *prose;
    void (*kernels)(struct kernels *list); // NULL: it has none
    void (*run)(struct kit *k);
};
extern const struct part parts[];
extern const unsigned part_count;
const struct part *part_find(const char *name);

#endif
