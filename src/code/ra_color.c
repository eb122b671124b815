// Colouring: which register each group gets.
//
// Groups leave the graph smallest degree first and come back in the opposite order, each taking the
// lowest place that its neighbours leave free. On the interference graph of a program in static
// single assignment, which compilers' PTX nearly is, that order needs no more registers than are
// live at once; alignment of pairs and quads costs a few. The degree of a group is the number of
// words that its neighbours can block for it, so that pairs and quads, which are hard to place,
// come back before the single words that fill the holes between them.
//
// With room for it the order is tried in variations, and the best is kept: fewer registers are more
// warps on an SM.
#include "code/ra.h"

#include <assert.h>

struct places {
    uint64_t bit[4]; // positions 0..255
};
static_assert(MAX_GPRS == 256, "a bit for every position");

static void block_place(struct places *p, int32_t at) {
    if (at >= 0 && at < 256) p->bit[at / 64] |= 1ull << (at % 64);
}
static bool is_blocked(const struct places *p, uint32_t at) {
    return p->bit[at / 64] >> (at % 64) & 1;
}

static bool is_fixed(const struct ra *r, uint32_t v) {
    return r->cls == RA_GPR && mfunc_has_sp(r->f) && v == r->f->sp_vreg;
}

// Words of x that a neighbour y can block, counted in words of x's aligned places.
static uint32_t blocks(uint32_t words_x, uint32_t words_y) {
    return words_y > words_x ? words_y : words_x;
}

// ---- order of removal -------------------------------------------------------------
struct buckets {
    struct arena *arena;
    uint32_t *head, *next, *prev, n; // degree -> first node; lists through next and prev
};

static void bucket_insert(struct buckets *k, uint32_t node, uint32_t degree) {
    if (degree >= k->n) degree = k->n - 1;
    k->prev[node] = UINT32_MAX;
    k->next[node] = k->head[degree];
    if (k->head[degree] != UINT32_MAX) k->prev[k->head[degree]] = node;
    k->head[degree] = node;
}
static void bucket_remove(struct buckets *k, uint32_t node, uint32_t degree) {
    if (degree >= k->n) degree = k->n - 1;
    if (k->prev[node] != UINT32_MAX)
        k->next[k->prev[node]] = k->next[node];
    else
        k->head[degree] = k->next[node];
    if (k->next[node] != UINT32_MAX) k->prev[k->next[node]] = k->prev[node];
}

// How a variation weighs a group of several words: in units of 1/4 of its degree.
static uint32_t weigh(const struct ra *r, uint32_t v, uint32_t degree, unsigned variation) {
    static const uint8_t factor[3][5] = {{0, 4, 4, 0, 4}, {0, 4, 6, 0, 8}, {0, 4, 3, 0, 3}};
    return degree * factor[variation][r->words[v]] / 4;
}

static void removal_order(struct ra *r, const uint32_t *roots, uint32_t n_roots, uint32_t *order,
                          unsigned variation) {
    uint32_t *degree = arena_alloc(r->arena, ((size_t)r->n + 1) * sizeof *degree);
    bool *gone = arena_alloc(r->arena, (size_t)r->n + 1);
    struct buckets k = {.arena = r->arena, .n = 4096};
    k.head = arena_alloc(r->arena, k.n * sizeof *k.head);
    k.next = arena_alloc(r->arena, ((size_t)r->n + 1) * sizeof *k.next);
    k.prev = arena_alloc(r->arena, ((size_t)r->n + 1) * sizeof *k.prev);
    memset(k.head, 0xff, k.n * sizeof *k.head);
    for (uint32_t i = n_roots; i-- > 0;) {
        const uint32_t v = roots[i];
        degree[v] = r->floor[v]; // calls block those places
        for (uint32_t e = r->edge_at[v]; e < r->edge_at[v + 1]; e++)
            degree[v] += blocks(r->words[v], r->words[r->edge[e].to]);
        bucket_insert(&k, v, weigh(r, v, degree[v], variation));
    }
    uint32_t low = 0;
    for (uint32_t i = n_roots; i-- > 0;) {
        while (k.head[low] == UINT32_MAX) low++;
        const uint32_t v = k.head[low];
        bucket_remove(&k, v, low);
        gone[v] = true;
        order[i] = v; // filled from the back: the first to go is the last to be coloured
        for (uint32_t e = r->edge_at[v]; e < r->edge_at[v + 1]; e++) {
            const uint32_t y = r->edge[e].to;
            if (gone[y]) continue;
            const uint32_t was = weigh(r, y, degree[y], variation);
            degree[y] -= blocks(r->words[y], r->words[v]);
            const uint32_t is = weigh(r, y, degree[y], variation);
            if (is == was) continue;
            bucket_remove(&k, y, was);
            bucket_insert(&k, y, is);
            const uint32_t bucket = is < k.n ? is : k.n - 1;
            if (bucket < low) low = bucket;
        }
    }
}

