// Parts `banks`, `constants`, `atomics`, `code` and `branches`: what an access or a branch costs
// beyond its latency.
#include "access.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// A clock around a loop, one warp's lane 0 writes its start and stop. p0: clocks, p1: iterations.
static const char *head =
    ".reg .b64 %out,%c0,%c1,%off,%at,%g<6>;\n.reg .b32 %ti,%li,%wi,%n,%x<8>,%k<8>,%lim,%keep,%sb;\n"
    ".reg .pred %p,%q,%pl,%pm<8>;\nmov.u32 %ti,%tid.x;\nand.b32 %li,%ti,31;\nshr.u32 %wi,%ti,5;\n"
    "ld.param.u64 %out,[p0];\nld.param.u32 %n,[p1];\n";
static const char *again = "sub.u32 %n,%n,1;\nsetp.ne.u32 %p,%n,0;\n@%p bra LOOP;\n";
// `keep` must hold something of all results; the store makes the clock wait for it.
static const char *tail = "st.volatile.global.b32 [%out+2048],%keep;\nmov.u64 "
                          "%c1,%clock64;\nsetp.ne.u32 %p,%li,0;\n@%p bra END;\n"
                          "mul.wide.u32 %off,%wi,16;\nadd.u64 %out,%out,%off;\nst.global.v2.b64 "
                          "[%out],{%c0,%c1};\nEND:\nret;\n";

static double span(struct kit *k, const struct kernel *x, unsigned warps, CUdeviceptr out,
                   void **arguments) {
    const char *why =
        gpu_launch(&k->gpu, x->function, (struct launch){1, warps * 32, 0, 0}, arguments);
    if (why && k->gpu.failed) kit_lost(k, x->name, why);
    if (why) return NAN;
    uint64_t clocks[64], first = UINT64_MAX, last = 0;
    gpu_read(&k->gpu, clocks, out, warps * 16);
    for (unsigned w = 0; w < warps; w++) {
        if (clocks[w * 2] < first) first = clocks[w * 2];
        if (clocks[w * 2 + 1] > last) last = clocks[w * 2 + 1];
    }
    return (double)(last - first);
}

// Cycles of an iteration by the slope between two numbers of them; `loops` is what arguments[1]
// points to.
static double slope(struct kit *k, const struct kernel *x, unsigned warps, CUdeviceptr out,
                    void **arguments, unsigned *loops, unsigned few, unsigned many) {
    double least[2] = {INFINITY, INFINITY};
    *loops = few;
    span(k, x, warps, out, arguments); // its code comes into the caches
    for (unsigned i = 0; i < kit_pick(k, 3, 1); i++) {
        *loops = few;
        const double a = span(k, x, warps, out, arguments);
        *loops = many;
        const double b = span(k, x, warps, out, arguments);
        if (a < least[0]) least[0] = a;
        if (b < least[1]) least[1] = b;
    }
    return (least[1] - least[0]) / (many - few);
}

// -------------------------------------------------------------------------------------- banks
static const char *const widths[] = {"b32", "v2.b32", "v4.b32"};

