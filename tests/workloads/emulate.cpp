// emulate.cpp: as much of the CUDA driver API as the workloads' hosts use, with kernels that are
// C++ functions in this program (see emulate.h and the file that the build writes for a workload).
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#include "cuda.h"
#include "emulate.h"
#include "emulate_table.h"

emulate_index threadIdx, blockIdx, blockDim, gridDim;
unsigned char *emulate_dynamic_shared;

// --------------------------------------------------------------------------------- one block

enum { STACK_BYTES = 64 * 1024, MAX_THREADS = 1024 };
enum wait { READY, AT_BARRIER, AT_STEP, DONE };

struct fiber {
    ucontext_t context;
    emulate_index index;
    wait state;
};

static fiber fibers[MAX_THREADS];
static char *stacks;
static ucontext_t scheduler;
static fiber *running;
static const emulate_kernel *kernel;
static void **kernel_params;

static void fiber_main() {
    kernel->call(kernel_params);
    running->state = DONE;
}

static void stop(wait state) {
    fiber *self = running;
    self->state = state;
    swapcontext(&self->context, &scheduler);
    running = self;
    threadIdx = self->index;
}
void __syncthreads() { stop(AT_BARRIER); }
void warp_step() { stop(AT_STEP); }

// Called when no thread is ready. A step waits for the threads of its warp that are not at a
// barrier or done, so all steps go on first; then all barriers. False when the block is finished.
static bool release(unsigned threads) {
    bool any = false;
    for (unsigned i = 0; i < threads; i++) {
        if (fibers[i].state != AT_STEP) continue;
        fibers[i].state = READY;
        any = true;
    }
    if (any) return true;
    for (unsigned i = 0; i < threads; i++) {
        if (fibers[i].state != AT_BARRIER) continue;
        fibers[i].state = READY;
        any = true;
    }
    return any;
}

static void run_block(unsigned threads) {
    static const bool reverse = getenv("WW_EMULATE_REVERSE") != nullptr;
    for (unsigned i = 0; i < threads; i++) {
        fiber *f = &fibers[i];
        f->state = READY;
        f->index = {i % blockDim.x, i / blockDim.x % blockDim.y, i / blockDim.x / blockDim.y};
        getcontext(&f->context);
        f->context.uc_stack.ss_sp = stacks + (size_t)i * STACK_BYTES;
        f->context.uc_stack.ss_size = STACK_BYTES;
        f->context.uc_link = &scheduler;
        makecontext(&f->context, fiber_main, 0);
    }
    do {
        for (unsigned n = 0; n < threads; n++) {
            fiber *f = &fibers[reverse ? threads - 1 - n : n];
            if (f->state != READY) continue;
            running = f;
            threadIdx = f->index;
            swapcontext(&scheduler, &f->context);
        }
    } while (release(threads));
}

// --------------------------------------------------------------------------------- textures

struct CUarray_st {
    CUDA_ARRAY_DESCRIPTOR shape;
    unsigned char *texels;
};

static size_t component_bytes(unsigned format) {
    switch (format) {
    case CU_AD_FORMAT_UNSIGNED_INT8:
    case CU_AD_FORMAT_SIGNED_INT8: return 1;
    case CU_AD_FORMAT_UNSIGNED_INT16:
    case CU_AD_FORMAT_SIGNED_INT16: return 2;
    case CU_AD_FORMAT_UNSIGNED_INT32:
    case CU_AD_FORMAT_SIGNED_INT32:
    case CU_AD_FORMAT_FLOAT: return 4;
    default: fprintf(stderr, "The emulation has no textures of format %u.\n", format); exit(2);
    }
}

void emulate_fetch(const emulate_texture &t, long long x, long long y, void *four) {
    const size_t bytes = component_bytes(t.format);
    const bool is_float = t.format == CU_AD_FORMAT_FLOAT;
    if (!t.texels || (!is_float && !t.reads_integers)) {
        fprintf(stderr, "A kernel read a texture that is not bound, or as fractions.\n");
        exit(2);
    }
    const int one = 1;
    const float one_float = 1.0f;
    memset(four, 0, 12);
    memcpy((char *)four + 12, is_float ? (const void *)&one_float : &one, 4);
    if (t.height) {
        x = x < 0 ? 0 : x >= t.width ? t.width - 1 : x;
        y = y < 0 ? 0 : y >= t.height ? t.height - 1 : y;
    } else if (x < 0 || x >= t.width) {
        return;
    }
    const char *at = (const char *)t.texels + (size_t)(y * t.width + x) * t.channels * bytes;
    for (unsigned c = 0; c < t.channels; c++, at += bytes) {
        int32_t v = 0;
        memcpy(&v, at, bytes);
        if (t.format == CU_AD_FORMAT_SIGNED_INT8) v = (int8_t)v;
        if (t.format == CU_AD_FORMAT_SIGNED_INT16) v = (int16_t)v;
        memcpy((char *)four + 4 * c, &v, 4);
    }
}

