// MUM, host: builds the tree, lays it out in textures, launches for both strands. The reference
// answer comes from a sorted list of all suffixes, without any tree.
#include <stdlib.h>
#include <string.h>

#include "host.h"
#include "sizes.h"

enum { THREADS = 256, ROW = 4096, LETTERS = 4, END = 4 }; // END: the letter after the last
static const char letter[] = "ACGT$";

static const struct host_param params[] = {
    {"REFERENCE", 1, 1 << 20, "letters of the reference"},
    {"READS", 1, 1 << 22, "queries"},
    {"LENGTH", 1, 1000, "letters of a query"},
    {"MINIMUM", 1, 1000, "letters of the shortest match of interest, at most LENGTH"},
};
static const struct host_program program = {"MUM", params, HOST_COUNT(params), host_sizes,
                                            HOST_COUNT(host_sizes)};

// ------------------------------------------------------------------------------------- tree

// A node with the edge that leads to it: letters [first, end) of the text.
struct node {
    int32_t first, end, link, parent, depth, child[LETTERS + 1];
};
struct tree {
    struct node *node;
    int32_t nodes;
};

static int32_t add_node(struct tree *t, int32_t first, int32_t end) {
    t->node[t->nodes] = (struct node){.first = first, .end = end};
    return t->nodes++;
}

// Ukkonen's construction; `text` ends with END. Node 0 is the root, and no child.
static struct tree build_tree(const uint8_t *text, int32_t n) {
    struct tree t = {host_memory(2 * (size_t)n + 2, sizeof(struct node)), 0};
    add_node(&t, 0, 0);
    int32_t at = 0, edge = 0, length = 0, waiting = 0; // the active point; suffixes to put in
    for (int32_t i = 0; i < n; i++) {
        int32_t unlinked = 0;
        waiting++;
        while (waiting > 0) {
            if (length == 0) edge = i;
            const int32_t next = t.node[at].child[text[edge]];
            if (!next) {
                const int32_t leaf = add_node(&t, i, n);
                t.node[at].child[text[edge]] = leaf;
                if (unlinked) t.node[unlinked].link = at;
                unlinked = 0;
            } else {
                const int32_t on_edge =
                    (t.node[next].end < i + 1 ? t.node[next].end : i + 1) - t.node[next].first;
                if (length >= on_edge) {
                    at = next;
                    edge += on_edge;
                    length -= on_edge;
                    continue;
                }
                if (text[t.node[next].first + length] == text[i]) {
                    if (unlinked) t.node[unlinked].link = at;
                    length++;
                    break;
                }
                const int32_t middle =
                    add_node(&t, t.node[next].first, t.node[next].first + length);
                t.node[at].child[text[edge]] = middle;
                const int32_t leaf = add_node(&t, i, n);
                t.node[middle].child[text[i]] = leaf;
                t.node[next].first += length;
                t.node[middle].child[text[t.node[next].first]] = next;
                if (unlinked) t.node[unlinked].link = middle;
                unlinked = middle;
            }
            waiting--;
            if (at == 0 && length > 0) {
                length--;
                edge = i - waiting + 1;
            } else if (at != 0) {
                at = t.node[at].link;
            }
        }
    }
    return t;
}

// Level by level: the order in which nodes lie in the textures. order[k] is the node there.
static int32_t *order_nodes(struct tree *t) {
    int32_t *order = host_memory((size_t)t->nodes, sizeof *order);
    int32_t count = 1;
    for (int32_t k = 0; k < count; k++) {
        const struct node *from = &t->node[order[k]];
        for (int c = 0; c <= LETTERS; c++) {
            if (!from->child[c]) continue;
            struct node *to = &t->node[from->child[c]];
            to->parent = order[k];
            to->depth = from->depth + to->end - to->first;
            order[count++] = from->child[c];
        }
    }
    return order;
}

static uint32_t place_of(int32_t k) { return (uint32_t)(k % ROW | k / ROW << 16); }

// ------------------------------------------------------------------------------------- input

static void make_text(struct host *h, uint8_t *text, int32_t n) {
    for (int32_t i = 0; i < n; i++) text[i] = (uint8_t)host_random_below(h, LETTERS);
    // A third of it by copies, a letter in twenty changed.
    for (int32_t copied = 0; n >= 64 && copied < n / 3;) {
        int32_t length = 20 + (int32_t)host_random_below(h, 380);
        if (length > n / 4) length = n / 4;
        const uint32_t room = (uint32_t)(n - length);
        const int32_t from = (int32_t)host_random_below(h, room);
        const int32_t to = (int32_t)host_random_below(h, room);
        for (int32_t i = 0; i < length; i++)
            text[to + i] =
                host_random_below(h, 20) ? text[from + i] : (uint8_t)host_random_below(h, LETTERS);
        copied += length;
    }
    text[n] = END;
}

