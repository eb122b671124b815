// Nodes that allocate and free memory. An allocation has its address from the moment its node is
// made, so it is made then; a launch only marks it as in use or not. It is given back with the last
// node that names it, or, as the vendor's guide has it for memory in use then, when the program
// frees it.
#include "cudart/graph.h"

#include <pthread.h>

struct graph_memory {
    CUdeviceptr at;
    size_t bytes;
    unsigned nodes; // that name it, and who makes one
    bool in_use;
    struct graph_memory *next;
};
static struct {
    pthread_mutex_t lock;
    struct graph_memory *all;
    uint64_t used, most_used, reserved, most_reserved;
} table = {.lock = PTHREAD_MUTEX_INITIALIZER};

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

cudaError_t graph_alloc_op(struct cudaMemAllocNodeParams *p, struct cudart_op *op) {
    struct graph_memory *m = calloc(1, sizeof *m);
    if (!m) return cudaErrorMemoryAllocation;
    m->bytes = p->bytesize;
    m->nodes = 1;
    const CUresult r = cuMemAlloc(&m->at, m->bytes);
    if (r != CUDA_SUCCESS) return free(m), (cudaError_t)r;
    pthread_mutex_lock(&table.lock);
    m->next = table.all;
    table.all = m;
    table.reserved += m->bytes;
    if (table.reserved > table.most_reserved) table.most_reserved = table.reserved;
    pthread_mutex_unlock(&table.lock);
    p->dptr = (void *)(uintptr_t)m->at;
    *op = (struct cudart_op){.kind = OP_ALLOC, .memory = m};
    return cudaSuccess;
}

cudaError_t graph_free_op(void *p, struct cudart_op *op) {
    pthread_mutex_lock(&table.lock);
    struct graph_memory *m = find((CUdeviceptr)(uintptr_t)p);
    pthread_mutex_unlock(&table.lock);
    *op = (struct cudart_op){.kind = OP_FREE, .memory = m};
    return m ? cudaSuccess : cudaErrorInvalidValue;
}

void graph_memory_keep(struct graph_memory *m) {
    pthread_mutex_lock(&table.lock);
    m->nodes++;
    pthread_mutex_unlock(&table.lock);
}

// With the lock held: whether nobody needs it any more; then it leaves the table.
static bool leaves(struct graph_memory *m) {
    if (m->nodes || m->in_use) return false;
    table.reserved -= m->bytes;
    struct graph_memory **at = &table.all;
    while (*at != m) at = &(*at)->next;
    *at = m->next;
    return true;
}
static CUresult give_back(struct graph_memory *m) {
    const CUresult r = cuMemFree(m->at);
    free(m);
    return r;
}

void graph_memory_drop(struct graph_memory *m) {
    pthread_mutex_lock(&table.lock);
    m->nodes--;
    const bool gone = leaves(m);
    pthread_mutex_unlock(&table.lock);
    if (gone) give_back(m);
}

