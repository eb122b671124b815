// A division by a number that is known when a kernel starts: (mulhi(magic, i) + i) >> shift, for i < 2^31. Read by C and by CUDA C.
#ifndef WW_LIBRARIES_DIVISOR_H
#define WW_LIBRARIES_DIVISOR_H

#include <stdint.h>

struct divisor {
    uint32_t by, magic, shift;
};

#endif
