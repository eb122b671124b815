// The graph interface (cudnnBackend...): descriptions as lists of attributes, graphs of operations, and one engine that runs them
// in order. Operations here: the three convolutions, and functions of elements; what lies between them is kept in the work area.
#include "graph.h"

static void drop(descriptor_t d);
static void clear(struct attribute *a) {
    if (a->type == TYPE_DESCRIPTOR)
        for (int64_t i = 0; i < a->count; i++) drop(((descriptor_t *)a->values)[i]);
    free(a->values);
    a->values = NULL;
    a->count = 0;
}
static void drop(descriptor_t d) {
    if (!d || atomic_fetch_sub(&d->holders, 1) > 1) return;
    for (int i = 0; i < d->count; i++) clear(&d->attributes[i]);
    free(d->attributes);
    free(d);
}

API(cudnnBackendCreateDescriptor, int kind, descriptor_t *out) {
    if (!out) return DNN_BAD_PARAM;
    if (kind < 0 || kind >= KINDS)
        return dnn_refuse("cudnnBackendCreateDescriptor", "descriptions of kind %d", kind);
    *out = calloc(1, sizeof **out);
    if (!*out) return DNN_ALLOC_FAILED;
    (*out)->kind = kind;
    (*out)->holders = 1;
    return DNN_SUCCESS;
}
API(cudnnBackendDestroyDescriptor, descriptor_t d) {
    drop(d);
    return DNN_SUCCESS;
}
API(cudnnBackendInitialize, descriptor_t d) { return d ? DNN_SUCCESS : DNN_BAD_PARAM; }

API(cudnnBackendSetAttribute, descriptor_t d, int name, int type, int64_t count,
    const void *values) {
    const size_t bytes = bytes_of_type(type);
    if (!d || d->is_final || !bytes || count < 0 || (count && !values)) return DNN_BAD_PARAM;
    struct attribute *a = find(d, name);
    if (!a) {
        struct attribute *const more =
            realloc(d->attributes, (size_t)(d->count + 1) * sizeof *more);
        if (!more) return DNN_ALLOC_FAILED;
        d->attributes = more;
        a = &more[d->count++];
        *a = (struct attribute){.name = name};
    }
    void *const copy = malloc((size_t)count * bytes + 1);
    if (!copy) return DNN_ALLOC_FAILED;
    if (count) memcpy(copy, values, (size_t)count * bytes);
    if (type == TYPE_DESCRIPTOR)
        for (int64_t i = 0; i < count; i++) {
            const descriptor_t other = ((descriptor_t *)copy)[i];
            if (other) atomic_fetch_add(&other->holders, 1);
        }
    clear(a);
    a->type = type;
    a->count = count;
    a->values = copy;
    return DNN_SUCCESS;
}

// ---- graphs -------------------------------------------------------------------------------------------
static bool conv_of(const struct descriptor *op, struct dnn_conv *c, descriptor_t tensor[3]) {
    static const int names[3][6] = {
        {FORWARD_X, FORWARD_W, FORWARD_Y, FORWARD_CONVOLUTION, FORWARD_ALPHA, FORWARD_BETA},
        {FILTER_X, FILTER_DW, FILTER_DY, FILTER_CONVOLUTION, FILTER_ALPHA, FILTER_BETA},
        {DATA_DX, DATA_W, DATA_DY, DATA_CONVOLUTION, DATA_ALPHA, DATA_BETA}};
    const int *const n = names[op->kind - KIND_OPERATION_FORWARD];
    const struct descriptor *const how = find_descriptor(op, n[3]);
    *c = (struct dnn_conv){.direction = op->kind == KIND_OPERATION_FORWARD  ? DNN_FORWARD
                                        : op->kind == KIND_OPERATION_FILTER ? DNN_TO_FILTER
                                                                            : DNN_TO_DATA,
                           .alpha = real(op, n[4], 1),
                           .beta = real(op, n[5], 0),
                           .is_flipped =
                               whole(how, CONVOLUTION_MODE, MODE_CORRELATION) == MODE_CONVOLUTION};
    for (int i = 0; i < 3; i++) tensor[i] = find_descriptor(op, n[i]);
    const int64_t rank = whole(how, CONVOLUTION_RANK, 0);
    return how && rank >= 1 && rank <= 3 && tensor_of(tensor[0], &c->x) &&
           tensor_of(tensor[1], &c->w) && tensor_of(tensor[2], &c->y) && c->x.rank == rank + 2 &&
           list(how, CONVOLUTION_PADS, c->pad, rank) &&
           list(how, CONVOLUTION_STRIDES, c->stride, rank) &&
           list(how, CONVOLUTION_DILATIONS, c->dilation, rank);
}

