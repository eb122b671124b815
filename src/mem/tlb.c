// Address translation, in time only: pages are not moved, so a TLB says how long a page takes to be
// known and nothing else.
//
// An L1 data cache is looked up by virtual addresses; what misses it, and what goes past it, needs
// its page. SMs of a TPC share an L1 TLB (the driver's uTLB of a TPC). TPCs of a GPC share an L2 TLB
// with larger pages. What that has not is walked: few walks go at a time, and a walk is short when
// the page table's entries are near the walker (its own caches, and L2, which hold them once they
// have been read), long when they come from DRAM.
//
// Threads. An SM changes its L1 TLB and only reads the L2 TLB; SMs that share an L1 TLB run on one
// host thread. What the L2 TLB lacks is asked for, and the serial step answers all that was asked in
// a quantum by cycle and SM: a walk is longer than a quantum, so the answer is never late. An L2 TLB
// thus looks to each SM as it stood at the start of the quantum, and entries replace the oldest, not
// the least used, so that a hit need not be told.
//
// Left out: the TLBs of instructions and constants (a GPC has one of its own), and that page tables
// take room in L2.
#include "mem/tlb.h"

#include "mem/system.h"

const char *tlb_config_wrong(const struct tlb_config *c, uint32_t quantum) {
    if (c->l1_entries == 0) return NULL;
    if (!bits_is_pow2(c->l1_page_bytes) || c->l1_page_bytes < 4096)
        return "l1_page_bytes must be a power of two of at least 4096";
    if (!bits_is_pow2(c->l2_page_bytes) || c->l2_page_bytes < c->l1_page_bytes)
        return "l2_page_bytes must be a power of two of at least l1_page_bytes";
    if (c->l1_sms == 0 || c->l2_entries == 0 || c->l2_count == 0 || c->walks == 0 || c->near_pages == 0)
        return "l1_sms, l2_entries, l2_count, walks and near_pages must be at least 1";
    if (c->l2_latency + c->walk_latency < quantum)
        return "l2_latency and walk_latency together must be a quantum at least (the network's way back)";
    if (c->cold_walk_latency < c->walk_latency)
        return "cold_walk_latency must not be less than walk_latency";
    return NULL;
}

// ---- arrays -------------------------------------------------------------------------------------
static bool array_create(struct tlb_array *a, uint32_t n) {
    a->n = n;
    a->page = ww_alloc_aligned(n * sizeof *a->page);
    a->ready = ww_alloc_aligned(n * sizeof *a->ready);
    a->stamp = ww_alloc_aligned(n * sizeof *a->stamp);
    return a->page && a->ready && a->stamp;
}

static void array_destroy(struct tlb_array *a) {
    ww_free_aligned(a->page);
    ww_free_aligned(a->ready);
    ww_free_aligned(a->stamp);
}

static void array_empty(struct tlb_array *a) {
    a->version++;
    for (uint32_t i = 0; i < a->n; i++) {
        a->page[i] = TLB_NO_PAGE;
        a->ready[i] = a->stamp[i] = 0;
    }
}

static uint32_t find(const struct tlb_array *a, uint32_t page) {
    uint32_t at = TLB_NOWHERE;
    for (uint32_t i = 0; i < a->n; i++) at = a->page[i] == page ? i : at;
    return at;
}

// The place with the oldest stamp, of pages that are known by `now`; none if all are on their way.
static uint32_t oldest(const struct tlb_array *a, uint64_t now) {
    uint32_t at = TLB_NOWHERE, least = UINT32_MAX;
    for (uint32_t i = 0; i < a->n; i++) {
        const bool older = a->ready[i] <= now && a->stamp[i] < least;
        at = older ? i : at;
        least = older ? a->stamp[i] : least;
    }
    return at;
}

static void fill(struct tlb_array *a, uint32_t at, uint32_t page, uint64_t ready) {
    a->version += a->page[at] != TLB_NO_PAGE;
    a->page[at] = page;
    a->ready[at] = ready;
    a->stamp[at] = ++a->clock;
}

// ---- life ---------------------------------------------------------------------------------------
static uint32_t groups(const struct tlb *t) { return (t->sms + t->c->l1_sms - 1) / t->c->l1_sms; }