// ---- choice of a place -------------------------------------------------------------
struct hint {
    uint32_t node, other;
    int32_t delta; // place of node = place of other + delta
};
struct hints {
    struct hint *at;
    uint32_t *first; // node -> first hint; one more at the end
};

// Moves whose two sides stayed apart: a group likes to lie where the move would vanish.
static struct hints find_hints(struct ra *r) {
    struct hints h = {0};
    VEC(struct hint) list = {0};
    struct opnd d = {0}, s = {0};
    for (uint32_t i = 0; i < r->f->inst.n; i++) {
        if (!ra_is_move(r, &r->f->inst.at[i], &d, &s)) continue;
        uint32_t od, os;
        const uint32_t x = ra_root(r, d.reg, &od), y = ra_root(r, s.reg, &os);
        if (x == y) continue;
        const int32_t delta = (int32_t)(os + s.sub) - (int32_t)(od + d.sub);
        vec_push(r->arena, &list, ((struct hint){x, y, delta}));
        vec_push(r->arena, &list, ((struct hint){y, x, -delta}));
    }
    h.first = arena_alloc(r->arena, ((size_t)r->n + 2) * sizeof *h.first);
    for (uint32_t i = 0; i < list.n; i++) h.first[list.at[i].node + 2]++;
    for (uint32_t v = 2; v <= r->n + 1; v++) h.first[v] += h.first[v - 1];
    h.at = arena_alloc(r->arena, list.n * sizeof *h.at);
    for (uint32_t i = 0; i < list.n; i++) h.at[h.first[list.at[i].node + 1]++] = list.at[i];
    return h;
}

static void blocked_places(const struct ra *r, uint32_t v, struct places *p) {
    *p = (struct places){0};
    for (uint32_t e = r->edge_at[v]; e < r->edge_at[v + 1]; e++) {
        const struct ra_edge *edge = &r->edge[e];
        const int32_t c = r->color[edge->to];
        if (c == RA_UNCOLORED) continue;
        if (r->words[v] == 1 && r->words[edge->to] == 1) {
            block_place(p, c);
            continue;
        }
        for (int32_t i = 0; i < 4; i++)
            for (int32_t j = 0; j < 4; j++)
                if (edge->mask >> (4 * i + j) & 1) block_place(p, c + j - i);
    }
    if (r->keeps_r1)
        for (int32_t i = 0; i < r->words[v]; i++) block_place(p, RA_SP - i);
}

static bool fits(const struct ra *r, const struct places *p, uint32_t v, int32_t at) {
    return at >= (int32_t)r->floor[v] && at % r->words[v] == 0 &&
           (uint32_t)at + r->words[v] <= r->n_colors && !is_blocked(p, (uint32_t)at);
}

// The lowest free place; of the free ones below `used` a single word takes one whose other half is
// taken already, so that whole pairs stay free.
static int32_t choose_place(const struct ra *r, const struct hints *h, uint32_t v, uint32_t used) {
    struct places p;
    blocked_places(r, v, &p);
    for (uint32_t i = h->first[v]; i < h->first[v + 1]; i++) {
        const int32_t c = r->color[h->at[i].other];
        if (c != RA_UNCOLORED && fits(r, &p, v, c + h->at[i].delta) &&
            (uint32_t)(c + h->at[i].delta) + r->words[v] <= used)
            return c + h->at[i].delta;
    }
    int32_t lowest = RA_UNCOLORED;
    const uint32_t first = (uint32_t)bits_align_up(r->floor[v], r->words[v]);
    for (uint32_t at = first; at + r->words[v] <= r->n_colors; at += r->words[v]) {
        if (is_blocked(&p, at)) continue;
        if (lowest == RA_UNCOLORED) lowest = (int32_t)at;
        if (r->words[v] != 1 || at >= used) break;
        if (is_blocked(&p, at ^ 1u)) return (int32_t)at;
    }
    return lowest;
}

static uint32_t color_in_order(struct ra *r, const uint32_t *order, uint32_t n,
                               const struct hints *h, bool *all) {
    uint32_t used = 0;
    *all = true;
    for (uint32_t i = 0; i < n; i++) r->color[order[i]] = RA_UNCOLORED;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t v = order[i];
        r->color[v] = is_fixed(r, v) ? RA_SP : choose_place(r, h, v, used);
        if (r->color[v] == RA_UNCOLORED)
            *all = false;
        else if ((uint32_t)r->color[v] + r->words[v] > used)
            used = (uint32_t)r->color[v] + r->words[v];
    }
    return used;
}

