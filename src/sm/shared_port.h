// The banks of shared memory, which give a line a cycle to whoever asks: products of warp groups (wgmma), which read B and often
// A there as they run, and loads, stores and bulk copies. The latter come first: what they take of the cycles in which a
// running product needs all that the banks give makes the products that are booked next longer. So all together get a
// line a cycle, and none that waits is made up for by one that runs later than it could.
//
// Left out: that products hold up the others, and that those which are booked already shift.
#ifndef WW_SM_SHARED_PORT_H
#define WW_SM_SHARED_PORT_H

#include "base/base.h"

enum { SHARED_PORT_PRODUCTS = 64 }; // that may be booked at once, a power of two; of more the oldest is forgotten
struct shared_port {
    struct {
        uint64_t start, end;
        uint32_t spare; // cycles between them in which it leaves the banks to others
    } product[SHARED_PORT_PRODUCTS];
    uint32_t first, n;
    uint64_t owed; // cycles by which products are to be longer, since the beginning
};

static inline void shared_port_book(struct shared_port *p, uint64_t start, uint64_t end, uint32_t spare) {
    if (p->n == SHARED_PORT_PRODUCTS) {
        p->first = (p->first + 1) % SHARED_PORT_PRODUCTS;
        p->n--;
    }
    const uint32_t i = (p->first + p->n++) % SHARED_PORT_PRODUCTS;
    p->product[i].start = start;
    p->product[i].end = end;
    p->product[i].spare = spare;
}

// An access or copy takes the banks for `cycles` from cycle t on.
static inline void shared_port_take(struct shared_port *p, uint32_t cycles, uint64_t t) {
    while (p->n != 0 && p->product[p->first].end <= t) {
        p->first = (p->first + 1) % SHARED_PORT_PRODUCTS;
        p->n--;
    }
    if (p->n == 0 || p->product[p->first].start > t) return;
    uint32_t *const spare = &p->product[p->first].spare;
    const uint32_t free = cycles < *spare ? cycles : *spare;
    *spare -= free;
    p->owed += cycles - free;
}

#endif
