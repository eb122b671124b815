// Address translation: small L1 TLBs that neighbouring SMs share, L2 TLBs, and walks. See tlb.c.
#ifndef WW_MEM_TLB_H
#define WW_MEM_TLB_H

#include "base/base.h"
#include "mem/config.h"
#include "mem/mem.h"

// Entries of pages, looked up by number. An entry counts from its cycle on, before which its page is
// on its way; UINT64_MAX until the serial step has said how long.
struct tlb_array {
    uint32_t *page; // [n]; TLB_NO_PAGE: free
    uint64_t *ready;
    uint32_t *stamp; // of the last use, or of the fill
    uint32_t n, clock;
    uint32_t version; // moves on when an entry goes
};
#define TLB_NO_PAGE UINT32_MAX
#define TLB_NOWHERE UINT32_MAX

// A page that no TLB had, until the end of the quantum.
struct tlb_ask {
    uint64_t cycle;
    uint32_t page; // of the first level
};

struct tlb {
    const struct tlb_config *c;
    uint32_t l1_shift, l2_shift, sms;
    struct tlb_array *l1, *l2; // [of l1_sms SMs], [c->l2_count]
    struct tlb_array near;     // pages of the second level whose table entries are near the walkers
    uint64_t *walker;          // [c->walks]: from when on it is free
    uint8_t *has_asked;        // [SM]: its list is not empty
    struct tlb_asks {
        struct tlb_ask *ask;
        uint32_t n, taken;
    } * of; // [SM]: by cycle
};

const char *tlb_config_wrong(const struct tlb_config *c, uint32_t quantum); // NULL: nothing
struct tlb *tlb_create(const struct tlb_config *c, uint32_t sms);           // NULL: no memory
void tlb_destroy(struct tlb *t);
void tlb_forget(struct tlb *t); // empties all; nothing may wait

// In the SM phase: the cycle at which the page of an access is known, at or after `now`, which never
// goes back for an SM. UINT64_MAX: tlb_run says (port_page_known).
uint64_t tlb_look_up(struct tlb *t, uint32_t sm, uint64_t addr, uint64_t now, uint64_t *act);
struct tlb_array *tlb_first(struct tlb *t, uint32_t sm); // the SM's L1 TLB
// Between quanta: an access without time by the SM, whose page all levels know then.
void tlb_warm(struct tlb *t, uint32_t sm, uint64_t addr, uint64_t now);
// In the serial step: answers what the SMs have asked.
bool tlb_has_asked(const struct tlb *t);
void tlb_run(struct tlb *t, struct mem_port *port);

#endif
