// Nodes that allocate and free memory. An allocation has its address from the moment its node is
// made, so it is made then; a launch only marks it as in use or not. It is given back with the last
// node that names it, or, as the vendor's guide has it for memory in use then, when the program
// frees it.
#include "driver/graph.h"

struct graph_memory {
    CUdeviceptr at;
    size_t bytes;
    unsigned nodes; // that name it, and who makes one
    bool in_use;
    struct graph_memory *next;
};
static struct {
    struct graph_memory *all;
    uint64_t used, most_used, reserved, most_reserved;
} table; // part of the singleton

static void use(struct graph_memory *m, bool in_use) {
    if (m->in_use == in_use) return;
    m->in_use = in_use;
    table.used = in_use ? table.used + m->bytes : table.used - m->bytes;
    if (table.used > table.most_used) table.most_used = table.used;
}

static struct graph_memory *find(CUdeviceptr at) {
    for (struct graph_memory *m = table.all; m; m = m->next)
        if (m->at == at) return m;
    return NULL;
}

CUdeviceptr graph_memory_at(const struct graph_memory *m, size_t *bytes) {
    if (bytes) *bytes = m->bytes;
    return m->at;
}

CUresult graph_alloc_op(size_t bytes, CUdeviceptr *address, struct driver_op *op) {
    struct graph_memory *m = calloc(1, sizeof *m);
    if (!m) return CUDA_ERROR_OUT_OF_MEMORY;
    m->bytes = bytes;
    m->nodes = 1;
    const CUresult r = driver_malloc(&m->at, bytes);
    if (r != CUDA_SUCCESS) return free(m), r;
    m->next = table.all;
    table.all = m;
    table.reserved += bytes;
    if (table.reserved > table.most_reserved) table.most_reserved = table.reserved;
    *address = m->at;
    *op = (struct driver_op){.kind = OP_ALLOC, .memory = m};
    return CUDA_SUCCESS;
}