static void make_reads(struct host *h, const uint8_t *text, int32_t n, uint8_t *reads, int count,
                       int length) {
    for (int q = 0; q < count; q++) {
        uint8_t *read = reads + (size_t)q * (size_t)length;
        const bool made_up = n < length || host_random_below(h, 10) == 0;
        const bool other_strand = host_random_below(h, 2);
        const int32_t from =
            made_up ? 0 : (int32_t)host_random_below(h, (uint32_t)(n - length + 1));
        for (int i = 0; i < length; i++) {
            read[i] = made_up        ? (uint8_t)host_random_below(h, LETTERS)
                      : other_strand ? (uint8_t)(3 - text[from + length - 1 - i])
                                     : text[from + i];
            if (host_random_below(h, 50) == 0) read[i] = (uint8_t)host_random_below(h, LETTERS);
        }
    }
}

// ---------------------------------------------------------------------------------- reference

static const uint8_t *sorted_text;
static int compare_suffixes(const void *a, const void *b) {
    const uint8_t *x = sorted_text + *(const int32_t *)a, *y = sorted_text + *(const int32_t *)b;
    while (*x == *y && *x != END) x++, y++;
    return *x == END ? (*y == END ? 0 : 1) : *y == END ? -1 : (int)*x - (int)*y;
}

static int32_t common(const uint8_t *text, const uint8_t *read, int32_t left) {
    int32_t i = 0;
    while (i < left && text[i] != END && text[i] == read[i]) i++;
    return i;
}

// The longest match is with one of the two suffixes between which the read would be sorted in.
static int32_t longest(const int32_t *sorted, int32_t n, const uint8_t *text, const uint8_t *read,
                       int32_t left) {
    int32_t low = 0, high = n; // sorted[low - 1] < read < sorted[high]
    while (low < high) {
        const int32_t middle = (low + high) / 2;
        const uint8_t *suffix = text + sorted[middle];
        const int32_t same = common(suffix, read, left);
        if (same == left || suffix[same] > read[same])
            high = middle;
        else
            low = middle + 1;
    }
    const int32_t above = low < n ? common(text + sorted[low], read, left) : 0;
    const int32_t below = low > 0 ? common(text + sorted[low - 1], read, left) : 0;
    return above > below ? above : below;
}

