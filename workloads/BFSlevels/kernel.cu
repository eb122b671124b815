// BFSlevels: distances from one node of a graph, one launch a level, one thread a node, after
// Harish and Narayanan (HiPC 2007). Frontiers are arrays of flags, a byte a node: a launch clears
// the one that it reads and sets the other, which the host hands to the next launch as the first.
// Several threads may find the same node in one launch. Each that sees it unvisited writes the
// same values, so it makes no difference which of them see it so.
#include "device.h"

struct node {
    int first, count; // its edges: edges[first .. first + count)
};

extern "C" __global__ void Kernel(const node *nodes, const int *edges, uint8_t *frontier,
                                  uint8_t *next, uint8_t *visited, int *cost, uint8_t *over,
                                  int n) {
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= n || !frontier[i]) return;
    frontier[i] = 0;
    const int end = nodes[i].first + nodes[i].count;
    for (int e = nodes[i].first; e < end; e++) {
        const int other = edges[e];
        if (!visited[other]) {
            visited[other] = 1;
            cost[other] = cost[i] + 1;
            next[other] = 1;
            *over = 1;
        }
    }
}
