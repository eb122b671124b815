// Blocks, edges, dominators, post-dominators, loops.
//
// A block ends behind BRA, BRX, RET, jumps through registers and an unguarded EXIT, and before every branch target. A
// guarded EXIT ends none: its lanes are gone, the others go on, and counting it as a way out would
// push every reconvergence point around it to the end of the kernel. Calls end no block either.
//
// Dominators follow Cooper, Harvey and Kennedy, "A simple, fast dominance algorithm" (2001), on
// reverse post-order; post-dominators are the same on the reversed graph with one virtual end node.
//
// Where lanes that part meet again is their post-dominator, except that a kernel may be left in
// many places: `if (a) { if (b) return; } barrier;` has none before the end, yet all lanes that
// stay come to the barrier together, as they do on hardware (an exit strikes lanes off and ends no
// region). So a branch without one looks at one way out at a time, as if nobody took the others,
// beginning with the way that most blocks lead to.
#include "isa/cfg.h"

#include <stdlib.h>

// Where it goes stands in registers: the graph has no edge for it. A call comes back.
static bool is_jump(const struct minst *i) { return i->op == OP_JUMP && i->sub != MJUMP_CALL; }
static bool has_target(const struct minst *i) { return i->op == OP_BRA || i->op == OP_BRA_DIV; }

bool minst_ends_flow(const struct minst *i, bool allocated) {
    if (i->op == OP_RET) return true;
    if (i->op != OP_BRA && i->op != OP_BRX && i->op != OP_EXIT && !is_jump(i)) return false;
    return !minst_is_conditional(i, allocated);
}

bool minst_ends_block(const struct minst *i, bool allocated) {
    return has_target(i) || i->op == OP_BRX || is_jump(i) || minst_ends_flow(i, allocated);
}

// ---- blocks and edges -------------------------------------------------------
static uint32_t target_of(const struct cfg_code *k, int32_t target) {
    const int32_t at = k->label_at ? k->label_at[target] : target;
    return (uint32_t)at;
}

static void mark_leaders(const struct cfg_code *k, bool *leader) {
    leader[0] = true;
    for (uint32_t i = 0; i < k->n; i++) {
        const struct minst *m = &k->inst[i];
        if (!minst_ends_block(m, k->allocated)) continue;
        leader[i + 1] = true;
        if (has_target(m)) leader[target_of(k, m->target)] = true;
        if (m->op == OP_BRX)
            for (uint32_t j = 0; j < k->tables[m->aux].n; j++)
                leader[target_of(k, k->tables[m->aux].label[j])] = true;
    }
}

struct edges {
    struct arena *arena;
    VEC(uint32_t) to;
    uint32_t
        *seen; // by block: 1 + the last one that an edge comes from, so that none is added twice
};

// One edge to the block at instruction `at`; the end of the code is a way out.
static void add_edge(struct cfg *c, struct edges *e, uint32_t n_insts, uint32_t from, uint32_t at) {
    struct cfg_block *b = &c->block[from];
    if (at >= n_insts) {
        b->exits = true;
        return;
    }
    const uint32_t to = c->block_of[at];
    if (e->seen[to] == from + 1) return;
    e->seen[to] = from + 1;
    vec_push(e->arena, &e->to, to);
    b->n_succ++;
    c->block[to].n_pred++;
}

static void connect(struct cfg *c, const struct cfg_code *k) {
    struct edges e = {.arena = c->arena, .seen = arena_alloc(c->arena, c->n * sizeof *e.seen)};
    for (uint32_t b = 0; b < c->n; b++) {
        struct cfg_block *block = &c->block[b];
        block->succ = e.to.n;
        const struct minst *last = &k->inst[block->first + block->n - 1];
        if (minst_ends_block(last, k->allocated)) {
            if (has_target(last)) add_edge(c, &e, k->n, b, target_of(k, last->target));
            if (last->op == OP_BRX)
                for (uint32_t j = 0; j < k->tables[last->aux].n; j++)
                    add_edge(c, &e, k->n, b, target_of(k, k->tables[last->aux].label[j]));
            if (last->op == OP_EXIT || last->op == OP_RET || is_jump(last)) block->exits = true;
        }
        if (!minst_ends_flow(last, k->allocated)) add_edge(c, &e, k->n, b, block->first + block->n);
    }
    c->edge = e.to.at;
    c->n_edges = e.to.n;
    c->pred_edge = arena_alloc(c->arena, c->n_edges * sizeof *c->pred_edge);
    uint32_t at = 0;
    for (uint32_t b = 0; b < c->n; b++) {
        c->block[b].pred = at;
        at += c->block[b].n_pred;
        c->block[b].n_pred = 0;
    }
    for (uint32_t b = 0; b < c->n; b++)
        for (uint32_t i = 0; i < c->block[b].n_succ; i++) {
            struct cfg_block *to = &c->block[c->edge[c->block[b].succ + i]];
            c->pred_edge[to->pred + to->n_pred++] = b;
        }
}

