// Part `tensor`: products of matrices and fragments, to the last bit.
//
// Registers are filled element by element, in ways that show how a tensor core adds: exact small
// numbers, near ones, wide ones that must be aligned and cut, any bits, edges, mostly zeros, and
// sums that cancel. Which element a register holds is the instruction's own layout, so a file of
// results needs no matrix. A block of results is all tiles of one way.
#include "tensor.h"

#include <stdlib.h>
#include <string.h>

#include "bits.h"

enum { WAYS = 7, TILES = 64 }; // tiles of a way at full size

struct product {
    char *name;
    unsigned d, a, b, c; // registers a thread; 0 d: a load
    const char *elements;
    int sparse;       // kind of metadata, or 0
    unsigned threads; // of a tile: 32 or 128
    unsigned bytes_a, bytes_b, bytes_c;
};
struct products {
    struct product *at;
    unsigned count;
    struct kernels *list;
    // of the row that is being expanded:
    unsigned d, a, b, c;
    const char *elements;
    int sparse, needs;
};

static unsigned wide(char element) { return element == 'D' ? 8 : 4; }

static struct product *note(struct products *all, const char *name) {
    all->at = need(realloc(all->at, (all->count + 1) * sizeof *all->at));
    struct product *p = &all->at[all->count++];
    *p = (struct product){.name = copy_text(name),
                          .d = all->d,
                          .a = all->a,
                          .b = all->b,
                          .c = all->c,
                          .elements = all->elements,
                          .sparse = all->sparse,
                          .threads = 32};
    if (p->elements) {
        p->bytes_a = 32 * p->a * wide(p->elements[1]);
        p->bytes_b = 32 * p->b * wide(p->elements[2]);
        p->bytes_c = 32 * p->c * wide(p->elements[3]);
    }
    return p;
}

static void registers(struct text *t, char letter, unsigned n) {
    text_add(t, "{");
    for (unsigned i = 0; i < n; i++) text_add(t, "%s%%%c%u", i ? "," : "", letter, i);
    text_add(t, "}");
}

// Declares a thread's registers of a matrix and loads them from parameter `from`: thread %i of all.
static void load(struct text *t, char letter, unsigned n, char element, int from) {
    const unsigned w = wide(element);
    text_add(t,
             ".reg .b%u %%%c<%u>;\nld.param.u64 %%g0,[p%d];\nmul.wide.u32 %%g1,%%i,%u;\nadd.u64 "
             "%%g0,%%g0,%%g1;\n",
             w * 8, letter, n, from, n * w);
    for (unsigned i = 0; i < n; i++)
        text_add(t, "ld.global.b%u %%%c%u,[%%g0+%u];\n", w * 8, letter, i, i * w);
}

static void store(struct text *t, unsigned n, char element) {
    const unsigned w = wide(element);
    text_add(t, "ld.param.u64 %%g0,[p0];\nmul.wide.u32 %%g1,%%i,%u;\nadd.u64 %%g0,%%g0,%%g1;\n",
             n * w);
    for (unsigned i = 0; i < n; i++)
        text_add(t, "st.global.b%u [%%g0+%u],%%d%u;\n", w * 8, i * w, i);
}

static const char *start =
    ".reg .b64 %g<4>;\n.reg .b32 %i,%j,%k,%e0;\n.reg .pred %p;\n"
    "mov.u32 %i,%ctaid.x;\nmov.u32 %j,%ntid.x;\nmov.u32 %k,%tid.x;\nmad.lo.u32 %i,%i,%j,%k;\n";
static const char parameters[] = "u64 u64 u64 u64 u64"; // d, a, b, c, metadata