// p2: byte offset of each lane in shared memory. The word there is its own address.
void banks_kernels(struct kernels *list) {
    list->part = "banks";
    for (unsigned store = 0; store < 2; store++) {
        for (unsigned w = 0; w < 3; w++) {
            char name[32];
            snprintf(name, sizeof name, "%s.shared.%s", store ? "st" : "ld", widths[w]);
            struct kernel *k = kernels_add(list, name, 70, KERNEL_PLAIN);
            struct text t = {0};
            text_add(&t,
                     "%s.shared .align 16 .b8 tile[32768];\nld.param.u64 %%at,[p2];\nmul.wide.u32 "
                     "%%off,%%li,4;\nadd.u64 %%at,%%at,%%off;\n"
                     "ld.global.b32 %%x0,[%%at];\nmov.u32 %%sb,tile;\nadd.u32 "
                     "%%x0,%%x0,%%sb;\nmov.b32 %%x1,%%x0;\n",
                     head);
            for (unsigned i = 0; i < 1u << w; i++)
                text_add(&t, "st.shared.b32 [%%x0+%u],%%x0;\n", i * 4);
            text_add(&t, "bar.sync 0;\nmov.u64 %%c0,%%clock64;\nLOOP:\n");
            const char *regs = w == 0 ? "%x1" : w == 1 ? "{%x1,%x2}" : "{%x1,%x2,%x3,%x4}";
            for (unsigned i = 2; i < 5; i++) text_add(&t, "mov.b32 %%x%u,%%x0;\n", i);
            for (unsigned i = 0; i < 32; i++)
                text_add(&t, "%s.volatile.shared.%s %s,%s;\n", store ? "st" : "ld", widths[w],
                         store ? "[%x0]" : regs, store ? regs : "[%x1]");
            text_add(&t, "%smov.b32 %%keep,%%x1;\n%s", again, tail);
            kernel_text(k, "u64 u32 u64", NULL, t.at);
            text_free(&t);
        }
    }
}

void banks_run(struct kit *k) {
    struct kernels list = {0};
    banks_kernels(&list);
    kernels_load(k, &list);
    struct sheet s = sheet_open(k, "banks");
    const CUdeviceptr out = gpu_alloc(&k->gpu, 4096), offsets = gpu_alloc(&k->gpu, 128);
    // Strides in words between lanes, then a few patterns.
    static const unsigned strides[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 17, 24, 31, 32, 33, 64};
    enum { STRIDES = sizeof strides / sizeof *strides, PATTERNS = STRIDES + 4 };
    static const char *const names[] = {"halves 16 words apart", "random", "two lanes a word",
                                        "reversed"};
    for (unsigned x = 0; x < list.count; x++) {
        const unsigned words = 1u << x % 3;
        for (unsigned p = 0; p < PATTERNS; p += kit_pick(k, 1, 7)) {
            unsigned at[32];
            for (unsigned l = 0; l < 32; l++) {
                unsigned place = l;
                if (p < STRIDES)
                    place = l * strides[p];
                else if (p == STRIDES)
                    place = l % 16 + l / 16 * 48;
                else if (p == STRIDES + 1)
                    place = (unsigned)(mix64(l) % 1024);
                else if (p == STRIDES + 2)
                    place = l / 2;
                else
                    place = 31 - l;
                at[l] = place * words * 4;
            }
            GPU(&k->gpu, cuMemcpyHtoD, offsets, at, sizeof at);
            for (unsigned warps = 1; warps <= 8; warps *= 8) {
                if (!list.at[x].function) die("banks: %s", list.at[x].refused);
                unsigned loops = 0;
                void *arguments[] = {(void *)&out, &loops, (void *)&offsets};
                const double cycles =
                    slope(k, &list.at[x], warps, out, arguments, &loops, 2, kit_pick(k, 10, 4)) /
                    32;
                char name[48];
                if (p < STRIDES)
                    snprintf(name, sizeof name, "stride %u", strides[p]);
                else
                    snprintf(name, sizeof name, "%s", names[p - STRIDES]);
                sheet_text(&s, list.at[x].name);
                sheet_text(&s, name);
                sheet_int(&s, words * 4);
                sheet_int(&s, warps);
                sheet_real(&s, cycles);
                sheet_end(&s);
            }
        }
    }
    sheet_close(&s);
}

