// bfs: distances from one node of a graph, level by level, after Harish and Narayanan (HiPC 2007).
// One thread a node. Each level is two launches: bfsExpand lets every node of the frontier mark its
// unvisited neighbours; bfsAdvance makes the marked nodes the next frontier. Frontiers are arrays
// of flags, a byte a node. Several nodes may write the same neighbour at once; all write the same
// value.
#include "device.h"

struct node {
    int first, count; // its edges: edges[first .. first + count)
};

extern "C" __global__ void bfsExpand(const node *nodes, const int *edges, uint8_t *frontier,
                                     uint8_t *marked, const uint8_t *visited, int *cost, int n) {
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= n || !frontier[i]) return;
    frontier[i] = 0;
    const int end = nodes[i].first + nodes[i].count;
    for (int e = nodes[i].first; e < end; e++) {
        const int other = edges[e];
        if (!visited[other]) {
            cost[other] = cost[i] + 1;
            marked[other] = 1;
        }
    }
}

extern "C" __global__ void bfsAdvance(uint8_t *frontier, uint8_t *marked, uint8_t *visited,
                                      uint8_t *more, int n) {
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= n || !marked[i]) return;
    frontier[i] = 1;
    visited[i] = 1;
    *more = 1;
    marked[i] = 0;
}