static void add_product(void *to, const char *name) {
    struct products *all = to;
    struct product *p = note(all, name);
    if (!all->list) return;
    struct text t = {0};
    text_add(&t, "%s.reg .b%u %%d<%u>;\n", start, wide(p->elements[0]) * 8, p->d);
    load(&t, 'a', p->a, p->elements[1], 1);
    load(&t, 'b', p->b, p->elements[2], 2);
    load(&t, 'c', p->c, p->elements[3], 3);
    if (p->sparse) {
        text_add(&t, "ld.param.u64 %%g0,[p4];\nmul.wide.u32 %%g1,%%i,4;\nadd.u64 "
                     "%%g0,%%g0,%%g1;\nld.global.b32 %%e0,[%%g0];\n");
    }
    text_add(&t, "%s ", name);
    registers(&t, 'd', p->d);
    text_add(&t, ",");
    registers(&t, 'a', p->a);
    text_add(&t, ",");
    registers(&t, 'b', p->b);
    text_add(&t, ",");
    registers(&t, 'c', p->c);
    text_add(&t, "%s;\n", p->sparse ? ",%e0,0" : "");
    store(&t, p->d, p->elements[0]);
    text_add(&t, "ret;\n");
    kernel_text(kernels_add(all->list, name, all->needs, KERNEL_PLAIN), parameters, NULL, t.at);
    text_free(&t);
}

// Shared memory of 32 KiB whose halfwords hold their indices. Matrices have rows of 32 elements
// (wmma) or lie one after the other, a row of 16 bytes (ldmatrix); stmatrix stores lane * 256 +
// register, and lanes read back.
static void add_load(void *to, const char *name) {
    struct products *all = to;
    struct product *p = note(all, name);
    p->a = p->b = p->c = 0;
    if (!all->list) return;
    struct text t = {0};
    const bool stores = name[0] == 's', wmma = name[0] == 'w';
    text_add(&t,
             "%s.shared .align 128 .b8 tile[32768];\n.reg .b32 %%d<%u>,%%at,%%base,%%v;\n.reg .b16 "
             "%%h;\nmov.u32 %%base,tile;\n",
             start, p->d);
    text_add(&t, "mov.b32 %%j,%%k;\nFILL:\nshl.b32 %%at,%%j,1;\nadd.u32 "
                 "%%at,%%at,%%base;\ncvt.u16.u32 %%h,%%j;\nst.shared.b16 [%%at],%%h;\n"
                 "add.u32 %%j,%%j,32;\nsetp.lt.u32 %%p,%%j,16384;\n@%%p bra FILL;\nbar.sync 0;\n");
    if (wmma) {
        text_add(&t, "%s ", name);
        registers(&t, 'd', p->d);
        text_add(&t, ",[%%base],32;\n");
    } else {
        text_add(&t, "shl.b32 %%at,%%k,4;\nadd.u32 %%at,%%at,%%base;\n");
        if (stores) {
            for (unsigned i = 0; i < p->d; i++)
                text_add(&t, "mad.lo.u32 %%d%u,%%k,0x01000100,%u;\n", i, 0x10000u + i * 0x20002u);
            text_add(&t, "%s [%%at],", name);
            registers(&t, 'd', p->d);
            text_add(&t, ";\nbar.sync 0;\n");
            for (unsigned i = 0; i < p->d; i++)
                text_add(
                    &t,
                    "shl.b32 %%v,%%k,2;\nadd.u32 %%v,%%v,%%base;\nld.shared.b32 %%d%u,[%%v+%u];\n",
                    i, i * 128);
        } else {
            text_add(&t, "%s ", name);
            registers(&t, 'd', p->d);
            text_add(&t, ",[%%at];\n");
        }
    }
    store(&t, p->d, 'I');
    text_add(&t, "ret;\n");
    kernel_text(kernels_add(all->list, name, all->needs, KERNEL_PLAIN), parameters, NULL, t.at);
    text_free(&t);
}