// ---------------------------------------------------------------------------------- constants
// p2: first byte offset of each lane. The table's words are the offset that follows.
static const char constant_table[] = ".const .align 8 .b32 table[16000];";
void constants_kernels(struct kernels *list) {
    list->part = "constants";
    list->chunk = 1;
    struct kernel *k = kernels_add(list, "ld.const", 70, KERNEL_PLAIN);
    struct text t = {0};
    text_add(&t,
             "%s.reg .b64 %%base;\nld.param.u64 %%at,[p2];\nmul.wide.u32 %%off,%%li,4;\nadd.u64 "
             "%%at,%%at,%%off;\nld.global.b32 %%x0,[%%at];\n"
             "mov.u64 %%base,table;\nld.param.u32 %%k0,[p3];\nWARM:\n",
             head);
    const char *step = "cvt.u64.u32 %g0,%x0;\nadd.u64 %g0,%g0,%base;\nld.const.b32 %x0,[%g0];\n";
    for (int i = 0; i < 16; i++) text_add(&t, "%s", step);
    text_add(&t,
             "sub.u32 %%k0,%%k0,1;\nsetp.ne.u32 %%p,%%k0,0;\n@%%p bra "
             "WARM;\nst.volatile.global.b32 [%%out+2052],%%x0;\nmov.u64 %%c0,%%clock64;\nLOOP:\n");
    for (int i = 0; i < 16; i++) text_add(&t, "%s", step);
    text_add(&t, "%smov.b32 %%keep,%%x0;\n%s", again, tail);
    kernel_text(k, "u64 u32 u64 u32", constant_table, t.at);
    text_free(&t);
}

void constants_run(struct kit *k) {
    struct gpu *g = &k->gpu;
    struct kernels list = {0};
    constants_kernels(&list);
    kernels_load(k, &list);
    const struct kernel *x = &list.at[0];
    if (!x->function) die("constants: %s", x->refused);
    struct sheet s = sheet_open(k, "constants");
    CUdeviceptr table = 0;
    size_t bytes = 0;
    GPU(g, cuModuleGetGlobal, &table, &bytes, x->module, "table");
    const CUdeviceptr out = gpu_alloc(g, 4096), offsets = gpu_alloc(g, 128);
    unsigned *words = need(malloc(64000));
    for (unsigned stride = 16; stride <= 256; stride *= 4) {
        for (unsigned size = 512; size <= 65536; size = size < 8192 ? size * 2 : size + 4096) {
            unsigned footprint = size < 64000 ? size : 64000;
            const unsigned places = footprint / stride;
            if (places < 2 || (!k->scale && (size & (size - 1)))) continue;
            memset(words, 0, 64000);
            for (unsigned i = 0; i < places; i++) words[i * stride / 4] = (i + 1) % places * stride;
            GPU(g, cuMemcpyHtoD, table, words, 64000);
            GPU(g, cuMemsetD8, offsets, 0, 128);
            unsigned loops = (places + 15) / 16, warm = loops;
            if (loops < 8) loops = 8;
            void *arguments[] = {(void *)&out, &loops, (void *)&offsets, &warm};
            const double cycles = span(k, x, 1, out, arguments) / (loops * 16.0);
            sheet_int(&s, footprint);
            sheet_int(&s, stride);
            sheet_int(&s, 1);
            sheet_real(&s, cycles);
            sheet_end(&s);
        }
    }
    // Lanes that ask for different words: each word is its own successor.
    for (unsigned i = 0; i < 16000; i++) words[i] = i * 4;
    GPU(g, cuMemcpyHtoD, table, words, 64000);
    for (unsigned distinct = 1; distinct <= 32; distinct *= 2) {
        for (unsigned apart = 4; apart <= 256; apart *= 8) {
            unsigned at[32];
            for (unsigned l = 0; l < 32; l++) at[l] = l % distinct * apart;
            GPU(g, cuMemcpyHtoD, offsets, at, sizeof at);
            unsigned loops = 8, warm = 2;
            void *arguments[] = {(void *)&out, &loops, (void *)&offsets, &warm};
            const double cycles = span(k, x, 1, out, arguments) / (loops * 16.0);
            sheet_int(&s, distinct * apart);
            sheet_int(&s, apart);
            sheet_int(&s, distinct);
            sheet_real(&s, cycles);
            sheet_end(&s);
        }
    }
    free(words);
    sheet_close(&s);
}

