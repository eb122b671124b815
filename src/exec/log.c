// See log.h and exec.h ("Order of memory"). Records are variable-length in one growing buffer that
// is reused quantum after quantum; the overlay is a hash table of 64-byte lines with a bit a byte,
// and a small Bloom filter in front, so that a load that meets no own store pays for a bit test. A
// store sets bits of the filter; the table takes it in when a load finds them set.
#include <stdlib.h>

#include "exec/bulk.h"
#include "exec/check_grid.h"
#include "exec/mem.h"

struct log_line {
    uint64_t tag;     // host address / LOG_LINE
    uint64_t written; // bytes that data holds
    uint32_t slot;    // of the table
    bool atomic;      // its value is known at commit only
    uint8_t data[LOG_LINE];
};

enum record_kind {
    REC_STORE,
    REC_RUN,
    REC_ATOMIC,
    REC_ATOMIC32,
    REC_LOAD,
    REC_REMOTE_STORE, // shared memory of another block of the cluster
    REC_REMOTE_ATOMIC,
    REC_REMOTE_LOAD,
    REC_REDUCE,
    REC_COPY,
    REC_COPIED,
    REC_PRINT,
    REC_MALLOC,
    REC_FREE
};
struct record {
    uint32_t kind, size; // of the record with its payload
    uint32_t mask, bytes;
    struct exec_warp *w; // NULL: the result has no reader
    const struct xinst *x;
};
struct atomic_lane {
    uint8_t *host;
    struct wide b, c;
};
struct later_copy {
    const uint8_t *from;
    uint8_t *to;
};
struct atomic32_lane {
    uint8_t *host;
    uint32_t b, c;
};

struct exec_log *log_create(uint32_t bloom_words) {
    struct exec_log *log = calloc(1, sizeof *log);
    if (!log) return NULL;
    log->bloom = calloc(bloom_words, sizeof *log->bloom);
    log->bloom_mask = bloom_words - 1;
    if (log->bloom) return log;
    free(log);
    return NULL;
}
struct exec_log *exec_log_create(void) { return log_create(LOG_BLOOM_WORDS); }
void exec_log_destroy(struct exec_log *log) {
    if (!log) return;
    free(log->bloom);
    free(log->buf);
    free(log->line);
    free(log->slot);
    free(log->freed);
    free(log->look);
    free(log);
}
bool exec_log_is_empty(const struct exec_log *log) { return log->len == 0; }