// A warp group's product. Shared memory holds A (64 rows) and B (N rows) of 32 bytes each, in core
// matrices of 8 rows by 16 bytes, two of them beside each other for a group of 8 rows: no swizzle,
// leading offset 128, stride offset 256.
// A sparse A has the same bytes and stands for twice the columns, so B's rows have 64 bytes: its
// stride offset is 512.
static void add_wgmma(struct products *all, const char *shape, unsigned n, unsigned regs,
                      const char *elements, const char *tail, bool in_registers, int sparse) {
    char name[128];
    snprintf(name, sizeof name, "wgmma.mma_async%s.sync.aligned.m64n%u%s%s%s%s",
             sparse ? ".sp" : "", n, shape, *tail ? " " : "", tail,
             in_registers ? " (A in registers)" : "");
    for (char *c = name; *c; c++)
        if (*c == ',') *c = ' ';
    all->elements = elements;
    all->d = all->c = n / 8 * regs;
    all->a = 4;
    all->b = 0;
    all->sparse = sparse;
    struct product *p = note(all, name);
    p->threads = 128;
    p->bytes_a = 64 * 32;
    p->bytes_b = n * (sparse ? 64 : 32);
    p->bytes_c = 128 * p->c * 4;
    if (!all->list) return;
    struct text t = {0};
    text_add(&t,
             "%s.shared .align 1024 .b8 ma[2048];\n.shared .align 1024 .b8 mb[8192];\n.reg .b32 "
             "%%x,%%y,%%at;\n.reg .b64 %%da,%%db;\n",
             start);
    load(&t, 'd', p->d, 'I', 3);
    // A and B, a word a thread and round
    text_add(&t,
             "mov.u32 %%j,%%ctaid.x;\nld.param.u64 %%g0,[p1];\nmul.wide.u32 %%g1,%%j,%u;\nadd.u64 "
             "%%g0,%%g0,%%g1;\n",
             p->bytes_a);
    if (in_registers) {
        text_add(&t, ".reg .b32 %%a<4>;\nmul.wide.u32 %%g1,%%k,16;\nadd.u64 "
                     "%%g0,%%g0,%%g1;\nld.global.v4.b32 {%%a0,%%a1,%%a2,%%a3},[%%g0];\n");
    } else {
        text_add(&t, "mov.u32 %%at,ma;\nshl.b32 %%x,%%k,2;\nadd.u32 %%at,%%at,%%x;\ncvt.u64.u32 "
                     "%%g1,%%x;\nadd.u64 %%g0,%%g0,%%g1;\n");
        for (unsigned i = 0; i < 4; i++)
            text_add(&t, "ld.global.b32 %%y,[%%g0+%u];\nst.shared.b32 [%%at+%u],%%y;\n", i * 512,
                     i * 512);
    }
    text_add(&t,
             "ld.param.u64 %%g0,[p2];\nmul.wide.u32 %%g1,%%j,%u;\nadd.u64 %%g0,%%g0,%%g1;\nmov.u32 "
             "%%x,%%k;\n"
             "COPY:\nsetp.ge.u32 %%p,%%x,%u;\n@%%p bra COPIED;\nmul.wide.u32 %%g1,%%x,4;\nadd.u64 "
             "%%g1,%%g1,%%g0;\nld.global.b32 %%y,[%%g1];\n"
             "mov.u32 %%at,mb;\nshl.b32 %%e0,%%x,2;\nadd.u32 %%at,%%at,%%e0;\nst.shared.b32 "
             "[%%at],%%y;\nadd.u32 %%x,%%x,128;\nbra COPY;\nCOPIED:\n",
             p->bytes_b, p->bytes_b / 4);
    if (sparse)
        text_add(&t, ".reg .b32 %%meta;\nld.param.u64 %%g0,[p4];\nmul.wide.u32 "
                     "%%g1,%%i,4;\nadd.u64 %%g0,%%g0,%%g1;\nld.global.b32 %%meta,[%%g0];\n");
    text_add(&t, "fence.proxy.async.shared::cta;\nbar.sync 0;\n");
    for (int m = 0; m < 2; m++) {
        // start, leading and stride offset in sixteens of bytes
        text_add(&t,
                 "mov.u32 %%x,m%c;\nshr.u32 %%x,%%x,4;\nand.b32 %%x,%%x,0x3fff;\ncvt.u64.u32 "
                 "%%d%c,%%x;\nor.b64 %%d%c,%%d%c,0x%x00080000;\n",
                 "ab"[m], "ab"[m], "ab"[m], "ab"[m], sparse && m ? 0x20u : 0x10u);
    }
    text_add(&t,
             "setp.eq.u32 "
             "%%p,%%j,%%j;\nwgmma.fence.sync.aligned;\nwgmma.mma_async%s.sync.aligned.m64n%u%s ",
             sparse ? ".sp" : "", n, shape);
    registers(&t, 'd', p->d);
    text_add(&t, ",");
    if (in_registers) {
        registers(&t, 'a', 4);
    } else {
        text_add(&t, "%%da");
    }
    text_add(&t,
             ",%%db%s,%%p%s;\nwgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n",
             sparse ? ",%meta,0" : "", tail);
    store(&t, p->d, 'I');
    text_add(&t, "ret;\n");
    kernel_text(kernels_add(all->list, name, 90, KERNEL_ARCH), parameters, NULL, t.at);
    text_free(&t);
}

