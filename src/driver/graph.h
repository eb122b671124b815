// Graphs as graph.c (nodes, launches), capture.c (streams that record them), graph_node.c (what a
// program builds and changes by hand), graph_memory.c and graph_detail.c see them. With the lock of
// the library held, as everything here.
#ifndef WW_DRIVER_GRAPH_H
#define WW_DRIVER_GRAPH_H

#include "driver/driver.h"

#include <stdlib.h>

// An operation of a stream, that is kept in a graph instead of done. `kind` by name of its fields.
enum driver_op_kind {
    OP_KERNEL,
    OP_COPY,
    OP_FILL,
    OP_HOST,
    OP_EVENT_RECORD,
    OP_EVENT_WAIT,
    OP_EMPTY,
    OP_CHILD,
    OP_ALLOC,
    OP_FREE
};
struct driver_op {
    enum driver_op_kind kind;
    struct {
        CUfunction f;
        uint32_t grid[3], block[3], shared;
        struct driver_shape shape;
        void **args; // one a parameter; or NULL, and they lie in `packed` as the kernel takes them
        const uint8_t *packed;
    } kernel;
    CUDA_MEMCPY3D copy;
    struct {
        CUdeviceptr to;
        size_t pitch, width, height; // width in elements
        uint32_t value, element;
    } fill;
    struct {
        CUhostFn fn;
        void *user;
    } host;
    CUevent event;
    unsigned event_flags; // of OP_EVENT_RECORD and OP_EVENT_WAIT in streams
    struct CUgraph_st *child;
    struct graph_memory *memory; // of OP_ALLOC and OP_FREE
};

enum { GRAPH_ATTRIBUTES = 16 };
struct CUgraph_st {
    struct CUgraphNode_st **node; // NULL: destroyed
    unsigned n, cap;
    bool is_unsorted; // an edge goes from a later node to an earlier one
    bool is_captured; // into, by a stream: not to be launched yet
    bool is_inner;    // an executable graph's copy, or a child
    // of launches: streams that branches run in besides the launch's own, and an event a node
    CUstream *lane;
    unsigned n_lanes;
    CUevent start, *done;
    unsigned n_done;
    struct graph_object *objects; // that it keeps (graph_detail.c)
};
struct CUgraphNode_st {
    struct driver_op op;
    struct CUgraph_st *graph;
    unsigned *depends, n_depends; // indices in the graph
    unsigned char *arguments;     // what op.kernel.args points into
    bool disabled;
    CUlaunchAttributeValue attribute[GRAPH_ATTRIBUTES]; // of a kernel; "cooperative" is heeded
};
CUgraphNodeType graph_type_of(const struct CUgraphNode_st *node);
struct CUgraphExec_st {
    struct CUgraph_st *graph; // a copy
    unsigned long long flags;
};

// launch.c: a kernel in a stream, as a graph's node launches it.
CUresult driver_launch(CUfunction f, const uint32_t grid[3], const uint32_t block[3],
                       uint32_t shared, CUstream stream, void **params,
                       const struct driver_shape *shape);
struct CUgraph_st *graph_new(void);
void graph_free(struct CUgraph_st *g);
struct CUgraph_st *graph_copy(const struct CUgraph_st *g); // NULL: out of memory
// Adds a node; keeps copies of a kernel's argument values. A child graph becomes the node's.
CUresult graph_add(struct CUgraph_st *g, const struct driver_op *op,
                   struct CUgraphNode_st *const *depends, size_t n_depends,
                   struct CUgraphNode_st **out);
// New parameters for a node of the same kind.
CUresult graph_set(struct CUgraphNode_st *n, const struct driver_op *op);
void graph_free_node(struct CUgraphNode_st *n);
int graph_index(const struct CUgraph_st *g, const struct CUgraphNode_st *n); // -1: not in it
bool graph_depend(struct CUgraphNode_st *n, unsigned on);                    // false: out of memory
// Whether the edges of an unsorted graph leave an order; puts it into `order` (g->n entries) when
// not NULL.
bool graph_order(const struct CUgraph_st *g, unsigned *order);
CUresult graph_do(struct CUgraph_st *g, CUstream s);

// ---- capture.c ----------------------------------------------------------------------------------
// An operation that goes into a stream. True: a graph keeps it, or it is not allowed now; *r is the
// answer. False: it is to be done.
bool driver_capture(CUstream s, const struct driver_op *op, CUresult *r);
// A call on the stream that no graph can keep (a wait, a question). The same answer.
bool driver_capture_forbids(CUstream s, CUresult *r);
bool driver_capture_forbids_event(CUevent e, CUresult *r);
// A call that a graph would not see (memory that is allocated, a copy that waits): CUDA_SUCCESS
// where the modes of the captures under way and of the thread allow it.
CUresult driver_capture_allows(void);
CUresult driver_capture_forbids_context(void); // a wait for all streams
bool driver_is_capturing(CUstream s);
void driver_capture_stream_gone(CUstream s);
void driver_capture_event_gone(CUevent e);
void driver_capture_event_recorded(CUevent e); // outside of any capture

// ---- graph_memory.c -----------------------------------------------------------------------------
// `memory` counts the nodes that name it and is freed with the last, or when it is in use no more.
// graph_alloc_op counts for one: who calls it drops that when the node is made.
CUresult graph_memory_do(const struct driver_op *op);
void graph_memory_keep(struct graph_memory *m);
void graph_memory_drop(struct graph_memory *m);
void graph_memory_forget(const struct CUgraph_st *g); // what its nodes allocated counts as freed
CUresult graph_alloc_op(size_t bytes, CUdeviceptr *address, struct driver_op *op);
CUresult graph_free_op(CUdeviceptr address, struct driver_op *op);
CUdeviceptr graph_memory_at(const struct graph_memory *m, size_t *bytes);
// Memory in stream order: true where the stream is capturing, or (a free) where a graph's node has
// allocated it.
bool graph_capture_alloc(CUstream s, size_t bytes, CUdeviceptr *out, CUresult *r);
bool graph_free_of_graph(CUdeviceptr p, CUstream s, CUresult *r);

// ---- graph_detail.c -----------------------------------------------------------------------------
bool graph_objects_copy(struct CUgraph_st *to, const struct CUgraph_st *from);
void graph_objects_drop(struct CUgraph_st *g);

#endif
