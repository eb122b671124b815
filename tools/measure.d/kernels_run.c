// Part `kernels`: twenty kernels that nobody tunes to: twelve of kernels.cu, eight made from a
// seed. Half of them are blind: their results go to a file of their own, which is opened when a
// model is done and not before.
#include "kernels_run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct work {
    const char *name;
    bool blind;
    unsigned grid, block, elements, results; // at full size
    unsigned tiny_grid, tiny_elements, tiny_results;
};
static const struct work works[] = {
    {"blockScan", false, 1024, 256, 1 << 24, 1 << 24, 4, 4096, 4096},
    {"turnTiles", false, 4096, 256, 1 << 24, 1 << 24, 4, 1 << 16, 1 << 16},
    {"sparseRows", true, 1024, 256, 1 << 22, 1 << 18, 4, 1 << 14, 1 << 10},
    {"bitonicBlocks", false, 1024, 256, 1 << 22, 1 << 22, 2, 2048, 2048},
    {"smallSystems", true, 1024, 128, 1 << 22, 1 << 17, 1, 4096, 128},
    {"sevenPoints", true, 1024, 256, 1 << 24, 1 << 24, 16, 1 << 14, 1 << 14},
    {"bodies", false, 64, 256, 1 << 14, 1 << 14, 2, 512, 512},
    {"hashTable", true, 1024, 256, 1 << 20, 1 << 20, 4, 2048, 2048},
    {"escapeTimes", false, 1024, 256, 1 << 20, 1 << 20, 4, 2048, 2048},
    {"transforms", true, 512, 256, 1 << 21, 1 << 21, 2, 2048, 2048},
    {"counts", false, 512, 256, 1 << 24, 256, 4, 4096, 256},
    {"tiledProduct", true, 256, 256, 1024, 1 << 20, 4, 128, 1 << 14},
};
enum {
    WORKS = sizeof works / sizeof *works,
    SEEDS = 8,
    MOST = 1 << 24,
    TABLE_AT = 1 << 20,
    TABLE = 1 << 18
};

// ------------------------------------------------------------------------------- from a seed
struct maker {
    struct text t;
    uint64_t seed;
    unsigned label, weights[8], total;
};
static unsigned draw(struct maker *m, unsigned below) {
    return (unsigned)((m->seed = mix64(m->seed + 0x9e3779b97f4a7c15)) >> 33) % below;
}
static unsigned reg(struct maker *m) { return draw(m, 12); }

enum { INTEGER, FLOAT, SPECIAL, GATHER, STREAM, SHARED, BRANCH, LOOP };