// ---- overlay --------------------------------------------------------------------------------
// Lines lie in the order in which they came; the table holds their numbers + 1, 0 free.
static uint32_t line_slot(const struct exec_log *log, uint64_t tag) {
    uint32_t i = log_hash(tag) & (log->cap_slots - 1);
    while (log->slot[i] && log->line[log->slot[i] - 1].tag != tag)
        i = (i + 1) & (log->cap_slots - 1);
    return i;
}
static const struct log_line *line_find(const struct exec_log *log, uint64_t tag) {
    if (!log->n_lines) return NULL;
    const uint32_t n = log->slot[line_slot(log, tag)];
    return n ? &log->line[n - 1] : NULL;
}
// Room for one more line: half of the table stays free.
static bool line_room(struct exec_log *log) {
    if (log->n_lines * 2 < log->cap_slots) return true;
    const uint32_t cap = log->cap_slots ? log->cap_slots * 2 : 256;
    struct log_line *const line = realloc(log->line, cap / 2 * sizeof *line);
    if (line) log->line = line;
    uint32_t *const slot = line ? calloc(cap, sizeof *slot) : NULL;
    if (!slot) {
        log->out_of_memory = true;
        return false;
    }
    free(log->slot);
    log->slot = slot;
    log->cap_slots = cap;
    for (uint32_t k = 0; k < log->n_lines; k++) {
        line[k].slot = line_slot(log, line[k].tag);
        slot[line[k].slot] = k + 1;
    }
    return true;
}
// Lines that were got before may have moved.
static struct log_line *line_get(struct exec_log *log, uint64_t tag) {
    if (!line_room(log)) return NULL;
    const uint32_t slot = line_slot(log, tag);
    if (!log->slot[slot]) {
        log->slot[slot] = ++log->n_lines;
        struct log_line *const l = &log->line[log->n_lines - 1];
        l->tag = tag;
        l->written = 0;
        l->slot = slot;
        l->atomic = false;
    }
    return &log->line[log->slot[slot] - 1];
}
// `*last` is the line of the lane before, which is often the same.
static void overlay_write(struct exec_log *log, const uint8_t *host, uint32_t bytes,
                          const uint8_t *data, struct log_line **last) {
    uint64_t at = (uint64_t)(uintptr_t)host;
    while (bytes) {
        struct log_line *l = *last;
        if (!l || l->tag != at / LOG_LINE) *last = l = line_get(log, at / LOG_LINE);
        if (!l) return;
        const uint32_t o = at % LOG_LINE, n = bytes < LOG_LINE - o ? bytes : LOG_LINE - o;
        if (n == 4)
            memcpy(l->data + o, data, 4);
        else
            memcpy(l->data + o, data, n);
        l->written |= (n == 64 ? ~0ull : (1ull << n) - 1) << o;
        at += n;
        data += n;
        bytes -= n;
    }
}
static void mark_atomic(struct exec_log *log, const uint8_t *host, struct log_line **last) {
    const uint64_t tag = (uint64_t)(uintptr_t)host / LOG_LINE;
    if (*last && (*last)->tag == tag) return;
    *last = line_get(log, tag);
    if (*last) (*last)->atomic = true;
}
static void overlay_record(struct exec_log *log, const struct record *r) {
    const uint8_t *p = (const uint8_t *)(r + 1), *host;
    struct log_line *last = NULL;
    const uint32_t n = bits_count32(r->mask);
    switch (r->kind) {
    case REC_STORE:
        for (uint32_t i = 0; i < n; i++, p += 8 + r->bytes) {
            memcpy(&host, p, 8);
            overlay_write(log, host, r->bytes, p + 8, &last);
        }
        break;
    case REC_RUN:
        memcpy(&host, p, 8);
        overlay_write(log, host, r->bytes, p + 8, &last);
        break;
    case REC_ATOMIC:
        for (uint32_t i = 0; i < n; i++)
            mark_atomic(log, ((const struct atomic_lane *)(const void *)p)[i].host, &last);
        break;
    case REC_REDUCE:
        memcpy(&host, p, 8);
        for (uint32_t k = 0; k < r->bytes + LOG_LINE; k += LOG_LINE)
            mark_atomic(log, host + (k < r->bytes ? k : r->bytes - 1), &last);
        break;
    case REC_ATOMIC32:
        for (uint32_t i = 0; i < n; i++)
            mark_atomic(log, ((const struct atomic32_lane *)(const void *)p)[i].host, &last);
        break;
    default: break;
    }
}
bool log_overlay(struct exec_log *log, const uint8_t *p, uint32_t bytes, uint8_t *buf,
                 uint32_t *own) {
    for (; log->overlaid < log->len;) {
        const struct record *r = (const struct record *)(const void *)(log->buf + log->overlaid);
        overlay_record(log, r);
        log->overlaid += r->size;
    }
    uint64_t at = (uint64_t)(uintptr_t)p;
    uint32_t mine = 0;
    bool known = true;
    for (uint32_t i = 0; i < bytes;) {
        const struct log_line *l = line_find(log, at / LOG_LINE);
        const uint32_t o = at % LOG_LINE;
        uint32_t n = LOG_LINE - o;
        if (n > bytes - i) n = bytes - i;
        if (l) {
            const uint64_t all = n == 64 ? ~0ull : (1ull << n) - 1, have = l->written >> o & all;
            known = known && !l->atomic;
            if (have == all)
                memcpy(buf + i, l->data + o, n);
            else
                FOR_EACH_BIT64(k, have) buf[i + k] = l->data[o + k];
            if (own) mine |= (uint32_t)(have << i);
        }
        i += n;
        at += n;
    }
    if (own) *own = mine;
    return known;
}

// ---- records --------------------------------------------------------------------------------
static void *record_new(struct exec_log *log, enum record_kind kind, size_t payload, uint32_t mask,
                        uint32_t bytes, struct exec_warp *w, const struct xinst *x) {
    const size_t size = (sizeof(struct record) + payload + 7) & ~(size_t)7;
    if (log->len + size > log->cap) {
        size_t cap = log->cap ? log->cap * 2 : 1u << 16;
        while (cap < log->len + size) cap *= 2;
        uint8_t *p = realloc(log->buf, cap);
        if (!p) {
            log->out_of_memory = true;
            return NULL;
        }
        log->buf = p;
        log->cap = cap;
    }
    struct record *r = (struct record *)(void *)(log->buf + log->len);
    *r = (struct record){kind, (uint32_t)size, mask, bytes, w, x};
    log->len += size;
    return r + 1;
}

