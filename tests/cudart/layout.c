// Where our table puts the fields of cudaDeviceProp, against the vendor's header of whatever version.
#include <cuda_runtime_api.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

int cudart_major = CUDART_VERSION / 1000;
size_t cudart_properties(void *to, int major, int device, const char *find, size_t *offset);

#define CHECK(field)                                                                               \
    do {                                                                                           \
        size_t at = (size_t)-1;                                                                    \
        cudart_properties(NULL, cudart_major, 0, #field, &at);                                     \
        if (at != offsetof(struct cudaDeviceProp, field))                                          \
            printf("%s at %zu, in the header %zu\n", #field, at, offsetof(struct cudaDeviceProp, field)), bad++; \
    } while (0)

int main(void) {
    int bad = 0;
    CHECK(uuid);
    CHECK(totalGlobalMem);
    CHECK(maxGridSize);
    CHECK(totalConstMem);
    CHECK(major);
    CHECK(multiProcessorCount);
    CHECK(maxTexture2DLinear);
    CHECK(maxSurfaceCubemapLayered);
    CHECK(surfaceAlignment);
    CHECK(l2CacheSize);
    CHECK(sharedMemPerMultiprocessor);
    CHECK(sharedMemPerBlockOptin);
    CHECK(reservedSharedMemPerBlock);
#if CUDART_VERSION >= 12000
    CHECK(memoryPoolsSupported);
    CHECK(unifiedFunctionPointers);
#endif
    const size_t size = cudart_properties(NULL, cudart_major, 0, NULL, NULL);
    if (size != sizeof(struct cudaDeviceProp)) printf("%zu bytes, in the header %zu\n", size, sizeof(struct cudaDeviceProp)), bad++;
    return bad != 0;
}
