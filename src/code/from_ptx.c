// The machine has a type for every one of PTX, and most of its special registers.
#include "code/from_ptx.h"

static const uint8_t types[PTX_TYPE_N] = {
#define X(name, text, bits, class) [PTX_##name] = ITYPE_##name,
    PTX_TYPE_TABLE(X)
#undef X
};

static const uint8_t spaces[] = {
    [PTX_SPACE_CONST] = SPACE_CONST, [PTX_SPACE_GLOBAL] = SPACE_GLOBAL,
    [PTX_SPACE_LOCAL] = SPACE_LOCAL, [PTX_SPACE_PARAM] = SPACE_PARAM,
    [PTX_SPACE_SHARED] = SPACE_SHARED, [PTX_SPACE_TEX] = SPACE_TEX,
};

// Numbers plus one.
static const uint8_t sregs[PTX_SREG_N] = {
#define SREG_CODE(...)
#define SREG(name, text, words) [PTX_SREG_##name] = SREG_##name + 1,
#include "isa/sreg.def"
#undef SREG
};

enum isa_type from_type(unsigned t) { return t < PTX_TYPE_N ? (enum isa_type)types[t] : ITYPE_NONE; }
enum isa_space from_space(unsigned s) {
    return s < WW_COUNT(spaces) ? (enum isa_space)spaces[s] : SPACE_GENERIC;
}
enum isa_sreg from_sreg(unsigned s) {
    return s < PTX_SREG_N && sregs[s] ? (enum isa_sreg)(sregs[s] - 1) : SREG_N;
}
