// Device memory: one flat range of device addresses backed by a lazily filled mapping, carved up by
// a first-fit allocator that never reuses a page of addresses sooner than it must, so that a stale
// pointer is found out; and host memory mapped beside it. The tables change only while no SM
// executes (host calls, and device malloc at commit), so readers take no lock.
#include <stdlib.h>
#include <sys/mman.h>

#include "exec/log.h"

struct block {
    uint64_t first, bytes, room; // asked for; set aside
    uint8_t *host;
    char *name;
    bool mapped; // host memory of somebody else
    bool device; // by device code's malloc
    bool owned;  // by the program, which is to free it
};

enum { FREED_KEPT = 64, ALLOC_ALIGN = 256, PAGE_BYTES = 1 << 21 };
#define ADDRESS32 (UINT64_C(1) << 32)

struct devmem {
    uint32_t epoch; // first: devmem_epoch_of reads it
    uint8_t *flat;
    uint64_t flat_bytes, used_bytes;
    bool open_pages; // kernels may reach what lies in the page of an allocation
    uint64_t guard; // bytes behind an allocation that belong to none, while there is room
    struct block *block; // live, sorted by first
    uint32_t n, cap;
    struct block freed[FREED_KEPT]; // ring, for messages
    uint32_t n_freed;
    uint64_t next_fit, next_high; // where the search for room begins, below 4 GB and above
    uint64_t reach;               // what is allocated lies below
    uint64_t next_map; // device address for the next host mapping
    uint8_t *written;  // a bit a byte of the flat range, or NULL
    uint64_t heap_limit, heap_used;
    struct span { // what kernels may only read, in no order
        uint64_t first, bytes;
    } * read_only;
    uint32_t n_read_only, cap_read_only;
    struct exec_texture *texture;
    uint8_t *texture_live;
    uint32_t n_textures, cap_textures;
};

static_assert(offsetof(struct devmem, epoch) == 0, "devmem_epoch_of");

