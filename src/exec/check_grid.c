// Races between blocks of a launch, in global memory.
//
// Happens-before by vector clocks, whose clocks are those of warps (order.c). A warp's fence of the GPU's scope covers
// what the warp knows to be done: by itself, and by other warps of its block that it met at a barrier. An access that
// may synchronise and writes (an atomic, a volatile, relaxed or release store) publishes at its address what fences of
// the warp cover, and of other warps that it met behind their fences, and all that its block knows of other blocks. One
// that reads hears what was published at its address; behind a fence the block knows it. Two accesses of different
// blocks race when at least one writes, nothing tells the later one's block of the earlier one, and they are not both
// of the kind that may meet (check.c). A store of what is there already races with nothing, as it makes no difference
// which of two such is last.
//
// Warps of different blocks run in any order, and their stores reach memory at the end of a quantum or round. So what
// warps do is written down beside the store log, and looked at where the logs are committed, in their order: who sees a
// store of another block looks at it later than at the store. With time and without, and with any number of host
// threads, the findings follow from that order alone.
//
// What forgives a race, while none is invented: what one thread of a block has heard counts for all of the block;
// warps of a large grid share clocks; addresses share places at which is published; blocks of one cluster are taken for
// one; of readers of a byte two are remembered, and of loads that may synchronise none; memory that a kernel allocates
// or frees makes all be forgotten; textures and bulk copies are not looked at; nor are races within a block.
#include "exec/check_grid.h"

#include <stdlib.h>

#include "exec/check.h"

enum {
    CLOCKS = 1 << 16, // at most, a power of two
    PLACES = 1 << 10, // for addresses at which is published
    PAGE = 4096,      // bytes of memory that have their shadow together
    BUCKETS = 1 << 10, // of blocks that know something
    BLOCKS = 1 << 24  // that are told apart
};

// ---- while warps execute ----------------------------------------------------------------------
enum look_kind { LOOK_READ = GRID_READ, LOOK_WRITE = GRID_WRITE, LOOK_ATOMIC = GRID_ATOMIC, LOOK_FENCE, LOOK_EXIT };
// What a warp did, in the log. Behind it: addresses (of a run only the first), data of a store, and what is published.
struct look {
    uint32_t size, kind;
    struct exec_launch *launch;
    size_t before;  // bytes of the log's records that came before it
    uint64_t block; // of a cluster the first
    uint64_t linear_id;
    uint32_t pc, lanes, tick;
    uint8_t warp, bytes, warps;
    bool strong, is_run, has_data, publishes;
};

struct grid_order { // of a block, by warp
    uint32_t warps;
    uint32_t *fenced;  // [warps]: tick of the last fence that releases; 0: none
    uint32_t *covered; // [warps][warps]: what the fences of a warp cover, by warp
    uint32_t words[];
};
size_t check_grid_bytes(const struct exec_launch *l) {
    const size_t n = l->warps;
    return l->args.options.check_races
               ? bits_align_up(sizeof(struct grid_order) + n * (n + 1) * sizeof(uint32_t), 64)
               : 0;
}
void check_grid_init(struct exec_shared_check *c, const struct exec_launch *l, void *memory) {
    const size_t bytes = check_grid_bytes(l);
    c->grid = bytes ? memory : NULL;
    if (!bytes) return;
    memset(memory, 0, bytes);
    c->grid->warps = l->warps;
    c->grid->fenced = c->grid->words;
    c->grid->covered = c->grid->words + l->warps;
}

// What the warp has published by an access now, a tick a warp; false: nothing.
static bool published(const struct exec_warp *w, uint32_t lanes, uint32_t *to) {
    const struct grid_order *const g = w->cta->check->grid;
    uint32_t met[32], any = 0;
    memset(met, 0, sizeof met);
    memset(to, 0, g->warps * sizeof *to);
    order_done(w->cta->check->order, w, lanes, met);
    for (uint32_t v = 0; v < g->warps; v++) {
        if (!g->fenced[v] || g->fenced[v] > met[v]) continue;
        for (uint32_t u = 0; u < g->warps; u++) {
            const uint32_t tick = g->covered[v * g->warps + u];
            if (to[u] < tick) to[u] = tick;
        }
        any = 1;
    }
    return any;
}