static void statement(struct maker *m, unsigned depth) {
    unsigned at = draw(m, m->total), kind = 0;
    while (at >= m->weights[kind]) at -= m->weights[kind++];
    const unsigned d = reg(m), a = reg(m), b = reg(m), c = reg(m), l = m->label++;
    struct text *t = &m->t;
    if (depth > 2 && kind >= BRANCH) kind = INTEGER;
    switch (kind) {
    case INTEGER:
        switch (draw(m, 5)) {
        case 0: text_add(t, "mad.lo.u32 %%r%u,%%r%u,%%r%u,%%r%u;\n", d, a, b, c); break;
        case 1: text_add(t, "lop3.b32 %%r%u,%%r%u,%%r%u,%%r%u,0x96;\n", d, a, b, c); break;
        case 2: text_add(t, "sad.u32 %%r%u,%%r%u,%%r%u,%%r%u;\n", d, a, b, c); break;
        case 3: text_add(t, "shf.l.wrap.b32 %%r%u,%%r%u,%%r%u,%%r%u;\n", d, a, b, c); break;
        default: text_add(t, "add.u32 %%r%u,%%r%u,%%r%u;\n", d, a, b);
        }
        break;
    case FLOAT: // numbers of 16 bits, so that sums are exact and no NaN comes up
        text_add(t,
                 "and.b32 %%v0,%%r%u,0xfff;\nand.b32 %%v1,%%r%u,0xfff;\ncvt.rn.f32.u32 "
                 "%%v0,%%v0;\ncvt.rn.f32.u32 %%v1,%%v1;\n",
                 a, b);
        for (unsigned i = 0; i < 3; i++)
            text_add(t, "fma.rn.f32 %%v2,%%v0,%%v1,%%v%u;\nadd.f32 %%v0,%%v2,0f3F800000;\n",
                     i ? 2 : 1);
        text_add(t, "cvt.rzi.u32.f32 %%v2,%%v2;\nxor.b32 %%r%u,%%r%u,%%v2;\n", d, c);
        break;
    case SPECIAL: // whole numbers of a root: the same on every machine
        text_add(t,
                 "and.b32 %%v0,%%r%u,0xffff;\ncvt.rn.f32.u32 %%v0,%%v0;\nsqrt.rn.f32 "
                 "%%v0,%%v0;\ncvt.rzi.u32.f32 %%v0,%%v0;\nadd.u32 %%r%u,%%r%u,%%v0;\n",
                 a, d, b);
        break;
    case GATHER:
        text_add(t,
                 "and.b32 %%v0,%%r%u,%%mask;\nmul.wide.u32 %%o,%%v0,4;\nadd.u64 "
                 "%%o,%%o,%%in;\nld.global.b32 %%v0,[%%o];\nxor.b32 %%r%u,%%r%u,%%v0;\n",
                 a, d, b);
        break;
    case STREAM:
        text_add(t,
                 "mad.lo.u32 %%v0,%%trip,%u,%%id;\nand.b32 %%v0,%%v0,%%mask;\nmul.wide.u32 "
                 "%%o,%%v0,4;\nadd.u64 %%o,%%o,%%in;\nld.global.b32 %%v0,[%%o];\n"
                 "add.u32 %%r%u,%%r%u,%%v0;\n",
                 32 * (1 + draw(m, 4096)), d, b);
        break;
    case SHARED: // a place of the thread's own, banks as they come
        text_add(t,
                 "st.volatile.shared.b32 [%%sa],%%r%u;\nld.volatile.shared.b32 "
                 "%%v0,[%%sa];\nadd.u32 %%r%u,%%r%u,%%v0;\n",
                 a, d, b);
        break;
    case BRANCH:
        text_add(t, "and.b32 %%v0,%%r%u,%u;\nsetp.ne.u32 %%p%u,%%v0,0;\n@%%p%u bra L%u;\n", a,
                 (1u << (1 + draw(m, 3))) - 1, depth, depth, l);
        for (unsigned i = 0, n = 2 + draw(m, 8); i < n; i++) statement(m, depth + 1);
        if (draw(m, 2)) {
            text_add(t, "bra M%u;\nL%u:\n", l, l);
            for (unsigned i = 0, n = 2 + draw(m, 6); i < n; i++) statement(m, depth + 1);
            text_add(t, "M%u:\n", l);
        } else {
            text_add(t, "L%u:\n", l);
        }
        break;
    default: // a loop of one to four times, by lane
        text_add(t, "and.b32 %%n%u,%%r%u,3;\nL%u:\n", depth, a, l);
        for (unsigned i = 0, n = 2 + draw(m, 5); i < n; i++) statement(m, depth + 1);
        text_add(t, "setp.eq.u32 %%p%u,%%n%u,0;\nsub.u32 %%n%u,%%n%u,1;\n@!%%p%u bra L%u;\n", depth,
                 depth, depth, depth, depth, l);
    }
}