// -------------------------------------------------------------------------------- driver API

extern "C" {

CUresult cuGetErrorName(CUresult error, const char **name) {
    switch (error) {
#define NAME(constant, value, words)                                                               \
    case constant: *name = #constant; return CUDA_SUCCESS;
        WW_CURESULT_TABLE(NAME)
#undef NAME
    }
    return CUDA_ERROR_INVALID_VALUE;
}
CUresult cuGetErrorString(CUresult error, const char **text) {
    switch (error) {
#define WORDS(constant, value, words)                                                              \
    case constant: *text = words; return CUDA_SUCCESS;
        WW_CURESULT_TABLE(WORDS)
#undef WORDS
    }
    return CUDA_ERROR_INVALID_VALUE;
}

CUresult cuInit(unsigned) { return CUDA_SUCCESS; }
CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute, CUdevice) {
    *value = 0; // asked for a capability where machine code is to run, which is never here
    return CUDA_SUCCESS;
}
CUresult cuDeviceGet(CUdevice *device, int) {
    *device = 0;
    return CUDA_SUCCESS;
}
CUresult cuCtxCreate(CUcontext *context, unsigned, CUdevice) {
    *context = (CUcontext)&scheduler;
    return CUDA_SUCCESS;
}
CUresult cuCtxDestroy(CUcontext) { return CUDA_SUCCESS; }
CUresult cuCtxSynchronize(void) { return CUDA_SUCCESS; }
// No clock runs here: a launch takes no time.
CUresult cuEventCreate(CUevent *, unsigned) { return CUDA_SUCCESS; }
CUresult cuEventRecord(CUevent, CUstream) { return CUDA_SUCCESS; }
CUresult cuEventSynchronize(CUevent) { return CUDA_SUCCESS; }
CUresult cuEventDestroy(CUevent) { return CUDA_SUCCESS; }
CUresult cuEventElapsedTime(float *milliseconds, CUevent, CUevent) {
    *milliseconds = 0;
    return CUDA_SUCCESS;
}
CUresult cuModuleLoad(CUmodule *module, const char *) {
    *module = (CUmodule)&emulate_kernels;
    return CUDA_SUCCESS;
}
CUresult cuModuleUnload(CUmodule) { return CUDA_SUCCESS; }

CUresult cuModuleGetFunction(CUfunction *function, CUmodule, const char *name) {
    for (const emulate_kernel *k = emulate_kernels; k->name; k++) {
        if (strcmp(k->name, name)) continue;
        *function = (CUfunction)(uintptr_t)k;
        return CUDA_SUCCESS;
    }
    return CUDA_ERROR_NOT_FOUND;
}
CUresult cuModuleGetGlobal(CUdeviceptr *address, size_t *bytes, CUmodule, const char *name) {
    for (const emulate_symbol *s = emulate_symbols; s->name; s++) {
        if (strcmp(s->name, name)) continue;
        *address = (CUdeviceptr)(uintptr_t)s->address;
        *bytes = s->bytes;
        return CUDA_SUCCESS;
    }
    return CUDA_ERROR_NOT_FOUND;
}

// New memory holds a pattern that is neither zero nor a sensible number.
CUresult cuMemAlloc(CUdeviceptr *address, size_t bytes) {
    void *p = malloc(bytes);
    if (!p) return CUDA_ERROR_OUT_OF_MEMORY;
    memset(p, 0xdb, bytes);
    *address = (CUdeviceptr)(uintptr_t)p;
    return CUDA_SUCCESS;
}
CUresult cuMemFree(CUdeviceptr address) {
    free((void *)(uintptr_t)address);
    return CUDA_SUCCESS;
}
CUresult cuMemcpyHtoD(CUdeviceptr to, const void *from, size_t bytes) {
    memcpy((void *)(uintptr_t)to, from, bytes);
    return CUDA_SUCCESS;
}
CUresult cuMemcpyDtoH(void *to, CUdeviceptr from, size_t bytes) {
    memcpy(to, (const void *)(uintptr_t)from, bytes);
    return CUDA_SUCCESS;
}
CUresult cuMemcpyDtoD(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
    memmove((void *)(uintptr_t)to, (const void *)(uintptr_t)from, bytes);
    return CUDA_SUCCESS;
}
CUresult cuMemsetD8(CUdeviceptr to, unsigned char value, size_t count) {
    memset((void *)(uintptr_t)to, value, count);
    return CUDA_SUCCESS;
}
CUresult cuMemsetD32(CUdeviceptr to, unsigned value, size_t count) {
    for (size_t i = 0; i < count; i++) ((unsigned *)(uintptr_t)to)[i] = value;
    return CUDA_SUCCESS;
}