static inline void filter_line(struct exec_log *log, uint64_t line) {
    const uint32_t h = log_hash(line);
    log->bloom[h / 64 & log->bloom_mask] |= 1ull << (h & 63);
}
static inline void filter(struct exec_log *log, const uint8_t *host, uint32_t bytes) {
    const uint64_t at = (uint64_t)(uintptr_t)host, last = (at + bytes - 1) / LOG_LINE;
    for (uint64_t line = at / LOG_LINE; line <= last; line++) filter_line(log, line);
    if (!log->is_busy || at < log->low) log->low = at;
    if (!log->is_busy || at + bytes - 1 > log->high) log->high = at + bytes - 1;
    log->is_busy = true;
}

void log_store(struct exec_log *log, uint32_t mask, uint32_t bytes, uint8_t *const *host,
               const uint8_t *data) {
    const uint32_t n = bits_count32(mask);
    uint8_t *p = record_new(log, REC_STORE, (size_t)n * (8 + bytes), mask, bytes, NULL, NULL);
    if (!p) return;
    FOR_EACH_BIT32(i, mask) {
        memcpy(p, &host[i], 8);
        if (bytes == 4)
            memcpy(p + 8, data + 16 * i, 4);
        else
            memcpy(p + 8, data + 16 * i, bytes);
        filter(log, host[i], bytes);
        p += 8 + bytes;
    }
}
void log_store_run(struct exec_log *log, uint8_t *host, uint32_t bytes, const void *data) {
    uint8_t *p = record_new(log, REC_RUN, 8 + (size_t)bytes, 0, bytes, NULL, NULL);
    if (!p) return;
    memcpy(p, &host, 8);
    memcpy(p + 8, data, bytes);
    filter(log, host, bytes);
}
// A run of data behind its address; `mask` holds the operation and the type.
void log_reduce(struct exec_log *log, uint8_t *host, uint32_t bytes, const void *data, uint32_t op,
                uint32_t type) {
    uint8_t *p =
        record_new(log, REC_REDUCE, 8 + (size_t)bytes, op | type << 8, bytes, NULL, NULL);
    if (!p) return;
    memcpy(p, &host, 8);
    memcpy(p + 8, data, bytes);
    filter(log, host, bytes);
}
void log_copy(struct exec_log *log, struct exec_warp *w, const uint8_t *host, uint8_t *to,
              uint32_t bytes, uint32_t type) {
    struct later_copy *const p = record_new(log, REC_COPY, sizeof *p, type, bytes, w, NULL);
    if (p) *p = (struct later_copy){host, to};
}
void log_copied(struct exec_log *log, struct exec_warp *w, uint32_t rank, uint32_t barrier,
                uint32_t bytes) {
    uint32_t *const p = record_new(log, REC_COPIED, sizeof *p, barrier, bytes, w, NULL);
    if (p) *p = rank;
}
void log_atomic(struct exec_log *log, struct exec_warp *w, const struct xinst *x, uint32_t mask,
                uint8_t *const *host, const struct wide *b, const struct wide *c) {
    const uint32_t n = bits_count32(mask);
    struct exec_warp *reader = x->d == X_NONE ? NULL : w;
    struct atomic_lane *p =
        record_new(log, REC_ATOMIC, n * sizeof *p, mask, atomic_bytes(x), reader, x);
    if (!p) return;
    if (reader) w->n_deferred++;
    FOR_EACH_BIT32(i, mask) {
        *p++ = (struct atomic_lane){host[i], b[i], c[i]};
        filter(log, host[i], atomic_bytes(x));
    }
}
void log_atomic32(struct exec_log *log, struct exec_warp *w, const struct xinst *x, uint32_t mask,
                  uint8_t *const *host, const uint32_t *b, const uint32_t *c) {
    const uint32_t n = bits_count32(mask);
    struct exec_warp *reader = x->d == X_NONE ? NULL : w;
    struct atomic32_lane *p = record_new(log, REC_ATOMIC32, n * sizeof *p, mask, 4, reader, x);
    if (!p) return;
    if (reader) w->n_deferred++;
    FOR_EACH_BIT32(i, mask) {
        *p++ = (struct atomic32_lane){host[i], b[i], c[i]};
        filter(log, host[i], 4);
    }
}
void log_load(struct exec_log *log, struct exec_warp *w, const struct xinst *x, uint32_t mask,
              uint8_t *const *host) {
    uint8_t **p = record_new(log, REC_LOAD, bits_count32(mask) * 8ul, mask, x->bytes, w, x);
    if (!p) return;
    w->n_deferred++;
    FOR_EACH_BIT32(i, mask) *p++ = host[i];
}
void log_remote_store(struct exec_log *log, const struct exec_warp *w, uint32_t mask,
                      uint32_t bytes, uint8_t *const *host, const uint8_t *data) {
    const uint32_t n = bits_count32(mask);
    uint8_t *p =
        record_new(log, REC_REMOTE_STORE, 8 + (size_t)n * (8 + bytes), mask, bytes, NULL, NULL);
    if (!p) return;
    memcpy(p, &w->cta->cluster, 8);
    p += 8;
    FOR_EACH_BIT32(i, mask) {
        memcpy(p, &host[i], 8);
        memcpy(p + 8, data + 16 * i, bytes);
        p += 8 + bytes;
    }
}
void log_remote_atomic(struct exec_log *log, struct exec_warp *w, const struct xinst *x,
                       uint32_t mask, uint8_t *const *host, const struct wide *b,
                       const struct wide *c) {
    const uint32_t n = bits_count32(mask);
    struct exec_warp *reader = x->d == X_NONE ? NULL : w;
    struct atomic_lane *p =
        record_new(log, REC_REMOTE_ATOMIC, n * sizeof *p, mask, atomic_bytes(x), reader, x);
    if (!p) return;
    if (reader) w->n_deferred++;
    FOR_EACH_BIT32(i, mask) *p++ = (struct atomic_lane){host[i], b[i], c[i]};
}
void log_remote_load(struct exec_log *log, struct exec_warp *w, const struct xinst *x,
                     uint32_t mask, uint8_t *const *host) {
    uint8_t **p =
        record_new(log, REC_REMOTE_LOAD, bits_count32(mask) * 8ul, mask, x->bytes, w, x);
    if (!p) return;
    w->n_deferred++;
    FOR_EACH_BIT32(i, mask) *p++ = host[i];
}
void log_print(struct exec_log *log, const struct exec_launch *l, const char *text, size_t len) {
    uint8_t *p = record_new(log, REC_PRINT, 16 + len, 0, (uint32_t)len, NULL, NULL);
    if (!p) return;
    memcpy(p, &l->callbacks, 16);
    memcpy(p + 16, text, len);
}
static_assert(sizeof(struct exec_callbacks) == 16, "copied into a record");
void log_heap(struct exec_log *log, struct exec_warp *w, const struct xinst *x, uint32_t lane,
              bool is_free, uint64_t value) {
    uint64_t *p = record_new(log, is_free ? REC_FREE : REC_MALLOC, 8, lane, 0, w, x);
    if (!p) return;
    *p = value;
    w->n_deferred++;
    if (!is_free) return;
    if (log->n_freed == log->cap_freed) {
        const uint32_t cap = log->cap_freed ? log->cap_freed * 2 : 64;
        uint64_t *q = realloc(log->freed, cap * sizeof *q);
        if (!q) {
            log->out_of_memory = true;
            return;
        }
        log->freed = q;
        log->cap_freed = cap;
    }
    log->freed[log->n_freed++] = value;
}
bool log_has_freed(const struct exec_log *log, uint64_t first) {
    for (uint32_t k = 0; k < log->n_freed; k++)
        if (log->freed[k] == first) return true;
    return false;
}
bool env_find_range(struct exec_env *e, uint64_t addr, uint64_t bytes) {
    struct exec_range r;
    if (!devmem_reachable(e->memory, addr, bytes, &r)) return false;
    if (e->log && log_has_freed(e->log, r.first)) return false;
    e->range = r;
    return true;
}

