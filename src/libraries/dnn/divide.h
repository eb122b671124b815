// Division by a number that is known when a kernel starts (divisor.h).
#ifndef WW_LIBRARIES_DIVIDE_H
#define WW_LIBRARIES_DIVIDE_H

#include "../blas/device.h"
#include "divisor.h"

DEVICE int divide(const divisor &d, int i) { return (int)((__nvvm_mulhi_ui(d.magic, (unsigned)i) + (unsigned)i) >> d.shift); }

#endif