static struct look *look_new(struct exec_env *e, const struct exec_warp *w, enum look_kind kind, uint32_t lanes,
                             size_t payload) {
    struct exec_log *const log = e->log;
    const struct exec_cta *const c = w->cta;
    const size_t size = (sizeof(struct look) + payload + 7) & ~(size_t)7;
    if (log->look_len + size > log->look_cap) {
        size_t cap = log->look_cap ? log->look_cap * 2 : 1u << 16;
        while (cap < log->look_len + size) cap *= 2;
        uint8_t *const p = realloc(log->look, cap);
        if (!p) {
            log->out_of_memory = true;
            return NULL;
        }
        log->look = p;
        log->look_cap = cap;
    }
    struct look *const k = (struct look *)(void *)(log->look + log->look_len);
    log->look_len += size;
    memset(k, 0, size);
    k->size = (uint32_t)size;
    k->kind = kind;
    k->launch = c->launch;
    k->before = log->len;
    k->block = c->cluster ? c->cluster->cta[0]->linear_id : c->linear_id;
    k->linear_id = c->linear_id;
    k->lanes = lanes;
    k->warp = (uint8_t)w->warp_in_cta;
    k->warps = (uint8_t)c->n_warps;
    return k;
}
static bool is_looked_at(const struct exec_env *e, const struct exec_warp *w) {
    return w->cta->check && w->cta->check->grid && e->log;
}

void check_grid_access(struct exec_env *e, struct exec_warp *w, const struct xinst *x, uint32_t lanes, uint32_t bytes,
                       enum grid_access kind, bool strong, uint32_t tick, const uint8_t *data) {
    if (!lanes || !is_looked_at(e, w)) return;
    const uint64_t *const addr = e->access.addr;
    const uint32_t n = bits_count32(lanes), first = bits_first32(lanes);
    bool is_run = true;
    uint64_t next = addr[first];
    FOR_EACH_BIT32(i, lanes) {
        is_run = is_run && addr[i] == next;
        next += bytes;
    }
    const uint32_t warps = w->cta->check->grid->warps;
    uint32_t told[32];
    const bool tells = strong && kind != GRID_READ && published(w, lanes, told);
    const size_t at_bytes = (is_run ? 1 : n) * sizeof(uint64_t);
    const size_t data_bytes = data ? (size_t)n * bytes : 0;
    struct look *const k = look_new(e, w, (enum look_kind)kind, lanes,
                                    at_bytes + (tells ? warps * sizeof *told : 0) + data_bytes);
    if (!k) return;
    const size_t in_code = (size_t)(x - w->code);
    k->pc = x >= w->code && in_code < w->cta->launch->im->n_insts ? (uint32_t)in_code : w->pc - 1;
    k->bytes = (uint8_t)bytes;
    k->tick = tick;
    k->strong = strong;
    k->is_run = is_run;
    k->publishes = tells;
    k->has_data = data != NULL;
    uint8_t *p = (uint8_t *)(k + 1);
    if (is_run)
        memcpy(p, &addr[first], sizeof *addr);
    else
        FOR_EACH_BIT32(i, lanes) {
            memcpy(p, &addr[i], sizeof *addr);
            p += sizeof *addr;
        }
    p = (uint8_t *)(k + 1) + at_bytes;
    if (tells) memcpy(p, told, warps * sizeof *told);
    p += tells ? warps * sizeof *told : 0;
    if (data)
        FOR_EACH_BIT32(i, lanes) {
            memcpy(p, data + 16 * i, bytes);
            p += bytes;
        }
}

