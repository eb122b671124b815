// Attributes of kernels in graphs, objects of the program's that graphs keep, and pictures of
// graphs.
#include "cudart/graph.h"

// ---- attributes ---------------------------------------------------------------------------------
CUDART_API cudaError_t cudaGraphKernelNodeSetAttribute(CUgraphNode node, int id,
                                                       const CUlaunchAttributeValue *value) {
    if (node->op.kind != OP_KERNEL || !value || id < 0 || id >= GRAPH_ATTRIBUTES)
        return cudart_error(cudaErrorInvalidValue);
    node->attribute[id] = *value;
    if (id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE)
        node->op.kernel.cooperative = value->cooperative != 0;
    return cudaSuccess;
}
CUDART_API cudaError_t cudaGraphKernelNodeGetAttribute(CUgraphNode node, int id,
                                                       CUlaunchAttributeValue *value) {
    if (node->op.kind != OP_KERNEL || !value || id < 0 || id >= GRAPH_ATTRIBUTES)
        return cudart_error(cudaErrorInvalidValue);
    *value = node->attribute[id];
    if (id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE) value->cooperative = node->op.kernel.cooperative;
    return cudaSuccess;
}
CUDART_API cudaError_t cudaGraphKernelNodeCopyAttributes(CUgraphNode to, CUgraphNode from) {
    if (to->op.kind != OP_KERNEL || from->op.kind != OP_KERNEL)
        return cudart_error(cudaErrorInvalidValue);
    memcpy(to->attribute, from->attribute, sizeof to->attribute);
    to->op.kernel.cooperative = from->op.kernel.cooperative;
    return cudaSuccess;
}

// ---- objects ------------------------------------------------------------------------------------
typedef struct user_object {
    void *user;
    cudaHostFn_t destroy;
    unsigned references; // the program's and graphs'
} *cudaUserObject_t;
struct graph_object {
    cudaUserObject_t object;
    unsigned references;
    struct graph_object *next;
};
static void release(cudaUserObject_t o, unsigned n) {
    if (__atomic_sub_fetch(&o->references, n, __ATOMIC_ACQ_REL)) return;
    o->destroy(o->user);
    free(o);
}
static bool keep(struct CUgraph_st *g, cudaUserObject_t o, unsigned n) {
    for (struct graph_object *k = g->objects; k; k = k->next)
        if (k->object == o) return k->references += n, true;
    struct graph_object *k = malloc(sizeof *k);
    if (!k) return false;
    *k = (struct graph_object){o, n, g->objects};
    g->objects = k;
    return true;
}
bool graph_objects_copy(struct CUgraph_st *to, const struct CUgraph_st *from) {
    for (const struct graph_object *k = from->objects; k; k = k->next) {
        if (!keep(to, k->object, k->references)) return false;
        __atomic_add_fetch(&k->object->references, k->references, __ATOMIC_ACQ_REL);
    }
    return true;
}
void graph_objects_drop(struct CUgraph_st *g) {
    while (g->objects) {
        struct graph_object *const k = g->objects;
        g->objects = k->next;
        release(k->object, k->references);
        free(k);
    }
}
CUDART_API cudaError_t cudaUserObjectCreate(cudaUserObject_t *out, void *user, cudaHostFn_t destroy,
                                            unsigned references, unsigned flags) {
    (void)flags;
    if (!out || !destroy || !references) return cudart_error(cudaErrorInvalidValue);
    cudaUserObject_t o = malloc(sizeof *o);
    if (!o) return cudart_error(cudaErrorMemoryAllocation);
    *o = (struct user_object){user, destroy, references};
    *out = o;
    return cudaSuccess;
}
CUDART_API cudaError_t cudaUserObjectRetain(cudaUserObject_t o, unsigned n) {
    if (!o || !n) return cudart_error(cudaErrorInvalidValue);
    __atomic_add_fetch(&o->references, n, __ATOMIC_ACQ_REL);
    return cudaSuccess;
}
CUDART_API cudaError_t cudaUserObjectRelease(cudaUserObject_t o, unsigned n) {
    if (!o || !n) return cudart_error(cudaErrorInvalidValue);
    release(o, n);
    return cudaSuccess;
}
CUDART_API cudaError_t cudaGraphRetainUserObject(CUgraph g, cudaUserObject_t o, unsigned n,
                                                 unsigned flags) {
    enum { MOVE = 1 }; // the program's own references become the graph's
    if (!g || !o || !n) return cudart_error(cudaErrorInvalidValue);
    if (!keep(g, o, n)) return cudart_error(cudaErrorMemoryAllocation);
    return flags & MOVE ? cudaSuccess : cudaUserObjectRetain(o, n);
}
CUDART_API cudaError_t cudaGraphReleaseUserObject(CUgraph g, cudaUserObject_t o, unsigned n) {
    for (struct graph_object **at = g ? &g->objects : NULL; at && *at; at = &(*at)->next) {
        struct graph_object *const k = *at;
        if (k->object != o || k->references < n) continue;
        k->references -= n;
        if (!k->references) {
            *at = k->next;
            free(k);
        }
        release(o, n);
        return cudaSuccess;
    }
    return cudart_error(cudaErrorInvalidValue);
}

// ---- a picture (Graphviz) -----------------------------------------------------------------------
CUDART_API cudaError_t cudaGraphDebugDotPrint(CUgraph g, const char *path, unsigned flags) {
    static const char *const name[] = {
        [OP_KERNEL] = "kernel",      [OP_COPY] = "copy",          [OP_FILL] = "fill",
        [OP_HOST] = "host function", [OP_EVENT_RECORD] = "event", [OP_EVENT_WAIT] = "wait",
        [OP_EMPTY] = "empty",        [OP_CHILD] = "graph",        [OP_ALLOC] = "allocation",
        [OP_FREE] = "free"};
    (void)flags;
    FILE *const f = g && path ? fopen(path, "w") : NULL;
    if (!f) return cudart_error(cudaErrorOperatingSystem);
    fputs("digraph {\n", f);
    for (unsigned i = 0; i < g->n; i++) {
        const struct CUgraphNode_st *n = g->node[i];
        if (!n) continue;
        const char *kernel = "";
        if (n->op.kind == OP_KERNEL && cuFuncGetName(&kernel, n->op.kernel.f) != CUDA_SUCCESS)
            kernel = "";
        fprintf(f, "  n%u [shape=box,label=\"%u: %s %s\"];\n", i, i, name[n->op.kind], kernel);
        for (unsigned k = 0; k < n->n_depends; k++) fprintf(f, "  n%u -> n%u;\n", n->depends[k], i);
    }
    fputs("}\n", f);
    return cudart_error(fclose(f) == 0 ? cudaSuccess : cudaErrorOperatingSystem);
}