// NULL where the engine can run the graph, else what it asks for that is not here.
static const char *graph_lacks(const struct descriptor *graph) {
    const struct attribute *const ops = find(graph, GRAPH_OPERATIONS);
    if (!ops || !ops->count) return "a graph without operations";
    if (graph_is_general(graph)) return graph_general_lacks(graph);
    for (int64_t i = 0; i < ops->count; i++) {
        const struct descriptor *const op = ((descriptor_t *)ops->values)[i];
        descriptor_t tensor[3];
        struct dnn_conv c;
        struct point p;
        switch (op->kind) {
        case KIND_OPERATION_FORWARD:
        case KIND_OPERATION_FILTER:
        case KIND_OPERATION_DATA: {
            if (!conv_of(op, &c, tensor)) return "a convolution of which something is not said";
            const char *const lacks = dnn_conv_lacks(&c);
            if (lacks) return lacks;
            break;
        }
        case KIND_OPERATION_POINTWISE:
            if (!point_of(op, &p, tensor) || !is_point_here(p.mode))
                return "a function of elements";
            break;
        default: return "an operation that is neither a convolution nor a function of elements";
        }
        for (int k = 0; k < 3; k++)
            if (tensor[k] &&
                (whole(tensor[k], TENSOR_VECTOR, 1) != 1 || whole(tensor[k], TENSOR_IS_VALUE, 0)))
                return "tensors of vectors, or given by value";
    }
    return NULL;
}

// Where a graph's virtual tensors lie in the work area: one after another, each once. Returns the bytes of all.
enum { ROUND = 256 };
static size_t rounded(size_t bytes) { return (bytes + ROUND - 1) / ROUND * ROUND; }
static void tensors_of(const struct descriptor *op, descriptor_t tensor[3]) {
    struct dnn_conv c;
    struct point p;
    if (op->kind == KIND_OPERATION_POINTWISE)
        point_of(op, &p, tensor);
    else
        conv_of(op, &c, tensor);
}
static size_t virtual_bytes(const struct descriptor *graph, const struct descriptor *of,
                            size_t *at) {
    const struct attribute *const ops = find(graph, GRAPH_OPERATIONS);
    size_t sum = 0;
    for (int64_t i = 0; i < ops->count; i++) {
        descriptor_t tensor[3];
        const struct descriptor *const op = ((descriptor_t *)ops->values)[i];
        tensors_of(op, tensor);
        // an operation makes the last of its three; those of other names are a filter's or an image's gradient
        const int made = op->kind == KIND_OPERATION_FILTER ? 1
                         : op->kind == KIND_OPERATION_DATA ? 0
                                                           : 2;
        struct dnn_tensor t;
        if (!whole(tensor[made], TENSOR_IS_VIRTUAL, 0) || !tensor_of(tensor[made], &t)) continue;
        if (of && whole(tensor[made], TENSOR_UID, 0) == whole(of, TENSOR_UID, 0)) *at = sum;
        sum += rounded(dnn_bytes(&t));
    }
    return sum;
}
static size_t graph_workspace(struct blas_handle *h, const struct descriptor *graph) {
    const struct attribute *const ops = find(graph, GRAPH_OPERATIONS);
    size_t most = 0;
    for (int64_t i = 0; i < ops->count; i++) {
        const struct descriptor *const op = ((descriptor_t *)ops->values)[i];
        struct dnn_conv c;
        descriptor_t tensor[3];
        if (op->kind == KIND_OPERATION_POINTWISE || !conv_of(op, &c, tensor)) continue;
        const size_t bytes = dnn_conv_workspace(h, &c);
        if (bytes > most) most = bytes;
    }
    return virtual_bytes(graph, NULL, NULL) + most;
}
// Whether a graph has convolutions of single precision, which an engine of its own makes of elements rounded to eleven bits: the first
// one, whose note of tensor cores lets a program that wants none of that choose the second.
static bool graph_rounds(const struct descriptor *graph) {
    if (graph_is_general(graph)) return false;
    const struct attribute *const ops = find(graph, GRAPH_OPERATIONS);
    for (int64_t i = 0; ops && i < ops->count; i++) {
        const struct descriptor *const op = ((descriptor_t *)ops->values)[i];
        descriptor_t tensor[3];
        struct dnn_conv c;
        if (op->kind >= KIND_OPERATION_FORWARD && op->kind <= KIND_OPERATION_DATA &&
            conv_of(op, &c, tensor) && c.x.type == DNN_FLOAT)
            return true;
    }
    return false;
}
enum { ROUNDING_ENGINE = 0, NOTE_TENSOR_CORE = 0 }; // cudnnBackendNumericalNote_t

