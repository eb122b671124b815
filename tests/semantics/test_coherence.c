// Coherence under random fire: what all threads saw of each cell must fit one order of its writes,
// in which every thread's own accesses come in program order and an exchange stands directly behind
// the write that it read (PTX ISA: coherence, atomicity, sequential consistency per location).
//
// The order is found, not assumed: every pair of neighbouring accesses of a thread to a cell gives
// an edge between writes; exchanges tie writes to chains; the graph of chains must have no cycle.
#include "test_semantics.h"

enum { BLOCK = 64, STEPS = 24, CELLS_OF_GROUP = 8, CTAS_OF_GROUP = 8 };

struct check {
    uint32_t threads, steps, writes; // write 0 of a cell: its first value
    const uint32_t *note;
    uint32_t *next, *head,
        *place; // of each write: the exchange that read it, its chain, its place there
    uint32_t *edge_from, *edge_to, n_edges;
};

// The writes of all cells: value v > 0 is write v; cell c's first value is write `n_values + 1 +
// c`.
struct access {
    uint32_t kind, cell;
};

static struct access access_of(uint32_t *s, uint32_t cta) {
    *s = *s * 1664525u + 1013904223u;
    const uint32_t kind = *s >> 28 & 3;
    return (struct access){kind > 1 ? 2 : kind,
                           cta / CTAS_OF_GROUP * CELLS_OF_GROUP + (*s >> 16 & 7)};
}

static void edge(struct check *c, uint32_t from, uint32_t to) {
    if (from == to) return;
    c->edge_from[c->n_edges] = from;
    c->edge_to[c->n_edges++] = to;
}

// A complaint, or NULL.
static const char *check_notes(struct check *c, const uint32_t *final, uint32_t n_cells) {
    const uint32_t n_values = c->threads * c->steps, n = n_values + 1 + n_cells;
    c->next = calloc(n, 4), c->head = calloc(n, 4), c->place = calloc(n, 4);
    c->edge_from = calloc((size_t)3 * n_values + n, 4),
    c->edge_to = calloc((size_t)3 * n_values + n, 4);
    uint32_t *cell_of = calloc(n, 4), *last = malloc((size_t)n_cells * 4);
    const char *wrong = NULL;
    for (uint32_t pass = 0; pass < 2; pass++)
        for (uint32_t t = 0; t < c->threads; t++) {
            uint32_t s = t * 0x9e3779b1u + 12345u;
            for (uint32_t k = 0; k < n_cells; k++) last[k] = UINT32_MAX;
            for (uint32_t step = 0; step < c->steps; step++) {
                const struct access a = access_of(&s, t / BLOCK);
                const uint32_t own = step * c->threads + t + 1, seen = c->note[own - 1];
                const uint32_t read = seen ? seen : n_values + 1 + a.cell;
                if (pass == 0) {
                    if (a.kind < 2) cell_of[own] = a.cell + 1;
                    continue;
                }
                if (a.kind != 0) {
                    if (seen > n_values || (seen && cell_of[seen] != a.cell + 1))
                        wrong = "a value from nowhere or of another cell";
                    else if (last[a.cell] != UINT32_MAX)
                        edge(c, last[a.cell], read);
                    if (wrong) break;
                    last[a.cell] = read;
                }
                if (a.kind == 1) {
                    if (c->next[read]) wrong = "two exchanges read one write";
                    c->next[read] = own;
                    last[a.cell] = own;
                } else if (a.kind == 0) {
                    if (last[a.cell] != UINT32_MAX) edge(c, last[a.cell], own);
                    last[a.cell] = own;
                }
            }
        }
    // Chains: heads are writes that no exchange made, or the first values.
    uint8_t *is_link = calloc(n, 1);
    for (uint32_t w = 1; w < n; w++)
        if (c->next[w]) is_link[c->next[w]] = 1;
    for (uint32_t w = 1; w < n && !wrong; w++) {
        if (is_link[w] || (w <= n_values && !cell_of[w])) continue;
        uint32_t place = 0;
        for (uint32_t x = w; x; x = c->next[x]) c->head[x] = w, c->place[x] = place++;
    }
    // First values come first, what stands in the cell at the end comes last.
    for (uint32_t w = 1; w <= n_values && !wrong; w++) {
        if (!cell_of[w]) continue;
        edge(c, n_values + cell_of[w], w);
        const uint32_t end = final[cell_of[w] - 1];
        if (!end || end > n_values || cell_of[end] != cell_of[w])
            wrong = "a final value that nobody wrote";
        else
            edge(c, w, end);
    }
    // Kahn's order over chains.
    uint32_t *in = calloc(n, 4), *first = malloc(((size_t)n + 1) * 4),
             *list = malloc((size_t)(c->n_edges + 1) * 4);
    uint32_t *queue = malloc((size_t)n * 4), n_queue = 0, heads = 0, done = 0;
    memset(first, 0, ((size_t)n + 1) * 4);
    for (uint32_t e = 0; e < c->n_edges && !wrong; e++) {
        const uint32_t from = c->head[c->edge_from[e]], to = c->head[c->edge_to[e]];
        if (from == to) {
            if (c->place[c->edge_from[e]] >= c->place[c->edge_to[e]])
                wrong = "a chain of exchanges seen backwards";
        } else {
            first[from + 1]++, in[to]++;
        }
    }
    for (uint32_t w = 0; w < n; w++) first[w + 1] += first[w];
    uint32_t *fill = malloc((size_t)n * 4);
    memcpy(fill, first, (size_t)n * 4);
    for (uint32_t e = 0; e < c->n_edges && !wrong; e++) {
        const uint32_t from = c->head[c->edge_from[e]], to = c->head[c->edge_to[e]];
        if (from != to) list[fill[from]++] = to;
    }
    for (uint32_t w = 1; w < n && !wrong; w++)
        if (c->head[w] == w) {
            heads++;
            if (!in[w]) queue[n_queue++] = w;
        }
    while (done < n_queue) {
        const uint32_t w = queue[done++];
        for (uint32_t e = first[w]; e < first[w + 1]; e++)
            if (!--in[list[e]]) queue[n_queue++] = list[e];
    }
    if (!wrong && done != heads) wrong = "no order of the writes fits what was seen";
    free(c->next), free(c->head), free(c->place), free(c->edge_from), free(c->edge_to);
    free(cell_of), free(last), free(is_link), free(in), free(first), free(list), free(queue),
        free(fill);
    return wrong;
}

