// Units of machine code (nvcc -rdc=true -cubin, ptxas -c) as one: what the driver's linker is asked
// to do. The result is a cubin that the reader reads (cubin.h): sections side by side, one table of
// symbols in which each name is defined once. Its relocations stay: whoever loads it fills them in,
// and gives each kernel's image the shared memory and constants of the functions that it reaches.
#ifndef WW_SASS_JOIN_H
#define WW_SASS_JOIN_H

#include "base/base.h"

struct cubin_unit {
    const char *name; // for sentences
    const void *image;
    size_t bytes;
    bool is_on_demand; // of a library: it is left out when no unit needs what it defines
};
// Joins `n` units of one capability; the image lives in `a`. Of a name that several units define
// weakly the first counts; two strong definitions, and a unit that a linker has already made a whole
// of, are refused. A name that none defines stays undefined: the kernel that needs it is refused.
// Sections that only tools for people read (debug_frame, names of inlined functions) are left out;
// line tables are kept.
enum ww_status cubin_join(struct arena *a, const struct cubin_unit *unit, uint32_t n,
                          struct diags *d, char **image, size_t *bytes);

#endif