static void add_seeded(struct kernels *list, unsigned seed) {
    // What a seed leans to, in order of the kinds above.
    static const unsigned leanings[SEEDS][8] = {
        {10, 2, 1, 2, 2, 1, 1, 1}, {3, 8, 2, 1, 1, 1, 1, 0}, {2, 1, 0, 6, 2, 0, 1, 1},
        {4, 2, 1, 0, 6, 1, 0, 0},  {4, 1, 1, 1, 1, 1, 5, 2}, {2, 2, 6, 1, 1, 1, 1, 0},
        {2, 1, 0, 1, 1, 8, 1, 0},  {3, 3, 1, 2, 2, 2, 2, 1}};
    char name[16];
    snprintf(name, sizeof name, "seed%u", seed);
    struct maker m = {.seed = mix64(seed * 7919 + 1)};
    for (unsigned i = 0; i < 8; i++) m.total += m.weights[i] = leanings[(seed - 1) % SEEDS][i];
    text_add(&m.t, "%s",
             ".reg .b64 %in,%out,%o;\n.reg .b32 %id,%r<12>,%v<4>,%n<8>,%trip,%mask,%sa,%sb;\n.reg "
             ".pred %p<8>,%q;\n.shared .align 4 .b8 place[2048];\n"
             "mov.u32 %id,%ctaid.x;\nmov.u32 %v0,%ntid.x;\nmov.u32 %v1,%tid.x;\nmad.lo.u32 "
             "%id,%id,%v0,%v1;\nld.param.u64 %in,[p0];\nld.param.u64 %out,[p1];\n"
             "ld.param.u32 %mask,[p2];\nsub.u32 %mask,%mask,1;\nmov.u32 %sb,place;\nshl.b32 "
             "%sa,%v1,2;\nadd.u32 %sa,%sa,%sb;\n");
    for (unsigned i = 0; i < 12; i++) {
        text_add(&m.t,
                 "add.u32 %%v0,%%id,%u;\nand.b32 %%v0,%%v0,%%mask;\nmul.wide.u32 "
                 "%%o,%%v0,4;\nadd.u64 %%o,%%o,%%in;\nld.global.b32 %%r%u,[%%o];\n",
                 i * 4099, i);
    }
    text_add(&m.t, "mov.b32 %%trip,%u;\nAGAIN:\n", 4 + draw(&m, 12));
    for (unsigned i = 0, n = 30 + draw(&m, 60); i < n; i++) statement(&m, 0);
    text_add(&m.t, "sub.u32 %%trip,%%trip,1;\nsetp.ne.u32 %%q,%%trip,0;\n@%%q bra AGAIN;\n");
    for (unsigned i = 1; i < 12; i++) text_add(&m.t, "mad.lo.u32 %%r0,%%r0,31,%%r%u;\n", i);
    text_add(&m.t,
             "mul.wide.u32 %%o,%%id,4;\nadd.u64 %%o,%%o,%%out;\nst.global.b32 [%%o],%%r0;\nret;\n");
    kernel_text(kernels_add(list, name, 70, KERNEL_PLAIN), "u64 u64 u32", NULL, m.t.at);
    text_free(&m.t);
}

void kernels_kernels(struct kernels *list) {
    list->part = "kernels";
    for (unsigned i = 1; i <= SEEDS; i++) add_seeded(list, i);
}