CUresult graph_free_op(CUdeviceptr p, struct driver_op *op) {
    struct graph_memory *m = find(p);
    *op = (struct driver_op){.kind = OP_FREE, .memory = m};
    return m ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

void graph_memory_keep(struct graph_memory *m) { m->nodes++; }

// Gives it back when its last user is gone.
static CUresult leave(struct graph_memory *m) {
    if (m->nodes || m->in_use) return CUDA_SUCCESS;
    table.reserved -= m->bytes;
    struct graph_memory **at = &table.all;
    while (*at != m) at = &(*at)->next;
    *at = m->next;
    const CUresult r = driver_free(m->at);
    free(m);
    return r;
}

void graph_memory_drop(struct graph_memory *m) {
    m->nodes--;
    leave(m);
}

CUresult graph_memory_do(const struct driver_op *op) {
    // neither twice in use nor free twice
    if (op->memory->in_use != (op->kind == OP_FREE)) return CUDA_ERROR_INVALID_VALUE;
    use(op->memory, op->kind == OP_ALLOC);
    return CUDA_SUCCESS;
}

void graph_memory_forget(const struct CUgraph_st *g) {
    for (unsigned i = 0; i < g->n; i++)
        if (g->node[i] && g->node[i]->op.kind == OP_ALLOC) use(g->node[i]->op.memory, false);
}

// ---- in streams ---------------------------------------------------------------------------------
bool graph_capture_alloc(CUstream s, size_t bytes, CUdeviceptr *out, CUresult *r) {
    struct driver_op op;
    CUdeviceptr p = 0;
    if (!driver_is_capturing(s)) return false;
    *r = graph_alloc_op(bytes, &p, &op);
    if (*r != CUDA_SUCCESS) return true;
    if (driver_capture(s, &op, r) && *r == CUDA_SUCCESS) *out = p;
    graph_memory_drop(op.memory);
    return true;
}

bool graph_free_of_graph(CUdeviceptr p, CUstream s, CUresult *r) {
    struct driver_op op;
    if (driver_is_capturing(s)) {
        *r = graph_free_op(p, &op);
        if (*r == CUDA_SUCCESS) driver_capture(s, &op, r);
        return true;
    }
    struct graph_memory *m = table.all ? find(p) : NULL;
    if (!m) return false;
    *r = m->in_use ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    use(m, false);
    const CUresult left = leave(m);
    if (*r == CUDA_SUCCESS) *r = left;
    return true;
}

// ---- by hand ------------------------------------------------------------------------------------
CUresult cuGraphAddMemAllocNode(CUgraphNode *out, CUgraph g, const CUgraphNode *depends, size_t n,
                                CUDA_MEM_ALLOC_NODE_PARAMS *p) {
    DRIVER_ENTER(NEED_CONTEXT);
    if (!out || !DRIVER_IS(TAG_GRAPH, g) || !p || !p->bytesize || (n && !depends))
        DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    struct driver_op op;
    CUresult r = graph_alloc_op(p->bytesize, &p->dptr, &op);
    if (r != CUDA_SUCCESS) DRIVER_LEAVE(r);
    r = graph_add(g, &op, depends, n, out);
    graph_memory_drop(op.memory);
    DRIVER_LEAVE(r);
}
CUresult cuGraphMemAllocNodeGetParams(CUgraphNode node, CUDA_MEM_ALLOC_NODE_PARAMS *p) {
    DRIVER_ENTER(NEED_INIT);
    if (!DRIVER_IS(TAG_GRAPH_NODE, node) || node->op.kind != OP_ALLOC || !p)
        DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    *p = (CUDA_MEM_ALLOC_NODE_PARAMS){.poolProps = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
                                                    .location = {CU_MEM_LOCATION_TYPE_DEVICE, 0}},
                                      .bytesize = node->op.memory->bytes,
                                      .dptr = node->op.memory->at};
    DRIVER_LEAVE(CUDA_SUCCESS);
}
CUresult cuGraphAddMemFreeNode(CUgraphNode *out, CUgraph g, const CUgraphNode *depends, size_t n,
                               CUdeviceptr p) {
    DRIVER_ENTER(NEED_CONTEXT);
    struct driver_op op;
    if (!out || !DRIVER_IS(TAG_GRAPH, g) || (n && !depends)) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    const CUresult r = graph_free_op(p, &op);
    DRIVER_LEAVE(r == CUDA_SUCCESS ? graph_add(g, &op, depends, n, out) : r);
}
CUresult cuGraphMemFreeNodeGetParams(CUgraphNode node, CUdeviceptr *out) {
    DRIVER_ENTER(NEED_INIT);
    if (!DRIVER_IS(TAG_GRAPH_NODE, node) || node->op.kind != OP_FREE || !out)
        DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    *out = node->op.memory->at;
    DRIVER_LEAVE(CUDA_SUCCESS);
}

// ---- how much -----------------------------------------------------------------------------------
CUresult cuDeviceGetGraphMemAttribute(CUdevice device, CUgraphMem_attribute attribute,
                                      void *value) {
    DRIVER_ENTER(NEED_INIT);
    if (device != 0) DRIVER_LEAVE(CUDA_ERROR_INVALID_DEVICE);
    const uint64_t now[] = {[CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT] = table.used,
                            [CU_GRAPH_MEM_ATTR_USED_MEM_HIGH] = table.most_used,
                            [CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT] = table.reserved,
                            [CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH] = table.most_reserved};
    if (!value || (unsigned)attribute >= WW_COUNT(now)) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    memcpy(value, &now[attribute], sizeof now[attribute]);
    DRIVER_LEAVE(CUDA_SUCCESS);
}
// The most there was may be set back to what there is.
CUresult cuDeviceSetGraphMemAttribute(CUdevice device, CUgraphMem_attribute attribute,
                                      void *value) {
    DRIVER_ENTER(NEED_INIT);
    if (device != 0) DRIVER_LEAVE(CUDA_ERROR_INVALID_DEVICE);
    if (!value) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    switch (attribute) {
    case CU_GRAPH_MEM_ATTR_USED_MEM_HIGH: table.most_used = table.used; break;
    case CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH: table.most_reserved = table.reserved; break;
    default: DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    }
    DRIVER_LEAVE(CUDA_SUCCESS);
}
CUresult cuDeviceGraphMemTrim(CUdevice device) { // nothing is kept beyond its graph
    DRIVER_ENTER(NEED_INIT);
    DRIVER_LEAVE(device == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE);
}
