// Whether memory is there: an image that a program hands over says its own length, and a damaged one
// says a wrong one.
#ifndef WW_FATBIN_MAPPED_H
#define WW_FATBIN_MAPPED_H

#include <stdbool.h>
#include <stdint.h>

// Whether each page of [p, p + bytes) is mapped in this process.
bool memory_is_mapped(const void *p, uint64_t bytes);

#endif