struct subject {
    const char *gpu;
    uint32_t ctas, spread;
};

static uint32_t *run_once(const struct subject *s, bool functional, uint32_t host_threads,
                          size_t *words) {
    struct rig r = {.name = "coherence", .gpu_name = s->gpu, .dir = WW_TEST_DIR};
    diags_init(&r.diags);
    arena_init(&r.arena, NULL);
    rig_ok(&r, gpu_config_load(s->gpu, NULL, 0, &r.diags, &r.config));
    struct gpu_options o;
    gpu_options_init(&o);
    o.host_threads = host_threads, o.functional = functional;
    rig_ok(&r, gpu_create(&r.config, &o, &r.diags, &r.gpu));
    size_t len;
    const char *text = (const char *)rig_file(&r, "coherence", ".ptx", &len);
    rig_ok(&r, gpu_module_load(r.gpu, "coherence", text, len, NULL, &r.diags, &r.module));
    const uint32_t threads = s->ctas * BLOCK, cells = s->ctas / CTAS_OF_GROUP * CELLS_OF_GROUP;
    const size_t notes = (size_t)threads * STEPS, room = (size_t)cells << s->spread;
    *words = notes + cells;
    uint32_t *out = calloc(notes + room, 4);
    struct {
        uint64_t out, cells;
        uint32_t steps, spread;
    } p = {.steps = STEPS, .spread = s->spread};
    rig_ok(&r, gpu_malloc(r.gpu, (notes + room) * 4, "notes", &r.diags, &p.out));
    rig_ok(&r, gpu_write(r.gpu, p.out, out, (notes + room) * 4, &r.diags));
    p.cells = p.out + notes * 4;
    struct gpu_kernel *k;
    rig_ok(&r, gpu_kernel_find(r.module, "coherence", &r.diags, &k));
    const struct gpu_launch l = {
        .grid = {s->ctas, 1, 1}, .block = {BLOCK, 1, 1}, .params = &p, .param_bytes = sizeof p};
    rig_ok(&r, gpu_launch(r.gpu, NULL, k, &l, &r.diags, NULL));
    rig_ok(&r, gpu_synchronize(r.gpu, &r.diags));
    rig_ok(&r, gpu_read(r.gpu, out, p.out, (notes + room) * 4, &r.diags));
    for (uint32_t c = 0; c < cells; c++) out[notes + c] = out[notes + ((size_t)c << s->spread)];
    rig_close(&r);
    return out;
}

static void run_subject(void **state) {
    const struct subject *s = *state;
    static const struct {
        bool functional;
        uint32_t threads;
    } mode[] = {{false, 1}, {false, 2}, {false, 4}, {true, 1}};
    uint32_t *first = NULL;
    for (uint32_t m = 0; m < WW_COUNT(mode); m++) {
        size_t words;
        uint32_t *out = run_once(s, mode[m].functional, mode[m].threads, &words);
        struct check c = {.threads = s->ctas * BLOCK, .steps = STEPS, .note = out};
        const char *wrong = check_notes(&c, out + (size_t)c.threads * STEPS,
                                        s->ctas / CTAS_OF_GROUP * CELLS_OF_GROUP);
        if (wrong) fail_msg("%s, %u CTAs: %s", s->gpu, s->ctas, wrong);
        if (m && !mode[m].functional && memcmp(first, out, words * 4))
            fail_msg("%s: %u host threads give another result than one", s->gpu, mode[m].threads);
        if (m)
            free(out);
        else
            first = out;
    }
    free(first);
}

int main(void) {
    struct subject s[] = {{"gt240", 16, 0},
                          {"gtx480", 64, 0},
                          {"gtx480", 32, 5},
                          {"gtx780", 64, 0},
                          {"gtx780", 128, 6}};
    struct CMUnitTest test[WW_COUNT(s)];
    char name[WW_COUNT(s)][64];
    for (uint32_t k = 0; k < WW_COUNT(s); k++) {
        snprintf(name[k], sizeof name[k], "%s, %u CTAs, spread %u", s[k].gpu, s[k].ctas,
                 s[k].spread);
        test[k] =
            (struct CMUnitTest){.name = name[k], .test_func = run_subject, .initial_state = &s[k]};
    }
    return cmocka_run_group_tests(test, NULL, NULL);
}