// ---- spreading ----------------------------------------------------------------------------------
// Registers are granted by GRANULE, and on machines with control bits an instruction that writes a
// register waits until what was in it has been read. ptxas therefore takes fresh registers up to
// what it is granted anyway, less the two that it keeps for itself, rather than use one again at
// once (seen in its code for sm_70 and sm_75: a kernel that needs four names eight). Here each
// value moves to the free place that fewest share, one after the other, so that the places stay
// right.
enum { GRANULE = 8 };

static uint32_t granted(const struct ra *r, uint32_t used) {
    const uint32_t all = (uint32_t)bits_align_up(used, GRANULE) - register_file_kept(r->f->target->gen);
    return used == 0 || all < used ? used : all < r->n_colors ? all : r->n_colors;
}

static uint32_t most_shared(const uint32_t *sharers, uint32_t at, uint32_t words) {
    uint32_t most = 0;
    for (uint32_t w = 0; w < words; w++)
        if (sharers[at + w] > most) most = sharers[at + w];
    return most;
}

static void spread(struct ra *r, const uint32_t *roots, uint32_t n, const struct hints *h) {
    const uint32_t end = granted(r, ra_colors_used(r));
    uint32_t sharers[MAX_GPRS] = {0};
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t v = roots[i];
        if (!r->used[v] || r->color[v] == RA_UNCOLORED) continue;
        for (uint32_t w = 0; w < r->words[v]; w++) sharers[(uint32_t)r->color[v] + w]++;
    }
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t v = roots[i], words = r->words[v];
        const bool is_tied = h->first[v] != h->first[v + 1]; // lies where a move vanishes
        if (!r->used[v] || r->color[v] == RA_UNCOLORED || is_fixed(r, v) || is_tied) continue;
        struct places p;
        blocked_places(r, v, &p);
        uint32_t best = (uint32_t)r->color[v];
        for (uint32_t w = 0; w < words; w++) sharers[best + w]--;
        uint32_t least = most_shared(sharers, best, words);
        const uint32_t first = (uint32_t)bits_align_up(r->floor[v], words);
        for (uint32_t at = first; at + words <= end; at += words) {
            const uint32_t shared = most_shared(sharers, at, words);
            if (shared >= least || is_blocked(&p, at)) continue;
            least = shared;
            best = at;
        }
        for (uint32_t w = 0; w < words; w++) sharers[best + w]++;
        r->color[v] = (int32_t)best;
    }
}

uint32_t ra_colors_used(const struct ra *r) {
    uint32_t used = 0;
    for (uint32_t v = 0; v < r->n; v++)
        if (r->parent[v] == v && r->used[v] && r->color[v] != RA_UNCOLORED &&
            (uint32_t)r->color[v] + r->words[v] > used)
            used = (uint32_t)r->color[v] + r->words[v];
    return used;
}

bool ra_color(struct ra *r) {
    uint32_t *roots = arena_alloc(r->arena, ((size_t)r->n + 1) * sizeof *roots), n = 0;
    for (uint32_t v = 0; v < r->n; v++)
        if (r->parent[v] == v) roots[n++] = v;
    uint32_t *order = arena_alloc(r->arena, ((size_t)n + 1) * sizeof *order);
    int32_t *best = arena_alloc(r->arena, ((size_t)r->n + 1) * sizeof *best);
    const struct hints hints = find_hints(r);
    uint32_t best_used = UINT32_MAX;
    bool best_all = false;
    const unsigned variations = r->edge_at[r->n] < 200000 ? 3 : 1; // beyond, one is slow enough
    for (unsigned variation = 0; variation < variations; variation++) {
        removal_order(r, roots, n, order, variation);
        bool all;
        const uint32_t used = color_in_order(r, order, n, &hints, &all);
        if (best_used != UINT32_MAX && (best_all > all || (best_all == all && used >= best_used)))
            continue;
        best_used = used;
        best_all = all;
        memcpy(best, r->color, r->n * sizeof *best);
    }
    memcpy(r->color, best, r->n * sizeof *best);
    // a function's callers place above its registers
    if (best_all && r->cls == RA_GPR && r->f->is_entry && gen_has(r->f->target->gen, TRAIT_CONTROL))
        spread(r, roots, n, &hints);
    return best_all;
}
