// b+tree, host: builds the tree from sorted keys, level by level, then one launch of each kernel.
#include <limits.h>
#include <stdlib.h>

#include "host.h"
#include "sizes.h"

static const struct host_param params[] = {
    {"KEYS", 1, 1 << 24, "keys in the tree"},
    {"LOOKUPS", 1, 100000, "queries for one key"},
    {"RANGES", 1, 100000, "queries for a range of keys"},
};
static const struct host_program program = {"b+tree", params, HOST_COUNT(params), host_sizes,
                                            HOST_COUNT(host_sizes)};

// Entries of a node, of which half are used as it is built, and its words: order + 1 keys, then as
// many children. Kernels of compute capability 7.0 have smaller nodes.
struct shape {
    size_t order, words;
};
static struct shape shape_of(const struct host *h) {
    return h->volta ? (struct shape){256, 2 * 257 + 3} : (struct shape){508, 2 * 509};
}

// Parents of the nodes [first, end), or leaves of the keys if there are none yet; returns how many
// nodes there are then. A parent's entry has the lowest key below it.
static size_t add_level(struct shape shape, int32_t *nodes, size_t first, size_t end,
                        const int32_t *keys, size_t key_count) {
    const size_t below = keys ? key_count : end - first, fill = shape.order / 2;
    size_t made = end;
    for (size_t done = 0; done < below; done += fill, made++) {
        int32_t *const node = nodes + made * shape.words;
        for (size_t k = 0; k <= shape.order; k++) {
            const bool used = k < fill && done + k < below;
            const size_t child = keys ? done + k : first + done + k;
            node[k] = !used ? INT_MAX : keys ? keys[child] : nodes[child * shape.words];
            node[shape.order + 1 + k] = used ? (int32_t)child : 0;
        }
    }
    return made;
}

// Sorted keys with a record each, and the tree over them: leaves first, the root last.
struct tree {
    int32_t *keys, *records;
    size_t key_count;
    struct shape shape;
    int32_t *nodes;
    size_t node_count;
    int64_t height;
};

static struct tree make_tree(struct host *h, size_t key_count) {
    struct tree t = {.key_count = key_count, .shape = shape_of(h)};
    t.keys = host_memory(key_count, sizeof *t.keys);
    t.records = host_memory(key_count, sizeof *t.records);
    for (size_t i = 0; i < key_count; i++) {
        t.keys[i] = (i ? t.keys[i - 1] : 0) + 1 + (int32_t)host_random_below(h, 4);
        t.records[i] = (int32_t)host_random_below(h, INT_MAX);
    }
    t.nodes =
        host_memory((2 * (key_count / (t.shape.order / 2)) + 32) * t.shape.words, sizeof *t.nodes);
    size_t first = 0;
    t.node_count = add_level(t.shape, t.nodes, 0, 0, t.keys, key_count);
    for (; t.node_count - first > 1; t.height++) {
        const size_t more = add_level(t.shape, t.nodes, first, t.node_count, NULL, 0);
        first = t.node_count;
        t.node_count = more;
    }
    return t;
}

// What is asked, and what the GPU answers.
struct queries {
    size_t lookups, ranges;
    int32_t *sought, *answer;
    int32_t *from, *to, *start, *length;
};

// One look-up in eight is for a key that is not there (none in the measured program); its answer stays
// -1. Ranges begin and end at keys.
static struct queries make_queries(struct host *h, const struct tree *t, size_t lookups,
                                   size_t ranges) {
    struct queries q = {.lookups = lookups, .ranges = ranges};
    q.sought = host_memory(lookups, sizeof *q.sought);
    q.answer = host_memory(lookups, sizeof *q.answer);
    for (size_t i = 0; i < lookups; i++) {
        const bool there = host_random_below(h, 8) > 0 || h->volta;
        const int32_t key = t->keys[host_random_below(h, (uint32_t)t->key_count)];
        q.sought[i] = there ? key : key + 1;
        q.answer[i] = -1;
    }
    q.from = host_memory(ranges, sizeof *q.from);
    q.to = host_memory(ranges, sizeof *q.to);
    q.start = host_memory(ranges, sizeof *q.start);
    q.length = host_memory(ranges, sizeof *q.length);
    for (size_t i = 0; i < ranges; i++) {
        const uint32_t a = host_random_below(h, (uint32_t)t->key_count);
        q.from[i] = t->keys[a];
        q.to[i] = t->keys[a + host_random_below(h, (uint32_t)(t->key_count - a))];
    }
    return q;
}

