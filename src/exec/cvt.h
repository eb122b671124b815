// The general conversion of one value, any supported type to any other.
#ifndef WW_EXEC_CVT_H
#define WW_EXEC_CVT_H

#include "exec/exec_int.h"

struct cvt_how {
    uint8_t from, to; // enum isa_type, scalars
    uint8_t rnd;
    bool ftz, sat, integral, satfinite, relu;
    bool other_nan; // see MCVT_NAN
};
// `v` holds the source's low bits; so does the result, extended to 64 bits by an integer type's
// sign.
uint64_t cvt_value(const struct cvt_how *h, uint64_t v);

enum cvt_fn { CVT_ANY, CVT_PAIR, CVT_FROM_PAIR, CVT_PACK, CVT_PACK_FLOATS };
extern const exec_fn cvt_any_fns[];

#endif