static void each(struct products *all) {
#define ROW(pattern, d_, a_, b_, c_, elements_, needs_, sparse_, add)                              \
    all->d = d_, all->a = a_, all->b = b_, all->c = c_, all->elements = elements_,                 \
    all->needs = needs_, all->sparse = sparse_;                                                    \
    text_expand(pattern, add, all);
#define TENSOR(pattern, d, a, b, c, elements, needs)                                               \
    ROW(pattern, d, a, b, c, elements, needs, 0, add_product)
#define SPARSE(pattern, d, a, b, c, elements, needs, sparse)                                       \
    ROW(pattern, d, a, b, c, elements, needs, sparse, add_product)
#define LOADS(pattern, d, needs) ROW(pattern, d, 0, 0, 0, NULL, needs, 0, add_load)
#define WGMMA(shape, ns, regs, elements, shared_tail, register_tail)                               \
    WGMMA_SPARSE(shape, ns, regs, elements, shared_tail, register_tail, 0)
#define WGMMA_SPARSE(shape, ns, regs, elements, shared_tail, register_tail, sparse_)               \
    for (const char *n = ns; *n; n += strcspn(n, " "), n += *n == ' ') {                           \
        add_wgmma(all, shape, (unsigned)atoi(n), regs, elements, shared_tail, false, sparse_);     \
        if (atoi(n) <= 64)                                                                         \
            add_wgmma(all, shape, (unsigned)atoi(n), regs, elements, register_tail, true,          \
                      sparse_);                                                                    \
    }
#include "tensor.def"
#undef TENSOR
#undef SPARSE
#undef LOADS
#undef WGMMA
#undef WGMMA_SPARSE
#undef ROW
}

void tensor_kernels(struct kernels *list) {
    list->part = "tensor";
    struct products all = {.list = list};
    each(&all);
    for (unsigned i = 0; i < all.count; i++) free(all.at[i].name);
    free(all.at);
}