static emulate_texture *texture_of(CUtexref r) { return (emulate_texture *)r; }

CUresult cuModuleGetTexRef(CUtexref *texture, CUmodule, const char *name) {
    for (const emulate_symbol *s = emulate_textures; s->name; s++) {
        if (strcmp(s->name, name)) continue;
        *texture = (CUtexref)s->address;
        return CUDA_SUCCESS;
    }
    return CUDA_ERROR_NOT_FOUND;
}
CUresult cuTexRefSetFormat(CUtexref r, CUarray_format format, int channels) {
    texture_of(r)->format = format;
    texture_of(r)->channels = (unsigned)channels;
    return CUDA_SUCCESS;
}
CUresult cuTexRefSetFlags(CUtexref r, unsigned flags) {
    texture_of(r)->reads_integers = flags & CU_TRSF_READ_AS_INTEGER;
    return flags & ~(unsigned)CU_TRSF_READ_AS_INTEGER ? CUDA_ERROR_NOT_SUPPORTED : CUDA_SUCCESS;
}
CUresult cuTexRefSetFilterMode(CUtexref, CUfilter_mode mode) {
    return mode == CU_TR_FILTER_MODE_POINT ? CUDA_SUCCESS : CUDA_ERROR_NOT_SUPPORTED;
}
CUresult cuTexRefSetAddressMode(CUtexref, int, CUaddress_mode mode) {
    return mode == CU_TR_ADDRESS_MODE_CLAMP ? CUDA_SUCCESS : CUDA_ERROR_NOT_SUPPORTED;
}
CUresult cuTexRefSetAddress(size_t *offset, CUtexref r, CUdeviceptr address, size_t bytes) {
    emulate_texture *t = texture_of(r);
    t->texels = (const void *)(uintptr_t)address;
    t->width = (long long)(bytes / (t->channels * component_bytes(t->format)));
    t->height = 0;
    if (offset) *offset = 0;
    return CUDA_SUCCESS;
}
CUresult cuTexRefSetArray(CUtexref r, CUarray array, unsigned) {
    *texture_of(r) = {
        array->texels,       (long long)array->shape.Width, (long long)array->shape.Height,
        array->shape.Format, array->shape.NumChannels,      texture_of(r)->reads_integers};
    return CUDA_SUCCESS;
}
CUresult cuArrayCreate(CUarray *array, const CUDA_ARRAY_DESCRIPTOR *shape) {
    const size_t bytes =
        shape->Width * shape->Height * shape->NumChannels * component_bytes(shape->Format);
    *array = new CUarray_st{*shape, (unsigned char *)malloc(bytes)};
    memset((*array)->texels, 0xdb, bytes);
    return CUDA_SUCCESS;
}
CUresult cuArrayDestroy(CUarray array) {
    free(array->texels);
    delete array;
    return CUDA_SUCCESS;
}
CUresult cuMemcpy2D(const CUDA_MEMCPY2D *c) { // as host_bind_image calls it
    if (c->srcMemoryType != CU_MEMORYTYPE_HOST || c->dstMemoryType != CU_MEMORYTYPE_ARRAY)
        return CUDA_ERROR_NOT_SUPPORTED;
    memcpy(c->dstArray->texels, c->srcHost, c->WidthInBytes * c->Height);
    return CUDA_SUCCESS;
}

CUresult cuLaunchKernel(CUfunction function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                        unsigned by, unsigned bz, unsigned shared_bytes, CUstream, void **params,
                        void **) {
    const size_t threads = (size_t)bx * by * bz;
    if (!gx || !gy || !gz || !threads || threads > MAX_THREADS) return CUDA_ERROR_INVALID_VALUE;
    if (!stacks) stacks = (char *)malloc((size_t)MAX_THREADS * STACK_BYTES);
    emulate_dynamic_shared = (unsigned char *)aligned_alloc(64, (shared_bytes + 127u) & ~63u);
    kernel = (const emulate_kernel *)function;
    kernel_params = params;
    gridDim = {gx, gy, gz};
    blockDim = {bx, by, bz};
    for (unsigned z = 0; z < gz; z++) {
        for (unsigned y = 0; y < gy; y++) {
            for (unsigned x = 0; x < gx; x++) {
                blockIdx = {x, y, z};
                memset(emulate_dynamic_shared, 0xdb, shared_bytes);
                run_block((unsigned)threads);
            }
        }
    }
    free(emulate_dynamic_shared);
    return CUDA_SUCCESS;
}

} // extern "C"
