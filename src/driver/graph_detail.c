// Attributes of kernels in graphs, objects of the program's that graphs keep, and pictures of
// graphs.
#include "driver/graph.h"

// ---- attributes ---------------------------------------------------------------------------------
static bool is_kernel(CUgraphNode n) {
    return DRIVER_IS(TAG_GRAPH_NODE, n) && n->op.kind == OP_KERNEL;
}
CUresult cuGraphKernelNodeSetAttribute(CUgraphNode node, CUkernelNodeAttrID id,
                                       const CUkernelNodeAttrValue *value) {
    DRIVER_ENTER(NEED_INIT);
    if (!is_kernel(node) || !value || (unsigned)id >= GRAPH_ATTRIBUTES)
        DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    struct policy_window window;
    if (id == CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW) {
        if (!driver_window(&value->accessPolicyWindow, &window))
            DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
        node->op.kernel.shape.window = window;
    }
    node->attribute[id] = *value;
    if (id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE)
        node->op.kernel.shape.cooperative = value->cooperative != 0;
    if (id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION) {
        node->op.kernel.shape.cluster[0] = value->clusterDim.x;
        node->op.kernel.shape.cluster[1] = value->clusterDim.y;
        node->op.kernel.shape.cluster[2] = value->clusterDim.z;
    }
    DRIVER_LEAVE(CUDA_SUCCESS);
}
CUresult cuGraphKernelNodeGetAttribute(CUgraphNode node, CUkernelNodeAttrID id,
                                       CUkernelNodeAttrValue *value) {
    DRIVER_ENTER(NEED_INIT);
    if (!is_kernel(node) || !value || (unsigned)id >= GRAPH_ATTRIBUTES)
        DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    *value = node->attribute[id];
    const struct driver_shape *const shape = &node->op.kernel.shape;
    if (id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE) value->cooperative = shape->cooperative;
    if (id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION) {
        value->clusterDim.x = shape->cluster[0];
        value->clusterDim.y = shape->cluster[1];
        value->clusterDim.z = shape->cluster[2];
    }
    DRIVER_LEAVE(CUDA_SUCCESS);
}
CUresult cuGraphKernelNodeCopyAttributes(CUgraphNode to, CUgraphNode from) {
    DRIVER_ENTER(NEED_INIT);
    if (!is_kernel(to) || !is_kernel(from)) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    if (to != from) memcpy(to->attribute, from->attribute, sizeof to->attribute);
    to->op.kernel.shape = from->op.kernel.shape;
    DRIVER_LEAVE(CUDA_SUCCESS);
}