static const struct descriptor *engine_of_plan(const struct descriptor *plan) {
    return find_descriptor(find_descriptor(plan, PLAN_CONFIG), CONFIG_ENGINE);
}
static const struct descriptor *graph_of_plan(const struct descriptor *plan) {
    return find_descriptor(engine_of_plan(plan), ENGINE_GRAPH);
}

API(cudnnBackendFinalize, descriptor_t d) {
    if (!d) return DNN_BAD_PARAM;
    struct dnn_tensor t;
    if (d->kind == KIND_TENSOR && !tensor_of(d, &t)) return DNN_BAD_PARAM;
    if (d->kind == KIND_ENGINE) {
        const struct descriptor *const graph = find_descriptor(d, ENGINE_GRAPH);
        if (!graph) return DNN_BAD_PARAM;
        const int64_t index = whole(d, ENGINE_INDEX, 0);
        if (index < 0 || index > graph_rounds(graph)) return DNN_BAD_PARAM;
        const char *const lacks = graph_lacks(graph);
        if (lacks) return dnn_refuse("cudnnBackendFinalize", "%s", lacks);
    }
    const struct attribute *const text = d->kind == KIND_PLAN ? find(d, PLAN_TEXT) : NULL;
    if (text && !find(d, PLAN_CONFIG)) { // a plan that was kept
        const descriptor_t config = graph_of_text(text->values, (size_t)text->count);
        if (!config) return DNN_BAD_PARAM;
        const dnn_status s = cudnnBackendSetAttribute(d, PLAN_CONFIG, TYPE_DESCRIPTOR, 1, &config);
        drop(config);
        if (s) return s;
    }
    if (d->kind == KIND_PLAN && !graph_of_plan(d)) return DNN_BAD_PARAM;
    d->is_final = true;
    return DNN_SUCCESS;
}

