// Where the loader would find a library if warpwatt had none of that name. Apart from fatbin.h
// because libraries that programs load ask it: it needs nothing but the C library.
#ifndef WW_FATBIN_INSTALLED_H
#define WW_FATBIN_INSTALLED_H

#include <stdbool.h>
#include <stddef.h>

// The path of an installed library by its SONAME, as the loader looks: folders that the objects of
// this process name (DT_RPATH), LD_LIBRARY_PATH, DT_RUNPATH, the loader's cache, the system's
// folders; then folders of Python wheels (nvidia/*/lib beside a loaded package). `program` is a
// file whose folders count as well, or NULL. Libraries of warpwatt's own are passed over. False:
// there is none.
bool installed_find(const char *name, const char *program, char *path, size_t size);

#endif