static void *map_lazily(uint64_t bytes) {
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                   -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

// Managed memory has one address on both sides: device memory takes the host addresses that are its
// device addresses when nobody has them yet. Only a convenience: any other place will do. (Kernels
// before 4.17 ignore the flag and may answer another place.)
static void *map_at_device_address(uint64_t bytes) {
    void *const want = (void *)(uintptr_t)EXEC_GLOBAL_BASE;
    void *p = mmap(want, bytes, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

struct devmem *devmem_create(uint64_t bytes) {
    struct devmem *m = calloc(1, sizeof *m);
    if (!m) return NULL;
    m->flat_bytes = bits_align_up(bytes ? bytes : 1, 4096);
    // A page past the end lets vector loads of the last words stay inside the mapping.
    m->flat = map_at_device_address(m->flat_bytes + 4096);
    if (!m->flat) m->flat = map_lazily(m->flat_bytes + 4096);
    if (!m->flat) {
        free(m);
        return NULL;
    }
    m->epoch = 1;
    m->next_fit = EXEC_GLOBAL_BASE;
    m->next_high = ADDRESS32;
    m->reach = UINT64_MAX;
    m->next_map = bits_align_up(EXEC_GLOBAL_BASE + m->flat_bytes + 1, 1u << 21);
    m->heap_limit = 8u << 20;
    return m;
}

void devmem_destroy(struct devmem *m) {
    if (!m) return;
    for (uint32_t i = 0; i < m->n; i++) free(m->block[i].name);
    for (uint32_t i = 0; i < FREED_KEPT; i++) free(m->freed[i].name);
    if (m->written) munmap(m->written, m->flat_bytes / 8);
    munmap(m->flat, m->flat_bytes + 4096);
    free(m->block);
    free(m->read_only);
    free(m->texture);
    free(m->texture_live);
    free(m);
}

void devmem_keep_apart(struct devmem *m) { m->guard = ALLOC_ALIGN; }
void devmem_open_pages(struct devmem *m) { m->open_pages = true; }
uint32_t devmem_epoch(const struct devmem *m) { return m->epoch; }
void devmem_heap_limit(struct devmem *m, uint64_t bytes) { m->heap_limit = bytes; }

// Index of the first block that begins after addr.
static uint32_t block_after(const struct devmem *m, uint64_t addr) {
    uint32_t lo = 0, hi = m->n;
    while (lo < hi) {
        const uint32_t mid = lo + (hi - lo) / 2;
        if (m->block[mid].first > addr)
            hi = mid;
        else
            lo = mid + 1;
    }
    return lo;
}

static const struct block *block_holding(const struct devmem *m, uint64_t addr) {
    const uint32_t i = block_after(m, addr);
    if (!i) return NULL;
    const struct block *b = &m->block[i - 1];
    return addr - b->first < b->bytes ? b : NULL;
}

static bool block_insert(struct devmem *m, struct block b) {
    if (m->n == m->cap) {
        const uint32_t cap = m->cap ? m->cap * 2 : 64;
        struct block *p = realloc(m->block, cap * sizeof *p);
        if (!p) return false;
        m->block = p;
        m->cap = cap;
    }
    const uint32_t at = block_after(m, b.first);
    memmove(m->block + at + 1, m->block + at, (m->n - at) * sizeof b);
    m->block[at] = b;
    m->n++;
    m->epoch++;
    return true;
}

// First gap of `bytes` at or after `from` and below `end`, 0 when there is none.
static uint64_t find_gap(const struct devmem *m, uint64_t from, uint64_t end, uint64_t bytes,
                         uint64_t align) {
    uint32_t i = block_after(m, from);
    uint64_t at = from;
    if (i) {
        const struct block *b = &m->block[i - 1];
        if (!b->mapped && b->first + b->room > at) at = b->first + b->room;
    }
    for (;; i++) {
        at = bits_align_up(at, align);
        if (at > end || bytes > end - at) return 0;
        if (i >= m->n || m->block[i].mapped || m->block[i].first - at >= bytes) return at;
        at = m->block[i].first + m->block[i].room;
    }
}

// What an allocation takes of the memory that programs are told of: a guard costs nothing.
static uint64_t counted(const struct block *b) { return bits_align_up(b->bytes, ALLOC_ALIGN); }

// Where `room` bytes may go, 0: nowhere.
static uint64_t find_room(const struct devmem *m, uint64_t room, uint64_t align, bool *low_room) {
    // Addresses of 32 bits first, so that what needs little memory runs with pointers of that size.
    const uint64_t end = EXEC_GLOBAL_BASE + m->flat_bytes, low = end < ADDRESS32 ? end : ADDRESS32;
    uint64_t at = find_gap(m, m->next_fit, low, room, align);
    if (!at) at = find_gap(m, EXEC_GLOBAL_BASE, low, room, align);
    const bool is_low = at != 0 || m->reach <= low;
    if (!is_low) at = find_gap(m, m->next_high, end, room, align);
    if (!at && !is_low) at = find_gap(m, low, end, room, align);
    *low_room = is_low;
    return at;
}

static uint64_t alloc_block(struct devmem *m, uint64_t bytes, uint64_t align, const char *name,
                            bool device) {
    if (!bytes || bytes > m->flat_bytes - m->used_bytes) return 0;
    if (align < ALLOC_ALIGN) align = ALLOC_ALIGN;
    uint64_t room = bits_align_up(bytes, ALLOC_ALIGN) + m->guard;
    bool is_low;
    uint64_t at = find_room(m, room, align, &is_low);
    if (!at && m->guard) at = find_room(m, room -= m->guard, align, &is_low);
    if (!at) return 0;
    struct block b = {.first = at, .bytes = bytes, .room = room, .device = device};
    b.host = m->flat + (at - EXEC_GLOBAL_BASE);
    b.name = name ? strdup(name) : NULL;
    if (!block_insert(m, b)) {
        free(b.name);
        return 0;
    }
    *(is_low ? &m->next_fit : &m->next_high) = at + room;
    m->used_bytes += counted(&b);
    return at;
}

bool devmem_reach(struct devmem *m, uint64_t reach) {
    for (uint32_t i = 0; i < m->n; i++)
        if (!m->block[i].mapped && m->block[i].first + m->block[i].room > reach) return false;
    if (reach < m->reach) m->reach = reach;
    return true;
}

uint64_t devmem_alloc(struct devmem *m, uint64_t bytes, uint64_t align, const char *name) {
    return alloc_block(m, bytes, align, name, false);
}

void devmem_own(struct devmem *m, uint64_t addr) {
    const uint32_t i = block_after(m, addr);
    if (i && m->block[i - 1].first == addr) m->block[i - 1].owned = true;
}

static void forget_written(struct devmem *m, const struct block *b) {
    if (!m->written) return;
    // Blocks are 256-byte aligned, so their bits are whole bytes.
    memset(m->written + (b->first - EXEC_GLOBAL_BASE) / 8, 0, (size_t)(b->room / 8));
}

// Whether one of the ranges that are read only meets [first, first + bytes).
static bool meets_read_only(const struct devmem *m, uint64_t first, uint64_t bytes) {
    for (uint32_t i = 0; i < m->n_read_only; i++) {
        const struct span *s = &m->read_only[i];
        if (s->first < first + bytes && first < s->first + s->bytes) return true;
    }
    return false;
}
bool devmem_protect(struct devmem *m, uint64_t first, uint64_t bytes) {
    if (m->n_read_only == m->cap_read_only) {
        const uint32_t cap = m->cap_read_only ? m->cap_read_only * 2 : 16;
        struct span *p = realloc(m->read_only, cap * sizeof *p);
        if (!p) return false;
        m->read_only = p;
        m->cap_read_only = cap;
    }
    m->read_only[m->n_read_only++] = (struct span){first, bytes};
    m->epoch++;
    return true;
}
static void unprotect(struct devmem *m, const struct block *b) {
    for (uint32_t i = m->n_read_only; i-- > 0;)
        if (m->read_only[i].first - b->first < b->bytes)
            m->read_only[i] = m->read_only[--m->n_read_only];
}
bool devmem_may_write(const struct devmem *m, uint64_t addr, uint64_t bytes) {
    return !m->n_read_only || !meets_read_only(m, addr, bytes);
}

static bool free_block(struct devmem *m, uint64_t addr, bool device) {
    const uint32_t i = block_after(m, addr);
    if (!i || m->block[i - 1].first != addr || m->block[i - 1].device != device) return false;
    struct block *b = &m->block[i - 1];
    if (!b->mapped) {
        m->used_bytes -= counted(b);
        forget_written(m, b);
    }
    if (device) m->heap_used -= counted(b);
    unprotect(m, b);
    struct block *slot = &m->freed[m->n_freed++ % FREED_KEPT];
    free(slot->name);
    *slot = *b;
    memmove(b, b + 1, (m->n - i) * sizeof *b);
    m->n--;
    m->epoch++;
    return true;
}

bool devmem_free(struct devmem *m, uint64_t addr) { return free_block(m, addr, false); }

uint64_t devmem_device_malloc(struct devmem *m, uint64_t bytes) {
    const uint64_t room = bits_align_up(bytes ? bytes : 1, ALLOC_ALIGN);
    if (room < bytes || room > m->heap_limit - m->heap_used) return 0;
    const uint64_t at = alloc_block(m, bytes ? bytes : 1, ALLOC_ALIGN, "device malloc", true);
    if (at) m->heap_used += room;
    return at;
}

bool devmem_device_free(struct devmem *m, uint64_t addr) {
    return addr == 0 || free_block(m, addr, true);
}

uint64_t devmem_free_bytes(const struct devmem *m) { return m->flat_bytes - m->used_bytes; }

uint64_t devmem_map_at(struct devmem *m, void *host, uint64_t bytes, uint64_t addr,
                       const char *name) {
    if (!host || !bytes || addr > UINT64_MAX - bytes) return 0;
    if (addr < EXEC_GLOBAL_BASE + m->flat_bytes) return 0;
    const uint32_t i = block_after(m, addr + bytes - 1);
    if (i && m->block[i - 1].first + m->block[i - 1].room > addr) return 0;
    struct block b = {.first = addr, .bytes = bytes, .room = bytes, .host = host, .mapped = true};
    b.name = strdup(name);
    if (!block_insert(m, b)) {
        free(b.name);
        return 0;
    }
    return addr;
}
uint64_t devmem_map_host_at(struct devmem *m, void *host, uint64_t bytes, uint64_t addr) {
    return devmem_map_at(m, host, bytes, addr, "mapped host memory");
}

uint64_t devmem_reserve(struct devmem *m, uint64_t bytes, uint64_t align) {
    const uint64_t at = bits_align_up(m->next_map, align);
    m->next_map = bits_align_up(at + bytes + 1, 1u << 16);
    return at;
}

bool devmem_set_aside(struct devmem *m, uint64_t bytes) {
    if (bytes > m->flat_bytes - m->used_bytes) return false;
    m->used_bytes += bytes;
    return true;
}
void devmem_give_back(struct devmem *m, uint64_t bytes) { m->used_bytes -= bytes; }

bool devmem_is_mapped(const struct devmem *m, uint64_t addr) {
    const uint32_t i = block_after(m, addr);
    return i && m->block[i - 1].mapped && addr - m->block[i - 1].first < m->block[i - 1].bytes;
}
uint64_t devmem_map_host(struct devmem *m, void *host, uint64_t bytes) {
    // Keep the page offset, so that alignment on the host is alignment on the device.
    const uint64_t at = devmem_map_host_at(m, host, bytes, m->next_map + ((uintptr_t)host & 4095));
    if (at) m->next_map = bits_align_up(at + bytes + 1, 1u << 16);
    return at;
}

bool devmem_range(const struct devmem *m, uint64_t addr, uint64_t bytes, struct exec_range *out) {
    const struct block *b = block_holding(m, addr);
    if (!b || bytes > b->bytes - (addr - b->first)) return false;
    *out = (struct exec_range){b->first, b->first + b->bytes, b->host, m->epoch,
                               !devmem_may_write(m, b->first, b->bytes)};
    return true;
}

// Whether part of a live allocation of device memory lies in the page.
static bool page_is_used(const struct devmem *m, uint64_t page) {
    const uint32_t i = block_after(m, page + PAGE_BYTES - 1);
    return i && !m->block[i - 1].mapped && m->block[i - 1].first + m->block[i - 1].bytes > page;
}
// Whether each page that the access touches is used.
static bool pages_are_used(const struct devmem *m, uint64_t addr, uint64_t bytes) {
    const uint64_t at = addr - EXEC_GLOBAL_BASE;
    if (addr < EXEC_GLOBAL_BASE || at >= m->flat_bytes || bytes > m->flat_bytes - at) return false;
    uint64_t page = addr - addr % PAGE_BYTES;
    while (page < addr + bytes && page_is_used(m, page)) page += PAGE_BYTES;
    return page >= addr + bytes;
}
bool devmem_would_pass(const struct devmem *m, uint64_t addr, uint64_t bytes) {
    return !m->open_pages && pages_are_used(m, addr, bytes);
}
bool devmem_reachable(const struct devmem *m, uint64_t addr, uint64_t bytes, struct exec_range *out) {
    if (devmem_range(m, addr, bytes, out)) return true;
    if (!m->open_pages || !pages_are_used(m, addr, bytes)) return false;
    const uint64_t end = EXEC_GLOBAL_BASE + m->flat_bytes, first = addr - addr % PAGE_BYTES;
    const uint64_t last = bits_align_up(addr + bytes, PAGE_BYTES);
    *out = (struct exec_range){first, last < end ? last : end, m->flat + (first - EXEC_GLOBAL_BASE),
                               m->epoch, !devmem_may_write(m, first, last - first)};
    return true;
}

uint8_t *devmem_host(const struct devmem *m, uint64_t addr, uint64_t bytes) {
    struct exec_range r;
    return devmem_range(m, addr, bytes, &r) ? range_host(&r, addr) : NULL;
}

static void describe(const struct block *b, bool is_freed, struct devmem_range *out) {
    *out = (struct devmem_range){b->first, b->bytes, b->name, is_freed};
}

bool devmem_find(const struct devmem *m, uint64_t addr, struct devmem_range *out) {
    const struct block *b = block_holding(m, addr);
    if (b) describe(b, false, out);
    return b != NULL;
}

uint32_t devmem_count(const struct devmem *m) { return m->n; }
bool devmem_owned(const struct devmem *m, uint32_t i, struct devmem_range *out) {
    describe(&m->block[i], false, out);
    return m->block[i].owned || m->block[i].device;
}

static uint64_t distance(const struct block *b, uint64_t addr) {
    if (addr < b->first) return b->first - addr;
    return addr - b->first < b->bytes ? 0 : addr - (b->first + b->bytes) + 1;
}

bool devmem_nearest(const struct devmem *m, uint64_t addr, struct devmem_range *out) {
    const struct block *best = NULL;
    bool is_freed = false;
    const uint32_t at = block_after(m, addr);
    for (uint32_t i = at ? at - 1 : 0; i < m->n && i <= at; i++)
        if (!best || distance(&m->block[i], addr) < distance(best, addr)) best = &m->block[i];
    // A freed block that held the address says more than a live neighbour does; the newest first.
    for (uint32_t i = 0; i < FREED_KEPT && i < m->n_freed; i++) {
        const struct block *b = &m->freed[(m->n_freed - 1 - i) % FREED_KEPT];
        const uint64_t d = distance(b, addr);
        if (best && (is_freed ? d >= distance(best, addr) : d > 0 || distance(best, addr) == 0))
            continue;
        best = b;
        is_freed = true;
    }
    if (best) describe(best, is_freed, out);
    return best != NULL;
}

// ---- copies of all of it ----------------------------------------------------------------------
// Pages that hold nothing but zeros, most of what programs set aside, stay untouched in the copy.
struct devmem_copy {
    uint32_t n;
    uint64_t bytes; // mapped at `data`
    uint8_t *data;  // of one block after the other, each from a new page on
    struct {
        uint64_t first, bytes, at;
    } block[];
};

enum { COPY_PAGE = 4096 };

// Makes `to` what `from` is, without a write where they agree.
static void copy_pages(uint8_t *to, const uint8_t *from, uint64_t bytes) {
    for (uint64_t at = 0; at < bytes; at += COPY_PAGE) {
        const uint64_t n = bytes - at < COPY_PAGE ? bytes - at : COPY_PAGE;
        if (memcmp(to + at, from + at, n)) memcpy(to + at, from + at, n);
    }
}

// What is kept of a block: with open pages, its pages but those that a block before it has kept up to `done`.
static struct exec_range kept_of(const struct devmem *m, const struct block *b, uint64_t done) {
    struct exec_range r = {.first = b->first, .end = b->first + b->bytes, .host = b->host};
    const uint64_t end = EXEC_GLOBAL_BASE + m->flat_bytes;
    if (!m->open_pages || b->mapped || r.first < EXEC_GLOBAL_BASE || r.end > end) return r;
    r.first -= r.first % PAGE_BYTES;
    if (r.first < done) r.first = done;
    r.end = bits_align_up(r.end, PAGE_BYTES);
    if (r.end > end) r.end = end;
    if (r.end < r.first) r.end = r.first;
    r.host = m->flat + (r.first - EXEC_GLOBAL_BASE);
    return r;
}
struct devmem_copy *devmem_copy(const struct devmem *m) {
    struct devmem_copy *const c = calloc(1, sizeof *c + m->n * sizeof c->block[0]);
    if (!c) return NULL;
    uint64_t done = 0;
    for (c->n = 0; c->n < m->n; c->n++) {
        const struct exec_range r = kept_of(m, &m->block[c->n], done);
        c->block[c->n].first = r.first;
        c->block[c->n].bytes = r.end - r.first;
        c->block[c->n].at = c->bytes;
        c->bytes += bits_align_up(r.end - r.first, COPY_PAGE);
        done = r.end;
    }
    if (c->bytes && !(c->data = map_lazily(c->bytes))) {
        free(c);
        return NULL;
    }
    done = 0;
    for (uint32_t i = 0; i < c->n; i++) {
        const struct exec_range r = kept_of(m, &m->block[i], done);
        copy_pages(c->data + c->block[i].at, r.host, r.end - r.first);
        done = r.end;
    }
    return c;
}

void devmem_put_back(struct devmem *m, const struct devmem_copy *c) {
    for (uint32_t i = 0; i < c->n; i++) {
        struct exec_range r;
        if (!c->block[i].bytes || !devmem_reachable(m, c->block[i].first, c->block[i].bytes, &r)) continue;
        copy_pages(range_host(&r, c->block[i].first), c->data + c->block[i].at, c->block[i].bytes);
    }
}

void devmem_copy_free(struct devmem_copy *c) {
    if (!c) return;
    if (c->data) munmap(c->data, c->bytes);
    free(c);
}

// ---- which bytes were ever written ----------------------------------------------------------
bool devmem_track_writes(struct devmem *m) {
    if (!m->written) m->written = map_lazily(m->flat_bytes / 8);
    return m->written != NULL;
}
bool devmem_tracks_writes(const struct devmem *m) { return m->written != NULL; }

static bool in_flat(const struct devmem *m, uint64_t addr, uint64_t bytes) {
    return m->written && addr >= EXEC_GLOBAL_BASE && addr - EXEC_GLOBAL_BASE < m->flat_bytes &&
           bytes <= m->flat_bytes - (addr - EXEC_GLOBAL_BASE);
}

void devmem_mark_written(struct devmem *m, uint64_t addr, uint64_t bytes) {
    if (!in_flat(m, addr, bytes)) return;
    uint64_t i = addr - EXEC_GLOBAL_BASE;
    const uint64_t end = i + bytes;
    // SMs may mark neighbouring bytes at once in direct mode with several threads: whole bytes of
    // the map are stored, edges are or-ed atomically.
    for (; i < end && (i & 7); i++)
        __atomic_fetch_or(&m->written[i / 8], (uint8_t)(1u << (i & 7)), __ATOMIC_RELAXED);
    if (end - i >= 8) {
        memset(m->written + i / 8, 0xff, (size_t)((end - i) / 8));
        i += (end - i) / 8 * 8;
    }
    for (; i < end; i++)
        __atomic_fetch_or(&m->written[i / 8], (uint8_t)(1u << (i & 7)), __ATOMIC_RELAXED);
}

uint64_t devmem_unwritten(const struct devmem *m, uint64_t addr, uint64_t bytes) {
    if (!in_flat(m, addr, bytes)) return UINT64_MAX;
    for (uint64_t i = addr - EXEC_GLOBAL_BASE, end = i + bytes; i < end; i++)
        if (!(m->written[i / 8] >> (i & 7) & 1)) return EXEC_GLOBAL_BASE + i;
    return UINT64_MAX;
}

// ---- textures and surfaces ------------------------------------------------------------------
// A handle is 0x06000000 plus 16 times the number: never a data address, and small enough for PTX
// that keeps it in 32 bits.
enum { TEXTURE_BASE = 0x06000000, TEXTURE_STEP = 16, TEXTURE_MAX = 0x100000 };

uint64_t devmem_texture_new(struct devmem *m, const struct exec_texture *t) {
    uint32_t i = 0;
    while (i < m->n_textures && m->texture_live[i]) i++;
    if (i == TEXTURE_MAX) return 0;
    if (i == m->cap_textures) {
        const uint32_t cap = m->cap_textures ? m->cap_textures * 2 : 16;
        struct exec_texture *p = realloc(m->texture, cap * sizeof *p);
        if (p) m->texture = p;
        uint8_t *q = realloc(m->texture_live, cap);
        if (q) m->texture_live = q;
        if (!p || !q) return 0;
        m->cap_textures = cap;
    }
    m->texture[i] = *t;
    m->texture_live[i] = 1;
    if (i == m->n_textures) m->n_textures++;
    return TEXTURE_BASE + (uint64_t)i * TEXTURE_STEP;
}

static bool texture_index(const struct devmem *m, uint64_t handle, uint32_t *i) {
    if (handle < TEXTURE_BASE || (handle - TEXTURE_BASE) % TEXTURE_STEP) return false;
    const uint64_t n = (handle - TEXTURE_BASE) / TEXTURE_STEP;
    *i = (uint32_t)n;
    return n < m->n_textures && m->texture_live[n];
}

bool devmem_texture_set(struct devmem *m, uint64_t handle, const struct exec_texture *t) {
    uint32_t i;
    if (!texture_index(m, handle, &i)) return false;
    m->texture[i] = *t;
    return true;
}

const struct exec_texture *devmem_texture_get(const struct devmem *m, uint64_t handle) {
    uint32_t i;
    return texture_index(m, handle, &i) ? &m->texture[i] : NULL;
}

void devmem_texture_free(struct devmem *m, uint64_t handle) {
    uint32_t i;
    if (texture_index(m, handle, &i)) m->texture_live[i] = 0;
}

void devmem_mark_written_host(struct devmem *m, const uint8_t *host, uint64_t bytes) {
    if (host >= m->flat && host < m->flat + m->flat_bytes)
        devmem_mark_written(m, EXEC_GLOBAL_BASE + (uint64_t)(host - m->flat), bytes);
}
