// Races between blocks of a cluster, in the shared memory of one of them.
//
// Each block has a clock, which ticks when it tells the others something: at a barrier of the cluster, and when a
// thread stores, arrives or adds in another block's memory in a way that may synchronise. A block knows of each other
// one up to which tick what that one did is done; it learns at the barrier, and when a thread of it looks at something
// that may synchronise. Two accesses of different blocks race when at least one writes, neither block is known to the
// other as far as it matters, and they are not both of the kind that may meet (check.c).
//
// What one thread of a block knows is taken to be known to all of it, and what a bulk copy brings is not looked at: a
// race may be forgiven so, and none is invented. With time stores come to other blocks at the end of a quantum
// (cluster.h), and nothing is looked for; without time they come at once.
#include "exec/check_cluster.h"

#include "exec/check.h"
#include "exec/mem.h"

// Of a byte, clocks of the blocks that touched it, 0: none did. `writer`, `reader`: another block's rank and one.
struct cluster_shadow {
    uint32_t own_write, own_read, write, read;
    uint8_t writer, reader;
    bool strong; // the last write may synchronise
};

size_t check_cluster_bytes(const struct exec_launch *l) {
    return exec_cluster_blocks(l) > 1 && l->args.options.check_races ? l->shared_bytes * sizeof(struct cluster_shadow)
                                                                      : 0;
}
void check_cluster_init(struct exec_shared_check *c, const struct exec_launch *l, void *memory) {
    const size_t bytes = check_cluster_bytes(l);
    c->others = bytes ? memory : NULL;
    c->clock = 1;
    if (bytes) memset(memory, 0, bytes);
}

static bool is_known(const struct exec_cta *by, uint32_t rank, uint32_t clock) {
    return !clock || rank == by->rank || by->check->known[rank] >= clock;
}
static bool race(struct exec_env *e, struct exec_warp *w, const struct xinst *x, uint32_t lane, uint64_t at,
                 const struct exec_cta *of, bool writes, uint32_t other, bool wrote) {
    return found(e, w, x, FAULT_RACE, lane, at, x->bytes,
                 "shared-memory race: block %u of the cluster %s the byte at offset 0x%llx of block %u, which block %u "
                 "%s with no barrier of the cluster, and nothing else that synchronises, between",
                 w->cta->rank, writes ? "writes" : "reads", (unsigned long long)at, of->rank, other,
                 wrote ? "wrote" : "read");
}

// One access, of the block's own memory or of another's; each kind of finding is said once.
static bool look(struct exec_env *e, struct exec_warp *w, const struct xinst *x, uint32_t lane, struct exec_cta *of,
                 uint64_t first, uint32_t bytes, bool writes, bool strong) {
    struct exec_cta *const by = w->cta;
    const bool is_own = of == by;
    const uint32_t clock = by->check->clock;
    bool said = false;
    for (uint64_t at = first; at < first + bytes; at++) {
        struct cluster_shadow *const b = &of->check->others[at];
        const uint32_t writer = b->writer ? b->writer - 1u : of->rank;
        const uint32_t write = b->writer ? b->write : b->own_write;
        const bool may_meet = strong && b->strong;
        if (!said && !may_meet && !is_known(by, writer, write)) {
            said = true;
            if (!race(e, w, x, lane, at, of, writes, writer, true)) return false;
        }
        if (!writes) {
            if (is_own)
                b->own_read = strong ? b->own_read : clock;
            else if (!strong)
                b->read = clock, b->reader = (uint8_t)(by->rank + 1);
            continue;
        }
        const bool own_read = !is_own && !is_known(by, of->rank, b->own_read);
        const bool other_read = b->reader && !is_known(by, b->reader - 1u, b->read);
        if (!said && (own_read || other_read)) {
            said = true;
            if (!race(e, w, x, lane, at, of, true, own_read ? of->rank : b->reader - 1u, false)) return false;
        }
        b->strong = strong;
        b->writer = is_own ? 0 : (uint8_t)(by->rank + 1);
        *(is_own ? &b->own_write : &b->write) = clock;
    }
    return true;
}

bool check_cluster_own(struct exec_env *e, struct exec_warp *w, const struct xinst *x, uint32_t lane, uint64_t first,
                       uint32_t bytes, bool writes, bool strong) {
    if (ww_likely(!w->cta->check->others) || e->remote_waits || !w->cta->cluster) return true;
    return look(e, w, x, lane, w->cta, first, bytes, writes, strong);
}

static struct exec_cta *block_of(const struct exec_cluster *k, const uint8_t *host) {
    for (uint32_t r = 0; r < k->n; r++)
        if (host >= k->cta[r]->shared && host < k->cta[r]->shared + k->cta[r]->shared_bytes) return k->cta[r];
    return NULL;
}
bool check_cluster_other(struct exec_env *e, struct exec_warp *w, const struct xinst *x, uint32_t lane,
                         const uint8_t *host, bool writes, bool strong) {
    if (ww_likely(!w->cta->check->others) || e->remote_waits || !w->cta->cluster) return true;
    struct exec_cta *const of = block_of(w->cta->cluster, host);
    if (!of || !of->check || !of->check->others) return true;
    if (!look(e, w, x, lane, of, (uint64_t)(host - of->shared), x->bytes, writes, strong)) return false;
    if (writes && strong) { // who looks there learns of it, and of what this block knows
        struct exec_shared_check *const c = w->cta->check;
        for (uint32_t r = 0; r < w->cta->cluster->n; r++) {
            const uint32_t known = r == w->cta->rank ? c->clock : c->known[r];
            if (of->check->told[r] < known) of->check->told[r] = known;
        }
        c->clock++;
    }
    return true;
}
void check_cluster_hear(struct exec_cta *c) {
    if (ww_likely(!c->check->others)) return;
    for (uint32_t r = 0; r < EXEC_CLUSTER_BLOCKS; r++)
        if (c->check->known[r] < c->check->told[r]) c->check->known[r] = c->check->told[r];
}
// Blocks that have ended keep their clocks: whatever they did is behind the phase.
void check_cluster_meet(struct exec_cluster *k) {
    for (uint32_t r = 0; r < k->n; r++) {
        const struct exec_shared_check *const c = k->gone >> r & 1 ? NULL : k->cta[r]->check;
        if (!c || !c->others) continue;
        for (uint32_t q = 0; q < k->n; q++) {
            struct exec_shared_check *const to = k->gone >> q & 1 ? NULL : k->cta[q]->check;
            if (to) to->known[r] = c->clock;
        }
    }
    for (uint32_t r = 0; r < k->n; r++)
        if (!(k->gone >> r & 1) && k->cta[r]->check) k->cta[r]->check->clock++;
}
