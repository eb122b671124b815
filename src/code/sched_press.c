// An order of a region's units in which few words are in use at once. Compilers' PTX has loads and
// common values where a program first names them; in unrolled loops that is hundreds of operations
// before the last use. The machines' assemblers do not keep that order: what they need for a fully
// unrolled convolution is little more than its sums.
//
// It is made from the end: of the units whose readers all have their places the next one, going
// back, is
//
//   - one that does not raise what is in use: it makes more words than it is first to read
//   - else one whose words can soon be made in their turn: of each word that it would bring into
//     use the readers are counted that wait for units behind them. As long as they do, the word
//     stays. So a row of loaded values goes through all sums that it belongs to before the next
//   - else the one that stood last, as in the code that came in
//
// Going back, an expression's operands follow their reader at once, which is what Sethi and
// Ullman's numbers (1970) ask for where the code is a tree. A heap has the candidates; a unit's
// rank changes only when a word that it reads comes into use or another reader of it becomes a
// candidate, so that the time is about linear in the size of the graph.
#include "code/sched.h"

// Readers of a word that wait: more than these count the same.
enum { MANY_WAIT = 8 };

struct order {
    const struct sched_graph *g;
    uint32_t *pred_at, *pred;     // unit -> units with an edge to it
    uint32_t *reader_at, *reader; // value -> units that read it
    uint32_t *waits;              // unit -> edges from it to units without a place
    uint32_t *waiting;            // value -> readers that are no candidates yet
    bool *is_live;                // value
    int32_t *rank;                // unit: lowest first
    uint32_t *heap, n_heap;       // candidates
    uint32_t *heap_at;            // unit -> place in the heap, UINT32_MAX: none
};

// ---- the heap -----------------------------------------------------------------------------------
static bool goes_before(const struct order *o, uint32_t a, uint32_t b) {
    return o->rank[a] != o->rank[b] ? o->rank[a] < o->rank[b] : a > b;
}
static void heap_put(struct order *o, uint32_t at, uint32_t unit) {
    o->heap[at] = unit;
    o->heap_at[unit] = at;
}
static void heap_up(struct order *o, uint32_t at) {
    const uint32_t unit = o->heap[at];
    while (at > 0 && goes_before(o, unit, o->heap[(at - 1) / 2])) {
        heap_put(o, at, o->heap[(at - 1) / 2]);
        at = (at - 1) / 2;
    }
    heap_put(o, at, unit);
}
static void heap_down(struct order *o, uint32_t at) {
    const uint32_t unit = o->heap[at];
    for (uint32_t child = 2 * at + 1; child < o->n_heap; child = 2 * at + 1) {
        if (child + 1 < o->n_heap && goes_before(o, o->heap[child + 1], o->heap[child])) child++;
        if (!goes_before(o, o->heap[child], unit)) break;
        heap_put(o, at, o->heap[child]);
        at = child;
    }
    heap_put(o, at, unit);
}
static uint32_t heap_pop(struct order *o) {
    const uint32_t unit = o->heap[0];
    o->heap_at[unit] = UINT32_MAX;
    if (--o->n_heap) {
        o->heap[0] = o->heap[o->n_heap];
        heap_down(o, 0);
    }
    return unit;
}

// ---- ranks --------------------------------------------------------------------------------------
// Predicates count as words do: there are few of them.
static int32_t rank_of(const struct order *o, uint32_t unit) {
    const struct sched_unit *const u = &o->g->unit.at[unit];
    const struct sched_use *const use = o->g->use.at + u->use;
    int32_t change = 0, waiting = 0;
    for (uint32_t i = 0; i < u->n_uses; i++) {
        const uint32_t v = use[i].value;
        if (use[i].starts)
            change -= o->is_live[v];
        else if (use[i].reads && !o->is_live[v]) {
            change++;
            waiting += o->waiting[v] < MANY_WAIT ? (int32_t)o->waiting[v] : MANY_WAIT;
        }
    }
    return change > 0 ? change + waiting : change;
}

static void rank_again(struct order *o, uint32_t value) {
    for (uint32_t i = o->reader_at[value]; i < o->reader_at[value + 1]; i++) {
        const uint32_t unit = o->reader[i];
        if (o->heap_at[unit] == UINT32_MAX) continue;
        const int32_t rank = rank_of(o, unit);
        if (rank == o->rank[unit]) continue;
        const bool up = rank < o->rank[unit];
        o->rank[unit] = rank;
        if (up)
            heap_up(o, o->heap_at[unit]);
        else
            heap_down(o, o->heap_at[unit]);
    }
}