// ------------------------------------------------------------------------------------ atomics
// Every thread adds again and again to one of `p2` places, `p3` bytes apart. p0: memory, p1: times.
static const struct {
    const char *name, *statement;
    bool shared;
    int needs;
} contended[] = {
    {"red.global.add.u32", "red.global.add.u32 [%at],%x0;", false, 70},
    {"red.global.add.u64", "red.global.add.u64 [%at],%g0;", false, 70},
    {"red.global.add.f32", "red.global.add.f32 [%at],%x1;", false, 70},
    {"red.global.add.f64", "red.global.add.f64 [%at],%g1;", false, 70},
    {"red.global.add.f16x2", "red.global.add.noftz.f16x2 [%at],%x1;", false, 70},
    {"red.global.max.s32", "red.global.max.s32 [%at],%x0;", false, 70},
    {"atom.global.add.u32", "atom.global.add.u32 %x2,[%at],%x0; add.u32 %keep,%keep,%x2;", false,
     70},
    {"atom.global.exch.b32", "atom.global.exch.b32 %x2,[%at],%x0; add.u32 %keep,%keep,%x2;", false,
     70},
    {"atom.global.cas.b32", "atom.global.cas.b32 %x2,[%at],%x0,%x1; add.u32 %keep,%keep,%x2;",
     false, 70},
    {"red.shared.add.u32", "red.shared.add.u32 [%sa],%x0;", true, 70},
    {"red.shared.add.u32 of more than 1", "red.shared.add.u32 [%sa],%x1;", true, 70},
    {"red.shared.add.f32", "red.shared.add.f32 [%sa],%x1;", true, 70},
    {"red.shared.add.f64", "red.shared.add.f64 [%sa],%g1;", true, 70},
    {"atom.shared.cas.b32", "atom.shared.cas.b32 %x2,[%sa],%x0,%x1; add.u32 %keep,%keep,%x2;", true,
     70},
};
void atomics_kernels(struct kernels *list) {
    list->part = "atomics";
    for (unsigned i = 0; i < sizeof contended / sizeof *contended; i++) {
        struct kernel *k = kernels_add(list, contended[i].name, contended[i].needs, KERNEL_PLAIN);
        struct text t = {0};
        text_add(&t, "%s",
                 ".reg .b64 %at,%off,%g<2>;\n.reg .b32 "
                 "%ti,%n,%x<4>,%keep,%places,%apart,%sa;\n.reg .pred %p;\n"
                 "mov.u32 %ti,%ctaid.x;\nmov.u32 %x0,%ntid.x;\nmov.u32 %x1,%tid.x;\nmad.lo.u32 "
                 "%ti,%ti,%x0,%x1;\n"
                 "ld.param.u64 %at,[p0];\nld.param.u32 %n,[p1];\nld.param.u32 "
                 "%places,[p2];\nld.param.u32 %apart,[p3];\n"
                 "rem.u32 %ti,%ti,%places;\nmul.lo.u32 %ti,%ti,%apart;\ncvt.u64.u32 "
                 "%off,%ti;\nadd.u64 %at,%at,%off;\n"
                 "mov.b32 %x0,1;\nmov.b32 %x1,0x38003c00;\nmov.b64 %g0,1;\nmov.b64 "
                 "%g1,0x3ff0000000000000;\nmov.b32 %keep,0;\n");
        if (contended[i].shared)
            text_add(
                &t,
                ".shared .align 8 .b8 tile[32768];\nmov.u32 %%sa,tile;\nadd.u32 %%sa,%%sa,%%ti;\n");
        text_add(&t, "LOOP:\n");
        for (int u = 0; u < 8; u++) text_add(&t, "%s\n", contended[i].statement);
        text_add(&t, "sub.u32 %%n,%%n,1;\nsetp.ne.u32 %%p,%%n,0;\n@%%p bra LOOP;\nsetp.eq.u32 "
                     "%%p,%%keep,0x9e3779b9;\n@%%p st.global.b32 [%%at],%%keep;\nret;\n");
        kernel_text(k, "u64 u32 u32 u32", NULL, t.at);
        text_free(&t);
    }
}

