// The optional memory checks: reads of bytes never written, and shared-memory races.
//
// Each byte of shared memory has a shadow: whether it was written, and who last wrote and last read
// it since when. Two accesses by different warps race when at least one writes, they are not both
// atomic, and no barrier lies between them: a barrier of the whole block starts a new epoch; within
// one, two warps that have both passed some barrier of fewer threads are taken to be in order,
// which may forgive a race but never invents one.
#include "exec/mem.h"

struct byte_shadow {
    uint16_t write_epoch, read_epoch; // low bits of bar_epoch + 1; 0 never
    uint8_t writer, reader;           // warp in CTA, modulo 256
    uint8_t written;
    uint8_t write_atomic;
};
struct exec_shared_check {
    bool races, uninitialised;
    uint8_t *local; // four bits a lane's word of local memory: its bytes that were written
    struct byte_shadow byte[];
};

static size_t shared_shadow(const struct exec_launch *l) {
    return bits_align_up(
        sizeof(struct exec_shared_check) + l->shared_bytes * sizeof(struct byte_shadow), 64);
}

size_t check_bytes(const struct exec_launch *l) {
    const struct exec_options *o = &l->args.options;
    if (!o->check_races && !o->check_uninitialised) return 0;
    const size_t local = o->check_uninitialised ? (size_t)l->warps * l->local_words * WARP_LANES : 0;
    return shared_shadow(l) + local;
}
void check_cta_init(struct exec_cta *c, void *memory) {
    const struct exec_options *o = &c->launch->args.options;
    c->check = memory;
    memset(memory, 0, check_bytes(c->launch));
    c->check->races = o->check_races;
    c->check->uninitialised = o->check_uninitialised;
    c->check->local = (uint8_t *)memory + shared_shadow(c->launch);
}

static uint16_t epoch_of(const struct exec_warp *w) { return (uint16_t)(w->bar_epoch % 65535 + 1); }
static bool unordered(const struct exec_warp *w, uint16_t epoch, uint8_t warp) {
    return epoch == epoch_of(w) && warp != (uint8_t)w->warp_in_cta &&
           !(w->cta->warps[warp].bar_named & w->bar_named);
}
static bool race(struct exec_env *e, struct exec_warp *w, const struct xinst *x, uint32_t lane,
                 uint64_t at, const char *what, uint8_t other, const char *did) {
    return found(e, w, x, FAULT_RACE, lane, at, x->bytes,
                 "shared-memory race: warp %u %s the byte at offset 0x%llx, which warp %u %s with "
                 "no barrier between",
                 w->warp_in_cta, what, (unsigned long long)at, other, did);
}

// A lane's read of shared memory: each of the two kinds of finding is said once.
static bool check_shared_read(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
                              uint32_t lane, uint64_t first) {
    struct exec_shared_check *c = w->cta->check;
    bool unwritten = false, raced = false;
    for (uint64_t at = first; at < first + x->bytes; at++) {
        struct byte_shadow *b = &c->byte[at];
        if (c->uninitialised && !b->written && !unwritten) {
            unwritten = true;
            if (!found(e, w, x, FAULT_UNINITIALISED, lane, at, x->bytes,
                       "shared read of %u byte%s at offset 0x%llx, of which byte 0x%llx was never "
                       "written",
                       x->bytes, text_plural(x->bytes), (unsigned long long)first,
                       (unsigned long long)at))
                return false;
        }
        if (!c->races || x->op == OP_ATOM) continue;
        if (!raced && unordered(w, b->write_epoch, b->writer)) {
            raced = true;
            if (!race(e, w, x, lane, at, "reads", b->writer, "wrote")) return false;
        }
        b->read_epoch = epoch_of(w);
        b->reader = (uint8_t)w->warp_in_cta;
    }
    return true;
}

static bool check_global_read(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
                              uint32_t lane, const uint8_t *host) {
    uint32_t own = 0;
    uint8_t buf[16];
    if (e->log && e->log->is_busy && log_maybe(e->log, host) &&
        !log_overlay(e->log, host, x->bytes, buf, &own))
        return true; // an atomic of this quantum: written
    const uint64_t addr = e->access.addr[lane];
    for (uint32_t k = 0; k < x->bytes; k++) {
        if (own >> k & 1 || devmem_unwritten(e->memory, addr + k, 1) == UINT64_MAX) continue;
        return found(e, w, x, FAULT_UNINITIALISED, lane, addr, x->bytes,
                     "global read of %u byte%s at 0x%llx, of which byte 0x%llx was never written",
                     x->bytes, text_plural(x->bytes), (unsigned long long)addr,
                     (unsigned long long)(addr + k));
    }
    return true;
}