void check_grid_fence(struct exec_env *e, struct exec_warp *w, uint32_t lanes, uint32_t flags) {
    if (!is_looked_at(e, w)) return;
    struct order *const o = w->cta->check->order;
    struct grid_order *const g = w->cta->check->grid;
    if (flags & (MF_RELEASE | MF_SC)) {
        uint32_t *const row = g->covered + (size_t)w->warp_in_cta * g->warps;
        order_done(o, w, lanes, row);
        g->fenced[w->warp_in_cta] = order_tick(o, w->warp_in_cta);
    }
    if (flags & (MF_ACQUIRE | MF_SC)) look_new(e, w, LOOK_FENCE, lanes, 0);
}

void check_grid_exit(struct exec_env *e, const struct exec_warp *w, uint32_t lanes) {
    if (is_looked_at(e, w)) look_new(e, w, LOOK_EXIT, lanes, 0);
}

// ---- what is kept of a launch -----------------------------------------------------------------
// An access of a unit: a word of a page, or a byte of one where other than whole words were accessed.
struct touch {
    uint32_t tick; // of the warp; 0: there is none
    uint32_t block : 24, warp : 5, strong : 1;
    uint32_t alike : 1; // others have stored the same since
};
struct unit {
    struct touch write, read[2]; // readers: the last, and the last of another block
};
struct page {
    uint64_t number;
    bool by_byte;
    struct unit *unit; // NULL: no page
};
struct place {
    uint32_t *clock; // [clocks], NULL: nothing was published
    uint32_t version, block;
};
struct knowing { // a block that has heard something
    struct knowing *next;
    uint64_t block, ended; // threads that have ended
    uint32_t *known, *heard; // [clocks] or NULL
    uint32_t place, version; // heard last
};
struct grid_check {
    uint32_t clocks, epoch;
    struct place place[PLACES];
    struct knowing *bucket[BUCKETS];
    struct page *page; // open addressing
    size_t n_pages, cap_pages;
    uint32_t *released; // [clocks]: what was published at all
};

static void pages_free(struct grid_check *g) {
    for (size_t i = 0; i < g->cap_pages; i++) free(g->page[i].unit);
    free(g->page);
    g->page = NULL;
    g->n_pages = g->cap_pages = 0;
}
static void knowing_free(struct knowing *k) {
    free(k->known);
    free(k->heard);
    free(k);
}
void check_grid_destroy(struct grid_check *g) {
    if (!g) return;
    pages_free(g);
    for (uint32_t i = 0; i < PLACES; i++) free(g->place[i].clock);
    for (uint32_t i = 0; i < BUCKETS; i++)
        for (struct knowing *k = g->bucket[i], *next; k; k = next) {
            next = k->next;
            knowing_free(k);
        }
    free(g->released);
    free(g);
}
static struct grid_check *check_of(struct exec_launch *l) {
    if (l->grid_check) return l->grid_check;
    struct grid_check *const g = calloc(1, sizeof *g);
    if (!g) return NULL;
    const uint64_t warps = (uint64_t)l->args.grid[0] * l->args.grid[1] * l->args.grid[2] * l->warps;
    g->clocks = 1;
    while (g->clocks < warps && g->clocks < CLOCKS) g->clocks *= 2;
    g->released = calloc(g->clocks, sizeof *g->released);
    if (g->released) return l->grid_check = g;
    free(g);
    return NULL;
}