void log_forget_warp(struct exec_log *log, const struct exec_warp *w) {
    for (size_t at = 0; at < log->len;) {
        struct record *r = (struct record *)(void *)(log->buf + at);
        if (r->w == w) r->w = NULL;
        at += r->size;
    }
}

// ---- commit ---------------------------------------------------------------------------------
static bool commit_heap(struct devmem *m, const struct record *r, uint64_t value,
                        struct exec_fault *f) {
    if (r->kind == REC_MALLOC) {
        const uint64_t at = devmem_device_malloc(m, value);
        if (r->w) heap_result(r->w, r->x, r->mask, at);
        return true;
    }
    if (devmem_device_free(m, value)) return true;
    if (r->w) {
        struct exec_env env = {.memory = m};
        fault_raise(&env, r->w, r->x, FAULT_UNALLOCATED, r->mask, value, 0,
                    "free() of 0x%llx, which malloc() did not return", (unsigned long long)value);
        *f = env.fault;
    } else {
        *f = (struct exec_fault){.kind = FAULT_UNALLOCATED, .addr = value};
        snprintf(f->text, sizeof f->text, "free() of 0x%llx, which malloc() did not return",
                 (unsigned long long)value);
    }
    return false;
}

static bool commit_record(struct devmem *m, const struct record *r, struct exec_fault *f) {
    const uint8_t *p = (const uint8_t *)(r + 1);
    const bool track = devmem_tracks_writes(m);
    switch (r->kind) {
    case REC_STORE:
        for (uint32_t n = bits_count32(r->mask); n; n--, p += 8 + r->bytes) {
            uint8_t *host;
            memcpy(&host, p, 8);
            if (r->bytes == 4)
                memcpy(host, p + 8, 4);
            else
                memcpy(host, p + 8, r->bytes);
            if (track) devmem_mark_written_host(m, host, r->bytes);
        }
        return true;
    case REC_RUN: {
        uint8_t *host;
        memcpy(&host, p, 8);
        memcpy(host, p + 8, r->bytes);
        if (track) devmem_mark_written_host(m, host, r->bytes);
        return true;
    }
    case REC_ATOMIC: {
        const struct atomic_lane *a = (const struct atomic_lane *)(const void *)p;
        FOR_EACH_BIT32(i, r->mask) {
            const struct wide old = atomic_apply(a->host, r->x, &a->b, &a->c, true);
            if (r->w) atomic_result(r->w, r->x, i, &old);
            if (track) devmem_mark_written_host(m, a->host, r->bytes);
            a++;
        }
        break;
    }
    case REC_ATOMIC32: {
        const struct atomic32_lane *a = (const struct atomic32_lane *)(const void *)p;
        FOR_EACH_BIT32(i, r->mask) {
            uint32_t old;
            memcpy(&old, a->host, 4);
            const uint32_t now = atomic32(r->x, old, a->b, a->c, true);
            memcpy(a->host, &now, 4);
            if (r->w) x_dst(r->w, r->x->d)[i] = old;
            if (track) devmem_mark_written_host(m, a->host, 4);
            a++;
        }
        break;
    }
    case REC_REMOTE_STORE: {
        struct exec_cluster *cluster;
        memcpy(&cluster, p, 8);
        p += 8;
        for (uint32_t n = bits_count32(r->mask); n; n--, p += 8 + r->bytes) {
            uint8_t *host;
            memcpy(&host, p, 8);
            memcpy(host, p + 8, r->bytes);
            check_remote_written(cluster, host, r->bytes);
        }
        return true;
    }
    case REC_REMOTE_ATOMIC: {
        const struct atomic_lane *a = (const struct atomic_lane *)(const void *)p;
        FOR_EACH_BIT32(i, r->mask) {
            const struct wide old = atomic_apply(a->host, r->x, &a->b, &a->c, false);
            if (r->w) atomic_result(r->w, r->x, i, &old);
            a++;
        }
        break;
    }
    case REC_REMOTE_LOAD:
        if (r->w && !check_remote_read(m, r->w, r->x, r->mask, (uint8_t *const *)(const void *)p, f))
            return false; // fallthrough
    case REC_LOAD: {
        uint8_t *const *host = (uint8_t *const *)(const void *)p;
        FOR_EACH_BIT32(i, r->mask) {
            uint8_t buf[16];
            memcpy(buf, *host++, r->bytes);
            if (r->w) mem_unpack(r->w, r->x, i, buf);
        }
        break;
    }
    case REC_REDUCE: {
        uint8_t *host;
        memcpy(&host, p, 8);
        bulk_reduce(host, p + 8, r->bytes, r->mask & 0xff, r->mask >> 8, true);
        if (track) devmem_mark_written_host(m, host, r->bytes);
        return true;
    }
    case REC_COPY: {
        const struct later_copy *const c = (const struct later_copy *)(const void *)p;
        if (!r->w) return true;
        memcpy(c->to, c->from, r->bytes);
        bulk_convert(r->mask, c->to, r->bytes);
        return true;
    }
    case REC_COPIED:
        if (r->w) {
            struct exec_env env = {.memory = m};
            uint32_t rank;
            memcpy(&rank, p, sizeof rank);
            const struct exec_bulk b = {.barrier = r->mask, .bytes = r->bytes, .blocks = 1u << rank};
            exec_bulk_done(&env, r->w->cta, &b);
        }
        return true;
    case REC_PRINT: {
        struct exec_callbacks cb;
        memcpy(&cb, p, sizeof cb);
        if (cb.print) cb.print(cb.user, (const char *)p + 16, r->bytes);
        return true;
    }
    default: {
        uint64_t value;
        memcpy(&value, p, 8);
        if (r->w && r->w->n_deferred) r->w->n_deferred--;
        return commit_heap(m, r, value, f);
    }
    }
    if (r->w && r->w->n_deferred) r->w->n_deferred--;
    return true;
}

