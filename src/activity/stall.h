// Why a scheduler's issue slot was not used; each scheduler cycle has exactly one owner.
#ifndef WW_STALL_H
#define WW_STALL_H

enum stall_reason {
#define STALL(name, prose) STALL_##name,
#include "activity/stall.def"
#undef STALL
    STALL_N
};
const char *stall_text(enum stall_reason r);

#endif