static uint64_t mix(uint64_t x) { return x * 0x9e3779b97f4a7c15ull >> 32; }
static struct page *page_slot(const struct grid_check *g, uint64_t number) {
    size_t i = mix(number) & (g->cap_pages - 1);
    while (g->page[i].unit && g->page[i].number != number) i = (i + 1) & (g->cap_pages - 1);
    return &g->page[i];
}
static bool pages_grow(struct grid_check *g) {
    struct page *const old = g->page;
    const size_t n = g->cap_pages, cap = n ? 2 * n : 64;
    struct page *const new = calloc(cap, sizeof *new);
    if (!new) return false;
    g->page = new;
    g->cap_pages = cap;
    for (size_t i = 0; i < n; i++)
        if (old[i].unit) *page_slot(g, old[i].number) = old[i];
    free(old);
    return true;
}
static struct page *page_of(struct grid_check *g, uint64_t number) {
    if (2 * g->n_pages >= g->cap_pages && !pages_grow(g)) return NULL;
    struct page *const p = page_slot(g, number);
    if (p->unit) return p;
    p->unit = calloc(PAGE / 4, sizeof *p->unit);
    if (!p->unit) return NULL;
    p->number = number;
    p->by_byte = false;
    g->n_pages++;
    return p;
}
static bool page_split(struct page *p) {
    struct unit *const byte = malloc(PAGE * sizeof *byte);
    if (!byte) return false;
    for (uint32_t i = 0; i < PAGE; i++) byte[i] = p->unit[i / 4];
    free(p->unit);
    p->unit = byte;
    p->by_byte = true;
    return true;
}

static struct knowing **knowing_at(struct grid_check *g, uint64_t block) {
    struct knowing **k = &g->bucket[mix(block) & (BUCKETS - 1)];
    while (*k && (*k)->block != block) k = &(*k)->next;
    return k;
}
static struct knowing *knowing_of(struct grid_check *g, uint64_t block) {
    struct knowing **const k = knowing_at(g, block);
    if (!*k && (*k = calloc(1, sizeof **k)) != NULL) {
        (*k)->block = block;
        (*k)->place = PLACES;
    }
    return *k;
}
// Joins `from`, which may be NULL; *to is made when it is not there. False: no memory.
static bool join(struct grid_check *g, uint32_t **to, const uint32_t *from) {
    if (!from) return true;
    if (!*to && !(*to = calloc(g->clocks, sizeof **to))) return false;
    for (uint32_t i = 0; i < g->clocks; i++) (*to)[i] = (*to)[i] > from[i] ? (*to)[i] : from[i];
    return true;
}

// ---- the look at an access --------------------------------------------------------------------
struct watch {
    struct devmem *m;
    struct grid_check *g;
    const struct look *k;
    const struct knowing *by; // NULL: the block has heard nothing
    const uint32_t *told;     // NULL: nothing is published
    const uint8_t *data;      // NULL: no store of a known value
    bool said;                // of this access
    bool no_memory;
    struct exec_fault *f;
};
static uint32_t clock_of(const struct watch *v, uint32_t block, uint32_t warp) {
    return (block * v->k->launch->warps + warp) & (v->g->clocks - 1);
}
static uint32_t block_of(const struct look *k) { return (uint32_t)k->block % BLOCKS; }
static bool is_known(const struct watch *v, const struct touch *t) {
    if (!t->tick || t->block == block_of(v->k)) return true;
    if (!v->by) return false;
    const uint32_t c = clock_of(v, t->block, t->warp);
    if (v->by->known && v->by->known[c] >= t->tick) return true;
    return v->k->strong && v->by->heard && v->by->heard[c] >= t->tick;
}

