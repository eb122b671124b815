// MUM: the longest exact match of a reference with each query from each of its positions, by
// walking a suffix tree of the reference, after Schatz and others (MUMmerGPU, BMC Bioinformatics 8,
// 2007). One thread a query; the tree and the reference's letters are textures of two dimensions.
//
// From one position to the next a thread does not begin at the root: the suffix link of the last
// inner node leads to the same string without its first letter, and as much of the query as
// matched below that node is known to match again; edges that lie within it are skipped by length.
#include "device.h"

enum { ROW_BITS = 12 }; // a row of the letters' texture has 4096

TEXTURE(node_texture);      // of the edge into a node: first letter, end; suffix link; depth
TEXTURE(children_texture);  // by letter: A, C, G, T; 0 if there is none
TEXTURE(reference_texture); // a letter a texel

// Places in a tree: column in the lower half, row in the upper. The root is at 0.
DEVICE_FN uint4 node_at(unsigned place) {
    return tex_2d_u32(node_texture, place & 0xffff, place >> 16);
}
DEVICE_FN uint4 children_at(unsigned place) {
    return tex_2d_u32(children_texture, place & 0xffff, place >> 16);
}
DEVICE_FN unsigned letter_at(unsigned i) {
    return tex_2d_u32(reference_texture, i & ((1 << ROW_BITS) - 1), i >> ROW_BITS).x;
}

// The query's letter, or that of its reverse complement.
template <bool REVERSE> DEVICE_FN unsigned query_letter(const uint8_t *query, int length, int i) {
    if (!REVERSE) return query[i];
    switch (query[length - 1 - i]) {
    case 'A': return 'T';
    case 'C': return 'G';
    case 'G': return 'C';
    default: return 'A';
    }
}

template <bool REVERSE>
DEVICE_FN void match(const uint8_t *query, int length, int minimum, unsigned *match_node,
                     uint16_t *match_length) {
    unsigned node = 0; // the last inner node passed
    int depth = 0;     // letters from the root to it
    int matched = 0;   // letters known to match, from `start` on
    for (int start = 0; start + minimum <= length; start++) {
        unsigned at = node;
        while (start + depth < length) {
            const unsigned letter = query_letter<REVERSE>(query, length, start + depth);
            const uint4 children = children_at(node);
            unsigned child = 0;
            switch (letter) {
            case 'A': child = children.x; break;
            case 'C': child = children.y; break;
            case 'G': child = children.z; break;
            case 'T': child = children.w; break;
            }
            if (!child) {
                matched = depth;
                at = node;
                break;
            }
            const uint4 edge = node_at(child);
            const int letters = (int)(edge.y - edge.x);
            int i = max(matched - depth, 1);
            while (i < letters && start + depth + i < length &&
                   letter_at(edge.x + (unsigned)i) ==
                       query_letter<REVERSE>(query, length, start + depth + i))
                i++;
            matched = max(matched, depth + min(i, letters));
            at = child;
            if (i < letters) break;
            node = child;
            depth += letters;
        }
        match_node[start] = at;
        match_length[start] = (uint16_t)matched;

        if (depth > 0) {
            node = node_at(node).z;
            depth--;
        }
        if (matched > 0) matched--;
    }
}

extern "C" __global__ void mummergpuKernel(unsigned *match_node, uint16_t *match_length,
                                           const uint8_t *queries, const int *offset,
                                           const int *length, const int *result, int count,
                                           int minimum) {
    const int q = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (q >= count) return;
    match<false>(queries + offset[q], length[q], minimum, match_node + result[q],
                 match_length + result[q]);
}

extern "C" __global__ void mummergpuRCKernel(unsigned *match_node, uint16_t *match_length,
                                             const uint8_t *queries, const int *offset,
                                             const int *length, const int *result, int count,
                                             int minimum) {
    const int q = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (q >= count) return;
    match<true>(queries + offset[q], length[q], minimum, match_node + result[q],
                match_length + result[q]);
}
