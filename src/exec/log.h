// The store log of one SM: what it wrote in this quantum, in order, and an overlay that lets the SM
// read its own bytes before they are committed. The overlay is made of the records when a load first
// asks for it: most kernels never read what they write. Everything is keyed by host address, which
// is one to one with what the device sees.
#ifndef WW_EXEC_LOG_H
#define WW_EXEC_LOG_H

#include "exec/exec_int.h"

// Words of the filter: of a quantum of an SM; of a round without time, which holds thousands of lines.
enum { LOG_LINE = 64, LOG_BLOOM_WORDS = 32, LOG_LARGE_BLOOM_WORDS = 1024 };

struct exec_log {
    uint64_t *bloom;     // lines that were written or changed by an atomic
    uint32_t bloom_mask; // words - 1
    bool is_busy;        // any bit of bloom is set
    uint64_t low, high;  // least and greatest byte on the host of those lines, while is_busy
    uint8_t *buf;        // records, each 8-byte aligned
    size_t len, cap;
    size_t overlaid;             // bytes of buf that the overlay knows
    struct log_line *line;       // [cap_slots / 2]
    uint32_t *slot;              // of lines, open addressing
    uint32_t n_lines, cap_slots; // power of two
    uint64_t *freed; // what free() of this quantum was given
    uint32_t n_freed, cap_freed;
    bool out_of_memory;
    uint8_t *look; // what the check of races between blocks is told (check_grid.c)
    size_t look_len, look_cap;
};

static inline uint32_t log_hash(uint64_t line) {
    return (uint32_t)((line * 0x9e3779b97f4a7c15ull) >> 40);
}
static inline bool log_maybe_line(const struct exec_log *log, uint64_t line) {
    const uint32_t h = log_hash(line);
    return log->bloom[h / 64 & log->bloom_mask] >> (h & 63) & 1;
}
static inline bool log_maybe(const struct exec_log *log, const uint8_t *p) {
    return log_maybe_line(log, (uint64_t)(uintptr_t)p / LOG_LINE);
}
// Whether any byte of [first, last] may be in the log; true when the span is too long to tell.
static inline bool log_maybe_span(const struct exec_log *log, const uint8_t *first,
                                  const uint8_t *last) {
    const uint64_t a = (uint64_t)(uintptr_t)first / LOG_LINE,
                   b = (uint64_t)(uintptr_t)last / LOG_LINE;
    if (b - a > 64) return true;
    for (uint64_t l = a; l <= b; l++)
        if (log_maybe_line(log, l)) return true;
    return false;
}

struct wide { // an atomic's operand or result: up to 16 bytes
    uint64_t v[2];
};

// Lays own bytes over buf[0..bytes), which was read from p. False when an atomic of this quantum
// touches the line, so that only the commit can tell the value. `own`, if given, gets a bit a byte
// that came from the log, of at most 32.
bool log_overlay(struct exec_log *log, const uint8_t *p, uint32_t bytes, uint8_t *buf,
                 uint32_t *own);
// exec_commit in two steps: what the logs hold takes effect, in their order; a log is empty again.
bool log_commit(struct devmem *m, struct exec_log *const *logs, uint32_t n, struct exec_fault *f);
void log_forget(struct exec_log *log);
// Whether a commit would change a byte of memory, print, or move the heap.
bool log_changes(const struct exec_log *log);
// A log whose filter has so many words, a power of two.
struct exec_log *log_create(uint32_t bloom_words);

// Records. Lanes outside the mask have no entry; data holds `bytes` bytes a lane at data[16 *
// lane].
void log_store(struct exec_log *log, uint32_t mask, uint32_t bytes, uint8_t *const *host,
               const uint8_t *data);
void log_store_run(struct exec_log *log, uint8_t *host, uint32_t bytes, const void *data);
void log_atomic(struct exec_log *log, struct exec_warp *w, const struct xinst *x, uint32_t mask,
                uint8_t *const *host, const struct wide *b, const struct wide *c);
// The same for one 32-bit word a lane, by operand vectors.
void log_atomic32(struct exec_log *log, struct exec_warp *w, const struct xinst *x, uint32_t mask,
                  uint8_t *const *host, const uint32_t *b, const uint32_t *c);
// `bytes` bytes of global memory change by a bulk reduction: enum matom op of elements of a type.
void log_reduce(struct exec_log *log, uint8_t *host, uint32_t bytes, const void *data, uint32_t op,
                uint32_t type);