// ---------------------------------------------------------------------------------- operands
// An element of a float format, by way. `place` is a, b or c.
static uint64_t element(unsigned ebits, unsigned mbits, unsigned way, char place, uint64_t r) {
    const uint64_t bias = (1ull << (ebits - 1)) - 1,
                   top = ebits == 4 ? 15 : (1ull << ebits) - 1; // e4m3 has no Inf
    const uint64_t sign = (r >> 60 & 1) << (ebits + mbits), mantissa = r & ((1ull << mbits) - 1);
    const uint64_t pick = r >> 32 & 0xffff;
    switch (way) {
    case 0: // 0, 1, 2, 3, 4, 6, 8, 12
        if (pick % 8 == 0) return sign;
        if (pick % 8 == 1) return sign | bias << mbits;
        return sign | (bias + 1 + pick % 3) << mbits | (pick >> 4 & 1) << (mbits - 1);
    case 2:
    wide : {
        const uint64_t span = bias - 2 < 12 ? bias - 2 : 12;
        return sign | (bias - span + pick % (2 * span + 1)) << mbits | mantissa;
    }
    case 3: return sign | (r >> 16 & ((1ull << (ebits + mbits)) - 1));
    case 4: {
        if (pick % 4) break;
        const uint64_t edges[] = {0,
                                  top << mbits,
                                  top << mbits | 1,
                                  1,
                                  (1ull << mbits) - 1,
                                  1ull << mbits,
                                  (top << mbits) - 1,
                                  bias << mbits};
        return sign | edges[pick / 4 % 8];
    }
    case 5:
        if (place != 'c' && pick % 8) return 0;
        goto wide;
    case 6: // products of one size and either sign; c far above or below them
        if (place == 'c') {
            const uint64_t e = bias - 8 + pick % 40;
            return sign | (e < top ? e : top - 1) << mbits | mantissa;
        }
        return sign | bias << mbits | mantissa >> (mbits - 2) << (mbits - 2);
    default: break;
    }
    return sign | (bias - 2 + pick % 5) << mbits | mantissa;
}

static void fill(void *to, size_t bytes, char kind, char place, unsigned way, uint64_t seed) {
    static const struct {
        char kind;
        unsigned bits, ebits, mbits;
    } formats[] = {{'H', 16, 5, 10},  {'B', 16, 8, 7}, {'T', 32, 8, 23}, {'F', 32, 8, 23},
                   {'D', 64, 11, 52}, {'5', 8, 5, 2},  {'4', 8, 4, 3}};
    unsigned f = 0;
    while (f < sizeof formats / sizeof *formats && formats[f].kind != kind) f++;
    const bool is_float = f < sizeof formats / sizeof *formats;
    const unsigned size = is_float ? formats[f].bits / 8 : 4;
    for (size_t i = 0; i < bytes / size; i++) {
        const uint64_t r =
            mix64(seed * 0x9e3779b97f4a7c15 + i * 0xd1342543de82ef95 + (unsigned char)place);
        uint64_t v = r;
        if (is_float) {
            v = element(formats[f].ebits, formats[f].mbits, way, place, r);
        } else if (way == 0 ||
                   kind == 'I') { // small integers; accumulators near their ends in way 4
            v = kind == 'I' ? (way == 4   ? (r >> 40 & 1 ? 0x7ffffff0 : 0x80000010)
                               : way == 3 ? r
                                          : r >> 56)
                            : r & 0x01010101;
        } else if (way == 4) {
            v = r >> 40 & 1 ? 0x7f7f7f7f : 0x80808080;
        } else if (way == 5 && r >> 61) {
            v = 0;
        }
        memcpy((char *)to + i * size, &v, size);
    }
}

// Metadata: for each group which of its elements are not zero, in ascending order.
static void fill_sparse(unsigned *to, unsigned count, int kind, uint64_t seed) {
    static const unsigned four[] = {0x4, 0x8, 0xc, 0x9, 0xd, 0xe}, two[] = {0x4, 0xe};
    for (unsigned i = 0; i < count; i++) {
        to[i] = 0;
        for (unsigned n = 0; n < 8; n++) {
            const uint64_t r = mix64(seed + i * 8 + n);
            to[i] |= (kind == 2 ? two[r % 2] : four[r % 6]) << (4 * n);
        }
    }
}