// Why nothing puts the two in an order.
static const char *reason(const struct watch *v, const struct touch *t) {
    const uint32_t c = clock_of(v, t->block, t->warp);
    if (v->g->released[c] < t->tick)
        return "that block has no fence behind it with an atomic, volatile or release store to tell of it";
    if (v->by && v->by->heard && v->by->heard[c] >= t->tick)
        return "this block has seen what tells of it and has no fence behind that";
    return "this block has looked at nothing that tells of it";
}
static bool race(struct watch *v, uint64_t at, uint32_t lane, bool writes, const struct touch *t, bool wrote) {
    v->said = true;
    const struct look *const k = v->k;
    struct exec_launch *const l = k->launch;
    struct exec_cta cta = {.launch = l, .linear_id = k->linear_id};
    const uint32_t *const grid = l->args.grid;
    cta.id[0] = (uint32_t)(k->linear_id % grid[0]);
    cta.id[1] = (uint32_t)(k->linear_id / grid[0] % grid[1]);
    cta.id[2] = (uint32_t)(k->linear_id / grid[0] / grid[1]);
    struct exec_warp w = {.cta = &cta, .code = l->code, .warp_in_cta = k->warp, .pc = k->pc + 1};
    struct exec_env e = {.memory = v->m};
    if (found(&e, &w, &l->code[k->pc], FAULT_RACE, lane, at, k->bytes,
              "global-memory race: %s the byte at 0x%llx, which block %u %s: %s", writes ? "writes" : "reads",
              (unsigned long long)at, (uint32_t)t->block, wrote ? "wrote" : "read", reason(v, t)))
        return true;
    *v->f = e.fault;
    return false;
}

static struct touch touch_now(const struct look *k) {
    return (struct touch){.tick = k->tick, .block = k->block & 0xFFFFFFu, .warp = k->warp & 31u, .strong = k->strong};
}
static bool look_read(struct watch *v, struct unit *u, uint64_t at, uint32_t lane) {
    const bool meets = v->k->strong && u->write.strong;
    if (!v->said && !meets && !u->write.alike && !is_known(v, &u->write) && !race(v, at, lane, false, &u->write, true))
        return false;
    if (v->k->strong) return true;
    if (u->read[0].tick && u->read[0].block != block_of(v->k)) u->read[1] = u->read[0];
    u->read[0] = touch_now(v->k);
    return true;
}
static bool look_write(struct watch *v, struct unit *u, uint64_t at, uint32_t lane, bool changes) {
    if (!changes) {
        u->write.alike |= u->write.tick && u->write.block != block_of(v->k);
        return true;
    }
    const bool meets = v->k->strong && u->write.strong;
    if (!v->said && !meets && !is_known(v, &u->write) && !race(v, at, lane, true, &u->write, true)) return false;
    for (uint32_t i = 0; i < 2; i++)
        if (!v->said && !is_known(v, &u->read[i]) && !race(v, at, lane, true, &u->read[i], false)) return false;
    u->write = touch_now(v->k);
    return true;
}
static bool look_lane(struct watch *v, uint64_t at, uint32_t lane, const uint8_t *data) {
    const struct look *const k = v->k;
    struct exec_range r;
    const uint8_t *const host = data && devmem_reachable(v->m, at, k->bytes, &r) ? range_host(&r, at) : NULL;
    v->said = false;
    for (uint64_t end = at + k->bytes; at < end;) {
        struct page *const p = page_of(v->g, at / PAGE);
        v->no_memory |= !p || ((at | end) % 4 && !p->by_byte && !page_split(p));
        if (v->no_memory) return false;
        const uint32_t step = p->by_byte ? 1 : 4, o = (uint32_t)(at % PAGE);
        struct unit *const u = &p->unit[o / step];
        const size_t in = k->bytes - (size_t)(end - at);
        const bool changes = !host || memcmp(host + in, data + in, step);
        if (k->kind == LOOK_READ && !look_read(v, u, at, lane)) return false;
        if (k->kind != LOOK_READ && !look_write(v, u, at, lane, changes)) return false;
        at += step;
    }
    return true;
}

