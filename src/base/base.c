// Allocation, arenas, names. See base.h for what each promises.
#include "base/base.h"

#include <assert.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { ALIGNED = 64 };

static void *default_realloc(void *user, void *old, size_t size) {
    (void)user;
    if (size == 0) {
        free(old);
        return NULL;
    }
    return realloc(old, size);
}

const struct ww_allocator ww_allocator_default = {.realloc_fn = default_realloc, .user = NULL};

// Memory from this size on comes from the system itself, which gives each page, zeroed, when it is touched: calloc
// would clear it, and a GPU has a hundred megabytes of tables that most kernels never reach. Sanitizers watch what
// calloc answers.
#ifdef __SANITIZE_ADDRESS__
#define FROM_SYSTEM SIZE_MAX
#else
#define FROM_SYSTEM ((size_t)32 << 10)
#endif
// Stands right before a block: where its memory begins, and how many bytes the system gave (0: calloc).
struct before {
    char *whole;
    size_t mapped;
};
static_assert(_Alignof(max_align_t) >= sizeof(struct before), "so much fits before the block");

static char *whole_memory(size_t bytes, size_t *mapped) {
    *mapped = 0;
    if (bytes >= FROM_SYSTEM) {
        void *const p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (p != MAP_FAILED) { // a process has so many mappings
            *mapped = bytes;
            return p;
        }
    }
    return calloc(1, bytes);
}

void *ww_alloc_aligned(size_t size) {
    if (size > SIZE_MAX - 2 * ALIGNED) return NULL;
    struct before x;
    x.whole = whole_memory((size_t)bits_align_up(size ? size : 1, ALIGNED) + ALIGNED, &x.mapped);
    if (!x.whole) return NULL;
    char *const p = x.whole + ALIGNED - (uintptr_t)x.whole % ALIGNED;
    memcpy(p - sizeof x, &x, sizeof x);
    return p;
}

void ww_free_aligned(void *p) {
    if (!p) return;
    struct before x;
    memcpy(&x, (char *)p - sizeof x, sizeof x);
    if (x.mapped)
        munmap(x.whole, x.mapped);
    else
        free(x.whole);
}

// ---- arena ----------------------------------------------------------------
struct arena_block {
    struct arena_block *next;
    size_t size;
};

enum { ARENA_BLOCK = 64 * 1024, ARENA_ALIGN = 16 };

void arena_init(struct arena *a, const struct ww_allocator *allocator) {
    *a = (struct arena){.allocator = allocator ? allocator : &ww_allocator_default};
}

void arena_free(struct arena *a) {
    struct arena_block *b = a->head;
    while (b) {
        struct arena_block *next = b->next;
        a->allocator->realloc_fn(a->allocator->user, b, 0);
        b = next;
    }
    a->head = NULL;
    a->at = a->end = NULL;
    a->total_bytes = 0;
}

static bool arena_more(struct arena *a, size_t size) {
    size_t want = sizeof(struct arena_block) + ARENA_ALIGN + size;
    if (want < ARENA_BLOCK) want = ARENA_BLOCK;
    struct arena_block *b = a->allocator->realloc_fn(a->allocator->user, NULL, want);
    if (!b) {
        if (a->oom) longjmp(*a->oom, 1);
        return false;
    }
    b->next = a->head;
    b->size = want;
    a->head = b;
    const uintptr_t start = (uintptr_t)(b + 1);
    a->at = (char *)(uintptr_t)bits_align_up(start, ARENA_ALIGN);
    a->end = (char *)b + want;
    a->total_bytes += want;
    return true;
}

void *arena_alloc(struct arena *a, size_t size) {
    const size_t rounded = (size_t)bits_align_up(size ? size : 1, ARENA_ALIGN);
    if (rounded < size || (size_t)(a->end - a->at) < rounded || !a->at) {
        if (rounded < size) {
            if (a->oom) longjmp(*a->oom, 1);
            return NULL;
        }
        if (!arena_more(a, rounded)) return NULL;
    }
    void *p = a->at;
    a->at += rounded;
    memset(p, 0, rounded);
    return p;
}

void *arena_copy(struct arena *a, const void *p, size_t size) {
    void *copy = arena_alloc(a, size);
    if (copy && size) memcpy(copy, p, size);
    return copy;
}

char *arena_strndup(struct arena *a, const char *s, size_t n) {
    char *copy = arena_alloc(a, n + 1);
    if (copy) memcpy(copy, s, n);
    return copy;
}

char *arena_strdup(struct arena *a, const char *s) { return arena_strndup(a, s, strlen(s)); }

char *arena_printf(struct arena *a, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    const int n = vsnprintf(NULL, 0, fmt, ap);
    va_end(ap);
    char *text = arena_alloc(a, (size_t)(n < 0 ? 0 : n) + 1);
    if (!text || n < 0) return text;
    va_start(ap, fmt);
    vsnprintf(text, (size_t)n + 1, fmt, ap);
    va_end(ap);
    return text;
}

void *arena_grow(struct arena *a, void *old, uint32_t *cap, size_t element_size) {
    const uint32_t next = *cap ? *cap * 2 : 8;
    void *p = arena_alloc(a, next * element_size);
    if (p && *cap) memcpy(p, old, *cap * element_size);
    *cap = next;
    return p;
}

// ---- names: open addressing, FNV-1a ----------------------------------------
struct names_slot {
    const char *key;
    uint32_t len, hash;
    int32_t value;
};

static uint32_t names_hash(const char *s, size_t len) {
    uint32_t h = 2166136261u;
    for (size_t i = 0; i < len; i++) h = (h ^ (uint8_t)s[i]) * 16777619u;
    return h;
}

void names_init(struct names *m, struct arena *a) { *m = (struct names){.arena = a}; }

static struct names_slot *names_find(const struct names *m, const char *key, size_t len,
                                     uint32_t hash) {
    uint32_t i = hash & (m->cap - 1);
    while (m->slot[i].key) {
        const struct names_slot *s = &m->slot[i];
        if (s->hash == hash && s->len == len && memcmp(s->key, key, len) == 0) break;
        i = (i + 1) & (m->cap - 1);
    }
    return &m->slot[i];
}

int32_t names_get(const struct names *m, const char *key, size_t len) {
    if (!m->cap) return -1;
    const struct names_slot *s = names_find(m, key, len, names_hash(key, len));
    return s->key ? s->value : -1;
}

void names_put(struct names *m, const char *key, size_t len, int32_t value) {
    if (m->n * 4 >= m->cap * 3) {
        const struct names old = *m;
        m->cap = old.cap ? old.cap * 2 : 32;
        m->slot = arena_alloc(m->arena, m->cap * sizeof *m->slot);
        for (uint32_t i = 0; i < old.cap; i++)
            if (old.slot[i].key)
                *names_find(m, old.slot[i].key, old.slot[i].len, old.slot[i].hash) = old.slot[i];
    }
    const uint32_t hash = names_hash(key, len);
    struct names_slot *s = names_find(m, key, len, hash);
    if (!s->key) m->n++;
    *s = (struct names_slot){.key = key, .len = (uint32_t)len, .hash = hash, .value = value};
}