static void ask_the_gpu(struct host *h, struct tree *t, struct queries *q) {
    const size_t lookups = q->lookups, ranges = q->ranges;
    const size_t most = lookups > ranges ? lookups : ranges;
    int64_t *roots = host_memory(most, sizeof *roots);
    for (size_t i = 0; i < most; i++) roots[i] = (int64_t)t->node_count - 1;
    CUdeviceptr nodes = host_upload(h, t->nodes, t->node_count * t->shape.words * sizeof *t->nodes);
    CUdeviceptr records = host_upload(h, t->records, t->key_count * sizeof *t->records);
    CUdeviceptr current = host_upload(h, roots, most * sizeof *roots);
    CUdeviceptr next = host_upload(h, roots, most * sizeof *roots);
    CUdeviceptr sought = host_upload(h, q->sought, lookups * sizeof *q->sought);
    CUdeviceptr answer = host_upload(h, q->answer, lookups * sizeof *q->answer);
    const struct dim block = {(unsigned)t->shape.order};
    host_launch(host_kernel(h, "findK"), (struct dim){(unsigned)lookups}, block, 0, &t->height,
                &nodes, &records, &current, &next, &sought, &answer);
    host_read(q->answer, answer, lookups * sizeof *q->answer);

    host_write(current, roots, most * sizeof *roots);
    host_write(next, roots, most * sizeof *roots);
    CUdeviceptr last_current = host_upload(h, roots, most * sizeof *roots);
    CUdeviceptr last_next = host_upload(h, roots, most * sizeof *roots);
    CUdeviceptr from = host_upload(h, q->from, ranges * sizeof *q->from);
    CUdeviceptr to = host_upload(h, q->to, ranges * sizeof *q->to);
    CUdeviceptr start = host_upload(h, q->start, ranges * sizeof *q->start);
    CUdeviceptr length = host_upload(h, q->length, ranges * sizeof *q->length);
    host_launch(host_kernel(h, "findRangeK"), (struct dim){(unsigned)ranges}, block, 0, &t->height,
                &nodes, &current, &next, &last_current, &last_next, &from, &to, &start, &length);
    host_read(q->start, start, ranges * sizeof *q->start);
    host_read(q->length, length, ranges * sizeof *q->length);
    free(roots);
}

// Each key's place in an array of all numbers up to the last. Exact.
static void check(struct host *h, const struct tree *t, const struct queries *q) {
    int32_t *want = host_memory(q->lookups, sizeof *want);
    int32_t *want_start = host_memory(q->ranges, sizeof *want_start);
    int32_t *want_length = host_memory(q->ranges, sizeof *want_length);
    const size_t top = (size_t)t->keys[t->key_count - 1] + 2;
    int32_t *at = host_memory(top, sizeof *at); // one more than the place; 0: no key
    for (size_t i = 0; i < t->key_count; i++) at[t->keys[i]] = (int32_t)i + 1;
    for (size_t i = 0; i < q->lookups; i++)
        want[i] = at[q->sought[i]] ? t->records[at[q->sought[i]] - 1] : -1;
    for (size_t i = 0; i < q->ranges; i++) {
        want_start[i] = at[q->from[i]] - 1;
        want_length[i] = at[q->to[i]] - at[q->from[i]] + 1;
    }
    host_check_int(h, "records", q->answer, want, q->lookups);
    host_check_int(h, "starts", q->start, want_start, q->ranges);
    host_check_int(h, "lengths", q->length, want_length, q->ranges);
    free(want);
    free(want_start);
    free(want_length);
    free(at);
}

int main(int argc, char **argv) {
    struct host h;
    host_open(&h, argc, argv, &program);
    struct tree t = make_tree(&h, (size_t)h.arg[0]);
    struct queries q = make_queries(&h, &t, (size_t)h.arg[1], (size_t)h.arg[2]);
    ask_the_gpu(&h, &t, &q);
    check(&h, &t, &q);
    free(t.keys);
    free(t.records);
    free(t.nodes);
    free(q.sought);
    free(q.answer);
    free(q.from);
    free(q.to);
    free(q.start);
    free(q.length);
    return host_close(&h);
}