static bool build(struct tlb *t) {
    const struct tlb_config *const c = t->c;
    const uint32_t n = groups(t);
    t->l1 = ww_alloc_aligned(n * sizeof *t->l1);
    t->l2 = ww_alloc_aligned(c->l2_count * sizeof *t->l2);
    t->walker = ww_alloc_aligned(c->walks * sizeof *t->walker);
    t->has_asked = ww_alloc_aligned(t->sms);
    t->of = ww_alloc_aligned(t->sms * sizeof *t->of);
    if (!t->l1 || !t->l2 || !t->walker || !t->has_asked || !t->of) return false;
    bool ok = array_create(&t->near, c->near_pages);
    for (uint32_t i = 0; i < n; i++) ok = array_create(&t->l1[i], c->l1_entries) && ok;
    for (uint32_t i = 0; i < c->l2_count; i++) ok = array_create(&t->l2[i], c->l2_entries) && ok;
    for (uint32_t i = 0; i < t->sms; i++) {
        t->of[i].ask = ww_alloc_aligned(MEM_PORT_OUTSTANDING * sizeof *t->of[i].ask);
        ok = ok && t->of[i].ask;
    }
    return ok;
}

struct tlb *tlb_create(const struct tlb_config *c, uint32_t sms) {
    struct tlb *const t = ww_alloc_aligned(sizeof *t);
    if (!t) return NULL;
    t->c = c;
    t->sms = sms;
    t->l1_shift = bits_first32(c->l1_page_bytes);
    t->l2_shift = bits_first32(c->l2_page_bytes);
    if (!build(t)) {
        tlb_destroy(t);
        return NULL;
    }
    tlb_forget(t);
    return t;
}

void tlb_destroy(struct tlb *t) {
    if (!t) return;
    for (uint32_t i = 0; t->l1 && i < groups(t); i++) array_destroy(&t->l1[i]);
    for (uint32_t i = 0; t->l2 && i < t->c->l2_count; i++) array_destroy(&t->l2[i]);
    for (uint32_t i = 0; t->of && i < t->sms; i++) ww_free_aligned(t->of[i].ask);
    array_destroy(&t->near);
    ww_free_aligned(t->l1);
    ww_free_aligned(t->l2);
    ww_free_aligned(t->walker);
    ww_free_aligned(t->has_asked);
    ww_free_aligned(t->of);
    ww_free_aligned(t);
}

void tlb_forget(struct tlb *t) {
    for (uint32_t i = 0; i < groups(t); i++) array_empty(&t->l1[i]);
    for (uint32_t i = 0; i < t->c->l2_count; i++) array_empty(&t->l2[i]);
    array_empty(&t->near);
    memset(t->walker, 0, t->c->walks * sizeof *t->walker);
    memset(t->has_asked, 0, t->sms);
    for (uint32_t i = 0; i < t->sms; i++) t->of[i].n = t->of[i].taken = 0;
}

// ---- the SM phase -------------------------------------------------------------------------------
struct tlb_array *tlb_first(struct tlb *t, uint32_t sm) { return &t->l1[sm / t->c->l1_sms]; }
static struct tlb_array *second(struct tlb *t, uint32_t sm) {
    return &t->l2[sm / t->c->l1_sms % t->c->l2_count];
}

uint64_t tlb_look_up(struct tlb *t, uint32_t sm, uint64_t addr, uint64_t now, uint64_t *act) {
    struct tlb_array *const a = tlb_first(t, sm);
    const struct tlb_array *const b = second(t, sm);
    const uint32_t page = (uint32_t)(addr >> t->l1_shift), at = find(a, page);
    if (at != TLB_NOWHERE) {
        a->stamp[at] = ++a->clock;
        if (a->ready[at] <= now) return now;
        act[ACT_tlb_merges]++;
        return a->ready[at];
    }
    act[ACT_tlb_misses]++;
    const uint32_t behind = find(b, (uint32_t)(addr >> t->l2_shift));
    const uint64_t after = now + t->c->l2_latency;
    const uint64_t ready = behind != TLB_NOWHERE ? max64(b->ready[behind], after) : NEVER;
    if (ready > after && ready != NEVER) act[ACT_tlb_l2_misses]++; // it joins a walk
    const uint32_t place = oldest(a, now);
    if (place != TLB_NOWHERE) fill(a, place, page, ready);
    if (ready != NEVER) return ready;
    struct tlb_asks *const list = &t->of[sm];
    list->ask[list->n++] = (struct tlb_ask){.cycle = now, .page = page};
    t->has_asked[sm] = 1;
    return NEVER;
}