// Depth-first from the entry without recursion; `order` is filled from the back.
static void number_blocks(struct cfg *c) {
    uint32_t *stack = arena_alloc(c->arena, c->n * sizeof *stack);
    uint32_t *next = arena_alloc(c->arena, c->n * sizeof *next);
    bool *seen = arena_alloc(c->arena, c->n);
    uint32_t *post = arena_alloc(c->arena, c->n * sizeof *post);
    c->order = arena_alloc(c->arena, c->n * sizeof *c->order);
    uint32_t depth = 0, n = 0;
    stack[depth++] = 0;
    seen[0] = true;
    while (depth) {
        const uint32_t b = stack[depth - 1];
        if (next[b] < c->block[b].n_succ) {
            // the taken side is finished first, so the fall-through side comes first in the
            // reverse post-order, as it does in the code
            const uint32_t s = c->edge[c->block[b].succ + next[b]++];
            if (!seen[s]) {
                seen[s] = true;
                stack[depth++] = s;
            }
        } else {
            post[n++] = b;
            depth--;
        }
    }
    c->n_order = n;
    for (uint32_t b = 0; b < c->n; b++) c->block[b].rpo = UINT32_MAX;
    for (uint32_t i = 0; i < n; i++) {
        c->order[i] = post[n - 1 - i];
        c->block[c->order[i]].rpo = i;
    }
}

struct cfg *cfg_build_code(struct arena *a, struct cfg_code k) {
    struct cfg *c = arena_alloc(a, sizeof *c);
    c->arena = a;
    if (!k.n) return c;
    bool *leader = arena_alloc(a, (size_t)k.n + 1);
    mark_leaders(&k, leader);
    uint32_t n = 0;
    for (uint32_t i = 0; i < k.n; i++) n += leader[i];
    c->block = arena_alloc(a, n * sizeof *c->block);
    c->block_of = arena_alloc(a, k.n * sizeof *c->block_of);
    for (uint32_t i = 0; i < k.n; i++) {
        if (leader[i])
            c->block[c->n++] = (struct cfg_block){
                .first = i, .idom = -1, .ipdom = -1, .meet = -1, .loop_head = -1};
        c->block_of[i] = c->n - 1;
        c->block[c->n - 1].n++;
    }
    connect(c, &k);
    number_blocks(c);
    return c;
}

struct cfg *cfg_build_image(struct arena *a, const struct code_image *im) {
    struct branch_table *tables = arena_alloc(a, (im->n_tables + 1) * sizeof *tables);
    for (uint32_t i = 0; i < im->n_tables; i++)
        tables[i] = (struct branch_table){(int32_t *)im->tables[i].pc, im->tables[i].n};
    return cfg_build_code(
        a,
        (struct cfg_code){.inst = im->inst, .n = im->n_insts, .allocated = true, .tables = tables});
}

// ---- dominators -------------------------------------------------------------
// Children of the tree in one pass each: first child and next sibling lists, then intervals.
static void number_dominator_tree(struct cfg *c) {
    int32_t *child = arena_alloc(c->arena, c->n * sizeof *child);
    int32_t *sibling = arena_alloc(c->arena, c->n * sizeof *sibling);
    for (uint32_t b = 0; b < c->n; b++) child[b] = sibling[b] = -1;
    for (uint32_t i = c->n_order; i-- > 1;) {
        const uint32_t b = c->order[i], d = (uint32_t)c->block[b].idom;
        sibling[b] = child[d];
        child[d] = (int32_t)b;
    }
    uint32_t clock = 0;
    int32_t b = 0;
    c->block[0].dom_in = clock++;
    while (b >= 0) {
        if (child[b] >= 0) {
            const int32_t down = child[b];
            child[b] = sibling[down];
            c->block[down].dom_in = clock++;
            b = down;
        } else {
            c->block[b].dom_out = clock++;
            b = c->block[b].idom;
        }
    }
    // an unreachable block dominates itself alone
    for (uint32_t u = 0; u < c->n; u++)
        if (c->block[u].rpo == UINT32_MAX) {
            c->block[u].dom_in = clock++;
            c->block[u].dom_out = clock++;
        }
}

