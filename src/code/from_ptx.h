// From PTX's names to the machine's: types, spaces, special registers.
#ifndef WW_CODE_FROM_PTX_H
#define WW_CODE_FROM_PTX_H

#include "isa/isa.h"
#include "ptx/ptx.h"

enum isa_type from_type(unsigned ptx_type);
enum isa_space from_space(unsigned ptx_space); // REG and SREG have none: generic
// Those that lowering makes constants of have none: SREG_N.
enum isa_sreg from_sreg(unsigned ptx_sreg);

#endif
