// Graphs as graph.c (capture, launches) and graph_node.c (what a program builds and changes by
// hand) see them.
#ifndef WW_CUDART_GRAPH_H
#define WW_CUDART_GRAPH_H

#include "cudart/cudart.h"

enum { GRAPH_ATTRIBUTES = 16 };
struct CUgraph_st {
    struct CUgraphNode_st **node; // NULL: destroyed
    unsigned n, cap;
    bool is_unsorted; // an edge goes from a later node to an earlier one
    // of launches: streams that branches run in besides the launch's own, and an event a node
    cudaStream_t *lane;
    unsigned n_lanes;
    cudaEvent_t start, *done;
    unsigned n_done;
    struct graph_object *objects; // that it keeps (graph_detail.c)
};
struct CUgraphNode_st {
    struct cudart_op op;
    struct CUgraph_st *graph;
    unsigned *depends, n_depends; // indices in the graph
    unsigned char *arguments;     // what op.kernel.args points into
    unsigned n_arguments;
    size_t *argument_bytes;
    bool disabled;
    // of a kernel; kept, and "cooperative" is heeded
    CUlaunchAttributeValue attribute[GRAPH_ATTRIBUTES];
};
struct CUgraphExec_st {
    struct CUgraph_st *graph; // a copy
    unsigned long long flags;
};

struct CUgraph_st *graph_new(void);
void graph_free(struct CUgraph_st *g);
struct CUgraph_st *graph_copy(const struct CUgraph_st *g);
// NULL: out of memory. Keeps copies of a kernel's argument values.
struct CUgraphNode_st *graph_add(struct CUgraph_st *g, const struct cudart_op *op,
                                 struct CUgraphNode_st *const *depends, size_t n_depends);
// New parameters for a node of the same kind.
cudaError_t graph_set(struct CUgraphNode_st *n, const struct cudart_op *op);
void graph_free_node(struct CUgraphNode_st *n);
int graph_index(const struct CUgraph_st *g, const struct CUgraphNode_st *n); // -1: not in it
bool graph_depend(struct CUgraphNode_st *n, unsigned on); // false: out of memory
// Whether the edges of an unsorted graph leave an order; puts it into `order` (g->n entries) when
// not NULL.
bool graph_order(const struct CUgraph_st *g, unsigned *order);

// graph_memory.c. `memory` counts the nodes that name it and is freed with the last, or when it is
// in use no more. graph_alloc_op counts for one: who calls it drops that when the node is made.
CUresult graph_memory_do(const struct cudart_op *op);
void graph_memory_keep(struct graph_memory *m);
void graph_memory_drop(struct graph_memory *m);
void graph_memory_forget(const struct CUgraph_st *g); // what its nodes allocated counts as freed
cudaError_t graph_alloc_op(struct cudaMemAllocNodeParams *p, struct cudart_op *op);
cudaError_t graph_free_op(void *p, struct cudart_op *op);
// graph_detail.c
bool graph_objects_copy(struct CUgraph_st *to, const struct CUgraph_st *from);
void graph_objects_drop(struct CUgraph_st *g);

#endif