// ---- what synchronises ------------------------------------------------------------------------
static bool hear(struct watch *v, uint64_t at) {
    const uint32_t i = mix(at / 4) & (PLACES - 1);
    const struct place *const p = &v->g->place[i];
    if (!p->clock) return true;
    struct knowing *const b = knowing_of(v->g, v->k->block);
    if (!b) return false;
    v->by = b;
    if (b->place == i && b->version == p->version) return true;
    b->place = i;
    b->version = p->version;
    return join(v->g, &b->heard, p->clock);
}
static bool publish(struct watch *v, uint64_t at) {
    struct grid_check *const g = v->g;
    struct place *const p = &g->place[mix(at / 4) & (PLACES - 1)];
    if (!p->clock && !(p->clock = calloc(g->clocks, sizeof *p->clock))) return false;
    for (uint32_t u = 0; u < v->k->launch->warps; u++) {
        const uint32_t c = clock_of(v, block_of(v->k), u);
        if (p->clock[c] < v->told[u]) p->clock[c] = v->told[u];
        if (g->released[c] < v->told[u]) g->released[c] = v->told[u];
    }
    p->version++;
    return !v->by || join(g, &p->clock, v->by->known);
}

static bool look_access(struct watch *v) {
    const struct look *const k = v->k;
    const uint8_t *p = (const uint8_t *)(k + 1);
    const uint32_t n = bits_count32(k->lanes);
    const uint8_t *const at = p;
    p += (k->is_run ? 1 : n) * sizeof(uint64_t);
    uint32_t told[32];
    if (k->publishes) {
        memcpy(told, p, k->launch->warps * sizeof *told);
        p += k->launch->warps * sizeof *told;
        v->told = told;
    }
    const uint8_t *data = k->has_data ? p : NULL;
    uint32_t i = 0;
    FOR_EACH_BIT32(lane, k->lanes) {
        uint64_t addr;
        memcpy(&addr, at + (k->is_run ? 0 : i * sizeof addr), sizeof addr);
        if (k->is_run) addr += (uint64_t)i * k->bytes;
        if (k->strong && k->kind != LOOK_WRITE && !hear(v, addr)) v->no_memory = true;
        if (v->no_memory || !look_lane(v, addr, lane, data ? data + (size_t)i * k->bytes : NULL)) return false;
        if (k->publishes && !publish(v, addr)) v->no_memory = true;
        i++;
    }
    return !v->no_memory;
}
// The block knows what it has heard.
static bool look_fence(struct watch *v) {
    struct knowing *const b = *knowing_at(v->g, v->k->block);
    return !b || join(v->g, &b->known, b->heard);
}
static void look_exit(struct watch *v) {
    struct knowing **const at = knowing_at(v->g, v->k->block), *const b = *at;
    if (!b) return;
    b->ended += bits_count32(v->k->lanes);
    const uint32_t blocks = exec_cluster_blocks(v->k->launch);
    if (b->ended < (uint64_t)v->k->launch->threads * (blocks > 1 ? blocks : 1)) return;
    *at = b->next;
    knowing_free(b);
}

bool check_grid_commit(struct devmem *m, const struct exec_log *log, size_t before, size_t *at, struct exec_fault *f) {
    while (*at < log->look_len) {
        const struct look *const k = (const struct look *)(const void *)(log->look + *at);
        if (k->before > before) return true;
        *at += k->size;
        struct watch v = {.m = m, .g = check_of(k->launch), .k = k, .f = f};
        v.no_memory = !v.g;
        if (v.g && v.g->epoch != devmem_epoch_of(m)) {
            pages_free(v.g);
            v.g->epoch = devmem_epoch_of(m);
        }
        if (v.g) v.by = *knowing_at(v.g, k->block);
        bool ok = v.g != NULL;
        switch ((enum look_kind)k->kind) {
        case LOOK_FENCE: ok = ok && look_fence(&v); break;
        case LOOK_EXIT:
            if (ok) look_exit(&v);
            break;
        default: ok = ok && look_access(&v); break;
        }
        if (ok) continue;
        if (v.no_memory || k->kind == LOOK_FENCE) {
            *f = (struct exec_fault){.kind = FAULT_UNALLOCATED};
            snprintf(f->text, sizeof f->text, "the host ran out of memory for the check of races between blocks");
        }
        return false;
    }
    return true;
}
