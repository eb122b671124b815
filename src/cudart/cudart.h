// libcudart over the driver API. One implementation for every major version (cudart_major says
// which one a program was built for); the driver library holds the device, its memory and its time.
//
//   state.c     errors, the context of a thread, the table of what programs registered
//   register.c  what constructors of nvcc-built programs call
//   launch.c    kernels: configuration stack, launches, attributes, occupancy
//   memory.c    allocation, managed and pinned memory, pools
//   copy.c      copies and fills in all shapes
//   stream.c    streams, events, host functions
//   device.c    devices, properties, limits
//   texture.c   arrays, textures, surfaces
//   graph.c     capture and launches of graphs, which are the driver's
//   graph_node.c graphs that are built and changed by hand
//   refuse.c    entry points that are answered with cudaErrorNotSupported
//   per_thread.c names that end in _ptsz and _ptds
//   replace.c   programs and libraries with a runtime of their own linked in (libwarpwatt-static.so)
//   jump.c      a jump over the start of a function
//   preload.c   has them replaced in time (libwarpwatt-preload.so)
//   audit.c     finds their libraries, and ours in place of installed ones (libwarpwatt-audit.so)
//
// Every entry point stands in api.def.
#ifndef WW_CUDART_H
#define WW_CUDART_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cudart/runtime.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

extern int cudart_major; // 11, 12, 13

// ---- errors -------------------------------------------------------------------------------------
// Remembers an error for cudaGetLastError and answers it. "Not ready" is an answer and is not kept.
cudaError_t cudart_done(CUresult r);
cudaError_t cudart_error(cudaError_t e);
// A sentence on stderr.
void cudart_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

// ---- the thread's context -----------------------------------------------------------------------
// The driver is initialised and a context current (device 0's primary one when the program made
// none).
CUresult cudart_ready(void);
#define CUDART_READY()                                                                             \
    do {                                                                                           \
        const CUresult ready_ = cudart_ready();                                                    \
        if (ready_ != CUDA_SUCCESS) return cudart_done(ready_);                                    \
    } while (0)
// cudaDeviceReset: modules are loaded again at the next use.
void cudart_forget_modules(void);

// ---- what was registered ------------------------------------------------------------------------
// A translation unit (or linked program): its fat binary, loaded at the first use of something in
// it.
struct cudart_unit {
    const void *wrapper;
    CUmodule module;
    CUresult status; // of loading
    bool tried, gone;
    struct cudart_unit *next;
};
struct cudart_function {
    const void *host; // address that the program knows it by; NULL: from a library
    const char *name;
    struct cudart_unit *unit;
    CUfunction function;
};
struct cudart_variable {
    const void *host;
    const char *name;
    struct cudart_unit *unit;
    size_t bytes;
    void **managed; // the program's pointer to be filled in, or NULL
    bool is_texture, is_surface;
    bool reads_fractions; // texture reference: integers come as fractions
};
void cudart_add_function(struct cudart_unit *u, const void *host, const char *name);
struct cudart_variable *cudart_add_variable(struct cudart_unit *u, const void *host,
                                            const char *name, size_t bytes);
// By host address, by the handle itself, or by a kernel of the driver's, which a cudaKernel_t may
// be too; loads its unit. Takes and releases the table's lock.
cudaError_t cudart_function(const void *host, CUfunction *out);
cudaError_t cudart_kernel(const void *host, struct cudart_function **out);
cudaError_t cudart_variable(const void *host, struct cudart_variable **out);
cudaError_t cudart_symbol(const void *host, CUdeviceptr *address, size_t *bytes);
// Loads units that hold managed variables: their pointers must be right before main reads them.
CUresult cudart_load_managed(struct cudart_unit *u);
struct cudart_unit *cudart_unit_new(const void *wrapper);
void cudart_unit_remove(struct cudart_unit *u);
struct cudart_function *cudart_function_of_library(CUfunction f);
// What a program names the driver's function by: its address, or the cudaKernel_t of a library;
// NULL: neither.
const void *cudart_handle_of(CUfunction f);

// ---- between the chapters -----------------------------------------------------------------------
bool cudart_format(const struct cudaChannelFormatDesc *d, CUarray_format *format,
                   unsigned *channels);
struct cudaChannelFormatDesc cudart_channel(CUarray_format format, unsigned channels);
unsigned cudart_texel_bytes(cudaArray_t a);
cudaError_t cudart_box(const struct cudaMemcpy3DParms *p,
                       CUDA_MEMCPY3D *out);  // a program's box as the driver's
cudaError_t cudart_refuse(const char *call); // names it once; cudaErrorNotSupported
// What calls of a linked-in runtime meet whose version is not the first one's (replace.c). The last
// error stays as it is: it is that of the first version's files.
cudaError_t cudart_refuse_version(void);

#endif