int main(int argc, char **argv) {
    struct host h;
    host_open(&h, argc, argv, &program);
    const int32_t n = (int32_t)h.arg[0];
    int count = (int)h.arg[1], minimum = (int)h.arg[3];
    const int length = (int)h.arg[2];
    host_require(&h, minimum <= length, "MINIMUM is %d; a query has %d letters.", minimum, length);
    uint8_t *text = host_memory((size_t)n + 1, 1);
    make_text(&h, text, n);
    const size_t letters = (size_t)count * (size_t)length;
    uint8_t *reads = host_memory(letters, 1), *shown = host_memory(letters, 1);
    make_reads(&h, text, n, reads, count, length);
    for (size_t i = 0; i < letters; i++) shown[i] = (uint8_t)letter[reads[i]];

    struct tree t = build_tree(text, n + 1);
    int32_t *order = order_nodes(&t), *rank = host_memory((size_t)t.nodes, sizeof *rank);
    for (int32_t k = 0; k < t.nodes; k++) rank[order[k]] = k;
    const size_t rows = ((size_t)t.nodes + ROW - 1) / ROW, texels = rows * ROW * 4;
    uint32_t *nodes = host_memory(texels, sizeof *nodes);
    uint32_t *children = host_memory(texels, sizeof *children);
    for (int32_t k = 0; k < t.nodes; k++) {
        const struct node *from = &t.node[order[k]];
        const uint32_t record[4] = {(uint32_t)from->first, (uint32_t)from->end,
                                    place_of(rank[from->link]), (uint32_t)from->depth};
        memcpy(nodes + 4 * (size_t)k, record, sizeof record);
        for (int c = 0; c < LETTERS; c++)
            children[4 * (size_t)k + (size_t)c] =
                from->child[c] ? place_of(rank[from->child[c]]) : 0;
    }
    const size_t text_rows = ((size_t)n + ROW) / ROW;
    uint8_t *text_texels = host_memory(text_rows * ROW, 1);
    for (int32_t i = 0; i <= n; i++) text_texels[i] = (uint8_t)letter[text[i]];
    host_bind_image(&h, "node_texture", nodes, ROW, rows, CU_AD_FORMAT_UNSIGNED_INT32, 4);
    host_bind_image(&h, "children_texture", children, ROW, rows, CU_AD_FORMAT_UNSIGNED_INT32, 4);
    host_bind_image(&h, "reference_texture", text_texels, ROW, text_rows,
                    CU_AD_FORMAT_UNSIGNED_INT8, 1);

    // Queries of one length here; the kernels take any.
    const int starts = length - minimum + 1;
    const size_t results = (size_t)count * (size_t)starts;
    int32_t *offset = host_memory((size_t)count, sizeof *offset);
    int32_t *lengths = host_memory((size_t)count, sizeof *lengths);
    int32_t *result = host_memory((size_t)count, sizeof *result);
    for (int q = 0; q < count; q++) {
        offset[q] = q * length;
        lengths[q] = length;
        result[q] = q * starts;
    }
    CUdeviceptr reads_dev = host_upload(&h, shown, letters);
    CUdeviceptr offset_dev = host_upload(&h, offset, (size_t)count * sizeof *offset);
    CUdeviceptr lengths_dev = host_upload(&h, lengths, (size_t)count * sizeof *lengths);
    CUdeviceptr result_dev = host_upload(&h, result, (size_t)count * sizeof *result);
    CUdeviceptr node_dev = host_alloc(&h, results * sizeof(uint32_t));
    CUdeviceptr match_dev = host_alloc(&h, results * sizeof(uint16_t));
    const struct dim grid = {((unsigned)count + THREADS - 1) / THREADS}, block = {THREADS};

    int32_t *sorted = host_memory((size_t)n, sizeof *sorted);
    for (int32_t i = 0; i < n; i++) sorted[i] = i;
    sorted_text = text;
    qsort(sorted, (size_t)n, sizeof *sorted, compare_suffixes);
    uint32_t *node = host_memory(results, sizeof *node);
    uint16_t *match = host_memory(results, sizeof *match);
    int32_t *got = host_memory(results, sizeof *got), *want = host_memory(results, sizeof *want);
    uint8_t *read = host_memory((size_t)length, 1);
    for (int strand = 0; strand < 2; strand++) {
        host_launch(host_kernel(&h, strand ? "mummergpuRCKernel" : "mummergpuKernel"), grid, block,
                    0, &node_dev, &match_dev, &reads_dev, &offset_dev, &lengths_dev, &result_dev,
                    &count, &minimum);
        host_read(node, node_dev, results * sizeof *node);
        host_read(match, match_dev, results * sizeof *match);
        size_t misplaced = 0;
        for (int q = 0; q < count; q++) {
            const uint8_t *as_read = reads + (size_t)q * (size_t)length;
            for (int i = 0; i < length; i++)
                read[i] = strand ? (uint8_t)(3 - as_read[length - 1 - i]) : as_read[i];
            for (int s = 0; s < starts; s++) {
                const size_t r = (size_t)q * (size_t)starts + (size_t)s;
                got[r] = match[r];
                want[r] = longest(sorted, n, text, read + s, length - s);
                // The node must be the first at or below the end of the match, and its letters
                // begin with it.
                const size_t k = (size_t)(node[r] >> 16) * ROW + (node[r] & 0xffff);
                if (k >= (size_t)t.nodes) {
                    misplaced++;
                    continue;
                }
                const struct node *v = &t.node[order[k]];
                const bool here = want[r] <= v->depth &&
                                  (k == 0 || want[r] > t.node[v->parent].depth) &&
                                  common(text + v->end - v->depth, read + s, want[r]) == want[r];
                misplaced += !here;
            }
        }
        host_check_int(&h, strand ? "matches, other strand" : "matches", got, want, results);
        host_check_that(&h, !misplaced, "%zu of %zu matches are at a wrong node.", misplaced,
                        results);
    }

    free(text);
    free(reads);
    free(shown);
    free(t.node);
    free(order);
    free(rank);
    free(nodes);
    free(children);
    free(text_texels);
    free(offset);
    free(lengths);
    free(result);
    free(sorted);
    free(node);
    free(match);
    free(got);
    free(want);
    free(read);
    return host_close(&h);
}
