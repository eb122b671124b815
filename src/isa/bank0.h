// Constant bank 0 of a launch (bank0.def): words that the driver fills in, then the kernel's
// parameters. Where a word lies depends on who compiled the kernel, and for which GPU.
#ifndef WW_ISA_BANK0_H
#define WW_ISA_BANK0_H

#include "base/base.h"

enum bank0_slot {
#define SLOT(id, words, what) BANK0_##id,
#include "isa/bank0.def"
    BANK0_SLOTS
};
enum { BANK0_SLOT_WORDS = 3 }; // of the largest slot
extern const uint8_t bank0_words[BANK0_SLOTS];

// Layouts. An image that does not choose has the first.
enum bank0_layout {
#define LAYOUT(id, first, last, params, source) BANK0_OF_##id,
#define AT(layout, slot, offset)
#include "isa/bank0.def"
    BANK0_LAYOUTS
};
// Offsets in each layout as constants: BANK0_COMPILED_NTID.
enum bank0_offset {
#define LAYOUT(id, first, last, params, source) BANK0_##id##_PARAMS = (params),
#define AT(layout, slot, offset) BANK0_##layout##_##slot = (offset),
#include "isa/bank0.def"
};
// Those of our compiler's code.
enum cb0_layout {
    CB0_NTID_X = BANK0_COMPILED_NTID,
    CB0_NTID_Y = CB0_NTID_X + 4,
    CB0_NTID_Z = CB0_NTID_X + 8,
    CB0_NCTAID_X = BANK0_COMPILED_NCTAID,
    CB0_NCTAID_Y = CB0_NCTAID_X + 4,
    CB0_NCTAID_Z = CB0_NCTAID_X + 8,
    CB0_PARAMS = BANK0_COMPILED_PARAMS
};

struct bank0 {
    const char *name;
    uint32_t first, last; // capabilities; 0: our compiler's
    uint32_t params;      // where parameters begin
};
extern const struct bank0 bank0_info[BANK0_LAYOUTS];

// Where a layout has a slot; false: it has none.
bool bank0_at(enum bank0_layout l, enum bank0_slot s, uint32_t *offset);
// The layout of machine code for sm_NN whose parameters begin at `params`; where no layout has them there, the first for
// sm_NN. False: none is known.
bool bank0_of(uint32_t arch, uint32_t params, enum bank0_layout *out);
// Whether a launch defines all of [offset, offset + bytes): a slot, or `param_bytes` of parameters.
bool bank0_provides(enum bank0_layout l, uint32_t param_bytes, uint32_t offset, uint32_t bytes);

#endif
