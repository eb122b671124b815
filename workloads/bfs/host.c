// bfs, host: two launches a level until a level marks nothing; a flag of one byte goes to the
// device and comes back each time.
#include <stdlib.h>
#include <string.h>

#include "host.h"
#include "sizes.h"

enum { THREADS = 512 };

static const struct host_param params[] = {
    {"NODES", 1, 1 << 24, "nodes of the graph"},
    {"DEGREE", 0, 64, "mean of the edges drawn for a node; each counts at both ends"},
};
static const struct host_program program = {"bfs", params, HOST_COUNT(params), host_sizes,
                                            HOST_COUNT(host_sizes)};

struct node {
    int32_t first, count;
};
struct graph {
    struct node *nodes;
    int32_t *edges;
    int n, edge_count;
};

// Every node draws DEGREE - 1, DEGREE or DEGREE + 1 partners, any node with the same chance; an
// edge goes both ways.
static struct graph make_graph(struct host *h, int n, int degree) {
    struct graph g = {host_memory((size_t)n, sizeof *g.nodes), NULL, n, 0};
    int32_t *pairs = host_memory(2 * (size_t)n * ((size_t)degree + 1), sizeof *pairs);
    size_t drawn = 0;
    for (int i = 0; i < n; i++) {
        int more = degree ? degree - 1 + (int)host_random_below(h, 3) : 0;
        for (; more > 0; more--, drawn++) {
            pairs[2 * drawn] = i;
            pairs[2 * drawn + 1] = (int32_t)host_random_below(h, (uint32_t)n);
            g.nodes[pairs[2 * drawn]].count++;
            g.nodes[pairs[2 * drawn + 1]].count++;
        }
    }
    for (int i = 0; i < n; i++) {
        g.nodes[i].first = g.edge_count;
        g.edge_count += g.nodes[i].count;
        g.nodes[i].count = 0;
    }
    g.edges = host_memory((size_t)g.edge_count, sizeof *g.edges);
    for (size_t k = 0; k < 2 * drawn; k++) {
        struct node *from = &g.nodes[pairs[k]];
        g.edges[from->first + from->count++] = pairs[k ^ 1];
    }
    free(pairs);
    return g;
}

// The textbook's search with a queue. -1: not reached.
static void search(const struct graph *g, int source, int32_t *cost) {
    int32_t *queue = host_memory((size_t)g->n, sizeof *queue);
    memset(cost, 0xff, (size_t)g->n * sizeof *cost);
    size_t head = 0, tail = 0;
    cost[source] = 0;
    queue[tail++] = source;
    while (head < tail) {
        const int32_t i = queue[head++];
        for (int32_t k = 0; k < g->nodes[i].count; k++) {
            const int32_t other = g->edges[g->nodes[i].first + k];
            if (cost[other] >= 0) continue;
            cost[other] = cost[i] + 1;
            queue[tail++] = other;
        }
    }
    free(queue);
}

int main(int argc, char **argv) {
    struct host h;
    host_open(&h, argc, argv, &program);
    int n = (int)h.arg[0];
    const int source = 0;
    const size_t count = (size_t)n;
    struct graph g = make_graph(&h, n, (int)h.arg[1]);

    int32_t *cost = host_memory(count, sizeof *cost), *want = host_memory(count, sizeof *want);
    uint8_t *flags = host_memory(count, 1);
    memset(cost, 0xff, count * sizeof *cost);
    cost[source] = 0;

    CUdeviceptr nodes_dev = host_upload(&h, g.nodes, count * sizeof *g.nodes);
    const size_t edge_room = g.edge_count ? (size_t)g.edge_count : 1; // no allocation of nothing
    CUdeviceptr edges_dev = host_upload(&h, g.edges, edge_room * sizeof *g.edges);
    CUdeviceptr marked_dev = host_upload(&h, flags, count);
    flags[source] = 1;
    CUdeviceptr frontier_dev = host_upload(&h, flags, count);
    CUdeviceptr visited_dev = host_upload(&h, flags, count);
    CUdeviceptr cost_dev = host_upload(&h, cost, count * sizeof *cost);
    CUdeviceptr more_dev = host_alloc(&h, 1);

    const CUfunction expand = host_kernel(&h, "bfsExpand");
    const CUfunction advance = host_kernel(&h, "bfsAdvance");
    const struct dim grid = {((unsigned)n + THREADS - 1) / THREADS}, block = {THREADS};
    uint8_t more;
    int levels = 0;
    do {
        more = 0;
        host_write(more_dev, &more, 1);
        host_launch(expand, grid, block, 0, &nodes_dev, &edges_dev, &frontier_dev, &marked_dev,
                    &visited_dev, &cost_dev, &n);
        host_launch(advance, grid, block, 0, &frontier_dev, &marked_dev, &visited_dev, &more_dev,
                    &n);
        host_read(&more, more_dev, 1);
    } while (more && ++levels < n);
    host_check_that(&h, !more, "the search did not end after %d levels.", levels);
    host_read(cost, cost_dev, count * sizeof *cost);

    search(&g, source, want);
    host_check_int(&h, "distances", cost, want, count);

    free(g.nodes);
    free(g.edges);
    free(cost);
    free(want);
    free(flags);
    return host_close(&h);
}
