// What programs share with the runtime lies where layouts.def says: in our structures
// (layout_ours), and in the vendor's header of whatever version (layout_11 and so on, where
// toolkits are installed).
#ifdef OURS
#include "cudart/runtime.h"
int cudart_major = 13;
size_t cudart_properties(void *to, int major, int device, const char *find, size_t *offset);
#else
#include <cuda_runtime_api.h>
#endif
#include <stddef.h>
#include <stdio.h>
#include <string.h>

static int bad;

static void at(const char *what, const char *field, size_t is, size_t expected) {
    if (is == expected) return;
    printf("%s %s: %zu, expected %zu\n", what, field, is, expected);
    bad++;
}

#ifdef OURS
// One structure for all versions: fields lie where the newest has them, and older ones have no
// others. Where a size differs, the code writes as much as the version has (registered.c).
#define OFFSET(first, last, type, field, byte) at(#type, #field, offsetof(type, field), byte);
#define SIZE(first, last, type, bytes)                                                             \
    ours_size_##first##_##last(#type, sizeof(type), bytes);
#define ours_size_11_13(name, is, bytes)       at(name, "size", is, bytes)
#define ours_size_12_13(name, is, bytes)       (void)0
#define ours_size_11_11(name, is, bytes)       (void)0
#define ours_size_12_12(name, is, bytes)       (void)0
#define ours_size_11_12(name, is, bytes)       (void)0
#define ours_size_13_13(name, is, bytes)       (void)0
struct cudaDeviceProp { char none; }; // a table in device.c
static void property(int major, const char *field, size_t byte) {
    size_t is = (size_t)-1;
    cudart_properties(NULL, major, 0, field, &is);
    at("cudaDeviceProp", field, is, byte);
}
#define PROPERTY(first, last, field, byte)                                                         \
    for (int major = first; major <= last; major++) property(major, #field, byte);
#else
#define OFFSET(first, last, type, field, byte) at(#type, #field, offsetof(type, field), byte);
#define SIZE(first, last, type, bytes)         at(#type, "size", sizeof(type), bytes);
#define PROPERTY(first, last, field, byte)                                                         \
    at("cudaDeviceProp", #field, offsetof(struct cudaDeviceProp, field), byte);
#endif

int main(void) {
#ifdef OURS
#include "layouts.def"
    at("cudaDeviceProp of 11", "size", cudart_properties(NULL, 11, 0, NULL, NULL), 728);
    at("cudaDeviceProp of 12", "size", cudart_properties(NULL, 12, 0, NULL, NULL), 1032);
    at("cudaDeviceProp of 13", "size", cudart_properties(NULL, 13, 0, NULL, NULL), 1008);
#else
#include "layouts_of_major.def"
#endif
    return bad != 0;
}