bool log_commit(struct devmem *m, struct exec_log *const *logs, uint32_t n, struct exec_fault *f) {
    for (uint32_t k = 0; k < n; k++) {
        struct exec_log *log = logs[k];
        size_t look = 0;
        for (size_t at = 0; log && at < log->len;) {
            const struct record *r = (const struct record *)(const void *)(log->buf + at);
            if (log->look_len && !check_grid_commit(m, log, at, &look, f)) return false;
            if (!commit_record(m, r, f)) return false;
            at += r->size;
        }
        if (log && log->look_len && !check_grid_commit(m, log, log->len, &look, f)) return false;
        if (log && log->out_of_memory) {
            *f = (struct exec_fault){.kind = FAULT_UNALLOCATED};
            snprintf(f->text, sizeof f->text,
                     "the host ran out of memory for the stores of one quantum");
            return false;
        }
    }
    return true;
}

static bool record_changes(const struct record *r) {
    const uint8_t *p = (const uint8_t *)(r + 1);
    switch (r->kind) {
    case REC_REMOTE_STORE: p += 8; // fallthrough
    case REC_STORE:
    case REC_RUN:
        for (uint32_t n = r->kind == REC_RUN ? 1 : bits_count32(r->mask); n; n--) {
            const uint8_t *host;
            memcpy(&host, p, 8);
            if (memcmp(host, p + 8, r->bytes)) return true;
            p += 8 + r->bytes;
        }
        return false;
    case REC_ATOMIC: {
        const struct atomic_lane *a = (const struct atomic_lane *)(const void *)p;
        for (uint32_t n = bits_count32(r->mask); n; n--, a++) {
            struct wide now = {{0, 0}};
            memcpy(&now, a->host, r->bytes);
            atomic_apply((uint8_t *)&now, r->x, &a->b, &a->c, true);
            if (memcmp(&now, a->host, r->bytes)) return true;
        }
        return false;
    }
    case REC_REMOTE_ATOMIC: {
        const struct atomic_lane *a = (const struct atomic_lane *)(const void *)p;
        for (uint32_t n = bits_count32(r->mask); n; n--, a++) {
            struct wide now = {{0, 0}};
            memcpy(&now, a->host, r->bytes);
            atomic_apply((uint8_t *)&now, r->x, &a->b, &a->c, false);
            if (memcmp(&now, a->host, r->bytes)) return true;
        }
        return false;
    }
    case REC_ATOMIC32: {
        const struct atomic32_lane *a = (const struct atomic32_lane *)(const void *)p;
        for (uint32_t n = bits_count32(r->mask); n; n--, a++) {
            uint32_t old;
            memcpy(&old, a->host, 4);
            if (atomic32(r->x, old, a->b, a->c, true) != old) return true;
        }
        return false;
    }
    case REC_REMOTE_LOAD:
    case REC_LOAD: return false;
    default: return true;
    }
}
bool log_changes(const struct exec_log *log) {
    for (size_t at = 0; at < log->len;) {
        const struct record *r = (const struct record *)(const void *)(log->buf + at);
        if (record_changes(r)) return true;
        at += r->size;
    }
    return false;
}

void log_forget(struct exec_log *log) {
    log->len = log->overlaid = log->look_len = 0;
    log->n_freed = 0;
    log->out_of_memory = false;
    if (!log->is_busy) return;
    memset(log->bloom, 0, (log->bloom_mask + 1ul) * sizeof *log->bloom);
    for (uint32_t k = 0; k < log->n_lines; k++) log->slot[log->line[k].slot] = 0;
    log->n_lines = 0;
    log->is_busy = false;
}

bool exec_commit(struct devmem *m, struct exec_log *const *logs, uint32_t n, struct exec_fault *f) {
    const bool ok = log_commit(m, logs, n, f);
    for (uint32_t k = 0; k < n; k++)
        if (logs[k] && (logs[k]->len || logs[k]->look_len || logs[k]->out_of_memory)) log_forget(logs[k]);
    return ok;
}