// ---- what descriptions know -----------------------------------------------------------------------------
static dnn_status give(const void *value, size_t bytes, int64_t wanted, int64_t *count, void *to) {
    if (count) *count = 1;
    if (wanted > 0 && to) memcpy(to, value, bytes);
    return DNN_SUCCESS;
}
// The engines of a graph that can be run: descriptions that the program made become their configurations.
static dnn_status results(const struct descriptor *d, int64_t wanted, int64_t *count, void *to) {
    const descriptor_t graph = find_descriptor(d, HEURISTIC_GRAPH);
    const char *const lacks = graph ? graph_lacks(graph) : "no graph";
    const int64_t engines = lacks ? 0 : 1 + graph_rounds(graph);
    if (count) *count = wanted > 0 && wanted < engines ? wanted : engines;
    // a program that asks how many there are asks for each of its modes: it is refused when it asks for the last
    dnn_status s = DNN_SUCCESS;
    for (int64_t i = 0; to && i < engines && i < wanted && !s; i++) {
        const descriptor_t config = ((descriptor_t *)to)[i];
        if (!config || config->kind != KIND_CONFIG) return DNN_BAD_PARAM;
        descriptor_t engine;
        s = cudnnBackendCreateDescriptor(KIND_ENGINE, &engine);
        if (s) return s;
        s = cudnnBackendSetAttribute(engine, ENGINE_GRAPH, TYPE_DESCRIPTOR, 1, &graph);
        if (!s) s = cudnnBackendSetAttribute(engine, ENGINE_INDEX, TYPE_INT64, 1, &i);
        if (!s) s = cudnnBackendFinalize(engine);
        config->is_final = false;
        if (!s) s = cudnnBackendSetAttribute(config, CONFIG_ENGINE, TYPE_DESCRIPTOR, 1, &engine);
        config->is_final = true;
        cudnnBackendDestroyDescriptor(engine);
    }
    return s;
}
API(cudnnBackendGetAttribute, descriptor_t d, int name, int type, int64_t wanted, int64_t *count,
    void *to) {
    if (!d || !bytes_of_type(type)) return DNN_BAD_PARAM;
    if (d->kind == KIND_HEURISTIC && name == HEURISTIC_RESULTS)
        return results(d, wanted, count, to);
    if (d->kind == KIND_GRAPH && name == GRAPH_ENGINES) {
        const int64_t engines = graph_lacks(d) ? 0 : 1 + graph_rounds(d);
        return give(&engines, sizeof engines, wanted, count, to);
    }
    if (d->kind == KIND_PLAN && name == PLAN_TEXT) {
        char *const text = d->is_final ? graph_text(find_descriptor(d, PLAN_CONFIG)) : NULL;
        if (!text) return DNN_BAD_PARAM;
        const int64_t length = (int64_t)strlen(text) + 1;
        if (count) *count = length;
        if (to) memcpy(to, text, (size_t)(wanted < length ? wanted : length));
        free(text);
        return DNN_SUCCESS;
    }
    // The work area is taken from the stream's memory: a program that tries no engines hands in none, whatever a plan asks for (XLA's).
    if (d->kind == KIND_PLAN && name == PLAN_WORKSPACE)
        return give(&(int64_t){0}, sizeof(int64_t), wanted, count, to);
    // what a configuration needs: no memory of the program's, and shared memory that any GPU has
    if (d->kind == KIND_CONFIG && name == CONFIG_WORKSPACE)
        return give(&(int64_t){0}, sizeof(int64_t), wanted, count, to);
    if (d->kind == KIND_CONFIG && name == CONFIG_SHARED)
        return give(&(int32_t){0}, sizeof(int32_t), wanted, count, to);
    if (d->kind == KIND_ENGINE && name == ENGINE_NOTES &&
        whole(d, ENGINE_INDEX, 0) == ROUNDING_ENGINE &&
        graph_rounds(find_descriptor(d, ENGINE_GRAPH))) {
        const int note = NOTE_TENSOR_CORE;
        return give(&note, sizeof note, wanted, count, to);
    }
    struct attribute *const a = find(d, name);
    // knobs, layouts and other notes: no engine has any
    if (!a) {
        if (count) *count = 0;
        return (name >= ENGINE_KNOBS && name <= ENGINE_BEHAVIOURS) || name == CONFIG_KNOBS ||
                       name == CONFIG_INTERMEDIATES
                   ? DNN_SUCCESS
                   : DNN_BAD_PARAM;
    }
    if (a->type != type) return DNN_BAD_PARAM;
    if (count) *count = a->count;
    const int64_t n = wanted < a->count ? wanted : a->count;
    if (n < 1 || !to) return DNN_SUCCESS;
    if (type != TYPE_DESCRIPTOR) {
        memcpy(to, a->values, (size_t)n * bytes_of_type(type));
        return DNN_SUCCESS;
    }
    // descriptions that the program made become copies of those that are asked for
    for (int64_t i = 0; i < n; i++) {
        const descriptor_t from = ((descriptor_t *)a->values)[i], copy = ((descriptor_t *)to)[i];
        if (!from || !copy || from->kind != copy->kind) return DNN_BAD_PARAM;
        copy->is_final = false;
        for (int k = 0; k < from->count; k++) {
            const struct attribute *const b = &from->attributes[k];
            const dnn_status s =
                cudnnBackendSetAttribute(copy, b->name, b->type, b->count, b->values);
            if (s) return s;
        }
        copy->is_final = from->is_final;
    }
    return DNN_SUCCESS;
}

