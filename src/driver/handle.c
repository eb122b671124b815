// Which handles are alive: an open-addressing hash of (tag, key) with linear probing and deletion
// by shifting back, so that no call ever follows a pointer that the program made up or kept too
// long. A number may be alive under two tags at once (a device address may equal a host pointer).
#include "driver/driver.h"

#include <stdlib.h>

struct slot {
    uint64_t key;
    CUcontext owner;
    uint32_t tag; // + 1; 0: empty
};
static struct {
    struct slot *slot;
    uint32_t n, cap; // cap: a power of two
} table;             // part of the singleton; guarded by its lock

static uint32_t home(uint32_t tag, uint64_t key) {
    const uint64_t h = (key ^ (uint64_t)tag << 56) * 0x9e3779b97f4a7c15u; // Fibonacci hashing
    return (uint32_t)(h >> 32) & (table.cap - 1);
}

static struct slot *find(enum driver_tag tag, uint64_t key) {
    if (!table.cap) return NULL;
    const uint32_t t = (uint32_t)tag + 1;
    for (uint32_t i = home(t, key);; i = (i + 1) & (table.cap - 1)) {
        struct slot *s = &table.slot[i];
        if (!s->tag) return NULL;
        if (s->tag == t && s->key == key) return s;
    }
}

static void put(struct slot s) {
    uint32_t i = home(s.tag, s.key);
    while (table.slot[i].tag) i = (i + 1) & (table.cap - 1);
    table.slot[i] = s;
}

bool driver_handle_add(enum driver_tag tag, uint64_t key) {
    if (table.n * 2 >= table.cap) {
        const uint32_t old_cap = table.cap;
        struct slot *old = table.slot, *new = calloc(old_cap ? old_cap * 2 : 64, sizeof *new);
        if (!new) return false;
        table.slot = new;
        table.cap = old_cap ? old_cap * 2 : 64;
        for (uint32_t i = 0; i < old_cap; i++)
            if (old[i].tag) put(old[i]);
        free(old);
    }
    put((struct slot){.key = key, .owner = driver_current(), .tag = (uint32_t)tag + 1});
    table.n++;
    return true;
}

bool driver_handle_live(enum driver_tag tag, uint64_t key) { return find(tag, key) != NULL; }

CUcontext driver_handle_owner(enum driver_tag tag, uint64_t key) {
    const struct slot *s = find(tag, key);
    return s ? s->owner : NULL;
}

bool driver_handle_remove(enum driver_tag tag, uint64_t key) {
    struct slot *s = find(tag, key);
    if (!s) return false;
    const uint32_t mask = table.cap - 1;
    uint32_t hole = (uint32_t)(s - table.slot);
    for (uint32_t i = (hole + 1) & mask; table.slot[i].tag; i = (i + 1) & mask) {
        const uint32_t at = home(table.slot[i].tag, table.slot[i].key);
        if (((i - at) & mask) < ((i - hole) & mask)) continue; // its home lies behind the hole
        table.slot[hole] = table.slot[i];
        hole = i;
    }
    table.slot[hole].tag = 0;
    table.n--;
    return true;
}

void driver_release_nothing(uint64_t key) { (void)key; }

void driver_handle_release_all(CUcontext owner) {
    static void (*const release[TAG_N])(uint64_t) = {
#define X(tag, function) [tag] = function,
        DRIVER_TAGS(X)
#undef X
    };
    uint64_t *keys = malloc((table.n ? table.n : 1) * sizeof *keys);
    if (!keys) return; // the GPU's end frees what is left
    for (uint32_t tag = 0; tag < TAG_N; tag++) {
        if (release[tag] == driver_release_nothing) continue;
        uint32_t n = 0;
        for (uint32_t i = 0; i < table.cap; i++)
            if (table.slot[i].tag == tag + 1 && table.slot[i].owner == owner)
                keys[n++] = table.slot[i].key;
        // one release may take others with it (a mipmapped array its levels)
        for (uint32_t i = 0; i < n; i++)
            if (driver_handle_live((enum driver_tag)tag, keys[i])) release[tag](keys[i]);
    }
    free(keys);
}