void atomics_run(struct kit *k) {
    struct gpu *g = &k->gpu;
    struct kernels list = {0};
    atomics_kernels(&list);
    kernels_load(k, &list);
    struct sheet s = sheet_open(k, "atomics");
    const CUdeviceptr memory = gpu_alloc(g, (size_t)64 << 20);
    for (unsigned i = 0; i < list.count && !kit_over(k, 0.5); i++) {
        const struct kernel *x = &list.at[i];
        if (!x->function) continue;
        static const unsigned places[] = {1, 2, 8, 32, 256, 2048, 65536};
        for (unsigned p = 0; p < 7; p += kit_pick(k, 1, 3)) {
            for (unsigned apart = 8; apart <= 256; apart *= 32) {
                if (contended[i].shared && places[p] * apart > 32768) continue;
                const unsigned blocks = k->scale ? (unsigned)g->sms : 4,
                               threads = kit_pick(k, 256, 64);
                unsigned loops = kit_pick(k, places[p] < 32 ? 4 : 32, 1), n = places[p],
                         distance = apart;
                CUdeviceptr at = memory;
                void *arguments[] = {&at, &loops, &n, &distance};
                double best = INFINITY;
                for (unsigned r = 0; r < kit_pick(k, 3, 1); r++) {
                    const double ms =
                        gpu_time(g, x->function, (struct launch){blocks, threads, 0, 0}, arguments);
                    if (ms >= 0 && ms < best) best = ms;
                }
                if (isinf(best)) continue;
                sheet_text(&s, x->name);
                sheet_int(&s, blocks);
                sheet_int(&s, threads);
                sheet_int(&s, n);
                sheet_int(&s, apart);
                sheet_int(&s, loops * 8);
                sheet_real(&s, best);
                sheet_real(&s, (double)blocks * threads * loops * 8 / best * 1e-6);
                sheet_end(&s);
            }
        }
    }
    sheet_close(&s);
}

// --------------------------------------------------------------------------------------- code
// Straight code of many lengths, in a loop: where instruction caches end. Eight chains of logic.
static const unsigned lengths[] = {64,   128,  256,  384,  512,  768,   1024,  1536,
                                   2048, 3072, 4096, 6144, 8192, 12288, 16384, 32768};
enum { LENGTHS = sizeof lengths / sizeof *lengths };
void code_kernels(struct kernels *list) {
    list->part = "code";
    list->chunk = 1;
    for (unsigned i = 0; i < LENGTHS; i++) {
        char name[16];
        snprintf(name, sizeof name, "%u", lengths[i]);
        struct kernel *k = kernels_add(list, name, 70, KERNEL_PLAIN);
        struct text t = {0};
        text_add(&t, "%sld.param.u32 %%lim,[p2];\nmov.b32 %%sb,%%lim;\n", head);
        for (unsigned c = 0; c < 8; c++) text_add(&t, "add.u32 %%x%u,%%ti,%u;\n", c, c);
        text_add(&t, "mov.u64 %%c0,%%clock64;\nLOOP:\n");
        for (unsigned n = 0; n < lengths[i]; n++)
            text_add(&t, "lop3.b32 %%x%u,%%x%u,%%lim,%%ti,0x96;\n", n % 8, n % 8);
        text_add(&t, "%smov.b32 %%keep,%%x0;\n", again);
        for (unsigned c = 1; c < 8; c++) text_add(&t, "xor.b32 %%keep,%%keep,%%x%u;\n", c);
        text_add(&t, "%s", tail);
        kernel_text(k, "u64 u32 u32", NULL, t.at);
        text_free(&t);
    }
}