// Local memory: byte k of what a lane accesses is in word k / 4, VEC_BYTES further each.
static uint8_t *local_shadow(const struct exec_warp *w, const uint8_t *host, uint32_t k,
                             uint32_t *bit) {
    const struct exec_cta *c = w->cta;
    const uint8_t *const first = (const uint8_t *)c->memory + c->launch->local_at;
    const size_t at = (size_t)(host - first) + (k / 4) * (size_t)VEC_BYTES;
    *bit = 1u << ((at & 3) + (k & 3));
    return &c->check->local[at / 4];
}
// Where in a thread's local memory `host` is.
static uint64_t local_offset(const struct exec_warp *w, const uint8_t *host, uint32_t lane) {
    const size_t at = (size_t)(host - w->local) - 4 * lane;
    return at / VEC_BYTES * 4 + at % VEC_BYTES;
}
static bool check_local_read(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
                             uint32_t lane, const uint8_t *host) {
    for (uint32_t k = 0; k < x->bytes; k++) {
        uint32_t bit;
        if (*local_shadow(w, host, k, &bit) & bit) continue;
        const uint64_t at = local_offset(w, host, lane);
        return found(e, w, x, FAULT_UNINITIALISED, lane, at, x->bytes,
                     "local read of %u byte%s at offset 0x%llx, of which byte 0x%llx was never "
                     "written",
                     x->bytes, text_plural(x->bytes), (unsigned long long)at,
                     (unsigned long long)(at + k));
    }
    return true;
}

bool check_reads(struct exec_env *e, struct exec_warp *w, const struct xinst *x, uint32_t mask,
                 const struct mem_lanes *r) {
    const struct exec_shared_check *c = w->cta->check;
    if (ww_likely(!c)) return true;
    FOR_EACH_BIT32(i, mask & r->shared)
    if (!check_shared_read(e, w, x, i, (uint64_t)(r->host[i] - w->cta->shared))) return false;
    if (!c->uninitialised) return true;
    // A reload may take up what was undefined, and is not used then.
    if (!(x->flags & MF_SPILL))
        FOR_EACH_BIT32(i, mask & r->local)
        if (!check_local_read(e, w, x, i, r->host[i])) return false;
    FOR_EACH_BIT32(i, mask & r->global)
    if (!check_global_read(e, w, x, i, r->host[i])) return false;
    return true;
}

static bool check_changes(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
                          uint32_t mask, const struct mem_lanes *r, bool is_atomic) {
    struct exec_shared_check *c = w->cta->check;
    FOR_EACH_BIT32(i, mask & r->shared) {
        const uint64_t first = (uint64_t)(r->host[i] - w->cta->shared);
        bool raced = false; // said once a lane
        for (uint64_t at = first; at < first + x->bytes; at++) {
            struct byte_shadow *b = &c->byte[at];
            if (c->races) {
                const bool over = unordered(w, b->write_epoch, b->writer) &&
                                  !(is_atomic && b->write_atomic);
                if (!raced && (over || unordered(w, b->read_epoch, b->reader))) {
                    raced = true;
                    if (!race(e, w, x, i, at, "writes", over ? b->writer : b->reader,
                              over ? "wrote" : "read"))
                        return false;
                }
                b->write_epoch = epoch_of(w);
                b->writer = (uint8_t)w->warp_in_cta;
                b->write_atomic = is_atomic;
            }
            b->written = 1;
        }
    }
    if (c->uninitialised) FOR_EACH_BIT32(i, mask & r->local)
    for (uint32_t k = 0; k < x->bytes; k++) {
        uint32_t bit;
        *local_shadow(w, r->host[i], k, &bit) |= (uint8_t)bit;
    }
    // In logged mode the commit marks global bytes.
    if (c->uninitialised && !e->log) FOR_EACH_BIT32(i, mask & r->global)
    devmem_mark_written(e->memory, e->access.addr[i], x->bytes);
    return true;
}
bool check_writes(struct exec_env *e, struct exec_warp *w, const struct xinst *x, uint32_t mask,
                  const struct mem_lanes *r) {
    return ww_likely(!w->cta->check) || check_changes(e, w, x, mask, r, false);
}
bool check_atomics(struct exec_env *e, struct exec_warp *w, const struct xinst *x, uint32_t mask,
                   const struct mem_lanes *r) {
    return ww_likely(!w->cta->check) || check_changes(e, w, x, mask, r, true);
}