// ------------------------------------------------------------------------------- running them
static int by_size(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// The compiled kernels.cu that travels with the kit: a cubin for this GPU, or PTX.
static bool load_file(struct kit *k, CUmodule *module) {
    for (int i = 0; i < 2; i++) {
        struct text path = {0}, image = {0};
        if (i == 0)
            text_add(&path, "%s/cubin/sm_%d/kernels.cubin", k->home, k->gpu.capability);
        else
            text_add(&path, "%s/kernels.ptx", k->home);
        FILE *f = fopen(path.at, "rb");
        text_free(&path);
        if (!f) continue;
        fseek(f, 0, SEEK_END);
        image.length = (size_t)ftell(f);
        image.at = need(calloc(image.length + 1, 1));
        rewind(f);
        const bool whole = fread(image.at, 1, image.length, f) == image.length;
        fclose(f);
        const bool good =
            whole && k->gpu.cuModuleLoadDataEx(module, image.at, 0, NULL, NULL) == CUDA_SUCCESS;
        text_free(&image);
        if (good) return true;
    }
    return false;
}

struct run {
    struct kit *k;
    struct sheet open, blind;
    CUdeviceptr in, out;
    unsigned *results;
};

static void time_one(struct run *r, const char *name, bool blind, CUfunction f, unsigned grid,
                     unsigned block, unsigned elements, unsigned results) {
    struct kit *k = r->k;
    struct gpu *g = &k->gpu;
    if (k->only && !strstr(name, k->only)) return;
    double ms[7];
    const unsigned times = k->once ? 1 : kit_pick(k, 7, 1);
    void *arguments[] = {&r->in, &r->out, &elements};
    double mhz = NAN;
    for (unsigned i = 0; i < times; i++) {
        GPU(g, cuMemsetD8, r->out, 0, (size_t)results * 4);
        if (strcmp(name, "hashTable") == 0)
            GPU(g, cuMemsetD8, r->out + (size_t)TABLE_AT * 4, 0, TABLE * 4);
        ms[i] = gpu_time(g, f, (struct launch){grid, block, 0, 0}, arguments);
        if (ms[i] < 0) die("%s cannot be launched", name);
        if (i == times / 2) mhz = nvml_read(k->nvml).core_mhz;
    }
    gpu_read(g, r->results, r->out, (size_t)results * 4);
    uint64_t sum = 0;
    for (unsigned i = 0; i < results; i++) sum += mix64(r->results[i] + mix64(i));
    int registers = 0, shared = 0;
    g->cuFuncGetAttribute(&registers, CU_FUNC_ATTRIBUTE_NUM_REGS, f);
    g->cuFuncGetAttribute(&shared, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, f);
    qsort(ms, times, sizeof *ms, by_size);
    struct sheet *s = blind ? &r->blind : &r->open;
    sheet_text(s, name);
    sheet_int(s, grid);
    sheet_int(s, block);
    sheet_int(s, elements);
    sheet_int(s, registers);
    sheet_int(s, shared);
    sheet_real(s, ms[0]);
    sheet_real(s, ms[times / 2]);
    sheet_real(s, mhz);
    sheet_hex(s, sum, 16);
    sheet_end(s);
}

void kernels_run(struct kit *k) {
    struct gpu *g = &k->gpu;
    struct run r = {
        .k = k, .open = sheet_open(k, "kernels"), .blind = sheet_open(k, "kernels-blind")};
    const unsigned words = kit_pick(k, MOST, 1 << 16);
    r.results = need(malloc((size_t)words * 4));
    for (unsigned i = 0; i < words; i++) r.results[i] = (unsigned)(mix64(i) >> 32);
    r.in = gpu_upload(g, r.results, (size_t)words * 4);
    r.out = gpu_alloc(g, (k->scale ? (size_t)MOST : TABLE_AT + TABLE) * 4);
    CUmodule module = NULL;
    if (load_file(k, &module)) {
        for (unsigned i = 0; i < WORKS; i++) {
            const struct work *w = &works[i];
            CUfunction f = NULL;
            if (g->cuModuleGetFunction(&f, module, w->name) != CUDA_SUCCESS)
                die("kernels.cu holds no %s", w->name);
            time_one(&r, w->name, w->blind, f, kit_pick(k, w->grid, w->tiny_grid), w->block,
                     kit_pick(k, w->elements, w->tiny_elements),
                     kit_pick(k, w->results, w->tiny_results));
        }
    } else {
        fprintf(stderr,
                "measure: %s holds no kernels.ptx that the driver takes: the kernels of kernels.cu "
                "are left out\n",
                k->home);
    }
    struct kernels list = {0};
    kernels_kernels(&list);
    kernels_load(k, &list);
    for (unsigned i = 0; i < list.count; i++) {
        if (!list.at[i].function) die("%s: %s", list.at[i].name, list.at[i].refused);
        const unsigned grid = kit_pick(k, 2048, 1), block = i & 1 ? 256 : 128;
        time_one(&r, list.at[i].name, (i & 3) >= 2, list.at[i].function, grid, block,
                 kit_pick(k, 1 << 22, 1 << 12), grid * block);
    }
    sheet_close(&r.open);
    sheet_close(&r.blind);
    if (!module) exit(1);
}
