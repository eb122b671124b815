// BFSlevels, host: one launch a level until a level finds nothing; a flag of one byte goes to the
// device and comes back each time.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host.h"
#include "sizes.h"

enum { THREADS = 256 };

static const struct host_param params[] = {
    {"NODES", 1, 1 << 24, "nodes of the graph"},
    {"DEGREE", 0, 64, "mean of the edges drawn for a node; each counts at both ends"},
};
static const struct host_program program = {"BFSlevels", params, HOST_COUNT(params), host_sizes,
                                            HOST_COUNT(host_sizes)};

struct node {
    int32_t first, count;
};
struct edge {
    int32_t end[2];
};

// Ranks are dealt to the nodes at random; a partner's rank is n u^(3/2) for u uniform in [0, 1), so
// that the density falls as rank^(-1/3).
static size_t draw_edges(struct host *h, int32_t n, int degree, struct edge *edges) {
    int32_t *at_rank = host_memory((size_t)n, sizeof *at_rank);
    for (int32_t i = 0; i < n; i++) at_rank[i] = i;
    for (int32_t i = n - 1; i > 0; i--) {
        const uint32_t k = host_random_below(h, (uint32_t)i + 1);
        const int32_t t = at_rank[i];
        at_rank[i] = at_rank[k];
        at_rank[k] = t;
    }
    size_t count = 0;
    for (int32_t i = 0; i < n; i++) {
        int more = degree ? degree - 1 + (int)host_random_below(h, 3) : 0;
        for (; more > 0; more--) {
            const double u = (double)(host_random(h) >> 11) * 0x1p-53;
            const int32_t rank = (int32_t)(n * (u * sqrt(u)));
            edges[count++] = (struct edge){{i, at_rank[rank < n ? rank : n - 1]}};
        }
    }
    free(at_rank);
    return count;
}

int main(int argc, char **argv) {
    struct host h;
    host_open(&h, argc, argv, &program);
    int n = (int)h.arg[0];
    const int degree = (int)h.arg[1], source = 0;
    const size_t count = (size_t)n;
    struct edge *drawn = host_memory(count * ((size_t)degree + 1), sizeof *drawn);
    const size_t drawn_count = draw_edges(&h, n, degree, drawn);

    // Edges by node: counted, summed, dealt out.
    struct node *nodes = host_memory(count, sizeof *nodes);
    const size_t room = drawn_count ? 2 * drawn_count : 1; // no allocation of nothing
    int32_t *edges = host_memory(room, sizeof *edges);
    for (size_t k = 0; k < drawn_count; k++)
        for (int e = 0; e < 2; e++) nodes[drawn[k].end[e]].count++;
    int32_t first = 0;
    for (int i = 0; i < n; i++) {
        nodes[i].first = first;
        first += nodes[i].count;
        nodes[i].count = 0;
    }
    for (size_t k = 0; k < drawn_count; k++) {
        for (int e = 0; e < 2; e++) {
            struct node *from = &nodes[drawn[k].end[e]];
            edges[from->first + from->count++] = drawn[k].end[!e];
        }
    }

    int32_t *cost = host_memory(count, sizeof *cost), *want = host_memory(count, sizeof *want);
    uint8_t *flags = host_memory(count, 1);
    memset(cost, 0xff, count * sizeof *cost); // -1: not reached
    cost[source] = 0;
    CUdeviceptr nodes_dev = host_upload(&h, nodes, count * sizeof *nodes);
    CUdeviceptr edges_dev = host_upload(&h, edges, room * sizeof *edges);
    CUdeviceptr next_dev = host_upload(&h, flags, count);
    flags[source] = 1;
    CUdeviceptr frontier_dev = host_upload(&h, flags, count);
    CUdeviceptr visited_dev = host_upload(&h, flags, count);
    CUdeviceptr cost_dev = host_upload(&h, cost, count * sizeof *cost);
    CUdeviceptr over_dev = host_alloc(&h, 1);

    const CUfunction kernel = host_kernel(&h, "Kernel");
    const struct dim grid = {((unsigned)n + THREADS - 1) / THREADS}, block = {THREADS};
    uint8_t over;
    int levels = 0;
    do {
        over = 0;
        host_write(over_dev, &over, 1);
        host_launch(kernel, grid, block, 0, &nodes_dev, &edges_dev, &frontier_dev, &next_dev,
                    &visited_dev, &cost_dev, &over_dev, &n);
        host_read(&over, over_dev, 1);
        const CUdeviceptr t = frontier_dev;
        frontier_dev = next_dev;
        next_dev = t;
    } while (over && ++levels < n);
    host_check_that(&h, !over, "the search did not end after %d levels.", levels);
    host_read(cost, cost_dev, count * sizeof *cost);

    // Without levels, nodes' lists or a queue: every edge as drawn brings its ends within one of
    // each other, again and again until none does.
    memset(want, 0xff, count * sizeof *want);
    want[source] = 0;
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t k = 0; k < drawn_count; k++) {
            for (int e = 0; e < 2; e++) {
                const int32_t from = want[drawn[k].end[e]];
                int32_t *to = &want[drawn[k].end[!e]];
                if (from < 0 || (*to >= 0 && *to <= from + 1)) continue;
                *to = from + 1;
                changed = true;
            }
        }
    }
    host_check_int(&h, "distances", cost, want, count);

    free(drawn);
    free(nodes);
    free(edges);
    free(cost);
    free(want);
    free(flags);
    return host_close(&h);
}