// ---- without time -------------------------------------------------------------------------------
static void warm(struct tlb_array *a, uint32_t page, uint64_t now) {
    const uint32_t at = find(a, page);
    if (at == TLB_NOWHERE) {
        const uint32_t place = oldest(a, now);
        if (place != TLB_NOWHERE) fill(a, place, page, now);
    }
}
void tlb_warm(struct tlb *t, uint32_t sm, uint64_t addr, uint64_t now) {
    struct tlb_array *const a = tlb_first(t, sm);
    const uint32_t page = (uint32_t)(addr >> t->l1_shift), at = find(a, page);
    if (at != TLB_NOWHERE) {
        a->stamp[at] = ++a->clock;
        return;
    }
    warm(a, page, now);
    warm(second(t, sm), (uint32_t)(addr >> t->l2_shift), now);
    warm(&t->near, (uint32_t)(addr >> t->l2_shift), now);
}

// ---- the serial step ----------------------------------------------------------------------------
// The cycle at which a walk that may begin at `at` ends.
static uint64_t walk(struct tlb *t, uint32_t page, uint64_t at) {
    uint32_t w = 0;
    for (uint32_t i = 1; i < t->c->walks; i++) w = t->walker[i] < t->walker[w] ? i : w;
    const uint64_t start = max64(at, t->walker[w]);
    const uint32_t near = find(&t->near, page);
    uint64_t end = start + t->c->cold_walk_latency;
    if (near != TLB_NOWHERE) {
        end = max64(start + t->c->walk_latency, t->near.ready[near]);
        t->near.stamp[near] = ++t->near.clock;
    } else {
        fill(&t->near, oldest(&t->near, NEVER), page, end);
    }
    t->walker[w] = end;
    return end;
}

// Answers one: when its page is known to the SM.
static uint64_t answer(struct tlb *t, const struct tlb_ask *k, uint32_t sm, uint64_t *act) {
    struct tlb_array *const b = second(t, sm);
    const uint32_t page = k->page >> (t->l2_shift - t->l1_shift);
    const uint64_t missed = k->cycle + t->c->l2_latency;
    uint32_t at = find(b, page);
    if (at == TLB_NOWHERE) {
        at = oldest(b, NEVER);
        fill(b, at, page, walk(t, page, missed));
        act[ACT_tlb_walks]++;
    }
    act[ACT_tlb_l2_misses]++;
    return max64(b->ready[at], missed);
}

bool tlb_has_asked(const struct tlb *t) { return memchr(t->has_asked, 1, t->sms) != NULL; }

// Takes the earliest ask of all SMs; of the same cycle the first SM's. False: none is left.
static bool take_earliest(struct tlb *t, struct tlb_ask *out, uint32_t *sm) {
    struct tlb_asks *from = NULL;
    for (uint32_t i = 0; i < t->sms; i++) {
        struct tlb_asks *const k = &t->of[i];
        if (!t->has_asked[i] || (from && k->ask[k->taken].cycle >= out->cycle)) continue;
        from = k;
        *out = k->ask[k->taken];
        *sm = i;
    }
    if (!from) return false;
    if (++from->taken == from->n) {
        from->taken = from->n = 0;
        t->has_asked[*sm] = 0;
    }
    return true;
}

void tlb_run(struct tlb *t, struct mem_port *port) {
    struct tlb_ask k = {0};
    for (uint32_t sm = 0; take_earliest(t, &k, &sm);) {
        const uint64_t ready = answer(t, &k, sm, port[sm].activity.c);
        struct tlb_array *const a = tlb_first(t, sm);
        const uint32_t at = find(a, k.page);
        if (at != TLB_NOWHERE && a->ready[at] == NEVER) a->ready[at] = ready;
        const uint32_t from = sm - sm % t->c->l1_sms, to = from + t->c->l1_sms;
        for (uint32_t i = from; i < to && i < t->sms; i++) port_page_known(&port[i], k.page, ready);
    }
}