void cfg_dominators(struct cfg *c) {
    if (!c->n) return;
    int32_t *idom = arena_alloc(c->arena, c->n_order * sizeof *idom); // by rpo number
    for (uint32_t i = 1; i < c->n_order; i++) idom[i] = -1;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 1; i < c->n_order; i++) {
            const struct cfg_block *b = &c->block[c->order[i]];
            int32_t d = -1;
            for (uint32_t j = 0; j < b->n_pred; j++) {
                const uint32_t p = c->block[c->pred_edge[b->pred + j]].rpo;
                if (p == UINT32_MAX || (p && idom[p] < 0)) continue;
                int32_t x = (int32_t)p, y = d;
                if (y < 0) y = x;
                while (x != y) {
                    while (x > y) x = idom[x];
                    while (y > x) y = idom[y];
                }
                d = x;
            }
            if (d != idom[i]) {
                idom[i] = d;
                changed = true;
            }
        }
    }
    for (uint32_t i = 1; i < c->n_order; i++)
        c->block[c->order[i]].idom = (int32_t)c->order[idom[i]];
    number_dominator_tree(c);
}

// ---- post-dominators --------------------------------------------------------
// The reversed graph: node 0 is the virtual end, node b + 1 is block b. `leaves[b]` says that b has
// an edge to the end, real or given to a loop that has none.
struct reversed {
    struct cfg *c;
    bool *leaves, *seen;
    uint32_t *stack, *next, *post;
    uint32_t n_post;
    uint32_t *number; // block -> place in the reverse post-order, from 1
    int32_t *ipdom;   // by number
};

static void reverse_search(struct reversed *r, uint32_t root) {
    struct cfg *c = r->c;
    uint32_t depth = 0;
    r->stack[depth++] = root;
    r->seen[root] = true;
    while (depth) {
        const uint32_t b = r->stack[depth - 1];
        if (r->next[b] < c->block[b].n_pred) {
            const uint32_t p = c->pred_edge[c->block[b].pred + r->next[b]++];
            if (r->seen[p] || c->block[p].rpo == UINT32_MAX) continue;
            r->seen[p] = true;
            r->stack[depth++] = p;
        } else {
            r->post[r->n_post++] = b;
            depth--;
        }
    }
}

static struct reversed reversed_graph(struct cfg *c) {
    return (struct reversed){.c = c,
                             .leaves = arena_alloc(c->arena, c->n),
                             .seen = arena_alloc(c->arena, c->n),
                             .stack = arena_alloc(c->arena, c->n * sizeof(uint32_t)),
                             .next = arena_alloc(c->arena, c->n * sizeof(uint32_t)),
                             .post = arena_alloc(c->arena, c->n * sizeof(uint32_t)),
                             .number = arena_alloc(c->arena, c->n * sizeof(uint32_t)),
                             .ipdom = arena_alloc(c->arena, ((size_t)c->n + 1) * sizeof(int32_t))};
}

// Immediate post-dominators of the blocks that were found, as numbers; edges to others count as
// none.
static void solve_reversed(struct reversed *r) {
    struct cfg *c = r->c;
    // Each search from an exit is a subtree below the end, so the concatenated post-orders,
    // reversed, with the end in front, are a reverse post-order of the reversed graph.
    const uint32_t n = r->n_post;
    for (uint32_t i = 0; i < n; i++) r->number[r->post[i]] = n - i; // 1..n; 0 is the end
    int32_t *const ipdom = r->ipdom;
    ipdom[0] = 0;
    for (uint32_t i = 1; i <= n; i++) ipdom[i] = -1;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 1; i <= n; i++) {
            const uint32_t block = r->post[n - i];
            const struct cfg_block *b = &c->block[block];
            int32_t d = r->leaves[block] ? 0 : -1;
            for (uint32_t j = 0; j < b->n_succ; j++) {
                const uint32_t to = c->edge[b->succ + j];
                if (!r->seen[to]) continue;
                int32_t x = (int32_t)r->number[to], y = d;
                if (ipdom[x] < 0) continue;
                if (y < 0) y = x;
                while (x != y) {
                    while (x > y) x = ipdom[x];
                    while (y > x) y = ipdom[y];
                }
                d = x;
            }
            if (d != ipdom[i]) {
                ipdom[i] = d;
                changed = true;
            }
        }
    }
}
static int32_t solved_ipdom(const struct reversed *r, uint32_t block) {
    const int32_t d = r->ipdom[r->number[block]];
    return d > 0 ? (int32_t)r->post[r->n_post - (uint32_t)d] : -1;
}