static void become_candidate(struct order *o, uint32_t unit) {
    const struct sched_unit *const u = &o->g->unit.at[unit];
    const struct sched_use *const use = o->g->use.at + u->use;
    for (uint32_t i = 0; i < u->n_uses; i++) {
        if (!use[i].reads) continue;
        const uint32_t v = use[i].value;
        if (--o->waiting[v] < MANY_WAIT && !o->is_live[v]) rank_again(o, v);
    }
    o->rank[unit] = rank_of(o, unit);
    heap_put(o, o->n_heap++, unit);
    heap_up(o, o->n_heap - 1);
}

// ---- the order ----------------------------------------------------------------------------------
// Changes what is in use from behind the unit to before it; answers the change in words.
static int32_t step_over(struct order *o, uint32_t unit) {
    const struct sched_unit *const u = &o->g->unit.at[unit];
    const struct sched_use *const use = o->g->use.at + u->use;
    int32_t words = 0;
    for (uint32_t i = 0; i < u->n_uses; i++) {
        const uint32_t v = use[i].value;
        const bool was = o->is_live[v], is = !use[i].starts && (was || use[i].reads);
        o->is_live[v] = is;
        if (o->g->value.at[v].is_word) words += is - was;
        if (is && !was) rank_again(o, v);
    }
    return words;
}

static void list_edges(struct order *o, struct arena *a) {
    const struct sched_graph *const g = o->g;
    const uint32_t n = g->unit.n;
    o->pred_at = arena_alloc(a, ((size_t)n + 2) * sizeof *o->pred_at);
    o->pred = arena_alloc(a, ((size_t)g->edge.n + 1) * sizeof *o->pred);
    o->waits = arena_alloc(a, (size_t)n * sizeof *o->waits);
    for (uint32_t u = 0; u < n; u++) o->pred_at[u + 2] = o->pred_at[u + 1] + g->unit.at[u].waits;
    for (uint32_t u = 0; u < n; u++)
        for (int32_t e = g->unit.at[u].succ; e >= 0; e = g->edge.at[e].next) {
            o->pred[o->pred_at[g->edge.at[e].to + 1]++] = u;
            o->waits[u]++;
        }
    // pred_at[u + 1] has moved to the end of u's edges, which is where u + 1's begin
}

static void list_readers(struct order *o, struct arena *a) {
    const struct sched_graph *const g = o->g;
    o->reader_at = arena_alloc(a, ((size_t)g->value.n + 2) * sizeof *o->reader_at);
    o->reader = arena_alloc(a, ((size_t)g->use.n + 1) * sizeof *o->reader);
    o->waiting = arena_alloc(a, ((size_t)g->value.n + 1) * sizeof *o->waiting);
    o->is_live = arena_alloc(a, ((size_t)g->value.n + 1) * sizeof *o->is_live);
    for (uint32_t v = 0; v < g->value.n; v++) {
        o->waiting[v] = g->value.at[v].readers;
        o->reader_at[v + 2] = o->reader_at[v + 1] + o->waiting[v];
        o->is_live[v] = g->value.at[v].stays;
    }
    for (uint32_t u = 0; u < g->unit.n; u++) {
        const struct sched_use *const use = g->use.at + g->unit.at[u].use;
        for (uint32_t i = 0; i < g->unit.at[u].n_uses; i++)
            if (use[i].reads) o->reader[o->reader_at[use[i].value + 1]++] = u;
    }
}

uint32_t sched_few_words(const struct sched_graph *g, uint32_t *order) {
    const uint32_t n = g->unit.n;
    struct order o = {.g = g};
    list_edges(&o, g->arena);
    list_readers(&o, g->arena);
    o.rank = arena_alloc(g->arena, (size_t)n * sizeof *o.rank);
    o.heap = arena_alloc(g->arena, (size_t)n * sizeof *o.heap);
    o.heap_at = arena_alloc(g->arena, (size_t)n * sizeof *o.heap_at);
    memset(o.heap_at, 0xff, (size_t)n * sizeof *o.heap_at);
    int32_t words = 0;
    for (uint32_t v = 0; v < g->value.n; v++) words += g->value.at[v].is_word && o.is_live[v];
    int32_t most = words;
    for (uint32_t u = 0; u < n; u++)
        if (!o.waits[u]) become_candidate(&o, u);
    for (uint32_t left = n; left-- > 0;) {
        const uint32_t u = heap_pop(&o);
        order[left] = u;
        words += step_over(&o, u);
        if (words > most) most = words;
        for (uint32_t i = o.pred_at[u]; i < o.pred_at[u + 1]; i++)
            if (--o.waits[o.pred[i]] == 0) become_candidate(&o, o.pred[i]);
    }
    return (uint32_t)most;
}
