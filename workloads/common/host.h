// host.h: what the host programs of the workloads share.
//
// A workload's host reads its size, makes its input from a seed, runs its kernels through the CUDA
// driver API, computes the same answer on the CPU in another way, and compares. It links nothing
// but libcuda, so the same binary runs on the simulated GPU and on a real one.
//
// With WARPWATT_TIMES=FILE in the environment every launch is timed between two events, and at the
// end FILE gets a line of CSV for each kernel: program, kernel, launches, milliseconds in all.
//
// Programs, not a library: on a failed call or bad usage these functions print one sentence and
// exit (1: a failure; 2: usage), and host_close gives the exit code of the checks.
#ifndef WW_WORKLOAD_HOST_H
#define WW_WORKLOAD_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cuda.h"

enum { HOST_PARAMS = 8, HOST_BUFFERS = 32, HOST_ARRAYS = 8, HOST_KERNELS = 32 };

// One number on the command line, in order.
struct host_param {
    const char *name;
    int64_t min, max;
    const char *words;
    int optional; // 1: may be left out, as all behind it; it is `min` then
};

// A named set of them. The build writes the table from workload.yaml into sizes.h.
struct host_size {
    const char *name;
    const char *args;
    const char *note;
};

struct host_program {
    const char *name;
    const struct host_param *param;
    size_t params;
    const struct host_size *size;
    size_t sizes; // the first one is what runs when nothing is said
    bool only_volta; // its kernels need compute capability 7.0: there is only that module
};

struct host_timed { // one kernel's launches
    CUfunction function;
    const char *name;
    unsigned long launches;
    double milliseconds;
};

#define HOST_COUNT(array) (sizeof(array) / sizeof((array)[0]))

struct host {
    const struct host_program *program;
    int64_t arg[HOST_PARAMS];
    bool volta; // the module compiled with WW_VOLTA: by size `volta`, --volta, or as there is no other
    CUcontext context;
    CUmodule module;
    CUdeviceptr buffer[HOST_BUFFERS];
    size_t buffers;
    CUarray array[HOST_ARRAYS];
    size_t arrays;
    uint64_t random[4];
    unsigned checks, failures;
    struct host_timed timed[HOST_KERNELS];
    size_t kernels;
};

// Reads the command line, starts the driver and loads the module: the PTX file named by
// WW_WORKLOAD_PTX, else <program>.ptx or <program>.volta.ptx in the folder of the executable.
void host_open(struct host *h, int argc, char **argv, const struct host_program *program);

// Usage that the table of parameters cannot say: prints the sentence and exits unless it holds.
void host_require(const struct host *h, bool holds, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// Frees what is left, prints the verdict, returns the exit code.
int host_close(struct host *h);

CUfunction host_kernel(struct host *h, const char *name);
CUdeviceptr host_alloc(struct host *h, size_t bytes); // freed by host_close
CUdeviceptr host_upload(struct host *h, const void *data, size_t bytes);
void host_write(CUdeviceptr to, const void *from, size_t bytes);
void host_read(void *to, CUdeviceptr from, size_t bytes);
void host_write_symbol(struct host *h, const char *symbol, const void *from, size_t bytes);

// Bind the kernel's TEXTURE(name): texels of 1, 2 or 4 channels, read as they are (integers stay
// integers). host_bind_linear: to `bytes` of device memory, numbered; host_bind_image: to a copy of
// `texels`, row by row, in a two-dimensional array whose coordinates are texels and are clamped to
// its edges.
void host_bind_linear(struct host *h, const char *name, CUdeviceptr address, size_t bytes,
                      CUarray_format format, unsigned channels);
void host_bind_image(struct host *h, const char *name, const void *texels, size_t width,
                     size_t height, CUarray_format format, unsigned channels);

// Zeroed host memory, never NULL; free() it.
void *host_memory(size_t count, size_t bytes);

// A launch on the default stream. The variable arguments are pointers to the kernel's parameters.
struct dim {
    unsigned x, y, z;
};
#define host_launch(function, grid, block, shared_bytes, ...)                                      \
    host_launch_with(function, grid, block, shared_bytes, (void *[]){__VA_ARGS__})
void host_launch_with(CUfunction function, struct dim grid, struct dim block, unsigned shared_bytes,
                      void **params);
void host_wait(void);

// Seeded by --seed; the same on every machine (xoshiro256**, Blackman and Vigna 2018).
uint64_t host_random(struct host *h);
uint32_t host_random_below(struct host *h, uint32_t bound);
float host_random_float(struct host *h, float low, float high); // [low, high)

// Compare `count` results with what they should be; the first few that differ are printed. A float
// may be off by absolute + relative * |want|; NaN is equal to nothing.
void host_check_float(struct host *h, const char *what, const float *got, const double *want,
                      size_t count, double relative, double absolute);
void host_check_int(struct host *h, const char *what, const int32_t *got, const int32_t *want,
                    size_t count);
// Any other property.
void host_check_that(struct host *h, bool holds, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// A driver call that must succeed.
#define CHECK(call) host_check_call((call), #call, __FILE__, __LINE__)
void host_check_call(CUresult result, const char *call, const char *file, int line);

#endif