// ---- objects ------------------------------------------------------------------------------------
struct CUuserObject_st {
    void *user;
    CUhostFn destroy;
    unsigned references; // the program's and graphs'
};
struct graph_object {
    CUuserObject object;
    unsigned references;
    struct graph_object *next;
};
static void destroy(void *object) {
    const CUuserObject o = object;
    o->destroy(o->user);
}
// The program's function may make no calls of the API, as any host function.
static void release(CUuserObject o, unsigned n) {
    o->references -= n < o->references ? n : o->references;
    if (o->references) return;
    driver_handle_remove(TAG_USER_OBJECT, DRIVER_KEY(o));
    process_call_out(destroy, o);
    free(o);
}
static bool keep(struct CUgraph_st *g, CUuserObject o, unsigned n) {
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
        k->object->references += k->references;
    }
    return true;
}
// What was launched of the graph may use the object: its end is told when that is done.
void graph_objects_drop(struct CUgraph_st *g) {
    while (g->objects) {
        struct graph_object *const k = g->objects;
        g->objects = k->next;
        if (k->object->references <= k->references && driver_get()->gpu)
            driver_result(gpu_synchronize(driver_get()->gpu, process_diags()));
        release(k->object, k->references);
        free(k);
    }
}
CUresult cuUserObjectCreate(CUuserObject *out, void *user, CUhostFn function,
                            unsigned int references, unsigned int flags) {
    (void)flags;
    DRIVER_ENTER(NEED_INIT);
    if (!out || !function || !references) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    CUuserObject o = malloc(sizeof *o);
    if (!o || !driver_handle_add(TAG_USER_OBJECT, DRIVER_KEY(o))) {
        free(o);
        DRIVER_LEAVE(CUDA_ERROR_OUT_OF_MEMORY);
    }
    *o = (struct CUuserObject_st){user, function, references};
    *out = o;
    DRIVER_LEAVE(CUDA_SUCCESS);
}
CUresult cuUserObjectRetain(CUuserObject o, unsigned int n) {
    DRIVER_ENTER(NEED_INIT);
    if (!DRIVER_IS(TAG_USER_OBJECT, o) || !n) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    o->references += n;
    DRIVER_LEAVE(CUDA_SUCCESS);
}
CUresult cuUserObjectRelease(CUuserObject o, unsigned int n) {
    DRIVER_ENTER(NEED_INIT);
    if (!DRIVER_IS(TAG_USER_OBJECT, o) || !n) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    release(o, n);
    DRIVER_LEAVE(CUDA_SUCCESS);
}
CUresult cuGraphRetainUserObject(CUgraph g, CUuserObject o, unsigned int n, unsigned int flags) {
    DRIVER_ENTER(NEED_INIT);
    if (!DRIVER_IS(TAG_GRAPH, g) || !DRIVER_IS(TAG_USER_OBJECT, o) || !n)
        DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    if (!keep(g, o, n)) DRIVER_LEAVE(CUDA_ERROR_OUT_OF_MEMORY);
    // moved: the program's own references become the graph's
    if (!(flags & CU_GRAPH_USER_OBJECT_MOVE)) o->references += n;
    DRIVER_LEAVE(CUDA_SUCCESS);
}
CUresult cuGraphReleaseUserObject(CUgraph g, CUuserObject o, unsigned int n) {
    DRIVER_ENTER(NEED_INIT);
    if (!DRIVER_IS(TAG_GRAPH, g)) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    for (struct graph_object **at = &g->objects; *at; at = &(*at)->next) {
        struct graph_object *const k = *at;
        if (k->object != o || k->references < n) continue;
        k->references -= n;
        if (!k->references) {
            *at = k->next;
            free(k);
        }
        release(o, n);
        DRIVER_LEAVE(CUDA_SUCCESS);
    }
    DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
}

// ---- a picture (Graphviz) -----------------------------------------------------------------------
CUresult cuGraphDebugDotPrint(CUgraph g, const char *path, unsigned int flags) {
    static const char *const name[] = {
        [OP_KERNEL] = "kernel",      [OP_COPY] = "copy",          [OP_FILL] = "fill",
        [OP_HOST] = "host function", [OP_EVENT_RECORD] = "event", [OP_EVENT_WAIT] = "wait",
        [OP_EMPTY] = "empty",        [OP_CHILD] = "graph",        [OP_ALLOC] = "allocation",
        [OP_FREE] = "free"};
    (void)flags;
    DRIVER_ENTER(NEED_INIT);
    if (!DRIVER_IS(TAG_GRAPH, g) || !path) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    FILE *const f = fopen(path, "w");
    if (!f) DRIVER_LEAVE(CUDA_ERROR_OPERATING_SYSTEM);
    fputs("digraph {\n", f);
    for (unsigned i = 0; i < g->n; i++) {
        const struct CUgraphNode_st *n = g->node[i];
        if (!n) continue;
        const bool is_known = n->op.kind == OP_KERNEL && DRIVER_IS(TAG_FUNCTION, n->op.kernel.f);
        fprintf(f, "  n%u [shape=box,label=\"%u: %s %s\"];\n", i, i, name[n->op.kind],
                is_known ? gpu_kernel_name(n->op.kernel.f->kernel) : "");
        for (unsigned k = 0; k < n->n_depends; k++) fprintf(f, "  n%u -> n%u;\n", n->depends[k], i);
    }
    fputs("}\n", f);
    DRIVER_LEAVE(fclose(f) == 0 ? CUDA_SUCCESS : CUDA_ERROR_OPERATING_SYSTEM);
}