void code_run(struct kit *k) {
    struct kernels list = {0};
    code_kernels(&list);
    if (!k->scale) { // the others cost too much there
        for (unsigned i = 7; i < list.count; i++) list.at[i].needs = 999;
    }
    kernels_load(k, &list);
    struct sheet s = sheet_open(k, "code");
    const CUdeviceptr out = gpu_alloc(&k->gpu, 4096);
    for (unsigned i = 0; i < list.count && !kit_over(k, 0.5); i++) {
        if (!list.at[i].function) continue;
        for (unsigned warps = 1; warps <= kit_pick(k, 16, 1); warps *= 4) {
            unsigned loops = 0, lim = 5;
            void *arguments[] = {(void *)&out, &loops, &lim};
            const double cycles = slope(k, &list.at[i], warps, out, arguments, &loops, 2, 4);
            sheet_int(&s, lengths[i]);
            sheet_int(&s, warps);
            sheet_real(&s, cycles / lengths[i]);
            sheet_end(&s);
        }
    }
    sheet_close(&s);
}

// ----------------------------------------------------------------------------------- branches
// Bodies of a loop. %pl: the lane is below p2 (%lim); %x0 is the chain; W(n) stands for n steps of
// it.
static const struct {
    const char *name, *body;
} branches[] = {
    {"empty loop", ""},
    {"8 steps", "W8"},
    {"32 steps", "W32"},
    {"forward branch of the warp", "setp.eq.u32 %q,%lim,32;\n@%q bra A0;\nW8 A0:\n"},
    {"if of 1", "@!%pl bra A0;\nW1 A0:\n"},
    {"if of 8", "@!%pl bra A0;\nW8 A0:\n"},
    {"if of 32", "@!%pl bra A0;\nW32 A0:\n"},
    {"if of 8 with a load",
     "@!%pl bra A0;\nld.volatile.global.b32 %k1,[%out+2060];\nxor.b32 %x0,%x0,%k1;\nW8 A0:\n"},
    {"if else of 8", "@!%pl bra A0;\nW8 bra A1;\nA0:\nV8 A1:\n"},
    {"if else of 32", "@!%pl bra A0;\nW32 bra A1;\nA0:\nV32 A1:\n"},
    {"four ways of 32 by two levels", "@!%pm0 bra A0;\n@!%pm1 bra A1;\nW32 bra A2;\nA1:\nV32 "
                                      "A2:\nbra A9;\nA0:\n@!%pm1 bra A3;\nV32 W1 bra A4;\nA3:\n"
                                      "W32 V1 A4:\nA9:\n"},
    {"loop of lane and mask times",
     "and.b32 %k0,%li,%lim;\nA0:\nW8 setp.eq.u32 %q,%k0,0;\nsub.u32 %k0,%k0,1;\n@!%q bra A0;\n"},
    {"table of 8 targets by lane and mask",
     "and.b32 %k0,%li,%lim;\nand.b32 %k0,%k0,7;\nts: .branchtargets "
     "B0,B1,B2,B3,B4,B5,B6,B7;\n@%never bra B9;\n"
     "brx.idx %k0,ts;\nB0:\nW8 bra B9;\nB1:\nV8 bra B9;\nB2:\nW8 V1 bra B9;\nB3:\nV8 W1 bra "
     "B9;\nB4:\nW8 V1 V1 bra B9;\n"
     "B5:\nV8 W1 W1 bra B9;\nB6:\nW8 V8 bra B9;\nB7:\nV8 W8 B9:\n"},
    {"call through a register",
     "{\n.param .b32 pa;\n.param .b32 pr;\nst.param.b32 [pa],%x0;\ncall.uni "
     "(pr),%fn,(pa),proto;\nld.param.b32 %x0,[pr];\n}\n"},
    {"bar.warp.sync", "bar.warp.sync -1;\nW1"},
    {"if of 8 then bar.warp.sync", "@!%pl bra A0;\nW8 A0:\nbar.warp.sync -1;\n"},
    {"predicated 8", "P8"},
};
static const char callee[] =
    ".func (.param .b32 r) step(.param .b32 a)\n{\n.reg .b32 %x;\nld.param.b32 %x,[a];\nmad.lo.u32 "
    "%x,%x,5,1;\nst.param.b32 [r],%x;\nret;\n}\n";
