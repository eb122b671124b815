// Whether a file carries a CUDA runtime of its own. Apart from fatbin.h because a library that is
// loaded into every program asks it (src/cudart/preload.c): it needs nothing but the C library.
#ifndef WW_FATBIN_OWN_RUNTIME_H
#define WW_FATBIN_OWN_RUNTIME_H

#include <stdbool.h>

// A program or library that was linked with a CUDA runtime of its own (nvcc's default): it holds
// device code and takes registration (__cudaRegisterFatBinary) from no other library. False for
// what is no ELF file, and for an object file.
bool fatbin_has_own_runtime(const char *path);
// Says on standard error that a library's runtime cannot be replaced, and the two ways out.
void fatbin_say_own_runtime(const char *path);

#endif