CUresult graph_memory_do(const struct cudart_op *op) {
    pthread_mutex_lock(&table.lock);
    // neither twice in use nor free twice
    const bool ok = op->memory->in_use == (op->kind == OP_FREE);
    if (ok) use(op->memory, op->kind == OP_ALLOC);
    pthread_mutex_unlock(&table.lock);
    return ok ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

void graph_memory_forget(const struct CUgraph_st *g) {
    pthread_mutex_lock(&table.lock);
    for (unsigned i = 0; i < g->n; i++)
        if (g->node[i] && g->node[i]->op.kind == OP_ALLOC) use(g->node[i]->op.memory, false);
    pthread_mutex_unlock(&table.lock);
}

// ---- in streams ---------------------------------------------------------------------------------
bool cudart_capture_alloc(cudaStream_t s, size_t bytes, void **out, cudaError_t *e) {
    if (!cudart_is_capturing(s)) return false;
    struct cudaMemAllocNodeParams p = {.bytesize = bytes};
    struct cudart_op op;
    *e = graph_alloc_op(&p, &op);
    if (*e != cudaSuccess) return true;
    if (cudart_capture(s, &op, e) && *e == cudaSuccess) *out = p.dptr;
    graph_memory_drop(op.memory);
    return true;
}

bool cudart_free_of_graph(void *p, cudaStream_t s, cudaError_t *e) {
    struct cudart_op op;
    if (cudart_is_capturing(s)) {
        *e = graph_free_op(p, &op);
        if (*e == cudaSuccess) cudart_capture(s, &op, e);
        return true;
    }
    pthread_mutex_lock(&table.lock);
    struct graph_memory *m = table.all ? find((CUdeviceptr)(uintptr_t)p) : NULL;
    *e = m && !m->in_use ? cudaErrorInvalidValue : cudaSuccess;
    if (m) use(m, false);
    const bool gone = m && leaves(m);
    pthread_mutex_unlock(&table.lock);
    if (gone) *e = (cudaError_t)give_back(m);
    return m != NULL;
}

// ---- by hand ------------------------------------------------------------------------------------
CUDART_API cudaError_t cudaGraphAddMemAllocNode(CUgraphNode *out, CUgraph g,
                                                const CUgraphNode *depends, size_t n,
                                                struct cudaMemAllocNodeParams *p) {
    CUDART_READY();
    if (!g || !p || !p->bytesize) return cudart_error(cudaErrorInvalidValue);
    struct cudart_op op;
    const cudaError_t e = graph_alloc_op(p, &op);
    if (e != cudaSuccess) return cudart_error(e);
    CUgraphNode node = graph_add(g, &op, depends, n);
    graph_memory_drop(op.memory);
    if (out) *out = node;
    return cudart_error(node ? cudaSuccess : cudaErrorMemoryAllocation);
}
CUDART_API cudaError_t cudaGraphMemAllocNodeGetParams(CUgraphNode node,
                                                      struct cudaMemAllocNodeParams *p) {
    if (node->op.kind != OP_ALLOC) return cudart_error(cudaErrorInvalidValue);
    enum { PINNED = 1, DEVICE = 1 };
    *p =
        (struct cudaMemAllocNodeParams){.poolProps = {.allocType = PINNED, .location = {DEVICE, 0}},
                                        .bytesize = node->op.memory->bytes,
                                        .dptr = (void *)(uintptr_t)node->op.memory->at};
    return cudaSuccess;
}
CUDART_API cudaError_t cudaGraphAddMemFreeNode(CUgraphNode *out, CUgraph g,
                                               const CUgraphNode *depends, size_t n, void *p) {
    struct cudart_op op;
    const cudaError_t e = g ? graph_free_op(p, &op) : cudaErrorInvalidValue;
    if (e != cudaSuccess) return cudart_error(e);
    CUgraphNode node = graph_add(g, &op, depends, n);
    if (out) *out = node;
    return cudart_error(node ? cudaSuccess : cudaErrorMemoryAllocation);
}
CUDART_API cudaError_t cudaGraphMemFreeNodeGetParams(CUgraphNode node, void *out) {
    if (node->op.kind != OP_FREE) return cudart_error(cudaErrorInvalidValue);
    *(void **)out = (void *)(uintptr_t)node->op.memory->at;
    return cudaSuccess;
}

// ---- how much -----------------------------------------------------------------------------------
enum { USED, MOST_USED, RESERVED, MOST_RESERVED };
CUDART_API cudaError_t cudaDeviceGetGraphMemAttribute(int device, int attribute, void *value) {
    if (device != 0) return cudart_error(cudaErrorInvalidDevice);
    if (!value || attribute < USED || attribute > MOST_RESERVED)
        return cudart_error(cudaErrorInvalidValue);
    pthread_mutex_lock(&table.lock);
    const uint64_t now[] = {table.used, table.most_used, table.reserved, table.most_reserved};
    pthread_mutex_unlock(&table.lock);
    memcpy(value, &now[attribute], sizeof now[attribute]);
    return cudaSuccess;
}
// The most there was may be set back to what there is.
CUDART_API cudaError_t cudaDeviceSetGraphMemAttribute(int device, int attribute, void *value) {
    if (device != 0) return cudart_error(cudaErrorInvalidDevice);
    if (!value || (attribute != MOST_USED && attribute != MOST_RESERVED))
        return cudart_error(cudaErrorInvalidValue);
    pthread_mutex_lock(&table.lock);
    if (attribute == MOST_USED) table.most_used = table.used;
    else table.most_reserved = table.reserved;
    pthread_mutex_unlock(&table.lock);
    return cudaSuccess;
}
CUDART_API cudaError_t cudaDeviceGraphMemTrim(int device) { // nothing is kept beyond its graph
    return cudart_error(device == 0 ? cudaSuccess : cudaErrorInvalidDevice);
}
