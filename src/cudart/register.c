// What the constructors of programs that nvcc built call. The device is not touched here: a program
// that never launches anything never opens it.
#include "cudart/cudart.h"

CUDART_API void **__cudaRegisterFatBinary(void *wrapper) {
    return (void **)cudart_unit_new(wrapper);
}
CUDART_API void __cudaRegisterFatBinaryEnd(void **handle) { (void)handle; }
CUDART_API void __cudaUnregisterFatBinary(void **handle) {
    cudart_unit_remove((struct cudart_unit *)handle);
}

CUDART_API void __cudaRegisterFunction(void **handle, const char *host, char *device,
                                       const char *name, int thread_limit, void *tid, void *bid,
                                       void *block, void *grid, int *size) {
    (void)device, (void)thread_limit, (void)tid, (void)bid, (void)block, (void)grid, (void)size;
    cudart_add_function((struct cudart_unit *)handle, host, name);
}

CUDART_API void __cudaRegisterVar(void **handle, char *host, char *device, const char *name,
                                  int ext, size_t bytes, int constant, int global) {
    (void)device, (void)ext, (void)constant, (void)global;
    cudart_add_variable((struct cudart_unit *)handle, host, name, bytes);
}

CUDART_API void __cudaRegisterManagedVar(void **handle, void **host, char *device, const char *name,
                                         int ext, size_t bytes, int constant, int global) {
    (void)device, (void)ext, (void)constant, (void)global;
    cudart_add_variable((struct cudart_unit *)handle, host, name, bytes)->managed = host;
}

// Before the first use of a managed variable: its memory is there from now on.
CUDART_API char __cudaInitModule(void **handle) {
    return cudart_load_managed((struct cudart_unit *)handle) == CUDA_SUCCESS;
}

// The name is as in the source (`::line`); what the PTX calls it stands at `device` (seen with
// nvcc 11.8).
static const char *symbol_of(const void **device, const char *name) {
    return strncmp(name, "::", 2) == 0 ? (const char *)(const void *)device : name;
}
CUDART_API void __cudaRegisterTexture(void **handle, const void *host, const void **device,
                                      const char *name, int dim, int norm, int ext) {
    (void)dim, (void)ext;
    struct cudart_variable *v =
        cudart_add_variable((struct cudart_unit *)handle, host, symbol_of(device, name), 0);
    v->is_texture = true;
    v->reads_fractions = norm != 0;
}
CUDART_API void __cudaRegisterSurface(void **handle, const void *host, const void **device,
                                      const char *name, int dim, int ext) {
    (void)dim, (void)ext;
    cudart_add_variable((struct cudart_unit *)handle, host, symbol_of(device, name), 0)
        ->is_surface = true;
}

CUDART_API void __cudaRegisterHostVar(void **handle, const char *name, char *host, size_t bytes) {
    (void)handle, (void)name, (void)host,
        (void)bytes; // host memory that the device may name: not used by any PTX here
}
CUDART_API void __cudaRegisterUnifiedTable(void **handle, void *table) {
    (void)handle, (void)table;
}