// ---- running ----------------------------------------------------------------------------------------------
struct memory {
    const struct descriptor *graph, *pack;
    uint64_t workspace; // address; virtual tensors lie at its beginning
    bool may_round;     // elements of single precision, to eleven bits
};
static bool address_of(const struct memory *m, const struct descriptor *tensor, uint64_t *out) {
    if (whole(tensor, TENSOR_IS_VIRTUAL, 0)) {
        size_t at = SIZE_MAX;
        virtual_bytes(m->graph, tensor, &at);
        *out = m->workspace + at;
        return at != SIZE_MAX;
    }
    const struct attribute *const uids = find(m->pack, PACK_UIDS), *const addresses = find(
                                                                       m->pack, PACK_ADDRESSES);
    const int64_t uid = whole(tensor, TENSOR_UID, 0);
    for (int64_t i = 0; uids && addresses && i < uids->count && i < addresses->count; i++)
        if (((const int64_t *)uids->values)[i] == uid) {
            *out = ((const uint64_t *)addresses->values)[i];
            return true;
        }
    return false;
}
static dnn_status run_conv(struct blas_handle *h, const struct memory *m,
                           const struct descriptor *op) {
    struct dnn_conv c;
    descriptor_t tensor[3];
    uint64_t at[3];
    if (!conv_of(op, &c, tensor)) return DNN_BAD_PARAM;
    c.may_round = m->may_round;
    for (int i = 0; i < 3; i++)
        if (!address_of(m, tensor[i], &at[i])) return DNN_BAD_PARAM;
    c.from[0] = c.direction == DNN_TO_DATA ? at[1] : at[0];
    c.from[1] = c.direction == DNN_FORWARD ? at[1] : at[2];
    c.to = c.direction == DNN_FORWARD ? at[2] : c.direction == DNN_TO_DATA ? at[0] : at[1];
    const uint64_t area = m->workspace ? m->workspace + virtual_bytes(m->graph, NULL, NULL) : 0;
    return dnn_convolve(h, &c, area, area ? dnn_conv_workspace(h, &c) : 0);
}
static dnn_status run_point(struct blas_handle *h, const struct memory *m,
                            const struct descriptor *op) {
    struct point p;
    descriptor_t tensor[3];
    struct dnn_tensor a, b, y;
    if (!point_of(op, &p, tensor) || !tensor_of(tensor[0], &a) || !tensor_of(tensor[2], &y) ||
        (tensor[1] && !tensor_of(tensor[1], &b)))
        return DNN_BAD_PARAM;
    if (!address_of(m, tensor[0], &p.a) || !address_of(m, tensor[2], &p.y) ||
        (tensor[1] && !address_of(m, tensor[1], &p.b)))
        return DNN_BAD_PARAM;
    return dnn_points(h, "cudnnBackendExecute", &p, &a, tensor[1] ? &b : NULL, &y);
}
API(cudnnBackendExecute, blas_handle_t h, descriptor_t plan, descriptor_t pack) {
    if (!blas_is_handle(h) || !plan || !pack) return DNN_BAD_PARAM;
    struct memory m = {graph_of_plan(plan), pack, 0,
                       whole(engine_of_plan(plan), ENGINE_INDEX, 0) == ROUNDING_ENGINE};
    if (!m.graph) return DNN_NOT_FINALIZED;
    const char *const lacks = graph_lacks(m.graph);
    if (lacks) return dnn_refuse("cudnnBackendExecute", "%s", lacks);
    if (graph_is_general(m.graph)) return graph_general_run(h, m.graph, pack);
    const struct attribute *const ops = find(m.graph, GRAPH_OPERATIONS);
    const size_t bytes = graph_workspace(h, m.graph);
    CUdeviceptr work = 0;
    dnn_status s = bytes ? dnn_of(blas_of(cuMemAllocAsync(&work, bytes, h->stream))) : DNN_SUCCESS;
    m.workspace = work;
    for (int64_t i = 0; i < ops->count && !s; i++) {
        const struct descriptor *const op = ((descriptor_t *)ops->values)[i];
        s = op->kind == KIND_OPERATION_POINTWISE ? run_point(h, &m, op) : run_conv(h, &m, op);
    }
    const dnn_status freed = work ? dnn_of(blas_of(cuMemFreeAsync(work, h->stream))) : DNN_SUCCESS;
    return s ? s : freed;
}