// At the commit `bytes` bytes, at most 16, of global memory go to `to` in shared memory of w's
// cluster, as elements of `type` (enum tensor_type; TENSOR_TYPE_N: as they are); and a barrier of
// block `rank` hears of `bytes` bytes that have come.
void log_copy(struct exec_log *log, struct exec_warp *w, const uint8_t *host, uint8_t *to,
              uint32_t bytes, uint32_t type);
void log_copied(struct exec_log *log, struct exec_warp *w, uint32_t rank, uint32_t barrier,
                uint32_t bytes);
void log_load(struct exec_log *log, struct exec_warp *w, const struct xinst *x, uint32_t mask,
              uint8_t *const *host);
// The same in shared memory of another block of the cluster, which the commit reads and writes.
void log_remote_store(struct exec_log *log, const struct exec_warp *w, uint32_t mask,
                      uint32_t bytes, uint8_t *const *host, const uint8_t *data);
void log_remote_atomic(struct exec_log *log, struct exec_warp *w, const struct xinst *x,
                       uint32_t mask, uint8_t *const *host, const struct wide *b,
                       const struct wide *c);
void log_remote_load(struct exec_log *log, struct exec_warp *w, const struct xinst *x,
                     uint32_t mask, uint8_t *const *host);
void log_print(struct exec_log *log, const struct exec_launch *l, const char *text, size_t len);
void log_heap(struct exec_log *log, struct exec_warp *w, const struct xinst *x, uint32_t lane,
              bool is_free, uint64_t value);
// Whether the allocation that begins at `first` was freed in this quantum: gone for this SM already.
bool log_has_freed(const struct exec_log *log, uint64_t first);
void log_forget_warp(struct exec_log *log, const struct exec_warp *w); // its results have no reader

// One 32-bit atomic's new value; what every fast path and the commit share.
static inline uint32_t atomic32(const struct xinst *x, uint32_t old, uint32_t b, uint32_t c,
                                bool is_global);

// atom.c: one atomic on `p`; the old value comes back.
struct wide atomic_apply(uint8_t *p, const struct xinst *x, const struct wide *b,
                         const struct wide *c, bool is_global);
uint32_t atomic_bytes(const struct xinst *x);
// An exchange whose old value nobody wants is a store: what comes after it in the quantum sees it, a copy of the bulk engine by a
// map that was written so (CUTLASS's products of groups) too.
static inline bool atom_stores(const struct xinst *x) {
    return x->sub == MATOM_EXCH && x->d == X_NONE;
}
void atomic_result(struct exec_warp *w, const struct xinst *x, uint32_t lane,
                   const struct wide *old);
void heap_result(struct exec_warp *w, const struct xinst *x, uint32_t lane, uint64_t pointer);
// bulk.c: elements of enum isa_type type, by enum matom op; of a load, changed as its type asks.
void bulk_reduce(uint8_t *to, const uint8_t *from, uint32_t bytes, uint32_t op, uint32_t type,
                 bool is_global);
void bulk_convert(uint32_t type, uint8_t *at, uint32_t bytes);
// mem.c: a lane's loaded bytes into its destination registers.
void mem_unpack(struct exec_warp *w, const struct xinst *x, uint32_t lane, const uint8_t *buf);

uint32_t atomic32_float_add(uint32_t old, uint32_t b, bool is_global);
static inline uint32_t atomic32(const struct xinst *x, uint32_t old, uint32_t b, uint32_t c,
                                bool is_global) {
    const bool is_signed = x->type == ITYPE_S32;
    const bool less = is_signed ? (int32_t)old < (int32_t)b : old < b;
    switch (x->sub) {
    case MATOM_ADD: return x->type == ITYPE_F32 ? atomic32_float_add(old, b, is_global) : old + b;
    case MATOM_MIN: return less ? old : b;
    case MATOM_MAX: return less ? b : old;
    case MATOM_INC: return old >= b ? 0 : old + 1;
    case MATOM_DEC: return old == 0 || old > b ? b : old - 1;
    case MATOM_AND: return old & b;
    case MATOM_OR: return old | b;
    case MATOM_XOR: return old ^ b;
    case MATOM_EXCH: return b;
    default: return old == b ? c : old;
    }
}

// devmem.c
void devmem_mark_written_host(struct devmem *m, const uint8_t *host, uint64_t bytes);

#endif