void cfg_post_dominators(struct cfg *c) {
    if (!c->n) return;
    struct reversed r = reversed_graph(c);
    for (uint32_t i = c->n_order; i-- > 0;) {
        const uint32_t b = c->order[i];
        r.leaves[b] = c->block[b].exits;
        if (r.leaves[b] && !r.seen[b]) reverse_search(&r, b);
    }
    for (uint32_t i = c->n_order; i-- > 0;) // loops without a way out
        if (!r.seen[c->order[i]]) {
            r.leaves[c->order[i]] = true;
            reverse_search(&r, c->order[i]);
        }
    solve_reversed(&r);
    for (uint32_t i = 0; i < r.n_post; i++) {
        struct cfg_block *b = &c->block[r.post[i]];
        b->ipdom = b->meet = solved_ipdom(&r, r.post[i]);
    }
}

// ---- meeting points ---------------------------------------------------------
struct way_out { uint32_t block, reached_from; };

static int more_come(const void *a, const void *b) {
    const struct way_out *x = a, *y = b;
    if (x->reached_from != y->reached_from) return x->reached_from > y->reached_from ? -1 : 1;
    return x->block > y->block ? -1 : 1;
}

void cfg_meeting_points(struct cfg *c) {
    enum { MAX_WAYS = 64 }; // a bound on time; beyond it lanes that part may meet late
    struct way_out way[MAX_WAYS];
    uint32_t n = 0;
    for (uint32_t i = c->n_order; i-- > 0 && n < MAX_WAYS;)
        if (c->block[c->order[i]].exits) way[n++].block = c->order[i];
    if (n < 2) return;
    struct reversed r = reversed_graph(c);
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t k = 0; k < n; k++) {
            memset(r.seen, 0, c->n);
            memset(r.leaves, 0, c->n);
            memset(r.next, 0, c->n * sizeof *r.next);
            r.n_post = 0;
            r.leaves[way[k].block] = true;
            reverse_search(&r, way[k].block);
            way[k].reached_from = r.n_post;
            if (!pass) continue;
            solve_reversed(&r);
            for (uint32_t i = 0; i < r.n_post; i++) {
                struct cfg_block *b = &c->block[r.post[i]];
                uint32_t sides = 0;
                for (uint32_t j = 0; j < b->n_succ; j++) sides += r.seen[c->edge[b->succ + j]];
                if (b->meet < 0 && sides > 1) b->meet = solved_ipdom(&r, r.post[i]);
            }
        }
        if (!pass) qsort(way, n, sizeof *way, more_come);
    }
}

// ---- loops ------------------------------------------------------------------
// Each back edge to a dominating header gives the blocks that reach it without passing the header.
// Headers are taken innermost first, so a block keeps the first header that claims it.
static void claim_loop(struct cfg *c, uint32_t head, uint32_t *stack, uint32_t *mark) {
    uint32_t depth = 0;
    const uint32_t epoch = head + 1;
    const struct cfg_block *h = &c->block[head];
    mark[head] = epoch;
    bool found = false;
    for (uint32_t i = 0; i < h->n_pred; i++) {
        const uint32_t p = c->pred_edge[h->pred + i];
        if (c->block[p].rpo == UINT32_MAX || !cfg_dominates(c, head, p)) continue;
        found = true;
        if (mark[p] != epoch) {
            mark[p] = epoch;
            stack[depth++] = p;
        }
    }
    if (!found) return;
    c->block[head].loop_depth++;
    if (c->block[head].loop_head < 0) c->block[head].loop_head = (int32_t)head;
    while (depth) {
        const uint32_t b = stack[--depth];
        if (b == head) continue;
        c->block[b].loop_depth++;
        if (c->block[b].loop_head < 0) c->block[b].loop_head = (int32_t)head;
        for (uint32_t i = 0; i < c->block[b].n_pred; i++) {
            const uint32_t p = c->pred_edge[c->block[b].pred + i];
            if (mark[p] == epoch || c->block[p].rpo == UINT32_MAX) continue;
            mark[p] = epoch;
            stack[depth++] = p;
        }
    }
}

void cfg_loops(struct cfg *c) {
    uint32_t *stack = arena_alloc(c->arena, ((size_t)c->n + 1) * sizeof *stack);
    uint32_t *mark = arena_alloc(c->arena, ((size_t)c->n + 1) * sizeof *mark);
    // an inner header comes after the outer one in reverse post-order
    for (uint32_t i = c->n_order; i-- > 0;) claim_loop(c, c->order[i], stack, mark);
}
