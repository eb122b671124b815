// The bound on what gating could save: see savings.h.
#include "savings/savings.h"

uint64_t savings_oracle(const uint64_t periods[ACT_IDLE_LENGTHS], uint64_t cycles,
                        uint32_t break_even) {
    enum { LAST = ACT_IDLE_LENGTHS - 1 };
    uint64_t saved = 0, in_short = 0;
    for (uint32_t n = 0; n < LAST; n++) {
        in_short += n * periods[n];
        if (n > break_even) saved += (n - break_even) * periods[n];
    }
    // Of periods of LAST cycles and more only number and sum are known: exact up to a break-even
    // time of LAST, above it a little loose.
    const uint64_t in_long = cycles > in_short ? cycles - in_short : 0;
    const uint64_t paid = periods[LAST] * break_even;
    return saved + (in_long > paid ? in_long - paid : 0);
}