static void run_product(struct kit *k, struct sheet *s, struct sheet *first, const struct kernel *x,
                        const struct product *p) {
    struct gpu *g = &k->gpu;
    const unsigned tiles = p->elements ? kit_pick(k, TILES, 2) : 1, ways = p->elements ? WAYS : 1,
                   all = tiles * ways;
    const unsigned w = p->elements ? wide(p->elements[0]) : 4, results = all * p->threads * p->d;
    CUdeviceptr in[4] = {0};
    if (p->elements) {
        const unsigned sizes[4] = {p->bytes_a, p->bytes_b, p->bytes_c, p->threads * 4};
        for (int m = 0; m < (p->sparse ? 4 : 3); m++) {
            char *host = need(malloc((size_t)sizes[m] * all + 8));
            for (unsigned t = 0; t < all; t++) {
                const uint64_t seed = t / tiles * TILES + t % tiles; // the same tiles at any scale
                if (m == 3) {
                    fill_sparse((unsigned *)(void *)(host + (size_t)t * sizes[m]), p->threads,
                                p->sparse, seed << 20);
                } else {
                    fill(host + (size_t)t * sizes[m], sizes[m], p->elements[m + 1], "abc"[m],
                         t / tiles, seed * 4 + (uint64_t)m);
                }
            }
            in[m] = gpu_upload(g, host, (size_t)sizes[m] * all + 8);
            free(host);
        }
    }
    const CUdeviceptr out = gpu_alloc(g, (size_t)results * w);
    CUdeviceptr to = out;
    void *arguments[] = {&to, &in[0], &in[1], &in[2], &in[3]};
    const char *why = gpu_launch(g, x->function, (struct launch){all, p->threads, 0, 0}, arguments);
    sheet_text(s, x->name);
    sheet_text(s, p->elements ? p->elements : "-");
    sheet_text(s, why ? why : "ok");
    if (why) {
        for (int c = 0; c < 4; c++) sheet_none(s);
        sheet_end(s);
        if (g->failed) kit_lost(k, x->name, why);
    } else {
        char *raw = need(malloc((size_t)results * w));
        uint64_t *values = need(malloc(results * sizeof *values));
        gpu_read(g, raw, out, (size_t)results * w);
        for (unsigned i = 0; i < results; i++) {
            values[i] = 0;
            memcpy(&values[i], raw + (size_t)i * w, w);
        }
        bits_blocks(s, values, results, results / ways);
        sheet_end(s);
        struct text hex = {0};
        unsigned each_way = p->threads * p->d;
        if (each_way > 512) each_way = 512;
        for (unsigned way = 0; way < ways; way++) {
            for (unsigned i = 0; i < each_way; i++)
                text_add(&hex, "%0*llx", (int)w * 2,
                         (unsigned long long)values[way * (results / ways) + i]);
        }
        sheet_text(first, x->name);
        sheet_text(first, p->elements ? p->elements : "-");
        sheet_int(first, w * 8);
        sheet_hexes(first, hex.at);
        sheet_end(first);
        text_free(&hex);
        free(values);
        free(raw);
    }
    gpu_free(g, out);
    for (int m = 0; m < 4; m++) {
        if (in[m]) gpu_free(g, in[m]);
    }
}

void tensor_run(struct kit *k) {
    struct kernels list = {0};
    list.part = "tensor";
    struct products all = {.list = &list};
    each(&all);
    kernels_load(k, &list);
    struct sheet s = sheet_open(k, "tensor"), first = sheet_open(k, "tensor-results");
    for (unsigned i = 0; i < list.count && !kit_over(k, 0.5); i++) {
        const struct kernel *x = &list.at[i];
        if (k->only && !strstr(x->name, k->only)) continue;
        if (x->function) {
            run_product(k, &s, &first, x, &all.at[i]);
            continue;
        }
        sheet_text(&s, x->name);
        sheet_text(&s, all.at[i].elements ? all.at[i].elements : "-");
        sheet_text(&s, x->refused);
        for (int c = 0; c < 4; c++) sheet_none(&s);
        sheet_end(&s);
    }
    sheet_close(&s);
    sheet_close(&first);
}
