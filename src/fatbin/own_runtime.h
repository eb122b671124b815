// Whether a file carries a CUDA runtime of its own. Apart from fatbin.h because a library that is
// loaded into every program asks it (src/cudart/preload.c): it needs nothing but the C library.
#ifndef WW_FATBIN_OWN_RUNTIME_H
#define WW_FATBIN_OWN_RUNTIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// A program or library that was linked with a CUDA runtime of its own (nvcc's default): it holds
// device code and takes registration (__cudaRegisterFatBinary) from no other library. False for
// what is no ELF file, and for an object file.
bool fatbin_has_own_runtime(const char *path);
// A file that is a CUDA runtime or carries one, whether or not it has device code.
bool fatbin_holds_runtime(const char *path);
// Where __cudaRegisterFatBinary lies, as the file counts addresses, in a program or library with a
// CUDA runtime of its own whose functions its symbol table names, so that the runtime can be
// replaced; 0: not such a file. It need not hold device code.
uint64_t fatbin_named_runtime(const char *path);
// What a person reads of a library whose runtime asks the driver for what only the vendor's has: it
// cannot be replaced, and the ways out. Answers buf.
const char *fatbin_foreign_runtime(const char *path, char *buf, size_t size);
// Whether a file name is that of a shared CUDA runtime (libcudart.so.13).
bool fatbin_is_runtime_name(const char *path);

#endif
