// b+tree, host: builds the tree from sorted keys, level by level, then one launch of each kernel.
#include <limits.h>
#include <stdlib.h>

#include "host.h"
#include "sizes.h"

enum { ORDER = 508, FILL = ORDER / 2 }; // entries of a node as it is built

static const struct host_param params[] = {
    {"KEYS", 1, 1 << 24, "keys in the tree"},
    {"LOOKUPS", 1, 100000, "queries for one key"},
    {"RANGES", 1, 100000, "queries for a range of keys"},
};
static const struct host_program program = {"b+tree", params, HOST_COUNT(params), host_sizes,
                                            HOST_COUNT(host_sizes)};

struct node {
    int32_t keys[ORDER + 1], children[ORDER + 1];
};

// Parents of the nodes [first, end), or leaves of the keys if there are none yet; returns how many
// nodes there are then. A parent's entry has the lowest key below it.
static size_t add_level(struct node *nodes, size_t first, size_t end, const int32_t *keys,
                        size_t key_count) {
    const size_t below = keys ? key_count : end - first;
    size_t made = end;
    for (size_t done = 0; done < below; done += FILL, made++) {
        for (size_t k = 0; k <= ORDER; k++) {
            const bool used = k < FILL && done + k < below;
            const size_t child = keys ? done + k : first + done + k;
            nodes[made].keys[k] = !used ? INT_MAX : keys ? keys[child] : nodes[child].keys[0];
            nodes[made].children[k] = used ? (int32_t)child : 0;
        }
    }
    return made;
}

int main(int argc, char **argv) {
    struct host h;
    host_open(&h, argc, argv, &program);
    const size_t key_count = (size_t)h.arg[0];
    const size_t lookups = (size_t)h.arg[1], ranges = (size_t)h.arg[2];

    int32_t *keys = host_memory(key_count, sizeof *keys);
    int32_t *records = host_memory(key_count, sizeof *records);
    for (size_t i = 0; i < key_count; i++) {
        keys[i] = (i ? keys[i - 1] : 0) + 1 + (int32_t)host_random_below(&h, 4);
        records[i] = (int32_t)host_random_below(&h, INT_MAX);
    }
    struct node *nodes = host_memory(2 * (key_count / FILL) + 32, sizeof *nodes);
    size_t first = 0, end = add_level(nodes, 0, 0, keys, key_count);
    int64_t height = 0;
    for (; end - first > 1; height++) {
        const size_t more = add_level(nodes, first, end, NULL, 0);
        first = end;
        end = more;
    }
    const int64_t root = (int64_t)end - 1;

    // One look-up in eight is for a key that is not there; its answer stays -1. Ranges begin and
    // end at keys.
    int32_t *sought = host_memory(lookups, sizeof *sought);
    int32_t *answer = host_memory(lookups, sizeof *answer), *want = host_memory(lookups, 4);
    for (size_t i = 0; i < lookups; i++) {
        const bool there = host_random_below(&h, 8) > 0;
        const int32_t key = keys[host_random_below(&h, (uint32_t)key_count)];
        sought[i] = there ? key : key + 1;
        answer[i] = want[i] = -1;
    }
    int32_t *from = host_memory(ranges, sizeof *from), *to = host_memory(ranges, sizeof *to);
    int32_t *start = host_memory(ranges, 4), *length = host_memory(ranges, 4);
    int32_t *want_start = host_memory(ranges, 4), *want_length = host_memory(ranges, 4);
    for (size_t i = 0; i < ranges; i++) {
        const uint32_t a = host_random_below(&h, (uint32_t)key_count);
        from[i] = keys[a];
        to[i] = keys[a + host_random_below(&h, (uint32_t)(key_count - a))];
    }

    const size_t most = lookups > ranges ? lookups : ranges;
    int64_t *roots = host_memory(most, sizeof *roots);
    for (size_t i = 0; i < most; i++) roots[i] = root;
    CUdeviceptr nodes_dev = host_upload(&h, nodes, end * sizeof *nodes);
    CUdeviceptr records_dev = host_upload(&h, records, key_count * sizeof *records);
    CUdeviceptr current = host_upload(&h, roots, most * sizeof *roots);
    CUdeviceptr next = host_upload(&h, roots, most * sizeof *roots);
    CUdeviceptr sought_dev = host_upload(&h, sought, lookups * sizeof *sought);
    CUdeviceptr answer_dev = host_upload(&h, answer, lookups * sizeof *answer);
    const struct dim block = {ORDER};
    host_launch(host_kernel(&h, "findK"), (struct dim){(unsigned)lookups}, block, 0, &height,
                &nodes_dev, &records_dev, &current, &next, &sought_dev, &answer_dev);
    host_read(answer, answer_dev, lookups * sizeof *answer);

    host_write(current, roots, most * sizeof *roots);
    host_write(next, roots, most * sizeof *roots);
    CUdeviceptr last_current = host_upload(&h, roots, most * sizeof *roots);
    CUdeviceptr last_next = host_upload(&h, roots, most * sizeof *roots);
    CUdeviceptr from_dev = host_upload(&h, from, ranges * 4);
    CUdeviceptr to_dev = host_upload(&h, to, ranges * 4);
    CUdeviceptr start_dev = host_upload(&h, start, ranges * 4);
    CUdeviceptr length_dev = host_upload(&h, length, ranges * 4);
    host_launch(host_kernel(&h, "findRangeK"), (struct dim){(unsigned)ranges}, block, 0, &height,
                &nodes_dev, &current, &next, &last_current, &last_next, &from_dev, &to_dev,
                &start_dev, &length_dev);
    host_read(start, start_dev, ranges * 4);
    host_read(length, length_dev, ranges * 4);

    // Each key's place in an array of all numbers up to the last. Exact.
    const size_t top = (size_t)keys[key_count - 1] + 2;
    int32_t *at = host_memory(top, sizeof *at); // one more than the place; 0: no key
    for (size_t i = 0; i < key_count; i++) at[keys[i]] = (int32_t)i + 1;
    for (size_t i = 0; i < lookups; i++)
        if (at[sought[i]]) want[i] = records[at[sought[i]] - 1];
    for (size_t i = 0; i < ranges; i++) {
        want_start[i] = at[from[i]] - 1;
        want_length[i] = at[to[i]] - at[from[i]] + 1;
    }
    host_check_int(&h, "records", answer, want, lookups);
    host_check_int(&h, "starts", start, want_start, ranges);
    host_check_int(&h, "lengths", length, want_length, ranges);

    free(keys);
    free(records);
    free(nodes);
    free(sought);
    free(answer);
    free(want);
    free(from);
    free(to);
    free(start);
    free(length);
    free(want_start);
    free(want_length);
    free(roots);
    free(at);
    return host_close(&h);
}