static const unsigned limits[] = {0, 1, 8, 16, 31, 32};

void branches_kernels(struct kernels *list) {
    list->part = "branches";
    list->chunk = 1;
    for (unsigned i = 0; i < sizeof branches / sizeof *branches; i++) {
        struct kernel *k = kernels_add(list, branches[i].name, 70, KERNEL_PLAIN);
        struct text t = {0};
        const bool calls = strstr(branches[i].body, "call") != NULL;
        text_add(&t,
                 "%s.reg .pred %%never;\n.reg .b64 %%fn;\nld.param.u32 %%lim,[p2];\nld.param.u32 "
                 "%%k7,[p3];\nmov.b32 %%x0,%%k7;\n"
                 "setp.lt.u32 %%pl,%%li,%%lim;\nsetp.eq.u32 %%never,%%k7,12345;\nand.b32 "
                 "%%k6,%%li,%%lim;\nand.b32 %%k5,%%k6,1;\n"
                 "setp.eq.u32 %%pm0,%%k5,1;\nand.b32 %%k5,%%k6,2;\nsetp.eq.u32 %%pm1,%%k5,2;\n",
                 head);
        if (calls)
            text_add(
                &t,
                "mov.u64 %%fn,step;\nproto: .callprototype (.param .b32 _) _ (.param .b32 _);\n");
        text_add(&t, "mov.u64 %%c0,%%clock64;\nLOOP:\n");
        for (const char *p = branches[i].body; *p; p++) {
            if ((*p == 'W' || *p == 'V' || *p == 'P') && p[1] >= '0' && p[1] <= '9') {
                const char kind = *p;
                char *end;
                const long n = strtol(p + 1, &end, 10);
                for (long j = 0; j < n; j++)
                    text_add(&t, "%smad.lo.u32 %%x0,%%x0,%%%s,%%k7;\n", kind == 'P' ? "@%pl " : "",
                             kind == 'V' ? "ti" : "lim");
                p = *end == ' ' ? end : end - 1;
            } else {
                text_add(&t, "%c", *p);
            }
        }
        text_add(&t, "%smov.b32 %%keep,%%x0;\n%s", again, tail);
        kernel_text(k, "u64 u32 u32 u32", calls ? callee : NULL, t.at);
        text_free(&t);
    }
}

void branches_run(struct kit *k) {
    struct kernels list = {0};
    branches_kernels(&list);
    kernels_load(k, &list);
    struct sheet s = sheet_open(k, "branches");
    const CUdeviceptr out = gpu_alloc(&k->gpu, 4096);
    for (unsigned i = 0; i < list.count && !kit_over(k, 0.5); i++) {
        if (!list.at[i].function) {
            sheet_text(&s, list.at[i].name);
            sheet_text(&s, list.at[i].refused);
            for (int c = 0; c < 3; c++) sheet_none(&s);
            sheet_end(&s);
            continue;
        }
        for (unsigned l = 0; l < 6; l++) {
            for (unsigned warps = 1; warps <= kit_pick(k, 16, 1); warps *= 4) {
                unsigned loops = 0, lim = limits[l], seed = 7;
                void *arguments[] = {(void *)&out, &loops, &lim, &seed};
                const double cycles =
                    slope(k, &list.at[i], warps, out, arguments, &loops, 4, kit_pick(k, 36, 8));
                sheet_text(&s, list.at[i].name);
                sheet_text(&s, "ok");
                sheet_int(&s, lim);
                sheet_int(&s, warps);
                sheet_real(&s, cycles);
                sheet_end(&s);
            }
        }
    }
    sheet_close(&s);
}
