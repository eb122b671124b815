// b+tree: many queries on one B+ tree, a block a query, a thread for each of a node's 508 entries (256
// in the program that was measured on a GV100, whose nodes have three words more, which no kernel reads).
// At each level the one thread whose key and next key enclose what is sought names the child, then
// one thread makes that the block's node; two barriers a level. findK looks up single keys,
// findRangeK both ends of ranges, each in a descent of its own beside the other.
#include "device.h"

#ifdef WW_VOLTA
#define ORDER 256
#else
#define ORDER 508
#endif

struct node {
    int keys[ORDER + 1];     // ascending, the rest beyond any key
    int children[ORDER + 1]; // nodes, in a leaf records
#ifdef WW_VOLTA
    int more[3];
#endif
};

extern "C" __global__ void findK(int64_t height, const node *nodes, const int *records,
                                 int64_t *current, int64_t *next, const int *keys, int *answers) {
    const int t = (int)threadIdx.x, q = (int)blockIdx.x;
    for (int64_t level = 0; level < height; level++) {
        const node *n = nodes + current[q];
        if (n->keys[t] <= keys[q] && n->keys[t + 1] > keys[q]) next[q] = n->children[t];
        __syncthreads();
        if (t == 0) current[q] = next[q];
        __syncthreads();
    }
    const node *leaf = nodes + current[q];
    if (leaf->keys[t] == keys[q]) answers[q] = records[leaf->children[t]];
}

extern "C" __global__ void findRangeK(int64_t height, const node *nodes, int64_t *current,
                                      int64_t *next, int64_t *last_current, int64_t *last_next,
                                      const int *first, const int *last, int *starts,
                                      int *lengths) {
    const int t = (int)threadIdx.x, q = (int)blockIdx.x;
    for (int64_t level = 0; level < height; level++) {
        const node *a = nodes + current[q], *b = nodes + last_current[q];
        if (a->keys[t] <= first[q] && a->keys[t + 1] > first[q]) next[q] = a->children[t];
        if (b->keys[t] <= last[q] && b->keys[t + 1] > last[q]) last_next[q] = b->children[t];
        __syncthreads();
        if (t == 0) {
            current[q] = next[q];
            last_current[q] = last_next[q];
        }
        __syncthreads();
    }
    const node *a = nodes + current[q], *b = nodes + last_current[q];
    if (a->keys[t] == first[q]) starts[q] = a->children[t];
    __syncthreads();
    if (b->keys[t] == last[q]) lengths[q] = b->children[t] - starts[q] + 1;
}
